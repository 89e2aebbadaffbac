"""PROV-JSON documents as other tools write them, each with its own traps, and the one form in which two documents are
compared.
"""
from collections import Counter

XSD = {"xsd": "http://www.w3.org/2001/XMLSchema#", "prov": "http://www.w3.org/ns/prov#"}
QNAME_TYPES = ("xsd:QName", "prov:QUALIFIED_NAME", "prov:QualifiedName")
LONG = "x" * 300

VALUES = {
    "prefix": {"ex": "http://example.org/", "default": "http://example.org/plain/", "dct": "http://purl.org/dc/terms/"},
    "entity": {
        "report": {"prov:label": "A report", "dct:title": [{"$": "Bericht", "lang": "de"}, {"$": "Report", "lang": "en-GB"},
                                                           "Report"]},
        "ex:numbers": {"ex:plain": 5, "ex:float": 5.5, "ex:true": True, "ex:int": {"$": "05", "type": "xsd:int"},
                       "ex:long": {"$": "9223372036854775807", "type": "xsd:long"},
                       "ex:double": {"$": "1E-7", "type": "xsd:double"},
                       "ex:decimal": {"$": "1.10", "type": "xsd:decimal"}, "ex:boolean": {"$": "1", "type": "xsd:boolean"},
                       "ex:string": {"$": "text", "type": "xsd:string"}, "ex:own": {"$": "1;2", "type": "ex:point"},
                       "ex:time": {"$": "2024-02-29T23:59:59.123456789+05:30", "type": "xsd:dateTime"},
                       "ex:uri": {"$": "http://example.org/?a=b&c", "type": "xsd:anyURI"}, "ex:empty": "",
                       "ex:list": [1, 2, "2", {"$": "2", "type": "xsd:int"}]},
        "ex:names": {"prov:type": [{"$": "ex:Chart", "type": "xsd:QName"}, {"$": "prov:Plan", "type": "prov:QUALIFIED_NAME"},
                                   "text"],
                     "ex:see": {"$": "report", "type": "prov:QUALIFIED_NAME"}},
        "ex:text": {"prov:label": "\"quotes\" \\ \n\t\u0001 <&> 😀 \u202eשלום", "prov:value": {"$": "5", "type": "xsd:int"},
                    "prov:location": "here"},
        "ex:many": [{"ex:version": 1}, {"ex:version": 2, "prov:label": "again"}],
        "ex:same": [{"ex:a": 1}, {"ex:a": 1}],
        "ex:bare": {"ex:int": {"$": 5, "type": "xsd:int"}, "ex:double": {"$": 0.1, "type": "xsd:double"},
                    "ex:boolean": {"$": True, "type": "xsd:boolean"},
                    "ex:int2": {"$": "5", "type": "xsd:int"}},
        "ex:a:b": {}, "ex:a%2Fb.c-d": {}, "ex:" + LONG: {}, "ex:über": {"ex:größe": 1},
    },
}

RELATIONS = {
    "prefix": {"ex": "http://example.org/rel#"},
    "entity": {f"ex:e{i}": {} for i in range(1, 9)},
    "activity": {"ex:a1": {"prov:startTime": "2024-01-01T00:00:00Z", "prov:endTime": "2024-01-01T01:00:00+01:00",
                           "prov:type": "write"},
                 "ex:a2": {}, "ex:a3": {"prov:endTime": "2024-01-02T00:00:00.5Z"}},
    "agent": {"ex:ann": {"prov:type": {"$": "prov:Person", "type": "xsd:QName"}},
              "ex:org": {"prov:type": {"$": "prov:Organization", "type": "prov:QUALIFIED_NAME"}}},
    "used": {"_:u1": {"prov:activity": "ex:a1", "prov:entity": "ex:e1"},
             "ex:u2": {"prov:activity": "ex:a1", "prov:entity": "ex:e2", "prov:time": "2024-01-01T00:30:00Z",
                       "prov:role": "input", "ex:n": {"$": "3", "type": "xsd:int"}},
             "_:u3": {"prov:activity": "ex:a2"}},
    "wasGeneratedBy": {"_:g1": {"prov:entity": "ex:e3", "prov:activity": "ex:a1"},
                       "ex:g2": {"prov:entity": "ex:e4", "prov:activity": "ex:a1", "prov:time": "2024-01-01T00:45:00Z"},
                       "_:g3": {"prov:entity": "ex:e5", "prov:time": "2024-01-01T00:45:00Z"}},
    "wasInvalidatedBy": {"_:i1": {"prov:entity": "ex:e1", "prov:activity": "ex:a3", "prov:time": "2024-01-02T00:00:00Z"}},
    "wasInformedBy": {"_:if1": {"prov:informed": "ex:a2", "prov:informant": "ex:a1"}},
    "wasStartedBy": {"_:s1": {"prov:activity": "ex:a2", "prov:trigger": "ex:e3", "prov:starter": "ex:a1",
                              "prov:time": "2024-01-01T02:00:00Z"}, "_:s2": {"prov:activity": "ex:a3"}},
    "wasEndedBy": {"_:e1": {"prov:activity": "ex:a2", "prov:trigger": "ex:e4", "prov:ender": "ex:a1"}},
    "wasDerivedFrom": {"_:d1": {"prov:generatedEntity": "ex:e3", "prov:usedEntity": "ex:e1"},
                       "ex:d2": {"prov:generatedEntity": "ex:e4", "prov:usedEntity": "ex:e2", "prov:activity": "ex:a1",
                                 "prov:generation": "ex:g2", "prov:usage": "ex:u2",
                                 "prov:type": {"$": "prov:Revision", "type": "prov:QUALIFIED_NAME"}}},
    "wasAttributedTo": {"_:at1": {"prov:entity": "ex:e3", "prov:agent": "ex:ann", "ex:share": 0.5}},
    "wasAssociatedWith": {"_:as1": {"prov:activity": "ex:a1", "prov:agent": "ex:ann", "prov:plan": "ex:e8",
                                    "prov:role": "author"}, "_:as2": {"prov:activity": "ex:a2", "prov:agent": "ex:org"}},
    "actedOnBehalfOf": {"_:b1": {"prov:delegate": "ex:ann", "prov:responsible": "ex:org", "prov:activity": "ex:a1"},
                        "_:b2": {"prov:delegate": "ex:ann", "prov:responsible": "ex:org"}},
    "wasInfluencedBy": {"_:in1": {"prov:influencee": "ex:e5", "prov:influencer": "ex:ann", "ex:why": "asked"}},
    "specializationOf": {"_:sp1": {"prov:specificEntity": "ex:e6", "prov:generalEntity": "ex:e3"}},
    "alternateOf": {"_:al1": {"prov:alternate1": "ex:e6", "prov:alternate2": "ex:e7"}},
    "hadMember": {"_:m1": {"prov:collection": "ex:e8", "prov:entity": "ex:e1"},
                  "_:m2": {"prov:collection": "ex:e8", "prov:entity": "ex:e2"}},
}

REPEATED = {  # the same relation several times, under one id and without id; several of one id as an array
    "prefix": {"ex": "http://example.org/rep/"},
    "entity": {"ex:a": {}, "ex:b": {}},
    "activity": {"ex:x": [{"prov:startTime": "2024-01-01T00:00:00Z"}, {"ex:note": "the same activity, said again"}]},
    "used": {"ex:u": [{"prov:activity": "ex:x", "prov:entity": "ex:a", "ex:n": 1},
                      {"prov:activity": "ex:x", "prov:entity": "ex:a", "ex:n": 2}],
             "_:1": {"prov:activity": "ex:x", "prov:entity": "ex:b"}, "_:2": {"prov:activity": "ex:x", "prov:entity": "ex:b", "ex:n": 3}},
}

MEMBERS = {  # one membership of several
    "prefix": {"ex": "http://example.org/members/"},
    "entity": {"ex:all": {"prov:type": {"$": "prov:Collection", "type": "prov:QUALIFIED_NAME"}}, "ex:a": {}, "ex:b": {}},
    "hadMember": {"_:1": {"prov:collection": "ex:all", "prov:entity": ["ex:a", "ex:b"]}},
}

KEYWORDS = {  # prefixes that PROV-N has as words of its grammar
    "prefix": {"entity": "http://example.org/e/", "agent": "http://example.org/a/", "document": "http://example.org/d/",
               "prefix": "http://example.org/p/", "used": "http://example.org/u/", "bundle": "http://example.org/b/"},
    "entity": {"entity:one": {"document:note": {"$": "prefix:x", "type": "prov:QUALIFIED_NAME"}}, "entity:two": {}},
    "agent": {"agent:ann": {}},
    "wasAttributedTo": {"used:1": {"prov:entity": "entity:one", "prov:agent": "agent:ann"}},
    "bundle": {"bundle:one": {"prefix": {"activity": "http://example.org/act/"}, "entity": {"activity:thing": {}}}},
}

UNDECLARED = {
    "prefix": {"ex": "http://example.org/un/"},
    "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "ex:after", "prov:usedEntity": "ex:before"}},
    "wasAssociatedWith": {"_:2": {"prov:activity": "ex:work", "prov:agent": "ex:worker"}},
}

CYCLE = {
    "prefix": {"ex": "http://example.org/cycle/"},
    "entity": {"ex:1": {}, "ex:2": {}, "ex:3": {}},
    "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "ex:2", "prov:usedEntity": "ex:1"},
                       "_:2": {"prov:generatedEntity": "ex:3", "prov:usedEntity": "ex:2"},
                       "_:3": {"prov:generatedEntity": "ex:1", "prov:usedEntity": "ex:3"},
                       "_:4": {"prov:generatedEntity": "ex:1", "prov:usedEntity": "ex:1"}},
}

BUNDLES = {
    "prefix": {"ex": "http://example.org/outer/", "b": "http://example.org/bundles/"},
    "entity": {"b:one": {"prov:type": {"$": "prov:Bundle", "type": "prov:QUALIFIED_NAME"}},
               "b:two": {"prov:type": {"$": "prov:Bundle", "type": "xsd:QName"}},
               "ex:thing": {"ex:where": "outside"}},
    "bundle": {
        "b:one": {"prefix": {"ex": "http://example.org/inner/"}, "entity": {"ex:thing": {"ex:where": "inside one"}},
                  "agent": {"ex:bob": {}},
                  "wasAttributedTo": {"_:1": {"prov:entity": "ex:thing", "prov:agent": "ex:bob"}}},
        "b:two": {"prefix": {"own": "http://example.org/own/", "default": "http://example.org/two/"},
                  "entity": {"own:x": {"prov:type": {"$": "own:T", "type": "prov:QUALIFIED_NAME"}}, "plain": {}},
                  "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "own:x", "prov:usedEntity": "plain"},
                                     "_:2": {"prov:generatedEntity": "own:x", "prov:usedEntity": "ex:thing"}}},
    },
    "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "b:two", "prov:usedEntity": "b:one"}},
}

LATER_PREFIX = {"prefix": {"ex": "http://example.org/another/"},
                "entity": {"ex:e1": {"ex:k": {"$": "ex:v", "type": "prov:QUALIFIED_NAME"}}}}

OTHERS = {"values": VALUES, "relations": RELATIONS, "repeated": REPEATED, "members": MEMBERS, "undeclared": UNDECLARED,
          "cycle": CYCLE, "bundles": BUNDLES,
          "later prefix": LATER_PREFIX, "empty": {}}

# name, document: none of them may be taken.
BROKEN = [
    ("an array", []), ("a section that is no object", {"entity": []}),
    ("a record that is no object", {"prefix": {"ex": "http://e/"}, "entity": {"ex:a": 5}}),
    ("a prefix that is no text", {"prefix": {"ex": 5}}),
    ("a relation without both ends", {"prefix": {"ex": "http://e/"}, "used": {"_:1": {}}}),
    ("an end that is no text", {"prefix": {"ex": "http://e/"}, "used": {"_:1": {"prov:activity": 5, "prov:entity": "ex:a"}}}),
    ("a typed value without value", {"prefix": {"ex": "http://e/"}, "entity": {"ex:a": {"ex:k": {"type": "xsd:int"}}}}),
    ("an unknown section", {"prefix": {"ex": "http://e/"}, "wasEatenBy": {"_:1": {"prov:entity": "ex:a"}}}),
    ("a bundle in a bundle", {"prefix": {"ex": "http://e/"}, "bundle": {"ex:b": {"bundle": {"ex:c": {}}}}}),
]


def iri(name, prefixes):
    """The full IRI of a qualified name."""
    prefix, colon, local = name.partition(":")
    if colon and prefix in prefixes:
        return prefixes[prefix] + local
    return prefixes.get("default", "") + name


def _value(value, prefixes):
    if not isinstance(value, dict):
        return (type(value).__name__ if isinstance(value, bool) else "", value)
    if value.get("type") in QNAME_TYPES:
        return ("name", value["type"], iri(value["$"], prefixes))
    return ("typed", iri(value["type"], prefixes) if "type" in value else None, value.get("lang"), value["$"])


ENDS = {"prov:" + m for m in ("activity", "entity", "agent", "trigger", "starter", "ender", "informed", "informant",
                              "generatedEntity", "usedEntity", "generation", "usage",
                              "plan", "delegate", "responsible", "influencee", "influencer", "specificEntity",
                              "generalEntity", "alternate1", "alternate2", "collection")}


def _record(record, prefixes):
    made = []
    for name, values in record.items():
        if name in ENDS:
            made += [(name, iri(value, prefixes)) for value in (values if isinstance(values, list) else [values])]
        else:
            made += [(iri(name, prefixes), repr(_value(v, prefixes))) for v in (values if isinstance(values, list) else [values])]
    return tuple(sorted(made))


def statements(document, outer=None, bundle=None):
    """A Counter of (bundle, kind, id or None, attributes), all names as full IRIs: equal for equal documents."""
    prefixes = {**(outer or XSD), **document.get("prefix", {})}
    made = Counter()
    for kind, records in document.items():
        if kind == "bundle":
            for name, inner in records.items():
                made += statements(inner, prefixes, iri(name, prefixes))
                made[iri(name, prefixes), "bundle", None, ()] += 1
        elif kind != "prefix":
            for name, of_name in records.items():
                for record in of_name if isinstance(of_name, list) else [of_name]:
                    made[bundle, kind, None if name.startswith("_:") else iri(name, prefixes), _record(record, prefixes)] += 1
    return made
