"""Claim: of what was erased, nothing is in what a server makes or serves afterwards: backups, bases of backup sets, files of exports.

Method: long texts, of which a store learns how to pack others, so that pieces of them are in its dictionaries; each is erased, and every
byte of the copies is looked through for the word that all of them have.
"""
import os
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from support.program import Server, wait_until, whence

NEEDLE = "Needle"
PURGED = -32022


def response(number, person):
    return {"$type$": "Response", "id": f"resp_{number}", "timestamp": "2026-01-01T00:00:00Z", "agent": "a", "model": "m", "person": person,
            "content": " ".join(f"Diagnosis{number}{NEEDLE if person == 'anna' else 'Other'}{word}" for word in range(900)),
            "context_units": [{"type": "External", "source": "doc", "content": "d", "weight": 1}]}


class ErasedCopiesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.server = Server(self.folder / "db")
        self.addCleanup(self.server.stop)
        for number in range(8):
            self.server.rpc("records.write", {"records": [response(number, "anna")]})
        self.server.rpc("records.write", {"records": [response(8, "bea")]})

    def found_in(self, folder):
        return [path.name for path in folder.rglob("*") if path.is_file() and NEEDLE.encode() in path.read_bytes()]

    def test_backups(self):
        whence("backup", self.folder / "before", "--url", self.server.url)
        self.assertTrue(self.found_in(self.folder / "before"), "the texts are in no dictionary: this test proves nothing")
        self.server.rpc("person.erase", {"person": "anna", "reason": "asked"})
        made = whence("backup", self.folder / "after", "--url", self.server.url)
        self.assertEqual(made.returncode, 0, made.stderr)
        whence("backup", self.folder / "served", "--incremental", "--url", self.server.url)
        self.server.stop()
        whence("backup", self.folder / "sets", "--incremental", "--db", self.folder / "db")
        for name in ("after", "served", "sets"):
            self.assertTrue(list((self.folder / name).rglob("*")), name)
            self.assertEqual(self.found_in(self.folder / name), [], name)
        self.assertEqual(sorted(os.listdir(self.folder / "after")), sorted(os.listdir(self.folder / "before")))
        modes = {path.stat().st_mode for path in (self.folder / "before" / "data.mdb", self.folder / "after" / "data.mdb")}
        self.assertEqual(len(modes), 1, modes)
        self.assertEqual(whence("restore", self.folder / "after", "--db", self.folder / "restored").returncode, 0)
        self.assertEqual(whence("verify", "--db", self.folder / "restored").returncode, 0)
        shown = whence("get", "resp_8", "--db", self.folder / "restored", "--json")
        self.assertIn("Diagnosis8Other899", shown.stdout)
        whence("compact", "--db", self.folder / "db")
        self.assertEqual(self.found_in(self.folder / "db"), [])

    def exported(self):
        job = self.server.rpc("export.start", {"format": "jsonl"})["job"]
        wait_until(lambda: self.server.rpc("export.status", {"job": job})["state"] == "done", "the export")
        return job, self.server.rpc("export.status", {"job": job})["files"][0]["url"]

    def file_of(self, url):
        try:
            with urllib.request.urlopen(self.server.url.replace("ws", "http", 1) + url) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()

    def test_exports(self):
        job, url = self.exported()
        code, body = self.file_of(url)
        self.assertEqual((code, NEEDLE.encode() in body), (200, True))
        self.server.rpc("person.erase", {"person": "anna", "reason": "asked"})
        code, body = self.file_of(url)
        self.assertEqual((code, NEEDLE.encode() in body), (404, False), body[:200])
        ended = self.server.rpc("export.status", {"job": job})
        self.assertEqual((ended["state"], ended["error"]["code"]), ("failed", PURGED), ended)
        job, url = self.exported()
        code, body = self.file_of(url)
        self.assertEqual((code, NEEDLE.encode() in body, b"Other899" in body), (200, False, True))


if __name__ == "__main__":
    unittest.main()
