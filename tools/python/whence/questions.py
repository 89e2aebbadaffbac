"""The four questions by the names that they have everywhere: why, impact, blame, without, diff, stale."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .calling import AnswerT, Caller, ListT
from .methods import Impact, Methods


class ImpactQuestion(Impact[AnswerT, ListT]):
    """`db.impact.analyze(...)` and its siblings; and `db.impact(...)` is the first of them."""

    def __call__(self, refs: str | Sequence[str], **params: Any) -> ListT:
        """What else rests on these: `impact.analyze`."""
        return self.analyze(refs, **params)


class Questions(Methods[AnswerT, ListT]):
    """All methods, and the questions by their own names. Each takes the params of its method."""

    def __init__(self, caller: Caller[AnswerT, ListT]) -> None:
        super().__init__(caller)
        self.impact: ImpactQuestion[AnswerT, ListT] = ImpactQuestion(caller)

    def why(self, ref: str, **params: Any) -> ListT:
        """What it was made from: `lineage.ancestors`."""
        return self.lineage.ancestors(ref, **params)

    def blame(self, **params: Any) -> ListT:
        """Which sources bad answers rest on more often than others do: `impact.blame`."""
        return self.impact.blame(**params)

    def without(self, refs: str | Sequence[str], **params: Any) -> ListT:
        """What answers would lose if these had not been there: `impact.without`."""
        return self.impact.without(refs, **params)

    def diff(self, a: str, b: str, **params: Any) -> ListT:
        """What one answer had that another lacks: `lineage.diff`."""
        return self.lineage.diff(a=a, b=b, **params)

    def stale(self, ref: str | None = None, **params: Any) -> ListT:
        """What changed since: `lineage.stale`."""
        return self.lineage.stale(ref=ref, **params)
