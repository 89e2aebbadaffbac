"""Claim: whatever JSON a program sends as its prompts, answers, results and documents, every request is answered and the store stays sound.

Method: spans of every kind whose attributes hold random values built from the names that conventions read: messages, parts, calls,
documents, pieces of streams, each with members of other types now and then. WHENCE_RANDOM_SPANS of them (default 4,000);
WHENCE_TEST_SEED repeats a run.
"""
import json
import os
import random
import unittest

from support.otlp import send, span
from support.program import seed_of_run
from support.wire_case import FreshServerCase

SEED = seed_of_run()
SPANS = int(os.environ.get("WHENCE_RANDOM_SPANS", "4000"))
START = 1_790_000_000_000_000_000
NAMES = """type text delta choices index candidates content parts role message messages tool_calls function arguments name id output input
 response item data kwargs lc additional_kwargs generations config system_instruction contents contentBlockDelta contentBlockStart start toolUse
 content_block partial_json thinking source uri url location metadata documents document score bytes format image inlineData blocks reasoning
 toolCalls finishReason result structuredContent isError args value kind summary done object usage""".split()
TYPES = """text text-delta reasoning reasoning-delta response.completed response.output_item.done AIMessageChunk human ai system content_block_start
 content_block_delta message_start tool-call tool_use tool_result document image base64 user assistant tool input_text output_text""".split()
TEXTS = [*TYPES, "", "a text", '{"a":1}', "[1]", "data:image/png;base64,AAAA", "https://example.org/a"]
OTHERS = [0, -1, 1.5, True, None, 10**20, {"a": 1}, [1, {"text": "t"}], {"text": 7}, []]
ATTRIBUTES = """gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions input.value output.value langfuse.observation.input
 langfuse.observation.output ai.prompt ai.prompt.messages ai.response.text ai.response.toolCalls ai.response.files ai.result.object gen_ai.prompt
 gen_ai.completion traceloop.entity.input traceloop.entity.output gcp.vertex.agent.llm_request gcp.vertex.agent.llm_response
 gcp.vertex.agent.tool_response gen_ai.event.content gen_ai.tool.call.result gen_ai.tool.call.arguments gen_ai.retrieval.documents
 llm.input_messages.0.message.content gen_ai.retrieval.query.text retrieval.documents""".split()
KINDS = [*({"openinference.span.kind": kind} for kind in ("LLM", "TOOL", "RETRIEVER", "CHAIN")),
         *({"gen_ai.operation.name": kind} for kind in ("chat", "execute_tool", "retrieval", "embeddings", "invoke_agent")),
         *({"langfuse.observation.type": kind} for kind in ("generation", "tool", "retriever")),
         *({"langsmith.span.kind": kind, "gen_ai.operation.name": "chat"} for kind in ("retriever", "prompt", "llm", "tool"))]


class RandomShapesTest(FreshServerCase):
    chance = random.Random(SEED)

    def or_other(self, value):
        return value if self.chance.random() < 0.7 else self.chance.choice(OTHERS)

    def some(self, names, count):
        return self.chance.sample(names, self.chance.randint(1, count))

    def value(self, depth=0):
        kind = self.chance.random()
        if depth > 4 or kind < 0.35:
            return self.or_other(self.chance.choice(TEXTS))
        if kind < 0.6:
            return [self.value(depth + 1) for _ in range(self.chance.randrange(4))]
        made = {name: self.value(depth + 1) for name in self.some(NAMES, 4)}
        return {**made, "type": self.chance.choice(TYPES)} if self.chance.random() < 0.4 else made

    def event(self):
        held = ("ab", {"text": "ab"}, {"thinking": "ab"}, {"partial_json": "{}"}, {"type": "tool_use", "input": {}}, {"type": "text", "text": ""})
        members = self.some(["text", "delta", "textDelta", "content_block", "item", "response", "index"], 3)
        return {"type": self.chance.choice(TYPES), **{name: self.or_other(self.chance.choice(held)) for name in members}}

    def chunk(self):
        held = ("ab", [{"index": 0, "function": {"name": "f", "arguments": "ab"}}], [{"text": "ab"}], {"a": "ab"})
        members = self.some(["content", "role", "tool_calls", "reasoning_content", "choices", "candidates"], 3)
        return {"choices": [{"index": self.or_other(place), "delta": {name: self.or_other(self.chance.choice(held)) for name in members}}
                            for place in range(self.chance.randint(1, 2))]}

    def attribute(self):
        kind = self.chance.random()
        if kind < 0.5:
            return self.value()
        make = self.event if kind < 0.75 else self.chunk
        return [make() for _ in range(self.chance.randint(2, 5))]

    def test_every_request_is_answered(self):
        for first in range(0, SPANS, 40):
            batch = [span(f"{n // 6 + 1:032x}", f"{n + 1:016x}", "s", START + n * 1000, START + n * 1000 + 10**6, {
                "gen_ai.request.model": "m", **self.chance.choice(KINDS), **{name: json.dumps(self.attribute()) for name in self.some(ATTRIBUTES, 3)}})
                for n in range(first, first + 40)]
            for status, _, body in send(self.server, batch):
                self.assertEqual((status, body), (200, b"{}"), (SEED, first))
        self.assertTrue(self.rpc("admin.verify")["ok"])


if __name__ == "__main__":
    unittest.main()
