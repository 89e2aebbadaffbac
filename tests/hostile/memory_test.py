"""Claim: what peers send, ask for and do not read holds no more memory than `--memory-for-requests` says, about; what is beyond is
refused, and the process lives. Before a token is seen a peer holds 64 KiB.

Method: each attack runs against a server with a small budget; its peak of resident memory (VmHWM) is compared with that before, and
afterwards the server still answers. The figures are printed.
"""
import base64
import contextlib
import hashlib
import json
import os
import resource
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from attack import Closed, Server, WebSocket, fill, pause, request, status_kib, unit, wait_until

MIB = 1 << 20
BUDGET_MIB = 64
CONNECTIONS = int(os.environ.get("WHENCE_HOSTILE_CONNECTIONS", "40"))
TOKEN = "a-token-of-some-length"
# What the allocator, the threads' stacks and what is evaluated at the moment take beside what is counted.
BESIDE_MIB = 160


def forged(cursor, offset):
    """The cursor with another offset: its checksum is of damage, not of forgery."""
    body = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[8:])
    body[3] = offset
    text = json.dumps(body, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()[:8] + text).decode().rstrip("=")


def begin_message(authority, size, token=None):
    """A WebSocket that sends the head of a frame and nearly all of its body, and then no more."""
    socket = WebSocket(authority, token=token)
    frame = bytes([0x81, 0x80 | 127]) + size.to_bytes(8, "big") + bytes(4)
    with contextlib.suppress(OSError):
        socket._socket.sendall(frame + b" " * (size - 10))
    return socket


class MemoryTest(unittest.TestCase):
    def start(self, *args, responses=0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Server(folder.name + "/db", "--memory-for-requests", BUDGET_MIB * MIB, *args)
        self.addCleanup(lambda: self.server.__exit__())
        if responses:
            fill(self.server, responses)
        self.before = status_kib(self.server, "VmRSS")

    def start_with_tokens(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "tokens"
        path.write_text(f"write {TOKEN}\n", encoding="utf-8")
        path.chmod(0o600)
        self.start("--token-file", path)
        self.server.token = TOKEN

    def grown_mib(self, what, bound=BUDGET_MIB + BESIDE_MIB):
        grown = (status_kib(self.server, "VmHWM") - self.before) / 1024
        self.assertEqual(self.server.rpc("server.info")["tx"], self.server.rpc("server.info")["tx"])
        pause(1)
        left = (status_kib(self.server, "VmRSS") - self.before) / 1024
        print(f"{what}: {grown:.0f} MiB more at the peak, {left:.0f} MiB afterwards")
        self.assertLess(grown, bound, what)
        return grown

    def test_unfinished_messages_without_a_token(self):
        self.start_with_tokens()
        sockets = [begin_message(self.server.authority, 15 * MIB) for _ in range(CONNECTIONS)]
        self.grown_mib(f"{CONNECTIONS} unfinished messages of 15 MiB without a token", 32)
        for socket in sockets:
            socket.close()

    def test_unfinished_messages_with_a_token(self):
        self.start_with_tokens()
        sockets = [begin_message(self.server.authority, 15 * MIB, TOKEN) for _ in range(CONNECTIONS)]
        self.grown_mib(f"{CONNECTIONS} unfinished messages of 15 MiB with a token")
        for socket in sockets:
            socket.close()

    def test_many_small_records_are_counted_as_records(self):
        """They take more than their text, each as much as any record, so what they hold is claimed as they are read."""
        self.start()
        # Short ones: four times the message must be well within the connection's part, or it is closed before it is read.
        records = ",".join(f'{{"$type$":"Topic","id":"t{i}","name":"n"}}' for i in range(25_000))
        socket = WebSocket(self.server.authority)
        socket.send('{"jsonrpc":"2.0","id":1,"method":"records.write","params":{"records":[' + records + ",7]}}")
        self.assertEqual(json.loads(socket.receive())["error"]["data"]["name"], "busy")
        socket.close()
        self.grown_mib("a records.write of 25,000 topics, more than a connection's part", BUDGET_MIB)
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_a_forged_cursor_of_a_late_page(self):
        self.start()
        layers = 21  # of two units, each made from both of the layer before: 2 ** 20 paths
        for layer in range(layers):
            made_from = [f"cu_{layer - 1}_{side}" for side in "ab"] if layer else []
            self.server.rpc("records.write", {"records": [unit(f"{layer}_{side}", derived_from=made_from) for side in "ab"]})
        first = self.server.rpc("lineage.path", {"from": "cu_0_a", "to": f"cu_{layers - 1}_a", "kind": "all", "limit": 1})
        self.before = status_kib(self.server, "VmRSS")
        socket = WebSocket(self.server.authority)
        for offset, has_room in ((10_000, True), (99_000, False), (999_999, False)):
            socket.send(json.dumps(request("lineage.path", offset, cursor=forged(first["cursor"], offset))))
            answer = json.loads(socket.receive(60))
            self.assertEqual("result" in answer, has_room, (offset, answer.get("error")))
        socket.close()
        self.grown_mib("forged cursors of late pages", BUDGET_MIB)

    def test_streams_that_nobody_reads(self):
        self.start(responses=20_000)
        sockets = [WebSocket(self.server.authority) for _ in range(CONNECTIONS)]
        for socket in sockets:
            for number in range(16):
                socket.send(json.dumps(request("lineage.descendants", number, ref="ContextUnit:cu_0", stream={"credit": 1})))
        answers = [json.loads(socket.receive()) for socket in sockets for _ in range(16)]
        refused = sum(1 for each in answers if "error" in each)
        self.grown_mib(f"{CONNECTIONS} x 16 streams with credit 1, {refused} refused")
        for socket in sockets:
            socket.close()
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_answers_that_nobody_reads(self):
        self.start("--page", 10_000, responses=20_000)
        sockets = [WebSocket(self.server.authority, receive_bytes=4096) for _ in range(CONNECTIONS)]
        for socket in sockets:
            for number in range(8):
                socket.send(json.dumps(request("node.find", number, type="Response", include=["record", "edges"], limit=10_000)))
        pause(3)
        self.grown_mib(f"{CONNECTIONS} x 8 answers of 10,000 records, unread")
        for socket in sockets:
            socket.abort()
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def used(self):
        text = self.server.get("/metrics")[1].decode()
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith("whence_request_memory_bytes ")))


MESSAGE_BYTES = 16 * MIB - 1000
TIMES = 4
# The values of one record or of the params beside their array, at most 600,000, and what is wrong with a message.
BESIDE_PARSING_MIB = 48


def write_of(records):
    return '{"jsonrpc":"2.0","id":1,"method":"records.write","params":{"records":[' + records + "]}}"


def many(item, size=MESSAGE_BYTES):
    return ",".join([item] * (size // (len(item) + 1)))


def members(count):
    return ",".join(f'"{i:x}":0' for i in range(count))


ONE = '{"jsonrpc":"2.0","id":1,"method":'
LARGE = {
    "zeros": lambda: write_of(many("0")),
    "records of one member": lambda: write_of(many('{"a":0}')),
    "records that lack a member": lambda: write_of(many('{"$type$":"Keyword","term":"a"}')),
    "records of unknown members": lambda: write_of(many('{"$type$":"Topic","id":"a","name":"b",' + members(200) + "}")),
    "a record of too many members, named twice": lambda: write_of('{"a":1,"a":2,' + members(1_500_000) + "}"),
    "deep records": lambda: write_of(many("[" * 50 + "]" * 50)),
    "a batch of requests of zeros": lambda: "[" + ",".join([write_of(many("0", 15_000))] * 1000) + "]",
    "a batch of too many requests": lambda: "[" + many("{}") + "]",
    "refs to delete": lambda: ONE + '"records.delete","params":{"refs":[' + many('"A:b"') + "]}}",
    "records of another method": lambda: ONE + '"node.find","params":{"records":[' + many("0") + "]}}",
    "params of an unknown method": lambda: ONE + '"no.such","params":{"x":[' + many('"a"') + "]}}",
    "positional params": lambda: ONE + '"records.write","params":[' + many("0") + "]}",
    "a name with an escape": lambda: ONE + '"records.write","params":{"rec\\u006frds":[' + many("0") + "]}}",
    "lines to restore": lambda: ONE + '"admin.restore","params":{"events":[' + many('"{}"') + "]}}",
}


class ParsingTest(unittest.TestCase):
    """Claim: a message costs at most four times its size, and a constant, whatever is in it and however it comes. Method: the same
    peak with room enough for each message, by WebSocket and by POST."""

    def check(self, what, send):
        text = LARGE[what]()
        self.assertLessEqual(len(text), 16 * MIB, what)
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db", "--memory-for-requests", 1024 * MIB) as server:
            before = status_kib(server, "VmRSS")
            self.assertIn("error", send(server, text), what)
            grown = (status_kib(server, "VmHWM") - before) / 1024
            self.assertIn("tx", server.rpc("server.info"))
        print(f"{what}: {len(text) / MIB:.1f} MiB, {grown:.0f} MiB more at the peak")
        self.assertLess(grown, TIMES * len(text) / MIB + BESIDE_PARSING_MIB, what)

    def by_websocket(self, server, text):
        socket = WebSocket(server.authority)
        socket.send(text)
        answer = socket.receive(120)
        socket.close()
        return answer

    def by_post(self, server, text):
        post = urllib.request.Request(f"http://{server.authority}/rpc", text.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(post, timeout=120) as answer:
            return answer.read().decode()

    def test_by_websocket(self):
        for what in LARGE:
            with self.subTest(what):
                self.check(what, self.by_websocket)

    def test_by_post(self):
        for what in ("zeros", "records of unknown members", "refs to delete", "a batch of requests of zeros"):
            with self.subTest(what):
                self.check(what, self.by_post)


class AddressSpaceTest(unittest.TestCase):
    """The same where the system refuses memory: a limit of the address space, as `ulimit -v` sets it."""

    def test_the_process_outlives_it(self):
        for mib in (400, 700, 1500):
            with self.subTest(mib=mib), tempfile.TemporaryDirectory() as folder:
                hard = resource.getrlimit(resource.RLIMIT_AS)[1]
                resource.setrlimit(resource.RLIMIT_AS, (mib * MIB, hard))
                try:
                    server = Server(folder + "/db")
                finally:
                    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
                self.attack(server, mib)

    def attack(self, server, mib):
        with server:
            text = '{"jsonrpc":"2.0","id":1,"method":"records.write","params":{"records":[' + "0," * 7_000_000 + "0]}}"
            answered = closed = 0
            for _ in range(4):
                begun = time.monotonic()
                try:
                    sockets = [WebSocket(server.authority) for _ in range(6)]
                    for socket in sockets:
                        socket.send(text)
                    for socket in sockets:
                        answered += socket.receive(30) is not None
                        socket.close()
                except (Closed, OSError):
                    closed += 1
                self.assertLess(time.monotonic() - begun, 50, "a connection waited for the end that silence has")
            self.assertIsNone(server.process.poll(), f"the process has ended under {mib} MiB")
            self.assertIn("tx", server.rpc("server.info"))
            print(f"{mib} MiB of address space: {answered} answered, {closed} rounds with a connection refused or closed")


if __name__ == "__main__":
    unittest.main()
