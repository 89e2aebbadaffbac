"""Claim: an erasure, and its dry run, name each backup made before that still has something of the person, with how much of which type,
copies and sets alike; one that was made before there was anything of them is not named, and one that is gone from its place is named as
not looked at.

Method: backups are made before, between and after the records of two persons by each way there is, one of them is moved away, and one of the
persons is erased.
"""
import os
import unittest

from support.program import Server, whence
from support.wire_case import FreshServerCase

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

    def test_what_was_never_backed_up_names_none(self):
        self.write(answer("d", "dora"))
        self.assertNotIn("backups", self.rpc("person.erase", person="dora"))

    def test_the_command_line_names_them(self):
        for flags in (["--dry-run"], ["--yes"]):
            said = whence("person", "erase", "anna", *flags, "--url", self.server.url).stdout
            self.assertIn(f"older backup {self.place}-one still has Person: 1 Response: 1\n", said)
            self.assertNotIn(self.place + "-empty", said)


if __name__ == "__main__":
    unittest.main()
