"""A client of a WebSocket, as plain as one can be: for tests that look at each message."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Message, Ping, RejectConnection, Request

from tests.live import connect as connect_to


class Closed(Exception):
    """The server has ended the connection."""


class WebSocket:
    """A connection, its messages and what is sent without being asked for."""

    def __init__(self, mock: Any, path: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
        self.connection: socket.socket = connect_to(mock)
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._events: list[Any] = []
        self.told: list[Any] = []
        self._send(Request(host="127.0.0.1", target=path, extra_headers=[*headers]))
        answer = self._next()
        if isinstance(answer, RejectConnection):
            self.connection.close()
            raise Closed(answer.status_code)
        assert isinstance(answer, AcceptConnection)

    def send(self, body: Any) -> None:
        """Send a message and wait for nothing."""
        self._send(Message(json.dumps(body)))

    def receive(self) -> Any:
        """The next message."""
        text = ""
        while True:
            event = self._next()
            if isinstance(event, CloseConnection):
                raise Closed(event.code)
            text += event.data
            if event.message_finished:
                return json.loads(text)

    def drain(self) -> None:
        """Read until the server ends the connection, which raises `Closed`."""
        while True:
            self.receive()

    def ask(self, method: str, *params: Any) -> Any:
        """What a method answers, or its error; what is told meanwhile is kept."""
        self.send({"jsonrpc": "2.0", "id": 7, "method": method, "params": list(params)})
        while True:
            message = self.receive()
            if message.get("id") == 7:
                return message["result"] if "result" in message else message["error"]
            self.told.append(message["params"])

    def tell(self) -> Any:
        """The next thing that the server tells without being asked."""
        return self.told.pop(0) if self.told else self.receive()["params"]

    def _send(self, event: Any) -> None:
        self.connection.sendall(self._protocol.send(event))

    def _next(self) -> Any:
        while not self._events:
            data = self.connection.recv(65536)
            try:
                self._protocol.receive_data(data or None)
            except Exception as error:
                raise Closed from error
            for event in self._protocol.events():
                if isinstance(event, Ping):
                    self._send(event.response())
                else:
                    self._events.append(event)
        return self._events.pop(0)


@contextmanager
def connected(mock: Any, path: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Iterator[WebSocket]:
    """A connection to a path of the server of a project."""
    client = WebSocket(mock, path, headers)
    try:
        yield client
    finally:
        client.connection.close()
