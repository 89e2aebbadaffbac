"""A watch against a scripted server: its params, resuming, delivery, and final errors."""
import threading
import unittest

from client_case import wait_until, whence
from fake_server import EPOCH, FakeServer, event, main, state


def refs(events):
    return [(e["tx"], e["ref"]) for e in events]


def take(watch, count):
    return [next(watch) for _ in range(count)]


class WatchCase(unittest.TestCase):
    def served(self, *scripts, hello=None, **params):
        """A fake server whose connections after the client's run `scripts`, and a watch with `params`."""
        server = FakeServer(main, *scripts, hello=hello)
        self.enterContext(server)
        db = self.enterContext(whence.connect(server.url))
        return server, self.enterContext(db.watch(**params))


class AskingTest(WatchCase):
    def test_members_of_match_come_from_both_places(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.idle()

        server, watch = self.served(script, match={"types": ["Response"]}, ops=["put"], include=("record", "edges"), credit=3)
        self.assertEqual(server.sent("subscribe"), [{"match": {"types": ["Response"], "ops": ["put"]}, "since": "now",
                                                     "include": ["record", "edges"], "credit": 3}])
        self.assertEqual(watch.tx, 5)

    def test_a_transaction_id_goes_with_the_epoch_it_is_of(self):
        async def script(peer):
            await peer.subscribed(3)
            await peer.idle()

        server, _ = self.served(script, since=3)
        self.assertEqual(server.sent("subscribe"), [{"match": {}, "since": 3, "include": ["record"], "epoch": EPOCH}])

    def test_a_refusal_is_raised_by_the_call(self):
        async def script(peer):
            await peer.refuse(await peer.receive("subscribe"), -32602, "no such member", path="/match/tipes")

        with self.assertRaises(whence.InvalidParams):
            self.served(script, tipes=["Response"])

    def test_credit_is_at_least_one(self):
        with self.assertRaisesRegex(ValueError, "credit"):
            self.served(main, credit=0)


class ResumingTest(WatchCase):
    def test_after_a_lost_connection_it_goes_on_after_the_last_transaction(self):
        async def first(peer):
            await peer.subscribed(5, "s1")
            await peer.events(event(6, 0), event(6, 0, "Topic:u"), event(8, 6), sub="s1")
            await peer.cut()

        async def second(peer):
            await peer.subscribed(8, "s2")
            await peer.events(event(9, 0), sub="s2")
            await peer.idle()

        server, watch = self.served(first, second)
        self.assertEqual(refs(take(watch, 4)), [(6, "Topic:t"), (6, "Topic:u"), (8, "Topic:t"), (9, "Topic:t")])
        self.assertEqual([(p["since"], p.get("epoch")) for p in server.sent("subscribe")], [("now", None), (8, EPOCH)])

    def test_the_resume_point_moves_with_the_last_event_of_a_transaction(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0), event(6, 0, "Topic:u"), event(7, 6))
            await peer.idle()

        _, watch = self.served(script)
        moves = [watch.tx]
        for _ in range(3):
            next(watch)
            moves.append(watch.tx)
        self.assertEqual(moves, [5, 5, 6, 7])

    def test_a_heartbeat_moves_it_past_what_did_not_match(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.send("$/heartbeat", tx=20)
            await peer.cut()

        async def second(peer):
            await peer.subscribed(20)
            await peer.events(event(21, 0))
            await peer.idle()

        server, watch = self.served(first, second)
        self.assertEqual(refs(take(watch, 2)), [(6, "Topic:t"), (21, "Topic:t")])
        self.assertEqual(server.sent("subscribe")[1]["since"], 20)

    def test_a_gap_is_fetched_again(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0), event(9, 8))  # 8 is missing
            await peer.idle()

        async def second(peer):
            await peer.subscribed(6)
            await peer.events(event(8, 0), event(9, 8))
            await peer.idle()

        with self.assertLogs("whence", "WARNING"):
            server, watch = self.served(first, second)
            self.assertEqual([e["tx"] for e in take(watch, 3)], [6, 8, 9])
        self.assertEqual(server.sent("subscribe")[1]["since"], 6)

    def test_repeated_events_are_delivered_once(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.cut()

        async def second(peer):
            await peer.subscribed(5)  # further back than asked
            await peer.events(event(6, 0), event(7, 6))
            await peer.idle()

        _, watch = self.served(first, second)
        self.assertEqual([e["tx"] for e in take(watch, 2)], [6, 7])

    def test_a_server_that_shuts_down_is_waited_for(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.send("$/ended", sub="s", reason="shutdown", tx=11)
            await peer.socket.close(1001)

        async def refused(peer):
            await peer.refuse(await peer.receive(), -32051, "draining", retry_after_ms=1)

        async def third(peer):
            await peer.subscribed(11)
            await peer.events(event(12, 0))
            await peer.idle()

        server, watch = self.served(first, refused, third)
        self.assertEqual(next(watch)["tx"], 12)
        self.assertEqual([p["since"] for p in server.sent("subscribe")], ["now", 11, 11])

    def test_pauses_grow_and_stay_between_a_tenth_and_five_seconds(self):
        from itertools import islice
        pauses = list(islice(whence.nodes.growing_pauses(), 200))
        self.assertTrue(all(0.1 <= pause <= 5 for pause in pauses))
        self.assertLess(pauses[0], 0.2001)
        self.assertGreater(max(pauses), 3)


class SnapshotTest(WatchCase):
    def test_the_state_comes_first_and_is_not_a_resume_point(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.events(state(5, "Topic:a"), state(5, "Topic:b"))
            await peer.send("$/caught_up", sub="s", tx=5)
            await peer.events(event(6, 5))
            await peer.idle()

        server, watch = self.served(script, snapshot=True)
        self.assertTrue(server.sent("subscribe")[0]["snapshot"])
        points = [watch.tx]
        for _ in range(3):
            next(watch)
            points.append(watch.tx)
        self.assertEqual(points, [None, None, None, 6])

    def test_an_interrupted_one_is_requested_again_and_delivered_once(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(state(5, "Topic:a"), state(5, "Topic:b"))
            await peer.send("$/heartbeat", tx=5)
            await peer.cut()

        async def second(peer):
            await peer.subscribed(5)
            await peer.events(state(5, "Topic:a"))
            await peer.events(state(5, "Topic:b"), state(5, "Topic:c"))
            await peer.events(event(7, 5))
            await peer.cut()

        async def third(peer):
            await peer.subscribed(7)
            await peer.events(event(8, 0))
            await peer.idle()

        server, watch = self.served(first, second, third, snapshot=True)
        self.assertEqual(refs(take(watch, 5)), [(5, "Topic:a"), (5, "Topic:b"), (5, "Topic:c"), (7, "Topic:t"), (8, "Topic:t")])
        self.assertEqual([(p["since"], p.get("snapshot"), p.get("epoch")) for p in server.sent("subscribe")],
                         [("now", True, None), (5, True, EPOCH), (7, None, EPOCH)])

    def test_an_empty_one_ends_with_caught_up(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.send("$/caught_up", sub="s", tx=5)
            await peer.cut()

        async def second(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.idle()

        server, watch = self.served(first, second, snapshot=True)
        self.assertEqual(next(watch)["tx"], 6)
        self.assertNotIn("snapshot", server.sent("subscribe")[1])


class EndingTest(WatchCase):
    def test_a_replaced_log_is_resume_impossible(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.cut()

        async def second(peer):
            await peer.refuse(await peer.receive("subscribe"), -32061, "another log", epoch="epoch-2", tx=1)

        _, watch = self.served(first, second)
        with self.assertRaises(whence.ResumeImpossible) as caught:
            next(watch)
        self.assertEqual(caught.exception.data["epoch"], "epoch-2")
        self.assertEqual(list(watch), [], "and then it is over")

    def test_the_server_may_end_it_for_good(self):
        for reason, kind in [("resume_impossible", whence.ResumeImpossible), ("forbidden", whence.Forbidden)]:
            async def script(peer):
                await peer.subscribed(5)
                await peer.events(event(6, 0))
                await peer.send("$/ended", sub="s", reason=reason, tx=6)
                await peer.idle()

            with self.subTest(reason=reason):
                _, watch = self.served(script)
                self.assertEqual(next(watch)["tx"], 6, "what came before is handed on")
                with self.assertRaises(kind):
                    next(watch)

    def test_closing_from_another_thread_ends_the_loop(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.idle()

        _, watch = self.served(script)
        got = []
        reader = threading.Thread(target=lambda: got.append(list(watch)))
        reader.start()
        watch.close()
        reader.join(30)
        self.assertEqual(got, [[]])

    def test_closing_the_client_ends_its_watches(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.idle()

        with FakeServer(main, script) as server:
            db = whence.connect(server.url)
            watch = db.watch()
            db.close()
            self.assertEqual(list(watch), [])
            watch.close()


class FlowTest(WatchCase):
    def test_callbacks_are_called_between_the_events_in_the_reading_thread(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.send("$/lagged", sub="s", at_tx=6, head_tx=9)
            await peer.events(event(9, 6))
            await peer.send("$/caught_up", sub="s", tx=9)
            await peer.events(event(10, 9))
            await peer.idle()

        seen = []

        def note(name):
            return lambda params: seen.append((name, params["head_tx"] if name == "lagged" else params["tx"],
                                               threading.current_thread() is threading.main_thread()))

        _, watch = self.served(script, on_lagged=note("lagged"), on_caught_up=note("caught up"))
        for _ in range(3):
            seen.append(next(watch)["tx"])
        self.assertEqual(seen, [6, ("lagged", 9, True), 9, ("caught up", 9, True), 10])

    def test_credit_is_given_back_for_what_was_read(self):
        async def script(peer):
            await peer.subscribed(5)
            credit, tx = 2, 5
            while True:
                while credit > 0:
                    tx, credit = tx + 1, credit - 2
                    await peer.events(event(tx, tx - 1 if tx > 6 else 0), event(tx, tx - 1 if tx > 6 else 0, "Topic:u"))
                message = await peer.receive("$/credit")
                assert message["params"]["sub"] == "s", message
                credit += message["params"]["n"]

        server, watch = self.served(script, credit=2)
        self.assertEqual([e["tx"] for e in take(watch, 10)], [6, 6, 7, 7, 8, 8, 9, 9, 10, 10])
        self.assertEqual([p["n"] for p in server.sent("$/credit")], [2, 2, 2, 2])

    def test_a_slow_reader_slows_its_connection_and_loses_nothing(self):
        async def script(peer):
            await peer.subscribed(5)
            for tx in range(6, 206):
                await peer.events(event(tx, tx - 1 if tx > 6 else 0, record={"text": "x" * 10_000}))
            await peer.idle()

        _, watch = self.served(script)
        waiting, most = watch._feed._waiting, whence.feed.MESSAGES_WAITING_MAX
        wait_until(lambda: len(waiting) == most, "sending ahead")
        got = []
        for _ in range(200):
            got.append(next(watch)["tx"])
            self.assertLessEqual(len(waiting), most)
        self.assertEqual(got, list(range(6, 206)))


if __name__ == "__main__":
    unittest.main()
