"""Claim: a subscription tells when the sources of an answer change, of one answer or of all; `lineage.stale` says the rest.

Method: the match of net/PROTOCOL.md (Stale, live). Sources of two answers get newer versions, bad ratings, are purged and deleted. After
each change the events of both subscriptions are compared with what was changed, and `lineage.stale` of the source with the answers.
"""
from support.subscriber import Subscriber
from support.wire_case import FreshServerCase

TIME = "2026-01-01T00:00:00Z"
OPS = ["status", "delete", "expire"]
SOURCES = ["ContextUnit", "RetrievedChunk", "Document", "Message"]


def unit(name, **more):
    return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": f"file:{name}", "timestamp": TIME,
            "version": 1, "content": name, **more}


def response(name, *units):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "a", "model": "m",
            "context_units": [{"context_unit_id": f"cu_{each}", "weight": 1 / len(units)} for each in units]}


class StaleTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.write(*(unit(each) for each in "abcde"))
        self.write(response("one", "a", "b", "c"), response("other", "d", "e"), response("rated", "b"))
        # A step between: what it is made of is far behind the answer.
        self.write(unit("made", updated_by_response_id="resp_one"), response("later", "made"))
        self.client = Subscriber(self.server)
        self.addCleanup(self.client.socket.close)
        self.of = {name: self.client.subscribe(match={"upstream_of": f"resp_{name}", "ops": OPS})
                   for name in ("one", "other", "later")}
        self.all = self.client.subscribe(match={"types": SOURCES, "ops": OPS})
        self.client.until_caught_up(self.all, *self.of.values())

    def check(self, source, op, answers, reasons):
        """The next event of each subscription that is concerned, and what `lineage.stale` says then."""
        def seen(subscription):
            return [(event["ref"], event["op"]) for event in subscription.events]

        want = (f"ContextUnit:{source}", op)
        concerned = [self.all, *(self.of[name] for name in answers if name in self.of)]
        for subscription in concerned:
            self.client.until(lambda s=subscription: want in seen(s), f"{want}")
        for name, subscription in self.of.items():
            self.assertEqual(want in seen(subscription), name in answers, (name, want))
        for name in answers:
            sources = {each["ref"]: each["reasons"] for each in self.server.rpc("lineage.stale", {"ref": f"resp_{name}"})["sources"]}
            self.assertEqual(sources.get(want[0]), reasons, (name, sources))

    def test_changes_of_sources_reach_the_answers_that_rest_on_them(self):
        self.server.rpc("unit.update", {"ref": "cu_a", "content": "a, mended"})
        self.check("cu_a", "status", ["one", "later"], ["updated"])
        stale = self.server.rpc("lineage.stale", {"ref": "cu_a"})["answers"]
        self.assertEqual([each["id"] for each in stale], ["resp_later", "resp_one"])
        self.write({"$type$": "FeedbackRecord", "id": "fb_1", "response_id": "resp_rated", "timestamp": TIME, "score": -1})
        self.check("cu_b", "status", ["one", "later", "rated"], ["deprecated"])
        self.server.rpc("records.purge", {"refs": ["ContextUnit:cu_c"]})
        self.check("cu_c", "expire", ["one", "later"], ["purged"])
        self.server.rpc("records.delete", {"refs": ["ContextUnit:cu_d"], "force": True})
        self.check("cu_d", "delete", ["other"], ["deleted"])

    def test_an_answer_that_comes_later_is_reached_too(self):
        self.write(response("new", "e"))
        new = self.client.subscribe(match={"upstream_of": "resp_new", "ops": OPS})
        self.client.until_caught_up(new)
        self.of["new"] = new
        self.server.rpc("unit.update", {"ref": "cu_e", "content": "e, mended"})
        self.check("cu_e", "status", ["other", "new"], ["updated"])
