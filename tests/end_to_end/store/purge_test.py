"""Claim: what was purged is nowhere any more, at no moment, and everything else stays as it was: nodes, edges, weights,
lineage, the chain.

Method: a call with documents, passages, a long text, XML, a citation and feedback is recorded; parts of it are purged; the same
questions are asked before and after, over the wire, as of earlier moments, by a subscriber, after a kill, of the files.
"""
import contextlib
import hashlib
import json
import os
import random
import threading
import unittest
from pathlib import Path

from support.naive_discussion import round_record, summary_record
from support.program import RpcError, Server, seed_of_run, wait_until, whence
from support.subscriber import Subscriber
from support.wire_case import CONFLICT, NOT_FOUND, FreshServerCase, WireCase

SEED = seed_of_run()
CYCLES = int(os.environ.get("WHENCE_KILL_CYCLES", "8"))
TIME = "2025-10-09T16:15:00Z"
PURGED = -32022
SECRET = "the vault opens with 4711"
LONG = SECRET + " " + "and this goes on for long. " * 200


class PurgeTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        chunk = {"$type$": "RetrievedChunk", "chunk_id": "d#0", "content": SECRET, "metadata": {"document_name": "d", "chunk_index": 0}}
        other = {"$type$": "RetrievedChunk", "chunk_id": "e#0", "content": "Wear gloves.",
                 "metadata": {"document_name": "e", "chunk_index": 0}}
        self.write(chunk, other, {"$type$": "Query", "request_id": "q", "question": "How does it open?"},
                   {**chunk, "request_id": "q", "similarity_score": 0.9}, {**other, "request_id": "q", "similarity_score": 0.5})
        self.write({"$type$": "Answer", "request_id": "q", "answer": "With a number.", "processing_time_ms": 1, "confidence": 0.7,
                    "citations": [{"document_name": "d", "excerpt": SECRET, "chunk_id": "d#0"},
                                  {"document_name": "e", "excerpt": "gloves", "chunk_id": "e#0"}]})
        self.write({"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "version": 1, "timestamp": TIME,
                    "content": LONG},
                   {"$type$": "Response", "id": "resp_r", "timestamp": TIME, "agent": "a", "model": "m", "content": LONG,
                    "context_units": [{"context_unit_id": "cu_a", "weight": 1}]},
                   {"$type$": "FeedbackRecord", "id": "fb_a", "response_id": "resp_r", "timestamp": TIME, "score": 1, "feedback_text": SECRET})
        self.before = self.head()

    def rpc(self, method, **params):
        return self.server.rpc(method, params)

    def purge(self, *refs, **more):
        return self.rpc("records.purge", refs=list(refs), **more)

    def node(self, ref, **more):
        return self.rpc("node.get", ref=ref, include=["record"], **more)["nodes"][0]

    def assert_gone(self, ref, **more):
        node = self.node(ref, **more)
        self.assertEqual((node.get("expired"), node.get("purged"), "record" in node), (True, True, False), (ref, node))

    def test_the_key_of_a_batch_does_not_tell_what_it_said(self):
        """Under each key the true batch and a guess are answered alike once a part of it was purged, also one that changed nothing."""
        def batch(name, text):
            return [{"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "m", "content": "ok",
                     "context_units": [{"content": text, "source": "chat", "type": "User", "weight": 1}]}]
        for name, what in (("unit", "ContextUnit"), ("answer", "Response"), ("kept", None)):
            for key in ("first", "second"):
                self.rpc("records.write", records=batch(name, SECRET + name), idempotency_key=name + key)
            refs = [n["ref"] for n in self.rpc("lineage.ancestors", ref=f"Response:resp_{name}")["nodes"]]
            if what:
                self.purge(*(refs if what == "ContextUnit" else [f"Response:resp_{name}"]))
            for key in ("first", "second"):
                said = []
                for text in (SECRET, "the vault opens with 4712"):
                    for dry in (False, True):
                        try:
                            said.append(self.rpc("records.write", records=batch(name, text + name), idempotency_key=name + key, dry_run=dry)["refs"])
                        except RpcError as error:
                            self.assertEqual(error.code, CONFLICT)
                            said.append(error.error)
                self.assertEqual(said[0] == said[2] and said[1] == said[3], what is not None, (name, key, said))

    def everything(self):
        """All that the server says of all moments."""
        history = self.rpc("history.get", ref="Response:resp_r")
        path = self.db + ".all.jsonl"
        exported = whence("export", "--format", "jsonl", "--output", path, "--force", "--url", self.server.url)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        with open(path, encoding="utf-8") as file:
            return json.dumps(history) + file.read()

    def test_a_purged_chunk_is_gone_with_its_copies_and_lineage_crosses_it(self):
        lineage = self.rpc("lineage.descendants", ref="Document:d")["nodes"]
        self.assertIn(SECRET, self.everything())
        dry = self.purge("RetrievedChunk:d#0", dry_run=True)
        self.assertEqual(self.head(), self.before)
        done = self.purge("RetrievedChunk:d#0")
        self.assertEqual(done["tx"], self.before + 1)
        for answer in (dry, done):
            self.assertEqual(answer["purged"][0], "RetrievedChunk:d#0")
            self.assertIn("PromptContext:q", answer["purged"])
            self.assertEqual(answer["redacted"], ["Answer:q"])
            self.assertTrue(answer["not_reached"])
        for moment in ({}, {"as_of": self.before}, {"as_of": 1}):
            self.assert_gone("RetrievedChunk:d#0", **moment)
        citations = self.node("Answer:q")["record"]["citations"]
        self.assertEqual([(each["excerpt"], each.get("flags")) for each in citations], [("", ["redacted"]), ("gloves", None)])
        listed = self.rpc("query", cypher="MATCH (a:Answer) UNWIND a.citations AS c RETURN c.excerpt, c.flags")["rows"]
        self.assertEqual(listed, [["", ["redacted"]], ["gloves", None]])
        shown = self.rpc("rag.get", request_id="q")["answer"]["citations"]
        self.assertEqual([(each.get("excerpt"), each.get("purged")) for each in shown], [(None, True), ("gloves", None)])
        edges = self.rpc("node.get", ref="Answer:q", include=["edges"])["nodes"][0]["edges"]
        self.assertEqual({e["to"]: e.get("excerpt") for e in edges if e["type"] == "CITES"},
                         {"RetrievedChunk:d#0": None, "RetrievedChunk:e#0": "gloves"})
        self.assert_gone("Answer:q", as_of=self.before)
        self.assertEqual({n["ref"] for n in self.rpc("lineage.descendants", ref="Document:d")["nodes"]},
                         {n["ref"] for n in lineage})
        self.assertEqual(self.rpc("node.find", type="RetrievedChunk", where={"content": {"prefix": "the vault"}})["nodes"], [])
        self.server.kill()
        self.server = self.server.__class__(self.db)
        self.assert_gone("RetrievedChunk:d#0")
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_a_query_tells_what_is_gone(self):
        def rows(cypher, **more):
            return self.rpc("query", cypher=cypher, **more)["rows"]
        asked = "MATCH (u:ContextUnit) RETURN u.expired, u.purged, properties(u).purged, 'purged' IN keys(u), u.content IS NULL"
        self.assertEqual(rows(asked), [[None, None, None, False, False]])
        self.purge("ContextUnit:cu_a")
        for moment in ({}, {"as_of": self.before}):
            self.assertEqual(rows(asked, **moment), [[True, True, True, True, True]])
        self.assertEqual(rows("MATCH (n) WHERE n.purged RETURN n.ref"), [["ContextUnit:cu_a"]])
        self.assertEqual(rows("MATCH (r:Response) RETURN r.expired, 'expired' IN keys(r)"), [[None, False]])

    def test_a_deleted_answer_that_quotes_a_purged_chunk_goes_whole(self):
        self.rpc("records.delete", refs=["Answer:q"], force=True)
        dry, done = self.purge("RetrievedChunk:d#0", dry_run=True), self.purge("RetrievedChunk:d#0")
        for answer in (dry, done):
            self.assertIn("Answer:q", answer["purged"])
            self.assertEqual(answer["redacted"], [])
        self.assert_gone("Answer:q", as_of=self.before)
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_long_texts_go_with_the_last_record_that_has_them(self):
        blob = "/blob/" + hashlib.sha256(LONG.encode()).hexdigest()
        self.assertEqual(self.server.get(blob)[0], 200)
        self.assertEqual(self.purge("ContextUnit:cu_a")["blobs"], 0)
        self.assertEqual(self.server.get(blob)[0], 200)
        self.assertEqual(self.node("Response:resp_r")["record"]["content"], LONG)
        done = self.purge("Response:resp_r")
        self.assertEqual((done["blobs"], "FeedbackRecord:fb_a" in done["purged"]), (1, True))
        self.assertEqual(self.server.get(blob)[0], 404)  # as if it had never been
        self.assert_gone("FeedbackRecord:fb_a")
        self.purge("RetrievedChunk:d#0")
        self.assertNotIn(SECRET, self.everything())
        self.assertTrue(self.rpc("admin.verify")["ok"])
        self.write({"$type$": "ContextUnit", "id": "cu_b", "type": "External", "source": "s", "version": 1, "timestamp": TIME,
                    "content": LONG})
        self.assertEqual(self.server.get(blob)[0], 200)
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_a_step_says_that_what_it_would_write_was_purged(self):
        discussion = {"userId": "u", "discussionId": "d"}
        self.write(round_record("u", "d", 1), ensure=True)
        self.rpc("discussion.summarize", **discussion, summary="In short.")
        self.purge("SummaryEntry:u/d/1")
        self.refused(PURGED, "discussion.summarize", "purged", "/roundNumber", **discussion, summary="In other words.")
        self.purge("Answer:q")
        self.refused(PURGED, "rag.answer", "purged", "/request_id", request_id="q", answer="With a number [d].")

    def test_a_discussion_is_written_anew_after_a_purge_by_its_step_as_by_its_record(self):
        for way in ("discussion.set", "records.write"):
            with self.subTest(way):
                here = {"userId": "u", "discussionId": way}
                self.write({"$type$": "Discussion", **here, "topic": "before", "attributes": {"a": "b"}})
                self.purge(f"Discussion:u/{way}")
                self.assertTrue(self.rpc("discussion.get", **here)["purged"])
                done = (self.rpc(way, **here, topic="anew") if way == "discussion.set"
                        else self.rpc(way, records=[{"$type$": "Discussion", **here, "topic": "anew"}]))
                self.assertEqual([each["rule"] for each in done["warnings"]], ["purged"])
                facts = self.rpc("discussion.get", **here)
                self.assertEqual((facts["topic"], "purged" in facts, "attributes" in self.node(f"Discussion:u/{way}")["record"]), ("anew", False, False))

    def test_what_was_purged_does_not_come_back_by_a_repeat(self):
        unit = {"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "version": 1, "timestamp": TIME, "content": LONG}
        self.purge("ContextUnit:cu_a")
        repeated = self.write(unit)
        self.assertEqual((repeated.get("unchanged"), [w["rule"] for w in repeated["warnings"]]), (True, ["purged"]))
        self.assert_gone("ContextUnit:cu_a")
        self.assertEqual(self.purge("ContextUnit:cu_a").get("unchanged"), True)

    def test_what_may_be_written_anew_at_any_time_is_taken_after_a_purge(self):
        def records(word, number):
            return [{"$type$": "Person", "id": "anna", "name": word}, {"$type$": "Session", "id": "s", "name": word},
                    {"$type$": "Discussion", "userId": "anew", "discussionId": "d", "topic": word},
                    {"$type$": "Subject", "topic": "t", "id": "sub", "name": word, "keywords": [], "timeRanges": [], "messageCount": number, "lastSeenAt": number, "archived": False},
                    {"$type$": "Keyword", "term": "anew", "frequency": number, "subjects": [], "lastSeen": number},
                    {"$type$": "Document", "document_name": "anew", "title": word},
                    {"$type$": "ProvEntity", "id": "urn:anew", "qname": "ex:anew", "prefixes": {"ex": "urn:"}, "attributes": {"ex:word": word}}]
        self.write({"$type$": "Topic", "id": "t"})
        refs = self.write(*records("old", 1))["refs"]
        self.purge(*refs)
        for ref, record in zip(refs, records("new", 2)):
            with self.subTest(ref):
                self.assert_gone(ref)
                answer = self.write(record)
                self.assertEqual(([each["rule"] for each in answer["warnings"]], answer.get("unchanged")), (["purged"], None))
                now = self.node(ref)["record"]
                self.assertEqual({key: now[key] for key in record if key in now}, {key: value for key, value in record.items() if key in now})
                self.assertNotIn("record", self.node(ref, as_of=answer["tx"] - 1))
                self.assertTrue(self.write(record)["unchanged"])
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_keywords_and_subjects_go_with_their_only_source_and_begin_anew(self):
        def message(name, term):
            subject = {"name": name, "description": "about it", "isNew": True, "keywords": [{"term": term, "confidence": 0.9}]}
            parts = {"response": "It is so.", "analysis": {"subjects": [subject], "summaryUpdate": ""}}
            xml = self.rpc("xml.build", format="llm-response", parts=parts)["xml"]
            return {"$type$": "XMLMessageAttachment", "messageId": "m_" + term, "topicId": "t", "format": "llm-response", "xml": xml}
        self.write(message("Vaults", "vault"), ensure=True)
        found = self.rpc("node.find", type="XMLMessageAttachment")["nodes"]
        done = self.purge(found[0]["ref"])
        self.assertIn("Keyword:vault", done["purged"])
        with self.assertRaises(RpcError) as caught:
            self.rpc("attachment.get", hash=found[0]["id"])
        self.assertEqual(caught.exception.error["code"], NOT_FOUND)  # its hash could be guessed
        self.assert_gone("Keyword:vault")
        self.write({**message("Vaults", "vault"), "messageId": "again"}, ensure=True)
        keyword = self.node("Keyword:vault")["record"]
        self.assertEqual((keyword["term"], keyword["frequency"]), ("vault", 1))
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_what_two_sources_gave_goes_with_the_second_of_them(self):
        analysis = {"subjects": [{"name": "Vaults", "description": "a word", "isNew": True,
                                  "keywords": [{"term": "vault", "confidence": 0.9}]}], "summaryUpdate": ""}
        for message in "ab":
            xml = self.rpc("xml.build", format="llm-response", parts={"response": "So " + message, "analysis": analysis})["xml"]
            self.write({"$type$": "XMLMessageAttachment", "messageId": message, "topicId": "t", "format": "llm-response", "xml": xml},
                       ensure=True)
        first, second = [n["ref"] for n in self.rpc("node.find", type="XMLMessageAttachment")["nodes"]]
        self.assertEqual(self.purge(first)["purged"], [first])
        self.assertEqual(set(self.purge(second)["purged"]), {second, "Keyword:vault", "Subject:t/vault"})

    def test_cascade_takes_what_two_units_gave_with_the_second_of_them(self):
        unit = {"$type$": "ContextUnit", "type": "External", "source": "s", "version": 1, "timestamp": TIME, "content": "x"}
        self.write({**unit, "id": "cu_1"}, {**unit, "id": "cu_2"},
                   {"$type$": "Response", "id": "resp_2", "timestamp": TIME, "agent": "a", "model": "m",
                    "context_units": [{"context_unit_id": "cu_1", "weight": 0.5}, {"context_unit_id": "cu_2", "weight": 0.5}]})
        self.assertEqual(self.purge("ContextUnit:cu_1", cascade=True)["purged"], ["ContextUnit:cu_1"])
        self.assertEqual(self.purge("ContextUnit:cu_2", cascade=True)["purged"], ["ContextUnit:cu_2", "Response:resp_2"])

    def test_an_embedding_goes_alone_and_a_question_with_its_prompt(self):
        self.write({"$type$": "EmbeddingVector", "request_id": "q2", "vector": [1, 2], "model_name": "m", "dimension": 2},
                   {"$type$": "Query", "request_id": "q2", "question": "And this one?"},
                   {"$type$": "PromptContext", "request_id": "q2", "question": "And this one?", "system_prompt": "",
                    "formatted_context": "", "retrieved_chunks": []})
        self.assertEqual(self.purge("EmbeddingVector:q2", dry_run=True)["purged"], ["EmbeddingVector:q2"])
        self.assertEqual(set(self.purge("Query:q2")["purged"]), {"Query:q2", "EmbeddingVector:q2", "PromptContext:q2"})

    def test_a_discussion_goes_with_what_was_deleted_from_it(self):
        said = [round_record("u", "d", n) for n in (1, 2)]
        self.write(*said, summary_record("u", "d", 1, SECRET, [1]), ensure=True)
        self.rpc("records.delete", refs=["SummaryEntry:u/d/1"])
        parts = {"Discussion:u/d", "DiscussionRound:u/d/1", "DiscussionRound:u/d/2", "SummaryEntry:u/d/1"}
        self.assertEqual(set(self.purge("Discussion:u/d", dry_run=True)["purged"]), parts)
        self.rpc("records.delete", refs=["Discussion:u/d"])
        self.assertEqual(set(self.purge("Discussion:u/d")["purged"]), parts)

    def test_cascade_takes_what_was_made_from_nothing_else(self):
        self.assertNotIn("Response:resp_r", self.purge("ContextUnit:cu_a", dry_run=True)["purged"])
        self.assertIn("Response:resp_r", self.purge("ContextUnit:cu_a", dry_run=True, cascade=True)["purged"])

    def test_unknown_refs_are_refused_and_nothing_goes(self):
        with self.assertRaises(RpcError) as caught:
            self.purge("ContextUnit:cu_a", "ContextUnit:none")
        self.assertEqual(caught.exception.error["code"], NOT_FOUND)
        self.assertEqual(self.node("ContextUnit:cu_a")["record"]["content"], LONG)

    def test_deleted_records_are_purged_too(self):
        self.rpc("records.delete", refs=["Response:resp_r"])
        self.assertIn("Response:resp_r", self.purge("Response:resp_r")["purged"])
        self.assertTrue(self.node("Response:resp_r", as_of=self.before).get("purged"))

    def test_a_history_without_what_was_purged_is_restored_byte_for_byte(self):
        self.purge("RetrievedChunk:d#0")
        self.purge("Response:resp_r")
        path, copy, again = self.db + ".jsonl", self.db + ".copy", self.db + ".again.jsonl"
        self.assertEqual(whence("export", "--format", "jsonl", "--output", path, "--url", self.server.url).returncode, 0)
        restored = whence("import", path, "--db", copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertEqual(whence("verify", "--db", copy).returncode, 0)
        self.assertEqual(whence("export", "--format", "jsonl", "--output", again, "--db", copy).returncode, 0)
        with open(path, encoding="utf-8") as first, open(again, encoding="utf-8") as second:
            self.assertEqual(first.read().splitlines(), second.read().splitlines())

    def test_subscribers_see_what_went_before_what_took_its_place(self):
        with Subscriber(self.server) as client:
            subscription = client.subscribe(include=["record"], since=self.before)
            done = self.purge("RetrievedChunk:d#0")
            client.until_tx(subscription, done["tx"])
            events = [event for event in subscription.events if event["tx"] == done["tx"]]
        self.assertEqual([(e["op"], e["ref"]) for e in events if e["ref"] == "Answer:q"], [("expire", "Answer:q"), ("version", "Answer:q")])
        self.assertTrue(all(e["purged"] for e in events if e["op"] == "expire"))
        self.assertIn(("expire", "RetrievedChunk:d#0"), [(e["op"], e["ref"]) for e in events])

    def test_after_compaction_the_bytes_are_nowhere_in_the_store(self):
        self.purge("RetrievedChunk:d#0", "ContextUnit:cu_a", "Response:resp_r")
        self.server.stop()
        compacted = whence("compact", "--db", self.db)
        self.assertEqual(compacted.returncode, 0, compacted.stderr)
        for path in Path(self.db).rglob("*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), path)
        self.assertEqual(whence("verify", "--db", self.db).returncode, 0)
        exported = whence("export", "--format", "jsonl", "--db", self.db)
        self.assertNotIn(SECRET, exported.stdout)
        self.server = Server(self.db)
        self.assert_gone("ContextUnit:cu_a", as_of=self.before)

    def test_the_command_line(self):
        dry = whence("purge", "ContextUnit:cu_a", "--dry-run", "--url", self.server.url)
        self.assertEqual((dry.returncode, "would purge ContextUnit:cu_a" in dry.stdout), (0, True), dry)
        done = whence("purge", "ContextUnit:cu_a", "--url", self.server.url)
        self.assertEqual((done.returncode, "purged ContextUnit:cu_a" in done.stdout), (0, True), done)
        self.assert_gone("ContextUnit:cu_a")
        again = whence("purge", "ContextUnit:cu_a", "--url", self.server.url)
        self.assertEqual((again.returncode, "all of it is gone already" in again.stderr), (0, True), again)


class PurgeFilesTest(WireCase):
    """With files of discussions."""

    def texts(self):
        return "".join(path.read_text(encoding="utf-8") for path in sorted(self.files.rglob("*")) if path.is_file())

    def test_the_files_of_a_discussion_lose_what_is_purged_and_it_goes_on(self):
        here = {"userId": "u", "discussionId": "d"}
        self.write(*(round_record("u", "d", n, [f"said {n}"] * 3) for n in (1, 2, 3)), summary_record("u", "d", 2, "in short", [1, 2]),
                   ensure=True)
        self.assertIn("said 2", self.texts())
        self.assertNotIn("warnings", self.rpc("records.purge", refs=["DiscussionRound:u/d/2"]))
        self.assertNotIn("said 2", self.texts())
        self.assertEqual(self.rpc("discussion.reconcile", **here)["differences"], [])
        self.assertEqual(self.write(round_record("u", "d", 4, ["said 4"] * 3))["warnings"], [])
        self.assertIn("said 4", self.texts())
        self.rpc("records.purge", refs=["DiscussionRound:u/d/4"])
        self.refused(PURGED, "discussion.answer", roundNumber=4, userAnswers=["yes"], **here)
        self.rpc("records.delete", refs=["Discussion:u/d"])
        self.assertIn("said 3", self.texts())
        self.rpc("records.purge", refs=["Discussion:u/d"])
        for text in ("said", "in short"):
            self.assertNotIn(text, self.texts())

    def test_a_file_from_before_brings_nothing_back(self):
        here = {"userId": "u", "discussionId": "e"}
        self.write(*(round_record("u", "e", n, [f"heard {n}"] * 3) for n in (1, 2)), ensure=True)
        file = self.files / "u" / "e.json"
        before = file.read_text(encoding="utf-8")
        self.rpc("records.purge", refs=["DiscussionRound:u/e/2"])
        file.write_text(before, encoding="utf-8")
        self.rpc("discussion.reconcile", repair="all", **here)
        self.assertNotIn("heard 2", self.texts())
        self.assertTrue(self.rpc("node.get", ref="DiscussionRound:u/e/2")["nodes"][0]["purged"])
        self.assertEqual(self.write(round_record("u", "e", 3, ["heard 3"] * 3))["warnings"], [])

    def test_a_purged_template_stays_gone_when_another_becomes_active(self):
        for version in (1, 2):
            self.write({"$type$": "SystemPromptTemplate", "modelId": "m", "version": version, "promptText": "You."})
            self.rpc("records.purge", refs=["SystemPromptTemplate:m/1"])
        self.assertNotIn("record", self.rpc("node.get", ref="SystemPromptTemplate:m/1", include=["record"])["nodes"][0])


class PurgeKillTest(WireCase):
    """Random writes, deletions and purges, with kills in between: what was acknowledged as purged is gone at every moment, and
    nothing else is."""
    with_files = False

    def kill_amid_purge(self, refs, seconds):
        """Kills the server that long after a purge was sent, and starts it again; whether the purge was acknowledged."""
        answers = []

        def purge(server):
            with contextlib.suppress(Exception):  # the connection goes with the server
                answers.append(server.rpc("records.purge", {"refs": refs}))

        sender = threading.Thread(target=purge, args=(self.server,))
        sender.start()
        threading.Event().wait(seconds)
        self.restart_after_kill()
        sender.join()
        return bool(answers)

    def test_kills_lose_no_purge_and_no_other_content(self):
        chance = random.Random(SEED)
        gone, there, deleted = set(), {}, set()  # refs; texts by ref
        for cycle in range(CYCLES):
            for step in range(12):
                name = f"cu_{cycle}_{step}"
                text = f"text {name} " * chance.choice((1, 200))
                self.write({"$type$": "ContextUnit", "id": name, "type": "External", "source": "s", "version": 1, "timestamp": TIME,
                            "content": text})
                there[f"ContextUnit:{name}"] = text
                if chance.random() < 0.3:
                    refs = chance.sample(sorted(there), chance.randint(1, 3) if len(there) > 3 else 1)
                    self.assertEqual(set(self.rpc("records.purge", refs=refs)["purged"]), set(refs))
                    gone |= set(refs)
                    for ref in refs:
                        del there[ref]
                elif chance.random() < 0.2:
                    ref = chance.choice(sorted(there))
                    self.rpc("records.delete", refs=[ref])
                    del there[ref]
                    deleted.add(ref)
            head = self.head()
            moments = ({}, {"as_of": head}, {"as_of": chance.randint(1, head)})
            refs = chance.sample(sorted(there), min(2, len(there)))
            acknowledged = self.kill_amid_purge(refs, chance.random() * 0.004)
            self.assertTrue(self.rpc("admin.verify")["ok"], f"seed {SEED}")
            nodes = [self.rpc("node.get", ref=ref, include=["record"])["nodes"][0] for ref in refs]
            are_gone = {node.get("purged", False) for node in nodes}
            self.assertLessEqual(len(are_gone), 1, f"seed {SEED}: half a purge: {nodes}")
            self.assertTrue(True in are_gone or not acknowledged, f"seed {SEED}: an acknowledged purge was lost: {nodes}")
            if True in are_gone:
                gone |= set(refs)
                for ref in refs:
                    del there[ref]
            for ref in chance.sample(sorted(gone), min(len(gone), 10)) + chance.sample(sorted(there), min(len(there), 10)):
                for moment in moments:
                    try:
                        node = self.rpc("node.get", ref=ref, include=["record"], **moment)["nodes"][0]
                    except RpcError as error:
                        self.assertEqual(error.error["code"], NOT_FOUND)  # of a moment before it
                        continue
                    if ref in gone:
                        self.assertEqual((node.get("purged"), "record" in node), (True, False), f"seed {SEED}: {node}")
                    else:
                        self.assertEqual(node["record"]["content"], there[ref], f"seed {SEED}")


class RetentionTest(FreshServerCase):
    flags = ("--retention", "3650d", "--retention", "Response=1s")

    def test_what_is_older_than_its_rule_expires_and_lineage_crosses_it(self):
        unit = {"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "version": 1, "timestamp": "2011-01-01T00:00:00Z",
                "content": "very old"}
        young = {**unit, "id": "cu_b", "timestamp": TIME, "content": "young"}
        self.write(unit, young, {"$type$": "Response", "id": "resp_r", "timestamp": TIME, "agent": "a", "model": "m", "content": "old",
                                 "context_units": [{"context_unit_id": "cu_a", "weight": 0.5},
                                                   {"context_unit_id": "cu_b", "weight": 0.5}]})
        head = self.head()
        dry = self.rpc("admin.retention", dry_run=True)
        self.assertEqual((dry["expired"], dry["types"], dry["oldest"], dry["tx"]),
                         (2, {"ContextUnit": 1, "Response": 1}, "2011-01-01T00:00:00Z", head))
        self.assertEqual((dry["rules"]["Response"], dry["rules"]["ContextUnit"]), (1, 3650 * 86400))
        done = self.rpc("admin.retention")
        self.assertEqual((done["expired"], done["tx"]), (2, head + 1))
        for ref, is_gone in (("ContextUnit:cu_a", True), ("ContextUnit:cu_b", False), ("Response:resp_r", True)):
            for moment in ({}, {"as_of": head}):
                node = self.rpc("node.get", ref=ref, include=["record"], **moment)["nodes"][0]
                self.assertEqual((node.get("expired", False), "purged" in node, "record" in node), (is_gone, False, not is_gone), node)
        self.assertEqual(self.lineage("descendants", "ContextUnit:cu_a"), {"Response:resp_r"})
        manifest = self.rpc("lineage.manifest", response_id="resp_r")["manifest"]
        self.assertEqual([(u["id"], u.get("expired", False)) for u in manifest["context_tree"]], [("cu_a", True), ("cu_b", False)])
        self.assertEqual(self.rpc("admin.retention")["expired"], 0)
        self.assertTrue(self.rpc("admin.verify")["ok"])


class RetentionAtStartTest(WireCase):
    with_files = False

    def test_it_runs_at_start(self):
        self.write({"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "version": 1, "timestamp": TIME})
        self.server.stop()
        type(self).server = Server(self.folder.name + "/db", "--retention", "1d")
        wait_until(lambda: self.rpc("node.get", ref="ContextUnit:cu_a")["nodes"][0].get("expired"), "the unit to expire")

    def test_rules_are_checked(self):
        for rule in ("90", "d", "-1d", "0d", "90x", "Nothing=1d", "Response=", "=1d", "99999999999999d"):
            refused = whence("serve", "--db", self.folder.name + "/none", "--listen", "127.0.0.1:0", "--retention", rule)
            self.assertEqual((refused.returncode, "--retention " in refused.stderr), (2, True), (rule, refused.stderr))


if __name__ == "__main__":
    unittest.main()
