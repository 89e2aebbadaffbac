"""Calls to a server over a connection that is opened again after it was lost.

Failures:

- A `Busy` call is retried three times, after the pause given by the server.
- A call whose connection was lost is repeated on the next one if that is harmless: a read, or a `records.write` with its
  idempotency key. Other calls end with `ConnectionLost`, because their outcome is unknown.
- No call waits longer than the session's `timeout` (or its own `timeout_ms`).

With several addresses (`nodes.py`):

- What is repeated is repeated at the next node at once, and after a pause when all of them have failed. A `Busy` call goes on there
  too, unless it is a write without a key: a node that lost its log answers `Busy` to a write that may be in the log.
- Reads carry the newest transaction seen as `min_tx`. Where the node is not known to have it, they wait for it first, a few seconds;
  then another node is asked.
"""
from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from ssl import SSLContext
from typing import Any, TypeVar

from . import errors
from .methods import ROLES, TAKE_MIN_TX
from .nodes import CONNECT_S, Attempts, Nodes, Urls, enter, nodes_of, reach
from .transport import Connection, Json, Request
from .wire import timed

T = TypeVar("T")
OnProgress = Callable[[Json], None]

BUSY_RETRIES = 3
GRACE_S = 5.0  # time for the server's own answer about a deadline to arrive


def may_repeat(method: str, params: Json) -> bool:
    """Whether the request may be sent twice without another effect."""
    if method == "records.write":
        return bool(params.get("idempotency_key") or params.get("dry_run"))
    writes = params.get("record") or params.get("repair") not in (None, "none")  # reading methods that can also write
    return ROLES.get(method) == "read" and not writes and method != "export.start"


def with_key(method: str, params: Json) -> Json:
    """`params`, with a new idempotency key for a write that has none."""
    if method != "records.write" or params.get("idempotency_key") is not None or params.get("dry_run"):
        return params
    return {**params, "idempotency_key": f"py-{uuid.uuid4()}"}


class Session:
    """Calls to one server, or to one of several nodes. All of it runs on one event loop; calls may run at the same time.

    `timeout` is the limit in seconds for connecting, and for each answer; `None` waits for ever.
    """

    def __init__(self, urls: Urls | Nodes, token: str | None, timeout: float | None, ssl: SSLContext | None = None) -> None:
        self.nodes, self.token, self.timeout = nodes_of(urls, ssl), token, timeout
        self.hello: Json = {}
        self._connection: Connection | None = None
        self._left: set[asyncio.Task[None]] = set()  # ends connections that were left, each with its last answer
        self._opening = asyncio.Lock()
        self._closed = False

    @property
    def url(self) -> str:
        """The address that calls go to."""
        return self._connection.url if self._connection and self._connection.is_open else self.nodes.current

    async def open(self) -> None:
        """Connects once, to the first node that answers, so that wrong addresses and a wrong token are reported immediately."""
        attempts = Attempts(self.nodes)
        while True:
            url = self.nodes.current
            try:
                await self._open()
                return
            except (errors.Busy, errors.ConnectionLost) as failure:
                if attempts.failed(url, failure):
                    raise attempts.summary(failure)

    async def close(self) -> None:
        self._closed = True
        for task in self._left:
            task.cancel()
        if self._connection:
            await self._connection.close()

    async def call(self, method: str, params: Json, on_progress: OnProgress | None = None) -> Json:
        """The result object of one call."""
        params = self._current(method, with_key(method, timed(method, params)))

        async def ask(connection: Connection) -> Json:
            await self._catch_up(connection, method, params)
            return await self.answer_of(await connection.send(method, params, on_progress), params)

        return await self._persist(method, params, ask)

    async def start_stream(self, method: str, params: Json, on_progress: OnProgress | None = None) -> Request:
        """Starts a request; returns it when its first items or its answer have arrived."""
        params = self._current(method, timed(method, params))

        async def ask(connection: Connection) -> Request:
            await self._catch_up(connection, method, params)
            request = await connection.send(method, params, on_progress)
            await self.wait_for_items(request, params)
            if not request.partials:
                await request.answer  # raises the server's refusal
            return request

        return await self._persist(method, params, ask)

    async def answer_of(self, request: Request, params: Json) -> Json:
        await self._wait(request, {request.answer}, params)
        answer = await request.answer
        self.nodes.saw(answer)
        return answer

    async def wait_for_items(self, request: Request, params: Json) -> None:
        """Returns when the stream has a piece or has ended."""
        if not request.partials and not request.answer.done():
            waiting = asyncio.ensure_future(request.has_items())
            try:
                await self._wait(request, {request.answer, waiting}, params)
            finally:
                waiting.cancel()

    async def _wait(self, request: Request, either: set[asyncio.Future[Any]], params: Json) -> None:
        seconds = self._patience(params)
        try:
            done, _ = await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await request.cancel()
            raise
        if not done:
            await request.cancel()
            raise errors.make(errors.DeadlineExceeded, f"no answer within {seconds} s")

    def _patience(self, params: Json) -> float | None:
        if self.timeout is None or not params.get("timeout_ms"):
            return self.timeout
        return max(self.timeout, float(params["timeout_ms"]) / 1000 + GRACE_S)

    def _current(self, method: str, params: Json) -> Json:
        """`params` of a read, so that no node answers with an older state than this client has seen."""
        is_bound = method not in TAKE_MIN_TX or "min_tx" in params or "cursor" in params or not may_repeat(method, params)
        if not self.nodes.are_several or is_bound or not self.nodes.seen:
            return params
        return {**params, "min_tx": self.nodes.seen}

    async def _catch_up(self, connection: Connection, method: str, params: Json) -> None:
        """The same for reads that take no `min_tx`, and pages, whose cursor has it. Before any other read too, because this waits for a
        short time only: a node that lost its log goes on reading, and another one has what is waited for."""
        if self.nodes.are_several and may_repeat(method, params) and ROLES.get(method) == "read":
            await reach(connection, self.nodes.seen)

    async def _persist(self, method: str, params: Json, ask: Callable[[Connection], Awaitable[T]]) -> T:
        began = time.monotonic()
        refused, attempts = 0, Attempts(self.nodes)
        while True:
            connection, url = None, self.nodes.current
            try:
                connection = await self._open()
                url = connection.url
                return await ask(connection)
            except errors.Busy as refusal:
                pause = self._failed(attempts, connection, url, refusal)
                is_open = self.nodes.are_several or refusal.data.get("outcome") == "unknown"
                if connection and is_open and not may_repeat(method, params):
                    raise _unknown(method, refusal) from refusal
                refused += pause > 0
                if refused > BUSY_RETRIES:
                    raise attempts.summary(refusal)
                await asyncio.sleep(refusal.retry_after_ms / 1000 if pause else 0)
            except errors.DeadlineExceeded as late:
                if connection and not late.data:  # the time-out is this client's own: the next call asks another node
                    self._failed(attempts, connection, url, late)
                raise
            except errors.ConnectionLost as failure:
                pause = self._failed(attempts, connection, url, failure)
                if connection and not self._closed and not may_repeat(method, params):
                    raise _unknown(method, failure) from failure
                is_late = self.timeout is not None and time.monotonic() - began + pause > self.timeout
                if self._closed or is_late:
                    raise attempts.summary(failure)
                await asyncio.sleep(pause)

    def _failed(self, attempts: Attempts, connection: Connection | None, url: str, failure: errors.Error) -> float:
        """Lets the next try go to another node. The seconds to wait before it."""
        self._leave(connection)
        return attempts.failed(url, failure)

    def _leave(self, connection: Connection | None) -> None:
        """Ends a connection for new calls. What is in flight on it is answered first."""
        if not self.nodes.are_several or connection is None or connection is not self._connection:
            return
        self._connection = None
        task = asyncio.ensure_future(connection.close_when_idle())
        self._left.add(task)
        task.add_done_callback(self._left.discard)

    async def _open(self) -> Connection:
        async with self._opening:
            if self._closed:
                raise errors.ConnectionLost("the client is closed")
            if self._connection is None or not self._connection.is_open:
                if self._connection:
                    await self._connection.close()
                connection = await self._connect()
                try:
                    await enter(connection, self.nodes)
                except BaseException:
                    await connection.close()
                    raise
                self._connection, self.hello = connection, connection.hello
            return self._connection

    async def _connect(self) -> Connection:
        timeout = self.timeout
        if self.nodes.are_several:
            timeout = min(timeout or CONNECT_S, CONNECT_S)
        return await Connection.open(self.nodes.current, self.token, timeout, ssl=self.nodes.ssl)


def _unknown(method: str, failure: errors.Error) -> errors.Error:
    """The failure of a write that may have been carried out."""
    return errors.reworded(failure, f"{failure.message}; {method} may have been carried out: it has no idempotency key and is not repeated")
