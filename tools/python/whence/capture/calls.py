"""One call of a model as a record, and what the adapters share: retrievals, tools, usage."""
from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import inspect
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast

from ..calling import Suggesting
from ..recording import now
from ..transport import Json
from .queueing import RecordQueue

P = ParamSpec("P")
T = TypeVar("T")
Unit = str | Mapping[str, Any]

NAME_MAX = 255  # characters of a name or a source


def response_record(members: Mapping[str, Any]) -> Json:
    """A Response as `record` takes it, as a record of the server. A unit is an id (`cu_...`), a ref, or a record."""
    given = {name: value for name, value in members.items() if value is not None and name != "context_units"}
    units = [unit_of(unit) for unit in members.get("context_units") or []]
    return {"$type$": "Response", "id": f"resp_{uuid.uuid4()}", "timestamp": now(), "agent": "application", "model": "unknown", **given,
            "context_units": units}


def unit_of(unit: Unit, weight: float | None = None) -> Json:
    """A source of a response, as its member `context_units` has it."""
    if isinstance(unit, str):
        name = unit.removeprefix("ContextUnit:")
        made: Json = {"context_unit_id" if name.startswith("cu_") else "ref": name}
    else:
        made = dict(unit)
    return made if weight is None else {**made, "weight": weight}


class Call:
    """A call of a model under way. Set `content`, `prompt`, `model`, `usage`, `cost` and other members of a Response on it, and
    name its sources by `used`. It is queued when its block ends, and not at all where that raises."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.id: str = members.get("id") or f"resp_{uuid.uuid4()}"
        self._members: Json = {}
        self._units: list[Json] = list(members.get("context_units") or [])
        self._began = time.monotonic()
        for name, value in members.items():
            if name not in ("id", "context_units"):
                setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "id" and not name.startswith("_"):
            self._members[name] = value
        object.__setattr__(self, name, value)

    def used(self, unit: Unit, weight: float | None = None) -> None:
        """Adds a source: the id of a unit, the ref of any record, or a record of a unit (`{"content": ..., "source": ...}`).
        `weight`: its share, 0 to 1; missing ones share what is left equally."""
        self._units.append(unit_of(unit, weight))

    def record(self) -> Json:
        latency = {"latency_ms": (time.monotonic() - self._began) * 1000}
        return response_record({**latency, **self._members, "id": self.id, "context_units": self._units})


_current: contextvars.ContextVar[Call | None] = contextvars.ContextVar("whence_call", default=None)


def used(unit: Unit, weight: float | None = None) -> None:
    """Adds a source to the call of a decorated function, or of a block, in which it is called; else does nothing."""
    call = _current.get()
    if call is not None:
        call.used(unit, weight)


class Calls(Suggesting):
    """Recording in the background. Nothing here waits for the server or raises on its behalf."""

    def _queue_of_records(self) -> RecordQueue:
        raise NotImplementedError

    def record(self, **members: Any) -> str:
        """Queues a Response with these members (`agent`, `model`, `prompt`, `content`, `context_units`, `usage`, ...) and
        returns its id at once. `flush` says what became of it."""
        queue = self._queue_of_records()
        try:
            record = response_record(members)
        except Exception as failure:
            queue.refuse(1, failure)
            return str(members.get("id"))
        queue.add([record])
        return str(record["id"])

    def enqueue(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Queues records of any type; they are written together or not at all."""
        self._queue_of_records().add(records)

    def flush(self, timeout: float = 30.0) -> dict[str, int]:
        """Waits for the queue, at most `timeout` seconds: the numbers of records `written`, `dropped`, `rejected`, `pending`."""
        return self._queue_of_records().flush(timeout)

    @contextlib.contextmanager
    def call(self, **members: Any) -> Iterator[Call]:
        """A block in which a model is called; its end queues the response.

            with db.call(agent="support-bot", model="m", prompt=question) as c:
                c.used("cu_policy")
                c.content = ask(question)
        """
        call = Call(members)
        token = _current.set(call)
        try:
            yield call
        finally:
            _current.reset(token)
        self._add(call)

    def recorded(self, **members: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Decorates a function that returns a model's answer: each call is a response, whose content is what it returns. The
        prompt is its first text. `whence.used` names sources within it. Coroutine functions are awaited.

            @db.recorded(agent="support-bot", model="m")
            def answer(question): ...
        """
        def decorate(function: Callable[P, T]) -> Callable[P, T]:
            if inspect.iscoroutinefunction(function):
                @functools.wraps(function)
                async def waiting(*args: P.args, **kwargs: P.kwargs) -> Any:
                    with self.call(**self._members_for(function, members, args)) as call:
                        result: Any = await cast(Any, function(*args, **kwargs))
                        self._content(call, result)
                    return result
                return waiting  # type: ignore[return-value]

            @functools.wraps(function)
            def calling(*args: P.args, **kwargs: P.kwargs) -> T:
                with self.call(**self._members_for(function, members, args)) as call:
                    result = function(*args, **kwargs)
                    self._content(call, result)
                return result
            return calling
        return decorate

    @staticmethod
    def _members_for(function: Callable[..., Any], members: Mapping[str, Any], args: Sequence[Any]) -> Json:
        prompt = next((arg for arg in args if isinstance(arg, str)), None)
        return {"agent": getattr(function, "__qualname__", "application")[:NAME_MAX], "prompt": prompt, **members}

    @staticmethod
    def _content(call: Call, result: Any) -> None:
        if not hasattr(call, "content"):
            call.content = text_of(result)

    def _add(self, call: Call) -> None:
        queue = self._queue_of_records()
        try:
            record = call.record()
        except Exception as failure:
            queue.refuse(1, failure)
            return
        queue.add([record])


def text_of(value: Any) -> str:
    """A text as it is, anything else as JSON where it is JSON, or as Python shows it."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def tool_unit(name: str, result: Any) -> Json:
    """A unit of a tool's result. Equal results of one tool are one unit."""
    return {"type": "External", "source": f"tool:{name}"[:NAME_MAX], "content": text_of(result)}


def distinct(units: Sequence[Json]) -> list[Json]:
    """Each source once."""
    return list({json.dumps(unit, sort_keys=True, default=str): unit for unit in units}.values())


def usage_of(taken: Any, made: Any) -> Json | None:
    """`{input_tokens, output_tokens}` without what is not known."""
    usage = {name: count for name, count in (("input_tokens", taken), ("output_tokens", made)) if isinstance(count, int)}
    return usage or None


def retrieval(request_id: str, question: Any, documents: Sequence[Mapping[str, Any]]) -> list[Json]:
    """The records of a retrieval: its query, then a chunk for each of `documents` (`content`, `name`, `page`, `score`)."""
    time_of = now()
    records: list[Json] = [{"$type$": "Query", "request_id": request_id, "question": text_of(question)[:250].ljust(3), "timestamp": time_of}]
    for rank, document in enumerate(documents, 1):
        name = str(document.get("name") or "unnamed")[:NAME_MAX]
        page = document.get("page")
        page = page if isinstance(page, int) and page >= 0 else None
        score = document.get("score")
        identity = json.dumps([name, page, document["content"]], ensure_ascii=False, separators=(",", ":"))
        metadata = {"document_name": name, "chunk_index": 0} | ({"page_number": page} if page is not None else {})
        said = {"similarity_score": min(1.0, max(0.0, float(score)))} if isinstance(score, (int, float)) and score == score else {}
        records.append({"$type$": "RetrievedChunk", "request_id": request_id, "rank": rank,
                        "chunk_id": "chunk_" + hashlib.sha256(identity.encode()).hexdigest()[:32], "content": document["content"],
                        "metadata": metadata} | said)
    return records
