"""Recording a response while it is made: collects the context it used and writes one batch at the end."""
from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from .transport import Json


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


def made_id(unit: Mapping[str, Any], person: str | None = None) -> str:
    """The id of a unit that has none: the one that the server makes of a passage, else a new one. What a person said or gave
    (type `User`) is that person's own text, and so is its id.

    >>> made_id({"source": "file:a", "content": "x"})
    'cu_30bdc5ee05c2d5be80f5fc82504db552'
    """
    if unit.get("content") is None:
        return f"cu_{uuid.uuid4()}"
    own = [person] if person and unit.get("type") == "User" else []
    passage = json.dumps([unit.get("source", ""), unit["content"], *own], ensure_ascii=False, separators=(",", ":"))
    return "cu_" + hashlib.sha256(passage.encode()).hexdigest()[:32]


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
        self._used: list[str] = []
        self._weights: list[float | None] = []

    def set(self, **members: Any) -> None:
        """Sets members of the response: `content`, `usage`, `latency_ms`, ..., once they are known."""
        self._response.update(members)

    def used(self, unit: str | Mapping[str, Any], weight: float | None = None) -> str:
        """Adds a context unit that the response used, and returns the unit's id.

        `unit` is the id (or ref) of an existing unit, the ref of a chunk, a document, an earlier response, a message or an
        answer (`RetrievedChunk:...`), or the record of a new unit, which is written with the response. If it has
        no id, it gets the one that is made from its `source` and `content`, so that the same passage is one unit however
        often it is used; without `content` a new one. `weight` is its share, 0 to 1; missing ones share the remainder equally, then all are scaled
        to sum to 1.
        """
        if isinstance(unit, str):
            name = unit.removeprefix("ContextUnit:")
        else:
            record = {"$type$": "ContextUnit", "id": made_id(unit, self._response.get("person")), **unit}
            self._units.append(record)
            name = str(record["id"])
        self._used.append(name)
        self._weights.append(weight)
        return name

    def batch(self) -> list[Json]:
        """The units to write and the response; its time is now if none was given."""
        response: Json = {"$type$": "Response", **{name: value for name, value in self._response.items() if value is not None}}
        response.setdefault("timestamp", now())
        weights: dict[str, float] = {}
        for name, weight in zip(self._used, shares(self._weights)):
            weights[name] = weights.get(name, 0.0) + weight
        response["context_units"] = [{"context_unit_id" if name.startswith("cu_") else "ref": name, "weight": weight} for name, weight in weights.items()]
        return [*self._units, response]

    def written(self, answer: Json) -> None:
        self.tx = answer["tx"]
        self.id = str(answer["refs"][-1]).removeprefix("Response:")
