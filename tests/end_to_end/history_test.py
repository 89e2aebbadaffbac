"""Claim: at any past moment the server answers as the naive model does that was given the same writes up to then.

Method: a random history of units, versions, units made by responses, declared sources, responses and feedback, each
batch one transaction; then, for random moments and nodes, lineage, impact, influence and scores are compared. The seed is
printed where something differs; WHENCE_TEST_SEED repeats it.
"""
import math
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from naive import World  # noqa: E402
from whence_e2e import Server  # noqa: E402

SEED = int(os.environ.get("WHENCE_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)
BATCHES = 80
QUESTIONS = 120


class History:
    """Draws batches that are valid after the ones before."""

    def __init__(self, chance):
        self.chance, self.units, self.newest, self.responses, self.made = chance, [], [], [], 0

    def stamp(self):
        self.made += 1
        return f"2025-01-01T{self.made // 3600:02}:{self.made // 60 % 60:02}:{self.made % 60:02}Z"

    def unit(self):
        record = {"$type$": "ContextUnit", "id": f"cu_{len(self.units)}", "type": "User", "source": "s",
                  "timestamp": self.stamp(), "version": 1}
        if self.newest and self.chance.random() < 0.4:
            previous = self.newest.pop(self.chance.randrange(len(self.newest)))
            record.update(version=previous["version"] + 1, previous_version_id=previous["id"])
        if self.responses and self.chance.random() < 0.3:
            record["updated_by_response_id"] = self.chance.choice(self.responses)["id"]
        if self.units and self.chance.random() < 0.3:
            sources = {self.chance.choice(self.units)["id"] for _ in range(2)}
            record["derived_from"] = sorted(sources - {record.get("previous_version_id")})
        self.units.append(record)
        self.newest.append(record)
        return record

    def response(self):
        used = self.chance.sample(self.units, min(len(self.units), self.chance.randint(1, 6)))
        cuts = sorted(self.chance.randrange(0, 101) for _ in range(len(used) - 1))
        shares = [(b - a) / 100 for a, b in zip([0] + cuts, cuts + [100])]
        record = {"$type$": "Response", "id": f"resp_{len(self.responses)}", "timestamp": self.stamp(), "agent": "a", "model": "m",
                  "context_units": [{"context_unit_id": u["id"], "weight": w} for u, w in zip(used, shares)]}
        self.responses.append(record)
        return record

    def feedback(self):
        return {"$type$": "FeedbackRecord", "id": f"fb_{self.made}", "response_id": self.chance.choice(self.responses)["id"],
                "timestamp": self.stamp(), "score": self.chance.choice([-1, -0.8, -0.3, 0, 0.5, 1])}

    def batch(self):
        records = [self.unit() for _ in range(self.chance.randint(1, 3))]
        records += [self.response() for _ in range(self.chance.randint(0, 2))]
        if self.responses:
            records += [self.feedback() for _ in range(self.chance.randint(0, 3))]
        return records


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
        for node in got["nodes"]:
            self.close(node["influence"], affected[node["ref"]], f"impact {about}")
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


if __name__ == "__main__":
    unittest.main()
