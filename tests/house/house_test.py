"""Holds the tree against its own rules: include directions, shown headers, circles, folder sizes, words, the top level."""
import re
import subprocess
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from rooms import FACADES, MAY_INCLUDE, ROOMS, SHOWN

ROOT = Path(__file__).resolve().parents[2]

# Third-party header -> folders whose files may include it.
THIRD_PARTY = {
    r"lmdb\.h": {"store", "tests", "tools"},
    r"capnp/|kj/|.*\.capnp\.h": {"schema"},
    r"xercesc/": {"schema", "tools"},
    r"openssl/": {"schema", "net", "tools", "tests"},
    r"boost/graph/": {"graph", "tests"},
    r"boost/(asio|beast)": {"net", "tools", "tests"},
    r"boost/json": {"schema", "queries", "net", "tools", "tests"},
    r"CLI/": {"tools"},
    r"sqlite3\.h": {"store", "tests", "tools"},
    r"histedit\.h": {"tools"},
    r"igraph": {"tools"},
    r"nats/": {"store", "tools"},
}
# Heavy headers, which no header that a folder shows to others may pull in.
HEAVY = {
    r"lmdb\.h|sqlite3\.h|nats/|capnp/|kj/|openssl/|xercesc/|boost/beast|CLI/": {"net/stream/close_codes.hpp"},
    r"boost/graph/": {"graph/boost/"},
}
# A header of Beast -> what specializes a function of it, for every file that includes it: otherwise the program has two
# definitions of that function, and the linker says nothing.
SPECIALIZED = {"boost/beast/websocket/stream.hpp": "net/stream/close_codes.hpp"}
# A folder is a domain: one that holds more sources than this is asking to be split.
SOURCES_MAX = 25
# Folders named for nothing that is in them.
NAMELESS = {"impl", "detail", "util", "utils", "common", "misc", "helper", "helpers"}
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "LICENSE",
             "engine", "graph", "store", "net", "schema", "queries", "tests", "tools"}
README_LINES_MAX = 150
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SOURCE_SUFFIXES = {".hpp", ".cpp", ".py", ".js", ".mjs", ".capnp"}


def tracked():
    """Files git knows or would add, so that the test also speaks of what is not committed yet."""
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    return [Path(line) for line in out.splitlines() if (ROOT / line).exists()]


def sources():
    return [p for p in tracked() if p.suffix in (".hpp", ".cpp")]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def own_includes(path):
    """The project's headers that a file includes, as paths from the root."""
    return [name for kind, name in INCLUDE.findall(text(path)) if kind == '"' and name.split("/")[0] in MAY_INCLUDE]


def is_shown(name, shown):
    """Whether `name`, a path below its folder, is one of `shown`: equal to it, or in a shown subfolder (`records/`)."""
    return any(name == each or (each.endswith("/") and name.startswith(each)) for each in shown)


def room_of(path):
    """The room of a path: the folders below the first, as they are written in ROOMS; empty at a folder's root."""
    return "/".join(path.parts[1:-1])


def unit(path):
    """A header and its source are one unit."""
    return str(path.with_suffix("")) if isinstance(path, Path) else re.sub(r"\.(hpp|cpp)$", "", path)


def circles(edges):
    """The groups of nodes that reach each other (Tarjan's strongly connected components), each of two or more."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in list(edges):
        if root in number:
            continue
        work = [(root, iter(sorted(edges[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = []
                    while True:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                        if group[-1] == node:
                            break
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


class HouseTest(unittest.TestCase):
    def test_includes_point_down_only(self):
        wrong = []
        for path in sources():
            folder = path.parts[0]
            for name in own_includes(path):
                target = name.split("/")[0]
                if target != folder and target not in MAY_INCLUDE[folder]:
                    wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_rooms_include_only_rooms_below_them(self):
        wrong, seen = [], 0
        for path in sources():
            folder, room = path.parts[0], room_of(path)
            if room not in ROOMS.get(folder, ()):
                continue
            for name in own_includes(path):
                if name.startswith(folder + "/") and not name.endswith(".capnp.h"):
                    seen += 1
                    target = room_of(Path(name))
                    if target not in ROOMS[folder] or ROOMS[folder].index(target) > ROOMS[folder].index(room):
                        wrong.append(f"{path} includes {name}")
        self.assertGreater(seen, 1000)
        self.assertEqual(wrong, [])

    def test_every_source_is_in_a_room(self):
        loose = [str(path) for path in sources() if path.parts[0] in ROOMS and room_of(path) not in ROOMS[path.parts[0]]
                 and not (len(path.parts) == 2 and path.stem in FACADES.get(path.parts[0], ()))]
        self.assertEqual(loose, [])
        empty = [f"{folder}/{room}" for folder, rooms in ROOMS.items() for room in rooms if not (ROOT / folder / room).is_dir()]
        self.assertEqual(empty, [])

    def test_circles_are_found(self):
        self.assertEqual(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}), [["a", "b", "c"]])
        self.assertEqual(circles({"a": {"b"}, "b": {"c"}, "c": set()}), [])

    def test_no_units_include_each_other_in_a_circle(self):
        edges = defaultdict(set)
        for path in sources():
            edges[unit(path)].update(unit(name) for name in own_includes(path) if unit(name) != unit(path))
        self.assertGreater(len(edges), 100)
        self.assertEqual(circles(edges), [])

    def test_folders_include_only_what_others_show(self):
        wrong, seen = [], 0
        for path in sources():
            for name in own_includes(path):
                folder, _, rest = name.partition("/")
                if folder in SHOWN and path.parts[0] not in (folder, "tests"):
                    seen += 1
                    if not is_shown(rest, SHOWN[folder]):
                        wrong.append(f"{path} includes {name}")
        self.assertGreater(seen, 100)
        self.assertEqual(wrong, [])

    def test_what_is_shown_exists(self):
        missing = [f"{folder}/{each}" for folder, shown in SHOWN.items() for each in shown
                   if not (ROOT / folder / each).exists()]
        self.assertEqual(missing, [])

    def test_third_party_headers_stay_where_they_are_wrapped(self):
        wrong = []
        for path in sources():
            for _, name in INCLUDE.findall(text(path)):
                for pattern, folders in THIRD_PARTY.items():
                    if re.match(pattern, name) and path.parts[0] not in folders:
                        wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_specializations_are_known_wherever_they_count(self):
        wrong, seen = [], 0
        for path in sources():
            names = {name for _, name in INCLUDE.findall(text(path))}
            for header, ours in SPECIALIZED.items():
                if header in names and str(path) != ours:
                    seen += 1
                    if ours not in names:
                        wrong.append(f"{path} includes {header} without {ours}")
        self.assertGreater(seen, 2)
        self.assertEqual(wrong, [])

    def test_shown_headers_are_light(self):
        wrong = []
        for path in sources():
            folder = path.parts[0]
            if path.suffix != ".hpp" or folder in ("tests", "tools"):
                continue
            if not is_shown(str(path.relative_to(folder)), SHOWN[folder]):
                continue
            for _, name in INCLUDE.findall(text(path)):
                for pattern, allowed in HEAVY.items():
                    if re.match(pattern, name) and not any(str(path).startswith(each) for each in allowed):
                        wrong.append(f"{path} includes {name}")
        self.assertEqual(wrong, [])

    def test_no_folder_holds_too_much(self):
        sizes = Counter(str(p.parent) for p in tracked() if p.suffix in SOURCE_SUFFIXES)
        self.assertEqual({name: size for name, size in sizes.items() if size > SOURCES_MAX}, {})

    def test_folders_are_named_for_what_is_in_them(self):
        wrong = [str(p) for p in tracked() if NAMELESS & {part.lower() for part in p.parts[:-1]}]
        self.assertEqual(wrong, [])

    def test_headers_state_their_purpose(self):
        silent = [str(p) for p in sources() if p.suffix == ".hpp" and not re.match(r"#pragma once\n//", text(p))]
        self.assertEqual(silent, [])

    def test_sources_compile_under_clang_14(self):
        """clang 14 refuses what returns a `subrange` or is a view of libstdc++ 12; only the fuzz build would tell."""
        names = re.compile(r"ranges::(unique|remove|remove_if|partition|stable_partition|equal_range|subrange|find_end)\b|\bviews::")
        found = [str(p) for p in sources() if p.parts[0] != "tests" and names.search(text(p))]
        self.assertEqual(found, [])

    def test_tests_compiled_together_name_things_differently(self):
        """Of a folder with unity: which files share a unit changes with every new file."""
        defined = re.compile(r"(?! )(?:(?:struct|class|enum class) (\w+)\b(?!.*;)|(?:constexpr|const)\b[^()=]*?\b(\w+)(?:\[\w*\])? ?[={]"
                             r"|[\w:<>,&* ]+ [\w&*]*?\b(\w+\([^()]*\)) \{)")
        for build in sorted((ROOT / "tests").glob("*/CMakeLists.txt")):
            if not re.search(r" UNITY|whence_unity", build.read_text(encoding="utf-8")):
                continue
            places = {}
            for path in sorted(build.parent.rglob("*.cpp")):
                for line in path.read_text(encoding="utf-8").splitlines():
                    found = defined.match(line)
                    if found and not line.startswith("BOOST"):
                        name = next(filter(None, found.groups()))
                        self.assertIn(places.setdefault(name, path), (path,), f"{name} is in {path} too")

    def test_tests_sleep_in_their_polling_helpers_only(self):
        """A result is waited for by polling with a deadline, never by a pause that is hoped to be long enough."""
        helpers = {"tests/tools/whence_e2e.py", "tests/support/wait_until.hpp", "tests/hostile/attack.py"}
        sleep = re.compile(r"\b(?:time\.sleep|sleep_for|sleep_until|usleep|nanosleep|this_thread::yield)\s*\(|asyncio\.sleep\((?!0\))")
        found = [str(p) for p in tracked() if p.parts[0] == "tests" and p.suffix in (".py", ".hpp", ".cpp")
                 and p != Path("tests/house/house_test.py") and sleep.search((ROOT / p).read_text(encoding="utf-8"))]
        self.assertEqual(set(found) - helpers, set())

    def test_top_level_holds_only_its_folders(self):
        extra = {p.parts[0] for p in tracked()} - TOP_LEVEL
        self.assertEqual({name for name in extra if not name.startswith(".")}, set())

    def test_every_folder_has_a_readme(self):
        missing = [folder for folder in MAY_INCLUDE if not (ROOT / folder / "README.md").is_file()]
        self.assertEqual(missing, [])

    def test_the_readme_leads_to_every_document(self):
        """Its table "I want to ..." has a row for each."""
        table = text(Path("README.md")).partition("## I want to ...")[2]
        linked = {str(Path(target)) for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", table)}
        documents = {str(path) for path in tracked() if path.suffix == ".md"} - {"README.md"}
        self.assertGreater(len(documents), 40)
        self.assertEqual(documents - linked, set())

    def test_the_documents_of_operations_are_short_and_have_contents(self):
        """So does the manual of the command line: above the first section stands a link to each."""
        operations = sorted(path for path in tracked() if path.parent == Path("tools/operations"))
        self.assertGreaterEqual(len(operations), 5)
        for path in operations:
            with self.subTest(path):
                self.assertLessEqual(len(text(path).split()), 3000)
        for path in [*(path for path in operations if path.name != "README.md"), Path("tools/cli/README.md")]:
            with self.subTest(path):
                head, *sections = re.split(r"^## (?=.*\n)", text(path), flags=re.M)
                names = [re.sub(r"[^a-z0-9 -]", "", section.splitlines()[0].lower()).replace(" ", "-") for section in sections]
                self.assertEqual([name for name in names if f"](#{name})" not in head], [])

    def test_the_readme_stays_short(self):
        self.assertLessEqual(len(text(Path("README.md")).splitlines()), README_LINES_MAX)

    def test_links_between_documents_lead_somewhere(self):
        broken = []
        for path in (p for p in tracked() if p.suffix == ".md"):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text(path)):
                if "://" not in target and not (ROOT / path.parent / target).exists():
                    broken.append(f"{path}: {target}")
        self.assertEqual(broken, [])

    def test_files_that_comments_name_are_there(self):
        comment = re.compile(r"(?:^|\s)(?://+<?|\*|#)\s(.*)")
        named = re.compile(r"(?<![\w./-])((?:%s)/[\w./-]*\.(?:%s))\b" % ("|".join(MAY_INCLUDE), "|".join("hpp cpp py js mjs capnp md xsd".split())))
        wrong, seen = [], 0
        for path in (p for p in tracked() if p.suffix in SOURCE_SUFFIXES):
            for said in filter(None, map(comment.search, text(path).splitlines())):
                seen += len(names := named.findall(said[1]))
                wrong += [f"{path}: {name}" for name in names if not (ROOT / name).exists()]
        self.assertGreater(seen, 80)
        self.assertEqual(wrong, [])

    def test_nothing_refers_to_texts_outside_the_tree(self):
        pattern = re.compile(r"\bS[0-4]('s)?\b(?![\"'\]])|\bfine[- ]print\b|\bspec(ification)? section\b|\b[CLW]\d{1,2}\b(?= \()")
        found = []
        for path in tracked():
            if path.suffix not in SOURCE_SUFFIXES | {".md", ".xsd", ".cmake"} or path == Path("tests/house/house_test.py"):
                continue
            for number, line in enumerate(text(path).splitlines(), 1):
                if pattern.search(line):
                    found.append(f"{path}:{number}: {line.strip()[:100]}")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
