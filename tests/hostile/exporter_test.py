"""Claim: one hostile exporter is bounded and told: a million spans in one trace, huge attributes, deep nesting, lineage that names
everything as the source of everything. Others are served meanwhile.

Method: each attack runs against a server with a small budget for requests; what was rejected is counted from the answers, the peak of
resident memory (VmHWM) is compared with that before, and the time that others wait is measured. The figures are printed.
"""
import os
import statistics
import tempfile
import threading
import time
import unittest
import uuid

from attack import Server, fill, status_kib
from support.openlineage import dataset, event, facet
from support.openlineage import post as post_event
from support.otlp import body_of, fixed64, post, proto_pairs, sized, span

MIB = 1 << 20
BUDGET_MIB = 64
BESIDE_MIB = 160  # as in memory_test
TRACE = bytes(range(1, 17))
TRACE_SPANS_MAX = 4096


def spans_body(ids, attributes):
    """Spans of one trace that differ in their id only."""
    head = sized(1, TRACE) + b"\x12\x08"
    tail = sized(5, "chat") + fixed64(7, 10**18) + fixed64(8, 10**18 + 1) + attributes
    return sized(1, sized(2, b"".join(sized(2, head + each.to_bytes(8, "big") + tail) for each in ids)))


class ExporterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Server(folder.name + "/db", "--memory-for-requests", BUDGET_MIB * MIB)
        self.addCleanup(lambda: self.server.__exit__())
        fill(self.server, 200)
        self.alone = statistics.median(self.time_of_a_question() for _ in range(20))
        self.before = status_kib(self.server, "VmHWM")

    def time_of_a_question(self):
        began = time.monotonic()
        self.server.rpc("lineage.ancestors", {"ref": "resp_1", "depth": 1})
        return time.monotonic() - began

    def attack(self, what, run):
        """Runs the attack; meanwhile somebody else asks."""
        waited, is_over = [], threading.Event()

        def ask():
            while not is_over.is_set():
                waited.append(self.time_of_a_question())
        other = threading.Thread(target=ask)
        other.start()
        try:
            run()
        finally:
            is_over.set()
            other.join()
        grown = (status_kib(self.server, "VmHWM") - self.before) / 1024
        print(f"{what}: {grown:.0f} MiB more at the peak; another client waited {max(waited) * 1000:.0f} ms at most, {len(waited)} times")
        self.assertLess(grown, BUDGET_MIB + BESIDE_MIB)
        self.assertLess(max(waited), max(5, 50 * self.alone))

    def cpu_seconds(self):
        """What the server took of the processors so far."""
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_many_members_of_one_message_cost_what_they_are(self):
        """Four times as many cost about four times as much; each compared with each would be sixteen times."""
        costs = []
        for size in (10_000, 40_000):
            members = {f"llm.input_messages.0.message.member_{n}": "v" for n in range(size)}
            attributes = proto_pairs(9, {"gen_ai.operation.name": "chat", "llm.input_messages.0.message.content": "text", **members})
            taken = []
            for turn in range(3):  # the least is what the message costs, without what the server does by itself beside it
                before = self.cpu_seconds()
                status, _, answer = post(self.server, "/v1/traces", spans_body([size + turn], attributes), form="protobuf")
                self.assertEqual(status, 200, answer)
                taken.append(self.cpu_seconds() - before)
            costs.append(min(taken))
        print(f"10,000 and 40,000 members of a message: {costs} s of the processor")
        self.assertLess(costs[1], 9 * max(costs[0], 0.03))  # three ticks of the clock that counts them

    def test_a_million_spans_in_one_trace(self):
        rejected = []
        call = proto_pairs(9, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})

        def run():
            for part in range(200):
                body = spans_body(range(part * 5_000 + 1, (part + 1) * 5_000 + 1), call)
                status, _, answer = post(self.server, "/v1/traces", body, "protobuf")
                self.assertEqual(status, 200)
                rejected.append(answer)
        self.attack("a million spans in one trace", run)
        self.assertTrue(all(b"4096" in answer for answer in rejected), rejected[:2])  # the bound is told
        self.assertEqual(self.server.rpc("node.count", {"type": "Response"})["count"], 200 + TRACE_SPANS_MAX)

    def test_huge_and_deep_attributes(self):
        nested = sized(1, "leaf")
        for _ in range(10_000):
            nested = sized(6, sized(1, sized(1, "k") + sized(2, nested)))

        def run():
            call = proto_pairs(9, {"gen_ai.operation.name": "chat"})
            many = proto_pairs(9, {f"attribute.{i}": "x" * 100 for i in range(5_000)})
            deep = sized(9, sized(1, "deep") + sized(2, nested))
            for number, more in enumerate((proto_pairs(9, {"big": "x" * (MIB // 2)}), many, deep)):
                self.assertEqual(post(self.server, "/v1/traces", spans_body([number + 1], call + more), "protobuf")[0], 200)
            json_deep = b'{"resourceSpans":' + b"[" * 100_000
            self.assertEqual(post(self.server, "/v1/traces", json_deep)[0], 400)
            huge = spans_body([9], proto_pairs(9, {"big": "x" * 4 * MIB}))  # to be read it takes more than one peer may hold
            self.assertEqual(post(self.server, "/v1/traces", huge, "protobuf")[0], 413)
            zeros = b'{"resourceSpans":[],"x":[0' + b",0" * 2_000_000 + b"]}"
            for path in ("/v1/traces", "/v1/logs", "/api/v1/lineage", "/api/v1/lineage/batch"):
                self.assertEqual(post(self.server, path, zeros)[0], 413)
        self.attack("huge, many and deep attributes", run)

    def test_lineage_that_names_everything(self):
        def run():
            inputs = [{"namespace": "db", "name": str(i), "field": "f"} for i in range(100)]
            outputs = [dataset("db", f"out_{i}", columnLineage=facet(fields={"f": {"inputFields": inputs}})) for i in range(100)]
            for number in range(3):
                body = event("COMPLETE", str(uuid.UUID(int=number + 1)), f"2026-03-01T00:00:0{number}Z", "wide", [], outputs)
                self.assertEqual(post_event(self.server, body)[0], 200)
            self.assertEqual(post_event(self.server, b'{"run":' + b'{"facets":' * 10_000)[0], 400)
        self.attack("lineage that names everything", run)
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])


class LargeBodyTest(unittest.TestCase):
    """A large body is written piece by piece: others, of the same client too, have their turn between them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Server(folder.name + "/db")
        self.addCleanup(lambda: self.server.__exit__())

    def answered_beside(self, send_large, send_small):
        """How many small requests were answered while the large one was under way; none waits for most of it."""
        large = threading.Thread(target=send_large)
        large.start()
        waited, began = [], time.monotonic()
        while large.is_alive():
            asked = time.monotonic()
            send_small(len(waited))
            waited.append(time.monotonic() - asked)
        large.join()
        took = time.monotonic() - began
        print(f"the large one took {took:.1f} s, {len(waited)} small ones {1000 * max(waited):.0f} ms at most")
        self.assertLess(max(waited), max(1, took / 3))
        return len(waited)

    def call(self, number, texts=50):
        return span(f"{1 + number // 8:032x}", f"{1 + number:016x}", "chat", 10**18 + number * 10**6, 10**18 + (number + 1) * 10**6, {
            "gen_ai.operation.name": "chat", "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": f"q{number} " + "x" * texts}]}],
            "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": f"a{number} " + "y" * texts}]}]})

    def test_a_large_body_of_spans_holds_up_no_other(self):
        count = 2400
        body = body_of([self.call(number, 1500) for number in range(count)], "traces", "protobuf")

        def send_large():
            status, _, answer = post(self.server, "/v1/traces", body, "protobuf")
            self.assertEqual((status, answer), (200, b""))

        def send_small(number):
            small = body_of([self.call(100_000 + 8 * number)], "traces", "protobuf")
            self.assertEqual(post(self.server, "/v1/traces", small, "protobuf")[0], 200)

        small = self.answered_beside(send_large, send_small)
        count_of = lambda: self.server.rpc("node.count", {"type": "Response"})["count"]
        self.assertEqual(count_of(), count + small)
        tx = self.server.rpc("server.info")["tx"]
        send_large()
        self.assertEqual((count_of(), self.server.rpc("server.info")["tx"]), (count + small, tx), "a repeat adds nothing")

    def test_a_large_body_of_lineage_holds_up_no_other(self):
        def run(number):
            return event("COMPLETE", str(uuid.UUID(int=1 + number)), "2025-10-09T16:15:00Z", f"j{number}", [dataset("n", f"i{number}")], [dataset("n", f"o{number}")])

        def send(body, path="/api/v1/lineage"):
            status, _, text = post_event(self.server, body, path)
            self.assertIn(status, (200, 201), text)

        self.answered_beside(lambda: send([run(number) for number in range(8000)], "/api/v1/lineage/batch"), lambda number: send(run(100_000 + number)))


if __name__ == "__main__":
    unittest.main()
