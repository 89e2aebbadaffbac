"""Claim: with a folder for files, both files follow every change of a discussion before it is answered; a failure is a
warning and is made good by itself; what somebody edited in a file is never overwritten, and taken on request.

Method: each kind of change; a folder that cannot be written to and is mended; files edited, exchanged for older ones and
taken away by hand; changes made while no server runs. Nothing is random.
"""
import json
import shutil

from support.discussion_case import FileCase
from support.naive_discussion import PERSONAS, markdown
from support.program import Server, wait_until, whence
from support.wire_case import NOT_FOUND


class FollowCase(FileCase):
    def file(self):
        """The JSON file, which the Markdown file must be of."""
        file = json.loads(self.texts()[0])
        self.assertEqual(self.texts()[1], markdown(file))
        return file

    def edit(self, change):
        file = json.loads(self.path(".json").read_bytes())
        change(file)
        self.path(".json").write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def numbers(self, **moment):
        return [each["roundNumber"] for each in self.ask("context", **moment)["rounds"]]

    def metric(self, name):
        text = self.server.get("/metrics")[1].decode()
        return int(next(line.split()[-1] for line in text.splitlines() if line.startswith(name + " ")))

    def reconcile(self, repair="none"):
        got = self.ask("reconcile", repair=repair)
        return [d["kind"] for d in got["differences"]], got["repaired"]

    def locally(self, method, **params):
        """A call on the store while no server runs."""
        done = whence("rpc", method, json.dumps(params), "--db", self.folder.name + "/db")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class FollowTest(FollowCase):
    def test_files_follow_each_change_before_its_answer(self):
        self.ask("open", topic="T", questions={"q": 1})
        for persona in PERSONAS:
            self.assertFalse(self.path(".json").exists())
            self.assertNotIn("warnings", self.add(1, persona, "x", timestamp=1))
        self.assertEqual((len(self.file()["rounds"]), self.file()["rounds"][0]["questions"]), (1, {"q": 1}))
        self.assertNotIn("warnings", self.ask("answer", roundNumber=1, userAnswers=["yes"]))
        self.assertEqual(self.file()["rounds"][0]["userAnswers"], ["yes"])
        self.assertEqual(self.write(self.a_round(2), self.a_summary(1))["warnings"], [])
        self.assertEqual((len(self.file()["rounds"]), self.file()["summary"]), (2, "What round 1 said."))
        self.ask("open", topic="Another")
        self.assertEqual(self.file()["topic"], "Another")
        self.write(self.a_discussion(topic="T", isResolved=True))
        self.assertEqual((self.file()["topic"], self.file()["isResolved"]), ("T", True))
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        self.assertEqual(len(self.file()["rounds"]), 1)
        self.assertEqual(self.reconcile(), ([], 0))

    def test_a_discussion_without_rounds_has_no_files(self):
        self.write(self.a_discussion(topic="T"))
        self.assertFalse(self.path(".json").exists())
        self.ask("write")
        self.assertEqual(self.file()["rounds"], [])

    def test_a_failure_is_a_warning_and_is_made_good_by_itself(self):
        self.files.mkdir(exist_ok=True)
        (self.files / self.name).write_text("in the way")
        before = self.metric('whence_discussion_files_total{result="failed"}')
        warnings = self.write(self.a_discussion(topic="T"), self.a_round(1))["warnings"]
        self.assertEqual([(w["rule"], w["message"].startswith(self.name + "/disc-1.json: ")) for w in warnings],
                         [("files", True)], warnings)
        self.assertEqual([w["rule"] for w in self.ask("answer", roundNumber=1, userAnswers=["a"])["warnings"]], ["files"])
        self.assertGreaterEqual(self.metric('whence_discussion_files_total{result="failed"}'), before + 2)
        self.assertGreaterEqual(self.metric("whence_discussion_files_behind"), 1)
        wait_until(lambda: any("files_behind" in line and self.name in line for line in self.server.stderr_lines), "the log to say it")
        (self.files / self.name).unlink()
        wait_until(lambda: self.path(".md").exists(), "the files are written")
        self.assertEqual(self.file()["rounds"][0]["userAnswers"], ["a"])
        wait_until(lambda: self.metric("whence_discussion_files_behind") == 0, "nothing is behind")

    def test_the_next_save_tries_again(self):
        (self.files / self.name).parent.mkdir(exist_ok=True)
        (self.files / self.name).write_text("in the way")
        self.assertTrue(self.write(self.a_discussion(topic="T"), self.a_round(1))["warnings"])
        (self.files / self.name).unlink()
        self.assertEqual(self.write(self.a_round(2))["warnings"], [])
        self.assertEqual(len(self.file()["rounds"]), 2)

    def test_names_too_long_for_files_are_a_warning(self):
        self.here = {"userId": self.name, "discussionId": "x" * 255}
        self.ask("open")
        for persona in PERSONAS[:2]:
            self.add(1, persona, "x")
        self.assertEqual([w["rule"] for w in self.add(1, PERSONAS[2], "x")["warnings"]], ["files"])
        wait_until(lambda: self.metric("whence_discussion_files_behind") == 0, "it is not tried again")


class EditedTest(FollowCase):
    def test_an_edited_file_is_kept_and_taken_on_request(self):
        self.begin("abc", "def")
        self.edit(lambda file: file["rounds"][0]["solverResponse"].update(content="B"))
        edited = self.texts()
        warnings = self.write(self.a_round(3, "ghi"))["warnings"]
        self.assertEqual([w["rule"] for w in warnings], ["files"])
        self.assertIn("/rounds/0", warnings[0]["message"])
        self.assertEqual(self.texts(), edited)
        self.assertEqual(self.reconcile(), (["behind", "round", "markdown"], 0))
        self.assertEqual(self.reconcile("all")[1], 3)
        self.assertEqual([r["solverResponse"]["content"] for r in self.file()["rounds"]], ["B", "e", "h"])
        self.assertEqual([r["solverResponse"]["content"] for r in self.ask("context")["rounds"]], ["B", "e", "h"])
        self.assertEqual(self.write(self.a_round(4))["warnings"], [])
        self.assertEqual(len(self.file()["rounds"]), 4)

    def test_what_is_purged_leaves_an_edited_file_and_the_edit_stays(self):
        self.begin("abc", "def")
        self.edit(lambda file: file["rounds"][1]["solverResponse"].update(content="by hand"))
        warnings = self.rpc("records.purge", refs=[self.ref("DiscussionRound", 1)])["warnings"]
        self.assertEqual([w["rule"] for w in warnings], ["files"])
        self.assertIn("without what is gone", warnings[0]["message"])
        self.assertEqual([(r["roundNumber"], r["solverResponse"]["content"]) for r in self.file()["rounds"]], [(2, "by hand")])
        self.assertNotIn("Round 1", self.texts()[1])
        self.assertEqual(self.reconcile("all")[1], 1)
        self.assertEqual([r["solverResponse"]["content"] for r in self.ask("context")["rounds"]], ["by hand"])

    def kept(self, path, words):
        """What both methods and the next write say of an edit, which stays."""
        edited = self.texts()
        for method in ("context", "prompt"):
            warnings = self.ask(method)["warnings"]
            self.assertEqual([(w["rule"], w["path"]) for w in warnings], [("edited", path)])
            self.assertIn(words, warnings[0]["message"])
        warnings = self.write(self.a_round(9, "xyz"))["warnings"]
        self.assertEqual([w["rule"] for w in warnings], ["files"])
        self.assertIn(words, warnings[0]["message"])
        self.assertEqual(self.texts(), edited)
        self.assertIn("warnings", self.ask("context"))

    def test_a_round_that_was_removed_with_its_tokens_is_an_edit(self):
        self.begin("abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx")
        tokens = self.ask("tokens")["total"]
        self.edit(lambda file: (file["rounds"].pop(1), file.update(tokenCount=tokens - 3 - 75)))
        self.kept("/rounds", "removed round 2")
        self.ask("reconcile", repair="from_file")
        self.assertEqual(self.numbers(), [1, 3, 4, 5, 6, 7, 8])
        self.assertNotIn("warnings", self.ask("context"))

    def test_a_round_that_was_removed_with_the_time_is_an_edit(self):
        self.begin("abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx")
        self.edit(lambda file: (file["rounds"].pop(1), file.update(updatedAt=file["updatedAt"] + 1)))
        self.kept("/rounds", "removed round 2")

    def test_answers_that_were_removed_are_an_edit(self):
        self.begin("abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx")
        self.ask("answer", roundNumber=8, userAnswers=["yes"])
        self.edit(lambda file: file["rounds"][7].pop("userAnswers"))
        self.kept("/rounds/7", "edited the JSON file at /rounds/7")
        self.ask("reconcile", repair="from_file")
        self.assertNotIn("userAnswers", self.record(self.ref("DiscussionRound", 8)))

    def test_a_summary_that_was_removed_is_an_edit(self):
        self.begin("abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx")
        self.write(self.a_summary(8))
        self.edit(lambda file: [file.pop(member) for member in ("summaries", "currentSummary", "summary")])
        self.kept("/summaries", "removed the summary of the rounds up to 8")
        self.ask("reconcile", repair="from_file")
        self.refused(NOT_FOUND, "node.get", ref=self.ref("SummaryEntry", 8))

    def test_what_was_only_formatted_or_counted_anew_is_no_edit(self):
        self.begin("abc")
        self.path(".json").write_text(json.dumps(json.loads(self.texts()[0]), sort_keys=True))
        self.assertNotIn("warnings", self.ask("context"))
        self.assertEqual(self.write(self.a_round(2))["warnings"], [])
        self.edit(lambda file: file.update(tokenCount=1))
        self.assertNotIn("warnings", self.ask("context"))
        self.path(".md").write_text(self.texts()[1] + "a note\n")
        self.assertEqual(self.write(self.a_round(3))["warnings"], [])
        self.assertEqual(len(self.file()["rounds"]), 3)

    def test_a_context_warns_of_a_file_that_cannot_be_read(self):
        self.begin("abc")
        good = self.texts()[0]
        for text, path in (("{", ""), (good.replace("{", '{"mood": "calm",', 1), "/mood")):
            self.path(".json").write_text(text)
            for method in ("context", "prompt"):
                warnings = self.ask(method)["warnings"]
                self.assertEqual([(w["rule"], w["path"]) for w in warnings], [("unreadable", path)])
        self.path(".json").write_text(good)
        self.assertNotIn("warnings", self.ask("context"))

    def test_an_unreadable_file_is_kept(self):
        self.begin("abc")
        self.path(".json").write_text("{")
        self.assertEqual([w["rule"] for w in self.write(self.a_round(2))["warnings"]], ["files"])
        self.assertEqual(self.path(".json").read_text(), "{")
        self.ask("write")
        self.assertEqual(len(self.file()["rounds"]), 2)

    def test_only_from_file_removes_a_round(self):
        self.begin("abc", "def", "ghi")
        tx = self.head()
        self.edit(lambda file: (file["rounds"].pop(), file.update(tokenCount=406)))
        self.assertEqual(self.reconcile()[0], ["behind", "markdown"])
        old = self.texts()
        self.reconcile("all")
        self.assertEqual((len(self.file()["rounds"]), self.head()), (3, tx))
        self.path(".json").write_text(old[0])
        self.assertEqual(self.reconcile("from_file")[1], 2)
        self.assertEqual((len(self.file()["rounds"]), self.head()), (2, tx + 1))
        self.assertEqual(len(self.ask("context", as_of=tx)["rounds"]), 3)
        self.assertEqual(self.reconcile(), ([], 0))

    def test_a_summary_outlives_the_round_that_it_reaches_to(self):
        self.begin("abc", "def", "ghi")
        self.write(self.a_summary(2))
        self.ask("open")
        self.add(4, PERSONAS[0], "y")
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        self.assertEqual(self.reconcile(), ([], 0))
        kept = self.ask("context")
        self.assertEqual(([r["roundNumber"] for r in kept["rounds"]], kept["currentSummary"]["roundNumber"]), ([3, 4], 2))
        imported = self.folder.name + "/imported"
        self.assertEqual(whence("import", "--format", "discussions", str(self.path(".json").parent.parent), "--db", imported).returncode, 0)
        user, name = json.loads(self.path(".json").read_text())["userId"], json.loads(self.path(".json").read_text())["discussionId"]
        again = json.loads(whence("rpc", "discussion.context", json.dumps({"userId": user, "discussionId": name}), "--db", imported).stdout)
        self.assertEqual(([r["roundNumber"] for r in again["rounds"]], again["currentSummary"]["roundNumber"]), ([3], 2))

    def test_an_older_file_is_behind_and_brought_up_to_date(self):
        self.begin("abc")
        kept = [self.texts()]
        self.ask("answer", roundNumber=1, userAnswers=["a"])
        kept.append(self.texts())
        self.ask("answer", roundNumber=1, userAnswers=["b"])
        self.write(self.a_discussion(topic="Later"), self.a_round(2))
        kept.append(self.texts())
        self.write(self.a_summary(1))
        newest, head = self.texts(), self.head()
        for i, old in enumerate(kept):
            with self.subTest(i):
                for suffix, text in zip((".json", ".md"), old):
                    self.path(suffix).write_text(text)
                got = self.ask("reconcile")["differences"]
                self.assertEqual([d["kind"] for d in got], ["behind"])
                self.assertEqual((got[0]["path"], got[0]["store"]), ("", {"rounds": 2, "summaries": 1}))
                self.assertEqual(self.reconcile("all"), (["behind"], 1))
                self.assertEqual((self.texts(), self.head()), (newest, head))
        for suffix, text in zip((".json", ".md"), kept[0]):
            self.path(suffix).write_text(text)
        self.assertEqual(self.write(self.a_round(3))["warnings"], [])
        self.assertEqual(len(self.file()["rounds"]), 3)

    def test_edited_answers_revise_the_round(self):
        self.begin("abc", "def")
        self.rpc("records.write", records=[{
            "$type$": "Response", "id": "resp_" + self.name, "timestamp": "2025-10-09T16:15:00Z", "agent": "a", "model": "m",
            "context_units": [{"context_unit_id": self.unit(), "weight": 1}], "prompt_refs": [self.ref("DiscussionRound", 1)]}])
        self.edit(lambda file: file["rounds"][0].update(userAnswers=["by hand"]))
        self.reconcile("all")
        self.assertEqual(self.record(self.ref("DiscussionRound", 1))["userAnswers"], ["by hand"])
        self.assertIn(self.ref("DiscussionRound", 1), self.lineage("ancestors", "Response:resp_" + self.name))
        self.assertEqual(self.reconcile(), ([], 0))

    def unit(self):
        name = "cu_" + self.name
        self.write({"$type$": "ContextUnit", "id": name, "type": "User", "source": "s", "timestamp": "2025-10-09T16:15:00Z",
                    "version": 1})
        return name


class RestartTest(FollowCase):
    def test_what_was_committed_before_a_crash_follows_after_it(self):
        self.begin("abc")
        self.server.kill()
        try:
            self.locally("discussion.answer", **self.here, roundNumber=1, userAnswers=["while it was down"])
            self.locally("records.write", ensure=True, records=[{**self.a_round(1), "discussionId": "new"}])
        finally:
            type(self).server = self.start()
        wait_until(lambda: "while it was down" in self.texts()[1], "the file is up to date")
        wait_until(lambda: (self.files / self.name / "new.md").exists(), "the other's files are there")
        self.assertEqual(self.reconcile(), ([], 0))

    def test_an_edit_of_that_time_is_kept(self):
        self.begin("abc")
        self.server.kill()
        try:
            self.edit(lambda file: file["rounds"][0]["solverResponse"].update(content="B"))
            self.locally("discussion.answer", **self.here, roundNumber=1, userAnswers=["a"])
        finally:
            type(self).server = self.start()
        wait_until(lambda: any("files_edited" in line for line in self.server.stderr_lines), "it is noticed")
        self.assertEqual(json.loads(self.texts()[0])["rounds"][0]["solverResponse"]["content"], "B")

    def test_a_folder_taken_away_is_filled_again(self):
        self.begin("abc")
        self.server.kill()
        shutil.rmtree(self.files)
        type(self).server = self.start()
        wait_until(lambda: self.path(".md").exists(), "the files are there")


    def test_what_was_removed_at_that_time_is_kept(self):
        """Nobody knows then what was written last but the Markdown file."""
        self.begin("abc")
        self.ask("answer", roundNumber=1, userAnswers=["yes"])
        self.server.kill()
        self.edit(lambda file: file["rounds"][0].pop("userAnswers"))
        type(self).server = self.start()
        self.assertEqual([(w["rule"], w["path"]) for w in self.ask("context")["warnings"]], [("edited", "/rounds/0")])
        self.assertEqual([w["rule"] for w in self.write(self.a_round(2))["warnings"]], ["files"])
        self.assertEqual(len(json.loads(self.texts()[0])["rounds"]), 1)


class GapTest(FollowCase):
    """Rounds that are deleted, in the store or in the file."""

    def numbers(self):
        return [r["roundNumber"] for r in json.loads(self.path(".json").read_text())["rounds"]]

    def test_files_follow_when_a_round_in_the_middle_is_deleted(self):
        self.begin("abc", "def", "ghi")
        answer = self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        self.assertNotIn("warnings", answer)
        self.assertEqual(self.numbers(), [1, 3])
        self.assertEqual(self.ask("reconcile")["differences"], [])
        self.write(self.a_round(4))
        self.assertEqual(self.numbers(), [1, 3, 4])

    def test_a_round_may_be_removed_in_the_file(self):
        self.begin("abc", "def", "ghi")
        self.edit(lambda file: file["rounds"].pop(1))
        self.assertGreater(self.rpc("discussion.reconcile", **self.here, repair="from_file")["repaired"], 0)
        self.assertEqual([r["roundNumber"] for r in self.ask("context")["rounds"]], [1, 3])
        self.assertEqual(self.numbers(), [1, 3])
        self.assertEqual(self.ask("reconcile")["differences"], [])

    def test_an_open_round_stays_when_a_round_is_removed_in_the_file(self):
        for responses, number in ((0, 2), (1, 3)):  # one without responses is the next
            with self.subTest(responses=responses):
                self.here["discussionId"] = "open-%d" % responses
                self.write({**self.a_discussion(topic="T"), **self.here}, *({**self.a_round(i), **self.here} for i in (1, 2)))
                self.ask("open")
                for persona in PERSONAS[:responses]:
                    self.add(3, persona, "x")
                path = self.files / self.name / (self.here["discussionId"] + ".json")

                def numbers():
                    return [r["roundNumber"] for r in self.ask("context")["rounds"]]
                file = json.loads(path.read_bytes())
                file["rounds"].pop()
                path.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
                self.ask("reconcile", repair="from_file")
                self.assertEqual(numbers(), [1, 3][:1 + responses])
                self.assertEqual(self.ask("get")["next"], PERSONAS[responses])
                for persona in PERSONAS[responses:]:
                    self.add(number, persona, "x")
                self.assertEqual(numbers(), [1, number])
                self.assertEqual([r["roundNumber"] for r in json.loads(path.read_bytes())["rounds"]], [1, number])
                self.assertEqual(self.ask("reconcile")["differences"], [])

    def test_the_deletion_of_a_discussion_says_that_its_files_stay(self):
        self.begin("abc")
        warnings = self.rpc("records.delete", refs=[self.ref("Discussion")])["warnings"]
        self.assertEqual([w["rule"] for w in warnings], ["files"])
        self.assertIn("is deleted, its files are not", warnings[0]["message"])
        self.assertTrue(self.path(".json").exists())

    def test_a_context_warns_where_somebody_removed_a_round_in_the_file(self):
        self.begin("abc", "def")
        self.edit(lambda file: file["rounds"].pop())
        warnings = self.ask("context")["warnings"]
        self.assertEqual([(w["rule"], w["path"]) for w in warnings], [("edited", "/rounds")])
        self.assertIn("removed round 2", warnings[0]["message"])
        self.ask("reconcile", repair="from_file")
        self.assertNotIn("warnings", self.ask("context"))
        self.assertEqual(self.numbers(), [1])

    def test_a_context_warns_where_somebody_edited_the_file(self):
        self.begin("abc")
        self.edit(lambda file: file["rounds"][0]["solverResponse"].update(content="edited"))
        for method in ("context", "prompt"):
            self.assertEqual([(w["rule"], w["path"]) for w in self.ask(method)["warnings"]], [("edited", "/rounds/0")])
        self.ask("reconcile", repair="all")
        self.assertNotIn("warnings", self.ask("context"))


class TakingTest(FollowCase):
    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--files", cls.files, "--files-repair", "from-file")

    def test_an_edit_is_taken_over_by_itself(self):
        self.begin("abc", "def")
        self.edit(lambda file: file["rounds"][0]["solverResponse"].update(content="edited"))
        wait_until(lambda: self.ask("context")["rounds"][0]["solverResponse"]["content"] == "edited", "the edit is taken")
        wait_until(lambda: not self.ask("reconcile")["differences"], "both files follow")

    def test_a_round_that_was_removed_in_the_file_is_taken_over(self):
        self.begin("abc", "def", "ghi")
        first = self.head()
        for place, left in ((2, [1, 2]), (0, [2])):
            self.edit(lambda file: file["rounds"].pop(place))
            wait_until(lambda: self.numbers() == left, "the removal is taken")
            wait_until(lambda: not self.ask("reconcile")["differences"], "both files follow")
        self.assertEqual(self.numbers(as_of=first), [1, 2, 3])

    def test_a_file_that_is_behind_is_written(self):
        self.begin("abc")
        older = self.texts()
        self.write(self.a_round(2, "def"))
        for suffix, text in zip((".md", ".json"), older[::-1]):  # an older pair; an older JSON file alone is an edit
            self.path(suffix).write_text(text, encoding="utf-8")
        self.ask("answer", roundNumber=2, userAnswers=["yes"])
        self.assertEqual([r["roundNumber"] for r in json.loads(self.texts()[0])["rounds"]], [1, 2])

    def test_what_was_edited_while_no_server_ran_is_taken_at_the_start(self):
        self.begin("abc")
        self.server.kill()
        self.edit(lambda file: file.update(topic="Edited"))
        type(self).server = self.start()
        wait_until(lambda: self.ask("get")["topic"] == "Edited", "the edit is taken")

    def test_a_deleted_discussion_does_not_come_back(self):
        self.begin("abc")
        self.rpc("records.delete", refs=[self.ref("Discussion")])
        self.edit(lambda file: file.update(topic="Edited"))
        self.refused(NOT_FOUND, "discussion.get", **self.here)


class RepairTest(FollowCase):
    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--files", cls.files, "--token-sync-validation", "--token-sync-repair")

    def test_a_count_that_is_a_little_off_is_written_anew_on_load(self):
        self.begin("abc")
        self.edit(lambda file: file.update(tokenCount=330))
        self.assertNotIn("warnings", self.ask("context"))
        self.assertEqual(json.loads(self.path(".json").read_text())["tokenCount"], 328)
        self.edit(lambda file: file.update(tokenCount=1))
        self.assertEqual([w["rule"] for w in self.ask("context")["warnings"]], ["token_count"])


class ValidationTest(FollowCase):
    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--files", cls.files, "--token-sync-validation")

    def test_a_context_says_where_the_file_counts_otherwise(self):
        self.begin("abc")
        self.assertNotIn("warnings", self.ask("context"))
        self.assertNotIn("warnings", self.ask("prompt"))
        self.edit(lambda file: file.update(tokenCount=1))
        for method in ("context", "prompt"):
            warnings = self.ask(method)["warnings"]
            self.assertEqual([(w["rule"], w["path"]) for w in warnings], [("token_count", "/tokenCount")])
            self.assertIn("328", warnings[0]["message"])
        self.assertNotIn("warnings", self.ask("context", as_of=self.head() - 1) if self.head() > 1 else {})
        self.assertEqual(self.metric("whence_token_sync_mismatches_total"), 2)
        self.path(".json").write_text("{")
        self.assertEqual([w["rule"] for w in self.ask("context")["warnings"]], ["unreadable"])
        self.path(".json").unlink()
        self.assertEqual([w["rule"] for w in self.ask("context")["warnings"]], ["missing_file"])
        self.ask("open")
        self.add(2, PERSONAS[0], "x")
        self.ask("write")
        self.assertNotIn("warnings", self.ask("context"))
