"""The position of a watch: the part that both clients' watches share."""
from __future__ import annotations

import collections
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .calling import Moment, closest
from .feed import Arrival, Feed, Subscribing
from .methods import MATCH
from .session import Session
from .transport import Json
from .wire import text_of

OnNote = Callable[[Json], None]
OPTIONS = ("match", "since", "snapshot", "include", "credit", "on_lagged", "on_caught_up")  # of `watch`, beside what selects events


def feed_of(session: Session, match: Mapping[str, Any] | None, since: Moment, snapshot: bool, include: Iterable[str],
            credit: int | None, match_members: Mapping[str, Any]) -> Feed:
    """The feed for the params of `watch(...)`. Call it on the session's event loop."""
    if credit is not None and credit < 1:
        raise ValueError(f"credit must be at least 1 or None: {credit}")
    if not isinstance(snapshot, bool):
        raise TypeError(f"snapshot must be True or False: {snapshot!r}")
    for name in set(match_members) - set(MATCH):
        if option := closest(name, (*OPTIONS, *MATCH)):
            if option in OPTIONS:  # else the server says which of its members is meant
                raise TypeError(f"watch() got an unexpected keyword argument {name!r}; did you mean {option!r}?")
    begin: int | str = json.loads(text_of(since))
    wanted = Subscribing(match={**(match or {}), **match_members}, since=begin, snapshot=snapshot, include=list(include),
                         credit=credit, epoch=session.hello.get("epoch") if isinstance(begin, int) else None)
    return Feed(session.nodes, session.token, session.timeout, wanted)


class Watched:
    """Events in the order of delivery, and their resume point."""

    def __init__(self, on_lagged: OnNote | None, on_caught_up: OnNote | None) -> None:
        self._callbacks = {"$/lagged": on_lagged, "$/caught_up": on_caught_up}
        self._events: collections.deque[Json] = collections.deque()
        self._tx: int | None = None

    @property
    def tx(self) -> int | None:
        """The resume point: everything up to this transaction has been delivered, so `since=tx` continues after it.

        `None` until a snapshot is complete, because a part of one cannot be resumed by another watch.
        """
        return self._tx

    def _take(self, arrival: Arrival) -> None:
        self._events.extend(arrival.events)
        if "tx" in arrival.params:
            self._tx = max(self._tx or 0, int(arrival.params["tx"]))
        callback = self._callbacks.get(arrival.method)
        if callback:
            callback(arrival.params)

    def _next_event(self) -> Json | None:
        """The next event that has arrived. With the last one of a transaction the resume point moves."""
        if not self._events:
            return None
        event = self._events.popleft()
        if not event.get("snapshot") and not (self._events and self._events[0]["tx"] == event["tx"]):
            self._tx = int(event["tx"])
        return event
