"""Whence from Python: record what a response was made from, query where anything comes from, watch changes.

    import whence

    with whence.connect() as db:
        for node in db.lineage.ancestors("resp_1"):
            print(node["ref"], node["depth"], node["weight"])

    whence.record(agent="bot", model="m", prompt=question, content=answer, context_units=[{"content": text, "source": "file:a.md"}])

`record` queues and returns at once; the server is `WHENCE_URL`. `connect` returns a `Client` whose methods are the protocol's (`whence.methods`); `whence.aio` is the same for asyncio.
"""
from . import aio
from .capture.calls import Call, used
from .capture.environment import call, enqueue, flush, record, recorded
from .capture.queueing import RecordQueue
from .client import Client, connect
from .errors import (Busy, Cancelled, Conflict, ConnectionLost, Corrupt, CursorInvalid, Cycle, DeadlineExceeded, Error, Expired,
                     Forbidden, InternalError, InvalidParams, InvalidRecord, InvalidRequest, InvalidXml, LimitExceeded,
                     MethodNotFound, NotFound, ParseError, Precondition, Purged, ResumeImpossible, StorageFull, Unauthenticated)
from .results import Result
from .watch import Watch

__version__ = "0.1.0"

__all__ = ["Busy", "Call", "Cancelled", "Client", "Conflict", "ConnectionLost", "Corrupt", "CursorInvalid", "Cycle", "DeadlineExceeded",
           "Error", "Expired", "Forbidden", "InternalError", "InvalidParams", "InvalidRecord", "InvalidRequest", "InvalidXml",
           "LimitExceeded", "MethodNotFound", "NotFound", "ParseError", "Precondition", "Purged", "RecordQueue", "Result",
           "ResumeImpossible", "StorageFull", "Unauthenticated", "Watch", "aio", "call", "connect", "enqueue", "flush", "record",
           "recorded", "used"]
