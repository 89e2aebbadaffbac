"""Claim: `rag.retrieve` finds the nearest chunks, exactly, at any moment, and records them on request.

Method: worked vectors along the axes; WHENCE_VECTORS random vectors (default 500) searched by brute force in
`naive_rag.nearest`. A failure prints the seed; WHENCE_TEST_SEED repeats it.
"""
import math
import os
import random

from support.naive_rag import DIMENSION, axis, chunk_record, nearest, query_record
from support.program import seed_of_run
from support.rag_case import BAD_VECTORS, RagCase
from support.wire_case import CONFLICT, INVALID_PARAMS, INVALID_RECORD, present

SEED = seed_of_run()
VECTORS = int(os.environ.get("WHENCE_VECTORS", "500"))


class RetrieveTest(RagCase):
    def retrieve(self, vector, **more):
        return self.rpc("rag.retrieve", vector=vector, **more)

    def found(self, vector, **more):
        return [(c["chunk_id"].removeprefix(self.name + "_"), c["similarity_score"])
                for c in self.retrieve(vector, **more)["chunks"]]

    def mine(self, *records):
        """Chunks of a document named after the test, which is what `filters` then ask for."""
        self.write(*records)
        return {"source": self.name + ".pdf", "max_results": 10}

    def test_each_retrieval_is_among_the_embeddings_of_its_model(self):
        def large(place):
            return [1.0 if i == place else 0.5 for i in range(1536)]
        model, before = "text-embedding-3-small", self.head()
        filters = self.mine(self.chunk(1, embedding=axis(0)), self.chunk(2, embedding=large(0), embedding_model=model),
                            self.chunk(3, embedding=large(1), embedding_model=model),
                            self.chunk(4, embedding=large(1), embedding_model="other"))
        again = self.chunk(2, embedding=large(0), embedding_model="other")
        self.write_refused(CONFLICT, again, path="/embedding_model")
        for when in ("live", "killed"):
            with self.subTest(when):
                self.assertEqual(self.found(axis(0), filters=filters), [("1", 1)])
                self.assertEqual([i for i, _ in self.found(large(1), filters=filters, model=model)], ["3", "2"])
                self.assertEqual(self.found(large(1), filters=filters, model="other"), [("4", 1)])
                self.assertEqual(self.found(large(1), filters=filters, model="unknown"), [])
                self.assertEqual(self.found(large(1), filters=filters, model=model, as_of=before), [])
            self.restart_after_kill()
        self.refused(INVALID_PARAMS, "rag.retrieve", "items", "/vector", vector=large(1))
        self.refused(INVALID_PARAMS, "rag.retrieve", "dimension", "/vector", vector=[1.0, 2.0], model=model)

    def test_a_client_may_give_the_request_id(self):
        filters = self.mine(self.chunk(1, embedding=axis(0)))
        request = self.name + "_own"
        ask = {"question": "What is it?", "filters": filters, "record": True, "request_id": request}
        first = self.retrieve(axis(0), **ask)
        self.assertEqual(first["request_id"], request)
        self.assertEqual(self.retrieve(axis(0), **ask)["tx"], first["tx"])
        self.refused(CONFLICT, "rag.retrieve", "conflict", "/request_id", vector=axis(0), **{**ask, "question": "Another?"})
        self.refused(CONFLICT, "rag.retrieve", "conflict", "/request_id", vector=axis(1), **ask)
        known = self.name + "_known"
        self.write(query_record(known, "What is it?"))
        self.retrieve(axis(0), question="What is it?", record=True, request_id=known)
        self.assertIsNotNone(self.rpc("rag.get", request_id=known)["embedding"])

    def test_negative_cosines_are_clamped_and_ties_go_by_id(self):
        filters = self.mine(*(self.chunk(n, embedding=v) for n, v in
                              (("b", axis(0, 2.0)), ("é", axis(1)), ("a", axis(0, -1.0)), ("Z", axis(0, 0.5)),
                               ("\uffff", axis(2)), ("\U00010000", axis(3)))))
        self.write(self.chunk("without"))
        self.assertEqual(self.found(axis(0), filters=filters),
                         [("Z", 1), ("b", 1), ("a", 0), ("é", 0), ("\uffff", 0), ("\U00010000", 0)])
        self.assertEqual(self.found(axis(0, -3.0), filters=filters)[0], ("a", 1))
        self.assertEqual([i for i, _ in self.found(axis(0), filters={**filters, "max_results": 3})], ["Z", "b", "a"])

    def test_a_result_is_the_chunk_record_with_its_rank(self):
        chunk = self.chunk(1, page=3, section="S", embedding=axis(0))
        filters = self.mine(chunk, self.chunk(2, embedding=axis(1)))
        got = self.retrieve(axis(0), filters=filters)
        self.assertEqual(got["chunks"][0], {**{k: v for k, v in chunk.items() if k not in ("$type$", "embedding")},
                                            "similarity_score": 1, "rank": 1})
        self.assertEqual(got["chunks"][1]["rank"], 2)
        self.assertIsNone(got.get("request_id"))

    def test_source_is_compared_exactly(self):
        filters = self.mine(self.chunk(1, embedding=axis(0)))
        self.write(self.chunk(2, self.name + ".PDF", embedding=axis(0)))
        self.assertEqual(self.found(axis(0), filters=filters), [("1", 1)])
        for source in (self.name, self.name + ".pdf ", "", "no such document"):
            self.assertEqual(self.retrieve(axis(0), filters={"source": source})["chunks"], [])

    def test_five_are_answered_unless_asked_otherwise(self):
        filters = self.mine(*(self.chunk(i, embedding=axis(i)) for i in range(12)))
        del filters["max_results"]
        self.assertEqual(len(self.found(axis(0), filters=filters)), 5)
        for count in (1, 10):
            self.assertEqual(len(self.found(axis(0), filters={**filters, "max_results": count})), count)

    def test_params_that_break_a_rule_are_refused(self):
        codes = (INVALID_PARAMS, INVALID_RECORD)
        for about, bad in BAD_VECTORS.items():
            with self.subTest(about):
                self.refused(codes, "rag.retrieve", vector=bad)
        for bad in ({"max_results": 0}, {"max_results": 11}, {"max_results": 2.5}, {"source": 5}, {"author": "x"}):
            with self.subTest(bad):
                self.refused(codes, "rag.retrieve", vector=axis(0), filters=bad)
        self.refused(codes, "rag.retrieve", vector=axis(0), record=True)
        self.refused(codes, "rag.retrieve", vector=axis(0), record=True, question=" ab ")
        self.refused(codes, "rag.retrieve", vector=axis(0), record=True, question="x" * 1001)
        self.refused(INVALID_PARAMS, "rag.retrieve", question="no vector")

    def test_a_recorded_retrieval_is_there_to_be_answered(self):
        filters = self.mine(self.chunk(1, page=1, embedding=axis(0)), self.chunk(2, page=2, embedding=[3.0, 4.0] + [0.0] * 382))
        got = self.retrieve(axis(0), question="  What is it? ", filters=filters, record=True)
        request = got["request_id"]
        self.assertRegex(request, r"^req_[0-9]{8}_[0-9a-z]{6,}$")
        kept = present(self.rpc("rag.get", request_id=request))
        self.assertEqual((kept["query"]["question"], kept["query"]["filters"]), ("What is it?", filters))
        self.assertEqual(kept["embedding"]["vector"], axis(0))
        self.assertEqual([(c["chunk_id"][-1], c["similarity_score"]) for c in kept["retrieved_chunks"]], [("1", 1), ("2", 0.6)])
        answer = self.answer(request, f"[{self.name}.pdf, page 2]")["answer"]
        self.assertEqual((answer["confidence"], answer["citations"][0]["chunk_id"]), (0.8, self.name + "_2"))
        self.assertLessEqual({f"Document:{self.name}.pdf", "EmbeddingVector:" + request, "Query:" + request},
                             self.lineage("ancestors", "Answer:" + request))

    def test_an_unrecorded_retrieval_writes_nothing(self):
        filters, head = self.mine(self.chunk(1, embedding=axis(0))), self.head()
        self.retrieve(axis(0), question="What is it?", filters=filters)
        self.retrieve(axis(0), question="What is it?", filters=filters, record=False)
        self.assertEqual(self.head(), head)

    def test_a_past_moment_has_its_own_chunks(self):
        filters = self.mine(self.chunk(1, embedding=axis(0)))
        first = self.head()
        self.mine(self.chunk(0, embedding=axis(0)), self.chunk(2))
        second = self.head()
        self.mine(self.chunk(2, embedding=axis(0)))
        for tx, want in ((first - 1, ""), (first, "1"), (second, "01"), (None, "012")):
            got = self.found(axis(0), filters=filters, **({} if tx is None else {"as_of": tx}))
            self.assertEqual("".join(i for i, _ in got), want, tx)

    def test_it_finds_what_brute_force_finds_live_and_after_a_kill(self):
        """Components are multiples of 1/64, so that binary32 keeps them and the naive sums are exact."""
        chance, sources = random.Random(SEED), [f"{self.name} {i}" for i in range(4)]

        def vector():
            return [chance.randint(-128, 128) / 64 for _ in range(DIMENSION)]
        chunks, moments = [], []
        while len(chunks) < VECTORS:
            batch = [chunk_record(f"{self.name}_{chance.randrange(10**9)}_{len(chunks) + i}", chance.choice(sources),
                                  embedding=chance.choice(chunks)["embedding"] if chunks and chance.random() < 0.1 else vector())
                     for i in range(min(500, VECTORS // 4 + 1, VECTORS - len(chunks)))]
            chunks += batch
            moments.append((self.write(*batch)["tx"], len(chunks)))
        questions = [chance.choice(chunks)["embedding"] if i % 3 == 0 else vector() for i in range(30)]
        for when in ("live", "killed"):
            for asked in questions:
                source, count = chance.choice(sources), chance.randint(1, 10)
                tx, known = chance.choice(moments)
                with self.subTest(when, seed=SEED, source=source, count=count, tx=tx):
                    self.check(asked, chunks[:known], count, source, tx)
            self.restart_after_kill()

    def check(self, asked, chunks, count, source, tx):
        got = self.retrieve(asked, filters={"source": source, "max_results": count}, as_of=tx)["chunks"]
        want = nearest(asked, chunks, count, source)
        self.assertEqual([c["chunk_id"] for c in got], [c["chunk_id"] for _, c in want])
        for entry, (score, _) in zip(got, want):
            self.assertTrue(math.isclose(entry["similarity_score"], score, rel_tol=1e-12, abs_tol=1e-12), (entry, score))
