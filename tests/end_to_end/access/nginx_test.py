"""Claim: the recipes for nginx in tools/operations/ACCESS.md do what is said beside them, and no client can name itself through them.

Method: the files as the document has them, with other addresses and without TLS, on a real nginx (skipped without one; the variable
NGINX names it). A stand-in answers as oauth2-proxy does: who has its cookie is ann.
"""
import http.client
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from support.program import Server, wait_until, write_tokens

NGINX = os.environ.get("NGINX") or shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
DOCUMENT = Path(__file__).resolve().parents[3] / "tools/operations/ACCESS.md"
COOKIE = "_oauth2_proxy=ann"


class SignOn(http.server.BaseHTTPRequestHandler):
    """What oauth2-proxy answers to nginx's question and to a browser."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_ann = COOKIE in self.headers.get("Cookie", "")
        self.send_response(202 if self.path == "/oauth2/auth" and is_ann else 401 if self.path == "/oauth2/auth" else 200)
        if is_ann:
            self.send_header("X-Auth-Request-Email", "ann@example.org")
        body = b"" if self.path == "/oauth2/auth" else b"sign in"
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Through(http.client.HTTPConnection):
    """A connection to nginx, over a socket in the file system: no port has to be chosen."""

    def __init__(self, path, host):
        super().__init__(host, timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(str(self.path))


@unittest.skipIf(NGINX is None, "no nginx")
class NginxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        tokens = write_tokens(cls.folder / "tokens", "admin plain-token\nuser:ann@example.org role=write name=ann\n")
        cls.server = Server(cls.folder / "db", "--tokens", tokens, "--trust-proxy", "127.0.0.1",
                            *(word for name in ("whence", "whence-sso") for word in ("--allow-origin", f"https://{name}.example.org")))
        cls.addClassCleanup(cls.server.kill)
        sign_on = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SignOn)
        cls.addClassCleanup(sign_on.server_close)
        threading.Thread(target=sign_on.serve_forever, daemon=True).start()
        cls.addClassCleanup(sign_on.shutdown)
        cls.socket = cls.folder / "socket"
        files = {}
        for text in re.findall(r"^```nginx\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.S | re.M):
            text = re.sub(r"^ *ssl_certificate.*\n", "", text, flags=re.M)
            for old, new in (("127.0.0.1:7411", cls.server.authority), ("127.0.0.1:4180", "127.0.0.1:%d" % sign_on.server_port),
                             ("listen 443 ssl", f"listen unix:{cls.socket}"), ("/etc/nginx/whence.users", f"{cls.folder}/users")):
                text = text.replace(old, new)
            files[re.match(r"# /etc/nginx/(\S+)", text)[1]] = text
        for name, text in files.items():
            (cls.folder / name).parent.mkdir(exist_ok=True)
            (cls.folder / name).write_text(text)
        (cls.folder / "users").write_text("bob:{PLAIN}password\n")
        # Workers are another user's where root starts nginx: files are readable, and the socket is where all may go.
        cls.folder.chmod(0o755)
        (cls.folder / "nginx.conf").write_text(
            f"daemon off; pid {cls.folder}/pid; error_log stderr; events {{}}\n" + ("user root;\n" if os.geteuid() == 0 else "") +
            "http { access_log off; " + "".join(f"{kind}_temp_path {cls.folder}/{kind}; " for kind in
                                                  ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) +
            "include conf.d/*.conf; }\n")
        cls.nginx = subprocess.Popen([NGINX, "-p", cls.folder, "-c", "nginx.conf", "-e", "stderr"], stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.nginx.stderr.close)
        cls.addClassCleanup(cls.nginx.wait, 60)
        cls.addClassCleanup(cls.nginx.terminate)
        wait_until(cls.listens, "nginx")

    @classmethod
    def listens(cls):
        """The socket is in the file system before somebody listens on it."""
        if cls.nginx.poll() is not None:
            raise RuntimeError(cls.nginx.stderr.read())
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(cls.socket)) == 0

    def ask(self, host, method, params=None, **headers):
        """As the page of that address does."""
        connection = Through(self.socket, host)
        self.addCleanup(connection.close)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        connection.request("POST", "/rpc", body, {"Content-Type": "application/json", **self.page_of(host),
                                                  **{name.replace("_", "-"): value for name, value in headers.items()}})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text) if text.startswith("{") else text

    def page_of(self, host):
        return {} if host == "whence-api.example.org" else {"Origin": f"https://{host}"}

    def topic(self, id):
        return {"records": [{"$type$": "Topic", "id": id, "createdAt": 1}]}

    forged = {"X_Forwarded_User": "root", "X_Whence_Role": "admin"}
    basic = {"Authorization": "Basic Ym9iOnBhc3N3b3Jk"}  # bob:password

    def test_people_with_passwords_read(self):
        host = "whence.example.org"
        self.assertEqual(self.ask(host, "server.info")[0], 401)
        self.assertIn("result", self.ask(host, "server.info", **self.basic)[1])
        for headers in (self.basic, {**self.basic, **self.forged}):
            self.assertEqual(self.ask(host, "records.write", self.topic("t"), **headers)[1]["error"]["code"], -32011)
        self.assertEqual(self.ask(host, "server.info", **self.forged)[0], 401)
        self.assertEqual(self.ask(host, "server.info", Authorization="Bearer plain-token")[0], 401)

    def test_programs_bring_their_tokens(self):
        host = "whence-api.example.org"
        self.assertEqual(self.ask(host, "server.info", **self.forged)[0], 401)
        self.assertIn("result", self.ask(host, "server.info", Authorization="Bearer plain-token", **self.forged)[1])

    def test_people_who_have_signed_on_have_the_role_of_their_line(self):
        host = "whence-sso.example.org"
        self.assertEqual(self.ask(host, "server.info"), (200, "sign in"))
        self.assertEqual(self.ask(host, "server.info", **self.forged), (200, "sign in"))
        self.assertIn("result", self.ask(host, "records.write", self.topic("t1"), Cookie=COOKIE, **self.forged)[1])
        self.assertEqual(self.ask(host, "admin.verify", Cookie=COOKIE, **self.forged)[1]["error"]["code"], -32011)
        [event] = self.ask(host, "history.get", {"ref": "Topic:t1"}, Cookie=COOKIE)[1]["result"]["events"]
        self.assertEqual(event["who"], "ann")

    def test_websockets_go_through(self):
        connection = Through(self.socket, "whence.example.org")
        connection.connect()
        self.addCleanup(connection.close)
        connection.sock.sendall(b"GET /ws HTTP/1.1\r\nHost: whence.example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                b"Origin: https://whence.example.org\r\nAuthorization: Basic Ym9iOnBhc3N3b3Jk\r\n\r\n")
        self.assertIn(b" 101 ", connection.sock.recv(1000))


if __name__ == "__main__":
    unittest.main()
