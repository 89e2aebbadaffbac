"""Claim: over all record types, what is purged or expires is exactly what the documents say, at every moment; every other record,
every edge and every lineage stays as it was; and no removed text is left in an export, in files of discussions, or in the store's
files once they are compacted.

Method: random histories of writes, revisions, deletions and purges, with and without `cascade`. Before each purge the whole history
is exported; an oracle works out from it what the next export must be, line by line; `as_of` and lineage are asked before and
after. What is gone is given again now and then, on its own and within a response. A backup made on the way comes back as the store was then. At the end the server is killed and started with random rules of retention. Each text has a word of its own, which is looked
for afterwards. WHENCE_HISTORIES of them (default 2); WHENCE_TEST_SEED repeats a run.
"""
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

from support.all_types import WORD, AllTypes, word_of
from support.naive_gone import IN_RECORDS, Lines, comparable, type_of
from support.program import RpcError, Server, seed_of_run, wait_until, whence
from support.wire_case import INTERNAL_ERROR, WireCase

SEED = seed_of_run()
HISTORIES = int(os.environ.get("WHENCE_HISTORIES", "2"))
STEPS = 45
CORRUPT = -32081
WORD_BYTES = re.compile(WORD.pattern.encode())
TYPES = ("ContextUnit", "Response", "FeedbackRecord", "Topic", "Message", "XMLMessageAttachment", "Keyword", "Subject", "Summary",
         "SystemPromptTemplate", "Discussion", "DiscussionRound", "SummaryEntry", "Document", "RetrievedChunk", "Query", "EmbeddingVector",
         "PromptContext", "Answer", "ProvEntity", "ProvActivity", "ProvAgent")


def words_of(lines):
    return set(WORD.findall(json.dumps(lines)))


def bare(nodes):
    """Nodes without what a purge changes."""
    return [{k: v for k, v in n.items() if k in ("ref", "depth", "weight", "status", "causes", "effects")} for n in nodes]
# What may be written anew at any time, whatever was said of it before.
ANEW = {"Person", "Session", "Keyword", "Subject", "Discussion", "Document", "ProvEntity", "ProvActivity", "ProvAgent"}


class GoneTest(WireCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        pass

    def begin(self, number):
        self.chance = random.Random(f"{SEED} {number}")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.db, self.files = self.folder.name + "/db", Path(self.folder.name) / "files"
        self.server = Server(self.db, "--files", self.files)
        self.addCleanup(lambda: self.server.__exit__())
        self.expired_words = set()
        self.backups = {}  # path -> the lines of then
        self.said = {}  # ref -> the last record seen under it
        self.counts = {"purges": 0, "gone": 0, "redacted": 0, "refused": 0, "expired": 0, "came back": 0, "stayed": 0, "within": 0}

    def exported(self, db=None):
        """The lines of the history, which `history.jsonl` then has."""
        path = Path(self.folder.name) / "history.jsonl"
        if db:
            self.run_verb("export", "--format", "jsonl", "--output", path, "--force", "--db", db)
        else:
            path.write_bytes(self.served_export())
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        self.said.update((line["ref"], line["record"]) for line in lines if "record" in line)
        return lines

    def run_verb(self, *args, when=""):
        done = whence(*args)
        self.assertEqual(done.returncode, 0, f"{when}: {args}: {done.stdout[-2000:]} {done.stderr[-2000:]}")

    def served_export(self):
        job = self.rpc("export.start", format="jsonl")["job"]
        wait_until(lambda: self.rpc("export.status", job=job)["state"] != "running", "the export to end")
        [file] = self.rpc("export.status", job=job)["files"]
        status, body = self.server.get(file["url"])[:2]
        self.assertEqual(status, 200, body)
        self.rpc("export.cancel", job=job)
        return body

    def refused_or(self, act):
        """Runs it; a client's refusal is as good, a failure of the server is not."""
        try:
            return act()
        except RpcError as error:
            self.assertNotIn(error.code, (INTERNAL_ERROR, CORRUPT), error)
            self.counts["refused"] += 1
            return None

    def same(self, now, want, when):
        """Equal; a failure shows the members that differ and not much of long texts."""
        if now != want:
            self.fail(f"{when}: {want.get('ref')}: " + "; ".join(f"{k}: {json.dumps(now.get(k))[:500]} for {json.dumps(want.get(k))[:500]}"
                                                               for k in sorted(now | want) if now.get(k) != want.get(k)))

    def same_lines(self, now, want, when):
        for a, b in zip(now, want, strict=True):
            self.same(a, b, f"{when}: tx {b['tx']}")

    # -- what is seen -------------------------------------------------------------------------------------------

    def seen(self, moment):
        """{ref: node} of all types at a moment."""
        found = self.server.rpc_batch([("node.find", {"type": t, "include": ["record", "status"], "limit": 10000, "as_of": moment})
                                       for t in TYPES])
        return {node["ref"]: node for answer in found for node in answer["nodes"]}

    def lineages(self, refs, moment):
        calls = [(f"lineage.{way}", {"ref": ref, "form": "graph", "as_of": moment, "limit": 10000})
                 for ref in refs for way in ("ancestors", "descendants")]
        if not refs:
            return []
        calls += [("lineage.graph", {"ref": ref, "relations": True, "as_of": moment, "limit": 1000}) for ref in refs]
        return [(bare(answer["nodes"]), [{k: v for k, v in e.items() if k not in IN_RECORDS} for e in answer["edges"]])
                for answer in self.server.rpc_batch(calls)]

    def before(self, lines):
        head = self.head()
        moments = {head, *(self.chance.randint(1, head) for _ in range(2))}
        seen = {moment: self.seen(moment) for moment in moments}
        refs = {moment: self.chance.sample(sorted(nodes), min(len(nodes), 6)) for moment, nodes in seen.items()}
        return Lines(lines), seen, {moment: (refs[moment], self.lineages(refs[moment], moment)) for moment in moments}

    def check(self, before, going, redacted, why, when):
        """Compares what there is with what there was, without the contents of `going`."""
        was, seen, lineages = before
        after = self.exported()
        old, new = after[:len(was.lines)], after[len(was.lines):]
        want = was.without(going | redacted, why)
        self.same_lines([comparable(line) for line in old], [comparable(line) for line in want], when)
        expired = [line["ref"] for line in new if line["op"] == "expire"]
        self.assertEqual(sorted(expired), sorted(ref for ref, _ in going | redacted), when)
        self.assertTrue(all(line.get("purged", False) == (why == "purged") for line in new if line["op"] == "expire"), when)
        anew = {line["ref"]: line["record"] for line in new if line["op"] != "expire"}
        self.assertEqual(anew, {a[0]: was.redacted(a) for a in redacted}, when)
        for moment, nodes in seen.items():
            gone = self.gone_at(was, going | redacted, moment)
            now = self.seen(moment)
            self.assertEqual(set(now), set(nodes), when)
            for ref, node in nodes.items():
                if ref in gone:
                    self.assertEqual((now[ref].get("expired"), now[ref].get("purged", False), "record" in now[ref]),
                                     (True, why == "purged", False), f"{when}: {ref} at {moment}")
                else:
                    self.same(comparable(now[ref]), comparable(node), f"{when}: {ref} at {moment}")
            refs, asked = lineages[moment]
            self.assertEqual(self.lineages(refs, moment), asked, f"{when}: {refs} at {moment}")
        self.assertTrue(self.rpc("admin.verify")["ok"], when)
        return after

    @staticmethod
    def gone_at(was, going, moment):
        """The refs of `going` whose vertex at a moment is the one that goes."""
        then = {}
        for line, vertex in zip(was.lines, was.vertices):
            if line["tx"] <= moment and line["op"] in ("put", "version"):
                then[vertex[0]] = vertex
        return {ref for ref, vertex in then.items() if vertex in going}

    # -- what is done -------------------------------------------------------------------------------------------

    def purge(self, history, when):
        lines = self.exported()
        known = sorted({line["ref"] for line in lines if line["op"] in ("put", "version")})
        if not known:
            return
        kinds = sorted({ref.split(":")[0] for ref in known})
        chosen = set()
        for _ in range(self.chance.randint(1, 3)):  # rare types as often as others
            kind = self.chance.choice(kinds)
            chosen.add(self.chance.choice([ref for ref in known if ref.startswith(kind + ":")]))
        more = {"cascade": True} if self.chance.random() < 0.4 else {}
        when = f"{when}: purge of {sorted(chosen)} {more}"
        before = self.before(lines)
        going, redacted = before[0].purge(chosen, bool(more))
        dry = self.rpc("records.purge", refs=sorted(chosen), dry_run=True, **more)
        self.assertEqual(sorted(dry["purged"]), sorted(ref for ref, _ in going), when)
        self.assertEqual(sorted(dry["redacted"]), sorted(ref for ref, _ in redacted), when)
        self.assertEqual(self.exported(), lines, when)
        done = self.rpc("records.purge", refs=sorted(chosen), **more)
        self.assertEqual((done["purged"], done["redacted"], done["blobs"]), (dry["purged"], dry["redacted"], dry["blobs"]), when)
        after = self.check(before, going, redacted, "purged", when)
        self.check_blobs(history, after, when)
        self.assertEqual(self.raw(self.files) - words_of(after) - self.expired_words, set(), when)
        self.counts["purges"] += 1
        self.counts["gone"] += len(going)
        self.counts["redacted"] += len(redacted)

    def give_again(self, when):
        """What expired comes back with a write of its own, from then on; of what was purged that alone which may be written anew."""
        lines = self.exported()
        was = Lines(lines)
        gone = sorted(v for v in was.gone if v not in was.deleted and v == was.named[v[0]][-1] and v[0] in self.said)
        if not gone:
            return
        vertex = self.chance.choice(gone)
        ref, why, record, head = vertex[0], was.gone[vertex], self.said[vertex[0]], self.head()
        given = {k: v for k, v in record.items() if k not in ("flags", "dangling", "increment", "expired", "purged")}
        when = f"{when}: {ref} given again, which is {why}"
        answer = self.refused_or(lambda: self.write(given, mode="capture"))
        if answer is None:
            return
        new = [line for line in self.exported()[len(lines):] if line["ref"] == ref]
        rules = [w["rule"] for w in answer["warnings"]]
        node = self.rpc("node.get", ref=ref, include=["record"])["nodes"][0]
        self.assertIn(why, rules, when)
        if why == "purged" and ref.split(":")[0] not in ANEW:
            self.assertEqual((new, "record" in node), ([], False), when)
            self.counts["stayed"] += 1
            return
        self.assertEqual([(line["op"], "record" in line) for line in new], [("version", True)], when)
        self.assertNotIn("expired", node, when)
        differs = {k for k in record | node["record"] if record.get(k) != node["record"].get(k)}
        self.assertLessEqual(differs, {"flags", "dangling", "increment", "expired", "purged", "updatedAt", "active"}, when)
        before = self.rpc("node.get", ref=ref, include=["record"], as_of=head)["nodes"][0]
        self.assertEqual((before.get("expired"), "record" in before), (True, False), when)
        self.counts["came back"] += 1

    def give_within(self, history, when):
        """What is gone comes back within a response that is new."""
        was = Lines(self.exported())
        gone = sorted(v for v in was.gone if v not in was.deleted and v == was.named[v[0]][-1] and v[0].startswith("ContextUnit:"))
        if not gone:
            return
        ref, head = self.chance.choice(gone)[0], self.head()
        text, unit = history.text(True), ref.partition(":")[2]
        history.put({"$type$": "Response", "id": f"resp_{history.number()}", "timestamp": "2026-01-01T00:00:00Z", "agent": "a", "model": "m",
                     "context_units": [{"context_unit_id": unit, "type": "User", "source": "s", "content": text, "weight": 1}]})
        node = self.rpc("node.get", ref=ref, include=["record"])["nodes"][0]
        self.assertEqual(node["record"]["content"], text, when)
        self.assertTrue(self.rpc("node.get", ref=ref, as_of=head)["nodes"][0]["expired"], when)
        self.counts["within"] += 1

    def check_blobs(self, history, lines, when):
        texts = {line["record"].get(member) for line in lines if "record" in line for member in ("content", "prompt")
                 if isinstance(line["record"].get(member), str)}
        blob = "/blob/" + hashlib.sha256(history.shared.encode()).hexdigest()
        if (status := self.server.get(blob)[0]) != 404 or history.shared in texts:
            self.assertEqual(status, 200 if history.shared in texts else 404, when)

    def deletion(self, history, when):
        kind = self.chance.choice(("Message", "Response", "Answer", "Discussion", "Document", "Query", "XMLMessageAttachment", "SummaryEntry",
                                   "RetrievedChunk", "Topic", "ContextUnit"))
        ref = history.any_of(kind)
        if ref:
            done = self.refused_or(lambda: self.rpc("records.delete", refs=[ref], force=True))
            history.forget(done["deleted"] if done else [])

    def retention(self, when):
        """A kill, and a start with rules; what is old goes by itself or when it is asked for."""
        lines = self.exported()
        before = self.before(lines)
        self.server.kill()
        rules = {kind: self.chance.choice((3650 * 86400, 1)) for kind in TYPES if self.chance.random() < 0.5}
        killed = time.time()
        wait_until(lambda: time.time() > killed + 1.05, "everything to be older than the shortest rule")
        now = time.time()
        self.server = Server(self.db, "--files", self.files, *(f"--retention={kind}={rule}s" for kind, rule in rules.items()))
        self.rpc("admin.retention")
        going, kept = before[0].old(rules, now)
        self.counts["kept"] = self.counts.get("kept", 0) + len(kept)
        after = self.check(before, going, set(), "expired", f"{when}: retention {rules}")
        self.expired_words = words_of(lines) - words_of(after)  # files lose them when they are written next
        self.assertEqual(self.rpc("admin.retention", dry_run=True)["expired"], 0, when)
        self.counts["expired"] += len(going)

    def back_up(self, when):
        lines, path = self.exported(), f"{self.folder.name}/backup{len(self.backups)}"
        self.run_verb("backup", path, "--url", self.server.url, when=when)
        self.backups[path] = lines

    def raw(self, folder):
        return {word.decode() for path in Path(folder).rglob("*") if path.is_file() for word in WORD_BYTES.findall(path.read_bytes())}

    def end(self, history, when):
        """Files, a restart, compaction, and a copy from the export."""
        lines = self.exported()
        there = words_of(lines)
        gone = {word_of(n) for n in range(1, history.words + 1)} - there
        self.server.stop()
        self.run_verb("compact", "--db", self.db, when=when)
        raw = self.raw(self.db)
        self.assertEqual(raw & gone, set(), when)
        self.counts["words found"] = len(raw & there)
        self.run_verb("verify", "--db", self.db, when=when)
        self.same_lines(self.exported(self.db), lines, when)
        copy = self.folder.name + "/copy"
        self.run_verb("import", self.folder.name + "/history.jsonl", "--db", copy, when=when)
        self.run_verb("verify", "--db", copy, when=when)
        self.same_lines(self.exported(copy), lines, when + ": restored")
        for path, then in self.backups.items():
            self.run_verb("restore", path, "--db", path + "_restored", when=when)
            self.same_lines(self.exported(path + "_restored"), then, f"{when}: restored from {path}")
        self.counts["backups"] = len(self.backups)
        return len(gone)

    def test_random_histories(self):
        total, missing = {}, set(TYPES)
        for number in range(HISTORIES):
            when = f"seed {SEED}, history {number}"
            self.begin(number)
            history = AllTypes(self, self.chance)
            for _ in range(STEPS):
                self.refused_or(history.step)
                if self.chance.random() < 0.08:
                    self.deletion(history, when)
                if self.chance.random() < 0.12:
                    self.purge(history, when)
                if self.chance.random() < 0.1:
                    self.give_again(when)
                if self.chance.random() < 0.05:
                    self.give_within(history, when)
                if self.chance.random() < 0.02:
                    self.back_up(when)
            missing -= {type_of((line["ref"], 0)) for line in self.exported()}
            self.retention(when)
            for _ in range(5):  # purges among what has expired
                self.refused_or(history.step)
                self.give_again(when)
            self.give_within(history, when)
            self.purge(history, when)
            self.counts["words gone"] = self.end(history, when)
            self.server.kill() if self.server.process.poll() is None else None
            self.folder.cleanup()
            total = {k: total.get(k, 0) + n for k, n in self.counts.items()}
        print(f"seed {SEED}: {HISTORIES} histories, {total}", file=sys.stderr)
        self.assertGreater(total["words found"], 0, "the search finds what is there")
        if HISTORIES >= 20:
            self.assertEqual(missing, set(), "types that no history had")


class WordsTest(unittest.TestCase):
    """What is found in the bytes of a file is a whole word of one text."""

    def test_no_word_is_put_together_from_two_others(self):
        words = [word_of(n) for n in range(1, 2001)]  # a history has about 100
        begins = Counter(word[:i] for word in words for i in range(1, len(word)))
        ends = Counter(word[i:] for word in words for i in range(1, len(word)))
        for word in words:
            self.assertEqual(WORD.findall(word), [word])
            for i in range(1, len(word)):  # each piece is in `word` itself once
                self.assertTrue(begins[word[:i]] == 1 or ends[word[i:]] == 1, f"{word[:i]} and {word[i:]} are in others")


if __name__ == "__main__":
    unittest.main()
