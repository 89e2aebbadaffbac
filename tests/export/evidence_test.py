"""`whence evidence`: a folder of what happened in a period. Counts are compared with what was written; its proof is checked by
`whence check` and by the verifier in Python, also where somebody changed the folder. The page itself is tests/explorer/case_test.mjs."""
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import places  # noqa: F401
from records import feedback, response, unit
from whence_e2e import WHENCE, Server, clean_env, whence as run

VERIFIER = Path(__file__).resolve().parents[2] / "tools/verify/whence-verify"
FORM = '<html><script type="application/json" id="case"></script><script>document</script></html>'
AGENT, TOPIC = "helper", "t1"


def decision(name, subject, verdict, **more):
    return {"$type$": "Decision", "id": f"dec_{name}", "subject": subject, "verdict": verdict, "by": "ann", "timestamp": "2025-10-10T09:00:00Z", **more}


class EvidenceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place = Path(folder.name)
        (cls.place / "bin/explorer").mkdir(parents=True)
        cls.program = cls.place / "bin/whence"
        shutil.copy2(WHENCE, cls.program)
        for name, text in (("index.html", "<p>"), ("case.html", FORM)):
            (cls.place / "bin/explorer" / name).write_text(text)
        cls.db = cls.place / "db"
        cls.put(unit("a"), unit("b"), response("1", a=1), {**response("2", b=1), "agent": AGENT}, {"$type$": "Topic", "id": TOPIC})
        cls.put({"$type$": "Message", "id": "m1", "topicId": TOPIC, "text": "Hello"})
        cls.put(feedback("f", "1", -0.5), {**feedback("g", "2", 1), "user_id": "bob", "feedback_text": "good"})
        cls.put(decision("x", "Response:resp_2", "reject", reason="wrong <b>"), decision("y", "Response:resp_1", "approve"))
        cls.middle = json.loads(cls.call("history.get", {"ref": "dec_y"}))["events"][0]["at"]
        for args in (["delete", "fb_f", "--reason", "a mistake"], ["purge", "cu_b", "--reason", "asked for"], ["delete", "Message:m1"]):
            done = run(*args, "--db", cls.db, "--yes")
            assert done.returncode == 0, done.stderr

    @classmethod
    def put(cls, *records):
        done = run("put", "--db", cls.db, stdin=json.dumps(list(records)))
        assert done.returncode == 0, done.stderr

    @classmethod
    def call(cls, method, params):
        done = run("rpc", method, json.dumps(params), "--db", cls.db)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_verb(self, *args):
        return subprocess.run([self.program, "evidence", *map(str, args)], capture_output=True, text=True, encoding="utf-8", env=clean_env(),
                              timeout=120)

    def evidence(self, *args, target=None):
        out = Path(tempfile.mkdtemp(dir=self.place)) / "out"
        done = self.run_verb("-o", out, *args, *(target or ("--db", self.db)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads((out / "report.json").read_text())
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        self.assertEqual(len(events), report["evidence"]["events"])
        return out, report["evidence"], events

    def test_the_files_are_those_of_the_manifest_and_the_page_has_the_report(self):
        out, _, _ = self.evidence("--from", "-1d")
        listed = {each["name"]: each for each in json.loads((out / "manifest.json").read_text())["files"]}
        self.assertEqual({each.name for each in out.iterdir()}, {*listed, "manifest.json"})
        self.assertEqual(set(listed), {"events.jsonl", "report.json", "index.html", "proof-1.json", "after.checkpoint"})
        for name, each in listed.items():
            data = (out / name).read_bytes()
            self.assertEqual((len(data), hashlib.sha256(data).hexdigest()), (each["bytes"], each["sha256"]), name)
        page = (out / "index.html").read_text()
        self.assertEqual(json.loads(re.search(r'id="case">(.*?)</script>', page, re.S)[1]), json.loads((out / "report.json").read_text()))
        self.assertNotIn("<b>", page)

    def test_all_of_it_is_the_history_as_it_is_exported(self):
        out, report, events = self.evidence("--from", "-1d")
        self.assertEqual((out / "events.jsonl").read_text(), run("export", "--format", "jsonl", "--db", self.db).stdout)
        self.assertEqual((report["first_tx"], report["last_tx"], report["transactions"]), (1, 7, 7))
        self.assertEqual(report["gaps"]["missing_transactions"], 0)
        counted = {}
        for event in events:
            kind = counted.setdefault(event["ref"].split(":")[0], {})
            kind[event["op"]] = kind.get(event["op"], 0) + 1
        self.assertEqual(report["types"], counted)

    def test_ratings_decisions_and_removals_are_told_with_their_reasons(self):
        _, report, _ = self.evidence("--from", "-1d")
        ratings, decisions, removals = report["ratings"], report["decisions"], report["removals"]
        self.assertEqual((ratings["count"], ratings["below_zero"], ratings["mean"], ratings["left"]), (2, 1, 0.25, 0))
        self.assertEqual([(each["subject"], each["score"], each.get("user_id")) for each in ratings["list"]],
                         [("Response:resp_1", -0.5, None), ("Response:resp_2", 1, "bob")])
        self.assertEqual(decisions["verdicts"], {"reject": 1, "approve": 1})
        self.assertEqual([(each["verdict"], each["by"], each.get("reason")) for each in decisions["list"]],
                         [("reject", "ann", "wrong <b>"), ("approve", "ann", None)])
        self.assertEqual([(each["op"], each["ref"], each.get("purged"), each.get("reason")) for each in removals["list"]],
                         [("delete", "FeedbackRecord:fb_f", None, "a mistake"), ("expire", "ContextUnit:cu_b", True, "asked for"),
                          ("delete", "Message:m1", None, None)])
        self.assertEqual(sum(each["transactions"] for each in report["writers"]), report["transactions"])
        self.assertTrue(all(each["known"] and each["actor"] for each in report["writers"]), report["writers"])

    def test_ratings_and_decisions_of_which_nothing_is_left_are_counted(self):
        db = self.place / "gone"
        records = [unit("a"), response("1", a=1), feedback("f", "1", -0.5), feedback("g", "1", 1), decision("x", "Response:resp_1", "reject")]
        self.assertEqual(run("put", "--db", db, stdin=json.dumps(records)).returncode, 0)
        self.assertEqual(run("purge", "fb_f", "dec_x", "--db", db, "--yes").returncode, 0)
        _, report, _ = self.evidence("--from", "-1d", target=("--db", db))
        self.assertEqual((report["ratings"]["count"], report["ratings"]["gone"]), (1, 1))
        self.assertEqual((report["decisions"]["count"], report["decisions"]["gone"]), (0, 1))

    def test_a_period_has_what_is_in_it_both_ends_included(self):
        _, before, _ = self.evidence("--from", "-1d", "--to", self.middle)
        _, after, events = self.evidence("--from", self.middle)
        self.assertEqual((before["first_tx"], before["last_tx"], after["first_tx"], after["last_tx"]), (1, 4, 4, 7))
        self.assertEqual(before["removals"]["count"], 0)
        self.assertTrue(all(event["tx"] >= 4 for event in events))
        _, none, events = self.evidence("--from", "2001-01-01", "--to", "2001-12-31")
        self.assertEqual((none["events"], none["ratings"]["count"], events), (0, 0, []))

    def test_a_scope_has_its_records_and_what_was_said_of_them(self):
        _, report, events = self.evidence("--from", "-1d", "--agent", AGENT)
        self.assertEqual([event["ref"] for event in events], ["Response:resp_2", "FeedbackRecord:fb_g", "Decision:dec_x"])
        self.assertEqual((report["ratings"]["count"], report["decisions"]["verdicts"], report["scope"]["agents"]), (1, {"reject": 1}, [AGENT]))
        _, report, events = self.evidence("--from", "-1d", "--topic", TOPIC)
        self.assertEqual([(event["op"], event["ref"]) for event in events], [("put", "Topic:t1"), ("put", "Message:m1"), ("delete", "Message:m1")])
        _, _, events = self.evidence("--from", self.middle, "--topic", TOPIC)
        self.assertEqual([event["op"] for event in events], ["delete"], "what was written before the period counts for the scope")

    def test_a_server_gives_the_same_with_who_wrote(self):
        _, here, wanted = self.evidence("--from", "-1d")
        with Server(self.db) as server:
            _, there, events = self.evidence("--from", "-1d", target=("--url", server.url))
        self.assertEqual(events, wanted)
        self.assertIsInstance(there["gaps"].pop("uptime_s"), int)
        self.assertIsNone(here["gaps"].pop("uptime_s"))
        for report in (here, there):
            del report["to"], report["from"]
        self.assertEqual(there, here)

    def check(self, folder, key=None):
        """The report of `whence check`, and its exit code."""
        done = run("check", folder, "--key", key or self.key(), "--json")
        return done.returncode, json.loads(done.stdout)

    def key(self):
        return run("key", "--db", self.db).stdout.strip()

    def verifies(self, *args):
        done = subprocess.run([sys.executable, VERIFIER, *map(str, args), "--key", self.key(), "--json"], capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout)

    def test_the_proof_is_of_every_event_of_the_period(self):
        out, report, events = self.evidence("--from", "-1d")
        proof = report["proof"]
        self.assertEqual((proof["before"], proof["key"], proof["whole"]), (None, self.key(), True))
        self.assertEqual([each["file"] for each in proof["files"]], ["proof-1.json"])
        code, found = self.check(out)
        self.assertEqual((code, found["verified"], found["events"], found["proved"]), (0, True, len(events), len(events)), found)
        self.assertEqual(found["records"], len([event for event in events if "record" in event]))
        verified = self.verifies(out / "proof-1.json")
        self.assertTrue(verified["verified"], verified)
        self.assertEqual(verified["events"], proof["leaves"])
        self.assertGreaterEqual(proof["leaves"], len(events))

    def test_the_log_before_the_period_is_continued(self):
        out, report, events = self.evidence("--from", self.middle)
        proof = report["proof"]
        self.assertTrue(proof["whole"])
        self.assertGreater(proof["before"], 0)
        consistent = self.verifies(out / "after.checkpoint", "--older", out / "before.checkpoint", out / "consistency")
        self.assertEqual((consistent["verified"], consistent["from"], consistent["to"]), (True, proof["before"], proof["after"]))
        indexes = [event["index"] for event in json.loads((out / "proof-1.json").read_text())["events"]]
        self.assertEqual(indexes, list(range(proof["before"], proof["after"])), "none between is left out")
        code, found = self.check(out)
        self.assertEqual((code, found["proved"], found["from"], found["to"]), (0, len(events), proof["before"], proof["after"]))
        earlier, before, _ = self.evidence("--from", "-1d", "--to", self.middle)
        self.assertEqual(before["proof"]["after"] > proof["before"], True)
        self.assertEqual(self.check(earlier)[0], 0)

    def test_a_scope_proves_its_own_events_alone(self):
        out, report, events = self.evidence("--from", "-1d", "--agent", AGENT)
        self.assertFalse(report["proof"]["whole"])
        self.assertEqual(report["proof"]["leaves"], len(events))
        self.assertEqual(self.check(out)[1]["proved"], len(events))
        done = self.run_verb("-o", self.place / "unmet", "--from", "-1d", "--db", self.db, "--agent", AGENT, "--agent", "nobody", "--topic", "none")
        warned = [line for line in done.stderr.splitlines() if "warning" in line]
        self.assertEqual(warned, ["warning: no record is of agent nobody", "warning: no record is of topic none"])
        self.assertNotIn("Response:resp_1", (out / "proof-1.json").read_text().replace('"subject\\":\\"Response:resp_1', ""))

    def test_a_period_without_transactions_has_no_proof(self):
        out, report, _ = self.evidence("--from", "2001-01-01", "--to", "2001-12-31")
        self.assertEqual(report["proof"], {"files": [], "before": None, "after": None, "key": None})
        code, found = self.check(out)
        self.assertEqual((code, found["verified"]), (8, False), "what nobody signed is not verified")
        self.assertTrue(any("before the log began" in failure for failure in found["failures"]), found)

    def test_a_folder_that_was_changed_is_not_verified(self):
        out, _, events = self.evidence("--from", self.middle)

        def changed(name, change, is_told=True):
            """What the check says where a file is another; `is_told`: and the manifest is made to fit."""
            folder = Path(tempfile.mkdtemp(dir=self.place)) / "out"
            shutil.copytree(out, folder)
            data = change((folder / name).read_bytes())
            (folder / name).write_bytes(data)
            if is_told:
                manifest = json.loads((folder / "manifest.json").read_text())
                for each in manifest["files"]:
                    if each["name"] == name:
                        each.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
                (folder / "manifest.json").write_text(json.dumps(manifest))
            return self.check(folder)

        self.assertEqual(changed("events.jsonl", lambda data: data)[0], 0)
        reason = lambda data: data.replace(b"wrong <b>", b"right <b>")  # noqa: E731
        self.assertIn("manifest.json", changed("events.jsonl", reason, False)[1]["failures"][0])
        for name, change in (("events.jsonl", reason),
                             ("events.jsonl", lambda data: data.replace(b'"verdict":"reject"', b'"verdict":"approve"')),
                             ("events.jsonl", lambda data: data.replace(b'"by":"ann"', b'"by":"bea"')),
                             ("events.jsonl", lambda data: data.replace(b'"id":"dec_x"', b'"id":"dec_x","more":"added"')),
                             ("events.jsonl", lambda data: re.sub(rb'"at":"20', b'"at":"19', data, count=1)),
                             ("events.jsonl", lambda data: data + b"no event\n"),
                             ("events.jsonl", lambda data: data.replace(b'"verdict":"reject"', b'"verdict":"approve","verdict":"reject"')),
                             ("events.jsonl", lambda data: data.replace(b'"edges":', b'"purged":true,"edges":', 1)),
                             ("events.jsonl", lambda data: data.replace(b'"edges":', b'"prev":3,"edges":', 1)),
                             ("events.jsonl", lambda data: data.replace(b'"id":"dec_x"', b'"id":"dec_x","turn":7,"dangling":["Response:r"]')),
                             ("report.json", lambda data: re.sub(rb'"leaves":\d+', b'"leaves":999', data, count=1)),
                             ("report.json", lambda data: data.replace(b'"whole":true', b'"whole":false')),
                             ("report.json", lambda data: data.replace(b'"events":', b'"events":1,"events":', 1)),
                             ("proof-1.json", lambda data: data.replace(b'"index":', b'"index":1', 1)),
                             ("proof-1.json", lambda data: b"{}"),
                             ("consistency", lambda data: data[:4] + bytes([data[4] ^ 1]) + data[5:]),
                             ("before.checkpoint", lambda data: data.replace(b"whence/default", b"whence/another", 1)),
                             ("after.checkpoint", lambda data: data[:60])):
            with self.subTest(name=name, change=change):
                before = (out / name).read_bytes()
                self.assertNotEqual(change(before), before)
                code, found = changed(name, change)
                self.assertEqual((code, found["verified"]), (8, False), found)
        other = "whence/default+" + self.key().split("+", 1)[1].replace("A", "B", 1)
        self.assertNotEqual(run("check", out, "--key", other).returncode, 0)
        done = run("check", out, "--key", self.key())
        self.assertIn(f"events:    {len(events)}, each proved, ", done.stdout)

    def test_what_a_line_says_of_a_citation_or_of_an_id_is_in_its_place(self):
        db = self.place / "cited"
        self.assertEqual(run("demo", "--db", db).returncode, 0)
        out, _, _ = self.evidence("--from", "2020-01-01", target=("--db", db))
        key = run("key", "--db", db).stdout.strip()
        self.assertEqual(self.check(out, key)[0], 0)
        lines = (out / "events.jsonl").read_bytes()
        goggles, rooms = b"All personnel must wear protective eyewear and gloves when handling Class A chemicals.", b"Respirators are kept in room 12."

        def exchanged(data, one, other):
            """In the edges of each line that cites."""
            parts = [line.partition(b'"edges":') for line in data.splitlines(True)]
            swap = {one: other, other: one}
            change = lambda edges: re.sub(b"|".join(map(re.escape, swap)), lambda found: swap[found[0]], edges)  # noqa: E731
            return b"".join(record + mark + (change(edges) if b'"CITES"' in edges else edges) for record, mark, edges in parts)

        for changed in (exchanged(lines, goggles, rooms), exchanged(lines, b'"page_number":5', b'"page_number":9'),
                        exchanged(lines, b'"page_number":5', b'"page_number":3420'),
                        lines.replace(b'"userId":"safety","discussionId":"eyewear"', b'"userId":"eyewear","discussionId":"safety"'),
                        lines.replace(b'"turn":3', b'"turn":77')):
            self.assertNotEqual(changed, lines)
            folder = Path(tempfile.mkdtemp(dir=self.place)) / "out"
            shutil.copytree(out, folder)
            (folder / "events.jsonl").write_bytes(changed)
            manifest = json.loads((folder / "manifest.json").read_text())
            for each in manifest["files"]:
                if each["name"] == "events.jsonl":
                    each.update(bytes=len(changed), sha256=hashlib.sha256(changed).hexdigest())
            (folder / "manifest.json").write_text(json.dumps(manifest))
            code, found = self.check(folder, key)
            self.assertEqual((code, found["verified"]), (8, False), found)

    def test_who_has_the_key_before_follows_from_a_period_of_removals(self):
        db = self.place / "rotated"
        self.assertEqual(run("demo", "--db", db).returncode, 0)
        key = run("key", "--db", db).stdout.strip()
        self.assertEqual(run("key", "--rotate", "--overlap", "0", "--db", db).returncode, 0)
        self.assertEqual(run("rate", "resp_20251011_00126", "0.2", "--db", db).returncode, 0)
        self.assertEqual(run("purge", "cu_docs_mcp_003", "--yes", "--reason", "r", "--db", db).returncode, 0)
        purged = json.loads(run("rpc", "history.get", json.dumps({"ref": "cu_docs_mcp_003"}), "--db", db).stdout)["events"][-1]["at"]
        out, report, events = self.evidence("--from", purged, target=("--db", db))
        self.assertEqual([event["op"] for event in events], ["expire"])
        code, found = self.check(out, key)
        self.assertEqual((code, found["verified"], found["proved"]), (0, True, 1), found)

    def test_many_events_are_proved_in_several_files(self):
        db = self.place / "many"
        for part in range(5):
            records = [unit(f"m{part}_{i}") for i in range(5000)]
            done = run("put", "--db", db, stdin=json.dumps(records))
            self.assertEqual(done.returncode, 0, done.stderr)
        out, report, events = self.evidence("--from", "-1d", target=("--db", db))
        self.assertEqual([(each["first_tx"], each["last_tx"], each["leaves"]) for each in report["proof"]["files"]],
                         [(1, 4, 20000), (5, 5, 5000)])
        self.assertTrue(report["proof"]["whole"])
        code, found = self.check(out, run("key", "--db", db).stdout.strip())
        self.assertEqual((code, found["proved"], found["records"]), (0, 25000, 25000))

    def test_reads_are_counted_from_the_lines_of_a_server(self):
        log = self.place / "reads.jsonl"
        with Server(self.db, "--audit-reads", log) as server:
            server.rpc("node.get", {"ref": "cu_a"})
            server.rpc("node.get", {"ref": "cu_a"})
            server.rpc("lineage.ancestors", {"ref": "resp_1"})
            server.rpc("server.info")
            self.assertEqual(server.stop(), 0)  # the lines are written behind the answers
        with open(log, "a", encoding="utf-8") as file:
            file.write('{"timestamp":"2001-01-01T00:00:00Z","component":"access","event":"read","data":{"method":"node.get"}}\nno line\n')
        _, report, _ = self.evidence("--from", "-1d", "--reads", log)
        self.assertEqual(report["reads"], {"count": 3, "untold": 0, "unread": 1, "others": 0,
                                           "by": [{"who": "", "method": "lineage.ancestors", "count": 1}, {"who": "", "method": "node.get", "count": 2}]})
        _, report, _ = self.evidence("--from", "-1d")
        self.assertIsNone(report["reads"])
        done = self.run_verb("-o", self.place / "none", "--from", "-1d", "--db", self.db, "--reads", self.place / "absent")
        self.assertEqual((done.returncode, (self.place / "none").exists()), (3, False))

    def test_every_demand_has_a_paragraph_and_says_what_is_not_answered(self):
        _, report, _ = self.evidence("--from", "-1d")
        rows = report["demands"]
        self.assertEqual({row["source"] for row in rows}, {"AI Act", "ISO/IEC 42001", "21 CFR"})
        named = {re.match(r"[\dA-Z.]+", row["paragraph"])[0] for row in rows if row["source"] == "AI Act"}
        self.assertEqual(named, {"12", "13", "14", "19", "26"})
        self.assertTrue(all(row["paragraph"] and row["asks"] and row["unanswered"] for row in rows))
        files = {name for row in rows for name in re.findall(r"\w+\.jsonl?", row["answer"])}
        self.assertEqual(files, {"events.jsonl", "report.json"})

    def test_what_cannot_be_is_refused_and_leaves_nothing(self):
        out = self.place / "refused"
        for args, code, said in ((["--from", "soon"], 2, "--from"), (["--from", "-1d", "--to", "never"], 2, "--to"),
                                 (["--from", "2025-01-02", "--to", "2025-01-01"], 2, "before --from"), ([], 2, "--from")):
            with self.subTest(args):
                done = self.run_verb("-o", out, *args, "--db", self.db)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse(out.exists())
        out.mkdir()
        (out / "mine.txt").write_text("mine")
        self.assertEqual(self.run_verb("-o", out, "--from", "-1d", "--db", self.db).returncode, 5)
        self.assertEqual(self.run_verb("-o", out, "--from", "-1d", "--db", self.db, "--force").returncode, 5)
        self.assertEqual([each.name for each in out.iterdir()], ["mine.txt"])


if __name__ == "__main__":
    unittest.main()
