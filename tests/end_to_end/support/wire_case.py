"""The base of tests over the wire: a test class with its own server, store and folder for discussion files, and helpers for
results, refusals and records.
"""
import json
import tempfile
import unittest
from pathlib import Path

from support.program import RpcError, Server, twin_store

INVALID_PARAMS, NOT_FOUND, INVALID_RECORD, CONFLICT, PRECONDITION = -32602, -32020, -32030, -32040, -32042
INTERNAL_ERROR, METHOD_NOT_FOUND = -32603, -32601


def present(value):
    """`value` without null members, which mean the same as absent ones."""
    if isinstance(value, dict):
        return {k: present(v) for k, v in value.items() if v is not None}
    return [present(v) for v in value] if isinstance(value, list) else value


class WireCase(unittest.TestCase):
    """One server for all tests of the class; each test uses ids of its own (`self.name`)."""
    with_files = True
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = Path(cls.folder.name) / "files"
        cls.server = cls.start()
        cls.addClassCleanup(lambda: cls.server.__exit__())

    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", *(["--files", cls.files] if cls.with_files else []))

    @classmethod
    def restart_after_kill(cls):
        cls.server.kill()
        cls.server = cls.start()

    @property
    def name(self):
        return self._testMethodName

    def rpc(self, method, **params):
        return self.server.rpc(method, params)

    def write(self, *records, **more):
        return self.rpc("records.write", records=list(records), **more)

    def head(self):
        return self.rpc("server.info")["tx"]

    def record(self, ref, **more):
        return self.rpc("node.get", ref=ref, include=["record"], **more)["nodes"][0]["record"]

    def refused(self, codes, method, rule=None, path="", **params):
        """The `data` of the refusal; among its errors must be one of (one of) these codes and this rule, at or below `path`.
        Nothing may have been written."""
        head = self.head()
        with self.assertRaises(RpcError, msg=f"{method} {json.dumps(params)[:300]}") as caught:
            self.server.rpc(method, params)
        error = caught.exception.error
        data = error.get("data") or {}
        self.assertTrue([e for e in data.get("errors") or [{"code": error["code"]}]
                         if e["code"] in (codes if isinstance(codes, tuple) else (codes,)) and rule in (None, e.get("rule"))
                         and e.get("path", "").startswith(path)], (codes, rule, path, error))
        self.assertEqual(self.head(), head, f"refused, but written: {error}")
        return data

    def write_refused(self, codes, *records, rule=None, path="", **more):
        return self.refused(codes, "records.write", rule, path, records=list(records), **more)

    def lineage(self, direction, ref, **more):
        """The refs among `direction` ("ancestors" or "descendants") of a node."""
        return {n["ref"] for n in self.rpc("lineage." + direction, ref=ref, **{"limit": 10000, **more})["nodes"]}


class FreshServerCase(WireCase):
    """A store and a server for each test."""
    flags = ()

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = twin_store(folder.name + "/db")
        self.server = Server(self.db, *self.flags)
        self.addCleanup(lambda: self.server.__exit__())
