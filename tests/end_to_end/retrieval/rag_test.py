"""Claim: retrieval records keep their rules (`schema/records/README.md`), seen over the wire: each bound at it and over it, when an
answer is withheld, what it descends from, what can be changed and what deleted.

Method: for each rule what just obeys it and what just breaks it. Nothing is random. (What an answer may cite:
`citation_test`; what is nearest to a vector: `retrieval_test`.)
"""
from pathlib import Path

from support.naive_rag import (DIMENSION, MESSAGE, answer_record, axis, citation_of, embedding_record, query_record,
                       retrieval_record)
from support.rag_case import BAD_VECTORS, RagCase
from support.wire_case import CONFLICT, INVALID_RECORD, NOT_FOUND, present


class FieldTest(RagCase):
    def accepted(self, *records):
        self.assertIn("tx", self.write(*records, dry_run=True))

    def test_question_has_3_to_1000_code_points_after_trimming(self):
        for good in ("abc", " abc ", "x" * 1000, "\U0001f600" * 1000, " \t\n" + "x" * 1000 + "\u00a0\u2003\u3000", "\u200bab",
                     "a b"):
            self.accepted(query_record("r", good))
        for bad in ("", "ab", " ab ", "x" * 1001, "\U0001f600" * 1001, "\u00a0ab\u2003", "\x1cab\x1f", "\x85ab\u2028", "   ", 7,
                    None):
            with self.subTest(repr(bad)[:20]):
                self.write_refused(INVALID_RECORD, query_record("r", bad), path="/question")

    def test_question_is_kept_trimmed(self):
        request = self.new_request(question=" \u00a0\x1fWhat  is\tit?\u2003\n")
        self.assertEqual(self.record("Query:" + request)["question"], "What  is\tit?")
        self.assertTrue(self.write(query_record(request, "What  is\tit?"))["unchanged"])

    def test_filters_of_a_query(self):
        for good in ({}, {"max_results": 1}, {"max_results": 10}, {"source": "x"}, {"source": "x", "max_results": 5}):
            self.accepted(query_record("r", filters=good))
        for path, bad in (("/max_results", {"max_results": 0}), ("/max_results", {"max_results": 11}),
                          ("/max_results", {"max_results": -1}),
                          ("/max_results", {"max_results": 2.5}), ("/max_results", {"max_results": "5"}),
                          ("/source", {"source": 5}),
                          ("/author", {"author": "x"}), ("/Source", {"Source": "x"}), ("", [1])):
            with self.subTest(bad):
                self.write_refused(INVALID_RECORD, query_record("r", filters=bad), path="/filters" + path)

    def test_the_server_makes_request_ids(self):
        record = query_record("")
        del record["request_id"]
        refs = self.write(record, record)["refs"]
        for ref in refs:
            self.assertRegex(ref, r"^Query:req_[0-9]{8}_[0-9a-z]{6,}$")
        self.assertEqual(len(set(refs)), 2)

    def test_embeddings_have_384_numbers_of_the_model(self):
        request = self.new_request()
        self.accepted(embedding_record(request, [0.1] * DIMENSION))
        self.accepted(embedding_record(request, axis(383, -1)))
        for about, bad in BAD_VECTORS.items():
            with self.subTest(about):
                self.write_refused(INVALID_RECORD, embedding_record(request, bad), path="/vector")
                self.write_refused(INVALID_RECORD, self.chunk(1, embedding=bad), path="/embedding")
        for change, path in (({"dimension": 383}, "/dimension"), ({"dimension": 385}, "/dimension"),
                             ({"dimension": None}, "/dimension"),
                             ({"model_name": ""}, "/model_name"), ({"model_name": None}, "/model_name")):
            with self.subTest(change):
                self.write_refused(INVALID_RECORD, embedding_record(request, [0.1] * DIMENSION, **change), path=path)

    def test_embeddings_of_other_models_have_1_to_8192_numbers(self):
        request = self.new_request()
        for count in (1, 383, 1536, 8192):
            self.accepted(embedding_record(request, [0.1] * count, model_name="m", dimension=count))
            self.accepted(self.chunk(1, embedding=[0.1] * count, embedding_model="m"))
        for count in (0, 8193):
            self.write_refused(INVALID_RECORD, embedding_record(request, [0.1] * count, model_name="m"), path="/vector")
            self.write_refused(INVALID_RECORD, self.chunk(1, embedding=[0.1] * count, embedding_model="m"), path="/embedding")
        self.write_refused(INVALID_RECORD, embedding_record(request, [0.1] * 5, model_name="m", dimension=6),
                           rule="dimension", path="/dimension")
        self.write_refused(INVALID_RECORD, self.chunk(1, embedding_model="m"), rule="embedding", path="/embedding_model")

    def test_similarity_is_between_0_and_1_and_of_a_retrieval_only(self):
        request = self.new_request()
        for good in (0, 1, 0.0, 1.0, 1e-300):
            self.accepted(retrieval_record(request, good, self.chunk(1)))
        for bad in (-0.0001, 1.0000001, -1, 2, "0.5", None):
            with self.subTest(bad):
                self.write_refused(INVALID_RECORD, retrieval_record(request, bad, self.chunk(1)), path="/similarity_score")
        self.write_refused(INVALID_RECORD, self.chunk(1, similarity_score=0.5), path="/similarity_score")

    def test_metadata_of_a_chunk(self):
        self.accepted(self.chunk(1, page=5, section="S", index=3))
        for about, path, bad in (("no document", "/document_name", {"chunk_index": 0}),
                                 ("a page that is text", "/page_number", {"page_number": "5"}),
                                 ("half a page", "/page_number", {"page_number": 1.5}),
                                 ("a section that is none", "/section", {"section": 5}),
                                 ("an unknown member", "/page", {"page": 5}),
                                 ("an index that is none", "/chunk_index", {"chunk_index": "0"})):
            with self.subTest(about):
                base = {"chunk_index": 0} if about == "no document" else {"document_name": "d", "chunk_index": 0}
                self.write_refused(INVALID_RECORD, {**self.chunk(1), "metadata": {**base, **bad}}, path="/metadata" + path)
        for member in ("content", "metadata"):
            self.write_refused(INVALID_RECORD, {**self.chunk(1), member: None}, path="/" + member)

    def test_what_belongs_to_a_request_needs_its_query(self):
        for record in (embedding_record("none", [0.1] * DIMENSION), retrieval_record("none", 0.5, self.chunk(1)),
                       answer_record("none", None, [], 0, message="m")):
            with self.subTest(record["$type$"]):
                self.write_refused(INVALID_RECORD, record, rule="unknown_reference")
        self.accepted(retrieval_record("later", 0.5, self.chunk(1)), query_record("later"))

    def test_a_chunk_or_citation_makes_its_document(self):
        self.write(self.chunk(1, self.name + ".md"))
        self.assertEqual(self.record(f"Document:{self.name}.md"), {"$type$": "Document", "document_name": self.name + ".md"})
        self.assertEqual(self.lineage("ancestors", f"RetrievedChunk:{self.name}_1"), {f"Document:{self.name}.md"})

    def test_document_names_have_up_to_255_code_points(self):
        long = "\U0001f600" * 255
        self.write(self.chunk(1, long))
        self.assertEqual(self.record("Document:" + long)["document_name"], long)
        self.accepted({"$type$": "Document", "document_name": "é" * 255})
        for bad in ("é" * 256, "", "a\nb"):
            self.write_refused(INVALID_RECORD, {"$type$": "Document", "document_name": bad}, path="/document_name")
            self.write_refused(INVALID_RECORD, self.chunk(2, bad) if bad else {**self.chunk(2), "metadata": {"document_name": "",
                                                                                                             "chunk_index": 0}},
                               path="/metadata/document_name")

    def test_rank_left_out_is_the_next_number(self):
        request = self.new_request()
        self.write(*(retrieval_record(request, 0.5, self.chunk(i)) for i in (3, 1, 2)))
        self.write(retrieval_record(request, 0.9, self.chunk(4)))
        got = self.rpc("rag.get", request_id=request)["retrieved_chunks"]
        self.assertEqual([c["chunk_id"][-1] for c in got], ["3", "1", "2", "4"])

    def test_prompt_context_holds_retrieved_chunks_only(self):
        request = self.retrieved(0.9, 0.8)
        self.write(self.chunk(7))
        context = {"$type$": "PromptContext", "request_id": request, "question": "What?", "system_prompt": "",
                   "formatted_context": ""}
        whole = {k: v for k, v in retrieval_record(request, 0.8, self.chunk(1, page=2)).items()
                 if k not in ("$type$", "request_id")}
        self.accepted({**context, "retrieved_chunks": [{"chunk_id": self.name + "_0"}, whole]})
        for unknown in (self.name + "_7", "no_such_chunk"):
            self.write_refused(INVALID_RECORD,
                               {**context, "retrieved_chunks": [{"chunk_id": self.name + "_0"}, {"chunk_id": unknown}]},
                               rule="not_retrieved", path="/retrieved_chunks/1")
        for member in ("question", "retrieved_chunks", "system_prompt", "formatted_context"):
            record = {**context, "retrieved_chunks": []}
            del record[member]
            self.write_refused(INVALID_RECORD, record, path="/" + member)

    def test_everything_recorded_comes_back_as_s4s_entities(self):
        request, name = self.new_request(filters={"source": self.name + ".pdf", "max_results": 3}), self.name
        vector = [((i * 37) % 64 - 31.5) / 64 for i in range(DIMENSION)]
        chunks = [self.chunk(i, page=i, section="S") for i in (1, 2)]
        retrievals = [retrieval_record(request, 0.9 - i / 10, c, rank=2 - i) for i, c in enumerate(chunks)]
        context = {"question": "What?", "retrieved_chunks": [{"chunk_id": c["chunk_id"]} for c in chunks],
                   "system_prompt": "Be exact.",
                   "formatted_context": "free text"}
        self.assertEqual(self.rpc("rag.get", request_id=request)["retrieved_chunks"], [])
        for member in ("embedding", "prompt_context", "answer"):
            self.assertIsNone(self.rpc("rag.get", request_id=request)[member])
        self.write(embedding_record(request, vector), *retrievals, {"$type$": "PromptContext", "request_id": request, **context})
        self.answer(request, f"Yes [{name}.pdf, page 2].", processing_time_ms=12)
        got = present(self.rpc("rag.get", request_id=request))
        self.assertEqual(got["request_id"], request)
        self.assertEqual(got["query"], {"request_id": request, "question": "What are the safety protocols?",
                                        "filters": {"source": name + ".pdf", "max_results": 3}})
        self.assertEqual({k: v for k, v in got["embedding"].items() if k != "request_id"},
                         {"vector": vector, "model_name": "all-MiniLM-L6-v2", "dimension": DIMENSION})
        for entry, want in zip(got["retrieved_chunks"], [retrievals[1], retrievals[0]], strict=True):
            for member in ("chunk_id", "content", "metadata", "similarity_score"):
                self.assertEqual(entry[member], want[member])
            self.assertLessEqual(set(entry), {"chunk_id", "content", "metadata", "similarity_score", "rank", "request_id"})
        for member in ("question", "system_prompt", "formatted_context"):
            self.assertEqual(got["prompt_context"][member], context[member])
        self.assertEqual([c["chunk_id"] for c in got["prompt_context"]["retrieved_chunks"]], [c["chunk_id"] for c in chunks])
        self.assertEqual(got["answer"], {"answer": f"Yes [{name}.pdf, page 2].", "citations": [citation_of(chunks[1])],
                                         "confidence": (0.8 + 0.9) / 2, "request_id": request, "processing_time_ms": 12})
        self.refused(NOT_FOUND, "rag.get", request_id="no_such_request")


class AnswerTest(RagCase):
    def test_confidence_is_the_mean_in_order_of_rank(self):
        for similarities in ((0.9, 0.8, 0.8, 0.7), (0.1, 0.7, 0.9), (1, 1, 1), (0.3, 0.6, 0.9, 0.5, 0.7)):
            total = 0.0
            for s in similarities:
                total += s
            got = self.answer(self.retrieved(*similarities), f"[{self.name}.pdf]")
            self.assertEqual(got["answer"]["confidence"], total / len(similarities))

    def test_at_the_threshold_an_answer_is_kept(self):
        got = self.answer(self.retrieved(0.75, 0.25), f"So [{self.name}.pdf].")
        self.assertEqual((got["answer"]["confidence"], got["answer"]["answer"]), (0.5, f"So [{self.name}.pdf]."))
        self.assertEqual(got["ref"], f"Answer:{self.name}_1")
        self.assertIsNone(got["answer"].get("message"))

    def test_under_the_threshold_it_is_withheld_and_not_kept(self):
        for text in ("[made_up.pdf] unread", f"secret [{self.name}.pdf]", "no citation at all"):
            with self.subTest(text):
                request = self.retrieved(0.75, 0.2499999)
                want = {"answer": None, "citations": [], "confidence": (0.75 + 0.2499999) / 2, "message": MESSAGE,
                        "request_id": request, "processing_time_ms": 7}
                whole = self.answer(request, text, processing_time_ms=7)
                self.assertEqual(whole["withheld"], {"mean": want["confidence"], "best": 0.75})
                self.assertEqual([(w["rule"], w["path"]) for w in whole["warnings"]], [("withheld", "/answer")])
                got = whole["answer"]
                self.assertEqual({**got, "answer": got.get("answer")}, want)
                self.assertEqual(present(self.rpc("rag.get", request_id=request)["answer"]), present(want))
        found = [p for p in Path(self.folder.name).rglob("*") if p.is_file() and b"secret [" in p.read_bytes()]
        self.assertEqual(found, [], "the withheld text was kept")

    def test_without_chunks_there_is_no_confidence(self):
        got = self.answer(self.new_request(), "Anything.")["answer"]
        self.assertEqual((got.get("answer"), got["citations"], got["confidence"], got["message"]), (None, [], 0, MESSAGE))

    def test_a_client_may_say_that_it_does_not_know(self):
        got = self.answer(self.retrieved(0.9), None)["answer"]
        self.assertEqual((got.get("answer"), got["citations"], got["confidence"], got["message"]), (None, [], 0.9, MESSAGE))
        got = self.answer(self.retrieved(0.9), None, message="Ask later.")["answer"]
        self.assertEqual(got["message"], "Ask later.")

    def test_the_same_answer_again_is_unchanged_another_a_conflict(self):
        request, text = self.retrieved(0.9), f"So [{self.name}.pdf]."
        first = self.answer(request, text, processing_time_ms=1)
        head = self.head()
        again = self.answer(request, text, processing_time_ms=2)
        self.assertEqual((present(again["answer"]), self.head()), (present(first["answer"]), head))
        self.answer_refused(CONFLICT, request, text + " And more.")
        self.answer_refused(CONFLICT, request, None)

    def test_the_same_answer_after_a_later_retrieval_is_not_withheld(self):
        request, text = self.retrieved(0.9), f"So [{self.name}.pdf]."
        self.answer(request, text)
        self.write(retrieval_record(request, 0.01, self.chunk("later")))
        again = self.answer(request, text)
        self.assertEqual((again["answer"]["answer"], again["unchanged"]), (text, True))
        self.assertEqual((again.get("withheld"), again.get("warnings")), (None, None))

    def test_an_unknown_request_is_not_found(self):
        self.answer_refused(NOT_FOUND, "no_such_request", "x")

    def test_a_missing_prompt_context_is_made(self):
        request = self.new_request()
        chunks = [self.chunk(1, "a.pdf", "First.", 5, "S"), self.chunk(2, "b", "Second.\nLine."),
                  self.chunk(3, "c [x].md", "Third.", None, "1, T")]
        self.write(*(retrieval_record(request, 0.9, c) for c in chunks))
        self.answer(request, "[b]", system_prompt="Be exact.")
        got = self.rpc("rag.get", request_id=request)["prompt_context"]
        self.assertEqual((got["question"], got["system_prompt"]), ("What are the safety protocols?", "Be exact."))
        self.assertEqual(got["formatted_context"].rstrip("\n"),
                         "Context 1 [a.pdf, p.5]: First.\nContext 2 [b]: Second.\nLine.\nContext 3 [c [x].md, 1, T]: Third.")
        self.assertEqual([c["chunk_id"] for c in got["retrieved_chunks"]], [c["chunk_id"] for c in chunks])
        request = self.retrieved(0.9)
        self.answer(request, f"[{self.name}.pdf]")
        self.assertEqual(self.rpc("rag.get", request_id=request)["prompt_context"]["system_prompt"], "")

    def test_an_answers_ancestors_reach_its_documents(self):
        request, name = self.new_request(), self.name
        self.write(embedding_record(request, axis(0)), retrieval_record(request, 0.9, self.chunk(1, page=1)),
                   retrieval_record(request, 0.8, self.chunk(2, name + ".md")))
        self.answer(request, f"[{name}.pdf]")
        want = {f"PromptContext:{request}": 1, f"RetrievedChunk:{name}_1": 1, f"RetrievedChunk:{name}_2": 2,
                f"Query:{request}": 2,
                f"EmbeddingVector:{request}": 2, f"Document:{name}.pdf": 2, f"Document:{name}.md": 3}
        got = self.rpc("lineage.ancestors", ref="Answer:" + request, form="graph")
        self.assertEqual({n["ref"]: n["depth"] for n in got["nodes"]}, want)
        cites = [e for e in got["edges"] if e["type"] == "CITES"]
        self.assertEqual([(e["from"], e["to"], e.get("page_number"), e.get("excerpt")) for e in cites],
                         [(f"Answer:{request}", f"RetrievedChunk:{name}_1", 1, "Some content.")])
        for document in (".pdf", ".md"):
            self.assertEqual([n["ref"] for n in self.rpc("impact.analyze", refs=[f"Document:{name}{document}"])["nodes"]],
                             ["Answer:" + request])


class ChangeTest(RagCase):
    def test_all_retrieval_records_are_immutable(self):
        request = self.retrieved(0.9, 0.8)
        context = {"$type$": "PromptContext", "request_id": request, "question": "What?", "system_prompt": "",
                   "formatted_context": "",
                   "retrieved_chunks": [{"chunk_id": self.name + "_0"}]}
        citation = citation_of(self.chunk(0, page=1))
        total = (0.9 + 0.8) / 2
        records = {"question": query_record(request), "vector": embedding_record(request, axis(0)), "formatted_context": context,
                   "answer": answer_record(request, "So.", [citation], total),
                   "title": {"$type$": "Document", "document_name": self.name, "title": "t"},
                   "content": self.chunk(5)}
        others = {"question": "What else?", "vector": axis(1), "formatted_context": "x", "answer": "So!", "title": "u",
                  "content": "Other."}
        for member, record in records.items():
            with self.subTest(record["$type$"]):
                self.write(record)
                self.assertTrue(self.write(record)["unchanged"])
                self.write_refused(CONFLICT, {**record, member: others[member]})
        for change in ({"similarity_score": 0.7}, {"content": "Other."}):
            self.write_refused(CONFLICT, {**retrieval_record(request, 0.9, self.chunk(0, page=1)), **change})

    def test_a_chunk_is_given_its_embedding_once(self):
        self.write(self.chunk(1))
        self.write(self.chunk(1, embedding=axis(0)))
        self.assertTrue(self.write(self.chunk(1, embedding=axis(0)))["unchanged"])
        self.assertTrue(self.write(self.chunk(1))["unchanged"])
        self.write_refused(CONFLICT, self.chunk(1, embedding=axis(1)))
        self.write_refused(CONFLICT, self.chunk(1, content="Other.", embedding=axis(0)))

    def test_one_chunk_serves_many_requests(self):
        for similarity in (0.9, 0.6):
            self.retrieved(similarity)
        got = [self.rpc("rag.get", request_id=f"{self.name}_{i}")["retrieved_chunks"][0]["similarity_score"] for i in (1, 2)]
        self.assertEqual(got, [0.9, 0.6])
        self.assertLessEqual({f"Query:{self.name}_{i}" for i in (1, 2)}, self.lineage("descendants", f"Document:{self.name}.pdf"))

    def deleted_setting(self):
        """A request that found chunks 1 and 2 of two documents and was answered from both."""
        self.write(self.chunk(1, page=1, embedding=axis(0)), self.chunk(2, self.name + ".md", embedding=axis(0)))
        request = self.rpc("rag.retrieve", vector=axis(0), question="What?", filters={"source": self.name + ".pdf"},
                           record=True)["request_id"]
        self.write(retrieval_record(request, 0.9, self.chunk(2, self.name + ".md")))
        self.answer(request, f"[{self.name}.pdf, page 1][{self.name}.md]")
        return request

    def found(self, **more):
        got = [self.rpc("rag.retrieve", vector=axis(0), filters={"source": self.name + suffix}, **more)["chunks"]
               for suffix in (".pdf", ".md")]
        return [c["chunk_id"].removeprefix(self.name + "_") for chunks in got for c in chunks]

    def check_gone(self, request, before, gone):
        ancestors = self.rpc("lineage.ancestors", ref="Answer:" + request)
        self.assertEqual({n["ref"] for n in ancestors["nodes"]} & gone, set())
        self.assertTrue(gone & set(ancestors["dangling"]), ancestors)
        self.assertLessEqual(gone, self.lineage("ancestors", "Answer:" + request, as_of=before))
        self.assertEqual(len(self.rpc("rag.get", request_id=request)["answer"]["citations"]), 2)
        for ref in gone:
            self.refused(NOT_FOUND, "node.get", rule="deleted", ref=ref)

    def test_a_deleted_chunk_is_not_retrieved_and_leaves_answers_dangling(self):
        request, before = self.deleted_setting(), self.head()
        self.assertEqual(self.rpc("lineage.ancestors", ref="Answer:" + request).get("dangling", []), [])
        self.assertEqual(self.rpc("records.delete", refs=[f"RetrievedChunk:{self.name}_1"])["deleted"],
                         [f"RetrievedChunk:{self.name}_1"])
        for when in ("live", "killed"):
            with self.subTest(when):
                self.assertEqual((self.found(), self.found(as_of=before)), (["2"], ["1", "2"]))
                self.check_gone(request, before, {f"RetrievedChunk:{self.name}_1"})
            self.restart_after_kill()
        self.assertEqual(self.rpc("lineage.ancestors", ref="Answer:" + request)["dangling"], [f"RetrievedChunk:{self.name}_1"])

    def test_deleting_a_document_takes_its_chunks(self):
        request, before = self.deleted_setting(), self.head()
        gone = {f"Document:{self.name}.md", f"RetrievedChunk:{self.name}_2"}
        self.assertEqual(set(self.rpc("records.delete", refs=[f"Document:{self.name}.md"])["deleted"]), gone)
        for when in ("live", "killed"):
            with self.subTest(when):
                self.assertEqual((self.found(), self.found(as_of=before)), (["1"], ["1", "2"]))
                self.check_gone(request, before, gone)
            self.restart_after_kill()
