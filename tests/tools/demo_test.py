"""demo: the output that tools/DEMO.md shows, byte for byte, from a store and from a server."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from whence_e2e import Server, whence

DOCUMENT = Path(__file__).resolve().parents[2] / "tools" / "DEMO.md"
EXPECTED = re.search(r"^```console\n\$ whence demo\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.S | re.M)[1]


class DemoTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = folder.name + "/db"

    def test_prints_its_story(self):
        done = whence("demo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, EXPECTED)

    def test_a_second_run_changes_nothing(self):
        first, second = whence("demo", "--db", self.db), whence("demo", "--db", self.db)
        self.assertEqual((first.returncode, second.returncode), (0, 0), second.stderr)
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(json.loads(whence("stats", "--db", self.db, "--json").stdout)["tx"], 12)

    def test_serves_it(self):
        with Server(self.db, "--serve", verb=("demo",)) as server:
            self.assertEqual(server.rpc("server.info")["tx"], 12)
            done = whence("demo", "--url", server.url)
            self.assertEqual(done.stdout, EXPECTED)
            self.assertEqual(server.rpc("server.info")["tx"], 12)
            self.assertEqual(server.stop(), 0)
            *before, last = server.stdout_lines
            self.assertEqual("".join(before), f"{done.stdout}\nlistening on {server.address}\n")
            self.assertRegex(last, r"^serving 40 nodes and 63 edges, recovered in \d+\.\d{3} s \(12 transactions replayed\); page " + re.escape(server.address) + "/\n$")


if __name__ == "__main__":
    unittest.main()
