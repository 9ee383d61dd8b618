"""uvicorn's WebSockets, read a part at a time."""

from typing import Any

from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

_PART_BYTES = 4096
"""What takes some ten milliseconds to read, as frames without content."""


class PatientSocketProtocol(WSProtocol):
    """Reads in parts, between which others are answered, however many small frames a client sends at once."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._unread = bytearray()

    def data_received(self, data: bytes) -> None:
        """Read the first part now, and the others when it is their turn."""
        is_reading = bool(self._unread)
        self._unread += data
        if not is_reading:
            self._read_part()

    def _read_part(self) -> None:
        part = bytes(self._unread[:_PART_BYTES])
        del self._unread[:_PART_BYTES]
        super().data_received(part)
        if self.transport.is_closing():
            self._unread.clear()
        elif self._unread:
            self.transport.pause_reading()
            self.loop.call_soon(self._read_part)
        elif not self.read_paused:
            self.transport.resume_reading()

    async def receive(self) -> Any:
        """Retrieve the next message. What is unread is read before the client may send more."""
        message = await super().receive()
        if self._unread:
            self.transport.pause_reading()
        return message
