"""Claim: a subscription tells when the sources of an answer change, of one answer or of all; `lineage.stale` says the rest.

Method: the match of net/PROTOCOL.md (Stale, live). Sources of two answers get newer versions, bad ratings, are purged and deleted, documents are
loaded anew. After each change the events of both subscriptions are compared with what was changed, and `lineage.stale` of the source with the answers.
"""
from support.openlineage import dataset, event, post
from support.subscriber import Subscriber
from support.wire_case import FreshServerCase

TIME = "2026-01-01T00:00:00Z"
DB = "postgres://db:5432"
OPS = ["status", "delete", "expire", "changed"]
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
            return [(told["ref"], told["op"]) for told in subscription.events]

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

    def chunk(self, name, text, index=0, document="faq"):
        return {"$type$": "RetrievedChunk", "chunk_id": name, "content": text, "metadata": {"document_name": document, "chunk_index": index}}

    def test_a_document_that_is_loaded_anew_reaches_the_answers_that_rest_on_it(self):
        self.write({"$type$": "Document", "document_name": "faq"}, self.chunk("old0", "Open until 22:00."),
                   self.chunk("old1", "Closed on Mondays.", 1), self.chunk("unused", "Park behind the house.", 2))
        uses = [{"ref": "RetrievedChunk:old0", "weight": 0.5}, {"ref": "RetrievedChunk:old1", "weight": 0.5}]
        self.write({**response("of_faq", "a"), "context_units": uses})
        tx = self.server.rpc("server.info")["tx"]
        near = self.client.subscribe(match={"upstream_of": "resp_of_faq", "ops": OPS})
        steps = self.client.subscribe(match={"upstream_of": "resp_of_faq", "ops": OPS, "depth": 1})
        unasked = self.client.subscribe(match={"types": SOURCES})
        self.client.until_caught_up(near, steps, unasked)
        # A text that is the same, one that is another, one that nothing was made from, and another document.
        loaded = self.write(self.chunk("new0", "Open until 18:00."), self.chunk("new1", "Closed on Mondays.", 1),
                            self.chunk("other", "Park in front.", 2), self.chunk("else", "Other.", 0, "another"), mode="capture")["tx"]
        want = [("RetrievedChunk:old0", "changed", "RetrievedChunk:new0", loaded)]
        again = self.write(self.chunk("newest1", "Closed on Sundays.", 1))["tx"]
        want.append(("RetrievedChunk:old1", "changed", "RetrievedChunk:newest1", again))

        def changes(subscription):
            return [(told["ref"], told["op"], told["newer"], told["tx"]) for told in subscription.events if told["op"] == "changed"]

        for subscription in (near, steps, self.all):
            self.client.until(lambda s=subscription: len(changes(s)) == 2, "two changes")
            self.assertEqual(changes(subscription), want)
        self.assertEqual(changes(self.of["one"]) + changes(unasked), [])
        replayed = self.client.subscribe(match={"upstream_of": "resp_of_faq", "ops": ["changed"]}, since=tx)
        self.client.until_caught_up(replayed)
        self.assertEqual(changes(replayed), want)
        sources = {each["ref"]: each.get("newer") for each in self.server.rpc("lineage.stale", {"ref": "resp_of_faq"})["sources"]}
        self.assertEqual({ref: sources.get(ref) for ref, *_ in want}, {ref: newer for ref, _, newer, _ in want})

    def test_a_document_whose_table_is_written_again(self):
        runs = ["00000000-0000-0000-0000-00000000000" + number for number in "12"]

        def fill_table(number, minute):
            for second, state in enumerate(("START", "COMPLETE")):
                told = event(state, runs[number], f"2026-03-01T00:{minute}:0{second}Z", "fill", [], [dataset(DB, "faq")])
                self.assertEqual(post(self.server, told)[0], 200)

        fill_table(0, "01")
        self.write({"$type$": "Document", "document_name": "faq", "uri": DB + "/faq"}, self.chunk("c", "Text."))
        self.write({**response("of_faq", "a"), "context_units": [{"ref": "RetrievedChunk:c", "weight": 1}]})
        near = self.client.subscribe(match={"upstream_of": "resp_of_faq", "ops": OPS})
        self.client.until_caught_up(near)
        fill_table(1, "02")
        self.client.until(lambda: near.events, "the document changed")
        newer = f"ProvEntity:{DB}/faq#run={runs[1]}"
        self.assertEqual([(told["ref"], told["op"], told["newer"]) for told in near.events], [("Document:faq", "changed", newer)])
        sources = {each["ref"]: each.get("newer") for each in self.server.rpc("lineage.stale", {"ref": "resp_of_faq"})["sources"]}
        self.assertEqual(sources, {"Document:faq": newer})
