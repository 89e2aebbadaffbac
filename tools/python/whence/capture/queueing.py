"""Records on their way to the server, in the background: the application is never held up, and no error reaches it.

Groups of records wait in memory, at most `bytes_max` of them. One thread takes what waits as one batch; where there is a spool, it
appends the batch there first, so that it outlives the process. Another thread sends batch after batch, each under a key of its own,
and again while the server is away, busy or full: each is written once, in order.
"""
from __future__ import annotations

import atexit
import collections
import json
import logging
import os
import random
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import errors
from ..nodes import Nodes, Urls
from ..wire import text_of, timed_record
from .posting import Poster
from .spool import Spool, SpoolFile

BYTES_MAX = 64 << 20
SPOOL_BYTES_MAX = 1 << 30
BATCH_BYTES = 512 << 10  # packing one takes a millisecond or two, in which the application's threads do not run
GATHER_S = 0.1  # while batches wait to be sent, a new one begins this much later: a few large ones are written faster than many
PAUSE_MIN_S = 0.1
PAUSE_MAX_S = 5.0
EXIT_S = 5.0  # how long the end of the process waits for the queue
# What passes by itself, or by somebody's help: the batch is sent again.
PASSING = (errors.ConnectionLost, errors.Busy, errors.DeadlineExceeded, errors.StorageFull, errors.InternalError,
           errors.Unauthenticated, errors.Forbidden)

OnError = Callable[[Exception], None]
Group = tuple[bytes, int]  # the text of its records, without the brackets of a list, and their number

_log = logging.getLogger("whence")


def message_of(key: str, texts: Sequence[bytes]) -> bytes:
    """The request that writes groups."""
    return (b'{"jsonrpc":"2.0","id":1,"method":"records.write","params":{"mode":"capture","idempotency_key":"' + key.encode()
            + b'","records":[' + b",".join(texts) + b"]}}")


class RecordQueue:
    """Every method may be called from any thread, and none raises."""

    def __init__(self, url: Urls | Nodes, token: str | None = None, *, bytes_max: int = BYTES_MAX,
                 spool: str | os.PathLike[str] | None = None, spool_bytes_max: int = SPOOL_BYTES_MAX,
                 on_error: OnError | None = None) -> None:
        """`spool` names a folder; it is made, private, where it is not there. Raises OSError, ValueError."""
        self._poster = Poster(url, token)
        self._bytes_max, self._spool_bytes_max, self._on_error = bytes_max, spool_bytes_max, on_error
        self._spool_folder = spool
        self._spool = Spool(spool) if spool is not None else None
        self._begin()
        _live.add(self)

    def _begin(self) -> None:
        """The state of a process that has queued nothing."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._spool_lock = threading.Lock()  # apart from the other, so that no caller waits for a disk
        self._made = 0  # batches so far
        self._groups: collections.deque[Group] = collections.deque()  # not yet in a batch
        self._group_bytes = 0
        self._bytes = 0  # of the groups, and of the batches that no spool has
        self._batches: collections.deque[tuple[bytes, int]] = collections.deque()  # without a spool; and their groups' bytes
        self._counts = {"written": 0, "dropped": 0, "rejected": 0}
        self._pending = 0  # records of this process that were neither written, dropped nor rejected
        self._stopped = False
        self._is_due = threading.Event()  # no pause: somebody waits for the queue
        self._has_warned: set[str] = set()
        self._threads: list[threading.Thread] = []
        if self._spool and self._spool.waiting_bytes:
            self._start()

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Queues records that are written together or not at all."""
        try:
            text = ",".join(text_of(timed_record(record)) for record in records)
            group = text.encode(errors="surrogatepass").decode("utf-8", "replace").encode(), len(records)
        except Exception as failure:
            self._refuse(len(records), failure)
            return
        with self._lock:
            if self._stopped or self._bytes + len(group[0]) > self._bytes_max:
                self._drop(len(records), "the queue is full" if not self._stopped else "the queue is closed")
                return
            self._groups.append(group)
            self._group_bytes += len(group[0])
            self._bytes += len(group[0])
            self._pending += len(records)
            if not self._threads:
                self._start()
            self._changed.notify_all()

    def refuse(self, count: int, failure: Exception) -> None:
        """Counts records that could not be made."""
        self._refuse(count, failure)

    def flush(self, timeout: float = 30.0) -> dict[str, int]:
        """Waits until all is written, at most `timeout` seconds. The numbers of records since the start: `written`, `dropped`
        (there was no room), `rejected` (the server refused them), `pending` (still on their way)."""
        deadline = time.monotonic() + timeout
        self._is_due.set()
        with self._changed:
            while self._is_waiting() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            return {**self._counts, "pending": self._pending}

    def _is_waiting(self) -> bool:
        return self._pending > 0 or (self._spool is not None and self._spool.waiting_bytes > 0)

    def close(self, timeout: float = 30.0) -> dict[str, int]:
        """Flushes and ends the queue. What is `pending` then stays in the spool, or is not written where there is none."""
        counts = self.flush(timeout)
        with self._changed:
            if self._stopped:
                return counts
            self._stopped = True
            self._changed.notify_all()
        self._is_due.set()
        for thread in self._threads:
            thread.join(1.0)
        if self._spool:
            with self._spool_lock:
                self._spool.close()
        if not any(thread.is_alive() for thread in self._threads):
            self._poster.close()
        return counts

    # --- the threads

    def _start(self) -> None:
        for work in (self._gather, self._send):
            thread = threading.Thread(target=work, name="whence-queue", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _gather(self) -> None:
        """Makes batches of what waits."""
        while True:
            with self._changed:
                while not self._groups and not self._stopped:
                    self._changed.wait()
                if not self._groups:
                    return
                self._await_more()
                texts: list[bytes] = []
                size, count = 0, 0
                while self._groups and (not texts or size + len(self._groups[0][0]) <= BATCH_BYTES):
                    text, records = self._groups.popleft()
                    texts.append(text)
                    size, count = size + len(text), count + records
                self._group_bytes -= size
            line = self._line_of(texts, count)
            why = self._keep(line) if self._spool else ""
            with self._changed:
                if not self._spool:
                    self._batches.append((line, size))
                else:
                    self._bytes -= size
                if why:
                    self._pending -= count
                    self._drop(count, why)
                self._made += 1
                self._changed.notify_all()

    def _await_more(self) -> None:
        """Under the lock."""
        begin = time.monotonic()
        while self._batches or (self._spool is not None and self._spool.waiting_bytes > 0):
            left = begin + GATHER_S - time.monotonic()
            if left <= 0 or self._stopped or self._group_bytes >= BATCH_BYTES:
                return
            self._changed.wait(left)

    def _keep(self, line: bytes) -> str:
        """Appends a batch to the spool. Why it was not, or nothing."""
        assert self._spool
        with self._spool_lock:
            if self._spool.waiting_bytes + len(line) > self._spool_bytes_max:
                return "the spool is full"
            try:
                self._spool.own.append(line)
            except OSError as failure:
                return f"the spool cannot be written: {failure}"
        return ""

    @staticmethod
    def _line_of(texts: list[bytes], count: int) -> bytes:
        """A batch as a line: its key, the number of records, and the text of each group as a JSON string."""
        texts_json = json.dumps([text.decode() for text in texts], ensure_ascii=False)
        return json.dumps([f"py-{uuid.uuid4()}", count]).encode()[:-1] + b", " + texts_json.encode() + b"]"

    def _send(self) -> None:
        while not self._stopped:
            seen = self._made
            batch = self._next()
            if batch is None:
                with self._changed:
                    self._changed.notify_all()  # a thread that flushes looks at the spool again
                    while self._made == seen and not self._stopped:
                        self._changed.wait()
                continue
            file, line, size = batch
            try:
                key, count, texts = json.loads(line)
                is_own = file is None or (self._spool is not None and file is self._spool.own)
                self._write(key, count if is_own else 0, count, [text.encode() for text in texts])
            except _Stopped:
                return
            except Exception as failure:  # a line of the spool that is none
                self._refuse(0, failure)
            self._forget(file, line, size)

    def _next(self) -> tuple[SpoolFile | None, bytes, int] | None:
        if not self._spool:
            return (None, *self._batches[0]) if self._batches else None
        with self._spool_lock:
            try:
                found = self._spool.next_batch()
            except OSError as failure:
                self._warn(f"the spool cannot be read: {failure}")
                return None
        return (*found, 0) if found else None

    def _forget(self, file: SpoolFile | None, line: bytes, size: int) -> None:
        """Takes a batch out, which is written or refused."""
        if file is None:
            with self._changed:
                self._batches.popleft()
                self._bytes -= size
                self._changed.notify_all()
            return
        with self._spool_lock:
            if self._spool and not self._stopped:  # else the next process sends it again, under the same key
                self._spool.done(file, line)
                self._spool.own.shrink()
        with self._changed:
            self._changed.notify_all()

    def _write(self, key: str, pending: int, count: int, texts: list[bytes]) -> None:
        """Sends a batch until it is written or refused; one that is refused is sent group by group, so that a bad record takes
        no other with it. `pending` of its `count` records were counted when they were queued."""
        try:
            self._deliver(message_of(key, texts))
        except errors.Error as refusal:
            if len(texts) > 1:
                for number, text in enumerate(texts):
                    self._write_one(f"{key}-{number}", text)
                with self._changed:
                    self._pending -= pending
                return
            self._refuse(count, refusal)
        else:
            with self._lock:
                self._counts["written"] += count
        with self._changed:
            self._pending -= pending

    def _write_one(self, key: str, text: bytes) -> None:
        count = len(json.loads(b"[" + text + b"]"))
        try:
            self._deliver(message_of(key, [text]))
        except errors.Error as refusal:
            self._refuse(count, refusal)
        else:
            with self._lock:
                self._counts["written"] += count

    def _deliver(self, message: bytes) -> None:
        """Sends a message until the server takes or refuses it. Raises the refusal."""
        pause = PAUSE_MIN_S
        while not self._stopped:
            try:
                self._poster.post(message)
                return
            except PASSING as failure:
                self._warn(f"records wait: {failure}")
                wait = pause * random.uniform(0.5, 1.0)
                if isinstance(failure, errors.Busy):
                    wait = max(wait, failure.retry_after_ms / 1000)
                pause = min(pause * 2, PAUSE_MAX_S)
                if self._is_due.wait(wait):
                    self._is_due.clear()
                    pause = PAUSE_MIN_S
        raise _Stopped

    # --- what went wrong

    def _drop(self, count: int, why: str) -> None:
        self._counts["dropped"] += count
        self._warn(f"records are dropped: {why}")

    def _refuse(self, count: int, failure: Exception) -> None:
        with self._lock:
            self._counts["rejected"] += count
            self._warn(f"records are refused: {failure}")
        try:
            if self._on_error:
                self._on_error(failure)
        except Exception:
            _log.exception("the callback for errors failed")

    def _warn(self, text: str) -> None:
        """Logs each kind of trouble once."""
        kind = text.partition(":")[0]
        if kind not in self._has_warned:
            self._has_warned.add(kind)
            _log.warning("whence: %s (told once)", text)

    # --- the process

    def _begin_after_fork(self) -> None:
        """A child has no threads, and nothing of what waits is its own."""
        if self._spool:
            self._spool.abandon()
            self._spool = None
            try:
                self._spool = Spool(self._spool_folder) if self._spool_folder is not None else None
            except OSError as failure:
                _log.warning("whence: the spool cannot be opened: %s", failure)
        self._poster.forget()
        self._begin()


class _Stopped(BaseException):
    """Ends a thread of a queue that was closed."""


_live: weakref.WeakSet[RecordQueue] = weakref.WeakSet()


def _at_exit() -> None:
    deadline = time.monotonic() + EXIT_S
    for queue in list(_live):
        queue.close(max(0.0, deadline - time.monotonic()))


def _after_fork() -> None:
    for queue in list(_live):
        queue._begin_after_fork()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
