"""`with db.response(...)`: one batch at the end, shares that sum to 1, nothing where the block raises."""
import random
import unittest

from client_case import TIME, ClientCase, unit, whence
from whence.recording import shares


class SharesTest(unittest.TestCase):
    def test_missing_weights_share_what_is_left_and_all_are_scaled(self):
        for given, expected in [
            ([None], [1]),
            ([None, None], [0.5, 0.5]),
            ([0.5, None, None], [0.5, 0.25, 0.25]),
            ([0.2, 0.2], [0.5, 0.5]),
            ([1, 1], [0.5, 0.5]),
            ([0.7, 0.7, None], [0.5, 0.5, 0]),
            ([1, None], [1, 0]),
        ]:
            with self.subTest(given=given):
                self.assertEqual(shares(given), expected)

    def test_any_shares_sum_to_one(self):
        numbers = random.Random(7)
        for _ in range(200):
            given = [numbers.choice([None, numbers.random()]) for _ in range(numbers.randint(1, 50))]
            self.assertAlmostEqual(sum(shares(given)), 1, places=9)

    def test_impossible_weights_are_refused(self):
        for given in ([0], [0, 0], [-0.1], [1.1]):
            with self.subTest(given=given), self.assertRaises(ValueError):
                shares(given)


class RecordingTest(ClientCase):
    def test_a_response_and_its_new_units_are_one_transaction(self):
        known = self.write_units(1)[0]
        head = self.db.server.info()["tx"]
        with self.db.response("support", "gpt-4", token_count=12) as r:
            r.used("ContextUnit:" + known, weight=0.5)
            made = r.used({"type": "User", "source": "chat", "timestamp": TIME, "version": 1})
            r.used(unit(self.id_of("cu", 7)))
        self.assertEqual(r.tx, head + 1)
        record = next(self.db.node.get(r.id, include=["record"]))["record"]
        self.assertEqual((record["agent"], record["model"], record["token_count"]), ("support", "gpt-4", 12))
        self.assertEqual([(u["context_unit_id"], u["weight"]) for u in record["context_units"]],
                         [(known, 0.5), (made, 0.25), (self.id_of("cu", 7), 0.25)])

    def test_a_passage_is_named_by_the_server_and_is_one_unit(self):
        passage = {"type": "External", "source": "file:a", "content": self.id_of("passage")}
        name = self.db.records.write([{"$type$": "ContextUnit", "timestamp": TIME, "version": 1, **passage}])["refs"][0]
        with self.db.response("a", "m") as r:
            self.assertIsNone(r.used(passage, 0.5))
            self.assertIsNone(r.used({**passage, "type": "External"}, 0.25))
            r.used({**passage, "content": self.id_of("other")}, 0.25)
        uses = next(self.db.node.get(r.id, include=["record"]))["record"]["context_units"]
        self.assertEqual([each["weight"] for each in uses], [0.75, 0.25])
        self.assertEqual("ContextUnit:" + uses[0]["context_unit_id"], name)

    def test_id_and_time_may_be_given(self):
        cu, = self.write_units(1)
        with self.db.response("a", "m", id="resp_own", timestamp=TIME) as r:
            r.used(cu)
        record = next(self.db.node.get("resp_own", include=["record"]))["record"]
        self.assertEqual((r.id, record["timestamp"]), ("resp_own", TIME))

    def test_nothing_is_written_where_the_block_raises(self):
        cu, = self.write_units(1)
        head = self.db.server.info()["tx"]
        with self.assertRaises(ZeroDivisionError), self.db.response("a", "m") as r:
            r.used(cu)
            1 / 0
        self.assertEqual((self.db.server.info()["tx"], r.id, r.tx), (head, None, None))

    def test_what_the_server_refuses_is_raised_at_the_end_of_the_block(self):
        with self.assertRaises(whence.InvalidRecord) as caught, self.db.response("a", "m") as r:
            r.used("cu_never")
        self.assertEqual(caught.exception.data["rule"], "unknown_reference")


if __name__ == "__main__":
    unittest.main()
