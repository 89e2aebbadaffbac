"""Claim: two clients that add to one discussion at the same time never interleave: one is accepted, the other is refused with the
next round's number; no round is lost, none is there twice, no number is left out.

Method: WHENCE_RACES races (default 300) of two threads, each on a kept connection of its own, released together by a
barrier; the rounds of 50 races make one discussion, and the first of them also races to make the discussion. Then the same
with the same content, with rounds opened, and with responses added one by one. After all races every discussion is read
back, live and after a kill. Two answers to one request race as well.
"""
import os
import sys
import threading

from support.naive_discussion import MEMBERS, PERSONAS, round_record
from support.naive_rag import chunk_record, query_record, retrieval_record
from support.wire_case import CONFLICT, PRECONDITION, WireCase

RACES = int(os.environ.get("WHENCE_RACES", "300"))
ROUNDS = 50  # of one discussion
PATIENCE = 60  # seconds until a runner who does not come ends the race


class Runner(threading.Thread):
    """One client: takes the calls of a list, one at a time, each together with the other runners."""

    def __init__(self, server, barrier, calls):
        super().__init__()
        self.server, self.barrier, self.calls = server, barrier, calls
        self.answers, self.failure = [], None

    def run(self):
        try:
            for method, params in self.calls:
                message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                self.barrier.wait(PATIENCE)
                self.answers.append(self.server.post(message))
        except Exception as failure:
            self.failure = failure
            self.barrier.abort()


class RaceTest(WireCase):
    with_files = False

    def run_races(self, *lists):
        """The answers of all runners, race by race."""
        barrier = threading.Barrier(len(lists))
        runners = [Runner(self.server, barrier, calls) for calls in lists]
        for runner in runners:
            runner.start()
        for runner in runners:
            runner.join()
        for runner in runners:
            self.assertIsNone(runner.failure)
        return list(zip(*(r.answers for r in runners), strict=True))

    def winner(self, answers, rule=None, code=PRECONDITION, **expected):
        """Which runner won; the others must have been refused for `rule`, with these members of `data`."""
        won = [i for i, a in enumerate(answers) if "result" in a]
        self.assertEqual(len(won), 1, answers)
        for answer in answers:
            if "error" in answer:
                self.assertEqual(answer["error"]["code"], code, answer)
                data = answer["error"]["data"]
                self.assertEqual({k: data.get(k) for k in expected}, expected, answer)
                if rule:
                    self.assertEqual(data["rule"], rule, answer)
        return won[0]

    def rounds_of(self, discussion):
        return self.rpc("discussion.context", userId=self.name, discussionId=discussion)["rounds"]

    def check_rounds(self, contents):
        """Each discussion holds these contents as its rounds 1, 2, 3, … and the store no other round."""
        for discussion, want in contents.items():
            got = self.rounds_of(discussion)
            self.assertEqual([r["roundNumber"] for r in got], list(range(1, len(want) + 1)), discussion)
            self.assertEqual([[r[m]["content"] for m in MEMBERS] for r in got], want, discussion)
        count = self.rpc("node.count", type="DiscussionRound", where={"userId": {"eq": self.name}})["count"]
        self.assertEqual(count, sum(map(len, contents.values())))

    def round_calls(self, contents_of):
        """The calls of one runner: round after round, discussion after discussion."""
        return [("records.write", {"records": [round_record(self.name, f"d{i // ROUNDS}", i % ROUNDS + 1, contents_of(i))],
                                   "ensure": True}) for i in range(RACES)]

    def test_of_two_rounds_of_one_number_one_is_taken(self):
        before, won, kept = self.head(), [0, 0], {}
        def contents(runner):
            return lambda i: [f"{c} of runner {runner} in race {i}" for c in "abc"]
        races = self.run_races(*(self.round_calls(contents(r)) for r in (0, 1)))
        for i, answers in enumerate(races):
            winner = self.winner(answers, "round_number", expected=i % ROUNDS + 2)
            self.assertEqual(answers[winner]["result"]["tx"], before + i + 1, "a refused write took a transaction")
            won[winner] += 1
            kept.setdefault(f"d{i // ROUNDS}", []).append(contents(winner)(i))
        self.assertEqual(self.head(), before + RACES)
        self.check_rounds(kept)
        self.restart_after_kill()
        self.check_rounds(kept)
        print(f"{RACES} races, won by {won[0]} and {won[1]}, nothing lost, nothing twice", file=sys.stderr)

    def test_the_same_round_from_both_is_there_once(self):
        before = self.head()
        def contents(i):
            return [f"{c}{i}" for c in "abc"]
        races = self.run_races(self.round_calls(contents), self.round_calls(contents))
        for i, answers in enumerate(races):
            results = [a["result"] for a in answers]
            self.assertEqual(sorted(bool(r.get("unchanged")) for r in results), [False, True], answers)
            self.assertEqual([r["tx"] for r in results], [before + i + 1] * 2)
        kept = {}
        for i in range(RACES):
            kept.setdefault(f"d{i // ROUNDS}", []).append(contents(i))
        self.check_rounds(kept)

    def test_of_two_answers_to_one_request_one_is_taken(self):
        requests = [f"{self.name}_{i}" for i in range(max(1, RACES // 10))]
        chunk = chunk_record(self.name, "d", page=1)
        self.write(*(r for q in requests for r in (query_record(q), retrieval_record(q, 0.9, chunk))))
        races = self.run_races(*([("rag.answer", {"request_id": q, "answer": f"By {runner} [d]."}) for q in requests]
                                 for runner in (0, 1)))
        for request, answers in zip(requests, races, strict=True):
            winner = self.winner(answers, code=CONFLICT)
            self.assertEqual(self.rpc("rag.get", request_id=request)["answer"]["answer"], f"By {winner} [d].")

    def test_a_round_is_opened_once_and_filled_once(self):
        """Rounds opened by two, then each response added by two, to the end of the round."""
        here, rounds = {"userId": self.name, "discussionId": "d0"}, max(1, RACES // 10)
        def calls(runner):
            for number in range(1, rounds + 1):
                yield "discussion.open", here
                for persona in PERSONAS:
                    yield "discussion.addResponse", {**here, "roundNumber": number, "persona": persona,
                                                     "content": f"{persona} by {runner}"}
        races, kept = self.run_races(list(calls(0)), list(calls(1))), []
        for number in range(1, rounds + 1):
            opened, *added = races[4 * number - 4:4 * number]
            self.assertEqual(opened[self.winner(opened)]["result"]["roundNumber"], number)
            kept.append([f"{p} by {self.winner(a, 'persona_order' if p != PERSONAS[2] else None)}"
                         for p, a in zip(PERSONAS, added)])
        self.check_rounds({"d0": kept})

    def test_a_whole_round_and_an_opened_one_exclude_each_other(self):
        """One opens, the other writes the round whole; where the first won, it fills the round before the next race."""
        here = {"userId": self.name, "discussionId": "d0"}
        kept = []
        for number in range(1, max(1, RACES // 10) + 1):
            whole = round_record(self.name, "d0", number, "xyz")
            answers, = self.run_races([("discussion.open", {**here, "roundNumber": number})],
                                      [("records.write", {"records": [whole], "ensure": True})])
            if self.winner(answers) == 0:
                for persona in PERSONAS:
                    self.rpc("discussion.addResponse", **here, roundNumber=number, persona=persona, content="o")
            kept.append(["o"] * 3 if "result" in answers[0] else list("xyz"))
        self.check_rounds({"d0": kept})
