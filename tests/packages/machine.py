"""A bare Debian 12 in a folder: made by debootstrap, with mounts, processes and a network of its own.

The network is the host's while packages are fetched, and a loopback of its own while a server runs: so the package's own
address, 127.0.0.1:7411, is free.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
from whence_e2e import wait_until  # noqa: E402

MIRROR = os.environ.get("WHENCE_MIRROR", "http://deb.debian.org/debian")


def run(*command, check=True, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Machine:
    """Removed with everything in it by `close`."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="whence-machine-"))
        kept = os.environ.get("WHENCE_BASE")
        base = Path(kept) if kept else self.root / "base"
        if not (base / "etc/debian_version").exists():
            run("debootstrap", "--variant=minbase", "bookworm", base, MIRROR)
        self.system = self.root / "system"
        run("cp", "-a", base, self.system)
        shutil.copy("/etc/resolv.conf", self.system / "etc/resolv.conf")
        self.server = None

    def close(self):
        if self.server:
            self.stop()
        shutil.rmtree(self.root)

    def _inside(self, command, isolated):
        """`command` in the system. /proc and /dev are mounted for it alone; its processes end with it."""
        script = (f"mount -t proc proc {self.system}/proc && mount --rbind /dev {self.system}/dev && "
                  + ("ip link set lo up && " if isolated else "") + f'exec chroot {self.system} "$@"')
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(["--net"] if isolated else []), "sh", "-c", script, "sh",
                *map(str, command)]

    def run(self, *command, check=True, **more):
        """Runs a command as root, with the host's network."""
        env = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
        return run(*self._inside(command, isolated=False), check=check, env=env, **more)

    def apt(self, *arguments):
        return self.run("apt-get", "-y", "-q", "--no-install-recommends", *arguments)

    def copy(self, path):
        """Puts a file into /srv of the system and returns its path there."""
        shutil.copy(path, self.system / "srv")
        return f"/srv/{Path(path).name}"

    def start(self, unit="whence.service"):
        """Runs the unit's own command as its user and in its folder, as systemd would; `ask` then works."""
        settings = [line.split("=", 1) for line in (self.system / "lib/systemd/system" / unit).read_text().splitlines() if "=" in line]
        said = dict(reversed(settings))
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        command = ["sh", "-c", f"cd {said['WorkingDirectory']} && umask {said['UMask']} && exec setpriv --reuid={said['User']} "
                   f"--regid={said['Group']} --init-groups --no-new-privs --inh-caps=-all --bounding-set=-all {said['ExecStart']}"]
        self.server = subprocess.Popen(self._inside(command, isolated=True), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, env=env)
        lines = []
        for line in self.server.stdout:
            lines.append(line)
            if line.startswith("listening on "):
                return line.removeprefix("listening on ").strip()
        raise AssertionError("no server: " + "".join(lines))

    def _server_pid(self):
        """Of the process in whose network the server is."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text().split()
        return int(children[0])

    def beside(self, *command, check=True):
        """Runs a command in the system and in the server's network, as any user would."""
        pid = self._server_pid()
        return run("nsenter", f"--net=/proc/{pid}/ns/net", f"--mount=/proc/{pid}/ns/mnt", f"--root={self.system}", f"--wd={self.system}",
                   "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command, check=check)

    def stop(self):
        """Ends the server as systemd would and returns its exit code."""
        server, self.server = self.server, None
        for child in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGTERM)
        for _ in server.stdout:
            pass
        server.stdout.close()
        return server.wait(60)

    def files(self):
        """All files and folders but those that any use of the system changes."""
        changing = ("proc", "dev", "sys", "srv", "tmp", "run", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "usr/share/man", "var/backups")
        found = set()
        for folder, folders, names in os.walk(self.system):
            here = Path(folder).relative_to(self.system)
            if str(here) in changing or any(str(here).startswith(each + "/") for each in changing):
                folders.clear()
                continue
            found |= {str(here / name) for name in names + folders}
        return found


class Booted:
    """The system of a `Machine` with systemd as its first process, in podman, with a loopback network of its own."""

    # Limits below what podman asks for, which only a machine's real root may raise.
    PODMAN = ["podman", "--runtime", "runc"]
    RUN = ["--systemd=always", "--privileged", "--network=none", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4000:4000"]

    def __init__(self, machine):
        self.name = run(*self.PODMAN, "run", "-d", *self.RUN, "--rootfs", machine.system, "/sbin/init").stdout.strip()
        self.wait_for(lambda: self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded"), "the boot")

    def close(self):
        run(*self.PODMAN, "rm", "-f", "-t", "5", self.name, check=False)

    def run(self, *command, check=True, stdin=None):
        return run(*self.PODMAN, "exec", *(["-i"] if stdin else []), self.name, *command, check=check, input=stdin)

    def shown(self, name, unit="whence"):
        """A property of the unit."""
        return self.run("systemctl", "show", "--value", "-p", name, unit).stdout.strip()

    def journal(self):
        return self.run("journalctl", "--no-pager", "-o", "cat", "-u", "whence").stdout

    @staticmethod
    def wait_for(is_reached, what, seconds=60):
        wait_until(is_reached, what, seconds)


class Clock:
    """Seconds since it was made."""

    def __init__(self):
        self.begun = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.begun
