"""The adapters for LangChain and OpenAI, against stand-ins with the signatures that these packages publish. (The packages themselves
are not among Debian's.)"""
import asyncio
import types
import unittest
import uuid

from client_case import ClientCase
from whence import langchain, openai


def namespace(**members):
    return types.SimpleNamespace(**members)


class LangChainTest(ClientCase):
    """Handlers are called as `langchain_core.callbacks` calls them: positional inputs, `run_id` and `parent_run_id` by name."""

    def test_a_retrieval_chain(self):
        handler = langchain.WhenceCallbackHandler(self.db, agent="shop")
        chain, retriever, tool, model = (uuid.uuid4() for _ in range(4))
        handler.on_chain_start({"name": "chain"}, {"question": "How long?"}, run_id=chain, parent_run_id=None, tags=[], metadata={})
        handler.on_retriever_start({"name": "retriever"}, "How long are returns free?", run_id=retriever, parent_run_id=chain, tags=[])
        handler.on_retriever_end([namespace(page_content="Returns are free for 30 days.", metadata={"source": "faq.md", "page": 2, "score": 0.9},
                                            id=None)], run_id=retriever, parent_run_id=chain)
        handler.on_tool_start({"name": "clock"}, "now", run_id=tool, parent_run_id=chain, inputs={})
        handler.on_tool_end(namespace(content="Monday"), run_id=tool, parent_run_id=chain)
        handler.on_chat_model_start({"id": ["ChatOpenAI"]}, [[namespace(type="system", content="Answer."), namespace(type="human", content="How long?")]],
                                    run_id=model, parent_run_id=chain, metadata={"ls_model_name": "m-1"}, invocation_params={})
        message = namespace(response_metadata={"model_name": "m-1-2026"}, usage_metadata={"input_tokens": 7, "output_tokens": 3}, tool_calls=[])
        handler.on_llm_end(namespace(generations=[[namespace(text="30 days.", message=message)]], llm_output=None), run_id=model,
                           parent_run_id=chain)
        handler.on_chain_end({"answer": "30 days."}, run_id=chain, parent_run_id=None)
        counts = self.db.flush()
        self.assertEqual((counts["pending"], counts["rejected"]), (0, 0))
        record = next(iter(self.db.node.find("Response", where={"agent": "shop"}, include=["record"])))["record"]
        self.assertEqual((record["content"], record["model"], record["prompt"]), ("30 days.", "m-1-2026", "system: Answer.\nhuman: How long?"))
        self.assertEqual(record["usage"], {"input_tokens": 7, "output_tokens": 3})
        refs = {node["ref"] for node in self.db.lineage.ancestors(record["id"])}
        self.assertIn("Document:faq.md", refs)
        self.assertTrue(any(ref.startswith("ContextUnit:") for ref in refs), refs)

    def test_a_model_without_a_chain_and_failures(self):
        handler = langchain.WhenceCallbackHandler(self.db, agent="plain")
        run = uuid.uuid4()
        handler.on_llm_start({}, ["Say so."], run_id=run)
        handler.on_llm_end(namespace(generations=[[namespace(text="So.")]], llm_output={"model_name": "m-2"}), run_id=run)
        failed = uuid.uuid4()
        handler.on_llm_start({}, ["Say so."], run_id=failed)
        handler.on_llm_error(ValueError("x"), run_id=failed)
        handler.on_llm_end(namespace(), run_id=uuid.uuid4())  # of a run that nobody began
        odd = uuid.uuid4()
        handler.on_retriever_start(None, None, run_id=odd)
        handler.on_retriever_end([object()], run_id=odd)
        self.db.flush()
        records = [node["record"] for node in self.db.node.find("Response", where={"agent": "plain"}, include=["record"])]
        self.assertEqual([(record["model"], record["content"]) for record in records], [("m-2", "So.")])


class Completions:
    def __init__(self, pieces):
        self.pieces = pieces

    def create(self, **body):
        if body.get("model") == "none":
            raise ValueError("no such model")
        if body.get("stream"):
            return Stream([namespace(model="m-3", usage=None, choices=[namespace(delta=namespace(content=piece))]) for piece in self.pieces]
                          + [namespace(model="m-3", choices=[], usage=namespace(prompt_tokens=5, completion_tokens=2))])
        message = namespace(content="".join(self.pieces), tool_calls=None)
        return namespace(model="m-3", choices=[namespace(message=message)], usage=namespace(prompt_tokens=5, completion_tokens=2))


class Stream:
    def __init__(self, pieces):
        self.pieces, self.closed = iter(pieces), False

    def __iter__(self):
        return self.pieces

    def close(self):
        self.closed = True


class AsyncStream(Stream):
    async def __aiter__(self):
        for piece in self.pieces:
            yield piece

    async def close(self):
        self.closed = True


class AsyncCompletions(Completions):
    async def create(self, **body):
        given = super().create(**body)
        return AsyncStream(list(given)) if body.get("stream") else given


class Responses:
    def create(self, **body):
        if body.get("stream"):
            done = namespace(type="response.completed", response=self.create(**{**body, "stream": False}))
            return Stream([namespace(type="response.output_text.delta", delta="S"), done])
        return namespace(model="m-4", output_text="So.", output=[], usage=namespace(input_tokens=4, output_tokens=1))


MESSAGES = [{"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "Rain in Bern."}]


class OpenAiTest(ClientCase):
    def responses(self, agent):
        self.assertEqual(self.db.flush()["pending"], 0)
        return [node["record"] for node in self.db.node.find("Response", where={"agent": agent}, include=["record"])]

    def check(self, agent, count):
        records = self.responses(agent)
        self.assertEqual(len(records), count)
        for record in records:
            self.assertEqual((record["model"], record["content"]), ("m-3", "It rains."))
            self.assertEqual(record["usage"], {"input_tokens": 5, "output_tokens": 2})
            self.assertTrue(record["prompt"].startswith("user: Weather?"))
            sources = [node for node in self.db.lineage.ancestors(record["id"], include=["record"]) if node["type"] == "ContextUnit"]
            self.assertEqual([(node["record"]["source"], node["record"]["content"]) for node in sources], [("tool:weather", "Rain in Bern.")])

    def test_chat_completions_and_streams(self):
        client = openai.wrap(namespace(chat=namespace(completions=Completions(["It ", "rains."]))), self.db, agent="chat")
        whole = client.chat.completions.create(model="m", messages=MESSAGES)
        self.assertEqual(whole.choices[0].message.content, "It rains.")
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        self.assertEqual(len(list(stream)), 3)
        with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
            self.assertEqual(len(list(stream)), 3)
        self.assertTrue(stream.closed)
        with self.assertRaisesRegex(ValueError, "no such model"):
            client.chat.completions.create(model="none", messages=MESSAGES)
        self.check("chat", 3)

    def test_the_asynchronous_client(self):
        client = openai.wrap(namespace(chat=namespace(completions=AsyncCompletions(["It ", "rains."]))), self.db, agent="later")

        async def use():
            whole = await client.chat.completions.create(model="m", messages=MESSAGES)
            pieces = [piece async for piece in await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)]
            return whole.choices[0].message.content, len(pieces)

        self.assertEqual(asyncio.run(use()), ("It rains.", 3))
        self.check("later", 2)

    def test_a_stream_that_is_left_is_recorded_as_far_as_it_came(self):
        client = openai.wrap(namespace(chat=namespace(completions=Completions(["It ", "rains."]))), self.db, agent="left")
        with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
            next(stream)
        self.assertEqual([record["content"] for record in self.responses("left")], ["It "])

    def test_the_responses_api(self):
        client = openai.wrap(namespace(responses=Responses()), self.db, agent="responses")
        self.assertEqual(client.responses.create(model="m", instructions="Be short.", input="Why?").output_text, "So.")
        items = [{"type": "function_call", "call_id": "c1", "name": "weather"}, {"type": "function_call_output", "call_id": "c1", "output": "Rain."},
                 {"role": "user", "content": "Why?"}]
        list(client.responses.create(model="m", input=items, stream=True))
        records = self.responses("responses")
        self.assertEqual({record["content"] for record in records}, {"So."})
        self.assertIn("system: Be short.\nWhy?", {record["prompt"] for record in records})
        self.assertIn(1, {len(record["context_units"]) for record in records})


if __name__ == "__main__":
    unittest.main()
