"""Claim: what numbered messages lack is taken from the request and the response beside them, and nothing else of these.

Method: a span with messages in numbered attributes and the JSON of its request or response, which say more, the same, or
something else.
"""
import json
import unittest

from support.otlp import send
from telemetry.trace_case import TraceCase, number


def numbered(which, *messages):
    return {f"llm.{which}_messages.{place}.message.{name}": held for place, message in enumerate(messages) for name, held in message.items()}


def message(role, content=None, **more):
    return {"role": role} | ({} if content is None else {"content": content}) | more


def constructor(kind, **kwargs):
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind], "kwargs": kwargs}


def content_part(at, kind, text):
    return {f"contents.{at}.message_content.type": kind, f"contents.{at}.message_content.text": text}


class RequestBesideTest(TraceCase):
    def call(self, given, answered=(message("assistant", "Yes."),), request=None, response=None):
        """The messages of the prompt of a call, its answer, and its record."""
        self.next_trace()
        made = {"openinference.span.kind": "LLM", "llm.model_name": "m", **numbered("input", *given), **numbered("output", *answered)}
        for name, held in (("input.value", request), ("output.value", response)):
            if held is not None:
                made[name] = held if isinstance(held, str) else json.dumps(held)
        for status, _, body in send(self.server, [self.one(0, made)]):
            self.assertEqual((status, body), (200, b"{}"))
        ref = f"Response:resp_{self.t}_{number(0)}"
        made = self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]
        said = [(each["role"], made["prompt"][each["start"]:each["end"]]) for each in made["prompt_messages"]]
        return said, made["content"], made

    def test_instructions_without_their_text(self):
        request = {"messages": [[constructor("SystemMessage", content=[{"type": "text", "text": "Be terse."}]), constructor("HumanMessage", content="Why?")]]}
        said, _, response = self.call([message("system"), message("user", "Why?")], request=request)
        self.assertEqual(said, [("system", "Be terse."), ("user", "Why?")])
        self.assertEqual(sorted(response["prompt_basis"]), ["instruction", "question"])

    def test_calls_and_results_without_their_text(self):
        call = {"id": "call_1", "type": "function", "function": {"name": "w", "arguments": "{}"}}
        request = {"messages": [message("user", "Q?"), message("assistant", tool_calls=[call]), message("tool", "Sun.", tool_call_id="call_1"), message("user", "Now?")]}
        said, _, _ = self.call([message("user", "Q?"), message("assistant"), message("tool"), message("user", "Now?")], request=request)
        self.assertEqual(said, [("user", "Q?"), ("assistant", json.dumps([call], separators=(",", ":"))), ("tool", "Sun."), ("user", "Now?")])

    def test_messages_beyond_the_bound_of_attributes(self):
        request = {"messages": [message("system", "S"), message("user", "Q?"), message("assistant", "B"), message("user", "Last?")]}
        said, _, response = self.call([message("system", "S"), message("user", "Q?")], request=request)
        self.assertEqual(said, [("system", "S"), ("user", "Q?"), ("assistant", "B"), ("user", "Last?")])
        self.assertEqual(response["question"], "Last?")

    def test_parts_that_have_no_attribute(self):
        pdf = "JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwvTGVuZ3RoIDMgMCBSL0ZpbHRlci9GbGF0ZURlY29kZT4+"
        text = {"type": "input_text", "text": "What is in it?"}
        for name, part in (("plan.pdf", {"type": "input_file", "filename": "plan.pdf", "file_data": "data:application/pdf;base64," + pdf}),
                           ("audio/wav", {"type": "input_audio", "input_audio": {"data": "UklGRiQAAABXQVZFZm10IBAAAAABAAEA", "format": "wav"}}),
                           ("gs://a/b.pdf", {"type": "file", "file": {"file_uri": "gs://a/b.pdf"}})):
            with self.subTest(name):
                said, _, _ = self.call([{"role": "user", **content_part(0, "input_text", "What is in it?")}], request={"model": "m", "input": [message("user", [text, part])]})
                self.assertEqual([role for role, _ in said], ["user"])
                self.assertTrue(said[0][1].startswith("What is in it?\n\n"), said)
                self.assertIn(name, said[0][1])

    def test_items_that_have_no_attribute(self):
        output = [{"type": "web_search_call", "id": "ws_1", "action": {"query": "rain"}}, {"type": "mcp_call", "id": "mc_1", "name": "ask", "output": "Forty-two."},
                  {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]}]
        answered = [{"role": "assistant", "tool_calls.0.tool_call.id": "ws_1", "tool_calls.0.tool_call.function.name": "web_search_call"},
                    {"role": "assistant", **content_part(0, "output_text", "Rain.")}]
        _, answer, _ = self.call([message("user", "Q?")], answered, response={"id": "resp_1", "object": "response", "output": output})
        self.assertEqual(answer, "\n\n".join([*(json.dumps(each, separators=(",", ":")) for each in output[:2]), "Rain."]))

    def test_further_choices(self):
        choices = [{"index": 1, "message": message("assistant", "Second.")}, {"index": 0, "message": message("assistant", "First.")}]
        _, answer, _ = self.call([message("user", "Q?")], [message("assistant", "Second.")], response={"model": "m", "choices": choices})
        self.assertEqual(answer, "First.\n\nSecond.")

    def test_what_says_something_else_changes_nothing(self):
        told, answered = [message("system", "S"), message("user", "Old?"), message("assistant", "Older."), message("user", "New?")], [message("assistant", "Yes.")]
        expected = [(each["role"], each["content"]) for each in told]
        for name, request, response in (("the same", {"messages": told}, {"choices": [{"index": 0, "message": answered[0], "finish_reason": "stop"}]}),
                                        ("the last message", {"messages": told[-1:]}, None),
                                        ("a schema of the program's own", {"question": "New?"}, {"answer": "Yes.", "sources": 3}),
                                        ("others", {"messages": [message("user", "Other?")]}, {"choices": [{"index": 0, "message": message("assistant", "No."), "finish_reason": "stop"}]}),
                                        ("texts", "New?", "Yes."), ("hidden", "__REDACTED__", "__REDACTED__")):
            with self.subTest(name):
                said, answer, _ = self.call(told, answered, request, response)
                self.assertEqual((said, answer), (expected, "Yes."))

    def test_what_the_numbers_alone_have_stays(self):
        request = {"messages": [message("system", "S"), message("user", "Q?"), message("user", [{"type": "text", "text": "T"}, {"type": "file", "file": {"file_id": "f-1"}}])]}
        said, _, _ = self.call([message("user", "Q?"), message("assistant", "Only here."), message("user", "T")], request=request)
        self.assertEqual([role for role, _ in said], ["system", "user", "assistant", "user"])
        self.assertEqual(said[2][1], "Only here.")
        self.assertIn("f-1", said[3][1])


if __name__ == "__main__":
    unittest.main()
