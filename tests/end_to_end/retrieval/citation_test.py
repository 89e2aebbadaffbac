"""Claim: an answer cites what its text, or the list given with it, names among the chunks retrieved for its request, and
nothing else.

Method: the worked table and more names as nasty, literally; texts put together at random, read by `naive_rag.citations`
too. A failure prints the seed; WHENCE_TEST_SEED repeats it.
"""
import random

from support.naive_rag import MESSAGE, Unsupported, answer_record, chunk_record, citation_of, citations, retrieval_record
from support.rag_case import RagCase
from support.wire_case import INVALID_RECORD, present
from support.program import RpcError, seed_of_run

SEED = seed_of_run()


class CitationTest(RagCase):
    P5 = chunk_record("p5", "safety_manual.pdf", "Gloves.", 5, "Chemical Handling")
    P6 = chunk_record("p6", "safety_manual.pdf", "Doors.", 6)
    R1 = chunk_record("r1", "house rules, 2nd [draft].md", "Shut them.", None, "1, Doors [main]")
    B1 = chunk_record("b1", "notes", "Noted.")
    W7 = ((P5, 0.9), (B1, 0.8), (R1, 0.8), (P6, 0.7))

    SUPPORTED = {
        "[safety_manual.pdf, page 5]": ["p5"], "[safety_manual.pdf, section Chemical Handling]": ["p5"],
        "[safety_manual.pdf]": ["p5"], "[safety_manual.pdf, p.5]": ["p5"], "[house rules, 2nd [draft].md, 1, Doors [main]]": ["r1"],
        "[safety_manual.pdf, page 6], then [safety_manual.pdf, page 5]": ["p6", "p5"],
        "[house rules, 2nd [draft].md]": ["r1"], "[house rules, 2nd [draft].md, section 1, Doors [main]]": ["r1"],
        "[notes][safety_manual.pdf, page 6]": ["b1", "p6"],
        "\\[not a citation] [notes]": ["b1"], "[notes] and [ open": ["b1"], "[notes] and [safety_manual.pdf, page 6": ["b1"],
        "[notes][notes] [notes]": ["b1"], "[safety_manual.pdf][safety_manual.pdf, page 5]": ["p5"],
        "\U0001f600[notes]\U0001f600": ["b1"], "[notes]]": ["b1"], "a]b[notes]": ["b1"],
    }
    UNSUPPORTED = {"[safety_manual.pdf, page 7]": None, "[notes, page 5]": None, "[made_up.pdf]": None,
                   "[safety_manual.pdf, p.7]": None, "[safety_manual.pdf, p. 5]": None,
                   "[Notes]": None, "[sic]": None, "[1]": None, "[]": None, "[ notes]": None, "[notes ]": None,
                   "[notes,page 5]": None,
                   "[safety_manual.pdf, section chemical handling]": None,
                   "[safety_manual.pdf, section 1, Doors [main]]": "[safety_manual.pdf, section 1, Doors [main]",
                   "[safety_manual.pdf, page ]": None, "[safety_manual.pdf, page 5a]": None, "[safety_manual.pdf, page -5]": None,
                   "[safety_manual.pdf, page 5, section Chemical Handling]": None, "[[notes]]": "[[notes]",
                   "[house rules, 2nd [draft]": None, "[safety_manual.pdf, page 99999999999999999999]": None,
                   "[safety_manual.pdf, page \u0665]": None}

    def asked(self, chunks):
        request = self.new_request()
        self.write(*(retrieval_record(request, s, c, rank=i) for i, (c, s) in enumerate(chunks, 1)))
        return request

    def cited(self, chunks, text):
        return self.answer(self.asked(chunks), text)["answer"]["citations"]

    def test_the_worked_table(self):
        by_id = {c["chunk_id"]: c for c, _ in self.W7}
        for text, want in self.SUPPORTED.items():
            with self.subTest(text):
                self.assertEqual(present(self.cited(self.W7, text)), [citation_of(by_id[i]) for i in want])
        for bracket, seen in self.UNSUPPORTED.items():
            for text in (bracket, f"[notes] {bracket}"):
                with self.subTest(text):
                    request = self.asked(self.W7)
                    data = self.answer_refused(INVALID_RECORD, request, text, rule="unsupported_citation")
                    self.assertEqual((data["seen"], data["path"], "index" in data), (seen or bracket, "/answer", False))
                    self.assertIsNone(self.rpc("rag.get", request_id=request)["answer"])

    def test_the_confidence_of_the_worked_four(self):
        self.assertEqual(self.answer(self.asked(self.W7), "[notes]")["answer"]["confidence"], 0.8)

    def test_an_answer_without_citation_is_refused(self):
        for text in ("No source.", "\\[notes]", "[ open", "notes", "]["):
            with self.subTest(text):
                self.answer_refused(INVALID_RECORD, self.asked(self.W7), text, rule="citation_missing")

    def test_a_name_means_the_most_similar_chunk_then_the_first_id(self):
        chunks = [chunk_record(i, "many.pdf", "C " + i, page)
                  for i, page in (("mb", 1), ("ma", 2), ("mc", 1), ("mé", 3), ("mz", 3))]
        scored = list(zip(chunks, (0.8, 0.8, 0.9, 0.7, 0.7)))
        for text, want in (("[many.pdf]", "mc"), ("[many.pdf, page 1]", "mc"), ("[many.pdf, page 2]", "ma"),
                           ("[many.pdf, page 3]", "mz")):
            with self.subTest(text):
                self.assertEqual([c["chunk_id"] for c in self.cited(scored, text)], [want])
        self.assertEqual([c["chunk_id"] for c in self.cited([p for p in scored if p[0]["chunk_id"] != "mc"], "[many.pdf]")],
                         ["ma"])

    def test_only_chunks_of_that_request_can_be_cited(self):
        self.write(self.B1, self.P5)
        self.answer_refused(INVALID_RECORD, self.asked([(self.P5, 0.9)]), "[notes]", rule="unsupported_citation")

    def test_the_longest_name_wins(self):
        chunks = [(chunk_record("n1", "a"), 0.9), (chunk_record("n2", "a]"), 0.8), (chunk_record("n3", "a, page 2"), 0.7),
                  (chunk_record("n4", "a, section s", section="s]"), 0.6), (chunk_record("n5", "[a"), 0.5),
                  (chunk_record("n6", "äöü \U0001f600", page=1), 0.9), (chunk_record("n7", "long", section="s"), 0.9),
                  (chunk_record("n8", "long", section="s]"), 0.8)]
        for text, want in (("[a]", ["n1"]), ("[a]]", ["n2"]), ("[a, page 2]", ["n3"]), ("[a, section s]", ["n4"]),
                           ("[[a]", ["n5"]),
                           ("[a, section s, section s]]", ["n4"]), ("[äöü \U0001f600, page 1]", ["n6"]),
                           ("[long, section s]]", ["n8"]),
                           ("[long, section s].", ["n7"]), ("\\[a][a]", ["n1"])):
            with self.subTest(text):
                self.assertEqual([c["chunk_id"] for c in citations(text, [{**c, "similarity_score": s} for c, s in chunks])],
                                 want)
                self.assertEqual([c["chunk_id"] for c in self.cited(chunks, text)], want)

    def test_random_texts_are_read_as_the_naive_reader_reads_them(self):
        chance = random.Random(SEED)
        names = ["n", "n, page 1", "n]", "[n", "ü, \U0001f600", "two words", "x, section y", "\\"]
        sections = ["s", "s]", "1, [s]", "ß", "s, page 1"]
        chunks = [chunk_record(f"x{i}", chance.choice(names), "x" * (i + 1), chance.choice([None, 1, 2, 11]),
                               chance.choice([None, *sections]))
                  for i in range(12)]
        scored = [(c, chance.choice([0.6, 0.7, 0.7, 0.9])) for c in chunks]
        known = [{**c, "similarity_score": s} for c, s in scored]
        pieces = names + sections + ["[", "]", "[", "]", ", page ", ", section ", ", p.", ", ", "1", "2", "11", " ", "\\[", ". "]

        def bracket():
            name = chance.choice(names)
            return "[" + name + chance.choice(["", f", page {chance.choice([1, 2, 11])}", f", p.{chance.choice([1, 2, 11])}",
                                               ", section " + chance.choice(sections), ", " + chance.choice(sections)]) + "]"
        outcomes = {"cited": 0, "none": 0, "unsupported": 0}
        for _ in range(150):
            text = "".join(bracket() if chance.random() < 0.3 else chance.choice(pieces) for _ in range(chance.randint(1, 6)))
            text = text.strip("\\") or "x"
            request, about = self.asked(scored), f"seed {SEED}: {text!r} over {scored}"
            try:
                want = citations(text, known)
            except Unsupported as bad:
                outcomes["unsupported"] += 1
                with self.assertRaises(RpcError, msg=about) as caught:
                    self.answer(request, text)
                data = caught.exception.error["data"]
                self.assertEqual((data["rule"], data["seen"]), ("unsupported_citation", str(bad)), about)
                continue
            if not want:
                outcomes["none"] += 1
                with self.assertRaises(RpcError, msg=about) as caught:
                    self.answer(request, text)
                self.assertEqual(caught.exception.error["data"]["rule"], "citation_missing", about)
            else:
                outcomes["cited"] += 1
                self.assertEqual([c["chunk_id"] for c in self.answer(request, text)["answer"]["citations"]],
                                 [c["chunk_id"] for c in want], about)
        self.assertNotIn(0, outcomes.values())

    def test_excerpts_are_the_first_200_code_points(self):
        for content in ("\U0001f600" * 199, "é" * 200, "\U0001f600" * 201, "x" * 5000):
            chunk = chunk_record(f"long{len(content)}", "long.pdf", content)
            self.assertEqual(self.cited([(chunk, 0.9)], "[long.pdf]")[0]["excerpt"], content[:200])

    def test_a_given_list_is_matched_by_chunk_else_by_document_and_place(self):
        excerpt = {"excerpt": "Gloves."}
        for about, citation in (("chunk", {"document_name": "safety_manual.pdf", "chunk_id": "p5"}),
                                ("page", {"document_name": "safety_manual.pdf", "page_number": 5}),
                                ("section", {"document_name": "safety_manual.pdf", "section": "Chemical Handling"})):
            with self.subTest(about):
                request = self.asked(self.W7)
                self.write(answer_record(request, "Gloves, says the manual.", [{**citation, **excerpt}], 0.8))
                self.assertIn("RetrievedChunk:p5", self.lineage("ancestors", "Answer:" + request, edge_types=["CITES"]))
        for about, citation in (("chunk", {"document_name": "safety_manual.pdf", "chunk_id": "p7"}),
                                ("page", {"document_name": "safety_manual.pdf", "page_number": 7}),
                                ("section", {"document_name": "safety_manual.pdf", "section": "x"}),
                                ("document", {"document_name": "made_up.pdf"})):
            with self.subTest("no such " + about):
                self.write_refused(INVALID_RECORD, answer_record(self.asked(self.W7), "Gloves.", [{**citation, **excerpt}], 0.8),
                                   rule="unsupported_citation", path="/citations/0")

    def test_what_a_citation_says_of_its_chunk_must_be_so(self):
        request = self.asked(self.W7)
        good = {"document_name": "safety_manual.pdf", "excerpt": "Glo...", "chunk_id": "p5", "page_number": 5,
                "section": "Chemical Handling"}
        for excerpt in ("Gloves.", " Gloves.\n", "Glov…", "Gloves. ...", ""):
            self.write(answer_record(request, "A.", [{**good, "excerpt": excerpt}], 0.8), dry_run=True)
        for member, bad in (("excerpt", "Hats."), ("excerpt", "gloves."), ("page_number", 6), ("section", "Doors")):
            with self.subTest((member, bad)):
                self.write_refused(INVALID_RECORD, answer_record(request, "A.", [{**good, member: bad}], 0.8), rule=member,
                                   path="/citations/0/" + member)

    def test_a_given_confidence_is_never_stored(self):
        for given in (0, 0.1, 1):
            request = self.asked(self.W7)
            written = self.write(answer_record(request, "A [notes].", [], given))
            self.assertEqual([w["rule"] for w in written["warnings"]], ["confidence"])
            got = self.rpc("rag.get", request_id=request)["answer"]
            self.assertEqual((got["answer"], got["confidence"]), ("A [notes].", 0.8))

    def test_an_answer_record_without_text_says_why(self):
        request = self.asked(self.W7)
        for message in ({}, {"message": None}, {"message": ""}):
            self.write_refused(INVALID_RECORD, answer_record(request, None, [], 0.8, **message), rule="required",
                               path="/message")
        self.write(answer_record(request, None, [], 0.8, message="Ask later."))

    def test_rules_of_an_answer_record(self):
        good = {"document_name": "safety_manual.pdf", "excerpt": " " * 193 + "Gloves.", "chunk_id": "p5"}
        request = self.asked(self.W7)
        self.write(answer_record(request, "A.", [good], 0.8), dry_run=True)
        cases = [("excerpt of 201", answer_record(request, "A.", [{**good, "excerpt": "x" * 201}], 0.8), "/citations/0/excerpt"),
                 ("no excerpt", answer_record(request, "A.", [{**good, "excerpt": None}], 0.8), "/citations/0/excerpt"),
                 ("unknown member", answer_record(request, "A.", [{**good, "page": 5}], 0.8), "/citations/0/page"),
                 ("confidence over 1", answer_record(request, "A.", [good], 1.01), "/confidence"),
                 ("confidence under 0", answer_record(request, "A.", [good], -0.01), "/confidence"),
                 ("citations of nothing", answer_record(request, None, [good], 0.0, message=MESSAGE), "/citations"),
                 ("a bracket that matches nothing", answer_record(request, "A [made_up.pdf].", [good], 0.8), ""),
                 ("no citation", answer_record(request, "A.", [], 0.8), "")]
        for about, record, path in cases:
            with self.subTest(about):
                self.write_refused(INVALID_RECORD, record, path=path)

    def test_a_citation_record_joins_its_answer(self):
        request = self.asked(self.W7)
        citation = {"$type$": "Citation", "request_id": request, "document_name": "safety_manual.pdf", "excerpt": "Gloves.",
                    "page_number": 5}
        self.write_refused(INVALID_RECORD, citation)
        self.write(answer_record(request, "Gloves.", [], 0.8), citation)
        got = self.rpc("rag.get", request_id=request)["answer"]["citations"]
        self.assertEqual([(c["document_name"], c["page_number"], c["excerpt"]) for c in got],
                         [("safety_manual.pdf", 5, "Gloves.")])
