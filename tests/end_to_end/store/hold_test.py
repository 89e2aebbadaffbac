"""Claim: what is held does not expire and is neither deleted nor purged, over cascades too; the refusal names the hold. A hold is a
record: it is in the history, in exports and after a restart, it cannot be removed itself, and what it held may go once it is cleared.

Method: answers, a topic and a person are held by a server whose retention lets everything expire after a second; each way to remove
them is tried while the hold stands and once it is cleared.
"""
import unittest

from support.program import Server, wait_until, whence
from support.wire_case import INVALID_PARAMS, INVALID_RECORD, NOT_FOUND, PRECONDITION, FreshServerCase

OLD = "2020-01-01T00:00:00Z"


def unit(name):
    return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": "faq", "content": f"text {name}", "timestamp": OLD}


def answer(name, *units, **more):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": OLD, "agent": "a", "model": "m", "content": f"said {name}",
            "context_units": [{"context_unit_id": f"cu_{each}", "weight": 1 / len(units)} for each in units], **more}


class HoldTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.write(unit("a"), unit("b"), answer("a", "a", person="anna"), answer("b", "b"), answer("c", "a", person="bea"),
                   {"$type$": "FeedbackRecord", "id": "fb_b", "response_id": "resp_b", "timestamp": OLD, "score": 1})

    def hold(self, **what):
        return self.rpc("hold.set", reason="case 17", **what)["ref"]

    def refused_for(self, hold, method, **params):
        error = self.refused(PRECONDITION, method, rule="held", **params)
        self.assertIn(hold, str(error))

    def test_what_is_held_is_neither_deleted_nor_purged(self):
        hold = self.hold(refs=["Response:resp_b"])
        self.refused_for(hold, "records.delete", refs=["Response:resp_b"], force=True)
        self.refused_for(hold, "records.purge", refs=["Response:resp_b"])
        self.refused_for(hold, "records.delete", refs=["FeedbackRecord:fb_b"])        # goes with it, so it stays with it
        self.refused_for(hold, "records.purge", refs=["ContextUnit:cu_b"], cascade=True)
        self.refused_for(hold, "records.delete", refs=[hold])
        self.refused_for(hold, "records.purge", refs=[hold])
        self.rpc("records.purge", refs=["ContextUnit:cu_b"])                          # what it was made from is not what it says
        self.assertEqual(self.record("Response:resp_b")["content"], "said b")
        self.rpc("hold.clear", id=hold.split(":")[1], reason="the case is closed")
        self.rpc("records.purge", refs=["Response:resp_b"])
        self.rpc("records.delete", refs=[hold])

    def test_a_person_is_held_with_what_comes_later(self):
        hold = self.hold(person="anna")
        self.write(answer("d", "b", person="anna"))
        for name in ("a", "d"):
            self.refused_for(hold, "records.delete", refs=[f"Response:resp_{name}"])
        self.refused_for(hold, "records.purge", refs=["ContextUnit:cu_a"])
        self.refused_for(hold, "person.erase", person="anna")
        self.assertEqual(self.rpc("person.find", person="anna")["held"], {hold: 3})
        self.rpc("records.delete", refs=["Response:resp_c"])
        self.rpc("person.erase", person="bea")

    def test_a_person_of_discussions_or_decisions_alone_is_held(self):
        self.write({"$type$": "Discussion", "userId": "dora", "discussionId": "d", "topic": "of dora"},
                   {"$type$": "Decision", "id": "dec_1", "subject": "Response:resp_b", "verdict": "approve", "by": "emil", "timestamp": OLD})
        for person, ref in (("dora", "Discussion:dora/d"), ("emil", "Decision:dec_1")):
            self.assertEqual([node["ref"] for node in self.rpc("person.find", person=person)["nodes"]], [ref])
            hold = self.hold(person=person)
            self.refused_for(hold, "records.purge", refs=[ref])
            self.refused_for(hold, "person.erase", person=person)

    def test_an_opening_that_is_held_is_not_taken_back(self):
        here = {"userId": "dora", "discussionId": "d"}
        self.rpc("discussion.open", **here, topic="of dora", questions={"q": "pending"})
        hold = self.hold(person="dora")
        self.refused_for(hold, "discussion.abandon", **here)
        self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
        self.rpc("discussion.abandon", **here)

    def test_a_person_is_named_alike_by_all_commands(self):
        """By the name or the ref; a name that begins as a ref does by its ref."""
        self.write(answer("x", "a", person="Person:x"))
        for given, name, ref in (("anna", "anna", "resp_a"), ("Person:anna", "anna", "resp_a"), ("Person:Person:x", "Person:x", "resp_x")):
            found = whence("person", "find", given, "--url", self.server.url)
            self.assertIn(f"Response:{ref}\n", found.stdout, found.stderr)
            held = whence("hold", "set", "--person", given, "--reason", "r", "--url", self.server.url)
            self.assertEqual(held.returncode, 0, held.stderr)
            self.assertEqual(self.record(held.stdout.strip())["person"], name)

    def test_a_topic_is_held_with_its_messages(self):
        self.write({"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "msg_1", "topicId": "t", "text": "hello"})
        hold = self.hold(topic="t")
        self.refused_for(hold, "records.delete", refs=["Message:msg_1"])
        self.refused_for(hold, "records.purge", refs=["Topic:t"])

    def test_a_query_holds_what_matches_when_it_would_go(self):
        hold = self.hold(query={"type": "Response", "where": {"agent": "a", "person": {"in": ["anna", "bea"]}}})
        self.write(answer("d", "b", person="bea"), answer("e", "b", person="cleo"))
        for name in ("a", "c", "d"):
            self.refused_for(hold, "records.delete", refs=[f"Response:resp_{name}"], force=True)
        self.refused_for(hold, "records.purge", refs=["Response:resp_d"], dry_run=True)
        self.refused_for(hold, "person.erase", person="anna")
        self.refused_for(hold, "records.purge", refs=["ContextUnit:cu_a"], cascade=True)
        self.assertEqual(self.rpc("person.find", person="bea")["held"], {hold: 2})
        self.rpc("records.purge", refs=["Response:resp_e"])
        self.rpc("records.purge", refs=["Response:resp_b"])
        self.assertEqual(self.rpc("hold.list")["holds"][0]["query"],
                         '{"type":"Response","where":{"agent":"a","person":{"in":["anna","bea"]}}}')
        self.server.kill()
        self.server = Server(self.db)
        self.refused_for(hold, "records.purge", refs=["Response:resp_d"])
        self.rpc("hold.clear", id=hold, reason="over")
        self.rpc("person.erase", person="anna")
        self.rpc("person.erase", person="bea")

    def test_what_a_query_holds_does_not_expire(self):
        hold = self.hold(query={"type": "Response", "where": {"person": "anna"}})
        self.server.kill()
        self.server = Server(self.db, "--retention", "1s")
        wait_until(lambda: self.rpc("node.get", ref="resp_c")["nodes"][0].get("expired"), "what is not held to expire")
        self.assertEqual(self.record("Response:resp_a")["content"], "said a")
        self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
        self.assertIn("Response:resp_a", self.rpc("admin.retention")["refs"])

    def test_a_query_is_checked(self):
        for query, path in (({}, "/query/type"), ({"type": "Nothing"}, "/query/type"), ({"type": "Citation"}, "/query/type"),
                            ({"type": "Response", "where": {"nothing": 1}}, "/query/where/nothing"),
                            ({"type": "Response", "where": {"agent": {"has": "a"}}}, "/query/where/agent/has"),
                            ({"type": "Response", "since": 1}, "/query/since"), ("text", "/query")):
            self.refused(INVALID_PARAMS, "hold.set", path=path, query=query, reason="r")
        self.write_refused(INVALID_RECORD, {"$type$": "Hold", "id": "hold_x", "reason": "r", "timestamp": OLD,
                                            "query": '{"type":"Response"}'}, rule="server_field", path="/query")

    def test_a_query_is_set_from_the_command_line(self):
        said = whence("hold", "set", "--query", '{"type": "Response", "where": {"person": "anna"}}', "--reason", "case 17",
                      "--url", self.server.url)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.refused_for(said.stdout.strip(), "records.purge", refs=["Response:resp_a"])
        self.assertIn('query {"type":"Response","where":{"person":"anna"}}', whence("hold", "list", "--url", self.server.url).stdout)
        self.server.kill()
        refused = whence("purge", "Response:resp_a", "--yes", "--db", self.db)  # without a server it is held, too
        self.assertIn(said.stdout.strip(), refused.stderr)

    def test_what_is_held_does_not_expire(self):
        hold = self.hold(refs=["Response:resp_b"])
        self.server.kill()
        self.server = Server(self.db, "--retention", "1s")
        wait_until(lambda: self.rpc("node.get", ref="resp_a")["nodes"][0].get("expired"), "what is not held to expire")
        self.assertEqual(self.record("Response:resp_b")["content"], "said b")
        self.assertEqual(self.rpc("hold.list")["holds"][0]["reason"], "case 17")
        self.rpc("hold.set", person="anna", reason="\x1b[2J\nHold:forged  \u202e")
        listed = whence("hold", "list", "--url", self.server.url).stdout
        self.assertIn("\\u001b[2J\\nHold:forged", listed)
        self.assertNotIn("\u202e", listed)
        self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
        self.rpc("admin.retention")
        self.assertTrue(self.rpc("node.get", ref="resp_b")["nodes"][0].get("expired"))

    def test_holds_are_records_with_a_history(self):
        hold = self.hold(refs=["Response:resp_b"], person="anna")
        record = self.rpc("hold.list")["holds"][0]
        self.assertEqual({name: record[name] for name in ("refs", "person", "reason")},
                         {"refs": ["Response:resp_b"], "person": "anna", "reason": "case 17"})
        self.rpc("hold.clear", id=hold.split(":")[1], reason="over")
        self.assertEqual(self.rpc("hold.list")["holds"], [])
        self.assertEqual(self.rpc("hold.list", all=True)["holds"][0]["cleared"], "over")
        self.assertEqual([event["op"] for event in self.rpc("history.get", ref=hold)["events"]], ["put", "version"])
        self.assertTrue(self.rpc("hold.clear", id=hold.split(":")[1], reason="again")["unchanged"])
        self.server.kill()
        self.server = Server(self.db)
        self.assertEqual(self.rpc("hold.list", all=True)["holds"][0]["cleared"], "over")

    def test_a_hold_names_what_there_is(self):
        self.refused(NOT_FOUND, "hold.set", refs=["Response:none"], reason="r")
        self.refused(NOT_FOUND, "hold.set", person="nobody", reason="r")
        self.refused(NOT_FOUND, "hold.clear", id="hold_none", reason="r")
        self.refused(INVALID_PARAMS, "hold.set", refs=["Response:resp_a"])
        done = whence("hold", "set", "--url", self.server.url, "--query", '{"type":"Response","where":{"agnt":"a"}}', "--reason", "r")
        self.assertIn("--query", done.stderr)
        self.write_refused(INVALID_RECORD, {"$type$": "Hold", "id": "hold_x", "refs": ["Response:resp_a"], "reason": "r", "timestamp": OLD,
                                  "cleared": "no"}, rule="server_field", path="/cleared")


if __name__ == "__main__":
    unittest.main()
