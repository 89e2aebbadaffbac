"""Random histories: batches and calls, each valid after the ones before, chosen by a random number generator."""
from xml.sax.saxutils import escape, quoteattr

from support.naive_discussion import PERSONAS, discussion_record, ref_of, round_record, summary_record
from support.naive_rag import axis, chunk_record, embedding_record, query_record, retrieval_record

START = 1_728_234_567_890
NAMES = ["savings", "budget", "grants", "a/b%", "Über uns", " padded "]
TERMS = ["529-plan", "tuition", "tax", "loan", "x/y", "ünïcode", " k ", "z" * 200, "y" * 120]
USERS = ("ann", "b/ob", "c%")


class History:
    """Random batches of context records."""

    def __init__(self, chance):
        self.chance, self.units, self.newest, self.responses, self.made = chance, [], [], [], 0

    def stamp(self):
        self.made += 1
        return f"2025-01-01T{self.made // 3600:02}:{self.made // 60 % 60:02}:{self.made % 60:02}Z"

    def unit(self):
        record = {"$type$": "ContextUnit", "id": f"cu_{len(self.units)}", "type": "User", "source": "s",
                  "timestamp": self.stamp(), "version": 1}
        if self.newest and self.chance.random() < 0.4:
            previous = self.newest.pop(self.chance.randrange(len(self.newest)))
            record.update(version=previous["version"] + 1, previous_version_id=previous["id"])
        if self.responses and self.chance.random() < 0.3:
            record["updated_by_response_id"] = self.chance.choice(self.responses)["id"]
        if self.units and self.chance.random() < 0.3:
            sources = {self.chance.choice(self.units)["id"] for _ in range(2)}
            record["derived_from"] = sorted(sources - {record.get("previous_version_id")})
        self.units.append(record)
        self.newest.append(record)
        return record

    def response(self):
        used = self.chance.sample(self.units, min(len(self.units), self.chance.randint(1, 6)))
        cuts = sorted(self.chance.randrange(0, 101) for _ in range(len(used) - 1))
        shares = [(b - a) / 100 for a, b in zip([0] + cuts, cuts + [100])]
        record = {"$type$": "Response", "id": f"resp_{len(self.responses)}", "timestamp": self.stamp(), "agent": "a", "model": "m",
                  "context_units": [{"context_unit_id": u["id"], "weight": w} for u, w in zip(used, shares)]}
        self.responses.append(record)
        return record

    def feedback(self):
        return {"$type$": "FeedbackRecord", "id": f"fb_{self.made}", "response_id": self.chance.choice(self.responses)["id"],
                "timestamp": self.stamp(), "score": self.chance.choice([-1, -0.8, -0.3, 0, 0.5, 1])}

    def batch(self):
        records = [self.unit() for _ in range(self.chance.randint(1, 3))]
        records += [self.response() for _ in range(self.chance.randint(0, 2))]
        if self.responses:
            records += [self.feedback() for _ in range(self.chance.randint(0, 3))]
        return records


class Conversation:
    """Random attachments, each with its own message."""

    def __init__(self, chance):
        self.chance, self.made = chance, 0

    def subject(self):
        keywords = "".join(f"<keyword term={quoteattr(t)} confidence=\"{self.chance.randint(0, 100) / 100}\"/>"
                           for t in self.chance.choices(TERMS, k=self.chance.randint(0, 4)))
        return (f"<subject name={quoteattr(self.chance.choice(NAMES))} description=\"about {self.made}\" "
                f"isNew=\"{self.chance.choice(['true', 'false'])}\">{keywords}</subject>")

    def response(self):
        subjects = "".join(self.subject() for _ in range(self.chance.randint(0, 3)))
        summary = self.chance.choice(["", " ", f"Said {self.made} & more.", f"\n  spaced {self.made}\t"])
        text = "x" * self.chance.choice([1, 900, 3000])
        return (f"<llmResponse><response>{text}</response><analysis>{subjects}"
                f"<summaryUpdate>{escape(summary)}</summaryUpdate></analysis></llmResponse>")

    def query(self, topic):
        return f"<llmQuery><userMessage>Q{self.made}</userMessage><context topicId={quoteattr(topic)} messageCount=\"1\"/></llmQuery>"

    def attachment(self):
        self.made += 1
        topic = self.chance.choice(["one", "two/three", "vier%"])
        is_query = self.chance.random() < 0.2
        return {"$type$": "XMLMessageAttachment", "topicId": topic, "messageId": f"m{self.made}",
                "format": "llm-query" if is_query else "llm-response", "createdAt": START + 1000 * self.made,
                "xml": self.query(topic) if is_query else self.response()}


class Mixed:
    """Random steps over all record families. Each is one call that makes one or more transactions; `steps` lists the changes:
    [(tx, kind, what)]."""

    def __init__(self, case, chance):
        self.rpc, self.write, self.head, self.chance = case.rpc, case.write, case.head, chance
        self.core, self.talk, self.steps = History(chance), Conversation(chance), []
        self.rounds, self.summaries = {}, {}                 # (user, discussion) -> complete rounds; -> last one summarized
        self.open = {}                                       # (user, discussion) -> responses of its open round
        self.chunks, self.found, self.made = {}, {}, 0       # chunk id -> record; request -> (chunk ids, has a context)
        self.dropped = set()                                 # names of deleted documents, not used again
        self.free = {"llm-query": [], "llm-response": []}    # responses without such an attachment
        self.messages = []                                   # attachments that may be deleted

    def note(self, tx, records):
        self.steps.append((tx, "take", records))

    def step(self):
        kinds = {"core_batch": 8, "attachment": 6, "whole_rounds": 4, "response_added": 6, "summary": 2, "documents": 3,
                 "request": 5, "retrieval": 2, "answer": 5, "deletion": 1}
        getattr(self, self.chance.choices(list(kinds), list(kinds.values()))[0])()

    def number(self):
        self.made += 1
        return self.made

    def core_batch(self):
        records = self.core.batch()
        talks = sorted(k for k in self.rounds if self.rounds[k] or self.open.get(k))
        for record in records:
            if record["$type$"] != "Response":
                continue
            for attachments in self.free.values():
                attachments.append(record["id"])
            if talks and self.chance.random() < 0.5:
                user, discussion = self.chance.choice(talks)
                refs = self.rpc("discussion.prompt", userId=user, discussionId=discussion)["refs"]
                record["prompt_refs"] = self.chance.sample(refs, self.chance.randint(1, len(refs)))
        self.note(self.write(*records)["tx"], records)

    def attachment(self):
        records = [self.talk.attachment() for _ in range(self.chance.randint(1, 2))]
        for record in records:
            free = self.free[record["format"]]
            if free and self.chance.random() < 0.7:
                record["responseId"] = free.pop(self.chance.randrange(len(free)))
        self.messages += records
        self.note(self.write(*records, ensure=True)["tx"], records)

    def a_talk(self, is_open=False):
        """A discussion, old or new, with or without an open round; None if there is none."""
        known = sorted(k for k in self.rounds if bool(self.open.get(k)) == is_open)
        if not is_open and (not known or self.chance.random() < 0.2):
            return self.chance.choice(USERS), f"disc {self.number()}/{self.chance.choice('xy%')}"
        return self.chance.choice(known) if known else None

    def whole_rounds(self):
        key = user, discussion = self.a_talk()
        first = self.rounds.get(key, 0) + 1
        records = [round_record(user, discussion, n) for n in range(first, first + self.chance.randint(1, 2))]
        self.rounds[key] = records[-1]["roundNumber"]
        self.note(self.write(*records, ensure=True)["tx"], [discussion_record(user, discussion), *records])

    def response_added(self):
        key = self.a_talk(is_open=True) or self.a_talk()
        user, discussion = key
        number = self.rounds.setdefault(key, 0) + 1
        if not self.open.get(key):
            self.rpc("discussion.open", userId=user, discussionId=discussion)
            self.note(self.head(), [discussion_record(user, discussion)])
        done = self.open[key] = self.open.get(key, 0) + 1
        got = self.rpc("discussion.addResponse", userId=user, discussionId=discussion, roundNumber=number,
                       persona=PERSONAS[done - 1], content="x")
        self.note(got["tx"], [round_record(user, discussion, number)])
        if done == 3:
            self.open[key], self.rounds[key] = 0, number

    def summary(self):
        known = sorted(k for k, n in self.rounds.items() if n > self.summaries.get(k, 0))
        if not known:
            return
        key = user, discussion = self.chance.choice(known)
        last = self.chance.randint(self.summaries.get(key, 0) + 1, self.rounds[key])
        before = self.chance.sample(range(1, last), self.chance.randint(0, last - 1))
        record = summary_record(user, discussion, last, "S", sorted(before) + [last])
        self.summaries[key] = last
        self.note(self.write(record)["tx"], [record])

    def documents(self):
        names = sorted({f"doc {i}" for i in range(self.made // 8 + 2)} - self.dropped) or [f"doc of {self.number()}"]
        records = [chunk_record(f"chunk {self.number()}", self.chance.choice(names), page=self.made,
                                embedding=axis(self.made % 384))
                   for _ in range(self.chance.randint(1, 4))]
        self.chunks.update((r["chunk_id"], r) for r in records)
        self.note(self.write(*records)["tx"], records)

    def request(self):
        """A query with what was found for it, in one batch; some with an embedding, some with a context of their own."""
        if not self.chunks:
            return
        request = f"req {self.number()}"
        found = self.chance.sample(sorted(self.chunks), min(len(self.chunks), self.chance.randint(1, 5)))
        records = [query_record(request)] + [embedding_record(request, axis(0))] * self.chance.randint(0, 1)
        records += [retrieval_record(request, 0.9, self.chunks[c]) for c in found]
        if self.chance.random() < 0.5:
            records.append({"$type$": "PromptContext", "request_id": request, "question": "What?", "system_prompt": "",
                            "formatted_context": "",
                            "retrieved_chunks": [{"chunk_id": c} for c in found[:self.chance.randint(1, len(found))]]})
        self.found[request] = (found, records[-1]["$type$"] == "PromptContext")
        self.note(self.write(*records)["tx"], records)

    def retrieval(self):
        if not self.chunks:
            return
        place = self.chance.randrange(384)
        got = self.rpc("rag.retrieve", vector=[x + 0.001 for x in axis(place)], question="What?", record=True,
                       filters={"max_results": 10})
        request, found = got["request_id"], [c["chunk_id"] for c in got["chunks"]]
        self.note(self.head(), [query_record(request), embedding_record(request, axis(place)),
                                *(retrieval_record(request, 0.9, self.chunks[c]) for c in found)])

    def answer(self):
        if not self.found:
            return
        request = self.chance.choice(sorted(self.found))
        found, has_context = self.found.pop(request)
        cited = self.chance.sample(found, self.chance.randint(1, len(found)))
        places = [self.chunks[c]["metadata"] for c in cited]
        got = self.rpc("rag.answer", request_id=request,
                       answer="".join(f"[{p['document_name']}, page {p['page_number']}]" for p in places))
        context = [] if has_context else [{"$type$": "PromptContext", "request_id": request,
                                           "retrieved_chunks": [{"chunk_id": c} for c in found]}]
        self.note(got["tx"], [*context, {"$type$": "Answer", "request_id": request, "cites": cited}])

    def deletion(self):
        """Of a message (its attachment goes too), a document (its chunks), or a discussion (its rounds and summaries)."""
        ref = self.chance.choice([self.a_message, self.a_document, self.a_discussion])()
        if ref:
            got = self.rpc("records.delete", refs=[ref])
            self.steps.append((got["tx"], "delete", got["deleted"]))

    def a_message(self):
        return "Message:" + self.messages.pop(self.chance.randrange(len(self.messages)))["messageId"] if self.messages else None

    def a_document(self):
        names = sorted({c["metadata"]["document_name"] for c in self.chunks.values()})
        if not names:
            return None
        name = self.chance.choice(names)
        self.dropped.add(name)
        gone = {i for i, c in self.chunks.items() if c["metadata"]["document_name"] == name}
        self.chunks = {i: c for i, c in self.chunks.items() if i not in gone}
        self.found = {r: f for r, f in self.found.items() if not gone & set(f[0])}
        return "Document:" + name

    def a_discussion(self):
        known = sorted(k for k in self.rounds if not self.open.get(k))
        if not known:
            return None
        key = self.chance.choice(known)
        del self.rounds[key]
        self.summaries.pop(key, None)
        return ref_of("Discussion", *key)
