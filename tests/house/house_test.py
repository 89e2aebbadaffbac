"""Holds the tree against its own rules: who may include whom, where heavy headers may stand, what lies at the top."""
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Folder -> folders it may include besides itself.
MAY_INCLUDE = {
    "schema": set(),
    "graph": {"schema"},
    "store": {"schema"},
    "queries": {"graph", "schema"},
    "engine": {"graph", "store", "schema"},
    "net": {"engine", "queries", "graph", "schema"},
    "tools": {"schema", "graph", "store", "queries", "engine", "net"},
    "tests": {"schema", "graph", "store", "queries", "engine", "net", "tools"},
}

# Third-party header -> folders whose files may include it.
THIRD_PARTY = {
    r"lmdb\.h": {"store", "tests", "tools"},
    r"capnp/|kj/": {"schema"},
    r"openssl/": {"schema", "net", "tools"},
    r"boost/graph/": {"graph", "tests"},
    r"boost/(asio|beast)": {"net", "tools", "tests"},
    r"boost/json": {"schema", "queries", "net", "tools", "tests"},
    r"CLI/": {"tools"},
    r"sqlite3\.h|igraph": {"tools"},
}
# Heavy headers that no public header (one outside impl/) may pull into other files.
NOT_IN_PUBLIC_HEADERS = {
    r"lmdb\.h|capnp/|kj/|openssl/|boost/beast|CLI/": set(),
    r"boost/graph/": {"graph/boost/adapter.hpp"},
}
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "LICENSE",
             "engine", "graph", "store", "net", "schema", "queries", "tests", "tools"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def tracked():
    """Files git knows or would add, so that the test also speaks of what is not committed yet."""
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    return [Path(line) for line in out.splitlines() if (ROOT / line).exists()]


def sources():
    return [p for p in tracked() if p.suffix in (".hpp", ".cpp")]


class HouseTest(unittest.TestCase):
    def test_includes_point_down_only(self):
        wrong = []
        for path in sources():
            folder = path.parts[0]
            for kind, name in INCLUDE.findall((ROOT / path).read_text(encoding="utf-8")):
                target = name.split("/")[0]
                if kind == '"' and target in MAY_INCLUDE and target != folder and target not in MAY_INCLUDE[folder]:
                    wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_private_headers_stay_in_their_folder(self):
        wrong = [f"{path} includes {name}" for path in sources()
                 for kind, name in INCLUDE.findall((ROOT / path).read_text(encoding="utf-8"))
                 if "/impl/" in name and path.parts[0] not in (name.split("/")[0], "tests")]
        self.assertEqual(wrong, [])

    def test_third_party_headers_stay_where_they_are_wrapped(self):
        wrong = []
        for path in sources():
            for _, name in INCLUDE.findall((ROOT / path).read_text(encoding="utf-8")):
                for pattern, folders in THIRD_PARTY.items():
                    if re.match(pattern, name) and path.parts[0] not in folders:
                        wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_public_headers_are_light(self):
        wrong = []
        for path in sources():
            if path.suffix != ".hpp" or "impl" in path.parts or path.parts[0] in ("tests", "tools"):
                continue
            for _, name in INCLUDE.findall((ROOT / path).read_text(encoding="utf-8")):
                for pattern, allowed in NOT_IN_PUBLIC_HEADERS.items():
                    if re.match(pattern, name) and str(path) not in allowed:
                        wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_headers_say_what_they_are_for(self):
        silent = [str(p) for p in sources() if p.suffix == ".hpp"
                  and not re.match(r"#pragma once\n//", (ROOT / p).read_text(encoding="utf-8"))]
        self.assertEqual(silent, [])

    def test_top_level_holds_only_its_folders(self):
        extra = {p.parts[0] for p in tracked()} - TOP_LEVEL
        self.assertEqual({name for name in extra if not name.startswith(".")}, set())

    def test_every_folder_has_a_readme(self):
        missing = [folder for folder in MAY_INCLUDE if not (ROOT / folder / "README.md").is_file()]
        self.assertEqual(missing, [])

    def test_links_between_documents_lead_somewhere(self):
        broken = []
        for path in (p for p in tracked() if p.suffix == ".md"):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / path).read_text(encoding="utf-8")):
                if "://" not in target and not (ROOT / path.parent / target).exists():
                    broken.append(f"{path}: {target}")
        self.assertEqual(broken, [])


if __name__ == "__main__":
    unittest.main()
