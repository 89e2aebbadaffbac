"""What a server said of itself when a connection to it was made: the same for both clients."""

from __future__ import annotations

from .calling import Json
from .session import Session


class Greeted:
    """The part of a client that repeats the answer to its hello. Of the latest one, where it connected again."""

    _session: Session

    @property
    def tx(self) -> int:
        """The newest transaction when the connection was made."""
        return int(self._session.hello["tx"])

    @property
    def epoch(self) -> str:
        """Which log the server's transaction ids belong to; another one after it was replaced."""
        return str(self._session.hello["epoch"])

    @property
    def limits(self) -> Json:
        """The server's `message_bytes`, `inflight`, `subscriptions` and `page`."""
        return dict(self._session.hello["limits"])
