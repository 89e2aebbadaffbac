"""Claim: `whence replay` asks a model again for what rests on a source, without it, and what changes is what depends on it.

Method: a scripted model answers from the facts in its prompt and from earlier answers, but for some facts that it ignores. It
makes the first answers too. Which answers depend on a fact is worked out from the script alone; plan and replay are held
against that. An end point that fails, a bound on calls and a dry run leave nothing half recorded.
"""
import hashlib
import json
import random
import re
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.program import Server, whence, write_private

FACTS, FIRST, SECOND = 30, 40, 20
TIME = "2026-01-01T00:00:00Z"
INSTRUCTION = "Answer from the facts."


def fact(k):
    return f"Fact k{k:02}: the value is {k * 37 % 101}."


class Model:
    """What it says depends on the facts and answers in the prompt, without those that it ignores for the question."""

    def __init__(self, ignored):
        self.ignored, self.asked, self.keys, self.fail_at = ignored, 0, set(), None

    def answer(self, messages):
        text = "\n".join(message["content"] for message in messages)
        question = re.search(r"Question (q\d\d)", text).group(1)
        facts = [f for f in re.findall(r"Fact (k\d\d: the value is \d+)\.", text) if f[:3] not in self.ignored[question]]
        earlier = re.findall(r"Answer (q\d\d [0-9a-f]{12})\.", text)
        digest = hashlib.sha256(json.dumps([question, sorted(facts), sorted(earlier)]).encode()).hexdigest()[:12]
        return f"Answer {question} {digest}."

    def __enter__(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked += 1
                model.keys.add(self.headers["Authorization"])
                failed = model.asked == model.fail_at or self.path != "/v1/chat/completions"
                answer = {"error": {"message": "out of order"}} if failed else {
                    "model": body["model"], "choices": [{"message": {"role": "assistant", "content": model.answer(body["messages"])}}],
                    "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
                data = json.dumps(answer).encode()
                self.send_response(503 if failed else 200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class World:
    """Calls in two stages. Their sources are recorded as the application knows them; a few it names the model ignores."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.uses, self.earlier, self.ignored = {}, {}, {}
        for i in range(FIRST + SECOND):
            name = f"q{i:02}"
            self.uses[name] = [f"k{k:02}" for k in chance.sample(range(FACTS), chance.randint(2, 4))]
            self.earlier[name] = [f"q{k:02}" for k in chance.sample(range(FIRST), 2)] if i >= FIRST else []
            self.ignored[name] = {self.uses[name][0]} if i % 40 == 7 else set()
        self.model = Model(self.ignored)

    def depend_on(self, key):
        changed = set()
        for name in sorted(self.uses):
            if key in set(self.uses[name]) - self.ignored[name] or changed & set(self.earlier[name]):
                changed.add(name)
        return changed

    def write(self, server):
        server.rpc("records.write", {"records": [
            {"$type$": "ContextUnit", "id": f"cu_k{k:02}", "type": "External", "source": f"file:k{k:02}", "timestamp": TIME,
             "version": 1, "content": fact(k)} for k in range(FACTS)]})
        said = {}
        for name in sorted(self.uses):
            parts = [INSTRUCTION, *[fact(int(key[1:])) for key in self.uses[name]], *[said[each] for each in self.earlier[name]]]
            messages = [{"role": "system", "content": "\n".join(parts)}, {"role": "user", "content": f"Question {name}?"}]
            said[name] = self.model.answer(messages)
            prompt = "".join(message["content"] for message in messages)
            cut = len(messages[0]["content"])
            sources = [f"ContextUnit:cu_{key}" for key in self.uses[name]] + [f"Response:resp_{each}" for each in self.earlier[name]]
            server.rpc("records.write", {"records": [
                {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "scripted", "prompt": prompt,
                 "prompt_messages": [{"role": "system", "start": 0, "end": cut}, {"role": "user", "start": cut, "end": len(prompt)}],
                 "content": said[name], "usage": {"input_tokens": 10, "output_tokens": 2}, "cost": 0.5,
                 "context_units": [{"ref": ref, "weight": 1 / len(sources)} for ref in sources]}]})


def score(found, truth):
    right = len(found & truth)
    return right / max(1, len(found)), right / max(1, len(truth))


class ReplayTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def world(self, seed):
        world = World(seed)
        server = Server(f"{self.folder.name}/db{seed}")
        server.__enter__()
        self.addCleanup(server.__exit__, None, None, None)
        world.write(server)
        return world, server

    def replay(self, server, *arguments):
        return whence("replay", *arguments, "--url", server.url)

    def test_what_would_change_is_what_depends_on_the_source(self):
        planned, truth, changed = set(), set(), set()
        for seed in range(4):
            world, server = self.world(seed)
            key = f"k{seed * 7 + 1:02}"
            plan = server.rpc("impact.replay_plan", {"refs": [f"cu_{key}"], "limit": 1000})["calls"]
            planned |= {(seed, call["id"][5:]) for call in plan}
            truth |= {(seed, name) for name in world.depend_on(key)}
            with world.model:
                done = self.replay(server, f"cu_{key}", "--model-url", world.model.url, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = json.loads(done.stdout)["calls"]
            changed |= {(seed, call["ref"][14:]) for call in calls if call["outcome"] == "changed"}
            self.check_records(server, key, calls)
        self.assertGreater(len(truth), 20)
        for name, found in (("plan", planned), ("replay", changed)):
            precision, recall = score(found, truth)
            self.assertGreaterEqual(precision, 0.95, name)
            self.assertGreaterEqual(recall, 0.95, name)
        self.assertEqual(changed, truth)

    def check_records(self, server, key, calls):
        replays = {call["ref"]: call["replay"] for call in calls if "replay" in call}
        for before, after in replays.items():
            nodes = server.rpc("node.get", {"refs": [before, after], "include": ["record"]})["nodes"]
            old, new = (node["record"] for node in nodes)
            self.assertEqual(new["attributes"], {"without": [f"cu_{key}"]})
            self.assertEqual(new["replay_of"], before)
            self.assertEqual(new["usage"], {"input_tokens": 7, "output_tokens": 3})
            self.assertNotIn(f"Fact {key}", new["prompt"])
            self.assertIn(f"Question {before[14:]}?", new["prompt"])
            names = [use.get("ref", "ContextUnit:" + use.get("context_unit_id", "")) for use in old["context_units"]]
            want = [replays.get(name, name) for name in names if name != f"ContextUnit:cu_{key}"]
            self.assertEqual([use.get("ref", "ContextUnit:" + use.get("context_unit_id", "")) for use in new["context_units"]], want)
            self.assertAlmostEqual(sum(use["weight"] for use in new["context_units"]), 1)
            self.assertNotIn("flags", new)
            ancestors = {node["ref"] for node in server.rpc("lineage.ancestors", {"ref": after})["nodes"]}
            self.assertNotIn(f"ContextUnit:cu_{key}", ancestors)
        before, after = next(iter(replays.items()))
        rows = server.rpc("query", {"cypher": f"MATCH (a:Response {{ref: '{after}'}})-[r:REPLAY_OF]->(b) RETURN b.ref"})["rows"]
        self.assertEqual(rows, [[before]])
        shown = whence("diff", before, after, "--url", server.url)
        self.assertIn(f"ContextUnit:cu_{key}", shown.stdout)

    def test_what_was_mended_stands_in_the_place_of_the_source(self):
        world, server = self.world(2)
        key, newer = "k03", "Fact k03: the value is 999."
        made = server.rpc("unit.update", {"ref": "cu_k03", "content": newer})["ref"]
        offered = self.replay(server, "cu_k03", "--dry-run")
        self.assertIn(f"ContextUnit:cu_k03 was mended: --mended puts {made} in its place", offered.stderr)
        planned = self.replay(server, "cu_k03", "--mended", "--dry-run")
        self.assertIn(f"mended  ContextUnit:cu_k03 -> {made}", planned.stdout)
        with world.model:
            done = self.replay(server, "cu_k03", "--mended", "--model-url", world.model.url, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = json.loads(done.stdout)["calls"]
        self.assertEqual({call["ref"][14:] for call in calls if call["outcome"] == "changed"}, world.depend_on(key))
        for call in calls:
            record = server.rpc("node.get", {"refs": [call["replay"]], "include": ["record"]})["nodes"][0]["record"]
            old = server.rpc("node.get", {"refs": [call["ref"]], "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual(record["attributes"], {"mended": ["cu_k03"]})
            used = [use.get("ref") or "ContextUnit:" + use["context_unit_id"] for use in record["context_units"]]
            self.assertNotIn("ContextUnit:cu_k03", used)
            if fact(3) in old["prompt"]:
                self.assertIn(made, used)
                self.assertEqual(record["prompt"].count(newer), 1)
                self.assertNotIn(fact(3), record["prompt"])
            self.assertNotIn(call["ref"], [answer["ref"] for answer in server.rpc("lineage.stale", {"ref": call["replay"]})["sources"]])

    def test_a_dry_run_tells_tokens_and_cost_and_asks_nobody(self):
        world, server = self.world(1)
        count = len(server.rpc("impact.replay_plan", {"refs": ["cu_k03"]})["calls"])
        tx = server.rpc("server.info")["tx"]
        done = self.replay(server, "cu_k03", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left_out  ContextUnit:cu_k03", done.stdout)
        self.assertIn(f"tokens in {10 * count} (of {count} calls), tokens out {2 * count} (of {count} calls)", done.stdout)
        self.assertEqual(server.rpc("server.info")["tx"], tx)
        self.assertEqual(world.model.asked, 0)

    def test_a_bound_on_calls_holds_and_says_what_is_left(self):
        world, server = self.world(1)
        with world.model:
            done = self.replay(server, "cu_k03", "--model-url", world.model.url, "--calls", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(world.model.asked, 2)
        self.assertIn("not asked: --calls is reached", done.stdout)

    def test_an_end_point_that_fails_is_named_and_leaves_nothing_half_recorded(self):
        world, server = self.world(1)
        before = server.rpc("node.count", {"type": "Response"})["count"]
        with world.model:
            world.model.fail_at = 3
            done = self.replay(server, "cu_k03", "--model-url", world.model.url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/v1/chat/completions: HTTP 503: out of order (2 answers are recorded", done.stderr)
        self.assertEqual(server.rpc("node.count", {"type": "Response"})["count"], before + 2)
        gone = self.replay(server, "cu_k03", "--model-url", world.model.url)
        self.assertEqual(gone.returncode, 6)
        self.assertIn("no answer", gone.stderr)

    def test_the_key_is_read_from_a_file_that_others_cannot_read(self):
        world, server = self.world(1)
        path = f"{self.folder.name}/key"
        with open(path, "w", encoding="utf-8") as file:
            file.write("sk-open\n")
        with world.model:
            refused = self.replay(server, "cu_k03", "--model-url", world.model.url, "--model-key-file", path)
            self.assertEqual(refused.returncode, 2)
            self.assertEqual(world.model.asked, 0)
            write_private(path, "sk-secret\n")
            done = self.replay(server, "cu_k03", "--model-url", world.model.url, "--model-key-file", path, "--calls", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(world.model.keys, {"Bearer sk-secret"})
        self.assertNotIn("sk-secret", done.stdout + done.stderr)

    def test_a_call_whose_prompt_lacks_the_source_is_named_and_not_asked(self):
        world, server = self.world(1)
        server.rpc("records.write", {"records": [
            {"$type$": "Response", "id": "resp_other", "timestamp": TIME, "agent": "a", "model": "scripted", "content": "Yes.",
             "prompt": "Question q00, in other words?", "context_units": [{"context_unit_id": "cu_k29", "weight": 1}]},
            {"$type$": "Response", "id": "resp_after", "timestamp": TIME, "agent": "a", "model": "scripted", "content": "No.",
             "prompt": "Question q01: Yes.", "context_units": [{"ref": "Response:resp_other", "weight": 1}]}]})
        with world.model:
            done = self.replay(server, "cu_k29", "--model-url", world.model.url, "--json")
        told = {call["ref"]: call for call in json.loads(done.stdout)["calls"]}
        self.assertEqual(told["Response:resp_other"]["why"], "the text of ContextUnit:cu_k29 is not in its prompt")
        self.assertEqual(told["Response:resp_after"]["why"], "it needs Response:resp_other, which was not asked again")


if __name__ == "__main__":
    unittest.main()
