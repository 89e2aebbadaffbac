"""Claim: the recipe for Apache and mod_auth_openidc in tools/operations/ACCESS.md lets in who has signed on, as whom the provider says, with the
role of their line, and nobody can name themselves through it.

Method: the file as the document has it, with other addresses, on a real Apache with TLS (skipped without it or its module, Debian's
apache2-bin and libapache2-mod-auth-openidc). The provider is a stand-in of OpenID Connect on loopback: discovery, authorization
code, signed token. A client follows the redirects as a browser does.
"""
import base64
import http.client
import http.server
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

from support.program import Server, free_ports, wait_until, write_tokens

APACHE = shutil.which("apache2", path=os.environ.get("PATH", "") + ":/usr/sbin")
MODULES = Path("/usr/lib/apache2/modules")
LOADED = ["mpm_event", "authn_core", "authz_core", "authz_user", "unixd"]  # what a2enmod has on in any case; unixd may be built in
DOCUMENT = Path(__file__).resolve().parents[3] / "tools/operations/ACCESS.md"
HOST = "whence-sso.example.org"
CODE = "a-code"


def openssl(*arguments, stdin=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=stdin, capture_output=True, check=True).stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider(http.server.ThreadingHTTPServer):
    """Everybody who comes is `email`."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Answers)
        self.url, self.email, self.nonce = f"http://127.0.0.1:{self.server_port}", "ann@example.org", None
        self.key = folder / "provider.key"
        openssl("genrsa", "-out", self.key, "2048")
        modulus = openssl("rsa", "-in", self.key, "-modulus", "-noout").decode().strip().partition("=")[2]
        self.keys = {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": base64url(bytes.fromhex(modulus)), "e": "AQAB"}]}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def token(self):
        now = int(time.time())
        said = {"iss": self.url, "sub": "1", "aud": "whence", "iat": now, "exp": now + 600, "nonce": self.nonce, "email": self.email}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "1"}, said))
        return signed + "." + base64url(openssl("dgst", "-sha256", "-sign", self.key, stdin=signed.encode()))


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        provider = self.server
        path, _, query = self.path.partition("?")
        if path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(query))
            provider.nonce = asked["nonce"]
            back = asked["redirect_uri"] + "?" + urllib.parse.urlencode({"code": CODE, "state": asked["state"]})
            return self.answer(302, b"", Location=back)
        return self.answer(200, json.dumps({
            "/.well-known/openid-configuration": {
                "issuer": provider.url, "authorization_endpoint": provider.url + "/authorize", "token_endpoint": provider.url + "/token",
                "jwks_uri": provider.url + "/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"], "token_endpoint_auth_methods_supported": ["client_secret_basic"]},
            "/keys": provider.keys}[path]).encode())

    def do_POST(self):
        body = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        secret = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if body.get("code") != CODE or secret != "whence:SECRET":
            return self.answer(400, b'{"error":"invalid_grant"}')
        return self.answer(200, json.dumps({"access_token": "unused", "token_type": "Bearer", "expires_in": 600,
                                            "id_token": self.server.token()}).encode())

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser:
    """Keeps cookies, and connects to the proxy for its name."""

    def __init__(self, port):
        self.port, self.cookies = port, {}
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def ask(self, method, url, body=None, **headers):
        """Status, headers and text."""
        parts = urllib.parse.urlsplit(url)
        if parts.hostname == HOST:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=self.context)
        else:
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        sent = {"Host": parts.netloc, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if parts.hostname == HOST and self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, (parts.path or "/") + ("?" + parts.query if parts.query else ""), body, sent)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, dict(answer.headers), answer.read().decode()
        finally:
            connection.close()

    def open(self, url):
        """As `ask`, and follows where it is sent."""
        for _ in range(10):
            status, headers, text = self.ask("GET", url, Accept="text/html")
            if status not in (302, 303):
                return status, text
            url = urllib.parse.urljoin(url, headers["Location"])
        raise AssertionError(f"sent on and on, last to {url}")

    def call(self, rpc, params=None, **headers):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": rpc, "params": params or {}})
        status, _, text = self.ask("POST", f"https://{HOST}/rpc", body, Content_Type="application/json", Origin=f"https://{HOST}",
                                   X_Requested_With="XMLHttpRequest", **headers)
        return status, json.loads(text) if text.startswith("{") else text


@unittest.skipUnless(APACHE and (MODULES / "mod_auth_openidc.so").exists(), "no Apache with mod_auth_openidc")
class SingleSignOnTest(unittest.TestCase):
    forged = {"X_Forwarded_User": "root", "X_Whence_Role": "admin"}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        tokens = write_tokens(cls.folder / "tokens", "admin plain-token\nuser:ann@example.org role=write name=ann\n")
        cls.server = Server(cls.folder / "db", "--tokens", tokens, "--trust-proxy", "127.0.0.1", "--allow-origin", f"https://{HOST}")
        cls.addClassCleanup(cls.server.kill)
        cls.provider = Provider(cls.folder)
        cls.addClassCleanup(cls.provider.server_close)
        cls.addClassCleanup(cls.provider.shutdown)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={HOST}", "-keyout", cls.folder / "whence.key", "-out",
                cls.folder / "whence.pem")
        [cls.port] = free_ports(1)
        cls.start_apache()

    @classmethod
    def start_apache(cls):
        document = DOCUMENT.read_text(encoding="utf-8")
        site = re.search(r"^```apache\n(.*?)^```", document, re.S | re.M)[1]
        for old, new in (("*:443", f"127.0.0.1:{cls.port}"), ("127.0.0.1:7411", cls.server.authority), ("/etc/ssl/", f"{cls.folder}/"),
                         ("https://login.example.org", cls.provider.url)):
            assert old in site, old
            site = site.replace(old, new)
        enabled = re.search(r"^a2enmod (.*)$", document, re.M)[1].split()
        # What a2enmod loads beside: that which the named ones depend on.
        modules = [*LOADED, "socache_shmcb", *enabled]
        load = "".join(f"LoadModule {each}_module {MODULES}/mod_{each}.so\n" for each in modules if (MODULES / f"mod_{each}.so").exists())
        log = cls.folder / "apache.log"
        (cls.folder / "apache.conf").write_text(
            f"ServerName localhost\nServerRoot {cls.folder}\nPidFile {cls.folder}/pid\nErrorLog {log}\nLogLevel warn\nMutex file:{cls.folder}\n"
            + ("User www-data\nGroup www-data\n" if os.geteuid() == 0 else "") + load + f"Listen 127.0.0.1:{cls.port}\n" + site)
        # Workers are another user's where root starts Apache.
        cls.folder.chmod(0o755)
        cls.apache = subprocess.Popen([APACHE, "-f", cls.folder / "apache.conf", "-DFOREGROUND"], stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.apache.stderr.close)
        cls.addClassCleanup(cls.apache.wait, 60)
        cls.addClassCleanup(cls.apache.terminate)

        def listens():
            if cls.apache.poll() is not None:
                raise RuntimeError(cls.apache.stderr.read() + (log.read_text() if log.exists() else ""))
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", cls.port)) == 0

        wait_until(listens, "Apache")

    def signed_on(self, email):
        self.provider.email = email
        browser = Browser(self.port)
        status, text = browser.open(f"https://{HOST}/")
        return browser, status, text

    def test_a_person_signs_on_sees_the_page_and_has_the_role_of_their_line(self):
        browser, status, text = self.signed_on("ann@example.org")
        self.assertEqual(status, 200, text)
        self.assertIn("<!doctype html>", text.lower())
        topic = {"records": [{"$type$": "Topic", "id": "t", "createdAt": 1}]}
        self.assertIn("result", browser.call("records.write", topic, **self.forged)[1])
        self.assertEqual(browser.call("admin.verify", **self.forged)[1]["error"]["code"], -32011)
        [event] = browser.call("history.get", {"ref": "Topic:t"})[1]["result"]["events"]
        self.assertEqual(event["who"], "ann")

    def test_who_has_not_signed_on_gets_nothing_whatever_they_say_they_are(self):
        browser = Browser(self.port)
        for headers in ({}, self.forged, {"Authorization": "Bearer plain-token"}, {"OIDC_CLAIM_email": "ann@example.org"},
                        {"Cookie": "mod_auth_openidc_session=ann"}):
            self.assertEqual(browser.call("server.info", **headers)[0], 401, headers)

    def test_a_person_without_a_line_is_nobody(self):
        browser, status, _ = self.signed_on("eve@example.org")
        self.assertEqual(status, 200)  # the page itself says nothing
        self.assertEqual(browser.call("server.info", **self.forged)[0], 401)
        self.assertEqual(browser.call("server.info", Authorization="Bearer plain-token")[0], 401)

    def test_websockets_go_through(self):
        browser, _, _ = self.signed_on("ann@example.org")
        connection = browser.context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=60))
        self.addCleanup(connection.close)
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        connection.sendall(f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                           f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: https://{HOST}\r\nCookie: {cookies}\r\n\r\n".encode())
        self.assertIn(b" 101 ", connection.recv(1000))


if __name__ == "__main__":
    unittest.main()
