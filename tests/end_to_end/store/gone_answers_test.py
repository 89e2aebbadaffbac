"""Claim: what expired or was purged is never answered by values that nobody gave, and nothing else is lost with it; writes are
checked with what the graph keeps; what young records name does not expire.

Method: small stores, written, purged and let expire; every answer that would show what is gone is asked for.
"""
import csv
import hashlib
import json
import tempfile
import time
import unittest

from support.naive_discussion import round_record, summary_record
from support.naive_rag import answer_record, chunk_record, query_record, retrieval_record
from support.program import RpcError, Server, wait_until, whence
from support.wire_case import CONFLICT, NOT_FOUND, PRECONDITION, FreshServerCase

OLD, YOUNG = "2011-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
OLD_MS = 1_300_000_000_000
EXPIRED, PURGED = -32021, -32022
UNIT = {"$type$": "ContextUnit", "type": "External", "source": "s", "timestamp": OLD}


def unit(number, **more):
    previous = {"previous_version_id": f"cu_{number - 1}"} if number > 1 else {}
    return {**UNIT, "id": f"cu_{number}", "version": number, "content": f"text {number}", **previous, **more}


def response(name, *uses, time=YOUNG, **more):
    return {"$type$": "Response", "id": name, "timestamp": time, "agent": "a", "model": "m", "content": "said",
            "context_units": [{"weight": 1 / len(uses), **use} for use in uses], **more}


class GoneCase(FreshServerCase):
    def purge(self, *refs):
        return self.rpc("records.purge", refs=list(refs))

    def code_of(self, method, **params):
        with self.assertRaises(RpcError) as caught:
            self.rpc(method, **params)
        return caught.exception.error["code"]


class AnswersTest(GoneCase):
    def test_a_manifest_keeps_what_the_graph_knows(self):
        self.write(unit(1), unit(2), response("resp_a", {"context_unit_id": "cu_1"}, {"context_unit_id": "cu_2"}))
        self.purge("Response:resp_a", "ContextUnit:cu_2")
        manifest = self.rpc("lineage.manifest", response_id="resp_a")["manifest"]
        self.assertEqual((manifest["timestamp"], manifest["expired"], manifest["purged"]), (YOUNG, True, True))
        self.assertFalse({"agent", "model", "token_count"} & set(manifest))
        self.assertEqual([(u["id"], u["weight"], u.get("source"), u.get("purged", False)) for u in manifest["context_tree"]],
                         [("cu_1", 0.5, "s", False), ("cu_2", 0.5, None, True)])
        shown = whence("manifest", "resp_a", "--url", self.server.url).stdout
        self.assertEqual(("[purged]" in shown, "1970" in shown), (True, False), shown)

    def test_an_exported_node_says_that_its_content_is_gone(self):
        self.write(unit(1), unit(2))
        self.purge("ContextUnit:cu_2")
        done = whence("export", "--format", "node-link", "--url", self.server.url)
        nodes = {node["ref"]: node for node in json.loads(done.stdout)["nodes"]}
        self.assertEqual([(nodes[ref].get("expired"), nodes[ref].get("purged"), nodes[ref].get("source"))
                          for ref in ("ContextUnit:cu_1", "ContextUnit:cu_2")], [(None, None, "s"), (True, True, None)])
        with tempfile.TemporaryDirectory() as folder:
            whence("export", "--format", "csv", "--output", folder + "/out", "--url", self.server.url)
            with open(folder + "/out/nodes.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([(row["ref"], row["gone"], row["record"] == "") for row in rows],
                         [("ContextUnit:cu_1", "", False), ("ContextUnit:cu_2", "purged", True)])

    def test_what_is_gone_comes_last_in_any_order(self):
        self.write(unit(1), *(response(f"resp_{n}", {"context_unit_id": "cu_1"}, latency_ms=n) for n in range(1, 5)))
        self.purge("Response:resp_2")
        for by in ("latency_ms", "cost", "model", "content", "timestamp", "score"):
            for more in ({}, {"desc": True}):
                with self.subTest(by=by, **more):
                    found = self.rpc("node.find", type="Response", order={"by": by, **more})["nodes"]
                    self.assertEqual(len(found), 4)
                    if by in ("latency_ms", "model", "content"):
                        self.assertEqual((found[-1]["ref"], found[-1]["purged"]), ("Response:resp_2", True))
        self.assertEqual(len(self.rpc("node.find", type="Response", where={"latency_ms": {"gt": 0}}, order={"by": "model"})["nodes"]), 3)

    def test_a_request_is_marked_by_part(self):
        chunk = chunk_record("d#0", "d", "The rope is blue.")
        self.write(query_record("q"), retrieval_record("q", 0.9, chunk), retrieval_record("q", 0.8, chunk_record("d#1", "d", "The sky is high.")),
                   answer_record("q", "It is blue [d].", [], 0.85), mode="capture")
        self.purge("RetrievedChunk:d#0")
        self.purge("Answer:q", "Query:q")
        request = self.rpc("rag.get", request_id="q")
        self.assertEqual(request["query"], {"request_id": "q", "expired": True, "purged": True})
        self.assertEqual(request["answer"], {"request_id": "q", "expired": True, "purged": True})
        first, second = request["retrieved_chunks"]
        self.assertEqual(first, {"chunk_id": "d#0", "expired": True, "purged": True, "similarity_score": 0.9, "rank": first["rank"]})
        self.assertEqual(second["content"], "The sky is high.")

    def test_a_summary_loses_the_part_that_is_gone_alone(self):
        for number in (1, 2, 3):
            parts = {"response": "So.", "analysis": {"subjects": [], "summaryUpdate": f"part {number}"}}
            xml = self.rpc("xml.build", format="llm-response", parts=parts)["xml"]
            self.write({"$type$": "XMLMessageAttachment", "messageId": f"m{number}", "topicId": "t", "format": "llm-response", "xml": xml},
                       ensure=True)
        self.purge("Summary:t-v2")
        summary = self.rpc("summary.get", topic="t")["summary"]
        self.assertEqual((summary["content"], summary["purged"]), ("part 1\npart 3", ["t-v2"]))
        self.assertEqual(self.code_of("summary.get", topic="t", version=2), PURGED)

    def test_a_topic_keeps_its_summary_where_the_newest_part_is_gone(self):
        def say(number):
            parts = {"response": "So.", "analysis": {"subjects": [], "summaryUpdate": f"part {number}"}}
            xml = self.rpc("xml.build", format="llm-response", parts=parts)["xml"]
            self.write({"$type$": "XMLMessageAttachment", "messageId": f"m{number}", "topicId": "t", "format": "llm-response", "xml": xml},
                       ensure=True)

        def summary():
            made = self.rpc("summary.get", topic="t")["summary"]
            return made["id"], made["content"], made.get("purged")

        for number in (1, 2, 3):
            say(number)
        self.purge("Message:m3")
        self.assertEqual(summary(), ("t-v2", "part 1\npart 2", ["t-v3"]))
        self.purge("Summary:t-v2")
        self.assertEqual(summary(), ("t-v1", "part 1", ["t-v3", "t-v2"]))
        say(4)
        self.assertEqual(summary(), ("t-v4", "part 1\npart 4", ["t-v3", "t-v2"]))
        self.write({"$type$": "Summary", "id": "t-v5", "topic": "t", "version": 5, "content": "All anew.", "subjects": [], "keywords": []})
        self.purge("Summary:t-v5")  # it had replaced what came before
        self.assertEqual(self.code_of("summary.get", topic="t"), PURGED)
        say(6)
        self.assertEqual(summary(), ("t-v6", "part 6", ["t-v5"]))
        self.purge("Summary:t-v1", "Summary:t-v4", "Summary:t-v6")
        self.assertEqual(self.code_of("summary.get", topic="t"), PURGED)

    def test_a_template_that_is_gone_is_not_none(self):
        for version in (1, 2):
            self.write({"$type$": "SystemPromptTemplate", "modelId": "m", "version": version, "promptText": "You."})
        self.purge("SystemPromptTemplate:m/2")
        self.assertEqual(self.code_of("template.active", modelId="m"), PURGED)
        self.assertEqual(self.code_of("template.active", modelId="other"), NOT_FOUND)

    def test_a_template_s_history_says_when_it_was_active(self):
        ref = "SystemPromptTemplate:m/{}".format
        template = {"$type$": "SystemPromptTemplate", "modelId": "m", "promptText": "You."}

        def history(version):
            return [(each["op"], each.get("status"), "score" in each) for each in self.rpc("history.get", ref=ref(version), deleted=True)["events"]]

        for version in (1, 2, 3):
            self.write({**template, "version": version})
        self.assertEqual(history(2), [("version", None, False), ("status", "inactive", False)])
        self.rpc("records.delete", refs=[ref(3)])
        self.assertEqual(history(2)[-1], ("status", "active", False))
        self.assertEqual(history(3)[-1], ("delete", None, False))
        self.write({**template, "version": 1, "active": True})
        self.assertEqual(history(1), [("put", None, False), ("status", "inactive", False), ("version", None, False)])
        self.assertEqual(history(2)[-1], ("status", "inactive", False))
        events = [json.loads(line) for line in whence("export", "--format", "jsonl", "-o", "-", "--url", self.server.url).stdout.splitlines()]
        said = [(each["tx"], each["status"]) for each in events if each.get("ref") == ref(2) and each["op"] == "status"]
        self.assertEqual([(each["tx"], each["status"]) for each in self.rpc("history.get", ref=ref(2))["events"] if each["op"] == "status"], said)

    def test_a_discussion_keeps_its_numbers(self):
        here = {"userId": "u", "discussionId": "d"}
        self.write({"$type$": "Discussion", **here, "topic": "ropes"}, *(round_record("u", "d", n, ["said"] * 3) for n in (1, 2, 3)))
        self.purge("DiscussionRound:u/d/2")
        gone = [{"ref": "DiscussionRound:u/d/2", "type": "DiscussionRound", "id": "u/d/2", "expired": True, "purged": True}]
        for method in ("context", "prompt", "tokens", "get"):
            self.assertEqual(self.rpc(f"discussion.{method}", **here)["gone"], gone, method)
        self.assertEqual(len(self.rpc("discussion.context", **here)["rounds"]), 2)
        facts = self.rpc("discussion.get", **here)
        self.assertEqual((facts["rounds"], facts["topic"], facts["currentTurn"]), (3, "ropes", 9))
        for verb in ("context", "prompt", "tokens"):
            done = whence(verb, "u", "d", "--url", self.server.url)
            self.assertIn("DiscussionRound:u/d/2 [purged]", done.stdout + done.stderr, verb)
        self.write(summary_record("u", "d", 3, "in short", [1, 2, 3]))
        self.assertNotIn("gone", self.rpc("discussion.context", **here))
        self.purge("Discussion:u/d")
        facts = self.rpc("discussion.get", **here)
        self.assertEqual((facts["rounds"], facts.get("topic"), facts["purged"], "updatedAt" in facts), (3, None, True, False))

    def test_a_gone_round_that_was_the_last_has_no_turn(self):
        here = {"userId": "u", "discussionId": "d"}
        self.write(round_record("u", "d", 1, ["said"] * 3), ensure=True)
        self.rpc("discussion.open", **here)
        for persona in ("Analyzer AI", "Solver AI"):
            self.rpc("discussion.addResponse", **here, roundNumber=2, persona=persona, content="said")
        self.assertEqual(self.rpc("discussion.get", **here)["currentTurn"], 5)
        self.purge("DiscussionRound:u/d/2")
        facts = self.rpc("discussion.get", **here)
        self.assertNotIn("currentTurn", facts)
        self.assertEqual((facts["rounds"], facts["currentRound"], facts["next"]), (2, None, None))

    def test_what_goes_between_two_pages_says_so_in_its_place(self):
        for number in (1, 2):
            self.write({"$type$": "XMLMessageAttachment", "messageId": f"m{number}", "topicId": "t", "format": "llm-response",
                        "xml": f"<llmResponse><response>{number}</response><analysis><summaryUpdate/></analysis></llmResponse>"}, ensure=True)
        first, second = (each["hash"] for each in self.rpc("attachment.list", topicId="t")["records"])
        page = self.rpc("attachment.list", topicId="t", limit=1)
        self.assertEqual(page["records"][0]["hash"], first)
        self.purge(f"XMLMessageAttachment:{second}")
        gone = {"ref": f"XMLMessageAttachment:{second}", "type": "XMLMessageAttachment", "id": second, "expired": True, "purged": True}
        self.assertEqual(self.rpc("attachment.list", cursor=page["cursor"])["records"], [gone])
        described = json.loads(self.server.get("/openrpc.json")[1])["methods"]
        listed = next(each for each in described if each["name"] == "attachment.list")["result"]["schema"]["properties"]["records"]
        self.assertIn({"$ref": "#/components/schemas/Gone"}, listed["items"]["anyOf"])

    def test_lists_and_figures_name_what_they_lack(self):
        for number in (1, 2):
            parts = {"response": "So.", "analysis": {"summaryUpdate": "", "subjects": [
                {"name": f"subject {number}", "description": "d", "isNew": True, "keywords": [{"term": f"word {number}", "confidence": 1}]}]}}
            xml = self.rpc("xml.build", format="llm-response", parts=parts)["xml"]
            self.write({"$type$": "XMLMessageAttachment", "messageId": f"m{number}", "topicId": "t", "format": "llm-response", "xml": xml},
                       ensure=True)
        whole = self.rpc("attachment.list", topicId="t", count_only=True)
        first = self.rpc("attachment.list", messageId="m1")["records"][0]["hash"]
        self.purge(f"XMLMessageAttachment:{first}")
        gone = [{"ref": f"XMLMessageAttachment:{first}", "type": "XMLMessageAttachment", "id": first, "expired": True, "purged": True}]
        for params in ({"messageId": "m1"}, {"messageId": "m1", "count_only": True}):
            listed = self.rpc("attachment.list", **params)
            self.assertEqual((listed["count"], listed["gone"], "average_size" in listed, "xml_overhead" in listed), (0, gone, False, False))
        some = self.rpc("attachment.list", topicId="t", count_only=True)
        self.assertEqual((some["count"], some["average_size"], some["gone"]), (1, whole["average_size"], gone))
        self.assertNotIn("gone", self.rpc("attachment.list", topicId="t", format="llm-response"))
        self.assertRegex(whence("show", "Topic:t", "--url", self.server.url).stdout, r"\[purged\] +XMLMessageAttachment:" + first)
        context = self.rpc("xml.context", topicId="t")
        self.assertEqual((context["context"]["activeSubjects"], context["context"]["recentKeywords"]), (["subject 2"], ["word 2"]))
        self.assertEqual([node["ref"] for node in context["gone"]], ["Subject:t/word 1"])

    def test_versions_history_and_feedback(self):
        self.write(unit(1), unit(2), response("resp_a", {"context_unit_id": "cu_2"}),
                   {"$type$": "FeedbackRecord", "id": "fb_a", "response_id": "resp_a", "timestamp": YOUNG, "score": 1, "feedback_text": "good"})
        self.purge("ContextUnit:cu_1", "FeedbackRecord:fb_a")
        difference = self.rpc("versions.diff", a="ContextUnit:cu_1", b="ContextUnit:cu_2")
        self.assertEqual((difference["changes"], [each["ref"] for each in difference["gone"]]), ([], ["ContextUnit:cu_1"]))
        self.assertEqual([event["op"] for event in self.rpc("history.get", ref="ContextUnit:cu_1")["events"]][-1], "purge")
        ratings = self.rpc("feedback.list", ref="Response:resp_a")
        self.assertEqual((ratings["mean_score"], ratings["records"][0].get("purged")), (1, True))
        for words in (["versions", "ContextUnit:cu_2"], ["diff", "ContextUnit:cu_1", "ContextUnit:cu_2"], ["feedback", "Response:resp_a"], ["show", "Response:resp_a"]):
            self.assertIn("[purged]", whence(*words, "--url", self.server.url).stdout, words)

    def test_a_comparison_says_which_side_is_gone(self):
        for name, used in (("a", 1), ("b", 2)):
            self.write(unit(1), unit(2), response(f"resp_{name}", {"context_unit_id": f"cu_{used}"}))
        self.purge("Response:resp_b")
        gone = [{"ref": "Response:resp_b", "type": "Response", "id": "resp_b", "expired": True, "purged": True}]
        self.assertEqual(self.rpc("lineage.diff", a="resp_a", b="resp_b")["gone"], gone)
        self.assertEqual(self.rpc("lineage.diff", a="resp_b", b="resp_a")["gone"], gone)
        self.assertEqual(self.rpc("lineage.diff", ref="resp_b", as_of_a=self.head() - 1, as_of_b=self.head())["gone"], gone)
        self.assertNotIn("gone", self.rpc("lineage.diff", a="resp_a", b="cu_1"))
        self.assertIn("Response:resp_b [purged]", whence("diff", "resp_a", "resp_b", "--url", self.server.url).stdout)

    def test_a_summary_replaces_the_rounds_since_the_last_that_is_there(self):
        here = {"userId": "u", "discussionId": "d"}
        self.write(*(round_record("u", "d", n, ["said " * 20] * 3) for n in (1, 2, 3)), ensure=True)
        whole = self.rpc("discussion.tokens", **here)["total"]
        self.rpc("discussion.summarize", **here, summary="in short", roundNumber=2)
        self.purge("SummaryEntry:u/d/2")
        self.assertEqual(self.rpc("discussion.tokens", **here)["total"], whole)
        made = self.rpc("discussion.summarize", **here, summary="all in short")
        self.assertEqual((made["replacesRounds"], made["tokenCountBefore"]), ([1, 2, 3], whole))

    def test_a_digest_confirms_no_purge(self):
        text = "a long text " * 1000
        self.write({**unit(1), "content": text})
        blob = "/blob/" + hashlib.sha256(text.encode()).hexdigest()
        self.assertEqual(self.server.get(blob)[0], 200)
        self.purge("ContextUnit:cu_1")
        never = "/blob/" + hashlib.sha256(b"never").hexdigest()
        self.assertEqual(self.server.get(blob)[0], 404)
        self.assertEqual(self.server.get(blob)[1], self.server.get(never)[1])
        repeated = self.write({**unit(1), "content": text})
        self.assertEqual((repeated.get("unchanged"), self.server.get(blob)[0]), (True, 404))
        attachment = {"$type$": "XMLMessageAttachment", "messageId": "m", "topicId": "t", "format": "llm-query",
                      "xmlBlob": "sha256://" + hashlib.sha256(text.encode()).hexdigest()}
        self.write_refused((-32030,), attachment, rule="unknown_blob", ensure=True, dry_run=True)


class RetentionCase(GoneCase):
    """The run of retention that a start begins is over before a test writes: it took what was there before."""

    def setUp(self):
        rules, self.flags = self.flags, ()
        super().setUp()
        self.write({"$type$": "Topic", "id": "before", "createdAt": OLD_MS})
        self.server.stop()
        self.server = Server(self.db, *rules)
        wait_until(lambda: "expired" in self.rpc("node.get", ref="Topic:before")["nodes"][0], "the run at the start to be over")


class RulesTest(RetentionCase):
    flags = ("--retention", "1d")

    def test_versions_are_known_after_they_expired(self):
        self.write(*(unit(n) for n in range(1, 6)))
        self.assertEqual(self.rpc("admin.retention")["expired"], 5)
        self.write_refused(PRECONDITION, {**unit(2), "id": "cu_x", "previous_version_id": "cu_5"}, rule="version")
        self.write(unit(6))
        self.assertEqual([v["version"] for v in self.rpc("versions.list", ref="ContextUnit:cu_6")["versions"]], [1, 2, 3, 4, 5, 6])

    def test_a_response_that_comes_back_used_what_it_used_then(self):
        """Its unit was deleted, and another has the id now."""
        self.write(unit(1), response("resp_a", {"context_unit_id": "cu_1"}, time=OLD))
        said = self.record("Response:resp_a")
        self.rpc("records.delete", refs=["ContextUnit:cu_1"], force=True)
        self.write({**unit(1), "content": "another"})
        self.rpc("admin.retention")
        self.rpc("records.write", records=[said], mode="capture")
        self.assertEqual(self.record("Response:resp_a")["context_units"], said["context_units"])
        self.assertNotIn("Response:resp_a", [n["ref"] for n in self.rpc("lineage.descendants", ref="ContextUnit:cu_1")["nodes"]])

    def test_nothing_stands_for_what_a_response_named_before_it_was_deleted(self):
        """A retry, and a response that expired and comes back: the same record, without a stub."""
        for does_expire in (False, True):
            name = f"resp_{does_expire}"
            units = [f"cu_{number}_{does_expire}" for number in (1, 2)]
            self.write(*({**unit(1), "id": each} for each in units),
                       response(name, {"context_unit_id": units[0]}, prompt_refs=["ContextUnit:" + units[1]]), mode="capture")
            said = self.record("Response:" + name)
            self.rpc("records.delete", refs=["ContextUnit:" + each for each in units], force=True)
            if does_expire:
                self.rpc("admin.retention")
            answer = self.rpc("records.write", records=[said], mode="capture")
            self.assertEqual([w["rule"] for w in answer["warnings"]], ["expired"] if does_expire else [])
            again = self.record("Response:" + name)
            self.assertEqual((again["context_units"], again["prompt_refs"]), (said["context_units"], said["prompt_refs"]))
            self.assertEqual(self.rpc("node.find", type="ContextUnit")["nodes"], [])

    def test_a_response_that_comes_back_was_prompted_by_what_it_was_then(self):
        self.write(unit(1), unit(2), response("resp_a", {"context_unit_id": "cu_2"}, time=OLD, prompt_refs=["ContextUnit:cu_1"]),
                   mode="capture")
        said = self.record("Response:resp_a")
        self.rpc("records.delete", refs=["ContextUnit:cu_1"], force=True)
        self.write({**unit(1), "content": "another"})
        self.rpc("admin.retention")
        self.rpc("records.write", records=[said], mode="capture")
        self.assertEqual(self.record("Response:resp_a")["prompt_refs"], said["prompt_refs"])
        self.assertEqual(self.rpc("lineage.descendants", ref="ContextUnit:cu_1")["nodes"], [])

    def test_what_is_named_with_its_own_members_is_no_conflict(self):
        self.write(unit(1), unit(2))
        self.rpc("admin.retention")
        head = self.head()
        answer = self.write(response("resp_a", {"context_unit_id": "cu_2", "type": "User", "source": "elsewhere", "content": "again"}))
        self.assertEqual([w["rule"] for w in answer["warnings"]], ["expired"])
        record = self.record("ContextUnit:cu_2")
        self.assertEqual((record["content"], record["version"], record["previous_version_id"]), ("again", 2, "cu_1"))
        self.assertTrue(self.rpc("node.get", ref="ContextUnit:cu_2", as_of=head)["nodes"][0]["expired"])
        manifest = {"$type$": "LineageManifest", "response_id": "resp_b", "timestamp": YOUNG, "agent": "a", "model": "m",
                    "context_tree": [{"id": "cu_1", "type": "User", "source": "anywhere", "weight": 1}],
                    "provenance_tree": {"root": "resp_b", "edges": [{"from": "cu_1", "to": "resp_b", "weight": 1}]}}
        self.write(manifest)
        self.write_refused(CONFLICT, {**unit(1), "version": 2, "previous_version_id": "cu_2"})


class InUseTest(RetentionCase):
    flags = ("--retention", "3650d")

    def test_what_young_records_name_is_kept_one_step(self):
        here = {"userId": "u", "discussionId": "d"}
        self.write(unit(1), unit(2), {**UNIT, "id": "cu_idle", "version": 1},
                   {**UNIT, "id": "cu_source", "version": 1}, {**UNIT, "id": "cu_made", "version": 1, "derived_from": ["cu_source"]},
                   response("resp_young", {"context_unit_id": "cu_2"}, {"context_unit_id": "cu_made"},
                            prompt_template={"modelId": "m", "version": 1}),
                   {"$type$": "SystemPromptTemplate", "modelId": "m", "version": 1, "promptText": "You.", "createdAt": OLD_MS},
                   {"$type$": "Topic", "id": "live", "createdAt": OLD_MS}, {"$type$": "Topic", "id": "dead", "createdAt": OLD_MS},
                   {"$type$": "Message", "id": "m", "topicId": "live", "text": "hi", "createdAt": 1_767_225_600_000},
                   {"$type$": "Discussion", **here, "topic": "t", "createdAt": OLD_MS, "updatedAt": OLD_MS},
                   *(round_record("u", "d", n, ["said"] * 3, OLD_MS + n) for n in (1, 2)),
                   round_record("u", "d", 3, ["said"] * 3, 1_767_225_600_000))
        dry = self.rpc("admin.retention", dry_run=True)
        self.assertEqual(sorted(dry["refs"]), ["ContextUnit:cu_1", "ContextUnit:cu_idle", "ContextUnit:cu_source", "Topic:dead"])
        self.assertEqual(dry["types"], {"ContextUnit": 3, "Topic": 1})
        self.assertEqual(dry["kept"], {"ContextUnit": 2, "Topic": 1, "SystemPromptTemplate": 1, "Discussion": 1, "DiscussionRound": 2})
        self.assertEqual(self.rpc("admin.retention")["expired"], 4)
        self.assertEqual(self.rpc("template.active", modelId="m")["template"]["promptText"], "You.")
        self.assertEqual(len(self.rpc("discussion.context", **here)["rounds"]), 3)


class RoundsAloneTest(RetentionCase):
    flags = ("--retention", "3650d", "--retention", "DiscussionRound=3650d")

    def test_a_rule_for_rounds_alone_goes_before(self):
        self.write(*(round_record("u", "d", n, ["said"] * 3, OLD_MS + n) for n in (1, 2)),
                   round_record("u", "d", 3, ["said"] * 3, 1_767_225_600_000), ensure=True)
        self.assertEqual(self.rpc("admin.retention")["types"], {"DiscussionRound": 2})


class SecondsTest(GoneCase):
    """What has no time of its own is as old as its last write."""
    flags = ("--retention", "Document=1s", "--retention", "Answer=1s")

    def expire(self):
        written = time.time()
        wait_until(lambda: time.time() > written + 1.05, "everything to be older than the rule")
        self.rpc("admin.retention")

    def test_an_answer_that_comes_back_keeps_a_confidence_whose_chunks_are_deleted(self):
        chunk = chunk_record("c1", "doc")
        self.write(query_record("req_1"), retrieval_record("req_1", 0.9, chunk))
        self.write(answer_record("req_1", "so [doc]", [], 0.9))
        said = self.record("Answer:req_1")
        self.assertEqual(said["confidence"], 0.9)
        self.rpc("records.delete", refs=["RetrievedChunk:c1"], force=True)
        self.expire()
        answer = self.rpc("records.write", records=[said], mode="capture")
        self.assertEqual([w["rule"] for w in answer["warnings"]], ["expired"])
        self.assertEqual(self.record("Answer:req_1"), said)

    def test_a_document_that_is_only_a_name_comes_back_too(self):
        said = {"$type$": "Document", "document_name": "doc"}
        self.write(said)
        self.expire()
        self.assertTrue(self.rpc("node.get", ref="Document:doc")["nodes"][0]["expired"])
        self.assertEqual([w["rule"] for w in self.write(said)["warnings"]], ["expired"])
        self.assertEqual(self.record("Document:doc"), said)

    def test_a_document_comes_back_with_all_that_its_batch_says_of_it(self):
        name = {"$type$": "Document", "document_name": "doc"}
        whole = {**name, "title": "A title"}
        for batch in ((name, whole), (whole, name)):
            self.write(whole)
            self.expire()
            self.assertEqual([w["rule"] for w in self.write(*batch)["warnings"]], ["expired"], batch)
            self.assertEqual(self.record("Document:doc"), whole, batch)


if __name__ == "__main__":
    unittest.main()
