#!/usr/bin/env python3
"""Writes `whence/methods.py`: a typed Python method for each method in a server's description.

    build/release/whence rpc rpc.discover | tools/python/generate.py > tools/python/whence/methods.py   # with a server running

Reads the OpenRPC document (`rpc.discover`, `GET /openrpc.json`) on stdin and writes the module on stdout. A new list method
also needs its row in `LISTS`, because the document does not name the members of an answer that are paged.
`tests/python/openrpc_test.py` fails if the committed module differs from the output for the built server.
"""
from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from typing import Any

# List method -> the members of its answer that are paged and streamed, the main one first.
LISTS = {
    "attachment.list": ("records",),
    "feedback.list": ("records",),
    "history.get": ("events",),
    "impact.analyze": ("nodes",),
    "impact.blame": ("nodes", "names"),
    "lineage.ancestors": ("nodes", "edges"),
    "lineage.descendants": ("nodes", "edges"),
    "impact.replay_plan": ("calls",),
    "impact.without": ("answers", "fallen", "alternatives"),
    "lineage.diff": ("added", "removed", "reweighted", "versions", "moved", "common"),
    "lineage.stale": ("sources", "answers", "citations"),
    "lineage.graph": ("nodes", "edges"),
    "lineage.influence": ("nodes",),
    "lineage.path": ("paths",),
    "hold.list": ("holds",),
    "person.find": ("nodes", "shared"),
    "node.find": ("nodes",),
    "node.get": ("nodes",),
    "node.neighbors": ("nodes", "groups"),
    "search": ("nodes",),
    "query": ("rows",),
    "template.list": ("templates",),
    "trace": ("nodes", "edges"),
    "versions.list": ("versions",),
}
# Methods that the client calls itself: `connect` sends `session.hello`, `watch` subscribes.
NOT_METHODS = {"session.hello", "subscribe", "unsubscribe"}
# Params with a meaning of their own in Python, and their types.
OWN_TYPES = {"stream": "bool", "progress": "Progress"}
# Params of many methods, documented once in the module.
COMMON = {
    "as_of": "the moment to read at: a transaction id, or a time, as RFC 3339 or as a `datetime` with a zone (the last transaction at or before it).",
    "min_tx": "waits until this transaction is visible.",
    "timeout_ms": "the server's time limit, in milliseconds.",
    "limit": "items per page, 1 to `limits['page']`, default 1,000; a `Result` requests the following pages itself.",
    "stream": "receives the items as they are found, in one request, instead of page by page.",
    "progress": "called with `{done, total, message}` while long work runs, in the client's own thread, which it must not "
                "block.",
    "cursor": "continues an earlier answer at its end, on the same snapshot.",
}
WIDTH = 120
ENUM_MAX = 4  # longer enumerations are plain `str`

HEAD = '''"""The protocol's methods, typed: one class per group, one method each. Written by `tools/python/generate.py`.

Params are the protocol's own, by name; the first required one may be positional. `None` means "not given".
Every method raises the classes of `whence.errors`: `InvalidParams` for params, `NotFound` for unknown nodes,
`DeadlineExceeded`, `Busy` (after three more tries), `ConnectionLost`, `Forbidden`.

Params of many methods:

{common}
"""
# fmt: off
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal

from .calling import AnswerT, AnyMethod, Caller, Group, ListT, Milliseconds, Moment, Progress, Suggesting, Time, given

# The role a token needs to call each method.
ROLES = {{
{roles}
}}

# Reads that wait for a transaction.
TAKE_MIN_TX = frozenset({{
{take_min_tx}
}})

# Edge types whose stored direction is from effect to cause: of all types of records that they start from, or of these.
AGAINST: dict[str, frozenset[str] | None] = {{
{against}
}}

# Of record types and methods: the places where a time is in milliseconds since the epoch (`ms`; `*` is each item of a list), and where
# something is that has such places: a `record`, an object with `type` or `types` and `where`, or one with `method` and `params` (`call`).
TIMES: dict[str, dict[str, str]] = {{
{times}
}}

# What selects the events of a watch.
MATCH = ({match})
'''


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: "_" + found[1].lower(), name)


def python_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def class_name(group: str) -> str:
    return "".join(part.title() for part in snake(group).split("_"))


def type_of(schema: dict[str, Any]) -> str:
    """The annotation for a value of this JSON schema."""
    if "$ref" in schema:
        return "Mapping[str, Any]"  # params refer to records only
    if any(one.get("format") == "date-time" for one in schema.get("oneOf", [])):
        return "Moment"
    if schema.get("format") == "date-time" and schema.get("type") == "string":
        return "Time"
    if is_milliseconds(schema, {}):
        return "Milliseconds"
    if "oneOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one) for one in schema["oneOf"]))
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        names = schema["enum"]
        return f"Literal[{', '.join(json.dumps(name) for name in names)}]" if len(names) <= ENUM_MAX else "str"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"Sequence[{type_of(schema.get('items', {}))}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
            "object": "Mapping[str, Any]"}.get(kind or "", "Any")


def bounds_of(schema: dict[str, Any]) -> str:
    """The range of a number or list, if the schema has a useful one."""
    lists = [one for one in schema.get("oneOf", []) if one.get("type") == "array"]
    if lists:
        return bounds_of(lists[0])  # of one item or a list of them
    low, high = (schema.get("minimum"), schema.get("maximum")) if "minimum" in schema else (
        schema.get("minItems"), schema.get("maxItems"))
    if low is None or (schema.get("type") == "integer" and low < 0):
        return ""
    unit = " items" if schema.get("type") == "array" else ""
    if high is None or high >= 2**31 - 1:
        return f" At least {low}{unit.rstrip('s') if low == 1 else unit}."
    return f" {low}{unit}." if low == high else f" {low} to {high}{unit}."


def annotation(param: dict[str, Any]) -> str:
    kind = OWN_TYPES.get(param["name"]) or type_of(described(param))
    if param["name"] == "stream":
        return "bool = False"
    return kind if param.get("required") else f"{kind} | None = None"


def positional(params: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The positional param: the first required one, or `ref` where either `ref` or `refs` is required."""
    required = [param for param in params if param.get("required")]
    return next(iter(required or [param for param in params[:1] if param["name"] == "ref"]), None)


def signature(name: str, params: list[dict[str, Any]], returns: str) -> str:
    first = positional(params)
    named = [param for param in params if param is not first]
    parts = ["self"] + [f"{python_name(param['name'])}: {annotation(param)}" for param in ([first] if first else [])]
    parts += ["*"] * bool(named) + [f"{python_name(param['name'])}: {annotation(param)}" for param in named]
    return wrapped(f"    def {name}(", parts, f") -> {returns}:")


def wrapped(head: str, parts: list[str], tail: str) -> str:
    """A list in brackets, its lines filled."""
    lines, indent = [head], " " * len(head)
    for number, part in enumerate(parts):
        text = part + (", " if number + 1 < len(parts) else tail)
        if len(lines[-1]) + len(text.rstrip()) > WIDTH and lines[-1].strip():
            lines.append(indent)
        lines[-1] += text
    return "\n".join(line.rstrip() for line in lines)


def docstring(method: dict[str, Any], params: list[dict[str, Any]]) -> str:
    text = method["summary"]
    result = method["result"].get("description", "").rstrip(".")
    lines = textwrap.wrap(f"{text} Answers: {result}." if result else text, WIDTH - 14)
    own = [param for param in params if param["name"] not in COMMON or param.get("required")]
    notes = []
    for param in own:
        note = f"{python_name(param['name'])}: {param.get('description', '')}{bounds_of(param['schema'])}"
        notes += textwrap.wrap(note, WIDTH - 12, initial_indent="  ", subsequent_indent="    ")
    lines += [""] + notes if notes else []
    pad = " " * 8
    body = f"\n{pad}".join(lines).replace("\\", "\\\\")
    return f'{pad}"""{body}"""' if len(lines) == 1 else "\n".join(
        line.rstrip() for line in f'{pad}"""{body}\n{pad}"""'.split("\n"))


def written(method: dict[str, Any]) -> str:
    """One method."""
    full = method["name"]
    is_list = any(param["name"] == "stream" for param in method["params"])
    if is_list != (full in LISTS):
        raise SystemExit(f"generate.py: {full} {'is' if is_list else 'is not'} a list method; correct LISTS")
    params = method["params"]
    call = f"self._caller.{'listed' if is_list else 'answer'}({json.dumps(full)}, "
    call += f"{LISTS[full]!r}, ".replace("'", '"') if is_list else ""
    names = [f"{python_name(param['name'])}={python_name(param['name'])}" for param in params]
    body = (" " * 8 + f"return {call}{{}})" if not names else
            " " * 8 + f"return {call}given(\n" + wrapped(" " * 12, names, "))"))
    return "\n".join([signature(snake(full.split(".")[-1]), params, "ListT" if is_list else "AnswerT"),
                      docstring(method, params), body])


def influence_rows(edges: list[dict[str, Any]]) -> str:
    """The edge types that are stored against influence, with the record types of which that holds where not of all."""
    rows = []
    for edge in edges:
        others = sorted(name for name, own in edge["influence_from"].items() if own == "against")
        if edge["influence"] == "against":
            rows.append(f"    {json.dumps(edge['name'])}: None,")
        elif others:
            rows.append(f"    {json.dumps(edge['name'])}: frozenset({{{', '.join(map(json.dumps, others))}}}),")
    return "\n".join(rows)


def described(param: dict[str, Any]) -> dict[str, Any]:
    """A param's schema, with the description that stands beside it."""
    return {**param["schema"], "description": param.get("description", "")}


def is_milliseconds(schema: dict[str, Any], beside: dict[str, Any]) -> bool:
    """Whether it is a time in milliseconds since the epoch, which only descriptions say: its own, or that of the member of the same object
    that it is `not before`."""
    text = schema.get("description", "")
    if schema.get("type") != "integer":
        return False
    other = re.search(r"not before `(\w+)`", text)
    return "milliseconds" in text.lower() or (other is not None and is_milliseconds(beside.get(other[1], {}), {}))


def places(schema: dict[str, Any], schemas: dict[str, Any], at: str = "", beside: dict[str, Any] | None = None) -> dict[str, str]:
    """What `TIMES` says of a schema: where in it a time is in milliseconds, or something that has such a place."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {at: "record"} if name == "Record" else places(schemas[name], schemas, at, beside)
    members = schema.get("properties", {})
    found = {at: "ms"} if is_milliseconds(schema, beside or {}) else {}
    if "where" in members and members.keys() & {"type", "types"}:
        found[at] = "where"
    if members.keys() >= {"method", "params"}:
        found[at] = "call"
    for one in schema.get("oneOf", []) + schema.get("anyOf", []) + schema.get("allOf", []):
        found |= places(one, schemas, at)
    if isinstance(schema.get("items"), dict):
        found |= places(schema["items"], schemas, f"{at}/*" if at else "*")
    for name, member in members.items():
        found |= places(member, schemas, f"{at}/{name}" if at else name, members)
    return found


def times_rows(document: dict[str, Any], methods: list[dict[str, Any]]) -> str:
    """The rows of `TIMES`."""
    schemas = document["components"]["schemas"]
    rows = {record["name"]: places(schemas[record["name"]], schemas) for record in document["x-whence-types"]["records"]}
    for method in methods:
        params = {param["name"]: described(param) for param in method["params"]}
        rows[method["name"]] = places({"type": "object", "properties": params}, schemas)
    return "\n".join(wrapped(f"    {json.dumps(name)}: {{", [f"{json.dumps(place)}: {json.dumps(kind)}" for place, kind in row.items()], "},")
                     for name, row in rows.items() if row)


def module(document: dict[str, Any]) -> str:
    """The text of methods.py for this OpenRPC document."""
    methods = [method for method in document["methods"] if method["name"] not in NOT_METHODS]
    stale = LISTS.keys() - {method["name"] for method in methods}
    if stale:
        raise SystemExit(f"generate.py: no such methods: {sorted(stale)}; correct LISTS")
    groups: dict[str, list[dict[str, Any]]] = {}
    for method in methods:
        groups.setdefault(method["name"].rpartition(".")[0], []).append(method)
    alone = groups.pop("", [])
    common = "\n".join(textwrap.fill(f"- `{name}`: {text}", WIDTH, subsequent_indent="  ") for name, text in COMMON.items())
    roles = textwrap.fill(", ".join(f'{json.dumps(m["name"])}:\u00a0{json.dumps(m["x-role"])}' for m in methods) + ",", WIDTH,
                          initial_indent="    ", subsequent_indent="    ").replace("\u00a0", " ")
    waiting = [method["name"] for method in methods if any(param["name"] == "min_tx" for param in method["params"])]
    take_min_tx = textwrap.fill(", ".join(map(json.dumps, waiting)) + ",", WIDTH, initial_indent="    ", subsequent_indent="    ")
    edges = document["x-whence-types"]["edges"]
    subscribe = next(method for method in document["methods"] if method["name"] == "subscribe")
    match = next(param["schema"]["properties"] for param in subscribe["params"] if param["name"] == "match")
    parts = [HEAD.format(common=common, roles=roles, take_min_tx=take_min_tx, against=influence_rows(edges), times=times_rows(document, methods),
                         match=", ".join(map(json.dumps, match))).rstrip("\n")]
    for group, members in groups.items():
        base = "AnyMethod" if group == "rpc" else "Group"
        parts.append("\n".join([f"class {class_name(group)}({base}[AnswerT, ListT]):", f'    """`{group}.…`"""', "",
                                "\n\n".join(written(method) for method in members)]))
    attributes = "\n".join(f"        self.{snake(group)}: {class_name(group)}[AnswerT, ListT] = {class_name(group)}(caller)"
                           for group in groups)
    parts.append("\n".join(["class Methods(Suggesting, Generic[AnswerT, ListT]):",
                            '    """All methods, as attributes of a client."""', "",
                            "    def __init__(self, caller: Caller[AnswerT, ListT]) -> None:",
                            "        self._caller = caller", attributes, "",
                            "\n\n".join(written(method) for method in alone)]))
    return "\n\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(module(json.load(sys.stdin)))
