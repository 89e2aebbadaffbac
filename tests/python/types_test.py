"""The package's types hold under mypy's strict rules, where mypy is installed."""
import importlib.util
import subprocess
import sys
import tempfile
import unittest

from client_case import ROOT

USE = """
import whence

def use(db: whence.Client, other: whence.aio.Client) -> None:
    reveal_type(db.lineage.ancestors("resp_1", depth=2))
    reveal_type(db.lineage.manifest("resp_1"))
    reveal_type(other.trace("Keyword:x"))
    db.lineage.ancestors("resp_1", deep=2)
    db.lineage.path("cu_a")
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class TypesTest(unittest.TestCase):
    def mypy(self, *args):
        package = ROOT / "tools" / "python"
        with tempfile.TemporaryDirectory() as cache:
            return subprocess.run([sys.executable, "-m", "mypy", "--config-file", package / "pyproject.toml",
                                   "--cache-dir", cache, *args], cwd=package, capture_output=True, text=True)

    def test_the_package_is_strictly_typed(self):
        done = self.mypy("whence", "generate.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_wrong_call_is_found_and_answers_have_their_types(self):
        found = self.mypy("-c", USE).stdout
        for line in ('Revealed type is "whence.results.Result"', 'Revealed type is "builtins.dict[builtins.str, Any]"',
                     'Revealed type is "whence.aio.Result"', 'Unexpected keyword argument "deep"',
                     'Missing named argument "to"'):
            self.assertIn(line, found)


if __name__ == "__main__":
    unittest.main()
