"""Claim: blame, without, replay_plan and diff say of any graph at any moment what their definitions say (net/PROTOCOL.md).

Method: random histories (units with versions, instructions and questions, responses, answers with documents, chunks and prompts,
acts of both, ratings, deletions) are written to a server each. At random moments its edges are read, and each method is worked out from
them by walking every path. `WHENCE_TEST_GRAPHS` sets how many histories, `WHENCE_TEST_SEED` the first.
"""
import functools
import itertools
import math
import os
import random
import tempfile
import unittest
from collections import defaultdict

from support.naive_stream import cause_and_effect, type_of
from support.program import RpcError, Server, seed_of_run

SEED = seed_of_run()
GRAPHS = int(os.environ.get("WHENCE_TEST_GRAPHS", "20"))
TIME = "2026-01-01T00:00:00Z"
TYPES = ["ContextUnit", "Response", "Query", "RetrievedChunk", "Document", "PromptContext", "Answer", "FeedbackRecord"]
SOURCES = ("ContextUnit", "RetrievedChunk", "Document", "Message")
CLOSE = 1e-9


class History:
    """A random one, written batch by batch."""

    def __init__(self, seed, server):
        self.chance, self.server, self.next = random.Random(seed), server, 0
        self.records = {}                   # all that was written, by ref
        self.order = []                     # their refs
        self.replaced, self.moments = set(), []
        for _ in range(12):
            self.commit()

    def name(self, kind):
        self.next += 1
        return f"{kind}{self.next}"

    def some(self, type_name, most):
        there = [ref for ref in self.order if type_of(ref) == type_name]
        return self.chance.sample(there, min(len(there), self.chance.randint(0, most)))

    def unit(self):
        made = {"$type$": "ContextUnit", "id": self.name("cu_"), "type": "External", "timestamp": TIME, "version": 1,
                "source": self.chance.choice(["file:a", "file:b", "tool:t", "message:system", "message:user"]), "content": self.name("said ")}
        older = self.some("ContextUnit", 1)
        if older and older[0] not in self.replaced and self.chance.random() < 0.5:
            self.replaced.add(older[0])
            made.update(previous_version_id=older[0][12:], version=self.records[older[0]]["version"] + 1)
            made["source"] = self.records[older[0]]["source"]
        else:
            derived = [ref[12:] for ref in self.some("ContextUnit", 2)]
            if derived and self.chance.random() < 0.4:
                made["derived_from"] = derived
        if self.chance.random() < 0.3:
            for ref in self.some("Response", 1):
                made["updated_by_response_id"] = ref[9:]
        return made

    def response(self, request=None):
        used = self.some("ContextUnit", 3) + self.some("RetrievedChunk", 1) + self.some("Response", 1)
        parts = [self.chance.choice([0, 1, 1, 2]) for _ in used]
        total = sum(parts)
        made = {"$type$": "Response", "id": self.name("resp_"), "timestamp": TIME, "agent": self.chance.choice("ab"), "model": "m",
                "context_units": [{"ref": ref, "weight": part / total} for ref, part in zip(used, parts)] if total else []}
        prompted = [ref for ref in self.some("ContextUnit", 2) if ref not in used]
        if prompted and self.chance.random() < 0.5:
            role = {"message:system": "instruction", "message:user": "question"}
            made["prompt_refs"] = prompted
            made["prompt_basis"] = [role.get(self.records[ref]["source"], "given") for ref in prompted]
        if self.chance.random() < 0.5:
            made["usage"] = {"input_tokens": self.chance.randint(1, 99)}
        return made | ({"request_id": request} if request else {})

    def chunk(self):
        documents = self.some("Document", 1) if self.chance.random() < 0.8 else []
        document = documents[0][9:] if documents else self.name("doc")
        return [*([] if documents else [{"$type$": "Document", "document_name": document}]),
                {"$type$": "RetrievedChunk", "chunk_id": self.name("chunk"), "content": self.chance.choice(["one", "two", "three"]),
                 "metadata": {"document_name": document, "chunk_index": self.chance.randint(0, 1)}}]

    def request(self):
        """A question with what was found for it, its prompt, and one half of its act or both."""
        chunks = [self.records[ref] for ref in self.some("RetrievedChunk", 3)]
        if not chunks:
            return []
        request = self.name("req")
        found = [{**chunk, "request_id": request, "rank": n + 1, "similarity_score": 0.5} for n, chunk in enumerate(chunks)]
        prompt = {"$type$": "PromptContext", "request_id": request, "question": "Why?", "system_prompt": "s", "formatted_context": "c",
                  "retrieved_chunks": [{"chunk_id": chunk["chunk_id"]} for chunk in chunks]}
        cited = [{"document_name": chunk["metadata"]["document_name"], "excerpt": chunk["content"], "chunk_id": chunk["chunk_id"]}
                 for chunk in chunks[:self.chance.randint(1, 2)]]
        answer = {"$type$": "Answer", "request_id": request, "answer": "So.", "confidence": 0.5, "citations": cited}
        halves = self.chance.choice([[answer], [answer, self.response(request)], [self.response(request), answer]])
        return [{"$type$": "Query", "request_id": request, "question": "Why?"}, *found, prompt, *halves]

    def rating(self):
        rated = self.some("Response", 1) or self.some("Answer", 1)
        return [{"$type$": "FeedbackRecord", "id": self.name("fb_"), "ref": ref, "timestamp": TIME,
                 "score": self.chance.choice([-1, -0.5, 0.25, 1])} for ref in rated]

    def commit(self):
        kind = self.chance.random()
        if kind < 0.12 and self.order:
            self.delete(self.chance.choice(self.order))
            return
        batch = self.request() if kind < 0.3 else [self.response()] if kind < 0.55 else self.rating() + self.rating() if kind < 0.75 else (
            [self.unit()] + self.chunk())
        if not batch:
            batch = [self.unit() for _ in range(3)]
        result = self.server.rpc("records.write", {"records": batch, "mode": "capture"})
        self.moments.append(result["tx"])
        for ref in self.server.rpc("node.get", {"refs": result["refs"], "include": ["record"]})["nodes"]:
            if ref["ref"] not in self.records:
                self.order.append(ref["ref"])
            self.records[ref["ref"]] = ref["record"]

    def delete(self, ref):
        try:
            self.moments.append(self.server.rpc("records.delete", {"refs": [ref], "force": True})["tx"])
        except RpcError:
            return  # something needs it
        there = set(self.there())
        self.order = [each for each in self.order if each in there]

    def there(self):
        for kind in TYPES:
            for node in self.server.rpc("node.find", {"type": kind, "limit": 1000})["nodes"]:
                yield node["ref"]


class Oracle:
    """The graph at one moment, and what follows from its edges alone."""

    def __init__(self, history, as_of):
        self.records, self.nodes, self.edges, self.other_half = history.records, [], {}, {}
        self.causes, self.effects = defaultdict(list), defaultdict(list)
        for kind in TYPES:
            found = history.server.rpc("node.find", {"type": kind, "as_of": as_of, "limit": 1000, "include": ["edges"]})["nodes"]
            for node in found:
                self.nodes.append(node["ref"])
                self.edges.update(((e["from"], e["type"], e["to"], e.get("role")), e) for e in node["edges"])
        for edge in self.edges.values():
            if edge["type"] == "SAME_ACT":
                self.other_half[edge["from"]], self.other_half[edge["to"]] = edge["to"], edge["from"]
            ends = cause_and_effect(edge)
            if ends:
                self.causes[ends[1]].append((ends[0], edge))
                self.effects[ends[0]].append((ends[1], edge))
        self.created = {ref: n for n, ref in enumerate(history.records)}

    # What it is.

    def is_act(self, ref):
        return type_of(ref) == "Response" or type_of(ref) == "Answer" and ref not in self.other_half

    def kind(self, ref):
        if type_of(ref) == "ContextUnit":
            return {"message:system": "instruction", "message:user": "question"}.get(self.records[ref]["source"], "evidence")
        return "question" if type_of(ref) in ("Query", "EmbeddingVector") else "evidence"

    @functools.lru_cache(None)
    def shares(self, effect):
        """[(cause, share)], one for each edge."""
        by_type, made = defaultdict(list), []
        for cause, edge in self.causes[effect]:
            if "role" in edge:
                made.append((cause, 0))
            else:
                by_type[edge["type"]].append((cause, edge.get("weight")))
        for edges in by_type.values():
            part = 1 / len(by_type) / len(edges)
            weighted = [weight for _, weight in edges if weight is not None]
            for cause, weight in edges:
                by_weight = weight is not None and sum(weighted) > 0
                made.append((cause, part * len(weighted) * weight / sum(weighted) if by_weight else part))
        return made

    @functools.lru_cache(None)
    def share(self, cause, effect):
        return sum(share * ((each == cause) + self.share(cause, each)) for each, share in self.shares(effect))

    def reach(self, starts, lists):
        """{ref: least number of edges}."""
        depths, layer = {}, list(starts)
        for depth in itertools.count(1):
            layer = [far for near in layer for far, _ in lists[near] if depths.setdefault(far, depth) == depth]
            layer = list(dict.fromkeys(layer))
            if not layer:
                return depths

    def weights(self, effect):
        """{ancestor: weight of the strongest path}."""
        best, frontier = {}, {effect: 1}
        while frontier:
            further = {}
            for near, weight in frontier.items():
                for cause, edge in self.causes[near]:
                    further[cause] = max(further.get(cause, 0), weight * edge.get("weight", 1))
            for ref, weight in further.items():
                best[ref] = max(best.get(ref, 0), weight)
            frontier = further
        return best

    # What follows.

    def fallen(self, starts):
        gone, grows = set(starts), True
        while grows:
            grows = False
            for node in self.nodes:
                if node not in gone and self.lacks_a_kind(node, lambda cause: cause in gone):
                    gone.add(node)
                    grows = True
        return gone

    def lacks_a_kind(self, node, is_gone):
        kinds = defaultdict(list)
        for cause, _ in self.causes[node]:
            kinds[self.kind(cause)].append(is_gone(cause))
        return any(all(gone) for gone in kinds.values())

    def lost(self, node, fallen):
        return 1 if node in fallen else min(1, sum(share * self.lost(cause, fallen) for cause, share in self.shares(node)))

    def without(self, starts):
        fallen = self.fallen(starts)
        reached = set(self.reach(starts, self.effects)) - set(starts)
        lost = {node: self.lost(node, fallen) for node in reached if self.is_act(node)}
        answers = {node: ("lost" if node in fallen else "weakened", part) for node, part in lost.items() if part > 0}
        between = {node for node in reached & fallen if type_of(node) not in ("Response", "Answer")}
        others = {}
        for source in self.nodes:
            if type_of(source) in SOURCES and source not in fallen:
                shares = [self.share(source, answer) for answer in answers]
                if any(shares):
                    others[source] = sum(share > 0 for share in shares), sum(shares) / len(answers)
        acts = sum(map(self.is_act, self.nodes)) - sum(map(self.is_act, starts))
        return answers, between, others, acts - len(answers)

    def newer(self, start):
        """{ref: what stands in its place} of what was mended of a start; of a document its chunks."""
        if type_of(start) == "ContextUnit":
            chain, at = [start], start
            by_previous = {"ContextUnit:" + record["previous_version_id"]: ref for ref, record in self.records.items()
                           if "previous_version_id" in record}
            while at in by_previous:
                at = by_previous[at]
                chain += [at] if at in self.nodes else []
            return {each: chain[-1] for each in chain[:-1]}
        documents = [start] if type_of(start) == "Document" else [c for c, _ in self.causes[start] if type_of(c) == "Document"]
        newer = {}
        for document in documents:
            last = {}
            chunks = sorted({e for e, _ in self.effects[document] if type_of(e) == "RetrievedChunk"}, key=self.created.get)
            for chunk in chunks:
                last[self.records[chunk]["metadata"]["chunk_index"]] = chunk
            for chunk in chunks:
                there = last[self.records[chunk]["metadata"]["chunk_index"]]
                if self.records[there]["content"] != self.records[chunk]["content"]:
                    newer[chunk] = there
        return newer if type_of(start) == "Document" else {ref: now for ref, now in newer.items() if ref == start}

    def replay_plan(self, starts, is_mended):
        newer = {}
        for start in starts:
            newer.update(self.newer(start))
        newer = {old: now for old, now in newer.items() if now not in starts}
        if is_mended:
            starts = {each for start in starts for each in (
                self.newer(start) if type_of(start) == "Document" and self.newer(start) else [start])}
        put = newer if is_mended else {}
        states = {}

        def state(node):
            if node not in states:
                states[node] = state_now(node)
            return states[node]

        def state_now(node):
            if node in put or node in starts:
                return "mended" if node in put else "left_out"
            causes = [cause for cause, _ in self.causes[node]]
            if node in put.values() or type_of(node) in ("Query", "EmbeddingVector") or all(state(c) == "kept" for c in causes):
                return "kept"
            if type_of(node) in ("Response", "Answer"):
                return "again"
            return "left_out" if self.lacks_a_kind(node, lambda cause: state(cause) == "left_out") else "changed"

        def stage(node):
            if state(node) in ("kept", "mended") or node in starts:
                return 0
            return max([stage(c) + (state(c) == "again") for c, _ in self.causes[node]], default=0)

        def goes(node):
            """Something of it is left out, near or far."""
            if state(node) in ("kept", "mended"):
                return False
            return state(node) == "left_out" or any(goes(cause) for cause, _ in self.causes[node])

        def effect(node):
            if not is_mended:
                return "lost" if node in fallen else "weakened"
            is_lost = self.lacks_a_kind(node, lambda cause: state(cause) == "left_out")
            return "lost" if is_lost else "weakened" if goes(node) else "mended"

        fallen, depths = self.fallen(starts), self.reach(starts, self.effects)
        calls = {}
        for node in depths:
            if state(node) != "again" or not self.is_act(node):
                continue
            inputs = set()
            for cause, _ in self.causes[node]:
                parts = [cause]
                if type_of(cause) == "PromptContext":
                    parts = [c for c, _ in self.causes[cause] if type_of(c) in ("Query", "RetrievedChunk")]
                for part in parts:
                    there = newer.get(part) if state(part) in ("left_out", "mended") else None
                    inputs.add((part, self.kind(part), state(part), there))
            calls[node] = depths[node], stage(node) + 1, effect(node), self.lost(node, fallen), inputs
        return calls

    def blame(self, rated):
        """{source: (rated, bad, rate, lift, lower, share)}; `rated` is {act: whether it is bad}."""
        bad_count, made = sum(rated.values()), {}
        for source in self.nodes:
            if type_of(source) not in ("ContextUnit", "RetrievedChunk", "Document") or self.kind(source) != "evidence":
                continue
            shares = {act: min(1, self.share(source, act)) for act in rated}
            own = {act: share for act, share in shares.items() if share > 0}
            if not own:
                continue
            bad = [share for act, share in own.items() if rated[act]]
            total = sum(own.values())
            rate, others = sum(bad) / total, len(rated) - len(own)
            lift = lower = None
            if others:
                others_rate = (bad_count - len(bad)) / others
                lift = rate - others_rate
                least = wilson(rate, total ** 2 / sum(share ** 2 for share in own.values()))[0]
                most = wilson(others_rate, others)[1]
                lower = lift - math.hypot(rate - least, most - others_rate)
            made[source] = len(own), len(bad), rate, lift, lower, sum(bad) / bad_count if bad_count else 0
        return made


def wilson(rate, n, z=1.959963984540054):
    middle, span = rate + z * z / (2 * n), z * math.sqrt(max(0, rate * (1 - rate)) / n + z * z / (4 * n * n))
    return (middle - span) / (1 + z * z / n), (middle + span) / (1 + z * z / n)


class WhatIfOracleTest(unittest.TestCase):
    maxDiff = None

    def test_random_graphs(self):
        asked = 0
        for seed in range(SEED, SEED + GRAPHS):
            with tempfile.TemporaryDirectory() as folder, Server(f"{folder}/db") as server, self.subTest(WHENCE_TEST_SEED=seed):
                history = History(seed, server)
                for tx in {history.chance.choice(history.moments), history.moments[-1]}:
                    asked += self.check(history, tx)
        self.assertGreater(asked, 4 * GRAPHS)

    def check(self, history, tx):
        oracle, chance = Oracle(history, tx), history.chance

        def rpc(method, **params):
            return history.server.rpc(method, {**params, "as_of": tx, "limit": 10000})

        self.check_blame(oracle, rpc)
        nodes = [node for node in oracle.nodes if type_of(node) != "FeedbackRecord"]
        if not nodes:
            return 0
        for count in (1, 1, 2, 3):
            starts = set(chance.sample(nodes, min(count, len(nodes))))
            self.check_without(oracle, rpc, starts)
            for is_mended in (False, True):
                self.check_plan(oracle, rpc, starts, is_mended)
            self.check_diff(oracle, rpc, *chance.choices(nodes, k=2))
        return 4

    def near(self, found, want, *about):
        self.assertEqual(found is None, want is None, about)
        if want is not None:
            self.assertLess(abs(found - want), CLOSE, about)

    def check_blame(self, oracle, rpc):
        scores = defaultdict(list)
        for edge in oracle.edges.values():
            if edge["type"] == "EVALUATES":
                act = edge["to"] if oracle.is_act(edge["to"]) else oracle.other_half[edge["to"]]
                scores[act].append(edge["score"])
        rated = {act: sum(own) / len(own) < 0 for act, own in scores.items()}
        found = rpc("impact.blame")
        self.assertEqual((found["all_rated"], found["all_bad"]), (len(rated), sum(rated.values())))
        want = oracle.blame(rated)
        self.assertEqual({node["ref"] for node in found["nodes"]}, set(want))
        for node in found["nodes"]:
            count, bad, *values = want[node["ref"]]
            self.assertEqual((node["rated"], node["bad"]), (count, bad), node)
            for name, value in zip(("rate", "lift", "lower", "share"), values):
                self.near(node.get(name), value, name, node)

    def check_without(self, oracle, rpc, starts):
        found = rpc("impact.without", refs=sorted(starts))
        answers, between, others, untouched = oracle.without(starts)
        self.assertEqual({(node["ref"], node["effect"]) for node in found["answers"]}, {(ref, told[0]) for ref, told in answers.items()})
        for node in found["answers"]:
            self.near(node["lost"], answers[node["ref"]][1], starts, node)
        self.assertEqual({node["ref"] for node in found["fallen"]}, between, starts)
        self.assertEqual({node["ref"]: node["supports"] for node in found["alternatives"]}, {ref: told[0] for ref, told in others.items()})
        for node in found["alternatives"]:
            self.near(node["share"], others[node["ref"]][1], starts, node)
        self.assertEqual(found["counts"]["untouched"], untouched, starts)

    def check_plan(self, oracle, rpc, starts, is_mended):
        found = rpc("impact.replay_plan", refs=sorted(starts), mended=is_mended)
        want = oracle.replay_plan(starts, is_mended)
        self.assertEqual({call["ref"] for call in found["calls"]}, set(want), (starts, is_mended))
        self.assertEqual([(call["stage"], call["ref"].encode()) for call in found["calls"]],
                         sorted((told[1], ref.encode()) for ref, told in want.items()), (starts, is_mended))
        tokens = []
        for call in found["calls"]:
            depth, _, effect, lost, inputs = want[call["ref"]]
            self.assertEqual((call["depth"], call["effect"]), (depth, effect), (starts, is_mended, call))
            self.near(call["lost"], lost, starts, call)
            self.assertEqual({(each["ref"], each["kind"], each["state"], each.get("newer")) for each in call["inputs"]}, inputs,
                             (starts, is_mended, call["ref"]))
            given = oracle.records[call["ref"]].get("usage", {}).get("input_tokens")
            self.assertEqual(call.get("input_tokens"), given)
            tokens += [given] if given is not None else []
        self.assertEqual((found["counts"]["calls"], found["counts"]["with_input_tokens"], found["counts"].get("input_tokens", 0)),
                         (len(want), len(tokens), sum(tokens)))

    def check_diff(self, oracle, rpc, a, b):
        found = rpc("lineage.diff", a=a, b=b)
        of_a, of_b = oracle.weights(a), oracle.weights(b)
        self.assertEqual([node["ref"] for node in found["added"]], sorted(set(of_b) - set(of_a), key=str.encode), (a, b))
        self.assertEqual([node["ref"] for node in found["removed"]], sorted(set(of_a) - set(of_b), key=str.encode), (a, b))
        self.assertEqual({node["ref"] for node in found["common"]}, set(of_a) & set(of_b), (a, b))
        changed = {ref for ref in set(of_a) & set(of_b) if abs(of_a[ref] - of_b[ref]) > 1e-12}
        self.assertEqual({node["ref"] for node in found["reweighted"]}, changed, (a, b))


if __name__ == "__main__":
    unittest.main()
