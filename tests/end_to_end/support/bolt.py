"""Bolt 5.4 over a plain socket, as far as tests of access need it: a login, one statement, how the connection ends."""
import socket
import struct

PATIENCE = 60
HELLO, GOODBYE, RUN, PULL, LOGON, RESET = 0x01, 0x02, 0x10, 0x3F, 0x6A, 0x0F
SUCCESS, FAILURE = 0x70, 0x7F


def pack(value):
    if isinstance(value, bool) or value is None:
        return {True: b"\xc3", False: b"\xc2", None: b"\xc0"}[value]
    if isinstance(value, int):
        return b"\xcb" + struct.pack(">q", value)
    if isinstance(value, str):
        text = value.encode()
        return b"\xd2" + struct.pack(">I", len(text)) + text
    return b"\xda" + struct.pack(">I", len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())


def unpack(data, at):
    """The value at `at`, and where the next one is."""
    mark = data[at]
    small = mark & 0x0F
    if mark in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[mark], at + 1
    if mark < 0x80 or mark >= 0xF0:
        return mark - (256 if mark >= 0xF0 else 0), at + 1
    if mark in (0xC8, 0xC9, 0xCA, 0xCB):
        size = 1 << (mark - 0xC8)
        return int.from_bytes(data[at + 1:at + 1 + size], "big", signed=True), at + 1 + size
    kind, size, at = {0x8: ("text", small, at + 1), 0x9: ("list", small, at + 1), 0xA: ("map", small, at + 1)}.get(
        mark >> 4, (None, 0, at))
    for first, name in ((0xD0, "text"), (0xD4, "list"), (0xD8, "map")):
        if first <= mark <= first + 2:
            width = 1 << (mark - first)
            kind, size, at = name, int.from_bytes(data[at + 1:at + 1 + width], "big"), at + 1 + width
    if kind == "text":
        return data[at:at + size].decode(), at + size
    items = []
    for _ in range(size * (2 if kind == "map" else 1)):
        value, at = unpack(data, at)
        items.append(value)
    return (items if kind == "list" else dict(zip(items[::2], items[1::2]))), at


class Bolt:
    """A connection after the handshake and HELLO."""

    def __init__(self, authority, context=None):
        host, port = authority.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), PATIENCE)
        if context:
            self._socket = context.wrap_socket(self._socket, server_hostname=host)
        self._bytes = b""
        self.heard = b""  # everything that the server has said
        self._socket.sendall(b"\x60\x60\xb0\x17" + struct.pack(">IIII", 0x0405, 0, 0, 0))
        assert self._take(4) == b"\x00\x00\x04\x05"
        self.ask(HELLO, {"user_agent": "test/1"})

    def _take(self, count):
        while len(self._bytes) < count:
            got = self._socket.recv(1 << 16)
            if not got:
                raise ConnectionError("the server has ended the connection")
            self._bytes += got
            self.heard += got
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def send(self, tag, *fields):
        message = bytes([0xB0 + len(fields), tag]) + b"".join(map(pack, fields))
        self._socket.sendall(struct.pack(">H", len(message)) + message + b"\x00\x00")

    def answer(self):
        """Tag and metadata of the next summary; records are passed over."""
        while True:
            message = b""
            while size := struct.unpack(">H", self._take(2))[0]:
                message += self._take(size)
            if message and message[1] in (SUCCESS, FAILURE):
                return message[1], unpack(message, 2)[0]

    def ask(self, tag, *fields):
        self.send(tag, *fields)
        return self.answer()

    def log_on(self, scheme, credentials=None):
        """The code of the failure; None where it is let in."""
        token = {"scheme": scheme}
        if credentials is not None:
            token.update(principal="anybody", credentials=credentials)
        tag, said = self.ask(LOGON, token)
        return said["code"] if tag == FAILURE else None

    def run(self, database):
        """The code of the failure of a statement in that database; None where it is answered."""
        tag, said = self.ask(RUN, "RETURN 1 AS one", {}, {"db": database, "mode": "r"})
        if tag == SUCCESS:
            tag, said = self.ask(PULL, {"n": -1})
        if tag == FAILURE:
            self.ask(RESET)
            return said["code"]
        return None

    def ends(self):
        """Waits until the server ends the connection."""
        try:
            while True:
                self._take(1)
        except ConnectionError:
            return True

    def close(self):
        self._socket.close()
