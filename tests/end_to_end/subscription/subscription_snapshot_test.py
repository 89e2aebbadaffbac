"""Claim: a snapshot replaces everything before it: with the events after it, it makes the graph of any later
transaction, nothing missing, nothing twice, while four writers go on writing.

Method: first the form, on the worked stream. Then WHENCE_SNAPSHOTS times (default 20) a new client subscribes with
`snapshot:true` while the writers add units, versions, responses and feedback and delete what they wrote a while ago; the
graph made of what it got is compared with the server's at the transaction it got last.
"""
import os
import sys
import threading

from support.naive_stream import State, graph_of
from support.subscriber import Subscriber
from support.stream_example import A, B, FB, FEEDBACK, HISTORY, R, RESPONSE, T, TOPIC, UNIT_A, UNIT_B, STREAM
from support.program import wait_until
from support.wire_case import FreshServerCase

SNAPSHOTS = int(os.environ.get("WHENCE_SNAPSHOTS", "20"))
WRITERS = 4
KEPT = 20      # batches a writer leaves before it deletes the oldest
FOLLOWED = 30  # transactions that are awaited after a snapshot
RECORDS = {A: UNIT_A, R: RESPONSE, B: UNIT_B, FB: FEEDBACK, T: TOPIC}


class SnapshotCase(FreshServerCase):
    def connect(self):
        client = Subscriber(self.server)
        self.addCleanup(client.socket.close)
        return client


class FormTest(SnapshotCase):
    def setUp(self):
        super().setUp()
        for method, params in HISTORY:
            self.server.rpc(method, params)
        self.client = self.connect()
        everything = self.client.subscribe(since=0)
        self.client.until_caught_up(everything)
        self.at = {e["tx"]: e["at"] for e in everything.events}

    def nodes(self, tx, status, *refs):
        """The snapshot's events: each node with the edges it brought; `status` is that of the first unit."""
        edges = {e["ref"]: e["edges"] for e in STREAM if "edges" in e}
        return [{"tx": tx, "prev": 0, "at": self.at[tx], "op": "put", "ref": ref, "snapshot": True, "record": RECORDS[ref],
                 "edges": edges[ref], **({"status": status} if ref == A and status else {})} for ref in refs]

    def snapshot(self, match=None, **params):
        subscription = self.client.subscribe(match, snapshot=True, **{"include": ["record", "edges"], **params})
        self.client.until_caught_up(subscription)
        return subscription

    def next_of(self, subscription):
        """What the next write brings, as (tx, prev, op, ref)."""
        had = len(subscription.events)
        tx = self.write({"$type$": "Topic", "id": f"t{self.head()}"})["tx"]
        self.client.until_tx(subscription, tx)
        return subscription.brief[had:]

    def test_the_state_now_and_then_what_follows(self):
        subscription = self.snapshot()
        self.assertEqual(subscription.events, self.nodes(5, "deprecated", A, R, B, FB, T))
        self.assertEqual(subscription.caught_up, [5])
        self.assertEqual(self.next_of(subscription), [(6, 5, "put", "Topic:t5")])
        self.assertEqual(self.next_of(subscription), [(7, 6, "put", "Topic:t6")])

    def test_the_state_then_and_what_followed(self):
        subscription = self.snapshot(since=2)
        self.assertEqual(subscription.events[:3], self.nodes(2, "updated", A, R, B))
        self.assertEqual(subscription.brief[3:], [(3, 2, "put", FB), (3, 2, "status", A), (4, 3, "put", T),
                                                  (4, 3, "put", "Message:m"), (5, 4, "delete", "Message:m")])
        at_time = self.snapshot(since=self.at[2])
        self.assertEqual((at_time.from_tx, at_time.events), (2, subscription.events))
        self.assertEqual(self.snapshot(since=1).events[:2], self.nodes(1, None, A, R))
        self.assertEqual(self.snapshot(since=0).brief, self.everything())

    def everything(self):
        replayed = self.client.subscribe(since=0)
        self.client.until_caught_up(replayed)
        return replayed.brief

    def test_an_empty_one_is_no_transaction_before_the_first(self):
        subscription = self.snapshot({"topics": ["t5"]})
        self.assertEqual((subscription.events, subscription.caught_up), ([], [5]))
        self.assertEqual(self.next_of(subscription), [(6, 0, "put", "Topic:t5")])

    def test_a_match_selects_nodes_but_for_ops(self):
        for match, refs in (({"types": ["Response", "Topic"]}, [R, T]), ({"ops": ["status"]}, [A, R, B, FB, T]),
                            ({"ops": ["delete"], "types": ["ContextUnit"]}, [A, B]), ({"topics": ["t"]}, [T]),
                            ({"agents": ["a"]}, [R]), ({"downstream_of": A}, [R, B]), ({"upstream_of": B}, [A, R]),
                            ({"upstream_of": B, "depth": 1}, [A, R]), ({"types": ["Query"]}, []),
                            ({"downstream_of": A, "upstream_of": B}, [R]),
                            ({"edge_types": ["EVALUATES", "UPDATED_BY"]}, [B, FB])):
            with self.subTest(match):
                self.assertEqual(self.snapshot(match).events, self.nodes(5, "deprecated", *refs))

    def test_what_comes_with_it_is_what_was_asked_for(self):
        for include in ([], ["record"], ["edges"]):
            left_out = {"record", "edges"} - set(include)
            want = [{k: v for k, v in e.items() if k not in left_out} for e in self.nodes(5, "deprecated", A, R, B, FB, T)]
            self.assertEqual(self.snapshot(include=include or None).events, want)

    def test_it_can_be_asked_for_again(self):
        first = self.snapshot()
        self.next_of(first)
        again = self.snapshot(since=first.from_tx)
        self.assertEqual(again.events, first.events)

    def test_a_large_one_comes_in_parts(self):
        for _ in range(6):
            self.write(*({"$type$": "Topic", "id": f"{self.head()}/{i}", "attributes": {"text": "x" * 9000}}
                         for i in range(200)))
        subscription = self.snapshot()
        self.assertEqual(len(subscription.events), 1205)
        self.assertGreater(subscription.messages, 1)
        self.assertEqual(len({e["ref"] for e in subscription.events}), 1205)


class Writer(threading.Thread):
    """Adds a unit, its version, a response on both and feedback that may deprecate; deletes its oldest."""

    def __init__(self, case, name):
        super().__init__(daemon=True)
        self.rpc, self.name, self.failure = case.rpc, name, None
        self.enough = threading.Event()

    def batch(self, number):
        ids, time = f"{self.name}_{number}", "2025-01-01T00:00:00Z"
        unit = {"$type$": "ContextUnit", "type": "User", "source": "s", "timestamp": time}
        return [{**unit, "id": f"cu_{ids}", "version": 1},
                {"$type$": "Response", "id": f"resp_{ids}", "timestamp": time, "agent": self.name, "model": "m",
                 "context_units": [{"context_unit_id": f"cu_{ids}", "weight": 1}]}], [
                {**unit, "id": f"cu_{ids}_2", "version": 2, "previous_version_id": f"cu_{ids}"},
                {"$type$": "FeedbackRecord", "id": f"fb_{ids}", "response_id": f"resp_{ids}", "timestamp": time,
                 "score": (-1, 1)[number % 2]}]

    def run(self):
        number, kept = 0, []
        try:
            while not self.enough.is_set():
                for records in self.batch(number):
                    kept += self.rpc("records.write", records=records)["refs"]
                number += 1
                if len(kept) > 4 * KEPT:
                    self.rpc("records.delete", refs=kept[:4])
                    kept = kept[4:]
        except Exception as failure:
            self.failure = failure


class WhileWritingTest(SnapshotCase):
    def check_snapshot(self, number):
        with Subscriber(self.server) as client:
            subscription = client.subscribe({}, snapshot=True, include=["record", "edges"])
            client.until_caught_up(subscription)
            client.until_tx(subscription, subscription.from_tx + FOLLOWED)
        events, state = subscription.events, State()
        snapshot = [e["ref"] for e in events if e.get("snapshot")]
        self.assertEqual(len(snapshot), len(set(snapshot)))
        for event in events:
            state.apply(event)  # raises on what comes twice
        nodes, edges = graph_of(self.rpc, events[-1]["tx"])
        got_nodes, got_edges = state.graph()
        self.assertEqual(got_nodes, nodes, f"snapshot {number} at {subscription.from_tx}")
        self.assertEqual(got_edges, edges, f"snapshot {number} at {subscription.from_tx}")
        return len(events)

    def test_a_snapshot_and_what_follows_make_the_graph(self):
        writers = [Writer(self, name) for name in "abcd"[:WRITERS]]
        for writer in writers:
            writer.start()
        wait_until(lambda: self.head() >= 4 * KEPT or any(w.failure for w in writers), "a history to take snapshots of")
        counts = [self.check_snapshot(number) for number in range(SNAPSHOTS)]
        for writer in writers:
            writer.enough.set()
        for writer in writers:
            writer.join()
            self.assertIsNone(writer.failure)
        print(f"{SNAPSHOTS} snapshots within {self.head()} transactions, {min(counts)} to {max(counts)} events each",
              file=sys.stderr)
