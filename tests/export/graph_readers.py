"""Each graph format, opened by the tools that users open it with, in one form: `Read` with the nodes by their id and the
edges, both in the order in which the reader gives them.
"""
import csv
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import igraph
import networkx
import pandas

csv.field_size_limit(sys.maxsize)
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


class Read:
    """`nodes`: {id: attributes}; `edges`: [(from, to, attributes)]."""

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges


def _from_networkx(graph):
    """Whatever the reader made of it, a graph with or without parallel edges."""
    if not graph.is_directed():
        raise AssertionError("read as undirected")
    return Read(dict(graph.nodes(data=True)), list(graph.edges(data=True)))


def _decoded(text, kind):
    return {"long": int, "int": int, "double": float, "boolean": {"true": True, "false": False}.get}.get(kind, str)(text)


def graphml_by_elements(path):
    """By the XML parser alone, so that empty values and duplicates are seen. The edges have their `id`."""
    keys, nodes, edges = {}, {}, []
    root = ElementTree.parse(path).getroot()
    for key in root.findall(GRAPHML + "key"):
        keys[key.get("id")] = key.get("for"), key.get("attr.name"), key.get("attr.type")

    def data(element):
        made = {}
        for item in element.findall(GRAPHML + "data"):
            owner, name, kind = keys[item.get("key")]
            if owner not in (element.tag.removeprefix(GRAPHML), "all") or name in made:
                raise AssertionError(f"{name} does not belong on {element.attrib}, or is there twice")
            made[name] = _decoded(item.text or "", kind)
        return made

    for element in root.find(GRAPHML + "graph"):
        if element.tag == GRAPHML + "node":
            if element.get("id") in nodes:
                raise AssertionError(f"two nodes with the id {element.get('id')}")
            nodes[element.get("id")] = data(element)
        elif element.tag == GRAPHML + "edge":
            edges.append((element.get("source"), element.get("target"), {"id": element.get("id"), **data(element)}))
    return Read(nodes, edges)


def graphml_by_networkx(path):
    return _from_networkx(networkx.read_graphml(path, force_multigraph=True))


def graphml_by_igraph(path):
    """igraph fills absent values: texts are then empty, numbers NaN; numbers are all floating. It shows an `&` in an XML
    attribute as `&#38;`, however that was written, which is undone here.
    """
    graph = igraph.Graph.Read_GraphML(str(path))
    if not graph.is_directed():
        raise AssertionError("read as undirected")
    names = [name.replace("&#38;", "&") for name in graph.vs["id"]] if graph.vcount() else []
    nodes = {names[v.index]: {k: v[k] for k in v.attribute_names() if k != "id"} for v in graph.vs}
    return Read(nodes, [(names[e.source], names[e.target], e.attributes()) for e in graph.es])


def node_link_by_networkx(path):
    with open(path, encoding="utf-8") as file:
        return _from_networkx(networkx.node_link_graph(json.load(file), link="edges"))


def cytoscape_by_networkx(path):
    with open(path, encoding="utf-8") as file:
        return _from_networkx(networkx.cytoscape_graph(json.load(file)))


def _frame(path):
    return pandas.read_csv(path, dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8")


def csv_by_pandas(folder):
    """The rows as pandas sees them, [(nodes' names, rows), (edges' names, rows)]."""
    return [(list(f.columns), f.values.tolist()) for f in (_frame(Path(folder) / "nodes.csv"),
                                                           _frame(Path(folder) / "edges.csv"))]


def rows_by_csv(path):
    """The rows by Python's strict reader."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))
