"""PROV documents: PROV-JSON by the package `prov`, back to nodes and edges by the table of the mapping; PROV-N by a
small parser of its grammar, and PROV-JSON as the statements that PROV-N would make of it.
"""
import json
import re
from collections import Counter
from urllib.parse import unquote_to_bytes

from prov.model import ProvDocument

from graph_readers import Read

AGAINST = {"DERIVED_FROM", "UPDATED_BY", "EXTRACTED_FROM", "REVISION_OF", "PART_OF", "FOLLOWS", "SUMMARIZES", "EMBEDS",
           "GENERATED_FROM",
           "CITES", "EVALUATES", "SAME_ACT",
           "REPLAY_OF", "DECIDES", "OF_PERSON", "OF_SESSION"}  # stored from the effect, or from the record that describes the other
DERIVATIONS = {"DERIVED_FROM", "REVISION_OF", "RENDERED_AS", "EXTRACTED_FROM", "FOLLOWS", "SUMMARIZES", "EMBEDS", "INCLUDED_IN",
               "GENERATED_FROM", "CITES", "PART_OF"}
INFLUENCES = {"UPDATED_BY", "RETRIEVED_FOR", "EVALUATES", "SAME_ACT", "THROUGH_ACT", "REPLAY_OF", "DECIDES", "OF_PERSON", "OF_SESSION"}
USAGES = {"USED_IN", "PROMPTED"}


def escaped(text):
    """The local part of a qualified name: all but letters, digits, `_`, and `-` `.` `/` inside, as %XX."""
    data = text.encode()
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9_]", bytes([b])) or (b in b"-./" and 0 < i < len(data) - 1) else f"%{b:02X}"
                   for i, b in enumerate(data))


def qualified(ref):
    kind, local = ref.split(":", 1)
    return f"{kind}:{escaped(local)}"


def ref_of(name):
    """The ref that a qualified name represents."""
    prefix, local = str(name).split(":", 1)
    return f"{prefix}:{unquote_to_bytes(local).decode()}"


class Prov(Read):
    """Beside nodes and edges: agents {name: type}, activities {response id: end}, who made, did and is held for what."""

    def __init__(self):
        super().__init__({}, [])
        self.agents, self.activities, self.generated, self.associated, self.attributed = {}, {}, [], [], []

    def take(self, record):
        extra = {str(name): value for name, value in record.extra_attributes}
        formal = [None if value is None else value for _, value in record.formal_attributes]
        getattr(self, "_take_" + type(record).__name__)(record, formal, extra)

    def _take_ProvEntity(self, record, _, extra):
        ref = ref_of(record.identifier)
        if ref in self.nodes:
            raise AssertionError(f"two entities {ref}")
        self.nodes[ref] = extra

    def _take_ProvActivity(self, record, formal, extra):
        self.activities[ref_of(record.identifier)] = (formal, extra)

    def _take_ProvAgent(self, record, _, extra):
        self.agents[ref_of(record.identifier)] = extra

    def _take_ProvGeneration(self, record, formal, extra):
        self.generated.append((ref_of(formal[0]), ref_of(formal[1]), formal[2], extra))

    def _take_ProvAssociation(self, record, formal, extra):
        self.associated.append((ref_of(formal[0]), ref_of(formal[1]), extra))

    def _take_ProvAttribution(self, record, formal, extra):
        self.attributed.append((ref_of(formal[0]), ref_of(formal[1]), extra))

    def _take_ProvUsage(self, record, formal, extra):
        self._edge(USAGES, ref_of(formal[1]), ref_of(formal[0]).replace("gen:", "Response:", 1), extra)

    def _take_ProvDerivation(self, record, formal, extra):
        self._edge(DERIVATIONS, ref_of(formal[1]), ref_of(formal[0]), extra)

    def _take_ProvInfluence(self, record, formal, extra):
        self._edge(INFLUENCES, ref_of(formal[1]), ref_of(formal[0]), extra)

    def _take_ProvMembership(self, record, formal, extra):
        if extra:
            raise AssertionError(f"a membership has no attributes: {extra}")
        self.edges.append((ref_of(formal[1]), ref_of(formal[0]), {"type": "PART_OF"}))

    def _edge(self, fitting, cause, effect, extra):
        extra["type"] = extra.pop("whence:edge")
        if extra["type"] not in fitting:
            raise AssertionError(f"{extra} is no relation of this kind")
        ends = (effect, cause) if extra["type"] in AGAINST else (cause, effect)
        self.edges.append((*ends, {name.removeprefix("whence:"): value for name, value in extra.items()}))


def prov_json_by_prov(path):
    with open(path, encoding="utf-8") as file:
        document = ProvDocument.deserialize(content=file.read(), format="json")
    read = Prov()
    for record in document.get_records():
        read.take(record)
    return read


# The formal arguments of each statement in their order, and how many of them may be written.
FORMAL = {
    "entity": ((), {1}), "agent": ((), {1}), "activity": (("prov:startTime", "prov:endTime"), {1, 3}),
    "used": (("prov:activity", "prov:entity", "prov:time"), {1, 3}),
    "wasGeneratedBy": (("prov:entity", "prov:activity", "prov:time"), {1, 3}),
    "wasAssociatedWith": (("prov:activity", "prov:agent", "prov:plan"), {1, 3}),
    "wasAttributedTo": (("prov:entity", "prov:agent"), {2}),
    "wasDerivedFrom": (("prov:generatedEntity", "prov:usedEntity", "prov:activity", "prov:generation", "prov:usage"), {2, 5}),
    "wasInfluencedBy": (("prov:influencee", "prov:influencer"), {2}),
    "hadMember": (("prov:collection", "prov:entity"), {2}),
}
ELEMENTS = ("entity", "agent", "activity")


def _statement(kind, arguments, attributes):
    arguments = list(arguments)
    while arguments and arguments[-1] == "-":
        arguments.pop()
    return kind, tuple(arguments), frozenset(Counter(attributes).items())


def _value(value):
    """(text, type) of a PROV-JSON value."""
    if isinstance(value, dict):
        return str(value["$"]), value.get("type", value.get("lang"))
    return (value, None)


def statements_of_json(path):
    """A Counter of what PROV-N would say."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    made, prefixes = Counter(), document.pop("prefix")
    for kind, records in document.items():
        formal, _ = FORMAL[kind]
        for name, record in records.items():
            arguments = ([name] if kind in ELEMENTS else []) + [record.get(m, "-") for m in formal]
            attributes = [(m, _value(v)) for m, v in record.items() if m not in formal]
            made[_statement(kind, arguments, attributes)] += 1
    return prefixes, made


ESCAPED = r"%[0-9A-Fa-f]{2}|\\[=\'(),\-:;\[\].]"
INSIDE, LAST = rf"(?:[\w/@~&+*?#$!.\-]|{ESCAPED})", rf"(?:[\w/@~&+*?#$!\-]|{ESCAPED})"
NAME = rf"(?:[A-Za-z][\w.-]*:)?(?:[\w/@~&+*?#$!]|{ESCAPED})(?:{INSIDE}*{LAST})?"
TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<iri><[^<>\"{{}}|^`\\\x00-\x20]*>)|(?P<text>\"(?:[^\"\\\n\r]|\\[tbnrf\"\'\\])*\")|(?P<percent>%%)"
    rf"|(?P<time>\d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?)|(?P<quoted>'{NAME}')|(?P<lang>@[A-Za-z-]+)|(?P<name>{NAME})"
    r"|(?P<mark>[()\[\],;=-])")
ECHAR = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _tokens(text):
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            raise AssertionError(f"no PROV-N at {place}: {text[place:place + 80]!r}")
        place = match.end()
        if match.lastgroup != "space":
            yield match.lastgroup, match[0]


class _Parser:
    def __init__(self, text):
        self.tokens, self.place = list(_tokens(text)), 0

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else (None, None)

    def next(self, *expected):
        kind, text = self.peek()
        if expected and text not in expected:
            raise AssertionError(f"{text!r} where {expected} is due, after {self.tokens[max(0, self.place - 8):self.place]}")
        self.place += 1
        return kind, text

    def literal(self):
        kind, text = self.next()
        if kind == "quoted":
            return text[1:-1], "prov:QUALIFIED_NAME"
        if kind != "text":
            raise AssertionError(f"{text!r} is no literal")
        value = re.sub(r"\\(.)", lambda m: ECHAR.get(m[1], m[1]), text[1:-1])
        if self.peek()[0] == "percent":
            self.next()
            return value, self.next()[1]
        return value, self.next()[1][1:] if self.peek()[0] == "lang" else None

    def attributes(self):
        made = []
        self.next("[")
        while self.peek()[1] != "]":
            name = self.next()[1]
            self.next("=")
            made.append((name, self.literal()))
            if self.peek()[1] != "]":
                self.next(",")
        self.next("]")
        return made

    def statement(self):
        kind, arguments, attributes = self.next()[1], [], []
        self.next("(")
        while True:
            if self.peek()[1] == "[":
                attributes = self.attributes()
                self.next(")")
                break
            token, text = self.next()
            if token not in ("name", "time") and text != "-":
                raise AssertionError(f"{text!r} is no argument of {kind}")
            arguments.append(text)
            if self.next(",", ")")[1] == ")":
                break
        if len(arguments) not in FORMAL[kind][1]:
            raise AssertionError(f"{kind} with {len(arguments)} arguments: {arguments}")
        return _statement(kind, arguments, attributes)

    def document(self):
        prefixes, made = {}, Counter()
        self.next("document")
        while self.peek()[1] == "prefix":
            self.next()
            name = self.next()[1]
            prefixes[name] = self.next()[1][1:-1]
        while self.peek()[1] != "endDocument":
            made[self.statement()] += 1
        self.next("endDocument")
        if self.peek() != (None, None):
            raise AssertionError("more after endDocument")
        return prefixes, made


def statements_of_provn(path):
    """Prefixes and a Counter of the statements of a PROV-N file."""
    with open(path, encoding="utf-8", newline="") as file:
        return _Parser(file.read()).document()
