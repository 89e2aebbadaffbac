"""The differences with asyncio: awaited results, `async for`, many calls at once, cancelled tasks, watches in tasks."""
import asyncio
import unittest

from client_case import WAIT_SECONDS, ClientCase, unit, whence
from fake_server import FakeServer, event, main


class AioTest(ClientCase):
    def run_with(self, work):
        async def connected():
            async with await whence.aio.connect(self.server.url) as db:
                return await work(db)
        return asyncio.run(connected())

    def test_results_are_iterated_awaited_and_entered(self):
        ids = self.write_units(5)

        async def work(db):
            iterated = [node["id"] async for node in db.node.get(refs=ids, limit=2)]
            awaited = await db.node.get(refs=ids, limit=2)
            async with db.node.get(refs=ids, stream=True) as entered:
                streamed = await entered.all()
            return iterated, (awaited.tx, awaited.reason, await awaited.__anext__()), streamed

        iterated, (tx, reason, first), streamed = self.run_with(work)
        self.assertEqual((iterated, [n["id"] for n in streamed]), (ids, ids))
        self.assertEqual((tx > 0, reason, first["id"]), (True, "limit", ids[0]))

    def test_frames_graphs_and_other_members(self):
        ids = self.write_units(3)

        async def work(db):
            found = db.lineage.ancestors(self.id_of("resp"), form="graph")
            frames = await found.to_pandas(edges=True)
            counts = await db.impact.analyze(ids).get("counts")
            return list(map(len, frames)), len(await found.to_networkx()), (await found.to_igraph()).ecount(), counts

        frames, nodes, edges, counts = self.run_with(work)
        self.assertEqual((frames, nodes, edges, counts["by_type"]), ([3, 3], 4, 3, {"Response": 1}))

    def test_calls_run_at_the_same_time(self):
        ids = self.write_units(1)

        async def work(db):
            return await asyncio.gather(*(db.node.get(ids[0]).all() for _ in range(50)))

        self.assertEqual({nodes[0]["id"] for nodes in self.run_with(work)}, set(ids))

    def test_a_response_is_recorded(self):
        async def work(db):
            async with db.response("a", "m") as r:
                r.used(unit(self.id_of("cu")))
            return r

        recorded = self.run_with(work)
        self.assertEqual(next(self.db.node.get(recorded.id))["type"], "Response")
        self.assertGreater(recorded.tx, 0)

    def test_errors_are_raised_where_the_answer_is_awaited(self):
        async def work(db):
            with self.assertRaises(whence.NotFound):
                await db.node.get("cu_never")
            with self.assertRaises(whence.InvalidXml):
                await db.xml.validate("<a>")

        self.run_with(work)


class AioFakeTest(unittest.TestCase):
    def run_with(self, server, work):
        async def connected():
            async with await whence.aio.connect(server.url) as db:
                return await work(db)
        with server:
            return asyncio.run(connected())

    def test_cancelling_a_task_cancels_its_request(self):
        async def silent(peer):
            await peer.receive("server.info")
            cancelled = await peer.receive("$/cancel")
            await peer.answer(await peer.receive(), cancelled["params"])
            await peer.idle()

        async def work(db):
            task = asyncio.ensure_future(db.server.info())
            async with asyncio.timeout(WAIT_SECONDS):
                while not server.sent("server.info"):
                    await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            return await db.rpc("what.was.cancelled")

        server = FakeServer(silent)
        self.assertEqual(self.run_with(server, work), {"id": 2})

    def test_leaving_a_loop_over_a_stream_cancels_it(self):
        async def endless(peer):
            request = await peer.receive("node.find")
            for seq in range(8):
                await peer.send("$/partial", id=request["id"], seq=seq, items=[{"ref": f"T:{seq}"}])
            await peer.idle()

        async def work(db):
            async for _ in db.node.find("Topic", stream=True):
                break
            async with asyncio.timeout(WAIT_SECONDS):
                while not server.sent("$/cancel"):
                    await asyncio.sleep(0)

        server = FakeServer(endless)
        self.run_with(server, work)

    def test_a_watch_resumes_and_ends_when_closed(self):
        async def first(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.cut()

        async def second(peer):
            await peer.subscribed(6)
            await peer.send("$/caught_up", sub="s", tx=6)
            await peer.events(event(7, 0))
            await peer.idle()

        caught_up = []

        async def work(db):
            seen = []
            async with db.watch(on_caught_up=caught_up.append) as watch:
                async for e in watch:
                    seen.append((e["tx"], watch.tx))
                    if len(seen) == 2:
                        await watch.close()
            return seen

        server = FakeServer(main, first, second)
        self.assertEqual(self.run_with(server, work), [(6, 6), (7, 7)])
        self.assertEqual([p["tx"] for p in caught_up], [6])

    def test_a_watch_that_is_iterated_begins_by_itself(self):
        async def script(peer):
            await peer.subscribed(5)
            await peer.events(event(6, 0))
            await peer.idle()

        async def work(db):
            async for e in db.watch(types=["Topic"]):
                return e["tx"]

        self.assertEqual(self.run_with(FakeServer(main, script), work), 6)


if __name__ == "__main__":
    unittest.main()
