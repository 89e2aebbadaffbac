"""verify, backup, restore, compact, version."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from records import lines, response, unit
from whence_e2e import WHENCE, Server, clean_env, open_terminal, whence


SERVER = 65532  # a user that need not exist


class UpkeepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"
        self.assertEqual(whence("put", "--db", self.db, stdin=json.dumps([unit("a"), response("1", a=1)])).returncode, 0)

    def stats(self, db):
        return json.loads(whence("stats", "--db", db, "--json").stdout)

    def test_verify_accepts_a_sound_store(self):
        done = whence("verify", "--db", self.db, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["ok"], report["tx"], report["problems"]), (True, 1, []))
        self.assertEqual({k: report["checked"][k] for k in ("entries", "records", "edges")}, {"entries": 1, "records": 2, "edges": 1})
        self.assertEqual(whence("verify", "--db", self.db).returncode, 0)

    def test_verify_asks_a_server(self):
        local = json.loads(whence("verify", "--db", self.db, "--json").stdout)
        with Server(self.db) as server:
            done = whence("verify", "--url", server.url, "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)), (0, local), done.stderr)

    def test_verify_reports_damage(self):
        data = bytearray((self.db / "data.mdb").read_bytes())
        at = data.rfind(b"cu_a")
        self.assertGreater(at, 0)
        data[at + 3] ^= 1
        (self.db / "data.mdb").write_bytes(data)
        done = whence("verify", "--db", self.db, "--json")
        self.assertEqual(done.returncode, 8, done.stdout + done.stderr)
        self.assertFalse(json.loads(done.stdout)["ok"])

    def test_verify_of_a_store_that_does_not_open_is_8(self):
        (self.db / "data.mdb").write_bytes(b"\xff" * 65536)
        self.assertEqual(whence("verify", "--db", self.db).returncode, 8)

    def test_verify_needs_a_store_that_no_process_holds(self):
        self.assertEqual(whence("verify", "--db", self.folder / "none").returncode, 3)
        with Server(self.db):
            self.assertEqual(whence("verify", "--db", self.db).returncode, 6)

    @unittest.skipUnless(os.geteuid() == 0, "only root works on what is another's")
    def test_what_root_writes_in_a_store_of_another_user_is_that_users(self):
        for path in (self.folder, self.db, *self.db.iterdir()):
            os.chown(path, SERVER, SERVER)
        (self.folder / "outside").touch()
        os.link(self.folder / "outside", self.db / "hard")
        (self.db / "soft").symlink_to(self.folder / "outside")
        self.assertEqual(whence("compact", "--db", self.db).returncode, 0)
        self.assertEqual(whence("checkpoint", "--db", self.db).returncode, 0)
        owners = {path.name: path.lstat().st_uid for path in self.db.iterdir()}
        self.assertEqual((owners.pop("hard"), owners.pop("soft")), (0, 0), "what is elsewhere, too, stays root's")
        self.assertEqual((set(owners.values()), "graph.checkpoint" in owners), ({SERVER}, True), owners)
        self.assertEqual(whence("doctor", "--db", self.db, "--json").stdout.count("belongs to another user"), 0)
        os.chown(self.db / "data.mdb", 0, 0)
        self.assertIn("belongs to another user than its directory", whence("doctor", "--db", self.db).stdout)

    @unittest.skipUnless(os.geteuid() == 0, "only root works on what is another's")
    def test_a_store_that_root_makes_belongs_to_the_owner_of_its_place(self):
        copy = self.folder / "copy"
        self.assertEqual(whence("backup", copy, "--db", self.db).returncode, 0)
        os.chown(self.folder, SERVER, SERVER)
        self.assertEqual(whence("restore", copy, "--db", self.folder / "restored").returncode, 0)
        restored = self.folder / "restored"
        self.assertEqual({path.stat().st_uid for path in (restored, *restored.iterdir())}, {SERVER})

    def test_reading_makes_no_store(self):
        done = whence("stats", "--db", self.folder / "none")
        self.assertEqual(done.returncode, 3)
        self.assertIn("none", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_a_backup_is_a_store(self):
        with Server(self.db) as server:
            done = whence("backup", "copy", "--url", server.url, "--json", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = self.folder / "copy"
            self.assertEqual(json.loads(done.stdout)["path"], str(made.resolve()))
            self.assertEqual(whence("backup", made, "--url", server.url).returncode, 5)
        self.assertEqual(self.stats(made)["tx"], 1)
        self.assertEqual(whence("verify", "--db", made).returncode, 0)

    def test_backup_and_restore_offline(self):
        self.assertEqual(whence("backup", self.folder / "copy", "--db", self.db).returncode, 0)
        self.assertEqual(whence("restore", self.folder / "copy", "--db", self.folder / "new").returncode, 0)
        before, after = self.stats(self.db), self.stats(self.folder / "new")
        self.assertEqual((before["tx"], before["nodes"]), (after["tx"], after["nodes"]))
        self.assertNotEqual(before["epoch"], after["epoch"])
        self.assertEqual(whence("restore", self.folder / "copy", "--db", self.folder / "new").returncode, 5)
        self.assertEqual(whence("restore", self.folder / "copy").returncode, 2)

    def test_compact_says_what_it_did(self):
        before = self.stats(self.db)
        done = whence("compact", "--db", self.db, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((sorted(json.loads(done.stdout)), json.loads(done.stdout)["tx"]), (["bytes_after", "bytes_before", "db", "tx"], 1))
        self.assertEqual(whence("verify", "--db", self.db).returncode, 0)
        after = self.stats(self.db)
        self.assertEqual([before[k] for k in ("tx", "nodes", "epoch")], [after[k] for k in ("tx", "nodes", "epoch")])
        self.assertIn("bytes_after", whence("compact", "--db", self.db).stdout)

    def test_compact_needs_a_store_that_no_process_holds(self):
        self.assertEqual(whence("compact").returncode, 2)
        self.assertEqual(whence("compact", "--db", self.folder / "none").returncode, 3)
        self.assertFalse((self.folder / "none").exists())
        with Server(self.db):
            self.assertEqual(whence("compact", "--db", self.db).returncode, 6)

    def test_compact_leaves_a_damaged_store_as_it_was(self):
        data = bytearray((self.db / "data.mdb").read_bytes())
        at = data.rfind(b"cu_a")
        data[at + 3] ^= 1
        (self.db / "data.mdb").write_bytes(data)
        self.assertEqual(whence("compact", "--db", self.db).returncode, 8)
        self.assertEqual((self.db / "data.mdb").read_bytes(), data)

    def test_version_is_the_servers(self):
        with Server(self.db) as server:
            self.assertEqual(json.loads(whence("version", "--json").stdout)["version"], server.rpc("server.info")["version"])
        self.assertEqual(whence("--version").returncode, 0)


class ProgressTest(unittest.TestCase):
    """A store whose check takes longer than a terminal waits before it shows progress: each verb then says of what it has done how much, and
    nothing of it is left on the line or goes into a pipe."""
    RECORDS = 80_000
    SHOWN = re.compile(r"\r\x1b\[K\[(#* *)\] (\d+)%  (\d+) of (\d+) ([a-z ]+)")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.db = cls.folder / "db"
        loaded = whence("load", "-", "--db", cls.db, stdin=lines(
            *({"records": [unit(f"{i}_{j}") for j in range(1000)]} for i in range(cls.RECORDS // 1000))))
        assert loaded.returncode == 0, loaded.stderr

    def on_a_terminal(self, *args):
        """The percentages and the words that a terminal is shown."""
        near, far = open_terminal(self)
        running = subprocess.Popen([WHENCE, *map(str, args)], stdout=subprocess.PIPE, stderr=far, env=clean_env())
        os.close(far)
        seen = b""
        try:
            while chunk := os.read(near, 65536):
                seen += chunk
        except OSError:  # the other side is closed
            pass
        os.close(near)
        running.communicate()
        self.assertEqual(running.returncode, 0, seen)
        shown = self.SHOWN.findall(seen.decode())
        self.assertTrue(shown, seen)
        for bar, percent, done, total, _ in shown:
            self.assertLessEqual(int(done), int(total))
            self.assertEqual((int(percent), bar.count("#"), len(bar)), (int(done) * 100 // int(total), int(done) * 30 // int(total), 30))
        self.assertGreater(seen.rfind(b"\r\x1b[K"), seen.rfind(b"%"))  # erased at the end
        for _, _, _, _, part in shown:
            of_part = [int(done) for _, _, done, _, what in shown if what == part]
            self.assertEqual(of_part, sorted(of_part))
        return {part.strip() for *_, part in shown}

    def test_verify(self):
        self.assertEqual(self.on_a_terminal("verify", "--db", self.db), {"entries checked"})

    def test_compact(self):
        copy = self.folder / "compacted"
        self.assertEqual(whence("backup", copy, "--db", self.db).returncode, 0)
        self.assertIn("entries read", self.on_a_terminal("compact", "--db", copy))

    def test_backup_and_restore(self):
        copy = self.folder / "copy"
        self.assertIn("entries checked", self.on_a_terminal("backup", copy, "--db", self.db))
        self.assertIn("entries checked", self.on_a_terminal("restore", copy, "--db", self.folder / "restored"))
        sets = self.folder / "sets"
        self.assertIn("entries checked", self.on_a_terminal("backup", sets, "--incremental", "--db", self.db))
        self.assertIn("entries checked", self.on_a_terminal("restore", sets, "--db", self.folder / "from_sets"))

    def test_of_a_server(self):
        with Server(self.db) as server:
            self.assertEqual(self.on_a_terminal("verify", "--url", server.url), {"entries checked"})
            self.assertIn("entries checked", self.on_a_terminal("backup", self.folder / "served", "--url", server.url))
            self.assertIn("transactions copied", self.on_a_terminal("backup", self.folder / "served_sets", "--incremental", "--url", server.url))
            refused = whence("backup", self.folder / "served", "--url", server.url)
            self.assertEqual(refused.returncode, 5, refused.stderr)

    def test_not_in_a_pipe(self):
        for args in (["verify"], ["backup", self.folder / "quiet"]):
            done = whence(*args, "--db", self.db)
            self.assertEqual((done.returncode, "%" in done.stderr, "\r" in done.stderr), (0, False, False), done.stderr)


if __name__ == "__main__":
    unittest.main()
