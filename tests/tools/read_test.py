"""The reading verbs: the same answers from a server and from a store, tables, JSON, exit codes."""
import fcntl
import http.server
import json
import os
import struct
import subprocess
import tempfile
import termios
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
    (["search", "helm val"], "nodes"),
    (["search", "HÉLM", "--types", "ContextUnit", "--where", "source^=file:"], "nodes"),
    (["ancestors", LAST, "--form", "graph", "--depth", "2", "--node-types", "ContextUnit,Response"], "edges"),
    (["ancestors", LAST, "--edge-types", "USED_IN", "--min-weight", "0.3", "--between", "2025-01-01T00:00:00Z,"], "nodes"),
    (["descendants", STALE, "--as-of", "2"], "nodes"),
    (["graph", STALE, "--up", "1", "--down", "1"], "frontier"),
    (["graph", STALE, "--up", "1", "--down", "1", "--reduced"], "reduced_edges"),
    (["path", STALE, LAST, "--kind", "all"], "paths"),
    (["path", STALE, LAST, "--dominators"], "dominators"),
    (["influence", LAST], "nodes"),
    (["influence", LAST, "--order", "depth"], "nodes"),
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
CHANGING = ("uptime_s", "store_bytes", "time", "search")  # of server.info


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
        self.assertEqual(shown, ["DEPTH  WEIGHT  REF                             LABEL",
                                 "    1    0.65  ContextUnit:cu_values_yaml_005  Helm values configuration, retired cluster removed",
                                 "    1    0.35  ContextUnit:cu_argo_appset_001  ArgoCD AppSets with SCM filtering"])

    def test_tables_say_what_a_node_is(self):
        for args in (["ancestors", LAST, "--form", "graph"], ["descendants", STALE], ["influence", LAST], ["impact", STALE],
                     ["path", STALE, LAST], ["graph", STALE], ["diff", "resp_20251010_00124", LAST]):
            with self.subTest(args):
                shown = whence(*args, "--db", self.db).stdout
                self.assertRegex(shown, r"(?m)(REF|NODE) +LABEL$")
                self.assertRegex(shown, r"(?m) (Helm values configuration.*|Which clusters does the rollout go to now\?)$")
        hidden = whence("ancestors", LAST, "--include", "status", "--db", self.db).stdout
        self.assertNotIn("LABEL", hidden)

    def test_records_are_part_of_what_get_gives_to_programs(self):
        node = json.loads(whence("get", STALE, "--db", self.db, "--json").stdout)["nodes"][0]
        self.assertEqual((node["record"]["source"], node["status"]), ("file:argocd/values.yaml", "deprecated"))
        node = json.loads(whence("get", STALE, "--include", "status", "--db", self.db, "--json").stdout)["nodes"][0]
        self.assertNotIn("record", node)

    def test_a_message_comes_once(self):
        one = whence("get", "cu_nobody", "--db", self.db)
        self.assertEqual(one.stderr, "whence: --refs: ContextUnit:cu_nobody does not exist\n")
        two = whence("get", "cu_nobody", "cu_other", "--db", self.db)
        self.assertEqual(two.stderr.splitlines(), ["whence: --refs: ContextUnit:cu_nobody does not exist",
                                                   "  --refs, number 2: ContextUnit:cu_other does not exist"])

    def test_what_was_not_there_yet_is_said_with_its_moment(self):
        for args in (["get", LAST], ["why", LAST], ["show", LAST], ["impact", LAST], ["history", LAST], ["versions", "cu_values_yaml_005"]):
            with self.subTest(args):
                done = whence(*args, "--as-of", "2", "--db", self.db)
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertRegex(done.stderr, r"^whence: .*\w does not exist at transaction 2 \(20\d\d-\d\d-\d\dT[\d:.]+Z\)\n$")
        before = whence("get", LAST, "--as-of", "2000-01-01", "--db", self.db)
        self.assertIn("does not exist at transaction 0 (before the first)", before.stderr)

    def test_errors_are_told_in_the_words_of_the_command_line(self):
        for args, said in [(["find", "Response", "--where", "scor=1"], "--where scor: "),
                           (["find", "Response", "--order-by", "nothing"], "--order-by: "),
                           (["ancestors", LAST, "--limit", "0"], "--limit: "),
                           (["ancestors", LAST, "--edge-types", "USED_IN,USED"], "--edge-types, number 2: "),
                           (["ancestors", LAST, "--as-of", "never"], "--as-of: "),
                           (["ancestors", "resp_none"], "--ref: "),
                           (["path", LAST, "resp_none"], "--to: "),
                           (["impact", STALE, "cu_none"], "--refs, number 2: "),
                           (["blame", "--responses", LAST, "--responses", "resp_none"], "--responses, number 2: "),
                           (["show", "resp_none"], "--ref: "),
                           (["why", LAST, "--depth", "-1"], "--depth: "),
                           (["find", "Response", "--where-json", "-1"], "--where-json: "),
                           (["query", "RETURN 1", "--as-of", "never"], "--as-of: "),
                           (["export", "--format", "dot", "--ancestors", "resp_none"], "--ancestors: "),
                           (["export", "--format", "dot", "--as-of", "never"], "--as-of: "),
                           (["update", "cu_none", "content=x"], "REF: "),
                           (["update", STALE, "nonsense=x"], "nonsense: "),
                           (["rate", LAST, "3"], "SCORE: "),
                           (["rate", "resp_none", "1"], "REF: "),
                           (["delete", "cu_none"], "REF: "),
                           (["delete", LAST, "cu_none"], "REF, number 2: "),
                           (["purge", "cu_none"], "REF: "),
                           (["replay", "cu_none", "--dry-run"], "REF: ")]:
            with self.subTest(args):
                done = whence(*args, "--db", self.db)
                self.assertNotEqual(done.returncode, 0)
                self.assertTrue(done.stderr.startswith("whence: " + said), done.stderr)
                self.assertNotRegex(done.stderr, r"(?m)(^|[ (])/[a-z]")
        used = whence("delete", "cu_family_006", "--db", self.db)
        self.assertIn("`--force` deletes it all the same", used.stderr)
        nobody = whence("blame", "--of", "prompts", "--db", self.db)
        self.assertEqual(nobody.stderr, "whence: nobody to suspect: of 4 rated answers, 3 of them bad, none rests on such a source\n")
        member = whence("put", "--db", self.db, stdin=json.dumps({"$type$": "Response", "id": "resp_x", "score": 3}))
        self.assertRegex(member.stderr, r"record 0 /")  # a path in what was given is one

    def test_what_is_allowed_is_named(self):
        units = ["cu_values_yaml_002", "cu_values_yaml_005"]
        for args, said in [(["diff", *units, "--include", "zzz"], "with --ancestry it takes record, status and edges"),
                           (["diff", *units, "--include", "record"], "two units are compared by their members"),
                           (["diff", *units, "--basis", "given"], "with --ancestry it takes given, id, text, place, instruction and question"),
                           (["diff", *units, "--ancestry", "--include", "zzz"], "--include: must be one of record, status, edges"),
                           (["find", "Response", "--order-by", "zzz"], "; there are id, tx, "),
                           (["find", "Keyword", "--order-by", "subject"], "no order follows it; there are id, tx, "),
                           (["find", "Response", "--where", "x"], " ^= *= < <= > >="),
                           (["export", "--format", "xml"], ", prov-n, html"),
                           (["find", "Response", "--where", "zzz=1"], "; there are id, tx, ")]:
            with self.subTest(args):
                done = whence(*args, "--db", self.db)
                self.assertIn(done.returncode, (2, 4))
                self.assertIn(said, done.stderr)

    def test_a_search_finds_other_forms_and_says_what_would_be_found(self):
        self.assertIn(STALE, whence("search", "configurations ", "--db", self.db).stdout)
        self.assertTrue(whence("search", "configurations ", "--exact", "--db", self.db).stdout.startswith("0 found"))
        near = whence("search", "helm valeus", "--db", self.db)
        self.assertEqual((near.stdout, near.stderr), ("0 found\n", "whence: this finds something: helm values\n"))

    def test_stats_are_short_unless_all_is_asked_for(self):
        short = whence("stats", "--db", self.db).stdout
        self.assertRegex(short, r"nodes Response +\d")
        self.assertNotRegex(short, r"(?m) 0$")
        self.assertNotIn("epoch", short)
        every = whence("stats", "--all", "--db", self.db).stdout
        self.assertIn("epoch", every)
        self.assertRegex(every, r"(?m) 0$")
    def test_similar_names_are_suggested(self):
        for args, said in [(["ancestor", LAST], "`ancestors`"), (["ancestors", LAST, "--edge-typs", "USED_IN"], "`--edge-types`"),
                           (["ancestors", LAST, "--dept=3"], "`--depth`"), (["find", "Respones"], "`Response`"),
                           (["find", "--type", "ContextUnits"], "`ContextUnit`"),
                           (["ancestors", LAST, "--node-types", "Respons"], "`Response`"),
                           (["ancestors", LAST, "--edge-types", "USED_INN"], "`USED_IN`"),
                           (["ancestors", LAST, "--form", "graf"], "graph"), (["export", "--format", "graphlm"], "`graphml`"),
                           (["import", "--format", "jsonn", "/dev/null"], "`jsonl`"), (["find", "Response", "--where", "agnet=x"], "`agent`")]:
            with self.subTest(args):
                done = whence(*args, *([] if args[0] == "ancestor" else ["--db", self.db]))
                self.assertIn(done.returncode, (2, 4), done.stderr)
                self.assertIn(said, done.stderr)

    def test_one_argument_too_many_is_named(self):
        done = whence("count", "Response", "Topic", "--db", self.db)
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                         (2, 'whence: "Topic" is one argument too many; `whence count --help` shows what is taken'))

    def test_verbs_are_listed_by_what_they_are_for(self):
        shown = whence("--help").stdout
        headings = [line for line in shown.splitlines() if line in ("Look:", "Write:", "Serve:", "Maintain:")]
        self.assertEqual(headings, ["Look:", "Write:", "Serve:", "Maintain:"])
        for line in shown.split("Look:")[1].split("\n\n`")[0].splitlines():
            self.assertLessEqual(len(line), 100)
    def test_why_draws_causes_and_effects(self):
        shown = whence("why", LAST, "--db", self.db)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual(shown.stdout.splitlines()[:3], [
            f"{LAST}  Which clusters does the rollout go to now?  claude-sdk:lazy-broker  claude-3.5-sonnet",
            "\u251c\u2500 USED_IN 0.65 ContextUnit:cu_values_yaml_005  User  file:argocd/values.yaml  "
            "Helm values configuration, retired cluster removed",
            "\u2502  \u251c\u2500 DERIVED_FROM ContextUnit:cu_values_yaml_002  User  file:argocd/values.yaml  "
            "Helm values configuration  [deprecated]"])
        cut = whence("why", LAST, "--depth", "1", "--db", self.db)
        self.assertEqual(cut.stdout.splitlines()[2], "\u2502  \u2514\u2500 2 more")
        self.assertEqual((cut.returncode, cut.stderr), (0, DEPTH_NOTE))
        effects = whence("why", "cu_values_yaml_002", "--effects", "--db", self.db).stdout
        self.assertIn("\u251c\u2500 USED_IN 0.8 Response:resp_20251010_00124", effects)
        self.assertEqual(effects.count("USED_IN 0.65 Response:resp_20251011_00126"), 1)  # below the version, once
        self.assertIn("(see above)", effects)
        before = whence("why", "cu_values_yaml_002", "--effects", "--as-of", "1", "--db", self.db).stdout
        self.assertEqual(before.count("\n"), 2)

    def test_why_says_that_there_is_nothing(self):
        done = whence("why", "Topic:family-planning-2025", "--db", self.db)
        self.assertEqual((done.returncode, done.stdout), (0, "Topic:family-planning-2025  Family planning\n"))
        self.assertEqual(done.stderr, "whence: nothing is recorded that it was made from\n")
        self.assertEqual(whence("why", "cu_nobody", "--db", self.db).returncode, 3)

    def test_why_says_one_thing_of_a_leaf(self):
        done = whence("why", "--effects", LAST, "--db", self.db)
        self.assertEqual((done.returncode, done.stderr), (0, "whence: nothing is recorded that was made from it\n"))

    def test_why_without_a_step_keeps_its_direction(self):
        for args in ((LAST,), (STALE, "--effects")):
            done = whence("why", *args, "--depth", "0", "--db", self.db)
            self.assertEqual((done.returncode, done.stderr), (0, DEPTH_NOTE), args)
            self.assertRegex(done.stdout.splitlines()[1], r"\d more$", args)
        none = whence("why", "Topic:family-planning-2025", "--depth", "0", "--db", self.db)
        self.assertEqual((none.returncode, none.stderr), (0, "whence: nothing is recorded that it was made from\n"))

    def test_a_range_may_be_open_at_either_end(self):
        moment = "2025-10-10T00:00:00Z"
        listed = [whence("ancestors", LAST, "--between", text, "--db", self.db) for text in (f"{moment},null", f"{moment},", f"null,{moment}", f",{moment}")]
        self.assertEqual([done.returncode for done in listed], [0] * 4, listed)
        self.assertEqual(listed[0].stdout, listed[1].stdout)
        self.assertEqual(listed[2].stdout, listed[3].stdout)
        self.assertNotEqual(listed[0].stdout, listed[2].stdout)

    def test_a_misspelt_flag_is_named_before_what_it_was_to_give(self):
        done = whence("get", "--ref", "--db", self.db)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no flag of get is called \"--ref\"", done.stderr)
        self.assertIn("`--refs`", done.stderr)

    def test_a_path_with_its_ends_exchanged_is_found(self):
        there = whence("path", STALE, LAST, "--db", self.db)
        back = whence("path", LAST, STALE, "--db", self.db)
        self.assertEqual((back.returncode, back.stdout), (0, there.stdout))
        self.assertEqual(back.stderr, f"whence: nothing leads from {LAST} to {STALE}; from the second to the first this does:\n")
        self.assertTrue(json.loads(whence("path", LAST, STALE, "--json", "--db", self.db).stdout)["reversed"])

    def test_why_gives_programs_the_nodes_and_edges(self):
        answer = json.loads(whence("why", LAST, "--db", self.db, "--json").stdout)
        self.assertEqual(answer["nodes"][0]["ref"], LAST)
        self.assertEqual(answer["nodes"][0]["record"]["agent"], "claude-sdk:lazy-broker")
        self.assertTrue(answer["edges"])

    def test_a_trace_is_a_tree(self):
        shown = whence("trace", "Keyword:529-plan", "--db", self.db)
        self.assertEqual(shown.stdout.splitlines(), [
            "Keyword:529-plan",
            f"\u2514\u2500 EXTRACTED_FROM 0.95 {ANSWER}  llm-response  msg_2",
            "   \u2514\u2500 RENDERED_AS Response:resp_20251012_00127  "
            "How much should we save for college?  claude-sdk:lazy-broker  gpt-4-turbo",
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
        self.assertIn("0.3      3  Summary:family-planning-2025-v1", shown)

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

    def test_a_flag_in_front_of_the_verb_is_told_its_place(self):
        done = whence("--db", self.db, "count", "Response")
        self.assertEqual((done.returncode, done.stderr), (2, "whence: flags stand behind the verb: `whence count --db ...`\n"))

    def test_colour_can_be_asked_for(self):
        for args, is_coloured in [([], False), (["--color", "always"], True), (["--color", "never"], False), (["--color", "auto"], False)]:
            shown = whence("why", LAST, *args, "--db", self.db).stdout
            self.assertEqual("\x1b[32mResponse:" in shown, is_coloured, args)
        self.assertEqual(whence("why", LAST, "--color", "red", "--db", self.db).returncode, 2)

    def test_a_tree_fits_the_terminal(self):
        main, side = open_terminal(self)
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        done = subprocess.run([WHENCE, "why", LAST, "--color", "never", "--db", self.db], stdout=side, stderr=subprocess.PIPE, env=clean_env(TERM="xterm"))
        os.close(side)
        seen = os.read(main, 65536).decode().splitlines()
        os.close(main)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\u2026", seen[1])
        self.assertLessEqual(max(map(len, seen)), 80)

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


class HotNodeTest(unittest.TestCase):
    def test_a_tree_of_a_much_used_unit_counts_what_it_leaves_out(self):
        uses = 1_234
        with tempfile.TemporaryDirectory() as folder:
            records = [unit("hot")] + [{"$type$": "Response", "id": f"resp_{i:05}", "timestamp": "2025-10-10T10:00:00Z", "agent": "a",
                                        "model": "m", "context_units": [{"context_unit_id": "cu_hot", "weight": 1}]} for i in range(uses)]
            loaded = whence("load", "-", "--db", folder + "/db", stdin=lines(*records))
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
            shown = whence("why", "cu_hot", "--effects", "--db", folder + "/db")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            drawn = shown.stdout.splitlines()
            self.assertEqual(len(drawn), 52)
            self.assertEqual(drawn[-1], "\u2514\u2500 and 1,184 more")


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
        node = {"ref": "Response:r", "share": 0.25, "depth": 2}
        path = {"weight": 1, "refs": ["a", "x", "b"]}
        for args, members, want in [
                (["path", "a", "b"], {"paths": [path], "dominators": ["x", "y"]},
                 ["WEIGHT  PATH", "     1  a \u2192 x \u2192 b", "dominators: x \u2192 y"]),
                (["path", "a", "b"], {"paths": [], "dominators": []}, ["dominators: none"]),
                (["path", "a", "b"], {"paths": [path]}, ["WEIGHT  PATH", "     1  a \u2192 x \u2192 b"]),
                (["impact", "a"], {"nodes": [node | {"dominator": "ContextUnit:c"}, node | {"dominator": None}]},
                 ["SHARE  DEPTH  REF         DOMINATOR", " 0.25      2  Response:r  ContextUnit:c",
                  " 0.25      2  Response:r"]),
                (["impact", "a"], {"nodes": [node]},
                 ["SHARE  DEPTH  REF", " 0.25      2  Response:r"]),
                (["graph", "a"], {"nodes": [], "edges": [], "frontier": [], "reduced_edges": 3}, ["reduced edges: 3"]),
                (["graph", "a"], {"nodes": [], "edges": [], "frontier": []}, [])]:
            with self.subTest(args=args, members=members):
                done, _ = ask_canned(*args, answers=[result(tx=1, complete=True, **members), result(tx=1, nodes=[], paths=[])])
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = [line.rstrip() for line in done.stdout.splitlines()]
                self.assertEqual(shown, want)

    def test_another_order_is_asked_for(self):
        answer = result(tx=1, complete=True, nodes=[])
        for args, order in [(["influence", "cu_a"], None), (["impact", "cu_a", "--order", "depth"], "depth"),
                            (["blame", "resp_a", "--order", "bad"], "bad")]:
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
                                (-32042, 5), (-32801, 6), (-32051, 6), (-32603, 1), (-32010, 1), (-32081, 8)]:
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
        done, _ = ask_canned("influence", "cu_a", answers=[result(tx=1, complete=True, nodes=[{"ref": "a\x1b[2J\nb", "share": 1}])])
        self.assertIn("a\\u001b[2J\\nb", done.stdout)
        self.assertNotIn("\x1b", done.stdout)


if __name__ == "__main__":
    unittest.main()
