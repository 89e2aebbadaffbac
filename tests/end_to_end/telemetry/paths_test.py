"""Claim: metrics that exporters send by default are taken and dropped, and SDKs of Langfuse send spans where they send them, with a
token as the password of Basic authentication there and nowhere else; so do those of LangSmith with one in a header of their own; the bytes of images they send nowhere.

Method: requests made by hand against a server with a token file.
"""
import base64
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from support.otlp import body_of, post, span
from support.program import Server, write_tokens

SECRET = "a-secret-of-twenty-four-characters"


class PathsTest(unittest.TestCase):
    def test_paths_and_credentials(self):
        basic = "Basic " + base64.b64encode(f"pk-lf-1:{SECRET}".encode()).decode()
        wrong = "Basic " + base64.b64encode(b"pk-lf-1:another").decode()
        body = body_of([span("0af7651916cd43dd8448eb211c80319c", f"{1:016x}", "x", 1, 2, {})], "traces", "json")
        digest = hashlib.sha256(b"a picture").digest()
        media = json.dumps({"traceId": "t", "field": "input", "contentType": "image/png", "contentLength": 9, "sha256Hash": base64.b64encode(digest).decode()}).encode()
        cases = (("/v1/metrics", b"{}", "Bearer " + SECRET, 200), ("/v1/metrics", b"{}", basic, 401),
                 ("/v1/traces", body, basic, 401), ("/api/public/otel/v1/traces", body, basic, 200),
                 ("/api/public/otel/v1/traces", body, "Bearer " + SECRET, 200), ("/otel/v1/traces", body, "Bearer " + SECRET, 200), ("/otel/v1/traces", body, basic, 401),
                 ("/api/public/media", media, basic, 201), ("/api/public/media", media, wrong, 401), ("/api/public/media", b"{}", basic, 400),
                 ("/api/public/media", b'{"sha256Hash":"AAAA"}', basic, 400), ("/api/public/otel/v1/traces", body, wrong, 401), ("/api/public/otel/v1/traces", body, "Basic ====", 401))
        with tempfile.TemporaryDirectory() as folder:
            tokens = Path(folder) / "tokens"
            write_tokens(tokens, f"write {SECRET}\n")
            with Server(folder + "/db", "--tokens", tokens) as server:
                for path, key, status in (("/otel/v1/traces", SECRET, 200), ("/v1/traces", SECRET, 200), ("/otel/v1/traces", "another", 401), ("/otel/v1/traces", "", 401), ("/v1/metrics", SECRET, 401)):
                    with self.subTest(path=path, key=key):
                        self.assertEqual(post(server, path, body, "json", {"x-api-key": key})[0], status)
                self.assertEqual(post(server, "/otel/v1/traces", body, "json", {"x-api-key": SECRET, "Authorization": "Bearer another"})[0], 401)
                for path, sent, credential, status in cases:
                    with self.subTest(path=path, credential=credential[:9]):
                        self.assertEqual(post(server, path, sent, "json", {"Authorization": credential})[0], status)
                answer = json.loads(post(server, "/api/public/media", media, "json", {"Authorization": basic})[2])
        self.assertEqual(answer, {"mediaId": base64.urlsafe_b64encode(digest).decode()[:22], "uploadUrl": None})


if __name__ == "__main__":
    unittest.main()
