"""Why something was deleted, purged or let expire: given to the method, kept in the log, told by every way to ask, and by a copy."""
import json
import tempfile
import unittest
from pathlib import Path

from support.program import RpcError, Server, wait_until, whence
from support.subscriber import Subscriber

TIME = "2025-10-09T16:15:00Z"
WHY = "asked by <the person>, case 17/2026 \u2028 \"quoted\""


def unit(name):
    return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "User", "source": "s", "version": 1, "timestamp": TIME, "content": f"text {name}"}


class ReasonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"

    def start(self, *flags):
        server = Server(self.db, *flags)
        self.addCleanup(server.kill)
        self.rpc = lambda method, **params: server.rpc(method, params)
        return server

    def last(self, ref):
        return self.rpc("history.get", ref=ref, deleted=True)["events"][-1]

    def test_each_way_to_ask_says_why(self):
        server = self.start()
        self.rpc("records.write", records=[unit(each) for each in "abcd"])
        subscriber = Subscriber(server)
        subscription = subscriber.subscribe()
        self.rpc("records.delete", refs=["cu_a"], reason=WHY)
        self.rpc("records.purge", refs=["cu_b"], reason=WHY)
        self.rpc("records.delete", refs=["cu_c"])
        self.rpc("records.purge", refs=["cu_a"], reason="a second look")
        self.assertEqual([self.last(f"cu_{each}").get("reason") for each in "abcd"], ["a second look", WHY, None, None])
        self.assertEqual(self.rpc("history.get", ref="cu_a", deleted=True)["events"][1]["reason"], WHY)
        subscriber.until_tx(subscription, 5)
        live = [(event["op"], event["ref"][-1], event.get("reason")) for event in subscription.events]
        self.assertEqual(live, [("delete", "a", WHY), ("expire", "b", WHY), ("delete", "c", None), ("expire", "a", "a second look")])
        shown = whence("history", "cu_b", "--url", server.url)
        self.assertIn("REASON", shown.stdout)
        server.stop()
        self.start()
        self.assertEqual(self.last("cu_b")["reason"], WHY)

    def test_a_dry_run_and_a_refusal_keep_nothing(self):
        self.start()
        self.rpc("records.write", records=[unit("a")])
        self.rpc("records.delete", refs=["cu_a"], reason=WHY, dry_run=True)
        for method in ("records.delete", "records.purge", "admin.retention"):
            for reason in ("", "x" * 1001, 7):
                with self.subTest(method, reason=reason), self.assertRaises(RpcError) as refused:
                    self.rpc(method, **({} if method == "admin.retention" else {"refs": ["cu_a"]}), reason=reason)
                self.assertEqual(refused.exception.error["data"]["path"], "/reason")
        self.assertNotIn("reason", self.last("cu_a"))
        self.rpc("records.delete", refs=["cu_a"], reason="\U0001F600" * 1000)
        self.assertEqual(self.last("cu_a")["reason"], "\U0001F600" * 1000)

    def test_what_is_let_expire_by_hand_has_a_reason(self):
        self.start("--retention=ContextUnit=1s")
        self.rpc("records.write", records=[unit("a")])
        wait_until(lambda: self.rpc("admin.retention", dry_run=True, reason="only asked")["expired"] == 1, "the unit is old")
        self.rpc("admin.retention", reason=WHY)
        self.assertEqual((self.last("cu_a")["op"], self.last("cu_a")["reason"]), ("expire", WHY))
        self.rpc("records.write", records=[unit("b")])
        wait_until(lambda: self.rpc("admin.retention")["expired"] == 1, "the next one is old")
        self.assertNotIn("reason", self.last("cu_b"))

    def test_a_copy_has_the_reasons_and_is_the_same_history(self):
        server = self.start()
        self.rpc("records.write", records=[unit(each) for each in "abc"])
        self.rpc("records.delete", refs=["cu_a", "cu_c"], reason=WHY)
        self.rpc("records.purge", refs=["cu_b"], reason="gone")
        server.stop()
        first = whence("export", "--format", "jsonl", "--db", self.db).stdout
        self.assertEqual([json.loads(line).get("reason") for line in first.rstrip("\n").split("\n")[3:]], [WHY, WHY, "gone"])
        self.db = self.folder / "copy"
        done = whence("import", "-", "--db", self.db, stdin=first)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(whence("export", "--format", "jsonl", "--db", self.db).stdout, first)
        self.start()
        self.assertEqual((self.last("cu_a")["reason"], self.last("cu_b")["reason"]), (WHY, "gone"))

    def test_a_history_whose_removals_disagree_is_refused(self):
        server = self.start()
        self.rpc("records.write", records=[unit(each) for each in "ab"])
        self.rpc("records.delete", refs=["cu_a", "cu_b"], reason="one")
        server.stop()
        lines = whence("export", "--format", "jsonl", "--db", self.db).stdout
        for reason, said in (("two", "another reason than its transaction"), ("x" * 1001, "too long a reason")):
            with self.subTest(reason[:9]):
                head, _, rest = lines.rpartition('"reason":"one"')
                done = whence("import", "-", "--db", self.folder / reason[:3], stdin=f'{head}"reason":"{reason}"{rest}')
                self.assertEqual(done.returncode, 4)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
