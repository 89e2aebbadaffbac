"""Made-up programs whose data flow is known: what each answer was really made from, and the spans that they would export.

`program(chance)` gives the spans of one program and its truth: for each response the keys of its direct causes. A key is the ref of a
tool's unit, of an earlier response or of a query without texts, or `chunk:` and the text of a passage. Texts are numbered, so none is in
another by chance, but for those that are meant to be alike.
"""
import json

from support.otlp import span

SECOND = 10**9
START = 1_790_000_000 * SECOND


class Program:
    def __init__(self, chance, convention, has_texts):
        self.chance, self.convention, self.has_texts = chance, convention, has_texts
        self.spans, self.truth, self.said, self.now, self.kinds = [], {}, {}, 0, {}
        self.conversation = None
        self.has_ids = convention in ("otel", "openinference", "aisdk", "mastra")  # spans of tools name their calls
        self.skew = chance.choice((0, 0, -500, -5, 5, 500)) * SECOND
        self.new_trace()

    def new_trace(self):
        self.trace = f"{self.chance.getrandbits(128) | 1:032x}"

    def text(self, what):
        return f"{what} {self.chance.getrandbits(40):010x} of the {self.chance.choice(('north', 'south', 'east'))} office."

    def add(self, name, attributes, parent=None, seconds=1, start=None):
        """(span id, start): the clock of the program goes on."""
        own = f"{self.chance.getrandbits(64) | 1:016x}"
        begin = self.now if start is None else start
        self.now = max(self.now, begin + seconds) + 1
        if self.conversation and self.convention in ("otel", "mastra") and attributes.get("gen_ai.operation.name") == "chat":
            attributes["gen_ai.conversation.id"] = self.conversation
        elif self.conversation and parent is None:
            attributes["session.id"] = self.conversation
        self.spans.append(span(self.trace, own, name, START + begin * SECOND, START + (begin + seconds) * SECOND, attributes, parent))
        return own

    def open(self, name, kind, parent=None, agent=None):
        """A span around others: a chain, an agent's run, or one that no table knows."""
        if kind == "plain":
            attributes = {"http.request.method": "POST"}
        elif self.convention == "otel":
            attributes = {"gen_ai.operation.name": "invoke_agent" if agent else "invoke_workflow"}
            if agent:
                attributes["gen_ai.agent.name"] = agent
        elif self.convention == "mastra":
            attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent} if agent else {"gen_ai.operation.name": "workflow_step"}
        elif self.convention == "traceloop":
            attributes = {"traceloop.span.kind": "agent" if agent else "workflow", "traceloop.entity.name": agent or name}
        elif self.convention == "langfuse":
            attributes = {"langfuse.observation.type": "agent" if agent else "chain"}
        elif self.convention == "aisdk":
            attributes = {"ai.operationId": "ai.generateText", **({"ai.telemetry.functionId": agent} if agent else {})}
        else:
            attributes = {"openinference.span.kind": "AGENT" if agent else "CHAIN", **({"agent.name": agent} if agent else {})}
        own = f"{self.chance.getrandbits(64) | 1:016x}"
        made = span(self.trace, own, name, START + self.now * SECOND, 0, attributes, parent)
        self.spans.append(made)
        self.now += 1
        return own, made

    def close(self, opened):
        self.now += 1
        opened[1]["end"] = START + self.now * SECOND

    # --- steps: each gives what it made ---

    def retrieval(self, parent, count=4, ids=True):
        """(query's ref, passages): the passages that are used come first."""
        passages = [{**({"id": f"doc-{self.chance.getrandbits(30)}.md"} if ids else {}), "content": self.text("Passage")} for _ in range(count)]
        if self.convention != "openinference":  # which has one of its own; the others leave it to the store's
            attributes = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": self.text("Search")}
            shown = [{**each, "content": each["content"] if self.has_texts else None} for each in passages]
            attributes["gen_ai.retrieval.documents"] = json.dumps([{k: v for k, v in each.items() if v} for each in shown])
        else:
            attributes = {"openinference.span.kind": "RETRIEVER", "input.value": self.text("Search") if self.has_texts else "q?"}
            for place, each in enumerate(passages):
                at = f"retrieval.documents.{place}.document."
                if self.has_texts:
                    attributes[at + "content"] = each["content"]
                if ids:
                    attributes[at + "id"] = each["id"]
                attributes[at + "score"] = 0.5
        own = self.add("retrieve", attributes, parent)
        if self.has_texts and self.chance.random() < 0.5:
            self.elsewhere(self.spans[-1])
        return f"Query:otel_{self.trace}_{own}", [each["content"] for each in passages]

    def memory(self, parent):
        """(query's ref, what is remembered): a search in a memory."""
        records = [{"id": f"mem_{self.chance.getrandbits(30)}", **({"content": self.text("Remember")} if self.has_texts else {})} for _ in range(2)]
        own = self.add("search_memory", {"gen_ai.operation.name": "search_memory", "gen_ai.memory.query.text": self.text("Taste"),
                                         "gen_ai.memory.records": json.dumps(records)}, parent)
        return f"Query:otel_{self.trace}_{own}", [each.get("content") for each in records]

    def elsewhere(self, made):
        """The span is of a service of its own, with another clock."""
        made["resource"] = {"service.name": "search", "host.name": "b"}
        made["start"] += self.skew
        made["end"] += self.skew

    def tool(self, parent, call, result, start=None):
        if self.convention == "traceloop":
            attributes = {"traceloop.span.kind": "tool", "traceloop.entity.name": "lookup"}
            if self.has_texts:
                attributes |= {"traceloop.entity.input": "{}", "traceloop.entity.output": json.dumps(result)}
        elif self.convention == "langfuse":
            attributes = {"langfuse.observation.type": "tool"}
            if self.has_texts:
                attributes |= {"langfuse.observation.input": "{}", "langfuse.observation.output": result}
        elif self.convention == "aisdk":
            attributes = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "lookup", "ai.toolCall.id": call}
            if self.has_texts:
                attributes |= {"ai.toolCall.args": "{}", "ai.toolCall.result": json.dumps(result)}
        elif self.convention == "mastra":
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": call}
            if self.has_texts:
                attributes |= {"gen_ai.tool.input": "{}", "gen_ai.tool.output": json.dumps(result)}
        elif self.convention == "otel":
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": call}
            if self.has_texts:
                attributes |= {"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": result}
        else:
            attributes = {"openinference.span.kind": "TOOL", "tool.name": "lookup", "tool.id": call}
            if self.has_texts:
                attributes |= {"input.value": "{}", "output.value": result}
        own = self.add("lookup", attributes, parent, seconds=2, start=start)
        if self.has_ids and self.has_texts:  # the clock of the machine where the tool runs
            self.spans[-1]["start"] += self.skew
            self.spans[-1]["end"] += self.skew
        if self.convention == "otel" and self.chance.random() < 0.3:
            self.ends_of_mcp(own, result)
        return f"ContextUnit:cu_{self.trace}_{own}"

    def ends_of_mcp(self, tool, result):
        """Client and server of MCP report the tool's result within its span, the server as it sends it."""
        outer = self.spans[-1]
        for place, shown in enumerate((result, json.dumps({"content": [{"type": "text", "text": result}], "isError": False}))):
            own = f"{self.chance.getrandbits(64) | 1:016x}"
            attributes = {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup",
                          **({"gen_ai.tool.call.result": shown} if self.has_texts else {})}
            inset = SECOND // 10 * (place + 1)
            self.spans.append(span(self.trace, own, "tools/call lookup", outer["start"] + inset, outer["end"] - inset, attributes, tool))
            tool = own

    def call(self, parent, messages, answer, causes, calls=()):
        """The ref of the response. A message is (role, text) or ("tool", id, text); `calls` are ids of tools it asks for. Some are tried twice:
        the first attempt is a response without content, made from the same."""
        if self.chance.random() < 0.1:
            failed = self.attempt(parent, messages, None, ())
            self.truth[failed] = set(causes)
        ref = self.attempt(parent, messages, answer, calls)
        self.truth[ref] = set(causes)
        if self.has_texts:
            self.said[ref] = ([each[-1] if each[0] == "tool" else each[1] for each in messages], answer, list(calls))
        return ref

    def attempt(self, parent, messages, answer, calls):
        step = self.open("step", "chain", parent) if self.convention == "mastra" else None
        if step:  # each call is a step of its own
            step[1]["attributes"] = {"gen_ai.operation.name": "agent_step"}
        attributes = {"otel": {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"},
                      "mastra": {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"},
                      "openinference": {"openinference.span.kind": "LLM", "llm.model_name": "m"},
                      "traceloop": {"llm.request.type": "chat", "gen_ai.request.model": "m"},
                      "langfuse": {"langfuse.observation.type": "generation", "langfuse.observation.model.name": "m"},
                      "aisdk": {"ai.operationId": "ai.streamText.doStream", "ai.model.id": "m"}}[self.convention]
        if self.has_texts:
            getattr(self, self.convention + "_texts")(attributes, messages, answer, calls)
        own = self.add("chat m", attributes, step[0] if step else parent, seconds=2)
        if step:
            self.close(step)
        return f"Response:resp_{self.trace}_{own}"

    def otel_texts(self, attributes, messages, answer, calls):
        attributes["gen_ai.input.messages"] = json.dumps([self.otel_message(each) for each in messages])
        if answer is not None:
            attributes["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": self.parts(answer, calls)}])

    mastra_texts = otel_texts

    def traceloop_texts(self, attributes, messages, answer, calls):
        for place, each in enumerate(messages):
            self.traceloop_message(attributes, f"gen_ai.prompt.{place}.", each)
        if answer is not None:
            self.traceloop_message(attributes, "gen_ai.completion.0.", ("calls", answer, calls))

    @staticmethod
    def traceloop_message(attributes, at, each):
        attributes[at + "role"] = "assistant" if each[0] == "calls" else each[0]
        text = each[1] if each[0] == "calls" else each[-1]
        if text:
            attributes[at + "content"] = text
        if each[0] == "tool":
            attributes[at + "tool_call_id"] = each[1]
        for number, call in enumerate(each[2] if each[0] == "calls" else ()):
            inner = f"{at}tool_calls.{number}."
            attributes |= {inner + "id": call, inner + "name": "lookup", inner + "arguments": "{}"}

    def langfuse_texts(self, attributes, messages, answer, calls):
        attributes["langfuse.observation.input"] = json.dumps([self.openai_message(each) for each in messages])
        if answer is not None:
            attributes["langfuse.observation.output"] = json.dumps(self.openai_message(("calls", answer, calls)))

    @staticmethod
    def openai_message(each):
        if each[0] == "tool":
            return {"role": "tool", "tool_call_id": each[1], "content": each[2]}
        if each[0] != "calls":
            return {"role": each[0], "content": each[1]}
        calls = [{"id": call, "type": "function", "function": {"name": "lookup", "arguments": "{}"}} for call in each[2]]
        return {"role": "assistant", "content": each[1] or None, **({"tool_calls": calls} if calls else {})}

    def aisdk_texts(self, attributes, messages, answer, calls):
        attributes["ai.prompt.messages"] = json.dumps([self.aisdk_message(each) for each in messages])
        if answer:
            attributes["ai.response.text"] = answer
        if calls:
            attributes["ai.response.toolCalls"] = json.dumps([{"toolCallId": call, "toolName": "lookup", "input": {}} for call in calls])

    @staticmethod
    def aisdk_message(each):
        if each[0] == "tool":
            return {"role": "tool", "content": [{"type": "tool-result", "toolCallId": each[1], "toolName": "lookup", "output": {"type": "text", "value": each[2]}}]}
        if each[0] == "calls":
            text = [{"type": "text", "text": each[1]}] if each[1] else []
            return {"role": "assistant", "content": text + [{"type": "tool-call", "toolCallId": call, "toolName": "lookup", "input": {}} for call in each[2]]}
        return {"role": each[0], "content": each[1] if each[0] == "system" else [{"type": "text", "text": each[1]}]}

    def openinference_texts(self, attributes, messages, answer, calls):
        for place, each in enumerate(messages):
            at = f"llm.input_messages.{place}.message."
            attributes[at + "role"] = "assistant" if each[0] == "calls" else each[0]
            if each[0] == "calls":
                self.flat_calls(attributes, at, each[2])
            if each[0] == "tool":
                attributes[at + "tool_call_id"] = each[1]
            text = each[1] if each[0] == "calls" else each[-1]
            if text:
                attributes[at + "content"] = text
        if answer is None:
            return
        attributes["llm.output_messages.0.message.role"] = "assistant"
        if answer:
            attributes["llm.output_messages.0.message.content"] = answer
        self.flat_calls(attributes, "llm.output_messages.0.message.", calls)

    @staticmethod
    def flat_calls(attributes, at, calls):
        for number, each in enumerate(calls):
            inner = f"{at}tool_calls.{number}.tool_call."
            attributes |= {inner + "id": each, inner + "function.name": "lookup", inner + "function.arguments": "{}"}

    @staticmethod
    def parts(answer, calls):
        parts = [{"type": "text", "content": answer}] if answer else []
        return parts + [{"type": "tool_call", "id": each, "name": "lookup", "arguments": {}} for each in calls]

    def otel_message(self, each):
        if each[0] == "tool":
            return {"role": "tool", "parts": [{"type": "tool_call_response", "id": each[1], "response": each[2]}]}
        if each[0] == "calls":
            return {"role": "assistant", "parts": self.parts(each[1], each[2])}
        return {"role": each[0], "parts": [{"type": "text", "content": each[1]}]}

    def sources(self, query, passages, used):
        """Keys of what a prompt has of a retrieval."""
        return {"chunk:" + each for each in passages[:used]} if self.has_texts else {query}

    def earlier(self, *refs):
        """Without texts nobody can know that an answer was passed on."""
        return set(refs) if self.has_texts else set()


def rag(p):
    root = p.open("ask", "chain")
    query, passages = p.retrieval(root[0], ids=p.chance.random() < 0.7)
    used = p.chance.randint(1, 4)
    context = "\n\n".join(passages[:used])
    if p.chance.random() < 0.3:
        context = json.dumps([{"text": each} for each in passages[:used]])
    where = root[0]
    if p.chance.random() < 0.3:
        where = p.open("POST", "plain", root[0])[0]
    p.call(where, [("system", "Answer from the context."), ("user", f"Context:\n{context}\n\nQuestion: {p.text('What')}")], p.text("Answer"),
           p.sources(query, passages, used))
    p.close(root)


def agent(p, task=None, causes=(), parent=None, name="Clerk"):
    """A loop of two rounds with tools beside each other; some of the ids repeat between programs."""
    run = p.open("invoke_agent " + name, "chain", parent, agent=name)
    asked = task or p.text("Find")
    messages = [("system", f"You are {name}."), ("user", asked)]
    known = set(causes)
    for round_ in range(p.chance.randint(1, 2)):
        calls = [f"call_{p.chance.getrandbits(48):x}" if p.chance.random() < 0.7 or not p.has_ids or p.convention == "aisdk" else f"functions.lookup:{round_}{n}" for n in range(p.chance.randint(1, 3))]
        calls = list(dict.fromkeys(calls))
        said = "" if p.chance.random() < 0.5 else p.text("Let me see")
        made = p.call(run[0], messages, said, known, calls)
        known = known | p.earlier(made)  # its calls are in the next prompt
        messages = messages + [("calls", said, calls)]
        begin = p.now
        for each in calls:
            result = p.text("Found") if p.chance.random() < 0.7 else json.dumps({"town": p.text("Bern"), "sky": "rain"})
            known = known | {p.tool(run[0], each, result, start=begin)}
            messages = messages + [("tool", each, result)]
    answer = p.text("Done")
    made = p.call(run[0], messages, answer, known)
    p.close(run)
    return made, answer


def hand_over(p):
    root = p.open("crew", "chain")
    first, said = agent(p, parent=root[0], name="Finder")
    agent(p, said, p.earlier(first), root[0], name="Writer")
    p.close(root)


def chain(p):
    root = p.open("flow", "chain")
    query, passages = p.retrieval(root[0])
    summary = p.text("Summary")
    first = p.call(root[0], [("user", "Summarise:\n" + passages[0])], summary, p.sources(query, passages, 1))
    causes = p.earlier(first)
    if not p.has_texts:
        causes = {query}  # nothing is between: it is beside both calls
    given = [("user", "Translate this."), ("user", summary)]
    if p.chance.random() < 0.5:  # within a text of its own
        given = [("user", p.chance.choice(("Translate this: %s", "Translate what is quoted: \"%s\"", "Translate\n\n%s\n\ninto French.")) % summary)]
    p.call(root[0], given, p.text("Translation"), causes)
    p.close(root)


def batch(p):
    root = p.open("nightly", "chain")
    for _ in range(p.chance.randint(2, 5)):
        item = p.open("item", "chain", root[0])
        query, passages = p.retrieval(item[0], 3)
        used = p.chance.randint(1, 3)
        p.call(item[0], [("user", "Rate: " + " ".join(passages[:used]))], p.chance.choice(("good", "bad", p.text("mixed"))), p.sources(query, passages, used))
        p.close(item)
    p.close(root)


def conversation(p):
    p.conversation = f"chat-{p.chance.getrandbits(40):x}"
    history, refs = [("system", "Be brief.")], set()
    for _ in range(p.chance.randint(2, 5)):
        p.new_trace()
        root = p.open("turn", "chain")
        query, passages = p.retrieval(root[0], 2)
        asked = f"{passages[0]}\n{p.text('And')}"
        kept = history if p.chance.random() < 0.8 else history[-4:]
        answer = p.text("Reply")
        shown = {ref for ref, said in refs if ("assistant", said) in kept}
        made = p.call(root[0], kept + [("user", asked)], answer, p.sources(query, passages, 1) | p.earlier(*shown))
        history = history + [("user", asked), ("assistant", answer)]
        refs = refs | {(made, answer)}
        p.close(root)


def remember(p):
    root = p.open("ask", "chain")
    query, records = p.memory(root[0])
    known = " ".join(records) if p.has_texts else ""
    p.call(root[0], [("system", "Be kind. You remember: " + known), ("user", p.text("What"))], p.text("Answer"), p.sources(query, records, 2))
    p.close(root)


KINDS = (rag, agent, hand_over, chain, batch, conversation, remember)
CONVENTIONS = ("otel", "openinference", "traceloop", "langfuse", "aisdk", "mastra")


def program(chance, has_texts=True, kinds=KINDS):
    p = Program(chance, chance.choice(CONVENTIONS), has_texts)
    p.kind = chance.choice(kinds)
    p.kind(p)
    return p
