"""Claims: when all servers of NATS are killed at once, what was acknowledged is there; a node whose disk is full refuses writes,
holds nobody up and catches up by itself when there is room; a node that is restored from an old backup becomes one with the
others; how long writes wait when a process is killed (printed).

Method: three nodes on three servers of NATS on loopback. WHENCE_FAILOVERS=N sets how often a failover is measured.
"""
import os
import resource
import shutil
import statistics
import sys
import threading
import time
import unittest

from replicated.calls import Unanswered
from replicated.cluster import Cluster
from replicated.writers import BUSY, STORAGE_FULL, unit
from support.failing_calls import lift_limit
from support.nats import PROGRAM
from support.program import RpcError, wait_until, whence

FAILOVERS = int(os.environ.get("WHENCE_FAILOVERS", "1"))
WRITERS = 4


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class OutagesTest(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster(None)
        self.addCleanup(self.cluster.close)
        self.client = self.cluster.client()
        self.nodes = self.cluster.nodes
        self.acknowledged = {}  # name -> (tx, refs)

    def write(self, node, name, seconds=15, **more):
        """Until it is acknowledged."""
        def is_written():
            try:
                answer = self.client.call(node.authority, "records.write", {"records": [unit(name, **more)], "idempotency_key": name}, seconds)
            except Unanswered:
                return False
            except RpcError as error:
                if error.code != BUSY:
                    raise
                return False
            self.acknowledged[name] = answer["tx"], answer["refs"]
            return True

        wait_until(is_written, f"{name} at {node.name}")

    def check(self):
        """All nodes are one graph, which has what was acknowledged."""
        for node in list(self.nodes.values()):
            self.write(node, f"after.{node.name}")
        head = self.cluster.settle()
        exports = set()
        for node in self.nodes.values():
            for name, (tx, refs) in self.acknowledged.items():
                events = self.client.call(node.authority, "history.get", {"ref": refs[0]})["events"]
                self.assertEqual(events[0]["tx"], tx, f"{name} at {node.name}")
            exports.add(self.client.export(node.authority)["sha256"])
            self.assertEqual(node.server.stop(), 0)
            verified = whence("verify", "--db", node.db)
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertEqual(len(exports), 1)
        self.assertEqual(head, len(self.acknowledged))

    def test_all_servers_of_nats_killed_at_once(self):
        for outage in range(2):
            is_over = threading.Event()

            def write(writer):
                number = 0
                while not is_over.is_set():
                    number += 1
                    node = self.nodes[f"node{(writer + number) % 3 + 1}"]
                    self.write(node, f"{outage}.{writer}.{number}")

            writers = [threading.Thread(target=write, args=(i,)) for i in range(WRITERS)]
            for writer in writers:
                writer.start()
            target = len(self.acknowledged) + 60
            wait_until(lambda: len(self.acknowledged) >= target, "writes")
            for server in self.cluster.nats.servers:
                server.process.kill()
            self.cluster.nats.stop()
            before = len(self.acknowledged)
            self.cluster.nats.start()
            wait_until(lambda: len(self.acknowledged) > before + WRITERS, "writes to go on")
            is_over.set()
            for writer in writers:
                writer.join()
        self.check()

    def test_a_node_whose_disk_is_full(self):
        full, other = self.nodes["node3"], self.nodes["node1"]
        self.write(full, "before")
        self.cluster.settle()
        size = (full.db / "data.mdb").stat().st_size
        resource.prlimit(full.server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        text = "x" * 100_000
        for number in range(30):
            self.write(other, f"large.{number}", content=f"{number} {text}")
        with self.assertRaises(RpcError) as refused:
            self.client.call(full.authority, "records.write", {"records": [unit("refused")]}, 30)
        self.assertEqual(refused.exception.code, STORAGE_FULL, refused.exception)
        info = self.client.call(full.authority, "server.info")
        self.assertLess(info["tx"], self.client.call(other.authority, "server.info")["tx"])
        self.write(other, "meanwhile")
        lift_limit(full.server.process)
        head = len(self.acknowledged)
        wait_until(lambda: self.client.call(full.authority, "server.info")["tx"] == head, "the node to catch up by itself")
        self.assertEqual(self.cluster.settle(), head)
        self.check()

    def test_a_node_restored_from_an_old_backup(self):
        old, other = self.nodes["node3"], self.nodes["node1"]
        for number in range(10):
            self.write(other, f"before.{number}")
        self.cluster.settle()
        backup = self.cluster.folder / "backup"
        self.client.call(old.authority, "admin.backup", {"path": str(backup)})
        for number in range(50):
            self.write(self.nodes[f"node{number % 3 + 1}"], f"later.{number}")
        old.kill()
        self.write(other, "without")
        shutil.rmtree(old.db)
        backup.rename(old.db)
        old.start()
        self.check()

    def test_how_long_writes_wait(self):
        measured = {"a server of NATS, the stream's leader": [], "a node": []}
        for number in range(FAILOVERS):
            leader = wait_until(self.cluster.nats.leader, "a leader")
            leader.process.kill()
            measured["a server of NATS, the stream's leader"].append(self.time_to_write(f"leader.{number}"))
            leader.kill()
            leader.start()
            self.cluster.settle()
            node = self.nodes["node1"]
            node.server.process.kill()
            measured["a node"].append(self.time_to_write(f"node.{number}"))
            node.kill()
            node.start()
            self.cluster.settle()
        for what, seconds in measured.items():
            print(f"kill -9 of {what} to the next acknowledged write at another node: median {statistics.median(seconds):.3f} s of "
                  f"{', '.join(f'{each:.3f}' for each in seconds)}", file=sys.stderr)
        self.check()

    def time_to_write(self, name):
        began = time.monotonic()
        self.write(self.nodes["node2"], name)
        return time.monotonic() - began


if __name__ == "__main__":
    unittest.main()
