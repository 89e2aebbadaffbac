"""What can go wrong, as exceptions: one class per error the protocol names, and one for the transport.

All derive from `Error`, which carries what the server said: `code`, `message`, `data` (rule, path, index, seen, ...) and
`errors`, the list of all violations where there are several.
"""
from __future__ import annotations

from typing import Any


class Error(Exception):
    """An error the server answered; an unknown code is of this class itself.

    `code` is the JSON-RPC code, `data` what names place and rule (`{}` where nothing does), `errors` every violation as
    `{code, rule, path, index, seen, message}`, at most 100 and `[]` where the server lists none.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None,
                 errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(code, message, data, errors)
        self.code = code
        self.message = message
        self.data: dict[str, Any] = data or {}
        self.errors: list[dict[str, Any]] = self.data.get("errors", []) if errors is None else errors

    def __str__(self) -> str:
        places = [f"{name} {self.data[name]}" for name in ("index", "path", "rule") if self.data.get(name) not in (None, "")]
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        return f"{self.message} [{', '.join([str(self.code), *places])}]{more}"


class ParseError(Error):
    """What was sent is no JSON."""


class InvalidRequest(Error):
    """What was sent is no request, or not one for now or for here."""


class MethodNotFound(Error):
    """The server has no such method."""


class InvalidParams(Error):
    """A parameter is missing, unknown or out of range; `data["path"]` points at it."""


class InternalError(Error):
    """The server failed; its log says why."""


class Cancelled(Error):
    """The request was cancelled."""


class DeadlineExceeded(Error):
    """There was no answer in time: the server's word for `timeout_ms`, or this client's for its `timeout`."""


class Unauthenticated(Error):
    """The server wants a token, or another one."""


class Forbidden(Error):
    """The token's role is too low, or the server does not serve this origin."""


class NotFound(Error):
    """A node, job or attachment that the request names does not exist."""


class Expired(Error):
    """It was there, and its content expired."""


class Purged(Error):
    """It was there, and its content was purged."""


class InvalidRecord(Error):
    """A record breaks a rule; nothing of the batch was written. `errors` lists all violations."""


class InvalidXml(Error):
    """A document breaks the XML contract; `data` has `error`, `rule`, `line`, `column`, `path`."""


class Conflict(Error):
    """Other content is known under this id or key."""


class Cycle(Error):
    """The write would make something its own ancestor."""


class Precondition(Error):
    """A round number, version or expected transaction is not what it is now."""


class LimitExceeded(Error):
    """Larger, or more, than the server's limits allow."""


class Busy(Error):
    """The server has enough to do."""

    @property
    def retry_after_ms(self) -> int:
        """After how many milliseconds the server wants to be asked again; 100 where it does not say."""
        return int(self.data.get("retry_after_ms", 100))


class CursorInvalid(Error):
    """The cursor is damaged, of another request, or its snapshot is gone."""


class ResumeImpossible(Error):
    """The log no longer reaches back to where a watch would resume, or is another log."""


class StorageFull(Error):
    """The server's disk is full; reading still works."""


class Corrupt(Error):
    """Stored data does not agree with its hash."""


class ConnectionLost(Error):
    """There is no connection, or it ended before the answer. `code` is 0: no server said this."""

    def __init__(self, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(0, message, data)
        self.args = (message, data)  # what copying and pickling call the class with


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


def make(kind: type[Error], message: str, **data: Any) -> Error:
    """An exception that this client raises itself, with the code the server would give it."""
    return kind(_CODES[kind], message, data)
