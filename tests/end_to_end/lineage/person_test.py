"""Claim: whom an answer is made for, who rates it and the session that it is part of are nodes, made with the first record that names
them, by every door; what two persons say is two nodes, what is shared is one; a repeat brings nothing back.

Method: answers with `person` and `conversation`, ratings and messages are written, found by method and by Cypher, exported and
repeated after their person was deleted.
"""
import hashlib
import unittest

from support.program import wait_until
from support.wire_case import INVALID_RECORD, FreshServerCase

TIME = "2026-01-01T00:00:00Z"


def answer(name, *units, **more):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "m", "content": f"said {name}",
            "context_units": [{**unit, "weight": 1 / len(units)} for unit in units], **more}


def said(text, kind="User", source="chat"):
    return {"content": text, "source": source, "type": kind}


class PersonTest(FreshServerCase):
    def refs(self, cypher, **params):
        return [row[0] for row in self.rpc("query", cypher=cypher, params=params)["rows"]]

    def test_who_is_named_is_a_node_with_an_edge_that_has_no_influence(self):
        self.write(answer("a", said("hello"), person="anna", conversation="chat-7"),
                   {"$type$": "FeedbackRecord", "id": "fb_a", "response_id": "resp_a", "timestamp": TIME, "score": 1, "user_id": "bea"},
                   {"$type$": "Topic", "id": "t"},
                   {"$type$": "Message", "id": "msg_a", "topicId": "t", "text": "good morning", "person": "anna"})
        self.assertEqual(self.record("Person:anna"), {"$type$": "Person", "id": "anna"})
        self.assertEqual(self.record("Session:chat-7"), {"$type$": "Session", "id": "chat-7"})
        rows = self.rpc("query", cypher="MATCH (n)-[e]->(p) WHERE p:Person OR p:Session RETURN n.ref, type(e), p.ref ORDER BY n.ref, p.ref")
        self.assertEqual(rows["rows"], [["FeedbackRecord:fb_a", "OF_PERSON", "Person:bea"], ["Message:msg_a", "OF_PERSON", "Person:anna"],
                                        ["Response:resp_a", "OF_PERSON", "Person:anna"], ["Response:resp_a", "OF_SESSION", "Session:chat-7"]])
        self.assertEqual(self.rpc("lineage.descendants", ref="Person:anna")["nodes"], [])
        self.assertNotIn("Person:anna", [node["ref"] for node in self.rpc("lineage.ancestors", ref="resp_a")["nodes"]])
        self.assertEqual(self.rpc("node.count", type="Person")["count"], 2)
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_a_name_that_can_be_no_id_has_its_digest(self):
        name = "ü" * 200
        self.write(answer("a", said("hello"), person=name))
        self.assertEqual(self.refs("MATCH (:Response)-[:OF_PERSON]->(p) RETURN p.id"), ["sha256-" + hashlib.sha256(name.encode()).hexdigest()])

    def test_what_is_known_of_a_person_is_replaced_and_found_by_words(self):
        self.write(answer("a", said("hello"), person="p-17"))
        self.write({"$type$": "Person", "id": "p-17", "name": "Anna Meier"})
        self.write(answer("b", said("hello again"), person="p-17"))
        self.assertEqual(self.record("Person:p-17")["name"], "Anna Meier")
        wait_until(lambda: [hit["ref"] for hit in self.rpc("search", text="meier")["nodes"]] == ["Person:p-17"], "the words to be indexed")
        self.assertEqual(self.refs("MATCH (r)-[:OF_PERSON]->(:Person {name: 'Anna Meier'}) RETURN r.id ORDER BY r.id"), ["resp_a", "resp_b"])
        self.write_refused(INVALID_RECORD, {"$type$": "Person", "id": ""}, path="/id")

    def test_what_two_persons_say_is_two_nodes_and_a_document_is_one(self):
        passage = said("Bills are due on June 30.", "External", "faq")
        self.write(answer("a", said("hello"), passage, person="anna"), answer("b", said("hello"), passage, person="bea"),
                   answer("c", said("hello"), passage))
        uses = {each: [use["context_unit_id"] for use in self.record(f"Response:resp_{each}")["context_units"]] for each in "abc"}
        self.assertEqual(len(self.refs("MATCH (u:ContextUnit) RETURN u.ref")), 4)
        self.assertEqual(len({own for own, _ in uses.values()}), 3)
        self.assertEqual(len({shared for _, shared in uses.values()}), 1)
        self.rpc("records.purge", refs=["ContextUnit:" + uses["a"][0]])
        self.assertEqual(self.record("ContextUnit:" + uses["b"][0])["content"], "hello")

    def test_a_unit_under_the_id_that_the_server_made_is_the_same_passage_too(self):
        self.write(answer("a", said("hello"), person="anna"))
        use = {"context_unit_id": self.record("Response:resp_a")["context_units"][0]["context_unit_id"]}
        first = self.record("ContextUnit:" + use["context_unit_id"])
        again = {**first, "timestamp": "2026-01-02T00:00:00Z", "summary": "a greeting"}
        self.write(again, answer("b", use, person="anna"))  # no conflict: the first write of a passage stays
        self.assertEqual(self.record("ContextUnit:" + use["context_unit_id"]), first)

    def test_a_repeat_brings_nothing_back(self):
        given = answer("a", said("hello"), person="anna", conversation="chat-7")
        self.write(given)
        self.rpc("records.delete", refs=["Person:anna"])
        head = self.head()
        self.write(given)
        self.assertEqual(self.head(), head)
        self.assertEqual(self.refs("MATCH (p:Person) RETURN p.ref"), [])
        self.write(answer("b", said("hello"), person="anna"))
        self.assertEqual(self.refs("MATCH (r)-[:OF_PERSON]->(p) RETURN r.id"), ["resp_b"])


if __name__ == "__main__":
    unittest.main()
