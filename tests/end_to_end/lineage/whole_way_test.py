"""Claim: any real call can be recorded, and the whole way from the document to its rating can be asked in both directions:
document, chunk, prompt, response, answer, citation, feedback, under one request id.

Method: three applications, each with the shape that its framework gives a call, write over HTTP in capture mode: passages without
ids and scores; nodes with ids, scores and vectors of 1,536 numbers; 60 passages, citations that match nothing, a low similarity, no
context at all. Then everything is asked from the document and from the answer, also after a kill and in a restored export.
"""
import hashlib
import json
import math
import unittest

from support.program import Server, wait_until, whence
from support.wire_case import WireCase

TIME = "2025-10-09T16:15:00Z"
MODEL, NUMBERS = "text-embedding-3-small", 1536


def vector(seed):
    """Numbers that only the same seed gives."""
    digest = hashlib.sha256(str(seed).encode()).digest()
    return [math.sin(digest[i % 32] + i) for i in range(NUMBERS)]


class Application:
    """Plays a program that calls a model: it knows the server's address and its own shapes, nothing else."""

    def __init__(self, server, agent):
        self.server, self.agent = server, agent

    def record(self, *records):
        return self.server.rpc("records.write", {"mode": "capture", "records": list(records)})

    def call(self, request, prompt, content, units, **more):
        """What the model's own interface returned, as the application logs it."""
        return {"$type$": "Response", "id": "resp_" + request, "timestamp": TIME, "agent": self.agent, "model": "gpt-4o",
                "request_id": request, "prompt": prompt, "content": content, "latency_ms": 812.5, "cost": 0.0021,
                "usage": {"input_tokens": 900, "output_tokens": 80}, "context_units": units, **more}


class Chain(Application):
    """A chain over a retriever: its documents have `page_content` and `metadata`, no ids and no scores."""

    def ask(self, request, question, documents, text):
        chunks = [{"$type$": "RetrievedChunk", "request_id": request, "content": each["page_content"],
                   "metadata": {"document_name": each["metadata"]["source"], "page_number": each["metadata"]["page"]}}
                  for each in documents]
        passages = [{"content": each["page_content"], "source": each["metadata"]["source"], "type": "External"}
                    for each in documents]
        return self.record({"$type$": "Query", "request_id": request, "question": question}, *chunks,
                           {"$type$": "Answer", "request_id": request, "answer": text},
                           self.call(request, question, text, passages, run_id="0193-7"))


class Index(Application):
    """An index whose nodes have ids, scores and embeddings."""

    def load(self, nodes):
        self.record(*({"$type$": "RetrievedChunk", "chunk_id": each["id_"], "content": each["text"], "embedding_model": MODEL,
                       "embedding": vector(each["id_"]),
                       "metadata": {"document_name": each["metadata"]["file_name"], "chunk_index": place,
                                    "page_number": int(each["metadata"]["page_label"])}} for place, each in enumerate(nodes)))

    def ask(self, request, question, like, text):
        found = self.server.rpc("rag.retrieve", {"vector": vector(like), "model": MODEL, "question": question, "record": True,
                                                 "request_id": request, "filters": {"max_results": 2}})
        nodes = [{"node": {"id_": each["chunk_id"]}, "score": each["similarity_score"]} for each in found["chunks"]]
        units = [{"ref": "RetrievedChunk:" + each["node"]["id_"], "weight": each["score"]} for each in nodes]
        self.record(self.call(request, question, text, units))
        self.server.rpc("rag.answer", {"request_id": request, "answer": text, "processing_time_ms": 812})
        return nodes


class HomeMade(Application):
    """No framework: passages in a list, markers such as [1], whatever similarity."""

    def ask(self, request, question, passages, text, citations=()):
        chunks = [{"$type$": "RetrievedChunk", "request_id": request, "chunk_id": f"{request}-{n}", "content": each,
                   "similarity_score": 0.11, "metadata": {"document_name": "wiki", "chunk_index": n, "page_number": n + 1}}
                  for n, each in enumerate(passages)]
        return self.record({"$type$": "Query", "request_id": request, "question": question}, *chunks,
                           self.call(request, question, text, [{"content": each, "source": "wiki"} for each in passages]),
                           {"$type$": "Answer", "request_id": request, "answer": text, "confidence": 0.11, "processing_time_ms": 5},
                           *({"$type$": "Citation", "request_id": request, **each} for each in citations))


class WholeWayTest(WireCase):
    with_files = False

    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--mode", "capture", "--log", "json")

    # --- asking ---

    def flags(self, ref):
        return self.record(ref).get("flags", [])

    def check_way(self, request, document, page):
        """From the document to the answer and the response, back, and that both are one act."""
        answer, response = "Answer:" + request, "Response:resp_" + request
        self.assertLessEqual({answer, response}, self.lineage("descendants", "Document:" + document))
        found = {n["ref"]: n["share"] for n in self.rpc("impact.analyze", refs=["Document:" + document])["nodes"]}
        self.assertLessEqual({answer, response}, set(found))
        causes = self.lineage("ancestors", answer)
        self.assertEqual(causes, self.lineage("ancestors", response))
        self.assertLessEqual({"Document:" + document, "Query:" + request, "PromptContext:" + request}, causes)
        chunks = {self.record(ref)["metadata"]["page_number"]: ref for ref in causes if ref.startswith("RetrievedChunk:")}
        self.assertIn(page, chunks)
        shares = {n["ref"]: n["share"] for n in self.rpc("lineage.influence", ref=answer, limit=10000)["nodes"]}
        self.assertTrue(all(0 <= share <= 1 for share in shares.values()), shares)
        self.assertGreater(shares["Document:" + document], 0)
        return chunks[page]

    def check_request_id(self, request):
        """The request id is in every place."""
        got = self.rpc("rag.get", request_id=request)
        self.assertEqual({got["request_id"], got["query"]["request_id"], got["answer"]["request_id"],
                          got["prompt_context"]["request_id"]}, {request})
        self.assertEqual(self.record("Response:resp_" + request)["request_id"], request)
        found = self.rpc("node.find", type="Response", where={"request_id": request})["nodes"]
        self.assertEqual([node["ref"] for node in found], ["Response:resp_" + request])
        self.logged(f'"request_id":"{request}"')

    def logged(self, part):
        """The first line of the log with it."""
        return json.loads(wait_until(lambda: next((line for line in self.server.stderr_lines if part in line), None), f"a line with {part}"))

    def rate(self, request, score, by="Answer:"):
        self.write({"$type$": "FeedbackRecord", "ref": by + request, "timestamp": TIME, "score": score, "comment": "for " + request})

    def blamed(self, request):
        found = self.rpc("impact.blame", responses=["Answer:" + request], include=["record"])
        return {n["ref"]: n for n in found["nodes"]}

    # --- the three ---

    def test_passages_without_ids_and_scores(self):
        documents = [{"page_content": "Wear gloves when you handle acids.", "metadata": {"source": "lab rules.pdf", "page": 3}},
                     {"page_content": "Eye protection is worn in all rooms.", "metadata": {"source": "lab rules.pdf", "page": 7}},
                     {"page_content": "The lab opens at eight.", "metadata": {"source": "hours.md", "page": 1}}]
        app = Chain(self.server, "chain")
        said = "Gloves [lab rules.pdf, page 3]."
        refs = app.ask("chain_1", "What do I wear for acids?", documents, said)["refs"]
        chunk = self.check_way("chain_1", "lab rules.pdf", 3)
        self.assertEqual(refs[1], chunk)
        self.assertEqual(self.record("Answer:chain_1")["answer"], said)
        self.assertEqual(self.flags("Answer:chain_1"), [])
        self.assertNotIn("confidence", self.record("Answer:chain_1"))
        self.assertNotIn("confidence", self.rpc("rag.get", request_id="chain_1")["answer"])
        [[confidence]] = self.rpc("query", cypher="MATCH (a:Answer {id: 'chain_1'}) RETURN a.confidence")["rows"]
        self.assertIsNone(confidence)
        shown = whence("answer", "chain_1", "--url", self.server.url).stdout
        self.assertIn(said, shown)
        self.assertNotIn("confidence", shown)
        self.assertEqual([(c["rank"], c.get("similarity_score")) for c in self.rpc("rag.get", request_id="chain_1")["retrieved_chunks"]],
                         [(1, None), (2, None), (3, None)])
        self.assertEqual(self.flags("Response:resp_chain_1"), ["unknown_members", "weights_left_out"])
        self.assertEqual(self.record("Response:resp_chain_1")["attributes"], {"run_id": "0193-7"})
        self.check_request_id("chain_1")
        # The same passages for another question are the same chunks and units: one document, two answers.
        again = app.ask("chain_2", "When does it open?", documents, "At eight [hours.md].")["refs"]
        self.assertEqual(again[1:4], refs[1:4])
        self.assertLessEqual({"Answer:chain_1", "Answer:chain_2"}, self.lineage("descendants", "Document:hours.md"))
        self.rate("chain_2", -1)
        blamed = self.blamed("chain_2")
        cited = self.check_way("chain_2", "hours.md", 1)
        self.assertGreater(blamed[cited]["share"], blamed[chunk]["share"])
        self.assertEqual(self.rpc("feedback.list", ref="Document:hours.md")["aggregate_score"], -1)
        self.assertEqual(self.rpc("feedback.list", ref="Document:lab rules.pdf")["feedback_count"], 0)

    def test_nodes_with_ids_scores_and_large_vectors(self):
        app = Index(self.server, "index")
        app.load([{"id_": f"node-{n}", "text": f"Paragraph {n} of the contract.",
                   "metadata": {"file_name": "contract.pdf", "page_label": str(n)}} for n in range(1, 6)])
        nodes = app.ask("index_1", "What does paragraph 4 say?", "node-4", "It says so [contract.pdf, page 4].")
        self.assertEqual(nodes[0]["node"]["id_"], "node-4")
        self.assertAlmostEqual(nodes[0]["score"], 1, places=6)
        self.assertEqual(self.check_way("index_1", "contract.pdf", 4), "RetrievedChunk:node-4")
        self.assertIn("EmbeddingVector:index_1", self.lineage("ancestors", "Answer:index_1"))
        self.check_request_id("index_1")
        self.assertEqual(self.logged('"index_1"')["request_id"], "index_1")
        weights = {use["ref"]: use["weight"] for use in self.record("Response:resp_index_1")["context_units"]}
        self.assertAlmostEqual(sum(weights.values()), 1, delta=0.01)
        self.rate("index_1", -0.9)
        blamed = self.blamed("index_1")
        self.assertEqual({blamed[ref]["record"]["metadata"]["page_number"] for ref in blamed if ref.startswith("RetrievedChunk:")},
                         {int(each["node"]["id_"][-1]) for each in nodes})
        self.assertEqual(max((ref for ref in blamed if ref.startswith("RetrievedChunk:")), key=lambda ref: blamed[ref]["share"]),
                         "RetrievedChunk:node-4")
        rated = self.rpc("feedback.list", ref="RetrievedChunk:node-4")
        self.assertEqual((rated["aggregate_score"], rated["status"]), (-0.9, "deprecated"))

    def test_whatever_a_home_made_program_does(self):
        app = HomeMade(self.server, "own")
        passages = [f"Passage {n}: {'word ' * n}" for n in range(60)]
        text = "As [1] says, and [99] confirms, see [wiki, page 2]."
        app.ask("own_1", "What does the wiki say?", passages, text,
                [{"document_name": "wiki", "excerpt": "Passage 4: word", "page_number": 5},
                 {"document_name": "a book", "excerpt": "I read it somewhere."},
                 {"document_name": "wiki", "excerpt": "words it never had", "page_number": 7}])
        record = self.record("Answer:own_1")
        self.assertEqual((record["answer"], record["flags"]), (text, ["low_confidence", "unsupported"]))
        self.assertAlmostEqual(record["confidence"], 0.11)
        self.assertEqual([(each["document_name"], each.get("chunk_id"), each.get("flags")) for each in record["citations"]],
                         [("wiki", "own_1-4", None), ("a book", None, ["unsupported"]), ("wiki", "own_1-6", ["unsupported"])])
        self.assertEqual(self.flags("Response:resp_own_1"), ["many_units", "weights_left_out"])
        self.assertEqual(self.check_way("own_1", "wiki", 5), "RetrievedChunk:own_1-4")
        self.check_request_id("own_1")
        app.ask("own_2", "What do you think?", [], "I think so.")
        self.assertEqual(self.flags("Answer:own_2"), ["low_confidence", "no_citations"])
        self.assertEqual(self.flags("Response:resp_own_2"), ["no_units"])
        self.assertEqual(self.lineage("ancestors", "Response:resp_own_2"), {"Query:own_2", "PromptContext:own_2"})
        self.rate("own_1", -1, "Response:resp_")
        self.rate("own_2", -1)
        blamed = self.blamed("own_1")
        chunks = sorted(ref for ref in blamed if ref.startswith("RetrievedChunk:"))
        self.assertEqual(len(chunks), 60)
        said = whence("blame", "Answer:own_1", "--url", self.server.url).stdout
        self.assertRegex(said, r"RetrievedChunk:own_1-4 +wiki, page 5  Passage 4:")
        self.assertEqual(self.blamed("own_2"), {})
        self.assertEqual(self.rpc("feedback.list", ref="RetrievedChunk:own_1-4")["feedback_count"], 1)
        self.assertEqual(self.rpc("feedback.list", ref="RetrievedChunk:own_1-3")["feedback_count"], 0)

    def test_flags_are_found_counted_in_events_and_exports(self):
        tx = self.head()
        app = HomeMade(self.server, "own")
        app.ask("own_3", "Is it flagged?", ["Only this."], "Yes [1].")
        for flag in ("low_confidence", "unsupported"):
            found = self.rpc("node.find", type="Answer", where={"flags": {"has": flag}}, limit=1000)["nodes"]
            self.assertIn("Answer:own_3", [node["ref"] for node in found])
            self.assertRegex(self.server.get("/metrics")[1].decode(), rf'whence_flags_total\{{flag="{flag}"\}} [1-9]')
        seen = whence("watch", "--since", tx, "--until-caught-up", "--json", "--include", "record", "--url", self.server.url)
        events = [json.loads(line) for line in seen.stdout.splitlines()]
        self.assertIn(["low_confidence", "unsupported"], [each.get("record", {}).get("flags") for each in events])
        self.assertIn("low_confidence", whence("answer", "own_3", "--url", self.server.url).stdout)
        path, copy = self.folder.name + "/all.jsonl", self.folder.name + "/copy"
        self.assertEqual(whence("export", "--format", "jsonl", "--output", path, "--url", self.server.url).returncode, 0)
        restored = whence("import", path, "--db", copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        shown = whence("rpc", "node.get", '{"ref":"Answer:own_3","include":["record"]}', "--db", copy)
        self.assertEqual(json.loads(shown.stdout)["nodes"][0]["record"], self.record("Answer:own_3"))
        self.assertEqual(whence("verify", "--db", copy).returncode, 0)

    def test_the_way_holds_after_a_kill(self):
        app = Chain(self.server, "chain")
        app.ask("chain_9", "What is it?", [{"page_content": "It is so.", "metadata": {"source": "killed.pdf", "page": 2}}], "So [killed.pdf].")
        self.restart_after_kill()
        self.check_way("chain_9", "killed.pdf", 2)
        self.assertEqual(self.flags("Answer:chain_9"), [])
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_an_answer_of_low_confidence_is_kept_by_rag_answer_only_in_capture_mode(self):
        for mode, text in (("capture", "Gloves [wiki]."), ("strict", None)):
            with Server(f"{self.folder.name}/{mode}", "--mode", mode) as server:
                server.rpc("records.write", {"records": [
                    {"$type$": "Query", "request_id": "r", "question": "What?"},
                    {"$type$": "RetrievedChunk", "request_id": "r", "chunk_id": "c", "content": "Gloves.", "similarity_score": 0.1,
                     "metadata": {"document_name": "wiki", "chunk_index": 0}}]})
                answer = server.rpc("rag.answer", {"request_id": "r", "answer": "Gloves [wiki]."})["answer"]
                self.assertEqual((answer["answer"], answer.get("flags")), (text, ["low_confidence"] if text else None))
                server.rpc("records.write", {"records": [{"$type$": "Query", "request_id": "r2", "question": "What?"}]})
                own = server.rpc("rag.answer", {"request_id": "r2", "answer": "So [1].", "mode": "capture"})["answer"]
                self.assertEqual((own["answer"], own["flags"]), ("So [1].", ["low_confidence", "unsupported"]))


if __name__ == "__main__":
    unittest.main()
