"""`whence show`: the page of a node of each type as text, from a store and from a server."""
import json
import tempfile
import unittest

from records import feedback, lines, response, unit
from whence_e2e import Server, whence

XML = "XMLMessageAttachment:14b0bd928d5be20f81f7d734c1ee0ba0de2e61d0d35f4d833638641f47165ba5"

# Of each page: the node, and lines that it has in this order.
PAGES = [
    ("resp_20251011_00126", ["Response:resp_20251011_00126", "model: claude-3.5-sonnet", "SOURCES, BY THEIR SHARE", "RATINGS", "mean_score: 0.9"]),
    ("Answer:req_20251014_0a1b2c", ["QUESTION", "  What must be worn when handling chemicals?", "ANSWER", "CITATIONS",
                                    "[1] safety_manual.pdf, page 5, Chemical Handling Procedures  RetrievedChunk:chunk_safety_manual_p5_0",
                                    "    All personnel must wear protective eyewear and gloves when handling Class A chemicals.",
                                    "RETRIEVED", "SOURCES, BY THEIR SHARE"]),
    ("cu_values_yaml_002", ["ContextUnit:cu_values_yaml_002  [deprecated]", "RATINGS", "VERSIONS", "HISTORY", "MADE FROM IT: 4"]),
    ("Document:safety_manual.pdf", ["title: Safety manual, 2019", "MADE FROM IT: 2", "RESPONSES AND ANSWERS THAT REST ON IT", "Answer: 1"]),
    ("RetrievedChunk:chunk_safety_manual_p9_3", ["CONTENT", "  Respirators are kept in room 12.", "MADE FROM: 1"]),
    ("Topic:family-planning-2025", ["name: Family planning", "MESSAGES", "2025-10-12T18:30:00Z  user  Message:msg_1",
                                    "2025-10-12T18:30:20Z  assistant  Message:msg_2", "XML", "SUBJECTS", "KEYWORDS", "SUMMARY, VERSION 1"]),
    ("Discussion:safety/eyewear", ["topic: Is eyewear enough?", "ROUND 1", "Analyzer AI:", "  The manual asks for eyewear and gloves.",
                                   "Solver AI:", "Moderator AI:"]),
    ("DiscussionRound:safety/eyewear/1", ["ANALYZER AI", "MADE FROM IT: 1", "BELONGS TOGETHER WITH: 1"]),
    ("Message:msg_2", ["role: assistant", "XML", "BELONGS TOGETHER WITH: 2"]),
    (XML, ["format: llm-response", "XML", "  <llmResponse>", "MADE FROM: 1", "MADE FROM IT: 6"]),
    ("Query:req_20251014_0a1b2c", ["QUESTION", "ANSWER", "CITATIONS"]),
    ("Keyword:529-plan", ["term: 529-plan", "MADE FROM: 1"]),
    ("Summary:family-planning-2025-v1", ["version: 1", "CONTENT", "MADE FROM: 1"]),
    ("fb_20251010_00124", ["score: -0.9", "BELONGS TOGETHER WITH: 2", "HISTORY"]),
    ("PromptContext:req_20251014_0a1b2c", ["FORMATTED_CONTEXT", "MADE FROM: 3"]),
]


class StoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.db = cls.folder.name + "/db"
        made = whence("demo", "--db", cls.db)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_type_has_a_page(self):
        for ref, wanted in PAGES:
            with self.subTest(ref):
                shown = whence("show", ref, "--db", self.db)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                rest = iter(shown.stdout.splitlines())
                for line in wanted:
                    self.assertIn(line, rest, shown.stdout)  # an iterator: each after the one before

    def test_sources_are_ranked_by_share_with_their_weights(self):
        shown = whence("show", "resp_20251011_00126", "--db", self.db).stdout.split("SOURCES, BY THEIR SHARE\n")[1].splitlines()
        self.assertEqual(shown[1].split()[:4], ["0.65", "\u2588" * 7 + "\u2591" * 3, "0.65", "ContextUnit:cu_values_yaml_005"])
        self.assertEqual(shown[2].split()[:4], ["0.455", "\u2588" * 5 + "\u2591" * 5, "ContextUnit:cu_values_yaml_002", "deprecated"])

    def test_a_store_and_a_server_give_programs_the_same_parts(self):
        local = {ref: whence("show", ref, "--db", self.db, "--json") for ref, _ in PAGES}
        with Server(self.db) as server:
            for ref, _ in PAGES:
                with self.subTest(ref):
                    remote = whence("show", ref, "--url", server.url, "--json")
                    self.assertEqual((remote.returncode, remote.stderr), (0, ""))
                    self.assertEqual(json.loads(remote.stdout), json.loads(local[ref].stdout))
        page = json.loads(local["Answer:req_20251014_0a1b2c"].stdout)
        self.assertEqual((page["ref"], page["type"], page["tx"]), ("Answer:req_20251014_0a1b2c", "Answer", 12))
        self.assertEqual(sorted(page["parts"]), ["answer", "ratings", "sources", "uses"])
        self.assertEqual(page["node"]["record"]["confidence"], 0.74)

    def test_all_parts_are_of_the_moment_asked_for(self):
        before = whence("show", "cu_values_yaml_002", "--as-of", "2", "--db", self.db).stdout
        self.assertNotIn("deprecated", before)
        self.assertNotIn("VERSIONS", before)
        self.assertIn("MADE FROM IT: 2", before)

    def test_what_is_not_there_has_no_page(self):
        for args, code in [(["show", "cu_nobody"], 3), (["show", "Nothing:x"], 4), (["show"], 2), (["show", "a", "b"], 2)]:
            done = whence(*args, "--db", self.db)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)

    def test_headings_are_coloured_where_asked_for(self):
        shown = whence("show", "cu_values_yaml_002", "--color", "always", "--db", self.db).stdout
        self.assertIn("\x1b[1mRATINGS\x1b[0m", shown)
        self.assertIn("\x1b[31m[deprecated]\x1b[0m", shown)
        self.assertNotIn("\x1b", whence("show", "cu_values_yaml_002", "--db", self.db).stdout)


class RecordsTest(unittest.TestCase):
    """Pages of records of the test's own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.db = self.folder.name + "/db"

    def load(self, *records):
        loaded = whence("load", "-", "--db", self.db, stdin=lines(*records))
        self.assertEqual(loaded.returncode, 0, loaded.stderr)

    def show(self, ref):
        shown = whence("show", ref, "--db", self.db)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        return shown.stdout

    def test_texts_cannot_control_the_terminal(self):
        hostile = "one\x1b[2J\x07\n\u202etwo\r\nthree\u0085"
        self.load(unit("a", source="\x1b]0;title\x07", content=hostile, summary=hostile),
                  {**response("1", a=1), "content": hostile, "prompt": hostile}, {**feedback("1", "1", 0.5), "feedback_text": hostile})
        for ref in ("cu_a", "resp_1", "fb_1"):
            shown = self.show(ref)
            for sign in "\x1b\x07\r\u202e\u0085":
                self.assertNotIn(sign, shown)
            self.assertIn("\\u001b[2J", shown)

    def test_a_response_shows_what_was_asked_said_and_measured(self):
        self.load(unit("a", summary="A passage"), {**response("1", a=1), "content": "Because.\n\nIndeed.", "prompt": "Why?", "latency_ms": 812,
                                                   "usage": {"input_tokens": 7, "output_tokens": 3}}, feedback("1", "1", -1))
        shown = self.show("resp_1")
        for part in ("latency_ms: 812", '{"input_tokens":7,"output_tokens":3}', "CONTENT\n  Because.\n\n  Indeed.\n", "PROMPT\n  Why?\n",
                     "A passage", "mean_score: -1"):
            self.assertIn(part, shown)

    def test_a_long_text_is_cut_and_says_so(self):
        self.load(unit("a", content="ä" * 20_000))
        shown = self.show("cu_a")
        self.assertLess(len(shown), 10_000)
        self.assertIn("(23,616 more bytes; --json has all of it)", shown)
        whole = json.loads(whence("show", "cu_a", "--db", self.db, "--json").stdout)
        self.assertEqual(len(whole["node"]["record"]["content"]), 20_000)

    def test_a_much_used_unit_counts_its_uses(self):
        self.load(unit("hot"), *(response(f"{i:05}", hot=1) for i in range(1_234)))
        shown = self.show("cu_hot")
        self.assertIn("MADE FROM IT: 1,234", shown)
        self.assertIn("and 1,214 more", shown)
        self.assertLess(shown.count("\n"), 60)

    def test_a_purged_record_keeps_its_place(self):
        self.load(unit("a", content="secret"), {**response("1", a=1), "content": "also secret"})
        purged = whence("purge", "cu_a", "resp_1", "--db", self.db)
        self.assertEqual(purged.returncode, 0, purged.stderr)
        shown = self.show("cu_a")
        self.assertIn("ContextUnit:cu_a  [purged]", shown)
        self.assertIn("Response:resp_1", shown)
        self.assertNotIn("secret", shown)

    def test_the_newest_messages_of_a_long_conversation_are_shown(self):
        self.load({"$type$": "Topic", "id": "t"},
                  *({"$type$": "Message", "id": f"m{i}", "topicId": "t", "createdAt": 1_000 * i, "role": "user", "text": f"word {i}."} for i in range(80)))
        shown = self.show("Topic:t")
        self.assertIn("(the newest 50)", shown)
        self.assertNotIn("word 29.", shown)
        self.assertLess(shown.index("word 30."), shown.index("word 79."))


if __name__ == "__main__":
    unittest.main()
