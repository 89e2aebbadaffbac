"""The protocol's methods, typed: one class per group, one method each. Written by `tools/python/generate.py`.

Params are the protocol's own, by name; the first required one may be positional. `None` means "not given".
Every method raises the classes of `whence.errors`: `InvalidParams` for params, `NotFound` for unknown nodes,
`DeadlineExceeded`, `Busy` (after three more tries), `ConnectionLost`, `Forbidden`.

Params of many methods:

- `as_of`: the moment to read at: a transaction id, or a time, as RFC 3339 or as a `datetime` with a zone (the last
  transaction at or before it).
- `min_tx`: waits until this transaction is visible.
- `timeout_ms`: the server's time limit, in milliseconds.
- `limit`: items per page, 1 to `limits['page']`, default 1,000; a `Result` requests the following pages itself.
- `stream`: receives the items as they are found, in one request, instead of page by page.
- `progress`: called with `{done, total, message}` while long work runs, in the client's own thread, which it must not
  block.
- `cursor`: continues an earlier answer at its end, on the same snapshot.
"""
# fmt: off
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal

from .calling import AnswerT, AnyMethod, Caller, Group, ListT, Milliseconds, Moment, Progress, Suggesting, Time, given

# The role a token needs to call each method.
ROLES = {
    "admin.backup": "admin", "admin.log": "admin", "admin.restore": "admin", "admin.retention": "admin",
    "admin.verify": "admin", "attachment.get": "read", "attachment.list": "read", "discussion.abandon": "write",
    "discussion.addResponse": "write", "discussion.answer": "write", "discussion.context": "read",
    "discussion.get": "read", "discussion.open": "write", "discussion.prompt": "read", "discussion.reconcile": "read",
    "discussion.set": "write", "discussion.summarize": "write", "discussion.tokens": "read",
    "discussion.write": "write", "export.cancel": "read", "export.start": "read", "export.status": "read",
    "feedback.list": "read", "history.get": "read", "hold.clear": "admin", "hold.list": "read", "hold.set": "admin",
    "impact.analyze": "read", "impact.blame": "read", "impact.replay_plan": "read", "impact.without": "read",
    "lineage.ancestors": "read", "lineage.descendants": "read", "lineage.diff": "read", "lineage.graph": "read",
    "lineage.influence": "read", "lineage.manifest": "read", "lineage.path": "read", "lineage.stale": "read",
    "log.bundle": "read", "log.checkpoint": "read", "log.consistency": "read", "log.cosign": "write",
    "log.proof": "read", "log.rotate": "admin", "node.activity": "read", "node.count": "read", "node.find": "read",
    "node.get": "read", "node.neighbors": "read", "person.certificate": "read", "person.erase": "admin",
    "person.find": "read", "purge.confirm": "admin", "purge.proposals": "admin", "purge.withdraw": "admin",
    "query": "read", "rag.answer": "write", "rag.get": "read", "rag.retrieve": "read", "records.delete": "write",
    "records.purge": "admin", "records.write": "write", "rpc.discover": "read", "search": "read", "server.info": "read",
    "summary.get": "read", "template.active": "read", "template.list": "read", "trace": "read", "unit.update": "write",
    "versions.diff": "read", "versions.list": "read", "xml.build": "read", "xml.context": "read",
    "xml.instructions": "read", "xml.validate": "read",
}

# Reads that wait for a transaction.
TAKE_MIN_TX = frozenset({
    "attachment.get", "attachment.list", "discussion.context", "discussion.get", "discussion.prompt",
    "discussion.tokens", "feedback.list", "history.get", "hold.list", "impact.analyze", "impact.blame",
    "impact.replay_plan", "impact.without", "lineage.ancestors", "lineage.descendants", "lineage.diff", "lineage.graph",
    "lineage.influence", "lineage.manifest", "lineage.path", "lineage.stale", "node.activity", "node.count",
    "node.find", "node.get", "node.neighbors", "person.find", "query", "rag.get", "rag.retrieve", "search",
    "summary.get", "template.active", "template.list", "trace", "versions.diff", "versions.list", "xml.context",
})

# Edge types whose stored direction is from effect to cause: of all types of records that they start from, or of these.
AGAINST: dict[str, frozenset[str] | None] = {
    "DERIVED_FROM": None,
    "UPDATED_BY": None,
    "EXTRACTED_FROM": None,
    "REVISION_OF": None,
    "PART_OF": frozenset({"RetrievedChunk"}),
    "FOLLOWS": None,
    "SUMMARIZES": None,
    "EMBEDS": None,
    "GENERATED_FROM": None,
    "CITES": None,
    "PROV_wasGeneratedBy": None,
    "PROV_used": None,
    "PROV_wasInformedBy": None,
    "PROV_wasStartedBy": None,
    "PROV_wasEndedBy": None,
    "PROV_wasInvalidatedBy": None,
    "PROV_wasDerivedFrom": None,
    "PROV_wasAttributedTo": None,
    "PROV_wasAssociatedWith": None,
    "PROV_actedOnBehalfOf": None,
    "PROV_wasInfluencedBy": None,
    "LOADED_FROM": None,
}

# Of record types and methods: the places where a time is in milliseconds since the epoch (`ms`; `*` is each item of a list), and where
# something is that has such places: a `record`, an object with `type` or `types` and `where`, or one with `method` and `params` (`call`).
TIMES: dict[str, dict[str, str]] = {
    "Topic": {"createdAt": "ms"},
    "Message": {"createdAt": "ms"},
    "XMLMessageAttachment": {"createdAt": "ms"},
    "Keyword": {"createdAt": "ms", "lastSeen": "ms"},
    "Subject": {"timeRanges/*/start": "ms", "timeRanges/*/end": "ms", "createdAt": "ms", "lastSeenAt": "ms"},
    "Summary": {"createdAt": "ms", "updatedAt": "ms"},
    "SystemPromptTemplate": {"createdAt": "ms", "updatedAt": "ms"},
    "Discussion": {"createdAt": "ms", "updatedAt": "ms"},
    "DiscussionRound": {"timestamp": "ms", "analyzerResponse/timestamp": "ms", "solverResponse/timestamp": "ms",
                        "moderatorResponse/timestamp": "ms"},
    "SummaryEntry": {"createdAt": "ms"},
    "discussion.addResponse": {"timestamp": "ms"},
    "export.start": {"select": "call"},
    "hold.set": {"query": "where"},
    "node.count": {"": "where"},
    "node.find": {"": "where"},
    "node.neighbors": {"": "where"},
    "records.write": {"records/*": "record"},
    "search": {"": "where"},
}

# What selects the events of a watch.
MATCH = ("types", "ops", "topics", "agents", "edge_types", "downstream_of", "upstream_of", "depth")


class Admin(Group[AnswerT, ListT]):
    """`admin.…`"""

    def backup(self, path: str, *, progress: Progress | None = None) -> AnswerT:
        """Copies the store while writes go on. Answers: path, tx, bytes: a store that can be served, as of tx.

          path: Absolute path of a directory on the server that does not exist yet.
        """
        return self._caller.answer("admin.backup", given(
            path=path, progress=progress))

    def log(self, *, after: int | None = None, bytes: int | None = None, kept: str | None = None) -> AnswerT:
        """Transactions as a backup keeps them. Answers: epoch, tx, leaf, last, groups: base64url of the transactions
        after `after` up to `last`.

          after: The last transaction that the caller has. None where left out. At least 0.
          bytes: After so many bytes no further transaction is added: 4 MiB where left out, 0: none is. 0 to
            16777216.
          kept: Where the caller keeps everything up to `after`: the server notes it as its last backup.
        """
        return self._caller.answer("admin.log", given(
            after=after, bytes=bytes, kept=kept))

    def restore(self, events: Sequence[Mapping[str, Any] | str], *, first_line: int | None = None,
                keep_statuses: bool | None = None, dry_run: bool | None = None) -> AnswerT:
        """Writes transactions of a jsonl export as they were. Answers: tx: the last of them.

          events: Lines of a jsonl export, as objects or as text: whole transactions, the first of them the one
            after the head. At least 1 item.
          first_line: The line of the first event in its file, for errors. 1 where left out. At least 1.
          keep_statuses: Deprecates exactly the units that the history deprecates, whatever this server's threshold.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("admin.restore", given(
            events=events, first_line=first_line, keep_statuses=keep_statuses, dry_run=dry_run))

    def retention(self, *, reason: str | None = None, dry_run: bool | None = None) -> AnswerT:
        """Lets contents expire that are older than the server's rules keep them. Answers: tx, rules in seconds,
        expired, types, kept by type, oldest, the first refs.

          reason: Why: kept in the log, also when the content is gone.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("admin.retention", given(
            reason=reason, dry_run=dry_run))

    def verify(self, *, progress: Progress | None = None) -> AnswerT:
        """Checks every hash, link and count of the store. Answers: ok, tx, checked, problems: damage is a result."""
        return self._caller.answer("admin.verify", given(
            progress=progress))


class Attachment(Group[AnswerT, ListT]):
    """`attachment.…`"""

    def get(self, hash: str, *, as_of: Moment | None = None, min_tx: int | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """An XML message with its text. Answers: hash, record, xml, responseId where it has one.

          hash: The attachment's hash, or its ref.
        """
        return self._caller.answer("attachment.get", given(
            hash=hash, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def list(self, *, messageId: str | None = None, topicId: str | None = None,
             format: Literal["llm-query", "llm-response"] | None = None, orphans: bool | None = None,
             count_only: bool | None = None, total_size: bool | None = None, as_of: Moment | None = None,
             min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """XML messages by message, topic and format, oldest first. Answers: records with their hash; count and
        total_size of all matches.

          messageId: Of this message.
          topicId: Of this topic, deleted or not.
          format: llm-query or llm-response.
          orphans: Only those whose topic is deleted.
          count_only: Without the records.
          total_size: The size is always returned.
        """
        return self._caller.listed("attachment.list", ("records",), given(
            messageId=messageId, topicId=topicId, format=format, orphans=orphans, count_only=count_only,
            total_size=total_size, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))


class Discussion(Group[AnswerT, ListT]):
    """`discussion.…`"""

    def abandon(self, userId: str, *, discussionId: str, timeout_ms: int | None = None) -> AnswerT:
        """Takes back the opening of a round that has no response yet. Answers: tx, ref of the discussion.

          userId: Whose discussion it is.
          discussionId: The discussion; must exist.
        """
        return self._caller.answer("discussion.abandon", given(
            userId=userId, discussionId=discussionId, timeout_ms=timeout_ms))

    def add_response(self, userId: str, *, discussionId: str, roundNumber: int,
                     persona: Literal["Analyzer AI", "Solver AI", "Moderator AI"], content: str,
                     timestamp: Milliseconds | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Adds the next response to the round that is open. Answers: tx, ref, roundNumber, turn, complete, next: who
        speaks next, or null.

          userId: Whose discussion it is.
          discussionId: The discussion; must exist.
          roundNumber: The round that is open, or next.
          persona: Who speaks; must be next.
          content: What is said; not only white space.
          timestamp: Milliseconds since the epoch; now where left out. At least 0.
        """
        return self._caller.answer("discussion.addResponse", given(
            userId=userId, discussionId=discussionId, roundNumber=roundNumber, persona=persona, content=content,
            timestamp=timestamp, timeout_ms=timeout_ms))

    def answer(self, userId: str, *, discussionId: str, roundNumber: int, userAnswers: Sequence[str] | None = None,
               questions: Mapping[str, Any] | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Gives the last complete round the user's answers, or questions, until the next opens. Answers: tx, ref,
        roundNumber; unchanged where it had them.

          userId: Whose discussion it is.
          discussionId: The discussion; must exist.
          roundNumber: The last complete round.
          userAnswers: What the user answers; replaces earlier answers.
          questions: Questions to the user: an object, kept as it is; replaces earlier ones.
        """
        return self._caller.answer("discussion.answer", given(
            userId=userId, discussionId=discussionId, roundNumber=roundNumber, userAnswers=userAnswers,
            questions=questions, timeout_ms=timeout_ms))

    def context(self, userId: str, *, discussionId: str,
                persona: Literal["Analyzer AI", "Solver AI", "Moderator AI"] | None = None, as_of: Moment | None = None,
                min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """What a model is shown of a discussion. Answers: userId, discussionId, currentSummary, rounds after it,
        currentRound, tokens, refs.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
          persona: Who is to speak. All see the same.
        """
        return self._caller.answer("discussion.context", given(
            userId=userId, discussionId=discussionId, persona=persona, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms))

    def get(self, userId: str, *, discussionId: str, as_of: Moment | None = None, min_tx: int | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """The facts about a discussion: its rounds, turn, tokens, summary and files. Answers: ref, userId,
        discussionId, topic, isResolved, needsUserInput, createdAt, updatedAt, rounds: complete ones,
        currentRound, currentTurn, next, tokenCount, currentSummary, paths.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
        """
        return self._caller.answer("discussion.get", given(
            userId=userId, discussionId=discussionId, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def open(self, userId: str, *, discussionId: str, topic: str | None = None, roundNumber: int | None = None,
             questions: Mapping[str, Any] | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Opens the next round of a discussion, which is made where it is missing. Answers: tx, ref, roundNumber,
        next, turn.

          userId: Whose discussion it is.
          discussionId: Made where it is missing.
          topic: What it is about; replaces what is known.
          roundNumber: Must be the next round.
          questions: Questions to the user in this round: an object, kept as it is.
        """
        return self._caller.answer("discussion.open", given(
            userId=userId, discussionId=discussionId, topic=topic, roundNumber=roundNumber, questions=questions,
            timeout_ms=timeout_ms))

    def prompt(self, userId: str, *, discussionId: str,
               persona: Literal["Analyzer AI", "Solver AI", "Moderator AI"] | None = None,
               files: Sequence[Mapping[str, Any]] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
               timeout_ms: int | None = None) -> AnswerT:
        """The same as the text of a prompt. Answers: prompt; refs: the nodes it was made from; tokens.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
          persona: Who is to speak. All see the same.
          files: Texts the prompt ends with.
        """
        return self._caller.answer("discussion.prompt", given(
            userId=userId, discussionId=discussionId, persona=persona, files=files, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms))

    def reconcile(self, userId: str, *, discussionId: str,
                  repair: Literal["none", "tokens", "all", "from_file"] | None = None) -> AnswerT:
        """Compares a discussion with its files, which it follows; repairs on request. Answers: tx, differences,
        repaired: how many.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
          repair: `none` only reports; `tokens` corrects a token count in the file that is less than 5 % off; `all`
            takes what was edited in the file and writes both files; `from_file` makes the store agree with the
            file, what it lacks is deleted.
        """
        return self._caller.answer("discussion.reconcile", given(
            userId=userId, discussionId=discussionId, repair=repair))

    def set(self, userId: str, *, discussionId: str, isResolved: bool | None = None, needsUserInput: bool | None = None,
            topic: str | None = None, attributes: Mapping[str, Any] | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """Says whether a discussion is settled or waits for its user; what is left out stays. Answers: tx, ref;
        unchanged where it was so.

          userId: Whose discussion it is.
          discussionId: The discussion; must exist.
          isResolved: Whether it is settled.
          needsUserInput: Whether it waits for its user.
          topic: What it is about.
          attributes: Free data of the client.
        """
        return self._caller.answer("discussion.set", given(
            userId=userId, discussionId=discussionId, isResolved=isResolved, needsUserInput=needsUserInput, topic=topic,
            attributes=attributes, timeout_ms=timeout_ms))

    def summarize(self, userId: str, *, discussionId: str, summary: str, roundNumber: int | None = None,
                  timeout_ms: int | None = None) -> AnswerT:
        """Puts a summary in the place of the complete rounds since the summary before. Answers: tx, ref,
        roundNumber, replacesRounds, token counts.

          userId: Whose discussion it is.
          discussionId: The discussion; must exist.
          summary: The text in place of the rounds since the summary before; not only white space.
          roundNumber: The last round that it replaces; the last complete one where left out. At least 1.
        """
        return self._caller.answer("discussion.summarize", given(
            userId=userId, discussionId=discussionId, summary=summary, roundNumber=roundNumber, timeout_ms=timeout_ms))

    def tokens(self, userId: str, *, discussionId: str,
               persona: Literal["Analyzer AI", "Solver AI", "Moderator AI"] | None = None, as_of: Moment | None = None,
               min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """About how many tokens that has. Answers: total, parts, rounds.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
          persona: Who is to speak. All see the same.
        """
        return self._caller.answer("discussion.tokens", given(
            userId=userId, discussionId=discussionId, persona=persona, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms))

    def write(self, userId: str, *, discussionId: str) -> AnswerT:
        """Writes a discussion as JSON and Markdown, both files or neither. Answers: tx, json, md: where.

          userId: Whose discussion it is.
          discussionId: Which of the user's.
        """
        return self._caller.answer("discussion.write", given(
            userId=userId, discussionId=discussionId))


class Export(Group[AnswerT, ListT]):
    """`export.…`"""

    def cancel(self, job: str) -> AnswerT:
        """Stops an export and removes its files. Answers: job, state.

          job: As export.start answered it.
        """
        return self._caller.answer("export.cancel", given(
            job=job))

    def start(self, format: str, *, select: Literal["whole"] | Mapping[str, Any] | None = None,
              as_of: Moment | None = None, reduced: bool | None = None, options: Mapping[str, Any] | None = None,
              progress: Progress | None = None) -> AnswerT:
        """Begins to write the graph, or what a method answers, as files in a format of other tools. Answers: job,
        tx: what is exported is fixed.

          format: In which form.
          select: What: "whole", or a method with its params, whose answer is exported with all edges among its
            nodes. The whole graph where left out.
          reduced: Leaves out every edge that a longer path among the nodes implies. Not of jsonl, prov-json,
            prov-n.
          options: What else there is to choose.
        """
        return self._caller.answer("export.start", given(
            format=format, select=select, as_of=as_of, reduced=reduced, options=options, progress=progress))

    def status(self, job: str) -> AnswerT:
        """How far an export is, and its files once it is done. Answers: job, state, tx, done, total, files (each
        with url), manifest, error.

          job: As export.start answered it.
        """
        return self._caller.answer("export.status", given(
            job=job))


class Feedback(Group[AnswerT, ListT]):
    """`feedback.…`"""

    def list(self, ref: str, *, as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
             limit: int | None = None, stream: bool = False, progress: Progress | None = None,
             cursor: str | None = None) -> ListT:
        """The feedback on a response or an answer, or that reached a source. Answers: records, and the running
        score.

          ref: A response, an answer, or a unit, chunk or document they were made from.
        """
        return self._caller.listed("feedback.list", ("records",), given(
            ref=ref, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress,
            cursor=cursor))


class History(Group[AnswerT, ListT]):
    """`history.…`"""

    def get(self, ref: str, *, deleted: bool | None = None, as_of: Moment | None = None, min_tx: int | None = None,
            timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
            progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """What happened to a node, transaction by transaction. Answers: events: tx, at, op and what the op says.

          ref: The node.
          deleted: Also of a node that is deleted by then.
        """
        return self._caller.listed("history.get", ("events",), given(
            ref=ref, deleted=deleted, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))


class Hold(Group[AnswerT, ListT]):
    """`hold.…`"""

    def clear(self, id: str, *, reason: str, dry_run: bool | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Ends a hold: what it held may go again. Answers: tx, ref; unchanged where it was cleared.

          id: The id of a Hold.
          reason: Why it ends.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("hold.clear", given(
            id=id, reason=reason, dry_run=dry_run, timeout_ms=timeout_ms))

    def list(self, *, all: bool | None = None, as_of: Moment | None = None, min_tx: int | None = None,
             timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """What must stay, and why. Answers: holds: their records.

          all: Also those that were cleared.
        """
        return self._caller.listed("hold.list", ("holds",), given(
            all=all, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress,
            cursor=cursor))

    def set(self, reason: str, *, refs: str | Sequence[str] | None = None, person: str | None = None,
            topic: str | None = None, query: Mapping[str, Any] | None = None, dry_run: bool | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """Holds records, a person, a topic or what a query matches: none of it expires, is deleted or purged.
        Answers: tx, ref.

          reason: Why.
          refs: Refs of nodes that stay. 1 to 10000 items.
          person: Everything of this Person stays: the id, or the name as records give it.
          topic: Everything of this Topic stays.
          query: Records of a type that match when they would be removed stay.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("hold.set", given(
            reason=reason, refs=refs, person=person, topic=topic, query=query, dry_run=dry_run, timeout_ms=timeout_ms))


class Impact(Group[AnswerT, ListT]):
    """`impact.…`"""

    def analyze(self, refs: str | Sequence[str], *, dominators: bool | None = None,
                order: Literal["share", "depth"] | None = None,
                include: Sequence[Literal["record", "status", "edges"]] | None = None,
                basis: Sequence[str] | None = None, roles: bool | None = None, as_of: Moment | None = None,
                min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None,
                stream: bool = False, progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Everything affected by the given nodes. Answers: counts by type and by depth; nodes with influence and
        share; dominator of each, if asked.

          refs: The nodes whose effects are sought. 1 to 1000 items.
          dominators: Adds to each node the nearest node that every path to it passes through.
          order: What ranks the nodes: share, largest first, or depth.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
          roles: Gives instructions and questions their part in shares, too.
        """
        return self._caller.listed("impact.analyze", ("nodes",), given(
            refs=refs, dominators=dominators, order=order, include=include, basis=basis, roles=roles, as_of=as_of,
            min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))

    def blame(self, *, responses: str | Sequence[str] | None = None, score_below: float | None = None,
              of: str | None = None, since: Moment | None = None, agent: str | None = None, model: str | None = None,
              topic: str | None = None, order: Literal["lower", "share", "bad"] | None = None,
              include: Sequence[Literal["record", "status", "edges"]] | None = None, basis: Sequence[str] | None = None,
              as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
              limit: int | None = None, stream: bool = False, progress: Progress | None = None,
              cursor: str | None = None) -> ListT:
        """Which sources, tools, agents, models or prompts badly rated answers rest on more often than the others do.
        Answers: nodes, or names of tools, agents and models: rated, bad, rate, others_rate, lift, lower, verdict.

          responses: Responses and answers that are bad; only what they rest on is suspected. 1 to 10000 items.
          score_below: Bad are responses and answers whose mean score is below this; 0 where not given.
          of: Who is suspected: sources (units, chunks, documents) where not given.
          since: Compares only responses and answers from this moment on.
          agent: Compares only responses of this agent.
          model: Compares only responses of this model.
          topic: Compares only responses in this topic.
          order: What ranks the suspects: lower, share or bad, largest first.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("impact.blame", ("nodes", "names"), given(
            responses=responses, score_below=score_below, of=of, since=since, agent=agent, model=model, topic=topic,
            order=order, include=include, basis=basis, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit,
            stream=stream, progress=progress, cursor=cursor))

    def replay_plan(self, refs: str | Sequence[str], *, mended: bool | None = None,
                    include: Sequence[Literal["record", "status", "edges"]] | None = None,
                    basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
                    timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
                    progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Which calls would have to be made again if the given nodes had not been there, in which order and with
        what. Answers: calls with inputs, stage, tokens and cost as they were; counts and sums of what is known.

          refs: The nodes that are taken away. 1 to 1000 items.
          mended: Puts the newest version of each node in its place, where there is one, instead of taking it away.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("impact.replay_plan", ("calls",), given(
            refs=refs, mended=mended, include=include, basis=basis, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms,
            limit=limit, stream=stream, progress=progress, cursor=cursor))

    def without(self, refs: str | Sequence[str], *, alternatives: bool | None = None, sets: bool | None = None,
                include: Sequence[Literal["record", "status", "edges"]] | None = None,
                basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
                timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
                progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """What answers would lose if the given nodes had not been there. Answers: answers that are lost or weakened,
        what falls between, other sources; counts.

          refs: The nodes that are taken away. 1 to 1000 items.
          alternatives: false: without the other sources of the answers, which cost more than all else.
          sets: Adds to each answer the least sets of sources, of at most three, without which it has no support.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("impact.without", ("answers", "fallen", "alternatives"), given(
            refs=refs, alternatives=alternatives, sets=sets, include=include, basis=basis, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))


class Lineage(Group[AnswerT, ListT]):
    """`lineage.…`"""

    def ancestors(self, ref: str, *, depth: int | None = None, edge_types: Sequence[str] | None = None,
                  node_types: Sequence[str] | None = None, between: Sequence[Time | None] | None = None,
                  min_weight: float | None = None, form: Literal["nodes", "edges", "graph"] | None = None,
                  include: Sequence[Literal["record", "status", "edges"]] | None = None,
                  basis: Sequence[str] | None = None, column: str | None = None, as_of: Moment | None = None,
                  min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None,
                  stream: bool = False, progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """What a node was made from. Answers: nodes with depth and weight, nearest first; edges.

          ref: Where the walk starts; never among the nodes.
          depth: Edges from the start; all where not given. At least 0.
          edge_types: Edge types walked; all where not given.
          node_types: Record types returned; all are walked.
          between: [t0, t1], either may be null: returns nodes whose own time lies within, both ends included. 2
            items.
          min_weight: Returns nodes whose weight is at least this. 0 to 1.
          form: Whether nodes, edges or both are returned.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
          column: Of descendants: only what rests on this column of the dataset, by what facets of OpenLineage say.
        """
        return self._caller.listed("lineage.ancestors", ("nodes", "edges"), given(
            ref=ref, depth=depth, edge_types=edge_types, node_types=node_types, between=between, min_weight=min_weight,
            form=form, include=include, basis=basis, column=column, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms,
            limit=limit, stream=stream, progress=progress, cursor=cursor))

    def descendants(self, ref: str, *, depth: int | None = None, edge_types: Sequence[str] | None = None,
                    node_types: Sequence[str] | None = None, between: Sequence[Time | None] | None = None,
                    min_weight: float | None = None, form: Literal["nodes", "edges", "graph"] | None = None,
                    include: Sequence[Literal["record", "status", "edges"]] | None = None,
                    basis: Sequence[str] | None = None, column: str | None = None, as_of: Moment | None = None,
                    min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None,
                    stream: bool = False, progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """What was made from a node. Answers: nodes with depth and weight, nearest first; edges.

          ref: Where the walk starts; never among the nodes.
          depth: Edges from the start; all where not given. At least 0.
          edge_types: Edge types walked; all where not given.
          node_types: Record types returned; all are walked.
          between: [t0, t1], either may be null: returns nodes whose own time lies within, both ends included. 2
            items.
          min_weight: Returns nodes whose weight is at least this. 0 to 1.
          form: Whether nodes, edges or both are returned.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
          column: Of descendants: only what rests on this column of the dataset, by what facets of OpenLineage say.
        """
        return self._caller.listed("lineage.descendants", ("nodes", "edges"), given(
            ref=ref, depth=depth, edge_types=edge_types, node_types=node_types, between=between, min_weight=min_weight,
            form=form, include=include, basis=basis, column=column, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms,
            limit=limit, stream=stream, progress=progress, cursor=cursor))

    def diff(self, *, a: str | None = None, b: str | None = None, ref: str | None = None, as_of_a: Moment | None = None,
             as_of_b: Moment | None = None, include: Sequence[Literal["record", "status", "edges"]] | None = None,
             basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
             timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """How two ancestries differ: of two nodes, or of one at two moments. Answers: added, removed, reweighted,
        other versions, moved in the prompt, common; text by words.

          a: The node whose ancestry is compared; with `b`.
          b: The node it is compared with.
          ref: One node at two moments; with `as_of_a`, `as_of_b`.
          as_of_a: The first moment.
          as_of_b: The second moment.
          include: What to add to each node of `added` and `removed`.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("lineage.diff", ("added", "removed", "reweighted", "versions", "moved", "common"), given(
            a=a, b=b, ref=ref, as_of_a=as_of_a, as_of_b=as_of_b, include=include, basis=basis, as_of=as_of,
            min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))

    def graph(self, ref: str, *, up: int | None = None, down: int | None = None, reduced: bool | None = None,
              relations: bool | None = None, include: Sequence[Literal["record", "status", "edges"]] | None = None,
              basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
              timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
              progress: Progress | None = None) -> ListT:
        """The surroundings of a node, for drawing. Answers: nodes, edges, frontier: how many neighbours are not
        shown; reduced_edges, if asked.

          ref: The node in the middle.
          up: Depth of ancestors, 2 where not given. At least 0.
          down: Depth of descendants, 2 where not given. At least 0.
          reduced: Leaves out every edge that a longer path among the nodes implies.
          relations: Also follows and shows edges without influence: up to what a node belongs to, down to its
            parts.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("lineage.graph", ("nodes", "edges"), given(
            ref=ref, up=up, down=down, reduced=reduced, relations=relations, include=include, basis=basis, as_of=as_of,
            min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress))

    def influence(self, ref: str, *, order: Literal["share", "depth"] | None = None,
                  include: Sequence[Literal["record", "status", "edges"]] | None = None,
                  basis: Sequence[str] | None = None, roles: bool | None = None, as_of: Moment | None = None,
                  min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None,
                  stream: bool = False, progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """How much of a node is due to each ancestor. Answers: nodes with depth and share, largest share first.

          ref: The node whose ancestors are weighed.
          order: What ranks the nodes: share, largest first, or depth.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
          roles: Gives instructions and questions their part in shares, too.
        """
        return self._caller.listed("lineage.influence", ("nodes",), given(
            ref=ref, order=order, include=include, basis=basis, roles=roles, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))

    def manifest(self, response_id: str, *, max_bytes: int | None = None, as_of: Moment | None = None,
                 min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """A response's manifest, made from the graph. Answers: manifest, manifest_bytes, omitted.

          response_id: A response's id or ref.
          max_bytes: The size the manifest is cut to, 5119 where not given. At least 0.
        """
        return self._caller.answer("lineage.manifest", given(
            response_id=response_id, max_bytes=max_bytes, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def path(self, from_: str, *, to: str, kind: Literal["strongest", "shortest", "all"] | None = None,
             dominators: bool | None = None, basis: Sequence[str] | None = None, as_of: Moment | None = None,
             min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """How a cause influenced an effect. Answers: paths: weight, refs, edges; dominators, if asked.

          from_: The cause.
          to: The effect.
          kind: Which paths: the strongest, the shortest or all.
          dominators: Adds the nodes that every path passes through.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("lineage.path", ("paths",), given(
            from_=from_, to=to, kind=kind, dominators=dominators, basis=basis, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))

    def stale(self, ref: str | None = None, *, include: Sequence[Literal["record", "status", "edges"]] | None = None,
              basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
              timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
              progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Which sources changed since, and which answers rest on what changed. Answers: sources with reasons and
        what is newer; answers of a source; citations checked in the text as it was.

          ref: An answer, whose sources are looked at, or a source, whose answers are; all sources where not given.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("lineage.stale", ("sources", "answers", "citations"), given(
            ref=ref, include=include, basis=basis, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit,
            stream=stream, progress=progress, cursor=cursor))


class Log(Group[AnswerT, ListT]):
    """`log.…`"""

    def bundle(self, ref: str | None = None, *, why: bool | None = None, first_tx: int | None = None,
               last_tx: int | None = None, beside: str | Sequence[str] | None = None,
               without: str | Sequence[str] | None = None, without_types: Sequence[str] | None = None) -> AnswerT:
        """A record, all that it rests on, or a period, with the proof that the log has it. Answers: The bundle:
        format, about, checkpoint, events.

          ref: The record that is proved; else `first_tx`.
          why: With everything that it rests on.
          first_tx: The events from this transaction on; with `ref` or `beside` only those of these records. At
            least 1.
          last_tx: With `first_tx`: up to this transaction; the newest where left out. At least 1.
          beside: Further records that are proved with it.
          without: Of these the events go in, the contents do not.
          without_types: The same for types of records.
        """
        return self._caller.answer("log.bundle", given(
            ref=ref, why=why, first_tx=first_tx, last_tx=last_tx, beside=beside, without=without,
            without_types=without_types))

    def checkpoint(self, *, tx: int | None = None) -> AnswerT:
        """The size and root of the log's tree, signed. Answers: checkpoint, size, key; cosigned: checkpoints that
        witnesses signed.

          tx: The tree as it was after this transaction; the newest where left out. At least 1.
        """
        return self._caller.answer("log.checkpoint", given(
            tx=tx))

    def consistency(self, from_: int, *, to: int | None = None) -> AnswerT:
        """That the log only grew from one size to another. Answers: from, to, proof: hashes in base64.

          from_: The size of the checkpoint that the caller has. Of a tree of no events there is nothing to prove.
            At least 1.
          to: The size of a later one; of the newest where left out. At least 1.
        """
        return self._caller.answer("log.consistency", given(
            from_=from_, to=to))

    def cosign(self, note: str) -> AnswerT:
        """Keeps what witnesses of the log signed of a checkpoint. Answers: size, witnesses: key, time.

          note: A checkpoint of this log, with its signature and those of witnesses (C2SP tlog-cosignature).
        """
        return self._caller.answer("log.cosign", given(
            note=note))

    def proof(self, ref: str | None = None, *, leaf: int | None = None, tx: int | None = None) -> AnswerT:
        """An event of the log with the proof that it is there. Answers: index, line, proof.

          ref: The node whose event it is; else `leaf`.
          leaf: The place of the event in the log, from 0; else `ref`. At least 0.
          tx: With `ref`: the transaction of the event; that of its newest where left out. At least 1.
        """
        return self._caller.answer("log.proof", given(
            ref=ref, leaf=leaf, tx=tx))

    def rotate(self, *, overlap_s: int | None = None) -> AnswerT:
        """Changes the key that signs checkpoints, in a record that the key before signs. Answers: tx, ref of the
        record, key, until: up to when the key before signs too.

          overlap_s: For so many seconds the key before signs too: 7 days where left out, 0: it stops at once. 0 to
            31536000.
        """
        return self._caller.answer("log.rotate", given(
            overlap_s=overlap_s))


class Node(Group[AnswerT, ListT]):
    """`node.…`"""

    def activity(self, *, types: Sequence[str] | None = None, lanes: Literal["type", "topic", "agent"] | None = None,
                 period: str | None = None, from_: Time | None = None, to: Time | None = None,
                 as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """How many records fall into each hour, day, week, month or year. Answers: period, from, to, lanes: total
        and counts of each; other: of the smaller lanes.

          types: Record types counted; all where not given.
          lanes: What makes a lane: type where nothing is said.
          period: The shortest of which at most 100 come, where nothing is said.
          from_: The first moment that counts.
          to: The last moment that counts.
        """
        return self._caller.answer("node.activity", given(
            types=types, lanes=lanes, period=period, from_=from_, to=to, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms))

    def count(self, type: str, *, where: Mapping[str, Any] | None = None, as_of: Moment | None = None,
              min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """How many nodes of a type fulfil conditions. Answers: count.

          type: The record type counted.
          where: Conditions by field; all must hold.
        """
        return self._caller.answer("node.count", given(
            type=type, where=where, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def find(self, type: str, *, where: Mapping[str, Any] | None = None, order: Mapping[str, Any] | None = None,
             include: Sequence[Literal["record", "status", "edges"]] | None = None, as_of: Moment | None = None,
             min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Nodes of a type that fulfil conditions, sorted. Answers: nodes.

          type: The record type searched.
          where: Conditions by field; all must hold.
          order: By id where nothing is said.
          include: What to add to each node.
        """
        return self._caller.listed("node.find", ("nodes",), given(
            type=type, where=where, order=order, include=include, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms,
            limit=limit, stream=stream, progress=progress, cursor=cursor))

    def get(self, ref: str | None = None, *, refs: str | Sequence[str] | None = None,
            include: Sequence[Literal["record", "status", "edges"]] | None = None, as_of: Moment | None = None,
            min_tx: int | None = None, timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
            progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Nodes by their refs. Answers: nodes, in the order asked.

          ref: One node; either this or `refs`.
          refs: Several nodes, answered in this order. 1 to 1000 items.
          include: What to add to each node.
        """
        return self._caller.listed("node.get", ("nodes",), given(
            ref=ref, refs=refs, include=include, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit,
            stream=stream, progress=progress, cursor=cursor))

    def neighbors(self, ref: str, *, side: Literal["causes", "effects", "wholes", "parts"],
                  edge_types: Sequence[str] | None = None, type: str | None = None,
                  where: Mapping[str, Any] | None = None, order: Mapping[str, Any] | None = None,
                  group_by: str | None = None, include: Sequence[Literal["record", "status", "edges"]] | None = None,
                  as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
                  limit: int | None = None, stream: bool = False, progress: Progress | None = None,
                  cursor: str | None = None) -> ListT:
        """The neighbours of a node, or how many there are of each kind. Answers: total; nodes with edge_types and
        weight; or groups: value and count.

          ref: The node whose neighbours are sought.
          side: What it was made from, what was made from it, what it belongs to, or its parts.
          edge_types: Only by these edges; all where not given.
          type: Only neighbours of this record type.
          where: Conditions by field, as in `node.find`; needs `type`.
          order: By weight, largest first, where nothing is said. By weight, time, tx, id or a field of `type`.
          group_by: Counts instead of nodes: by type, edge_type, month, day, score, or a field of `type`.
          include: What to add to each node.
        """
        return self._caller.listed("node.neighbors", ("nodes", "groups"), given(
            ref=ref, side=side, edge_types=edge_types, type=type, where=where, order=order, group_by=group_by,
            include=include, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))


class Person(Group[AnswerT, ListT]):
    """`person.…`"""

    def certificate(self, ref: str) -> AnswerT:
        """The proof that somebody was erased, without their name. Answers: The certificate: format, about,
        checkpoint, before, extension, events.

          ref: The record of the erasure, as `person.erase` answered it.
        """
        return self._caller.answer("person.certificate", given(
            ref=ref))

    def erase(self, person: str, *, reason: str | None = None, list: bool | None = None, dry_run: bool | None = None,
              timeout_ms: int | None = None) -> AnswerT:
        """Removes what there is of a person, for every moment. Answers: tx; proposed and confirm_until where another
        user has to confirm it; erasure: the record of it; purged; shared: what stays, since others' records rest
        on it; backups: those made before that still have something of it; list: what must stay gone, where it is
        asked for; redacted; blobs; not_reached.

          person: The id of a Person, or the name as records give it.
          reason: Why: kept in the log, also when the content is gone.
          list: Also answers what must stay gone of what is named, so that a restored backup can lose it again.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("person.erase", given(
            person=person, reason=reason, list=list, dry_run=dry_run, timeout_ms=timeout_ms))

    def find(self, person: str, *, include: Sequence[Literal["record", "status", "edges"]] | None = None,
             as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
             limit: int | None = None, stream: bool = False, progress: Progress | None = None,
             cursor: str | None = None) -> ListT:
        """What there is of a person, and what would stay without them. Answers: nodes, which go with the person;
        shared, which stay; counts by type; held, by hold.

          person: The id of a Person, or the name as records give it.
          include: What to add to each node.
        """
        return self._caller.listed("person.find", ("nodes", "shared"), given(
            person=person, include=include, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit,
            stream=stream, progress=progress, cursor=cursor))


class Purge(Group[AnswerT, ListT]):
    """`purge.…`"""

    def confirm(self, ref: str, *, dry_run: bool | None = None, timeout_ms: int | None = None,
                list: bool | None = None) -> AnswerT:
        """Carries out a purge or an erasure that another user proposed, as it is now. Answers: tx; purged, shared,
        redacted, blobs, not_reached, backups, list and erasure as of person.erase.

          ref: The proposal, as records.purge or person.erase answered it.
          dry_run: Only checks; changes nothing.
          list: Also answers what must stay gone of what is named, so that a restored backup can lose it again.
        """
        return self._caller.answer("purge.confirm", given(
            ref=ref, dry_run=dry_run, timeout_ms=timeout_ms, list=list))

    def proposals(self, *, all: bool | None = None) -> AnswerT:
        """Purges and erasures that wait for another user, and what would go now. Answers: tx; proposals, the newest
        first: ref, state, who, why, until when; types: how many would go, or refused: why none would; total.

          all: Also those that nobody can confirm any more.
        """
        return self._caller.answer("purge.proposals", given(
            all=all))

    def withdraw(self, ref: str, *, dry_run: bool | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Ends a proposal: nobody can confirm it any more. Answers: tx, ref.

          ref: The proposal, as records.purge or person.erase answered it.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("purge.withdraw", given(
            ref=ref, dry_run=dry_run, timeout_ms=timeout_ms))


class Rag(Group[AnswerT, ListT]):
    """`rag.…`"""

    def answer(self, request_id: str, *, answer: str | None = None, message: str | None = None,
               system_prompt: str | None = None, processing_time_ms: int | None = None,
               mode: Literal["strict", "capture"] | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Takes a model's answer: reads and checks its citations, computes its confidence. Answers: tx, ref, answer
        as it is stored; unchanged where it was known.

          request_id: The query that is answered.
          answer: The text, with its citations in brackets; null where nothing was found.
          message: Why there is no text.
          system_prompt: The system prompt of the model, where no prompt was recorded.
          processing_time_ms: How long it took. At least 0.
          mode: As of records.write: capture keeps texts and citations that strict withholds or refuses.
        """
        return self._caller.answer("rag.answer", given(
            request_id=request_id, answer=answer, message=message, system_prompt=system_prompt,
            processing_time_ms=processing_time_ms, mode=mode, timeout_ms=timeout_ms))

    def get(self, request_id: str, *, as_of: Moment | None = None, min_tx: int | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """Everything recorded for a request. Answers: request_id, query, embedding, retrieved_chunks,
        prompt_context, answer.

          request_id: The id of the query.
        """
        return self._caller.answer("rag.get", given(
            request_id=request_id, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def retrieve(self, vector: Sequence[float], *, model: str | None = None, request_id: str | None = None,
                 question: str | None = None, filters: Mapping[str, Any] | None = None, record: bool | None = None,
                 as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None) -> AnswerT:
        """The chunks most similar to a vector. Answers: chunks, most similar first, with similarity_score and rank;
        request_id where it was recorded.

          vector: The question as numbers, not all of them 0. 1 to 8192 items.
          model: The model that made the vector: only its embeddings are searched. The server's default one where
            left out.
          request_id: What the request is recorded and logged under; the server makes one where left out.
          question: What was asked; needed with `record`.
          filters: Which chunks, and how many at most.
          record: Also records the query, its embedding and what was retrieved.
        """
        return self._caller.answer("rag.retrieve", given(
            vector=vector, model=model, request_id=request_id, question=question, filters=filters, record=record,
            as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))


class Records(Group[AnswerT, ListT]):
    """`records.…`"""

    def delete(self, refs: str | Sequence[str], *, force: bool | None = None, reason: str | None = None,
               expect_tx: int | None = None, dry_run: bool | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Deletes nodes from now on: earlier moments still show them. Answers: tx; deleted, with parts; orphaned
        attachments; dangling: what lost its source.

          refs: The nodes: all of them are deleted, or none. 1 to 1000 items.
          force: Deletes context units that responses use, too.
          reason: Why: kept in the log, also when the content is gone.
          expect_tx: Changes something only if this is the head. At least 0.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("records.delete", given(
            refs=refs, force=force, reason=reason, expect_tx=expect_tx, dry_run=dry_run, timeout_ms=timeout_ms))

    def purge(self, refs: str | Sequence[str], *, cascade: bool | None = None, reason: str | None = None,
              list: bool | None = None, dry_run: bool | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Removes what records say, for every moment; their nodes and edges stay. Answers: tx; proposed and
        confirm_until where another user has to confirm it; purged, with copies of their texts; list: what must
        stay gone, where it is asked for; redacted answers; blobs; not_reached.

          refs: The records, deleted ones too: what all of them say is removed, or nothing. 1 to 1000 items.
          cascade: Purges responses and answers, too, that were made from nothing else.
          reason: Why: kept in the log, also when the content is gone.
          list: Also answers what must stay gone of what is named, so that a restored backup can lose it again.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("records.purge", given(
            refs=refs, cascade=cascade, reason=reason, list=list, dry_run=dry_run, timeout_ms=timeout_ms))

    def write(self, records: Sequence[Mapping[str, Any]], *, mode: Literal["strict", "capture"] | None = None,
              ensure: bool | None = None, keep_derived: bool | None = None, idempotency_key: str | None = None,
              expect_tx: int | None = None, dry_run: bool | None = None, timeout_ms: int | None = None) -> AnswerT:
        """Records a batch: all of it, durably, or nothing. Answers: tx, refs, warnings; unchanged where nothing was
        new.

          records: The batch: all of it is taken, or nothing. At least 1 item.
          mode: strict: what breaks a rule is refused; capture: what really happened is recorded and flagged. The
            server's own where left out.
          ensure: Also makes the Topics and Messages that are named and missing.
          keep_derived: A copy of what was recorded elsewhere: keywords, subjects and summaries are those of the
            batch, whatever its attachments have.
          idempotency_key: 1 to 255 bytes: the same batch under the same key is written once and answered alike.
          expect_tx: Changes something only if this is the head. At least 0.
          dry_run: Only checks; changes nothing.
        """
        return self._caller.answer("records.write", given(
            records=records, mode=mode, ensure=ensure, keep_derived=keep_derived, idempotency_key=idempotency_key,
            expect_tx=expect_tx, dry_run=dry_run, timeout_ms=timeout_ms))


class Rpc(AnyMethod[AnswerT, ListT]):
    """`rpc.…`"""

    def discover(self) -> AnswerT:
        """This document. Answers: An OpenRPC document."""
        return self._caller.answer("rpc.discover", {})


class Server(Group[AnswerT, ListT]):
    """`server.…`"""

    def info(self, *, as_of: Moment | None = None) -> AnswerT:
        """What is served. Answers: version, build, nodes, edges, store_bytes, uptime_s, epoch, tx."""
        return self._caller.answer("server.info", given(
            as_of=as_of))


class Summary(Group[AnswerT, ListT]):
    """`summary.…`"""

    def get(self, topic: str, *, version: int | None = None, as_of: Moment | None = None, min_tx: int | None = None,
            timeout_ms: int | None = None) -> AnswerT:
        """A topic's summary with all of its text. Answers: summary, its content accumulated.

          topic: The topic.
          version: Which version; the latest where left out. At least 1.
        """
        return self._caller.answer("summary.get", given(
            topic=topic, version=version, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))


class Template(Group[AnswerT, ListT]):
    """`template.…`"""

    def active(self, modelId: str, *, as_of: Moment | None = None, min_tx: int | None = None,
               timeout_ms: int | None = None) -> AnswerT:
        """The system prompt a model uses now. Answers: template.

          modelId: The model.
        """
        return self._caller.answer("template.active", given(
            modelId=modelId, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def list(self, *, modelId: str | None = None, as_of: Moment | None = None, min_tx: int | None = None,
             timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
             progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """System prompts, all versions. Answers: templates, by model and version.

          modelId: The model; all where left out.
        """
        return self._caller.listed("template.list", ("templates",), given(
            modelId=modelId, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))


class Unit(Group[AnswerT, ListT]):
    """`unit.…`"""

    def update(self, ref: str, *, id: str | None = None,
               type: Literal["System", "User", "External", "ModelState"] | None = None, source: str | None = None,
               content: str | None = None, timestamp: Time | None = None, contribution_weight: float | None = None,
               embedding_id: str | None = None, summary: str | None = None, updated_by_response_id: str | None = None,
               derived_from: Sequence[str] | None = None, attributes: Mapping[str, Any] | None = None,
               timeout_ms: int | None = None) -> AnswerT:
        """Records the next version of a context unit: what it says, with what changed. Answers: tx, ref of the new
        version, version.

          ref: The unit that gets a next version; its newest one.
          id: Of the new version; made where left out.
          type: System, User, External or ModelState.
          source: Where it came from.
          content: Its text. Where it changes, the old `embedding_id` goes.
          timestamp: When it was made; now where left out.
          contribution_weight: Kept as given; the weight of a use is on its edge. 0 to 1.
          embedding_id: Reference into a vector store.
          summary: For people.
          updated_by_response_id: The response that caused this version; not taken from the old one.
          derived_from: Units it was made from, each named once; not taken from the old one.
          attributes: Free data of the client.
        """
        return self._caller.answer("unit.update", given(
            ref=ref, id=id, type=type, source=source, content=content, timestamp=timestamp,
            contribution_weight=contribution_weight, embedding_id=embedding_id, summary=summary,
            updated_by_response_id=updated_by_response_id, derived_from=derived_from, attributes=attributes,
            timeout_ms=timeout_ms))


class Versions(Group[AnswerT, ListT]):
    """`versions.…`"""

    def diff(self, a: str, *, b: str, as_of: Moment | None = None, min_tx: int | None = None,
             timeout_ms: int | None = None) -> AnswerT:
        """How two versions of one thing differ, field by field. Answers: changes: path, before, after.

          a: One version.
          b: Another version of the same thing.
        """
        return self._caller.answer("versions.diff", given(
            a=a, b=b, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def list(self, ref: str, *, include: Sequence[Literal["record", "status", "edges"]] | None = None,
             as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
             limit: int | None = None, stream: bool = False, progress: Progress | None = None,
             cursor: str | None = None) -> ListT:
        """The chain of versions a node belongs to. Answers: versions, first to last.

          ref: Any member of the chain.
          include: What to add to each node.
        """
        return self._caller.listed("versions.list", ("versions",), given(
            ref=ref, include=include, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))


class Xml(Group[AnswerT, ListT]):
    """`xml.…`"""

    def build(self, *, parts: Mapping[str, Any] | None = None,
              format: Literal["llm-query", "llm-response"] | None = None, userMessage: str | None = None,
              context: Mapping[str, Any] | None = None, response: str | None = None,
              analysis: Mapping[str, Any] | None = None) -> AnswerT:
        """Writes the XML document of the given parts. Answers: xml: what is built is accepted.

          parts: The parts of the document, as xml.validate answers them; or give their members here themselves.
          format: Which document; needed where `parts` lacks it.
          userMessage: What the user said; not blank.
          context: The state of the conversation.
          response: What is said to the user; not blank.
          analysis: What the exchange is about.
        """
        return self._caller.answer("xml.build", given(
            parts=parts, format=format, userMessage=userMessage, context=context, response=response, analysis=analysis))

    def context(self, topicId: str, *, as_of: Moment | None = None, min_tx: int | None = None,
                timeout_ms: int | None = None) -> AnswerT:
        """The context of a conversation's next query, as a part for xml.build. Answers: context: topicId,
        messageCount, activeSubjects, recentKeywords.

          topicId: The conversation.
        """
        return self._caller.answer("xml.context", given(
            topicId=topicId, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms))

    def instructions(self) -> AnswerT:
        """The system text that makes a model answer in the XML contract. Answers: version of the contract, text."""
        return self._caller.answer("xml.instructions", {})

    def validate(self, xml: str, *, format: Literal["llm-query", "llm-response"] | None = None) -> AnswerT:
        """Checks an XML document and takes it apart. Answers: valid, format, parts, warnings; a document that breaks
        a rule is the error invalid_xml.

          xml: The text of the document.
          format: Which document is expected; what its root says where left out.
        """
        return self._caller.answer("xml.validate", given(
            xml=xml, format=format))


class Methods(Suggesting, Generic[AnswerT, ListT]):
    """All methods, as attributes of a client."""

    def __init__(self, caller: Caller[AnswerT, ListT]) -> None:
        self._caller = caller
        self.admin: Admin[AnswerT, ListT] = Admin(caller)
        self.attachment: Attachment[AnswerT, ListT] = Attachment(caller)
        self.discussion: Discussion[AnswerT, ListT] = Discussion(caller)
        self.export: Export[AnswerT, ListT] = Export(caller)
        self.feedback: Feedback[AnswerT, ListT] = Feedback(caller)
        self.history: History[AnswerT, ListT] = History(caller)
        self.hold: Hold[AnswerT, ListT] = Hold(caller)
        self.impact: Impact[AnswerT, ListT] = Impact(caller)
        self.lineage: Lineage[AnswerT, ListT] = Lineage(caller)
        self.log: Log[AnswerT, ListT] = Log(caller)
        self.node: Node[AnswerT, ListT] = Node(caller)
        self.person: Person[AnswerT, ListT] = Person(caller)
        self.purge: Purge[AnswerT, ListT] = Purge(caller)
        self.rag: Rag[AnswerT, ListT] = Rag(caller)
        self.records: Records[AnswerT, ListT] = Records(caller)
        self.rpc: Rpc[AnswerT, ListT] = Rpc(caller)
        self.server: Server[AnswerT, ListT] = Server(caller)
        self.summary: Summary[AnswerT, ListT] = Summary(caller)
        self.template: Template[AnswerT, ListT] = Template(caller)
        self.unit: Unit[AnswerT, ListT] = Unit(caller)
        self.versions: Versions[AnswerT, ListT] = Versions(caller)
        self.xml: Xml[AnswerT, ListT] = Xml(caller)

    def query(self, cypher: str, *, params: Any | None = None, as_of: Moment | None = None, min_tx: int | None = None,
              timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
              progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Answers a query in openCypher, which reads and does not write. Answers: columns; rows, each a list with a
        value for each column; plan, with EXPLAIN or PROFILE; warnings, of names that the schema lacks.

          cypher: A query in openCypher without writing clauses.
          params: An object: the values of `$name` in the query.
        """
        return self._caller.listed("query", ("rows",), given(
            cypher=cypher, params=params, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit, stream=stream,
            progress=progress, cursor=cursor))

    def search(self, text: str, *, types: Sequence[str] | None = None, where: Mapping[str, Any] | None = None,
               exact: bool | None = None, include: Sequence[Literal["record", "status", "edges"]] | None = None,
               as_of: Moment | None = None, min_tx: int | None = None, timeout_ms: int | None = None,
               limit: int | None = None, stream: bool = False, progress: Progress | None = None,
               cursor: str | None = None) -> ListT:
        """Records whose texts have all of the given words. Answers: nodes, those that fit best first, with score and
        snippets; total; suggestions where nothing is found.

          text: The words sought, all of them; the last may be the beginning of one.
          types: Record types searched; all where not given.
          where: Conditions by field, as in `node.find`; needs exactly one of `types`.
          exact: Finds the words as they are alone, not their other English forms.
          include: What to add to each node.
        """
        return self._caller.listed("search", ("nodes",), given(
            text=text, types=types, where=where, exact=exact, include=include, as_of=as_of, min_tx=min_tx,
            timeout_ms=timeout_ms, limit=limit, stream=stream, progress=progress, cursor=cursor))

    def trace(self, ref: str, *, include: Sequence[Literal["record", "status", "edges"]] | None = None,
              basis: Sequence[str] | None = None, as_of: Moment | None = None, min_tx: int | None = None,
              timeout_ms: int | None = None, limit: int | None = None, stream: bool = False,
              progress: Progress | None = None, cursor: str | None = None) -> ListT:
        """Where a node comes from: of a keyword, subject or summary XML, responses, context units; of any other all
        that it was made from. Answers: nodes, edges; dangling: sources that are deleted.

          ref: The node that is traced.
          include: What to add to each node.
          basis: Walks only edges that are known so; all where not given. 1 to 6 items.
        """
        return self._caller.listed("trace", ("nodes", "edges"), given(
            ref=ref, include=include, basis=basis, as_of=as_of, min_tx=min_tx, timeout_ms=timeout_ms, limit=limit,
            stream=stream, progress=progress, cursor=cursor))
