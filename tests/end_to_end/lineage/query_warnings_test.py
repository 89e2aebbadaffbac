"""Claim: a query that names a label, a relation type or a property that no record can have says so, at the place, over the wire and
on the command line; a name that some record has is never called unknown.
"""
import contextlib
import random
import unittest

from support.all_types import AllTypes
from support.program import RpcError, seed_of_run, whence
from support.wire_case import WireCase

SEED = seed_of_run()


class QueryWarningsTest(WireCase):
    def ask(self, text):
        return self.rpc("query", cypher=text)

    def test_an_unknown_name_is_a_warning_at_its_place(self):
        answer = self.ask("MATCH (r:Respons)\nRETURN r.modle")
        self.assertEqual(answer["rows"], [])
        self.assertEqual(answer["warnings"], [
            {"rule": "unknown_label", "path": "/cypher", "line": 1, "column": 7,
             "message": "no node can have the label `Respons`; did you mean `Response`?"},
            {"rule": "unknown_property", "path": "/cypher", "line": 2, "column": 9,
             "message": "no node or relation can have the property `modle`; did you mean `model`?"}])
        self.assertEqual([w["rule"] for w in self.ask("MATCH ()-[r:USED_BY]->() RETURN r")["warnings"]], ["unknown_relation_type"])

    def test_the_command_line_says_it_beside_the_rows(self):
        done = whence("query", "--url", self.server.url, "MATCH (r:Respons) RETURN count(r) AS n")
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["n", "0"]))
        self.assertEqual(done.stderr, "whence: warning: line 1, column 7: no node can have the label `Respons`; did you mean "
                                      "`Response`?\n")

    def test_no_name_that_a_record_has_is_unknown(self):
        history = AllTypes(self, random.Random(SEED))
        for step in [*dict.fromkeys(AllTypes.STEPS)] * 4:
            with contextlib.suppress(RpcError):  # a draw may repeat an id
                getattr(history, step)()
        for kind, found in (("label", "MATCH (n) UNWIND labels(n) AS x RETURN DISTINCT x"),
                            ("node", "MATCH (n) UNWIND keys(n) AS x RETURN DISTINCT x"),
                            ("type", "MATCH ()-[r]->() RETURN DISTINCT type(r) AS x"),
                            ("relation", "MATCH ()-[r]->() UNWIND keys(r) AS x RETURN DISTINCT x"),
                            ("influence", "MATCH ()-[r:INFLUENCES]->() UNWIND keys(r) AS x RETURN DISTINCT x")):
            names = [row[0] for row in self.ask(found)["rows"]]
            self.assertGreater(len(names), 1, kind)
            for name in names:
                text = {"label": "MATCH (n:`%s`) RETURN 1 LIMIT 1", "type": "MATCH ()-[r:`%s`]->() RETURN 1 LIMIT 1",
                        "node": "MATCH (n) RETURN n.`%s` LIMIT 1"}.get(kind, "MATCH ()-[r]->() RETURN r.`%s` LIMIT 1") % name
                self.assertNotIn("warnings", self.ask(text), f"seed {SEED}, {kind} {name}")


if __name__ == "__main__":
    unittest.main()
