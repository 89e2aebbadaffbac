"""Claim: each read method is a procedure of openCypher with the method's rows, at the query's moment and within its
bounds; what writes, or is not there, is refused by its name.

Method: each read method that `rpc.discover` has is asked both ways of a server with the demo, and the answers are
compared. Shapes of calls, refusals and what tools ask first are tables.
"""
import json
import tempfile
import unittest

from support.naive_rag import axis, chunk_record
from support.program import RpcError, Server, whence

RESPONSE, UNIT = "Response:resp_20251011_00126", "ContextUnit:cu_values_yaml_002"
TOPIC, REQUEST = "family-planning-2025", "req_20251014_0a1b2c"
DISCUSSION = {"userId": "safety", "discussionId": "eyewear"}
# (method, params): each read method at least once, in the order of the names.
CALLS = [
    ("attachment.get", {"hash": "ed1dd5843f8e2277c7ab4403fbf9995514d7005e23966adb6b8c6fdf407a1e1a"}),
    ("attachment.list", {"topicId": TOPIC}),
    ("attachment.list", {"count_only": True}),
    ("discussion.context", DISCUSSION),
    ("discussion.get", DISCUSSION),
    ("discussion.prompt", DISCUSSION),
    ("discussion.tokens", DISCUSSION),
    ("feedback.list", {"ref": "Response:resp_20251010_00124"}),
    ("history.get", {"ref": UNIT}),
    ("impact.analyze", {"refs": [UNIT], "dominators": True}),
    ("impact.blame", {"score_below": 0.5}),
    ("impact.replay_plan", {"refs": [UNIT]}),
    ("impact.without", {"refs": [UNIT], "sets": True}),
    ("lineage.ancestors", {"ref": RESPONSE, "depth": 1}),
    ("lineage.ancestors", {"ref": RESPONSE, "form": "graph"}),
    ("lineage.descendants", {"ref": UNIT}),
    ("lineage.diff", {"a": RESPONSE, "b": "Response:resp_20251010_00124"}),
    ("lineage.graph", {"ref": UNIT, "up": 1, "down": 1}),
    ("lineage.graph", {"ref": UNIT, "up": 2, "down": 2, "limit": 3}),
    ("lineage.influence", {"ref": RESPONSE}),
    ("lineage.stale", {"ref": RESPONSE}),
    ("lineage.manifest", {"response_id": "resp_20251011_00126"}),
    ("lineage.path", {"from": "ContextUnit:cu_docs_mcp_003", "to": RESPONSE, "kind": "all", "dominators": True}),
    ("node.activity", {"types": ["Response"], "period": "month"}),
    ("node.count", {"type": "ContextUnit"}),
    ("person.find", {"person": "dana"}),
    ("hold.list", {"all": True}),
    ("node.find", {"type": "Response", "where": {"agent": {"prefix": "claude"}}}),
    ("node.get", {"refs": [RESPONSE, UNIT]}),
    ("node.neighbors", {"ref": UNIT, "side": "effects"}),
    ("node.neighbors", {"ref": UNIT, "side": "effects", "group_by": "type"}),
    ("rag.get", {"request_id": REQUEST}),
    ("rag.retrieve", {"vector": axis(0)}),
    ("search", {"text": "values"}),
    ("summary.get", {"topic": TOPIC}),
    ("template.active", {"modelId": "m"}),
    ("template.list", {"modelId": "m"}),
    ("trace", {"ref": "Keyword:529-plan"}),
    ("versions.diff", {"a": UNIT, "b": "ContextUnit:cu_values_yaml_005"}),
    ("versions.list", {"ref": UNIT}),
    ("xml.context", {"topicId": TOPIC}),
]
ABOUT = {"tx", "complete", "reason", "cursor", "counts", "warnings"}


def plain(value):
    """A value of a row as the method has it: nodes are their refs, relations their ends and type."""
    if isinstance(value, dict) and "labels" in value and "ref" in value:
        return value["ref"]
    if isinstance(value, dict) and {"type", "from", "to", "properties"} == set(value):
        return {"type": value["type"], "from": value["from"], "to": value["to"]}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def shown(value):
    """The same of a value of the method's answer."""
    if isinstance(value, dict) and {"from", "to", "type", "tx"} <= set(value):
        return {"type": value["type"], "from": value["from"], "to": value["to"]}
    if isinstance(value, list):
        return [shown(each) for each in value]
    return value


KINDS = {"DateTime": str, "String": str, "Long": int, "Double": (int, float), "Boolean": bool, "Map": dict, "List": list}


def is_of(value, *types):
    """Whether a value is of one of the types that tools are told."""
    for name in types:
        if name.endswith("Array"):
            if isinstance(value, list) and all(is_of(each, name.removesuffix("Array")) for each in value):
                return True
        elif isinstance(value, KINDS[name]):
            return True
    return False


class ProceduresTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        assert whence("demo", "--db", cls.folder.name + "/db").returncode == 0
        cls.server = Server(cls.folder.name + "/db")
        cls.addClassCleanup(cls.server.kill)
        cls.head = cls.server.rpc("server.info")["tx"]
        cls.server.rpc("records.write", {"records": [
            {"$type$": "SystemPromptTemplate", "modelId": "m", "version": 1, "promptText": "You.", "createdAt": 1},
            {"$type$": "Hold", "id": "hold_1", "refs": ["Topic:none"], "reason": "case", "timestamp": "2026-01-01T00:00:00Z"},
            {"$type$": "Document", "document_name": "p.pdf"}, chunk_record("p1", "p.pdf", embedding=axis(0))]})

    def ask(self, cypher, params=None, **more):
        """The rows as objects by column."""
        answer = self.server.rpc("query", {"cypher": cypher, "params": params or {}, **more})
        self.assertTrue(answer["complete"])
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def refused(self, cypher, *parts, params=None, **more):
        with self.assertRaises(RpcError) as caught:
            self.ask(cypher, params, **more)
        message = caught.exception.error["message"]
        for part in parts:
            self.assertIn(part, message)

    def test_every_read_method_is_a_procedure_with_its_rows(self):
        methods = {m["name"] for m in self.server.rpc("rpc.discover")["methods"]
                   if any(p["name"] == "min_tx" for p in m["params"])} - {"query"}
        self.assertLessEqual({method for method, _ in CALLS}, methods)
        listed = {row["name"] for row in self.ask("SHOW PROCEDURES")}
        self.assertEqual({"whence." + method for method in methods}, {name for name in listed if name.startswith("whence.") and not name.startswith("whence.graph.")})
        for method, params in CALLS:
            with self.subTest(method=method, params=params):
                answer = self.server.rpc(method, params)
                rows = self.ask(f"CALL whence.{method}($params)", {"params": params})
                lists = [name for name in answer if isinstance(answer[name], list)]
                if self.is_one_row(method, answer):
                    self.assertEqual(len(rows), 1)
                    self.compare(rows[0], answer)
                    continue
                self.assertTrue(rows)
                items = [(name, item) for name in lists if name not in rows[0] for item in answer[name]]
                items.sort(key=lambda item: [row.get("list", item[0]) for row in rows].index(item[0]))
                self.assertEqual(len(rows), len(items))
                for row, (name, item) in zip(rows, items):
                    self.assertEqual(row.get("list", name), name)
                    if "relation" in row and name == "edges":
                        self.assertEqual(plain(row["relation"]), shown(item))
                    else:
                        self.compare(row, item)
                    self.compare(row, {k: v for k, v in answer.items() if k not in lists or k in row})

    @staticmethod
    def is_one_row(method, answer):
        return method in {"attachment.get", "discussion.context", "discussion.get", "discussion.prompt",
                          "discussion.tokens", "lineage.manifest", "node.activity", "node.count", "rag.get",
                          "summary.get", "template.active", "xml.context"} or "records" not in answer and "count" in answer

    def compare(self, row, item):
        """Each member of `item` is in its column; a node has its own."""
        renamed = {"refs": "nodes", "edges": "relations"}
        for name, value in item.items():
            if name in ABOUT or name.startswith("$"):
                continue
            if name in ("type", "id", "status", "record") and "node" in row and name not in row:
                continue
            column = renamed[name] if renamed.get(name) in row else name
            self.assertIn(column, row)
            self.assertEqual(plain(row[column]), shown(value), name)
        if "ref" in item:
            self.assertEqual(plain(row["node"]), item["ref"])

    def test_arguments_have_three_shapes(self):
        expected = [r["ref"] for r in self.ask("CALL whence.lineage.ancestors({ref: $r, depth: 1})", {"r": RESPONSE})]
        self.assertEqual(len(expected), 2)
        for text in ("CALL whence.lineage.ancestors($ref, {depth: 1})",
                     "CALL whence.lineage.ancestors($ref, $options) YIELD *",
                     "CALL whence.lineage.ancestors",
                     "MATCH (r:Response {ref: $ref}) CALL whence.lineage.ancestors(r, {depth: 1}) YIELD ref RETURN ref",
                     "CALL whence.lineage.ancestors($ref) YIELD node AS n, depth AS d WHERE d = 1 RETURN n.ref AS ref"):
            with self.subTest(text):
                rows = self.ask(text, {"ref": RESPONSE, "options": {"depth": 1}})
                self.assertEqual([r["ref"] for r in rows], expected)
        self.assertEqual(self.ask("MATCH (u:ContextUnit {ref: $u}) CALL whence.impact.analyze(u) YIELD ref RETURN ref", {"u": UNIT}),
                         self.ask("CALL whence.impact.analyze([$u]) YIELD ref RETURN ref", {"u": UNIT}))

    def test_rows_compose_with_patterns(self):
        rows = self.ask("CALL whence.impact.analyze($u) YIELD node, share MATCH (node)<-[:EVALUATES]-(f) "
                        "RETURN node.ref AS ref, count(f) AS ratings ORDER BY ref", {"u": UNIT})
        self.assertEqual(rows, self.ask("MATCH ({ref: $u})-[:INFLUENCES*]->(n) WITH DISTINCT n MATCH (n)<-[:EVALUATES]-(f) "
                                        "RETURN n.ref AS ref, count(f) AS ratings ORDER BY ref", {"u": UNIT}))
        self.assertTrue(rows)
        path = self.ask("CALL whence.lineage.path('cu_docs_mcp_003', $r) YIELD relations, weight "
                        "RETURN reduce(w = 1.0, e IN relations | w * coalesce(e.weight, 1)) AS product, weight", {"r": RESPONSE})
        self.assertEqual(path[0]["product"], path[0]["weight"])

    def test_a_call_sees_the_moment_of_its_query(self):
        count = "CALL whence.node.count('ContextUnit') YIELD count RETURN count"
        heads = [self.ask(f"AT TX {tx} {count}")[0]["count"] for tx in range(self.head + 1)]
        self.assertEqual(heads[0], 0)
        self.assertGreater(heads[-1], heads[1])
        self.assertEqual([self.ask(count, as_of=tx)[0]["count"] for tx in range(self.head + 1)], heads)
        by_option = self.ask("UNWIND range(0, $head) AS tx CALL whence.node.count('ContextUnit', {as_of: tx}) YIELD count "
                             "RETURN count", {"head": self.head})
        self.assertEqual([row["count"] for row in by_option], heads)
        self.assertEqual(self.ask("CALL whence.node.count('ContextUnit', {as_of: '2001-01-01T00:00:00Z'})"), [{"count": 0}])

    def test_a_limit_ends_the_rows(self):
        for text in ("CALL whence.node.find('ContextUnit', {limit: 2})", "CALL whence.node.find('ContextUnit') YIELD ref RETURN ref LIMIT 2"):
            self.assertEqual(len(self.ask(text)), 2)

    def test_paths_are_found_as_they_are_pulled(self):
        layers = 13  # of two units, each made from both of the layer before
        units = [[f"cu_layer_{layer}_{side}" for side in "ab"] for layer in range(layers)]
        self.server.rpc("records.write", {"records": [
            {"$type$": "ContextUnit", "id": unit, "type": "User", "source": "file:x", "timestamp": "2026-01-01T00:00:00Z",
             **({"derived_from": units[layer - 1]} if layer else {})} for layer in range(layers) for unit in units[layer]]})
        call = "CALL whence.lineage.path($a, $b, {kind: 'all'}) YIELD nodes "
        ends = {"a": units[0][0], "b": units[-1][0]}
        self.assertEqual(self.ask(call + "RETURN count(DISTINCT nodes) AS n", ends), [{"n": 2 ** (layers - 2)}])
        self.assertEqual(len(self.ask(call + "RETURN nodes LIMIT 3", ends)), 3)
        self.assertEqual(self.ask("CALL whence.lineage.path($a, $b, {kind: 'all', limit: 5}) YIELD nodes RETURN count(*) AS n", ends), [{"n": 5}])

    def test_refusals_name_what_is_wrong(self):
        cases = [
            ("CALL whence.records.write([])", ("WritingRefused", "'whence.records.write' writes", "column 6")),
            ("CALL whence.rag.answer('x')", ("WritingRefused",)),
            ("CALL whence.rag.retrieve([1.0], {record: true})", ("WritingRefused", "with these params")),
            ("CALL whence.server.info()", ("ProcedureNotFound", "a method of the server")),
            ("CALL whence.query('RETURN 1')", ("ProcedureNotFound",)),
            ("CALL whence.linage.ancestors('x')", ("ProcedureNotFound", "did you mean `whence.lineage.ancestors`", "column 6")),
            ("CALL whence.node.count('Nothing')", ("whence.node.count: ", "/type")),
            ("CALL whence.node.count()", ("InvalidNumberOfArguments", "whence.node.count(type :: STRING")),
            ("CALL whence.node.count(1)", ("InvalidArgumentType",)),
            ("CALL whence.node.count('Response', {wher: {}})", ("did you mean `where`",)),
            ("CALL whence.node.count('Response', {type: 'Topic'})", ("`type` is given twice",)),
            ("CALL whence.lineage.ancestors('cu_none')", ("EntityNotFound", "cu_none")),
            ("CALL whence.lineage.ancestors(null)", ("/ref",)),
            ("CALL whence.node.find('Response', {include: ['record']})", ("`include` is no option",)),
            ("CALL whence.node.find('Response', {limit: 0})", ("`limit` is an integer from 1",)),
            ("CALL whence.node.find('Response', {cursor: 'x'})", ("/cursor",)),
            ("CALL whence.node.count('Response', {as_of: 'now'})", ("`as_of` is",)),
            ("CALL whence.node.count('Response', {as_of: 1000000})", ("newest transaction",)),
            ("CALL whence.node.find('Response') YIELD nod RETURN nod", ("no column 'nod'", "node")),
            ("MATCH p = ()-[r]->() CALL whence.node.get({ref: r}) YIELD ref RETURN ref", ("relation or a path",)),
        ]
        for text, parts in cases:
            with self.subTest(text):
                self.refused(text, *parts)

    def test_a_call_ends_at_the_time_of_its_query(self):
        with self.assertRaises(RpcError) as caught:
            self.ask("UNWIND range(1, 10000) AS i UNWIND range(1, 10000) AS j CALL whence.node.count('Response') YIELD count RETURN sum(count)", timeout_ms=300)
        self.assertIn("Timeout", caught.exception.error["message"])

    def test_a_commits_own_time_includes_it(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/store") as server:
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "first"}]})
            at = server.rpc("history.get", {"ref": "Topic:first"})["events"][0]["at"]
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "second"}]})
            for text in (f"AT TIME datetime('{at}') MATCH (t:Topic) RETURN t.id AS id",
                         f"MATCH (t:Topic) AT TIME datetime('{at}') RETURN t.id AS id",
                         f"CALL whence.node.find('Topic', {{as_of: '{at}'}}) YIELD node RETURN node.id AS id",
                         f"CALL whence.node.find('Topic', {{as_of: datetime('{at}')}}) YIELD node RETURN node.id AS id"):
                with self.subTest(text):
                    self.assertEqual(server.rpc("query", {"cypher": text})["rows"], [["first"]])

    def test_an_element_id_is_the_ref(self):
        self.assertEqual(self.ask("MATCH (n:Response {ref: $ref}) RETURN elementId(n) AS e", {"ref": RESPONSE}), [{"e": RESPONSE}])
        self.assertEqual(self.ask("MATCH (n) WHERE elementId(n) = $e RETURN n.ref AS ref", {"e": RESPONSE}), [{"ref": RESPONSE}])
        self.assertEqual(self.ask("MATCH ()-[r]->() WITH r LIMIT 1 RETURN elementId(r) = toString(id(r)) AS same"), [{"same": True}])
        self.assertEqual(self.ask("RETURN elementId(null) AS e"), [{"e": None}])

    def test_times_of_records_are_temporal_values(self):
        times = {"a": "2025-06-01T10:00:00Z", "b": "2025-06-01T10:00:00.2Z", "c": "2025-06-01T10:00:00.25Z", "d": "2025-06-01T10:00:00.5Z"}
        records = [{"$type$": "Response", "id": f"resp_{name}", "timestamp": time, "agent": "x", "model": "m",
                    "context_units": [{"content": "c", "source": "s", "type": "User", "weight": 1}]} for name, time in times.items()]
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/store") as server:
            server.rpc("records.write", {"records": records})

            def rows(text, params=None):
                return [row[0] for row in server.rpc("query", {"cypher": text, "params": params or {}})["rows"]]

            every = ["resp_a", "resp_b", "resp_c", "resp_d"]
            for text, said in (
                    ("MATCH (r:Response) RETURN r.id ORDER BY r.timestamp", every),
                    ("MATCH (r:Response) RETURN r.id ORDER BY datetime(r.timestamp)", every),
                    ("MATCH (r:Response) WHERE r.timestamp >= '2025-06-01T10:00:00Z' RETURN count(r)", [4]),
                    ("MATCH (r:Response) WHERE '2025-06-01T10:00:00.25Z' > r.timestamp RETURN r.id ORDER BY r.id", every[:2]),
                    ("MATCH (r:Response) WHERE r.timestamp = '2025-06-01T12:00:00.200+02:00' RETURN r.id", ["resp_b"]),
                    ("MATCH (r:Response) WHERE r.timestamp <> $t RETURN r.id ORDER BY r.id", ["resp_b", "resp_c", "resp_d"]),
                    ("MATCH (r:Response) WHERE r.timestamp IN [$t, 'x', '2025-06-01T10:00:00.5000Z'] RETURN r.id ORDER BY r.id", ["resp_a", "resp_d"]),
                    ("MATCH (r:Response {timestamp: $t}) RETURN r.id", ["resp_a"]),
                    ("MATCH (r:Response) WHERE r.timestamp < datetime('2025-06-01T12:00:00.5+02:00') RETURN count(*)", [3]),
                    ("MATCH (r:Response) WHERE r.timestamp >= datetime('2025-06-01T12:00:00.5+02:00') RETURN r.id", ["resp_d"]),
                    ("MATCH (r:Response) RETURN max(r.timestamp)", [times["d"]]),
                    ("MATCH (r:Response) RETURN min(r.timestamp)", [times["a"]]),
                    ("MATCH (r:Response) WITH r ORDER BY r.timestamp DESC LIMIT 1 RETURN r.timestamp.nanosecond", [500_000_000]),
                    ("MATCH (r:Response) RETURN DISTINCT date(r.timestamp)", ["2025-06-01"]),
                    ("MATCH (r:Response) RETURN date(r.timestamp) AS d, count(*)", ["2025-06-01"]),
                    ("MATCH (r:Response) RETURN left(toString(r.timestamp), 7) AS m, count(*)", ["2025-06"]),
                    ("MATCH (r:Response {id: 'resp_a'}) RETURN CASE r.timestamp WHEN '2025-06-01T10:00Z' THEN 'yes' ELSE 'no' END", ["yes"]),
                    ("MATCH (r:Response {id: 'resp_a'}) RETURN properties(r).timestamp = r.timestamp", [True]),
                    ("CALL whence.node.find('Response', {where: {timestamp: {gte: datetime('2025-06-01T12:00+02:00')}}}) YIELD node RETURN count(*)", [4]),
                    ("CALL whence.node.find('Response', {where: {timestamp: {gt: datetime('2025-06-01T12:00+02:00[Europe/Berlin]')}}}) "
                     "YIELD node RETURN count(*)", [3]),
                    ("CALL whence.node.find('Response', {where: {timestamp: {gte: date('2025-06-01')}}}) YIELD node RETURN count(*)", [4]),
                    ("CALL whence.node.find('Response', {where: {timestamp: {gte: localdatetime('2025-06-01T10:00:00.5')}}}) "
                     "YIELD node RETURN count(*)", [1]),
                    ("CALL whence.node.find('Response', {where: {timestamp: {gte: date('2025-06-02')}}}) YIELD node RETURN count(*)", [0]),
                    ("CALL whence.history.get('Response:resp_a') YIELD at RETURN at > datetime('2020-01-01T00:00Z')", [True]),
                    ("CALL whence.node.find('Response', {limit: 2.0}) YIELD node RETURN count(*)", [2]),
                    ("CALL whence.node.count('Response', {as_of: 0.0}) YIELD count RETURN count", [0]),
                    ("MATCH (r:Response) AT TX 1.0 RETURN count(*)", [4]),
                    ("MATCH (r:Response {id: 'resp_a'}) WITH toFloat(id(r)) AS i MATCH (n) WHERE id(n) = i RETURN n.id", ["resp_a"]),
                    ("MATCH (r:Response) RETURN r.id ORDER BY r.id LIMIT $limit", every[:2])):
                with self.subTest(text):
                    self.assertEqual(rows(text, {"t": times["a"], "limit": 2.0}), said)
            found = server.rpc("node.find", {"type": "Response", "order": {"by": "timestamp"}})["nodes"]
            self.assertEqual([node["id"] for node in found], every)

    def test_a_text_that_is_no_time_is_null_beside_one_and_said(self):
        for text, line in (("MATCH (r:Response) WHERE r.timestamp > 'soon' RETURN r", "'soon'"),
                           ("MATCH (r:Response {timestamp: 'soon'}) RETURN r", "'soon'"),
                           ("MATCH (r:Response) WHERE r.timestamp IN ['soon'] RETURN r", "'soon'"),
                           ("MATCH (r:Response) WHERE r.timestamp > 1760000000000 RETURN r", "epochMillis"),
                           ("MATCH (r:Response) WHERE r.timestamp > date('2025-06-01') RETURN r", "a Date; datetime()"),
                           ("MATCH (r:Response) WHERE localdatetime('2025-06-01T10:00') < r.timestamp RETURN r", "DateTime; datetime()"),
                           ("MATCH (r:Response) WHERE r.timestamp STARTS WITH '2025' RETURN r", "toString()")):
            with self.subTest(text):
                answer = self.server.rpc("query", {"cypher": text})
                self.assertEqual(answer["rows"], [])
                self.assertEqual([each["rule"] for each in answer["warnings"]], ["not_comparable"])
                self.assertIn(line, answer["warnings"][0]["message"])
        self.assertNotIn("warnings", self.server.rpc("query", {"cypher": "MATCH (r:Response) WHERE r.timestamp > '2025' RETURN r"}))

    def test_a_range_is_no_list_where_it_is_gone_through(self):
        for text, said in (("UNWIND range(1, 9223372036854775807) AS i RETURN i LIMIT 2", [1, 2]),
                           ("UNWIND range(9223372036854775806, 9223372036854775807) AS i RETURN i", [9223372036854775806, 9223372036854775807]),
                           ("UNWIND range(-9223372036854775807 - 1, 9223372036854775807, 9223372036854775807) AS i RETURN i + 1", [-9223372036854775807, 0, 9223372036854775807]),
                           ("UNWIND range(5, 1, -2) AS i RETURN i", [5, 3, 1]),
                           ("UNWIND range(1, 0) AS i RETURN i", []),
                           ("RETURN size([i IN range(1, 100000) WHERE i % 2 = 0])", [50000]),
                           ("RETURN reduce(s = 0, i IN range(1, 100000) | s + i)", [5000050000]),
                           ("RETURN all(i IN range(1, 100000) WHERE i > 0)", [True]),
                           ("RETURN any(i IN range(1, 9223372036854775807) WHERE i = 3)", [True]),
                           ("RETURN none(i IN range(1, 9223372036854775807) WHERE i = 3)", [False]),
                           ("RETURN all(i IN range(1, 9223372036854775807) WHERE i < 3)", [False]),
                           ("RETURN single(i IN range(1, 9223372036854775807) WHERE i > 3)", [False])):
            with self.subTest(text):
                self.assertEqual([row[0] for row in self.server.rpc("query", {"cypher": text})["rows"]], said)
        self.refused("RETURN size(range(1, 1000000000))", "at most 10000000")

    def test_ranks_and_components_are_those_of_the_influence(self):
        for at in ("", "AT TX 3 "):
            nodes = [row["ref"] for row in self.ask(at + "MATCH (n) RETURN n.ref AS ref")]
            edges = [(row["a"], row["b"]) for row in self.ask(at + "MATCH (a)-[:INFLUENCES]->(b) RETURN a.ref AS a, b.ref AS b")]
            for direction, pairs in (("effects", edges), ("causes", [(b, a) for a, b in edges])):
                out = {node: [b for a, b in pairs if a == node] for node in nodes}
                rank = dict.fromkeys(nodes, 1 / len(nodes))
                for _ in range(20):
                    following = dict.fromkeys(nodes, 0.15)
                    for node in nodes:
                        for other in out[node]:
                            following[other] += 0.85 * rank[node] / len(out[node])
                    rank = following
                rows = self.ask(at + f"CALL whence.graph.pagerank('{direction}') YIELD node, rank RETURN node.ref AS ref, rank")
                self.assertEqual({row["ref"] for row in rows}, set(nodes))
                self.assertEqual([row["rank"] for row in rows], sorted((row["rank"] for row in rows), reverse=True))
                for row in rows:
                    self.assertAlmostEqual(row["rank"], rank[row["ref"]] / sum(rank.values()), 12)
            known = {node: {node} for node in nodes}
            for a, b in edges:
                if known[a] is not known[b]:
                    known[a] |= known[b]
                    for each in known[b]:
                        known[each] = known[a]
            rows = self.ask(at + "CALL whence.graph.components() YIELD node, component, size RETURN node.ref AS ref, component, size")
            self.assertEqual({row["ref"]: row["size"] for row in rows}, {node: len(known[node]) for node in nodes})
            self.assertEqual({frozenset(r["ref"] for r in rows if r["component"] == row["component"]) for row in rows},
                             {frozenset(each) for each in known.values()})
            self.assertEqual([row["size"] for row in rows], sorted((row["size"] for row in rows), reverse=True))
        self.assertEqual(self.ask("CALL whence.graph.pagerank() YIELD rank RETURN count(*) AS n")[0]["n"],
                         self.ask("MATCH (n) RETURN count(*) AS n")[0]["n"])
        self.refused("CALL whence.graph.pagerank('both')", "'effects' or 'causes'")
        self.refused("CALL whence.graph.pagernk()", "did you mean `whence.graph.pagerank`")

    def test_what_tools_ask_first(self):
        labels = [row["label"] for row in self.ask("CALL db.labels()")]
        self.assertEqual(labels, sorted({label for row in self.ask("MATCH (n) RETURN DISTINCT labels(n) AS l") for label in row["l"]}))
        types = {row["relationshipType"] for row in self.ask("CALL db.relationshipTypes()")}
        self.assertEqual(types, {row["t"] for row in self.ask("MATCH ()-[r]->() RETURN DISTINCT type(r) AS t")} | {"INFLUENCES"})
        keys = {row["propertyKey"] for row in self.ask("CALL db.propertyKeys()")}
        used = {key for row in self.ask("MATCH (n) RETURN DISTINCT keys(n) AS k") for key in row["k"]}
        self.assertLessEqual(used, keys)
        self.assertEqual(self.ask("AT TX 0 CALL db.labels() YIELD label RETURN label"), [])
        version = whence("--version").stdout.split()[-1]
        self.assertEqual(self.ask("CALL dbms.components()"), [{"name": "Whence", "versions": [version], "edition": "community"}])
        listed = self.ask("SHOW PROCEDURES")
        self.assertEqual(list(listed[0]), ["name", "description", "mode", "worksOnSystem"])
        self.assertEqual(listed, self.ask("CALL dbms.procedures() YIELD name, description, mode, worksOnSystem"))
        self.assertEqual([each for each in listed if not each["description"]], [])
        self.assertEqual(self.ask("SHOW PROCEDURES EXECUTABLE BY CURRENT USER YIELD name RETURN count(*) AS n"), [{"n": len(listed)}])
        names = [row["name"] for row in listed]
        self.assertEqual(names, sorted(names))
        self.assertLessEqual({"whence." + method for method, _ in CALLS} | {"db.labels", "dbms.procedures"}, set(names))
        self.assertEqual(self.ask("SHOW PROCEDURES YIELD name, signature WHERE name = 'whence.node.count' RETURN signature")[0]["signature"],
                         "whence.node.count(type :: STRING, options = {} :: MAP) :: (count :: INTEGER)")

    def test_tools_learn_the_properties_of_nodes(self):
        rows = self.ask("CALL db.schema.nodeTypeProperties()")
        types = {}
        for row in rows:
            self.assertEqual(row["nodeType"], "".join(f":`{label}`" for label in row["nodeLabels"]))
            self.assertEqual(row["nodeLabels"], sorted(row["nodeLabels"]))
            [name] = set(row["nodeLabels"]) - {"Node"}
            types.setdefault(name, {})[row["propertyName"]] = row
        self.assertEqual(set(types) | {"Node"}, {row["label"] for row in self.ask("CALL db.labels()")})
        nodes = self.ask("MATCH (n) RETURN labels(n)[0] AS type, properties(n) AS p")
        for node in nodes:
            told = types[node["type"]]
            for name, value in node["p"].items():
                with self.subTest(type=node["type"], property=name):
                    self.assertTrue(any(is_of(value, each) for each in told[name]["propertyTypes"]), (told[name], value))
            with self.subTest(type=node["type"]):
                self.assertLessEqual({name for name, row in told.items() if row["mandatory"]}, set(node["p"]))
        self.assertEqual(types["Response"]["agent"]["propertyTypes"], ["String"])
        self.assertEqual(types["Response"]["given_weights"]["propertyTypes"], ["DoubleArray"])
        self.assertFalse(types["Response"]["prompt"]["mandatory"])
        self.assertEqual(self.ask("AT TX 0 CALL db.schema.nodeTypeProperties() YIELD nodeType RETURN nodeType"), [])

    def test_tools_learn_the_properties_of_relations(self):
        types = {}
        for row in self.ask("CALL db.schema.relTypeProperties()"):
            types.setdefault(row["relType"], {})[row["propertyName"]] = row
        names = {row["relationshipType"] for row in self.ask("CALL db.relationshipTypes()")}
        self.assertEqual(set(types), {f":`{name}`" for name in names})
        for pattern in ("[r]", "[r:INFLUENCES]"):
            for row in self.ask(f"MATCH ()-{pattern}->() RETURN type(r) AS type, properties(r) AS p"):
                told = types[f":`{row['type']}`"]
                with self.subTest(row):
                    self.assertLessEqual({name for name, each in told.items() if each["mandatory"]}, set(row["p"]))
                    for name, value in row["p"].items():
                        self.assertTrue(is_of(value, *told[name]["propertyTypes"]), name)
        self.assertIn("weight", types[":`USED_IN`"])
        ranks = self.ask("MATCH (:RetrievedChunk)-[r:INCLUDED_IN]->() RETURN r.rank AS rank")
        self.assertTrue(ranks and all(isinstance(row["rank"], int) for row in ranks), ranks)

    def test_tools_draw_the_schema(self):
        # The schema is small: each of its relations is one that there is, and each that there is is one of it.
        [picture] = self.ask("CALL db.schema.visualization()")
        names = {node["ref"]: node["properties"]["name"] for node in picture["nodes"]}
        self.assertEqual(sorted(names.values()), sorted({row["t"] for row in self.ask("MATCH (n) RETURN labels(n)[0] AS t")}))
        drawn = [(names[each["from"]], each["type"], names[each["to"]]) for each in picture["relationships"]]
        there = self.ask("MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0] AS a, type(r) AS t, labels(b)[0] AS b")
        self.assertEqual(sorted(drawn), sorted((row["a"], row["t"], row["b"]) for row in there))
        # Its nodes are of no store: nothing is found from them, whatever is asked of them.
        unwound = "CALL db.schema.visualization() YIELD nodes, relationships UNWIND nodes AS n UNWIND relationships AS r "
        self.assertEqual(self.ask(unwound + "WITH n, r WHERE n:Response RETURN DISTINCT labels(n) AS l"), [{"l": ["Response"]}])
        for match in ("MATCH (n)-->(m)", "MATCH (n:Response)", "MATCH (n)-[:INFLUENCES*]->(m)", "MATCH ()-[r]->()", "MATCH (n {id: 'x'})",
                      "MATCH p = shortestPath((n)-[*]->(m:Response))", "MATCH ()-[r {tx: 1}]->()", "MATCH (n)-[r]-(m)"):
            with self.subTest(match):
                self.assertEqual(self.ask(unwound + match + " RETURN count(*) AS c"), [{"c": 0}])
        self.refused(unwound + "CALL whence.lineage.ancestors(n) YIELD ref RETURN ref", "a node of no record")
        self.assertTrue(self.ask(unwound + "RETURN startNode(r).name AS name, toString(n.name) AS n, id(r) AS i LIMIT 3"))

    def test_tools_learn_indexes_constraints_and_functions(self):
        types = {row["label"] for row in self.ask("CALL db.labels()")}
        indexes, constraints = self.ask("SHOW INDEXES"), self.ask("SHOW CONSTRAINTS")
        self.assertEqual(indexes, self.ask("CALL db.indexes()"))
        self.assertEqual(constraints, self.ask("CALL db.constraints()"))
        self.assertEqual({(row["labelsOrTypes"][0], row["properties"][0]) for row in indexes},
                         {(each, "ref" if each == "Node" else "id") for each in types})
        self.assertEqual([row["owningConstraint"] for row in indexes], [row["name"] for row in constraints])
        self.assertEqual(len({row["id"] for row in indexes + constraints}), len(indexes) + len(constraints))
        for row in indexes:  # each is one that the planner uses
            plan = self.server.rpc("query", {"cypher": f"EXPLAIN MATCH (n:{row['labelsOrTypes'][0]} {{{row['properties'][0]}: 'x'}}) RETURN n"})["plan"]
            self.assertIn("NodeIndexSeek", plan)
        shown = self.ask("SHOW FUNCTIONS")
        self.assertEqual(list(shown[0]), ["name", "category", "description"])
        self.assertEqual([each for each in shown if not each["description"]], [])
        functions = self.ask("SHOW FUNCTIONS YIELD name, category, description, signature, isBuiltIn, argumentDescription, returnDescription, "
                             "aggregating, rolesExecution, rolesBoostedExecution, isDeprecated, deprecatedBy")
        signature = {row["name"]: row["signature"] for row in functions}
        self.assertEqual(signature["replace"], "replace(input1 :: STRING, input2 :: ANY, input3 :: ANY) :: STRING")
        self.assertEqual(self.ask("SHOW BUILT IN FUNCTIONS WHERE name = 'collect'")[0]["category"], "Aggregating")
        self.assertEqual(self.ask("SHOW ALL INDEXES WHERE 'Node' IN labelsOrTypes")[0]["name"], "ref_of_Node")
        self.refused("SHOW TABLES", "line 1, column 6", "PROCEDURES")
        self.assertEqual(self.ask("AT TX 0 CALL db.indexes() YIELD name RETURN name"), [])

    def test_explain_shows_the_call(self):
        answer = self.server.rpc("query", {"cypher": "EXPLAIN CALL whence.node.count('Response')"})
        self.assertIn("ProcedureCall whence.node.count  estimate 1", answer["plan"])

    def test_the_program_asks_the_same(self):
        asked = whence("query", "CALL whence.node.count('Response') YIELD count RETURN count", "--json", "--url", self.server.url)
        self.assertEqual((asked.stderr, asked.returncode), ("", 0))
        self.assertIn(str(self.server.rpc("node.count", {"type": "Response"})["count"]), json.dumps(asked.stdout))


if __name__ == "__main__":
    unittest.main()
