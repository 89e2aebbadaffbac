"""Claim: no verb loses what a server acknowledged, gives a name to what is damaged, or writes outside of what it was told.
Method: verbs raced against a server of the same store; copies with flipped bytes; a server that names files."""
import hashlib
import json
import signal
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from attack import Server, wait_until
from support.program import WHENCE, unit, whence

RECORDS = 40_000  # an import that can be stopped while it builds
DAMAGED = 8


class VerbsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_ok(self, *args, stdin=None):
        done = whence(*args, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def store_of(self, count):
        db = self.folder / "source"
        self.run_ok("load", "-", "--db", db, stdin="".join(json.dumps(unit(f"s{i}", content=f"text {i} " * 30)) + "\n" for i in range(count)))
        return db

    def test_an_import_replaces_no_store_that_a_server_opened(self):
        history = self.folder / "h.jsonl"
        history.write_text(self.run_ok("export", "--db", self.store_of(RECORDS), "--format", "jsonl"))
        for before in ("nothing", "an empty store"):
            with self.subTest(before):
                db = self.folder / before.replace(" ", "-")
                if before != "nothing":
                    with Server(db):
                        pass
                process = subprocess.Popen([WHENCE, "import", str(history), "--db", str(db)], stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                wait_until(lambda: list(self.folder.glob(f"{db.name}.partial-*")) or process.poll() is not None, "the import builds")
                process.send_signal(signal.SIGSTOP)  # until the other has done what it does meanwhile
                if before == "nothing":
                    with Server(db) as server:
                        server.rpc("records.write", {"records": [unit("mine")]})
                        process.send_signal(signal.SIGCONT)
                        process.communicate(timeout=120)
                        server.rpc("records.write", {"records": [unit("mine2")]})
                    self.assertEqual(process.returncode, 5)
                    self.assertEqual(json.loads(self.run_ok("stats", "--db", db, "--json"))["tx"], 2)
                else:
                    refused = whence("put", "--db", db, stdin=json.dumps(unit("mine")))
                    process.send_signal(signal.SIGCONT)
                    process.communicate(timeout=120)
                    self.assertEqual((refused.returncode, process.returncode), (6, 0), refused.stderr)
                self.run_ok("verify", "--db", db)
                self.assertEqual(list(self.folder.glob("*.partial*")), [])

    def damaged(self, path):
        data = bytearray(path.read_bytes())
        for page in range(10, len(data) // 4096, max(1, len(data) // 4096 // DAMAGED)):
            data[page * 4096 + 2000] ^= 0xFF
        path.write_bytes(data)

    def test_a_damaged_copy_gets_no_name(self):
        db, copy, new = self.store_of(400), self.folder / "copy", self.folder / "new"
        self.run_ok("backup", copy, "--db", db)
        self.damaged(copy / "data.mdb")
        done = whence("restore", copy, "--db", new)
        self.assertEqual(done.returncode, 8, done.stdout + done.stderr)
        self.assertIn("does not verify", done.stderr)
        self.assertFalse(new.exists())

    def test_a_backup_of_a_damaged_store_says_so(self):
        db, copy = self.store_of(400), self.folder / "copy"
        self.damaged(db / "data.mdb")
        done = whence("backup", copy, "--db", db)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(copy.exists())
        self.assertEqual(list(self.folder.glob("*.partial*")), [])

    def test_files_of_others_beside_what_is_in_the_making_stay(self):
        db, sets = self.store_of(20), self.folder / "sets"
        self.run_ok("backup", sets, "--incremental", "--db", db)
        (victim := self.folder / "victim").write_text("mine")
        made = next(sets.glob("set-*"))
        names = [db / "tree" / "head", *(db / name for name in ("graph.checkpoint", "columns.checkpoint", "log.key", "log.signed")),
                 made / "segment", made / "manifest"]
        (db / "tree").mkdir(exist_ok=True)
        links = [path.with_name(path.name + ".partial") for path in names]
        for link in links:
            link.symlink_to(victim)
        self.run_ok("key", "--db", db)
        self.run_ok("key", "--rotate", "--db", db)
        with Server(db, "--checkpoint-edges", "1") as server:
            server.rpc("records.write", {"records": [unit("more")]})
            server.rpc("log.checkpoint")
            server.rpc("records.delete", {"refs": ["ContextUnit:cu_s0"]})
        self.run_ok("checkpoint", "--db", db)
        self.run_ok("backup", sets, "--incremental", "--db", db)
        self.assertEqual([link for link in links if not link.is_symlink()], [])
        self.assertEqual(victim.read_text(), "mine")
        self.assertEqual(list(self.folder.rglob("*.partial-*")), [])

    def test_a_link_in_a_store_is_not_followed(self):
        other = self.folder / "other"
        self.run_ok("load", "-", "--db", other, stdin=json.dumps(unit("other")))
        before = (other / "data.mdb").read_bytes()
        for name in ("lock.mdb", "data.mdb", "whence.lock", "search.db"):
            with self.subTest(name):
                db = self.folder / f"db-{name}"
                self.run_ok("load", "-", "--db", db, stdin=json.dumps(unit("mine")))
                (db / name).unlink(missing_ok=True)
                (db / name).symlink_to(other / "data.mdb")
                if name == "search.db":  # made anew from the records
                    with Server(db):
                        wait_until(lambda: not (db / name).is_symlink(), "the index is one of its own")
                else:
                    for verb in (["stats"], ["verify"], ["checkpoint"], ["compact"], ["serve", "--listen", "127.0.0.1:0"], ["backup", self.folder / "copy"],
                                 ["put"]):
                        done = whence(*verb, "--db", db, stdin=json.dumps(unit("mine2")))
                        self.assertIn(done.returncode, (1, 8), (verb, done.stderr))
                        self.assertIn(name, done.stdout + done.stderr, verb)
                self.assertEqual((other / "data.mdb").read_bytes(), before)

    def test_a_key_that_is_not_found_behind_its_link_is_not_replaced(self):
        db = self.store_of(1)
        (db / "log.key").unlink()
        (db / "log.key").symlink_to(self.folder / "unmounted" / "log.key")
        done = whence("key", "--db", db)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertTrue((db / "log.key").is_symlink())

    def test_exit_codes_are_those_of_the_table(self):
        db, missing = self.store_of(1), self.folder / "missing"
        with Server(db):
            for verb in (["serve", "--listen", "127.0.0.1:0"], ["verify"], ["checkpoint"], ["compact"], ["stats"], ["key"], ["backup", self.folder / "copy"],
                         ["log", "join", "--log", "nats://127.0.0.1:1/graph"]):
                with self.subTest(held=verb[0]):
                    done = whence(*verb, "--db", db)
                    self.assertEqual((done.returncode, "in use" in done.stderr), (6, True), done.stderr)
        for verb in (["load", missing], ["put", missing], ["import", missing]):
            with self.subTest(missing=verb[0]):
                self.assertEqual(whence(*verb, "--db", db).returncode, 3)
        self.assertEqual(whence("validate", missing).returncode, 3)
        self.assertEqual(whence("load", self.folder, "--db", db).returncode, 1)

    def test_a_server_does_not_choose_where_an_export_writes(self):
        work = self.folder / "home" / "work"
        work.mkdir(parents=True)
        (self.folder / "home" / ".profile").write_text("mine")
        for name in ("../../.profile", "../.profile", str(self.folder / "absolute"), "..", "", ".profile", "nodes.csv/../../x"):
            with self.subTest(name):
                server = naming(name)
                self.addCleanup(server.server_close)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                done = subprocess.run([WHENCE, "export", "--format", "csv", "-o", "out", "--url", f"http://127.0.0.1:{server.server_port}"],
                                      cwd=work, capture_output=True, text=True, timeout=60)
                server.shutdown()
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("no file of csv", done.stderr)
                self.assertEqual(sorted(p.name for p in self.folder.rglob("*")), [".profile", "home", "work"])
                self.assertEqual((self.folder / "home" / ".profile").read_text(), "mine")


def naming(name):
    """A server whose exports have one file of this name."""
    body = b"written by the server"
    file = {"name": name, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest(), "url": "/f"}
    done = {"job": "x", "state": "done", "tx": 1, "done": 1, "total": 1, "files": [file], "manifest": {"files": [file]}}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def send(self, content):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self):
            self.send(body)

        def do_POST(self):
            call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": done}).encode())

    return HTTPServer(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    unittest.main()
