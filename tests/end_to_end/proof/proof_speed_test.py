"""Claim: the proof of one record takes about as long however large the log is, far below what a person notices.

Method: a log of WHENCE_PROOF_EVENTS events (50,000 where it is not set) in transactions of 10,000 and of 1; `log.proof` of leaves and of
records drawn at random (WHENCE_TEST_SEED), one request after the other. The medians are printed; on a busy machine the bound is
one of times that a request takes which asks for nothing.
"""
import os
import random
import statistics
import tempfile
import time
import unittest
from pathlib import Path

from support.program import Server, seed_of_run, unit, wait_until

EVENTS = int(os.environ.get("WHENCE_PROOF_EVENTS", "50000"))
BATCH, SINGLE, ASKED = 10_000, 200, 300
SEED = seed_of_run()


def text(number):
    return unit(number, content=f"Text {number} of a unit")


class ProofSpeedTest(unittest.TestCase):
    def test_a_proof_is_quick(self):
        draw = random.Random(SEED)
        with tempfile.TemporaryDirectory() as folder, Server(Path(folder) / "db") as server:
            began = time.monotonic()
            for first in range(0, EVENTS - SINGLE, BATCH):
                server.rpc("records.write", {"records": [text(i) for i in range(first, min(first + BATCH, EVENTS - SINGLE))]})
            for number in range(EVENTS - SINGLE, EVENTS):
                server.rpc("records.write", {"records": [text(number)]})
            loaded = time.monotonic() - began

            def is_there():
                try:
                    return server.rpc("log.checkpoint")["size"] >= EVENTS
                except Exception:  # busy: the tree is behind
                    return False

            wait_until(is_there, "the tree over all events", 300)
            medians = {}
            for name, params in (("nothing (rpc alone)", lambda: ("server.info", {})),
                                 ("a record of a small transaction", lambda: ("log.proof", {"ref": f"cu_{draw.randrange(EVENTS - SINGLE, EVENTS)}"})),
                                 ("a leaf of a small transaction", lambda: ("log.proof", {"leaf": draw.randrange(EVENTS - SINGLE, EVENTS)})),
                                 ("a leaf of a large transaction", lambda: ("log.proof", {"leaf": draw.randrange(EVENTS - SINGLE)}))):
                taken = []
                for _ in range(ASKED if "large" not in name else 20):
                    method, asked = params()
                    began = time.perf_counter()
                    answer = server.rpc(method, asked)
                    taken.append(time.perf_counter() - began)
                medians[name] = 1e3 * statistics.median(taken)
            print(f"\n{EVENTS} events, loaded in {loaded:.0f} s; median of log.proof over HTTP, ms: " +
                  "; ".join(f"{name} {value:.2f}" for name, value in medians.items()))
            self.assertLess(medians["a record of a small transaction"], max(50, 20 * medians["nothing (rpc alone)"]))


if __name__ == "__main__":
    unittest.main()
