"""The client's own WebSocket against a server that a test scripts byte by byte: handshake, frames, pings, ends, what breaks the rules."""
import asyncio
import base64
import hashlib
import unittest

import client_case  # noqa: F401  (finds the package)
from whence import websocket

GUID = websocket.GUID.encode()


def frame(opcode, payload=b"", *, final=True):
    size = len(payload)
    head = bytes([(0x80 if final else 0) | opcode])
    if size < 126:
        return head + bytes([size]) + payload
    return head + (bytes([126]) + size.to_bytes(2, "big") if size < 1 << 16 else bytes([127]) + size.to_bytes(8, "big")) + payload


class Peer:
    """One connection of the server: what it was asked, and frames in both directions."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def shake(self, *, status="101 Switching Protocols", accept=None, protocol="p"):
        self.asked = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        key = next(line.partition(": ")[2] for line in self.asked.splitlines() if line.startswith("Sec-WebSocket-Key")).encode()
        right = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
        self.writer.write(f"HTTP/1.1 {status}\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept or right}\r\n"
                          f"Sec-WebSocket-Protocol: {protocol}\r\n\r\n".encode())

    async def read(self):
        first, second = await self.reader.readexactly(2)
        if not first & 0x80 or not second & 0x80:
            raise AssertionError("a client sends whole, masked frames")
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
        mask = await self.reader.readexactly(4)
        return first & 0x0F, bytes(byte ^ mask[i % 4] for i, byte in enumerate(await self.reader.readexactly(size)))


class WebSocketTest(unittest.IsolatedAsyncioTestCase):
    async def serve(self, talk):
        async def take(reader, writer):
            peer = Peer(reader, writer)
            try:
                self.outcome.set_result(await talk(peer))
            except BaseException as failure:
                self.outcome.set_exception(failure)
            finally:
                writer.close()

        self.outcome = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(take, "127.0.0.1", 0)
        self.addAsyncCleanup(server.wait_closed)
        self.addCleanup(server.close)
        return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/path?q=1"

    async def connect(self, talk, bytes_max=1 << 20):
        return await websocket.connect(await self.serve(talk), "p", message_bytes_max=bytes_max)

    async def messages_of(self, *frames, bytes_max=1 << 20):
        """What a client reads of these frames, then how it ended, and the code that it sent."""
        async def talk(peer):
            await peer.shake()
            peer.writer.write(b"".join(frames))
            opcode, payload = await peer.read()
            return int.from_bytes(payload[:2], "big") if opcode == websocket.CLOSE else (opcode, payload)

        socket = await self.connect(talk, bytes_max)
        read, end = [], None
        try:
            async for text in socket:
                read.append(text)
        except websocket.Closed as closed:
            end = closed.code
        await socket.close()
        return read, end, await self.outcome

    async def test_the_request_is_that_of_the_standard(self):
        async def talk(peer):
            await peer.shake()
            return peer.asked

        socket = await self.connect(talk)
        lines = (await self.outcome).split("\r\n")
        self.assertEqual(lines[0], "GET /path?q=1 HTTP/1.1")
        self.assertTrue({"Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: p"} <= set(lines))
        await socket.close()

    async def test_messages_of_every_size_go_both_ways(self):
        sizes = [0, 1, 125, 126, 65535, 65536, 300_000]

        async def talk(peer):
            await peer.shake()
            for _ in sizes:
                opcode, payload = await peer.read()
                peer.writer.write(frame(opcode, payload))
            return None

        socket = await self.connect(talk)
        for size in sizes:
            text = ("é" * size)[:size]
            await socket.send(text)
            self.assertEqual(await anext(socket), text)
        await socket.close()

    async def test_pieces_pings_and_the_end_are_understood(self):
        read, end, sent = await self.messages_of(frame(1, b"a\xc3", final=False), frame(0, b"\xa9", final=False), frame(0), frame(1, b"b"),
                                                 frame(8, (1001).to_bytes(2, "big") + b"bye"))
        self.assertEqual((read, end, sent), (["aé", "b"], None, 1001))
        read, end, sent = await self.messages_of(frame(1, b"a", final=False), frame(9, b"hear"))
        self.assertEqual(sent, (websocket.PONG, b"hear"))

    async def test_what_breaks_the_rules_ends_the_connection_with_its_code(self):
        for name, frames, code in [("masked", [bytes([0x81, 0x80])], 1002), ("reserved", [bytes([0xC1, 0])], 1002), ("binary", [frame(2, b"x")], 1002),
                                   ("no beginning", [frame(0, b"x")], 1002), ("begins twice", [frame(1, b"x", final=False), frame(1, b"y")], 1002),
                                   ("cut ping", [frame(9, final=False)], 1002), ("no UTF-8", [frame(1, b"\xff")], 1007),
                                   ("too large", [frame(1, b"x" * 101)], 1009), ("too large in pieces", [frame(1, b"x" * 60, final=False), frame(0, b"x" * 60)], 1009),
                                   ("says it is huge", [bytes([0x81, 127]) + b"\x7f" * 8], 1009), ("an end of its own", [frame(8, (1011).to_bytes(2, "big"))], 1011)]:
            with self.subTest(name):
                read, end, sent = await self.messages_of(frame(1, b"before"), *frames, bytes_max=100)
                self.assertEqual((read, end, sent), (["before"], code, code))

    async def test_a_server_that_goes_is_no_normal_end(self):
        async def talk(peer):
            await peer.shake()
            peer.writer.write(frame(1, b"cut short")[:5])

        socket = await self.connect(talk)
        with self.assertRaises(websocket.Closed) as caught:
            await anext(socket)
        self.assertEqual(caught.exception.code, 1006)
        with self.assertRaises(websocket.Closed):
            await socket.send("x")
        await socket.close()

    async def test_a_silent_server_is_pinged_and_then_given_up(self):
        async def talk(peer):
            await peer.shake()
            pings = [await peer.read()]
            peer.writer.write(frame(10))
            pings.append(await peer.read())
            await asyncio.wait_for(peer.reader.read(), 60)  # to the end, which the client makes
            return pings

        silent, websocket.SILENT_S = websocket.SILENT_S, 1
        self.addCleanup(setattr, websocket, "SILENT_S", silent)
        socket = await self.connect(talk)
        with self.assertRaises(websocket.Closed) as caught:
            await anext(socket)
        self.assertIn("does not answer", str(caught.exception))
        self.assertEqual(await self.outcome, [(websocket.PING, b"")] * 2)
        await socket.close()

    async def test_who_does_not_take_messages_holds_up_the_server(self):
        async def talk(peer):
            await peer.shake()
            for i in range(1000):
                peer.writer.write(frame(1, b"%d" % i))
            await peer.reader.read()

        socket = await self.connect(talk)
        for i in range(1000):
            self.assertEqual(await anext(socket), str(i))
            self.assertLessEqual(socket._messages.qsize(), websocket.MESSAGES_MAX)
        await socket.close()

    async def test_closing_ends_who_waits_for_messages(self):
        async def talk(peer):
            await peer.shake()
            for i in range(100):
                peer.writer.write(frame(1, b"x"))
            code = int.from_bytes((await peer.read())[1], "big")
            peer.writer.write(frame(8, code.to_bytes(2, "big")))
            return code

        socket = await self.connect(talk)
        await anext(socket)
        await asyncio.wait_for(socket.close(), 60)
        self.assertEqual(await self.outcome, 1000)
        async for _ in socket:
            pass
        await socket.close()

    async def test_other_answers_refuse_the_connection(self):
        for name, answer, said, status in [("status", {"status": "403 Forbidden"}, "HTTP 403", 403), ("accept", {"accept": "x"}, "not that of a WebSocket", None),
                                           ("protocol", {"protocol": "q"}, "does not speak p", None)]:
            with self.subTest(name), self.assertRaises(websocket.Refused) as caught:
                await self.connect(lambda peer, answer=answer: peer.shake(**answer))
            self.assertEqual((said in str(caught.exception), caught.exception.status), (True, status))

        async def babble(peer):
            await peer.reader.readuntil(b"\r\n\r\n")
            peer.writer.write(b"220 mail\r\n\r\n")

        async def hang_up(peer):
            await peer.reader.readuntil(b"\r\n\r\n")

        async def flood(peer):
            await peer.reader.readuntil(b"\r\n\r\n")
            peer.writer.write(b"HTTP/1.1 101 x\r\n" + b"a: b\r\n" * 30_000)

        for talk in (babble, hang_up, flood):
            with self.subTest(talk.__name__), self.assertRaises(websocket.Refused):
                await self.connect(talk)


if __name__ == "__main__":
    unittest.main()
