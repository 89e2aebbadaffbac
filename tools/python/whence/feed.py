"""The receiving half of a watch: a subscription that outlives its connections, and goes on at another node where there are several.

Invariants:

1. A feed has its own connection, so that a slow reader delays only its own subscription.
2. `_resume` is the last transaction that was received completely. It moves with events, heartbeats and the end of a replay,
   but not during a snapshot: an interrupted snapshot is requested again, as of the same transaction.
3. Nothing is delivered twice: live events must be later than `_resume`, snapshot events must have a new ref.
4. Nothing is missed: the `prev` of each transaction must be the transaction before it on this subscription. Otherwise
   the connection is closed and the feed resumes.
5. A node that does not have `_resume` yet is not subscribed to: all nodes have the same transactions, so that 2 to 4 hold at any.
"""
from __future__ import annotations

import asyncio
import collections
import itertools
import logging
import time
from dataclasses import dataclass, field

from . import errors
from .nodes import CONNECT_S, Attempts, Nodes, enter
from .transport import Connection, Json

MESSAGES_WAITING_MAX = 4  # more stay in the server; one holds up to some MiB of events

_log = logging.getLogger("whence")


@dataclass
class Subscribing:
    """The params of `subscribe`. `epoch` identifies the log that `since` refers to."""
    match: Json
    since: int | str
    snapshot: bool
    include: list[str]
    credit: int | None
    epoch: str | None


@dataclass
class Arrival:
    """One notification for the reader: events, or a note between events."""
    events: list[Json] = field(default_factory=list)
    method: str = "event"
    params: Json = field(default_factory=dict)
    sub: str = ""
    credit: int = 0  # returned once the reader has processed the events


class _Gap(Exception):
    """`prev` names a transaction that was not received."""


class Feed:
    """The receiving half of a watch. Made by `start`; all of it runs on one event loop."""

    def __init__(self, nodes: Nodes, token: str | None, timeout: float | None, wanted: Subscribing) -> None:
        self.from_tx: int | None = None  # of the first subscription
        self.has_snapshot = wanted.snapshot
        self._nodes, self._token, self._timeout, self._wanted = nodes, token, timeout, wanted
        self._resume: int | None = None
        self._in_snapshot = wanted.snapshot
        self._snapshot_refs: set[str] = set()
        self._before = 0  # the last transaction of this subscription
        self._sub = ""
        self._connection: Connection | None = None
        self._subscribed = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._progressed = False
        self._waiting: collections.deque[Arrival] = collections.deque()
        self._changed = asyncio.Condition()
        self._failure: errors.Error | None = None
        self._ended = False
        self._owed: Arrival | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Subscribes; tries for `timeout` seconds to reach the server. Raises the server's refusal."""
        self._task = asyncio.ensure_future(self._run())
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: self.from_tx is not None or self._ended)
        except BaseException:
            await self.close()
            raise
        if self._failure:
            raise self._failure

    async def next(self) -> Arrival | None:
        """The next arrival; `None` after `close`. Taking it returns the credit of the arrival before it."""
        if self._owed:
            owed, self._owed = self._owed, None
            await self._return_credit(owed.sub, owed.credit)
        async with self._changed:
            await self._changed.wait_for(lambda: self._waiting or self._ended)
            if not self._waiting:
                failure, self._failure = self._failure, None
                if failure:
                    raise failure
                return None
            arrival = self._waiting.popleft()
            self._changed.notify_all()
        self._owed = arrival if arrival.credit else None
        return arrival

    async def close(self) -> None:
        """Ends the subscription and the connection; pending arrivals are dropped. May be called again."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        async with self._changed:
            self._waiting.clear()
            self._failure = None
            self._ended = True
            self._changed.notify_all()

    async def _run(self) -> None:
        try:
            await self._follow()
        except errors.Error as failure:
            self._failure = failure
        finally:
            if self._connection:
                await self._connection.close()
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def _follow(self) -> None:
        """Subscribes again after every lost connection; ends only with an error that a retry cannot fix."""
        began, attempts = time.monotonic(), Attempts(self._nodes)
        while True:
            self._progressed = False
            url, least = self._nodes.current, 0.0
            failure: errors.Error = errors.ConnectionLost("the subscription ended")
            try:
                await self._follow_once(url)
            except errors.Busy as refusal:
                failure, least = refusal, refusal.retry_after_ms / 1000
            except errors.ConnectionLost as lost:
                failure = lost
            except errors.ResumeImpossible as refusal:
                if not self._is_behind(refusal):
                    raise
                failure = refusal
            except _Gap as gap:
                _log.warning("watch: %s; resuming after transaction %s", gap, self._resume)
            if self._progressed:
                attempts = Attempts(self._nodes)
            pause = attempts.failed(url, failure)
            late = self._timeout is not None and time.monotonic() - began > self._timeout
            is_hopeless = late if isinstance(failure, errors.ConnectionLost) else isinstance(failure, errors.ResumeImpossible) and pause
            if self.from_tx is None and is_hopeless:
                raise attempts.summary(failure)
            await asyncio.sleep(max(pause, least) if pause else 0)

    def _is_behind(self, refusal: errors.Error) -> bool:
        """Whether another node may have what this one does not have yet."""
        is_same_log = self._wanted.epoch in (None, refusal.data.get("epoch"))
        return self._nodes.are_several and is_same_log and "tx" in refusal.data

    async def _follow_once(self, url: str) -> None:
        """One connection, from subscribing to its end."""
        self._subscribed.clear()
        self._over = asyncio.get_running_loop().create_future()
        timeout = min(self._timeout or CONNECT_S, CONNECT_S) if self._nodes.are_several else self._timeout
        self._connection = await Connection.open(url, self._token, timeout, self._take, self._nodes.ssl)
        ended = asyncio.ensure_future(self._connection.wait_closed())
        try:
            await enter(self._connection, self._nodes, self._resume or 0)
            await self._subscribe(self._connection)
            await asyncio.wait({ended, self._over}, return_when=asyncio.FIRST_COMPLETED)
            if self._over.done():
                self._over.result()
        finally:
            ended.cancel()
            await self._connection.close()

    async def _subscribe(self, connection: Connection) -> None:
        request = await connection.send("subscribe", self._params())
        try:
            answer = await asyncio.wait_for(request.answer, self._timeout)
        except asyncio.TimeoutError as late:
            raise errors.ConnectionLost("no answer to subscribe in time") from late
        self._sub, self._before = answer["sub"], 0
        self._wanted.since = int(answer["from_tx"])
        self._wanted.epoch = self._wanted.epoch or connection.hello.get("epoch")
        if not self._in_snapshot:
            self._resume = max(self._resume or 0, self._wanted.since)
        async with self._changed:
            if self.from_tx is None:
                self.from_tx = self._wanted.since
            self._changed.notify_all()
        self._subscribed.set()

    def _params(self) -> Json:
        wanted = self._wanted
        since = wanted.since if self._resume is None else self._resume
        params: Json = {"match": wanted.match, "since": since}
        if self._in_snapshot:
            params["snapshot"] = True
        if wanted.include:
            params["include"] = wanted.include
        if wanted.credit is not None:
            params["credit"] = wanted.credit
        if wanted.epoch is not None and isinstance(since, int):
            params["epoch"] = wanted.epoch
        return params

    async def _take(self, method: str, params: Json) -> None:
        """Handles one notification."""
        await self._subscribed.wait()
        if self._over.done() or params.get("sub", self._sub) != self._sub:
            return
        try:
            if method == "event":
                await self._take_events(params["events"])
            elif method == "$/ended":
                self._take_end(params)
            elif method in ("$/caught_up", "$/heartbeat", "$/lagged"):
                await self._take_note(method, params)
        except (errors.Error, _Gap) as failure:
            self._over.set_exception(failure)

    async def _take_events(self, events: list[Json]) -> None:
        fresh: list[Json] = []
        gap: _Gap | None = None
        for tx, of_tx in itertools.groupby(events, lambda event: int(event["tx"])):
            transaction = list(of_tx)
            if transaction[0].get("snapshot"):
                fresh += self._new_of_snapshot(transaction)
                continue
            if transaction[0]["prev"] != self._before:
                gap = _Gap(f"transaction {tx} follows {transaction[0]['prev']}, but {self._before} was the last received")
                break
            fresh += self._new_of(tx, transaction)
        credit = len(events) if self._wanted.credit is not None else 0
        if fresh:
            self._progressed = True
            await self._deliver(Arrival(fresh, sub=self._sub, credit=credit))
        elif credit and not gap:
            await self._return_credit(self._sub, credit)
        if gap:
            raise gap

    def _new_of_snapshot(self, events: list[Json]) -> list[Json]:
        self._before = int(events[0]["tx"])
        new = [event for event in events if event["ref"] not in self._snapshot_refs]
        self._snapshot_refs.update(event["ref"] for event in new)
        return new

    def _new_of(self, tx: int, events: list[Json]) -> list[Json]:
        known = self._resume is not None and tx <= self._resume
        self._before = tx
        self._received_up_to(tx)
        return [] if known else events

    async def _take_note(self, method: str, params: Json) -> None:
        if method == "$/heartbeat" and self._in_snapshot:
            return
        if method != "$/lagged":
            self._progressed = True
            self._received_up_to(int(params["tx"]))
        await self._deliver(Arrival(method=method, params=params, sub=self._sub))

    def _take_end(self, params: Json) -> None:
        reason = params.get("reason")
        kinds = {"resume_impossible": errors.ResumeImpossible, "forbidden": errors.Forbidden}
        if reason in kinds:
            raise errors.make(kinds[reason], f"the server ended the subscription: {reason}", tx=params.get("tx"))
        if not self._in_snapshot:
            self._received_up_to(int(params["tx"]))
        self._over.set_result(None)

    def _received_up_to(self, tx: int) -> None:
        self._in_snapshot = False
        self._snapshot_refs.clear()
        self._resume = max(self._resume or 0, tx)
        self._nodes.saw({"tx": tx})

    async def _deliver(self, arrival: Arrival) -> None:
        """Queues an arrival for the reader. While the queue is full it waits, and the connection with it."""
        async with self._changed:
            if arrival.method == "$/heartbeat":
                if self._waiting and self._waiting[-1].method == "$/heartbeat":
                    self._waiting.pop()  # only the latest counts
            else:
                await self._changed.wait_for(lambda: len(self._waiting) < MESSAGES_WAITING_MAX)
            self._waiting.append(arrival)
            self._changed.notify_all()

    async def _return_credit(self, sub: str, credit: int) -> None:
        if self._connection and sub == self._sub:
            await self._connection.notify("$/credit", {"sub": sub, "n": credit})
