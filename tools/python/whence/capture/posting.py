"""Sends JSON-RPC messages to `POST /rpc` over one HTTP connection, for threads that must not use an event loop."""
from __future__ import annotations

import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from .. import errors
from ..nodes import Attempts, Nodes, Urls, nodes_of

TIMEOUT_S = 10.0  # for connecting, and for each answer
_INFO = b'{"jsonrpc":"2.0","id":1,"method":"server.info","params":{}}'


class Poster:
    """For one thread at a time. `http`, `https`, `ws` and `wss` URLs are accepted."""

    def __init__(self, urls: Urls | Nodes, token: str | None) -> None:
        self._nodes = nodes_of(urls)
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._connection: http.client.HTTPConnection | None = None
        self._url = ""  # of the connection

    def post(self, body: bytes) -> Any:
        """The result of the one request in `body`, which may be sent twice. Where a node is gone or busy, each other one is asked
        once. Raises the server's error, or `ConnectionLost` where it is not known whether a server has processed the request."""
        attempts = Attempts(self._nodes)
        while True:
            url = self._nodes.current
            try:
                result = self._post(url, body)
            except (errors.Busy, errors.ConnectionLost) as failure:
                if attempts.failed(url, failure):
                    raise attempts.summary(failure)
            else:
                self._nodes.saw(result)
                return result

    def _post(self, url: str, body: bytes) -> Any:
        if url != self._url:
            self.close()
            self._url = url
            if self._nodes.are_several:
                self._check_graph()
        return self._exchange(body)

    def _check_graph(self) -> None:
        try:
            self._nodes.check_epoch(self._url, self._exchange(_INFO).get("epoch"))
        except errors.Error:
            self._url = ""  # asked again next time
            raise

    def _exchange(self, body: bytes) -> Any:
        try:
            if self._connection is None:
                self._connection = self._open()
            self._connection.request("POST", self._path, body=body, headers=self._headers)
            with self._connection.getresponse() as answer:
                status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as failure:
            self.close()
            raise errors.ConnectionLost(f"no answer from {urlsplit(self._url).hostname}: {failure or type(failure).__name__}") from failure
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
        parts = urlsplit(self._url)
        assert parts.hostname
        self._path = parts.path.rstrip("/").removesuffix("/ws") + "/rpc"
        if parts.scheme in ("https", "wss"):
            return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT_S, context=self._nodes.ssl or ssl.create_default_context())
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)

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
