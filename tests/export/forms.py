"""How each format shows the truth: its ids, its attributes, what it cannot hold."""
import json
import re
from collections import Counter
from datetime import datetime, timezone

from truth import EDGE_ENDS, attribute_type, compact, id_of, node_type

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text):
    return NOT_XML.sub("\ufffd", text)


def xml_id(ref):
    return NOT_XML.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), ref)


def count_not_xml(texts):
    return sum(len(NOT_XML.findall(t)) for t in texts)


def typed(name, value):
    """A value of JSON as a reader gives it by the declared type."""
    kind = attribute_type(name)
    return float(value) if kind == "double" else value if kind in ("long", "boolean") else str(value)


def typed_all(attributes, text=lambda t: t):
    return {name: text(value) if isinstance(value, str) else value for name, value in
            ((name, typed(name, value)) for name, value in attributes.items())}


def edge_attributes(edge):
    """What an edge carries, without its ends."""
    return {name: value for name, value in edge.items() if name not in EDGE_ENDS}


def frozen(value):
    """Anything of JSON as something that can be counted; JSON texts by what they say, 1 and 1.0 alike."""
    if isinstance(value, dict):
        return frozenset((k, frozen(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if isinstance(value, str) and value[:1] in "{[" and value:
        try:
            return ("json", frozen(json.loads(value)))
        except ValueError:
            return value
    return value if isinstance(value, (bool, str, type(None))) else float(value)


def counted(edges):
    """A Counter of (from, to, attributes)."""
    return Counter((a, b, frozen(attributes)) for a, b, attributes in edges)


def time_of(record):
    """The record's own time as text, whatever form its record type uses; "" where it has none."""
    time = next((record[m] for m in ("timestamp", "createdAt") if m in record), "")
    if not isinstance(time, int):
        return time
    seconds = datetime.fromtimestamp(time // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return seconds + (f".{time % 1000:03}".rstrip("0") if time % 1000 else "") + "Z"


def csv_node(node):
    attributes = node.attributes()
    return [node.ref, node_type(node.ref), id_of(node.ref), str(node.tx), node.status or "", "", time_of(node.record),
            attributes["label"], compact(node.record)]


def csv_edge(edge):
    rest = {k: v for k, v in edge.items() if k not in ("from", "to", "type", "tx", "weight")}
    return [edge["from"], edge["to"], edge["type"], str(edge["tx"]), compact(edge["weight"]) if "weight" in edge else "",
            compact(rest)]
