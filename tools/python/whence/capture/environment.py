"""Recording without a client of one's own: `whence.record`, `whence.call`, `whence.recorded`, `whence.flush`.

The server is named by `WHENCE_URL` (default http://127.0.0.1:7411), its token by `WHENCE_TOKEN`, a folder for what waits while the
server is down by `WHENCE_SPOOL`.
"""
from __future__ import annotations

import logging
import os
import threading

from ..nodes import DEFAULT_URL
from .calls import Calls
from .queueing import RecordQueue

_log = logging.getLogger("whence")


class EnvironmentCalls(Calls):
    """A queue to the server that the environment names, made when it is first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: RecordQueue | None = None

    def _queue_of_records(self) -> RecordQueue:
        with self._lock:
            if self._queue is None:
                self._queue = queue_from_environment()
            return self._queue


def queue_from_environment() -> RecordQueue:
    """Settings that do not hold are named by the log, and not by an exception: recording is not to stop an application."""
    token, spool = os.environ.get("WHENCE_TOKEN") or None, os.environ.get("WHENCE_SPOOL") or None
    url = os.environ.get("WHENCE_URL") or DEFAULT_URL
    while True:
        try:
            return RecordQueue(url, token, spool=spool)
        except ValueError as failure:
            _log.warning("whence: WHENCE_URL: %s; %s is used", failure, DEFAULT_URL)
            url = DEFAULT_URL
        except OSError as failure:
            _log.warning("whence: WHENCE_SPOOL: %s; records wait in memory only", failure)
            spool = None


default = EnvironmentCalls()
record = default.record
enqueue = default.enqueue
call = default.call
recorded = default.recorded
flush = default.flush
