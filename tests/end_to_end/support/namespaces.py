"""Machines on one machine: network namespaces that a bridge joins, and packets between them that can be dropped.

Nothing here has a name outside this process: namespaces, links and addresses go when the last process in them has ended, however
it ends. Needs root and `ip`.
"""
import contextlib
import ctypes
import os
import shutil
import subprocess
import threading
from collections import Counter

IP = shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
NETWORK = "10.77.0."
HUB = 0  # where the tests are
libc = ctypes.CDLL(None, use_errno=True)


def check(code, call):
    if code:
        error = ctypes.get_errno()
        raise OSError(error, f"{call}: {os.strerror(error)}")


def address(machine):
    """Of the machines 1, 2, ...; the hub has one, too."""
    return NETWORK + str(machine or 254)


class Network:
    """The machines 1 to `count`. The thread that makes it, and threads and processes that it starts from then on, are in the hub
    until `close`."""

    def __init__(self, count):
        self._home = self._open()
        self._lock = threading.Lock()
        self._dropped = Counter()  # (from, to) -> by how many cuts
        self._spaces = {}
        try:
            for machine in range(count, -1, -1):  # the hub last: this thread stays there
                check(libc.unshare(NEW_NETWORK), "unshare")
                self._spaces[machine] = self._open()
                self._ip(machine, "link", "set", "lo", "up")
            self._ip(HUB, "link", "add", "hub", "type", "bridge")
            self._give_address(HUB, "hub")
            for machine in range(1, count + 1):
                self._join(machine)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _open():
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def _ip(self, machine, *args):
        done = subprocess.run([IP, *args], capture_output=True, text=True, preexec_fn=self.entering(machine))
        if done.returncode:
            raise OSError(f"ip {' '.join(args)}: {done.stderr.strip()}")

    def _give_address(self, machine, device):
        self._ip(machine, "address", "add", address(machine) + "/24", "dev", device)
        self._ip(machine, "link", "set", device, "up")

    def _join(self, machine):
        port = f"port{machine}"
        space = f"/proc/{os.getpid()}/fd/{self._spaces[machine]}"
        self._ip(HUB, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space)
        self._ip(HUB, "link", "set", port, "master", "hub", "up")
        self._give_address(machine, "eth0")

    def entering(self, machine):
        """For `preexec_fn`: the process is on this machine."""
        return lambda: check(libc.setns(self._spaces[machine], NEW_NETWORK), "setns")

    @contextlib.contextmanager
    def without(self, *paths):
        """Drops what goes from the first to the second of each pair, until the end of the block."""
        for path in paths:
            self._drop(path, 1)
        try:
            yield
        finally:
            for path in paths:
                self._drop(path, -1)

    def _drop(self, path, more):
        sender, receiver = path
        with self._lock:
            before = self._dropped[path]
            self._dropped[path] += more
            if bool(before) != bool(self._dropped[path]):
                self._ip(sender, "route", "add" if more > 0 else "del", "blackhole", address(receiver) + "/32")

    def close(self):
        check(libc.setns(self._home, NEW_NETWORK), "setns")
        for space in (self._home, *self._spaces.values()):
            os.close(space)


def make_network(count):
    """A Network and why there is none: one of the two is None."""
    if not IP:
        return None, "ip is not installed"
    try:
        return Network(count), None
    except OSError as error:
        return None, f"no network namespaces: {error}"
