"""Compares the package with the server's own description: methods, their params, list methods, errors."""
import importlib.util
import inspect
import json
import keyword
import re
import unittest

from client_case import ROOT, ClientCase, whence

spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "python" / "generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)

DONE_BY_THE_CLIENT = {"session.hello": "connect", "subscribe": "watch", "unsubscribe": "watch"}


def in_python(name):
    """A name of the protocol in Python: camelCase in snake_case, reserved words with an underscore."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda found: "_" + found[0].lower(), name)


class OpenRpcTest(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = cls.db.rpc.discover()
        cls.methods = {method["name"]: method for method in cls.document["methods"] if method["name"] not in DONE_BY_THE_CLIENT}
        assert len(cls.methods) > 20, "a discovery without methods would pass every test"

    def clients(self):
        """Both clients; the one for asyncio is not connected, which its signatures do not need."""
        yield self.db
        yield whence.aio.Client(whence.session.Session(self.server.url, None, 1))

    def python_method(self, client, name):
        target = client
        for part in name.split("."):
            self.assertTrue(hasattr(target, in_python(part)), f"no method {name} in {type(client)}")
            target = getattr(target, in_python(part))
        return target

    def test_every_method_of_the_server_is_one_of_both_clients(self):
        for client in self.clients():
            for name in self.methods:
                with self.subTest(client=type(client), method=name):
                    self.assertTrue(callable(self.python_method(client, name)))

    def test_no_method_is_without_one_of_the_server(self):
        for client in self.clients():
            groups = {name: group for name, group in vars(client).items() if isinstance(group, whence.calling.Group)}
            known = {in_python(name) for name in self.methods}
            self.assertEqual(set(groups), {name.split(".")[0] for name in known if "." in name})
            for group, members in groups.items():
                for member, _ in inspect.getmembers(members, inspect.ismethod):
                    if not member.startswith("_"):
                        self.assertIn(f"{group}.{member}", known)

    def test_params_have_the_protocols_names_and_requiredness(self):
        for client in self.clients():
            for name, method in self.methods.items():
                expected = {param["name"] + "_" * keyword.iskeyword(param["name"]): bool(param.get("required"))
                            for param in method["params"]}
                params = inspect.signature(self.python_method(client, name)).parameters
                self.assertEqual({param: value.default is value.empty for param, value in params.items()}, expected, name)

    def test_the_first_required_param_needs_no_name(self):
        for name, method in self.methods.items():
            required = [param["name"] for param in method["params"] if param.get("required")]
            params = inspect.signature(self.python_method(self.db, name)).parameters.values()
            free = [param.name.rstrip("_") for param in params if param.kind is param.POSITIONAL_OR_KEYWORD]
            self.assertEqual(free, required[:1] if required else ["ref"] if name in ("node.get", "lineage.stale", "log.proof", "log.bundle") else [], name)

    def test_methods_that_stream_give_results(self):
        for client in self.clients():
            for name, method in self.methods.items():
                streams = any(param["name"] == "stream" for param in method["params"])
                returns = inspect.signature(self.python_method(client, name)).return_annotation
                self.assertEqual(returns, "ListT" if streams else "AnswerT", name)

    def test_the_committed_methods_are_what_the_generator_writes(self):
        committed = (ROOT / "tools" / "python" / "whence" / "methods.py").read_text(encoding="utf-8")
        self.assertEqual(generate.module(self.document), committed, "run tools/python/generate.py (its first lines say how)")

    def test_the_generator_refuses_a_list_method_it_does_not_know(self):
        new = {**self.methods["node.find"], "name": "node.search"}
        with self.assertRaisesRegex(SystemExit, "node.search is a list method"):
            generate.module({**self.document, "methods": [*self.document["methods"], new]})

    def test_the_lists_of_the_client_for_javascript_are_the_same(self):
        text = (ROOT / "tools" / "javascript" / "methods.js").read_text(encoding="utf-8")
        rows = [json.loads(row) for row in re.findall(r"^  (\[.*\]),$", text, re.M)]
        self.assertEqual({row[0]: tuple(row[4]) for row in rows if row[4]}, generate.LISTS)

    def test_every_error_has_its_class(self):
        declared = self.document["components"]["errors"]
        self.assertGreater(len(declared), 10)
        for name, error in declared.items():
            kind = "".join(part.title() for part in name.split("_"))
            self.assertIs(whence.errors.BY_CODE.get(error["code"]), getattr(whence, kind, None), name)
        self.assertEqual(set(whence.errors.BY_CODE), {error["code"] for error in declared.values()})


if __name__ == "__main__":
    unittest.main()
