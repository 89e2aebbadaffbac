"""Claim: within a trace, a text that a prompt has is a cause whatever two clocks say within ten minutes; what one clock says is believed,
and nothing rests on itself.

Method: spans of several processes, whose clocks differ, are sent in each order; the causes of each call stand beside it.
"""
import itertools
import tempfile
import unittest

from support.otlp import send
from support.program import Server, twin_store
from telemetry.said_test import T, chat, number, one, retrieval, text, tool

PASSAGE, ANSWER, REPLY = "Boats to the island leave at nine.", "The island has boats at nine each day.", "Nine it is, says the clerk of boats."
OTHER = {"service.name": "search"}


def at(resource, made):
    return {**made, "resource": resource}


class ClocksTest(unittest.TestCase):
    def causes(self, *spans, orders=None):
        """{n: the causes of call n that are no messages, with their basis}, the same in whatever order the spans come."""
        found = []
        for order in orders or itertools.permutations(spans):
            with tempfile.TemporaryDirectory() as folder, Server(twin_store(folder + "/db")) as server:
                for each in order:
                    self.assertEqual([(status, body) for status, _, body in send(server, [each])], [(200, b"{}")])
                nodes = server.rpc("node.find", {"type": "Response", "include": ["edges"]})["nodes"]
                found.append({int(node["id"][-16:], 16) - 1: {edge["from"]: edge["basis"] for edge in node["edges"]
                              if edge["type"] == "PROMPTED" and edge["to"] == node["ref"] and "role" not in edge} for node in nodes})
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
        for each in found:
            self.assertEqual(each, found[0])
        return found[0]

    def test_a_passage_of_another_machine_is_a_cause(self):
        run = one(0, 0, 30, traceloop__span__kind="workflow")
        call = chat(2, 3, 4, [text("user", f"By this: {PASSAGE} When?")], [text("assistant", ANSWER)], parent=0)
        for shift in (5, 500, -500):
            found = at(OTHER, retrieval(1, 1 + shift, 2 + shift, [{"id": "f.md", "content": PASSAGE}], parent=0))
            self.assertEqual(list(self.causes(run, call, found)[2].values()), ["text"], shift)
        for resource, shift in (({}, 5), (OTHER, 700)):  # of the same clock, and beyond what clocks may differ by
            found = at(resource, retrieval(1, 1 + shift, 2 + shift, [{"id": "f.md", "content": PASSAGE}], parent=0))
            self.assertEqual(self.causes(run, call, found)[2], {}, shift)

    def test_a_process_of_the_same_service_may_have_another_clock(self):
        run = one(0, 0, 30, traceloop__span__kind="workflow")
        call = chat(2, 3, 4, [text("user", f"By this: {PASSAGE} When?")], parent=0)
        found = at({"service.instance.id": "b"}, retrieval(1, 6, 7, [{"id": "f.md", "content": PASSAGE}], parent=0))
        self.assertEqual(list(self.causes(run, call, found)[2].values()), ["text"])
        early = retrieval(1, 40, 41, [{"id": "f.md", "content": PASSAGE}], parent=0)  # begins when what is around it has ended
        self.assertEqual(list(self.causes(run, call, early)[2].values()), ["text"])

    def test_a_span_of_the_own_clock_around_a_source_says_when_it_was(self):
        run = one(0, 0, 30, traceloop__span__kind="workflow")
        call = chat(2, 3, 4, [text("user", f"By this: {PASSAGE} When?")], parent=0)
        client = tool(3, 6, 9, parent=0, name="ask")
        server = at(OTHER, tool(1, 7, 8, parent=3, name="search", gen_ai__tool__call__result=PASSAGE))
        self.assertEqual(self.causes(run, call, client, server)[2], {})

    def test_an_answer_by_another_clock_is_a_cause(self):
        run = one(0, 0, 30, traceloop__span__kind="workflow")
        first = at(OTHER, chat(1, 6, 7, [text("user", "Boats?")], [text("assistant", ANSWER)], parent=0))
        second = chat(2, 3, 4, [text("assistant", ANSWER), text("user", "When?")], [text("assistant", REPLY)], parent=0)
        within = chat(3, 3, 4, [text("user", f"Translate: {ANSWER}")], [text("assistant", "Neun.")], parent=0)
        causes = self.causes(run, first, second, within)
        named = {f"Response:resp_{T}_{number(1)}": "text"}
        self.assertEqual((causes[1], causes[2], causes[3]), ({}, named, named))

    def test_nothing_rests_on_itself(self):
        run = one(0, 0, 30, traceloop__span__kind="workflow")
        one_ = at(OTHER, chat(1, 6, 7, [text("assistant", REPLY), text("user", "Boats?")], [text("assistant", ANSWER)], parent=0))
        other = chat(2, 3, 4, [text("assistant", ANSWER), text("user", "When?")], [text("assistant", REPLY)], parent=0)
        for order in itertools.permutations((run, one_, other)):
            causes = self.causes(orders=[order])
            self.assertEqual(sum(ref.startswith("Response:") for own in causes.values() for ref in own), 1, causes)


if __name__ == "__main__":
    unittest.main()
