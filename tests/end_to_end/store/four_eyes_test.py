"""Claim: with `--four-eyes` nobody purges or erases alone, by any door; what one user proposed another carries out in time, as it is then;
and of an erased person nothing is left in the store or in the proposals, while who, when, why and how many stay.

Method: two administrators and a writer, told apart by their tokens, ask a server with the setting in every order, across a restart; the
bytes of the compacted store are searched for the words of the erased person, which are said nowhere else.
"""
import json
import tempfile
import unittest
from pathlib import Path

from support.program import RpcError, Server, token_lines, wait_until, whence, write_private
from support.wire_case import INVALID_RECORD, NOT_FOUND, PRECONDITION

FORBIDDEN = -32011
TIME = "2026-01-01T00:00:00Z"
WORDS = "what-anna-alone-said"


def answer(name, person):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "m", "content": f"said to {name}: {WORDS}",
            "person": person, "context_units": [{"context_unit_id": "cu_faq", "weight": 1}]}


class FourEyesTest(unittest.TestCase):
    flags = ("--four-eyes", "1h")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"
        self.secrets = {}
        for name, role in (("ann", "admin"), ("ben", "admin"), ("wim", "write")):
            self.secrets[name] = self.make_token(name, role)
        self.serve(*self.flags)
        self.rpc("wim", "records.write", records=[
            {"$type$": "ContextUnit", "id": "cu_faq", "type": "External", "source": "faq", "content": "Bills are due.", "timestamp": TIME},
            {"$type$": "ContextUnit", "id": "cu_old", "type": "External", "source": "faq", "content": "to be purged", "timestamp": TIME}])
        self.rpc("wim", "records.write", records=[answer("a", "p-17")])

    def make_token(self, name, role):
        """The file with the secret of a credential with a name."""
        made = whence("token", "add", name, "--role", role, "--file", self.folder / "tokens")
        self.assertEqual(made.returncode, 0, made.stderr)
        return write_private(self.folder / name, made.stdout.strip() + "\n")

    def serve(self, *flags):
        self.server = Server(self.db, "--tokens", self.folder / "tokens", *flags)
        self.addCleanup(self.server.kill)

    def restart(self, *flags):
        self.server.kill()
        self.serve(*(flags or self.flags))

    def rpc(self, who, method, **params):
        self.server.token = self.secrets[who].read_text().strip()
        return self.server.rpc(method, params)

    def refused(self, code, who, method, rule=None, **params):
        head = self.rpc("ann", "server.info")["tx"]
        with self.assertRaises(RpcError) as caught:
            self.rpc(who, method, **params)
        error = caught.exception.error
        self.assertEqual(error["code"], code, error)
        if rule:
            self.assertEqual(error["data"]["rule"], rule, error)
        self.assertEqual(self.rpc("ann", "server.info")["tx"], head)
        return error

    def cli(self, who, *args):
        return whence(*args, "--url", self.server.url, "--token-file", self.secrets[who])

    def proposed(self, who, method, **params):
        done = self.rpc(who, method, **params)
        self.assertEqual((done["purged"], done["redacted"]), ([], []))
        self.assertIn("confirm_until", done)
        return done["proposed"]

    def is_there(self, ref):
        return "purged" not in self.rpc("wim", "node.get", ref=ref)["nodes"][0]

    def test_another_user_carries_out_what_one_proposed(self):
        ref = self.proposed("ann", "records.purge", refs=["cu_old"], reason="asked on 3 May")
        self.assertTrue(self.is_there("cu_old"))
        self.refused(PRECONDITION, "ann", "purge.confirm", "four_eyes", ref=ref)
        self.refused(FORBIDDEN, "wim", "purge.confirm", ref=ref)
        self.restart()
        done = self.rpc("ben", "purge.confirm", ref=ref)
        self.assertEqual(done["purged"], ["ContextUnit:cu_old"])
        self.assertFalse(self.is_there("cu_old"))
        last = self.rpc("ann", "history.get", ref="cu_old")["events"][-1]
        self.assertEqual((last["op"], last["who"], last["reason"]), ("purge", "ben", "asked on 3 May"))
        said = self.rpc("ann", "purge.proposals", all=True)["proposals"]
        self.assertEqual([{k: each.get(k) for k in ("ref", "state", "proposed_by", "confirmed_by", "reason", "purged", "refs")} for each in said],
                         [{"ref": ref, "state": "confirmed", "proposed_by": "ann", "confirmed_by": "ben", "reason": "asked on 3 May", "purged": 1,
                           "refs": None}])
        self.refused(PRECONDITION, "ben", "purge.confirm", "closed", ref=ref)
        self.assertTrue(self.rpc("ann", "records.purge", refs=["cu_old"])["unchanged"])  # nothing to propose

    def test_an_erasure_leaves_nothing_of_the_person(self):
        other = self.proposed("ben", "person.erase", person="p-17", reason="by mistake")
        self.rpc("ben", "purge.withdraw", ref=other)
        ref = self.proposed("ann", "person.erase", person="p-17", reason="asked on 3 May")
        self.rpc("wim", "records.write", records=[answer("later", "p-17")])
        would = self.rpc("ben", "purge.proposals")["proposals"]
        self.assertEqual([(each["ref"], each["person"], each["types"]) for each in would], [(ref, "p-17", {"Person": 1, "Response": 2})])
        done = self.rpc("ben", "purge.confirm", ref=ref)
        self.assertEqual(set(done["purged"]), {"Person:p-17", "Response:resp_a", "Response:resp_later"})
        self.assertEqual(set(done["redacted"]), {ref, other})
        attributes = self.rpc("ann", "node.get", ref=done["erasure"], include=["record"])["nodes"][0]["record"]["attributes"]
        self.assertEqual({k: attributes[k] for k in ("whence:by", "whence:proposedBy", "whence:reason")},
                         {"whence:by": "ben", "whence:proposedBy": "ann", "whence:reason": "asked on 3 May"})
        key = self.cli("ann", "key").stdout.strip()
        certificate = self.rpc("ann", "person.certificate", ref=done["erasure"])
        file = self.folder / "certificate.json"
        file.write_text(json.dumps(certificate))
        checked = whence("check", file, "--key", key)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        counts = {name[7:]: count for name, count in attributes.items() if isinstance(count, int)}
        self.assertEqual(counts, {"Person": 1, "Response": 2, "redacted": 2})
        self.assertEqual(json.loads(whence("check", file, "--key", key, "--json").stdout)["erased"], sum(counts.values()))
        self.assertNotIn("p-17", json.dumps(self.rpc("ann", "purge.proposals", all=True)))
        for moment in range(1, self.rpc("ann", "server.info")["tx"] + 1):
            for each in (ref, other):
                try:
                    node = self.rpc("ann", "node.get", ref=each, include=["record"], as_of=moment)["nodes"][0]
                except RpcError:
                    continue  # it was not there yet
                self.assertNotIn("p-17", json.dumps(node))
        self.server.kill()
        compacted = whence("compact", "--db", self.db)
        self.assertEqual(compacted.returncode, 0, compacted.stderr)
        for path in self.db.rglob("*"):
            if path.is_file():
                self.assertNotIn(WORDS.encode(), path.read_bytes(), path)
                self.assertNotIn(b'"whence:person"', path.read_bytes(), path)

    def test_no_proposal_names_a_person_of_decisions_alone(self):
        self.rpc("wim", "records.write", records=[{"$type$": "Decision", "id": "dec_1", "subject": "Response:resp_a", "verdict": "approve",
                                                   "by": "p-18", "timestamp": TIME}])
        other = self.proposed("ben", "person.erase", person="p-18", reason="by mistake")
        self.rpc("ben", "purge.withdraw", ref=other)
        done = self.rpc("ben", "purge.confirm", ref=self.proposed("ann", "person.erase", person="p-18", reason="asked"))
        self.assertEqual(done["purged"], ["Decision:dec_1"])
        self.assertIn(other, done["redacted"])
        self.assertNotIn("p-18", json.dumps(self.rpc("ann", "purge.proposals", all=True)))

    def test_what_came_between_refuses(self):
        held = self.proposed("ann", "records.purge", refs=["cu_old"])
        hold = self.rpc("ben", "hold.set", refs=["cu_old"], reason="case 17")["ref"]
        self.refused(PRECONDITION, "ben", "purge.confirm", "held", ref=held)
        said = self.rpc("ben", "purge.proposals")["proposals"][0]["refused"]
        self.assertEqual(said["rule"], "held")
        self.assertIn(hold, said["message"])
        self.refused(PRECONDITION, "ann", "records.purge", "held", refs=["cu_old"])  # nor is it proposed again
        self.rpc("ben", "hold.clear", id=hold.split(":")[1], reason="over")
        self.rpc("ann", "purge.withdraw", ref=held)
        self.refused(PRECONDITION, "ben", "purge.confirm", "closed", ref=held)
        self.refused(NOT_FOUND, "ben", "purge.confirm", ref="ProvActivity:urn:whence:proposal:none")

    def test_it_is_over_after_its_time(self):
        self.restart("--four-eyes", "1s")
        ref = self.proposed("ann", "records.purge", refs=["cu_old"])
        wait_until(lambda: not self.rpc("ben", "purge.proposals")["proposals"], "the time of the proposal to be over")
        self.assertEqual(self.rpc("ben", "purge.proposals", all=True)["proposals"][0]["state"], "expired")
        self.restart()  # with more time for new ones
        self.refused(PRECONDITION, "ben", "purge.confirm", "too_late", ref=ref)
        self.assertTrue(self.is_there("cu_old"))

    def test_no_door_passes_by(self):
        forged = {"$type$": "ProvActivity", "id": "urn:whence:proposal:1", "qname": "whence:proposal:1", "prefixes": {"whence": "urn:whence:"},
                  "attributes": {"prov:type": "whence:PurgeProposal", "whence:proposedBy": "ann", "whence:person": "p-17",
                                 "prov:startTime": TIME, "whence:confirmUntil": "2199-01-01T00:00:00Z"}}
        for more in ({}, {"keep_derived": True}, {"mode": "capture"}):
            self.refused(INVALID_RECORD, "wim", "records.write", records=[forged], **more)
        ref = self.proposed("ann", "records.purge", refs=["cu_old"])
        node = self.rpc("ann", "node.get", ref=ref, include=["record"])["nodes"][0]["record"]
        self.refused(INVALID_RECORD, "wim", "records.write", records=[{**node, "attributes": {**node["attributes"], "whence:proposedBy": "ben"}}])
        for args in (("purge", "cu_old", "--yes"), ("person", "erase", "p-17", "--yes")):
            said = self.cli("ann", *args)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("proposed as ProvActivity:urn:whence:proposal:", said.stdout)
            self.assertIn("whence proposal confirm ", said.stderr)
        self.assertTrue(self.is_there("cu_old") and self.is_there("resp_a"))
        self.assertEqual(self.rpc("ann", "records.purge", refs=["cu_old"], dry_run=True)["purged"], ["ContextUnit:cu_old"])

    def test_a_history_that_purges_is_not_restored(self):
        source = Server(self.folder / "source")
        self.addCleanup(source.kill)
        source.rpc("records.write", {"records": [{"$type$": "Topic", "id": "t", "name": "n"}]})
        for name, result in (("before", 0), ("after", 5)):
            exported = whence("export", "-o", self.folder / f"{name}.jsonl", "--url", source.url)
            self.assertEqual(exported.returncode, 0, exported.stderr)
            self.server.kill()
            self.db = self.folder / f"copy-{name}"
            self.serve(*self.flags)
            said = self.cli("ann", "import", self.folder / f"{name}.jsonl")
            self.assertEqual(said.returncode, result, said.stderr)
            source.rpc("records.purge", {"refs": ["Topic:t"]})
        self.assertIn("which only purge.confirm does here", said.stderr)

    def test_from_the_command_line(self):
        said = self.cli("ann", "person", "erase", "p-17", "--yes", "--reason", "asked on 3 May")
        ref = said.stdout.split()[-1]
        done = self.cli("ben", "proposal", "list")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = done.stdout
        for part in (ref, "by ann", "erase Person:p-17", "asked on 3 May", "would go: Person: 1 Response: 1"):
            self.assertIn(part, listed)
        own = self.cli("ann", "proposal", "confirm", ref)
        self.assertNotEqual(own.returncode, 0)
        self.assertIn("somebody else has to confirm it", own.stderr)
        done = self.cli("ben", "proposal", "confirm", ref, "-o", self.folder / "c.json", "--list", self.folder / "erased")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("erased Response:resp_a", done.stdout)
        *listed, end = [json.loads(line) for line in (self.folder / "erased").read_text().splitlines()]
        self.assertEqual(({each["ref"] for each in listed}, end), ({"Person:p-17", "Response:resp_a"}, {"end": 2}))
        self.assertEqual(json.loads((self.folder / "c.json").read_text())["about"], done.stdout.split("recorded as ")[1].strip())
        self.assertEqual(self.cli("ben", "proposal", "list").stdout, "")
        self.assertIn("confirmed by ben", self.cli("ben", "proposal", "list", "--all").stdout)

    def test_without_a_server_the_machine_is_the_owners(self):
        self.server.kill()
        done = whence("purge", "cu_old", "--yes", "--db", self.db)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("purged ContextUnit:cu_old", done.stdout)

    def test_users_must_be_told_apart(self):
        refused = whence("serve", "--db", self.folder / "other", "--four-eyes", "1h", "--listen", "127.0.0.1:0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--four-eyes needs --tokens", refused.stderr)
        wrong = whence("serve", "--db", self.folder / "other", "--four-eyes", "soon", "--tokens", self.folder / "tokens", "--listen", "127.0.0.1:0")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("is not a duration", wrong.stderr)
        self.server.kill()
        self.secrets["nobody"] = write_private(self.folder / "nobody", "nameless\n")
        write_private(self.folder / "tokens", (self.folder / "tokens").read_text() + token_lines("admin nameless\n"))
        self.serve(*self.flags)
        self.refused(PRECONDITION, "nobody", "records.purge", "four_eyes", refs=["cu_old"])


if __name__ == "__main__":
    unittest.main()
