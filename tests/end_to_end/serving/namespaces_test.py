"""Claims: one process serves several stores, each below /ns/NAME/ with everything that a store at the root has, and nothing of
one is seen in another: records, subscriptions, cursors, jobs and files of exports, blobs, tokens, metrics, readiness. No path
leads from one into another. Where tokens are needed, a name that is no namespace's is as one whose tokens are not known.

Method: real servers with two and with ten namespaces; each thing of one asked for in the other, also where the other is a copy of
its store.
"""
import hashlib
import http.client
import json
import re
import shutil
import signal
import socket
import tempfile
import threading
import unittest
import uuid
from pathlib import Path

from support.program import Server, clean_env, wait_until, whence, write_tokens
from support.raw_websocket import Closed, WebSocket

UNIT = {"$type$": "ContextUnit", "type": "User", "source": "test", "timestamp": "2025-10-09T10:00:00Z"}
POLICY = 1008
NOT_FOUND, CURSOR_INVALID, UNAUTHENTICATED, FORBIDDEN = -32020, -32060, -32010, -32011
PROCESS_METRICS = {
    "whence_build_info", "whence_draining", "whence_connections", "whence_connections_max", "whence_access_refused_total", "whence_websockets", "whence_bolt_connections", "whence_busy_total",
    "whence_request_memory_bytes", "whence_request_memory_max_bytes", "whence_worker_threads", "whence_worker_tasks_running", "whence_worker_tasks_waiting",
    "process_start_time_seconds", "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds"}


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


def heard(connection):
    """The refs of the next notification of events."""
    while True:
        message = json.loads(connection.receive())
        if message.get("method") == "event":
            return [event["ref"] for event in message["params"]["events"]]


def samples(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def span():
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.system": "s"}
    return {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "chat m-1", "startTimeUnixNano": "1760000000000000000",
            "endTimeUnixNano": "1760000001000000000",
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]}


def event(run):
    return {"eventType": "COMPLETE", "eventTime": "2025-10-09T10:00:00Z", "producer": "https://example.org/x",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, run))}, "job": {"namespace": "n", "name": "j"},
            "inputs": [{"namespace": "db", "name": "t"}], "outputs": []}


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
        self.start("a", "b")

    def start(self, *names, db=None):
        self.server = self.serve(*self.namespaces(*names), "--files", f"{names[0]}={self.folder / 'files'}", db=db)
        self.a, self.b = (Client(self.server, "/ns/" + name) for name in names[:2])
        self.root = Client(self.server, "")

    def start_with_copy(self):
        """`b` is a copy of `a`'s store from now on: its ids and its epoch are the same."""
        self.assertEqual(self.server.stop(), 0)
        shutil.rmtree(self.folder / "b")
        shutil.copytree(self.folder / "a", self.folder / "b")
        self.start("a", "b")

    def finished(self, client, job):
        wait_until(lambda: client.rpc("export.status", job=job)["state"] == "done", "the export")
        return client.rpc("export.status", job=job)["files"][0]

    def test_writes_and_reads_are_of_one_namespace(self):
        self.a.write(unit("cu_1"), unit("cu_2"))
        self.b.write(unit("cu_2", source="other"))
        self.assertEqual((self.a.ids(), self.b.ids()), (["cu_1", "cu_2"], ["cu_2"]))
        with_socket = self.a.socket(self), self.b.socket(self)
        sources = [ask(socket, "node.get", ref="cu_2", include=["record"])["result"]["nodes"][0]["record"]["source"]
                   for socket in with_socket]
        self.assertEqual(sources, ["test", "other"])
        self.assertEqual([client.rpc("server.info")["namespace"] for client in (self.a, self.b)], ["a", "b"])
        self.assertEqual(self.b.call("node.get", ref="cu_1")["error"]["code"], NOT_FOUND)
        repeated = [client.write(unit("cu_3"), idempotency_key="same")["tx"] for client in (self.a, self.b, self.a)]
        self.assertEqual((repeated, self.b.ids()), ([2, 2, 2], ["cu_2", "cu_3"]))

    def test_subscriptions_hear_of_one_namespace(self):
        sockets = self.a.socket(self), self.b.socket(self)
        self.assertEqual([ask(socket, "subscribe", match={}, since=0)["result"]["sub"] for socket in sockets], ["s1", "s1"])
        self.b.write(unit("cu_of_b"))
        self.a.write(unit("cu_of_a"))
        self.assertEqual([heard(socket) for socket in sockets], [["ContextUnit:cu_of_a"], ["ContextUnit:cu_of_b"]])
        self.assertTrue(ask(sockets[0], "unsubscribe", sub="s1")["result"])
        self.b.write(unit("cu_more"))
        self.assertEqual(heard(sockets[1]), ["ContextUnit:cu_more"])
        self.assertEqual([client.rpc("server.info")["tx"] for client in (self.a, self.b)], [1, 2])

    def test_cursors_and_places_to_resume_at_are_of_one_namespace_even_of_a_copy(self):
        self.a.write(*(unit(f"cu_{i}") for i in range(4)))
        self.start_with_copy()
        first = self.a.rpc("node.find", type="ContextUnit", limit=2)
        self.assertEqual(len(self.a.rpc("node.find", cursor=first["cursor"])["nodes"]), 2)
        self.assertEqual(self.b.call("node.find", cursor=first["cursor"])["error"]["code"], CURSOR_INVALID)
        epochs = [client.rpc("server.info")["epoch"] for client in (self.a, self.b)]
        self.assertNotEqual(*epochs)
        for client, epoch, is_taken in ((self.a, epochs[0], True), (self.b, epochs[0], False), (self.b, epochs[1], True)):
            answer = ask(client.socket(self), "subscribe", match={}, since=1, epoch=epoch)
            self.assertEqual("result" in answer, is_taken, answer)

    def test_jobs_and_files_of_exports_are_of_one_namespace_even_of_a_copy(self):
        self.a.write(unit("cu_1"))
        self.start_with_copy()
        job = self.a.rpc("export.start", select="whole", format="jsonl")["job"]
        file = self.finished(self.a, job)
        self.assertEqual((self.a.status(file["url"]), self.b.status(file["url"]), self.root.status(file["url"])), (200, 404, 404))
        for method in ("export.status", "export.cancel"):
            self.assertEqual(self.b.call(method, job=job)["error"]["code"], NOT_FOUND)
        self.assertEqual(self.a.status(file["url"]), 200)
        own = self.finished(self.b, self.b.rpc("export.start", select="whole", format="jsonl")["job"])
        self.assertEqual((self.b.status(own["url"]), self.a.status(own["url"])), (200, 404))

    def test_blobs_and_files_of_discussions_are_of_one_namespace(self):
        text = "one sentence of many, " * 300
        self.a.write(unit("cu_1", content=text))
        path = "/blob/" + hashlib.sha256(text.encode()).hexdigest()
        self.assertEqual([client.get(path)[0] for client in (self.a, self.b, self.root)], [200, 404, 404])
        self.assertEqual(self.a.get(path)[1], text)
        answers = []
        for client in (self.a, self.b):
            client.rpc("discussion.open", userId="ann", discussionId="trees", topic="Trees")
            answers.append(client.call("discussion.write", userId="ann", discussionId="trees"))
        self.assertEqual(["result" in answer for answer in answers], [True, False], answers)  # `b` has no folder
        found = [str(path.relative_to(self.folder)) for path in self.folder.rglob("trees.json")]
        self.assertEqual(found, ["files/ann/trees.json"])

    def test_every_way_in_leads_to_one_namespace(self):
        ways = (("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span()]}]}]}),
                ("/api/v1/lineage", event("run-1")), ("/api/v1/lineage/batch", [event("run-2")]))
        for path, body in ways:
            before = [client.rpc("server.info")["tx"] for client in (self.a, self.b)]
            status, text, _ = self.a.http("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            self.assertIn(status, (200, 201), text)
            after = [client.rpc("server.info")["tx"] for client in (self.a, self.b)]
            self.assertGreater(after[0], before[0], path)
            self.assertEqual(after[1], before[1], path)
            self.assertEqual(self.root.http("POST", path, "{}", {"Content-Type": "application/json"})[0], 404)
        tool = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "record", "arguments": {"agent": "m", "model": "m", "content": "Yes."}}}
        self.assertEqual(self.b.http("POST", "/mcp", json.dumps(tool), {"Content-Type": "application/json"})[0], 200)
        self.assertEqual(self.b.rpc("node.count", type="Response")["count"], 1)
        self.assertEqual(json.loads(self.a.get("/openrpc.json")[1]), self.a.rpc("rpc.discover"))

    def test_metrics_name_the_namespace(self):
        self.a.write(unit("cu_1"))
        of_root, of_a = samples(self.root.get("/metrics")[1]), samples(self.a.get("/metrics")[1])
        self.assertEqual((of_root['whence_tx{namespace="a"}'], of_root['whence_tx{namespace="b"}']), ("1", "0"))
        self.assertEqual(of_root['whence_nodes{namespace="a",type="ContextUnit"}'], "1")
        self.assertIn("whence_connections", of_root)
        self.assertIn("whence_request_memory_bytes", of_root)
        self.assertEqual({name.split("{")[0] for name in of_root if "namespace=" not in name}, PROCESS_METRICS)
        self.assertEqual(set(of_a), {name for name in of_root if 'namespace="a"' in name} | {name for name in of_a if "requests_total" in name})
        heads = [line for line in self.root.get("/metrics")[1].splitlines() if line.startswith("# TYPE")]
        self.assertEqual(len(heads), len(set(heads)))

    def test_readiness_and_health(self):
        self.a.write(unit("cu_1"))
        self.assertEqual(self.root.get("/readyz"), (200, '{"ready":true}'))
        self.assertEqual((self.a.get("/readyz"), self.b.get("/readyz")), ((200, '{"ready":true,"tx":1}'), (200, '{"ready":true,"tx":0}')))
        self.assertEqual((self.root.status("/healthz"), self.a.status("/healthz")), (200, 200))

    def test_a_root_without_a_store_says_where_namespaces_are(self):
        for path in ("/", "/explorer/app.js", "/openrpc.json", "/rpc", "/ws", "/blob/x", "/ns", "/ns/", "/ns/a", "/ns/unknown/", "/ns/unknown/rpc"):
            status, text = self.root.get(path)
            self.assertEqual(status, 404, path)
            self.assertIn("/ns/NAME/", text)
            self.assertNotIn("/ns/a", text)

    def test_no_path_leads_elsewhere(self):
        self.a.write(unit("cu_1"))
        for path in ("/ns/%61/rpc", "/ns/a%2f..%2fb/rpc", "/ns/a/../b/rpc", "/ns/a/./rpc", "/ns//a/rpc", "//ns/a/rpc", "/ns/a//rpc",
                     "/ns/A/rpc", "/NS/a/rpc", "/ns/a/ns/b/rpc", "/ns/../rpc", "/ns/a\\rpc", "/ns/a;/rpc", "/ns/a /rpc", "/ns/-/rpc",
                     "/ns/" + "a" * 64 + "/rpc", "/ns/a/explorer/../rpc", "/ns/a?/rpc", "/ns/a#/rpc", "/ns/\xe4/rpc"):
            self.assertIn(self.raw(path), (400, 404, 405), path)
        for path in ("/ns/a/rpc", "/ns/a/rpc?x=/../b", f"http://{self.server.authority}/ns/a/rpc"):
            self.assertEqual(self.raw(path), 200, path)

    def raw(self, path):
        """The status of `server.info` at a path that no library touches."""
        body = b'{"jsonrpc":"2.0","id":1,"method":"server.info"}'
        head = f"POST {path} HTTP/1.1\r\nHost: {self.server.authority}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        host, port = self.server.authority.split(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(head.encode("latin-1") + body)
            return int(connection.recv(100).split()[1])

    def test_what_was_acknowledged_survives_a_kill(self):
        for turn in range(3):
            self.a.write(unit(f"cu_a{turn}"))
            self.b.write(unit(f"cu_b{turn}"))
            self.server.kill()
            self.start("a", "b")
        self.assertEqual((self.a.ids(), self.b.ids()), (["cu_a0", "cu_a1", "cu_a2"], ["cu_b0", "cu_b1", "cu_b2"]))
        self.assertEqual(self.server.stop(), 0)
        for name in ("a", "b"):
            self.assertEqual(whence("verify", "--db", self.folder / name).returncode, 0)

    def test_the_log_names_the_namespace(self):
        self.assertEqual(self.server.stop(), 0)
        lines = [json.loads(line) for line in self.server.stderr_lines]
        said = [(line["event"], line.get("namespace")) for line in lines]
        self.assertEqual([pair for pair in said if pair[0] in ("serving", "listening", "stopped")],
                         [("serving", "a"), ("serving", "b"), ("listening", None), ("stopped", "a"), ("stopped", "b")])

    def test_a_store_at_the_root_beside_namespaces(self):
        self.a.write(unit("cu_a"))
        self.assertEqual(self.server.stop(), 0)
        self.start("a", "b", db=self.folder / "root")
        self.root.write(unit("cu_root"))
        self.assertEqual([client.ids() for client in (self.root, self.a, self.b)], [["cu_root"], ["cu_a"], []])
        self.assertNotIn("namespace", self.root.rpc("server.info"))
        self.assertEqual(self.root.get("/readyz"), (200, '{"ready":true,"tx":1}'))
        found = samples(self.root.get("/metrics")[1])
        self.assertEqual([found[name] for name in ("whence_tx", 'whence_tx{namespace="a"}', 'whence_tx{namespace="b"}')], ["1", "1", "0"])
        self.assertEqual(self.root.status("/ns/unknown/rpc"), 404)

    def test_the_command_line_takes_the_address_of_a_namespace(self):
        url = self.server.url + "/ns/a"
        put = whence("put", "--url", url, stdin=json.dumps(unit("cu_1")))
        self.assertEqual(put.returncode, 0, put.stderr)
        self.assertEqual((self.a.ids(), self.b.ids()), (["cu_1"], []))
        for more in ("", "/", "/rpc", "/ws"):
            self.assertEqual(json.loads(whence("stats", "--json", "--url", url + more).stdout)["tx"], 1)
        for kind in ("jsonl", "graphml"):
            done = whence("export", "--url", url, "--format", kind, "-o", self.folder / ("out." + kind))
            self.assertEqual(done.returncode, 0, done.stderr)
        watched = whence("watch", "--url", url.replace("http", "ws"), "--since", "0", "--until-caught-up")
        self.assertIn("cu_1", watched.stdout, watched.stderr)
        self.assertNotEqual(whence("stats", "--url", self.server.url).returncode, 0)

    def test_the_page_has_no_address_of_another_place(self):
        page = self.a.get("/")[1]
        self.assertEqual(re.findall(r"""(?:href|src)=["']?/""", page), [])
        sources = Path(__file__).resolve().parents[3] / "tools/explorer/src"
        for file in [*sources.rglob("*.js"), *sources.rglob("*.html"), *sources.rglob("*.css")]:
            text = file.read_text().replace("addressOf('/", "addressOf('")  # which makes it one of this place
            found = re.findall(r"""(?:href|src)=["']?/|["'`(]/(?:explorer|rpc|blob|export)\b|location\.host""", text)
            self.assertEqual(found, [], file.name)


class ManyTest(NamespaceCase):
    def test_ten_namespaces_in_one_process(self):
        names = [f"n-{i}" for i in range(10)]
        server = self.serve(*self.namespaces(*names))
        clients = [Client(server, "/ns/" + name) for name in names]

        def work(number):
            for i in range(20):
                clients[number].write(unit(f"cu_{number}_{i}"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, client in enumerate(clients):
            self.assertEqual(client.ids(), sorted(f"cu_{number}_{i}" for i in range(20)))
            self.assertEqual(client.rpc("server.info")["tx"], 20)
        self.assertEqual(server.stop(), 0)


class StartTest(NamespaceCase):
    def refused(self, words, *args, code=2):
        done = whence("serve", "--listen", "127.0.0.1:0", *args)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)

    def test_what_cannot_be_served_is_refused(self):
        folder = self.folder
        tokens = write_tokens(folder / "tokens", "read secret-1\n")
        (folder / "link").symlink_to(folder / "x")
        self.refused('"A" is not a name', "--namespace", f"A={folder}/x")
        self.refused('"" is not a name', "--namespace", f"={folder}/x")
        self.refused("is not NAME=DIR", "--namespace", "a")
        self.refused("is not NAME=DIR", "--namespace", "a=")
        self.refused("", "--db", "", code=1)
        self.refused("a is given twice", "--namespace", f"a={folder}/x", "--namespace", f"a={folder}/y")
        self.refused("one directory for namespace a and namespace b", "--namespace", f"a={folder}/x", "--namespace", f"b={folder}/y/../x/")
        self.refused("one directory for namespace a and namespace b", "--namespace", f"a={folder}/x", "--namespace", f"b={folder}/link")
        self.refused("one directory for the store of --db and namespace b", "--db", f"{folder}/x", "--namespace", f"b={folder}/x")
        self.refused("the directory of namespace b is in that of namespace a", "--namespace", f"a={folder}/x", "--namespace", f"b={folder}/x/exports")
        self.refused("no namespace is called c", *self.namespaces("a"), "--tokens", f"c={tokens}")
        self.refused("given twice for namespace a", *self.namespaces("a"), "--tokens", f"a={tokens}", "--tokens", f"a={tokens}")
        self.refused("namespace b has none", *self.namespaces("a", "b"), "--tokens", f"a={tokens}")
        self.refused("the store of --db has none", "--db", folder / "x", *self.namespaces("a"), "--tokens", f"a={tokens}")
        self.refused("no store at the root", *self.namespaces("a"), "--files", folder / "files")
        self.refused("one folder for", *self.namespaces("a", "b"), "--files", f"a={folder}/files", "--files", f"b={folder}/files")
        self.refused("more than 64", *self.namespaces(*(f"n{i}" for i in range(65))))
        self.assertFalse((folder / "x").exists() or (folder / "a").exists())

    def test_environment_and_file_name_namespaces_too(self):
        config = self.folder / "config"
        config.write_text(f'namespace = ["a={self.folder}/a", "b={self.folder}/b"]\n')
        server = self.serve("--config", config)
        self.assertEqual([Client(server, "/ns/" + name).status("/readyz") for name in ("a", "b", "c")], [200, 200, 404])
        self.assertEqual(server.stop(), 0)
        server = self.serve(env=clean_env(WHENCE_NAMESPACE=f"c={self.folder}/c"))
        self.assertEqual([Client(server, path).status("/readyz") for path in ("/ns/c", "")], [200, 200])
        self.assertEqual(Client(server, "").status("/openrpc.json"), 404)

    def test_a_store_that_is_held_is_named(self):
        self.serve(*self.namespaces("a"))
        self.refused("namespace a: ", *self.namespaces("b", "a"), code=6)


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
        write_tokens(self.files[name], "\n".join(lines) + "\n")

    def token_flags(self, *names):
        return [flag for name in names for flag in ("--tokens", f"{name}={self.files[name]}")]

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
                self.assertEqual(hello["error"]["code"], UNAUTHENTICATED)
                answers[-1] += (hello,)
        self.assertEqual([answer == answers[0] for answer in answers], [True] * 6, answers)
        self.assertEqual(answers[0][0], 401)

    def test_roles_are_of_one_namespace(self):
        write_tokens(self.files["b"], "read read-b\nadmin both\n")
        write_tokens(self.files["a"], "read both\nwrite write-a\n")
        self.reload()
        for name, role in (("a", "read"), ("b", "admin")):
            answer = self.client(name, "both").call("admin.verify")
            self.assertEqual("result" in answer, role == "admin", answer)
        self.assertEqual(self.client("a", "both").call("records.write", records=[unit("cu_1")])["error"]["code"], FORBIDDEN)

    def reload(self):
        def count():
            return sum('"reloaded"' in line or '"reload_failed"' in line for line in list(self.server.stderr_lines))
        before = count()
        self.server.signal(signal.SIGHUP)
        wait_until(lambda: count() > before, "the reload")
        return json.loads([line for line in self.server.stderr_lines if '"reload' in line][-1])

    def test_a_reload_changes_the_tokens_of_each(self):
        kept, gone = self.client("a", "read-a").socket(self), self.client("b", "read-b").socket(self)
        greeted = self.client("b").socket(self)
        self.assertIn("result", ask(greeted, "session.hello", token="write-b"))
        self.write_tokens("b", "read new-b", "read read-a")
        self.assertEqual(self.reload()["data"], {"tokens_added": 2, "tokens_removed": 3, "tokens": 5})
        for connection in (gone, greeted):
            with self.assertRaises(Closed) as closed:
                connection.receive()
            self.assertEqual(closed.exception.code, POLICY)
        self.assertIn("result", ask(kept, "server.info"))
        for name, token, status in (("b", "read-b", 401), ("b", "new-b", 200), ("a", "new-b", 401), ("a", "read-a", 200), ("b", "read-a", 200)):
            self.assertEqual(self.client(name, token).status("/metrics"), status, (name, token))
        self.write_tokens("a", "emperor x")
        self.write_tokens("b", "read other-b")
        self.assertEqual(self.reload()["event"], "reload_failed")
        self.assertEqual((self.client("b", "other-b").status("/metrics"), self.client("b", "new-b").status("/metrics")), (401, 200))

    def test_names_cannot_be_found_by_trying(self):
        for path in ("/", "/healthz", "/readyz", "/metrics", "/rpc", "/none", "", "/explorer/none.js", "/ws"):
            for token in (None, "wrong"):
                known, unknown = (self.client(name, token).get(path) for name in ("a", "unknown"))
                self.assertEqual(known, unknown, (path, token))
        self.assertEqual((self.client("a").status("/readyz"), self.client("a", "read-a").status("/readyz")), (401, 200))

    def test_what_is_asked_of_no_namespace_is_in_no_metrics(self):
        before = samples(self.client("a", "read-a").get("/metrics")[1])
        for _ in range(3):
            guess = self.client("unknown").socket(self)
            self.assertEqual(ask(guess, "server.info")["error"]["code"], UNAUTHENTICATED)
        self.assertEqual({name for name in before if "requests_total" in name}, set())
        after = samples(self.client("a", "read-a").get("/metrics")[1])
        self.assertEqual({name: value for name, value in after.items() if "request" in name},
                         {name: value for name, value in before.items() if "request" in name})

    def test_the_root_needs_tokens_of_its_own(self):
        root = [Client(self.server, "", token) for token in (None, "admin-a")]
        self.assertEqual([each.status("/readyz") for each in root], [200, 200])
        self.assertEqual([each.status("/metrics") for each in root], [401, 401])
        self.assertEqual([each.status("/rpc") for each in root], [404, 404])
        self.assertEqual(self.server.stop(), 0)
        self.files["root"] = write_tokens(self.folder / "tokens-root", "read read-root\n")
        self.server = self.serve(*self.namespaces("a", "b"), *self.token_flags("a", "b"), "--tokens", self.files["root"])
        self.assertEqual([Client(self.server, "", token).status("/metrics") for token in ("read-root", "read-a")], [200, 401])
        self.assertEqual(self.client("a", "read-root").status("/metrics"), 401)
        self.write_tokens("root", "read other-root")
        self.assertEqual(self.reload()["data"]["tokens_added"], 1)
        self.assertEqual([Client(self.server, "", token).status("/metrics") for token in ("read-root", "other-root")], [401, 200])

    def test_a_token_of_the_root_is_none_of_a_namespace(self):
        self.assertEqual(self.server.stop(), 0)
        self.files["root"] = write_tokens(self.folder / "tokens-root", "admin admin-root\n")
        self.server = self.serve(*self.namespaces("a"), *self.token_flags("a"), "--tokens", self.files["root"], db=self.folder / "root")
        root, a = Client(self.server, "", "admin-root"), self.client("a", "admin-a")
        root.write(unit("cu_root"))
        self.assertEqual((root.ids(), a.ids()), (["cu_root"], []))
        for path, token in (("", "admin-a"), ("/ns/a", "admin-root"), ("/ns/b", "admin-root")):
            self.assertEqual(Client(self.server, path, token).status("/metrics"), 401)
            with self.assertRaises(ConnectionError):
                Client(self.server, path, token).rpc("server.info")
        self.assertEqual([Client(self.server, "", "admin-root").status(path) for path in ("/ns", "/ns/", "/ns/A/rpc")], [404] * 3)
        self.assertEqual([Client(self.server, "").status(path) for path in ("/ns", "/ns/", "/ns/A/rpc")], [401] * 3)


if __name__ == "__main__":
    unittest.main()
