"""What a notebook shows of an answer: a table, and a tree where the answer has edges. All texts are escaped."""
from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .graphs import ends, node_attributes
from .transport import Json

ROWS_MAX = 100
TREE_NODES_MAX = 200
TEXT_MAX = 120
COLUMNS = ("depth", "weight", "share", "lift", "says", "status", "score")
SAID = ("content", "answer", "question", "summary", "title", "text", "name")


def shown(value: object) -> str:
    """A cell: short, escaped."""
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…")


def label_of(node: Json) -> str:
    record: Json = node.get("record") or {}
    said = next((record[name] for name in SAID if record.get(name)), None)
    return str(said if said is not None else node_attributes(node)["label"])


def table(items: list[Json], note: str) -> str:
    """The first items, one row each."""
    rows = items[:ROWS_MAX]
    nodes = bool(rows) and all("ref" in item and "type" in item for item in rows)
    if nodes:
        names = ["ref", *(name for name in COLUMNS if any(name in item for item in rows)), "label"]
        cells = [[label_of(item) if name == "label" else item.get(name, "") for name in names] for item in rows]
    else:
        names = list(dict.fromkeys(name for item in rows for name in item))
        cells = [[item.get(name, "") for name in names] for item in rows]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{shown(cell)}</td>" for cell in row) + "</tr>" for row in cells)
    more = "" if len(items) <= ROWS_MAX else f"the first {ROWS_MAX} of {len(items)} read; "
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(more + note)}</p>"


def tree(root: str, items: list[Json], edges: Iterable[Json]) -> str:
    """The nodes below `root`, each once, where it is nearest."""
    # Along influence only, as `whence why` draws it: to the causes, or where the answer has none of these to the effects.
    above: dict[str, list[tuple[str, Json]]] = {}
    below_of: dict[str, list[tuple[str, Json]]] = {}
    for edge in edges:
        cause, effect = ends(edge, "influence")
        above.setdefault(effect, []).append((cause, edge))
        below_of.setdefault(cause, []).append((effect, edge))
    beside = above if root in above else below_of
    nodes = {item["ref"]: item for item in items if "ref" in item}
    children: dict[str, list[tuple[str, Json]]] = {}
    seen, layer = {root}, [root]
    while layer and len(seen) < TREE_NODES_MAX:
        following = []
        for ref in layer:
            for other, edge in beside.get(ref, []):
                if other not in seen:
                    seen.add(other)
                    children.setdefault(ref, []).append((other, edge))
                    following.append(other)
        layer = following

    def lines(ref: str, edge: Json | None, depth: int) -> str:
        weight = next((edge[name] for name in ("weight", "confidence") if edge and name in edge), None)
        how = f"<small>{shown(edge['type'])} {shown(weight) if weight is not None else ''}</small> " if edge else ""
        below = "".join(lines(other, how_other, depth + 1) for other, how_other in children.get(ref, [])) if depth < TREE_NODES_MAX else ""
        label = shown(label_of(nodes[ref])) if ref in nodes else ""
        return f"<li>{how}<code>{shown(ref)}</code> {label}{f'<ul>{below}</ul>' if below else ''}</li>"

    cut = "<p>…</p>" if layer else ""
    return f"<ul>{lines(root, None, 0)}</ul>{cut}"
