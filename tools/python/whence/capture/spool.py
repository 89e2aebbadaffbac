"""A folder of files in which batches wait for a server, across the ends of processes.

Each process that opens the folder appends to a file of its own, which it holds by `flock`. A line is one batch, under the key with
which it is sent: a batch that is sent again is the same batch to the server. How far a file was sent is in a second file.
What a process leaves behind when it ends is sent by the next one that opens the folder, in the order of the files.
"""
from __future__ import annotations

import contextlib
import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from .folders import make_private

PLACE_DIGITS = 20
SHRINK_BYTES = 1 << 20  # a file that was sent whole and is longer begins anew


class SpoolFile:
    """One file, held by this process; for one writing and one reading thread."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._file = descriptor
        self._place_path = path.with_suffix(".sent")
        self._end = self._whole_end()
        self._sent = min(self._read_place(), self._end)
        self._rest = b""  # what was read behind the batch under way

    @classmethod
    def hold(cls, path: Path, flags: int = 0) -> SpoolFile | None:
        """The file, if no other process has it."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o600)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_nlink:  # else it was sent and removed in between
                return cls(path, descriptor)
        except OSError:
            pass
        os.close(descriptor)
        return None

    @property
    def waiting_bytes(self) -> int:
        return self._end - self._sent

    def append(self, line: bytes) -> None:
        """Adds a batch. Raises OSError; then nothing was added."""
        view = memoryview(line + b"\n")
        place = self._end
        while view:
            written = os.pwrite(self._file, view, place)
            place, view = place + written, view[written:]
        self._end = place

    def next_line(self) -> bytes | None:
        """The first batch that was not sent; None where all were."""
        if self._sent == self._end:
            return None
        parts, place = [], self._sent
        while True:
            part = os.pread(self._file, 1 << 20, place)
            head, found, _ = part.partition(b"\n")
            parts.append(head)
            if found or not part:
                return b"".join(parts)
            place += len(part)

    def mark_sent(self, line: bytes) -> None:
        """The batch needs not be sent any more."""
        self._sent += len(line) + 1
        with contextlib.suppress(OSError):  # then it is sent again, under the same key
            place = os.open(self._place_path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.pwrite(place, b"%0*d" % (PLACE_DIGITS, self._sent), 0)
            finally:
                os.close(place)

    def shrink(self) -> None:
        """Gives back the room of what was sent, where that is all. Not while another thread appends."""
        if self._sent == self._end >= SHRINK_BYTES:
            self._place_path.unlink(missing_ok=True)
            os.ftruncate(self._file, 0)
            self._end = self._sent = 0

    def remove(self) -> None:
        """Ends the file, which was sent whole."""
        with contextlib.suppress(OSError):
            self._place_path.unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
        self.let_go()

    def let_go(self) -> None:
        """Leaves the file to the next process."""
        with contextlib.suppress(OSError):
            os.close(self._file)

    def _whole_end(self) -> int:
        """Where the last whole line ends; behind it is what a process was writing when it was killed."""
        end = os.fstat(self._file).st_size
        while end > 0:
            begin = max(0, end - (1 << 16))
            at = os.pread(self._file, end - begin, begin).rfind(b"\n")
            if at >= 0:
                os.ftruncate(self._file, begin + at + 1)
                return begin + at + 1
            end = begin
        return 0

    def _read_place(self) -> int:
        try:
            return int(self._place_path.read_bytes())
        except (OSError, ValueError):
            return 0


class Spool:
    """The files of a folder: the own one, and those that other processes left, the oldest first."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        make_private(self.folder)
        self._left = [held for path in sorted(self.folder.glob("*.spool")) if (held := SpoolFile.hold(path))]
        own = self.folder / f"{time.time_ns():020d}-{uuid.uuid4()}.spool"
        held = SpoolFile.hold(own, os.O_CREAT | os.O_EXCL)
        if held is None:
            raise OSError(f"cannot hold {own}")
        self.own = held

    @property
    def waiting_bytes(self) -> int:
        return sum(file.waiting_bytes for file in self._files())

    def next_batch(self) -> tuple[SpoolFile, bytes] | None:
        """The first batch that was not sent, with its file."""
        for file in self._files():
            line = file.next_line()
            if line is not None:
                return file, line
        return None

    def done(self, file: SpoolFile, line: bytes) -> None:
        """The batch is with the server, or is refused for good."""
        file.mark_sent(line)
        if file is not self.own and not file.waiting_bytes:
            self._left.remove(file)
            file.remove()

    def close(self) -> None:
        """Leaves the folder; what was not sent stays there."""
        for file in self._left:
            file.let_go()
        if self.own.waiting_bytes:
            self.own.let_go()
        else:
            self.own.remove()

    def abandon(self) -> None:
        """In a process that was forked: the files are its parent's."""
        for file in self._files():
            file.let_go()

    def _files(self) -> Iterator[SpoolFile]:
        yield from list(self._left)
        yield self.own
