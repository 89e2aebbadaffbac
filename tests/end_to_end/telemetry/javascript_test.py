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

    def test_agents_and_flows_of_genkit(self):
        request = {"messages": [{"role": "system", "content": [{"text": "Be short."}]}, {"role": "user", "content": [{"text": "Rain?"}]}]}
        made = {"genkit:type": "action", "genkit:metadata:subtype": "model", "genkit:name": "oai/m", "genkit:input": json.dumps(request),
                "genkit:output": json.dumps({"message": {"role": "model", "content": [{"text": "Fog."}]}})}
        step = {"genkit:type": "flowStep", "genkit:name": "runTurn-1"}
        agent = {"genkit:type": "action", "genkit:metadata:subtype": "agent", "genkit:name": "planner", "genkit:metadata:agent:sessionId": "s-7"}
        for outer, name, conversation in ((agent, "planner", "s-7"), ({"genkit:type": "action", "genkit:metadata:subtype": "flow", "genkit:name": "menu"}, None, None)):
            with self.subTest(outer=outer):
                self.next_trace()
                self.take(self.one(1, outer, 0, 50, name=outer["genkit:name"]), self.one(2, step, 1, 40, 1), self.one(3, made, 2, 20, 2))  # all is understood
                said = self.response(3)
                self.assertEqual((said["question"], said["content"], said.get("conversation")), ("Rain?", "Fog.", conversation))
                self.assertEqual(said["agent"] == "planner", name == "planner")

    def test_spans_of_agent_365(self):
        wrapped = lambda *messages: json.dumps({"version": "0.1.0", "messages": messages})
        for operation in ("Chat", "TextCompletion", "GenerateContent"):
            with self.subTest(operation=operation):
                self.next_trace()
                made = {"gen_ai.operation.name": operation, "gen_ai.request.model": "m", "gen_ai.input.messages": wrapped(told("system", "Be short."), told("user", "Rain?")),
                        "gen_ai.output.messages": wrapped(told("assistant", "Fog."))}
                self.take(self.one(1, run("planner"), 0, 50), self.one(2, made, 1, 20, 1),
                          self.one(3, {"gen_ai.operation.name": "output_messages", "gen_ai.output.messages": wrapped(told("assistant", "Fog."))}, 21, 22, 1))
                self.assertEqual(set(self.found("Response")), {2})
                said = self.response(2)
                self.assertEqual((said["agent"], said["prompt"], said["content"]), ("planner", "system: Be short.\n\nuser: Rain?", "Fog."))

    def test_nodes_that_llamaindex_found(self):
        """By OpenLLMetry: tasks within each other that gave the same list."""
        node = lambda n, text: {"node": {"id_": f"n{n}", "metadata": {"file_name": f"{n}-{self.t}.md"}, "text": text, "type": "TEXT"}, "score": 0.9}
        texts = ["Holidays are 25 days a year.", "Sick days are not taken off."]
        for given in ({"args": ["How many?"], "kwargs": {}}, {"args": [], "kwargs": {"query": {"query": "How many?"}}}, {"args": [], "kwargs": {"query": "How many?"}}):
            with self.subTest(given=given):
                self.next_trace()
                task = {"traceloop.span.kind": "task", "traceloop.entity.input": json.dumps(given), "traceloop.entity.output": json.dumps([node(*each) for each in enumerate(texts)])}
                self.take(self.one(1, {"traceloop.span.kind": "workflow"}, 0, 100), self.one(2, task, 1, 20, 1), self.one(3, task, 2, 10, 2),
                          self.one(4, {"traceloop.span.kind": "task", "traceloop.entity.output": '{"message": "25."}'}, 21, 90, 1),
                          self.one(5, inference(f"Context: {texts[0]} How many?", "25."), 30, 40, 4))
                self.assertEqual(self.found("Query")[3]["question"], "How many?")
                nodes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(5)}", "include": ["record"]})["nodes"]
                self.assertEqual([each["record"]["content"] for each in nodes if each["ref"].startswith("RetrievedChunk:")], [texts[0]])
                self.assertIn(f"Document:0-{self.t}.md", [each["ref"] for each in nodes])

    def test_spans_of_langwatch(self):
        held = lambda kind, value: json.dumps({"type": kind, "value": value})
        of = lambda kind, **more: {"langwatch.span.type": kind, **{f"langwatch.{name}": value for name, value in more.items()}}
        asked = [{"role": "system", "content": "Context: Holidays are 25 days."}, {"role": "user", "content": "How many?"}, {"role": "tool", "tool_call_id": "c1", "content": '{"sky":"rain","town":"Bern"}'}]
        found = [{"document_id": f"leave-{self.t}.md", "chunk_id": "1", "content": "Holidays are 25 days."}, {"document_id": "pay.md", "chunk_id": "2", "content": "Paid on the 25th day."}]

        def spans(self):
            return [self.one(1, {**of("agent", input=held("text", "How many?"), output=held("text", "25.")), "langwatch.thread.id": "s-7", "langwatch.user.id": "ann"}, 0, 100, name="planner"),
                    self.one(2, of("rag", input=held("text", "How many?"), contexts=held("json", found)), 1, 5, 1),
                    self.one(3, of("tool", input=held("json", {}), output=held("json", {"sky": "rain", "town": "Bern"})), 6, 9, 1, name="sky"),
                    self.one(4, {**of("llm", input=held("chat_messages", asked), output=held("chat_messages", [{"role": "assistant", "content": "25."}]),
                                      metrics=held("json", {"promptTokens": 21, "completionTokens": 7})), "gen_ai.request.model": "m", "gen_ai.response.model": "m-1"}, 10, 20, 1)]
        for order in self.orders(spans):
            with self.subTest(order=order):
                said = self.response(4)
                self.assertEqual([said[name] for name in ("agent", "question", "content", "model", "conversation", "person", "usage")],
                                 ["planner", "How many?", "25.", "m-1", "s-7", "ann", {"input_tokens": 21, "output_tokens": 7}])
                self.assertEqual(sorted((ref.split(":")[0], basis) for ref, basis in self.sources(4).items()), [("ContextUnit", "text"), ("RetrievedChunk", "text")])
                self.assertEqual(self.found("ContextUnit")[3]["content"], '{"sky":"rain","town":"Bern"}')

    def test_spans_of_laminar(self):
        """`observe` of its SDK: arguments and result as JSON, a text too; the client of a model has the usual attributes beside."""
        beside = {"lmnr.association.properties.session_id": "s-7", "lmnr.association.properties.user_id": "ann"}
        of = lambda kind, given, gave: {"lmnr.span.type": kind, "lmnr.span.input": json.dumps(given), "lmnr.span.output": json.dumps(gave), **beside}
        sky = {"sky": "rain", "town": "Bern"}
        asked = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": f"How is it? {json.dumps(sky)}"}]

        def spans(self):
            return [self.one(1, {"lmnr.span.path": ["agent"], "lmnr.span.input": '["q"]', "lmnr.span.output": '"Wet."', **beside}, 0, 100, name="agent"),
                    self.one(2, of("TOOL", ["bern"], sky), 1, 5, 1, name="sky"),
                    self.one(3, {**of("LLM", asked, "Wet."), "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 21, "gen_ai.usage.output_tokens": 7}, 10, 20, 1)]
        for order in self.orders(spans):
            with self.subTest(order=order):
                said = self.response(3)
                self.assertEqual([said[name] for name in ("question", "content", "model", "conversation", "person", "usage")],
                                 [asked[1]["content"], "Wet.", "m", "s-7", "ann", {"input_tokens": 21, "output_tokens": 7}])
                self.assertEqual({ref.split(":")[0]: basis for ref, basis in self.sources(3).items()}, {"ContextUnit": "text"})
                self.assertEqual([self.found("ContextUnit")[2][name] for name in ("source", "content")], ["tool:sky", json.dumps(sky)])

    def test_spans_of_voltagent(self):
        """What an agent was asked and answered is on its own span; the span of its model has neither an answer nor the steps between."""
        common = {"user.id": "ann", "conversation.id": "c-7", "entity.type": "agent", "entity.name": "clerk", "operation.id": "1"}
        asked = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": [{"type": "text", "text": "How many live in Bern?"}]}]
        people = {"town": "Bern", "people": 134000}

        def spans(self):
            return [self.one(1, {**common, "agent.state": "completed", "input": "How many live in Bern?", "agent.messages": json.dumps(asked), "output": "134,000.",
                                 "ai.model.name": "m", "usage.prompt_tokens": 42, "usage.completion_tokens": 14}, 0, 100, name="clerk"),
                    self.one(2, {**common, "span.type": "llm", "llm.model": "m", "llm.messages": json.dumps(asked), "llm.usage.prompt_tokens": 21}, 1, 90, 1),
                    self.one(3, {**common, "span.type": "tool", "tool.name": "population", "tool.call.id": "call_1", "input": '{"town":"Bern"}', "output": json.dumps(people)}, 5, 8, 1),
                    self.one(4, {**common, "span.type": "memory", "memory.operation": "write", "input": '{"message":{}}', "output": '{"saved":true}'}, 95, 99, 1)]
        for order in self.orders(spans):
            with self.subTest(order=order):
                self.assertEqual(len(self.found("Response")), 1)
                said = self.response(1)
                self.assertEqual([said[name] for name in ("question", "content", "agent", "model", "conversation", "person", "usage")],
                                 ["How many live in Bern?", "134,000.", "clerk", "m", "c-7", "ann", {"input_tokens": 42, "output_tokens": 14}])
                self.assertEqual([(unit["source"], unit["content"]) for unit in self.found("ContextUnit").values() if unit["source"].startswith("tool:")],
                                 [("tool:population", json.dumps(people))])



if __name__ == "__main__":
    unittest.main()
