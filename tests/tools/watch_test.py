"""watch: events as they happen, one line each; how it ends, and that it survives a restart of its server.

Nothing is awaited by time: a `Watch` is read until it has printed enough lines, within a deadline.
"""
import json
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.request

from records import feedback, response, unit
from whence_e2e import WHENCE, Server, clean_env, wait_until, whence

PATIENCE = 60  # seconds
TOPIC, MESSAGE = {"$type$": "Topic", "id": "t"}, {"$type$": "Message", "id": "m", "topicId": "t"}
STORY = [("records.write", {"records": [unit("a"), response("1", a=1)]}),
         ("records.write", {"records": [unit("b", version=2, previous_version_id="cu_a")]}),
         ("records.write", {"records": [feedback("1", "1", -0.8)]}),
         ("records.write", {"records": [TOPIC, MESSAGE]}),
         ("records.delete", {"refs": ["Message:m"]})]
A, B, R, FB, T, M = ("ContextUnit:cu_a", "ContextUnit:cu_b", "Response:resp_1", "FeedbackRecord:fb_1", "Topic:t", "Message:m")
EVENTS = [(1, "put", A), (1, "put", R), (2, "version", B), (2, "status", A), (3, "put", FB), (3, "status", A), (4, "put", T),
          (4, "put", M), (5, "delete", M)]

# flags, the events of the story that they let through (with --since 0)
FLAGS = [
    ([], EVENTS),
    (["--types", "ContextUnit,Response"], EVENTS[:4] + EVENTS[5:6]),
    (["--ops", "status,delete"], [EVENTS[3], EVENTS[5], EVENTS[8]]),
    (["--topics", "t"], EVENTS[6:]),
    (["--topics", "x,t"], EVENTS[6:]),
    (["--agents", "agent"], [EVENTS[1]]),
    (["--agents", "nobody"], []),
    (["--edge-types", "USED_IN,EVALUATES"], [EVENTS[1], EVENTS[4]]),
    (["--downstream-of", "cu_a"], [EVENTS[1], EVENTS[2]]),
    (["--downstream-of", A, "--depth", "1", "--types", "Response"], [EVENTS[1]]),
    (["--upstream-of", B], [(2, "status", A), (2, "put", A), (3, "status", A)]),
    (["--types", "ContextUnit", "--ops", "put"], [EVENTS[0]]),
]


class Watch:
    """A running `whence watch`; its lines, as they come."""

    def __init__(self, url, *args):
        self.process = subprocess.Popen([WHENCE, "watch", *map(str, args), "--url", url], text=True, encoding="utf-8",
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_env())
        self.lines, self.talk, self._more = [], [], threading.Condition()
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.talk))]
        for reader in self._readers:
            reader.start()

    def _read(self, stream, lines):
        for line in stream:
            with self._more:
                lines.append(line)
                self._more.notify_all()

    def until(self, count):
        """Its first `count` lines; fewer only if they did not arrive in time."""
        with self._more:
            self._more.wait_for(lambda: len(self.lines) >= count, PATIENCE)
            return self.lines[:count]

    def until_any(self, word):
        """A line that holds `word`."""
        with self._more:
            if not self._more.wait_for(lambda: any(word in line for line in self.lines), PATIENCE):
                raise AssertionError(f"no line contains {word}: {self.lines} {self.talk}")

    def interrupt(self):
        """The exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.end()


class WatchCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = folder.name + "/db"

    def serve(self, listen="127.0.0.1:0"):
        server = Server(self.db, "--heartbeat", "1", listen=listen)
        self.addCleanup(server.__exit__)
        return server

    def serve_story(self):
        """A server that holds the story."""
        server = self.serve()
        for method, params in STORY:
            server.rpc(method, params)
        return server

    def brief(self, lines):
        return [(e["tx"], e["op"], e["ref"]) for e in map(json.loads, lines)]


class StoryTest(WatchCase):
    def test_flags_select(self):
        server = self.serve_story()
        for flags, want in FLAGS:
            with self.subTest(flags):
                done = whence("watch", "--since", "0", *flags, "--until-caught-up", "--json", "--url", server.url)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.brief(done.stdout.splitlines()), want)

    def test_since_is_a_transaction_a_time_or_now(self):
        server = self.serve_story()
        at = server.rpc("history.get", {"ref": FB})["events"][0]["at"]
        for since, want in (("3", EVENTS[6:]), (at, EVENTS[6:]), ("5", []), ("now", []), ("2999-01-01T00:00:00Z", [])):
            done = whence("watch", "--since", since, "--until-caught-up", "--json", "--url", server.url)
            self.assertEqual((done.returncode, self.brief(done.stdout.splitlines())), (0, want), done.stderr)

    def test_a_line_is_the_event(self):
        server = self.serve_story()
        ask = ["watch", "--since", "0", "--until-caught-up", "--json", "--url", server.url]
        bare, full = (list(map(json.loads, whence(*ask, *more).stdout.splitlines()))
                      for more in ([], ["--include", "record,edges"]))
        self.assertEqual(full[0]["record"], unit("a"))
        self.assertEqual(full[1]["edges"], [{"from": A, "to": R, "type": "USED_IN", "tx": 1, "basis": "given", "weight": 1}])
        self.assertEqual([{k: v for k, v in e.items() if k not in ("record", "edges")} for e in full], bare)
        self.assertEqual((bare[5]["status"], bare[5]["score"]), ("deprecated", -0.8))
        for event in bare:
            self.assertLessEqual({"tx", "prev", "at", "op", "ref"}, set(event))
        self.assertEqual([e["prev"] for e in bare], [0, 0, 1, 1, 2, 2, 3, 3, 4])

    def test_a_snapshot_comes_first(self):
        server = self.serve_story()
        done = whence("watch", "--snapshot", "--until-caught-up", "--json", "--url", server.url)
        events = list(map(json.loads, done.stdout.splitlines()))
        self.assertEqual([(e["ref"], e["snapshot"]) for e in events], [(r, True) for r in (A, R, B, FB, T)])
        self.assertEqual(events[0]["status"], "deprecated")

    def test_without_json_each_event_is_a_line_of_text(self):
        server = self.serve_story()
        done = whence("watch", "--since", "0", "--until-caught-up", "--url", server.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        for event in EVENTS:
            words = set(map(str, event))
            self.assertTrue([line for line in lines if words <= set(line.split())], (event, lines))
        self.assertNotIn("\x1b", done.stdout)
        self.assertNotIn("{", done.stdout)

    def test_by_a_websocket_url_too(self):
        server = self.serve_story()
        for url in (server.url.replace("http://", "ws://"), server.url.replace("http://", "ws://") + "/ws", server.url + "/"):
            done = whence("watch", "--since", "4", "--until-caught-up", "--json", "--url", url)
            self.assertEqual((done.returncode, self.brief(done.stdout.splitlines())), (0, EVENTS[8:]), done.stderr)


class LiveTest(WatchCase):
    def test_each_write_is_printed_at_once_and_an_interrupt_exits_with_0(self):
        server = self.serve()
        for flags in (["--json"], []):
            with self.subTest(flags), Watch(server.url, "--since", "0", *flags) as watch:
                for number in range(1, 4):
                    ref = f"Topic:{len(flags)}_{number}"
                    server.rpc("records.write", {"records": [{"$type$": "Topic", "id": ref[6:]}]})
                    watch.until_any(ref)
                self.assertEqual(watch.interrupt(), 0, watch.talk)

    def test_it_resumes_when_its_server_comes_back(self):
        """Killed, and drained: what was written meanwhile comes once."""
        server, written = self.serve(), 0
        with Watch(server.url, "--json", "--since", "0", "--include", "record") as watch:
            for stop in (Server.kill, Server.stop, Server.kill):
                for part in range(2):  # one before it ends; one that a new server takes perhaps before the watch is back
                    written += 1
                    server.rpc("records.write", {"records": [{"$type$": "Topic", "id": f"{written}"}]})
                    if not part:
                        self.assertEqual(len(watch.until(written)), written, watch.talk)
                        stop(server)
                        server = self.serve(server.authority)
            lines = watch.until(written)
            self.assertEqual(self.brief(lines), [(n, "put", f"Topic:{n}") for n in range(1, written + 1)], watch.talk)
            self.assertEqual(watch.interrupt(), 0, watch.talk)
            self.assertEqual(len(watch.lines), written)

    def test_an_interrupt_ends_it_while_its_server_is_away(self):
        server = self.serve_story()
        with Watch(server.url, "--json", "--since", "0") as watch:
            watch.until(len(EVENTS))
            server.kill()
            self.assertEqual(watch.interrupt(), 0, watch.talk)


class RefusalTest(WatchCase):
    def test_exit_codes_name_the_reason(self):
        url = self.serve_story().url
        for code, flags in ((3, ["--downstream-of", "cu_none"]), (3, ["--upstream-of", "Topic:none"]),
                            (3, ["--downstream-of", M]), (4, ["--downstream-of", "nonsense"]), (4, ["--types", "Topics"]),
                            (4, ["--ops", "feedback"]),
                            (4, ["--edge-types", "USES"]), (4, ["--depth", "2"]), (4, ["--include", "colour"]),
                            (2, ["--since", "someday"]), (1, ["--since", "6"]), (2, ["--colour", "red"]), (2, ["word"])):
            with self.subTest(flags):
                done = whence("watch", "--until-caught-up", *flags, "--url", url)
                self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_no_server_is_reported_at_once(self):
        with socket.socket() as taken:  # bound, not listening: no other process gets the port
            taken.bind(("127.0.0.1", 0))
            done = whence("watch", "--url", "http://127.0.0.1:%d" % taken.getsockname()[1])
        self.assertEqual((done.returncode, done.stdout), (6, ""), done.stderr)
        self.assertNotEqual(done.stderr, "")

    def test_what_cannot_be_resumed_is_an_end(self):
        """The server came back with another store: the events seen are not its own."""
        server = self.serve_story()
        with Watch(server.url, "--json", "--since", "0") as watch:
            watch.until(len(EVENTS))
            server.kill()
            self.db += "_other"
            self.serve(server.authority)
            self.assertEqual(watch.end(), 1, watch.talk)
            self.assertTrue(watch.talk)


    def asked(self, server, method):
        """How often the server has answered a method."""
        text = urllib.request.urlopen(server.url + "/metrics").read().decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith("whence_requests_total{") and f'"{method}"' in line)

    def test_a_fork_is_an_end(self):
        """The server came back with a store that has the first transaction in common, and others since."""
        with self.serve() as server:
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "common"}]})
        shutil.copytree(self.db, self.db + "_other")
        server = self.serve()
        with Watch(server.url, "--json", "--since", "0") as watch:
            wait_until(lambda: self.asked(server, "log.checkpoint") >= 1, "a checkpoint")
            server.rpc("records.write", {"records": [{"$type$": "Topic", "id": "mine"}]})
            watch.until(2)
            seen = self.asked(server, "log.checkpoint")
            wait_until(lambda: self.asked(server, "log.checkpoint") >= seen + 2, "another checkpoint")
            wait_until(lambda: self.asked(server, "log.consistency") >= 1, "a comparison")
            server.kill()
            self.db += "_other"
            with Server(self.db) as other:
                for each in ("theirs", "theirs too"):
                    other.rpc("records.write", {"records": [{"$type$": "Topic", "id": each}]})
            self.serve(server.authority)
            self.assertEqual(watch.end(), 8, watch.talk)
            self.assertIn("a fork", "".join(watch.talk))


if __name__ == "__main__":
    unittest.main()
