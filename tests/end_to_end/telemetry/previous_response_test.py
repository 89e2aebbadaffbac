"""Claim: a call whose request names the response from which it goes on, or items of earlier ones, has these responses as causes by their
ids, whatever comes first, and the conversation that its request names.

Method: spans of two and three calls that say the ids in JSON beside their messages, in each order, in one trace and in several.
"""
import itertools
import json
import unittest

from support.otlp import send
from telemetry.trace_case import TraceCase, number


class PreviousResponseTest(TraceCase):
    def take(self, *items):
        for status, _, body in send(self.server, list(items)):
            self.assertEqual((status, body), (200, b"{}"))

    def call(self, n, begin, own=None, request=None, text="Yes.", parent=None, **more):
        """A call whose response has the id `own`."""
        made = {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": f"Question {n}?",
                "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": text, **more}
        if own is not None:
            made["output.value"] = json.dumps({"id": own, "object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]})
        if request is not None:
            made["input.value"] = json.dumps({"model": "m", "input": f"Question {n}?", **request})
        return self.one(n, made, begin, begin + 3, parent)

    def record(self, name):
        return self.server.rpc("node.get", {"ref": name, "include": ["record"]})["nodes"][0]["record"]

    def causes(self, name):
        made = self.record(name)
        return {ref: basis for ref, basis in zip(made["prompt_refs"], made["prompt_basis"]) if ref.startswith("Response:")}

    def named(self, n):
        return f"Response:resp_{self.t}_{number(n)}"

    def test_in_each_order(self):
        for order, are_apart in itertools.product(itertools.permutations(range(3)), (False, True)):
            with self.subTest(order=order, are_apart=are_apart):
                calls, names = [], []
                self.next_trace()
                base = self.trace
                for n in range(3):
                    if are_apart:
                        self.next_trace()
                    request = {"previous_response_id": f"resp_{base}_{n - 1}"} if n > 0 else None
                    calls.append(self.call(n, n * 10, f"resp_{base}_{n}", request, f"Answer {n} of {base}."))
                    names.append(self.named(n))
                for place in order:
                    self.take(calls[place])
                self.assertEqual([self.causes(name) for name in names], [{}, {names[0]: "id"}, {names[1]: "id"}])

    def test_a_thread_of_anthropic(self):
        for order in itertools.permutations(range(2)):
            self.next_trace()
            id_ = f"msg_{self.trace}"
            made = {"id": id_, "type": "message", "role": "assistant", "content": [{"type": "text", "text": f"First {self.trace}."}], "stop_reason": "end_turn"}
            calls = [self.call(1, 0, text=f"First {self.trace}.", **{"output.value": json.dumps(made)}),
                     self.call(2, 5, request={"thread": {"type": "continue", "previous_message_id": id_}}, text=f"Second {self.trace}.")]
            for place in order:
                self.take(calls[place])
            self.assertEqual(self.causes(self.named(2)), {self.named(1): "id"})

    def test_wherever_the_request_says_it(self):
        for name in ("llm.invocation_parameters", "langfuse.observation.model.parameters"):
            self.next_trace()
            id_ = f"resp_w_{self.trace}"
            self.take(self.call(1, 0, id_, text=f"First {self.trace}."),
                      self.call(2, 5, text=f"Second {self.trace}.", **{name: json.dumps({"model": "m", "previous_response_id": id_})}))
            self.assertEqual(self.causes(self.named(2)), {self.named(1): "id"}, name)

    def test_what_is_no_earlier_response(self):
        for what in ("unknown", "later", "itself", "null"):
            with self.subTest(what):
                self.next_trace()
                id_ = f"resp_n_{self.trace}"
                asking = {"previous_response_id": None if what == "null" else id_}
                self.take(self.call(1, 0, id_ if what in ("itself", "null") else None, asking, f"First {self.trace}."))
                if what == "later":
                    self.take(self.call(2, 5, id_, text=f"Second {self.trace}."))
                self.assertEqual(self.causes(self.named(1)), {})

    def test_the_call_within_another(self):
        """An outer call says the id; the call within it, which gave the answer, is the response."""
        for order in itertools.permutations(range(3)):
            self.next_trace()
            id_ = f"resp_o_{self.trace}"
            calls = [self.call(1, 0, id_, text=f"First {self.trace}."), self.call(2, 1, text=f"First {self.trace}.", parent=1),
                     self.call(3, 10, request={"previous_response_id": id_}, text=f"Second {self.trace}.")]
            calls[0]["end"] = calls[1]["end"] + 1_000_000
            for place in order:
                self.take(calls[place])
            self.assertEqual(self.causes(self.named(3)), {self.named(2): "id"}, order)

    def items(self, of):
        """What an answer is made of, with ids of its items."""
        return [{"type": "reasoning", "id": f"rs_{of}", "summary": []}, {"type": "function_call", "id": f"fc_{of}", "call_id": f"call_{of}", "name": "look", "arguments": "{}"},
                {"type": "message", "id": f"msg_{of}", "role": "assistant", "content": [{"type": "output_text", "text": f"Answer of {of}."}]}]

    def answering(self, n, begin, of, how):
        whole = {"id": f"resp_{of}", "object": "response", "output": self.items(of)}
        shapes = {"whole": whole, "items": self.items(of), "stream": [{"type": "response.output_text.delta", "delta": "Ans"}, {"type": "response.completed", "response": whole}]}
        return self.one(n, {"openinference.span.kind": "LLM", "input.value": json.dumps({"model": "m", "input": f"Question {n}?"}), "output.value": json.dumps(shapes[how])}, begin, begin + 3)

    def referring(self, n, begin, *items):
        return self.one(n, {"openinference.span.kind": "LLM", "input.value": json.dumps({"model": "m", "input": [*items, {"role": "user", "content": f"And then, {self.trace}?"}]}),
                            "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": f"Then {self.trace}."}, begin, begin + 3)

    def units(self, name):
        refs = self.record(name)["prompt_refs"]
        nodes = self.server.rpc("node.get", {"refs": [ref for ref in refs if ref.startswith("ContextUnit:")], "include": ["record"]})["nodes"]
        return sorted(node["record"]["content"] for node in nodes)

    def test_items_that_a_request_refers_to(self):
        for what, how, are_apart, order in itertools.product(("rs", "fc", "msg"), ("whole", "items", "stream"), (False, True), ((0, 1), (1, 0))):
            with self.subTest(what=what, how=how, are_apart=are_apart, order=order):
                self.next_trace()
                of = f"{self.trace}a1b2c3d4"
                first, earlier = self.answering(1, 0, of, how), self.named(1)
                if are_apart:
                    self.next_trace()
                reference = {"type": "item_reference", "id": f"{what}_{of}"}
                second = self.referring(2, 10, reference)
                for place in order:
                    self.take((first, second)[place])
                self.assertEqual(self.causes(self.named(2)), {earlier: "id"})
                self.assertEqual(self.units(self.named(2)), [f"And then, {self.trace}?"])
                self.assertIn(json.dumps(reference, separators=(",", ":")), self.record(self.named(2))["prompt"])

    def test_references_to_several_answers(self):
        self.next_trace()
        of = [f"{self.trace}a1b2c3d{n}" for n in range(3)]
        self.take(*(self.answering(n, n * 10, of[n], "whole") for n in range(3)))
        self.take(self.referring(3, 40, *({"type": "item_reference", "id": f"{what}_{each}"} for each in of for what in ("rs", "fc", "msg")), {"id": f"msg_{of[0]}"}))
        self.assertEqual(self.causes(self.named(3)), {self.named(n): "id" for n in range(3)})
        self.assertEqual(self.units(self.named(3)), [f"And then, {self.trace}?"])

    def test_what_is_no_reference_to_an_earlier_item(self):
        """It stays as its JSON: an id that nobody gave, one of a later answer, more than a reference, a text of the user's."""
        for what in ("unknown", "later", "more", "user"):
            with self.subTest(what):
                self.next_trace()
                of = f"{self.trace}a1b2c3d4"
                self.take(self.answering(1, 20 if what == "later" else 0, "other" if what == "unknown" else of, "whole"))
                item = {"type": "item_reference", "id": f"msg_{of}", **({"zork": 1} if what == "more" else {})}
                text = json.dumps(item, separators=(",", ":"))
                self.take(self.referring(2, 10, {"role": "user", "content": text} if what == "user" else item))
                self.assertEqual(self.causes(self.named(2)), {})
                self.assertEqual(self.units(self.named(2)), sorted([f"And then, {self.trace}?", text]))

    def test_the_conversation_of_a_request(self):
        for request, more, expected in (({"conversation": "conv_1"}, {}, "conv_1"), ({"conversation": {"id": "conv_2"}}, {}, "conv_2"),
                                        ({"conversation": "conv_3"}, {"session.id": "s"}, "s"), ({"conversation": None}, {}, None), ({"conversation": 3}, {}, None)):
            self.next_trace()
            self.take(self.call(1, 0, request=request, **more))
            self.assertEqual(self.record(self.named(1)).get("conversation"), expected)


if __name__ == "__main__":
    unittest.main()
