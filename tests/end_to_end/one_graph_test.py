"""Claim: all systems make one graph: whatever was written of units, responses, feedback, attachments, discussions and
retrievals, each node's ancestors, descendants and impact are those that the edge table gives, at any moment, and the same
after a kill.

Method: a random history in which every system refers to others; `Everything` draws each record's edges from the table by
hand (the core's and the attachments' are `naive.World`'s) and walks them. Random nodes of every type are asked for at
random moments, live, and all of it again after `kill -9` and a restart. The seed is printed where something differs;
WHENCE_TEST_SEED repeats it.
"""
import math
import random
import sys
import unittest
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from drawn_test import Conversation  # noqa: E402
from history_test import History  # noqa: E402
from naive import World  # noqa: E402
from naive_discussion import PERSONAS, discussion_record, ref_of, round_record, summary_record  # noqa: E402
from naive_rag import axis, chunk_record, embedding_record, query_record, retrieval_record  # noqa: E402
from wire_case import SEED, WireCase  # noqa: E402

STEPS = 150
QUESTIONS = 150
CORE = {"ContextUnit", "Response", "FeedbackRecord", "XMLMessageAttachment"}
USERS = ("ann", "b/ob", "c%")


class Everything(World):
    """`naive.World` with the other systems' records: `take` draws their edges from cause to effect."""

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


class Mixed:
    """Draws steps, each one call that makes one or more transactions, and remembers what it changed: [(tx, kind, what)]."""

    def __init__(self, case, chance):
        self.rpc, self.write, self.head, self.chance = case.rpc, case.write, case.head, chance
        self.core, self.talk, self.steps = History(chance), Conversation(chance), []
        self.rounds, self.summaries = {}, {}                 # (user, discussion) -> complete rounds; -> last one summarized
        self.open = {}                                       # (user, discussion) -> responses of its open round
        self.chunks, self.found, self.made = {}, {}, 0       # chunk id -> record; request -> (chunk ids, has a context)
        self.dropped = set()                                 # names of deleted documents, not used again
        self.free = {"llm-query": [], "llm-response": []}    # responses without such an attachment
        self.messages = []                                   # attachments that may be deleted

    def note(self, tx, records):
        self.steps.append((tx, "take", records))

    def step(self):
        kinds = {"core_batch": 8, "attachment": 6, "whole_rounds": 4, "response_added": 6, "summary": 2, "documents": 3,
                 "request": 5, "retrieval": 2, "answer": 5, "deletion": 1}
        getattr(self, self.chance.choices(list(kinds), list(kinds.values()))[0])()

    def number(self):
        self.made += 1
        return self.made

    def core_batch(self):
        records = self.core.batch()
        talks = sorted(k for k in self.rounds if self.rounds[k] or self.open.get(k))
        for record in records:
            if record["$type$"] != "Response":
                continue
            for attachments in self.free.values():
                attachments.append(record["id"])
            if talks and self.chance.random() < 0.5:
                user, discussion = self.chance.choice(talks)
                refs = self.rpc("discussion.prompt", userId=user, discussionId=discussion)["refs"]
                record["prompt_refs"] = self.chance.sample(refs, self.chance.randint(1, len(refs)))
        self.note(self.write(*records)["tx"], records)

    def attachment(self):
        records = [self.talk.attachment() for _ in range(self.chance.randint(1, 2))]
        for record in records:
            free = self.free[record["format"]]
            if free and self.chance.random() < 0.7:
                record["responseId"] = free.pop(self.chance.randrange(len(free)))
        self.messages += records
        self.note(self.write(*records, ensure=True)["tx"], records)

    def a_talk(self, is_open=False):
        """A discussion, old or new, with or without an open round; None where there is none to have."""
        known = sorted(k for k in self.rounds if bool(self.open.get(k)) == is_open)
        if not is_open and (not known or self.chance.random() < 0.2):
            return self.chance.choice(USERS), f"disc {self.number()}/{self.chance.choice('xy%')}"
        return self.chance.choice(known) if known else None

    def whole_rounds(self):
        key = user, discussion = self.a_talk()
        first = self.rounds.get(key, 0) + 1
        records = [round_record(user, discussion, n) for n in range(first, first + self.chance.randint(1, 2))]
        self.rounds[key] = records[-1]["roundNumber"]
        self.note(self.write(*records, ensure=True)["tx"], [discussion_record(user, discussion), *records])

    def response_added(self):
        key = self.a_talk(is_open=True) or self.a_talk()
        user, discussion = key
        number = self.rounds.setdefault(key, 0) + 1
        if not self.open.get(key):
            self.rpc("discussion.open", userId=user, discussionId=discussion)
            self.note(self.head(), [discussion_record(user, discussion)])
        done = self.open[key] = self.open.get(key, 0) + 1
        got = self.rpc("discussion.addResponse", userId=user, discussionId=discussion, roundNumber=number,
                       persona=PERSONAS[done - 1], content="x")
        self.note(got["tx"], [round_record(user, discussion, number)])
        if done == 3:
            self.open[key], self.rounds[key] = 0, number

    def summary(self):
        known = sorted(k for k, n in self.rounds.items() if n > self.summaries.get(k, 0))
        if not known:
            return
        key = user, discussion = self.chance.choice(known)
        last = self.chance.randint(self.summaries.get(key, 0) + 1, self.rounds[key])
        before = self.chance.sample(range(1, last), self.chance.randint(0, last - 1))
        record = summary_record(user, discussion, last, "S", sorted(before) + [last])
        self.summaries[key] = last
        self.note(self.write(record)["tx"], [record])

    def documents(self):
        names = sorted({f"doc {i}" for i in range(self.made // 8 + 2)} - self.dropped)
        records = [chunk_record(f"chunk {self.number()}", self.chance.choice(names), page=self.made,
                                embedding=axis(self.made % 384))
                   for _ in range(self.chance.randint(1, 4))]
        self.chunks.update((r["chunk_id"], r) for r in records)
        self.note(self.write(*records)["tx"], records)

    def request(self):
        """A query with what was found for it, in one batch; some with an embedding, some with a context of their own."""
        if not self.chunks:
            return
        request = f"req {self.number()}"
        found = self.chance.sample(sorted(self.chunks), min(len(self.chunks), self.chance.randint(1, 5)))
        records = [query_record(request)] + [embedding_record(request, axis(0))] * self.chance.randint(0, 1)
        records += [retrieval_record(request, 0.9, self.chunks[c]) for c in found]
        if self.chance.random() < 0.5:
            records.append({"$type$": "PromptContext", "request_id": request, "question": "What?", "system_prompt": "",
                            "formatted_context": "",
                            "retrieved_chunks": [{"chunk_id": c} for c in found[:self.chance.randint(1, len(found))]]})
        self.found[request] = (found, records[-1]["$type$"] == "PromptContext")
        self.note(self.write(*records)["tx"], records)

    def retrieval(self):
        if not self.chunks:
            return
        place = self.chance.randrange(384)
        got = self.rpc("rag.retrieve", vector=[x + 0.001 for x in axis(place)], question="What?", record=True,
                       filters={"max_results": 10})
        request, found = got["request_id"], [c["chunk_id"] for c in got["chunks"]]
        self.note(self.head(), [query_record(request), embedding_record(request, axis(place)),
                                *(retrieval_record(request, 0.9, self.chunks[c]) for c in found)])

    def answer(self):
        if not self.found:
            return
        request = self.chance.choice(sorted(self.found))
        found, has_context = self.found.pop(request)
        cited = self.chance.sample(found, self.chance.randint(1, len(found)))
        places = [self.chunks[c]["metadata"] for c in cited]
        got = self.rpc("rag.answer", request_id=request,
                       answer="".join(f"[{p['document_name']}, page {p['page_number']}]" for p in places))
        context = [] if has_context else [{"$type$": "PromptContext", "request_id": request,
                                           "retrieved_chunks": [{"chunk_id": c} for c in found]}]
        self.note(got["tx"], [*context, {"$type$": "Answer", "request_id": request, "cites": cited}])

    def deletion(self):
        """Of a message (its attachment goes too), a document (its chunks), or a discussion (its rounds and summaries)."""
        ref = self.chance.choice([self.a_message, self.a_document, self.a_discussion])()
        if ref:
            got = self.rpc("records.delete", refs=[ref])
            self.steps.append((got["tx"], "delete", got["deleted"]))

    def a_message(self):
        return "Message:" + self.messages.pop(self.chance.randrange(len(self.messages)))["messageId"] if self.messages else None

    def a_document(self):
        names = sorted({c["metadata"]["document_name"] for c in self.chunks.values()})
        if not names:
            return None
        name = self.chance.choice(names)
        self.dropped.add(name)
        gone = {i for i, c in self.chunks.items() if c["metadata"]["document_name"] == name}
        self.chunks = {i: c for i, c in self.chunks.items() if i not in gone}
        self.found = {r: f for r, f in self.found.items() if not gone & set(f[0])}
        return "Document:" + name

    def a_discussion(self):
        known = sorted(k for k in self.rounds if not self.open.get(k))
        if not known:
            return None
        key = self.chance.choice(known)
        del self.rounds[key]
        self.summaries.pop(key, None)
        return ref_of("Discussion", *key)


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
        for node in got["nodes"]:
            self.assertTrue(math.isclose(node["influence"], affected[node["ref"]], rel_tol=1e-9, abs_tol=1e-12),
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
        """As many nodes of each type as the table makes."""
        counts = Counter(ref.split(":")[0] for ref in self.world(self.head()).records)
        for kind, count in counts.items():
            self.assertEqual(self.rpc("node.count", type=kind)["count"], count, f"seed {SEED}: {kind}")
        return counts

    def test_lineage_crosses_all_systems_at_any_moment(self):
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


if __name__ == "__main__":
    unittest.main()
