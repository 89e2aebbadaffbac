"""Claim: two roots for one size of the tree over events are found: by every node that hears of another node's, which says so in its log
once, in a metric and in `/readyz` until the other node agrees again; and by a node whose own tree has another root than it signed before.

Method: the files of a node's tree are changed while it is stopped, so that they fit together but are of another history.
"""
import hashlib
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from proof.proof_test import root_of
from support.nats import PROGRAM, Nats
from support.program import Server, unit, wait_until

HEAD_ROOT, HEAD_SUM = 120, 152  # places in the file `head`


def change_tree(db):
    """Another last leaf, with a root and a digest of the head that fit it."""
    leaves = bytearray((db / "tree/level-0").read_bytes())
    leaves[-1] ^= 1
    (db / "tree/level-0").write_bytes(leaves)
    head = bytearray((db / "tree/head").read_bytes())
    hashes = [bytes(leaves[at:at + 32]) for at in range(0, len(leaves), 32)]
    assert len(hashes) == int.from_bytes(head[80:88], "little") < 256
    head[HEAD_ROOT:HEAD_SUM] = root_of(hashes)
    head[HEAD_SUM:] = hashlib.sha256(head[:HEAD_SUM]).digest()
    (db / "tree/head").write_bytes(head)


class ForkCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, name, *args):
        server = Server(self.folder / name, *args)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        return server

    def is_forked(self, server):
        status, body = server.get("/readyz")
        return status == 503 and json.loads(body)["reasons"] == ["fork"]

    def metric(self, server):
        lines = server.get("/metrics")[1].decode().splitlines()
        return next(line.split()[-1] for line in lines if line.startswith("whence_log_forked"))

    def told(self, server):
        return [line for line in server.stderr_lines if "log_forked" in line]


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class NodesForkTest(ForkCase):
    def setUp(self):
        super().setUp()
        self.nats = Nats(self.folder)
        self.addCleanup(self.nats.stop)

    def node(self, name):
        return self.start(name, "--log", self.nats.url())

    def trees(self, server):
        return {node["name"]: node.get("tree") for node in server.rpc("server.info")["log"]["nodes"]}

    def test_nodes_find_that_one_has_another_tree(self):
        a, b = self.node("a"), self.node("b")
        for number in range(5):
            a.rpc("records.write", {"records": [unit(number)]})
        wait_until(lambda: len({json.dumps(tree) for tree in self.trees(a).values()}) == 1 and len(self.trees(a)) == 2 and
                   all(tree and tree["size"] == 5 for tree in self.trees(a).values()), "both to have told the same tree")
        for node in (a, b):
            self.assertEqual((node.get("/readyz")[0], self.metric(node), self.told(node)), (200, "0", []))
        b.stop()
        change_tree(self.folder / "b")
        (self.folder / "b/log.signed").unlink()  # what it would know of itself
        b = self.node("b")
        for node, other in ((a, b), (b, a)):
            wait_until(lambda: self.is_forked(node), "the node to say that there is a fork")
            self.assertEqual(self.metric(node), "1")
            wait_until(lambda: self.told(node), "the log to say it")
            self.assertIn(other.url, self.told(node)[0])
        a.rpc("records.write", {"records": [unit("later")]})  # it ends no writing
        wait_until(lambda: all(tree and tree["size"] == 6 for tree in self.trees(a).values()), "both to have told a larger tree")
        self.assertTrue(self.is_forked(a) and self.is_forked(b))
        self.assertEqual((len(self.told(a)), len(self.told(b))), (1, 1), "once")
        b.stop()
        shutil.rmtree(self.folder / "b/tree")
        (self.folder / "b/log.signed").unlink()
        b = self.node("b")
        for node in (a, b):
            wait_until(lambda: node.get("/readyz")[0] == 200, "the node to be ready again")
            self.assertEqual(self.metric(node), "0")


class OwnForkTest(ForkCase):
    def test_a_node_knows_what_it_signed_before_it_was_stopped(self):
        one = self.start("one")
        for number in range(3):
            one.rpc("records.write", {"records": [unit(number)]})
        one.rpc("log.checkpoint")
        one.stop()
        change_tree(self.folder / "one")
        one = self.start("one")
        wait_until(lambda: self.is_forked(one), "the node to say that there is a fork")
        wait_until(lambda: self.told(one), "the log to say it")
        self.assertIn("this node signed another root for 3 events", self.told(one)[0])
        one.rpc("records.write", {"records": [unit("later")]})
        one.stop()
        one = self.start("one")
        wait_until(lambda: self.is_forked(one), "the node to remember it")
        one.stop()
        shutil.rmtree(self.folder / "one/tree")
        one = self.start("one")
        wait_until(lambda: one.rpc("log.checkpoint")["size"] == 4, "the tree to be made anew")
        self.assertEqual((one.get("/readyz")[0], self.metric(one)), (200, "0"))
        one.stop()
        self.assertEqual(len(self.told(one)), 0)

    def test_true_starts_are_no_fork(self):
        for number in range(4):
            one = self.start("one")
            one.rpc("records.write", {"records": [unit(number)]})
            one.rpc("log.checkpoint")
            one.kill() if number % 2 else one.stop()
            self.assertEqual(self.told(one), [])


if __name__ == "__main__":
    unittest.main()
