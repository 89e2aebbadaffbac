"""Claim: what an instrumented program exports over OTLP/HTTP becomes responses with what caused them, whatever the form of the
body and whatever the order, repetition and division of its spans and log records.

Method: requests made by hand (`support/otlp.py`) against a real server. Random traces are sent in order to one server and
shuffled, repeated and split to others; the nodes, records and edges must be equal.
WHENCE_TEST_TRACES (60) says how many.
"""
import itertools
import json
import os
import random
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

from support.otlp import body_of, log, post, send, span
from support.program import Server, seed_of_run, twin_store, whence, write_tokens
from support.wire_case import FreshServerCase

SEED = seed_of_run()
TRACES = int(os.environ.get("WHENCE_TEST_TRACES", "60"))
T = "0af7651916cd43dd8448eb211c80319c"
SECOND = 10**9
START = 1_700_000_000 * SECOND


def trace_id(number):
    return f"{number + 1:032x}"


def span_id(number):
    return f"{number + 1:016x}"


def chat(trace, number, start, end, prompt, answer, parent=None, **more):
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4",
                  "gen_ai.response.model": "gpt-4-0613", "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3,
                  "app.tier": "gold"}
    if prompt:
        attributes["gen_ai.input.messages"] = json.dumps([{"role": "user", "parts": [{"type": "text", "content": prompt}]}])
    if answer:
        attributes["gen_ai.output.messages"] = json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}])
    return span(trace, span_id(number), "chat gpt-4", START + start * SECOND, START + end * SECOND, attributes, parent, **more)


def retrieval(trace, number, start, end, question, documents, parent=None):
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": question}
    for place, (name, content, score) in enumerate(documents):
        at = f"retrieval.documents.{place}.document."
        attributes[at + "content"] = content
        attributes[at + "metadata"] = json.dumps({"source": name, **({} if score is None else {"score": score})})
    return span(trace, span_id(number), "retrieve", START + start * SECOND, START + end * SECOND, attributes, parent)


def tool(trace, number, start, end, name, result, parent=None):
    return span(trace, span_id(number), "execute_tool " + name, START + start * SECOND, START + end * SECOND,
                {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": "{}",
                 "gen_ai.tool.call.result": result}, parent)


def agent(trace, number, start, end, parent=None):
    return span(trace, span_id(number), "invoke_agent clerk", START + start * SECOND, START + end * SECOND,
                {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}, parent)


def response(trace, number):
    return f"Response:resp_{trace}_{span_id(number)}"


def example():
    """A chain: a retrieval and a tool call, then the answer made from both; an unrelated request in between."""
    root = span_id(0)
    return [retrieval(T, 1, 1, 2, "When is the bill due?", [("faq.md", "On June 30.", 0.75), ("terms.md", "Net 30.", None)], root),
            tool(T, 2, 2, 3, "calendar", "today is June 1", root),
            span(T, span_id(3), "GET /", START, START + SECOND, {"http.request.method": "GET"}, root),
            chat(T, 4, 4, 6, "When is the bill due?", "On June 30.", root),
            tool(T, 5, 5, 7, "late", "too late", root),
            agent(T, 0, 0, 8)]


class OtlpTest(FreshServerCase):
    def graph(self, server):
        """Every node with its record, and every edge, without what tells when they were written."""
        nodes, edges = {}, set()
        for type_ in ("Response", "ContextUnit", "Query", "RetrievedChunk", "Document", "FeedbackRecord", "EmbeddingVector", "ProvActivity",
                      "ProvEntity"):
            found = server.rpc("node.find", {"type": type_, "limit": 10000, "include": ["record", "edges"]})
            self.assertTrue(found["complete"])
            for node in found["nodes"]:
                nodes[node["ref"]] = node.get("record")
                self.assertEqual(node["edges_total"], len(node["edges"]))
                edges |= {(e["from"], e["to"], e["type"], e.get("similarity"), e.get("rank"), e.get("score")) for e in node["edges"]}
        return nodes, edges

    def ancestors(self, ref, **more):
        return {n["ref"]: n for n in self.server.rpc("lineage.ancestors", {"ref": ref, "limit": 10000, **more})["nodes"]}

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def accepted(self, items, **more):
        for status, _, body in send(self.server, items, **more):
            self.assertEqual((status, body), (200, b"{}" if more.get("form", "json") == "json" else b""))

    def test_a_chain_becomes_a_response_with_its_causes(self):
        for form, coding in (("json", None), ("protobuf", None), ("json", "gzip"), ("protobuf", "gzip")):
            with self.subTest(form=form, coding=coding):
                self.accepted(example(), form=form, coding=coding)
        ref = response(T, 4)
        record = self.record(ref)
        self.assertEqual((record["content"], record["prompt"], record["model"], record["agent"], record["latency_ms"]),
                         ("On June 30.", "When is the bill due?", "gpt-4-0613", "clerk", 2000))
        self.assertEqual(record["usage"], {"input_tokens": 12, "output_tokens": 3})
        self.assertEqual(record["attributes"]["app.tier"], "gold")
        self.assertEqual((record["attributes"]["trace_id"], record["attributes"]["span_id"]), (T, span_id(4)))
        self.assertNotIn("flags", record)
        near = self.ancestors(ref, depth=1)
        query, unit = f"Query:otel_{T}_{span_id(1)}", f"ContextUnit:cu_{T}_{span_id(2)}"
        self.assertLessEqual({query, unit}, set(near))
        self.assertEqual(len(near), 3)  # and the message
        far = self.ancestors(ref)
        self.assertIn("Document:faq.md", far)
        self.assertIn("Document:terms.md", far)
        edges = self.server.rpc("node.get", {"ref": query, "include": ["edges"]})["nodes"][0]["edges"]
        self.assertEqual(sorted((e["rank"], e.get("similarity")) for e in edges if e["type"] == "RETRIEVED_FOR"), [(1, 0.75), (2, None)])
        self.assertIn(ref, {n["ref"] for n in self.server.rpc("lineage.descendants", {"ref": "Document:faq.md"})["nodes"]})
        # The agent of the call is a relation, and no cause.
        activity = f"ProvActivity:urn:otel:span:{T}:"
        edges = self.server.rpc("node.get", {"ref": activity + span_id(4), "include": ["edges"]})["nodes"][0]["edges"]
        self.assertIn((activity + span_id(0), "PROV_specializationOf"), {(e["to"], e["type"]) for e in edges})
        self.assertIn((ref, "PROV_hadMember"), {(e["to"], e["type"]) for e in edges})

    def test_another_traces_spans_are_causes_through_links_only(self):
        other = trace_id(7)
        self.accepted([tool(other, 0, 1, 2, "calendar", "June"), chat(other, 1, 3, 4, "a question", "an answer"),
                       chat(T, 2, 5, 6, "another question", "another answer", links=[(other, span_id(1))]),
                       chat(T, 3, 5, 6, "a third question", "a third answer")])
        self.assertIn(response(other, 1), self.ancestors(response(T, 2)))
        self.assertEqual(len(self.ancestors(response(T, 3))), 1)

    def test_an_outer_call_with_the_same_answer_is_no_second_response(self):
        outer = chat(T, 0, 1, 9, "q: bill?", "On June 30.")
        inner = chat(T, 1, 2, 8, "bill?", "On June 30.", span_id(0))
        self.accepted([outer])
        self.assertEqual(self.server.rpc("node.count", {"type": "Response"})["count"], 1)
        self.accepted([inner])
        found = self.server.rpc("node.find", {"type": "Response"})["nodes"]
        self.assertEqual([n["ref"] for n in found], [response(T, 1)])

    def test_messages_and_ratings_in_log_records_join_their_call(self):
        call = chat(T, 1, 2, 3, None, None)
        logs = [log(T, span_id(1), "gen_ai.user.message", START + 2 * SECOND, body={"content": "bill?"}),
                log(T, span_id(1), "gen_ai.choice", START + 3 * SECOND, by_attribute=True,
                    body={"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "June 30."}}),
                log(T, span_id(1), "gen_ai.evaluation.result", START + 4 * SECOND,
                    {"gen_ai.evaluation.name": "truth", "gen_ai.evaluation.score.value": 0.5, "gen_ai.evaluation.explanation": "so"})]
        for each in (*logs, call):
            self.accepted([each])
        record = self.record(response(T, 1))
        self.assertEqual((record["content"], record["prompt"]), ("June 30.", "bill?"))
        rating, = [n["record"] for n in self.server.rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
        self.assertEqual((rating["score"], rating["feedback_text"], rating["response_id"]),
                         (0.5, "so", response(T, 1).split(":")[1]))
        self.assertEqual(len(self.ancestors(response(T, 1))), 1)

    def rating_of(self, response_id, score, trace="", number=None):
        return log(trace, "" if number is None else span_id(number), "gen_ai.evaluation.result", START + 4 * SECOND,
                   {"gen_ai.response.id": response_id, "gen_ai.evaluation.score.value": score})

    def named_chat(self, trace, number, response_id, answer, parent=None):
        call = chat(trace, number, 2, 3, "bill?", answer, parent)
        call["attributes"]["gen_ai.response.id"] = response_id
        return call

    def ratings(self, server=None):
        found = (server or self.server).rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]
        return sorted((n["record"]["response_id"], n["record"]["score"]) for n in found)

    def test_a_rating_finds_its_call_by_the_providers_id_of_the_response(self):
        other, strange = trace_id(7), "resp/with: signs \u00e9" * 20_000  # more than a record keeps of it
        items = [self.rating_of("chatcmpl-1", 0.5), self.rating_of("chatcmpl-1", -0.5, other, 3), self.rating_of(strange, 1),
                 self.rating_of("nobodys", 1), self.named_chat(T, 1, "chatcmpl-1", "June 30."),
                 self.named_chat(T, 2, strange, "July 30."), chat(other, 3, 2, 3, "bill?", "May 30.")]
        one, two, third = (f"resp_{trace}_{span_id(n)}" for trace, n in ((T, 1), (T, 2), (other, 3)))
        wanted = sorted([(one, 0.5), (one, -0.5), (third, -0.5), (two, 1)])
        for place, order in enumerate((items, items[::-1], items[4:] + items[:4])):
            with Server(f"{self.db}_{place}") as server:
                for each in order + order[:3]:
                    for status, _, body in send(server, [each]):
                        self.assertEqual((status, body), (200, b"{}"))
                self.assertEqual(self.ratings(server), wanted)
                record = server.rpc("node.get", {"ref": "Response:" + one, "include": ["record"]})["nodes"][0]["record"]
                self.assertEqual(record["attributes"]["gen_ai.response.id"], "chatcmpl-1")

    def test_a_rating_by_the_providers_id_is_the_inner_calls(self):
        outer = self.named_chat(T, 0, "chatcmpl-1", "June 30.")
        inner = chat(T, 1, 2, 3, "bill?", "June 30.", span_id(0))
        for place, order in enumerate(([outer, inner], [inner, outer])):
            for rated in range(3):
                items = order[:rated] + [self.rating_of("chatcmpl-1", 0.5)] + order[rated:]
                with self.subTest(place=place, rated=rated), Server(f"{self.db}_{place}_{rated}") as server:
                    for each in items:
                        send(server, [each])
                    self.assertEqual(self.ratings(server), [(f"resp_{T}_{span_id(1)}", 0.5)])

    def test_a_response_id_has_a_bound_of_calls(self):
        self.accepted([self.named_chat(trace_id(n), n, "same", f"answer {n}") for n in range(20)])
        self.accepted([self.rating_of("same", 0.25)])
        self.assertEqual(len(self.ratings()), 16)
        self.assertEqual(self.server.rpc("node.count", {"type": "Response"})["count"], 20)

    def test_embeddings_with_their_numbers_are_queries_with_vectors(self):
        inference = {"openinference.span.kind": "EMBEDDING", "embedding.model_name": "ada",
                     "embedding.embeddings.0.embedding.text": "What is due?",
                     "embedding.embeddings.0.embedding.vector": [0.25, -1.0, 3],
                     "embedding.embeddings.1.embedding.text": "x", "embedding.embeddings.1.embedding.vector": [0.0, 0.0]}
        vercel = {"ai.operationId": "ai.embed.doEmbed", "ai.model.id": "ada", "ai.values": ['"What is due?"', '"And when?"'],
                  "ai.embeddings": ["[0.25,-1,3]", "[1e-3,2]"]}
        bare = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "ada"}
        known = inference | {"embedding.model_name": "all-MiniLM-L6-v2"}  # of 384 numbers
        items = [span(T, span_id(n), "embed", START, START + SECOND, each) for n, each in enumerate((inference, vercel, bare, known))]
        self.accepted(items, form="protobuf")
        self.accepted(items)
        found = {n["ref"]: n["record"] for type_ in ("Query", "EmbeddingVector")
                 for n in self.server.rpc("node.find", {"type": type_, "include": ["record"]})["nodes"]}
        name = lambda number, text: f"otel_{T}_{span_id(number)}_{text}"
        self.assertEqual({ref: record["question"] for ref, record in found.items() if ref.startswith("Query:")}, {
            "Query:" + name(0, 0): "What is due?", "Query:" + name(1, 0): "What is due?", "Query:" + name(1, 1): "And when?",
            "Query:" + name(3, 0): "What is due?"})
        self.assertEqual(found["Query:" + name(0, 0)]["attributes"]["embeddings_left_out"], 1)
        self.assertIn("must have 384 items", found["Query:" + name(3, 0)]["attributes"]["embedding_left_out"])
        self.assertEqual({ref: (record["vector"], record["model_name"]) for ref, record in found.items() if "Vector" in ref}, {
            "EmbeddingVector:" + name(0, 0): ([0.25, -1, 3], "ada"), "EmbeddingVector:" + name(1, 0): ([0.25, -1, 3], "ada"),
            "EmbeddingVector:" + name(1, 1): ([0.001, 2], "ada")})
        activity = f"ProvActivity:urn:otel:span:{T}:{span_id(1)}"
        edges = self.server.rpc("node.get", {"ref": activity, "include": ["edges"]})["nodes"][0]["edges"]
        self.assertEqual({e["to"] for e in edges if e["type"] == "PROV_hadMember"}, {"Query:" + name(1, 0), "Query:" + name(1, 1)})

    def test_a_start_cut_to_milliseconds_may_be_after_a_source_of_the_same_millisecond(self):
        def timed(number, name, begun, ended, **attributes):
            return span(T, span_id(number), name, START + begun, START + ended, attributes)
        call = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.completion": "June"}
        tool_call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "clock", "gen_ai.tool.call.result": "noon"}
        self.accepted([timed(0, "clock", 0, 400_000, **tool_call), timed(1, "chat", 0, 5_000_000, **call)])
        self.assertEqual(list(self.ancestors(response(T, 1))), [f"ContextUnit:cu_{T}_{span_id(0)}"])
        # A finer start is taken at its word, and what ended after the call did not cause it.
        self.accepted([timed(2, "chat", 300_000, 5_000_000, **call | {"gen_ai.completion": "July"}),
                       timed(3, "chat", 0, 200_000, **call | {"gen_ai.completion": "May"})])
        self.assertEqual(list(self.ancestors(response(T, 2))), [])
        self.assertEqual(list(self.ancestors(response(T, 3))), [])

    def test_messages_of_one_moment_are_in_the_order_of_their_request(self):
        moment = START + 2 * SECOND
        for texts in (("a", "b"), ("b", "a")):
            trace = trace_id(ord(texts[0]))
            said = [log(trace, span_id(1), "gen_ai.user.message", moment, body={"content": texts[0]}),
                    log(trace, span_id(1), "gen_ai.assistant.message", moment, body={"content": texts[1]})]
            self.accepted([chat(trace, 1, 2, 3, None, None), *said])
            self.accepted(said)  # a repeat has the same order
            self.assertEqual(self.record(response(trace, 1))["prompt"], f"user: {texts[0]}\n\nassistant: {texts[1]}")
        # What comes in different requests is in the order of arrival.
        self.accepted([chat(T, 1, 2, 3, None, None), log(T, span_id(1), "gen_ai.user.message", moment, body={"content": "a"})])
        self.accepted([log(T, span_id(1), "gen_ai.system.message", moment, body={"content": "b"})])
        self.assertEqual(self.record(response(T, 1))["prompt"], "user: a\n\nsystem: b")

    CONVENTIONS = {
        "OpenTelemetry, older": {"gen_ai.system": "openai", "gen_ai.request.model": "m", "gen_ai.usage.prompt_tokens": 4,
                                 "gen_ai.usage.completion_tokens": 2, "gen_ai.prompt": "hi there", "gen_ai.completion": "hello"},
        "OpenLLMetry": {"llm.request.type": "chat", "llm.request.model": "m", "llm.prompts.0.role": "user",
                        "llm.prompts.0.content": "hi there", "llm.completions.0.content": "hello",
                        "llm.usage.prompt_tokens": 4, "llm.usage.completion_tokens": 2},
        "OpenLLMetry, gen_ai": {"gen_ai.system": "x", "gen_ai.request.model": "m", "gen_ai.prompt.0.role": "user",
                                "gen_ai.prompt.0.content": "hi there", "gen_ai.completion.0.content": "hello",
                                "gen_ai.usage.input_tokens": 4, "gen_ai.usage.output_tokens": 2},
        "OpenInference": {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.input_messages.0.message.role": "user",
                          "llm.input_messages.0.message.content": "hi there",
                          "llm.output_messages.0.message.content": "hello", "llm.token_count.prompt": 4,
                          "llm.token_count.completion": 2},
        "Vercel AI SDK": {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m",
                          "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "hi there"}]}]),
                          "ai.response.text": "hello", "ai.usage.promptTokens": 4, "ai.usage.completionTokens": 2},
    }

    def test_every_convention_says_the_same(self):
        for place, (convention, attributes) in enumerate(self.CONVENTIONS.items()):
            with self.subTest(convention):
                self.accepted([span(T, span_id(place), "call", START, START + SECOND, attributes)])
                record = self.record(response(T, place))
                self.assertEqual((record["content"], record["prompt"], record["model"], record["usage"]),
                                 ("hello", "hi there", "m", {"input_tokens": 4, "output_tokens": 2}))
        self.assertEqual(self.server.rpc("node.count", {"type": "ContextUnit"})["count"], 1)  # one message, five times

    def test_bad_requests_get_the_protocols_own_error_and_nothing_is_written(self):
        good = body_of(example(), "traces", "protobuf")
        cases = [(b"nonsense", "json", {}, 400), (b"[1]", "json", {}, 400), (good[:-1], "protobuf", {}, 400),
                 (good, "protobuf", {"Content-Encoding": "br"}, 415), (good, "protobuf", {"Content-Encoding": "gzip"}, 400),
                 (good, "protobuf", {"Content-Encoding": "zstd"}, 400), (good, "protobuf", {"Content-Type": "text/plain"}, 415)]
        for body, form, headers, status in cases:
            with self.subTest(status=status, headers=headers):
                self.assertEqual(post(self.server, "/v1/traces", body, form, headers)[0], status)
        huge = post(self.server, "/v1/traces", bytes(1), "protobuf", {"Content-Length": str((64 << 20) + 1)})
        self.assertEqual(huge[0], 413)
        zipped = post(self.server, "/v1/traces", b" " * ((64 << 20) + 1), "json", coding="gzip")
        self.assertEqual((zipped[0], json.loads(zipped[2])["code"]), (413, 8))
        nameless = json.loads(body_of(example(), "traces", "json"))
        nameless["resourceSpans"][0]["scopeSpans"][0]["spans"] = [{"traceId": "00", "spanId": "1"}]
        status, _, body = post(self.server, "/v1/traces", json.dumps(nameless).encode())
        self.assertEqual((status, json.loads(body)["partialSuccess"]["rejectedSpans"]), (200, "1"))
        self.assertEqual(self.server.rpc("server.info", {})["tx"], 0)

    def test_what_is_dropped_is_counted(self):
        self.accepted(example())
        text = urllib.request.urlopen(self.server.url + "/metrics").read().decode()
        self.assertIn('whence_capture_spans_total{result="dropped"} 1\n', text)
        self.assertIn('whence_capture_spans_total{result="taken"} 5\n', text)
        self.assertRegex(text, "whence_capture_unknown_attributes_total [1-9]")

    def test_a_trace_has_a_bound(self):
        many = [tool(T, number, 1, 2, "t", "r") for number in range(4100)]
        status, _, body = post(self.server, "/v1/traces", body_of(many, "traces", "protobuf"), "protobuf")
        self.assertEqual(status, 200)
        self.assertIn(b"more than 4096 spans", body)
        self.assertEqual(self.server.rpc("node.count", {"type": "ContextUnit"})["count"], 4096)

    def test_a_token_that_may_not_write_is_refused(self):
        tokens = Path(self.db + ".tokens")
        write_tokens(tokens, "read reader-secret\nwrite writer-secret\n")
        body = body_of(example(), "traces", "json")
        with Server(self.db + "2", "--tokens", tokens, token="writer-secret") as server:
            for token, status in ((None, 401), ("wrong", 401), ("reader-secret", 403), ("writer-secret", 200)):
                headers = {"Authorization": "Bearer " + token} if token else {}
                self.assertEqual(post(server, "/v1/traces", body, headers=headers)[0], status, token)

    def test_a_killed_server_and_repeated_requests_leave_nothing_missing_and_nothing_twice(self):
        chance = random.Random(SEED)
        items = [each for number in range(30) for each in self.random_trace(chance, number)]
        send(self.server, items)
        wanted = self.graph(self.server)
        database = twin_store(self.db + "killed")
        sent = 0
        with Server(database) as server:
            for sent in range(0, len(items) // 2, 7):
                send(server, items[sent:sent + 7])
            late = threading.Thread(target=self.ignoring_errors, args=(server, items[sent + 7:]))
            late.start()
            server.kill()
            late.join()
        with Server(database) as server:
            for place in range(0, len(items), 11):  # an exporter repeats what was not answered; here all of it
                send(server, items[place:place + 11])
            self.assertEqual(self.graph(server), wanted)

    @staticmethod
    def ignoring_errors(server, items):
        try:
            send(server, items)
        except OSError:
            pass

    def test_an_export_restores_what_was_captured(self):
        chance = random.Random(SEED)
        items = [each for number in range(20) for each in self.random_trace(chance, number)]
        chance.shuffle(items)
        for place in range(0, len(items), 5):
            send(self.server, items[place:place + 5])
        wanted = self.graph(self.server)
        with tempfile.TemporaryDirectory() as folder:
            exported = whence("export", "--url", self.server.url, "--format", "jsonl", "--output", folder + "/all.jsonl")
            imported = whence("import", "--db", folder + "/db", folder + "/all.jsonl")
            self.assertEqual((exported.returncode, imported.returncode), (0, 0), exported.stderr + imported.stderr)
            with Server(folder + "/db") as restored:
                self.assertEqual(self.graph(restored), wanted)

    def random_trace(self, chance, number):
        """Retrievals, tools, calls (some wrapped by one that repeats the answer), messages as logs, links, ratings."""
        trace, items = trace_id(number), [agent(trace_id(number), 0, 0, 60)]
        for place in range(1, chance.randint(2, 9)):
            start = chance.randint(0, 50)
            end = start + chance.randint(0, 5)
            parent = span_id(chance.randint(0, place - 1))
            kind = chance.choice(("chat", "chat", "wrapped", "logged", "tool", "retrieval"))
            if chance.random() < 0.1:
                items.append(span(trace, span_id(place + 200), "embed", START + start * SECOND, START + end * SECOND,
                                  {"openinference.span.kind": "EMBEDDING", "embedding.model_name": "m",
                                   "embedding.embeddings.0.embedding.text": "what is it",
                                   "embedding.embeddings.0.embedding.vector": [0.5, 1.0]}, parent))
            if kind == "tool":
                items.append(tool(trace, place, start, end, "t", f"result {chance.randint(0, 3)}", parent))
            elif kind == "retrieval":
                documents = [(f"d{chance.randint(0, 3)}", f"text {chance.randint(0, 3)}", chance.choice((None, 0.5)))
                             for _ in range(chance.randint(0, 3))]
                items.append(retrieval(trace, place, start, end, "what is it", documents, parent))
            elif kind == "logged":
                items.append(chat(trace, place, start, end, None, None, parent))
                at = START + start * SECOND
                items.append(log(trace, span_id(place), "gen_ai.user.message", at, body={"content": f"q{chance.randint(0, 3)}"}))
                items.append(log(trace, span_id(place), "gen_ai.system.message", at - 1, body={"content": "be kind"}))
                items.append(log(trace, span_id(place), "gen_ai.choice", at + 1, body={"message": {"content": "so"}}))
            else:
                links = [(trace_id(chance.randint(0, 5)), span_id(chance.randint(0, 9)))] if chance.random() < 0.3 else []
                links = [each for each in links if each != (trace, span_id(place))]
                name = chance.choice(("", "", f"resp {chance.randint(0, TRACES // 3)}"))
                items.append(chat(trace, place, start, end, f"q{chance.randint(0, 3)}", f"a{place}", parent, links=links))
                if name:
                    items[-1]["attributes"]["gen_ai.response.id"] = name
                    by_span = chance.random() < 0.5
                    items.append(log(trace if by_span else "", span_id(place) if by_span else "", "gen_ai.evaluation.result",
                                     START + 70 * SECOND, {"gen_ai.response.id": name,
                                                           "gen_ai.evaluation.score.value": chance.choice((0.5, -0.5, 1))}))
                if kind == "wrapped":
                    items.append(chat(trace, place + 100, start, end, f"inner q{place}", f"a{place}", span_id(place)))
                    items.append(log(trace, span_id(place), "gen_ai.evaluation.result", START + 70 * SECOND,
                                     {"gen_ai.evaluation.score.value": chance.choice((-1, 0.25, 7))}))
        return items

    def test_a_messages_time_is_the_earliest_of_the_responses_that_have_it(self):
        """The call around another that repeats its answer is no response: when it began is nothing, whichever came first."""
        for number, order in enumerate(itertools.permutations(range(3))):
            one, other = trace_id(9000 + 2 * number), trace_id(9001 + 2 * number)
            question = f"which way, {number}"
            parts = [chat(one, 1, 0, 20, question, f"left {number}"), chat(one, 2, 5, 9, question, f"left {number}", span_id(1)),
                     chat(other, 1, 7, 8, question, "right")]
            for place in order:
                send(self.server, [parts[place]])
            rows = self.server.rpc("query", {"cypher": "MATCH (u:ContextUnit {content: $q})-[:PROMPTED]->(r) RETURN toString(u.timestamp), r.ref ORDER BY r.ref",
                                             "params": {"q": question}})["rows"]
            self.assertEqual(rows, [["2023-11-14T22:13:25Z", response(one, 2)], ["2023-11-14T22:13:25Z", response(other, 1)]], order)

    def test_a_message_that_went_with_one_response_is_a_cause_of_the_next(self):
        """A response that another turns out to repeat takes its message along; the answer said once more, renewed, has the message."""
        outer = chat(T, 3, 34, 60, None, None, span_id(2))
        inner = chat(T, 6, 47, 50, None, None, span_id(3))
        logs = {each: [log(T, span_id(each), "gen_ai.system.message", START + at * SECOND, body={"content": "be kind"}),
                       log(T, span_id(each), "gen_ai.choice", START + at * SECOND + 1, body={"message": {"content": "so"}})]
                for each, at in ((3, 34), (6, 47))}
        for part in ([retrieval(T, 2, 4, 4, "what is it", [("d3", "text 0", None)], span_id(1)), outer], logs[3], [inner], logs[6]):
            send(self.server, part)
        unit = self.server.rpc("query", {"cypher": "MATCH (u:ContextUnit {content: 'be kind'}) RETURN u.ref"})["rows"][0][0]
        self.assertEqual(self.record(response(T, 6))["prompt_refs"], [unit])

    def test_a_link_to_a_tool_that_tells_again_leads_to_the_one_around_it(self):
        for began, inner in ((1, 5), (30, 5), (1, 40)):  # before the call that links it, or after
            found = set()
            for number, order in enumerate(itertools.permutations(range(4))):
                one, other = (trace_id(100_000 * inner + 2000 * began + 2 * number + each) for each in range(2))
                parts = [[agent(one, 0, 0, 60)], [tool(one, 1, began, 52, "t", "the result", span_id(0))],
                         [tool(one, 2, inner, inner + 2, "t", "the result", span_id(1))],
                         [agent(other, 0, 0, 60), chat(other, 1, 20, 24, "q", "a", span_id(0), links=[(one, span_id(2))])]]
                for place in order:
                    send(self.server, parts[place])
                units = [f"ContextUnit:cu_{one}_{span_id(place)}" for place in (1, 2)]
                rows = self.server.rpc("query", {"cypher": "MATCH (u:ContextUnit) RETURN u.ref", "limit": 10000})["rows"]
                causes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{other}_{span_id(1)}", "depth": 1})["nodes"]
                found.add((tuple([ref] in rows for ref in units), tuple(units.index(each["ref"]) for each in causes if each["ref"] in units)))
            self.assertEqual(found, {((True, False), (0,) if began == 1 else ())})

    def test_a_link_leads_to_the_outermost_of_tools_within_tools(self):
        """Each of three spans tells the same; only the outermost began before the call that links the innermost."""
        found = set()
        for number, order in enumerate(itertools.permutations(range(4))):
            one, other = trace_id(2 * number), trace_id(2 * number + 1)
            parts = [tool(one, 1, 1, 52, "t", "the result"), tool(one, 2, 30, 50, "t", "the result", span_id(1)), tool(one, 3, 31, 49, "t", "the result", span_id(2)),
                     chat(other, 1, 20, 24, "q", "a", links=[(one, span_id(3))])]
            for place in order:
                send(self.server, [parts[place]])
            causes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{other}_{span_id(1)}", "depth": 1})["nodes"]
            found.add(tuple(each["ref"] == f"ContextUnit:cu_{one}_{span_id(1)}" for each in causes if one in each["ref"]))
        self.assertEqual(found, {(True,)})

    def test_order_repetition_and_division_change_nothing(self):
        chance = random.Random(SEED)
        items = [each for number in range(TRACES) for each in self.random_trace(chance, number)]
        for status, _, _ in send(self.server, items, "protobuf"):
            self.assertEqual(status, 200)
        wanted = self.graph(self.server)
        self.assertGreater(len(wanted[0]), 100)
        for round_ in range(3):
            with self.subTest(seed=SEED, round=round_), Server(twin_store(self.db + str(round_))) as other:
                shuffled = items + chance.sample(items, len(items) // 3)
                chance.shuffle(shuffled)
                while shuffled:
                    part, again = [], []  # what is sent again comes in another request
                    for each in shuffled[:chance.randint(1, 20)]:
                        (again if each in part else part).append(each)
                    for status, _, body in send(other, part, chance.choice(("json", "protobuf"))):
                        self.assertEqual((status, body in (b"", b"{}")), (200, True), body)
                    shuffled = again + shuffled[len(part) + len(again):]
                nodes, edges = self.graph(other)
                for ref in sorted(set(nodes) | set(wanted[0])):
                    self.assertEqual(nodes.get(ref), wanted[0].get(ref), ref)
                self.assertEqual(edges - wanted[1], set())
                self.assertEqual(wanted[1] - edges, set())
                self.assertTrue(other.rpc("admin.verify", {})["ok"])

    def test_a_link_to_a_call_that_another_one_stands_for_leads_to_that(self):
        """A client's own span without an answer is the call around it, which comes last, or before."""
        found = set()
        for number, order in enumerate(itertools.permutations(range(4))):
            one, other = trace_id(2 * number), trace_id(2 * number + 1)
            parts = [chat(one, 2, 1, 12, "q3", "a1"), chat(one, 5, 2, 11, None, None, span_id(2)), chat(one, 6, 3, 4, "q1", "a5", span_id(5)),
                     chat(other, 1, 43, 44, "q2", "a9", links=[(one, span_id(5))])]
            for place in order:
                send(self.server, [parts[place]])
            causes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{other}_{span_id(1)}", "depth": 1})["nodes"]
            found.add(tuple(each["ref"] == f"Response:resp_{one}_{span_id(2)}" for each in causes if one in each["ref"]))
        self.assertEqual(found, {(True,)})


if __name__ == "__main__":
    unittest.main()
