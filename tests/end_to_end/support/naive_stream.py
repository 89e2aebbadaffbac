"""A naive reference model of subscriptions: the graph that a stream of events makes, and the events that a match selects.
`State` applies events one by one; `Filter` walks the whole graph again after every transaction.
"""
from collections import Counter, defaultdict

ALONG = {"USED_IN", "PROMPTED", "RENDERED_AS", "RETRIEVED_FOR", "INCLUDED_IN", "THROUGH_ACT"}
AGAINST = {"DERIVED_FROM", "UPDATED_BY", "EXTRACTED_FROM", "REVISION_OF", "FOLLOWS", "SUMMARIZES", "EMBEDS", "GENERATED_FROM",
           "CITES"}


def type_of(ref):
    return ref.split(":")[0]


def cause_and_effect(edge):
    """The ends of an edge in the direction of influence; None where it carries none."""
    kind, ends = edge["type"], (edge["from"], edge["to"])
    if kind in ALONG:
        return ends
    if kind in AGAINST or kind == "PART_OF" and type_of(edge["from"]) == "RetrievedChunk":
        return ends[::-1]
    return None


def bare(record):
    """A record without the members that are computed on reading or follow from its status."""
    computed = {"dangling"} | ({"active", "updatedAt"} if record["$type$"] == "SystemPromptTemplate" else set())
    return {k: v for k, v in record.items() if k not in computed}


def first_status(record):
    if record["$type$"] == "SystemPromptTemplate":
        return "active" if record["active"] else "inactive"
    return "active" if record["$type$"] in ("ContextUnit", "RetrievedChunk", "Document") else None


class State:
    """The graph after the events applied so far."""

    def __init__(self):
        self.records, self.status, self.edges = {}, {}, {}          # by ref, by ref, by (from, type, to)
        self._touching = defaultdict(set)                           # ref -> keys of its edges
        self.effects, self.causes = defaultdict(Counter), defaultdict(Counter)

    def apply(self, event):
        """Raises where the event cannot follow those before: a second first record, a status or an end of what is not there."""
        ref, op = event["ref"], event["op"]
        is_first = op == "put" and not event.get("entered") or op == "version" and ref not in self.records
        if not event.get("entered") and is_first == (ref in self.records):
            raise AssertionError(f"out of turn: {event}")
        if op in ("put", "version"):
            if ref not in self.records:
                self.status[ref] = event.get("status") or first_status(event["record"])
            self.records[ref] = event["record"]
            for edge in event["edges"]:
                self._add(edge)
        elif op == "status":
            self.status[ref] = event["status"]
        else:
            self._delete(ref)

    def _add(self, edge):
        key = edge["from"], edge["type"], edge["to"]
        if key in self.edges:
            raise AssertionError(f"{edge} came twice")
        self.edges[key] = edge
        self._touching[edge["from"]].add(key)
        self._touching[edge["to"]].add(key)
        self._count(edge, 1)

    def _count(self, edge, n):
        ends = cause_and_effect(edge)
        for near, far, kinds in ((0, 1, self.effects), (1, 0, self.causes)) if ends else ():
            kinds[ends[near]][ends[far]] += n

    def _delete(self, ref):
        del self.records[ref], self.status[ref]
        for key in self._touching.pop(ref, ()):
            if key in self.edges:
                self._count(self.edges.pop(key), -1)

    def graph(self):
        """Comparable with `graph_of`."""
        return ({ref: (bare(record), self.status[ref]) for ref, record in self.records.items()}, dict(self.edges))

    def reach(self, ref, neighbours, depth):
        """{ref: least depth} of what is reached, the start left out."""
        depths, layer, at = {ref: 0}, [ref], 0
        while layer and (depth is None or at < depth):
            at += 1
            layer = [n for v in layer for n, count in neighbours[v].items() if count and depths.setdefault(n, at) == at]
            layer = list(dict.fromkeys(layer))
        del depths[ref]
        return depths


def graph_of(rpc, as_of):
    """The server's graph at a transaction: {ref: (record, status)} and {(from, type, to): edge}."""
    nodes, edges = {}, {}
    for kind in rpc("server.info")["nodes"]:
        found = rpc("node.find", type=kind, as_of=as_of, limit=10000, include=["record", "status", "edges"])
        for node in found["nodes"]:
            record = node["record"]
            is_template = kind == "SystemPromptTemplate"
            nodes[node["ref"]] = bare(record), first_status(record) if is_template else node.get("status")
            edges.update(((e["from"], e["type"], e["to"]), e) for e in node["edges"])
    return nodes, edges


def topic_of(record):
    kind = record["$type$"]
    return record.get("id" if kind == "Topic" else "topic" if kind in ("Subject", "Summary") else "topicId")


class Filter:
    """The events that one match selects, transaction by transaction."""

    def __init__(self, match):
        self.match, self._near = match, {}

    def take(self, state, events):
        """Applies a transaction to `state`; the events delivered for it, as (op, ref) and (op, ref, "entered")."""
        records = []
        for event in events:
            records.append(event.get("record") or state.records[event["ref"]])
            state.apply(event)
        before, self._near = self._near, self._neighbourhood(state)
        result = [(e["op"], e["ref"]) for e, record in zip(events, records) if self._wants_event(e, record, before)]
        if self._near is not None:
            delivered_refs = {e["ref"] for e in events if e["op"] in ("put", "version")}
            entered = [r for r in self._near if r not in before and r not in delivered_refs and self._wants_entered(state.records[r])]
            result += [("put", r, "entered") for r in sorted(entered, key=lambda r: (self._near[r], r.encode()))]
        return result

    def _neighbourhood(self, state):
        """{ref: depth} of what is downstream and upstream of what the match names; None where it names nothing."""
        near = [state.reach(self.match[member], neighbours, self.match.get("depth"))
                for member, neighbours in (("downstream_of", state.effects), ("upstream_of", state.causes)) if member in self.match]
        return {ref: depth for ref, depth in near[0].items() if all(ref in n for n in near)} if near else None

    def _wants_record(self, record):
        m = self.match
        return (("types" not in m or record["$type$"] in m["types"]) and ("topics" not in m or topic_of(record) in m["topics"])
                and ("agents" not in m or record["$type$"] == "Response" and record["agent"] in m["agents"]))

    def _wants_event(self, event, record, before):
        """A deleted node is matched by its last state, every other node by the graph after the transaction."""
        m, near = self.match, before if event["op"] == "delete" else self._near
        return (self._wants_record(record) and ("ops" not in m or event["op"] in m["ops"])
                and ("edge_types" not in m or any(e["type"] in m["edge_types"] for e in event.get("edges", ())))
                and (near is None or event["ref"] in near))

    def _wants_entered(self, record):
        """An entered node brings no edges."""
        return self._wants_record(record) and "put" in self.match.get("ops", ["put"]) and "edge_types" not in self.match


def transactions(events):
    """[(tx, its events)] of a stream."""
    result = []
    for event in events:
        if not result or result[-1][0] != event["tx"]:
            result.append((event["tx"], []))
        result[-1][1].append(event)
    return result


def delivered(full, match):
    """The (tx, op, ref[, "entered"]) that `match` selects from the whole stream."""
    state, selection = State(), Filter(match)
    return [(tx, *item) for tx, events in transactions(full) for item in selection.take(state, events)]
