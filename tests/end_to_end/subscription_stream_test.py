"""Claim: the worked stream of five transactions comes member by member as it is written, to every match of its table, live
and replayed from any transaction in the same form.

Method: the history is written once, while a subscriber to each match listens from the moment its ref exists; then each
match is replayed from each transaction. (Order inside a transaction and links made later: `subscription_order_test`; what
stands for the past: `subscription_snapshot_test`.)
"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from naive_stream import delivered  # noqa: E402
from subscriber import Subscriber  # noqa: E402
from wire_case import WireCase  # noqa: E402

A, B, R, FB, T, M = ("ContextUnit:cu_a", "ContextUnit:cu_b", "Response:resp_1", "FeedbackRecord:fb_1", "Topic:t", "Message:m")
UNIT_A = {"$type$": "ContextUnit", "id": "cu_a", "type": "User", "source": "s", "timestamp": "2025-10-09T16:15:00Z",
          "version": 1}
RESPONSE = {"$type$": "Response", "id": "resp_1", "timestamp": "2025-10-09T16:15:00Z", "agent": "a", "model": "m",
            "context_units": [{"context_unit_id": "cu_a", "weight": 1}]}
UNIT_B = {"$type$": "ContextUnit", "id": "cu_b", "type": "User", "source": "s", "timestamp": "2025-10-09T17:00:00Z",
          "version": 2, "previous_version_id": "cu_a", "updated_by_response_id": "resp_1"}
FEEDBACK = {"$type$": "FeedbackRecord", "id": "fb_1", "response_id": "resp_1", "timestamp": "2025-10-09T18:00:00Z",
            "score": -0.8}
TOPIC, MESSAGE = {"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t"}

HISTORY = [("records.write", {"records": [UNIT_A, RESPONSE]}), ("records.write", {"records": [UNIT_B]}),
           ("records.write", {"records": [FEEDBACK]}), ("records.write", {"records": [TOPIC, MESSAGE]}),
           ("records.delete", {"refs": [M]})]

# The events as they are written, without `at`.
STREAM = [
    {"tx": 1, "prev": 0, "op": "put", "ref": A, "record": UNIT_A, "edges": []},
    {"tx": 1, "prev": 0, "op": "put", "ref": R, "record": RESPONSE,
     "edges": [{"from": A, "to": R, "type": "USED_IN", "tx": 1, "weight": 1}]},
    {"tx": 2, "prev": 1, "op": "version", "ref": B, "record": UNIT_B,
     "edges": [{"from": B, "to": A, "type": "DERIVED_FROM", "tx": 2, "version": 2},
               {"from": B, "to": R, "type": "UPDATED_BY", "tx": 2, "timestamp": "2025-10-09T17:00:00Z"}]},
    {"tx": 2, "prev": 1, "op": "status", "ref": A, "status": "updated"},
    {"tx": 3, "prev": 2, "op": "put", "ref": FB, "record": FEEDBACK,
     "edges": [{"from": FB, "to": R, "type": "EVALUATES", "tx": 3, "score": -0.8}]},
    {"tx": 3, "prev": 2, "op": "status", "ref": A, "status": "deprecated", "score": -0.8},
    {"tx": 4, "prev": 3, "op": "put", "ref": T, "record": TOPIC, "edges": []},
    {"tx": 4, "prev": 3, "op": "put", "ref": M, "record": MESSAGE,
     "edges": [{"from": M, "to": T, "type": "PART_OF", "tx": 4}]},
    {"tx": 5, "prev": 4, "op": "delete", "ref": M},
]
ENTERED = {ref: {"tx": 2, "prev": 0, "op": "put", "ref": ref, "entered": True, "record": record, "edges": []}
           for ref, record in ((A, UNIT_A), (R, RESPONSE))}

# name, match, the transaction its ref comes to be in, (tx, op, ref[, "entered"]) delivered.
ROWS = [
    ("everything", {}, 0, [(e["tx"], e["op"], e["ref"]) for e in STREAM]),
    ("ops", {"ops": ["status"]}, 0, [(2, "status", A), (3, "status", A)]),
    ("one type", {"types": ["Response"]}, 0, [(1, "put", R)]),
    ("units", {"types": ["ContextUnit"]}, 0, [(1, "put", A), (2, "version", B), (2, "status", A), (3, "status", A)]),
    ("topics", {"topics": ["t"]}, 0, [(4, "put", T), (4, "put", M), (5, "delete", M)]),
    ("agents", {"agents": ["a"]}, 0, [(1, "put", R)]),
    ("edge types", {"edge_types": ["DERIVED_FROM"]}, 0, [(2, "version", B)]),
    ("downstream", {"downstream_of": A}, 1, [(1, "put", R), (2, "version", B)]),
    ("downstream by id", {"downstream_of": "cu_a"}, 1, [(1, "put", R), (2, "version", B)]),
    ("downstream, one edge", {"downstream_of": A, "depth": 1}, 1, [(1, "put", R), (2, "version", B)]),
    ("upstream", {"upstream_of": B}, 2,
     [(2, "status", A), (2, "put", A, "entered"), (2, "put", R, "entered"), (3, "status", A)]),
    ("upstream, one type", {"upstream_of": B, "types": ["Response"]}, 2, [(2, "put", R, "entered")]),
    ("upstream, other ops", {"upstream_of": B, "ops": ["status", "version"]}, 2, [(2, "status", A), (3, "status", A)]),
    ("between two", {"downstream_of": A, "upstream_of": B}, 2, [(2, "put", R, "entered")]),
    ("both members", {"types": ["ContextUnit"], "ops": ["put"]}, 0, [(1, "put", A)]),
    ("nobody's agent", {"agents": ["A", "aa"]}, 0, []),
]
INCLUDES = [None, ["record"], ["edges"], ["edges", "record"]]


def cut(event, include):
    """An event without what was not asked for."""
    return {k: v for k, v in event.items() if k not in {"record", "edges"} - set(include or ())}


def expected(row, since=0, include=("record", "edges")):
    """The events of a row after `since`, `prev` told anew."""
    by_key = {(e["tx"], e["op"], e["ref"]): e for e in STREAM}
    events, before, now = [], 0, 0
    for tx, op, ref, *entered in row[3]:
        if tx > since:
            before, now = (now, tx) if tx != now else (before, now)
            events.append({**cut(ENTERED[ref] if entered else by_key[tx, op, ref], include), "prev": before})
    return events


class OracleTest(unittest.TestCase):
    def test_the_naive_filter_selects_the_rows(self):
        for name, match, _, want in ROWS:
            if match.get("downstream_of") != "cu_a":  # a filter wants a whole ref
                with self.subTest(name):
                    self.assertEqual(delivered(STREAM, match), want)


class StreamTest(WireCase):
    with_files = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.listener = Subscriber(cls.server)
        cls.addClassCleanup(cls.listener.socket.close)
        cls.live, cls.at = {}, {}
        for tx in range(6):
            for name, match, first, _ in ROWS:
                if first == tx:
                    cls.live[name] = cls.listener.subscribe(match, since=0, include=["record", "edges"])
            if tx == 0:
                cls.bare = [cls.listener.subscribe(include=i) if i else cls.listener.subscribe({}) for i in INCLUDES]
            cls.listener.until_caught_up(*cls.live.values(), *cls.bare)
            if tx < 5:
                cls.server.rpc(*HISTORY[tx])
        for ref, tx in ((A, 1), (FB, 3), (T, 4)):
            cls.at[tx] = cls.server.rpc("history.get", {"ref": ref})["events"][0]["at"]
        cls.at[2] = cls.server.rpc("history.get", {"ref": B})["events"][0]["at"]

    def setUp(self):
        self.client = Subscriber(self.server)
        self.addCleanup(self.client.socket.close)

    def check(self, subscription, want):
        """The events without `at`, which is that of the transaction."""
        got = [{k: v for k, v in e.items() if k != "at"} for e in subscription.events]
        self.assertEqual(got, want)
        for event in subscription.events:
            self.assertEqual(event["at"], self.at.get(event["tx"], event["at"]))
        self.assertEqual(len({(e["tx"], e["at"]) for e in subscription.events}), len({e["tx"] for e in subscription.events}))

    def check_live(self, subscription, want):
        """After a call that is answered behind everything sent before it."""
        self.listener.until(lambda: len(subscription.events) >= len(want), f"{len(want)} events")
        self.listener.call("server.info")
        self.check(subscription, want)

    def test_each_row_comes_live(self):
        for row in ROWS:
            with self.subTest(row[0]):
                self.check_live(self.live[row[0]], expected(row))
                self.assertEqual(self.live[row[0]].caught_up, [row[2]])

    def test_each_row_is_replayed_from_any_transaction(self):
        for row in ROWS:
            for since in range(6):
                with self.subTest(row[0], since=since):
                    subscription = self.client.subscribe(row[1], since=since, include=["record", "edges"])
                    self.client.until_caught_up(subscription)
                    self.check(subscription, expected(row, since))
                    self.assertEqual((subscription.from_tx, subscription.caught_up), (since, [5]))

    def test_include_says_what_comes_with_an_event(self):
        for include, live in zip(INCLUDES, self.bare):
            with self.subTest(include):
                self.check_live(live, expected(ROWS[0], 0, include))
                replayed = self.client.subscribe(since=0, **({"include": include} if include else {}))
                self.client.until_caught_up(replayed)
                self.check(replayed, expected(ROWS[0], 0, include))

    def test_a_time_is_the_last_transaction_at_or_before_it(self):
        known = [("1999-01-01T00:00:00Z", 0), ("2999-01-01T00:00:00Z", 5), ("now", 5)]
        for since, want in known + [(at, tx) for tx, at in self.at.items()]:
            with self.subTest(since):
                self.assertEqual(self.client.subscribe(since=since).from_tx, want)
        self.assertEqual(self.client.subscribe().from_tx, 5)


if __name__ == "__main__":
    unittest.main()
