"""Claim: every event of a log is proved by its checkpoints, to a reader who knows the documents alone: each content opens its commitment
until it is purged or expires, what was proved before stays proved, each checkpoint continues those before, over kills, restarts and a
tree that is made anew; and mirrors read the same tree as tiles.

Method: random writes of every type with purges; a checker of its own (SHA-256, trees, notes, tiles by their texts; Ed25519 by OpenSSL's
command). WHENCE_TEST_SEED repeats a run.
"""
import base64
import contextlib
import hashlib
import json
import random
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from support.all_types import WORD, AllTypes
from support.naive_gone import IN_RECORDS
from support.program import RpcError, seed_of_run, whence
from support.wire_case import INVALID_PARAMS, NOT_FOUND, WireCase

SEED = seed_of_run()
STEPS = 60
TILE = 256


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def leaf_hash(line):
    return sha(b"\0", line.encode())


def root_of(hashes):
    """RFC 9162 2.1.1."""
    if not hashes:
        return sha()
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\1", root_of(hashes[:split]), root_of(hashes[split:]))


def root_by(leaf, index, size, proof):
    """RFC 9162 2.1.3.2: the root that the hashes lead to; nothing where they cannot be of such a tree."""
    node, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if node % 2 or node == last:
            found = sha(b"\1", sibling, found)
            while node and not node % 2:
                node, last = node >> 1, last >> 1
        else:
            found = sha(b"\1", found, sibling)
        node, last = node >> 1, last >> 1
    return found if last == 0 else None


def checkpoint_of(note):
    text, _ = note.split("\n\n")
    origin, size, root = text.split("\n")[:3]
    return origin, int(size), base64.b64decode(root)


def is_signed(note, key):
    """Whether the note has a signature of the key, as OpenSSL says."""
    name, _, rest = key.split("+", 2)
    public = base64.b64decode(rest)[1:]
    text, signatures = note.split("\n\n")
    wanted = sha(name.encode() + b"\n\1" + public)[:4]
    for line in signatures.splitlines():
        mark, signer, value = line.split(" ")
        value = base64.b64decode(value)
        if mark != "\u2014" or signer != name or value[:4] != wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / each for each in ("key", "text", "signature")]
            for path, content in zip(paths, (bytes.fromhex("302a300506032b6570032100") + public, (text + "\n").encode(), value[4:])):
                path.write_bytes(content)
            done = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", paths[0], "-rawin", "-in",
                                   paths[1], "-sigfile", paths[2]], capture_output=True)
            return done.returncode == 0
    return False


class ProofTest(WireCase):
    def setUp(self):
        self.key = whence("key", "--url", self.server.url).stdout.strip()

    def checkpoint(self):
        got = self.rpc("log.checkpoint")
        self.assertEqual(got["key"], self.key)
        origin, size, root = checkpoint_of(got["checkpoint"])
        self.assertEqual((origin, size), ("whence/default", got["size"]))
        return got["checkpoint"], size, root

    def checked(self, bundle):
        """The events of a bundle by index, held against its checkpoint: (line, its content or nothing)."""
        origin, size, root = checkpoint_of(bundle["checkpoint"])
        events = {}
        for event in bundle["events"]:
            proof = [base64.b64decode(each) for each in event["proof"]]
            self.assertEqual(root_by(leaf_hash(event["line"]), event["index"], size, proof), root, event)
            line = json.loads(event["line"])
            record = None
            self.assertEqual("salt" in event, "record" in event)
            if "salt" in event:
                salt = base64.b64decode(event["salt"])
                self.assertEqual(len(salt), 32)
                self.assertEqual(sha(salt, event["record"].encode()).hex(), line["commitment"])
                record = json.loads(event["record"])
                self.assertEqual(record["$type$"], line["ref"].split(":", 1)[0])
            events[event["index"]] = line, record
        return events

    def lines(self):
        """Every line of the log, and their hashes; each alone has its proof."""
        size = self.rpc("log.checkpoint")["size"]
        lines = []
        for index in range(size):
            got = self.rpc("log.proof", leaf=index)
            self.assertEqual(got["index"], index)
            lines.append(got["line"])
            if index % 7:
                continue
            head, note = got["proof"].split("\n\n", 1)
            mark, place, *hashes = head.split("\n")
            self.assertEqual((mark, place), ("c2sp.org/tlog-proof@v1", f"index {index}"))
            _, of, root = checkpoint_of(note)
            self.assertEqual(root_by(leaf_hash(got["line"]), index, of, [base64.b64decode(each) for each in hashes]), root)
        return lines

    def tile(self, path):
        request = urllib.request.Request(f"{self.server.url.replace('ws', 'http', 1).removesuffix('/ws')}/log/{path}")
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def test_random_histories_are_proved(self):
        print("seed", SEED)
        chance = random.Random(SEED)
        world = AllTypes(self, chance)
        before, kept = [], []
        for step in range(STEPS):
            with contextlib.suppress(RpcError):  # what was purged meanwhile may be named
                world.step()
            if chance.random() < 0.15:
                before.append(self.checkpoint())
            if chance.random() < 0.2 and (ref := world.any_of("Response", "ContextUnit", "Message", "Summary", "Keyword")):
                try:
                    kept.append(self.rpc("log.bundle", ref=ref, why=True))
                except RpcError as error:
                    self.assertEqual(error.error["code"], NOT_FOUND)
            if chance.random() < 0.15 and (ref := world.any_of("ContextUnit", "Message", "Response", "Answer", "ProvEntity", "ProvAgent")):
                whence("purge", "--yes", "--url", self.server.url, ref)
            if chance.random() < 0.1 and (ref := world.any_of("ContextUnit", "Response", "Answer", "ProvEntity", "RetrievedChunk")):
                with contextlib.suppress(RpcError):
                    self.rpc("records.delete", refs=[ref], force=True)
                    world.forget([ref])
            if step == STEPS // 2:
                self.restart_after_kill()
        earlier = self.lines()
        for ref in world.refs.get("Answer", []) + world.refs.get("ProvEntity", []):  # whose edges carry what they say
            whence("purge", "--yes", "--url", self.server.url, ref)
        lines = self.lines()
        self.assertEqual(lines[:len(earlier)], earlier, "a leaf is the same for ever")
        self.assertEqual([line for line in lines if WORD.search(line)], [], "no leaf has a text")
        hashes = [leaf_hash(line) for line in lines]
        note, size, root = self.checkpoint()
        self.assertEqual((size, root), (len(lines), root_of(hashes)))
        self.assertTrue(is_signed(note, self.key))
        self.assertFalse(is_signed(note.replace("default", "another", 1), self.key))
        for _, size, root in before:
            self.assertEqual(root_of(hashes[:size]), root)
        for bundle in kept:
            for index, (line, _) in self.checked(bundle).items():
                self.assertEqual(json.loads(lines[index]), line, "what was proved before is proved still")
        self.assertGreater(len(before) + len(kept), 5)
        self.check_events(lines)
        self.check_tiles(lines, hashes)
        self.check_contents(lines)
        shutil.rmtree(Path(self.folder.name) / "db" / "tree")
        self.restart_after_kill()
        self.assertEqual(self.checkpoint()[1:], (len(lines), root_of(hashes)), "a tree that is made anew is the same")

    def check_events(self, lines):
        """They are the events that an export has, with a commitment in place of the record."""
        path = self.folder.name + "/history.jsonl"
        done = whence("export", "--format", "jsonl", "--output", path, "--force", "--url", self.server.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        exported = [json.loads(line) for line in Path(path).read_text().splitlines()]
        exported = [{k: v for k, v in each.items() if k not in ("record", "expired", "text")} for each in exported if "op" in each]
        plain = [{k: v for k, v in json.loads(line).items() if k != "commitment"} for line in lines]
        plain = [each for each in plain if each["op"] != "content"]
        for each in exported + plain:
            for edge in each.get("edges", []):
                for name in IN_RECORDS:
                    edge.pop(name, None)
            if each["op"] != "expire":
                each.pop("purged", None)
        self.assertEqual([(e["tx"], e["op"], e["ref"]) for e in plain], [(e["tx"], e["op"], e["ref"]) for e in exported])
        for ours, theirs in zip(plain, exported):
            self.assertEqual({k: v for k, v in ours.items() if k in theirs}, {k: v for k, v in theirs.items() if k in ours})

    def check_tiles(self, lines, hashes):
        full, rest = divmod(len(hashes), TILE)
        for index in range(full + (rest > 0)):
            width = TILE if index < full else rest
            name = f"{index:03}" + (f".p/{width}" if width < TILE else "")
            wanted = hashes[index * TILE:index * TILE + width]
            self.assertEqual(self.tile(f"tile/0/{name}"), b"".join(wanted))
            entries = b"".join(len(line.encode()).to_bytes(2, "big") + line.encode() for line in lines[index * TILE:index * TILE + width])
            self.assertEqual(self.tile(f"tile/entries/{name}"), entries)
            if width == TILE:
                self.assertEqual(self.tile("tile/1/000.p/%d" % full)[index * 32:index * 32 + 32], root_of(wanted))
        self.assertEqual(self.tile("checkpoint").decode(), self.rpc("log.checkpoint")["checkpoint"])
        for path in ("tile/0/999", "tile/0/000.p/999", "tile/x", f"tile/0/{full:03}.p/{rest + 1}", "tile/entries/../000"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.tile(path)
            self.assertEqual(refused.exception.code, 404)

    def check_contents(self, lines):
        """What is there opens its commitment and is what `node.get` says; what is gone has nothing."""
        shown, gone, other = 0, 0, None
        for ref in {json.loads(line)["ref"] for line in lines}:
            try:
                node = self.rpc("node.get", ref=ref, include=["record"])["nodes"][0]
            except RpcError:
                continue
            events = self.checked(self.rpc("log.bundle", ref=ref))
            self.assertEqual({line["ref"] for line, _ in events.values()}, {ref})
            if other and shown < 5:
                both = self.checked(self.rpc("log.bundle", ref=ref, beside=[other, ref]))
                self.assertEqual({line["ref"] for line, _ in both.values()}, {ref, other})
            other = ref
            newest = self.rpc("log.proof", ref=ref)
            self.assertEqual(newest["line"], lines[newest["index"]])
            self.assertEqual(events[newest["index"]][0]["tx"], events[max(events)][0]["tx"])
            written = [record for line, record in events.values() if "commitment" in line]
            if "record" not in node:
                gone += 1
                self.assertTrue(any(record is None for record in written), ref)
            elif len(written) == 1 and written[0] is not None:
                shown += 1
                for name, value in written[0].items():
                    if name in node["record"] and not isinstance(value, (list, dict)) and name not in ("content", "active"):
                        self.assertEqual(node["record"][name], value, f"{ref} {name}")
        self.assertGreater(shown, 20)

    def test_withheld_contents_stay_out(self):
        self.write({"$type$": "ContextUnit", "id": "cu_secret", "type": "System", "source": "s", "timestamp": "2025-01-01T00:00:00Z", "content": "the plan"})
        self.write({"$type$": "Response", "id": "resp_open", "agent": "a", "model": "m", "timestamp": "2025-01-01T00:00:01Z", "content": "yes",
                    "context_units": [{"context_unit_id": "cu_secret", "weight": 1}]})
        path = Path(self.folder.name) / "bundle.json"
        for without in ("ContextUnit", "ContextUnit:cu_secret"):
            done = whence("prove", "Response:resp_open", "--why", "--without", without, "-o", str(path), "--force", "--url", self.server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = path.read_text()
            self.assertNotIn("the plan", text)
            events = self.checked(json.loads(text))
            self.assertEqual({line["ref"]: record is None for line, record in events.values()},
                             {"ContextUnit:cu_secret": True, "Response:resp_open": False})
        done = whence("prove", "Response:nobody", "--url", self.server.url)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Response:nobody", done.stderr)

    def test_a_bundle_has_all_lives_of_a_record_and_withholds_all(self):
        unit = {"$type$": "ContextUnit", "id": "cu_again", "type": "User", "source": "s", "timestamp": "2025-01-01T00:00:00Z"}
        other = {**unit, "id": "cu_beside", "content": "beside"}
        self.rpc("records.write", records=[{**unit, "content": "first life"}, other])
        self.rpc("records.delete", refs=["cu_again", "cu_beside"])
        self.rpc("records.write", records=[{**unit, "content": "second life"}])
        for params in ({"ref": "cu_again"}, {"ref": "cu_again", "why": True}, {"first_tx": 1}):
            with self.subTest(params=params):
                bundle = self.rpc("log.bundle", **params, beside=["cu_beside", "cu_again"])
                told = [(line["op"], line["ref"]) for line in (json.loads(each["line"]) for each in bundle["events"])]
                self.assertEqual(sorted(told), sorted([("put", "ContextUnit:cu_again"), ("delete", "ContextUnit:cu_again"), ("put", "ContextUnit:cu_again"),
                                                       ("put", "ContextUnit:cu_beside"), ("delete", "ContextUnit:cu_beside")]))
                self.assertEqual([json.loads(each["record"])["content"] for each in bundle["events"] if "record" in each],
                                 ["first life", "beside", "second life"])
                text = json.dumps(self.rpc("log.bundle", **params, beside=["cu_beside"], without=["cu_again"]))
                self.assertNotIn("life", text)

    def test_a_size_continues_another(self):
        self.write({"$type$": "Topic", "id": "topic_before"})
        _, first, first_root = self.checkpoint()
        for i in range(9):
            self.write({"$type$": "Topic", "id": f"topic_{i}"})
        _, second, second_root = self.checkpoint()
        self.assertEqual(second, first + 9)
        got = self.rpc("log.consistency", **{"from": first, "to": second})
        self.assertEqual((got["from"], got["to"]), (first, second))
        self.refused((NOT_FOUND,), "log.consistency", **{"from": second + 1})
        self.refused((INVALID_PARAMS,), "log.consistency", rule="range", path="/from", **{"from": 0})
        self.refused((NOT_FOUND,), "log.proof", leaf=second)
        self.refused((INVALID_PARAMS,), "log.proof", rule="one_of", path="/tx", leaf=0, tx=1)
        self.assertNotEqual(first_root, second_root)

    def test_a_proof_of_one_event_is_no_bundle(self):
        self.write({"$type$": "Topic", "id": "alone"})
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(self.rpc("log.proof", ref="Topic:alone")["proof"])
            file.flush()
            done = whence("check", file.name, "--key", self.key)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is the proof of one event, not a bundle: `whence-verify FILE --line LINE --key KEY` checks it", done.stderr)


if __name__ == "__main__":
    unittest.main()
