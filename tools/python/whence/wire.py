"""Values of Python as JSON: what frames and arrays hold goes where the protocol has a time or a number.

| value | JSON |
|---|---|
| `datetime` with a zone, and pandas' `Timestamp` | an RFC 3339 time, to the nanosecond where there are any; milliseconds since the epoch, rounded down, where the protocol has those (`timed`) |
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
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .methods import TIMES

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MILLISECOND = datetime.timedelta(milliseconds=1)


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
    if type(value).__name__ == "timedelta64":  # which numpy calls a number
        raise TypeError("timedelta64 is no value of JSON")
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # of a frame, iteration gives the names of columns
        raise TypeError(f"{type(value).__name__} is no value of JSON; give its to_dict(\"records\")")
    if hasattr(value, "tolist"):  # of an array of times it gives numbers
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        return list(value) if kind in ("m", "M") else value.tolist()
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


def timed(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The params of a method, with their times in milliseconds where the protocol has those. The params of a query stay as they are."""
    return dict(_at_places(TIMES.get(method, {}), params))


def timed_record(record: Any) -> Any:
    """A record, with its times in milliseconds where its type has those."""
    kind = record.get("$type$") if isinstance(record, Mapping) else None
    return _at_places(TIMES.get(kind, {}), record) if isinstance(kind, str) else record


def _at_places(places: Mapping[str, str], value: Any) -> Any:
    for place, kind in places.items():
        value = _changed(value, place.split("/") if place else [], CHANGES[kind])
    return value


def _changed(value: Any, path: list[str], change: Callable[[Any], Any]) -> Any:
    """`value` with `change` made at `path`; where that changes nothing, `value` itself."""
    if not path:
        return change(value)
    if path[0] == "*":
        return [_changed(each, path[1:], change) for each in value] if _is_list(value) else value
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    inner = _changed(value[path[0]], path[1:], change)
    return value if inner is value[path[0]] else {**value, path[0]: inner}


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray, memoryview, Mapping))


def _in_milliseconds(value: Any) -> Any:
    """A time, or the times in a condition. What is no moment (NaT, or without a zone) stays for `text_of`, which refuses it."""
    if isinstance(value, datetime.datetime):
        return value if value != value or value.utcoffset() is None else (value - EPOCH) // MILLISECOND
    if type(value).__name__ == "datetime64":
        return value if value != value else int(value.astype("datetime64[ms]").astype("int64"))
    if isinstance(value, Mapping):
        return {name: _in_milliseconds(each) for name, each in value.items()}
    return [_in_milliseconds(each) for each in value] if _is_list(value) else value


def _timed_where(value: Any) -> Any:
    """An object with conditions on the fields of one record type."""
    if not isinstance(value, Mapping) or not isinstance(value.get("where"), Mapping):
        return value
    types = value.get("types")
    kind = value.get("type") or (types[0] if isinstance(types, (list, tuple)) and len(types) == 1 else None)
    fields = TIMES.get(kind, {}) if isinstance(kind, str) else {}
    where = {name: _in_milliseconds(each) if fields.get(name) == "ms" else each for name, each in value["where"].items()}
    return {**value, "where": where}


def _timed_call(value: Any) -> Any:
    """An object that names a method and its params."""
    if not isinstance(value, Mapping) or not isinstance(value.get("params"), Mapping):
        return value
    return {**value, "params": timed(str(value.get("method")), value["params"])}


# What is done at a place of `TIMES`, by its kind.
CHANGES: dict[str, Callable[[Any], Any]] = {"ms": _in_milliseconds, "record": timed_record, "where": _timed_where, "call": _timed_call}


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
        if not isinstance(name, (str, int, float, bool, type(None))):
            return f"{at}/{name}", f"a key that is {type(name).__name__}; keys are texts"
        found = _place_of_fault(each, f"{at}/{name}")
        if found:
            return found
    return None
