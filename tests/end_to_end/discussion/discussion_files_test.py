"""Claim: the JSON and Markdown files of a discussion follow their layout byte for byte, are written both or neither, and
only in the configured folder.

Method: literal files; ids that try to leave the folder; a server killed while it writes pairs in a loop,
WHENCE_KILL_CYCLES times (default 8), after which both files must be of one state. WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import sys
import threading
from pathlib import Path

from support.discussion_case import FileCase
from support.naive_discussion import discussion_record, markdown, ref_of, round_record, tokens
from support.wire_case import INTERNAL_ERROR, METHOD_NOT_FOUND, WireCase
from support.program import RpcError, Server, seed_of_run, wait_until

SEED = seed_of_run()
CYCLES = int(os.environ.get("WHENCE_KILL_CYCLES", "8"))
PAIRS_MAX = 40  # pairs of files written in a cycle before its kill

W6_JSON = """\
{
  "userId": "USER",
  "discussionId": "disc-1",
  "topic": "How to test",
  "createdAt": 0,
  "updatedAt": 3,
  "tokenCount": 256,
  "rounds": [
    {
      "roundNumber": 1,
      "timestamp": 1,
      "analyzerResponse": {
        "persona": "Analyzer AI",
        "turn": 1,
        "content": "a",
        "timestamp": 1
      },
      "solverResponse": {
        "persona": "Solver AI",
        "turn": 2,
        "content": "b",
        "timestamp": 1
      },
      "moderatorResponse": {
        "persona": "Moderator AI",
        "turn": 3,
        "content": "c",
        "timestamp": 1
      },
      "userAnswers": [
        "yes"
      ]
    }
  ],
  "summaries": [
    {
      "roundNumber": 1,
      "summary": "What round 1 said.",
      "replacesRounds": [
        1
      ],
      "tokenCountBefore": 328,
      "tokenCountAfter": 256,
      "createdAt": 3
    }
  ],
  "currentSummary": {
    "roundNumber": 1,
    "summary": "What round 1 said.",
    "replacesRounds": [
      1
    ],
    "tokenCountBefore": 328,
    "tokenCountAfter": 256,
    "createdAt": 3
  },
  "summary": "What round 1 said."
}
"""
W6_MARKDOWN = """\
# How to test

- user: USER
- discussion: disc-1
- rounds: 1
- tokens: 256

## Round 1

### Analyzer AI

a

### Solver AI

b

### Moderator AI

c

### User answers

1. yes

## Summary (through round 1)

What round 1 said.
"""


class LayoutTest(FileCase):
    def test_both_files_are_the_worked_example(self):
        got = self.w6()
        self.assertEqual((got["json"], got["md"]), (self.name + "/disc-1.json", self.name + "/disc-1.md"))
        self.assertEqual(self.texts(), (W6_JSON.replace("USER", self.name), W6_MARKDOWN.replace("USER", self.name)))
        self.assertEqual(sorted(p.name for p in (self.files / self.name).iterdir()), ["disc-1.json", "disc-1.md"])

    def test_without_summary_with_questions_and_text_of_all_kinds(self):
        self.write(self.a_discussion(topic='Q "\\/" ü', createdAt=1733000000000, updatedAt=1733000000005),
                   self.a_round(1, ('"quoted" \\ / \t', "zwei\nZeilen \u2028", "\U0001f600 \x7f\x01"), timestamp=1733000000001,
                                questions={"questions": ["Which?", 1.5], "more": {"none": None}}))
        self.ask("write")
        self.assertEqual(self.texts()[0], """\
{
  "userId": "USER",
  "discussionId": "disc-1",
  "topic": "Q \\"\\\\/\\" ü",
  "createdAt": 1733000000000,
  "updatedAt": 1733000000005,
  "tokenCount": 335,
  "rounds": [
    {
      "roundNumber": 1,
      "timestamp": 1733000000001,
      "analyzerResponse": {
        "persona": "Analyzer AI",
        "turn": 1,
        "content": "\\"quoted\\" \\\\ / \\t",
        "timestamp": 1733000000001
      },
      "solverResponse": {
        "persona": "Solver AI",
        "turn": 2,
        "content": "zwei\\nZeilen \u2028",
        "timestamp": 1733000000001
      },
      "moderatorResponse": {
        "persona": "Moderator AI",
        "turn": 3,
        "content": "\U0001f600 \x7f\\u0001",
        "timestamp": 1733000000001
      },
      "questions": {
        "questions": [
          "Which?",
          1.5
        ],
        "more": {
          "none": null
        }
      }
    }
  ],
  "summaries": []
}
""".replace("USER", self.name))

    def test_several_rounds_in_markdown(self):
        self.write(self.a_discussion(topic="T"), self.a_round(1, userAnswers=["one", "two\nlines"]),
                   self.a_round(2, ("# d", "\ne\n", "f")))
        self.ask("write")
        self.assertEqual(self.texts()[1], """\
# T

- user: USER
- discussion: disc-1
- rounds: 2
- tokens: 406

## Round 1

### Analyzer AI

a

### Solver AI

b

### Moderator AI

c

### User answers

1. one
2. two
lines

## Round 2

### Analyzer AI

# d

### Solver AI


e


### Moderator AI

f
""".replace("USER", self.name))

    def test_only_complete_rounds_are_written(self):
        self.w6()
        before = self.texts()
        self.ask("open")
        self.add(2, "Analyzer AI", "d", timestamp=2)
        self.ask("write")
        self.assertEqual(self.texts(), before)
        self.assertEqual(self.ask("reconcile")["differences"], [])

    def test_writing_twice_gives_the_same_bytes(self):
        self.w6()
        before = self.texts()
        self.ask("write")
        self.assertEqual(self.texts(), before)

    def test_all_summaries_are_kept_and_the_last_is_current(self):
        self.begin("abc", "def")
        self.write(self.a_summary(1, "one"), self.a_summary(2, "two", createdAt=9))
        self.ask("write")
        file = json.loads(self.texts()[0])
        self.assertEqual([(s["roundNumber"], s["summary"]) for s in file["summaries"]], [(1, "one"), (2, "two")])
        self.assertEqual((file["currentSummary"], file["summary"], file["updatedAt"]), (file["summaries"][1], "two", 9))
        self.assertEqual(file["tokenCount"], 251)

    def test_leftovers_are_removed_by_the_next_write(self):
        self.w6()
        for name in ("disc-1.json.tmp", "disc-1.json.tmp123", "disc-1.md.tmp-x"):
            (self.files / self.name / name).write_text("left over")
        self.ask("write")
        self.assertEqual(self.leftovers(), [])


class FolderTest(WireCase):
    IDS = {"..": "%2E.", ".": "%2E", "../../x": "%2E.%2F..%2Fx", "/etc/passwd": "%2Fetc%2Fpasswd", "a/../../b": "a%2F..%2F..%2Fb",
           "..\\x": "%2E.%5Cx", "%2e%2e": "%252e%252e", ".hidden": "%2Ehidden", "a b": "a%20b", "ü": "%C3%BC", "-rf": "-rf",
           "A_z-0.9": "A_z-0.9", "a.json": "a.json", "~": "%7E", "*?": "%2A%3F", "a.": "a."}

    def everything(self):
        return sorted(str(p.relative_to(self.folder.name)) for p in Path(self.folder.name).rglob("*") if "db" not in p.parts)

    def test_no_id_leaves_the_folder(self):
        for text, escaped in self.IDS.items():
            for user, discussion in ((text, "plain"), ("plain", text), (text, text)):
                with self.subTest(user=user, discussion=discussion):
                    self.write(round_record(user, discussion, 1), ensure=True)
                    before = self.everything()
                    got = self.rpc("discussion.write", userId=user, discussionId=discussion)
                    stem = f"{escaped if user == text else 'plain'}/{escaped if discussion == text else 'plain'}"
                    self.assertEqual((got["json"], got["md"]), (stem + ".json", stem + ".md"))
                    new = set(self.everything()) - set(before)
                    self.assertLessEqual(new, {f"files/{stem}.json", f"files/{stem}.md", "files/" + stem.split("/")[0], "files"})
                    file = json.loads((self.files / (stem + ".json")).read_bytes())
                    self.assertEqual((file["userId"], file["discussionId"]), (user, discussion))
                    self.assertEqual(self.rpc("discussion.reconcile", userId=user, discussionId=discussion)["differences"], [])

    def test_a_folder_that_is_a_link_is_not_followed(self):
        outside = Path(self.folder.name) / "outside"
        outside.mkdir()
        self.files.mkdir(exist_ok=True)
        (self.files / "linked").symlink_to(outside)
        self.write(round_record("linked", "d", 1), ensure=True)
        self.fails("discussion.write", userId="linked", discussionId="d")
        self.assertEqual(list(outside.iterdir()), [])

    def test_names_too_long_for_files_are_refused(self):
        for user, discussion in (("ü" * 127, "d"), ("u", "/" * 255), ("u", "x" * 255)):
            self.write(round_record(user, discussion, 1), ensure=True)
            self.fails("discussion.write", userId=user, discussionId=discussion)

    def test_without_a_folder_nothing_is_written(self):
        with Server(self.folder.name + "/db-without") as server:
            server.rpc("records.write", {"records": [round_record("u", "d", 1)], "ensure": True})
            for method in ("discussion.write", "discussion.reconcile"):
                self.fails(method, server=server, userId="u", discussionId="d")
            self.assertEqual(server.rpc("discussion.tokens", {"userId": "u", "discussionId": "d"})["total"], 328)

    def fails(self, method, server=None, **params):
        with self.assertRaises(RpcError) as caught:
            (server or self.server).rpc(method, params)
        self.assertNotIn(caught.exception.code, (INTERNAL_ERROR, METHOD_NOT_FOUND), caught.exception.error)


class Pairs(threading.Thread):
    """Adds rounds to one discussion and writes its files after each until its server is gone."""

    def __init__(self, server, user, size):
        super().__init__()
        self.server, self.user, self.size, self.written, self.failure = server, user, size, 0, None

    def run(self):
        here = {"userId": self.user, "discussionId": "disc-1"}
        try:
            for number in range(1, 10**9):
                contents = [f"{c}{number} " + "x" * self.size for c in "abc"]
                self.server.rpc("records.write", {"records": [discussion_record(self.user, "disc-1", topic="T"),
                                                              round_record(self.user, "disc-1", number, contents)]})
                self.server.rpc("discussion.write", here)
                self.written = number
        except RpcError as error:
            self.failure = error
        except Exception:  # the server is gone
            pass


class KilledWritingTest(WireCase):
    def is_of_one_state(self, pair):
        paths = [self.files / pair.user / ("disc-1" + suffix) for suffix in (".json", ".md")]
        if not all(path.exists() for path in paths):
            return not any(path.exists() for path in paths)
        return paths[1].read_text(encoding="utf-8") == markdown(json.loads(paths[0].read_text(encoding="utf-8")))

    def check_pair(self, pair):
        """Both files there, whole, of one state, and not older than what was acknowledged."""
        paths = [self.files / pair.user / ("disc-1" + suffix) for suffix in (".json", ".md")]

        def read():
            return [path.read_bytes().decode() if path.exists() else None for path in paths]

        texts, again = read(), read()
        while texts != again:  # the server has just brought them up to date: one was read before, the other after
            texts, again = again, read()
        if texts == [None, None]:
            self.assertEqual(pair.written, 0)
            return
        self.assertNotIn(None, texts)
        file = json.loads(texts[0])
        self.assertEqual(texts[1], markdown(file))
        self.assertEqual(file["tokenCount"], tokens(file["rounds"]))
        self.assertEqual([r["roundNumber"] for r in file["rounds"]], list(range(1, len(file["rounds"]) + 1)))
        self.assertGreaterEqual(len(file["rounds"]), pair.written)

    def test_a_pair_is_of_one_state_after_every_kill(self):
        chance, total, halfway = random.Random(SEED), 0, 0
        for cycle in range(CYCLES):
            pairs = [Pairs(self.server, f"kill-{cycle}-{i}", size) for i, size in enumerate((10, 20000))]
            for pair in pairs:
                pair.start()
            goal = chance.randint(1, PAIRS_MAX)
            wait_until(lambda: sum(p.written for p in pairs) >= goal or any(p.failure for p in pairs), f"{goal} pairs")
            self.server.kill()
            for pair in pairs:
                pair.join()
                self.assertIsNone(pair.failure)
                halfway += any(".tmp" in p.name for p in (self.files / pair.user).glob("*"))
            type(self).server = self.start()
            # The server brings files up to date that are older than their discussion, one after the other.
            wait_until(lambda: all(self.is_of_one_state(pair) for pair in pairs), "files that follow")
            for pair in pairs:
                with self.subTest(seed=SEED, user=pair.user):
                    self.check_pair(pair)
                    total += pair.written
                    if self.rpc("node.count", type="Discussion", where={"userId": {"eq": pair.user}})["count"]:
                        self.check_next_write(pair.user)
        print(f"seed {SEED}: {CYCLES} kills, {total} pairs written before them, {halfway} caught halfway", file=sys.stderr)
        self.assertGreater(total, 0)

    def check_next_write(self, user):
        self.rpc("discussion.write", userId=user, discussionId="disc-1")
        self.assertEqual(sorted(p.name for p in (self.files / user).iterdir()), ["disc-1.json", "disc-1.md"])
        self.assertEqual(self.rpc("discussion.reconcile", userId=user, discussionId="disc-1")["differences"], [])
        self.assertTrue(self.record(ref_of("Discussion", user, "disc-1")))
