"""Claim: what two places say of one thing is that thing once, and a fault costs no more than itself.

Method: each example has a trace of its own on a server; the right value stands beside it. What may come in any order comes in each.
"""
import itertools
import json
import unittest
import urllib.request

from support.otlp import body_of, log, post, send, span
from telemetry.trace_case import START, TraceCase, number

DETAILS = "gen_ai.client.inference.operation.details"


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def result(id_, response):
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": id_, "response": response}]}


def chat(given=(), answered=(), **more):
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **({"gen_ai.input.messages": json.dumps(given)} if given else {}),
            **({"gen_ai.output.messages": json.dumps(answered)} if answered else {}), **more}


def tool(shown=None, id_=None, **more):
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", **({"gen_ai.tool.call.result": shown} if shown else {}),
            **({"gen_ai.tool.call.id": id_} if id_ else {}), **more}


def retrieval(documents):
    return {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "What is it?", "gen_ai.retrieval.documents": json.dumps(documents)}


class OnceTest(TraceCase):
    def log(self, n, event, attributes=None, body=None):
        return log(self.t, number(n), event, START + 4 * self.UNIT, attributes, body)

    def take(self, *items, form="json"):
        for status, _, _ in send(self.server, list(items), form):
            self.assertEqual(status, 200)

    def orders(self, items):
        """Each order of the items, in a trace of its own: what makes them is called anew."""
        for order in itertools.permutations(range(len(items()))):
            self.next_trace()
            made = items()
            for place in order:
                self.take(made[place])
            yield order

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def response(self, n=1):
        return self.record(f"Response:resp_{self.t}_{number(n)}")

    def basis(self, n=1):
        made = self.response(n)
        return {ref: basis for ref, basis in zip(made["prompt_refs"], made["prompt_basis"]) if basis not in ("question", "instruction")}

    def every(self, type_):
        return [n["record"] for n in self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]]

    # --- one source ---

    def test_a_passage_that_a_tool_and_its_retriever_have_is_the_retrievers(self):
        """One chunk of one document, whichever comes first; what only the tool's result has is a passage of its own."""
        for metadata, source in (({}, None), ({"metadata": {"source": "https://e.org/a"}}, "https://e.org/a")):
            def items():
                words, more = f"The bridge of {self.t} closes in May.", f"The ferry of {self.t} goes on."
                found = [{"id": f"d-{self.t}", "content": words, **metadata}]
                shown = json.dumps([{"content": words, "source": "https://e.org/a"}, {"content": more, "url": f"https://e.org/{self.t}"}])
                return (self.one(1, tool(shown, "call_" + self.t), 0, 4), self.one(2, retrieval(found), 1, 3, 1),
                        self.one(3, chat([text("user", "When?"), result("call_" + self.t, shown)], [text("assistant", "May.")]), 5, 9))
            for _ in self.orders(items):
                made = {each["content"]: each for each in self.every("RetrievedChunk") if self.t in each["content"]}
                names = {words.split(" of ")[0]: each["metadata"]["document_name"] for words, each in made.items()}
                self.assertEqual(names, {"The bridge": source or f"d-{self.t}", "The ferry": f"https://e.org/{self.t}"})
                self.assertEqual(self.basis(3), {f"ContextUnit:cu_{self.t}_{number(1)}": "id", **{f"RetrievedChunk:{each['chunk_id']}": "text" for each in made.values()}})
                if source is None:
                    self.assertNotIn("https://e.org/a", [each["document_name"] for each in self.every("Document")])

    def test_what_one_end_of_mcp_says_is_known_of_both(self):
        """The id of the call and its result, on whichever span each is: one source, named by the outer one."""
        words = "Rain in the north until evening."
        given = json.dumps({"content": [{"type": "text", "text": words}]})
        ends, outer = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "sky"}, f"ContextUnit:cu_%s_{number(1)}"
        shown = {"gen_ai.tool.call.result": given}
        asked = lambda: self.one(5, chat([text("user", "Sky?"), result("call_" + self.t, words)], [text("assistant", "Wet.")]), 7, 9)
        named = lambda: {"gen_ai.tool.call.id": "call_" + self.t}
        cases = {
            "the server has the result": lambda: (self.one(1, {**ends, **named()}, 0, 6), self.one(2, {**ends, **shown}, 1, 5, 1), asked()),
            "the server has the id": lambda: (self.one(1, {**ends, **shown}, 0, 6), self.one(2, {**ends, **named()}, 1, 5, 1), asked()),
            "a span between": lambda: (self.one(1, {**ends, **named()}, 0, 6), self.one(8, {"http.method": "POST"}, 1, 5, 1), self.one(2, {**ends, **shown}, 2, 4, 8), asked()),
            "a tool around both": lambda: (self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", **named()}, 0, 6), self.one(2, ends, 1, 5, 1),
                                           self.one(3, {**ends, **shown}, 2, 4, 2), asked())}
        for name, items in cases.items():
            for order in self.orders(items):
                units = [each for each in self.every("ContextUnit") if each["id"].startswith(f"cu_{self.t}")]
                self.assertEqual([(each["id"][-1], each.get("content"), each["attributes"].get("call_id")) for each in units], [("2", words, "call_" + self.t)], (name, order))
                made = self.basis(5)
                self.assertEqual(set(made), {outer % self.t}, (name, order))
                self.assertIn(made[outer % self.t], ("id", "text"))

    def test_what_an_outer_call_was_given_is_no_unit_of_its_own(self):
        """Of a framework and of its client one call is told, with the tool's result and with more in the one than in the other."""
        shown = lambda: f"It rains in Bern ({self.trace})."
        told = lambda name: f"{name} ({self.trace})"
        items = lambda: [
            self.one(1, tool(shown(), f"call_{self.trace}9f3a1c77d2"), 0, 1),
            self.one(2, {"openinference.span.kind": "LLM", "llm.model_name": "m", **{f"llm.input_messages.{n}.message.{name}": value for n, message in enumerate((
                {"role": "system", "content": told("Of the framework.")}, {"role": "user", "content": told("Weather?")},
                {"role": "tool", "tool_call_id": f"call_{self.trace}9f3a1c77d2", "content": shown()})) for name, value in message.items()},
                "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": told("Wet.")}, 2, 6),
            self.one(3, chat([text("user", told("Weather?")), result(f"call_{self.trace}9f3a1c77d2", shown())], [text("assistant", told("Wet."))]), 3, 5, 2)]
        self.next_trace()
        self.take(*items())
        seen = []
        for order in itertools.chain([None], self.orders(items)):
            with self.subTest(order=order):
                units = [each for each in self.every("ContextUnit") if f"({self.trace})" in each["content"]]
                self.assertEqual(sorted((each["source"], each["content"]) for each in units), [("message:user", told("Weather?")), ("tool:look", shown())])
                self.assertEqual(self.basis(3), {f"ContextUnit:cu_{self.t}_{number(1)}": "id"})
                seen.append([each["timestamp"] for each in units if each["source"] == "message:user"])
        self.assertEqual([each for each in seen if each != seen[0]], [])

    def test_what_an_outer_call_was_given_brings_nothing_back(self):
        """A purged question stays purged where the outer call comes later, began earlier and says it too."""
        self.next_trace()
        question, answer = f"Weather? ({self.trace})", f"Wet. ({self.trace})"
        self.take(self.one(3, chat([text("user", question)], [text("assistant", answer)]), 3, 5, 2))
        of = lambda: [node for node in self.server.rpc("node.find", {"type": "ContextUnit", "include": ["record"], "limit": 1000})["nodes"]
                      if node.get("record", {}).get("content") == question]
        (unit,) = of()
        self.server.rpc("records.purge", {"refs": [unit["ref"]]})
        self.take(self.one(2, {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": question,
                               "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": answer}, 2, 6))
        self.assertEqual(of(), [])
        gone = self.server.rpc("node.get", {"ref": unit["ref"], "include": ["record"]})["nodes"][0]
        self.assertEqual((gone.get("purged"), "record" in gone), (True, False))

    def test_passages_that_only_the_server_of_mcp_gives(self):
        ends = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "find"}
        def items():
            words = f"The bridge of {self.t} closes in May."
            shown = json.dumps([{"text": words, "source": "faq.md"}])
            return (self.one(1, {**ends, "gen_ai.tool.call.id": "call_" + self.t}, 0, 6), self.one(2, {**ends, "gen_ai.tool.call.result": shown}, 1, 5, 1),
                    self.one(5, chat([text("user", "When?"), result("call_" + self.t, shown)], [text("assistant", "May.")]), 7, 9))
        for _ in self.orders(items):
            chunk, = (each["chunk_id"] for each in self.every("RetrievedChunk") if self.t in each["content"])
            made = self.basis(5)
            self.assertEqual(set(made), {f"ContextUnit:cu_{self.t}_{number(1)}", f"RetrievedChunk:{chunk}"})

    def test_another_tool_within_a_tool_is_a_source_of_its_own(self):
        """One that MCP does not say to be the same call, and a second call of the server that gave something else."""
        self.take(self.one(1, tool(None, "call_a"), 0, 6), self.one(2, tool("Found by a tool within it."), 1, 5, 1))
        self.assertEqual({each["id"][-1]: each.get("content") for each in self.every("ContextUnit")}, {"2": None, "3": "Found by a tool within it."})

    # --- a fault costs itself ---

    def told(self, answer):
        status, _, body = answer
        self.assertEqual(status, 200, body)
        return json.loads(body).get("partialSuccess", {"rejectedSpans": "0", "errorMessage": ""})

    def test_a_value_that_is_nested_too_deeply_costs_itself(self):
        def deep(levels, is_object):
            value = "x"
            for _ in range(levels):
                value = {"a": value} if is_object else [value]
            return value
        for levels, is_object, form in itertools.product((31, 40, 100, 200), (False, True), ("json", "protobuf")):
            for place in ("span", "resource", "event"):
                self.next_trace()
                with self.subTest(levels=levels, is_object=is_object, form=form, place=place):
                    mine = {"mine": deep(levels, is_object)}
                    first = self.one(1, chat([text("user", "Hi")], [text("assistant", "Yes")], **(mine if place == "span" else {}), yours="kept"),
                                     events=[(1, "gen_ai.user.message", {"content": "Hi", **mine})] if place == "event" else ())
                    if place == "resource":
                        first["resource"] = mine
                    answer = post(self.server, "/v1/traces", body_of([first, self.one(2, chat([text("user", "Hi")], [text("assistant", "No")]))], "traces", form), form)
                    self.assertEqual([self.response(n)["content"] for n in (1, 2)], ["Yes", "No"])
                    self.assertEqual(self.response(1)["attributes"]["yours"], "kept")
                    self.assertEqual(answer[0], 200)
                    self.assertEqual(b"nested too deeply; the first of `mine`" in answer[2], levels > 31, answer[2])
        status, _, body = post(self.server, "/v1/logs", body_of([self.log(1, "gen_ai.user.message", {"mine": deep(100, False)}, {"content": "Hello"})], "logs", "json"))
        self.assertEqual(status, 200)
        self.assertIn("1 value was left out", json.loads(body)["partialSuccess"]["errorMessage"])
        metrics = urllib.request.urlopen(self.server.url + "/metrics").read().decode()
        self.assertRegex(metrics, "whence_capture_left_out_total [1-9]")

    def test_parts_of_another_form_cost_themselves(self):
        def change(span_, scope):
            return {"an attribute": lambda: span_["attributes"].append(7), "attributes of a link": lambda: span_.update(links=[7]),
                    "an event": lambda: span_.update(events=[None, 5]), "a scope": lambda: scope.append(None), "spans": lambda: scope.append({"spans": {}})}
        for name in change({}, []):
            self.next_trace()
            with self.subTest(name):
                body = json.loads(body_of([self.one(1, chat([text("user", "Hi")], [text("assistant", "Yes")])), self.one(2, chat(answered=[text("assistant", "No")]))], "traces", "json"))
                scope = body["resourceSpans"][0]["scopeSpans"]
                change(scope[0]["spans"][0], scope)[name]()
                told = self.told(post(self.server, "/v1/traces", json.dumps(body).encode()))
                self.assertIn("left out", told["errorMessage"])
                self.assertEqual([self.response(n)["content"] for n in (1, 2)], ["Yes", "No"])

    def test_values_of_another_form_are_as_they_were_said(self):
        for value, kept in (({"intValue": "12x"}, "12x"), ({"intValue": "99999999999999999999"}, "99999999999999999999"), ({"intValue": 12.5}, 12.5), ({"intValue": "-7"}, -7),
                            ({"stringValue": {"a": 1}}, '{"a":1}'), ({"dateValue": "today"}, '{"dateValue":"today"}'), ("bare", "bare")):
            self.next_trace()
            body = json.loads(body_of([self.one(1, chat(answered=[text("assistant", "Yes")]))], "traces", "json"))
            body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"].append({"key": "k", "value": value})
            self.told(post(self.server, "/v1/traces", json.dumps(body).encode()))
            self.assertEqual(self.response()["attributes"]["k"], kept)

    def test_times_that_are_not_given(self):
        for start, end, when, said in ((0, START, "2026-09-21T14:13:20Z", "start"), (START, 0, "2026-09-21T14:13:20Z", None), (0, 0, None, "start and end")):
            self.next_trace()
            self.take(span(self.t, number(1), "s", start, end, chat(answered=[text("assistant", "Yes")])))
            made = self.response()
            self.assertEqual((made["timestamp"] if when else made["timestamp"] > "2026", made["attributes"].get("time_not_given"), "latency_ms" in made), (when or True, said, said is None))

    # --- numbers ---

    def test_counts_and_costs_that_are_no_numbers_stay_as_they_were_said(self):
        name, cost = "gen_ai.usage.input_tokens", "gen_ai.usage.cost"
        for value, count in (("12", 12), (12, 12), ("12.0", 12), ("1,204", None), (" 12 ", None), ("3.7", None), (3.7, None), (-5, None), ("-5", None), ("NaN", None), ("twelve", None),
                             ({"total": 3}, None), ([3], None), (True, None), (9007199254740993, None), (1e300, None)):
            for form in ("json", "protobuf"):
                self.next_trace()
                self.take(self.one(1, chat(answered=[text("assistant", "Yes")], **{name: value})), form=form)
                made = self.response()
                self.assertEqual((made.get("usage"), made["attributes"].get(name)), ({"input_tokens": count}, None) if count is not None else (None, value), (value, form))
        for value, paid in (("0.25", 0.25), ("1e-3", 0.001), (0.5, 0.5), ("$0.25", None), (-1, None), ("NaN", None), ({"total": 3}, None), (True, None)):
            self.next_trace()
            self.take(self.one(1, chat(answered=[text("assistant", "Yes")], **{cost: value})))
            made = self.response()
            self.assertEqual((made.get("cost"), made["attributes"].get(cost)), (paid, None) if paid is not None else (None, value), value)
        self.next_trace()
        self.take(self.one(1, chat(answered=[text("assistant", "Yes")], **{name: "about 12", "gen_ai.usage.prompt_tokens": 12})))
        self.assertEqual((self.response()["usage"], self.response()["attributes"][name]), ({"input_tokens": 12}, "about 12"))

    def test_scores_that_are_no_numbers_stay_as_they_were_said(self):
        score = "gen_ai.evaluation.score.value"
        rated = lambda: [(each.get("score"), each["attributes"].get(score), each["attributes"].get("who")) for each in self.every("FeedbackRecord") if self.t in each["response_id"]]
        for value, number_, kept in (("0.5", 0.5, None), ("good", None, "good"), ("1,5", None, "1,5"), ({"v": 1}, None, {"v": 1}), (True, None, True), ("NaN", None, "NaN")):
            event = {"gen_ai.evaluation.name": "q", score: value, "who": "Ada"}
            for rating in (lambda: (self.one(1, chat(answered=[text("assistant", "Yes")]), events=[(4, "gen_ai.evaluation.result", event)]),),
                           lambda: (self.one(1, chat(answered=[text("assistant", "Yes")])), self.log(1, "gen_ai.evaluation.result", event))):
                self.next_trace()
                self.take(*rating())
                self.assertEqual(rated(), [(number_, kept, "Ada")])
        self.next_trace()
        self.take(self.one(1, {"openinference.span.kind": "LLM", "output.value": "x", "evaluations.0.evaluation.name": "q", "evaluations.0.evaluation.score": "good"}))
        self.assertEqual(self.response()["attributes"]["evaluations.0.evaluation.score"], "good")
        self.next_trace()
        self.take(self.one(1, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "c", "retrieval.documents.0.document.score": "high"}),
                  self.one(2, retrieval([{"content": "d", "score": "low"}])))
        self.assertEqual(self.record(f"Query:otel_{self.t}_{number(1)}")["attributes"]["retrieval.documents.0.document.score"], "high")
        self.assertEqual(self.record(f"Query:otel_{self.t}_{number(2)}")["attributes"]["gen_ai.retrieval.documents"]["0"]["score"], "low")

    # --- log records and events ---

    def test_an_exception_in_a_log_record_is_kept_at_the_call(self):
        why = {"exception.type": "RateLimit", "exception.message": "slow down"}
        for event in ("exception", "gen_ai.client.operation.exception", "app.crash"):
            for _ in self.orders(lambda: (self.one(1, chat([text("user", "Hi")])), self.log(1, event, {**why, "exception.stacktrace": "at x"}))):
                kept = self.response()["attributes"]
                self.assertEqual({name: kept.get(name) for name in why}, why)

    def test_what_the_details_of_a_call_say_beside_its_messages(self):
        more = {"gen_ai.response.id": "r-9", "gen_ai.response.finish_reasons": ["stop"], "gen_ai.request.temperature": 0.5}
        held = {"gen_ai.response.model": "m-2026", "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3, **more,
                "gen_ai.input.messages": json.dumps([text("user", "Hi")]), "gen_ai.output.messages": json.dumps([text("assistant", "Yes")])}
        cases = {"log record": lambda: (self.one(1, {"gen_ai.operation.name": "chat"}), self.log(1, DETAILS, held)),
                 "event": lambda: (self.one(1, {"gen_ai.operation.name": "chat"}, events=[(4, DETAILS, held)]),)}
        for name, items in cases.items():
            for _ in self.orders(items):
                made = self.response()
                self.assertEqual((made["content"], made["prompt"], made["model"], made["usage"]), ("Yes", "Hi", "m-2026", {"input_tokens": 12, "output_tokens": 3}), name)
                self.assertEqual(made["attributes"]["gen_ai.response.finish_reasons"], ["stop"], name)
                if name == "log record":
                    self.assertEqual({each: made["attributes"].get(each) for each in more}, more)
        self.next_trace()  # what the span says counts
        self.take(self.one(1, chat(**{"gen_ai.usage.input_tokens": 7})), self.log(1, DETAILS, held))
        self.assertEqual((self.response()["model"], self.response()["usage"]), ("m", {"input_tokens": 7}))

    def test_events_of_unknown_names_are_not_understood(self):
        answers = [json.loads(body) for _, _, body in send(self.server, [self.one(1, chat(), events=[(1, "gen_ai.dream", {"of": "sheep"})]), self.log(1, "gen_ai.thought", {"x": "y"})])]
        for answer, name in zip(answers, ("gen_ai.dream", "gen_ai.thought")):
            self.assertIn(f"1 event of a kind that is not understood: event {name}", answer["partialSuccess"]["errorMessage"])
        self.assertEqual(self.response()["attributes"]["gen_ai.dream"], {"0": {"of": "sheep"}})
        self.assertEqual({each["kind"] for each in self.server.rpc("server.info", {})["not_understood"]}, {"event gen_ai.dream", "event gen_ai.thought"})

    # --- documents ---

    def test_passages_of_one_id_with_different_texts_are_several(self):
        self.take(self.one(1, retrieval([{"id": "d", "content": "First text."}, {"id": "d", "content": "Second text."}, {"id": "d", "content": "First text."}])))
        self.assertEqual(sorted(each["content"] for each in self.every("RetrievedChunk")), ["First text.", "Second text."])

    def test_what_was_stored_with_a_vector_names_the_document(self):
        stored, of = {"source": "a/q.md", "page": 4}, "db.search.result."
        for event in ({of + "payload": json.dumps({"page_content": "Some text.", "metadata": stored})}, {of + "payload": json.dumps({"text": "Some text.", **stored})},
                      {of + "payload": {"document": "Some text.", "url": "a/q.md", "page": 4}}, {of + "payload.text": "Some text.", of + "payload.source": "a/q.md", of + "payload.page": 4},
                      {of + "properties": json.dumps({"text": "Some text.", **stored})}, {of + "document": "Some text.", of + "metadata": json.dumps(stored)},
                      {of + "metadata": json.dumps({"text": "Some text.", "url": "a/q.md", "page": 4})}):
            self.take(self.one(1, {"db.system": "qdrant"}, events=[(1, "db.search.result", {of + "id": "7", of + "score": 0.75, of + "distance": 0.1, **event})]))
            found = {(each["content"], each["metadata"]["document_name"], each["metadata"].get("page_number")) for each in self.every("RetrievedChunk")}
            self.assertEqual(found, {("Some text.", "a/q.md", 4)}, event)
            self.assertEqual(self.record(f"Query:otel_{self.t}_{number(1)}")["attributes"]["db.search.result"]["0"]["distance"], 0.1)
            self.next_trace()

    def found(self, n=1):
        """The causes of a call but for its own messages, and how each is known."""
        made = self.response(n)
        pairs = zip(made["prompt_refs"], made["prompt_basis"])
        return sorted((self.record(ref).get("source") or "answer", basis) for ref, basis in pairs
                      if not self.record(ref).get("source", "").startswith("message:"))

    def test_a_result_that_is_empty_is_joined_by_its_id(self):
        call = lambda id_: {"role": "assistant", "content": None, "tool_calls": [{"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}}]}
        for place, (shown, message) in enumerate((("", {"role": "tool", "content": "", "tool_call_id": "ID"}), ("null", {"role": "tool", "content": None, "tool_call_id": "ID"}),
                                                  (None, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "ID"}]}), ("null", {"type": "function_call_output", "call_id": "ID", "output": None}),
                                                  (None, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "ID"}]}))):
            id_ = f"call_void{place}77"
            given = [{"role": "user", "content": "Save it."}, call(id_), json.loads(json.dumps(message).replace("ID", id_))]
            for order in self.orders(lambda: [self.one(0, tool(shown, id_), 0, 3), self.one(1, chat(given), 5, 6)]):
                self.assertEqual(self.found(), [("tool:look", "id")], (message, order))
                said = [self.record(ref).get("source") for ref in self.response()["prompt_refs"]]
                self.assertEqual(sorted(said), ["message:assistant", "message:user", "tool:look"])

    def test_a_result_that_a_client_wraps_is_one_source(self):
        """Google's clients put what is no object into one."""
        held = json.dumps({"a": 1, "b": "two three four"})
        for shown, response in (("sunny in the city", {"result": "sunny in the city"}), ("sunny in the city", {"output": "sunny in the city"}), (held, {"result": json.loads(held)}), (held, json.loads(held)),
                                ('{"result":"sunny in the city"}', {"result": "sunny in the city"})):
            parts = [{"role": "user", "parts": [{"text": "Sky?"}]}, {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
                     {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": response}}]}]
            for order in self.orders(lambda: [self.one(0, tool(shown), 0, 3), self.one(1, chat(parts), 5, 6)]):
                self.assertEqual(self.found(), [("tool:look", "text")], (response, order))
                said = [self.record(ref).get("content", "") for ref in self.response()["prompt_refs"]]
                self.assertEqual(len([each for each in said if "sunny" in each or "three" in each]), 1, said)

    def test_what_a_function_of_google_returned(self):
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "code.function.return.type": "str", "code.function.return.value": "windy in the town"}
        given = [{"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"result": "windy in the town"}}}]}]
        for order in self.orders(lambda: [self.one(0, attributes, 0, 3), self.one(1, chat(given), 5, 6)]):
            self.assertEqual(self.found(), [("tool:look", "text")], order)
            self.assertEqual(len(self.response()["prompt_refs"]), 1)

    def test_a_call_whose_id_one_side_lacks(self):
        """Google ADK takes ids that it made itself out of the next request."""
        made = lambda id_: {"type": "tool_call", **({"id": id_} if id_ else {}), "name": "look", "arguments": {"in": "Bern"}}
        asked = {"role": "user", "parts": [{"type": "text", "content": "Town?"}]}
        for answered, given, is_one in (("adk-1", None, True), (None, "x1", True), (None, None, True), ("k1", "k1", True), ("call_8f3a9c77d2", None, True), ("k1", "k2", False),
                                        ("call_8f3a9c77d2", "call_1111111111", False)):
            prompt = [asked, {"role": "assistant", "parts": [made(given)]}, {"role": "tool", "parts": [{"type": "tool_call_response", "response": "it is sunny"}]}]
            for order in self.orders(lambda: [self.one(0, chat([asked], [{"role": "assistant", "parts": [made(answered)]}]), 0, 3), self.one(1, chat(prompt), 5, 6)]):
                refs = self.response()["prompt_refs"]
                self.assertEqual((f"Response:resp_{self.t}_{number(0)}" in refs), is_one, (answered, given, order))
                self.assertEqual("message:assistant" in [self.record(ref).get("source") for ref in refs], not is_one, (answered, given, order))


if __name__ == "__main__":
    unittest.main()
