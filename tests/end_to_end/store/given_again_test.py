"""Claim: an id whose content expired is given again only by a record that agrees with what the graph keeps of the first one: its
edges with their weights and scores, and its time. Anything else is refused, at the member that differs.

Method: small stores whose records expire; the same records, and records that differ in one member each, are written again.
"""
import json
import tempfile
import time
import unittest
from pathlib import Path

from support.naive_discussion import round_record
from support.naive_rag import answer_record, chunk_record, query_record, retrieval_record
from support.program import RpcError, wait_until, whence
from support.wire_case import CONFLICT, FreshServerCase

OLD, LATER = "2011-01-01T00:00:00Z", "2011-02-01T00:00:00Z"
OLD_MS = 1_300_000_000_000
ANOTHER = "write it under another id"


def unit(name, **more):
    return {"$type$": "ContextUnit", "id": name, "type": "External", "source": "s", "content": name, "timestamp": OLD, "version": 1, **more}


def response(name, uses, **more):
    return {"$type$": "Response", "id": name, "agent": "a", "model": "m", "content": name, "timestamp": OLD,
            "context_units": [{"context_unit_id": each, "weight": weight} for each, weight in uses], **more}


RATING = {"$type$": "FeedbackRecord", "id": "fb_1", "response_id": "resp_1", "timestamp": LATER, "score": 0.5, "user_id": "rita"}
DECISION = {"$type$": "Decision", "id": "dec_1", "subject": "Response:resp_1", "verdict": "approve", "by": "x", "timestamp": OLD}
MESSAGE = {"$type$": "Message", "id": "m", "topicId": "t1", "text": "hello", "person": "anna", "createdAt": OLD_MS}
FIRST = response("resp_1", [("cu_1", 0.4), ("cu_2", 0.6)], person="anna", conversation="c")
RECORDS = [unit("cu_1"), unit("cu_2"), unit("cu_3"), unit("cu_4", derived_from=["cu_3"]), unit("cu_5", version=2, previous_version_id="cu_4"),
           FIRST, response("resp_2", [("cu_1", 1)]), response("resp_3", [("cu_1", 1)], prompt_refs=["ContextUnit:cu_2"]), RATING, DECISION,
           {"$type$": "Topic", "id": "t1", "createdAt": OLD_MS}, {"$type$": "Topic", "id": "t2", "createdAt": OLD_MS}, MESSAGE]


class GivenAgainTest(FreshServerCase):
    flags = ("--retention", "1d")

    def setUp(self):
        super().setUp()
        self.write(*RECORDS, mode="capture")
        self.rpc("admin.retention")
        self.assertEqual([each for each in RECORDS if "expired" not in self.node(each)], [])

    def node(self, record):
        return self.rpc("node.get", ref=f"{record['$type$']}:{record['id']}", include=["record"])["nodes"][0]

    def test_what_names_something_else_is_refused(self):
        cases = [
            ("other unit", response("resp_1", [("cu_3", 1)], person="anna", conversation="c"), "/context_units/0/context_unit_id"),
            ("unknown unit", response("resp_1", [("cu_1", 0.4), ("cu_x", 0.6)], person="anna", conversation="c"), "/context_units/1/context_unit_id"),
            ("fewer units", response("resp_1", [("cu_1", 1)], person="anna", conversation="c"), "/context_units"),
            ("other weights", response("resp_1", [("cu_1", 0.9), ("cu_2", 0.1)], person="anna", conversation="c"), "/context_units/0/weight"),
            ("one unit more", response("resp_1", [("cu_1", 0.4), ("cu_2", 0.6), ("cu_3", 0.0)], person="anna", conversation="c"),
             "/context_units/2/context_unit_id"),
            ("other person", {**FIRST, "person": "bert"}, "/person"),
            ("no person", {k: v for k, v in FIRST.items() if k != "person"}, "/person"),
            ("other conversation", {**FIRST, "conversation": "d"}, "/conversation"),
            ("other prompt", {**FIRST, "prompt_refs": ["ContextUnit:cu_3"]}, "/prompt_refs/0"),
            ("no prompt", response("resp_3", [("cu_1", 1)]), "/prompt_refs"),
            ("other time", {**FIRST, "timestamp": LATER}, "/timestamp"),
            ("unit of another time", unit("cu_1", timestamp=LATER), "/timestamp"),
            ("unit from another", unit("cu_4", derived_from=["cu_2"]), "/derived_from/0"),
            ("unit from nothing", unit("cu_4"), "/derived_from"),
            ("other score", {**RATING, "score": -0.9}, "/score"),
            ("other response", {**RATING, "response_id": "resp_2"}, "/response_id"),
            ("other user", {**RATING, "user_id": "rob"}, "/user_id"),
            ("rating before its response", {**RATING, "timestamp": "2010-01-01T00:00:00Z"}, "/timestamp"),
            ("other subject", {**DECISION, "subject": "Response:resp_2"}, "/subject"),
            ("message of another person", {**MESSAGE, "person": "bert"}, "/person"),
            ("message of another topic", {**MESSAGE, "topicId": "t2"}, "/topicId"),
            ("message of another time", {**MESSAGE, "createdAt": OLD_MS + 1}, "/createdAt"),
            ("topic of another time", {"$type$": "Topic", "id": "t1", "createdAt": OLD_MS + 1}, "/createdAt"),
        ]
        for mode in ("strict", "capture"):
            for name, record, path in cases:
                if mode == "strict" and "prompt" in name:
                    continue  # only rounds and summaries prompt a response there
                with self.subTest(name, mode=mode):
                    head = self.head()
                    with self.assertRaises(RpcError) as caught:
                        self.rpc("records.write", records=[record], mode=mode)
                    error = caught.exception.error
                    self.assertEqual(error["code"], CONFLICT, error)
                    data = error["data"]
                    told = {each["path"]: each for each in data.get("errors") or [{**data, "message": error["message"]}]}
                    self.assertIn(path, told)
                    self.assertIn(ANOTHER, told[path]["message"])
                    self.assertEqual((self.head(), "record" in self.node(record)), (head, False))

    def test_what_was_given_comes_back_and_is_then_known(self):
        for record in RECORDS:
            answer = self.write(record, mode="capture")
            self.assertEqual([each["rule"] for each in answer["warnings"]], ["expired"], record)
            self.assertEqual({k: v for k, v in self.node(record)["record"].items() if k in record}, record)
            self.assertTrue(self.write(record, mode="capture")["unchanged"], record)
        self.assertEqual(self.rpc("feedback.list", ref="resp_1")["mean_score"], 0.5)
        manifest = self.rpc("lineage.manifest", response_id="resp_1")["manifest"]
        self.assertTrue(self.write({"$type$": "LineageManifest", **manifest})["unchanged"])
        self.assertTrue(self.rpc("admin.verify")["ok"])
        self.import_own()

    def import_own(self):
        with tempfile.TemporaryDirectory() as folder:
            done = whence("export", "--format", "jsonl", "-o", folder + "/all.jsonl", "--url", self.server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = whence("import", folder + "/all.jsonl", "--db", folder + "/new")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_time_that_is_left_out_is_the_one_that_was(self):
        self.write({k: v for k, v in unit("cu_1").items() if k != "timestamp"})
        self.assertEqual(self.record("ContextUnit:cu_1")["timestamp"], OLD)
        self.write({k: v for k, v in MESSAGE.items() if k != "createdAt"}, {"$type$": "Topic", "id": "t1"})
        self.assertEqual(self.record("Message:m")["createdAt"], OLD_MS)
        self.import_own()

    def test_a_unit_within_a_response_says_nothing_of_its_origin(self):
        self.write({"$type$": "Response", "id": "resp_new", "agent": "a", "model": "m", "content": "c", "timestamp": LATER,
                    "context_units": [{"context_unit_id": "cu_4", "type": "User", "source": "z", "content": "again", "weight": 1}]})
        record = self.record("ContextUnit:cu_4")
        self.assertEqual((record["content"], record["timestamp"], record["derived_from"]), ("again", OLD, ["cu_3"]))
        self.import_own()

    def test_a_manifest_of_another_store_leaves_what_it_cannot_say(self):
        manifest = {"$type$": "LineageManifest", "response_id": "resp_1", "timestamp": OLD, "agent": "a", "model": "m",
                    "context_tree": [{"id": name, "type": "External", "source": "s", "weight": weight} for name, weight in (("cu_1", 0.4), ("cu_2", 0.6))],
                    "provenance_tree": {"root": "resp_1", "edges": [{"from": "cu_1", "to": "resp_1", "weight": 0.4},
                                                                    {"from": "cu_2", "to": "resp_1", "weight": 0.6}]}}
        other = json.loads(json.dumps(manifest).replace("0.4", "0.3").replace("0.6", "0.7"))
        self.write_refused(CONFLICT, other, path="/context_tree/0/weight")
        self.write(manifest)
        record = self.record("Response:resp_1")
        self.assertEqual((record["person"], record["conversation"]), ("anna", "c"))
        self.import_own()


class SecondsAgainTest(FreshServerCase):
    """What has no time of its own."""
    flags = ("--retention", "RetrievedChunk=1s", "--retention", "Answer=1s", "--retention", "Query=1s", "--retention", "PromptContext=1s",
             "--retention", "DiscussionRound=1s")

    def expire(self):
        written = time.time()
        wait_until(lambda: time.time() > written + 1.05, "everything to be older than the rule")
        self.rpc("admin.retention")

    def test_a_request_comes_back_as_it_was(self):
        chunk, other = chunk_record("c1", "doc"), chunk_record("c1", "elsewhere")
        records = [query_record("q"), retrieval_record("q", 0.9, chunk), answer_record("q", "so [doc]", [], 0.9)]
        self.write(*records)
        self.expire()
        self.write_refused(CONFLICT, other, path="/metadata/document_name")
        answer = self.write(*records)
        self.assertIn("expired", [each["rule"] for each in answer["warnings"]])
        self.assertEqual(self.record("Answer:q")["answer"], "so [doc]")
        self.assertEqual(self.record("RetrievedChunk:c1")["metadata"]["document_name"], "doc")

    def test_a_round_comes_back_as_it_was(self):
        said = round_record("u", "d", 1, ["said"] * 3, OLD_MS)
        self.write(said, ensure=True)
        self.expire()
        self.write_refused(CONFLICT, {**said, "timestamp": OLD_MS + 1}, path="/timestamp")
        self.assertEqual([each["rule"] for each in self.write(said)["warnings"]], ["expired"])


if __name__ == "__main__":
    unittest.main()
