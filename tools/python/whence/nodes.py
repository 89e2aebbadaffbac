"""The addresses of a client, and what it has seen of the graph behind them.

Several addresses are those of nodes that share one log (`store/replicated`): each has the same transactions under the same numbers,
though not all at the same moment. A client goes on at the next node where one is gone, and never sees an older state there than
before: it remembers the newest transaction that it wrote or read.
"""
from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Iterable, Iterator
from ssl import SSLContext
from typing import Any

from . import errors
from .transport import Connection, Json, websocket_url

CONNECT_S = 5.0  # for connecting to one of several: longer than that, and another is tried
CATCH_UP_MS = 3000  # how long a node may take to have what this client has seen
GRACE_S = 2.0
PAUSE_FIRST_S = 0.1
PAUSE_LONGEST_S = 5.0

DEFAULT_URL = "http://127.0.0.1:7411"

Urls = str | Iterable[str]


def place_of(url: Urls | None, token: str | None) -> tuple[Urls, str | None]:
    """Where `connect` leads without an address: `WHENCE_URL` of the environment, with the token `WHENCE_TOKEN`."""
    if url is not None:
        return url, token
    return os.environ.get("WHENCE_URL") or DEFAULT_URL, token or os.environ.get("WHENCE_TOKEN") or None


def growing_pauses() -> Iterator[float]:
    """An endless sequence of seconds, random between 0.1 and a bound that doubles up to 5, so that the clients of a restarted
    server do not reconnect at once.
    """
    bound = 2 * PAUSE_FIRST_S
    while True:
        yield random.uniform(PAUSE_FIRST_S, bound)
        bound = min(2 * bound, PAUSE_LONGEST_S)


class Nodes:
    """The addresses in order, the one that was good last, and the newest transaction seen. Callable from any thread."""

    def __init__(self, urls: Urls, ssl: SSLContext | None = None) -> None:
        """`urls`: one address, several separated by commas, or a list. Raises ValueError for what is no address. `ssl`: for those
        with TLS; `None`: the system's authorities."""
        listed = urls.split(",") if isinstance(urls, str) else list(urls)
        self.urls = tuple(dict.fromkeys(url.strip() for url in listed if url.strip())) or ("",)
        for url in self.urls:
            websocket_url(url)
        self.ssl = ssl
        self._epoch: str | None = None  # of the log that all of them share
        self._lock = threading.Lock()
        self._at = 0
        self._seen = 0

    @property
    def are_several(self) -> bool:
        return len(self.urls) > 1

    @property
    def current(self) -> str:
        """The address to try first."""
        return self.urls[self._at]

    @property
    def seen(self) -> int:
        """The newest transaction that this client wrote or read."""
        return self._seen

    def saw(self, answer: Any) -> None:
        """Takes note of the transaction that an answer or a notification names."""
        tx = answer.get("tx") if isinstance(answer, dict) else None
        if isinstance(tx, int):
            with self._lock:
                self._seen = max(self._seen, tx)

    def check_epoch(self, url: str, epoch: Any) -> None:
        """Raises `ConnectionLost` where the node at `url` has another graph than the one that was asked first."""
        with self._lock:
            self._epoch = self._epoch or epoch
            if epoch != self._epoch:
                raise errors.ConnectionLost(f"{url} has another graph (epoch {epoch}, not {self._epoch})")

    def pass_over(self, url: str) -> None:
        """The next address is tried first from now on, if `url` was."""
        with self._lock:
            if self.urls[self._at] == url:
                self._at = (self._at + 1) % len(self.urls)


def nodes_of(urls: Urls | Nodes, ssl: SSLContext | None = None) -> Nodes:
    return urls if isinstance(urls, Nodes) else Nodes(urls, ssl)


class Attempts:
    """The tries of one call: which addresses failed, and the pauses between rounds over all of them."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._said: dict[str, str] = {}
        self._failed: set[str] = set()  # in this round
        self._pauses = growing_pauses()

    def failed(self, url: str, failure: errors.Error) -> float:
        """Takes note of a failure. The seconds to wait: 0 while there are addresses that were not tried in this round."""
        self._said[url] = failure.message
        self._failed.add(url)
        self._nodes.pass_over(url)
        if self._nodes.current not in self._failed:
            return 0.0
        self._failed.clear()
        return next(self._pauses)

    def summary(self, failure: errors.Error) -> errors.Error:
        """`failure`, the last one; where several nodes were asked with what each of them said."""
        if len(self._said) < 2:
            return failure
        said = "; ".join(f"{url}: {why}" for url, why in self._said.items())
        return errors.reworded(failure, f"no node has answered: {said}")


async def enter(connection: Connection, nodes: Nodes, needed: int = 0) -> None:
    """Sees that a node is of the same graph as the others, and has what this client has seen, and `needed`.

    Raises `ConnectionLost` where it is not, so that another is tried. One address alone is always right.
    """
    if not nodes.are_several:
        return
    nodes.check_epoch(connection.url, connection.hello.get("epoch"))
    await reach(connection, max(needed, nodes.seen))


async def reach(connection: Connection, tx: int) -> None:
    """Waits until a node has transaction `tx`. Raises `ConnectionLost` where that takes too long."""
    if connection.reached >= tx:
        return
    # The cheapest read that waits: the empty graph has nothing to count.
    params: Json = {"type": "Topic", "as_of": 0, "min_tx": tx, "timeout_ms": CATCH_UP_MS}
    request = await connection.send("node.count", params)
    try:
        await asyncio.wait_for(asyncio.shield(request.answer), CATCH_UP_MS / 1000 + GRACE_S)
    except (errors.DeadlineExceeded, asyncio.TimeoutError) as late:
        raise errors.ConnectionLost(f"{connection.url} is behind: it does not have transaction {tx}") from late
    connection.reached = max(connection.reached, tx)
