"""Claim: calls that enclose tools and other agents' runs, and what further frameworks send, are recorded as they were, whatever the order of
their spans, and what is not understood is said.

Method: spans and log records in the shapes of these frameworks, each with the right value beside it.
"""
import itertools
import json
import unittest

from support.otlp import log, send
from telemetry.trace_case import START, TraceCase, number

MS = 1_000_000


def chat(**more):
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **{name.replace("__", "."): value for name, value in more.items()}}


def adk(agent, given, parts):
    return {"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "m", "gen_ai.agent.name": agent,
            "gcp.vertex.agent.llm_request": json.dumps({"model": "m", "config": {"systemInstruction": f"You are {agent}."}, "contents": given}),
            "gcp.vertex.agent.llm_response": json.dumps({"content": {"role": "model", "parts": parts}})}


def run(agent):
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}


def tool(name, **more):
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, **{key.replace("__", "."): value for key, value in more.items()}}


def inference(given, answered):
    return {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": given,
            "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": answered}


class FrameworksTest(TraceCase):
    def take(self, *items, says=None):
        for status, _, body in send(self.server, list(items)):
            self.assertEqual(status, 200)
            self.assertEqual("partialSuccess" in json.loads(body), says is not None, body)
            self.assertIn((says or "").encode(), body)

    def found(self, type_):
        nodes = self.server.rpc("node.find", {"type": type_, "limit": 1000, "include": ["record"]})["nodes"]
        return {int(each["ref"].rsplit("_", 1)[1], 16) - 1: each["record"] for each in nodes if self.t in each["ref"]}

    def response(self, n):
        return self.found("Response")[n]

    def sources(self, n):
        """Its causes but for what its own messages became, each with its basis."""
        nodes = self.server.rpc("lineage.ancestors", {"ref": f"Response:resp_{self.t}_{number(n)}", "depth": 1, "limit": 1000, "include": ["edges"]})["nodes"]
        edges = {node["ref"]: next(each for each in node["edges"] if f"{self.t}_{number(n)}" in each["from"] + each["to"]) for node in nodes}
        return {ref: edge["basis"] for ref, edge in edges.items() if edge["basis"] != "given"}

    def orders(self, spans):
        """Sends them in one request, and in some orders in requests of their own."""
        for order in (None, *itertools.islice(itertools.permutations(range(len(spans(self)))), 0, None, 7)):
            self.next_trace()
            made = spans(self)
            for each in [made] if order is None else [[made[place]] for place in order]:
                self.take(*each)
            yield order

    # --- calls around tools and agents' runs ---

    def test_a_call_around_a_tool_and_another_agent_is_a_response(self):
        """An agent as a tool, and a hand-over directly below the call; the first call's answer is a cause of what was given it."""
        user, asked = {"role": "user", "parts": [{"text": "Rain?"}]}, {"functionCall": {"id": "f1", "name": "sub", "args": {"q": "x"}}}
        said = {"text": "Let me ask the other one."}
        gave = {"functionResponse": {"id": "f1", "name": "sub", "response": {"result": "It rains in Bern."}}}

        def spans(self, is_tool):
            within = 3 if is_tool else 2
            between = [self.one(3, tool("sub", gen_ai__tool__call__id="f1", gcp__vertex__agent__tool_response='{"result": "It rains in Bern."}'), 5, 50, 2)]
            return [self.one(2, adk("root", [user], [said, asked]), 1, 60, 1, name="call_llm"), *(between if is_tool else []),
                    self.one(4, run("sub"), 6, 49, within),
                    self.one(5, adk("sub", [{"role": "user", "parts": [{"text": "x"}]}], [{"text": "It rains in Bern."}]), 7, 40, 4, name="call_llm"),
                    self.one(6, adk("root", [user, {"role": "model", "parts": [said, asked]}, {"role": "user", "parts": [gave]}], [{"text": "Take a coat."}]), 61, 90, 1, name="call_llm")]
        for is_tool in (True, False):
            for order in self.orders(lambda self: spans(self, is_tool)):
                with self.subTest(is_tool=is_tool, order=order):
                    self.assertEqual(set(self.found("Response")), {2, 5, 6})
                    self.assertEqual(self.sources(6)[f"Response:resp_{self.t}_{number(2)}"], "text")
                    self.assertEqual([self.response(n)["agent"] for n in (2, 5, 6)], ["root", "sub", "root"])

    def test_a_call_without_texts_around_a_tool_is_a_response(self):
        usage = {"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 3}
        for between, want in ((tool("sub"), {2, 4}), (run("sub"), {2, 4}), ({"gen_ai.operation.name": "plan"}, {4})):
            for order in self.orders(lambda self: [self.one(2, {**chat(gen_ai__response__id=f"r{self.t}"), **usage}, 1, 60), self.one(3, between, 5, 50, 2),
                                                   self.one(4, {**chat(gen_ai__response__id=f"s{self.t}"), **usage}, 7, 40, 3)]):
                with self.subTest(between=between, order=order):
                    self.assertEqual(set(self.found("Response")), want)

    def test_what_a_tool_of_langsmith_gave_is_one_source(self):
        request = lambda gave: {"messages": [{"role": "user", "content": "Rain?"}, {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": gave}], "model": "m"}
        own = {"langsmith.span.kind": "chain", "gen_ai.operation.name": "chain", "langsmith.metadata.session_id": "s-7", "langsmith.metadata.user_id": "ann"}
        for wrapped, gave in (({"outputs": "It rains in Bern."}, "It rains in Bern."), ({"output": "It rains in Bern."}, "It rains in Bern."),
                              ({"outputs": ["rain", "fog in Bern"]}, '["rain","fog in Bern"]'), ({"sky": "rain", "in": "Bern"}, '{"sky":"rain","in":"Bern"}')):
            with self.subTest(wrapped=wrapped):
                self.next_trace()
                self.take(self.one(1, own, 0, 100),
                          self.one(2, {"langsmith.span.kind": "tool", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sky", "gen_ai.prompt": "{}",
                                       "gen_ai.completion": json.dumps(wrapped, separators=(",", ":"))}, 1, 5, 1),
                          self.one(3, chat(langsmith__span__kind="llm", gen_ai__prompt=json.dumps(request(gave)), gen_ai__completion=json.dumps(
                              {"choices": [{"index": 0, "message": {"role": "assistant", "content": "A coat."}}]})), 6, 9, 1))
                self.assertEqual(self.found("ContextUnit")[2]["content"], gave)
                self.assertEqual(self.sources(3), {f"ContextUnit:cu_{self.t}_{number(2)}": "text"})
                self.assertEqual((self.response(3)["conversation"], self.response(3)["person"]), ("s-7", "ann"))
        self.next_trace()
        self.take(self.one(1, {"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings", "gen_ai.prompt": '{"input": "price?"}',
                               "gen_ai.completion": json.dumps({"outputs": [{"page_content": f"Costs 5 ({self.t}).", "metadata": {}}]})}))
        self.assertIn(f"Costs 5 ({self.t}).", [each["record"]["content"] for each in self.server.rpc("node.find", {"type": "RetrievedChunk", "include": ["record"]})["nodes"]])

    def test_thoughts_in_the_events_of_pydantic_ai(self):
        parts = [{"kind": "thinking", "text": "I think hard."}, {"kind": "text", "text": "Yo!"}]
        self.take(self.one(1, chat(events=json.dumps([{"content": [{"kind": "text", "text": "Hi?"}], "role": "user", "event.name": "gen_ai.user.message"},
                                                      {"index": 0, "message": {"role": "assistant", "content": parts}, "event.name": "gen_ai.choice"}]))))
        made = self.response(1)
        self.assertEqual((made["prompt"], made["content"], made["attributes"]["reasoning"]), ("Hi?", "Yo!", "I think hard."))
        self.next_trace()  # a kind of the program's own is no type
        self.take(self.one(1, chat(events=json.dumps([{"index": 0, "message": {"role": "assistant", "content": [{"kind": "riddle", "text": "Why?", "n": 1}]}, "event.name": "gen_ai.choice"}]))))
        self.assertEqual(json.loads(self.response(1)["content"]), {"kind": "riddle", "text": "Why?", "n": 1})

    def test_spans_of_sentry_and_logfire(self):
        messages = [{"role": "user", "content": "Rain?"}]
        call = [{"id": "c1", "type": "function_call", "name": "sky", "arguments": "{}"}]
        for made, answered in ((chat(gen_ai__request__messages=json.dumps(messages), gen_ai__response__text="Fog."), "Fog."),
                               (chat(gen_ai__request__messages=json.dumps(messages), gen_ai__response__text='["Fog."]'), "Fog."),
                               (chat(gen_ai__request__messages=json.dumps(messages), gen_ai__response__text="Fog.", gen_ai__response__tool_calls=json.dumps(call)), "Fog.\n\n" + json.dumps(call)),
                               ({"request_data": json.dumps({"model": "m", "messages": messages}), "gen_ai.request.model": "m", "gen_ai.system": "openai",
                                 "response_data": json.dumps({"message": {"role": "assistant", "content": "Fog.", "tool_calls": None}, "usage": {"total_tokens": 5}})}, "Fog.")):
            with self.subTest(made=made):
                self.next_trace()
                self.take(self.one(1, made))
                self.assertEqual((self.response(1)["question"], self.response(1)["content"]), ("Rain?", answered))

    def test_records_of_agentcore(self):
        """They come before the call and behind it; a content is a text or within an object."""
        plain = {"input": {"messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": '[{"text": "Rain?"}]'}]}, "output": {"messages": [{"role": "assistant", "content": '[{"text": "Fog."}]'}]}}
        within = {"input": {"messages": [{"role": "system", "content": {"content": "Be short."}}, {"role": "user", "content": {"content": '[{"text": "Rain?"}]'}}]},
                  "output": {"messages": [{"role": "assistant", "content": {"message": '[{"text": "Fog."}]', "finish_reason": "end_turn"}}]}}
        for body, is_first in itertools.product((plain, within), (True, False)):
            with self.subTest(body=body, is_first=is_first):
                self.next_trace()
                items = [self.one(1, chat(), 0, 20), log(self.t, number(1), "strands.telemetry.tracer", START + 10 * MS, {}, body, by_attribute=True)]
                for each in reversed(items) if is_first else items:
                    self.take(each)
                made = self.response(1)
                self.assertEqual((made["prompt"], made["content"]), ("system: Be short.\n\nuser: Rain?", "Fog."))

    def test_spans_of_claude_code(self):
        self.take(self.one(1, {"span.type": "interaction", "user_prompt": "Fix it", "session.id": "s1"}, 0, 100),
                  self.one(2, {"span.type": "llm_request", "model": "opus", "gen_ai.system": "anthropic", "gen_ai.request.model": "opus", "input_tokens": 10, "output_tokens": 5}, 1, 20, 1),
                  self.one(3, {"span.type": "tool", "tool_name": "Bash", "gen_ai.tool.call.id": "tu1"}, 21, 40, 1, events=[(30, "tool.output", {"output": "a.py b.py", "bash_command": "ls"})]))
        self.assertEqual((self.response(2)["usage"], self.response(2)["conversation"]), ({"input_tokens": 10, "output_tokens": 5}, "s1"))
        unit = self.found("ContextUnit")[3]
        self.assertEqual((unit["source"], unit["content"], unit["attributes"]["tool.output"]), ("tool:Bash", "a.py b.py", {"0": {"bash_command": "ls"}}))
        for event, body in (("claude_code.api_request", None), ("tool_result", "claude_code.tool_result"), ("codex.user_prompt", None)):
            self.take(log(self.t, number(2), event, START, {"model": "opus"}, body, by_attribute=True), says=body or event)
        self.take(log(self.t, number(2), "shop.order", START, {"n": 1}, None))  # of the program's own

    def test_spans_of_vllm_mlflow_and_braintrust(self):
        messages, choices = [{"role": "user", "content": "Rain?"}], [{"index": 0, "message": {"role": "assistant", "content": "Fog."}}]
        self.take(self.one(1, {"gen_ai.request.id": "c1", "gen_ai.usage.prompt_tokens": 5, "gen_ai.usage.completion_tokens": 9, "gen_ai.response.model": "opt"}))
        self.assertEqual((self.response(1)["model"], self.response(1)["usage"]), ("opt", {"input_tokens": 5, "output_tokens": 9}))
        for made in ({"mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": json.dumps({"model": "m-1", "messages": messages}), "mlflow.spanOutputs": json.dumps({"model": "m-1", "choices": choices})},
                     {"braintrust.span_attributes": '{"type": "llm", "name": "Chat"}', "braintrust.input_json": json.dumps(messages), "braintrust.output_json": json.dumps(choices),
                      "braintrust.metadata": '{"model": "m-1"}', "braintrust.metrics": '{"prompt_tokens": 5, "completion_tokens": 9}'}):
            with self.subTest(made=made):
                self.next_trace()
                self.take(self.one(1, made))
                said = self.response(1)
                self.assertEqual((said["question"], said["content"], said["model"]), ("Rain?", "Fog.", "m-1"))
        self.next_trace()
        self.take(self.one(1, {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"town": "Bern"}', "mlflow.spanOutputs": '"rain and fog"'}, name="sky"))
        self.assertEqual((self.found("ContextUnit")[1]["source"], self.found("ContextUnit")[1]["content"]), ("tool:sky", "rain and fog"))

    def test_names_of_agents_and_conversations(self):
        for outer, agent, conversation in (
                ({"openinference.span.kind": "AGENT", "graph.node.id": "8c1f0d7e9a2b4c3d", "graph.node.name": "Web Agent"}, "Web Agent", None),
                ({"openinference.span.kind": "AGENT", "graph.node.id": "researcher"}, "researcher", None),
                ({"gen_ai.operation.name": "framework", "spring.ai.kind": "chat_client", "spring.ai.chat.client.conversation.id": "c-9"}, None, "c-9"),
                ({"gen_ai.operation.name": "framework", "spring.ai.kind": "advisor", "spring.ai.chat.client.conversation.id": "c-9"}, None, "c-9"),
                ({"langsmith.span.kind": "chain", "gen_ai.operation.name": "chain", "langsmith.metadata.thread_id": "t-1"}, None, "t-1")):
            with self.subTest(outer=outer):
                self.next_trace()
                self.take(self.one(1, outer, 0, 50), self.one(2, inference("News?", "None today."), 2, 20, 1))
                made = self.response(2)
                self.assertEqual((made["agent"] if agent else None, made.get("conversation")), (agent, conversation))


if __name__ == "__main__":
    unittest.main()
