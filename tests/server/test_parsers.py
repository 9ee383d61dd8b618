"""Both parsers of HTTP take and refuse the same requests."""

import json
import socket
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest

from mockserver.server.edge import http_protocol
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import connect, listening
from tests.live import mock as mock
from tests.tables import cases

BODY = json.dumps({"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}).encode()
LENGTH = b"content-length: %d\r\n" % len(BODY)
CHUNKED = b"transfer-encoding: chunked\r\n"
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request: pytest.FixtureRequest) -> Iterator[LiveServer]:
    """A server on a socket."""
    with listening(request.param) as found:
        yield found


def ask(mock: MockProject, line: bytes, headers: bytes, body: bytes = b"") -> tuple[int, bytes]:
    """The status of the answer to a request, and its body."""
    key = f"authorization: Bearer {mock.secret_key}\r\ncontent-type: application/json\r\n".encode()
    with connect(mock) as connection:
        connection.sendall(b"%b\r\nhost: localhost\r\n%b%b\r\n%b" % (line, key, headers, body))
        # No more will come: what waits for more ends.
        connection.shutdown(socket.SHUT_WR)
        response = HTTPResponse(connection)
        response.begin()
        return response.status, response.read()


@cases(
    "target",
    b"/v1/contracts?limit=1",
    b"http://localhost/v1/contracts?limit=1",
    b"HTTP://other.example:8080/v1/contracts?limit=1",
    b"https://localhost/v1/contracts?limit=1#part",
)
def test_a_target_may_be_in_absolute_form(mock: MockProject, target: bytes) -> None:
    status, body = ask(mock, b"GET %b HTTP/1.1" % target, b"")
    assert (status, json.loads(body)["url"]) == (200, "/v1/contracts")
    (call,) = mock.journal
    assert (call["path"], call["query"]) == ("/v1/contracts", "limit=1")


def test_an_empty_line_before_a_request_is_ignored(mock: MockProject) -> None:
    assert ask(mock, b"\r\nGET /v1/contracts HTTP/1.1", b"")[0] == 200


@cases("headers, body", (LENGTH, BODY), (CHUNKED, CHUNKS), (b"x-a: b\r\nx-a: c\r\n" + LENGTH, BODY))
def test_the_length_of_a_body_is_said_once(mock: MockProject, headers: bytes, body: bytes) -> None:
    assert ask(mock, b"POST /v1/contracts HTTP/1.1", headers, body)[0] == 200


@cases(
    "line, headers, body",
    (b"POST /v1/contracts HTTP/1.1", LENGTH + CHUNKED, CHUNKS),
    (b"POST /v1/contracts HTTP/1.1", CHUNKED + LENGTH, CHUNKS),
    (b"POST /v1/contracts HTTP/1.1", LENGTH + LENGTH, BODY),
    (b"POST /v1/contracts HTTP/1.1", CHUNKED + CHUNKED, CHUNKS),
    (b"POST /v1/contracts HTTP/1.1", b"content-length: 2, 2\r\n", b"{}"),
    (b"POST /v1/contracts HTTP/1.1", CHUNKED, b"2\n{}\r\n0\r\n\r\n"),
    (b"GET /v1/contracts HTTP/1.1", b"x-a: b\r\n c\r\n", b""),
    (b"GET /v1/contracts HTTP/1.1", b"x-a: b\r\n\tc\r\n", b""),
    (b"GET /v1/contracts HTTP/1.1", b"x-a: b\nx-b: c\r\n", b""),
    (b"GET /v1/contracts HTTP/1.1", b"x-a: b\rx-b: c\r\n", b""),
    (b"GET /v1/contracts HTTP/1.1", b"x-a : b\r\n", b""),
    (b"GET /v1/contracts HTTP/1.1\nx-a: b", b"", b""),
    (b"GET http://localhost HTTP/1.1", b"", b""),
    (b"CONNECT localhost:80 HTTP/1.1", b"", b""),
)
def test_what_others_may_read_otherwise_is_refused(
    mock: MockProject, line: bytes, headers: bytes, body: bytes
) -> None:
    assert ask(mock, line, headers, body) == (400, b"Invalid HTTP request received.")
    assert mock.journal.list() == []


@cases("many", 0, 64)
def test_a_request_before_what_is_none_is_answered(
    mock: MockProject, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(http_protocol, "_MANY_CONNECTIONS", many)
    assert ask(mock, b"GET /v1/contracts HTTP/1.1", b"", b"\0\r\n\r\n")[0] == 200
    assert [entry["path"] for entry in mock.journal.list()] == ["/v1/contracts"]
