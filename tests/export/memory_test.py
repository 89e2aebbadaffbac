"""Claim: exporting a large graph takes little memory beyond the idle server's, and writers are hardly slowed.

Method: WHENCE_EXPORT_NODES=N makes a store of N nodes and 5 N edges; without it the test is skipped. One writer writes
a record at a time, first alone, then beside an export; resident memory is sampled all the while. Memory of the server's
own is anonymous memory: pages of the mapped store, which the system takes back as it likes, are printed but not checked.
What the writer's records take is measured while it writes alone, and deducted. WHENCE_EXPORT_FORMATS names the formats
(graphml).
"""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import data
from export_case import finished_job
from whence_e2e import WHENCE, Server, clean_env

NODES = int(os.environ.get("WHENCE_EXPORT_NODES", "0"))
FORMATS = os.environ.get("WHENCE_EXPORT_FORMATS", "graphml").split(",")
USED, STEP, BATCH, ALONE_SECONDS, EXPORT_SECONDS_MAX = 10, 7919, 500, 10, 3600
MEMORY_MIB, SLOWED = 64, 0.20
MIB = 1 << 20


def used(number, batch):
    """The numbers of the units a response is made from: far apart once there are enough, of its own batch before."""
    if number >= USED * STEP:
        return [number - k * STEP for k in range(USED)]
    return [batch[0] + (number - batch[0] + k) % len(batch) for k in range(USED)]


def batches(nodes):
    """Half units, half responses made from ten units each, as lines for `load`."""
    for begin in range(0, nodes // 2, BATCH):
        numbers = range(begin, min(begin + BATCH, nodes // 2))
        records = [data.unit(f"cu_{n}", summary=f"Context number {n}.") for n in numbers]
        records += [data.response(f"resp_{n}", {f"cu_{unit}": 1 / USED for unit in used(n, numbers)}) for n in numbers]
        yield json.dumps({"records": records}) + "\n"


def memory(pid):
    """(resident, anonymous) bytes."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon"))


class Watch:
    """Samples memory until the block ends."""

    def __init__(self, pid):
        self.pid, self.peak, self._stop = pid, memory(pid), threading.Event()

    def _run(self):
        while not self._stop.wait(0.02):
            self.peak = tuple(map(max, self.peak, memory(self.pid)))

    def __enter__(self):
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def run_for(self, seconds):
        """Returns after that time, or when writing has failed."""
        self._thread.join(seconds)

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


class Writer:
    """Writes one record after another until the block ends; how many, and how fast."""
    made = 0

    def __init__(self, server):
        self.server, self.written, self._stop, self.failed = server, 0, threading.Event(), None

    def _run(self):
        try:
            while not self._stop.is_set():
                Writer.made += 1
                self.server.rpc("records.write", {"records": [data.unit(f"cu_more_{Writer.made}")]})
                self.written += 1
        except Exception as error:  # reported by the main thread
            self.failed = error

    def __enter__(self):
        self._begin, self._thread = time.monotonic(), threading.Thread(target=self._run)
        self._thread.start()
        return self

    def run_for(self, seconds):
        """Returns after that time, or when writing has failed."""
        self._thread.join(seconds)

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self.rate = self.written / (time.monotonic() - self._begin)


@unittest.skipUnless(NODES, "WHENCE_EXPORT_NODES is the number of nodes")
class MemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        begin = time.monotonic()
        with subprocess.Popen([WHENCE, "load", "-", "--db", str(cls.folder / "db")], stdin=subprocess.PIPE, text=True,
                              env=clean_env(),
                              stderr=subprocess.DEVNULL) as load:
            for line in batches(NODES):
                load.stdin.write(line)
            load.stdin.close()
            if load.wait():
                raise AssertionError("not loaded")
        print(f"\nloaded in {time.monotonic() - begin:.1f} s")
        cls.server = Server(cls.folder / "db")
        cls.addClassCleanup(lambda: cls.server.__exit__())

    def export(self, format):
        """The status when it is done, and how long it took."""
        begin = time.monotonic()
        job = self.server.rpc("export.start", {"select": "whole", "format": format})["job"]
        status = finished_job(self.server, job, EXPORT_SECONDS_MAX)
        self.assertEqual(status["state"], "done", status)
        return status, time.monotonic() - begin

    def seconds_of_cp(self, file):
        """Of copying a file of as many bytes."""
        source = next(p for p in self.folder.rglob(file["name"]) if p.stat().st_size == file["bytes"])
        begin = time.monotonic()
        shutil.copyfile(source, self.folder / "copy")
        seconds = time.monotonic() - begin
        (self.folder / "copy").unlink()
        return seconds

    def test_memory_is_flat_and_writes_go_on(self):
        info, pid = self.server.rpc("server.info"), self.server.process.pid
        nodes, edges = (sum(info[kind].values()) for kind in ("nodes", "edges"))
        print(f"{nodes} nodes, {edges} edges, store {info['store_bytes'] / MIB:.0f} MiB")
        begin = memory(pid)
        with Writer(self.server) as alone:
            alone.run_for(ALONE_SECONDS)  # how fast it writes without anything beside it
        per_write = max(0, memory(pid)[1] - begin[1]) / max(1, alone.written)
        print(f"alone {alone.rate:.0f} writes/s, {per_write:.0f} bytes each; "
              f"idle: resident {begin[0] / MIB:.0f} MiB, own {begin[1] / MIB:.0f} MiB")
        for format in FORMATS:
            with self.subTest(format):
                self.check(format, pid, alone, per_write)

    def check(self, format, pid, alone, per_write):
        idle = memory(pid)
        with Watch(pid) as watch, Writer(self.server) as beside:
            status, seconds = self.export(format)
        self.assertIsNone(beside.failed)
        size = sum(f["bytes"] for f in status["files"])
        copied = sum(map(self.seconds_of_cp, status["files"]))
        more = (watch.peak[1] - idle[1] - per_write * beside.written) / MIB
        print(f"{format}: {size / MIB:.0f} MiB in {seconds:.1f} s = {size / MIB / seconds:.0f} MiB/s "
              f"(cp {size / MIB / copied:.0f} MiB/s); peak resident +{(watch.peak[0] - idle[0]) / MIB:.0f} MiB, own +{more:.0f} MiB; "
              f"{beside.rate:.0f} writes/s "
              f"({100 * beside.rate / alone.rate:.0f} %)")
        self.server.rpc("export.cancel", {"job": status["job"]})
        self.assertLessEqual(more, MEMORY_MIB)
        self.assertGreaterEqual(beside.rate, (1 - SLOWED) * alone.rate)


if __name__ == "__main__":
    unittest.main()
