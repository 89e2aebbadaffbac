"""The commands shown in the documents print what is shown, one document after the other, each against a demo of its own.

Every block marked `console` is run: `$ ` starts a command, the lines below it are its output (stdout, then stderr). `...`
stands for any text; commit times are replaced by `T`. Commands that start with `tools/` are not run: they build.
"""
import doctest
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from whence_e2e import WHENCE, Server, clean_env

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "net/PROTOCOL.md", "tools/cli/README.md", "tools/OPERATIONS.md"]
COMMIT_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\.\d{3,9}Z")


def commands(text):
    """(command, expected output) of all console blocks of a document."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            if not command.startswith("tools/"):
                yield command, output


def same(expected, got):
    return doctest.OutputChecker().check_output(COMMIT_TIME.sub("T", expected), COMMIT_TIME.sub("T", got), doctest.ELLIPSIS)


class DocumentsTest(unittest.TestCase):
    def test_commands_print_what_is_shown(self):
        for name in DOCUMENTS:
            with self.subTest(document=name), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db", "--serve", "--files", folder + "/files", verb=("demo",)) as server:
                    self.run_document(name, Path(folder), server.url)

    def run_document(self, name, folder, url):
        path = f"{Path(WHENCE).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        env = clean_env(PATH=path, WHENCE_URL=url, TZ="UTC")
        (folder / "work").mkdir()
        for command, expected in commands((ROOT / name).read_text(encoding="utf-8")):
            done = subprocess.run(command, shell=True, cwd=folder / "work", env=env, capture_output=True, text=True,
                                  encoding="utf-8", timeout=120, check=False)
            got = done.stdout + done.stderr
            if not same(expected, got):
                self.fail(f"{name}: $ {command}\nexpected:\n{expected}\ngot:\n{got}")


if __name__ == "__main__":
    unittest.main()
