"""Recorded requests on a connection, byte by byte, and what is made of what arrives there."""

import itertools
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pytest

from mockserver.replay.comparison import Difference
from mockserver.replay.connection import Address, Connection
from mockserver.replay.wire import compare_sent
from tests.tables import cases


class Wire(NamedTuple):
    """A connection, and the server at its other end."""

    connection: Connection
    server: socket.socket

    def sent(self) -> bytes:
        """What has been sent so far."""
        return self.server.recv(65_536)

    def answer(self, raw: bytes, *, ends: bool = True) -> None:
        """Let the server answer, and perhaps end the connection."""
        self.server.sendall(raw)
        if ends:
            self.server.close()


class Pair:
    """An address that leads to a socket of this process."""

    def __init__(self) -> None:
        self.here, self.there = socket.socketpair()

    def connect(self) -> socket.socket:
        """See `Address`."""
        return self.here


@pytest.fixture
def wire() -> Iterator[Wire]:
    pair = Pair()
    wire = Wire(Connection(cast(Address, pair)), pair.there)
    yield wire
    wire.connection.close()
    pair.there.close()


# --- addresses ------------------------------------------------------------------------------------------


@cases(
    "url, path, authority, place",
    ("http://mock:4242", "", "mock:4242", ("mock", 4242)),
    ("http://mock", "", "mock", ("mock", 80)),
    ("https://mock/base/", "/base", "mock", ("mock", 443)),
    ("https://user:word@mock:1/a/b", "/a/b", "mock:1", ("mock", 1)),
    ("http://[::1]:7", "", "[::1]:7", ("::1", 7)),
)
def test_an_address_is_where_a_server_is_reached(
    url: str, path: str, authority: str, place: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def connect(place: tuple[str, int], timeout: float) -> socket.socket:
            reached.extend((place, timeout))
            return real(listener.getsockname())

        class Context:
            def wrap_socket(self, plain: socket.socket, server_hostname: str) -> socket.socket:
                reached.append(server_hostname)
                return plain

        real = socket.create_connection
        monkeypatch.setattr("mockserver.replay.connection.socket.create_connection", connect)
        monkeypatch.setattr("mockserver.replay.connection.ssl.create_default_context", Context)
        address = Address(url)
        with address.connect() as made:
            assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert (address.path, address.authority) == (path, authority)
    assert reached == [place, 60.0, *([place[0]] if url.startswith("https") else [])]


@cases("url", "ftp://mock", "mock:4242", "http://", "http:///a", "http://mock?a=1", "http://mock#a")
def test_other_urls_are_no_addresses(url: str) -> None:
    with pytest.raises(ValueError, match="is no URL of a server"):
        Address(url)


# --- requests -------------------------------------------------------------------------------------------


@cases(
    "headers, body, sent",
    ([], b"", b"\r\n"),
    ([(b"a", b"1"), (b"content-length", b"2")], b"xy", b"a: 1\r\ncontent-length: 2\r\n\r\nxy"),
    (
        [(b"Transfer-Encoding", b"chunked")],
        b"x" * 17,
        b"Transfer-Encoding: chunked\r\n\r\n11\r\n" + b"x" * 17 + b"\r\n0\r\n\r\n",
    ),
    ([(b"transfer-encoding", b"chunked")], b"", b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
)
def test_a_request_is_sent_as_its_headers_frame_it(
    headers: list[tuple[bytes, bytes]], body: bytes, sent: bytes, wire: Wire
) -> None:
    wire.connection.send("PUT", "/a?b=1", iter(headers), body)
    assert wire.sent() == b"PUT /a?b=1 HTTP/1.1\r\n" + sent


# --- answers --------------------------------------------------------------------------------------------


@cases(
    "method, raw, answer, is_open",
    (
        "GET",
        b"HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nxy",
        {"status": 201, "headers": [["x-a", "1"], ["content-length", "2"]], "body": "xy"},
        True,
    ),
    (
        "HEAD",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
        {"status": 200, "headers": [["content-length", "2"]]},
        True,
    ),
    (
        "GET",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\xff",
        {"status": 200, "headers": [["connection", "close"]], "body": {"base64": "/w=="}},
        False,
    ),
    (
        "GET",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\ndata: 1\n\n",
        {"status": 200, "headers": [["content-type", "text/event-stream; charset=utf-8"]]},
        False,
    ),
)
def test_an_answer_is_as_recorded(
    method: str, raw: bytes, answer: dict[str, Any], is_open: bool, wire: Wire
) -> None:
    wire.connection.send(method, "/", [], b"")
    assert wire.sent().startswith(f"{method} / ".encode())
    wire.answer(raw)
    assert wire.connection.is_readable(5)
    assert wire.connection.receive() == answer
    assert wire.connection.is_open is is_open


def test_what_is_no_http_is_no_answer(wire: Wire) -> None:
    assert not wire.connection.is_readable(0)
    wire.answer(b"hello\r\n\r\n")
    with pytest.raises(OSError, match="it answers no HTTP: "):
        wire.connection.receive()


@cases(
    "raw, said",
    (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_001, "its answer has more than 1000 bytes"),
    (b"HTTP/1.1 100 Continue\r\n\r\n" * 41, "its answer has more than 1000 bytes"),
    (b"HTTP/1.1 200 OK\r\ncontent-length: 9000000000000\r\n\r\nxy", "breaks off 8999999999998 bytes before"),
    (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffff\r\nxy", "it answers no HTTP"),
)
def test_an_answer_of_another_length_is_none(
    raw: bytes, said: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.replay.connection._MOST_BYTES", 1_000)
    wire.answer(raw)
    with pytest.raises(OSError, match=said):
        wire.connection.receive()


@cases("raw", b"HTTP/1.1 200 OK\r\nx-a: 1", b"HTTP/1.1 200 OK\r\n\r\nx")
@cases("pace_ms, said", (20_000, "no whole answer in 60 s"), (19_999, "its answer is over"))
def test_a_whole_answer_has_a_minute(
    raw: bytes, pace_ms: int, said: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Paced:
        """Gives a part of an answer at each pace."""

        parts = iter((raw, b"x"))

        def settimeout(self, within_s: float) -> None:
            assert 0 < within_s <= 60

        def recv_into(self, buffer: memoryview) -> int:
            part = next(self.parts, None)
            if part is None:
                raise OSError("its answer is over")
            buffer[: len(part)] = part
            return len(part)

        def close(self) -> None:
            """Nothing to close."""

    class Time:
        def __init__(self) -> None:
            self.real_ms = itertools.count(0, pace_ms).__next__

    wire.connection._socket.close()
    monkeypatch.setattr(wire.connection, "_socket", Paced())
    monkeypatch.setattr("mockserver.replay.connection.Ticker", Time)
    with pytest.raises(OSError, match=said):
        wire.connection.receive()


@cases("raw", b"", b"abc", b"x" * 70_000)
def test_all_that_arrives_until_the_end_is_taken(raw: bytes, wire: Wire) -> None:
    wire.answer(raw)
    assert wire.connection.receive_all() == raw
    assert not wire.connection.is_open


def test_a_connection_that_is_reset_had_arrived_so_far(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = iter([b"abc"])

    class Reset:
        def recv(self, size: int) -> bytes:
            try:
                return next(parts)
            except StopIteration:
                raise ConnectionResetError from None

        def close(self) -> None:
            """Nothing to close."""

    wire.connection._socket.close()
    monkeypatch.setattr(wire.connection, "_socket", Reset())
    assert wire.connection.receive_all() == b"abc"


# --- comparing ------------------------------------------------------------------------------------------

REQUEST = {"path": "/v1/contracts"}
PLAIN: dict[str, Any] = {"status": 200, "headers": []}


@cases(
    "recorded, made",
    ({"fault": "timeout"}, {"fault": "timeout"}),
    ({"fault": "empty_response", "sent": "x"}, {"fault": "timeout"}),
    ({}, {"fault": "empty_response"}),
    ({"fault": "empty_response"}, {}),
)
def test_what_never_comes_or_is_known_is_not_waited_for(
    recorded: dict[str, Any], made: dict[str, Any], wire: Wire
) -> None:
    assert compare_sent(REQUEST, PLAIN | recorded, PLAIN | made, wire.connection) == []
    assert not wire.connection.is_open


@cases(
    "arrives, found",
    (b"HTTP", []),
    (b"HTT", [Difference("sent", "HTTP", "HTT")]),
)
def test_what_a_fault_left_is_compared(arrives: bytes, found: list[Difference], wire: Wire) -> None:
    spoilt = PLAIN | {"fault": "truncate_body", "sent": "HTTP"}
    wire.answer(arrives)
    assert compare_sent(REQUEST, spoilt, spoilt, wire.connection) == found


def test_a_pages_headers_of_what_a_fault_left_are_no_difference(wire: Wire) -> None:
    spoilt = PLAIN | {"fault": "truncate_body", "sent": "HTTP/1.1 200 OK\r\nx-a: 1\r\n\r\n"}
    wire.answer(b"HTTP/1.1 200 OK\r\nx-a: 1\r\naccess-control-allow-origin: https://a\r\n\r\n")
    assert compare_sent(REQUEST, spoilt, spoilt, wire.connection) == []


def test_an_answer_that_does_not_come_is_a_difference(wire: Wire) -> None:
    wire.answer(b"")
    (found,) = compare_sent(REQUEST, PLAIN, PLAIN, wire.connection)
    assert (found.part, found.expected) == ("answer", 200)
    assert str(found.got).startswith("none: ")
    assert not wire.connection.is_open


def test_a_delayed_or_slow_answer_is_compared_as_it_arrives(wire: Wire) -> None:
    slow = PLAIN | {"body": "{}", "fault": "slow_response", "delay_ms": 5}
    wire.connection.send("GET", "/", [], b"")
    assert wire.sent() == b"GET / HTTP/1.1\r\n\r\n"
    wire.answer(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
    assert compare_sent(REQUEST, slow, slow, wire.connection) == []
