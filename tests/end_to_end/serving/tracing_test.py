"""serve --trace-to: spans of the server's own requests; and --metrics-listen: an address for watching alone.

Claim: each request that is traced is one span at the collector, in the client's trace where it names one; a collector that is
slow, refuses or is gone costs no request anything, and what is lost is counted.
"""
import http.client
import json
import re
import socket
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.program import Server, wait_until, whence, write_tokens

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector:
    """Takes OTLP over HTTP and keeps what comes."""

    def __init__(self, status=200):
        self.bodies, collector = [], self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.bodies.append((self.path, self.headers["Content-Type"], json.loads(body)))
                self.send_response(collector.status)
                self.end_headers()

            def log_message(self, *args):
                pass

        self.status = status
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self):
        return [span for _, _, body in list(self.bodies) for group in body["resourceSpans"] for scope in group["scopeSpans"] for span in scope["spans"]]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def call(server, method, params=None, headers=None):
    connection = http.client.HTTPConnection(server.authority, timeout=30)
    connection.request("POST", "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}),
                       {"Content-Type": "application/json", **(headers or {})})
    with connection.getresponse() as response:
        answer = json.loads(response.read())
    connection.close()
    return answer


def counts(server):
    text = server.get("/metrics")[1].decode()
    return {name: int(value) for name, value in re.findall(r'^whence_trace_spans_total\{result="(\w+)"\} (\d+)$', text, re.M)}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def collector(self, **more):
        collector = Collector(**more)
        self.addCleanup(collector.close)
        return collector


class TracingTest(Folder):
    def test_a_request_is_a_span_of_the_clients_trace(self):
        collector = self.collector()
        with Server(self.folder / "db", "--trace-to", collector.url, "--trace-sample", "0") as server:
            before = time.time_ns()
            call(server, "server.info", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
            call(server, "node.get", {"ref": "cu_none"}, headers={"traceparent": f"00-{TRACE}-{PARENT}-03"})
            call(server, "server.info", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})  # the client does not trace it
            call(server, "server.info", headers={"traceparent": f"00-{'0' * 32}-{PARENT}-01"})  # malformed: sampled, at 0
            call(server, "server.info")
            wait_until(lambda: len(collector.spans()) == 2, "two spans")
            self.assertEqual(server.stop(), 0)
        self.assertEqual(len(collector.spans()), 2)
        path, kind, body = collector.bodies[0]
        self.assertEqual((path, kind), ("/v1/traces", "application/json"))
        resource = {each["key"]: each["value"]["stringValue"] for each in body["resourceSpans"][0]["resource"]["attributes"]}
        self.assertEqual(resource["service.name"], "whence")
        good, bad = collector.spans()
        self.assertEqual([good["name"], bad["name"]], ["server.info", "node.get"])
        for span in (good, bad):
            self.assertEqual((span["traceId"], span["parentSpanId"], span["kind"]), (TRACE, PARENT, 2))
            self.assertRegex(span["spanId"], r"^[0-9a-f]{16}$")
            self.assertLessEqual(before - 10**9, int(span["startTimeUnixNano"]))
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            self.assertLessEqual(int(span["endTimeUnixNano"]), time.time_ns() + 10**9)
        self.assertNotEqual(good["spanId"], bad["spanId"])
        self.assertNotIn("status", good)
        self.assertEqual(bad["status"], {"code": 2, "message": "not_found"})
        self.assertIn({"key": "rpc.jsonrpc.error_code", "value": {"intValue": "-32020"}}, bad["attributes"])
        self.assertIn({"key": "rpc.method", "value": {"stringValue": "node.get"}}, bad["attributes"])

    def test_a_share_of_the_rest_is_traced(self):
        collector = self.collector()
        with Server(self.folder / "db", "--trace-to", collector.url, "--trace-sample", "0.5") as server:
            batch = [{"jsonrpc": "2.0", "id": i, "method": "server.info", "params": {}} for i in range(400)]
            server.post(batch)
            wait_until(lambda: counts(server)["sent"] > 0, "spans")
            self.assertEqual(server.stop(), 0)  # what waits is sent
        spans = collector.spans()
        self.assertTrue(100 < len(spans) < 300, len(spans))
        self.assertEqual(len({span["traceId"] for span in spans}), len(spans))
        self.assertTrue(all("parentSpanId" not in span for span in spans))

    def test_one_server_traces_into_another(self):
        with Server(self.folder / "other") as other, Server(self.folder / "db", "--trace-to", other.url + "/v1/traces", "--trace-sample", "1") as server:
            for _ in range(3):
                call(server, "server.info")
            wait_until(lambda: counts(server)["sent"] == 3, "three spans taken")
            taken = other.get("/metrics")[1].decode()
        self.assertIn('whence_capture_spans_total{result="dropped"} 3\n', taken)  # none of a model's
        self.assertIn('whence_capture_rejected_total 0\n', taken)

    def test_a_collector_that_refuses_or_is_gone_is_told_once(self):
        collector = self.collector(status=503)
        with Server(self.folder / "db", "--trace-to", collector.url, "--trace-sample", "1") as server:
            call(server, "server.info")
            wait_until(lambda: counts(server)["failed"] == 1, "a failure")
            call(server, "server.info")
            wait_until(lambda: counts(server)["failed"] >= 2, "another")
            collector.status = 200
            call(server, "server.info")
            wait_until(lambda: counts(server)["sent"] >= 1, "a success")
            wait_until(lambda: any("traces_sent" in line for line in server.stderr_lines), "the line")
            self.assertEqual(sum("traces_lost" in line and "HTTP 503" in line for line in server.stderr_lines), 1)

    def test_a_collector_that_hangs_holds_up_nobody(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"
            with Server(self.folder / "db", "--trace-to", url, "--trace-sample", "1") as server:
                batch = [{"jsonrpc": "2.0", "id": i, "method": "server.info", "params": {}} for i in range(1_000)]
                for _ in range(6):
                    self.assertEqual(len(server.post(batch)), 1_000)
                wait_until(lambda: counts(server)["dropped"] > 0, "what finds the queue full is dropped")

                def lost():  # to a full queue, or with a request that nobody answered in time
                    return sum(counts(server)[result] for result in ("dropped", "failed"))

                wait_until(lambda: lost() >= 6_000 - 4_096 - 512, "no more wait than the queue and one request hold")
                begun = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - begun, 25)

    def test_addresses_that_are_none(self):
        for url in ("https://127.0.0.1/v1/traces", "127.0.0.1:4318", "http://", "http://h:0/", "http://h:99999/", "http://u@h/", "http://h/a b"):
            done = whence("serve", "--db", self.folder / "db", "--trace-to", url)
            self.assertEqual((done.returncode, "--trace-to" in done.stderr), (2, True), url)
        self.assertEqual(whence("serve", "--db", self.folder / "db", "--trace-sample", "2").returncode, 2)


class MetricsAddressTest(Folder):
    def serve(self, *args):
        server = Server(self.folder / "db", "--metrics-listen", "127.0.0.1:0", *args)
        self.addCleanup(server.stop)
        line = next(line for line in server.stdout_lines if line.startswith("metrics on "))
        return server, re.fullmatch(r"metrics on http://(127\.0\.0\.1:\d+)/metrics\n", line)[1]

    def get(self, authority, path, method="GET", headers=None):
        connection = http.client.HTTPConnection(authority, timeout=30)
        connection.request(method, path, headers=headers or {})
        try:
            with connection.getresponse() as response:
                return response.status, response.read().decode()
        finally:
            connection.close()

    def test_it_is_for_watching_alone(self):
        server, watching = self.serve()
        self.assertNotEqual(watching, server.authority)
        self.assertIn("whence_tx 0\n", self.get(watching, "/metrics")[1])
        self.assertEqual(self.get(watching, "/healthz")[0], 200)
        self.assertEqual(self.get(watching, "/readyz")[0], 200)
        for path in ("/", "/openrpc.json", "/explorer/index.html", "/export/a/b", "/ws", "/bolt", "/blob/" + "0" * 64):
            self.assertEqual(self.get(watching, path)[0], 404, path)
        self.assertEqual(self.get(watching, "/rpc", "POST", {"Content-Type": "application/json", "Content-Length": "0"})[0], 404)
        self.assertEqual(self.get(server.authority, "/metrics")[0], 200)
        self.assertEqual(self.get(watching, "/metrics", headers={"Host": "rebound.example"})[0], 403)

    def test_it_asks_for_the_tokens_of_the_server(self):
        tokens = write_tokens(self.folder / "tokens", "read secret\n")
        _, watching = self.serve("--tokens", tokens)
        self.assertEqual(self.get(watching, "/metrics")[0], 401)
        self.assertEqual(self.get(watching, "/metrics", headers={"Authorization": "Bearer secret"})[0], 200)
        self.assertEqual(self.get(watching, "/rpc", "POST")[0], 401)
        self.assertEqual(self.get(watching, "/healthz")[0], 200)

    def test_addresses_that_are_refused(self):
        for address, says in (("0.0.0.0:0", "loopback"), ("nowhere", "--metrics-listen"), ("127.0.0.1:99999", "--metrics-listen")):
            done = whence("serve", "--db", self.folder / "db", "--listen", "127.0.0.1:0", "--metrics-listen", address)
            self.assertEqual((done.returncode, says in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
