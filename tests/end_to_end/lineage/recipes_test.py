"""Claim: each recipe of queries/cypher/RECIPES.md prints on the demo's data what the document shows.

Method: the document is read; every query in it is asked with `whence query` of a store with the demo.
"""
import re
import tempfile
import unittest
from pathlib import Path

from support.program import whence

DOCUMENT = Path(__file__).resolve().parents[3] / "queries/cypher/RECIPES.md"


def recipes():
    """(question, query, arguments, output) of each recipe."""
    for part in re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)[1:]:
        query = re.search(r"^```cypher\n(.*?)^```", part, re.S | re.M)
        output = re.search(r"^```text\n(.*?)^```", part, re.S | re.M)
        arguments = [word for flag in re.findall(r"`--param ([^`]+)`", part) for word in ("--param", flag)]
        yield part.splitlines()[0], query and query[1], arguments, output and output[1]


class RecipesTest(unittest.TestCase):
    def test_each_prints_what_is_shown(self):
        self.assertEqual(len(list(recipes())), 23)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("demo", "--db", folder + "/db").returncode, 0)
            for question, query, arguments, output in recipes():
                with self.subTest(question):
                    self.assertTrue(query and output)
                    asked = whence("query", query, *arguments, "--db", folder + "/db")
                    self.assertEqual((asked.stdout, asked.stderr, asked.returncode), (output, "", 0))


if __name__ == "__main__":
    unittest.main()
