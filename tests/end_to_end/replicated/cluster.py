"""Three machines, each with a server of NATS and a node of Whence, on a network whose packets can be dropped; on loopback, where
the machine has no network namespaces.
"""
import contextlib
import json
import shutil
import signal
import tempfile
from pathlib import Path

from replicated.calls import Client, Unanswered
from support.namespaces import address
from support.nats import Nats
from support.program import Server, wait_until, write_tokens

MACHINES = (1, 2, 3)
TOKEN = "a-token-of-these-tests"
SETTLE_SECONDS = 300  # servers of NATS on a busy machine take a minute to agree on who leads


class Node:
    """A node of Whence: its store stays, its process comes and goes. `authority` is where it listened last."""

    def __init__(self, name, folder, log, listen, prepare, args=()):
        self.name, self.db = name, Path(folder) / name
        self._args = ("--log", log, "--tokens", folder / "tokens", *args)
        self._listen, self._prepare = listen, prepare
        self.server, self.authority = None, None
        self.said = []  # what it wrote to stderr before its last start

    def start(self):
        """Again and again where the log is silent, which a node with an empty store does not start without."""
        def is_started():
            try:
                self.server = Server(self.db, *self._args, token=TOKEN, listen=self._listen, prepare=self._prepare)
            except RuntimeError as error:
                if "does not answer" in str(error) or "has not confirmed" in str(error):
                    return False
                raise
            return True

        wait_until(is_started, f"{self.name} to start")
        self.authority = self.server.authority

    def kill(self):
        if self.server is not None:
            self.server.signal(signal.SIGCONT)
            self.server.kill()
            self.said += self.server.stderr_lines
            self.server = None

    def signal(self, number):
        self.server.signal(number)

    def log_text(self):
        return "".join(self.said + (self.server.stderr_lines if self.server else []))


class Cluster:
    """`network`: where its machines are, or None."""

    def __init__(self, network):
        self.network = network
        self._closing = contextlib.ExitStack()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="whence-cluster-"))
            self._closing.callback(shutil.rmtree, self.folder, ignore_errors=True)
            write_tokens(self.folder / "tokens", f"admin {TOKEN}\n")
            self.nats = Nats(self.folder, len(MACHINES), network)
            self._closing.callback(self.nats.stop)
            self.nodes = {}
            for machine in MACHINES:
                self.add_node(f"node{machine}", machine).start()
        except BaseException:
            self._closing.close()
            raise

    def add_node(self, name, machine, *args):
        node = Node(name, self.folder, self.nats.url(), f"{address(machine) if self.network else '127.0.0.1'}:0",
                    self.network and self.network.entering(machine), args)
        self.nodes[name] = node
        self._closing.callback(node.kill)
        return node

    def close(self):
        self._closing.close()

    def keep(self, folder):
        """Copies what there is, for somebody who looks for a cause."""
        for node in self.nodes.values():
            (self.folder / f"{node.name}.log").write_text(node.log_text())
        shutil.copytree(self.folder, Path(folder) / self.folder.name)

    def client(self):
        return Client(TOKEN)

    def processes(self):
        """By name; each can be killed, started, and signalled."""
        return {**self.nodes, **{f"nats{i + 1}": server for i, server in enumerate(self.nats.servers)}}

    def ended_writing(self):
        """What the nodes say that write nothing any more."""
        said = []
        for node in self.nodes.values():
            status, body = self.client().get(node.authority, "/readyz")
            if status == 503 and "store" in json.loads(body)["reasons"]:
                lines = [line.strip() for line in node.log_text().splitlines() if "store_broken" in line]
                said.append(f"{node.name} has ended writing: {lines[-1:]}")
        return said

    def settle(self):
        """Until every node says that it is ready and has all that is in the log; the head."""
        client = self.client()
        said = {}  # by each node last

        def heads():
            found = set()
            if ended := self.ended_writing():
                raise AssertionError("; ".join(ended))
            for node in self.nodes.values():
                ready = client.get(node.authority, "/readyz")
                info = client.call(node.authority, "server.info")
                said[node.name] = f"{ready[0]} {ready[1].decode()}, transaction {info['tx']}, {info['log']}"
                found.add(info["tx"])
                if ready[0] != 200 or info["log"]["lag"] != 0:
                    return None
            return found

        def head():
            try:
                found = heads()
            except Unanswered as error:
                said["no answer"] = str(error)
                return None
            return found if found and len(found) == 1 else None

        try:
            return wait_until(head, "all nodes to be ready and to have one head", SETTLE_SECONDS).pop()
        except AssertionError as error:
            raise AssertionError(f"{error}; {said}") from None
