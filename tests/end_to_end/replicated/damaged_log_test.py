"""Claims: a message that was altered, or is missing, ends writing on the node that meets it, which says so, while it goes on
reading, and keeps a node from starting; a message that no node has written is stepped over by all; a node whose backup is older than the log's first message is refused with the way out.

Method: one server of NATS. Messages are copied from a node's stream to a second one with a change, which a second node follows;
or removed from a stream that was made without the protection that a node gives it.
"""
import base64
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.nats import PROGRAM, Nats
from support.program import WHENCE, RpcError, Server, unit, wait_until

UNITS = 8  # message 1 says which log it is; message N + 1 is transaction N


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class DamagedLogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.nats = Nats(self.folder)
        self.addCleanup(self.nats.stop)
        self.server = self.nats.servers[0]

    def start(self, name, stream="whence", *args):
        server = Server(self.folder / name, "--log", self.nats.url(stream), *args)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        return server

    def refused(self, name, stream="whence"):
        """What a node says that does not start."""
        out = subprocess.run([WHENCE, "serve", "--db", str(self.folder / name), "--listen", "127.0.0.1:0", "--log", self.nats.url(stream)],
                             capture_output=True, text=True, timeout=60)
        self.assertIn(out.returncode, (1, 8), out.stderr)  # 8: something is damaged
        return out.stderr

    def make_stream(self, name):
        """One whose messages may be removed."""
        answer = self.server.request(f"STREAM.CREATE.{name}", {"name": name, "subjects": [f"whence.{name}"], "storage": "file",
                                                               "retention": "limits", "discard": "new", "num_replicas": 1})
        self.assertNotIn("error", answer)

    def message(self, sequence, stream="whence"):
        """Headers and body."""
        answer = self.server.request(f"STREAM.MSG.GET.{stream}", {"seq": sequence})["message"]
        return base64.b64decode(answer["hdrs"]), base64.b64decode(answer["data"])

    def copy(self, sequence, stream, change=lambda body: body):
        """A message of the stream `whence` to the end of another, without the conditions it was published under."""
        headers, body = self.message(sequence)
        kept = [line for line in headers.split(b"\r\n") if not line.startswith(b"Nats-")]
        self.server.publish(f"whence.{stream}", b"\r\n".join(kept), change(body))

    def write_units(self, node, first=0, count=UNITS):
        for number in range(first, first + count):
            node.rpc("records.write", {"records": [unit(number)]})

    def check_has_ended_writing(self, node, head, said):
        wait_until(lambda: node.get("/readyz")[0] == 503, "the node to say that it has ended writing")
        self.assertEqual(json.loads(node.get("/readyz")[1])["reasons"], ["store"])
        with self.assertRaises(RpcError) as refused:
            node.rpc("records.write", {"records": [unit("more")]})
        self.assertIn(said, str(refused.exception))
        self.assertEqual(node.rpc("node.count", {"type": "ContextUnit"})["count"], head)
        self.assertEqual(node.rpc("server.info")["tx"], head)
        node.stop()
        self.assertEqual(len([line for line in node.stderr_lines if "store_broken" in line and said in line]), 1, node.stderr_lines)

    def follow_a_copy(self):
        """A node that follows a copy of the stream `whence` up to transaction 3."""
        self.write_units(self.start("a"))
        self.make_stream("copy")
        for sequence in range(1, 5):
            self.copy(sequence, "copy")
        follower = self.start("b", "copy")
        wait_until(lambda: follower.rpc("server.info")["tx"] == 3, "the first three transactions")
        return follower

    def test_a_message_that_is_missing(self):
        follower = self.follow_a_copy()
        self.copy(6, "copy")
        self.check_has_ended_writing(follower, 3, "lacks what follows transaction 3")
        self.assertIn("lacks what follows transaction 3", self.refused("b", "copy"))

    def test_a_message_that_was_altered(self):
        follower = self.follow_a_copy()
        self.copy(5, "copy", lambda body: body.replace(b"cu_3", b"cu_x"))
        self.check_has_ended_writing(follower, 3, "other bytes")
        self.assertIn("other bytes", self.refused("new", "copy"))

    def test_two_messages_that_were_exchanged(self):
        follower = self.follow_a_copy()
        for sequence in (6, 5):
            self.copy(sequence, "copy")
        self.check_has_ended_writing(follower, 3, "lacks what follows transaction 3")

    def test_a_message_of_another_history(self):
        """Right in itself, of the same graph and with the right number, but after another transaction."""
        follower = self.follow_a_copy()
        follower.rpc("records.write", {"records": [unit("own")]})  # transaction 4 of the copy
        self.copy(6, "copy")
        self.check_has_ended_writing(follower, 4, "is not the one that this store has")

    def test_a_message_for_a_place_that_is_taken(self):
        follower = self.follow_a_copy()
        follower.rpc("records.write", {"records": [unit("own")]})
        self.copy(5, "copy")
        self.check_has_ended_writing(follower, 4, "another transaction 4")

    def test_messages_that_no_node_has_written(self):
        """Before the first group, between groups, and last; for a node that runs, one that starts again and a new one."""
        self.make_stream("whence")
        a = self.start("a")
        self.write_units(a)
        for headers in (b"NATS/1.0\r\n\r\n", b"NATS/1.0\r\nWhence-Part: no part\r\n\r\n"):
            self.server.publish("whence.whence", headers, b"what somebody sends")
            self.write_units(a, UNITS, 1)
        self.server.publish("whence.whence", b"NATS/1.0\r\n\r\n", b"")
        self.write_units(a, UNITS + 1, 1)
        b = self.start("b")
        wait_until(lambda: b.rpc("server.info")["tx"] == UNITS + 2, "the new node to have all")
        self.write_units(b, UNITS + 2, 1)
        self.server.publish("whence.whence", b"NATS/1.0\r\n\r\n", b"last")
        wait_until(lambda: "whence_log_foreign_total 4" in a.get("/metrics")[1].decode(), "the messages to be counted")
        self.assertEqual(a.get("/readyz")[0], 200)
        wait_until(lambda: any("log_foreign" in line for line in a.stderr_lines), "the log to name one")
        a.stop()
        a = self.start("a")
        self.assertEqual(a.rpc("server.info")["tx"], UNITS + 3)
        self.write_units(a, UNITS + 3, 1)
        wait_until(lambda: b.rpc("server.info")["tx"] == UNITS + 4, "the other node to follow")

    def test_a_message_that_was_removed(self):
        self.make_stream("whence")
        a = self.start("a")
        self.write_units(a)
        self.assertTrue(self.server.request("STREAM.MSG.DELETE.whence", {"seq": 5})["success"])
        self.assertIn("lacks its message 5", self.refused("new"))
        a.rpc("records.write", {"records": [unit("more")]})  # it has the message

    def test_a_node_protects_its_messages(self):
        self.write_units(self.start("a"))
        self.assertIn("error", self.server.request("STREAM.MSG.DELETE.whence", {"seq": 5}))

    def test_a_backup_that_is_older_than_the_log(self):
        a = self.start("a")
        self.write_units(a)
        a.rpc("admin.backup", {"path": str(self.folder / "old")})
        self.write_units(a, UNITS)
        self.assertTrue(self.server.request("STREAM.PURGE.whence", {"seq": UNITS + 6})["success"])
        shutil.copytree(self.folder / "old", self.folder / "b")
        for name in ("b", "new"):
            self.assertIn("restore a backup of another node", self.refused(name))
        a.rpc("admin.backup", {"path": str(self.folder / "c")})
        self.write_units(a, 2 * UNITS)
        c = self.start("c")
        self.assertEqual(c.rpc("server.info")["tx"], 3 * UNITS)
        c.rpc("records.write", {"records": [unit("c")]})
        a.rpc("records.write", {"records": [unit("a")]})


if __name__ == "__main__":
    unittest.main()
