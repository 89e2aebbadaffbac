"""Claim: each question of tools/QUESTIONS.md is answered alike by every door: command line, method, openCypher, Python.

Method: the document is read, and its blocks run as they stand against a server with the demo. Each gives its first list of refs.
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support.program import Server, clean_env, whence

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "tools/QUESTIONS.md"
FIRST = {"lineage.diff": "added", "impact.without": "answers", "lineage.stale": "sources"}
PROGRAM = """
import json, sys, whence
with whence.connect(sys.argv[1]) as db:
    found = {expression}
    items = found.all() if hasattr(found, "all") else found
    first = {first!r}
    items = found[first] if first else items
    print(json.dumps([item["ref"] for item in items]))
"""


def questions():
    """(title, {kind: text}) of each."""
    for part in re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)[1:]:
        yield part.splitlines()[0], dict(re.findall(r"^```(\w+)\n(.*?)^```", part, re.S | re.M))


class QuestionsTest(unittest.TestCase):
    def test_every_door_says_the_same(self):
        found = list(questions())
        self.assertEqual(len(found), 6)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("demo", "--db", folder + "/db").returncode, 0)
            with Server(folder + "/db") as server:
                for title, doors in found:
                    with self.subTest(title):
                        self.check(server, doors)

    def check(self, server, doors):
        method, _, params = doors["rpc"].strip().partition(" ")
        answer = server.rpc(method, json.loads(params))
        first = FIRST.get(method)
        want = [node["ref"] for node in answer[first or "nodes"]]
        self.assertTrue(want)
        words = doors["sh"].split()
        self.assertEqual(words.pop(0), "whence")
        shown = whence(*words, "--url", server.url)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for ref in want:
            self.assertIn(ref, shown.stdout)
        if "cypher" in doors:
            rows = server.rpc("query", {"cypher": doors["cypher"]})["rows"]
            self.assertEqual([row[0] for row in rows], want)
        program = PROGRAM.format(expression=doors["python"].strip(), first=first)
        done = subprocess.run([sys.executable, "-c", program, server.url], env={**clean_env(), "PYTHONPATH": str(ROOT / "tools/python")},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), want)


if __name__ == "__main__":
    unittest.main()
