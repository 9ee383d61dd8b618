"""`record` with messages that are allowed by HTTP and rare, or not allowed at all."""

import gzip
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.live import one_connection
from tests.tables import cases
from tests.upstream.service import recorded_at

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
EMPTY = HEAD + b"content-length: 2\r\n\r\n{}"


@contextmanager
def recorded_answer(file: Path, answer: bytes) -> Iterator[tuple[httpx.Client, list[bytes]]]:
    """A client of a proxy to a service that answers one request with these bytes; and what it was sent."""
    sent: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        sent.append(connection.recv(65536))
        connection.sendall(answer)

    with one_connection(talk) as port, recorded_at(file, f"http://127.0.0.1:{port}") as client:
        yield client, sent


def test_what_is_for_one_connection_is_not_passed_on(file: Path) -> None:
    answer = HEAD + b"connection: X-Hop, close\r\nx-hop: 1\r\nx-kept: 2\r\ncontent-length: 2\r\n\r\n{}"
    named = {"connection": "x-first, x-second", "x-first": "1", "x-second": "2", "x-third": "3"}
    with recorded_answer(file, answer) as (client, sent):
        received = client.get("/v2/users", headers={**named, "proxy-connection": "keep-alive"}).headers
    assert ("x-hop" in received, "x-kept" in received) == (False, True)
    assert [name for name in (b"x-first", b"x-second", b"x-third", b"proxy-") if name in sent[0]] == [
        b"x-third"
    ]


def test_the_length_of_a_chunked_answer_is_that_of_its_chunks(file: Path) -> None:
    answer = HEAD + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with recorded_answer(file, answer) as (client, _):
        assert client.get("/v2/users").text == "{}"


def test_interim_answers_without_end_are_given_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.upstream.proxy._LONGEST_BEGINNING_S", 0.1)
    stopped = Event()

    def talk(connection: socket.socket) -> None:
        while not stopped.is_set():
            connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")

    with one_connection(talk) as port, recorded_at(file, f"http://127.0.0.1:{port}") as client:
        refused = client.get("/v2/users", timeout=20)
    stopped.set()
    assert (refused.status_code, "TimeoutError" in refused.json()["detail"]) == (502, True)


@cases("coding", "br", "gzip, zork")
def test_what_cannot_be_unpacked_is_not_recorded(file: Path, coding: str) -> None:
    answer = HEAD + f"content-encoding: {coding}\r\ncontent-length: 9\r\n\r\nsk_test_1".encode()
    with recorded_answer(file, answer) as (client, _):
        refused = client.get("/v2/users")
    assert (refused.status_code, coding[-4:].strip() in refused.json()["detail"]) == (502, True)
    assert '"request"' not in file.read_text()


def test_a_compressed_request_is_not_passed_on(file: Path) -> None:
    body = gzip.compress(b'{"key": "sk_live_7h3r34l0n3"}')
    with recorded_answer(file, EMPTY) as (client, sent):
        refused = client.post("/v2/users", content=body, headers={"content-encoding": "gzip"})
        assert (refused.status_code, sent) == (400, [])
        assert "Content-Encoding" in refused.json()["detail"]
        client.get("/v2/users")
    assert file.read_text().count('"request"') == 1


@cases("most, count", (10, 1), (9, 0))
def test_an_answer_that_is_too_long_is_passed_on_only(
    most: int,
    count: int,
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockserver.upstream.proxy._MOST_BYTES", most)
    with recorded_answer(file, HEAD + b'content-length: 10\r\n\r\n{"a":"bcd"') as (client, _):
        assert client.get("/v2/users").content == b'{"a":"bcd"'
    assert file.read_text().count('"request"') == count
    assert ("an answer of 10 bytes is not recorded: 9 are the most" in capsys.readouterr().err) == (not count)


def test_an_answer_that_breaks_off_does_so_for_the_client(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = recorded_answer(file, HEAD + b'content-length: 20\r\n\r\n{"a":')
    with broken as (client, _), pytest.raises(httpx.RemoteProtocolError, match="received 5 bytes"):
        client.get("/v2/users")
    assert '"request"' not in file.read_text()
    assert caplog.messages == []
