"""The pauses between attempts to reconnect."""
from __future__ import annotations

import random
from collections.abc import Iterator

FIRST_S = 0.1
LONGEST_S = 5.0


def growing_pauses() -> Iterator[float]:
    """An endless sequence of seconds, random between 0.1 and a bound that doubles up to 5, so that the clients of a restarted
    server do not reconnect at once.
    """
    bound = 2 * FIRST_S
    while True:
        yield random.uniform(FIRST_S, bound)
        bound = min(2 * bound, LONGEST_S)
