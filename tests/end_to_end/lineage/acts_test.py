"""Claim: what a real application records of one call is one graph, from the document to the rating and back: a response and the
answer of its request have the same ancestors and descendants, and a bad rating of either finds the document.

Method: the same call is recorded with the response first and with the answer first, over HTTP; both are asked, also after a
restart, after a restored export, and as one follows the events.
"""
import unittest

from support.program import whence
from support.wire_case import INVALID_RECORD, WireCase

TIME = "2025-10-09T16:15:00Z"


class ActsTest(WireCase):
    def passages(self, document, *texts):
        return [{"$type$": "RetrievedChunk", "chunk_id": f"{document}#{n}", "content": text,
                 "metadata": {"document_name": document, "chunk_index": n}} for n, text in enumerate(texts)]

    def question(self, request, chunks):
        return [{"$type$": "Query", "request_id": request, "question": "What is worn?"},
                *({**chunk, "request_id": request, "similarity_score": 0.75} for chunk in chunks)]

    def response(self, request, *uses):
        return {"$type$": "Response", "id": f"resp_{request}", "timestamp": TIME, "agent": "app", "model": "m",
                "request_id": request, "context_units": [{"ref": ref, "weight": 1 / len(uses)} for ref in uses]}

    def answer(self, request, chunk):
        return {"$type$": "Answer", "request_id": request, "answer": "Gloves.", "confidence": 0.75, "processing_time_ms": 1,
                "citations": [{"document_name": chunk["metadata"]["document_name"], "excerpt": chunk["content"],
                               "chunk_id": chunk["chunk_id"]}]}

    def refs(self, method, ref):
        return {node["ref"] for node in self.rpc(method, ref=ref)["nodes"]}

    def follow_up(self, request):
        return {"$type$": "Response", "id": f"resp_{request}_next", "timestamp": TIME, "agent": "app", "model": "m",
                "context_units": [{"ref": f"Response:resp_{request}", "weight": 1}]}

    def check(self, request, document):
        halves = [f"Response:resp_{request}", f"Answer:{request}"]
        for half in halves:
            self.assertEqual(self.refs("lineage.ancestors", half),
                             {f"Document:{document}", f"RetrievedChunk:{document}#0", f"RetrievedChunk:{document}#1",
                              f"Query:{request}", f"PromptContext:{request}", f"Message:{request}"})
            self.assertEqual(self.refs("lineage.descendants", half), {f"Response:resp_{request}_next"})
        self.assertLessEqual(set(halves), self.refs("lineage.descendants", f"Document:{document}"))
        self.assertLessEqual(set(halves), self.refs("lineage.descendants", f"Message:{request}"))

    def test_what_a_known_thing_gains_from_one_half_it_has_from_the_other(self):
        for half, other in (("Response:resp_gained", "Answer:gained"), ("Answer:gained", "Response:resp_gained")):
            chunks = self.passages("manual of gained", "Wear gloves.", "Wear a hat.")
            self.write(*self.question("gained", chunks))
            self.write(self.response("gained", "RetrievedChunk:manual of gained#1"), self.answer("gained", chunks[0]))
            name = f"http://example.org/{half[0]}"
            thing = {"$type$": "ProvEntity", "id": name, "qname": f"ex:{half[0]}", "prefixes": {"ex": "http://example.org/"}, "attributes": {}}
            self.write(thing)
            before = self.rpc("server.info")["tx"]
            self.write({**thing, "relations": [{"relation": "wasDerivedFrom", "other": half, "attributes": {}}]})
            self.assertLessEqual({half, other}, self.refs("lineage.ancestors", "ProvEntity:" + name))
            self.assertIn("ProvEntity:" + name, {node["ref"] for node in self.rpc("impact.analyze", refs=[other])["nodes"]})
            self.assertEqual(self.rpc("lineage.ancestors", ref="ProvEntity:" + name, as_of=before)["nodes"], [])

    def test_a_unit_in_the_place_of_what_stood_for_it_gains_both_halves(self):
        chunks = self.passages("manual of late", "Wear gloves.", "Wear a hat.")
        self.write(*self.question("late", chunks))
        self.write(self.response("late", "RetrievedChunk:manual of late#1"), self.answer("late", chunks[0]))
        user = {"$type$": "Response", "id": "resp_user", "timestamp": TIME, "agent": "app", "model": "m",
                "context_units": [{"context_unit_id": "cu_late", "weight": 1}]}
        self.write(user, mode="capture")
        self.write({"$type$": "ContextUnit", "id": "cu_late", "type": "ModelState", "source": "s", "content": "later",
                    "updated_by_response_id": "resp_late"})
        self.assertLessEqual({"Response:resp_late", "Answer:late", "RetrievedChunk:manual of late#0"},
                             self.refs("lineage.ancestors", "Response:resp_user"))

    def test_both_orders_are_one_graph_with_one_rating_of_the_document(self):
        for request, is_answer_first in (("first", True), ("second", False)):
            document = f"manual of {request}"
            chunks = self.passages(document, "Wear gloves.", "Wear a hat.")
            self.write({"$type$": "Message", "id": request, "topicId": "t", "text": "What is worn?"}, ensure=True)
            self.write(*chunks)
            self.write(*self.question(request, chunks))
            halves = [self.answer(request, chunks[0]),
                      self.response(request, f"Message:{request}", f"RetrievedChunk:{document}#1")]
            for half in halves if is_answer_first else reversed(halves):
                self.write(half)
            self.write(self.follow_up(request))
            self.check(request, document)
            rated = {"$type$": "FeedbackRecord", "id": f"fb_{request}", "timestamp": TIME, "score": -1,
                     "ref": f"Answer:{request}" if is_answer_first else f"Response:resp_{request}"}
            self.write(rated)
            found = self.rpc("feedback.list", ref=f"Document:{document}")
            self.assertEqual((found["feedback_count"], found["aggregate_score"], found["status"]), (1, -1, "deprecated"))
            self.assertEqual([each["id"] for each in found["records"]], [f"fb_{request}"])
            cited = self.rpc("feedback.list", ref=f"RetrievedChunk:{document}#0")
            self.assertEqual((cited["feedback_count"], cited["aggregate_score"]), (1, -1))
            used = self.rpc("feedback.list", ref=f"RetrievedChunk:{document}#1")
            self.assertEqual((used["feedback_count"], used["aggregate_score"]), (1, -0.5))
            for half in (f"Response:resp_{request}", f"Answer:{request}"):
                self.assertEqual(self.rpc("feedback.list", ref=half)["mean_score"], -1)
                blamed = self.rpc("impact.blame", responses=[half])["nodes"]
                self.assertIn(f"Document:{document}", [node["ref"] for node in blamed])
        found = self.rpc("node.find", type="Document", where={"status": {"eq": "deprecated"}})["nodes"]
        self.assertEqual({node["ref"] for node in found}, {"Document:manual of first", "Document:manual of second"})
        warned = self.write(self.response("other", "Document:manual of first"))["warnings"]
        self.assertEqual([warning["rule"] for warning in warned], ["deprecated_context"])

        self.restart_after_kill()
        for request in ("first", "second"):
            self.check(request, f"manual of {request}")
        self.assertTrue(self.rpc("admin.verify")["ok"])
        path, copy = self.folder.name + "/all.jsonl", self.folder.name + "/copy"
        self.assertEqual(whence("export", "--format", "jsonl", "--output", path, "--url", self.server.url).returncode, 0)
        restored = whence("import", path, "--db", copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        for ref in ("Response:resp_first", "Answer:second", "Document:manual of second"):
            here = whence("ancestors", ref, "--url", self.server.url).stdout
            self.assertEqual(whence("ancestors", ref, "--db", copy).stdout, here)
        self.assertEqual(whence("feedback", "Document:manual of second", "--db", copy).stdout,
                         whence("feedback", "Document:manual of second", "--url", self.server.url).stdout)

    def test_the_graph_shows_that_two_records_are_one_act(self):
        chunks = self.passages("guide", "Wear gloves.")
        self.write(*chunks, *self.question("shown", chunks), self.response("shown", "Document:guide"),
                   self.answer("shown", chunks[0]))
        edges = self.rpc("node.get", ref="Answer:shown", include=["edges"])["nodes"][0]["edges"]
        self.assertIn(("Response:resp_shown", "SAME_ACT", "Answer:shown"), [(e["from"], e["type"], e["to"]) for e in edges])
        self.assertIn(("Document:guide", "THROUGH_ACT", "Answer:shown"), [(e["from"], e["type"], e["to"]) for e in edges])
        self.write_refused(INVALID_RECORD, {"$type$": "FeedbackRecord", "ref": "Document:guide", "timestamp": TIME, "score": 1},
                           rule="ref", path="/ref")


if __name__ == "__main__":
    unittest.main()
