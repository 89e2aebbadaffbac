"""Claim: the OpenRPC document describes what the server takes and sends: every method's result, every notification, every
record, with each member that they have. Method: answers of the demo store and of a history with every type of record are held
against the document's schemas by a validator, and so are bounds, which the server must enforce.
"""
import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

import jsonschema

from client_case import ROOT, Server
from described_case import Document

sys.path.append(str(ROOT / "tests" / "export"))
import data  # noqa: E402
from proof.witness import Witness  # noqa: E402
from support.naive_rag import axis  # noqa: E402
from support.program import RpcError, token_lines, write_tokens  # noqa: E402
from support.raw_websocket import WebSocket  # noqa: E402

QUERY = "<llmQuery><userMessage>How?</userMessage><context topicId=\"t\" messageCount=\"1\"/></llmQuery>"
OF_SESSIONS = {"session.hello", "subscribe", "unsubscribe"}
OF_TWO_USERS = {"purge.confirm", "purge.withdraw", "purge.proposals"}  # TwoUsersTest
ALL = ["record", "status", "edges"]


def new_folder(case):
    folder = tempfile.TemporaryDirectory()
    case.addClassCleanup(folder.cleanup)
    return Path(folder.name)


def talk(persona, round_number=4):
    return {"userId": "ann", "discussionId": "talk/1", "roundNumber": round_number, "persona": persona, "content": "said"}


class AnswersCase(unittest.TestCase):
    @classmethod
    def hold(cls, server):
        cls.server = server
        cls.addClassCleanup(lambda: server.__exit__())
        cls.document = Document(server.rpc("rpc.discover"))

    def check(self, schema, value, what):
        self.assertEqual(self.document.faults(schema, value)[:3], [], what)
        self.assertEqual(list(self.document.undescribed(schema, value))[:5], [], f"{what}: members without a description")

    def check_answer(self, method, **params):
        result = self.server.rpc(method, params)
        self.check(self.document.methods[method]["result"]["schema"], result, f"{method} {params}: {json.dumps(result)[:1500]}")
        return result


class DocumentTest(AnswersCase):
    @classmethod
    def setUpClass(cls):
        cls.hold(Server(new_folder(cls) / "db"))

    def test_its_schemas_are_schemas_and_its_references_resolve(self):
        def references(value):
            if isinstance(value, dict):
                yield from [value["$ref"]] if isinstance(value.get("$ref"), str) else ()
                value = list(value.values())
            for each in value if isinstance(value, list) else ():
                yield from references(each)

        for reference in set(references(self.document.document)):
            kind, name = reference.removeprefix("#/components/").split("/")
            self.assertIn(name, self.document.document["components"][kind], reference)
        schemas = list(self.document.schemas.values())
        for method in self.document.methods.values():
            schemas += [method["result"]["schema"], *(param["schema"] for param in method["params"])]
        for schema in schemas + [each["params"] for each in self.document.document["x-notifications"]]:
            jsonschema.Draft7Validator.check_schema(schema)

    def test_every_result_is_described(self):
        for name, method in self.document.methods.items():
            self.assertTrue(method["result"]["schema"]["properties"], name)

    def test_every_record_type_is_described(self):
        types = {row["name"] for row in self.document.document["x-whence-types"]["records"]}
        self.assertEqual({one["$ref"].rsplit("/", 1)[1] for one in self.document.schemas["Record"]["oneOf"]}, types)
        for name in types:
            self.assertEqual(self.document.schemas[name]["properties"]["$type$"], {"const": name})

    def test_required_params_come_first(self):
        for name, method in self.document.methods.items():
            required = [param["required"] for param in method["params"]]
            self.assertEqual(required, sorted(required, reverse=True), name)

    def test_bounds_are_those_that_are_enforced(self):
        """A value at each bound of a param is not refused for it, the next one is."""
        checked = 0
        for name, method in self.document.methods.items():
            for param in method["params"] if name not in OF_SESSIONS else ():
                for good, bad in values_at_bounds(param["schema"]):
                    with self.subTest(method=name, param=param["name"], bad=str(bad)[:40]):
                        self.assertFalse(self.is_refused_at(name, param["name"], good))
                        self.assertTrue(self.is_refused_at(name, param["name"], bad))
                        checked += 1
        self.assertGreater(checked, 60)

    def is_refused_at(self, method, param, value):
        answer = self.server.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": {param: value}})
        errors = answer.get("error", {}).get("data", {}).get("errors", [])
        return any(each.get("path", "") == f"/{param}" and each.get("rule") in ("range", "length", "items", "integer", "id", "format")
                   for each in errors)


def values_at_bounds(schema):
    kind = schema.get("type")
    step = 1 if kind == "integer" else 0.001
    if kind in ("integer", "number"):
        if "minimum" in schema:
            yield schema["minimum"], schema["minimum"] - step
        if "maximum" in schema and schema["maximum"] < 2**53 - 1:
            yield schema["maximum"], schema["maximum"] + step
    elif kind == "string" and "pattern" not in schema and "enum" not in schema:
        if schema.get("minLength"):
            yield "x" * schema["minLength"], "x" * (schema["minLength"] - 1)
        if schema.get("maxLength", 2**20) < 2**20:
            yield "x" * schema["maxLength"], "x" * (schema["maxLength"] + 1)


class DemoTest(AnswersCase):
    @classmethod
    def setUpClass(cls):
        cls.hold(Server(new_folder(cls) / "db", "--serve", verb=("demo",)))

    def test_nodes_and_records_of_the_demo(self):
        for row in self.document.document["x-whence-types"]["records"]:
            if row["is_node"]:
                self.check_answer("node.find", type=row["name"], include=ALL)
                self.check_answer("node.count", type=row["name"])

    def test_walks_of_the_demo(self):
        for node in self.server.rpc("node.find", {"type": "Response"})["nodes"]:
            ref = node["ref"]
            for method in ("lineage.ancestors", "lineage.descendants", "lineage.graph", "lineage.influence"):
                self.check_answer(method, ref=ref, include=ALL)
            self.check_answer("lineage.manifest", response_id=node["id"])
            self.check_answer("history.get", ref=ref)
            self.check_answer("feedback.list", ref=ref)
        for node in self.server.rpc("node.find", {"type": "ContextUnit"})["nodes"]:
            self.check_answer("impact.analyze", refs=[node["ref"]], include=ALL, dominators=True)
            self.check_answer("feedback.list", ref=node["ref"])
            self.check_answer("versions.list", ref=node["ref"], include=ALL)
        self.check_answer("impact.blame", score_below=0.5, include=ALL)


class EveryMethodTest(AnswersCase):
    @classmethod
    def setUpClass(cls):
        folder = new_folder(cls)
        cls.folder = folder
        cls.witness = Witness("witness.example")
        cls.hold(Server(folder / "db", "--files", folder / "files", "--witness", cls.witness.key))
        data.rich(cls.server)

    def test_every_method(self):
        """In an order in which each finds what it needs."""
        seen = set()
        for method, params in self.calls():
            with self.subTest(method=method, params=params):
                seen.add(method)
                self.check_answer(method, **params)
        self.assertEqual(set(self.document.methods) - seen, OF_SESSIONS | OF_TWO_USERS | {"export.status", "export.cancel"})

    def calls(self):
        yield from self.reads()
        yield from self.writes()
        yield from self.whole_calls()

    def reads(self):
        hash = self.server.rpc("attachment.list", {"topicId": "saving"})["records"][0]["hash"]
        yield "attachment.get", {"hash": hash}
        yield "attachment.list", {"topicId": "saving"}
        yield "attachment.list", {"topicId": "saving", "count_only": True}
        for row in self.document.document["x-whence-types"]["records"]:
            if row["is_node"]:
                yield "node.find", {"type": row["name"], "include": ALL}
        yield "node.count", {"type": "Topic"}
        yield "search", {"text": "saving", "include": ALL}
        yield "search", {"text": "savinsg "}
        yield "search", {"text": "sav", "types": ["Topic"], "where": {"name": {"prefix": "s"}}, "limit": 1}
        for side in ("causes", "effects", "wholes", "parts"):
            yield "node.neighbors", {"ref": "resp_1", "side": side, "include": ALL}
        for group in ("type", "edge_type", "month", "day", "score"):
            yield "node.neighbors", {"ref": "resp_1", "side": "causes", "group_by": group, "limit": 1}
        for lanes in ("type", "topic", "agent"):
            yield "node.activity", {"lanes": lanes}
        yield "node.get", {"refs": ["cu_a", "Answer:req 1", "RetrievedChunk:chunk 1"], "include": ALL}
        yield "node.get", {"ref": "cu_a", "limit": 1, "as_of": 1}
        yield "query", {"cypher": "MATCH p = (:Response)--() RETURN p, $x", "params": {"x": [1, None]}}
        yield "query", {"cypher": "EXPLAIN MATCH (n) RETURN n"}
        for ref in ("resp_act", "Answer:req 1", "resp_1", "resp_3"):
            for method in ("lineage.ancestors", "lineage.descendants", "lineage.graph", "lineage.influence"):
                yield method, {"ref": ref, "include": ALL}
            yield "lineage.ancestors", {"ref": ref, "form": "graph"}
            yield "lineage.ancestors", {"ref": ref, "form": "edges"}
        yield "lineage.ancestors", {"ref": "resp_1", "limit": 1}
        yield "lineage.graph", {"ref": "resp_1", "reduced": True}
        yield "lineage.manifest", {"response_id": "resp_1"}
        yield "lineage.path", {"from": "cu_a", "to": "resp_1"}
        yield "lineage.path", {"from": "cu_a", "to": "resp_2", "dominators": True}
        yield "lineage.diff", {"a": "resp_1", "b": "resp_2"}
        yield "impact.analyze", {"refs": ["cu_a", "RetrievedChunk:chunk 1"], "dominators": True, "include": ALL}
        yield "impact.blame", {"score_below": 0, "include": ALL}
        yield "impact.blame", {"of": "models"}
        yield "impact.without", {"refs": ["cu_a", "RetrievedChunk:chunk 1"], "sets": True, "include": ALL}
        yield "impact.replay_plan", {"refs": ["cu_a", "RetrievedChunk:chunk 1"], "include": ALL}
        for ref in ("cu_a", "resp_1", "Answer:req 3"):
            yield "lineage.stale", {"ref": ref, "include": ALL}
        yield "lineage.stale", {}
        for ref in ("cu_a3", "resp_1", "RetrievedChunk:chunk 1", "Answer:req 3", "SystemPromptTemplate:m-1/2"):
            yield "history.get", {"ref": ref}
        for ref in ("cu_a", "resp_1", "Answer:req 3", "RetrievedChunk:chunk 1"):
            yield "feedback.list", {"ref": ref}
        for ref in ("cu_a", "SystemPromptTemplate:m-1/2"):
            yield "versions.list", {"ref": ref, "include": ALL}
        yield "versions.diff", {"a": "cu_a2", "b": "cu_a3"}
        for ref in ("Keyword:529-plan", "Keyword:tuition"):
            yield "trace", {"ref": ref, "include": ALL}
        yield "summary.get", {"topic": "saving"}
        yield "template.active", {"modelId": "m-1"}
        yield "template.list", {}
        about = {"userId": "ann", "discussionId": "talk/1"}
        for method in ("context", "get", "prompt", "tokens"):
            yield "discussion." + method, about
        for request in ("req 1", "req 2", "req 4"):
            yield "rag.get", {"request_id": request}
        yield "rag.retrieve", {"vector": axis(0), "filters": {"max_results": 2}}
        yield "xml.context", {"topicId": "saving"}

    def writes(self):
        yield "discussion.addResponse", talk("Moderator AI", 3)
        about = {"userId": "ann", "discussionId": "talk/1"}
        yield "discussion.answer", {**about, "roundNumber": 3, "userAnswers": ["yes"]}
        yield "discussion.open", about
        yield "discussion.abandon", about
        yield "discussion.set", {**about, "isResolved": True}
        yield "discussion.summarize", {**about, "summary": "All of it."}
        yield "discussion.open", about
        yield "discussion.addResponse", talk("Analyzer AI")
        yield "discussion.write", about
        yield "discussion.reconcile", about
        yield "rag.retrieve", {"vector": axis(0), "request_id": "req 9", "question": "What?", "record": True}
        yield "rag.answer", {"request_id": "req 9", "answer": "Gloves [manual.pdf, page 5]."}
        yield "records.write", {"records": [data.unit("cu_new")]}
        yield "records.write", {"records": [data.unit("cu_new")]}
        yield "records.write", {"records": [{**data.response("resp_new", {"cu_a": 3}), "extra": 1}], "mode": "capture"}
        yield "unit.update", {"ref": "cu_new", "summary": "another"}
        yield "records.delete", {"refs": ["cu_new"], "force": True}
        yield "records.purge", {"refs": ["cu_new"]}
        yield "hold.set", {"person": "cleo", "reason": "case 17"}
        yield "hold.set", {"query": {"type": "Decision"}, "reason": "case 18"}
        yield "hold.list", {}
        yield "person.find", {"person": "cleo"}
        yield "hold.clear", {"id": self.server.rpc("hold.list", {})["holds"][0]["id"], "reason": "over"}
        yield "person.erase", {"person": "cleo"}
        self.server.rpc("records.write", {"records": [{"$type$": "Person", "id": "dora"}]})
        yield "person.certificate", {"ref": self.server.rpc("person.erase", {"person": "dora"})["erasure"]}

    def whole_calls(self):
        yield "rpc.discover", {}
        yield "server.info", {}
        yield "xml.instructions", {}
        yield "xml.validate", {"xml": QUERY}
        yield "xml.build", {"format": "llm-query", "userMessage": "How?", "context": {"topicId": "t", "messageCount": 1}}
        yield "admin.verify", {}
        yield "admin.log", {"bytes": 1000}
        yield "log.checkpoint", {}
        yield "log.cosign", {"note": self.witness.sign(self.server.rpc("log.checkpoint")["checkpoint"], int(time.time()))}
        yield "log.checkpoint", {}
        yield "log.consistency", {"from": 1}
        yield "log.proof", {"leaf": 0}
        yield "log.bundle", {"ref": "Response:resp_1", "why": True}
        yield "log.bundle", {"first_tx": 1, "last_tx": 1}
        yield "log.checkpoint", {"tx": 1}
        yield "log.rotate", {}
        yield "log.checkpoint", {}
        yield "admin.retention", {"dry_run": True}
        yield "admin.backup", {"path": os.path.join(self.folder, "backup")}
        head = self.server.rpc("server.info")["tx"]
        line = {"tx": head + 1, "at": "2099-01-01T00:00:00Z", "op": "put", "ref": "Topic:restored",
                "record": {"$type$": "Topic", "id": "restored"}, "edges": []}
        yield "admin.restore", {"events": [line], "dry_run": True}
        yield "export.start", {"format": "csv"}

    def test_an_export_from_its_start_to_its_end(self):
        job = self.check_answer("export.start", format="csv", options={"formulas": "escape"})["job"]
        while self.check_answer("export.status", job=job)["state"] == "running":
            pass
        self.check_answer("export.cancel", job=self.server.rpc("export.start", {"format": "jsonl"})["job"])

    def test_sessions_streams_and_notifications(self):
        notifications = {each["name"]: each for each in self.document.document["x-notifications"]}
        seen = set()
        socket = WebSocket(self.server.authority)
        self.addCleanup(socket.close)

        def ask(method, **params):
            socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            while True:
                message = json.loads(socket.receive())
                if "id" in message:
                    self.check(self.document.methods[method]["result"]["schema"], message["result"], method)
                    return message["result"]
                take(message)

        def take(message):
            seen.add(message["method"])
            one = notifications[message["method"]]
            self.assertEqual(one["from"], "server")
            self.check(one["params"], message["params"], message["method"])

        ask("session.hello", versions=[1])
        ask("lineage.ancestors", ref="resp_act", stream={"credit": 100}, include=ALL)
        ask("impact.analyze", refs=["cu_a"], stream={"credit": 100})
        ask("admin.verify", progress=True)
        sub = ask("subscribe", since=0, include=["record", "edges"])["sub"]
        while "$/caught_up" not in seen:
            take(json.loads(socket.receive()))
        ask("unsubscribe", sub=sub)
        self.assertLessEqual({"$/partial", "$/progress", "event", "$/caught_up"}, seen)


class TwoUsersTest(AnswersCase):
    """Purges that one user proposes and another confirms."""

    @classmethod
    def setUpClass(cls):
        folder = new_folder(cls)
        tokens = write_tokens(folder / "tokens", "".join(token_lines(f"admin {name}-secret") + f" name={name}\n" for name in ("ann", "ben")))
        cls.hold(Server(folder / "db", "--tokens", tokens, "--four-eyes", "1h", token="ann-secret"))
        cls.server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "t"}, {"$type$": "Person", "id": "cleo"}]})

    def test_what_is_proposed_listed_withdrawn_and_confirmed(self):
        self.server.token = "ann-secret"
        withdrawn = self.check_answer("records.purge", refs=["Topic:t"], cascade=True, reason="r")["proposed"]
        self.check_answer("purge.withdraw", ref=withdrawn)
        held = self.check_answer("records.purge", refs=["Topic:t"])["proposed"]
        self.server.rpc("hold.set", {"refs": ["Topic:t"], "reason": "r"})
        erased = self.check_answer("person.erase", person="cleo")["proposed"]
        self.check_answer("purge.proposals")
        self.server.token = "ben-secret"
        self.check_answer("purge.confirm", ref=erased)
        listed = self.check_answer("purge.proposals", all=True)["proposals"]
        self.assertEqual([(each["ref"], each["state"]) for each in listed], [(erased, "confirmed"), (held, "open"), (withdrawn, "withdrawn")])


class GoneTest(EveryMethodTest):
    """What is gone is described too, and has the same forms."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server, types = cls.server, cls.document.document["x-whence-types"]["records"]
        refs = [node["ref"] for row in types if row["is_node"] for node in server.rpc("node.find", {"type": row["name"], "limit": 10000})["nodes"]]
        cls.calls_then = list(cls.reads(cls))
        server.rpc("records.purge", {"refs": refs})

    def test_every_method(self):
        answered = set()
        for method, params in self.calls_then:
            with self.subTest(method=method, params=params):
                try:
                    self.check_answer(method, **params)
                    answered.add(method)
                except RpcError as error:
                    self.assertEqual(error.error["data"]["name"], "not_found" if method == "attachment.get" else "purged")
        self.assertEqual({method for method, _ in self.calls_then} - answered, {"attachment.get", "summary.get", "template.active"})

    test_an_export_from_its_start_to_its_end = None
    test_sessions_streams_and_notifications = None


if __name__ == "__main__":
    unittest.main()
