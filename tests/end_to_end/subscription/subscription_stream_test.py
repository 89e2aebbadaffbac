"""Claim: the worked stream of five transactions comes member by member as it is written, to every match of its table, live
and replayed from any transaction in the same form.

Method: the history is written once, while a subscriber to each match listens from the moment its ref exists; then each
match is replayed from each transaction. (Order inside a transaction and links made later: `subscription_order_test`; the
past as a snapshot: `subscription_snapshot_test`.)
"""
import unittest

from support.naive_stream import delivered
from support.stream_example import A, B, FB, HISTORY, INCLUDES, ROWS, STREAM, T, expected
from support.subscriber import Subscriber
from support.wire_case import WireCase

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
        for include, live in zip(INCLUDES, self.bare, strict=True):
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
