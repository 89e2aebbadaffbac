"""Claim: an export that does not end well leaves nothing under the final name, and one that was there before is as it
was or new, never in between. Method: exports of a store with a few megabytes are killed and interrupted at moments
spread over their time, and run into a limit on the size of a file.
"""
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import data
from export_case import FORMATS, OK, ExportCase, files_of, manifest_of, new_path
from whence_e2e import WHENCE, Server, clean_env

UNITS, BATCH = int(os.environ.get("WHENCE_EXPORT_UNITS", "6000")), 1000
KILLS = int(os.environ.get("WHENCE_EXPORT_KILLS", "4"))
KILLED_FORMATS = ("jsonl", "graphml", "csv", "prov-json")


def limit_files(size):
    """For the child: a write beyond `size` bytes of a file fails with an error instead of a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run_for(process, seconds):
    """Returns after that time, or when the process has ended: a moment to interrupt it at."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


class InterruptedTest(ExportCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.db = folder.name + "/db"
        with Server(cls.db) as server:
            for begin in range(0, UNITS, BATCH):
                server.rpc("records.write", {"records": [data.unit(f"cu_{i}", summary="s" * 400)
                                                         for i in range(begin, begin + BATCH)]})
            server.stop()

    def start(self, format, path, *args, **more):
        return subprocess.Popen([WHENCE, "export", "--db", self.db, "--format", format, "-o", str(path), *args], env=clean_env(),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def finish(self, process):
        with process:
            message = process.stderr.read().decode(errors="replace")
            return process.wait(120), message

    def whole(self, format):
        """A finished export and how long it took."""
        path, begin = new_path(), time.monotonic()
        self.assertEqual(self.finish(self.start(format, path))[0], OK)
        return files_of(path), time.monotonic() - begin

    def check_left(self, path, code, whole, before=None):
        """Under the final name is nothing, or the whole export, or the earlier one."""
        if code == OK:
            self.assertEqual(list(files_of(path).values()), list(whole.values()))
            self.assertEqual(len(manifest_of(path)["files"]), len(whole))
        elif before is None:
            self.assertFalse(os.path.lexists(path) and list(files_of(path).values()) != list(whole.values()),
                             "part of it is there")
        else:
            self.assertIn(path.read_bytes(), (before, *whole.values()))

    def check_signal(self, format, number, may_leave_partial):
        whole, seconds = self.whole(format)
        for n in range(KILLS):
            path = new_path()
            process = self.start(format, path)
            run_for(process, seconds * (n + 1) / (KILLS + 1))
            process.send_signal(number)
            code, _ = self.finish(process)
            self.check_left(path, code, whole)
            others = [p.name for p in path.parent.iterdir() if p.name not in (path.name, path.name + ".manifest.json")]
            if not may_leave_partial:
                self.assertEqual(others, [])
            for other in others:
                self.assertRegex(other, rf"^{re.escape(path.name)}(\.manifest\.json)?\.partial-[0-9a-f]{{32}}$")
            if others:
                self.assertEqual(self.finish(self.start(format, path, "--force"))[0], OK)
                self.assertEqual([p.name for p in path.parent.iterdir() if ".partial-" in p.name], [], "swept by the next")

    def test_killed(self):
        for format in KILLED_FORMATS:
            with self.subTest(format):
                self.check_signal(format, signal.SIGKILL, True)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                for format in KILLED_FORMATS[:3]:
                    self.check_signal(format, number, False)

    def test_killed_while_replacing(self):
        whole, seconds = self.whole("dot")
        for n in range(KILLS):
            path = new_path()
            path.write_bytes(b"before")
            process = self.start("dot", path, "--force")
            run_for(process, seconds * (n + 1) / (KILLS + 1))
            process.kill()
            code, _ = self.finish(process)
            self.check_left(path, code, whole, b"before")

    def test_no_more_room(self):
        for format in FORMATS:
            with self.subTest(format):
                path = new_path()
                code, message = self.finish(self.start(format, path, preexec_fn=lambda: limit_files(100_000)))
                self.assertNotEqual(code, OK)
                self.assertTrue(message.strip(), "it reports why")
                self.assertEqual([p.name for p in path.parent.iterdir()], [])

    def test_no_more_room_while_replacing(self):
        path = new_path()
        path.write_bytes(b"before")
        code, _ = self.finish(self.start("graphml", path, "--force", preexec_fn=lambda: limit_files(100_000)))
        self.assertNotEqual(code, OK)
        self.assertEqual([(p.name, p.read_bytes()) for p in path.parent.iterdir()], [(path.name, b"before")])

    def test_a_reader_of_standard_output_that_goes_away(self):
        with subprocess.Popen([WHENCE, "export", "--db", self.db, "--format", "jsonl"], env=clean_env(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(1000)
            process.stdout.close()
            process.stderr.read()
            self.assertNotIn(process.wait(60), (OK, -signal.SIGSEGV, -signal.SIGABRT))


if __name__ == "__main__":
    unittest.main()
