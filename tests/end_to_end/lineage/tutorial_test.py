"""Claim: tools/TUTORIAL.md leads, word by word, from a bad rating to its cause and to better answers.

Method: its commands run in their order in an empty folder, with its own stand-in for a model at a free port; each line of a `text` block is in
what the commands before it printed.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support.program import WHENCE, clean_env, free_ports, wait_until

DOCUMENT = Path(__file__).resolve().parents[3] / "tools/TUTORIAL.md"


def answers(port):
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


class TutorialTest(unittest.TestCase):
    def start_model(self, folder, port):
        model = subprocess.Popen([sys.executable, "model.py"], cwd=folder, stderr=subprocess.DEVNULL)
        self.addCleanup(model.wait)
        self.addCleanup(model.kill)
        wait_until(lambda: answers(port), "the model")

    def run_commands(self, text, folder, env):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
        return done.stdout

    def test_every_command_does_what_is_said(self):
        [port], printed, checked = free_ports(1), "", 0
        tutorial = DOCUMENT.read_text(encoding="utf-8").replace("11435", str(port))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(WHENCE, f"{folder}/whence")
            env = clean_env()
            env["PATH"] = f"{folder}:{env['PATH']}"
            for kind, text in re.findall(r"^```(\w+)\n(.*?)^```", tutorial, re.S | re.M):
                if kind == "python":
                    Path(folder, "model.py").write_text(text, encoding="utf-8")
                elif text == "python3 model.py\n":
                    self.start_model(folder, port)
                elif kind == "sh":
                    printed = self.run_commands(text, folder, env)
                else:
                    for line in text.splitlines():
                        self.assertIn(line, printed)
                        checked += 1
        self.assertGreater(checked, 16)


if __name__ == "__main__":
    unittest.main()
