"""RFC 6455 over a plain socket, for tests that control when and how much is read, and how the connection ends.
"""
import base64
import os
import socket
import struct
import time

PATIENCE = 60  # seconds; sanitizer builds on a loaded machine
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
GOING_AWAY = 1001


class Closed(ConnectionError):
    """The server ended the connection; `code` is that of its close frame, None without one."""

    def __init__(self, code=None):
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocket:
    """One connection. `receive_bytes` limits the kernel's receive buffer, for a client that does not read."""

    def __init__(self, authority, receive_bytes=None, token=None, path="/ws"):
        host, port = authority.rsplit(":", 1)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_bytes:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self._socket.settimeout(PATIENCE)
        self._socket.connect((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bytes, self._message = bytearray(), bytearray()  # not parsed yet; the fragments of a message so far
        self._shake_hands(authority, token, path)

    def _shake_hands(self, authority, token, path="/ws"):
        lines = [f"GET {path} HTTP/1.1", f"Host: {authority}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: whence.v1.json",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        lines += [f"Authorization: Bearer {token}"] if token else []
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._bytes:
            self._read_some(time.monotonic() + PATIENCE)
        head, _, rest = bytes(self._bytes).partition(b"\r\n\r\n")
        self._bytes = bytearray(rest)
        if not head.startswith(b"HTTP/1.1 101 "):
            self._socket.close()
            raise ConnectionError(head.decode())

    def send(self, text, opcode=TEXT):
        body = text if isinstance(text, bytes) else text.encode()
        size = len(body)
        length = (struct.pack(">B", 0x80 | size) if size < 126 else struct.pack(">BH", 0x80 | 126, size) if size < 1 << 16
                  else struct.pack(">BQ", 0x80 | 127, size))
        self._socket.sendall(bytes([0x80 | opcode]) + length + bytes(4) + body)  # masked with zeros

    def _read_some(self, deadline):
        """False if nothing arrived before the deadline."""
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            got = self._socket.recv(1 << 18)
        except socket.timeout:
            return False
        except OSError as error:
            raise Closed() from error
        if not got:
            raise Closed()
        self._bytes += got
        return True

    def _next_frame(self):
        """(first byte, body) of the first frame if it has been read completely, else None."""
        have = self._bytes
        if len(have) < 2:
            return None
        begin = {126: 4, 127: 10}.get(have[1], 2)
        end = begin + (have[1] if begin == 2 else int.from_bytes(have[2:begin], "big"))
        if len(have) < max(begin, end):
            return None
        first, body = have[0], bytes(have[begin:end])
        del have[:end]
        return first, body

    def receive(self, seconds=PATIENCE):
        """The next message's text; None where none came in time. Pings and a close are answered; a close is `Closed`."""
        deadline = time.monotonic() + seconds
        while True:
            frame = self._next_frame()
            if frame is None:
                if not self._read_some(deadline):
                    return None
                continue
            first, body = frame
            if first & 0xF == CLOSE:
                self.send(body, CLOSE)
                self.close()
                raise Closed(int.from_bytes(body[:2], "big") or None)
            if first & 0xF == PING:
                self.send(body, PONG)
            elif first & 0xF != PONG:
                self._message += body
                if first & 0x80:
                    text, self._message = self._message.decode(), bytearray()
                    return text

    def read_part(self, seconds):
        """Reads bytes without parsing them, as a client does that is cut off in the middle of a message."""
        self._read_some(time.monotonic() + seconds)

    def close(self):
        self._socket.close()

    def abort(self):
        """Resets the connection, as a lost network does."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()
