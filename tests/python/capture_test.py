"""Recording in the background: what is queued arrives, whole and once; nothing that goes wrong reaches the application."""
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import unittest

from client_case import ROOT, ClientCase, whence


class CaptureTest(ClientCase):
    def record_of(self, id):
        return self.db.node.get(f"Response:{id}", include=["record"])["nodes"][0]["record"]

    def test_a_record_is_there_after_flush(self):
        id = self.db.record(agent="bot", model="m", prompt="Why?", content="So.", usage={"input_tokens": 3, "output_tokens": 1},
                            context_units=[{"content": "A passage.", "source": "file:a.md", "type": "External", "weight": 0.75},
                                           {"content": "Another.", "source": "file:b.md", "type": "External"}])
        counts = self.db.flush()
        self.assertEqual((counts["pending"], counts["rejected"], counts["dropped"]), (0, 0, 0))
        record = self.record_of(id)
        self.assertEqual((record["agent"], record["prompt"], record["content"], record["usage"]["input_tokens"]), ("bot", "Why?", "So.", 3))
        self.assertEqual([use["weight"] for use in record["context_units"]], [0.75, 0.25])

    def test_a_call_names_its_sources_and_takes_its_time(self):
        unit = self.write_units(1)[0]
        with self.db.call(agent="bot", model="m", prompt="Why?") as c:
            c.used(unit)
            c.used(f"Response:{self.id_of('resp')}")
            whence.used({"content": "Told by a tool.", "source": "tool:x", "type": "External"})
            c.content = "So."
        self.assertEqual(self.db.flush()["pending"], 0)
        record = self.record_of(c.id)
        self.assertGreaterEqual(record["latency_ms"], 0)
        refs = {node["ref"] for node in self.db.lineage.ancestors(c.id)}
        self.assertTrue({f"ContextUnit:{unit}", f"Response:{self.id_of('resp')}"} <= refs, refs)

    def test_a_block_that_raises_records_nothing(self):
        before = self.db.flush()["written"]
        with self.assertRaises(KeyError):
            with self.db.call(model="m") as c:
                c.content = "So."
                raise KeyError("x")
        self.assertEqual(self.db.flush()["written"], before)

    def test_decorated_functions_are_recorded(self):
        unit = self.write_units(1)[0]

        @self.db.recorded(agent="bot", model="m")
        def answer(question):
            whence.used(unit, 1)
            return "So."

        @self.db.recorded(agent="bot-2", model="m")
        async def answer_later(question):
            whence.used(unit)
            return {"said": "So."}

        self.assertEqual(answer("Why?"), "So.")
        self.assertEqual(asyncio.run(answer_later("Why then?")), {"said": "So."})
        self.assertEqual(self.db.flush()["pending"], 0)
        made = {node["record"]["agent"]: node["record"] for node in self.db.lineage.descendants(unit, include=["record"])
                if node["type"] == "Response" and node["record"]["agent"].startswith("bot")}
        self.assertEqual((made["bot"]["prompt"], made["bot"]["content"]), ("Why?", "So."))
        self.assertEqual(json.loads(made["bot-2"]["content"]), {"said": "So."})

    def test_what_is_refused_takes_nothing_else_with_it(self):
        seen = []
        queue = whence.RecordQueue(self.server.url, on_error=seen.append)
        self.addCleanup(queue.close)
        good = [{"$type$": "Topic", "id": f"t_{self._testMethodName}_{n}", "name": "n"} for n in range(20)]
        for number, topic in enumerate(good):
            queue.add([topic])
            if number == 7:
                queue.add([{"$type$": "Nothing"}])
            if number == 9:
                queue.add([{"$type$": "Topic", "id": "x", "name": object()}])
        self.assertEqual(queue.flush(), {"written": 20, "dropped": 0, "rejected": 2, "pending": 0})
        self.assertEqual(len(seen), 2)

    def test_the_asynchronous_client_records_too(self):
        async def use():
            async with await whence.aio.connect(self.server.url) as db:
                with db.call(agent="bot", model="m") as c:
                    c.content = "So."
                return c.id, await db.flushed()

        id, counts = asyncio.run(use())
        self.assertEqual((counts["written"], counts["pending"]), (1, 0))
        self.assertEqual(self.record_of(id)["content"], "So.")

    def test_the_environment_names_the_server_and_the_end_of_the_process_flushes(self):
        program = 'import whence; print(whence.record(agent="bot", model="m", content="So."))'
        env = {**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python"), "WHENCE_URL": self.server.url}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.record_of(done.stdout.strip())["content"], "So.")

    def test_wrong_settings_are_told_and_raise_nothing(self):
        program = 'import whence; whence.record(content="So."); print(whence.flush(0.2))'
        with tempfile.NamedTemporaryFile() as file:
            env = {**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python"), "WHENCE_URL": "nonsense", "WHENCE_SPOOL": file.name}
            done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("WHENCE_URL", done.stderr)

    def test_a_fork_has_a_queue_of_its_own(self):
        program = """
import os, whence
ids = [whence.record(agent="parent", model="m", content="p")]
whence.flush()
if os.fork() == 0:
    ids.append(whence.record(agent="child", model="m", content="c"))
    print(ids[-1], whence.flush()["written"], flush=True)
    os._exit(0)
os.wait()
print(whence.record(agent="parent", model="m", content="p"), whence.flush()["written"], flush=True)
"""
        with tempfile.TemporaryDirectory() as spool:
            env = {**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python"), "WHENCE_URL": self.server.url, "WHENCE_SPOOL": spool}
            done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (child, child_written), (parent, parent_written) = (line.split() for line in done.stdout.splitlines())
        self.assertEqual((child_written, parent_written), ("1", "2"))
        self.assertEqual(self.record_of(child)["agent"], "child")
        self.assertEqual(self.record_of(parent)["agent"], "parent")


if __name__ == "__main__":
    unittest.main()
