"""Claim: with `--log` each namespace is a stream of its own, so that nodes hold each of them in common and apart from the others.

Method: one real `nats-server`, two nodes with the same two namespaces. Skipped where `nats-server` is not installed.
"""
import http.client
import json
import tempfile
import unittest
from pathlib import Path

from support.nats import PROGRAM, Nats
from support.program import Server, wait_until

UNIT = {"$type$": "ContextUnit", "type": "User", "source": "s", "timestamp": "2025-01-01T00:00:00Z", "version": 1}


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class ReplicatedNamespacesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.nats = Nats(folder.name)
        self.addCleanup(self.nats.stop)
        self.nodes = [self.start(name) for name in ("one", "two")]

    def start(self, name):
        flags = [flag for each in ("a", "b") for flag in ("--namespace", f"{each}={self.folder / name / each}")]
        node = Server(None, *flags, "--log", self.nats.url("graph"))
        self.addCleanup(node.kill)
        return node

    def ask(self, node, method, path, **params):
        connection = http.client.HTTPConnection(node.authority, timeout=60)
        try:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            connection.request("POST", path + "/rpc", body, {"Content-Type": "application/json"})
            with connection.getresponse() as answer:
                return json.loads(answer.read())["result"]
        finally:
            connection.close()

    def ids(self, node, name):
        return sorted(each["id"] for each in self.ask(node, "node.find", "/ns/" + name, type="ContextUnit")["nodes"])

    def test_each_namespace_is_a_stream(self):
        one, two = self.nodes
        self.ask(one, "records.write", "/ns/a", records=[{**UNIT, "id": "cu_1"}])
        self.ask(two, "records.write", "/ns/b", records=[{**UNIT, "id": "cu_2"}])
        self.ask(two, "records.write", "/ns/a", records=[{**UNIT, "id": "cu_3"}])
        for node in self.nodes:
            wait_until(lambda node=node: self.ids(node, "a") == ["cu_1", "cu_3"], "what the other wrote in a")
            wait_until(lambda node=node: self.ids(node, "b") == ["cu_2"], "what the other wrote in b")
        epochs = [[self.ask(node, "server.info", "/ns/" + name)["epoch"] for node in self.nodes] for name in ("a", "b")]
        self.assertEqual([len(set(each)) for each in epochs], [1, 1])
        self.assertNotEqual(*[each[0] for each in epochs])

    def test_the_root_is_not_ready_without_the_log(self):
        node = self.nodes[0]
        self.assertEqual(node.get("/readyz")[0], 200)
        self.nats.stop()
        for path in ("/readyz", "/ns/a/readyz"):
            wait_until(lambda path=path: node.get(path) == (503, b'{"ready":false,"reasons":["log"]}'), "not ready")


if __name__ == "__main__":
    unittest.main()
