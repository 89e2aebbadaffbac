"""The base of the tests of the Python package: the package itself, a server with a client, and records to write."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools" / "python"), str(ROOT / "tests" / "tools")]
import whence  # noqa: E402
from whence_e2e import WAIT_SECONDS, Server, wait_until  # noqa: E402, F401

TIME = "2025-10-09T16:15:00Z"


def unit(id, **more):
    return {"$type$": "ContextUnit", "id": id, "type": "User", "source": "chat", "timestamp": TIME, "version": 1, **more}


def response(id, weights, **more):
    """A response made from units: {id: weight}."""
    units = [{"context_unit_id": name, "weight": weight} for name, weight in weights.items()]
    return {"$type$": "Response", "id": id, "timestamp": TIME, "agent": "a", "model": "m", "context_units": units, **more}


def feedback(id, response_id, score):
    return {"$type$": "FeedbackRecord", "id": id, "response_id": response_id, "timestamp": TIME, "score": score}


class ClientCase(unittest.TestCase):
    """One server and one client (`db`) for all tests of the class; each test uses ids of its own (`self.id_of`)."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = Server(os.path.join(cls.folder.name, "db"), "--files", os.path.join(cls.folder.name, "files"))
        cls.addClassCleanup(lambda: cls.server.__exit__())
        cls.db = whence.connect(cls.server.url)
        cls.addClassCleanup(cls.db.close)

    def id_of(self, kind, number=0):
        """An id of this test: kind `cu`, `resp` or `fb`."""
        return f"{kind}_{self._testMethodName}_{number}"

    def write_units(self, count):
        """Units of this test and one response made from all of them; their ids."""
        ids = [self.id_of("cu", number) for number in range(count)]
        self.db.records.write([*map(unit, ids), response(self.id_of("resp"), {id: 1 / count for id in ids})])
        return ids
