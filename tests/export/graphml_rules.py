"""The rules of the GraphML schema (http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd with its module of attributes) for
the elements that exports use: which children in which order, which attributes of which type, and its keys and references.
"""
import re
import xml.etree.ElementTree as ElementTree

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
NMTOKEN = re.compile(r"[-.:\w\u00b7]+")

# The children of an element, as a pattern of their names, each with a space behind it.
CHILDREN = {
    "graphml": r"(desc )?(key )*((data |graph )*)",
    "key": r"(desc )?(default )?",
    "graph": r"(desc )?((data |node |edge |hyperedge )*|locator )",
    "node": r"(desc )?((data |port )*(graph )?|locator )",
    "edge": r"(desc )?(data )*(graph )?",
    "data": r"",
}

OWNERS = {"all", "graphml", "graph", "node", "edge", "hyperedge", "port", "endpoint"}
TYPES = {"boolean", "int", "long", "float", "double", "string"}


def _token(text):
    return NMTOKEN.fullmatch(text) is not None


def _boolean(text):
    return text in ("true", "false", "0", "1")


# The attributes of an element: {name: (whether it is required, whether a value is of its type)}.
ATTRIBUTES = {
    "graphml": {SCHEMA_LOCATION: (False, lambda text: len(text.split()) % 2 == 0)},
    "key": {"id": (True, _token), "for": (False, OWNERS.__contains__), "dynamic": (False, _boolean),
            "attr.name": (False, _token), "attr.type": (False, TYPES.__contains__)},
    "graph": {"id": (False, _token), "edgedefault": (True, {"directed", "undirected"}.__contains__)},
    "node": {"id": (True, _token)},
    "edge": {"id": (False, _token), "directed": (False, _boolean), "source": (True, _token), "target": (True, _token),
             "sourceport": (False, _token), "targetport": (False, _token)},
    "data": {"id": (False, _token), "key": (True, _token), "time": (False, _token)},
}


def _faults_of(element):
    name = element.tag.removeprefix(GRAPHML)
    if not element.tag.startswith(GRAPHML) or name not in CHILDREN:
        yield f"{element.tag} is no element of the schema"
        return
    children = "".join(child.tag.removeprefix(GRAPHML) + " " for child in element)
    if not re.fullmatch(CHILDREN[name], children):
        yield f"{name} holds {children[:200]}"
    if name != "data" and (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        yield f"{name} holds text"
    allowed = ATTRIBUTES[name]
    for attribute, value in element.attrib.items():
        if attribute not in allowed:
            yield f"{name} has the attribute {attribute}"
        elif not allowed[attribute][1](value):
            yield f"{name}/@{attribute} is {value!r}"
    for attribute, (is_required, _) in allowed.items():
        if is_required and attribute not in element.attrib:
            yield f"{name} has no {attribute}"


def _repeated(what, ids):
    seen = set()
    for id in ids:
        if id in seen:
            yield f"two {what} have the id {id}"
        seen.add(id)


def faults(path):
    """What a validator would say; nothing where the document is valid."""
    root = ElementTree.parse(path).getroot()
    if root.tag != GRAPHML + "graphml":
        return [f"the document is a {root.tag}"]
    found = [fault for element in root.iter() for fault in _faults_of(element)]
    keys = {key.get("id") for key in root.iter(GRAPHML + "key")}
    nodes = {node.get("id") for node in root.iter(GRAPHML + "node")}
    for name in ("key", "node", "edge"):
        found += _repeated(name + "s", [e.get("id") for e in root.iter(GRAPHML + name) if e.get("id") is not None])
    found += [f"data of the key {d.get('key')}" for d in root.iter(GRAPHML + "data") if d.get("key") not in keys]
    found += [f"an edge from or to {end}" for edge in root.iter(GRAPHML + "edge")
              for end in (edge.get("source"), edge.get("target")) if end not in nodes]
    return found
