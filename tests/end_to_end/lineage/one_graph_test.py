"""Claim: all record families form one graph. Whatever was written, each node's ancestors, descendants and impact follow
from the edge table, at any moment, and also after a kill.

Method: a random history in which every family refers to others; `Everything` creates each record's edges by hand after the
edge table (`naive.World` does so for context records and attachments) and walks them. Random nodes of every type are
queried at random moments, live, and again after `kill -9` and a restart. A failure prints the seed; WHENCE_TEST_SEED
repeats it.
"""
import math
import random
import sys
from collections import Counter, defaultdict

from support.histories import Mixed
from support.naive import World
from support.naive_discussion import ref_of
from support.program import seed_of_run
from support.wire_case import WireCase

SEED = seed_of_run()
STEPS = 150
QUESTIONS = 150
CORE = {"ContextUnit", "Response", "FeedbackRecord", "XMLMessageAttachment"}


class Everything(World):
    """`naive.World` with the records of the other families: `take` adds their edges from cause to effect."""

    def take(self, records):
        self.write([r for r in records if r["$type$"] in CORE])
        for record in records:
            if record["$type$"] == "Response":
                for prompt in record.get("prompt_refs", []):
                    self._edge(prompt, self.ref(record))
            elif record["$type$"] not in CORE:
                getattr(self, "take_" + record["$type$"])(record)

    def node(self, ref):
        self.records.setdefault(ref, None)
        return ref

    def take_Discussion(self, record):
        self.node(ref_of("Discussion", record["userId"], record["discussionId"]))

    def take_DiscussionRound(self, record):
        user, discussion, number = record["userId"], record["discussionId"], record["roundNumber"]
        me = self.node(ref_of("DiscussionRound", user, discussion, number))
        if number > 1:
            self._edge(ref_of("DiscussionRound", user, discussion, number - 1), me)

    def take_SummaryEntry(self, record):
        user, discussion = record["userId"], record["discussionId"]
        me = self.node(ref_of("SummaryEntry", user, discussion, record["roundNumber"]))
        for number in record["replacesRounds"]:
            self._edge(ref_of("DiscussionRound", user, discussion, number), me)

    def take_Query(self, record):
        self.node("Query:" + record["request_id"])

    def take_EmbeddingVector(self, record):
        self._edge("Query:" + record["request_id"], self.node("EmbeddingVector:" + record["request_id"]))

    def take_RetrievedChunk(self, record):
        me = self.node("RetrievedChunk:" + record["chunk_id"])
        self._edge(self.node("Document:" + record["metadata"]["document_name"]), me)
        if "request_id" in record:
            self._edge(me, "Query:" + record["request_id"])

    def take_PromptContext(self, record):
        request = record["request_id"]
        me = self.node("PromptContext:" + request)
        self._edge("Query:" + request, me)
        if "EmbeddingVector:" + request in self.records:
            self._edge("EmbeddingVector:" + request, me)
        for item in record["retrieved_chunks"]:
            self._edge("RetrievedChunk:" + item["chunk_id"], me)

    def take_Answer(self, record):
        me = self.node("Answer:" + record["request_id"])
        self._edge("PromptContext:" + record["request_id"], me)
        for chunk in record["cites"]:
            self._edge("RetrievedChunk:" + chunk, me)

    def delete(self, refs):
        for ref in refs:
            self.records.pop(ref, None)
            for near, far in ((self.causes, self.effects), (self.effects, self.causes)):
                for other in near.pop(ref, {}):
                    del far[other][ref]


class OneGraphTest(WireCase):
    with_files = False

    def world(self, tx):
        world = Everything()
        for at, kind, what in self.mixed.steps:
            if at <= tx:
                getattr(world, kind)(what)
        return world

    def check(self, world, ref, tx):
        about = f"seed {SEED}: {ref} as of {tx}"
        for method, walk in (("ancestors", world.ancestors), ("descendants", world.descendants)):
            got = self.rpc("lineage." + method, ref=ref, as_of=tx, limit=10000)
            want = {n: (d, w) for d, w, n in walk(ref)}
            self.assertEqual({n["ref"]: n["depth"] for n in got["nodes"]}, {n: d for n, (d, _) in want.items()},
                             f"{about}: {method}")
            for node in got["nodes"]:
                self.assertTrue(math.isclose(node["weight"], want[node["ref"]][1], rel_tol=1e-9, abs_tol=1e-12),
                                f"{about}: {node}")
        affected, by_type, by_depth = world.impact(ref)
        got = self.rpc("impact.analyze", refs=[ref], as_of=tx, limit=10000)
        self.assertEqual(got["counts"], {"by_type": by_type, "by_depth": by_depth}, about)
        self.assertEqual({n["ref"] for n in got["nodes"]}, set(affected), about)
        for node in got["nodes"]:
            self.assertTrue(math.isclose(node["share"], affected[node["ref"]], rel_tol=1e-9, abs_tol=1e-12),
                            f"{about}: {node}")

    def check_moments(self, questions):
        for tx, share in questions:
            world, by_type = self.world(tx), defaultdict(list)
            for ref in sorted(world.records):
                by_type[ref.split(":")[0]].append(ref)
            for kind, place in share:
                refs = list(by_type.values())[int(kind * len(by_type))]
                self.check(world, refs[int(place * len(refs))], tx)

    def check_counts(self):
        """The number of nodes of each type."""
        counts = Counter(ref.split(":")[0] for ref in self.world(self.head()).records)
        for kind, count in counts.items():
            self.assertEqual(self.rpc("node.count", type=kind)["count"], count, f"seed {SEED}: {kind}")
        return counts

    def test_lineage_crosses_all_families_at_any_moment(self):
        chance = random.Random(SEED)
        self.mixed = Mixed(self, chance)
        for _ in range(STEPS):
            self.mixed.step()
        last, moments = self.head(), sorted({tx for tx, _, _ in self.mixed.steps})
        self.assertEqual(moments[-1], last)

        def places(count):
            return [(chance.random(), chance.random()) for _ in range(count)]  # which type, which node of it
        questions = [(last, places(QUESTIONS // 2))] + [(chance.choice(moments), places(5)) for _ in range(QUESTIONS // 10)]
        for when in ("live", "killed"):
            with self.subTest(when, seed=SEED):
                counts = self.check_counts()
                self.check_moments(questions)
            self.restart_after_kill()
        print(f"seed {SEED}: {sum(counts.values())} nodes of {len(counts)} types after {last} transactions", file=sys.stderr)
