"""Claim: whoever goes away leaves no work behind, and no number of connections of one address holds up others or the end.
Method: queries that would take hours, over HTTP and MCP, from connections that are closed, or kept; then a short query, a large write,
telemetry and MCP by somebody else."""
import json
import socket
import tempfile
import time
import unittest

from attack import Server, request, response, unit, wait_until

ENDLESS = "UNWIND range(1,4000000) AS a UNWIND range(1,4000000) AS b WITH a,b WHERE a < 0 RETURN 1"
LONG = "UNWIND range(1,200000) AS a RETURN sum(a)"
MANY = 12
SOON_S = 10  # or twenty times of what it takes alone, on a slow machine


def post(server, path, message):
    body = json.dumps(message).encode()
    host, port = server.authority.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.sendall(b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                       % (path.encode(), server.authority.encode(), len(body), body))
    return connection


def endless_rpc():
    return "/rpc", request("query", cypher=ENDLESS, timeout_ms=31_536_000_000)


def endless_mcp():
    call = request("tools/call", name="query", arguments={"cypher": ENDLESS})
    return "/mcp", [{**call, "id": i} for i in range(100)]


class WorkersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Server(folder.name + "/db")
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.server.rpc("records.write", {"records": [unit(1), response(1, [1])]})
        self.alone = self.time_of_service()

    def running(self):
        lines = self.server.get("/metrics")[1].decode().splitlines()
        found = [line for line in lines if line.startswith("whence_worker_tasks") and "running" in line]
        self.assertEqual(len(found), 1, "the metric of tasks that run")
        return float(found[0].split()[-1])

    def time_of_service(self):
        begin = time.monotonic()
        self.assertEqual(len(self.server.rpc("query", {"cypher": "MATCH (n:Response) RETURN n.id"})["rows"]), 1)
        self.server.rpc("query", {"cypher": LONG})
        self.server.rpc("records.write", {"records": [unit(1000 + i, content="x" * 100) for i in range(600)]})
        for path in ("/mcp", "/v1/traces"):
            message = request("ping") if path == "/mcp" else {}
            answer = post(self.server, path, message)
            answer.settimeout(60)
            self.assertIn(b" 200 ", answer.recv(100))
            answer.close()
        return time.monotonic() - begin

    def served(self):
        self.assertLess(self.time_of_service(), max(SOON_S, 20 * self.alone))

    def test_closing_ends_the_work(self):
        for endless in (endless_rpc, endless_mcp):
            with self.subTest(endless.__name__):
                connections = [post(self.server, *endless()) for _ in range(MANY)]
                wait_until(lambda: self.running() > 0, "they run")
                for connection in connections:
                    connection.close()
                wait_until(lambda: self.running() == 0, "nothing of them runs")
                self.served()

    def test_others_go_on_beside_work_that_is_kept(self):
        connections = [post(self.server, *endless()) for endless in (endless_rpc, endless_mcp) for _ in range(MANY // 2)]
        wait_until(lambda: self.running() >= 3, "they run")
        self.served()
        begin = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - begin, 60)
        for connection in connections:
            connection.close()


if __name__ == "__main__":
    unittest.main()
