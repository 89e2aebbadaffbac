"""What the tests of discussions share: words for one discussion of a test's own, and for its files.
"""

from support.naive_discussion import discussion_record, ref_of, round_record, summary_record
from support.wire_case import WireCase


class DiscussionCase(WireCase):
    """Every test talks in a discussion `disc-1` of a user named after it."""

    def setUp(self):
        self.here = {"userId": self.name, "discussionId": "disc-1"}

    def ref(self, kind, number=None):
        return ref_of(kind, self.name, "disc-1", number)

    def a_discussion(self, **more):
        return discussion_record(self.name, "disc-1", **more)

    def a_round(self, number, contents="abc", **more):
        return round_record(self.name, "disc-1", number, contents, **more)

    def a_summary(self, number, text="What round 1 said.", replaces=None, **more):
        return summary_record(self.name, "disc-1", number, text, replaces or list(range(1, number + 1)), **more)

    def begin(self, *rounds):
        """A discussion with rounds of these contents."""
        self.write(self.a_discussion(topic="T"), *(self.a_round(i, contents) for i, contents in enumerate(rounds, 1)))

    def ask(self, method, **params):
        return self.rpc("discussion." + method, **self.here, **params)

    def add(self, number, persona, content, **more):
        return self.ask("addResponse", roundNumber=number, persona=persona, content=content, **more)

    def add_refused(self, codes, number, persona, content, rule=None):
        self.refused(codes, "discussion.addResponse", rule, **self.here, roundNumber=number, persona=persona, content=content)


class FileCase(DiscussionCase):
    def path(self, suffix):
        return self.files / self.name / ("disc-1" + suffix)

    def texts(self):
        return tuple(self.path(s).read_bytes().decode() for s in (".json", ".md"))

    def w6(self):
        """W6's discussion, written to its files."""
        self.write(self.a_discussion(topic="How to test"), self.a_round(1, userAnswers=["yes"]))
        self.write(self.a_summary(1))
        return self.ask("write")

    def leftovers(self):
        return [str(p) for p in self.files.rglob("*.tmp*")]
