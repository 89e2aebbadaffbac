"""A DOT file as Graphviz reads it: `gvpr` walks the graph and prints every name and attribute on a line of its own,
which is safe because no line break is unescaped in the texts of a file. Graphviz keeps `\\\\` and `\\n` as they are
written; they are undone here.
"""
import re
import subprocess

from graph_readers import Read

ATTRIBUTES = ("label", "type", "status", "weight")


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text, flags=re.DOTALL)


def _walk(path, program):
    made = subprocess.run(["gvpr", program, str(path)], capture_output=True, check=True)
    if made.stderr:
        raise AssertionError(made.stderr.decode(errors="replace")[:2000])
    return made.stdout.decode("utf-8").split("\n")[:-1]


def _program(kind, names, attributes):
    """Prints the names, then each attribute that the graph declares for this kind, of every node (N) or edge (E)."""
    lines = [f"print({name});" for name in names]
    lines += [f'if (isAttr($G, "{kind}", "{a}")) print(aget($, "{a}")); else print("");' for a in attributes]
    return f"{kind} {{ {' '.join(lines)} }}"


def _rows(lines, width):
    if len(lines) % width:
        raise AssertionError(f"{len(lines)} lines do not come in rows of {width}: a text holds a line break")
    return [[unescaped(line) for line in lines[i:i + width]] for i in range(0, len(lines), width)]


def dot_by_gvpr(path):
    """Absent attributes are empty."""
    about = _walk(path, 'BEG_G { print($.directed ? "directed" : "undirected", $.strict ? " strict" : ""); }')
    if about != ["directed"]:
        raise AssertionError(about)
    nodes, edges = {}, []
    for name, *values in _rows(_walk(path, _program("N", ["$.name"], ATTRIBUTES)), 1 + len(ATTRIBUTES)):
        nodes[name] = dict(zip(ATTRIBUTES, values))
    for tail, head, *values in _rows(_walk(path, _program("E", ["$.tail.name", "$.head.name"], ATTRIBUTES)), 2 + len(ATTRIBUTES)):
        edges.append((tail, head, dict(zip(ATTRIBUTES, values))))
    return Read(nodes, edges)
