"""Claim: what Langfuse and Phoenix export becomes responses with what caused them, whatever the shape of the export.

Method: one trace (a retrieval, a tool, the answer made from both, a score) is written in each shape that these programs have, by hand
after their documented fields, and imported; the records and causes are the same for each shape. Broken documents are refused with
their line and leave what came before them.
"""
import datetime
import json
import unittest

from support.program import twin_store, whence
from support.wire_case import FreshServerCase

TRACE = "0af7651916cd43dd8448eb211c80319c"
IDS = {"chain": "1111111111111111", "find": "2222222222222222", "clock": "3333333333333333", "answer": "4444444444444444"}
RESPONSE = f"Response:resp_{TRACE}_{IDS['answer']}"
QUESTION = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How long?"}]


def at(second, zone="Z"):
    return f"2026-03-01T00:00:{second:02d}.000{zone}"


def observations():
    common = {"traceId": TRACE, "metadata": None}
    return [{"id": IDS["chain"], "type": "SPAN", "name": "shop", "startTime": at(0), "endTime": at(9), **common},
            {"id": IDS["find"], "type": "RETRIEVER", "name": "find", "startTime": at(1), "endTime": at(2), "parentObservationId": IDS["chain"],
             "input": {"query": "How long are returns free?"},
             "output": [{"pageContent": "30 days.", "metadata": {"source": "faq.md"}, "score": 0.75}], **common},
            {"id": IDS["clock"], "type": "TOOL", "name": "clock", "startTime": at(2), "endTime": at(3), "parentObservationId": IDS["chain"],
             "input": "{}", "output": "Monday", **common},
            {"id": IDS["answer"], "type": "GENERATION", "name": "chat", "startTime": at(4), "endTime": at(6), "model": "gpt-4",
             "parentObservationId": IDS["chain"], "input": QUESTION, "output": {"role": "assistant", "content": "30 days."},
             "usageDetails": {"input": 12, "output": 3, "total": 15}, "calculatedTotalCost": 0.01, **common}]


def observations_of_a_tool_call():
    """With the turn of the model that calls the tool: no content, and a call."""
    spans = observations()
    spans[3]["input"] = [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"topic":"returns"}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "30 days."}]
    return spans


def scores():
    return [{"id": "s1", "traceId": TRACE, "observationId": IDS["answer"], "name": "helpful", "value": 1, "comment": "yes", "timestamp": at(8)},
            {"id": "s2", "traceId": TRACE, "name": "overall", "value": 1, "timestamp": at(8)}]


def snake(observation):
    """As the export of a whole project writes it: other names, and values as JSON text."""
    names = {"traceId": "trace_id", "startTime": "start_time", "endTime": "end_time", "model": "provided_model_name",
             "parentObservationId": "parent_observation_id", "usageDetails": "usage_details", "calculatedTotalCost": "total_cost"}
    found = {names.get(key, key): value for key, value in observation.items()}
    for key in ("input", "output", "usage_details"):
        if key in found and not isinstance(found[key], str):
            found[key] = json.dumps(found[key])
    return {**found, "start_time": found["start_time"].replace("T", " ").rstrip("Z"), "end_time": found["end_time"].replace("T", " ").rstrip("Z")}


def attributes(observation):
    """The same by OpenInference, nested as Phoenix keeps it."""
    kind = {"SPAN": "CHAIN", "GENERATION": "LLM"}.get(observation["type"], observation["type"])
    nested = {"openinference": {"span": {"kind": kind}}}
    if kind == "RETRIEVER":
        nested["input"] = {"value": observation["input"]["query"]}
        nested["retrieval"] = {"documents": [{"document": {"content": "30 days.", "score": 0.75, "metadata": {"source": "faq.md"}}}]}
    if kind == "TOOL":
        nested.update({"tool": {"name": "clock"}, "input": {"value": "{}"}, "output": {"value": "Monday"}})
    if kind == "LLM":
        nested["llm"] = {"model_name": "gpt-4", "token_count": {"prompt": 12, "completion": 3}, "cost": {"total": 0.01},
                         "input_messages": [{"message": each} for each in QUESTION],
                         "output_messages": [{"message": {"role": "assistant", "content": "30 days."}}]}
    return nested


def epoch_ms(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def phoenix(form):
    for each in observations():
        nested = attributes(each)
        if form == "rest":
            yield {"name": each["name"], "span_kind": "UNKNOWN", "context": {"trace_id": TRACE, "span_id": each["id"]},
                   "parent_id": each.get("parentObservationId"), "start_time": each["startTime"], "end_time": each["endTime"], "attributes": nested}
        else:  # a data frame: one column for each leaf or list, of all spans
            flat = {}

            def leaves(name, value):
                if isinstance(value, dict) and not name.endswith("metadata"):
                    for key, inner in value.items():
                        leaves(name + "." + key, inner)
                else:
                    flat[name] = value
            leaves("attributes", nested)
            if "attributes.retrieval.documents" in flat:
                flat["attributes.retrieval.documents"] = [{"document." + key: value for key, value in d["document"].items()}
                                                          for d in flat["attributes.retrieval.documents"]]
            yield {"name": each["name"], "span_kind": nested["openinference"]["span"]["kind"], "context.trace_id": TRACE, "context.span_id": each["id"],
                   "parent_id": each.get("parentObservationId"), "start_time": epoch_ms(each["startTime"]), "end_time": epoch_ms(each["endTime"]),
                   "attributes.llm.prompts": None, **flat}


class KeptTest(FreshServerCase):
    def take(self, form, text, told, exit_code=0):
        local = twin_store(self.db + "-" + str(len(self.stores)))
        self.stores.append(local)
        for more in (("--dry-run",), ()):
            done = whence("import", "-", "--format", form, "--db", local, *more, stdin=text)
            self.assertEqual((done.returncode, done.stderr), (exit_code, told.replace("imported", "checked") if more else told))
        return lambda method, params: json.loads(whence("rpc", method, json.dumps(params), "--db", local).stdout)

    def setUp(self):
        super().setUp()
        self.stores = []

    def seen(self, rpc, ratings):
        record = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
        causes = {n["ref"] for n in rpc("lineage.ancestors", {"ref": RESPONSE})["nodes"]}
        self.assertEqual(rpc("node.count", {"type": "FeedbackRecord"})["count"], ratings)
        return {**{key: record.get(key) for key in ("content", "prompt", "model", "usage", "latency_ms", "cost", "timestamp")}, "causes": causes}

    def test_every_shape_is_one_graph(self):
        spans = observations()
        download = {"trace": {"id": TRACE, "name": "t"}, "observations": spans, "scores": scores()}
        api = {"id": TRACE, "name": "t", "observations": spans, "scores": scores()}
        whole = "imported 5 spans, 2 ratings\n"  # the trace is a span, and its score is a rating
        plain = "imported 4 spans, 0 ratings\n"
        wanted = None
        for form, text, told in (("langfuse-export", json.dumps(download, indent=1), whole), ("langfuse-export", json.dumps(api), whole),
                                 ("langfuse-export", "\n".join(json.dumps(each) for each in spans), plain),
                                 ("langfuse-export", "\n".join(json.dumps(snake(each)) for each in reversed(spans)), plain),
                                 ("langfuse-export", json.dumps({"data": spans, "meta": {}}), plain),
                                 ("phoenix-jsonl", "\n".join(json.dumps(each) for each in phoenix("rest")), plain),
                                 ("phoenix-jsonl", json.dumps({"data": list(phoenix("rest"))}), plain),
                                 ("phoenix-jsonl", "\n".join(json.dumps(each) for each in phoenix("frame")), plain)):
            with self.subTest(form=form, text=text[:60]):
                seen = self.seen(self.take(form, text, told), 2 if told == whole else 0)
                wanted = wanted or seen
                self.assertEqual(seen, wanted)
        self.assertEqual((wanted["content"], wanted["model"], wanted["usage"], wanted["latency_ms"], wanted["cost"]),
                         ("30 days.", "gpt-4", {"input_tokens": 12, "output_tokens": 3}, 2000, 0.01))
        self.assertIn("Document:faq.md", wanted["causes"])
        self.assertIn(f"ContextUnit:cu_{TRACE}_{IDS['clock']}", wanted["causes"])

    def test_several_traces_each_with_what_is_in_it(self):
        whole = [{"id": trace, "name": "t", "timestamp": at(0), "scores": [{**each, "traceId": trace} for each in scores()],
                  "observations": [{**each, "traceId": trace} for each in observations()]} for trace in (TRACE, "1" * 32)]
        for text in (json.dumps(whole), json.dumps({"data": whole, "meta": {"page": 1}}), "\n".join(map(json.dumps, whole))):
            rpc = self.take("langfuse-export", text, "imported 10 spans, 4 ratings\n")
            self.assertEqual(rpc("node.count", {"type": "Response"})["count"], 2)
            self.seen(rpc, 4)
        listed = [{**each, "observations": [IDS["answer"]], "scores": ["s1"]} for each in whole]  # by their ids alone
        rpc = self.take("langfuse-export", json.dumps(listed), "imported 2 spans, 0 ratings\n")
        rpc = self.take("langfuse-export", json.dumps(listed[0]), "imported 1 span, 0 ratings\n")

    def test_the_blob_export_in_any_order_of_its_files(self):
        """Categories and texts have no number, whatever `value` says; sessions and users are those of the trace."""
        common = {"project_id": "p", "environment": "production"}
        observations = "\n".join(json.dumps({**snake(each), **common, "level": "DEFAULT", "prompt_name": "faq"}) for each in observations_of_a_tool_call())
        trace = {"id": TRACE, "timestamp": "2026-03-01 00:00:00.000000", "name": "shop", "user_id": "ann", "session_id": "s-1", "input": None,
                 "output": "30 days.", "tags": ["faq"], **common}
        score = {"trace_id": TRACE, "observation_id": IDS["answer"], "timestamp": "2026-03-01 00:00:08.000000", "comment": None, **common}
        scores = [{**score, "id": "1", "name": "tone", "value": 0, "string_value": "friendly", "data_type": "CATEGORICAL"},
                  {**score, "id": "2", "name": "helpful", "value": 1, "string_value": "True", "data_type": "BOOLEAN"},
                  {**score, "id": "3", "name": "right", "value": 0.25, "string_value": None, "data_type": "NUMERIC", "comment": "partly"},
                  {**score, "id": "4", "name": "remark", "value": 0, "string_value": "Too short.", "data_type": "TEXT"},
                  {**score, "id": "5", "name": "overall", "value": 0.5, "data_type": "NUMERIC", "observation_id": None},
                  {**score, "id": "6", "name": "session", "value": 1, "data_type": "NUMERIC", "observation_id": None, "trace_id": None, "session_id": "s-1"}]
        files = {"observations": observations, "traces": json.dumps(trace), "scores": "\n".join(map(json.dumps, scores))}
        wanted = None
        for order in (["observations", "traces", "scores"], ["scores", "traces", "observations"], ["traces", "observations", "scores"]):
            with self.subTest(order=order):
                db = self.db + "-blob-" + order[0]
                for name in order:
                    done = whence("import", "-", "--format", "langfuse-export", "--db", db, stdin=files[name])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if name == "scores":
                        self.assertEqual(done.stderr, "imported 0 spans, 5 ratings, 1 of no trace left out\n")
                rpc = lambda method, params: json.loads(whence("rpc", method, json.dumps(params), "--db", db).stdout)
                record = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
                self.assertEqual((record.get("person"), record.get("conversation")), ("ann", "s-1"))
                self.assertEqual(record["attributes"]["langfuse.prompt_name"], "faq")
                self.assertEqual(record["content"], "30 days.")
                for word in ("How long?", "look_up", "returns"):
                    self.assertIn(word, record["prompt"])
                self.assertNotIn("null", record["prompt"])
                given = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
                seen = sorted(((each["attributes"].get("gen_ai.evaluation.name") or each["attributes"].get("name", ""), each.get("score"),
                               each["attributes"].get("label", ""), each.get("feedback_text", "")) for each in given), key=str)
                wanted = wanted or seen
                self.assertEqual(seen, wanted)
                self.assertEqual(len(seen), 5)
        self.assertEqual({score for _, score, _, _ in wanted}, {None, 0.25, 0.5, 1})  # labels alone have none
        self.assertTrue({"friendly", "True"} <= {label for _, _, label, _ in wanted}, wanted)
        self.assertTrue(any("Too short." in text for *_, text in wanted), wanted)

    def test_annotations_of_phoenix(self):
        spans = [json.dumps(each) for each in phoenix("rest")]
        annotations = [
            {"id": "a1", "span_id": IDS["answer"], "name": "right", "annotator_kind": "HUMAN", "result": {"label": "correct", "score": 0.5, "explanation": "as the FAQ"},
             "created_at": at(8), "metadata": {}, "identifier": ""},
            {"span_id": IDS["answer"], "annotation_name": "tone", "annotator_kind": "LLM", "result.label": "friendly", "result.score": None, "result.explanation": None},
            {"span_id": "9" * 16, "name": "lost", "annotator_kind": "CODE", "result": {"score": 1}},
            {"name": "of nothing", "annotator_kind": "CODE", "result": {"score": 1}}]
        told = "imported 4 spans, 2 ratings, 1 of no trace left out, 1 left out whose span is not in the file before them\n"
        rpc = self.take("phoenix-jsonl", "\n".join(spans + [json.dumps({"data": annotations})]), told)
        given = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
        self.assertEqual({(each.get("score"), each["attributes"].get("label")) for each in given}, {(None, "friendly"), (0.5, "correct")})
        self.assertEqual({each["response_id"] for each in given}, {RESPONSE.split(":", 1)[1]})

    def test_annotations_of_phoenix_as_older_clients_write_them(self):
        """A row of a data frame of evaluations has no kind of annotator."""
        notes = [{"context.span_id": IDS["answer"], "label": "correct", "score": 1, "explanation": "as the FAQ"}, {"span_id": IDS["answer"], "name": "tone", "score": 0.5}]
        rpc = self.take("phoenix-jsonl", "\n".join(map(json.dumps, [*phoenix("rest"), *notes])), "imported 4 spans, 2 ratings\n")
        given = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
        self.assertEqual({(each["score"], each["attributes"].get("label") or None) for each in given}, {(1, "correct"), (0.5, None)})

    def test_a_number_that_is_a_text_is_no_label(self):
        score = {"id": "s1", "traceId": TRACE, "observationId": IDS["answer"], "name": "right", "value": "0.75", "dataType": "NUMERIC", "timestamp": at(8)}
        rpc = self.take("langfuse-export", "\n".join(map(json.dumps, [*observations(), score])), "imported 4 spans, 1 rating\n")
        given = rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((given["score"], given["attributes"].get("label") or None), (0.75, None))

    def test_ratings_of_several_and_of_a_trace(self):
        """Who rated is kept, and makes two of what two say alike; the case of an export's names does not."""
        score = {"traceId": TRACE, "observationId": IDS["answer"], "name": "right", "value": 1, "dataType": "NUMERIC", "source": "ANNOTATION", "timestamp": at(8)}
        given = [{**score, "id": "s1", "authorUserId": "ann"}, {**score, "id": "s2", "authorUserId": "bob"}]
        older = [{"trace_id": TRACE, "observation_id": IDS["answer"], "data_type": "NUMERIC", "author_user_id": each["authorUserId"], "timestamp": at(8).replace("T", " ").rstrip("Z"),
                  **{name: each[name] for name in ("id", "name", "value", "source")}} for each in given]
        rpc = self.take("langfuse-export", "\n".join(map(json.dumps, [*observations(), *given, *older])), "imported 4 spans, 4 ratings\n")
        made = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
        self.assertEqual(sorted((each["attributes"]["langfuse.id"], each["attributes"]["langfuse.authorUserId"], each["attributes"]["langfuse.source"]) for each in made),
                         [("s1", "ann", "ANNOTATION"), ("s2", "bob", "ANNOTATION")])
        note = {"span_id": IDS["answer"], "name": "right", "result": {"label": "good", "score": 1}, "created_at": at(8)}
        notes = [{**note, "id": "a1", "annotator_kind": "HUMAN"}, {**note, "id": "a2", "annotator_kind": "LLM"},
                 {"id": "a3", "trace_id": TRACE, "annotator_kind": "HUMAN", "name": "whole", "result": {"score": 0.5}}, {"trace_id": "9" * 32, "annotator_kind": "HUMAN", "result": {"score": 1}}]
        spans = [{**each, "attributes": {**each["attributes"], "output": {"value": "30 days."}}} if each["context"]["span_id"] == IDS["chain"] else each for each in phoenix("rest")]
        rpc = self.take("phoenix-jsonl", "\n".join(map(json.dumps, spans + notes)),
                        "imported 4 spans, 3 ratings, 1 left out whose span is not in the file before them\n")
        made = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
        self.assertEqual(sorted((each["attributes"]["phoenix.id"], each["attributes"]["phoenix.annotator_kind"], each["score"]) for each in made),
                         [("a1", "HUMAN", 1), ("a2", "LLM", 1), ("a3", "HUMAN", 0.5)])
        self.assertEqual({each["response_id"] for each in made}, {RESPONSE.split(":", 1)[1]})

    def test_scores_in_a_trace_without_observations_are_ratings(self):
        trace = {"id": "t1", "timestamp": "2026-01-01T00:00:00Z", "output": "yes", "scores": [{"id": "s1", "name": "q", "value": 1}, "s2"]}
        for more in ({}, {"observations": []}, {"observations": ["o1"]}):
            with self.subTest(more):
                self.take("langfuse-export", json.dumps({**trace, **more}), "imported 1 span, 1 rating\n")

    def test_counts_and_costs_in_any_shape(self):
        bare = [{name: value for name, value in each.items() if name not in ("usageDetails", "calculatedTotalCost")} for each in observations()]
        usage = {"input_tokens": 3, "output_tokens": 4}
        for more, wanted, kept in (
                ({"usageDetails": {"input": 3, "output": 4}, "costDetails": {"input": 0.01, "output": 0.01, "total": 0.02}}, (usage, 0.02), {}),
                ({"usageDetails": {"input": 3, "input_cached_tokens": 2, "output": 4, "total": 9}}, (usage, None), {"langfuse.usageDetails": '{"input_cached_tokens":2}'}),
                ({"usage": {"promptTokens": 3, "completionTokens": 4, "totalCost": 0.02, "unit": "TOKENS"}}, (usage, 0.02), {}),
                ({"prompt_tokens": 3, "completion_tokens": 4, "total_cost": 0.02}, (usage, 0.02), {}), ({"promptTokens": 3, "completionTokens": 4}, (usage, None), {}),
                ({"usageDetails": {"input": 3, "output": 4}, "promptTokens": 0, "completionTokens": 0}, (usage, None), {}),
                ({"providedModelName": "gpt-4-0613"}, (None, None), {"langfuse.providedModelName": "gpt-4-0613"})):
            with self.subTest(more):
                rpc = self.take("langfuse-export", json.dumps([{**each, **more} if each["type"] == "GENERATION" else each for each in bare]), "imported 4 spans, 0 ratings\n")
                made = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
                self.assertEqual((made.get("usage"), made.get("cost"), made["model"]), (*wanted, "gpt-4"))
                self.assertLessEqual(kept.items(), made["attributes"].items())

    def test_documents_of_a_retriever_in_any_shape(self):
        for name, output, wanted in (
                ("a source at the top", [{"text": "Fact.", "source": "f.md", "score": 0.5}], ("Fact.", "f.md")),
                ("an address in an object", {"results": [{"content": "Fact.", "url": "https://e.org/f", "score": 0.5}]}, ("Fact.", "https://e.org/f")),
                ("a node of LlamaIndex", [{"node": {"id_": "n1", "text": "Fact.", "metadata": {"file_path": "/f.md"}}, "score": 0.5}], ("Fact.", "/f.md")),
                ("a pair of LangChain", [[{"page_content": "Fact.", "metadata": {"source": "f.md"}}, 0.5]], ("Fact.", "f.md")),
                ("JSON in a text", json.dumps([{"pageContent": "Fact.", "id": "7", "score": 0.5}]), ("Fact.", "7")),
                ("without a source", [{"content": "Fact.", "score": 0.5}], ("Fact.", "unknown")), ("texts", ["Fact."], ("Fact.", "unknown"))):
            with self.subTest(name):
                spans = [{**each, "output": output} if each["type"] == "RETRIEVER" else each for each in observations()]
                rpc = self.take("langfuse-export", json.dumps(spans), "imported 4 spans, 0 ratings\n")
                made = [node["record"] for node in rpc("node.find", {"type": "RetrievedChunk", "include": ["record"]})["nodes"]]
                self.assertEqual([(each["content"], each["metadata"]["document_name"]) for each in made], [wanted])
                query = rpc("node.find", {"type": "Query", "include": ["record"]})["nodes"][0]["record"]
                self.assertEqual(query["attributes"].get("scores"), None if name == "texts" else [0.5])

    def test_a_document_without_text_costs_itself(self):
        for name, output, wanted in (("of LangChain", [{"pageContent": "A text", "metadata": {}}, {"pageContent": "", "metadata": {}}], ["A text"]),
                                     ("texts", ["", "A text", "Another"], ["A text", "Another"]), ("none has any", [{"pageContent": ""}, ""], []),
                                     ("no document", [{"content": "A text"}, None, 7, {"note": "none"}], ["A text"]),
                                     ("some within", [{"content": "A text"}, {"hit": {"text": "Another", "source": "f.md"}}], ["A text", "Another"]),
                                     ("beside a text of all", ["All: A text", [{"page_content": "A text", "metadata": {"source": "f.md"}}]], ["A text"])):
            with self.subTest(name):
                spans = [{**each, "output": output} if each["type"] == "RETRIEVER" else each for each in observations()]
                rpc = self.take("langfuse-export", json.dumps(spans), "imported 4 spans, 0 ratings\n")
                made = [node["record"]["content"] for node in rpc("node.find", {"type": "RetrievedChunk", "include": ["record"]})["nodes"]]
                self.assertEqual(sorted(made), wanted)

    def test_ids_of_other_kinds_are_kept_apart(self):
        spans = [{**each, "traceId": "my trace", "id": "step " + each["id"],
                  **({"parentObservationId": "step " + each["parentObservationId"]} if "parentObservationId" in each else {})}
                 for each in observations()]
        rpc = self.take("langfuse-export", json.dumps(spans), "imported 4 spans, 0 ratings\n")
        found = rpc("node.find", {"type": "Response"})["nodes"]
        self.assertEqual(len(found), 1)
        self.assertIn("Document:faq.md", {n["ref"] for n in rpc("lineage.ancestors", {"ref": found[0]["ref"]})["nodes"]})

    def test_a_score_of_a_trace_that_only_its_observations_name(self):
        """Rows of the newer blob export say what their trace is, and there is no file of traces."""
        rows = [{**snake(each), "trace_name": "shop", "user_id": "ann", "session_id": "s-1", **({"output": "30 days."} if each["type"] == "SPAN" else {})}
                for each in observations_of_a_tool_call()]
        score = {"id": "1", "name": "overall", "trace_id": TRACE, "observation_id": None, "timestamp": "2026-03-01 00:00:08.000000", "value": 0.75, "data_type": "NUMERIC"}
        empty = [{"parent_observation_id": "", "prompt_id": "", **each} for each in rows]  # of columns that have no null
        unsaid = {"observation_id": "", "session_id": "", "string_value": ""}
        for order, told in ((rows + [score], "5 spans, 1 rating"), ([score] + rows[::-1], "5 spans, 1 rating"), (empty + [{**score, **unsaid}], "5 spans, 1 rating"),
                            (rows + rows + [score, score], "9 spans, 2 ratings")):
            rpc = self.take("langfuse-export", "\n".join(map(json.dumps, order)), f"imported {told}\n")  # the trace is a span, once
            given = [node["record"] for node in rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"]]
            self.assertEqual([(each["response_id"], each["score"]) for each in given], [(RESPONSE.split(":", 1)[1], 0.75)])
            record = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual((record["person"], record["conversation"]), ("ann", "s-1"))

    def test_a_bad_row_costs_itself(self):
        """Of lines and of lists, in front, between and last."""
        good, spans = observations()[3], list(phoenix("rest"))
        second = {**good, "id": "5" * 16, "output": {"role": "assistant", "content": "Yes."}}
        other = {**spans[3], "context": {"trace_id": TRACE, "span_id": "5" * 16}}
        for form, rows, bad, why in (("langfuse-export", (good, second), {**good, "id": "6" * 16, "startTime": None}, "an observation needs a startTime"),
                                     ("phoenix-jsonl", (spans[3], other), {**other, "start_time": None}, "a span needs a start_time")):
            for place in range(3):
                listed = [*rows[:place], bad, *rows[place:]]
                lines = "\n".join(map(json.dumps, listed))
                for text, told in ((lines, f"line {place + 1}: {why}\n"), (json.dumps(listed), f"line 1: {why} (item {place + 1} of a list)\n"),
                                   (json.dumps({"data": listed}, indent=1), f"line 1: {why} (item {place + 1} of a list)\n"),
                                   (lines.replace(json.dumps(bad), "[1,"), f"line {place + 1}: ill-formed JSON: incomplete JSON\n")):
                    with self.subTest(form=form, text=text[:40], place=place):
                        rpc = self.take(form, text, told + "imported 2 spans, 0 ratings, 1 refused\n", exit_code=4)
                        self.assertEqual(rpc("node.count", {"type": "Response"})["count"], 2)
        done = whence("import", "-", "--format", "langfuse-export", "--dry-run", "--json", "--db", self.db + "-none", stdin=json.dumps(good) + "\n7")
        self.assertEqual((done.returncode, json.loads(done.stdout)["refused"]), (4, 1))

    def test_agents_and_errors(self):
        """The agent of a call is the AGENT observation around it; why a call failed is what the level, the status or an exception says."""
        agent = [{**each, **({"type": "AGENT", "name": "helper"} if each["type"] == "SPAN" else {}), **({"level": "ERROR", "statusMessage": "Rate limit"} if each["type"] == "GENERATION" else {})}
                 for each in observations()]
        rpc = self.take("langfuse-export", json.dumps(agent), "imported 4 spans, 0 ratings\n")
        record = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["agent"], record["attributes"]["otel.status_code"], record["attributes"]["otel.status_description"]), ("helper", "ERROR", "Rate limit"))
        exception = {"name": "exception", "timestamp": at(5), "attributes": {"exception.type": "RateLimit", "exception.message": "slow down"}}
        nested = {**exception, "attributes": {"exception": {"type": "RateLimit", "message": "slow down"}}}
        for events, status, why in (([exception], {"status_code": "ERROR", "status_message": ""}, "slow down"), ([{"name": "x"}, nested], {"status_code": "ERROR"}, "slow down"),
                                    (json.dumps([exception]), {"status_code": "ERROR"}, "slow down"), ([exception], {"status_code": "ERROR", "status_message": "too fast"}, "too fast")):
            spans = [{**each, "events": events, **status} if each["context"]["span_id"] == IDS["answer"] else each for each in phoenix("rest")]
            rpc = self.take("phoenix-jsonl", "\n".join(map(json.dumps, spans)), "imported 4 spans, 0 ratings\n")
            kept = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]["attributes"]
            self.assertEqual((kept["otel.status_code"], kept["otel.status_description"], kept["exception.type"]), ("ERROR", why, "RateLimit"))

    def test_messages_in_events_of_phoenix(self):
        events = [{"name": "gen_ai.user.message", "timestamp": at(4), "attributes": {"content": "How long?"}},
                  {"name": "gen_ai.choice", "timestamp": at(6), "attributes": {"message": '{"content":"30 days."}'}}, {"name": "retry", "timestamp": at(5), "attributes": {"count": 1}}]
        flat = [{"name": each["name"], "timestamp": each["timestamp"], **{f"attributes.{name}": value for name, value in each["attributes"].items()}} for each in events]
        for given in (events, json.dumps(events), flat):
            spans = [{**each, "events": given, "attributes": {"llm": {"model_name": "m"}}, "span_kind": "LLM"} for each in phoenix("rest") if each["context"]["span_id"] == IDS["answer"]]
            rpc = self.take("phoenix-jsonl", json.dumps(spans), "imported 1 span, 0 ratings\n")
            made = rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual((made["prompt"], made["content"]), ("How long?", "30 days."))

    def test_moments_as_numbers_are_exact(self):
        """Milliseconds whose product with a million binary64 rounds, whole and with a fraction."""
        for number, text in ((1767225601123, "2026-01-01T00:00:01.123Z"), (1767225601123.456, "2026-01-01T00:00:01.123456Z"), (1767225601123.0, "2026-01-01T00:00:01.123Z"),
                             (1767225600001, "2026-01-01T00:00:00.001Z"), (1767225601999.001, "2026-01-01T00:00:01.999001Z")):
            spans = [{**each, "start_time": 1767225600000, "end_time": number} for each in phoenix("frame")]
            rpc = self.take("phoenix-jsonl", json.dumps(spans), "imported 4 spans, 0 ratings\n")
            self.assertEqual(rpc("node.get", {"ref": RESPONSE, "include": ["record"]})["nodes"][0]["record"]["timestamp"], text)

    def test_broken_documents_are_refused_with_their_line(self):
        good = json.dumps(observations()[3])
        for form, text, told in (("langfuse-export", good + '\n{"id":"x"}', "line 2: an observation needs a traceId"),
                                 ("langfuse-export", good + "\n7", "line 2: expected an observation"),
                                 ("langfuse-export", good + '\n{"observations":7}', "line 2: `observations` must be a list"),
                                 ("langfuse-export", good + '\n{"id":"x","traceId":"y","startTime":"soon"}', "line 2: an observation needs a startTime"),
                                 ("langfuse-export", good + "\n[[]]", "line 2: an observation must be an object"),
                                 ("phoenix-jsonl", "{}", "line 1: a span needs a context.trace_id"), ("phoenix-jsonl", "[7]", "line 1: a span must be"),
                                 ("phoenix-jsonl", "nonsense", "line 1: ")):
            with self.subTest(text=text[-40:]):
                local = self.db + "-broken"
                done = whence("import", "-", "--format", form, "--db", local, stdin=text)
                self.assertEqual((done.returncode, told in done.stderr), (4, True), done.stderr)
        found = json.loads(whence("rpc", "node.count", '{"type":"Response"}', "--db", self.db + "-broken").stdout)
        self.assertEqual(found["count"], 1)


if __name__ == "__main__":
    unittest.main()
