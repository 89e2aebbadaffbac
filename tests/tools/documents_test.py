"""The commands shown in the documents print what is shown, and the documents name everything that there is.

Every block marked `console` is run, each document against its own demo: `$ ` starts a command, the lines below it are its
output (stdout, then stderr). `...` matches any text; commit times are replaced by `T`. Commands that start with `tools/` are
not run: they build.
"""
import asyncio
import doctest
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import websockets

from whence_e2e import WHENCE, Server, clean_env, token_lines, whence, write_tokens

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "end_to_end"))
from proof.witness import Witness  # noqa: E402

DOCUMENTS = ["README.md", "net/PROTOCOL.md", "tools/cli/README.md",
             *(f"tools/operations/{name}.md" for name in ("INSTALL", "ACCESS", "BACKUP", "REFERENCE"))]
COMMIT_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\.\d{3,9}Z")


def commands(text):
    """(command, expected output) of all console blocks of a document."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            if not command.startswith("tools/"):
                yield command, output


def words(*names):
    """Everything that documents write as code, and the parts of it that are names."""
    text = "".join(path.read_text(encoding="utf-8") for name in names for path in ROOT.glob(name))
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in [code, *re.findall(r"[\w$./-]+", code)]}


def same(expected, got):
    return doctest.OutputChecker().check_output(COMMIT_TIME.sub("T", expected), COMMIT_TIME.sub("T", got), doctest.ELLIPSIS)


class DocumentsTest(unittest.TestCase):
    def test_commands_print_what_is_shown(self):
        for name in DOCUMENTS:
            with self.subTest(document=name), tempfile.TemporaryDirectory() as folder:
                with Server(folder + "/db", "--serve", "--files", folder + "/files", verb=("demo",)) as server:
                    self.run_document(name, Path(folder), server.url)

    def run_document(self, name, folder, url):
        path = f"{Path(WHENCE).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        env = clean_env(PATH=path, WHENCE_URL=url, TZ="UTC")
        (folder / "work").mkdir()
        for command, expected in commands((ROOT / name).read_text(encoding="utf-8")):
            done = subprocess.run(command, shell=True, cwd=folder / "work", env=env, capture_output=True, text=True,
                                  encoding="utf-8", timeout=120, check=False)
            got = done.stdout + done.stderr
            if not same(expected, got):
                self.fail(f"{name}: $ {command}\nexpected:\n{expected}\ngot:\n{got}")

    def tools_of_agents(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("demo", "--db", folder + "/db").returncode, 0)
            listed = whence("mcp", "--db", folder + "/db", stdin='{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        tools = json.loads(listed.stdout)["result"]["tools"]
        return {tool["name"] for tool in tools} | {name for tool in tools for name in tool["inputSchema"]["properties"]}

    def test_documents_name_everything(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
            described = server.rpc("rpc.discover")
            info = server.rpc("server.info")
            metrics = re.findall(r"^# TYPE (\w+)", server.get("/metrics")[1].decode(), re.M)
        methods = {method["name"]: method for method in described["methods"]}
        parameters = {param["name"] for method in methods.values() for param in method["params"]}
        formats = next(p for p in methods["export.start"]["params"] if p["name"] == "format")["schema"]["enum"]
        verbs = re.findall(r"^  ([a-z][\w-]*) ", whence("--help").stdout, re.M)
        flags = re.findall(r"^  (--[\w-]+) ", whence("serve", "--help").stdout, re.M)
        own_edges = [name for name in info["edges"] if not name.startswith("PROV_")]
        prov_edges = [name.removeprefix("PROV_") for name in info["edges"] if name.startswith("PROV_")]
        members = {name for path in ROOT.glob("schema/records/**/*.hpp")
                   for name in re.findall(r'\bfield\(\s*"(\w+)"', path.read_text(encoding="utf-8"))}
        self.assertGreater(len(members), 50)
        for what, names, documents in [
                ("methods", methods, ["net/PROTOCOL.md"]),
                ("parameters", parameters, ["net/PROTOCOL.md", "schema/xml/README.md"]),
                ("metrics", metrics, ["tools/monitoring/METRICS.md"]),
                ("formats", formats, ["queries/export/README.md"]),
                ("verbs", verbs, ["tools/cli/README.md"]),
                ("flags", flags, ["tools/operations/*.md", "tools/cli/README.md"]),
                ("tools", self.tools_of_agents(), ["net/mcp/README.md"]),
                ("record types", info["nodes"], ["schema/records/README.md"]),
                ("members", members, ["schema/records/**/README.md"]),
                ("edge types", own_edges, ["schema/types/README.md"]),
                ("relations", prov_edges, ["schema/records/prov/README.md"])]:
            with self.subTest(what=what):
                self.assertEqual(sorted(set(names) - words(*documents)), [])



class ExamplesTest(unittest.TestCase):
    """Each method's example in OpenRPC gets a result, from a server with the demo's graph."""
    SESSION = ("session.hello", "subscribe", "unsubscribe")
    # What has to be there, or to have happened, before the example of a method.
    HOLD = {"$type$": "Hold", "id": "hold_00000000-0000-4000-8000-000000000000", "reason": "case", "refs": ["Topic:family-planning-2025"],
            "timestamp": "2026-01-01T00:00:00Z"}
    BEFORE = {"person.certificate": [("person.erase", {"person": "dana"})],
              "hold.clear": [("records.write", {"records": [HOLD]})],
              "discussion.abandon": [("discussion.open", {"userId": "safety", "discussionId": "gloves"})],
              "discussion.addResponse": ["discussion.open"], "rag.answer": ["rag.retrieve"],
              "export.status": ["export.start"], "export.cancel": ["export.start"],
              "template.active": [("records.write", {"records": [{"$type$": "SystemPromptTemplate", "modelId": "gpt-4-turbo", "version": 1,
                                                                  "promptText": "Answer briefly.", "createdAt": 1}]})]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def served(self, *args, verb=("demo",)):
        server = Server(self.folder / str(len(list(self.folder.iterdir()))), *args, verb=verb)
        self.addCleanup(server.__exit__, None, None, None)
        server.__enter__()
        return server

    def with_two_users(self):
        """A server on which one user has proposed a purge and another asks; and the proposal."""
        tokens = write_tokens(self.folder / "tokens", "".join(token_lines(f"admin {name}-secret") + f" name={name}\n" for name in ("ann", "ben")))
        server = self.served("--tokens", tokens, "--four-eyes", "1h", verb=("serve",))
        server.token = "ann-secret"
        server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "t"}]})
        proposed = server.rpc("records.purge", {"refs": ["Topic:t"]})["proposed"]
        server.token = "ben-secret"
        return server, proposed

    def examples(self, server):
        methods = server.rpc("rpc.discover")["methods"]
        self.assertEqual([method["name"] for method in methods if len(method.get("examples", ())) != 1], [])
        for method in methods:
            names = {param["name"] for param in method["params"]}
            params = {param["name"]: param["value"] for param in method["examples"][0]["params"]}
            self.assertEqual(set(params) - names, set(), method["name"])
            yield method["name"], params

    def test_each_example_gets_a_result(self):
        shared = self.served("--serve", "--files", self.folder / "files")
        examples = dict(self.examples(shared))
        self.assertGreater(len(examples), 50)
        writes = ("records.write", "discussion.a", "discussion.o", "discussion.s", "rag.", "unit.", "template.active", "person.certificate")
        for name, example in examples.items():
            if name in self.SESSION:
                continue
            with self.subTest(name):
                server = shared
                if name == "admin.restore":
                    server = self.served(verb=("serve",))
                elif name.startswith(writes):  # one that writes finds the demo as it was
                    server = self.served("--serve", "--files", self.folder / ("files-" + name))
                params = dict(example)
                if name in ("purge.confirm", "purge.withdraw"):
                    server, params["ref"] = self.with_two_users()
                if name == "log.cosign":
                    witness = Witness("witness.example")
                    server = self.served("--witness", witness.key, verb=("serve",))
                    params["note"] = witness.sign(server.rpc("log.checkpoint")["checkpoint"], 0)
                if name == "admin.backup":
                    params["path"] = str(self.folder / "copy")
                for step in self.BEFORE.get(name, ()):
                    method, with_params = (step, examples[step]) if isinstance(step, str) else step
                    done = server.rpc(method, with_params)
                    if "job" in params:
                        params["job"] = done["job"]
                    if "erasure" in done:
                        params["ref"] = done["erasure"]
                self.assertIsInstance(server.rpc(name, params), dict)

    def test_what_was_not_there_yet_is_said_with_its_moment(self):
        server = self.served("--serve")
        moments = {each["name"]: {param["name"] for param in each["params"]} & {"as_of", "as_of_a", "as_of_b"}
                   for each in server.rpc("rpc.discover", {})["methods"]}
        asked = {}
        for name, example in self.examples(server):
            if not moments[name]:
                continue
            with self.subTest(method=name):
                answer = server.post({"jsonrpc": "2.0", "id": 1, "method": name, "params": example | dict.fromkeys(moments[name], 1)})
                error = answer.get("error")
                if error and error["code"] == -32020:
                    asked[name] = error["message"]
                    self.assertRegex(error["message"], r" at transaction 1 \(20\d\d-\d\d-\d\dT[\d:.]+Z\)$")
                    self.assertTrue(all(" at transaction 1 (" in each["message"] for each in error["data"]["errors"]))
        self.assertGreater(len(asked), 15, asked)
        at_head = server.post({"jsonrpc": "2.0", "id": 1, "method": "node.get", "params": {"refs": ["cu_nobody"]}})
        self.assertEqual(at_head["error"]["message"], "/refs/0: ContextUnit:cu_nobody does not exist")
        nothing = server.post({"jsonrpc": "2.0", "id": 1, "method": "node.get", "params": {"refs": ["cu_nobody"], "as_of": 0}})
        self.assertEqual(nothing["error"]["message"], "/refs/0: ContextUnit:cu_nobody does not exist at transaction 0 (before the first)")

    def test_those_of_a_session(self):
        server = self.served("--serve")
        examples = dict(self.examples(server))

        async def talk():
            async with websockets.connect(server.url.replace("http", "ws") + "/ws", subprotocols=["whence.v1.json"]) as socket:
                sub = None
                for number, name in enumerate(self.SESSION, 1):
                    params = examples[name] | ({"sub": sub} if name == "unsubscribe" else {})
                    await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": name, "params": params}))
                    while (said := json.loads(await socket.recv())).get("id") != number:
                        pass
                    self.assertIn("result", said, name)
                    sub = said["result"].get("sub", sub)

        asyncio.run(asyncio.wait_for(talk(), 30))


if __name__ == "__main__":
    unittest.main()
