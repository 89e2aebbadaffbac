"""Claim: incremental backups of a store, of a server's directory and over the wire can be restored to any moment that they have, and to
no other; purged contents stay away; what is wrong with a backup is named, and then nothing is made."""
import hashlib
import json
import os
import re
import shutil
import string
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.program import WHENCE, RpcError, Server, response, unit, whence

SECRET = "the vault opens with 4711"
UNIT = Path(__file__).parents[3] / "tools/packaging/systemd/whence-backup.service"


class BackupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db, self.sets, self.new = (self.folder / name for name in ("db", "sets", "new"))
        self.put(unit("a"), response("1", a=1))

    def put(self, *records):
        done = whence("put", "--db", self.db, stdin=json.dumps(records))
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_json(self, *args):
        done = whence(*args, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def back_up(self, *args):
        return self.run_json("backup", self.sets, "--incremental", *(args or ("--db", self.db)))

    def restore(self, *args, code=0):
        done = whence("restore", self.sets, "--db", self.new, *args)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def stats(self, db):
        return self.run_json("stats", "--db", db)

    def test_a_base_then_segments_then_any_moment(self):
        first = self.back_up()
        self.assertEqual((first["base"], first["tx"]), (True, 1))
        self.put(unit("b"))
        self.put(unit("c"))
        second = self.back_up()
        self.assertEqual((second["base"], second["from"], second["tx"], second["set"]), (False, 2, 3, first["set"]))
        self.assertLess(second["bytes"], first["bytes"])
        self.assertEqual(self.back_up()["bytes"], 0)
        for tx in (1, 2, 3):
            restored = json.loads(self.restore("--to-tx", tx, "--json").stdout)
            self.assertEqual((restored["tx"], self.stats(self.new)["tx"]), (tx, tx))
            self.assertEqual(whence("verify", "--db", self.new).returncode, 0)
            shutil.rmtree(self.new)
        self.assertIn("restored at transaction 3 of", self.restore().stdout)
        self.assertNotEqual(self.stats(self.new)["epoch"], self.stats(self.db)["epoch"])
        self.restore(code=5)

    def test_moments_that_are_not_there(self):
        self.back_up()
        self.assertIn("no backup reaches transaction 9", self.restore("--to-tx", 9, code=3).stderr)
        self.assertIn("no backup reaches 1999", self.restore("--to-time", "1999-01-01T00:00:00Z", code=3).stderr)
        self.restore("--to-time", "yesterday", code=2)
        self.restore("--to-time", "2026-01-01T00:00:00Z", "--to-tx", 1, code=2)
        self.assertFalse(self.new.exists())
        self.assertEqual(whence("restore", self.folder / "none", "--db", self.new).returncode, 3)
        self.restore("--to-time", "2100-01-01T00:00:00Z")

    def test_a_single_copy_has_one_moment(self):
        self.assertEqual(whence("backup", self.sets, "--db", self.db).returncode, 0)
        self.restore("--to-tx", 2, code=3)
        self.restore("--to-tx", 1)

    def test_beside_a_server_from_its_directory_and_over_the_wire(self):
        with Server(self.db) as server:
            self.assertEqual(self.back_up()["tx"], 1)
            server.rpc("records.write", {"records": [unit("b")]})
            self.assertEqual(self.back_up()["tx"], 2)
            noted = (self.db / "last-backup").read_text().split(" ", 2)
            self.assertEqual((noted[1], noted[2]), ("2", f"{self.sets}\n"))
            remote = self.folder / "remote"
            made = self.run_json("backup", remote, "--incremental", "--url", server.url)
            self.assertEqual((made["base"], made["tx"]), (True, 2))
            server.rpc("records.write", {"records": [unit("c")]})
            self.assertEqual(self.run_json("backup", remote, "--incremental", "--url", server.url)["from"], 3)
            self.assertIn(f" 3 {remote}\n", (self.db / "last-backup").read_text())
            export = whence("export", "--format", "jsonl", "--url", server.url).stdout
        self.assertEqual(whence("restore", remote, "--db", self.new).returncode, 0)
        self.assertEqual(whence("verify", "--db", self.new).returncode, 0)
        self.assertEqual(whence("export", "--format", "jsonl", "--db", self.new).stdout, export)

    def test_a_key_answers_in_the_restored_store_as_before(self):
        self.back_up()
        call = {"records": [unit("b")], "idempotency_key": "once"}
        with Server(self.db) as server:
            answer = server.rpc("records.write", call)
            self.back_up()
        self.restore()
        with Server(self.new) as server:
            self.assertEqual(server.rpc("records.write", call)["tx"], answer["tx"])

    def test_what_was_purged_does_not_come_back(self):
        self.put(unit("s", content=SECRET * 300))  # long: a text of its own
        self.back_up()
        self.put(unit("t", content=SECRET))
        self.assertEqual(whence("purge", "ContextUnit:cu_s", "ContextUnit:cu_t", "--db", self.db).returncode, 0)
        self.back_up()
        restored = json.loads(self.restore("--json").stdout)
        self.assertGreater(restored["removed"], 0)
        self.assertEqual(whence("verify", "--db", self.new).returncode, 0)
        self.assertNotIn(b"vault", (self.new / "data.mdb").read_bytes())
        self.assertNotIn("vault", whence("export", "--format", "jsonl", "--db", self.new).stdout)
        blob = hashlib.sha256((SECRET * 300).encode()).digest()
        self.assertNotIn(blob, (self.new / "data.mdb").read_bytes())  # nor what a guess of the text could be held against
        shutil.rmtree(self.new)
        self.assertIn("purged after this moment", self.restore("--to-tx", 2).stderr)
        shutil.rmtree(self.new)
        refused = self.restore("--to-tx", 3, code=3)  # cu_t was gone before its segment was made
        self.assertIn("transaction 3 cannot be restored", refused.stderr)
        self.assertFalse(self.new.exists())

    def test_prune_keeps_whole_sets(self):
        self.back_up()
        self.assertEqual(whence("backup", "prune", self.sets).returncode, 2)
        self.assertEqual(whence("backup", "prune").returncode, 2)
        self.assertEqual(whence("backup", "prune", self.sets, "--keep", "soon").returncode, 2)
        self.assertEqual(whence("backup", "prune", self.db, "--keep", "7d").returncode, 3)
        self.assertEqual(whence("backup", self.sets, "again", "--db", self.db).returncode, 2)
        kept = self.run_json("backup", "prune", self.sets, "--keep", "7d")
        self.assertEqual((len(kept["kept"]), kept["removed"]), (1, []))

    def test_a_damaged_segment_is_named(self):
        self.back_up()
        self.put(unit("b"))
        self.back_up()
        segment = next(self.sets.glob("set-*/segment-*"))
        data = bytearray(segment.read_bytes())
        data[len(data) // 2] ^= 1
        segment.write_bytes(data)
        self.assertIn(segment.name, self.restore(code=8).stderr)
        self.assertFalse(self.new.exists())
        self.assertEqual(list(self.new.parent.glob(f"{self.new.name}.partial*")), [])
        self.restore("--to-tx", 1)

    def test_the_units_commands_run(self):
        """ExecStart of whence-backup.service, with its own values and other places."""
        text = UNIT.read_text(encoding="utf-8")
        values = dict(word.split("=", 1) for word in re.search(r"^Environment=(.*)$", text, re.M)[1].split())
        values.update(DB=str(self.db), BACKUPS=str(self.sets))
        commands = re.findall(r"^ExecStart=/usr/bin/whence (.*)$", text, re.M)
        self.assertEqual(len(commands), 2)
        for command in commands:
            done = whence(*string.Template(command).substitute(values).split())
            self.assertEqual(done.returncode, 0, done.stderr)
        self.restore()

    def test_the_unit_may_do_little(self):
        analyze = shutil.which("systemd-analyze")
        if not analyze:
            self.skipTest("no systemd-analyze")
        done = subprocess.run([analyze, "security", "--offline=yes", "--threshold=20", "--no-pager", UNIT], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)  # an exposure of at most 2.0
        self.assertIn("Overall exposure level", done.stdout)

    def test_the_log_is_read_piece_by_piece_and_no_further(self):
        with Server(self.db) as server:
            server.rpc("records.write", {"records": [unit("b")]})
            piece = server.rpc("admin.log", {"bytes": 1})
            self.assertEqual((piece["tx"], piece["last"], piece["leaf"]), (2, 1, "0" * 64))
            rest = server.rpc("admin.log", {"after": 1})
            self.assertEqual((rest["last"], rest["epoch"]), (2, piece["epoch"]))
            self.assertNotEqual(rest["groups"], piece["groups"])
            self.assertEqual(server.rpc("admin.log", {"after": 2})["groups"], "")
            for params, code in (({"after": 3}, -32040), ({"bytes": 2**25}, -32602), ({"after": -1}, -32602), ({"kept": ""}, -32602)):
                with self.assertRaises(RpcError) as refused:
                    server.rpc("admin.log", params)
                self.assertEqual(refused.exception.code, code, params)
        self.assertFalse((self.db / "last-backup").exists())

    def test_a_killed_backup_leaves_the_sets_whole(self):
        self.back_up()
        for number in range(4):
            self.put(unit(f"k{number}", content="a text of some length " * 2000))
            process = subprocess.Popen([WHENCE, "backup", self.sets, "--incremental", "--new-base-after", "1s", "--db", self.db],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.004 * (number + 1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self.restore()
            shutil.rmtree(self.new)
        self.assertEqual(self.back_up()["tx"], 5)
        self.assertIn("restored at transaction 5", self.restore().stdout)

    def test_upgrade_of_a_store_of_the_last_format(self):
        self.assertEqual(whence("upgrade").returncode, 2)
        self.assertEqual(whence("upgrade", "--db", self.folder / "none").returncode, 3)
        self.assertIn("nothing to do", whence("upgrade", "--db", self.db).stdout)
        self.assertFalse(self.run_json("upgrade", "--db", self.db)["upgraded"])
        self.assertFalse(list(self.folder.glob("db.format-*")))

    def test_a_store_of_a_newer_format_is_refused_by_every_verb(self):
        data = bytearray((self.db / "data.mdb").read_bytes())
        mark, at = b"WHENCE\x04\x00", -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + len(mark) - 2] = 5
        (self.db / "data.mdb").write_bytes(data)
        for args in (["serve", "--listen", "127.0.0.1:0"], ["stats"], ["upgrade"], ["upgrade", "--dry-run"], ["compact"],
                     ["backup", self.sets, "--incremental"]):
            done = whence(*args, "--db", self.db)
            self.assertEqual(done.returncode, 1, args)
            self.assertIn("the store is of format 5, this program reads format 4: a newer program wrote it", done.stderr, args)
        self.assertEqual((self.db / "data.mdb").read_bytes(), data)

    def test_backups_are_private(self):
        self.back_up()
        self.put(unit("b"))
        self.back_up()
        for folder, _, files in os.walk(self.sets):
            self.assertEqual(os.stat(folder).st_mode & 0o077, 0, folder)
            for name in files:
                self.assertEqual(os.stat(os.path.join(folder, name)).st_mode & 0o077, 0, name)


if __name__ == "__main__":
    unittest.main()
