"""Claim: the id of an XMLMessageAttachment is a digest of its text. Once its content is purged, nobody who may not administer the store
is told by any answer that it was there: a guess of the text is answered as a text that never was. Who may administer it sees what was
purged. While the content is there, and where it expired, everybody sees it.

Method: the same questions about the purged one, about one that never was, and about one that stays, by users of each role, over each
door that takes a ref; answers are equal but for the id.
"""
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from support.program import RpcError, Server, whence, write_tokens

NEVER = hashlib.sha256(b"never said").hexdigest()
BY_REF = (("node.get", "ref", {}), ("history.get", "ref", {}), ("history.get", "ref", {"deleted": True}), ("lineage.ancestors", "ref", {}),
          ("lineage.descendants", "ref", {}), ("lineage.graph", "ref", {}), ("lineage.influence", "ref", {}), ("lineage.stale", "ref", {}),
          ("node.neighbors", "ref", {"side": "effects"}), ("trace", "ref", {}), ("attachment.get", "hash", {}), ("log.proof", "ref", {}),
          ("log.bundle", "ref", {}), ("versions.list", "ref", {}), ("feedback.list", "ref", {}))


class PurgedTextsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        tokens = write_tokens(cls.folder / "tokens", "read reader\nwrite writer\nadmin boss\n")
        cls.server = Server(cls.folder / "db", "--tokens", tokens, token="boss")
        cls.addClassCleanup(cls.server.stop)
        cls.hashes = []
        for name in ("purged", "stays"):
            cls.as_user("writer", "records.write", records=[cls.attachment(name)], ensure=True)
            [listed] = cls.as_user("writer", "attachment.list", messageId=name)["records"]
            cls.hashes.append(listed["hash"])
        cls.before = cls.as_user("reader", "server.info")["tx"]
        cls.purged, cls.stays = cls.hashes
        cls.as_user("boss", "records.purge", refs=["XMLMessageAttachment:" + cls.purged])

    @classmethod
    def xml(cls, name):
        parts = {"userMessage": f"What of {name}?", "context": {"topicId": "t", "messageCount": 1, "activeSubjects": [], "recentKeywords": []}}
        return cls.as_user("boss", "xml.build", format="llm-query", parts=parts)["xml"]

    @classmethod
    def attachment(cls, name):
        return {"$type$": "XMLMessageAttachment", "messageId": name, "topicId": "t", "format": "llm-query", "xml": cls.xml(name)}

    @classmethod
    def as_user(cls, token, method, **params):
        cls.server.token = token
        return cls.server.rpc(method, params)

    def answer(self, token, method, member, given, more, many=False):
        """What is answered, with the id left out."""
        try:
            answered = self.as_user(token, method, **{member: [given] if many else given}, **more)
        except RpcError as refused:
            answered = refused.error
        return json.dumps(answered).replace(given.split(":")[-1], "ID")

    def test_a_guess_is_answered_as_a_text_that_never_was(self):
        for token in ("reader", "writer"):
            for method, member, more in BY_REF:
                for moment in ({}, {"as_of": self.before}):
                    if moment and method.startswith("log."):
                        continue
                    with self.subTest(token=token, method=method, more=more, moment=moment):
                        asked = [self.answer(token, method, member, "XMLMessageAttachment:" + each, {**more, **moment})
                                 for each in (self.purged, NEVER)]
                        self.assertEqual(asked[0], asked[1])
                        self.assertIn("-32020", asked[0])

    def test_lists_and_several_refs_too(self):
        for each in ("node.find", "node.count"):
            asked = [self.as_user("reader", each, type="XMLMessageAttachment", where={"id": given}) for given in (self.purged, NEVER)]
            self.assertEqual(asked[0], asked[1], each)
        refs = ["XMLMessageAttachment:" + each for each in (self.stays, self.purged)]
        with self.assertRaises(RpcError) as refused:
            self.as_user("reader", "node.get", refs=refs)
        self.assertEqual([each["path"] for each in refused.exception.error["data"]["errors"]], ["/refs/1"])
        for method, params in (("attachment.list", {"topicId": "t"}), ("attachment.list", {"messageId": "purged"}),
                               ("node.find", {"type": "XMLMessageAttachment"}), ("lineage.descendants", {"ref": "Topic:t"}),
                               ("node.neighbors", {"ref": "Message:purged", "side": "parts"}), ("node.neighbors", {"ref": "Topic:t", "side": "parts"}),
                               ("trace", {"ref": "Message:purged"})):
            with self.subTest(method=method, params=params):
                self.assertNotIn(self.purged, json.dumps(self.as_user("reader", method, **params)))
        query = "MATCH (x:XMLMessageAttachment) RETURN x.id AS id"
        self.assertEqual(self.as_user("reader", "query", cypher=query)["rows"], [[self.stays]])
        wanted = f"MATCH (x:XMLMessageAttachment {{id: '{self.purged}'}}) RETURN x"
        self.assertEqual(self.as_user("reader", "query", cypher=wanted)["rows"], [])

    def test_what_a_writer_names_is_answered_as_a_text_that_never_was(self):
        """References, deletions and their dry runs; what a deletion takes with it."""
        answer = {"$type$": "Response", "agent": "a", "model": "m", "timestamp": "2025-10-09T16:15:00Z",
                  "context_units": [{"type": "System", "source": "s", "content": "x", "weight": 1}]}

        def written(name, **more):
            return lambda given: {"records": [{**answer, "id": "resp_" + name, **{key: value(given) for key, value in more.items()}}], "dry_run": True}

        used = {"context_units": lambda given: [{"ref": "XMLMessageAttachment:" + given, "weight": 1}]}
        prompted = {"prompt_refs": lambda given: ["XMLMessageAttachment:" + given]}
        asked = {"query_attachment": lambda given: given}
        cases = [("records.delete", lambda given: {"refs": ["XMLMessageAttachment:" + given]}),
                 ("records.delete", lambda given: {"refs": ["XMLMessageAttachment:" + given], "dry_run": True})]
        for mode in ("strict", "capture"):
            for each in (used, prompted, asked):
                cases.append(("records.write", lambda given, each=each, mode=mode: {**written("named", **each)(given), "mode": mode}))
        for method, params in cases:
            answers = []
            for given in (self.purged, NEVER):
                try:
                    answers.append(self.as_user("writer", method, **params(given)))
                except RpcError as refused:
                    answers.append(refused.error)
            texts = [json.dumps(each).replace(given, "ID") for each, given in zip(answers, (self.purged, NEVER))]
            self.assertEqual(texts[0], texts[1], method)
        taken = self.as_user("boss", "records.write", **written("named", **asked)(self.purged))
        self.assertEqual(taken["refs"], ["Response:resp_named"])
        for token, parts in (("writer", []), ("boss", ["XMLMessageAttachment:" + self.purged])):
            would = self.as_user(token, "records.delete", refs=["Message:purged"], dry_run=True)
            self.assertEqual(would["deleted"], ["Message:purged", *parts], token)

    def test_a_deletion_does_not_tell_what_was_purged_of_it(self):
        self.as_user("writer", "records.write", records=[self.attachment("deleted")], ensure=True)
        [listed] = self.as_user("writer", "attachment.list", messageId="deleted")["records"]
        self.as_user("boss", "records.purge", refs=["XMLMessageAttachment:" + listed["hash"]])
        self.assertEqual(self.as_user("writer", "records.delete", refs=["Message:deleted"])["deleted"], ["Message:deleted"])
        again = {"refs": ["XMLMessageAttachment:" + listed["hash"]]}
        with self.assertRaises(RpcError) as refused:
            self.as_user("writer", "records.delete", **again)
        self.assertEqual(refused.exception.error["data"]["rule"], "unknown_reference")
        with self.assertRaises(RpcError) as refused:
            self.as_user("boss", "records.delete", **again)
        self.assertEqual(refused.exception.error["data"]["rule"], "deleted")

    def test_without_it_walks_end_where_it_was(self):
        """A text that a response was rendered as, with what was extracted from it."""
        xml = self.as_user("boss", "xml.build", format="llm-response", parts={"response": "Said.", "analysis": {
            "subjects": [{"name": "s", "description": "d", "isNew": True, "keywords": [{"term": "walked", "confidence": 0.9}]}], "summaryUpdate": "u"}})["xml"]
        time = "2025-10-09T16:15:00Z"
        self.as_user("writer", "records.write", ensure=True, records=[
            {"$type$": "ContextUnit", "id": "cu_walk", "type": "User", "source": "s", "timestamp": time, "version": 1},
            {"$type$": "Response", "id": "resp_walk", "timestamp": time, "agent": "a", "model": "m",
             "context_units": [{"context_unit_id": "cu_walk", "weight": 1}]},
            {"$type$": "XMLMessageAttachment", "messageId": "walk", "topicId": "walk", "format": "llm-response", "responseId": "resp_walk", "xml": xml}])
        [listed] = self.as_user("writer", "attachment.list", messageId="walk")["records"]
        self.as_user("boss", "records.purge", refs=["XMLMessageAttachment:" + listed["hash"]])
        for method, params in (("lineage.descendants", {"ref": "cu_walk"}), ("lineage.graph", {"ref": "Response:resp_walk"}),
                               ("lineage.ancestors", {"ref": "Keyword:walked"}), ("lineage.path", {"from": "cu_walk", "to": "Keyword:walked"}),
                               ("impact.without", {"refs": ["cu_walk"]}), ("impact.analyze", {"refs": ["cu_walk"]})):
            with self.subTest(method=method):
                self.assertNotIn(listed["hash"], json.dumps(self.as_user("reader", method, **params)))
        self.assertIn(listed["hash"], json.dumps(self.as_user("boss", "lineage.descendants", ref="cu_walk")))

    def test_who_may_administer_the_store_sees_what_was_purged(self):
        ref = "XMLMessageAttachment:" + self.purged
        [node] = self.as_user("boss", "node.get", ref=ref)["nodes"]
        self.assertEqual((node["purged"], node["id"]), (True, self.purged))
        self.assertEqual([event["op"] for event in self.as_user("boss", "history.get", ref=ref)["events"]], ["put", "purge"])
        self.assertIn(self.purged, json.dumps(self.as_user("boss", "attachment.list", topicId="t")))
        rows = self.as_user("boss", "query", cypher="MATCH (x:XMLMessageAttachment) RETURN count(x)")["rows"]
        self.assertEqual(rows, [[2]])

    def test_one_answer_is_not_kept_for_another_user(self):
        """Pages of one answer are kept for a while, by what was asked."""
        params = {"type": "XMLMessageAttachment", "limit": 1}
        for token, count in (("boss", 2), ("reader", 1), ("boss", 2)):
            found, cursor = [], None
            while True:
                page = self.as_user(token, "node.find", **({"cursor": cursor, "limit": 1} if cursor else params))
                found += page["nodes"]
                cursor = page.get("cursor")
                if not cursor:
                    break
            self.assertEqual(len(found), count, token)

    def test_what_is_there_is_shown_to_all(self):
        for token in ("reader", "writer", "boss"):
            [node] = self.as_user(token, "node.get", ref="XMLMessageAttachment:" + self.stays, include=["record"])["nodes"]
            self.assertIn("What of stays?", json.dumps(node))

    def test_other_doors(self):
        for token in ("reader", "boss"):
            secret = self.folder / token
            secret.write_text(token)
            secret.chmod(0o600)
            done = whence("export", "--format", "node-link", "--ancestors", "XMLMessageAttachment:" + self.purged, "--url", self.server.url,
                          "--token-file", secret)
            self.assertEqual(done.returncode == 0, token == "boss", done.stderr)


if __name__ == "__main__":
    unittest.main()
