"""Claim: what a person decided about a record is a record of its own, which leads to its subject, changes no score and no lineage,
and stays where the subject is deleted.

Method: decisions about an answer, a source and a run are written, found by method and by Cypher; wrong ones are refused with place
and rule.
"""
import unittest

from support.wire_case import INVALID_RECORD, FreshServerCase

TIME = "2026-01-01T00:00:00Z"


def decision(name, subject, verdict="reject", **more):
    return {"$type$": "Decision", "id": f"dec_{name}", "subject": subject, "verdict": verdict, "by": "ann", "timestamp": TIME, **more}


class DecisionTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.write({"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "content": "text", "timestamp": TIME},
                   {"$type$": "Response", "id": "resp_a", "timestamp": TIME, "agent": "a", "model": "m", "content": "said",
                    "context_units": [{"context_unit_id": "cu_a", "weight": 1}]},
                   {"$type$": "ProvActivity", "id": "http://e.org/run", "qname": "e:run", "prefixes": {"e": "http://e.org/"}, "attributes": {}})

    def test_a_decision_leads_to_what_was_decided_about(self):
        self.write(decision("a", "resp_a", reason="an old price"), decision("b", "ContextUnit:cu_a", "stop"),
                   decision("c", "ProvActivity:http://e.org/run", "approve"))
        self.assertEqual(self.record("Decision:dec_a"), decision("a", "Response:resp_a", reason="an old price"))
        self.assertEqual(self.rpc("node.get", ref="dec_a")["nodes"][0]["ref"], "Decision:dec_a")
        rows = self.rpc("query", cypher="MATCH (d:Decision)-[:DECIDES]->(n) RETURN d.verdict, d.by, n.ref ORDER BY d.id")["rows"]
        self.assertEqual(rows, [["reject", "ann", "Response:resp_a"], ["stop", "ann", "ContextUnit:cu_a"],
                                ["approve", "ann", "ProvActivity:http://e.org/run"]])
        found = self.rpc("node.find", type="Decision", where={"verdict": {"eq": "reject"}})["nodes"]
        self.assertEqual([node["ref"] for node in found], ["Decision:dec_a"])

    def test_it_is_no_rating_and_no_cause(self):
        before = self.rpc("node.get", ref="resp_a", include=["status"])["nodes"][0]
        ancestors = self.rpc("lineage.ancestors", ref="resp_a")["nodes"]
        self.write(decision("a", "resp_a"), decision("b", "cu_a"))
        self.assertEqual(self.rpc("node.get", ref="resp_a", include=["status"])["nodes"][0], before)
        self.assertEqual(self.rpc("lineage.ancestors", ref="resp_a")["nodes"], ancestors)
        self.assertEqual(self.rpc("lineage.ancestors", ref="dec_a")["nodes"], [])

    def test_what_is_wrong_is_refused_with_its_place(self):
        self.write_refused(INVALID_RECORD, decision("x", "Response:none"), rule="unknown_reference", path="/subject")
        self.write_refused(INVALID_RECORD, decision("x", "Topic:t"), rule="ref", path="/subject")
        self.write_refused(INVALID_RECORD, decision("x", "no ref"), rule="ref", path="/subject")
        self.write_refused(INVALID_RECORD, decision("x", "resp_a", "maybe"), path="/verdict")
        self.write_refused(INVALID_RECORD, {k: v for k, v in decision("x", "resp_a").items() if k != "subject"}, rule="required", path="/subject")
        self.write_refused(INVALID_RECORD, {k: v for k, v in decision("x", "resp_a").items() if k != "by"}, rule="required", path="/by")

    def test_it_stays_where_its_subject_is_deleted(self):
        self.write(decision("a", "resp_a"))
        self.rpc("records.delete", refs=["Response:resp_a"], force=True)
        self.assertEqual(self.record("Decision:dec_a")["subject"], "Response:resp_a")


if __name__ == "__main__":
    unittest.main()
