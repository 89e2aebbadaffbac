"""Claim: a folder of evidence of any history is verified by `whence check`, with every event of it proved, after deletions and purges too;
a bundle of a period has each event of it that the log has, and no others but changes of the key. Of a folder of which a line, a file or a
part of the proof was changed, left out, doubled or taken from elsewhere, nothing is verified, whatever its manifest says.

Method: random histories over all types; bundles are checked by the checker of proof_test.py. WHENCE_TEST_SEED repeats a run.
"""
import contextlib
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from proof import proof_test
from support.all_types import AllTypes
from support.program import WHENCE, RpcError, clean_env, seed_of_run, whence
from support.wire_case import INVALID_PARAMS, NOT_FOUND, WireCase

SEED = seed_of_run()
STEPS = 40
VERIFY = Path(__file__).resolve().parents[3] / "tools" / "verify" / "whence-verify"
FORM = '<html><script type="application/json" id="case"></script><script>document</script></html>'


class EvidenceProofTest(WireCase):
    checked = proof_test.ProofTest.checked

    def evidence(self, *args):
        """The folder, and what `whence check` says of it."""
        place = Path(tempfile.mkdtemp(dir=self.folder.name))
        (place / "explorer").mkdir()
        for name in ("index.html", "case.html"):
            (place / "explorer" / name).write_text(FORM)
        program = place / "whence"
        shutil.copy2(WHENCE, program)
        done = subprocess.run([program, "evidence", "--url", self.server.url, "-o", place / "out", *args], capture_output=True, text=True,
                              env=clean_env(), timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return place / "out", self.check(place / "out")

    def check(self, folder, key=None):
        key = key or whence("key", "--url", self.server.url).stdout.splitlines()[0]
        return json.loads(whence("check", folder, "--key", key, "--json").stdout)

    def changed(self, folder, change):
        """What is found of a copy in which `change` was made, with a manifest of what is there then."""
        copy = Path(tempfile.mkdtemp(dir=self.folder.name)) / "out"
        shutil.copytree(folder, copy)
        change(copy)
        self.make_manifest(copy)
        return self.check(copy)

    def make_manifest(self, folder):
        files = [path for path in sorted(folder.iterdir()) if path.name != "manifest.json"]
        named = [{"name": path.name, "bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in files]
        (folder / "manifest.json").write_text(json.dumps({"files": named}))

    def units(self, *names):
        self.write(*({"$type$": "ContextUnit", "id": f"cu_{name}", "type": "User", "source": f"s:{name}", "content": f"Text of {name}.", "timestamp": "2025-10-11T12:00:00Z"}
                     for name in names))

    def response(self, name, agent, **units):
        self.write({"$type$": "Response", "id": name, "agent": agent, "model": "m", "content": f"Says {name}.", "timestamp": "2025-10-11T12:01:00Z",
                    "context_units": [{"context_unit_id": f"cu_{unit}", "weight": weight} for unit, weight in units.items()]})

    def moment(self, name):
        """When the record `name` was written, which this writes."""
        self.write({"$type$": "Topic", "id": name})
        return self.rpc("history.get", ref=f"Topic:{name}")["events"][0]["at"]

    def test_any_history_is_verified(self):
        print("seed", SEED)
        chance = random.Random(SEED)
        world = AllTypes(self, chance)
        middle = None
        for step in range(STEPS):
            with contextlib.suppress(RpcError):
                world.step()
            if chance.random() < 0.2 and (ref := world.any_of("ContextUnit", "Message", "Response", "Answer", "ProvEntity", "ProvAgent")):
                whence("purge", "--yes", "--url", self.server.url, ref)
            if chance.random() < 0.2 and (ref := world.any_of("ContextUnit", "Response", "Answer", "ProvEntity", "RetrievedChunk")):
                with contextlib.suppress(RpcError):
                    self.rpc("records.delete", refs=[ref], force=True)
                    world.forget([ref])
            if step == STEPS // 2:
                middle = self.rpc("server.info")["tx"]
        head = self.rpc("server.info")["tx"]
        out, found = self.evidence("--from", "-1d")
        self.assertTrue(found["verified"], found)
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        self.assertEqual((found["events"], found["proved"]), (len(events), len(events)))
        shown = len([event for event in events if "record" in event])
        self.assertGreater(found["records"], shown // 2)
        first = self.rpc("log.checkpoint", tx=middle)["size"]
        last = self.rpc("log.checkpoint", tx=head)["size"]
        bundle = self.rpc("log.bundle", first_tx=middle + 1, last_tx=head)
        events = self.checked(bundle)
        self.assertEqual(sorted(events), list(range(first, last)))
        self.assertTrue(all(middle < line["tx"] <= head for line, _ in events.values()))
        one = next(line["ref"] for line, _ in events.values() if line["op"] == "put")
        events = self.checked(self.rpc("log.bundle", ref=one, first_tx=middle + 1))
        self.assertEqual({line["ref"] for line, _ in events.values()}, {one})

    def test_a_folder_that_was_changed_is_not_verified(self):
        self.units("a", "b", "c")
        self.response("resp_1", "one", a=0.75, b=0.25)
        early, _ = self.evidence("--from", "-1d")
        begin = self.moment("begin")
        self.response("resp_2", "one", c=1)
        self.response("resp_3", "one", a=0.5, b=0.5)
        self.rpc("records.delete", refs=["Topic:begin"])
        self.units("d")
        self.rpc("records.purge", refs=["cu_c", "cu_d"])
        out, found = self.evidence("--from", begin)
        self.assertTrue(found["verified"], found)
        self.assertTrue(found["whole"])

        def text_of(name, change):
            return lambda folder: (folder / name).write_text(change((folder / name).read_text()))

        def lines(change):
            return text_of("events.jsonl", lambda text: "".join(change(text.splitlines(keepends=True))))

        def line_of(op, ref, change):
            def change_line(line):
                event = json.loads(line)
                if (event["op"], event["ref"]) != (op, ref):
                    return line
                change(event)
                return json.dumps(event, ensure_ascii=False) + "\n"
            return lines(lambda all_of_them: [change_line(line) for line in all_of_them])

        def report(change):
            def change_both(folder):
                said = json.loads((folder / "report.json").read_text())
                change(said["evidence"])
                text = json.dumps(said)
                (folder / "report.json").write_text(text)
                (folder / "index.html").write_text(FORM.replace("</script>", text + "</script>", 1))
            return change_both

        def without(*names):
            return lambda folder: [(folder / name).unlink() for name in names]

        def both(*changes):
            return lambda folder: [change(folder) for change in changes]

        def bundle(change):
            def change_bundle(folder):
                said = json.loads((folder / "proof-1.json").read_text())
                change(said["events"])
                (folder / "proof-1.json").write_text(json.dumps(said))
            return change_bundle

        def without_record(events):
            for event in events:
                event.pop("record", None)
                event.pop("salt", None)

        invented = json.dumps({"tx": 1, "at": "2026-01-01T00:00:00Z", "op": "put", "ref": "Topic:invented", "record": {"$type$": "Topic", "id": "invented"}}) + "\n"
        no_proof = report(lambda said: said["proof"].update(files=[], leaves=0, after=None, before=None, whole=True) or said.update(events=0))
        scoped = report(lambda said: said["scope"].update(agents=["one"]) or said["proof"].update(whole=False))
        changes = {
            "no proof at all": both(without("proof-1.json", "after.checkpoint", "before.checkpoint", "consistency"), lines(lambda _: []), no_proof),
            "an invented line alone": both(without("proof-1.json", "after.checkpoint", "before.checkpoint", "consistency"), lines(lambda _: [invented])),
            "no bundle": without("proof-1.json"),
            "no checkpoint after": without("after.checkpoint"),
            "no checkpoint before": without("before.checkpoint", "consistency"),
            "no consistency": without("consistency"),
            "no report": without("report.json"),
            "no page": without("index.html"),
            "another page": text_of("index.html", lambda _: "<h1>All is well</h1>"),
            "a file more": lambda folder: (folder / "note.txt").write_text("x"),
            "a bundle of another period": lambda folder: shutil.copy(early / "proof-1.json", folder / "proof-1.json"),
            "a checkpoint of another period": lambda folder: shutil.copy(early / "after.checkpoint", folder / "after.checkpoint"),
            "another number of a bundle": lambda folder: (folder / "proof-1.json").rename(folder / "proof-2.json"),
            "no lines": lines(lambda _: []),
            "the last line dropped": lines(lambda all_of_them: all_of_them[:-1]),
            "a line dropped": lines(lambda all_of_them: all_of_them[:1] + all_of_them[2:]),
            "a line dropped, of a scope": both(scoped, lines(lambda all_of_them: all_of_them[:1] + all_of_them[2:])),
            "doubled lines": lines(lambda all_of_them: [line for line in all_of_them for _ in range(2)]),
            "all lines twice": lines(lambda all_of_them: all_of_them * 2),
            "reversed lines": lines(lambda all_of_them: all_of_them[::-1]),
            "two lines changed about": lines(lambda all_of_them: [all_of_them[1], all_of_them[0], *all_of_them[2:]]),
            "an invented line": lines(lambda all_of_them: [*all_of_them, invented]),
            "another text": lines(lambda all_of_them: [line.replace("Says resp_2", "Says other") for line in all_of_them]),
            "another weight": lines(lambda all_of_them: [line.replace('"weight":1', '"weight":0.5') for line in all_of_them]),
            "another end of an edge": lines(lambda all_of_them: [line.replace('"from":"ContextUnit:cu_c"', '"from":"ContextUnit:cu_a"') for line in all_of_them]),
            "another id": lines(lambda all_of_them: [line.replace('"id":"resp_2"', '"id":"resp"') for line in all_of_them]),
            "a purge where none was": line_of("delete", "Topic:begin", lambda line: line.update(purged=True)),
            "a text beside no record": line_of("put", "ContextUnit:cu_d", lambda line: line.update(xml="<a/>")),
            "a text beside a purge": line_of("expire", "ContextUnit:cu_c", lambda line: line.update(xml="<a/>")),
            "another commitment": line_of("put", "Response:resp_2", lambda line: line.update(commitment="x")),
            "a number of purges": line_of("put", "Response:resp_2", lambda line: line.update(purges=9)),
            "no id": line_of("put", "Response:resp_2", lambda line: line["record"].pop("id")),
            "no units": line_of("put", "Response:resp_2", lambda line: line["record"].pop("context_units")),
            "a unit twice": line_of("put", "Response:resp_3", lambda line: line["record"].update(context_units=line["record"]["context_units"][:1] * 2)),
            "more of a unit": line_of("put", "Response:resp_3", lambda line: line["record"]["context_units"][0].update(note="x")),
            "no record": lines(lambda all_of_them: [json.dumps({name: value for name, value in json.loads(line).items() if name != "record"}) + "\n" for line in all_of_them]),
            "another text that no bundle opens": both(bundle(without_record), lines(lambda all_of_them: [line.replace("Says resp_2", "Says other") for line in all_of_them])),
            "events and lines dropped": both(bundle(lambda events: events.pop(1)), lines(lambda all_of_them: all_of_them[:1] + all_of_them[2:])),
            "another count": report(lambda said: said.update(events=said["events"] + 1)),
            "another begin": report(lambda said: said.update({"from": "2099-01-01T00:00:00Z", "to": "2099-01-02T00:00:00Z"})),
        }
        for name, change in changes.items():
            with self.subTest(name):
                found = self.changed(out, change)
                self.assertFalse(found["verified"], found)
                self.assertTrue(found["failures"])
        other = "whence/example+540cebda+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
        self.assertFalse(self.check(out, other)["verified"])
        listed = Path(tempfile.mkdtemp(dir=self.folder.name)) / "out"
        for edit in (lambda files: files.pop(), lambda files: files.append(files[0]), lambda files: files[0].update(bytes=1)):
            with self.subTest("manifest"):
                shutil.rmtree(listed, ignore_errors=True)
                shutil.copytree(out, listed)
                manifest = json.loads((listed / "manifest.json").read_text())
                edit(manifest["files"])
                (listed / "manifest.json").write_text(json.dumps(manifest))
                self.assertFalse(self.check(listed)["verified"])

    def test_what_was_purged_is_of_its_life_and_no_later_record_is_gone_with_it(self):
        begin = self.moment("lives")
        person = {"$type$": "Person", "id": "ann_lives"}
        self.units("purged", "deleted")
        self.write({**person, "name": "Ann before"})
        self.rpc("records.purge", refs=["ContextUnit:cu_purged", "Person:ann_lives"])
        self.rpc("records.delete", refs=["ContextUnit:cu_purged", "ContextUnit:cu_deleted"])
        self.rpc("records.purge", refs=["ContextUnit:cu_deleted"])
        self.units("purged", "deleted")
        self.write({**person, "name": "Ann now"})
        out, found = self.evidence("--from", begin)
        self.assertTrue(found["verified"], found)

        def gone(line, mark):
            return {**{name: value for name, value in line.items() if name != "record"}, "expired": True, **mark}

        def forged(ref, mark):
            def change(folder):
                lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
                at = max(i for i, line in enumerate(lines) if line["ref"] == ref and "record" in line)
                lines[at] = gone(lines[at], mark)
                (folder / "events.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
            return change

        self.assertTrue(self.changed(out, lambda folder: None)["verified"])
        for ref in ("ContextUnit:cu_purged", "ContextUnit:cu_deleted", "Person:ann_lives"):
            for mark in ({}, {"purged": True}):
                with self.subTest(ref, **mark):
                    found = self.changed(out, forged(ref, mark))
                    self.assertFalse(found["verified"], found)

    def test_true_folders_of_all_kinds_are_verified(self):
        self.units("a", "b")
        self.response("resp_t1", "t_one", a=1)
        self.response("resp_t2", "t_two", a=0.5, b=0.5)
        self.write({"$type$": "FeedbackRecord", "id": "fb_1", "response_id": "resp_t1", "score": 0.5, "user_id": "u", "timestamp": "2025-10-12T12:00:00Z"})
        between = self.moment("between")
        for topic in ("x", "y"):
            self.write({"$type$": "Topic", "id": topic})
        last = self.moment("last")
        self.rpc("records.delete", refs=["Topic:x"])
        self.rpc("records.delete", refs=["Topic:y"])
        gone = self.rpc("history.get", ref="Topic:x", deleted=True)["events"][-1]["at"]
        for name, args in {
            "of removals alone": ("--from", gone),
            "without events": ("--from", "2099-01-01", "--to", "2099-01-02"),
            "a part": ("--from", between, "--to", last),
            "of an agent": ("--from", "-1d", "--agent", "t_one"),
            "of an agent without a response": ("--from", "-1d", "--agent", "none"),
        }.items():
            with self.subTest(name):
                _, found = self.evidence(*args)
                self.assertTrue(found["verified"], found)
                self.assertEqual(found["proved"], found["events"])
                self.assertEqual(found["whole"], "--agent" not in args)
                self.assertEqual(found["scope"], [f"agent {args[3]}"] if "--agent" in args else [])

    def test_the_events_beside_the_period_prove_where_it_begins_and_ends(self):
        """A folder of less than it names is verified; the log's proofs of its neighbours, by whence-verify, tell."""
        self.write({"$type$": "Topic", "id": "early"})
        first, last = (self.moment(name) for name in ("period_first", "period_last"))
        for name in ("later", "latest"):
            self.write({"$type$": "Topic", "id": name})
        out, found = self.evidence("--from", first, "--to", last)
        self.assertTrue(found["verified"], found)
        self.assertEqual(self.beside(out), (True, True))
        short, _ = self.evidence("--from", first, "--to", first)

        def longer(folder):
            for name in ("report.json", "index.html"):
                text = (folder / name).read_text()
                self.assertIn(f'"to":"{first}"', text)
                (folder / name).write_text(text.replace(f'"to":"{first}"', f'"to":"{last}"'))

        self.assertTrue(self.changed(short, longer)["verified"])
        longer(short)
        self.assertEqual(self.beside(short), (True, False))

    def beside(self, folder):
        """Whether the events before and after the two checkpoints, each proved, are outside the period that the folder names."""
        key = whence("key", "--url", self.server.url).stdout.splitlines()[0]
        period = json.loads((folder / "report.json").read_text())["evidence"]
        begin, end = (int((folder / f"{name}.checkpoint").read_text().split("\n")[1]) for name in ("before", "after"))
        times = []
        for leaf in (begin - 1, end):
            proof = self.rpc("log.proof", leaf=leaf)
            for name, text in (("proof", proof["proof"]), ("line", proof["line"])):
                (folder.parent / name).write_text(text)
            run = [VERIFY, folder.parent / "proof", "--line", folder.parent / "line", "--key", key, "--json"]
            done = subprocess.run([sys.executable, *run], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            times.append(json.loads(proof["line"])["at"])
        return times[0] < period["from"], times[1] > period["to"]

    def test_of_a_ref_that_another_agent_writes_again_a_scope_has_the_own_lives_alone(self):
        self.units("a", "b", "c")
        self.response("resp_again", "helpdesk", a=1)
        first = self.rpc("server.info")["tx"]
        self.rpc("records.delete", refs=["Response:resp_again"])
        self.response("resp_again", "payroll", b=1)
        self.rpc("records.delete", refs=["Response:resp_again"])
        self.response("resp_again", "helpdesk", c=1)
        for agent, ops in (("helpdesk", ["put", "delete", "put"]), ("payroll", ["put", "delete"])):
            with self.subTest(agent):
                out, found = self.evidence("--from", "-1d", "--agent", agent)
                self.assertTrue(found["verified"], found)
                events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
                self.assertEqual([event["op"] for event in events if event["ref"] == "Response:resp_again"], ops)
                proved = [json.loads(event["line"]) for path in out.glob("proof-*.json") for event in json.loads(path.read_text())["events"]]
                of_others = [event for event in proved if event["ref"] == "Response:resp_again" and event["tx"] in (first + 2, first + 3)]
                self.assertEqual(of_others if agent == "helpdesk" else [], [])

    def test_what_cannot_be_is_refused(self):
        self.write({"$type$": "Topic", "id": "t"})
        head = self.rpc("server.info")["tx"]
        for params in ({}, {"last_tx": 1}, {"ref": "Topic:t", "last_tx": 1}, {"first_tx": 0}, {"first_tx": 1, "why": True}):
            self.refused(INVALID_PARAMS, "log.bundle", **params)
        for params in ({"first_tx": head + 1}, {"first_tx": 1, "last_tx": head + 1}, {"first_tx": 1, "beside": ["Topic:none"]}):
            self.refused(NOT_FOUND, "log.bundle", **params)
        self.refused(NOT_FOUND, "log.checkpoint", tx=head + 1)
        self.rpc("records.delete", refs=["Topic:t"])
        self.refused(NOT_FOUND, "log.bundle", first_tx=head + 1)  # nothing that it could be about
        deleted = self.checked(self.rpc("log.bundle", ref="Topic:t", first_tx=head))
        self.assertEqual([line["op"] for line, _ in deleted.values()], ["put", "delete"])


class HandedOverTest(WireCase):
    evidence, check, units, response = EvidenceProofTest.evidence, EvidenceProofTest.check, EvidenceProofTest.units, EvidenceProofTest.response

    def test_folders_are_verified_by_the_key_before_too(self):
        self.units("a")
        self.response("resp_1", "one", a=1)
        key = whence("key", "--url", self.server.url).stdout.strip()
        self.rpc("log.rotate", overlap_s=0)
        self.response("resp_2", "two", a=1)
        # A scope without an event has no bundle but that of the keys.
        for args in ((), ("--agent", "one"), ("--agent", "two"), ("--agent", "nobody"), ("--topic", "none")):
            with self.subTest(args=args):
                out, found = self.evidence("--from", "-1d", *args)
                self.assertTrue(found["verified"], found)
                self.assertEqual(found["whole"], not args)
                self.assertEqual(self.check(out, key)["verified"], True, self.check(out, key))


if __name__ == "__main__":
    unittest.main()
