"""Clients of a cluster under faults, and what they were told: each writes units under an idempotency key until one node
acknowledges, claims the next version of a register under `expect_tx`, and reads registers.

A record's name is its source; its id is made by the server, so that a write that came twice is there twice.
"""
import random
import threading
import time
from dataclasses import dataclass, field

from replicated.calls import Unanswered
from support.program import RpcError

REGISTERS = 3
BUSY, PRECONDITION = -32051, -32042
DEADLINE_EXCEEDED, STORAGE_FULL, CANCELLED = -32801, -32080, -32800
FINISH_SECONDS = 60  # after the faults are over
PAUSE_SECONDS = 0.04  # at most, between two operations
LARGE = 1_300_000  # bytes: two messages of the log


@dataclass
class Operation:
    kind: str  # write, claim, read
    name: str  # of a read: the register
    started: float
    ended: float = 0
    outcome: str = "unknown"  # acknowledged, refused, unknown
    tx: int = 0  # that was written, read, or named by the refusal
    refs: list = field(default_factory=list)
    expected: int = 0  # of a claim: `expect_tx`
    seen: str = ""  # of a read: the register's last source
    node: str = ""  # that answered


def register_prefix(register):
    return f"register:{register}:"


def unit(source, **more):
    return {"$type$": "ContextUnit", "type": "User", "source": source, "timestamp": "2025-01-01T00:00:00Z", "version": 1, **more}


class Writer(threading.Thread):
    """One client. `operations` is its history, `problems` what no fault excuses."""

    def __init__(self, cluster, name, seed, is_over):
        super().__init__(name=name)
        self.cluster, self.operations, self.problems = cluster, [], []
        self._client, self._chance, self._is_over = cluster.client(), random.Random(seed), is_over
        self._last = None  # the last acknowledged write and its parameters

    def run(self):
        try:
            while not self._is_over.is_set():
                choice = self._chance.random()
                if choice < 0.4:
                    self._write()
                elif choice < 0.8:
                    self._claim()
                elif choice < 0.9:
                    self._read(self._a_node(), self._a_register())
                else:
                    self._repeat()
                self._is_over.wait(self._chance.uniform(0, PAUSE_SECONDS))
        except Exception as error:
            self.problems.append(f"{self.name}: {error!r}")

    def _a_node(self):
        return self._chance.choice(list(self.cluster.nodes.values()))

    def _a_register(self):
        return self._chance.randrange(REGISTERS)

    def _new_name(self):
        return f"{self.name}.{len(self.operations)}"

    def _try(self, node, params):
        """The answer of one try, or None where nothing is known. RpcError: it was refused."""
        try:
            return self._client.call(node.authority, "records.write", params, self._chance.choice((0.3, 1, 3, 12)))
        except Unanswered:
            return None
        except RpcError as error:
            if error.code in (BUSY, DEADLINE_EXCEEDED, CANCELLED):
                return None
            raise

    def _finish(self, operation, params):
        """Tries one node after the other until one answers; at times gives up before."""
        tries_max = 1000 if self._chance.random() < 0.7 else self._chance.randint(1, 3)
        give_up_after = None
        for _ in range(tries_max):
            node = self._a_node()
            try:
                answer = self._try(node, params)
            except RpcError as error:
                operation.outcome, operation.tx, operation.node = "refused", error.error.get("data", {}).get("tx", 0), node.name
                if error.code != PRECONDITION:
                    self.problems.append(f"{operation.name} at {node.name}: {error}")
                break
            if answer is not None:
                operation.outcome, operation.tx, operation.refs, operation.node = "acknowledged", answer["tx"], answer["refs"], node.name
                break
            if self._is_over.is_set():
                give_up_after = give_up_after or time.monotonic() + FINISH_SECONDS
                if time.monotonic() > give_up_after:
                    self.problems.append(f"{operation.name}: no node has answered for {FINISH_SECONDS} s without faults")
                    break
            threading.Event().wait(0.02)
        operation.ended = time.monotonic()

    def _write(self):
        name = self._new_name()
        records = [unit(name)]
        if self._chance.random() < 0.01:
            records.append(unit(name + ".large", content=name + "".join(self._chance.choices("abcdefgh ", k=LARGE))))
        params = {"records": records, "idempotency_key": name}
        operation = Operation("write", name, time.monotonic())
        self.operations.append(operation)
        self._finish(operation, params)
        if operation.outcome == "acknowledged":
            self._last = operation, params

    def _claim(self):
        register = self._a_register()
        read = self._read(self._a_node(), register)
        if read is None:
            return
        version = int(read.seen.split(":")[2]) + 1 if read.seen else 1
        name = f"{register_prefix(register)}{version:06d}:{self._new_name()}"
        operation = Operation("claim", name, time.monotonic(), expected=read.tx)
        self.operations.append(operation)
        params = {"records": [unit(name)], "expect_tx": read.tx}
        if self._chance.random() < 0.8:
            self._finish(operation, {**params, "idempotency_key": name})
            return
        node = self._a_node()
        try:
            answer = self._try(node, params)
            if answer is not None:
                operation.outcome, operation.tx, operation.refs = "acknowledged", answer["tx"], answer["refs"]
        except RpcError as error:
            operation.outcome, operation.tx = "refused", error.error.get("data", {}).get("tx", 0)
            if error.code != PRECONDITION:
                self.problems.append(f"{name} at {node.name}: {error}")
        operation.node, operation.ended = node.name, time.monotonic()

    def _read(self, node, register):
        """The register's last version at the head of a node; at times not before its own last write is there."""
        operation = Operation("read", register_prefix(register), time.monotonic(), node=node.name)
        params = {"type": "ContextUnit", "where": {"source": {"prefix": operation.name}}, "limit": 1, "include": ["record"],
                  "order": {"by": "source", "desc": True}}
        if self._last and self._chance.random() < 0.3:
            params.update(min_tx=self._last[0].tx, timeout_ms=2000)
        try:
            answer = self._client.call(node.authority, "node.find", params, 3)
        except Unanswered:
            return None
        except RpcError as error:
            if error.code not in (BUSY, DEADLINE_EXCEEDED, CANCELLED):
                self.problems.append(f"a read of {node.name}: {error}")
            return None
        operation.ended, operation.outcome, operation.tx = time.monotonic(), "acknowledged", answer["tx"]
        operation.seen = answer["nodes"][0]["record"]["source"] if answer["nodes"] else ""
        if operation.tx < params.get("min_tx", 0):
            self.problems.append(f"{node.name} answered as of {operation.tx}, before {params['min_tx']}")
        self.operations.append(operation)
        return operation

    def _repeat(self):
        """The last write again, perhaps elsewhere: the same answer."""
        if self._last is None:
            return
        operation, params = self._last
        node = self._a_node()
        try:
            answer = self._try(node, params)
        except RpcError as error:
            self.problems.append(f"{operation.name} again at {node.name}: {error}")
            return
        if answer is not None and (answer["tx"], answer["refs"]) != (operation.tx, operation.refs):
            self.problems.append(f"{operation.name} again at {node.name}: {answer}, first {operation}")
