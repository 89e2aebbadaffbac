"""What a notebook shows of an answer: a table, and where the answer has edges the page's picture, or a tree. All texts are escaped.

And what that asks of the server beside the answer: the first words of its nodes, and the page's own script."""
from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

from . import errors
from .graphs import ends, first_words, is_relation, item_of, node_attributes, without_words
from .session import Session
from .transport import Json, http_url

ROWS_MAX = 100
PICTURE_NODES_MAX = 2_000  # that a notebook fetches the edges of by itself
PICTURE_TEXT_MAX = 4_000  # characters of a text in a picture's document
FRAME_HEIGHT = 460
LABELLED_MAX = 10_000  # nodes without a record; of more than that labels are ids
PER_CALL = 1_000
FETCH_S = 5.0
TREE_NODES_MAX = 200
TEXT_MAX = 120
MEMBERS_MAX = 6  # of a list or a map in a cell
NESTED_MAX = 2
XML_READ = 4_000
COLUMNS = ("effect", "lost", "remains", "before", "after", "depth", "weight", "share", "lift", "says", "reasons", "newer", "status", "score")
CHANGED = {"removed": "[-{}-]", "added": "{{+{}+}}"}  # as `whence diff` has it
OVERRIDES = str.maketrans({sign: f"⟨U+{ord(sign):04X}⟩" for sign in "\u202d\u202e"})  # a text with one would read as another
SAID = ("content", "answer", "question", "summary", "title", "text", "name")


class PictureParts(NamedTuple):
    """What draws the picture of a graph in a document: the script and the style of the page, and the server's words for types."""

    script: str
    style: str
    types: Json


class Shown:
    """Asks over a session. All of it runs on its event loop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parts: PictureParts | None = None
        self._has_none = False

    async def nodes(self, refs: Iterable[str], tx: int | None) -> dict[str, Json]:
        """The nodes with their records, by ref, as of a transaction; without those that are not there. None at all of more than
        `LABELLED_MAX`."""
        asked = list(dict.fromkeys(refs))
        if tx is None or len(asked) > LABELLED_MAX:
            return {}
        found: dict[str, Json] = {}
        for start in range(0, len(asked), PER_CALL):
            found.update({node["ref"]: node for node in await self._some(asked[start:start + PER_CALL], tx)})
        return found

    async def _some(self, refs: list[str], tx: int) -> list[Json]:
        params: Json = {"refs": refs, "include": ["record", "status"], "as_of": tx}
        try:
            nodes: list[Json] = (await self._session.call("node.get", params))["nodes"]
            return nodes
        except errors.NotFound as missing:
            lacking = {str(each.get("path", "")).rpartition("/")[2] for each in missing.errors or [missing.data]}
            left = [ref for place, ref in enumerate(refs) if str(place) not in lacking]
            return await self._some(left, tx) if left and len(left) < len(refs) else []

    async def parts(self) -> PictureParts | None:
        """None of a server without the page."""
        if self._parts is None and not self._has_none:
            try:
                described = await self._session.call("rpc.discover", {})
                script, style = [await asyncio.to_thread(self._fetch, name) for name in ("picture.js", "picture.css")]
                self._parts = PictureParts(script, style, described["x-whence-types"])
            except (OSError, KeyError, errors.MethodNotFound):
                self._has_none = True
        return self._parts

    def _fetch(self, name: str) -> str:
        url = f"{http_url(self._session.url)}/explorer/{name}"
        with urllib.request.urlopen(url, timeout=FETCH_S, context=self._session.nodes.ssl) as answer:
            text: str = answer.read().decode()
            return text


def shown(value: object, depth: int = 0) -> str:
    """A cell: short, escaped. A node is its first words and below them its ref; a relation is its type and its ends; of a list and
    of a map the first members are shown so, too."""
    if isinstance(value, (dict, list)) and depth > NESTED_MAX:
        return _cut(json.dumps(value, ensure_ascii=False))
    if isinstance(value, dict):
        item = item_of(value)
        if item is not None:
            return f"{_cut(label_of(item))}<br><small><code>{_cut(item['ref'])}</code></small>"
        if is_relation(value):
            return f"{_cut(value['type'])}<br><small><code>{_cut(value['from'])}</code> → <code>{_cut(value['to'])}</code></small>"
        if value.keys() == {"same", "parts"} and isinstance(value["parts"], list):  # the words of two versions
            return _cut("".join(CHANGED.get(str(part["op"]), "{}").format(part["text"]) for part in value["parts"] if isinstance(part, dict) and {"op", "text"} <= part.keys()))
        named = [f"{_cut(str(name))}: {shown(each, depth + 1)}" for name, each in list(value.items())[:MEMBERS_MAX]]
        return _joined(named, len(value))
    if isinstance(value, list):
        return _joined([shown(each, depth + 1) for each in value[:MEMBERS_MAX]], len(value))
    if value is None:
        return ""
    return _cut(f"{value:.3g}" if isinstance(value, float) else str(value))


def _cut(text: str) -> str:
    return escape(text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…").translate(OVERRIDES)


def _joined(members: list[str], count: int) -> str:
    more = [f"… {count - len(members)} more"] if count > len(members) else []
    return "<br>".join([*members, *more])


def label_of(node: Json) -> str:
    record: Json = node.get("record") or {}
    said = next((record[name] for name in SAID if record.get(name)), None)
    xml = record.get("xmlContent", record.get("xml"))
    if said is None and isinstance(xml, str):
        said = " ".join(re.sub(r"<[^>]*>", " ", xml[:XML_READ]).split())
    return str(said if said is not None else node_attributes(node)["label"])


def document(parts: PictureParts, root: str | None, items: list[Any], edges: list[Json], known: dict[str, Json],
             frontier: list[Json] | None = None) -> str:
    """A picture of a graph in a document of its own. `known` has nodes with records by ref; `frontier` says how many neighbours
    of nodes are not in the answer."""
    nodes = {item["ref"]: {**known.get(item["ref"], {}), **item} for item in items if isinstance(item, dict) and "ref" in item}
    for ref in without_words(items, edges, root):
        kind, _, name = ref.partition(":")
        nodes.setdefault(ref, known.get(ref, {"ref": ref, "type": kind, "id": name}))
    centre = root if root in nodes else edges[0]["to"]
    graph = {"types": parts.types, "root": centre, "edges": edges, "nodes": [_for_picture(node) for node in nodes.values()],
             **({"frontier": frontier} if frontier is not None else {})}
    title = escape(first_words(label_of(nodes[centre])))
    # A text of a record could end the element; as an escape of JSON it cannot.
    data = json.dumps(graph, ensure_ascii=False).replace("<", "\\u003c")
    script, style = parts.script.replace("</script", "<\\/script"), parts.style.replace("</style", "<\\/style")
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>'
            f'<body><div id="picture"></div><div id="said"></div><script type="application/json" id="graph">{data}</script>'
            f"<script>{script}</script></body></html>")


def _for_picture(node: Json) -> Json:
    record: Json = node.get("record") or {}
    kept = {name: value[:PICTURE_TEXT_MAX] if isinstance(value, str) else value for name, value in record.items()
            if name not in ("embedding", "attributes", "context_units")}
    return {**{name: value for name, value in node.items() if name != "edges"}, **({"record": kept} if kept else {})}


def framed(html: str) -> str:
    """A document within another, which it cannot reach."""
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{FRAME_HEIGHT}px;border:1px solid #ccc" title="Picture" '
            f'srcdoc="{escape(html)}"></iframe>')


def note(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def table(items: list[Json], name: str = "") -> str:
    """The first items, one row each; `name` is above them."""
    rows = items[:ROWS_MAX]
    nodes = bool(rows) and all("ref" in item and "type" in item for item in rows)
    if nodes:
        names = ["label", *(name for name in COLUMNS if any(name in item for item in rows)), "ref"]
        cells = [[label_of(item) if name == "label" else item.get(name, "") for name in names] for item in rows]
    else:
        names = list(dict.fromkeys(name for item in rows for name in item))
        cells = [[item.get(name, "") for name in names] for item in rows]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{shown(cell)}</td>" for cell in row) + "</tr>" for row in cells)
    caption = f"<caption>{escape(name)}</caption>" if name else ""
    more = "" if len(items) <= ROWS_MAX else note(f"the first {ROWS_MAX} of {len(items)} read")
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


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
