"""Claim: who has an earlier key of the log follows to the present one from a bundle alone, however often the key changed and whenever the
process was killed; during an overlap both keys sign, after it only the new one; the log itself has each change.

Method: the program, and the three verifiers of bundles; signatures are checked by OpenSSL's command. WHENCE_TEST_SEED repeats a run.
"""
import contextlib
import json
import random
import subprocess
import sys
import threading
import unittest
import urllib.error
from pathlib import Path

from proof.proof_test import checkpoint_of, is_signed
from support.program import RpcError, Server, seed_of_run, unit, wait_until, whence
from support.wire_case import CONFLICT, INVALID_PARAMS, FreshServerCase

SEED = seed_of_run()
VERIFY = Path(__file__).resolve().parents[3] / "tools" / "verify" / "whence-verify"


class RotationTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.write(unit("proved"))

    def key(self, *args, code=0):
        done = whence("key", *args, "--url", self.server.url)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return done.stdout.strip()

    def verdicts(self, *keys):
        """What the program and the script say of a bundle made now: the report, the same of both."""
        path = Path(self.db).parent / "bundle.json"
        done = whence("prove", "ContextUnit:cu_proved", "-o", str(path), "--force", "--url", self.server.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        flags = [part for key in keys for part in ("--key", key)]
        mine = whence("check", str(path), *flags, "--json")
        theirs = subprocess.run([sys.executable, VERIFY, path, *flags, "--json"], capture_output=True, text=True)
        report = json.loads(mine.stdout)
        self.assertEqual(mine.returncode == 0, report["verified"])
        said = json.loads(theirs.stdout)
        self.assertEqual(said["verified"], report["verified"], (said, report))
        if report["verified"]:
            self.assertEqual(said, report)
        return report

    def secrets(self):
        return (Path(self.db) / "log.key").read_text().count("PRIVATE+KEY")

    def test_who_has_the_first_key_follows_to_the_last(self):
        first = self.key()
        second = self.key("--rotate", "--overlap", "1h")
        self.assertNotEqual(first, second)
        self.assertIn(first, self.said)
        note = self.rpc("log.checkpoint")["checkpoint"]
        self.assertTrue(is_signed(note, first) and is_signed(note, second))
        self.assertEqual(sorted(self.verdicts(first, second)["keys"]), sorted([first, second]))
        self.refused((CONFLICT,), "log.rotate")
        self.assertIn("signs until", whence("key", "--rotate", "--url", self.server.url).stderr)
        self.assertEqual(self.secrets(), 2)
        third = self.key("--rotate", "--overlap", "0")
        self.assertEqual(self.said, "")
        note = self.rpc("log.checkpoint")["checkpoint"]
        self.assertEqual([is_signed(note, each) for each in (first, second, third)], [False, False, True])
        self.assertEqual(self.secrets(), 1)
        self.assertEqual((Path(self.db) / "log.key").stat().st_mode & 0o777, 0o600)
        for key in (first, second, third):
            report = self.verdicts(key)
            self.assertEqual((report["verified"], report["keys"]), (True, [third]), report)
        self.server.kill()
        self.server = Server(self.db)
        self.assertEqual(self.key(), third)
        self.assertTrue(self.verdicts(first)["verified"])
        self.assertTrue(self.verdicts(third)["verified"])
        for key in (second, third):
            got = self.rpc("log.proof", ref="ProvEntity:urn:whence-log-key:" + key)
            self.assertEqual(json.loads(got["line"])["op"], "put")
        # Without the record there is nothing that the first key has signed.
        self.rpc("records.delete", refs=["ProvEntity:urn:whence-log-key:" + second])
        refused = self.verdicts(first)
        self.assertEqual(refused["failures"][0]["rule"], "signature")
        self.assertTrue(self.verdicts(third)["verified"])

    def test_an_overlap_ends_without_a_write(self):
        first = self.key()
        self.rpc("log.rotate", overlap_s=1)
        second = self.key()
        wait_until(lambda: "earlier" not in self.rpc("log.checkpoint"), "the overlap to end")
        note = self.rpc("log.checkpoint")["checkpoint"]
        self.assertEqual([is_signed(note, each) for each in (first, second)], [False, True])
        wait_until(lambda: self.secrets() == 1, "the earlier secret to go")
        self.assertNotEqual(self.key("--rotate"), second)

    def test_what_a_client_adds_to_the_record_changes_nothing(self):
        first = self.key()
        self.rpc("log.rotate", overlap_s=0)
        record = self.record("ProvEntity:urn:whence-log-key:" + self.key())
        self.assertEqual(set(record["attributes"]), {"key:change", "key:until"})
        self.write({**record, "attributes": {"key:change": "another"}})
        self.assertEqual(self.verdicts(first)["keys"], [self.key()])

    def test_a_store_that_no_server_holds(self):
        first = self.key()
        self.server.stop()
        done = whence("key", "--rotate", "--overlap", "0", "--db", self.db)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.server = Server(self.db)
        self.assertEqual(self.key(), done.stdout.strip())
        self.assertEqual(self.verdicts(first)["keys"], [self.key()])

    def test_killed_at_any_moment(self):
        print("seed", SEED)
        chance = random.Random(SEED)
        first = self.key()
        for _ in range(4):
            def change(server=self.server):
                with contextlib.suppress(RpcError, OSError, urllib.error.URLError, ValueError, AssertionError):
                    while True:
                        server.rpc("log.rotate", {"overlap_s": 0})
            thread = threading.Thread(target=change, daemon=True)
            begun = self.head()
            thread.start()
            wanted = chance.randrange(1, 12)
            wait_until(lambda: self.head() >= begun + wanted, "changes of the key")
            self.server.kill()
            thread.join()
            self.server = Server(self.db)
            report = self.verdicts(first)
            self.assertEqual((report["verified"], report.get("keys")), (True, [self.key()]), report)
            self.assertEqual(self.secrets(), 1)

    def test_wrong_usage(self):
        self.key("--overlap", "1h", code=2)
        self.key("--rotate", "--overlap", "soon", code=2)
        self.refused((INVALID_PARAMS,), "log.rotate", path="/overlap_s", overlap_s=-1)
        self.assertEqual(checkpoint_of(self.rpc("log.checkpoint")["checkpoint"])[0], "whence/default")


if __name__ == "__main__":
    unittest.main()
