"""One WebSocket connection with JSON-RPC: requests with their answers, and the notifications between them.

A connection never reopens: its user opens another one (`session.py`, `feed.py`). All of it runs on one event
loop.
"""
from __future__ import annotations

import asyncio
import collections
import itertools
import json
import logging
from collections.abc import Awaitable, Callable
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

from . import errors, websocket
from .wire import text_of

Json = dict[str, Any]
OnNote = Callable[[str, Json], Awaitable[None]]

SUBPROTOCOL = "whence.v1.json"
CLIENT = "whence-python"
MESSAGE_BYTES_MAX = 1 << 30  # far above a page of 10,000 records of the largest size: only a guard

_log = logging.getLogger("whence")


def websocket_url(url: str) -> str:
    """The address of the WebSocket for an http, https, ws or wss URL of a server."""
    parts = urlsplit(url)
    schemes = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(f"not the URL of a server (http://HOST:PORT): {url!r}")
    path = parts.path.rstrip("/")
    return f"{schemes[parts.scheme]}://{parts.netloc}{path if path.endswith('/ws') else path + '/ws'}"


def http_url(url: str) -> str:
    """The address before the paths of a server's HTTP, for any URL of it."""
    scheme, _, rest = url.partition("://")
    return {"ws": "http", "wss": "https"}.get(scheme, scheme) + "://" + rest.rstrip("/").removesuffix("/ws")


def _refused(refusal: websocket.Refused) -> errors.Error:
    if refusal.status is None:
        return errors.ConnectionLost(f"the server refused the connection: {refusal}")
    kinds = {401: errors.Unauthenticated, 403: errors.Forbidden}
    message = f"the server refused the connection with {refusal}"
    kind = kinds.get(refusal.status)
    return errors.make(kind, message) if kind else errors.ConnectionLost(message, {"status": refusal.status})


class Request:
    """One request in flight: its answer, and the `$/partial` and `$/progress` received before it."""

    def __init__(self, connection: Connection, number: int) -> None:
        self.number = number
        self.answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # its caller may have stopped waiting
        self.partials: collections.deque[list[Json]] = collections.deque()  # bounded by the granted credit
        self.on_progress: Callable[[Json], None] | None = None
        self._arrived = asyncio.Event()
        self._connection = connection

    def add_partial(self, items: list[Json]) -> None:
        self.partials.append(items)
        self._arrived.set()

    async def has_items(self) -> None:
        """Returns once a `$/partial` is waiting to be taken."""
        while not self.partials:
            self._arrived.clear()
            await self._arrived.wait()

    def report(self, progress: Json) -> None:
        try:
            if self.on_progress:
                self.on_progress({name: value for name, value in progress.items() if name != "id"})
        except Exception:
            _log.exception("the callback for progress failed")

    async def give_credit(self, notifications: int) -> None:
        """Lets the server send this many more `$/partial`."""
        await self._connection.notify("$/credit", {"id": self.number, "n": notifications})

    async def cancel(self) -> None:
        """Cancels the request on the server; does nothing once it is answered."""
        if self._connection.forget(self.number):
            await self._connection.notify("$/cancel", {"id": self.number})


class Connection:
    """An open connection. `hello` is the server's answer to `session.hello`, `reached` the newest transaction that the server is
    known to have."""

    def __init__(self, url: str, socket: websocket.WebSocket, on_note: OnNote | None) -> None:
        self.url = url
        self.hello: Json = {}
        self.reached = 0
        self._socket = socket
        self._on_note = on_note
        self._numbers = itertools.count(1)
        self._requests: dict[int | str, Request] = {}  # by id, or by the name of a job that continues after its answer
        self._lost: errors.ConnectionLost | None = None
        self._reader = asyncio.ensure_future(self._read())

    @classmethod
    async def open(cls, url: str, token: str | None, timeout: float | None, on_note: OnNote | None = None,
                   ssl: SSLContext | None = None) -> Connection:
        """Connects and sends `session.hello`, both within `timeout` seconds.

        `on_note(method, params)` gets every notification that belongs to no request; nothing is read while it runs, so that a
        slow reader slows down the server's sending. Raises `ConnectionLost`, `Unauthenticated` or `Forbidden`.
        """
        try:
            return await asyncio.wait_for(cls._open(url, token, on_note, ssl), timeout)
        except websocket.Refused as refusal:
            raise _refused(refusal) from refusal
        except (OSError, asyncio.TimeoutError, websocket.Closed) as failure:
            raise errors.ConnectionLost(f"no connection to {url}: {failure or 'no answer in time'}") from failure

    @classmethod
    async def _open(cls, url: str, token: str | None, on_note: OnNote | None, ssl: SSLContext | None) -> Connection:
        address = websocket_url(url)
        socket = await websocket.connect(address, SUBPROTOCOL, message_bytes_max=MESSAGE_BYTES_MAX, ssl=ssl)
        connection = cls(url, socket, on_note)
        try:
            params: Json = {"client": CLIENT, "versions": [1]} | ({"token": token} if token else {})
            connection.hello = await (await connection.send("session.hello", params)).answer
        except BaseException:
            await connection.close()
            raise
        return connection

    @property
    def is_open(self) -> bool:
        return self._lost is None

    async def send(self, method: str, params: Json, on_progress: Callable[[Json], None] | None = None) -> Request:
        """Sends a request. After `ConnectionLost`, from here or from the answer, it is unknown whether the server processed it."""
        if self._lost:
            raise self._lost
        request = Request(self, next(self._numbers))
        request.on_progress = on_progress
        self._requests[request.number] = request
        try:
            head = f'{{"jsonrpc":"2.0","id":{request.number},"method":{json.dumps(method)},"params":'
            await self._socket.send(head + text_of(params) + "}")
        except BaseException as failure:
            self.forget(request.number)
            if isinstance(failure, websocket.Closed):
                raise self._end(failure) from failure
            raise
        return request

    async def notify(self, method: str, params: Json) -> None:
        """Sends a notification; raises nothing if the connection is lost."""
        try:
            await self._socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))
        except websocket.Closed:
            pass

    def forget(self, number: int) -> bool:
        """Forgets a request, so that its answer is dropped; whether it was still unanswered."""
        return self._requests.pop(number, None) is not None

    async def close(self) -> None:
        """Ends the connection; requests in flight end with `ConnectionLost`. May be called again."""
        self._end(None)
        self._reader.cancel()
        await self._socket.close()
        await asyncio.wait([self._reader])

    async def close_when_idle(self) -> None:
        """Ends the connection once every request in flight is answered."""
        while self.is_open and (waiting := [each.answer for each in self._requests.values() if not each.answer.done()]):
            await asyncio.wait(waiting)
        await self.close()

    async def wait_closed(self) -> None:
        """Returns when the connection has ended, for whatever reason."""
        await asyncio.wait([self._reader])

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                await self._take(json.loads(text))
            self._end(None)
        except websocket.Closed as failure:
            self._end(failure)
        except Exception as failure:  # malformed; nothing after it can be trusted
            self._end(failure)
            _log.exception("message not understood")
            await self._socket.close(1002)

    async def _take(self, message: Json) -> None:
        params = message.get("params", {})
        if "method" not in message:
            self._take_answer(message)
        elif message["method"] == "$/partial" or message["method"] == "$/progress":
            request = self._requests.get(params.get("id"))
            if request and message["method"] == "$/partial":
                request.add_partial(params["items"])
            elif request:
                request.report(params)
                if isinstance(params["id"], str) and params["done"] >= params["total"]:
                    self._requests.pop(params["id"])
        elif self._on_note:
            await self._on_note(message["method"], params)

    def _follow(self, result: Any, request: Request) -> None:
        """A job that continues after its answer (an export) reports progress under its own name."""
        if request.on_progress and isinstance(result, dict) and isinstance(result.get("job"), str):
            self._requests[result["job"]] = request

    def _take_answer(self, message: Json) -> None:
        request = self._requests.pop(message.get("id") or 0, None)
        if request is None or request.answer.done():
            return
        if "error" in message:
            request.answer.set_exception(errors.error_of(message["error"]))
        else:
            self._note_reached(message["result"])
            request.answer.set_result(message["result"])
            self._follow(message["result"], request)

    def _note_reached(self, result: Any) -> None:
        tx = result.get("tx") if isinstance(result, dict) else None
        if isinstance(tx, int):
            self.reached = max(self.reached, tx)

    def _end(self, cause: Exception | None) -> errors.ConnectionLost:
        if self._lost is None:
            self._lost = errors.ConnectionLost(f"the connection ended: {cause or 'closed'}")
            for request in self._requests.values():
                if not request.answer.done():
                    request.answer.set_exception(errors.ConnectionLost(self._lost.message))
            self._requests.clear()
        return self._lost
