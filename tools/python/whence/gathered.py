"""The part of a list method's answer that has been read: what both clients' results share."""
from __future__ import annotations

from typing import Any

from . import graphs, notebook
from .pages import Piece, Source
from .transport import Json


class Gathered:
    """The items, edges and other members of an answer, as far as they were read.

    Everything read is kept, so that an answer may first be iterated and then converted to a frame or a graph.
    """

    def __init__(self, source: Source, lists: tuple[str, ...], params: Json) -> None:
        self._source = source
        self._lists = lists
        self._item_lists = [name for name in lists if name != "edges"]
        self._params = params
        self._only_edges = params.get("form") == "edges"  # then the edges are the items
        self._answer: Json = {}
        self._items: list[Json] = []
        self._edges: list[Json] = []
        self._by_list: dict[str, list[Json]] = {}
        self._returned = 0
        self._at_end = False

    @property
    def tx(self) -> int | None:
        """The transaction of the snapshot; `None` for a stream until its end."""
        return self._answer.get("tx")

    @property
    def complete(self) -> bool:
        """Whether everything has been read; becomes `True` with the last page."""
        return bool(self._answer.get("complete", False))

    @property
    def reason(self) -> str | None:
        """Why the answer is incomplete: `limit` (more pages follow), `depth`, `nodes` or `timeout`."""
        return self._answer.get("reason")

    @property
    def columns(self) -> list[str] | None:
        """The names of a query's columns, in the order of each row's values; `None` for other methods, and for a stream
        until its end."""
        return self._answer.get("columns") if self._lists == ("rows",) else None

    def __repr__(self) -> str:
        state = "complete" if self.complete else f"reason={self.reason}"
        return f"<{len(self._items)} {', '.join(self._item_lists)} and {len(self._edges)} edges read, tx={self.tx}, {state}>"

    def _repr_html_(self) -> str:
        """What was read so far, as a notebook shows it."""
        return self._html(self._items, self._tree())

    def _html(self, items: list[Any], before: str) -> str:
        columns = self.columns
        rows = items if columns is None else [dict(zip(columns, row)) for row in items]
        told = {id(own): item for own, item in zip(self._items, rows)}
        tables = [notebook.table([told[id(item)] for item in own], name) for name, own in self._named_lists()]
        return before + ("".join(tables) or notebook.table(rows)) + notebook.note(repr(self).strip("<>"))

    def _named_lists(self) -> list[tuple[str, list[Json]]]:
        """The lists of an answer that has several, those with items, by their names; empty of other answers, and of a stream."""
        names = [name for name in self._item_lists if name != "names"]  # which are in the place of nodes
        return [(name, self._by_list[name]) for name in names if self._by_list.get(name)] if len(names) > 1 else []

    def _listed(self, items: list[Any]) -> list[Any]:
        """The items, those of several lists with the name of theirs as `list`."""
        name_of = {id(item): name for name, own in self._named_lists() for item in own}
        return [{**item, "list": name_of[id(item)]} if id(item) in name_of else item for item in items]

    def _tree(self) -> str:
        root = self._root()
        return notebook.tree(root, self._items, self._all_edges()) if root and self._edges else ""

    def _root(self) -> str | None:
        """The ref of the node that the answer is about; `None` where it is about none or several."""
        asked = self._params.get("ref") or self._params.get("from")
        if not isinstance(asked, str):
            return None
        prefixes = {"cu_": "ContextUnit", "resp_": "Response", "fb_": "FeedbackRecord"}
        kind = next((kind for prefix, kind in prefixes.items() if asked.startswith(prefix)), None)
        return f"{kind}:{asked}" if kind else asked

    def _graph_of_rows(self) -> tuple[list[Json], list[Json]] | None:
        """The nodes and relations in what was read of a query's rows; `None` for other methods."""
        return None if self.columns is None else graphs.rows_parts(self._items)

    def _lacks_edges(self) -> bool:
        """Whether the method gives edges where it is asked for them, and was not."""
        return "edges" in self._lists and not self._edges and "form" not in self._params

    def _take(self, piece: Piece | None) -> None:
        if piece is None:
            self._at_end = True
            return
        if piece.answer is not None:
            self._answer = piece.answer
        for item in piece.items:
            is_edge = isinstance(item, dict) and "from" in item and "to" in item  # a row of a query is a list
            (self._edges if is_edge else self._items).append(item)
            if is_edge and self._only_edges:
                self._items.append(item)
        for name, items in piece.lists.items():
            self._by_list.setdefault(name, []).extend(items)
            if name == "edges":
                self._edges += items
            if name != "edges" or self._only_edges:
                self._items += items

    def _next_read(self) -> Json | None:
        """The next item that has been read but not yet returned."""
        if self._returned == len(self._items):
            return None
        self._returned += 1
        return self._items[self._returned - 1]

    def _all_edges(self) -> list[Json]:
        """The edges of the answer and of its items (paths, nodes with their edges), each once."""
        within = [edge for item in self._items if isinstance(item, dict) for edge in item.get("edges", [])]
        return list({(edge["from"], edge["to"], edge["type"]): edge for edge in [*self._edges, *within]}.values())

    def _frontier(self) -> list[Json] | None:
        """How many neighbours of its nodes are not in the answer; `None` of methods that do not say it."""
        found = self._by_list.get("frontier", self._answer.get("frontier"))
        return found if isinstance(found, list) else None

    def _member(self, name: str) -> Any:
        if name == "edges":
            return self._edges
        if [name] == self._item_lists:
            return [] if self._only_edges else self._items
        if name in self._item_lists and self._items and not self._by_list:
            raise KeyError(f"a stream does not distinguish its {name!r}; call without stream=True")
        return self._by_list.get(name, []) if name in self._item_lists else self._answer[name]
