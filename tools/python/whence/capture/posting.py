"""Sends JSON-RPC messages to `POST /rpc` over one HTTP connection, for threads that must not use an event loop."""
from __future__ import annotations

import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from .. import errors

TIMEOUT_S = 10.0  # for connecting, and for each answer


class Poster:
    """For one thread at a time. `http`, `https`, `ws` and `wss` URLs are accepted."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
            raise ValueError(f"not the URL of a server (http://HOST:PORT): {url!r}")
        self._is_tls = parts.scheme in ("https", "wss")
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/").removesuffix("/ws") + "/rpc"
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._connection: http.client.HTTPConnection | None = None

    def post(self, body: bytes) -> Any:
        """The result of the one request in `body`. Raises the server's error, or `ConnectionLost` where it is not known
        whether the server has processed the request."""
        try:
            if self._connection is None:
                self._connection = self._open()
            self._connection.request("POST", self._path, body=body, headers=self._headers)
            with self._connection.getresponse() as answer:
                status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as failure:
            self.close()
            raise errors.ConnectionLost(f"no answer from {self._host}: {failure or type(failure).__name__}") from failure
        if status in (401, 403):
            raise errors.make(errors.Unauthenticated if status == 401 else errors.Forbidden, f"the server answered HTTP {status}")
        if status == 413:
            raise errors.make(errors.LimitExceeded, "the message is longer than the server takes")
        if status != 200:
            raise errors.ConnectionLost(f"the server answered HTTP {status}", {"status": status})
        return self._result_of(text)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def forget(self) -> None:
        """In a process that was forked: the connection is its parent's, and is not ended there."""
        if self._connection is not None and self._connection.sock is not None:
            self._connection.sock.close()  # the descriptor of this process alone
        self._connection = None

    def _open(self) -> http.client.HTTPConnection:
        if self._is_tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=TIMEOUT_S, context=ssl.create_default_context())
        return http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)

    @staticmethod
    def _result_of(text: bytes) -> Any:
        try:
            answer = json.loads(text)
            if "error" not in answer:
                return answer["result"]
            refusal = errors.error_of(answer["error"])
        except (ValueError, KeyError, TypeError) as failure:
            raise errors.ConnectionLost("the answer is not JSON-RPC") from failure
        raise refusal
