"""Claims: a disk that fails ends writing, and the server says so at `/readyz`, in `/metrics` and once in its log, while reads
go on; a disk that is full, or a file at its size limit, refuses writes and nothing more.

Method: a real server whose `fdatasync` fails, or whose files may not grow.
"""
import json
import os
import tempfile
import unittest
from pathlib import Path

from support import failing_calls
from support.program import RpcError, Server, unit, wait_until, whence

STORAGE_FULL, INTERNAL_ERROR = -32080, -32603


class BrokenStoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = Path(folder.name) / "db"
        with Server(self.db) as server:
            server.rpc("records.write", {"records": [unit("before")]})
            server.stop()

    def refused(self, server, name):
        with self.assertRaises(RpcError) as refused:
            server.rpc("records.write", {"records": [unit(name)]})
        return refused.exception

    def ready(self, server):
        status, body = server.get("/readyz")
        return status, json.loads(body).get("reasons", [])

    def metric(self, server, name):
        lines = server.get("/metrics")[1].decode().splitlines()
        return [line for line in lines if line.startswith(name + " ")]

    def broken(self, server):
        return self.metric(server, "whence_store_broken")

    def full(self, server):
        return self.metric(server, "whence_store_full")

    def check_store(self, names):
        self.assertEqual(whence("verify", "--db", self.db).returncode, 0)
        counted = json.loads(whence("rpc", "node.count", '{"type":"ContextUnit"}', "--db", self.db).stdout)
        self.assertEqual(counted["count"], names)

    def test_a_failed_flush_ends_writing_and_is_said(self):
        prepare = failing_calls.fail("fdatasync")
        if prepare is None:
            self.skipTest("no filter of system calls for this machine")
        with Server(self.db, "--log", "json", prepare=prepare) as server:
            self.assertEqual((self.ready(server), self.broken(server)), ((200, []), ["whence_store_broken 0"]))
            for name in ("a", "b", "c"):
                error = self.refused(server, name)
                self.assertEqual(error.code, INTERNAL_ERROR)
                self.assertIn(os.strerror(5), str(error))
            self.assertEqual((self.ready(server), self.broken(server)), ((503, ["store"]), ["whence_store_broken 1"]))
            self.assertEqual(server.get("/healthz")[0], 200)
            self.assertEqual(server.rpc("node.count", {"type": "ContextUnit"})["count"], 1)
            self.assertEqual(server.stop(), 0)
            lines = [json.loads(line) for line in server.stderr_lines]
        self.assertEqual([line["event"] for line in lines], ["listening", "store_broken", "draining", "stopped"])
        said = [line for line in lines if line["event"] == "store_broken"]
        self.assertEqual([(line["level"], line["component"], line["data"]) for line in said],
                         [("ERROR", "server", {"db": str(self.db), "tx": 1})])
        self.assertIn(os.strerror(5), said[0]["error"])
        self.check_store(1)
        with Server(self.db) as server:
            self.assertEqual(self.ready(server), (200, []))
            server.rpc("records.write", {"records": [unit("after")]})
            self.assertEqual(server.stop(), 0)
        self.check_store(2)

    def test_a_file_size_limit_refuses_writes_until_it_is_lifted(self):
        size = (self.db / "data.mdb").stat().st_size
        for growth in (0, 5000):  # where nothing of the first write fits, and where it is cut short
            with Server(self.db, "--log", "json", prepare=failing_calls.limit_files(size + growth)) as server:
                units = [unit(f"many_{growth}_{i}") for i in range(2000)]
                for _ in range(3):
                    with self.assertRaises(RpcError) as refused:
                        server.rpc("records.write", {"records": units})
                    self.assertEqual(refused.exception.code, STORAGE_FULL)
                self.assertEqual((self.ready(server), self.broken(server)), ((503, ["file_size"]), ["whence_store_broken 0"]))
                self.assertEqual(self.full(server), ["whence_store_full 1"])
                self.assertEqual(server.rpc("node.count", {"type": "ContextUnit"})["count"], 1 if growth == 0 else 2001)
                failing_calls.lift_limit(server.process)
                server.rpc("records.write", {"records": units})
                self.assertEqual((self.ready(server), self.full(server)), ((200, []), ["whence_store_full 0"]))
                self.assertEqual(server.stop(), 0)
                lines = [json.loads(line) for line in server.stderr_lines]
                self.assertEqual([line["event"] for line in lines], ["listening", "writes_refused", "writes_accepted", "draining", "stopped"])
                self.assertEqual(lines[1]["data"], {"db": str(self.db), "reason": "file_size"})
            size = (self.db / "data.mdb").stat().st_size
        self.check_store(1 + 2 * 2000)

    def test_every_verb_that_writes_says_that_there_is_no_room(self):
        folder = self.db.parent
        records = folder / "records.jsonl"
        with records.open("w") as file:
            for i in range(2000):
                file.write(json.dumps({**unit(f"{i}"), "source": os.urandom(100).hex()}) + "\n")
        self.assertEqual(whence("load", records, "--db", folder / "large").returncode, 0)
        self.assertEqual(whence("backup", folder / "backup", "--db", folder / "large").returncode, 0)
        exported = whence("export", "--format", "jsonl", "--db", folder / "large").stdout
        (folder / "all.jsonl").write_text(exported)
        for size, args in ((5_000, ("serve", "--listen", "127.0.0.1:0", "--db", folder / "a")),
                           (5_000, ("load", records, "--db", folder / "b")),
                           (100_000, ("load", records, "--db", folder / "c")),
                           (100_000, ("import", folder / "all.jsonl", "--db", folder / "d")),
                           (100_000, ("restore", folder / "backup", "--db", folder / "e")),
                           (100_000, ("backup", folder / "f", "--db", folder / "large")),
                           (100_000, ("compact", "--db", folder / "large")),
                           (100_000, ("export", "--format", "jsonl", "-o", folder / "g", "--db", folder / "large"))):
            with self.subTest(args):
                done = whence(*args, prepare=failing_calls.limit_files(size))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, "no room|No space left on device|File too large")
        self.assertEqual(whence("verify", "--db", folder / "large").returncode, 0)


if __name__ == "__main__":
    unittest.main()
