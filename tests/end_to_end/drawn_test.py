"""Claim: what the engine draws from any conversation, at any moment, is what `naive_xml.Drawn` draws from the attachments
written until then, and deleting messages changes nothing of it but `dangling`. Method: random conversations in a few
topics, in batches of one to four attachments, with a deletion now and then; each moment is asked for afterwards. The seed
is printed where something differs; WHENCE_TEST_SEED repeats it.
"""
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from naive_xml import Drawn, hash_of  # noqa: E402
from whence_e2e import Server  # noqa: E402

SEED = int(os.environ.get("WHENCE_TEST_SEED", random.SystemRandom().randrange(2**32)))
STEPS = 120
START = 1_728_234_567_890
NAMES = ["savings", "budget", "grants", "a/b%", "Über uns", " padded "]
TERMS = ["529-plan", "tuition", "tax", "loan", "x/y", "ünïcode", " k ", "z" * 200, "y" * 120]


class Conversation:
    """Draws attachments, each with a message of its own."""

    def __init__(self, chance):
        self.chance, self.made = chance, 0

    def subject(self):
        keywords = "".join(f"<keyword term={quoteattr(t)} confidence=\"{self.chance.randint(0, 100) / 100}\"/>"
                           for t in self.chance.choices(TERMS, k=self.chance.randint(0, 4)))
        return (f"<subject name={quoteattr(self.chance.choice(NAMES))} description=\"about {self.made}\" "
                f"isNew=\"{self.chance.choice(['true', 'false'])}\">{keywords}</subject>")

    def response(self):
        subjects = "".join(self.subject() for _ in range(self.chance.randint(0, 3)))
        summary = self.chance.choice(["", " ", f"Said {self.made} & more.", f"\n  spaced {self.made}\t"])
        text = "x" * self.chance.choice([1, 900, 3000])
        return (f"<llmResponse><response>{text}</response><analysis>{subjects}"
                f"<summaryUpdate>{escape(summary)}</summaryUpdate></analysis></llmResponse>")

    def query(self, topic):
        return f"<llmQuery><userMessage>Q{self.made}</userMessage><context topicId={quoteattr(topic)} messageCount=\"1\"/></llmQuery>"

    def attachment(self):
        self.made += 1
        topic = self.chance.choice(["one", "two/three", "vier%"])
        is_query = self.chance.random() < 0.2
        return {"$type$": "XMLMessageAttachment", "topicId": topic, "messageId": f"m{self.made}",
                "format": "llm-query" if is_query else "llm-response", "createdAt": START + 1000 * self.made,
                "xml": self.query(topic) if is_query else self.response()}


class DrawnTest(unittest.TestCase):
    def check(self, server, drawn, deleted, tx):
        about = f"seed {SEED}, as of {tx}"
        want = drawn.everything()
        for kind in ("Keyword", "Subject", "Summary"):
            count = server.rpc("node.count", {"type": kind, "as_of": tx})["count"]
            self.assertEqual(count, sum(ref.startswith(kind + ":") for ref in want), about)
        if not want:
            return
        nodes = server.rpc("node.get", {"refs": list(want), "include": ["record"], "as_of": tx})["nodes"]
        for (ref, record), node in zip(want.items(), nodes):
            dangling = {"dangling": True} if record["sourceXmlHash"] in deleted else {}
            self.assertEqual(node["record"], {**record, **dangling}, f"{about}: {ref}")
        listed = server.rpc("attachment.list", {"as_of": tx, "limit": 10000})
        self.assertEqual({r["hash"] for r in listed["records"]}, set(drawn.attachments) - deleted, about)

    def test_any_moment_holds_what_was_drawn_until_then(self):
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
                drawn, deleted = Drawn(), set()
                for number, (kind, what) in enumerate(steps, 1):
                    if kind == "delete":
                        deleted.add(hash_of(what))
                    else:
                        for attachment in what:
                            drawn.write(attachment)
                    if number % 7 == 0 or number == STEPS:
                        self.check(server, drawn, deleted, number)
                for kind, what in steps[:20]:
                    for attachment in what if kind == "write" else []:
                        if hash_of(attachment) not in deleted:
                            self.assertEqual(server.rpc("attachment.get", {"hash": hash_of(attachment)})["xml"], attachment["xml"])
            finally:
                server.stop()


if __name__ == "__main__":
    unittest.main()
