"""Claim: the PROV exports hold the statements that the table of the mapping gives for every node and edge, no more and no
less, and both forms agree. Method: PROV-JSON is read by the package `prov` and turned back into nodes and edges; PROV-N is
parsed by its grammar and held against the statements of PROV-JSON.
"""
import hashlib
import json
import unittest
from collections import Counter
from datetime import datetime, timezone

from export_case import ExportCase, for_each_store, store
from forms import counted, frozen
from prov_reader import escaped, prov_json_by_prov, qualified, statements_of_json, statements_of_provn
from truth import label_of, node_type

EDGE_MEMBERS = ("tx", "basis", "role", "weight", "confidence", "rank", "page_number", "section", "excerpt", "timestamp", "similarity", "score",
                "version")
REVISIONS = ("DERIVED_FROM", "REVISION_OF")


def collection(edge):
    """PART_OF is a membership, but of a chunk in its document."""
    return edge["type"] == "PART_OF" and not edge["from"].startswith("RetrievedChunk:")


def edges_of(graph):
    made = []
    for edge in graph.edges:
        attributes = {m: edge[m] for m in EDGE_MEMBERS if m in edge}
        if edge["type"] in REVISIONS and "version" in edge:
            attributes["prov:type"] = "prov:Revision"
        if edge["type"] == "CITES":
            attributes["prov:type"] = "prov:Quotation"
        made.append((edge["from"], edge["to"], {"type": "PART_OF"} if collection(edge) else {"type": edge["type"], **attributes}))
    return made


def plain(value):
    """Values of the package `prov` as those of JSON; times as texts."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat()
    return value if isinstance(value, (str, int, float)) else str(value)


def as_datetime(text):
    """A time as the package keeps it: without what a microsecond cannot hold."""
    head, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{head}.{fraction[:6]:0<6}+00:00")


# Members that name other nodes.
REFERENCES = {"context_units", "query_attachment", "prompt_template", "prompt_refs", "previous_version_id", "updated_by_response_id",
              "derived_from", "retrieved_chunks", "citations", "subjects", "sourceXmlHash", "previousVersion"}


class ProvJsonTest(ExportCase):
    def check(self, graph, path):
        read = prov_json_by_prov(path)
        self.check_entities(read, graph)
        edges = [(a, b, {m: plain(as_datetime(v)) if m == "timestamp" else v for m, v in attributes.items()})
                 for a, b, attributes in edges_of(graph)]
        got = [(a, b, {m: plain(v) for m, v in attributes.items()}) for a, b, attributes in read.edges]
        for _, _, attributes in got:
            if isinstance(attributes.get("timestamp"), str):  # a text, or a typed time
                attributes["timestamp"] = plain(as_datetime(attributes["timestamp"].replace("+00:00", "")))
        self.assert_equal_items(counted(got), counted(edges), "edges")
        self.check_responses(read, [n.record for n in graph.nodes.values() if n.ref.startswith("Response:")])
        self.check_people(read, [n.record for n in graph.nodes.values() if n.ref.startswith(("FeedbackRecord:", "Decision:"))])

    def check_entities(self, read, graph):
        self.assertEqual(set(read.nodes), set(graph.nodes))
        for ref, node in graph.nodes.items():
            got = {m: plain(v) for m, v in read.nodes[ref].items() if m != "whence:status" or node_type(ref) == "ContextUnit"}
            want = {"prov:type": f"whence:{node_type(ref)}", "prov:label": label_of(ref, node.record), "whence:tx": node.tx,
                    "whence:record": json.dumps(node.record)}
            if node_type(ref) == "ContextUnit":
                want["whence:status"] = node.status
            if "xmlBlob" in node.record:  # its long text, which the record names by its hash only
                self.assertEqual("sha256://" + hashlib.sha256(got.pop("whence:xml").encode()).hexdigest(), node.record["xmlBlob"])
            if "whence:score" in got:  # of what made something that was rated
                self.assertIn(node_type(ref), ("ContextUnit", "RetrievedChunk", "Document"))
                self.assertTrue(-1 <= got.pop("whence:score") <= 1, ref)
            got.pop("whence:deleted", None)
            if got.pop("whence:left_out", 0):  # all but what it says of deleted nodes
                said = json.loads(got["whence:record"])
                lost = {m for m in node.record if said.get(m) != node.record[m]}
                self.assertLessEqual(lost, REFERENCES, ref)
                self.assertTrue(lost, ref)
                self.assertLessEqual(said.keys(), node.record.keys(), ref)
                want["whence:record"] = got["whence:record"]
            self.assert_equal_items({m: frozen(v) for m, v in got.items()}, {m: frozen(v) for m, v in want.items()}, ref)

    def check_responses(self, read, responses):
        self.assertEqual(sorted(read.activities), sorted("gen:" + r["id"] for r in responses))
        for record in responses:
            (start, end), extra = read.activities["gen:" + record["id"]]
            self.assertEqual((start, end, extra), (None, as_datetime(record["timestamp"]), {}))
        self.assertEqual(sorted((entity, activity, plain(at), extra) for entity, activity, at, extra in read.generated),
                         sorted(("Response:" + r["id"], "gen:" + r["id"], plain(as_datetime(r["timestamp"])), {})
                                for r in responses))
        self.assertEqual(sorted((a, b, m["whence:model"]) for a, b, m in read.associated),
                         sorted(("gen:" + r["id"], "agent:" + r["agent"], r["model"]) for r in responses))
        self.check_agents(read, "agent:", "prov:SoftwareAgent", {r["agent"] for r in responses})

    def check_people(self, read, records):
        """Who rated, and who decided."""
        by = [(r["$type$"] + ":" + r["id"], r.get("user_id", r.get("by"))) for r in records if "user_id" in r or "by" in r]
        self.assertEqual(sorted(read.attributed), sorted((ref, "user:" + user, {}) for ref, user in by))
        self.check_agents(read, "user:", "prov:Person", {user for _, user in by})

    def check_agents(self, read, prefix, kind, names):
        got = {n: {m: plain(v) for m, v in a.items()} for n, a in read.agents.items() if n.startswith(prefix)}
        self.assertEqual(set(got), {prefix + name for name in names})
        for name, attributes in got.items():
            self.assertEqual(attributes["prov:type"], kind)
            self.assertIn(attributes.get("prov:label", name.removeprefix(prefix)), (name.removeprefix(prefix),))

    @for_each_store
    def test_the_whole_graph(self, store):
        self.check(store.graph, store.export("prov-json"))

    @for_each_store
    def test_as_of_earlier_moments(self, store):
        for tx in store.moments[:-1]:
            with self.subTest(tx=tx):
                self.check(store.graph_at(tx), store.export("prov-json", "--as-of", tx))

    @for_each_store
    def test_names_are_refs_and_prefixes_those_in_use(self, store):
        document = json.loads(store.export("prov-json").read_text(encoding="utf-8"))
        self.assertEqual(list(document["entity"]), [qualified(ref) for ref in store.graph.nodes])
        kinds = {node_type(ref): f"urn:whence:{node_type(ref)}:" for ref in store.graph.nodes}
        fixed = {"whence": "urn:whence:ns#", "gen": "urn:whence:generation:", "agent": "urn:whence:agent:",
                 "user": "urn:whence:user:"}
        self.assertEqual({p: i for p, i in document["prefix"].items() if p != "user"},
                         {p: i for p, i in {**kinds, **fixed}.items() if p != "user"})
        self.assertEqual(document["prefix"].get("user", fixed["user"]), fixed["user"])
        relations = [(kind, name) for kind in document if kind not in ("prefix", "entity", "activity", "agent")
                     for name in document[kind]]
        self.assertEqual(sorted(name for _, name in relations), sorted(f"_:{i}" for i in range(1, len(relations) + 1)))

    def test_local_parts(self):
        for local, want in (("t/a+b", "t/a%2Bb"), ("a=b'c:d.", "a%3Db%27c%3Ad%2E"), ("-é/", "%2D%C3%A9%2F"),
                            ("a-b.c/d", "a-b.c/d")):
            self.assertEqual(escaped(local), want)

    @for_each_store
    def test_typed_values(self, store):
        """Numbers are texts with a type, whole ones `xsd:long`; strings are unchanged."""
        document = json.loads(store.export("prov-json").read_text(encoding="utf-8"))
        longs = {"whence:tx", "whence:left_out", "whence:version", "whence:rank", "whence:page_number"}
        doubles = {"whence:weight", "whence:score", "whence:confidence", "whence:similarity"}
        for kind in document.keys() - {"prefix"}:
            for name, record in document[kind].items():
                for member, value in record.items():
                    if member in longs | doubles:
                        self.assertEqual(value["type"], "xsd:long" if member in longs else "xsd:double", (kind, name, member))
                        self.assertIsInstance(value["$"], str, (kind, name, member))
                    elif member == "prov:type":
                        self.assertEqual(value["type"], "prov:QUALIFIED_NAME", (kind, name))
                    elif member != "whence:timestamp":
                        self.assertIsInstance(value, str, (kind, name, member))


def provn_names(read):
    """With the prefix of agents as PROV-N has it, where `agent` is a word of the grammar."""
    def named(name):
        return "agent_ns:" + name.removeprefix("agent:") if name.startswith("agent:") else name

    prefixes, statements = read
    renamed = Counter()
    for (kind, arguments, attributes), count in statements.items():
        renamed[(kind, tuple(map(named, arguments)), attributes)] += count
    return {named(prefix + ":").removesuffix(":"): iri for prefix, iri in prefixes.items()}, renamed


class ProvNTest(ExportCase):
    @for_each_store
    def test_both_forms_say_the_same(self, store):
        prefixes, want = provn_names(statements_of_json(store.export("prov-json")))
        got_prefixes, got = statements_of_provn(store.export("prov-n"))
        self.assertEqual(got_prefixes, prefixes)
        self.assert_equal_items(got, want, "statements")

    def test_as_of_an_earlier_moment(self):
        for name in ("worked", "rich"):
            for tx in store(name).moments:
                with self.subTest(data=name, tx=tx):
                    self.assertEqual(statements_of_provn(store(name).export("prov-n", "--as-of", tx)),
                                     provn_names(statements_of_json(store(name).export("prov-json", "--as-of", tx))))


if __name__ == "__main__":
    unittest.main()
