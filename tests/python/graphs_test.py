"""Answers as frames and graphs of pandas, networkx and igraph: every id, type and weight arrives, named as in exports."""
import unittest
from unittest import mock

import igraph
import networkx
import pandas

from client_case import ClientCase, TIME, feedback, response, unit


class GraphsTest(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.db.records.write([unit("cu_a"), unit("cu_b", summary="b", attributes={"k": [1, "ü"]}),
                              unit("cu_c", version=2, previous_version_id="cu_a", derived_from=["cu_b"]),
                              response("resp_1", {"cu_a": 0.25, "cu_b": 0.75}, token_count=7), response("resp_2", {"cu_c": 1}),
                              feedback("fb_1", "resp_1", 1)])

    def lineage(self):
        return self.db.lineage.ancestors("resp_2", form="graph", include=["record", "status"])

    def parts(self, found):
        """Refs with types, and edges with weights, as the server sent them."""
        edges = {(e["from"], e["to"], e["type"], e.get("weight")) for e in found.edges}
        nodes = {n["ref"]: n["type"] for n in found.all()}
        return nodes | {ref: ref.split(":")[0] for edge in edges for ref in edge[:2]}, edges

    def test_networkx_has_refs_as_keys_and_edge_types_as_edge_keys(self):
        found = self.lineage()
        nodes, edges = self.parts(found)
        graph = found.to_networkx(direction="stored")
        self.assertIsInstance(graph, networkx.MultiDiGraph)
        self.assertEqual(dict(graph.nodes(data="type")), nodes)
        self.assertEqual({(a, b, key, data.get("weight")) for a, b, key, data in graph.edges(keys=True, data=True)}, edges)
        self.assertTrue(all(data["type"] == key for _, _, key, data in graph.edges(keys=True, data=True)))

    def test_igraph_has_refs_as_names(self):
        found = self.lineage()
        nodes, edges = self.parts(found)
        graph = found.to_igraph(direction="stored")
        self.assertIsInstance(graph, igraph.Graph)
        self.assertTrue(graph.is_directed())
        self.assertEqual(dict(zip(graph.vs["name"], graph.vs["type"])), nodes)
        names = graph.vs["name"]
        self.assertEqual({(names[e.source], names[e.target], e["type"], e["weight"]) for e in graph.es}, edges)

    def test_edges_lead_from_cause_to_effect(self):
        """So that the ancestors of networkx and of igraph are those of the server, for both ends of every edge type that is here."""
        whole = self.db.lineage.graph("resp_2", up=9, down=9, include=["record"])
        graph, other = whole.to_networkx(), whole.to_igraph()
        self.assertTrue(networkx.is_directed_acyclic_graph(graph))
        for ref in list(graph):
            want = {node["ref"] for node in self.db.lineage.ancestors(ref)} & set(graph)
            self.assertEqual(networkx.ancestors(graph, ref), want, ref)
            self.assertEqual({other.vs[place]["name"] for place in other.subcomponent(ref, mode="in")} - {ref}, want, ref)
        self.assertTrue(graph.has_edge("ContextUnit:cu_a", "ContextUnit:cu_c", "DERIVED_FROM"))
        self.assertTrue(whole.to_networkx(direction="stored").has_edge("ContextUnit:cu_c", "ContextUnit:cu_a", "DERIVED_FROM"))
        with self.assertRaises(ValueError):
            whole.to_networkx(direction="backwards")

    def test_pandas_has_a_row_per_node_and_per_edge(self):
        found = self.lineage()
        edges = self.parts(found)[1]
        nodes_frame, edges_frame = found.to_pandas(edges=True)
        self.assertEqual(list(nodes_frame["ref"]), [n["ref"] for n in found.all()])
        self.assertEqual(list(nodes_frame["id"]), [n["id"] for n in found.all()])
        self.assertEqual(list(nodes_frame["weight"]), [n["weight"] for n in found.all()])
        rows = edges_frame.astype(object).where(edges_frame.notna(), None)
        self.assertEqual({(r["from"], r["to"], r["type"], r["weight"]) for _, r in rows.iterrows()}, edges)
        pandas.testing.assert_frame_equal(found.to_pandas(), nodes_frame)

    def test_rows_of_a_query_are_a_frame_with_its_columns(self):
        asked = """MATCH (u:ContextUnit) OPTIONAL MATCH (u)-[used:USED_IN]->(r:Response)
                   RETURN u.id AS unit, r.token_count AS tokens, used.weight AS weight ORDER BY unit"""
        for params in ({}, {"limit": 1}, {"stream": True}):
            with self.subTest(params):
                found = self.db.query(asked, **params)
                frame = found.to_pandas()
                self.assertEqual((list(frame.columns), found.columns), (["unit", "tokens", "weight"],) * 2)
                self.assertEqual(list(frame["unit"]), ["cu_a", "cu_b", "cu_c"])
                self.assertEqual((list(frame["weight"]), str(frame["tokens"].dtype)), ([0.25, 0.75, 1], "Int64"))
                self.assertEqual(list(frame["tokens"].dropna()), [7, 7])
        none = self.db.query("MATCH (n:Nothing) RETURN n.a AS a, n.b AS b").to_pandas()
        self.assertEqual((list(none.columns), len(none)), (["a", "b"], 0))
        ends = self.db.query("RETURN 'from', 'to', ['edges']", stream=True)
        self.assertEqual((ends.all(), ends.edges), ([["from", "to", ["edges"]]], []))
        node = self.db.query("MATCH (u:ContextUnit {id: $id}) RETURN u", params={"id": "cu_b"}).to_pandas()["u"][0]
        self.assertEqual((node["ref"], node["properties"]["summary"]), ("ContextUnit:cu_b", "b"))

    def test_rows_of_a_query_are_a_graph_of_their_nodes_and_relations(self):
        asked = """MATCH p = (u:ContextUnit)-[used:USED_IN]->(r:Response)
                   RETURN p, u, [{of: used}] AS listed, count(*) AS n"""
        story = self.db.query("MATCH (u:ContextUnit)-[:USED_IN]->(r:Response) RETURN u.id, r.id").all()
        expected = {("ContextUnit:" + unit, "Response:" + response) for unit, response in story}
        self.assertTrue(expected)
        for params in ({}, {"limit": 1}, {"stream": True}):
            with self.subTest(params):
                graph = self.db.query(asked, **params).to_networkx()
                self.assertEqual(set(graph.edges()), expected)
                self.assertTrue(all(key == "USED_IN" and data["weight"] <= 1 for _, _, key, data in graph.edges(keys=True, data=True)))
                b = graph.nodes["ContextUnit:cu_b"]
                self.assertEqual((b["status"], b["summary"], b["context_type"], b["label"]), ("active", "b", "User", "b"))
                other = self.db.query(asked, **params).to_igraph()
                self.assertEqual({(other.vs[e.source]["name"], other.vs[e.target]["name"]) for e in other.es}, expected)
                self.assertEqual(other.ecount(), len(expected))
        # Relations alone bring their ends, and an influence says which edge it is.
        alone = self.db.query("MATCH (:ContextUnit {id: 'cu_b'})-[x:INFLUENCES]->() RETURN x").to_networkx()
        for _, _, key, data in alone.edges(keys=True, data=True):
            self.assertEqual((key, data["type"]), ("INFLUENCES", "INFLUENCES"))
            self.assertTrue(data["edge_type"])
        self.assertTrue(alone.number_of_edges())
        self.assertEqual(self.db.query("RETURN 1 AS n").to_networkx().number_of_nodes(), 0)

    def test_attributes_are_those_of_exports(self):
        data = dict(self.lineage().to_networkx().nodes(data=True))
        self.assertEqual(data["ContextUnit:cu_b"], {
            "ref": "ContextUnit:cu_b", "type": "ContextUnit", "label": "b", "status": "active", "context_type": "User",
            "source": "chat", "timestamp": TIME, "version": 1, "summary": "b", "attributes": '{"k":[1,"ü"]}',
            "depth": 2, "weight": 1.0})
        self.assertIsInstance(data["ContextUnit:cu_b"]["weight"], float)
        self.assertEqual(data["Response:resp_2"], {"ref": "Response:resp_2", "type": "Response", "label": "a"})
        edges = self.lineage().to_networkx().edges(keys=True, data=True)
        self.assertIn(("ContextUnit:cu_a", "ContextUnit:cu_c", "DERIVED_FROM",
                       {"type": "DERIVED_FROM", "tx": 1, "basis": "given", "version": 2}), edges)
        self.assertIn(("ContextUnit:cu_c", "Response:resp_2", "USED_IN", {"type": "USED_IN", "tx": 1, "basis": "given", "weight": 1.0}), edges)

    def test_labels_are_first_words(self):
        from whence.graphs import node_attributes
        for record, label in [({"name": "Fees"}, "Fees"), ({"term": "tuition"}, "tuition"),
                              ({"document_name": "guide.pdf"}, "guide.pdf"), ({}, "x"),
                              ({"content": "Bills are\n due."}, "Bills are due."),
                              ({"answer": "word " * 20}, ("word " * 12).strip() + "…")]:
            self.assertEqual(node_attributes({"ref": "T:x", "type": "T", "id": "x", "record": record})["label"], label)

    def test_paths_and_nodes_with_edges_are_graphs_too(self):
        path = self.db.lineage.path("cu_b", to="resp_2").to_networkx()
        self.assertEqual(set(path), {"ContextUnit:cu_b", "ContextUnit:cu_c", "Response:resp_2"})
        self.assertEqual(path.number_of_edges(), 2)
        around = self.db.node.get(refs=["resp_1", "cu_a"], include=["edges"]).to_networkx()
        self.assertEqual(around.number_of_edges(), 4)  # cu_a -> resp_1 is listed at both nodes, but is one edge

    def test_whole_numbers_with_gaps_stay_whole_numbers(self):
        frame = self.db.node.find("Response", include=["record"]).to_pandas()
        self.assertEqual(str(frame["token_count"].dtype), "Int64")
        self.assertEqual(frame.set_index("id")["token_count"].dropna().to_dict(), {"resp_1": 7})

    def test_items_that_are_not_nodes_are_unchanged_rows(self):
        frame = self.db.history.get("cu_a").to_pandas()
        self.assertEqual(list(frame["op"]), [e["op"] for e in self.db.history.get("cu_a")])
        self.assertEqual(list(self.db.feedback.list("resp_1").to_pandas()["id"]), ["fb_1"])

    def test_an_empty_answer_is_an_empty_frame_and_graph(self):
        nothing = self.db.lineage.ancestors("cu_b", form="graph")
        nodes, edges = nothing.to_pandas(edges=True)
        self.assertEqual((len(nodes), len(edges), list(edges)), (0, 0, ["from", "to", "type", "tx"]))
        self.assertEqual((list(nothing.to_networkx()), nothing.to_igraph().vs["name"]), (["ContextUnit:cu_b"], ["ContextUnit:cu_b"]))


class MissingLibraryTest(unittest.TestCase):
    def test_a_missing_library_is_named_with_its_package(self):
        from whence import graphs
        def missing(name, *args, **more):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        for make, package in [(lambda: graphs.items_frame([]), "python3-pandas"),
                              (lambda: graphs.networkx_graph([], []), "python3-networkx"),
                              (lambda: graphs.igraph_graph([], []), "python3-igraph")]:
            with mock.patch("whence.graphs.importlib.import_module", missing):
                with self.assertRaisesRegex(ImportError, package):
                    make()


if __name__ == "__main__":
    unittest.main()
