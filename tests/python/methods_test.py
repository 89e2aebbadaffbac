"""Claim: each method of the protocol can be called through both clients and returns the server's answer.

Method: one store with records of every family; a table with a call of each method and a check of its answer. The table is
compared with the server's own list of methods, so that a new one needs a row. `tag` keeps the writes of the two clients apart.
"""
import asyncio
import inspect
import os
import tempfile
import unittest

from client_case import ClientCase, feedback, response, unit, whence

HERE = {"userId": "ann", "discussionId": "d1"}
VECTOR = [1.0] + [0.0] * 383
XML = ('<llmResponse><response>Yes.</response><analysis><subject name="savings" description="d" isNew="true">'
       '<keyword term="tuition" confidence="0.9"/></subject><summaryUpdate>They save.</summaryUpdate></analysis></llmResponse>')
QUERY = {"format": "llm-query", "userMessage": "How?", "context": {"topicId": "t", "messageCount": 0, "activeSubjects": [],
                                                                  "recentKeywords": []}}


def chunk(**more):
    return {"$type$": "RetrievedChunk", "chunk_id": "chunk_1", "content": "Wear gloves.",
            "metadata": {"document_name": "guide.pdf", "page_number": 5, "chunk_index": 0}, **more}


WORLD = [
    unit("cu_a"), unit("cu_b", version=2, previous_version_id="cu_a", source="mail"), unit("cu_c"),
    response("resp_1", {"cu_a": 0.25, "cu_c": 0.75}), {**response("resp_2", {"cu_b": 1}), "person": "ann"}, feedback("fb_1", "resp_1", 0.5),
    {"$type$": "SystemPromptTemplate", "modelId": "gpt", "promptText": "You help.", "version": 1},
    {"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t"},
    {"$type$": "Hold", "id": "hold_1", "refs": ["ContextUnit:cu_b"], "reason": "case", "timestamp": "2026-01-01T00:00:00Z"},
    {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": "m", "format": "llm-response", "xml": XML,
     "createdAt": 1_728_234_567_890, "responseId": "resp_1"},
    chunk(embedding=VECTOR),
]


def recorded(tag):
    """A request with the chunk retrieved for it."""
    return [{"$type$": "Query", "request_id": tag, "question": "What must be worn?"},
            chunk(request_id=tag, similarity_score=0.9)]


def erasure_of(tag):
    """The record of the erasure of somebody."""
    MethodsTest.db.records.write([{"$type$": "Person", "id": "p-" + tag}])
    return MethodsTest.db.person.erase("p-" + tag)["erasure"]


NO_PROPOSAL = "ProvActivity:urn:whence:proposal:none"  # one needs a server with two users: end_to_end/store/four_eyes_test.py


def refusal(call, *args):
    """The rule by which a call of either client is refused."""
    async def awaited(answer):
        try:
            return await answer
        except (whence.NotFound, whence.InvalidParams) as error:
            return error.data["rule"]

    try:
        answer = call(*args)
    except (whence.NotFound, whence.InvalidParams) as error:
        return error.data["rule"]
    return awaited(answer) if inspect.isawaitable(answer) else answer


def ids(items):
    return [item["id"] for item in items]


def next_event(tag):
    """What a history would go on with."""
    return {"tx": MethodsTest.db.server.info()["tx"] + 1, "at": "2099-01-01T00:00:00Z", "op": "put", "ref": "Topic:of_" + tag,
            "record": {"$type$": "Topic", "id": "of_" + tag}, "edges": []}


# Method -> (call, check of its answer). A list is passed as its items.
CALLS = {
    "admin.backup": (lambda db, tag: db.admin.backup(os.path.join(MethodsTest.folder.name, "backup-" + tag)),
                     lambda a: a["bytes"]),
    "admin.log": (lambda db, tag: db.admin.log(after=0, bytes=0), lambda a: a["groups"] == "" and a["tx"] > 0),
    "admin.restore": (lambda db, tag: db.admin.restore([next_event(tag)], dry_run=True), lambda a: a["tx"] > 0),
    "admin.verify": (lambda db, tag: db.admin.verify(), lambda a: a["ok"]),
    "attachment.get": (lambda db, tag: db.attachment.get(MethodsTest.hash), lambda a: a["xml"] == XML),
    "attachment.list": (lambda db, tag: db.attachment.list(topicId="t"), lambda a: a[0]["hash"] == MethodsTest.hash),
    "discussion.open": (lambda db, tag: db.discussion.open(tag, discussionId="d1"), lambda a: a["roundNumber"] == 1),
    "discussion.addResponse": (
        lambda db, tag: db.discussion.add_response(tag, discussionId="d1", roundNumber=1, persona="Analyzer AI", content="So."),
        lambda a: a["next"] == "Solver AI"),
    "discussion.answer": (lambda db, tag: db.discussion.answer("ann", discussionId="d1", roundNumber=1, userAnswers=[tag]),
                          lambda a: a["roundNumber"] == 1),
    "discussion.abandon": (lambda db, tag: db.discussion.abandon("left" + tag, discussionId="d"),
                           lambda a: a["ref"].startswith("Discussion:left")),
    "discussion.set": (lambda db, tag: db.discussion.set("ann", discussionId="d1", isResolved=True, topic=tag), lambda a: a["tx"]),
    "discussion.summarize": (lambda db, tag: db.discussion.summarize("sum" + tag, discussionId="d", summary="In short."), lambda a: a["replacesRounds"] == [1]),
    "unit.update": (lambda db, tag: db.unit.update("cu_up_" + tag, summary="another"), lambda a: a["version"] == 2),
    "discussion.context": (lambda db, tag: db.discussion.context("ann", discussionId="d1"), lambda a: len(a["rounds"]) == 1),
    "discussion.get": (lambda db, tag: db.discussion.get("ann", discussionId="d1"), lambda a: a["currentTurn"] == 3),
    "discussion.prompt": (lambda db, tag: db.discussion.prompt(**HERE, persona="Solver AI"), lambda a: "So." in a["prompt"]),
    "discussion.tokens": (lambda db, tag: db.discussion.tokens(**HERE), lambda a: a["total"] > 250),
    "discussion.write": (lambda db, tag: db.discussion.write(**HERE), lambda a: a["json"].endswith(".json")),
    "discussion.reconcile": (lambda db, tag: db.discussion.reconcile(**HERE, repair="tokens"),
                             lambda a: a["differences"] == []),
    "export.start": (lambda db, tag: db.export.start("dot", select={"method": "trace", "params": {"ref": "Keyword:tuition"}}),
                     lambda a: a["job"].startswith("exp_")),
    "export.status": (lambda db, tag: db.export.status(MethodsTest.db.export.start("csv")["job"]),
                      lambda a: a["state"] in ("running", "done")),
    "export.cancel": (lambda db, tag: db.export.cancel(MethodsTest.db.export.start("csv")["job"]),
                      lambda a: a["state"] == "cancelled"),
    "feedback.list": (lambda db, tag: db.feedback.list("resp_1"), lambda a: ids(a) == ["fb_1"]),
    "history.get": (lambda db, tag: db.history.get("cu_a"), lambda a: [e["op"] for e in a] == ["put", "status", "feedback"]),
    "impact.analyze": (lambda db, tag: db.impact.analyze(["cu_b"]), lambda a: ids(a) == ["resp_2"]),
    "impact.blame": (lambda db, tag: db.impact.blame(score_below=0.9), lambda a: ids(a) == ["cu_c", "cu_a"]),
    "impact.replay_plan": (lambda db, tag: db.impact.replay_plan("cu_b"), lambda a: ids(a) == ["resp_2"]),
    "impact.without": (lambda db, tag: db.impact.without("cu_b"), lambda a: a[0]["effect"] == "lost"),
    "lineage.stale": (lambda db, tag: db.lineage.stale(ref="resp_1"), lambda a: a[0]["reasons"] == ["updated"]),
    "lineage.ancestors": (lambda db, tag: db.lineage.ancestors("resp_2", depth=1), lambda a: ids(a) == ["cu_b"]),
    "lineage.descendants": (lambda db, tag: db.lineage.descendants("cu_c", node_types=["Response"]),
                            lambda a: ids(a) == ["resp_1"]),
    "lineage.diff": (lambda db, tag: db.lineage.diff(a="resp_1", b="resp_2"), lambda a: a[0]["id"] == "cu_b"),
    "lineage.graph": (lambda db, tag: db.lineage.graph("resp_2", up=1, down=0), lambda a: ids(a) == ["resp_2", "cu_b"]),
    "lineage.influence": (lambda db, tag: db.lineage.influence("resp_1"), lambda a: a[0]["share"] == 0.75),
    "lineage.manifest": (lambda db, tag: db.lineage.manifest("resp_1"), lambda a: a["manifest"]["response_id"] == "resp_1"),
    "lineage.path": (lambda db, tag: db.lineage.path("cu_a", to="resp_2", kind="shortest"), lambda a: len(a[0]["refs"]) == 3),
    "log.bundle": (lambda db, tag: db.log.bundle("resp_1", why=True), lambda a: a["about"] == "Response:resp_1" and a["events"]),
    "log.checkpoint": (lambda db, tag: db.log.checkpoint(), lambda a: a["checkpoint"].startswith("whence/default")),
    "log.consistency": (lambda db, tag: db.log.consistency(1), lambda a: a["proof"]),
    "log.cosign": (lambda db, tag: refusal(db.log.cosign, "no checkpoint"), lambda a: a == "checkpoint"),  # python/answers_test.py has one
    "log.proof": (lambda db, tag: db.log.proof(leaf=0), lambda a: a["index"] == 0 and a["line"].startswith("{")),
    "log.rotate": (lambda db, tag: db.log.rotate(overlap_s=0), lambda a: a["key"].startswith("whence/default") and a["ref"].endswith(a["key"])),
    "hold.clear": (lambda db, tag: db.hold.clear("hold_1", reason="over"), lambda a: a["ref"][:5] == "Hold:"),
    "hold.list": (lambda db, tag: db.hold.list(all=True), lambda a: all(hold["reason"] == "case" for hold in a)),
    "hold.set": (lambda db, tag: db.hold.set(refs=["resp_1"], reason="case", dry_run=True), lambda a: a["ref"][:5] == "Hold:"),
    "person.certificate": (lambda db, tag: db.person.certificate(erasure_of(tag)), lambda a: a["format"] == "whence-erasure-1"),
    "person.erase": (lambda db, tag: db.person.erase("ann", dry_run=True), lambda a: "Person:ann" in a["purged"]),
    "purge.confirm": (lambda db, tag: refusal(db.purge.confirm, NO_PROPOSAL), lambda a: a == "unknown_reference"),
    "purge.proposals": (lambda db, tag: db.purge.proposals(all=True), lambda a: a["proposals"] == []),
    "purge.withdraw": (lambda db, tag: refusal(db.purge.withdraw, NO_PROPOSAL), lambda a: a == "unknown_reference"),
    "person.find": (lambda db, tag: db.person.find("ann"), lambda a: "Person:ann" in [node["ref"] for node in a]),
    "node.count": (lambda db, tag: db.node.count("ContextUnit", where={"source": {"eq": "mail"}}), lambda a: a["count"] == 1),
    "node.find": (lambda db, tag: db.node.find("ContextUnit", order={"by": "source", "desc": True}, include=("record",)),
                  lambda a: a[0]["record"]["source"] == "mail"),
    "node.get": (lambda db, tag: db.node.get("cu_a", include=["status"]), lambda a: a[0]["status"] == "updated"),
    "node.neighbors": (lambda db, tag: db.node.neighbors("resp_1", side="causes", order={"by": "id"}),
                       lambda a: a[0]["edge_types"] == ["USED_IN"]),
    "node.activity": (lambda db, tag: db.node.activity(types=["Response"], lanes="agent"),
                      lambda a: sum(lane["total"] for lane in a["lanes"]) >= 2),
    "search": (lambda db, tag: db.search("mail", types=["ContextUnit"], include=["record"]),
               lambda a: a[0]["record"]["source"] == "mail" and a[0]["snippets"][0]["parts"][0]["match"]),
    "query": (lambda db, tag: db.query("MATCH (u:ContextUnit {id: $id}) RETURN u.id", params={"id": "cu_a"}),
              lambda a: list(a)[0] == ["cu_a"]),
    "rag.retrieve": (lambda db, tag: db.rag.retrieve(VECTOR, filters={"max_results": 1}),
                     lambda a: a["chunks"][0]["rank"] == 1),
    "rag.answer": (lambda db, tag: db.rag.answer("req-" + tag, answer="Gloves [guide.pdf, page 5]."),
                   lambda a: a["answer"]["citations"][0]["chunk_id"] == "chunk_1"),
    "rag.get": (lambda db, tag: db.rag.get("req-" + tag), lambda a: a["query"]["question"] == "What must be worn?"),
    "records.write": (lambda db, tag: db.records.write([unit("cu_of_" + tag)], dry_run=True), lambda a: a["refs"]),
    "records.delete": (lambda db, tag: db.records.delete(["Topic:topic_of_" + tag]), lambda a: len(a["deleted"]) == 1),
    "records.purge": (lambda db, tag: db.records.purge(["Topic:topic_of_" + tag], dry_run=True), lambda a: len(a["purged"]) == 1),
    "admin.retention": (lambda db, tag: db.admin.retention(dry_run=True), lambda a: a["expired"] == 0),
    "rpc.discover": (lambda db, tag: db.rpc.discover(), lambda a: a["info"]["title"] == "Whence"),
    "server.info": (lambda db, tag: db.server.info(as_of=0), lambda a: a["nodes"]["ContextUnit"] == 0),
    "summary.get": (lambda db, tag: db.summary.get("t"), lambda a: a["summary"]["content"] == "They save."),
    "template.active": (lambda db, tag: db.template.active("gpt"), lambda a: a["template"]["version"] == 1),
    "template.list": (lambda db, tag: db.template.list(modelId="gpt"), lambda a: len(a) == 1),
    "trace": (lambda db, tag: db.trace("Keyword:tuition"), lambda a: "resp_1" in ids(a)),
    "versions.diff": (lambda db, tag: db.versions.diff("cu_a", b="cu_b"),
                      lambda a: "/source" in [c["path"] for c in a["changes"]]),
    "versions.list": (lambda db, tag: db.versions.list("cu_b"), lambda a: ids(a) == ["cu_a", "cu_b"]),
    "xml.build": (lambda db, tag: db.xml.build(parts=QUERY), lambda a: a["xml"].startswith("<llmQuery>")),
    "xml.context": (lambda db, tag: db.xml.context("t"), lambda a: a["context"]["recentKeywords"] == ["tuition"]),
    "xml.instructions": (lambda db, tag: db.xml.instructions(), lambda a: "<llmResponse>" in a["text"]),
    "xml.validate": (lambda db, tag: db.xml.validate(XML, format="llm-response"), lambda a: a["valid"]),
}
DONE_BY_THE_CLIENT = {"session.hello", "subscribe", "unsubscribe"}


class MethodsTest(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        refs = cls.db.records.write(WORLD)["refs"]
        cls.hash = next(ref for ref in refs if ref.startswith("XML")).split(":")[1]
        cls.db.discussion.open(**HERE)
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            cls.db.discussion.add_response(**HERE, roundNumber=1, persona=persona, content="So.")

    def prepare(self, tag):
        self.db.records.write([unit("cu_up_" + tag)])
        self.db.discussion.open("left" + tag, discussionId="d")
        self.db.discussion.open("sum" + tag, discussionId="d")
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            self.db.discussion.add_response("sum" + tag, discussionId="d", roundNumber=1, persona=persona, content="So.")
        self.db.records.write([{"$type$": "Topic", "id": "topic_of_" + tag}, *recorded("req-" + tag)])
        self.db.discussion.write(**HERE)

    def test_the_table_has_a_row_for_each_method(self):
        served = {method["name"] for method in self.db.rpc.discover()["methods"]}
        self.assertEqual(set(CALLS), served - DONE_BY_THE_CLIENT)

    def test_every_method_answers_the_synchronous_client(self):
        self.prepare("sync")
        for name, (call, shows) in CALLS.items():
            with self.subTest(method=name):
                answer = call(self.db, "sync")
                if isinstance(answer, whence.Result):
                    answer = answer.all()
                self.assertTrue(shows(answer), answer)

    def test_every_method_answers_the_asynchronous_client(self):
        self.prepare("aio")

        async def ask():
            async with await whence.aio.connect(self.server.url) as db:
                for name, (call, shows) in CALLS.items():
                    with self.subTest(method=name):
                        answer = call(db, "aio")
                        answer = [item async for item in answer] if isinstance(answer, whence.aio.Result) else await answer
                        self.assertTrue(shows(answer), answer)

        asyncio.run(ask())

    def test_any_method_can_be_called_by_name(self):
        self.assertEqual(self.db.rpc("node.get", ref="cu_a")["nodes"][0]["id"], "cu_a")
        self.assertEqual(len(self.db.rpc("lineage.path", from_="cu_a", to="resp_2")["paths"]), 1)
        page = self.db.rpc("node.find", type="ContextUnit", limit=1)
        self.assertEqual((len(page["nodes"]), page["complete"]), (1, False))

    def test_a_wrong_name_is_told_the_one_that_was_meant(self):
        for call, told in [(lambda: self.db.lineage.ancestor("cu_a"), "did you mean 'ancestors'"),
                           (lambda: self.db.linage, "did you mean 'lineage'"),
                           (lambda: self.db.lineage.ancestors("cu_a", dept=1), "did you mean 'depth'"),
                           (lambda: self.db.lineage.ancestors("cu_a", xyzzy=1), "unexpected keyword argument 'xyzzy'"),
                           (lambda: self.db.query("RETURN 1", limt=3), r"^query\(\).* did you mean 'limit'"),
                           (lambda: self.db.query("RETURN 1", as_off=1), "did you mean 'as_of'"),
                           (lambda: self.db.search("x", curser="y"), "did you mean 'cursor'"),
                           (lambda: self.db.why("cu_a", limt=3), "did you mean 'limit'"),
                           (lambda: self.db.diff("resp_1", "resp_2", as_off_a=1), "did you mean 'as_of_a'"),
                           (lambda: self.db.watch(snapshoot=True), "did you mean 'snapshot'"),
                           (lambda: self.db.watch(topic=["t"]), "did you mean `topics`"),
                           (lambda: self.db.watch(xyzzy=1), "/match/xyzzy: is no field here"),
                           (lambda: self.db.watch(snapshot="yes"), "snapshot must be True or False: 'yes'"),
                           (lambda: self.db.flush(timout=1), "did you mean 'timeout'"),
                           (lambda: whence.connect(self.server.url, tokn="x"), "did you mean 'token'"),
                           (lambda: whence.aio.connect(self.server.url, tokn="x"), "did you mean 'token'")]:
            with self.assertRaisesRegex((AttributeError, TypeError, whence.InvalidParams), told):
                call()
        self.assertFalse(hasattr(self.db, "nothing_like_it"))

    def test_diff_compares_one_answer_at_two_moments_too(self):
        tx = self.db.server.info()["tx"]
        asked = {"ref": "resp_2", "as_of_a": tx, "as_of_b": tx}
        found = self.db.diff(**asked)["common"]
        self.assertTrue(found)
        self.assertEqual(found, self.db.lineage.diff(**asked)["common"])

    def test_hello_has_the_servers_position_and_limits(self):
        with whence.connect(self.server.url) as db:
            self.assertEqual((db.tx, db.epoch), tuple(self.db.server.info()[name] for name in ("tx", "epoch")))
            self.assertEqual(db.limits["page"], 10_000)


if __name__ == "__main__":
    unittest.main()
