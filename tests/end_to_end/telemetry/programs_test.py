"""Claim: what an answer was made from, and what was said, is known as it really was, with texts and without, in whatever order spans come.

Method: programs whose data flow is known (`support/programs.py`) send their spans in parts, as they end or shuffled, to a server; what the
graph has as direct causes is compared with the truth, for each kind of program and each convention. Instructions and questions are causes in a role, and are not
counted. Shuffled spans are shuffled over ten programs, some are sent twice, and some long after the others: the causes, and how each is known, are those
of the same spans as they end.
WHENCE_TEST_PROGRAMS (120) says how many; a table is printed where WHENCE_TEST_PRINT is set.
"""
import collections
import os
import random
import tempfile
import unittest

from support.otlp import send
from support.program import Server, seed_of_run, twin_store
from support.programs import program

SEED = seed_of_run()
PROGRAMS = int(os.environ.get("WHENCE_TEST_PROGRAMS", "120"))


def causes_in(server):
    """For each response the keys of its direct causes, and how each is known."""
    contents, found = {}, collections.defaultdict(dict)
    for type_ in ("ContextUnit", "RetrievedChunk", "Response", "Query"):
        cursor = None
        while True:
            page = server.rpc("node.find", {"type": type_, "limit": 1000, "include": ["record", "edges"], **({"cursor": cursor} if cursor else {})})
            for node in page["nodes"]:
                contents[node["ref"]] = node
            cursor = page.get("cursor")
            if not cursor:
                break
    for ref, node in contents.items():
        if node["type"] != "Response":
            continue
        for edge in node["edges"]:
            if edge["type"] != "PROMPTED" or edge["to"] != ref or "role" in edge:
                continue
            source = edge["from"]
            if source.startswith("RetrievedChunk:"):
                source = "chunk:" + contents[source]["record"]["content"]
            found[ref][source] = edge["basis"]
        found[ref] = dict(found[ref])
    return found, {ref: node["record"] for ref, node in contents.items()}


def ancestors_in(direct):
    """For each response the keys of all that it was made from, over any number of responses."""
    found = {}

    def of(ref):
        if ref not in found:
            found[ref] = set()  # nothing leads back
            for each in direct.get(ref, ()):
                found[ref] |= {each} | of(each)
        return found[ref]

    return {ref: of(ref) for ref in direct}


class ProgramsTest(unittest.TestCase):
    def sent(self, has_texts, is_shuffled=False):
        """The programs, and what a server that they were sent to knows of their causes: `causes_in`."""
        chance = random.Random(SEED)
        programs = [program(chance, has_texts) for _ in range(PROGRAMS)]
        with tempfile.TemporaryDirectory() as folder, Server(twin_store(folder + "/db")) as server:
            waiting = [sorted(each.spans, key=lambda span: span["end"]) for each in programs]
            if is_shuffled:
                waiting = self.shuffled(chance, waiting)
            for spans in waiting:
                while spans:
                    size = chance.randint(1, 12)
                    for status, _, _ in send(server, spans[:size], chance.choice(("json", "protobuf"))):
                        self.assertEqual(status, 200)
                    spans = spans[size:]
            found = causes_in(server)
            self.assertTrue(server.rpc("admin.verify", {})["ok"], SEED)
        return programs, *found

    def measure(self, has_texts, is_shuffled=False):
        programs, found, records = self.sent(has_texts, is_shuffled)
        counts = collections.defaultdict(collections.Counter)
        wrong = []
        for each in programs:
            for ref, truth in each.truth.items():
                got = found.get(ref, {})
                count = counts[each.kind.__name__, each.convention]
                count.update(right=len(truth & set(got)), false=len(set(got) - truth), missing=len(truth - set(got)))
                if set(got) != truth:
                    wrong.append((each.kind.__name__, each.convention, ref, sorted(set(got) - truth), sorted(truth - set(got))))
        truths = {ref: truth for each in programs for ref, truth in each.truth.items()}
        right, got = ancestors_in(truths), ancestors_in(found)
        self.ancestors = collections.Counter()
        for ref, all_ in right.items():
            self.ancestors.update(right=len(all_ & got.get(ref, set())), false=len(got.get(ref, set()) - all_), missing=len(all_ - got.get(ref, set())))
        refs = {ref for each in programs for ref in each.truth}
        self.assertEqual(set(found) - refs, set(), "bogus calls")
        self.assertEqual(refs - set(found), {ref for each in programs for ref, truth in each.truth.items() if not truth} - set(found), "missing calls")
        self.wrongly_said = [(ref, said, records[ref]) for each in programs for ref, said in each.said.items() if not self.is_said(records[ref], *said)]
        self.assertEqual(self.wrongly_said[:3], [], SEED)
        total = sum(counts.values(), collections.Counter())
        if os.environ.get("WHENCE_TEST_PRINT"):
            print("with texts" if has_texts else "without texts", "shuffled" if is_shuffled else "as they end")
            for name, count in [*sorted(counts.items()), (("all", ""), total)]:
                print(f"  {name[0]:13} {name[1]:14} precision {self.part(count, 'false'):.3f} recall {self.part(count, 'missing'):.3f}")
            print(f"  all ancestors                precision {self.part(self.ancestors, 'false'):.3f} recall {self.part(self.ancestors, 'missing'):.3f}")
            for line in wrong[:int(os.environ["WHENCE_TEST_PRINT"])]:
                print("   ", *line)
        self.rows = {name: (self.part(count, "false"), self.part(count, "missing")) for name, count in counts.items()}
        return self.part(total, "false"), self.part(total, "missing")

    def assert_rows(self, least):
        self.assertEqual({name: row for name, row in self.rows.items() if min(row) < least}, {}, SEED)

    @staticmethod
    def is_said(record, messages, answer, calls):
        """Whether a response has all of its prompt in its order, and all that was answered."""
        at = 0
        for each in messages:
            at = record["prompt"].find(each, at)
            if at < 0:
                return False
        made = record.get("content", "")
        return made.startswith(answer) and all(each in made for each in calls) and (calls or made == answer)

    @staticmethod
    def shuffled(chance, programs):
        """Of ten programs at once: their spans in any order, a fifth of them twice; and a tenth of all after everything else."""
        groups, late = [], []
        for at in range(0, len(programs), 10):
            spans = [each for program in programs[at:at + 10] for each in program]
            late += [each for each in spans if chance.random() < 0.1]
            spans = [each for each in spans if each not in late]
            spans += [each for each in spans if chance.random() < 0.2]
            chance.shuffle(spans)
            groups.append(spans)
        chance.shuffle(late)
        return [*groups, late]

    @staticmethod
    def part(count, other):
        return count["right"] / max(count["right"] + count[other], 1)

    def test_with_texts(self):
        precision, recall = self.measure(True)
        self.assertGreaterEqual(precision, 0.995, SEED)
        self.assertGreaterEqual(recall, 0.995, SEED)
        self.assert_rows(0.99)
        self.assertGreaterEqual(self.part(self.ancestors, "false"), 0.995, SEED)
        self.assertGreaterEqual(self.part(self.ancestors, "missing"), 0.995, SEED)

    def test_shuffled_with_texts(self):
        precision, recall = self.measure(True, True)
        self.assertGreaterEqual(precision, 0.995, SEED)
        self.assertGreaterEqual(recall, 0.995, SEED)
        self.assert_rows(0.99)

    def test_the_same_causes_in_any_order(self):
        for has_texts in (True, False):
            with self.subTest(has_texts=has_texts):
                _, ended, records = self.sent(has_texts)
                _, shuffled, others = self.sent(has_texts, is_shuffled=True)
                differing = {ref: (ended.get(ref), shuffled.get(ref)) for ref in ended | shuffled if ended.get(ref) != shuffled.get(ref)}
                if os.environ.get("WHENCE_TEST_PRINT"):
                    print(f"{len(differing)} of {len(ended)} responses differ", *list(differing.items())[:20], sep="\n    ")
                self.assertEqual(differing, {}, SEED)
                self.assertEqual(set(records), set(others), SEED)

    def test_without_texts(self):
        precision, recall = self.measure(False)
        self.assertGreaterEqual(precision, 0.995, SEED)
        self.assertGreaterEqual(recall, 0.995, SEED)
        self.assert_rows(0.99)


if __name__ == "__main__":
    unittest.main()
