"""What a notebook shows and asks: escaped tables and trees, graphs with edges and root, datetimes, ratings, exports."""
import importlib.util
import json
import re
import tempfile
import unittest
from html import unescape
from pathlib import Path
from unittest import mock

from client_case import ClientCase, unit, whence
from whence import notebook
from whence.notebook import PictureParts

HOSTILE = "<script>alert(1)</script>&\"'"


class NotebookTest(ClientCase):
    def test_answers_are_tables_and_trees_without_markup_of_others(self):
        id = self.id_of("cu")
        self.db.records.write([unit(id, content=HOSTILE)])
        with self.db.call(agent=HOSTILE, model="m") as c:
            c.used(id)
            c.content = HOSTILE
        self.db.flush()
        story = self.db.lineage.ancestors(c.id, form="graph", include=["record"])
        story.all()
        with mock.patch.object(self.db._beside, "parts", self.no_parts):  # of a server without the page
            html = story._repr_html_()
            with self.assertRaises(ValueError):
                story.to_html()
        self.assertIn(f"<code>ContextUnit:{id}</code>", html)
        self.assertIn(f"<code>Response:{c.id}</code>", html)
        self.assertIn("<table>", html)
        self.assertNotIn("<script", html)
        self.assertIn("&lt;script&gt;", html)
        events = self.db.history.get(f"ContextUnit:{id}")
        events.all()
        self.assertIn("<th>op</th>", events._repr_html_())
        rows = self.db.query("MATCH (u:ContextUnit {id: $id}) RETURN u.content AS `a<b`, [1] AS list", params={"id": id})
        rows.all()
        self.assertIn("<th>a&lt;b</th><th>list</th>", rows._repr_html_())
        self.assertNotIn("<script", rows._repr_html_())

    def test_cells_that_are_nodes_are_their_words_and_a_small_ref(self):
        first, second = self.write_units(2)
        self.db.unit.update(f"ContextUnit:{first}", content=HOSTILE)
        found = self.db.query("MATCH (u:ContextUnit {id: $id})-[e]->(r) RETURN u, e, [u, r] AS both, {of: r} AS map, null AS none, 0.25 AS f",
                              params={"id": second})
        found.all()
        html = found._repr_html_()
        cells = re.findall(r"<td>(.*?)</td>", html)
        unit = f"{second}<br><small><code>ContextUnit:{second}</code></small>"
        made = f"<small><code>Response:{self.id_of('resp')}</code></small>"
        self.assertEqual(cells[0].partition("<br>")[2], unit.partition("<br>")[2])
        self.assertRegex(cells[1], rf"^USED_IN<br><small><code>ContextUnit:{second}</code> → <code>Response:")
        self.assertTrue(cells[2].startswith(cells[0] + "<br>") and cells[2].endswith(made), cells[2])
        self.assertTrue(cells[3].startswith("of: ") and cells[3].endswith(made), cells[3])
        self.assertEqual(cells[4:], ["", "0.25"])
        self.assertNotIn("{", "".join(cells))
        hostile = self.db.query("MATCH (u:ContextUnit) WHERE u.content = $text RETURN u", params={"text": HOSTILE})
        hostile.all()
        self.assertIn("<td>&lt;script&gt;", hostile._repr_html_())
        self.assertNotIn("<script", hostile._repr_html_())

    def test_an_answer_of_several_lists_has_a_table_of_each_and_its_frame_their_names(self):
        first, second, other = [self.id_of(name) for name in ("cu_a", "cu_b", "cu_c")]
        self.db.records.write([unit(id, content=f"What {id} says.") for id in (first, second, other)])
        said = {}
        for units in ({first: 0.75, second: 0.25}, {first: 0.5, other: 0.5}):
            with self.db.response("a", "m", content="Said.") as r:
                for id, weight in units.items():
                    r.used(id, weight)
            said[len(said)] = r.id
        differing = self.db.diff(said[0], said[1])
        differing.all()
        html = differing._repr_html_()
        tables = dict(re.findall(r"<table><caption>(\w+)</caption>(.*?)</table>", html, re.S))
        for name, ref, cell in (("added", other, "0.5"), ("removed", second, "0.25"), ("reweighted", first, "0.75")):
            self.assertEqual(tables[name].count("<tr>"), 2, name)
            self.assertIn(f"<td>What {ref} says.</td>", tables[name])
            self.assertIn(f"<td>{cell}</td>", tables[name])
        self.assertNotIn("$type$", html)
        if importlib.util.find_spec("pandas"):
            frame = self.db.diff(said[0], said[1]).to_pandas()
            self.assertEqual({(ref.partition(":")[2], name) for ref, name in zip(frame["ref"], frame["list"]) if name != "common"},
                             {(other, "added"), (second, "removed"), (first, "reweighted")})
            self.assertNotIn("list", self.db.why(said[0]).to_pandas().columns)
        lost = self.db.without(first)
        lost.all()
        self.assertIn("<th>effect</th><th>lost</th><th>remains</th>", lost._repr_html_())
        self.assertIn("<td>weakened</td><td>0.75</td><td>0.25</td>", lost._repr_html_())
        self.db.unit.update(f"ContextUnit:{first}", content="Mended.")
        stale = self.db.stale(f"Response:{said[0]}")
        stale.all()
        self.assertRegex(stale._repr_html_(), r"<th>reasons</th><th>newer</th>.*<td>updated</td><td>ContextUnit:cu_")

    def test_words_of_versions_xml_and_signs_that_turn_a_text_are_readable(self):
        parts = [{"op": "same", "text": "until "}, {"op": "removed", "text": "22"}, {"op": "added", "text": "18<"}]
        self.assertEqual(notebook.shown({"same": False, "parts": parts}), "until [-22-]{+18&lt;+}")
        self.assertEqual(notebook.shown({"same": False, "parts": [1, {"op": []}]}), "")
        self.assertEqual(notebook.shown("\u202egnp.exe"), "⟨U+202E⟩gnp.exe")
        record = {"xmlContent": "<llmResponse><response>Yes, until 18.</response></llmResponse>"}
        self.assertEqual(notebook.label_of({"ref": "XMLMessageAttachment:ab", "type": "XMLMessageAttachment", "id": "ab", "record": record}), "Yes, until 18.")

    def test_long_lists_and_deep_maps_are_cut(self):
        self.assertEqual(notebook.shown(list(range(9))), "0<br>1<br>2<br>3<br>4<br>5<br>… 3 more")
        deep = "<"
        for _ in range(9):
            deep = [deep]
        self.assertEqual(notebook.shown(deep), "[[[[[[&quot;&lt;&quot;]]]]]]")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_frames_of_queries_have_labels_of_their_nodes(self):
        id = self.id_of("cu")
        self.db.records.write([unit(id, content="What it says.")])
        frame = self.db.query("MATCH (u:ContextUnit {id: $id}) RETURN u, u.id AS id, null AS n", params={"id": id}).to_pandas()
        self.assertEqual(list(frame.columns), ["u", "u.label", "id", "n"])
        self.assertEqual((frame["u.label"][0], frame["id"][0], frame["u"][0]["ref"]), ("What it says.", id, f"ContextUnit:{id}"))

    @staticmethod
    async def no_parts():
        return None

    @staticmethod
    async def some_parts():
        return PictureParts("draw('</script>')", "a{}", {"records": [], "edges": []})

    def test_a_lineage_is_a_picture_in_a_document_of_its_own(self):
        first, second = self.write_units(2)
        response = self.id_of("resp")
        self.db.unit.update(f"ContextUnit:{first}", content=HOSTILE)
        with mock.patch.object(self.db._beside, "parts", self.some_parts):
            html = self.db.why(response).to_html()
            self.assertEqual(html.count("<script"), 2)
            self.assertEqual(html.count("</script>"), 2)
            graph = json.loads(re.search(r'id="graph">(.*?)</script>', html)[1])
            self.assertEqual(graph["root"], f"Response:{response}")
            self.assertEqual({node["id"] for node in graph["nodes"]}, {first, second, response})
            self.assertTrue(all(node.get("record") for node in graph["nodes"]))
            self.assertEqual({(edge["from"], edge["to"]) for edge in graph["edges"]},
                             {(f"ContextUnit:{each}", f"Response:{response}") for each in (first, second)})
            why = self.db.why(response)
            why.all()
            shown = why._repr_html_()
            self.assertTrue(shown.startswith('<iframe sandbox="allow-scripts"'), shown[:100])
            self.assertIn(html, unescape(shown))
            with self.assertRaises(ValueError):
                self.db.node.find("ContextUnit").to_html()  # it has no edges
        with mock.patch.object(self.db._beside, "nodes", side_effect=whence.ConnectionLost("gone")):
            self.assertIn("<table>", why._repr_html_())  # it is all here

    def test_nodes_have_words_where_their_records_were_not_asked_for(self):
        id = self.id_of("cu")
        self.db.records.write([unit(id, content="What it says."), {**unit(id + "2"), "previous_version_id": id, "version": 2, "content": "Now."}])
        versions = self.db.versions.list(f"ContextUnit:{id}")
        versions.all()
        self.assertIn("<td>What it says.</td>", versions._repr_html_())
        found = self.db.node.find("ContextUnit", where={"id": id})
        if importlib.util.find_spec("pandas"):
            self.assertEqual(found.to_pandas()["label"].tolist(), ["What it says."])
        if importlib.util.find_spec("networkx"):
            graph = self.db.why(f"ContextUnit:{id}2").to_networkx()
            self.assertEqual(set(dict(graph.nodes(data="label")).values()), {"What it says.", "Now."})

    @unittest.skipUnless(importlib.util.find_spec("networkx"), "networkx is not installed")
    def test_a_graph_has_its_edges_and_its_root(self):
        first, second = self.write_units(2)
        graph = self.db.lineage.ancestors(self.id_of("resp")).to_networkx()
        root = f"Response:{self.id_of('resp')}"
        self.assertEqual(graph.graph["root"], root)
        self.assertEqual(set(graph.predecessors(root)), {f"ContextUnit:{first}", f"ContextUnit:{second}"})
        alone = self.db.lineage.ancestors(first).to_networkx()
        self.assertEqual((alone.graph["root"], list(alone.nodes)), (f"ContextUnit:{first}", [f"ContextUnit:{first}"]))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_times_are_datetimes(self):
        self.db.records.write([unit(self.id_of("cu"), source=self._testMethodName),
                               {"$type$": "Topic", "id": self._testMethodName, "name": "n", "createdAt": 1760026500000}])
        units = self.db.node.find("ContextUnit", where={"source": self._testMethodName}, include=["record"]).to_pandas()
        topics = self.db.node.find("Topic", where={"id": self._testMethodName}, include=["record"]).to_pandas()
        self.assertEqual(units.timestamp[0].isoformat(), "2025-10-09T16:15:00+00:00")
        self.assertEqual(topics.createdAt[0].isoformat(), "2025-10-09T16:15:00+00:00")

    def test_a_rating_is_one_call(self):
        self.write_units(1)
        id = self.db.feedback(self.id_of("resp"), -0.5, "wrong")
        record = self.db.node.get(id, include=["record"])["nodes"][0]["record"]
        self.assertEqual((record["response_id"], record["score"], record["feedback_text"]), (self.id_of("resp"), -0.5, "wrong"))
        self.assertEqual(len(self.db.feedback.list(self.id_of("resp")).all()), 1)
        with self.assertRaises(whence.InvalidRecord):
            self.db.feedback(self.id_of("resp"), 7)

    def test_the_questions_have_the_names_that_they_have_everywhere(self):
        first, second = self.write_units(2)
        response = self.id_of("resp")
        for own, method in [(self.db.why(response), self.db.lineage.ancestors(response)), (self.db.impact(first), self.db.impact.analyze([first])),
                            (self.db.impact([first, second]), self.db.impact.analyze([first, second])),
                            (self.db.blame(responses=[response]), self.db.impact.blame(responses=[response])),
                            (self.db.without(first), self.db.impact.without([first])),
                            (self.db.diff(response, first), self.db.lineage.diff(a=response, b=first)),
                            (self.db.stale(first), self.db.lineage.stale(ref=first)), (self.db.stale(), self.db.lineage.stale())]:
            self.assertEqual(own.all(), method.all())
        self.assertEqual({node["id"] for node in self.db.why(response)}, {first, second})

    def test_an_export_is_one_call(self):
        self.write_units(1)
        with tempfile.TemporaryDirectory() as folder:
            files = self.db.export("jsonl", folder)
            self.assertEqual([file.parent for file in files], [Path(folder)] * len(files))
            self.assertTrue(any(self.id_of("resp") in file.read_text() for file in files))
            self.assertFalse(list(Path(folder).glob("*.partial*")))
            tables = {file.name for file in self.db.export("csv", Path(folder) / "csv", select="whole")}
            self.assertIn("nodes.csv", tables)
            with self.assertRaises(whence.InvalidParams):
                self.db.export("nothing", folder)

    def test_errors_are_short_where_ipython_shows_them(self):
        with self.assertRaises(whence.NotFound) as caught:
            self.db.node.get("cu_nobody")
        self.assertEqual(len(caught.exception._render_traceback_()), 1)


if __name__ == "__main__":
    unittest.main()
