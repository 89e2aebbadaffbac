"""Clients with several addresses, against scripted servers: where calls and watches go on, what is sent twice, and what is not."""
import asyncio
import unittest

from client_case import unit, whence
from fake_server import EPOCH, FakeServer, event, main

BUSY, BEHIND, NOT_HERE = -32051, -32801, -32061


async def answer_anything(peer):
    while True:
        request = await peer.receive()
        await peer.answer(request, {"tx": 6, "complete": True, "refs": [], "nodes": []})


async def cut_after_request(peer):
    await peer.receive()
    await peer.cut()


async def always_busy(peer):
    while True:
        await peer.refuse(await peer.receive(), BUSY, "the server is shutting down", retry_after_ms=1)


class NodesCase(unittest.TestCase):
    def nodes(self, *scripts, hellos=({}, {}, {})):
        """A server for each script, or list of scripts for its connections."""
        return [self.enterContext(FakeServer(*(script if isinstance(script, list) else [script]), hello=hello))
                for script, hello in zip(scripts, hellos)]  # noqa: B905

    def client(self, nodes, **options):
        return self.enterContext(whence.connect([node.url for node in nodes], **options))


class AddressTest(NodesCase):
    def test_a_text_with_commas_is_a_list(self):
        urls = ("http://a:1", "ws://b:2/ws")
        for given in ("http://a:1, ws://b:2/ws,", list(urls), iter(urls), "http://a:1,ws://b:2/ws,http://a:1"):
            self.assertEqual(whence.nodes.Nodes(given).urls, urls)

    def test_every_address_has_to_be_one(self):
        for given in ("http://a:1,b:2", [], "", ["http://a:1", "ftp://b"]):
            with self.assertRaisesRegex(ValueError, "not the URL of a server"):
                whence.connect(given)

    def test_the_first_that_answers_is_taken(self):
        a, b = self.nodes(answer_anything, answer_anything)
        a.__exit__(ValueError)
        db = self.enterContext(whence.connect(f"{a.url},{b.url}"))
        self.assertEqual(db.server.info()["tx"], 6)
        self.assertEqual(len(b.sent("server.info")), 1)

    def test_the_error_says_what_each_address_said(self):
        a, b = self.nodes(answer_anything, answer_anything)
        for node in (a, b):
            node.__exit__(ValueError)
        with self.assertRaisesRegex(whence.ConnectionLost, f"no node has answered: {a.url}: .*; {b.url}: .*"):
            self.client([a, b])

    def test_a_node_of_another_graph_is_passed_over(self):
        a, b = self.nodes([cut_after_request], answer_anything, hellos=({}, {"epoch": "other"}))
        db = self.client([a, b], timeout=2)
        with self.assertRaisesRegex(whence.ConnectionLost, f"{b.url} has another graph"):
            db.server.info()
        self.assertEqual(b.seen, [])


class GoingOnTest(NodesCase):
    def test_a_read_whose_node_is_gone_goes_on_at_the_next(self):
        a, b = self.nodes(cut_after_request, answer_anything)
        db = self.client([a, b])
        self.assertEqual(db.node.find("Response").all(), [])
        self.assertEqual(len(a.sent("node.find")), 1)
        db.server.info()
        self.assertEqual(len(b.seen), 2, "and stays there")
        self.assertEqual(a.connections, 1)

    def test_a_stream_begins_at_the_next(self):
        a, b = self.nodes(cut_after_request, answer_anything)
        self.assertEqual(self.client([a, b]).node.find("Response", stream=True).all(), [])

    def test_a_write_goes_on_under_its_key(self):
        a, b = self.nodes(cut_after_request, answer_anything)
        self.client([a, b]).records.write([unit("cu_1")])
        self.assertEqual(a.sent("records.write"), b.sent("records.write"))
        self.assertTrue(b.sent("records.write")[0]["idempotency_key"])

    def test_a_write_without_key_is_not_sent_twice(self):
        for script, kind in ((cut_after_request, whence.ConnectionLost), (always_busy, whence.Busy)):
            a, b = self.nodes(script, answer_anything)
            db = self.client([a, b])
            with self.assertRaisesRegex(kind, "records.delete may have been carried out"):
                db.records.delete(["cu_1"])
            self.assertEqual(b.seen, [])

    def test_a_write_without_key_that_was_not_sent_goes_on(self):
        a, b = self.nodes(cut_after_request, answer_anything)
        db = self.client([a, b])
        with self.assertRaises(whence.ConnectionLost):
            db.records.delete(["cu_1"])
        db.records.delete(["cu_1"])
        self.assertEqual(len(b.sent("records.delete")), 1)

    def test_busy_goes_on_at_the_next(self):
        a, b = self.nodes(always_busy, answer_anything)
        db = self.client([a, b])
        db.records.write([unit("cu_1")])
        db.node.find("Response").all()
        self.assertEqual([len(a.seen), len(b.seen)], [1, 2])

    def test_busy_everywhere_is_raised_after_three_more_rounds(self):
        a, b = self.nodes(always_busy, always_busy)
        with self.assertRaisesRegex(whence.Busy, f"{a.url}: the server is shutting down; {b.url}: "):
            self.client([a, b]).server.info()
        self.assertEqual([len(a.seen), len(b.seen)], [4, 4])

    def test_calls_in_flight_are_answered_by_the_node_that_is_left(self):
        async def slow(peer):
            first = await peer.receive("node.get")
            await peer.refuse(await peer.receive("server.info"), BUSY, retry_after_ms=1)
            while not b.seen:
                await asyncio.sleep(0)
            await peer.answer(first, {"tx": 6, "nodes": [], "complete": True})
            await peer.idle()

        a, b = self.nodes(slow, answer_anything)

        async def both():
            async with await whence.aio.connect([a.url, b.url]) as db:
                first = asyncio.ensure_future(db.node.get("cu_1").all())
                await asyncio.to_thread(whence_waits, lambda: a.seen)
                await db.server.info()
                return await first

        def whence_waits(is_reached):
            while not is_reached():
                pass

        self.assertEqual(asyncio.run(both()), [])

    def test_after_a_node_that_does_not_answer_in_time_the_next_is_asked(self):
        async def silent(peer):
            await peer.idle()

        a, b = self.nodes(silent, answer_anything)
        db = self.client([a, b], timeout=2)
        with self.assertRaises(whence.DeadlineExceeded):
            db.server.info()
        db.server.info()
        self.assertEqual(len(b.sent("server.info")), 1)

    def test_all_away_is_tried_until_the_timeout(self):
        a, b = self.nodes([cut_after_request], [cut_after_request])
        db = self.client([a, b], timeout=2)
        for node in (a, b):
            node.__exit__(ValueError)
        with self.assertRaisesRegex(whence.ConnectionLost, f"{a.url}: .*{b.url}: "):
            db.server.info()


class OwnWritesTest(NodesCase):
    def test_reads_carry_what_was_written_and_read(self):
        async def script(peer):
            await peer.answer(await peer.receive("records.write"), {"tx": 17, "refs": []})
            await answer_anything(peer)

        a, b = self.nodes(script, answer_anything)
        db = self.client([a, b])
        db.records.write([unit("cu_1")])
        db.node.count("Topic")
        db.node.count("Topic", min_tx=3)
        self.assertEqual([params.get("min_tx") for params in a.sent("node.count")], [17, 3])

    def test_one_address_sends_none(self):
        a, = self.nodes(answer_anything)
        db = self.client([a])
        db.records.write([unit("cu_1")])
        db.node.count("Topic")
        self.assertEqual(a.sent("node.count"), [{"type": "Topic"}])

    def test_another_node_is_waited_for(self):
        async def writes(peer):
            await peer.answer(await peer.receive("records.write"), {"tx": 17, "refs": []})
            await cut_after_request(peer)

        a, b = self.nodes(writes, answer_anything)
        db = self.client([a, b])
        db.records.write([unit("cu_1")])
        db.server.info()  # takes no min_tx
        self.assertEqual(b.seen[0]["params"]["min_tx"], 17)
        self.assertEqual([message["method"] for message in b.seen], ["node.count", "server.info"])

    def test_after_a_node_that_lost_its_log_the_next_is_asked(self):
        async def stale(peer):
            await peer.answer(await peer.receive("records.write"), {"tx": 17, "refs": []})
            await peer.refuse(await peer.receive("node.count"), BEHIND, "min_tx is not visible yet", name="deadline_exceeded")
            await peer.idle()

        a, b = self.nodes(stale, answer_anything)
        db = self.client([a, b])
        db.records.write([unit("cu_1")])
        db._session.nodes.saw({"tx": 18})  # as a watch at another node does
        db.node.get("cu_1").all()
        self.assertEqual([params.get("min_tx") for params in b.sent("node.get")], [18])

    def test_a_node_that_stays_behind_is_passed_over(self):
        async def writes(peer):
            await peer.answer(await peer.receive("records.write"), {"tx": 17, "refs": []})
            await cut_after_request(peer)

        async def behind(peer):
            while True:
                await peer.refuse(await peer.receive("node.count"), BEHIND, "min_tx is not visible yet")

        a, b, c = self.nodes([writes], behind, answer_anything)
        db = self.client([a, b, c])
        db.records.write([unit("cu_1")])
        db.server.info()
        self.assertEqual(len(c.sent("server.info")), 1)


class WatchTest(NodesCase):
    def take(self, watch, count):
        return [(event["tx"], event["ref"]) for event in (next(watch) for _ in range(count))]

    def test_it_resumes_at_the_next_node_after_the_last_whole_transaction(self):
        async def first(peer):
            await peer.subscribed(5, "s1")
            await peer.events(event(6, 0), event(6, 0, "Topic:u"), event(8, 6), sub="s1")
            await peer.cut()

        async def second(peer):
            assert (await peer.receive("node.count"))["params"]["min_tx"] == 8
            await peer.answer({"id": 2}, {"tx": 0, "count": 0})
            await peer.subscribed(8, "s2")
            await peer.events(event(9, 0), sub="s2")
            await peer.idle()

        a, b = self.nodes([main, first], second)
        watch = self.enterContext(self.client([a, b]).watch())
        self.assertEqual(self.take(watch, 4), [(6, "Topic:t"), (6, "Topic:u"), (8, "Topic:t"), (9, "Topic:t")])
        self.assertEqual([(p["since"], p.get("epoch")) for p in b.sent("subscribe")], [(8, EPOCH)])

    def test_what_another_node_sends_again_is_delivered_once(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.send("$/ended", sub="s", reason="shutdown", tx=6)
            await peer.socket.close(1001)

        async def second(peer):
            await peer.subscribed(5)  # further back than asked
            await peer.events(event(6, 0), event(7, 6))
            await peer.idle()

        a, b = self.nodes([main, first], second, hellos=({}, {"tx": 9}))
        watch = self.enterContext(self.client([a, b]).watch())
        self.assertEqual(self.take(watch, 2), [(6, "Topic:t"), (7, "Topic:t")])

    def test_a_node_that_is_behind_is_no_end(self):
        async def behind(peer):
            await peer.refuse(await peer.receive("subscribe"), NOT_HERE, "ahead of the log", epoch=EPOCH, tx=5)

        async def there(peer):
            await peer.subscribed(8)
            await peer.events(event(9, 0))
            await peer.idle()

        a, b = self.nodes([main, behind], there, hellos=({}, {"tx": 9}))
        watch = self.enterContext(self.client([a, b]).watch(since=8))
        self.assertEqual(self.take(watch, 1), [(9, "Topic:t")])

    def test_a_transaction_that_no_node_has_is_refused(self):
        async def behind(peer):
            await peer.refuse(await peer.receive("subscribe"), NOT_HERE, "ahead of the log", epoch=EPOCH, tx=5)

        a, b = self.nodes([main, behind], behind)
        with self.assertRaisesRegex(whence.ResumeImpossible, f"{a.url}: .*{b.url}: "):
            self.client([a, b]).watch(since=800)

    def test_what_it_has_shown_is_read_at_any_node(self):
        async def watched(peer):
            await peer.subscribed(5)
            await peer.events(event(30, 0))
            await peer.idle()

        async def has_all(peer):
            while True:
                await peer.answer(await peer.receive(), {"tx": 30, "nodes": [], "complete": True})

        a, b = self.nodes([has_all, watched], answer_anything)
        db = self.client([a, b])
        next(self.enterContext(db.watch()))
        db.node.get("cu_1").all()
        db.node.get("cu_1").all()
        self.assertEqual([(each["method"], each["params"].get("min_tx")) for each in a.seen if each["method"] != "subscribe"],
                         [("node.count", 30), ("node.get", 30), ("node.get", 30)])


if __name__ == "__main__":
    unittest.main()
