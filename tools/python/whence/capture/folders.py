"""Folders and files that no other user reads, and that are there whole or not at all."""
from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on this system: what a killed process leaves stays
    fcntl = None  # type: ignore[assignment]


def make_private(folder: Path) -> None:
    """Makes the folder and those above it that are missing, for their owner alone whatever the umask."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def made_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write that becomes `path` at the end of the block, and goes where the block fails.

    Until then it is `PATH.partial-` and 32 random digits, held by `flock`; what killed processes left for the same path goes.
    """
    _remove_abandoned(path)
    made = path.with_name(f"{path.name}.partial-{secrets.token_hex(16)}")
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        try:
            if fcntl is not None:
                fcntl.flock(out, fcntl.LOCK_EX)
            yield out
            out.flush()
            made.replace(path)
        except BaseException:
            made.unlink(missing_ok=True)
            raise


def _remove_abandoned(path: Path) -> None:
    if fcntl is None:
        return
    name = re.compile(re.escape(path.name) + r"\.partial-[0-9a-f]{32}")
    for left in [each for each in path.parent.iterdir() if name.fullmatch(each.name) and each.is_file()]:
        with contextlib.suppress(OSError), left.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()
