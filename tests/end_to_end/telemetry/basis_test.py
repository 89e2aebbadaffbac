"""Claim: every edge of a cause says how it is known, wherever edges are written, and walks can be kept to some of them; instructions
and questions have no part in shares unless asked for; what a response names and nobody knows is stood for.

Method: spans and records by hand against real servers; the right value stands beside each.
"""
import json
import tempfile
import unittest
from pathlib import Path

from support.otlp import send, span
from support.program import Server, whence
from support.wire_case import FreshServerCase

START, SECOND = 1_790_000_000_000_000_000, 1_000_000_000
T, OTHER = "a" * 32, "b" * 32


def one(n, begin, end, attributes, parent=None, trace=T, links=()):
    return span(trace, f"{n:016x}", "s", START + begin * SECOND, START + end * SECOND, attributes, parent and f"{parent:016x}", links=links)


def said(*messages):
    return json.dumps([{"role": role, "parts": parts if isinstance(parts, list) else [{"type": "text", "content": parts}]} for role, parts in messages])


def chat(n, begin, end, given=(), answer="", parent=None, trace=T, links=(), **more):
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **{k.replace("__", "."): v for k, v in more.items()}}
    if given:
        attributes["gen_ai.input.messages"] = said(*given)
    if answer:
        attributes["gen_ai.output.messages"] = said(("assistant", answer))
    return one(n, begin, end, attributes, parent, trace, links)


def tool(n, begin, end, result="", call="", parent=None, trace=T):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
    if call:
        attributes["gen_ai.tool.call.id"] = call
    if result:
        attributes["gen_ai.tool.call.result"] = result
    return one(n, begin, end, attributes, parent, trace)


def retrieval(n, begin, end, documents, parent=None):
    return one(n, begin, end, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "what is it",
                               "gen_ai.retrieval.documents": json.dumps(documents)}, parent)


def response(n, trace=T):
    return f"Response:resp_{trace}_{n:016x}"


def unit(n, trace=T):
    return f"ContextUnit:cu_{trace}_{n:016x}"


class BasisTest(FreshServerCase):
    def example(self):
        """One call with a cause of each basis: a linked answer, a tool by its call's id, a passage by its text, a tool by its place."""
        send(self.server, [
            chat(1, 0, 1, [("user", "Why?")], "Because of this.", trace=OTHER),
            one(9, 0, 9, {"gen_ai.operation.name": "invoke_workflow"}),
            tool(2, 1, 2, "noon", "call_1", 9), retrieval(3, 1, 2, [{"id": "faq.md", "content": "On June 30."}], 9), tool(4, 1, 2, parent=9),
            chat(5, 3, 4, [("system", "Be short."), ("user", "On June 30. When?"),
                           ("tool", [{"type": "tool_call_response", "id": "call_1", "response": "noon"}])], "Then.", 9, links=[(OTHER, f"{1:016x}")])])

    def causes(self, ref=None, **params):
        edges = self.server.rpc("lineage.ancestors", {"ref": ref or response(5), "form": "edges", "depth": 1, **params})["edges"]
        return {(e["from"].split(":")[0], e["basis"], e.get("role")) for e in edges if e["to"] == (ref or response(5))}

    def test_of_many_sources_with_one_text_the_latest_are_causes(self):
        """So a trace makes no product of its tools and its calls, and the response says that there were more."""
        tools = [tool(n, n, n + 1, "The same result.", parent=999) for n in range(1, 101)]
        calls = [chat(500 + n, 200, 201, [("user", "The same result.")], f"Told {n}.", 999) for n in range(3)]
        few = [tool(1, 1, 2, "The same result.", trace=OTHER), chat(2, 3, 4, [("user", "The same result.")], "Told.", trace=OTHER)]
        send(self.server, [one(999, 0, 300, {"gen_ai.operation.name": "invoke_agent"}), *tools, *calls, *few])
        for n in range(3):
            edges = self.server.rpc("lineage.ancestors", {"ref": response(500 + n), "form": "edges", "depth": 1})["edges"]
            self.assertEqual({e["from"] for e in edges}, {unit(each) for each in range(37, 101)})
            self.assertEqual({e["basis"] for e in edges}, {"text"})
            self.assertIs(self.attributes(response(500 + n))["causes_left_out"], True)
        self.assertNotIn("causes_left_out", self.attributes(response(2, OTHER)))

    def test_by_place_the_latest_are_causes(self):
        tools = [tool(n, n, n + 1, parent=999) for n in range(1, 101)]
        send(self.server, [one(999, 0, 300, {"gen_ai.operation.name": "invoke_agent"}), *tools, chat(500, 200, 201, (), "Told.", 999)])
        edges = self.server.rpc("lineage.ancestors", {"ref": response(500), "form": "edges", "depth": 1})["edges"]
        self.assertEqual({e["from"] for e in edges}, {unit(each) for each in range(37, 101)})
        self.assertIs(self.attributes(response(500))["causes_left_out"], True)

    def attributes(self, ref):
        return self.server.rpc("node.get", {"ref": ref, "include": ["record"]})["nodes"][0]["record"]["attributes"]

    def test_each_basis_is_said_and_kept_to(self):
        self.example()
        every = {("Response", "given", None), ("ContextUnit", "id", None), ("RetrievedChunk", "text", None), ("ContextUnit", "place", None),
                 ("ContextUnit", "given", "instruction"), ("ContextUnit", "given", "question")}
        self.assertEqual(self.causes(), every)
        for bases, want in ((["text"], {e for e in every if e[1] == "text"}), (["id", "place"], {e for e in every if e[1] in ("id", "place")}),
                            (["given"], {e for e in every if e[1] == "given"}), (["question"], {e for e in every if e[2] == "question"})):
            self.assertEqual(self.causes(basis=bases), want, bases)
        document = {"ref": "Document:faq.md"}
        self.assertEqual([n["ref"] for n in self.server.rpc("lineage.descendants", {**document, "basis": ["text", "given"], "node_types": ["Response"]})["nodes"]], [response(5)])
        self.assertEqual(self.server.rpc("lineage.descendants", {**document, "basis": ["text"]})["nodes"], [])
        for method, params in (("lineage.graph", {"ref": response(5), "down": 0, "up": 1}), ("trace", {"ref": response(5)}), ("lineage.influence", {"ref": response(5)})):
            refs = {n["ref"] for n in self.server.rpc(method, {**params, "basis": ["place"]})["nodes"]} - {response(5)}
            self.assertEqual(refs, {unit(4)}, method)
        path = {"from": unit(2), "to": response(5), "kind": "all"}
        self.assertEqual(self.server.rpc("lineage.path", path)["paths"][0]["edges"][0]["basis"], "id")
        self.assertEqual(self.server.rpc("lineage.path", {**path, "basis": ["text"]})["paths"], [])
        analyzed = {"refs": [unit(2)]}
        self.assertEqual(len(self.server.rpc("impact.analyze", analyzed)["nodes"]), 1)
        self.assertEqual(self.server.rpc("impact.analyze", {**analyzed, "basis": ["place"]})["nodes"], [])
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])

    def test_it_is_in_records_cypher_events_and_exports(self):
        self.example()
        record = self.server.rpc("node.get", {"ref": response(5), "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual(dict(zip(record["prompt_refs"], record["prompt_basis"]))[unit(2)], "id")
        rows = self.server.rpc("query", {"cypher": "MATCH (c)-[r:PROMPTED]->(:Response {id: $id}) RETURN r.basis, r.role, count(*) ORDER BY r.basis, r.role",
                                         "params": {"id": response(5).split(":")[1]}})["rows"]
        self.assertEqual(rows, [["given", "instruction", 1], ["given", "question", 1], ["given", None, 1], ["id", None, 1], ["place", None, 1], ["text", None, 1]])
        with tempfile.TemporaryDirectory() as folder:
            for format_ in ("jsonl", "graphml", "csv", "node-link", "dot", "prov-json"):
                path = Path(folder) / ("out." + format_)
                whence("export", "--url", self.server.url, "--format", format_, "-o", path, timeout=120)
                text = path.read_text() if path.is_file() else "".join(each.read_text() for each in path.iterdir())
                for word in ("basis", "place", "instruction"):
                    self.assertIn(word, text, format_)
            copy = str(Path(folder) / "copy")
            whence("import", "--db", copy, "--format", "jsonl", Path(folder) / "out.jsonl")
            with Server(copy) as other:
                for method, params in (("lineage.ancestors", {"ref": response(5), "form": "edges"}), ("lineage.influence", {"ref": response(5)})):
                    mine, copied = (each.rpc(method, params) for each in (self.server, other))
                    for answer in (mine, copied):
                        answer.pop("tx")
                        for edge in answer.get("edges", []):
                            edge.pop("tx")
                    self.assertEqual(mine, copied)

    def test_roles_have_no_part_in_shares_unless_asked_for(self):
        send(self.server, [retrieval(1, 0, 1, [{"id": "a.md", "content": "Fact of A here."}, {"id": "b.md", "content": "Fact of B here."}]),
                           chat(2, 2, 3, [("system", "Be short."), ("user", "Fact of A here. Fact of B here. What?")], "So.")])
        shares = lambda **more: {n["ref"].split(":")[0] + str(n["depth"]): n["share"] for n in self.server.rpc("lineage.influence", {"ref": response(2), **more})["nodes"]}
        self.assertEqual({k: v for k, v in shares().items() if v}, {"RetrievedChunk1": 0.5, "Document2": 0.5})
        self.assertEqual({k: v for k, v in shares(roles=True).items()}, {"RetrievedChunk1": 0.25, "Document2": 0.25, "ContextUnit1": 0.25})
        blamed = lambda **more: {n["ref"].split(":")[0] for n in self.server.rpc("impact.blame", {"responses": [response(2)], **more})["nodes"]}
        self.assertEqual(blamed(), {"RetrievedChunk", "Document"})
        self.assertEqual(blamed(of="questions"), {"ContextUnit"})  # who asks for them gets them

    def test_a_question_and_an_instruction_that_are_purged_are_still_no_evidence(self):
        send(self.server, [retrieval(1, 0, 1, [{"id": "a.md", "content": "Fact of A here."}]),
                           chat(2, 2, 3, [("system", "Be short."), ("user", "Fact of A here. What?")], "So.")])
        edges = self.server.rpc("node.get", {"ref": response(2), "include": ["edges"]})["nodes"][0]["edges"]
        roles = {edge["role"]: edge["from"] for edge in edges if "role" in edge}
        [chunk] = [edge["from"] for edge in edges if edge["from"].startswith("RetrievedChunk:")]
        refs = lambda nodes: {node["ref"] for node in nodes}
        blamed = lambda of: refs(self.server.rpc("impact.blame", {"responses": [response(2)], "of": of})["nodes"])
        effects = lambda ref: [(each["effect"], each["lost"]) for each in self.server.rpc("impact.without", {"refs": [ref]})["answers"]]
        alternatives = lambda: refs(self.server.rpc("impact.without", {"refs": [chunk]})["alternatives"])

        def said():
            return {of: blamed(of) for of in ("sources", "units", "questions", "prompts")}, [effects(ref) for ref in (chunk, *roles.values())]

        before = said()
        self.assertEqual(before[0]["questions"], {roles["question"]})
        self.assertEqual(before[1][0], [("lost", 1)])  # what was asked and instructed does not stand for the evidence
        self.server.rpc("records.purge", {"refs": list(roles.values())})
        self.assertEqual(said(), before)
        self.assertEqual(alternatives() & set(roles.values()), set())

    def test_edges_of_clients_are_given(self):
        self.server.rpc("records.write", {"records": [
            {"$type$": "ContextUnit", "id": "cu_1", "type": "User", "source": "s"},
            {"$type$": "Response", "id": "resp_1", "timestamp": "2025-01-01T00:00:00Z", "agent": "a", "model": "m", "context_units": [{"context_unit_id": "cu_1", "weight": 1}]}]})
        self.assertEqual(self.causes("Response:resp_1"), {("ContextUnit", "given", None)})
        self.assertEqual(self.causes("Response:resp_1", basis=["text"]), set())

    def test_a_conversation_over_traces_is_one_lineage(self):
        talk = {"gen_ai__conversation__id": "talk-7"}
        turns = [[chat(1, 0, 1, [("user", "What is it?")], "It is blue.", trace=T, **talk)],
                 [chat(2, 10, 11, [("user", "What is it?"), ("assistant", "It is blue."), ("user", "Why?")], "Because.", trace=OTHER, **talk)]]
        unrelated = chat(3, 20, 21, [("assistant", "It is blue."), ("user", "Hm?")], "x", trace="c" * 32, gen_ai__conversation__id="talk-8")
        for order in (turns, turns[::-1]):
            with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
                for each in (*order, [unrelated]):
                    send(server, each)
                nodes = server.rpc("lineage.ancestors", {"ref": response(2, OTHER), "depth": 1, "form": "graph"})
                self.assertIn((response(1), "text"), {(e["from"], e["basis"]) for e in nodes["edges"]})
                self.assertNotIn(response(1), {n["ref"] for n in server.rpc("lineage.ancestors", {"ref": response(3, "c" * 32)})["nodes"]})
                found = server.rpc("node.find", {"type": "Response", "where": {"conversation": {"eq": "talk-7"}}})["nodes"]
                self.assertEqual({n["ref"] for n in found}, {response(1), response(2, OTHER)})

    def test_conversation_and_person_are_of_the_nearest_that_says_them(self):
        send(self.server, [one(9, 0, 9, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "A", "session.id": "s-1", "enduser.id": "ann"}),
                           chat(1, 1, 2, [("user", "Hi there")], "Hello.", 9), chat(2, 3, 4, [("user", "Hi again")], "Hello again.", 9, user__id="bob")])
        record = lambda n: self.server.rpc("node.get", {"ref": response(n), "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual([(record(n)["conversation"], record(n)["person"]) for n in (1, 2)], [("s-1", "ann"), ("s-1", "bob")])
        rows = self.server.rpc("query", {"cypher": "MATCH (r:Response {person: 'bob'}) RETURN r.question"})["rows"]
        self.assertEqual(rows, [["Hi again"]])

    def test_a_prompt_is_its_messages(self):
        send(self.server, [chat(1, 0, 1, [("system", "Sei kurz. é"), ("user", "Erste?"), ("assistant", "Ja."), ("user", "Und zweite?")], "Nein.")])
        record = self.server.rpc("node.get", {"ref": response(1), "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual([(m["role"], record["prompt"][m["start"]:m["end"]]) for m in record["prompt_messages"]],
                         [("system", "Sei kurz. é"), ("user", "Erste?"), ("assistant", "Ja."), ("user", "Und zweite?")])
        self.assertEqual(record["question"], "Und zweite?")

    def test_passages_in_a_tools_result_have_their_documents(self):
        result = json.dumps({"results": [{"url": "https://e.org/a", "snippet": "The bridge closes in June."}, {"title": "Other", "text": "Nothing of use."}]})
        send(self.server, [tool(1, 0, 1, result, "call_9"),
                           chat(2, 2, 3, [("user", "When?"), ("tool", [{"type": "tool_call_response", "id": "call_9", "response": result}])], "June.")])
        refs = {n["ref"] for n in self.server.rpc("lineage.ancestors", {"ref": response(2)})["nodes"]}
        self.assertLessEqual({unit(1), "Document:https://e.org/a", "Document:Other"}, refs)
        self.assertEqual(sum(ref.startswith("RetrievedChunk:") for ref in refs), 2)

    def test_what_no_table_knows_is_said_once(self):
        strange = one(1, 0, 1, {"gen_ai.operation.name": "dream", "gen_ai.request.model": "m"})
        known = one(2, 0, 1, {"openinference.span.kind": "GUARDRAIL"})
        (status, _, body), = send(self.server, [strange, known])
        partial = json.loads(body)["partialSuccess"]
        self.assertEqual((status, int(partial["rejectedSpans"])), (200, 0))
        self.assertIn("gen_ai.operation.name dream", partial["errorMessage"])
        self.assertNotIn("GUARDRAIL", partial["errorMessage"])
        (status, _, body), = send(self.server, [one(3, 0, 1, {"gen_ai.operation.name": "dream"})])
        self.assertEqual((status, body), (200, b"{}"))
        self.assertEqual(self.server.rpc("server.info", {})["not_understood"], [{"kind": "gen_ai.operation.name dream", "spans": 2}])

    def test_counts_and_costs_within_json_are_read(self):
        send(self.server, [one(1, 0, 1, {"langfuse.observation.type": "generation", "langfuse.observation.model.name": "m", "langfuse.observation.output": "Hello.",
                                         "langfuse.observation.usage_details": '{"input":12,"output":3,"cache_read":7}', "langfuse.observation.cost_details": '{"total":0.25}'})])
        record = self.server.rpc("node.get", {"ref": response(1), "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["usage"], record["cost"]), ({"input_tokens": 12, "output_tokens": 3}, 0.25))
        self.assertIn("cache_read", record["attributes"]["langfuse.observation.usage_details"])  # what has no place stays

    def test_unknown_prompts_are_stood_for(self):
        made = {"$type$": "Response", "id": "resp_1", "timestamp": "2025-01-01T00:00:00Z", "agent": "a", "model": "m", "content": "Said.", "context_units": [],
                "prompt_template": {"modelId": "m", "version": 3}, "query_attachment": "a" * 64, "prompt_refs": ["ContextUnit:cu_prompt"]}
        for _ in range(2):  # a repeat changes nothing
            answer = self.server.rpc("records.write", {"records": [made], "mode": "capture"})
        self.assertTrue(answer["unchanged"])
        record = self.server.rpc("node.get", {"ref": "Response:resp_1", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["content"], record["prompt_basis"]), ("Said.", ["given", "instruction", "question"]))
        found = self.server.rpc("lineage.ancestors", {"ref": "Response:resp_1", "include": ["record"]})["nodes"]
        self.assertEqual({node["record"]["source"] for node in found},
                         {"unknown", "XMLMessageAttachment:" + "a" * 64, "SystemPromptTemplate:m/3"})
        self.assertTrue(all(node["record"]["flags"] == ["unknown_source"] for node in found))
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])
        with self.assertRaises(Exception):
            self.server.rpc("records.write", {"records": [{**made, "id": "resp_2", "prompt_refs": []}]})

    def test_unknown_sources_are_stood_for(self):
        made = {"$type$": "Response", "id": "resp_1", "timestamp": "2025-01-01T00:00:00Z", "agent": "a", "model": "m", "content": "All of it.",
                "context_units": [{"context_unit_id": "cu_gone", "weight": 0.5}, {"ref": "Document:lost.pdf", "weight": 0.25}, {"ref": "Response:resp_0", "weight": 0.25}],
                "prompt_refs": ["ContextUnit:cu_prompt"]}
        self.server.rpc("records.write", {"records": [made], "mode": "capture"})
        nodes = {n["ref"]: n["record"] for n in self.server.rpc("lineage.ancestors", {"ref": "Response:resp_1", "include": ["record"]})["nodes"]}
        self.assertEqual(len(nodes), 4)
        self.assertTrue(all(record["flags"] == ["unknown_source"] for record in nodes.values()))
        self.assertIn("Response:resp_0", {record.get("source") for record in nodes.values()})
        self.assertLessEqual({"ContextUnit:cu_gone", "Document:lost.pdf", "ContextUnit:cu_prompt"}, set(nodes))
        self.assertEqual(self.server.rpc("node.get", {"ref": "Response:resp_1", "include": ["record"]})["nodes"][0]["record"]["content"], "All of it.")
        known = {"$type$": "ContextUnit", "id": "cu_gone", "type": "User", "source": "mail", "content": "Here it is.", "timestamp": "2024-01-01T00:00:00Z"}
        self.server.rpc("records.write", {"records": [known]})
        record = self.server.rpc("node.get", {"ref": "ContextUnit:cu_gone", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["content"], record["source"], record.get("flags")), ("Here it is.", "mail", None))
        self.server.rpc("records.write", {"mode": "capture", "records": [{**made, "id": "resp_2", "prompt_refs": [], "context_units": [
            {"context_unit_id": "cu_prompt", "source": "note", "type": "User", "content": "What was given.", "weight": 1}]}]})
        record = self.server.rpc("node.get", {"ref": "ContextUnit:cu_prompt", "include": ["record"]})["nodes"][0]["record"]
        self.assertEqual((record["content"], record.get("flags")), ("What was given.", None))
        self.assertTrue(self.server.rpc("admin.verify", {})["ok"])
        with self.assertRaises(Exception):
            self.server.rpc("records.write", {"records": [{**made, "id": "resp_3"}]})

    def causes_of(self, *requests, n=9, trace=T):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            for request in requests:
                send(server, request)
            edges = server.rpc("node.get", {"ref": response(n, trace), "include": ["edges"]})["nodes"][0]["edges"]
            kept = server.rpc("node.get", {"ref": response(n, trace), "include": ["record"]})["nodes"][0]["record"]
            return {e["from"]: e["basis"] for e in edges if e["to"] == response(n, trace) and "basis" in e}, kept

    def test_a_text_is_found_whatever_json_made_of_its_letters(self):
        passage = "Gr\u00fc\u00dfe aus Z\u00fcrich, 5 Franken \U0001f600"
        for prompt in (json.dumps({"ctx": passage}), json.dumps({"inner": json.dumps({"ctx": passage})}), passage):
            found, _ = self.causes_of([retrieval(1, 0, 1, [{"id": "d", "content": passage}]), chat(9, 2, 3, [("user", prompt)], "x")])
            self.assertEqual([basis for ref, basis in found.items() if ref.startswith("RetrievedChunk:")], ["text"], prompt)

    def test_any_white_space_is_folded(self):
        passage = "\fLine\u00a0one of it\u2028and \u3000more to\u2003say,\u202fat\u000bonce"
        for prompt in ("Line one of it and more to say, at once", json.dumps({"ctx": passage}), passage):
            for given, sent in ((passage, prompt), (prompt, passage)):
                found, _ = self.causes_of([retrieval(1, 0, 1, [{"id": "d", "content": given}]), chat(9, 2, 3, [("user", "Context: " + sent + " Why?")], "x")])
                if not given.startswith("{"):
                    self.assertEqual([basis for ref, basis in found.items() if ref.startswith("RetrievedChunk:")], ["text"], (given, sent))

    def test_a_text_is_found_in_scripts_without_spaces_and_in_any_quotes(self):
        for passage, prompt, is_found in (("\u96e8\u4f1e\u4e94\u6cd5\u90ce", "\u6839\u636e\u96e8\u4f1e\u4e94\u6cd5\u90ce\u56de\u7b54", True),
                                          ("five francs", "\u201cfive francs\u201d, it says", True),
                                          ("five francs", "\u00e9five francs", False), ("five francs", "five francs\u00e9", False)):
            found, _ = self.causes_of([retrieval(1, 0, 1, [{"id": "d", "content": passage}]), chat(9, 2, 3, [("user", prompt)], "x")])
            known = [basis for ref, basis in found.items() if ref.startswith("RetrievedChunk:") and basis == "text"]
            self.assertEqual(known, ["text"] if is_found else [], prompt)

    def test_an_id_that_conversations_share_is_that_of_ones_own(self):

        def of(span_, conversation):
            span_["attributes"]["gen_ai.conversation.id"] = conversation
            return span_

        result = [{"type": "tool_call_response", "id": "functions.get:0", "response": "other words"}]
        requests = [[of(tool(1, 0, 1, "first thing", "functions.get:0", trace="1" * 32), "c1")],
                    [of(tool(2, 0, 1, "second thing", "functions.get:0", trace="2" * 32), "c2")],
                    [of(chat(9, 2, 3, [("user", "q?"), ("tool", result)], "x", trace="3" * 32), "c2")]]
        found, _ = self.causes_of(*requests, trace="3" * 32)
        self.assertEqual({ref: basis for ref, basis in found.items() if basis == "id"}, {unit(2, "2" * 32): "id"})

    def test_a_plain_span_says_what_those_below_it_belong_to(self):
        above = one(1, 0, 9, {"session.id": 42, "enduser.id": "u1", "http.route": "/chat"})
        below = chat(9, 2, 3, [("user", "q")], "a", parent=1)
        for requests in ([[above, below]], [[above], [below]], [[below], [above]]):
            _, kept = self.causes_of(*requests)
            self.assertEqual((kept.get("conversation"), kept.get("person")), ("42", "u1"))


if __name__ == "__main__":
    unittest.main()
