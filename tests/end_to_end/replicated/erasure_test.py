"""Claim: a person who is erased at one node of a log is erased at all: their stores have no byte of what the person said, nor has
the log once it is trimmed; a node that was killed before, or begins later, learns of it; and all answer of what others
wrote as a store in which the person never was.

Method: random histories (store/persons.py) are written to three nodes by turns, and without one person's records to a store
alone. One node is killed before the erasure and started after it, one joins last. WHENCE_ERASURES says how many histories.
Nodes are killed while they erase, one person after the other: it is done on all nodes, or on none. WHENCE_ERASE_KILLS says how often.
"""
import contextlib
import http.client
import os
import random
import tempfile
import threading
import unittest
from pathlib import Path

from support.nats import PROGRAM, Nats
from store.persons import History, answers_of, files_with
from support.program import RpcError, Server, seed_of_run, twin_store, wait_until, whence

SEED = seed_of_run()
HISTORIES = int(os.environ.get("WHENCE_ERASURES", "1"))
KILLS = int(os.environ.get("WHENCE_ERASE_KILLS", "3"))
LONGEST_S = 0.004  # about as long as an erasure takes


def head(server):
    return server.rpc("server.info")["tx"]


class ByTurns:
    """Asks a node each time, once it has what the others wrote."""

    def __init__(self, chance, nodes):
        self.chance, self.nodes = chance, nodes

    def node(self):
        return self.up_to_date(self.chance.choice(self.nodes))

    def up_to_date(self, chosen):
        newest = max(map(head, self.nodes))
        wait_until(lambda: head(chosen) >= newest, "a node to have what the others wrote")
        return chosen

    def __getattr__(self, name):
        return getattr(self.node(), name)


@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class ErasureTest(unittest.TestCase):
    def test_random_histories_on_three_nodes(self):
        for number in range(HISTORIES):
            seed = f"{SEED} {number}"
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as started:
                self.compare(random.Random(seed), Path(folder), started)

    def compare(self, chance, folder, started):
        def start(name):
            node = Server(folder / name if (folder / name).exists() else twin_store(folder / name), *log)
            started.callback(node.kill)
            return node

        nats = Nats(folder, 1)
        started.callback(nats.stop)
        log = ("--log", nats.url())
        nodes = [start(name) for name in ("a", "b", "c")]
        history = History(chance)
        erased = chance.choice([person for person, *_ in history.steps])
        secret = f"secret-{erased}-".encode()
        history.write(ByTurns(chance, nodes))
        killed = chance.randrange(3)
        nodes[killed].kill()
        others = [node for node in nodes if node is not nodes[killed]]
        made = str(folder / "made at one node")
        others[0].rpc("admin.backup", {"path": made})
        done = ByTurns(chance, others).rpc("person.erase", {"person": erased, "reason": "asked to be forgotten"})
        nodes[killed] = start("abc"[killed])
        nodes.append(start("late"))
        wait_until(lambda: min(map(head, nodes)) >= done["tx"], "all nodes to have the erasure")
        named = {node: [each["path"] for each in node.rpc("person.erase", {"person": erased, "dry_run": True}).get("backups", [])] for node in nodes}
        self.assertEqual([node for node in nodes if made in named[node]], [others[0]])  # each names its own, wherever it was erased
        with Server(twin_store(folder / "twin")) as twin:
            history.write(twin, left_out=erased)
            theirs = answers_of(twin)
        for node in nodes:
            ours = answers_of(node)
            for ref, expected in theirs.items():
                self.assertEqual(ours.get(ref), expected, ref)
            self.assertTrue(node.rpc("admin.verify")["ok"])
        signed = [node.rpc("log.checkpoint")["checkpoint"].split("\n\n")[0] for node in nodes]
        self.assertEqual(len(set(signed)), 1, [(each, head(node)) for each, node in zip(signed, nodes)])
        backup = folder / "backup"
        self.assertEqual(whence("backup", backup, "--url", nodes[0].url).returncode, 0)
        self.assertEqual(whence("log", "trim", *log, "--backup", backup).returncode, 0)
        for node in nodes:
            self.assertEqual(node.stop(), 0)
        nats.stop()
        for place in (backup, *(folder / name for name in ("a", "b", "c", "late"))):
            self.assertEqual(whence("compact", "--db", place).returncode, 0)
            self.assertEqual(files_with(secret, place), [])
        self.assertEqual(files_with(secret, nats.servers[0].folder), [])

    def test_an_erasure_is_done_on_all_nodes_or_on_none_after_a_kill(self):
        done = []
        for clusters in range(KILLS):
            if len(done) >= KILLS:
                break
            seed = f"{SEED} kill {clusters}"
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as started:
                self.kill_while_erasing(random.Random(seed), Path(folder), started, KILLS - len(done), done)
        print(f"{sum(done)} of {len(done)} erasures were whole before the kill")

    def kill_while_erasing(self, chance, folder, started, most, done):
        """Adds to `done` of each person of a history, `most` at most, whether the erasure was there."""
        def start(name):
            node = Server(folder / name, *log)
            started.callback(node.kill)
            return node

        nats = Nats(folder, 1)
        started.callback(nats.stop)
        log = ("--log", nats.url())
        nodes = {name: start(name) for name in "abc"}
        history = History(chance)
        history.write(ByTurns(chance, list(nodes.values())))
        persons = sorted({person for person, *_ in history.steps})
        chance.shuffle(persons)
        for person in persons[:most]:
            name = chance.choice("abc")
            found = ByTurns(chance, list(nodes.values())).up_to_date(nodes[name]).rpc("person.find", {"person": person, "limit": 10000})["nodes"]
            found = [node["ref"] for node in found if not node.get("purged")]  # ratings go with the answers of others
            acknowledged = []
            asked = threading.Thread(target=self.erase, args=(nodes[name], person, acknowledged))
            asked.start()
            asked.join(chance.random() * LONGEST_S)
            nodes[name].kill()
            asked.join()
            nodes[name] = start(name)
            by_turns = ByTurns(chance, list(nodes.values()))
            gone = [{each.get("purged", False) for each in by_turns.rpc("node.get", {"refs": found})["nodes"]} for _ in range(6)]
            self.assertIn(gone[0], ({True}, {False}), person)
            self.assertEqual(gone, gone[:1] * 6, person)
            done.append(gone[0] == {True})
            self.assertTrue(done[-1] or not acknowledged, "an acknowledged erasure is not there")
            if not done[-1]:
                by_turns.rpc("person.erase", {"person": person, "reason": "asked again"})
        wait_until(lambda: len({head(node) for node in nodes.values()}) == 1, "all nodes to have all")
        for node in nodes.values():
            self.assertTrue(node.rpc("admin.verify")["ok"])
            self.assertEqual(node.stop(), 0)
        for name in nodes:
            self.assertEqual(whence("compact", "--db", folder / name).returncode, 0)
            for person in persons[:most]:
                self.assertEqual(files_with(f"secret-{person}-".encode(), folder / name), [])

    @staticmethod
    def erase(node, person, acknowledged):
        try:
            acknowledged.append(node.rpc("person.erase", {"person": person, "reason": "asked"}))
        except (OSError, ValueError, http.client.HTTPException, RpcError):
            pass  # the node is gone
