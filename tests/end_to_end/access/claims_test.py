"""Claims: a client certificate and the word of a trusted proxy are taken in the place of a token, with the role of their line or the
one given, over HTTP, WebSocket and Bolt; from anybody else headers of a proxy are refused; what is written has the name that was
shown, and no name that a client gives itself.

Method: an authority made with openssl, a server, connections with and without what it asks for. 127.0.0.0/8 is one machine, so that
a client has an address that is trusted and one that is not.
"""
import http.client
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support.bolt import Bolt
from support.program import Server, clean_env, wait_until, whence, write_private, write_tokens
from support.raw_websocket import WebSocket

UNAUTHORIZED = "Neo.ClientError.Security.Unauthorized"


class ClaimsCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tokens = self.folder / "tokens"

    def serve(self, *args, **more):
        server = Server(self.folder / "db", "--tokens", self.tokens, "--bolt", "127.0.0.1:0", "--log", "json", *args, **more)
        self.addCleanup(server.kill)
        self.bolt = next(line for line in server.stdout_lines if "Bolt" in line).split("//")[1].strip()
        return server

    def events(self, server, name):
        return [line for line in map(json.loads, list(server.stderr_lines)) if line["event"] == name]

    def ask(self, connection, method, params=None, headers=None):
        """Status and answer of a call."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        connection.request("POST", "/rpc", body, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text)

    def write_topic(self, connection, id, headers=None):
        topic = {"$type$": "Topic", "id": id, "createdAt": 1}
        return self.ask(connection, "records.write", {"records": [topic]}, headers)

    def author_of(self, connection, id, headers=None):
        status, answer = self.ask(connection, "history.get", {"ref": "Topic:" + id}, headers)
        self.assertEqual(status, 200)
        return answer["result"]["events"][0].get("who")


@unittest.skipIf(shutil.which("openssl") is None, "no openssl program")
class CertificateTest(ClaimsCase):
    def openssl(self, *args, stdin=None):
        subprocess.run(["openssl", *map(str, args)], cwd=self.folder, check=True, capture_output=True, input=stdin)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", name + ".key",
                     "-out", name + ".pem", "-days", "2", "-subj", "/CN=" + name)
        (self.folder / (name + ".key")).chmod(0o600)

    def certificate(self, authority, name, *alternative):
        """A context of a client with such a certificate."""
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "client.key", "-out",
                     "client.csr", "-subj", "/CN=" + name)
        (self.folder / "ext").write_text("subjectAltName=" + ",".join(alternative) if alternative else "basicConstraints=CA:FALSE")
        self.openssl("x509", "-req", "-in", "client.csr", "-CA", authority + ".pem", "-CAkey", authority + ".key", "-CAcreateserial",
                     "-out", "client.pem", "-days", "1", "-extfile", "ext")
        return self.context("client.pem", "client.key")

    def context(self, cert=None, key=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if cert:
            context.load_cert_chain(self.folder / cert, self.folder / key)
        return context

    def https(self, server, context):
        connection = http.client.HTTPSConnection(server.authority, timeout=60, context=context)
        self.addCleanup(connection.close)
        return connection

    def test_certificates(self):
        self.authority("ours")
        self.authority("theirs")
        shutil.copy(self.folder / "ours.pem", self.folder / "ca.pem")
        write_tokens(self.tokens, "certificate:indexer.example.org role=write name=indexer\ncertificate:Ann%20B role=read\n"
                                  "certificate:gone role=admin revoked=2026-01-01T00:00:00Z\nadmin plain-token\n")
        server = self.serve("--tls-cert", self.folder / "ours.pem", "--tls-key", self.folder / "ours.key", "--tls-client-ca",
                            self.folder / "ca.pem")
        nobody = self.https(server, self.context())
        self.assertEqual(self.ask(nobody, "server.info")[0], 401)
        token = {"Authorization": "Bearer plain-token"}
        self.assertEqual(self.ask(nobody, "server.info", headers=token)[0], 200)
        by_dns_context = self.certificate("ours", "anything", "DNS:indexer.example.org")
        by_dns = self.https(server, by_dns_context)
        self.assertIn("result", self.write_topic(by_dns, "t1")[1])
        self.assertEqual(self.author_of(by_dns, "t1"), "indexer")
        self.assertEqual(self.ask(by_dns, "admin.verify")[1]["error"]["code"], -32011)
        self.assertEqual(self.ask(by_dns, "admin.verify", headers=token)[1]["result"]["ok"], True)  # a token goes first
        self.assertEqual(self.ask(by_dns, "server.info", headers={"Authorization": "Bearer wrong"})[0], 401)
        by_name = self.https(server, self.certificate("ours", "Ann B"))
        self.assertIn("result", self.ask(by_name, "server.info")[1])
        self.assertEqual(self.write_topic(by_name, "t2")[1]["error"]["code"], -32011)
        for name in ("gone", "stranger"):
            self.assertEqual(self.ask(self.https(server, self.certificate("ours", name)), "server.info")[0], 401, name)
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.ask(self.https(server, self.certificate("theirs", "indexer.example.org")), "server.info")
        driver = Bolt(self.bolt, by_dns_context)
        self.assertIsNone(driver.log_on("none"))
        self.assertIsNone(driver.run("whence"))
        stranger = Bolt(self.bolt, self.certificate("ours", "stranger"))
        self.assertEqual(stranger.log_on("none"), UNAUTHORIZED)
        stranger.close()
        # Other authorities: connections with a certificate end, those without stay.
        shutil.copy(self.folder / "theirs.pem", self.folder / "ca.pem")
        server.signal(signal.SIGHUP)
        wait_until(lambda: self.events(server, "reloaded"), "the reload")
        self.assertTrue(driver.ends())
        with self.assertRaises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            by_dns.auto_open = False
            self.ask(by_dns, "server.info")
        self.assertEqual(self.ask(nobody, "server.info", headers=token)[0], 200)
        self.assertIn("result", self.ask(self.https(server, self.certificate("theirs", "indexer.example.org")), "server.info")[1])
        self.assertEqual(server.stop(), 0)
        self.assertNotIn("plain-token", "".join(server.stderr_lines))

    def revoke(self, authority, *certificates):
        """Writes the authority's list, `crl.pem`, with these certificates in it."""
        (self.folder / "index.txt").touch()
        (self.folder / "ca.cnf").write_text(f"[ca]\ndefault_ca=a\n[a]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=1\n"
                                            f"private_key={authority}.key\ncertificate={authority}.pem\n")
        for each in certificates:
            self.openssl("ca", "-config", "ca.cnf", "-revoke", each)
        self.openssl("ca", "-config", "ca.cnf", "-gencrl", "-out", "crl.pem")

    def keep(self, name):
        """The certificate made last, under names of its own."""
        for end in ("pem", "key"):
            shutil.copy(self.folder / f"client.{end}", self.folder / f"{name}.{end}")
        (self.folder / f"{name}.key").chmod(0o600)

    def serve_with_list(self, *args):
        write_private(self.tokens, "certificate:ann role=write\ncertificate:ben role=write\n")
        return self.serve("--tls-cert", self.folder / "server.pem", "--tls-key", self.folder / "server.key", "--tls-client-ca",
                          self.folder / "ours.pem", "--tls-client-crl", self.folder / "crl.pem", *args)

    def make_all(self):
        self.authority("ours")
        for name in ("ann", "ben"):
            self.certificate("ours", name)
            self.keep(name)
        self.certificate("ours", "localhost", "IP:127.0.0.1")
        self.keep("server")
        self.revoke("ours")

    def test_a_revoked_certificate_is_refused(self):
        self.make_all()
        server = self.serve_with_list()
        ann, ben = (self.context(name + ".pem", name + ".key") for name in ("ann", "ben"))
        of_ann, of_ben = self.https(server, ann), self.https(server, ben)
        for open_one in (of_ann, of_ben):
            self.assertIn("result", self.ask(open_one, "server.info")[1])
        driver = Bolt(self.bolt, ann)
        self.assertIsNone(driver.log_on("none"))
        self.revoke("ours", "ann.pem")
        server.signal(signal.SIGHUP)
        wait_until(lambda: self.events(server, "reloaded"), "the reload")
        # Open connections with a certificate end; ben comes again, ann does not.
        self.assertTrue(driver.ends())
        with self.assertRaises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            of_ann.auto_open = False
            self.ask(of_ann, "server.info")
        self.assertIn("result", self.ask(self.https(server, ben), "server.info")[1])
        for connect in (lambda: self.ask(self.https(server, ann), "server.info"), lambda: Bolt(self.bolt, ann).log_on("none")):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                connect()
        wait_until(lambda: len(self.events(server, "refused")) >= 2, "the lines")
        line = self.events(server, "refused")[0]
        self.assertEqual((line["component"], line["data"]["what"], line["data"]["peer"]), ("access", "TLS", "127.0.0.1"))
        self.assertEqual(line["error"], "the certificate of ann: certificate revoked")
        # A list that is broken leaves all as it was; one of nobody's authority lets nobody in.
        (self.folder / "crl.pem").write_text("no list\n")
        server.signal(signal.SIGHUP)
        wait_until(lambda: self.events(server, "reload_failed"), "the failure")
        self.assertIn("crl.pem", self.events(server, "reload_failed")[0]["error"])
        self.assertIn("result", self.ask(self.https(server, ben), "server.info")[1])
        self.authority("theirs")
        (self.folder / "index.txt").unlink()
        self.revoke("theirs")
        server.signal(signal.SIGHUP)
        wait_until(lambda: len(self.events(server, "reloaded")) == 2, "the reload")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.ask(self.https(server, ben), "server.info")
        wait_until(lambda: any("unable to get certificate CRL" in each["error"] for each in self.events(server, "refused")), "the reason")
        self.assertEqual(self.ask(self.https(server, self.context()), "server.info")[0], 401)  # without one there is nothing to look up

    def test_programs_show_certificates(self):
        self.make_all()
        server = self.serve_with_list()
        trusted = clean_env(SSL_CERT_FILE=str(self.folder / "ours.pem"))
        url = "https://" + server.authority
        show = lambda name: ("--client-cert", self.folder / f"{name}.pem", "--client-key", self.folder / f"{name}.key")  # noqa: E731
        topic = self.folder / "topic.json"
        topic.write_text('{"$type$": "Topic", "id": "t", "createdAt": 1}\n')
        done = whence("load", topic, "--url", url, *show("ann"), env=trusted)
        self.assertEqual((done.returncode, done.stderr), (0, done.stderr), done.stderr)
        done = whence("rpc", "history.get", '{"ref": "Topic:t"}', "--url", url, *show("ben"), env=trusted)
        self.assertIn('"who":"ann"', done.stdout.replace(" ", ""), done.stderr)
        watched = whence("watch", "--since", "0", "--until-caught-up", "--url", url.replace("https", "wss"), *show("ben"), env=trusted)
        self.assertIn("Topic:t", watched.stdout, watched.stderr)
        by_environment = {**trusted, "WHENCE_CLIENT_CERT": str(self.folder / "ann.pem"), "WHENCE_CLIENT_KEY": str(self.folder / "ann.key")}
        self.assertEqual(whence("get", "Topic:t", "--url", url, env=by_environment).returncode, 0)
        self.assertEqual(whence("get", "Topic:t", "--url", url, env=trusted).returncode, 1)  # without one
        for args, says in ((("--client-cert", self.folder / "ann.pem"), "given together"),
                           ((*show("none"),), "--client-cert: "),
                           (("--client-cert", self.folder / "ann.pem", "--client-key", self.folder / "ben.key"), "key values mismatch"),
                           (("--client-cert", self.folder / "ann.pem", "--client-key", self.loose("ann.key")), "chmod")):
            done = whence("get", "Topic:t", "--url", url, *args, env=trusted)
            self.assertEqual((done.returncode, says in done.stderr), (2, True), done.stderr)
        self.revoke("ours", "ann.pem")
        server.signal(signal.SIGHUP)
        wait_until(lambda: self.events(server, "reloaded"), "the reload")
        done = whence("get", "Topic:t", "--url", url, *show("ann"), env=trusted)
        self.assertEqual((done.returncode, "revoked" in done.stderr), (6, True), done.stderr)
        self.check_python(url, "ben", "ann")

    def loose(self, key):
        path = self.folder / ("loose-" + key)
        shutil.copy(self.folder / key, path)
        path.chmod(0o644)
        return path

    def check_python(self, url, good, revoked):
        sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools" / "python"))
        import whence as client
        context = ssl.create_default_context(cafile=str(self.folder / "ours.pem"))
        context.load_cert_chain(self.folder / f"{good}.pem", self.folder / f"{good}.key")
        with client.connect(url, ssl=context) as db:
            self.assertEqual(db.node.count("Topic")["count"], 1)
            db.record(agent="a", model="m", id="resp_of_certificate")
            self.assertEqual(db.flush()["written"], 1)
            watch = db.watch(since=0)
            self.assertEqual(next(iter(watch))["ref"], "Topic:t")
            watch.close()
        context.load_cert_chain(self.folder / f"{revoked}.pem", self.folder / f"{revoked}.key")
        with self.assertRaises(client.ConnectionLost):
            client.connect(url, ssl=context, timeout=10)

    def test_a_role_for_all_certificates(self):
        self.authority("ours")
        write_tokens(self.tokens, "admin plain-token\ncertificate:banned role=read revoked=2026-01-01T00:00:00Z\n")
        server = self.serve("--tls-cert", self.folder / "ours.pem", "--tls-key", self.folder / "ours.key", "--tls-client-ca",
                            self.folder / "ours.pem", "--tls-client-role", "write")
        anybody = self.https(server, self.certificate("ours", "Somebody New"))
        self.assertIn("result", self.write_topic(anybody, "t")[1])
        self.assertEqual(self.author_of(anybody, "t"), "Somebody New")
        self.assertEqual(self.ask(self.https(server, self.certificate("ours", "banned")), "server.info")[0], 401)


class ProxyTest(ClaimsCase):
    def connect(self, server, source):
        connection = http.client.HTTPConnection(server.authority, timeout=60, source_address=(source, 0))
        self.addCleanup(connection.close)
        return connection

    def test_a_proxy_says_who_it_is(self):
        write_tokens(self.tokens, "admin plain-token\nuser:ann@example.org role=write name=ann\n"
                                  "user:gone role=admin revoked=2026-01-01T00:00:00Z\n")
        server = self.serve("--trust-proxy", "127.0.0.2", "--trust-proxy", "127.0.8.0/24")
        proxy, stranger = self.connect(server, "127.0.0.2"), self.connect(server, "127.0.0.3")
        user = lambda name, role="": {"X-Forwarded-User": name, "X-Whence-Role": role}  # noqa: E731
        self.assertIn("result", self.write_topic(proxy, "t1", user("ann@example.org"))[1])
        self.assertEqual(self.author_of(proxy, "t1", user("ann@example.org")), "ann")
        # The line goes before the header, also where it is revoked.
        self.assertEqual(self.ask(proxy, "admin.verify", None, user("ann@example.org", "admin"))[1]["error"]["code"], -32011)
        self.assertEqual(self.ask(proxy, "server.info", None, user("gone", "admin"))[0], 401)
        self.assertEqual(self.ask(proxy, "admin.verify", None, user("carl", "admin"))[1]["result"]["ok"], True)
        self.assertIn("result", self.ask(self.connect(server, "127.0.8.9"), "server.info", None, user("carl", "read"))[1])
        for wrong in (user("carl"), user("", "admin"), user("carl", "emperor"), user("a" * 300, "read")):
            self.assertEqual(self.ask(proxy, "server.info", None, wrong)[0], 401, wrong)
        # A person goes before the token of whoever is in front; without one the proxy is a client as any other.
        token = {"Authorization": "Bearer plain-token"}
        self.assertEqual(self.ask(proxy, "admin.verify", None, {**user("carl", "read"), **token})[1]["error"]["code"], -32011)
        self.assertEqual(self.ask(proxy, "server.info", None, {**user(""), **token})[0], 200)
        self.assertEqual(self.ask(proxy, "server.info")[0], 401)
        # A forged header helps nobody, nor does it beside a token.
        for forged in (user("carl", "admin"), {**user("carl", "admin"), **token}, {"x-whence-role": "admin", **token}):
            self.assertEqual(self.ask(stranger, "server.info", None, forged)[0], 403)
        self.assertEqual(self.ask(stranger, "server.info", None, token)[0], 200)
        wait_until(lambda: len(self.events(server, "refused")) >= 3, "lines about refusals")
        self.check_websockets(server)

    def check_websockets(self, server):
        class Behind(WebSocket):
            headers, source = "", "127.0.0.2"

            def _shake_hands(self, authority, token, path="/ws"):
                self._socket.close()
                host, port = authority.rsplit(":", 1)
                self._socket = socket.create_connection((host, int(port)), 60, (self.source, 0))
                self._socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                      f"{self.headers}\r\n").encode())
                while b"\r\n\r\n" not in self._bytes:
                    self._read_some(time.monotonic() + 60)
                head, _, rest = bytes(self._bytes).partition(b"\r\n\r\n")
                self.head, self._bytes = head.decode(), bytearray(rest)

        Behind.headers = "X-Forwarded-User: dora\r\nX-Whence-Role: write\r\n"
        connection = Behind(server.authority)
        self.addCleanup(connection.close)
        # What a client calls itself is beside its name, not in its place.
        connection.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.hello", "params": {"client": "admin ann"}}))
        connection.receive()
        topic = {"$type$": "Topic", "id": "t2", "createdAt": 1}
        connection.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "records.write", "params": {"records": [topic]}}))
        self.assertIn("result", json.loads(connection.receive()))
        connection.send(json.dumps({"jsonrpc": "2.0", "id": 3, "method": "history.get", "params": {"ref": "Topic:t2"}}))
        [event] = json.loads(connection.receive())["result"]["events"]
        self.assertEqual((event["who"], event["actor"]), ("dora", "write admin ann"))
        Behind.source = "127.0.0.3"
        refused = Behind(server.authority)
        self.addCleanup(refused.close)
        self.assertIn(" 403 ", refused.head)

    def test_what_would_be_open_does_not_start(self):
        write_tokens(self.tokens, "admin plain-token\n")
        for args, words in [(["--trust-proxy", "127.0.0.1"], "needs --tokens"),
                            (["--tls-cert", "c", "--tls-key", "k", "--tls-client-ca", "ca"], "needs --tokens"),
                            (["--tls-client-ca", "ca", "--tokens", self.tokens], "needs --tls-cert"),
                            (["--tls-client-crl", "crl", "--tokens", self.tokens], "needs --tls-client-ca"),
                            (["--tls-client-role", "read", "--tokens", self.tokens], "needs --tls-client-ca"),
                            (["--trust-proxy", "example.org", "--tokens", self.tokens], "ADDRESS/BITS"),
                            (["--trust-proxy", "127.0.0.1", "--tokens", self.tokens, "--proxy-user-header", "Host"], "Host")]:
            done = whence("serve", "--db", self.folder / "db", "--listen", "127.0.0.1:0", *args)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)


class AuthorTest(ClaimsCase):
    def test_everything_that_is_written_has_its_name(self):
        write_private(self.tokens, "".join(f"user:{name} role={role}\n" for name, role in
                                           [("ann", "admin"), ("bob", "write"), ("eve", "write")]))
        server = self.serve("--trust-proxy", "127.0.0.1", "--files", self.folder / "files")
        connection = http.client.HTTPConnection(server.authority, timeout=60)
        self.addCleanup(connection.close)

        def post(path, body, who):
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", "X-Forwarded-User": who})
            answer = connection.getresponse()
            text = answer.read().decode()
            self.assertEqual(answer.status, 200, text)
            return text

        def who_wrote(ref):
            _, answer = self.ask(connection, "history.get", {"ref": ref}, {"X-Forwarded-User": "ann"})
            return [(event.get("who"), event.get("actor")) for event in answer["result"]["events"]]

        span = {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "name": "chat m",
                "startTimeUnixNano": "1760000000000000000", "endTimeUnixNano": "1760000001000000000",
                "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in
                               {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages":
                                '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'}.items()]}
        post("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}, "bob")
        _, found = self.ask(connection, "node.find", {"type": "Response"}, {"X-Forwarded-User": "ann"})
        self.assertEqual(who_wrote(found["result"]["nodes"][0]["ref"]), [("bob", "otlp")])
        run = {"eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "producer": "https://example.org/p",
               "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json", "run": {"runId": "01941f29-7c00-7e52-8bd6-a4d6ac1e6f10"},
               "job": {"namespace": "n", "name": "j"}, "inputs": [], "outputs": [{"namespace": "n", "name": "t"}]}
        post("/api/v1/lineage", run, "eve")
        _, found = self.ask(connection, "node.find", {"type": "ProvActivity"}, {"X-Forwarded-User": "ann"})
        self.assertIn([("eve", "openlineage")], [who_wrote(node["ref"]) for node in found["result"]["nodes"]])
        tool = {"name": "record", "arguments": {"agent": "a", "model": "m", "content": "Yes."}}
        said = json.loads(post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}, "eve"))["result"]
        self.assertEqual(who_wrote(said["structuredContent"]["ref"]), [("eve", "write")])
        _, answer = self.ask(connection, "discussion.open", {"userId": "u", "discussionId": "d", "topic": "x"},
                             {"X-Forwarded-User": "bob"})
        self.assertIn("result", answer)
        self.assertEqual(who_wrote("Discussion:u/d")[0][0], "bob")


if __name__ == "__main__":
    unittest.main()
