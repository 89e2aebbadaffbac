"""Claim: what two places say of one thing is that thing once, and a fault costs no more than itself.

Method: each example has a trace of its own on a server; the right value stands beside it. What may come in any order comes in each.
"""
import itertools
import json
import unittest

from support.otlp import log, send, span
from support.wire_case import FreshServerCase

START, MS = 1_790_000_000_000_000_000, 1_000_000


def number(n):
    return f"{n + 1:016x}"


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def result(id_, response):
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": id_, "response": response}]}


def chat(given=(), answered=(), **more):
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **({"gen_ai.input.messages": json.dumps(given)} if given else {}),
            **({"gen_ai.output.messages": json.dumps(answered)} if answered else {}), **more}


def tool(shown=None, id_=None, **more):
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", **({"gen_ai.tool.call.result": shown} if shown else {}),
            **({"gen_ai.tool.call.id": id_} if id_ else {}), **more}


def retrieval(documents):
    return {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "What is it?", "gen_ai.retrieval.documents": json.dumps(documents)}


class OnceTest(FreshServerCase):
    trace = 0

    def setUp(self):
        super().setUp()
        self.next_trace()

    def next_trace(self):
        type(self).trace += 1
        self.t = f"{self.trace + 1:032x}"

    def one(self, n, attributes, begin=0, end=5, parent=None, events=()):
        return span(self.t, number(n), "s", START + begin * MS, START + end * MS, attributes, None if parent is None else number(parent),
                    [(START + at * MS, event, held) for at, event, held in events])

    def log(self, n, event, attributes=None, body=None):
        return log(self.t, number(n), event, START + 4 * MS, attributes, body)

    def take(self, *items, form="json"):
        for status, _, _ in send(self.server, list(items), form):
            self.assertEqual(status, 200)

    def orders(self, items):
        """Each order of the items, in a trace of its own: what makes them is called anew."""
        for order in itertools.permutations(range(len(items()))):
            self.next_trace()
            with self.subTest(order=order):
                made = items()
                for place in order:
                    self.take(made[place])
                yield

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def response(self, n=1):
        return self.record(f"Response:resp_{self.t}_{number(n)}")

    def basis(self, n=1):
        made = self.response(n)
        return {ref: basis for ref, basis in zip(made["prompt_refs"], made["prompt_basis"]) if basis not in ("question", "instruction")}

    def every(self, type_):
        return [n["record"] for n in self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]]

    # --- one source ---

    def test_a_passage_that_a_tool_and_its_retriever_have_is_the_retrievers(self):
        """One chunk of one document, whichever comes first; what only the tool's result has is a passage of its own."""
        for metadata, source in (({}, None), ({"metadata": {"source": "https://e.org/a"}}, "https://e.org/a")):
            def items():
                words, more = f"The bridge of {self.t} closes in May.", f"The ferry of {self.t} goes on."
                found = [{"id": f"d-{self.t}", "content": words, **metadata}]
                shown = json.dumps([{"content": words, "source": "https://e.org/a"}, {"content": more, "url": f"https://e.org/{self.t}"}])
                return (self.one(1, tool(shown, "call_" + self.t), 0, 4), self.one(2, retrieval(found), 1, 3, 1),
                        self.one(3, chat([text("user", "When?"), result("call_" + self.t, shown)], [text("assistant", "May.")]), 5, 9))
            for _ in self.orders(items):
                made = {each["content"]: each for each in self.every("RetrievedChunk") if self.t in each["content"]}
                names = {words.split(" of ")[0]: each["metadata"]["document_name"] for words, each in made.items()}
                self.assertEqual(names, {"The bridge": source or f"d-{self.t}", "The ferry": f"https://e.org/{self.t}"})
                self.assertEqual(self.basis(3), {f"ContextUnit:cu_{self.t}_{number(1)}": "id", **{f"RetrievedChunk:{each['chunk_id']}": "text" for each in made.values()}})
                if source is None:
                    self.assertNotIn("https://e.org/a", [each["document_name"] for each in self.every("Document")])


if __name__ == "__main__":
    unittest.main()
