"""The Model Context Protocol without its packages: `whence mcp` and `POST /mcp` answer alike, bound what they say, and
answer any bytes with an error of the protocol."""
import http.client
import json
import random
import tempfile
import unittest

from records import unit
from whence_e2e import Server, seed_of_run, whence

LAST = "Response:resp_20251011_00126"
STALE = "ContextUnit:cu_values_yaml_002"
WORDS_OF_MESSAGES = ['{"jsonrpc":"2.0"', ',"id":1', ',"method":"tools/call"', ',"params":{', '"name":"why"', '"arguments":{',
                     f'"ref":"{LAST}"', '"limit":', "-1", "9" * 30, "}", "]", "[", ",", '"', "\\u0000", "\udcff", "null", " "]


def call(tool, **arguments):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def over_http(server, text, **more):
    """Status and body of `POST /mcp`, with the headers `more`."""
    connection = http.client.HTTPConnection(server.authority, timeout=60)
    try:
        connection.request("POST", "/mcp", body=text.encode(errors="surrogateescape"), headers={"Content-Type": "application/json", **more})
        with connection.getresponse() as response:
            return response.status, response.read()
    finally:
        connection.close()


class McpTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = folder.name + "/db"
        self.assertEqual(whence("demo", "--db", self.db).returncode, 0)

    def serve(self):
        server = Server(self.db)
        self.addCleanup(server.kill)
        return server

    def ask(self, server, tool, **arguments):
        """The answer of a tool over HTTP; its result."""
        status, body = over_http(server, json.dumps(call(tool, **arguments)))
        self.assertEqual(status, 200, body)
        return json.loads(body)["result"]

    def test_what_is_purged_is_marked_in_the_text(self):
        server = self.serve()
        server.rpc("records.purge", {"refs": [STALE]})
        for tool, arguments in (("why", {"ref": LAST}), ("cite", {"ref": LAST})):
            text = self.ask(server, tool, **arguments)["content"][0]["text"]
            self.assertRegex(text, STALE + r".*\[purged\]", tool)

    def test_an_error_names_the_arguments_of_its_tool(self):
        text = self.ask(self.serve(), "diff", ref=LAST)["content"][0]["text"]
        self.assertIn("give either `a` and `b`, or `ref`, `before` and `after`", text)
        self.assertNotIn("as_of", text)

    def test_both_ways_answer_alike(self):
        asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}},
                 {"jsonrpc": "2.0", "id": "x", "method": "tools/list"},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "whence://record/" + STALE}},
                 call("why", ref=LAST), call("impact", refs=[STALE]), call("cite", ref=LAST), call("search", text="ArgoCD"),
                 call("query", cypher="MATCH (n:Topic) RETURN n"), call("query", cypher="MATCH (n RETURN n"),
                 call("diff", ref=LAST, before="6", after="8"), call("why", ref="Response:none"), call("none")]
        lines = "".join(json.dumps(each) + "\n" for each in asked)
        run = whence("mcp", "--db", self.db, stdin=lines)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        server = self.serve()
        bodies = [over_http(server, json.dumps(each)) for each in asked]
        self.assertEqual([body.decode() for _, body in bodies if body], run.stdout.splitlines())
        self.assertEqual([status for status, body in bodies if not body], [202])
        self.assertEqual(json.loads(bodies[0][1])["result"]["protocolVersion"], "2024-11-05")

    def test_each_request_of_2026_07_28_says_by_what_it_is_answered(self):
        key = "io.modelcontextprotocol/"
        def stateless(method, revision="2026-07-28", **params):
            meta = {key + "protocolVersion": revision, key + "clientCapabilities": {}}
            return {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": meta, **params}}
        def head(method, name=None, revision="2026-07-28"):
            return {"MCP-Protocol-Version": revision, "Mcp-Method": method, **({"Mcp-Name": name} if name else {})}
        discover = stateless("server/discover")
        uri = "whence://record/" + STALE
        asked = [(discover, head("server/discover")), (stateless("tools/list"), head("tools/list")),
                 (stateless("tools/call", name="why", arguments={"ref": LAST}), head("tools/call", "why")),
                 (stateless("resources/read", uri=uri), head("resources/read", "=?base64?d2hlbmNlOi8vcmVjb3JkL0NvbnRleHRVbml0OmN1X3ZhbHVlc195YW1sXzAwMg==?="))]
        server = self.serve()
        bodies = [over_http(server, json.dumps(each), **fields) for each, fields in asked]
        self.assertEqual([status for status, _ in bodies], [200] * len(asked), bodies)
        run = whence("mcp", "--url", server.url, stdin="".join(json.dumps(each) + "\n" for each, _ in asked))
        self.assertEqual([body.decode() for _, body in bodies], run.stdout.splitlines())
        results = [json.loads(body)["result"] for _, body in bodies]
        for result in results:
            self.assertEqual(result["resultType"], "complete")
            self.assertEqual(result["_meta"][key + "serverInfo"]["name"], "whence")
        self.assertEqual(results[0]["supportedVersions"], ["2026-07-28"])
        self.assertEqual(sorted(results[0]["capabilities"]), ["prompts", "resources", "tools"])
        self.assertEqual([(r.get("ttlMs"), r.get("cacheScope")) for r in results], [(300000, "public")] * 2 + [(None, None), (0, "private")])
        bare = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
        named = stateless("tools/call", name="why", arguments={"ref": LAST})
        no_capabilities = stateless("tools/list")
        del no_capabilities["params"]["_meta"][key + "clientCapabilities"]
        for each, fields, status, code in [
                (bare, head("tools/list"), 400, -32602), ({**bare, "method": "server/discover"}, {}, 400, -32602),
                (no_capabilities, head("tools/list"), 400, -32602),
                (stateless("tools/list", "2027-01-01"), head("tools/list", revision="2027-01-01"), 400, -32022),
                (bare, head("tools/list", revision="1999-01-01"), 400, -32022), (stateless("tools/list"), {}, 400, -32020),
                (stateless("tools/list"), head("tools/list", revision="2025-11-25"), 400, -32020),
                (stateless("tools/list"), head("tools/call"), 400, -32020), (named, head("tools/call"), 400, -32020),
                (named, head("tools/call", "cite"), 400, -32020), (named, head("tools/call", "=?base64?!?="), 400, -32020),
                (stateless("ping"), head("ping"), 404, -32601), (stateless("initialize"), head("initialize"), 404, -32601),
                (stateless("none"), head("none"), 404, -32601), (stateless("tools/call", name="none"), head("tools/call", "none"), 200, -32602),
                (stateless("resources/read", uri="whence://none"), head("resources/read", "whence://none"), 200, -32602)]:
            with self.subTest(each=each, fields=fields):
                got, body = over_http(server, json.dumps(each), **fields)
                error = json.loads(body)["error"]
                self.assertEqual((got, error["code"]), (status, code), error)
                if code == -32022:
                    self.assertEqual(error["data"], {"supported": ["2026-07-28"], "requested": fields["MCP-Protocol-Version"]})
        self.assertEqual(over_http(server, json.dumps([discover]), **head("server/discover"))[0], 400)
        notified = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        self.assertEqual(over_http(server, json.dumps(notified), **{"MCP-Protocol-Version": "2026-07-28"}), (202, b""))

    def test_arguments_as_agents_write_them(self):
        server = self.serve()
        right = lambda tool, **arguments: self.ask(server, tool, **arguments)["structuredContent"]
        why = right("why", ref=LAST, depth=1, as_of="8")
        for arguments in [{"ref": LAST, "depth": "1", "as_of": 8}, {"ref": LAST, "depth": 1.0, "as_of": 8.0, "limit": None}]:
            self.assertEqual(right("why", **arguments), why, arguments)
        impact = right("impact", refs=[STALE])
        for refs in [f'["{STALE}"]', STALE, json.dumps([STALE], indent=1)]:
            self.assertEqual(right("impact", refs=refs), impact, refs)
        without = right("without", refs=[STALE], sets=True)
        self.assertEqual(right("without", refs=STALE, sets="true"), without)
        self.assertEqual(right("query", cypher="RETURN $a AS a", params='{"a":[1,"x"]}')["rows"], [[[1, "x"]]])
        made = right("record", content="Said.", sources=json.dumps([{"ref": STALE, "weight": "0.5"}, {"content": "A text.", "weight": 0.5}]))
        record = server.rpc("node.get", {"ref": made["ref"], "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual([use["weight"] for use in record["context_units"]], [0.5, 0.5])
        whole = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "why", "arguments": json.dumps({"ref": LAST, "depth": 1, "as_of": 8})}}
        self.assertEqual(json.loads(over_http(server, json.dumps(whole))[1])["result"]["structuredContent"], why)
        for arguments, words in [({"ref": LAST, "depth": "three"}, "/depth: must be of type integer"), ({"ref": None}, "/ref: is required"),
                                 ({"ref": LAST, "depth": "1.5"}, "/depth: must be of type integer")]:
            self.assertIn(words, self.ask(server, "why", **arguments)["content"][0]["text"])
        self.assertIn("/params: must be of type object", self.ask(server, "query", cypher="RETURN 1", params='{"a":1,"a":2}')["content"][0]["text"])
        self.assertIn("/refs: must be of type array", self.ask(server, "impact", refs="[broken")["content"][0]["text"])

    def test_what_says_a_word_most_is_found_first(self):
        server = self.serve()
        server.rpc("records.write", {"records": [
            unit("much", content="zebra zebra zebra"), unit("little", content="a zebra " + "and other animals " * 60)]})
        found = self.ask(server, "search", text="Zebra")["structuredContent"]
        self.assertEqual([node["ref"] for node in found["nodes"]], ["ContextUnit:cu_much", "ContextUnit:cu_little"])
        self.assertEqual((found["total"], found["complete"], found["nodes"][0]["member"]), (2, True, "content"))
        self.assertIn("zebra", found["nodes"][1]["snippet"])
        first = self.ask(server, "search", text="zebra", limit=1)
        self.assertIn(first["structuredContent"]["cursor"], first["content"][0]["text"])
        second = self.ask(server, "search", text="zebra", limit=1, cursor=first["structuredContent"]["cursor"])["structuredContent"]
        self.assertEqual([node["ref"] for node in second["nodes"]], ["ContextUnit:cu_little"])
        self.assertIn("no word", self.ask(server, "search", text=" ")["content"][0]["text"])

    def test_other_forms_of_words_are_found_and_near_words_are_said(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            server.rpc("records.write", {"records": [{"$type$": "ContextUnit", "id": "cu_bill", "type": "User", "source": "s", "version": 1,
                                                      "timestamp": "2026-01-01T00:00:00Z", "content": "Bills are due in June."}]})
            for text, exact, refs in (("billed", False, ["ContextUnit:cu_bill"]), ("billed", True, []), ("bills", True, ["ContextUnit:cu_bill"])):
                found = self.ask(server, "search", text=text + " due ", exact=exact)["structuredContent"]
                self.assertEqual([each["ref"] for each in found["nodes"]], refs, (text, exact))
            near = self.ask(server, "search", text="Junne bills")
            self.assertEqual(near["structuredContent"]["suggestions"], ["june bills"])
            self.assertIn("This finds something: june bills", near["content"][0]["text"])

    def test_a_batch_is_answered_in_its_order(self):
        server = self.serve()
        status, body = over_http(server, json.dumps([call("why", ref=LAST), {"method": "x"}, 7]))
        self.assertEqual((status, [list(each)[-1] for each in json.loads(body)]), (200, ["result", "error"]))

    def test_the_xml_of_a_message_is_a_resource(self):
        server = self.serve()
        attachment = server.rpc("attachment.list", {})["records"][0]
        read = lambda uri: json.loads(over_http(server, json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}))[1])
        content = read("whence://blob/" + attachment["hash"])["result"]["contents"][0]
        self.assertEqual(content["mimeType"], "application/xml")
        self.assertEqual(content["text"], server.rpc("attachment.get", {"hash": attachment["hash"]})["xml"])
        for uri in ["whence://blob/" + "0" * 64, "whence://blob/", "whence://none/x", ""]:
            self.assertEqual(read(uri)["error"]["code"], -32002, uri)

    def test_what_an_agent_records_has_its_sources(self):
        server = self.serve()
        made = self.ask(server, "record", content="Said.", prompt="Why?", sources=[
            {"ref": STALE, "weight": 0.75}, {"content": "A text.", "source": "file:a.md", "weight": 0.25}, {"ref": LAST}])
        ref = made["structuredContent"]["ref"]
        record = server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["content"], record["prompt"], record["agent"], record["model"]), ("Said.", "Why?", "mcp", "unknown"))
        self.assertEqual([use["weight"] for use in record["context_units"]], [0.75, 0.25])
        ancestors = {node["ref"] for node in server.rpc("lineage.ancestors", {"ref": ref})["nodes"]}
        self.assertTrue({STALE, LAST} <= ancestors, ancestors)
        refused = self.ask(server, "record", content="x", sources=[{"ref": LAST, "weight": 1}])
        self.assertTrue(refused["isError"])
        self.assertIn("only a ContextUnit has a weight", refused["content"][0]["text"])

    def test_a_query_answers_rows_with_refs_and_labels(self):
        server = self.serve()
        asked = self.ask(server, "query", params={"id": "resp_20251011_00126"}, cypher="""
            MATCH (u:ContextUnit)-[used:USED_IN]->(r:Response {id: $id})
            RETURN u, used, used.weight AS weight, null AS nil ORDER BY weight DESC""")
        self.assertEqual(asked["content"][0]["text"].splitlines(), [
            "u | used | weight | nil",
            "ContextUnit:cu_values_yaml_005  Helm values configuration, retired cluster removed | -[USED_IN 0.65]-> | 0.65 | null",
            "ContextUnit:cu_argo_appset_001  ArgoCD AppSets with SCM filtering | -[USED_IN 0.35]-> | 0.35 | null"])
        self.assertEqual(asked["structuredContent"], {
            "tx": 12, "complete": True, "columns": ["u", "used", "weight", "nil"],
            "rows": [["ContextUnit:cu_values_yaml_005", "-[USED_IN 0.65]->", 0.65, None],
                     ["ContextUnit:cu_argo_appset_001", "-[USED_IN 0.35]->", 0.35, None]]})
        self.assertEqual(self.ask(server, "query", cypher="MATCH (n) RETURN count(*) AS n", as_of="0")["structuredContent"]["rows"], [[0]])
        some = self.ask(server, "query", cypher="UNWIND range(1, 100) AS n RETURN n", limit=3)
        self.assertEqual((some["structuredContent"]["rows"], some["structuredContent"]["complete"]), ([[1], [2], [3]], False))
        self.assertIn("There are more rows", some["content"][0]["text"])

    def test_a_query_that_fails_says_where(self):
        server = self.serve()
        for arguments, words in [({"cypher": "MATCH (n RETURN n"}, "line 1, column 10"), ({"cypher": "CREATE (n)"}, "WritingRefused"),
                                 ({"cypher": "RETURN $a"}, "$a"), ({}, "/cypher: is required"), ({"cypher": "RETURN 1", "params": 7}, "/params")]:
            with self.subTest(arguments):
                refused = self.ask(server, "query", **arguments)
                self.assertTrue(refused["isError"])
                self.assertIn(words, refused["content"][0]["text"])

    def test_the_tool_query_describes_the_graph(self):
        run = whence("mcp", "--db", self.db, stdin='{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        tool = next(each for each in json.loads(run.stdout)["result"]["tools"] if each["name"] == "query")
        lines = tool["description"].splitlines()
        labels = {line.split(":")[0]: line for line in lines if ": " in line}
        self.assertIn("token_count", labels["Response"])
        self.assertEqual(labels["GENERATED_FROM"], "GENERATED_FROM: Answer -> PromptContext")
        self.assertTrue(labels["USED_IN {weight}"].endswith(" -> Response"))
        described = self.serve().rpc("rpc.discover")["x-whence-types"]
        names = {row["name"] for row in described["records"] if row["is_node"]} | {row["name"] for row in described["edges"]}
        self.assertEqual(names - {name.split(" ")[0] for name in labels}, set())
        self.assertLess(len(tool["description"]), 10000)

    def test_every_answer_keeps_to_its_bytes(self):
        server = self.serve()
        units = [unit(f"{i}", content=f"words of unit {i} " + "é" * 300) for i in range(50)]
        response = {"$type$": "Response", "id": "resp_big", "agent": "a", "model": "m", "timestamp": "2025-10-12T18:00:00Z",
                    "context_units": [{"context_unit_id": each["id"], "weight": 0.02} for each in units]}
        server.rpc("records.write", {"records": units + [response]})
        for tool, arguments in [("why", {"ref": "resp_big", "limit": 10000}), ("cite", {"ref": "resp_big", "limit": 1000}),
                                ("search", {"text": "words unit", "limit": 1000}),
                                ("query", {"cypher": "MATCH (u:ContextUnit) RETURN u, u.content", "limit": 1000})]:
            for most in (2000, 20000, 60000):
                with self.subTest(tool=tool, most=most):
                    result = self.ask(server, tool, max_bytes=most, **arguments)
                    text, data = result["content"][0]["text"], result["structuredContent"]
                    self.assertLessEqual(len(text.encode()) + len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()), most)
                    self.assertTrue(data["complete"] or "more" in text or "Not all" in text, text[-200:])

    def test_any_bytes_get_an_answer(self):
        server = self.serve()
        seed = seed_of_run()
        rng = random.Random(seed)
        for _ in range(300):
            text = "".join(rng.choice(WORDS_OF_MESSAGES) for _ in range(rng.randrange(1, 14)))
            status, body = over_http(server, text)
            with self.subTest(seed=seed, text=text):
                self.assertIn(status, (200, 202))
                for answer in [json.loads(body)] if status == 200 else []:
                    for each in answer if isinstance(answer, list) else [answer]:
                        self.assertTrue("error" in each or "result" in each, each)
        self.assertEqual(self.ask(server, "why", ref=LAST)["isError"], False)


if __name__ == "__main__":
    unittest.main()
