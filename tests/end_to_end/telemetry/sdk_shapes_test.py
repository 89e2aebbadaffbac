"""Claim: what the newest packages send is recorded as it was said, whatever the order of its spans.

Method: spans in the shapes of these packages, each kind with other examples than the programs in tests/telemetry send.
"""
import itertools
import json
import unittest

from support.otlp import send, span
from telemetry.trace_case import START, TraceCase, number

MS = 1_000_000


def langfuse(given, answered, **more):
    return {"langfuse.observation.type": "generation", "langfuse.observation.input": json.dumps(given),
            "langfuse.observation.output": answered if isinstance(answered, str) else json.dumps(answered), **more}


def inference(given=(), answered=(), **more):
    made = {"openinference.span.kind": "LLM", "llm.model_name": "m", **more}
    for which, messages in (("input", given), ("output", answered)):
        for place, message in enumerate(messages):
            made |= {f"llm.{which}_messages.{place}.message.{name}": value for name, value in message.items()}
    return made


def called(id_, name, given, at=0):
    prefix = f"tool_calls.{at}.tool_call."
    return {prefix + "id": id_, prefix + "function.name": name, prefix + "function.arguments": json.dumps(given)}


LOOK, FIND = ("call_9f3a1c77d2", "look", {"in": "Oslo"}), ("call_0b81e6a4f5", "find", {"what": "fjord"})


def item(id_, name, given):
    return {"type": "function_call", "call_id": id_, "name": name, "arguments": json.dumps(given), "status": "completed"}


class PackagesTest(TraceCase):
    def take(self, *items):
        for status, _, body in send(self.server, list(items)):
            self.assertEqual((status, body), (200, b"{}"))

    def response(self, n):
        return self.server.rpc("node.get", {"ref": f"Response:resp_{self.t}_{number(n)}", "include": ["record"]})["nodes"][0]["record"]

    def responses(self):
        nodes = self.server.rpc("node.find", {"type": "Response", "limit": 1000})["nodes"]
        return {int(node["ref"].rsplit("_", 1)[1], 16) - 1 for node in nodes if self.t in node["ref"]}

    def said(self, n):
        made = self.response(n)
        return [(each["role"], made["prompt"][each["start"]:each["end"]]) for each in made["prompt_messages"]]

    def sources(self, n):
        """Its causes but for what its own messages became, each with its basis."""
        nodes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(n)}", "depth": 1, "limit": 1000, "include": ["edges"]})["nodes"]
        found = {}
        for node in nodes:
            edge = next(each for each in node["edges"] if f"{self.t}_{number(n)}" in each["from"] + each["to"])
            if "role" not in edge:
                found[node["ref"]] = edge["basis"]
        return found

    def orders(self, spans):
        """Sends them in one request, and in each order in requests of their own."""
        for order in (None, *itertools.permutations(range(len(spans(self))))):
            self.next_trace()
            made = spans(self)
            for each in [made] if order is None else [[made[place]] for place in order]:
                self.take(*each)
            yield order

    def test_items_of_responses_in_langfuse(self):
        told = {"langfuse.observation.metadata.instructions": "Be brief."}
        question = {"role": "user", "content": "Where to?"}
        items = [question, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look and find."}]}, item(*LOOK), item(*FIND),
                 {"type": "function_call_output", "call_id": LOOK[0], "output": "rain"}, {"type": "function_call_output", "call_id": FIND[0], "output": "Geiranger"}]
        self.next_trace()
        self.take(self.one(1, langfuse([question], items[1:4], **told), 0, 5), self.one(2, langfuse(items, "To Geiranger.", **told), 6, 9))
        self.assertEqual([role for role, _ in self.said(2)], ["system", "user", "assistant", "tool", "tool"])
        self.assertEqual(self.response(2)["question"], "Where to?")
        self.assertIn("I look and find.", self.said(2)[2][1])
        self.assertEqual({ref: basis for ref, basis in self.sources(2).items() if ref.startswith("Response:")}, {f"Response:resp_{self.t}_{number(1)}": "text"})

    def test_one_turn_in_several_messages(self):
        question, first = {"role": "user", "content": "Where to?"}, {"role": "assistant", **called(*LOOK)}
        second, results = {"role": "assistant", **called(*FIND)}, [{"role": "tool", "tool_call_id": each[0], "content": said} for each, said in ((LOOK, "rain"), (FIND, "Geiranger"))]
        self.next_trace()
        self.take(self.one(1, inference([question], [{"role": "assistant", **called(*LOOK), **called(*FIND, at=1)}]), 0, 5),
                  self.one(2, inference([question, first, second, *results], [{"role": "assistant", "content": "There."}]), 6, 9))
        self.assertEqual([role for role, _ in self.said(2)], ["user", "assistant", "tool", "tool"])
        self.assertEqual(self.sources(2)[f"Response:resp_{self.t}_{number(1)}"], "text")
        units = self.server.rpc("node.find", {"type": "ContextUnit", "include": ["record"], "limit": 1000})["nodes"]
        said = {node["ref"] for node in units if node["record"]["source"] == "message:assistant"}
        self.assertEqual(said & set(self.sources(2)), set())

    def test_a_client_with_spans_of_its_own_without_prompts(self):
        outer = inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}])
        del outer["llm.model_name"]
        inner = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c", "gen_ai.response.model": "c-1", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2,
                 "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'}
        for order in self.orders(lambda test: [test.one(1, outer, 0, 9), test.one(2, inner, 1, 8, 1)]):
            self.assertEqual(self.responses(), {1}, order)
            made = self.response(1)
            self.assertEqual((made["content"], made["model"], made["usage"]), ("Yes.", "c-1", {"input_tokens": 3, "output_tokens": 2}))

    def test_a_client_with_spans_of_its_own_without_texts(self):
        """The same call by the provider's id, by the model and its tokens, or by the end of its prompt."""
        asked, given = {"role": "user", "content": "Hm?"}, [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}, {"role": "user", "parts": [{"type": "text", "content": "Hm?"}]}]
        answered = {"id": "msg_7", "type": "message", "role": "assistant", "model": "c-1", "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"}
        of_client = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c", "http.route": "/v1/messages"}
        inference_of = lambda **more: inference([asked], [{"role": "assistant", "content": "Yes."}], **more)
        metered = {"llm.model_name": "c-1", "llm.token_count.prompt": 8, "llm.token_count.completion": 6}
        standard = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c", "gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 6, "gen_ai.input.messages": json.dumps(given),
                    "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'}
        tokens = {"gen_ai.response.model": "c-1", "gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 6, "gen_ai.response.id": "msg_7"}
        prompt = {"gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]', "gen_ai.input.messages": json.dumps(given[1:])}
        for outer, inner in ((inference_of(**metered), tokens), (inference_of(**{"output.value": json.dumps(answered)}), {"gen_ai.response.id": "msg_7"}), (standard, tokens), (standard, prompt),
                             (inference_of(), {**prompt, "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 6})):
            for order in self.orders(lambda test: [test.one(1, outer, 0, 9), test.one(2, {**of_client, **inner}, 1, 8, 1)]):
                self.assertEqual(self.responses(), {1}, (inner, order))
                made = self.response(1)
                self.assertEqual((made["content"], made["question"], made["attributes"]["http.route"]), ("Yes.", "Hm?", "/v1/messages"))
                self.assertEqual(made["attributes"].get("gen_ai.response.id"), inner.get("gen_ai.response.id"))

    def test_calls_within_a_call_that_are_others(self):
        outer = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c", "gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 6, "gen_ai.response.id": "msg_7",
                 "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hm?"}]}]', "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'}
        inner = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c", "gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 6}
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask", "gen_ai.tool.call.result": "Well."}
        for order in self.orders(lambda test: [test.one(1, outer, 0, 9), test.one(2, tool, 1, 8, 1), test.one(3, inner, 2, 7, 2)]):
            self.assertEqual(self.responses(), {1, 3}, order)  # it is the tool's
        for other in ({"gen_ai.usage.input_tokens": 9}, {"gen_ai.response.id": "msg_8"}, {"error.type": "overloaded"}, {"gen_ai.request.model": "d"}):
            for order in self.orders(lambda test: [test.one(1, outer, 0, 9), test.one(2, {**inner, **other}, 1, 8, 1)]):
                self.assertEqual(self.responses(), {1, 2}, (other, order))

    def test_a_request_that_asks_no_model_is_no_call(self):
        count = {"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "c", "http.route": "/v1/messages/count_tokens", "anthropic.message.count_tokens.input_tokens": 17}
        for given in (count, {**count, "gen_ai.agent.name": "helper", "gen_ai.agent.id": "ag1"}, {"gen_ai.system": "openai", "llm.request.model": "m"}):
            self.next_trace()
            self.take(self.one(1, given, 0, 5), self.one(2, inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}]), 1, 4, 1))
            self.assertEqual(self.responses(), {2}, given)
        named = {"gen_ai.system": "openai", "gen_ai.request.model": "m"}
        for said in ({"gen_ai.usage.prompt_tokens": 3}, {"gen_ai.response.id": "r-1"}, {"gen_ai.response.finish_reasons": ["stop"]}, {"gen_ai.prompt.0.content": "Hm?"}, {"error.type": "timeout"}):
            self.next_trace()
            self.take(self.one(1, {**named, **said}, 0, 5))
            self.assertEqual(self.responses(), {1}, said)

    def genkit(self, subtype, given, gave, name="x"):
        return {"genkit:type": "action", "genkit:metadata:subtype": subtype, "genkit:name": name, "genkit:input": json.dumps(given), "genkit:output": json.dumps(gave)}

    def test_genkit(self):
        said = lambda role, *parts: {"role": role, "content": list(parts)}
        asked = [said("system", {"text": "Be brief."}), said("user", {"text": "Oslo?"}, {"media": {"url": "https://p.example/a.png", "contentType": "image/png"}})]
        call, gave = {"toolRequest": {"name": LOOK[1], "ref": LOOK[0], "input": LOOK[2]}}, {"toolResponse": {"name": LOOK[1], "ref": LOOK[0], "output": {"sky": "rain"}}}
        answer = lambda *parts: {"message": said("model", *parts), "finishReason": "stop", "usage": {"inputTokens": 21, "outputTokens": 7}}
        util = {"genkit:type": "util", "genkit:name": "generate", "genkit:input": json.dumps({"messages": asked}), "genkit:output": json.dumps(answer({"text": "Rain, then."}))}
        for _ in self.orders(lambda test: [
                test.one(1, util, 0, 30), test.one(2, test.genkit("model", {"messages": asked, "config": {}}, answer({"reasoning": "Hm."}, {"text": "I look."}, call)), 1, 5, 1),
                test.one(3, test.genkit("tool", LOOK[2], {"sky": "rain"}, LOOK[1]), 6, 8, 1),
                test.one(4, test.genkit("model", {"messages": [*asked, said("model", {"text": "I look."}, call), said("tool", gave)]}, answer({"text": "Rain, then."})), 9, 20, 1)]):
            self.assertEqual(self.responses(), {2, 4})
            made = self.response(2)
            self.assertEqual((made["model"], made["usage"], made["attributes"]["reasoning"]), ("x", {"input_tokens": 21, "output_tokens": 7}, "Hm."))
            self.assertEqual(made["content"], "I look.\n\n" + json.dumps(call, separators=(",", ":")))
            self.assertEqual(self.said(2), [("system", "Be brief."), ("user", "Oslo?\n\n[file https://p.example/a.png]")])
            self.assertEqual(self.said(4)[3], ("tool", '{"sky":"rain"}'))
            self.assertEqual(self.sources(4), {f"Response:resp_{self.t}_{number(2)}": "text", f"ContextUnit:cu_{self.t}_{number(3)}": "text"})

    def test_a_retriever_of_genkit(self):
        documents = lambda: [{"content": [{"text": f"{what} ({self.trace})."}], "metadata": {"source": f"{what}-{self.trace}.md"}} for what in ("Boats go at nine", "Trains go at ten")]
        for query in ({"content": [{"text": "boats?"}]}, "boats?"):
            self.next_trace()
            prompt = {"messages": [{"role": "user", "content": [{"text": "When?"}, {"text": f"From: Boats go at nine ({self.trace})."}]}]}
            self.take(self.one(1, self.genkit("retriever", {"query": query}, {"documents": documents()}), 1, 2), self.one(2, self.genkit("model", prompt, {"message": {"role": "model", "content": [{"text": "At nine."}]}}), 3, 4))
            found = self.server.rpc("node.get", {"ref": f"Query:otel_{self.t}_{number(1)}", "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual(found["question"], "boats?")
            self.assertEqual([(ref.split(":")[0], basis) for ref, basis in self.sources(2).items()], [("RetrievedChunk", "text")])

    def test_a_hand_over_of_langgraph_is_one_source(self):
        """The tool gives a Command, which has what was said before beside what it tells the next agent."""
        told = {"content": "Successfully transferred to writer", "name": "transfer", "tool_call_id": LOOK[0]}
        lc = lambda kind, kwargs: {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind], "kwargs": kwargs}
        earlier = [lc("HumanMessage", {"content": "Write."}), lc("AIMessage", {"content": "", "tool_calls": [{"id": LOOK[0], "name": "transfer", "args": {}}]})]
        command = lambda last: {"lg_name": "Command", "update": {"messages": [*earlier, last], "active_agent": "writer"}, "goto": "writer"}
        for gave in ({"output": command(lc("ToolMessage", told))}, command(lc("ToolMessage", told)), {"goto": "writer", "update": {"messages": [{**told, "type": "tool"}]}},
                     command({**told, "role": "tool"})):
            prompt = [{"role": "user", "content": "Write."}, {"role": "assistant", **called(LOOK[0], "transfer", {})}, {"role": "tool", "content": told["content"], "tool_call_id": LOOK[0]}]
            self.next_trace()
            self.take(self.one(1, {"openinference.span.kind": "AGENT", "agent.name": "boss"}, 0, 9), self.one(2, {"openinference.span.kind": "TOOL", "tool.name": "transfer", "output.value": json.dumps(gave)}, 1, 2, 1),
                      self.one(3, {"openinference.span.kind": "AGENT", "agent.name": "writer"}, 10, 20), self.one(4, inference(prompt, [{"role": "assistant", "content": "Done."}]), 11, 19, 3))
            unit = self.server.rpc("node.get", {"ref": f"ContextUnit:cu_{self.t}_{number(2)}", "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual(unit["content"], told["content"])
            self.assertIn(f"ContextUnit:cu_{self.t}_{number(2)}", self.sources(4))
            records = [self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"] for ref in self.response(4)["prompt_refs"] if ref.startswith("ContextUnit:")]
            self.assertEqual([each["source"] for each in records if each["content"] == told["content"]], ["tool:transfer"])

    def test_buffers_of_node_are_named_wherever_they_stand(self):
        buffer = {"type": "Buffer", "data": [83, 97, 108, 101, 115]}
        for held in ({"odd": buffer}, {"list": [buffer]}, {"document": {"format": "txt", "source": {"bytes": buffer}}}, buffer):
            self.next_trace()
            self.take(self.one(1, inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}], **{"odd.value": json.dumps(held)}), 0, 5))
            self.assertNotIn("108", self.response(1)["attributes"]["odd.value"])
            self.assertIn("5 bytes, base64 sha256 ", self.response(1)["attributes"]["odd.value"])
        for held in ({"type": "Buffer", "data": [256]}, {"type": "Buffer", "data": "x"}, {"type": "Buffer", "data": [1], "size": 1}):
            self.next_trace()
            self.take(self.one(1, inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}], **{"odd.value": json.dumps(held)}), 0, 5))
            self.assertEqual(json.loads(self.response(1)["attributes"]["odd.value"]), held)

    def test_items_beside_numbered_messages(self):
        """OpenAI's agents: the numbered message of the model has its calls alone, or nothing; the items of the request have all."""
        item = lambda id_, name, given: {"type": "function_call", "id": "fc_1", "callId": id_, "name": name, "arguments": json.dumps(given), "status": "completed"}
        result = lambda id_, text: {"type": "function_call_result", "callId": id_, "output": {"type": "text", "text": text}}
        said = lambda text: {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        asked = {"type": "message", "role": "user", "content": "Where to?"}
        self.next_trace()
        items = [asked, said("I look and find."), item(*LOOK), item(*FIND), result(LOOK[0], "rain"), result(FIND[0], "Geiranger")]
        numbered = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where to?"}, {"role": "assistant", **called(*LOOK), **called(*FIND, at=1)},
                    {"role": "tool", "content": "rain", "tool_call_id": LOOK[0]}, {"role": "tool", "content": "Geiranger", "tool_call_id": FIND[0]}]
        made = {"object": "response", "id": "r1", "output": [said("I look and find."), {**item(*LOOK), "call_id": LOOK[0]}, {**item(*FIND), "call_id": FIND[0]}]}
        self.take(self.one(1, inference(numbered[:2], [{"role": "assistant", "content": "I look and find.", **called(*LOOK), **called(*FIND, at=1)}], **{"output.value": json.dumps(made)}), 0, 5),
                  self.one(2, inference(numbered, [{"role": "assistant", "content": "There."}], **{"input.value": json.dumps(items)}), 6, 9))
        self.assertEqual([role for role, _ in self.said(2)], ["system", "user", "assistant", "tool", "tool"])
        self.assertTrue(self.said(2)[2][1].startswith("I look and find.\n\n"), self.said(2))
        self.assertEqual(self.sources(2).get(f"Response:resp_{self.t}_{number(1)}"), "text")
        self.next_trace()
        items = [asked, said("To the hills."), {"role": "user", "content": [{"type": "input_text", "text": "Which?"}, {"type": "input_image", "image": "https://p.example/a.png"}]}]
        numbered = [{"role": "user", "content": "Where to?"}, {"role": "assistant"}, {"role": "user", "contents.0.message_content.type": "text", "contents.0.message_content.text": "Which?"}]
        self.take(self.one(1, inference(numbered, [{"role": "assistant", "content": "All."}], **{"input.value": json.dumps(items)}), 6, 9))
        self.assertEqual(self.said(1), [("user", "Where to?"), ("assistant", "To the hills."), ("user", "Which?\n\n[image https://p.example/a.png]")])

    def test_an_agent_that_only_a_graph_names(self):
        self.next_trace()
        answered = inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}])
        self.take(self.one(1, {"openinference.span.kind": "AGENT", "graph.node.id": "writer"}, 0, 9), self.one(2, answered, 1, 8, 1),
                  self.one(3, {"openinference.span.kind": "AGENT", "graph.node.id": "n1", "agent.name": "boss"}, 10, 19), self.one(4, {**answered, "graph.node.id": "n2"}, 11, 18, 3))
        self.assertEqual([self.response(n)["agent"] for n in (2, 4)], ["writer", "boss"])

    def test_a_tools_result_of_anthropics_client(self):
        self.next_trace()
        self.take(self.one(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "anthropic.tool_result.content": '[{"type":"text","text":"Rain in Oslo."}]'}, 0, 9))
        unit = self.server.rpc("node.get", {"ref": f"ContextUnit:cu_{self.t}_{number(1)}", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual(unit["content"], "Rain in Oslo.")

    def test_calls_without_texts_within_an_agent_are_calls(self):
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "A", "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hm?"}]}]',
                 "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'}
        inner = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "c"}
        for order in self.orders(lambda test: [test.one(1, agent, 0, 9), test.one(2, inner, 1, 4, 1), test.one(3, inner, 5, 8, 1)]):
            self.assertEqual(self.responses(), {1, 2, 3}, order)  # the agent is of another process, and no call says the same

    def test_the_request_of_anthropic_beside_its_messages(self):
        results = [{"type": "tool_result", "tool_use_id": each[0], "content": said} for each, said in ((LOOK, "rain"), (FIND, "Geiranger"))]
        calls = [{"type": "tool_use", "id": id_, "name": name, "input": given} for id_, name, given in (LOOK, FIND)]
        request = {"model": "c", "system": "Be brief.", "messages": [{"role": "user", "content": "Where to?"}, {"role": "assistant", "content": calls}, {"role": "user", "content": results}]}
        lacking = [{"role": "user", "content": "Where to?"}, {"role": "assistant", **called(*LOOK), **called(*FIND, at=1)}, {"role": "user", "tool_call_id": FIND[0], "content": "Geiranger"}]
        self.next_trace()
        self.take(self.one(1, inference(lacking, [{"role": "assistant", "content": "There."}], **{"input.value": json.dumps(request)}), 0, 5))
        said = self.said(1)
        self.assertEqual(said[0], ("system", "Be brief."))
        self.assertTrue("rain" in said[3][1] and "Geiranger" in said[3][1], said)
        self.assertEqual(self.response(1)["question"], "Where to?")

    def test_a_call_named_in_a_content_and_beside_it_is_one(self):
        id_, name, given = LOOK
        prefix = "contents.1.tool_call."
        both = {"role": "assistant", "contents.0.message_content.type": "text", "contents.0.message_content.text": "I look.", "contents.1.message_content.type": "tool_use",
                prefix + "id": id_, prefix + "function.name": name, prefix + "function.arguments": json.dumps(given), **called(*LOOK)}
        self.next_trace()
        self.take(self.one(1, inference([{"role": "user", "content": "Hm?"}], [both]), 0, 5))
        self.assertTrue(self.response(1)["content"].startswith("I look.\n\n{"))
        self.assertEqual(self.response(1)["content"].count(id_), 1)

    def mastra(self, is_bridge):
        """A run of two steps with a tool between, as its exporter and as its bridge send it."""
        calls, answer = [{"toolCallId": LOOK[0], "toolName": LOOK[1], "args": LOOK[2]}], "Rain in Oslo."
        given = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Oslo?"}]
        later = [*given, {"role": "assistant", "content": "[tool: look]"}, {"role": "tool", "content": "[tool-result: look]"}]
        of = lambda kind, operation, **more: {"mastra.span.type": kind, "gen_ai.operation.name": operation, **more}
        whole = {"mastra.model_generation.input": json.dumps({"messages": given}), "mastra.model_generation.output": json.dumps({"text": answer, "files": []})}
        texts = lambda text: {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}]), "gen_ai.response.model": "m-1",
                              "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 1}
        if is_bridge:
            whole = {"gen_ai.input.messages": json.dumps([{"role": each["role"], "parts": [{"type": "text", "content": each["content"]}]} for each in given]), **texts(answer)}
        inner = lambda text, made: of("model_inference", "model_inference", **{"mastra.model_inference.output": json.dumps(made)}) if is_bridge else of("model_inference", "chat", **texts(text))
        step = lambda n, said, made: of("model_step", "model_step" if is_bridge else "agent_step", **{"mastra.model_step.input": json.dumps(said), "mastra.model_step.output": json.dumps(made)})
        first, second = {"text": "", "toolCalls": calls}, {"text": answer, "toolCalls": []}
        return [self.one(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Clerk"}, 0, 40),
                self.one(2, of("model_generation", "chat" if is_bridge else "model_generation", **whole), 1, 39, 1),
                self.one(3, step(3, given, first), 2, 18, 2), self.one(4, inner("", first), 3, 9, 3),
                self.one(5, {"mastra.span.type": "tool_call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": LOOK[0],
                             "gen_ai.tool.call.result": "rain and wind"}, 10, 16, 3),
                self.one(6, step(6, later, second), 20, 38, 2), self.one(7, inner(answer, second), 21, 37, 6)]

    def test_steps_of_mastra(self):
        for is_bridge, order in itertools.product((False, True), (None, (3, 4, 2, 6, 5, 1, 0), (0, 1, 2, 3, 4, 5, 6), (5, 6, 4, 2, 3, 0, 1))):
            self.next_trace()
            spans = self.mastra(is_bridge)
            with self.subTest(is_bridge=is_bridge, order=order):
                if order is None:
                    self.take(*spans)
                else:
                    for place in order:
                        self.take(spans[place])
                self.assertEqual(self.responses(), {3, 6})
                self.assertEqual((self.response(6)["content"], self.response(6)["agent"]), ("Rain in Oslo.", "Clerk"))
                self.assertIn(LOOK[0], self.response(3)["content"])
                self.assertEqual(self.said(3), [("system", "Be brief."), ("user", "Oslo?")])
                self.assertEqual(self.sources(6), {f"ContextUnit:cu_{self.t}_{number(5)}": "place", f"Response:resp_{self.t}_{number(3)}": "text"})
                if not is_bridge:
                    self.assertEqual((self.response(6)["model"], self.response(6)["usage"]), ("m-1", {"input_tokens": 5, "output_tokens": 1}))

    def test_a_text_and_calls_of_strands(self):
        """Its older events have calls flat in the answer, and nested in the prompt that follows."""
        flat = lambda id_, name, given: {"type": "toolUse", "toolUseId": id_, "name": name, "input": given}
        nested = [{"toolUse": {"toolUseId": id_, "name": name, "input": given}} for id_, name, given in (LOOK, FIND)]
        results = [{"type": "toolResult", "toolUseId": id_, "content": [{"text": shown}]} for (id_, _, _), shown in ((LOOK, "Sunny there."), (FIND, "A long fjord."))]
        asked = [(2, "gen_ai.user.message", {"content": '[{"text":"Where to?"}]'})]
        chat = {"gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents", "gen_ai.request.model": "m"}
        for _ in self.orders(lambda self: [
                self.one(1, chat, 0, 3, events=[*asked, (3, "gen_ai.choice", {"message": json.dumps([{"text": "I look."}, flat(*LOOK), flat(*FIND)])})]),
                self.one(2, chat, 5, 8, events=[*asked, (5, "gen_ai.assistant.message", {"content": json.dumps([{"text": "I look."}, *nested])}),
                                                (5, "gen_ai.tool.message", {"content": json.dumps(results)}), (8, "gen_ai.choice", {"message": '[{"text":"North."}]'})])]):
            self.assertEqual(self.response(1)["content"], "\n\n".join(["I look.", *(json.dumps(flat(*each), separators=(",", ":")) for each in (LOOK, FIND))]))
            self.assertEqual(self.sources(2).get(f"Response:resp_{self.t}_{number(1)}"), "text")
            self.assertTrue(self.response(2)["prompt"].endswith("tool: Sunny there.\n\nA long fjord."), self.response(2)["prompt"])

    def test_calls_of_semantic_kernel(self):
        for operation in ("chat.completions", "chat.streaming_completions", "text.completions", "text.streaming_completions"):
            self.next_trace()
            self.take(self.one(1, {"gen_ai.operation.name": operation, "gen_ai.system": "openai", "gen_ai.request.model": "m"}, 0, 5, events=[
                (1, "gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "Hi."}]'}),
                (5, "gen_ai.content.completion", {"gen_ai.completion": '[{"role": "assistant", "content": "Hello."}]'})]))
            self.assertEqual((self.response(1)["prompt"], self.response(1)["content"]), ("Hi.", "Hello."))

    def test_the_merged_tools_of_adk_are_no_source(self):
        for shown in (True, False):
            self.next_trace()
            text = lambda held: json.dumps(held) if shown else "{}"
            results = [{"functionResponse": {"id": f"adk-{self.trace}{n}f7c1d2e3", "name": "sky", "response": {"result": f"sky {n} is grey"}}} for n in (1, 2)]
            tool = {"gen_ai.operation.name": "execute_tool", "gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": "{}"}
            self.take(self.one(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Ag"}, 0, 20),
                      *(self.one(n + 1, {**tool, "gen_ai.tool.name": "sky", "gen_ai.tool.call.id": each["functionResponse"]["id"], "gcp.vertex.agent.tool_call_args": text({}),
                                         "gcp.vertex.agent.tool_response": text(each["functionResponse"]["response"])}, 1, 3, 1) for n, each in enumerate(results, 1)),
                      self.one(4, {**tool, "gen_ai.tool.name": "(merged tools)", "gen_ai.tool.call.id": "e", "gcp.vertex.agent.tool_call_args": "N/A",
                                   "gcp.vertex.agent.tool_response": text({"id": "e", "content": {"role": "user", "parts": results}})}, 3, 4, 1),
                      self.one(5, {"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "g", "gcp.vertex.agent.llm_request": text({"contents": [
                          {"role": "user", "parts": [{"text": "Sky?"}]}, {"role": "user", "parts": results}]}),
                          "gcp.vertex.agent.llm_response": text({"content": {"role": "model", "parts": [{"text": "Grey."}]}})}, 5, 8, 1))
            self.assertEqual(set(self.sources(5)), {f"ContextUnit:cu_{self.t}_{number(n)}" for n in (2, 3)})

    def test_what_a_memory_of_strands_gave(self):
        """It is in events of the search, and rewritten in the prompt or as it is."""
        for _ in self.orders(lambda self: [
                self.one(1, {"gen_ai.operation.name": "memory.search", "gen_ai.system": "strands-agents", "memory.store.names": '["s1"]'}, 1, 2, events=[
                    (1, "memory.query", {"content": "diet?"}),
                    (2, "memory.results", {"content": json.dumps([{"content": "Eats no meat at all.", "storeName": "s1", "metadata": {"id": f"mem-{self.trace}"}}])})]),
                self.one(2, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, 3, 4, events=[
                    (3, "gen_ai.user.message", {"content": '[{"text":"Memory: Eats no meat at all. Dinner?"}]'}), (4, "gen_ai.choice", {"message": '[{"text":"Salad."}]'})])]):
            query = self.server.rpc("node.get", {"ref": f"Query:otel_{self.t}_{number(1)}", "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual(query["question"], "diet?")
            self.assertEqual(query["attributes"]["memory.results"]["0"]["storeName"], "s1")
            made = self.response(2)
            (ref, basis), = ((ref, basis) for ref, basis in zip(made["prompt_refs"], made["prompt_basis"]) if basis != "question")
            chunk = self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual((chunk["content"], chunk["metadata"]["document_name"], basis), ("Eats no meat at all.", f"mem-{self.trace}", "text"))

    def test_what_several_events_of_a_memory_gave(self):
        """Each says more of its own; where attributes have the documents, events add none."""
        event = lambda at, *found: (at, "memory.results", {"content": json.dumps([{"content": f"{told} ({self.trace})", "storeName": store} for told, store in found])})
        documents = lambda: json.dumps([{"id": f"m-{self.trace}", "content": f"No meat ({self.trace})"}])
        for more, wanted in (({}, ["No fish", "No meat", "Tea"]), ({"gen_ai.retrieval.documents": documents}, ["No meat"])):
            self.next_trace()
            self.take(self.one(1, {"gen_ai.operation.name": "memory.search", "gen_ai.system": "strands-agents", **{name: made() for name, made in more.items()}}, 1, 4, events=[
                (1, "memory.query", {"content": "diet?"}), event(2, ("No meat", "s1"), ("No fish", "s2")), event(3, ("Tea", "s3"))]))
            query = self.server.rpc("node.get", {"ref": f"Query:otel_{self.t}_{number(1)}", "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual({n: each["storeName"] for n, each in query["attributes"]["memory.results"].items()}, {"0": "s1", "1": "s2", "2": "s3"})
            chunks = self.server.rpc("node.find", {"type": "RetrievedChunk", "include": ["record"], "limit": 1000})["nodes"]
            self.assertEqual(sorted(node["record"]["content"] for node in chunks if f"({self.trace})" in node["record"]["content"]),
                             [f"{told} ({self.trace})" for told in wanted])

    def roles(self, given):
        """The roles of a prompt's messages, its question, and the types of the units that it alone has."""
        self.next_trace()
        self.take(self.one(1, given, 0, 5))
        made = self.response(1)
        units = [self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"] for ref in made["prompt_refs"]]
        return [role for role, _ in self.said(1)], made["question"], {each["content"]: each["type"] for each in units}

    def test_messages_without_a_role_behind_calls_are_results(self):
        """Langfuse's client for LangChain.js writes results so; numbered messages may lack theirs, too."""
        call = lambda *all: {"role": "assistant", "content": "", "tool_calls": [{"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}} for id_, name, given in all]}
        asked, gave = {"role": "user", "content": "Where to?"}, lambda text: {"content": text, "additional_kwargs": {}}
        for name, messages, expected in (
                ("one call", [asked, call(LOOK), gave("rain in Oslo")], ["user", "assistant", "tool"]),
                ("two calls", [asked, call(LOOK, FIND), gave("rain in Oslo"), gave("a fjord")], ["user", "assistant", "tool", "tool"]),
                ("one named by its tool", [asked, call(LOOK, FIND), {"role": "look", **gave("rain in Oslo")}, gave("a fjord")], ["user", "assistant", "tool", "tool"]),
                ("more than calls", [asked, call(LOOK), gave("rain in Oslo"), gave("And then?")], ["user", "assistant", "tool", "user"]),
                ("the id of a call", [asked, {"tool_call_id": LOOK[0], **gave("rain in Oslo")}], ["user", "tool"]),
                ("no call before", [asked, {"role": "assistant", "content": "Well."}, gave("And then?")], ["user", "assistant", "user"]),
                ("no role at all", [gave("Where to?")], None)):
            with self.subTest(name):
                if expected is None:
                    self.next_trace()
                    self.take(self.one(1, langfuse({"messages": messages}, "Ok."), 0, 5))
                    self.assertIn("Where to?", self.response(1)["prompt"])
                    continue
                roles, question, types = self.roles(langfuse({"messages": messages}, "Ok."))
                self.assertEqual((roles, question), (expected, "And then?" if "And then?" in types else "Where to?"))
                self.assertTrue(all(types.get(text, "External") == "External" for text in ("rain in Oslo", "a fjord")), types)
        roles, question, types = self.roles(inference([asked, {"role": "assistant", **called(*LOOK)}, {"content": "rain in Oslo"}], [{"role": "assistant", "content": "Ok."}]))
        self.assertEqual((roles, question, types["rain in Oslo"]), (["user", "assistant", "tool"], "Where to?", "External"))

    def test_a_result_that_a_user_hands_on_is_no_text_of_theirs(self):
        part = {"type": "tool_call_response", "id": LOOK[0], "response": "rain in Oslo"}
        asked = {"role": "user", "parts": [{"type": "text", "content": "Where to?"}]}
        anthropic = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": LOOK[0], "content": "rain in Oslo"}]}
        for message in ({"role": "user", "parts": [part]}, {"role": "user", "parts": [{**part, "id": None, "call_id": LOOK[0]}]}, anthropic):
            _, question, types = self.roles({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": json.dumps([asked, message])})
            self.assertEqual((question, types), ("Where to?", {"Where to?": "User", "rain in Oslo": "External"}))

    def test_calls_named_by_their_id_alone(self):
        """Instrumentations write the whole of a call where the model makes it, and no more than its id and type in the next prompt where they do not know the type."""
        id_ = LOOK[0]
        custom = {"id": id_, "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
        function = {"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for made, short in ((custom, {"id": id_, "type": "custom"}), (function, {"id": id_, "type": "function"}), (function, {"id": id_, "type": "function", "function": {}})):
            chat = lambda: {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.conversation.id": f"c-{self.trace}"}
            for _ in self.orders(lambda self: [
                    self.one(1, chat(), 0, 3, events=[(1, "gen_ai.user.message", {"content": "Hm?"}), (3, "gen_ai.choice", {"message": json.dumps({"tool_calls": [made]})})]),
                    self.one(2, chat(), 5, 8, events=[(5, "gen_ai.user.message", {"content": "Hm?"}), (5, "gen_ai.assistant.message", {"tool_calls": json.dumps([short])}),
                                                    (5, "gen_ai.tool.message", {"id": id_, "content": "rows: 1"}), (8, "gen_ai.choice", {"message": '{"content":"One."}'})])]):
                self.assertEqual(self.sources(2).get(f"Response:resp_{self.t}_{number(1)}"), "text", (made, short))

    def test_the_agent_that_langchain_names_in_metadata(self):
        for named in ({"metadata": json.dumps({"ls_provider": "p", "lc_agent_name": "Guide"})}, {"traceloop.association.properties.lc_agent_name": "Guide"},
                      {"langsmith.metadata.lc_agent_name": "Guide"}, {"langfuse.observation.metadata.lc_agent_name": "Guide"}):
            self.next_trace()
            self.take(self.one(1, {"openinference.span.kind": "CHAIN", **named}, 0, 9), self.one(2, inference([{"role": "user", "content": "Hm?"}], [{"role": "assistant", "content": "Yes."}], **named), 1, 8, 1))
            self.assertEqual(self.response(2)["agent"], "Guide")

    def test_retrievers_of_langchain_that_are_named_as_steps(self):
        documents = lambda name: [{name: f"Boats go at nine ({self.trace}).", "metadata": {"source": f"boats-{self.trace}.md", "page": 2}, "id": "d1"},
                                  {name: f"Trains go at ten ({self.trace}).", "metadata": {"source": f"trains-{self.trace}.md"}}]
        step = lambda given, gave: {"langfuse.observation.type": "span", "langfuse.observation.input": given, "langfuse.observation.output": gave if isinstance(gave, str) else json.dumps(gave)}
        for name in ("pageContent", "page_content"):
            self.next_trace()
            given = [{"role": "user", "content": f"From: Boats go at nine ({self.trace}). When?"}]
            self.take(self.one(1, step("boats?", documents(name)), 1, 2), self.one(2, langfuse(given, "At nine."), 3, 4))
            found = self.server.rpc("node.get", {"ref": f"Query:otel_{self.t}_{number(1)}", "include": ["record"]})["nodes"][0]["record"]
            self.assertEqual(found["question"], "boats?")
            names = [node["record"]["document_name"] for node in self.server.rpc("node.find", {"type": "Document", "include": ["record"], "limit": 1000})["nodes"]]
            self.assertEqual({f"boats-{self.trace}.md", f"trains-{self.trace}.md"} - set(names), set())
            self.assertEqual([(ref.split(":")[0], basis) for ref, basis in self.sources(2).items()], [("RetrievedChunk", "text")])
        for given, gave in (('{"messages":[]}', documents("pageContent")), ("boats?", [*documents("pageContent"), "more"]), ("boats?", [{"pageContent": "x"}]), ("boats?", "Boats [pageContent].")):
            self.next_trace()
            self.take(self.one(1, step(given, gave), 1, 2))
            self.assertEqual(self.server.rpc("node.find", {"type": "Query", "where": {"request_id": f"otel_{self.t}_{number(1)}"}})["nodes"], [], (given, gave))

    def test_bytes_that_langfuse_sends_elsewhere(self):
        token = "@@@langfuseMedia:type=image/png|id=a3-kNPkqi4CqsC2b8aEuSf|source=base64_data_uri@@@"
        named, other = "[image/png, media a3-kNPkqi4CqsC2b8aEuSf]", "@@@langfuseMedia:none@@@"
        for content, expected in (([{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": token}}], "What?\n\n" + named),
                                  (f"Before {token} and {token}.", f"Before {named} and {named}."), (other, other),
                                  ([{"type": "text", "text": "What?"}, {"type": "odd", "held": token}], 'What?\n\n{"type":"odd","held":"' + named + '"}')):
            self.next_trace()
            self.take(self.one(1, langfuse([{"role": "user", "content": content}], "A cat."), 0, 5))
            self.assertEqual(self.response(1)["prompt"], expected)

    def test_sessions_and_users_of_the_ai_sdk(self):
        for begin in ("ai.telemetry.metadata.", "ai.settings.context."):
            self.next_trace()
            self.take(self.one(1, {"ai.operationId": "ai.generateText", begin + "sessionId": "s1", begin + "userId": "u1"}, 0, 9),
                      self.one(2, {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.text": "Yes."}, 1, 8, 1))
            self.assertEqual((self.response(2)["conversation"], self.response(2)["person"]), ("s1", "u1"))

    def test_a_search_within_an_agent_that_its_span_names(self):
        self.next_trace()
        found = self.one(2, {"gen_ai.agent.name": "Clerk", "traceloop.workflow.name": "Clerk"}, 1, 3, 1)
        found["events"] = span(self.t, number(9), "s", START, START, {}, None, [(START + 2 * MS, "db.query.result", {
            "db.query.result.id": "f.md", "db.query.result.document": "Boats go at nine.", "db.query.result.score": 0.5})])["events"]
        call = inference([{"role": "user", "content": "From: Boats go at nine. When?"}], [{"role": "assistant", "content": "At nine."}])
        self.take(self.one(1, {"traceloop.span.kind": "agent", "traceloop.entity.name": "Clerk"}, 0, 9), found, self.one(3, call, 4, 8, 1))
        self.assertEqual([ref.split(":")[0] for ref in self.sources(3)], ["RetrievedChunk"])


if __name__ == "__main__":
    unittest.main()
