"""A watch against a real server: live, replayed, from a snapshot, over restarts."""
import os
import tempfile
import threading
import unittest

from client_case import ClientCase, Server, feedback, response, unit, whence


def keys(events):
    return [(e["tx"], e["op"], e["ref"]) for e in events]


class WatchServerCase(ClientCase):
    """A store for each test."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "db")
        self.server = Server(self.path)
        self.addCleanup(lambda: self.server.__exit__())
        self.db = whence.connect(self.server.url)
        self.addCleanup(lambda: self.db.close())

    def until(self, watch, tx):
        """Events up to the end of this transaction."""
        got = []
        while watch.tx is None or watch.tx < tx:
            got.append(next(watch))
        return got


class LiveTest(WatchServerCase):
    def test_what_is_written_is_seen_in_order(self):
        with self.db.watch(include=("record", "edges")) as watch:
            self.db.records.write([unit("cu_a"), response("resp_1", {"cu_a": 1})])
            self.db.records.write([feedback("fb_1", "resp_1", -0.8)])
            got = self.until(watch, 2)
        self.assertEqual(keys(got), [(1, "put", "ContextUnit:cu_a"), (1, "put", "Response:resp_1"),
                                     (2, "put", "FeedbackRecord:fb_1"), (2, "status", "ContextUnit:cu_a")])
        self.assertEqual(got[0]["record"]["id"], "cu_a")
        self.assertEqual(got[1]["edges"][0]["type"], "USED_IN")

    def test_only_what_matches_comes(self):
        with self.db.watch(types=["Response"]) as watch, self.db.watch({"ops": ["status"]}, since=0) as changes:
            self.db.records.write([unit("cu_a"), response("resp_1", {"cu_a": 1})])
            self.db.records.write([unit("cu_b", version=2, previous_version_id="cu_a")])
            self.assertEqual(keys([next(watch)]), [(1, "put", "Response:resp_1")])
            self.assertEqual(keys([next(changes)]), [(2, "status", "ContextUnit:cu_a")])

    def test_a_replay_begins_after_since(self):
        for number in range(4):
            self.db.records.write([unit(f"cu_{number}")])
        caught_up = []
        with self.db.watch(since=2, on_caught_up=caught_up.append) as watch:
            self.assertEqual([e["tx"] for e in self.until(watch, 4)], [3, 4])
            self.db.records.write([unit("cu_live")])
            self.assertEqual(next(watch)["tx"], 5)
        self.assertEqual([note["tx"] for note in caught_up], [4])

    def test_a_snapshot_comes_before_what_follows(self):
        self.db.records.write([unit("cu_a"), unit("cu_b")])
        with self.db.watch(snapshot=True) as watch:
            state = [next(watch), next(watch)]
            self.db.records.write([unit("cu_c")])
            live = next(watch)
        self.assertEqual([(e["ref"], e["snapshot"]) for e in state], [("ContextUnit:cu_a", True), ("ContextUnit:cu_b", True)])
        self.assertEqual((live["ref"], live["prev"]), ("ContextUnit:cu_c", 1))

    def test_with_little_credit_everything_comes(self):
        for number in range(20):
            self.db.records.write([unit(f"cu_{number}")])
        with self.db.watch(since=0, credit=3) as watch:
            self.assertEqual([e["tx"] for e in self.until(watch, 20)], list(range(1, 21)))

    def test_refusals_are_raised(self):
        for kind, params in [(whence.InvalidParams, {"tipes": ["Response"]}), (whence.NotFound, {"downstream_of": "cu_never"}),
                             (whence.ResumeImpossible, {"since": 99})]:
            with self.subTest(kind=kind.__name__), self.assertRaises(kind):
                self.db.watch(**params)

    def test_closing_ends_a_waiting_thread(self):
        watch = self.db.watch()
        got = []
        reader = threading.Thread(target=lambda: got.append(list(watch)))
        reader.start()
        watch.close()
        reader.join(30)
        self.assertEqual(got, [[]])


class RestartTest(WatchServerCase):
    def restart(self, end):
        """Ends the server and starts it again at the same address."""
        authority = self.server.authority
        end(self.server)
        self.server = Server(self.path, listen=authority)

    def test_after_drain_and_kill_every_transaction_comes_once(self):
        with self.db.watch(since=0) as watch:
            head = 0
            for end in (lambda server: server.stop(), lambda server: server.kill()):
                for _ in range(3):
                    head = self.db.records.write([unit(f"cu_{head}")])["tx"]
                self.restart(end)
                head = self.db.records.write([unit(f"cu_{head}")])["tx"]
            got = self.until(watch, head)
        self.assertEqual([e["tx"] for e in got], list(range(1, 9)))

    def test_a_replaced_log_cannot_be_resumed(self):
        self.db.records.write([unit("cu_a")])
        watch = self.db.watch()
        backup = self.path + "-backup"
        self.db.admin.backup(backup)
        authority = self.server.authority
        self.server.kill()
        from whence_e2e import whence as program
        restored = self.path + "-restored"
        self.assertEqual(program("restore", backup, "--db", restored).returncode, 0)
        self.server = Server(restored, listen=authority)
        with self.assertRaises(whence.ResumeImpossible):
            next(watch)


if __name__ == "__main__":
    unittest.main()
