"""Claim: whatever one client asks for, another's one-hop query and small write are answered soon.

Method: a quiet client measures its own waiting: alone, beside a process on each core that only uses it and never asks the server, and
beside each attack. An attacker is a process and uses a core, the work that it asks for uses another; with all cores in use, a thread that
wakes up waits for the next tick of the kernel where that is built without preemption (4 ms at 250 Hz), whatever the server does. So the
second figure is what an attack is fairly compared with: p99 is held to TIMES_MAX times of it. One wait is longer by its nature: a write
behind another client's write of 2,000 records waits for that one commit; it is held to BOUND_MS.
"""
import json
import os
import tempfile
import unittest

from attack import Attackers, Closed, Server, WebSocket, fill, measure, request, unit

BOUND_MS = 250
TIMES_MAX = 5  # of the p99 beside busy cores
TRIES = 3
FLOOR_MS = 4  # no p99 is asked to be better than TIMES_MAX ticks of the kernel


def nothing_but_work(_authority):
    while True:
        pass


def batches_of_counts(authority):
    socket = WebSocket(authority)
    batch = json.dumps([request("node.count", i, type="Response", where={"agent": "agent_1"}) for i in range(610)])
    while True:
        socket.send(batch)
        socket.receive()


def impacts_in_flight(authority):
    socket = WebSocket(authority)
    sent = answered = 0
    while True:
        while sent - answered < 60:
            sent += 1
            socket.send(json.dumps(request("impact.analyze", sent, ref="ContextUnit:cu_0")))
        if socket.receive() is not None:
            answered += 1


def standing_walks(authority):
    while True:
        socket = WebSocket(authority)
        for i in range(200):
            socket.send(json.dumps(request("subscribe", i, match={"downstream_of": f"ContextUnit:cu_{i % 100}", "depth": 100 + i})))
        for _ in range(200):
            socket.receive()
        socket.close()


def large_messages(authority):
    text = json.dumps(request("records.write", records=[unit(10_000_000 + i, version=0) for i in range(80_000)]))
    while True:
        try:
            socket = WebSocket(authority)
            for _ in range(3):
                socket.send(text)
                socket.receive()
            socket.close()
        except Closed:
            pass


def many_writes(authority):
    socket = WebSocket(authority)
    sent = answered = 0
    while True:
        while sent - answered < 30:
            sent += 1
            records = [unit(f"w{sent}_{i}") for i in range(2000)]
            socket.send(json.dumps(request("records.write", sent, records=records)))
        if socket.receive() is not None:
            answered += 1


def batches_of_finds(authority):
    socket = WebSocket(authority)
    batch = json.dumps([request("node.find", i, type="Response", limit=100, include=["record"]) for i in range(300)])
    while True:
        socket.send(batch)
        socket.receive()


def walks_around_hubs(authority):
    """Short queries that look at many relations and find few, on eight connections."""
    sockets = [WebSocket(authority) for _ in range(8)]
    text = json.dumps(request("query", cypher="MATCH (a:ContextUnit)<-[*1..4]-(b) WITH a, count(b) AS n RETURN sum(n)"))
    for socket in sockets:
        socket.send(text)
    while True:
        for socket in sockets:
            socket.receive(60)
            socket.send(text)


def exchange(number):
    query = '<llmQuery><userMessage>Q</userMessage><context topicId="t" messageCount="1"/></llmQuery>'
    return [{"$type$": "Message", "id": f"msg_{number}", "topicId": "t", "text": f"question {number}"},
            {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": f"msg_{number}", "format": "llm-query",
             "createdAt": 1_760_000_000_000 + number, "xml": query}]


def large_deletions(authority):
    """800 messages with attachments: written in parts, asked what would go, deleted."""
    socket, number = WebSocket(authority), 0

    def ask(method, **params):
        socket.send(json.dumps(request(method, 1, **params)))
        socket.receive(60)

    ask("records.write", records=[{"$type$": "Topic", "id": "t", "name": "t"}])
    while True:
        numbers = range(number, number + 800)
        number += 800
        for first in numbers[::50]:
            ask("records.write", records=[record for each in range(first, first + 50) for record in exchange(each)])
        refs = [f"Message:msg_{each}" for each in numbers]
        for dry_run in (True, True, True, False):
            ask("records.delete", refs=refs, dry_run=dry_run)


class FairnessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = Server(cls.folder.name + "/db")
        cls.addClassCleanup(lambda: cls.server.__exit__())
        fill(cls.server)
        cls.quiet = measure(cls.server)
        cls.busy = cls.beside_busy_cores()
        for what, figures in (("alone", cls.quiet), ("beside busy cores", cls.busy)):
            print(f"{what}:", {k: round(v, 2) for k, v in figures.items()})

    @classmethod
    def beside_busy_cores(cls):
        with Attackers(os.cpu_count(), nothing_but_work, cls.server):
            return measure(cls.server)

    def check(self, attack, bounded=("read", "write")):
        """A disk or a neighbour that holds one sample up is no defect of the server: what goes wrong three times is. A machine that
        became slower is compared with itself as it is now."""
        for attempt in range(TRIES):
            if attempt:
                self.busy = self.beside_busy_cores()
                print("beside busy cores, again:", {k: round(v, 2) for k, v in self.busy.items()})
            with Attackers(1, attack, self.server):
                under = measure(self.server)
            print(f"{attack.__name__}:", {
                k: f"{v:.2f} ms, {v / self.quiet[k]:.1f} times quiet, {v / self.busy[k]:.1f} times busy cores" for k, v in under.items()})
            bounds = {what: 4 * BOUND_MS if "longest" in what else BOUND_MS for what in under}
            bounds.update({what: TIMES_MAX * max(self.busy[what], FLOOR_MS) for what in bounded})
            over = {what: value for what, value in under.items() if value >= bounds[what]}
            if not over:
                return
        self.fail(f"{attack.__name__}: {over}, at most {bounds}")

    def test_batches_of_counts(self):
        self.check(batches_of_counts)

    def test_impacts_in_flight(self):
        self.check(impacts_in_flight)

    def test_standing_walks_that_end(self):
        self.check(standing_walks)

    def test_large_messages(self):
        self.check(large_messages)

    def test_batches_of_finds(self):
        self.check(batches_of_finds)

    def test_walks_around_hubs(self):
        self.check(walks_around_hubs)

    def test_large_deletions(self):
        self.check(large_deletions)

    def test_many_writes(self):
        self.check(many_writes, bounded=("read",))


if __name__ == "__main__":
    unittest.main()
