"""Claim: no valid request ends the server, fails inside it, or is answered by a number that is none.

Method: requests are made from the server's own description, rpc.discover, with values that fit its schemas: refs of what is there, was
deleted, expired or was purged, numbers at the ends of their ranges. The store holds a record of every kind of the demo, a cycle of
PROV that was cut, and a unit that is updated again and again by the response that used it. WHENCE_REQUESTS is how many are sent,
WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import tempfile
import unittest
import urllib.request

from attack import Server, request
from support.program import whence

SEED = int(os.environ.get("WHENCE_TEST_SEED") or random.SystemRandom().randrange(2**32))
REQUESTS = int(os.environ.get("WHENCE_REQUESTS", "4000"))
LOOP = 1_100
BATCH = 40
INTERNAL_ERROR = -32603
TIME = "2025-11-09T16:15:00Z"
# Those of a connection, and those that name places on the server.
LEFT_OUT = {"session.hello", "subscribe", "unsubscribe", "admin.backup", "admin.restore"}
TEXTS = ("", "a", "cu_a", "agent", "2025-10-20T09:00:00Z", "2025-10-20T09:00:00.123456789Z", "Größe", "\u0000", "[doc, p.5]", "x" * 300,
         "<a/>", "%", "0", "-1", "1e999", "NaN")
NUMBERS = (0, 1, -1, 2, 0.5, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 2**53, 2**53 + 1, 2**63 - 1, 1e-7, 3)
ID_OF = {"topic": "Topic", "topicId": "Topic", "request_id": "Query", "hash": "XMLMessageAttachment", "response_id": "Response",
         "userId": "Discussion", "discussionId": "Discussion", "modelId": "SystemPromptTemplate", "document": "Document"}
QUERIES = ("MATCH (n) RETURN n LIMIT 20", "MATCH p = (a)-[:INFLUENCES*1..3]->(b) RETURN p LIMIT 20", "MATCH (n) RETURN labels(n), count(*), avg(n.score)",
           "CALL whence.lineage.influence($ref) YIELD node, share RETURN node, share LIMIT 5", "RETURN 1/0.0, 0.0/0, 10^400, sqrt(-1), toInteger(1e300)",
           "MATCH ()-[r]->() RETURN type(r), sum(r.weight), stDev(r.weight), max(r.tx)", "UNWIND range(1, 1000) AS x RETURN collect(x)[-1]",
           "MATCH (n) RETURN n.timestamp, n.createdAt ORDER BY n.timestamp LIMIT 9")


def not_a_number(name):
    raise ValueError(f"{name} is no number of JSON")


class Requests:
    """Random requests that fit the description."""

    def __init__(self, chance, described, refs, head):
        self.chance, self.refs, self.head = chance, refs, head
        self.schemas = described["components"]["schemas"]
        self.methods = [m for m in described["methods"] if m["name"] not in LEFT_OUT]

    def make(self, number):
        method = self.chance.choice(self.methods)
        if method["x-role"] != "read" and self.chance.random() < 0.8:  # else there is soon nothing left to read
            method = self.chance.choice(self.methods)
        params = {p["name"]: self.value(p["schema"], p["name"], 0) for p in method["params"]
                  if p.get("required") or self.chance.random() < 0.2}
        for left_out in ("cursor", "stream"):  # one is made by the server, the other needs a WebSocket
            params.pop(left_out, None)
        for moment in ("as_of", "as_of_a", "as_of_b", "min_tx"):
            if moment in params:
                params[moment] = self.chance.choice((0, 1, self.head // 2, self.head))  # one to come is waited for
        if method["name"] == "query":
            params |= {"cypher": self.chance.choice(QUERIES), "params": {"ref": self.chance.choice(self.refs)}}
        if "timeout_ms" in params:
            params["timeout_ms"] = 2_000
        return request(method["name"], number, **params)

    def value(self, schema, name, depth):
        if "$ref" in schema:
            of = schema["$ref"].rsplit("/", 1)[1]
            return self.chance.choice(self.refs) if of == "Ref" else self.value(self.schemas[of], name, depth + 1)
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return self.value(self.chance.choice(schema[several]), name, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = self.chance.choice(kind)
        return getattr(self, "a_" + kind)(schema, name, depth)

    def a_null(self, schema, name, depth):
        return None

    def a_boolean(self, schema, name, depth):
        return self.chance.random() < 0.5

    def a_number(self, schema, name, depth):
        low, high = schema.get("minimum"), schema.get("maximum")
        ends = [each for each in (low, high) if each is not None]
        fitting = [each for each in NUMBERS if (low is None or each >= low) and (high is None or each <= high)]
        return self.chance.choice(ends + fitting)

    def a_integer(self, schema, name, depth):
        return int(min(self.a_number(schema, name, depth), 2**63 - 1))

    def a_string(self, schema, name, depth):
        if schema.get("format") == "date-time":
            return self.chance.choice(("2025-10-20T09:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"))
        ref = self.chance.choice(self.refs)
        if schema.get("format") == "ref":
            return ref
        ids = [each.split(":", 1)[1] for each in self.refs if each.startswith(ID_OF.get(name, "") + ":")]
        if self.chance.random() < 0.8 and ids:
            return self.chance.choice(ids).split("/")[0 if name == "userId" else -1]
        if self.chance.random() < 0.6:
            return ref.split(":", 1)[1]
        text = self.chance.choice(TEXTS)
        return text[:schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")

    def a_array(self, schema, name, depth):
        most = min(schema.get("maxItems", 3), max(schema.get("minItems", 0), 0 if depth > 4 else 3))
        count = self.chance.randint(schema.get("minItems", 0), most)
        return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(count)]

    def a_object(self, schema, name, depth):
        wanted = set(schema.get("required", ()))
        return {key: self.value(each, key, depth + 1) for key, each in schema.get("properties", {}).items()
                if key in wanted or (depth < 4 and self.chance.random() < 0.4)}


class RequestsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = folder.name + "/db"
        self.assertEqual(whence("demo", "--db", self.db).returncode, 0)
        cycle = folder.name + "/cycle.json"
        with open(cycle, "w", encoding="utf-8") as file:
            json.dump({"prefix": {"ex": "http://e.org/"}, "entity": {f"ex:{each}": {} for each in "abc"},
                       "wasDerivedFrom": {f"_:{a}": {"prov:generatedEntity": f"ex:{a}", "prov:usedEntity": f"ex:{b}"}
                                          for a, b in ("ab", "bc", "ca")}}, file)
        self.assertEqual(whence("import", cycle, "--format", "prov-json", "--db", self.db).returncode, 0)
        self.server = Server(self.db)
        self.addCleanup(lambda: self.server.__exit__())
        self.fill()

    def fill(self):
        last = {"id": "cu_loop_0", "version": 1}
        unit = {"$type$": "ContextUnit", "type": "System", "source": "s", "timestamp": TIME}
        self.server.rpc("records.write", {"records": [{**unit, **last}]})
        for number in range(1, LOOP + 1):
            used = {"$type$": "Response", "id": f"resp_loop_{number}", "timestamp": TIME, "agent": "a", "model": "m",
                    "context_units": [{"context_unit_id": last["id"], "weight": 1}]}
            after = {"id": f"cu_loop_{number}", "version": number + 1, "previous_version_id": last["id"],
                     "updated_by_response_id": used["id"]}
            self.server.rpc("records.write", {"records": [used, {**unit, **after}]})
            last = after
        self.server.rpc("records.purge", {"refs": ["Response:resp_loop_7"]})
        self.server.rpc("records.delete", {"refs": ["ProvEntity:http://e.org/b"]})

    def refs(self):
        types = self.server.rpc("rpc.discover")["components"]["schemas"]["RecordType"]["enum"]
        found = [node["ref"] for kind in types for node in self.server.rpc("node.find", {"type": kind, "limit": 40})["nodes"]]
        return [*found, "ContextUnit:cu_loop_0", f"ContextUnit:cu_loop_{LOOP}", f"Response:resp_loop_{LOOP}", "ProvEntity:http://e.org/b",
                "Response:no_such"]

    def send(self, batch):
        body = json.dumps(batch).encode()
        asked = urllib.request.Request(self.server.url + "/rpc", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return json.loads(answer.read(), parse_constant=not_a_number)

    def test_no_valid_request_ends_the_server(self):
        print(f"seed {SEED}")
        requests = Requests(random.Random(SEED), self.server.rpc("rpc.discover"), self.refs(),
                            self.server.rpc("server.info")["tx"])
        counts = {"result": 0, "error": 0}
        for first in range(0, REQUESTS, BATCH):
            batch = [requests.make(number) for number in range(first, min(first + BATCH, REQUESTS))]
            answers = {answer["id"]: answer for answer in self.send(batch)}
            self.assertEqual(len(answers), len(batch), f"seed {SEED}")
            for asked in batch:
                answer = answers[asked["id"]]
                self.assertNotEqual(answer.get("error", {}).get("code"), INTERNAL_ERROR, f"seed {SEED}: {asked}: {answer}")
                counts["error" if "error" in answer else "result"] += 1
        print(f"{REQUESTS} requests of {len(requests.methods)} methods: {counts['result']} results, {counts['error']} refusals")
        self.assertGreater(counts["result"], REQUESTS / 4)
        self.assertEqual(self.server.rpc("node.count", {"type": "ProvAgent"})["tx"], self.server.rpc("server.info")["tx"])


if __name__ == "__main__":
    unittest.main()
