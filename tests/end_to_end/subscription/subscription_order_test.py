"""Claim: inside a transaction events come in batch order, the consequences of a record right before or after it, in byte
order of ref; nodes that the transaction linked anew come last.

Method: one batch for each kind of cause and consequence; its events are compared live and in a replay, their records with
the node at that transaction.
"""
from support.naive_discussion import round_record, summary_record
from support.naive_rag import chunk_record, query_record, retrieval_record
from support.naive_xml import hash_of
from support.program import feedback, response, unit
from support.subscriber import Subscriber
from support.wire_case import FreshServerCase

START = 1_728_234_567_890


def successor(name, previous, version=2):
    return unit(name, version=version, previous_version_id="cu_" + previous)


def template(version, text="x"):
    return {"$type$": "SystemPromptTemplate", "modelId": "gpt", "promptText": text, "version": version}


def attachment(message, topic, terms, subject="savings", summary="", minute=0, **more):
    """An llm-response naming one subject with these keywords."""
    keywords = "".join(f'<keyword term="{t}" confidence="0.9"/>' for t in terms)
    return {"$type$": "XMLMessageAttachment", "topicId": topic, "messageId": message, "format": "llm-response",
            "createdAt": START + 60_000 * minute,
            "xml": f'<llmResponse><response>Yes.</response><analysis><subject name="{subject}" description="d" isNew="true">'
                   f'{keywords}</subject><summaryUpdate>{summary}</summaryUpdate></analysis></llmResponse>', **more}


def ref(record):
    return "XMLMessageAttachment:" + hash_of(record)


class OrderCase(FreshServerCase):
    """A store for each test, and a listener to everything."""

    def setUp(self):
        super().setUp()
        self.client = Subscriber(self.server)
        self.addCleanup(self.client.socket.close)
        self.live = self.client.subscribe({}, include=["record", "edges"])

    def briefly(self, event):
        """(op, ref[, status or "entered"][, score])."""
        return (event["op"], event["ref"], *(event[m] for m in ("status", "score") if m in event),
                *(["entered"] if event.get("entered") else []))

    def events(self, tx):
        """The transaction's events as they came live; a replay must bring the same, each record as the node is then."""
        self.client.until_tx(self.live, tx)
        replayed = self.client.subscribe({}, since=tx - 1, include=["record", "edges"])
        self.client.until_caught_up(replayed)
        came = [[{**e, "prev": 0} for e in s.events if e["tx"] == tx] for s in (self.live, replayed)]
        self.assertEqual(*came)
        last = {e["ref"]: e for e in came[0] if "record" in e}
        for name, event in last.items():
            self.assertEqual(event["record"], self.record(name, as_of=tx))
            self.assertEqual(event["edges"], sorted(event["edges"], key=lambda e: (e["from"], e["to"], e["type"])))
        return came[0]

    def comes(self, want, tx):
        self.assertEqual([self.briefly(e) for e in self.events(tx)], want)

    def matching(self, match, want):
        """(tx, op, ref[, "entered"]) that this match brings of the whole history."""
        subscription = self.client.subscribe(match, since=0, include=["record", "edges"])
        self.client.until_caught_up(subscription)
        self.assertEqual([(e["tx"], *self.briefly(e)) for e in subscription.events], want)
        return subscription.events


class TransactionTest(OrderCase):
    def test_records_come_in_batch_order_and_forward_references_are_fine(self):
        tx = self.write(response("1", b=1), unit("b"), unit("a"))["tx"]
        self.comes([("put", "Response:resp_1"), ("put", "ContextUnit:cu_b"), ("put", "ContextUnit:cu_a")], tx)
        self.assertEqual([e["type"] for e in self.live.events[0]["edges"]], ["USED_IN"])

    def test_what_was_there_already_is_no_event(self):
        self.write(unit("a"))
        self.comes([("put", "ContextUnit:cu_b")], self.write(unit("a"), unit("b"), unit("b"))["tx"])
        self.write(unit("a"))
        self.assertEqual(self.head(), 2)

    def test_a_successor_is_followed_by_its_predecessors_status(self):
        self.write(unit("a"))
        tx = self.write(successor("b", "a"), successor("c", "b", 3), unit("z"))["tx"]
        self.comes([("version", "ContextUnit:cu_b"), ("status", "ContextUnit:cu_a", "updated"),
                    ("version", "ContextUnit:cu_c"), ("status", "ContextUnit:cu_b", "updated"),
                    ("put", "ContextUnit:cu_z")], tx)

    def test_deprecations_follow_their_feedback_in_byte_order(self):
        self.write(unit("2"), unit("10"), unit("3"), response("1", **{"2": 0.505, "10": 0.505}), response("2", **{"3": 1}))
        tx = self.write(feedback("1", "1", -1), unit("a"), feedback("2", "2", -0.6))["tx"]
        self.comes([("put", "FeedbackRecord:fb_1"), ("status", "ContextUnit:cu_10", "deprecated", -0.505),
                    ("status", "ContextUnit:cu_2", "deprecated", -0.505), ("put", "ContextUnit:cu_a"),
                    ("put", "FeedbackRecord:fb_2"), ("status", "ContextUnit:cu_3", "deprecated", -0.6)], tx)

    def test_of_two_changes_of_status_the_last_is_told(self):
        self.write(unit("a"), response("1", a=1))
        tx = self.write(successor("b", "a"), feedback("1", "1", -0.75))["tx"]
        self.comes([("version", "ContextUnit:cu_b"), ("put", "FeedbackRecord:fb_1"),
                    ("status", "ContextUnit:cu_a", "deprecated", -0.75)], tx)

    def test_a_score_that_changes_no_status_is_no_event_of_the_unit(self):
        self.write(unit("a"), response("1", a=1), feedback("1", "1", -0.75))
        self.comes([("put", "FeedbackRecord:fb_2")], self.write(feedback("2", "1", -1))["tx"])
        self.comes([("put", "FeedbackRecord:fb_3")], self.write(feedback("3", "1", 1))["tx"])
        self.comes([("version", "ContextUnit:cu_b")], self.write(successor("b", "a"))["tx"])  # deprecated is final

    def test_what_ensure_made_comes_before_and_what_was_extracted_after(self):
        first, second = attachment("m1", "t", ["z", "a", "k"], summary="Hi."), attachment("m2", "t", ["k", "b"], minute=1)
        self.write({"$type$": "Topic", "id": "t"})
        tx = self.write(first, unit("a"), ensure=True)["tx"]
        self.comes([("put", r) for r in ("Message:m1", ref(first), "Keyword:a", "Keyword:k", "Keyword:z", "Subject:t/a+k+z",
                                         "Summary:t-v1", "ContextUnit:cu_a")], tx)
        self.comes([("put", "Message:m2"), ("put", ref(second)), ("put", "Keyword:b"), ("version", "Keyword:k"),
                    ("version", "Subject:t/a+k+z")], self.write(second, ensure=True)["tx"])
        other = attachment("m3", "new topic", ["q"])
        self.comes([("put", "Topic:new topic"), ("put", "Message:m3"), ("put", ref(other)), ("put", "Keyword:q"),
                    ("put", "Subject:new topic/q")], self.write(other, ensure=True)["tx"])

    def test_a_template_that_was_active_is_told_to_be_inactive(self):
        self.write(template(1))
        self.comes([("version", "SystemPromptTemplate:gpt/2"), ("status", "SystemPromptTemplate:gpt/1", "inactive")],
                   self.write(template(2, "y"))["tx"])
        self.comes([("version", "SystemPromptTemplate:gpt/3"), ("status", "SystemPromptTemplate:gpt/2", "inactive")],
                   self.write(template(3, "z"))["tx"])
        self.comes([("version", "SystemPromptTemplate:gpt/1"), ("status", "SystemPromptTemplate:gpt/3", "inactive")],
                   self.write({**template(1), "active": True})["tx"])

    def test_an_open_round_is_put_and_then_changed(self):
        here = {"userId": "u", "discussionId": "d"}
        self.rpc("discussion.open", **here)
        self.comes([("put", "Discussion:u/d")], 1)
        for op, persona in zip(("put", "version", "version"), ("Analyzer AI", "Solver AI", "Moderator AI")):
            tx = self.rpc("discussion.addResponse", **here, roundNumber=1, persona=persona, content="x")["tx"]
            self.comes([(op, "DiscussionRound:u/d/1")], tx)
        self.assertEqual([[e["type"] for e in event["edges"]] for event in self.live.events], [[], ["PART_OF"], [], []])

    def test_what_a_deletion_takes_along_follows_in_byte_order(self):
        first = attachment("m1", "t", ["a"])
        rounds = [round_record("u", "d", n) for n in range(1, 12)]
        self.write(first, *rounds, summary_record("u", "d", 2, "S", [1, 2]), chunk_record("c2", "D"), chunk_record("c10", "D"),
                   ensure=True)
        tx = self.rpc("records.delete", refs=["Document:D", "Message:m1", "Discussion:u/d"])["tx"]
        self.comes([("delete", r) for r in (
            "Document:D", "RetrievedChunk:c10", "RetrievedChunk:c2", "Message:m1", ref(first), "Discussion:u/d",
            *sorted(f"DiscussionRound:u/d/{n}" for n in range(1, 12)), "SummaryEntry:u/d/2")], tx)

    def test_an_unknown_document_comes_before_its_chunk(self):
        tx = self.write(unit("a"), chunk_record("c", "D"), chunk_record("c2", "D"))["tx"]
        self.comes([("put", r) for r in ("ContextUnit:cu_a", "Document:D", "RetrievedChunk:c", "RetrievedChunk:c2")], tx)


class LinkTest(OrderCase):
    """Nodes that come to descend from another by a link made after they were written."""

    def test_a_keyword_named_again(self):
        self.write(unit("x"), unit("y"), response("1", x=1), response("2", y=1))
        first = attachment("m1", "t", ["tuition"], responseId="resp_1")
        second = attachment("m2", "t", ["tuition"], responseId="resp_2", minute=2)
        live = self.client.subscribe({"downstream_of": "cu_y", "types": ["Keyword"]})
        self.write(first, ensure=True)
        self.write(unit("z"))
        tx = self.write(second, ensure=True)["tx"]
        self.client.until_tx(live, tx)
        self.assertEqual(live.brief, [(tx, 0, "version", "Keyword:tuition")])
        self.matching({"downstream_of": "cu_y", "types": ["Keyword"]}, [(tx, "version", "Keyword:tuition")])
        self.matching({"downstream_of": "cu_y"}, [(1, "put", "Response:resp_2"), (tx, "put", ref(second)),
                                                  (tx, "version", "Keyword:tuition"), (tx, "version", "Subject:t/tuition")])

    def test_a_chunk_retrieved_for_an_older_query(self):
        self.write(query_record("q"))
        self.write(chunk_record("c", "D", page=1))
        live = self.client.subscribe({"downstream_of": "Document:D"}, include=["record", "edges"])
        tx = self.write(retrieval_record("q", 0.9, chunk_record("c", "D", page=1)))["tx"]
        self.client.until_tx(live, tx)
        self.assertEqual(live.brief, [(tx, 0, "version", "RetrievedChunk:c"), (tx, 0, "put", "Query:q", "entered")])
        self.assertEqual([e["type"] for e in live.events[0]["edges"]], ["RETRIEVED_FOR"])
        self.assertEqual(live.events[1], {"tx": tx, "prev": 0, "at": live.events[0]["at"], "op": "put", "ref": "Query:q",
                                          "entered": True, "record": self.record("Query:q"), "edges": []})
        replayed = self.matching({"downstream_of": "Document:D"}, [
            (2, "put", "RetrievedChunk:c"), (tx, "version", "RetrievedChunk:c"), (tx, "put", "Query:q", "entered")])
        self.assertEqual([{**e, "prev": 0} for e in replayed[1:]], live.events)

    def test_what_enters_is_ordered_by_depth_then_ref(self):
        old, new = chunk_record("old", "other", page=1), chunk_record("new", "D", page=2)
        self.write(query_record("q"), retrieval_record("q", 0.9, old), new)
        self.rpc("rag.answer", request_id="q", answer="So it is [other].")
        tx = self.write(unit("a"), retrieval_record("q", 0.9, new))["tx"]  # as similar: the answer is no other one
        put, version = (1, "put", "RetrievedChunk:new"), (tx, "version", "RetrievedChunk:new")
        entered = [(tx, "put", r, "entered") for r in ("Query:q", "PromptContext:q", "Answer:q")]
        for match, want in (({}, [put, version, *entered]), ({"depth": 1}, [put, version]),
                            ({"depth": 2}, [put, version, entered[0]]), ({"types": ["Answer", "Query"]}, entered[::2]),
                            ({"ops": ["version"]}, [version]), ({"ops": ["put"]}, [put, *entered]),
                            ({"edge_types": ["PART_OF"]}, [put]), ({"edge_types": ["RETRIEVED_FOR"]}, [version])):
            with self.subTest(match):
                self.matching({"downstream_of": "Document:D", **match}, want)

    def test_what_ceases_to_descend_is_not_told_and_may_enter_again(self):
        self.write(query_record("q"), chunk_record("c", "D"), chunk_record("d", "D"))
        first = self.write(retrieval_record("q", 0.9, chunk_record("c", "D")))["tx"]
        self.rpc("records.delete", refs=["RetrievedChunk:c"])
        again = self.write(retrieval_record("q", 0.9, chunk_record("d", "D")))["tx"]
        self.matching({"downstream_of": "Document:D", "types": ["Query"]},
                      [(first, "put", "Query:q", "entered"), (again, "put", "Query:q", "entered")])
