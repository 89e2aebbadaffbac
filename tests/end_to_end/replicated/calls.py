"""Calls that give up: to servers that are gone, stopped, or cut off."""
import http.client
import json
import threading

from support.program import Connection, RpcError

SECONDS = 10


class Unanswered(Exception):
    """Whether the call had an effect is not known."""


class Client:
    """Callable from any thread; a connection of a thread lives as long as the server answers on it."""

    def __init__(self, token):
        self._token, self._local = token, threading.local()

    def _ask(self, authority, method, path, body, seconds):
        connections = self._local.__dict__.setdefault("connections", {})
        connection = connections.pop(authority, None) or Connection(authority)
        connection.timeout = seconds
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self._token}
        try:
            connection.request(method, path, body=body, headers=headers)
            with connection.getresponse() as response:
                answer = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Unanswered(f"{authority}: {error!r}") from error
        connections[authority] = connection
        return answer

    def get(self, authority, path, seconds=SECONDS):
        """Status and body."""
        return self._ask(authority, "GET", path, None, seconds)

    def call(self, authority, method, params=None, seconds=SECONDS):
        """The result, or RpcError where the server refuses."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        status, body = self._ask(authority, "POST", "/rpc", json.dumps(message).encode(), seconds)
        if status != 200:
            raise Unanswered(f"{authority}: HTTP {status}")
        answer = json.loads(body)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def export(self, authority, **more):
        """The whole jsonl export, or that of a moment: its SHA-256, and where its bytes can be had."""
        job = self.call(authority, "export.start", {"format": "jsonl", **more})["job"]
        while True:
            status = self.call(authority, "export.status", {"job": job})
            if status["state"] != "running":
                return status["files"][0]
