"""Claim: a start from a checkpoint gives what a start from the whole log gives, whatever became of the file; a checkpoint holds
no text.

Method: a store is written to, checkpointed, written to again and killed; exports with and without the checkpoint are equal. Then
the file is cut and bytes of it are changed at random places: the export is the same each time. WHENCE_CHECKPOINT_DAMAGES damages
(default 40); WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import shutil
import tempfile
import unittest
from pathlib import Path

from support.program import Server, seed_of_run, wait_until, whence

DAMAGES = int(os.environ.get("WHENCE_CHECKPOINT_DAMAGES", "40"))
SEED = seed_of_run()
TIME = "2025-01-01T00:00:00Z"
SECRET = "xyzzyplugh"


def batch(chance, n):
    """A response of some earlier units, a new unit, and now and then a rating or a successor."""
    records = [{"$type$": "ContextUnit", "id": f"cu_{n}", "type": "User", "source": "s", "timestamp": TIME, "version": 1,
                "content": f"{SECRET} {n}"}]
    used = sorted({n, *(chance.randrange(n + 1) for _ in range(6))})
    records.append({"$type$": "Response", "id": f"resp_{n}", "timestamp": TIME, "agent": "a", "model": "m", "content": SECRET,
                    "context_units": [{"context_unit_id": f"cu_{u}", "weight": 1 / len(used)} for u in used]})
    if n % 7 == 3:
        records.append({"$type$": "FeedbackRecord", "id": f"fb_{n}", "response_id": f"resp_{chance.randrange(n)}", "timestamp": TIME,
                        "score": -1})
    return records


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.chance = random.Random(SEED)
        self.db = Path(folder.name) / "db"
        self.file = self.db / "graph.checkpoint"

    def write(self, server, begin, end):
        server.rpc_batch([("records.write", {"records": batch(self.chance, n)}) for n in range(begin, end)])

    def exported(self):
        done = whence("export", "--db", self.db, "--format", "jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def started(self):
        """What a start says: the transaction of the checkpoint it began with, the transactions it replayed, its warnings."""
        with Server(self.db, "--log", "json") as server:
            server.stop()
            events = {event["event"]: event for event in map(json.loads, server.stderr_lines)}
        data = events["listening"]["data"]
        return data["checkpoint_tx"], data["replayed"], "checkpoint_refused" in events

    def make(self):
        """A store of 60 transactions with a checkpoint of 40, whose server was killed. Its export without the checkpoint."""
        with Server(self.db) as server:
            self.write(server, 0, 40)
            server.kill()
        done = whence("checkpoint", "--db", self.db, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["tx"]), (0, 40))
        with Server(self.db) as server:
            self.write(server, 40, 58)
            server.rpc("records.delete", {"refs": ["Response:resp_57"]})
            server.rpc("records.purge", {"refs": ["ContextUnit:cu_3"], "cascade": False})
            server.kill()
        aside = self.file.with_suffix(".aside")
        shutil.move(self.file, aside)
        whole = self.exported()
        shutil.move(aside, self.file)
        return whole

    def test_a_start_is_the_same(self):
        whole = self.make()
        self.assertEqual(self.started(), (40, 20, False))
        self.assertEqual(self.exported(), whole)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(whence("verify", "--db", self.db).returncode, 0)
        self.assertEqual(whence("compact", "--db", self.db).returncode, 0)
        self.assertNotIn(SECRET.encode(), self.file.read_bytes())
        self.assertEqual(self.started(), (40, 20, False))
        self.assertEqual(self.exported(), whole)

    def test_a_damaged_one_is_never_believed(self):
        whole = self.make()
        saved = self.file.read_bytes()
        for _ in range(DAMAGES):
            damaged = bytearray(saved)
            at = self.chance.randrange(len(saved)) if self.chance.random() < 0.7 else self.chance.randrange(4096)
            if self.chance.random() < 0.2:
                damaged = damaged[:at]
            else:
                for place in range(at, min(len(saved), at + self.chance.choice([1, 8, 5000]))):
                    damaged[place] ^= self.chance.randrange(1, 256)
            self.file.write_bytes(damaged)
            with self.subTest(seed=SEED, at=at, size=len(damaged)):
                self.assertEqual(self.exported(), whole)
        self.file.write_bytes(saved[:-1])
        self.assertIn("checkpoint", whence("verify", "--db", self.db).stdout)
        self.assertEqual(self.started(), (0, 60, True))
        self.assertFalse(self.file.exists())

    def test_one_of_another_store_is_refused(self):
        whole = self.make()
        other = self.db.with_name("other")
        self.assertEqual(whence("demo", "--db", other).returncode, 0)
        self.assertEqual(whence("checkpoint", "--db", other).returncode, 0)
        shutil.copy(other / "graph.checkpoint", self.file)
        self.assertEqual(self.started(), (0, 60, True))
        self.assertEqual(self.exported(), whole)

    def test_a_server_makes_them_as_it_grows(self):
        with Server(self.db, "--checkpoint-edges", "50", "--log", "json") as server:
            self.write(server, 0, 40)
            wait_until(self.file.exists, "a checkpoint")
            self.write(server, 40, 50)
            server.stop()
            events = [event["event"] for event in map(json.loads, server.stderr_lines)]
        self.assertIn("checkpoint_made", events)
        self.assertGreater(self.started()[0], 0)


if __name__ == "__main__":
    unittest.main()
