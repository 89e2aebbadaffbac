"""Random faults of a cluster: processes killed and started again, stopped and continued; machines cut off from each other."""
import contextlib
import itertools
import signal
import threading
from dataclasses import dataclass

from replicated.cluster import MACHINES
from support.namespaces import HUB

BEGIN_SECONDS = 1.5  # faults begin within this time


@dataclass
class Fault:
    kind: str  # kill, pause, cut
    targets: tuple  # names of processes, or (from, to) machines whose packets are dropped
    begins: float
    lasts: float

    def __str__(self):
        targets = ",".join(each if isinstance(each, str) else "%d>%d" % each for each in self.targets)
        return f"{self.kind} {targets} at {self.begins:.1f} for {self.lasts:.1f}"


def both_ways(pairs):
    return tuple(path for a, b in pairs for path in ((a, b), (b, a)))


def random_paths(chance):
    """Which machines do not reach which."""
    machine = chance.choice(MACHINES)
    others = [each for each in MACHINES if each != machine]
    return chance.choice((
        both_ways((machine, other) for other in others),  # alone, though clients reach it
        both_ways((machine, other) for other in (*others, HUB)),  # alone
        both_ways([(machine, chance.choice(others))]),  # two do not reach each other, the third reaches both
        ((machine, chance.choice(others)),),  # in one direction
        both_ways(itertools.combinations(MACHINES, 2)),  # each alone
    ))


def random_faults(chance, processes, has_network):
    """One to four. Each process has at most one of its own; cuts may overlap."""
    names = list(processes)
    chance.shuffle(names)
    faults = []
    for _ in range(chance.randint(1, 4)):
        kind = chance.choice(("kill", "pause", "cut") if has_network else ("kill", "pause"))
        begins = chance.uniform(0, BEGIN_SECONDS)
        if kind == "cut":
            faults.append(Fault(kind, random_paths(chance), begins, chance.triangular(0.5, 6, 1)))
        elif kind == "kill":
            faults.append(Fault(kind, (names.pop(),), begins, chance.triangular(0, 8, 0.2)))
        else:
            faults.append(Fault(kind, (names.pop(),), begins, chance.triangular(0.2, 6, 0.5)))
    return faults


def inflict(cluster, faults):
    """Begins and ends them all; the errors of those that did not end."""
    errors = []

    def run(fault):
        rest = threading.Event()
        rest.wait(fault.begins)
        try:
            with contextlib.ExitStack() as undo:
                if fault.kind == "cut":
                    undo.enter_context(cluster.network.without(*fault.targets))
                elif fault.kind == "pause":
                    process = cluster.processes()[fault.targets[0]]
                    undo.callback(process.signal, signal.SIGCONT)
                    process.signal(signal.SIGSTOP)
                else:
                    process = cluster.processes()[fault.targets[0]]
                    undo.callback(process.start)
                    process.kill()
                rest.wait(fault.lasts)
        except Exception as error:
            errors.append(f"{fault}: {error!r}")

    threads = [threading.Thread(target=run, args=(fault,)) for fault in faults]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
