"""Claim: a selection holds the nodes asked about and all that the method answers, whatever the method's usual limit,
and every edge between them. Method: the selections' truth is asked of a server before it lets go of the store; the
exports are made after.
"""
import json
import re
import tempfile
import unittest

import data
import formats_test
import prov_test
from export_case import FORMATS, OK, ExportCase, manifest_of, new_path, run, store
from prov_reader import statements_of_json, statements_of_provn
from truth import graph_at, read_events
from whence_e2e import Server

CHECKS = {"graphml": formats_test.GraphmlTest, "dot": formats_test.DotTest,
          "csv": formats_test.CsvTest, "prov-json": prov_test.ProvJsonTest}
PAGE = 10000


def nodes_of(server, method, params):
    """The refs a method answers, all pages."""
    found, cursor, more = set(), None, params
    while True:
        answer = server.rpc(method, {**more, **({} if method in ("trace", "lineage.path", "lineage.graph") else {"limit": PAGE}),
                                     **({"cursor": cursor} if cursor else {})})
        found |= {n["ref"] for n in answer.get("nodes", [])} | {r for p in answer.get("paths", []) for r in p["refs"]}
        cursor = answer.get("cursor")
        if not cursor:
            return found


def asked_about(params):
    return {ref for member in ("ref", "from", "to") if (ref := params.get(member))} | set(params.get("refs", []))


SELECTIONS = [
    ("lineage.ancestors", {"ref": "Response:resp_3"}), ("lineage.ancestors", {"ref": "Response:resp_1", "depth": 1}),
    ("lineage.ancestors", {"ref": "Answer:req 1"}), ("lineage.descendants", {"ref": "ContextUnit:cu_a"}),
    ("lineage.descendants", {"ref": "ContextUnit:cu_a", "depth": 1}), ("lineage.descendants", {"ref": "Document:manual.pdf"}),
    ("lineage.descendants", {"ref": "ContextUnit:cu_a", "node_types": ["Response"]}),
    ("lineage.ancestors", {"ref": "Topic:other"}),
    ("lineage.ancestors", {"ref": "Response:resp_1", "min_weight": 0.5}),
    ("lineage.graph", {"ref": "Response:resp_3", "up": 1, "down": 1}), ("lineage.graph", {"ref": "ContextUnit:cu_a3"}),
    ("lineage.path", {"from": "ContextUnit:cu_a", "to": "Response:resp_2", "kind": "all"}),
    ("lineage.path", {"from": "ContextUnit:cu_a", "to": "Topic:other", "kind": "shortest"}),
    ("impact.analyze", {"refs": ["ContextUnit:cu_a", "Document:manual.pdf"]}), ("trace", {"ref": "Keyword:loan"}),
    ("trace", {"ref": "Summary:saving-v1"}),
]


class SelectTest(ExportCase):
    @classmethod
    def setUpClass(cls):
        cls.store = store("rich")
        cls.selected = []
        with Server(cls.store.db) as server:
            for method, params in SELECTIONS:
                refs = nodes_of(server, method, params) | asked_about(params)
                cls.selected.append((method, params, cls.store.graph.induced(refs)))
            server.stop()

    def exported(self, format, method, params):
        return self.store.export(format, "--select", json.dumps({"method": method, "params": params}))

    def test_node_link_holds_the_nodes_and_their_edges(self):
        for method, params, graph in self.selected:
            with self.subTest(method, params=params):
                formats_test.NodeLinkTest().check(graph, self.exported("node-link", method, params))

    def test_the_other_formats(self):
        for format, case in CHECKS.items():
            for method, params, graph in self.selected[::4]:
                with self.subTest(format, method=method, params=params):
                    case().check(graph, self.exported(format, method, params))

    def test_prov_n(self):
        for method, params, _ in self.selected[::4]:
            with self.subTest(method, params=params):
                notation = self.exported("prov-n", method, params)
                renamed = re.sub(r"\bagent_ns(?=[: ])", "agent", notation.read_text(encoding="utf-8"))  # a word of the grammar
                notation.write_text(renamed, encoding="utf-8")
                self.assertEqual(statements_of_provn(notation), statements_of_json(self.exported("prov-json", method, params)))

    def test_jsonl_holds_the_lines_of_the_nodes(self):
        whole = [json.loads(line) for line in self.store.export("jsonl").read_text(encoding="utf-8").splitlines()]
        for method, params, graph in self.selected:
            with self.subTest(method, params=params):
                lines = self.exported("jsonl", method, params).read_bytes().decode("utf-8").split("\n")[:-1]
                got = [json.loads(line) for line in lines]
                want = [e for e in whole if e["ref"] in graph.nodes]
                self.assertEqual([{k: v for k, v in e.items() if k != "edges"} for e in got],
                                 [{k: v for k, v in e.items() if k != "edges"} for e in want])
                ends = {(e["from"], e["to"]) for line in got for e in line.get("edges", [])}
                self.assertLessEqual({(e["from"], e["to"]) for e in graph.edges}, ends)

    def test_the_manifest_tells_the_selection(self):
        for method, params, graph in self.selected:
            with self.subTest(method, params=params):
                got = manifest_of(self.exported("node-link", method, params))
                self.assertEqual(got["select"], {"method": method, "params": params})
                self.assertEqual({k: {t: n for t, n in of.items() if n} for k, of in got["counts"].items()}, graph.counts())

    def test_the_short_flags(self):
        for flag, method, ref, depth in (("--ancestors", "lineage.ancestors", "Response:resp_1", 1),
                                         ("--descendants", "lineage.descendants", "ContextUnit:cu_a", 1),
                                         ("--ancestors", "lineage.ancestors", "Response:resp_3", None)):
            params = {"ref": ref, **({"depth": depth} if depth else {})}
            for format in FORMATS:
                with self.subTest(flag, ref=ref, depth=depth, format=format):
                    short = self.store.export(format, flag, ref, *(["--depth", depth] if depth else []))
                    got, want = manifest_of(short), manifest_of(self.exported(format, method, params))
                    self.assertEqual([(f["bytes"], f["sha256"]) for f in got["files"]],
                                     [(f["bytes"], f["sha256"]) for f in want["files"]])
                    self.assertEqual(got["select"]["method"], method)

    def test_as_of(self):
        """The selection and its edges are those of the moment."""
        tx = 3
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            data.rich(server)
            graph = graph_at(server, read_events(server, tx), tx)
            refs = nodes_of(server, "lineage.descendants", {"ref": "ContextUnit:cu_a", "as_of": tx}) | {"ContextUnit:cu_a"}
        select = json.dumps({"method": "lineage.descendants", "params": {"ref": "ContextUnit:cu_a"}})
        formats_test.NodeLinkTest().check(graph.induced(refs), self.store.export("node-link", "--as-of", tx, "--select", select))


class WideTest(ExportCase):
    """More nodes than any limit that methods have by themselves."""
    COUNT = 1200

    def test_no_limit_applies(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                server.rpc("records.write", {"records": [data.unit("cu_a")]})
                for begin in range(0, self.COUNT, 400):
                    server.rpc("records.write", {"records": [data.response(f"resp_{i}", {"cu_a": 1})
                                                             for i in range(begin, begin + 400)]})
                server.stop()
            for select in ({"method": "lineage.descendants", "params": {"ref": "cu_a"}},
                           {"method": "lineage.graph", "params": {"ref": "cu_a"}},
                           {"method": "impact.analyze", "params": {"refs": ["cu_a"]}}):
                with self.subTest(select):
                    path = new_path()
                    made = run("export", "--db", folder + "/db", "--format", "csv", "-o", path, "--select", json.dumps(select))
                    self.assertEqual(made.returncode, OK, made.stderr)
                    self.assertEqual(len((path / "nodes.csv").read_text().splitlines()), 1 + 1 + self.COUNT)
                    self.assertEqual(len((path / "edges.csv").read_text().splitlines()), 1 + self.COUNT)


if __name__ == "__main__":
    unittest.main()
