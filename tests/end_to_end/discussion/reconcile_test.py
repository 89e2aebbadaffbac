"""Claim: reconciling finds every kind of difference between a discussion's files and the store, repairs what it may, and
leaves the past as it was.

Method: each kind of difference is made by hand in files just written, looked for, and repaired; the store is asked before
and after, now and as of before. Nothing is random.
"""
import json

from support.discussion_case import FileCase
from support.naive_discussion import markdown, own
from support.wire_case import NOT_FOUND


class ReconcileTest(FileCase):
    def reconcile(self, repair=None):
        return self.ask("reconcile", **({"repair": repair} if repair else {}))

    def edit(self, change):
        file = json.loads(self.path(".json").read_bytes())
        change(file)
        self.path(".json").write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def found(self, kind, path="", only=("markdown",)):
        """The difference of this kind at this path; nothing else differs but what `only` lets."""
        head, before = self.head(), {p: p.read_bytes() for p in (self.files / self.name).iterdir()}
        got = self.reconcile("none")
        self.assertEqual(got, self.reconcile())
        self.assertEqual(got["repaired"], 0)
        self.assertEqual(self.head(), head)
        self.assertEqual({p: p.read_bytes() for p in (self.files / self.name).iterdir()}, before)
        mine = [d for d in got["differences"] if d["kind"] == kind]
        self.assertEqual([d for d in got["differences"] if d["kind"] not in (kind, *only)], [], got)
        self.assertTrue(mine, got)
        self.assertEqual(mine[0]["path"][:len(path)], path, got)
        return mine[0]

    def repaired(self, repair="all"):
        """After a repair nothing differs any more."""
        got = self.reconcile(repair)
        self.assertGreaterEqual(got["repaired"], 1)
        self.assertEqual(self.reconcile(), {**self.reconcile(), "differences": [], "repaired": 0})
        self.assertEqual(self.texts()[1], markdown(json.loads(self.texts()[0])))
        self.assertEqual(self.leftovers(), [])

    def still(self, context, head):
        """The store is as it was, and a context warns of the file."""
        now = self.ask("context")
        self.assertEqual([w["rule"] for w in now.pop("warnings")], ["unreadable"])
        self.assertEqual((now, self.head()), (context, head))

    def test_fresh_files_do_not_differ(self):
        self.w6()
        self.assertEqual(self.reconcile()["differences"], [])
        head = self.head()
        self.assertEqual(self.reconcile("all")["repaired"], 0)
        self.assertEqual(self.head(), head)

    def test_missing_files_are_written_again(self):
        self.w6()
        before = self.texts()
        for gone in ((".json",), (".md",), (".json", ".md")):
            with self.subTest(gone):
                for suffix in gone:
                    self.path(suffix).unlink()
                self.found("missing_file")
                head = self.head()
                self.repaired()
                self.assertEqual((self.texts(), self.head()), (before, head))

    def test_a_discussion_never_written_lacks_its_files(self):
        self.write(self.a_discussion(topic="T"))
        self.assertEqual({d["kind"] for d in self.reconcile()["differences"]}, {"missing_file"})

    def test_files_that_cannot_be_read_are_reported_and_change_nothing(self):
        self.w6()
        good, context, head = self.texts()[0].encode(), self.ask("context"), self.head()
        bad = {"cut": good[:-20], "empty": b"", "ill-formed UTF-8": good.replace(b"What round", b"What \xff ound"),
               "an array": b"[]\n", "nested too deep": b"[" * 5000 + b"]" * 5000, "a NUL": good + b"\0"}
        for about, content in bad.items():
            with self.subTest(about):
                self.path(".json").write_bytes(content)
                self.found("unreadable")
                self.reconcile("all")
                self.still(context, head)

    def test_files_that_break_a_rule_of_rounds_are_reported_and_change_nothing(self):
        self.w6()
        good, context, head = self.texts()[0], self.ask("context"), self.head()

        def set_in_round(member, value):
            return lambda file: file["rounds"][0].update({member: value})
        broken = {
            "a double": lambda file: file["rounds"].append(file["rounds"][0]),
            "a missing response": lambda file: file["rounds"][0].pop("solverResponse"),
            "a blank response": lambda file: file["rounds"][0]["solverResponse"].update(content=" "),
            "another persona": lambda file: file["rounds"][0]["solverResponse"].update(persona="Analyzer AI"),
            "another turn": lambda file: file["rounds"][0]["solverResponse"].update(turn=7),
            "an unknown member": set_in_round("extra", 1),
        }
        for about, change in broken.items():
            with self.subTest(about):
                self.path(".json").write_text(good, encoding="utf-8")
                self.edit(change)
                self.assertNotEqual(self.reconcile()["differences"], [])
                self.reconcile("all")
                self.still(context, head)

    def test_a_file_of_another_discussion_is_not_taken(self):
        self.w6()
        context, head = self.ask("context"), self.head()
        self.edit(lambda file: file.update(userId="somebody-else"))
        self.assertNotEqual(self.reconcile()["differences"], [])
        self.reconcile("all")
        self.still(context, head)

    def test_token_counts_within_five_percent_are_repaired_on_their_own(self):
        """Computed 1,000: 325 and three responses of 787 characters, 225 tokens each."""
        self.write(self.a_discussion(topic="T"), self.a_round(1, ("x" * 787,) * 3))
        self.ask("write")
        before, head = self.texts(), self.head()
        self.assertIn('"tokenCount": 1000,', before[0])
        for count, is_repaired in ((951, True), (1049, True), (999, True), (949, False), (950, False), (1050, False),
                                   (1051, False), (0, False)):
            with self.subTest(count):
                self.path(".json").write_text(before[0].replace('"tokenCount": 1000,', f'"tokenCount": {count},'),
                                              encoding="utf-8")
                difference = self.found("token_count", "/tokenCount")
                self.assertEqual((difference["path"], difference["file"], difference["store"]), ("/tokenCount", count, 1000))
                edited = self.texts()
                self.assertEqual(self.reconcile("tokens")["repaired"], 1 if is_repaired else 0)
                self.assertEqual(self.texts(), before if is_repaired else edited)
                self.assertEqual(self.head(), head)
        self.repaired()
        self.assertEqual(self.texts(), before)

    def test_tokens_repairs_nothing_else(self):
        self.w6()
        self.edit(lambda file: file["rounds"][0]["solverResponse"].update(content="B"))
        edited, head = self.texts(), self.head()
        self.assertEqual(self.reconcile("tokens")["repaired"], 0)
        self.assertEqual((self.texts(), self.head()), (edited, head))

    def test_a_changed_round_is_taken_from_the_file(self):
        self.begin("abc", "def", "ghi")
        self.ask("write")
        before, old = self.head(), self.record(self.ref("DiscussionRound", 2))
        self.edit(lambda file: file["rounds"][1]["solverResponse"].update(content="E"))
        self.found("round", "/rounds/1")
        self.repaired()
        self.assertEqual(self.record(self.ref("DiscussionRound", 2))["solverResponse"]["content"], "E")
        self.assertEqual(self.record(self.ref("DiscussionRound", 2), as_of=before), old)
        self.assertEqual(own(self.ask("context", as_of=before)["rounds"][1]), own(old))
        self.assertIn("\nE\n", self.ask("prompt")["prompt"])
        self.assertNotIn("\nE\n", self.ask("prompt", as_of=before)["prompt"])
        self.assertEqual(self.head(), before + 1, "one transaction")
        self.assertEqual(self.write(self.a_round(4, "jkl"))["tx"], before + 2)
        self.restart_after_kill()
        self.assertEqual([r["solverResponse"]["content"] for r in self.ask("context")["rounds"]], ["b", "E", "h", "k"])
        self.assertEqual([r["solverResponse"]["content"] for r in self.ask("context", as_of=before)["rounds"]], ["b", "e", "h"])

    def test_rounds_still_follow_each_other_after_a_repair(self):
        self.begin("abc", "def", "ghi")
        self.ask("write")
        self.edit(lambda file: file["rounds"][1]["solverResponse"].update(content="E"))
        self.reconcile("all")
        self.assertEqual(self.lineage("ancestors", self.ref("DiscussionRound", 3)),
                         {self.ref("DiscussionRound", n) for n in (1, 2)})
        self.assertEqual(self.lineage("descendants", self.ref("DiscussionRound", 1)),
                         {self.ref("DiscussionRound", n) for n in (2, 3)})

    def test_a_round_only_the_file_has_is_added(self):
        self.w6()
        self.edit(lambda file: file["rounds"].append(own(self.a_round(2, "def", timestamp=2))))
        self.found("round", "/rounds/1", only=("markdown", "token_count"))
        self.repaired()
        self.assertEqual(own(self.record(self.ref("DiscussionRound", 2))), own(self.a_round(2, "def", timestamp=2)))
        self.assertEqual(json.loads(self.texts()[0])["tokenCount"], 334)

    def test_a_round_only_the_store_has_is_deleted_on_request(self):
        self.begin("abc", "def")
        self.ask("write")
        before = self.head()
        self.edit(lambda file: file["rounds"].pop())
        self.found("behind", only=("markdown", "token_count"))
        self.repaired("from_file")
        self.refused(NOT_FOUND, "node.get", ref=self.ref("DiscussionRound", 2))
        self.assertEqual(self.record(self.ref("DiscussionRound", 2), as_of=before)["roundNumber"], 2)
        self.write(self.a_round(2, "xyz"))
        self.assertEqual(self.record(self.ref("DiscussionRound", 2))["solverResponse"]["content"], "y")

    def test_a_file_whose_last_summary_is_of_a_deleted_round_is_read(self):
        self.begin("abc", "def")
        self.ask("summarize", summary="In short.")
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        self.ask("write")
        self.assertEqual(self.reconcile()["differences"], [])
        self.assertNotIn("warnings", self.ask("context"))
        self.ask("open")

        def rename(file):
            for entry in (file["summaries"][0], file["currentSummary"], file):
                entry["summary"] = "In other words."
        self.edit(rename)
        self.repaired()
        self.assertIn("In other words.", self.ask("prompt")["prompt"])
        self.assertEqual(self.ask("get")["currentRound"], 3)
        self.edit(lambda file: (file["summaries"][0].update(roundNumber=4, replacesRounds=[4]),
                                file["currentSummary"].update(roundNumber=4, replacesRounds=[4])))
        self.assertEqual([d["kind"] for d in self.reconcile()["differences"]][:1], ["unreadable"])

    def test_summaries_follow_the_file_too(self):
        self.w6()
        before = self.head()

        def rename(file):
            for entry in (file["summaries"][0], file["currentSummary"]):
                entry["summary"] = "What Round 1 said."
            file["summary"] = "What Round 1 said."
        self.edit(rename)
        self.found("summary")
        self.repaired()
        self.assertIn("What Round 1 said.", self.ask("prompt")["prompt"])
        self.assertIn("What round 1 said.", self.ask("prompt", as_of=before)["prompt"])

        def drop(file):
            file["summaries"].clear()
            del file["currentSummary"], file["summary"]
        self.edit(drop)
        self.found("behind", only=("markdown", "token_count"))
        self.repaired("from_file")
        self.assertIsNone(self.ask("context").get("currentSummary"))
        self.refused(NOT_FOUND, "node.get", ref=self.ref("SummaryEntry", 1))

    def test_metadata_follows_the_file(self):
        self.w6()
        before = self.head()
        self.edit(lambda file: file.update(topic="How to Test"))
        self.found("metadata", "/topic")
        self.repaired()
        self.assertEqual(self.record(self.ref("Discussion"))["topic"], "How to Test")
        self.assertEqual(self.record(self.ref("Discussion"), as_of=before)["topic"], "How to test")

    def test_changed_markdown_is_made_again(self):
        self.w6()
        before, head = self.texts(), self.head()
        for content in (b"", before[1].encode().replace(b"yes", b"no"), b"\xff\xfe"):
            with self.subTest(content[:10]):
                self.path(".md").write_bytes(content)
                self.found("markdown", only=())
                self.repaired()
                self.assertEqual((self.texts(), self.head()), (before, head))

    def test_formatting_of_the_json_file_is_no_difference(self):
        self.w6()
        self.path(".json").write_text(json.dumps(json.loads(self.texts()[0]), sort_keys=True, ensure_ascii=True))
        self.assertEqual(self.reconcile()["differences"], [])
