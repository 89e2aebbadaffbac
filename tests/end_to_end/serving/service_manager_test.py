"""Claims: under a service manager `serve` tells when it is ready, reloads and stops (NOTIFY_SOCKET); it says that it is alive only
while its I/O threads and its writer answer; it serves on sockets that are handed over, and refuses wrong ones by name.

Method: the manager is this test: a datagram socket for what is told, threads of the server that are stopped one by one, and
listening sockets that the program inherits.
"""
import ctypes
import json
import os
import signal
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.program import WHENCE, Server, clean_env, free_ports, wait_until, whence, write_tokens

WAIT_SECONDS = 30
UNIT = {"$type$": "ContextUnit", "id": "cu_a", "type": "User", "source": "s", "timestamp": "2025-10-09T16:15:00Z", "version": 1}
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000


class Manager:
    """The socket that a service manager listens on. `address` is what NOTIFY_SOCKET says."""

    def __init__(self, folder=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(WAIT_SECONDS)
        name = str(folder / "notify") if folder else f"\0whence-test-{os.getpid()}-{time.monotonic_ns()}"
        self.socket.bind(name)
        self.address = name.replace("\0", "@")

    def read(self, *wanted):
        """The next message of which a line begins as one of `wanted`, as a dictionary."""
        while True:
            message = dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())
            if any(name in message for name in wanted):
                return message

    def hears_within(self, seconds, wanted):
        """Whether a message with the line `wanted` comes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                if wanted in self.socket.recv(4096).decode().splitlines():
                    return True
            except TimeoutError:
                break
            finally:
                self.socket.settimeout(WAIT_SECONDS)
        return False

    def forget(self):
        """Drops what has come."""
        while self.hears_within(0.001, ""):
            pass


class StoppedThread:
    """One thread of a child that does nothing meanwhile, as one that hangs."""

    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def __init__(self, test, thread):
        self.thread = thread
        if self.libc.ptrace(PTRACE_SEIZE, thread, None, None) != 0:
            test.skipTest("no thread can be stopped here: " + os.strerror(ctypes.get_errno()))

    def __enter__(self):
        self.libc.ptrace(PTRACE_INTERRUPT, self.thread, None, None)
        os.waitpid(self.thread, WALL)
        return self

    def __exit__(self, *_):
        self.libc.ptrace(PTRACE_DETACH, self.thread, None, None)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "db"

    def manager(self, folder=None):
        manager = Manager(folder)
        self.addCleanup(manager.socket.close)
        return manager


class NotifyTest(Folder):
    def test_it_is_ready_when_it_answers_and_says_when_it_stops(self):
        for manager in (self.manager(self.folder), self.manager()):
            with self.subTest(manager.address), Server(self.db, env=clean_env(NOTIFY_SOCKET=manager.address)) as server:
                self.assertEqual(manager.read("STATUS")["STATUS"], "Reading the store")
                ready = manager.read("READY", "STOPPING")
                self.assertEqual(ready, {"READY": "1", "STATUS": "Serving " + server.address})
                self.assertEqual(server.get("/readyz")[0], 200)
                server.signal(signal.SIGTERM)
                self.assertEqual(manager.read("STOPPING")["STOPPING"], "1")
                self.assertEqual(server.wait(), 0)

    def test_a_server_that_cannot_start_is_never_ready(self):
        manager = self.manager()
        (self.folder / "file").write_text("no store")
        done = whence("serve", "--db", self.folder / "file" / "db", "--listen", "127.0.0.1:0", env=clean_env(NOTIFY_SOCKET=manager.address))
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(manager.hears_within(0.05, "READY=1"))

    def test_a_reload_begins_and_ends(self):
        manager = self.manager()
        with Server(self.db, env=clean_env(NOTIFY_SOCKET=manager.address)) as server:
            manager.read("READY")
            before = time.monotonic_ns() // 1000
            server.signal(signal.SIGHUP)
            begun = manager.read("RELOADING", "READY")
            self.assertEqual(begun["RELOADING"], "1")
            self.assertGreaterEqual(int(begun["MONOTONIC_USEC"]), before)
            self.assertEqual(manager.read("READY"), {"READY": "1"})
            wait_until(lambda: any(" reloaded" in line for line in server.stderr_lines), "the line of the reload")

    def test_a_manager_that_is_not_there_is_said_once_and_harms_nothing(self):
        for address, why in ((str(self.folder / "nobody"), "No such file"), ("vsock:2:1", "neither a path nor @NAME"),
                             ("/" + 108 * "x", "neither a path nor @NAME")):
            with self.subTest(address), Server(self.db, env=clean_env(NOTIFY_SOCKET=address)) as server:
                self.assertEqual(server.get("/readyz")[0], 200)
                self.assertEqual(server.stop(), 0)
                said = [line for line in server.stderr_lines if "service_manager_unheard" in line]
                self.assertEqual(len(said), 1, server.stderr_lines)
                self.assertIn(why, said[0])


class WatchdogTest(Folder):
    PERIOD_SECONDS = 2  # a fourth of it is how soon a thread has to answer, on a busy machine too

    def watched(self, manager, **env):
        microseconds = str(int(self.PERIOD_SECONDS * 1_000_000))
        return Server(self.db, env=clean_env(**{"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": microseconds, **env}))

    def test_it_says_alive_again_and_again_with_its_transaction(self):
        manager = self.manager()
        with self.watched(manager) as server:
            for _ in range(3):
                self.assertEqual(manager.read("WATCHDOG")["STATUS"], f"Serving {server.address}, transaction 0")
            server.rpc("records.write", {"records": [UNIT]})
            wait_until(lambda: manager.read("WATCHDOG")["STATUS"].endswith("transaction 1"), "the new transaction")

    def test_it_says_nothing_where_another_process_or_no_process_is_watched(self):
        manager = self.manager()
        for env in ({"WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "soon"}):
            with self.subTest(env), self.watched(manager, **env) as server:
                manager.read("READY")
                self.assertFalse(manager.hears_within(self.PERIOD_SECONDS, "WATCHDOG=1"))
                server.stop()
                self.assertEqual(any("WATCHDOG_USEC" in line for line in server.stderr_lines), "WATCHDOG_USEC" in env)

    def test_it_says_nothing_while_an_io_thread_or_the_writer_hangs(self):
        manager = self.manager()
        with self.watched(manager) as server:
            manager.read("WATCHDOG")
            pid = server.process.pid
            threads = {path.name: (path / "comm").read_text().strip() for path in Path(f"/proc/{pid}/task").iterdir()}
            writer = next(int(thread) for thread, name in threads.items() if name == "writer")
            for thread, what in ((pid, "1 I/O threads do not answer"), (writer, f"the writer of {self.db} does not answer")):
                with self.subTest(what):
                    with StoppedThread(self, thread):
                        wait_until(lambda: any(what in line for line in server.stderr_lines), what)
                        manager.forget()
                        self.assertFalse(manager.hears_within(self.PERIOD_SECONDS, "WATCHDOG=1"))
                    manager.read("WATCHDOG")
            # More than twice where another thread was late by itself.
            wait_until(lambda: sum(" answering" in line for line in server.stderr_lines) >= 2, server.stderr_lines)
            self.assertEqual(server.stop(), 0)


class SocketTest(Folder):
    def listening(self, family=socket.AF_INET, host="127.0.0.1"):
        opened = socket.socket(family, socket.SOCK_STREAM)
        self.addCleanup(opened.close)
        opened.bind((host, 0))
        opened.listen(8)
        return opened

    def handed(self, *sockets, names=None, count=None, pid="$$"):
        """The path of a program that is `whence` with the sockets as a service manager gives them."""
        lines = [f"exec {3 + i}<&{given.fileno()}" for i, given in enumerate(sockets)]
        lines += [f"export LISTEN_PID={pid} LISTEN_FDS={len(sockets) if count is None else count}"]
        lines += [f"export LISTEN_FDNAMES={names}"] if names is not None else []
        path = self.folder / f"whence-{time.monotonic_ns()}"
        path.write_text("#!/bin/bash\n" + "\n".join(lines) + f'\nexec {Path(WHENCE).resolve()} "$@"\n')
        path.chmod(0o755)
        return str(path)

    def serve(self, *sockets, args=(), **given):
        # High numbers, so that none of them is one that the program gets.
        moved = [socket.socket(fileno=os.dup(each.fileno())) for each in sockets]
        for i, each in enumerate(moved):
            os.dup2(each.fileno(), 60 + i)
            each.close()
        numbers = [60 + i for i in range(len(sockets))]
        held = [socket.socket(fileno=number) for number in numbers]
        try:
            return Server(self.db, *args, program=self.handed(*held, **given), pass_fds=numbers)
        finally:
            for each in held:
                each.close()

    def test_it_serves_on_the_socket_it_was_given(self):
        for names in (None, "http", "whence.socket"):
            given = self.listening()
            with self.subTest(names), self.serve(given, names=names) as server:
                self.assertEqual(server.address, f"http://127.0.0.1:{given.getsockname()[1]}")
                self.assertEqual(server.get("/readyz")[0], 200)
                self.assertEqual(server.stop(), 0)

    def test_clients_wait_in_the_socket_until_it_starts(self):
        given = self.listening()
        with socket.create_connection(given.getsockname()[:2], timeout=WAIT_SECONDS) as early:
            early.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{given.getsockname()[1]}\r\nConnection: close\r\n\r\n".encode())
            with self.serve(given):
                self.assertTrue(early.recv(64).startswith(b"HTTP/1.1 200"))

    def test_bolt_has_a_socket_of_its_own(self):
        http, bolt = self.listening(), self.listening()
        for order, names in (((http, bolt), "http:bolt"), ((bolt, http), "bolt:http")):
            with self.subTest(names), self.serve(*order, names=names) as server:
                self.assertEqual(server.address.rsplit(":", 1)[1], str(http.getsockname()[1]))
                self.assertIn(f"speaking Bolt on bolt://127.0.0.1:{bolt.getsockname()[1]}\n", server.stdout_lines)
                self.assertEqual(server.stop(), 0)

    def test_bolt_alone_may_be_given(self):
        bolt = self.listening()
        with self.serve(bolt, names="bolt") as server:
            self.assertIn(f"speaking Bolt on bolt://127.0.0.1:{bolt.getsockname()[1]}\n", server.stdout_lines)
            self.assertEqual(server.get("/readyz")[0], 200)

    def test_sockets_of_another_process_are_left_alone(self):
        given = self.listening()
        with self.serve(given, pid="1") as server:
            self.assertNotEqual(server.address.rsplit(":", 1)[1], str(given.getsockname()[1]))

    def test_what_is_given_wrongly_is_refused_by_name(self):
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        silent = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        local.bind(str(self.folder / "local"))
        local.listen(1)
        open_to_all = self.listening(host="0.0.0.0")
        for each in (datagrams, local, silent):
            self.addCleanup(each.close)
        cases = (((datagrams,), {}, "descriptor 3 is not of TCP"), ((local,), {}, "descriptor 3 is not of TCP"),
                 ((silent,), {}, "descriptor 3 does not listen"), ((), {"count": "1"}, "descriptor 3 is no socket"),
                 ((self.listening(),), {"count": "3"}, 'LISTEN_FDS: "3" is neither 1 nor 2'),
                 ((self.listening(),), {"count": "-1"}, 'LISTEN_FDS: "-1" is neither 1 nor 2'),
                 ((self.listening(), self.listening()), {"names": "http"}, "does not name the 2 sockets"),
                 ((self.listening(), self.listening()), {"names": "http:grpc"}, '"grpc" is neither http nor bolt'),
                 ((self.listening(), self.listening()), {"names": "http:http"}, "two sockets named http"),
                 ((open_to_all,), {}, "is not a loopback address"))
        for sockets, given, why in cases:
            with self.subTest(why), self.assertRaisesRegex(RuntimeError, why):
                self.serve(*sockets, **given)


class HealthTest(Folder):
    def test_a_server_that_is_ready_is_well_and_needs_no_token(self):
        tokens = write_tokens(self.folder / "tokens", "admin secret\n")
        with Server(self.db, "--tokens", tokens) as server:
            for arguments, answer in (((), {"ready": True, "tx": 0}), (("--live",), {"status": "ok"})):
                done = whence("health", "--url", server.url, *arguments)
                self.assertEqual((done.returncode, json.loads(done.stdout)), (0, answer))

    def test_one_that_is_not_ready_or_not_there_is_6_with_the_reason(self):
        body = b'{"ready":false,"reasons":["draining"]}'
        listening = socket.socket()
        self.addCleanup(listening.close)
        listening.bind(("127.0.0.1", 0))
        listening.listen(1)

        def answer():
            client, _ = listening.accept()
            with client:
                client.recv(4096)
                client.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        done = whence("health", "--url", url)
        thread.join()
        self.assertEqual(done.returncode, 6)
        self.assertIn('"reasons":["draining"]', done.stderr)
        self.assertEqual(whence("health", "--url", f"http://127.0.0.1:{free_ports(1)[0]}").returncode, 6)
