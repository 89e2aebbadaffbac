"""Events of OpenLineage as its clients write them, and posting them."""
import gzip
import json
import urllib.error
import urllib.request

SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json"


def facet(**members):
    return {"_producer": "https://example.org/app", "_schemaURL": "https://example.org/facet.json", **members}


def dataset(namespace, name, **facets):
    return {"namespace": namespace, "name": name, **({"facets": facets} if facets else {})}


def event(state, run, time, job, inputs=(), outputs=(), run_facets=None, job_facets=None, namespace="shop"):
    return {"eventType": state, "eventTime": time, "producer": "https://example.org/app", "schemaURL": SCHEMA + "#/$defs/RunEvent",
            "run": {"runId": run, **({"facets": run_facets} if run_facets else {})},
            "job": {"namespace": namespace, "name": job, **({"facets": job_facets} if job_facets else {})},
            "inputs": list(inputs), "outputs": list(outputs)}


def post(server, body, path="/api/v1/lineage", coding=None, token=None, content_type="application/json"):
    """Status, headers and text of the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": content_type}
    if coding == "gzip":
        data, headers["Content-Encoding"] = gzip.compress(data), "gzip"
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(server.url + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as failed:
        with failed:
            return failed.code, failed.headers, failed.read().decode()
