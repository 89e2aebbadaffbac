"""The Debian packages on a bare Debian 12: installed, served, upgraded, removed, purged. Run by tests/packages/run."""
import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from machine import Clock, Machine, run

PACKAGES = Path(os.environ["PACKAGES"])
UNIT_SECONDS_MAX = 60
# A client without anything else: prints what is served at / and /readyz.
ASK = "import urllib.request as u, sys; print([u.urlopen('http://127.0.0.1:7411' + p).read().decode() for p in sys.argv[1:]])"


def package(name, version):
    return next(PACKAGES.glob(f"{name}_{version}-1_*.deb"))


def current():
    return max((path.name.split("_")[1].removesuffix("-1") for path in PACKAGES.glob("whence_*.deb")), key=lambda v: [int(n) for n in v.split(".")])


class DebianTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.version = current()

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.machine.apt("update")

    def say(self, text):
        print(f"\n  {text}", end="", flush=True)

    def whence(self, *arguments):
        return self.machine.beside("/usr/bin/whence", *arguments).stdout

    def write(self, name):
        unit = {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": "https://example.org", "timestamp": "2025-10-20T09:00:00Z", "version": 1}
        self.machine.beside("sh", "-c", 'echo "$1" | whence put -', "sh", json.dumps(unit))

    def test_from_package_to_page_in_a_minute(self):
        file = self.machine.copy(package("whence", self.version))
        clock = Clock()
        self.machine.apt("install", file)
        installed = clock.seconds()
        address = self.machine.start()
        served = clock.seconds()
        self.say(f"apt install: {installed:.1f} s, served at {address}: {served:.1f} s after its beginning")
        self.assertEqual(address, "http://127.0.0.1:7411")
        self.assertLess(served, UNIT_SECONDS_MAX)
        self.machine.stop()
        self.machine.apt("install", self.machine.copy(package("python3-whence", self.version)))
        self.machine.start()
        page, ready, app = eval(self.machine.beside("python3", "-c", ASK, "/", "/readyz", "/explorer/app.js").stdout)
        self.assertIn("<!doctype html>", page.lower())
        self.assertEqual(json.loads(ready), {"ready": True, "tx": 0})
        self.assertGreater(len(app), 100_000)
        said = self.machine.beside("python3", "-c", "import whence; db = whence.connect(); print(db.server.info()['tx'])").stdout
        self.assertEqual(said, "0\n")
        for path in ("usr/share/man/man1/whence.1.gz", "usr/share/bash-completion/completions/whence", "usr/share/zsh/vendor-completions/_whence",
                     "usr/share/fish/vendor_completions.d/whence.fish", "etc/logrotate.d/whence", "usr/share/doc/whence/copyright"):
            self.assertTrue((self.machine.system / path).is_file(), path)

    def test_the_server_is_a_user_of_its_own_and_keeps_its_files_to_itself(self):
        self.machine.apt("install", self.machine.copy(package("whence", self.version)))
        self.machine.start()
        self.write("private")
        system = self.machine.system
        names = dict(line.split(":")[0:3:2] for line in (system / "etc/passwd").read_text().splitlines())
        uid = int(names["whence"])
        for path, mode in (("var/lib/whence", 0o750), ("var/log/whence", 0o750), ("var/lib/whence/store", 0o700)):
            status = (system / path).stat()
            self.assertEqual((status.st_uid, oct(status.st_mode & 0o777)), (uid, oct(mode)), path)
        status = (system / "etc/whence").stat()
        self.assertEqual((status.st_uid, oct(status.st_mode & 0o777)), (0, oct(0o750)))
        status = (system / "etc/whence/whence.conf").stat()
        self.assertEqual((status.st_uid, oct(status.st_mode & 0o777)), (0, oct(0o640)))
        conffiles = self.machine.run("dpkg-query", "-W", "-f=${Conffiles}", "whence").stdout
        self.assertEqual(re.findall(r"^ (\S+)", conffiles, re.M), ["/etc/logrotate.d/whence"], "an upgrade asks about each")
        self.assertNotEqual(self.machine.beside("ls", "/var/lib/whence", check=False).returncode, 0)
        self.assertEqual(self.machine.stop(), 0)

    def test_an_upgrade_keeps_the_store_and_the_settings(self):
        self.machine.apt("install", self.machine.copy(package("whence", "0.0.9")))
        self.machine.start()
        self.write("kept")
        before = self.whence("rpc", "server.info")
        self.machine.stop()
        settings = self.machine.system / "etc/whence/whence.conf"
        settings.write_text(settings.read_text() + "\nretention = \"90d\"\n")
        self.machine.apt("install", self.machine.copy(package("whence", self.version)))
        self.assertEqual(self.machine.run("dpkg-query", "-W", "-f", "${Version}", "whence").stdout, self.version + "-1")
        self.assertIn('retention = "90d"', settings.read_text())
        self.machine.start()
        self.assertIn("ContextUnit:cu_kept", self.whence("get", "ContextUnit:cu_kept"))
        self.assertEqual(json.loads(self.whence("rpc", "server.info"))["epoch"], json.loads(before)["epoch"])
        self.say(f"0.0.9 to {self.version}: the record, the epoch and the changed settings are there")

    def test_a_removal_leaves_store_and_settings_and_a_purge_the_store_alone(self):
        machine = self.machine
        # What the package needs is there before, so that the comparison is of the package alone.
        machine.apt("install", machine.copy(package("whence", self.version)))
        machine.run("dpkg", "--purge", "whence")
        before = machine.files()
        self.assertFalse((machine.system / "var/lib/whence").exists(), "nothing was in it")
        machine.apt("install", "/srv/" + package("whence", self.version).name)
        machine.start()
        self.write("evidence")
        machine.stop()
        machine.apt("remove", "whence")
        left = machine.files() - before
        self.say("a removal leaves: " + " ".join(sorted(left)))
        # What deb-systemd-helper knows of enabled units is of every package; a purge takes it.
        self.assertEqual({path for path in left if not re.match(r"etc/|var/lib/whence|var/lib/systemd/deb-systemd-helper", path)}, set())
        self.assertIn("var/lib/whence/store/data.mdb", left)
        self.assertIn("etc/whence/whence.conf", left)
        said = machine.run("apt-get", "-y", "purge", "whence")
        self.assertIn("the stores in /var/lib/whence are left", said.stdout + said.stderr)
        left = machine.files() - before
        self.say("a purge leaves: " + " ".join(sorted(left)))
        self.assertEqual({path for path in left if not path.startswith("var/lib/whence") and not re.match(r"etc/(passwd|group|g?shadow)-?$", path)}, set())
        self.assertFalse((machine.system / "var/log/whence").exists())
        # The store is whole: another installation goes on with it.
        machine.apt("install", "/srv/" + package("whence", self.version).name)
        machine.start()
        self.assertIn("ContextUnit:cu_evidence", self.whence("get", "ContextUnit:cu_evidence"))


class ClientsTest(unittest.TestCase):
    def test_pip_installs_the_wheel(self):
        machine = Machine()
        self.addCleanup(machine.close)
        machine.apt("update")
        machine.apt("install", "python3-pip")
        machine.run("pip", "install", "--break-system-packages", "--no-index", machine.copy(next(PACKAGES.glob("whence-*.whl"))))
        self.assertEqual(machine.run("python3", "-c", "import whence, whence.capture; print(whence.connect.__name__)").stdout, "connect\n")
        self.assertIn("whence/py.typed", machine.run("pip", "show", "-f", "whence").stdout)

    @unittest.skipUnless(shutil.which("npm"), "no npm")
    def test_npm_installs_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            run("npm", "install", "--offline", "--no-audit", "--no-fund", next(PACKAGES.glob("whence-client-*.tgz")), cwd=folder)
            said = run("node", "--input-type=module", "-e", "import { connect } from 'whence-client'; console.log(typeof connect)", cwd=folder)
            self.assertEqual(said.stdout, "function\n")


class TarballTest(unittest.TestCase):
    def test_it_runs_from_any_folder_of_a_system_that_has_none_of_its_libraries(self):
        machine = Machine()
        self.addCleanup(machine.close)
        file = machine.copy(next(PACKAGES.glob("whence-*-linux-*.tar.gz")))
        machine.run("mkdir", "-p", "/opt/a folder")
        machine.run("tar", "-xzf", file, "-C", "/opt/a folder", "--strip-components=1")
        machine.run("ln", "-s", "/opt/a folder/bin/whence", "/usr/local/bin/whence")
        self.assertRegex(machine.run("whence", "--version").stdout, r"^\d+\.\d+\.\d+$")
        needed = machine.run("ldd", "/opt/a folder/bin/whence", check=False).stdout
        self.assertNotIn("not found", needed)
        outside = {line.split()[2] for line in needed.splitlines() if "=> /" in line and "/opt/" not in line}
        self.assertEqual({re.match(r"lib(c|m|pthread|resolv|dl|rt)\.so", Path(path).name) is not None for path in outside}, {True}, outside)
        demo = machine.run("whence", "demo", "--db", "/var/demo").stdout
        self.assertIn("Response:resp_20251011_00126", demo)


if __name__ == "__main__":
    unittest.main()
