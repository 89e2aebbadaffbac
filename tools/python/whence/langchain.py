"""Records what LangChain does: `WhenceCallbackHandler()` among the `callbacks` of a call.

Chunks that a retriever found, and results of tools, are the sources of the models' answers that come after them under the same
outermost run.
"""
from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from .capture.calls import Calls, distinct, retrieval, text_of, tool_unit, usage_of
from .capture.environment import default
from .transport import Json

try:  # the package's own base class where it is there; LangChain asks handlers for nothing but its attributes
    Base: Any = importlib.import_module("langchain_core.callbacks").BaseCallbackHandler
except ImportError:
    Base = object

RUNS_MAX = 10_000  # runs under way that are remembered; what LangChain does not end is forgotten


class WhenceCallbackHandler(Base):  # type: ignore[misc]
    """Nothing that goes wrong here reaches the chain. `db`: a client, or the queue of the environment."""

    raise_error = False
    run_inline = True  # a retrieval is known before the model is called, in asyncio too
    ignore_llm = ignore_chat_model = ignore_chain = ignore_agent = ignore_retriever = False
    ignore_retry = ignore_custom_event = True

    def __init__(self, db: Calls | None = None, *, agent: str = "langchain") -> None:
        self._db = db or default
        self._agent = agent
        self._lock = threading.Lock()
        self._runs: dict[UUID, Json] = {}  # what is known of a run until it ends; `sources` is shared by a whole tree of runs

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        self._start(run_id, parent_run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._take(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._take(run_id)

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        self._start(run_id, parent_run_id, question=query)

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **kwargs: Any) -> None:
        run = self._take(run_id)
        if run is None:
            return
        try:
            found = [_document(each) for each in documents]
            records = retrieval(str(run_id), run["question"], found)
            self._db.enqueue(records)
            run["sources"].extend({"ref": f"RetrievedChunk:{chunk['chunk_id']}"} for chunk in records[1:])
        except Exception:  # what cannot be recorded does not concern the chain
            pass

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._take(run_id)

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        name = (serialized or {}).get("name") if isinstance(serialized, dict) else None
        self._start(run_id, parent_run_id, tool=name or kwargs.get("name") or "tool")

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._take(run_id)
        if run is not None:
            run["sources"].append(tool_unit(run["tool"], getattr(output, "content", output)))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._take(run_id)

    def on_llm_start(self, serialized: Any, prompts: Sequence[str], *, run_id: UUID, parent_run_id: UUID | None = None,
                     metadata: Any = None, **kwargs: Any) -> None:
        self._start(run_id, parent_run_id, prompt="\n".join(prompts), model=(metadata or {}).get("ls_model_name"))

    def on_chat_model_start(self, serialized: Any, messages: Sequence[Sequence[Any]], *, run_id: UUID, parent_run_id: UUID | None = None,
                            metadata: Any = None, **kwargs: Any) -> None:
        said = (f"{getattr(each, 'type', 'message')}: {text_of(getattr(each, 'content', each))}" for part in messages for each in part)
        self._start(run_id, parent_run_id, prompt="\n".join(said), model=(metadata or {}).get("ls_model_name"))

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._take(run_id)
        if run is None:
            return
        try:
            generation = response.generations[0][0]
            message = getattr(generation, "message", None)
            told = getattr(message, "response_metadata", None) or {}
            usage = getattr(message, "usage_metadata", None) or {}
            content = generation.text or text_of(getattr(message, "tool_calls", None) or "")
        except Exception:
            return
        self._db.record(agent=self._agent, model=told.get("model_name") or (response.llm_output or {}).get("model_name") or run.get("model"),
                        prompt=run.get("prompt"), content=content, usage=usage_of(usage.get("input_tokens"), usage.get("output_tokens")),
                        latency_ms=(time.monotonic() - run["began"]) * 1000, context_units=distinct(run["sources"]))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._take(run_id)

    def _start(self, run_id: UUID, parent: UUID | None, **known: Any) -> None:
        with self._lock:
            above = self._runs.get(parent) if parent is not None else None
            self._runs[run_id] = {**known, "sources": above["sources"] if above else [], "began": time.monotonic()}
            while len(self._runs) > RUNS_MAX:
                self._runs.pop(next(iter(self._runs)))

    def _take(self, run_id: UUID) -> Json | None:
        with self._lock:
            return self._runs.pop(run_id, None)


def _document(document: Any) -> Json:
    metadata = getattr(document, "metadata", None) or {}
    return {"content": document.page_content, "name": metadata.get("source") or getattr(document, "id", None),
            "page": metadata.get("page"), "score": metadata.get("score")}
