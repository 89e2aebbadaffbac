"""A naive reference model of content that is gone: what a purge or retention removes, worked out from the lines of a `jsonl` export
made before, by the rules of the records' document and nothing else. It shares no code with the engine and looks at every edge.

A vertex is (ref, number): an id that was given again after a deletion is another vertex.
"""
from datetime import datetime

PARTS = {"Document", "Message", "Discussion"}  # what is part of them goes with them
SOURCES = {"USED_IN", "THROUGH_ACT", "GENERATED_FROM", "CITES"}  # over what a response or an answer was made
COPIES = {"EXTRACTED_FROM", "RENDERED_AS", "EMBEDS"}  # over what a copy has its text
AGAINST = {"GENERATED_FROM", "CITES", "EXTRACTED_FROM", "EMBEDS"}  # stored from effect to cause

ALONG = {"USED_IN", "PROMPTED", "RENDERED_AS", "RETRIEVED_FOR", "INCLUDED_IN", "THROUGH_ACT"}  # stored from cause to effect

IN_RECORDS = {"excerpt", "page_number", "section", "attributes"}  # what an edge shows of its record


def type_of(vertex):
    return vertex[0].split(":")[0]


def seconds(time):
    """RFC 3339 with up to nine digits, or milliseconds, as seconds since the epoch."""
    if isinstance(time, int):
        return time / 1000
    whole, _, fraction = time.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (fraction or "0"))


class Lines:
    """The lines of an export: the vertex of each, all edges that ever were, what is gone."""

    def __init__(self, lines):
        self.lines = lines
        self.vertices, self.edges, self.gone = [], set(), {}
        self.named = {}  # ref -> its vertices, first to last
        self.deleted = deleted = set()
        first = {}  # vertex -> the transaction that wrote it
        for line in lines:
            ref, op = line["ref"], line["op"]
            ever = self.named.setdefault(ref, [])
            is_new = op == "put" or op == "version" and type_of((ref, 0)) not in ("Answer", "Response")
            if not ever or ever[-1] in deleted and is_new:
                ever.append((ref, len(ever)))
                first[ever[-1]] = line["tx"]
            vertex = ever[-1]
            if op == "expire":
                why = "purged" if line.get("purged") else "expired"
                if "put" in line:  # a deleted one
                    vertex = next(v for v in ever if first[v] == line["put"])
                self.gone[vertex] = why
            elif op == "delete":
                deleted.add(vertex)
            elif "record" in line:
                self.gone.pop(vertex, None)
            self.vertices.append(vertex)
        for line, vertex in zip(lines, self.vertices):
            for edge in line.get("edges", []):
                self.edges.add((*(self._at(end, line["tx"], vertex) for end in (edge["from"], edge["to"])), edge["type"]))

    def _at(self, ref, tx, owner):
        """The vertex that a ref meant in a transaction."""
        if ref == owner[0]:
            return owner
        first = {}
        for line, vertex in zip(self.lines, self.vertices):
            if vertex[0] == ref and line["op"] != "expire":
                first.setdefault(vertex, line["tx"])
        return max((v for v in first if first[v] <= tx), key=lambda v: v[1])

    def contents(self, vertex):
        """The numbers of the lines that have a content of a vertex."""
        return [i for i, v in enumerate(self.vertices) if v == vertex and self.lines[i]["op"] in ("put", "version")]

    # -- purge --------------------------------------------------------------------------------------------------

    def purge(self, refs, cascade=False):
        """(vertices whose content goes, answers that lose an excerpt); of a deleted answer the whole content goes."""
        going = {vertex for ref in refs for vertex in self.named[ref]}
        while more := {v for v in self._copies(going, cascade) if v not in going}:
            going |= more
        self.whole = going  # what was purged before too: an answer may have cited it since
        cited = {a for a, chunk, kind in self.edges if kind == "CITES" and chunk in going}
        quoting = {a for a in cited - going if a not in self.gone and self._has_excerpt(a, going)}
        redacted = quoting - self.deleted
        return {v for v in going | quoting if self.gone.get(v) != "purged"} - redacted, redacted

    def _copies(self, going, cascade):
        for a, b, kind in self.edges:
            cause, effect = (b, a) if kind in AGAINST else (a, b)
            if kind == "PART_OF" and b in going and type_of(b) in PARTS or kind == "EVALUATES" and b in going:
                yield a
            elif kind == "SAME_ACT" and (a in going or b in going):
                yield from (a, b)
            elif kind == "INCLUDED_IN" and cause in going and type_of(cause) != "EmbeddingVector":
                yield effect
            elif kind in COPIES and cause in going and self._has_no_other(effect, {kind}, going):
                yield effect
            elif kind in SOURCES and cascade and cause in going and self._has_no_other(effect, SOURCES, going):
                yield effect
        whole = {ref.partition(":")[2] for ref, _ in going if ref.startswith("Discussion:")}
        for ref, vertices in self.named.items():
            if ref.startswith("SummaryEntry:") and ref.partition(":")[2].rpartition("/")[0] in whole:
                yield from vertices

    def _has_no_other(self, effect, kinds, going):
        causes = {b if kind in AGAINST else a for a, b, kind in self.edges
                  if kind in kinds and (a if kind in AGAINST else b) == effect}
        return all(cause in going or self.gone.get(cause) == "purged" for cause in causes)

    def _has_excerpt(self, answer, going):
        chunks = {ref.partition(":")[2] for ref, _ in going if ref.startswith("RetrievedChunk:")}
        return any(c.get("chunk_id") in chunks and c["excerpt"] for c in self.answer(answer)["citations"])

    def answer(self, vertex):
        """The latest record of an answer."""
        return [self.lines[i]["record"] for i in self.contents(vertex) if "record" in self.lines[i]][-1]

    def redacted(self, answer):
        """Its record without the excerpts of what the last purge took."""
        chunks = {ref.partition(":")[2] for ref, _ in self.whole if ref.startswith("RetrievedChunk:")}
        record = self.answer(answer)
        return {**record, "citations": [{**c, "excerpt": "", "flags": ["redacted"]} if c.get("chunk_id") in chunks and c["excerpt"] else c
                                        for c in record["citations"]]}

    # -- retention ----------------------------------------------------------------------------------------------

    def old(self, rules, now):
        """(the vertices that expire, those that are as old and in use): `rules` are seconds by type."""
        there = set(self.vertices) - set(self.gone)
        old = {v for v in there if type_of(v) in rules and self._since(v) < now - rules[type_of(v)]}
        young = there - old - self.deleted
        kept = {v for v in old - self.deleted if self._is_in_use(v, young, "DiscussionRound" in rules)}
        return old - kept, kept

    def _is_in_use(self, vertex, young, has_rule_of_rounds):
        kind = type_of(vertex)
        if kind == "SystemPromptTemplate":
            ops = [self.lines[i]["op"] for i, v in enumerate(self.vertices) if v == vertex and self.lines[i]["op"] in ("put", "version", "status")]
            if ops[-1] != "status":
                return True
        alone = kind == "DiscussionRound" and has_rule_of_rounds
        if kind in ("DiscussionRound", "SummaryEntry") and not alone:
            whole = vertex[0].partition(":")[2].rpartition("/")[0]
            rounds = [v for v in set(self.vertices) - self.deleted if v[0].startswith(f"DiscussionRound:{whole}/")
                      and v[0].rpartition("/")[0] == f"DiscussionRound:{whole}"]
            if rounds and max(rounds, key=lambda v: int(v[0].rpartition("/")[2])) in young:
                return True
        for a, b, edge in self.edges:
            namer, named = (b, a) if edge in ALONG else (a, b)
            if named != vertex or namer not in young or edge in ("REVISION_OF", "EXTRACTED_FROM"):
                continue
            if not (alone and edge in ("FOLLOWS", "SUMMARIZES")):
                return True
        return False

    def _since(self, vertex):
        changes = [i for i, v in enumerate(self.vertices) if v == vertex
                   and self.lines[i]["op"] in ("put", "version", *(("status",) if type_of(vertex) == "SystemPromptTemplate" else ()))]
        record = self.lines[changes[0]].get("record", {})
        own = record.get("timestamp", record.get("createdAt"))
        since = seconds(self.lines[changes[0]]["at"] if own is None else own)
        return max(since, seconds(self.lines[changes[-1]]["at"])) if len(changes) > 1 else since

    # -- afterwards ---------------------------------------------------------------------------------------------

    def without(self, going, why):
        """The same lines once the contents of `going` are gone."""
        lines = []
        for line, vertex in zip(self.lines, self.vertices):
            if vertex in going and line["op"] in ("put", "version"):
                line = {k: v for k, v in line.items() if k not in ("record", "xml", "purged")} | {"expired": True} | ({"purged": True} if why == "purged" else {})
            lines.append(line)
        return lines


def comparable(line):
    """A line without the copies of texts that are made when it is read: on edges, and those before in a Summary's; and without what
    stands for a record that is gone."""
    line = {**line, "edges": [{k: v for k, v in e.items() if k not in IN_RECORDS} for e in line["edges"]]} if "edges" in line else line
    line = {k: v for k, v in line.items() if k not in ("time", "edge_order")}
    if "increment" in line.get("record", {}):
        line = {**line, "record": {k: v for k, v in line["record"].items() if k not in ("content", "expired", "purged")}}
    return line
