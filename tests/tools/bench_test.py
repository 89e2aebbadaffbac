"""bench: runs the program beside it; if there is none, explains how to build it."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from whence_e2e import WHENCE, clean_env, whence


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.whence = Path(folder.name) / "whence"
        shutil.copy(WHENCE, self.whence)

    def run_bench(self, *args):
        return subprocess.run([self.whence, "bench", *args], capture_output=True, text=True, env=clean_env(), timeout=120)

    def test_passes_its_arguments_and_exit_code_on(self):
        sibling = self.whence.with_name("whence-bench")
        sibling.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 5\n')
        sibling.chmod(0o755)
        for given, passed in [([], [""]), (["wire", "--repeats", "3"], ["wire", "--repeats", "3"]),
                              (["--repeats", "3", "wire"], ["--repeats", "3", "wire"]),
                              (["wire", "--help"], ["wire", "--help"]), (["--dir", "a b"], ["--dir", "a b"])]:
            with self.subTest(given):
                done = self.run_bench(*given)
                self.assertEqual((done.returncode, done.stdout.splitlines()), (5, passed), done.stderr)

    def test_a_missing_program_is_explained(self):
        done = self.run_bench("wire")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("tools/setup bench", done.stderr)
        self.assertIn("tools/build", done.stderr)

    def test_is_listed(self):
        self.assertIn("bench ", whence("--help").stdout)


if __name__ == "__main__":
    unittest.main()
