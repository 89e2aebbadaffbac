"""Claim: the next version of a context unit is made from the last one and what changed, by the method, by the program and by a
record that leaves its version out; and a version that is deleted leaves the one before it current.

Method: each way on a server, with what it answers and what is then stored. Nothing is random.
"""
from support.program import whence
from support.wire_case import CONFLICT, INVALID_PARAMS, INVALID_RECORD, NOT_FOUND, PRECONDITION, WireCase


class UpdateTest(WireCase):
    with_files = False

    def unit(self, **more):
        ref = f"cu_{self.name}"
        self.write({"$type$": "ContextUnit", "id": ref, "type": "User", "source": "file:a", "content": "old", "summary": "about",
                    "embedding_id": "vec_1", "attributes": {"k": 1}, **more})
        return ref

    def test_what_is_left_out_stays_and_null_clears(self):
        first = self.unit()
        answer = self.rpc("unit.update", ref=first, content="new")
        self.assertEqual(answer["version"], 2)
        second = self.record(answer["ref"])
        self.assertEqual({m: second[m] for m in ("type", "source", "content", "summary", "version", "previous_version_id", "attributes")},
                         {"type": "User", "source": "file:a", "content": "new", "summary": "about", "version": 2,
                          "previous_version_id": first, "attributes": {"k": 1}})
        self.assertNotIn("embedding_id", second)
        third = self.record(self.rpc("unit.update", ref=answer["ref"], summary=None, embedding_id="vec_2")["ref"])
        self.assertEqual((third["version"], third["content"], third["embedding_id"], "summary" in third), (3, "new", "vec_2", False))

    def test_what_is_refused(self):
        first = self.unit()
        self.rpc("unit.update", ref=first, id=first + "_2", summary="more")
        self.refused(CONFLICT, "unit.update", "successor", "/ref", ref=first, summary="again")
        self.refused(NOT_FOUND, "unit.update", "unknown_reference", "/ref", ref="cu_nobody", summary="s")
        self.refused(INVALID_PARAMS, "unit.update", "required", ref=first + "_2")
        self.refused(INVALID_PARAMS, "unit.update", "required", "/source", ref=first + "_2", source=None)
        self.refused(INVALID_PARAMS, "unit.update", "ref", "/ref", ref="Topic:t", summary="s")
        self.refused((INVALID_RECORD, INVALID_PARAMS), "unit.update", "length", "/summary", ref=first + "_2", summary="x" * 501)

    def test_the_program_updates_too(self):
        first = self.unit()
        done = whence("update", first, "summary=a=b", 'attributes={"k":2}', "content=null", "--url", self.server.url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        second = self.record(done.stdout.strip())
        self.assertEqual((second["summary"], second["attributes"], "content" in second), ("a=b", {"k": 2}, False))
        for wrong in ("nonsense", "=x", "attributes={", "ref=x"):
            self.assertEqual(whence("update", first, wrong, "--url", self.server.url).returncode, 2, wrong)

    def test_a_version_that_is_left_out_is_counted(self):
        first = self.unit()
        for number in (2, 3):
            before = first if number == 2 else f"{first}_2"
            record = {"$type$": "ContextUnit", "id": f"{first}_{number}", "type": "User", "source": "file:a",
                      "previous_version_id": before}
            self.write(record)
            self.assertTrue(self.write(record)["unchanged"])
            self.assertEqual(self.record(f"{first}_{number}")["version"], number)

    def test_deleting_the_newest_version_makes_the_one_before_current(self):
        first = self.unit()
        second = self.rpc("unit.update", ref=first, summary="2")["ref"]
        third = self.rpc("unit.update", ref=second, summary="3")["ref"]
        self.refused(PRECONDITION, "records.delete", "in_use", refs=[second])
        self.rpc("records.delete", refs=[second], force=True)
        listed = self.rpc("versions.list", ref=first, include=["status"])["versions"]
        self.assertEqual([(v["version"], v["status"], v.get("dangling")) for v in listed], [(1, "updated", None), (3, "active", True)])
        self.assertEqual(self.rpc("versions.list", ref=third)["versions"][0]["id"], first)
        self.rpc("records.delete", refs=[third])
        events = self.rpc("history.get", ref=first)["events"]
        self.assertEqual([(e["op"], e.get("status")) for e in events], [("put", None), ("status", "updated"), ("status", "active")])
        self.assertEqual(self.rpc("unit.update", ref=first, summary="again")["version"], 2)


class ManifestTest(WireCase):
    with_files = False

    def test_what_the_server_made_it_takes_back(self):
        units = [{"$type$": "ContextUnit", "id": f"cu_m{i}", "type": "User", "source": f"file:{i}", "summary": "s" * 250} for i in range(40)]
        uses = [{"context_unit_id": u["id"], "weight": (i + 1) / 820} for i, u in enumerate(units)]
        response = {"$type$": "Response", "id": "resp_m", "timestamp": "2025-10-09T16:15:00Z", "agent": "a", "model": "m",
                    "content": "It is so.", "latency_ms": 3, "context_units": uses}
        self.write(*units, response)
        self.rpc("records.delete", refs=["cu_m0"], force=True)
        made = self.rpc("lineage.manifest", response_id="resp_m")
        self.assertLess(made["manifest_bytes"], 5120)
        self.assertEqual(made["omitted"][:2], ["summary", "edges"])
        self.assertNotIn("edges", made["manifest"]["provenance_tree"])
        head = self.head()
        again = self.write({"$type$": "LineageManifest", **made["manifest"]})
        self.assertTrue(again["unchanged"])
        self.assertEqual(self.head(), head)
        few = self.rpc("lineage.manifest", response_id="resp_m", max_bytes=9000)
        self.assertEqual(few["omitted"], ["summary"])
        kept = ["summary" in node for node in few["manifest"]["context_tree"]]
        self.assertEqual(kept, sorted(kept, reverse=True))
        self.assertTrue(any(kept))
