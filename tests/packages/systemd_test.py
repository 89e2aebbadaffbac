"""The package under systemd, as on a machine: started, watched, reloaded, its port held, upgraded while it runs. Run by tests/packages/run."""
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from machine import Booted, Machine, run

PACKAGES = Path(os.environ["PACKAGES"])
DROP_IN = "/etc/systemd/system/whence.service.d/test.conf"


def package(version):
    return next(PACKAGES.glob(f"whence_{version}-1_*.deb"))


def unit(name):
    return json.dumps({"$type$": "ContextUnit", "id": f"cu_{name}", "type": "External", "source": "https://example.org",
                       "timestamp": "2025-10-20T09:00:00Z", "version": 1})


class SystemdTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)
        cls.machine.apt("update")
        cls.machine.apt("install", "systemd", "systemd-sysv", "logrotate", cls.machine.copy(package("0.0.9")))
        newer = next(path for path in PACKAGES.glob("whence_*.deb") if "_0.0.9-" not in path.name)
        cls.newer = cls.machine.copy(newer)
        cls.booted = Booted(cls.machine)
        cls.addClassCleanup(cls.booted.close)

    def setUp(self):
        self.say("sh", "-c", "systemctl stop whence.socket whence-bolt.socket whence.service; rm -rf /etc/systemd/system/whence.service.d; "
                 "systemctl daemon-reload; systemctl reset-failed; systemctl start whence.service")
        self.wait(lambda: self.shown("ActiveState") == "active", "the service")

    def say(self, *command, **more):
        """Runs a command on the machine."""
        return self.booted.run(*command, **more)

    def shown(self, name, of="whence"):
        return self.booted.shown(name, of)

    def wait(self, *arguments):
        self.booted.wait_for(*arguments)

    def set(self, text):
        """A drop-in of the unit."""
        self.say("sh", "-c", f"mkdir -p {Path(DROP_IN).parent} && cat >{DROP_IN} && systemctl daemon-reload && systemctl restart whence",
                 stdin="[Service]\n" + text)

    def write(self, name):
        self.say("whence", "put", "-", stdin=unit(name))

    def has(self, name):
        return self.say("whence", "get", f"ContextUnit:cu_{name}", check=False).returncode == 0

    def test_it_is_ready_when_systemd_says_so_and_behind_its_walls(self):
        self.assertEqual(json.loads(self.say("whence", "health").stdout)["ready"], True)
        self.assertTrue(self.shown("StatusText").startswith("Serving http://127.0.0.1:7411"))
        status = dict(line.split(":\t", 1) for line in self.say("cat", f"/proc/{self.shown('MainPID')}/status").stdout.splitlines() if ":\t" in line)
        self.assertEqual((status["CapBnd"], status["CapEff"], status["NoNewPrivs"], status["Seccomp"]), (16 * "0", 16 * "0", "1", "2"))
        self.write("walls")
        self.assertTrue(self.has("walls"))
        self.assertNotIn("EPERM", self.booted.journal())

    def test_a_reload_reads_files_again(self):
        self.say("systemctl", "reload", "whence")
        self.wait(lambda: " reloaded" in self.booted.journal(), "the reload")
        self.assertEqual(self.shown("ActiveState"), "active")

    def test_a_server_that_hangs_is_started_again_and_has_lost_nothing(self):
        self.set("WatchdogSec=3s\nTimeoutAbortSec=2s\n")
        self.write("hanging")
        before = self.shown("MainPID")
        self.say("sh", "-c", f"kill -STOP {before}")
        self.wait(lambda: self.shown("NRestarts") == "1" and self.shown("ActiveState") == "active", "another start")
        self.assertNotEqual(self.shown("MainPID"), before)
        self.assertTrue(self.has("hanging"))

    def test_settings_that_are_refused_are_named_and_not_tried_again(self):
        self.say("sh", "-c", "cp -p /etc/whence/whence.conf /tmp/ && echo 'page = 0' >>/etc/whence/whence.conf")
        self.assertNotEqual(self.say("systemctl", "restart", "whence", check=False).returncode, 0)
        self.assertEqual((self.shown("ActiveState"), self.shown("ExecMainStatus"), self.shown("NRestarts")), ("failed", "2", "0"))
        self.assertIn("--page", self.booted.journal())
        self.say("cp", "-p", "/tmp/whence.conf", "/etc/whence/whence.conf")

    def test_tokens_and_then_tls_are_set_as_the_document_says(self):
        self.say("cp", "-p", "/etc/whence/whence.conf", "/tmp/whence.conf")
        document = (Path(__file__).resolve().parents[2] / "tools/operations/INSTALL.md").read_text()
        tokens, tls = [block for block in re.findall(r"```sh\n(.*?)```", document, re.S) if "install -o whence" in block]
        token = re.search(r"wht_\S+", self.say("sh", "-ec", tokens).stdout).group()
        self.wait(lambda: self.shown("ActiveState") == "active", "the service")
        self.assertEqual(self.say("whence", "stats", check=False).returncode, 1)
        self.assertEqual(self.say("env", f"WHENCE_TOKEN={token}", "whence", "stats", check=False).returncode, 0)
        self.assertEqual(self.say("stat", "-c", "%U %a", "/etc/whence/tokens").stdout, "whence 600\n")
        self.give_certificate("/root")
        checked = self.say("sh", "-ec", "cd /root; " + tls).stdout
        self.assertIn("--listen 0.0.0.0:7411", checked)
        self.assertEqual(self.say("whence", "stats", check=False).returncode, 6)
        ours = ["env", f"WHENCE_TOKEN={token}", "SSL_CERT_FILE=/etc/whence/chain.pem", "WHENCE_URL=https://localhost:7411"]
        self.assertEqual(self.say(*ours, "whence", "stats", check=False).returncode, 0)
        self.say("cp", "-p", "/tmp/whence.conf", "/etc/whence/whence.conf")
        self.say("rm", "/etc/whence/tokens", "/etc/whence/chain.pem", "/etc/whence/key.pem")

    def give_certificate(self, folder):
        """chain.pem and key.pem for `localhost`."""
        with tempfile.TemporaryDirectory() as here:
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", f"{here}/key.pem", "-out", f"{here}/chain.pem")
            for name in ("key.pem", "chain.pem"):
                self.say("sh", "-c", f"umask 077; cat >{folder}/{name}", stdin=(Path(here) / name).read_text())

    def test_clients_wait_in_the_sockets_while_the_server_is_replaced(self):
        self.say("systemctl", "stop", "whence.service")
        self.say("systemctl", "start", "whence.socket", "whence-bolt.socket")
        self.assertEqual(self.shown("ActiveState"), "inactive")
        self.assertEqual(json.loads(self.say("whence", "health").stdout)["ready"], True)
        self.assertEqual(self.shown("ActiveState"), "active")
        self.assertIn("speaking Bolt on bolt://127.0.0.1:7687", self.booted.journal())
        asked = self.say("sh", "-c", "systemctl restart whence & for i in 1 2 3 4 5 6 7 8 9 10; do whence health --live >/dev/null || echo refused; done; wait")
        self.assertEqual(asked.stdout, "")

    def test_a_store_is_restored_from_the_timers_backups_as_the_document_says(self):
        self.write("backed")
        self.say("systemctl", "start", "whence-backup.timer", "whence-backup.service")
        self.assertEqual((self.shown("Result", "whence-backup"), self.shown("ActiveState", "whence-backup.timer")), ("success", "active"))
        self.say("systemctl", "stop", "whence-backup.timer")
        document = (Path(__file__).resolve().parents[2] / "tools/operations/BACKUP.md").read_text()
        steps = re.findall(r"^\d\. (.*)", document.partition("The disk is gone, or the store does not verify:\n")[2], re.M)[:4]
        commands = [each for step in steps for each in re.findall(r"`((?:systemctl|mv|ls|runuser) [^`]+)`", step)]
        self.assertEqual(len(commands), 6, commands)
        for command in commands:
            self.say("sh", "-ec", command)
        self.wait(lambda: self.shown("ActiveState") == "active", "the service")
        self.assertTrue(self.has("backed"))
        self.say("rm", "-r", "/var/lib/whence/store.broken", "/var/lib/whence-backups")

    def test_the_server_goes_on_with_a_store_that_root_has_compacted(self):
        self.write("compacted")
        self.say("systemctl", "stop", "whence")
        self.say("whence", "compact", "--db", "/var/lib/whence/store")
        self.say("systemctl", "start", "whence")
        self.assertTrue(self.has("compacted"))

    def test_the_log_file_is_rotated(self):
        self.set('ExecStart=\nExecStart=/usr/bin/whence serve --config /etc/whence/whence.conf --log-file /var/log/whence/whence.log\n')
        self.say("logrotate", "-f", "/etc/logrotate.d/whence")
        self.wait(lambda: "log_reopened" in self.say("cat", "/var/log/whence/whence.log").stdout, "the new file")
        self.assertIn(" listening ", self.say("cat", "/var/log/whence/whence.log.1").stdout)

    def test_zz_an_upgrade_replaces_the_running_server_and_keeps_the_store(self):
        self.write("upgraded")
        before = self.shown("MainPID")
        self.say("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", "install", self.newer)
        self.wait(lambda: self.shown("ActiveState") == "active", "the new server")
        self.assertNotEqual(self.shown("MainPID"), before)
        self.assertNotIn("0.0.9", self.say("dpkg-query", "-W", "whence").stdout)
        self.assertTrue(self.has("upgraded"))
        self.say("apt-get", "-y", "-q", "purge", "whence")
        self.assertEqual(self.say("sh", "-c", "ls -d /etc/whence /var/log/whence /etc/systemd/system/*/whence* 2>/dev/null", check=False).stdout, "")
        self.assertIn("data.mdb", self.say("ls", "/var/lib/whence/store").stdout)


if __name__ == "__main__":
    unittest.main()
