"""Claim: a folder of evidence of any history is verified by `whence check`, with every event of it proved, after deletions and purges too;
a bundle of a period has each event of it that the log has, and no others but changes of the key.

Method: random histories over all types; bundles are checked by the checker of proof_test.py. WHENCE_TEST_SEED repeats a run.
"""
import contextlib
import json
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from proof import proof_test
from support.all_types import AllTypes
from support.program import WHENCE, RpcError, clean_env, seed_of_run, whence
from support.wire_case import INVALID_PARAMS, NOT_FOUND, WireCase

SEED = seed_of_run()
STEPS = 40
FORM = '<html><script type="application/json" id="case"></script><script>document</script></html>'


class EvidenceProofTest(WireCase):
    checked = proof_test.ProofTest.checked

    def evidence(self, *args):
        """The folder, and what `whence check` says of it."""
        place = Path(tempfile.mkdtemp(dir=self.folder.name))
        (place / "explorer").mkdir()
        for name in ("index.html", "case.html"):
            (place / "explorer" / name).write_text(FORM)
        program = place / "whence"
        shutil.copy2(WHENCE, program)
        done = subprocess.run([program, "evidence", "--url", self.server.url, "-o", place / "out", *args], capture_output=True, text=True,
                              env=clean_env(), timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        key = whence("key", "--url", self.server.url).stdout.strip()
        return place / "out", json.loads(whence("check", place / "out", "--key", key, "--json").stdout)

    def test_any_history_is_verified(self):
        print("seed", SEED)
        chance = random.Random(SEED)
        world = AllTypes(self, chance)
        middle = None
        for step in range(STEPS):
            with contextlib.suppress(RpcError):
                world.step()
            if chance.random() < 0.2 and (ref := world.any_of("ContextUnit", "Message", "Response", "Answer", "ProvEntity", "ProvAgent")):
                whence("purge", "--yes", "--url", self.server.url, ref)
            if chance.random() < 0.2 and (ref := world.any_of("ContextUnit", "Response", "Answer", "ProvEntity", "RetrievedChunk")):
                with contextlib.suppress(RpcError):
                    self.rpc("records.delete", refs=[ref], force=True)
                    world.forget([ref])
            if step == STEPS // 2:
                middle = self.rpc("server.info")["tx"]
        head = self.rpc("server.info")["tx"]
        out, found = self.evidence("--from", "-1d")
        self.assertTrue(found["verified"], found)
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        self.assertEqual((found["events"], found["proved"]), (len(events), len(events)))
        shown = len([event for event in events if "record" in event])
        self.assertGreater(found["records"], shown // 2)
        first = self.rpc("log.checkpoint", tx=middle)["size"]
        last = self.rpc("log.checkpoint", tx=head)["size"]
        bundle = self.rpc("log.bundle", first_tx=middle + 1, last_tx=head)
        events = self.checked(bundle)
        self.assertEqual(sorted(events), list(range(first, last)))
        self.assertTrue(all(middle < line["tx"] <= head for line, _ in events.values()))
        one = next(line["ref"] for line, _ in events.values() if line["op"] == "put")
        events = self.checked(self.rpc("log.bundle", ref=one, first_tx=middle + 1))
        self.assertEqual({line["ref"] for line, _ in events.values()}, {one})

    def test_what_cannot_be_is_refused(self):
        self.write({"$type$": "Topic", "id": "t"})
        head = self.rpc("server.info")["tx"]
        for params in ({}, {"last_tx": 1}, {"ref": "Topic:t", "last_tx": 1}, {"first_tx": 0}, {"first_tx": 1, "why": True}):
            self.refused(INVALID_PARAMS, "log.bundle", **params)
        for params in ({"first_tx": head + 1}, {"first_tx": 1, "last_tx": head + 1}, {"first_tx": 1, "beside": ["Topic:none"]}):
            self.refused(NOT_FOUND, "log.bundle", **params)
        self.refused(NOT_FOUND, "log.checkpoint", tx=head + 1)
        self.rpc("records.delete", refs=["Topic:t"])
        self.refused(NOT_FOUND, "log.bundle", first_tx=head + 1)  # nothing that it could be about
        deleted = self.checked(self.rpc("log.bundle", ref="Topic:t", first_tx=head))
        self.assertEqual([line["op"] for line, _ in deleted.values()], ["put", "delete"])


if __name__ == "__main__":
    unittest.main()
