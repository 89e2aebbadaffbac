"""What Prometheus and Grafana are given: the metrics of a real server against their table, the alarms and the dashboard.

Claim: every metric that a document, a rule or a panel names is one that a server has, with the type, labels and meaning that are
told. Method: one server under some requests is scraped; the texts are parsed and compared.
"""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support.program import Server, clean_env, whence

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tools" / "monitoring"
PROMTOOL = shutil.which("promtool")
GRAFANA = {"@grafana/schema": "13.2.3", "typescript": "7.0.2"}
UNIT = {"$type$": "ContextUnit", "id": "cu_1", "type": "User", "source": "test", "timestamp": "2025-10-09T10:00:00Z"}
# What Prometheus adds, and the words of its language that look like names.
OF_PROMETHEUS = {"up"}
NAME = re.compile(r"\b(?:whence|process|up)(?:_[a-z_]+)?\b(?!\s*[=!]~?\s*\")")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")


def families(text):
    """Name -> type, help, and the sets of labels of its samples, without `le` and `namespace`."""
    found = {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, says = line.removeprefix("# HELP ").partition(" ")
            found[name] = {"help": says, "labels": set(), "samples": 0}
        elif line.startswith("# TYPE "):
            name, _, kind = line.removeprefix("# TYPE ").partition(" ")
            found[name]["type"] = kind
        else:
            name, labels, value = SAMPLE.match(line).groups()
            float(value)
            family = next(n for n in (name, re.sub(r"_(bucket|sum|count)$", "", name)) if n in found)
            found[family]["samples"] += 1
            found[family]["labels"].add(tuple(each for each in re.findall(r'(\w+)="', labels or "") if each not in ("le", "namespace")))
    return found


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def named_in(expression):
    """The metrics of an expression: histograms without the suffixes of their samples."""
    without_texts = re.sub(r'"[^"]*"', '""', expression)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in NAME.findall(without_texts)}


class MonitoringTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        cls.server = Server(cls.folder / "db")
        cls.addClassCleanup(cls.server.stop)
        cls.server.rpc("records.write", {"records": [UNIT]})
        cls.server.rpc("server.info")
        cls.server.post({"jsonrpc": "2.0", "id": 1, "method": "node.get", "params": {"ref": "cu_none"}})
        status, body = cls.server.get("/metrics")
        assert status == 200
        cls.text = body.decode()
        cls.families = families(cls.text)
        cls.alerts = (FOLDER / "alerts.yml").read_text(encoding="utf-8")
        cls.dashboard = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))

    def promtool(self, *args, stdin=None):
        if not PROMTOOL:
            self.skipTest("promtool is not here (Debian: prometheus)")
        return subprocess.run([PROMTOOL, *args], input=stdin, capture_output=True, text=True, cwd=FOLDER, timeout=60, check=False)

    def test_prometheus_has_nothing_against_the_metrics(self):
        done = self.promtool("check", "metrics", stdin=self.text)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_table_is_what_a_server_says(self):
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (.*?) \| (.*?) \| .*\|$", (FOLDER / "METRICS.md").read_text(encoding="utf-8"), re.M)
        told = {name: (kind, says) for name, kind, _, _, says in rows}
        self.assertEqual(told, {name: (each["type"], each["help"]) for name, each in self.families.items()})
        self.assertEqual([name for name, *_ in rows], list(self.families), "in the order of the table in code")
        for name, _, unit, labels, _ in rows:
            suffix = re.sub(r"_total$", "", name).rsplit("_", 1)[-1]
            self.assertEqual(unit in ("seconds", "bytes"), suffix in ("seconds", "bytes") and suffix == unit, name)
            if self.families[name]["samples"]:
                self.assertEqual(self.families[name]["labels"], {tuple(re.findall(r"`(\w+)`", labels))}, name)

    def test_most_metrics_have_samples(self):
        silent = {name for name, each in self.families.items() if not each["samples"]}
        self.assertEqual({name for name in silent if not name.startswith("whence_log_")},
                         {"whence_backup_timestamp_seconds", "whence_checkpoint_timestamp_seconds", "whence_tls_certificate_expiry_timestamp_seconds", "whence_trace_spans_total", "whence_tokens",
                          "whence_token_expiry_timestamp_seconds"})

    def test_the_latency_of_each_method_has_its_own_histogram(self):
        buckets = re.findall(r'^whence_request_seconds_bucket\{method="server.info",le="([^"]+)"\} (\d+)$', self.text, re.M)
        self.assertEqual([bound for bound, _ in buckets][0::18], ["0.0001", "100"])
        self.assertEqual(buckets[-1], ("+Inf", "1"))
        counts = [int(count) for _, count in buckets]
        self.assertEqual(counts, sorted(counts))
        self.assertIn('whence_request_seconds_count{method="node.get"} 1\n', self.text)
        self.assertIn('whence_requests_total{method="node.get",code="-32020"} 1\n', self.text)

    def test_a_backup_and_a_checkpoint_show_their_time(self):
        before = float(re.search(r"^process_start_time_seconds (\S+)$", self.text, re.M)[1])
        self.assertEqual(whence("backup", self.folder / "copy", "--url", self.server.url).returncode, 0)
        found = families(self.server.get("/metrics")[1].decode())
        self.assertEqual(found["whence_backup_timestamp_seconds"]["samples"], 1)
        when = float(re.search(r"^whence_backup_timestamp_seconds (\S+)$", self.server.get("/metrics")[1].decode(), re.M)[1])
        self.assertGreater(when, before - 2)
        self.assertRegex((self.folder / "db" / "last-backup").read_text(encoding="utf-8"), r"^20\d\d-\S+ 1 /")

    def test_tokens_are_counted_and_the_next_end_is_told(self):
        tokens, secrets = self.folder / "tokens", {}
        for name, role, expires in (("prometheus", "metrics", "5d"), ("reader", "read", "40d"), ("old", "read", None)):
            done = whence("token", "add", name, "--file", tokens, "--role", role, *(["--expires", expires] if expires else []))
            secrets[name] = done.stdout.strip()
        self.assertEqual(whence("token", "revoke", "old", "--file", tokens).returncode, 0)
        with Server(self.folder / "with-tokens", "--tokens", tokens) as server:
            connection = http.client.HTTPConnection(server.authority, timeout=30)
            self.addCleanup(connection.close)
            connection.request("GET", "/metrics", headers={"Authorization": "Bearer " + secrets["prometheus"]})
            with connection.getresponse() as response:
                said = response.read().decode()
            doctor = whence("doctor", "--url", server.url, env=clean_env(WHENCE_TOKEN=secrets["prometheus"]))
        standing = dict(re.findall(r'^whence_tokens\{standing="(\w+)"\} (\d+)$', said, re.M))
        self.assertEqual(standing, {"valid": "2", "expired": "0", "revoked": "1"})
        ends = float(re.search(r"^whence_token_expiry_timestamp_seconds (\S+)$", said, re.M)[1])
        self.assertAlmostEqual(ends, time.time() + 5 * 86_400, delta=600)
        self.assertRegex(doctor.stdout, "warn  token         it ends in [45] days")
        checked = whence("serve", "--check-config", "--db", self.folder / "none", "--listen", "127.0.0.1:0", "--tokens", tokens)
        self.assertRegex(checked.stdout, "warn  token         token prometheus ends in [45] days")
        self.assertNotIn("token reader", checked.stdout)
        self.assertEqual(checked.returncode, 0)

    def test_rules_and_dashboard_name_metrics_that_there_are(self):
        rules = re.findall(r"expr: (\|\n(?:\s{10,}.*\n)+|.*\n)", self.alerts)
        self.assertEqual(len(rules), len(re.findall(r"- alert:", self.alerts)))
        known = set(self.families) | OF_PROMETHEUS
        for expression in rules:
            self.assertGreater(len(named_in(expression)), 0, expression)
            self.assertEqual(named_in(expression) - known, set(), expression)
        panels = list(expressions(self.dashboard))
        self.assertGreater(len(panels), 40)
        for title, expression in panels:
            self.assertGreater(len(named_in(expression)), 0, title)
            self.assertEqual(named_in(expression) - known, set(), title)

    def test_names_are_found_in_expressions(self):
        self.assertEqual(named_in('rate(whence_a_bucket{job="whence",le="1"}[5m]) / up{job="$job"} > process_b'), {"whence_a", "up", "process_b"})

    def test_each_alarm_has_its_paragraph(self):
        headings = re.findall(r"^## (\w+)$", (ROOT / "tools/monitoring/ALARMS.md").read_text(encoding="utf-8"), re.M)
        runbooks = re.findall(r"runbook: tools/monitoring/ALARMS.md#(\w+)", self.alerts)
        self.assertEqual({name.lower() for name in headings}, set(runbooks))
        self.assertEqual(len(runbooks), len(re.findall(r"- alert:", self.alerts)))
        for alarm, severity in re.findall(r"- alert: (\w+)\n(?:.*\n)*?\s+labels: \{severity: (\w+)\}", self.alerts):
            self.assertIn(severity, ("warning", "critical"), alarm)
            self.assertIn(alarm, (ROOT / "tools/monitoring/ALARMS.md").read_text(encoding="utf-8") + "WhenceCertificateExpiresSoon")

    def test_prometheus_takes_the_rules_and_each_fires(self):
        self.assertIn("SUCCESS", self.promtool("check", "rules", "alerts.yml").stdout)
        done = self.promtool("test", "rules", "alerts_test.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tested = re.findall(r"^  - name: (\w+)$", (FOLDER / "alerts_test.yml").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(tested), sorted(re.findall(r"- alert: (\w+)", self.alerts)))

    def test_the_dashboard_is_what_its_script_makes(self):
        made = subprocess.run([sys.executable, FOLDER / "dashboard.py"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(json.loads(made), self.dashboard)
        panels = self.dashboard["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        cells = [(x, y) for panel in panels for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
                 for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])]
        self.assertEqual(len(cells), len(set(cells)), "panels lie over each other")
        self.assertLess(max(x for x, _ in cells), 24)

    def test_grafana_knows_every_member_of_the_dashboard(self):
        if not os.environ.get("WHENCE_GRAFANA"):
            self.skipTest("WHENCE_GRAFANA is not set: @grafana/schema comes from npm")
        with tempfile.TemporaryDirectory() as name:
            subprocess.run(["npm", "install", "--no-save", "--silent", *(f"{each}@{version}" for each, version in GRAFANA.items())], cwd=name, check=True, timeout=300)
            (Path(name) / "package.json").write_text('{"type":"module"}')
            for member, is_known in (("", True), ('"titel": "x", ', False)):
                (Path(name) / "dashboard.ts").write_text(
                    "import type { Dashboard } from '@grafana/schema';\nexport const dashboard: Dashboard = {" + member + json.dumps(self.dashboard)[1:] + ";\n")
                done = subprocess.run(["npx", "tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "dashboard.ts"],
                                      cwd=name, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode == 0, is_known, done.stdout)


if __name__ == "__main__":
    unittest.main()
