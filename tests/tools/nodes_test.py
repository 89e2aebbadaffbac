"""Verbs with several addresses: which one is asked, what is repeated, and what is said when none answers.

`FakeNode` is a node that fails in ways that a real one rarely does; `tests/end_to_end/replicated` has real nodes.
"""
import http.server
import json
import tempfile
import threading
import unittest

from records import unit
from whence_e2e import Server, clean_env, free_ports, whence

EPOCH = "epoch-1"
BUSY = {"code": -32051, "message": "the server is shutting down", "data": {"retry_after_ms": 1}}


def away():
    """An address where nobody listens."""
    return "http://127.0.0.1:%d" % free_ports(1)[0]


class FakeNode:
    """Answers `server.info`; other requests as `answer(request)` says: a result, an error under "error", or nothing: it hangs up."""

    def __init__(self, answer, epoch=EPOCH, tx=5):
        node, self.seen = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if request["method"] == "server.info":
                    answered = {"epoch": epoch, "tx": tx}
                else:
                    node.seen.append(request)
                    answered = answer(request)
                if answered is None:
                    return
                body = json.dumps({"jsonrpc": "2.0", "id": 1} | (answered if "error" in answered else {"result": answered})).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def sent(self, method):
        return [request["params"] for request in self.seen if request["method"] == method]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def ok(request):
    return {"tx": 6, "refs": []}


def hangs_up(request):
    return None


def is_busy(request):
    return {"error": BUSY}


class NodesTest(unittest.TestCase):
    def nodes(self, *answers, **options):
        nodes = [FakeNode(answer, **options) for answer in answers]
        for node in nodes:
            self.addCleanup(node.stop)
        return nodes

    def test_the_first_that_answers_is_asked(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            server.rpc("records.write", {"records": [unit("a")]})
            gone = away()
            for args, env in ((["--url", f"{gone},{server.url}"], {}), (["--url", gone, "--url", server.url], {}),
                              ([], {"WHENCE_URL": f"{gone}, {server.url}"})):
                done = whence("count", "ContextUnit", "--json", *args, env=clean_env(**env))
                self.assertEqual((done.returncode, json.loads(done.stdout)["count"]), (0, 1), done.stderr)
            done = whence("watch", "--since", "0", "--until-caught-up", "--json", "--url", f"{gone},{server.url}")
            self.assertEqual((done.returncode, json.loads(done.stdout)["ref"]), (0, "ContextUnit:cu_a"), done.stderr)
            done = whence("export", "--format", "jsonl", "--url", f"{gone},{server.url}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("cu_a", done.stdout)

    def test_a_list_with_something_else_in_it_is_wrong_usage(self):
        self.assertEqual(whence("stats", "--url", f"{away()},nonsense").returncode, 2)

    def test_the_error_says_what_each_said(self):
        urls = [away(), away()]
        for verb in (["stats"], ["watch"], ["export", "--format", "jsonl"]):
            done = whence(*verb, "--url", ",".join(urls))
            self.assertEqual((done.returncode, done.stdout), (6, ""), done.stderr)
            for url in urls:
                self.assertIn(url.removeprefix("http://"), done.stderr)

    def test_a_read_goes_on_at_the_next(self):
        for answer in (hangs_up, is_busy):
            a, b = self.nodes(answer, ok)
            self.assertEqual(whence("rpc", "node.count", '{"type":"Topic"}', "--url", f"{a.url},{b.url}").returncode, 0)
            self.assertEqual([len(a.seen), len(b.seen)], [1, 1])

    def test_a_write_goes_on_under_its_key(self):
        for more in ([], ["--idempotency-key", "mine"]):
            a, b = self.nodes(hangs_up, ok)
            done = whence("put", *more, "--url", f"{a.url},{b.url}", stdin=json.dumps(unit("a")))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(a.sent("records.write"), b.sent("records.write"))
            self.assertTrue(b.sent("records.write")[0]["idempotency_key"])

    def test_a_write_without_a_key_is_not_sent_twice(self):
        for answer in (hangs_up, is_busy):
            a, b = self.nodes(answer, ok)
            done = whence("rpc", "records.delete", '{"refs":["cu_a"]}', "--url", f"{a.url},{b.url}")
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertEqual(b.seen, [])
            self.assertIn("records.delete may have been carried out", done.stderr)

    def test_a_load_goes_on_and_leaves_a_node_of_another_graph_alone(self):
        answers = []

        def once(request):
            answers.append(request)
            return ok(request) if len(answers) < 2 else None

        a, = self.nodes(once)
        b, = self.nodes(ok, epoch="other")
        c, = self.nodes(ok)
        lines = "".join(json.dumps({"records": [unit(str(i))]}) + "\n" for i in range(3))
        done = whence("load", "-", "--url", ",".join(node.url for node in (a, b, c)), stdin=lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([len(a.seen), len(b.seen), len(c.seen)], [2, 0, 2])
        self.assertEqual(a.sent("records.write")[1], c.sent("records.write")[0])

    def test_pages_have_what_was_seen(self):
        def first_page(request):
            if "cursor" in request["params"]:
                return None
            return {"tx": 17, "complete": False, "cursor": "next", "nodes": []}

        a, b = self.nodes(first_page, lambda request: {"tx": 17, "complete": True, "nodes": []})
        done = whence("find", "Topic", "--json", "--url", f"{a.url},{b.url}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(each["method"], each["params"].get("min_tx")) for each in b.seen],
                         [("node.count", 17), ("node.find", None)])


if __name__ == "__main__":
    unittest.main()
