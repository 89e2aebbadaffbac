"""The address of a namespace in every way that the package asks a server: calls, a watch, files of exports, records in the background."""
import os
import tempfile
import unittest

from client_case import Server, unit, whence


class NamespacesTest(unittest.TestCase):
    def test_each_way_leads_to_the_namespace_of_the_address(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        flags = [flag for name in ("a", "b") for flag in ("--namespace", f"{name}={folder.name}/{name}")]
        server = Server(None, *flags)
        self.addCleanup(server.kill)
        at = server.url + "/ns/a"
        for tx, url in enumerate((at, at + "/", at.replace("http", "ws") + "/ws"), 1):
            with whence.connect(url) as db, db.watch() as watch:
                db.records.write([unit(f"cu_{tx}")])
                self.assertEqual(next(watch)["ref"], f"ContextUnit:cu_{tx}")
                info = db.server.info()
                self.assertEqual((info["tx"], info["namespace"], db.epoch), (tx, "a", info["epoch"]))
                files = db.export("jsonl", os.path.join(folder.name, f"out{tx}"))
                self.assertIn(f"cu_{tx}", files[0].read_text())
        with whence.connect(server.url + "/ns/b") as db:
            self.assertEqual(db.server.info()["tx"], 0)
        with self.assertRaises(whence.ConnectionLost):
            whence.connect(server.url)


if __name__ == "__main__":
    unittest.main()
