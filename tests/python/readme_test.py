"""Runs the Python sessions of the documents against the demo's graph: the output must be the same, line by line.

The first lines of README.md also run in every Python from 3.11 on that is found here, without any package beside its standard library:
`-S` leaves out the folders of packages, as a fresh virtual environment is without them.
"""
import doctest
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from client_case import ROOT, Server

DOCUMENTS = ["tools/python/README.md", "README.md"]


def sessions(text):
    """The Python sessions in a document."""
    return re.findall(r"^```pycon\n(.*?)^```", text, re.S | re.M)


class ReadmeTest(unittest.TestCase):
    def test_sessions_print_what_they_show(self):
        for name in DOCUMENTS:
            blocks = sessions((ROOT / name).read_text(encoding="utf-8"))
            self.assertTrue(blocks, f"{name} shows no session")
            with self.subTest(document=name), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db", "--serve", verb=("demo",)) as server:
                    self.run_session(name, blocks, server.url)

    def run_session(self, name, blocks, url):
        test = doctest.DocTestParser().get_doctest("\n".join(blocks).replace("connect()", f"connect({url!r})"), {}, name, name, 0)
        report = []
        doctest.DocTestRunner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=report.append)
        self.assertEqual("".join(report), "")

    def test_the_recording_of_an_application_runs_as_it_stands(self):
        (lines,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "tools/python/README.md").read_text(encoding="utf-8"), re.S | re.M)
        call, said = re.search(r"^(whence\.flush\(\)) +# (.*)$", lines, re.M).groups()
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            done = subprocess.run([sys.executable, "-c", lines.replace(call, f"print({call})")], capture_output=True, text=True, timeout=60,
                                  env={"WHENCE_URL": server.url, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tools/python")})
            self.assertEqual((done.stdout.rstrip("\n"), done.stderr), (said, ""))

    def test_the_first_lines_run_in_any_python_without_packages(self):
        lines = "".join(re.sub(r"^(?:>>> |\.\.\. ?)", "", line) + "\n" for line in sessions((ROOT / "README.md").read_text(encoding="utf-8"))[0].splitlines()
                        if line.startswith((">>>", "...")))
        lines = re.sub(r"^( .*\n)(?=\S)", r"\1\n", lines, flags=re.M)  # a blank line ends a block, as at the prompt
        found = pythons()
        self.assertIn(sys.executable, found)
        for python in found:
            with self.subTest(python=python), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db", "--serve", verb=("demo",)) as server:
                    done = subprocess.run([python, "-S", "-c", f"import os, sys; sys.path.insert(0, {str(ROOT / 'tools/python')!r})\n" + lines],
                                          env={"WHENCE_URL": server.url, "PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.splitlines(), [
                    "0.75 Bills are due on June 30. https://example.org/faq",
                    "0.25 In 2024, up to 18000 dollars for each child can be paid into a 529 plan without gift tax. tool:tax_guide"])


def pythons():
    """This interpreter, and those of the search path and of pyenv that are new enough."""
    tried = [sys.executable, *(str(Path(folder) / "python3") for folder in os.environ["PATH"].split(os.pathsep)),
             *map(str, Path.home().glob(".pyenv/versions/*/bin/python3"))]
    found = {}
    for python in filter(os.path.exists, tried):
        asked = subprocess.run([python, "-c", "import sys; print(sys.version_info >= (3, 11), sys.prefix)"], capture_output=True, text=True)
        if asked.stdout.startswith("True"):
            found.setdefault(asked.stdout, python)
    return list(found.values())


if __name__ == "__main__":
    unittest.main()
