"""Random histories of several persons, with own and shared texts, ratings, messages and telemetry, for the tests of erasure."""
import json

from support.otlp import send, span

STEPS = 60
PERSONS = [f"p-{number}." for number in range(20)]  # none begins with another
SHARED = ["Bills are due on June 30.", "The office opens at nine."]
START, SECOND = 1_790_000_000_000_000_000, 1_000_000_000


def time_of(step):
    return f"2026-01-01T{step // 60:02d}:{step % 60:02d}:00Z"


class History:
    """Steps that each belong to one person; `secret` words are said by that person alone."""

    def __init__(self, chance):
        self.chance = chance
        self.answers = []  # (person, id)
        self.steps = [self.step(i) for i in range(STEPS)]

    def words(self, person, i):
        return f"secret-{person}-{i} is what was said"

    def step(self, i):
        person = self.chance.choice(PERSONS)
        kinds = ["answer", "answer", "message", "span"] + (["rating"] if self.answers else [])
        kind = self.chance.choice(kinds)
        if kind == "answer":
            self.answers.append((person, f"resp_{i}"))
        return (person, kind, i, self.chance.choice(SHARED), self.chance.random() < 0.4, self.chance.choice(self.answers) if self.answers else None)

    def writes(self, step, left_out):
        """Whether a step is written where this person never was: a rating of their answer is not."""
        person, kind, _, _, _, rated = step
        return person != left_out and not (kind == "rating" and rated[0] == left_out)

    def only_raters_of(self, person):
        """Persons who did nothing but rate answers to this one: there is no trace of them where that one never was."""
        return {each for each, *_ in self.steps} - {each[0] for each in self.steps if self.writes(each, person)} - {person}

    def write(self, server, left_out=None):
        rpc = server.rpc
        units = [{"$type$": "ContextUnit", "type": "External", "source": "faq", "content": text, "timestamp": time_of(0)} for text in SHARED]
        rpc("records.write", {"records": [*units, {"$type$": "Topic", "id": "t"}]})
        for step in self.steps:
            person, kind, i, shared, is_common, rated = step
            if not self.writes(step, left_out):
                continue
            said = "hello" if is_common else self.words(person, i)
            if kind == "answer":
                rpc("records.write", {"records": [{
                    "$type$": "Response", "id": f"resp_{i}", "timestamp": time_of(i), "agent": "a", "model": "m", "person": person,
                    "conversation": f"chat-{person}", "question": said, "prompt": said * 200, "content": f"answer to {self.words(person, i)}",
                    "attributes": {"note": self.words(person, i)},
                    "context_units": [{"content": said, "source": "chat", "type": "User", "weight": 0.5},
                                      {"content": shared, "source": "faq", "type": "External", "weight": 0.5}]}]})
            elif kind == "message":
                rpc("records.write", {"records": [{"$type$": "Message", "id": f"msg_{i}", "topicId": "t", "text": self.words(person, i),
                                                   "person": person, "createdAt": i}]})
            elif kind == "rating":
                rpc("records.write", {"records": [{"$type$": "FeedbackRecord", "id": f"fb_{i}", "response_id": rated[1], "score": 0.5,
                                                   "timestamp": time_of(120), "user_id": person, "feedback_text": self.words(person, i)}]})
            elif kind == "span":
                trace = f"{i + 1:032x}"
                parts = [{"role": "user", "parts": [{"type": "text", "content": said}]}]
                answered = [{"role": "assistant", "parts": [{"type": "text", "content": f"told {self.words(person, i)}"}]}]
                call = span(trace, f"{i + 1:016x}", "chat", START + i * SECOND, START + (i + 1) * SECOND,
                            {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "user.id": person,
                             "gen_ai.input.messages": json.dumps(parts), "gen_ai.output.messages": json.dumps(answered),
                             "app.note": self.words(person, i)})
                for status, _, body in send(server, [call]):
                    assert (status, body) == (200, b"{}"), body


def answers_of(server):
    """What a server says of each node that has a content: its record, its neighbours that have one, its ancestors."""
    rows = server.rpc("query", {"cypher": "MATCH (n) RETURN n.ref", "limit": 10000})["rows"]
    refs = [row[0] for row in rows]
    nodes = {}
    for begin in range(0, len(refs), 500):
        for node in server.rpc("node.get", {"refs": refs[begin:begin + 500], "include": ["record", "edges"]})["nodes"]:
            nodes[node["ref"]] = node
    there = {ref for ref, node in nodes.items() if "record" in node}
    found = {}
    for ref in there:
        node = nodes[ref]
        edges = sorted((edge["type"], edge["from"], edge["to"], edge.get("weight")) for edge in node.get("edges", [])
                       if {edge["from"], edge["to"]} <= there)
        ancestors = server.rpc("lineage.ancestors", {"ref": ref, "limit": 10000})["nodes"]
        found[ref] = (node["record"], edges, sorted((each["ref"], each["depth"], each["weight"]) for each in ancestors if each["ref"] in there))
    return found


def files_with(text, place):
    """The files below `place`, or it itself, that have these bytes."""
    files = [place] if place.is_file() else [each for each in sorted(place.rglob("*")) if each.is_file()]
    return [str(each) for each in files if text in each.read_bytes()]
