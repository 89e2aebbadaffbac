"""Claim: `search` finds what a scan of all records finds: under writes, after `kill -9`, and after a purge, whose words leave the file.

Method: writers send units of random words while questions are asked; then the server is killed and started again, and every question
is answered as a scan of what `node.find` returns answers it. What an acknowledged write said is found at once. WHENCE_KILL_CYCLES (default
4) kills; WHENCE_SEARCHES (default 60) questions after each; WHENCE_TEST_SEED repeats a run.
"""
import os
import random
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from support.program import Server, seed_of_run, wait_until

CYCLES = int(os.environ.get("WHENCE_KILL_CYCLES", "4"))
SEARCHES = int(os.environ.get("WHENCE_SEARCHES", "60"))
SEED = seed_of_run()
WORDS = [f"{first}{rest}" for first in ("ba", "ke", "lo", "mu", "zi") for rest in ("ran", "tor", "vel", "xen", "pod", "gur")]
PAGE = 10_000


def unit(cycle, writer, number, chance):
    words = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 12)))
    return {"$type$": "ContextUnit", "id": f"cu_{cycle}x{writer}x{number}", "type": "User", "source": "s",
            "timestamp": "2025-01-01T00:00:00Z", "version": 1, "content": words}


class Writer(threading.Thread):
    """Writes until its server is gone, and asks for what it wrote."""

    def __init__(self, server, cycle, writer):
        super().__init__()
        self.server, self.cycle, self.writer = server, cycle, writer
        self.chance = random.Random(f"{SEED} {cycle} {writer}")
        self.written, self.missed = 0, []

    def run(self):
        number = 0
        try:
            while True:
                batch = [unit(self.cycle, self.writer, number + i, self.chance) for i in range(self.chance.randint(1, 20))]
                number += len(batch)
                self.server.rpc("records.write", {"records": batch})
                self.written += len(batch)
                own = batch[-1]["id"]
                found = self.server.rpc("search", {"text": own.removeprefix("cu_") + " ", "limit": 10})
                if found["complete"] and own not in {node["id"] for node in found["nodes"]}:
                    self.missed.append(own)
        except (OSError, ValueError, RuntimeError):
            pass
        except Exception as error:  # http.client's own family
            if type(error).__module__ != "http.client":
                raise


def scanned(records, words, is_prefix):
    """The ids of the records that have all words, the last perhaps as the beginning of one."""
    ids = set()
    for record in records:
        text = " ".join(str(record.get(name, "")) for name in ("content", "source", "id"))
        own = set(re.findall(r"[a-z0-9]+", text.lower()))
        has = [word in own for word in words]
        if is_prefix:
            has[-1] = any(each.startswith(words[-1]) for each in own)
        if all(has):
            ids.add(record["id"])
    return ids


class SearchKillTest(unittest.TestCase):
    def records(self, server):
        nodes = self.pages(server, "node.find", type="ContextUnit", include=["record"])
        return [node["record"] for node in nodes if "record" in node]  # the others are purged

    def pages(self, server, method, **params):
        answer = server.rpc(method, {**params, "limit": PAGE})
        nodes = answer["nodes"]
        while "cursor" in answer:
            answer = server.rpc(method, {"cursor": answer["cursor"], "limit": PAGE})
            nodes += answer["nodes"]
        return nodes

    def compare(self, server, chance, count):
        records = self.records(server)
        for _ in range(count):
            words = [chance.choice(WORDS) for _ in range(chance.randint(1, 3))]
            words = list(dict.fromkeys(words))
            is_prefix = chance.random() < 0.5
            if is_prefix:
                words[-1] = words[-1][: chance.randint(3, len(words[-1]))]
            text = " ".join(words).upper() + ("" if is_prefix else " ")
            found = {node["id"] for node in self.pages(server, "search", text=text)}
            self.assertEqual(found, scanned(records, words, is_prefix), f"seed {SEED}: {text}")

    def wait_for_index(self, server):
        wait_until(lambda: server.rpc("server.info")["search"]["complete"], "the index")

    def test_finds_what_a_scan_finds(self):
        chance = random.Random(SEED)
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder + "/db")
            for cycle in range(CYCLES):
                writers = [Writer(server, cycle, w) for w in range(2)]
                for writer in writers:
                    writer.start()
                goal = chance.randint(50, 800)
                wait_until(lambda: sum(w.written for w in writers) >= goal, f"{goal} records")
                server.kill()
                for writer in writers:
                    writer.join()
                    self.assertEqual(writer.missed, [], f"seed {SEED}")
                server = Server(folder + "/db")
                self.wait_for_index(server)
                self.compare(server, chance, SEARCHES)
            self.purge(server, Path(folder) / "db")
            self.compare(server, chance, SEARCHES)
            server.stop()
        print(f"seed {SEED}: {CYCLES} kills, {SEARCHES} questions after each, all as a scan answers", file=sys.stderr)

    def purge(self, server, store):
        """A word that one record has is in the files of the index, and is not after its purge; a kill meanwhile changes nothing."""
        server.rpc("records.write", {"records": [{**unit("p", 0, 0, random.Random(1)), "content": "quixotic"}]})
        self.wait_for_index(server)
        self.assertTrue(self.has(store, b"quixotic"))
        server.rpc("records.purge", {"refs": ["cu_px0x0"]})
        self.assertEqual(server.rpc("search", {"text": "quixotic"})["nodes"], [])
        wait_until(lambda: not self.has(store, b"quixotic"), "the word to leave the index")
        self.assertEqual(server.rpc("search", {"text": "quixotic"})["nodes"], [])

    def has(self, store, word):
        def content(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:  # a file of SQLite's that came and went
                return b""

        return any(word in content(path) for path in store.glob("search.db*"))


if __name__ == "__main__":
    unittest.main()
