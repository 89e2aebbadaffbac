"""A scripted server, to show the client what a real one rarely does.

A script is a coroutine function that is given the `Peer`; the n-th connection runs the n-th script, further ones the last.
"""
import asyncio
import json
import threading

import websockets

EPOCH = "epoch-1"
HELLO = {"server": "fake", "version": "0", "protocol": 1, "tx": 5, "epoch": EPOCH, "capabilities": [],
         "limits": {"message_bytes": 1 << 24, "inflight": 64, "subscriptions": 256, "page": 10000}}


class Peer:
    """The server's side of one connection."""

    def __init__(self, socket, seen, hello):
        self.socket, self.seen, self.hello = socket, seen, hello

    async def receive(self, method=None):
        """The next message; answers `session.hello` on the way. Its method must be `method` where one is given."""
        while True:
            message = json.loads(await self.socket.recv())
            if message["method"] == "session.hello":
                await self.answer(message, self.hello)
                continue
            self.seen.append(message)
            assert method in (None, message["method"]), message
            return message

    async def send(self, method, **params):
        await self.socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def answer(self, request, result):
        await self.socket.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))

    async def refuse(self, request, code, message="refused", **data):
        error = {"code": code, "message": message, "data": data}
        await self.socket.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))

    async def subscribed(self, from_tx, sub="s"):
        """Takes a `subscribe` and accepts it; its params."""
        request = await self.receive("subscribe")
        await self.answer(request, {"sub": sub, "from_tx": from_tx})
        return request["params"]

    async def events(self, *events, sub="s"):
        await self.send("event", sub=sub, events=list(events))

    async def cut(self):
        """Ends the connection as a broken network does."""
        self.socket.transport.abort()
        await self.socket.wait_closed()

    async def idle(self):
        """Answers hello and nothing else, until the client is gone."""
        while True:
            await self.receive()


async def main(peer):
    """The script of the client's first connection, for tests of watches: each watch opens its own connection later."""
    await peer.idle()


def event(tx, prev, ref="Topic:t", op="put", **more):
    return {"tx": tx, "prev": prev, "at": "2025-10-09T16:15:00Z", "op": op, "ref": ref, **more}


def state(tx, ref):
    """An event of a snapshot."""
    return event(tx, 0, ref, snapshot=True)


class FakeServer:
    """Listens on loopback while entered; `seen` is every message but hellos. Leaving raises what a script raised; again, it does
    nothing."""

    def __init__(self, *scripts, hello=None):
        self.scripts, self.hello = list(scripts), {**HELLO, **(hello or {})}
        self.seen, self.failures, self.connections = [], [], 0
        self._loop = asyncio.new_event_loop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def sent(self, method):
        """The params of all requests for this method."""
        return [message["params"] for message in list(self.seen) if message["method"] == method]

    def __enter__(self):
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(self, kind, *_):
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if kind is None and self.failures:
            raise self.failures[0]

    async def _listen(self):
        self._server = await websockets.serve(self._serve, "127.0.0.1", 0, subprotocols=["whence.v1.json"], close_timeout=0.2)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, socket):
        script = self.scripts[min(self.connections, len(self.scripts) - 1)]
        self.connections += 1
        try:
            await script(Peer(socket, self.seen, self.hello))
        except websockets.exceptions.ConnectionClosed:
            pass
        except Exception as failure:
            self.failures.append(failure)
