"""Claim: a store one of whose meta pages was torn starts again at an acknowledged state and says so; reading it changes nothing.

Method: foreign bytes over the sector of each meta page in turn, `verify`, a server, and a write.
"""
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from support.program import Server, unit, whence

SECTOR, PAGE = 512, 4096


class TornPageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.whole, self.db = Path(folder.name) / "whole", Path(folder.name) / "db"
        for names in ("ab", "c"):  # LMDB takes what one run has written in one transaction
            with Server(self.whole) as server:
                for name in names:
                    server.rpc("records.write", {"records": [unit(name)]})
                server.stop()

    def verified(self):
        return whence("verify", "--db", self.db)

    def test_a_torn_page_gives_way_to_the_whole_one(self):
        counts = []
        for slot in (0, 1):
            shutil.rmtree(self.db, ignore_errors=True)
            shutil.copytree(self.whole, self.db)
            file = self.db / "data.mdb"
            torn = bytearray(file.read_bytes())
            torn[slot * PAGE:slot * PAGE + SECTOR] = b"\x5a" * SECTOR
            file.write_bytes(torn)
            reported = self.verified()
            self.assertEqual(reported.returncode, 8)
            self.assertIn("the other is whole", reported.stdout)
            self.assertEqual(file.read_bytes(), torn)
            log = self.db.parent / f"log-{slot}"
            with Server(self.db, "--log", "json", "--log-file", log) as server:
                counts.append(server.rpc("node.count", {"type": "ContextUnit"})["count"])
                server.rpc("records.write", {"records": [unit("d")]})
                server.stop()
            events = [json.loads(line) for line in log.read_text().splitlines()]
            mended = [event for event in events if event["event"] == "meta_page_mended"]
            self.assertEqual([event["level"] for event in mended], ["WARNING"])
            self.assertIn(f"meta page {slot} ", mended[0]["error"])
            self.assertIn(f"transaction {counts[-1]}.", mended[0]["error"])
            self.assertEqual((self.db / f"meta-page-{slot}.torn").read_bytes(), torn[slot * PAGE:(slot + 1) * PAGE])
            self.assertEqual(self.verified().returncode, 0)
        self.assertEqual(sorted(counts), [2, 3])  # the older page is without consequence


if __name__ == "__main__":
    unittest.main()
