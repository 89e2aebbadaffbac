"""Claim: a client that applies the events of a subscription holds the graph, whatever was written and however often the
connection was lost: nothing is missing, nothing comes twice, and a match selects the same events as from the whole stream.

Method: one writer makes a random history of all record types, at least STEPS steps, until every follower has lost its connection
often enough (WHENCE_DISCONNECTS, default 30, among all followers): by an abrupt end after some messages, in the middle of
one, or after a heartbeat; it resumes at the last transaction or heartbeat. One follows everything; the graph made from
its stream is compared with the server's at random moments. The others follow random matches, as do replays afterwards; they
are compared with `naive_stream.Filter` over the whole stream. The seed is printed; WHENCE_TEST_SEED repeats the history.
"""
import os
import random
import sys
import threading

from support.naive_stream import State, delivered, graph_of, transactions, type_of
from support.histories import Mixed
from support.program import seed_of_run
from support.subscriber import Subscriber
from support.wire_case import Server, WireCase

SEED = seed_of_run()
DISCONNECTS = int(os.environ.get("WHENCE_DISCONNECTS", "30"))
STEPS = 150
FOLLOWERS = 6
MOMENTS = 25   # at which the graph is compared
REPLAYS = 60   # random matches after the history has ended
PACE = 0.05    # seconds between steps once there are enough: time to lose connections in
BEATS = 1      # how often each follower waits for a heartbeat: it takes a second
BRINGS = {"USED_IN", "DERIVED_FROM", "UPDATED_BY", "EVALUATES", "PROMPTED", "RENDERED_AS", "EXTRACTED_FROM", "REVISION_OF",
          "PART_OF", "FOLLOWS", "SUMMARIZES", "EMBEDS", "RETRIEVED_FOR", "INCLUDED_IN", "GENERATED_FROM", "CITES"}


class Eventful(Mixed):
    """`Mixed` and the rest: templates, manifests, records changed under their ref, nodes deleted and made again."""

    def __init__(self, case, chance):
        super().__init__(case, chance)
        self.templates, self.lone, self.gone = {}, [], []

    def step(self):
        if self.chance.random() < 0.25:
            self.chance.choice([self.template, self.manifest, self.lone_unit, self.keyword, self.talk_again, self.several])()
        else:
            super().step()

    def unit(self, name, **more):
        return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "System", "source": "s", "timestamp": self.core.stamp(),
                "version": 1, **more}

    def template(self):
        model = self.chance.choice(["gpt", "a/b%"])
        version = self.templates[model] = self.templates.get(model, 0) + 1
        number = self.number()
        response = {"$type$": "Response", "id": f"resp_of_template_{number}", "timestamp": self.core.stamp(),
                    "agent": self.chance.choice("abc"), "model": model,
                    "prompt_template": {"modelId": model, "version": self.chance.randint(1, version)},
                    "context_units": [{"context_unit_id": f"cu_of_template_{number}", "weight": 1}]}
        self.write({"$type$": "SystemPromptTemplate", "modelId": model, "promptText": f"You {number}.", "version": version},
                   self.unit(f"of_template_{number}"), response)

    def manifest(self):
        number, known = self.number(), self.core.units[-1:]
        tree = [{"id": u["id"], "type": u["type"], "source": u["source"], "weight": 0.5} for u in known]
        tree.append({"id": f"cu_of_manifest_{number}", "type": "External", "source": "s", "weight": 1 - 0.5 * len(tree)})
        response = f"resp_of_manifest_{number}"
        edges = [{"from": u["id"], "to": response, "weight": u["weight"]} for u in tree]
        self.write({"$type$": "LineageManifest", "response_id": response, "timestamp": self.core.stamp(), "agent": "m",
                    "model": "m", "context_tree": tree, "provenance_tree": {"root": response, "edges": edges}})

    def lone_unit(self):
        """One that nothing else refers to is made, gets a successor, is deleted, or is made again."""
        kind = self.chance.choice(["make", "follow", "delete", "again"])
        if kind == "follow" and self.lone:
            previous = self.lone.pop(self.chance.randrange(len(self.lone)))
            record = self.unit(f"lone_{self.number()}", version=previous["version"] + 1, previous_version_id=previous["id"])
        elif kind == "delete" and self.lone:
            record = self.lone.pop(self.chance.randrange(len(self.lone)))
            self.rpc("records.delete", refs=["ContextUnit:" + record["id"]])
            return self.gone.append(record) if record["version"] == 1 else None
        elif kind == "again" and self.gone:
            record = self.gone.pop()
        else:
            record = self.unit(f"lone_{self.number()}")
        self.lone.append(record)
        self.write(record)

    def keyword(self):
        self.write({"$type$": "Keyword", "term": self.chance.choice(["by hand", "tax"]), "frequency": self.number(),
                    "subjects": [], "score": 0.5, "createdAt": 1, "lastSeen": 2})

    def talk_again(self):
        self.write({"$type$": "Discussion", "userId": "ann", "discussionId": "again", "topic": f"T{self.number()}",
                    "createdAt": 0, "updatedAt": 0, "isResolved": self.chance.random() < 0.5})

    def several(self):
        """Attachments that may name the same keywords, in one batch."""
        self.write(*(self.talk.attachment() for _ in range(3)), ensure=True)


def random_match(chance, refs=(), topics=("one", "two/three", "vier%")):
    """One to three members; `refs` are those that may be walked from."""
    some = lambda items: chance.sample(items, chance.randint(1, min(3, len(items))))  # noqa: E731
    types = ["ContextUnit", "Response", "FeedbackRecord", "Topic", "Message", "XMLMessageAttachment", "Keyword", "Subject",
             "Summary", "SystemPromptTemplate", "DiscussionRound", "RetrievedChunk", "Query", "Answer", "PromptContext"]
    members = {"types": lambda: some(types), "ops": lambda: some(["put", "version", "status", "delete", "expire"]),
            "topics": lambda: some(list(topics)), "agents": lambda: some(["a", "b", "m"]),
            "edge_types": lambda: some(sorted(BRINGS))}
    match = {m: members[m]() for m in chance.sample(sorted(members), chance.randint(0 if refs else 1, 2))}
    if refs:
        match[chance.choice(["downstream_of", "upstream_of"])] = chance.choice(refs)
        match.update({"depth": chance.randint(1, 4)} if chance.random() < 0.4 else {})
    return match


class Follower(threading.Thread):
    """Follows one match through lost connections. `events` are those it took, each once, in order."""

    def __init__(self, server, match, losses, seed):
        super().__init__()
        self.server, self.match, self.losses, self.chance = server, match, losses, random.Random(seed)
        self.events, self.tx, self.failure, self.goal = [], 0, None, None
        self.lost = threading.Event()  # its connection, as often as it should
        self.beats = min(BEATS, losses)

    def run(self):
        try:
            for number in range(self.losses):
                self.follow(self.lose)
            self.lost.set()
            self.follow(self.stay)
        except BaseException as failure:  # raised by the test's own thread
            self.failure = failure
        finally:
            self.lost.set()

    def follow(self, how):
        credit = self.chance.choice([None, None, 1, 20])
        client = Subscriber(self.server)
        subscription = client.subscribe(self.match, since=self.tx, include=["record", "edges"],
                                        **({"credit": credit} if credit else {}))
        try:
            how(client, subscription, credit)
        finally:
            client.socket.abort()
        self.events += subscription.events
        self.tx = max(self.tx, subscription.tx)

    def read(self, client, subscription, credit, seconds):
        had = len(subscription.events)
        client.read(seconds)
        if credit and len(subscription.events) > had:
            client.grant(subscription, len(subscription.events) - had)

    def lose(self, client, subscription, credit):
        if self.beats and self.chance.random() < 2 * BEATS / self.losses:
            self.beats -= 1
            while not client.heartbeats:
                self.read(client, subscription, credit, 10)
            return
        for _ in range(self.chance.choice([0, 1, 2, 5, 12])):
            self.read(client, subscription, credit, 0.05)
        if self.chance.random() < 0.5:
            client.socket.read_part(0.01)

    def stay(self, client, subscription, credit):
        while self.goal is None or subscription.tx < self.goal or not subscription.is_caught_up:
            self.read(client, subscription, credit, 0.1)


class ReplayTest(WireCase):
    with_files = False

    @classmethod
    def start(cls):
        return Server(cls.folder.name + "/db", "--heartbeat", "1")

    def start_followers(self, chance):
        """The first follows everything, the next two random matches, the others what is down- or upstream of early nodes."""
        early = ["ContextUnit:" + self.mixed.core.units[0]["id"], "Response:" + self.mixed.core.responses[0]["id"]]
        matches = [{}, random_match(chance), random_match(chance)]
        matches += [random_match(chance, early) for _ in range(FOLLOWERS - len(matches))]
        share = -(-DISCONNECTS // FOLLOWERS)
        followers = [Follower(self.server, m, share, chance.random()) for m in matches]
        for follower in followers:
            follower.start()
        return followers

    def write_history(self, chance):
        self.mixed, steps = Eventful(self, chance), 0
        while not self.mixed.core.responses:
            self.mixed.core_batch()
        followers = self.start_followers(random.Random(chance.random()))
        while steps < STEPS or not all(f.lost.is_set() for f in followers):
            if steps >= STEPS:
                next((f for f in followers if not f.lost.is_set()), followers[0]).lost.wait(PACE)
            self.mixed.step()
            steps += 1
        goal = self.head()
        for follower in followers:
            follower.goal = goal
        for follower in followers:
            follower.join()
            if follower.failure:
                raise AssertionError(f"seed {SEED}: {follower.match}") from follower.failure
        return followers

    def check_graph(self, full, moments):
        """The graph that the stream makes is the server's at these moments."""
        state = State()
        for tx, events in transactions(full):
            for event in events:
                state.apply(event)
            if tx in moments:
                for got, want in zip(state.graph(), graph_of(self.rpc, tx)):
                    self.assertEqual(set(got), set(want), f"seed {SEED}: as of {tx}")
                    for key, value in want.items():
                        self.assertEqual(got[key], value, f"seed {SEED}: {key} as of {tx}")
        return state

    def check_match(self, full, match, events):
        got = [(e["tx"], e["op"], e["ref"], *(["entered"] if e.get("entered") else [])) for e in events]
        want = delivered(full, match)
        if got != want:
            at = next((i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]), min(len(got), len(want)))
            self.assertEqual(got[at:at + 5], want[at:at + 5], f"seed {SEED}: {match}")
        whole = {(e["tx"], e["op"], e["ref"]): {**e, "prev": 0} for e in full}
        for event in events:
            if not event.get("entered"):
                self.assertEqual({**event, "prev": 0}, whole[event["tx"], event["op"], event["ref"]], f"seed {SEED}: {match}")

    def check_entered(self, full, events):
        """A node that entered brings the record it had then."""
        for event in [e for e in events if e.get("entered")][:20]:
            self.assertEqual(event["edges"], [])
            self.assertEqual(event["record"], self.record(event["ref"], as_of=event["tx"]), f"seed {SEED}")

    def replay(self, client, match):
        subscription = client.subscribe(match, since=0, include=["record", "edges"])
        client.until_caught_up(subscription)
        client.unsubscribe(subscription)
        return subscription.events

    def test_events_make_the_graph_and_matches_select_from_it(self):
        chance = random.Random(SEED)
        first, *others = self.write_history(chance)
        full, head = first.events, self.head()
        for tx in set(range(1, head + 1)) - {tx for tx, _ in transactions(full)}:  # a round was opened: no node yet
            self.assertEqual(graph_of(self.rpc, tx), graph_of(self.rpc, tx - 1), f"seed {SEED}")
        state = self.check_graph(full, {head, *(chance.randint(1, head) for _ in range(MOMENTS))})
        for follower in others:
            self.check_match(full, follower.match, follower.events)
            self.check_entered(full, follower.events)
        by_type = {}
        for ref in sorted(state.records):
            by_type.setdefault(type_of(ref), []).append(ref)
        with Subscriber(self.server) as client:
            self.assertEqual([{**e, "prev": 0} for e in self.replay(client, {})], [{**e, "prev": 0} for e in full])
            for number in range(REPLAYS):
                refs = [chance.choice(chance.choice(list(by_type.values())))] if number % 3 else []
                match = random_match(chance, refs)
                events = self.replay(client, match)
                self.check_match(full, match, events)
                self.check_entered(full, events)
        print(f"seed {SEED}: {len(full)} events of {len(by_type)} types in {head} transactions, "
              f"{sum(f.losses for f in (first, *others))} connections lost", file=sys.stderr)
