"""Watching the graph change, for the synchronous client."""
from __future__ import annotations

from collections.abc import Iterator

from .feed import Feed
from .portal import Portal
from .transport import Json
from .watched import OnNote, Watched


class Watch(Watched):
    """An iterator over events, each once and in order, until it is closed; see `Client.watch`.

    It reconnects and resumes by itself. One thread reads; `close` and `tx` may be used from any.
    """

    def __init__(self, portal: Portal, feed: Feed, on_lagged: OnNote | None, on_caught_up: OnNote | None) -> None:
        super().__init__(on_lagged, on_caught_up)
        self._portal, self._feed = portal, feed
        self._tx = feed.from_tx if not feed.has_snapshot else None

    def __iter__(self) -> Iterator[Json]:
        return self

    def __next__(self) -> Json:
        """The next event; waits for it. Ends after `close`; raises `ResumeImpossible`, `Forbidden` and any other
        error that reconnecting cannot fix."""
        while (event := self._next_event()) is None:
            arrival = self._portal.run(self._feed.next()) if self._portal.is_open else None
            if arrival is None:
                raise StopIteration
            self._take(arrival)
        return event

    def close(self) -> None:
        """Ends the watch; a thread that waits for an event returns. May be called again, also from another thread."""
        self._portal.finish(self._feed.close())

    def __del__(self) -> None:
        self._portal.start(self._feed.close())  # a forgotten watch does not keep running

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
