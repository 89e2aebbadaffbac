"""How long to wait before trying to connect again."""
from __future__ import annotations

import random
from collections.abc import Iterator

FIRST_S = 0.1
LONGEST_S = 5.0


def growing_pauses() -> Iterator[float]:
    """Seconds, without end: random, so that many clients of one server do not return together, between 0.1 and a bound that
    doubles up to 5.
    """
    bound = 2 * FIRST_S
    while True:
        yield random.uniform(FIRST_S, bound)
        bound = min(2 * bound, LONGEST_S)
