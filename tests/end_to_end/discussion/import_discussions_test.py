"""Claim: a folder of discussions of another program comes in whole or is refused file by file, a discussion that only its
file has is read by reconciling, and the facts about a discussion are answered.

Method: a folder with files in any order, without ids, with unknown members, and with every kind of fault. Nothing is random.
"""
import json
import shutil
from pathlib import Path

from support.discussion_case import FileCase
from support.naive_discussion import PERSONAS, own
from support.program import whence
from support.wire_case import NOT_FOUND


class FolderCase(FileCase):
    def setUp(self):
        super().setUp()
        self.old = Path(self.folder.name) / ("old-" + self.name)
        self.addCleanup(shutil.rmtree, self.old, True)

    def put(self, name, content, user=None):
        path = self.old / (user or self.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    def bare(self, number, contents="abc", **more):
        """A round as another program may write it."""
        whole = own(self.a_round(number, contents))
        return {m: {"content": v["content"]} if isinstance(v, dict) else v for m, v in whole.items()} | more

    def run_import(self, *flags, code=0):
        done = whence("import", "--format", "discussions", self.old, "--url", self.server.url, *flags)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def imported(self, *flags, code=0):
        return {f["path"].rpartition("/")[2]: f for f in json.loads(self.run_import("--json", *flags, code=code).stdout)["files"]}


class ImportTest(FolderCase):
    def test_a_folder_comes_in_and_again_changes_nothing(self):
        model = {"content": "b", "model": "m"}
        self.put("disc-1.json", {"topic": "T", "mood": "calm", "summaries": [], "currentSummary": {
            "roundNumber": 1, "summary": "In short.", "replacesRounds": [1], "createdAt": 3, "tokenCountBefore": 1},
            "rounds": [self.bare(2), self.bare(1, solverResponse=model, userAnswers=["yes"])]})
        self.put("a%2Fb.json", {"rounds": [self.bare(1)]})
        self.put("a b.json", {"discussionId": "a b", "rounds": []})
        got = self.imported()
        self.assertEqual({name: f["result"] for name, f in got.items()},
                         {"disc-1.json": "taken", "a%2Fb.json": "taken", "a b.json": "taken"})
        self.assertEqual((got["disc-1.json"]["rounds"], got["disc-1.json"]["summaries"]), (2, 1))
        self.assertEqual(got["disc-1.json"]["kept"], ["/mood", "/rounds/1/solverResponse/model"])
        self.assertTrue(any("token_count" in w for w in got["disc-1.json"]["warnings"]))
        first = self.record(self.ref("DiscussionRound", 1))
        self.assertEqual((first["attributes"], first["userAnswers"]), ({"solverResponse": {"model": "m"}}, ["yes"]))
        self.assertEqual(self.record(self.ref("Discussion"))["attributes"], {"mood": "calm"})
        self.assertEqual(self.ask("context")["currentSummary"]["summary"], "In short.")
        self.rpc("discussion.get", userId=self.name, discussionId="a/b")
        head = self.head()
        self.assertEqual({f["result"] for f in self.imported().values()}, {"unchanged"})
        self.assertEqual(self.head(), head)

    def test_what_is_new_in_a_known_discussion_is_added(self):
        self.begin("abc")
        self.put("disc-1.json", {"topic": "Another", "rounds": [own(self.a_round(1)), own(self.a_round(2))]})
        self.assertEqual(self.imported()["disc-1.json"]["result"], "taken")
        self.assertEqual((self.record(self.ref("Discussion"))["topic"], len(self.ask("context")["rounds"])), ("T", 2))

    def test_each_bad_file_is_refused_and_the_others_are_taken(self):
        self.begin("abc")
        bad = {"text.json": ("{", "json"), "list.json": ([], "type"), "twice.json": ({"rounds": [self.bare(2), self.bare(2)]}, "round_number"),
               "open.json": ({"rounds": [{"roundNumber": 1, "timestamp": 1}]}, "required"),
               "other.json": ({"userId": "somebody", "rounds": []}, "identity"),
               "large.json": ({"x": "x" * 20000, "rounds": []}, "size"),
               "future.json": ({"createdAt": 2**52, "rounds": []}, "future"),
               "disc-1.json": ({"rounds": [self.bare(1, "xyz")]}, "round_number")}
        for name, (content, _) in bad.items():
            self.put(name, content)
        self.put("good.json", {"rounds": [self.bare(1)]})
        self.put("stray.md", "# no JSON")
        (self.old / "stray.json").write_text("{}")
        (self.old / self.name / "link.json").symlink_to(self.old / "stray.json")
        got = self.imported(code=4)
        for name, (_, rule) in bad.items():
            with self.subTest(name):
                self.assertEqual(got[name]["result"], "refused")
                self.assertIn(f"({rule})", " ".join(got[name]["errors"]))
        self.assertEqual((got["good.json"]["result"], got["stray.json"]["result"], got["link.json"]["result"]),
                         ("taken", "refused", "refused"))
        self.assertNotIn("stray.md", got)
        self.assertEqual(self.record(self.ref("DiscussionRound", 1))["solverResponse"]["content"], "b")

    def test_a_folder_without_its_first_rounds_comes_in(self):
        """The summary stands for the rounds that are gone; a round in between is missing too."""
        self.put("disc-1.json", {"rounds": [self.bare(2), self.bare(4)], "summaries": [
            {"roundNumber": 1, "summary": "In short.", "replacesRounds": [1]}]})
        self.assertEqual(self.imported()["disc-1.json"]["result"], "taken")
        context = self.ask("context")
        self.assertEqual(([r["roundNumber"] for r in context["rounds"]], context["currentSummary"]["summary"]), ([2, 4], "In short."))
        self.assertEqual(self.ask("open")["roundNumber"], 5)
        self.rpc("discussion.abandon", **self.here)
        self.assertEqual({f["result"] for f in self.imported().values()}, {"unchanged"})
        self.write(self.a_round(5))
        self.ask("write")
        self.assertEqual([r["roundNumber"] for r in json.loads(self.path(".json").read_text())["rounds"]], [2, 4, 5])
        self.assertEqual(self.ask("reconcile")["differences"], [])

    def test_a_folder_without_its_last_rounds_comes_in(self):
        summaries = [{"roundNumber": number, "summary": f"To {number}.", "replacesRounds": [number]} for number in (1, 3)]
        self.put("disc-1.json", {"rounds": [self.bare(1)], "summaries": summaries})
        self.put("disc-2.json", {"rounds": [self.bare(1)], "summaries": [{**summaries[1], "roundNumber": 102, "replacesRounds": [102]}]})
        got = self.imported(code=4)
        self.assertEqual([got[name]["result"] for name in ("disc-1.json", "disc-2.json")], ["taken", "refused"])
        self.assertEqual(self.ask("context")["currentSummary"]["summary"], "To 3.")
        self.ask("write")
        self.assertEqual(self.ask("reconcile")["differences"], [])
        self.assertEqual(self.ask("open")["roundNumber"], 4)

    def test_a_dry_run_writes_nothing(self):
        self.put("disc-1.json", {"rounds": [self.bare(1)]})
        head = self.head()
        self.assertEqual(self.imported("--dry-run")["disc-1.json"]["result"], "taken")
        self.assertEqual(self.head(), head)

    def test_text_for_people_and_wrong_use(self):
        self.put("disc-1.json", {"mood": "\u001b[31m", "rounds": [self.bare(1)]})
        done = self.run_import()
        self.assertIn("taken " + self.name + "/disc-1.json: 1 rounds, 0 summaries\n  kept as an attribute: /mood\n", done.stdout)
        self.assertIn("imported 1 of 1 discussions", done.stderr)
        self.assertEqual(whence("import", "--format", "discussions", self.old / "none", "--url", self.server.url).returncode, 3)


class UnknownTest(FolderCase):
    def test_reconciling_reads_a_discussion_that_only_its_file_has(self):
        self.refused(NOT_FOUND, "discussion.reconcile", **self.here)
        self.path(".json").parent.mkdir(parents=True)
        self.path(".json").write_text(json.dumps({"mood": 1, "rounds": [self.bare(2), self.bare(1)]}))
        got = self.ask("reconcile")
        self.assertEqual([(d["kind"], d["path"]) for d in got["differences"] if d["kind"] == "round"],
                         [("round", "/rounds/0"), ("round", "/rounds/1")])
        self.assertEqual(got["kept"], ["/mood"])
        self.refused(NOT_FOUND, "discussion.context", **self.here)
        self.assertGreater(self.ask("reconcile", repair="all")["repaired"], 2)
        self.assertEqual(len(self.ask("context")["rounds"]), 2)
        self.assertEqual(self.ask("reconcile")["differences"], [])
        self.assertEqual(json.loads(self.texts()[0])["attributes"], {"mood": 1})

    def test_unknown_members_that_were_kept_are_no_mistake(self):
        self.put("disc-1.json", {"mood": 1, "rounds": [self.bare(1)]})
        self.imported()
        self.path(".json").write_text((self.old / self.name / "disc-1.json").read_text())
        self.assertEqual(self.write(self.a_round(2))["warnings"], [])
        file = json.loads(self.texts()[0])
        self.assertEqual((file["attributes"], len(file["rounds"])), ({"mood": 1}, 2))


class FactsTest(FolderCase):
    def test_the_facts_about_a_discussion(self):
        self.write(self.a_discussion(topic="T", isResolved=False, needsUserInput=True), self.a_round(1), self.a_round(2))
        self.write(self.a_summary(1))
        before = self.head()
        self.ask("open")
        opened = self.ask("get")
        self.assertEqual((opened["currentRound"], opened["currentTurn"], opened["next"]), (3, 6, PERSONAS[0]))
        self.add(3, PERSONAS[0], "x")
        got = self.ask("get")
        want = {"ref": self.ref("Discussion"), "userId": self.name, "topic": "T", "isResolved": False, "needsUserInput": True,
                "createdAt": 0, "rounds": 2, "currentRound": 3, "currentTurn": 7, "next": PERSONAS[1],
                "paths": {"json": self.name + "/disc-1.json", "md": self.name + "/disc-1.md"}}
        self.assertEqual({k: got[k] for k in want}, want)
        self.assertEqual(got["currentSummary"]["summary"], "What round 1 said.")
        self.assertEqual(got["tokenCount"], json.loads(self.texts()[0])["tokenCount"])
        past = self.ask("get", as_of=before)
        self.assertEqual((past["currentRound"], past["currentTurn"], past["next"]), (None, 6, None))
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 3)])  # and with it the opening
        void = self.ask("get")
        self.assertEqual((void["currentRound"], void["next"]), (None, None))
        self.refused(NOT_FOUND, "discussion.get", userId=self.name, discussionId="none")
