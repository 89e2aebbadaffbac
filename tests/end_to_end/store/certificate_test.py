"""Claim: an erasure leaves a record that names nobody, and a certificate of it is accepted by every verifier, whatever comes later; it has
no name, text or id of the erased, and no hash by which somebody could try a guess of them; nobody but an erasure makes such a record.

Method: persons are erased by a named token from logs of growing length, so that every shape of proof occurs. Guesses are the lines that
a reader of the certificate could write down for each ref that went: with the time, the transaction and the reason of the certificate.
"""
import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support.program import Server, clean_env, whence, write_private
from support.wire_case import INVALID_RECORD, NOT_FOUND, PRECONDITION, FreshServerCase

VERIFY = Path(__file__).resolve().parents[3] / "tools" / "verify"
NODE = shutil.which("node")
REASON, SECRET = "asked on 3 May", "s3cret-of-the-operator"


def answer(name, person):
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": "2026-01-01T00:00:00Z", "agent": "a", "model": "m", "person": person,
            "content": f"said to {person}", "context_units": [{"content": f"asked by {person}", "source": "chat", "type": "User", "weight": 1}]}


def hash_of(line):
    return base64.b64encode(hashlib.sha256(b"\0" + line.encode()).digest()).decode()


def hashes_in(certificate):
    return set(certificate["extension"]) | {each for event in certificate["events"] for each in event["proof"]}


class CertificateTest(FreshServerCase):
    def setUp(self):
        super().setUp()
        self.key = whence("key", "--url", self.server.url).stdout.strip()

    def erased(self, person):
        self.write(answer(person, person))
        return self.rpc("person.erase", person=person, reason=REASON)

    def verdict(self, certificate):
        """What the three verifiers say, which is the same."""
        text = json.dumps(certificate)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            ours = whence("check", file.name, "--key", self.key, "--json")
            python = subprocess.run([sys.executable, VERIFY / "whence-verify", file.name, "--key", self.key, "--json"], capture_output=True)
        said = json.loads(ours.stdout)
        self.assertEqual((ours.returncode, python.returncode), (0, 0) if said["verified"] else (8, 1), (ours.stderr, python.stderr))
        if said["verified"]:
            self.assertEqual(json.loads(python.stdout), said)
        if NODE:
            program = f"import {{verify}} from {json.dumps((VERIFY / 'verify.mjs').as_uri())}; " \
                      f"console.log(JSON.stringify(verify({json.dumps(text)}, [{json.dumps(self.key)}])))"
            node = subprocess.run([NODE, "--input-type=module", "-e", program], capture_output=True, check=True)
            self.assertEqual(json.loads(node.stdout)["verified"], said["verified"])
        return said

    def test_each_certificate_is_accepted_and_has_nothing_to_guess_by(self):
        erasures = []
        for i in range(12):
            self.write(*[{"$type$": "Topic", "id": f"t{i}-{j}"} for j in range(1 + i % 3)])
            erasures.append(self.erased(f"anna-{i}"))
        for i, done in enumerate(erasures):
            certificate = self.rpc("person.certificate", ref=done["erasure"])
            said = self.verdict(certificate)
            self.assertEqual((said["about"], said["erased"], said["events"]), (done["erasure"], len(done["purged"]), 1))
            attributes = json.loads(said["erasure"])["attributes"]
            counts = {name[7:]: count for name, count in attributes.items() if isinstance(count, int)}
            self.assertEqual(counts, {"ContextUnit": 1, "Person": 1, "Response": 1})
            self.assertEqual(attributes["whence:reason"], REASON)
            text = json.dumps(certificate) + said["erasure"]
            self.assertNotIn("anna", text)
            line = json.loads(certificate["events"][0]["line"])
            for ref in done["purged"]:
                self.assertNotIn(ref.split(":", 1)[1], text)
                event = self.rpc("log.proof", ref=ref, tx=done["tx"])["line"]
                told = {"tx": line["tx"], "at": line["at"], "op": "expire", "ref": ref, "purged": True, "reason": REASON}
                guess = json.dumps(told, separators=(",", ":"))
                nonce = json.loads(event)["nonce"]
                self.assertEqual(event, f'{guess[:-1]},"nonce":"{nonce}"}}')
                self.assertEqual(len(bytes.fromhex(nonce)), 32)
                self.assertNotIn(nonce, text)
                self.assertNotIn(hash_of(guess), hashes_in(certificate))

    def test_what_is_changed_in_a_certificate_is_refused(self):
        certificate = self.rpc("person.certificate", ref=self.erased("anna")["erasure"])
        self.assertTrue(self.verdict(certificate)["verified"])

        def changed(change):
            copy = json.loads(json.dumps(certificate))
            change(copy)
            return [(each["path"], each["rule"]) for each in self.verdict(copy)["failures"]]

        def say_less(copy):
            copy["events"][0]["record"] = copy["events"][0]["record"].replace('"whence:Response":1', '"whence:Response":0')

        def begin_later(copy):
            copy["before"]["size"] += 1

        def call_it_a_bundle(copy):
            copy["format"] = "whence-proof-1"

        self.assertEqual(changed(say_less), [("/events/0/record", "commitment")])
        self.assertEqual(changed(begin_later), [("/extension", "extension"), ("/about", "erasure")])
        self.assertIn(("", "unknown"), changed(call_it_a_bundle))
        self.assertEqual(changed(lambda copy: copy.pop("extension")), [("/extension", "type")])

    def test_no_other_record_has_a_certificate(self):
        fake = "ProvActivity:urn:whence:erasure:00000000-0000-4000-8000-000000000000"
        self.refused(INVALID_RECORD, "records.write", "server_field", records=[{"$type$": "ProvActivity", "id": fake.split(":", 1)[1], "qname": "whence:erasure:" + fake.rsplit(":", 1)[1],
                     "attributes": {"prov:type": "whence:Erasure", "whence:Person": 1}, "prefixes": {"whence": "urn:whence:"}}])
        self.write(answer("x", "anna"))
        self.refused(NOT_FOUND, "person.certificate", ref=fake)
        self.refused(NOT_FOUND, "person.certificate", ref="Response:resp_x")
        self.refused(NOT_FOUND, "person.certificate", ref="Person:nobody")
        purged = self.rpc("records.purge", refs=["Response:resp_x"])
        self.assertNotIn("erasure", purged)
        self.refused(NOT_FOUND, "person.certificate", ref="Response:resp_x")
        self.assertNotIn("erasure", self.rpc("person.erase", person="anna", dry_run=True))
        self.assertIn("erasure", self.rpc("person.erase", person="anna"))
        self.assertNotIn("erasure", self.rpc("person.erase", person="anna"))

    def test_the_record_of_an_erasure_is_the_servers_own(self):
        ref = self.erased("anna")["erasure"]
        record = self.rpc("node.get", ref=ref, include=["record"])["nodes"][0]["record"]
        record["attributes"]["whence:Response"] = 4711
        self.refused(INVALID_RECORD, "records.write", "server_field", "/id", records=[record])
        for force in (False, True):
            self.refused(PRECONDITION, "records.delete", "erasure", "/refs", refs=[ref], force=force)
        self.assertEqual(len(self.rpc("person.certificate", ref=ref)["events"]), 1)

    def test_another_store_takes_a_prov_document_without_it(self):
        self.erased("anna")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(whence("export", "--format", "prov-json", "-o", folder + "/all.json", "--url", self.server.url).returncode, 0)
            taken = whence("import", folder + "/all.json", "--db", folder + "/db")
            self.assertEqual((taken.returncode, taken.stderr.count("(server_field)")), (0, 1), taken.stderr)
            self.assertNotIn("erasure", whence("find", "ProvActivity", "--db", folder + "/db").stdout)

    def test_the_tree_is_the_same_when_it_is_made_anew_and_a_certificate_stays_true(self):
        ref = self.erased("anna")["erasure"]
        before = self.rpc("person.certificate", ref=ref)
        self.server.kill()
        shutil.rmtree(Path(self.db) / "tree")
        self.server = Server(self.db)
        self.write({"$type$": "Topic", "id": "later"})
        after = self.rpc("person.certificate", ref=ref)
        self.assertEqual(after["before"], before["before"])
        self.assertEqual(after["events"][0]["line"], before["events"][0]["line"])
        for each in (before, after):
            self.assertTrue(self.verdict(each)["verified"])
        self.assertTrue(self.rpc("admin.verify")["ok"])

    def test_the_command_line_erases_by_a_named_token_and_writes_the_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            digest = hashlib.sha256(SECRET.encode()).hexdigest()
            tokens = write_private(folder + "/tokens", f"sha256:{digest} name=ops role=admin\n")
            with Server(folder + "/db", "--tokens", tokens, token=SECRET) as server:
                def run(*args):
                    return whence(*args, "--url", server.url, env=clean_env() | {"WHENCE_TOKEN": SECRET})

                server.rpc("records.write", {"records": [answer("a", "anna")]})
                done = run("person", "erase", "anna", "--yes", "--reason", REASON, "-o", folder + "/certificate")
                self.assertEqual(done.returncode, 0, done.stderr)
                ref = done.stdout.strip().splitlines()[-1].removeprefix("recorded as ")
                self.assertEqual(json.loads(run("person", "certificate", ref).stdout)["about"], ref)
                self.assertNotEqual(run("person", "certificate", "Response:resp_a").returncode, 0)
                key = run("key").stdout.strip()
            checked = whence("check", folder + "/certificate", "--key", key)
            self.assertEqual(checked.returncode, 0, checked.stdout)
            self.assertIn("erased:    3 records", checked.stdout)
            self.assertIn('"whence:by":"ops"', checked.stdout)
            self.assertNotIn("anna", Path(folder, "certificate").read_text())


if __name__ == "__main__":
    unittest.main()
