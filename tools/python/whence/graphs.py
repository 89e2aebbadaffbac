"""Answers as tables and graphs of other libraries: pandas, networkx, igraph, each imported when it is first used.

Attributes are named and typed as in the server's own graph exports:

- A node: `ref`, `type`, `label` (the first words of its record: name, term, title, document or text; without a record its id), `status`, and every scalar of its record
  under its own name, except `id`; a ContextUnit's own `type` is `context_type`, a FeedbackRecord's own `ref` is
  `rated_ref`. Lists and objects are compact
  JSON text. Record and status are present if the request included them (`include=["record", "status"]`); members of the
  answer itself (`depth`, `weight`, `share`, ...) are attributes too.
- An edge: `type`, `tx` and its own members.
- Times are datetimes in frames: `timestamp`, `createdAt`, `updatedAt`, `lastSeen`, `lastSeenAt`.
- A weight, score, confidence, similarity or share is always a float.
"""
from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any, Literal

from .methods import AGAINST
from .transport import Json

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas

LABEL_MEMBERS = ("name", "term", "title", "document_name", "content", "answer", "question", "summary", "increment", "text",
                 "feedback_text", "promptText", "source", "agent")
LABEL_MAX = 60  # characters of a label
Direction = Literal["influence", "stored"]
FLOATS = {"weight", "score", "confidence", "similarity", "similarity_score", "contribution_weight", "aggregate_score",
          "share", "rate", "others_rate", "lift", "lower", "mean_score", "before", "after",
          "latency_ms", "cost"}
TIMES = {"timestamp", "createdAt", "updatedAt", "lastSeen", "lastSeenAt"}
RENAMED = {("ContextUnit", "type"): "context_type", ("FeedbackRecord", "ref"): "rated_ref"}
DERIVED = ("tx", "status", "score", "feedbacks")  # properties of a query's nodes that are not in their records
NOT_ATTRIBUTES = {"id", "record", "edges", "edges_total"}


def node_attributes(node: Json) -> Json:
    """A node of an answer as flat attributes. Where it has no record, its label may be given as `label`."""
    node = {**_node_of_ref(node["ref"]), **node}
    record: Json = node.get("record") or {}
    own = {RENAMED.get((node["type"], name), name): value for name, value in record.items() if name not in ("$type$", "id")}
    said = {name: value for name, value in node.items() if name not in NOT_ATTRIBUTES}
    label = words_of(record) or node.get("label") or node["id"]
    return _flat({"ref": node["ref"], "type": node["type"], **own, **said, "label": label})


def words_of(record: Json) -> str | None:
    """The first words of a record."""
    return next((first_words(str(record[name])) for name in LABEL_MEMBERS if record.get(name)), None)


def without_words(items: list[Any], edges: list[Json], root: str | None = None) -> list[str]:
    """The refs of nodes in an answer that have no record in it."""
    told = {item["ref"] for item in items if isinstance(item, dict) and "ref" in item and item.get("record")}
    named = [item["ref"] for item in items if isinstance(item, dict) and "ref" in item]
    ways = [ref for item in items if isinstance(item, dict) for ref in item.get("refs", [])]
    refs = [*named, *([root] if root else []), *ways, *(edge[end] for edge in edges for end in ("from", "to"))]
    return [ref for ref in dict.fromkeys(refs) if ref not in told]


def with_words(items: list[Any], nodes: dict[str, Json]) -> list[Any]:
    """The items, those that have no record with a label from that of `nodes`."""
    def told(item: Any) -> Any:
        if not isinstance(item, dict) or item.get("record") or item.get("ref") not in nodes:
            return item
        label = words_of(nodes[item["ref"]].get("record") or {})
        return {**item, "label": label} if label else item

    return [told(item) for item in items]


def first_words(text: str) -> str:
    """The beginning of a text on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= LABEL_MAX:
        return line
    cut = line[:LABEL_MAX]
    return (cut.rpartition(" ")[0] or cut) + "…"


def ends(edge: Json, direction: Direction) -> tuple[str, str]:
    """The ends of an edge: as it is stored, or where it has influence the cause first."""
    if direction not in ("influence", "stored"):
        raise ValueError(f"direction is influence or stored, not {direction!r}")
    start, end = edge["from"], edge["to"]
    kind = edge.get("edge_type", edge["type"])
    of = AGAINST.get(kind, frozenset())
    is_against = (of is None or start.partition(":")[0] in of) and not edge.get("cycle_cut") and edge["type"] != "INFLUENCES"
    return (end, start) if direction == "influence" and is_against else (start, end)


def edge_attributes(edge: Json) -> Json:
    """The members of an edge, without its ends."""
    return _flat({name: value for name, value in edge.items() if name not in ("from", "to")})


def _flat(members: Json) -> Json:
    return {name: _scalar(name, value) for name, value in members.items() if value is not None}


def _scalar(name: str, value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return float(value) if name in FLOATS and isinstance(value, int) else value


def _node_of_ref(ref: str) -> Json:
    kind, _, name = ref.partition(":")
    return {"ref": ref, "type": kind, "id": name}


def graph_parts(items: list[Json], edges: list[Json], root: str | None = None,
                nodes_known: dict[str, Json] | None = None) -> tuple[dict[str, Json], list[Json]]:
    """Attributes by ref, and the edges between them; labels of nodes without a record are from `nodes_known`.

    The nodes are the items that are nodes, and every other ref in a path or an edge, and `root`, such as the start of a lineage,
    which is not among its items.
    """
    known = nodes_known or {}
    nodes = {item["ref"]: node_attributes(item) for item in with_words(items, known) if "ref" in item}
    named = [ref for item in items for ref in item.get("refs", [])]
    for ref in [*([root] if root else []), *named, *(edge[end] for edge in edges for end in ("from", "to"))]:
        if ref not in nodes:
            nodes[ref] = node_attributes(with_words([_node_of_ref(ref)], known)[0])
    return nodes, edges


def rows_parts(rows: list[Any]) -> tuple[list[Json], list[Json]]:
    """The nodes in the rows of a query and the relations between them, each once, also those in paths, lists and maps, as a list
    method gives them. What else a row has, such as a count, is of no node."""
    nodes: dict[str, Json] = {}
    edges: dict[tuple[str, ...], Json] = {}

    def take(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                take(each)
        elif isinstance(value, dict) and is_node(value):
            nodes.setdefault(value["ref"], _item_of_node(value))
        elif isinstance(value, dict) and is_relation(value):
            edge = _edge_of_relation(value)
            edges.setdefault((edge["from"], edge["to"], edge["type"], edge.get("edge_type", "")), edge)
        elif isinstance(value, dict):
            for each in value.values():
                take(each)

    take(rows)
    return list(nodes.values()), list(edges.values())


def item_of(value: Json) -> Json | None:
    """The node that a value is, as a list method gives it: one in the rows of a query, or in an answer; None of anything else."""
    if is_node(value):
        return _item_of_node(value)
    return value if isinstance(value.get("ref"), str) and isinstance(value.get("type"), str) else None


def is_node(value: Json) -> bool:
    return isinstance(value.get("ref"), str) and isinstance(value.get("labels"), list) and "properties" in value


def is_relation(value: Json) -> bool:
    return all(isinstance(value.get(name), str) for name in ("type", "from", "to")) and "properties" in value


def _item_of_node(node: Json) -> Json:
    given: Json = node["properties"]
    derived = {name: given[name] for name in DERIVED if name in given}
    record = {name: value for name, value in given.items() if name not in DERIVED and name != "ref"}
    return {"ref": node["ref"], **derived, "record": record}


def _edge_of_relation(relation: Json) -> Json:
    # `INFLUENCES` is every edge with influence; which it is, is a property of the relation.
    members = {"edge_type" if name == "type" else name: value for name, value in relation["properties"].items()}
    return {"from": relation["from"], "to": relation["to"], "type": relation["type"], **members}


def networkx_graph(items: list[Json], edges: list[Json], root: str | None = None, direction: Direction = "influence",
                   nodes_known: dict[str, Json] | None = None) -> networkx.MultiDiGraph[Any]:
    library = _imported("networkx")
    nodes, edges = graph_parts(items, edges, root, nodes_known)
    graph: networkx.MultiDiGraph[Any] = library.MultiDiGraph()
    if root is not None:
        graph.graph["root"] = root
    graph.add_nodes_from(nodes.items())
    graph.add_edges_from((*ends(edge, direction), edge["type"], edge_attributes(edge)) for edge in edges)
    return graph


def igraph_graph(items: list[Json], edges: list[Json], root: str | None = None, direction: Direction = "influence",
                 nodes_known: dict[str, Json] | None = None) -> igraph.Graph:
    library = _imported("igraph")
    nodes, edges = graph_parts(items, edges, root, nodes_known)
    positions = {ref: position for position, ref in enumerate(nodes)}
    graph: igraph.Graph = library.Graph(n=len(nodes), directed=True)
    graph.add_edges([(positions[start], positions[end]) for start, end in (ends(edge, direction) for edge in edges)])
    graph.vs["name"] = list(nodes)
    for name, column in _columns(list(nodes.values())).items():
        if name != "name":  # the vertex's name is its ref; a record's own name is its label
            graph.vs[name] = column
    for name, column in _columns([edge_attributes(edge) for edge in edges]).items():
        graph.es[name] = column
    return graph


def items_frame(items: list[Json]) -> pandas.DataFrame:
    """A row per item: nodes with `id` and the attributes above, anything else unchanged."""
    library = _imported("pandas")
    rows = [{**_node_of_ref(item["ref"]), **node_attributes(item)} if "ref" in item else item for item in items]
    columns = ["ref", "type", "id", "label"] if items and "ref" in items[0] else []
    return _times_read(library, _whole_numbers_kept(library.DataFrame(rows, columns=_ordered(columns, rows))))


def rows_frame(rows: list[Any], columns: list[str]) -> pandas.DataFrame:
    """A row per row of a query, under the names of its columns. Values are as they came: a node is a dictionary. Behind a column of
    nodes `n` is `n.label` with their labels."""
    library = _imported("pandas")
    named: list[str] = []
    for place, name in enumerate(columns):
        named.append(name)
        items = [item_of(row[place]) if isinstance(row[place], dict) else None for row in rows]
        label = f"{name}.label"
        if label in columns or not any(items) or any(item is None and row[place] is not None for item, row in zip(items, rows)):
            continue
        named.append(label)
        rows = [[*row, item and node_attributes(item)["label"]] for item, row in zip(items, rows)]
        columns = [*columns, label]
    return _whole_numbers_kept(library.DataFrame([dict(zip(columns, row)) for row in rows], columns=named))


def edges_frame(edges: list[Json]) -> pandas.DataFrame:
    """A row per edge: `from`, `to`, `type`, `tx` and the other members."""
    library = _imported("pandas")
    rows = [{"from": edge["from"], "to": edge["to"], **edge_attributes(edge)} for edge in edges]
    return _whole_numbers_kept(library.DataFrame(rows, columns=_ordered(["from", "to", "type", "tx"], rows)))


def _ordered(first: list[str], rows: list[Json]) -> list[str]:
    return list(dict.fromkeys([*first, *(name for row in rows for name in row)]))


def _columns(rows: list[Json]) -> dict[str, list[Any]]:
    return {name: [row.get(name) for row in rows] for name in _ordered([], rows)}


def _whole_numbers_kept(frame: pandas.DataFrame) -> pandas.DataFrame:
    """pandas makes a column of integers with gaps one of floats; here it becomes one of nullable integers."""
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind == "f" and name not in FLOATS and column.isna().any() and (column.dropna() % 1 == 0).all():
            frame[name] = column.astype("Int64")
    return frame


def _times_read(pandas: Any, frame: pandas.DataFrame) -> pandas.DataFrame:
    """Times are RFC 3339 texts or milliseconds since 1970; here they become datetimes in UTC."""
    for name in TIMES & set(frame.columns):
        column = frame[name]
        is_ms = column.map(lambda value: isinstance(value, int))
        read = pandas.to_datetime(column.where(~is_ms), utc=True, errors="coerce")
        frame[name] = read.fillna(pandas.to_datetime(column.where(is_ms).astype("float64"), unit="ms", utc=True, errors="coerce"))
    return frame


def _imported(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError as missing:
        package = {"igraph": "python-igraph"}.get(library, library)
        raise ImportError(f"this needs {library}: install Debian's python3-{library}, or `pip install {package}`",
                          name=library) from missing
