"""Claim: at any past moment the server answers like the naive model after the same writes.

Method: a random history of units, versions, units made by responses, declared sources, responses and feedback, each
batch one transaction; then, for random moments and nodes, lineage, impact, influence and scores are compared. A
failure prints the seed; WHENCE_TEST_SEED repeats it.
"""
import math
import random
import tempfile
import unittest

from support.histories import History
from support.naive import World
from support.program import Server, seed_of_run

SEED = seed_of_run()
BATCHES = 80
QUESTIONS = 120


class HistoryTest(unittest.TestCase):
    def close(self, got, want, about):
        self.assertTrue(math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12), f"seed {SEED}: {about}: {got} is not {want}")

    def check(self, server, world, ref, tx):
        about = f"{ref} as of {tx}"
        for method, walk in (("lineage.ancestors", world.ancestors), ("lineage.descendants", world.descendants)):
            got = server.rpc(method, {"ref": ref, "as_of": tx, "limit": 10000})
            self.assertEqual(got["tx"], tx)
            want = {n: (d, w) for d, w, n in walk(ref)}
            self.assertEqual({n["ref"]: n["depth"] for n in got["nodes"]}, {n: d for n, (d, _) in want.items()}, f"seed {SEED}: {about}")
            for node in got["nodes"]:
                self.close(node["weight"], want[node["ref"]][1], f"{method} {about} {node['ref']}")
        affected, by_type, by_depth = world.impact(ref)
        got = server.rpc("impact.analyze", {"refs": [ref], "as_of": tx, "limit": 10000})
        self.assertEqual(got["counts"], {"by_type": by_type, "by_depth": by_depth}, f"seed {SEED}: {about}")
        self.assertEqual({n["ref"] for n in got["nodes"]}, set(affected), f"seed {SEED}: {about}")
        for node in got["nodes"]:
            self.close(node["share"], affected[node["ref"]], f"impact {about}")
        if ref.startswith("ContextUnit:"):
            got = server.rpc("feedback.list", {"ref": ref, "as_of": tx, "limit": 10000})
            score, count, status = world.scores[ref]
            self.assertEqual((got["feedback_count"], got["status"]), (count, status), f"seed {SEED}: {about}")
            self.assertEqual(got["aggregate_score"], score, f"seed {SEED}: {about}")

    def test_any_moment_answers_like_the_naive_model(self):
        chance = random.Random(SEED)
        history = History(chance)
        batches = [history.batch() for _ in range(BATCHES)]
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder + "/db")
            try:
                for number, records in enumerate(batches, 1):
                    self.assertEqual(server.rpc("records.write", {"records": records})["tx"], number)
                for _ in range(QUESTIONS):
                    tx = chance.randint(1, BATCHES)
                    world = World()
                    for records in batches[:tx]:
                        world.write(records)
                    refs = [r for r in world.records if not r.startswith("FeedbackRecord:")]
                    self.check(server, world, chance.choice(refs), tx)
            finally:
                server.stop()
