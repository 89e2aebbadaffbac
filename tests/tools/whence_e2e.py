"""The base of all tests in Python: the built program, servers on free ports, calls over HTTP.

The program is named by the environment variable WHENCE. No other WHENCE_* variable of the caller reaches it.
"""
import atexit
import functools
import hashlib
import http.client
import json
import os
import pty
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path

WHENCE = os.environ.get("WHENCE", "whence")
START_SECONDS = 60  # sanitizer builds on a loaded machine
WAIT_SECONDS = 60  # for results that should be there at once, on the same machine
REUSE_SECONDS = 5  # an HTTP connection idle for longer is not trusted to be open still


class RpcError(RuntimeError):
    """A JSON-RPC error; `error` is the whole object."""

    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.error, self.code = error, error.get("code")


def seed_of_run():
    """The seed of a randomised test: `WHENCE_TEST_SEED` where it is set, else a new one. It is printed, so that a failure can be
    repeated."""
    seed = int(os.environ.get("WHENCE_TEST_SEED") or random.SystemRandom().randrange(1, 2**31))
    print(f"WHENCE_TEST_SEED={seed}", file=sys.stderr, flush=True)
    return seed


def clean_env(**more):
    """This process's environment without settings for whence, plus `more`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("WHENCE_") and k != "NO_COLOR"}
    return {**env, **more}


def whence(*args, stdin="", env=None, cwd=None, timeout=120, prepare=None):
    """Runs the program to its end; returns the CompletedProcess with text streams."""
    return subprocess.run([WHENCE, *map(str, args)], input=stdin, capture_output=True, text=True, encoding="utf-8",
                          env=env or clean_env(), cwd=cwd, timeout=timeout, preexec_fn=prepare)


def write_private(path, text):
    """A file that nobody else may read, as a file with tokens has to be. Returns its path."""
    path = Path(path)
    path.touch(0o600)
    path.chmod(0o600)
    path.write_text(text)
    return path


def token_lines(text):
    """The lines of a server's token file: of `ROLE SECRET` what has the secret's digest, of others themselves."""
    return re.sub(r"^(metrics|read|write|admin) (\S+)$",
                  lambda line: f"sha256:{hashlib.sha256(line[2].encode()).hexdigest()} role={line[1]}", text, flags=re.M)


def write_tokens(path, text):
    """A token file of a server, with the lines that `token_lines` makes of `text`. Returns its path."""
    return write_private(path, token_lines(text))


def wait_until(is_reached, what, seconds=WAIT_SECONDS):
    """Polls `is_reached` until it is true and returns what it returned; AssertionError naming `what` after `seconds`.
    The one place of the tests that sleeps."""
    deadline = time.monotonic() + seconds
    while not (reached := is_reached()):
        if time.monotonic() > deadline:
            raise AssertionError(f"still waiting after {seconds} s: {what}")
        time.sleep(0.005)
    return reached


def reserve(listen):
    """An address of loopback whose port, where it is 0, is one that nobody has; and the socket that keeps it: bound and not listening, so
    that the system gives the port to nobody who asks for any, and whoever names it may listen there, again and again. Other addresses
    stay as they are, without a socket."""
    host, _, port = listen.rpartition(":")
    if host != "127.0.0.1":
        return listen, None
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((host, int(port)))
    except OSError:  # somebody listens there
        held.close()
        return listen, None
    return f"{host}:{held.getsockname()[1]}", held


def free_ports(count):
    """Ports of loopback that are kept for this process until it ends, for who has to know them before a server listens there, or whose
    server goes and comes back. Nobody listens there yet."""
    kept = [reserve("127.0.0.1:0") for _ in range(count)]
    for _, held in kept:
        atexit.register(held.close)
    return [int(listen.rpartition(":")[2]) for listen, _ in kept]


def open_terminal(test):
    """Both ends of a pseudo-terminal; skips `test` if the machine has none, as in some containers."""
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(f"no terminal: {error}")


@functools.cache
def _empty_store():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    with Server(folder + "/db"):
        return Path(folder) / "db" / "data.mdb"


def twin_store(path):
    """An empty store at `path` with the same key of made ids as all others that this process makes so: what is written to them can be
    compared, ids of texts too."""
    Path(path).mkdir(mode=0o700)
    shutil.copy(_empty_store(), path)
    return path


class Connection(http.client.HTTPConnection):
    """A thread's connection: closed when the thread has ended."""

    def __del__(self):
        self.close()


class Server:
    """A running `whence serve` (or another verb that serves) on loopback, port chosen by the system and kept for as long as this object
    is there, so that another server can take its place."""

    def __init__(self, db, *args, verb=("serve",), env=None, token=None, listen="127.0.0.1:0", prepare=None,
                 program=None, pass_fds=()):
        """Without `db` there is none but those in `args`. `prepare` runs in the child before the program, or before `program`, which runs
        it with its arguments and has the open files `pass_fds`."""
        self.token = token
        listen, held = reserve(listen)
        if held is not None:
            weakref.finalize(self, held.close)
        self.stderr_lines, self.stdout_lines = [], []
        self.process = subprocess.Popen([program or WHENCE, *verb, *(["--db", str(db)] if db else []), "--listen", listen, *map(str, args)],
                                        text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env or clean_env(), preexec_fn=prepare, pass_fds=pass_fds)
        self.address = None
        self._listening = threading.Event()
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.stdout_lines), (self.process.stderr, self.stderr_lines))]
        for reader in self._readers:
            reader.start()
        self._local = threading.local()  # per thread: its connection, and the time of its last use
        if not self._listening.wait(START_SECONDS) or self.address is None:
            self.kill()
            raise RuntimeError("no server: " + "".join(self.stderr_lines))

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line)
            if stream is self.process.stdout and line.startswith("listening on "):
                self.address = line.removeprefix("listening on ").strip()
                self._listening.set()
        if stream is self.process.stdout:
            self._listening.set()  # it ended without listening

    @property
    def url(self):
        return self.address

    @property
    def authority(self):
        return self.address.split("//")[1]

    def _connection(self):
        local = self._local
        if getattr(local, "connection", None) is None:
            local.connection = Connection(self.authority, timeout=120)
        elif time.monotonic() - local.used > REUSE_SECONDS:
            local.connection.close()  # the next request opens it again
        local.used = time.monotonic()
        return local.connection

    def post(self, message):
        """Sends one JSON-RPC message (a request or a batch) and returns the answer. Callable from any thread."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        connection = self._connection()
        try:
            connection.request("POST", "/rpc", body=json.dumps(message).encode(), headers=headers)
            with connection.getresponse() as response:
                body = response.read()
        except Exception:
            connection.close()
            raise
        if response.status != 200:
            raise RuntimeError(f"HTTP {response.status}: {body.decode(errors='replace')}")
        return json.loads(body)

    def get(self, path):
        """Status and body of a GET."""
        connection = http.client.HTTPConnection(self.authority, timeout=120)
        try:
            connection.request("GET", path)
            with connection.getresponse() as response:
                return response.status, response.read()
        finally:
            connection.close()

    def rpc(self, method, params=None):
        """The result of one call; RpcError where it is refused."""
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def rpc_batch(self, calls):
        """The results of (method, params) pairs sent in one message, in their order."""
        answers = self.post([{"jsonrpc": "2.0", "id": i, "method": m, "params": p} for i, (m, p) in enumerate(calls)])
        by_id = {answer["id"]: answer for answer in answers}
        for answer in answers:
            if "error" in answer:
                raise RpcError(answer["error"])
        return [by_id[i]["result"] for i in range(len(calls))]

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout=60):
        """The exit code, once everything it wrote has been read."""
        code = self.process.wait(timeout)
        if getattr(self._local, "connection", None) is not None:
            self._local.connection.close()
        for reader in self._readers:
            reader.join(timeout)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def stop(self):
        """Drains it; the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        """Ends it as a crash would."""
        if self.process.poll() is None:
            self.process.kill()
        return self.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.process.stdout.closed:
            self.kill()
