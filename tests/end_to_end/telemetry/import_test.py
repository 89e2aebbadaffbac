"""Claim: telemetry that was kept in a file becomes what it would have become over HTTP, on a server and on a store.

Method: the same spans and log records are sent, and imported in lines; the exports are equal but for transactions. Broken files are
refused with their line.
"""
import json
import unittest

from support.otlp import body_of, send
from support.program import twin_store, whence
from support.wire_case import FreshServerCase
from telemetry.otlp_test import T, chat, retrieval, tool


def items():
    return [retrieval(T, 2, 1, 2, "How long are returns free?", [("faq.md", "Returns are free for 30 days.", 0.9)]),
            tool(T, 3, 2, 3, "clock", "Monday"), chat(T, 4, 4, 5, "How long?", "30 days.")]


def nodes_of(rpc):
    found = {}
    for kind in ("Response", "Query", "RetrievedChunk", "ContextUnit", "Document"):
        for node in rpc("node.find", {"type": kind, "include": ["record"]})["nodes"]:
            found[node["ref"]] = node["record"]
    return found


class ImportTest(FreshServerCase):
    def lines(self):
        return "".join(body_of([each], "traces", "json").decode() + "\n" for each in items())

    def test_a_file_becomes_what_it_would_over_http(self):
        for status, _, _ in send(self.server, items(), "json"):
            self.assertEqual(status, 200)
        wanted = nodes_of(self.server.rpc)
        self.assertGreaterEqual(len(wanted), 5)
        local = twin_store(self.db + "-local")
        for text in (self.lines() + '{"resourceMetrics":[]}\n', json.dumps(json.loads(body_of(items(), "traces", "json")), indent=2)):
            done = whence("import", "-", "--format", "otlp-json", "--db", local, "--json", stdin=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["rejected"], 0)

        def rpc(method, params):
            return json.loads(whence("rpc", method, json.dumps(params), "--db", local).stdout)

        self.assertEqual(nodes_of(rpc), wanted)
        head = self.server.rpc("server.info")["tx"]
        done = whence("import", "-", "--format", "otlp-json", "--url", self.server.url, stdin=self.lines())
        self.assertEqual((done.returncode, done.stderr), (0, "imported 3 documents\n"))
        self.assertEqual(self.server.rpc("server.info")["tx"], head)  # all of it was known

    def test_an_own_export_as_prov_brings_it_back(self):
        rated = {**chat(T, 5, 6, 7, "How long?", "Ten."), "events": [(6, "gen_ai.evaluation.result", {"gen_ai.evaluation.name": "q", "gen_ai.evaluation.score.label": "fail"})]}
        send(self.server, [*items(), rated], "json")

        def graph_of(rpc):
            kinds = ("Response", "Query", "RetrievedChunk", "ContextUnit", "Document", "FeedbackRecord", "ProvActivity", "ProvEntity")
            return {(node["ref"], edge["from"], edge["type"], edge["to"], edge.get("similarity"), edge.get("score"))
                    for kind in kinds for node in rpc("node.find", {"type": kind, "include": ["edges"]})["nodes"] for edge in node["edges"]}

        document, copy = self.db + "-document", self.db + "-copy"
        self.assertEqual(whence("export", "--format", "prov-json", "-o", document, "--url", self.server.url).returncode, 0)
        self.assertEqual(whence("import", document, "--format", "prov-json", "--db", copy).returncode, 0)
        self.assertEqual(graph_of(lambda method, params: json.loads(whence("rpc", method, json.dumps(params), "--db", copy).stdout)), graph_of(self.server.rpc))

    def test_broken_files_are_refused_with_their_line(self):
        lines = self.lines().splitlines()
        for text, exit_code, told in [("{}\n[]\n", 4, "line 2: expected an object"), ("{\n", 4, "line 1: "),
                                      (lines[0] + "\nnonsense\n", 4, "line 2: "), ('{"spans":[]}\n', 4, "line 1: expected an object with"),
                                      ('{"resourceSpans":7}\n', 4, "line 1: ")]:
            for dry in ((), ("--dry-run",)):
                with self.subTest(text=text[:30], dry=dry):
                    done = whence("import", "-", "--format", "otlp-json", "--url", self.server.url, *dry, stdin=text)
                    self.assertEqual((done.returncode, told in done.stderr), (exit_code, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
