"""The sources of a list answer's items: page after page by cursor, or one stream with credit.

Both read one snapshot. The two kinds of client differ only in how they wait for the next piece (`results.py`, `aio.py`).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from .session import OnProgress, Session
from .transport import Json, Request

TAKE_FORM = ("lineage.ancestors", "lineage.descendants")  # methods that give edges where `form` asks for them
STREAM_CREDIT = 8  # pieces in flight or waiting here: about 500 KB at most


@dataclass
class Piece:
    """Some items. `answer` is the server's answer so far: `None` while a stream runs."""
    answer: Json | None = None
    items: list[Json] = field(default_factory=list)  # of a stream, where the lists share one sequence
    lists: dict[str, list[Json]] = field(default_factory=dict)  # of a page, by name


class Source(Protocol):
    in_flight: bool  # whether a request stays open on the server between two pieces

    async def next_piece(self) -> Piece | None:
        """The next items; `None` when there are no more. After an error there are no more."""

    async def cancel(self) -> None:
        """Stops reading before the end."""


def next_params(params: Json, answer: Json) -> Json | None:
    """The params of the next page; `None` if `answer` is the last, or was cut by time, which another page would hide."""
    if "cursor" not in answer or answer.get("reason") == "timeout":
        return None
    kept = {name: params[name] for name in ("limit", "timeout_ms", "progress") if name in params}
    return {**kept, "cursor": answer["cursor"]}


class Pages:
    """Requests a page, then the next by its cursor."""

    in_flight = False

    def __init__(self, session: Session, method: str, lists: tuple[str, ...], params: Json,
                 on_progress: OnProgress | None) -> None:
        self._session, self._method, self._lists, self._params = session, method, lists, params
        self._on_progress = on_progress
        self._at_end = False

    async def next_piece(self) -> Piece | None:
        if self._at_end:
            return None
        self._at_end = True  # also if the call fails
        answer = await self._session.call(self._method, self._params, self._on_progress)
        following = next_params(self._params, answer)
        if following:
            self._params, self._at_end = following, False
        lists = {name: answer.pop(name) for name in self._lists if name in answer}
        return Piece(answer, lists=lists)

    async def cancel(self) -> None:
        self._at_end = True


class Stream:
    """Sends one request and grants credit for every piece taken, so that at most `STREAM_CREDIT` pieces wait here."""

    in_flight = True

    def __init__(self, session: Session, method: str, params: Json, on_progress: OnProgress | None) -> None:
        self._session, self._method = session, method
        self._params = {**params, "stream": {"credit": STREAM_CREDIT}}
        self._on_progress = on_progress
        self._request: Request | None = None
        self._at_end = False

    async def next_piece(self) -> Piece | None:
        if self._at_end:
            return None
        if self._request is None:
            self._request = await self._session.start_stream(self._method, self._params, self._on_progress)
        await self._session.wait_for_items(self._request, self._params)
        if self._request.partials:
            items = self._request.partials.popleft()
            if not self._request.answer.done():
                await self._request.give_credit(1)
            return Piece(items=items)
        answer = await self._request.answer
        self._session.nodes.saw(answer)
        following = next_params(self._params, answer)
        if following:
            self._params, self._request = {**following, "stream": self._params["stream"]}, None
        else:
            self._at_end = True
        return Piece(answer)

    async def cancel(self) -> None:
        self._at_end = True
        if self._request:
            await self._request.cancel()


def without_callback(params: Json) -> tuple[Json, OnProgress | None]:
    """A copy of the params in their wire form, and the callback for progress."""
    on_progress = params.get("progress")
    return ({**params, "progress": True}, on_progress) if callable(on_progress) else (dict(params), None)


def source_of(session: Session, method: str, lists: tuple[str, ...], params: Json) -> Source:
    """The source for a list method's params. The client takes `stream` and `progress` out of them."""
    params, on_progress = without_callback(params)
    if params.pop("stream", False):
        return Stream(session, method, params, on_progress)
    return Pages(session, method, lists, params, on_progress)
