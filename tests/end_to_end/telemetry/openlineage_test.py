"""Claim: events of OpenLineage become jobs, runs, datasets and their versions, whatever their order, repetition and division, and
join the documents that answers are made from.

Method: events written by hand and at random are posted to real servers. What a run must have read is computed again here, from the
complete set of events; the nodes, records and edges of a shuffled history must equal those of the same history in order.
"""
import contextlib
import json
import random
import tempfile
import unittest
import uuid

from support.openlineage import dataset, event, facet, post
from support.program import Server, seed_of_run, whence
from support.wire_case import FreshServerCase

SEED = seed_of_run()
DB = "postgres://db:5432"
RUNS = [str(uuid.UUID(int=number + 1)) for number in range(100)]


def at(second):
    return f"2026-03-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"


def complete_run(number, job, begin, end, inputs, outputs, state="COMPLETE"):
    return [event("START", RUNS[number], at(begin), job, [dataset(DB, name) for name in inputs]),
            event(state, RUNS[number], at(end), job, [], [dataset(DB, name) for name in outputs])]


def reading(name, number, of=None):
    return f"ProvEntity:{DB}/{name}#read-by:run={RUNS[number]}" + ("" if of is None else f"&of:run={RUNS[of]}")


def version(name, number):
    return f"ProvEntity:{DB}/{name}#run={RUNS[number]}"


class OpenLineageTest(FreshServerCase):
    def graph(self, server):
        nodes, edges = {}, set()
        for type_ in ("ProvEntity", "ProvActivity", "Document"):
            found = server.rpc("node.find", {"type": type_, "limit": 10000, "include": ["record", "edges"]})
            self.assertTrue(found["complete"])
            for node in found["nodes"]:
                nodes[node["ref"]] = node.get("record")
                edges |= {(e["from"], e["to"], e["type"]) for e in node["edges"]}
        return nodes, edges

    def another_server(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = Server(folder.name + "/db")
        self.addCleanup(lambda: server.__exit__())
        return server

    def fresh(self):
        server = self.another_server()
        return contextlib.nullcontext(server)

    def take(self, *events):
        for each in events:
            self.assertEqual(post(self.server, each)[::2], (200, "{}"))

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def walk(self, method, ref):
        return {n["ref"] for n in self.server.rpc(method, {"ref": ref, "limit": 10000})["nodes"]}

    def facets(self, ref):
        return json.loads(self.record(ref)["attributes"]["openlineage:facets"])

    def test_an_answer_is_traced_to_the_nightly_run_and_back(self):
        self.take(*complete_run(0, "load", 0, 10, ["raw.orders"], ["orders"]),
                  *complete_run(1, "publish", 20, 30, ["orders"], ["policies"]))
        write = self.server.rpc("records.write", {"records": [
            {"$type$": "Document", "document_name": "policies.md", "uri": DB + "/policies"},
            {"$type$": "Query", "request_id": "req_1", "question": "How long are returns free?"},
            {"$type$": "RetrievedChunk", "chunk_id": "c1", "content": "30 days", "request_id": "req_1", "rank": 1, "similarity_score": 0.9,
             "metadata": {"document_name": "policies.md", "chunk_index": 0}},
            {"$type$": "Response", "id": "resp_1", "timestamp": "2026-03-02T00:00:00Z", "agent": "clerk", "model": "m",
             "context_units": [{"ref": "RetrievedChunk:c1", "weight": 1}]}]})
        self.assertEqual(write.get("warnings", []), [])
        ancestors = self.walk("lineage.ancestors", "Response:resp_1")
        for wanted in ("Document:policies.md", f"ProvEntity:{DB}/policies", version("policies", 1), f"ProvActivity:urn:uuid:{RUNS[1]}",
                       "ProvEntity:urn:openlineage:job:shop/publish", reading("orders", 1, of=0), version("orders", 0),
                       f"ProvActivity:urn:uuid:{RUNS[0]}", "ProvEntity:urn:openlineage:job:shop/load", f"ProvEntity:{DB}/raw.orders"):
            self.assertIn(wanted, ancestors)
        for source in (f"ProvEntity:{DB}/raw.orders", f"ProvEntity:{DB}/orders", "ProvEntity:urn:openlineage:job:shop/load"):
            self.assertIn("Response:resp_1", self.walk("lineage.descendants", source))
        self.assertIn("resp_1", whence("impact", f"ProvEntity:{DB}/raw.orders", "--url", self.server.url).stdout)
        traced = {n["ref"] for n in self.server.rpc("trace", {"ref": "Response:resp_1"})["nodes"]}
        self.assertLessEqual({"Document:policies.md", version("policies", 1), f"ProvActivity:urn:uuid:{RUNS[0]}"}, traced)
        # The next night's run joins the document that is there.
        self.take(*complete_run(2, "publish", 100, 110, ["orders"], ["policies"]))
        self.assertIn(f"ProvActivity:urn:uuid:{RUNS[2]}", self.walk("lineage.ancestors", "Response:resp_1"))
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])

    def test_a_document_may_say_late_where_it_is_from(self):
        self.server.rpc("records.write", {"records": [
            {"$type$": "RetrievedChunk", "chunk_id": "c1", "content": "30 days", "metadata": {"document_name": "late.md", "chunk_index": 0}}]})
        self.take(*complete_run(0, "load", 0, 10, [], ["late"]))
        self.server.rpc("records.write", {"records": [{"$type$": "Document", "document_name": "late.md", "uri": DB + "/late"}]})
        self.assertIn(version("late", 0), self.walk("lineage.ancestors", "Document:late.md"))

    def test_a_job_that_reads_and_writes_one_table_is_no_cycle(self):
        self.take(*complete_run(0, "grow", 0, 10, ["t"], ["t"]), *complete_run(1, "grow", 20, 30, ["t"], ["t"]),
                  *complete_run(2, "grow", 40, 50, ["t"], ["t"]))
        listed = self.server.rpc("versions.list", {"ref": version("t", 1)})["versions"]
        self.assertEqual([(v["ref"], v["version"]) for v in listed], [(version("t", n), n + 1) for n in range(3)])
        self.assertEqual(self.server.rpc("versions.list", {"ref": f"ProvEntity:{DB}/t"})["versions"], listed)
        ancestors = self.walk("lineage.ancestors", version("t", 2))
        self.assertTrue({version("t", 0), version("t", 1), reading("t", 0)} <= ancestors)
        self.assertNotIn(version("t", 2), ancestors)
        self.assertFalse(self.walk("lineage.ancestors", version("t", 0)) & {version("t", n) for n in range(3)})

    def test_an_output_that_is_named_before_the_start_is_not_what_the_run_read(self):
        events = [event(state, RUNS[0], at(second), "grow", [dataset(DB, "t")], [dataset(DB, "t")]) for state, second in (("RUNNING", 5), ("START", 10), ("COMPLETE", 20))]
        self.take(*events, *complete_run(1, "report", 30, 40, ["t"], ["report"]))
        self.assertIn(f"ProvEntity:{DB}/t", self.walk("lineage.ancestors", version("t", 0)))
        self.assertNotIn(reading("t", 0, 0), self.walk("lineage.ancestors", version("report", 1)))
        self.assertIn(version("t", 0), self.walk("lineage.ancestors", version("report", 1)))

    def test_the_newest_event_rules_a_facet_whatever_the_order(self):
        def said(second, **facets):
            return event("RUNNING", RUNS[0], at(second), "load", [], [dataset(DB, "t", **facets)])
        newest = said(9, schema=facet(fields=[{"name": "c"}]), owner=facet(_deleted=True))
        events = [said(1, schema=facet(fields=[{"name": "a"}]), owner=facet(owners=[])), said(5, schema=facet(fields=[{"name": "b"}])), newest,
                  said(3, doc=facet(description="kept"))]
        for order in ((0, 1, 2, 3), (2, 3, 1, 0), (3, 2, 0, 1)):
            self.take(*(events[i] for i in order))
            facets = self.facets(f"ProvEntity:{DB}/t")
            self.assertEqual((sorted(facets), facets["schema"]["fields"]), (["doc", "schema"], [{"name": "c"}]))
        head = self.server.rpc("server.info")["tx"]
        self.take(*events)
        self.assertEqual(self.server.rpc("server.info")["tx"], head)  # all of it was known

    def test_parents_declared_jobs_and_lineage_facets(self):
        parent = {"parent": facet(run={"runId": RUNS[9]}, job={"namespace": "airflow", "name": "nightly"},
                                  root={"run": {"runId": RUNS[8]}, "job": {"namespace": "airflow", "name": "root"}})}
        columns = facet(fields={"total": {"inputFields": [{"namespace": DB, "name": "orders", "field": "sum"}]}})
        self.take(event("START", RUNS[0], at(0), "load", run_facets=parent),
                  event("COMPLETE", RUNS[0], at(9), "load", [dataset(DB, "other")], [dataset(DB, "t", columnLineage=columns)]))
        ancestors = self.walk("lineage.ancestors", version("t", 0))
        self.assertTrue({"ProvEntity:urn:openlineage:job:airflow/nightly", "ProvEntity:urn:openlineage:job:airflow/root",
                         f"ProvEntity:{DB}/orders", f"ProvEntity:{DB}/other"} <= ancestors)
        edges = self.graph(self.server)[1]
        self.assertIn((f"ProvActivity:urn:uuid:{RUNS[0]}", f"ProvActivity:urn:uuid:{RUNS[9]}", "PROV_specializationOf"), edges)
        self.assertIn((version("t", 0), reading("orders", 0), "PROV_wasDerivedFrom"), edges)
        self.assertNotIn((version("t", 0), reading("other", 0), "PROV_wasDerivedFrom"), edges)
        declared = {"eventTime": at(50), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": "static"},
                    "inputs": [dataset(DB, "t")], "outputs": [dataset(DB, "view")]}
        described = {"eventTime": at(60), "producer": "p", "schemaURL": "s", "dataset": dataset(DB, "view", doc=facet(description="a view"))}
        self.take(declared, described)
        self.assertIn(version("t", 0), self.walk("lineage.ancestors", f"ProvEntity:{DB}/view#job=shop/static"))
        self.assertEqual(self.facets(f"ProvEntity:{DB}/view")["doc"]["description"], "a view")

    def test_a_run_whose_job_gets_another_name_has_both(self):
        """Spark names the job after its output once that is known: each name is a cause, however the events are divided and ordered."""
        events = [event("START", RUNS[0], at(0), "app.insert", [dataset(DB, "src")]), event("COMPLETE", RUNS[0], at(9), "app.insert.t", [], [dataset(DB, "t")])]
        graphs = []
        for batches in ([[events[0]], [events[1]]], [[events[1]], [events[0]]], [events], [events[::-1]], [events, [events[0]], [events[1]]]):
            with self.fresh() as server:
                for batch in batches:
                    self.assertEqual(json.loads(post(server, batch, "/api/v1/lineage/batch")[2])["status"], "success")
                nodes = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": version("t", 0)})["nodes"]}
                self.assertEqual({ref for ref in nodes if ":job:" in ref}, {f"ProvEntity:urn:openlineage:job:shop/{job}" for job in ("app.insert", "app.insert.t")})
                graphs.append(self.graph(server))
        self.assertTrue(all(graph == graphs[0] for graph in graphs))

    def test_times_before_1970_are_times(self):
        """Clients in Go send the year 1 where no time was set."""
        named = dataset(DB, "t", version=facet(datasetVersion="v1"))
        self.take(event("FAIL", RUNS[0], "0001-01-01T00:00:00Z", "load", [dataset(DB, "src")], [named]), event("COMPLETE", RUNS[1], "1969-12-31T23:59:59Z", "load", [], [dataset(DB, "u")]),
                  event("COMPLETE", RUNS[2], at(0), "read", [named], [dataset(DB, "v")]))
        self.assertLessEqual({"ProvEntity:urn:openlineage:job:shop/load", f"ProvEntity:{DB}/src"}, self.walk("lineage.ancestors", version("t", 0)))
        self.assertIn("ProvEntity:urn:openlineage:job:shop/load", self.walk("lineage.ancestors", version("u", 1)))
        self.assertEqual(self.record(f"ProvActivity:urn:uuid:{RUNS[0]}")["attributes"]["openlineage:eventType"], "FAIL")
        self.assertEqual(json.loads(self.record(version("t", 0))["attributes"]["openlineage:facts"])["version"], "v1")

    def test_what_a_job_declares_stands_when_it_is_read(self):
        """A view that a job event declares: each reader has the version of its input that stood when it began, over views of views, whatever came first."""
        declared = lambda second, job, inputs, outputs: {"eventTime": at(second), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": job},
                                                         "inputs": [dataset(DB, name) for name in inputs], "outputs": [dataset(DB, name) for name in outputs]}
        events = [*complete_run(0, "load", 1, 10, ["raw0"], ["t"]), declared(20, "define", ["t", "other"], ["view"]), declared(21, "define more", ["view"], ["view2"]),
                  *complete_run(1, "early", 25, 26, ["view", "view2"], ["early"]), *complete_run(2, "load", 28, 30, ["raw1"], ["t"]),
                  *complete_run(3, "late", 40, 41, ["view"], ["late"]), *complete_run(4, "late2", 40, 42, ["view2"], ["late2"]),
                  *complete_run(5, "fill", 50, 51, ["view"], ["other"]), *complete_run(6, "last", 60, 61, ["view"], ["last"]),
                  *complete_run(7, "write", 70, 71, ["raw7"], ["view"]), *complete_run(8, "after", 80, 81, ["view"], ["after"])]
        stood = {"early": {0}, "late": {2}, "late2": {2}, "other": {2}, "last": {2, 5}, "after": {7}}
        number = {"early": 1, "late": 3, "late2": 4, "other": 5, "last": 6, "after": 8}
        writes = {0: "t", 2: "t", 5: "other", 7: "view"}
        orders = [events, events[::-1], *(random.Random(SEED + n).sample(events, len(events)) for n in range(3))]
        graphs = []
        for order in orders:
            with self.fresh() as server:
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                walk = lambda ref, method="lineage.ancestors": {n["ref"] for n in server.rpc(method, {"ref": ref, "limit": 10000})["nodes"]}
                for name, runs in stood.items():
                    ancestors = walk(version(name, number[name]))
                    self.assertEqual({run for run, table in writes.items() if version(table, run) in ancestors}, runs, (name, SEED))
                    self.assertNotIn(version(name, number[name]), ancestors)
                    self.assertEqual("ProvEntity:urn:openlineage:job:shop/define" in ancestors, name != "after")
                self.assertIn(version("late2", 4), walk(f"ProvEntity:{DB}/raw1", "lineage.descendants"))
                self.assertNotIn(version("early", 1), walk(f"ProvEntity:{DB}/raw1", "lineage.descendants"))
                graphs.append(self.graph(server))
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
        for graph in graphs[1:]:
            self.assertEqual(graph, graphs[0])

    def test_what_stands_behind_random_declared_jobs(self):
        """Runs and declared jobs at random, circles too: what each run read of runs, over declared jobs alone, is what is computed here of all events; the order changes nothing."""
        for round_ in range(6):
            choose = random.Random(SEED + round_)
            some = lambda least, most: sorted(choose.sample("abcdef", choose.randint(least, most)))
            runs = [(n, begin, begin + choose.randrange(9), some(0, 2), some(1, 2)) for n in range(14) for begin in [choose.randrange(50)]]
            jobs = [(f"j{n}", choose.randrange(50), some(1, 3), some(1, 2)) for n in range(6)]
            events = [each for n, begin, end, inputs, outputs in runs for each in complete_run(n, "run", begin, end, inputs, outputs)]
            events += [{"eventTime": at(time), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": job},
                        "inputs": [dataset(DB, t) for t in inputs], "outputs": [dataset(DB, t) for t in outputs]} for job, time, inputs, outputs in jobs]
            writers = [((end, begin, end, (RUNS[n], "")), n, outputs) for n, begin, end, _, outputs in runs] + [((time, time, time, ("", job)), job, outputs) for job, time, _, outputs in jobs]

            def behind(place, table, way, seen):
                known = [(when, who) for when, who, outputs in writers if table in outputs and who not in way and when < place]
                if not known:
                    return set()
                who = max(known)[1]
                if isinstance(who, int):
                    return {(table, who)}
                if seen is not None:
                    if who in seen:
                        return set()
                    seen.add(who)
                return set().union(*(behind(place, each, [*way, who], seen) for each in next(inputs for job, _, inputs, _ in jobs if job == who)))

            with self.subTest(seed=SEED + round_):
                choose.shuffle(events)
                graphs = []
                for order in (sorted(events, key=lambda e: e["eventTime"]), events, events[::-1]):
                    with self.fresh() as server:
                        while order:
                            size = choose.choice([1, 1, 4])
                            status, _, text = post(server, order[:size], "/api/v1/lineage/batch")
                            self.assertEqual((status, json.loads(text)["status"]), (200, "success"))
                            order = order[size:]
                        graphs.append(self.graph(server))
                        self.assertTrue(server.rpc("admin.verify", {})["ok"])
                self.assertEqual(graphs[1], graphs[0])
                self.assertEqual(graphs[2], graphs[0])
                causes = {}
                for start, end, type_ in graphs[0][1]:
                    if type_ in ("PROV_used", "PROV_wasDerivedFrom", "PROV_wasGeneratedBy"):
                        causes.setdefault(start, set()).add(end)
                for n, begin, end, inputs, _ in runs:
                    found, next_ = set(), [f"ProvActivity:urn:uuid:{RUNS[n]}"]
                    for ref in next_:
                        is_written = "#run=" in ref
                        found |= {ref} if is_written else set()
                        next_ += [] if is_written else [each for each in causes.get(ref, ()) if each not in next_]
                    place = (begin, begin, end, (RUNS[n], ""))
                    once, all_ways = ({version(t, who) for table in inputs for t, who in behind(place, table, [], seen())} for seen in (set, lambda: None))
                    if once == all_ways:
                        self.assertEqual(found, once, n)
                    self.assertLessEqual(found, all_ways, n)  # in a circle it depends on the way what a job rests on, and one way is taken

    def test_what_a_job_declares_anew_replaces_what_it_declared(self):
        """A view whose definition changes: who read before has the inputs of then, who reads later those of now, whatever came first."""
        declared = lambda second, inputs: {"eventTime": at(second), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": "define"},
                                           "inputs": [dataset(DB, name) for name in inputs], "outputs": [dataset(DB, "view")]}
        described = {"eventTime": at(90), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": "define"}, "outputs": [dataset(DB, "view", doc=facet(description="x"))]}
        events = [*complete_run(0, "load", 1, 2, ["raw0"], ["t"]), *complete_run(1, "load", 1, 3, ["raw1"], ["t2"]), *complete_run(2, "load", 1, 4, ["raw2"], ["both"]),
                  declared(10, ["t", "both"]), *complete_run(3, "early", 20, 21, ["view"], ["early"]), declared(30, ["t2", "both"]), *complete_run(4, "late", 40, 41, ["view"], ["late"]),
                  *complete_run(5, "load", 50, 51, ["raw5"], ["t"]), *complete_run(6, "last", 60, 61, ["view"], ["last"]), declared(70, ["t", "both"]),
                  *complete_run(7, "again", 80, 81, ["view"], ["again"]), described]
        wanted = {("early", 3): {0, 2}, ("late", 4): {1, 2}, ("last", 6): {1, 2}, ("again", 7): {5, 2}}
        graphs = []
        for order in (events, events[::-1], *(random.Random(SEED + n).sample(events, len(events)) for n in range(3))):
            with self.fresh() as server:
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                for (name, number), raws in wanted.items():
                    nodes = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": version(name, number), "limit": 10000})["nodes"]}
                    self.assertEqual({int(ref[-1]) for ref in nodes if ref.startswith(f"ProvEntity:{DB}/raw") and "#" not in ref}, raws, (name, SEED))
                graphs.append(self.graph(server))
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
        for graph in graphs[1:]:
            self.assertEqual(graph, graphs[0])

    def test_a_job_that_is_declared_before_its_input_is_there(self):
        """The first write is what the declared view is of, for its documents too; later writes change nothing for who read before."""
        view = {"eventTime": at(5), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": "define"}, "inputs": [dataset(DB, "t")], "outputs": [dataset(DB, "view")]}
        early, load = complete_run(0, "early", 7, 8, ["view"], ["t2"]), complete_run(1, "load", 9, 10, ["raw", "t2"], ["t"])
        again, read = complete_run(2, "again", 20, 21, ["raw2"], ["t"]), complete_run(3, "read", 15, 16, ["view"], ["out"])
        document = [{"$type$": "RetrievedChunk", "chunk_id": "c", "content": "x", "metadata": {"document_name": "d", "chunk_index": 0}},
                    {"$type$": "Document", "document_name": "d", "uri": DB + "/view"}]
        graphs = []
        for order in ([view] + early + load + read + again, again + read + load + early + [view], load + [view] + again + read + early):
            with self.fresh() as server:
                server.rpc("records.write", {"records": document})
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                walk = lambda ref: {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": ref, "limit": 10000})["nodes"]}
                self.assertIn(f"ProvEntity:{DB}/raw", walk("Document:d"))
                self.assertIn(version("t", 1), walk(version("out", 3)))
                self.assertNotIn(version("t", 2), walk(version("out", 3)))
                self.assertFalse(walk(version("t2", 0)) & {version("t", 1), version("t", 2), version("t2", 0)})
                graphs.append(self.graph(server))
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
        self.assertTrue(all(graph == graphs[0] for graph in graphs))

    def test_bad_events_are_refused_with_their_place(self):
        good = event("COMPLETE", RUNS[0], at(0), "load", [], [dataset(DB, "t")])
        bad = [({**good, "run": {"runId": "7"}}, "/run/runId: must be a UUID"), ({**good, "eventTime": "yesterday"}, "/eventTime: "),
               ({**good, "job": {"name": "x"}}, "/job/namespace: is required"),
               ({**good, "job": None}, "/job: is required"), ({"eventTime": at(0)}, "/run: "), ([], "the event: must be an object")]
        text, told = json.dumps(good).replace("{", '{"eventTime": "x", ', 1), "/eventTime: is named twice"
        self.assertIn(told, json.loads(post(self.server, text.encode())[2])["error"])
        self.assertIn(told, json.loads(post(self.server, f"[{text}]".encode(), "/api/v1/lineage/batch")[2])["failed_events"][0]["reason"])
        for body, told in bad:
            status, _, text = post(self.server, body)
            self.assertEqual((status, told in json.loads(text)["error"]), (400, True), text)
        for body, status in ((b"\xff{", 400), (b"", 400), (b"[" * 100_000, 400)):
            for path in ("/api/v1/lineage", "/api/v1/lineage/batch"):
                self.assertEqual(post(self.server, body, path)[0], status)
        self.assertEqual(post(self.server, good, content_type="text/plain")[0], 415)
        self.assertEqual(self.server.rpc("server.info")["tx"], 0)
        status, _, text = post(self.server, [each for each, _ in bad] + [good], "/api/v1/lineage/batch", coding="gzip")
        answer = json.loads(text)
        self.assertEqual((status, answer["status"], answer["summary"]["successful"], [f["index"] for f in answer["failed_events"]]),
                         (200, "partial_success", 1, list(range(len(bad)))))
        for part in range(5):  # more datasets than a run may have
            status = post(self.server, event("RUNNING", RUNS[2], at(0), "wide", [dataset(DB, f"{part}_{i}") for i in range(1000)]))[0]
            self.assertEqual(status, 200 if part < 4 else 400)
        taken = self.server.rpc("records.write", {"records": [
            {"$type$": "ProvEntity", "id": DB + "/mine", "qname": DB + "/mine", "attributes": {"prov:label": "mine"}}]})
        self.assertEqual(len(taken["refs"]), 1)
        status, _, text = post(self.server, event("COMPLETE", RUNS[1], at(0), "load", [], [dataset(DB, "mine")]))
        self.assertEqual((status, "was not made from events" in text), (409, True))

    def test_a_part_that_cannot_be_taken_costs_itself(self):
        """Each event with what its answer names as left out; all else of it is there."""
        good = event("COMPLETE", RUNS[0], at(0), "load", [dataset(DB, "a")], [dataset(DB, "t")])
        parts = [({"outputs": [7, dataset(DB, "t")]}, "/outputs/0: must be an object"),
                 ({"outputs": [dataset(DB, "t"), dataset(DB + "", "x" * 3000)]}, "/outputs/1: must have a namespace and a name of 1 to 2048 bytes"),
                 ({"outputs": [dataset("", "x"), dataset(DB, "t")]}, "/outputs/0: must have a namespace"),
                 ({"outputs": [dataset(DB, "t", schema=7)]}, "/outputs/0/facets/schema: must be an object"),
                 ({"outputs": [dataset(DB, "t", big=facet(text="x" * 300_000))]}, "/outputs/0/facets/big: has more than 262144 bytes"),
                 ({"outputs": [dataset(DB, "t", deep=facet(v=json.loads("[" * 100 + "]" * 100)), doc=facet(n=1))]}, "/outputs/0/facets/deep: has more than 60 objects and lists"),
                 ({"outputs": {"namespace": DB, "name": "u"}, "run": {"runId": RUNS[0], "facets": {"lineage": {"entries": [{"type": "DATASET", "namespace": DB, "name": "t", "inputs": [dataset(DB, "a")]}]}}}},
                  "/outputs: must be an array"),
                 ({"run": {"runId": RUNS[0], "facets": {"parent": facet(run={"runId": RUNS[9]})}}}, "/run/facets/parent: must have a run and a job"),
                 ({"run": {"runId": RUNS[0], "facets": {"parent": facet(run={"runId": RUNS[9]}, job={"namespace": "n", "name": "j"}, root={"job": {"namespace": "n", "name": "r"}})}}},
                  "/run/facets/parent/root: must have a run and a job"),
                 ({"eventType": "DONE"}, "/eventType: must be one of"), ({"eventType": 7}, "/eventType: must be one of")]
        for changed, told in parts:
            with self.subTest(told=told), self.fresh() as server:
                status, _, text = post(server, {**good, **changed})
                self.assertEqual((status, [w.split(" (left out)")[0] for w in json.loads(text)["warnings"]][0].startswith(told)), (200, True), text)
                batch = json.loads(post(server, [{**good, **changed}], "/api/v1/lineage/batch")[2])
                self.assertEqual((batch["status"], batch["warnings"][0]["index"]), ("success", 0))
                nodes = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": version("t", 0)})["nodes"]}
                self.assertIn(f"ProvEntity:{DB}/a", nodes)
        raw = json.dumps({**good, "inputs": [dataset(DB, "a", sql=facet(query="Q", rows=7))]}).encode()
        for text, kept in ((raw.replace(b'"Q"', b'"\\ud83d x"'), {"query": "\ufffd x", "rows": 7}),
                           (raw.replace(b'"Q"', b'"\xe2\x82 x"'), {"query": "\ufffd x", "rows": 7}),
                           (raw.replace(b": 7", b": 18446744073709551616123"), {"query": "Q", "rows": "18446744073709551616123"}),
                           (raw.replace(b": 7", b": NaN"), {"query": "Q", "rows": "NaN"}), (b"\xef\xbb\xbf" + raw, {"query": "Q", "rows": 7}),
                           (raw.replace(b": 7", b": 1e400"), {"query": "Q", "rows": "1e400"})):
            with self.subTest(text=text), self.fresh() as server:
                self.assertEqual(post(server, text)[::2], (200, "{}"))
                record = server.rpc("node.get", {"ref": f"ProvEntity:{DB}/a", "include": ["record"]})["nodes"][0]["record"]
                facets = json.loads(record["attributes"]["openlineage:facets"])
                self.assertEqual({k: v for k, v in facets["sql"].items() if k[0] != "_"}, kept)

    def test_one_event_of_a_batch_costs_itself(self):
        """What no JSON is, is too deep, or names its members twice is one event of a batch, or one line of a file; of a facet's members of one name the last counts."""
        good = [json.dumps(event("COMPLETE", RUNS[n], at(n), "load", [dataset(DB, "a")], [dataset(DB, f"t{n}", q=facet(v="X"))])) for n in range(3)]
        for written, told in (("[" * 600 + "]" * 600, "ill-formed JSON"), ("{'a': 1}", "ill-formed JSON"), ("nan", "ill-formed JSON")):
            with self.subTest(written=written[:9]), self.fresh() as server:
                bad = good[1].replace('"X"', written)
                status, _, text = post(server, f" [{good[0]},{bad}, {good[2]}] ".encode(), "/api/v1/lineage/batch")
                answer = json.loads(text)
                self.assertEqual((status, [f["index"] for f in answer["failed_events"]], answer["summary"]["successful"]), (200, [1], 2))
                self.assertIn(told, answer["failed_events"][0]["reason"])
                for dry, verb in (("--dry-run", "checked"), (None, "imported")):
                    done = whence("import", "-", "--format", "openlineage", "--url", server.url, *([dry] if dry else []), stdin="\ufeff" + "\n".join([good[0], bad, good[2]]))
                    self.assertEqual((done.returncode, done.stderr.splitlines()[-1]), (4, f"{verb} 3 events, 1 of them refused"), done.stderr)
                    self.assertTrue(done.stderr.startswith("line 2: ill-formed JSON"), done.stderr)
                nodes = {n["ref"] for n in server.rpc("lineage.descendants", {"ref": f"ProvEntity:{DB}/a"})["nodes"]}
                self.assertEqual({n for n in nodes if "#run=" in n}, {version("t0", 0), version("t2", 2)})
        twice = good[1].replace('"v": "X"', '"v": "X", "v": "Y"')
        answer = json.loads(post(self.server, f"[{good[0]},{twice}]".encode(), "/api/v1/lineage/batch")[2])
        self.assertEqual((answer["status"], answer["warnings"][0]["index"]), ("success", 1))
        self.assertEqual(answer["warnings"][0]["left_out"], ["/outputs/0/facets/q/v: is named twice, all but the last (left out)"])
        self.assertEqual(self.facets(version("t1", 1))["q"]["v"], "Y")

    def test_facets_beyond_what_a_dataset_may_have_are_left_out(self):
        """Runs that each say a facet of one dataset: those beyond 1 MiB in all are named, the events are there."""
        left_out = []
        for n in range(7):
            status, _, text = post(self.server, event("COMPLETE", RUNS[n], at(n), "load", [dataset(DB, "a")], [dataset(DB, "t", **{f"f{n}": facet(v="y" * 200_000)})]))
            self.assertEqual(status, 200, text)
            left_out += [(n, each) for each in json.loads(text).get("warnings", [])]
            self.assertIn(f"ProvEntity:{DB}/a", self.walk("lineage.ancestors", version("t", n)))
        self.assertEqual([(n, text.split(":")[0].split(" of ")[0]) for n, text in left_out], [(5, "facet f5"), (6, "facet f6")])
        self.assertEqual(sorted(self.facets(f"ProvEntity:{DB}/t")), [f"f{n}" for n in range(5)])
        self.assertEqual(sorted(self.facets(version("t", 6))), ["f6"])
        many = event("COMPLETE", RUNS[7], at(7), "load", [], [dataset(DB, "many", **{f"g{n}": facet(v="y" * 250_000) for n in range(6)})])
        self.assertEqual([text.split(" of ")[0] for text in json.loads(post(self.server, many)[2])["warnings"]], ["facet g4", "facet g5"])
        smaller = event("COMPLETE", RUNS[8], at(8), "load", [], [dataset(DB, "t", f0=facet(v="z"))])
        self.assertEqual(post(self.server, smaller)[::2], (200, "{}"))
        batch = json.loads(post(self.server, [smaller, event("COMPLETE", RUNS[9], at(9), "load", [], [dataset(DB, "t", f7=facet(v='"' * 120_000))])], "/api/v1/lineage/batch")[2])
        self.assertEqual((batch["status"], batch["warnings"][0]["index"], "facet f7 of" in batch["warnings"][0]["left_out"][0]), ("success", 1, True))
        self.assertEqual(self.facets(f"ProvEntity:{DB}/t")["f0"]["v"], "z")

    def test_what_a_stream_wrote_stays_read_when_it_ends(self):
        stream = [event(state, RUNS[0], at(second), "stream", [dataset(DB, "clicks")], [dataset(DB, "t")])
                  for state, second in (("START", 0), ("RUNNING", 50), ("ABORT", 500))]
        report = complete_run(1, "daily", 100, 110, ["t"], ["report"])
        for order in (stream + report, report + stream, [stream[2], *report, stream[0], stream[1]]):
            with self.fresh() as server:
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                nodes = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": version("report", 1)})["nodes"]}
                self.assertIn(f"ProvEntity:{DB}/clicks", nodes)

    def test_an_edge_says_whether_times_or_a_name_tell_the_version(self):
        named = {"version": facet(datasetVersion="v1")}
        self.take(event("COMPLETE", RUNS[0], at(0), "load", [], [dataset(DB, "t", **named)]),
                  event("START", RUNS[1], at(10), "by time", [dataset(DB, "t")]), event("COMPLETE", RUNS[1], at(20), "by time", [], [dataset(DB, "a")]),
                  event("START", RUNS[2], at(10), "by name", [dataset(DB, "t", **named)]), event("COMPLETE", RUNS[2], at(20), "by name", [], [dataset(DB, "b")]))
        written = f"ProvEntity:{DB}/t#run={RUNS[0]}"
        read = {run: f"ProvEntity:{DB}/t#read-by:run={run}&{how}:run={RUNS[0]}" for run, how in ((RUNS[1], "of"), (RUNS[2], "named"))}
        for run, basis in ((RUNS[1], "place"), (RUNS[2], "id")):
            edges = self.server.rpc("node.get", {"ref": read[run], "include": ["edges"]})["nodes"][0]["edges"]
            self.assertEqual({e["to"]: e["basis"] for e in edges if e["type"] == "PROV_wasDerivedFrom" and e["from"] == read[run]},
                             {written: basis, f"ProvEntity:{DB}/t": "given"})
        names = lambda **more: {n["ref"] for n in self.server.rpc("lineage.ancestors", {"ref": f"ProvEntity:{DB}/a#run={RUNS[1]}", **more})["nodes"]}
        self.assertIn(written, names(basis=["given", "place"]))
        self.assertNotIn(written, names(basis=["given", "id"]))
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])

    def test_names_of_one_dataset_lead_to_one_past(self):
        """A symlink said first, last or by the other name; a document that was there before; a rename."""
        link = {"symlinks": facet(identifiers=[{"namespace": "glue:eu", "name": "db.sales", "type": "TABLE"}])}
        back = {"symlinks": facet(identifiers=[{"namespace": "s3://lake", "name": "/wh/sales", "type": "LOCATION"}])}
        written = event("COMPLETE", RUNS[0], at(10), "load", [dataset(DB, "raw")], [dataset("s3://lake", "wh/sales")])
        read = event("COMPLETE", RUNS[1], at(20), "report", [dataset("glue:eu", "db.sales")], [dataset(DB, "report")])
        said = {"eventTime": at(5), "producer": "p", "schemaURL": "s", "dataset": dataset("s3://lake", "wh/sales", **link)}
        said_back = {"eventTime": at(30), "producer": "p", "schemaURL": "s", "dataset": dataset("glue:eu", "db.sales", **back)}
        document = [{"$type$": "RetrievedChunk", "chunk_id": "c", "content": "x", "metadata": {"document_name": "sales", "chunk_index": 0}},
                    {"$type$": "Document", "document_name": "sales", "uri": "glue:eu/db.sales"}]
        graphs = []
        for order in ((said, written, read), (read, said, written), (written, said_back, read), (written, read, said_back), (read, written, said)):
            with self.fresh() as server:
                server.rpc("records.write", {"records": document})
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                for ref in (version("report", 1), "Document:sales"):
                    nodes = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": ref})["nodes"]}
                    self.assertIn(f"ProvEntity:{DB}/raw", nodes, (ref, order))
                for name in ("glue:eu/db.sales", "s3://lake/wh/sales"):
                    nodes = {n["ref"] for n in server.rpc("lineage.descendants", {"ref": "ProvEntity:" + name})["nodes"]}
                    self.assertIn(version("report", 1), nodes)
                graphs.append(self.graph(server)[1])
        self.assertTrue(all(edges == graphs[0] for edges in graphs))
        renamed = facet(lifecycleStateChange="RENAME", previousIdentifier={"namespace": DB, "name": "old"})
        self.take(*complete_run(0, "make", 0, 1, ["src"], ["old"]),
                  {"eventTime": at(2), "producer": "p", "schemaURL": "s", "dataset": dataset(DB, "new", lifecycleStateChange=renamed)},
                  *complete_run(1, "use", 5, 6, ["new"], ["final"]))
        self.assertIn(f"ProvEntity:{DB}/src", self.walk("lineage.ancestors", version("final", 1)))

    def test_an_input_that_was_renamed_has_its_past(self):
        renamed = facet(lifecycleStateChange="RENAME", previousIdentifier={"namespace": DB, "name": "old"})
        made = complete_run(0, "make", 0, 1, ["src"], ["old"])
        reads = [event("START", RUNS[1], at(5), "check", [dataset(DB, "new", lifecycleStateChange=renamed)]), event("COMPLETE", RUNS[1], at(6), "check", [], [dataset(DB, "checked")])]
        used = complete_run(2, "use", 8, 9, ["new"], ["final"])
        graphs = []
        for order in (made + reads + used, used + reads + made):
            with self.fresh() as server:
                for each in order:
                    self.assertEqual(post(server, each)[0], 200)
                for ref in (version("checked", 1), version("final", 2)):
                    self.assertIn(f"ProvEntity:{DB}/src", {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": ref})["nodes"]})
                graphs.append(self.graph(server))
        self.assertEqual(*graphs)

    def test_documents_join_their_dataset_however_its_address_is_spelled(self):
        spelled = (("s3://b", "k/f", "s3a://b/k/f"), ("s3a://b", "/k/f", "s3://b/k/f"), ("s3n://b", "k/f", "s3a://b/k/f"), ("dbfs", "/mnt/x", "dbfs:/mnt/x"),
                   ("file", "/data/faq.md", "file:/data/faq.md"), ("file", "/data/faq.md", "file://localhost/data/faq.md"), ("file", "/data/my faq.md", "file:///data/my%20faq.md"),
                   ("abfs://c@a.dfs.core.windows.net", "x", "abfss://c@a.dfs.core.windows.net/x"), ("s3://b", "100%25", "s3://b/100%25"))
        for number, (space, name, uri) in enumerate(spelled):
            for is_first in (True, False):
                with self.subTest(uri=uri, is_first=is_first), self.fresh() as server:
                    records = [{"$type$": "RetrievedChunk", "chunk_id": "c", "content": "x", "metadata": {"document_name": "d", "chunk_index": 0}}, {"$type$": "Document", "document_name": "d", "uri": uri}]
                    if is_first:
                        server.rpc("records.write", {"records": records})
                    self.assertEqual(post(server, event("COMPLETE", RUNS[0], at(0), "copy", [dataset(DB, "src")], [dataset(space, name)]))[0], 200)
                    if not is_first:
                        server.rpc("records.write", {"records": records})
                    self.assertIn(f"ProvEntity:{DB}/src", {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": "Document:d"})["nodes"]})
                    self.assertEqual(server.rpc("node.get", {"ref": "Document:d", "include": ["record"]})["nodes"][0]["record"]["uri"], uri)

    def test_what_rests_on_a_column(self):
        """orders(id, amount, note) become sums(total, count); what is loaded from sums rests on amount and id, not on note."""
        of = lambda table, *columns: {"inputFields": [{"namespace": DB, "name": table, "field": column} for column in columns]}
        columns = facet(fields={"total": of("orders", "amount"), "count": of("orders", "id"), "day": of("calendar", "day")})
        report = facet(fields={"best": of("sums", "total")}, dataset=[{"namespace": DB, "name": "sums", "field": "day"}])
        self.take(*complete_run(0, "sell", 0, 1, [], ["orders"]),
                  event("START", RUNS[1], at(5), "sum", [dataset(DB, "orders")]), event("COMPLETE", RUNS[1], at(6), "sum", [], [dataset(DB, "sums", columnLineage=columns)]),
                  event("START", RUNS[2], at(7), "best", [dataset(DB, "sums")]), event("COMPLETE", RUNS[2], at(8), "best", [], [dataset(DB, "report", columnLineage=report)]),
                  *complete_run(3, "copy", 9, 10, ["orders"], ["copy"]))
        self.server.rpc("records.write", {"records": [
            {"$type$": "RetrievedChunk", "chunk_id": "c", "content": "x", "metadata": {"document_name": "sums", "chunk_index": 0}}, {"$type$": "Document", "document_name": "sums", "uri": DB + "/sums"},
            {"$type$": "RetrievedChunk", "chunk_id": "e", "content": "y", "metadata": {"document_name": "report", "chunk_index": 0}}, {"$type$": "Document", "document_name": "report", "uri": DB + "/report"}]})
        written = {version("sums", 1): "sums", version("report", 2): "report", version("copy", 3): "copy", "Document:sums": "doc sums", "Document:report": "doc report"}
        rests = lambda ref, column, **more: {written[n["ref"]] for n in self.server.rpc("lineage.descendants", {"ref": ref, "column": column, **more})["nodes"] if n["ref"] in written}
        orders = f"ProvEntity:{DB}/orders"
        for ref in (orders, version("orders", 0)):  # what says nothing of columns rests on all of them
            self.assertEqual(rests(ref, "amount"), {"sums", "doc sums", "report", "doc report", "copy"})
            self.assertEqual(rests(ref, "id"), {"sums", "doc sums", "copy"})
            self.assertEqual(rests(ref, "note"), {"copy"})
        self.assertEqual(rests(version("sums", 1), "day"), {"doc sums", "report", "doc report"})
        self.assertEqual(rests(version("sums", 1), "count"), {"doc sums"})
        whole = {n["ref"]: n["depth"] for n in self.server.rpc("lineage.descendants", {"ref": orders})["nodes"]}
        found = {n["ref"]: n["depth"] for n in self.server.rpc("lineage.descendants", {"ref": orders, "column": "amount"})["nodes"]}
        self.assertEqual({ref: whole.get(ref) for ref in found}.keys() - whole.keys(), set())
        self.assertTrue(all(found[ref] >= whole[ref] for ref in found))
        cut = self.server.rpc("lineage.descendants", {"ref": orders, "column": "amount", "depth": 1})
        self.assertEqual(({n["depth"] for n in cut["nodes"]}, cut["complete"]), ({1}, False))
        self.refused(-32602, "lineage.ancestors", "column", "/column", ref=orders, column="amount")

    def test_columns_that_rest_on_a_column_whatever_came_first(self):
        """Each version with its columns; over a declared view, which two runs read at different moments of its table."""
        of = lambda table, *columns: {"inputFields": [{"namespace": DB, "name": table, "field": column} for column in columns]}
        columns = lambda **fields: {"columnLineage": facet(fields=fields)}
        view = {"eventTime": at(5), "producer": "p", "schemaURL": "s", "job": {"namespace": "shop", "name": "define"}, "inputs": [dataset(DB, "orders")],
                "outputs": [dataset(DB, "view", **columns(sum=of("orders", "amount"), sums=of("orders", "amount", "tax"), day=of("orders", "day")))]}
        reads = lambda number, second, name: [event("START", RUNS[number], at(second), name, [dataset(DB, "view")]),
                                              event("COMPLETE", RUNS[number], at(second + 1), name, [], [dataset(DB, name, **columns(best=of("view", "sum"), last=of("view", "day")))])]
        events = [*complete_run(0, "sell", 1, 2, [], ["orders"]), view, *reads(1, 10, "early"), *complete_run(2, "sell", 20, 21, [], ["orders"]), *reads(3, 30, "late"),
                  *complete_run(4, "copy", 40, 41, ["late"], ["copy"])]
        document = [{"$type$": "RetrievedChunk", "chunk_id": "c", "content": "x", "metadata": {"document_name": "copy", "chunk_index": 0}}, {"$type$": "Document", "document_name": "copy", "uri": DB + "/copy"},
                    {"$type$": "Query", "request_id": "req_1", "question": "Best?"}, {"$type$": "RetrievedChunk", "chunk_id": "d", "content": "y", "request_id": "req_1", "rank": 1, "similarity_score": 0.9, "metadata": {"document_name": "copy", "chunk_index": 1}},
                    {"$type$": "Response", "id": "resp_1", "timestamp": "2026-03-02T00:00:00Z", "agent": "a", "model": "m", "context_units": [{"ref": "RetrievedChunk:d", "weight": 1}]}]
        view_version, orders = f"ProvEntity:{DB}/view#job=shop/define", f"ProvEntity:{DB}/orders"
        wanted = {"amount": {view_version: ["sum", "sums"], version("early", 1): ["best"], version("late", 3): ["best"]}, "tax": {view_version: ["sums"]},
                  "day": {view_version: ["day"], version("early", 1): ["last"], version("late", 3): ["last"]}, "note": {}}
        for order in (events, events[::-1], *(random.Random(SEED + n).sample(events, len(events)) for n in range(3))):
            with self.fresh() as server:
                for n, each in enumerate(order):
                    self.assertEqual(post(server, each)[0], 200)
                    if n == 2:
                        server.rpc("records.write", {"records": document})
                for column, rests in wanted.items():
                    nodes = server.rpc("lineage.descendants", {"ref": orders, "column": column, "limit": 1000})["nodes"]
                    self.assertEqual({n["ref"]: n["columns"] for n in nodes if "columns" in n}, rests, (column, SEED))
                    answers = server.rpc("lineage.descendants", {"ref": orders, "column": column, "node_types": ["Response"]})["nodes"]
                    self.assertEqual([n["ref"] for n in answers], ["Response:resp_1"] if version("late", 3) in rests else [])
                second = {n["ref"] for n in server.rpc("lineage.descendants", {"ref": version("orders", 2), "column": "amount", "limit": 1000})["nodes"]}
                self.assertIn("Response:resp_1", second)
                self.assertNotIn(version("early", 1), second)

    def random_events(self, choose):
        """Events of 25 runs over 6 tables, and for each reading whose version it must be."""
        runs, events = [], []
        for number in range(25):
            begin = choose.randrange(60)
            runs.append((number, begin, begin + choose.randrange(20), choose.sample("abcdef", choose.randrange(3)),
                         choose.sample("abcdef", choose.randrange(1, 3)), choose.choice(["COMPLETE"] * 4 + ["FAIL", None])))
        for number, begin, end, inputs, outputs, state in runs:
            start, stop = complete_run(number, "job" + str(number % 4), begin, end, inputs, outputs, state or "RUNNING")
            if number % 3 == 0:  # it writes as it runs
                start["outputs"] = stop["outputs"]
            stop["outputs"][0]["facets"] = {"schema": facet(fields=[{"name": str(choose.randrange(5))}])}
            events += [start, stop]
        wanted = set()
        for number, begin, end, inputs, _, state in runs:
            before = (begin, begin, end if state else begin, RUNS[number])
            for name in inputs:
                best = None
                for writer, wrote_from, wrote_to, _, outputs, done in runs:
                    place = (wrote_from if writer % 3 == 0 else wrote_to, wrote_from, wrote_to if done else wrote_from, RUNS[writer])
                    is_there = done != "FAIL" or begin < wrote_to
                    if name in outputs and place < before and is_there:
                        best = max(best or (place, writer), (place, writer))
                wanted.add(reading(name, number, best and best[1]))
        return events, wanted

    def test_shuffled_repeated_and_divided_histories_are_one_graph(self):
        for round_ in range(4):
            choose = random.Random(SEED + round_)
            with self.subTest(seed=SEED + round_):
                events, wanted = self.random_events(choose)
                ordered = self.another_server()
                for each in sorted(events, key=lambda e: e["eventTime"]):
                    self.assertEqual(post(ordered, each)[0], 200)
                nodes, edges = self.graph(ordered)
                self.assertEqual({ref for ref in nodes if "#read-by:" in ref}, wanted)
                mixed = self.another_server()
                history = events + choose.sample(events, 10)
                choose.shuffle(history)
                while history:
                    size = choose.choice([1, 1, 3, 20])
                    part, history = history[:size], history[size:]
                    status, _, text = post(mixed, part, "/api/v1/lineage/batch")
                    self.assertEqual((status, json.loads(text)["status"]), (200, "success"))
                self.assertEqual(self.graph(mixed), (nodes, edges))
                self.assertTrue(mixed.rpc("admin.verify", {})["ok"])

    def test_an_export_is_imported_as_it_was(self):
        events, _ = self.random_events(random.Random(SEED))
        for number, each in enumerate(events):
            self.take(each)
            name = "abcdef"[number % 6]
            if number % 7 == 0:
                self.server.rpc("records.write", {"records": [
                    {"$type$": "RetrievedChunk", "chunk_id": "c" + name, "content": "x", "metadata": {"document_name": name, "chunk_index": 0}}]})
            if number % 7 == 3:
                self.server.rpc("records.write", {"records": [{"$type$": "Document", "document_name": name, "uri": DB + "/" + name}]})
        self.assertIn("LOADED_FROM", {edge[2] for edge in self.graph(self.server)[1]})
        lines = whence("export", "--format", "jsonl", "--url", self.server.url, "-o", "-").stdout
        local = self.db + "-copy"
        done = whence("import", "-", "--format", "jsonl", "--db", local, stdin=lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Server(local) as copy:
            self.assertEqual(self.graph(copy), self.graph(self.server))
            self.assertTrue(copy.rpc("admin.verify", {})["ok"])
            self.assertEqual(whence("export", "--format", "jsonl", "--url", copy.url, "-o", "-").stdout, lines)
        document = json.loads(whence("export", "--format", "prov-json", "--url", self.server.url, "-o", "-").stdout)
        self.assertIn(f"run:{RUNS[0]}", document["activity"])
        self.assertEqual(document["prefix"]["run"], "urn:uuid:")
        names = [name for name in document["entity"] if name.endswith(":a")]
        self.assertEqual([document["prefix"][name.split(":")[0]] for name in names if name.startswith("ds")], [DB + "/"])

    def test_a_file_without_a_format_is_told_its_format(self):
        lines = [json.dumps(each) for each in complete_run(0, "load", 0, 1, ["a"], ["t"])]
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("one.json", lines[0]), ("all.json", f"[{','.join(lines)}]"), ("all.jsonl", "\n".join(lines)), ("mark.json", "\ufeff" + lines[0]), ("wide.json", json.dumps(json.loads(lines[0]), indent=1))):
                path = folder + "/" + name
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                done = whence("import", path, "--url", self.server.url)
                self.assertEqual((done.returncode, "import them with --format openlineage" in done.stderr), (4, True), done.stderr)
                done = whence("import", path, "--format", "openlineage", "--url", self.server.url)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_file_becomes_what_it_would_over_http(self):
        events, _ = self.random_events(random.Random(SEED))
        bad = {**events[0], "run": {"runId": "7"}}
        lines = [json.dumps(each) for each in [events[0], bad, *events[1:]]]
        for dry, told in (("--dry-run", "checked"), (None, "imported")):
            done = whence("import", "-", "--format", "openlineage", "--url", self.server.url, *([dry] if dry else []), stdin="\n".join(lines))
            self.assertEqual(done.returncode, 4)
            self.assertEqual(done.stderr, f"line 2: /run/runId: must be a UUID\n{told} {len(lines)} events, 1 of them refused\n")
        local = self.db + "-local"
        done = whence("import", "-", "--format", "openlineage", "--db", local, "--json", stdin=json.dumps(events))
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, {"events": len(events), "refused": 0, "dry_run": False}))
        found = json.loads(whence("rpc", "node.find", '{"type":"ProvEntity","limit":10000}', "--db", local).stdout)["nodes"]
        self.assertEqual({n["ref"] for n in found}, {r for r in self.graph(self.server)[0] if r.startswith("ProvEntity:")})


if __name__ == "__main__":
    unittest.main()
