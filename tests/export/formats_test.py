"""Claim: whatever the data, each graph format opens in the tools it is for, and holds there every node and edge with
its id, type and attributes, and nothing else.

Method: each history of `data` is exported, whole, now and as of earlier moments, and read back by networkx, igraph,
pandas, Graphviz and Python's own parsers; what they show is held against `truth`.
"""
import json
import math
import unittest

import graph_readers as readers
import graphml_rules
from dot_reader import dot_by_gvpr
from export_case import ExportCase, for_each_store, manifest_of, new_path, store
from forms import (counted, csv_edge, csv_node, edge_attributes, frozen, typed_all, xml_id, xml_text)


class FormatCase(ExportCase):
    """`check(store, graph, path)` of a format, for every data set and moment."""
    format = None

    def check(self, graph, path):
        raise NotImplementedError

    @for_each_store
    def test_the_whole_graph(self, store):
        self.check(store.graph, store.export(self.format))

    @for_each_store
    def test_as_of_earlier_moments(self, store):
        for tx in store.moments[:-1]:
            with self.subTest(tx=tx):
                self.check(store.graph_at(tx), store.export(self.format, "--as-of", tx))

    def check_nodes(self, got, want, what="nodes"):
        """By id; in the same order; values that hold JSON by what they say."""
        self.check_order(got, want, what)
        self.assert_equal_items({i: frozen(a) for i, a in got.items()}, {i: frozen(a) for i, a in want.items()}, what)
        self.assertEqual({i: {k: type(v) for k, v in a.items()} for i, a in got.items()},
                         {i: {k: type(v) for k, v in a.items()} for i, a in want.items()}, f"{what}: types")

    def check_order(self, got, want, what):
        if set(got) == set(want):
            wrong = [(i, a, b) for i, (a, b) in enumerate(zip(got, want)) if a != b][:3]
            self.assertEqual(wrong, [], f"{what}: order (place, got, want)")

    def check_edges(self, got, want, what="edges"):
        self.assertEqual(len(got), len(want), what)
        self.assert_equal_items(counted(got), counted(want), what)


def without_empty(attributes):
    return {k: v for k, v in attributes.items() if v != ""}


def xml_nodes(graph):
    return {xml_id(ref): typed_all(node.attributes(), xml_text) for ref, node in graph.nodes.items()}


def xml_edges(graph):
    return [(xml_id(e["from"]), xml_id(e["to"]), typed_all(edge_attributes(e), xml_text)) for e in graph.edges]


class GraphmlTest(FormatCase):
    """Its ids are tokens of XML in the order of export; the ref is an attribute."""
    format = "graphml"

    def check(self, graph, path):
        self.assertEqual(graphml_rules.faults(path)[:3], [], "against the schema")
        ids = {xml_id(ref): f"n{i}" for i, ref in enumerate(graph.nodes)}
        nodes = {ids[ref]: {name.replace("$", ""): value for name, value in attributes.items()}
                 for ref, attributes in xml_nodes(graph).items()}
        edges = [(ids[a], ids[b], attributes) for a, b, attributes in xml_edges(graph)]
        self.check_elements(readers.graphml_by_elements(path), nodes, edges)
        self.check_networkx(readers.graphml_by_networkx(path), nodes, edges)
        self.check_igraph(readers.graphml_by_igraph(path), nodes, edges)

    def check_elements(self, read, nodes, edges):
        self.check_nodes(read.nodes, nodes, "elements")
        self.assertEqual([(a, b, frozen(m)) for a, b, m in read.edges],
                         [(a, b, frozen({"id": f"e{i}", **m})) for i, (a, b, m) in enumerate(edges)], "edges in order")

    def check_networkx(self, read, nodes, edges):
        self.check_nodes(read.nodes, {i: without_empty(a) for i, a in nodes.items()}, "networkx")
        self.check_edges([(a, b, {k: v for k, v in m.items() if k != "id"}) for a, b, m in read.edges],
                         [(a, b, without_empty(m)) for a, b, m in edges], "networkx edges")

    def check_igraph(self, read, nodes, edges):
        def plain(attributes):
            """Without what igraph fills in, numbers as it has them."""
            return {k: float(v) if isinstance(v, int) and not isinstance(v, bool) else v for k, v in attributes.items()
                    if v not in ("", None, False) and not (isinstance(v, float) and math.isnan(v))}
        self.check_nodes({i: plain(a) for i, a in read.nodes.items()}, {i: plain(a) for i, a in nodes.items()}, "igraph")
        self.check_edges([(a, b, plain({k: v for k, v in m.items() if k != "id"})) for a, b, m in read.edges],
                         [(a, b, plain(m)) for a, b, m in edges], "igraph edges")


    def test_the_rules_of_the_schema_refuse_what_breaks_them(self):
        text = store("worked").export(self.format).read_text(encoding="utf-8")
        for old, new in (('<node id="n0">', '<node id="a b">'), ('<node id="n1">', '<node id="n0">'), (' edgedefault="directed"', ""),
                         ('target="n1"', 'target="n9"'), ('<data key="k0">', '<data key="k99">'), ("</graph>", "text</graph>"),
                         ('attr.type="long"', 'attr.type="number"'), ('<key id="k0"', '<key ref="k0" id="k0"'),
                         ("</graphml>", '<key id="k77"/></graphml>')):
            with self.subTest(old):
                self.assertIn(old, text)
                path = new_path(".graphml")
                path.write_text(text.replace(old, new, 1), encoding="utf-8")
                self.assertTrue(graphml_rules.faults(path))


def json_nodes(graph):
    return {ref: node.attributes() for ref, node in graph.nodes.items()}


def json_edges(graph):
    return [(e["from"], e["to"], edge_attributes(e)) for e in graph.edges]


class JsonCase(FormatCase):
    def check_nodes(self, got, want, what="nodes"):
        """1 and 1.0 are one number in JSON."""
        self.check_order(got, want, what)
        self.assert_equal_items({i: frozen(a) for i, a in got.items()}, {i: frozen(a) for i, a in want.items()}, what)


class NodeLinkTest(JsonCase):
    format = "node-link"

    def check(self, graph, path):
        read = readers.node_link_by_networkx(path)
        self.check_nodes(read.nodes, json_nodes(graph))
        self.check_edges(read.edges, json_edges(graph))
        self.check_text(graph, json.loads(path.read_text(encoding="utf-8")))

    def check_text(self, graph, document):
        self.assertEqual(list(document), ["directed", "multigraph", "graph", "nodes", "edges"])
        self.assertEqual((document["directed"], document["multigraph"], document["graph"]), (True, True, {"tx": graph.tx}))
        self.assertEqual([list(n) for n in document["nodes"]], [["id", *n.attributes()] for n in graph.nodes.values()])
        self.assertEqual([(e["source"], e["target"], e["key"], e["tx"]) for e in document["edges"]],
                         [(e["from"], e["to"], e["type"], e["tx"]) for e in graph.edges])


class CytoscapeTest(JsonCase):
    format = "cytoscape"

    def check(self, graph, path):
        read = readers.cytoscape_by_networkx(path)
        nodes = {ref: {"id": ref, "value": ref, **a, "name": a["label"]} for ref, a in json_nodes(graph).items()}
        self.check_nodes(read.nodes, nodes)
        self.check_edges(read.edges, [(a, b, {"source": a, "target": b, "key": m["type"], **m}) for a, b, m in json_edges(graph)])
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual({k: v for k, v in document.items() if k != "elements"},
                         {"data": [], "directed": True, "multigraph": True})
        self.assertEqual([(e["data"]["source"], e["data"]["target"], e["data"]["key"]) for e in document["elements"]["edges"]],
                         [(e["from"], e["to"], e["type"]) for e in graph.edges])


class DotTest(FormatCase):
    format = "dot"

    def check(self, graph, path):
        def text(value):
            return value.replace("\0", "\ufffd")
        read = dot_by_gvpr(path)
        nodes = {ref: {"label": text(n.attributes()["label"]), "type": n.attributes()["type"], "status": n.status or "",
                       "weight": ""}
                 for ref, n in graph.nodes.items()}
        self.check_nodes(read.nodes, nodes)
        edges = [(e["from"], e["to"], {"label": e["type"], "type": e["type"], "status": "", "weight": e.get("weight", "")})
                 for e in graph.edges]
        number = [(a, b, {**m, "weight": float(m["weight"]) if m["weight"] else ""}) for a, b, m in read.edges]
        self.check_edges(number, edges)


def rows(table):
    """Rows that can be compared: columns that hold JSON by what they say."""
    return [tuple(map(frozen, row)) for row in table]


def as_pandas_has_it(text):
    """pandas ends a text at U+0000, which CSV writes as it is."""
    return text.split("\0")[0]


class CsvTest(FormatCase):
    format = "csv"
    NODES = ["ref", "type", "id", "tx", "status", "gone", "time", "label", "record"]
    EDGES = ["from", "to", "type", "tx", "weight", "attributes"]

    def check(self, graph, path):
        nodes, edges = [csv_node(n) for n in graph.nodes.values()], [csv_edge(e) for e in graph.edges]
        self.check_rows(readers.rows_by_csv(path / "nodes.csv"), [self.NODES] + nodes)
        self.check_rows(readers.rows_by_csv(path / "edges.csv"), [self.EDGES] + edges)
        for (names, got), wanted_names, want in zip(readers.csv_by_pandas(path), (self.NODES, self.EDGES), (nodes, edges)):
            self.assertEqual(names, wanted_names)
            self.check_rows(got, [list(map(as_pandas_has_it, row)) for row in want])

    def test_texts_that_a_spreadsheet_would_run(self):
        """With `formulas=escape` each gets an apostrophe and is counted; nothing else changes."""
        graph = store("hostile").graph
        path = store("hostile").export(self.format, "--option", "formulas=escape")
        escaped = 0
        want = []
        for row in map(csv_node, graph.nodes.values()):
            for column in (self.NODES.index("id"), self.NODES.index("label")):
                if row[column][:1] in tuple("=+-@\t\r\n"):
                    row[column] = "'" + row[column]
                    escaped += 1
            want.append(row)
        self.assertGreater(escaped, 5)
        self.check_rows(readers.rows_by_csv(path / "nodes.csv")[1:], want)
        for name in ("nodes.csv", "edges.csv"):
            for row in readers.rows_by_csv(path / name):
                self.assertEqual([cell for cell in row if cell[:1] in tuple("=+-@\t\r\n")], [], name)
        self.assertEqual(manifest_of(path)["losses"], [{"kind": "formula_escaped", "count": escaped}])
        self.assertEqual(manifest_of(store("hostile").export(self.format))["losses"], [])

    def check_rows(self, got, want):
        self.assertEqual(len(got), len(want))
        wrong = [(a, b) for a, b in zip(rows(got), rows(want)) if a != b]
        self.assertEqual(len(wrong), 0, f"(got, want) of one: {str(wrong[:1])[:2000]}")


del FormatCase, JsonCase  # they are no tests themselves

if __name__ == "__main__":
    unittest.main()
