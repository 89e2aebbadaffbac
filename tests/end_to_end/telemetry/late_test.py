"""Claim: the same spans give the same graph in whatever order they come: a source that comes after its call takes the place of the message
that said it, and no source is there twice.

Method: every order of a few spans, each in a request of its own, against a fresh server each; all nodes and edges that are not PROV's are
compared. In `programs_test.py` made-up programs are shuffled.
"""
import itertools
import tempfile
import unittest

from support.naive_stream import State, graph_of as whole_graph
from support.otlp import log, send
from support.program import Server, twin_store, whence
from support.subscriber import Subscriber
from telemetry.basis_test import OTHER, T, chat, one, response, retrieval, said, tool, unit


def graph_of(server):
    """All nodes, and all edges that lead to a response."""
    nodes, edges = set(), set()
    for type_ in ("ContextUnit", "RetrievedChunk", "Response", "Query", "Document"):
        for node in server.rpc("node.find", {"type": type_, "limit": 1000, "include": ["record", "edges"]})["nodes"]:
            nodes.add(node["ref"])
            edges |= {(e["from"], e["to"], e["basis"], e.get("role")) for e in node["edges"] if e["type"] == "PROMPTED"}
    return nodes, edges


def causes(graph, ref):
    """The sources of a response: instructions and questions are none."""
    return {start: basis for start, end, basis, role in graph[1] if end == ref and role is None}


def result(call, text):
    return ("tool", [{"type": "tool_call_response", "id": call, "response": text}])


def query(n):
    return f"Query:otel_{T}_{n:016x}"


class LateTest(unittest.TestCase):
    def graphs(self, spans, orders=None):
        """The graph, which is the same in every order."""
        graphs = []
        for order in orders or itertools.permutations(spans):
            with tempfile.TemporaryDirectory() as folder, Server(twin_store(folder + "/db")) as server:
                for each in order:
                    for status, _, body in send(server, [each]):
                        self.assertEqual((status, body), (200, b"{}"))
                graphs.append(graph_of(server))
                self.assertTrue(server.rpc("admin.verify", {})["ok"])
            self.assertEqual(graphs[-1], graphs[0], [each["name"] for each in order])
        return graphs[0]

    def test_a_tool_after_its_call(self):
        asked = [("user", "When?"), result("call_1", "At noon sharp.")]
        graph = self.graphs([tool(1, 0, 1, "At noon sharp.", "call_1"), chat(2, 2, 3, asked, "Noon.")])
        self.assertEqual(causes(graph, response(2)), {unit(1): "id"})

    def test_a_tool_without_a_text_gets_it_from_the_message(self):
        spans = [tool(1, 0, 1, "", "call_1"), chat(2, 2, 3, [("user", "When?"), result("call_1", "At noon sharp.")], "Noon.")]
        for order in (spans, spans[::-1]):
            with tempfile.TemporaryDirectory() as folder, Server(twin_store(folder + "/db")) as server:
                for each in order:
                    send(server, [each])
                self.assertEqual(causes(graph_of(server), response(2)), {unit(1): "id"})
                record = server.rpc("node.get", {"ref": unit(1), "include": ["record"]})["nodes"][0]["record"]
                self.assertEqual(record["content"], "At noon sharp.")

    def test_an_earlier_answer_after_the_calls_that_say_it(self):
        first = [("user", "Sum it up.")]
        second = [*first, ("assistant", "It is all blue."), ("user", "Why?")]
        third = [*second, ("assistant", "By the light."), ("user", "Sure?")]
        graph = self.graphs([chat(1, 0, 1, first, "It is all blue."), chat(2, 2, 3, second, "By the light."), chat(3, 4, 5, third, "Yes.")])
        self.assertEqual(causes(graph, response(2)), {response(1): "text"})
        self.assertEqual(causes(graph, response(3)), {response(1): "text", response(2): "text"})
        self.assertFalse([ref for ref in graph[0] if ref.startswith("ContextUnit:") and len(ref) > 60])

    def test_an_answer_that_another_agent_is_asked(self):
        graph = self.graphs([chat(1, 0, 1, [("user", "Sum it up.")], "It is all blue."), chat(2, 2, 3, [("user", "It is all blue.")], "Ja.")])
        self.assertEqual(causes(graph, response(2)), {response(1): "text"})

    def test_results_in_one_message_are_several_sources(self):
        both = ("user", [*result("call_1", "At noon sharp.")[1], *result("call_2", "In the north hall.")[1]])
        graph = self.graphs([tool(1, 0, 1, "At noon sharp.", "call_1"), tool(2, 0, 1, "In the north hall.", "call_2"), chat(3, 2, 3, [("user", "When?"), both], "Noon.")])
        self.assertEqual(causes(graph, response(3)), {unit(1): "id", unit(2): "id"})

    def test_a_message_that_others_need_stays(self):
        asked = [("user", "Where?"), ("assistant", "It is in the north hall."), ("user", "Sure?")]
        talk = lambda name: {"gen_ai__conversation__id": name}
        own = [chat(1, 0, 1, [("user", "Where?")], "It is in the north hall.", **talk("a")), chat(2, 2, 3, asked, "Yes.", **talk("a"))]
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            for each in (chat(3, 2, 3, asked, "Yes.", trace=OTHER, **talk("b")), own[1], own[0]):
                send(server, [each])
            graph = graph_of(server)
            self.assertEqual([basis for basis in causes(graph, response(3, OTHER)).values()], ["given"])
            self.assertEqual(causes(graph, response(2)), {response(1): "text"})
            self.assertTrue(server.rpc("admin.verify", {})["ok"])

    def test_ids_that_two_agents_number_alike(self):
        agent = lambda n, begin, end: one(n, begin, end, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"A{n}"}, 9)
        spans = [one(9, 0, 20, {"gen_ai.operation.name": "invoke_workflow"}), agent(1, 0, 9), agent(2, 10, 19),
                 tool(3, 1, 2, "At noon sharp.", "functions.look:0", 1), tool(4, 11, 12, "In the north hall.", "functions.look:0", 2),
                 chat(5, 13, 14, [("user", "Where?"), result("functions.look:0", "In the north hall.")], "North.", 2)]
        orders = [spans, spans[::-1], spans[3:] + spans[:3], [spans[5], *spans[:5]], spans[2:] + spans[:2]]
        graph = self.graphs(spans, orders)
        self.assertEqual(causes(graph, response(5)), {unit(4): "id"})

    def items(self, results, call="call_0", kind="invoke_workflow"):
        """Items of one trace, of which each calls its own tool; `call` may be a text with the item's number in it."""
        spans = [one(9, 0, 99, {"gen_ai.operation.name": "invoke_workflow"})]
        for n, text in enumerate(results):
            own, begin, id_ = 10 * (n + 1), 20 * n, call % n if "%" in call else call
            spans += [one(own, begin, begin + 10, {"gen_ai.operation.name": kind, **({"gen_ai.agent.name": f"A{n}"} if kind == "invoke_agent" else {})}, 9),
                      tool(own + 1, begin + 1, begin + 2, text, id_, own), chat(own + 2, begin + 3, begin + 4, [("user", f"Do {n}."), result(id_, text)], f"Done {n}.", own)]
        return spans, {response(10 * (n + 1) + 2): {unit(10 * (n + 1) + 1): "id"} for n in range(len(results))}

    def assert_items(self, spans, wanted):
        orders = [spans, spans[::-1], spans[5:] + spans[:5], sorted(spans, key=lambda each: each["end"]), spans[::2] + spans[1::2]]
        graph = self.graphs(spans, orders)
        self.assertEqual({ref: causes(graph, ref) for ref in wanted}, wanted)

    def test_ids_that_items_number_alike(self):
        for kind in ("invoke_workflow", "invoke_agent"):
            for results in (["At noon sharp.", "In the north hall.", "By train."], ["10", "11", "12"], ["ok", "ok", "ok"], ["", "", ""]):
                with self.subTest(kind=kind, results=results):
                    self.assert_items(*self.items(results, kind=kind))

    def test_equal_results_of_calls_with_other_ids(self):
        for results in (["ok", "ok", "ok"], ["Nothing was found at all."] * 3):
            with self.subTest(results=results):
                self.assert_items(*self.items(results, "call_%d", "invoke_agent"))

    def test_equal_results_without_ids_are_those_of_the_own_item(self):
        spans, wanted = self.items(["ok", "ok"])
        for each in spans:
            each["attributes"].pop("gen_ai.tool.call.id", None)
        self.assert_items(spans, {ref: {next(iter(found)): "text"} for ref, found in wanted.items()})

    def test_ids_that_rounds_number_alike(self):
        """A later round is no cause of an earlier one."""
        spans, asked, wanted = [one(9, 0, 99, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "A"})], [("user", "Look.")], {}
        for n, text in enumerate(("At noon sharp.", "In the north hall.", "At noon, they say.")):
            spans.append(tool(10 + n, 10 * n, 10 * n + 1, text, "call_0", 9))
            asked = [*asked, result("call_0", text)]
            spans.append(chat(20 + n, 10 * n + 2, 10 * n + 3, asked, f"So {n}.", 9))
            wanted[response(20 + n)] = {unit(10 + each): "id" for each in range(n + 1)}
        self.assert_items(spans, wanted)

    def test_an_attempt_of_a_tool_that_gave_nothing_is_no_source_beside_one_that_did(self):
        spans = [tool(1, 0, 1, "", "call_1"), tool(2, 2, 3, "At noon sharp.", "call_1"), chat(3, 4, 5, [("user", "When?"), result("call_1", "At noon sharp.")], "Noon.")]
        with tempfile.TemporaryDirectory() as folder, Server(twin_store(folder + "/db")) as server:
            send(server, spans)
            self.assertEqual(causes(graph_of(server), response(3)), {unit(2): "id"})
            self.assertNotIn("content", server.rpc("node.get", {"ref": unit(1), "include": ["record"]})["nodes"][0]["record"])
        graph = self.graphs(spans, [spans, [spans[0], spans[2], spans[1]], spans[::-1]])
        self.assertEqual(causes(graph, response(3)), {unit(2): "id"})

    def test_of_equal_answers_the_nearest_whatever_came_first(self):
        spans, wanted = [one(9, 0, 99, {"gen_ai.operation.name": "invoke_workflow"})], {}
        for n in (1, 2, 3):
            spans += [one(10 * n, 20 * n, 20 * n + 9, {"gen_ai.operation.name": "invoke_workflow"}, 9), chat(10 * n + 1, 20 * n + 1, 20 * n + 2, [("user", f"Is it {n}?")], "yes", 10 * n),
                      chat(10 * n + 2, 20 * n + 3, 20 * n + 4, [("user", f"Is it {n}?"), ("assistant", "yes"), ("user", "Sure?")], f"Sure {n}.", 10 * n)]
            wanted[response(10 * n + 2)] = {response(10 * n + 1): "text"}
        self.assert_items(spans, wanted)

    def test_of_equal_answers_the_latest_of_the_conversation_whatever_came_first(self):
        talk = {"gen_ai__conversation__id": "a"}
        spans = [chat(n, 10 * n, 10 * n + 1, [("user", f"Is it {n}?")], "yes", trace=f"{n:032x}", **talk) for n in (1, 2, 3)]
        spans.append(chat(4, 40, 41, [("assistant", "yes"), ("user", "Sure?")], "Sure.", trace=f"{4:032x}", **talk))
        graph = self.graphs(spans)
        self.assertEqual(causes(graph, response(4, f"{4:032x}")), {response(3, f"{3:032x}"): "text"})

    def test_of_equal_messages_the_nearest_answer_is_the_cause(self):
        for traces in ((1, 2, 3), (1, 2, 2), (1, 1, 2), (1, 1, 1)):
            asked, spans = [], []
            for n, trace in enumerate(traces, 1):
                asked = [*asked, ("user", f"And {n}?")]
                spans.append(chat(n, 10 * n, 10 * n + 1, asked, "ok", trace=f"{trace:032x}", gen_ai__conversation__id="a"))
                asked = [*asked, ("assistant", "ok")]
            with self.subTest(traces=traces):
                self.assertEqual(causes(self.graphs(spans), response(3, f"{traces[2]:032x}")), {response(2, f"{traces[1]:032x}"): "text"})

    def test_a_prompt_in_log_records_is_captured(self):
        """So the retrieval beside the call is known to be none of its sources, although the call's span says no prompt."""
        spans = [one(9, 0, 20, {"gen_ai.operation.name": "invoke_workflow"}), retrieval(1, 1, 2, [{"id": "a.md", "content": "The bridge closes in June."}], 9),
                 chat(2, 3, 4, [("user", "Sum up: The bridge closes in June.")], "Closed in June.", 9), chat(3, 5, 6, (), "Im Juni zu.", 9)]
        record = log(T, f"{3:016x}", "gen_ai.client.inference.operation.details", spans[3]["end"], {"gen_ai.input.messages": said(("user", "Translate."), ("user", "Closed in June."))})
        for order in ([*spans, record], [record, *spans[::-1]], [*spans[:2], record, *spans[2:]]):
            with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
                for each in order:
                    send(server, [each])
                self.assertEqual(causes(graph_of(server), response(3)), {response(2): "text"})

    def test_a_retrieval_beside_a_later_call_is_none_of_its_sources(self):
        spans = [one(9, 0, 20, {"gen_ai.operation.name": "invoke_workflow"}), retrieval(1, 1, 2, [{"id": "a.md", "content": "The bridge closes in June."}], 9),
                 chat(2, 3, 4, [("user", "Sum up: The bridge closes in June.")], "Closed in June.", 9),
                 chat(3, 5, 6, [("user", "Translate."), ("user", "Closed in June.")], "Im Juni zu.", 9)]
        graph = self.graphs(spans)
        self.assertEqual(causes(graph, response(3)), {response(2): "text"})

    def test_without_texts_the_source_of_another_item_is_none_once_its_own_came(self):
        item = lambda n, begin, end: one(n, begin, end, {"gen_ai.operation.name": "invoke_workflow"}, 9)
        spans = [one(9, 0, 20, {"gen_ai.operation.name": "invoke_workflow"}), item(1, 0, 6), item(2, 7, 12),
                 retrieval(3, 1, 2, [{"id": "a.md"}], 1), retrieval(4, 8, 9, [{"id": "b.md"}], 2), chat(5, 10, 11, parent=2)]
        orders = [*itertools.islice(itertools.permutations(spans), 0, 720, 61), [*spans[:4], spans[5], spans[4]]]
        graph = self.graphs(spans, orders)
        self.assertEqual(causes(graph, response(5)), {query(4): "place"})

    def test_of_many_sources_known_by_place_the_latest_are_causes(self):
        spans = [one(9, 0, 999, {"gen_ai.operation.name": "invoke_workflow"}),
                 *(tool(100 + n, n, n + 1, parent=9) for n in range(70)), chat(5, 200, 201, parent=9)]
        graph = self.graphs(spans, [spans, spans[::-1]])
        self.assertEqual(causes(graph, response(5)), {unit(100 + n): "place" for n in range(6, 70)})

    def passed_on(self):
        """A retrieval beside two calls of which the second has only the first one's answer, which comes last."""
        return [one(9, 0, 20, {"gen_ai.operation.name": "invoke_workflow"}), retrieval(1, 1, 2, [{"id": "a.md", "content": "The bridge closes in June."}], 9),
                chat(3, 5, 6, [("user", "Translate: Closed in June, they say.")], "Im Juni zu, sagt man.", 9),
                chat(4, 7, 8, [("user", "Shorten: Im Juni zu, sagt man.")], "Im Juni zu.", 9),
                chat(2, 3, 4, [("user", "Sum up: The bridge closes in June.")], "Closed in June, they say.", 9)]

    def causes_at(self, server, ref, **more):
        edges = server.rpc("node.get", {"ref": ref, "include": ["edges"], **more})["nodes"][0]["edges"]
        return {e["from"]: e["basis"] for e in edges if e["type"] == "PROMPTED" and e["to"] == ref and "role" not in e}

    def test_what_is_taken_back_was_there_before_and_others_name_the_answer_still(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            *early, last = self.passed_on()
            for each in early:
                send(server, [each])
            tx = server.rpc("server.info", {})["tx"]
            self.assertEqual(self.causes_at(server, response(3)), {query(1): "place"})
            send(server, [last])
            self.assertEqual(self.causes_at(server, response(3)), {response(2): "text"})
            self.assertEqual(self.causes_at(server, response(4)), {response(3): "text"})
            self.assertEqual(self.causes_at(server, response(3), as_of=tx), {query(1): "place"})
            self.assertEqual(self.causes_at(server, response(4), as_of=tx), {response(3): "text"})
            spans = {n["ref"] for n in server.rpc("node.find", {"type": "ProvActivity", "limit": 100})["nodes"]}
            span = next(ref for ref in spans if ref.endswith(f"{3:016x}"))
            edges = server.rpc("node.get", {"ref": span, "include": ["edges"]})["nodes"][0]["edges"]
            self.assertIn(response(3), {e["to"] for e in edges})
            exported = whence("export", "--url", server.url, "--format", "jsonl", "--output", folder + "/all.jsonl")
            self.assertTrue(server.rpc("admin.verify", {})["ok"])
            graph = graph_of(server)
            server.kill()
            with Server(folder + "/db") as again:
                self.assertEqual(graph_of(again), graph)
            imported = whence("import", "--db", folder + "/other", folder + "/all.jsonl")
            self.assertEqual((exported.returncode, imported.returncode), (0, 0), exported.stderr + imported.stderr)
            with Server(folder + "/other") as other:
                self.assertEqual(graph_of(other), graph)
                self.assertEqual(self.causes_at(other, response(3), as_of=tx), {query(1): "place"})

    def test_a_subscription_makes_the_same_graph(self):
        *early, last = self.passed_on()
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server, Subscriber(server) as client:
            followed = client.subscribe(include=["record", "edges"])
            for each in (*early, last):
                send(server, [each])
            head = server.rpc("server.info", {})["tx"]
            client.until_tx(followed, head)
            state = State()
            for event in followed.events:
                state.apply(event)
            self.assertEqual([e["op"] for e in followed.events if e["ref"] == response(3)], ["put", "delete", "put"])
            nodes, edges = whole_graph(lambda method, **params: server.rpc(method, params), head)
            self.assertEqual(state.graph()[0], nodes)
            self.assertEqual(state.graph()[1], edges)

    def test_a_rating_of_telemetry_goes_along(self):
        *early, last = self.passed_on()
        rating = log(T, f"{3:016x}", "gen_ai.evaluation.result", early[2]["end"] + 1, {"gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.value": 0.5})
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            for each in (*early, rating, last):
                send(server, [each])
            self.assertEqual(self.causes_at(server, response(3)), {response(2): "text"})
            self.assertEqual([r["score"] for r in server.rpc("feedback.list", {"ref": response(3)})["records"]], [0.5])

    def test_what_a_person_rated_keeps_its_causes(self):
        *early, last = self.passed_on()
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            for each in early:
                send(server, [each])
            rating = {"$type$": "FeedbackRecord", "id": "fb_1", "response_id": response(3).split(":")[1], "score": 1, "timestamp": "2026-09-21T16:00:00Z"}
            server.rpc("records.write", {"records": [rating]})
            send(server, [last])
            self.assertEqual(self.causes_at(server, response(3)), {query(1): "place", response(2): "text"})
            self.assertEqual([r["id"] for r in server.rpc("feedback.list", {"ref": response(3)})["records"]], ["fb_1"])

    def test_what_was_taken_survives_a_kill(self):
        asked = [("user", "When?"), result("call_1", "At noon sharp.")]
        with tempfile.TemporaryDirectory() as folder:
            for each in (chat(2, 2, 3, asked, "Noon."), tool(1, 0, 1, "At noon sharp.", "call_1")):
                with Server(folder + "/db") as server:
                    send(server, [each])
                    server.kill()
            with Server(folder + "/db") as server:
                self.assertEqual(causes(graph_of(server), response(2)), {unit(1): "id"})
                self.assertTrue(server.rpc("admin.verify", {})["ok"])


if __name__ == "__main__":
    unittest.main()
