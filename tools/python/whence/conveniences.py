"""What takes several calls of the protocol: a rating as a record, an export as a file; and the four questions by the names that they have
everywhere: why, impact, blame, without, diff, stale."""
from __future__ import annotations

import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from . import errors
from .calling import AnswerT, Caller, ListT
from .capture.folders import made_whole, make_private
from .methods import Export, Feedback, Impact, Methods
from .recording import now
from .results import Result
from .session import Session
from .transport import Json, http_url

POLL_S = 0.05


class Feedbacks(Feedback[Json, Result]):
    """`db.feedback.list(...)`; and `db.feedback(...)` rates."""

    def __call__(self, ref: str, score: float, text: str | None = None, **members: Any) -> str:
        """Writes a FeedbackRecord and returns its id.

        ref: of a response (an id that starts with `resp_` is enough) or an answer. score: -1 to 1. text: what the user said.
        """
        response = ref.removeprefix("Response:")
        rated = {"response_id": response} if response.startswith("resp_") else {"ref": ref}
        record = {"$type$": "FeedbackRecord", "timestamp": now(), "score": score, "feedback_text": text, **rated, **members}
        written = self._caller.answer("records.write", {"records": [{name: value for name, value in record.items() if value is not None}]})
        return str(written["refs"][-1]).removeprefix("FeedbackRecord:")


class Exports(Export[Json, Result]):
    """`db.export.start(...)` and its siblings; and `db.export(...)` fetches the files."""

    session: Session

    def __call__(self, format: str, folder: str | Path, *, select: Literal["whole"] | Mapping[str, Any] | None = None,
                 timeout: float = 3600.0, **params: Any) -> list[Path]:
        """Exports the graph, or what `select` names, and returns the files, which are written to `folder` under the server's names
        for them. An export belongs to its node: `ConnectionLost` where that is gone. Raises the export's error; `DeadlineExceeded`
        after `timeout` seconds; OSError."""
        job = self.start(format, select=select, **params)["job"]
        url = self.session.url
        deadline = time.monotonic() + timeout
        while (status := self._status(job, url))["state"] not in ("done", "failed", "cancelled"):
            if time.monotonic() > deadline:
                self.cancel(job)
                raise errors.make(errors.DeadlineExceeded, f"the export took more than {timeout} s")
            time.sleep(POLL_S)
        if status["state"] != "done":
            raise errors.error_of(status.get("error") or {"code": -32800, "message": "the export was cancelled"})
        make_private(Path(folder))
        return [self._fetch(url, file, Path(folder)) for file in status["files"]]

    def _status(self, job: str, url: str) -> Json:
        try:
            return self.status(job)
        except errors.NotFound as unknown:
            if self.session.url == url:
                raise
            raise errors.ConnectionLost(f"{url}, where the export was made, is gone: start it again") from unknown

    def _fetch(self, url: str, file: Json, folder: Path) -> Path:
        request = urllib.request.Request(http_url(url) + file["url"], headers=self._headers())
        name: str = file["name"]
        if name in ("", ".", "..") or Path(name).name != name or "\\" in name or "\0" in name:
            raise errors.make(errors.InternalError, f"the server names {name!r}, which is no name of a file")
        path = folder / name
        with made_whole(path) as out, urllib.request.urlopen(request, context=self.session.nodes.ssl) as answer:
            while part := answer.read(1 << 20):
                out.write(part)
        return path

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.session.token}"} if self.session.token else {}


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

    def diff(self, a: str | None = None, b: str | None = None, **params: Any) -> ListT:
        """What one answer had that another lacks; with `ref`, `as_of_a` and `as_of_b` the same answer at two moments: `lineage.diff`."""
        return self.lineage.diff(a=a, b=b, **params)

    def stale(self, ref: str | None = None, **params: Any) -> ListT:
        """What changed since: `lineage.stale`."""
        return self.lineage.stale(ref=ref, **params)
