"""What the attacks share: a store worth attacking, a quiet client that measures how long it waits, processes that attack.

Attackers and the quiet client are processes of their own, so that one does not wait for another's interpreter.
"""
import ctypes
import json
import multiprocessing
import os
import platform
import random
import struct
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "end_to_end"))
from support.program import Server, wait_until, write_tokens  # noqa: E402, F401
from support.raw_websocket import Closed, WebSocket  # noqa: E402, F401

TIME = "2025-10-09T16:15:00Z"
RESPONSES = int(os.environ.get("WHENCE_HOSTILE_RESPONSES", "20000"))
UNITS = 200
SAMPLES = int(os.environ.get("WHENCE_HOSTILE_SAMPLES", "150"))


def pause(seconds):
    """Lets an attack go on. What is measured is what happens meanwhile, so there is nothing to wait for."""
    time.sleep(seconds)


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def unit(number, **more):
    return {"$type$": "ContextUnit", "id": f"cu_{number}", "type": "External", "source": "s", "version": 1, "timestamp": TIME, **more}


def response(number, units):
    return {"$type$": "Response", "id": f"resp_{number}", "timestamp": TIME, "agent": f"agent_{number % 7}", "model": "m",
            "context_units": [{"context_unit_id": f"cu_{each}", "weight": 1 / len(units)} for each in units]}


def fill(server, responses=RESPONSES):
    """Some units, each derived from the one before, and responses that use five each: a walk from the first unit reaches all."""
    choose = random.Random(7)
    server.rpc("records.write", {"records": [unit(i, **({"derived_from": [f"cu_{i - 1}"]} if i else {})) for i in range(UNITS)]})
    for first in range(0, responses, 2000):
        batch = [response(i, choose.sample(range(UNITS), 5)) for i in range(first, min(responses, first + 2000))]
        server.rpc("records.write", {"records": batch})


class Client:
    """One WebSocket of somebody who waits for each answer."""

    def __init__(self, authority):
        self.socket, self.number = WebSocket(authority), 0

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps(request(method, self.number, **params)))
        while True:
            text = self.socket.receive()
            if text is None:
                raise TimeoutError(method)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                return answer


def _answer_soon():
    """Lets this process run at once when its answer has come, as a client on another machine would: a slice of 0.1 ms for itself.

    Without it the figures are those of the attackers' own use of the cores (a slice of 3 ms each), not of the server. Needs Linux
    6.12 on x86-64; does nothing elsewhere.
    """
    if platform.machine() == "x86_64":
        attributes = struct.pack("=IIQiIQQQ", 48, 0, 0, 0, 0, 100_000, 0, 0)  # struct sched_attr
        ctypes.CDLL(None).syscall(314, 0, attributes, 0)  # sched_setattr


def _measure(authority, samples, first, results):
    _answer_soon()
    client = Client(authority)
    reads, writes = [], []
    for i in range(samples):
        begin = time.perf_counter()
        client.call("lineage.ancestors", ref=f"Response:resp_{i}", depth=1)
        reads.append(time.perf_counter() - begin)
        if i % 3 == 0:
            begin = time.perf_counter()
            client.call("records.write", records=[unit(first + i)])
            writes.append(time.perf_counter() - begin)
        pause(0.01)
    results.put((reads, writes))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


_first = [1_000_000]


def measure(server, samples=SAMPLES):
    """Milliseconds of a quiet client: p99 of a one-hop query, p99 of a write, and the longest of each."""
    _first[0] += samples
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=_measure, args=(server.authority, samples, _first[0], results))
    process.start()
    reads, writes = results.get(timeout=300)
    process.join()
    return {"read": 1000 * percentile(reads, 0.99), "write": 1000 * percentile(writes, 0.99), "longest read": 1000 * max(reads),
            "longest write": 1000 * max(writes)}


class Attackers:
    """Processes that run `attack(authority, *args)` until the end of the block; each repeats it by itself."""

    def __init__(self, count, attack, server, *args):
        self.processes = [multiprocessing.Process(target=attack, args=(server.authority, *args), daemon=True) for _ in range(count)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        pause(0.5)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join()


def status_kib(server, member):
    """A figure of /proc/PID/status (VmRSS, VmHWM), in KiB."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(member + ":"):
            return int(line.split()[1])
    raise KeyError(member)
