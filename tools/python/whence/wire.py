"""Values of Python as JSON: what frames and arrays hold goes where the protocol has a time or a number.

| value | JSON |
|---|---|
| `datetime` with a zone, and pandas' `Timestamp` | an RFC 3339 time, to the nanosecond where there are any |
| `date` | its text, `2025-06-01` |
| numpy's `datetime64` | likewise, in UTC |
| integers, floats and booleans of numpy | numbers, `true` and `false` |
| arrays, series, sets and other collections | arrays |

Anything else raises TypeError, and a number that JSON does not have ValueError; both name the place.
"""
from __future__ import annotations

import datetime
import json
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any


def text_of(value: Any) -> str:
    """`value` as compact JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    except (TypeError, ValueError) as failure:
        place = _place_of_fault(value, "")
        if place is None:
            raise
        raise type(failure)(f"{place[0]}: {place[1]}") from None


def _plain(value: Any) -> Any:
    """What JSON has for a value that `json` does not know."""
    if isinstance(value, datetime.datetime):
        return _time(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if type(value).__name__ == "datetime64":  # of numpy, which need not be installed
        return _numpy_time(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _time(value: datetime.datetime) -> str:
    text = value.isoformat()
    if value != value:
        raise ValueError("NaT is no time")
    if value.utcoffset() is None:
        raise ValueError(f"{text} has no time zone; give one, such as datetime.timezone.utc")
    if not re.search(r"[+-]\d\d:\d\d$", text):  # an offset with seconds
        text = value.astimezone(datetime.timezone.utc).isoformat()
    return text


def _numpy_time(value: Any) -> str:
    text = str(value.astype("datetime64[ns]"))
    if text == "NaT":
        raise ValueError("NaT is no time")
    return text + "Z"


def _place_of_fault(value: Any, at: str) -> tuple[str, str] | None:
    """The JSON Pointer of the first value that cannot be written, and why."""
    if isinstance(value, Mapping):
        inner: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, (list, tuple)):
        inner = enumerate(value)
    else:
        try:
            json.dumps(value, allow_nan=False, default=_plain)
        except (TypeError, ValueError) as failure:
            return at or "/", str(failure)
        return None
    for name, each in inner:
        found = _place_of_fault(each, f"{at}/{name}")
        if found:
            return found
    return None
