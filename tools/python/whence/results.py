"""The answer of a list method, for the synchronous client."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

from . import errors, graphs, notebook
from .gathered import Gathered
from .pages import Source
from .portal import Portal
from .transport import Json

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas


class Result(Gathered):
    """An iterator over all items of an answer, of one snapshot, fetched on demand.

    The first page has arrived when the method returns, so that the call itself raises its errors. Leaving a `for` loop
    early cancels a stream on the server; items read so far are kept, and reading by pages can be continued.
    `result["counts"]` returns the answer's other members, and its lists by name. For one thread at a time.
    """

    def __init__(self, portal: Portal, source: Source, lists: tuple[str, ...], params: Json,
                 again: Callable[[Json], Result] | None = None, beside: notebook.Shown | None = None) -> None:
        super().__init__(source, lists, params)
        self._again = again  # the same method with other params
        self._beside = beside
        self._portal = portal
        self._read()

    def __iter__(self) -> Iterator[Json]:
        """Continues where iterating stopped, as iterators do."""
        finished = False
        try:
            for item in iter(self._next_item, None):
                yield item
            finished = True
        finally:
            if not finished and self._source.in_flight:
                self.close()

    def __next__(self) -> Json:
        item = self._next_item()
        if item is None:
            raise StopIteration
        return item

    def __getitem__(self, member: str) -> Any:
        """A member of the answer, such as `counts` or `frontier`; a list is read to its end first."""
        if member in self._item_lists or member == "edges" or not self._answer:
            self._read_all()
        return self._member(member)

    @property
    def edges(self) -> list[Json]:
        """All edges of the answer, each once; reads to the end."""
        self._read_all()
        return self._all_edges()

    def all(self) -> list[Json]:
        """All items, including those already iterated over; reads to the end."""
        self._read_all()
        return list(self._items)

    @overload
    def to_pandas(self, edges: Literal[False] = False) -> pandas.DataFrame: ...
    @overload
    def to_pandas(self, edges: Literal[True]) -> tuple[pandas.DataFrame, pandas.DataFrame]: ...

    def to_pandas(self, edges: bool = False) -> pandas.DataFrame | tuple[pandas.DataFrame, pandas.DataFrame]:
        """All items as a DataFrame, a row each; with `edges=True` a pair with the edges' frame. Needs pandas.

        The columns of a query's rows are the query's own.
        """
        found = self.all()
        items = graphs.items_frame(graphs.with_words(self._listed(found), self._words(found, []))) if self.columns is None else (
            graphs.rows_frame(found, self.columns))
        return (items, graphs.edges_frame(self.edges)) if edges else items

    def to_networkx(self, direction: graphs.Direction = "influence") -> networkx.MultiDiGraph[Any]:
        """All nodes (keys are refs) and edges (keys are edge types) as a MultiDiGraph. Needs networkx.

        A method that returns edges only on request is asked once more, with `form="graph"`, for the same moment. The graph's
        attribute `root` is the node that was asked about. Edges with influence lead from cause to effect, so that
        `networkx.ancestors` is what a node was made from; with `direction="stored"` as they are stored. Of a query they are the nodes and relations in its rows, in paths, lists
        and maps too.
        """
        whole = self._with_edges()
        items, edges = whole._graph_of_rows() or (whole.all(), whole.edges)
        return graphs.networkx_graph(items, edges, self._root(), direction, self._words(items, edges, self._root()))

    def to_igraph(self, direction: graphs.Direction = "influence") -> igraph.Graph:
        """The same as a directed igraph Graph, whose vertices have their ref as `name`. Needs igraph."""
        whole = self._with_edges()
        items, edges = whole._graph_of_rows() or (whole.all(), whole.edges)
        return graphs.igraph_graph(items, edges, self._root(), direction, self._words(items, edges, self._root()))

    def to_html(self) -> str:
        """The picture of the answer as the page draws it, as a document of its own that needs no server: for a file or a mail.

        Where the edges were not asked for they are fetched, as `to_networkx` does. Raises `ValueError` where there is nothing to
        draw, or the server has no page.
        """
        drawn = self._picture()
        if drawn is None:
            raise ValueError("no picture: the answer has no edges, or the server has no page to draw it")
        return drawn

    def _repr_html_(self) -> str:
        """What was read so far, as a notebook shows it: a picture where all of a lineage is there, and a table."""
        if not self.complete or len(self._items) > notebook.PICTURE_NODES_MAX:
            return super()._repr_html_()
        try:
            drawn = self._picture()
            items = self._items if self.columns else self._told_first()
        except errors.Error:  # the table is all here
            return super()._repr_html_()
        if drawn is None:
            return self._html(items, "" if self.columns else self._tree())
        return self._html(items, notebook.framed(drawn))

    def _picture(self) -> str | None:
        whole = self._with_edges()
        items, edges = whole._graph_of_rows() or (whole.all(), whole.edges)
        if not edges or self._beside is None:
            return None
        parts = self._portal.run(self._beside.parts())
        root = self._root()
        return parts and notebook.document(parts, root, items, edges, self._words(items, edges, root), whole._frontier())

    def _told_first(self) -> list[Any]:
        """The items, of those that a table shows nodes with their records and statuses."""
        lists = [own for _, own in self._named_lists()] or [self._items]
        known = self._words([item for own in lists for item in own[:notebook.ROWS_MAX]], [])
        return [{**known.get(item["ref"], {}), **item} if isinstance(item, dict) and "ref" in item else item for item in self._items]

    def _words(self, items: list[Any], edges: list[Json], root: str | None = None) -> dict[str, Json]:
        """The nodes of the answer that have no record in it, with theirs."""
        if self._beside is None:
            return {}
        return self._portal.run(self._beside.nodes(graphs.without_words(items, edges, root), self.tx))

    def _with_edges(self) -> Result:
        items = self.all()
        if self._again is None or not items or not self._lacks_edges() or self.tx is None:
            return self
        return self._again({**self._params, "form": "graph", "as_of": self.tx})

    def close(self) -> None:
        """Stops reading; cancels a stream on the server. May be called again."""
        if not self._at_end:
            self._at_end = True
            self._portal.start(self._source.cancel())

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_at_end", True):
            self.close()

    def _next_item(self) -> Json | None:
        while (item := self._next_read()) is None and not self._at_end:
            self._read()
        return item

    def _read(self) -> None:
        try:
            self._take(self._portal.run(self._source.next_piece()))
        except BaseException:
            self._at_end = True
            raise

    def _read_all(self) -> None:
        while not self._at_end:
            self._read()
