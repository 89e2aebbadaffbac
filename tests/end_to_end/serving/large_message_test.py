"""Claim: a large write is taken whatever the size of its single records, and its texts come back as they were sent.

Method: messages of many records, each with a text of its own of some size below and beyond the buffers of the server.
"""
import random
import tempfile
import unittest

from support.program import Server, unit


class LargeMessageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = Server(cls.folder.name + "/db")
        cls.addClassCleanup(cls.server.kill)

    def test_many_records_with_texts_of_any_size(self):
        letters = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz ", k=100_000))
        for size, count in ((100, 2000), (10_000, 300), (20_000, 150), (90_000, 60)):
            with self.subTest(size=size):
                records = [unit(f"{size}_{i}", content=f"{i} {letters[:size]}") for i in range(count)]
                self.assertEqual(len(self.server.rpc("records.write", {"records": records})["refs"]), count)
                last = self.server.rpc("node.get", {"ref": records[-1]["id"], "include": ["record"]})
                self.assertEqual(last["nodes"][0]["record"]["content"], records[-1]["content"])


if __name__ == "__main__":
    unittest.main()
