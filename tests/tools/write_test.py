"""load, put, rate and delete: order, resumability, refused lines, the bar, what is asked, exit codes."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from records import feedback, lines, nameless, response, unit
from whence_e2e import WHENCE, Server, clean_env, open_terminal, whence


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"

    def load(self, text, *args):
        return whence("load", "-", "--db", self.db, *args, stdin=text)

    def head(self):
        return json.loads(whence("stats", "--db", self.db, "--json").stdout)["tx"]


class LoadTest(Folder):
    def test_bare_records_are_gathered_and_batches_are_transactions(self):
        text = lines(unit("a"), unit("b")) + "\n" + lines({"records": [response("1", a=1)]}, {"records": [unit("c")]}, unit("d"))
        done = self.load(text, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"records": 5, "transactions": 4, "unchanged": 0, "warnings": 0, "tx": 4})

    def test_more_than_a_thousand_records_take_more_transactions(self):
        self.assertEqual(self.load(lines(*(unit(str(i)) for i in range(1001)))).returncode, 0)
        self.assertEqual(self.head(), 2)

    def test_running_again_skips_what_is_there(self):
        text = lines(unit("a"), {"records": [response("1", a=1)]})
        self.load(text)
        again = self.load(text + lines(unit("b")), "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout), {"records": 3, "transactions": 1, "unchanged": 2, "warnings": 0, "tx": 3})

    def test_records_without_id_are_written_once(self):
        text = lines(nameless(1), unit("a"), {"records": [nameless(2)]}, {"records": [nameless(2)]}, nameless(1))
        first = self.load(text, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(json.loads(first.stdout), {"records": 5, "transactions": 4, "unchanged": 0, "warnings": 0, "tx": 4})
        again = self.load(text, "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout), {"records": 5, "transactions": 0, "unchanged": 4, "warnings": 0, "tx": 4})
        more = self.load(text + lines({"records": [nameless(3)]}), "--json")
        self.assertEqual(json.loads(more.stdout)["unchanged"], 4, "the batches before the new line are the same still")
        self.assertEqual(json.loads(more.stdout)["transactions"], 1)

    def test_a_key_of_its_own_is_kept(self):
        batch = {"records": [nameless(1)], "idempotency_key": "k"}
        self.load(lines(batch))
        self.assertEqual(whence("put", "--db", self.db, stdin=json.dumps(batch)).returncode, 0)
        self.assertEqual(self.head(), 1)

    def test_the_summary_names_the_head(self):
        self.load(lines({"records": [unit("a")]}, {"records": [unit("b")]}))
        for text in ("", lines({"records": [unit("a")]}), lines({"records": [unit("c")], "dry_run": True})):
            done = self.load(text, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((json.loads(done.stdout)["transactions"], json.loads(done.stdout)["tx"]), (0, 2))
            self.assertIn("at transaction 2", done.stderr)
        self.assertEqual(json.loads(done.stdout)["records"], 0, "what was checked was not loaded")

    def test_a_batch_beyond_the_servers_limit_is_named_by_its_line(self):
        text = lines({"records": [unit("a")]}, {"records": [unit("b", source="x" * 20_000_000)]})
        with Server(self.db, "--max-message", "100000") as server:
            done = whence("load", "-", "--url", server.url, stdin=text)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("line 2", done.stderr)
            self.assertIn("413", done.stderr)

    def test_a_refused_batch_stops_with_its_line(self):
        done = self.load(lines({"records": [unit("a")]}, {"records": [response("1", a=0.5)]}, {"records": [unit("b")]}))
        self.assertEqual(done.returncode, 4)
        self.assertIn("line 2", done.stderr)
        self.assertEqual(self.head(), 1)

    def test_a_refused_record_is_named_by_its_own_line(self):
        done = self.load(lines(unit("a")) + "\n" + lines(unit("b"), unit("c", version=0)))
        self.assertEqual(done.returncode, 4)
        self.assertIn("line 4", done.stderr)
        self.assertIn("/version", done.stderr)
        self.assertEqual(self.head(), 0)

    def test_a_conflict_stops_with_5(self):
        self.load(lines(unit("a")))
        done = self.load(lines(unit("a", source="other")))
        self.assertEqual(done.returncode, 5)
        self.assertIn("line 1", done.stderr)

    def test_broken_json_stops_with_its_line(self):
        done = self.load(lines(unit("a")) + '{"$type$"\n' + lines(unit("b")))
        self.assertEqual(done.returncode, 4)
        self.assertIn("line 2", done.stderr)
        self.assertEqual(self.head(), 1)

    def test_a_member_given_twice_is_refused(self):
        text = json.dumps(unit("a"))[:-1] + ', "source": "t"}\n'
        self.assertEqual(self.load(text).returncode, 4)

    def test_ensure_makes_topics(self):
        message = {"$type$": "Message", "id": "m", "topicId": "t"}
        self.assertEqual(self.load(lines(message)).returncode, 4)
        self.assertEqual(self.load(lines(message), "--ensure").returncode, 0)

    def test_files_are_loaded_in_order(self):
        first, second = self.folder / "1.ndjson", self.folder / "2.ndjson"
        first.write_text(lines(unit("a")))
        second.write_text(lines(response("1", a=1)))
        self.assertEqual(whence("load", first, second, "--db", self.db).returncode, 0)
        missing = whence("load", self.folder / "none", "--db", self.db)
        self.assertEqual(missing.returncode, 3)
        self.assertIn("none", missing.stderr)

    def test_a_byte_order_mark_is_no_part_of_a_file(self):
        file = self.folder / "1.ndjson"
        file.write_text("\ufeff" + lines(unit("a")))
        self.assertEqual(whence("load", file, "--db", self.db).returncode, 0)
        file.write_text("\ufeff" + json.dumps({"records": [unit("b")]}))
        self.assertEqual(whence("put", file, "--db", self.db).returncode, 0)

    def test_what_is_wrong_with_a_command_is_said_in_its_own_words(self):
        self.load(lines(unit("a"), response("1", a=1)))
        none = self.folder / "none"
        for words, code, said in ((["--foo"], 2, '"--foo" is no flag of whence: a verb comes first'), ([], 2, "a verb comes first"),
                                  (["rate", "resp_1", "much", "--db", self.db], 2, 'score: must be a number, not "much"'),
                                  (["put", none, "--db", self.db], 3, f"{none} cannot be read: No such file"),
                                  (["load", none, "--db", self.db], 3, f"{none} cannot be read: No such file"),
                                  (["put", self.folder, "--db", self.db], 1, f"{self.folder} cannot be read: it is a folder"),
                                  (["evidence", "--from", "2999-01-01", "-o", none, "--db", self.db], 2, "--from: is in the future"),
                                  (["stats", "--db", none], 3, "there is no store"), (["verify", "--db", none], 3, "there is no store"),
                                  (["checkpoint", "--db", none], 3, "there is no store"), (["backup", self.folder / "b", "--db", none], 3, "there is no store")):
            done = whence(*words)
            self.assertEqual((done.returncode, said in done.stderr), (code, True), (words, done.stderr))
        self.assertFalse(none.exists())

    def test_a_folder_is_its_files_of_records_by_name(self):
        inner = self.folder / "in" / "deeper"
        inner.mkdir(parents=True)
        (self.folder / "in" / "b.jsonl").write_text(lines(response("1", a=1)))
        (self.folder / "in" / "a.ndjson").write_text(lines(unit("a")))
        (inner / "c.ndjson").write_text(lines(unit("c")))
        (self.folder / "in" / "notes.txt").write_text("no records")
        done = whence("load", self.folder / "in", "--db", self.db, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["records"], 3)
        self.assertIn("notes.txt is left out: its name ends in neither .ndjson nor .jsonl", done.stderr)

    def test_a_folder_without_records_says_so_and_makes_no_store(self):
        (self.folder / "in").mkdir()
        done = whence("load", self.folder / "in", "--db", self.db)
        self.assertEqual(done.returncode, 1)
        self.assertIn("in has no file whose name ends in .ndjson or .jsonl", done.stderr)
        self.assertFalse(self.db.exists())

    def test_a_server_is_loaded_too(self):
        with Server(self.db) as server:
            done = whence("load", "-", "--url", server.url, stdin=lines(*({"records": [unit(str(i))]} for i in range(20))))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(server.rpc("node.count", {"type": "ContextUnit"})["count"], 20)

    def test_progress_is_shown_on_terminals_only(self):
        text = self.folder / "many.ndjson"
        text.write_text(lines(*({"records": [unit(str(i))]} for i in range(3000))))
        main, side = open_terminal(self)
        loading = subprocess.Popen([WHENCE, "load", str(text), "--db", str(self.db)], stdout=subprocess.PIPE, stderr=side,
                                   env=clean_env())
        os.close(side)
        seen = b""
        while chunk := read_terminal(main):
            seen += chunk
        os.close(main)
        out, _ = loading.communicate()
        self.assertEqual((loading.returncode, out), (0, b""))
        self.assertIn(b"\r\x1b[K[", seen)
        quiet = self.load(lines({"records": [unit("x")]}))
        self.assertNotIn("\r", quiet.stderr)


def read_terminal(main):
    """The next bytes; none once the other side is closed (Linux answers EIO then)."""
    try:
        return os.read(main, 65536)
    except OSError:
        return b""


class PutTest(Folder):
    def put(self, item, *args):
        return whence("put", "--db", self.db, *args, stdin=item if isinstance(item, str) else json.dumps(item))

    def test_takes_a_record_an_array_or_a_batch(self):
        for number, item in enumerate((unit("a"), [unit("b"), unit("c")], {"records": [unit("d")]}), 1):
            done = self.put(item, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["tx"], number)

    def test_takes_records_one_per_line(self):
        done = self.put("\n" + lines(unit("a"), unit("b")), "--json", "--expect-tx", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["refs"], ["ContextUnit:cu_a", "ContextUnit:cu_b"])
        self.assertEqual(self.head(), 1)

    def test_takes_one_batch_only(self):
        for text, why in [(lines({"records": [unit("a")]}, {"records": [unit("b")]}), "more than one batch"),
                          (lines(unit("a"), {"records": [unit("b")]}), "more than one batch"),
                          (lines(unit("a")) + "{\n", "line 2"), ("{\n" + lines(unit("a")), "not JSON")]:
            done = self.put(text)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(why, done.stderr)

    def test_shows_refs(self):
        done = self.put([unit("a"), response("1", a=1)])
        self.assertEqual(done.stdout.splitlines(), ["tx: 1", "REF", "ContextUnit:cu_a", "Response:resp_1"])

    def test_dry_run_writes_nothing(self):
        self.assertEqual(self.put(unit("a"), "--dry-run").returncode, 0)
        self.assertEqual(self.head(), 0)

    def test_expect_tx_guards(self):
        self.assertEqual(self.put({"records": [unit("a")]}, "--expect-tx", "0").returncode, 0)
        self.assertEqual(self.put(unit("b"), "--expect-tx", "0").returncode, 5)

    def test_a_flag_with_an_empty_value_is_refused(self):
        for args in (["put", "--idempotency-key", ""], ["delete", "cu_a", "--reason", ""], ["hold", "set", "cu_a", "--topic", ""],
                     ["rate", "resp_a", "1", "--text", ""]):
            with self.subTest(args):
                done = whence(*args, "--db", self.db, stdin=json.dumps(unit("a")))
                self.assertEqual((done.returncode, done.stderr), (2, f"whence: {args[-2]}: must not be empty\n"))

    def test_idempotency_key_names_one_batch(self):
        self.assertEqual(self.put(unit("a"), "--idempotency-key", "k").returncode, 0)
        self.assertEqual(self.put(unit("a"), "--idempotency-key", "k").returncode, 0)
        self.assertEqual(self.put(unit("b"), "--idempotency-key", "k").returncode, 5)

    def test_refusals_name_every_rule(self):
        done = self.put([unit("a", version=0), unit("b", source="")])
        self.assertEqual(done.returncode, 4)
        for part in ("record 0", "/version", "record 1", "/source"):
            self.assertIn(part, done.stderr)
        self.assertEqual(self.put("{").returncode, 4)
        self.assertEqual(self.put("17").returncode, 4)

    def test_warnings_go_to_stderr(self):
        self.put([unit("a"), response("1", a=1), feedback("1", "1", -1)])
        done = self.put(response("2", a=1), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)
        self.assertEqual(json.loads(done.stdout)["warnings"][0]["rule"], "deprecated_context")



class RateAndDeleteTest(Folder):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.load(lines(unit("a"), response("1", a=1))).returncode, 0)

    def test_a_rating_is_recorded_with_its_words(self):
        done = whence("rate", "resp_1", "-0.5", "--text", "wrong town", "--user", "ann", "--db", self.db)
        self.assertEqual((done.returncode, done.stdout.startswith("FeedbackRecord:")), (0, True), done)
        record = json.loads(whence("get", done.stdout.strip(), "--db", self.db, "--json").stdout)["nodes"][0]["record"]
        self.assertEqual((record["response_id"], record["score"], record["feedback_text"], record["user_id"]),
                         ("resp_1", -0.5, "wrong town", "ann"))
        self.assertEqual(whence("rate", "Response:resp_1", "1", "--db", self.db).returncode, 0)
        for code, args in ((4, ("resp_1", "2")), (2, ("resp_1", "good")), (2, ("resp_1",))):
            self.assertEqual(whence("rate", *args, "--db", self.db).returncode, code, args)

    def test_what_is_deleted_is_said(self):
        self.assertEqual(whence("delete", "cu_a", "--db", self.db).returncode, 5)  # a response uses it
        dry = whence("delete", "Response:resp_1", "--dry-run", "--db", self.db)
        self.assertEqual((dry.returncode, dry.stdout), (0, "would delete Response:resp_1\n"))
        done = whence("delete", "Response:resp_1", "--db", self.db)
        self.assertEqual((done.returncode, done.stdout), (0, "deleted Response:resp_1\n"))
        self.assertEqual(whence("get", "resp_1", "--db", self.db).returncode, 3)

    def on_a_terminal(self, verb, answer, *more, ref="Response:resp_1"):
        near, far = open_terminal(self)
        os.write(near, answer.encode() + b"\n")
        done = subprocess.run([WHENCE, verb, ref, "--db", self.db, *more], stdin=far, stdout=subprocess.PIPE, stderr=far,
                              env=clean_env(), timeout=60, check=False)
        shown = os.read(near, 65536).decode()
        os.close(near)
        os.close(far)
        return done.returncode, shown, done.stdout.decode()

    def test_a_person_is_asked(self):
        code, shown, said = self.on_a_terminal("delete", "n")
        self.assertEqual((code, said), (1, ""))
        self.assertIn("would delete Response:resp_1", shown)
        self.assertIn("nothing was done", shown)
        code, shown, said = self.on_a_terminal("purge", "y")
        self.assertEqual(code, 0)
        self.assertIn("would purge Response:resp_1", shown)
        self.assertIn("purged Response:resp_1", said)
        self.assertEqual(self.on_a_terminal("delete", "", "--yes")[::2], (0, "deleted Response:resp_1\n"))

    def test_a_person_sees_what_rests_on_it_before_the_question(self):
        self.assertEqual(self.load(lines(*(response(f"more_{i}", a=1) | {"content": f"Answer {i}\x1b[2J"} for i in range(12)))).returncode, 0)
        for verb, more, would in (("delete", ("--force",), "would delete ContextUnit:cu_a"), ("purge", (), "would purge ContextUnit:cu_a")):
            code, shown, said = self.on_a_terminal(verb, "n", *more, ref="cu_a")
            self.assertEqual((code, said), (1, ""))
            before, asked, _ = shown.partition(f"{verb}? [y/N]")
            self.assertTrue(asked, shown)
            told = before.splitlines()
            self.assertLess(told.index(would), told.index("what rests on it stays: 13 Response"))
            self.assertEqual(sum(line.startswith("  Response:resp_") for line in told), 10)
            self.assertIn("  ... 3 more", told)
            self.assertNotIn("\x1b[2J", shown)
        self.assertIn("nothing rests on it", self.on_a_terminal("delete", "n", ref="Response:resp_1")[1])
        self.assertNotIn("rests", self.on_a_terminal("delete", "", "--yes", ref="Response:resp_1")[1])

    def test_a_day_before_the_store_has_nothing(self):
        for moment in ("yesterday", "2025-10-11", "-2h"):
            self.assertEqual(whence("get", "cu_a", "--as-of", moment, "--db", self.db).returncode, 3, moment)
        self.assertEqual(whence("get", "cu_a", "--as-of", "-0s", "--db", self.db).returncode, 0)
        refused = whence("get", "cu_a", "--as-of", "tomorrow", "--db", self.db)
        self.assertEqual((refused.returncode, "today, yesterday" in refused.stderr), (2, True))
        # Wherever a moment is taken.
        for args in (["show", "cu_a"], ["export", "--format", "jsonl"], ["query", "MATCH (n:ContextUnit) RETURN n.id"], ["count", "ContextUnit"]):
            then = whence(*args, "--as-of", "-2h", "--db", self.db)
            self.assertNotIn("cu_a", then.stdout, args)
        self.assertEqual(whence("count", "ContextUnit", "--as-of", "yesterday", "--db", self.db).stdout, "0\n")
        self.assertEqual(whence("blame", "--since", "yesterday", "--db", self.db).returncode, 0)


if __name__ == "__main__":
    unittest.main()
