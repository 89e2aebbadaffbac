"""doctor and serve --check-config: sound stores and servers, and states that are made bad one by one."""
import json
import os
import resource
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support.program import Server, clean_env, free_ports, token_lines, whence, write_private, write_tokens

UNIT = json.dumps({"$type$": "ContextUnit", "id": "cu_1", "type": "User", "source": "test", "timestamp": "2025-10-09T10:00:00Z"})
OK, WARN, FAIL = 0, 1, 8
DAY = 86_400


def cert(folder, days, name="cert"):
    """A certificate of its own that ends in so many days, and its key."""
    key, chain = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-days", str(days), "-keyout", key, "-out", chain], check=True, capture_output=True)
    key.chmod(0o600)
    return chain, key


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"

    def make_store(self):
        done = whence("put", "--db", self.db, stdin=UNIT)
        self.assertEqual(done.returncode, 0, done.stderr)

    def findings(self, *args, prepare=None):
        """What -> its findings, of a call with --json; the exit code is that of the worst."""
        done = whence("doctor", "--json", *args, prepare=prepare)
        self.assertEqual(done.stderr, "")
        said = json.loads(done.stdout)
        levels = {each["level"] for each in said["findings"]}
        worst = "fail" if "fail" in levels else "warn" if "warn" in levels else "ok"
        self.assertEqual(said["level"], worst)
        self.assertEqual(done.returncode, {"ok": OK, "warn": WARN, "fail": FAIL}[worst])
        found = {}
        for each in said["findings"]:
            self.assertEqual("remedy" in each, each["level"] != "ok", each)
            found.setdefault(each["what"], []).append(each)
        return found

    def level(self, found, what):
        return [each["level"] for each in found[what]]


class StoreTest(Case):
    def files(self):
        return {path: path.read_bytes() for path in self.db.rglob("*") if path.is_file() and path.name != "lock.mdb"}

    def test_a_sound_store(self):
        self.make_store()
        before = self.files()
        found = self.findings("--db", self.db)
        for what in ("permissions", "store", "lock", "map", "graph-memory", "checkpoint"):
            self.assertEqual(self.level(found, what), ["ok"], found[what])
        self.assertIn("format 4 at transaction 1, 1 nodes and 0 edges", found["store"][0]["says"])
        self.assertEqual(before, self.files())

    def test_people_get_lines_with_the_remedy_below(self):
        self.make_store()
        done = whence("doctor", "--db", self.db)
        self.assertIn("ok    store         format 4 at transaction 1", done.stdout)
        self.assertIn("warn  backup        there was no backup yet\n                    -> whence backup PATH, each day; with the package: ", done.stdout)

    def test_a_store_that_a_server_holds(self):
        with Server(self.db) as server:
            found = self.findings("--db", self.db)
            self.assertIn(f"process {server.process.pid} holds the store", found["lock"][0]["says"])
            server.kill()
        self.assertIn(f"process {server.process.pid} held the store and has ended", self.findings("--db", self.db)["lock"][0]["says"])

    def test_no_store(self):
        for path in (self.db, self.folder):
            found = self.findings("--db", path)
            self.assertEqual(self.level(found, "store"), ["fail"])

    def test_a_damaged_store(self):
        self.make_store()
        data = bytearray((self.db / "data.mdb").read_bytes())
        data[:8192] = bytes(8192)
        (self.db / "data.mdb").write_bytes(data)
        found = self.findings("--db", self.db)
        self.assertEqual(self.level(found, "store"), ["fail"])
        self.assertIn("whence verify", found["store"][0]["remedy"])

    def test_others_may_read_it(self):
        self.make_store()
        self.db.chmod(0o755)
        (self.db / "data.mdb").chmod(0o644)
        found = self.findings("--db", self.db)
        self.assertEqual(self.level(found, "permissions"), ["warn", "warn"])
        self.assertIn("mode 755", found["permissions"][0]["says"])
        self.assertIn(f"chmod go= {self.db}/data.mdb", found["permissions"][1]["remedy"])

    def test_the_age_of_the_backup(self):
        self.make_store()
        self.assertEqual(self.level(self.findings("--db", self.db), "backup"), ["warn"])
        self.assertEqual(whence("backup", self.folder / "copy", "--db", self.db).returncode, 0)
        self.assertEqual(self.level(self.findings("--db", self.db), "backup"), ["ok"])
        old = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3 * DAY))
        (self.db / "last-backup").write_text(f"{old} 1 {self.folder}/copy\n")
        found = self.findings("--db", self.db)
        self.assertEqual(found["backup"][0]["says"], "the last backup is 3 days old")
        self.assertEqual(self.level(found, "backup"), ["warn"])

    def test_a_checkpoint_that_does_not_open(self):
        self.make_store()
        self.assertEqual(whence("checkpoint", "--db", self.db).returncode, 0)
        self.assertIn("0 transactions are replayed", self.findings("--db", self.db)["checkpoint"][0]["says"])
        (self.db / "graph.checkpoint").write_bytes(b"nothing of the kind" * 1000)
        self.assertEqual(self.level(self.findings("--db", self.db), "checkpoint"), ["warn"])

    def test_an_index_that_is_none(self):
        self.make_store()
        (self.db / "search.db").write_bytes(b"no database")
        self.assertEqual(self.level(self.findings("--db", self.db), "search-index"), ["warn"])

    def test_what_accidents_leave(self):
        self.make_store()
        (self.db / "meta-page-1.torn").write_bytes(b"")
        (self.db / ("compact.partial-" + "0" * 32)).mkdir()
        found = self.findings("--db", self.db)
        self.assertEqual((self.level(found, "torn-page"), self.level(found, "compaction")), (["warn"], ["warn"]))

    @unittest.skipUnless(os.path.isdir("/dev/shm"), "no tmpfs")
    def test_a_store_in_memory(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
            self.assertEqual(whence("put", "--db", name + "/db", stdin=UNIT).returncode, 0)
            found = self.findings("--db", name + "/db")
        self.assertEqual(self.level(found, "file-system"), ["warn"])
        self.assertIn("tmpfs", found["file-system"][0]["says"])


class MachineTest(Case):
    def test_few_descriptors(self):
        self.make_store()
        for count, level in ((256, "fail"), (4096, "warn"), (16_384, "ok")):
            if count > resource.getrlimit(resource.RLIMIT_NOFILE)[1]:
                continue
            found = self.findings("--db", self.db, prepare=lambda n=count: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
            self.assertEqual(self.level(found, "descriptors"), [level], count)

    def test_limits_of_files_and_address_space(self):
        self.make_store()
        found = self.findings("--db", self.db, prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30)))
        self.assertEqual(self.level(found, "file-size"), ["warn"])
        found = self.findings("--db", self.db, prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        self.assertEqual(self.level(found, "address-space"), ["warn"])
        self.assertNotIn("1.0 TiB", found["map"][0]["says"])


class ServerTest(Case):
    def test_a_sound_server(self):
        with Server(self.db) as server:
            found = self.findings("--url", server.url)
        self.assertEqual([self.level(found, what) for what in ("server", "connections", "request-memory", "map")], [["ok"]] * 4)

    def test_a_certificate_that_ends_soon(self):
        chain, key = cert(self.folder, 5)
        with Server(self.db, "--tls-cert", chain, "--tls-key", key) as server:
            done = whence("doctor", "--url", server.url, env=clean_env(SSL_CERT_FILE=str(chain)))
        self.assertRegex(done.stdout, "warn  certificate   it ends in [45] days", done.stderr)

    def test_nobody_answers(self):
        self.assertEqual(whence("doctor", "--url", f"http://127.0.0.1:{free_ports(1)[0]}").returncode, 6)

    def test_a_token_is_needed(self):
        tokens, token = write_tokens(self.folder / "tokens", "read secret\n"), write_private(self.folder / "token", "secret\n")
        with Server(self.db, "--tokens", tokens) as server:
            self.assertEqual(whence("doctor", "--url", server.url).returncode, 1)
            self.assertIn("server        it answers", whence("doctor", "--url", server.url, "--token-file", token).stdout)

    def test_a_log_that_does_not_answer(self):
        with Server(self.db) as server:
            log = f"nats://127.0.0.1:{free_ports(1)[0]}/graph"
            self.assertEqual(self.level(self.findings("--url", server.url, "--log", log), "log"), ["fail"])

    def test_one_target_is_needed(self):
        self.assertEqual(whence("doctor").returncode, 2)
        self.assertEqual(whence("doctor", "--db", self.db, "--log", "elsewhere").returncode, 2)


class CheckConfigTest(Case):
    def check(self, *args):
        return whence("serve", "--check-config", *args)

    def test_sound_settings_change_nothing(self):
        done = self.check("--db", self.db, "--listen", "127.0.0.1:0", "--log-file", self.folder / "log")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("ok    settings", done.stdout)
        self.assertIn("ok    address       --listen 127.0.0.1:0 can be had", done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_every_fault_is_said(self):
        chain, _ = cert(self.folder, 3)
        _, other_key = cert(self.folder, 3, "other")
        open_tokens = self.folder / "tokens"
        open_tokens.write_text(token_lines("read secret\n"))
        open_tokens.chmod(0o644)
        self.make_store()
        (self.db / "data.mdb").write_bytes(bytes(16_384))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            done = self.check("--db", self.db, "--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--tokens", open_tokens,
                              "--tls-cert", chain, "--tls-key", other_key, "--retention", "soon", "--allow-origin", "nowhere",
                              "--log-file", chain / "log", "--explorer", self.folder)
        self.assertEqual(done.returncode, 2)
        faults = [line for line in done.stdout.splitlines() if line.startswith("fail")]
        for part in ("--retention", "--allow-origin", "tokens", "key values mismatch", "Address already in use", "cert.pem is no directory", "index.html"):
            self.assertEqual(sum(part in line for line in faults), 1, (part, done.stdout))
        self.assertNotIn("secret\n", done.stdout)

    def test_the_folder_of_a_file_has_to_be_there_and_those_of_a_store_are_made(self):
        for flag in ("--log-file", "--audit-reads"):
            for path, fault in ((self.folder / "none" / "x", "none does not exist"), (self.folder, "is a directory")):
                with self.subTest(flag=flag, path=path):
                    done = self.check("--db", self.db, "--listen", "127.0.0.1:0", flag, path)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertRegex(done.stdout, rf"fail  {flag[2:]} .*{fault}")
        done = self.check("--db", self.folder / "new" / "db", "--listen", "127.0.0.1:0", "--files", self.folder / "new" / "files",
                          "--log-file", self.folder / "log")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("can be made"), 3, done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_damaged_store_and_a_certificate_that_ends(self):
        self.make_store()
        (self.db / "data.mdb").write_bytes(bytes(16_384))
        chain, key = cert(self.folder, 3)
        done = self.check("--db", self.db, "--listen", "127.0.0.1:0", "--tls-cert", chain, "--tls-key", key)
        self.assertEqual(done.returncode, 2)
        self.assertIn("fail  store", done.stdout)
        self.assertRegex(done.stdout, "warn  certificate   it ends in [23] days")

    def test_beside_the_running_server(self):
        with Server(self.db) as server:
            done = self.check("--db", self.db, "--listen", server.authority)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f"process {server.process.pid} holds it", done.stdout)
            self.assertIn("a server that runs holds a store of these settings", done.stdout)
            self.assertEqual(server.get("/healthz")[0], 200)


if __name__ == "__main__":
    unittest.main()
