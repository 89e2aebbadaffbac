"""Records what a client of OpenAI does: `wrap(client)`.

`chat.completions.create` and `responses.create` are replaced on that client, for streams and for the asynchronous client too. They
return what they returned before, and raise what they raised before.
"""
from __future__ import annotations

import functools
import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from .capture.calls import Calls, distinct, text_of, tool_unit, usage_of
from .capture.environment import default
from .transport import Json

C = TypeVar("C")


def wrap(client: C, db: Calls | None = None, *, agent: str = "openai") -> C:
    """Makes `client` record its calls, and returns it. `db`: a client of Whence, or the queue of the environment."""
    for path, reader in (("chat.completions", _Completion), ("responses", _Response)):
        place: Any = client
        for name in path.split("."):
            place = getattr(place, name, None)
        if place is not None and hasattr(place, "create"):
            place.create = _recording(place.create, reader, db or default, agent)
    return client


class _Answer:
    """What becomes known of one answer."""

    def __init__(self, body: Mapping[str, Any], db: Calls, agent: str) -> None:
        self.body, self.db, self.agent = body, db, agent
        self.model: str | None = body.get("model")
        self.content = ""
        self.usage: Json | None = None
        self.began = time.monotonic()

    def prompt(self) -> str | None:
        raise NotImplementedError

    def sources(self) -> list[Json]:
        return []

    def take_whole(self, answer: Any) -> None:
        raise NotImplementedError

    def take_piece(self, piece: Any) -> None:
        raise NotImplementedError

    def done(self) -> None:
        self.db.record(agent=self.agent, model=self.model, prompt=self.prompt(), content=self.content, usage=self.usage,
                       latency_ms=(time.monotonic() - self.began) * 1000, context_units=self.sources())


class _Completion(_Answer):
    def prompt(self) -> str | None:
        return "\n".join(f"{_get(said, 'role')}: {text_of(_get(said, 'content') or '')}" for said in self.body.get("messages") or [])

    def sources(self) -> list[Json]:
        messages: Sequence[Any] = self.body.get("messages") or []
        names = {_get(call, "id"): _get(_get(call, "function"), "name") for said in messages for call in _get(said, "tool_calls") or []}
        return distinct([tool_unit(names.get(_get(said, "tool_call_id")) or "tool", _get(said, "content"))
                         for said in messages if _get(said, "role") == "tool"])

    def take_whole(self, answer: Any) -> None:
        message = answer.choices[0].message
        self.model = answer.model or self.model
        self.content = message.content or text_of([_plain(call) for call in message.tool_calls or []])
        self.take_usage(answer)

    def take_piece(self, piece: Any) -> None:
        self.model = getattr(piece, "model", None) or self.model
        for choice in (getattr(piece, "choices", None) or [])[:1]:
            self.content += getattr(choice.delta, "content", None) or ""
        self.take_usage(piece)

    def take_usage(self, told: Any) -> None:
        usage = getattr(told, "usage", None)
        if usage is not None:
            self.usage = usage_of(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))


class _Response(_Answer):
    def prompt(self) -> str | None:
        asked = self.body.get("input")
        parts = [asked] if isinstance(asked, str) else [f"{_get(each, 'role') or _get(each, 'type')}: {text_of(_get(each, 'content') or '')}"
                                                        for each in asked or [] if _get(each, "type") != "function_call_output"]
        return "\n".join(([f"system: {self.body['instructions']}"] if self.body.get("instructions") else []) + parts)

    def sources(self) -> list[Json]:
        asked = self.body.get("input")
        items: Sequence[Any] = asked if isinstance(asked, Sequence) and not isinstance(asked, str) else []
        names = {_get(item, "call_id"): _get(item, "name") for item in items if _get(item, "type") == "function_call"}
        return distinct([tool_unit(names.get(_get(item, "call_id")) or "tool", _get(item, "output"))
                         for item in items if _get(item, "type") == "function_call_output"])

    def take_whole(self, answer: Any) -> None:
        self.model = getattr(answer, "model", None) or self.model
        calls = [_plain(item) for item in getattr(answer, "output", None) or [] if _get(item, "type") == "function_call"]
        self.content = answer.output_text or (text_of(calls) if calls else "")
        usage = getattr(answer, "usage", None)
        if usage is not None:
            self.usage = usage_of(getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None))

    def take_piece(self, piece: Any) -> None:
        if getattr(piece, "type", "") == "response.output_text.delta":
            self.content += piece.delta
        elif getattr(piece, "type", "") == "response.completed":
            self.take_whole(piece.response)


def _recording(create: Callable[..., Any], reader: type[_Answer], db: Calls, agent: str) -> Callable[..., Any]:
    @functools.wraps(create)
    def calling(*args: Any, **body: Any) -> Any:
        answer = reader(body, db, agent)
        given = create(*args, **body)
        if inspect.isawaitable(given):
            return _awaited(given, answer)
        return _followed(given, answer)
    return calling


async def _awaited(given: Any, answer: _Answer) -> Any:
    return _followed(await given, answer)


def _followed(given: Any, answer: _Answer) -> Any:
    if answer.body.get("stream"):
        return _AsyncStream(given, answer) if hasattr(given, "__aiter__") else _Stream(given, answer)
    _quietly(answer.take_whole, given)
    _quietly(answer.done)
    return given


class _Stream:
    """A stream that is recorded when it ends, or is left; everything else is the stream's own."""

    def __init__(self, stream: Any, answer: _Answer) -> None:
        self._stream, self._answer = stream, answer
        self._pieces = self._follow()

    def _follow(self) -> Iterator[Any]:
        try:
            for piece in self._stream:
                _quietly(self._answer.take_piece, piece)
                yield piece
        finally:
            _quietly(self._answer.done)

    def __iter__(self) -> Iterator[Any]:
        return self._pieces

    def __next__(self) -> Any:
        return next(self._pieces)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._pieces.close()  # type: ignore[attr-defined]
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _AsyncStream:
    def __init__(self, stream: Any, answer: _Answer) -> None:
        self._stream, self._answer = stream, answer
        self._pieces = self._follow()

    async def _follow(self) -> AsyncIterator[Any]:
        try:
            async for piece in self._stream:
                _quietly(self._answer.take_piece, piece)
                yield piece
        finally:
            _quietly(self._answer.done)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._pieces

    async def __anext__(self) -> Any:
        return await self._pieces.__anext__()

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pieces.aclose()  # type: ignore[attr-defined]
        await self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _get(item: Any, name: str) -> Any:
    """A member of a message, which may be an object or a dict."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _plain(item: Any) -> Any:
    return item.model_dump() if hasattr(item, "model_dump") else item


def _quietly(act: Callable[..., Any], *args: Any) -> None:
    """Does the adapter's part of the work: nothing of it may reach the application."""
    try:
        act(*args)
    except Exception:
        pass
