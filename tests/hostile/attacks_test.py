"""Claim: each attack alone, on a server with the settings that it takes by itself, in a control group of 512 MiB and of 2 GiB: the process
lives, holds at most 60 % of the group beside the pages of files, answers others meanwhile, and the memory of requests is given back.

Method: one server for each size; an attack holds what it asked for while another client asks; its peak is sampled. The table of peaks
is printed. Skipped where no group can be made.
"""
import contextlib
import gzip
import json
import socket
import threading
import time
import unittest

from attack import WebSocket, pause, request, status_kib, wait_until
from bolt_client import BEGIN, PULL, RUN, Bolt
from group_test import GroupTest, post
from memory_test import HUNGRY, LARGE, MIB, SWOLLEN, begin_message

CONNECTIONS = 40
ANSWER_SECONDS = 20  # in which somebody else is answered, whatever runs
HELD_SECONDS = 2


def sockets(server, count, *texts):
    """Connections that ask and read nothing."""
    made = [WebSocket(server.authority, receive_bytes=4096) for _ in range(count)]
    for each in made:
        for text in texts:
            each.send(text)
    return made


def unfinished(server, _bolt):
    return [begin_message(server.authority, 15 * MIB) for _ in range(CONNECTIONS)]


def promises(server, _bolt):
    host, port = server.authority.rsplit(":", 1)
    made = []
    for path in ("/rpc", "/mcp", "/v1/traces", "/api/v1/lineage"):
        for _ in range(100):
            each = socket.create_connection((host, int(port)))
            each.sendall(f"POST {path} HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[".encode())
            made.append(each)
    return made


def answers(server, _bolt):
    return sockets(server, CONNECTIONS, *(json.dumps(request("node.find", i, type="Response", include=["record", "edges"], limit=10_000)) for i in range(8)))


def batch(server, _bolt):
    calls = [request("node.find", i, type="Response", include=["record", "edges"], limit=10_000) for i in range(60)]
    return sockets(server, 8, json.dumps(calls))


def streams(server, _bolt):
    return sockets(server, CONNECTIONS, *(json.dumps(request("lineage.descendants", i, ref="ContextUnit:cu_0", stream={"credit": 1})) for i in range(64)))


def pictures(server, _bolt):
    return sockets(server, CONNECTIONS, *(json.dumps(request("lineage.graph", i, ref="ContextUnit:cu_0", limit=10_000, up=1000, down=1000)) for i in range(2)))


def walks(server, _bolt):
    asked = (json.dumps(request("subscribe", i, match={"downstream_of": f"ContextUnit:cu_{i}", "depth": 1000})) for i in range(100))
    return sockets(server, 8, *asked)


def open_results(_server, bolt):
    clients = [Bolt(bolt) for _ in range(8)]
    for client in clients:
        client.send(BEGIN, {})
        for number in range(16):
            client.send(RUN, "UNWIND range(1,40000) AS x WITH x ORDER BY x DESC RETURN x", {}, {})
            client.send(PULL, {"n": 1, "qid": number})
    return clients


def large_rows(_server, bolt):
    clients = [Bolt(bolt) for _ in range(20)]
    for client in clients:
        client.send(RUN, "MATCH (a)-[r]->(b) RETURN collect(r) AS rs, collect(a) AS starts", {}, {})
        client.send(PULL, {"n": -1})
    return clients


def query(text):
    return lambda server, _bolt: sockets(server, 8, json.dumps(request("query", 1, cypher=text)))


def telemetry(path, make):
    body = gzip.compress(make(), 6)
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}

    def send(server, _bolt):
        def run():
            with contextlib.suppress(OSError):
                post(server.authority, path, body, headers)
        for _ in range(4):
            threading.Thread(target=run, daemon=True).start()
        return []
    return send


def message(make):
    return lambda server, _bolt: sockets(server, 4, make())


ATTACKS = {"unfinished messages": unfinished, "promises of bodies": promises, "answers unread": answers, "batches unread": batch,
           "streams unread": streams, "pictures unread": pictures, "walks that stand": walks, "open results of Bolt": open_results,
           "large rows of Bolt": large_rows, **{f"query: {name}": query(text) for name, text in HUNGRY.items()},
           **{f"telemetry: {name}": telemetry(*what) for name, what in SWOLLEN.items()}, **{f"message: {name}": message(make) for name, make in LARGE.items()}}


class AttacksTest(GroupTest):
    """The set-up of `GroupTest`, whose own tests run there."""
    test_all_at_once_within_a_part_of_the_group = None
    test_requests_that_grow = None

    def test_each_alone(self):
        peaks = {}
        for mib in (512, 2048):
            with self.start(self.group(mib), 20_000) as server:
                bolt = next(line for line in server.stdout_lines if line.startswith("speaking Bolt on ")).strip().rsplit("/", 1)[1]
                for name, attack in ATTACKS.items():
                    with self.subTest(name, mib=mib):
                        peaks.setdefault(name, []).append(self.peak_of(attack, server, bolt))
                        self.assertLess(peaks[name][-1], 0.6 * mib)
        print("| attack | in 512 MiB | in 2 GiB |\n|---|---|---|")
        for name, each in peaks.items():
            print(f"| {name} | " + " | ".join(f"{peak:.0f} MiB" for peak in each) + " |")

    def peak_of(self, attack, server, bolt):
        held = attack(server, bolt)
        peak, end = 0, time.monotonic() + HELD_SECONDS
        while time.monotonic() < end:
            peak = max(peak, status_kib(server, "RssAnon") / 1024)
            begin = time.monotonic()
            self.assertIn("tx", server.rpc("server.info"))
            self.assertEqual(len(server.rpc("node.find", {"type": "Response", "limit": 3})["nodes"]), 3)
            self.assertLess(time.monotonic() - begin, ANSWER_SECONDS)
            pause(0.02)
        for each in held:
            each.abort() if isinstance(each, WebSocket) else each.close()
        self.assertIsNone(server.process.poll())
        wait_until(lambda: self.claimed(server) < MIB, "the memory of requests is given back")
        return peak

    @staticmethod
    def claimed(server):
        text = server.get("/metrics")[1].decode()
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith("whence_request_memory_bytes ")))


del GroupTest  # its tests are run by its own module


if __name__ == "__main__":
    unittest.main()
