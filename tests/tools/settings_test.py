"""The precedence of settings: flag, then environment, then file, then default."""
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from records import lines, unit
from whence_e2e import WHENCE, Server, clean_env, whence


class SettingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stores = {}
        for number, name in enumerate(("flag", "environment", "file", "default"), 1):
            self.stores[name] = self.folder / ("whence-data" if name == "default" else name)
            text = lines(*({"records": [unit(str(i))]} for i in range(number)))
            self.assertEqual(whence("load", "-", "--db", self.stores[name], stdin=text).returncode, 0)

    def config(self, text):
        path = self.folder / "whence.conf"
        path.write_text(text)
        return path

    def tx(self, *args, **env):
        done = whence("stats", "--json", *args, env=clean_env(**env), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["tx"]

    def test_flag_then_environment_then_file(self):
        config = self.config(f'db = "{self.stores["file"]}"\n')
        env = {"WHENCE_DB": str(self.stores["environment"])}
        self.assertEqual(self.tx("--db", self.stores["flag"], "--config", config, **env), 1)
        self.assertEqual(self.tx("--config", config, **env), 2)
        self.assertEqual(self.tx("--config", config), 3)
        self.assertEqual(self.tx(WHENCE_CONFIG=str(config)), 3)

    def test_serve_uses_its_default_store(self):
        process = subprocess.Popen([WHENCE, "serve", "--listen", "127.0.0.1:0"], cwd=self.folder, text=True, env=clean_env(),
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        url = process.stdout.readline().split()[-1]
        self.assertEqual(self.tx("--url", url), 4)
        process.terminate()
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()

    def test_a_section_is_for_one_verb(self):
        config = self.config(f'[stats]\ndb = "{self.stores["file"]}"\n[serve]\nlog = "json"\n')
        self.assertEqual(self.tx("--config", config), 3)
        done = whence("find", "--type", "Topic", "--config", config, "--url", "http://127.0.0.1:1")
        self.assertEqual(done.returncode, 6)

    def test_serve_reads_all_three(self):
        config = self.config('allow-origin = ["http://a.example", "http://b.example"]\nlog = "json"\nlisten = "127.0.0.1:1"\n')
        with Server(self.folder / "db", "--config", config, env=clean_env(WHENCE_LOG="text")) as server:
            self.assertEqual(server.stop(), 0)
            self.assertFalse(server.stderr_lines[0].startswith("{"), "the environment's form wins over the file's")

    def test_unknown_settings_are_usage_errors(self):
        for text in ("dbb = 1\n", "[nosuch]\ndb = 1\n"):
            done = whence("stats", "--config", self.config(text))
            self.assertEqual(done.returncode, 2)
        self.assertEqual(whence("stats", "--config", self.folder / "none").returncode, 2)

    def test_numbers_have_bounds_that_can_be_read(self):
        for args, said in ((("--io-threads", "100000"), "not in range 1 to 1024"), (("--workers", "0"), "not in range 1 to 1024"), (("--deprecate-below", "2"), "not in range -1"),
                           (("--max-message", "0"), "0 is not a number from 1 on"), (("--drain", "-1"), "-1 is not a number from 0 on"),
                           (("--memory-for-requests", "1G"), "1G is not a number from 1 on")):
            with self.subTest(args):
                done = whence("serve", "--db", self.folder / "none", *args)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{args[0]}: ", done.stderr)
                self.assertIn(said, done.stderr)

    def test_a_setting_of_one_value_that_is_set_twice_is_refused_wherever_it_stands(self):
        between = 'page = 5\n'
        for text in ('listen = "127.0.0.1:0"\n', '[serve]\nlisten = "127.0.0.1:0"\n'):
            config = self.config(text + between + 'listen = "127.0.0.1:1"\n')
            done = whence("serve", "--print-config", "--config", config)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("listen is set more than once", done.stderr)

    def test_lines_of_a_setting_of_several_values_are_one_list(self):
        config = self.config('log = "json"\npage = 5\nlog = "nats://127.0.0.1:1/graph"\n')
        self.assertIn('\nlog = ["json", "nats://127.0.0.1:1/graph"]\n', self.print_config("--config", config))

    def test_two_graphs_are_a_usage_error(self):
        done = whence("stats", "--db", self.stores["flag"], "--url", "http://127.0.0.1:1")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(whence("stats", "--url", "nonsense").returncode, 2)

    def print_config(self, *args, **env):
        done = whence("serve", "--print-config", *args, env=clean_env(**env), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_printed_file_has_every_setting_once(self):
        listed = re.findall(r"^  --([a-z-]+)", whence("serve", "--help").stdout.partition("Settings (or")[2], re.M)
        named = re.findall(r"^#?([a-z-]+) = ", self.print_config(), re.M)
        self.assertGreater(len(listed), 30)
        self.assertEqual(named, listed)
        variables = re.findall(r"Variable: (WHENCE_[A-Z_]+)\.$", self.print_config(), re.M)
        self.assertEqual(variables, ["WHENCE_" + name.upper().replace("-", "_") for name in listed])

    def test_the_printed_file_sets_nothing_and_its_defaults_are_the_defaults(self):
        printed = self.print_config()
        self.assertFalse([line for line in printed.splitlines() if line and not line.startswith("#")])
        with Server(self.folder / "db", "--config", self.config(printed)) as server:
            self.assertEqual(server.stop(), 0)
        numbers = re.sub(r"^#([a-z-]+ = [-0-9.]+)$", r"\1", printed, flags=re.M)
        self.assertNotEqual(numbers, printed)
        self.assertEqual(self.print_config("--config", self.config(numbers)), numbers)
        with Server(self.folder / "db", "--config", self.config(numbers)) as server:
            self.assertEqual(server.stop(), 0)

    def test_a_switch_is_printed_as_it_is(self):
        printed = self.print_config(WHENCE_TOKEN_SYNC_REPAIR="true", WHENCE_NO_SEARCH="false")
        for line in ("#token-sync-validation = false", "token-sync-repair = true", "no-search = false"):
            self.assertIn("\n" + line + "\n", printed)
        self.assertNotIn("on by default", printed)
        self.assertEqual(self.print_config("--config", self.config(printed)), printed)

    def test_a_password_in_an_address_is_not_printed(self):
        printed = self.print_config("--log", "nats://anna:secret@a.example:4222,nats://token@b.example/graph", "--log", "json")
        self.assertIn('\nlog = ["nats://anna:***@a.example:4222,nats://***@b.example/graph", "json"]\n', printed)
        self.assertNotIn("secret", printed)

    def test_what_is_given_is_printed_and_read_back(self):
        given = ("--db", "a b", "--allow-origin", "http://a.example", "--allow-origin", "http://b.example", "--no-search",
                 "--embedding", "small=384", "--system-prompt-tokens", "1,2,3", "--deprecate-below", "-0.25")
        printed = self.print_config(*given, WHENCE_MODE="capture")
        for line in ('db = "a b"', 'allow-origin = ["http://a.example", "http://b.example"]', "no-search = true",
                     'embedding = "small=384"', "system-prompt-tokens = [1, 2, 3]", "deprecate-below = -0.25", 'mode = "capture"'):
            self.assertIn("\n" + line + "\n", printed)
        self.assertEqual(self.print_config("--config", self.config(printed)), printed)


if __name__ == "__main__":
    unittest.main()
