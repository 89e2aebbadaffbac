"""Claim: values of a query are what was said: what passes between two moments is counted whatever the clock of their zone does meanwhile,
a moment is never one that its zone does not have, and a number that no value holds is refused with its place.
"""
import json
import re
import unittest
import urllib.request

from support.program import RpcError
from support.wire_case import WireCase

SPRING, AUTUMN = "2025-03-30", "2025-10-26"  # clocks of Berlin go from 2:00 to 3:00, and from 3:00 back to 2:00


class QueryValuesTest(WireCase):
    def value(self, expression, **params):
        return self.rpc("query", cypher="RETURN " + expression, params=params)["rows"][0][0]

    def test_seconds_pass_and_days_are_steps_of_the_calendar(self):
        for expression, right in (
                (f"datetime('{SPRING}T01:30[Europe/Berlin]') + duration('PT2H')", f"{SPRING}T04:30+02:00[Europe/Berlin]"),
                (f"datetime('{SPRING}T04:30[Europe/Berlin]') - duration('PT2H')", f"{SPRING}T01:30+01:00[Europe/Berlin]"),
                ("datetime('2025-03-29T12:00[Europe/Berlin]') + duration('P1D')", f"{SPRING}T12:00+02:00[Europe/Berlin]"),
                ("datetime('2025-03-29T02:30[Europe/Berlin]') + duration('P1D')", f"{SPRING}T03:30+02:00[Europe/Berlin]"),
                (f"datetime('{AUTUMN}T02:30+02:00[Europe/Berlin]') + duration('PT1H')", f"{AUTUMN}T02:30+01:00[Europe/Berlin]"),
                (f"datetime('{AUTUMN}T02:30+01:00[Europe/Berlin]') + duration('PT0S')", f"{AUTUMN}T02:30+01:00[Europe/Berlin]"),
                (f"datetime.truncate('hour', datetime('{AUTUMN}T02:30+01:00[Europe/Berlin]'))",
                 f"{AUTUMN}T02:00+01:00[Europe/Berlin]"),
                ("datetime('2025-01-31T12:00[Europe/Berlin]') + duration('P1MT1H')", "2025-02-28T13:00+01:00[Europe/Berlin]"),
                ("time('23:30+01:00') + duration('PT1H')", "00:30+01:00")):
            with self.subTest(expression=expression):
                self.assertEqual(self.value(f"toString({expression})"), right)

    def test_a_zero_keeps_its_sign_and_equals_the_other(self):
        for expression in ("-0.0", "-(0.0)", "0.0 * -1", "ceil(-0.5)", "toFloat('-0.0')", "[-0.0][0]", "{a: -0.0}.a"):
            with self.subTest(expression=expression):
                self.assertEqual(str(self.value(expression)), "-0.0")
        self.assertEqual(str(self.value("$z", z=-0.0)), "-0.0")
        self.assertEqual([str(self.value(each)) for each in ("0.0", "-0", "abs(-0.0)", "-0.0 + 0.0")], ["0"] * 4)
        self.assertTrue(self.value("0.0 = -0.0 AND 0 = -0.0 AND NOT -0.0 < 0.0 AND -0.0 IN [0]"))
        self.assertEqual(self.rpc("query", cypher="UNWIND [0.0, -0.0, 0] AS x RETURN count(DISTINCT x)")["rows"], [[1]])

    def test_a_mean_is_there_where_its_sum_passes_the_largest_float(self):
        for values, right in (([1.7e308, 1.7e308], 1.7e308), ([-1.7e308, -1.7e308, -1.7e308], -1.7e308), ([1e308, 1.5e308], 1.25e308), ([1, 2, 4.5], 2.5),
                              ([9223372036854775807, 9223372036854775807], 2**63)):
            mean = self.rpc("query", cypher="UNWIND $values AS x RETURN avg(x)", params={"values": values})["rows"][0][0]
            self.assertAlmostEqual(mean / right, 1, 14)
        self.assertIsNone(self.rpc("query", cypher="UNWIND [1e308 * 10, 1] AS x RETURN avg(x)")["rows"][0][0])

    def test_what_is_added_is_what_lies_between(self):
        moments = [f"{day}T{hour:02}:{minute}{offset}[Europe/Berlin]" for day in ("2025-03-29", SPRING, AUTUMN, "2025-10-27")
                   for hour in range(0, 24, 3) for minute in ("00", "45") for offset in ("",)]
        moments += [f"{AUTUMN}T02:30+0{hours}:00[Europe/Berlin]" for hours in (1, 2)]
        wrong = self.rpc("query", cypher="UNWIND $moments AS a UNWIND $moments AS b WITH datetime(a) AS a, datetime(b) AS b "
                                         "WHERE a + duration.inSeconds(a, b) <> b OR a + duration('PT0S') <> a RETURN a, b LIMIT 3",
                         params={"moments": moments})["rows"]
        self.assertEqual(wrong, [])

    def test_a_reading_that_the_clock_leaves_out_moves_forward_and_a_wrong_offset_is_refused(self):
        self.assertTrue(self.value(f"datetime('{SPRING}T02:30[Europe/Berlin]') = datetime('{SPRING}T03:30+02:00')"))
        self.assertEqual(self.value(f"datetime('{SPRING}T02:30[Europe/Berlin]').hour"), 3)
        with self.assertRaises(RpcError) as refused:
            self.value("datetime('2025-06-01T02:30+01:00[Europe/Berlin]')")
        self.assertIn("Europe/Berlin has another offset", str(refused.exception))

    def test_letters_of_every_alphabet_have_two_cases(self):
        for lower, upper in zip("aéÿčłőşșọжґωάա𐐨ⓐꙁ", "AÉŸČŁŐŞȘỌЖҐΩΆԱ𐐀ⒶꙀ"):
            self.assertEqual(self.value("[toUpper($lower), toLower($upper)]", lower=lower, upper=upper), [upper, lower])
        for text in ("ß", "÷×", "日本", "😀", "1_-", "ĸ"):
            self.assertEqual(self.value("[toUpper($text), toLower($text)]", text=text), [text, text])
        self.assertEqual(self.value("toUpper('Žluťoučký kůň') + toLower('ŽLUŤOUČKÝ KŮŇ')"), "ŽLUŤOUČKÝ KŮŇžluťoučký kůň")

    def test_a_float_comes_back_as_it_was_given(self):
        floats = ["1e19", "2.0^63", "1.8e19", "18446744073709549568.0", "1e20", "-1e19", "1e18", "9.2e18", "-9223372036854775808.0"]
        asked = {"jsonrpc": "2.0", "id": 1, "method": "query", "params": {"cypher": f"RETURN [{', '.join(floats)}] AS x"}}
        with urllib.request.urlopen(urllib.request.Request(self.server.url + "/rpc", json.dumps(asked).encode(),
                                                           {"content-type": "application/json"})) as answer:
            listed = re.search(r'"rows":\[\[\[(.*?)\]\]\]', answer.read().decode())[1].split(",")
        for written, number in zip(listed, floats, strict=True):
            with self.subTest(number):
                self.assertTrue("e" in written or abs(int(written)) <= 2**63)
                self.assertTrue(self.value(f"$x = {number}", x=json.loads(written)))
        # Digits of a float, as other programs write them.
        self.assertTrue(self.value("$x = 1e19 AND $x > 9223372036854775807", x=10**19))

    def test_numbers_of_columns_are_those_of_the_records(self):
        """Of responses with and without them, at two moments, before and after some are purged; integers stay integers."""
        def response(i):
            said = {"latency_ms": 100.5 * i} if i % 3 else {}
            said |= {"cost": i} if i % 4 else {}
            return {"$type$": "Response", "id": f"resp_sum{i}", "timestamp": f"2025-10-1{i % 3}T09:00:00Z", "agent": f"a{i % 2}", "model": "sums",
                    "context_units": [{"context_unit_id": "cu_sum", "weight": 1}], **said}
        unit = {"$type$": "ContextUnit", "id": "cu_sum", "type": "External", "source": "s", "version": 1, "timestamp": "2025-10-10T09:00:00Z"}
        first = self.rpc("records.write", records=[unit, *map(response, range(30))])["tx"]
        self.rpc("records.write", records=[response(i) for i in range(30, 36)])
        self.rpc("records.purge", refs=[f"Response:resp_sum{i}" for i in (1, 2, 31)])
        asked = ("MATCH (r:Response) WHERE r.model = 'sums' RETURN r.agent AS agent, floor(r.timestamp.epochMillis / 86400000.0) AS day, count(*) AS n, "
                 "sum(r.latency_ms) AS ms, count(r.latency_ms) AS timed, toString(max(r.cost)) AS cost, count(r.tokens) AS none ORDER BY agent, day")
        for at, there in (("", [i for i in range(36) if i not in (1, 2, 31)]), (f"AT TX {first} ", [i for i in range(30) if i not in (1, 2)])):
            groups = {}
            for each in map(response, there):
                day = 20371 + int(each["timestamp"][9])
                group = groups.setdefault((each["agent"], day), {"n": 0, "ms": [], "cost": []})
                group["n"] += 1
                for name, member in (("ms", "latency_ms"), ("cost", "cost")):
                    group[name] += [each[member]] if member in each else []
            right = [[*key, g["n"], sum(g["ms"]), len(g["ms"]), str(float(max(g["cost"]))), 0] for key, g in sorted(groups.items())]
            for query in (at + asked, at + asked.replace("WHERE r.model", "WITH r WHERE r.model")):
                with self.subTest(query=query):
                    self.assertEqual(self.rpc("query", cypher=query)["rows"], right)

    def test_an_integer_beyond_64_bits_is_refused_with_its_place(self):
        self.assertEqual(self.value("$n", n=2**63 - 1), 2**63 - 1)
        for given in (2**63 + 1, [{"deep": 2**64 - 1}]):
            with self.assertRaises(RpcError) as refused:
                self.value("$n", n=given)
            self.assertIn("/params/n", str(refused.exception))

    def test_an_integer_of_a_record_is_its_digits_where_no_number_of_a_query_is_it(self):
        given = {"most": 2**63 - 1, "exact": 2**63, "odd": 2**63 + 1, "last": 2**64 - 1, "list": [1, 10**19 + 1, {"deep": 2**64 - 1}], "least": -2**63}
        self.rpc("records.write", records=[{"$type$": "ContextUnit", "id": "cu_wide", "type": "External", "source": "s", "version": 1,
                                            "timestamp": "2025-10-10T09:00:00Z", "attributes": given}])
        shown = self.rpc("query", cypher="MATCH (u:ContextUnit {id: 'cu_wide'}) RETURN u.attributes")["rows"][0][0]
        self.assertEqual(shown, given | {"exact": 2.0**63, "odd": str(2**63 + 1), "last": str(2**64 - 1), "list": [1, str(10**19 + 1), {"deep": str(2**64 - 1)}]})
        self.assertTrue(self.rpc("query", cypher="MATCH (u:ContextUnit {id: 'cu_wide'}) RETURN u.attributes.exact > 9223372036854775807")["rows"][0][0])


if __name__ == "__main__":
    unittest.main()
