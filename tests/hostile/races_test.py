"""Claim: verbs that make, replace, copy or read a store, raced against servers and each other on one path, lose nothing that was
acknowledged, give no name to half a store, and touch nothing foreign.

Method: in each round two or three of serve, import, restore, backup, export begin within a quarter of a second, over no store, an
empty one or a full one, beside folders of others with likely names; servers are ended or killed. Then the store must verify and hold
what every server acknowledged and what each verb that ended well brought; copies and exports must come back whole.
WHENCE_RACES rounds (default 12); WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from attack import Server, pause
from support.program import WHENCE, clean_env, seed_of_run, unit, whence

ROUNDS = int(os.environ.get("WHENCE_RACES", "12"))
RECORDS = 300
VERBS = ("serve", "serve", "import", "import", "restore", "restore", "backup", "backup", "export")
REFUSED = {3, 4, 5, 6}  # not found, not allowed, a conflict, held by another


def refs(prefix, count=RECORDS):
    return {f"ContextUnit:cu_{prefix}{i}" for i in range(count)}


def lines_of(prefix):
    return "".join(json.dumps(unit(f"{prefix}{i}", content=f"text {i} " * 20)) + "\n" for i in range(RECORDS))


class Round:
    """One race on `db` in a folder of its own."""

    def __init__(self, folder, chance, sources):
        self.folder, self.chance, self.sources = folder, chance, sources
        self.db = folder / "db"
        self.expected, self.copies, self.exports, self.ended = set(), [], [], []
        for name in ("db.partial", "copy.partial", "out.jsonl.partial"):
            (folder / name).mkdir()
            (folder / name / "foreign").write_text("mine")
        self.before = chance.choice(("nothing", "empty", "full"))
        if self.before != "nothing":
            with Server(self.db) as server:
                if self.before == "full":
                    server.rpc("records.write", {"records": [json.loads(line) for line in lines_of("before").splitlines()]})
                    self.expected |= refs("before")

    def run(self):
        self.verbs = self.chance.sample(VERBS, self.chance.choice((2, 2, 3)))
        threads = [threading.Thread(target=getattr(self, verb), args=(at, self.chance.random() / 4, self.chance.randrange(2**31)))
                   for at, verb in enumerate(self.verbs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def note(self, verb, code, text=""):
        self.ended.append((verb, code, text.strip()[-300:]))
        return code == 0

    def verb(self, name, *args):
        done = subprocess.run([WHENCE, name, *map(str, args)], capture_output=True, text=True, env=clean_env(), timeout=120)
        return self.note(name, done.returncode, done.stderr)

    def serve(self, at, wait, seed):
        pause(wait)
        chance = random.Random(seed)
        try:
            server = Server(self.db)
        except RuntimeError as error:
            self.note("serve", 6, str(error))
            return
        for i in range(chance.randrange(1, 12)):
            name = f"server{at}_{i}"
            server.rpc("records.write", {"records": [unit(name)]})
            self.expected.add("ContextUnit:cu_" + name)
            pause(chance.random() / 30)
        with server:
            chance.choice((server.kill, server.stop))()
        self.note("serve", 0)

    def import_(self, at, wait, seed):
        pause(wait)
        if self.verb("import", self.sources["history"], "--db", self.db):
            self.expected |= refs("history")

    def restore(self, at, wait, seed):
        pause(wait)
        if self.verb("restore", self.sources["copy"], "--db", self.db):
            self.expected |= refs("copy")

    def backup(self, at, wait, seed):
        pause(wait)
        if self.verb("backup", self.folder / "copy", "--db", self.db):
            self.copies.append(self.folder / "copy")

    def export(self, at, wait, seed):
        pause(wait)
        if self.verb("export", "--db", self.db, "-o", self.folder / "out.jsonl", "--force"):
            self.exports.append(self.folder / "out.jsonl")


setattr(Round, "import", Round.import_)


class RacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        folder = Path(folder.name)
        for name in ("history", "copy"):
            loaded = whence("load", "-", "--db", folder / name, stdin=lines_of(name))
            assert loaded.returncode == 0, loaded.stderr
        with open(folder / "h.jsonl", "w") as out:
            subprocess.run([WHENCE, "export", "--db", folder / "history", "--format", "jsonl"], stdout=out, env=clean_env(), check=True)
        made = whence("backup", folder / "backup", "--db", folder / "copy")
        assert made.returncode == 0, made.stderr
        cls.sources = {"history": folder / "h.jsonl", "copy": folder / "backup"}

    def names_in(self, db):
        done = whence("export", "--db", db, "--format", "jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {event["ref"] for event in map(json.loads, done.stdout.splitlines()) if "ref" in event}

    def look_at(self, race):
        for verb, code, text in race.ended:
            is_refused = code in REFUSED or (code == 1 and "there is no store" in text)
            self.assertTrue(code == 0 or (is_refused and text), f"{verb} ended with {code}: {text}")
        if race.db.exists() and (race.db / "data.mdb").exists():
            self.assertEqual(whence("verify", "--db", race.db).returncode, 0)
            self.assertEqual(sorted(race.expected - self.names_in(race.db))[:5], [])
        else:
            self.assertEqual(sorted(race.expected)[:5], [])
        for at, copy in enumerate(race.copies):
            self.assertEqual(whence("restore", copy, "--db", race.folder / f"again{at}").returncode, 0)
            self.assertEqual(whence("verify", "--db", race.folder / f"again{at}").returncode, 0)
        self.assertLessEqual(len(race.copies), 1, "two backups to one path")
        for at, out in enumerate(race.exports[:1]):
            self.assertEqual(whence("import", out, "--db", race.folder / f"imported{at}").returncode, 0)
        self.assertEqual([p.name for p in race.folder.glob("*.partial-*")], [])
        for name in ("db.partial", "copy.partial", "out.jsonl.partial"):
            self.assertEqual((race.folder / name / "foreign").read_text(), "mine")

    def test_what_was_acknowledged_is_there_after_every_race(self):
        seed = seed_of_run()
        for number in range(ROUNDS):
            with self.subTest(round=number), tempfile.TemporaryDirectory() as folder:
                race = Round(Path(folder), random.Random(f"{seed} {number}"), self.sources)
                race.run()
                try:
                    self.look_at(race)
                except AssertionError as error:
                    raise AssertionError(f"{race.before}, {race.verbs}, {race.ended}: {error}") from None


if __name__ == "__main__":
    unittest.main()
