"""Claim: who may do what is exactly what the lines of the token file and the table of methods say, by every way in which a token
may be shown, and no token is in anything that the server says or logs.

Method: every role in every namespace as a token that is valid, one that has expired and one that is revoked, one with a scope of
methods, one without name and bounds, an unknown one, and none. Each of them is shown to each namespace in a header, at the handshake of a
WebSocket, in a hello, and over Bolt as basic and as bearer; also where no token belongs: as a subprotocol and in an address. Each
session that it may open is sent all methods in one batch, with a parameter that none of them has: a method that may be called says
so. What is expected is computed from the lines and from the roles of rpc.discover.
"""
import datetime
import fnmatch
import hashlib
import http.client
import itertools
import json
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from support.bolt import Bolt
from support.program import Server, wait_until, write_private
from support.raw_websocket import PATIENCE, Closed, WebSocket

UNAUTHENTICATED, FORBIDDEN = -32010, -32011
ROLES = ["none", "metrics", "read", "write", "admin"]
NAMESPACES = ["/", "shop", "lab"]
NO_PARAM = {"nonsense": 1}
SCOPE = "node.*,query,records.write"
# Methods whose parameters ask for a write.
ALSO_WRITING = {"rag.retrieve": {"record": True, **NO_PARAM}, "discussion.reconcile": {"repair": "all", **NO_PARAM}}
# What a path is a way to, and the role that it needs; what a request that may be made is answered.
PATHS = [("GET", "/metrics", "metrics", "server.info", {200}),
         ("GET", "/openrpc.json", "read", "rpc.discover", {200}),
         ("GET", "/blob/00", "read", "attachment.get", {404}),
         ("GET", "/export/none/none", "read", "export.status", {404}),
         ("POST", "/mcp", "read", None, {200}),
         ("POST", "/v1/traces", "write", "records.write", {200}),
         ("POST", "/v1/logs", "write", "records.write", {200}),
         ("POST", "/v1/metrics", "write", "records.write", {200}),
         ("POST", "/api/public/otel/v1/traces", "write", "records.write", {200}),
         ("POST", "/otel/v1/traces", "write", "records.write", {200}),
         ("POST", "/api/public/media", "write", "records.write", {201, 400}),
         ("POST", "/api/v1/lineage", "write", "records.write", {400, 422}),
         ("POST", "/api/v1/lineage/batch", "write", "records.write", {200, 400, 422}),
         ("GET", "/no/such/path", "none", None, {404})]
OPEN_PATHS = ["/healthz", "/", "/explorer/none"]


@dataclass
class Token:
    secret: str
    role: str = "none"
    state: str = "unknown"
    namespace: str = "/"
    methods: str = "*"
    name: str = ""

    @property
    def line(self):
        scope = f" methods={self.methods}" if self.methods != "*" else ""
        end = {"valid": " expires=2199-01-01T00:00:00Z", "expired": " expires=2020-01-01T00:00:00Z",
               "revoked": " revoked=2020-01-01T00:00:00Z"}[self.state]
        if not self.name:
            return f"sha256:{self.digest} role={self.role}"
        return f"sha256:{self.digest} name={self.name} role={self.role} namespace={self.namespace}{scope}{end}"

    @property
    def digest(self):
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def enters(self, namespace):
        return self.state == "valid" and self.namespace in (namespace, "")

    def may(self, namespace, method, role):
        """Whether it is enough for a method that needs `role`."""
        return (self.enters(namespace) and ROLES.index(self.role) >= ROLES.index(role)
                and (method is None or any(fnmatch.fnmatchcase(method, each) for each in self.methods.split(","))))


def make_tokens():
    made = []
    for role, state, namespace in itertools.product(ROLES[1:], ["valid", "expired", "revoked"], NAMESPACES):
        name = f"{role}-{state}-{namespace.replace('/', 'root')}"
        made.append(Token(f"wht_{name}-{'x' * 20}", role, state, namespace, name=name))
    made += [Token(f"wht_scoped-{n.replace('/', 'root')}-{'x' * 20}", "admin", "valid", n, SCOPE, f"scoped-{n.strip('/')}s")
             for n in NAMESPACES]
    made += [Token(f"plain-{role}-{'x' * 20}", role, "valid", "") for role in ("read", "admin")]
    return made


class AnySocket(WebSocket):
    """Shows a token where none belongs."""

    def __init__(self, authority, path, more=""):
        self.more = more
        super().__init__(authority, path=path)

    def _shake_hands(self, authority, token, path="/ws"):
        send = self._socket.sendall
        lines = (f"GET {path} HTTP/1.1\r\nHost: {authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{self.more}\r\n")
        send(lines.encode())
        while b"\r\n\r\n" not in self._bytes:
            self._read_some(time.monotonic() + PATIENCE)
        head, _, rest = bytes(self._bytes).partition(b"\r\n\r\n")
        self.head, self._bytes = head.decode(), bytearray(rest)


class AccessMatrixTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.tokens = make_tokens()
        cls.file = write_private(cls.folder / "tokens", "".join(token.line + "\n" for token in cls.tokens))
        cls.server = Server(cls.folder / "root", "--namespace", f"shop={cls.folder}/shop", "--namespace", f"lab={cls.folder}/lab",
                            "--bolt", "127.0.0.1:0", "--log", "json", "--inflight", 100,
                            *itertools.chain(*(("--tokens", each + str(cls.file)) for each in ("", "shop=", "lab="))))
        cls.addClassCleanup(cls.server.kill)
        cls.bolt = next(line for line in cls.server.stdout_lines if "Bolt" in line).split("//")[1].strip()
        cls.heard = []  # all that the server has answered
        cls.connection = http.client.HTTPConnection(cls.server.authority, timeout=60)
        cls.addClassCleanup(cls.connection.close)
        cls.shown = [*cls.tokens, Token("wht_nobody-knows-this-one"), None]
        described = json.loads(cls.ask_path("GET", "/openrpc.json", "/", cls.tokens_of("admin")[0])[1])
        cls.roles = {method["name"]: method["x-role"] for method in described["methods"]}
        cls.calls = [(name, role, NO_PARAM) for name, role in cls.roles.items() if name != "session.hello"]
        cls.calls += [(name, "write", params) for name, params in ALSO_WRITING.items()]
        cls.batch = [{"jsonrpc": "2.0", "id": i, "method": name, "params": params}
                     for i, (name, _, params) in enumerate(cls.calls)]

    def setUp(self):
        self.connection.close()  # the next request opens it again: the test before may have left it idle for longer than the server waits

    @classmethod
    def tokens_of(cls, role):
        return [t for t in cls.tokens if t.role == role and t.enters("/") and t.methods == "*"]

    @staticmethod
    def base(namespace):
        return "" if namespace == "/" else "/ns/" + namespace

    @classmethod
    def ask_path(cls, method, path, namespace, token, body=None):
        headers = {"Authorization": "Bearer " + token.secret} if token else {}
        if method == "POST":
            headers["Content-Type"] = "application/json"
        cls.connection.request(method, cls.base(namespace) + path, body, headers)
        answer = cls.connection.getresponse()
        text = answer.read().decode()
        cls.heard.append(str(answer.headers) + text)
        return answer.status, text

    def every_pair(self):
        return itertools.product(NAMESPACES, self.shown)

    def check_answers(self, answers, namespace, token, is_websocket):
        """Of the batch: each method may be called or not."""
        wrong = []
        for answer in answers:
            name, role, _ = self.calls[answer["id"]]
            code = answer["error"]["code"]
            if not is_websocket and name in ("subscribe", "unsubscribe"):
                expected = code not in (UNAUTHENTICATED, FORBIDDEN)  # no matter who asks, they need a WebSocket
            elif token is None or not token.enters(namespace):
                expected = code == UNAUTHENTICATED
            elif token.may(namespace, name, role):
                expected = code not in (UNAUTHENTICATED, FORBIDDEN)
            else:
                expected = code == FORBIDDEN
            if not expected:
                wrong.append((name, code))
        self.assertEqual((len(answers), wrong), (len(self.calls), []), f"{namespace} {token}")

    def test_methods_by_header(self):
        body = json.dumps(self.batch)
        for namespace, token in self.every_pair():
            status, text = self.ask_path("POST", "/rpc", namespace, token, body)
            if token is None or not token.enters(namespace):
                self.assertEqual(status, 401, f"{namespace} {token}")
            elif token.role == "metrics":
                self.assertEqual(status, 403, f"{namespace} {token}")
            else:
                self.assertEqual(status, 200, text)
                self.check_answers(json.loads(text), namespace, token, False)

    def converse(self, connection, namespace, token):
        connection.send(json.dumps(self.batch))
        text = connection.receive()
        self.heard.append(text)
        connection.close()
        self.check_answers(json.loads(text), namespace, token, True)

    def test_methods_by_handshake_and_by_hello(self):
        for namespace, token in self.every_pair():
            path = self.base(namespace) + "/ws"
            may_enter = token is not None and token.enters(namespace)
            if token is not None:
                try:
                    connection = WebSocket(self.server.authority, token=token.secret, path=path)
                except ConnectionError as refused:
                    self.heard.append(str(refused))
                    expected = " 403 " if may_enter and token.role == "metrics" else " 401 "
                    self.assertIn(expected, str(refused), f"{namespace} {token}")
                    self.assertTrue(not may_enter or token.role == "metrics", token)
                else:
                    self.assertTrue(may_enter and token.role != "metrics", token)
                    self.converse(connection, namespace, token)
            connection = WebSocket(self.server.authority, path=path)
            params = {"client": "matrix", **({"token": token.secret} if token else {})}
            connection.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.hello", "params": params}))
            said = connection.receive()
            self.heard.append(said)
            is_metrics = may_enter and token.role == "metrics"
            code = FORBIDDEN if is_metrics else None if may_enter else UNAUTHENTICATED
            self.assertEqual(json.loads(said).get("error", {}).get("code"), code, f"{namespace} {token}")
            self.converse(connection, namespace, None if is_metrics else token)

    def test_paths(self):
        body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        for namespace, token in self.every_pair():
            for method, path, role, right, answers in PATHS:
                sent = body if path == "/mcp" else "{}" if method == "POST" else None
                status, text = self.ask_path(method, path, namespace, token, sent)
                expected = {401} if token is None or not token.enters(namespace) else {403}
                if token is not None and token.may(namespace, right, role):
                    expected = answers
                self.assertIn(status, expected, f"{method} {path} {namespace} {token}: {text}")
            status, _ = self.ask_path("GET", "/readyz", namespace, token)
            is_open = namespace == "/" or (token is not None and token.enters(namespace))
            self.assertEqual(status, 200 if is_open else 401)
            for path in OPEN_PATHS:
                self.assertNotIn(self.ask_path("GET", path, namespace, token)[0], (401, 403), path)

    def test_tools_of_agents(self):
        """A tool is what it calls."""
        calls = {"query": ("query", "read", {"cypher": "RETURN 1"}),
                 "record": ("records.write", "write", {"agent": "a", "model": "m", "content": "c"})}
        listed = json.loads(self.ask_path("POST", "/mcp", "/", self.tokens_of("read")[0],
                                          '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')[1])
        names = {tool["name"] for tool in listed["result"]["tools"]}
        self.assertLessEqual(set(calls), names)
        for name, token in itertools.product(calls, self.tokens):
            method, role, arguments = calls[name]
            if not token.enters("/") or token.role == "metrics":
                continue
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            said = self.ask_path("POST", "/mcp", "/", token, json.dumps(body))[1]
            is_refused = "needs the role" in said or "not among the methods" in said
            self.assertEqual(is_refused, not token.may("/", method, role), f"{name} {token}: {said}")

    def test_databases_by_bolt(self):
        databases = dict(zip(NAMESPACES, ("whence", "shop", "lab")))
        for scheme, token in itertools.product(("basic", "bearer"), self.shown):
            connection = Bolt(self.bolt)
            refused = connection.log_on(scheme, token.secret) if token else connection.log_on("none")
            enters = token is not None and any(token.enters(each) for each in NAMESPACES)
            may = {each: enters and token.may(each, "query", "read") for each in NAMESPACES}
            self.assertEqual(refused, None if any(may.values()) else "Neo.ClientError.Security.Forbidden" if enters
                             else "Neo.ClientError.Security.Unauthorized", f"{scheme} {token}")
            if refused is None:
                for namespace, database in databases.items():
                    # `whence` is also the home of a token that opens one database alone.
                    is_home = namespace == "/" and sum(may.values()) == 1
                    expected = None if may[namespace] or is_home else "Neo.ClientError.Database.DatabaseNotFound"
                    self.assertEqual(connection.run(database), expected, f"{database} {token}")
            self.heard.append(connection.heard.decode(errors="replace"))
            connection.close()

    def test_where_no_token_belongs_it_is_none(self):
        token = self.tokens_of("admin")[0]
        for path in (f"/metrics?token={token.secret}", f"/metrics?access_token={token.secret}"):
            self.assertEqual(self.ask_path("GET", path, "/", None)[0], 401)
        for path, more in ((f"/ws?token={token.secret}", ""), (f"/ws?access_token={token.secret}", ""),
                           ("/ws", f"Sec-WebSocket-Protocol: whence.v1.json, {token.secret}\r\n"),
                           ("/ws", f"Sec-WebSocket-Protocol: whence.v1.json, whence.token.{token.secret}\r\n")):
            connection = AnySocket(self.server.authority, path, more)
            self.heard.append(connection.head)
            self.assertIn(" 101 ", connection.head)
            self.converse(connection, "/", None)
        refused = AnySocket(self.server.authority, "/ws", f"Sec-WebSocket-Protocol: {token.secret}\r\n")
        self.assertIn(" 400 ", refused.head)
        self.heard.append(refused.head)
        refused.close()

    def test_zz_nothing_leaks(self):
        """After the others, by its name."""
        self.assertGreater(len(self.heard), 100)
        wait_until(lambda: any('"refused"' in line for line in self.server.stderr_lines), "a line about a refusal")
        said = "".join(self.heard) + "".join(self.server.stderr_lines) + "".join(self.server.stdout_lines)
        for token in self.shown[:-1]:
            self.assertNotIn(token.secret, said)
            self.assertNotIn(token.digest, said)
        refusals = [json.loads(line) for line in self.server.stderr_lines if '"refused"' in line]
        for line in refusals:
            self.assertEqual((line["component"], line["level"]), ("access", "WARNING"))
        self.assertTrue({"expired", "revoked"} & {line["data"].get("token") for line in refusals})


class OpenConnectionsTest(unittest.TestCase):
    """What is open ends when its token does, whether somebody revokes it or its time has come."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "tokens"
        self.db = Path(folder.name) / "db"

    def open(self, server, bolt, secret):
        subscribed = WebSocket(server.authority, token=secret)
        self.addCleanup(subscribed.close)
        subscribed.send('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{}}')
        self.assertIn('"sub"', subscribed.receive())
        greeted = WebSocket(server.authority)
        self.addCleanup(greeted.close)
        greeted.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.hello", "params": {"token": secret}}))
        self.assertIn('"result"', greeted.receive())
        driver = Bolt(bolt)
        self.addCleanup(driver.close)
        self.assertIsNone(driver.log_on("bearer", secret))
        self.assertIsNone(driver.run("whence"))
        return subscribed, greeted, driver

    def check_ended(self, subscribed, greeted, driver):
        for connection in (subscribed, greeted):
            with self.assertRaises(Closed) as closed:
                while connection.receive():
                    pass
            self.assertEqual(closed.exception.code, 1008)
        self.assertTrue(driver.ends())

    def test_they_end(self):
        lines = {name: f"sha256:{hashlib.sha256(name.encode()).hexdigest()} name={name} role=read" for name in ("ends", "revoked", "stays")}
        write_private(self.file, "\n".join(lines.values()) + "\n")
        server = Server(self.db, "--tokens", self.file, "--bolt", "127.0.0.1:0", "--log", "json")
        self.addCleanup(server.kill)
        bolt = next(line for line in server.stdout_lines if "Bolt" in line).split("//")[1].strip()
        begun = time.monotonic()
        opened = {name: self.open(server, bolt, name) for name in ("revoked", "stays")}
        # Long enough to be opened on this machine as it is now.
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1.5 + 5 * (time.monotonic() - begun))
        lines["ends"] += " expires=" + soon.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        write_private(self.file, "\n".join(lines.values()) + "\n")
        server.signal(1)
        wait_until(lambda: any('"reloaded"' in line for line in server.stderr_lines), "the reload")
        opened["ends"] = self.open(server, bolt, "ends")
        self.check_ended(*opened["ends"])
        self.assertGreaterEqual(datetime.datetime.now(datetime.timezone.utc), soon)
        self.assertLess((datetime.datetime.now(datetime.timezone.utc) - soon).total_seconds(), 30)
        with self.assertRaises(ConnectionError):
            WebSocket(server.authority, token="ends")
        lines["revoked"] += " revoked=2026-01-01T00:00:00Z"
        write_private(self.file, "\n".join(lines.values()) + "\n")
        server.signal(1)
        self.check_ended(*opened["revoked"])
        subscribed, greeted, driver = opened["stays"]
        for connection in (subscribed, greeted):
            connection.send('{"jsonrpc":"2.0","id":2,"method":"server.info"}')
            while '"id":2' not in (said := connection.receive()):
                pass
            self.assertIn('"result"', said)
        self.assertIsNone(driver.run("whence"))
        self.assertEqual(server.stop(), 0)  # with it every line has come
        ended = [json.loads(line)["data"]["who"] for line in server.stderr_lines if '"access_ended"' in line]
        self.assertEqual(sorted(ended), ["ends"] * 3 + ["revoked"] * 3)


if __name__ == "__main__":
    unittest.main()
