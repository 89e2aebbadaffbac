"""The image of tools/package container, run by podman without rights and on a root that cannot be written. Run by tests/packages/run."""
import hashlib
import json
import os
import secrets
import tempfile
import unittest
from pathlib import Path

from machine import Booted, run
from whence_e2e import wait_until

PACKAGES = Path(os.environ["PACKAGES"])
PODMAN = Booted.PODMAN
USER = 65532
SIZE_MAX = 100_000_000


class ContainerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        archive = next(PACKAGES.glob("whence-*.image.tar"))
        cls.image = run(*PODMAN, "load", "-q", "-i", archive).stdout.strip().removeprefix("Loaded image: ")
        cls.inspected = json.loads(run(*PODMAN, "image", "inspect", cls.image).stdout)[0]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tokens = Path(folder.name) / "tokens"
        self.tokens.touch(0o600)
        self.token = secrets.token_hex(16)
        self.tokens.write_text(f"sha256:{hashlib.sha256(self.token.encode()).hexdigest()} name=test role=admin\n")
        os.chown(self.tokens, USER, USER)
        self.volume = f"whence-test-{secrets.token_hex(4)}"
        self.addCleanup(run, *PODMAN, "volume", "rm", "-f", self.volume, check=False)

    def start(self):
        """A server as .containers/README.md starts it, but with a network of its own."""
        name = run(*PODMAN, "run", "-d", "--network=none", "--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--ulimit=nofile=4096:4096",
                   "--ulimit=nproc=4000:4000", "-v", f"{self.volume}:/var/lib/whence", "-v", f"{self.tokens}:/etc/whence/tokens:ro",
                   self.image).stdout.split()[-1]
        self.addCleanup(run, *PODMAN, "rm", "-f", "-t", "5", name, check=False)
        wait_until(lambda: self.inside(name, "health", check=False).returncode == 0, "a healthy server")
        return name

    def inside(self, name, *arguments, check=True, stdin=None):
        return run(*PODMAN, "exec", f"--env=WHENCE_TOKEN={self.token}", *(["-i"] if stdin else []), name, "/usr/bin/whence", *arguments, check=check, input=stdin)

    def test_it_holds_what_runs_and_no_more(self):
        size = self.inspected["Size"]
        print(f"\n  {self.image}: {size / 1e6:.1f} MB", end="")
        self.assertLess(size, SIZE_MAX)
        self.assertEqual(self.inspected["Config"]["User"], f"{USER}:{USER}")
        name = self.start()
        for shell in ("/bin/sh", "/bin/bash", "/usr/bin/apt", "/usr/bin/dpkg"):
            self.assertNotEqual(run(*PODMAN, "exec", name, shell, "-c", "true", check=False).returncode, 0, shell)

    def test_it_keeps_its_store_in_the_volume_and_checks_itself(self):
        name = self.start()
        self.assertEqual(run(*PODMAN, "healthcheck", "run", name).returncode, 0)
        unit = {"$type$": "ContextUnit", "id": "cu_a", "type": "External", "source": "s", "timestamp": "2025-10-20T09:00:00Z", "version": 1}
        self.inside(name, "put", "-", stdin=json.dumps(unit))
        run(*PODMAN, "stop", "-t", "30", name)
        self.assertEqual(run(*PODMAN, "inspect", "--format", "{{.State.ExitCode}}", name).stdout.strip(), "0")
        again = self.start()
        self.assertIn("ContextUnit:cu_a", self.inside(again, "get", "cu_a").stdout)

    def test_without_tokens_it_does_not_serve(self):
        done = run(*PODMAN, "run", "--rm", "--network=none", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4000:4000", self.image, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/etc/whence/tokens", done.stderr)


if __name__ == "__main__":
    unittest.main()
