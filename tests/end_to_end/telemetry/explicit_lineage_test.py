"""Claim: the explicit lineage facet of OpenLineage says what an output, a job or a run is made from, and nothing more is inferred.

Method: events as the facet's specification (LineageFacet.json, 1-0-0) writes them are posted to real servers, in several orders; the
ancestors and descendants are those that the facet names, and the graph is the same whatever came first.
"""
import itertools
import random
import tempfile
import unittest
import uuid

from support.openlineage import dataset, event, facet, post
from support.program import Server, seed_of_run
from support.wire_case import FreshServerCase

SEED = seed_of_run()
DB = "postgres://db:5432"
RUNS = [str(uuid.UUID(int=number + 1)) for number in range(20)]
JOB = "ProvEntity:urn:openlineage:job:shop/"


def at(second):
    return f"2026-03-01T00:00:{second:02d}Z"


def source(name, **more):
    return {"namespace": DB, "name": name, "type": "DATASET", **more}


def job(name, **more):
    return {"namespace": "shop", "name": name, "type": "JOB", **more}


def entries(*all_):
    return {"lineage": facet(entries=list(all_))}


def version(name, number):
    return f"ProvEntity:{DB}/{name}#run={RUNS[number]}"


def run(number):
    return f"ProvActivity:urn:uuid:{RUNS[number]}"


def table(name):
    return f"ProvEntity:{DB}/{name}"


def job_event(second, name, inputs=(), outputs=(), facets=None):
    return {"eventTime": at(second), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": name, **({"facets": facets} if facets else {})},
            "inputs": [dataset(DB, each) for each in inputs], "outputs": list(outputs)}


class ExplicitLineageTest(FreshServerCase):
    def servers(self, events):
        """One for each of some orders of the events; all have one graph."""
        graphs = []
        orders = list(itertools.permutations(events))
        for order in [orders[0], orders[-1], *random.Random(SEED).sample(orders, min(4, len(orders)))]:
            with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
                for each in order:
                    status, _, text = post(server, each)
                    self.assertEqual((status, text), (200, "{}"))
                yield server
                nodes = server.rpc("node.find", {"type": "ProvEntity", "limit": 10000, "include": ["record", "edges"]})["nodes"]
                nodes += server.rpc("node.find", {"type": "ProvActivity", "limit": 10000, "include": ["record", "edges"]})["nodes"]
                graphs.append((sorted((n["ref"], str(n.get("record"))) for n in nodes), {(e["from"], e["to"], e["type"]) for n in nodes for e in n["edges"]}))
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
        for graph in graphs[1:]:
            self.assertEqual(graph, graphs[0], SEED)

    def ancestors(self, server, ref):
        return {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": ref, "limit": 10000})["nodes"]}

    def descendants(self, server, ref, **more):
        return {n["ref"] for n in server.rpc("lineage.descendants", {"ref": ref, "limit": 10000, **more})["nodes"]}

    def test_what_feeds_a_job(self):
        """Of the event's own job, named or not, in the facet of the job or the run, of other jobs, and of a run of one."""
        own = {"type": "JOB", "inputs": [source("tx")]}
        for name, facets in (("not named", {"job_facets": entries(own)}), ("named", {"job_facets": entries(job("check", inputs=[source("tx")]))}),
                             ("of the run", {"run_facets": entries(own)}), ("with the run", {"run_facets": entries(job("check", runId=RUNS[0], inputs=[source("tx")]))})):
            with self.subTest(name):
                for server in self.servers([event("START", RUNS[0], at(1), "check", **facets), event("COMPLETE", RUNS[0], at(2), "check", [], [dataset(DB, "checks")])]):
                    self.assertIn(table("tx"), self.ancestors(server, version("checks", 0)))
                    self.assertIn(run(0), self.descendants(server, table("tx")))
        plan = job_event(0, "plan", facets=entries(job("load", inputs=[source("staging")]), job("load", runId=RUNS[1], inputs=[source("given")]), job("report", inputs=[job("load")])))
        for server in self.servers([plan, event("COMPLETE", RUNS[1], at(5), "load", [], [dataset(DB, "loaded")])]):
            self.assertIn(f"ProvActivity:{JOB.split(':', 1)[1]}load#declared", self.descendants(server, table("staging")))
            self.assertIn(table("given"), self.ancestors(server, version("loaded", 1)))
            self.assertIn(f"ProvActivity:{JOB.split(':', 1)[1]}report#declared", self.descendants(server, JOB + "load"))
            self.assertEqual(len(server.rpc("node.find", {"type": "ProvActivity", "limit": 10})["nodes"]), 3)

    def test_jobs_that_a_dataset_is_made_by(self):
        """A run leads to what it read, a job without a run to itself; what is not known yet is there by name."""
        extract = event("COMPLETE", RUNS[7], at(1), "extract", [dataset(DB, "src")])
        said = job_event(2, "plan", facets=entries(source("summary", inputs=[job("extract", runId=RUNS[7])]), source("other", inputs=[job("clean")]), source("own", inputs=[{"type": "JOB"}])))
        for server in self.servers([extract, said]):
            ancestors = self.ancestors(server, table("summary") + "#job=shop/plan")
            self.assertLessEqual({run(7), table("src"), JOB + "extract", JOB + "plan"}, ancestors)
            self.assertIn(JOB + "clean", self.ancestors(server, table("other") + "#job=shop/plan"))
            self.assertNotIn(table("src"), self.ancestors(server, table("other") + "#job=shop/plan"))
            self.assertIn(JOB + "plan", self.ancestors(server, table("own") + "#job=shop/plan"))

    def test_no_product_of_inputs_and_outputs(self):
        """Inputs a and b; o is made from a, p from b, q is not described. The facet may come last, and for one output after the other."""
        of = lambda name, *sources: dataset(DB, name, lineage=facet(inputs=[source(each) for each in sources]))
        by_datasets = [event("START", RUNS[0], at(1), "etl", [dataset(DB, "a"), dataset(DB, "b")], [dataset(DB, "o"), dataset(DB, "p")]),
                       event("RUNNING", RUNS[0], at(2), "etl", [], [of("o", "a"), dataset(DB, "q")]), event("COMPLETE", RUNS[0], at(3), "etl", [], [of("p", "b")])]
        by_job = [event("START", RUNS[0], at(1), "etl", [dataset(DB, "a"), dataset(DB, "b")], [dataset(DB, "o"), dataset(DB, "p"), dataset(DB, "q")]),
                  event("COMPLETE", RUNS[0], at(3), "etl", job_facets=entries(source("o", inputs=[source("a")]), source("p", inputs=[source("b")])))]
        write = [event("START", RUNS[1], at(0), "fill", [dataset(DB, "raw")]), event("COMPLETE", RUNS[1], at(0), "fill", [], [dataset(DB, "a")])]
        for events in (by_datasets, by_job):
            for server in self.servers([*events, write[1]]):
                sources = {name: {each for each in "ab" if table(each) in self.ancestors(server, version(name, 0))} for name in "opq"}
                self.assertEqual(sources, {"o": {"a"}, "p": {"b"}, "q": {"a", "b"}})
                self.assertIn(version("a", 1), self.ancestors(server, version("o", 0)))
                self.assertLessEqual({run(0), JOB + "etl"}, self.ancestors(server, version("o", 0)))
                self.assertEqual({name for name in "opq" if version(name, 0) in self.descendants(server, table("b"))}, {"p", "q"})

    def test_a_declared_view_has_what_its_entry_says(self):
        """Who reads o of a job that makes o from a and p from b: the version of a that stood then, none of b."""
        view = job_event(1, "define", ["a", "b"], facets=entries(source("o", inputs=[source("a")]), source("p", inputs=[source("b")]), source("none", inputs=[])))
        writes = [event("COMPLETE", RUNS[n], at(second), "fill", [dataset(DB, f"raw{n}")], [dataset(DB, name)]) for n, (name, second) in enumerate((("a", 0), ("b", 0), ("a", 5)))]
        read = event("COMPLETE", RUNS[3], at(9), "read", [dataset(DB, "o")], [dataset(DB, "out")])
        for server in self.servers([view, *writes, read]):
            ancestors = self.ancestors(server, version("out", 3))
            self.assertEqual({n for n in range(3) if table(f"raw{n}") in ancestors}, {2})
            self.assertEqual({n for n in range(3) if table(f"raw{n}") in self.ancestors(server, table("p") + "#job=shop/define")}, {1})
            self.assertFalse({table("a"), table("b")} & self.ancestors(server, table("none") + "#job=shop/define"))

    def test_columns_of_entries_and_what_rules(self):
        """Columns within the entries of a job are followed; `lineage` rules `columnLineage`; a source without columns counts whole."""
        columns = {"columnLineage": facet(fields={"x": {"inputFields": [{"namespace": DB, "name": "raw2", "field": "z"}]}})}
        entry = source("mid", inputs=[source("whole"), source("raw", field="f")], fields={"x": {"inputs": [source("raw", field="a"), {"type": "JOB"}]}})
        made = [event("START", RUNS[0], at(1), "make", [dataset(DB, "raw"), dataset(DB, "raw2"), dataset(DB, "whole")]),
                event("COMPLETE", RUNS[0], at(2), "make", [], [dataset(DB, "mid", **columns), dataset(DB, "m2")], job_facets=entries(entry))]
        next_ = event("COMPLETE", RUNS[1], at(5), "next", [dataset(DB, "mid")], [dataset(DB, "end", lineage=facet(fields={"y": {"inputs": [source("mid", field="x")]}}))])
        for server in self.servers([*made, next_]):
            rests = lambda name, column: {each for each in ("mid", "end", "m2") if version(each, 1 if each == "end" else 0) in self.descendants(server, table(name), column=column)}
            self.assertEqual([rests("raw", column) for column in "afb"], [{"mid", "end", "m2"}, {"mid", "end", "m2"}, {"m2"}])
            self.assertEqual((rests("raw2", "z"), rests("whole", "any")), ({"m2"}, {"mid", "end", "m2"}))

    def test_wrong_parts_are_named(self):
        bad = event("COMPLETE", RUNS[0], at(1), "j", [dataset(DB, "a")], [dataset(DB, "o")],
                    job_facets=entries(7, {"type": "JOB", "name": "half", "inputs": [source("b")]}, {"type": "DATASET", "inputs": []}, {"type": "JOB", "inputs": [source("c")]}))
        status, _, text = post(self.server, bad)
        self.assertEqual(status, 200, text)
        for part in ("/job/facets/lineage/entries/0: must be an object", "entries/1", "entries/2: must have a namespace and a name"):
            self.assertIn(part, text)
        self.assertEqual({name for name in "abc" if table(name) in self.ancestors(self.server, version("o", 0))}, {"a", "c"})


if __name__ == "__main__":
    unittest.main()
