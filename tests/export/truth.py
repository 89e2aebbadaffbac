"""The content that an export must have, found without exports: the events of a subscription from the beginning, the nodes and edges
that exist after them, and the attributes that graph formats give to both.
"""
import json
from collections import Counter

import places  # noqa: F401
from support.subscriber import Subscriber

# The attributes that are no strings, by name; `timestamp` is text although rounds write a number.
LONG = {"tx", "version", "rank", "createdAt", "updatedAt", "lastSeen", "lastSeenAt", "size", "frequency", "messageCount",
        "token_count",
        "tokenCountBefore", "tokenCountAfter", "roundNumber", "dimension", "processing_time_ms", "xmlSchemaVersion",
        "page_number"}
DOUBLE = {"weight", "score", "confidence", "similarity", "contribution_weight", "latency_ms", "cost"}
BOOLEAN = {"active", "archived", "isResolved", "needsUserInput", "dangling"}
EDGE_ENDS = ("from", "to")
PAGE = 1000


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def attribute_type(name):
    """The type that graph formats declare."""
    return "long" if name in LONG else "double" if name in DOUBLE else "boolean" if name in BOOLEAN else "string"


def node_type(ref):
    return ref.split(":", 1)[0]


def id_of(ref):
    return ref.split(":", 1)[1]


def label_of(ref, record):
    return next((record[m] for m in ("name", "term", "document_name") if m in record), id_of(ref))


def edge_key(edge):
    """The order of edges: (tx, from, to, type), texts by their bytes."""
    return edge["tx"], edge["from"].encode(), edge["to"].encode(), edge["type"]


class Node:
    def __init__(self, ref, tx, place, record=None, status=None):
        self.ref, self.tx, self.place, self.record, self.status = ref, tx, place, record, status

    def attributes(self):
        """As in JSON; arrays and objects are texts."""
        made = {"ref": self.ref, "type": node_type(self.ref), "tx": self.tx, "label": label_of(self.ref, self.record)}
        if self.status:
            made["status"] = self.status
        for name, value in self.record.items():
            if name in ("$type$", "id"):
                continue
            name = {("ContextUnit", "type"): "context_type", ("FeedbackRecord", "ref"): "rated_ref"}.get((made["type"], name), name)
            made[name] = compact(value) if isinstance(value, (dict, list)) else value
        if isinstance(made.get("timestamp"), int):
            made["timestamp"] = str(made["timestamp"])
        return made


class Graph:
    """Nodes by ref in order of export; edges in order of export, each as on the wire."""

    def __init__(self, tx, nodes, edges):
        self.tx, self.nodes, self.edges = tx, nodes, edges

    def induced(self, refs):
        """The part between these nodes."""
        return Graph(self.tx, {r: n for r, n in self.nodes.items() if r in refs},
                     [e for e in self.edges if e["from"] in refs and e["to"] in refs])

    def counts(self):
        return {"nodes": dict(Counter(map(node_type, self.nodes))), "edges": dict(Counter(e["type"] for e in self.edges))}


def status_of(node):
    """The status of units as answered, that of templates by their `active`."""
    active = {True: "active", False: "inactive"}
    return active[node["record"]["active"]] if node["type"] == "SystemPromptTemplate" else node.get("status")


def read_events(server, up_to):
    """Every event up to a transaction."""
    with Subscriber(server) as client:
        subscription = client.subscribe(since=0, include=["record", "edges"])
        client.until_caught_up(subscription)
    return [e for e in subscription.events if e["tx"] <= up_to]


def graph_at(server, events, tx):
    """The nodes that events up to `tx` leave, with their records as the server then answered them, and their edges."""
    firsts, edges = {}, []
    for place, event in enumerate(events):
        if event["tx"] > tx:
            break
        ref = event["ref"]
        if event["op"] == "delete":
            firsts.pop(ref, None)
            edges = [e for e in edges if ref not in (e["from"], e["to"])]
        else:
            firsts.setdefault(ref, Node(ref, event["tx"], place))
            edges += event.get("edges", [])
    refs = list(firsts)
    for begin in range(0, len(refs), PAGE):
        answer = server.rpc("node.get", {"refs": refs[begin:begin + PAGE], "include": ["record", "status"], "as_of": tx})
        for node in answer["nodes"]:
            firsts[node["ref"]].record, firsts[node["ref"]].status = node["record"], status_of(node)
    return Graph(tx, firsts, sorted(edges, key=edge_key))


def jsonl_line(event):
    """One event as the lossless export writes it, its numbers as JSON reads them."""
    members = ("tx", "at", "op", "ref", "record", "status", "score", "edges")
    return {m: event[m] for m in members if m in event}
