"""Claim: the context, the prompt and the token count of a discussion are what their rules say, the same for every persona,
at any moment; and a response recorded with a prompt's refs has its lineage.

Method: worked examples, their expected texts and numbers written out literally. Nothing is random.
"""
from support.discussion_case import DiscussionCase
from support.naive_discussion import own
from support.wire_case import INVALID_RECORD, NOT_FOUND

UNIT = {"$type$": "ContextUnit", "type": "User", "source": "s", "timestamp": "2025-01-01T00:00:00Z", "version": 1}
RESPONSE = {"$type$": "Response", "timestamp": "2025-01-01T00:00:00Z", "agent": "a", "model": "m"}


class ContextTest(DiscussionCase):
    W5 = """\
## Summary (through round 1)

What round 1 said.

## Round 2

### Analyzer AI

d

### Solver AI

e

### Moderator AI

f

## User answers

### Round 2

1. one
2. two

## Files

### notes.txt

file text
"""

    def w5(self):
        self.begin("abc")
        self.write(self.a_summary(1), self.a_round(2, "def", userAnswers=["one", "two"]))

    def test_the_prompt_has_summary_rounds_answers_and_files(self):
        self.w5()
        got = self.ask("prompt", files=[{"name": "notes.txt", "content": "file text"}])
        self.assertEqual(got["prompt"], self.W5)
        self.assertEqual(got["refs"], [self.ref("SummaryEntry", 1), self.ref("DiscussionRound", 2)])
        self.assertEqual(self.ask("prompt")["prompt"], self.W5[:self.W5.index("\n## Files")])

    def test_without_a_summary_all_rounds_and_their_answers_appear(self):
        self.write(self.a_discussion(), self.a_round(1, ("a\n", "[b](c)", "## d"), userAnswers=["x"]), self.a_round(2, "def"),
                   self.a_round(3, ("\U0001f600", "é", "\tz"), userAnswers=["one\ntwo", "three"]))
        self.assertEqual(self.ask("prompt", files=[{"name": "1", "content": "I"}, {"name": "2", "content": "II"}])["prompt"], """\
## Round 1

### Analyzer AI

a


### Solver AI

[b](c)

### Moderator AI

## d

## Round 2

### Analyzer AI

d

### Solver AI

e

### Moderator AI

f

## Round 3

### Analyzer AI

\U0001f600

### Solver AI

é

### Moderator AI

\tz

## User answers

### Round 1

1. x

### Round 3

1. one
two
2. three

## Files

### 1

I

### 2

II
""")

    def test_nothing_at_all_is_an_empty_prompt(self):
        self.begin()
        got = self.ask("prompt")
        self.assertEqual((got["prompt"], got["refs"]), ("", []))
        self.assertEqual(self.ask("prompt", files=[{"name": "n", "content": "c"}])["prompt"], "## Files\n\n### n\n\nc\n")

    def test_an_open_round_shows_the_responses_it_has(self):
        self.w5()
        self.ask("open")
        self.add(3, "Analyzer AI", "g")
        self.add(3, "Solver AI", "h")
        got = self.ask("prompt")
        self.assertEqual(got["prompt"],
                         self.W5[:self.W5.index("## User")] + "## Round 3\n\n### Analyzer AI\n\ng\n\n### Solver AI\n\nh\n\n"
                         "## User answers\n\n### Round 2\n\n1. one\n2. two\n")
        self.assertEqual(got["refs"],
                         [self.ref("SummaryEntry", 1), self.ref("DiscussionRound", 2), self.ref("DiscussionRound", 3)])

    def test_the_context_holds_all_rounds_or_the_summary_and_what_followed(self):
        self.begin("abc", "def")
        got = self.ask("context")
        self.assertEqual((got["userId"], got["discussionId"], got.get("currentSummary"), got.get("currentRound")),
                         (self.name, "disc-1", None, None))
        self.assertEqual([own(r) for r in got["rounds"]], [own(self.a_round(1)), own(self.a_round(2, "def"))])
        self.assertEqual(got["refs"], [self.ref("DiscussionRound", 1), self.ref("DiscussionRound", 2)])
        self.write(self.a_summary(1))
        self.ask("open")
        self.add(3, "Analyzer AI", "g", timestamp=7)
        got = self.ask("context")
        self.assertEqual(own(got["currentSummary"]), {**own(self.a_summary(1)), "tokenCountBefore": 406, "tokenCountAfter": 334})
        self.assertEqual(own(got["rounds"][0]), own(self.a_round(2, "def")))
        self.assertEqual(own(got["rounds"][1]), {"roundNumber": 3, "timestamp": 7, "analyzerResponse": {
            "persona": "Analyzer AI", "turn": 7, "content": "g", "timestamp": 7}})
        self.assertEqual((len(got["rounds"]), got["currentRound"]), (2, 3))
        self.assertEqual(got["refs"],
                         [self.ref("SummaryEntry", 1), self.ref("DiscussionRound", 2), self.ref("DiscussionRound", 3)])

    def test_every_persona_sees_the_same(self):
        self.w5()
        self.ask("open")
        self.add(3, "Analyzer AI", "g")
        for method in ("context", "prompt", "tokens"):
            want = self.ask(method)
            for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
                self.assertEqual(self.ask(method, persona=persona), want, (method, persona))

    def test_a_past_moment_has_its_own_context(self):
        self.begin("abc")
        before = self.head()
        self.write(self.a_summary(1), self.a_round(2, "def"))
        self.assertEqual(self.ask("prompt", as_of=before)["refs"], [self.ref("DiscussionRound", 1)])
        self.assertIsNone(self.ask("context", as_of=before).get("currentSummary"))
        self.assertEqual(self.ask("tokens", as_of=before)["total"], 328)
        self.refused(NOT_FOUND, "discussion.context", **self.here, as_of=before - 1)


class TokensTest(DiscussionCase):
    def parts(self):
        got = self.ask("tokens")
        return got["total"], got["parts"], got["rounds"]

    def test_each_response_is_rounded_up_on_its_own(self):
        self.begin(("x" * 10, "x" * 11, "x" * 7), ("x" * 35, "x" * 36, "x"))
        self.assertEqual(self.parts(), (431, {"responses": 31, "system": 250, "overhead": 150, "summary": 0}, 2))
        self.write(self.a_summary(1, "x" * 15))
        self.assertEqual(self.parts(), (352, {"responses": 22, "system": 250, "overhead": 75, "summary": 5}, 1))

    def test_an_empty_discussion_has_its_system_prompt(self):
        self.begin()
        self.assertEqual(self.parts(), (250, {"responses": 0, "system": 250, "overhead": 0, "summary": 0}, 0))

    def test_characters_are_code_points(self):
        self.begin(("\U0001f600" * 7, "e\u0301" * 7, "\u00e9" * 8))
        self.assertEqual(self.parts()[1]["responses"], 2 + 4 + 3)

    def test_answers_questions_and_files_are_not_counted(self):
        self.write(self.a_discussion(), self.a_round(1, questions={"q": "x" * 1000}, userAnswers=["x" * 1000]))
        self.assertEqual(self.parts()[0], 328)

    def test_an_open_round_counts_as_a_round(self):
        self.begin("abc")
        self.ask("open")
        self.add(2, "Analyzer AI", "x" * 8)
        self.assertEqual(self.parts(), (250 + 150 + 3 + 3, {"responses": 6, "system": 250, "overhead": 150, "summary": 0}, 2))

    def test_white_space_counts(self):
        self.begin((" a     ", "\n\n\n\n\n\n\nb", "c"))
        self.assertEqual(self.parts()[1]["responses"], 2 + 3 + 1)


class PromptLineageTest(DiscussionCase):
    def unit_and_response(self, **more):
        unit = {**UNIT, "id": "cu_" + self.name}
        return unit, {**RESPONSE, "id": "resp_" + self.name, "context_units": [{"context_unit_id": unit["id"], "weight": 1}],
                      **more}

    def test_a_response_with_the_prompts_refs_has_its_lineage(self):
        self.begin("abc", "def")
        self.write(self.a_summary(1))
        refs = self.ask("prompt")["refs"]
        unit, response = self.unit_and_response(prompt_refs=refs)
        self.write(unit, response)
        me = "Response:" + response["id"]
        got = self.rpc("lineage.ancestors", ref=me, form="graph")
        self.assertEqual({n["ref"]: n["depth"] for n in got["nodes"]},
                         {"ContextUnit:" + unit["id"]: 1, refs[0]: 1, refs[1]: 1, self.ref("DiscussionRound", 1): 2})
        self.assertEqual([(e["from"], e["to"]) for e in got["edges"] if e["type"] == "PROMPTED"], sorted((r, me) for r in refs))
        self.assertEqual(self.record(me)["prompt_refs"], refs)
        impact = self.rpc("impact.analyze", refs=[self.ref("DiscussionRound", 1)])
        self.assertEqual(impact["counts"]["by_type"], {"Response": 1})

    def test_lineage_goes_on_into_what_was_made_of_the_response(self):
        self.begin("abc")
        unit, response = self.unit_and_response(prompt_refs=[self.ref("DiscussionRound", 1)])
        xml = (f'<llmResponse><response>x</response><analysis><subject name="s" description="d" isNew="true">'
               f'<keyword term="{self.name}" confidence="0.9"/></subject><summaryUpdate/></analysis></llmResponse>')
        attachment = {"$type$": "XMLMessageAttachment", "topicId": self.name, "messageId": self.name, "format": "llm-response",
                      "createdAt": 1, "xml": xml, "responseId": response["id"]}
        ref = self.write(unit, response, attachment, ensure=True)["refs"][2]
        down = self.lineage("descendants", self.ref("DiscussionRound", 1))
        self.assertLessEqual({"Response:" + response["id"], ref, "Keyword:" + self.name}, down)
        self.assertIn(self.ref("DiscussionRound", 1), self.lineage("ancestors", "Keyword:" + self.name))

    def test_prompt_refs_name_known_rounds_and_summaries_only(self):
        self.begin("abc")
        for refs in ([self.ref("DiscussionRound", 2)], [self.ref("SummaryEntry", 1)]):
            self.write_refused(INVALID_RECORD, *self.unit_and_response(prompt_refs=refs), rule="unknown_reference",
                               path="/prompt_refs/0")
        for refs in ([self.ref("Discussion")], ["cu_" + self.name], ["nonsense"], "x", [1]):
            self.write_refused(INVALID_RECORD, *self.unit_and_response(prompt_refs=refs), path="/prompt_refs")

    def test_deleting_a_discussion_hides_its_rounds_and_summaries(self):
        self.begin("abc", "def")
        self.write(self.a_summary(1))
        refs = self.ask("prompt")["refs"]
        unit, response = self.unit_and_response(prompt_refs=refs)
        tx = self.write(unit, response)["tx"]
        gone = {self.ref("Discussion"), self.ref("DiscussionRound", 1), self.ref("DiscussionRound", 2),
                self.ref("SummaryEntry", 1)}
        self.assertEqual(set(self.rpc("records.delete", refs=[self.ref("Discussion")])["deleted"]), gone)
        for ref in sorted(gone):
            self.refused(NOT_FOUND, "node.get", rule="deleted", ref=ref)
            self.assertTrue(self.record(ref, as_of=tx))
        self.refused(NOT_FOUND, "discussion.context", **self.here)
        self.assertEqual(self.ask("prompt", as_of=tx)["refs"], refs)
        self.assertEqual(self.lineage("ancestors", "Response:" + response["id"]), {"ContextUnit:" + unit["id"]})
