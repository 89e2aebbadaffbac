"""The base of the methods of both clients: how they call, and the types they return.

`methods.py` holds each method of the protocol once. A client chooses two result types: `AnswerT` for an
answer with one object (a `dict`, or an awaitable of it), `ListT` for a list (`whence.Result`, `whence.aio.Result`).
"""
from __future__ import annotations

import datetime
import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, Union

P = ParamSpec("P")
T = TypeVar("T")
AnswerT = TypeVar("AnswerT")
ListT = TypeVar("ListT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)
ListT_co = TypeVar("ListT_co", covariant=True)

Json = dict[str, Any]
Time = Union[str, datetime.datetime]  # RFC 3339, or with a zone
Moment = Union[int, Time]  # a transaction id, or a time
Milliseconds = Union[int, datetime.datetime]  # since the epoch, or a time with a zone
Progress = Callable[[Json], None]


class Caller(Protocol[AnswerT_co, ListT_co]):
    """The interface that a group of methods calls."""

    def answer(self, method: str, params: Json) -> AnswerT_co:
        """The result object of a call."""

    def listed(self, method: str, lists: tuple[str, ...], params: Json) -> ListT_co:
        """The items of a list method; `lists` are the members that hold them, the main one first."""


class Suggesting:
    """A wrong name, of a member or of a param, raises what Python raises, with the name that was probably meant."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and not name.startswith("_"):
                setattr(cls, name, suggesting(method))

    if not TYPE_CHECKING:  # else every name would be one to a type checker
        def __getattr__(self, name):
            known = [each for each in dir(self) if not each.startswith("_")]
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}{_meant(name, known)}", name=name, obj=self)


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name that a wrong one resembles."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def _meant(name: str, known: Iterable[str]) -> str:
    close = closest(name, known)
    return f"; did you mean {close!r}?" if close else ""


def suggesting(method: Callable[P, T]) -> Callable[P, T]:
    """`method`, which names the param that was probably meant by a wrong one."""
    parameters = inspect.signature(method).parameters
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return method

    @functools.wraps(method)
    def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in parameters:
                known = [each for each in parameters if each != "self"]
                raise TypeError(f"{method.__name__}() got an unexpected keyword argument {name!r}{_meant(name, known)}")
        return method(*args, **kwargs)
    return calling


class Group(Suggesting, Generic[AnswerT, ListT]):
    """The methods with the same name before the dot."""

    def __init__(self, caller: Caller[AnswerT, ListT]) -> None:
        self._caller = caller


class AnyMethod(Group[AnswerT, ListT]):
    """`db.rpc`: a group of methods, and itself the call of any method by its name."""

    def __call__(self, method: str, /, **params: Any) -> AnswerT:
        """Calls `method` with `params` as they are on the wire and returns its result object; for a list method, one page.

        A param whose name is reserved in Python has an underscore appended (`from_`).
        """
        return self._caller.answer(method, {name.removesuffix("_"): value for name, value in params.items()})


def given(**params: Any) -> Json:
    """The params that were given, under their names on the wire."""
    return {name.removesuffix("_"): value for name, value in params.items() if value is not None}
