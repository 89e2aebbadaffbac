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
from whence.wire import text_of

UTC = datetime.timezone.utc
NOON = datetime.datetime(2025, 6, 1, 12, tzinfo=UTC)


class TextTest(unittest.TestCase):
    def test_values_have_their_form_in_json(self):
        odd = datetime.timezone(datetime.timedelta(hours=1, minutes=2, seconds=3))
        for value, form in ((NOON, "2025-06-01T12:00:00+00:00"), (NOON.astimezone(odd), "2025-06-01T12:00:00+00:00"),
                            (datetime.date(2025, 6, 1), "2025-06-01"),
                            (pandas.Timestamp("2025-06-01T12:00:00.123456789Z"), "2025-06-01T12:00:00.123456789+00:00"),
                            (numpy.datetime64("2025-06-01T12:00:00"), "2025-06-01T12:00:00.000000000Z"),
                            (numpy.int64(7), 7), (numpy.uint64(2**64 - 1), 2**64 - 1), (numpy.float32(0.5), 0.5), (numpy.bool_(True), True),
                            (numpy.array([1, 2]), [1, 2]), (pandas.Series(["a"]), ["a"]), ({"a"}, ["a"]), (("a",), ["a"]),
                            ({"a": numpy.int32(1)}.values(), [1])):
            with self.subTest(value=value):
                self.assertEqual(json.loads(text_of({"x": value})), {"x": form})

    def test_what_json_lacks_is_refused_with_its_place(self):
        for value, kind, said in ((datetime.datetime(2025, 6, 1), ValueError, "/where/at/0: 2025-06-01T00:00:00 has no time zone"),
                                  (pandas.NaT, ValueError, "/where/at/0: NaT is no time"), (numpy.datetime64("NaT"), ValueError, "NaT is no time"),
                                  (float("nan"), ValueError, "/where/at/0: "), (b"x", TypeError, "/where/at/0: bytes is no value of JSON"),
                                  (object(), TypeError, "/where/at/0: object is no value of JSON"), (numpy.float32("inf"), ValueError, "/where/at/0: ")):
            with self.subTest(value=value), self.assertRaises(kind) as raised:
                text_of({"where": {"at": [value]}})
            self.assertIn(said, str(raised.exception))
        self.assertEqual(json.loads(text_of({"x": decimal.Decimal("0.5").__float__()})), {"x": 0.5})


class ParamsTest(ClientCase):
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
