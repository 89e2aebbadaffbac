"""The three verifiers of proofs against each other: the engine's (`proof_cases` prints cases with what it says), whence-verify
in Python and verify.mjs in node. True bundles are accepted by all, others by none, with the same report or the same first place
and rule; WHENCE_TEST_SEED repeats a run and WHENCE_PROOF_CASES says how many cases there are."""
import ast
import base64
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "tools" / "verify" / "whence-verify"
CASES = os.environ["PROOF_CASES"]
PROGRAM = os.environ["WHENCE"]
NODE = shutil.which("node")
SEED = int(os.environ.get("WHENCE_TEST_SEED") or random.randrange(2**32))
COUNT = int(os.environ.get("WHENCE_PROOF_CASES") or 1200)
COVERING = 1, 300  # a seed, and as many cases as meet every rule with it


def load():
    sys.dont_write_bytecode = True  # nothing is left beside the script
    loader = importlib.machinery.SourceFileLoader("whence_verify", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("whence_verify", loader))
    loader.exec_module(module)
    return module


wv = load()


def run(command, text="", code=0):
    done = subprocess.run([str(each) for each in command], input=text.encode(), capture_output=True, check=False)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{command[:3]}: {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout.decode()


def python_says(function, *arguments):
    try:
        return {"verified": True, **function(*arguments)}
    except wv.Refused as refused:
        return {"verified": False, "failures": [dict(zip(("path", "rule"), refused.args))]}
    except UnicodeError:
        return {"verified": False, "failures": [{"path": "", "rule": "json"}]}


def first(report):
    """The report, or of its failures the first, without the sentence that only the engine has."""
    if report["verified"]:
        return report
    return {"verified": False, "failures": [{name: report["failures"][0][name] for name in ("path", "rule")}]}


class Key:
    """A private key that signs notes: RFC 8032 (5.1.5, 5.1.6), over the points of the verifier."""

    def __init__(self, name, seed):
        self.name, digest = name, hashlib.sha512(seed).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
        self.prefix = digest[32:]
        self.public = written(wv.multiplied(self.scalar, wv.BASE))
        self.id = hashlib.sha256(name.encode() + b"\n\x01" + self.public).digest()[:4]
        self.vkey = f"{name}+{self.id.hex()}+{base64.b64encode(bytes([1]) + self.public).decode()}"

    def signature(self, message):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % wv.L
        point = written(wv.multiplied(r, wv.BASE))
        k = int.from_bytes(hashlib.sha512(point + self.public + message).digest(), "little")
        return point + ((r + k * self.scalar) % wv.L).to_bytes(32, "little")

    def note(self, text):
        return f"{text}\n\u2014 {self.name} {base64.b64encode(self.id + self.signature(text.encode())).decode()}\n"


def written(point):
    inverse = pow(point[2], wv.P - 2, wv.P)
    x, y = point[0] * inverse % wv.P, point[1] * inverse % wv.P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def tree_root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree_root(leaves[:k]) + tree_root(leaves[k:])).digest()


def path_of(index, leaves):
    if len(leaves) == 1:
        return []
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return path_of(index, leaves[:k]) + [tree_root(leaves[k:])] if index < k else path_of(index - k, leaves[k:]) + [tree_root(leaves[:k])]


def between(first_size, leaves, known=True):
    if first_size == len(leaves):
        return [] if known else [tree_root(leaves)]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    if first_size <= k:
        return between(first_size, leaves[:k], known) + [tree_root(leaves[k:])]
    return between(first_size - k, leaves[k:], False) + [tree_root(leaves[:k])]


def b64(data):
    return base64.b64encode(data).decode()


class ForkedLog:
    """Two logs of one key, of which the second tells another story from the middle on, and what proves that they have a line, or that one of
    their trees begins with an older one: its parts, which `case_of` makes the texts of."""

    SIZE = 90

    def __init__(self, key):
        texts = [f'{{"tx":{i}}}' for i in range(self.SIZE)]
        self.lines = [texts, texts[:40] + [each + " " for each in texts[40:]]]
        self.leaves = [[hashlib.sha256(b"\0" + text.encode()).digest() for text in log] for log in self.lines]
        self.note = functools.cache(lambda log, size: key.note(f"whence/x\n{size}\n{b64(tree_root(self.leaves[log][:size]))}\n"))

    def drawn(self, source):
        log, size = source.randrange(2), source.randrange(2, self.SIZE + 1)
        place, leaves = source.randrange(1, size), self.leaves[log][:size]
        if source.random() < 0.5:
            return {"checkpoint": self.note(log, size), "index": place, "line": self.lines[log][place], "hashes": path_of(place, leaves)}
        return {"checkpoint": self.note(log, size), "older": self.note(log, place), "hashes": between(place, leaves)}

    def any_note(self, source):
        return self.note(source.randrange(2), source.randrange(1, self.SIZE + 1))

    def tampered(self, parts, source):
        """The texts of the same with one part changed; None where nothing is."""
        hashes, how = list(parts["hashes"]), source.choice(["flip", "flip", "repeat", "cut", "swap", "checkpoint", "other"])
        if how == "flip":
            return flipped(case_of(parts), source)
        made = {**parts, "hashes": hashes}
        if how == "repeat":
            hashes.insert(source.randrange(len(hashes) + 1), source.choice(hashes))
        elif how == "cut":
            del hashes[source.randrange(len(hashes))]
        elif how == "swap":
            source.shuffle(hashes)
        elif how == "checkpoint":
            made["checkpoint"] = self.any_note(source)
        elif "older" in parts:
            made["older"] = self.any_note(source)
        else:
            made |= source.choice([{"line": source.choice(self.lines[1])}, {"index": source.randrange(self.SIZE)}])
        return None if made == parts else case_of(made)


def case_of(parts):
    hashes = "".join(b64(each) + "\n" for each in parts["hashes"])
    if "older" in parts:
        return {**parts, "hashes": hashes}
    return {"proof": f"c2sp.org/tlog-proof@v1\nindex {parts['index']}\n{hashes}\n{parts['checkpoint']}", "line": parts["line"]}


def flipped(texts, source):
    name = source.choice(sorted(texts))
    data = bytearray(texts[name].encode())
    data[source.randrange(len(data))] ^= 1 << source.randrange(7)
    return {**texts, name: data.decode(errors="replace")}


class VerifyTest(unittest.TestCase):
    def node_says(self, lines, *arguments):
        if NODE is None:
            self.skipTest("node is not installed")
        return run([NODE, HERE / "check_cases.mjs", *arguments], "\n".join(lines)).split("\n")[:-1]  # U+2028 ends no line

    def test_true_bundles_are_accepted_and_no_others_by_all_three(self):
        print(f"seed {SEED}, {COUNT} cases", file=sys.stderr)
        lines = [line for seed, count in ((SEED, COUNT), COVERING) for line in run([CASES, "bundles", seed, count]).split("\n")[:-1]]
        self.assertEqual(len(lines), COUNT + COVERING[1])
        by_node = [json.loads(each) for each in self.node_says(lines)] if NODE else [None] * len(lines)
        kinds, rules = Counter(), Counter()
        for i, line in enumerate(lines):
            case = json.loads(line)
            keys = {text: wv.key_of(text) for text in case["keys"]}
            mine = python_says(wv.verify_bundle, base64.b64decode(case["bundle"]), keys)
            with self.subTest(case=case["case"], i=i, seed=SEED):
                self.assertEqual(case["report"]["verified"], case["is_true"])
                self.assertEqual(mine, first(case["report"]))
                if by_node[i] is not None:
                    self.assertEqual(by_node[i], mine)
            kinds[case["case"], case["is_true"]] += 1
            rules.update([mine["failures"][0]["rule"]] if not mine["verified"] else [])
        self.assertGreater(len(kinds), 35)
        # Every rule refuses something, but for the bound of 64 MiB.
        self.assertEqual(set(rules), {"json", "type", "format", "unknown", "count", "checkpoint", "signature", "order", "inclusion", "line",
                                      "commitment", "identity", "about", "extension", "erasure"})

    def test_signatures_are_decided_alike(self):
        source = random.Random(SEED)
        key = Key("whence/x", source.randbytes(32))
        torsion = self.points_of_small_order()
        cases = []
        for i in range(60):
            message = source.randbytes(i % 5)
            good = key.signature(message)
            s = int.from_bytes(good[32:], "little")
            cases += [(key.public, message, good, True), (key.public, message + b"x", good, False)]
            cases += [(key.public, message, good[:32] + (s + n * wv.L).to_bytes(32, "little"), False) for n in (1, 2, 8) if s + n * wv.L < 2**256]
            flipped = bytearray(good)
            flipped[source.randrange(64)] ^= 1 << source.randrange(8)
            cases.append((key.public, message, bytes(flipped), False))
            # A key and an R with a part of small order: the equation without the cofactor holds for one k in eight, or never.
            small = source.choice(torsion)
            mixed = written(wv.added(wv.multiplied(key.scalar, wv.BASE), small))
            r = source.randrange(wv.L)
            for point in (wv.multiplied(r, wv.BASE), wv.added(wv.multiplied(r, wv.BASE), source.choice(torsion))):
                k = int.from_bytes(hashlib.sha512(written(point) + mixed + message).digest(), "little") % wv.L
                cases.append((mixed, message, written(point) + ((r + k * key.scalar) % wv.L).to_bytes(32, "little"), None))
        for small in torsion:
            for point in torsion:
                for n in range(4):
                    cases.append((written(small), bytes([n]), written(point) + bytes(32), None))
        # Forms that no point has: y of p and above; x of 0 with a sign; and y without an x.
        for y in (*range(wv.P, 2**255), *range(8)):
            for sign in (0, 1):
                data = (y | sign << 255).to_bytes(32, "little")
                for n in range(4):
                    cases.append((data, bytes([n]), (1).to_bytes(32, "little") + bytes(32), False if y >= wv.P or (y == 1 and sign) else None))
                cases.append((key.public, b"", data + bytes(32), False))
        cases += [((wv.P - 1 | 1 << 255).to_bytes(32, "little"), bytes([n]), (1).to_bytes(32, "little") + bytes(32), False) for n in range(8)]
        lines = [" ".join(part.hex() or "-" for part in case[:3]) for case in cases]
        mine = [wv.is_signature(*case[:3]) for case in cases]
        self.assertEqual([bool(int(each)) for each in run([CASES, "ed25519"], "\n".join(lines)).split()], mine)
        for case, verdict in zip(cases, mine, strict=True):
            self.assertIn(case[3], (None, verdict), case)
        undecided = Counter(verdict for case, verdict in zip(cases, mine, strict=True) if case[3] is None)
        self.assertGreater(min(undecided[True], undecided[False]), 10)
        self.assertEqual([bool(int(each)) for each in self.node_says(lines, "ed25519")], mine)

    def points_of_small_order(self):
        """The eight points whose order divides 8."""
        y = 0
        while True:
            y += 1
            point = wv.point_of(y.to_bytes(32, "little"))
            small = wv.multiplied(wv.L, point) if point else None
            if small and written(wv.multiplied(4, small)) != (1).to_bytes(32, "little"):
                return [wv.multiplied(n, small) for n in range(8)]

    def test_proofs_of_one_line_and_between_checkpoints(self):
        source = random.Random(SEED)
        key = Key("whence/x", source.randbytes(32))
        keys = {key.vkey: wv.key_of(key.vkey)}
        texts = [f'{{"tx":{i}}}' for i in range(20)]
        leaves = [hashlib.sha256(b"\0" + text.encode()).digest() for text in texts]
        notes = [key.note(f"whence/x\n{size}\n{b64(tree_root(leaves[:size]))}\n") for size in range(21)]
        lines, mine, wanted = [], [], []
        for size in range(1, 21):
            for index in range(size):
                for other in {index, size - 1}:
                    hashes = "".join(b64(each) + "\n" for each in path_of(index, leaves[:size]))
                    extra = "extra AAAA\n" if index % 2 else ""
                    proof = f"c2sp.org/tlog-proof@v1\n{extra}index {index}\n{hashes}\n{notes[size]}"
                    mine.append(python_says(wv.verify_proof, proof.encode(), texts[other].encode() + b"\n", keys))
                    lines.append({"proof": proof, "line": texts[other], "keys": [key.vkey]})
                    wanted.append(other == index)
        for proof in ("", "c2sp.org/tlog-proof@v1\n", f"c2sp.org/tlog-proof@v2\nindex 0\n\n{notes[1]}", f"c2sp.org/tlog-proof@v1\nindex 00\n\n{notes[1]}",
                      f"c2sp.org/tlog-proof@v1\nextra x\nindex 0\n\n{notes[1]}", f"c2sp.org/tlog-proof@v1\nindex 0\nx\n\n{notes[1]}",
                      f"c2sp.org/tlog-proof@v1\nindex 0\n{notes[1]}", f"c2sp.org/tlog-proof@v1\nindex 1\n\n{notes[1]}"):
            mine.append(python_says(wv.verify_proof, proof.encode(), texts[0].encode(), keys))
            lines.append({"proof": proof, "line": texts[0], "keys": [key.vkey]})
            wanted.append(False)
        for second in range(21):
            for size in range(21):
                hashes = "".join(b64(each) + "\n" for each in (between(size, leaves[:second]) if 0 < size <= second else []))
                for fault in ("", b64(leaves[0]) + "\n"):
                    mine.append(python_says(wv.verify_consistency, notes[second].encode(), notes[size].encode(), (hashes + fault).encode(), keys))
                    lines.append({"checkpoint": notes[second], "older": notes[size], "hashes": hashes + fault, "keys": [key.vkey]})
                    wanted.append(0 < size <= second and not fault)
        fork = key.note(f"whence/x\n5\n{b64(leaves[0])}\n")
        mine.append(python_says(wv.verify_consistency, notes[5].encode(), fork.encode(), b"", keys))
        lines.append({"checkpoint": notes[5], "older": fork, "hashes": "", "keys": [key.vkey]})
        wanted.append(False)
        self.assertEqual([each["verified"] for each in mine], wanted)
        self.assertEqual([json.loads(each) for each in self.node_says(map(json.dumps, lines))], mine)

    def test_a_log_that_was_tampered_with_is_refused(self):
        """By both verifiers: a byte flipped, hashes swapped, cut or repeated, a checkpoint or line of another log of the same key or of another
        size. What was not touched is accepted."""
        source = random.Random(SEED + 1)
        key = Key("whence/x", source.randbytes(32))
        keys, logs = {key.vkey: wv.key_of(key.vkey)}, ForkedLog(key)
        lines, mine, wanted = [], [], []
        while len(lines) < COUNT:
            parts = logs.drawn(source)
            for case, is_true in ((case_of(parts), True), (logs.tampered(parts, source), False)):
                if case is None:
                    continue
                mine.append(python_says(wv.verify_proof, case["proof"].encode(), case["line"].encode(), keys) if "line" in case else python_says(
                    wv.verify_consistency, case["checkpoint"].encode(), case["older"].encode(), case["hashes"].encode(), keys))
                lines.append({**case, "keys": [key.vkey]})
                wanted.append(is_true)
        self.assertEqual([each for each, says, right in zip(lines, mine, wanted) if says["verified"] != right], [], f"seed {SEED}")
        self.assertEqual([json.loads(each) for each in self.node_says(map(json.dumps, lines))], mine)
        print(f"seed {SEED}: {wanted.count(False)} logs that were tampered with refused, {wanted.count(True)} others accepted")

    def test_what_goes_of_an_earlier_life_ends_no_later_one(self):
        key, ref = Key("whence/x", bytes(32)), "ContextUnit:a"
        put, version, delete, expire = ({"op": op, "ref": ref, "at": "t"} for op in ("put", "version", "delete", "expire"))
        of = lambda tx: {**expire, "purged": True, "put": tx}
        cases = [([put, delete, put, of(1)], []), ([version, delete, version, of(1)], []), ([put, expire, delete, put], []), ([put, expire, version], []),
                 ([put, delete, of(1), put, of(1)], []), ([put, delete, of(1)], [ref]), ([put, of(1)], [ref]), ([put, expire], [ref]),
                 ([put, delete, put, of(1), expire], [ref]), ([put, delete, put, of(1), delete, of(3)], [ref]),
                 *(([put, of(wrong)], None) for wrong in (-1, 1.5, "1", None, 2**53))]
        bundles, mine = [], []
        for events, ended in cases:
            texts = [json.dumps({**event, "tx": tx}) for tx, event in enumerate(events, 1)]
            leaves = [hashlib.sha256(b"\0" + text.encode()).digest() for text in texts]
            note = key.note(f"whence/x\n{len(leaves)}\n{b64(tree_root(leaves))}\n")
            bundles.append(json.dumps({"format": "whence-proof-1", "about": ref, "checkpoint": note, "events": [
                {"index": i, "line": text, "proof": [b64(each) for each in path_of(i, leaves)]} for i, text in enumerate(texts)]}))
            mine.append(python_says(wv.verify_bundle, bundles[-1].encode(), {key.vkey: wv.key_of(key.vkey)}))
            wanted = {"verified": False, "failures": [{"path": "/events/1/line", "rule": "line"}]}
            self.assertEqual(mine[-1] if ended is None else mine[-1]["ended"]["refs"], wanted if ended is None else ended, texts)
            self.assertEqual(first(json.loads(run([CASES, "report", key.vkey], bundles[-1]))), mine[-1], texts)
        lines = [json.dumps({"bundle": b64(each.encode()), "keys": [key.vkey]}) for each in bundles]
        self.assertEqual([json.loads(each) for each in self.node_says(lines)], mine)

    def test_the_worked_bytes_of_the_readme_are_right(self):
        text = (SCRIPT.parent / "README.md").read_text(encoding="utf-8")
        blocks = [each.split("```")[0] for each in text[text.index("## Worked bytes"):].replace("```json", "```").split("```\n")[1::2]]
        vkey, lines, content, hashes, bundle, proof, *_ = [each.removesuffix("\n") for each in blocks]
        self.assertEqual(Key("whence/example", bytes(range(32))).vkey, vkey)
        leaves = [hashlib.sha256(b"\0" + line.encode()).digest() for line in lines.split("\n")]
        self.assertEqual([each.hex() for each in (*leaves, tree_root(leaves[:2]), tree_root(leaves))], hashes.split("\n"))
        salt, record = content.split("\n")
        self.assertIn(hashlib.sha256(bytes.fromhex(salt) + record.encode()).hexdigest(), lines.split("\n")[1])
        report = json.loads(run([CASES, "report", vkey], bundle))
        self.assertEqual([report[each] for each in ("verified", "events", "records", "withheld", "edges")], [True, 2, 1, 1, 1])
        keys = {vkey: wv.key_of(vkey)}
        self.assertEqual(python_says(wv.verify_bundle, bundle.encode(), keys), report)
        self.assertTrue(python_says(wv.verify_proof, proof.encode() + b"\n", lines.split("\n")[1].encode(), keys)["verified"])
        self.assertEqual([json.loads(each) for each in self.node_says([json.dumps({"bundle": b64(bundle.encode()), "keys": [vkey]})])], [report])

    def test_the_program_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bundle.json"
            for line in run([CASES, "bundles", SEED, 30]).split("\n")[:-1]:
                case = json.loads(line)
                file.write_bytes(base64.b64decode(case["bundle"]))
                keys = [part for key in case["keys"] for part in ("--key", key)]
                code = 0 if case["is_true"] else 8
                self.assertEqual(json.loads(run([PROGRAM, "check", file, *keys, "--json"], code=code)), case["report"])
                said = run([PROGRAM, "check", "-", *keys], file.read_bytes().decode(errors="replace"), code)
                self.assertIn("not proved" if case["is_true"] else "NOT VERIFIED", said)
            run([PROGRAM, "check", file], code=2)
            run([PROGRAM, "check", file, "--key", "x"], code=2)
            run([PROGRAM, "check", file / "absent", *keys], code=3)

    def test_the_script_says_by_its_exit_code(self):
        case = json.loads(run([CASES, "bundles", 1, 1]))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bundle.json"
            file.write_bytes(base64.b64decode(case["bundle"]))
            keys = [part for key in case["keys"] for part in ("--key", key)]
            report = json.loads(run([sys.executable, SCRIPT, file, *keys, "--json"]))
            self.assertEqual(report, case["report"])
            self.assertIn("not_proved", run([sys.executable, SCRIPT, file, *keys]))
            file.write_bytes(file.read_bytes()[:-1])
            self.assertIn('"json"', run([sys.executable, SCRIPT, file, *keys], code=1))
            file.write_bytes(b"\xff")
            self.assertIn('"json"', run([sys.executable, SCRIPT, file, *keys], code=1))
            for wrong in ([file], [file, "--key", "x"], [file / "absent", *keys], [file, *keys, "--older", file]):
                run([sys.executable, SCRIPT, *wrong], code=2)

    def test_the_script_stays_short_and_by_itself(self):
        lines = SCRIPT.read_text(encoding="utf-8").splitlines()
        self.assertLess(len(lines), 300)
        statements = [each for each in ast.walk(ast.parse("\n".join(lines))) if isinstance(each, (ast.Import, ast.ImportFrom))]
        imported = {name.name for each in statements for name in each.names} | {each.module for each in statements if isinstance(each, ast.ImportFrom)}
        self.assertLessEqual(imported, set(sys.stdlib_module_names))
        module = (SCRIPT.parent / "verify.mjs").read_text(encoding="utf-8")
        self.assertNotRegex(module, r"(?m)^\s*import\b|\bimport\(|\brequire\(|\bfetch\(|crypto\.")


if __name__ == "__main__":
    unittest.main()
