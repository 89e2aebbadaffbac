"""The reading verbs: the same answers from a server and from a store, tables, JSON, exit codes."""
import http.server
import json
import os
import subprocess
import tempfile
import threading
import unittest

from records import lines, unit
from whence_e2e import WHENCE, Server, clean_env, open_terminal, whence

LAST = "Response:resp_20251011_00126"
STALE = "ContextUnit:cu_values_yaml_002"
QUERY = "XMLMessageAttachment:ed1dd5843f8e2277c7ab4403fbf9995514d7005e23966adb6b8c6fdf407a1e1a"
ANSWER = "XMLMessageAttachment:14b0bd928d5be20f81f7d734c1ee0ba0de2e61d0d35f4d833638641f47165ba5"

# The message on stderr if a given depth cut the answer.
DEPTH_NOTE = "whence: there is more; the answer was cut by its depth\n"

# Each verb with arguments that the demo's story can answer, and a member its result must have.
VERBS = [
    (["get", LAST, "cu_values_yaml_002", "--include", "record,status,edges"], "nodes"),
    (["find", "--type", "Response", "--where", "token_count>800", "--order-by", "token_count", "--desc"], "nodes"),
    (["count", "ContextUnit", "--where", "source^=file:"], "count"),
    (["ancestors", LAST, "--form", "graph", "--depth", "2", "--node-types", "ContextUnit,Response"], "edges"),
    (["ancestors", LAST, "--edge-types", "USED_IN", "--min-weight", "0.3", "--between", "2025-01-01T00:00:00Z,"], "nodes"),
    (["descendants", STALE, "--as-of", "2"], "nodes"),
    (["graph", STALE, "--up", "1", "--down", "1"], "frontier"),
    (["graph", STALE, "--up", "1", "--down", "1", "--reduced"], "reduced_edges"),
    (["path", STALE, LAST, "--kind", "all"], "paths"),
    (["path", STALE, LAST, "--dominators"], "dominators"),
    (["influence", LAST], "nodes"),
    (["influence", LAST, "--order", "influence"], "nodes"),
    (["impact", STALE, "cu_docs_mcp_003"], "counts"),
    (["blame", "--score-below", "-0.5"], "nodes"),
    (["blame", "resp_20251010_00124"], "nodes"),
    (["versions", "cu_values_yaml_005"], "versions"),
    (["diff", "cu_values_yaml_002", "cu_values_yaml_005"], "changes"),
    (["diff", "cu_values_yaml_002", "cu_values_yaml_005", "--ancestry"], "added"),
    (["diff", "resp_20251010_00124", "resp_20251011_00126"], "removed"),
    (["diff", "resp_20251011_00126", "--as-of-a", "5", "--as-of-b", "6"], "reweighted"),
    (["history", STALE], "events"),
    (["feedback", STALE], "aggregate_score"),
    (["manifest", "resp_20251009_00123"], "manifest"),
    (["trace", "Keyword:529-plan"], "dangling"),
    (["find", "--type", "Keyword", "--order-by", "score", "--desc"], "nodes"),
    (["get", "Summary:family-planning-2025-v1", QUERY], "nodes"),
    (["rpc", "attachment.list", '{"topicId":"family-planning-2025"}'], "total_size"),
    (["rpc", "xml.validate", '{"xml":"<llmResponse><response>x</response><analysis><summaryUpdate/></analysis></llmResponse>"}'], "parts"),
    (["rpc", "xml.build", '{"format":"llm-response","response":"x","analysis":{"summaryUpdate":""}}'], "xml"),
    (["stats"], "tx"),
    (["rpc", "lineage.ancestors", json.dumps({"ref": LAST, "depth": 1})], "nodes"),
]
CHANGING = ("uptime_s", "store_bytes", "time")  # of server.info


class Canned(http.server.BaseHTTPRequestHandler):
    """Answers every call with the class's next canned body."""
    protocol_version = "HTTP/1.1"
    answers, asked, status = [], [], 200

    def do_POST(self):
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = json.dumps(self.answers.pop(0)).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def canned(*answers, status=200):
    """A server that sends these answers; its handler class records the requests."""
    handler = type("Handler", (Canned,), {"answers": list(answers), "asked": [], "status": status})
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, handler


def ask_canned(*args, answers, status=200):
    server, handler = canned(*answers, status=status)
    try:
        return whence(*args, "--url", f"http://127.0.0.1:{server.server_port}"), handler.asked
    finally:
        server.shutdown()
        server.server_close()


def result(**members):
    return {"jsonrpc": "2.0", "id": 1, "result": members}


class StoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.db = cls.folder.name + "/db"
        made = whence("demo", "--db", cls.db)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_store_and_a_server_answer_the_same(self):
        local = [whence(*args, "--db", self.db, "--json") for args, _ in VERBS]
        with Server(self.db) as server:
            remote = [whence(*args, "--url", server.url, "--json") for args, _ in VERBS]
            by_ws = whence("influence", LAST, "--url", server.url.replace("http://", "ws://") + "/ws", "--json")
            self.assertEqual(server.stop(), 0)
        for (args, member), here, there in zip(VERBS, local, remote):
            with self.subTest(args):
                self.assertEqual((here.returncode, there.returncode), (0, 0), here.stderr + there.stderr)
                self.assertIn(here.stderr, ("", DEPTH_NOTE))
                self.assertEqual(here.stderr, there.stderr)
                a, b = json.loads(here.stdout), json.loads(there.stdout)
                self.assertIn(member, a)
                for changing in CHANGING:
                    a.pop(changing, None), b.pop(changing, None)
                self.assertEqual(a, b)
                self.assertEqual(here.stdout.count("\n"), 1)
        self.assertEqual(by_ws.returncode, 0, by_ws.stderr)

    def test_every_verb_has_a_table(self):
        for args, _ in VERBS:
            with self.subTest(args):
                shown = whence(*args, "--db", self.db)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertNotIn("\x1b", shown.stdout)
                self.assertGreater(len(shown.stdout), 0)

    def test_tables_are_aligned(self):
        shown = whence("ancestors", LAST, "--depth", "1", "--db", self.db).stdout.splitlines()
        self.assertEqual(shown, ["DEPTH  WEIGHT  REF",
                                 "    1    0.65  ContextUnit:cu_values_yaml_005",
                                 "    1    0.35  ContextUnit:cu_argo_appset_001"])

    def test_a_trace_is_a_tree(self):
        shown = whence("trace", "Keyword:529-plan", "--db", self.db)
        self.assertEqual(shown.stdout.splitlines(), [
            "Keyword:529-plan",
            f"\u2514\u2500 EXTRACTED_FROM 0.95 {ANSWER}  llm-response  msg_2",
            "   \u2514\u2500 RENDERED_AS Response:resp_20251012_00127  family-assistant  gpt-4-turbo",
            "      \u251c\u2500 USED_IN 0.6 ContextUnit:cu_529_limits_007  External  tool:tax_guide  "
            "Contribution limits of 529 plans, 2024  [deprecated]",
            "      \u2514\u2500 USED_IN 0.4 ContextUnit:cu_family_006  User  memory:family  Two children, 4 and 7 years old"])
        self.assertEqual(whence("trace", "Keyword:none", "--db", self.db).returncode, 3)
        response = whence("trace", LAST, "--db", self.db)
        self.assertEqual((response.returncode, response.stdout.splitlines()[0].split()[0]), (0, LAST))
        self.assertIn("DERIVED_FROM ContextUnit:cu_values_yaml_002", response.stdout)

    def test_extracted_records_show_their_descriptive_members(self):
        shown = whence("find", "--type", "Subject", "--db", self.db).stdout
        self.assertIn("2025-10-12T18:30:20Z", shown)
        self.assertIn("college-savings  messageCount 1  Discussion of saving", shown)
        shown = whence("find", "--type", "XMLMessageAttachment", "--order-by", "createdAt", "--db", self.db).stdout
        self.assertIn("llm-query  msg_1", shown.splitlines()[1])
        shown = whence("find", "--type", "Keyword", "--db", self.db).stdout
        self.assertEqual(shown.count("frequency 1"), 4)
        shown = whence("impact", "cu_529_limits_007", "--db", self.db).stdout
        self.assertIn("0.6      3  Summary:family-planning-2025-v1", shown)

    def test_errors_have_exit_codes(self):
        for code, args in [(3, ["get", "cu_nobody"]), (3, ["ancestors", "Response:resp_nobody"]), (3, ["get", LAST, "--as-of", "1"]),
                           (4, ["get", "Nothing:x"]), (4, ["ancestors", LAST, "--as-of", "99"]), (4, ["find", "--type", "Nothing"]),
                           (4, ["rpc", "node.get", "{}"]), (4, ["rpc", "node.get", "{"]), (1, ["rpc", "no.such"]),
                           (2, ["ancestors"]), (2, ["ancestors", LAST, "--depth", "deep"]), (2, ["nonsense"]), (2, []),
                           (2, ["find", "--type", "Response", "--where", "agent"]), (2, ["get", LAST, "--no-such-flag"])]:
            with self.subTest(args):
                done = whence(*args, *(["--db", self.db] if args and args != ["nonsense"] else []))
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.stderr, "")

    def test_rpc_prints_errors_as_json(self):
        done = whence("rpc", "node.get", '{"ref":"cu_nobody"}', "--db", self.db)
        self.assertEqual(json.loads(done.stderr)["code"], -32020)

    def test_a_refused_document_is_invalid_input_with_its_place(self):
        done = whence("rpc", "xml.validate", '{"xml":"<llmResponse>"}', "--db", self.db)
        self.assertEqual(done.returncode, 4)
        self.assertEqual(json.loads(done.stderr)["data"]["error"], "malformed_xml")

    def test_rpc_reads_params_from_standard_input(self):
        done = whence("rpc", "node.get", "-", "--db", self.db, stdin=json.dumps({"ref": LAST}))
        self.assertEqual(json.loads(done.stdout)["nodes"][0]["ref"], LAST)

    def test_rpc_takes_a_moment(self):
        for params, code in [(json.dumps({"ref": LAST}), 3), (json.dumps({"ref": STALE}), 0), ("{}", 4), ('{"as_of":2}', 4)]:
            done = whence("rpc", "node.get", params, "--as-of", "2", "--db", self.db)
            self.assertEqual(done.returncode, code, done.stderr)
        done = whence("rpc", "node.get", json.dumps({"ref": STALE}), "--as-of", "2", "--db", self.db)
        self.assertEqual(json.loads(done.stdout)["tx"], 2)

    def test_an_unknown_verb_is_named(self):
        done = whence("nonsense", "--db", self.db)
        self.assertEqual(done.returncode, 2)
        self.assertIn('"nonsense"', done.stderr)

    def test_where_takes_json(self):
        done = whence("count", "Response", "--where-json", '{"agent":{"in":["claude-sdk:gardener"]}}', "--db", self.db)
        self.assertEqual(done.stdout, "1\n")

    def test_an_answer_cut_by_a_given_depth_is_complete(self):
        done = whence("ancestors", LAST, "--depth", "1", "--db", self.db, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["reason"]), (0, "depth"))

    def test_help_lists_flags_of_the_method(self):
        done = whence("ancestors", "--help")
        self.assertEqual(done.returncode, 0)
        for flag in ("--depth", "--edge-types", "--node-types", "--limit", "--min-weight", "--between", "--include", "--as-of",
                     "--db", "--url", "--json"):
            self.assertIn(flag, done.stdout)

    def test_colour_is_for_terminals(self):
        for env, is_coloured in [(clean_env(TERM="xterm"), True), (clean_env(TERM="xterm", NO_COLOR="1"), False)]:
            main, side = open_terminal(self)
            done = subprocess.run([WHENCE, "influence", LAST, "--db", self.db], stdout=side, stderr=subprocess.PIPE, env=env)
            os.close(side)
            seen = os.read(main, 65536)
            os.close(main)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(b"\x1b[1m" in seen, is_coloured)


class DeletedTest(unittest.TestCase):
    def test_a_trace_marks_what_is_deleted(self):
        with tempfile.TemporaryDirectory() as folder:
            db = folder + "/db"
            self.assertEqual(whence("demo", "--db", db).returncode, 0)
            done = whence("rpc", "records.delete", json.dumps({"refs": ["Message:msg_2"]}), "--db", db)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["deleted"], ["Message:msg_2", ANSWER])
            shown = whence("trace", "Keyword:529-plan", "--db", db)
            self.assertEqual(shown.stdout, f"Keyword:529-plan\n\u2514\u2500 EXTRACTED_FROM {ANSWER}  [deleted]\n")
            before = whence("trace", "Keyword:529-plan", "--as-of", "8", "--db", db)
            self.assertIn("ContextUnit:cu_family_006", before.stdout)


class PageTest(unittest.TestCase):
    def test_cursors_are_followed_to_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            loaded = whence("load", "-", "--db", folder + "/db", stdin=lines(*(unit(f"{i:05}") for i in range(2500))))
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
            with Server(folder + "/db") as server:
                whole = json.loads(whence("find", "--type", "ContextUnit", "--url", server.url, "--json").stdout)
                self.assertEqual([n["id"] for n in whole["nodes"]], [f"cu_{i:05}" for i in range(2500)])
                self.assertTrue(whole["complete"])
                self.assertFalse({"cursor", "reason"} & whole.keys())
                part = whence("find", "--type", "ContextUnit", "--limit", "10", "--url", server.url, "--json")
                self.assertEqual(part.returncode, 0)
                self.assertEqual(len(json.loads(part.stdout)["nodes"]), 10)
                cursor = json.loads(part.stdout)["cursor"]
                self.assertIn(cursor, part.stderr)
                more = whence("find", "--type", "ContextUnit", "--limit", "10", "--cursor", cursor, "--url", server.url, "--json")
                self.assertEqual(json.loads(more.stdout)["nodes"][0]["id"], "cu_00010")


class AnswerTest(unittest.TestCase):
    """Answers that a real server sends rarely, from a scripted one."""

    def test_cut_by_time_or_nodes_is_incomplete(self):
        for reason in ("timeout", "nodes"):
            done, asked = ask_canned("influence", "cu_a", "--json",
                                     answers=[result(tx=1, complete=False, reason=reason, cursor="c", nodes=[])])
            self.assertEqual((done.returncode, len(asked)), (7, 1), done.stderr)

    def test_pages_are_joined(self):
        done, asked = ask_canned("ancestors", "cu_a", "--json",
                                 answers=[result(tx=1, complete=False, reason="limit", cursor="c1", nodes=[{"ref": "a"}], edges=[1]),
                                          result(tx=1, complete=False, reason="depth", nodes=[{"ref": "b"}], edges=[2])])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"tx": 1, "complete": False, "reason": "depth",
                                                   "nodes": [{"ref": "a"}, {"ref": "b"}], "edges": [1, 2]})
        self.assertEqual(asked[1]["params"], {"cursor": "c1"})

    def test_dominators_and_reduced_edges_are_shown_where_they_are_answered(self):
        node = {"ref": "Response:r", "share": 0.25, "influence": 0.5, "depth": 2}
        path = {"weight": 1, "refs": ["a", "x", "b"]}
        for args, members, want in [
                (["path", "a", "b"], {"paths": [path], "dominators": ["x", "y"]},
                 ["WEIGHT  PATH", "     1  a \u2192 x \u2192 b", "dominators: x \u2192 y"]),
                (["path", "a", "b"], {"paths": [], "dominators": []}, ["dominators: none"]),
                (["path", "a", "b"], {"paths": [path]}, ["WEIGHT  PATH", "     1  a \u2192 x \u2192 b"]),
                (["impact", "a"], {"nodes": [node | {"dominator": "ContextUnit:c"}, node | {"dominator": None}]},
                 ["SHARE  INFLUENCE  DEPTH  REF         DOMINATOR", " 0.25        0.5      2  Response:r  ContextUnit:c",
                  " 0.25        0.5      2  Response:r"]),
                (["impact", "a"], {"nodes": [node]},
                 ["SHARE  INFLUENCE  DEPTH  REF", " 0.25        0.5      2  Response:r"]),
                (["graph", "a"], {"nodes": [], "edges": [], "frontier": [], "reduced_edges": 3}, ["reduced edges: 3"]),
                (["graph", "a"], {"nodes": [], "edges": [], "frontier": []}, [])]:
            with self.subTest(args=args, members=members):
                done, _ = ask_canned(*args, answers=[result(tx=1, complete=True, **members)])
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = [line.rstrip() for line in done.stdout.splitlines()]
                self.assertEqual(shown, want)

    def test_people_get_the_order_by_share(self):
        answer = result(tx=1, complete=True, nodes=[])
        for args, order in [(["influence", "cu_a"], "share"), (["impact", "cu_a"], "share"), (["blame", "resp_a"], "share"),
                            (["impact", "cu_a", "--order", "influence"], "influence"),
                            (["blame", "resp_a", "--order", "blame"], "blame"), (["impact", "cu_a", "--cursor", "c"], None)]:
            with self.subTest(args=args):
                done, asked = ask_canned(*args, answers=[answer])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(asked[0]["params"].get("order"), order)

    def test_a_graph_is_requested_whole(self):
        whole = result(tx=1, complete=True, nodes=[], edges=[], frontier=[])
        _, asked = ask_canned("graph", "cu_a", "--json", answers=[whole])
        self.assertEqual(asked[0]["params"]["limit"], 10_000)
        _, asked = ask_canned("graph", "cu_a", "--limit", "5", "--json", answers=[whole])
        self.assertEqual(asked[0]["params"]["limit"], 5)

    def test_a_graph_fits_the_page_of_the_server(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("demo", "--db", folder + "/db").returncode, 0)
            with Server(folder + "/db", "--page", "2") as server:
                done = whence("graph", STALE, "--url", server.url, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(json.loads(done.stdout)["nodes"]), 2)
                self.assertEqual(whence("graph", "cu_nobody", "--url", server.url).returncode, 3)

    def test_pages_of_paths_are_joined(self):
        done, asked = ask_canned("path", "cu_a", "cu_b", "--kind", "all", "--json",
                                 answers=[result(tx=1, complete=False, reason="limit", cursor="c", paths=[1]),
                                          result(tx=1, complete=True, paths=[2])])
        self.assertEqual((done.returncode, json.loads(done.stdout)["paths"]), (0, [1, 2]))
        self.assertEqual(asked[1]["params"], {"cursor": "c"})

    def test_stats_take_a_moment(self):
        _, asked = ask_canned("stats", "--as-of", "2025-01-01T00:00:00Z", "--json", answers=[result(tx=1)])
        self.assertEqual(asked[0]["params"], {"as_of": "2025-01-01T00:00:00Z"})

    def test_refusals_of_http_are_errors_of_rpc_too(self):
        for status, code in [(401, -32010), (403, -32011)]:
            done, _ = ask_canned("rpc", "node.get", "{}", answers=[{"error": "no"}], status=status)
            self.assertEqual((done.returncode, json.loads(done.stderr)["code"]), (1, code))

    def test_error_codes_become_exit_codes(self):
        for code, exit_code in [(-32020, 3), (-32021, 3), (-32022, 3), (-32602, 4), (-32030, 4), (-32031, 4), (-32040, 5), (-32041, 5),
                                (-32042, 5), (-32801, 6), (-32051, 6), (-32603, 1), (-32010, 1), (-32081, 1)]:
            done, _ = ask_canned("influence", "cu_a", answers=[{"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m"}}])
            self.assertEqual(done.returncode, exit_code, code)

    def test_a_server_that_drains_is_unreachable(self):
        done, _ = ask_canned("influence", "cu_a", answers=[{"error": "draining"}], status=503)
        self.assertEqual(done.returncode, 6)

    def test_an_answer_that_is_not_json_rpc_is_a_failure(self):
        done, _ = ask_canned("influence", "cu_a", answers=["hello"])
        self.assertEqual(done.returncode, 1)

    def test_no_server_is_unreachable(self):
        server, _ = canned()
        port = server.server_port
        server.server_close()
        done = whence("influence", "cu_a", "--url", f"http://127.0.0.1:{port}")
        self.assertEqual(done.returncode, 6)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)

    def test_data_cannot_control_the_terminal(self):
        done, _ = ask_canned("influence", "cu_a", answers=[result(tx=1, complete=True, nodes=[{"ref": "a\x1b[2J\nb", "influence": 1}])])
        self.assertIn("a\\u001b[2J\\nb", done.stdout)
        self.assertNotIn("\x1b", done.stdout)


if __name__ == "__main__":
    unittest.main()
