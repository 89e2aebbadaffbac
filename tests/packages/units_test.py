"""What is packaged, looked at without installing it: the units' walls, the settings, one version everywhere."""
import json
import os
import re
import shutil
import subprocess
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "tools/packaging"
WHENCE = os.environ.get("WHENCE", "whence")
EXPOSURE_MAX = 20  # tenths: 2.0


class UnitsTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_services_are_hardened(self):
        services = sorted((PACKAGING / "systemd").glob("*.service"))
        self.assertIn(PACKAGING / "systemd/whence.service", services)
        for service in services:
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", service],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout[-200:] + done.stderr)

    def test_the_settings_are_taken_by_serve_and_name_all_of_them(self):
        text = subprocess.run([PACKAGING / "settings", WHENCE], capture_output=True, text=True, check=True).stdout
        self.assertEqual(tomllib.loads(text), {"db": "/var/lib/whence/store", "listen": "127.0.0.1:7411"})
        shown = subprocess.run([WHENCE, "serve", "--help"], capture_output=True, text=True, check=True).stdout
        flags = re.findall(r"^  --([\w-]+)", shown.partition("Settings (")[2], re.M)
        self.assertGreater(len(flags), 20)
        settings = set(re.findall(r"^#?([\w-]+) = ", text, re.M))
        self.assertEqual(set(flags) - settings, set())

    def test_the_service_runs_what_the_settings_are_for(self):
        service = (PACKAGING / "systemd/whence.service").read_text()
        self.assertIn("ExecStart=/usr/bin/whence serve --config /etc/whence/whence.conf\n", service)
        for socket, name in (("whence", "http"), ("whence-bolt", "bolt")):
            self.assertIn(f"FileDescriptorName={name}\n", (PACKAGING / f"systemd/{socket}.socket").read_text())

    def test_server_and_clients_have_one_version(self):
        version = re.search(r"^project\(whence VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        self.assertEqual(tomllib.loads((ROOT / "tools/python/pyproject.toml").read_text())["project"]["version"], version)
        self.assertEqual(json.loads((ROOT / "tools/javascript/package.json").read_text())["version"], version)
        self.assertEqual(subprocess.run([WHENCE, "--version"], capture_output=True, text=True, check=True).stdout.strip(), version)


if __name__ == "__main__":
    unittest.main()
