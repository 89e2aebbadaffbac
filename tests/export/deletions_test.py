"""Claim: a graph with deletions comes back from its exports with the same nodes and edges at every moment that can be
compared, and never with lineage that was not: what is deleted is not named, and the edges of a node stay its own
when another one gets its id.

Method: each kind of deletion in a store of its own; what `jsonl` and `prov-json` bring into an empty store is compared
edge by edge with the store that was exported, the former at each transaction.
"""
import json
import os
import random
import re
import tempfile
import unittest
from pathlib import Path

import data
from data import attachment, chunk_record, discussion_record, feedback, llm_response, query_record, response, retrieval_record
from data import round_record, subject, summary_record, template, unit
from export_case import OK, ExportCase, manifest_of, run
from support.naive_rag import axis
from whence_e2e import RpcError, Server, write_private, write_tokens


HISTORIES = int(os.environ.get("WHENCE_EXPORT_HISTORIES", "4"))
STEPS = 40


def thing(name, *relations, kind="ProvEntity"):
    record = {"$type$": kind, "id": name, "qname": name, "attributes": {}}
    if relations:
        record["relations"] = [{"relation": relation, "attributes": {}, **refs} for relation, refs in relations]
    return record


def a_unit(to):
    to.write(unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a": 0.5, "cu_b": 0.5}))
    to.delete("ContextUnit:cu_a")


def a_version(to):
    to.write(unit("cu_a"), unit("cu_b", version=2, previous_version_id="cu_a"), unit("cu_c", version=3, previous_version_id="cu_b"))
    to.delete("ContextUnit:cu_b")


def a_cause_of_a_version(to):
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}))
    to.write(unit("cu_b", version=2, previous_version_id="cu_a", updated_by_response_id="resp_1"))
    to.delete("Response:resp_1")


def a_source(to):
    to.write(unit("cu_a"), unit("cu_b"), unit("cu_c", derived_from=["cu_a", "cu_b"]))
    to.delete("ContextUnit:cu_a")


def an_agent(to):
    to.write(thing("g", kind="ProvAgent"), thing("h", kind="ProvAgent"),
             thing("e", ("wasAttributedTo", {"other": "ProvAgent:g"}), ("wasAttributedTo", {"other": "ProvAgent:h"})))
    to.delete("ProvAgent:g")


def a_plan_and_a_member(to):
    to.write(thing("p"), thing("q"), thing("g", kind="ProvAgent"),
             thing("r", ("wasAssociatedWith", {"other": "ProvAgent:g", "further": ["ProvEntity:p"]}), kind="ProvActivity"),
             thing("s", ("wasAssociatedWith", {"other": "ProvAgent:g", "further": ["ProvEntity:q"]}), kind="ProvActivity"),
             thing("c", ("hadMember", {"others": ["ProvEntity:p", "ProvEntity:q"]})))
    to.delete("ProvEntity:p")


def ours_beside_others(to):
    to.write(unit("cu_a"), thing("e", ("wasDerivedFrom", {"other": "ContextUnit:cu_a"})))
    to.delete("ContextUnit:cu_a")


def a_round(to):
    to.write(discussion_record("ann", "d", topic="t"))
    to.write(*(round_record("ann", "d", number) for number in (1, 2, 3)))
    to.write(summary_record("ann", "d", 2, "In short.", [1, 2]))
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}, prompt_refs=["DiscussionRound:ann/d/2", "DiscussionRound:ann/d/1"],
                                    prompt_basis=["place", "text"]))
    to.write(response("resp_2", {"cu_a": 1}, prompt_refs=["DiscussionRound:ann/d/2"], prompt_basis=["id"]))
    to.delete("DiscussionRound:ann/d/2")


def the_last_rounds(to):
    to.write(discussion_record("ann", "d", topic="t"))
    to.write(*(round_record("ann", "d", number) for number in (1, 2, 3)))
    to.write(summary_record("ann", "d", 1, "In short.", [1]), summary_record("ann", "d", 3, "In short again.", [2, 3]))
    to.delete("DiscussionRound:ann/d/3", "DiscussionRound:ann/d/2")


def all_rounds(to):
    the_last_rounds(to)
    to.delete("DiscussionRound:ann/d/1")


def a_chunk(to):
    chunks = [chunk_record("c1", "doc", "One.", page=1, embedding=axis(0)), chunk_record("c2", "doc", "Two.", page=2, embedding=axis(1))]
    to.write(*chunks, query_record("r"), retrieval_record("r", 0.9, chunks[0]), retrieval_record("r", 0.8, chunks[1]))
    to.write({"$type$": "PromptContext", "request_id": "r", "question": "What?", "system_prompt": "Only from this.",
              "retrieved_chunks": [{"chunk_id": "c1"}, {"chunk_id": "c2"}], "formatted_context": "Context"})
    to.rpc("rag.answer", request_id="r", answer="[doc, page 1] and [doc, page 2]", processing_time_ms=1)
    to.delete("RetrievedChunk:c1")


def a_document(to):
    a_chunk(to)
    to.delete("Document:doc")


def a_query(to):
    a_chunk(to)
    to.delete("Query:r")


def a_question(to):
    """A query with its embedding, its prompt, its answer, and the response that is one act with that."""
    to.write(chunk_record("c1", "doc", "One.", page=1, embedding=axis(0)))
    to.rpc("rag.retrieve", vector=axis(0), question="What is it?", record=True, request_id="r")
    to.rpc("rag.answer", request_id="r", answer="[doc, page 1]", system_prompt="Only from this.", processing_time_ms=1)
    to.write({**response("resp_1", {}), "request_id": "r", "context_units": [{"ref": "RetrievedChunk:c1", "weight": 1}]})


def a_prompt_of_a_question(to):
    a_question(to)
    to.delete("PromptContext:r")


def a_query_of_a_question(to):
    a_question(to)
    to.delete("Query:r")


def a_chunk_of_a_question(to):
    a_question(to)
    to.delete("RetrievedChunk:c1")


def an_act_of_a_question(to):
    """The answer is one act with nothing then: another response of the request stays apart."""
    a_question(to)
    to.write(unit("cu_a"), {**response("resp_2", {"cu_a": 1}), "request_id": "r"})
    to.delete("Response:resp_1")


def a_version_of_a_summary(to):
    to.write({"$type$": "Topic", "id": "t"})
    to.write(*(attachment(message, "t", llm_response("x" * 100, subject("s", ("k", 0.5), new="true" if message == "m1" else "false"), f"Of {message}."))
               for message in ("m1", "m2", "m3")), ensure=True)
    to.delete("Summary:t-v1")


def a_message(to):
    to.write({"$type$": "Topic", "id": "t"})
    to.write(attachment("m1", "t", llm_response("x" * 100, subject("s", ("k", 0.5)), "One.")),
             attachment("m2", "t", llm_response("y" * 100, subject("s", ("k", 0.7), new="false"), "Two.")), ensure=True)
    to.delete("Message:m1")


def names_before_the_deletion(to):
    """The second message means the subject of its keyword, by a name that a later one has."""
    to.write({"$type$": "Topic", "id": "t"})
    for message, said in (("m0", [("s0", "elm")]), ("m1", [("s1", "elm")]), ("m2", [("s2", "elm"), ("s1", "ash")]), ("m3", [("s1", "oak")])):
        subjects = "".join(subject(name, (term, 0.5)) for name, term in said)
        to.write(attachment(message, "t", llm_response("x" * 100, subjects)), ensure=True)


def a_message_of_names(to):
    names_before_the_deletion(to)
    to.delete("Message:m0")


def a_later_message_of_names(to):
    names_before_the_deletion(to)
    to.delete("Message:m2")


def a_topic(to):
    a_message(to)
    to.delete("Topic:t")


def a_template(to):
    to.write(template("m-1", 1))
    to.write(template("m-1", 2, "More careful."))
    to.write(template("m-1", 3, "Most careful."))
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}, prompt_template={"modelId": "m-1", "version": 2}))
    to.delete("SystemPromptTemplate:m-1/2")


def a_prompt(to):
    to.write({"$type$": "Topic", "id": "t"})
    asked = '<llmQuery><userMessage>How?</userMessage><context topicId="t" messageCount="1"/></llmQuery>'
    to.write(attachment("m1", "t", asked, "llm-query"), ensure=True)
    query = to.rpc("attachment.list", messageId="m1")["records"][0]["hash"]
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}, query_attachment=query))
    to.delete("Message:m1")


def a_response(to):
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}), feedback("fb", "resp_1", -1, user_id="u"))
    to.write({**response("resp_2", {}), "context_units": [{"ref": "Response:resp_1", "weight": 0.5}, {"ref": "ContextUnit:cu_a", "weight": 0.5}]})
    to.delete("Response:resp_1")


def what_was_decided_about(to):
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}))
    to.write({"$type$": "Decision", "id": "dec_1", "subject": "Response:resp_1", "verdict": "stop", "by": "ann", "timestamp": data.TIME},
             {"$type$": "Decision", "id": "dec_2", "subject": "ContextUnit:cu_a", "verdict": "approve", "by": "ann", "timestamp": data.TIME})
    to.delete("Response:resp_1")


KINDS = (what_was_decided_about, a_unit, a_version, a_cause_of_a_version, a_source, an_agent, a_plan_and_a_member, ours_beside_others, a_round, the_last_rounds, all_rounds, a_chunk, a_document,
         a_query, a_message, a_prompt_of_a_question, a_query_of_a_question, a_chunk_of_a_question, an_act_of_a_question, a_version_of_a_summary, names_before_the_deletion, a_message_of_names,
         a_later_message_of_names, a_topic, a_template, a_prompt, a_response)

def records_of_all_kinds(to):
    to.write({"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t", "text": "How?"})
    to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}), feedback("fb", "resp_1", 0.5))
    to.write(unit("cu_b", version=2, previous_version_id="cu_a", updated_by_response_id="resp_1"), unit("cu_c", derived_from=["cu_a"]),
             {**response("resp_2", {}), "context_units": [{"ref": "Message:m", "weight": 0.25}, {"ref": "Response:resp_1", "weight": 0.5},
                                                          {"ref": "ContextUnit:cu_a", "weight": 0.25}]},
             response("resp_3", {"cu_b": 1}, replay_of="Response:resp_1"))


class RandomHistory:
    """Units, versions, responses, questions with their answers, and ratings, in any order, of which some are deleted again."""

    def __init__(self, seed):
        self.chance, self.made, self.live = random.Random(seed), 0, {}

    def number(self):
        self.made += 1
        return self.made

    def any(self, *kinds):
        refs = [ref for kind in kinds for ref in self.live.get(kind, [])]
        return self.chance.choice(refs) if refs else None

    def id(self, *kinds):
        ref = self.any(*kinds)
        return ref and ref.split(":", 1)[1]

    def a_unit(self):
        more = {"previous_version_id": self.id("ContextUnit"), "updated_by_response_id": self.id("Response")}
        more = {name: value for name, value in more.items() if value and self.chance.random() < 0.4}
        record = {**unit(f"cu_{self.number()}"), **more}
        if more:
            del record["version"]
        return [record]

    def a_response(self):
        refs = sorted({ref for ref in (self.any("ContextUnit", "RetrievedChunk", "Response", "Answer") for _ in range(3)) if ref})
        if not refs:
            return []
        weights = [1, *[0] * (len(refs) - 1)] if self.chance.random() < 0.3 else [1 / len(refs)] * len(refs)
        record = {**response(f"resp_{self.number()}", {}), "context_units": [{"ref": r, "weight": w} for r, w in zip(refs, weights)]}
        if self.chance.random() < 0.5 and (request := self.id("Query")):
            record["request_id"] = request
        return [record]

    def a_query(self):
        request = f"r{self.number()}"
        chunks = [chunk_record(f"c{n}", f"doc{n % 2}", f"Text {n}.", page=n + 1) for n in self.chance.sample(range(6), 2)]
        return [query_record(request), *(retrieval_record(request, 0.9 - n / 10, chunk) for n, chunk in enumerate(chunks))]

    def an_answer(self):
        request = self.id("Query")
        return [{"$type$": "Answer", "request_id": request, "answer": "Yes.", "confidence": 0.9}] if request else []

    def a_rating(self):
        rated = self.any("Response", "Answer")
        score = self.chance.choice([-1, -0.6, 0.5, 1])
        return [{"$type$": "FeedbackRecord", "id": f"fb_{self.number()}", "ref": rated, "timestamp": data.TIME, "score": score}] if rated else []

    def step(self, to):
        makers = (self.a_unit, self.a_unit, self.a_response, self.a_response, self.a_query, self.an_answer, self.an_answer, self.a_rating)
        try:
            if self.chance.random() < 0.15:
                ref = self.any("ContextUnit", "Response", "Response", "Answer", "FeedbackRecord")
                gone = to.delete(ref)["deleted"] if ref else []
                self.live = {kind: [ref for ref in refs if ref not in gone] for kind, refs in self.live.items()}
            elif records := self.chance.choice(makers)():
                for ref in to.write(*records, mode="capture")["refs"]:
                    refs = self.live.setdefault(ref.split(":")[0], [])
                    if ref not in refs:
                        refs.append(ref)
        except RpcError:
            pass  # one of its rules: a cycle, an answer known already

    def __call__(self, to):
        for _ in range(STEPS):
            self.step(to)


# What is purged, and in which history.
GONE = (*((records_of_all_kinds, ref) for ref in ("ContextUnit:cu_a", "ContextUnit:cu_b", "ContextUnit:cu_c", "Response:resp_1", "Response:resp_2",
                                                   "Message:m", "Topic:t", "FeedbackRecord:fb")),
        (a_question, "RetrievedChunk:c1"), (a_question, "Answer:r"), (a_question, "Query:r"), (a_version_of_a_summary, "Message:m1"))

# What gets the id of the deleted node.
AGAIN = {a_unit: unit("cu_a", summary="new"), a_cause_of_a_version: response("resp_1", {"cu_b": 1}), a_source: unit("cu_a", source="new"),
         an_agent: thing("g", kind="ProvAgent"), a_plan_and_a_member: thing("p"), ours_beside_others: unit("cu_a", summary="new"),
         a_chunk: chunk_record("c1", "doc", "Other.", page=1), a_response: response("resp_1", {"cu_a": 1}, agent="new"),
         what_was_decided_about: response("resp_1", {"cu_a": 1}, agent="new")}


def graph_of(server, **moment):
    """Refs with statuses, and edges without transactions."""
    held = set()
    for kind in server.rpc("rpc.discover")["components"]["schemas"]["RecordType"]["enum"]:
        for node in server.rpc("node.find", {"type": kind, "limit": 1000, "include": ["edges"], **moment})["nodes"]:
            held.add((node["ref"], node.get("status")))
            held |= {(edge["from"], edge["type"], edge["to"], edge.get("weight"), edge.get("cycle_cut"), edge.get("basis"), edge.get("role")) for edge in node.get("edges", ())}
    return held


def marks_of(server):
    """What records are marked with: flags, and that nothing is left of them. With the texts of summaries."""
    marks = {}
    for kind in server.rpc("rpc.discover")["components"]["schemas"]["RecordType"]["enum"]:
        for node in server.rpc("node.find", {"type": kind, "limit": 1000, "include": ["record"]})["nodes"]:
            record = node.get("record", {})
            marks[node["ref"]] = (node.get("expired"), record.get("flags"), record.get("content") if kind == "Summary" else None)
    return marks


class DeletionsTest(ExportCase):
    def check(self, *steps):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                for step in steps:
                    step(data.Writer(server))
                last = server.rpc("server.info")["tx"]
                moments, marks = [graph_of(server, as_of=tx) for tx in range(last + 1)], marks_of(server)
                server.stop()
            for form in ("jsonl", "prov-json"):
                made = run("export", "--format", form, "--db", folder + "/db", "-o", f"{folder}/{form}")
                self.assertEqual(made.returncode, OK, made.stderr)
                taken = run("import", f"{folder}/{form}", "--format", form, "--db", f"{folder}/{form}.db")
                self.assertEqual(taken.returncode, OK, f"{form}: {taken.stderr.decode()}")
                self.assertEqual(run("verify", "--db", f"{folder}/{form}.db").returncode, OK)
                with Server(f"{folder}/{form}.db") as server:
                    self.assertEqual(graph_of(server), moments[-1], form)
                    self.assertEqual(marks_of(server), marks, form)
                    if form == "jsonl":
                        self.assertEqual([graph_of(server, as_of=tx) for tx in range(last + 1)], moments)
                    server.stop()
            return json.loads(Path(folder, "prov-json").read_text(encoding="utf-8")), manifest_of(Path(folder, "prov-json"))

    def test_each_kind_of_deletion(self):
        for kind in KINDS:
            with self.subTest(kind.__name__):
                self.check(kind)

    def test_another_node_of_the_same_id(self):
        for kind, record in AGAIN.items():
            with self.subTest(kind.__name__):
                self.check(kind, lambda to, record=record: to.write(record))

    def test_without_the_right_to_purge_nothing_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                a_version(data.Writer(server))
                server.stop()
            made = run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made")
            self.assertEqual(made.returncode, OK, made.stderr)
            self.assertIn(b"whence:deleted", Path(folder, "made").read_bytes())
            for role in ("write", "admin"):
                write_private(Path(folder, role), f"{role}\n")
            write_tokens(Path(folder, "tokens"), "write write\nadmin admin\n")
            with Server(folder + "/other", "--tokens", folder + "/tokens", token="admin") as server:
                taken = run("import", folder + "/made", "--format", "prov-json", "--url", server.url, "--token-file", folder + "/write")
                self.assertNotEqual(taken.returncode, OK)
                self.assertIn(b"admin", taken.stderr)
                self.assertEqual(server.rpc("server.info")["tx"], 0)
                taken = run("import", folder + "/made", "--format", "prov-json", "--url", server.url, "--token-file", folder + "/admin")
                self.assertEqual(taken.returncode, OK, taken.stderr)
                self.assertEqual(server.rpc("server.info")["tx"], 3)

    def test_a_document_with_a_deleted_query_may_be_taken_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                a_query_of_a_question(data.Writer(server))
                marks = marks_of(server)
                server.stop()
            made = run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made")
            self.assertEqual(made.returncode, OK, made.stderr)
            for _ in range(2):
                taken = run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/other")
                self.assertEqual(taken.returncode, OK, taken.stderr)
            with Server(folder + "/other") as server:
                self.assertEqual(marks_of(server), marks)
                server.stop()

    def taken(self, folder, form, code=OK):
        """The export of `folder`'s store, and the store that it makes."""
        made = run("export", "--format", form, "--db", folder + "/db", "-o", f"{folder}/{form}")
        self.assertEqual(made.returncode, OK, made.stderr)
        taken = run("import", f"{folder}/{form}", "--format", form, "--db", f"{folder}/{form}.db")
        self.assertEqual(taken.returncode, code, f"{form}: {taken.stderr.decode()}")
        return Path(folder, form).read_bytes()

    def test_what_is_gone_comes_back_from_jsonl_and_is_not_invented_by_prov(self):
        for kind, ref in GONE:
            with self.subTest(kind.__name__, ref=ref), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db") as server:
                    kind(data.Writer(server))
                    server.rpc("records.purge", {"refs": [ref]})
                    graph = graph_of(server)
                    server.stop()
                lines = self.taken(folder, "jsonl")
                again = run("export", "--format", "jsonl", "--db", folder + "/jsonl.db")
                self.assertEqual(again.stdout, lines)
                document = json.loads(self.taken(folder, "prov-json"))
                self.assertNotIn("agent:", document.get("agent", {}))
                self.assertEqual([each for each in document.get("wasAssociatedWith", {}).values() if not each["whence:model"]], [])
                gone = [each for each in document["entity"].values() if "whence:purged" in each]
                self.assertTrue(gone and not any("whence:record" in each for each in gone))
                self.assertIn({"kind": "gone_record_left_out", "count": len(gone)}, manifest_of(Path(folder, "prov-json"))["losses"])
                with Server(folder + "/prov-json.db") as server:
                    self.assertEqual([each for each in graph_of(server) if each not in graph and len(each) > 2], [], "edges that were not")
                    server.stop()

    def taken_as(self, folder, *steps):
        """What the store of `steps` says, the losses of its PROV-JSON, and what a store that took that says."""
        with Server(folder + "/db") as server:
            for step in steps:
                step(data.Writer(server))
            graph = graph_of(server)
            server.stop()
        document = json.loads(self.taken(folder, "prov-json"))
        with Server(folder + "/prov-json.db") as server:
            taken = graph_of(server)
            server.stop()
        losses = {loss["kind"]: loss["count"] for loss in manifest_of(Path(folder, "prov-json"))["losses"]}
        return document, losses, graph, taken

    def test_edges_between_ours_and_things_of_others_come_back(self):
        def a_document_of_an_entity(to):
            to.write({**thing("http://ex.org/t"), "qname": "ex:t", "prefixes": {"ex": "http://ex.org/"}}, thing("urn:t"),
                     thing("v", ("specializationOf", {"other": "ProvEntity:urn:t"})))
            to.write({"$type$": "Document", "document_name": "d", "uri": "http://ex.org/t"}, {"$type$": "Document", "document_name": "e", "uri": "urn:t"})

        def what_an_act_made(to):
            a_question(to)
            to.write(thing("urn:made", ("wasDerivedFrom", {"other": "Response:resp_1"})),
                     {**thing("urn:in"), "id": "urn:in#bundle=urn:b", "qname": "urn:in", "bundle": "urn:b", "bundle_iri": "urn:b",
                      "relations": [{"relation": "wasDerivedFrom", "other": "Response:resp_1", "attributes": {}}]})

        for kind, names in ((a_document_of_an_entity, ["ex:t", "urn:t", "v"]), (what_an_act_made, ["urn:made", "whence:ProvEntity%3Aurn%3Ain%23bundle%3Durn%3Ab"])):
            with self.subTest(kind.__name__), tempfile.TemporaryDirectory() as folder:
                document, losses, graph, taken = self.taken_as(folder, kind)
                self.assertEqual((taken, losses), (graph, {}))
                ends = [each[end] for section in ("wasDerivedFrom", "wasInfluencedBy") for each in document.get(section, {}).values()
                        for end in ("prov:usedEntity", "prov:influencee") if end in each and each.get("whence:edge") in ("LOADED_FROM", "THROUGH_ACT")]
                self.assertEqual(sorted(end for end in ends if end.split(":")[0] not in ("Response", "Answer")), sorted(names))
                made = run("export", "--format", "prov-n", "--db", folder + "/db")
                self.assertEqual([name for name in names if name.encode() not in made.stdout], [], made.stdout)
                self.assertNotIn(b"ProvEntity:", made.stdout)

    def test_what_is_part_of_what_is_gone_comes_back(self):
        def a_discussion(to):
            to.write(discussion_record("u", "d"), round_record("u", "d", 1))
            to.rpc("records.purge", refs=["Discussion:u/d"])
            to.write(round_record("u", "d", 2))
            to.rpc("discussion.summarize", userId="u", discussionId="d", summary="Of the second.")

        def a_message_of_an_attachment(to):
            to.write({"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t", "text": "Text."})
            to.rpc("records.purge", refs=["Message:m"])
            to.write(attachment("m", "t", llm_response("x" * 100, subject("s", ("k", 0.5)), "One.")))

        def a_rating(to):
            to.write(unit("cu_a"), response("resp_1", {"cu_a": 1}))
            to.rpc("records.purge", refs=["Response:resp_1"])
            to.write(feedback("fb_1", "resp_1", 1))

        for kind, lost in ((a_discussion, {"DiscussionRound:u/d/1"}), (a_message_of_an_attachment, set()), (a_rating, {"Response:resp_1", "FeedbackRecord:fb_1"})):
            with self.subTest(kind.__name__), tempfile.TemporaryDirectory() as folder:
                _, losses, graph, taken = self.taken_as(folder, kind)
                self.assertEqual({each[0] for each in graph if len(each) == 2} - {each[0] for each in taken if len(each) == 2}, lost)
                self.assertEqual({each[:3] for each in taken if len(each) > 2} - {each[:3] for each in graph}, set(), "edges that were not")
                self.assertIn("gone_record_left_out", losses)
                self.assertEqual(losses.get("rating_left_out"), 1 if kind is a_rating else None)

    def test_a_summary_whose_first_version_is_not_there_is_the_topic_s(self):
        for kind in (a_version_of_a_summary, lambda to: (a_version_of_a_summary(to), to.delete("Summary:t-v2"))):
            with tempfile.TemporaryDirectory() as folder:
                self.taken_as(folder, kind)
                with Server(folder + "/db") as one, Server(folder + "/prov-json.db") as other:
                    said = [server.rpc("summary.get", {"topic": "t"})["summary"] for server in (one, other)]
                    self.assertEqual(said[1], said[0] if "increment" in said[1] else {k: v for k, v in said[0].items() if k != "increment"})
                    chains = [server.rpc("versions.list", {"ref": "Summary:t-v3"})["versions"] for server in (one, other)]
                    self.assertEqual(chains[1], chains[0])
                    for server in (one, other):
                        data.Writer(server).write(attachment("m4", "t", llm_response("y" * 100, subject("s", ("k", 0.5), new="false"), "Of m4.")), ensure=True)
                        now = server.rpc("summary.get", {"topic": "t"})["summary"]
                        self.assertEqual((now["version"], now["content"]), (4, said[0]["content"] + "\nOf m4."))
                    one.stop(), other.stop()

    def test_the_newest_summary_is_the_highest_in_whatever_order_they_come(self):
        def answer(number):
            new = "true" if number == 1 else "false"
            return attachment(f"m{number}", "t", llm_response("x" * 100, subject("s", ("k", 0.5), new=new), f"Of m{number}."))

        def twelve_versions(to):
            to.write({"$type$": "Topic", "id": "t"})
            for number in range(1, 13):
                to.write(answer(number), ensure=True)
            to.delete(*(f"Summary:t-v{number}" for number in range(1, 9)))

        for is_newest_deleted in (False, True):
            with self.subTest(is_newest_deleted=is_newest_deleted), tempfile.TemporaryDirectory() as folder:
                document = self.taken_as(folder, twelve_versions)[0]
                entities = document["entity"]
                ours = [[name for name in entities if name.endswith(f"t-v{number}")] for number in (9, 12, 10, 11)]
                self.assertEqual([len(names) for names in ours], [1] * 4, list(entities))
                order = [name for name in entities if [name] not in ours] + [names[0] for names in ours]
                Path(folder, "ordered").write_text(json.dumps({**document, "entity": {name: entities[name] for name in order}}))
                made = run("import", f"{folder}/ordered", "--format", "prov-json", "--db", f"{folder}/copy")
                self.assertEqual(made.returncode, OK, made.stderr)
                with Server(f"{folder}/copy") as server:
                    to = data.Writer(server)
                    self.assertEqual(server.rpc("summary.get", {"topic": "t"})["summary"]["version"], 12)
                    if is_newest_deleted:
                        to.delete("Summary:t-v12")
                        self.assertEqual(server.rpc("summary.get", {"topic": "t"})["summary"]["version"], 11)
                    for number in (13, 14, 15):
                        to.write(answer(number), ensure=True)
                        now = server.rpc("summary.get", {"topic": "t"})["summary"]
                        self.assertEqual((now["version"], now["previousVersion"]), (number, f"t-v{number - 1}"))
                    summaries = [node["record"]["id"] for node in server.rpc("node.find", {"type": "Summary", "include": ["record"], "limit": 100})["nodes"]]
                    kept = [9, 10, 11] + [12] * (not is_newest_deleted) + [13, 14, 15]
                    self.assertEqual(sorted(summaries), sorted(f"t-v{number}" for number in kept))
                    server.stop()

    def test_a_line_of_versions_keeps_its_ends_where_some_between_are_deleted(self):
        def units(*deleted, purged=()):
            def write(to):
                to.write(unit("cu_1"), *(unit(f"cu_{n}", version=n, previous_version_id=f"cu_{n - 1}") for n in range(2, 7)))
                for number in deleted:
                    to.delete(f"ContextUnit:cu_{number}")
                for number in purged:
                    to.rpc("records.purge", refs=[f"ContextUnit:cu_{number}"])
            return write

        def templates(to):
            for number in range(1, 5):
                to.write(template("m-1", number))
            to.delete("SystemPromptTemplate:m-1/2"), to.delete("SystemPromptTemplate:m-1/3")

        def summaries(to):
            a_version_of_a_summary(to)
            to.write(attachment("m4", "t", llm_response("y" * 100, subject("s", ("k", 0.5), new="false"), "Of m4.")), ensure=True)
            to.delete("Summary:t-v3")

        six = [f"ContextUnit:cu_{number}" for number in range(1, 7)]
        for write, there, purged in ((units(2), six, ()), (units(4, 3), six, ()), (units(5, 2), six, ()), (units(1), six, ()), (units(1, 2), six, ()), (units(6, 3), six, ()),
                                     (units(3, purged=[4]), six, six[3:4]), (units(purged=[2, 5]), six, (six[1], six[4])),
                                     (templates, ["SystemPromptTemplate:m-1/1", "SystemPromptTemplate:m-1/4"], ()), (summaries, ["Summary:t-v2", "Summary:t-v4"], ())):
            with self.subTest(write.__name__), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db") as server:
                    write(data.Writer(server))
                    known = {node["ref"] for kind in {ref.split(":")[0] for ref in there} for node in server.rpc("node.find", {"type": kind})["nodes"]}
                    there = [ref for ref in there if ref in known]
                    said = {ref: (server.rpc("versions.list", {"ref": ref})["versions"], server.rpc("node.get", {"ref": ref})["nodes"][0].get("status")) for ref in there}
                    server.stop()
                self.taken(folder, "jsonl"), self.taken(folder, "prov-json")
                self.assertEqual([loss["kind"] for loss in manifest_of(Path(folder, "prov-json"))["losses"] if loss["kind"] not in ("gone_record_left_out", "increment_changed")], [])
                self.assertEqual({len(chain) for chain, _ in said.values()}, {len(there)})
                for form, kept in (("jsonl", there), ("prov-json", [ref for ref in there if ref not in purged])):
                    with Server(f"{folder}/{form}.db") as server:
                        for ref in kept:
                            chain = server.rpc("versions.list", {"ref": ref})["versions"]
                            self.assertEqual([(each["ref"], each["version"]) for each in chain], [(each["ref"], each["version"]) for each in said[ref][0] if each["ref"] in kept], form)
                            if not purged:
                                self.assertEqual((chain, server.rpc("node.get", {"ref": ref})["nodes"][0].get("status")), said[ref], form)
                        server.stop()

    def test_a_line_of_versions_that_ends_at_an_id_which_another_node_has_is_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            losses = self.taken_as(folder, a_version, lambda to: to.write(unit("cu_b", source="new")))[1]
            self.assertEqual(losses.get("version_line_cut"), 1, losses)

    def test_an_edge_stays_with_the_node_it_led_to_when_its_record_is_written_again(self):
        """A thing of PROV of whose sources one was deleted and another has its id: what is said of the thing later makes no edge to that, unless it names it."""
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            to, edge = data.Writer(server), ("wasDerivedFrom", {"other": "ProvEntity:g"})
            to.write(thing("g"), thing("e", edge))
            to.delete("ProvEntity:g")
            to.write(thing("g"))
            to.write({**thing("e"), "attributes": {"prov:label": "said later"}})
            self.assertEqual([each for each in graph_of(server) if len(each) > 2], [])
            to.write(thing("e", edge))
            self.assertEqual([each[:3] for each in graph_of(server) if len(each) > 2], [("ProvEntity:e", "PROV_wasDerivedFrom", "ProvEntity:g")])
            self.assertTrue(to.write(thing("e", edge))["unchanged"])
            server.stop()

    def test_an_edge_to_what_has_the_id_of_a_deleted_node_is_counted(self):
        def another_topic(to):
            a_topic(to)
            to.write({"$type$": "Topic", "id": "t"})

        def another_keyword(to):
            a_version_of_a_summary(to)
            to.delete("Keyword:k")
            to.write(attachment("m4", "t", llm_response("y" * 100, subject("s", ("k", 0.5), new="false"), "Of m4.")), ensure=True)

        for kind in (another_topic, another_keyword):
            with self.subTest(kind.__name__), tempfile.TemporaryDirectory() as folder:
                _, losses, graph, taken = self.taken_as(folder, kind)
                new = {each[:3] for each in taken if len(each) > 2} - {each[:3] for each in graph}
                self.assertGreater(len(new), 1)
                self.assertEqual(losses.get("edge_to_another", 0), len(new), new)

    def test_a_thing_of_others_that_is_gone_is_counted_and_mentioned(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                to = data.Writer(server)
                to.write(thing("g", kind="ProvAgent"), thing("e", ("wasAttributedTo", {"other": "ProvAgent:g"})))
                server.rpc("records.purge", {"refs": ["ProvAgent:g"]})
                graph = graph_of(server)
                server.stop()
            document = json.loads(self.taken(folder, "prov-json"))
            self.assertEqual((list(document["entity"]), "agent" in document), (["e"], False))
            self.assertIn({"kind": "gone_record_left_out", "count": 1}, manifest_of(Path(folder, "prov-json"))["losses"])
            with Server(folder + "/prov-json.db") as server:
                self.assertEqual(graph_of(server), graph)
                server.stop()

    def test_an_answer_stays_one_act_with_the_response_that_was_there(self):
        def several_responses(to):
            a_question(to)
            to.write(unit("cu_a"), {**response("resp_2", {"cu_a": 1}), "request_id": "r"})
        self.check(several_responses)

    def test_a_response_that_is_no_act_stays_apart_and_says_what_it_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                an_act_of_a_question(data.Writer(server))
                server.stop()
            self.assertEqual(run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made").returncode, OK)
            taken = run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/taken")
            self.assertEqual(taken.returncode, OK, taken.stderr)
            self.assertRegex(taken.stderr.decode(), r"warning: /entity/Response:resp_2: .*request_id.*\(prov_act\)")
            with Server(folder + "/taken") as server:
                responses = [server.rpc("node.find", {"type": "Response", "include": ["record"], **more})["nodes"] for more in ({}, {"as_of": 1})]
                self.assertEqual([node["ref"] for nodes in responses for node in nodes], ["Response:resp_2"] * 2, "nothing that nobody wrote")
                self.assertNotIn("request_id", responses[0][0]["record"])
                server.stop()

    def test_random_histories_come_back_but_for_what_is_named(self):
        for seed in range(data.SEED, data.SEED + HISTORIES):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db") as server:
                    RandomHistory(seed)(data.Writer(server))
                    moments = [graph_of(server, as_of=tx) for tx in range(server.rpc("server.info")["tx"] + 1)]
                    server.stop()
                self.taken(folder, "jsonl")
                with Server(folder + "/jsonl.db") as server:
                    self.assertEqual([graph_of(server, as_of=tx) for tx in range(len(moments))], moments)
                    server.stop()
                made = run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made")
                self.assertEqual(made.returncode, OK, made.stderr)
                taken = run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/prov.db")
                self.assertEqual(taken.returncode, OK, taken.stderr)
                with Server(folder + "/prov.db") as server:
                    graph = graph_of(server)
                    server.stop()
                losses = {loss["kind"]: loss["count"] for loss in manifest_of(Path(folder, "made"))["losses"]}
                self.assertEqual({each[:3] for each in graph - moments[-1]} - {each[:3] for each in moments[-1]}, set(), "edges that were not")
                lost = [each for each in moments[-1] - graph if len(each) > 2]
                self.assertEqual({each[1] for each in lost} - {"THROUGH_ACT"}, set())
                self.assertEqual(len(lost), losses.get("act_edge_left_out", 0))
                told = re.findall(r"^warning: /entity/([^:]+:[^:]+): is .*\(prov_status\)$", taken.stderr.decode(), re.M)
                self.assertLessEqual({each[0] for each in graph ^ moments[-1] if len(each) == 2}, set(told))

    def test_what_is_deleted_is_not_named(self):
        document, manifest = self.check(an_agent)
        self.assertEqual((list(document["agent"]), len(document["wasAttributedTo"])), (["h"], 1))
        self.assertIn({"kind": "deleted_reference_left_out", "count": 1}, manifest["losses"])
        document, _ = self.check(a_plan_and_a_member)
        self.assertNotIn("prov:plan", [name for each in document["wasAssociatedWith"].values() if each["prov:activity"] == "r" for name in each])
        self.assertEqual([each["prov:entity"] for each in document["hadMember"].values()], [["q"]])
        document, _ = self.check(a_unit)
        entity = document["entity"]["Response:resp_1"]
        self.assertNotIn("cu_a", entity["whence:record"])
        self.assertEqual(entity["whence:left_out"]["$"], "1")

    def test_what_an_import_makes_otherwise_is_named_in_the_losses(self):
        def an_answer_of_a_question(to):
            a_question(to)
            to.delete("Answer:r")

        def first_chunks(to):
            chunks = [chunk_record(f"c{n}", "doc", f"Text {n}.", page=n) for n in range(1, 6)]
            to.write(*chunks, query_record("r"), *(retrieval_record("r", 0.9 - n / 10, chunk) for n, chunk in enumerate(chunks)))
            to.write({"$type$": "PromptContext", "request_id": "r", "question": "What?", "system_prompt": "Only from this.",
                      "retrieved_chunks": [{"chunk_id": f"c{n}"} for n in range(1, 6)], "formatted_context": "Context"})
            to.delete("RetrievedChunk:c2", "RetrievedChunk:c4")

        def edges_of(server, ref):
            return server.rpc("node.get", {"ref": ref, "include": ["edges"]})["nodes"][0]["edges"]

        def said(server):
            """What each loss is about: edges with ranks, summaries with an increment, and edges of an act."""
            refs = [node["ref"] for kind in ("PromptContext", "Response") for node in server.rpc("node.find", {"type": kind})["nodes"]]
            edges = [(edge["from"], edge["to"], edge["type"], edge.get("rank")) for ref in refs for edge in edges_of(server, ref)]
            summaries = server.rpc("node.find", {"type": "Summary", "include": ["record"]})["nodes"]
            return {"rank_changed": {edge for edge in edges if edge[2] == "INCLUDED_IN"},
                    "increment_changed": {(node["ref"], node["record"].get("increment")) for node in summaries},
                    "act_edge_left_out": {edge for edge in edges if edge[2] == "THROUGH_ACT"}}

        for kind in (an_answer_of_a_question, first_chunks, a_chunk, a_document, a_message, a_version_of_a_summary, a_prompt_of_a_question):
            with self.subTest(kind.__name__), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db") as server:
                    kind(data.Writer(server))
                    before = said(server)
                    server.stop()
                self.assertEqual(run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made").returncode, OK)
                self.assertEqual(run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/other").returncode, OK)
                with Server(folder + "/other") as server:
                    after = said(server)
                    server.stop()
                changed = {name: len(before[name] - after[name]) for name in before}
                losses = {loss["kind"]: loss["count"] for loss in manifest_of(Path(folder, "made"))["losses"]}
                self.assertEqual({name: losses.get(name, 0) for name in changed}, changed)
                expected = {an_answer_of_a_question: ("act_edge_left_out", 1), first_chunks: ("rank_changed", 2), a_chunk: ("rank_changed", 1),
                            a_message: ("increment_changed", 1), a_version_of_a_summary: ("increment_changed", 1)}.get(kind)
                self.assertEqual({name: count for name, count in changed.items() if count}, dict([expected] if expected else []))


del ExportCase

if __name__ == "__main__":
    unittest.main()
