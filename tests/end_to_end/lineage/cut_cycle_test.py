"""Claim: a relation that would close a cycle of influence is marked wherever it is written, and an answer that lacks what it leads
to says so and names it. Things are imported as `a` from `b`, `b` from `c`, `c` from `a`; the last relation is the one that is cut.
"""
import json
import tempfile
import unittest
from pathlib import Path

from support.program import whence
from support.wire_case import WireCase


def entity(name):
    return "ProvEntity:http://e.org/" + name


class CutCycleTest(WireCase):
    with_files = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        document = {"prefix": {"ex": "http://e.org/"}, "entity": {f"ex:{each}": {} for each in "abcd"},
                    "wasDerivedFrom": {f"_:{effect}{cause}": {"prov:generatedEntity": f"ex:{effect}", "prov:usedEntity": f"ex:{cause}"}
                                       for effect, cause in ("ab", "bc", "ca", "dc")}}
        file = Path(cls.folder.name) / "cycle.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        done = whence("import", str(file), "--format", "prov-json", "--url", cls.server.url)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def asked(self, method, **params):
        """complete, the reason, the refs of the nodes, and from where to where relations were cut."""
        got = self.rpc(method, **params)
        cut = [(edge["from"], edge["to"]) for edge in got.get("cut_edges", ())]
        self.assertTrue(all(edge["cycle_cut"] is True for edge in got.get("cut_edges", ())))
        return got["complete"], got.get("reason"), [node["ref"][-1] for node in got.get("nodes", ())], cut

    def test_a_walk_that_stops_at_the_cut_says_so(self):
        cut = [(entity("c"), entity("a"))]
        self.assertEqual(self.asked("lineage.ancestors", ref=entity("c")), (False, "cycle_cut", [], cut))
        self.assertEqual(self.asked("lineage.ancestors", ref=entity("d")), (False, "cycle_cut", ["c"], cut))
        self.assertEqual(self.asked("lineage.descendants", ref=entity("a")), (False, "cycle_cut", [], cut))
        self.assertEqual(self.asked("lineage.influence", ref=entity("d")), (False, "cycle_cut", ["c"], cut))
        self.assertEqual(self.asked("impact.analyze", refs=[entity("a")]), (False, "cycle_cut", [], cut))
        self.assertEqual(self.asked("trace", ref=entity("d")), (False, "cycle_cut", ["c"], cut))
        complete, reason, _, met = self.asked("lineage.diff", a=entity("c"), b=entity("d"))
        self.assertEqual((complete, reason, met), (False, "cycle_cut", cut))

    def test_an_answer_that_lacks_nothing_is_complete(self):
        cut = [(entity("c"), entity("a"))]
        self.assertEqual(self.asked("lineage.ancestors", ref=entity("a")), (True, None, ["b", "c"], cut))
        self.assertEqual(self.asked("lineage.ancestors", ref=entity("d"), depth=1), (True, None, ["c"], []))  # within 1 edge
        self.assertEqual(self.asked("lineage.ancestors", ref=entity("a"), edge_types=["USED_IN"]), (True, None, [], []))
        complete, _, nodes, met = self.asked("lineage.graph", ref=entity("b"))
        self.assertEqual((complete, sorted(nodes), met), (True, ["a", "b", "c"], cut))

    def test_every_export_has_all_edges_and_marks_the_one_that_is_cut(self):
        """Also of a graph that is a cycle and nothing else: its edges were counted as none."""
        for names in (["ab", "bc", "ca"], ["ab", "ba"], ["ab", "bc", "ca", "dc"], ["ab", "bc", "ca", "de", "ed", "fg"]):
            cut = 2 if "ed" in names else 1
            with self.subTest(names), tempfile.TemporaryDirectory() as folder:
                document = {"prefix": {"ex": "http://e.org/"},
                            "wasDerivedFrom": {f"_:{n}": {"prov:generatedEntity": f"ex:{n[0]}", "prov:usedEntity": f"ex:{n[1]}"} for n in names}}
                Path(folder, "in.json").write_text(json.dumps(document), encoding="utf-8")
                whence("import", folder + "/in.json", "--format", "prov-json", "--db", folder + "/db")
                for form, edge in (("graphml", "<edge "), ("node-link", '"source":'), ("cytoscape", '"source":'), ("dot", " -> ")):
                    done = whence("export", "--format", form, "--output", folder + "/out", "--db", folder + "/db", "--force")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    text = Path(folder, "out").read_text(encoding="utf-8")
                    manifest = json.loads(Path(folder, "out.manifest.json").read_text(encoding="utf-8"))
                    self.assertEqual((form, text.count(edge), manifest["counts"]["edges"]), (form, len(names), {"PROV_wasDerivedFrom": len(names)}))
                    if form in ("node-link", "cytoscape"):
                        self.assertEqual(text.count('"cycle_cut":true'), cut, form)

    def test_a_query_over_influence_is_warned(self):
        warned = self.rpc("query", cypher="MATCH (a)-[:INFLUENCES*]->(b) RETURN count(*)")["warnings"]
        self.assertEqual([(each["rule"], each["line"], each["column"]) for each in warned], [("cycle_cut", 1, 10)])
        self.assertNotIn("warnings", self.rpc("query", cypher="MATCH (a)-[:DERIVED_FROM]->(b) RETURN count(*)"))

    def test_paths_that_the_cut_hides_are_told(self):
        hidden = self.rpc("lineage.path", **{"from": entity("a"), "to": entity("d")})
        self.assertEqual((hidden["paths"], hidden["complete"], hidden["reason"]), ([], False, "cycle_cut"))
        self.assertEqual([edge["to"] for edge in hidden["cut_edges"]], [entity("a")])
        found = self.rpc("lineage.path", **{"from": entity("c"), "to": entity("a")})
        self.assertEqual((len(found["paths"]), found["complete"], "cut_edges" in found), (1, True, False))

    def test_the_edge_is_marked_wherever_it_is_written(self):
        edges = self.rpc("node.get", refs=[entity("c")], include=["edges"])["nodes"][0]["edges"]
        self.assertEqual({(edge["from"][-1], edge["to"][-1]): edge.get("cycle_cut") for edge in edges},
                         {("c", "a"): True, ("b", "c"): None, ("d", "c"): None})
        shown = self.rpc("lineage.graph", ref=entity("b"))["edges"]
        self.assertEqual([(edge["from"][-1], edge["to"][-1]) for edge in shown if edge.get("cycle_cut")], [("c", "a")])
        for form in ("jsonl", "node-link", "cytoscape", "graphml", "csv"):
            with self.subTest(form=form):
                target = Path(self.folder.name) / form
                done = whence("export", "--format", form, "-o", str(target), "--url", self.server.url)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = (target / "edges.csv" if target.is_dir() else target).read_text(encoding="utf-8")
                self.assertIn("cycle_cut", text)

    def test_the_command_line_says_it(self):
        done = whence("ancestors", entity("c"), "--url", self.server.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("close a cycle", done.stderr)


if __name__ == "__main__":
    unittest.main()
