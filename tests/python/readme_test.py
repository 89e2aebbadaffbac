"""Runs the Python sessions of the documents against the demo's graph: the output must be the same, line by line."""
import doctest
import re
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main()
