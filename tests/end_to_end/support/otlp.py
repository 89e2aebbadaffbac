"""OTLP as exporters send it: spans and log records as JSON and, written field by field, as protobuf; and a client for it."""
import gzip
import http.client
import json
import struct


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def sized(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def proto_value(value):
    if isinstance(value, bool):
        return varint(2 << 3) + varint(int(value))
    if isinstance(value, int):
        return varint(3 << 3) + varint(value)
    if isinstance(value, float):
        return varint(4 << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, list):
        return sized(5, b"".join(sized(1, proto_value(each)) for each in value))
    if isinstance(value, dict):
        return sized(6, proto_pairs(1, value))
    return sized(1, value)


def proto_pairs(field, attributes):
    return b"".join(sized(field, sized(1, key) + sized(2, proto_value(value))) for key, value in attributes.items())


def json_value(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [json_value(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": json_pairs(value)}}
    return {"stringValue": value}


def json_pairs(attributes):
    return [{"key": key, "value": json_value(value)} for key, value in attributes.items()]


def span(trace, span_id, name, start, end, attributes, parent=None, events=(), links=()):
    """A span: ids in hex, times in nanoseconds; events are (time, name, attributes), links are (trace, span)."""
    return {"trace": trace, "span": span_id, "name": name, "start": start, "end": end, "attributes": attributes,
            "parent": parent, "events": list(events), "links": list(links)}


def log(trace, span_id, event, time, attributes=None, body=None, by_attribute=False):
    return {"trace": trace, "span": span_id, "event": event, "time": time, "attributes": attributes or {}, "body": body,
            "by_attribute": by_attribute}


def proto_span(each):
    out = sized(1, bytes.fromhex(each["trace"])) + sized(2, bytes.fromhex(each["span"]))
    if each["parent"]:
        out += sized(4, bytes.fromhex(each["parent"]))
    out += sized(5, each["name"]) + varint(6 << 3) + varint(3) + fixed64(7, each["start"]) + fixed64(8, each["end"]) + proto_pairs(9, each["attributes"])
    for time, name, attributes in each["events"]:
        out += sized(11, fixed64(1, time) + sized(2, name) + proto_pairs(3, attributes))
    for trace, other in each["links"]:
        out += sized(13, sized(1, bytes.fromhex(trace)) + sized(2, bytes.fromhex(other)))
    return out


def json_span(each):
    out = {"traceId": each["trace"], "spanId": each["span"], "name": each["name"], "kind": 3,
           "startTimeUnixNano": str(each["start"]), "endTimeUnixNano": str(each["end"]),
           "attributes": json_pairs(each["attributes"]),
           "events": [{"timeUnixNano": str(time), "name": name, "attributes": json_pairs(attributes)}
                      for time, name, attributes in each["events"]],
           "links": [{"traceId": trace, "spanId": other} for trace, other in each["links"]]}
    return {**out, "parentSpanId": each["parent"]} if each["parent"] else out


def attributes_of(each):
    named = {"event.name": each["event"]} if each["by_attribute"] else {}
    return {**each["attributes"], **named}


def proto_log(each):
    out = fixed64(1, each["time"]) + proto_pairs(6, attributes_of(each))
    if each["body"] is not None:
        out += sized(5, proto_value(each["body"]))
    out += sized(9, bytes.fromhex(each["trace"])) + sized(10, bytes.fromhex(each["span"]))
    return out if each["by_attribute"] else out + sized(12, each["event"])


def json_log(each):
    out = {"timeUnixNano": str(each["time"]), "traceId": each["trace"], "spanId": each["span"],
           "attributes": json_pairs(attributes_of(each))}
    if each["body"] is not None:
        out["body"] = json_value(each["body"])
    return out if each["by_attribute"] else {**out, "eventName": each["event"]}


RESOURCE = {"service.name": "shop", "telemetry.sdk.language": "python"}


def body_of(items, signal, form):
    """The body of one request with all of `items`: of `RESOURCE`, or that which an item names."""
    is_traces = signal == "traces"
    by_resource = {}
    for each in items:
        resource = {**RESOURCE, **each.get("resource", {})}
        by_resource.setdefault(json.dumps(resource), (resource, []))[1].append(each)
    if form == "json":
        write, scopes, records = (json_span, "scopeSpans", "spans") if is_traces else (json_log, "scopeLogs", "logRecords")
        return json.dumps({"resourceSpans" if is_traces else "resourceLogs": [
            {"resource": {"attributes": json_pairs(resource)}, scopes: [{"scope": {"name": "tests"}, records: [write(each) for each in own]}]}
            for resource, own in by_resource.values()]}).encode()
    write = proto_span if is_traces else proto_log
    return b"".join(sized(1, sized(1, proto_pairs(1, resource)) + sized(2, sized(1, sized(1, "tests")) + b"".join(sized(2, write(each)) for each in own)))
                    for resource, own in by_resource.values())


def post(server, path, body, form="json", headers=None, coding=None):
    """(status, headers, body) of the answer."""
    connection = http.client.HTTPConnection(server.authority, timeout=60)
    fields = {"Content-Type": "application/json" if form == "json" else "application/x-protobuf", **(headers or {})}
    if coding:
        fields["Content-Encoding"] = coding
        body = gzip.compress(body) if coding == "gzip" else body
    try:
        connection.request("POST", path, body=body, headers=fields)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def send(server, items, form="json", coding=None):
    """Sends spans and log records as an exporter does, traces and logs apart."""
    answers = []
    for signal, own in (("traces", [each for each in items if "parent" in each]),
                        ("logs", [each for each in items if "event" in each])):
        if own:
            answers.append(post(server, "/v1/" + signal, body_of(own, signal, form), form, coding=coding))
    return answers
