"""validate: output lines, exit codes, no file or socket opened, agreement with the XSD files."""
import json
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from whence_e2e import WHENCE, clean_env, seed_of_run, whence

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "xml"
XSD = ROOT / "schema" / "xml"
GOOD = "<llmResponse><response>r</response><analysis><summaryUpdate/></analysis></llmResponse>"
CLEAN = ("<llmResponse><response>" + "r" * 100 + "</response><analysis><subject name=\"a\" description=\"" + "d" * 50 + "\" isNew=\"true\">"
         + "".join(f'<keyword term="{term}" confidence="0.9"/>' for term in "xyz") + "</subject><summaryUpdate/></analysis></llmResponse>")


class ValidateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def test_prints_nothing_for_a_valid_document(self):
        done = whence("validate", DATA / "valid" / "query.xml", DATA / "valid" / "response.xml")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_prints_one_line_for_an_error(self):
        path = self.file("a.xml", "<llmResponse>\n <response> </response>\n</llmResponse>")
        done = whence("validate", path)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stdout, rf"\A{re.escape(str(path))}:2:2: error: R3: empty_content: .*\n\Z")

    def test_prints_one_line_for_each_warning(self):
        path = self.file("a.xml", CLEAN.replace("<response>", "stray\n<response>"))
        done = whence("validate", path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rf"\A{re.escape(str(path))}:1:14: warning: stray_text: .*\n\Z")

    def test_warns_of_what_is_short_missing_and_not_escaped(self):
        done = whence("validate", self.file("a.xml", GOOD.replace(">r<", ">a > b<")))
        rules = re.findall(r"warning: (\w+): ", done.stdout)
        self.assertEqual((done.returncode, rules), (0, ["response_length", "bare_mark", "subject_count"]))
        self.assertIn(":1:26: warning: bare_mark: a > should be written as &gt; (/llmResponse/response)\n", done.stdout)

    def test_the_instructions_hold_a_document_without_warnings(self):
        done = whence("xml-instructions")
        example = re.search(r"<llmResponse>.*</llmResponse>", done.stdout, re.DOTALL)[0]
        checked = whence("validate", "--format", "llm-response", "-", stdin=example)
        self.assertEqual((done.returncode, checked.returncode, checked.stdout), (0, 0, ""))
        self.assertEqual(json.loads(whence("xml-instructions", "--json").stdout), {"version": 1, "text": done.stdout})

    def test_reads_standard_input(self):
        done = whence("validate", "-", stdin="<x/>")
        self.assertEqual(done.returncode, 4)
        self.assertTrue(done.stdout.startswith("-:1:1: error: R2: missing_element: "), done.stdout)

    def test_expects_the_given_format(self):
        path = self.file("a.xml", GOOD)
        self.assertEqual(whence("validate", "--format", "llm-response", path).returncode, 0)
        done = whence("validate", "--format", "llm-query", path)
        self.assertEqual(done.returncode, 4)
        self.assertIn(":1:1: error: Q2: missing_element: ", done.stdout)
        self.assertEqual(whence("validate", "--format", "html", path).returncode, 2)
        self.assertEqual(whence("validate").returncode, 2)

    def test_continues_after_a_file_that_cannot_be_read(self):
        good, bad = self.file("a.xml", CLEAN), self.file("b.xml", "<x/>")
        done = whence("validate", self.folder / "none", self.folder, good)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(whence("validate", self.folder, good).returncode, 1)
        self.assertEqual(done.stderr.count("cannot be read"), 2)
        done = whence("validate", self.folder / "none", bad, good)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (4, 1))
        self.assertEqual(whence("validate", bad, self.folder / "none").returncode, 4)

    def test_prints_one_json_document(self):
        good, bad = self.file("a.xml", CLEAN.replace("<summary", "x<summary")), self.file("b.xml", "\n<x/>")
        done = whence("validate", "--json", good, bad, self.folder / "none")
        self.assertEqual(done.returncode, 4)
        first, second, third = json.loads(done.stdout)["files"]
        self.assertEqual((first["valid"], first["format"], first["warnings"][0]["rule"]), (True, "llm-response", "stray_text"))
        self.assertFalse(second["valid"])
        self.assertEqual({k: second["error"][k] for k in ("error", "rule", "line", "column", "path")},
                         {"error": "missing_element", "rule": "R2", "line": 2, "column": 1, "path": "/x"})
        self.assertTrue(third["unreadable"])

    def test_a_huge_file_takes_no_memory(self):
        path = self.folder / "huge.xml"
        with path.open("wb") as out:
            out.write(b"<llmResponse>")
            out.truncate(1 << 34)
        done = whence("validate", path, timeout=20)
        self.assertEqual(done.returncode, 4)
        self.assertIn(":1:1: error: limit: limit_exceeded: ", done.stdout)


HOSTILE = {
    "external_entity": '<!DOCTYPE llmResponse [<!ENTITY x SYSTEM "file://{secret}">]>' + GOOD.replace(">r<", ">&x;<"),
    "parameter_entity": '<!DOCTYPE llmResponse [<!ENTITY % x SYSTEM "file://{secret}">%x;]>' + GOOD,
    "external_dtd": '<!DOCTYPE llmResponse SYSTEM "http://127.0.0.1:9/x.dtd">' + GOOD,
    "public_dtd": '<?xml version="1.0"?><!-- --><!DOCTYPE llmResponse PUBLIC "-//x" "{secret}">' + GOOD,
    "bomb": "<!DOCTYPE a [" + "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(20)) + "]>" + GOOD.replace(">r<", ">&e20;<"),
    "schema_hint": GOOD.replace("<llmResponse>", '<llmResponse xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
                                'xsi:noNamespaceSchemaLocation="http://127.0.0.1:9/x.xsd" xsi:schemaLocation="n {secret}">'),
    "schema_hint_in_namespace": GOOD.replace("<llmResponse>", '<llmResponse xmlns="n" xmlns:xsi="http://www.w3.org/2001/'
                                             'XMLSchema-instance" xsi:schemaLocation="n http://127.0.0.1:9/x.xsd n {secret}">'),
    "include": GOOD.replace(">r<", '>r<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret}" parse="text"/><'),
    "stylesheet": '<?xml-stylesheet href="{secret}"?>' + GOOD,
    "base": GOOD.replace("<llmResponse>", '<llmResponse xml:base="http://127.0.0.1:9/">'),
    "latin1": '<?xml version="1.0" encoding="ISO-8859-1"?>' + GOOD,
}


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class NothingIsFetchedTest(unittest.TestCase):
    """Claim: a document makes the program open no file and no socket. Method: the calls of a run over each hostile document
    are those of a run over a harmless one."""

    def calls(self, path):
        log = path.with_suffix(".strace")
        done = subprocess.run(["strace", "-f", "-e", "trace=openat,open,connect,socket", "-o", log, WHENCE, "validate", path],
                              capture_output=True, text=True, env=clean_env(), timeout=60)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        lines = [re.sub(r"^\d+\s+", "", line) for line in log.read_text().splitlines()]
        return done.returncode, [line.replace(str(path), "FILE") for line in lines if re.match(r"(open|openat|connect|socket)\(", line)]

    def test_nothing_is_opened_or_connected_to(self):
        with tempfile.TemporaryDirectory() as folder:
            harmless = Path(folder) / "harmless.xml"
            harmless.write_text(GOOD)
            code, expected = self.calls(harmless)
            self.assertEqual(code, 0)
            self.assertTrue(any("FILE" in line for line in expected), expected)
            for name, text in HOSTILE.items():
                with self.subTest(name):
                    secret = Path(folder) / "secret"
                    secret.write_text("secret")
                    path = Path(folder) / f"{name}.xml"
                    path.write_text(text.replace("{secret}", str(secret)))
                    self.assertEqual(self.calls(path)[1], expected)


class Documents:
    """Random documents of known elements and attributes only: some hold every rule, others break one or more."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def rarely(self, odd, usual):
        return odd if self.random.random() < 0.04 else usual

    def white(self):
        return self.random.choice(["", "", "", " ", "\n\t", "<!-- c -->", "<?p?>", "&#32;", "stray"])

    def text(self):
        usual = self.pick("text", " text ", "a\nb", "&lt;b&gt;", "<![CDATA[<x>]]>", "\U0001F600", "\u00a0", "a&#13;b")
        return self.rarely(self.pick("", " ", "\n\t ", "&#9;", "<![CDATA[ ]]>"), usual)

    def words(self, bound):
        count = self.rarely(bound + 1, self.random.randint(0, bound))
        items = [self.pick("a", " b c ", "\u5927", "d&amp;e", "&#10;f") for _ in range(count)]
        for _ in range(self.random.randint(0, 2)):
            items.insert(self.random.randint(0, len(items)), self.pick("", " ", "\n"))
        return ",".join(items)

    def name(self):
        usual = self.pick("a", "college-savings", "With Space", "\u00e9", " x", "x ", "a\tb", "y" * 255, "\U0001F600" * 255)
        return self.rarely(self.pick("", " ", "a&#9;b", "a&#10;", "&#x7F;", "\u0085", "z" * 256, "\U0001F600" * 256), usual)

    def confidence(self):
        usual = self.pick("0", "1", "0.5", "1.0", "-0", "+0.5", ".5", "5.e-1", "1e-1", "1E-1", "0.", "1.", "10e-1", "1e-400", "-1e-400",
                          "00.5", "1e0", "0e5", "0.05e1", "99e-2", "100e-2", "0.1e1", "1.00000000000000001", "123.4e-3")
        bad = self.pick("", " 0.5", "0.5 ", "&#10;0.5", "1.1", "-0.1", "2", "INF", "NaN", "-INF", "1e1", "1e400", "0,5", "e1", ".", "+", "0x1",
                        "101e-2", "0.2e1", "1e-", "0.5f", "--0", "10e-0", "1.01e0", "-1e-10")
        return self.rarely(bad, usual)

    def count(self):
        usual = self.pick("0", "1", "12", "+5", "-0", "007", "9223372036854775807", "0009223372036854775807", "9199999999999999999")
        return self.rarely(self.pick("", "-1", " 1", "1 ", "1.0", "9223372036854775808", "10000000000000000000", "x", "1e3", "+"), usual)

    def attributes(self, pairs):
        pairs = [pair for pair in pairs if self.random.random() > 0.01]
        self.random.shuffle(pairs)
        return "".join(f" {name}={quote}{value}{quote}" for name, value in pairs for quote in (self.pick('"', "'"),))

    def element(self, name, inside="", pairs=()):
        tag = name + self.attributes(list(pairs))
        return f"<{tag}/>" if inside == "" and self.random.random() < 0.5 else f"<{tag}>{inside}</{name}>"

    def children(self, elements):
        elements = [e for e in elements if self.random.random() > 0.01]
        if elements and self.random.random() < 0.01:
            elements.append(self.random.choice(elements))
        self.random.shuffle(elements)
        return self.white() + "".join(element + self.white() for element in elements)

    def keyword(self):
        return self.element("keyword", self.rarely(self.white(), ""), [("term", self.name()), ("confidence", self.confidence())])

    def subject(self):
        keywords = [self.keyword() for _ in range(self.rarely(11, self.random.randint(0, 3)))]
        new = self.rarely(self.pick("1", "0", "TRUE", " true", "yes", ""), self.pick("true", "false"))
        return self.element("subject", self.children(keywords), [("name", self.name()), ("description", self.text_attribute()), ("isNew", new)])

    def text_attribute(self):
        return self.rarely(self.pick("", " ", "&#9;"), self.pick("d", " d ", "long " * 60, "&quot;"))

    def response(self):
        subjects = [self.subject() for _ in range(self.rarely(4, self.random.randint(0, 3)))]
        analysis = self.children(subjects + [self.element("summaryUpdate", self.pick("", " ", "s"))])
        return self.element(self.rarely("response", "llmResponse"), self.children(
            [self.element("response", self.text()), self.element("analysis", analysis)]))

    def query(self):
        lists = [self.element("activeSubjects", self.words(20)), self.element("recentKeywords", self.words(50))]
        context = self.element("context", self.children(self.random.sample(lists, self.random.randint(0, 2))),
                               [("topicId", self.text_attribute()), ("messageCount", self.count())])
        message = self.rarely("m" * 10001, self.rarely("\U0001F600" * 10000, self.text()))
        return self.element(self.rarely("llmquery", "llmQuery"), self.children([self.element("userMessage", message), context]))


@unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed")
class SchemaTest(unittest.TestCase):
    """Claim: on documents without unknown parts the XSD files and whence agree. Method: libxml2 validates the same documents."""

    def xmllint(self, xsd, paths):
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--huge", "--schema", XSD / f"{xsd}.xsd", *paths],
                              capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 1, 3, 4), done.stderr)
        return {line.rsplit(" ", 1)[0] for line in done.stderr.splitlines() if line.endswith(" validates")}, done.stderr

    def compare(self, kind, documents):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, text in enumerate(documents):
                paths.append(Path(folder) / f"{i}.xml")
                paths[-1].write_bytes(text.encode())
            accepted, said = self.xmllint(kind, paths)
            files = json.loads(whence("validate", "--json", "--format", kind, *paths).stdout)["files"]
            for path, text, checked in zip(paths, documents, files, strict=True):
                with self.subTest(text[:2000]):
                    self.assertEqual(str(path) in accepted, checked["valid"],
                                     str(checked) + "\n".join(line for line in said.splitlines() if line.startswith(str(path))))
        return sum(file["valid"] for file in files)

    def test_agrees_on_random_documents(self):
        seed = seed_of_run()
        made = Documents(seed)
        for kind, make in (("llm-query", made.query), ("llm-response", made.response)):
            valid = self.compare(kind, [make() for _ in range(400)])
            self.assertTrue(40 < valid < 360, f"{valid} of 400 {kind} are valid: too one-sided to mean something")

    def test_agrees_on_every_number(self):
        numbers = ["0", "1", "0.5", "5.", "5.e-1", ".5", "+.5", "-0", "-0.0", "-.0e9", "1e-400", "-1e-400", "1e400", "1.0000000000000002",
                   "1.00000000000000001", "1" + "0" * 20 + "e-20", "9" * 20 + "e-20", "9" * 20 + "e-19", "0." + "0" * 20 + "9e20",
                   "0." + "0" * 19 + "11e20", " 0.5", "0.5 ", "INF", "NaN", "1e", "e1", ".", "1.5", "0.9e1", "12e-1", "12e-2", "1e-01"]
        self.compare("llm-response", [GOOD.replace("<summary", f'<subject name="a" description="d" isNew="true"><keyword term="k" confidence="{n}"/></subject>'
                                                   "<summary") for n in numbers])
        limit = (1 << 63) - 1
        counts = [limit + d for d in range(-30, 31)] + [10**k + d for k in range(25) for d in (-1, 0)]
        counts = [str(n) for n in counts] + ["+5", "-0", "-00", "-1", "+-1", "007", "+0" + str(limit), "", " 1", "1 ", "1.", "x"]
        self.compare("llm-query", [f'<llmQuery><userMessage>u</userMessage><context topicId="t" messageCount="{n}"/></llmQuery>' for n in counts])


if __name__ == "__main__":
    unittest.main()
