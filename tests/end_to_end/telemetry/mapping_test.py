"""Claim: the mapping table in `net/capture/README.md` has exactly the rows of the one in the code, in their order.

Method: both are read as text.
"""
import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "net" / "capture"


class MappingTest(unittest.TestCase):
    def setUp(self):
        self.code = (FOLDER / "spans" / "mapping.cpp").read_text(encoding="utf-8")
        self.text = (FOLDER / "README.md").read_text(encoding="utf-8")
        self.conventions = dict(re.findall(r'std::string_view (\w+) = "([^"]+)"', self.code))

    def table(self, heading):
        part = self.text.split(heading + "\n")[1].split("\n### ")[0]
        return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in part.splitlines() if line.startswith("|")][2:]

    def test_kinds(self):
        rows = re.findall(r'\{"([^"]+)",\s*"([^"]*)",\s*Kind::(\w+),\s*(\w+)(?:,\s*(?:true|false))*\}', self.code)
        self.assertGreater(len(rows), 40)
        self.assertEqual(self.table("### What a span is"),
                         [(f"`{name}`", f"`{value}`" if value else "any", kind, self.conventions[whose]) for name, value, kind, whose in rows])

    def test_meanings(self):
        rows = re.findall(r'\{Meaning::(\w+),\s*"([^"]+)",\s*(true|false),\s*(\w+)\}', self.code)
        self.assertGreater(len(rows), 60)
        self.assertEqual(self.table("### What an attribute says"),
                         [(meaning, f"`{name}{'.N.…' if family == 'true' else ''}`", self.conventions[whose])
                          for meaning, name, family, whose in rows])

    def test_events(self):
        rows = re.findall(r'\{"([^"]+)",\s*"(\w+)",\s*(true|false)\}', self.code)
        self.assertEqual([row[0] for row in self.table("### Events")], [f"`{name}`" for name, _, _ in rows])

    def test_the_version_is_named(self):
        version = re.search(r"mapping_version = (\d+)", (FOLDER / "spans" / "mapping.hpp").read_text(encoding="utf-8")).group(1)
        self.assertIn(f"## The mapping table, version {version}\n", self.text)


if __name__ == "__main__":
    unittest.main()
