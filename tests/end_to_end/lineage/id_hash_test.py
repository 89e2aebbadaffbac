"""Claim: records of an export of ONE carry the id hashes that they had there, and references by id hash mean those records: within a
batch, to what was written before, after a kill, in a restored export.

Method: subjects, attachments and keywords with hashes made here, over HTTP in every order; what is stored is read back, and the
lineage of the keyword asked.
"""
import hashlib
import itertools
import json
import unittest

from support.program import whence
from support.wire_case import INVALID_RECORD, WireCase

MS = 1_728_234_567_890


class IdHashTest(WireCase):
    with_files = False

    def hash_of(self, what):
        """The id hash that ONE would have given it: any digest does."""
        return hashlib.sha256(f"{self.name} {what}".encode()).hexdigest()

    def topic(self):
        return {"$type$": "Topic", "id": self.name, "name": "Exported", "$idHash$": self.hash_of("topic")}

    def subject(self):
        return {"$type$": "Subject", "id": "s", "topic": self.name, "name": "S", "keywords": [self.name], "messageCount": 1,
                "timeRanges": [{"start": MS, "end": MS}], "createdAt": MS, "lastSeenAt": MS, "archived": False,
                "$idHash$": self.hash_of("subject")}

    def attachment(self):
        xml = f'<llmQuery><userMessage>How?</userMessage><context topicId="{self.name}" messageCount="1"/></llmQuery>'
        return {"$type$": "XMLMessageAttachment", "topicId": self.name, "messageId": "m " + self.name, "xmlContent": xml,
                "format": "llm-query", "version": 1, "createdAt": MS, "$idHash$": self.hash_of("attachment")}

    def keyword(self, **more):
        return {"$type$": "Keyword", "term": self.name, "frequency": 1, "subjects": [self.hash_of("subject")], "score": 0.5,
                "createdAt": MS, "lastSeen": MS, "sourceXmlHash": self.hash_of("attachment"), **more}

    def check(self):
        keyword = self.record("Keyword:" + self.name)
        attached = self.rpc("attachment.list", topicId=self.name)["records"][0]
        self.assertEqual(keyword["subjects"], [f"Subject:{self.name}/s"])
        self.assertEqual(keyword["sourceXmlHash"], attached["hash"])
        self.assertEqual(self.record(f"Subject:{self.name}/s")["$idHash$"], self.hash_of("subject"))
        self.assertEqual(attached["$idHash$"], self.hash_of("attachment"))
        self.assertIn("XMLMessageAttachment:" + attached["hash"], self.lineage("ancestors", "Keyword:" + self.name))
        found = self.rpc("node.find", type="Keyword", where={"subject": f"Subject:{self.name}/s"})["nodes"]
        self.assertEqual([node["ref"] for node in found], ["Keyword:" + self.name])

    def test_references_resolve_in_one_batch_in_any_order(self):
        parts = [self.subject(), self.attachment(), self.keyword()]
        for order in itertools.permutations(parts):
            self.assertIn("tx", self.write(self.topic(), *order, ensure=True, dry_run=True))
        self.write(self.keyword(), self.attachment(), self.subject(), self.topic(), ensure=True)
        self.check()
        self.assertEqual(self.record("Topic:" + self.name)["$idHash$"], self.hash_of("topic"))

    def test_references_resolve_to_what_was_there_also_after_a_kill(self):
        self.write(self.topic(), self.subject(), self.attachment(), ensure=True)
        self.restart_after_kill()
        self.write(self.keyword())
        self.check()
        self.assertTrue(self.write(self.keyword())["unchanged"])

    def test_a_hash_that_nobody_has_is_refused(self):
        self.write(self.topic(), self.attachment(), ensure=True)
        self.write_refused(INVALID_RECORD, self.keyword(), rule="unknown_reference", path="/subjects/0")
        self.write_refused(INVALID_RECORD, {**self.subject(), "$idHash$": "no hash"}, rule="hash", path="/$idHash$")

    def test_a_restored_export_has_the_hashes(self):
        self.write(self.topic(), self.subject(), self.attachment(), self.keyword(), ensure=True)
        path, copy = self.folder.name + "/all.jsonl", self.folder.name + "/copy"
        self.assertEqual(whence("export", "--format", "jsonl", "--output", path, "--url", self.server.url).returncode, 0)
        restored = whence("import", path, "--db", copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        for ref in (f"Subject:{self.name}/s", "Keyword:" + self.name):
            asked = json.dumps({"ref": ref, "include": ["record"]})
            shown = whence("rpc", "node.get", asked, "--db", copy)
            self.assertEqual(json.loads(shown.stdout)["nodes"][0]["record"], self.record(ref), shown.stderr)


if __name__ == "__main__":
    unittest.main()
