"""serve: its output, signals, the lock of the store, tokens, refused addresses."""
import json
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

from records import unit
from whence_e2e import RpcError, Server, clean_env, whence, write_private, write_tokens


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"

    def file(self, name, text):
        return write_tokens(self.folder / name, text)


class LifeTest(Folder):
    def test_prints_its_address_then_what_it_serves_and_nothing_else_on_stdout(self):
        with Server(self.db) as server:
            self.assertRegex(server.address, r"^http://127\.0\.0\.1:\d+$")
            self.assertEqual(server.get("/healthz")[0], 200)
            self.assertEqual(server.stop(), 0)
            first, second = server.stdout_lines
            self.assertEqual(first, f"listening on {server.address}\n")
            self.assertRegex(second, r"^serving 0 nodes and 0 edges, recovered in \d+\.\d{3} s \(0 transactions replayed\); page " + re.escape(server.address) + "/\n$")

    def test_terminate_and_interrupt_drain(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server(self.db) as server:
                server.signal(number)
                self.assertEqual(server.wait(), 0)

    def test_a_second_signal_quits_at_once(self):
        with Server(self.db, "--drain", "60") as server:
            asking = self.ask_and_leave_waiting(server)  # keeps the drain waiting
            server.signal(signal.SIGTERM)
            self.wait_for_log(server, "draining")
            begun = time.monotonic()
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 1)
            self.assertLess(time.monotonic() - begun, 10)
            asking.close()

    def ask_and_leave_waiting(self, server):
        """A WebSocket with a request that waits for a transaction that never comes. The server has it: it has answered the one sent after it."""
        address = urllib.parse.urlsplit(server.url)
        asking = socket.create_connection((address.hostname, address.port), timeout=30)
        asking.sendall(f"GET /ws HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
        waits = {"ref": "cu_a", "min_tx": 99, "timeout_ms": 50_000}
        for number, method, params in ((1, "node.get", waits), (2, "server.info", {})):
            text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode().ljust(200)  # long enough for a two-byte length
            asking.sendall(b"\x81" + struct.pack(">BH", 0x80 | 126, len(text)) + bytes(4) + text)  # masked with zeros
        answered = b""
        while b'"id":2' not in answered:
            received = asking.recv(65536)
            self.assertTrue(received, answered)
            answered += received
        return asking

    def wait_for_log(self, server, word):
        deadline = time.monotonic() + 30
        while not any(word in line for line in server.stderr_lines):
            self.assertLess(time.monotonic(), deadline)
            threading.Event().wait(0.01)

    def test_log_lines_are_json_when_asked(self):
        with Server(self.db, "--log", "json") as server:
            self.assertEqual(server.stop(), 0)
            lines = [json.loads(line) for line in server.stderr_lines]
        self.assertEqual([line["event"] for line in lines], ["listening", "draining", "stopped"])
        for line in lines:
            self.assertEqual(list(line), ["timestamp", "request_id", "level", "component", "event", "data", "error"])
            self.assertRegex(line["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertEqual((line["level"], line["component"], line["error"]), ("INFO", "server", None))
        started, draining, stopped = (line["data"] for line in lines)
        self.assertEqual({name: type(value) for name, value in started.items()},
                         {"address": str, "db": str, "checkpoint_tx": int, "replayed": int, "recovery_s": float, "nodes": int, "edges": int})
        self.assertEqual((draining, stopped), ({"signal": 15}, {"tx": started["checkpoint_tx"] + started["replayed"]}))

    def test_retrievals_and_answers_are_logged(self):
        vector = [1.0] + [0.0] * 383
        chunk = {"$type$": "RetrievedChunk", "chunk_id": "c", "content": "text", "embedding": vector,
                 "metadata": {"document_name": "d", "chunk_index": 0}}
        with Server(self.db, "--log", "json") as server:
            server.rpc("records.write", {"records": [chunk]})
            found = server.rpc("rag.retrieve", {"vector": vector, "question": "What?", "record": True})
            server.rpc("rag.answer", {"request_id": found["request_id"], "answer": "It is so [d].", "processing_time_ms": 3420})
            with self.assertRaises(RpcError):
                server.rpc("rag.answer", {"request_id": "nobody", "answer": "It is so [d]."})
            self.assertEqual(server.stop(), 0)
            lines = [json.loads(line) for line in server.stderr_lines]
        logged = [(line["component"], line["event"], line["level"]) for line in lines if line["component"] != "server"]
        self.assertEqual(logged, [("retrieval", "query_received", "INFO"), ("retrieval", "chunks_retrieved", "INFO"),
                                ("generation", "answer_generated", "INFO"), ("generation", "request_failed", "WARNING")])
        received, retrieved, answered, failed = [line for line in lines if line["component"] != "server"]
        self.assertEqual((received["request_id"], received["data"]), (found["request_id"], {"question_length": 5}))
        self.assertEqual(retrieved["data"]["question_length"], 5)
        del answered["data"]["method"]
        self.assertEqual(answered["data"], {"question_length": 5, "chunks_retrieved": 1, "citations": 1, "confidence": 1,
                                            "processing_time_ms": 3420})
        self.assertEqual((retrieved["request_id"], retrieved["data"]["chunks_retrieved"]), (found["request_id"], 1))
        self.assertEqual((answered["request_id"], answered["data"]["confidence"]), (found["request_id"], 1))
        self.assertEqual(failed["request_id"], "nobody")
        self.assertIn("nobody", failed["error"])

    def test_retrieval_records_are_logged(self):
        chunk = {"$type$": "RetrievedChunk", "chunk_id": "c", "content": "text", "request_id": "r", "similarity_score": 0.9,
                 "metadata": {"document_name": "d", "chunk_index": 0}}
        records = [{"$type$": "Query", "request_id": "r", "question": "What?"},
                   {"$type$": "EmbeddingVector", "request_id": "r", "vector": [1.0] * 1536, "model_name": "m", "dimension": 1536},
                   chunk, {"$type$": "Answer", "request_id": "r", "answer": "So [d].", "confidence": 0.1,
                           "processing_time_ms": 12}]
        with Server(self.db, "--log", "json") as server:
            server.rpc("records.write", {"records": records, "dry_run": True})
            server.rpc("records.write", {"records": records})
            server.rpc("records.write", {"records": records})
            server.rpc("rag.retrieve", {"vector": [1.0] * 384, "request_id": "mine"})
            for refused in (records[:1] + [{**records[3], "request_id": "nobody"}], [{"$type$": "Topic"}, {**records[1], "vector": []}],
                            [records[0], {"$type$": "Nothing"}]):
                with self.assertRaises(RpcError):
                    server.rpc("records.write", {"records": refused})
            self.assertEqual(server.stop(), 0)
            lines = [json.loads(line) for line in server.stderr_lines]
        failed = [line for line in lines if line["event"] == "request_failed"]
        self.assertEqual([(line["component"], line["level"], line["request_id"]) for line in failed],
                         [("generation", "WARNING", "nobody"), ("embedding", "WARNING", "r")])
        lines = [line for line in lines if line not in failed]
        lines = [line for line in lines if line["component"] != "server"]
        for line in lines:
            line["data"].pop("method", None)
        self.assertEqual([(line["component"], line["event"], line["request_id"]) for line in lines],
                         [("retrieval", "query_received", "r"), ("embedding", "query_embedded", "r"),
                          ("retrieval", "chunks_retrieved", "r"), ("generation", "answer_generated", "r"),
                          ("retrieval", "query_received", "mine"), ("retrieval", "chunks_retrieved", "mine")])
        self.assertEqual([line["data"] for line in lines[:4]],
                         [{"question_length": 5}, {"question_length": 5, "model_name": "m", "dimension": 1536},
                          {"question_length": 5, "chunks_retrieved": 1},
                          {"question_length": 5, "chunks_retrieved": 1, "citations": 1, "confidence": 0.9,
                           "processing_time_ms": 12}])
        self.assertEqual({line["level"] for line in lines}, {"INFO"})

    def test_the_models_of_embeddings_are_settings(self):
        with Server(self.db, "--embedding", "small=3", "--embedding", "large=1536") as server:
            chunk = {"$type$": "RetrievedChunk", "chunk_id": "c", "content": "text", "embedding": [1, 2, 3],
                     "metadata": {"document_name": "d", "chunk_index": 0}}
            server.rpc("records.write", {"records": [chunk]})
            self.assertEqual(server.rpc("node.get", {"ref": "RetrievedChunk:c", "include": ["record"]})["nodes"][0]["record"]["embedding_model"],
                             "small")
            self.assertEqual(len(server.rpc("rag.retrieve", {"vector": [1, 2, 3]})["chunks"]), 1)
            for params in ({"vector": [1, 2]}, {"vector": [1, 2, 3], "model": "other"}, {"vector": [1, 2, 3], "model": "large"}):
                with self.assertRaises(RpcError):
                    server.rpc("rag.retrieve", params)
            server.stop()
        for wrong in ("m", "m=0", "m=8193", "=3", "m=3x"):
            failed = whence("serve", "--db", self.db, "--embedding", wrong)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn("--embedding", failed.stderr)

    def test_what_was_written_is_there_after_a_restart_and_after_a_crash(self):
        for stop in (Server.stop, Server.kill):
            with Server(self.db) as server:
                tx = server.rpc("records.write", {"records": [unit(stop.__name__)]})["tx"]
                stop(server)
            with Server(self.db) as server:
                self.assertEqual(server.rpc("server.info")["tx"], tx)

    def test_settings_reach_the_engine(self):
        with Server(self.db, "--deprecate-below", "-0.1", "--future-tolerance", "0") as server:
            with self.assertRaises(RpcError) as refused:
                server.rpc("records.write", {"records": [unit("a", timestamp="2999-01-01T00:00:00Z")]})
            self.assertEqual(refused.exception.code, -32030)


class HolderTest(Folder):
    def test_a_held_store_names_its_holder(self):
        with Server(self.db) as server:
            pid = str(server.process.pid)
            for args in (["serve", "--listen", "127.0.0.1:0"], ["stats"], ["load", "-"], ["put"], ["verify"], ["checkpoint"], ["compact"]):
                with self.subTest(args):
                    done = whence(*args, "--db", self.db, stdin=json.dumps(unit("a")))
                    self.assertEqual(done.returncode, 6, done.stderr)
                    self.assertIn(pid, done.stderr)

    def test_a_taken_port_is_a_failure(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = whence("serve", "--db", self.db, "--listen", "127.0.0.1:%d" % taken.getsockname()[1])
        self.assertEqual(done.returncode, 1)


class RefusalTest(Folder):
    def refused(self, flag, *args):
        done = whence("serve", "--db", self.db, *args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(flag, done.stderr)
        self.assertFalse(self.db.exists(), "nothing is opened before the refusal")

    def test_beyond_loopback_needs_tokens(self):
        for listen in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0"):
            self.refused("--tokens", "--listen", listen)

    def test_token_files_must_hold_tokens(self):
        for text in ("", "# only a comment\n\n", "emperor secret\n", "read\n"):
            self.refused("--tokens", "--listen", "127.0.0.1:0", "--tokens", self.file("tokens", text))
        self.refused("--tokens", "--listen", "127.0.0.1:0", "--tokens", self.folder / "none")

    def test_addresses_and_tls_pairs_must_be_whole(self):
        self.refused("--listen", "--listen", "localhost")
        self.refused("--tls-key", "--listen", "127.0.0.1:0", "--tls-cert", "x")

    def test_origins_must_be_origins(self):
        for origin in ("foo", "*", "http://*", "https://example.org/"):
            self.refused("--allow-origin", "--listen", "127.0.0.1:0", "--allow-origin", origin)


class TokenTest(Folder):
    def test_roles_and_where_tokens_come_from(self):
        tokens = self.file("tokens", "# who may what\nread only-looks\n\nwrite also-writes\n")
        with Server(self.db, "--tokens", tokens, token="also-writes") as server:
            server.rpc("records.write", {"records": [unit("a")]})
            ask = ["get", "cu_a", "--url", server.url]
            self.assertEqual(whence(*ask).returncode, 1)
            nameless = whence("rpc", "node.get", '{"ref":"cu_a"}', "--url", server.url)
            self.assertEqual((nameless.returncode, json.loads(nameless.stderr)["code"]), (1, -32010))
            self.assertEqual(whence(*ask, env=clean_env(WHENCE_TOKEN="wrong")).returncode, 1)
            self.assertEqual(whence(*ask, env=clean_env(WHENCE_TOKEN="only-looks")).returncode, 0)
            own = write_private(self.folder / "own", "only-looks\n")
            self.assertEqual(whence(*ask, "--token-file", own).returncode, 0)
            self.assertEqual(whence(*ask, env=clean_env(WHENCE_TOKEN_FILE=str(own))).returncode, 0)
            digests = whence(*ask, "--token-file", tokens)
            self.assertEqual(digests.returncode, 2)
            self.assertIn("no secret", digests.stderr)
            forbidden = whence("put", "--url", server.url, stdin=json.dumps(unit("b")), env=clean_env(WHENCE_TOKEN="only-looks"))
            self.assertEqual(forbidden.returncode, 1)

    def test_no_token_and_a_wrong_one_are_told_apart(self):
        tokens = self.file("tokens", "read only-looks\n")
        with Server(self.db, "--tokens", tokens, token="only-looks") as server:
            for args in (["stats"], ["watch", "--until-caught-up"], ["export", "--format", "jsonl"]):
                with self.subTest(args):
                    none = whence(*args, "--url", server.url)
                    wrong = whence(*args, "--url", server.url, env=clean_env(WHENCE_TOKEN="wrong"))
                    self.assertEqual((none.returncode, wrong.returncode), (1, 1), none.stderr + wrong.stderr)
                    self.assertIn("asks for a token, and none was given", none.stderr)
                    self.assertIn("does not know the token", wrong.stderr)
                    for said in (none.stderr, wrong.stderr):
                        self.assertEqual(said.count("token-file"), 1, said)
                        self.assertEqual(len(said.splitlines()), 1, said)
                        self.assertNotIn("401", said.replace(server.authority, ""))
            low = whence("put", "--url", server.url, stdin=json.dumps(unit("b")), env=clean_env(WHENCE_TOKEN="only-looks"))
            self.assertEqual(low.returncode, 1)
            self.assertIn("role", low.stderr)

    def test_no_flag_takes_a_token(self):
        self.assertNotIn("--token ", whence("get", "--help").stdout)


class TlsTest(Folder):
    def test_https_works_and_certificates_are_checked(self):
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        if shutil.which("openssl") is None:
            self.skipTest("no openssl program")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        with Server(self.db, "--tls-cert", cert, "--tls-key", key) as server:
            self.assertTrue(server.address.startswith("https://"))
            for args in (["stats"], ["watch", "--until-caught-up"]):
                distrusting = whence(*args, "--url", server.url)
                self.assertEqual(distrusting.returncode, 6)
                self.assertIn("its certificate is not trusted: self", distrusting.stderr)
                self.assertIn("SSL_CERT_FILE", distrusting.stderr)
                self.assertNotIn("is a server running there", distrusting.stderr)
            plain = whence("stats", "--url", server.url.replace("https://", "http://"))
            self.assertEqual(plain.returncode, 6)
            self.assertIn("if it speaks TLS, its address begins https://", plain.stderr)
            trusting = clean_env(SSL_CERT_FILE=str(cert))
            self.assertEqual(whence("stats", "--url", server.url, env=trusting).returncode, 0)
            self.assertEqual(server.stop(), 0)
        with Server(self.db) as plain:
            done = whence("stats", "--url", plain.url.replace("http://", "https://"))
            self.assertEqual(done.returncode, 6)
            self.assertIn("does not speak TLS", done.stderr)

    def test_a_certificate_for_another_name_is_told_apart(self):
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        if shutil.which("openssl") is None:
            self.skipTest("no openssl program")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=example.org",
                        "-addext", "subjectAltName=DNS:example.org"], check=True, capture_output=True)
        with Server(self.db, "--tls-cert", cert, "--tls-key", key) as server:
            done = whence("stats", "--url", server.url, env=clean_env(SSL_CERT_FILE=str(cert)))
            self.assertEqual(done.returncode, 6)
            self.assertIn("its certificate is for another name than 127.0.0.1", done.stderr)


if __name__ == "__main__":
    unittest.main()
