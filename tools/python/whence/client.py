"""The synchronous client: a server's methods as plain calls.

A background thread runs the connection; the client may be called from any number of threads.
"""
from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping
from ssl import SSLContext
from typing import Any

from .calling import Json, Moment, suggesting
from .capture.calls import Calls
from .capture.queueing import RecordQueue
from .conveniences import Exports, Feedbacks, Questions
from .feed import Feed
from .greeting import Greeted
from .nodes import Urls, place_of
from .notebook import Shown
from .pages import TAKE_FORM, source_of, without_callback
from .portal import Portal
from .recording import Recording
from .results import Result
from .session import Session
from .watch import Watch
from .watched import OnNote, feed_of


class Client(Questions[Json, Result], Greeted, Calls):
    """A connection to a server; made by `whence.connect`. Its methods are those of `whence.methods`."""

    def __init__(self, url: Urls, token: str | None = None, timeout: float | None = 30.0, ssl: SSLContext | None = None) -> None:
        super().__init__(self)
        self.feedback: Feedbacks = Feedbacks(self)
        self.export: Exports = Exports(self)
        self._session = Session(url, token, timeout, ssl)
        self.export.session = self._session
        self._beside = Shown(self._session)
        self._portal = Portal()
        self._feeds: weakref.WeakSet[Feed] = weakref.WeakSet()
        self._queue: RecordQueue | None = None
        self._queueing = threading.Lock()
        try:
            self._portal.run(self._session.open())
        except BaseException:
            self._portal.close()
            raise

    def watch(self, match: Mapping[str, Any] | None = None, *, since: Moment = "now", snapshot: bool = False,
              include: Iterable[str] = ("record",), credit: int | None = None, on_lagged: OnNote | None = None,
              on_caught_up: OnNote | None = None, **match_members: Any) -> Watch:
        """The changes of the graph as they happen: events `{tx, prev, at, op, ref, record?, edges?, ...}`.

        match, match_members: the selected events, by any of `types`, `ops`, `topics`, `agents`, `edge_types`, `downstream_of`,
            `upstream_of`, `depth`; all given members must match; without any, everything does.
        since: a transaction id (later ones are delivered; a watch's `tx` resumes it), an RFC 3339 time, or "now".
        snapshot: sends the state as of `since` first, as events with `snapshot: True`.
        include: any of `record` and `edges`.
        credit: the number of events that the server may send ahead of the reader; default: as many as the network buffers.
        on_lagged: called with `{at_tx, head_tx}` when reading is slower than writing; no event is lost.
        on_caught_up: called with `{tx}` when snapshot and replay are complete. Both are called in the reading thread.

        Raises the server's refusal, and `ResumeImpossible` if its log does not reach back to `since`.
        """
        feed = self._portal.run(self._subscribe(match, since, snapshot, include, credit, match_members))
        return Watch(self._portal, feed, on_lagged, on_caught_up)

    def response(self, agent: str, model: str, **members: Any) -> Recorder:
        """Records a response when the `with` block ends, and nothing if it raises.

            with db.response("support-bot", "gpt-4") as r:
                r.used("cu_policy", weight=0.7)
                r.used({"type": "User", "source": "chat", "content": "I was told so."})
                r.set(content="Yes.")
            r.id, r.tx

        members: those of a Response, such as `id` (starts with `resp_`; assigned by the server if left out), `timestamp`
        (RFC 3339; the end of the block if left out), `prompt`, `content`, `usage`.
        """
        return Recorder(self, Recording(agent, model, members))

    def _queue_of_records(self) -> RecordQueue:
        with self._queueing:
            if self._queue is None:
                self._queue = RecordQueue(self._session.nodes, self._session.token)
            return self._queue

    def close(self) -> None:
        """Ends the connection, all watches and, once it is flushed, the queue; pending calls end with `ConnectionLost`. May be
        called again."""
        if self._queue is not None:
            self._queue.close()
        self._portal.finish(self._end())
        self._portal.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, method: str, params: Json) -> Json:
        """Called by `rpc` and by the methods with one result object."""
        sent, on_progress = without_callback(params)
        return self._portal.run(self._session.call(method, sent, on_progress))

    def listed(self, method: str, lists: tuple[str, ...], params: Json) -> Result:
        """Called by the list methods."""
        again = (lambda changed: self.listed(method, lists, changed)) if method in TAKE_FORM else None
        return Result(self._portal, source_of(self._session, method, lists, params), lists, params, again, self._beside)

    async def _subscribe(self, match: Mapping[str, Any] | None, since: Moment, snapshot: bool, include: Iterable[str],
                         credit: int | None, match_members: Mapping[str, Any]) -> Feed:
        feed = feed_of(self._session, match, since, snapshot, include, credit, match_members)
        self._feeds.add(feed)
        await feed.start()
        return feed

    async def _end(self) -> None:
        for feed in list(self._feeds):
            await feed.close()
        await self._session.close()


class Recorder:
    """The context manager of `with db.response(...)`; it yields the `Recording`."""

    def __init__(self, client: Client, recording: Recording) -> None:
        self._client, self._recording = client, recording

    def __enter__(self) -> Recording:
        return self._recording

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._recording.written(self._client.records.write(self._recording.batch()))


@suggesting
def connect(url: Urls | None = None, *, token: str | None = None, timeout: float | None = 30.0,
            ssl: SSLContext | None = None) -> Client:
    """Connects to a server, or to one of several nodes that share a log.

    url: `http`, `https`, `ws` or `wss`; several as a list, or separated by commas. Left out: `WHENCE_URL` of the environment, with the token
    `WHENCE_TOKEN`, else http://127.0.0.1:7411. token: for a server that requires one. timeout: seconds that connecting, and each call,
    may take without an answer; `None` waits for ever. ssl: for `https` and `wss`, such as one that has a client certificate. Raises `ConnectionLost`, `Unauthenticated`, `Forbidden`.
    """
    url, token = place_of(url, token)
    return Client(url, token, timeout, ssl)
