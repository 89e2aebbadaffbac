"""What the tests of retrieval records share: requests and chunks with ids of the test's own.
"""

from support.naive_rag import DIMENSION, axis, chunk_record, query_record, retrieval_record
from support.wire_case import WireCase

BAD_VECTORS = {"383 numbers": [1.0] * 383, "385 numbers": [1.0] * 385, "none": [], "all zero": [0.0] * DIMENSION,
               "a text": ["1"] + [1.0] * 383, "zero once kept": axis(0, 1e-60), "infinite once kept": axis(0, 1e39)}


class RagCase(WireCase):
    with_files = False

    def setUp(self):
        self.requests = 0

    def new_request(self, **more):
        self.requests += 1
        request = f"{self.name}_{self.requests}"
        self.write(query_record(request, **more))
        return request

    def chunk(self, number, document=None, *rest, **more):
        return chunk_record(f"{self.name}_{number}", document or self.name + ".pdf", *rest, **more)

    def retrieved(self, *similarities):
        """A request for which as many chunks of one document were retrieved."""
        request = self.new_request()
        self.write(*(retrieval_record(request, s, self.chunk(i, page=i + 1)) for i, s in enumerate(similarities)))
        return request

    def answer(self, request, text, **more):
        return self.rpc("rag.answer", request_id=request, answer=text, **more)

    def answer_refused(self, codes, request, text, rule=None, **more):
        return self.refused(codes, "rag.answer", rule, request_id=request, answer=text, **more)
