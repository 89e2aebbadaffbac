"""Claim: the JSONL export is the change log, line by line what a subscription from the beginning delivers, written in
one way only. Method: each history's export is parsed and held against its events; its text against the grammar of
compact JSON.
"""
import hashlib
import json
import re
import unittest

from export_case import ExportCase, for_each_store
from truth import jsonl_line

# Compact JSON: no white space outside of strings, nothing escaped that need not be.
TOKEN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\bfnrt]|\\u00[01][0-9a-fA-F])*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\],:]')
NUMBER = re.compile(r"-?[0-9]")


class JsonlTest(ExportCase):
    def lines(self, path):
        text = path.read_bytes().decode("utf-8")
        self.assertTrue(text == "" or text.endswith("\n"), "the last line ends")
        return text.split("\n")[:-1]

    def check(self, lines, events):
        self.assertEqual(len(lines), len(events))
        texts = set()  # of the blobs so far, by their digest
        for line, event in zip(lines, events):
            got = json.loads(line)
            blob = event.get("record", {}).get("xmlBlob")
            if blob and ("xml" in got or blob not in texts):  # a record names its long text only by its hash
                self.assertEqual(list(got)[-1], "xml")
                texts.add("sha256://" + hashlib.sha256(got.pop("xml").encode()).hexdigest())
                self.assertIn(blob, texts)
            self.assertEqual(got, jsonl_line(event))
            self.assertEqual(list(got), list(jsonl_line(event)), "order of members")

    @for_each_store
    def test_the_lines_are_the_events(self, store):
        self.check(self.lines(store.export("jsonl")), store.events)

    @for_each_store
    def test_as_of_is_a_beginning_of_the_whole(self, store):
        whole = self.lines(store.export("jsonl"))
        for tx in store.moments:
            self.assertEqual(self.lines(store.export("jsonl", "--as-of", tx)),
                             whole[:sum(e["tx"] <= tx for e in store.events)], tx)

    @for_each_store
    def test_the_text_is_compact_and_not_escaped(self, store):
        for line in self.lines(store.export("jsonl")):
            tokens = [m[0] for m in TOKEN.finditer(line)]
            self.assertEqual(sum(map(len, tokens)), len(line), line[:300])
            for token in filter(NUMBER.match, tokens):
                value = json.loads(token)
                self.assertLessEqual(len(token), len(repr(value)), f"{token} is not the shortest")
                self.assertFalse(token.endswith(".0"), token)


if __name__ == "__main__":
    unittest.main()
