"""A naive reference model of discussions: their records, the counting of tokens, and the Markdown file for a JSON file. It
shares no code with the engine.
"""
PERSONAS = ("Analyzer AI", "Solver AI", "Moderator AI")
MEMBERS = ("analyzerResponse", "solverResponse", "moderatorResponse")


def quoted(part):
    return part.replace("%", "%25").replace("/", "%2F")


def ref_of(kind, user, discussion, number=None):
    parts = [quoted(user), quoted(discussion)] + ([] if number is None else [str(number)])
    return f"{kind}:{'/'.join(parts)}"


def discussion_record(user, discussion, **more):
    return {"$type$": "Discussion", "userId": user, "discussionId": discussion, "createdAt": 0, "updatedAt": 0, **more}


def message(number, place, content, timestamp):
    return {"persona": PERSONAS[place], "turn": (number - 1) * 3 + place + 1, "content": content, "timestamp": timestamp}


def round_record(user, discussion, number, contents="abc", timestamp=1, **more):
    """A whole round; `contents` are its three texts."""
    return {"$type$": "DiscussionRound", "userId": user, "discussionId": discussion, "roundNumber": number,
            "timestamp": timestamp,
            **{m: message(number, i, contents[i], timestamp) for i, m in enumerate(MEMBERS)}, **more}


def summary_record(user, discussion, number, text, replaces, **more):
    return {"$type$": "SummaryEntry", "userId": user, "discussionId": discussion, "roundNumber": number, "summary": text,
            "replacesRounds": replaces, "createdAt": 3, **more}


def own(record):
    """The members of a discussion record without the protocol's own."""
    return {k: v for k, v in record.items() if k not in ("$type$", "userId", "discussionId")}


def tokens_of_text(text):
    return (2 * len(text) + 6) // 7


def tokens(rounds, summary=None):
    """The count over included rounds (whole or open) and the summary's text."""
    responses = sum(tokens_of_text(r[m]["content"]) for r in rounds for m in MEMBERS if m in r)
    return responses + 250 + 75 * len(rounds) + (tokens_of_text(summary) if summary is not None else 0)


def markdown(file):
    """The Markdown file that belongs to a JSON file (as parsed)."""
    blocks = ["# " + file["topic"], "\n".join((f"- user: {file['userId']}", f"- discussion: {file['discussionId']}",
                                               f"- rounds: {len(file['rounds'])}", f"- tokens: {file['tokenCount']}"))]
    for entry in file["rounds"]:
        blocks.append(f"## Round {entry['roundNumber']}")
        for persona, member in zip(PERSONAS, MEMBERS):
            blocks += ["### " + persona, entry[member]["content"]]
        if entry.get("userAnswers"):
            blocks += ["### User answers", "\n".join(f"{i}. {a}" for i, a in enumerate(entry["userAnswers"], 1))]
    for entry in file["summaries"]:
        blocks += [f"## Summary (through round {entry['roundNumber']})", entry["summary"]]
    return "\n\n".join(blocks) + "\n"
