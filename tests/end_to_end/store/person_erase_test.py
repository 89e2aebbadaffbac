"""Claim: an erased person's texts are nowhere any more: not in the store once it is compacted, not in the index, in exports or in any
answer; and what others wrote is answered as in a history in which the person never was, but for marks of what went.

Method: random histories of several persons, with own and shared texts, ratings, messages, retrievals and telemetry, are written to one
server, and without one person's records to another. That person is erased at the first; then both are asked about every node, and the
bytes of the first one's files are searched for the words of the person, each of which is said nowhere else. What the ids of
nodes say stays: the person has a pseudonym. A server that is killed while it erases has done all of it or nothing.
WHENCE_ERASURES says how many histories, WHENCE_ERASE_KILLS how many kills.
"""
import hashlib
import http.client
import json
import os
import random
import re
import tempfile
import threading
import unittest
from pathlib import Path

from store.persons import PERSONS, SECOND, START, History, answers_of, files_with, time_of
from support.otlp import log, send, span
from support.program import Server, seed_of_run, twin_store, whence
from support.wire_case import NOT_FOUND, PRECONDITION, FreshServerCase

SEED = seed_of_run()
HISTORIES = int(os.environ.get("WHENCE_ERASURES", "3"))
KILLS = int(os.environ.get("WHENCE_ERASE_KILLS", "4"))
LONGEST_S = 0.01  # about as long as an erasure takes


class PersonEraseTest(FreshServerCase):
    def test_random_histories_after_an_erasure(self):
        for number in range(HISTORIES):
            seed = f"{SEED} {number}"
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                self.compare(random.Random(seed), Path(folder))

    def compare(self, chance, folder):
        history = History(chance)
        erased = chance.choice(PERSONS)
        secret = f"secret-{erased}-".encode()
        with Server(twin_store(folder / "with")) as server, Server(twin_store(folder / "without")) as twin:
            history.write(server)
            history.write(twin, left_out=erased)
            is_there = any(person == erased for person, *_ in history.steps)
            self.assertEqual(whence("export", "-o", str(folder / "early.jsonl"), "--url", server.url).returncode, 0)
            self.assertEqual(is_there, files_with(secret, folder / "early.jsonl") != [])
            if not is_there:
                return
            would = server.rpc("person.erase", {"person": erased, "dry_run": True})
            found = server.rpc("person.find", {"person": erased, "limit": 10000})
            self.assertEqual(sorted(would["purged"]), sorted(node["ref"] for node in found["nodes"]))
            self.assertEqual(whence("backup", str(folder / "before"), "--url", server.url).returncode, 0)
            done = server.rpc("person.erase", {"person": erased, "reason": "asked to be forgotten"})
            event = server.rpc("history.get", {"ref": f"Person:{erased}"})["events"][-1]
            self.assertEqual((event["tx"], event["reason"]), (done["tx"], "asked to be forgotten"))
            listed = whence("person", "erase", erased, "--dry-run", "--list", str(folder / "erased"), "--url", server.url)
            self.assertEqual(listed.returncode, 0, listed.stderr)
            lines = [json.loads(line) for line in (folder / "erased").read_text().splitlines()]
            self.assertEqual(sorted(line["ref"] for line in lines[:-1]), sorted(done["purged"]))
            later = {"ref": "Response:resp_that_came_later", "tx": done["tx"] + 1, "at": lines[0]["at"], "purged_at": lines[0]["purged_at"]}
            with (folder / "erased").open("a") as more:
                more.write(json.dumps(later) + '\n{"end":1}\n')
            self.assertEqual(whence("backup", str(folder / "after"), "--url", server.url).returncode, 0)
            self.assertEqual(done["purged"], would["purged"])
            ours, theirs = answers_of(server), answers_of(twin)
            self.assertNotIn(erased, json.dumps(ours.pop(done["erasure"])))
            raters = {f"Person:{person}" for person in history.only_raters_of(erased)}
            self.assertEqual({ref for ref in ours if not ref.startswith("ProvEntity:urn:otel:")} - raters,
                             {ref for ref in theirs if not ref.startswith("ProvEntity:urn:otel:")})
            for ref, expected in theirs.items():
                self.assertEqual(ours[ref], expected, ref)
            for moment in ({}, {"as_of": done["tx"] - 1}):
                hits = server.rpc("search", {"text": f"secret-{erased}", "limit": 100, **moment})["nodes"]
                self.assertEqual([hit for hit in hits if secret.decode() in json.dumps(hit)], [])
                rows = server.rpc("query", {"cypher": "MATCH (n) RETURN n", "limit": 10000, **moment})
                self.assertNotIn(secret.decode(), json.dumps(rows))
            self.assertTrue(server.rpc("admin.verify")["ok"])
            self.assertEqual(whence("export", "-o", str(folder / "all.jsonl"), "--url", server.url).returncode, 0)
        self.assertEqual(whence("compact", "--db", str(folder / "with")).returncode, 0)
        restored = whence("restore", str(folder / "before"), "--db", str(folder / "restored"), "--erased", str(folder / "erased"))
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertEqual(whence("verify", "--db", str(folder / "restored")).returncode, 0)
        self.assertEqual(whence("export", "-o", str(folder / "old.jsonl"), "--db", str(folder / "before")).returncode, 0)
        self.assertNotEqual(files_with(secret, folder / "old.jsonl"), [])
        self.assertEqual(whence("export", "-o", str(folder / "restored.jsonl"), "--db", str(folder / "restored")).returncode, 0)
        self.assertEqual(whence("compact", "--db", str(folder / "after")).returncode, 0)
        for place in (folder / "with", folder / "all.jsonl", folder / "after", folder / "restored", folder / "restored.jsonl"):
            self.assertEqual(files_with(secret, place), [])

    def test_an_erasure_is_whole_or_not_begun_after_a_kill(self):
        whole = 0
        for number in range(KILLS):
            seed = f"{SEED} kill {number}"
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                whole += self.kill_while_erasing(random.Random(seed), folder + "/db")
        print(f"{whole} of {KILLS} erasures were whole before the kill")

    def kill_while_erasing(self, chance, db):
        """Whether the erasure was there."""
        history = History(chance)
        erased = chance.choice([person for person, *_ in history.steps])
        with Server(db) as server:
            history.write(server)
            found = server.rpc("person.find", {"person": erased, "limit": 10000})["nodes"]
            acknowledged = []
            asked = threading.Thread(target=self.erase, args=(server, erased, acknowledged))
            asked.start()
            asked.join(chance.random() * LONGEST_S)
            server.kill()
            asked.join()
        with Server(db) as server:
            nodes = server.rpc("node.get", {"refs": [node["ref"] for node in found]})["nodes"]
            gone = [node.get("purged", False) for node in nodes]
            self.assertEqual(len(set(gone)), 1, nodes)
            self.assertTrue(gone[0] or not acknowledged, "an acknowledged erasure is not there")
            if not gone[0]:
                server.rpc("person.erase", {"person": erased, "reason": "asked again"})
            self.assertTrue(server.rpc("admin.verify")["ok"])
        self.assertEqual(whence("compact", "--db", db).returncode, 0)
        self.assertEqual(files_with(f"secret-{erased}-".encode(), Path(db)), [])
        return gone[0]

    @staticmethod
    def erase(server, person, acknowledged):
        try:
            acknowledged.append(server.rpc("person.erase", {"person": person, "reason": "asked"}))
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the server is gone

    def test_what_others_rest_on_stays_and_is_named(self):
        unit = {"content": "Bills are due on June 30.", "source": "faq", "type": "External", "weight": 1}
        for name, person in (("a", "anna"), ("b", "bea")):
            self.write({"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(1), "agent": "a", "model": "m",
                        "person": person, "content": name, "context_units": [unit]})
        found = self.rpc("person.find", person="anna")
        self.assertEqual([node["ref"] for node in found["nodes"]], ["Person:anna", "Response:resp_a"])
        self.assertEqual(found["counts"], {"Person": 1, "Response": 1})
        shared = [node["ref"] for node in found["shared"]]
        erased = self.rpc("person.erase", person="anna")
        self.assertEqual((erased["purged"], erased["shared"]), (["Person:anna", "Response:resp_a"], shared))
        self.assertEqual(self.record(shared[0])["content"], unit["content"])
        self.assertTrue(self.rpc("node.get", ref="resp_a")["nodes"][0]["purged"])
        again = self.rpc("person.erase", person="bea")
        self.assertIn(shared[0], again["purged"] + again["shared"])
        self.refused(NOT_FOUND, "person.find", person="nobody")
        self.refused(NOT_FOUND, "person.erase", person="nobody")

    def test_the_command_line_finds_exports_and_erases(self):
        self.write({"$type$": "Response", "id": "resp_a", "timestamp": time_of(1), "agent": "a", "model": "m", "person": "anna",
                    "question": "When is the bill due?", "content": "On June 30.",
                    "context_units": [{"content": "hello", "source": "chat", "type": "User", "weight": 1}]})
        with tempfile.TemporaryDirectory() as folder:
            done = whence("person", "export", "anna", folder + "/anna", "--url", self.server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            records = json.loads(Path(folder, "anna", "records.json").read_text())["records"]
            self.assertEqual({record["$type$"] for record in records}, {"Person", "Response", "ContextUnit"})
            self.assertIn("When is the bill due?", Path(folder, "anna", "README.md").read_text())
            self.assertEqual({each.stat().st_mode & 0o77 for each in (Path(folder, "anna"), *Path(folder, "anna").iterdir())}, {0})
            again = whence("person", "export", "anna", folder + "/anna", "--url", self.server.url)
            self.assertEqual((again.returncode, "exists already" in again.stderr), (5, True), again.stderr)
        for action in ("find", "erase", "certificate"):  # a name of two words
            done = whence("person", action, "anna", "meier", "--url", self.server.url)
            self.assertEqual((done.returncode, "\"meier\" is one argument too many" in done.stderr), (2, True), done.stderr)
        found = whence("person", "find", "Person:anna", "--url", self.server.url)
        self.assertIn("Response:resp_a", found.stdout)
        unknown = whence("person", "find", "ana", "--url", self.server.url)
        self.assertIn("PERSON: Person:ana does not exist; did you mean `anna`?", unknown.stderr)
        for words in (["export", "anna ", "unused"], ["erase", "Person:Ana", "--dry-run"]):
            self.assertIn("did you mean `anna`?", whence("person", *words, "--url", self.server.url).stderr, words)
        self.assertNotIn("did you mean", whence("person", "find", "somebody", "--url", self.server.url).stderr)
        certificate = whence("person", "certificate", "anna", "--url", self.server.url)
        self.assertIn("the record of an erasure", certificate.stderr)
        would = whence("person", "erase", "anna", "--dry-run", "--url", self.server.url)
        self.assertIn("would erase Response:resp_a", would.stdout)
        self.assertEqual(self.record("resp_a")["content"], "On June 30.")
        held = whence("hold", "set", "--person", "anna", "--reason", "case 17", "--url", self.server.url)
        self.assertEqual(held.returncode, 0, held.stderr)
        refused = whence("person", "erase", "anna", "--yes", "--url", self.server.url)
        self.assertRegex(refused.stderr, f"PERSON: .*is held by {held.stdout.strip()}; end the hold first")
        self.assertIn("case 17", whence("hold", "list", "--url", self.server.url).stdout)
        for words, said in ((["clear", "hold_none", "--reason", "over"], "REF: Hold:hold_none does not exist"),
                            (["clear", "--reason", "over"], "whence hold clear HOLD"), (["set", "--reason", "r"], "REF, --person, --topic or --query"),
                            (["set", "Response:resp_none", "--reason", "r"], "REF: Response:resp_none does not exist")):
            done = whence("hold", *words, "--url", self.server.url)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(said, done.stderr)
            self.assertNotRegex(done.stderr, r"/refs|/id\b|hold\.clear|`refs`")
        cleared = whence("hold", "clear", held.stdout.strip(), "--reason", "closed", "--url", self.server.url)
        self.assertEqual(cleared.returncode, 0, cleared.stderr)
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder, "list"), Path(folder, "certificate.json")
            nowhere = whence("person", "erase", "anna", "--list", folder + "/none/list", "-o", kept[1], "--url", self.server.url)
            self.assertIn("nothing was erased", nowhere.stderr)
            self.assertEqual(self.record("resp_a")["content"], "On June 30.")
            erased = whence("person", "erase", "anna", "--yes", "--list", kept[0], "-o", kept[1], "--url", self.server.url)
            self.assertIn("erased Response:resp_a", erased.stdout)
            before = [each.read_bytes() for each in kept]
            self.assertEqual([each.stat().st_mode & 0o777 for each in kept], [0o600, 0o600])
            over = whence("person", "erase", "anna", "--yes", "-o", kept[1], "--url", self.server.url)
            self.assertEqual((over.returncode, "exists already; nothing was erased" in over.stderr), (5, True), over.stderr)
            again = whence("person", "erase", "anna", "--yes", "--list", kept[0], "-o", folder + "/second", "--url", self.server.url)
            self.assertIn("nothing was left to erase", again.stderr)
            self.assertFalse(Path(folder, "second").exists())
            self.assertEqual([each.read_bytes() for each in kept], before)
        self.assertIn("Response:resp_a (purged)", whence("person", "find", "anna", "--url", self.server.url).stdout)
        found = self.rpc("person.find", person="anna")
        self.assertEqual((found["counts"], found["gone"]), ({}, len(found["nodes"])))

    def test_an_export_has_all_texts_to_read(self):
        self.write({"$type$": "Person", "id": "anna", "name": "TEXT-name"},
                   {"$type$": "Response", "id": "resp_1", "timestamp": time_of(1), "agent": "a", "model": "m", "person": "anna", "prompt": "TEXT-prompt", "question": "TEXT-question",
                    "content": "TEXT-content", "attributes": {"note": "TEXT-attribute"},
                    "context_units": [{"content": "TEXT-unit", "summary": "TEXT-summary", "source": "c", "type": "User", "weight": 1}]},
                   {"$type$": "Discussion", "userId": "anna", "discussionId": "d", "topic": "TEXT-topic"},
                   {"$type$": "DiscussionRound", "userId": "anna", "discussionId": "d", "roundNumber": 1, "timestamp": 1, "analyzerResponse": {"content": "TEXT-first"},
                    "solverResponse": {"content": "TEXT-second"}, "moderatorResponse": {"content": "TEXT-third"}, "questions": {"q": "TEXT-asked"}, "userAnswers": ["TEXT-told"]})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("person", "export", "anna", folder, "--url", self.server.url).returncode, 0)
            there, readable = (set(re.findall("TEXT-[a-z]+", Path(folder, name).read_text())) for name in ("records.json", "README.md"))
        self.assertEqual((len(there), there - readable), (13, set()))

    def test_an_export_says_when(self):
        self.write({"$type$": "Topic", "id": "t"},
                   {"$type$": "Message", "id": "msg_1", "topicId": "t", "person": "anna", "text": "hello", "createdAt": 1_760_000_000_500})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("person", "export", "anna", folder, "--url", self.server.url).returncode, 0)
            self.assertIn("When: 2025-10-09T08:53:20.5Z", Path(folder, "README.md").read_text())

    def test_what_another_says_of_answers_is_not_given_away(self):
        self.write({"$type$": "Response", "id": "resp_b", "timestamp": time_of(1), "agent": "a", "model": "m", "person": "bea", "content": "Yes.", "context_units": [{"content": "Bea asks", "source": "chat", "type": "User", "weight": 1}]})
        for user in ("bea", "clara"):
            self.write({"$type$": "FeedbackRecord", "id": f"fb_{user}", "response_id": "resp_b", "timestamp": time_of(2), "score": 1,
                        "user_id": user, "feedback_text": f"said by {user}"})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("person", "export", "bea", folder, "--url", self.server.url).returncode, 0)
            written = Path(folder, "records.json").read_text() + Path(folder, "README.md").read_text()
        self.assertIn("said by bea", written)
        self.assertNotIn("said by clara", written)
        self.assertEqual(json.loads(written.splitlines()[0])["ratings_by_others"], ["FeedbackRecord:fb_clara"])

    def refs(self, found, part="nodes"):
        return [node["ref"] for node in found[part]]

    def test_the_question_of_a_retrieval_goes_with_its_answer(self):
        """With an answer, without one, and where another person's answer rests on the same request."""
        self.write({"$type$": "RetrievedChunk", "chunk_id": "k", "content": "doc text", "metadata": {"document_name": "d", "chunk_index": 0}, "embedding": [1.0] * 384})

        def ask(question, *persons, answer=None):
            request = self.rpc("rag.retrieve", vector=[1] * 384, question=question, record=True)["request_id"]
            if answer is not None:
                self.rpc("rag.answer", request_id=request, answer=answer)
            for person in persons:
                self.write({"$type$": "Response", "id": f"resp_{request}_{person}", "agent": "a", "model": "m", "content": "No", "timestamp": time_of(1),
                            "person": person, "request_id": request, "context_units": [{"ref": "RetrievedChunk:k", "weight": 1}]})
            return request

        answered = ask("Am I ill, asks Anna?", "anna", answer="No, Anna [d]")
        alone = ask("Anna asks alone", "anna")
        others = ask("Bea asks", "bea", answer="No, Bea [d]")
        found = self.rpc("person.find", person="anna")
        hers = {"Person:anna", f"Response:resp_{answered}_anna", f"Response:resp_{alone}_anna"}
        hers |= {f"{name}:{answered}" for name in ("Query", "EmbeddingVector", "PromptContext", "Answer")}
        hers |= {f"{name}:{alone}" for name in ("Query", "EmbeddingVector")}
        self.assertEqual((set(self.refs(found)), self.refs(found, "shared")), (hers, ["RetrievedChunk:k"]))
        self.assertEqual(set(self.rpc("person.erase", person="anna")["purged"]), hers)
        self.assertEqual(self.rpc("search", text="Anna")["nodes"], [])
        self.assertEqual(self.rpc("rag.get", request_id=others)["query"]["question"], "Bea asks")

    def test_a_question_goes_whatever_transactions_wrote_what_was_made_from_it(self):
        """The prompt in a transaction of its own, with what was found, with the answer; answered or not."""
        for number, (batches, is_answered) in enumerate(((((0,), (1,), (2,), (3,), (4,), (5,)), True), (((0, 1, 2, 3), (4,), (5,)), True),
                                                         (((0, 1, 2), (3, 4), (5,)), True), (((0, 1, 2), (3,), (5,)), False))):
            request = f"req_20260101_aaaaa{number}"
            records = [{"$type$": "Query", "request_id": request, "question": "annas question", "timestamp": time_of(1)},
                       {"$type$": "EmbeddingVector", "request_id": request, "model_name": "m", "dimension": 2, "vector": [1, 0.5]},
                       {"$type$": "RetrievedChunk", "chunk_id": "k", "content": "doc text", "metadata": {"document_name": "d.pdf", "chunk_index": 1, "page_number": 3}, "request_id": request, "similarity_score": 0.9},
                       {"$type$": "PromptContext", "request_id": request, "question": "annas question", "retrieved_chunks": [{"chunk_id": "k"}], "system_prompt": "s", "formatted_context": "annas prompt"},
                       {"$type$": "Answer", "request_id": request, "answer": "annas answer [d.pdf, page 3]", "confidence": 0.9},
                       {"$type$": "Response", "id": f"resp_{number}", "timestamp": time_of(2), "agent": "a", "model": "m", "person": f"anna-{number}", "request_id": request,
                        "content": "annas answer", "context_units": [{"ref": "RetrievedChunk:k", "weight": 1}]}]
            with self.subTest(batches=batches):
                for batch in batches:
                    self.write(*(records[each] for each in batch))
                erased = self.rpc("person.erase", person=f"anna-{number}")
                kinds = ["Query", "EmbeddingVector", "PromptContext"] + (["Answer"] if is_answered else [])
                self.assertEqual(set(erased["purged"]), {f"Person:anna-{number}", f"Response:resp_{number}", *(f"{kind}:{request}" for kind in kinds)})
                self.assertLessEqual(set(erased["shared"]), {"RetrievedChunk:k"})
                self.assertEqual(self.refs(self.rpc("search", text="annas")), [])

    def test_answers_kept_under_a_key_have_nothing_of_a_text(self):
        """Warnings about XML quote what they are about."""
        marks = ("TOPICq8Zk3vWx91mPb", "SUBJr7Yj2uTs84nLc")
        asked = f'<llmQuery><userMessage>q</userMessage><context topicId="{marks[0]}" messageCount="1"/></llmQuery>'
        told = (f'<llmResponse><response>r</response><analysis><subject name="{marks[1]}" description="x" isNew="false"><keyword term="k1" confidence="0.9"/></subject>'
                "<summaryUpdate/></analysis></llmResponse>")
        self.write({"$type$": "Topic", "id": "t"})
        for name, form, xml in (("m1", "llm-query", asked), ("m2", "llm-response", told)):
            batch = [{"$type$": "Message", "id": name, "topicId": "t", "person": "anna"},
                     {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": name, "format": form, "xml": xml, "createdAt": 5}]
            answers = [self.rpc("records.write", records=batch, idempotency_key=name) for _ in range(2)]
            self.assertTrue(answers[0]["warnings"])
            self.assertEqual(answers[0], answers[1])
        self.rpc("person.erase", person="anna")
        with tempfile.TemporaryDirectory() as folder:
            self.rpc("admin.backup", path=folder + "/later")
            self.assertEqual(whence("compact", "--db", folder + "/later").returncode, 0)
            for mark in marks:
                self.assertEqual(files_with(mark.encode(), Path(folder, "later")), [])

    def test_the_command_line_asks_for_no_more_than_the_server_has_room_for(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db", "--memory-for-requests", str(64 << 20)) as server:
            for number in range(60):
                server.rpc("records.write", {"records": [{
                    "$type$": "Response", "id": f"resp_{number}", "timestamp": time_of(1), "agent": "a", "model": "m", "person": "anna",
                    "content": f"lorem ipsum dolor {number} " * 25000, "context_units": [{"content": f"q{number}", "source": "c", "type": "User", "weight": 1}]}]})
            found = whence("person", "find", "anna", "--url", server.url)
            self.assertEqual((found.returncode, found.stdout.count("Response:resp_")), (0, 60), found.stderr)
            done = whence("person", "export", "anna", folder + "/anna", "--url", server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(json.loads(Path(folder, "anna", "records.json").read_text())["records"]), 121)

    def test_what_several_persons_share_goes_with_the_last_of_them(self):
        self.write({"$type$": "ContextUnit", "id": "cu_q", "type": "User", "source": "chat", "content": "of both", "timestamp": time_of(0), "version": 1})
        for person in ("anna", "bea"):
            self.write({"$type$": "Response", "id": f"resp_{person}", "timestamp": time_of(1), "agent": "a", "model": "m", "person": person, "conversation": "both",
                        "content": "c", "context_units": [{"context_unit_id": "cu_q", "weight": 1}]})
        first = self.rpc("person.erase", person="anna")
        self.assertEqual((set(first["purged"]), first["shared"]), ({"Person:anna", "Response:resp_anna"}, ["ContextUnit:cu_q"]))
        self.assertEqual(self.record("cu_q")["content"], "of both")
        last = self.rpc("person.erase", person="bea")
        self.assertEqual((set(last["purged"]), last["shared"]), ({"Person:bea", "Response:resp_bea", "ContextUnit:cu_q", "Session:both"}, []))
        self.assertEqual(set(self.refs(self.rpc("person.find", person="anna"))), {"Person:anna", "Response:resp_anna", "ContextUnit:cu_q", "Session:both"})

    def test_decisions_by_a_person_and_about_their_answers_go(self):
        for name, person in (("a", "anna"), ("b", "bea")):
            self.write({"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(1), "agent": "a", "model": "m", "person": person,
                        "content": name, "context_units": [{"type": "External", "source": "f", "content": "x", "weight": 1}]})
        for name, subject, by in (("about", "resp_a", "bea"), ("by", "resp_b", "anna"), ("other", "resp_b", "bea")):
            self.write({"$type$": "Decision", "id": f"dec_{name}", "subject": f"Response:{subject}", "verdict": "reject", "by": by,
                        "timestamp": time_of(2), "reason": f"{name} annas"})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("person", "export", "anna", folder, "--url", self.server.url).returncode, 0)
            records, text = Path(folder, "records.json").read_text(), Path(folder, "README.md").read_text()
        self.assertEqual(json.loads(records)["decisions_by_others"], ["Decision:dec_about"])
        self.assertEqual([("by annas" in each, "about annas" in each) for each in (records, text)], [(True, False)] * 2)
        purged = self.rpc("person.erase", person="anna")["purged"]
        self.assertEqual(set(purged), {"Person:anna", "Response:resp_a", "Decision:dec_about", "Decision:dec_by"})
        self.assertEqual(self.record("Decision:dec_other")["reason"], "other annas")

    def test_discussions_of_a_person_go_with_their_rounds(self):
        for user in ("anna", "bea"):
            here = {"userId": user, "discussionId": "d/1"}
            self.write({"$type$": "Discussion", **here, "topic": f"topic of {user}"},
                       {"$type$": "DiscussionRound", **here, "roundNumber": 1, "timestamp": 1_760_000_000_000, "analyzerResponse": {"content": "a"},
                        "solverResponse": {"content": "b"}, "moderatorResponse": {"content": "c"}, "userAnswers": [f"answer of {user}"]})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("person", "export", "anna", folder, "--url", self.server.url).returncode, 0)
            text = Path(folder, "README.md").read_text()
        for said in ("topic of anna", "answer of anna", "When: 2025-10-09T08:53:20Z"):
            self.assertIn(said, text)
        self.assertNotIn("1760000000000", text)
        purged = self.rpc("person.erase", person="anna")["purged"]
        self.assertEqual(len(purged), 2, purged)
        self.assertEqual(self.refs(self.rpc("search", text="anna")), [])
        self.assertEqual(self.rpc("discussion.get", userId="bea", discussionId="d/1")["topic"], "topic of bea")

    def test_what_a_user_said_earlier_goes_where_only_their_answers_use_it(self):
        unit = {"$type$": "ContextUnit", "source": "chat", "timestamp": time_of(0), "version": 1}
        self.write({**unit, "id": "cu_mine", "type": "User", "content": "annas first"}, {**unit, "id": "cu_both", "type": "User", "content": "of both"},
                   {**unit, "id": "cu_doc", "type": "External", "content": "a passage"}, {**unit, "id": "cu_asked", "type": "System", "content": "annas question"},
                   {"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t", "role": "user", "text": "annas message"},
                   {"$type$": "Message", "id": "told", "topicId": "t", "role": "assistant", "text": "of the model"})
        self.rpc("unit.update", ref="cu_mine", id="cu_mine2", content="annas second")
        uses = {"anna": ["ContextUnit:cu_mine", "ContextUnit:cu_both", "ContextUnit:cu_doc", "Message:m", "Message:told"], "bea": ["ContextUnit:cu_both"]}
        for person, refs in uses.items():
            asked = {"prompt_refs": ["ContextUnit:cu_asked"], "prompt_basis": ["question"]} if person == "anna" else {}
            self.write({"$type$": "Response", "id": f"resp_{person}", "timestamp": time_of(1), "agent": "a", "model": "m", "person": person, "content": "c",
                        "context_units": [{"ref": ref, "weight": 1 / len(refs)} for ref in refs], **asked}, mode="capture")
        found = self.rpc("person.find", person="anna")
        hers = {"Person:anna", "Response:resp_anna", "ContextUnit:cu_mine", "ContextUnit:cu_mine2", "ContextUnit:cu_asked", "Message:m"}
        self.assertEqual(set(self.refs(found)), hers)
        self.assertEqual(set(self.refs(found, "shared")), {"ContextUnit:cu_both", "ContextUnit:cu_doc", "Message:told"})
        self.assertEqual(set(self.rpc("person.erase", person="anna")["purged"]), hers)
        self.assertEqual(self.rpc("search", text="annas")["nodes"], [])

    def traced(self, *spans):
        for status, _, body in send(self.server, list(spans)):
            self.assertEqual((status, body), (200, b"{}"))

    def test_what_was_embedded_for_an_answer_goes_with_its_trace(self):
        """Whether a span around them says whom it was for, or each of them; not where others' answers are in the trace."""
        said = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "annas question",
                "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "No."}
        embedded = {"openinference.span.kind": "EMBEDDING", "embedding.model_name": "e", "embedding.embeddings.0.embedding.text": "annas question",
                    "embedding.embeddings.0.embedding.vector": [0.1, 0.2]}

        def trace(number, of_root, of_each, *others):
            t, root = f"{number:032x}", "c" * 16
            call = {"openinference.span.kind": "LLM", "llm.model_name": "m", **said}
            self.traced(span(t, "a" * 16, "embed", START, START + SECOND, {**embedded, **of_each}, root),
                        span(t, "b" * 16, "llm", START + 2 * SECOND, START + 3 * SECOND, {**call, **of_each}, root),
                        *(span(t, f"{n + 1:016x}", "llm", START + 2 * SECOND, START + 3 * SECOND, {**call, "user.id": other}, root) for n, other in enumerate(others)),
                        span(t, root, "chain", START - 1, START + 4 * SECOND, {"openinference.span.kind": "CHAIN", **of_root}))
            return {f"{type}:otel_{t}_{'a' * 16}_0" for type in ("Query", "EmbeddingVector")}

        hers = trace(1, {"user.id": "anna"}, {}) | trace(2, {}, {"user.id": "anna"})
        shared = trace(3, {}, {"user.id": "anna"}, "bea")
        found = set(self.refs(self.rpc("person.find", person="anna")))
        purged = set(self.rpc("person.erase", person="anna")["purged"])
        self.assertEqual((found, hers - purged, shared & purged), (purged, set(), set()))

    def test_log_records_of_their_calls_go_where_others_share_the_trace(self):
        """Messages, answers and ratings that came as log records; ratings that name the call by its response's id, of any trace, too."""
        trace, times = f"{1:032x}", (START, START + SECOND)
        for number, person in enumerate(("anna", "bea")):
            call = "ab"[number] * 16
            self.traced(span(trace, call, "chat", *times, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "user.id": person,
                                                           "gen_ai.response.id": f"id-{person}"}, "c" * 16),
                        log(trace, call, "gen_ai.user.message", START, body={"content": f"asked by {person}"}),
                        log(trace, call, "gen_ai.choice", START + 1, body={"index": 0, "message": {"role": "assistant", "content": f"told to {person}"}}),
                        *(log(of, on, "gen_ai.evaluation.result", START + SECOND, {
                            "gen_ai.evaluation.name": f"q{i}", "gen_ai.evaluation.score.value": 0.5, "gen_ai.evaluation.explanation": f"rated {i} of {person}",
                            **({} if of == trace else {"gen_ai.response.id": f"id-{person}"})})
                          for i, (of, on) in enumerate(((trace, call), (f"{9:032x}", "9" * 16), ("", "")))))
        self.traced(span(trace, "c" * 16, "agent", *times, {"gen_ai.operation.name": "invoke_agent"}))

        def said():
            rows = json.dumps(self.rpc("query", cypher="MATCH (n) RETURN n", limit=1000))
            return [{each for each in ("asked by", "told to", "rated 0 of", "rated 1 of", "rated 2 of") if f"{each} {person}" in rows}
                    for person in ("anna", "bea")]

        everything = said()
        self.assertEqual([len(each) for each in everything], [5, 5])
        call = f"Response:resp_{trace}_{'b' * 16}"
        logs = {ref: json.dumps(self.record(ref)) for ref in self.refs(self.rpc("node.find", type="ProvEntity", limit=100))}
        told = [ref for ref, record in logs.items() if "told to bea" in record or re.search("rated . of bea", record)]
        self.assertEqual(len(told), 4)
        for held in ({"refs": [call]}, {"query": {"type": "Response", "where": {"person": "bea"}}}):
            hold = self.rpc("hold.set", reason="case 1", **held)["ref"]
            for ref in told:
                self.refused(PRECONDITION, "records.purge", rule="held", refs=[ref])
                self.refused(PRECONDITION, "records.delete", rule="held", refs=[ref])
            free = next(ref for ref, record in logs.items() if "told to anna" in record)
            self.rpc("records.purge", refs=[free], dry_run=True)
            self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
        found = self.refs(self.rpc("person.find", person="anna"))
        self.assertEqual(sorted(self.rpc("person.erase", person="anna")["purged"]), sorted(found))
        self.assertEqual(said(), [set(), everything[1]])
        self.rpc("records.purge", refs=[call])
        self.assertEqual(said(), [set(), {"asked by"}])  # which is a source of the answer

    def test_answers_to_their_messages_go_where_they_name_nobody(self):
        unit = {"type": "External", "source": "f", "content": "x", "weight": 1}
        self.write({"$type$": "Topic", "id": "t"})
        for name, asking, told, named in (("hers", "anna", "anna", None), ("asked", "anna", None, None), ("told", None, "anna", None),
                                          ("others", "anna", "bea", None), ("named", "anna", "anna", "bea"), ("nobody", None, None, None)):
            batch = [{"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(1), "agent": "a", "model": "m", "content": f"answer {name}",
                      "context_units": [unit], **({"person": named} if named else {})}]
            parts = {"llm-query": {"userMessage": name, "context": {"topicId": "t", "messageCount": 1, "activeSubjects": [], "recentKeywords": []}},
                     "llm-response": {"response": f"answer {name}", "analysis": {"subjects": [], "summaryUpdate": ""}}}
            for form, person in (("llm-query", asking), ("llm-response", told)):
                batch += [{"$type$": "Message", "id": f"{form} {name}", "topicId": "t", **({"person": person} if person else {})},
                          {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": f"{form} {name}", "format": form, "createdAt": 1,
                           "responseId": f"resp_{name}", "xml": self.rpc("xml.build", format=form, parts=parts[form])["xml"]}]
            self.write(*batch)
        self.write({"$type$": "Message", "id": "m", "topicId": "t", "role": "user", "text": "annas", "person": "anna"})
        for name, basis in (("question", "question"), ("source", "given")):
            self.write({"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(1), "agent": "a", "model": "m", "content": name,
                        "context_units": [unit], "prompt_refs": ["Message:m"], "prompt_basis": [basis]}, mode="capture")
        purged = self.rpc("person.erase", person="anna")["purged"]
        self.assertEqual({ref for ref in purged if ref.startswith("Response:")},
                         {f"Response:resp_{name}" for name in ("hers", "asked", "told", "question")})

    def test_answers_to_rounds_of_their_discussions_go_where_they_name_nobody(self):
        rounds = [f"DiscussionRound:{person}/d/1" for person in ("anna", "bea")]
        for person in ("anna", "bea"):
            self.write({"$type$": "Discussion", "userId": person, "discussionId": "d", "topic": "x"},
                       {"$type$": "DiscussionRound", "userId": person, "discussionId": "d", "roundNumber": 1, "timestamp": 1,
                        **{f"{persona}Response": {"content": f"{persona} of {person}"} for persona in ("analyzer", "solver", "moderator")}})
        for name, asked, more in (("hers", rounds[:1], {}), ("question", rounds[:1], {"prompt_basis": ["question"]}), ("named", rounds[:1], {"person": "bea"}),
                                  ("both", rounds, {}), ("other", rounds[1:], {})):
            self.write({"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(1), "agent": "a", "model": "m", "content": name,
                        "context_units": [{"type": "External", "source": "f", "content": "x", "weight": 1}], "prompt_refs": asked, **more})
        self.write({"$type$": "Person", "id": "anna"})
        found = self.refs(self.rpc("person.find", person="anna"))
        self.assertEqual({ref for ref in found if ref.startswith("Response:")}, {"Response:resp_hers", "Response:resp_question"})
        self.assertEqual(sorted(self.rpc("person.erase", person="anna")["purged"]), sorted(found))

    def test_topics_of_their_messages_alone_go(self):
        """Where they came with something of theirs, or are named as the person; nobody knows what others call a topic for."""
        def message(topic, person):
            return {"$type$": "Message", "id": f"{topic} {person}", "topicId": topic, "text": "hi", "person": person}

        for topic, name in (("before", "taxes"), ("named", "anna"), ("named_shared", "anna")):
            self.write({"$type$": "Topic", "id": topic, "name": name})
        for topic in ("came", "came_shared"):
            self.write({"$type$": "Topic", "id": topic, "name": "annas taxes"}, message(topic, "anna"))
        self.write(*(message(topic, "anna") for topic in ("before", "named", "named_shared")), message("named_shared", "bea"), message("came_shared", "bea"))
        purged = self.rpc("person.erase", person="anna")["purged"]
        self.assertEqual({ref for ref in purged if ref.startswith("Topic:")}, {"Topic:came", "Topic:named"})
        self.assertEqual(self.record("Topic:before")["name"], "taxes")

    def test_versions_that_their_answers_caused_go(self):
        """Where nothing else was made from them; else they are named. The version before stays."""
        def unit(name, before=None, cause=None, **more):
            return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "User", "source": "memory", "content": f"text {name}", "timestamp": time_of(2),
                    **({"previous_version_id": f"cu_{before}", "version": 2} if before else {}), **({"updated_by_response_id": f"resp_{cause}"} if cause else {}), **more}

        def answer(name, person, *units):
            return {"$type$": "Response", "id": f"resp_{name}", "timestamp": time_of(3), "agent": "a", "model": "m", "content": name, "person": person,
                    "context_units": [{"context_unit_id": each, "weight": 1 / len(units)} for each in units]}

        self.write(*(unit(each) for each in ("a1", "b1", "c1", "d1", "doc")))
        self.write({**answer("hers", "anna", "cu_doc"), "timestamp": time_of(1)}, {**answer("beas", "bea", "cu_doc"), "timestamp": time_of(1)})
        self.write(unit("a2", "a1", "hers"), unit("b2", "b1", "hers"), unit("c2", "c1", "hers"), unit("d2", "d1", "beas"), unit("new", cause="hers"))
        self.write(unit("a3", "a2", "hers", version=3), unit("c3", "c2", version=3), answer("other", "bea", "cu_b2"))
        found = self.rpc("person.find", person="anna")
        hers = {"Person:anna", "Response:resp_hers", "ContextUnit:cu_a2", "ContextUnit:cu_a3", "ContextUnit:cu_new"}
        self.assertEqual(set(self.refs(found)), hers)
        self.assertEqual(set(self.refs(found, "shared")), {"ContextUnit:cu_doc", "ContextUnit:cu_b2", "ContextUnit:cu_c2"})
        self.assertEqual(set(self.rpc("person.erase", person="anna")["purged"]), hers)

    def test_an_export_has_long_texts_of_messages(self):
        texts = {"m1": "SHORTTEXT", "m2": "LONGTEXT " + "y" * 1200}
        self.write({"$type$": "Topic", "id": "t"}, *({"$type$": "Message", "id": name, "topicId": "t", "person": "anna"} for name in texts))
        for name, text in texts.items():
            xml = f'<llmQuery><userMessage>{text}</userMessage><context topicId="t" messageCount="1"/></llmQuery>'
            self.write({"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": name, "format": "llm-query", "xml": xml})
        with tempfile.TemporaryDirectory() as folder:
            done = whence("person", "export", "anna", folder, "--url", self.server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("records.json", "README.md"):
                written = Path(folder, name).read_text()
                self.assertEqual([text in written for text in texts.values()], [True, True], name)

    def test_names_that_are_no_ids_find_hold_and_erase(self):
        for number, name in enumerate(("\u00fc" * 200, "Anna\tMeier")):
            self.write({"$type$": "Response", "id": f"resp_{number}", "timestamp": time_of(1), "agent": "a", "model": "m", "content": "c", "person": name,
                        "context_units": [{"type": "User", "source": "s", "content": "hi", "weight": 1}]})
            digest = "sha256-" + hashlib.sha256(name.encode()).hexdigest()
            found = self.refs(self.rpc("person.find", person=name))
            self.assertEqual((found, found[0] == f"Person:{digest}"), (self.refs(self.rpc("person.find", person=digest)), True))
            hold = self.rpc("hold.set", person=name, reason="case 1")["ref"]
            self.assertEqual(self.record(hold)["person"], digest)
            self.refused(PRECONDITION, "person.erase", person=name)
            self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(whence("person", "export", name, folder, "--url", self.server.url).returncode, 0)
            self.assertEqual(sorted(self.rpc("person.erase", person=name)["purged"]), sorted(found))

    def test_a_name_of_telemetry_is_the_name_that_was_sent(self):
        """However long, with blanks and control characters: no two are one, and each is found by it; a blank one is none."""
        names = ["M" * 252, "M" * 253, "M" * 255, "M" * 256, "M" * 300, "M" * 301, "M" * 5000, "a\x85b", "c\x9fd", "x\ty", "x y", " anna", "anna"]
        for number, name in enumerate([*names, " ", "\t \n"]):
            self.traced(span(f"{number + 1:032x}", f"{number + 1:016x}", "chat", START, START + SECOND, {
                "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "user.id": name, "session.id": name,
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": f"secret {number}"}]}])}))
        answers = [f"Response:resp_{number + 1:032x}_{number + 1:016x}" for number in range(len(names) + 2)]
        for name, answer in zip(names, answers):
            is_id = len(name.encode()) <= 255 and not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in name)
            named = name if is_id else "sha256-" + hashlib.sha256(name.encode()).hexdigest()
            record = self.record(answer)
            self.assertEqual((record["person"], record["conversation"]), (named, named))
            self.assertEqual([ref for ref in self.refs(self.rpc("person.find", person=name)) if ref.startswith("Response:")], [answer])
        for answer in answers[len(names):]:
            self.assertEqual({"person", "conversation"} & set(self.record(answer)), set())
        self.refused(NOT_FOUND, "person.find", person="unknown")
        held = self.rpc("hold.set", person="M" * 5000, reason="case 1")["ref"]
        self.refused(PRECONDITION, "person.erase", person="M" * 5000)
        self.rpc("hold.clear", id=held.split(":")[1], reason="over")
        self.assertIn(answers[6], self.rpc("person.erase", person="M" * 5000)["purged"])


if __name__ == "__main__":
    unittest.main()
