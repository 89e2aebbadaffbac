"""Claim: from incremental backups that were made while a server was written to, a store is restored as it was after any transaction
and at any time that they have: it verifies, its chain of hashes is what the server answered then, and so are its records.

Method: a writer notes the head, the leaf hash and the clock after each write; backups are made beside it, of the store's directory and
over the wire; the server is killed and its directory removed; then moments are restored and compared with the notes. Backups every
WHENCE_DRILL_EVERY seconds (default 0.4) for WHENCE_DRILL_SECONDS (default 2); WHENCE_TEST_SEED repeats the choices.
"""
import datetime
import json
import os
import random
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.program import Server, seed_of_run, wait_until, whence

SECONDS = float(os.environ.get("WHENCE_DRILL_SECONDS", "2"))
EVERY = float(os.environ.get("WHENCE_DRILL_EVERY", "0.4"))
MOMENTS = 1 if SECONDS < 60 else 10  # of each form of backup, each by number and by time
SEED = seed_of_run()
TIME = "2025-10-09T16:15:00Z"


def batch(number, chance):
    words = " ".join(chance.choice(("oak", "elm", "fir", "ash")) for _ in range(chance.randrange(1, 900)))
    return [{"$type$": "ContextUnit", "id": f"cu_{number}", "type": "External", "source": "s", "version": 1, "timestamp": TIME,
             "content": f"unit {number} {words}"},
            {"$type$": "Response", "id": f"resp_{number}", "timestamp": TIME, "agent": "a", "model": "m", "content": f"answer {number}",
             "context_units": [{"context_unit_id": f"cu_{number}", "weight": 1}]}]


class Writer(threading.Thread):
    """Writes until it is stopped, or the server is gone; `notes` are (tx, leaf hash, time after it was answered,
    whether every content that was there then is there still or was purged by then)."""

    def __init__(self, server, chance):
        super().__init__(daemon=True)
        self.server, self.chance, self.stopping = server, chance, threading.Event()
        self.notes, self.purged = [], []  # purged: (ref, tx)

    def run(self):
        for number in range(10**9):
            if self.stopping.is_set():
                return
            try:
                tx = self.server.rpc("records.write", {"records": batch(number, self.chance), "idempotency_key": f"k{number}"})["tx"]
                if number % 7 == 3:
                    ref = f"ContextUnit:cu_{number - 3}"
                    tx = self.server.rpc("records.purge", {"refs": [ref]})["tx"]
                    self.purged.append((ref, tx))
                answer = self.server.rpc("admin.log", {"after": tx, "bytes": 0})
            except Exception:
                return
            now = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
            self.notes.append((tx, answer["leaf"], now, number % 7 >= 3))


class RestoreDrill(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"
        self.chance = random.Random(SEED)

    def run_whence(self, *args, code=0):
        done = whence(*args, timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if "--json" in args and code == 0 else done.stderr

    def log(self, db, after):
        return self.run_whence("rpc", "admin.log", json.dumps({"after": after, "bytes": 0}), "--db", db, "--json")

    def exported(self, db, *more):
        done = whence("export", "--db", db, "--format", "jsonl", *more, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, restored, tx, leaf=None):
        """`leaf` was the hash of the head; the last moment is no note of the writer's."""
        self.run_whence("verify", "--db", restored["db"])
        answer = self.log(restored["db"], tx)
        self.assertEqual((restored["tx"], answer["tx"], answer["leaf"]), (tx, tx, leaf or answer["leaf"]))
        self.assertNotEqual(answer["epoch"], self.epoch)

    @staticmethod
    def is_enough(notes, made):
        """Several sets of the store, and in each form of backup a moment that can be restored whole."""
        whole = [tx for tx, _, _, is_whole in notes if is_whole and tx > 5]
        return (any(each["base"] for each in made["--db"][1:]) and
                all(backups and any(tx <= backups[-1]["tx"] for tx in whole) for backups in made.values()))

    def test_any_moment_of_a_lost_store(self):
        backups = {"--db": self.folder / "of-store", "--url": self.folder / "of-url"}
        made = {flag: [] for flag in backups}
        server = Server(self.db)
        self.epoch = server.rpc("server.info")["epoch"]
        writer = Writer(server, random.Random(SEED + 1))
        writer.start()
        wait_until(lambda: writer.notes, "the first write")
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline or not self.is_enough(writer.notes, made):
            self.assertLess(time.monotonic(), deadline + 300, "still not enough of what is restored")
            pause = time.monotonic() + EVERY
            for flag, place in (("--db", self.db), ("--url", server.url)):
                age = f"{max(1, int(SECONDS / 3))}s" if flag == "--db" else "30d"
                made[flag].append(self.run_whence("backup", backups[flag], "--incremental", flag, place, "--new-base-after", age, "--json"))
            writer.stopping.wait(max(0, pause - time.monotonic()))
        writer.stopping.set()
        writer.join()
        last = {flag: each[-1]["tx"] for flag, each in made.items()}
        server.kill()
        before = self.exported(self.db)
        shutil.rmtree(self.db)
        print(f"{len(writer.notes)} writes, backups {[len(each) for each in made.values()]}, last {last}", flush=True)
        for flag, backup in backups.items():
            later = {ref for ref, tx in writer.purged if tx > last[flag]}
            self.restore_moments(backup, [note for note in writer.notes if note[0] <= last[flag]], before, later)

    def restore_moments(self, backup, notes, before, purged_later):
        """Some of the moments that the writer noted: by number, by time, and the last."""
        last = self.run_whence("restore", backup, "--db", self.folder / "last", "--json")
        self.check(last, last["tx"])
        events, known = ([json.loads(line) for line in text.splitlines()] for text in (self.exported(last["db"]), before))
        self.assertGreater(len(events), 10)
        self.assertEqual([each for each in events if each.get("ref") not in purged_later],
                         [each for each in known if each["tx"] <= last["tx"] and each.get("ref") not in purged_later])
        self.assertEqual(self.log(last["db"], notes[-1][0])["leaf"], notes[-1][1])
        shutil.rmtree(last["db"])
        chosen = [self.chance.choice([note for note in notes if note[3]]), *self.chance.sample(notes, min(MOMENTS - 1, len(notes)))]
        refused = 0
        for tx, leaf, at, is_whole in chosen:
            for flag, moment in (("--to-tx", tx), ("--to-time", at)):
                place = self.folder / "moment"
                done = whence("restore", backup, "--db", place, flag, moment, "--json", timeout=600)
                if not is_whole and done.returncode == 3:  # a purge came between this moment and the backup of it
                    self.assertIn("before they were backed up", done.stderr)
                    self.assertFalse(place.exists())
                    refused += 1
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(json.loads(done.stdout), tx, leaf)
                shutil.rmtree(place)
        print(f"{backup.name}: {refused} of {2 * len(chosen)} refused, since contents were purged between two backups", flush=True)


if __name__ == "__main__":
    unittest.main()
