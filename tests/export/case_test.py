"""`whence export --format html`: flags, places and failures, and that no text ends the data. What a browser shows of a case is
tests/explorer/case_test.mjs. The form is a small one here: the built one needs npm."""
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import places  # noqa: F401
from records import feedback, response, unit
from whence_e2e import WHENCE, Server, clean_env, whence as run

FORM = ('<html><script type="application/json" id="case"></script><script type="application/json" id="proof"></script>'
        "<script>document</script></html>")
HOSTILE = "</script><script>alert(1)</script><!-- \u2028\u2029 & '\""


def data_of(text):
    return json.loads(re.search(r'id="case">(.*?)</script>', text, re.S)[1])


class CaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = Path(cls.folder.name)
        # The program looks for the form beside itself, so it is a copy that has one.
        (cls.place / "bin").mkdir()
        cls.program = cls.place / "bin" / "whence"
        shutil.copy2(WHENCE, cls.program)
        (cls.place / "bin/explorer").mkdir()
        for name, text in (("index.html", "<p>"), ("case.html", FORM)):
            (cls.place / "bin/explorer" / name).write_text(text)
        cls.db = cls.place / "db"
        cls.put(unit("a", content=HOSTILE, source=HOSTILE), response("1", a=1), response("2", a=1))
        cls.put(feedback("f", "1", -0.5))

    @classmethod
    def put(cls, *records):
        done = run("put", "--db", cls.db, stdin=json.dumps(list(records)))
        assert done.returncode == 0, done.stderr

    def export(self, *args, program=None):
        return subprocess.run([program or self.program, "export", *map(str, args)], capture_output=True, text=True, encoding="utf-8",
                              env=clean_env(), timeout=120)

    def case(self, *args):
        done = self.export(*args, "--db", self.db)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_it_has_an_answer_with_everything_it_rests_on(self):
        data = data_of(self.case("--format", "html", "--ref", "resp_1"))
        self.assertEqual(data["form"], 1)
        # What came of them is not in the case; how much there is, is.
        frontier = [{"ref": ref, "causes": 0, "effects": 1} for ref in ("Response:resp_1", "ContextUnit:cu_a")]
        self.assertEqual(data["cases"], [{"ref": "Response:resp_1", "refs": ["Response:resp_1", "ContextUnit:cu_a"], "frontier": frontier}])
        nodes = {node["ref"]: node for node in data["nodes"]}
        self.assertEqual(nodes["ContextUnit:cu_a"]["record"]["content"], HOSTILE)
        self.assertEqual([(edge["type"], edge["from"], edge["to"]) for edge in data["edges"]],
                         [("USED_IN", "ContextUnit:cu_a", "Response:resp_1")])
        ratings = next(each for each in data["answers"] if (each["method"], each["of"]) == ("feedback.list", "Response:resp_1"))
        self.assertEqual((ratings["result"]["feedback_count"], ratings["result"]["left"]), (1, 0))
        self.assertTrue(all("record" not in node for each in data["answers"] if each["result"] for node in each["result"].get("nodes", [])))

    def test_no_text_of_a_record_ends_the_data(self):
        text = self.case("--ref", "resp_1")
        self.assertEqual(text.count("</script>"), FORM.count("</script>"))
        for mark in ("<!--", "\u2028", "\u2029", "alert(1)<"):
            self.assertNotIn(mark, text)

    def test_it_is_of_one_moment(self):
        data = data_of(self.case("--ref", "resp_1", "--as-of", "1"))
        self.assertEqual(data["tx"], 1)
        ratings = next(each for each in data["answers"] if (each["method"], each["of"]) == ("feedback.list", "Response:resp_1"))
        self.assertEqual(ratings["result"]["feedback_count"], 0)

    def test_several_answers_share_their_records(self):
        data = data_of(self.case("--ref", "resp_1", "--ref", "resp_2"))
        self.assertEqual([each["ref"] for each in data["cases"]], ["Response:resp_1", "Response:resp_2"])
        self.assertEqual(len({node["ref"] for node in data["nodes"]}), len(data["nodes"]))

    def test_a_server_gives_the_same_and_its_form(self):
        with Server(self.db, "--explorer", self.place / "bin/explorer") as server:
            there = self.export("--ref", "resp_1", "--url", server.url, program=WHENCE if not self.has_own_form() else self.program)
        self.assertEqual((there.returncode, there.stderr), (0, ""))
        wanted, found = data_of(self.case("--ref", "resp_1")), data_of(there.stdout)
        for data in (wanted, found):
            del data["made"]
        self.assertEqual(found, wanted)

    @staticmethod
    def has_own_form():
        here = Path(WHENCE).resolve().parent
        return any((here / each / "index.html").exists() for each in ("explorer", "../explorer", "../share/whence/explorer"))

    def test_the_output_is_whole_or_not_there(self):
        out = self.place / "case.html"
        self.assertEqual(self.export("--ref", "resp_1", "-o", out, "--db", self.db).returncode, 0)
        first = out.read_text()
        taken = self.export("--ref", "resp_2", "-o", out, "--db", self.db)
        self.assertEqual((taken.returncode, out.read_text()), (5, first), taken.stderr)
        self.assertEqual(self.export("--ref", "resp_2", "-o", out, "--db", self.db, "--force").returncode, 0)
        self.assertEqual(data_of(out.read_text())["cases"][0]["ref"], "Response:resp_2")
        missing = self.export("--ref", "resp_3", "-o", self.place / "none.html", "--db", self.db)
        self.assertEqual((missing.returncode, (self.place / "none.html").exists()), (3, False), missing.stderr)
        self.assertEqual([each.name for each in self.place.glob("none*")], [])

    def test_flags_that_do_not_belong_to_it_are_refused(self):
        for args, said in ((["--format", "html"], "--ref REF is required"),
                           (["-o", "x.html"], "--ref REF is required"),
                           (["--ref", "resp_1", "--format", "dot"], "--ref is of --format html"),
                           (["--ref", "resp_1", "--ancestors", "resp_1"], "excludes"),
                           (["--ref", "resp_1", "--depth", "1"], "excludes"),
                           (["--ref", "resp_1", "--as-of", "soon"], "as-of"),
                           (sum((["--ref", "resp_1"] for _ in range(101)), []), "at most 100 answers")):
            with self.subTest(args[:4]):
                done = self.export(*args, "--db", self.db)
                self.assertIn(done.returncode, (2, 4), done.stderr)
                self.assertIn(said, done.stderr)

    def test_without_a_form_it_says_who_makes_it(self):
        bare = self.place / "bare"
        bare.mkdir()
        shutil.copy2(WHENCE, bare / "whence")
        done = self.export("--ref", "resp_1", "--db", self.db, program=bare / "whence")
        self.assertEqual(done.returncode, 1)
        self.assertIn("tools/explorer/build makes it", done.stderr)


if __name__ == "__main__":
    unittest.main()
