"""Claim: nothing of a message is lost, whatever its shape, and inline bytes are named wherever they stand.

Method: prompts and answers in shapes that providers document are sent to one server, each example in a trace of its own; beside each
stand the words that its response has to have, and where.
"""
import base64
import hashlib
import json
import unittest

from support.otlp import log, send
from telemetry.trace_case import START, TraceCase, number

PDF = "JVBERi0xLjcK"
PNG_BYTES = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
PNG = base64.b64encode(PNG_BYTES).decode()
WEBP = base64.b64encode(b"RIFF\0\1\0\0WEBP" + bytes(range(200))).decode()


def said(role, *parts):
    return {"role": role, "parts": [{"type": "text", "content": each} if isinstance(each, str) else each for each in parts]}


def result(response, **more):
    return said("tool", {"type": "tool_call_response", "id": "call_1", "response": response, **more})


class SaidWholeTest(TraceCase):
    UNIT, END = 1_000_000_000, 1

    def chat(self, n, given=(), answered=(), begin=0, end=1):
        made = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
        if given:
            made["gen_ai.input.messages"] = given if isinstance(given, str) else json.dumps(given)
        if answered:
            made["gen_ai.output.messages"] = answered if isinstance(answered, str) else json.dumps(answered)
        return self.one(n, made, begin, end)

    def tool(self, n, text, **more):
        return self.one(n, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.result": text, **more})

    def take(self, *items):
        for status, _, _ in send(self.server, list(items)):
            self.assertEqual(status, 200)

    def record(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]

    def response(self, n=0):
        return self.record(f"Response:resp_{self.t}_{number(n)}")

    def causes(self, n=0):
        made = self.response(n)
        found = {}
        for ref, basis in zip(made.get("prompt_refs", []), made.get("prompt_basis", ["given"] * len(made.get("prompt_refs", [])))):
            record = self.record(ref)
            found[record["content"] if record.get("source", "").startswith("message:") else ref] = basis
        return found

    def every_record(self):
        found = []
        for type_ in ("Response", "ContextUnit", "Query", "RetrievedChunk", "ProvActivity"):
            nodes = self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]
            found += [node["record"] for node in nodes]
        return json.dumps(found)

    def each(self, *table):
        for name, *rest in table:
            self.next_trace()
            with self.subTest(name):
                yield rest

    # --- whose an item is ---

    def test_items_of_the_model_are_no_questions(self):
        call = {"type": "function_call", "call_id": "call_a1b2c3d4", "name": "now", "arguments": "{}"}
        thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "He asks."}]}
        given = {"call_id": "call_a1b2c3d4", "output": "noon sharp"}
        for items, right in self.each(
                ("function_call", [call, {"type": "function_call_output", **given}], "user: t?\n\nassistant: " + json.dumps(call, separators=(",", ":")) + "\n\ntool: noon sharp"),
                ("reasoning", [thought, {"type": "function_call_output", **given}], "user: t?\n\ntool: noon sharp"),
                ("custom tool", [{"type": "custom_tool_call_output", **given}], "user: t?\n\ntool: noon sharp")):
            request = {"model": "m", "input": [{"role": "user", "content": "t?"}, *items]}
            self.take(self.one(0, {"openinference.span.kind": "LLM", "llm.model_name": "m", "input.value": json.dumps(request), "output.value": "x"}))
            self.assertEqual((self.response()["prompt"], self.response()["question"]), (right, "t?"))
            self.assertEqual([text for text, basis in self.causes().items() if basis == "question"], ["t?"])

    def test_the_question_of_a_message_with_a_result(self):
        booked = {"type": "tool_result", "tool_use_id": "tu", "content": "booked"}
        for content, question in self.each(("result first", [booked, {"type": "text", "text": "Now book Basel"}], "Now book Basel"),
                                           ("text first", [{"type": "text", "text": "Now book Basel"}, booked], "Now book Basel"),
                                           ("result alone", [booked], "Book Bern")):
            self.take(self.chat(0, [{"role": "user", "content": "Book Bern"}, {"role": "user", "content": content}], [said("assistant", "ok")]))
            self.assertEqual(self.response()["question"], question)
            self.assertEqual(self.causes().get(question), "question")

    def test_reasoning_alone_is_no_unit(self):
        self.take(self.chat(0, [said("user", "t?"), said("assistant", {"type": "reasoning", "content": "thinking"}), said("user", "and?")], [said("assistant", "x")]))
        made = self.response()
        self.assertEqual((made["prompt"], made["attributes"]["prompt_reasoning"]), ("user: t?\n\nuser: and?", "thinking"))
        self.assertEqual(self.causes(), {"t?": "question", "and?": "question"})

    # --- what is a message, and what a text ---

    FREE = {"output.value": {"openinference.span.kind": "LLM"}, "langfuse.observation.output": {"langfuse.observation.type": "generation"},
            "input.value": {"openinference.span.kind": "LLM"}, "langfuse.observation.input": {"langfuse.observation.type": "generation"}}
    TEXTS = {"ai.response.text": {"ai.operationId": "ai.generateText.doGenerate"}, "ai.response.object": {"ai.operationId": "ai.generateObject.doGenerate"},
             "output.value": {"openinference.span.kind": "LLM", "output.mime_type": "text/plain"}, "input.value": {"openinference.span.kind": "LLM", "input.mime_type": "text/plain"}}

    def held_in(self, place, text, of=None):
        """What a response has of a text in an attribute."""
        self.next_trace()
        self.take(self.one(0, {**(of or self.FREE[place]), "ai.model.id": "m", place: text}))
        made = self.response()
        return made.get("prompt" if "input" in place else "content"), made["attributes"].get(place)

    def test_an_answer_by_a_schema_of_its_own_is_a_text(self):
        """It has members that are named as those of messages, of requests and of answers."""
        for held in ({"message": "Tank empty", "code": 7}, {"message": {"title": "Empty", "level": 2}, "n": 1}, {"role": "manager", "content": "hires", "grade": 5}, {"role": "CFO", "name": "Eve"},
                     {"parts": ["hull", "mast"], "price": 3}, {"parts": [{"text": "a"}], "n": 1}, {"text": "hi", "toolCalls": [], "mood": "calm"}, {"role": "Boss", "message": "Welcome", "id": "7"},
                     {"content": "hi", "name": "Eve"}, {"choices": ["red", "blue"], "answer": 1}, {"choices": [{"text": "red", "score": 1}]}, {"candidates": [{"name": "Eve", "content": "x"}]},
                     {"data": [{"url": "https://e.org"}], "topic": "t"}, {"output": ["a", "b"], "n": 2}, {"generations": [{"born": 1990}]}, [{"message": "one", "n": 1}, {"message": "two", "n": 2}],
                     [{"role": "CEO", "name": "Ann"}, {"role": "CTO", "name": "Bob"}], [{"role": "CEO", "content": "leads"}], {"output": [{"type": "text", "text": "x"}], "reason": "r"}):
            text = json.dumps(held)
            for place in self.FREE:
                if isinstance(held, dict) and "input" in place and {"output", "data"} & held.keys():
                    continue
                self.assertEqual(self.held_in(place, text), (text, None), place)

    def test_what_was_asked_is_no_answer(self):
        for held in ({"prompt": "a cat", "style": "oil"}, {"messages": ["a", "b"], "topic": "t"}, {"input": "say hi", "model": "m"}, {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
                     {"messages": [{"role": "user", "content": "hi"}]}, {"prompts": ["hi"]}):
            text = json.dumps(held)
            self.assertEqual(self.held_in("output.value", text), (text, None))
            self.assertEqual(self.held_in("langfuse.observation.output", text), (text, None))

    def test_a_text_that_is_json_of_messages_is_a_text(self):
        """Where a convention says that it is one: by the attribute's name or the type beside it."""
        for held in ({"role": "assistant", "content": "x"}, [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yo."}], {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]},
                     {"output": {"message": {"role": "assistant", "content": "x"}}}, [{"type": "text", "text": "x"}], {"parts": [{"text": "x"}]}, {"content": "x"}, {"text": "x", "finishReason": "stop"}):
            text = json.dumps(held)
            for place, more in self.TEXTS.items():
                self.assertEqual(self.held_in(place, text, more), (text, None), place)

    def test_messages_of_any_value(self):
        """What can be nothing else is a message wherever it stands; a role counts in letters of any case."""
        for held, right in (({"role": "Assistant", "content": "x"}, "x"), ({"role": "CHATBOT", "message": "x"}, "x"), ({"message": {"role": "assistant", "content": "x"}, "done": True}, "x"),
                            ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]}, "x"), ({"choices": [{"text": "x"}], "model": "m"}, "x"), ({"generations": [[{"text": "x", "message": {"lc": 1, "id": ["AIMessage"], "kwargs": {"content": "x"}}}]]}, "x"),
                            ({"generations": [[{"text": "x"}]]}, "x"), ({"output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": "x"}]}]}, "x"),
                            ({"choices": [{"index": 0, "text": "x", "finish_reason": "stop"}]}, "x"), ({"messages": [{"role": "assistant", "content": "x"}]}, "x"),
                            ({"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}}]}, "x"), ({"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}}, "x"),
                            ({"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}]}, "x"),
                            ({"text": "x", "toolCalls": [], "finishReason": "stop"}, "x"), ({"model": "l", "response": "x", "done": True}, "x"), ([{"type": "text", "text": "x"}], "x"),
                            ({"input": {"prompt": "q"}, "output": ["x", "y"], "status": "succeeded"}, "xy")):
            for place in ("output.value", "langfuse.observation.output"):
                self.assertEqual(self.held_in(place, json.dumps(held))[0], right, place)

    def test_a_turn_of_cohere(self):
        prompt, left = self.held_in("input.value", json.dumps({"message": "Hi?", "chat_history": [{"role": "USER", "message": "Before."}]}))
        self.assertEqual((prompt, left), ("Hi?", {"chat_history": [{"role": "USER", "message": "Before."}]}))

    def test_an_item_that_is_no_message_stays_in_its_place(self):
        system, first, last = {"role": "system", "content": "Be short."}, {"role": "user", "content": "How many?"}, {"role": "user", "content": "And now?"}
        for item in ({"type": "item_reference", "id": "msg_1"}, {"type": "mcp_list_tools", "id": "x", "tools": []}, {"type": "never_heard_of", "zork": 1}, {"zork": 2}, 7, "a plain text"):
            shown = item if isinstance(item, str) else json.dumps(item, separators=(",", ":"))
            role = "user" if isinstance(item, str) else "item"
            for place, of in (("gen_ai.input.messages", {"gen_ai.operation.name": "chat"}), ("input.value", self.FREE["input.value"]), ("langfuse.observation.input", self.FREE["langfuse.observation.input"])):
                for given in ([system, first, item, last], [system, first, last, item]):
                    self.next_trace()
                    self.take(self.one(0, {**of, place: json.dumps(given)}))
                    made = self.response()
                    roles = [(each["role"], made["prompt"][each["start"]:each["end"]]) for each in made["prompt_messages"]]
                    wanted = [("system", "Be short."), ("user", "How many?"), (role, shown), ("user", "And now?")]
                    self.assertEqual(roles, wanted if given[2] == item else [wanted[n] for n in (0, 1, 3, 2)], place)
                    if not isinstance(item, str):
                        self.assertEqual(made["question"], "And now?")

    def test_what_an_answer_repeats_of_its_request(self):
        whole = {"object": "response", "instructions": "You do sums.", "input": "2+2?", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four."}]}]}
        stream = [{"type": "response.output_text.delta", "delta": "Four."}, {"type": "response.completed", "response": whole}]
        for place in ("output.value", "langfuse.observation.output"):
            for held in (whole, stream):
                answer, left = self.held_in(place, json.dumps(held))
                self.assertEqual((answer, left["instructions"], left["input"]), ("Four.", "You do sums.", "2+2?"))
        self.next_trace()
        self.take(self.chat(0, [said("user", "2+2?")], json.dumps(whole)))
        self.assertEqual(self.response()["content"], "Four.")

    def test_an_answer_without_a_message_stays_under_its_name(self):
        for held in ({"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}, {"choices": [], "prompt_filter_results": [{"x": "SAFETY"}]}, {"generations": [[]], "llm_output": {"why": "SAFETY"}},
                     {"candidates": [{"finishReason": "SAFETY", "index": 0}]}, {"candidates": [{"content": {}, "finishReason": "SAFETY"}]}):
            for place in ("output.value", "langfuse.observation.output"):
                answer, left = self.held_in(place, json.dumps(held))
                self.assertIsNone(answer)
                self.assertIn("SAFETY", json.dumps(left))

    # --- roles ---

    def test_a_role_beside_a_message(self):
        for user, model, system in (("USER", "CHATBOT", "SYSTEM"), ("user", "assistant", "system")):
            self.next_trace()
            talk = [(system, "Be nice."), (user, "Hi."), (model, "Hello."), (user, "Now?"), (model, "Wait.")]
            self.take(self.chat(0, [{"role": role, "message": text} for role, text in talk]))
            made = self.response()
            self.assertEqual([each["role"] for each in made["prompt_messages"]], ["system", "user", "assistant", "user", "assistant"])
            self.assertEqual((made["question"], self.causes()["Hello."], self.causes()["Wait."]), ("Now?", "given", "given"))

    def test_the_message_of_a_tool_is_no_question(self):
        """Vertex AI's instrumentation gives it the role of the user."""
        bodies = [("gen_ai.user.message", {"role": "user", "content": [{"text": "Sky?"}]}), ("gen_ai.tool.message", {"role": "user", "id": "sky_0", "content": {"clouds": "many over town"}})]
        for is_log in (True, False):
            self.next_trace()
            events = [] if is_log else [(0, name, {key: held if isinstance(held, str) else json.dumps(held) for key, held in body.items()}) for name, body in bodies]
            self.take(self.one(0, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, events=events))
            if is_log:
                self.take(*(log(self.t, number(0), name, START + at, {}, body) for at, (name, body) in enumerate(bodies)))
            self.assertEqual(self.response()["question"], "Sky?")
            self.assertEqual([each["role"] for each in self.response()["prompt_messages"]], ["user", "tool"])

    def test_a_result_of_parts_and_an_empty_result_are_of_the_tool(self):
        call = {"type": "function_call", "call_id": "q1", "name": "f", "arguments": "{}"}
        parts = [{"type": "input_text", "text": "alpha"}, {"type": "input_image", "image_url": "https://e.org/z.png"}]
        for message, role, text in (
                ({"type": "function_call_output", "call_id": "q1", "output": parts}, "tool", "alpha\n\n[image https://e.org/z.png]"),
                ({"type": "custom_tool_call_output", "call_id": "q1", "output": parts}, "tool", "alpha\n\n[image https://e.org/z.png]"),
                ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "q1"}]}, "user", ""),
                (said("tool", {"type": "tool_call_response", "id": "q1", "response": None}), "tool", ""),
                ({"role": "tool", "content": "", "tool_call_id": "q1"}, "tool", "")):
            self.next_trace()
            self.take(self.chat(0, [{"role": "user", "content": "Save it."}, call, message]))
            made = self.response()
            last = made["prompt_messages"][-1]
            self.assertEqual((made["question"], last["role"], made["prompt"][last["start"]:last["end"]]), ("Save it.", role, text))

    # --- other forms ---

    def test_what_is_beside_the_text_of_a_stream(self):
        begin = lambda n, kind: {"type": "content_block_start", "index": n, "content_block": {"type": kind, kind: ""}}
        delta = lambda n, **held: {"type": "content_block_delta", "index": n, "delta": held}
        for held in ([begin(0, "thinking"), delta(0, type="thinking_delta", thinking="hm"), delta(0, type="signature_delta", signature="SIG"), begin(1, "text"), delta(1, type="text_delta", text="Four.")],
                     [begin(0, "text"), delta(0, type="text_delta", text="Four."), delta(0, type="citations_delta", citation={"cited_text": "SIG"})],
                     [{"contentBlockDelta": {"delta": {"reasoningContent": {"text": "hm"}}}}, {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "SIG"}}}}, {"contentBlockDelta": {"delta": {"text": "Four."}}}]):
            answer, left = self.held_in("langfuse.observation.output", json.dumps(held))
            self.assertEqual((answer, json.dumps(left).count("SIG")), ("Four.", 1))

    def test_prompts_in_a_list(self):
        for given in self.each(("a list", {"llm.prompts": ["From X. Hi?"]}), ("beside a value", {"llm.prompts": ["From X. Hi?"], "input.value": '{"prompts":["From X. Hi?"]}'}),
                               ("a value", {"input.value": '{"prompts":["From X. Hi?"]}'}), ("by numbers", {"llm.prompts.0.prompt.text": "From X. Hi?"})):
            self.take(self.one(0, {"openinference.span.kind": "LLM", "llm.model_name": "m", "output.value": "Yo", **given[0]}))
            self.assertEqual((self.response()["prompt"], self.response()["question"]), ("From X. Hi?", "From X. Hi?"))

    def test_pictures_of_ollama(self):
        for held in ({"model": "l", "messages": [{"role": "user", "content": "What is it?", "images": [PNG]}]}, {"model": "l", "prompt": "What is it?", "images": [PNG]}):
            prompt, left = self.held_in("langfuse.observation.input", json.dumps(held))
            self.assertRegex(prompt, r"^What is it\?\n\n\[image/png, 208 bytes, base64 sha256 [0-9a-f]{32}\]$")
            self.assertNotIn("images", left)

    def test_messages_of_pydantic_ai(self):
        asked = [{"kind": "request", "parts": [{"content": "Be short.", "part_kind": "system-prompt"}, {"content": "Sky?", "part_kind": "user-prompt", "timestamp": "2026-10-01T00:00:00Z"}]},
                 {"kind": "response", "parts": [{"tool_name": "sky", "args": "{}", "tool_call_id": "c1", "part_kind": "tool-call"}]},
                 {"kind": "request", "parts": [{"tool_name": "sky", "content": {"clouds": 3}, "tool_call_id": "c1", "part_kind": "tool-return"}]}]
        answered = {"kind": "response", "parts": [{"content": "Hm.", "part_kind": "thinking"}, {"content": "Grey.", "part_kind": "text"}]}
        self.take(self.one(0, {"langfuse.observation.type": "generation", "langfuse.observation.input": json.dumps(asked), "langfuse.observation.output": json.dumps(answered)}))
        made = self.response()
        self.assertEqual([(each["role"], made["prompt"][each["start"]:each["end"]]) for each in made["prompt_messages"]],
                         [("system", "Be short."), ("user", "Sky?"), ("assistant", '{"type":"tool_call","id":"c1","name":"sky","arguments":"{}"}'), ("tool", '{"clouds":3}')])
        self.assertEqual((made["question"], made["content"], made["attributes"]["reasoning"]), ("Sky?", "Grey.", "Hm."))
        self.next_trace()
        self.take(self.one(1, {"agent_name": "sky_agent", "model_name": "m"}, end=9, name="agent run"), self.one(2, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, 1, 4, 1))
        self.assertEqual(self.response(2)["agent"], "sky_agent")

    # --- results ---

    def test_a_result_that_is_no_wrapper_stays_whole(self):
        for response, right in self.each(
                ("text and more", {"text": "hi", "lang": "en"}, '{"text":"hi","lang":"en"}'),
                ("texts with sources", [{"text": "hi", "source": "a.md"}, {"text": "ho", "source": "b.md"}], '[{"text":"hi","source":"a.md"},{"text":"ho","source":"b.md"}]'),
                ("typed value and more", {"type": "json", "value": "v", "currency": "CHF"}, '{"type":"json","value":"v","currency":"CHF"}'),
                ("within a wrapper", {"type": "json", "value": {"text": "hi", "lang": "en"}}, '{"text":"hi","lang":"en"}'),
                ("a list with more than its wrapper", [{"json": {"a": 1}, "meta": 2}], '[{"json":{"a":1},"meta":2}]'),
                ("a wrapper", {"type": "text", "value": "hi"}, "hi"), ("a wrapper of JSON", [{"json": {"a": 1}}], '{"a":1}'),
                ("parts", [{"type": "text", "text": "hi"}, {"type": "text", "text": "ho"}], "hi\n\nho"),
                ("text of JSON", '{"text":"hi","lang":"en"}', '{"text":"hi","lang":"en"}')):
            self.take(self.chat(0, [said("user", "q"), result(response)], [said("assistant", "x")]))
            self.assertEqual(self.response()["prompt"], "user: q\n\ntool: " + right)

    # --- members beside what is read ---

    def test_names_of_files_are_in_their_place(self):
        for part, words in self.each(
                ("OpenAI", {"type": "file", "file": {"filename": "drac.pdf", "file_data": "data:application/pdf;base64," + PDF}}, ["drac.pdf", "[application/pdf, 9 bytes"]),
                ("Anthropic", {"type": "document", "title": "Lease 7", "context": "signed", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
                 ["Lease 7", "signed", "[application/pdf, 9 bytes"]),
                ("Anthropic, by id", {"type": "document", "title": "Lease 7", "source": {"type": "file", "file_id": "file_77"}}, ["Lease 7", "[file file_77]"]),
                ("Bedrock", {"document": {"format": "pdf", "name": "report", "source": {"bytes": PDF}}}, ["report", "[document/pdf, 9 bytes"]),
                ("AI SDK", {"type": "file", "mediaType": "application/pdf", "filename": "c.pdf", "data": PDF}, ["c.pdf", "[application/pdf, 9 bytes"]),
                ("speech", {"type": "input_audio", "input_audio": {"data": "UklGRnoGAABXQVZF", "format": "wav", "transcript": "spoken"}}, ["[audio/wav, 12 bytes", "spoken"])):
            self.take(self.chat(0, [said("user", "before", part, "after")], [said("assistant", "x")]))
            prompt = self.response()["prompt"]
            places = [prompt.find(word) for word in ("before", *words, "after")]
            self.assertEqual((places, -1 in places), (sorted(places), False), prompt)
            self.assertNotIn("gen_ai.input.messages", self.response()["attributes"])

    def test_members_that_no_message_has_are_kept_beside_it(self):
        at = lambda part: {"0": {"parts": {"0": part}}}
        for part, left in self.each(
                ("name of a function", {"functionResponse": {"name": "sky", "response": {"r": 1}}}, {"functionResponse": {"name": "sky"}}),
                ("status", {"toolResult": {"toolUseId": "t", "content": [{"text": "no"}], "status": "error"}}, {"toolResult": {"status": "error"}}),
                ("a vendor's", {"type": "tool_call_response", "id": "c", "response": "r", "note": 5}, {"note": 5}),
                ("detail", {"type": "image_url", "image_url": {"url": "https://e.org/x", "detail": "low"}}, {"image_url": {"detail": "low"}}),
                ("media type of an address", {"type": "uri", "modality": "video", "mime_type": "video/mp4", "uri": "gs://b/v"}, {"mime_type": "video/mp4"}),
                ("of a part of a result", {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]},
                 {"content": {"0": {"cache_control": {"type": "ephemeral"}}}}),
                ("signature", {"type": "thinking", "thinking": "hm", "signature": "SIG"}, {"signature": "SIG"}),
                ("encrypted reasoning", {"type": "reasoning", "summary": [], "encrypted_content": "ENC"}, {"encrypted_content": "ENC"}),
                ("nothing", {"type": "text", "content": "hi"}, None)):
            self.take(self.chat(0, [said("user", part, "q?")], [said("assistant", "x")]))
            made = self.response()
            self.assertEqual(made["attributes"].get("gen_ai.input.messages"), at(left) if left else None)
            self.assertNotIn("[]", made["prompt"] + made["attributes"].get("prompt_reasoning", ""))

    def test_members_of_what_a_tool_gave(self):
        self.take(self.tool(0, json.dumps({"content": [{"type": "text", "text": "hi", "annotations": {"audience": ["user"]}}]})))
        unit = self.record(f"ContextUnit:cu_{self.t}_{number(0)}")
        self.assertEqual((unit["content"], unit["attributes"]["gen_ai.tool.call.result"]), ("hi", {"content": {"0": {"annotations": {"audience": ["user"]}}}}))

    # --- inline bytes ---

    def test_bytes_are_named_wherever_they_stand(self):
        link, image = "data:image/png;base64," + PNG, [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG}}]
        gave = json.dumps({"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]})
        inference = {"openinference.span.kind": "LLM", "llm.model_name": "m", "output.value": "x"}
        for item, type_ in self.each(
                ("JSON of a result", self.chat(0, [said("user", "q"), result(gave)], [said("assistant", "x")]), "image/png"),
                ("JSON without a type", self.chat(1, [said("user", "q"), result(json.dumps({"shot": PNG}))], [said("assistant", "x")]), "image/png"),
                ("among words", self.chat(2, [said("user", f"see ![x]({link}) here")], [said("assistant", "x")]), "image/png"),
                ("base64 among words", self.chat(3, [said("user", f"see {PNG} here")], [said("assistant", "x")]), "image/png"),
                ("a tool's text", self.tool(4, f"Here it is: {link}"), "image/png"),
                ("a request beside the messages", self.one(5, {**inference, "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "q",
                                                               "input.value": json.dumps({"messages": [{"role": "user", "content": image}]})}), "image/png"),
                ("an attribute of others", self.one(6, {**inference, "my.image": link}), "image/png"),
                ("files of an answer", self.one(7, {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.text": "x",
                                                    "ai.response.files": json.dumps([{"mediaType": "image/webp", "base64": WEBP}])}), "image/webp"),
                ("a passage", self.one(8, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "what is it",
                                           "gen_ai.retrieval.documents": json.dumps([{"id": "a", "content": link}])}), "image/png")):
            before = self.every_record().count(f"[{type_}, ")
            self.take(item)
            whole = self.every_record()
            self.assertNotIn(PNG[:24], whole)
            self.assertNotIn(WEBP[:24], whole)
            self.assertGreater(whole.count(f"[{type_}, "), before)

    def test_words_and_digests_beside_a_format_stay(self):
        """What is beside a format or an address is bytes where it is long enough and no digest, or stands in what is a medium."""
        tiff, digest = base64.b64encode(b"II*\0" + bytes(range(80))).decode(), hashlib.sha256(b"x").hexdigest()
        for held in ({"format": "pdf", "result": "reports/2026/summary"}, {"format": "png", "image": "quarterly_revenue_chart"}, {"format": "png", "data": [10, 20, 30]},
                     {"uri": "git://x", "blob": "9fceb02d0ae598e95dc970b74767f19372d61af8"}, {"uri": "git://x", "blob": digest}, {"format": "tiff", "result": digest * 2},
                     {"type": "image", "image": "quarterly_revenue_chart"}, {"mimeType": "application/pdf", "result": "reports/2026/summary"}):
            self.next_trace()
            self.take(self.tool(0, json.dumps({"found": held})))
            self.assertEqual(json.loads(self.record(f"ContextUnit:cu_{self.t}_{number(0)}")["content"]), {"found": held})
        for held, wanted in (({"format": "tiff", "result": tiff}, "[image/tiff, 84 bytes"), ({"uri": "file:///b", "blob": tiff}, "[bytes, 84 bytes"),
                             ({"uri": "file:///b", "blob": tiff[:32], "mimeType": "image/tiff"}, "[image/tiff, 24 bytes"), ({"audio": {"format": "mp3", "data": tiff[:32]}}, "[audio/mp3, 24 bytes"),
                             ({"contents": [{"uri": "file:///b", "blob": tiff[:32]}]}, "[bytes, 24 bytes"), ({"format": "png", "data": {"type": "Buffer", "data": [1, 2, 3]}}, "[image/png, 3 bytes")):
            self.next_trace()
            self.take(self.tool(0, json.dumps({"found": held})))
            content = self.record(f"ContextUnit:cu_{self.t}_{number(0)}")["content"]
            self.assertIn(wanted, content)
            self.assertNotIn(tiff[:32], content)

    def test_words_below_bytes_stay(self):
        """Bytes are on one line or on lines of 76; what is said below them is no line of theirs."""
        picture = lambda size: PNG_BYTES[:size]
        one_line, lines = lambda size: base64.b64encode(picture(size)).decode(), lambda size: base64.encodebytes(picture(size)).decode()
        named = lambda size: f"[image/png, {size} bytes, base64 sha256 {hashlib.sha256(one_line(size).encode()).hexdigest()[:32]}]"
        for given, size, below in ((one_line(69), 69, "\nDescribe the picture above"), (one_line(69), 69, "\n\nDescribe"), (one_line(57), 57, "\nDescribe"), (one_line(57), 57, "\nname=\"x\""),
                                   (lines(64), 64, "Describe it."), (lines(114), 114, "Describe"), (lines(114), 114, "WHAT\nis it"), (lines(129), 129, "Describe"),
                                   (lines(129), 129, "\nDescribe"), (lines(208), 208, "Describe the picture"), (lines(208).replace("\n", "\r\n"), 208, "Describe it")):
            for before in ("", "data:image/png;base64,", "See data:image/png;base64,"):
                self.next_trace()
                self.take(self.chat(0, [said("user", before + given + below)], [said("assistant", "x")]))
                end = given[len(given.rstrip("\r\n")):]
                wanted = before.removesuffix("data:image/png;base64,") + named(size) + end + below
                self.assertEqual(self.response()["prompt"], wanted, (size, before, below))
                self.take(self.tool(1, json.dumps({"shown": before + given + below})))
                self.assertEqual(json.loads(self.record(f"ContextUnit:cu_{self.t}_{number(1)}")["content"]), {"shown": wanted}, (size, before, below))

    def test_words_about_bytes_stay(self):
        for text in ("Write data:image/png;base64,... there", "data: none; base64, too", "a/9j/b iVBORw0KGgo is how a PNG begins", "mydata:text;base64,abc"):
            self.next_trace()
            self.take(self.chat(0, [said("user", text)], [said("assistant", "x")]))
            self.assertEqual(self.response()["prompt"], text)

    # --- calls without arguments ---

    def test_a_call_without_arguments_is_the_same_call(self):
        asked = [said("user", "time?")]
        full = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_q1w2e3r4", "type": "function", "function": {"name": "now", "arguments": "{}"}}]}
        for call in self.each(("no member", {}), ("null", {"arguments": None}), ("an empty text", {"arguments": ""}), ("an empty object", {"arguments": {}})):
            made = said("assistant", {"type": "tool_call", "id": "call_q1w2e3r4", "name": "now", **call[0]})
            self.take(self.chat(0, asked, [made]), self.chat(1, [*asked, full, result("12:00", id="call_q1w2e3r4")], [said("assistant", "Noon.")], 4, 5))
            self.assertEqual(self.causes(1).get(f"Response:resp_{self.t}_{number(0)}"), "text")

    # --- messages that are JSON text ---

    def test_messages_that_are_json_text(self):
        first, second, answer = said("user", "first"), said("user", "second"), said("assistant", "ans")
        for given, answered in self.each(("a list of texts", [json.dumps(first), json.dumps(second)], [json.dumps(answer)]),
                                         ("a text of a list of texts", json.dumps([json.dumps(first), json.dumps(second)]), json.dumps([json.dumps(answer)])),
                                         ("JSON of JSON", json.dumps(json.dumps([first, second])), json.dumps(json.dumps([answer])))):
            made = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": given, "gen_ai.output.messages": answered}
            self.take(self.one(0, made))
            self.assertEqual((self.response()["prompt"], self.response()["content"]), ("user: first\n\nuser: second", "ans"))
        self.next_trace()
        texts = ['{"town":"Bern"}', '"quoted"']  # JSON that is no message is a text
        for n, text in enumerate(texts):
            self.take(self.chat(n, [said("user", text)], [said("assistant", text)]))
            self.assertEqual((self.response(n)["prompt"], self.response(n)["content"]), (text, text))

    def test_a_result_of_the_ai_sdk_as_text(self):
        call = {"toolCallId": "call_9", "toolName": "sky", "args": {}}
        for answered, right in self.each(("no calls", {"text": "Blue.", "toolCalls": []}, "Blue."),
                                         ("calls", {"text": "I look.", "toolCalls": [call]}, "I look.\n\n" + json.dumps([call], separators=(",", ":")))):
            self.take(self.one(0, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.completion": json.dumps(answered),
                                   "gen_ai.prompt": json.dumps({"messages": [{"role": "user", "content": "Sky?"}]})}))
            self.assertEqual((self.response()["prompt"], self.response()["content"]), ("Sky?", right))

    def test_reasoning_of_log_records(self):
        self.take(self.chat(0, (), [said("assistant", "x")]))
        self.take(log(self.t, number(0), "gen_ai.user.message", START, {}, {"content": "q?"}),
                  log(self.t, number(0), "gen_ai.assistant.message", START + 1, {}, {"content": "yes", "reasoning_content": "because"}))
        made = self.response()
        self.assertEqual((made["prompt"], made["attributes"]["prompt_reasoning"]), ("user: q?\n\nassistant: yes", "because"))


if __name__ == "__main__":
    unittest.main()
