"""Claim: what is younger than `--retention-min` neither expires nor is deleted, purged or erased, over cascades too; the refusal names the
setting, what is too young and until when, in a dry run as well. What is old enough, or of another type, goes.

Method: old and fresh records are written to servers with such a rule, from each place where settings are given; each way to remove
them is tried; then the store is served without the rule.
"""
import tempfile
import unittest
from datetime import datetime, timedelta, timezone

from support.program import Server, clean_env, whence
from support.wire_case import PRECONDITION, FreshServerCase

OLD = "2020-01-01T00:00:00Z"
NOW = datetime.now(timezone.utc).replace(microsecond=0)
FRESH = NOW.isoformat().replace("+00:00", "Z")
RULE = "Response=30d"


def unit(name, at=OLD):
    return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": "faq", "content": f"text {name}", "timestamp": at}


def answer(name, unit_name, at, **more):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": at, "agent": "a", "model": "m", "content": f"said {name}",
            "context_units": [{"context_unit_id": f"cu_{unit_name}", "weight": 1}], **more}


class RetentionMinTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.serve("--retention-min", RULE)
        self.write(unit("a"), unit("b"), unit("c", FRESH), answer("old", "a", OLD, person="anna"), answer("new", "b", FRESH, person="bea"))

    def serve(self, *flags):
        self.server.kill()
        self.server = Server(self.db, *flags)

    def refused_as_young(self, method, **params):
        for dry_run in (True, False):
            error = str(self.refused(PRECONDITION, method, rule="retention_min", dry_run=dry_run, **params))
            until = (NOW + timedelta(days=30)).isoformat().replace("+00:00", "Z")
            for part in ("--retention-min " + RULE, "Response 1", until, "Response:resp_new"):
                self.assertIn(part, error)

    def test_nothing_younger_is_deleted_purged_or_erased(self):
        self.refused_as_young("records.delete", refs=["Response:resp_new"])
        self.refused_as_young("records.delete", refs=["Response:resp_old", "Response:resp_new"])
        self.refused_as_young("records.purge", refs=["Response:resp_new"])
        self.refused_as_young("records.purge", refs=["ContextUnit:cu_b"], cascade=True)
        self.refused_as_young("person.erase", person="bea")
        self.assertEqual(self.record("Response:resp_new")["content"], "said new")
        self.assertEqual(self.record("Response:resp_old")["content"], "said old")

    def test_what_is_old_or_of_another_type_goes(self):
        self.assertIn("Response:resp_old", self.rpc("person.erase", person="anna")["purged"])
        self.rpc("records.purge", refs=["ContextUnit:cu_c"])
        self.rpc("records.delete", refs=["Response:resp_old"])

    def test_a_topic_stays_with_a_young_message(self):
        self.serve("--retention-min", "Message=1d")
        self.write({"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "msg_1", "topicId": "t", "text": "hello",
                                                    "createdAt": int(NOW.timestamp() * 1000)})
        for method in ("records.delete", "records.purge"):
            self.assertIn("Message=1d", str(self.refused(PRECONDITION, method, rule="retention_min", refs=["Message:msg_1"])))

    def test_what_was_purged_has_nothing_to_keep(self):
        self.serve()
        self.rpc("records.purge", refs=["Response:resp_new"])
        self.serve("--retention-min", RULE)
        self.rpc("records.delete", refs=["Response:resp_new"])

    def test_without_the_setting_it_goes(self):
        self.serve()
        self.rpc("person.erase", person="bea")
        self.assertNotIn("record", self.rpc("node.get", ref="Response:resp_new", include=["record"])["nodes"][0])

    def test_the_setting_is_read_from_the_environment_too(self):
        self.server.kill()
        self.server = Server(self.db, env=clean_env(WHENCE_RETENTION_MIN=RULE))
        self.refused_as_young("records.delete", refs=["Response:resp_new"])


class RetentionMinAtStartTest(unittest.TestCase):
    def refused_at_start(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            refused = whence("serve", "--db", folder + "/none", "--listen", "127.0.0.1:0", *flags)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        return refused.stderr

    def test_a_shorter_retention_is_refused(self):
        said = self.refused_at_start("--retention", "Response=10d", "--retention", "90d", "--retention-min", "30d")
        self.assertIn("--retention Response=10d is shorter than --retention-min Response=30d", said)

    def test_rules_are_checked(self):
        for rule in ("90", "Nothing=1d", "0d"):
            self.assertIn("--retention-min " + rule, self.refused_at_start("--retention-min", rule))


if __name__ == "__main__":
    unittest.main()
