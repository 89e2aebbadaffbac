"""Claim: at any moment the keywords, subjects and summaries that the engine has extracted from any conversation are those
that `naive_xml.Extracted` derives from the attachments written until then; deleting messages changes only `dangling`.

Method: random conversations in a few topics, in batches of one to four attachments, with an occasional deletion; the
moments are queried afterwards. A failure prints the seed; WHENCE_TEST_SEED repeats it.
"""
import random
import tempfile
import unittest

from support.histories import Conversation
from support.naive_xml import Extracted, hash_of
from support.program import Server, seed_of_run

SEED = seed_of_run()
STEPS = 120


class ExtractionTest(unittest.TestCase):
    def check(self, server, extracted, deleted, tx):
        about = f"seed {SEED}, as of {tx}"
        want = extracted.everything()
        for kind in ("Keyword", "Subject", "Summary"):
            count = server.rpc("node.count", {"type": kind, "as_of": tx})["count"]
            self.assertEqual(count, sum(ref.startswith(kind + ":") for ref in want), about)
        if not want:
            return
        nodes = server.rpc("node.get", {"refs": list(want), "include": ["record"], "as_of": tx})["nodes"]
        for (ref, record), node in zip(want.items(), nodes, strict=True):
            dangling = {"dangling": True} if record["sourceXmlHash"] in deleted else {}
            self.assertEqual(node["record"], {**record, **dangling}, f"{about}: {ref}")
        listed = server.rpc("attachment.list", {"as_of": tx, "limit": 10000})
        self.assertEqual({r["hash"] for r in listed["records"]}, set(extracted.attachments) - deleted, about)

    def test_any_moment_holds_what_was_extracted_until_then(self):
        chance = random.Random(SEED)
        conversation, steps = Conversation(chance), []
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder + "/db")
            try:
                messages = []
                for number in range(1, STEPS + 1):
                    if messages and chance.random() < 0.15:
                        gone = messages.pop(chance.randrange(len(messages)))
                        answer = server.rpc("records.delete", {"refs": ["Message:" + gone["messageId"]]})
                        self.assertEqual(answer["deleted"][1:], ["XMLMessageAttachment:" + hash_of(gone)])
                        steps.append(("delete", gone))
                    else:
                        batch = [conversation.attachment() for _ in range(chance.randint(1, 4))]
                        answer = server.rpc("records.write", {"records": batch, "ensure": True})
                        self.assertEqual(answer["refs"], ["XMLMessageAttachment:" + hash_of(a) for a in batch])
                        messages += batch
                        steps.append(("write", batch))
                    self.assertEqual(answer["tx"], number)
                    if number == STEPS // 2:
                        server.stop()
                        server = Server(folder + "/db")
                extracted, deleted = Extracted(), set()
                for number, (kind, what) in enumerate(steps, 1):
                    if kind == "delete":
                        deleted.add(hash_of(what))
                    else:
                        for attachment in what:
                            extracted.write(attachment)
                    if number % 7 == 0 or number == STEPS:
                        self.check(server, extracted, deleted, number)
                for kind, what in steps[:20]:
                    for attachment in what if kind == "write" else []:
                        if hash_of(attachment) not in deleted:
                            self.assertEqual(server.rpc("attachment.get", {"hash": hash_of(attachment)})["xml"], attachment["xml"])
            finally:
                server.stop()
