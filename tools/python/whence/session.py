"""Calls to a server over a connection that is opened again after it was lost.

Failures:

- A `Busy` call is retried three times, after the pause given by the server.
- A call whose connection was lost is repeated on the next one if that is harmless: a read, or a `records.write` with its
  idempotency key. Other calls end with `ConnectionLost`, because their outcome is unknown.
- No call waits longer than the session's `timeout` (or its own `timeout_ms`).
"""
from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from . import errors
from .methods import ROLES
from .pauses import growing_pauses
from .transport import Connection, Json, Request

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
    """Calls to one server. All of it runs on one event loop; calls may run at the same time.

    `timeout` is the limit in seconds for connecting, and for each answer; `None` waits for ever.
    """

    def __init__(self, url: str, token: str | None, timeout: float | None) -> None:
        self.url, self.token, self.timeout = url, token, timeout
        self.hello: Json = {}
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()
        self._closed = False

    async def open(self) -> None:
        """Connects once, so that a wrong address or token is reported immediately."""
        await self._open()

    async def close(self) -> None:
        self._closed = True
        if self._connection:
            await self._connection.close()

    async def call(self, method: str, params: Json, on_progress: OnProgress | None = None) -> Json:
        """The result object of one call."""
        params = with_key(method, params)

        async def ask(connection: Connection) -> Json:
            return await self.answer_of(await connection.send(method, params, on_progress), params)

        return await self._persist(method, params, ask)

    async def start_stream(self, method: str, params: Json, on_progress: OnProgress | None = None) -> Request:
        """Starts a request; returns it when its first items or its answer have arrived."""

        async def ask(connection: Connection) -> Request:
            request = await connection.send(method, params, on_progress)
            await self.wait_for_items(request, params)
            if not request.partials:
                await request.answer  # raises the server's refusal
            return request

        return await self._persist(method, params, ask)

    async def answer_of(self, request: Request, params: Json) -> Json:
        await self._wait(request, {request.answer}, params)
        return await request.answer

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

    async def _persist(self, method: str, params: Json, ask: Callable[[Connection], Awaitable[T]]) -> T:
        began = time.monotonic()
        refused, pauses = 0, growing_pauses()
        while True:
            sent = False
            try:
                connection = await self._open()
                sent = True
                return await ask(connection)
            except errors.Busy as refusal:
                refused += 1
                if refused > BUSY_RETRIES:
                    raise
                await asyncio.sleep(refusal.retry_after_ms / 1000)
            except errors.ConnectionLost:
                pause = next(pauses)
                late = self.timeout is not None and time.monotonic() - began + pause > self.timeout
                if self._closed or late or (sent and not may_repeat(method, params)):
                    raise
                await asyncio.sleep(pause)

    async def _open(self) -> Connection:
        async with self._opening:
            if self._closed:
                raise errors.ConnectionLost("the client is closed")
            if self._connection is None or not self._connection.is_open:
                if self._connection:
                    await self._connection.close()
                self._connection = await Connection.open(self.url, self.token, self.timeout)
                self.hello = self._connection.hello
            return self._connection
