"""Whence from Python: record what a response was made from, query where anything comes from, watch changes.

    import whence

    with whence.connect() as db:
        for node in db.lineage.ancestors("resp_1"):
            print(node["ref"], node["depth"], node["weight"])

`connect` returns a `Client` whose methods are the protocol's (`whence.methods`); `whence.aio` is the same for asyncio.
"""
from . import aio
from .client import Client, connect
from .errors import (Busy, Cancelled, Conflict, ConnectionLost, Corrupt, CursorInvalid, Cycle, DeadlineExceeded, Error, Expired,
                     Forbidden, InternalError, InvalidParams, InvalidRecord, InvalidRequest, InvalidXml, LimitExceeded,
                     MethodNotFound, NotFound, ParseError, Precondition, Purged, ResumeImpossible, StorageFull, Unauthenticated)
from .results import Result
from .watch import Watch

__all__ = ["Busy", "Cancelled", "Client", "Conflict", "ConnectionLost", "Corrupt", "CursorInvalid", "Cycle", "DeadlineExceeded",
           "Error", "Expired", "Forbidden", "InternalError", "InvalidParams", "InvalidRecord", "InvalidRequest", "InvalidXml",
           "LimitExceeded", "MethodNotFound", "NotFound", "ParseError", "Precondition", "Purged", "Result",
           "ResumeImpossible", "StorageFull", "Unauthenticated", "Watch", "aio", "connect"]
