"""The command `whence export`: where the bytes go, how the format is found, what is never overwritten, the files beside
the output.
"""
import hashlib
import json
import shutil
import subprocess
import unittest
from pathlib import Path

from export_case import (CONFLICT, FOLDERS, FORMATS, INVALID, NOT_FOUND, OK, SUFFIX, USAGE, ExportCase, files_of, manifest_of,
                         new_path,
                         run, store)
from whence_e2e import Server


def unzstd(data):
    return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout


class CliTest(ExportCase):
    def setUp(self):
        self.store = store("worked")

    def run_export(self, *args, code=OK):
        made = run("export", "--db", self.store.db, *args)
        self.assertEqual(made.returncode, code, made.stderr.decode(errors="replace")[:1000])
        return made

    def test_the_format_comes_from_the_suffix(self):
        suffixes = [(format, suffix) for format, suffix in SUFFIX.items()] + [("dot", ".gv")]
        for format, suffix in suffixes:
            with self.subTest(suffix):
                path = new_path(suffix)
                self.run_export("-o", path)
                self.assertEqual(path.read_bytes(), self.store.export(format).read_bytes())
                self.assertEqual(manifest_of(path)["format"], format)

    def test_zst_compresses(self):
        for format, suffix in SUFFIX.items():
            with self.subTest(format):
                path = new_path(suffix + ".zst")
                self.run_export("-o", path)
                data = path.read_bytes()
                self.assertEqual(unzstd(data), self.store.export(format).read_bytes())
                self.assertEqual(manifest_of(path)["files"], [{"name": path.name, "bytes": len(data),
                                                               "sha256": hashlib.sha256(data).hexdigest()}])

    def test_a_packed_file_as_long_as_the_disk_is_refused(self):
        path = new_path(".jsonl.zst")
        with open(path, "wb") as out, subprocess.Popen(["head", "-c", str(1 << 30), "/dev/zero"], stdout=subprocess.PIPE) as zeros:
            subprocess.run(["zstd", "-q", "-c"], stdin=zeros.stdout, stdout=out, check=True)
        done = run("import", path, "--db", new_path(".db"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"5,000 times as long", done.stderr)

    def test_zst_with_a_given_format(self):
        path = new_path(".json.zst")
        self.run_export("--format", "node-link", "-o", path)
        self.assertEqual(unzstd(path.read_bytes()), self.store.export("node-link").read_bytes())

    def test_a_given_format_wins_over_the_suffix(self):
        path = new_path(".dot")
        self.run_export("--format", "graphml", "-o", path)
        self.assertEqual(path.read_bytes(), self.store.export("graphml").read_bytes())

    def test_without_format_and_suffix_it_is_misuse(self):
        for path in (new_path(), new_path(".txt"), new_path(".json"), new_path(".zst")):
            self.run_export("-o", path, code=USAGE)
            self.assertFalse(path.exists())
        self.run_export(code=USAGE)
        self.run_export("--format", "xlsx", "-o", new_path(), code=USAGE)

    def test_standard_output(self):
        for format in FORMATS:
            for output in (("-o", "-"), ("--output", "-"), ()):
                with self.subTest(format, output=output):
                    if format in FOLDERS:
                        self.assertEqual(self.run_export("--format", format, *output, code=USAGE).stdout, b"")
                    else:
                        self.assertEqual(self.run_export("--format", format, *output).stdout,
                                         self.store.export(format).read_bytes())

    def test_the_manifest_of_standard_output_goes_where_it_is_told(self):
        manifest = new_path(".json")
        made = self.run_export("--format", "dot", "--manifest", manifest)
        got = json.loads(manifest.read_text())
        self.assertEqual([(f["bytes"], f["sha256"]) for f in got["files"]],
                         [(len(made.stdout), hashlib.sha256(made.stdout).hexdigest())])

    def test_nothing_else_is_left_in_the_folder(self):
        for format in FORMATS:
            with self.subTest(format):
                path = new_path(SUFFIX.get(format, ""))
                self.run_export("--format", format, "-o", path)
                beside = {path.name} if format in FOLDERS else {path.name, path.name + ".manifest.json"}
                self.assertEqual({p.name for p in path.parent.iterdir()}, beside)
                if format in FOLDERS:
                    self.assertEqual({p.name for p in path.iterdir()}, {*FOLDERS[format], "manifest.json"})

    def test_what_exists_is_not_touched(self):
        for format in FORMATS:
            with self.subTest(format, kind="file"):
                path = new_path()
                path.write_bytes(b"mine")
                self.run_export("--format", format, "-o", path, code=CONFLICT)
                self.assertEqual({p.name: p.read_bytes() for p in path.parent.iterdir()}, {path.name: b"mine"})
            with self.subTest(format, kind="folder"):
                path = new_path()
                path.mkdir()
                (path / "mine").write_bytes(b"mine")
                self.run_export("--format", format, "-o", path, code=CONFLICT)
                self.assertEqual([(p.name, p.read_bytes()) for p in path.iterdir()], [("mine", b"mine")])

    def test_a_manifest_that_exists_is_not_touched(self):
        for named in (False, True):
            with self.subTest(named=named):
                path = new_path(".dot")
                manifest = path.parent / "m.json" if named else Path(f"{path}.manifest.json")
                manifest.write_bytes(b"mine")
                flags = ("--manifest", manifest) if named else ()
                self.run_export("-o", path, *flags, code=CONFLICT)
                self.assertEqual({p.name: p.read_bytes() for p in path.parent.iterdir()}, {manifest.name: b"mine"})
                self.run_export("-o", path, *flags, "--force")
                self.assertEqual(json.loads(manifest.read_text())["format"], "dot")

    def test_force_does_not_delete_what_is_no_export(self):
        path = new_path()
        path.mkdir()
        (path / "mine").write_bytes(b"mine")
        run("export", "--db", self.store.db, "--format", "csv", "-o", path, "--force")
        self.assertEqual((path / "mine").read_bytes() if (path / "mine").exists() else None, b"mine")

    def test_force_replaces_a_file(self):
        for format in FORMATS:
            with self.subTest(format):
                path = new_path()
                shutil.copytree(self.store.export(format), path) if format in FOLDERS else path.write_bytes(b"x" * 100_000)
                self.run_export("--format", format, "-o", path, "--force")
                want = files_of(self.store.export(format))
                self.assertEqual(list(files_of(path).values()), list(want.values()))
                self.assertEqual(manifest_of(path)["format"], format)
                self.assertEqual(len(list(path.parent.iterdir())), 1 if format in FOLDERS else 2)

    def test_a_reduced_export_has_fewer_edges(self):
        whole, path = self.store.export("dot"), new_path(".dot")
        self.run_export("-o", path, "--reduced")
        left_out = manifest_of(path)["reduced_edges"]
        self.assertGreater(left_out, 0)
        self.assertNotIn("reduced_edges", manifest_of(whole))
        self.assertEqual(path.read_text(encoding="utf-8").count(" -> "), whole.read_text(encoding="utf-8").count(" -> ") - left_out)
        for suffix in (".jsonl", ".provn"):
            path = new_path(suffix)
            self.run_export("-o", path, "--reduced", code=INVALID)
            self.assertEqual(list(path.parent.iterdir()), [])

    def test_wrong_requests(self):
        for args, code in ((("--as-of", 6), INVALID), (("--as-of", -1), USAGE),
                           (("--ancestors", "ContextUnit:cu_none"), NOT_FOUND),
                           (("--descendants", "Nothing:x"), INVALID), (("--select", "{"), None),
                           (("--select", '{"method":"node.get","params":{}}'), INVALID),
                           (("--select", '{"method":"lineage.ancestors","params":{"ref":"cu_a","dept":1}}'), INVALID),
                           (("--ancestors", "cu_a", "--descendants", "cu_a"), USAGE), (("--option", "formulas=none"), None),
                           (("--option", "nonsense=1"), None), (("--option", "nonsense"), None)):
            with self.subTest(args):
                path = new_path(".json")
                made = run("export", "--format", "node-link", "--db", self.store.db, "-o", path, *args)
                self.assertIn(made.returncode, (USAGE, INVALID) if code is None else (code,), made.stderr)
                self.assertEqual(list(path.parent.iterdir()), [])
                self.assertTrue(made.stderr.strip())

    def test_a_folder_that_does_not_exist(self):
        path = new_path() / "deeper" / "out.dot"
        made = run("export", "--db", self.store.db, "-o", path)
        self.assertNotEqual(made.returncode, OK)
        self.assertFalse(path.exists())

    def test_as_of_a_time(self):
        path = new_path(".dot")
        self.run_export("-o", path, "--as-of", self.store.events[0]["at"])
        self.assertEqual(path.read_bytes(), self.store.export("dot", "--as-of", 1).read_bytes())
        self.assertEqual(manifest_of(path)["tx"], 1)

    def test_through_a_server(self):
        with Server(self.store.db) as server:
            for format in FORMATS:
                with self.subTest(format):
                    path = new_path(SUFFIX.get(format, ""))
                    made = run("export", "--format", format, "--url", server.url, "-o", path)
                    self.assertEqual(made.returncode, OK, made.stderr.decode(errors="replace"))
                    self.assertEqual(files_of(path), {n: d for n, d in files_of(self.store.export(format)).items()})
                    got, want = manifest_of(path), manifest_of(self.store.export(format))
                    self.assertEqual({k: v for k, v in got.items() if k != "files"},
                                     {k: v for k, v in want.items() if k != "files"})
            refused = run("export", "--format", "csv", "--url", server.url)
            self.assertEqual(refused.returncode, USAGE)
            path = new_path()
            path.write_bytes(b"mine")
            self.assertEqual(run("export", "--format", "dot", "--url", server.url, "-o", path).returncode, CONFLICT)
            self.assertEqual(path.read_bytes(), b"mine")
            self.assertEqual(server.stop(), OK)


if __name__ == "__main__":
    unittest.main()
