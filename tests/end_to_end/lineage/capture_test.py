"""Claim: a real call is recorded as it happened: its texts, the passages within it, none or thousands of them, weights of any
sum, members that no record has. What strict mode refuses is flagged, found by its flag, seen in events and exports, counted.

Method: a server in capture mode, over HTTP, and the program; what is recorded is read back, also after a restart and from a
restored export.
"""
import json
import subprocess
import unittest

from support.program import RpcError, Server, whence
from support.wire_case import INVALID_RECORD, PRECONDITION, WireCase

TIME = "2025-10-09T16:15:00Z"


class CaptureTest(WireCase):
    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--mode", "capture")

    def call(self, **members):
        """A Response whose id is the test's name, unless another is given."""
        return {"$type$": "Response", "id": "resp_" + self.name, "timestamp": TIME, "agent": "app", "model": "m",
                "context_units": [], **members}

    def record(self, ref):
        return self.rpc("node.get", ref=ref, include=["record"])["nodes"][0]["record"]

    def unit_of(self, response):
        """The id of the first unit that it used."""
        return self.record(response)["context_units"][0]["context_unit_id"]

    def refused(self, code, rule, method, **params):
        with self.assertRaises(RpcError) as caught:
            self.rpc(method, **params)
        self.assertEqual((caught.exception.code, caught.exception.error["data"]["rule"]), (code, rule))
        return caught.exception.error

    def test_texts_come_back_whatever_their_length(self):
        for place, size in enumerate((0, 1, 4096, 4097, 1 << 20)):
            text = ("é\n\"\\" * size)[:size]
            given = self.call(id=f"resp_text_{place}", content=text, prompt=text + "?", request_id="req of mine",
                              usage={"input_tokens": 12}, latency_ms=12.5, cost=0.001,
                              context_units=[{"content": text + "!", "source": "s", "type": "User", "weight": 1}])
            self.write(given)
            record = self.record(f"resp_text_{place}")
            for member in ("content", "prompt", "request_id", "usage", "latency_ms", "cost"):
                self.assertEqual(record[member], given[member], member)
            unit, = record["context_units"]
            self.assertEqual(unit["weight"], 1)
            self.assertRegex(unit["context_unit_id"], "^cu_[0-9a-f]{32}$")
            self.assertEqual(self.record(unit["context_unit_id"])["content"], text + "!")
            self.assertTrue(self.write(given).get("unchanged"))
        found = self.rpc("node.find", type="Response", where={"request_id": {"eq": "req of mine"}})["nodes"]
        self.assertEqual(len(found), 5)

    def test_a_passage_sent_again_is_one_unit_and_its_impact_adds_up(self):
        passage = {"content": "The bill is due in June.", "source": "faq"}
        for day in (1, 2, 3):
            self.write(self.call(id=f"resp_again_{day}", timestamp=f"2025-10-0{day}T00:00:00Z", context_units=[
                {**passage, "type": "External" if day % 2 else "User", "weight": 0.5},
                {"content": f"Only on day {day}.", "source": "faq", "type": "User", "weight": 0.5}]))
        unit = self.unit_of("resp_again_1")
        self.assertEqual(self.rpc("impact.analyze", refs=[unit])["counts"]["by_type"], {"Response": 3})
        record = self.record(unit)
        self.assertEqual((record["type"], record["timestamp"], record["version"]), ("External", "2025-10-01T00:00:00Z", 1))
        self.assertTrue(self.write({"$type$": "ContextUnit", "type": "User", **passage, "summary": "again"})["unchanged"])

    def test_what_strict_mode_refuses_is_recorded_and_flagged(self):
        units = [{"content": f"passage {i}", "source": f"doc {i % 7}", "type": "External", "score": 0.5} for i in range(60)]
        given = self.call(context_units=units, finish_reason="stop", choices=[{"index": 0}])
        self.refused(INVALID_RECORD, "unknown_field", "records.write", records=[given], mode="strict")
        self.write(given)
        record = self.record("resp_" + self.name)
        self.assertEqual(record["flags"], ["many_units", "unknown_members", "weights_left_out"])
        self.assertEqual(len(record["context_units"]), 60)
        self.assertAlmostEqual(sum(u["weight"] for u in record["context_units"]), 1)
        self.assertEqual(record["attributes"]["finish_reason"], "stop")
        self.assertEqual(record["attributes"]["choices"], [{"index": 0}])
        self.assertEqual(record["attributes"]["context_units/59/score"], 0.5)

    def test_weights_are_scaled_and_the_given_ones_kept(self):
        self.write(self.call(context_units=[{"content": str(i), "source": "s", "weight": w} for i, w in enumerate((3, 1))]))
        record = self.record("resp_" + self.name)
        self.assertEqual([u["weight"] for u in record["context_units"]], [0.75, 0.25])
        self.assertEqual((record["given_weights"], record["flags"]), ([3, 1], ["scaled_weights"]))

    def test_flags_are_found_counted_and_in_events_and_exports(self):
        tx = self.head()
        self.write(self.call())
        found = self.rpc("node.find", type="Response", where={"flags": {"has": "no_units"}})["nodes"]
        self.assertIn("Response:resp_" + self.name, [node["ref"] for node in found])
        self.assertEqual(self.rpc("node.count", type="Response", where={"flags": {"has": "unsupported"}})["count"], 0)
        self.assertRegex(self.server.get("/metrics")[1].decode(), r'whence_flags_total\{flag="no_units"\} [1-9]')
        shown = whence("find", "Response", "--where", "flags=no_units", "--url", self.server.url, "--json")
        self.assertIn("resp_" + self.name, shown.stdout)
        watched = whence("watch", "--since", tx, "--until-caught-up", "--json", "--include", "record", "--url",
                         self.server.url)
        self.assertEqual(json.loads(watched.stdout.splitlines()[0])["record"]["flags"], ["no_units"], watched.stderr)
        for form in ("jsonl", "csv", "graphml", "prov-json"):
            folder = f"{self.folder.name}/{form}"
            done = whence("export", "--format", form, "--output", folder, "--url", self.server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = subprocess.run(["grep", "-rl", "no_units", folder], capture_output=True, check=False)
            self.assertEqual(found.returncode, 0, form)

    def test_a_restored_export_has_the_texts_and_the_flags(self):
        self.write(self.call(content="x" * 5000, prompt="short", usage={"output_tokens": 3},
                             context_units=[{"content": "y" * 6000, "source": "s", "weight": w} for w in (7, 2)]))
        self.write(self.call(id="resp_none_" + self.name))
        path, copy = self.folder.name + "/copy.jsonl", self.folder.name + "/copy"
        self.assertEqual(whence("export", "--format", "jsonl", "--output", path, "--url", self.server.url).returncode, 0)
        restored = whence("import", path, "--db", copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        for ref in ("resp_" + self.name, "resp_none_" + self.name, self.unit_of("resp_" + self.name)):
            shown = whence("rpc", "node.get", json.dumps({"ref": ref, "include": ["record"]}), "--db", copy)
            self.assertEqual(json.loads(shown.stdout)["nodes"][0]["record"], self.record(ref), shown.stderr)
        self.assertEqual(whence("verify", "--db", copy).returncode, 0)

    def test_texts_survive_a_kill(self):
        self.write(self.call(content="z" * 9000))
        self.restart_after_kill()
        self.assertEqual(self.record("resp_" + self.name)["content"], "z" * 9000)

    def test_put_takes_a_mode(self):
        store = self.folder.name + "/put"
        text = json.dumps(self.call())
        self.assertEqual(whence("put", "--db", store, stdin=text).returncode, 4)
        self.assertEqual(whence("put", "--db", store, "--mode", "capture", stdin=text).returncode, 0)
        self.assertEqual(whence("load", "-", "--db", store, "--mode", "capture", stdin=json.dumps(self.call(id="resp_2"))).returncode, 0)

    def test_a_used_unit_is_kept_and_a_deleted_one_tells_nothing(self):
        unit = {"content": "secret " + self.name, "source": "secret place", "summary": "secret", "type": "User"}
        self.write(self.call(context_units=[{**unit, "weight": 1}]),
                   {"$type$": "FeedbackRecord", "id": "fb_" + self.name, "response_id": "resp_" + self.name, "timestamp": TIME,
                    "score": 1})
        name = self.unit_of("resp_" + self.name)
        error = self.refused(PRECONDITION, "in_use", "records.delete", refs=[name])
        self.assertIn("is used by 1 response: Response:resp_" + self.name, error["data"]["errors"][0]["message"])
        self.rpc("records.delete", refs=[name], force=True)
        for given_again in (False, True):
            if given_again:
                self.write({"$type$": "ContextUnit", "id": name, "type": "User", "source": "other", "timestamp": TIME, "version": 1})
            manifest = self.rpc("lineage.manifest", response_id="resp_" + self.name)["manifest"]
            self.assertEqual(manifest["context_tree"], [{"id": name, "weight": 1, "deleted": True}])
            self.assertNotIn("secret", json.dumps(manifest))
            self.assertNotIn("other", json.dumps(manifest))
        deleted = self.rpc("records.delete", refs=["resp_" + self.name])["deleted"]
        self.assertEqual(deleted, ["Response:resp_" + self.name, "FeedbackRecord:fb_" + self.name])

    def test_hostile_calls_are_refused_or_bounded(self):
        for members in ({"content": 7}, {"content": "x" * (4 << 20) + "x"}, {"usage": []}, {"flags": ["mine"]},
                        {"context_units": [{"weight": 1}]}, {"context_units": [{"content": 7}]},
                        {"context_units": [{"content": "x", "source": "s", "weight": "much"}]},
                        {"context_units": [{"content": str(i), "weight": 1} for i in range(10_001)]}):
            with self.subTest(members=str(members)[:60]), self.assertRaises(RpcError) as caught:
                self.write(self.call(**members))
            self.assertEqual(caught.exception.code, INVALID_RECORD)
        self.write(self.call(context_units=[{"context_unit_id": "cu_never", "weight": 1}]))
        self.assertIn("unknown_source", self.record("cu_never")["flags"])
        self.rpc("records.delete", refs=["Response:resp_" + self.name], force=True)
        self.write(self.call(attributes={"a": 1}, **{f"u{i}": "x" * 100 for i in range(3000)}))
        record = self.record("resp_" + self.name)
        self.assertEqual(record["flags"], ["members_dropped", "no_units", "unknown_members"])
        self.assertLessEqual(len(json.dumps(record["attributes"], separators=(",", ":"))), 16384)


if __name__ == "__main__":
    unittest.main()
