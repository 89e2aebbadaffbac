"""Claim: what instrumented programs say is recorded as they said it, and a source is a cause where there is evidence.

Method: spans and log records in the shapes of several conventions are sent to real servers; the right value stands beside each.
"""
import contextlib
import json
import tempfile
import time
import unittest

from support.otlp import log, send, span
from support.program import Server
from support.wire_case import FreshServerCase

START, SECOND = 1_790_000_000_000_000_000, 1_000_000_000
T = "7" * 32


def number(n):
    return f"{n + 1:016x}"


def said(*messages):
    return json.dumps(messages)


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def one(n, begin, end, parent=None, trace=T, events=None, name="s", **attributes):
    made = span(trace, number(n), name, START + begin * SECOND, START + end * SECOND, {k.replace("__", "."): v for k, v in attributes.items()},
                number(parent) if parent is not None else None)
    made["events"] = events or []
    return made


def chat(n, begin, end, given=(), answered=(), parent=None, trace=T, **more):
    attributes = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m"}
    if given:
        attributes["gen_ai__input__messages"] = said(*given)
    if answered:
        attributes["gen_ai__output__messages"] = said(*answered)
    return one(n, begin, end, parent, trace, **{**attributes, **more})


def tool(n, begin, end, parent=None, trace=T, name="clock", **more):
    return one(n, begin, end, parent, trace, **{"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": name, **more})


def retrieval(n, begin, end, documents, parent=None):
    return one(n, begin, end, parent, gen_ai__operation__name="retrieval", gen_ai__retrieval__query__text="what is it",
               gen_ai__retrieval__documents=json.dumps(documents))


class SaidTest(FreshServerCase):
    def take(self, *items):
        for status, _, body in send(self.server, list(items)):
            self.assertEqual((status, body), (200, b"{}"))

    def found(self, type_):
        return [n["record"] for n in self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]]

    def response(self, n, trace=T):
        return self.server.rpc("node.get", {"ref": f"Response:resp_{trace}_{number(n)}", "include": ["record"]})["nodes"][0]["record"]

    def ancestors(self, n, trace=T):
        return {x["ref"] for x in self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{trace}_{number(n)}", "limit": 1000})["nodes"]}

    def test_parts_of_messages(self):
        """Each part with what the prompt has of it, and what it has not."""
        data = "iVBORw0KGgoAAAANSUhEUgAAAAUA"
        parts = [({"type": "uri", "modality": "image", "uri": "https://e.org/a.png"}, "https://e.org/a.png", ""),
                 ({"type": "blob", "modality": "image", "mime_type": "image/png", "content": data}, "[image/png, 21 bytes, base64 sha256 ", data),
                 ({"type": "blob", "modality": "image", "mime_type": None, "content": "data:image/png;base64," + data}, "[image/png, 21 bytes, base64 sha256 ", data),
                 ({"type": "binary", "media_type": "image/png", "content": data}, "[image/png, 21 bytes, base64 sha256 ", data),
                 ({"kind": "binary", "media_type": "image/png", "data": data}, "[image/png, 21 bytes, base64 sha256 ", data),
                 ({"type": "image-url", "url": "https://e.org/b.png"}, "before\n\n[image https://e.org/b.png]\n\nafter", ""),
                 ({"type": "document-url", "url": "https://e.org/b.pdf"}, "before\n\n[file https://e.org/b.pdf]\n\nafter", ""),
                 ({"kind": "audio-url", "url": "https://e.org/b.mp3"}, "before\n\n[audio https://e.org/b.mp3]\n\nafter", ""),
                 ({"type": "image_url", "image_url": {"url": "data:image/gif;base64," + data}}, "[image/gif, 21 bytes, ", data),
                 ({"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}}, "[image/jpeg, 21 bytes, ", data),
                 ({"inlineData": {"mimeType": "image/webp", "data": data}}, "[image/webp, 21 bytes, ", data),
                 ({"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/f.pdf"}}, "gs://b/f.pdf", ""),
                 ({"type": "file", "file": {"file_id": "file-7"}}, "file-7", ""),
                 ({"type": "tool_call", "id": "c", "name": "now"}, '"name":"now"', ""),
                 ({"toolUse": {"toolUseId": "t", "name": "book", "input": {"to": "BLR"}}}, '"to":"BLR"', ""),
                 ({"functionCall": {"name": "f", "args": {"a": 1}}}, '"args":{"a":1}', ""),
                 ({"toolResult": {"toolUseId": "t", "content": [{"text": "Booked."}]}}, "Booked.", "toolUseId"),
                 ({"functionResponse": {"name": "f", "response": {"sky": "rain"}}}, '{"sky":"rain"}', ""),
                 ({"type": "tool_result", "tool_use_id": "t", "content": "as it is"}, "as it is", "tool_use_id"),
                 ({"type": "tool-result", "toolCallId": "t", "output": {"type": "text", "value": "rain"}}, "rain", "toolCallId"),
                 ({"type": "not_yet_invented", "deep": [1, {"x": "y"}]}, '{"type":"not_yet_invented","deep":[1,{"x":"y"}]}', ""),
                 ({"type": "server_tool_call", "name": "web_search", "server_tool_call": {"q": "sky"}}, '"q":"sky"', ""),
                 ({"type": "text", "content": "[1,2]"}, "[1,2]", "")]
        for n, (part, has, lacks) in enumerate(parts):
            with self.subTest(part=part):
                self.take(chat(n, 2 * n, 2 * n + 1, [{"role": "user", "parts": [{"type": "text", "content": "before"}, part, {"type": "text", "content": "after"}]}]))
                prompt = self.response(n)["prompt"]
                self.assertTrue(prompt.startswith("before\n\n") and prompt.endswith("\n\nafter"), prompt)
                self.assertIn(has, prompt)
                if lacks:
                    self.assertNotIn(lacks, prompt)

    def test_a_text_that_is_json_is_a_text(self):
        for n, content in enumerate(('{"town":"Bern","sky":"rain"}', '[{"source":"faq.md#2","text":"a passage"}]', "[1, 2]", "{not json")):
            self.take(chat(n, 2 * n, 2 * n + 1, [{"role": "tool", "content": content}]))
            self.assertEqual(self.response(n)["prompt"], content)

    def test_a_part_without_a_text_says_nothing(self):
        call = {"type": "tool_call", "id": "c", "name": "f", "arguments": {}}
        for n, nothing in enumerate(({"type": "text", "content": None}, {"type": "text", "text": None}, {"type": "text", "content": ""}, {"type": "text"},
                                     {"type": "output_text", "text": None, "annotations": [], "index": 0}, {"type": "refusal", "refusal": None})):
            with self.subTest(part=nothing):
                self.take(chat(n, 2 * n, 2 * n + 1, answered=[{"role": "assistant", "parts": [nothing, call]}]))
                self.assertEqual(json.loads(self.response(n)["content"]), call)

    def test_an_empty_list_and_null_are_no_message(self):
        """Where a convention writes JSON. What a model says as a text may be these."""
        question = {"gen_ai__input__messages": said(text("user", "Why?"))}
        ai = {"ai__operationId": "ai.generateText.doGenerate", "ai__model__id": "m"}
        event = lambda name, **held: [(START, name, {key.replace("__", "."): value for key, value in held.items()})]
        for n, (attributes, events, wanted) in enumerate((
                ({"gen_ai__input__messages": "[]"}, None, (None, None)), ({"gen_ai__output__messages": "[]", **question}, None, ("Why?", None)),
                ({"gen_ai__system_instructions": "[]", **question}, None, ("Why?", None)), ({"gen_ai__input__messages": "null"}, None, (None, None)),
                (question, event("gen_ai.choice", message="[]"), ("Why?", None)),
                ({}, event("gen_ai.client.inference.operation.details", gen_ai__input__messages="[]"), (None, None)),
                ({}, event("gen_ai.content.prompt", gen_ai__prompt="[]"), (None, None)),
                ({**ai, "ai__prompt__messages": "[]"}, None, (None, None)), ({**ai, "ai__response__text": "[]"}, None, (None, "[]")),
                ({"langfuse__observation__type": "generation", "langfuse__observation__input": "null", "langfuse__observation__output": "null"}, None, (None, None)))):
            with self.subTest(attributes=attributes, events=events):
                kind = {} if "ai__operationId" in attributes or "langfuse__observation__type" in attributes else {"gen_ai__operation__name": "chat"}
                self.take(one(n, 2 * n, 2 * n + 1, events=events, **kind, **attributes))
                made = self.response(n)
                self.assertEqual((made.get("prompt"), made.get("content")), wanted)
                self.assertEqual(made.get("question"), wanted[0])
        self.assertEqual({unit.get("content") for unit in self.found("ContextUnit")}, {"Why?"})

    def test_order_of_parts_and_choices(self):
        many = {f"llm__input_messages__0__message__contents__{n}__message_content__text": f"part {n}" for n in range(12)}
        many |= {f"llm__input_messages__0__message__contents__{n}__message_content__type": "text" for n in range(12)}
        self.take(one(1, 0, 1, openinference__span__kind="LLM", llm__model_name="m", llm__input_messages__0__message__role="user", **many))
        self.assertEqual(self.response(1)["prompt"], "\n\n".join(f"part {n}" for n in range(12)))
        choices = [{"index": 1, "message": {"role": "assistant", "content": "second"}}, {"index": 0, "message": {"role": "assistant", "content": "first"}}]
        self.take(chat(2, 2, 3, gen_ai__output__messages=json.dumps(choices)))
        self.assertEqual(self.response(2)["content"], "first\n\nsecond")

    def test_text_calls_and_reasoning_of_an_answer(self):
        self.take(one(1, 0, 1, ai__operationId="ai.generateText.doGenerate", ai__model__id="m", ai__response__text="Let me look.",
                      ai__response__toolCalls='[{"toolCallId":"c","toolName":"weather"}]'),
                  chat(2, 2, 3, answered=[{"role": "assistant", "parts": [{"type": "reasoning", "content": "He wants X."}, {"type": "text", "content": "X."}]}]),
                  one(3, 4, 5, openinference__span__kind="LLM", llm__model_name="m", output__value='{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"now"}}]}'),
                  one(4, 6, 7, openinference__span__kind="LLM", llm__model_name="m", output__value='{"type":"ai","content":"Yo"}'))
        self.assertIn("Let me look.", self.response(1)["content"])
        self.assertIn("weather", self.response(1)["content"])
        self.assertEqual((self.response(2)["content"], self.response(2)["attributes"]["reasoning"]), ("X.", "He wants X."))
        self.assertIn('"name":"now"', self.response(3)["content"])
        self.assertEqual(self.response(4)["content"], "Yo")

    def test_instructions_on_the_span_and_messages_in_the_log_are_joined(self):
        details = log(T, number(1), "gen_ai.client.inference.operation.details", START, {"gen_ai.input.messages": said(text("system", "Be short."), text("user", "When?")),
                                                                                          "gen_ai.output.messages": said(text("assistant", "June."))})
        call = chat(1, 0, 1, gen_ai__system_instructions="Be short.")
        for place, order in enumerate(((call, details), (details, call))):
            with self.subTest(place=place):
                for each in order:
                    self.take(each)
                record = self.response(1)
                self.assertEqual((record["prompt"], record["content"]), ("system: Be short.\n\nuser: When?", "June."))

    def test_a_turn_of_a_log_record_is_one_message(self):
        call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": {}}]}
        result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rain"}]}
        self.take(chat(1, 0, 1), log(T, number(1), "gen_ai.client.inference.operation.details", START, {
            "gen_ai.input.messages": said(text("user", "Weather?"), text("assistant", "Looking."), call, result), "gen_ai.output.messages": said(text("assistant", "Rain."))}))
        self.assertEqual([m["role"] for m in self.response(1)["prompt_messages"]], ["user", "assistant", "tool"])

    def test_agents_of_langchain_and_loops_of_strands(self):
        self.take(chat(1, 0, 1, [text("user", "q")], [text("assistant", "a")], langfuse__observation__metadata__lc_agent_name="guide"),
                  one(2, 0, 9, agent_loop__cycle_id="c-1", gen_ai__event__start_time="x"), chat(3, 1, 2, [text("user", "q3")], [text("assistant", "a3")], 2))
        self.assertEqual((self.response(1)["agent"], len(self.found("Response"))), ("guide", 2))

    def test_messages_of_langchain_by_langfuse(self):
        dump = {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "ToolMessage"],
                "kwargs": {"content": '{"town":"Bern","sky":"rain"}', "tool_call_id": "call_7f3a9c1b2d", "name": "weather", "additional_kwargs": {}, "response_metadata": {}, "status": "success"}}
        call = {"role": "assistant", "content": "", "tool_calls": [{"id": "call_7f3a9c1b2d", "name": "weather", "args": {"town": "Bern"}, "type": "tool_call"}]}
        asked = [{"role": "user", "content": "Weather in Bern?"}, call, {"role": "weather", "content": '{"town":"Bern","sky":"rain"}', "additional_kwargs": {}}]
        self.take(one(1, 0, 1, 9, langfuse__observation__type="tool", langfuse__observation__output=json.dumps(dump), name="weather"),
                  one(2, 2, 3, 9, langfuse__observation__type="generation", langfuse__observation__input=json.dumps(asked), langfuse__observation__output=json.dumps({"role": "assistant", "content": "Rain."}), langfuse__observation__model__name="m"),
                  one(9, 0, 9, langfuse__observation__type="agent"))
        answer = self.response(2)
        self.assertEqual(([m["role"] for m in answer["prompt_messages"]], answer["question"]), (["user", "assistant", "tool"], "Weather in Bern?"))
        units = {n["source"]: n["content"] for n in self.found("ContextUnit")}
        self.assertEqual(units["tool:weather"], '{"town":"Bern","sky":"rain"}')
        self.assertFalse({"message:weather", "message:tool"} & set(units))

    def test_what_is_no_call(self):
        (status, _, body), = send(self.server, [one(1, 0, 1, gen_ai__operation__name="create_thread", gen_ai__system="x")])
        self.assertEqual((status, json.loads(body)["partialSuccess"]["rejectedSpans"]), (200, "0"))  # it is said, not refused
        self.take(one(2, 0, 1, gen_ai__operation__name="plan", gen_ai__request__model="m", gen_ai__agent__name="P"),
                  one(3, 0, 1, events=[(START, "gen_ai.evaluation.result", {"gen_ai.evaluation.score.value": 1.0})]))
        self.assertEqual(self.found("Response"), [])

    def test_a_wrapper_is_no_call_whatever_is_between_and_comes_first(self):
        outer = one(1, 0, 9, openinference__span__kind="LLM", llm__model_name="m", output__value="One.")
        empty = one(2, 1, 8, 1, gen_ai__system="x", gen_ai__request__model="m")
        plain = one(3, 2, 7, 2, app__attempt=1)
        inner = chat(4, 3, 6, [text("user", "count")], [text("assistant", "One.")], 3)
        for place, order in enumerate(((outer, empty, plain, inner), (inner, plain, empty, outer), (plain, outer, inner, empty))):
            with self.subTest(place=place), self.fresh() as server:
                for each in order:
                    send(server, [each])
                refs = [n["ref"] for n in server.rpc("node.find", {"type": "Response"})["nodes"]]
                self.assertEqual(refs, [f"Response:resp_{T}_{number(4)}"])

    def test_the_agent_is_the_nearest_runs(self):
        run = one(1, 0, 9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="Billing")
        step = one(2, 1, 8, 1, gen_ai__operation__name="agent_step")
        call = chat(3, 2, 3, [text("user", "q")], [text("assistant", "a")], 2)
        task = one(4, 0, 9, traceloop__span__kind="workflow", traceloop__entity__name="flow")
        other = chat(5, 2, 3, [text("user", "q")], [text("assistant", "b")], 4)
        for order in ((run, step, call, task, other), (other, call, step, run, task)):
            with self.fresh() as server:
                for each in order:
                    send(server, [each])
                agents = {n["record"]["content"]: n["record"]["agent"]
                          for n in server.rpc("node.find", {"type": "Response", "include": ["record"]})["nodes"]}
                self.assertEqual(agents["a"], "Billing")
                self.assertNotEqual(agents["b"], "flow")

    def test_attributes_that_went_nowhere_are_kept(self):
        self.take(chat(1, 0, 1, gen_ai__request__model="alias", gen_ai__response__model="m-5", gen_ai__agent__name="A", gen_ai__agent__id="asst_7"))
        kept = self.response(1)["attributes"]
        self.assertEqual((self.response(1)["model"], kept["gen_ai.request.model"], kept["gen_ai.agent.id"]), ("m-5", "alias", "asst_7"))

    def test_documents_have_names_of_their_own(self):
        long = "https://e.org/" + "a" * 300
        self.take(retrieval(1, 0, 1, [{"content": "1", "metadata": {"title": "Home", "url": "https://c.org/"}}, {"content": "2", "metadata": {"title": "Home", "url": "https://d.org/"}},
                                      {"content": "3", "metadata": {"file_name": "README.md", "file_path": "/a/README.md"}}, {"content": "4", "source": "/b/README.md"},
                                      {"content": "5", "id": long + "1"}, {"content": "6", "id": long + "2"}]))
        self.assertEqual(len(self.found("Document")), 6)

    def test_documents_beyond_the_bound_are_counted(self):
        many = [{"id": f"d{n}", "content": f"Fact {n}."} for n in range(1030)]
        (status, _, body), = send(self.server, [retrieval(1, 0, 1, many), retrieval(2, 0, 1, many[:1024]), one(3, 0, 1, openinference__span__kind="RETRIEVER", output__value=json.dumps(many))])
        self.assertEqual(status, 200)
        self.assertIn("12 values were left out, ill-formed, beyond a bound or nested too deeply; the first of `documents`", json.loads(body)["partialSuccess"]["errorMessage"])
        self.assertEqual([{q["request_id"][-1]: q["attributes"].get("documents_left_out") for q in self.found("Query")}.get(n) for n in "234"], [6, None, 6])
        self.assertEqual(self.server.rpc("node.count", {"type": "RetrievedChunk"})["count"], 1024)
        found = self.server.rpc("rag.get", {"request_id": f"otel_{T}_{number(1)}"})["retrieved_chunks"]
        self.assertEqual((len(found), {c.get("similarity_score") for c in found}), (1024, {None}))  # nobody said how similar

    def test_ratings_of_labels_and_of_runs(self):
        self.take(one(1, 0, 9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="B", gen_ai__output__messages=said(text("assistant", "Paid.")),
                      events=[(START, "gen_ai.evaluation.result", {"gen_ai.evaluation.name": "truth", "gen_ai.evaluation.score.label": "fail"})]),
                  chat(2, 1, 2, [text("user", "q")], [text("assistant", "Looking.")], 1), chat(3, 3, 4, [text("user", "q2")], [text("assistant", "Paid.")], 1),
                  one(4, 5, 6, openinference__span__kind="LLM", llm__model_name="m", output__value="o", evaluations__0__evaluation__name="correct",
                      evaluations__0__evaluation__score=0.0, evaluations__0__evaluation__label="wrong"))
        ratings = {int(r["response_id"][-1]) - 1: (r.get("score"), r["feedback_text"], r["attributes"].get("score")) for r in self.found("FeedbackRecord")}
        self.assertEqual(ratings, {3: (None, "fail", None), 4: (0, "wrong", None)})
        rated = self.server.rpc("feedback.list", {"ref": f"Response:resp_{T}_{number(3)}"})
        self.assertEqual((rated["mean_score"], rated["feedback_count"]), (None, 1))  # nobody gave a number

    def test_a_clock_ahead_is_cut_and_said(self):
        ahead = time.time_ns() + 60 * SECOND
        body = span(T, number(1), "chat", ahead - SECOND, ahead, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
        self.take(body)
        self.assertGreater(self.response(1)["attributes"]["clock_ahead_ms"], 50_000)

    def test_causes_by_evidence(self):
        """Items of one trace: each answer has its own passages, the results that its prompt has, and no others."""
        self.take(one(9, 0, 90, name="run", traceloop__span__kind="workflow"),
                  one(10, 0, 9, 9, traceloop__span__kind="task"), retrieval(1, 1, 2, [{"id": "a.md", "content": "Fact of  A.\nIt is so."}, {"id": "b.md", "content": "Unused fact."}], 10),
                  chat(2, 3, 4, [text("user", "Fact of A. It is so. What?")], [text("assistant", "answer a")], 10),
                  one(11, 10, 19, 9, traceloop__span__kind="task"), retrieval(3, 11, 12, [{"id": "c.md", "content": "Fact of C."}], 11),
                  chat(4, 13, 14, [text("user", '{"context":"Fact of C."} What?')], [text("assistant", "answer c")], 11),
                  tool(5, 20, 21, gen_ai__tool__call__id="call_1", gen_ai__tool__call__result="noon"), tool(6, 20, 21, gen_ai__tool__call__id="call_2", gen_ai__tool__call__result="dusk"),
                  chat(7, 22, 23, [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": "noon"}]}], [text("assistant", "12")]))
        documents = lambda n: {ref for ref in self.ancestors(n) if ref.startswith("Document:")}
        self.assertEqual((documents(2), documents(4)), ({"Document:a.md"}, {"Document:c.md"}))
        self.assertEqual(self.ancestors(7), {f"ContextUnit:cu_{T}_{number(5)}"})

    def test_a_result_is_joined_over_traces_and_fills_its_tool(self):
        for place, names in enumerate((("1" * 32, "2" * 32), ("4" * 32, "3" * 32))):
            used, asked = names
            items = [tool(1, 0, 1, trace=used, gen_ai__tool__call__id=f"call_{place}", gen_ai__tool__call__result="blue"),
                     chat(2, 2, 3, [{"role": "tool", "parts": [{"type": "tool_call_response", "id": f"call_{place}", "response": "blue"}]}], [text("assistant", "Blue.")], trace=asked)]
            for each in items if place == 0 else items[::-1]:
                self.take(each)
            self.assertIn(f"ContextUnit:cu_{used}_{number(1)}", self.ancestors(2, asked))
        self.take(tool(5, 0, 1, gen_ai__tool__call__id="call_k"))
        self.take(chat(6, 2, 3, [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_k", "response": "3 pods"}]}]))
        unit = self.server.rpc("node.get", {"ref": f"ContextUnit:cu_{T}_{number(5)}", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual(unit["content"], "3 pods")

    def test_an_id_joins_whatever_the_clocks_say_and_the_order_of_arrival(self):
        asked = chat(2, 0, 1, [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": "blue"}]}], [text("assistant", "Blue.")])
        brief = chat(4, 4, 5, [text("user", "Sky?"), {"role": "tool", "content": "red"}], [text("assistant", "Red.")])
        used, short = tool(1, 3, 4, gen_ai__tool__call__id="call_1", gen_ai__tool__call__result="blue"), tool(3, 2, 3, gen_ai__tool__call__result="red")
        for order in ((used, short, asked, brief), (asked, brief, used, short)):
            with self.fresh() as server:
                for each in order:
                    send(server, [each])
                for n, source in ((2, 1), (4, 3)):
                    refs = {x["ref"] for x in server.rpc("lineage.ancestors", {"ref": f"Response:resp_{T}_{number(n)}"})["nodes"]}
                    self.assertIn(f"ContextUnit:cu_{T}_{number(source)}", refs)

    def test_causes_by_place_have_a_bound_whatever_comes_later(self):
        run = one(0, 0, 9, traceloop__span__kind="workflow")
        self.take(run, *(tool(n, 1, 2, 0) for n in range(1, 101)), *(chat(n, 3, 4, parent=0) for n in range(101, 121)))
        for late in range(121, 124):
            self.take(tool(late, 1, 2, 0))
        for n in range(101, 121):
            self.assertEqual(len(self.ancestors(n)), 64)

    def test_names_of_thousands_of_dots_and_deep_parts_are_taken(self):
        deep = json.dumps([{"role": "user", "parts": [{"type": "tool_result", "content": json.loads("[" * 40 + '{"text":"x"}' + "]" * 40)}]}])
        self.take(one(1, 0, 1, openinference__span__kind="LLM", llm__model_name="m", **{"llm.input_messages.0." + "a." * 20_000: "x"}),
                  one(2, 0, 1, gen_ai__operation__name="chat", gen_ai__input__messages=deep), one(3, 0, 1, name="p" * 100_000))
        self.assertEqual(len(self.found("Response")), 2)

    def test_an_answer_in_a_later_prompt_is_a_cause(self):
        first = chat(1, 0, 1, [text("user", "Summarise: The bridge closes.")], [text("assistant", "Bridge closed.")])
        second = chat(2, 2, 3, [text("user", "Translate:"), text("user", "Bridge closed.")], [text("assistant", "Zu.")])
        for order in ((first, second), (second, first)):
            with self.fresh() as server:
                for each in order:
                    send(server, [each])
                refs = {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": f"Response:resp_{T}_{number(2)}"})["nodes"]}
                self.assertIn(f"Response:resp_{T}_{number(1)}", refs)

    def fresh(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = Server(folder.name + "/db")
        self.addCleanup(lambda: server.__exit__())
        return contextlib.nullcontext(server)

    def test_a_span_that_is_refused_costs_itself_alone(self):
        spans = [chat(n, n, n + 1, answered=[text("assistant", f"answer {n}")]) for n in range(7)]
        for each in (spans[2], spans[5]):
            each["start"], each["end"] = 4 * 10**18, 4 * 10**18 + 5
        ((status, _, body),) = send(self.server, spans)
        self.assertEqual((status, json.loads(body)["partialSuccess"]["rejectedSpans"]), (200, "2"))
        self.assertEqual(sorted(r["content"] for r in self.found("Response")), [f"answer {n}" for n in (0, 1, 3, 4, 6)])

    def test_why_a_call_failed_and_a_score_beyond_the_range_are_kept(self):
        failed = chat(0, 0, 1, [text("user", "q")])
        failed["events"] = [(START, "exception", {"exception.type": "RateLimitError", "exception.message": "slow down please"})]
        self.take(failed)
        self.assertEqual(self.response(0)["attributes"]["exception.message"], "slow down please")
        self.take(chat(1, 2, 3, answered=[text("assistant", "a")]))
        self.take(log(T, number(1), "gen_ai.evaluation.result", START + 4 * SECOND, attributes={
            "gen_ai.evaluation.name": "rel", "gen_ai.evaluation.score.value": 4.625}))
        (rating,) = self.found("FeedbackRecord")
        self.assertEqual((rating["score"], rating["attributes"]["score"]), (1, 4.625))


if __name__ == "__main__":
    unittest.main()
