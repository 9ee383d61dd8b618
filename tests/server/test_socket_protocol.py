"""What a client sends by WebSocket is read in parts, between which others get their turn."""

import asyncio
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from mockserver.server.edge.listening import open_websocket

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MASK = b"\x00" * 4
EMPTY_PART = b"\x00\x80" + MASK
LAST_PART = b"\x80\x82" + MASK + b"{}"
MESSAGE = b"\x81\x82" + MASK + b"[]"


class Wire(asyncio.Transport):
    """Knows whether it is read."""

    is_read = True

    def write(self, data: Any) -> None:
        """Answers are not looked at."""

    def is_closing(self) -> bool:
        """It stays."""
        return False

    def pause_reading(self) -> None:
        """The client has to wait."""
        self.is_read = False

    def resume_reading(self) -> None:
        """The client may send more."""
        self.is_read = True


async def turns_to_read(data: bytes, messages: int) -> tuple[int, list[str]]:
    """How often others get their turn until all messages were read, and the messages."""
    read: list[str] = []
    is_over = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while len(read) < messages:
            read.append((await receive())["text"])
        is_over.set()

    config = Config(app, ws_max_size=1000, log_config=None)
    config.load()
    wire = Wire()
    protocol: Any = open_websocket(config=config, server_state=ServerState(), app_state={})
    protocol.connection_made(wire)
    protocol.data_received(HANDSHAKE)
    while wire.is_read and not protocol.handshake_complete:
        await asyncio.sleep(0)
    protocol.data_received(data)
    assert not wire.is_read
    turns = 0
    while not is_over.is_set():
        await asyncio.sleep(0)
        turns += 1
    assert wire.is_read
    protocol.stop_keepalive()
    return turns, read


def test_a_message_of_many_empty_parts_is_read_in_turns() -> None:
    data = b"\x01\x80" + MASK + EMPTY_PART * 7_000 + LAST_PART
    turns, read = asyncio.run(turns_to_read(data, 1))
    assert turns > 10
    assert read == ["{}"]


def test_many_messages_are_read_in_turns_and_in_their_order() -> None:
    turns, read = asyncio.run(turns_to_read(MESSAGE * 3_000 + b"\x81\x82" + MASK + b"{}", 3_001))
    assert turns > 3
    assert read == ["[]"] * 3_000 + ["{}"]
