"""Claim: nothing of a message is lost, whatever its shape, and inline bytes are named wherever they stand.

Method: prompts and answers in shapes that providers document are sent to one server, each example in a trace of its own; beside each
stand the words that its response has to have, and where.
"""
import base64
import json
import unittest

from support.otlp import log, send, span
from support.wire_case import FreshServerCase

START, SECOND = 1_790_000_000_000_000_000, 1_000_000_000
PDF = "JVBERi0xLjcK"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(200))).decode()
WEBP = base64.b64encode(b"RIFF\0\1\0\0WEBP" + bytes(range(200))).decode()


def number(n):
    return f"{n + 1:016x}"


def said(role, *parts):
    return {"role": role, "parts": [{"type": "text", "content": each} if isinstance(each, str) else each for each in parts]}


def result(response, **more):
    return said("tool", {"type": "tool_call_response", "id": "call_1", "response": response, **more})


class SaidWholeTest(FreshServerCase):
    trace = 0

    def setUp(self):
        super().setUp()
        self.next_trace()

    def next_trace(self):
        type(self).trace += 1
        self.t = f"{self.trace + 1:032x}"

    def one(self, n, attributes, begin=0, end=1, parent=None, events=()):
        return span(self.t, number(n), "s", START + begin * SECOND, START + end * SECOND, attributes, None if parent is None else number(parent), events)

    def chat(self, n, given=(), answered=(), begin=0, end=1):
        made = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
        if given:
            made["gen_ai.input.messages"] = given if isinstance(given, str) else json.dumps(given)
        if answered:
            made["gen_ai.output.messages"] = answered if isinstance(answered, str) else json.dumps(answered)
        return self.one(n, made, begin, end)

    def tool(self, n, text, **more):
        return self.one(n, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.result": text, **more})

    def take(self, *items):
        for status, _, _ in send(self.server, list(items)):
            self.assertEqual(status, 200)

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def response(self, n=0):
        return self.record(f"Response:resp_{self.t}_{number(n)}")

    def causes(self, n=0):
        made = self.response(n)
        found = {}
        for ref, basis in zip(made.get("prompt_refs", []), made.get("prompt_basis", ["given"] * len(made.get("prompt_refs", [])))):
            record = self.record(ref)
            found[record["content"] if record.get("source", "").startswith("message:") else ref] = basis
        return found

    def every_record(self):
        found = []
        for type_ in ("Response", "ContextUnit", "Query", "RetrievedChunk", "ProvActivity"):
            nodes = self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]
            found += [node["record"] for node in nodes]
        return json.dumps(found)

    def each(self, *table):
        for name, *rest in table:
            self.next_trace()
            with self.subTest(name):
                yield rest

    def test_items_of_the_model_are_no_questions(self):
        call = {"type": "function_call", "call_id": "call_a1b2c3d4", "name": "now", "arguments": "{}"}
        thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "He asks."}]}
        given = {"call_id": "call_a1b2c3d4", "output": "noon sharp"}
        for items, right in self.each(
                ("function_call", [call, {"type": "function_call_output", **given}], "user: t?\n\nassistant: " + json.dumps(call, separators=(",", ":")) + "\n\ntool: noon sharp"),
                ("reasoning", [thought, {"type": "function_call_output", **given}], "user: t?\n\ntool: noon sharp"),
                ("custom tool", [{"type": "custom_tool_call_output", **given}], "user: t?\n\ntool: noon sharp")):
            request = {"model": "m", "input": [{"role": "user", "content": "t?"}, *items]}
            self.take(self.one(0, {"openinference.span.kind": "LLM", "llm.model_name": "m", "input.value": json.dumps(request), "output.value": "x"}))
            self.assertEqual((self.response()["prompt"], self.response()["question"]), (right, "t?"))
            self.assertEqual([text for text, basis in self.causes().items() if basis == "question"], ["t?"])

    def test_the_question_of_a_message_with_a_result(self):
        booked = {"type": "tool_result", "tool_use_id": "tu", "content": "booked"}
        for content, question in self.each(("result first", [booked, {"type": "text", "text": "Now book Basel"}], "Now book Basel"),
                                           ("text first", [{"type": "text", "text": "Now book Basel"}, booked], "Now book Basel"),
                                           ("result alone", [booked], "Book Bern")):
            self.take(self.chat(0, [{"role": "user", "content": "Book Bern"}, {"role": "user", "content": content}], [said("assistant", "ok")]))
            self.assertEqual(self.response()["question"], question)
            self.assertEqual(self.causes().get(question), "question")

    def test_reasoning_alone_is_no_unit(self):
        self.take(self.chat(0, [said("user", "t?"), said("assistant", {"type": "reasoning", "content": "thinking"}), said("user", "and?")], [said("assistant", "x")]))
        made = self.response()
        self.assertEqual((made["prompt"], made["attributes"]["prompt_reasoning"]), ("user: t?\n\nuser: and?", "thinking"))
        self.assertEqual(self.causes(), {"t?": "question", "and?": "question"})

    def test_a_call_without_arguments_is_the_same_call(self):
        asked = [said("user", "time?")]
        full = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_q1w2e3r4", "type": "function", "function": {"name": "now", "arguments": "{}"}}]}
        for call in self.each(("no member", {}), ("null", {"arguments": None}), ("an empty text", {"arguments": ""}), ("an empty object", {"arguments": {}})):
            made = said("assistant", {"type": "tool_call", "id": "call_q1w2e3r4", "name": "now", **call[0]})
            self.take(self.chat(0, asked, [made]), self.chat(1, [*asked, full, result("12:00", id="call_q1w2e3r4")], [said("assistant", "Noon.")], 4, 5))
            self.assertEqual(self.causes(1).get(f"Response:resp_{self.t}_{number(0)}"), "text")

    def test_messages_that_are_json_text(self):
        first, second, answer = said("user", "first"), said("user", "second"), said("assistant", "ans")
        for given, answered in self.each(("a list of texts", [json.dumps(first), json.dumps(second)], [json.dumps(answer)]),
                                         ("a text of a list of texts", json.dumps([json.dumps(first), json.dumps(second)]), json.dumps([json.dumps(answer)])),
                                         ("JSON of JSON", json.dumps(json.dumps([first, second])), json.dumps(json.dumps([answer])))):
            made = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": given, "gen_ai.output.messages": answered}
            self.take(self.one(0, made))
            self.assertEqual((self.response()["prompt"], self.response()["content"]), ("user: first\n\nuser: second", "ans"))
        self.next_trace()
        texts = ['{"town":"Bern"}', '"quoted"']  # JSON that is no message is a text
        for n, text in enumerate(texts):
            self.take(self.chat(n, [said("user", text)], [said("assistant", text)]))
            self.assertEqual((self.response(n)["prompt"], self.response(n)["content"]), (text, text))

    def test_a_result_of_the_ai_sdk_as_text(self):
        call = {"toolCallId": "call_9", "toolName": "sky", "args": {}}
        for answered, right in self.each(("no calls", {"text": "Blue.", "toolCalls": []}, "Blue."),
                                         ("calls", {"text": "I look.", "toolCalls": [call]}, "I look.\n\n" + json.dumps([call], separators=(",", ":")))):
            self.take(self.one(0, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.completion": json.dumps(answered),
                                   "gen_ai.prompt": json.dumps({"messages": [{"role": "user", "content": "Sky?"}]})}))
            self.assertEqual((self.response()["prompt"], self.response()["content"]), ("Sky?", right))

    def test_reasoning_of_log_records(self):
        self.take(self.chat(0, (), [said("assistant", "x")]))
        self.take(log(self.t, number(0), "gen_ai.user.message", START, {}, {"content": "q?"}),
                  log(self.t, number(0), "gen_ai.assistant.message", START + 1, {}, {"content": "yes", "reasoning_content": "because"}))
        made = self.response()
        self.assertEqual((made["prompt"], made["attributes"]["prompt_reasoning"]), ("user: q?\n\nassistant: yes", "because"))


if __name__ == "__main__":
    unittest.main()
