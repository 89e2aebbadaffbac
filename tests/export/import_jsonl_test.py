"""Claim: what the JSONL export wrote, `whence import` gives back: the same graph under the same transactions, and
exported again the same bytes; and a file that does not agree with itself is refused with its line, nothing of it kept.
"""
import json
import os
import random
import tempfile
import unittest
from pathlib import Path

import data
from export_case import CONFLICT, INVALID, OK, ExportCase, for_each_store, manifest_of, new_path, run, store
from whence_e2e import Server, write_private, write_tokens


MUTATIONS = int(os.environ.get("WHENCE_EXPORT_MUTATIONS", "25"))
TIME_OF_NOTHING = "2001-01-01T00:00:00Z"


def text_of(events):
    return "".join(json.dumps(e, ensure_ascii=False, separators=(",", ":")) + "\n" for e in events).encode()


def without_null(value):
    """`null` is the same as a member that is not there, but in free objects."""
    if isinstance(value, dict):
        return {k: v if k in ("attributes", "questions") else without_null(v) for k, v in value.items() if v is not None}
    return list(map(without_null, value)) if isinstance(value, list) else value


class ImportCase(ExportCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = Path(folder.name) / "db"

    def run_import(self, content, *args, code=OK, db=None):
        path = new_path(".jsonl")
        path.write_bytes(content)
        made = run("import", path, "--db", db or self.db, *args)
        self.assertEqual(made.returncode, code, made.stderr.decode(errors="replace")[:1500])
        return made

    def exported(self, format="jsonl", db=None):
        path = new_path(".out")
        made = run("export", "--format", format, "--db", db or self.db, "-o", path)
        self.assertEqual(made.returncode, OK, made.stderr.decode(errors="replace")[:1500])
        return path

    def gone_history(self):
        """Responses whose sources are not in the order of their refs; a purge, and what expired and is given again."""
        units = [data.unit(name, timestamp="2020-03-01T00:00:00Z") for name in ("cu_a", "cu_b")]
        old = {name: data.response(name, {"cu_b": 0.5, "cu_a": 0.5}, timestamp="2020-01-01T00:00:00Z") for name in ("resp_1", "resp_2")}
        with Server(self.db.parent / "gone", "--retention", "Response=30d") as server:
            to = data.Writer(server)
            to.write(*units)
            to.write(old["resp_1"], mode="capture")
            to.write(old["resp_2"], data.unit("cu_c", timestamp="2020-05-01T00:00:00Z", updated_by_response_id="resp_1"))
            to.write(data.unit("cu_d", timestamp="2020-06-01T00:00:00Z", version=2, previous_version_id="cu_b", updated_by_response_id="resp_1"))
            to.rpc("admin.retention")
            to.write(old["resp_1"], mode="capture")
            to.rpc("records.purge", refs=["ContextUnit:cu_c", "ContextUnit:cu_a", "ContextUnit:cu_d"])
            self.said = self.asked(server)
            server.stop()
        return self.exported(db=self.db.parent / "gone").read_bytes()

    def asked(self, server):
        years = server.rpc("node.activity", {"types": ["ContextUnit", "Response"], "lanes": "type", "period": "year"})
        found = server.rpc("lineage.ancestors", {"ref": "resp_2", "between": ["2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]})
        return years["lanes"], found["nodes"], server.rpc("lineage.diff", {"a": "resp_1", "b": "resp_2"})["moved"]


class RoundTripTest(ImportCase):
    @for_each_store
    def test_export_import_export(self, store):
        with tempfile.TemporaryDirectory() as folder:
            want = store.export("jsonl").read_bytes()
            self.run_import(want, db=folder + "/db")
            path = self.exported(db=folder + "/db")
            self.assertTrue(path.read_bytes() == want, "other bytes")
            self.assertEqual(run("verify", "--db", folder + "/db").returncode, OK)
            for format in ("node-link", "prov-json"):
                self.assertTrue(self.exported(format, folder + "/db").read_bytes() == store.export(format).read_bytes(), format)
            got, before = manifest_of(path), manifest_of(store.export("jsonl"))
            self.assertNotEqual(got["epoch"], before["epoch"], "a log of its own")
            self.assertEqual({k: v for k, v in got.items() if k not in ("epoch", "files")},
                             {k: v for k, v in before.items() if k not in ("epoch", "files")})

    def test_an_earlier_moment(self):
        for tx in store("rich").moments:
            with self.subTest(tx=tx), tempfile.TemporaryDirectory() as folder:
                want = store("rich").export("jsonl", "--as-of", tx).read_bytes()
                self.run_import(want, db=folder + "/db")
                self.assertTrue(self.exported(db=folder + "/db").read_bytes() == want)

    def test_from_standard_input(self):
        want = store("rich").export("jsonl").read_bytes()
        made = run("import", "-", "--format", "jsonl", "--db", self.db, stdin=want)
        self.assertEqual(made.returncode, OK, made.stderr)
        self.assertTrue(self.exported().read_bytes() == want)

    def test_an_integer_that_no_number_holds_is_refused_with_its_line(self):
        lines = store("worked").export("jsonl").read_bytes().splitlines(keepends=True)
        head, tail = lines[1].split(b',"context_units"', 1)
        lines[1] = head + b',"attributes":{"n":[18446744073709551617]},"context_units"' + tail
        made = self.run_import(b"".join(lines), code=INVALID)
        self.assertIn(b"line 2", made.stderr)
        self.assertIn(b"/record/attributes/n/0 is an integer beyond 64 bits", made.stderr)

    def test_into_an_empty_store_that_exists(self):
        with Server(self.db) as server:
            key = run("key", "--url", server.url).stdout
        want = store("rich").export("jsonl").read_bytes()
        self.run_import(want)
        self.assertTrue(self.exported().read_bytes() == want)
        with Server(self.db) as server:
            self.assertEqual(run("key", "--url", server.url).stdout, key)
        self.assertTrue(key)

    def test_a_dry_run_writes_nothing(self):
        want = store("rich").export("jsonl").read_bytes()
        self.run_import(want, "--dry-run")
        self.run_import(want)
        self.assertTrue(self.exported().read_bytes() == want)

    def test_a_store_that_is_not_empty(self):
        for flags in ((), ("--dry-run",)):
            self.run_import(store("worked").export("jsonl").read_bytes(), *flags, code=CONFLICT, db=store("rich").db)
        self.assertTrue(self.exported(db=store("rich").db).read_bytes() == store("rich").export("jsonl").read_bytes())

    def test_what_is_gone_keeps_its_time_and_the_order_of_its_edges(self):
        lines = self.gone_history()
        puts = {line["ref"]: line for line in map(json.loads, lines.splitlines()) if line["op"] in ("put", "version")}
        self.assertEqual(puts["ContextUnit:cu_c"]["time"], "2020-05-01T00:00:00Z")
        self.assertEqual((puts["ContextUnit:cu_d"]["op"], puts["ContextUnit:cu_d"]["time"]), ("version", "2020-06-01T00:00:00Z"))
        self.assertEqual(puts["Response:resp_2"]["edge_order"], [1, 0])
        self.assertNotIn("time", puts["ContextUnit:cu_b"])
        self.run_import(lines)
        self.assertEqual(self.exported().read_bytes(), lines)
        with Server(self.db) as server:
            self.assertEqual(self.asked(server), self.said)
            server.stop()
        place = next(n for n, line in enumerate(lines.splitlines(), 1) if b"edge_order" in line)
        for wrong in (b"[0,0]", b"[0]", b"[2,0]", b"[-1,0]", b'"x"'):
            self.assertIn(f"line {place} ".encode(), self.run_import(lines.replace(b"[1,0]", wrong, 1), code=INVALID, db=self.db.parent / "broken").stderr)

    def test_what_went_after_the_end_of_a_history_goes_last(self):
        """An export of a moment before a purge has neither the contents nor the purge: no import makes up what they were."""
        events = [json.loads(line) for line in self.gone_history().splitlines()]
        for tx in range(1, events[-1]["tx"]):
            with self.subTest(tx=tx):
                db, given = self.db.parent / f"until {tx}", [each for each in events if each["tx"] <= tx]
                made = self.run_import(text_of(given), "--json", db=db)
                got = [json.loads(line) for line in self.exported(db=db).read_bytes().splitlines()]
                self.assertEqual(got[:len(given)], given)
                self.assertEqual([each["op"] for each in got[len(given):]], ["expire"] * json.loads(made.stdout)["gone"])
                gone = {each["ref"]: each.get("purged") for each in given if each["op"] in ("put", "version") and "expired" in each}
                told = {each["ref"]: each.get("purged") for each in got if each["op"] == "expire"}
                self.assertEqual(told | gone, told)
                self.assertEqual(run("verify", "--db", db).returncode, OK)

    def test_what_a_server_then_answers(self):
        """History, moments, running scores, texts of attachments, versions and what comes next are as before."""
        self.run_import(store("rich").export("jsonl").read_bytes())
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as original, Server(self.db) as server:
            data.rich(original)
            questions = [("feedback.list", {"ref": "ContextUnit:cu_a"}), ("feedback.list", {"ref": "Response:resp_1"}),
                         ("versions.list", {"ref": "ContextUnit:cu_a"}), ("attachment.list", {"topicId": "saving"}),
                         ("summary.get", {"topic": "saving"}), ("template.active", {"modelId": "m-1"}),
                         ("rag.get", {"request_id": "req 1"}),
                         ("discussion.context", {"userId": "ann", "discussionId": "talk/1", "persona": "Moderator AI"}),
                         ("lineage.ancestors", {"ref": "Answer:req 1"}), ("impact.analyze", {"refs": ["ContextUnit:cu_a"]}),
                         ("node.find", {"type": "ContextUnit", "where": {"status": {"eq": "updated"}}}),
                         ("node.get", {"ref": "Keyword:tuition", "include": ["record"]}),
                         ("lineage.descendants", {"ref": "ContextUnit:cu_a", "as_of": 2}), ("trace", {"ref": "Keyword:loan"}),
                         ("rag.retrieve", {"vector": [1.0] + [0.0] * 383, "filters": {"max_results": 2}})]
            for method, params in questions:
                with self.subTest(method, params=params):
                    self.assertEqual(server.rpc(method, params), original.rpc(method, params))
            for listed in original.rpc("attachment.list", {"topicId": "saving"})["records"]:
                with self.subTest("attachment.get", size=listed["size"]):
                    self.assertEqual(server.rpc("attachment.get", {"hash": listed["hash"]}),
                                     original.rpc("attachment.get", {"hash": listed["hash"]}))
                    if "xmlBlob" in listed:
                        path = "/blob/" + listed["xmlBlob"].removeprefix("sha256://")
                        self.assertEqual(server.get(path), original.get(path))
            self.assertEqual([{k: v for k, v in e.items() if k != "at"}
                              for e in server.rpc("history.get", {"ref": "ContextUnit:cu_a"})["events"]],
                             [{k: v for k, v in e.items() if k != "at"}
                              for e in original.rpc("history.get", {"ref": "ContextUnit:cu_a"})["events"]])
            self.assertEqual(server.rpc("history.get", {"ref": "ContextUnit:cu_a"})["events"][0]["at"],
                             store("rich").events[0]["at"])
            more = {"records": [data.feedback("fb_more", "resp_1", 1),
                                data.unit("cu_a4", version=4, previous_version_id="cu_a3")]}
            self.assertEqual(server.rpc("records.write", more)["tx"], store("rich").tx + 1)
            original.rpc("records.write", more)
            self.assertEqual(server.rpc("feedback.list", {"ref": "ContextUnit:cu_a"}),
                             original.rpc("feedback.list", {"ref": "ContextUnit:cu_a"}))


class ByServerTest(ImportCase):
    def test_import_through_a_server_needs_an_admin(self):
        tokens = write_tokens(self.db.parent / "tokens", "read reader\nwrite writer\nadmin admin\n")
        path = store("rich").export("jsonl")
        for token in ("reader", "writer", "admin"):
            write_private(self.db.parent / token, f"{token}\n")
        with Server(self.db, "--tokens", tokens, token="admin") as server:
            for token, good in (("reader", False), ("writer", False), ("admin", True)):
                made = run("import", path, "--url", server.url, "--token-file", self.db.parent / token)
                self.assertEqual(made.returncode == OK, good, (token, made.stderr))
                self.assertEqual(server.rpc("server.info")["tx"], store("rich").tx if good else 0)
            again = run("import", path, "--url", server.url, "--token-file", self.db.parent / "admin")
            self.assertEqual(again.returncode, CONFLICT)
            server.stop()
        self.assertTrue(self.exported().read_bytes() == path.read_bytes())

    def test_a_damaged_file_through_a_server(self):
        lines = store("worked").export("jsonl").read_bytes().splitlines(keepends=True)
        path = new_path(".jsonl")
        path.write_bytes(b"".join(lines[:3] + [b"{\n"] + lines[3:]))
        with Server(self.db) as server:
            made = run("import", path, "--url", server.url)
            self.assertEqual(made.returncode, INVALID, made.stderr)
            self.assertIn(b"4", made.stderr)
            self.assertEqual(server.rpc("server.info")["tx"], 0)


def parsed(name):
    return [json.loads(line) for line in store(name).export("jsonl").read_bytes().splitlines()]


class DamagedTest(ImportCase):
    """The worked history has nine lines: 1 cu_a, 2 resp_1, 3 cu_b, 4 status updated, 5 fb_1, 6 status deprecated, 7 t, 8 m,
    9 delete m.
    """

    def check(self, content, line):
        """Refused with its line (or one of them), and nothing kept: the whole file goes in afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            for flags in (("--dry-run",), ()):
                made = self.run_import(content, *flags, code=INVALID, db=folder + "/db")
                message = made.stderr.decode(errors="replace")
                lines = line if isinstance(line, tuple) else (line,)
                self.assertRegex(message, r"(?i)(line |:)(" + "|".join(map(str, lines)) + r")\b", "the line")
            self.run_import(store("worked").export("jsonl").read_bytes(), db=folder + "/db")

    def changed(self, line, change):
        events = parsed("worked")
        change(events[line - 1])
        return text_of(events)

    def test_text_that_is_no_json(self):
        lines = store("worked").export("jsonl").read_bytes().splitlines(keepends=True)
        for bad in (b"{\n", b"\n", b"[]\n", b"null\n", b'{"tx":1}\n', b"\xff\n", b"\xef\xbb\xbf" + lines[0],
                    lines[0][:-2] + b"\n"):
            with self.subTest(bad[:20]):
                self.check(b"".join(lines[:2] + [bad] + lines[2:]), 3)

    def test_a_file_cut_in_the_middle_of_a_line(self):
        whole = store("worked").export("jsonl").read_bytes()
        last = whole.rstrip(b"\n").rindex(b"\n") + 1
        self.check(whole[:last + 10], 9)

    def test_members(self):
        changes = {
            "unknown op": (1, lambda e: e.update(op="set")), "no op": (1, lambda e: e.pop("op")),
            "unknown member": (1, lambda e: e.update(prev=0)),
            "no tx": (1, lambda e: e.pop("tx")), "tx 0": (1, lambda e: e.update(tx=0)),
            "tx text": (1, lambda e: e.update(tx="1")),
            "tx fraction": (1, lambda e: e.update(tx=1.5)),
            "no at": (1, lambda e: e.pop("at")), "at no time": (1, lambda e: e.update(at="yesterday")),
            "no ref": (1, lambda e: e.pop("ref")),
            "unknown type": (1, lambda e: e.update(ref="Nothing:cu_a")),
            "other ref": (1, lambda e: e.update(ref="ContextUnit:cu_other")),
            "no record": (1, lambda e: e.pop("record")),
            "record of another type": (1, lambda e: e["record"].update({"$type$": "Topic"})),
            "unknown field": (1, lambda e: e["record"].update(colour="red")),
            "a field broken": (1, lambda e: e["record"].update(version=0)),
            "no edges": (2, lambda e: e.pop("edges")),
        }
        for name, (line, change) in changes.items():
            with self.subTest(name):
                self.check(self.changed(line, change), line)

    def test_edges(self):
        def without(e):
            e["edges"] = []

        def twice(e):
            e["edges"] *= 2

        def more(e):
            e["edges"].append({"from": "ContextUnit:cu_a", "to": "Response:resp_1", "type": "PROMPTED", "tx": 1})
        changes = {"missing": without, "twice": twice, "too many": more,
                   "other weight": lambda e: e["edges"][0].update(weight=0.5),
                   "other type": lambda e: e["edges"][0].update(type="PROMPTED"),
                   "other end": lambda e: e["edges"][0].update({"to": "Response:resp_2"}),
                   "turned round": lambda e: e["edges"][0].update({"from": "Response:resp_1", "to": "ContextUnit:cu_a"}),
                   "other tx": lambda e: e["edges"][0].update(tx=2),
                   "unknown member": lambda e: e["edges"][0].update(colour="red")}
        for name, change in changes.items():
            with self.subTest(name):
                self.check(self.changed(2, change), 2)

    def test_edges_that_repeat_what_a_record_states(self):
        events = parsed("rich")
        for kind, member, value in (("EVALUATES", "score", 0.5), ("UPDATED_BY", "timestamp", TIME_OF_NOTHING),
                                    ("DERIVED_FROM", "version", 9),
                                    ("REVISION_OF", "version", 9), ("INCLUDED_IN", "rank", 9), ("CITES", "page_number", 9),
                                    ("CITES", "excerpt", "x"),
                                    ("USED_IN", "weight", 0.9)):
            with self.subTest(kind, member=member):
                broken = json.loads(json.dumps(events))
                line, edge = next((n, e) for n, event in enumerate(broken, 1) for e in event.get("edges", [])
                                  if e["type"] == kind and member in e)
                self.assertNotEqual(edge[member], value)
                edge[member] = value
                self.check(text_of(broken), line)

    def test_an_edge_with_a_number_that_its_record_does_not_state(self):
        events = parsed("rich")
        line = next(n for n, e in enumerate(events, 1) if e["ref"] == "FeedbackRecord:fb_2")
        del events[line - 1]["record"]["score"]
        self.check(text_of(events), line)
        for edge in events[line - 1]["edges"]:
            edge.pop("score", None)
        self.run_import(text_of(events))
        self.assertEqual(run("verify", "--db", self.db).returncode, OK)

    def test_an_attachment_without_what_the_server_filled_in(self):
        events = parsed("rich")
        line = next(n for n, e in enumerate(events, 1) if e["ref"].startswith("XMLMessageAttachment:"))
        for member in ("size", "version", "createdAt", "format", "topicId", "messageId", "xmlContent"):
            with self.subTest(member):
                broken = json.loads(json.dumps(events))
                del broken[line - 1]["record"][member]
                self.check(text_of(broken), line)

    def test_what_a_chunk_is_stays_when_it_is_retrieved_again(self):
        events = parsed("rich")
        for name, change in {"embedding": lambda r: r["embedding"].__setitem__(0, 2),
                             "no embedding": lambda r: r.pop("embedding"),
                             "content": lambda r: r.update(content="other"),
                             "page": lambda r: r["metadata"].update(page_number=9)}.items():
            with self.subTest(name):
                broken = json.loads(json.dumps(events))
                line, event = next((n, e) for n, e in enumerate(broken, 1) if e["ref"] == "RetrievedChunk:chunk 1"
                                   and e["op"] == "version")
                change(event["record"])
                self.check(text_of(broken), line)

    def test_an_edge_to_nowhere(self):
        self.check(self.changed(2, lambda e: (e["record"]["context_units"][0].update(context_unit_id="cu_x"),
                                              e["edges"][0].update({"from": "ContextUnit:cu_x"}))), 2)

    def test_statuses(self):
        for name, (line, change) in {"other status": (4, lambda e: e.update(status="deprecated")),
                                     "unknown status": (4, lambda e: e.update(status="asleep")),
                                     "no status": (4, lambda e: e.pop("status")),
                                     "other score": (6, lambda e: e.update(score=-0.7)),
                                     "no score": (6, lambda e: e.pop("score")),
                                     "of another unit": (4, lambda e: e.update(ref="ContextUnit:cu_b")),
                                     "a feedback's score": (5, lambda e: e["record"].update(score=-0.6))}.items():
            with self.subTest(name):
                self.check(self.changed(line, change), (line, line + 1))

    def test_lines_missing(self):
        """Reported at the line that is now there, or at one near it. That a unit was deprecated cannot be missed: the score below
        which that happens is a setting, which the file does not contain.
        """
        for line in (1, 2, 3, 4, 5, 7, 8):
            with self.subTest(line):
                events = parsed("worked")
                del events[line - 1]
                if line in (7,):  # a message whose topic is not there
                    self.check(text_of(events), 7)
                elif line == 8:
                    self.check(text_of(events), 8)  # what is deleted was never there
                else:
                    self.check(text_of(events), tuple(range(max(1, line - 1), 10)))

    def test_a_beginning_of_the_file_is_a_file(self):
        """Cut between two transactions nothing shows that more was there."""
        events = [e for e in parsed("worked") if e["tx"] <= 3]
        self.run_import(text_of(events))

    def test_cut_inside_a_transaction(self):
        self.check(text_of(parsed("worked")[:3]), (3, 4))

    def test_lines_swapped(self):
        for a, b in ((2, 3), (4, 5), (5, 6), (6, 7), (8, 9), (1, 9)):
            with self.subTest((a, b)):
                events = parsed("worked")
                events[a - 1], events[b - 1] = events[b - 1], events[a - 1]
                self.check(text_of(events), tuple(range(max(1, a - 1), b + 1)))

    def test_transactions(self):
        def renumber(events, change):
            for e in events:
                change(e)
                for edge in e.get("edges", []):
                    edge["tx"] = e["tx"]
            return text_of(events)
        self.check(renumber(parsed("worked"), lambda e: e.update(tx=e["tx"] + (e["tx"] > 2))), 5)
        self.check(renumber(parsed("worked"), lambda e: e.update(tx=e["tx"] + 1)), 1)
        events = parsed("worked")
        for e in events:
            if e["tx"] == 3:
                e["at"] = "2001-01-01T00:00:00Z"
        self.check(text_of(events), 5)
        events = parsed("worked")
        events[1]["at"] = events[2]["at"]
        self.check(text_of(events), 2)

    def test_a_line_twice(self):
        for line in range(1, 10):
            with self.subTest(line):
                events = parsed("worked")
                events.insert(line, events[line - 1])
                self.check(text_of(events), (line, line + 1))

    def test_a_selection_is_refused_where_it_refers_outside(self):
        path = store("rich").export("jsonl", "--descendants", "ContextUnit:cu_a")
        self.run_import(path.read_bytes(), code=INVALID)


class MutatedTest(ImportCase):
    """Claim: whatever is changed in a file, it is refused with nothing kept, or taken and then given back as it was, in a store
    that verifies. Method: a random change of one value, or of the place of one line, from a printed seed.
    """
    VALUES = (None, True, 0, 1, 2, -1, 1.5, 2**53, "", "x", "cu_a", "ContextUnit:cu_a", "Response:resp_1", "2025-10-09T16:15:00Z",
              [], {}, [{}], "put", "version", "status", "delete", "updated", "deprecated", "USED_IN", "DERIVED_FROM")

    def places(self, value, path=()):
        """The paths of all values within; of long lists the first two."""
        members = value.items() if isinstance(value, dict) else list(enumerate(value))[:2] if isinstance(value, list) else ()
        for key, inner in members:
            yield (*path, key)
            yield from self.places(inner, (*path, key))

    def mutated(self, events, chance):
        events = json.loads(json.dumps(events))
        if chance.random() < 0.3:
            return self.with_lines_moved(events, chance)
        event = chance.choice(events)
        *way, last = chance.choice(list(self.places(event)))
        at = event
        for key in way:
            at = at[key]
        what = (event.get("ref"), *way, last)
        if chance.random() < 0.25:
            del at[last]
            return events, (*what, "deleted")
        at[last] = chance.choice(self.VALUES)
        return events, (*what, at[last])

    def with_lines_moved(self, events, chance):
        line, other = chance.randrange(len(events)), chance.randrange(len(events))
        kind = chance.choice(["gone", "twice", "moved", "swapped"])
        if kind == "swapped":
            events[line], events[other] = events[other], events[line]
        else:
            event = events[line] if kind == "twice" else events.pop(line)
            events[other:other] = [] if kind == "gone" else [event]
        return events, (kind, line + 1, other + 1)

    def test_a_change_is_refused_or_kept(self):
        chance = random.Random(data.SEED)
        gone = [json.loads(line) for line in self.gone_history().splitlines()]
        for name, events in (("worked", parsed("worked")), ("rich", parsed("rich")), ("gone", gone)):
            for _ in range(MUTATIONS):
                broken, what = self.mutated(events, chance)
                with self.subTest(name, seed=data.SEED, what=str(what)[:300]), tempfile.TemporaryDirectory() as folder:
                    db, path = folder + "/db", Path(folder) / "file.jsonl"
                    path.write_bytes(text_of(broken))
                    made = run("import", path, "--db", db)
                    self.assertIn(made.returncode, (OK, INVALID), made.stderr)
                    if made.returncode == OK:
                        got = run("export", "--db", db, "--format", "jsonl").stdout
                        if name == "gone":  # what an `expire` names goes, and what has no record is gone, whatever else the lines say
                            self.run_import(got, db=folder + "/again")
                            self.assertEqual(self.exported(db=folder + "/again").read_bytes(), got)
                        else:
                            self.assertEqual([json.loads(line) for line in got.splitlines()], without_null(broken))
                        self.assertEqual(run("verify", "--db", db).returncode, OK)
                    else:
                        self.assertRegex(made.stderr.decode(), r"line \d+")
                        self.assertNotIn(b"\n{", b"\n" + run("export", "--db", db, "--format", "jsonl").stdout, "kept")


del ImportCase

if __name__ == "__main__":
    unittest.main()
