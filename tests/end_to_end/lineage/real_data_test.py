"""Loads the human evaluations of a public benchmark and checks every answer about every node against `naive.World`:
after loading, after a restart, and after the server was killed.

The data is not part of the repository: WHENCE_REAL_DATA names the folder that holds the converter and its input. Without
it the test is skipped with that reason.
"""
import json
import math
import subprocess
import tempfile
import unittest

from support.real_data import DATA, real_batches
from support.naive import World
from support.program import Server, WHENCE

WALKED = ("Response:", "ContextUnit:", "XMLMessageAttachment:", "Summary:")  # the lineage of each is queried


@unittest.skipUnless((DATA / "mtrag_to_records.py").is_file(), f"no data in {DATA}")
class RealDataTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.batches = list(real_batches())
        for batch in cls.batches:
            cls.world.write(batch["records"])
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = Server(cls.folder.name + "/db")
        lines = "".join(json.dumps(b, ensure_ascii=False) + "\n" for b in cls.batches)
        subprocess.run([WHENCE, "load", "-", "--url", cls.server.url], input=lines, text=True, check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.folder.cleanup()

    def ask_all(self, method, params):
        """Results of one method for many params, in batches, following no cursors: limits are set high enough."""
        results = []
        for begin in range(0, len(params), 200):
            part = params[begin:begin + 200]
            answers = self.server.rpc_batch([(method, p) for p in part])
            results += answers
        return results

    def check_lineage(self, method, expected):
        refs = [r for r in self.world.records if r.startswith(WALKED)]
        for ref, result in zip(refs, self.ask_all(method, [{"ref": r, "limit": 10000} for r in refs]), strict=True):
            want, got = expected(ref), result["nodes"]
            self.assertTrue(result["complete"], ref)
            self.assertEqual([(n["depth"], n["ref"]) for n in got], [(d, n) for d, _, n in want], ref)
            for node, (_, weight, _) in zip(got, want):
                self.assertTrue(math.isclose(node["weight"], weight, rel_tol=1e-12), (ref, node))

    def check_everything(self):
        self.check_lineage("lineage.ancestors", self.world.ancestors)
        self.check_lineage("lineage.descendants", self.world.descendants)
        self.check_impact()
        self.check_influence()
        self.check_blame()
        self.check_feedback()
        self.check_manifests()
        self.check_extracted()
        self.check_attachments()

    def check_extracted(self):
        """Keywords, subjects and summaries, member by member, and the number of their edges."""
        want = self.world.extracted.everything()
        self.assertGreater(len(want), 0)
        for kind in ("Keyword", "Subject", "Summary"):
            count = self.server.rpc("node.count", {"type": kind})["count"]
            self.assertEqual(count, sum(ref.startswith(kind + ":") for ref in want), kind)
        refs = list(want)
        for begin in range(0, len(refs), 500):
            part = refs[begin:begin + 500]
            nodes = self.server.rpc("node.get", {"refs": part, "include": ["record", "edges"]})["nodes"]
            for ref, node in zip(part, nodes, strict=True):
                self.assertEqual(node["record"], want[ref], ref)
        edges = self.server.rpc("server.info", {})["edges"]
        self.assertEqual(edges["EXTRACTED_FROM"], len(self.world.extracted.edges))

    def check_attachments(self):
        by_topic = {}
        for name, record in self.world.extracted.attachments.items():
            by_topic.setdefault(record["topicId"], []).append((name, record))
        for topic, want in by_topic.items():
            got = self.server.rpc("attachment.list", {"topicId": topic, "limit": 10000})
            self.assertEqual(got["count"], len(want))
            self.assertEqual(got["total_size"], sum(r["size"] for _, r in want))
            self.assertEqual({r["hash"] for r in got["records"]}, {n for n, _ in want})
        every = self.server.rpc("attachment.list", {"count_only": True})
        self.assertEqual(every["count"], len(self.world.extracted.attachments))

    def check_impact(self):
        refs = [r for r in self.world.records if r.startswith(("Response:", "ContextUnit:"))]
        for ref, result in zip(refs, self.ask_all("impact.analyze", [{"refs": [r], "limit": 10000} for r in refs]), strict=True):
            affected, by_type, by_depth = self.world.impact(ref)
            self.assertEqual(result["counts"], {"by_type": by_type, "by_depth": by_depth}, ref)
            self.assertEqual({n["ref"] for n in result["nodes"]}, set(affected), ref)
            shares = [n["share"] for n in result["nodes"]]
            self.assertEqual(shares, sorted(shares, reverse=True), ref)
            for node in result["nodes"]:
                self.assertTrue(math.isclose(node["share"], affected[node["ref"]], rel_tol=1e-9), ref)

    def check_influence(self):
        refs = [r for r in self.world.records if r.startswith(("Response:", "ContextUnit:"))]
        for ref, result in zip(refs, self.ask_all("lineage.influence", [{"ref": r, "limit": 10000} for r in refs]), strict=True):
            want = self.world.influence(ref)
            self.assertEqual({n["ref"] for n in result["nodes"]}, set(want), ref)
            for node in result["nodes"]:
                self.assertTrue(math.isclose(node["share"], want[node["ref"]], rel_tol=1e-9), ref)

    def check_blame(self):
        responses = [r for r in self.world.records if r.startswith("Response:")]
        for below in (-0.5, -0.1, 0.0, 0.5, 1.1):
            rated = [r for r in responses if self.world.mean_score(r) is not None]
            bad = {r for r in rated if self.world.mean_score(r) < below}
            want = self.world.blame(bad, rated)
            result = self.server.rpc("impact.blame", {"score_below": below, "limit": 10000})
            self.assertEqual((result["all_rated"], result["all_bad"]), (len(rated), len(bad)))
            self.assertEqual({n["ref"]: (n["bad"], n["rated"]) for n in result["nodes"]},
                             {u: (count, all_of) for u, (_, count, all_of) in want.items()})
            for node in result["nodes"]:
                self.assertTrue(math.isclose(node["share"], want[node["ref"]][0], rel_tol=1e-9), node)
        for response, result in zip(responses, self.ask_all("impact.blame", [{"responses": [r], "limit": 10000} for r in responses]), strict=True):
            self.assertEqual({n["ref"] for n in result["nodes"]}, set(self.world.blame({response}, [response])), response)

    def check_feedback(self):
        units = [r for r in self.world.records if r.startswith("ContextUnit:")]
        for unit, result in zip(units, self.ask_all("feedback.list", [{"ref": r, "limit": 10000} for r in units]), strict=True):
            self.assertEqual([result["aggregate_score"], result["feedback_count"], result["status"]],
                             self.world.scores[unit], unit)
        responses = [r for r in self.world.records if r.startswith("Response:")]
        for response, result in zip(responses, self.ask_all("feedback.list", [{"ref": r, "limit": 10000} for r in responses]), strict=True):
            want = self.world.feedback[response]
            self.assertEqual([r["id"] for r in result["records"]], [f["id"] for f in want], response)
            self.assertEqual(result["feedback_count"], len(want))
            if want:
                self.assertTrue(math.isclose(result["mean_score"], self.world.mean_score(response), rel_tol=1e-12, abs_tol=1e-12))

    def check_manifests(self):
        responses = [r for r in self.world.records if r.startswith("Response:")]
        params = [{"response_id": r.split(":", 1)[1], "max_bytes": 1_000_000} for r in responses]
        for response, result in zip(responses, self.ask_all("lineage.manifest", params), strict=True):
            self.assertEqual(result["manifest"], self.world.manifest(response), response)
            self.assertEqual(list(result["manifest"]), list(self.world.manifest(response)))
            self.assertEqual(result["omitted"], [])
            text = json.dumps(self.world.manifest(response), separators=(",", ":"), ensure_ascii=False)
            self.assertEqual(result["manifest_bytes"], len(text.replace(".0,", ",").encode()), response)

    def test_every_answer_agrees_live_after_restart_and_after_kill(self):
        with self.subTest("live"):
            self.check_everything()
        with self.subTest("restart"):
            self.server.stop()
            type(self).server = Server(self.folder.name + "/db")
            self.check_everything()
        with self.subTest("kill -9"):
            self.server.kill()
            type(self).server = Server(self.folder.name + "/db")
            self.check_everything()

    def test_loading_again_changes_nothing(self):
        before = self.server.rpc("server.info", {})["tx"]
        lines = "".join(json.dumps(b, ensure_ascii=False) + "\n" for b in self.batches)
        subprocess.run([WHENCE, "load", "-", "--url", self.server.url], input=lines, text=True, check=True,
                       capture_output=True)
        self.assertEqual(self.server.rpc("server.info", {})["tx"], before)
