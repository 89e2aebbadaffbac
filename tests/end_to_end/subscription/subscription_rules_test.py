"""Claim: `subscribe` accepts and refuses its params, and the other notifications behave, as the protocol documents, at each
boundary.

Method: for each rule params that just obey it and params that just break it, against one small history. Nothing is random. (Credit,
heartbeats, and the end of a server: `subscription_flow_test`.)
"""
import json
import tempfile
from pathlib import Path

from support.subscriber import Subscriber
from support.stream_example import A, B, HISTORY, ROWS, expected
from support.program import whence, write_tokens
from support.wire_case import INVALID_PARAMS, NOT_FOUND, RpcError, Server, WireCase

INVALID_REQUEST, UNAUTHENTICATED, LIMIT_EXCEEDED, RESUME_IMPOSSIBLE = -32600, -32010, -32050, -32061
HEAD = len(HISTORY)

# (code, params, path of the error)
BAD = [
    (INVALID_PARAMS, {"match": []}, "/match"),
    (INVALID_PARAMS, {"match": "everything"}, "/match"),
    (INVALID_PARAMS, {"match": {"colour": ["red"]}}, "/match/colour"),
    (INVALID_PARAMS, {"match": {"Types": ["Topic"]}}, "/match/Types"),
    *((INVALID_PARAMS, {"match": {member: bad}}, "/match/" + member)
      for member in ("types", "ops", "topics", "agents", "edge_types") for bad in ([], "Topic", [7], {})),
    (INVALID_PARAMS, {"match": {"types": ["Topic", "Topics"]}}, "/match/types"),
    (INVALID_PARAMS, {"match": {"types": ["topic"]}}, "/match/types"),
    (INVALID_PARAMS, {"match": {"types": ["Citation"]}}, "/match/types"),
    (INVALID_PARAMS, {"match": {"types": ["LineageManifest"]}}, "/match/types"),
    (INVALID_PARAMS, {"match": {"ops": ["put", "feedback"]}}, "/match/ops"),
    (INVALID_PARAMS, {"match": {"ops": ["PUT"]}}, "/match/ops"),
    (INVALID_PARAMS, {"match": {"edge_types": ["USED_IN", "USES"]}}, "/match/edge_types"),
    (INVALID_PARAMS, {"match": {"edge_types": ["used_in"]}}, "/match/edge_types"),
    (INVALID_PARAMS, {"match": {"depth": 1}}, "/match/depth"),
    (INVALID_PARAMS, {"match": {"types": ["Topic"], "depth": 1}}, "/match/depth"),
    (INVALID_PARAMS, {"match": {"downstream_of": A, "depth": -1}}, "/match/depth"),
    (INVALID_PARAMS, {"match": {"downstream_of": A, "depth": 1.5}}, "/match/depth"),
    (INVALID_PARAMS, {"match": {"downstream_of": A, "depth": "1"}}, "/match/depth"),
    (INVALID_PARAMS, {"match": {"downstream_of": "nothing"}}, "/match/downstream_of"),
    (INVALID_PARAMS, {"match": {"upstream_of": "Thing:x"}}, "/match/upstream_of"),
    (INVALID_PARAMS, {"match": {"downstream_of": 7}}, "/match/downstream_of"),
    (INVALID_PARAMS, {"match": {"downstream_of": [A]}}, "/match/downstream_of"),
    *((NOT_FOUND, {"match": {member: ref}, **since}, "/match/" + member) for member in ("downstream_of", "upstream_of")
      for ref in ("ContextUnit:cu_none", "cu_none", "Message:m") for since in ({}, {"since": 0}, {"since": 4})),
    (NOT_FOUND, {"match": {"downstream_of": A, "upstream_of": "Topic:none"}}, "/match/upstream_of"),
    *((INVALID_PARAMS, {"since": since}, "/since") for since in (-1, 1.5, "", "yesterday", "2025-01-01", True, [0], {})),
    (RESUME_IMPOSSIBLE, {"since": HEAD + 1}, ""),
    (RESUME_IMPOSSIBLE, {"since": 2**40}, ""),
    (RESUME_IMPOSSIBLE, {"since": 0, "epoch": "another"}, ""),
    (RESUME_IMPOSSIBLE, {"since": HEAD, "epoch": ""}, ""),
    *((INVALID_PARAMS, {"include": bad}, "/include") for bad in ("record", ["records"], ["status"], ["record", "colour"], [1])),
    *((INVALID_PARAMS, {"credit": bad}, "/credit") for bad in (-1, 1.5, "1", [1])),
    *((INVALID_PARAMS, {"snapshot": bad}, "/snapshot") for bad in (1, "true", [])),
    (INVALID_PARAMS, {"Match": {}}, "/Match"),
    (INVALID_PARAMS, {"limit": 5}, "/limit"),
    (INVALID_PARAMS, {"as_of": 1}, "/as_of"),
]
GOOD = [
    {}, {"match": {}}, {"since": "now"}, {"since": 0}, {"since": HEAD}, {"since": 1.0}, {"since": None}, {"match": None},
    {"credit": 0}, {"credit": 10**9}, {"snapshot": False}, {"snapshot": True}, {"include": ["record"]},
    {"match": {"types": ["Topic", "Topic"]}}, {"match": {"topics": ["nowhere"]}}, {"match": {"agents": ["nobody"]}},
    {"match": {"ops": ["put", "version", "status", "delete", "expire", "changed"]}},
    {"match": {"downstream_of": A, "upstream_of": B, "depth": 3}},
    {"match": {"types": None, "downstream_of": "cu_a", "depth": 1.0}},
]


class RulesCase(WireCase):
    with_files = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for method, params in HISTORY:
            cls.server.rpc(method, params)

    def setUp(self):
        self.client = self.connect()

    def connect(self, **options):
        client = Subscriber(self.server, **options)
        self.addCleanup(client.socket.close)
        return client

    def subscribe_refused(self, code, params, client=None, method="subscribe"):
        with self.assertRaises(RpcError) as caught:
            (client or self.client).call(method, **params)
        self.assertEqual(caught.exception.code, code, caught.exception.error)
        return caught.exception.error.get("data") or {}


class ParamsTest(RulesCase):
    def test_what_is_refused(self):
        for code, params, path in BAD:
            with self.subTest(json.dumps(params)):
                data = self.subscribe_refused(code, params)
                if path:
                    self.assertTrue(data.get("path", "").startswith(path), data)
                    self.assertTrue(data.get("rule"), data)
        self.assertEqual(self.client.subscriptions, {})

    def test_valid_params_are_accepted(self):
        for params in GOOD:
            with self.subTest(json.dumps(params)):
                self.client.until_caught_up(self.client.subscriptions[self.client.call("subscribe", **params)["sub"]])

    def test_a_deleted_ref_is_named_as_deleted(self):
        data = self.subscribe_refused(NOT_FOUND, {"match": {"downstream_of": "Message:m"}, "since": 0})
        self.assertEqual(data["rule"], "deleted")

    def test_subs_are_strings_of_their_own(self):
        subs = [self.client.subscribe().sub for _ in range(3)]
        self.assertEqual(len(set(subs)), 3)

    def test_several_subscriptions_in_one_batch_are_answered_before_their_events(self):
        for number in self.client.ask_all(("subscribe", {"since": 0}), ("server.info", {}), ("subscribe", {"since": 0})):
            self.client.answer(number)  # a `Subscriber` lets no event come before the answer
        self.client.until_caught_up(*self.client.subscriptions.values())
        self.assertEqual([len(s.events) for s in self.client.subscriptions.values()], 2 * [len(expected(ROWS[0]))])


class EpochTest(RulesCase):
    def test_another_epoch_is_told_the_right_one(self):
        epoch = self.rpc("server.info")["epoch"]
        for since in (0, HEAD, "now"):
            data = self.subscribe_refused(RESUME_IMPOSSIBLE, {"since": since, "epoch": epoch + "x"})
            self.assertEqual((data["epoch"], data["tx"]), (epoch, HEAD))
        self.assertEqual(self.client.call("session.hello")["epoch"], epoch)
        self.assertEqual(self.client.subscribe(since=2, epoch=epoch).from_tx, 2)
        self.subscribe_refused(RESUME_IMPOSSIBLE, {"since": HEAD + 1, "epoch": epoch})

    def test_a_restart_keeps_it_and_a_restore_makes_another(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                epoch = server.rpc("server.info")["epoch"]
                for method, params in HISTORY:
                    server.rpc(method, params)
                server.kill()
            with Server(folder + "/db") as server, Subscriber(server) as client:
                resumed = client.subscribe(since=3, epoch=epoch)
                client.until_caught_up(resumed)
                self.assertEqual([e["tx"] for e in resumed.events], [4, 4, 5])
                server.stop()
            self.assertEqual(whence("backup", folder + "/copy", "--db", folder + "/db").returncode, 0)
            self.assertEqual(whence("restore", folder + "/copy", "--db", folder + "/restored").returncode, 0)
            with Server(folder + "/restored") as server, Subscriber(server) as client:
                data = self.subscribe_refused(RESUME_IMPOSSIBLE, {"since": 3, "epoch": epoch}, client)
                self.assertEqual((data["epoch"], data["tx"]), (server.rpc("server.info")["epoch"], HEAD))
                self.assertEqual(client.subscribe(since=3).from_tx, 3)


class WayTest(RulesCase):
    def test_http_has_no_subscriptions(self):
        for method, params in (("subscribe", {}), ("subscribe", {"match": {"types": []}}), ("unsubscribe", {"sub": "1"})):
            with self.assertRaises(RpcError) as caught:
                self.server.rpc(method, params)
            error = caught.exception.error
            self.assertEqual((error["code"], error["data"]["rule"]), (INVALID_REQUEST, "websocket_only"), method)

    def test_without_an_id_it_is_ignored(self):
        for _ in range(3):
            self.client.send("subscribe", {"since": 0})
        live = self.client.subscribe(since=0)
        self.client.until_caught_up(live)
        self.assertEqual(list(self.client.subscriptions), [live.sub])  # an unknown sub would have been a failure

    def test_the_methods_are_described(self):
        names = {m["name"] for m in self.rpc("rpc.discover")["methods"]}
        self.assertLessEqual({"subscribe", "unsubscribe"}, names)

    def test_as_many_as_the_limit_says(self):
        limit = self.client.call("session.hello")["limits"]["subscriptions"]
        self.assertEqual(limit, 256)
        subscriptions = [self.client.subscribe({"types": ["Query"]}) for _ in range(limit)]
        self.subscribe_refused(LIMIT_EXCEEDED, {})
        self.client.unsubscribe(subscriptions[7])
        self.client.subscribe()
        self.subscribe_refused(LIMIT_EXCEEDED, {"since": 0})
        self.connect().subscribe()  # others have a limit of their own

    def test_the_role_read_may_subscribe(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = write_tokens(Path(folder) / "tokens", "read looks\nwrite writes\n")
            with Server(folder + "/db", "--tokens", tokens, token="writes") as server:
                with Subscriber(server) as stranger:
                    self.subscribe_refused(UNAUTHENTICATED, {}, stranger)
                    stranger.call("session.hello", token="looks")
                    self.check_reads(server, stranger)
                with Subscriber(server, token="looks") as reader:
                    self.check_reads(server, reader)

    def check_reads(self, server, client):
        before = server.rpc("server.info")["tx"]
        live = client.subscribe()
        server.rpc("records.write", {"records": [{"$type$": "Topic", "id": f"t{before}"}]})
        client.until_tx(live, before + 1)
        self.assertEqual(live.brief, [(before + 1, 0, "put", f"Topic:t{before}")])


class UnsubscribeTest(RulesCase):
    def test_it_answers_where_to_resume_and_nothing_follows(self):
        gone, kept = self.client.subscribe(), self.client.subscribe()
        tx = self.write({"$type$": "Topic", "id": self.name})["tx"]
        self.client.until_tx(gone, tx)
        answer = self.client.unsubscribe(gone)
        self.assertEqual(answer, {"sub": gone.sub, "tx": tx})
        tx = self.write({"$type$": "Topic", "id": self.name + "2"})["tx"]
        self.client.until_tx(kept, tx)
        self.client.call("server.info")
        self.assertIsNone(gone.ended)
        resumed = self.client.subscribe(since=answer["tx"])
        self.client.until_caught_up(resumed)
        self.assertEqual([e["ref"] for e in resumed.events], [f"Topic:{self.name}2"])

    def test_unknown_ones(self):
        subscription, other = self.client.subscribe(), self.connect()
        self.subscribe_refused(NOT_FOUND, {"sub": subscription.sub}, other, "unsubscribe")  # of another connection
        self.client.unsubscribe(subscription)
        for code, params in ((NOT_FOUND, {"sub": subscription.sub}), (NOT_FOUND, {"sub": ""}), (INVALID_PARAMS, {}),
                             (INVALID_PARAMS, {"sub": 7}), (INVALID_PARAMS, {"sub": "x", "tx": 1})):
            with self.subTest(params):
                self.subscribe_refused(code, params, method="unsubscribe")
