"""Claim: a client with the addresses of several nodes outlives each of them. Its reads go on and have what it wrote, its writes are
written once, its watch delivers every event once and in order.

Method: real `nats-server` and nodes on loopback; while clients in Python and JavaScript, their queue and `whence watch` run, the node
that they use is killed (kill -9) or drained (SIGTERM), again and again, and started again later; with three servers of NATS these are
killed too. The units have no ids, so that a write that was carried out
twice would be seen. In the end every watch is compared with what one node tells to a watch that was never interrupted. Skipped where
`nats-server` is not installed; the part in JavaScript also where node and a WebSocket are missing.
"""
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from replicated.writers import unit
from support.nats import PROGRAM, Nats
from support.program import WHENCE, Server, clean_env, seed_of_run, wait_until
from support.program import whence as run_whence

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools" / "python"))
import whence  # noqa: E402

SEED = seed_of_run()
WRITES_BETWEEN = 25
NODE = shutil.which("node")
WS = ROOT / "tests" / "javascript" / "node_modules" / "ws" / "wrapper.mjs"  # there once the tests in JavaScript have run


def has_javascript():
    if NODE is None:
        return False
    version = int(subprocess.run([NODE, "-p", "parseInt(process.versions.node)"], capture_output=True, text=True).stdout or 0)
    return version >= 22 or (version >= 18 and WS.exists())


class Lines:
    """A process whose lines of output are collected."""

    def __init__(self, *args):
        self.lines, self.talk = [], []
        self.process = subprocess.Popen(list(map(str, args)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=clean_env())
        self.readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.talk))]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class ClientsTest(unittest.TestCase):
    servers_of_nats, kills = 1, 5

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.nats = Nats(self.folder.name, self.servers_of_nats)
        self.addCleanup(self.nats.stop)
        self.chance = random.Random(SEED)
        self.nodes = {}  # by address
        self.addCleanup(lambda: [node.kill() for _, node in self.nodes.values()])
        for name in "abc":
            node = self.serve(name)
            self.nodes[node.url] = name, node
        self.urls = list(self.nodes)

    def serve(self, name, listen="127.0.0.1:0"):
        return Server(Path(self.folder.name) / name, "--log", self.nats.url(), "--heartbeat", "1", listen=listen)

    def kill(self, url):
        self.nodes[url][1].kill()

    def start(self, url):
        name, _ = self.nodes[url]
        self.nodes[url] = name, self.serve(name, url.removeprefix("http://"))

    def kill_while(self, count, used=None):
        """Ends a node (the one that `used` names, or any), waits for `count` to grow without it, starts it again; several times."""
        for turn in range(self.kills):
            target = count() + WRITES_BETWEEN
            wait_until(lambda target=target: count() >= target, "writes to go on")
            if self.servers_of_nats > 1:
                server = self.chance.choice(self.nats.servers)
                server.kill()
                server.start()
            url = used() if used else self.chance.choice(self.urls)
            if turn % 2:
                self.nodes[url][1].stop()
            else:
                self.kill(url)
            target = count() + WRITES_BETWEEN
            wait_until(lambda target=target: count() >= target, "writes to go on without a node")
            self.start(url)

    def settled_head(self):
        def heads():
            return {node.rpc("server.info")["tx"] for _, node in self.nodes.values()}

        wait_until(lambda: len(heads()) == 1, "all nodes to have one head")
        return heads().pop()

    def all_events(self):
        """(tx, op, source) of every unit, as one node tells them."""
        done = run_whence("watch", "--since", "0", "--types", "ContextUnit", "--include", "record", "--json", "--until-caught-up",
                          "--url", self.urls[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        return [(e["tx"], e["op"], e["record"]["source"]) for e in map(json.loads, done.stdout.splitlines())]

    def check_written(self, written):
        """That each (source, tx) is in the graph once, where it was said to be. The events of all."""
        events = self.all_events()
        self.assertEqual([tx for tx, _, _ in events], sorted(tx for tx, _, _ in events))
        self.assertEqual({op for _, op, _ in events}, {"put"})
        sources = [source for _, _, source in events]
        self.assertEqual(len(set(sources)), len(sources), "something was written twice")
        where = {source: tx for tx, _, source in events}
        for source, tx in written:
            self.assertEqual(where.get(source), tx, source)
        return events

    def test_python_and_the_watch_of_the_command_line(self):
        watch = Lines(WHENCE, "watch", "--since", "0", "--types", "ContextUnit", "--include", "record", "--json", "--url",
                      ",".join(self.urls))
        self.addCleanup(watch.end)
        written, queued, failures, is_over = [], [], [], threading.Event()
        clients = [self.enterContext(whence.connect(self.urls)) for _ in range(3)]
        seen = []

        def follow(events):
            seen.extend((e["tx"], e["op"], e["record"]["source"]) for e in events)

        events = self.enterContext(clients[0].watch(since=0, types=["ContextUnit"]))
        follower = threading.Thread(target=follow, args=(events,))
        follower.start()

        def write(writer, db):
            number = 0
            try:
                while not is_over.is_set():
                    number += 1
                    source = f"python_{writer}_{number}"
                    answer = db.records.write([unit(source)])
                    found = db.node.get(answer["refs"][0], include=["record"]).all()
                    self.assertEqual(found[0]["record"]["source"], source)
                    self.assertGreaterEqual(db.server.info()["tx"], answer["tx"])
                    written.append((source, answer["tx"]))
            except BaseException as failure:
                failures.append(failure)
                raise

        def queue(db):
            while not is_over.is_set():
                source = f"queued_{len(queued)}"
                db.enqueue([unit(source)])
                queued.append(source)
                self.assertEqual(db.flush(60)["pending"], 0)

        def progress():
            if failures:
                raise failures[0]
            return len(written)

        threads = [threading.Thread(target=write, args=(i, db)) for i, db in enumerate(clients[:2])]
        threads.append(threading.Thread(target=queue, args=(clients[2],)))
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: watch.lines, "the watch to be at a node")
            self.kill_while(progress, lambda: clients[0].url)
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        head = self.settled_head()
        events_of_all = self.check_written(written)
        self.assertEqual({source for _, _, source in events_of_all}, {source for source, _ in written} | set(queued))
        self.assertGreater(len({tx for tx, _, _ in events_of_all}), self.kills * WRITES_BETWEEN)
        wait_until(lambda: len(seen) >= len(events_of_all) and len(watch.lines) >= len(events_of_all), f"all events up to {head}")
        events.close()
        follower.join()
        self.assertEqual(seen, events_of_all)
        told = [(e["tx"], e["op"], e["record"]["source"]) for e in map(json.loads, watch.lines)]
        self.assertEqual(told, events_of_all, "".join(watch.talk))
        self.assertIn("going on at", "".join(watch.talk))

    def test_what_was_written_is_read_at_another_node_at_once(self):
        """The node that acknowledged is killed the moment it has."""
        with whence.connect(self.urls) as db:
            for number in range(6):
                db.enqueue([unit(f"queued_{number}")])
                self.assertEqual(db.flush(60)["pending"], 0)
                answer = db.records.write([unit(f"mine_{number}")])
                url = db.url
                self.kill(url)
                begin = time.monotonic()
                self.assertEqual(db.node.count("ContextUnit")["count"], 2 * (number + 1))
                self.assertEqual(db.node.get(answer["refs"][0]).all()[0]["ref"], answer["refs"][0])
                self.assertNotEqual(db.url, url)
                self.assertLess(time.monotonic() - begin, 30)
                self.start(url)

    def test_the_command_line_goes_on(self):
        """`load` in one process while the first nodes are killed; each verb with a list in which a node is gone."""
        lines = "".join(json.dumps({"records": [unit(f"loaded_{i}")]}) + "\n" for i in range(400))
        path = Path(self.folder.name) / "units.ndjson"
        path.write_text(lines)
        load = Lines(WHENCE, "load", path, "--url", ",".join(self.urls))
        self.addCleanup(load.end)
        first = self.urls[0]
        other = self.nodes[self.urls[2]][1]
        wait_until(lambda: other.rpc("server.info")["tx"] > 20, "the load to begin")
        self.kill(first)
        self.assertEqual(load.process.wait(300), 0, "".join(load.talk))
        listed = ",".join(self.urls)
        self.assertEqual(json.loads(run_whence("count", "ContextUnit", "--json", "--url", listed).stdout)["count"], 400)
        again = run_whence("load", path, "--url", listed)
        self.assertEqual(again.returncode, 0, again.stderr)
        put = run_whence("put", "--json", "--url", listed, stdin=json.dumps(unit("put")))
        self.assertEqual(json.loads(put.stdout)["tx"], 401, put.stderr)
        export = run_whence("export", "--format", "jsonl", "--url", listed)
        self.assertEqual(export.stdout.count("loaded_"), 400)
        self.start(first)
        self.check_written([("put", 401)])

    @unittest.skipUnless(has_javascript(), "no node 22, or node 18 with the package ws")
    def test_javascript(self):
        client = Lines(NODE, Path(__file__).parent / "client.mjs", ",".join(self.urls), WS)
        self.addCleanup(client.end)

        def told(kind):
            return [line[kind] for line in map(json.loads, list(client.lines)) if kind in line]

        def progress():
            self.assertIsNone(client.process.poll(), "".join(client.talk))
            return len(told("wrote"))

        self.kill_while(progress)
        client.process.stdin.write("stop\n")
        client.process.stdin.flush()
        wait_until(lambda: told("done"), "the last write")
        self.settled_head()
        written = [(line["wrote"], line["tx"]) for line in map(json.loads, list(client.lines)) if "wrote" in line]
        events = self.check_written(written)
        self.assertEqual({source for _, _, source in events}, {source for source, _ in written})
        wait_until(lambda: len(told("event")) >= len(events), "all events")
        self.assertEqual(list(map(tuple, told("event"))), events)


class ClusterTest(ClientsTest):
    """The same with three servers of NATS: writes meanwhile wait for a new leader of the stream, and are answered `busy`."""
    servers_of_nats, kills = 3, 2


if __name__ == "__main__":
    unittest.main()
