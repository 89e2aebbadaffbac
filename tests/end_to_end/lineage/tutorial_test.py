"""Claim: tools/TUTORIAL.md leads, word by word, from a bad rating to its cause and to answers without it.

Method: its commands run in their order in an empty folder, with a scripted model as the end point; each line of a `text` block is in
what the commands before it printed.
"""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from lineage.replay_test import Model
from support.program import WHENCE, clean_env

DOCUMENT = Path(__file__).resolve().parents[3] / "tools/TUTORIAL.md"


class Clerk(Model):
    def __init__(self):
        super().__init__({})

    def answer(self, messages):
        text = messages[-1]["content"]
        assert "22:00" not in text, text
        return "That is not in the handbook."


class TutorialTest(unittest.TestCase):
    def test_every_command_does_what_is_said(self):
        with tempfile.TemporaryDirectory() as folder, Clerk() as clerk:
            os.symlink(WHENCE, f"{folder}/whence")
            env = clean_env(MODEL_URL=clerk.url)
            env["PATH"] = f"{folder}:{env['PATH']}"
            printed, checked = "", 0
            for kind, text in re.findall(r"^```(\w+)\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.S | re.M):
                if kind == "sh":
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=env, capture_output=True, text=True,
                                          timeout=120)
                    self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
                    printed = done.stdout
                else:
                    for line in text.splitlines():
                        self.assertIn(line, printed)
                        checked += 1
            self.assertEqual(clerk.asked, 2)
            self.assertGreater(checked, 12)


if __name__ == "__main__":
    unittest.main()
