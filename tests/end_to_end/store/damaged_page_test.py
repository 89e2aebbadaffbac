"""Claim: a store whose pages are damaged, or whose file is too short, ends no program by a signal: verbs and a server say what is damaged
and where, and exit with a code.

Method: foreign bytes over pages at random places, and a file that is cut, before verbs and a server and under one that runs.
"""
import http.client
import os
import random
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.program import WHENCE, Server, clean_env, seed_of_run, unit, wait_until, whence

PAGE = 4096
SEED = seed_of_run()
DAMAGES = int(os.environ.get("WHENCE_PAGE_DAMAGES", "12"))


class DamagedPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.whole = Path(cls.folder.name) / "whole"
        with Server(cls.whole) as server:
            for begin in range(0, 2000, 200):
                server.rpc("records.write", {"records": [unit(i, content=f"text {i} " * 30) for i in range(begin, begin + 200)]})
            server.stop()
        cls.content = (cls.whole / "data.mdb").read_bytes()
        print(f"seed {SEED}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def damaged(self, content):
        db = Path(tempfile.mkdtemp(dir=self.folder.name)) / "db"
        shutil.copytree(self.whole, db)
        self.addCleanup(shutil.rmtree, db.parent, ignore_errors=True)
        (db / "data.mdb").write_bytes(content)
        return db

    def serve(self, db):
        """How a server ends that is told to after it has started."""
        process = subprocess.Popen([WHENCE, "serve", "--db", str(db), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=clean_env())
        for line in process.stdout:
            if line.startswith("listening on"):
                process.send_signal(signal.SIGTERM)
        _, talk = process.communicate(timeout=60)
        return process.returncode, talk

    def check(self, db):
        for verb in (("verify",), ("export", "--format", "jsonl"), ("count", "ContextUnit")):
            done = whence(*verb, "--db", db)
            self.assertGreaterEqual(done.returncode, 0, (verb, done.returncode, done.stderr))
            if done.returncode != 0:
                self.assertTrue(done.stderr.strip() or done.stdout.strip(), verb)
        code, talk = self.serve(db)
        self.assertGreaterEqual(code, 0, talk)

    def test_foreign_bytes_in_pages(self):
        chance = random.Random(SEED)
        for turn in range(DAMAGES):
            content = bytearray(self.content)
            for _ in range(chance.choice((1, 3))):
                page = chance.randrange(2, len(content) // PAGE)
                at = page * PAGE + chance.choice((0, 8, 10, 12, 14, 16, 18, 40, chance.randrange(PAGE - 8)))
                content[at:at + 8] = chance.choice((b"\xff" * 8, bytes(8), chance.randbytes(8)))
            with self.subTest(seed=SEED, turn=turn):
                self.check(self.damaged(bytes(content)))

    def test_each_page_without_content(self):
        """The code says that it is damage (8), or nothing was met."""
        pages = len(self.content) // PAGE
        for page in range(2, pages, max(1, pages // (4 * DAMAGES))):
            db = self.damaged(self.content[:page * PAGE] + bytes(PAGE) + self.content[(page + 1) * PAGE:])
            for verb in (("stats",), ("backup", Path(self.folder.name) / f"copy{page}")):
                with self.subTest(page=page, verb=verb[0]):
                    done = whence(*verb, "--db", db)
                    self.assertIn(done.returncode, (0, 8), done.stderr)

    def test_a_file_that_was_cut(self):
        self.check(self.damaged(self.content[:-PAGE]))  # perhaps a page that nobody uses
        for size in (len(self.content) // 2, 3 * PAGE):
            with self.subTest(size=size):
                db = self.damaged(self.content[:size // PAGE * PAGE])
                self.check(db)
                done = whence("export", "--format", "jsonl", "--db", db)
                self.assertEqual(done.returncode, 8, done.stderr)
                self.assertIn("data.mdb", done.stderr)

    def test_a_file_that_is_cut_under_a_server(self):
        db = self.damaged(self.content)
        server = Server(db)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        os.truncate(db / "data.mdb", 2 * PAGE)
        try:
            server.rpc("node.find", {"type": "ContextUnit", "include": ["record"], "limit": 1000})
        except (OSError, http.client.HTTPException):  # before the answer, or within it
            pass
        wait_until(lambda: server.process.poll() is not None, "the server to end")
        self.assertEqual(server.wait(), 8)
        self.assertIn("page", "".join(server.stderr_lines))
        self.assertIn("data.mdb is damaged", "".join(server.stderr_lines))

    def test_the_index_of_texts_shares_no_file_that_others_may_cut(self):
        db = self.damaged(self.content)
        with Server(db) as server:
            wait_until(lambda: server.rpc("search", {"text": "text"})["nodes"], "the index to be there")
            for file in db.glob("search.db-shm"):
                os.truncate(file, 0)
            self.assertTrue(server.rpc("search", {"text": "text"})["nodes"])
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
