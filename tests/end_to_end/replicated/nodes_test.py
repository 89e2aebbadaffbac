"""Claim: several servers on one stream of NATS JetStream hold the same graph, whichever is written to; an acknowledged write is
on every one of them in the end; a node without the log goes on reading and refuses writes with an error that clients repeat.

Method: real `nats-server`s on loopback, nodes with stores of their own, exports and logs compared to the byte. Skipped where
`nats-server` is not installed.
"""
import random
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from support.nats import PROGRAM, Nats
from support.program import RpcError, Server, seed_of_run, unit, wait_until, whence

SEED = seed_of_run()


def record_of(server, ref):
    return server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]


def head(server):
    return server.rpc("server.info")["tx"]


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class NodesTest(unittest.TestCase):
    servers_of_nats = 1

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.nats = Nats(self.folder.name, self.servers_of_nats)
        self.addCleanup(self.nats.stop)
        self.nodes = {}
        self.addCleanup(lambda: [node.kill() for node in self.nodes.values()])

    def db(self, name):
        return Path(self.folder.name) / name

    def start(self, name, *args):
        self.nodes[name] = Server(self.db(name), "--log", self.nats.url(), *args)
        return self.nodes[name]

    def settle(self):
        """Until all nodes have the same head."""
        wait_until(lambda: len({head(node) for node in self.nodes.values()}) == 1, "all nodes to have one head")

    def check_equal(self):
        """Stops all nodes and compares what they have."""
        self.settle()
        exports = {}
        for name, node in self.nodes.items():
            node.stop()
            self.assertEqual(whence("verify", "--db", self.db(name)).returncode, 0, name)
            out = whence("export", "--db", self.db(name), "--format", "jsonl")
            self.assertEqual(out.returncode, 0, out.stderr)
            exports[name] = out.stdout
        self.assertEqual(len(set(exports.values())), 1)
        self.nodes = {}

    def test_a_passage_has_one_name_on_all_nodes(self):
        passage = {"$type$": "ContextUnit", "type": "User", "source": "chat", "content": "hello", "timestamp": "2025-10-09T16:15:00Z", "version": 1}

        def name(node):
            return node.rpc("records.write", {"records": [passage]})["refs"][0]

        names = [name(node) for node in (self.start("a"), self.start("b"), *self.nodes.values())]
        self.nodes.pop("b").stop()
        names += [name(self.start("b")), name(self.start("late"))]
        self.assertEqual(len(set(names)), 1, names)
        self.assertEqual(record_of(self.nodes["late"], names[0])["content"], "hello")
        self.check_equal()

    def test_files_of_discussions_follow_what_other_nodes_write(self):
        folders = {name: Path(self.folder.name) / f"files_{name}" for name in "abc"}
        a, b = self.start("a", "--files", folders["a"]), self.start("b", "--files", folders["b"])

        def add_round(node, name, number):
            node.rpc("discussion.open", {"userId": "u", "discussionId": name})
            for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
                node.rpc("discussion.addResponse", {"userId": "u", "discussionId": name, "roundNumber": number, "persona": persona,
                                                    "content": f"{persona} of {name}"})

        def texts(folder):
            return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*") if path.suffix in (".json", ".md")}

        for node, name, number in ((a, "one", 1), (b, "two", 1), (a, "two", 2), (b, "one", 2)):
            add_round(node, name, number)
            self.settle()
        wait_until(lambda: len(texts(folders["a"])) == 4 and texts(folders["a"]) == texts(folders["b"]), "the files of both")
        self.start("c", "--files", folders["c"])
        wait_until(lambda: texts(folders["c"]) == texts(folders["a"]), "the files of a node that came later")

    def test_each_node_has_what_the_others_wrote(self):
        a, b = self.start("a"), self.start("b")
        for i in range(20):
            (a, b)[i % 2].rpc("records.write", {"records": [unit(i)]})
        self.settle()
        self.assertEqual(a.rpc("server.info")["epoch"], b.rpc("server.info")["epoch"])
        self.assertEqual(head(b), 20)
        self.assertEqual(a.rpc("server.info")["log"]["lag"], 0)

        def are_listed():
            servers = a.rpc("server.info")["log"]["servers"]
            return len(servers) == self.servers_of_nats and sum(each["leader"] for each in servers) == 1

        wait_until(are_listed, "the servers that keep the log, and who leads")
        late = self.start("late")
        self.assertEqual(head(late), 20)
        self.check_equal()

    def test_a_node_that_was_away_catches_up(self):
        a, b = self.start("a"), self.start("b")
        a.rpc("records.write", {"records": [unit(0)]})
        self.settle()
        b.kill()
        for i in range(1, 50):
            a.rpc("records.write", {"records": [unit(i)]})
        self.assertEqual(head(self.start("b")), 50)
        self.check_equal()

    def test_only_one_of_two_claims_wins(self):
        nodes = [self.start("a"), self.start("b"), self.start("c")]
        won = []

        def claim(node, who):
            for value in range(40):
                try:
                    tx = node.rpc("records.write", {"records": [unit(f"value_{value}", source=who)], "expect_tx": value})["tx"]
                    won.append((value, who, tx))
                except RpcError as refused:
                    self.assertIn(refused.code, (-32042, -32040), refused.error)
                    wait_until(lambda: head(node) > value, "the other's value")

        threads = [threading.Thread(target=claim, args=(node, f"node{i}")) for i, node in enumerate(nodes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(value for value, _, _ in won), list(range(40)))
        for value, who, tx in won:
            self.assertEqual(tx, value + 1)
            self.assertEqual(record_of(nodes[0], f"cu_value_{value}")["source"], who)
        self.check_equal()

    def test_a_group_larger_than_a_message_arrives_whole(self):
        a, b = self.start("a"), self.start("b")
        text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz ", k=90_000))
        records = [unit(i, content=f"{i} {text}") for i in range(40)]  # 3.6 MB; a message has at most 1
        self.assertEqual(a.rpc("records.write", {"records": records})["tx"], 1)
        b.rpc("records.write", {"records": [unit("after")]})
        self.assertEqual(record_of(b, "cu_39")["content"], records[39]["content"])
        self.check_equal()

    def test_without_the_log_a_node_reads_and_does_not_write(self):
        a = self.start("a")
        a.rpc("records.write", {"records": [unit(0)]})
        self.nats.stop()
        wait_until(lambda: a.get("/readyz")[0] == 503, "the node to say that it is not ready")
        self.assertIn(b"log", a.get("/readyz")[1])
        self.assertEqual(record_of(a, "cu_0")["source"], "s")
        with self.assertRaises(RpcError) as refused:
            a.rpc("records.write", {"records": [unit(1)], "idempotency_key": "k"})
        self.assertEqual(refused.exception.code, -32051)  # busy: clients try again
        for server in self.nats.servers:
            server.start()
        wait_until(lambda: a.get("/readyz")[0] == 200, "the node to be ready again, without a write")

        def is_written():
            try:
                return a.rpc("records.write", {"records": [unit(1)], "idempotency_key": "k"})["tx"]
            except RpcError as busy:
                self.assertEqual(busy.code, -32051)
                return None

        self.assertEqual(wait_until(is_written, "the log to be back"), 2)
        self.assertEqual(a.get("/readyz")[0], 200)
        self.check_equal()

    def test_a_node_whose_consumer_is_gone_reads_the_stream_itself(self):
        a, b = self.start("a"), self.start("b")
        a.rpc("records.write", {"records": [unit(0)]})
        self.settle()
        server = self.nats.servers[0]
        for name in server.request("CONSUMER.NAMES.whence")["consumers"]:
            server.request(f"CONSUMER.DELETE.whence.{name}")
        a.rpc("records.write", {"records": [unit(1)]})
        wait_until(lambda: head(b) == 2, "the node to ask and to read", 8)  # libnats notices after 10 s
        b.rpc("records.write", {"records": [unit(2)]})
        self.check_equal()

    def test_a_node_of_another_graph_is_refused(self):
        a = self.start("a")
        a.rpc("records.write", {"records": [unit(0)]})
        with Server(self.db("other")) as other:
            other.rpc("records.write", {"records": [unit(9)]})
        out = subprocess.run(self.command("other"), capture_output=True, text=True, timeout=60)
        self.assertEqual(out.returncode, 1)
        self.assertIn("of another epoch", out.stderr)

    def command(self, name):
        from support.program import WHENCE
        return [WHENCE, "serve", "--db", str(self.db(name)), "--listen", "127.0.0.1:0", "--log", self.nats.url()]

    def test_a_local_store_becomes_a_replicated_one(self):
        with Server(self.db("a")) as alone:
            for i in range(5):
                alone.rpc("records.write", {"records": [unit(i)]})
        a = self.start("a")
        self.assertEqual(a.rpc("records.write", {"records": [unit(5)]})["tx"], 6)
        refused = subprocess.run(self.command("fresh"), capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("restore a backup of another node", refused.stderr)
        a.rpc("admin.backup", {"path": str(self.db("b"))})
        self.assertEqual(head(self.start("b")), 6)
        self.check_equal()


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class ClusterTest(NodesTest):
    """The same with three servers of NATS and three copies of the stream, and with any process killed at any time."""
    servers_of_nats = 3

    def test_random_kills_lose_nothing(self):
        chance = random.Random(SEED)
        for name in "abc":
            self.start(name)
        acknowledged, is_over = [], threading.Event()

        def write(writer):
            number = 0
            pick = random.Random(SEED + writer)
            while not is_over.is_set():
                number += 1
                for _ in range(1000):
                    node = self.nodes[pick.choice("abc")]
                    try:
                        name = f"{writer}_{number}"
                        tx = node.rpc("records.write", {"records": [unit(name)], "idempotency_key": name})["tx"]
                        acknowledged.append((name, tx))
                        break
                    except (OSError, ValueError, RuntimeError, AttributeError):
                        continue
                    except Exception as error:  # http.client's own family
                        if type(error).__module__ != "http.client":
                            raise

        writers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
        for writer in writers:
            writer.start()
        for _ in range(6):
            target = len(acknowledged) + 40
            wait_until(lambda: len(acknowledged) >= target, "writes to go on")
            if chance.random() < 0.5:
                name = chance.choice("abc")
                self.nodes[name].kill()
                self.start(name)
            else:
                server = chance.choice(self.nats.servers)
                server.kill()
                server.start()
        is_over.set()
        for writer in writers:
            writer.join()
        self.settle()
        for name, tx in acknowledged:
            for node in self.nodes.values():
                self.assertEqual(node.rpc("node.get", {"ref": f"cu_{name}"})["nodes"][0]["ref"], f"ContextUnit:cu_{name}")
        self.assertEqual(len({tx for _, tx in acknowledged}), len(acknowledged))
        self.check_equal()


if __name__ == "__main__":
    unittest.main()
