"""Claim: the server takes back every manifest that it made, as it is; a manifest of others stays small.

Method: manifests of more bytes than others may have, of responses without sources, into the store that made them and into one
that knows the units. Nothing is random.
"""
import tempfile

from support.program import Server
from support.wire_case import INVALID_RECORD, WireCase

COUNT = 40


def units():
    return [{"$type$": "ContextUnit", "id": f"cu_{n}", "type": "User", "source": "s" * 200, "summary": "x" * 300,
             "timestamp": "2025-01-01T00:00:00Z"} for n in range(COUNT)]


class ManifestBackTest(WireCase):
    with_files = False

    def made(self, max_bytes=None):
        response = {"$type$": "Response", "id": "resp_1", "timestamp": "2025-01-02T00:00:00Z", "agent": "a", "model": "m",
                    "context_units": [{"context_unit_id": f"cu_{n}", "weight": 1 / COUNT} for n in range(COUNT)]}
        self.write(*units(), response)
        answer = self.rpc("lineage.manifest", response_id="resp_1", **({"max_bytes": max_bytes} if max_bytes else {}))
        return {"$type$": "LineageManifest", **answer["manifest"]}, answer["manifest_bytes"]

    def test_a_large_one_is_taken_back(self):
        manifest, size = self.made(max_bytes=1_000_000)
        self.assertGreater(size, 5119)
        for mode in ("strict", "capture"):
            self.assertTrue(self.write(manifest, mode=mode)["unchanged"])
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as other:
            other.rpc("records.write", {"records": units()})
            other.rpc("records.write", {"records": [manifest]})
            got = other.rpc("lineage.manifest", {"response_id": "resp_1", "max_bytes": 1_000_000})["manifest"]
            self.assertEqual({"$type$": "LineageManifest", **got}, manifest)
            other.stop()

    def test_a_large_one_of_others_is_refused(self):
        manifest, _ = self.made(max_bytes=1_000_000)
        with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as other:
            answer = other.post({"jsonrpc": "2.0", "id": 1, "method": "records.write", "params": {"records": [manifest]}})
            self.assertEqual((answer["error"]["code"], answer["error"]["data"]["rule"]), (INVALID_RECORD, "manifest_size"))
            other.stop()

    def test_one_of_a_response_without_sources_is_taken_back(self):
        self.write({"$type$": "Response", "id": "resp_none", "timestamp": "2025-01-02T00:00:00Z", "agent": "a", "model": "m",
                    "context_units": []}, mode="capture")
        manifest = {"$type$": "LineageManifest", **self.rpc("lineage.manifest", response_id="resp_none")["manifest"]}
        self.assertEqual(manifest["context_tree"], [])
        for mode in ("strict", "capture"):
            self.assertTrue(self.write(manifest, mode=mode)["unchanged"])
