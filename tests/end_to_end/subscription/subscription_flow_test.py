"""Claim: a client limits the flow of events (credit), learns its position where nothing matches (heartbeats), and is
notified when the server shuts down (drain).

Method: one step each, with heartbeats every second. The absence of a message is shown by later messages: replays of other
subscriptions on the same connection, or heartbeats.
"""
import signal

from support.raw_websocket import GOING_AWAY
from support.subscriber import Subscriber
from support.wire_case import FreshServerCase, Server


def topics(*names):
    return [{"$type$": "Topic", "id": n} for n in names]


class FlowCase(FreshServerCase):
    """A store for each test: transaction n holds n topics, `heads` of them before the test begins."""
    flags = ("--heartbeat", "1")
    heads = 4

    def setUp(self):
        super().setUp()
        for _ in range(self.heads):
            self.write_next()
        self.client = self.connect()

    def connect(self):
        client = Subscriber(self.server)
        self.addCleanup(client.socket.close)
        return client

    def write_next(self):
        tx = self.head() + 1
        self.assertEqual(self.write(*topics(*(f"{tx}/{i}" for i in range(tx))))["tx"], tx)
        return tx

    def beats(self, client, count):
        """Reads until so many more heartbeats came."""
        have = len(client.heartbeats)
        client.until(lambda: len(client.heartbeats) >= have + count, "heartbeats")

    def came(self, subscription):
        """How many events of which transaction came."""
        txs = [e["tx"] for e in subscription.events]
        return [(tx, txs.count(tx)) for tx in dict.fromkeys(txs)]


class CreditTest(FlowCase):
    def replays(self, count):
        """Reads whole replays, begun one after the other."""
        for _ in range(count):
            replayed = self.client.subscribe(since=0)
            self.client.until_caught_up(replayed)
            self.client.unsubscribe(replayed)

    def nothing_more(self, subscription, want):
        self.replays(2)
        self.assertEqual((self.came(subscription), subscription.caught_up), (want, []))

    def test_none_starts_paused(self):
        paused = self.client.subscribe(since=0, credit=0)
        self.nothing_more(paused, [])
        self.client.grant(paused, 100)
        self.client.until_caught_up(paused)
        self.assertEqual(self.came(paused), [(1, 1), (2, 2), (3, 3), (4, 4)])

    def test_a_transaction_may_overdraw_it(self):
        subscription = self.client.subscribe(since=0, credit=2)  # 2 - 1 - 2 = -1
        self.nothing_more(subscription, [(1, 1), (2, 2)])
        self.client.grant(subscription, 1)                        # 0: paused still
        self.nothing_more(subscription, [(1, 1), (2, 2)])
        self.client.grant(subscription, 1)                        # 1 - 3 = -2
        self.nothing_more(subscription, [(1, 1), (2, 2), (3, 3)])
        self.client.grant(subscription, 2)
        self.nothing_more(subscription, [(1, 1), (2, 2), (3, 3)])
        self.client.grant(subscription, 1)
        self.client.until_caught_up(subscription)
        self.assertEqual(self.came(subscription), [(1, 1), (2, 2), (3, 3), (4, 4)])

    def test_live_events_need_it_too(self):
        paused, free = self.client.subscribe(credit=1), self.client.subscribe()
        for _ in range(3):
            self.client.until_tx(free, self.write_next())
        self.replays(2)
        self.assertEqual(self.came(paused), [(5, 5)])
        self.client.grant(paused, 1000)
        self.client.until_tx(paused, 7)
        self.assertEqual(self.came(paused), self.came(free))

    def test_a_snapshot_needs_it_too(self):
        subscription = self.client.subscribe(snapshot=True, credit=0)
        self.nothing_more(subscription, [])
        self.client.grant(subscription, 1000)
        self.client.until_caught_up(subscription)
        self.assertEqual(self.came(subscription), [(4, 10)])

    def test_only_what_matches_counts(self):
        subscription = self.client.subscribe({"types": ["Query"]}, since=0, credit=0)
        self.client.until_caught_up(subscription)
        self.assertEqual(subscription.caught_up, [4])

    def test_for_unknown_subscriptions_or_in_strange_form_it_is_ignored(self):
        paused = self.client.subscribe(since=0, credit=0)
        other = self.connect()
        other.send("$/credit", {"sub": paused.sub, "n": 100})  # of another connection
        other.call("server.info")
        for params in ({"sub": "nobody", "n": 5}, {"n": 5}, {"sub": paused.sub}, {"sub": paused.sub, "n": -5},
                       {"sub": paused.sub, "n": 0}, {"sub": paused.sub, "n": "5"}, {}, {"sub": 7, "n": 5}):
            self.client.send("$/credit", params)
        self.nothing_more(paused, [])
        self.client.grant(paused, 1)
        self.client.until(lambda: paused.events, "an event")
        self.nothing_more(paused, [(1, 1)])


class HeartbeatTest(FlowCase):
    def test_it_moves_past_what_does_not_match(self):
        nothing = self.client.subscribe({"types": ["Query"]}, since=0)
        self.client.until(lambda: self.client.heartbeats and self.client.heartbeats[-1] == 4, "a heartbeat of all")  # one may come before
        tx = self.write_next()
        self.client.until_tx(nothing, tx)
        self.assertEqual((self.client.heartbeats[-1], nothing.events), (tx, []))

    def test_it_comes_whatever_else_flows(self):
        live = self.client.subscribe()
        while len(self.client.heartbeats) < 2:
            self.client.until_tx(live, self.write_next())

    def test_only_subscribers_get_it(self):
        mute = self.connect()
        left = mute.subscribe()
        mute.until_caught_up(left)
        mute.unsubscribe(left)
        had = len(mute.heartbeats)
        self.client.subscribe()
        self.beats(self.client, 3)
        mute.call("server.info")
        self.assertEqual(len(mute.heartbeats), had)

    def test_it_is_that_of_the_slowest_subscription(self):
        self.client.subscribe()
        slow = self.client.subscribe(since=1, credit=1)  # has transaction 2, not yet 3
        self.client.until_tx(slow, 2)
        self.beats(self.client, 2)
        self.assertEqual(self.client.heartbeats[-1], 2)
        self.client.unsubscribe(slow)
        self.beats(self.client, 2)
        self.assertEqual(self.client.heartbeats[-1], 4)

    def test_it_never_goes_back(self):
        self.client.subscribe()
        self.beats(self.client, 1)
        old = self.client.subscribe(since=0, credit=0)
        self.client.call("server.info")  # heartbeats that were on their way have come
        self.beats(self.connect_beating(), 2)
        self.assertLessEqual(max(self.client.heartbeats), 4)
        self.client.grant(old, 1000)
        self.client.until_tx(old, 4)
        tx = self.write_next()
        self.client.until_tx(old, tx)
        self.client.until(lambda: self.client.heartbeats[-1] == tx, "the heartbeat of the last transaction")

    def connect_beating(self):
        client = self.connect()
        client.subscribe()
        return client


class EndTest(FlowCase):
    def test_a_drained_server_notifies_every_subscription(self):
        self.client.socket.close()  # a drain waits for clients that do not read
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                clients = [self.connect() for _ in range(3)]
                subscriptions = [[c.subscribe(m, since=0) for m in ({}, {"types": ["Query"]})] for c in clients]
                idle, head = self.connect(), self.head()
                for client, pair in zip(clients, subscriptions):
                    client.until_caught_up(*pair)
                tx = self.write_next()
                self.server.signal(number)
                for client, (everything, nothing) in zip(clients, subscriptions):
                    self.assertEqual(client.until_closed(), GOING_AWAY)
                    self.assertEqual(len(everything.events), sum(range(tx + 1)))
                    self.assertEqual((everything.ended, everything.tx), ("shutdown", tx))
                    self.assertEqual(nothing.ended, "shutdown")
                    self.assertGreaterEqual(nothing.tx, head)
                self.assertEqual(idle.until_closed(), GOING_AWAY)
                self.assertEqual(self.server.wait(), 0)
                self.server = Server(self.db, "--heartbeat", "1")
                self.addCleanup(self.server.__exit__)

    def test_a_paused_one_is_ended_at_its_position(self):
        paused = self.client.subscribe(since=0, credit=1)
        self.client.until_tx(paused, 1)
        self.server.signal(signal.SIGTERM)
        self.assertEqual(self.client.until_closed(), GOING_AWAY)
        self.assertEqual((self.came(paused), paused.ended, paused.tx), ([(1, 1)], "shutdown", 1))
        self.assertEqual(self.server.wait(), 0)

    def test_a_client_that_does_not_read_does_not_delay_it(self):
        deaf = Subscriber(self.server, receive_bytes=4096)
        self.addCleanup(deaf.socket.close)
        text = "x" * 16_000
        for i in range(20):
            self.write(*({"$type$": "Topic", "id": f"big {i}/{j}", "attributes": {"text": text}} for j in range(50)))
        deaf.ask("subscribe", since=0, include=["record"])
        self.client.subscribe()
        self.server.signal(signal.SIGTERM)
        self.assertEqual(self.client.until_closed(), GOING_AWAY)
        self.assertEqual(self.server.wait(20), 0)  # cut after 2 s, whatever --drain says
