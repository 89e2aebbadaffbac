"""permessage-deflate (RFC 7692) with another implementation as the client: every combination of parameters it can
offer, messages of 16 bytes to 128 KiB that compress well or not at all, whole and in fragments. Each text that is
written comes back as it was.
"""
import asyncio
import itertools
import json
import random
import unittest

import websockets
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from support.wire_case import WireCase

SIZES = [16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 98304]
FRAGMENTS = [None, 256, 4096]
OFFERS = [dict(server_no_context_takeover=server, client_no_context_takeover=client, server_max_window_bits=bits,
               client_max_window_bits=own)
          for server, client, bits, own in itertools.product((False, True), (False, True), (None, 9, 15), (None, True, 9))]


def texts(seed):
    """Of each size one that repeats itself and one that hardly compresses."""
    chance = random.Random(seed)
    for size in SIZES:
        yield ("Bills are due on June 30. " * (size // 26 + 1))[:size]
        yield "".join(chr(chance.randrange(0x21, 0x7e)) for _ in range(size))


class Deflated:
    """One connection; `fragment` is the length of the pieces in which a message is sent, None for whole ones."""

    def __init__(self, socket):
        self._socket, self._number = socket, 0

    async def call(self, method, params, fragment):
        self._number += 1
        text = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        pieces = [text[at:at + fragment] for at in range(0, len(text), fragment)] if fragment else text
        await self._socket.send(pieces)
        answer = json.loads(await asyncio.wait_for(self._socket.recv(), 60))
        assert answer["id"] == self._number, answer
        return answer["result"]


class DeflateTest(WireCase):
    async def check(self, offer, number):
        extension = ClientPerMessageDeflateFactory(**offer)
        address = self.server.url.replace("http://", "ws://") + "/ws"
        async with websockets.connect(address, extensions=[extension], compression=None, max_size=None,
                                      subprotocols=["whence.v1.json"]) as socket:
            self.assertEqual(["permessage-deflate"], [each.name for each in socket.extensions])
            connection = Deflated(socket)
            await connection.call("session.hello", {}, None)
            for text, fragment in zip(texts(number), itertools.cycle(FRAGMENTS)):
                unit = {"$type$": "ContextUnit", "type": "User", "source": f"test:{number}", "content": text}
                written = await connection.call("records.write", {"records": [unit], "mode": "capture"}, fragment)
                ref = written["refs"][0]
                nodes = (await connection.call("node.get", {"ref": ref, "include": ["record"]}, None))["nodes"]
                self.assertEqual(text, nodes[0]["record"]["content"])

    def test_every_offer(self):
        for number, offer in enumerate(OFFERS):
            with self.subTest(**offer):
                asyncio.run(self.check(offer, number))


if __name__ == "__main__":
    unittest.main()
