"""The exceptions of the package: one class per error of the protocol, and one for the transport.

All derive from `Error`, which has the members of the server's error: `code`, `message`, `data` (rule, path, index, seen, ...) and
`errors`, the list of all violations if there are several.
"""
from __future__ import annotations

from typing import Any


class Error(Exception):
    """An error of the server; an unknown code raises this class itself.

    `code` is the JSON-RPC code, `data` has its path and rule (`{}` if there are none), `errors` every violation as
    `{code, rule, path, index, seen, message}`, at most 100, `[]` if the server lists none.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None,
                 errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(code, message, data, errors)
        self.code = code
        self.message = message
        self.data: dict[str, Any] = data or {}
        self.errors: list[dict[str, Any]] = self.data.get("errors", []) if errors is None else errors

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of the frames of this package."""
        return [f"{type(self).__name__}: {self}"]

    def __str__(self) -> str:
        places = [f"{name} {self.data[name]}" for name in ("index", "path", "rule") if self.data.get(name) not in (None, "")]
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        return f"{self.message} [{', '.join([str(self.code), *places])}]{more}"


class ParseError(Error):
    """The message is not JSON."""


class InvalidRequest(Error):
    """The message is not a request, or not one that is allowed in this state."""


class MethodNotFound(Error):
    """The server has no such method."""


class InvalidParams(Error):
    """A parameter is missing, unknown or out of range; `data["path"]` points at it."""


class InternalError(Error):
    """The server failed; its log has the reason."""


class Cancelled(Error):
    """The request was cancelled."""


class DeadlineExceeded(Error):
    """There was no answer in time: within `timeout_ms` on the server, or within the client's `timeout`."""


class Unauthenticated(Error):
    """The server requires a valid token."""


class Forbidden(Error):
    """The token's role is too low, or the server does not serve this origin."""


class NotFound(Error):
    """A node, job or attachment that the request names does not exist."""


class Expired(Error):
    """The content has expired."""


class Purged(Error):
    """The content was purged."""


class InvalidRecord(Error):
    """A record breaks a rule; nothing of the batch was written. `errors` lists all violations."""


class InvalidXml(Error):
    """A document breaks the XML contract; `data` has `error`, `rule`, `line`, `column`, `path`."""


class Conflict(Error):
    """The id or key is in use for other content."""


class Cycle(Error):
    """The write would make a node its own ancestor."""


class Precondition(Error):
    """A given round number, version or transaction is not the current one."""


class LimitExceeded(Error):
    """The request exceeds one of the server's limits."""


class Busy(Error):
    """The server is overloaded."""

    @property
    def retry_after_ms(self) -> int:
        """Milliseconds to wait before a retry, as given by the server; default 100."""
        return int(self.data.get("retry_after_ms", 100))


class CursorInvalid(Error):
    """The cursor is damaged, belongs to another request, or its snapshot is gone."""


class ResumeImpossible(Error):
    """The log no longer contains the resume point of a watch, or is another log."""


class StorageFull(Error):
    """The server's disk is full; reading still works."""


class Corrupt(Error):
    """Stored data does not agree with its hash."""


class ConnectionLost(Error):
    """There is no connection, or it ended before the answer. `code` is 0, because it is not a server's error."""

    def __init__(self, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(0, message, data)
        self.args = (message, data)  # the arguments for copying and pickling


BY_CODE: dict[int, type[Error]] = {
    -32700: ParseError, -32600: InvalidRequest, -32601: MethodNotFound, -32602: InvalidParams, -32603: InternalError,
    -32800: Cancelled, -32801: DeadlineExceeded,
    -32010: Unauthenticated, -32011: Forbidden,
    -32020: NotFound, -32021: Expired, -32022: Purged,
    -32030: InvalidRecord, -32031: InvalidXml,
    -32040: Conflict, -32041: Cycle, -32042: Precondition,
    -32050: LimitExceeded, -32051: Busy,
    -32060: CursorInvalid, -32061: ResumeImpossible,
    -32080: StorageFull, -32081: Corrupt,
}
_CODES = {kind: code for code, kind in BY_CODE.items()}


def error_of(answered: dict[str, Any]) -> Error:
    """The exception for a JSON-RPC error object."""
    data = answered.get("data")
    code = int(answered["code"])
    return BY_CODE.get(code, Error)(code, str(answered.get("message", "")), data if isinstance(data, dict) else None)


def reworded(failure: Error, message: str) -> Error:
    """The same error with another message."""
    if isinstance(failure, ConnectionLost):
        return type(failure)(message, failure.data)
    return type(failure)(failure.code, message, failure.data, failure.errors)


def make(kind: type[Error], message: str, **data: Any) -> Error:
    """An exception that this client raises itself, with the code of the corresponding server error."""
    return kind(_CODES[kind], message, data)
