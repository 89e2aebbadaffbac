"""Claims: one process serves several stores, each below /ns/NAME/ with everything that a store at the root has, and nothing of
one is seen in another: records, subscriptions, cursors, jobs and files of exports, blobs, tokens, metrics, readiness. No path
leads from one into another. Where tokens are needed, a name that is no namespace's is as one whose tokens are not known.

Method: real servers with two and with ten namespaces; each thing of one asked for in the other, also where the other is a copy of
its store.
"""
import http.client
import json
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from support.program import Server, wait_until, whence, write_private
from support.raw_websocket import Closed, WebSocket

UNIT = {"$type$": "ContextUnit", "type": "User", "source": "test", "timestamp": "2025-10-09T10:00:00Z"}
POLICY = 1008


def unit(name, **more):
    return {**UNIT, "id": name, **more}


class Client:
    """Requests below one path, with one token."""

    def __init__(self, server, path, token=None):
        self.server, self.path, self.token = server, path, token

    def http(self, method, path, body=None, headers=None):
        """Status, body and headers."""
        headers = {**({"Authorization": "Bearer " + self.token} if self.token else {}), **(headers or {})}
        connection = http.client.HTTPConnection(self.server.authority, timeout=60)
        try:
            connection.request(method, self.path + path, body, headers)
            with connection.getresponse() as answer:
                return answer.status, answer.read().decode(), answer.headers
        finally:
            connection.close()

    def get(self, path):
        return self.http("GET", path)[:2]

    def status(self, path):
        return self.get(path)[0]

    def call(self, method, **params):
        """The whole answer."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, text, _ = self.http("POST", "/rpc", json.dumps(request), {"Content-Type": "application/json"})
        if status != 200:
            raise ConnectionError(f"HTTP {status}: {text}")
        return json.loads(text)

    def rpc(self, method, **params):
        answer = self.call(method, **params)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def write(self, *records, **more):
        return self.rpc("records.write", records=list(records), **more)

    def ids(self):
        return sorted(node["id"] for node in self.rpc("node.find", type="ContextUnit")["nodes"])

    def socket(self, test, token=None):
        connection = WebSocket(self.server.authority, token=token or self.token, path=self.path + "/ws")
        test.addCleanup(connection.close)
        return connection


def ask(connection, method, **params):
    connection.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    while True:
        message = json.loads(connection.receive())
        if message.get("id") == 1:
            return message


class NamespaceCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def namespaces(self, *names):
        return [flag for name in names for flag in ("--namespace", f"{name}={self.folder / name}")]

    def serve(self, *args, db=None, **options):
        server = Server(db, "--log", "json", *args, **options)
        self.addCleanup(server.kill)
        return server


class OpenTest(NamespaceCase):
    """Two namespaces without tokens."""

    def setUp(self):
        super().setUp()
        self.start()

    def start(self, *args, db=None):
        self.server = self.serve(*self.namespaces("a", "b"), *args, db=db)
        self.a, self.b, self.root = (Client(self.server, path) for path in ("/ns/a", "/ns/b", ""))

    def test_writes_and_reads_are_of_one_namespace(self):
        self.a.write(unit("cu_1"), unit("cu_2"))
        self.b.write(unit("cu_2", source="other"))
        self.assertEqual((self.a.ids(), self.b.ids()), (["cu_1", "cu_2"], ["cu_2"]))
        with_socket = self.a.socket(self), self.b.socket(self)
        sources = [ask(socket, "node.get", ref="cu_2", include=["record"])["result"]["nodes"][0]["record"]["source"]
                   for socket in with_socket]
        self.assertEqual(sources, ["test", "other"])
        self.assertEqual([client.rpc("server.info")["namespace"] for client in (self.a, self.b)], ["a", "b"])


class TokenTest(NamespaceCase):
    """Two namespaces, each with tokens of its own."""

    def setUp(self):
        super().setUp()
        self.files = {}
        for name in ("a", "b"):
            self.files[name] = self.folder / f"tokens-{name}"
            self.write_tokens(name, f"read read-{name}", f"write write-{name}", f"admin admin-{name}")
        self.server = self.serve(*self.namespaces("a", "b"), *self.token_flags("a", "b"))

    def write_tokens(self, name, *lines):
        write_private(self.files[name], "\n".join(lines) + "\n")

    def token_flags(self, *names):
        return [flag for name in names for flag in ("--token-file", f"{name}={self.files[name]}")]

    def client(self, name, token=None):
        return Client(self.server, "/ns/" + name, token)

    def test_a_token_of_one_is_unknown_in_the_other(self):
        self.client("a", "write-a").write(unit("cu_1"))
        self.assertEqual((self.client("a", "read-a").ids(), self.client("b", "read-b").ids()), (["cu_1"], []))
        answers = []
        for name in ("a", "b", "unknown"):
            for token in ("none-of-these", "admin-b" if name == "a" else "admin-a"):
                with self.assertRaises(ConnectionError):
                    self.client(name, token).rpc("server.info")
                status, body, headers = self.client(name, token).http("GET", "/openrpc.json")
                answers.append((status, body, {key: value for key, value in headers.items() if key != "Date"}))
                with self.assertRaises(ConnectionError) as refused:
                    self.client(name, token).socket(self)
                answers[-1] += (str(refused.exception).split("Date")[0],)
                hello = ask(self.client(name).socket(self), "session.hello", token=token)
                self.assertEqual(hello["error"]["code"], -32010)
                answers[-1] += (hello,)
        self.assertEqual([answer == answers[0] for answer in answers], [True] * 6, answers)
        self.assertEqual(answers[0][0], 401)


if __name__ == "__main__":
    unittest.main()
