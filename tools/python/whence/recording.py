"""Recording a response while it is made: collects the context it used and writes one batch at the end."""
from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from .transport import Json

# What a response can say of a passage that it used: the server names its unit after these, one however often it is used.
PASSAGE_MEMBERS = frozenset({"$type$", "type", "source", "content", "timestamp", "embedding_id", "summary", "attributes"})


def shares(weights: list[float | None]) -> list[float]:
    """Weights that sum to 1: missing ones share the remainder equally, then all are scaled.

    >>> shares([0.5, None, None])
    [0.5, 0.25, 0.25]
    """
    if any(weight is not None and not 0 <= weight <= 1 for weight in weights):
        raise ValueError(f"a weight is 0 to 1 or left out: {weights}")
    left = max(0.0, 1.0 - sum(weight for weight in weights if weight is not None))
    missing = weights.count(None)
    full = [left / missing if weight is None else weight for weight in weights]
    total = sum(full)
    if weights and total == 0:
        raise ValueError("the weights of a response's units sum to 0, but must have a share each")
    return [weight / total for weight in full]


def now() -> str:
    """The current time in UTC, in the form of a response's timestamp."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Recording:
    """A response that is being recorded. `id` and `tx` are set once it is written (`id` earlier if it was given)."""

    def __init__(self, agent: str, model: str, members: Mapping[str, Any]) -> None:
        self.id: str | None = members.get("id")
        self.tx: int | None = None
        self._response: Json = {"agent": agent, "model": model, **members}
        self._units: list[Json] = []
        self._uses: list[Json] = []
        self._weights: list[float | None] = []

    def set(self, **members: Any) -> None:
        """Sets members of the response: `content`, `usage`, `latency_ms`, ..., once they are known."""
        self._response.update(members)

    def used(self, unit: str | Mapping[str, Any], weight: float | None = None) -> str | None:
        """Adds a context unit that the response used, and returns the unit's id; None for a passage, which the server names.

        `unit` is the id (or ref) of an existing unit, the ref of a chunk, a document, an earlier response, a message or an
        answer (`RetrievedChunk:...`), or a new unit. One with `content` and without `id` is a passage: the server names it after
        its `source` and `content`, so that the same passage is one unit however often it is used. Any other is written with
        the response, under a new id if it has none. `weight` is its share, 0 to 1; missing ones share the remainder
        equally, then all are scaled to sum to 1.
        """
        name: str | None = None
        use: Json = {}
        if isinstance(unit, str):
            name = unit.removeprefix("ContextUnit:")
        elif unit.get("content") is None or not unit.keys() <= PASSAGE_MEMBERS:
            self._units.append({"$type$": "ContextUnit", "id": f"cu_{uuid.uuid4()}", **unit})
            name = str(self._units[-1]["id"])
        else:
            use = {member: value for member, value in unit.items() if member != "$type$"}
        if name is not None:
            use = {"context_unit_id" if name.startswith("cu_") else "ref": name}
        self._uses.append(use)
        self._weights.append(weight)
        return name

    def batch(self) -> list[Json]:
        """The units to write and the response; its time is now if none was given."""
        response: Json = {"$type$": "Response", **{name: value for name, value in self._response.items() if value is not None}}
        response.setdefault("timestamp", now())
        uses: dict[str, Json] = {}  # by what they say
        for use, weight in zip(self._uses, shares(self._weights)):
            uses.setdefault(json.dumps(use, sort_keys=True, default=str), {**use, "weight": 0.0})["weight"] += weight
        response["context_units"] = list(uses.values())
        return [*self._units, response]

    def written(self, answer: Json) -> None:
        self.tx = answer["tx"]
        self.id = str(answer["refs"][-1]).removeprefix("Response:")
