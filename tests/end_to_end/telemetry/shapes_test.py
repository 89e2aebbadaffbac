"""Claim: what a program says is recorded alike, whichever convention, place and shape it is said in.

Method: for each kind of thing one example in each of several conventions or places, with the right value beside it. Each example has a
trace of its own on one server, but where all that is there is counted.
"""
import base64
import json
import os
import subprocess
import tempfile

from support.otlp import log, post, send, span
from support.wire_case import FreshServerCase

START, MS = 1_790_000_000_000_000_000, 1_000_000
WEATHER = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"town":"Bern"}'}}
URL, DATA = "https://e.org/map.png", "iVBORw0KGgoAAAANSUhEUgAAAAUA"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes((7 * i + 3) % 256 for i in range(292))
LINES, ESCAPED = base64.encodebytes(PICTURE).decode(), base64.b64encode(PICTURE).decode().replace("+", "%2B").replace("/", "%2F")


def number(n):
    return f"{n + 1:016x}"


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def genai(given=(), answered=(), **more):
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **({"gen_ai.input.messages": json.dumps(given)} if given else {}),
            **({"gen_ai.output.messages": json.dumps(answered)} if answered else {}), **more}


def inference(given=(), answered=(), **more):
    made = {"openinference.span.kind": "LLM", "llm.model_name": "m", **more}
    for which, messages in (("input", given), ("output", answered)):
        for place, message in enumerate(messages):
            made |= {f"llm.{which}_messages.{place}.message.{name}": value for name, value in message.items()}
    return made


def loop(given=(), answered=()):
    made = {"llm.request.type": "chat", "gen_ai.request.model": "m"}
    for which, messages in (("prompt", given), ("completion", answered)):
        for place, message in enumerate(messages):
            made |= {f"gen_ai.{which}.{place}.{name}": value for name, value in message.items()}
    return made


def langfuse(given=None, answered=None, kind="generation"):
    return {"langfuse.observation.type": kind, **({"langfuse.observation.input": json.dumps(given)} if given else {}),
            **({"langfuse.observation.output": json.dumps(answered)} if answered else {})}


class ShapesTest(FreshServerCase):
    trace = 0

    def setUp(self):
        super().setUp()
        type(self).trace += 1
        self.t = f"{self.trace + 1:032x}"

    def next_trace(self):
        type(self).trace += 1
        self.t = f"{self.trace + 1:032x}"

    def one(self, n, attributes, begin=0, end=5, parent=None, events=(), name="s"):
        return span(self.t, number(n), name, START + begin * MS, START + end * MS, attributes, None if parent is None else number(parent),
                    [(START + at * MS, event, held) for at, event, held in events])

    def log(self, n, event, body=None, attributes=None, at=0):
        return log(self.t, number(n), event, START + at * MS, attributes or {}, body)

    def take(self, *items, form="json"):
        for status, _, _ in send(self.server, list(items), form):
            self.assertEqual(status, 200)

    def record(self, type_, id_):
        nodes = self.server.rpc("node.get", {"ref": f"{type_}:{id_}", "include": ["record"]})["nodes"]
        return nodes[0]["record"]

    def response(self, n):
        return self.record("Response", f"resp_{self.t}_{number(n)}")

    def found(self, type_):
        nodes = self.server.rpc("node.find", {"type": type_, "include": ["record"], "limit": 1000})["nodes"]
        return [n["record"] for n in nodes if self.t in n["ref"]]

    def causes(self, n):
        return {x["ref"] for x in self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(n)}", "limit": 1000})["nodes"]}

    def each(self, table):
        for name, *rest in table:
            self.next_trace()
            with self.subTest(name):
                yield rest

    # --- order ---

    def test_choices_are_in_the_order_of_their_index(self):
        choices = [{"index": 1, "message": {"content": "second"}}, {"index": 0, "message": {"content": "first"}}]
        self.take(self.one(1, genai(), events=[(4, "gen_ai.choice", {"index": each["index"], "message": json.dumps(each["message"])}) for each in choices]))
        self.assertEqual(self.response(1)["content"], "first\n\nsecond")
        self.take(self.one(2, genai()), *(self.log(2, "gen_ai.choice", each) for each in choices))
        self.assertEqual(self.response(2)["content"], "first\n\nsecond")

    def test_messages_of_one_moment(self):
        said = [("user", "z one"), ("assistant", "y two"), ("user", "a three")]
        records = [self.log(1, f"gen_ai.{role}.message", {"content": content}) for role, content in said]
        right = "\n\n".join(f"{role}: {content}" for role, content in said)
        self.take(self.one(1, genai()), *records)
        self.take(*records)  # again, as after a failure
        self.assertEqual(self.response(1)["prompt"], right)

    # --- what several places say of one call ---

    def test_span_and_log_records_are_joined(self):
        details = "gen_ai.client.inference.operation.details"
        right = "system: Be short.\n\nuser: When?"
        for call, record, wanted in self.each((
                ("instructions in the record", genai([text("user", "When?")]), (details, None, {"gen_ai.system_instructions": '[{"type":"text","content":"Be short."}]'}), right),
                ("question in the record", loop([{"role": "system", "content": "Be short."}]), ("gen_ai.user.message", {"content": "When?"}, None), right),
                ("history in the record", genai([text("user", "When?")]),
                 (details, None, {"gen_ai.input.messages": json.dumps([text("user", "Hi"), text("assistant", "Hello"), text("user", "When?")])}),
                 "user: Hi\n\nassistant: Hello\n\nuser: When?"),
                ("the same twice", genai([text("user", "When?")]), ("gen_ai.user.message", {"content": "When?"}, None), "When?"))):
            self.take(self.one(1, call), self.log(1, *record))
            self.take(self.one(2, call))
            self.take(self.log(2, *record))
            self.take(self.log(3, *record))
            self.take(self.one(3, call))
            for n in (1, 2, 3):
                self.assertEqual(self.response(n)["prompt"], wanted)

    def test_calls_of_tools_and_reasoning_in_log_records(self):
        self.take(self.one(1, genai(answered=[text("assistant", "Let me look.")])),
                  self.log(1, "gen_ai.choice", {"index": 0, "message": {"content": "Let me look.", "tool_calls": [WEATHER], "reasoning_content": "He asks."}}))
        made = self.response(1)
        self.assertTrue(made["content"].startswith("Let me look."))
        self.assertIn("weather", made["content"])
        self.assertEqual(made["attributes"]["reasoning"], "He asks.")

    def test_equal_messages_of_one_moment_are_each_a_message(self):
        said = [("user", "Go on"), ("assistant", "One"), ("user", "Go on")]
        records = [self.log(1, f"gen_ai.{role}.message", {"content": content}) for role, content in said]
        self.take(self.one(1, genai()), *records)
        self.take(*records)  # again, as after a failure
        self.take(self.log(1, "gen_ai.user.message", {"content": "And then?"}))  # of the same moment, later
        self.assertEqual(self.response(1)["prompt"], "user: Go on\n\nassistant: One\n\nuser: Go on\n\nuser: And then?")

    def test_text_and_calls_of_tools_in_two_places(self):
        calls = json.dumps({"tool_calls": [WEATHER]})
        for call, records in self.each((
                ("attribute and event", self.one(1, genai(**{"gen_ai.completion": "Let me look."}), events=[(4, "gen_ai.choice", {"message": calls})]), ()),
                ("messages and event", self.one(1, genai(answered=[text("assistant", "Let me look.")]), events=[(4, "gen_ai.choice", {"message": calls})]), ()),
                ("messages and record", self.one(1, genai(answered=[text("assistant", "Let me look.")])), ({"index": 0, "message": {"tool_calls": [WEATHER]}},)))):
            call["trace"] = self.t
            self.take(call, *(self.log(1, "gen_ai.choice", each) for each in records))
            made = self.response(1)["content"]
            self.assertTrue(made.startswith("Let me look.\n\n["), made)
            self.assertIn("Bern", made)
            self.take(*(self.log(1, "gen_ai.choice", each) for each in records))
            self.assertEqual(self.response(1)["content"], made)

    # --- parts ---

    def test_images_in_results_of_tools(self):
        for part, has, lacks in self.each((
                ("MCP", {"type": "image", "data": DATA, "mimeType": "image/png"}, "image/png", DATA),
                ("Anthropic", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}, "image/png", DATA),
                ("OpenAI", {"type": "image_url", "image_url": {"url": "data:image/png;base64," + DATA}}, "image/png", DATA),
                ("Gemini", {"inline_data": {"mime_type": "image/png", "data": DATA}}, "image/png", DATA),
                ("by address", {"type": "image", "source": {"type": "url", "url": URL}}, URL, "source"))):
            result = [{"type": "text", "text": "Seen."}, part]
            self.take(self.one(1, genai([{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": result}]}])))
            prompt = self.response(1)["prompt"]
            self.assertTrue(prompt.startswith("Seen.\n\n["), prompt)
            self.assertIn(has, prompt)
            self.assertNotIn(lacks, prompt)

    def test_inline_bytes_in_any_shape(self):
        numbers = [137, 80, 78, 71, 13, 10, 26, 10]
        part = lambda image, **more: [{"type": "text", "text": "Look."}, {"type": "image", "image": image, **more}]
        for attributes, has, lacks in self.each((
                ("a buffer", inference(**{"input.value": json.dumps({"messages": [{"role": "user", "content": part({"type": "Buffer", "data": numbers}, mediaType="image/png")}]})}), "image/png, 8 bytes", "137"),
                ("numbers", loop([{"role": "user", "content": json.dumps(part(numbers, mimeType="image/png"))}]), "image/png, 8 bytes", "137"),
                ("numbered places", genai([{"role": "user", "parts": part({str(i): n for i, n in enumerate(numbers)}, mediaType="image/png")}]), "image/png, 8 bytes", "137"),
                ("a part of another name", genai([{"role": "user", "parts": [{"type": "text", "content": "Look."}, {"type": "scan", "bytes": DATA, "mime_type": "image/tiff"}]}]), "image/tiff, 21 bytes", DATA),
                ("images of a model", inference(**{"output.value": json.dumps({"created": 1, "data": [{"b64_json": DATA}]})}), "[image, 21 bytes", DATA),
                ("a tool of the model", inference(**{"output.value": json.dumps({"output": [{"type": "image_generation_call", "id": "i", "output_format": "png", "result": DATA}]})}), "image/png, 21 bytes", DATA),
                ("predictions", langfuse("q", {"predictions": [{"bytesBase64Encoded": DATA, "mimeType": "image/png"}]}), "image/png, 21 bytes", DATA),
                ("sound in an attribute that stays", inference([{"role": "user", "content": "hear"}], **{"input.value": json.dumps({"messages": [{"role": "user", "content": [
                    {"type": "input_audio", "input_audio": {"data": "SUQzAwAA" * 4, "format": "mp3"}}]}]})}), "[audio/mp3, 24 bytes", "SUQzAwAA"),
                ("a source beside its format", inference([{"role": "user", "content": "see"}], **{"input.value": json.dumps({"messages": [{"role": "user", "content": [
                    {"image": {"format": "webp", "source": {"bytes": "UklGRgAA" * 4}}}]}]})}), "[image/webp, 24 bytes", "UklGRgAA"),
                ("in lines", genai([{"role": "user", "parts": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": LINES}}]}]), "image/png, 300 bytes", "iVBORw"),
                ("in lines, in an attribute that stays", genai(**{"note": json.dumps({"data": LINES, "mimeType": "image/x-raw"})}), "image/x-raw, 300 bytes", "iVBORw"),
                ("in lines, among words", genai([text("user", f"See this:\n{LINES}\nIs it Bern?")]), "this:\\n[image/png, 300 bytes", "iVBORw"),
                ("an escaped address", genai([{"role": "user", "parts": [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + ESCAPED}}]}]), "image/png, 300 bytes", "iVBORw"),
                ("an escaped address among words", genai([text("user", f"See data:image/png;base64,{ESCAPED} and say.")]), "See [image/png, 300 bytes", "iVBORw"),
                ("an address that is no base64", genai([{"role": "user", "parts": [{"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}}]}]), "image/svg+xml, 6 bytes", "svg/"),
                ("speech", langfuse("q", {"role": "assistant", "content": None, "audio": {"id": "a", "data": DATA, "transcript": "Hello."}}), "Hello.", DATA))):
            self.take(self.one(1, attributes))
            made = json.dumps(self.response(1))
            self.assertIn(has, made)
            self.assertNotIn(lacks, made)
        self.next_trace()
        self.take(self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shot",
                               "gen_ai.tool.call.result": json.dumps({"content": [{"type": "text", "text": "Done."}, {"type": "image", "data": DATA, "mimeType": "image/png"}]})}))
        self.assertTrue(self.record("ContextUnit", f"cu_{self.t}_{number(1)}")["content"].startswith("Done.\n\n[image/png, 21 bytes"))
        resource = {"type": "resource", "resource": {"uri": "file:///b.bin", "blob": "AwoRGB8m" * 4}}
        other = {"type": "resource", "resource": {"sha": "3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "blob": "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"}}
        self.take(self.one(2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read", "gen_ai.tool.call.result": json.dumps({"content": [resource, other]})}))
        content = self.record("ContextUnit", f"cu_{self.t}_{number(2)}")["content"]
        self.assertIn('"blob":"[bytes, 24 bytes, base64 sha256 ', content)
        self.assertIn('"blob":"3b18e512dba7', content)

    def test_inline_bytes_in_arguments_of_calls(self):
        """Of a call in an answer, in a prompt and of the tool's own span, as values or as JSON in a text, at any place; what is no bytes stays."""
        picture = DATA + "A" * 60
        plain = {"sha": "iVBORw0KGgo", "word": "data", "data": "A" * 80, "path": "/9j/x"}
        for held, has in self.each((
                ("beside a type", {"image": {"mimeType": "image/tiff", "data": picture}}, "image/tiff, 66 bytes"), ("an address", {"pages": ["data:application/pdf;base64," + picture]}, "application/pdf, 66 bytes"),
                ("a type that its beginning tells", {"screenshot": picture}, "image/png, 66 bytes"))):
            arguments = {"note": "Look.", **plain, **held}
            call = lambda given: {"id": "c1", "type": "function", "function": {"name": "see", "arguments": given}}
            told = [("as a value", arguments), ("as a text", json.dumps(arguments)), ("as a text in a text", json.dumps({"outer": json.dumps(arguments)}))]
            for n, (name, given) in enumerate(told):
                with self.subTest(name):
                    self.take(self.one(10 * n + 1, genai([{"role": "assistant", "tool_calls": [call(given)]}], [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "see", "arguments": given}]}])),
                              self.one(10 * n + 2, inference(**{"llm.output_messages.0.message.role": "assistant", "output.value": json.dumps({"choices": [{"message": {"role": "assistant", "tool_calls": [call(given)]}}]})})),
                              self.one(10 * n + 3, {"ai.operationId": "ai.generateText.doGenerate", "ai.response.toolCalls": json.dumps([{"toolCallId": "c1", "toolName": "see", "args": given}])}),
                              self.one(10 * n + 4, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "see", "gen_ai.tool.call.arguments": json.dumps(given) if n == 0 else given, "gen_ai.tool.call.result": "ok"}))
                    made = [self.response(10 * n + 1)["prompt"], *(self.response(10 * n + k)["content"] for k in (1, 2, 3)), self.record("ContextUnit", f"cu_{self.t}_{number(10 * n + 4)}")["attributes"]["arguments"]]
                    for each in made:
                        self.assertIn(has, each)
                        self.assertNotIn(picture, each)
                        self.assertIn("A" * 80, each)
                        self.assertIn("/9j/x", each)

    def test_a_result_is_what_the_tool_gave(self):
        whole = '{"town": "Bern", "sky": "rain"}'
        for given, content in self.each((("as it is", "rain", "rain"), ("the JSON of a text", '"rain"', "rain"), ("JSON", whole, whole), ("a list", '["rain"]', '["rain"]'),
                                         ("parts", '[{"type": "text", "text": "rain"}]', "rain"),
                                         ("MCP", '{"content": [{"type": "text", "text": "rain"}], "isError": false}', "rain"),
                                         ("MCP, failed", '{"content":[{"type":"text","text":"rain"}],"isError":true}', '{"content":[{"type":"text","text":"rain"}],"isError":true}'))):
            self.take(self.one(1, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.result": given}))
            self.assertEqual(self.record("ContextUnit", f"cu_{self.t}_{number(1)}")["content"], content)

    def test_contents_beside_a_content(self):
        self.take(self.one(1, inference([{"role": "user", "content": "What is it?", "contents.0.message_content.type": "image",
                                          "contents.0.message_content.image.image.url": URL}])))
        self.assertEqual(self.response(1)["prompt"], f"What is it?\n\n[image {URL}]")
        self.take(self.one(2, inference([{"role": "user", "content": "What is it?", "contents.0.message_content.type": "text", "contents.0.message_content.text": "What is it?",
                                          "contents.1.message_content.type": "image", "contents.1.message_content.image.image.url": URL}])))
        self.assertEqual(self.response(2)["prompt"], f"What is it?\n\n[image {URL}]")

    def test_prompts_and_choices_of_completions(self):
        self.take(self.one(1, inference(**{"llm.prompts.0.prompt.text": "Once upon", "llm.choices.0.completion.text": "a time"})))
        self.assertEqual((self.response(1)["prompt"], self.response(1)["content"]), ("Once upon", "a time"))

    def test_answers_of_providers(self):
        part = [{"type": "output_text", "text": "Here is X."}]
        for attributes, reasoning in self.each((
                ("Responses", inference(**{"output.value": json.dumps({"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "He wants X."}]},
                                                                                    {"type": "message", "role": "assistant", "content": part}]})}), "He wants X."),
                ("Gemini", inference(**{"output.value": json.dumps({"candidates": [{"content": {"role": "model", "parts": [{"text": "He wants X.", "thought": True},
                                                                                                                            {"text": "Here is X."}]}}]})}), "He wants X."),
                ("Converse", inference(**{"output.value": json.dumps({"output": {"message": {"role": "assistant", "content": [{"text": "Here is X."}]}}})}), None),
                ("a generation of LangChain", inference(**{"output.value": json.dumps({"generations": [[{
                    "text": "Here is X.", "generation_info": {"finish_reason": "stop"}, "type": "Generation"}]], "llm_output": None, "run": None, "type": "LLMResult"})}), None),
                ("a generation of LangChain JS", langfuse("q", {"generations": [[{"text": "Here is X.", "generationInfo": {}}]]}), None),
                ("a generation alone", langfuse("q", [{"text": "Here is X.", "generation_info": None, "type": "GenerationChunk"}]), None),
                ("thinking", loop(answered=[{"role": "thinking", "content": "He wants X."}, {"role": "assistant", "content": "Here is X."}]), "He wants X."),
                ("details", langfuse(answered={"role": "assistant", "content": "Here is X.", "reasoning_details": [{"type": "reasoning.text", "text": "He wants X."}]}),
                 "He wants X."))):
            self.take(self.one(1, attributes))
            made = self.response(1)
            self.assertEqual((made["content"], made["attributes"].get("reasoning")), ("Here is X.", reasoning))

    def test_answers_of_the_older_ai_sdk(self):
        self.take(self.one(1, {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.result.text": "Let me look.",
                               "ai.result.toolCalls": '[{"toolCallId":"c","toolName":"weather","args":{"town":"Bern"}}]'}),
                  self.one(2, {"ai.operationId": "ai.generateObject.doGenerate", "ai.model.id": "m", "ai.result.object": '{"town":"Bern"}'}))
        self.assertTrue(self.response(1)["content"].startswith("Let me look.\n\n["))
        self.assertIn("Bern", self.response(1)["content"])
        self.assertEqual(self.response(2)["content"], '{"town":"Bern"}')

    def test_answers_that_are_a_content_alone(self):
        for attributes, content in self.each((
                ("content", langfuse("q", {"content": "Yo"}), "Yo"), ("text", langfuse("q", {"text": "Yo"}), "Yo"),
                ("completion", inference(**{"output.value": '{"completion":"Yo"}'}), "Yo"),
                ("with what LangChain adds", langfuse("q", {"content": "Yo", "additional_kwargs": {}, "response_metadata": {"finish_reason": "stop"}}), "Yo"),
                ("an object of its own", langfuse("q", {"town": "Bern"}), '{"town": "Bern"}'),
                ("with a member of its own", langfuse("q", {"content": "Yo", "town": "Bern"}), '{"content": "Yo", "town": "Bern"}'),
                ("a text that is JSON", {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.text": '{"content":"Yo"}'}, '{"content":"Yo"}'))):
            self.take(self.one(1, attributes))
            self.assertEqual(self.response(1)["content"], content)

    def test_what_an_event_says_beside_its_message_stays(self):
        self.take(self.one(1, genai(**{"gen_ai.system": "x"}), events=[
            (0, "gen_ai.user.message", {"content": "q", "gen_ai.system": "x", "origin": "form"}), (4, "gen_ai.choice", {"finish_reason": "length", "message": "x"})]))
        made = self.response(1)
        self.assertEqual((made["prompt"], made["content"]), ("q", "x"))
        self.assertEqual((made["attributes"]["gen_ai.user.message"], made["attributes"]["gen_ai.choice"]), ({"0": {"origin": "form"}}, {"0": {"finish_reason": "length"}}))

    def test_answers_that_were_kept_as_a_stream(self):
        chunk = lambda **delta: {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        event = lambda type_, **more: {"type": type_, **more}
        block = lambda **delta: event("content_block_delta", index=0, delta=delta)
        gemini = lambda text: {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}
        for answered, in self.each((
                ("OpenAI", [chunk(role="assistant", content="Hel"), chunk(content="lo."), {"choices": [], "usage": {"total_tokens": 3}}]),
                ("completions", [{"object": "text_completion", "choices": [{"index": 0, "text": text}]} for text in ("Hel", "lo.")]),
                ("Gemini", [gemini("Hel"), gemini("lo.")]),
                ("Ollama", [{"message": {"role": "assistant", "content": text}, "done": False} for text in ("Hel", "lo.")]),
                ("LangChain", [{"type": "AIMessageChunk", "content": text} for text in ("Hel", "lo.")]),
                ("Anthropic", [event("message_start", message={"role": "assistant"}), event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
                               block(type="text_delta", text="Hel"), block(type="text_delta", text="lo."), event("message_stop")]),
                ("AI SDK", [event("text-start", id="0"), event("text-delta", id="0", delta="Hel"), event("text-delta", id="0", delta="lo."), event("text-end", id="0")]),
                ("Bedrock", [{"messageStart": {"role": "assistant"}}, *({"contentBlockDelta": {"delta": {"text": text}}} for text in ("Hel", "lo.")), {"messageStop": {}}]),
                ("Responses", [event("response.output_text.delta", delta="Hel"), event("response.output_text.delta", delta="lo.")]),
                ("Responses, at the end", [event("response.output_text.delta", delta="Hel"), event("response.completed", response={
                    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]}]})]))):
            self.take(self.one(1, langfuse("q", answered)))
            self.assertEqual(self.response(1)["content"], "Hello.")
        self.next_trace()
        call = lambda **more: chunk(tool_calls=[{"index": 0, **more}])
        self.take(self.one(1, langfuse("q", [chunk(role="assistant", reasoning_content="He "), chunk(reasoning_content="asks."), call(id="c", function={"name": "weather", "arguments": '{"town"'}),
                                             call(function={"arguments": ':"Bern"}'})])))
        self.assertIn(json.dumps('{"town":"Bern"}'), self.response(1)["content"])
        self.assertEqual(self.response(1)["attributes"]["reasoning"], "He asks.")
        self.next_trace()
        parts = [event("text", text="One."), event("reasoning", text="Hm.")]  # no stream
        self.take(self.one(1, langfuse("q", parts)))
        self.assertEqual(self.response(1)["content"], "One.")

    def test_pieces_of_odd_types_are_answered(self):
        event = lambda type_, **more: {"type": type_, **more}
        delta = lambda **more: {"choices": [{"delta": more}]}
        for answered in ([event("text", text=5), event("text-delta", delta="x")], [event("reasoning", text={"a": 1}), event("reasoning-delta", delta="x")],
                         [delta(choices=[5, {"a": 1}]), delta(choices=[{"a": 2}])], [delta(content=7), delta(content="x"), delta(content=[1])],
                         [{"choices": [{"index": index, "delta": {"content": "x"}}]} for index in ({"a": 1}, [1], "0", None, 0)],
                         [event("content_block_start", content_block={"type": "tool_use", "input": 5}), event("content_block_delta", delta={"partial_json": "{}"})]):
            self.next_trace()
            self.take(self.one(1, langfuse("q", answered)))
            self.assertIn("q", self.response(1)["prompt"])
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_prompts_in_further_shapes(self):
        human = {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "HumanMessage"], "kwargs": {"content": "When?"}}
        both = "system: Be short.\n\nuser: When?"
        for given, prompt in self.each((
                ("Responses", {"model": "m", "instructions": "Be short.", "input": "When?"}, both),
                ("Gemini", {"model": "m", "contents": "When?", "config": {"system_instruction": "Be short.", "temperature": 0.1}}, both),
                ("LangChain's dictionaries", [{"type": "system", "data": {"content": "Be short."}}, {"type": "human", "data": {"content": "When?"}}], both),
                ("LangChain's prompt", {"lc": 1, "type": "constructor", "id": ["langchain_core", "prompt_values", "ChatPromptValue"], "kwargs": {"messages": [human]}}, "When?"),
                ("LlamaIndex", [{"role": "user", "blocks": [{"block_type": "text", "text": "When?"}]}], "When?"))):
            self.take(self.one(1, langfuse(given, "x")))
            self.assertEqual(self.response(1)["prompt"], prompt)

    def test_answers_in_further_shapes(self):
        for answered, reasoning in self.each((
                ("AI SDK", {"text": "Yo", "toolCalls": [], "finishReason": "stop", "reasoningText": "Hm."}, "Hm."),
                ("LangChain", {"role": "assistant", "content": "Yo", "additional_kwargs": {"reasoning_content": "Hm."}}, "Hm."),
                ("completions", {"object": "text_completion", "choices": [{"index": 0, "text": "Yo", "finish_reason": "stop"}]}, None),
                ("LlamaIndex", {"message": {"role": "assistant", "blocks": [{"block_type": "text", "text": "Yo"}]}, "raw": {}}, None))):
            self.take(self.one(1, langfuse("q", answered)))
            self.assertEqual((self.response(1)["content"], self.response(1)["attributes"].get("reasoning")), ("Yo", reasoning))
        self.next_trace()
        self.take(self.one(1, {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.text": "Here.",
                               "ai.response.files": json.dumps([{"type": "file", "mediaType": "image/png", "data": DATA}])}))
        self.assertTrue(self.response(1)["content"].startswith("Here.\n\n[image/png, 21 bytes"))

    def test_documents_and_files_in_further_shapes(self):
        for part, has, lacks in self.each((
                ("a text", {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "All of it."}, "title": "Rules"}, "Rules\n\nAll of it.", "sha256"),
                ("parts", {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "All of it."}]}}, "All of it.", "source"),
                ("Bedrock", {"document": {"format": "pdf", "name": "n", "source": {"bytes": DATA}}}, "document/pdf, 21 bytes", DATA),
                ("Gemini", {"file_data": {"mime_type": "image/png", "file_uri": URL}}, f"[file {URL}]", "mime"),
                ("AI SDK, an address", {"type": "file", "mediaType": "image/png", "data": {"type": "url", "url": URL}}, f"[file {URL}]", "media"),
                ("AI SDK, bytes", {"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": DATA}}, "image/png, 21 bytes", DATA))):
            self.take(self.one(1, langfuse([{"role": "user", "content": [part]}], "x")))
            self.assertIn(has, self.response(1)["prompt"])
            self.assertNotIn(lacks, self.response(1)["prompt"])
        self.next_trace()
        self.take(self.one(1, loop([{"role": "tool", "tool_call_id": "c", "content": json.dumps({"note": "seen", "mimeType": "image/png", "data": DATA})}])))
        self.assertIn('"note":"seen"', self.response(1)["prompt"])
        self.assertNotIn(DATA, self.response(1)["prompt"])

    def test_calls_of_tools_beside_an_empty_content(self):
        self.take(self.one(1, langfuse(answered={"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [WEATHER]}})))
        self.assertIn("Bern", self.response(1)["content"])

    def test_what_no_message_keeps_stays_an_attribute(self):
        for attributes, name, left in self.each((
                ("finish reason", genai([{**text("user", "q"), "name": "alice"}], [{**text("assistant", "x"), "finish_reason": "length"}]),
                 "gen_ai.output.messages", {"0": {"finish_reason": "length"}}),
                ("name", genai([{**text("user", "q"), "name": "alice"}]), "gen_ai.input.messages", {"0": {"name": "alice"}}),
                ("of a family", loop([{"role": "user", "content": "q"}], [{"role": "assistant", "content": "x", "finish_reason": "length"}]),
                 "gen_ai.completion.0.finish_reason", "length"),
                ("settings", inference(**{"input.value": json.dumps({"messages": [{"role": "user", "content": "q"}], "temperature": 0.5})}), "input.value", {"temperature": 0.5}))):
            self.take(self.one(1, attributes))
            self.assertEqual(self.response(1)["attributes"].get(name), left)
        self.next_trace()
        self.take(self.one(1, genai([text("user", "q")], [text("assistant", '{"town":"Bern"}')])))
        self.assertEqual([name for name in self.response(1)["attributes"] if "messages" in name], [])

    def test_a_failed_call_says_why(self):
        body = {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": self.t, "spanId": number(1), "name": "chat", "startTimeUnixNano": str(START), "endTimeUnixNano": str(START + MS),
                                                              "status": {"code": 2, "message": "no quota"},
                                                              "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]}]}]}]}
        status, _, _ = post(self.server, "/v1/traces", json.dumps(body).encode())
        self.assertEqual(status, 200)
        made = self.response(1)["attributes"]
        self.assertEqual((made["otel.status_code"], made["otel.status_description"]), ("ERROR", "no quota"))

    # --- what a span is ---

    def test_kinds_without_a_row_are_no_calls(self):
        for attributes, in self.each((("MCP", {"mcp.method.name": "resources/read", "gen_ai.system": "x"}),
                                      ("rerank", {"llm.request.type": "rerank", "gen_ai.request.model": "m"}),
                                      ("Traceloop", {"traceloop.span.kind": "session", "gen_ai.request.model": "m"}))):
            self.take(self.one(1, attributes))
            self.assertEqual(self.found("Response"), [])

    def test_older_events_of_pydantic_ai(self):
        said = [{"event.name": "gen_ai.system.message", "role": "system", "content": "Be short.", "gen_ai.message.index": 0},
                {"event.name": "gen_ai.user.message", "role": "user", "content": "Sky?", "gen_ai.message.index": 1},
                {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [WEATHER], "gen_ai.message.index": 2},
                {"event.name": "gen_ai.tool.message", "role": "tool", "id": "c1", "content": "rain", "gen_ai.message.index": 3},
                {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "Wet."}}]
        for events, in self.each((("a text", json.dumps(said)), ("values", said), ("beside another", json.dumps([*said, {"event.name": "x"}])))):
            self.take(self.one(3, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "rain"}, 1, 2), self.one(1, genai(events=events), 3, 5))
            made = self.response(1)
            self.assertEqual((made["content"], made["question"]), ("Wet.", "Sky?"))
            self.assertEqual(made["prompt"], f"system: Be short.\n\nuser: Sky?\n\nassistant: {json.dumps([WEATHER], separators=(',', ':'))}\n\ntool: rain")
            self.assertIn(f"ContextUnit:cu_{self.t}_{number(3)}", self.causes(1))
            self.assertEqual("x" in str(made["attributes"].get("events")), isinstance(events, str) and '"x"' in events)
        self.next_trace()
        self.take(self.one(1, genai(events=json.dumps([{"at": 7, "name": "start"}, "stop"]))))
        self.assertEqual(self.response(1)["attributes"]["events"], json.dumps([{"at": 7, "name": "start"}, "stop"]))

    def test_texts_of_google_adk(self):
        asked = {"config": {"system_instruction": "Be short."}, "contents": [{"role": "user", "parts": [{"text": "When?"}]}]}
        outer = {"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "m", "gcp.vertex.agent.llm_request": json.dumps(asked),
                 "gcp.vertex.agent.llm_response": json.dumps({"content": {"role": "model", "parts": [{"text": "June."}]}})}
        self.take(self.one(1, outer))
        self.assertEqual((self.response(1)["prompt"], self.response(1)["content"]), ("system: Be short.\n\nuser: When?", "June."))
        self.take(self.one(2, {**outer, "gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": "{}"}))  # not captured
        self.assertEqual((self.response(2).get("prompt"), self.response(2).get("content")), (None, None))
        self.take(self.one(3, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gcp.vertex.agent.tool_call_args": '{"town":"Bern"}', "gcp.vertex.agent.tool_response": '{"sky":"rain"}'}))
        unit = self.record("ContextUnit", f"cu_{self.t}_{number(3)}")
        self.assertEqual((unit["content"], unit["attributes"]["arguments"]), ('{"sky":"rain"}', '{"town":"Bern"}'))
        for inner, in self.each((("texts at both", genai([text("user", "When?")], [text("assistant", "June.")])), ("texts at the outer one", genai()))):
            spans = [self.one(1, outer, 0, 9, name="call_llm"), self.one(2, inner, 1, 8, parent=1)]
            for each in spans if inner == genai() else reversed(spans):
                self.take(each)
            self.assertEqual([each["id"][-1] for each in self.found("Response")], ["3"])

    def test_messages_of_azure_ai(self):
        said = lambda held: {"gen_ai.system": "az.ai.inference", "gen_ai.event.content": json.dumps(held)}
        self.take(self.one(1, genai(), events=[(0, "gen_ai.system.message", said({"role": "system", "content": "Be short."})), (0, "gen_ai.user.message", said({"role": "user", "content": "When?"})),
                                               (4, "gen_ai.choice", said({"message": {"content": "June."}, "finish_reason": "stop", "index": 0}))]))
        self.assertEqual((self.response(1)["prompt"], self.response(1)["content"]), ("system: Be short.\n\nuser: When?", "June."))

    def test_runs_of_langsmith(self):
        run = lambda kind, operation, given, gave, **more: {"langsmith.span.kind": kind, "gen_ai.operation.name": operation, "gen_ai.system": "langchain",
                                                            "gen_ai.prompt": json.dumps(given), "gen_ai.completion": json.dumps(gave), **more}
        message = {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "ToolMessage"], "kwargs": {"content": "rain", "tool_call_id": "c", "status": "success"}}
        self.take(self.one(1, run("retriever", "embeddings", {"query": "price?"}, {"documents": [{"page_content": f"Costs 5 ({self.trace}).", "metadata": {"source": "faq.md"}}]})),
                  self.one(2, run("prompt", "chat", {"q": "x"}, {"output": "y"})),
                  self.one(3, run("tool", "execute_tool", {"input": "Bern"}, {"output": message}, **{"gen_ai.tool.name": "sky"})))
        self.assertEqual(self.record("Query", f"otel_{self.t}_{number(1)}")["question"], "price?")
        chunks = self.server.rpc("node.find", {"type": "RetrievedChunk", "include": ["record"], "limit": 1000})["nodes"]
        self.assertIn((f"Costs 5 ({self.trace}).", "faq.md"), [(x["record"]["content"], x["record"]["metadata"]["document_name"]) for x in chunks])
        self.assertEqual(self.found("Response"), [])
        unit = self.record("ContextUnit", f"cu_{self.t}_{number(3)}")
        self.take(self.one(4, run("llm", "chat", {"input": "q"}, {"output": "Yo"})))
        self.assertEqual((self.response(4)["prompt"], self.response(4)["content"]), ("q", "Yo"))
        self.assertEqual((unit["content"], unit["attributes"]["arguments"], unit["attributes"]["gen_ai.completion"]),
                         ("rain", '{"input": "Bern"}', {"output": {"kwargs": {"status": "success"}}}))

    def test_tools_by_the_names_of_each_convention(self):
        for attributes, in self.each((
                ("Spring AI", {"gen_ai.operation.name": "framework", "spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "sky", "spring.ai.tool.call.arguments": "Bern",
                               "spring.ai.tool.call.result": '"rain"'}),
                ("Mastra", {"gen_ai.operation.name": "tool.execute", "gen_ai.tool.name": "sky", "gen_ai.tool.input": "Bern", "gen_ai.tool.output": '"rain"'}),
                ("Pydantic AI", {"gen_ai.tool.name": "sky", "tool_arguments": "Bern", "tool_response": "rain"}),
                ("OpenLLMetry", {"traceloop.span.kind": "tool", "traceloop.entity.name": "sky", "traceloop.entity.input": "Bern",
                                 "traceloop.entity.output": json.dumps({"output": "rain", "kwargs": {"color": "green"}})}))):
            self.take(self.one(1, attributes))
            unit = self.record("ContextUnit", f"cu_{self.t}_{number(1)}")
            self.assertEqual((unit["source"], unit["content"], unit["attributes"]["arguments"]), ("tool:sky", "rain", "Bern"))
        self.assertEqual(unit["attributes"]["traceloop.entity.output"], {"kwargs": {"color": "green"}})

    def test_a_remote_agent_says_it_as_a_completion(self):
        self.take(self.one(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Tutor", "gen_ai.prompt": "2+2?", "gen_ai.completion": "4."}))  # of kind CLIENT
        self.assertEqual([(each["content"], each["agent"], each["prompt"]) for each in self.found("Response")], [("4.", "Tutor", "2+2?")])

    def test_a_remote_agent_says_it_in_an_event(self):
        for events, in self.each((("choice", [(0, "gen_ai.user.message", {"content": "2+2?"}), (4, "gen_ai.choice", {"message": '{"content":"4."}'})]),
                                  ("details", [(4, "gen_ai.client.inference.operation.details",
                                                {"gen_ai.input.messages": json.dumps([text("user", "2+2?")]), "gen_ai.output.messages": json.dumps([text("assistant", "4.")])})]))):
            self.take(self.one(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Tutor"}, events=events))  # of kind CLIENT
            self.assertEqual([(each["content"], each["agent"], each["prompt"]) for each in self.found("Response")], [("4.", "Tutor", "2+2?")])

    def test_a_remote_agent_says_it_in_log_records(self):
        details = {"gen_ai.input.messages": json.dumps([text("user", "2+2?")]), "gen_ai.output.messages": json.dumps([text("assistant", "4.")])}
        made = []
        for order, in self.each((("together", None), ("the span first", (0, 1)), ("the records first", (1, 0)))):
            items = [self.one(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Tutor", "gen_ai.response.model": "m", "gen_ai.usage.input_tokens": 3, "left": "as it is"}),
                     self.log(1, "gen_ai.client.inference.operation.details", attributes=details)]  # a span of kind CLIENT
            for part in ([items] if order is None else [[items[place]] for place in order]):
                self.take(*part)
            self.take(*items)
            found = self.found("Response")
            self.assertEqual([(x["content"], x["agent"], x["prompt"], x["model"], x["usage"], x["attributes"]["left"]) for x in found],
                             [("4.", "Tutor", "2+2?", "m", {"input_tokens": 3}, "as it is")])
            made.append(json.dumps(found).replace(self.t, ""))
        self.assertEqual(made[1:], made[:-1])
        self.take(self.one(2, genai([text("user", "2+2?")], [text("assistant", "4.")]), 1, 4, parent=1))  # it was no other process
        self.assertEqual([x["id"][-1] for x in self.found("Response")], ["3"])
        self.next_trace()
        self.take(self.one(1, {"gen_ai.operation.name": "invoke_agent"}), self.log(1, "gen_ai.user.message", {"content": "2+2?"}))
        self.assertEqual(self.found("Response"), [])

    def test_a_kind_in_another_case(self):
        self.take(self.one(1, {"openinference.span.kind": "llm", "output.value": "x"}))
        self.assertEqual([each["content"] for each in self.found("Response")], ["x"])

    def test_both_ends_of_mcp_are_one_source(self):
        """Client and server report what the tool around them gave, whichever comes first."""
        result = lambda shown, **more: {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gen_ai.tool.call.result": shown, **more}
        ends = {"mcp.method.name": "tools/call"}
        for order, in self.each((("as they end", (0, 1, 2, 3)), ("the tool first", (2, 1, 0, 3)), ("the tool last", (0, 1, 3, 2)), ("the server last", (3, 2, 1, 0)))):
            items = [self.one(3, result('{"content": [{"type": "text", "text": "Rain in the north."}]}', **ends), 2, 4, parent=2), self.one(2, result("Rain in the north.", **ends), 1, 5, parent=1),
                     self.one(1, result("Rain in the north.", **{"gen_ai.tool.call.id": "c"}), 0, 6),
                     self.one(4, genai([text("user", "Sky?"), {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "Rain in the north."}]}], [text("assistant", "Wet.")]), 7, 9)]
            for place in order:
                self.take(items[place])
            self.assertEqual([each["id"][-1] for each in self.found("ContextUnit")], ["2"])
            self.assertEqual({ref[-1] for ref in self.causes(4) if self.t in ref}, {"2"})
            self.assertEqual(self.response(4)["prompt_basis"].count("id"), 1)

    def test_an_agent_of_langfuse_is_named_by_its_observation(self):
        self.take(self.one(1, {"langfuse.observation.type": "agent"}, 0, 9, name="Billing"), self.one(2, langfuse(answered="Paid."), 1, 5, parent=1))
        self.assertEqual(self.response(2)["agent"], "Billing")

    def test_a_call_whose_answer_is_in_a_log_record_is_told_once(self):
        for order, in self.each((("outer first", (0, 1, 2)), ("answer first", (2, 1, 0)), ("outer last", (1, 2, 0)))):
            spans = (self.one(1, inference(answered=[{"role": "assistant", "content": "Hello.\n"}]), 0, 9), self.one(2, genai(), 1, 8, parent=1),
                     self.log(2, "gen_ai.choice", {"message": {"content": "Hello."}}, at=8))
            for place in order:
                self.take(spans[place])
            self.assertEqual([(each["id"][-1], each["content"]) for each in self.found("Response")], [("3", "Hello.")])

    def test_a_call_whose_json_is_spaced_otherwise_is_told_once(self):
        value = {"town": "Bern \" and  more", "sky": ["rain", "wind"], "degrees": 7}
        tight, wide = json.dumps(value, separators=(",", ":")), json.dumps(value, indent=2)
        for one, other, responses in self.each((("objects", tight, wide, 1), ("lists", f"[{tight}, 1]", f"[\n{wide},\n1]", 1), ("other white space within a text", tight, wide.replace("  more", " more"), 2))):
            self.take(self.one(1, inference(answered=[{"role": "assistant", "content": one}]), 0, 9), self.one(2, genai(answered=[text("assistant", other)]), 1, 8, parent=1))
            self.assertEqual(len(self.found("Response")), responses)
            self.assertEqual(self.response(2)["content"], other)

    def test_one_result_whose_json_is_spaced_otherwise_is_one_source(self):
        """By its text, since the tool's span has no id of the call; within a larger text too. Other words are another source."""
        value = {"sky": "rain, wind", "temp": 12, "list": [1, {"a": None}], "empty": {}}
        forms = {"tight": json.dumps(value, separators=(",", ":")), "plain": json.dumps(value), "wide": json.dumps(value, indent=2), "spaced": json.dumps(value, separators=(" , ", " : "))}
        tool = lambda given: self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gen_ai.tool.call.result": given}, 1, 2, parent=9)
        result = lambda shown: {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": shown}]}
        other = json.dumps({**value, "temp": 13})
        cases = [(f"{one} and {two}", forms[one], result(forms[two]), 1) for one in forms for two in forms]
        cases += [("within a text", forms["wide"], text("user", f"Context: {forms['tight']} Be brief."), 1), ("within JSON", forms["tight"], text("user", json.dumps({"found": forms["wide"]})), 1),
                  ("another", forms["tight"], result(other), 2)]
        for given, message, sources in self.each(cases):
            self.take(self.one(9, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, 0, 9), tool(given),
                      self.one(2, genai([text("user", "Sky?"), message], [text("assistant", "Wet.")]), 3, 5, parent=9))
            units = [each["id"] for each in self.found("ContextUnit")]
            basis = dict(zip(self.response(2)["prompt_refs"], self.response(2)["prompt_basis"]))
            self.assertEqual(units, [f"cu_{self.t}_{number(1)}"])
            self.assertEqual((basis.get("ContextUnit:" + units[0]) == "text", sum(each == "text" for each in basis.values())), (sources == 1, 2 - sources))

    def test_a_message_of_langchain_is_what_a_tool_gave(self):
        """The JSON of a ToolMessage as a tool's output: its content, and the id of the call. One that says more stays whole."""
        message = {"content": "Rain in the north.", "type": "tool", "name": "sky", "tool_call_id": "call_7a", "status": "success", "additional_kwargs": {}, "artifact": None}
        more = json.dumps({**message, "artifact": {"rows": 3}})
        for given, content in self.each((("whole", json.dumps(message), "Rain in the north."), ("short", '{"content":"Rain in the north.","tool_call_id":"call_7a"}', "Rain in the north."),
                                         ("parts", json.dumps({**message, "content": [{"type": "text", "text": "Rain in the north."}]}), "Rain in the north."), ("more", more, more))):
            self.take(self.one(9, {"openinference.span.kind": "AGENT"}, 0, 9), self.one(1, {"openinference.span.kind": "TOOL", "tool.name": "sky", "output.value": given}, 1, 2, parent=9),
                      self.one(2, inference([{"role": "user", "content": "Sky?"}, {"role": "tool", "tool_call_id": "call_7a", "content": "Rain in the north."}], [{"role": "assistant", "content": "Wet."}]), 3, 5, parent=9))
            self.assertEqual([(each["id"], each["content"]) for each in self.found("ContextUnit")], [(f"cu_{self.t}_{number(1)}", content)])
            self.assertIn(f"ContextUnit:cu_{self.t}_{number(1)}", self.causes(2))
            self.assertIn("id", self.response(2)["prompt_basis"])

    def test_what_a_tool_gave_is_in_its_events(self):
        self.take(self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book"},
                           events=[(0, "gen_ai.tool.message", {"role": "tool", "content": '{"to":"BLR"}'}), (4, "gen_ai.choice", {"message": '[{"text":"Booked."}]'})]))
        unit = self.record("ContextUnit", f"cu_{self.t}_{number(1)}")
        self.assertEqual((unit["content"], unit["attributes"]["arguments"]), ("Booked.", '{"to":"BLR"}'))

    # --- sources ---

    def test_items_without_texts_have_the_sources_of_their_own_step(self):
        found = lambda n, at, parent: self.one(n, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "question", "gen_ai.retrieval.documents": json.dumps([{"id": f"doc{n}.md"}])}, at, at + 1, parent)
        for step, in self.each((("tasks", {"traceloop.span.kind": "task", "traceloop.entity.name": "item"}), ("chains", {"openinference.span.kind": "CHAIN"}), ("plain spans", {"app": "item"}))):
            spans = [self.one(1, step, 0, 30), self.one(2, step, 1, 10, 1), found(3, 2, 2), self.one(4, genai(), 4, 5, 2), self.one(5, step, 11, 20, 1), found(6, 12, 5), self.one(7, genai(), 14, 15, 5),
                     self.one(8, genai(), 21, 22, 1)]
            ended = sorted(spans, key=lambda each: each["end"])
            self.take(*spans) if step.get("app") else [self.take(each) for each in ended]
            for call, sources in ((4, {"4"}), (7, {"7"}), (8, {"4", "7"})):
                self.assertEqual({ref[-1] for ref in self.causes(call) if ref.startswith("Query:")}, sources, call)

    def test_a_memory_says_what_it_found_in_an_event(self):
        self.take(self.one(1, {"gen_ai.operation.name": "search_memory"}, events=[(1, "gen_ai.client.memory.operation.details", {
            "gen_ai.memory.query.text": "diet", "gen_ai.memory.records": '[{"id":"m","content":"Eats no meat."}]'})]))
        nodes = self.server.rpc("node.find", {"type": "RetrievedChunk", "include": ["record"], "limit": 1000})["nodes"]
        self.assertEqual([each["record"]["content"] for each in nodes].count("Eats no meat."), 1)

    def test_an_answer_in_a_log_record_is_in_a_later_prompt_of_another_trace(self):
        for order, in self.each((("as they come", (0, 1, 2, 3)), ("the answer last", (2, 3, 0, 1)), ("the span last", (2, 3, 1, 0)))):
            said, other, chat = f"Open from nine, as ever ({self.trace}).", f"{int(self.t, 16) + 10**6:032x}", {"gen_ai.conversation.id": f"chat {self.trace}"}
            items = [span(other, number(1), "chat", START, START + 5 * MS, genai([text("user", "Hours?")], **chat)), log(other, number(1), "gen_ai.choice", START + 5 * MS, {}, {"message": {"role": "assistant", "content": said}}),
                     self.one(2, genai(**chat), 10, 19), self.log(2, "gen_ai.assistant.message", {"content": said}, at=10)]
            for place in order:
                self.take(items[place])
            self.assertIn(f"Response:resp_{other}_{number(1)}", self.causes(2))
            self.assertEqual([ref for ref in self.causes(2) if ref.startswith("ContextUnit:") and "assistant" in self.record("ContextUnit", ref[12:])["source"]], [])

    def test_a_result_in_a_log_record_joins_its_call_of_another_trace(self):
        for order, in self.each((("tool first", (0, 1, 2)), ("tool last", (1, 2, 0)))):
            other = f"{int(self.t, 16) + 10**6:032x}"
            tool = span(other, number(1), "sky", START, START + MS, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gen_ai.tool.call.id": f"call_{self.trace:09d}z", "gen_ai.tool.call.result": "blue"})
            items = [tool, self.one(2, genai(), 5, 9), self.log(2, "gen_ai.tool.message", {"id": f"call_{self.trace:09d}z", "content": "blue"}, at=5)]
            for place in order:
                self.take(items[place])
            self.assertEqual(self.causes(2), {f"ContextUnit:cu_{other}_{number(1)}"})

    def test_passages_in_any_shape(self):
        metadata, wanted = {"source": "faq.md"}, 0
        for attributes, events in self.each((
                ("Milvus", {"db.system": "milvus"}, [(1, "db.search.result", {"db.search.result.id": "7", "db.search.result.entity": json.dumps({"text": "Fact 0.", **metadata})})]),
                ("in the metadata", {"db.system": "x"}, [(1, "db.query.result", {"id": "7", "metadata": json.dumps({"text": "Fact 1.", **metadata})})]),
                ("parts", {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": json.dumps([{"id": "faq.md", "content": [{"type": "text", "content": "Fact 2."}]}])}, []),
                ("one", {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": json.dumps({"id": "faq.md", "memory": "Fact 3."})}, []),
                ("a list in an object", {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": json.dumps({"results": [{"id": "faq.md", "memory": "Fact 4."}]})}, []),
                ("Bedrock", {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps(
                    {"retrievalResults": [{"content": {"text": "Fact 5."}, "location": {"type": "S3", "s3Location": {"uri": "faq.md"}}}]})}, []),
                ("a search in files", {"gen_ai.tool.name": "file_search", "gen_ai.tool.call.result": json.dumps({"results": [{"file_id": "faq.md", "filename": "f", "text": "Fact 6."}]})}, []),
                ("an id in the metadata", langfuse("what", [{"page_content": "Fact 7.", "metadata": {"title": "Home", "id": "faq.md"}}], "retriever"), []),
                ("LangChain JS", langfuse("what", [{"pageContent": "Fact 8.", "metadata": metadata}], "retriever"), []),
                ("output", {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps({"documents": [{"page_content": "Fact 9.", "metadata": metadata}]})}, []))):
            self.take(self.one(1, attributes, events=events))
            nodes = self.server.rpc("node.find", {"type": "RetrievedChunk", "include": ["record"], "limit": 1000})["nodes"]
            made = {(node["record"]["content"], node["record"]["metadata"]["document_name"]) for node in nodes}
            wanted += 1
            self.assertEqual(made, {(f"Fact {n}.", "faq.md") for n in range(wanted)})

    def test_a_step_says_what_it_found_in_events(self):
        event = lambda n: (1, "db.search.result", {"db.search.result.id": str(n), "db.search.result.document": f"Step {n}.", "db.search.result.metadata": json.dumps({"source": f"step{n}.md"})})
        for attributes, in self.each((("a task", {"traceloop.span.kind": "task", "traceloop.entity.name": "search"}), ("a workflow", {"traceloop.span.kind": "workflow"}), ("a chain", {"openinference.span.kind": "CHAIN"}))):
            self.take(self.one(1, {"traceloop.span.kind": "workflow"}, 0, 20), self.one(2, attributes, 1, 3, 1, [event(1), event(2)]),
                      self.one(3, genai([text("user", "Given: Step 1. What?")], [text("assistant", "One.")]), 5, 9, 1))
            nodes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(3)}", "limit": 1000, "include": ["record"]})["nodes"]
            self.assertEqual({n["record"]["content"] for n in nodes if n["type"] == "RetrievedChunk"}, {"Step 1."})
            self.assertIn("Document:step1.md", {n["ref"] for n in nodes})
        self.take(self.one(5, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Clerk"}, events=[event(3)]), self.one(6, genai(), 1, 2, 5))
        self.assertEqual(self.response(6)["agent"], "Clerk")

    def test_documents_of_one_title_with_ids(self):
        self.take(self.one(1, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(
            [{"id": f"d{n}", "content": f"text {n}", "metadata": {"title": "Home", "author": "Ada"}} for n in range(3)])}))
        names = {n["record"]["document_name"] for n in self.server.rpc("node.find", {"type": "Document", "include": ["record"]})["nodes"]}
        self.assertEqual(names, {"d0", "d1", "d2"})
        query = self.record("Query", f"otel_{self.t}_{number(1)}")
        self.assertEqual(query["attributes"]["gen_ai.retrieval.documents"]["1"], {"metadata": {"title": "Home", "author": "Ada"}})

    def test_results_by_the_ids_of_each_convention(self):
        for given, in self.each((
                ("Responses", inference(**{"input.value": json.dumps({"input": [{"role": "user", "content": "Sky?"}, {"type": "function_call", "call_id": "call_z", "name": "sky", "arguments": "{}"},
                                                                                 {"type": "function_call_output", "call_id": "call_z", "output": "blue"}]})})),
                ("contents", inference([{"role": "tool", "tool_call_id": "call_z", "contents.0.message_content.type": "text", "contents.0.message_content.text": "blue"}])))):
            asked = self.one(1, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "sky", "ai.toolCall.id": "call_z"}, 0, 2)
            self.take(asked, self.one(2, given, 3, 5))
            self.assertEqual(self.record("ContextUnit", f"cu_{self.t}_{number(1)}")["content"], "blue")
            self.assertIn(f"ContextUnit:cu_{self.t}_{number(1)}", self.causes(2))
        self.next_trace()
        self.take(self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gen_ai.tool.call.id": "call_y"}, 0, 2), self.one(2, genai(), 3, 5),
                  self.log(2, "gen_ai.tool.message", {"id": "call_y", "content": "blue"}))
        self.assertIn(f"ContextUnit:cu_{self.t}_{number(1)}", self.causes(2))

    def test_an_answer_within_a_later_prompt(self):
        answer = "Bridge closed from 4 May."
        for given, in self.each((("a template", genai([text("user", f"Translate into German: {answer}")])),
                                 ("JSON", genai([text("user", json.dumps({"task": "translate", "text": answer}))])),
                                 ("instructions", genai([text("system", f"Context: {answer}"), text("user", "Translate")])),
                                 ("one text", genai(**{"gen_ai.prompt": f"Translate: {answer}"})),
                                 ("parts", {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": json.dumps(
                                     [{"role": "user", "content": [{"type": "text", "text": "Translate"}, {"type": "text", "text": answer}]}])}))):
            for is_late in (False, True):
                self.next_trace()
                first = self.one(1, genai([text("user", "Summarise: the bridge closes on 4 May.")], [text("assistant", answer)]), 0, 2)
                echo = self.one(3, genai([text("user", f"Say: {answer}")], [text("assistant", answer)]), 0, 3)  # it only repeats what it was given
                spans = [first, echo, self.one(2, given, 5, 8)]
                for each in reversed(spans) if is_late else spans:
                    self.take(each)
                responses = {ref for ref in self.causes(2) if ref.startswith("Response:")}
                self.assertIn(f"Response:resp_{self.t}_{number(1)}", responses)
                self.assertNotIn(f"Response:resp_{self.t}_{number(3)}", responses)

    def test_a_short_answer_within_a_prompt_shows_nothing(self):
        self.take(self.one(1, genai([text("user", "Is it?")], [text("assistant", "It is good.")]), 0, 2))
        self.take(self.one(2, genai([text("user", "They say: It is good. Rate it.")]), 3, 5))
        self.assertEqual([ref for ref in self.causes(2) if ref.startswith("Response:")], [])

    # --- ratings ---

    def test_ratings_of_any_shape(self):
        self.take(self.one(1, {"openinference.span.kind": "AGENT", "agent.name": "A", "output.value": "Two.", "evaluations.0.evaluation.name": "c", "evaluations.0.evaluation.score": 1.0,
                               "evaluations.0.evaluation.identifier": "v7"}, 0, 20),
                  self.one(2, inference(answered=[{"role": "assistant", "content": "One."}]), 1, 5, 1), self.one(3, inference(answered=[{"role": "assistant", "content": "Two."}]), 6, 9, 1),
                  self.log(2, "gen_ai.evaluation.result", {"gen_ai.evaluation.name": "t", "gen_ai.evaluation.score.label": "fail"}),
                  self.log(2, "gen_ai.evaluation.result", None, {"gen_ai.evaluation.name": "t", "gen_ai.evaluation.explanation": "for a reason"}),
                  self.one(4, {"openinference.span.kind": "RETRIEVER", "evaluations.0.evaluation.name": "relevance", "evaluations.0.evaluation.score": 1.0}, 0, 1))
        made = {(each["response_id"][-1], each.get("score"), each.get("feedback_text")) for each in
                (n["record"] for n in self.server.rpc("node.find", {"type": "FeedbackRecord", "include": ["record"]})["nodes"])}
        self.assertEqual(made, {("4", 1, None), ("3", None, "fail"), ("3", None, "for a reason")})
        self.assertEqual(self.record("Query", f"otel_{self.t}_{number(4)}")["attributes"]["evaluations.0.evaluation.name"], "relevance")

    # --- other doors ---

    def test_times_and_versions_of_openlineage(self):
        run = "3f10dbe8-4cbd-5e31-9b1f-af0cb9dda9c"
        for n, time in enumerate(("2026-10-01 03:20:00", "2026-10-01T03:20:00,5Z", "2026-10-01T03:20Z", "2026-10-01T05:20:00+0200", "2026-10-01T05:20:00+02", "2026-10-01T03:20:00z",
                                  "2026-10-01T05:20:00 +0200", "2026-10-01T03:20:00.1234567890Z", "2026-10-01T03:20:00.123456789012345+00:00")):
            event = {"eventType": "COMPLETE", "eventTime": time, "run": {"runId": f"{run}{n}"}, "job": {"namespace": "prod", "name": "j"}, "inputs": [],
                     "outputs": [{"namespace": "hdfs://nn:8020/", "name": "t", "facets": {"version": {"datasetVersion": 7}}}]}
            status, _, body = post(self.server, "/api/v1/lineage", json.dumps(event).encode())
            self.assertEqual((time, status), (time, 200), body)
            version = self.server.rpc("node.get", {"ref": f"ProvEntity:hdfs://nn:8020/t#run={run}{n}", "include": ["record"]})["nodes"][0]["record"]
            self.assertIn("2026-10-01T03:20:00", json.dumps(version))

    def test_imports_keep_errors_and_cut_characters(self):
        line = {"name": "llm", "span_kind": "LLM", "context": {"trace_id": self.t, "span_id": number(1)}, "start_time": "2026-10-01T10:00:00Z", "end_time": "2026-10-01T10:00:01Z",
                "status_code": "ERROR", "status_message": "no quota", "attributes": {"openinference.span.kind": "LLM", "llm.model_name": "m", "input.value": "Cut \ud83d"}}
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            done = subprocess.run([os.environ["WHENCE"], "import", "--format", "phoenix-jsonl", file.name, "--url", f"http://{self.server.authority}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = self.response(1)
        self.assertEqual((made["prompt"], made["attributes"]["otel.status_code"], made["attributes"]["otel.status_description"]), ("Cut \ufffd", "ERROR", "no quota"))
