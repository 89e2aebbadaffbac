#!/usr/bin/env python3
"""Prints the Grafana dashboard: `tools/monitoring/dashboard.py > tools/monitoring/dashboard.json`.

One row of the table below is one panel: title, unit, what it draws (legend, expression), and what it says. A test compares the
file with what this prints, and every metric with those of a running server.
"""
import json

SELECT = '{job="$job",instance=~"$instance"}'
RATE = "[$__rate_interval]"


def of(metric, more=""):
    """A metric of the chosen servers."""
    return metric + SELECT[:-1] + ("," + more if more else "") + "}"


def rate(metric, by, more=""):
    return f"sum by ({by}) (rate({of(metric, more)}{RATE}))"


def quantile(q, metric, by):
    return f"histogram_quantile({q}, sum by (le,{by}) (rate({of(metric + '_bucket')}{RATE})))"


STORE = "{{instance}} {{namespace}}"
# Title of a row of panels -> its panels: title, kind, width of 24, unit of Grafana, {legend: expression}, description.
ROWS = {
    "State": [
        ("Up", "stat", 3, "none", {"{{instance}}": 'up{job="$job",instance=~"$instance"}'}, "1: the server answers Prometheus."),
        ("Writing ended", "stat", 3, "none", {STORE: of("whence_store_broken")}, "1: a failure of the disk or of memory has ended writing."),
        ("Draining", "stat", 3, "none", {"{{instance}}": of("whence_draining")}, "1: the server stops."),
        ("Runs", "table", 6, "none", {"": of("whence_build_info")}, "Version and build of each server."),
        ("Up for", "stat", 3, "s", {"{{instance}}": f"time() - {of('process_start_time_seconds')}"}, "Time since the start."),
        ("Last backup", "stat", 3, "s", {STORE: f"time() - {of('whence_backup_timestamp_seconds')}"}, "Age of the last complete backup."),
        ("Certificate ends in", "stat", 3, "s", {"{{instance}}": f"{of('whence_tls_certificate_expiry_timestamp_seconds')} - time()"},
         "Time until the certificate of new connections ends."),
        ("Next token ends in", "stat", 3, "s", {STORE: f"{of('whence_token_expiry_timestamp_seconds')} - time()"}, "Time until the next of the valid tokens ends."),
        ("Tokens", "stat", 6, "none", {"{{standing}} {{namespace}}": of("whence_tokens")}, "Lines of the token files, by how they stand."),
    ],
    "Requests": [
        ("Requests", "timeseries", 8, "reqps", {"{{method}}": rate("whence_requests_total", "method")}, "Answered requests a second, by method."),
        ("Errors", "timeseries", 8, "reqps", {"{{method}} {{code}}": rate("whence_requests_total", "method,code", 'code!="0"')},
         "Answers with an error a second. Codes are those of net/PROTOCOL.md."),
        ("Refused for want of room", "timeseries", 8, "reqps", {"{{what}}": rate("whence_busy_total", "what")}, "What is refused, a second."),
        ("Latency, half of all", "timeseries", 8, "s", {"{{method}}": quantile(0.5, "whence_request_seconds", "method")}, "Half of the requests are faster."),
        ("Latency, 99 of 100", "timeseries", 8, "s", {"{{method}}": quantile(0.99, "whence_request_seconds", "method")}, "99 of 100 requests are faster."),
        ("Latencies", "heatmap", 8, "s", {"{{le}}": f"sum by (le) (increase({of('whence_request_seconds_bucket')}{RATE}))"}, "How many requests took how long."),
    ],
    "Connections and work": [
        ("Connections", "timeseries", 8, "none", {"all": of("whence_connections"), "limit": of("whence_connections_max"),
                                                  "WebSockets": of("whence_websockets"), "Bolt": of("whence_bolt_connections")}, "Open connections."),
        ("Subscriptions", "timeseries", 4, "none", {STORE: of("whence_subscriptions")}, "Open subscriptions."),
        ("Workers", "timeseries", 6, "none", {"threads": of("whence_worker_threads"), "running": of("whence_worker_tasks_running"),
                                              "waiting": of("whence_worker_tasks_waiting")}, "Long evaluations: threads, tasks that run, tasks that wait."),
        ("Memory of requests", "timeseries", 6, "bytes", {"held": of("whence_request_memory_bytes"), "limit": of("whence_request_memory_max_bytes")},
         "What requests and answers hold, and may hold."),
    ],
    "Writes": [
        ("Transactions", "timeseries", 6, "wps", {STORE: f"rate({of('whence_tx')}{RATE})"}, "Visible transactions a second."),
        ("Commits", "timeseries", 6, "s", {"half": quantile(0.5, "whence_commit_seconds", "instance"), "99 of 100": quantile(0.99, "whence_commit_seconds", "instance")},
         "Time to make a group of transactions durable."),
        ("Writes that wait", "timeseries", 6, "none", {STORE: of("whence_inbox_batches")}, "Batches in the writer's inbox; 4,096 are the limit."),
        ("Memory of these", "timeseries", 6, "bytes", {STORE: of("whence_inbox_bytes")}, "256 MiB are the limit."),
    ],
    "Store": [
        ("Nodes", "timeseries", 8, "short", {"{{namespace}} {{type}}": of("whence_nodes") + " > 0"}, "Nodes by type."),
        ("Edges", "timeseries", 8, "short", {"{{namespace}} {{type}}": of("whence_edges") + " > 0"}, "Edges by type."),
        ("Disk", "timeseries", 8, "bytes", {"store": of("whence_store_bytes"), "free": of("whence_store_disk_free_bytes"), "map": of("whence_store_map_bytes"),
                                            "index of texts": of("whence_search_bytes")}, "The store, what is free on its disk, and what it may grow to."),
        ("Checkpoint", "timeseries", 6, "s", {STORE: f"time() - {of('whence_checkpoint_timestamp_seconds')}"}, "Age of the checkpoint on disk."),
        ("Transactions after the checkpoint", "timeseries", 6, "none", {STORE: f"{of('whence_tx')} - {of('whence_checkpoint_tx')}"}, "What the next start replays."),
        ("Last start", "stat", 6, "s", {STORE: of("whence_recovery_seconds")}, "Time until the graph was there."),
        ("Index of texts, behind", "timeseries", 6, "none", {STORE: of("whence_search_lag")}, "Transactions that it has not read yet."),
    ],
    "Replicated log": [
        ("Connected", "stat", 6, "none", {STORE: of("whence_log_connected")}, "1: a server of NATS answers."),
        ("Position", "timeseries", 6, "none", {STORE: of("whence_log_position")}, "Last message taken."),
        ("Behind", "timeseries", 6, "none", {STORE: of("whence_log_lag")}, "Messages that are known and not taken."),
        ("Conflicts and repeats", "timeseries", 6, "ops", {"too late": f"rate({of('whence_log_refused_total')}{RATE})", "unconfirmed": f"rate({of('whence_log_unknown_total')}{RATE})",
                                                           "sent again": f"rate({of('whence_log_repeated_total')}{RATE})"}, "Groups of this node, a second."),
    ],
    "Intake": [
        ("Telemetry", "timeseries", 8, "cps", {"spans {{result}}": rate("whence_capture_spans_total", "result"), "logs {{result}}": rate("whence_capture_logs_total", "result"),
                                               "refused": f"sum(rate({of('whence_capture_rejected_total')}{RATE}))"}, "Spans and log records over OTLP, a second."),
        ("OpenLineage", "timeseries", 8, "cps", {"{{result}}": rate("whence_lineage_events_total", "result")}, "Events a second."),
        ("Flags", "timeseries", 8, "cps", {"{{flag}}": rate("whence_flags_total", "flag")}, "Flags set on records, a second."),
    ],
    "Process": [
        ("CPU", "timeseries", 8, "none", {"{{instance}}": f"rate({of('process_cpu_seconds_total')}{RATE})"}, "Cores in use."),
        ("Memory", "timeseries", 8, "bytes", {"resident": of("process_resident_memory_bytes"), "columns": of("whence_columns_bytes")}, "Memory in RAM, with mapped pages of the store."),
        ("File descriptors", "timeseries", 8, "none", {"open": of("process_open_fds"), "limit": of("process_max_fds")}, "Open descriptors, and how many may be."),
    ],
}
HEIGHT = 8
PROMETHEUS = {"type": "prometheus", "uid": "${datasource}"}


def panel(number, place, row):
    title, kind, width, unit, draws, says = row
    targets = [{"refId": chr(ord("A") + i), "expr": expr, "legendFormat": legend or "__auto", "datasource": PROMETHEUS,
                **({"format": "table", "instant": True} if kind == "table" else {"format": "heatmap"} if kind == "heatmap" else {})}
               for i, (legend, expr) in enumerate(draws.items())]
    return {"id": number, "type": kind, "title": title, "description": says, "datasource": PROMETHEUS, "targets": targets,
            "gridPos": {"h": HEIGHT if kind != "stat" else HEIGHT // 2, "w": width, **place},
            "fieldConfig": {"defaults": {"unit": unit}, "overrides": []}, "options": {}}


def variable(name, label, query):
    return {"name": name, "label": label, "type": "query", "datasource": PROMETHEUS, "query": {"query": query, "refId": name},
            "refresh": 2, "sort": 1, "multi": name == "instance", "includeAll": name == "instance", "options": [],
            "current": {"text": "All", "value": "$__all"} if name == "instance" else {"text": "whence", "value": "whence"}}


def dashboard():
    panels, y = [], 0
    for title, rows in ROWS.items():
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}})
        x, y, height = 0, y + 1, 0
        for row in rows:
            if x + row[2] > 24:
                x, y = 0, y + height
            panels.append(panel(len(panels) + 1, {"x": x, "y": y}, row))
            x, height = x + row[2], max(height, panels[-1]["gridPos"]["h"])
        y += height
    variables = [{"name": "datasource", "label": "Source", "type": "datasource", "query": "prometheus", "refresh": 1, "options": [], "current": {"text": "default", "value": "default"}},
                 variable("job", "Job", "label_values(whence_build_info, job)"),
                 variable("instance", "Server", 'label_values(whence_build_info{job="$job"}, instance)')]
    return {"uid": "whence", "title": "Whence", "description": "Servers of Whence: requests, writes, stores, logs.", "tags": ["whence"],
            "schemaVersion": 38, "version": 1, "editable": True, "graphTooltip": 1, "timezone": "", "refresh": "30s", "fiscalYearStartMonth": 0, "liveNow": False,
            "time": {"from": "now-3h", "to": "now"}, "timepicker": {}, "annotations": {"list": []}, "links": [], "templating": {"list": variables}, "panels": panels}


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=1))
