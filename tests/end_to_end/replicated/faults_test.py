"""Claim: three nodes on three servers of NATS are one graph whatever happens to processes and links: what was acknowledged is
there once, under its transaction; registers under `expect_tx` are linearizable; all nodes have the same chain of hashes and the
same export.

Method: rounds. Four clients write to random nodes while one to four random faults happen: `kill -9` of any process, pauses, links
that drop packets (network namespaces). When all is well again and the nodes have one head, what the clients were told is held
against the history (checker.py). WHENCE_FAULT_ROUNDS (default 4) sets how many rounds there are; each prints its seed, and
WHENCE_TEST_SEED=N begins with that one. A cluster lives for WHENCE_FAULT_CLUSTER rounds (default 20). WHENCE_FAULT_KEEP=DIR keeps what
a cluster that failed has stored and said.

Servers of NATS before 2.10 may keep a message that no quorum had, where their leader is cut off: then their copies of the stream
differ for ever. Where they do, the claim is that a node finds it and ends writing; the cluster is given up and the next one begins.
"""
import contextlib
import os
import random
import sys
import threading
import time
import unittest

from replicated.calls import Unanswered
from replicated.checker import History, check_history, counts
from replicated.cluster import Cluster
from replicated.faults import inflict, random_faults
from replicated.writers import BUSY, FINISH_SECONDS, Writer, unit
from support.nats import PROGRAM, version
from support.namespaces import make_network
from support.program import RpcError, seed_of_run, wait_until, whence

ROUNDS = int(os.environ.get("WHENCE_FAULT_ROUNDS", "4"))
ROUNDS_OF_A_CLUSTER = int(os.environ.get("WHENCE_FAULT_CLUSTER", "20"))
SEED = seed_of_run()
WRITERS = 4
COPIES_AGREE = (2, 10)  # servers of NATS from this version on


class Round:
    """One of a cluster's; `operations` are those of all its rounds."""

    def __init__(self, cluster, seed, operations):
        self.cluster, self.seed, self.operations = cluster, seed, operations
        self.faults = random_faults(random.Random(seed), cluster.processes(), cluster.network is not None)

    def __str__(self):
        return f"seed {self.seed}: {'; '.join(map(str, self.faults))}"

    def run(self):
        """What is wrong, and the line to print."""
        began = time.monotonic()
        is_over = threading.Event()
        writers = [Writer(self.cluster, f"{self.seed}.{i}", self.seed * WRITERS + i, is_over) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        problems = inflict(self.cluster, self.faults)
        is_over.set()
        for writer in writers:
            writer.join()
            problems += writer.problems
        mine = [operation for writer in writers for operation in writer.operations]
        self.operations += mine
        written = time.monotonic()
        self.cluster.settle()
        self._write_at_each()
        head = self.cluster.settle()
        problems += self._compare()
        line = (f"{self} | {counts(mine)} | head {head}, "
                f"{written - began:.1f} s, {time.monotonic() - written:.1f} s to settle and check")
        return problems, line

    def _write_at_each(self):
        """A node takes another's write only where its own last entry has the hash that the writer's has: after a write at each
        node that all have taken, all have the same chain."""
        for node in self.cluster.nodes.values():
            self._write_at(node, f"{self.seed}.after.{node.name}", FINISH_SECONDS)

    def _write_at(self, node, name, seconds):
        client = self.cluster.client()

        def is_written():
            try:
                return client.call(node.authority, "records.write", {"records": [unit(name)], "idempotency_key": name})
            except Unanswered:
                return None
            except RpcError as error:
                if error.code != BUSY:
                    raise
                return None

        wait_until(is_written, f"a write at {node.name}", seconds)

    def what_nodes_found(self):
        """A copy of another history shows when it goes on: what the nodes say that have ended writing by then."""
        for number in range(2):
            for node in self.cluster.nodes.values():
                with contextlib.suppress(AssertionError, RpcError):
                    self._write_at(node, f"{self.seed}.search.{number}.{node.name}", 15)
        return self.cluster.ended_writing()

    def _compare(self):
        client = self.cluster.client()
        # What a node sends again for a client that has gone may come between two exports.
        head = min(client.call(node.authority, "server.info")["tx"] for node in self.cluster.nodes.values())
        exports = {node.name: client.export(node.authority, as_of=head) for node in self.cluster.nodes.values()}
        if len({each["sha256"] for each in exports.values()}) != 1:
            return [f"exports differ: {exports}"]
        node = next(iter(self.cluster.nodes.values()))
        status, body = client.get(node.authority, exports[node.name]["url"])
        assert status == 200, body
        return check_history(self.operations, History(body.decode()))


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class FaultsTest(unittest.TestCase):
    def test_no_fault_loses_or_doubles_a_write(self):
        network, why_not = make_network(3)
        if network:
            self.addCleanup(network.close)
        else:
            print(f"no links are cut: {why_not}", file=sys.stderr)
        for first in range(0, ROUNDS, ROUNDS_OF_A_CLUSTER):
            with self.subTest(seed=SEED + first):
                self.check_cluster(network, range(first, min(first + ROUNDS_OF_A_CLUSTER, ROUNDS)))

    def check_cluster(self, network, numbers):
        cluster = Cluster(network)
        try:
            operations = []
            for number in numbers:
                current = Round(cluster, SEED + number, operations)
                try:
                    problems, line = current.run()
                except Exception as error:
                    problems, line = [repr(error)], str(current)
                print(f"round {number + 1} of {ROUNDS}, {line}", file=sys.stderr, flush=True)
                if problems and version() < COPIES_AGREE and (at := cluster.nats.first_difference()):
                    found = current.what_nodes_found()
                    self.assertTrue(found, f"the copies of the stream differ at message {at}, and no node has found it: {problems}")
                    print(f"the copies of the stream differ at message {at}: {found}", file=sys.stderr, flush=True)
                    return
                if problems:
                    print("FAILED", *problems, sep="\n", file=sys.stderr, flush=True)
                    self.keep(cluster)
                    self.fail(f"seed {SEED + number}:\n" + "\n".join(problems))
            self.check_stores(cluster)
        finally:
            cluster.close()

    def keep(self, cluster):
        """What the processes said, in the folder that WHENCE_FAULT_KEEP names."""
        if folder := os.environ.get("WHENCE_FAULT_KEEP"):
            cluster.keep(folder)

    def check_stores(self, cluster):
        """As they are on disk."""
        exports = set()
        for node in cluster.nodes.values():
            self.assertEqual(node.server.stop(), 0, node.log_text())
            verified = whence("verify", "--db", node.db)
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            exports.add(whence("export", "--db", node.db, "--format", "jsonl").stdout)
        self.assertEqual(len(exports), 1)


if __name__ == "__main__":
    unittest.main()
