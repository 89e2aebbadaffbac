"""A WebSocket client (RFC 6455) over asyncio's streams: text messages, without extensions.

The standard library has none, and with this the package needs nothing beside it.
"""
from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
import ssl as tls
from urllib.parse import SplitResult, urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CHUNK_BYTES = 1 << 16  # read at once, and most that an answer to the handshake has
MESSAGES_MAX = 32  # read ahead of who takes them; pings are answered until then
SILENT_S = 20.0  # then a ping is sent, and after as long without a byte the connection has ended
CLOSE_TIMEOUT_S = 2.0
CONTINUATION, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10
NORMAL = (1000, 1001)


class Refused(Exception):
    """The server did not take the connection; `status` is that of its answer, None where it was none."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Closed(Exception):
    """The connection has ended; `code` is that of the close frame, 1006 where there was none, 1005 where it named none."""

    def __init__(self, message: str, code: int = 1006) -> None:
        super().__init__(message)
        self.code = code


async def connect(address: str, subprotocol: str, *, message_bytes_max: int, ssl: tls.SSLContext | None = None) -> WebSocket:
    """Connects to a ws or wss URL. `ssl` is for wss; the default trusts what the system trusts. Raises `OSError` and `Refused`."""
    parts = urlsplit(address)
    secure = (ssl or tls.create_default_context()) if parts.scheme == "wss" else None
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or (443 if secure else 80), ssl=secure, limit=CHUNK_BYTES)
    try:
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(_request(parts, key, subprotocol))
        await writer.drain()
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as failure:
            raise Refused("it did not answer the handshake") from failure
        _check(head.decode("latin-1"), key, subprotocol)
    except BaseException:
        _abort(writer)
        raise
    return WebSocket(reader, writer, message_bytes_max)


def _abort(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(AttributeError):  # of a TLS transport of Python 3.11 whose connection has ended
        writer.transport.abort()


def _request(parts: SplitResult, key: str, subprotocol: str) -> bytes:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fields = [f"GET {path} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", "Upgrade: websocket", "Connection: Upgrade",
              f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Protocol: {subprotocol}"]
    return ("\r\n".join(fields) + "\r\n\r\n").encode()


def _check(head: str, key: str, subprotocol: str) -> None:
    first, *lines = head.split("\r\n")
    words = first.split(" ", 2)
    if not words[0].startswith("HTTP/1.") or len(words) < 2 or not words[1].isdecimal():
        raise Refused("it does not speak HTTP")
    status = int(words[1])
    if status != 101:
        raise Refused(f"HTTP {status}", status)
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    expected = base64.b64encode(hashlib.sha1((key + GUID).encode(), usedforsecurity=False).digest()).decode()
    if fields.get("upgrade", "").lower() != "websocket" or fields.get("sec-websocket-accept") != expected:
        raise Refused("its answer is not that of a WebSocket")
    if fields.get("sec-websocket-protocol") != subprotocol:
        raise Refused(f"it does not speak {subprotocol}")


class WebSocket:
    """An open connection. Iterating gives the messages, to the end of the connection; `Closed` where that was none of the normal ones.
    All of it runs on one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message_bytes_max: int) -> None:
        self._reader = reader
        self._writer = writer
        self._message_bytes_max = message_bytes_max
        self._buffer = bytearray()
        self._messages: asyncio.Queue[str | None] = asyncio.Queue()
        self._has_room = asyncio.Event()
        self._end: Closed | None = None
        self._is_closing = False
        self._is_pinged = False
        self._pump = asyncio.ensure_future(self._run())

    def __aiter__(self) -> WebSocket:
        return self

    async def __anext__(self) -> str:
        text = await self._messages.get()
        self._has_room.set()
        if text is not None:
            return text
        self._messages.put_nowait(None)  # for who asks again
        if self._end is None or self._end.code in NORMAL:
            raise StopAsyncIteration
        raise self._end

    async def send(self, text: str) -> None:
        """Sends a message, once there is room for it. Raises `Closed`."""
        if self._end or self._is_closing:
            raise self._end or Closed("it was closed here", 1000)
        try:
            self._write(TEXT, text.encode())
            await self._writer.drain()
        except OSError as failure:
            raise Closed(str(failure) or type(failure).__name__) from failure

    async def close(self, code: int = 1000) -> None:
        """Ends the connection, waiting a little for the other side. May be called again."""
        if not self._is_closing and self._end is None:
            self._write(CLOSE, code.to_bytes(2, "big"))
        self._is_closing = True
        self._has_room.set()  # what is read now is dropped, up to the close frame
        try:
            await asyncio.wait([self._pump], timeout=CLOSE_TIMEOUT_S)
        finally:
            self._pump.cancel()
            _abort(self._writer)

    def _write(self, opcode: int, payload: bytes) -> None:
        size, mask = len(payload), os.urandom(4)
        width = 0 if size < 126 else 2 if size < 1 << 16 else 8
        head = bytes([0x80 | opcode, 0x80 | {0: size, 2: 126, 8: 127}[width]]) + (size.to_bytes(width, "big") if width else b"")
        pattern = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        self._writer.write(head + mask + (int.from_bytes(payload, "big") ^ pattern).to_bytes(size, "big"))

    async def _run(self) -> None:
        end = Closed("it was closed here", 1000)
        try:
            while True:
                await self._read_message()
        except Closed as closed:
            end = closed
        except UnicodeDecodeError:
            end = Closed("a message that is not UTF-8", 1007)
        except OSError as failure:
            end = Closed(str(failure) or type(failure).__name__)
        finally:
            if end.code != 1006 and not self._is_closing:
                self._write(CLOSE, b"" if end.code == 1005 else end.code.to_bytes(2, "big"))
            self._end = end
            self._writer.close()
            self._messages.put_nowait(None)

    async def _read_message(self) -> None:
        """Reads frames until a text message is whole, and gives it to who iterates."""
        message, is_begun, is_whole = bytearray(), False, False
        while not is_whole:
            is_last, opcode, payload = await self._read_frame(self._message_bytes_max - len(message))
            if opcode == CLOSE:
                code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
                raise Closed(f"closed with {code} {payload[2:].decode(errors='replace')}".rstrip(), code)
            if opcode == PING:
                self._write(PONG, payload)
            if opcode in (PING, PONG):
                continue
            if opcode != (CONTINUATION if is_begun else TEXT):
                raise Closed(f"a frame of kind {opcode} where none is expected", 1002)
            message += payload
            is_begun, is_whole = True, is_last
        while self._messages.qsize() >= MESSAGES_MAX and not self._is_closing:
            self._has_room.clear()
            await self._has_room.wait()
        if not self._is_closing:
            self._messages.put_nowait(message.decode())

    async def _read_frame(self, bytes_max: int) -> tuple[bool, int, bytes]:
        first, second = await self._read(2)
        opcode, size = first & 0x0F, second & 0x7F
        if first & 0x70 or second & 0x80 or (opcode >= CLOSE and (size > 125 or not first & 0x80)):
            raise Closed("a frame that breaks the rules", 1002)
        if size >= 126:
            size = int.from_bytes(await self._read(2 if size == 126 else 8), "big")
        if size > bytes_max:
            raise Closed("a message that is too large", 1009)
        return bool(first & 0x80), opcode, await self._read(size)

    async def _read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                piece = await asyncio.wait_for(self._reader.read(CHUNK_BYTES), SILENT_S)
            except asyncio.TimeoutError as failure:
                if self._is_pinged:
                    raise Closed("the server does not answer") from failure
                self._is_pinged = True
                self._write(PING, b"")
                continue
            if not piece:
                raise Closed("the server has gone")
            self._is_pinged = False
            self._buffer += piece
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken
