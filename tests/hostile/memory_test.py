"""Claim: what peers send, ask for and do not read holds no more memory than `--memory-for-requests` says, about; what is beyond is
refused, and the process lives. Before a token is seen a peer holds 64 KiB.

Method: each attack runs against a server with a small budget; its peak of resident memory (VmHWM) is compared with that before, and
afterwards the server still answers. The figures are printed.
"""
import base64
import contextlib
import gzip
import hashlib
import json
import os
import resource
import socket
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from attack import Closed, Server, WebSocket, fill, pause, request, status_kib, unit, wait_until, write_tokens
from bolt_client import BEGIN, PULL, RUN, Bolt

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


NUMBERS = "range(1,8000000)"


def nested(form, times=12):
    text = "0"
    for _ in range(times):
        text = form.replace("R", NUMBERS).replace("Q", text)
    return "RETURN " + text


# Each holds a list or a text while it makes the next.
HUNGRY = {
    "an index in an index": nested("R[Q]"),
    "a slice in a slice": nested("R[Q..1][0]"),
    "CASE in CASE": nested("CASE R WHEN Q THEN 1 ELSE 2 END"),
    "reduce from reduce": nested("[reduce(a=R, x IN [Q] | 1)]"),
    "a projection in a projection": nested("[m IN [{a: R}] | m{.a, b: Q}]"),
    "reversed lists": "RETURN size(reverse(reverse(tail(tail(" + NUMBERS + ")))))",
    "columns of lists": "WITH " + ", ".join(f"{NUMBERS} AS a{i}" for i in range(12)) + " RETURN 1",
    "a list of lists": "RETURN size([" + ",".join([NUMBERS] * 12) + "])",
    "one text in many columns": "WITH reduce(s='abcdefgh', i IN range(1,23) | s+s) AS s RETURN " +
                                ",".join(f"s AS c{i}" for i in range(48)),
    "a text that JSON writes six times as long": "WITH reduce(s='\\u0001', i IN range(1,25) | s+s) AS s RETURN [s,s,s,s]",
    "one node many times": "MATCH (n:ContextUnit) WITH n UNWIND range(1,20000) AS i WITH collect(n) AS l RETURN l AS a, l AS b, l AS c, l AS d, l AS e",
}


# Wire types of protobuf: a field of bytes, and what OTLP has within.
def varint(number):
    made = b""
    while number > 127:
        made += bytes([number & 127 | 128])
        number >>= 7
    return made + bytes([number])


def field(tag, body):
    return varint(tag << 3 | 2) + varint(len(body)) + body


def spans(*parts):
    return field(1, field(2, b"".join(parts)))


SPAN = field(1, b"\1" * 16) + field(2, b"\2" * 8)


def message_text(item, size):
    kind = field(9, field(1, b"gen_ai.operation.name") + field(2, field(1, b"chat")))
    text = b"[" + item * (size // len(item)) + b"0]"
    return spans(field(2, SPAN + kind + field(9, field(1, b"gen_ai.input.messages") + field(2, field(1, text)))))


UNPACKED = 6 * MIB  # within the part of one connection: what it becomes is not
SWOLLEN = {
    "empty log records": ("/v1/logs", lambda: spans(b"\x12\0" * (UNPACKED // 2))),
    "log records of events": ("/v1/logs", lambda: spans(field(2, field(12, b"a")) * (UNPACKED // 5))),
    "empty links": ("/v1/traces", lambda: spans(field(2, SPAN + b"\x6a\0" * (UNPACKED // 2)))),
    "links": ("/v1/traces", lambda: spans(field(2, SPAN + field(13, field(1, b"\3" * 16) + field(2, b"\4" * 8)) * (UNPACKED // 30)))),
    "empty events": ("/v1/traces", lambda: spans(field(2, SPAN + b"\x5a\0" * (UNPACKED // 2)))),
    "spans of no more than ids": ("/v1/traces", lambda: spans(field(2, SPAN) * (UNPACKED // 30))),
    "an attribute of empty values": ("/v1/traces", lambda: spans(field(2, SPAN + field(9, field(1, b"a") + field(2, field(5, b"\x0a\0" * (UNPACKED // 2))))))),
    "messages that are zeros": ("/v1/traces", lambda: message_text(b"0,", UNPACKED)),
    "messages that are empty": ("/v1/traces", lambda: message_text(b"{},", UNPACKED)),
    "messages of one member": ("/v1/traces", lambda: message_text(b'{"a":1},', UNPACKED)),
}


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
        write_tokens(path, f"write {TOKEN}\n")
        self.start("--tokens", path)
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
            for number in range(64):
                socket.send(json.dumps(request("lineage.descendants", number, ref="ContextUnit:cu_0", stream={"credit": 1})))
        answers = [json.loads(socket.receive()) for socket in sockets for _ in range(64)]
        refused = sum(1 for each in answers if "error" in each)
        self.assertGreater(refused, 0, "open streams are counted")
        self.grown_mib(f"{CONNECTIONS} x 64 streams with credit 1, {refused} refused")
        for socket in sockets:
            socket.close()
        self.given_back()

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

    def test_a_promise_of_a_body_claims_nothing(self):
        self.start()
        host, port = self.server.authority.rsplit(":", 1)
        sockets = []
        for path in ("/rpc", "/mcp", "/v1/traces", "/api/v1/lineage"):
            for _ in range(100):
                each = socket.create_connection((host, int(port)))
                each.sendall(f"POST {path} HTTP/1.1\r\nHost: {self.server.authority}\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {1_000_000 if path == '/mcp' else 16_000_000}\r\n\r\n[".encode())
                sockets.append(each)
        pause(1)
        self.assertLess(self.used(), MIB)
        records = [unit(i, content="x" * 1000) for i in range(2000)]  # 8 MiB while it is read
        self.assertEqual(self.server.rpc("records.write", {"records": records})["tx"], 1)
        self.grown_mib("400 promises of 16 MB")
        for each in sockets:
            each.close()

    def test_queries_that_hold_much(self):
        self.start()
        self.server.rpc("records.write", {"records": [unit(1, content="x" * 500)]})
        for name, text in HUNGRY.items():
            with self.subTest(name):
                answer = self.server.post(request("query", cypher=text))
                self.assertIn(answer["error"]["data"]["name"], ("busy", "limit_exceeded"), str(answer)[:300])
                self.grown_mib(name)
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_open_results_of_bolt(self):
        self.start("--bolt", "127.0.0.1:0")
        spoken = next(line for line in self.server.stdout_lines if line.startswith("speaking Bolt on "))
        clients = [Bolt(spoken.strip().rsplit("/", 1)[1]) for _ in range(8)]
        refused = 0
        for client in clients:
            client.send(BEGIN, {})
            client.receive()
            for number in range(8):
                client.send(RUN, "UNWIND range(1,40000) AS x WITH x ORDER BY x DESC RETURN x", {}, {})
                client.receive()
                client.send(PULL, {"n": 1, "qid": number})
                answer = client.receive()
                if answer[0] == 0x7F:
                    self.assertEqual(answer[1]["code"], "Neo.TransientError.General.OutOfMemoryError")
                    refused += 1
                    break
                client.receive()
        self.assertGreater(refused, 0, "they are counted")
        self.grown_mib("64 results that stay open")
        for client in clients:
            client.close()
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_records_of_open_results_of_bolt(self):
        """A result keeps the records that it read for its next rows: only where there is room for them."""
        self.start("--bolt", "127.0.0.1:0")
        for first in range(0, 6000, 1000):
            self.server.rpc("records.write", {"records": [unit(i, content=f"{i} " * 300) for i in range(first, first + 1000)]})
        self.before = status_kib(self.server, "VmRSS")
        spoken = next(line for line in self.server.stdout_lines if line.startswith("speaking Bolt on "))
        clients = [Bolt(spoken.strip().rsplit("/", 1)[1]) for _ in range(24)]
        for client in clients:
            client.send(RUN, "MATCH (n:ContextUnit) WHERE n.content <> 'z' WITH n.id AS i ORDER BY i LIMIT 5 RETURN i", {}, {})
            client.receive()
            client.send(PULL, {"n": 1})
            self.assertEqual(client.receive()[0], 0x71)
            client.receive()
        self.grown_mib("24 open results that read 6,000 records each")
        for client in clients:
            client.close()
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_records_of_many_moments(self):
        self.start()
        self.server.rpc("records.write", {"records": [unit(i, content=str(i) * 10_000) for i in range(400)]})
        for number in range(40):
            self.server.rpc("records.write", {"records": [unit(1000 + number)]})
        self.before = status_kib(self.server, "VmRSS")
        moments = " ".join(f"MATCH (a:ContextUnit) AT TX {2 + i} WHERE a.content <> 'z' WITH count(a) AS c" for i in range(40))
        answer = self.server.post(request("query", cypher=f"WITH 0 AS c {moments} RETURN c", timeout_ms=60_000))
        self.assertEqual(answer["result"]["rows"], [[400]])
        self.grown_mib("the records of 40 moments in one query")

    def test_telemetry_that_grows(self):
        self.start()
        for name, (path, make) in SWOLLEN.items():
            with self.subTest(name):
                sent = urllib.request.Request(self.server.url + path, gzip.compress(make(), 6),
                                              {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"})
                try:
                    with urllib.request.urlopen(sent, timeout=120) as answer:
                        status = answer.status
                except urllib.error.HTTPError as refused:
                    status = refused.code
                self.assertIn(status, (200, 413, 503))
                self.grown_mib(f"{name}: {status}")
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def test_answers_of_a_batch_that_wait(self):
        self.start("--page", 10_000, responses=20_000)
        calls = [request("node.find", number, type="Response", include=["record", "edges"], limit=10_000) for number in range(60)]
        socket = WebSocket(self.server.authority)
        socket.send(json.dumps(calls))
        answers = json.loads(socket.receive(120))
        self.assertGreater(sum(1 for each in answers if each.get("error", {}).get("data", {}).get("name") == "busy"), 0)
        socket.close()
        self.grown_mib("a batch of 60 answers of 10,000 records")
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")

    def whole_graph(self):
        """A picture of 10,000 nodes and the 50,000 edges among them: 6 MiB of text."""
        return request("lineage.graph", ref="ContextUnit:cu_0", limit=10_000, up=1000, down=1000)

    def test_pictures_that_nobody_reads(self):
        """What is written to, what waits for its turn and what is queued is counted, and once."""
        self.start(responses=20_000)
        host, port = self.server.authority.rsplit(":", 1)
        asked = json.dumps(self.whole_graph())
        head = f"POST /rpc HTTP/1.1\r\nHost: {self.server.authority}\r\nContent-Type: application/json\r\nContent-Length: {len(asked)}\r\n\r\n"
        readers = [WebSocket(self.server.authority, receive_bytes=4096) for _ in range(20)]
        for each in readers:
            for _ in range(2):
                each.send(asked)
        posts = []
        for _ in range(20):
            each = socket.socket()
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.connect((host, int(port)))
            each.sendall((head + asked).encode())
            posts.append(each)
        pause(3)
        self.assertLess(self.used(), (BUDGET_MIB + 16) * MIB)
        self.grown_mib("60 pictures of 50,000 edges, unread over WebSocket and HTTP")
        for each in readers:
            each.abort()
        for each in posts:
            each.close()
        self.given_back()

    def test_large_rows_of_bolt_that_nobody_reads(self):
        self.start("--bolt", "127.0.0.1:0", responses=4_000)
        spoken = next(line for line in self.server.stdout_lines if line.startswith("speaking Bolt on "))
        clients = [Bolt(spoken.strip().rsplit("/", 1)[1]) for _ in range(20)]
        for client in clients:
            client.send(RUN, "MATCH (a)-[r]->(b) RETURN collect(r) AS rs, collect(a) AS starts", {}, {})
            client.send(PULL, {"n": -1})
        pause(3)
        self.grown_mib("20 rows of 20,000 relations, unread over Bolt")
        for client in clients:
            client.close()
        self.given_back()

    def test_walks_that_stand(self):
        """They are counted while they stand, what is too much is refused, and their memory comes back when they end."""
        self.start(responses=4_000)
        sockets = [WebSocket(self.server.authority) for _ in range(4)]
        begun, refused = 0, 0
        for number, socket in enumerate(sockets):
            for unit_number in range(100):  # each walk is one of its own, of about 4,000 members
                match = {"downstream_of": f"ContextUnit:cu_{unit_number}", "depth": 1000 + number}
                socket.send(json.dumps(request("subscribe", unit_number, match=match)))
        for socket in sockets:
            caught_up = ended = 0
            while caught_up + ended < 100:
                told = socket.receive(60)
                caught_up += '"$/caught_up"' in told
                if '"$/ended"' in told:
                    self.assertEqual(json.loads(told)["params"]["reason"], "memory")
                    ended += 1
            begun, refused = begun + caught_up, refused + ended
        self.assertGreater(begun, 100)
        self.assertGreater(refused, 0)
        self.assertGreater(self.used(), BUDGET_MIB * MIB / 2)
        self.grown_mib(f"{begun} standing walks of 4,000 members, {refused} refused")
        for socket in sockets:
            socket.close()
        self.given_back()

    def test_subscriptions_that_nobody_reads(self):
        """60 of each connection, each with a log of 6 MB before it: 4 MiB a connection at most, and what they hold is counted."""
        self.start()
        for first in range(0, 300, 10):
            self.server.rpc("records.write", {"records": [unit(i, content="x" * 20_000) for i in range(first, first + 10)]})
        self.before = status_kib(self.server, "VmRSS")
        sockets = [WebSocket(self.server.authority, receive_bytes=2048) for _ in range(CONNECTIONS)]
        for socket in sockets:
            for number in range(60):
                socket.send(json.dumps(request("subscribe", number, since=0, include=["record"])))
        wait_until(lambda: self.used() > BUDGET_MIB * MIB / 8, "what is read ahead is counted")
        pause(3)
        self.grown_mib(f"{CONNECTIONS} connections of 60 subscriptions that nobody reads", 4 * CONNECTIONS)
        for socket in sockets:
            socket.close()
        self.given_back(64)

    def given_back(self, mib=32):
        """What the attack took is given back to the system, but for what the allocator keeps."""
        wait_until(lambda: self.used() < MIB, "the memory of requests is given back")
        left = lambda: (status_kib(self.server, "VmRSS") - self.before) / 1024  # noqa: E731
        wait_until(lambda: left() < mib, f"the process is within {mib} MiB of what it was")
        print(f"left of it: {left():.0f} MiB")

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
