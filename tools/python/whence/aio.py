"""The same client for asyncio: `await whence.aio.connect(...)`.

Methods with one result object are awaited; list methods return a `Result` to iterate with `async for`. A client belongs to the
event loop it was made on.
"""
from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, Literal, overload

from . import graphs, notebook
from .calling import Json, Moment, suggesting
from .capture.calls import Calls
from .capture.queueing import RecordQueue
from .conveniences import Questions
from .feed import Feed
from .gathered import Gathered
from .greeting import Greeted
from .nodes import Urls, place_of
from .pages import TAKE_FORM, Source, source_of, without_callback
from .recording import Recording
from .session import Session
from .watched import OnNote, Watched, feed_of

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas


class Result(Gathered):
    """The items of an answer, of one snapshot, fetched on demand: `async for item in db.node.find("Response")`.

    `await` it to get the first page, and any error of the call, before the first item. Leaving the loop early cancels a
    stream on the server. Otherwise like `whence.Result`, but its reading methods are awaited.
    """

    def __init__(self, source: Source, lists: tuple[str, ...], params: Json, again: Callable[[Json], Result] | None = None,
                 beside: notebook.Shown | None = None) -> None:
        super().__init__(source, lists, params)
        self._again = again  # the same method with other params
        self._beside = beside

    def __await__(self) -> Generator[Any, None, Result]:
        return self._begun().__await__()

    async def __aiter__(self) -> AsyncIterator[Json]:
        finished = False
        try:
            while (item := await self._next_item()) is not None:
                yield item
            finished = True
        finally:
            if not finished and self._source.in_flight:
                await self.close()

    async def __anext__(self) -> Json:
        item = await self._next_item()
        if item is None:
            raise StopAsyncIteration
        return item

    async def get(self, member: str) -> Any:
        """A member of the answer, such as `counts` or `frontier`; a list is read to its end first."""
        if member in self._item_lists or member == "edges" or not self._answer:
            await self.all()
        return self._member(member)

    @property
    def edges(self) -> list[Json]:
        """The edges read so far, each once; all of them after `await result.all()`."""
        return self._all_edges()

    async def all(self) -> list[Json]:
        """All items, including those already iterated over."""
        while not self._at_end:
            await self._read()
        return list(self._items)

    @overload
    async def to_pandas(self, edges: Literal[False] = False) -> pandas.DataFrame: ...
    @overload
    async def to_pandas(self, edges: Literal[True]) -> tuple[pandas.DataFrame, pandas.DataFrame]: ...

    async def to_pandas(self, edges: bool = False) -> pandas.DataFrame | tuple[pandas.DataFrame, pandas.DataFrame]:
        """All items as a DataFrame; with `edges=True` a pair with the edges' frame."""
        found = await self.all()
        items = graphs.items_frame(graphs.with_words(self._listed(found), await self._words(found, []))) if self.columns is None else (
            graphs.rows_frame(found, self.columns))
        return (items, graphs.edges_frame(self.edges)) if edges else items

    async def to_networkx(self, direction: graphs.Direction = "influence") -> networkx.MultiDiGraph[Any]:
        """All nodes and edges as a MultiDiGraph."""
        whole = await self._with_edges()
        items, edges = whole._graph_of_rows() or (await whole.all(), whole.edges)
        return graphs.networkx_graph(items, edges, self._root(), direction, await self._words(items, edges, self._root()))

    async def to_igraph(self, direction: graphs.Direction = "influence") -> igraph.Graph:
        """The same as a directed igraph Graph."""
        whole = await self._with_edges()
        items, edges = whole._graph_of_rows() or (await whole.all(), whole.edges)
        return graphs.igraph_graph(items, edges, self._root(), direction, await self._words(items, edges, self._root()))

    async def to_html(self) -> str:
        """The picture of the answer as a document of its own; as `whence.Result.to_html`."""
        whole = await self._with_edges()
        items, edges = whole._graph_of_rows() or (await whole.all(), whole.edges)
        parts = await self._beside.parts() if edges and self._beside else None
        if parts is None:
            raise ValueError("no picture: the answer has no edges, or the server has no page to draw it")
        root = self._root()
        return notebook.document(parts, root, items, edges, await self._words(items, edges, root), whole._frontier())

    async def _words(self, items: list[Any], edges: list[Json], root: str | None = None) -> dict[str, Json]:
        """The nodes of the answer that have no record in it, with theirs."""
        return await self._beside.nodes(graphs.without_words(items, edges, root), self.tx) if self._beside else {}

    async def _with_edges(self) -> Result:
        items = await self.all()
        if self._again is None or not items or not self._lacks_edges() or self.tx is None:
            return self
        return self._again({**self._params, "form": "graph", "as_of": self.tx})

    async def close(self) -> None:
        """Stops reading; cancels a stream on the server. May be called again."""
        if not self._at_end:
            self._at_end = True
            await self._source.cancel()

    async def __aenter__(self) -> Result:
        return await self._begun()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _begun(self) -> Result:
        if not self._answer and not self._items and not self._at_end:
            await self._read()
        return self

    async def _next_item(self) -> Json | None:
        while (item := self._next_read()) is None and not self._at_end:
            await self._read()
        return item

    async def _read(self) -> None:
        try:
            self._take(await self._source.next_piece())
        except BaseException:
            self._at_end = True
            raise


class Watch(Watched):
    """Events, each once and in order: `async for event in db.watch()`. Begins where it is awaited, entered or iterated."""

    def __init__(self, feed: Feed, on_lagged: OnNote | None, on_caught_up: OnNote | None) -> None:
        super().__init__(on_lagged, on_caught_up)
        self._feed = feed
        self._starting: asyncio.Future[None] | None = None

    def __await__(self) -> Generator[Any, None, Watch]:
        return self._begun().__await__()

    def __aiter__(self) -> AsyncIterator[Json]:
        return self

    async def __anext__(self) -> Json:
        await self._begun()
        while (event := self._next_event()) is None:
            arrival = await self._feed.next()
            if arrival is None:
                raise StopAsyncIteration
            self._take(arrival)
        return event

    async def close(self) -> None:
        """Ends the watch; a task that waits for an event returns. May be called again."""
        await self._feed.close()

    async def __aenter__(self) -> Watch:
        return await self._begun()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _begun(self) -> Watch:
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._feed.start())
            await self._starting
            self._tx = self._feed.from_tx if not self._feed.has_snapshot else None
        return self


class Client(Questions[Awaitable[Json], Result], Greeted, Calls):
    """A connection to a server; made by `await whence.aio.connect(...)`. Its methods are those of `whence.methods`."""

    def __init__(self, session: Session) -> None:
        super().__init__(self)
        self._session = session
        self._beside = notebook.Shown(session)
        self._feeds: weakref.WeakSet[Feed] = weakref.WeakSet()
        self._queue: RecordQueue | None = None

    def _queue_of_records(self) -> RecordQueue:
        if self._queue is None:
            self._queue = RecordQueue(self._session.nodes, self._session.token)
        return self._queue

    async def flushed(self, timeout: float = 30.0) -> dict[str, int]:
        """As `flush`, without holding up the event loop."""
        return await asyncio.to_thread(self.flush, timeout)

    def watch(self, match: Mapping[str, Any] | None = None, *, since: Moment = "now", snapshot: bool = False,
              include: Iterable[str] = ("record",), credit: int | None = None, on_lagged: OnNote | None = None,
              on_caught_up: OnNote | None = None, **match_members: Any) -> Watch:
        """The changes of the graph as they happen; params and errors as in `whence.Client.watch`.

        `async with db.watch(...) as events`, or `await db.watch(...)`, has subscribed when it returns.
        """
        feed = feed_of(self._session, match, since, snapshot, include, credit, match_members)
        self._feeds.add(feed)
        return Watch(feed, on_lagged, on_caught_up)

    def response(self, agent: str, model: str, **members: Any) -> Recorder:
        """Records a response when the `async with` block ends, and nothing where it raises; as `whence.Client.response`."""
        return Recorder(self, Recording(agent, model, members))

    async def close(self) -> None:
        """Ends the connection, all watches and, once it is flushed, the queue; pending calls end with `ConnectionLost`. May be
        called again."""
        if self._queue is not None:
            await asyncio.to_thread(self._queue.close)
        for feed in list(self._feeds):
            await feed.close()
        await self._session.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def answer(self, method: str, params: Json) -> Awaitable[Json]:
        """Called by `rpc` and by the methods with one result object."""
        sent, on_progress = without_callback(params)
        return self._session.call(method, sent, on_progress)

    def listed(self, method: str, lists: tuple[str, ...], params: Json) -> Result:
        """Called by the list methods."""
        again = (lambda changed: self.listed(method, lists, changed)) if method in TAKE_FORM else None
        return Result(source_of(self._session, method, lists, params), lists, params, again, self._beside)


class Recorder:
    """The context manager of `async with db.response(...)`; it yields the `Recording`."""

    def __init__(self, client: Client, recording: Recording) -> None:
        self._client, self._recording = client, recording

    async def __aenter__(self) -> Recording:
        return self._recording

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._recording.written(await self._client.records.write(self._recording.batch()))


@suggesting
async def connect(url: Urls | None = None, *, token: str | None = None, timeout: float | None = 30.0,
                  ssl: SSLContext | None = None) -> Client:
    """Connects to a server; params and errors as in `whence.connect`."""
    url, token = place_of(url, token)
    session = Session(url, token, timeout, ssl)
    await session.open()
    return Client(session)
