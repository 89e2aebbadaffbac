"""Claim: with `--audit-reads` the server writes down who asked for what, when, by which method, over every door; without it nothing. It
writes no token, no more than a bound of what was asked, and goes on in a new file after SIGHUP.

Method: reads by three users over HTTP, Bolt and paths; the file is read line by line.
"""
import json
import signal
import stat
import tempfile
import unittest
from pathlib import Path

from support.program import Server, unit, wait_until, write_tokens


class ReadAuditTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "reads"

    def start(self, *args):
        tokens = write_tokens(self.folder / "tokens", "read reader\nadmin boss\n")
        server = Server(self.folder / "db", "--tokens", tokens, *args, token="boss")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        server.rpc("records.write", {"records": [unit(1), unit(2)]})
        return server

    def lines(self, path=None):
        """Those that are whole: the last may be being written."""
        return [json.loads(line) for line in (path or self.file).read_text().splitlines(keepends=True) if line.endswith("\n")]

    def test_each_read_is_a_line(self):
        server = self.start("--audit-reads", self.file)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        server.token = "reader"
        server.rpc("node.get", {"ref": "cu_1"})
        server.rpc("lineage.ancestors", {"ref": "ContextUnit:cu_2", "depth": 1})
        server.rpc("query", {"cypher": "MATCH (u:ContextUnit) RETURN u.id"})
        server.rpc("server.info")
        wait_until(lambda: len(self.lines()) == 3, "the three reads")
        lines = self.lines()
        self.assertEqual([(line["component"], line["event"], line["data"]["role"], line["data"]["method"]) for line in lines],
                         [("access", "read", "read", name) for name in ("node.get", "lineage.ancestors", "query")])
        self.assertEqual([json.loads(line["data"]["asked"]) for line in lines[:2]], [{"ref": "cu_1"}, {"ref": "ContextUnit:cu_2", "depth": 1}])
        self.assertTrue(all(line["timestamp"].endswith("Z") and line["data"]["peer"] for line in lines), lines)
        server.rpc("node.count", {"type": "ContextUnit", "where": {"content": {"contains": "y" * 3_000}}})
        server.get("/blob/" + "0" * 64)
        wait_until(lambda: len(self.lines()) >= 4, "a long question")
        self.assertLessEqual(len(self.lines()[3]["data"]["asked"].encode()), 1_010)
        self.assertNotIn("reader", self.file.read_text().replace('"role":"read"', ""))

    def test_writes_and_refusals_are_no_reads(self):
        server = self.start("--audit-reads", self.file)
        server.rpc("records.write", {"records": [unit(3)]})
        server.rpc("admin.retention", {"dry_run": True})
        server.token = "nobody"
        with self.assertRaises(Exception):
            server.rpc("node.get", {"ref": "cu_1"})
        server.token = "boss"
        server.rpc("node.get", {"ref": "cu_1"})
        wait_until(lambda: self.lines(), "the read")
        self.assertEqual([line["data"]["method"] for line in self.lines()], ["node.get"])
        server.stop()

    def test_a_file_that_was_renamed_is_begun_again(self):
        server = self.start("--audit-reads", self.file, "--log", "json")
        server.rpc("node.get", {"ref": "cu_1"})
        wait_until(lambda: self.lines(), "the read")
        self.file.rename(self.folder / "older")
        server.signal(signal.SIGHUP)
        # Not when the file is there: it is made before the next lines go to it.
        wait_until(lambda: [line for line in server.stderr_lines if '"event":"reads_reopened"' in line], "the word of the new file")
        server.rpc("node.get", {"ref": "cu_2"})
        wait_until(lambda: self.lines(), "the next read")
        self.assertEqual((len(self.lines()), len(self.lines(self.folder / "older"))), (1, 1))

    def test_among_the_lines_of_the_log_or_nowhere(self):
        server = self.start("--audit-reads", "log", "--log", "json")
        server.rpc("node.get", {"ref": "cu_1"})
        [line] = wait_until(lambda: [line for line in server.stderr_lines if '"event":"read"' in line], "the line")
        self.assertEqual(json.loads(line)["data"]["method"], "node.get")
        server.stop()
        server = self.start("--log", "json")
        server.rpc("node.get", {"ref": "cu_1"})
        server.stop()
        self.assertFalse([line for line in server.stderr_lines if '"event":"read"' in line])

    def test_lines_that_a_full_disk_takes_not_are_counted_and_told(self):
        self.file.symlink_to("/dev/full")
        server = self.start("--audit-reads", self.file, "--log", "json")
        told = lambda: [json.loads(line) for line in server.stderr_lines if '"event":"reads_not_logged"' in line]
        server.rpc("node.get", {"ref": "cu_1"})
        wait_until(told, "the first line that was not written")
        server.rpc("node.get", {"ref": "cu_1"})
        server.rpc("node.get", {"ref": "cu_1"})
        self.file.unlink()  # there is room again
        server.signal(signal.SIGHUP)
        wait_until(lambda: self.file.exists(), "a new file")

        def accounted():  # the second and the third may have waited for the new file
            server.rpc("node.get", {"ref": "cu_2"})
            untold = sum(line["data"].get("untold_before", 0) for line in self.lines())
            return untold >= 1 and untold + sum("cu_1" in line["data"]["asked"] for line in self.lines()) >= 3

        wait_until(accounted, "every read to be in the file or among those that are told to be missing")
        self.assertEqual([(line["level"], bool(line["error"])) for line in told()], [("ERROR", True)])
        server.stop()

    def test_a_log_file_that_a_full_disk_takes_not_is_told_on_stderr(self):
        log = self.folder / "log"
        log.symlink_to("/dev/full")
        server = self.start("--log-file", log, "--log", "json")
        told = lambda: [json.loads(line) for line in server.stderr_lines if '"event":"log_failed"' in line]
        wait_until(told, "the word of it")
        server.stop()
        self.assertEqual([(line["level"], line["error"]) for line in told()], [("ERROR", "No space left on device")])

    def test_a_file_that_cannot_be_made_ends_the_start(self):
        with self.assertRaises(RuntimeError) as refused:
            Server(self.folder / "db", "--audit-reads", self.folder / "absent/reads")
        self.assertIn("absent/reads cannot be opened", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
