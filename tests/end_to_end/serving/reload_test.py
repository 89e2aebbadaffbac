"""Claims: SIGHUP reads tokens and TLS files again and opens the log file anew, says what changed without any secret, and ends
the connections of tokens that are gone; where a file is broken everything stays as it was; files with secrets that everybody
may read are refused.

Method: a real server, its files replaced under it, connections from before and after.
"""
import datetime
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from support.program import Server, token_lines, wait_until, whence, write_private, write_tokens
from support.raw_websocket import Closed, WebSocket

POLICY = 1008


def ask(connection, **params):
    """The answer to `session.hello` with params, or to `server.info` without."""
    method = "session.hello" if params else "server.info"
    connection.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    return json.loads(connection.receive())


class ReloadCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"
        self.tokens = self.folder / "tokens"

    def serve(self, *args, **options):
        server = Server(self.db, "--log", "json", *args, **options)
        self.addCleanup(server.kill)
        return server

    def socket(self, server, token=None):
        connection = WebSocket(server.authority, token=token)
        self.addCleanup(connection.close)
        return connection

    def events(self, server, *names):
        return [line for line in map(json.loads, list(server.stderr_lines)) if line["event"] in names]

    def reload(self, server):
        """The line of the log that ends the reload."""
        ends = ("reloaded", "reload_failed")
        before = len(self.events(server, *ends))
        server.signal(signal.SIGHUP)
        wait_until(lambda: len(self.events(server, *ends)) > before, "the reload")
        return self.events(server, *ends)[-1]

    def status(self, server, token):
        connection = http.client.HTTPConnection(server.authority, timeout=60)
        try:
            connection.request("GET", "/metrics", headers={"Authorization": "Bearer " + token})
            return connection.getresponse().status
        finally:
            connection.close()


class TokenReloadTest(ReloadCase):
    def closes(self, connection):
        with self.assertRaises(Closed) as closed:
            connection.receive()
        self.assertEqual(closed.exception.code, POLICY)

    def test_removed_tokens_end_and_new_ones_begin(self):
        write_tokens(self.tokens, "read kept-1\nwrite gone-2\nread gone-3\nread raised-4\n")
        server = self.serve("--tokens", self.tokens)
        kept, gone, raised = (self.socket(server, token) for token in ("kept-1", "gone-2", "raised-4"))
        greeted, silent = self.socket(server), self.socket(server)
        self.assertIn("result", ask(greeted, token="gone-3"))
        for connection in (kept, gone, raised):
            self.assertIn("result", ask(connection))
        write_tokens(self.tokens, "read kept-1\nadmin raised-4\nwrite new-5\n")
        self.assertEqual(self.reload(server)["data"], {"tokens_added": 2, "tokens_removed": 3, "tokens": 3})
        for connection in (gone, greeted, raised):
            self.closes(connection)
        self.assertIn("result", ask(kept))
        self.assertIn("error", ask(silent, token="gone-3"))
        self.assertIn("result", ask(silent, token="new-5"))
        self.assertEqual([self.status(server, token) for token in ("kept-1", "gone-2", "gone-3", "raised-4", "new-5")],
                         [200, 401, 401, 200, 200])
        self.assertEqual(self.reload(server)["data"], {"tokens_added": 0, "tokens_removed": 0, "tokens": 3})
        self.assertIn("result", ask(kept))
        self.assertEqual(server.stop(), 0)
        for secret in ("kept-1", "gone-2", "gone-3", "raised-4", "new-5"):
            self.assertNotIn(secret, "".join(server.stderr_lines))

    def test_a_request_on_an_open_connection_is_refused_too(self):
        write_tokens(self.tokens, "read old\n")
        server = self.serve("--tokens", self.tokens)
        connection = http.client.HTTPConnection(server.authority, timeout=60)
        self.addCleanup(connection.close)
        found = []
        for _ in range(2):
            connection.request("GET", "/metrics", headers={"Authorization": "Bearer old"})
            with connection.getresponse() as answer:
                answer.read()
                found.append(answer.status)
            write_tokens(self.tokens, "read new\n")
            self.reload(server)
        self.assertEqual(found, [200, 401])

    def test_a_broken_file_changes_nothing(self):
        write_tokens(self.tokens, "read good\n")
        server = self.serve("--tokens", self.tokens)
        connection = self.socket(server, "good")
        for text, mode, words in (("read other\nemperor other\n", 0o600, f"{self.tokens}:2"), ("", 0o600, "no token"),
                                  ("read other\n", 0o644, f"chmod 600 {self.tokens}"), (None, 0, "cannot be read")):
            self.tokens.unlink()
            if text is not None:
                write_tokens(self.tokens, text).chmod(mode)
            else:
                self.tokens.symlink_to("nowhere")
            line = self.reload(server)
            self.assertEqual((line["event"], line["level"]), ("reload_failed", "ERROR"))
            self.assertIn(words, line["error"])
            self.assertNotIn("other", line["error"])
            self.assertIn("result", ask(connection))
            self.assertEqual((self.status(server, "good"), self.status(server, "other")), (200, 401))
        self.assertEqual(server.stop(), 0)

    def test_tokens_of_a_pipe_are_kept(self):
        os.mkfifo(self.tokens, 0o666)
        writer = threading.Thread(target=self.tokens.write_text, args=(token_lines("admin piped\n"),))
        writer.start()
        server = self.serve("--tokens", self.tokens)
        writer.join()
        self.assertEqual(self.reload(server)["data"], {"tokens": "kept: their file is a pipe"})
        self.assertEqual((self.status(server, "piped"), self.status(server, "x")), (200, 401))

    def test_files_that_everybody_may_use_are_refused_at_the_start(self):
        for mode in (0o604, 0o602, 0o601):
            write_tokens(self.tokens, "admin secret\n").chmod(mode)
            for args in (("serve", "--db", self.db, "--listen", "127.0.0.1:0", "--tokens"), ("get", "cu_a", "--token-file")):
                done = whence(*args, self.tokens)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"mode 0{mode:o}): chmod 600 {self.tokens}", done.stderr)
        self.assertFalse(self.db.exists())
        self.tokens.chmod(0o640)
        server = self.serve("--tokens", self.tokens)
        self.assertEqual(self.status(server, "secret"), 200)
        self.assertEqual(server.stop(), 0)
        warned = self.events(server, "secret_file_open")
        self.assertEqual([line["level"] for line in warned], ["WARNING"])
        self.assertIn("its group (mode 0640)", warned[0]["error"])

    def test_hangups_in_a_row_disturb_nobody(self):
        write_tokens(self.tokens, "admin a\n")
        server = self.serve("--tokens", self.tokens, token="a")
        connection = self.socket(server, "a")
        for i in range(100):
            server.signal(signal.SIGHUP)
            if i % 10 == 0:
                self.assertIn("result", ask(connection))
                server.rpc("server.info")
        self.assertEqual(server.stop(), 0)
        self.assertFalse(self.events(server, "reload_failed"))


class LogReloadTest(ReloadCase):
    def test_a_rotated_log_file_is_opened_anew(self):
        log, rotated = self.folder / "log", self.folder / "log.1"
        server = self.serve("--log-file", log)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
        log.rename(rotated)
        server.signal(signal.SIGHUP)
        wait_until(lambda: log.exists() and "reloaded" in log.read_text(), "the new file")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(server.stderr_lines, [])
        events = [[json.loads(line)["event"] for line in file.read_text().splitlines()] for file in (rotated, log)]
        self.assertEqual(events, [["listening"], ["log_reopened", "reloaded", "draining", "stopped"]])
        server = self.serve("--log-file", log)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(len(log.read_text().splitlines()), 4 + 3)

    def test_a_file_that_cannot_be_opened_again_leaves_the_old_one(self):
        folder, log = self.folder / "logs", self.folder / "logs" / "log"
        folder.mkdir()
        server = self.serve("--log-file", log)
        folder.rename(self.folder / "moved")
        server.signal(signal.SIGHUP)
        moved = self.folder / "moved" / "log"
        wait_until(lambda: "reloaded" in moved.read_text(), "the reload")
        self.assertEqual(server.stop(), 0)
        lines = [json.loads(line) for line in moved.read_text().splitlines()]
        failed = [line for line in lines if line["event"] == "reload_failed"]
        self.assertEqual([line["level"] for line in failed], ["ERROR"])
        self.assertIn(str(log), failed[0]["error"])
        self.assertEqual(lines[-1]["event"], "stopped")

    def test_a_log_file_that_cannot_be_opened_is_a_failure(self):
        done = whence("serve", "--db", self.db, "--listen", "127.0.0.1:0", "--log-file", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"log file {self.folder}", done.stderr)
        self.assertFalse(self.db.exists())


@unittest.skipIf(shutil.which("openssl") is None, "no openssl program")
class TlsReloadTest(ReloadCase):
    def make(self, name, days):
        key, cert = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                        str(key), "-out", str(cert), "-days", str(days), "-subj", "/CN=localhost"], check=True, capture_output=True)
        key.chmod(0o600)
        return cert.read_text(), key.read_text()

    def use(self, cert, key):
        write_private(self.folder / "cert", cert)
        write_private(self.folder / "key", key)

    def connect(self, server):
        host, port = server.authority.rsplit(":", 1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        made = context.wrap_socket(socket.create_connection((host, int(port)), timeout=60))
        self.addCleanup(made.close)
        return made

    def fingerprint(self, connection):
        return hashlib.sha256(connection.getpeercert(binary_form=True)).hexdigest()

    def test_new_connections_get_the_new_certificate(self):
        old, new = self.make("old", 2), self.make("new", 30)
        self.use(*old)
        server = self.serve("--tls-cert", self.folder / "cert", "--tls-key", self.folder / "key")
        before = self.connect(server)
        self.use(*new)
        said = self.reload(server)["data"]
        after = self.connect(server)
        self.assertNotEqual(self.fingerprint(before), self.fingerprint(after))
        self.assertEqual((said["tls"], said["tls_sha256"]), ("changed", self.fingerprint(after)))
        expires = datetime.datetime.strptime(said["tls_expires"], "%Y-%m-%dT%H:%M:%SZ")
        self.assertIn((expires - datetime.datetime.utcnow()).days, (29, 30))
        for connection in (before, after):
            connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode())
            self.assertIn(b"200", connection.recv(100))
        self.assertEqual(self.reload(server)["data"]["tls"], "unchanged")
        self.assertEqual(server.stop(), 0)

    def test_a_broken_pair_changes_nothing_and_takes_no_tokens_either(self):
        old, new = self.make("old", 2), self.make("new", 30)
        self.use(*old)
        write_tokens(self.tokens, "read good\n")
        server = self.serve("--tls-cert", self.folder / "cert", "--tls-key", self.folder / "key", "--tokens", self.tokens)
        connection = WebSocketOverTls(self.connect(server), server.authority, "good")
        before = self.fingerprint(self.connect(server))
        write_tokens(self.tokens, "read other\n")
        for cert, key, mode, words in ((new[0], old[1], 0o600, f"{self.folder / 'key'}: key values mismatch"), ("no PEM", new[1], 0o600, f"{self.folder / 'cert'}"),
                                       (new[0], "", 0o600, f"{self.folder / 'key'}"), (*new, 0o644, f"chmod 600 {self.folder / 'key'}")):
            self.use(cert, key)
            (self.folder / "key").chmod(mode)
            line = self.reload(server)
            self.assertEqual((line["event"], line["level"]), ("reload_failed", "ERROR"))
            self.assertIn(words, line["error"])
            self.assertEqual(self.fingerprint(self.connect(server)), before)
            self.assertIn("result", ask(connection))
        subprocess.run(["openssl", "ec", "-aes128", "-passout", "pass:secret", "-in", str(self.folder / "new.key"), "-out",
                        str(self.folder / "key")], check=True, capture_output=True)
        self.assertEqual(self.reload(server)["event"], "reload_failed")  # nobody is asked for the password
        self.use(*new)
        self.assertEqual(self.reload(server)["data"]["tokens_removed"], 1)
        with self.assertRaises(Closed) as closed:
            connection.receive()
        self.assertEqual(closed.exception.code, POLICY)
        self.assertEqual(server.stop(), 0)

    def test_a_key_that_everybody_may_read_is_refused_at_the_start(self):
        self.use(*self.make("any", 2))
        (self.folder / "key").chmod(0o604)
        done = whence("serve", "--db", self.db, "--listen", "127.0.0.1:0", "--tls-cert", self.folder / "cert", "--tls-key",
                      self.folder / "key")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"mode 0604): chmod 600 {self.folder / 'key'}", done.stderr)


class WebSocketOverTls(WebSocket):
    """On a connection that is there already."""

    def __init__(self, connection, authority, token):
        self._socket = connection
        self._bytes, self._message = bytearray(), bytearray()
        self._shake_hands(authority, token)


if __name__ == "__main__":
    unittest.main()
