"""Claim: who follows "Move" and "Grow to three nodes" of tools/operations/INSTALL.md, command by command, has what these promise.

Method: the document's own commands, on machines that are folders (`support/machines.py`), beside a server that was in use. A command that
the document lacks, or one in a wrong place, fails as it would there.
"""
import json
import re
import tempfile
import unittest

from support.machines import Machine, run_steps, steps
from support.nats import PROGRAM as NATS
from support.program import free_ports, wait_until


def unit(name):
    return json.dumps({"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": "https://example.org",
                       "timestamp": "2025-10-20T09:00:00Z", "version": 1})


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.machines = {}

    def add(self, *names, ports=None):
        for name in names:
            self.machines[name] = Machine(self.folder, name, ports)
            self.addCleanup(self.machines[name].close)
        return [self.machines[name] for name in names]

    def write(self, machine, name):
        machine.run(f"echo '{unit(name)}' | whence put -")

    def stats(self, machine):
        return json.loads(machine.run("whence stats --json"))

    def check_moved(self, old, new, names, tx):
        """`new` serves what `old` had, and `old` serves no more."""
        self.assertFalse(old.has("whence"))
        self.assertEqual(self.stats(new)["tx"], tx)
        for name in names:
            new.run(f"whence get cu_{name}")
        self.write(new, "after")
        self.assertEqual(self.stats(new)["tx"], tx + 1)


class MoveTest(Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.add("old", "new")
        self.old.run("apt install ./whence_*.deb; echo 'page = 77' >>/etc/whence/whence.conf; systemctl restart whence")
        self.write(self.old, "early")
        blocks = list(steps("Move"))
        self.assertEqual([names for names, _ in blocks], [["new"], ["old"], ["old"], ["new"], ["old"], ["new"]])
        self.by_backup, self.by_copy = blocks[:4], [blocks[0], *blocks[4:]]

    def follow(self, blocks, meanwhile=None):
        said = []
        for number, ([name], block) in enumerate(blocks):
            said.append(self.machines[name].run(block))
            if meanwhile is not None and number == 1:
                meanwhile()
        return said

    def test_a_move_by_backups_has_what_was_written_during_the_copy(self):
        epoch = self.stats(self.old)["epoch"]
        said = self.follow(self.by_backup, lambda: self.write(self.old, "during"))
        self.assertRegex(said[2], r"\b2\b")  # last-backup
        self.assertIn("restored at transaction 2 ", said[3])
        self.check_moved(self.old, self.new, ["early", "during"], 2)
        self.assertNotEqual(self.stats(self.new)["epoch"], epoch)
        self.assertIn("page = 77", self.new.run("cat /etc/whence/whence.conf"))
        # The backups go on where they are now.
        self.new.run("systemctl start whence-backup")
        self.assertEqual(self.new.run("ls /var/lib/whence-backups | grep -c set-"), "2\n")

    def test_a_move_by_copy_is_the_same_store(self):
        epoch = self.stats(self.old)["epoch"]
        self.follow(self.by_copy)
        self.check_moved(self.old, self.new, ["early"], 1)
        self.assertEqual(self.stats(self.new)["epoch"], epoch)


@unittest.skipUnless(NATS, "nats-server is not installed")
class GrowTest(Case):
    NAMES = ["n1", "n2", "n3"]

    def test_one_server_becomes_three(self):
        numbers = iter(free_ports(6))
        ours = {name: (next(numbers), next(numbers)) for name in self.NAMES}
        ports = {f"{name}:{there}": f"127.0.0.1:{here}" for name, pair in ours.items() for there, here in zip((4222, 6222), pair, strict=True)}
        for name, pair in ours.items():
            self.add(name, ports={**ports, "0.0.0.0:4222": f"127.0.0.1:{pair[0]}", "0.0.0.0:6222": f"127.0.0.1:{pair[1]}"})
        first = self.machines["n1"]
        first.run("apt install ./whence_*.deb")
        self.write(first, "before")
        places = []
        for number, names, said in run_steps("Grow to three nodes", self.machines):
            places.append(names)
            if number == 3:
                self.write(first, "during")
        self.assertEqual(places, [self.NAMES, ["n1"], ["n2", "n3"], ["n1"], ["n2", "n3"]])
        for name in self.NAMES:
            self.write(self.machines[name], f"of_{name}")
        for name in self.NAMES:
            machine = self.machines[name]
            wait_until(lambda: self.stats(machine)["tx"] == 5, f"{name} to have all")
            self.assertEqual(self.stats(machine)["log"]["lag"], 0)
            for each in ["before", "during", "of_n1", "of_n2", "of_n3"]:
                machine.run(f"whence get cu_{each}")
            wait_until(lambda: len(self.stats(machine)["log"]["nodes"]) == 3, f"{name} to show all nodes")
            server = r"\nlog servers n2 +leader (true|false)  current true  lag 0\n"  # a server that was added is soon known
            wait_until(lambda: re.search(server, machine.run("whence stats")), f"{name} to show the servers of the log")
            machine.run("whence health")
        # One may fail. Where it leads the log, another has to be chosen first, which outages_test waits for.
        leads = {each["name"] for each in self.stats(first)["log"]["servers"] if each["leader"]}
        gone, left = sorted(("n2", "n3"), key=lambda name: name in leads)
        self.machines[gone].run("systemctl stop whence nats-server")
        self.write(first, "with_two")
        wait_until(lambda: self.stats(self.machines[left])["tx"] == 6, f"{left} to have what came with two")


if __name__ == "__main__":
    unittest.main()
