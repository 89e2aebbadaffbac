"""Claim: a server under moderate load stays as it is: memory, descriptors, threads, the store's file and the time of a query and of
a write do not change with the time it runs, only with what it keeps.

Method: see README.md. WHENCE_LONG_RUN_SECONDS is how long it runs (default 20), WHENCE_LONG_RUN_RATE how many responses are written a
second (default 200), WHENCE_LONG_RUN_FIGURES a file for the samples, one JSON object a line.
"""
import contextlib
import json
import math
import multiprocessing
import os
import queue
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import load
from slopes import fit
from support.program import WHENCE, Server, wait_until, write_tokens

SECONDS = float(os.environ.get("WHENCE_LONG_RUN_SECONDS", "20"))
RATE = float(os.environ.get("WHENCE_LONG_RUN_RATE", "200"))
FIGURES = os.environ.get("WHENCE_LONG_RUN_FIGURES")
KEPT_SECONDS = int(max(4, min(180, SECONDS / 12)))
WARM_UP = 1 / 6       # this part of the run is not counted
CYCLES = 6            # in each, responses are written for two thirds of the time
WINDOWS = 60
# A slope fails where it is beyond its bound by more than so many standard errors.
ERRORS = 3
MIB = 1 << 20
WARM_MIB = 64         # caches and the heaps of threads, once they have worked


class Bound:
    """How much one figure may rise in an hour, or in a run that is shorter, beside what `cause` explains (per unit of it, at most `per_cause`)."""

    def __init__(self, name, unit, per_hour, cause=None, per_cause=math.inf):
        self.name, self.unit, self.per_hour = name, unit, per_hour
        self.cause, self.per_cause = cause, per_cause


BOUNDS = [
    Bound("memory", "MiB", 16, "edges", 400),
    Bound("file", "MiB", 64, "responses", 2000),
    Bound("descriptors", "", 1),
    Bound("threads", "", 0.5),
    Bound("request memory", "MiB", 1),
    Bound("read p50", "ms", 1),
    Bound("read p99", "ms", 10),
    Bound("write p50", "ms", 5),
    Bound("write p99", "ms", 25),
]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


class Sampler:
    """Reads what the system and the server say of the process."""

    def __init__(self, server, db):
        self.server, self.db, self.process = server, db, Path(f"/proc/{server.process.pid}")

    def metrics(self):
        text = load.post(self, None, path="/metrics")[1].decode()
        return [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]

    @property
    def authority(self):
        return self.server.authority

    def sample(self):
        lines = (self.process / "status").read_text(encoding="utf-8").splitlines()
        status = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines) if value.split()}
        descriptors = len(list((self.process / "fd").iterdir())) - len(list(self.db.glob("tree/level-*")))  # one more for 256 times the events
        said = self.metrics()
        gauges = {name: float(value) for name, value in said if "{" not in name}
        # RssFile is the part of the store's file that is mapped: the system takes it back when it needs it.
        return {"memory": int(status["RssAnon"]) / 1024, "mapped": int(status["RssFile"]) / 1024, "threads": int(status["Threads"]),
                "descriptors": descriptors - gauges["whence_connections"], "file": (self.db / "data.mdb").stat().st_size / MIB,
                "store": gauges["whence_store_bytes"] / MIB, "request memory": gauges["whence_request_memory_bytes"] / MIB,
                "connections": gauges["whence_connections"], "subscriptions": gauges["whence_subscriptions"], "tx": gauges["whence_tx"],
                "edges": sum(float(value) for name, value in said if name.startswith("whence_edges")),
                "nodes": sum(float(value) for name, value in said if name.startswith("whence_nodes")),
                "responses": sum(float(value) for name, value in said if name == 'whence_nodes{type="Response"}')}


class Run:
    """The processes, and the figures of each window."""

    def __init__(self, server, folder):
        self.folder = folder
        self.sampler = Sampler(server, Path(folder) / "db")
        new = multiprocessing.get_context("fork")
        self.plan = load.Plan(server.authority, server.process.pid, folder, SECONDS, RATE, new.Event(), new.Event(), new.Queue(), new.Queue(), new.Queue(),
                              new.Value("i", 0))
        roles = [(load.write, 0), (load.write, 1), (load.trace, 0.2), (load.read, 0.025), (load.subscribe, 0), (load.subscribe, 1), (load.operate,), (load.probe,)]
        self.processes = [new.Process(target=role, args=(self.plan, *args), daemon=True) for role, *args in roles]
        self.windows, self.times, self.counts, self.errors = [], {"read": [], "write": []}, {}, []

    def take(self, source, put):
        with contextlib.suppress(queue.Empty):
            while True:
                put(source.get_nowait())

    def window(self, begin, end):
        """Means over a window of samples that are a second apart, at most; the windows of a short run are shorter."""
        samples = [self.sampler.sample()]
        while not self.plan.end.wait(max(0.0, min(1.0, end - time.time()))) and time.time() < end:
            samples.append(self.sampler.sample())
        means = {name: sum(each[name] for each in samples) / len(samples) for name in samples[0]}
        self.take(self.plan.times, lambda each: self.times[each[0]].append(each[2]))
        for kind, values in self.times.items():
            means[kind + " p50"], means[kind + " p99"] = 1000 * percentile(values, 0.5), 1000 * percentile(values, 0.99)
            values.clear()
        return {"hours": ((begin + end) / 2 - self.begun) / 3600, **means}

    def go(self):
        for process in self.processes:
            process.start()
        self.begun = time.time()
        for number in range(WINDOWS):
            part = number * CYCLES / WINDOWS % 1
            (self.plan.writing.set if part < 2 / 3 else self.plan.writing.clear)()
            begin, end = (self.begun + (number + i) * SECONDS / WINDOWS for i in (0, 1))
            window = self.window(begin, end)
            self.windows.append(window)
            if FIGURES:
                with open(FIGURES, "a", encoding="utf-8") as file:
                    file.write(json.dumps(window) + "\n")
            self.take(self.plan.errors, self.errors.append)
            if self.errors:
                break
        self.plan.end.set()
        for _ in self.processes:
            for name, number in self.plan.counts.get(timeout=load.BACKUP_SECONDS).items():
                self.counts[name] = self.counts.get(name, 0) + number
        self.take(self.plan.errors, self.errors.append)
        self.take(self.plan.times, lambda _: None)
        for process in self.processes:
            process.join(60)

    def slopes(self):
        """(bound, value at the begin and the end, slope and error, per cause and error) of each figure."""
        counted = [each for each in self.windows if each["hours"] * 3600 > WARM_UP * SECONDS]
        for bound in BOUNDS:
            held = [each for each in counted if not math.isnan(each[bound.name])]
            figures, hours = [each[bound.name] for each in held], [each["hours"] for each in held]
            if len(figures) < 8:
                yield bound, math.nan, math.nan, None, None
                continue
            causes = [hours] + ([[each[bound.cause] for each in held]] if bound.cause else [])
            found = fit(figures, *causes)
            ends = [sum(part) / len(part) for part in (figures[:4], figures[-4:])]
            if found is None:  # it never changed
                found = [(0.0, 0.0)] * len(causes)
            yield bound, *ends, found[0], found[1] if bound.cause else None


class LongRunTest(unittest.TestCase):
    def start(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        tokens = write_tokens(self.folder + "/tokens", load.tokens_text(0))
        self.log = Path(self.folder) / "log"
        server = Server(self.folder + "/db", "--retention", f"{KEPT_SECONDS}s", "--files", self.folder + "/files", "--embedding", "small=8",
                        "--tokens", tokens, "--log", "json", "--log-file", self.log, token=load.ADMIN)
        self.addCleanup(lambda: server.__exit__())
        units = [{"$type$": "ContextUnit", "id": f"cu_probe{i}", "type": "External", "source": "s", "version": 1, "timestamp": load.now_text()}
                 for i in ("", "a", "b", "c", "d")]
        used = [{"context_unit_id": each["id"], "weight": 0.2} for each in units]
        server.rpc("records.write", {"records": units + [{"$type$": "Response", "id": "resp_probe", "timestamp": load.now_text(), "agent": "a", "model": "m",
                                                          "context_units": used}]})
        return server

    def test_nothing_grows_but_what_is_kept(self):
        server = self.start()
        run = Run(server, self.folder)
        self.wake(server)
        quiet = run.sampler.sample()
        run.go()
        self.assertEqual(run.errors, [], "\n".join(run.errors))
        self.tell(run)
        self.check_all_is_given_back(run, quiet)
        self.check_log()
        tx = server.rpc("server.info")["tx"]
        self.assertEqual(server.stop(), 0)
        verified = subprocess.run([WHENCE, "verify", "--db", self.folder + "/db"], capture_output=True, text=True)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        begin = time.monotonic()
        with Server(self.folder + "/db", "--embedding", "small=8") as again:
            self.assertGreaterEqual(again.rpc("server.info")["tx"], tx)
            print(f"verified; started again in {time.monotonic() - begin:.2f} s at transaction {tx}")
        self.assertEqual(self.beyond, [])

    def wake(self, server):
        """Threads that begin with the first job are there before the load."""
        jobs = [server.rpc("export.start", {"format": "jsonl"})["job"] for _ in range(4)]
        server.rpc("admin.backup", {"path": self.folder + "/first"})
        for job in jobs:
            wait_until(lambda: server.rpc("export.status", {"job": job})["state"] != "running", "the export is done")
            server.rpc("export.cancel", {"job": job})

    def tell(self, run):
        self.beyond = []
        # Twenty seconds times 180 would turn a tenth of a millisecond, which a store of twice the size costs, into a fault.
        hours = min(1.0, SECONDS * (1 - WARM_UP) / 3600)
        print(f"\n{SECONDS:.0f} s, contents kept for {KEPT_SECONDS} s;", ", ".join(f"{n} {v}" for n, v in sorted(run.counts.items())))
        last = run.windows[-1]
        print(f"{last['nodes']:.0f} nodes, {last['edges']:.0f} edges, {last['tx']:.0f} transactions; {last['mapped']:.0f} MiB of the file mapped")
        print("figure            begin       end   slope an hour (error)    bound")
        for bound, begin, end, slope, per_cause in run.slopes():
            if slope is None:
                print(f"{bound.name:14} too few windows")
                continue
            text = f"{bound.name:14} {begin:8.3f}  {end:8.3f}   {slope[0]:+.3f} ({slope[1]:.3f}) {bound.unit}    {bound.per_hour}"
            if (slope[0] - ERRORS * slope[1]) * hours > bound.per_hour:
                self.beyond.append(text)
            if per_cause:
                singular, (value, error) = bound.cause.removesuffix("s"), [each * MIB for each in per_cause]
                text += f"; beside {value:.1f} ({error:.1f}) bytes for each {singular}, bound {bound.per_cause}"
                if value - ERRORS * error > bound.per_cause:
                    self.beyond.append(text)
            print(text)

    def check_all_is_given_back(self, run, quiet):
        """Nobody is connected any more but the one that looks."""
        now = {}

        def is_quiet():
            now.update(run.sampler.sample())
            return now["connections"] <= quiet["connections"] and now["subscriptions"] == 0 and now["threads"] <= quiet["threads"] \
                and now["descriptors"] <= quiet["descriptors"] and now["request memory"] < 1 / 16

        try:
            wait_until(is_quiet, "all is given back")
        except AssertionError as error:
            raise AssertionError(f"{error}: before {quiet}, now {now}") from None
        bound = quiet["memory"] + WARM_MIB + 400 * (now["edges"] - quiet["edges"]) / MIB
        self.assertLess(now["memory"], bound, "MiB held when all clients have gone")
        print(f"afterwards: {now['memory']:.1f} MiB, {now['descriptors']:.0f} descriptors beside connections, {now['threads']} threads, as before the load")

    def check_log(self):
        lines = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line for line in lines if line["level"] == "ERROR"], [])


if __name__ == "__main__":
    unittest.main()
