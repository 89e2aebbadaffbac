"""Claim: a log keeps the newest checkpoint that each of its witnesses signed, over restarts, with signatures that stand without the program;
nothing else is kept: not what others signed, what the log did not sign, nor what is altered.

Method: witnesses that are written from C2SP tlog-cosignature alone and sign with OpenSSL's command.
"""
import time
import unittest
import urllib.request
from pathlib import Path

from proof.proof_test import is_signed
from proof.witness import Witness
from support.program import Server, unit, wait_until, whence
from support.wire_case import CONFLICT, INVALID_PARAMS, FreshServerCase

FUTURE = 3600
FIRST, SECOND, STRANGER = Witness("witness.example/one"), Witness("witness.example/two"), Witness("witness.example/one")


class WitnessTest(FreshServerCase):
    flags = ("--witness", FIRST.key, "--witness", SECOND.key)

    def setUp(self):
        super().setUp()
        self.write(unit("first"))
        self.now = int(time.time())

    def note(self):
        return self.rpc("log.checkpoint")["checkpoint"]

    def cosigned(self):
        return self.rpc("log.checkpoint").get("cosigned", [])

    def wait_for_line(self, text):
        wait_until(lambda: any(text in line for line in self.server.stderr_lines), text)

    def is_refused(self, note, rule):
        self.refused((INVALID_PARAMS,), "log.cosign", rule, "/note", note=note)

    def test_the_newest_of_each_witness_is_kept(self):
        self.assertEqual(self.cosigned(), [])
        note = self.note()
        key = self.rpc("log.checkpoint")["key"]
        answer = self.rpc("log.cosign", note=FIRST.sign(note, self.now))
        self.assertEqual(answer["witnesses"][0]["key"], FIRST.key)
        self.rpc("log.cosign", note=SECOND.sign(note, self.now + 1))
        (both,) = self.cosigned()
        self.assertEqual([each["key"] for each in both["witnesses"]], [FIRST.key, SECOND.key])
        self.assertTrue(FIRST.has_signed(both["checkpoint"], self.now) and SECOND.has_signed(both["checkpoint"], self.now + 1))
        self.assertTrue(is_signed(both["checkpoint"], key))
        with urllib.request.urlopen(self.server.url + "/log/checkpoint") as page:
            self.assertEqual(page.read().decode(), both["checkpoint"])
        self.write(unit("second"))
        newer = self.note()
        self.rpc("log.cosign", note=FIRST.sign(newer, self.now + 2))
        older = self.rpc("log.cosign", note=FIRST.sign(note, self.now + 3))  # later, of an older tree
        self.assertEqual(older["witnesses"], [])
        self.server.kill()
        self.server = Server(self.db, *self.flags)
        one, other = self.cosigned()
        self.assertGreater(one["size"], other["size"])
        self.assertTrue(FIRST.has_signed(one["checkpoint"], self.now + 2))
        self.assertTrue(SECOND.has_signed(other["checkpoint"], self.now + 1))
        self.assertFalse(FIRST.has_signed(other["checkpoint"], self.now))
        with urllib.request.urlopen(self.server.url + "/log/checkpoint") as page:
            self.assertTrue(FIRST.has_signed(page.read().decode(), self.now + 2))

    def test_what_is_not_of_this_log_or_not_of_its_witnesses_is_refused(self):
        note = self.note()
        origin, size, root = note.split("\n")[:3]
        lines = note.split("\n\n")[1]
        self.is_refused(note, "cosignature")
        self.is_refused(STRANGER.sign(note, self.now), "cosignature")
        self.is_refused(FIRST.sign(note, self.now + FUTURE), "cosignature")
        self.is_refused(FIRST.sign(f"{origin}\n{size}\n{root}\n\n", self.now), "checkpoint")
        self.is_refused(FIRST.sign(f"{origin}\n{int(size) + 1}\n{root}\n\n{lines}", self.now), "checkpoint")
        self.is_refused("no note", "checkpoint")
        good = FIRST.sign(note, self.now)
        line = good.splitlines()[-1]
        bad = line[:40] + ("A" if line[40] != "A" else "B") + line[41:]
        self.is_refused(good.replace(line, bad), "cosignature")
        self.assertEqual(self.cosigned(), [])
        self.rpc("log.cosign", note=STRANGER.sign(good, self.now))  # what others signed besides is dropped
        self.assertFalse(STRANGER.has_signed(self.cosigned()[0]["checkpoint"], self.now))

    def test_who_is_no_witness_any_more_has_signed_nothing(self):
        self.rpc("log.cosign", note=SECOND.sign(FIRST.sign(self.note(), self.now), self.now))
        self.server.kill()
        self.server = Server(self.db, "--witness", SECOND.key)
        (left,) = self.cosigned()
        self.assertEqual([each["key"] for each in left["witnesses"]], [SECOND.key])

    def test_after_another_log_takes_its_place_what_was_signed_before_is_gone(self):
        self.write(unit("second"))
        self.rpc("log.cosign", note=FIRST.sign(self.note(), self.now))
        signed = self.note()
        self.server.kill()
        kept = [(name, (Path(self.db) / name).read_bytes()) for name in ("log.key", "log.cosignatures")]
        self.db += "2"
        with Server(self.db):  # set back: one event less
            pass
        for name, content in kept:
            (Path(self.db) / name).write_bytes(content)
        self.server = Server(self.db, *self.flags)
        self.write(unit("first"))
        self.assertEqual(self.cosigned(), [])
        self.refused((CONFLICT,), "log.cosign", note=FIRST.sign(signed, self.now + 1))
        self.wait_for_line("log_forked")
        self.rpc("log.cosign", note=FIRST.sign(self.note(), self.now + 2))
        (one,) = self.cosigned()
        self.assertTrue(FIRST.has_signed(one["checkpoint"], self.now + 2))
        self.write(unit("another"))
        self.refused((CONFLICT,), "log.cosign", note=FIRST.sign(signed, self.now + 3))  # another root of one size
        metrics = self.server.get("/metrics")[1].decode().splitlines()
        self.assertIn("whence_log_forked 1", [line for line in metrics if line.startswith("whence_log_forked")])

    def test_a_log_without_events_is_signed_too(self):
        with Server(self.db + "3", *self.flags) as empty:
            note = empty.rpc("log.checkpoint", {})["checkpoint"]
            self.assertEqual(empty.rpc("log.cosign", {"note": FIRST.sign(note, self.now)})["size"], 0)
            self.assertEqual(len(empty.rpc("log.checkpoint", {})["cosigned"]), 1)

    def test_a_damaged_file_is_said_and_left_out(self):
        self.rpc("log.cosign", note=FIRST.sign(self.note(), self.now))
        self.server.kill()
        (Path(self.db) / "log.cosignatures").write_text("[")
        self.server = Server(self.db, *self.flags)
        self.wait_for_line("does not read as it was written")
        self.assertEqual(self.cosigned(), [])
        self.rpc("log.cosign", note=FIRST.sign(self.note(), self.now))
        self.assertEqual(len(self.cosigned()), 1)

    def test_a_key_that_signs_no_checkpoints_is_no_witness(self):
        key = self.rpc("log.checkpoint")["key"]
        done = whence("serve", "--db", self.db + "2", "--listen", "127.0.0.1:0", "--witness", key)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cosignatures", done.stderr)


if __name__ == "__main__":
    unittest.main()
