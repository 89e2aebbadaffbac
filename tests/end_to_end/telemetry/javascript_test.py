"""Claim: what further packages of JavaScript's send is recorded as it was, whatever the order of the spans.

Method: spans in the shapes that they have, each with the right value beside it.
"""
import json
import unittest

from telemetry import frameworks_test
from telemetry.frameworks_test import chat, inference, run, tool
from telemetry.trace_case import TraceCase, number


def told(role, text):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


class JavascriptTest(TraceCase):
    shared = frameworks_test.FrameworksTest
    take, found, response, sources, orders = shared.take, shared.found, shared.response, shared.sources, shared.orders

    def test_steps_of_a_call_that_counts_them_together(self):
        """TanStack AI: a call around its steps, of which one that asks for a tool has no answer; the tool is below that."""
        user, gave = {"role": "user", "content": "Rain?"}, {"role": "tool", "content": '{"sky":"rain","town":"Bern"}'}
        usage = lambda given, made: {"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": made, "gen_ai.response.model": "m-1"}

        def spans(self):
            both = lambda name, of: {f"gen_ai.{name}put.messages": json.dumps(of), f"langfuse.observation.{name}put": json.dumps(of)}
            answer = both("out", [{"role": "assistant", "content": "Take a coat."}])
            return [self.one(1, {"gen_ai.request.model": "m", "langfuse.observation.input": json.dumps([user]), **usage(42, 14),
                                 "langfuse.observation.output": answer["langfuse.observation.output"]}, 0, 100),
                    self.one(2, {**chat(), **both("in", [user]), **usage(21, 7)}, 1, 40, 1),
                    self.one(3, {"gen_ai.tool.name": "sky", "gen_ai.tool.call.id": "c1", **both("out", [gave])}, 20, 30, 2),
                    self.one(4, {**chat(), **both("in", [user, gave]), **answer, **usage(21, 7)}, 50, 90, 1)]
        for order in self.orders(spans):
            with self.subTest(order=order):
                self.assertEqual(set(self.found("Response")), {2, 4})
                self.assertEqual([self.response(n)["usage"]["output_tokens"] for n in (2, 4)], [7, 7])
                self.assertEqual(self.response(4)["content"], "Take a coat.")
                self.assertEqual(self.found("ContextUnit")[3]["content"], gave["content"])
                self.assertEqual(self.sources(4), {f"ContextUnit:cu_{self.t}_{number(3)}": "text"})

    def test_a_tool_that_failed_is_one_source(self):
        """What the model is told of it, and what its span says, are one; of one with an id the prompt says what it gave."""
        failed = {"otel.status_code": "ERROR", "otel.status_description": "disk full\n\nError: disk full\n    at run (file:///app.mjs:18:41)"}
        for made in ({"openinference.span.kind": "TOOL", "tool.name": "save", **failed},
                     {"langfuse.observation.type": "tool", "langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "Error: disk full"}):
            def spans(self):
                asked = {**inference("Save it.", "I could not."), "llm.input_messages.1.message.role": "tool",
                         "llm.input_messages.1.message.content": "Error: disk full\n Please fix your mistakes."}
                return [self.one(1, {"openinference.span.kind": "CHAIN"}, 0, 100), self.one(2, made, 1, 5, 1, name="save"), self.one(3, asked, 6, 9, 1)]
            for order in self.orders(spans):
                with self.subTest(made=made, order=order):
                    self.assertIn("disk full", self.found("ContextUnit")[2]["content"])
                    self.assertEqual(self.sources(3), {f"ContextUnit:cu_{self.t}_{number(2)}": "text"})
                    nodes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(3)}", "depth": 1, "include": ["record"]})["nodes"]
                    self.assertEqual(sorted(each["record"]["source"] for each in nodes), ["message:user", "tool:save"])
        self.next_trace()
        result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": f"c{self.t}", "response": "The disk is full."}]}
        self.take(self.one(1, {**tool("save", gen_ai__tool__call__id=f"c{self.t}"), **failed}, 0, 5),
                  self.one(2, chat(gen_ai__input__messages=json.dumps([told("user", "Save it."), result]), gen_ai__output__messages=json.dumps([told("assistant", "No.")])), 6, 9))
        self.assertEqual(self.found("ContextUnit")[1]["content"], "The disk is full.")


if __name__ == "__main__":
    unittest.main()
