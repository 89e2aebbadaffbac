"""Claim: what a version costs does not grow with its number. A copy (`keep_derived`) may lack all versions before it, so that its numbers have
gaps as wide as a number, and one that is right below them is found: the template that was active, the text that a summary adds to.

Method: the same is written and read with small numbers and with the largest ones that a record takes, each in a store of its own; the time of
the processor that the server used for it is compared, so that neighbours of the machine do not count.
"""
import tempfile
import unittest

from attack import Server
from growth_test import used

LARGEST = 2**31 - 1
TIMES_MAX = 20  # of what small numbers cost; a loop over the numbers is a thousand times and more
FLOOR_S = 0.05  # five ticks of the clock that counts


def template(version, **more):
    return {"$type$": "SystemPromptTemplate", "modelId": "m", "promptText": f"prompt {version}", "createdAt": 1, "version": version, **more}


def message(update):
    return {"$type$": "XMLMessageAttachment", "topicId": "t", "messageId": f"m {update}", "format": "llm-response", "createdAt": 1_760_000_000_000,
            "xml": f"<llmResponse><response>x</response><analysis><summaryUpdate>{update}</summaryUpdate></analysis></llmResponse>"}


def summary(version, content):
    return {"$type$": "Summary", "id": f"t-v{version}", "topic": "t", "version": version, "content": content, "subjects": [], "keywords": []}


class WideNumbersTest(unittest.TestCase):
    def compare(self, act):
        """Seconds of `act(server, wide)` with small numbers and with large ones."""
        costs = []
        for wide in (9, LARGEST):
            with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
                before = used(server)
                act(server, wide)
                costs.append(used(server) - before)
        print(f"{self.id().rsplit('.', 1)[1]}: {costs[0]:.2f} s, with wide numbers {costs[1]:.2f} s")
        self.assertLess(costs[1], TIMES_MAX * max(costs[0], FLOOR_S))

    def test_the_active_template_of_a_copy_is_found_behind_a_gap(self):
        def act(server, wide):
            for version in (3, wide - 1, wide):
                server.rpc("records.write", {"records": [template(version)], "keep_derived": True})
            listed = server.rpc("template.list", {"modelId": "m"})["templates"]
            self.assertEqual([(each["version"], each["active"]) for each in listed], [(3, False), (wide - 1, False), (wide, True)])
            server.rpc("records.write", {"records": [template(3, active=True)]})  # active again, whatever is above it
            listed = server.rpc("template.list", {"modelId": "m"})["templates"]
            self.assertEqual([(each["version"], each["active"]) for each in listed], [(3, True), (wide - 1, False), (wide, False)])
        self.compare(act)

    def test_a_summary_adds_to_the_text_of_a_copy_with_gaps(self):
        def act(server, wide):
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "t"}, summary(2, "old"), summary(wide - 3, "whole")], "keep_derived": True})
            for update in ("first", "second"):
                server.rpc("records.write", {"records": [message(update)], "ensure": True})
            said = server.rpc("summary.get", {"topic": "t"})["summary"]
            self.assertEqual((said["version"], said["content"]), (wide - 1, "whole\nfirst\nsecond"))
        self.compare(act)

    def test_no_summary_follows_the_last_number(self):
        """A higher one could not come back from an export. What the message says is kept as every message is."""
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "t"}, summary(LARGEST, "whole")], "keep_derived": True})
            answer = server.rpc("records.write", {"records": [message("more")], "ensure": True})
            self.assertIn("last_version", [each["rule"] for each in answer["warnings"]])
            self.assertEqual(server.rpc("summary.get", {"topic": "t"})["summary"]["content"], "whole")


if __name__ == "__main__":
    unittest.main()
