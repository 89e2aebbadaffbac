"""Claim: an export's manifest describes the files: which moment, how many of each type, each file's size and hash,
what was lost, and whether anything refers outside; and the same export gives the same bytes again.
"""
import hashlib
import json
import unittest

from export_case import FORMATS, OK, ExportCase, files_of, for_each_store, manifest_of, new_path, run, store
from forms import count_not_xml, edge_attributes
from truth import EDGE_ENDS

MEMBERS = {"whence", "tx", "at", "epoch", "format", "select", "as_of", "counts", "files", "losses", "closed"}


def nonzero(counts):
    return {kind: {name: n for name, n in of.items() if n} for kind, of in counts.items()}


class ManifestTest(ExportCase):
    @for_each_store
    def test_it_tells_the_files(self, store):
        for format in FORMATS:
            with self.subTest(format):
                path = store.export(format)
                got = manifest_of(path)
                self.assertEqual(sorted(got["files"], key=lambda f: f["name"]),
                                 [{"name": n, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n,
                                  d in files_of(path).items()])

    @for_each_store
    def test_it_tells_the_moment_and_the_counts(self, store):
        for format in FORMATS:
            with self.subTest(format):
                got = manifest_of(store.export(format))
                self.assertLessEqual(MEMBERS - {"as_of"}, set(got))
                self.assertEqual((got["whence"], got["tx"], got["at"], got["epoch"], got["format"], got["select"],
                                  got.get("as_of")),
                                 (store.version, store.tx, store.at, store.epoch, format, "whole", None))
                self.assertEqual(nonzero(got["counts"]), store.graph.counts())
                self.assertIs(type(got["closed"]), bool)

    def test_as_of_an_earlier_moment(self):
        for tx in store("rich").moments[:-1]:
            with self.subTest(tx=tx):
                got = manifest_of(store("rich").export("dot", "--as-of", tx))
                self.assertEqual((got["tx"], got["as_of"]), (tx, tx))
                self.assertEqual(nonzero(got["counts"]), store("rich").graph_at(tx).counts())

    def test_nothing_is_lost_where_nothing_is_hostile(self):
        for format in ("jsonl", "graphml", "node-link", "cytoscape", "csv", "prov-json", "prov-n"):
            with self.subTest(format):
                self.assertEqual(manifest_of(store("worked").export(format))["losses"], [])

    def test_what_xml_cannot_hold_is_counted(self):
        """Character by character, in GraphML's values; its ids are numbers."""
        graph = store("hostile").graph
        attributes = [n.attributes() for n in graph.nodes.values()] + [edge_attributes(e) for e in graph.edges]
        values = count_not_xml(v for a in attributes for v in a.values() if isinstance(v, str))
        self.assertGreater(values, 0)
        self.assertEqual(manifest_of(store("hostile").export("graphml"))["losses"],
                         [{"kind": "character_replaced", "count": values}])

    def test_what_dot_cannot_hold_is_counted(self):
        """Character by character, wherever a text is written: what a reader does not get back as it was."""
        graph = store("hostile").graph
        texts = [text for ref, node in graph.nodes.items() for text in (ref, node.attributes()["label"])]
        texts += [edge[end] for edge in graph.edges for end in EDGE_ENDS]
        losses = {loss["kind"]: loss["count"] for loss in manifest_of(store("hostile").export("dot"))["losses"]}
        for kind, character in (("backslash_doubled", "\\"), ("line_break_escaped", "\n"), ("character_replaced", "\0")):
            count = sum(text.count(character) for text in texts)
            self.assertGreater(count, 0, kind)
            self.assertEqual(losses[kind], count, kind)

    def test_jsonl_loses_nothing(self):
        for name in ("rich", "hostile", "random"):
            self.assertEqual(manifest_of(store(name).export("jsonl"))["losses"], [])

    def test_whether_it_is_closed(self):
        for args, closed in (((), True), (("--ancestors", "Response:resp_1"), True),
                             (("--descendants", "ContextUnit:cu_a"), False)):
            with self.subTest(args):
                self.assertIs(manifest_of(store("worked" if not args else "rich").export("node-link", *args))["closed"], closed)

    @for_each_store
    def test_the_same_bytes_again(self, store):
        for format in FORMATS:
            with self.subTest(format):
                path = new_path(store.export(format).suffix)
                made = run("export", "--format", format, "-o", path, "--db", store.db)
                self.assertEqual(made.returncode, OK, made.stderr)
                self.assertEqual(files_of(path), files_of(store.export(format)))
                self.assertEqual(manifest_of(path), manifest_of(store.export(format)))


if __name__ == "__main__":
    unittest.main()
