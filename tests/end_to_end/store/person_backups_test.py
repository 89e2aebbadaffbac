"""Claim: an erasure, and its dry run, name each backup made before that still has something of the person, with how much of which type,
copies and sets alike; one that was made before there was anything of them is not named, and one that is gone from its place is named as
not looked at. A store that is restored with the list of what must stay gone loses what was erased after its backup, and that alone.

Method: backups are made before, between and after the records of two persons by each way there is, one of them is moved away, and one of the
persons is erased. Backups are restored with lists made at the erasure and afterwards.
"""
import json
import os
import tempfile
import unittest
from pathlib import Path

from support.program import RpcError, Server, whence
from support.wire_case import INVALID_PARAMS, FreshServerCase

TIME = "2026-01-01T00:00:00Z"


def answer(name, person):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "m", "content": f"said {name}", "person": person,
            "context_units": [{"context_unit_id": "cu_shared", "weight": 1}]}


class PersonBackupsTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.place = self.db + "-backups"
        self.write({"$type$": "ContextUnit", "id": "cu_shared", "type": "System", "source": "s", "timestamp": TIME, "version": 1}, answer("b", "bea"))
        self.back_up("empty")
        self.write(answer("a", "anna"))
        self.back_up("one")
        self.increment()
        self.write(answer("c", "anna"), {"$type$": "FeedbackRecord", "id": "fb_c", "response_id": "resp_c", "timestamp": TIME, "score": 1})
        self.back_up("two")

    def back_up(self, name):
        self.rpc("admin.backup", path=f"{self.place}-{name}")

    def increment(self):
        made = whence("backup", self.place + "-sets", "--incremental", "--url", self.server.url)
        self.assertEqual(made.returncode, 0, made.stderr)

    def refused_place(self, path):
        with self.assertRaises(RpcError) as caught:
            self.server.rpc("admin.backup", {"path": path})
        self.assertEqual(caught.exception.error["code"], INVALID_PARAMS, caught.exception)
        return caught.exception.error

    def test_a_place_that_a_line_cannot_name_is_refused(self):
        forged = f"{self.place}-a\n2026-01-01T00:00:00Z 1 /etc/forged"
        for path in (forged, self.place + "\0x", self.place + "x" * 300):
            self.refused_place(path)
        self.assertEqual(whence("backup", forged, "--url", self.server.url).returncode, 2)
        self.assertNotIn("/etc/forged", [each["path"] for each in self.rpc("person.erase", person="anna", dry_run=True)["backups"]])

    def test_a_place_where_nothing_can_be_made_is_refused(self):
        """Not as a failure of the server: the answer names what could not be made."""
        dangling = Path(self.place + "-link")
        dangling.symlink_to(self.place + "-nothing")
        for path, cannot in (("/proc/whence/copy", "mkdir /proc/whence: "), (f"{dangling}/copy", f"mkdir {dangling}: ")):
            refused = self.refused_place(path)
            self.assertEqual((refused["data"]["rule"], refused["data"]["path"], refused["data"]["seen"]), ("path", "/path", path))
            self.assertIn(cannot, refused["message"])
            self.assertIn(cannot, whence("backup", path, "--url", self.server.url).stderr)

    def named(self, answer):
        return {each["path"].removeprefix(self.place + "-").split("/")[0]: (each["types"], each.get("not_looked_at", False))
                for each in answer["backups"]}

    def test_each_older_backup_is_named_with_what_it_has(self):
        one, two = {"Person": 1, "Response": 1}, {"FeedbackRecord": 1, "Person": 1, "Response": 2}
        expected = {"one": (one, False), "sets": (one, False), "two": (two, False)}
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        self.increment()
        expected["sets"] = (two, False)
        os.rename(self.place + "-two", self.place + "-moved")
        expected["two"] = (two, True)
        self.server.kill()
        self.server = Server(self.db)
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        self.assertEqual(self.named(self.rpc("person.erase", person="anna")), expected)

    def test_a_backup_from_before_an_erasure_is_named_afterwards_and_one_from_after_it_is_not(self):
        expected = self.named(self.rpc("person.erase", person="anna"))
        self.back_up("after")
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        self.write(answer("e", "anna"))
        self.back_up("last")
        expected["last"] = ({"Response": 1}, False)  # the Person itself stays gone
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        self.assertEqual(self.named(self.rpc("person.erase", person="anna")), expected)

    def test_a_set_that_is_added_to_after_an_erasure_still_has_what_was_there(self):
        """Also where it is at its place no more: then by what was noted. A set that begins after the erasure has nothing."""
        self.increment()
        expected = self.named(self.rpc("person.erase", person="anna"))
        self.assertIn("sets", expected)
        self.increment()
        self.write(answer("d", "bea"))
        self.increment()
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        os.rename(self.place + "-sets", self.place + "-elsewhere")
        expected["sets"] = (expected["sets"][0], True)
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)
        self.increment()
        del expected["sets"]
        self.assertEqual(self.named(self.rpc("person.erase", person="anna", dry_run=True)), expected)

    def test_what_was_never_backed_up_names_none(self):
        self.write(answer("d", "dora"))
        self.assertNotIn("backups", self.rpc("person.erase", person="dora"))

    def test_the_command_line_names_them(self):
        for flags in (["--dry-run"], ["--yes"]):
            said = whence("person", "erase", "anna", *flags, "--url", self.server.url).stdout
            self.assertIn(f"older backup {self.place}-one still has Person: 1 Response: 1\n", said)
            self.assertNotIn(self.place + "-empty", said)


class ErasedListTest(FreshServerCase):
    """Lists of what must stay gone, and restores with them."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.list = self.folder / "erased"
        self.write({"$type$": "ContextUnit", "id": "cu_shared", "type": "System", "source": "s", "timestamp": TIME, "version": 1},
                   {"$type$": "Topic", "id": "t"})

    def run_on_server(self, *words, code=0):
        done = whence(*words, "--url", self.server.url)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def back_up(self, name):
        self.rpc("admin.backup", path=str(self.folder / name))

    def restored(self, name):
        """What a store has that is restored from a backup with the list: ref and text of the answers, messages and persons."""
        place = self.folder / f"{name} restored"
        done = whence("restore", self.folder / name, "--db", place, "--erased", self.list)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.texts("--db", place)

    def texts(self, *where):
        texts = {}
        for kind, member in (("Response", "content"), ("Message", "text"), ("Person", "name")):
            found = whence("rpc", "node.find", json.dumps({"type": kind, "include": ["record"]}), *where)
            self.assertEqual(found.returncode, 0, found.stderr)
            texts |= {node["ref"]: node["record"].get(member) for node in json.loads(found.stdout)["nodes"] if "record" in node}
        return texts

    def refs_listed(self):
        return sorted(line["ref"] for line in map(json.loads, self.list.read_text().splitlines()) if "ref" in line)

    def test_a_list_has_what_was_purged_before_and_nothing_that_it_said(self):
        self.write(answer("1", "anna"), answer("2", "anna"), answer("b", "bea"))
        self.back_up("before")
        self.run_on_server("purge", "Response:resp_1", "--yes")
        self.run_on_server("person", "erase", "anna", "--list", self.list)
        self.assertEqual(self.refs_listed(), ["Person:anna", "Response:resp_1", "Response:resp_2"])
        self.assertNotIn("said", self.list.read_text())
        self.assertEqual(self.restored("before"), {"Response:resp_b": "said b", "Person:bea": None})

    def test_a_purge_makes_a_list_too(self):
        self.write(answer("1", "anna"), answer("2", "anna"))
        self.back_up("before")
        self.run_on_server("purge", "Response:resp_1", "--yes", "--list", self.list)
        self.assertEqual(self.refs_listed(), ["Response:resp_1"])
        self.assertEqual(self.restored("before"), {"Response:resp_2": "said 2", "Person:anna": None})

    def test_a_list_is_made_afterwards_too(self):
        self.write(answer("1", "anna"), {"$type$": "Message", "id": "m", "topicId": "t", "person": "anna", "text": "hers"})
        self.back_up("before")
        self.rpc("records.delete", refs=["Message:m"])
        self.rpc("person.erase", person="anna")
        self.write(answer("2", "anna"), {"$type$": "Person", "id": "anna", "name": "Anna again"})  # it has what she said before all the same
        self.run_on_server("person", "erase", "anna", "--dry-run", "--list", self.list)
        self.assertEqual(self.refs_listed(), ["Message:m", "Person:anna", "Response:resp_1"])
        self.assertEqual(self.record("Person:anna")["name"], "Anna again")
        self.assertEqual(self.restored("before"), {})

    def test_what_came_after_an_erasure_stays(self):
        unit = {"type": "User", "source": "chat", "content": "hello", "weight": 1}
        said = {"$type$": "Response", "timestamp": TIME, "agent": "a", "model": "m", "person": "anna", "context_units": [unit]}
        self.write({**said, "id": "resp_1", "content": "first"}, {"$type$": "Person", "id": "anna", "name": "Anna"})
        self.back_up("before")
        self.run_on_server("person", "erase", "anna", "--list", self.list)
        self.write({**said, "id": "resp_2", "content": "second"}, {"$type$": "Person", "id": "anna", "name": "Anna anew"})
        self.back_up("after")
        now = {"Response:resp_2": "second", "Person:anna": "Anna anew"}
        self.assertEqual((self.restored("before"), self.restored("after")), ({}, now))
        [unit_ref] = [ref for ref in self.refs_listed() if ref.startswith("ContextUnit:")]
        unit_there = whence("rpc", "node.get", json.dumps({"ref": unit_ref, "include": ["record"]}), "--db", self.folder / "after restored")
        self.assertEqual(json.loads(unit_there.stdout)["nodes"][0]["record"]["content"], "hello")
        self.run_on_server("person", "erase", "anna", "--list", self.list)
        os.rename(self.folder / "after restored", self.folder / "done")
        self.assertEqual(self.restored("after"), {})

    def test_a_record_of_somebody_else_under_the_same_id_stays(self):
        message = {"$type$": "Message", "id": "m", "topicId": "t"}
        self.write({**message, "text": "bobs", "person": "bob"})
        self.back_up("of bob")
        self.rpc("records.delete", refs=["Message:m"])
        self.write({**message, "text": "annas", "person": "anna"})
        self.back_up("of anna")
        self.run_on_server("person", "erase", "anna", "--list", self.list)
        self.assertEqual(self.restored("of bob"), {"Message:m": "bobs", "Person:bob": None})
        self.assertEqual(self.restored("of anna"), {"Person:bob": None})
        before = whence("rpc", "node.get", json.dumps({"ref": "Message:m", "as_of": 2, "include": ["record"]}), "--db", self.folder / "of anna restored")
        self.assertEqual(json.loads(before.stdout)["nodes"][0]["record"]["text"], "bobs")

    def test_a_list_is_made_afterwards_while_something_is_held(self):
        self.write(answer("1", "anna"))
        self.back_up("before")
        self.rpc("person.erase", person="anna")
        self.write(answer("2", "anna"))
        hold = self.rpc("hold.set", refs=["Response:resp_2"], reason="case")["ref"]
        would = self.rpc("person.erase", person="anna", dry_run=True, list=True)
        self.assertEqual([(each["rule"], each["path"], each["message"]) for each in would["warnings"]],
                         [("held", "/person", f'"Response:resp_2" is held by {hold}; end the hold first')])
        self.assertEqual((would["purged"], sorted(each["ref"] for each in would["list"])), ([], ["Person:anna", "Response:resp_1"]))
        head = self.rpc("server.info")["tx"]
        for words in (["person", "erase", "anna"], ["purge", "Response:resp_1", "Response:resp_2", "Person:anna"]):
            self.list.unlink(missing_ok=True)
            done = self.run_on_server(*words, "--dry-run", "--list", self.list)
            self.assertIn(f'warning: "Response:resp_2" is held by {hold}', done.stderr)
            self.assertNotIn("would", done.stdout)
            self.assertEqual(self.refs_listed(), ["Person:anna", "Response:resp_1"])
            self.assertIn(hold, self.run_on_server(*words, "--dry-run", code=5).stderr)  # as the erasure itself
            self.assertIn(hold, self.run_on_server(*words, "--yes", "--list", self.list, code=5).stderr)
        self.assertEqual(self.rpc("server.info")["tx"], head)
        self.assertEqual(self.restored("before"), {})

    def test_every_cut_of_a_list_is_noticed_between_two_erasures_too(self):
        self.write(answer("1", "anna"), answer("2", "bea"), answer("3", "cleo"))
        self.back_up("before")
        for person in ("anna", "bea", "cleo"):
            self.run_on_server("person", "erase", person, "--list", self.list)
        lines = self.list.read_text().splitlines(keepends=True)
        self.assertEqual([index for index, line in enumerate(lines) if "end" in json.loads(line)], [6])
        cut = self.folder / "cut"
        for first, last in [(0, i) for i in range(1, 7)] + [(i, 7) for i in range(1, 7)]:
            cut.write_text("".join(lines[first:last]))
            done = whence("restore", self.folder / "before", "--db", self.folder / "new", "--erased", cut)
            self.assertEqual((done.returncode, "missing" in done.stderr), (4, True), (first, last, done.stderr))
        self.assertEqual(self.restored("before"), {})

    def test_lists_that_were_put_together_are_one_list_after_the_next_erasure(self):
        self.write(answer("1", "anna"), answer("2", "bea"), answer("3", "cleo"))
        self.back_up("before")
        parts = [self.folder / person for person in ("anna", "bea")]
        for part in parts:
            self.run_on_server("person", "erase", part.name, "--list", part)
        self.list.write_text("".join(part.read_text() for part in parts))
        self.run_on_server("person", "erase", "cleo", "--list", self.list)
        lines = [json.loads(line) for line in self.list.read_text().splitlines()]
        self.assertEqual(([line for line in lines if "end" in line], len(lines)), ([{"end": 6}], 7))
        self.run_on_server("person", "erase", "cleo", "--dry-run", "--list", self.list)
        self.assertEqual([json.loads(line) for line in self.list.read_text().splitlines()], lines)
        self.assertEqual(self.restored("before"), {})

    def test_what_is_no_whole_list_is_refused(self):
        self.write(answer("1", "anna"))
        self.back_up("before")
        self.run_on_server("person", "erase", "anna", "--list", self.list)
        whole = self.list.read_text()
        (self.folder / "folder").mkdir()
        lines = whole.splitlines(keepends=True)
        for name, text, said in (("cut", "".join(lines[:-1]), "its end is missing"), ("cut within a line", whole[:20], "line 1: "),
                                 ("gap", "".join(lines[1:]), f"line {len(lines) - 1}: "), ("none", "Person:anna\ngarbage\n", "line 1: "),
                                 ("bad ref", lines[0].replace("Person:", "Persona:") + '{"end":1}\n', "line 1: "), ("empty", "", "is empty")):
            (self.folder / name).write_text(text)
            done = whence("restore", self.folder / "before", "--db", self.folder / "new", "--erased", self.folder / name)
            self.assertEqual(done.returncode, 4, (name, done.stderr))
            self.assertIn(f"--erased: {self.folder / name}", done.stderr)
            self.assertIn(said, done.stderr)
        folder = whence("restore", self.folder / "before", "--db", self.folder / "new", "--erased", self.folder / "folder")
        self.assertEqual((folder.returncode, "is no file" in folder.stderr), (4, True), folder.stderr)
        self.assertFalse((self.folder / "new").exists())
        self.write(answer("2", "anna"))
        for place, code in ((self.folder / "none", 4), (self.folder / "folder", 1), ("/dev/full", 1), ("-", 2)):
            refused = self.run_on_server("person", "erase", "anna", "--list", place, code=code)
            self.assertIn("nothing was erased", refused.stderr)
        self.assertEqual(self.record("resp_2")["content"], "said 2")
        self.assertFalse(Path("-").exists())


if __name__ == "__main__":
    unittest.main()
