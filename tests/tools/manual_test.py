"""Completion, run by the shells themselves, and the manual page: both know every verb and flag of the parser."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from whence_e2e import WHENCE, clean_env, open_terminal, wait_until, whence

# What is typed, and what it is completed to, in any order.
TYPED = [
    ("whence ge", ["get"]),
    ("whence checkp", ["checkpoint"]),
    ("whence find Resp", ["Response"]),
    ("whence ancestors --edge-ty", ["--edge-types"]),
    ("whence ancestors cu_a --form g", ["graph"]),
    ("whence ancestors --node-types Response,Cont", ["Response,ContextUnit"]),
    ("whence descendants --edge-types USED", ["USED_IN"]),
    ("whence get cu_a --include record,st", ["record,status"]),
    ("whence export --format gr", ["graphml"]),
    ("whence why cu_a --color a", ["always", "auto"]),
    ("whence completion f", ["fish"]),
    ("whence put --mode ca", ["capture"]),
]


def verbs():
    return re.findall(r"^  ([a-z][\w-]*) ", whence("--help").stdout, re.M)


def flags_of(verb):
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", whence(verb, "--help").stdout, re.M))


class Shell(unittest.TestCase):
    def need(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"no program {program}")

    def script(self, shell):
        done = whence("completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "completion"
        path.write_text(done.stdout, encoding="utf-8")
        return path

    def run_shell(self, *command, cwd=None):
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=clean_env(), timeout=60, cwd=cwd, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class BashTest(Shell):
    def complete(self, *typed, cwd=None):
        """What bash offers for each of these lines."""
        self.need("bash")
        words = [" ".join(line.split()) + (' ""' if line.endswith(" ") else "") for line in typed]
        tries = "".join(f"COMP_WORDS=({each}); "
                        'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _whence; echo "${COMPREPLY[*]}"\n' for each in words)
        path = self.script("bash")
        return [line.split() for line in self.run_shell("bash", "--norc", "-c", f"source '{path}'\n{tries}", cwd=cwd).splitlines()]

    def test_bash_completes_verbs_flags_and_values(self):
        for (line, wanted), offered in zip(TYPED, self.complete(*(line for line, _ in TYPED)), strict=True):
            with self.subTest(line):
                self.assertEqual(sorted(offered), sorted(wanted))

    def test_bash_offers_every_verb_and_every_flag(self):
        names = verbs()
        offered = self.complete("whence ", *(f"whence {verb} -" for verb in names))
        self.assertEqual(offered[0], names)
        for verb, flags in zip(names, offered[1:], strict=True):
            with self.subTest(verb):
                self.assertEqual(set(flags), flags_of(verb))

    def test_bash_completes_values_after_an_equals_sign(self):
        self.assertEqual(self.complete("whence ancestors --form = e", "whence ancestors --form ="), [["edges"], ["nodes", "edges", "graph"]])

    def test_bash_completes_files_where_a_file_is_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "facts.ndjson").touch()
            (Path(folder) / "store").mkdir()
            self.assertEqual(self.complete("whence load fa", "whence stats --db st", "whence stats --db fa", "whence get fa", cwd=folder),
                             [["facts.ndjson"], ["store"], [], []])


class FishTest(Shell):
    def test_fish_completes_verbs_flags_and_values(self):
        self.need("fish")
        path = self.script("fish")
        with tempfile.TemporaryDirectory() as folder:
            for line, wanted in TYPED:
                with self.subTest(line):
                    offered = self.run_shell("fish", "--no-config", "-c", f"source '{path}'; complete -C '{line}'", cwd=folder)
                    self.assertEqual(sorted(each.split("\t")[0] for each in offered.splitlines()), sorted(wanted))


class ZshTest(Shell):
    def test_zsh_completes_verbs_flags_and_values(self):
        self.need("zsh")
        path = self.script("zsh")
        self.run_shell("zsh", "-fn", str(path))
        main, side = open_terminal(self)
        shell = subprocess.Popen(["zsh", "-fi"], stdin=side, stdout=side, stderr=side, env=clean_env(TERM="dumb"), start_new_session=True)
        os.close(side)
        os.set_blocking(main, False)
        self.addCleanup(os.close, main)
        self.addCleanup(shell.wait)
        self.addCleanup(shell.kill)
        seen = ""

        def has_seen(text):
            nonlocal seen
            try:
                seen += os.read(main, 65536).decode(errors="replace")
            except BlockingIOError:
                pass
            return text in seen

        os.write(main, f"autoload -U compinit; compinit -u -D; source '{path}'; PS1=; print rea''dy\n".encode())
        wait_until(lambda: has_seen("ready"), "zsh starts")
        for line, wanted in TYPED:
            if len(wanted) > 1:
                continue
            with self.subTest(line):
                seen = ""
                os.write(main, (line + "\t").encode())
                whole = line.rsplit(" ", 1)[0] + " " + wanted[0]
                wait_until(lambda whole=whole: has_seen(whole), f"{whole!r} is on the screen: {seen!r}")
                os.write(main, b"\x15")  # clears the line


class ManualTest(Shell):
    def test_the_page_names_every_verb_and_flag(self):
        page = whence("manual").stdout.replace("\\-", "-")
        for verb in verbs():
            self.assertIn(f"\n.SS {verb}\n", page)
            part = page.split(f"\n.SS {verb}\n")[1].split("\n.S")[0]
            for flag in flags_of(verb) - {"--help", "--config"}:
                self.assertIn(f"\\fB{flag}\\fR", part, verb)
        for code in range(9):
            self.assertIn(f"{code} ", page.split("EXIT CODES")[1])

    def test_man_and_mandoc_find_nothing_wrong(self):
        page = whence("manual").stdout
        tried = 0
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "whence.1"
            path.write_text(page, encoding="utf-8")
            for command in (["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(path)], ["groff", "-man", "-ww", "-Tutf8", str(path)],
                            ["mandoc", "-Tlint", "-W", "warning", str(path)]):
                if shutil.which(command[0]) is None:
                    continue
                tried += 1
                with self.subTest(command[0]):
                    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=clean_env(), timeout=60, check=False)
                    # A page without a date is the same for every build of a version.
                    said = [line for line in (done.stderr + (done.stdout if command[0] == "mandoc" else "")).splitlines() if "missing date" not in line]
                    self.assertEqual(said, [])
        if tried == 0:
            self.skipTest("neither man nor groff nor mandoc")

    def test_an_unknown_shell_is_answered_with_the_known_ones(self):
        done = whence("completion", "bsh")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bash, zsh, fish", done.stderr)


if __name__ == "__main__":
    unittest.main()
