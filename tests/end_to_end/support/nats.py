"""Servers of NATS with JetStream: one alone, or several as a cluster, on loopback or on machines of a Network. Debian's
`nats-server`."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from support.namespaces import address
from support.program import free_ports, wait_until

PROGRAM = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
PATIENCE = 60  # seconds


def version():
    """Of the program, as numbers: (2, 9, 10)."""
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", said).groups()))


class NatsServer:
    """One process. Its addresses and its folder stay the same from start to start. `prepare` runs in it before the program."""

    def __init__(self, folder, name, listen, cluster_listen=None, routes=(), prepare=None):
        self.folder, self.name, self.address, self.process, self.prepare = Path(folder), name, listen, None, prepare
        self.folder.mkdir(parents=True)
        lines = [f"server_name: {name}", f'listen: "{listen}"', "max_payload: 1MB",
                 f'jetstream {{ store_dir: "{self.folder}/js", max_mem: 64MB, max_file: 4GB }}']
        if cluster_listen:
            others = ", ".join(f'"nats://{each}"' for each in routes)
            lines.append(f'cluster {{ name: test, listen: "{cluster_listen}", routes: [{others}] }}')
        (self.folder / "server.conf").write_text("\n".join(lines) + "\n")

    def start(self):
        self.log = open(self.folder / "server.log", "ab")
        self.process = subprocess.Popen([PROGRAM, "-c", str(self.folder / "server.conf")], stdout=self.log, stderr=self.log,
                                        preexec_fn=self.prepare)

    def connect(self, timeout):
        host, port = self.address.split(":")
        return socket.create_connection((host, int(port)), timeout=timeout)

    def is_ready(self):
        try:
            with self.connect(1) as connection:
                return connection.recv(4) == b"INFO"
        except OSError:
            return False

    def has_streams(self):
        """Whether it takes questions about streams: several servers do when they have chosen who leads them."""
        try:
            return "error" not in self.request("INFO", timeout=2)
        except OSError:
            return False

    def publish(self, subject, headers, body, timeout=PATIENCE):
        """A message; `headers` as they are sent, from their first line to the empty one."""
        with self.connect(timeout) as connection, connection.makefile("rb") as lines:
            connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB _INBOX.test 1\r\n'
                               b"HPUB " + subject.encode() + b" _INBOX.test %d %d\r\n" % (len(headers), len(headers) + len(body)) +
                               headers + body + b"\r\n")
            for line in lines:
                if line.startswith(b"MSG "):
                    answer = json.loads(lines.read(int(line.split()[-1])))
                    if "error" in answer:
                        raise ValueError(f"not published: {answer}")
                    return
        raise ConnectionError("the server of NATS ended the connection")

    def request(self, subject, body=None, timeout=PATIENCE):
        """Asks JetStream's API ("STREAM.INFO.whence"); the answer, or an OSError."""
        payload = json.dumps(body).encode() if body is not None else b""
        with self.connect(timeout) as connection, connection.makefile("rb") as lines:
            connection.sendall(b'CONNECT {"verbose":false}\r\nSUB _INBOX.test 1\r\n'
                               b"PUB $JS.API." + subject.encode() + b" _INBOX.test %d\r\n" % len(payload) + payload + b"\r\n")
            for line in lines:
                if line.startswith(b"MSG "):
                    return json.loads(lines.read(int(line.split()[-1])))
                if line.startswith(b"PING"):
                    connection.sendall(b"PONG\r\n")
        raise ConnectionError("the server of NATS ended the connection")

    def stored(self, stream="whence"):
        """The `Whence-Part` of each message of a stream, in order, as this server's files have it."""
        blocks = sorted(self.folder.glob(f"js/jetstream/*/streams/{stream}/msgs/*.blk"), key=lambda block: int(block.stem))
        return [name for block in blocks for name in re.findall(rb"Whence-Part: (\S+)", block.read_bytes())]

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
    """`count` servers; more than one form a cluster whose streams have a copy on each. `network`: one on each of its machines."""

    def __init__(self, folder, count=1, network=None):
        if network:
            clients, routes = ([f"{address(i + 1)}:{port}" for i in range(count)] for port in (4222, 6222))
        else:
            addresses = [f"127.0.0.1:{port}" for port in free_ports(2 * count)]
            clients, routes = addresses[:count], addresses[count:]
        self.servers = [NatsServer(Path(folder) / f"nats{i}", f"n{i}", clients[i], routes[i] if count > 1 else None, routes,
                                   network and network.entering(i + 1)) for i in range(count)]
        self.start()

    def start(self):
        for server in self.servers:
            server.start()
        for server in self.servers:
            wait_until(server.is_ready, f"{server.name} to listen")
        wait_until(lambda: any(server.has_streams() for server in self.servers), "JetStream to answer")

    def url(self, stream="whence"):
        """For `serve --log`."""
        return "nats://" + ",".join(each.address for each in self.servers) + "/" + stream

    def leader(self, stream="whence"):
        """The server that leads the stream; None while there is none."""
        for server in self.servers:
            try:
                name = server.request(f"STREAM.INFO.{stream}", timeout=1).get("cluster", {}).get("leader")
            except OSError:
                continue
            if name:
                return next(each for each in self.servers if each.name == name)
        return None

    def first_difference(self):
        """The number of the first message that is not the same on all servers that have one there; None where all are."""
        copies = [server.stored() for server in self.servers]
        return next((i for i, names in enumerate(zip(*copies), 1) if len(set(names)) > 1), None)

    def stop(self):
        for server in self.servers:
            server.kill()
