"""Claim: a typed client can be generated from the OpenRPC document alone. Method: a small generator, which knows OpenRPC and
nothing of this program, writes a module with a TypedDict for each object and a method for each method; mypy takes it under its
strict rules, refuses wrong uses, and the module works against a running server.
"""
import importlib.util
import keyword
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from client_case import ClientCase

HEAD = """from typing import Any, Callable, Literal, Required, TypedDict

"""

USE = """
from generated import Client, Response

def use(client: Client) -> None:
    found = client.lineage_ancestors(ref="resp_1", include=["record"], limit=10)
    for node in found.get("nodes", []):
        weight: float = node["weight"]
        ref: str = node["ref"]
        record = node.get("record")
        if record is not None and record["$type$"] == "Response":
            model: str = record["model"]
    response: Response = {"$type$": "Response", "timestamp": "2025-10-09T16:15:00Z", "agent": "a", "model": "m",
                          "context_units": [{"context_unit_id": "cu_a", "weight": 1}]}
    written: int = client.records_write(records=[response])["tx"]
"""

# A use, and what mypy says of it.
WRONG = (
    ("client.node_got()", 'has no attribute "node_got"'),
    ('client.node_get(reff="cu_a")', 'Unexpected keyword argument "reff"'),
    ("client.impact_blame(limit='all')", 'incompatible type "str"'),
    ("client.rag_get()", 'Missing named argument "request_id"'),
    ('client.server_info()["versions"]', 'has no key "versions"'),
    ('client.server_info()["tx"].upper()', 'has no attribute "upper"'),
    ('client.export_start(format="gml")', 'incompatible type'),
)


class Generator:
    """Python source from an OpenRPC document."""

    def __init__(self, document):
        self.document, self.schemas = document, document["components"]["schemas"]
        self.classes = []

    def type_of(self, schema, name):
        """The annotation of a schema; objects in it become classes that start with `name`."""
        if "$ref" in schema:
            return f'"{schema["$ref"].rsplit("/", 1)[1]}"'
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        for either in ("anyOf", "oneOf"):
            if either in schema:
                return self.union(self.type_of(one, f"{name}{place}") for place, one in enumerate(schema[either], 1))
        if "allOf" in schema:
            return self.class_of(self.merged(schema), name)
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union(self.type_of({**schema, "type": one}, name) for one in kind)
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}), name + 'Item')}]"
        if kind == "object" and schema.get("properties"):
            return self.class_of(schema, name)
        if kind == "object":
            return f"dict[str, {self.type_of(schema.get('additionalProperties') or {}, name + 'Value')}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind, "Any")

    @staticmethod
    def union(types):
        """Quotes go around the whole: a name alone may be one of a class that follows."""
        types = [one.strip('"') for one in types]
        return '"' + " | ".join(one.replace('"', "'") for one in dict.fromkeys(types)) + '"'

    def merged(self, schema):
        made = {"properties": {}, "required": []}
        for one in schema["allOf"]:
            one = self.schemas[one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
            made["properties"].update(one.get("properties", {}))
            made["required"] += one.get("required", [])
        return made

    def class_of(self, schema, name):
        required = schema.get("required", ())
        members = []
        for member, one in schema["properties"].items():
            kind = self.type_of(one, name + re.sub(r"\W", "", member).title())
            members.append(f"    {member!r}: {f'Required[{kind}]' if member in required else kind},\n")
        self.classes.append(f'{name} = TypedDict("{name}", {{\n{"".join(members)}}}, total=False)\n')
        return f'"{name}"'

    def method(self, method):
        name = method["name"].replace(".", "_")
        title = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        parts, names = [], []
        for param in method["params"]:
            argument = re.sub(r"\W", "_", param["name"])
            argument += "_" * keyword.iskeyword(argument)
            kind = self.type_of(param["schema"], title + argument.title())
            parts.append(f"{argument}: {kind}" if param["required"] else f"{argument}: {self.union([kind, 'None'])} = None")
            names.append(f"{param['name']!r}: {argument}")
        result = self.type_of(method["result"]["schema"], title + "Result")
        head = f"    def {name}(self{', *' if parts else ''}{''.join(', ' + part for part in parts)}) -> {result}:\n"
        return head + (f"        _given: dict[str, Any] = {{{', '.join(names)}}}\n        result: {result} = self._call({method['name']!r}, "
                       "{name: value for name, value in _given.items() if value is not None})\n        return result\n")

    def module(self):
        shared = []
        for name, schema in self.schemas.items():
            if schema.get("properties"):
                self.class_of(schema, name)
            else:
                shared.append(f"{name} = {self.type_of(schema, name)}\n".replace('"', ""))
        methods = "\n".join(map(self.method, self.document["methods"]))
        # An alias of several classes comes after them; annotations that use it are quoted.
        aliases = sorted(shared, key=lambda line: "|" in line)
        plain = [line for line in aliases if "|" not in line]
        unions = [line.replace(" | ", ", ").replace(" = ", " = Union[", 1).rstrip("\n") + "]\n" for line in aliases if "|" in line]
        return (HEAD.replace("TypedDict", "TypedDict, Union") + "".join(plain) + "\n" + "\n".join(self.classes) + "\n" + "".join(unions)
                + "\n\nclass Client:\n    def __init__(self, call: Callable[[str, dict[str, Any]], Any]) -> None:\n"
                "        self._call = call\n\n" + methods)


class GeneratedClientTest(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        generated = tempfile.TemporaryDirectory()
        cls.addClassCleanup(generated.cleanup)
        cls.path = Path(generated.name)
        (cls.path / "generated.py").write_text(Generator(cls.server.rpc("rpc.discover")).module(), encoding="utf-8")

    def mypy(self, text):
        (self.path / "use.py").write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.path / "cache", "use.py", "generated.py"],
                              cwd=self.path, capture_output=True, text=True)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_it_compiles_and_refuses_wrong_uses(self):
        done = self.mypy(USE)
        self.assertEqual(done.returncode, 0, done.stdout[:3000] + done.stderr)
        lines = "".join(f"    {use}\n" for use, _ in WRONG)
        said = self.mypy(f"from generated import Client\n\ndef use(client: Client) -> None:\n{lines}").stdout.splitlines()
        for number, (use, message) in enumerate(WRONG, 4):
            with self.subTest(use):
                self.assertTrue(any(line.startswith(f"use.py:{number}:") and message in line for line in said), said)

    def test_it_works_against_a_server(self):
        spec = importlib.util.spec_from_file_location("generated", self.path / "generated.py")
        generated = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(generated)
        client = generated.Client(self.server.rpc)
        ids = self.write_units(3)
        found = client.lineage_ancestors(ref=self.id_of("resp"), include=["record"], limit=2)
        self.assertEqual((len(found["nodes"]), found["complete"], found["reason"]), (2, False, "limit"))
        rest = client.lineage_ancestors(ref=self.id_of("resp"), cursor=found["cursor"])
        self.assertEqual({node["id"] for node in found["nodes"] + rest["nodes"]}, set(ids))
        written = client.records_write(records=[{"$type$": "Topic", "id": self.id_of("topic"), "name": "T"}])
        self.assertEqual(written["refs"], [f"Topic:{self.id_of('topic')}"])
        self.assertEqual(client.node_count(type="Topic")["count"], 1)
        self.assertEqual(client.server_info()["tx"], written["tx"])


if __name__ == "__main__":
    unittest.main()
