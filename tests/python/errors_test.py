"""Errors as classes with their data, and what the client does about those that pass: busy servers, lost connections."""
import copy
import pickle
import threading
import unittest

from client_case import ClientCase, response, unit, whence
from fake_server import FakeServer

BUSY = -32051


class RefusalTest(ClientCase):
    def test_each_refusal_is_raised_as_its_class(self):
        db = self.db
        db.records.write([unit("cu_refusal")])
        db.records.write([unit("cu_refusal_b", version=2, previous_version_id="cu_refusal")])
        for kind, call in [
            (whence.NotFound, lambda: db.node.get("cu_never")),
            (whence.InvalidParams, lambda: db.node.get()),
            (whence.InvalidParams, lambda: db.rpc("node.get", reff="cu_refusal")),
            (whence.MethodNotFound, lambda: db.rpc("node.wish")),
            (whence.InvalidRecord, lambda: db.records.write([{"$type$": "ContextUnit"}])),
            (whence.InvalidXml, lambda: db.xml.validate("<llmQuery>")),
            (whence.Conflict, lambda: db.records.write([unit("cu_refusal", source="other")])),
            (whence.Cycle, lambda: db.records.write([unit("cu_refusal_c", derived_from=["cu_refusal_c"])])),
            (whence.Precondition, lambda: db.records.write([unit("cu_refusal_d")], expect_tx=0)),
            (whence.CursorInvalid, lambda: db.node.find("ContextUnit", cursor="damaged")),
        ]:
            with self.subTest(kind=kind.__name__), self.assertRaises(kind):
                call()

    def test_an_error_carries_place_rule_and_all_violations(self):
        with self.assertRaises(whence.InvalidRecord) as caught:
            self.db.records.write([unit("cu_fine"), {"$type$": "ContextUnit", "id": "cu_bad", "type": "User", "version": 0}])
        error = caught.exception
        self.assertEqual((error.code, error.data["index"], error.data["path"], error.data["rule"]),
                         (-32030, 1, "/source", "required"))
        self.assertEqual([e["path"] for e in error.errors], ["/source", "/version"])
        self.assertIn("index 1, path /source, rule required", str(error))
        self.assertIn("1 more", str(error))

    def test_a_list_method_raises_when_it_is_called(self):
        for stream in (False, True):
            with self.subTest(stream=stream), self.assertRaises(whence.NotFound):
                self.db.lineage.ancestors("cu_never", stream=stream)

    def test_an_unknown_code_is_the_base_class(self):
        error = whence.errors.error_of({"code": -32099, "message": "new"})
        self.assertIs(type(error), whence.Error)
        self.assertEqual((error.code, error.message, error.data, error.errors), (-32099, "new", {}, []))

    def test_errors_can_be_copied_and_pickled(self):
        for error in (whence.errors.error_of({"code": -32020, "message": "no", "data": {"path": "/ref"}}),
                      whence.ConnectionLost("gone", {"status": 503})):
            for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
                self.assertEqual((type(again), str(again), again.data), (type(error), str(error), error.data))

    def test_an_address_without_server_or_scheme_is_refused_at_once(self):
        with FakeServer() as gone:
            pass
        with self.assertRaises(whence.ConnectionLost):
            whence.connect(gone.url)
        with self.assertRaisesRegex(ValueError, "not the URL of a server"):
            whence.connect("127.0.0.1:7411")

    def test_a_closed_client_says_so(self):
        db = whence.connect(self.server.url)
        db.close()
        db.close()
        with self.assertRaisesRegex(whence.ConnectionLost, "the client is closed"):
            db.server.info()


class TokenTest(unittest.TestCase):
    def test_a_refused_hello_is_unauthenticated(self):
        async def refuse(peer):
            hello = await peer.socket.recv()
            await peer.refuse({"id": 1}, -32010, "wrong token", seen=hello.count("secret"))

        with FakeServer(refuse) as server, self.assertRaises(whence.Unauthenticated) as caught:
            whence.connect(server.url, token="secret")
        self.assertEqual(caught.exception.data["seen"], 1)


class BusyTest(unittest.TestCase):
    def test_a_busy_server_is_asked_three_more_times(self):
        async def busy_for_a_while(peer):
            for _ in range(3):
                await peer.refuse(await peer.receive(), BUSY, retry_after_ms=1)
            await peer.answer(await peer.receive(), {"tx": 9})
            await peer.idle()

        with FakeServer(busy_for_a_while) as server, whence.connect(server.url) as db:
            self.assertEqual(db.server.info(), {"tx": 9})
            self.assertEqual(len(server.sent("server.info")), 4)

    def test_after_that_busy_is_raised(self):
        async def always_busy(peer):
            while True:
                await peer.refuse(await peer.receive(), BUSY, retry_after_ms=1)

        with FakeServer(always_busy) as server, whence.connect(server.url) as db:
            with self.assertRaises(whence.Busy) as caught:
                db.node.find("Response", stream=True)
            self.assertEqual(caught.exception.retry_after_ms, 1)
            self.assertEqual(len(server.sent("node.find")), 4)

    def test_a_write_without_a_key_is_not_repeated_where_it_may_have_been_carried_out(self):
        async def in_doubt(peer):
            while True:
                await peer.refuse(await peer.receive(), BUSY, "not confirmed", retry_after_ms=1, outcome="unknown")

        with FakeServer(in_doubt) as server, whence.connect(server.url) as db:
            with self.assertRaisesRegex(whence.Busy, "not confirmed; discussion.answer may have been carried out"):
                db.discussion.answer("u", discussionId="d", roundNumber=1, userAnswers=["a"])
            self.assertEqual(len(server.sent("discussion.answer")), 1)
            with self.assertRaises(whence.Busy):
                db.records.write([])
            self.assertEqual(len(server.sent("records.write")), 4)  # under one key

    def test_a_write_without_a_key_is_repeated_where_nothing_was_written(self):
        async def busy_once(peer):
            await peer.refuse(await peer.receive(), BUSY, retry_after_ms=1)
            await peer.answer(await peer.receive(), {"tx": 6})
            await peer.idle()

        with FakeServer(busy_once) as server, whence.connect(server.url) as db:
            db.discussion.answer("u", discussionId="d", roundNumber=1, userAnswers=["a"])
            self.assertEqual(len(server.sent("discussion.answer")), 2)

    def test_a_write_keeps_its_key_when_it_is_asked_again(self):
        async def busy_once(peer):
            await peer.refuse(await peer.receive(), BUSY, retry_after_ms=1)
            await peer.answer(await peer.receive(), {"tx": 6, "refs": [], "warnings": []})
            await peer.idle()

        with FakeServer(busy_once) as server, whence.connect(server.url) as db:
            db.records.write([unit("cu_1")])
            first, second = server.sent("records.write")
            self.assertEqual(first, second)
            self.assertTrue(first["idempotency_key"])


async def cut_after_request(peer):
    await peer.receive()
    await peer.cut()


async def answer_anything(peer):
    while True:
        await peer.answer(await peer.receive(), {"tx": 6, "complete": True, "refs": [], "nodes": []})


class LostConnectionTest(unittest.TestCase):
    def test_what_only_reads_is_repeated_on_a_new_connection(self):
        with FakeServer(cut_after_request, answer_anything) as server, whence.connect(server.url) as db:
            self.assertEqual(db.server.info()["tx"], 6)
            self.assertEqual(db.node.find("Response").all(), [])

    def test_writes_without_key_of_their_own_are_not(self):
        for call in (lambda db: db.records.delete(["cu_1"]),
                     lambda db: db.rag.retrieve([0.0] * 384, question="?", record=True),
                     lambda db: db.discussion.reconcile("u", discussionId="d", repair="all")):
            with FakeServer(cut_after_request, answer_anything) as server, whence.connect(server.url) as db:
                with self.assertRaises(whence.ConnectionLost):
                    call(db)
                self.assertEqual(len(server.seen), 1)
                self.assertEqual(db.server.info()["tx"], 6, "the client continues")

    def test_a_server_that_stays_away_is_connection_lost_after_the_timeout(self):
        with FakeServer(cut_after_request) as server:
            db = whence.connect(server.url, timeout=2)
            self.addCleanup(db.close)
        with self.assertRaises(whence.ConnectionLost):
            db.server.info()

    def test_no_answer_in_time_is_deadline_exceeded_and_cancelled(self):
        async def silent(peer):
            await peer.idle()

        with FakeServer(silent) as server, whence.connect(server.url, timeout=2) as db:
            with self.assertRaises(whence.DeadlineExceeded):
                db.server.info()
            db._portal.run(db._session.open())
        request = next(message for message in server.seen if message["method"] == "server.info")
        self.assertEqual(server.sent("$/cancel"), [{"id": request["id"]}])

    def test_closing_ends_calls_that_wait(self):
        async def silent(peer):
            await peer.idle()

        with FakeServer(silent) as server:
            db = whence.connect(server.url)
            raised = []

            def call():
                try:
                    db.server.info()
                except whence.ConnectionLost as error:
                    raised.append(error)

            caller = threading.Thread(target=call)
            caller.start()
            while not server.sent("server.info"):
                pass
            db.close()
            caller.join()
            self.assertEqual(len(raised), 1)


class WrittenOnceTest(ClientCase):
    """A proxy passes requests on to a real server and cuts the connection before the answer: the write is repeated, and the
    server has it once."""

    def test_a_write_whose_answer_was_lost_is_written_exactly_once(self):
        taken = []

        async def pass_on_and_cut(peer):
            request = await peer.receive("records.write")
            taken.append(self.server.rpc("records.write", request["params"]))
            await peer.cut()

        async def pass_on(peer):
            while True:
                request = await peer.receive()
                await peer.answer(request, self.server.rpc(request["method"], request["params"]))

        head = self.db.server.info()["tx"]
        record = unit("cu_once")
        del record["id"]  # without id and key a repeated write would make a second unit
        with FakeServer(pass_on_and_cut, pass_on) as proxy, whence.connect(proxy.url) as db:
            answer = db.records.write([record])
        self.assertEqual(answer, taken[0])
        self.assertEqual(self.db.server.info()["tx"], head + 1)
        self.assertEqual(len(proxy.sent("records.write")), 2)

    def test_a_users_own_key_is_kept(self):
        first = self.db.records.write([response("resp_key", {"cu_key": 1}), unit("cu_key")], idempotency_key="mine")
        with self.assertRaises(whence.Conflict):
            self.db.records.write([unit("cu_other")], idempotency_key="mine")
        again = self.db.records.write([response("resp_key", {"cu_key": 1}), unit("cu_key")], idempotency_key="mine")
        self.assertEqual(again, first)


if __name__ == "__main__":
    unittest.main()
