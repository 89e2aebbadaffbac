"""Claim: the checker of histories (checker.py) finds each kind of violation, and nothing in a right history."""
import json
import unittest

from replicated.checker import History, check_history
from replicated.writers import Operation

REGISTER = "register:0:"
SOURCES = ["a", REGISTER + "000001:x", "b", REGISTER + "000002:y"]  # of transactions 1, 2, ...


def history(sources):
    events = [{"tx": tx, "op": "put", "ref": f"ContextUnit:cu_{tx}", "record": {"source": source}} for tx, source in enumerate(sources, 1)]
    return History("\n".join(map(json.dumps, events)))


def told(kind, name, times, tx, **more):
    return Operation(kind, name, *times, **{"outcome": "acknowledged", "tx": tx, "refs": [f"ContextUnit:cu_{tx}"], "node": "n", **more})


RIGHT = [
    told("write", "a", (0, 1), 1),
    told("claim", REGISTER + "000001:x", (2, 3), 2, expected=1),
    told("read", REGISTER, (4, 5), 2, seen=REGISTER + "000001:x"),
    told("claim", REGISTER + "000002:z", (4, 6), 3, expected=2, outcome="refused"),
    told("write", "b", (4, 6), 3),
    told("write", "never", (4, 9), 0, outcome="unknown"),
    told("claim", REGISTER + "000002:y", (7, 8), 0, expected=3, outcome="unknown"),
]


class CheckerTest(unittest.TestCase):
    def check_found(self, operations, sources, said):
        problems = check_history(operations, history(sources))
        self.assertTrue(any(said in problem for problem in problems), problems)

    def test_a_right_history(self):
        self.assertEqual(check_history(RIGHT, history(SOURCES)), [])

    def test_lost(self):
        self.check_found([*RIGHT, told("write", "c", (9, 10), 5)], SOURCES, "is lost")

    def test_elsewhere(self):
        self.check_found([told("write", "b", (0, 1), 1)], SOURCES, "is at (3")

    def test_twice(self):
        self.check_found(RIGHT, [*SOURCES, "a"], "there 2 times")

    def test_written_though_refused(self):
        self.check_found([told("claim", REGISTER + "000002:y", (7, 8), 5, expected=3, outcome="refused")], SOURCES, "was refused, and is there")

    def test_refused_by_an_old_head(self):
        self.check_found([told("claim", REGISTER + "000003:q", (7, 8), 2, expected=4, outcome="refused")], SOURCES, "not later")

    def test_claimed_on_another_state(self):
        self.check_found([told("claim", REGISTER + "000002:y", (7, 8), 4, expected=2)], SOURCES, "not right after")

    def test_two_winners(self):
        self.check_found(RIGHT, [*SOURCES, REGISTER + "000002:z"], "has versions [1, 2, 2]")

    def test_out_of_order(self):
        self.check_found([told("write", "b", (0, 1), 3), told("write", "a", (2, 3), 1)], SOURCES, "began after transaction 3")

    def test_a_stale_read(self):
        self.check_found([told("write", "b", (0, 1), 3), told("read", REGISTER, (2, 3), 2, seen=SOURCES[1])], SOURCES, "older than 3")

    def test_a_wrong_read(self):
        self.check_found([told("read", REGISTER, (2, 3), 4, seen=SOURCES[1])], SOURCES, "the history has")

    def test_a_gap(self):
        gap = History("\n".join(json.dumps({"tx": tx, "op": "put", "ref": "r", "record": {"source": str(tx)}}) for tx in (1, 3)))
        self.assertIn("transaction 2 is missing", check_history([], gap))


if __name__ == "__main__":
    unittest.main()
