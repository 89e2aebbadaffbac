"""JSON Schema as the OpenRPC document uses it: whether a value is valid, and whether every member that it has is described."""
import jsonschema


class Document:
    def __init__(self, document):
        self.document = document
        self.methods = {method["name"]: method for method in document["methods"]}
        self.schemas = document["components"]["schemas"]

    def _rooted(self, schema):
        return {"components": self.document["components"], **schema}

    def faults(self, schema, value):
        """Where the value breaks the schema."""
        validator = jsonschema.Draft7Validator(self._rooted(schema))
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"[:300] for e in validator.iter_errors(value)]

    def is_valid(self, schema, value):
        return jsonschema.Draft7Validator(self._rooted(schema)).is_valid(value)

    def resolved(self, schema):
        return self.schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    def _parts(self, schema, value):
        """The schemas without references that apply to the value."""
        schema = self.resolved(schema)
        either = schema.get("anyOf") or schema.get("oneOf")
        if either:
            for one in either:
                if self.is_valid(one, value):
                    yield from self._parts(one, value)
        elif "allOf" in schema:
            for one in schema["allOf"]:
                yield from self._parts(one, value)
        else:
            yield schema

    def undescribed(self, schema, value, at=""):
        """Members that no schema names, each by its place."""
        parts = list(self._parts(schema, value))
        if isinstance(value, list):
            items = [part["items"] for part in parts if "items" in part]
            for place, item in enumerate(value if items else ()):
                yield from self.undescribed(items[0], item, f"{at}/{place}")
        elif isinstance(value, dict) and any("properties" in part for part in parts):
            named = {name: one for part in parts for name, one in part.get("properties", {}).items()}
            others = [part["additionalProperties"] for part in parts if part.get("additionalProperties")]
            for name, member in value.items():
                if name in named or others:
                    yield from self.undescribed(named[name] if name in named else others[0], member, f"{at}/{name}")
                elif not any(part in ({}, {"type": "object"}) for part in parts):
                    yield f"{at}/{name}"
