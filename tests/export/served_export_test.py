"""Exports by a server: starting, watching, fetching and cancelling a job, what each role may, what is refused, and that
writes going on do not show in it.
"""
import hashlib
import http.client
import json
import os
import tempfile
import threading
import time
import unittest
from pathlib import Path

import data
from export_case import FOLDERS, FORMATS, OK, ExportCase, files_of, finished_job, new_path, run
from support.raw_websocket import WebSocket
from whence_e2e import RpcError, Server, wait_until, write_tokens

INVALID_PARAMS, NOT_FOUND = -32602, -32020
STATES = {"running", "done", "failed", "cancelled"}
PATIENCE = 60
MANY = 4000  # units in the store where an export takes a while


def get(server, path, token=None, method="GET"):
    """Status, headers by lower-case name, body."""
    connection = http.client.HTTPConnection(server.authority, timeout=60)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {token}"} if token else {})
        with connection.getresponse() as answer:
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def path_of(url):
    """The path of a file's URL, which may be relative to the server."""
    return "/" + url.split("://", 1)[1].split("/", 1)[1] if "://" in url else url


class ServedCase(ExportCase):
    flags, token = (), None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.db = folder.name, folder.name + "/db"
        cls.prepare()
        cls.server = Server(cls.db, *cls.flags, token=cls.token)
        cls.addClassCleanup(lambda: cls.server.__exit__())

    @classmethod
    def prepare(cls):
        pass

    def rpc(self, method, **params):
        return self.server.rpc(method, params)

    def refused(self, code, method, **params):
        with self.assertRaises(RpcError) as caught:
            self.server.rpc(method, params)
        self.assertEqual(caught.exception.code, code, caught.exception.error)

    def start(self, format, select="whole", **more):
        return self.rpc("export.start", select=select, format=format, **more)

    def wait(self, job):
        """The status once it no longer runs."""
        return finished_job(self.server, job)

    def fetched(self, status):
        """{name: bytes} by HTTP, each file's size and hash checked."""
        files = {}
        for file in status["files"]:
            code, _, body = get(self.server, path_of(file["url"]), self.token)
            self.assertEqual((code, len(body), hashlib.sha256(body).hexdigest()), (200, file["bytes"], file["sha256"]), file)
            files[file["name"]] = body
        return files


class ServedTest(ServedCase):
    @classmethod
    def prepare(cls):
        with Server(cls.db) as server:
            data.rich(server)
            cls.tx = server.rpc("server.info")["tx"]
            server.stop()
        cls.exports = {}
        for format in FORMATS:
            path = new_path()
            made = run("export", "--db", cls.db, "--format", format, "-o", path)
            if made.returncode != OK:
                raise AssertionError(made.stderr.decode(errors="replace"))
            cls.exports[format] = list(files_of(path).values())

    def test_each_format_has_the_bytes_of_the_command(self):
        for format in FORMATS:
            with self.subTest(format):
                begun = self.start(format)
                self.assertEqual((set(begun) - {"complete"}, begun["tx"]), ({"job", "tx"}, self.tx))
                status = self.wait(begun["job"])
                self.assertEqual((status["state"], status["job"], status["tx"]), ("done", begun["job"], self.tx), status)
                self.assertEqual(status["done"], status["total"])
                files = self.fetched(status)
                self.assertEqual([d for _, d in sorted(files.items()) if _ != "manifest.json"], self.exports[format])
                if format in FOLDERS:
                    self.assertLessEqual(set(FOLDERS[format]), set(files))
                manifest = status["manifest"]
                self.assertEqual((manifest["format"], manifest["tx"], manifest["select"]), (format, self.tx, "whole"))
                self.assertEqual({f["sha256"] for f in manifest["files"]},
                                 {hashlib.sha256(d).hexdigest() for d in self.exports[format]})

    def test_headers_of_files(self):
        status = self.wait(self.start("graphml")["job"])
        file = status["files"][0]
        self.assertEqual(path_of(file["url"]), f"/export/{status['job']}/{file['name']}")
        code, headers, body = get(self.server, path_of(file["url"]))
        self.assertEqual(code, 200)
        self.assertEqual(headers["etag"].strip('"'), file["sha256"])
        self.assertEqual({part.strip() for part in headers["cache-control"].split(",")}, {"private", "immutable"})
        self.assertTrue(headers["content-disposition"].startswith("attachment"))
        self.assertEqual((headers["content-security-policy"], headers["x-content-type-options"]), ("sandbox", "nosniff"))
        head_code, head, nothing = get(self.server, path_of(file["url"]), method="HEAD")
        self.assertEqual((head_code, nothing, head["content-length"]), (200, b"", str(len(body))))
        self.assertEqual(get(self.server, path_of(file["url"]), method="POST")[0], 405)

    def test_unknown_files_and_jobs(self):
        status = self.wait(self.start("dot")["job"])
        url = path_of(status["files"][0]["url"])
        for path in (url + "x", f"/export/{status['job']}", f"/export/{status['job']}/",
                     f"/export/{status['job']}/../{status['job']}/x", "/export/none/x", "/export/",
                     f"/export/{status['job']}/..%2F..%2F..%2Fetc%2Fpasswd", f"/export/{status['job']}/%2e%2e",
                     f"/export/..%2f{status['job']}/x"):
            self.assertEqual(get(self.server, path)[0], 404, path)
        for method in ("export.status", "export.cancel"):
            self.refused(NOT_FOUND, method, job="none")
            self.refused(INVALID_PARAMS, method)

    def test_refused_requests(self):
        for params in ({"select": "whole"}, {"select": "all", "format": "dot"}, {"select": "whole", "format": "xlsx"},
                       {"select": "whole", "format": "dot", "fromat": "x"},
                       {"select": {"method": "node.find", "params": {"type": "Topic"}}, "format": "dot"},
                       {"select": {"method": "lineage.ancestors", "params": {"dept": 1, "ref": "cu_a"}}, "format": "dot"},
                       {"select": {"method": "lineage.ancestors"}, "format": "dot"},
                       {"select": {"method": "lineage.ancestors", "params": {"ref": "No:x"}}, "format": "dot"},
                       {"select": "whole", "format": "dot", "as_of": self.tx + 1},
                       {"select": "whole", "format": "dot", "as_of": -1},
                       {"select": "whole", "format": "csv", "options": {"formulas": "none"}},
                       {"select": "whole", "format": "dot", "options": {"what": 1}},
                       {"select": "whole", "format": "dot", "options": []}):
            with self.subTest(params):
                self.refused(INVALID_PARAMS, "export.start", **params)
        unknown = {"method": "lineage.ancestors", "params": {"ref": "cu_none"}}
        self.refused(NOT_FOUND, "export.start", format="dot", select=unknown)

    def test_as_of_options_and_selections(self):
        status = self.wait(self.start("node-link", as_of=3, options={"compress": "none"},
                                      select={"method": "lineage.descendants", "params": {"ref": "ContextUnit:cu_a"}})["job"])
        (body,) = self.fetched(status).values()
        document = json.loads(body)
        self.assertEqual(document["graph"], {"tx": 3})
        self.assertEqual(document["nodes"][0]["ref"], "ContextUnit:cu_a")
        self.assertEqual((status["tx"], status["manifest"]["as_of"]), (3, 3))

    def test_cancelling_a_finished_job_takes_its_files(self):
        status = self.wait(self.start("csv")["job"])
        answer = self.rpc("export.cancel", job=status["job"])
        self.assertEqual((answer["job"], answer["state"] in STATES), (status["job"], True))
        for file in status["files"]:
            self.assertEqual(get(self.server, path_of(file["url"]))[0], 404)

    def test_files_are_below_the_store_and_go_at_shutdown(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder + "/db") as server:
                data.worked(server)
                before = {p for p in Path(folder).rglob("*") if p.is_file()}
                job = server.rpc("export.start", {"select": "whole", "format": "graphml"})["job"]
                finished_job(server, job)
                self.assertTrue({p for p in Path(folder).rglob("*") if p.is_file()} - before)
                server.stop()
            left = {p for p in Path(folder).rglob("*") if p.is_file()} - before
            self.assertEqual([p for p in left if "graphml" in p.name or "export" in str(p)], [])
            with Server(folder + "/db") as server:
                with self.assertRaises(RpcError) as caught:
                    server.rpc("export.status", {"job": job})
                self.assertEqual(caught.exception.code, NOT_FOUND)


class LongExportTest(ServedCase):
    """A store large enough for something to happen while it is exported."""
    @classmethod
    def prepare(cls):
        with Server(cls.db) as server:
            for begin in range(0, MANY, 1000):
                server.rpc("records.write", {"records": [data.unit(f"cu_{i}", summary="s" * 400)
                                                         for i in range(begin, begin + 1000)]})
            server.stop()

    def test_writes_go_on_and_do_not_show(self):
        stop, failed, written = threading.Event(), [], 0

        def write():
            nonlocal written
            try:
                while not stop.is_set():
                    self.rpc("records.write", records=[data.unit(f"cu_more_{written}"),
                                                       data.response(f"resp_more_{written}", {"cu_0": 1})])
                    written += 1
            except Exception as error:  # reported by the main thread
                failed.append(error)
        writer = threading.Thread(target=write)
        writer.start()
        try:
            for format in ("jsonl", "node-link", "csv"):
                begun = self.start(format)
                status = self.wait(begun["job"])
                self.assertEqual(status["state"], "done", status)
                files = self.fetched(status)
                again = self.fetched(self.wait(self.start(format, as_of=begun["tx"])["job"]))
                self.assertEqual(files, again, "the same moment asked for later")
                if format == "jsonl":
                    (body,) = files.values()
                    txs = [json.loads(line)["tx"] for line in body.splitlines()]
                    self.assertEqual(max(txs), begun["tx"])
        finally:
            stop.set()
            writer.join()
        self.assertEqual(failed, [])
        self.assertGreater(written, 0)

    def files(self):
        """Of exports; folders may go meanwhile."""
        return {Path(folder) / name for folder, _, names in os.walk(Path(self.db) / "exports") for name in names}

    def test_cancel_takes_what_was_written(self):
        before = self.files()
        jobs = [self.start(format)["job"] for format in ("prov-json", "graphml", "csv", "node-link")]
        for job in jobs:
            self.rpc("export.cancel", job=job)
        wait_until(lambda: not self.files() - before, "removal of what the jobs wrote")

    def test_cancel_while_it_runs(self):
        job = self.start("graphml")["job"]
        answer = self.rpc("export.cancel", job=job)
        self.assertEqual(answer["job"], job)
        self.assertIn(answer["state"], STATES - {"failed"})
        try:
            self.assertIn(self.rpc("export.status", job=job)["state"], STATES - {"failed"})
        except RpcError as error:
            self.assertEqual(error.code, NOT_FOUND)

    def test_progress(self):
        socket = WebSocket(self.server.authority)
        self.addCleanup(socket.close)
        socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "export.start",
                                "params": {"select": "whole", "format": "graphml", "progress": True}}))
        job, progress, begin = None, [], time.monotonic()
        while not progress or progress[-1]["done"] < progress[-1]["total"]:
            text = socket.receive(PATIENCE)
            self.assertIsNotNone(text, "no $/progress")
            message = json.loads(text)
            if "id" in message:
                job = message["result"]["job"]
                continue
            self.assertEqual(message["method"], "$/progress")
            progress.append(message["params"])
        self.assertEqual({p["id"] for p in progress}, {job})
        for p in progress:
            self.assertLessEqual({"id", "done", "total"}, set(p))
        self.assertEqual([p["done"] for p in progress], sorted(p["done"] for p in progress))
        self.assertLessEqual(len(progress), 2 + 10 * (time.monotonic() - begin), "at most ten a second")


class TokenTest(ServedCase):
    token = "reader"

    @classmethod
    def prepare(cls):
        tokens = write_tokens(Path(cls.folder) / "tokens", "read reader\nwrite writer\nadmin admin\n")
        cls.flags = ("--tokens", tokens)
        with Server(cls.db) as server:
            data.worked(server)
            server.stop()

    def test_a_reader_may_export_and_fetch(self):
        status = self.wait(self.start("dot")["job"])
        self.assertEqual(len(self.fetched(status)), 1)

    def test_files_need_a_token(self):
        url = path_of(self.wait(self.start("dot")["job"])["files"][0]["url"])
        for token, code in ((None, 401), ("wrong", 401), ("reader", 200), ("writer", 200), ("admin", 200)):
            self.assertEqual(get(self.server, url, token)[0], code, token)
        self.assertEqual(get(self.server, url + "?token=reader")[0], 401)


del ServedCase

if __name__ == "__main__":
    unittest.main()
