"""`whence token`: what it writes, what it prints once, what it refuses, and that a server takes it."""
import hashlib
import json
import os
import re
import stat
import tempfile
import threading
import unittest
from pathlib import Path

from support.program import Server, token_lines, wait_until, whence, write_tokens

TOKEN = re.compile(r"wht_[\w-]{43}\n")


class TokenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "tokens"

    def token(self, *args, code=0):
        done = whence("token", *args, "--file", self.file)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def listed(self):
        return json.loads(self.token("list", "--json").stdout)["tokens"]

    def test_a_token_is_printed_once_and_kept_as_a_digest(self):
        done = self.token("add", "ci", "--role", "write", "--namespace", "shop,/", "--methods", "node.*,query", "--expires", "30d")
        self.assertRegex(done.stdout, TOKEN)
        self.assertIn("the only time", done.stderr)
        self.assertIn("SIGHUP", done.stderr)
        secret, text = done.stdout.strip(), self.file.read_text()
        self.assertNotIn(secret, text)
        self.assertIn("sha256:" + hashlib.sha256(secret.encode()).hexdigest(), text)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        [line] = self.listed()
        self.assertEqual({k: line[k] for k in ("name", "kind", "role", "namespace", "methods", "state")},
                         {"name": "ci", "kind": "token", "role": "write", "namespace": "shop,/", "methods": "node.*,query",
                          "state": "valid"})
        shown = self.token("list").stdout
        self.assertIn("node.*,query", shown)
        self.assertNotIn(hashlib.sha256(secret.encode()).hexdigest(), shown)
        self.assertEqual(os.listdir(self.folder), ["tokens"])

    def test_other_lines_and_the_mode_stay(self):
        write_tokens(self.file, "# ours\n\nread nameless\n").chmod(0o640)
        self.token("add", "--name", "ci", "--role", "reader")
        lines = self.file.read_text().splitlines()
        self.assertEqual(lines[:3], ["# ours", "", token_lines("read nameless")])
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)
        self.assertEqual([(t["name"], t["role"]) for t in self.listed()], [("", "read"), ("ci", "read")])
        self.token("revoke", "ci")
        self.assertEqual(self.file.read_text().splitlines()[:3], lines[:3])
        self.assertEqual(self.listed()[1]["state"], "revoked")
        self.token("revoke", "ci", code=3)
        self.token("rotate", "ci", code=3)
        self.assertNotIn("rotate", self.token("add", "ci", "--role", "read", code=5).stderr)

    def test_an_unknown_role_names_the_roles_once(self):
        self.assertIn("king not in {metrics,read,write,admin}\n", self.token("add", "ci", "--role", "king", code=2).stderr)
        self.assertFalse(self.file.exists())
        self.token("add", "ci", "--role", "writer")
        self.assertEqual([t["role"] for t in self.listed()], ["write"])

    def test_a_link_is_followed(self):
        real = write_tokens(self.folder / "real", "read nameless\n")
        self.file.symlink_to(real)
        self.token("add", "ci", "--role", "admin")
        self.assertTrue(self.file.is_symlink())
        self.assertEqual(len(real.read_text().splitlines()), 2)

    def test_rotate_replaces_the_secret_and_keeps_the_rights(self):
        first = self.token("add", "ci", "--role", "write", "--methods", "query", "--expires", "2199-01-01").stdout
        second = self.token("rotate", "ci").stdout
        self.assertNotEqual(first, second)
        states = [(t["state"], t["methods"], t["expires"]) for t in self.listed()]
        self.assertEqual(states, [("revoked", "query", "2199-01-01T00:00:00Z"), ("valid", "query", "2199-01-01T00:00:00Z")])
        self.token("rotate", "ci", "--keep", "1h", "--expires", "90d")
        self.assertEqual([t["state"] for t in self.listed()], ["revoked", "valid", "valid"])
        self.assertLess(self.listed()[1]["expires"], self.listed()[2]["expires"])
        self.token("revoke", "ci")
        self.assertEqual({t["state"] for t in self.listed()}, {"revoked"})

    def test_certificates_and_people_have_no_secret(self):
        done = self.token("add", "--certificate", "Ann B", "--role", "admin")
        self.assertEqual(done.stdout, "")
        self.token("add", "--user", "bob@example.org", "--role", "read")
        self.assertEqual([(t["name"], t["kind"], t["subject"]) for t in self.listed()],
                         [("Ann B", "certificate", "Ann B"), ("bob@example.org", "user", "bob@example.org")])
        self.token("rotate", "Ann B", code=2)
        self.token("revoke", "Ann B")

    def test_what_is_refused(self):
        self.token("list", code=3)
        self.token("add", "ci", "--role", "read")
        before = self.file.read_text()
        for code, words, args in [
                (5, "called ci", ["add", "ci", "--role", "read"]), (2, "needs --role", ["add", "other"]),
                (2, "needs a name", ["add", "--role", "read"]), (2, "is no name", ["add", "a b", "--role", "read"]),
                (2, "no method is called", ["add", "other", "--role", "read", "--methods", "nodes.*"]),
                (2, "is not in the future", ["add", "other", "--role", "read", "--expires", "2020-01-01"]),
                (2, "is not a duration", ["add", "other", "--role", "read", "--expires", "soon"]),
                (2, "is not a duration", ["add", "other", "--role", "read", "--expires", "99999999999999999999d"]),
                (2, "is no name", ["add", "other", "--role", "read", "--namespace", "Shop"]),
                (2, "exclude", ["add", "--user", "a", "--certificate", "b", "--role", "read"]),
                (2, "--role", ["add", "other", "--role", "root"]), (2, "takes no --role", ["revoke", "ci", "--role", "read"]),
                (2, "takes no --keep", ["revoke", "ci", "--keep", "1h"]), (2, "needs a name", ["revoke"]),
                (3, "no valid token", ["revoke", "nobody"]),
                (1, "is no whence", ["rotate", "ci", "--signal", str(os.getpid())])]:
            with self.subTest(args=args):
                self.assertIn(words, self.token(*args, code=code).stderr)
                if code != 1:
                    self.assertEqual(self.file.read_text(), before)
        self.file.chmod(0o644)
        self.assertIn("chmod 600", self.token("list", code=1).stderr)
        self.file.chmod(0o600)
        write_tokens(self.file, "read ok\nemperor wht_secret\n")
        refused = self.token("add", "x", "--role", "read", code=1).stderr
        self.assertIn(":2: ", refused)
        self.assertNotIn("wht_secret", refused)

    def test_two_at_once_lose_nothing(self):
        threads = [threading.Thread(target=self.token, args=("add", f"t{i}", "--role", "read")) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({t["name"] for t in self.listed()}, {f"t{i}" for i in range(8)})

    def test_a_server_takes_what_it_is_told(self):
        admin = self.token("add", "root", "--role", "admin").stdout.strip()
        with Server(self.folder / "db", "--tokens", self.file, "--log", "json", token=admin) as server:
            server.rpc("server.info")
            done = self.token("add", "ci", "--role", "write", "--signal", server.process.pid)
            wait_until(lambda: any('"reloaded"' in line for line in server.stderr_lines), "the reload")
            server.token = done.stdout.strip()
            topic = {"$type$": "Topic", "id": "t", "createdAt": 1}
            written = server.rpc("records.write", {"records": [topic]})
            [event] = server.rpc("history.get", {"ref": "Topic:t"})["events"]
            self.assertEqual((event["tx"], event["who"], event["actor"]), (written["tx"], "ci", "write"))
            self.token("revoke", "ci", "--signal", server.process.pid)
            wait_until(lambda: sum('"reloaded"' in line for line in server.stderr_lines) == 2, "the reload")
            with self.assertRaisesRegex(RuntimeError, "HTTP 401"):
                server.rpc("server.info")
            server.token = admin
            server.rpc("admin.verify")
            wait_until(lambda: any('"admin_called"' in line for line in server.stderr_lines), "the line of the call")
            lines = [json.loads(line) for line in server.stderr_lines]
            [called] = [line for line in lines if line["event"] == "admin_called"]
            self.assertEqual((called["component"], called["data"]["who"], called["data"]["method"], called["data"]["peer"]),
                             ("access", "root", "admin.verify", "127.0.0.1"))
            [refused] = [line for line in lines if line["event"] == "refused"]
            self.assertEqual((refused["data"]["who"], refused["data"]["token"], refused["data"]["what"]), ("ci", "revoked", "/rpc"))
            server.stop()
            for secret in (admin, done.stdout.strip()):
                self.assertNotIn(secret, "".join(server.stderr_lines))


if __name__ == "__main__":
    unittest.main()
