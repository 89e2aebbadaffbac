"""Claim: ids made from texts tell nothing of the text: without the store's key nobody can make one, so that no answer says whether a text
that was purged had been there. The key stays with the log: a restart, a backup and a compaction name the same passage alike.

Method: the same passage is given to a store, to copies of it and to a strange one; after a purge the id that SHA-256 alone would give
is asked for at every method that takes a ref, and answered like an id that never was.
"""
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from store.persons import SECOND, START
from support.otlp import send, span
from support.program import RpcError, Server, whence
from telemetry.basis_test import chat

TIME = "2025-10-09T16:15:00Z"
SECRET = "Anna has asthma."
PASSAGE = {"$type$": "ContextUnit", "type": "User", "source": "chat", "content": SECRET, "timestamp": TIME, "version": 1}


def guessed(*parts):
    return "cu_" + hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()[:32]


class MadeIdsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def name(self, place):
        """What the passage is called there."""
        with Server(self.folder / place) as server:
            return server.rpc("records.write", {"records": [PASSAGE]})["refs"][0]

    def run_verb(self, *args):
        done = whence(*args)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_key_stays_with_the_log_and_no_two_logs_share_it(self):
        name = self.name("a")
        self.assertEqual(self.name("a"), name)
        self.run_verb("compact", "--db", self.folder / "a")
        self.assertEqual(self.name("a"), name)
        self.run_verb("backup", "--db", self.folder / "a", self.folder / "copy")
        self.run_verb("restore", self.folder / "copy", "--db", self.folder / "b")
        self.run_verb("backup", "--db", self.folder / "a", self.folder / "sets", "--incremental")
        self.run_verb("restore", self.folder / "sets", "--db", self.folder / "c")
        self.assertEqual([self.name("b"), self.name("c")], [name, name])
        strange = self.name("strange")
        self.assertNotEqual(strange, name)
        self.assertNotIn("ContextUnit:" + guessed("chat", SECRET), (name, strange))

    def test_an_empty_store_has_its_key_from_the_start(self):
        with Server(self.folder / "a"):
            pass
        self.run_verb("backup", "--db", self.folder / "a", self.folder / "copy")
        self.run_verb("restore", self.folder / "copy", "--db", self.folder / "b")
        self.assertEqual(self.name("a"), self.name("b"))

    def test_a_guess_of_a_purged_text_is_answered_as_one_that_never_was(self):
        with Server(self.folder / "a") as server:
            name = server.rpc("records.write", {"records": [PASSAGE]})["refs"][0]
            send(server, [chat(1, 2, 3, (("user", SECRET),), "Take care.")])
            found = server.rpc("node.find", {"type": "ContextUnit", "limit": 10})["nodes"]
            self.assertEqual(len(found), 2)
            everything = whence("export", "--url", server.url, "--format", "jsonl").stdout
            self.assertIn(SECRET, everything)
            for text in (SECRET, SECRET.lower(), "Take care.", "take care."):
                for written in (text, json.dumps(text)):
                    self.assertNotIn(hashlib.sha256(written.encode()).hexdigest()[:16], everything, written)
            server.rpc("records.purge", {"refs": [node["ref"] for node in found], "cascade": True})
            guess, never = guessed("chat", SECRET), guessed("chat", "Never said.")
            said = guessed("message:user", SECRET)
            for method, more in (("node.get", {}), ("history.get", {"deleted": True}), ("lineage.ancestors", {}), ("lineage.descendants", {}),
                                 ("records.purge", {"dry_run": True})):
                answers = []
                for each in (guess, said, never):
                    given = [each] if method == "records.purge" else each
                    with self.assertRaises(RpcError) as refused:
                        server.rpc(method, {"refs" if method == "records.purge" else "ref": given, **more})
                    answers.append(str(refused.exception).replace(each, "ID"))
                self.assertEqual(set(answers), {answers[0]}, method)
            self.assertTrue(server.rpc("history.get", {"ref": name, "deleted": True})["events"])
            events = json.dumps(server.rpc("history.get", {"ref": name, "deleted": True}))
            self.assertNotIn(hashlib.sha256(SECRET.encode()).hexdigest()[:32], events)

    def test_an_id_that_is_no_part_of_an_iri_cannot_be_guessed_from_its_name(self):
        given = {"call": "call of Anna Meier", "response": "answer for Anna Meier"}
        with Server(self.folder / "a") as server:
            send(server, [span("1" * 32, "1" * 16, "execute_tool z", START, START + SECOND, {
                              "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "z", "gen_ai.tool.call.id": given["call"], "gen_ai.tool.call.result": "5"}),
                          span("2" * 32, "2" * 16, "chat", START, START + SECOND, {
                              "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.response.id": given["response"],
                              "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]}])})])
            everything = whence("export", "--url", server.url, "--format", "jsonl").stdout
        for kind, name in given.items():
            self.assertIn(f"urn:otel:{kind}:hmac-", everything)
            for written in (name, json.dumps(name)):
                self.assertNotIn(hashlib.sha256(written.encode()).hexdigest()[:16], everything, written)


if __name__ == "__main__":
    unittest.main()
