"""The worked files: transaction 1 of the worked history in every format, to the byte where the bytes are given, else
member by member in the order given. The file's own line breaks and indentation outside of strings are left open, except
where a rule fixes them.
"""
import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

from export_case import ExportCase, files_of, store
from graph_readers import GRAPHML

UNIT, RESPONSE = "ContextUnit:cu_a", "Response:resp_1"
UNIT_RECORD = '{"$type$":"ContextUnit","id":"cu_a","type":"User","source":"s","timestamp":"2025-10-09T16:15:00Z","version":1}'
RESPONSE_RECORD = ('{"$type$":"Response","id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"a","model":"m",'
                   '"context_units":[{"context_unit_id":"cu_a","weight":1}]}')
USED = '[{"context_unit_id":"cu_a","weight":1}]'
EDGE = f'{{"from":"{UNIT}","to":"{RESPONSE}","type":"USED_IN","tx":1,"basis":"given","weight":1}}'

NODE_A = [("ref", UNIT), ("type", "ContextUnit"), ("tx", "1"), ("label", "cu_a"), ("status", "active"), ("context_type", "User"),
          ("source", "s"), ("timestamp", "2025-10-09T16:15:00Z"), ("version", "1")]
NODE_R = [("ref", RESPONSE), ("type", "Response"), ("tx", "1"), ("label", "resp_1"), ("timestamp", "2025-10-09T16:15:00Z"),
          ("agent", "a"),
          ("model", "m"), ("context_units", USED)]
EDGE_DATA = [("type", "USED_IN"), ("tx", "1"), ("basis", "given"), ("weight", "1")]


def of_json(pairs):
    """Attributes as members of a JSON object, numbers as numbers."""
    return ",".join(f'"{k}":{v if k in ("tx", "version", "weight") else json.dumps(v)}' for k, v in pairs)


LINK = f'{{"source":"{UNIT}","target":"{RESPONSE}","key":"USED_IN",{of_json(EDGE_DATA)}}}'
NODE_LINK = (f'{{"directed":true,"multigraph":true,"graph":{{"tx":1}},"nodes":[{{"id":"{UNIT}",{of_json(NODE_A)}}},'
             f'{{"id":"{RESPONSE}",{of_json(NODE_R)}}}],"edges":[{LINK}]}}')
CYTOSCAPE = (f'{{"data":[],"directed":true,"multigraph":true,"elements":{{"nodes":['
             f'{{"data":{{"id":"{UNIT}","value":"{UNIT}","name":"cu_a",{of_json(NODE_A)}}}}},'
             f'{{"data":{{"id":"{RESPONSE}","value":"{RESPONSE}","name":"resp_1",{of_json(NODE_R)}}}}}],"edges":[{{"data":{LINK}}}]}}}}')


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


NODES_CSV = (f"{UNIT},ContextUnit,cu_a,1,active,,2025-10-09T16:15:00Z,cu_a,{quoted(UNIT_RECORD)}",
             f"{RESPONSE},Response,resp_1,1,,,2025-10-09T16:15:00Z,resp_1,{quoted(RESPONSE_RECORD)}")
EDGES_CSV = f'{UNIT},{RESPONSE},USED_IN,1,1,"{{""basis"":""given""}}"\n'

PROV = {
    "prefix": {"ContextUnit": "urn:whence:ContextUnit:", "Response": "urn:whence:Response:", "agent": "urn:whence:agent:",
               "gen": "urn:whence:generation:", "whence": "urn:whence:ns#"},
    "entity": {
        UNIT: {"prov:type": {"$": "whence:ContextUnit", "type": "prov:QUALIFIED_NAME"}, "prov:label": "cu_a",
               "whence:tx": {"$": "1", "type": "xsd:long"}, "whence:status": "active", "whence:record": UNIT_RECORD},
        RESPONSE: {"prov:type": {"$": "whence:Response", "type": "prov:QUALIFIED_NAME"}, "prov:label": "resp_1",
                   "whence:tx": {"$": "1", "type": "xsd:long"}, "whence:record": RESPONSE_RECORD}},
    "activity": {"gen:resp_1": {"prov:endTime": "2025-10-09T16:15:00Z"}},
    "agent": {"agent:a": {"prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"}, "prov:label": "a"}},
    "wasGeneratedBy": {"_:1": {"prov:entity": RESPONSE, "prov:activity": "gen:resp_1", "prov:time": "2025-10-09T16:15:00Z"}},
    "wasAssociatedWith": {"_:2": {"prov:activity": "gen:resp_1", "prov:agent": "agent:a", "whence:model": "m"}},
    "used": {"_:3": {"prov:activity": "gen:resp_1", "prov:entity": UNIT, "whence:edge": "USED_IN",
                     "whence:tx": {"$": "1", "type": "xsd:long"}, "whence:basis": "given", "whence:weight": {"$": "1", "type": "xsd:double"}}}}
PROV_N_USED = (f'used(gen:resp_1, {UNIT}, -, [whence:edge="USED_IN", whence:tx="1" %% xsd:long, whence:basis="given", whence:weight="1" %% xsd:double])')


def without_space(text):
    """JSON text without white space between its tokens."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m[1] or "", text)


class WorkedFilesTest(ExportCase):
    def file(self, format):
        return store("worked").export(format, "--as-of", 1).read_text(encoding="utf-8")

    def test_jsonl(self):
        at = store("worked").events[0]["at"]
        self.assertEqual(self.file("jsonl"),
                         f'{{"tx":1,"at":"{at}","op":"put","ref":"{UNIT}","record":{UNIT_RECORD},"edges":[]}}\n'
                         f'{{"tx":1,"at":"{at}","op":"put","ref":"{RESPONSE}","record":{RESPONSE_RECORD},"edges":[{EDGE}]}}\n')

    def test_node_link(self):
        self.assertEqual(without_space(self.file("node-link")), NODE_LINK)

    def test_cytoscape(self):
        self.assertEqual(without_space(self.file("cytoscape")), CYTOSCAPE)

    def test_dot(self):
        text = self.file("dot")
        self.assertTrue(re.match(r"\s*digraph\b", text), text[:80])
        statements = [f'"{UNIT}" [label="cu_a", type="ContextUnit", status="active"];',
                      f'"{RESPONSE}" [label="resp_1", type="Response"];',
                      f'"{UNIT}" -> "{RESPONSE}" [label="USED_IN", type="USED_IN", basis="given", weight="1"];']
        self.assertEqual([line.strip() for line in text.splitlines() if "[" in line], statements)

    def test_csv(self):
        self.assertEqual(files_of(store("worked").export("csv", "--as-of", 1)),
                         {"nodes.csv": f"ref,type,id,tx,status,gone,time,label,record\n{NODES_CSV[0]}\n{NODES_CSV[1]}\n".encode(),
                          "edges.csv": f"from,to,type,tx,weight,attributes\n{EDGES_CSV}".encode()})

    def test_prov_json(self):
        def ordered(pairs):
            return [list(pair) for pair in pairs]
        got = json.loads(self.file("prov-json"), object_pairs_hook=ordered)
        self.assertEqual(got, json.loads(json.dumps(PROV), object_pairs_hook=ordered))

    def test_prov_n(self):
        text = self.file("prov-n")
        self.assertEqual([line.strip() for line in text.splitlines() if line.strip().startswith("used(")], [PROV_N_USED])
        self.assertEqual((text.split()[0], text.split()[-1]), ("document", "endDocument"))

    def test_graphml(self):
        text = self.file("graphml")
        for line in ('<key id="k2" for="node" attr.name="tx" attr.type="long"/>',
                     '<key id="k15" for="edge" attr.name="weight" attr.type="double"/>', '<graph edgedefault="directed">',
                     '<node id="n0">', '<node id="n1">', '<edge id="e0" source="n0" target="n1">'):
            self.assertIn(line, text)
        self.assertLess(text.rindex("<key "), text.index("<graph "), "keys are declared before the graph")
        root = ElementTree.fromstring(text)
        names = {key.get("id"): key.get("attr.name") for key in root.findall(GRAPHML + "key")}
        self.assertNotIn("id", names.values())
        got = [[(names[d.get("key")], d.text) for d in element] for element in root.find(GRAPHML + "graph")]
        self.assertEqual(got, [NODE_A, NODE_R, EDGE_DATA])


if __name__ == "__main__":
    unittest.main()
