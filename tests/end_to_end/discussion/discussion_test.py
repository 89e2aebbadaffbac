"""Claim: rounds and summaries of discussions keep their rules, seen over the wire: whole rounds and rounds held open, the
order of the personas, what a summary may replace, and its counts.

Method: for each rule what just obeys it and what just breaks it, with the code, rule and path of the refusal. Nothing is
random.
"""
from support.discussion_case import DiscussionCase
from support.naive_discussion import own, round_record
from support.wire_case import CONFLICT, INVALID_PARAMS, INVALID_RECORD, NOT_FOUND, PRECONDITION


class RoundTest(DiscussionCase):
    def test_whole_rounds_come_back_as_written(self):
        one = self.a_round(1, ("A\n", " S", "M \U0001f600"), questions={"questions": ["Which?"], "z": {"b": 1, "a": [None, 2.5]}},
                           userAnswers=["yes", ""], attributes={"k": "v"})
        self.write(self.a_discussion(topic="How to test"), one)
        self.assertEqual(self.record(self.ref("DiscussionRound", 1)), one)
        self.assertEqual(self.record(self.ref("Discussion")), self.a_discussion(topic="How to test"))

    def test_persona_and_turn_may_be_left_out_and_are_filled_in(self):
        whole = self.a_round(1)
        bare = {**whole, **{m: {"content": v["content"], "timestamp": 1} for m, v in whole.items() if isinstance(v, dict)}}
        self.write(self.a_discussion(), bare)
        self.assertEqual(self.record(self.ref("DiscussionRound", 1)), whole)
        self.assertTrue(self.write(whole)["unchanged"])
        self.assertTrue(self.write(bare)["unchanged"])

    def test_rounds_follow_each_other(self):
        self.begin("abc", "def", "ghi")
        edges = self.rpc("lineage.ancestors", ref=self.ref("DiscussionRound", 3), form="graph")["edges"]
        self.assertEqual([(e["from"], e["to"], e["type"]) for e in edges],
                         [(self.ref("DiscussionRound", n), self.ref("DiscussionRound", n - 1), "FOLLOWS") for n in (2, 3)])

    def test_the_discussion_must_exist_or_be_ensured(self):
        self.write_refused(INVALID_RECORD, self.a_round(1), rule="unknown_reference")
        self.write_refused(INVALID_RECORD, self.a_summary(1), rule="unknown_reference")
        self.write(self.a_round(1), ensure=True)
        self.assertEqual(self.record(self.ref("Discussion"))["discussionId"], "disc-1")

    def test_another_number_than_the_next_is_refused(self):
        self.begin("abc")
        for about, entry in (("a gap", self.a_round(3)), ("other content under a taken number", self.a_round(1, "xyz"))):
            with self.subTest(about):
                data = self.write_refused(PRECONDITION, entry, rule="round_number")
                self.assertEqual(data["expected"], 2)
        head = self.head()
        self.assertTrue(self.write(self.a_round(1))["unchanged"])
        self.assertEqual(self.head(), head)
        data = self.write_refused(PRECONDITION, self.a_round(2), self.a_round(4), rule="round_number")
        self.assertEqual((data["expected"], data["index"]), (3, 1))

    def test_each_rule_of_a_round_is_kept(self):
        self.begin()
        good = self.a_round(1)
        cases = [
            ("persona of another place", "/analyzerResponse/persona",
             {"analyzerResponse": {**good["analyzerResponse"], "persona": "Solver AI"}}),
            ("persona in lower case", "/solverResponse/persona",
             {"solverResponse": {**good["solverResponse"], "persona": "solver ai"}}),
            ("turn of another place", "/moderatorResponse/turn", {"moderatorResponse": {**good["moderatorResponse"], "turn": 2}}),
            ("no moderator", "/moderatorResponse", {"moderatorResponse": None}),
            ("no content", "/solverResponse/content", {"solverResponse": {"persona": "Solver AI", "turn": 2}}),
            ("empty content", "/analyzerResponse/content", {"analyzerResponse": {**good["analyzerResponse"], "content": ""}}),
            ("blank content", "/analyzerResponse/content",
             {"analyzerResponse": {**good["analyzerResponse"], "content": " \t\r\n"}}),
            ("unknown member in a message", "/analyzerResponse/contents",
             {"analyzerResponse": {**good["analyzerResponse"], "contents": "x"}}),
            ("unknown member", "/useranswers", {"useranswers": []}),
            ("answers that are no texts", "/userAnswers", {"userAnswers": [1]}),
            ("questions that are no object", "/questions", {"questions": ["Which?"]}),
            ("questions over 64 KiB", "/questions", {"questions": {"q": "x" * (65536 - 8 + 1)}}),
            ("a fractional number", "/roundNumber", {"roundNumber": 1.5}),
            ("no user", "/userId", {"userId": None}),
        ]
        for about, path, change in cases:
            with self.subTest(about):
                self.write_refused(INVALID_RECORD, {**good, **change}, path=path)
        self.write({**good, "questions": {"q": "x" * (65536 - 8)}})

    def test_only_space_tab_cr_and_lf_are_blank(self):
        self.begin()
        self.write(self.a_round(1, ("\u00a0", "\u2003", "\u200b")))
        self.assertEqual(self.ask("tokens")["parts"]["responses"], 3)

    def test_a_discussion_may_be_written_again(self):
        tx = self.write(self.a_discussion(topic="old", needsUserInput=True))["tx"]
        self.write(self.a_discussion(topic="new", isResolved=True, updatedAt=5))
        after = self.a_discussion(topic="new", isResolved=True, needsUserInput=True, updatedAt=5)  # what was left out stays
        self.assertEqual(self.record(self.ref("Discussion")), after)
        self.assertEqual(self.record(self.ref("Discussion"), as_of=tx), self.a_discussion(topic="old", needsUserInput=True))

    def test_key_parts_with_slashes_and_percents_stay_apart(self):
        for user, name in (("a/b", "c"), ("a", "b/c"), ("a%2Fb", "c")):
            self.write(round_record(f"{self.name}{user}", name, 1, (user, name, "x")), ensure=True)
        for user, name in (("a%2Fb", "c"), ("a", "b%2Fc"), ("a%252Fb", "c")):
            got = self.record(f"DiscussionRound:{self.name}{user}/{name}/1")
            self.assertEqual(own(got)["analyzerResponse"]["content"], user.replace("%2F", "/").replace("%252F", "%2F"))


class OpenRoundTest(DiscussionCase):
    def test_a_round_is_made_response_by_response(self):
        opened = self.ask("open", topic="How to test")
        want = {"ref": self.ref("DiscussionRound", 1), "roundNumber": 1, "next": "Analyzer AI", "turn": 1}
        self.assertEqual({k: opened[k] for k in want}, want)
        self.assertEqual(self.record(self.ref("Discussion"))["topic"], "How to test")
        self.refused(NOT_FOUND, "node.get", ref=self.ref("DiscussionRound", 1))
        steps = [("Analyzer AI", "Solver AI"), ("Solver AI", "Moderator AI"), ("Moderator AI", None)]
        txs = []
        for turn, (persona, following) in enumerate(steps, 1):
            got = self.add(1, persona, f"c{turn}", timestamp=10 + turn)
            want = {"ref": self.ref("DiscussionRound", 1), "roundNumber": 1, "turn": turn, "complete": turn == 3}
            self.assertEqual({k: got[k] for k in want}, want)
            self.assertEqual(got.get("next"), following)
            txs.append(got["tx"])
        self.assertEqual(sorted(set(txs)), txs)
        self.assertEqual(self.ask("open")["roundNumber"], 2)
        self.assertEqual(self.add(2, "Analyzer AI", "c4")["turn"], 4)

    def test_deleting_a_round_ends_its_opening(self):
        for said in (1, 3):
            with self.subTest(said=said):
                self.ask("open")
                for persona in ("Analyzer AI", "Solver AI", "Moderator AI")[:said]:
                    self.add(1, persona, "x")
                self.rpc("records.delete", refs=[self.ref("DiscussionRound", 1)])
                self.add_refused(PRECONDITION, 1, "Analyzer AI", "nothing is open", "round_open")
                self.assertEqual(self.ask("open")["roundNumber"], 1)
                self.assertEqual(self.add(1, "Analyzer AI", "again")["next"], "Solver AI")
                self.rpc("records.delete", refs=[self.ref("DiscussionRound", 1)])
        self.write(self.a_round(1))

    def test_an_opening_is_of_the_next_round_whatever_was_deleted_since(self):
        self.begin("abc", "def")
        self.assertEqual(self.ask("open", questions={"q": "Which?"})["roundNumber"], 3)
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        got = self.ask("get")
        self.assertEqual((got["currentRound"], got["next"]), (2, "Analyzer AI"))
        self.add_refused(PRECONDITION, 3, "Analyzer AI", "x", "round_number")
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            self.add(2, persona, "x")
        self.assertEqual(self.record(self.ref("DiscussionRound", 2))["questions"], {"q": "Which?"})
        self.assertIsNone(self.ask("get")["currentRound"], "one opening is of one round")
        self.add_refused(PRECONDITION, 3, "Analyzer AI", "x", "round_open")
        self.assertEqual(self.ask("open")["roundNumber"], 3)

    def test_the_open_round_is_a_node_with_what_it_has(self):
        self.begin("abc")
        self.ask("open")
        first = self.add(2, "Analyzer AI", "d", timestamp=20)["tx"]
        self.add(2, "Solver AI", "e", timestamp=30)
        got = own(self.record(self.ref("DiscussionRound", 2)))
        self.assertEqual(got["timestamp"], 20)
        self.assertEqual([m for m in got if m.endswith("Response")], ["analyzerResponse", "solverResponse"])
        self.assertNotIn("solverResponse", self.record(self.ref("DiscussionRound", 2), as_of=first))
        self.assertEqual(self.lineage("ancestors", self.ref("DiscussionRound", 2), as_of=first), {self.ref("DiscussionRound", 1)})
        self.refused(NOT_FOUND, "node.get", ref=self.ref("DiscussionRound", 2), as_of=first - 1)

    def test_it_survives_a_crash_and_goes_on_where_it_was(self):
        self.ask("open")
        self.add(1, "Analyzer AI", "a", timestamp=1)
        self.restart_after_kill()
        self.add_refused(PRECONDITION, 1, "Analyzer AI", "z", rule="persona_order")
        self.refused(PRECONDITION, "discussion.open", **self.here)
        self.add(1, "Solver AI", "b", timestamp=2)
        self.assertTrue(self.add(1, "Moderator AI", "c", timestamp=3)["complete"])
        self.assertEqual(self.ask("prompt")["prompt"],
                         "## Round 1\n\n### Analyzer AI\n\na\n\n### Solver AI\n\nb\n\n### Moderator AI\n\nc\n")

    def test_responses_out_of_order_are_refused(self):
        self.ask("open")
        self.add_refused(PRECONDITION, 1, "Solver AI", "x", rule="persona_order")
        self.add_refused(PRECONDITION, 1, "Moderator AI", "x", rule="persona_order")
        self.add(1, "Analyzer AI", "a")
        self.add_refused(PRECONDITION, 1, "Moderator AI", "x", rule="persona_order")
        self.add_refused(PRECONDITION, 1, "Analyzer AI", "x", rule="persona_order")
        self.add(1, "Solver AI", "b")
        self.add_refused(PRECONDITION, 1, "Solver AI", "x", rule="persona_order")
        self.assertTrue(self.add(1, "Moderator AI", "c")["complete"])
        self.add_refused(PRECONDITION, 1, "Moderator AI", "x")

    def test_other_refusals_of_a_response(self):
        self.refused((NOT_FOUND, PRECONDITION), "discussion.addResponse", **self.here, roundNumber=1, persona="Analyzer AI",
                     content="x")
        self.begin("abc")
        self.ask("open")
        self.add_refused(PRECONDITION, 1, "Analyzer AI", "another round")
        self.add_refused(PRECONDITION, 3, "Analyzer AI", "another round")
        self.add_refused(INVALID_RECORD, 2, "Analyzer AI", " \t\r\n")
        self.add_refused(INVALID_PARAMS, 2, "Analyzer AI", "")
        self.add_refused((INVALID_RECORD, INVALID_PARAMS), 2, "Critic AI", "x")
        self.refused(INVALID_PARAMS, "discussion.addResponse", **self.here, roundNumber=2, persona="Analyzer AI", content="x",
                     turn=4)

    def test_a_second_round_is_not_opened_while_one_is_open(self):
        self.begin("abc")
        self.refused(PRECONDITION, "discussion.open", **self.here, roundNumber=1)
        self.refused(PRECONDITION, "discussion.open", **self.here, roundNumber=3)
        self.assertEqual(self.ask("open", roundNumber=2)["turn"], 4)
        self.refused(PRECONDITION, "discussion.open", **self.here)
        self.refused(PRECONDITION, "discussion.open", **self.here, roundNumber=2)
        self.write_refused(PRECONDITION, self.a_round(2, "def"))
        self.add(2, "Analyzer AI", "d")
        self.write_refused(PRECONDITION, self.a_round(2, "def"))
        self.assertTrue(self.write(self.a_round(1))["unchanged"])

    def test_an_unknown_discussion_is_not_found(self):
        for method in ("context", "prompt", "tokens", "write", "reconcile"):
            with self.subTest(method):
                self.refused(NOT_FOUND, "discussion." + method, **self.here)


class SettingTest(DiscussionCase):
    def test_what_is_left_out_of_a_discussion_stays_and_null_clears(self):
        self.write(self.a_discussion(topic="T", isResolved=True))
        self.write(self.a_discussion(needsUserInput=True))
        got = self.record(self.ref("Discussion"))
        self.assertEqual((got["topic"], got["isResolved"], got["needsUserInput"]), ("T", True, True))
        self.write(self.a_discussion(topic=None))
        self.assertNotIn("topic", self.record(self.ref("Discussion")))
        self.assertTrue(self.write(self.a_discussion())["unchanged"])

    def test_a_discussion_is_set(self):
        self.begin("abc")
        self.ask("open", questions={"q": 1})
        self.ask("set", isResolved=True)
        self.ask("set", needsUserInput=False)
        got = self.record(self.ref("Discussion"))
        self.assertEqual((got["topic"], got["isResolved"], got["needsUserInput"]), ("T", True, False))
        self.assertTrue(self.ask("set", isResolved=True)["unchanged"])
        self.ask("set", isResolved=None)
        self.assertNotIn("isResolved", self.record(self.ref("Discussion")))
        self.assertEqual(self.ask("get")["currentRound"], 2)
        self.refused(INVALID_PARAMS, "discussion.set", "required", **self.here)
        self.refused(NOT_FOUND, "discussion.set", userId="nobody", discussionId="d", isResolved=True)

    def test_an_opened_round_without_responses_is_abandoned(self):
        self.begin("abc")
        self.refused(PRECONDITION, "discussion.abandon", "round_open", **self.here)
        self.ask("open", questions={"q": 1})
        self.assertEqual(self.ask("abandon")["ref"], self.ref("Discussion"))
        self.assertIsNone(self.ask("get")["currentRound"])
        self.write(self.a_round(2, "def"))
        self.ask("open")
        self.add(3, "Analyzer AI", "x")
        self.refused(PRECONDITION, "discussion.abandon", "round_open", **self.here)

    def test_a_summary_replaces_the_rounds_since_the_one_before(self):
        self.refused(NOT_FOUND, "discussion.summarize", **self.here, summary="s")
        self.begin("abc", "def", "ghi")
        first = self.ask("summarize", summary="One.", roundNumber=1)
        self.assertEqual((first["roundNumber"], first["replacesRounds"]), (1, [1]))
        second = self.ask("summarize", summary="All.")
        self.assertEqual((second["roundNumber"], second["replacesRounds"]), (3, [2, 3]))
        self.assertEqual(self.record(second["ref"])["summary"], "All.")
        self.assertEqual(second["tokenCountAfter"], self.ask("tokens")["total"])
        self.refused(PRECONDITION, "discussion.summarize", "round_number", **self.here, summary="Again.")
        self.refused(INVALID_RECORD, "discussion.summarize", "blank", "/summary", **self.here, summary=" ")


class AnswerTest(DiscussionCase):
    def answers(self, number, **more):
        got = self.record(self.ref("DiscussionRound", number), **more)
        return got.get("questions"), got.get("userAnswers")

    def test_a_round_is_asked_about_and_answered_until_the_next_opens(self):
        ask = {"questions": ["Which tree?", "When?"]}
        self.ask("open", topic="Trees")
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            whole = self.add(1, persona, "x")["tx"]
        asked = self.ask("answer", roundNumber=1, questions=ask)["tx"]
        first = self.ask("answer", roundNumber=1, userAnswers=["an apple"])
        last = self.ask("answer", roundNumber=1, userAnswers=["an oak", "in May"])["tx"]
        self.assertEqual(first, {"tx": last - 1, "ref": self.ref("DiscussionRound", 1), "roundNumber": 1})
        self.assertTrue(self.ask("answer", roundNumber=1, userAnswers=["an oak", "in May"], questions=ask)["unchanged"])
        self.restart_after_kill()
        moments = [(whole, (None, None)), (asked, (ask, None)), (first["tx"], (ask, ["an apple"])),
                   (last, (ask, ["an oak", "in May"]))]
        for tx, want in moments:
            self.assertEqual(self.answers(1, as_of=tx), want)
        events = self.rpc("history.get", ref=self.ref("DiscussionRound", 1))["events"]
        self.assertEqual([e["tx"] for e in events][-3:], [asked, first["tx"], last])
        self.assertIn("1. an oak\n2. in May\n", self.ask("prompt")["prompt"])
        self.assertEqual(self.ask("open", questions={"questions": ["Who?"]})["roundNumber"], 2)
        self.refused(PRECONDITION, "discussion.answer", "round_open", **self.here, roundNumber=1, userAnswers=["late"])
        self.add(2, "Analyzer AI", "y")
        self.assertEqual(self.answers(2), ({"questions": ["Who?"]}, None))
        self.refused(PRECONDITION, "discussion.answer", "round_number", **self.here, roundNumber=2, userAnswers=["early"])

    def test_null_clears_the_questions_and_answers_of_a_round_that_is_written_again(self):
        def asked():
            got = self.record(self.ref("DiscussionRound", 1))
            return got.get("questions"), got.get("userAnswers")

        self.begin()
        self.write(self.a_round(1, questions={"q": 1}, userAnswers=["yes"]))
        self.assertTrue(self.write(self.a_round(1))["unchanged"])
        self.write(self.a_round(1, userAnswers=None))
        self.assertEqual(asked(), ({"q": 1}, None))
        before = self.write(self.a_round(1, questions=None, userAnswers=["no"]))["tx"]
        self.assertEqual(asked(), (None, ["no"]))
        self.restart_after_kill()
        self.assertEqual(asked(), (None, ["no"]))
        got = self.rpc("node.get", refs=[self.ref("DiscussionRound", 1)], include=["record"], as_of=before - 1)["nodes"][0]["record"]
        self.assertEqual((got.get("questions"), got.get("userAnswers")), ({"q": 1}, None))

    def test_answers_come_by_the_record_too(self):
        self.begin("abc", "def")
        self.write(self.a_round(2, "def", userAnswers=["yes"]))
        self.assertTrue(self.write(self.a_round(2, "def"))["unchanged"], "what is left out stays")
        self.write(self.a_round(2, "def", questions={"q": 1}, userAnswers=["no"]), self.a_round(3, "ghi"))
        self.assertEqual(self.answers(2), ({"q": 1}, ["no"]))
        data = self.write_refused(PRECONDITION, self.a_round(2, "def", userAnswers=["late"]), rule="round_number")
        self.assertEqual(data["expected"], 4)


class SummaryTest(DiscussionCase):
    def test_counts_left_out_are_computed(self):
        self.begin("abc")
        self.assertEqual(self.write(self.a_summary(1))["warnings"], [])
        got = self.record(self.ref("SummaryEntry", 1))
        self.assertEqual((got["tokenCountBefore"], got["tokenCountAfter"]), (328, 256))
        self.write(self.a_round(2, "def"))
        self.write(self.a_summary(2, "In short."))
        got = self.record(self.ref("SummaryEntry", 2))
        self.assertEqual((got["tokenCountBefore"], got["tokenCountAfter"]), (334, 253))
        self.assertEqual(self.ask("tokens")["total"], 253)

    def test_a_summary_may_lie_before_the_last_round(self):
        self.begin(("x" * 10, "x" * 11, "x" * 7), ("x" * 35, "x" * 36, "x"))
        self.write(self.a_summary(1, "x" * 15))
        got = self.record(self.ref("SummaryEntry", 1))
        self.assertEqual((got["tokenCountBefore"], got["tokenCountAfter"]), (431, 352))

    def test_counts_that_differ_are_kept_with_a_warning(self):
        self.begin("abc")
        warnings = self.write(self.a_summary(1, tokenCountBefore=328, tokenCountAfter=257))["warnings"]
        self.assertEqual([(w["index"], w["rule"], w["path"]) for w in warnings], [(0, "token_count", "/tokenCountAfter")])
        self.assertEqual(self.record(self.ref("SummaryEntry", 1))["tokenCountAfter"], 257)
        self.assertEqual(self.ask("tokens")["total"], 256)

    def test_it_summarizes_the_rounds_it_replaces(self):
        self.begin("abc", "def", "ghi")
        self.write(self.a_summary(3, replaces=[1, 3]))
        edges = self.rpc("lineage.ancestors", ref=self.ref("SummaryEntry", 3), depth=1, form="graph")["edges"]
        self.assertEqual([(e["from"], e["to"], e["type"]) for e in edges if e["type"] == "SUMMARIZES"],
                         [(self.ref("SummaryEntry", 3), self.ref("DiscussionRound", n), "SUMMARIZES") for n in (1, 3)])
        self.assertEqual(self.lineage("ancestors", self.ref("SummaryEntry", 3)),
                         {self.ref("DiscussionRound", n) for n in (1, 2, 3)})

    def test_rules_of_the_replaced_rounds(self):
        self.begin("abc", "def", "ghi")
        for replaces in ([2, 1, 3], [1, 1, 3], [1, 2], [0, 3], [1, 2, 3, 4], "123", [1, 2.5, 3]):
            with self.subTest(replaces):
                self.write_refused(INVALID_RECORD, self.a_summary(3, replaces=replaces), path="/replacesRounds")
        self.write_refused(INVALID_RECORD, {**self.a_summary(3), "replacesRounds": []}, path="/replacesRounds")

    def test_it_must_be_of_a_complete_round_after_the_current_summary(self):
        self.begin("abc", "def")
        self.ask("open")
        self.add(3, "Analyzer AI", "g")
        for number in (3, 4):
            self.write_refused((PRECONDITION, INVALID_RECORD), self.a_summary(number))
        self.write(self.a_summary(2))
        self.write_refused(PRECONDITION, self.a_summary(1))
        self.write_refused((PRECONDITION, CONFLICT), self.a_summary(2, "another text"))
        self.assertTrue(self.write(self.a_summary(2))["unchanged"])

    def test_rounds_are_numbered_after_it_where_its_last_round_is_deleted(self):
        self.begin("abc", "def")
        self.ask("summarize", summary="In short.")
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        data = self.write_refused(PRECONDITION, self.a_round(2, "xyz"), rule="round_number")
        self.assertEqual(data["expected"], 3)
        self.assertEqual(self.ask("answer", roundNumber=1, userAnswers=["yes"])["roundNumber"], 1)
        self.assertEqual(self.ask("open")["roundNumber"], 3)
        self.assertEqual(self.ask("get")["currentRound"], 3)
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            self.add(3, persona, "new")
        got = self.ask("context")
        self.assertEqual([each["roundNumber"] for each in got["rounds"]], [3])
        self.assertIn("new", self.ask("prompt")["prompt"])
        got = self.ask("summarize", summary="All.")
        self.assertEqual((got["roundNumber"], got["replacesRounds"]), (3, [3]))
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 1), self.ref("DiscussionRound", 3)])
        self.assertEqual(self.ask("open")["roundNumber"], 4)

    def test_a_deleted_round_that_it_replaces_comes_back_in_a_copy(self):
        self.begin("abc", "def")
        self.ask("summarize", summary="In short.")
        self.rpc("records.delete", refs=[self.ref("DiscussionRound", 2)])
        self.write(self.a_round(2, "def"), keep_derived=True)
        self.assertEqual(self.ask("context")["rounds"], [])
        self.assertEqual(self.ask("open")["roundNumber"], 3)

    def test_the_one_with_the_highest_round_is_current(self):
        self.begin("abc", "def", "ghi")
        self.write(self.a_summary(1, "one"), self.a_summary(3, "three"))
        got = self.ask("prompt")
        self.assertEqual((got["prompt"], got["refs"]), ("## Summary (through round 3)\n\nthree\n", [self.ref("SummaryEntry", 3)]))
        self.assertEqual(self.ask("context")["rounds"], [])
