"""Claim: a store joins a replicated log and leaves it by one command each, writes nothing past the log meanwhile, and a log that was
trimmed below a backup still takes every store that has the head of the backup.

Method: one real `nats-server`, stores and nodes on loopback. Skipped where `nats-server` is not installed.
"""
import json
import socket
import tempfile
import unittest
from pathlib import Path

from support.nats import PROGRAM, Nats, NatsServer
from support.program import Server, free_ports, wait_until, whence, write_tokens
from replicated.nodes_test import head, unit


def written(*names):
    return "\n".join(json.dumps(unit(name)) for name in names) + "\n"


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class LogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.nats = Nats(self.folder, 1)
        self.addCleanup(self.nats.stop)

    def start(self, name, *args):
        node = Server(self.folder / name, *args)
        self.addCleanup(node.kill)
        return node

    def log(self, action, *args, code=0):
        done = whence("log", action, *args, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def load(self, name, *units, code=0):
        lines = self.folder / "units.ndjson"
        lines.write_text(written(*units))
        done = whence("load", "--db", self.folder / name, lines)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_a_store_joins_and_leaves(self):
        url = self.nats.url()
        self.load("a", "before")
        self.assertEqual(self.log("join", "--db", self.folder / "a", "--log", url)["tx"], 1)
        self.assertEqual(self.log("status", "--log", url)["head"], 1)
        refused = self.load("a", "past", code=5)
        self.assertIn("belongs to the replicated log whence", refused)
        served = whence("serve", "--db", self.folder / "a", "--listen", "127.0.0.1:0")
        self.assertNotEqual(served.returncode, 0)
        self.assertIn("--log nats://HOST:PORT/whence", served.stderr)
        self.assertEqual(whence("count", "ContextUnit", "--db", self.folder / "a").stdout.strip(), "1")  # reading goes on
        node = self.start("a", "--log", url)
        node.rpc("records.write", {"records": [unit("shared")]})
        self.assertIn("process", self.log("leave", "--db", self.folder / "a", code=6))
        node.stop()
        self.log("leave", "--db", self.folder / "a")
        self.load("a", "alone")
        self.assertEqual(whence("count", "ContextUnit", "--db", self.folder / "a").stdout.strip(), "3")
        self.assertEqual(self.log("status", "--log", url)["head"], 2)
        self.assertIn("ends before transaction 3", self.log("join", "--db", self.folder / "a", "--log", url, code=5))
        self.assertIn("is in no log", self.log("leave", "--db", self.folder / "a", code=3))

    def test_a_trimmed_log_takes_the_backup_and_refuses_what_is_older(self):
        url = self.nats.url()
        a = self.start("a", "--log", url)
        for i in range(10):
            a.rpc("records.write", {"records": [unit(i)]})
        old, new = self.folder / "old", self.folder / "new"
        self.assertEqual(whence("backup", old, "--url", a.url).returncode, 0)
        for i in range(10, 30):
            a.rpc("records.write", {"records": [unit(i)]})
        self.assertEqual(whence("backup", new, "--url", a.url).returncode, 0)
        for i in range(30, 40):
            a.rpc("records.write", {"records": [unit(i)]})
        before = self.log("status", "--log", url)
        self.assertEqual((before["head"], before["begins_after"], before["messages"]), (40, 0, 41))
        after = self.log("trim", "--log", url, "--backup", new)
        self.assertEqual((after["head"], after["begins_after"], after["messages"]), (40, 29, 11))
        self.assertEqual(self.log("trim", "--log", url, "--backup", new), after)
        self.assertIn("begins after", self.log("trim", "--log", url, "--backup", old, code=1))
        for backup, code in ((new, 0), (old, 1)):
            store = self.folder / f"from_{backup.name}"
            self.assertEqual(whence("restore", backup, "--db", store).returncode, 0)
            joined = self.log("join", "--db", store, "--log", url, code=code)
            self.assertIn("restore a backup of another node" if code else "'tx': 40", str(joined))
        b = self.start("from_new", "--log", url)
        b.rpc("records.write", {"records": [unit("last")]})
        wait_until(lambda: head(a) == 41, "the running node to go on")

    def test_every_node_has_the_same_tree_under_a_key_of_its_own(self):
        url = self.nats.url()
        nodes = [self.start(name, "--log", url) for name in ("a", "b")]
        for i in range(12):
            nodes[i % 2].rpc("records.write", {"records": [unit(i)]})
        nodes[0].rpc("records.purge", {"refs": ["ContextUnit:cu_3"]})
        nodes[1].rpc("log.rotate", {"overlap_s": 0})  # its own key alone; the record of it is in the tree of all
        nodes.append(self.start("late", "--log", url))
        wait_until(lambda: len({head(node) for node in nodes}) == 1, "the same head")
        signed = [node.rpc("log.checkpoint") for node in nodes]
        self.assertEqual(len({each["checkpoint"].split("\n\n")[0] for each in signed}), 1, signed)
        self.assertEqual(len({each["key"] for each in signed}), 3)

    def test_a_node_says_who_it_is(self):
        # The pair of keys that the documentation of NATS shows: it guards nothing.
        public = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        seed = self.folder / "seed"
        seed.write_text("SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n")
        seed.chmod(0o600)
        guarded = NatsServer(self.folder / "guarded", "guarded", f"127.0.0.1:{free_ports(1)[0]}")
        config = guarded.folder / "server.conf"
        config.write_text(config.read_text() + f'authorization {{ users: [{{ nkey: {public} }}, {{ user: a, password: b }}] }}\n')
        guarded.start()
        self.addCleanup(guarded.kill)
        wait_until(guarded.is_ready, "the server to listen")
        address = guarded.address
        self.log("join", "--db", self.folder / "by_key", "--log", f"nats://{address}/graph", "--log-nkey", public,
                 "--log-nkey-seed", seed)
        self.assertEqual(self.log("status", "--log", f"nats://a:b@{address}/graph")["messages"], 1)
        self.assertIn("does not answer", self.log("status", "--log", f"nats://{address}/graph", code=6))
        seed.chmod(0o644)
        refused = self.log("status", "--log", f"nats://{address}/graph", "--log-nkey", public, "--log-nkey-seed", seed, code=2)
        self.assertIn("chmod", refused)

    def test_a_node_at_every_address_is_shown_by_the_name_of_its_machine(self):
        tokens = write_tokens(self.folder / "tokens", "admin a-token\n")
        node = Server(self.folder / "a", "--log", self.nats.url(), "--tokens", tokens, token="a-token", listen="0.0.0.0:0")
        self.addCleanup(node.kill)
        [shown] = wait_until(lambda: node.rpc("server.info")["log"]["nodes"], "the node to show itself")
        self.assertEqual(shown["name"], node.url.replace("0.0.0.0", socket.gethostname()))

    def test_what_is_missing_is_named(self):
        for args, code, wanted in ((("trim", "--log", self.nats.url()), 2, "log trim needs --backup DIR"),
                                   (("status", "--log", "nats://127.0.0.1:1"), 2, "is not nats://HOST:PORT"),
                                   (("status", "--log", self.nats.url("none")), 3, "there is no stream none"),
                                   (("leave", "--db", self.folder, "--log", self.nats.url()), 2, "log leave takes no --log"),
                                   (("leave", "--db", self.folder / "none"), 3, "there is no store in "),
                                   (("remove",), 2, "remove")):
            done = whence("log", *args)
            self.assertEqual(done.returncode, code, (args, done.stderr))
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
