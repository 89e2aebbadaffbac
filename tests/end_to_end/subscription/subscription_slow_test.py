"""Claim: a subscriber that does not read costs the server at most 4 MiB and slows down no other; when it reads again it
receives `$/lagged` and then everything.

Method: WHENCE_SLOW_EVENTS events (default 50,000) for WHENCE_SLOW_SUBSCRIBERS subscribers (10), of which
WHENCE_SLOW_STALLED (4) leave everything unread, behind a receive buffer of a few KiB. The server's own memory is watched
while it writes and compared with the same writes without the stalled ones. Sizes for a release: 1,000,000 events,
100 subscribers, 10 stalled.
"""
import os
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from support.raw_websocket import PATIENCE
from support.program import wait_until
from support.subscriber import Subscriber
from support.wire_case import Server

EVENTS = int(os.environ.get("WHENCE_SLOW_EVENTS", "50000"))
SUBSCRIBERS = int(os.environ.get("WHENCE_SLOW_SUBSCRIBERS", "10"))
STALLED = int(os.environ.get("WHENCE_SLOW_STALLED", "4"))
BATCH = 100
QUEUE_BYTES, SPARE_BYTES = 4 << 20, 32 << 20
RECORD_BYTES = 600  # so that even a quick run is far more than the kernel keeps for a connection
REF = re.compile(r'"ref": ?"Topic:t(\d+)"')


class Reader(threading.Thread):
    """Reads as fast as it can, and looks at nothing but the refs."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client, self.count, self.failure = Subscriber(server), 0, None
        self.client.until_caught_up(self.client.subscribe({"types": ["Topic"]}))

    def run(self):
        try:
            while self.count < EVENTS:
                text = self.client.socket.receive(PATIENCE)
                if text is None:
                    raise AssertionError(f"nothing came after event {self.count}")
                numbers = [int(n) for n in REF.findall(text)]
                if numbers != list(range(self.count, self.count + len(numbers))):
                    raise AssertionError(f"out of order after event {self.count}: {numbers[:3]} ...")
                self.count += len(numbers)
        except BaseException as failure:
            self.failure = failure


def own_bytes(server):
    """The server's resident memory without mapped files, the store being one."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", status)[1])


def request_memory(server):
    return float(re.search(r"^whence_request_memory_bytes (\S+)$", server.get("/metrics")[1].decode(), re.M)[1])


class SlowTest(unittest.TestCase):
    def write_all(self, server):
        """The most memory seen meanwhile."""
        most = 0
        for first in range(0, EVENTS, BATCH):
            server.rpc("records.write", {"records": [
                {"$type$": "Topic", "id": f"t{i}", "attributes": {"text": "x" * RECORD_BYTES}}
                for i in range(first, min(first + BATCH, EVENTS))]})
            most = max(most, own_bytes(server))
        return most

    def run_once(self, folder, stalled):
        """(most memory, number of `$/lagged` sent to stalled subscribers)"""
        with Server(folder, "--ping", "3600") as server:
            readers = [Reader(server) for _ in range(SUBSCRIBERS - STALLED)]
            sleepers = [Subscriber(server, receive_bytes=4096) for _ in range(stalled)]
            subscriptions = [c.subscribe(include=["record"]) for c in sleepers]
            for client, subscription in zip(sleepers, subscriptions):
                client.until_caught_up(subscription)
            for reader in readers:
                reader.start()
            most = self.write_all(server)
            for reader in readers:
                reader.join()
                self.assertIsNone(reader.failure)
                reader.client.socket.close()
            for client, subscription in zip(sleepers, subscriptions):
                self.wake(client, subscription, server.rpc("server.info")["tx"])
                client.socket.close()
            wait_until(lambda: request_memory(server) == 0, "what waited is given back, and no more")
            return max(most, own_bytes(server)), sum(len(s.lagged) for s in subscriptions)

    def wake(self, client, subscription, head):
        while subscription.tx < head or not subscription.is_caught_up:  # how long it takes is the machine's affair, as long as it goes on
            self.assertTrue(client.read(), f"nothing came after {len(subscription.events)} events")
        self.assertEqual([e["ref"] for e in subscription.events], [f"Topic:t{i}" for i in range(EVENTS)])
        self.assertGreaterEqual(len(subscription.lagged), 1)
        self.assertEqual(len(subscription.caught_up), len(subscription.lagged) + 1)

    def test_memory_stays_bounded_and_all_get_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            alone, _ = self.run_once(folder + "/alone", 0)
            most, lags = self.run_once(folder + "/stalled", STALLED)
        print(f"{EVENTS} events for {SUBSCRIBERS} subscribers: {alone >> 20} MiB, with {STALLED} stalled {most >> 20} MiB, "
              f"{lags} times `$/lagged`", file=sys.stderr)
        self.assertLessEqual(most, alone + STALLED * QUEUE_BYTES + SPARE_BYTES)
