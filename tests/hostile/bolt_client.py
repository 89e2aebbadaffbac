"""Bolt over a plain socket, for tests that control when what is sent: as much of the protocol and of PackStream as they need."""
import socket
import struct

HELLO, LOGON, GOODBYE, RUN, PULL, RESET, BEGIN = 0x01, 0x6A, 0x02, 0x10, 0x3F, 0x0F, 0x11
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
PATIENCE = 60


def packed(value):
    if isinstance(value, int):
        return struct.pack(">b", value) if -16 <= value < 128 else b"\xcb" + struct.pack(">q", value)
    if isinstance(value, str):
        text = value.encode()
        return b"\xd2" + struct.pack(">I", len(text)) + text
    if isinstance(value, dict):
        return b"\xda" + struct.pack(">I", len(value)) + b"".join(packed(key) + packed(each) for key, each in value.items())
    raise TypeError(value)


def unpacked(data, at=0):
    """A value, and the place behind it."""
    mark = data[at]
    at += 1
    if mark < 0x80 or mark >= 0xF0:
        return (mark if mark < 0x80 else mark - 256), at
    if mark in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[mark], at
    if mark == 0xC1:
        return struct.unpack_from(">d", data, at)[0], at + 8
    if 0xC8 <= mark <= 0xCB:
        size = 1 << (mark - 0xC8)
        return int.from_bytes(data[at:at + size], "big", signed=True), at + size
    size, width = mark & 0x0F, 0
    kind = mark & 0xF0
    for first, as_kind in ((0xD0, 0x80), (0xD4, 0x90), (0xD8, 0xA0)):
        if first <= mark < first + 3:
            kind, width = as_kind, 1 << (mark - first)
    if width:
        size, at = int.from_bytes(data[at:at + width], "big"), at + width
    if kind == 0x80:
        return data[at:at + size].decode(), at + size
    if kind == 0x90:
        made = []
        for _ in range(size):
            value, at = unpacked(data, at)
            made.append(value)
        return made, at
    made = {}
    for _ in range(size):
        key, at = unpacked(data, at)
        made[key], at = unpacked(data, at)
    return made, at


class Bolt:
    """One connection, logged on."""

    def __init__(self, authority):
        host, port = authority.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), PATIENCE)
        self._socket.sendall(bytes.fromhex("6060B017") + bytes([0, 0, 4, 5]) + bytes(12))
        assert self._read(4) == bytes([0, 0, 4, 5])
        for tag, extra in ((HELLO, {"user_agent": "test/1"}), (LOGON, {"scheme": "none"})):
            self.send(tag, extra)
            assert self.receive()[0] == SUCCESS

    def _read(self, size):
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionError("closed")
            data += more
        return data

    def send(self, tag, *fields):
        body = bytes([0xB0 | len(fields), tag]) + b"".join(packed(each) for each in fields)
        chunks = [body[i:i + 0xFFFF] for i in range(0, len(body), 0xFFFF)]
        self._socket.sendall(b"".join(struct.pack(">H", len(each)) + each for each in chunks) + b"\0\0")

    def receive(self):
        """Tag and first field of the next message."""
        body = b""
        while True:
            size = struct.unpack(">H", self._read(2))[0]
            if size == 0:
                if body:
                    break
                continue
            body += self._read(size)
        return body[1], unpacked(body, 2)[0] if body[0] & 0x0F else None

    def close(self):
        self._socket.close()
