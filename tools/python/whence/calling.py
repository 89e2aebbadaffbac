"""The shape that the methods of both clients share: what calls them, and what they give back.

`methods.py` holds each method of the protocol once. A client says with two types what its calls return: `AnswerT` where the
answer is one object (a `dict`, or an awaitable of it), `ListT` where it is a list (`whence.Result`, `whence.aio.Result`).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

AnswerT = TypeVar("AnswerT")
ListT = TypeVar("ListT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)
ListT_co = TypeVar("ListT_co", covariant=True)

Json = dict[str, Any]
Progress = Callable[[Json], None]


class Caller(Protocol[AnswerT_co, ListT_co]):
    """What a group of methods calls through."""

    def answer(self, method: str, params: Json) -> AnswerT_co:
        """The result object of a call."""

    def listed(self, method: str, lists: tuple[str, ...], params: Json) -> ListT_co:
        """The items of a list method; `lists` are the members that hold them, the main one first."""


class Group(Generic[AnswerT, ListT]):
    """The methods that share the part of their name before the dot."""

    def __init__(self, caller: Caller[AnswerT, ListT]) -> None:
        self._caller = caller


class AnyMethod(Group[AnswerT, ListT]):
    """`db.rpc`: a group of methods, and itself the call of any method by its name."""

    def __call__(self, method: str, /, **params: Any) -> AnswerT:
        """Calls `method` with `params` as they are on the wire and returns its result object: of a list method, one page.

        A param whose name Python reserves is written with an underscore behind it (`from_`).
        """
        return self._caller.answer(method, {name.removesuffix("_"): value for name, value in params.items()})


def given(**params: Any) -> Json:
    """The params that were given, under their names on the wire."""
    return {name.removesuffix("_"): value for name, value in params.items() if value is not None}
