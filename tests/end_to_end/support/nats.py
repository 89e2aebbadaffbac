"""Servers of NATS with JetStream on loopback: one alone, or several as a cluster. Debian's `nats-server`."""
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from support.program import wait_until

PROGRAM = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")


def free_ports(count):
    """Ports that nobody listens on now. They have to be known before a server starts, since its peers name them."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class NatsServer:
    """One process. Its ports and its folder stay the same from start to start."""

    def __init__(self, folder, name, port, cluster_port=None, routes=()):
        self.folder, self.name, self.port, self.process = Path(folder), name, port, None
        self.folder.mkdir(parents=True)
        lines = [f"server_name: {name}", f'listen: "127.0.0.1:{port}"', "max_payload: 1MB",
                 f'jetstream {{ store_dir: "{self.folder}/js", max_mem: 64MB, max_file: 4GB }}']
        if cluster_port:
            others = ", ".join(f'"nats://127.0.0.1:{each}"' for each in routes)
            lines.append(f'cluster {{ name: test, listen: "127.0.0.1:{cluster_port}", routes: [{others}] }}')
        (self.folder / "server.conf").write_text("\n".join(lines) + "\n")

    def start(self):
        self.log = open(self.folder / "server.log", "ab")
        self.process = subprocess.Popen([PROGRAM, "-c", str(self.folder / "server.conf")], stdout=self.log, stderr=self.log)

    def is_ready(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                return connection.recv(4) == b"INFO"
        except OSError:
            return False

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.log.close()
            self.process = None


class Nats:
    """`count` servers; more than one form a cluster whose streams have a copy on each."""

    def __init__(self, folder, count=1):
        ports = free_ports(2 * count)
        clients, routes = ports[:count], ports[count:]
        self.servers = [NatsServer(Path(folder) / f"nats{i}", f"n{i}", clients[i], routes[i] if count > 1 else None, routes)
                        for i in range(count)]
        for server in self.servers:
            server.start()
        for server in self.servers:
            wait_until(server.is_ready, f"{server.name} to listen")

    def url(self, stream="whence"):
        """For `serve --log`."""
        return "nats://" + ",".join(f"127.0.0.1:{each.port}" for each in self.servers) + "/" + stream

    def stop(self):
        for server in self.servers:
            server.kill()
