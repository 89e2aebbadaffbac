"""Claim: a PROV-JSON document that goes in comes out again as the same document, whoever made it; what of it is ours
becomes our records, the rest nodes that can be walked like any other.

Method: documents of others (`prov_documents`) and our own exports are imported and exported; both sides are compared
with all names as full IRIs, and as documents of the package `prov`.
"""
import gzip
import hashlib
import json
import os
import random
import re
import tempfile
import unittest
from pathlib import Path

import prov
from prov.model import ProvDocument

import data
import graph_readers
from dot_reader import dot_by_gvpr
from export_case import INVALID, NOT_FOUND, OK, ExportCase, manifest_of, new_path, run
from support.histories import History
from prov_documents import BROKEN, BUNDLES, CYCLE, KEYWORDS, LATER_PREFIX, LONG, MEMBERS, OTHERS, RELATIONS, UNDECLARED, VALUES, statements
from whence_e2e import RpcError, Server


PROV_N_WORDS = {"document", "endDocument", "bundle", "endBundle", "prefix", "default", "entity", "activity", "agent", "wasGeneratedBy",
                "used", "wasInformedBy", "wasStartedBy", "wasEndedBy", "wasInvalidatedBy", "wasDerivedFrom", "wasAttributedTo",
                "wasAssociatedWith", "actedOnBehalfOf", "wasInfluencedBy", "alternateOf", "specializationOf", "hadMember", "mentionOf"}


class ImportCase(ExportCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = Path(folder.name) / "db"

    def run_import(self, document, *args, code=OK):
        path = new_path(".json")
        path.write_bytes(document if isinstance(document, bytes) else json.dumps(document, ensure_ascii=False).encode())
        made = run("import", path, "--format", "prov-json", "--db", self.db, *args)
        self.assertEqual(made.returncode, code, made.stderr.decode(errors="replace")[:1500])
        return made

    def exported(self, format="prov-json"):
        path = new_path(".json")
        made = run("export", "--format", format, "--db", self.db, "-o", path)
        self.assertEqual(made.returncode, OK, made.stderr.decode(errors="replace")[:1500])
        return path

    def document(self):
        return json.loads(self.exported().read_text(encoding="utf-8"))

    def server(self):
        server = Server(self.db)
        self.addCleanup(server.__exit__)
        return server


def as_prov(document):
    return ProvDocument.deserialize(content=json.dumps(document), format="json")


class DocumentsOfOthersTest(ImportCase):
    def test_each_comes_back(self):
        for name, document in OTHERS.items():
            with self.subTest(name):
                with tempfile.TemporaryDirectory() as folder:
                    self.db = folder + "/db"
                    self.run_import(document)
                    got = self.document()
                    self.assert_equal_items(statements(got), statements(document), "statements")
                    self.assertEqual(as_prov(got), as_prov(document))

    def test_both_again_from_the_export(self):
        """What came out goes in, and comes out the same."""
        for name in ("values", "relations", "bundles"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.db = folder + "/one"
                self.run_import(OTHERS[name])
                first = self.document()
                self.db = folder + "/two"
                self.run_import(first)
                self.assert_equal_items(statements(self.document()), statements(OTHERS[name]), "statements")

    def test_several_documents_in_one_store(self):
        """Each is one transaction; a prefix may mean another thing in each."""
        want = statements({})
        for tx, document in enumerate((VALUES, RELATIONS, BUNDLES, UNDECLARED, LATER_PREFIX), 1):
            self.run_import(document)
            want += statements(document)
        got = self.exported()
        self.assertEqual(manifest_of(got)["tx"], 5)
        self.assert_equal_items(statements(json.loads(got.read_text(encoding="utf-8"))), want, "statements")

    def test_the_same_document_twice_changes_nothing(self):
        self.run_import(RELATIONS)
        self.run_import(RELATIONS)
        self.assert_equal_items(statements(self.document()), statements(RELATIONS), "statements")

    def test_a_dry_run_writes_nothing(self):
        self.server().stop()  # makes an empty store
        self.run_import(RELATIONS, "--dry-run")
        self.assertEqual(self.document().get("entity", {}), {})

    def test_from_standard_input(self):
        made = run("import", "-", "--format", "prov-json", "--db", self.db, stdin=json.dumps(RELATIONS).encode())
        self.assertEqual(made.returncode, OK, made.stderr)
        self.assert_equal_items(statements(self.document()), statements(RELATIONS), "statements")

    def test_through_a_server(self):
        path = new_path(".json")
        path.write_text(json.dumps(RELATIONS))
        server = self.server()
        made = run("import", path, "--format", "prov-json", "--url", server.url)
        self.assertEqual(made.returncode, OK, made.stderr)
        self.assertEqual(server.rpc("server.info")["tx"], 1)
        server.stop()
        self.assert_equal_items(statements(self.document()), statements(RELATIONS), "statements")

    def test_what_is_broken_is_refused(self):
        for name, document in BROKEN:
            with self.subTest(name):
                made = self.run_import(document, code=INVALID)
                self.assertTrue(made.stderr.strip())
        for text in (b"", b"{", b'{"entity":{"ex:a":{}}', b"\xff",
                     b'{"prefix":{"ex":"http://e/"},"entity":{"ex:a":{"ex:k":NaN}}}'):
            with self.subTest(text):
                self.run_import(text, code=INVALID)
        with self.server() as server:
            self.assertEqual(server.rpc("server.info")["tx"], 0)

    def test_large_numbers_come_back_as_they_came(self):
        """A whole number beyond 64 bits gets the type that it has, since no JSON number holds it for every reader."""
        def typed(number, kind="xsd:integer"):
            return {"$": str(number), "type": kind}
        values = {"ex:long": -2**63, "ex:unsigned": 2**64 - 1, "ex:double": 1e300, "ex:text": typed(10**40 + 1)}
        large = {"ex:whole": 10**20, "ex:odd": 10**25 + 1, "ex:list": [1, -10**30 - 1],
                 "ex:typed": {"$": 3 * 10**300 + 1, "type": "xsd:int"}}
        kept = {"ex:whole": typed(10**20), "ex:odd": typed(10**25 + 1), "ex:list": [1, typed(-10**30 - 1)],
                "ex:typed": typed(3 * 10**300 + 1, "xsd:int")}
        self.run_import({"prefix": {"ex": "http://e/"}, "entity": {"ex:a": values | large}})
        self.assertEqual(self.document()["entity"]["ex:a"], values | kept)
        text = self.exported("prov-n").read_text(encoding="utf-8")
        for each in (f'"{-2**63}" %% xsd:long', f'"{2**64 - 1}" %% xsd:unsignedLong', f'"{10**40 + 1}" %% xsd:integer',
                     f'ex:whole="{10**20}" %% xsd:integer'):
            self.assertIn(each, text)

    def test_prov_n_has_a_language_or_a_type_and_names_of_its_grammar(self):
        labels = [{"$": "bonjour", "lang": "fr", "type": "prov:InternationalizedString"}, {"$": "hi", "lang": "en_US"},
                  {"$": "none", "lang": "?!"}, {"$": "typed", "lang": "de", "type": "xsd:string"}]
        self.run_import({"prefix": {"ex": "http://e/"},
                         "entity": {"ex:e": {"prov:label": labels}, "ex:a(b)=c'd": {}, "ex:a b": {}, "_:blank": {"ex:v": 1},
                                    "un:declared": {"ex:v": 1}}})
        path = self.exported("prov-n")
        text = path.read_text(encoding="utf-8")
        for each in ('prov:label="bonjour"@fr,', 'prov:label="hi"@en-US', 'prov:label="none"', 'prov:label="typed"@de',
                     "entity(ex:a\\(b\\)\\=c\\'d)", "entity(ex:a%20b)", "prefix blank <_:>", "entity(blank:blank, [",
                     "prefix un <un:>", "entity(un:declared, ["):
            self.assertIn(each, text)
        self.assertNotIn("InternationalizedString", text)
        losses = {loss["kind"]: loss["count"] for loss in manifest_of(path)["losses"]}
        self.assertEqual(losses, {"language_changed": 2, "language_type_left_out": 1, "name_percent_encoded": 1})

    def lines_of(self, path):
        return [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]

    def test_nothing_in_prov_n_is_read_as_a_statement_that_nobody_made(self):
        """Times, prefixes and IRIs are texts of the document: what their places do not take is not written as it is."""
        evil = "2020-01-01T00:00:00Z)\n  wasDerivedFrom(ex:e, ex:invented"
        self.run_import({
            "prefix": {"ex": "http://e/", "x\n entity(invented)\n": "http://x/", "1x": "http://1/", "evil": "http://e/> entity(ex:invented) <"},
            "entity": {"ex:e": {}, "x\n entity(invented)\n:a": {}, "1x:b": {}, "evil:c": {"": 1, "evil:d": {"$": "", "type": "xsd:QName"}}},
            "activity": {"ex:a": {"prov:startTime": evil, "prov:endTime": "2020-02-03T04:05:06.7+01:00"}},
            "used": {"_:1": {"prov:activity": "ex:a", "prov:entity": "ex:e", "prov:time": evil}}})
        path = self.exported("prov-n")
        lines = self.lines_of(path)
        self.assertEqual(sorted(line.split("(")[0] for line in lines if "(" in line and not line.startswith("prefix ")),
                         ["activity", "entity", "entity", "entity", "entity", "used"])
        for each in ("activity(ex:a, -, 2020-02-03T04:05:06.7+01:00)", "used(ex:a, ex:e, -)", "prefix ns_1x <http://1/>",
                     "entity(ns_1x:b)", "prefix ns_x__entity_invented__ <http://x/>", "entity(ns_x__entity_invented__:a)",
                     "prefix evil <urn:whence:iri:http://e/%3E%20entity(ex:invented)%20%3C>",
                     'entity(evil:c, [evil:d="" %% xsd:QName])'):
            self.assertIn(each, lines)
        losses = {loss["kind"]: loss["count"] for loss in manifest_of(path)["losses"]}
        self.assertEqual(losses, {"argument_left_out": 2, "attribute_left_out": 1, "iri_percent_encoded": 1})

    def test_two_names_never_become_one_in_prov_n(self):
        names = ["ex:x y", "ex:x%20y", "ex:x%2520y", "ex:x%", "ex:x%25", "ex:a.b", "ex:a.", "ex:.a", "ex:-a-", "ex:\u00b7a", "ex:a\u00b7",
                 "ex:a\"b", "ex:a\\b", "ex:a[b]", "ex:"]
        self.run_import({"prefix": {"ex": "http://e/"}, "entity": {name: {} for name in names}})
        lines = self.lines_of(self.exported("prov-n"))
        written = [line[len("entity("):-1] for line in lines if line.startswith("entity(")]
        self.assertEqual(sorted(written), sorted([
            "ex:x%20y", "ex:x%2520y", "ex:x%252520y", "ex:x%25", "ex:x%2525", "ex:a.b", "ex:a\\.", "ex:\\.a", "ex:\\-a\\-",
            "ex:%C2%B7a", "ex:a\u00b7", "ex:a%22b", "ex:a%5Cb", "ex:a\\[b\\]", "ex:"]))

    def test_names_of_our_own_records_in_prov_n_are_those_of_their_statements(self):
        self.run_import({"prefix": {"ex": "http://e/", "Topic": "urn:whence:Topic:"}, "entity": {
            "Topic:a%2Fb": {"prov:type": {"$": "whence:Topic", "type": "prov:QUALIFIED_NAME"},
                            "whence:record": json.dumps({"$type$": "Topic", "id": "a/b"})}, "ex:e": {}},
            "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "ex:e", "prov:usedEntity": "Topic:a%2Fb"}}})
        lines = self.lines_of(self.exported("prov-n"))
        subject = next(line for line in lines if line.startswith("entity(Topic:"))[len("entity("):].split(",")[0]
        self.assertIn("wasDerivedFrom(ex:e, " + subject + ", -, -, -)", lines)

    def test_a_collection_in_prov_n_has_a_statement_for_each_member(self):
        self.run_import(MEMBERS)
        path = self.exported("prov-n")
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if "hadMember" in line]
        self.assertEqual(lines, ["hadMember(ex:all, ex:a)", "hadMember(ex:all, ex:b)"])
        self.assertEqual(manifest_of(path)["losses"], [])

    def test_arguments_that_are_literals_are_written_in_prov_n(self):
        self.run_import({"prefix": {"ex": "http://e/"}, "entity": {"ex:a": {}, "ex:b": {}},
                         "wasDerivedFrom": {"_:1": {"prov:generatedEntity": {"$": "ex:b", "type": "xsd:QName"},
                                                    "prov:usedEntity": ["ex:a"]}},
                         "wasGeneratedBy": {"_:2": {"prov:entity": "ex:b", "prov:activity": "ex:x",
                                                    "prov:time": {"$": "2024-01-01T00:00:00Z", "type": "xsd:dateTime"}},
                                            "_:3": {"prov:entity": "ex:a", "prov:activity": "ex:x", "prov:time": [1, 2]}}})
        path = self.exported("prov-n")
        text = path.read_text(encoding="utf-8")
        for each in ("wasDerivedFrom(ex:b, ex:a, -, -, -)", "wasGeneratedBy(ex:b, ex:x, 2024-01-01T00:00:00Z)",
                     "wasGeneratedBy(ex:a, ex:x, -)"):
            self.assertIn(each, text)
        self.assertEqual(manifest_of(path)["losses"], [{"kind": "argument_left_out", "count": 1}])

    def test_a_prefix_in_prov_n_is_no_word_of_its_grammar(self):
        self.run_import(KEYWORDS)
        self.assert_equal_items(statements(self.document()), statements(KEYWORDS), "statements")
        text = self.exported("prov-n").read_text(encoding="utf-8")
        prefixes = dict(re.findall(r"^ *prefix (\S+) <(.*)>$", text, re.MULTILINE))
        self.assertEqual({name for name in prefixes if name in PROV_N_WORDS}, set())
        want = KEYWORDS["prefix"] | KEYWORDS["bundle"]["bundle:one"]["prefix"]
        self.assertEqual({p: i for p, i in prefixes.items() if p != "whence"}, {p + "_ns": iri for p, iri in want.items()})
        for each in ("entity(entity_ns:one, [document_ns:note='prefix_ns:x'])", "agent(agent_ns:ann)",
                     "wasAttributedTo(used_ns:1; entity_ns:one, agent_ns:ann)", "bundle bundle_ns:one",
                     "entity(activity_ns:thing)"):
            self.assertIn(each, text)

    def test_a_missing_an_empty_and_a_wrong_file_are_told_apart(self):
        folder = self.db.parent
        (folder / "empty.json").touch()
        (folder / "empty.jsonl").touch()
        (folder / "none").mkdir()
        for args, code, said in (
                ((folder / "missing.json",), NOT_FOUND, f"{folder}/missing.json cannot be read: No such file or directory"),
                ((folder / "missing.jsonl",), NOT_FOUND, f"{folder}/missing.jsonl cannot be read: No such file or directory"),
                ((folder / "missing.json", "--format", "prov-json"), NOT_FOUND, f"{folder}/missing.json cannot be read: No such file or directory"),
                ((folder / "missing", "--format", "discussions"), NOT_FOUND, f"{folder}/missing cannot be read: No such file or directory"),
                ((folder / "empty.json",), INVALID, f"{folder}/empty.json is empty: there is nothing to import"),
                ((folder / "none", "--format", "discussions"), INVALID,
                 f"{folder}/none holds no discussions: there is nothing to import"),
                (("-",), INVALID, "standard input is empty: there is nothing to import"),
                (("-", "--format", "prov-json"), INVALID, "standard input is empty: there is nothing to import"),
                ((folder / "none",), NOT_FOUND, f"{folder}/none is a folder: --format discussions imports one"),
                ((folder / "empty.json", "--format", "discussions"), NOT_FOUND, f"{folder}/empty.json is no folder")):
            for dry in ((), ("--dry-run",)):
                with self.subTest(args=args, dry=dry):
                    made = run("import", *args, *dry, "--db", self.db, stdin=b"")
                    self.assertEqual((made.returncode, made.stderr.decode().strip().removeprefix("whence: ")), (code, said))
        self.assertFalse(self.db.exists())
        for name, args in (("empty.jsonl", ()), ("empty.json", ("--format", "jsonl"))):
            made = run("import", folder / name, *args, "--db", self.db.with_name(name + "-db"))
            self.assertEqual((made.returncode, made.stderr.decode().splitlines()[0]),
                             (OK, f"{folder}/{name} is empty: the history of an empty store"))

    def test_what_is_not_read_is_named(self):
        folder = self.db.parent
        for name, text, said in (
                ("a.provn", "document\nendDocument\n", "PROV-N is written, not read: convert it to PROV-JSON"),
                ("b.json", "document\nendDocument\n", "PROV-N is written, not read: convert it to PROV-JSON"),
                ("a.ttl", "@prefix ex: <http://e/> .\n", "Turtle and TriG (PROV-O) are not read: convert them to PROV-JSON"),
                ("a.xml", "<prov:document/>", "XML (PROV-XML, RDF/XML, GraphML) is not read: convert it to PROV-JSON"),
                ("ro-crate-metadata.json", '{"@context":"https://w3id.org/ro/crate/1.1/context","@graph":[]}',
                 "an RO-Crate is not read: import the PROV-JSON file of its provenance"),
                ("records.ndjson", '{"$type$":"Topic","id":"t","name":"t"}\n', "these are records: `whence load` writes them"),
                ("ld.json", '{"@context":{},"@graph":[]}', "JSON-LD is not read: convert it to PROV-JSON")):
            with self.subTest(name):
                (folder / name).write_text(text)
                made = run("import", folder / name, "--db", self.db)
                self.assertEqual((made.returncode, made.stderr.decode().strip()), (INVALID, f"whence: {folder}/{name}: {said}"))

    def test_a_fault_of_json_is_told_with_its_line(self):
        (self.db.parent / "fault.json").write_text('{\n "entity": {"ex:a": Infinity}}')
        made = run("import", self.db.parent / "fault.json", "--db", self.db)
        self.assertEqual((made.returncode, made.stderr.decode().strip()), (INVALID, "whence: ill-formed JSON: syntax error at line 2, byte 21 (invalid_json)"))

    def test_each_fault_is_told_once_on_a_line_of_its_own(self):
        made = self.run_import({"entity": {"a": 1}, "foo": {}}, code=INVALID)
        self.assertEqual(made.stderr.decode().splitlines(),
                         ["whence: /entity/a: must be an object, or an array of objects (prov_record)",
                          "  /foo: is no section of PROV-JSON (prov_section)"])

    def test_packed_files_are_read(self):
        self.run_import(RELATIONS)
        want = self.document()
        for format, suffix in (("jsonl", ".jsonl.zst"), ("prov-json", ".json.zst")):
            with self.subTest(format):
                path = new_path(suffix)
                self.assertEqual(run("export", "--format", format, "--db", self.db, "-o", path).returncode, OK)
                copy = self.db.parent / ("copy-" + format)
                made = run("import", path, "--db", copy)
                self.assertEqual(made.returncode, OK, made.stderr)
                before, self.db = self.db, copy
                self.assert_equal_items(statements(self.document()), statements(want), "statements")
                self.db = before
        packed = new_path(".json.gz")
        packed.write_bytes(gzip.compress(json.dumps(want).encode()))
        refused = run("import", packed, "--db", self.db.parent / "packed")
        self.assertEqual(refused.returncode, INVALID)
        self.assertIn(b"gzip is not read, .zst is", refused.stderr)

    def test_jsonl_brings_it_back_too(self):
        for document in (VALUES, RELATIONS, BUNDLES):
            self.run_import(document)
        lines = self.exported("jsonl")
        made = run("import", lines, "--format", "jsonl", "--db", self.db.parent / "other")
        self.assertEqual(made.returncode, OK, made.stderr)
        before, self.db = self.document(), self.db.parent / "other"
        self.assertEqual(self.document(), before)

    def test_the_other_formats_open(self):
        self.run_import(RELATIONS)
        self.run_import(VALUES)
        counts = {k: sum(of.values()) for k, of in manifest_of(self.exported("node-link"))["counts"].items()}
        for format, reader in (("graphml", graph_readers.graphml_by_networkx), 
                               ("dot", dot_by_gvpr),
                               ("node-link", graph_readers.node_link_by_networkx),
                               ("cytoscape", graph_readers.cytoscape_by_networkx)):
            with self.subTest(format):
                read = reader(self.exported(format))
                self.assertEqual((len(read.nodes), len(read.edges)), (counts["nodes"], counts["edges"]))


class WrittenTest(ImportCase):
    """PROV records that a client writes itself."""

    def write(self, *records):
        with Server(self.db) as server:
            answer = server.rpc("records.write", {"records": list(records)})
            server.stop()
        return answer

    def thing(self, name, *relations, kind="ProvEntity"):
        return {"$type$": kind, "id": "http://ex.org/" + name, "qname": "ex:" + name, "attributes": {}, "prefixes": {"ex": "http://ex.org/"},
                **({"relations": list(relations)} if relations else {})}

    def test_a_relation_that_a_record_states_twice_is_one(self):
        def derived(*others):
            return [{"relation": "wasDerivedFrom", "other": "ProvEntity:http://ex.org/" + other, "attributes": {}} for other in others]
        with Server(self.db) as server:
            server.rpc("records.write", {"records": [self.thing("a"), self.thing("b"), self.thing("x", *derived("a", "a", "b"))]})
            found = server.rpc("lineage.influence", {"ref": "ProvEntity:http://ex.org/x"})["nodes"]
            self.assertEqual({each["id"]: each["share"] for each in found}, {"http://ex.org/a": 0.5, "http://ex.org/b": 0.5})
            server.stop()

    def test_places_are_those_that_relations_were_given_in(self):
        """Also where repeated ones are left out, and of a thing that is known already."""
        def derived(*others):
            return [{"relation": "wasDerivedFrom", "other": "ProvEntity:http://ex.org/" + other, "attributes": {}} for other in others]
        with Server(self.db) as server:
            def places(*records):
                try:
                    return [(each["index"], each["rule"], each["path"]) for each in server.rpc("records.write", {"records": list(records)})["warnings"]]
                except RpcError as error:
                    return [(each["index"], each["rule"], each["path"]) for each in error.error["data"]["errors"]]
            unknown = [(0, "unknown_reference", "/relations/3/other")]
            self.assertEqual(places(self.thing("a"), self.thing("b", *derived("a"))), [])
            self.assertEqual(places(self.thing("x", *derived("a", "a", "b", "none"))), unknown)
            self.assertEqual(places(self.thing("x", *derived("a", "a", "b", "x"))), [(0, "prov_cycle", "/relations/3/other")])
            self.assertEqual(places(self.thing("x", *derived("a", "a", "b", "none"))), unknown, "a known one")
            self.assertEqual(places(self.thing("a"), self.thing("x"), self.thing("x", *derived("b", "none"))), [(2, "unknown_reference", "/relations/1/other")])
            self.assertEqual(places(self.thing("c"), self.thing("a"), self.thing("a", *derived("c", "c", "b"))), [(2, "prov_cycle", "/relations/2/other")])
            server.stop()

    def test_a_warning_has_its_place_in_the_document(self):
        def derived(*pairs):
            return [{"prov:generatedEntity": f"ex:{new}", "prov:usedEntity": f"ex:{old}"} for new, old in pairs]
        said = {"wasDerivedFrom": {"_:x": derived(("a", "b"), ("a", "b"), ("a", "c")), "_:y": derived(("a", "a"))[0]}}
        made = self.run_import({"prefix": {"ex": "http://ex.org/"}, **said, "entity": {"ex:n": {}}, "bundle": {"ex:m/1": said}})
        self.assertEqual(sorted(line for line in made.stderr.decode().splitlines() if "prov_cycle" in line),
                         [f"warning: {where}/wasDerivedFrom/_:y: no edge leads from a node to itself (prov_cycle)" for where in ("/bundle/ex:m~11", "")])

    def test_arguments_that_are_left_out_are_written(self):
        self.write(
            self.thing("a", {"relation": "wasDerivedFrom", "other": "ProvEntity:http://ex.org/b", "attributes": {},
                             "further": ["ProvActivity:http://ex.org/r"]},
                       {"relation": "hadMember", "others": ["ProvEntity:http://ex.org/b", "ProvEntity:http://ex.org/c"], "attributes": {}}),
            self.thing("b"), self.thing("c"), self.thing("g", kind="ProvAgent"),
            self.thing("r", {"relation": "wasAssociatedWith", "other": "ProvAgent:http://ex.org/g", "attributes": {"ex:x": "y"},
                             "further": ["ProvEntity:http://ex.org/c"]}, kind="ProvActivity"))
        document = self.document()
        self.assertEqual(list(document["wasDerivedFrom"].values()),
                         [{"prov:generatedEntity": "ex:a", "prov:usedEntity": "ex:b", "prov:activity": "ex:r"}])
        self.assertEqual(list(document["hadMember"].values()), [{"prov:collection": "ex:a", "prov:entity": ["ex:b", "ex:c"]}])
        self.assertEqual(list(document["wasAssociatedWith"].values()),
                         [{"prov:activity": "ex:r", "prov:agent": "ex:g", "prov:plan": "ex:c", "ex:x": "y"}])
        as_prov(document)  # is one
        exported = self.exported("prov-n").read_text(encoding="utf-8")
        self.assertIn("wasDerivedFrom(ex:a, ex:b, ex:r, -, -)", exported)

    def test_an_integer_beyond_64_bits_is_refused_with_its_place(self):
        with Server(self.db) as server:
            for number in (10**20, -10**20, 2**64):
                for record in ({**self.thing("a"), "attributes": {"ex:n": number}}, {"$type$": "Topic", "id": "t", "attributes": {"ex:n": number}}):
                    with self.subTest(number=number, record=record), self.assertRaises(RpcError) as refusal:
                        server.rpc("records.write", {"records": [record]})
                    data = refusal.exception.error["data"]
                    self.assertEqual((data["rule"], data["path"][-16:]), ("integer", "/attributes/ex:n"))
            self.assertEqual(server.rpc("server.info")["tx"], 0)
            server.stop()

    def test_what_does_not_agree_is_refused_with_its_place(self):
        relation = {"relation": "wasDerivedFrom", "other": "ProvEntity:http://ex.org/b",
                    "attributes": {"prov:generatedEntity": "ex:a", "prov:usedEntity": "ex:c"}}
        refused = [(self.thing("a", relation), "/records/0/relations/0/other"),
                   ({**self.thing("a"), "qname": "ex:z"}, "/records/0/id"), ({**self.thing("a"), "prefixes": {"ex": "http://o/"}}, "/records/0/id"),
                   ({**self.thing("a"), "id": "http://ex.org/z"}, "/records/0/id"),
                   (self.thing("a", {**relation, "attributes": {"prov:generatedEntity": "ex:z"}}),
                    "/records/0/relations/0/attributes/prov:generatedEntity")]
        with Server(self.db) as server:
            for record, place in refused:
                with self.subTest(place=place, record=record):
                    with self.assertRaises(RpcError) as refusal:
                        server.rpc("records.write", {"records": [record, self.thing("b"), self.thing("c")]})
                    first = refusal.exception.error["data"]["errors"][0]
                    self.assertEqual(("/records/%d%s" % (first["index"], first["path"]), first["rule"]), (place, "agreement"))
            self.assertEqual(server.rpc("server.info")["tx"], 0)
            server.stop()


class GraphOfOthersTest(ImportCase):
    """What the documents become in the graph."""

    def graph(self, documents):
        """Records and edges, lists that have no order sorted."""
        with tempfile.TemporaryDirectory() as folder:
            self.db = Path(folder) / "db"
            for document in documents:
                self.run_import(document)
            found = json.loads(self.exported("node-link").read_text(encoding="utf-8"))

        def plain(value):
            if isinstance(value, list):
                return sorted((plain(each) for each in value), key=repr)
            if isinstance(value, dict):
                return {k: plain(v) for k, v in value.items() if k not in ("tx", "place", "key")}
            return value
        def said(node):
            return [node["id"], node.get("qname"), *(json.loads(node[m]) for m in ("attributes", "relations", "prefixes") if m in node)]
        edges = [(e["source"], e["target"], e["type"], e.get("attributes")) for e in found["edges"]]
        return plain([said(node) for node in found["nodes"]]), plain(edges)

    def test_two_documents_of_one_author_load_in_any_order(self):
        def document(run, *types):
            return {"prefix": {"orcid": "https://orcid.org/", "schema": "http://schema.org/", "ex": "http://e/"},
                    "agent": {"orcid:0": {"prov:type": [{"$": t, "type": "xsd:QName"} for t in types]}},
                    "activity": {"ex:" + run: {}},
                    "wasAssociatedWith": {"_:1": {"prov:activity": "ex:" + run, "prov:agent": "orcid:0"}}}
        one, other = document("r1", "prov:Person", "schema:Person"), document("r2", "schema:Person", "prov:Person")
        self.assertEqual(self.graph([one, other]), self.graph([other, one]))

    def test_documents_of_the_package_in_both_orders(self):
        """Of the documents that the package `prov` tests itself with, pairs by a random number generator."""
        files = sorted((Path(prov.__file__).parent / "tests" / "json").glob("**/*.json"))
        if not files:
            self.skipTest("the package has no documents")
        chance = random.Random(data.SEED)
        for _ in range(int(os.environ.get("WHENCE_PROV_PAIRS", "6"))):
            pair = chance.sample(files, 2)
            with self.subTest(seed=data.SEED, pair=[each.name for each in pair]):
                documents = [json.loads(each.read_text(encoding="utf-8")) for each in pair]
                self.assertEqual(self.graph(documents), self.graph(documents[::-1]))

    def test_a_derivation_has_the_activity_of_its_usage_in_either_order(self):
        prefixes = {"prefix": {"ex": "http://e/"}}
        usage = {**prefixes, "activity": {"ex:b": {}}, "used": {"ex:u": {"prov:activity": "ex:b", "prov:entity": "ex:e"}}}
        derivation = {**prefixes, "entity": {"ex:f": {}, "ex:e": {}}, "wasDerivedFrom": {
            "_:1": {"prov:generatedEntity": "ex:f", "prov:usedEntity": "ex:e", "prov:usage": "ex:u"}}}
        generation = {**prefixes, "wasGeneratedBy": {"ex:g": {"prov:entity": "ex:h", "prov:activity": "ex:b"}}}
        generated = {**prefixes, "wasDerivedFrom": {
            "_:1": {"prov:generatedEntity": "ex:h", "prov:usedEntity": "ex:e", "prov:generation": "ex:g"}}}
        together = {**usage, "entity": derivation["entity"], "wasDerivedFrom": derivation["wasDerivedFrom"]}
        nodes, edges = self.graph([usage, derivation])
        self.assertIn("ProvActivity:http://e/b", [e[1] for e in edges if e[0].endswith("/f")])
        self.assertEqual((nodes, edges), self.graph([derivation, usage]))
        self.assertEqual((nodes, edges), self.graph([together]))
        self.assertEqual((nodes, edges), self.graph([usage, derivation, usage, derivation]))
        self.assertEqual(self.graph([generation, generated]), self.graph([generated, generation]))
        other = {**prefixes, "used": {"ex:other": {"prov:activity": "ex:b", "prov:entity": "ex:e"}}}
        edges = self.graph([derivation, other])[1]
        self.assertEqual([e[1] for e in edges if e[0].endswith("/f")], ["ProvEntity:http://e/e"])

    def test_a_named_relation_that_is_described_again_is_one(self):
        def used(**more):
            return {"prefix": {"ex": "http://e/"}, "activity": {"ex:a": {}},
                    "used": {"ex:u": {"prov:activity": "ex:a", "prov:entity": "ex:z", **more}}}
        timed, plain = used(**{"prov:time": "2020-01-01T00:00:00Z", "prov:role": "Z"}), used(**{"ex:more": "Z2"})
        nodes, edges = self.graph([timed, plain])
        self.assertEqual(len(edges), 1)
        self.assertEqual((nodes, edges), self.graph([plain, timed]))
        self.assertEqual((nodes, edges), self.graph([{**timed, "used": {"ex:u": {**timed["used"]["ex:u"], **plain["used"]["ex:u"]}}}]))

    def test_what_was_said_beside_contradicting_times_stays_with_them(self):
        def said(year, by):
            return {"prefix": {"ex": "http://e/"}, "activity": {"ex:a": {
                "prov:startTime": year + "-01-01T00:00:00Z", "prov:endTime": year + "-01-02T00:00:00Z", "ex:by": by}}}
        one, two = said("2020", "one"), said("2021", "two")
        self.assertEqual(self.graph([one, two]), self.graph([two, one]))
        self.run_import(two)
        self.run_import(one)
        self.assertEqual(self.document()["activity"]["ex:a"], [one["activity"]["ex:a"], two["activity"]["ex:a"]])

    def test_edges_have_the_attributes_of_their_relations(self):
        def used(entity, role):
            return {"prefix": {"ex": "http://e/"}, "used": {"_:1": {"prov:activity": "ex:r", "prov:entity": entity, "prov:role": role}}}
        for document in (used("ex:z", "last"), used("ex:a", "first"), used("ex:z", "again"), used("ex:m", "middle")):
            self.run_import(document)
        with self.server() as server:
            edges = server.rpc("node.get", {"ref": "ProvActivity:http://e/r", "include": ["edges"]})["nodes"][0]["edges"]
            self.assertEqual([(e["to"][-1], e["attributes"]["prov:role"]) for e in edges],
                             [("z", "last"), ("a", "first"), ("z", "again"), ("m", "middle")])

    def test_starters_and_plans_are_ancestors(self):
        self.run_import({"prefix": {"ex": "http://e.org/"}, "activity": {"ex:step": {}, "ex:run": {}}, "agent": {"ex:engine": {}},
                         "entity": {"ex:plan": {}},
                         "wasStartedBy": {"_:1": {"prov:activity": "ex:step", "prov:starter": "ex:run"}},
                         "wasEndedBy": {"_:2": {"prov:activity": "ex:step", "prov:ender": "ex:run"}},
                         "wasAssociatedWith": {"_:3": {"prov:activity": "ex:step", "prov:agent": "ex:engine", "prov:plan": "ex:plan"}}})
        with self.server() as server:
            above = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": "ProvActivity:http://e.org/step"})["nodes"]}
        self.assertEqual(above, {"ProvActivity:http://e.org/run", "ProvAgent:http://e.org/engine", "ProvEntity:http://e.org/plan"})

    def test_a_thing_without_causes_answers_for_its_versions(self):
        self.run_import({"prefix": {"ex": "http://e/"},
                         "specializationOf": {"_:1": {"prov:specificEntity": "ex:v1", "prov:generalEntity": "ex:table"}},
                         "wasGeneratedBy": {"_:2": {"prov:entity": "ex:v1", "prov:activity": "ex:run"}},
                         "used": {"_:3": {"prov:activity": "ex:run", "prov:entity": "ex:source"}}})
        with self.server() as server:
            nodes = server.rpc("lineage.ancestors", {"ref": "ProvEntity:http://e/table"})["nodes"]
            self.assertEqual([(n["ref"].rsplit("/", 1)[1], n["depth"]) for n in nodes], [("v1", 1), ("run", 2), ("source", 3)])
    E = "ProvEntity:http://example.org/rel#e"

    def found(self, server, kind):
        return {n["ref"]: n["record"] for n in server.rpc("node.find",
                                                          {"type": kind, "include": ["record"], "limit": 1000})["nodes"]}

    def test_nodes_are_named_by_their_iri(self):
        self.run_import(VALUES)
        with self.server() as server:
            entities = self.found(server, "ProvEntity")
            record = entities["ProvEntity:http://example.org/plain/report"]
            self.assertEqual((record["$type$"], record["id"], record["qname"]),
                             ("ProvEntity", "http://example.org/plain/report", "report"))
            self.assertEqual(record["attributes"], VALUES["entity"]["report"])
            long = "sha256-" + hashlib.sha256(f"http://example.org/{LONG}".encode()).hexdigest()
            self.assertIn("ProvEntity:" + long, entities)
            self.assertEqual(len(entities), len(VALUES["entity"]))

    def test_relations_are_edges_and_influence(self):
        self.run_import(RELATIONS)
        with self.server() as server:
            info = server.rpc("server.info")
            self.assertEqual(info["tx"], 1)
            for kind, count in (("ProvEntity", 8), ("ProvActivity", 3), ("ProvAgent", 2)):
                self.assertEqual(info["nodes"][kind], count)
            for kind, count in (("PROV_wasInformedBy", 1), ("PROV_wasDerivedFrom", 3), ("PROV_hadMember", 2),
                                ("PROV_wasInvalidatedBy", 1)):
                self.assertEqual(info["edges"][kind], count, kind)
            above = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": self.E + "3"})["nodes"]}
            self.assertLessEqual({self.E + "1", self.E + "2", "ProvActivity:http://example.org/rel#a1"}, above)
            below = {n["ref"] for n in server.rpc("lineage.descendants", {"ref": self.E + "1"})["nodes"]}
            self.assertLessEqual({self.E + "3", "ProvActivity:http://example.org/rel#a1",
                                  "ProvActivity:http://example.org/rel#a2"}, below)

    def test_a_cycle_is_kept_without_influence(self):
        made = self.run_import(CYCLE)
        self.assertTrue(made.stderr.strip() or made.stdout.strip(), "the warnings are counted")
        with self.server() as server:
            names = [f"ProvEntity:http://example.org/cycle/{i}" for i in (1, 2, 3)]
            for name in names:
                for method in ("lineage.ancestors", "lineage.descendants"):
                    self.assertNotIn(name, {n["ref"] for n in server.rpc(method, {"ref": name})["nodes"]})
            # Which of them loses its influence is the program's choice: members of an object have no order.
            reached = [len(server.rpc("lineage.ancestors", {"ref": name})["nodes"]) for name in names]
            self.assertEqual(sorted(reached), [0, 1, 2])

    def test_a_bundle_is_told_by_its_records(self):
        self.run_import(BUNDLES)
        with self.server() as server:
            record = self.found(server, "ProvEntity")[
                "ProvEntity:http://example.org/inner/thing#bundle=http://example.org/bundles/one"]
            self.assertIn("bundles/one", json.dumps(record["bundle"]).replace("b:one", "bundles/one"))


class OurOwnTest(ImportCase):
    """Our exports: records come back as records. The transactions are new ones."""

    def without_tx(self, document):
        def text(record):
            """A summary whose attachment is gone comes back with its text whole, not with the part it added."""
            content = json.loads(record)
            return json.dumps({m: v for m, v in content.items() if m != "increment"} if content.get("dangling") else content)

        def cut(records):
            return {name: {m: text(v) if m == "whence:record" else v for m, v in record.items() if m != "whence:tx"}
                    for name, record in records.items()}
        return statements({kind: records if kind == "prefix" else cut(records) for kind, records in document.items()})

    def round_trip(self, write):
        first = self.db.parent / "first"
        with Server(first) as server:
            write(server)
            info = server.rpc("server.info")
            server.stop()
        path = new_path(".json")
        self.assertEqual(run("export", "--format", "prov-json", "--db", first, "-o", path).returncode, OK)
        want = json.loads(path.read_text(encoding="utf-8"))
        self.run_import(path.read_bytes())
        got = self.document()
        self.assert_equal_items(self.without_tx(got), self.without_tx(want), "statements")
        with self.server() as server:
            now = server.rpc("server.info")
            self.assertEqual((now["nodes"], now["edges"]), (info["nodes"], info["edges"]))
            server.stop()
        return got

    def test_the_worked_history(self):
        self.round_trip(data.worked)

    def test_units_responses_and_feedback(self):
        def write(server):
            history = History(random.Random(data.SEED))
            for _ in range(20):
                server.rpc("records.write", {"records": history.batch()})
        with self.subTest(seed=data.SEED):
            self.round_trip(write)

    def test_every_type_of_record(self):
        self.round_trip(data.rich)

    def test_hostile_texts(self):
        self.round_trip(data.hostile)

    def test_a_status_or_a_score_that_becomes_another_is_told(self):
        """They follow from the order of writes and the settings of a store."""
        used, made = data.unit("cu_a"), data.response("resp_1", {"cu_a": 1}, request_id="r")
        asked = [data.query_record("r"), data.retrieval_record("r", 0.9, data.chunk_record("c1", "doc", "One.", page=1))]
        answer = {"$type$": "Answer", "request_id": "r", "answer": "[doc, page 1]", "confidence": 0.9}
        bad, good = data.feedback("fb", "resp_1", -1), data.feedback("fa", "resp_1", 1)
        histories = {  # batches, what is deleted, flags of the server, refs of which something is told
            "an answer joins after the rating": ([[used, *asked, made], [bad], [answer]], [], [], {"RetrievedChunk:c1", "Document:doc"}),
            "the rated response is deleted": ([[used, made], [bad]], ["Response:resp_1"], [], {"ContextUnit:cu_a"}),
            "the rating is deleted": ([[used, made], [bad]], ["FeedbackRecord:fb"], [], {"ContextUnit:cu_a"}),
            "another bound": ([[used, made], [{**bad, "score": -0.9}]], [], ["--deprecate-below", "-0.99"], {"ContextUnit:cu_a"}),
            "ratings in order": ([[used, made], [bad], [good]], [], [], set()),
            "a version": ([[used, data.unit("cu_b", version=2, previous_version_id="cu_a")]], [], [], set())}

        def standings(server):
            rows = server.rpc("query", {"cypher": "MATCH (n) WHERE n.status IS NOT NULL RETURN n.ref, n.status, n.score"})["rows"]
            return {row[0]: row[1:] for row in rows}

        for name, (batches, gone, flags, told) in histories.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db", *flags) as server:
                    for batch in batches:
                        server.rpc("records.write", {"records": batch})
                    if gone:
                        server.rpc("records.delete", {"refs": gone, "force": True})
                    before = standings(server)
                    server.stop()
                self.assertEqual(run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made").returncode, OK)
                taken = run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/other")
                self.assertEqual(taken.returncode, OK, taken.stderr)
                with Server(folder + "/other") as server:
                    after = standings(server)
                    server.stop()
                self.assertEqual({ref for ref in before if before[ref] != after[ref]}, told)
                self.assertEqual(set(re.findall(r"^warning: /entity/([^:]+:[^:]+): is .*\(prov_status\)$", taken.stderr.decode(), re.M)), told)

    def test_ours_beside_others(self):
        """A document that derives its own thing from one of ours."""
        with Server(self.db.parent / "first") as server:
            data.worked(server)
            server.stop()
        path = new_path(".json")
        run("export", "--format", "prov-json", "--db", self.db.parent / "first", "-o", path)
        document = json.loads(path.read_text(encoding="utf-8"))
        document["prefix"]["ex"] = "http://example.org/"
        document["entity"]["ex:chart"] = {"prov:label": "A chart"}
        document["wasDerivedFrom"]["_:chart"] = {"prov:generatedEntity": "ex:chart", "prov:usedEntity": "Response:resp_1"}
        self.run_import(document)
        self.assert_equal_items(self.without_tx(self.document()), self.without_tx(document), "statements")
        with self.server() as server:
            above = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": "ProvEntity:http://example.org/chart"})["nodes"]}
            self.assertEqual(above, {"Response:resp_1", "ContextUnit:cu_a"})

    def test_a_thing_of_others_with_a_name_of_ours_is_no_member_twice(self):
        """Where a document lost the type of one of ours, that is a thing of others; what names it may make the record again, beside it."""
        with Server(self.db.parent / "first") as server:
            data.worked(server)
            server.stop()
        path = new_path(".json")
        run("export", "--format", "prov-json", "--db", self.db.parent / "first", "-o", path)
        document = json.loads(path.read_text(encoding="utf-8"))

        def once(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs), [name for name, _ in pairs])
            return dict(pairs)
        again = 0
        for section, name in [(section, name) for section in ("entity", "activity", "agent") for name in document.get(section, {})]:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                changed = json.loads(json.dumps(document))
                changed[section][name].pop("prov:type", None)
                (Path(folder) / "changed").write_text(json.dumps(changed), encoding="utf-8")
                if run("import", folder + "/changed", "--format", "prov-json", "--db", folder + "/db").returncode != OK:
                    continue  # others need it
                self.assertEqual(run("export", "--format", "prov-json", "--db", folder + "/db", "-o", folder + "/made").returncode, OK)
                json.loads((Path(folder) / "made").read_text(encoding="utf-8"), object_pairs_hook=once)
                taken = run("import", folder + "/made", "--format", "prov-json", "--db", folder + "/other")
                self.assertEqual(taken.returncode, OK, taken.stderr)
                again += 1
        self.assertGreater(again, 3)


del ImportCase

if __name__ == "__main__":
    unittest.main()
