"""The histories whose exports are tested. Each is a function that writes itself into a running server by its calls:

    worked   the history of the worked stream, five transactions
    rich     every type of record and of edge, versions, statuses, deletions
    hostile  texts and ids that break careless writers of files
    again    nodes that were deleted and written again, in every system
    random   a random history of all systems, from a seed
    real     a public data set, where WHENCE_REAL_DATA names its folder
"""
import os
import random

import places  # noqa: F401
from support.naive_discussion import discussion_record, round_record, summary_record
from support.naive_rag import axis, chunk_record, citation_of, embedding_record, query_record, retrieval_record
from support.histories import Mixed
from support.program import seed_of_run
from support.real_data import DATA, real_batches
from support.stream_example import HISTORY

SEED = seed_of_run()
TIME = "2025-10-09T16:15:00Z"
MS = 1_728_234_567_890
RANDOM_STEPS = int(os.environ.get("WHENCE_EXPORT_STEPS", "60"))
LONG = int(os.environ.get("WHENCE_EXPORT_TEXT", str(1 << 20)))  # bytes of the longest text


def unit(id, **more):
    return {"$type$": "ContextUnit", "id": id, "type": "User", "source": "chat", "timestamp": TIME, "version": 1, **more}


def response(id, weights, **more):
    """A response made from units: {id: weight}."""
    units = [{"context_unit_id": name, "weight": weight} for name, weight in weights.items()]
    return {"$type$": "Response", "id": id, "timestamp": TIME, "agent": "planner", "model": "m-1", "context_units": units, **more}


def feedback(id, response_id, score, **more):
    return {"$type$": "FeedbackRecord", "id": id, "response_id": response_id, "timestamp": TIME, "score": score, **more}


def attachment(message, topic, xml, format="llm-response", **more):
    return {"$type$": "XMLMessageAttachment", "topicId": topic, "messageId": message, "format": format, "createdAt": MS,
            "xml": xml, **more}


def template(model, version, text="You are careful.", **more):
    return {"$type$": "SystemPromptTemplate", "modelId": model, "promptText": text, "version": version, "createdAt": MS,
            "updatedAt": MS, **more}


def llm_response(text, subjects="", summary=""):
    return (f"<llmResponse><response>{text}</response><analysis>{subjects}<summaryUpdate>{summary}</summaryUpdate></analysis>"
            "</llmResponse>")


def subject(name, *keywords, new="true"):
    """`keywords`: (term, confidence)."""
    terms = "".join(f'<keyword term="{term}" confidence="{confidence}"/>' for term, confidence in keywords)
    return f'<subject name="{name}" description="about {name}" isNew="{new}">{terms}</subject>'


class Writer:
    """A server with short words for what histories do."""

    def __init__(self, server):
        self.server = server

    def rpc(self, method, **params):
        return self.server.rpc(method, params)

    def write(self, *records, **more):
        return self.rpc("records.write", records=list(records), **more)

    def delete(self, *refs):
        return self.rpc("records.delete", refs=list(refs), force=True)

    def head(self):
        return self.rpc("server.info")["tx"]


def worked(server):
    for method, params in HISTORY:
        server.rpc(method, params)


def rich(server):
    to = Writer(server)
    _units_and_versions(to)
    _attachments(to)
    _discussion(to)
    _retrieval(to)
    _acts(to)
    _captured(to)
    _deletions(to)


def _units_and_versions(to):
    to.write(unit("cu_a", summary="first", embedding_id="emb-1", contribution_weight=0.25,
                  attributes={"k": [1, {"deep": None}], "a": 0.5}),
             unit("cu_b", type="ModelState"), unit("cu_c", derived_from=["cu_a", "cu_b"]),
             response("resp_1", {"cu_a": 0.7, "cu_b": 0.2, "cu_c": 0.1}, token_count=12))
    to.write(unit("cu_a2", version=2, previous_version_id="cu_a", updated_by_response_id="resp_1",
                  timestamp="2025-10-09T17:00:00.123456789Z"))
    to.write(unit("cu_a3", version=3, previous_version_id="cu_a2"), response("resp_2", {"cu_a3": 1}, person="cleo", conversation="chat-7"))
    to.write(feedback("fb_1", "resp_1", -0.8, user_id="ann", feedback_text="wrong"), feedback("fb_2", "resp_2", 1))
    to.write(feedback("fb_3", "resp_1", 1e-7), feedback("fb_4", "resp_1", 0.1 + 0.2))
    to.write({"$type$": "Decision", "id": "dec_1", "subject": "Response:resp_1", "verdict": "reject", "by": "bea", "timestamp": TIME,
              "reason": "an old price"})
    to.write({"$type$": "Person", "id": "cleo", "name": "Cleo Meier"}, {"$type$": "Session", "id": "chat-7", "attributes": {"channel": "web"}})


def _attachments(to):
    to.write({"$type$": "Topic", "id": "saving", "name": "Saving", "createdAt": MS}, {"$type$": "Topic", "id": "other"},
             {"$type$": "Message", "id": "m1", "topicId": "saving", "createdAt": MS, "role": "user", "text": "How?"})
    to.write(template("m-1", 1))
    to.write(template("m-1", 2, "You are more careful."))
    to.write(template("m-1", 1, active=True), template("back", 1), template("back", 2))
    to.write(template("back", 1, active=True), template("m-1", 2, "You are more careful.", active=True), template("m-1", 3))
    to.write(template("m-1", 2, "You are more careful.", active=True, updatedAt=MS + 9))
    asked = '<llmQuery><userMessage>How?</userMessage><context topicId="saving" messageCount="1"/></llmQuery>'
    to.write(attachment("m1", "saving", asked, "llm-query"))
    query = to.rpc("attachment.list", messageId="m1")["records"][0]["hash"]
    to.write(response("resp_3", {"cu_a3": 0.5, "cu_b": 0.5}, query_attachment=query,
                      prompt_template={"modelId": "m-1", "version": 2}),
             attachment("m2", "saving", llm_response("Save.", subject("college", ("529-plan", 0.95), ("tuition", 0.7)),
                                                     "Saving was asked for."),
                        responseId="resp_3"), ensure=True)
    to.write(attachment("m3", "saving", llm_response("x" * 3000, subject("college", ("529-plan", 0.99), ("loan", 1), new="false")
                                                     + subject("budget", ("tuition", 1e-3)), "Loans &amp; budgets.")),
             ensure=True)
    to.write(attachment("m4", "saving", llm_response("Kept."), responseId="resp_2"), ensure=True)
    to.write({"$type$": "Keyword", "term": "own", "frequency": 1, "subjects": ["Subject:other/own"], "score": 1,
              "createdAt": MS, "lastSeen": MS, "$idHash$": "0a" * 32},
             {"$type$": "Subject", "id": "own", "topic": "other", "name": "Own", "keywords": ["own"],
              "timeRanges": [{"start": MS, "end": MS}],
              "messageCount": 1, "createdAt": MS, "lastSeenAt": MS, "archived": True},
             {"$type$": "Summary", "id": "other-v1", "topic": "other", "content": "All of it.", "subjects": ["own"],
              "keywords": ["own"],
              "version": 1, "createdAt": MS, "updatedAt": MS, "changeReason": "by hand"})


def _discussion(to):
    to.write(discussion_record("ann", "talk/1", topic="How to test", isResolved=False, needsUserInput=True))
    to.write(round_record("ann", "talk/1", 1, questions={"questions": ["Which?"]}, userAnswers=["yes"]),
             round_record("ann", "talk/1", 2))
    to.write(summary_record("ann", "talk/1", 2, "In short.", [1, 2], tokenCountBefore=431, tokenCountAfter=253))
    to.rpc("discussion.open", userId="ann", discussionId="talk/1")
    for persona in ("Analyzer AI", "Solver AI"):
        to.rpc("discussion.addResponse", userId="ann", discussionId="talk/1", roundNumber=3, persona=persona, content="said",
               timestamp=MS)
    refs = to.rpc("discussion.prompt", userId="ann", discussionId="talk/1")["refs"]
    to.write(response("resp_4", {"cu_c": 1}, prompt_refs=refs, prompt_basis=["text", *["given"] * (len(refs) - 2), "question"],
                      prompt="user: How?", prompt_messages=[{"role": "user", "start": 6, "end": 10}], question="How?",
                      conversation="talk 1", person="ann", replay_of="Response:resp_1"))
    to.write(discussion_record("ann", "talk/1", topic="How to test", isResolved=True, updatedAt=5))


def _retrieval(to):
    chunks = [chunk_record("chunk 1", "manual.pdf", "Wear gloves.", page=5, section="Handling", embedding=axis(0)),
              chunk_record("chunk 2", "manual.pdf", "Wear a hat.", page=6, index=1, embedding=axis(1)),
              chunk_record("chunk 3", "notes", "No section.", index=2)]
    to.write({"$type$": "Document", "document_name": "manual.pdf", "title": "Manual", "uri": "file:manual.pdf",
              "sha256": "ab" * 32, "timestamp": TIME},
             *chunks)
    to.write(query_record("req 1", filters={"source": "manual.pdf", "max_results": 5}, timestamp=TIME),
             embedding_record("req 1", axis(0, 0.1)),
             retrieval_record("req 1", 0.87, chunks[0], rank=1), retrieval_record("req 1", 0.7, chunks[1]))
    to.write({"$type$": "PromptContext", "request_id": "req 1", "question": "What?", "system_prompt": "Only from this.",
              "retrieved_chunks": [{"chunk_id": "chunk 2"}, {"chunk_id": "chunk 1"}], "formatted_context": "Context"})
    to.rpc("rag.answer", request_id="req 1", answer="Gloves [manual.pdf, page 5] and a hat [manual.pdf, page 6].",
           processing_time_ms=12)
    to.write(query_record("req 2"), retrieval_record("req 2", 0.2, chunks[2]))
    to.rpc("rag.answer", request_id="req 2", answer="Nothing [notes].")
    to.write(retrieval_record("req 2", 1, chunks[0]))


def _acts(to):
    """A response and the answer of its request, in both orders; ratings of both; sources that are no units."""
    uses = [{"ref": "RetrievedChunk:chunk 1", "weight": 0.25}, {"ref": "Document:notes", "weight": 0.25},
            {"ref": "Response:resp_1", "weight": 0.25}, {"ref": "Message:m1", "weight": 0.125}, {"ref": "Answer:req 2", "weight": 0.125}]
    to.write({**response("resp_act", {}), "context_units": uses, "request_id": "req 1"})
    to.write(unit("cu_act", updated_by_response_id="resp_act"), response("resp_after", {"cu_act": 1}))
    chunk = chunk_record("chunk 1", "manual.pdf", "Wear gloves.", page=5, section="Handling")
    to.write({**response("resp_early", {"cu_c": 1}), "request_id": "req 3"}, query_record("req 3"), retrieval_record("req 3", 0.9, chunk))
    to.rpc("rag.answer", request_id="req 3", answer="Gloves [manual.pdf, page 5].")
    to.write({"$type$": "FeedbackRecord", "id": "fb_act", "ref": "Answer:req 3", "timestamp": TIME, "score": -0.9},
             feedback("fb_act_2", "resp_act", -0.9))


def _captured(to):
    """Real calls: texts, passages within a response, and what capture mode takes and flags."""
    texts = {"content": "Gloves. " * 2, "prompt": "What is worn?\n" * 600, "request_id": "req 4", "latency_ms": 812.5, "cost": 0.0021,
             "usage": {"input_tokens": 900, "output_tokens": 80}}
    to.write({**response("resp_texts", {}), **texts, "context_units": [
        {"content": "Wear gloves. " * 400, "source": "manual.pdf", "type": "External", "summary": "gloves", "weight": 0.75},
        {"content": "Wear a hat.", "source": "manual.pdf", "type": "External", "weight": 0.25}]})
    passage = {"$type$": "RetrievedChunk", "request_id": "req 4", "content": "Seen somewhere.", "metadata": {"document_name": "notes"}}
    to.write(query_record("req 4"), passage, {**passage, "content": "And again.", "similarity_score": 0.2, "score": 7},
             {"$type$": "Answer", "request_id": "req 4", "answer": "Gloves [1].", "confidence": 0.2, "processing_time_ms": 5,
              "citations": [{"document_name": "notes", "excerpt": "And again."}, {"document_name": "notes", "excerpt": "never said"},
                            {"document_name": "a book", "excerpt": "no chunk", "chunk_id": "chunk 2"}]},
             {**response("resp_captured", {"cu_a": 3, "cu_c": 1}), "choices": [{"index": 0}]}, response("resp_alone", {}),
             query_record("req 5"), {"$type$": "Answer", "request_id": "req 5", "answer": "I think so.", "confidence": 0,
                                     "processing_time_ms": 5},
             query_record("req 6"), {**chunk_record("chunk 3", "notes", "No section.", index=2), "request_id": "req 6"},
             {"$type$": "Answer", "request_id": "req 6", "answer": "Nobody knows how like."}, mode="capture")


def _deletions(to):
    to.write(unit("cu_gone"), response("resp_gone", {"cu_gone": 0.5, "cu_b": 0.5}))
    to.delete("Response:resp_gone")
    to.delete("ContextUnit:cu_gone")
    to.delete("Message:m2")  # its attachment is deleted with it: records derived from it dangle
    to.write(chunk_record("chunk 4", "draft", "Gone.", index=0))
    to.delete("Document:draft")


CONTROLS = "".join(map(chr, range(0x20))) + "\x7f\x85\x9f"
QUOTES = "\"'`\\\"\\\\ \\n \\N \\l \\G '' \"\" \\"
MARKUP = "]]> <![CDATA[x]]> &amp; &#0; &lt;b> <!-- -- > ?> %s %00 %41"
NEWLINES = "a\rb\r\nc\nd\te\u2028f\u2029g\x0bh\x0ci"
SCRIPTS = ("😀👩\u200d👩\u200d👧 \u202eright to left\u202c "
           "שלום مرحبا e\u0301\u0327 Å Å ﬁ 漢字 \U0010ffff \ud7ff\ue000 \ufeff \ufffe\uffff")
TABLES = "=1+1,+1;-1|@x,\"=cmd\",,;\t''"
BRACES = "{\"a\":[1,2]} [] <<html>> a->b a--b ; # // /* */ ::: x:y _:1 - prov:type xsd:long \"1\" %% xsd:long"
HOSTILE = [CONTROLS, QUOTES, MARKUP, NEWLINES, SCRIPTS, TABLES, BRACES, "", " ", " padded \n", "nan", "NaN", "NULL", "None",
           "true", "1", "1e5", "-",
           "null", "\ufeffbom", "a\x00", "\x00"]
ID_PARTS = ["a/b", "a:b:c", "a%b%2F%", "a=b", "it's", "(x)", "a.b", ".a.", "-a-", "/a/", " a b ", "é漢😀", "e\u0301", "a+b",
            "a\"b", "a\\b", "a&<b>", "a;b,c",
            "a\u202eb", "]]>", "a\u00a0b", "a\ufffeb\uffff", "%EF%BF%BE", "node", "null", "1", "%", "\\n", "a\\\"", "=1+1",
            "#a?b", "{a}[b]", "x" * 245,
            "\u2028", "~@!$*|^`"]


def hostile(server):
    to = Writer(server)
    ids = [f"cu_{part}" for part in ID_PARTS]
    to.write(*(unit(id, source=HOSTILE[n % len(HOSTILE)] or "empty", summary=HOSTILE[(n + 1) % len(HOSTILE)][:500]) for n,
               id in enumerate(ids)))
    for n, id in enumerate(ids):
        text = HOSTILE[n % len(HOSTILE)]
        to.write(response(f"resp_{ID_PARTS[n]}", {id: 0.5, ids[n - 1]: 0.5}, agent=text or "a", model=text or "m",
                          attributes={text: [text], "deep": {"x": text}}),
                 feedback(f"fb_{ID_PARTS[n]}", f"resp_{ID_PARTS[n]}", 0.1, user_id=(text or "u"), feedback_text=text))
    to.write(*({"$type$": "Topic", "id": part, "name": HOSTILE[n % len(HOSTILE)] or "t"} for n, part in enumerate(ID_PARTS)))
    to.write(*({"$type$": "Message", "id": part, "topicId": part, "role": "user", "text": HOSTILE[n % len(HOSTILE)]} for n,
               part in enumerate(ID_PARTS)))
    ugly = CONTROLS + QUOTES
    to.write({"$type$": "Topic", "id": "long", "name": "é" * (LONG // 2)},
             {"$type$": "Message", "id": "long", "topicId": "long", "text": ugly * (LONG // len(ugly))})
    xml = llm_response("Y" * (LONG - 700) + "&#13;\r\n]]&gt;" + SCRIPTS[:-3].replace("\ufeff", ""),
                       subject("a:b &quot;q&quot; &lt;x> 😀", ("k&quot;&lt;&amp;😀", "1e-7"), ("a/b%", "0.5")),
                       "x&#13;&#10;]]&gt;y\r\nz")
    to.write(attachment("long", "long", xml), template("g/p%:'", 1, ugly + "x" * 1000))
    to.write(*(discussion_record(part[:200], part, topic=HOSTILE[n % len(HOSTILE)]) for n,
               part in enumerate(ID_PARTS) if len(part) < 100),
             round_record("a/b", "a/b", 1, (CONTROLS + "x", QUOTES, SCRIPTS), userAnswers=HOSTILE),
             summary_record("a/b", "a/b", 1, MARKUP, [1]))
    _hostile_documents(to)


def _hostile_documents(to):
    chunks = [chunk_record(f"chunk {part}", f"a=b'c:d. {part}", HOSTILE[n % len(HOSTILE)] or "c", page=n + 1, section=QUOTES)
              for n, part in enumerate(ID_PARTS[:12])] + [chunk_record("long", "notes", MARKUP + "C" * min(LONG, 9_000))]
    to.write({"$type$": "Document", "document_name": "a=b'c:d.", "title": CONTROLS, "uri": TABLES}, *chunks)
    to.write(query_record("r/1", "What " + CONTROLS + TABLES), *(retrieval_record("r/1", 0.75, c) for c in chunks[:5]))
    to.write({"$type$": "PromptContext", "request_id": "r/1", "question": "What " + CONTROLS + TABLES,
              "system_prompt": BRACES, "formatted_context": MARKUP,
              "retrieved_chunks": [{"chunk_id": c["chunk_id"]} for c in chunks[:5]]},
             {"$type$": "Answer", "request_id": "r/1", "answer": "x" + CONTROLS.replace("[", "") + NEWLINES,
              "confidence": 0.75, "processing_time_ms": 0,
              "citations": [citation_of(c) for c in chunks[:3]]})


def again(server):
    """The second writing has other content where the rules let it."""
    to = Writer(server)
    to.write(unit("cu_a"), unit("cu_b", version=2, previous_version_id="cu_a"),
             response("resp_1", {"cu_a": 0.5, "cu_b": 0.5}), response("resp_2", {"cu_b": 1}))
    to.write(feedback("fb_1", "resp_1", -0.9, user_id="u"))
    to.delete("Response:resp_1")
    to.write(response("resp_1", {"cu_a": 0.25, "cu_b": 0.75}))
    to.delete("ContextUnit:cu_b")
    to.write(unit("cu_b", derived_from=["cu_a"]))
    to.write(response("resp_3", {"cu_b": 1}))
    _attachments_again(to)
    _documents_again(to)
    to.write(round_record("ann", "d", 1), ensure=True)
    to.delete("Discussion:ann/d")
    to.write(round_record("ann", "d", 1, "xyz"), ensure=True)


def _attachments_again(to):
    answer = attachment("m", "t", llm_response("x" * 1100, subject("s", ("k", 0.5), ("l", 0.6)), "Once."), responseId="resp_2")
    to.write(answer, ensure=True)
    to.delete("Keyword:k")
    to.write(attachment("m2", "t", llm_response("again", subject("s", ("k", 0.25), new="false"), "Twice.")), ensure=True)
    to.delete("Message:m")
    to.write(answer, ensure=True)
    to.delete("Topic:t")
    to.write({"$type$": "Topic", "id": "t", "name": "again"})


def _documents_again(to):
    chunk = chunk_record("c", "doc", "One.", page=1, embedding=axis(0))
    to.write(chunk, query_record("r"), retrieval_record("r", 0.5, chunk))
    to.delete("Document:doc")
    to.write(chunk_record("c", "doc", "Two.", page=2))
    to.write(query_record("r2"), retrieval_record("r2", 1, chunk_record("c", "doc", "Two.", page=2)))
    to.rpc("rag.answer", request_id="r2", answer="[doc, page 2]")


def random_history(server, seed=SEED, steps=RANDOM_STEPS):
    mixed = Mixed(Writer(server), random.Random(seed))
    for _ in range(steps):
        mixed.step()


def real(server):
    for batch in real_batches():
        server.rpc("records.write", batch)


def histories():
    """Those that can be written here, by name."""
    made = {"worked": worked, "rich": rich, "hostile": hostile, "again": again, "random": random_history}
    return {**made, "real": real} if "WHENCE_REAL_DATA" in os.environ and (DATA / "mtrag_to_records.py").is_file() else made
