"""A worked stream: five transactions, the events they make, and which of them each match selects."""

A, B, R, FB, T, M = ("ContextUnit:cu_a", "ContextUnit:cu_b", "Response:resp_1", "FeedbackRecord:fb_1", "Topic:t", "Message:m")
UNIT_A = {"$type$": "ContextUnit", "id": "cu_a", "type": "User", "source": "s", "timestamp": "2025-10-09T16:15:00Z",
          "version": 1}
RESPONSE = {"$type$": "Response", "id": "resp_1", "timestamp": "2025-10-09T16:15:00Z", "agent": "a", "model": "m",
            "context_units": [{"context_unit_id": "cu_a", "weight": 1}]}
UNIT_B = {"$type$": "ContextUnit", "id": "cu_b", "type": "User", "source": "s", "timestamp": "2025-10-09T17:00:00Z",
          "version": 2, "previous_version_id": "cu_a", "updated_by_response_id": "resp_1"}
FEEDBACK = {"$type$": "FeedbackRecord", "id": "fb_1", "response_id": "resp_1", "timestamp": "2025-10-09T18:00:00Z",
            "score": -0.8}
TOPIC, MESSAGE = {"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t"}

HISTORY = [("records.write", {"records": [UNIT_A, RESPONSE]}), ("records.write", {"records": [UNIT_B]}),
           ("records.write", {"records": [FEEDBACK]}), ("records.write", {"records": [TOPIC, MESSAGE]}),
           ("records.delete", {"refs": [M]})]

# The events as they are written, without `at`.
STREAM = [
    {"tx": 1, "prev": 0, "op": "put", "ref": A, "record": UNIT_A, "edges": []},
    {"tx": 1, "prev": 0, "op": "put", "ref": R, "record": RESPONSE,
     "edges": [{"from": A, "to": R, "type": "USED_IN", "tx": 1, "basis": "given", "weight": 1}]},
    {"tx": 2, "prev": 1, "op": "version", "ref": B, "record": UNIT_B,
     "edges": [{"from": B, "to": A, "type": "DERIVED_FROM", "tx": 2, "basis": "given", "version": 2},
               {"from": B, "to": R, "type": "UPDATED_BY", "tx": 2, "basis": "given", "timestamp": "2025-10-09T17:00:00Z"}]},
    {"tx": 2, "prev": 1, "op": "status", "ref": A, "status": "updated"},
    {"tx": 3, "prev": 2, "op": "put", "ref": FB, "record": FEEDBACK,
     "edges": [{"from": FB, "to": R, "type": "EVALUATES", "tx": 3, "score": -0.8}]},
    {"tx": 3, "prev": 2, "op": "status", "ref": A, "status": "deprecated", "score": -0.8},
    {"tx": 4, "prev": 3, "op": "put", "ref": T, "record": TOPIC, "edges": []},
    {"tx": 4, "prev": 3, "op": "put", "ref": M, "record": MESSAGE,
     "edges": [{"from": M, "to": T, "type": "PART_OF", "tx": 4}]},
    {"tx": 5, "prev": 4, "op": "delete", "ref": M},
]
ENTERED = {ref: {"tx": 2, "prev": 0, "op": "put", "ref": ref, "entered": True, "record": record, "edges": []}
           for ref, record in ((A, UNIT_A), (R, RESPONSE))}

# name, match, the transaction its ref comes to be in, (tx, op, ref[, "entered"]) delivered.
ROWS = [
    ("everything", {}, 0, [(e["tx"], e["op"], e["ref"]) for e in STREAM]),
    ("ops", {"ops": ["status"]}, 0, [(2, "status", A), (3, "status", A)]),
    ("one type", {"types": ["Response"]}, 0, [(1, "put", R)]),
    ("units", {"types": ["ContextUnit"]}, 0, [(1, "put", A), (2, "version", B), (2, "status", A), (3, "status", A)]),
    ("topics", {"topics": ["t"]}, 0, [(4, "put", T), (4, "put", M), (5, "delete", M)]),
    ("agents", {"agents": ["a"]}, 0, [(1, "put", R)]),
    ("edge types", {"edge_types": ["DERIVED_FROM"]}, 0, [(2, "version", B)]),
    ("downstream", {"downstream_of": A}, 1, [(1, "put", R), (2, "version", B)]),
    ("downstream by id", {"downstream_of": "cu_a"}, 1, [(1, "put", R), (2, "version", B)]),
    ("downstream, one edge", {"downstream_of": A, "depth": 1}, 1, [(1, "put", R), (2, "version", B)]),
    ("upstream", {"upstream_of": B}, 2,
     [(2, "status", A), (2, "put", A, "entered"), (2, "put", R, "entered"), (3, "status", A)]),
    ("upstream, one type", {"upstream_of": B, "types": ["Response"]}, 2, [(2, "put", R, "entered")]),
    ("upstream, other ops", {"upstream_of": B, "ops": ["status", "version"]}, 2, [(2, "status", A), (3, "status", A)]),
    ("between two", {"downstream_of": A, "upstream_of": B}, 2, [(2, "put", R, "entered")]),
    ("both members", {"types": ["ContextUnit"], "ops": ["put"]}, 0, [(1, "put", A)]),
    ("nobody's agent", {"agents": ["A", "aa"]}, 0, []),
]
INCLUDES = [None, ["record"], ["edges"], ["edges", "record"]]


def cut(event, include):
    """An event without the members that were not included."""
    return {k: v for k, v in event.items() if k not in {"record", "edges"} - set(include or ())}


def expected(row, since=0, include=("record", "edges")):
    """The events of a row after `since`, with `prev` recomputed."""
    by_key = {(e["tx"], e["op"], e["ref"]): e for e in STREAM}
    events, before, now = [], 0, 0
    for tx, op, ref, *entered in row[3]:
        if tx > since:
            before, now = (now, tx) if tx != now else (before, now)
            events.append({**cut(ENTERED[ref] if entered else by_key[tx, op, ref], include), "prev": before})
    return events
