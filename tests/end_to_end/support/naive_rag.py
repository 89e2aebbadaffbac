"""A naive reference model of retrieval and citations: the records, the nearest chunks, the citations in an answer's text. It
shares no code with the engine and searches by brute force.
"""
import math
from operator import mul

DIMENSION = 384
MESSAGE = "Information not found in the knowledge base."


def query_record(request, question="What are the safety protocols?", **more):
    return {"$type$": "Query", "request_id": request, "question": question, **more}


def embedding_record(request, vector, **more):
    return {"$type$": "EmbeddingVector", "request_id": request, "vector": vector, "model_name": "all-MiniLM-L6-v2",
            "dimension": DIMENSION, **more}


def chunk_record(chunk, document, content="Some content.", page=None, section=None, index=0, **more):
    metadata = {"document_name": document, "page_number": page, "section": section, "chunk_index": index}
    return {"$type$": "RetrievedChunk", "chunk_id": chunk, "content": content,
            "metadata": {k: v for k, v in metadata.items() if v is not None}, **more}


def retrieval_record(request, similarity, chunk, **more):
    """`chunk` (a record of its own) as retrieved for a request."""
    return {**{k: v for k, v in chunk.items() if k != "embedding"}, "request_id": request, "similarity_score": similarity, **more}


def answer_record(request, answer, citations, confidence, **more):
    return {"$type$": "Answer", "request_id": request, "answer": answer, "citations": citations, "confidence": confidence,
            "processing_time_ms": 1, **more}


def citation_of(chunk):
    """The members of a citation of this chunk."""
    place = {k: v for k, v in chunk["metadata"].items() if k in ("page_number", "section")}
    return {"document_name": chunk["metadata"]["document_name"], "excerpt": chunk["content"][:200], **place,
            "chunk_id": chunk["chunk_id"]}


def axis(place, value=1.0):
    """A vector along one axis."""
    return [value if i == place else 0.0 for i in range(DIMENSION)]


def similarity(a, b):
    """Cosine, clamped to [0, 1]."""
    dot = sum(map(mul, a, b))
    norms = math.sqrt(sum(map(mul, a, a))) * math.sqrt(sum(map(mul, b, b)))
    return min(1.0, max(0.0, dot / norms))


def nearest(vector, chunks, count, source=None):
    """[(similarity, chunk record)] of the `count` nearest, ties by id in byte order."""
    among = [c for c in chunks if source is None or c["metadata"]["document_name"] == source]
    return sorted(((similarity(vector, c["embedding"]), c) for c in among if "embedding" in c),
                  key=lambda pair: (-pair[0], pair[1]["chunk_id"].encode()))[:count]


class Unsupported(Exception):
    """A bracket that means no retrieved chunk; its text is the argument."""


def _forms(rest, document, chunks):
    """Every (length, chunks meant) of a citation of one document at the begin of `rest`, the text after the `[`."""
    mine = [c for c in chunks if c["metadata"]["document_name"] == document]
    if rest.startswith(document + "]"):
        yield len(document) + 1, mine
    for page in (document + ", page ", document + ", p."):
        if not rest.startswith(page):
            continue
        digits = rest[len(page):].split("]")[0]
        if digits.isascii() and digits.isdigit() and len(page) + len(digits) < len(rest):
            yield len(page) + len(digits) + 1, [c for c in mine if c["metadata"].get("page_number") == int(digits)]
    for mark in (", section ", ", "):
        for section in sorted({c["metadata"]["section"] for c in mine if "section" in c["metadata"]}, key=len, reverse=True):
            label = document + mark + section + "]"
            if rest.startswith(label):
                yield len(label), [c for c in mine if c["metadata"].get("section") == section]


def citations(text, chunks):
    """The retrieved chunks that `text` cites, in order of first mention, each once. `chunks` carry `similarity_score`."""
    names = sorted({c["metadata"]["document_name"] for c in chunks}, key=len, reverse=True)
    cited, at = [], 0
    while at < len(text):
        if text.startswith("\\[", at):
            at += 2
        elif text[at] != "[":
            at += 1
        else:
            found = next((form for name in names for form in _forms(text[at + 1:], name, chunks) if form[1]), None)
            if found is None:
                end = text.find("]", at)
                if end < 0:
                    return cited
                raise Unsupported(text[at:end + 1])
            best = min(found[1], key=lambda c: (-c["similarity_score"], c["chunk_id"].encode()))
            if best["chunk_id"] not in [c["chunk_id"] for c in cited]:
                cited.append(best)
            at += 1 + found[0]
    return cited
