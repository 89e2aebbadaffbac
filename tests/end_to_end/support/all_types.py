"""Random writes of every record type. Each text has a word that occurs in no other: a copy of it is found wherever it is."""
import hashlib
import re

from support.naive_discussion import PERSONAS, round_record, summary_record
from support.naive_rag import chunk_record, query_record, retrieval_record

OLD, YOUNG = "2011-03-01T10:00:00Z", "2025-10-09T16:15:00Z"
OLD_MS, YOUNG_MS = 1_298_973_600_000, 1_760_026_500_000
WORD = re.compile(r"zq\d+[a-f]*qz")
CHECK_LETTERS = 10
SUBJECTS = {"savings": ["interest", "rates"], "loans": ["debt", "rates"]}


def word_of(number):
    """The word of a number. Its letters depend on all digits: zstd's dictionaries have pieces of texts side by side, and the
    end of one word after the beginning of another must not read as a third."""
    letters = hashlib.sha256(str(number).encode()).digest()[:CHECK_LETTERS]
    return f"zq{number}{''.join('abcdef'[byte % 6] for byte in letters)}qz"


class AllTypes:
    """`step` writes one batch or makes one call. What a test removed meanwhile may be named: then it may be refused."""

    def __init__(self, case, chance):
        self.rpc, self.write, self.chance = case.rpc, case.write, chance
        self.words, self.made, self.dropped = 0, 0, 0
        self.refs = {}              # type -> refs written, deleted ones too
        self.retrieved = {}         # request -> chunk ids
        self.chunks, self.rounds, self.templates = {}, {}, {}
        self.shared = "one long text of several records " + self.word() + " and more" * 700

    def word(self):
        self.words += 1
        return word_of(self.words)

    def text(self, may_be_long=False):
        if may_be_long and self.chance.random() < 0.2:
            return self.shared if self.chance.random() < 0.4 else self.word() + " long" * 1200
        return f"says {self.word()} here"

    def number(self):
        self.made += 1
        return self.made

    def time(self):
        return self.chance.choice((OLD, YOUNG))

    def ms(self):
        return self.chance.choice((OLD_MS, YOUNG_MS)) + self.number()

    def any_of(self, *types):
        refs = [ref for kind in types for ref in self.refs.get(kind, [])]
        return self.chance.choice(refs) if refs else None

    def put(self, *records, **more):
        answer = self.write(*records, ensure=True, **more)
        for ref in answer["refs"]:
            known = self.refs.setdefault(ref.split(":")[0], [])
            if ref not in known:
                known.append(ref)
        return answer["refs"]

    def forget(self, deleted):
        """Ids that were deleted are not given again: an export does not say which of two nodes of a name lost its content."""
        for ref in deleted:
            kind, _, name = ref.partition(":")
            if kind in ("Query", "Answer"):
                self.retrieved.pop(name, None)
            elif kind == "RetrievedChunk":
                self.chunks.pop(name, None)
                self.retrieved = {request: [c for c in found if c != name] for request, found in self.retrieved.items()}
            elif kind == "Discussion":
                self.rounds.clear()
                self.dropped += 1
            elif kind == "Document":
                self.dropped += 1
        self.refs = {kind: [ref for ref in refs if ref not in deleted] for kind, refs in self.refs.items()}

    STEPS = ("unit", "unit", "response", "response", "response", "feedback", "message", "exchange", "exchange", "exchange", "extracted",
             "template", "round", "round", "round_answer", "summary", "documents", "documents", "request", "request", "prompt", "answer",
             "answer", "answer", "answer", "answer", "prov", "topic")

    def step(self):
        getattr(self, self.chance.choice(self.STEPS))()

    def unit(self):
        record = {"$type$": "ContextUnit", "id": f"cu_{self.number()}", "type": "User", "source": "s", "timestamp": self.time(),
                  "content": self.text(True), "summary": self.text(), "attributes": {"note": self.word()}}
        origin = self.any_of("ContextUnit")
        if origin and self.chance.random() < 0.3:
            record["derived_from"] = [origin.split(":")[1]]
        self.put(record)

    def response(self):
        kinds = ["ContextUnit", "ContextUnit", "RetrievedChunk", "Document", "Response", "Message", "Answer"]
        used = sorted({ref for ref in (self.any_of(self.chance.choice(kinds)) for _ in range(self.chance.randint(1, 3))) if ref})
        if not used:
            return
        record = {"$type$": "Response", "id": f"resp_{self.number()}", "timestamp": self.time(), "agent": "a", "model": "m",
                  "content": self.text(True), "prompt": self.text(True),
                  "context_units": [{"ref": ref, "weight": 1 / len(used)} for ref in used]}
        if self.retrieved and self.chance.random() < 0.4:
            record["request_id"] = self.chance.choice(sorted(self.retrieved))
        if self.templates and self.chance.random() < 0.3:
            model = self.chance.choice(sorted(self.templates))
            record["prompt_template"] = {"modelId": model, "version": self.chance.randint(1, len(self.templates[model]))}
        if (said := self.any_of("DiscussionRound", "SummaryEntry")) and self.chance.random() < 0.3:
            record["prompt_refs"] = [said]
        self.put(record)

    def feedback(self):
        rated = self.any_of("Response", "Answer")
        if rated:
            self.put({"$type$": "FeedbackRecord", "id": f"fb_{self.number()}", "ref": rated, "timestamp": YOUNG,
                      "score": self.chance.choice((-1, -0.3, 0.5, 1)), "feedback_text": self.text()})

    def topic(self):
        self.put({"$type$": "Topic", "id": f"topic {self.number()}", "name": self.text(), "createdAt": self.ms()})

    def message(self):
        self.put({"$type$": "Message", "id": f"m{self.number()}", "topicId": self.chance.choice(("one", "two/three")), "role": "user",
                  "text": self.text(), "createdAt": self.ms()})

    def exchange(self):
        """A message with its XML: a question, or an answer that is extracted."""
        is_query = self.chance.random() < 0.2
        topic, number = self.chance.choice(("one", "two/three")), self.number()
        parts = {"userMessage": self.text(), "context": {"topicId": topic, "messageCount": 1, "activeSubjects": [], "recentKeywords": []}}
        if not is_query:
            subjects = [{"name": name, "description": self.text(), "isNew": True,
                         "keywords": [{"term": term, "confidence": 0.9} for term in SUBJECTS[name]]}
                        for name in self.chance.sample(sorted(SUBJECTS), self.chance.randint(0, 2))]
            parts = {"response": self.text(True), "analysis": {"subjects": subjects,
                     "summaryUpdate": self.text() if self.chance.random() < 0.6 else ""}}
        form = "llm-query" if is_query else "llm-response"
        record = {"$type$": "XMLMessageAttachment", "topicId": topic, "messageId": f"m{number}", "format": form, "createdAt": self.ms(),
                  "xml": self.rpc("xml.build", format=form, parts=parts)["xml"]}
        if (response := self.any_of("Response")) and self.chance.random() < 0.5:
            record["responseId"] = response.split(":")[1]
        self.put({"$type$": "Message", "id": f"m{number}", "topicId": topic, "text": self.text(), "createdAt": record["createdAt"]}, record)

    def extracted(self):
        """Keywords, subjects and summaries that a client writes itself."""
        seen = self.ms()
        self.put({"$type$": "Topic", "id": "client"},
                 {"$type$": "Subject", "topic": "client", "id": "own", "name": "own", "description": self.text(), "keywords": ["own"],
                  "timeRanges": [], "messageCount": 1, "createdAt": OLD_MS, "lastSeenAt": seen, "archived": False},
                 {"$type$": "Keyword", "term": "own", "frequency": self.number(), "subjects": ["Subject:client/own"], "lastSeen": seen,
                  "createdAt": OLD_MS, "attributes": {"note": self.word()}})
        version = sum(ref.startswith("Summary:client-v") for ref in self.refs.get("Summary", [])) + 1
        self.put({"$type$": "Summary", "id": f"client-v{version}", "topic": "client", "version": version, "content": self.text(),
                  "subjects": [], "keywords": [], "createdAt": seen, **({"previousVersion": f"client-v{version - 1}"} if version > 1 else {})})

    def template(self):
        model = self.chance.choice(("gpt", "cla/ude"))
        known = self.templates.setdefault(model, [])
        if known and self.chance.random() < 0.3:
            record = {**self.chance.choice(known), "active": True}
        else:
            record = {"$type$": "SystemPromptTemplate", "modelId": model, "version": len(known) + 1, "promptText": self.text(),
                      "createdAt": self.ms()}
        self.put(record)
        if record["version"] > len(known):
            known.append(record)

    def round(self):
        user, discussion = self.chance.choice((("ann", f"d1.{self.dropped}"), ("b/ob", f"d2.{self.dropped}")))
        number = self.rounds.get((user, discussion), 0) + 1
        records = [round_record(user, discussion, number, [self.text() for _ in PERSONAS], self.ms())]
        if number == 1 or self.chance.random() < 0.2:
            records.insert(0, {"$type$": "Discussion", "userId": user, "discussionId": discussion, "topic": self.text(),
                               "createdAt": self.chance.choice((OLD_MS, YOUNG_MS)), "updatedAt": YOUNG_MS})
        self.put(*records)
        self.rounds[user, discussion] = number

    def round_answer(self):
        if self.rounds:
            user, discussion = self.chance.choice(sorted(self.rounds))
            self.rpc("discussion.answer", userId=user, discussionId=discussion, roundNumber=self.rounds[user, discussion],
                     userAnswers=[self.text()], questions={"why": self.word()})

    def summary(self):
        if self.rounds:
            user, discussion = self.chance.choice(sorted(self.rounds))
            last = self.rounds[user, discussion]
            self.put({**summary_record(user, discussion, last, self.text(), [last]), "createdAt": self.ms()})

    def documents(self):
        name = f"doc {self.chance.randint(1, 3)}.{self.dropped}"
        records = [{"$type$": "Document", "document_name": name}] if f"Document:{name}" in self.refs.get("Document", []) else [
            {"$type$": "Document", "document_name": name, "title": self.text(), "timestamp": self.time()}]
        records = records if "title" in records[0] else []
        for _ in range(self.chance.randint(1, 2)):
            number = self.number()
            record = chunk_record(f"c{number}", name, self.text(), page=number, section=self.word(),
                                  embedding=[1, number / 100, self.chance.random()], embedding_model="tiny")
            self.chunks[record["chunk_id"]] = record
            records.append(record)
        self.put(*records)

    def request(self):
        request = f"req {self.number()}"
        if self.chunks and self.chance.random() < 0.3:
            got = self.rpc("rag.retrieve", vector=[1, self.chance.random(), 0.5], model="tiny", question=self.text(), record=True,
                           request_id=request)
            self.refs.setdefault("Query", []).append("Query:" + request)
            self.refs.setdefault("EmbeddingVector", []).append("EmbeddingVector:" + request)
            self.retrieved[request] = [c["chunk_id"] for c in got["chunks"]]
            return
        found = self.chance.sample(sorted(self.chunks), min(len(self.chunks), self.chance.randint(0, 3)))
        records = [query_record(request, self.text(), timestamp=self.time()),
                   {"$type$": "EmbeddingVector", "request_id": request, "vector": [1, 0, 0.5], "model_name": "tiny", "dimension": 3}]
        bare = [{k: v for k, v in self.chunks[c].items() if k != "embedding_model"} for c in found]
        self.put(*records[:self.chance.randint(1, 2)], *(retrieval_record(request, 0.9, each) for each in bare))
        self.retrieved[request] = found

    def prompt(self):
        if self.retrieved:
            request = self.chance.choice(sorted(self.retrieved))
            self.put({"$type$": "PromptContext", "request_id": request, "question": self.text(), "system_prompt": self.text(),
                      "formatted_context": self.text(), "retrieved_chunks": [{"chunk_id": c} for c in self.retrieved[request]]})

    def answer(self):
        if not self.retrieved:
            return
        request = self.chance.choice(sorted(self.retrieved))
        cited = self.chance.sample(self.retrieved[request], min(len(self.retrieved[request]), self.chance.choice((0, 1, 2, 2))))
        if self.chance.random() < 0.5:
            text = self.text() + "".join(f" [{m['document_name']}, page {m['page_number']}]"
                                         for m in (self.chunks[c]["metadata"] for c in cited))
            self.rpc("rag.answer", request_id=request, answer=text, mode="capture")
            self.refs.setdefault("Answer", []).append("Answer:" + request)
        else:
            self.put({"$type$": "Answer", "request_id": request, "answer": self.text(), "confidence": 0.9, "processing_time_ms": 1,
                      "citations": [{"document_name": self.chunks[c]["metadata"]["document_name"], "chunk_id": c,
                                     "excerpt": self.chunks[c]["content"][:15]} for c in cited]}, mode="capture")

    def prov(self):
        kind = self.chance.choice(("ProvEntity", "ProvActivity", "ProvAgent"))
        name = f"urn:x:{self.number()}"
        record = {"$type$": kind, "id": name, "qname": name, "attributes": {"x:note": self.text()}}
        other = self.any_of("ProvEntity", "ContextUnit", "Response")
        if other and kind == "ProvEntity":
            record["relations"] = [{"relation": "wasDerivedFrom", "other": other, "attributes": {"x:why": self.word()}}]
        self.put(record)
