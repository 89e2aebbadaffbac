"""Results of list methods: paging, streaming and one answer are the same; leaving early ends the reading."""
import unittest

from client_case import ClientCase, feedback, unit, wait_until, whence
from fake_server import FakeServer


class PagingTest(ClientCase):
    def ways(self, method, *args, **params):
        """The results of one question asked in one answer, by small pages, and streamed."""
        return [method(*args, **params), method(*args, limit=2, **params), method(*args, stream=True, **params),
                method(*args, limit=2, stream=True, **params)]

    def test_pages_streams_and_one_answer_hold_the_same(self):
        ids = self.write_units(7)
        response_id = self.id_of("resp")
        self.db.records.write([feedback(self.id_of("fb", number), response_id, 0.5) for number in range(5)])
        for call, args, params in [
            (self.db.node.find, ["ContextUnit"], {"where": {"id": {"in": ids}}}),
            (self.db.node.get, [], {"refs": ids}),
            (self.db.lineage.ancestors, [response_id], {"form": "graph"}),
            (self.db.lineage.ancestors, [response_id], {"form": "edges"}),
            (self.db.lineage.descendants, [ids[0]], {}),
            (self.db.lineage.influence, [response_id], {}),
            (self.db.lineage.path, [ids[0]], {"to": response_id}),
            (self.db.lineage.diff, [], {"a": response_id, "b": ids[0]}),
            (self.db.impact.analyze, [ids], {}),
            (self.db.impact.blame, [], {"responses": [response_id]}),
            (self.db.history.get, [ids[0]], {}),
            (self.db.versions.list, [ids[0]], {}),
            (self.db.feedback.list, [response_id], {}),
        ]:
            with self.subTest(method=call.__qualname__):
                whole, *others = self.ways(call, *args, **params)
                self.assertTrue(whole.all())
                self.assertTrue(whole.complete)
                for other in others:
                    self.assertEqual(list(other), whole.all())
                    self.assertEqual((other.edges, other.tx, other.complete, other.reason),
                                     (whole.edges, whole.tx, True, None))

    def test_all_pages_are_of_one_snapshot(self):
        ids = self.write_units(6)
        found = self.db.node.find("ContextUnit", where={"id": {"prefix": "cu_" + self._testMethodName}}, limit=2)
        seen = [next(found)["id"]]
        tx = found.tx
        self.db.records.write([unit(self.id_of("cu", 99))])
        seen += [node["id"] for node in found]
        self.assertEqual((seen, found.tx), (sorted(ids), tx))

    def test_before_the_last_page_a_result_is_incomplete(self):
        found = self.db.node.get(refs=self.write_units(4), limit=2)
        self.assertEqual((found.complete, found.reason), (False, "limit"))
        found.all()
        self.assertEqual((found.complete, found.reason), (True, None))

    def test_a_depth_that_cuts_is_the_reason(self):
        ids = self.write_units(1)
        self.db.records.write([unit(self.id_of("cu", 1), version=2, previous_version_id=ids[0])])
        above = self.db.lineage.descendants(ids[0], depth=0)
        self.assertEqual((above.all(), above.complete, above.reason), ([], False, "depth"))

    def test_iterating_goes_on_where_it_stopped_and_all_is_everything(self):
        found = self.db.node.get(refs=self.write_units(5), limit=2)
        first, second = next(found), next(found)
        rest = list(found)
        self.assertEqual(len(rest), 3)
        self.assertEqual(found.all(), [first, second, *rest])
        self.assertEqual(list(found), [])

    def test_pages_can_be_read_on_after_leaving_the_loop(self):
        ids = self.write_units(5)
        found = self.db.node.get(refs=ids, limit=2)
        for _ in found:
            break
        self.assertEqual([node["id"] for node in found.all()], ids)

    def test_other_members_of_an_answer_are_its_items(self):
        ids = self.write_units(3)
        affected = self.db.impact.analyze(ids)
        self.assertEqual(affected["counts"]["by_type"], {"Response": 1})
        around = self.db.lineage.graph(self.id_of("resp"), up=0)
        self.assertEqual(around["frontier"][0]["causes"], 3)
        self.assertEqual(around["nodes"], around.all())
        changed = self.db.lineage.diff(a=self.id_of("resp"), b=ids[0])
        self.assertEqual(([n["id"] for n in changed["removed"]], changed["added"]), (ids, []))

    def test_a_stream_does_not_pretend_to_know_its_lists(self):
        ids = self.write_units(1)
        with self.assertRaisesRegex(KeyError, "stream"):
            self.db.lineage.diff(a=self.id_of("resp"), b=ids[0], stream=True)["removed"]

    def test_progress_calls_a_function(self):
        reports = []
        self.assertTrue(self.db.admin.verify(progress=reports.append)["ok"])
        self.assertTrue(reports)
        self.assertEqual({"done", "total", "message"} & reports[0].keys(), reports[0].keys())


PIECES = [[{"ref": f"Topic:{piece}-{n}", "type": "Topic", "id": f"{piece}-{n}"} for n in range(3)] for piece in range(40)]


async def endless(peer):
    """Streams pieces for as long as there is credit; takes everything else in silence."""
    request = await peer.receive("node.find")
    credit, pieces = request["params"]["stream"]["credit"], iter(PIECES)
    for seq, items in enumerate(pieces, 1):
        while credit == 0:
            message = await peer.receive()
            if message["method"] == "$/cancel":
                return await peer.idle()
            credit += message["params"]["n"]
        await peer.send("$/partial", id=request["id"], seq=seq, items=items)
        credit -= 1
    await peer.answer(request, {"tx": 5, "complete": True})
    await peer.idle()


class EarlyExitTest(unittest.TestCase):
    def read_some(self, leave):
        with FakeServer(endless) as server, whence.connect(server.url) as db:
            found = db.node.find("Topic", stream=True)
            leave(found)
            wait_until(lambda: server.sent("$/cancel"), "$/cancel")
            self.assertLess(len(found.all()), 20, "what was read stays, but no more is")
            self.assertFalse(found.complete)

    def test_leaving_the_loop_cancels(self):
        def leave(found):
            for number, _ in enumerate(found):
                if number == 4:
                    break
        self.read_some(leave)

    def test_an_exception_in_the_loop_cancels(self):
        def leave(found):
            with self.assertRaises(ZeroDivisionError):
                for _ in found:
                    1 / 0
        self.read_some(leave)

    def test_leaving_the_with_block_cancels(self):
        def leave(found):
            with found:
                next(found)
        self.read_some(leave)

    def test_forgetting_the_result_cancels(self):
        with FakeServer(endless) as server, whence.connect(server.url) as db:
            next(db.node.find("Topic", stream=True))
            wait_until(lambda: server.sent("$/cancel"), "$/cancel")

    def test_a_stream_is_read_to_its_end_with_credit(self):
        with FakeServer(endless) as server, whence.connect(server.url) as db:
            found = db.node.find("Topic", stream=True)
            self.assertEqual(list(found), [item for items in PIECES for item in items])
            self.assertTrue(found.complete)
            self.assertEqual(server.sent("$/cancel"), [])

    def test_a_stream_that_breaks_raises(self):
        async def breaks(peer):
            request = await peer.receive("node.find")
            await peer.send("$/partial", id=request["id"], seq=1, items=PIECES[0])
            await peer.cut()

        with FakeServer(breaks) as server, whence.connect(server.url) as db:
            found = db.node.find("Topic", stream=True)
            with self.assertRaises(whence.ConnectionLost):
                list(found)
            self.assertEqual(found.all(), PIECES[0])

    def test_a_page_cut_by_time_is_the_last(self):
        async def slow(peer):
            request = await peer.receive()
            await peer.answer(request, {"tx": 5, "complete": False, "reason": "timeout", "cursor": "c", "nodes": []})
            await peer.idle()

        with FakeServer(slow) as server, whence.connect(server.url) as db:
            found = db.node.find("Topic", timeout_ms=1)
            self.assertEqual((list(found), found.complete, found.reason), ([], False, "timeout"))


if __name__ == "__main__":
    unittest.main()
