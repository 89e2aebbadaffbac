"""Claim: every acknowledged write survives `kill -9`, and no batch is ever partly there.

Method: four writers send batches over HTTP, each of one unit and one response on it; after a random number of
acknowledged batches the server is killed; `whence verify` must report no problem; after the restart every acknowledged batch is there under its
acknowledged transaction, and every other batch completely or not at all. The same store goes through all cycles, WHENCE_KILL_CYCLES
of them (default 8); WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

from support.program import WHENCE, Server, seed_of_run, wait_until

CYCLES = int(os.environ.get("WHENCE_KILL_CYCLES", "8"))
SEED = seed_of_run()
WRITERS = 4
ACKNOWLEDGED_MAX = 150  # batches of a cycle before its kill


def batch(cycle, writer, number):
    """One unit and one response on it, with ids that name their writer."""
    name = f"{cycle}_{writer}_{number}"
    return [{"$type$": "ContextUnit", "id": f"cu_{name}", "type": "User", "source": "s", "timestamp": "2025-01-01T00:00:00Z",
             "version": 1},
            {"$type$": "Response", "id": f"resp_{name}", "timestamp": "2025-01-01T00:00:00Z", "agent": "a", "model": "m",
             "context_units": [{"context_unit_id": f"cu_{name}", "weight": 1}]}]


class Writer(threading.Thread):
    """Writes until its server is gone; `acknowledged` maps a batch's number to its transaction."""

    def __init__(self, server, cycle, writer):
        super().__init__()
        self.server, self.cycle, self.writer = server, cycle, writer
        self.acknowledged, self.sent = {}, 0

    def run(self):
        try:
            while True:
                self.sent += 1
                answer = self.server.rpc("records.write", {"records": batch(self.cycle, self.writer, self.sent)})
                self.acknowledged[self.sent] = answer["tx"]
        except (OSError, ValueError, RuntimeError, json.JSONDecodeError):
            pass
        except Exception as error:  # http.client's own family
            if type(error).__module__ != "http.client":
                raise


class KillTest(unittest.TestCase):
    def check_batches(self, server, writer):
        for number in range(1, writer.sent + 1):
            there = [server.rpc("node.count", {"type": r["$type$"], "where": {"id": {"eq": r["id"]}}})["count"]
                     for r in batch(writer.cycle, writer.writer, number)]
            self.assertEqual(there[0], there[1], f"seed {SEED}: half of batch {number} is there")
            if number in writer.acknowledged:
                ref = f"Response:resp_{writer.cycle}_{writer.writer}_{number}"
                self.assertEqual(there[0], 1, f"seed {SEED}: acknowledged batch {number} is lost")
                event = server.rpc("history.get", {"ref": ref})["events"][0]
                self.assertEqual(event["tx"], writer.acknowledged[number], f"seed {SEED}")

    def test_acknowledged_writes_survive(self):
        chance = random.Random(SEED)
        acknowledged = 0
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder + "/db")
            for cycle in range(CYCLES):
                writers = [Writer(server, cycle, w) for w in range(WRITERS)]
                for writer in writers:
                    writer.start()
                goal = chance.randint(WRITERS, ACKNOWLEDGED_MAX)
                wait_until(lambda: sum(len(w.acknowledged) for w in writers) >= goal, f"{goal} acknowledged batches")
                server.kill()
                for writer in writers:
                    writer.join()
                verified = subprocess.run([WHENCE, "verify", "--db", folder + "/db"], capture_output=True, text=True)
                self.assertEqual(verified.returncode, 0, f"seed {SEED} cycle {cycle}: {verified.stdout}{verified.stderr}")
                server = Server(folder + "/db")
                for writer in writers:
                    self.check_batches(server, writer)
                    acknowledged += len(writer.acknowledged)
            server.stop()
        print(f"seed {SEED}: {CYCLES} kills, {acknowledged} acknowledged batches, none lost, none half there", file=sys.stderr)
        self.assertGreater(acknowledged, 0)
