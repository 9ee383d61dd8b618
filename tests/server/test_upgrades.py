"""An offer of another protocol, as in the first request of Java's `HttpClient`, is ignored."""

import json
import socket
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import connect, listening
from tests.live import mock as mock
from tests.tables import cases

BODY = json.dumps({"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}).encode()
H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
WEBSOCKET = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request: pytest.FixtureRequest) -> Iterator[LiveServer]:
    """A server on a socket."""
    with listening(request.param) as found:
        yield found


def request_of(mock: MockProject, offer: str, method: str = "POST", body: bytes = BODY) -> bytes:
    """A request that registers a contract, and offers another protocol."""
    head = (
        f"{method} /v1/contracts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {mock.secret_key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{offer}\r\n"
    )
    return head.encode() + body


def exchange(connection: socket.socket, *parts: bytes) -> int:
    """Send a request in several segments; the status of the answer."""
    for part in parts:
        connection.sendall(part)
    response = HTTPResponse(connection)
    response.begin()
    response.read()
    return response.status


@cases("offer", H2C, WEBSOCKET, ids=["h2c", "websocket"])
def test_its_body_is_read(mock: MockProject, offer: str, caplog: pytest.LogCaptureFixture) -> None:
    with connect(mock) as connection:
        assert exchange(connection, request_of(mock, offer)) == 200
    (call,) = mock.journal
    assert call["request"]["body"] == json.loads(BODY)
    assert call["request"]["headers"]["upgrade"] in offer
    assert caplog.text == ""


def test_its_body_may_come_later(mock: MockProject) -> None:
    whole = request_of(mock, H2C)
    head = whole.index(b"\r\n\r\n") + 4
    parts = (whole[: head - 30], whole[head - 30 : head], whole[head : head + 9], whole[head + 9 :])
    with connect(mock) as connection:
        assert exchange(connection, *parts) == 200


def test_its_connection_takes_more_requests(mock: MockProject) -> None:
    with connect(mock) as connection:
        offering = request_of(mock, H2C)
        assert [exchange(connection, offering) for _ in range(2)] == [200, 409]
        assert exchange(connection, request_of(mock, "", "GET", b"")) == 200


# h11 waits for the answer to an offer before it reads more.
@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_a_thousand_offers_at_once_are_answered(mock: MockProject) -> None:
    count = 1000
    with connect(mock) as connection:
        connection.sendall(count * request_of(mock, H2C, "GET", b""))
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < count:
            part = connection.recv(1 << 20)
            assert part, f"{received.count(b'HTTP/1.1 200 OK')} answers"
            received += part


def test_a_chunked_body_is_read(mock: MockProject) -> None:
    length = f"Content-Length: {len(BODY)}".encode()
    chunked = request_of(mock, H2C).replace(length, b"Transfer-Encoding: chunked")
    with connect(mock) as connection:
        chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
        assert exchange(connection, chunked.replace(BODY, chunks)) == 200


def test_its_connection_is_closed_if_it_says_so(mock: MockProject) -> None:
    with connect(mock) as connection:
        assert exchange(connection, request_of(mock, H2C.replace(": Upgrade,", ": close, Upgrade,"))) == 200
        assert connection.recv(1) == b""


def test_a_tunnel_is_refused(mock: MockProject) -> None:
    with connect(mock) as connection:
        assert exchange(connection, b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n") >= 400
