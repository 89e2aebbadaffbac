"""Claim: `whence compact` makes a store smaller and changes nothing that anybody reads; `kill -9` at any moment leaves the old
store or the new one.

Method: a store of conversations and texts is exported, compacted while kills come after random times, verified after each, and
exported again. WHENCE_KILL_CYCLES kills (default 8); WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support.program import WHENCE, Server, seed_of_run, whence

CYCLES = int(os.environ.get("WHENCE_KILL_CYCLES", "8"))
SEED = seed_of_run()
TIME = "2025-01-01T00:00:00Z"
WORDS = [f"word{n}" for n in range(300)]


def text(chance, words):
    return " ".join(chance.choice(WORDS) for _ in range(words))


def batches(chance, count):
    """Lines for `load`: a response with its text and its passages, and an attachment, each."""
    for n in range(count):
        unit = {"content": text(chance, 80), "source": "manual", "type": "External", "weight": 1}
        response = {"$type$": "Response", "id": f"resp_{n}", "timestamp": TIME, "agent": "a", "model": "m", "content": text(chance, 500),
                    "prompt": text(chance, 60), "context_units": [unit]}
        xml = (f"<llmQuery><userMessage>{text(chance, 50)}</userMessage><context topicId=\"t\" messageCount=\"{n}\"><activeSubjects>a"
               f"</activeSubjects><recentKeywords>{chance.choice(WORDS)}</recentKeywords></context></llmQuery>")
        attachment = {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": f"m{n}", "xml": xml, "format": "llm-query",
                      "createdAt": 1700000000000 + n}
        message = {"$type$": "Message", "id": f"m{n}", "topicId": "t"}
        topics = [{"$type$": "Topic", "id": "t", "name": "t"}] if n == 0 else []
        yield json.dumps({"records": [*topics, response, message, attachment], "idempotency_key": f"key-{n}"})


class CompactTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"
        done = whence("load", "-", "--db", self.db, stdin="\n".join(batches(random.Random(SEED), 300)))
        self.assertEqual(done.returncode, 0, done.stderr)

    def exported(self):
        done = whence("export", "--db", self.db, "--format", "jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def size(self):
        return (self.db / "data.mdb").stat().st_size

    def verify(self, when):
        done = whence("verify", "--db", self.db)
        self.assertEqual(done.returncode, 0, f"seed {SEED}, {when}: {done.stdout}{done.stderr}")

    def test_a_store_is_smaller_and_the_same(self):
        before, bytes_before = self.exported(), self.size()
        done = whence("compact", "--db", self.db, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"db": str(self.db), "tx": 300, "bytes_before": bytes_before, "bytes_after": self.size()})
        self.assertLess(self.size(), bytes_before * 0.8)
        self.verify("compacted")
        self.assertEqual(self.exported(), before)
        with Server(self.db) as server:
            again = json.loads(next(batches(random.Random(SEED), 1)))
            self.assertEqual(server.rpc("records.write", again)["tx"], 1, "the kept answer is there")
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "later", "name": "later"}]})

    def test_a_store_that_a_server_holds_is_refused(self):
        with Server(self.db):
            for verb in (["compact"], ["serve", "--listen", "127.0.0.1:0"]):
                done = whence(*verb, "--db", self.db)
                self.assertEqual((done.returncode, "in use by process" in done.stderr), (6, True), done.stderr)

    def test_kills_leave_a_whole_store(self):
        before = self.exported()
        chance = random.Random(SEED)
        began = time.monotonic()
        self.assertEqual(whence("compact", "--db", self.db).returncode, 0)
        whole = time.monotonic() - began
        killed = 0
        for cycle in range(CYCLES):
            program = subprocess.Popen([WHENCE, "compact", "--db", self.db], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                program.wait(timeout=chance.uniform(0, whole))
            except subprocess.TimeoutExpired:
                program.kill()
                killed += program.wait() != 0
            self.verify(f"cycle {cycle}")
            self.assertEqual(self.exported(), before, f"seed {SEED}, cycle {cycle}")
        self.assertEqual(list(self.db.glob("compact.partial*")), [], "the next user of the store removes what was left")
        print(f"seed {SEED}: {killed} kills, the store whole after each", file=sys.stderr)
