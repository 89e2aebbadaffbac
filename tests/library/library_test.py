"""Claim: a program of others finds the installed library, opens a store, also while a server writes it, and runs Boost.Graph on what
the store knows.

Method: the library is installed from this build into a folder of its own; the example is built against it by CMake, without
anything of the clone in reach; its answers on a small store are stated here.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))
from records import feedback, lines, response, unit  # noqa: E402
from whence_e2e import Server, whence  # noqa: E402

BUILD = os.environ["WHENCE_BUILD"]


def run(*args):
    done = subprocess.run([str(each) for each in args], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{args}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class LibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "usr", "--component", "dev")
        example = cls.folder / "usr/share/doc/whence-dev/example"
        run("cmake", "-S", example, "-B", cls.folder / "build", f"-DCMAKE_PREFIX_PATH={cls.folder / 'usr'}")
        run("cmake", "--build", cls.folder / "build")

    def analysed(self, db, ref):
        return run(self.folder / "build/analyse", db, ref).splitlines()

    def test_the_example_knows_effects_ranks_and_components(self):
        db = self.folder / "db"
        text = lines(unit("a"), unit("b"), response("1", a=1), response("2", a=1), response("3", b=1), feedback("1", "3", 1.0))
        self.assertEqual(whence("put", "-", "--db", db, stdin=text).returncode, 0)
        # The source of the third answer has one effect, so that all of its rank goes there. A rating has no influence.
        expected = ["effect 1 Response:resp_1", "effect 1 Response:resp_2", "highest rank Response:resp_3", "components 3"]
        self.assertEqual(self.analysed(db, "ContextUnit:cu_a"), expected)
        with Server(db) as server:
            server.rpc("records.write", {"records": [response("4", a=0.5, b=0.5)]})
            found = self.analysed(db, "ContextUnit:cu_a")
        self.assertEqual((found[2], found[-1]), ("effect 1 Response:resp_4", "components 2"))
        self.assertEqual(json.loads(whence("stats", "--db", db, "--json").stdout)["tx"], 2)  # nothing was written by it


if __name__ == "__main__":
    unittest.main()
