"""`whence query`: tables, JSON and CSV of what openCypher answers, from a store and from a server; errors; the prompt."""
import codecs
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

from whence_e2e import WHENCE, Server, clean_env, open_terminal, wait_until, whence

SOURCES = """MATCH (u:ContextUnit)-[used:USED_IN]->(r:Response {id: 'resp_20251011_00126'})
RETURN u, used, used.weight AS weight ORDER BY weight DESC"""


class QueryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.db = cls.folder.name + "/db"
        made = whence("demo", "--db", cls.db)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def asked(self, *args, **options):
        return whence("query", *args, "--db", self.db, **options)

    def test_a_table_shows_nodes_relations_and_numbers(self):
        asked = self.asked(SOURCES)
        self.assertEqual((asked.returncode, asked.stderr), (0, ""))
        self.assertEqual(asked.stdout.splitlines(), [
            "u                                                                                   used               weight",
            "ContextUnit:cu_values_yaml_005  Helm values configuration, retired cluster removed  -[USED_IN 0.65]->    0.65",
            "ContextUnit:cu_argo_appset_001  ArgoCD AppSets with SCM filtering                   -[USED_IN 0.35]->    0.35"])

    def test_a_path_is_one_line_with_stored_directions(self):
        path = self.asked("""MATCH p = (:ContextUnit {id: 'cu_values_yaml_002'})<-[:DERIVED_FROM]-(:ContextUnit)-[:USED_IN]->()
                             RETURN p""").stdout.splitlines()[1]
        self.assertEqual(path, "ContextUnit:cu_values_yaml_002 <-[DERIVED_FROM]- ContextUnit:cu_values_yaml_005 "
                               "-[USED_IN 0.65]-> Response:resp_20251011_00126")

    def test_lists_and_maps_are_json_with_refs(self):
        row = self.asked("MATCH (u:ContextUnit {id: 'cu_family_006'}) RETURN [u, 1, 'a'] AS list, {unit: u, none: null} AS map, null AS nil")
        self.assertEqual(row.stdout.splitlines()[1].split("  "),
                         ['["ContextUnit:cu_family_006",1,"a"]', '{"none":null,"unit":"ContextUnit:cu_family_006"}', ""])

    def test_numbers_keep_their_digits(self):
        self.assertEqual(self.asked("RETURN 0.1 + 0.2 AS a, 1234567.25 AS b, 9007199254740993 AS c").stdout.splitlines()[1].split(),
                         ["0.3", "1234567.25", "9007199254740993"])

    def test_a_zero_keeps_its_sign(self):
        self.assertEqual(self.asked("RETURN -0.0 AS z, 0.0 = -0.0 AS e").stdout.splitlines()[1].split(), ["-0.0", "true"])
        self.assertEqual(self.asked("RETURN [-0.0, 0.0] AS list, {z: -0.0} AS map").stdout.splitlines()[1].split(), ["[-0.0,0]", '{"z":-0.0}'])

    def test_numbers_of_a_plain_call_are_as_the_server_wrote_them(self):
        called = whence("rpc", "query", json.dumps({"cypher": "RETURN -0.0 AS z, [-0.0, 0, 1e19] AS l"}), "--db", self.db)
        self.assertIn('"rows":[[-0.0,[-0.0,0,1e+19]]]', called.stdout)

    def test_a_float_beyond_integers_is_written_with_an_exponent(self):
        for form in ("table", "json", "csv"):
            written = self.asked("RETURN 1e19 AS a, [1.5e19] AS b", *([] if form == "table" else ["--" + form])).stdout
            self.assertIn("1e+19", written, form)
            self.assertIn("[1.5e+19]", written, form)

    def test_without_rows_the_columns_are_printed(self):
        self.assertEqual(self.asked("MATCH (n:Nothing) RETURN n.a AS first, n.b AS second").stdout, "first  second\n")

    def test_control_characters_are_escaped(self):
        asked = self.asked("RETURN $text AS `a\tb`", "--param", 'text="x\\u001b[31my"')
        self.assertEqual(asked.stdout, "a\\tb\nx\\u001b[31my\n")

    def test_json_is_the_methods_result_from_store_and_server(self):
        local = json.loads(self.asked(SOURCES, "--json").stdout)
        self.assertEqual((local["columns"], local["complete"], len(local["rows"])), (["u", "used", "weight"], True, 2))
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db", "--serve", verb=("demo",)) as server:
            remote = json.loads(whence("query", SOURCES, "--json", "--url", server.url).stdout)
        self.assertEqual(remote["rows"], local["rows"])

    def test_csv_is_read_back_by_a_reader_of_csv(self):
        asked = subprocess.run([WHENCE, "query", "UNWIND [1, 2] AS n RETURN n, 'a \"b\", c\nd' AS text, null AS nil, [n] AS list",
                                "--csv", "--db", self.db], capture_output=True, env=clean_env(), check=True)
        text = asked.stdout.decode()
        self.assertTrue(text.startswith("n,text,nil,list\r\n"))
        rows = list(csv.reader(io.StringIO(text, newline="")))
        self.assertEqual(rows, [["n", "text", "nil", "list"], ["1", 'a "b", c\nd', "", "[1]"], ["2", 'a "b", c\nd', "", "[2]"]])
        self.assertEqual(self.asked(SOURCES, "--csv").stdout.splitlines()[1], "ContextUnit:cu_values_yaml_005,-[USED_IN 0.65]->,0.65")

    def test_parameters_are_json(self):
        asked = self.asked("RETURN $a AS a, $b.c AS c", "--param", "a=[1,2]", "--param", 'b={"c":"d=e"}')
        self.assertEqual(asked.stdout.splitlines()[1].split(), ["[1,2]", "d=e"])
        for args, words in [(["a=x"], "double quotes"), (["a"], "NAME=JSON"), (["=1"], "NAME=JSON")]:
            with self.subTest(args):
                refused = self.asked("RETURN $a", "--param", *args)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(words, refused.stderr)
        self.assertIn("twice", self.asked("RETURN $a", "--param", "a=1", "--param", "a=2").stderr)

    def test_a_moment_and_a_limit(self):
        count = "MATCH (n) RETURN count(*) AS n"
        self.assertEqual(self.asked(count, "--as-of", "0").stdout.split(), ["n", "0"])
        self.assertLess(int(self.asked(count, "--as-of", "2").stdout.split()[1]), int(self.asked(count).stdout.split()[1]))
        some = self.asked("UNWIND range(1, 25000) AS n RETURN n", "--limit", "12000")
        self.assertEqual((len(some.stdout.splitlines()), some.stdout.splitlines()[-1].strip()), (12001, "12000"))
        self.assertEqual(some.stderr, "whence: there are more rows than 12000\n")
        self.assertEqual(len(self.asked("UNWIND range(1, 25000) AS n RETURN n").stdout.splitlines()), 25001)
        self.assertEqual(self.asked(count, "--limit", "0").returncode, 2)

    def test_smaller_pages_of_a_server_give_all_rows(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db", "--page", "7") as server:
            shown = whence("query", "UNWIND range(1, 30) AS n RETURN n", "--csv", "--url", server.url)
        self.assertEqual(shown.stdout.split(), ["n", *map(str, range(1, 31))], shown.stderr)

    def test_the_query_comes_from_standard_input(self):
        for args in (["-"], []):
            with self.subTest(args):
                self.assertEqual(self.asked(*args, stdin="RETURN 1 AS n;\n").stdout.split(), ["n", "1"])
        self.assertEqual(self.asked("-", stdin="  \n").returncode, 2)

    def test_an_error_shows_its_place(self):
        refused = self.asked("MATCH (n)\nRETURN\tn.a +")
        self.assertEqual(refused.returncode, 4)
        lines = refused.stderr.splitlines()
        self.assertRegex(lines[0], r"^whence: SyntaxError .*at line 2, column \d+: ")
        self.assertEqual(lines[1], "RETURN n.a +")
        self.assertRegex(lines[2], r"^ +\^$")
        self.assertEqual(self.asked("CREATE (n)").returncode, 4)
        self.assertEqual(self.asked("RETURN $a").returncode, 4)

    def test_plans(self):
        self.assertIn("Expand", self.asked("EXPLAIN MATCH (a)-[:USED_IN]->(b) RETURN b").stdout)
        profile = self.asked("PROFILE MATCH (a:Topic) RETURN a.name AS name").stdout
        self.assertTrue(profile.startswith("name\nFamily planning\n"))
        self.assertIn("rows 1", profile)

    def test_wrong_usage(self):
        self.assertEqual(self.asked("RETURN 1", "--json", "--csv").returncode, 2)
        self.assertEqual(whence("query", "RETURN 1", "--db", self.folder.name + "/none").returncode, 3)


class PromptTest(unittest.TestCase):
    """The prompt on a pseudo-terminal."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.assertEqual(whence("demo", "--db", self.folder.name + "/db").returncode, 0)
        self.near, far = open_terminal(self)
        self.program = subprocess.Popen([WHENCE, "query", "--db", self.folder.name + "/db", "--color", "never"], stdin=far,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_env())
        os.close(far)
        os.set_blocking(self.program.stdout.fileno(), False)
        self.seen, self.decoder = "", codecs.getincrementaldecoder("utf-8")()  # a letter may come in parts
        self.addCleanup(self.stop)

    def stop(self):
        self.program.kill()
        self.program.wait()
        self.program.stdout.close()
        os.close(self.near)

    def says(self, text):
        """Waits until the output has `text`, and forgets the output up to there."""
        def is_there():
            self.seen += self.decoder.decode(self.program.stdout.read() or b"")
            return text in self.seen
        wait_until(is_there, f"{text!r} in {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, line):
        os.write(self.near, line.encode() + b"\n")

    def test_statements_end_with_a_semicolon(self):
        self.says("whence> ")
        self.type("RETURN 'a;b' AS text,")
        self.says("   ...> ")
        self.type("1 AS n; RETURN 2 AS m;")
        self.says("text  n\na;b   1\n")
        self.says("m\n2\n")
        self.says("whence> ")
        self.type("RETURN ;")
        self.says("SyntaxError")
        self.says("whence> ")
        self.type(":param who=\"Ann\"")
        self.says("whence> ")
        self.type("RETURN $who AS who;")
        self.says("who\nAnn\n")
        self.says("whence> ")
        self.type(":history")
        self.says("2  RETURN 2 AS m")
        self.says("whence> ")
        self.type(":run 2")
        self.says("m\n2\n")
        self.says("whence> ")
        self.type(":run 99")
        self.says(":history lists")
        self.type(":nothing")
        self.says("no command is called")
        self.type(":quit")
        self.assertEqual(self.program.wait(60), 0)

    def test_a_semicolon_in_a_text_a_name_or_a_comment_ends_nothing(self):
        for statement, answer in [("RETURN 'it\\'s;' AS a;", "a\nit's;\n"), ('RETURN "\\";" AS b;', 'b\n";\n'), ("RETURN 1 AS `;c`;", ";c\n 1\n"),
                                  ("RETURN /* ; */ 2 AS d;", "d\n2\n"), ("RETURN 3 // ;", None), ("AS e;", "e\n3\n"), (";;", None)]:
            with self.subTest(statement):
                self.type(statement)
                if answer:
                    self.says(answer)
        self.type("RETURN 'never ended;")
        self.type(":clear")
        self.type("RETURN 4 AS f;")
        self.says("f\n4\n")

    def test_the_end_of_input_ends_it(self):
        self.says("whence> ")
        os.write(self.near, b"\x04")
        self.assertEqual(self.program.wait(60), 0)


class EditedPromptTest(unittest.TestCase):
    """The prompt whose lines are edited: both ends of the talk are a terminal."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.assertEqual(whence("demo", "--db", self.folder.name + "/db").returncode, 0)
        self.near, far = open_terminal(self)
        self.program = subprocess.Popen([WHENCE, "query", "--db", self.folder.name + "/db", "--color", "never"], stdin=far, stdout=far,
                                        stderr=far, env=clean_env(TERM="xterm", LC_ALL="C.UTF-8"), start_new_session=True)
        os.close(far)
        os.set_blocking(self.near, False)
        self.seen, self.decoder = "", codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.addCleanup(self.stop)
        self.says("whence> ")

    def stop(self):
        self.program.kill()
        self.program.wait()
        os.close(self.near)

    def says(self, text):
        """Waits until the terminal has shown `text` since the last call, without what moves the cursor."""
        def is_there():
            try:
                self.seen += self.decoder.decode(os.read(self.near, 65536))
            except BlockingIOError:
                pass
            return text in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x07]", "", self.seen)
        wait_until(is_there, f"{text!r} in {self.seen!r}")
        self.seen = ""

    def type(self, keys):
        os.write(self.near, keys.encode())

    def test_tab_completes_words_of_the_language_and_names_of_the_graph(self):
        self.type("mat\t (t:Topi\t) ret\t t.na\t AS name;\r")
        self.says("name\nFamily planning")
        self.type("MATCH (n:S\t")
        self.says("SummaryEntry")  # what else it may be is listed
        self.type("\x15RETURN 5 AS five;\r")
        self.says("five\n   5")

    def test_arrow_keys_bring_back_what_was_asked(self):
        self.type("RETURN 'zwölf' AS word;\r")
        self.says("word\nzwölf")
        self.type("RETURN 1 AS n;\r")
        self.says("n\n1")
        self.type("\x1b[A\x1b[A\r")
        self.says("word\nzwölf")
        self.type("\x04")
        self.assertEqual(self.program.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
