"""Claim: the lengths of texts that OpenRPC names are those that the server enforces.

Method: texts of the least and the greatest length and those one character beyond, for params whose texts are stored or run.
"""
import unittest

from support.naive_rag import axis
from support.wire_case import INVALID_PARAMS, FreshServerCase

HERE = {"userId": "u", "discussionId": "d"}


class OpenRpcBoundsTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        methods = self.rpc("rpc.discover")["methods"]
        self.schemas = {(m["name"], p["name"]): p["schema"] for m in methods for p in m["params"]}

    def refused_length(self, method, **params):
        self.refused(INVALID_PARAMS, method, rule="length", **params)

    def bounds(self, method, param):
        schema = self.schemas[method, param]
        return schema.get("minLength"), schema.get("maxLength")

    def test_idempotency_key(self):
        self.assertEqual(self.bounds("records.write", "idempotency_key"), (1, 255))
        topic = {"$type$": "Topic", "id": "t"}
        for key in ("k", "k" * 255):
            self.write(topic, idempotency_key=key)
        for key in ("", "k" * 256, "\u00fc" * 128):  # the last has 256 bytes
            self.refused_length("records.write", records=[topic], idempotency_key=key)

    def test_question_of_a_retrieval(self):
        self.assertEqual(self.bounds("rag.retrieve", "question"), (3, 1000))
        for question in ("abc", "\u00fc" * 1000):
            self.rpc("rag.retrieve", vector=axis(0), question=question, record=True)
        for question in ("ab", "x" * 1001, " a  "):  # the last has less without the space around it
            self.refused_length("rag.retrieve", vector=axis(0), question=question, record=True)

    def test_texts_of_a_discussion(self):
        for method, param in (("discussion.addResponse", "content"), ("discussion.summarize", "summary")):
            self.assertEqual(self.bounds(method, param), (1, None))
        self.rpc("discussion.open", **HERE)
        self.refused_length("discussion.addResponse", **HERE, roundNumber=1, persona="Analyzer AI", content="")
        self.refused_length("discussion.summarize", **HERE, summary="")
        self.rpc("discussion.addResponse", **HERE, roundNumber=1, persona="Analyzer AI", content="a")

    def test_text_of_a_query(self):
        least, most = self.bounds("query", "cypher")
        self.assertEqual((least, most), (None, 1 << 20))
        text = "RETURN size('" + "x" * (most - len("RETURN size('') AS n")) + "') AS n"
        self.assertEqual(len(text), most)
        self.assertEqual(self.rpc("query", cypher=text)["rows"], [[most - len("RETURN size('') AS n")]])
        self.refused_length("query", cypher=text + " ")

    def test_names_of_persons(self):
        for method in ("person.find", "person.erase", "hold.set"):
            self.assertEqual(self.bounds(method, "person"), (1, 65536), method)
            self.refused_length(method, person="\u00fc" * 65537, **({"reason": "r"} if method == "hold.set" else {}))


if __name__ == "__main__":
    unittest.main()
