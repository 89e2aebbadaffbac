"""Times, numbers and collections of Python, numpy and pandas are params; what JSON does not have is refused with its place."""
import datetime
import decimal
import json
import os
import unittest
from unittest import mock

import numpy
import pandas

from client_case import ClientCase, whence
from whence.wire import text_of, timed

UTC = datetime.timezone.utc
NOON = datetime.datetime(2025, 6, 1, 12, tzinfo=UTC)
NOON_MS = 1_748_779_200_000


class TextTest(unittest.TestCase):
    def test_values_have_their_form_in_json(self):
        odd = datetime.timezone(datetime.timedelta(hours=1, minutes=2, seconds=3))
        for value, form in ((NOON, "2025-06-01T12:00:00+00:00"), (NOON.astimezone(odd), "2025-06-01T12:00:00+00:00"),
                            (datetime.date(2025, 6, 1), "2025-06-01"),
                            (pandas.Timestamp("2025-06-01T12:00:00.123456789Z"), "2025-06-01T12:00:00.123456789+00:00"),
                            (numpy.datetime64("2025-06-01T12:00:00"), "2025-06-01T12:00:00.000000000Z"),
                            (numpy.array(["2025-06-01T12:00:00"], "datetime64[ns]"), ["2025-06-01T12:00:00.000000000Z"]),
                            (pandas.Series([pandas.Timestamp("2025-06-01T12:00:00Z")]), ["2025-06-01T12:00:00+00:00"]),
                            (numpy.int64(7), 7), (numpy.uint64(2**64 - 1), 2**64 - 1), (numpy.float32(0.5), 0.5), (numpy.bool_(True), True),
                            (numpy.array([1, 2]), [1, 2]), (pandas.Series(["a"]), ["a"]), ({"a"}, ["a"]), (("a",), ["a"]),
                            ({"a": numpy.int32(1)}.values(), [1])):
            with self.subTest(value=value):
                self.assertEqual(json.loads(text_of({"x": value})), {"x": form})

    def test_what_json_lacks_is_refused_with_its_place(self):
        for value, kind, said in ((datetime.datetime(2025, 6, 1), ValueError, "/where/at/0: 2025-06-01T00:00:00 has no time zone"),
                                  (pandas.NaT, ValueError, "/where/at/0: NaT is no time"), (numpy.datetime64("NaT"), ValueError, "NaT is no time"),
                                  (float("nan"), ValueError, "/where/at/0: "), (b"x", TypeError, "/where/at/0: bytes is no value of JSON"),
                                  (object(), TypeError, "/where/at/0: object is no value of JSON"),
                                  (pandas.DataFrame({"a": [1]}), TypeError, "/where/at/0: DataFrame is no value of JSON; give its to_dict"),
                                  ({numpy.int64(1): 2}, TypeError, "/where/at/0/1: a key that is int64; keys are texts"),
                                  (numpy.timedelta64(1, "s"), TypeError, "timedelta64 is no value of JSON"),
                                  (numpy.float32("inf"), ValueError, "/where/at/0: ")):
            with self.subTest(value=value), self.assertRaises(kind) as raised:
                text_of({"where": {"at": [value]}})
            self.assertIn(said, str(raised.exception))
        self.assertEqual(json.loads(text_of({"x": decimal.Decimal("0.5").__float__()})), {"x": 0.5})

    def test_a_time_is_milliseconds_where_the_protocol_has_those(self):
        odd, early = NOON.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30))), datetime.datetime(1969, 12, 31, 23, 59, 59, 999_500, UTC)
        for value, form in ((NOON, NOON_MS), (odd, NOON_MS), (NOON + datetime.timedelta(microseconds=1_999), NOON_MS + 1), (early, -1), (5, 5), ("x", "x"),
                            (pandas.Timestamp("2025-06-01T12:00:00.001999999Z"), NOON_MS + 1), (numpy.datetime64("2025-06-01T12:00:00"), NOON_MS)):
            with self.subTest(value=value):
                round = {"$type$": "DiscussionRound", "timestamp": value, "solverResponse": {"content": "b", "timestamp": value}}
                given = [round, {"$type$": "Subject", "timeRanges": [{"start": value, "end": value}]}]
                self.assertEqual(timed("records.write", {"records": iter(given)}), {"records": [
                    {"$type$": "DiscussionRound", "timestamp": form, "solverResponse": {"content": "b", "timestamp": form}},
                    {"$type$": "Subject", "timeRanges": [{"start": form, "end": form}]}]})
                self.assertIs(round["timestamp"], value)  # what was given stays as it was
                self.assertEqual(timed("discussion.addResponse", {"timestamp": value}), {"timestamp": form})
                for wide in ({"type": "Discussion"}, {"types": ["Discussion"]}):
                    where = {"createdAt": {"lt": value, "in": [value]}, "updatedAt": value}
                    want = {**wide, "where": {"createdAt": {"lt": form, "in": [form]}, "updatedAt": form}}
                    method = "search" if "types" in wide else "node.find"
                    self.assertEqual(timed(method, {**wide, "where": where}), want)
                    self.assertEqual(timed("export.start", {"select": {"method": method, "params": {**wide, "where": where}}}),
                                     {"select": {"method": method, "params": want}})
                self.assertEqual(timed("hold.set", {"query": {"type": "Topic", "where": {"createdAt": value}}}),
                                 {"query": {"type": "Topic", "where": {"createdAt": form}}})

    def test_a_time_stays_one_where_the_protocol_has_texts_and_in_queries(self):
        for method, params in (("records.write", {"records": [{"$type$": "Response", "timestamp": NOON}, {"$type$": "Topic", "attributes": {"createdAt": NOON}}, "x"]}),
                               ("node.find", {"type": "Response", "where": {"timestamp": {"lt": NOON}}}), ("node.find", {"where": {"createdAt": NOON}}),
                               ("search", {"types": ["Topic", "Discussion"], "where": {"createdAt": NOON}}), ("node.count", {"type": "Topic", "as_of": NOON}),
                               ("query", {"cypher": "", "params": {"createdAt": NOON, "records": [{"$type$": "Topic", "createdAt": NOON}]}})):
            with self.subTest(method=method):
                self.assertEqual(timed(method, params), params)
        with self.assertRaisesRegex(ValueError, "/records/0/createdAt: .* has no time zone"):
            text_of(timed("records.write", {"records": [{"$type$": "Topic", "createdAt": datetime.datetime(2025, 6, 1)}]}))
        with self.assertRaisesRegex(ValueError, "/where/createdAt/lt: NaT is no time"):
            text_of(timed("node.find", {"type": "Topic", "where": {"createdAt": {"lt": numpy.datetime64("NaT")}}}))


class ParamsTest(ClientCase):
    def test_times_are_written_and_found_where_they_are_milliseconds(self):
        names = {"userId": "u", "discussionId": self.id_of("d")}
        self.db.records.write([{"$type$": "Discussion", **names, "createdAt": NOON}])
        self.db.discussion.open(**names, topic="x")
        self.db.discussion.add_response(**names, roundNumber=1, persona="Analyzer AI", content="a", timestamp=NOON)
        asked = {"where": {"discussionId": names["discussionId"], "createdAt": {"lte": pandas.Timestamp(NOON)}}, "include": ["record"]}
        self.assertEqual([node["record"]["createdAt"] for node in self.db.node.find("Discussion", **asked)], [NOON_MS])
        self.assertEqual([node["record"]["createdAt"] for node in self.db.node.find("Discussion", stream=True, **asked)], [NOON_MS])
        self.assertEqual(self.db.node.find("Discussion", where={**asked["where"], "createdAt": {"lt": NOON}}).all(), [])
        self.assertEqual(self.db.rpc("node.count", type="Discussion", where=asked["where"])["count"], 1)
        (round,) = self.db.node.find("DiscussionRound", where={"discussionId": names["discussionId"]}, include=["record"])
        self.assertEqual(round["record"]["analyzerResponse"]["timestamp"], NOON_MS)
        self.db.enqueue([{"$type$": "Topic", "id": self.id_of("queued"), "createdAt": NOON}])
        self.assertEqual(self.db.flush()["rejected"], 0)
        self.assertEqual(self.db.node.get("Topic:" + self.id_of("queued"), include=["record"]).all()[0]["record"]["createdAt"], NOON_MS)

    def test_times_and_numbers_of_frames_are_params(self):
        names = [self.id_of("resp", number) for number in range(2)]
        self.db.records.write([{"$type$": "Response", "id": name, "timestamp": f"2025-06-01T1{number}:00:00Z", "agent": "a", "model": "m",
                                "context_units": []} for number, name in enumerate(names)], mode="capture")
        found = self.db.node.find("Response", where={"timestamp": {"gt": pandas.Timestamp("2025-06-01T10:30:00Z")}, "id": {"in": numpy.array(names)}})
        self.assertEqual([node["id"] for node in found], names[1:])
        self.assertEqual(self.db.node.count("Response", as_of=NOON)["count"], 0)
        now = datetime.datetime.now(UTC)
        self.assertEqual(self.db.node.count("Response", where={"id": {"in": names}}, as_of=now)["count"], 2)
        self.assertEqual(self.db.node.count("Response", where={"id": {"in": names}}, as_of=numpy.int64(found.tx))["count"], 2)
        rows = list(self.db.query("RETURN $n, $t", params={"n": numpy.int64(3), "t": NOON}))
        self.assertEqual(rows, [[3, "2025-06-01T12:00:00+00:00"]])
        with self.db.watch({"types": ["Response"]}, since=numpy.int64(found.tx - 1)) as events:
            self.assertEqual(next(iter(events))["ref"], "Response:" + names[0])
        with self.assertRaisesRegex(ValueError, "/as_of: .* has no time zone"):
            self.db.node.count("Response", as_of=datetime.datetime(2025, 6, 1))

    def test_without_an_address_the_environment_names_the_server(self):
        with mock.patch.dict(os.environ, {"WHENCE_URL": self.db.url}):
            with whence.connect() as db:
                self.assertEqual(db.url, self.db.url)
        with mock.patch.dict(os.environ, {"WHENCE_URL": "http://127.0.0.1:1"}), self.assertRaises(whence.ConnectionLost):
            whence.connect(timeout=2)


if __name__ == "__main__":
    unittest.main()
