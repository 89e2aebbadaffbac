"""The server's answer to `session.hello`, as properties of both clients."""

from __future__ import annotations

from .calling import Json
from .session import Session


class Greeted:
    """The properties of a client from the answer to its latest `session.hello`."""

    _session: Session

    @property
    def url(self) -> str:
        """The address that calls go to; of several nodes the one in use."""
        return self._session.url

    @property
    def tx(self) -> int:
        """The newest transaction when the connection was made."""
        return int(self._session.hello["tx"])

    @property
    def epoch(self) -> str:
        """The identity of the log that transaction ids belong to; it changes when the log is replaced."""
        return str(self._session.hello["epoch"])

    @property
    def limits(self) -> Json:
        """The server's `message_bytes`, `inflight`, `subscriptions` and `page`."""
        return dict(self._session.hello["limits"])
