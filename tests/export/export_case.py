"""What the tests of exports share: stores that hold a history each, made once in a process, with what is true of them;
and the command that exports.
"""
import atexit
import functools
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import data
from truth import graph_at, read_events
from whence_e2e import WAIT_SECONDS, WHENCE, Server, clean_env, wait_until

FORMATS = ("jsonl", "graphml", "dot", "node-link", "cytoscape", "csv", "prov-json", "prov-n")
FOLDERS = {"csv": ("nodes.csv", "edges.csv")}
SUFFIX = {"jsonl": ".jsonl", "graphml": ".graphml", "dot": ".dot", "prov-n": ".provn"}  # known by the command
OK, USAGE, NOT_FOUND, INVALID, CONFLICT = 0, 2, 3, 4, 5
FULL = 1 << 30

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)


def run(*args, stdin=None, timeout=300, **more):
    """The program to its end; its streams are bytes."""
    return subprocess.run([WHENCE, *map(str, args)], input=stdin, capture_output=True, env=clean_env(), timeout=timeout, **more)


def new_path(suffix=""):
    """A path that does not exist, in a folder of its own."""
    return Path(tempfile.mkdtemp(dir=_folder.name)) / f"out{suffix}"


def finished_job(server, job, seconds=WAIT_SECONDS):
    """The status of an export's job once it no longer runs."""
    def status():
        now = server.rpc("export.status", {"job": job})
        return now if now["state"] != "running" else None
    return wait_until(status, f"job {job}", seconds)


class Store:
    """A store on disk that no server holds, and what is true of it at the moments asked about."""

    def __init__(self, name):
        self.name, self.db = name, Path(tempfile.mkdtemp(dir=_folder.name)) / "db"
        with Server(self.db) as server:
            data.histories()[name](server)
            info = server.rpc("server.info")
            self.tx, self.epoch, self.version = info["tx"], info["epoch"], info["version"]
            self.events = read_events(server, FULL)
            self.moments = sorted({self.tx, self.tx // 2, self.tx - 1, 0})
            self._graphs = {tx: graph_at(server, self.events, tx) for tx in self.moments}
            server.stop()
        self._exports = {}

    @property
    def graph(self):
        return self._graphs[self.tx]

    def graph_at(self, tx):
        return self._graphs[tx]

    @property
    def at(self):
        """When the last transaction was committed."""
        return self.events[-1]["at"]

    def export(self, format, *args):
        """The path of a finished export: made once for each format and arguments."""
        key = (format, *map(str, args))
        if key not in self._exports:
            path = new_path(SUFFIX.get(format, ""))
            made = run("export", "--format", format, "-o", path, "--db", self.db, *args)
            if made.returncode != OK:
                raise AssertionError(f"{self.name}, {key}: exit {made.returncode}: {made.stderr.decode(errors='replace')[:2000]}")
            self._exports[key] = path
        return self._exports[key]


@functools.lru_cache(None)
def store(name):
    return Store(name)


def files_of(path):
    """{name: bytes} of the data files of an export, a file or a folder."""
    path = Path(path)
    if path.is_dir():
        return {p.name: p.read_bytes() for p in sorted(path.iterdir()) if p.name != "manifest.json"}
    return {path.name: path.read_bytes()}


def manifest_of(path):
    path = Path(path)
    with open(path / "manifest.json" if path.is_dir() else f"{path}.manifest.json", encoding="utf-8") as file:
        return json.load(file)


def for_each_store(test):
    """Makes a test with a parameter `store` one subtest for each data set."""
    @functools.wraps(test)
    def each(self):
        for name in data.histories():
            with self.subTest(data=name, **({"seed": data.SEED} if name == "random" else {})):
                test(self, store(name))
    return each


class ExportCase(unittest.TestCase):
    maxDiff = 4000

    def assert_equal_items(self, got, want, what):
        """Two dicts; the message names the first keys that differ, not both dicts whole."""
        if got == want:
            return
        missing, more = [k for k in want if k not in got], [k for k in got if k not in want]
        other = [(k, got[k], want[k]) for k in want if k in got and got[k] != want[k]]
        self.fail(f"{what}: missing {str(missing[:3])[:600]} ({len(missing)}), too many {str(more[:3])[:600]} ({len(more)}), "
                  f"other (key, got, want) {str(other[:2])[:2500]} ({len(other)})")
