"""Answers that are sent at once: on its connection a client cannot tell them from others."""

import gc
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import BinaryIO, NoReturn

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mockserver.api.call import Request
from mockserver.server.edge.app import App
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import connect, listening
from tests.live import mock as mock

BODY = b'{"name":"Token","chainId":80002,"address":"0xabababababababababababababababababababab"}'
SENDS_JSON = ("Content-Type: application/json", f"Content-Length: {len(BODY)}")


answered_at_once = pytest.mark.skipif(
    not hasattr(HttpToolsProtocol, "_start_asgi_task"), reason="this uvicorn answers every request in a task"
)


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request: pytest.FixtureRequest) -> Iterator[LiveServer]:
    """A server on a socket."""
    with listening(request.param) as running:
        yield running


@pytest.fixture(params=[0, 8], ids=["alone", "among-many"])
def connection(mock: MockProject, request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    """A connection, without others and with so many that requests are parsed before the first is answered."""
    with ExitStack() as others:
        for _ in range(request.param):
            others.enter_context(connect(mock))
        with connect(mock) as connected:
            yield connected


@pytest.fixture
def answers(connection: socket.socket) -> Iterator[BinaryIO]:
    with connection.makefile("rb") as reader:
        yield reader


def ask(mock: MockProject, line: str, *headers: str, body: bytes = b"") -> bytes:
    """A request of a project, as it is sent."""
    lines = [f"{line} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {mock.secret_key}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def read_head(answers: BinaryIO) -> tuple[str, dict[str, str]]:
    """The status line and the headers of the next answer."""
    first, *lines = iter(lambda: answers.readline().decode().rstrip(), "")
    return first, {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}


def read_answer(answers: BinaryIO) -> tuple[str, object]:
    """The status line and the body of the next answer."""
    line, headers = read_head(answers)
    return line, json.loads(answers.read(int(headers["content-length"])))


def test_requests_keep_their_order(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    ids = [f"con_{number}" for number in range(5)]
    connection.sendall(b"".join(ask(mock, f"GET /v1/contracts/{each}") for each in ids))
    found = [read_answer(answers) for _ in ids]
    assert {line for line, _ in found} == {"HTTP/1.1 404 Not Found"}
    assert [each for each, (_, body) in zip(ids, found, strict=True) if each in str(body)] == ids
    assert [call["path"].rpartition("/")[2] for call in mock.journal] == ids


def test_floods_keep_their_order(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    ids = [f"con_{number}" for number in range(200)]
    flood = b"".join(ask(mock, f"GET /v1/contracts/{each}") for each in ids)
    sender = threading.Thread(target=connection.sendall, args=(flood,))
    sender.start()
    found = [read_answer(answers)[1] for _ in ids]
    sender.join()
    named = [re.findall("con_[0-9]+", str(body))[:1] for body in found]
    assert named == [[each] for each in ids]


def test_errors_come_after_answers(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    requests = b"".join(ask(mock, f"GET /v1/contracts/con_{number}") for number in (1, 2))
    connection.sendall(requests + b"\x00no request\r\n\r\n")
    assert [read_answer(answers)[0] for _ in range(2)] == ["HTTP/1.1 404 Not Found"] * 2
    assert [call["path"] for call in mock.journal] == ["/v1/contracts/con_1", "/v1/contracts/con_2"]
    line, _ = read_head(answers)
    assert line == "HTTP/1.1 400 Bad Request"


def test_endless_heads_come_last(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    requests = b"".join(ask(mock, f"GET /v1/contracts/con_{number}") for number in (1, 2))
    connection.sendall(requests + b"GET / HTTP/1.1\r\nx: " + b"x" * 200_000)
    assert [read_answer(answers)[0] for _ in range(2)] == ["HTTP/1.1 404 Not Found"] * 2


@answered_at_once
@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_hanging_up_loses_no_answer(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    ids = [f"con_{number}" for number in range(5)]
    connection.sendall(b"".join(ask(mock, f"GET /v1/contracts/{each}") for each in ids))
    connection.shutdown(socket.SHUT_WR)
    found = [read_answer(answers) for _ in ids]
    assert [each for each, (_, body) in zip(ids, found, strict=True) if each in str(body)] == ids


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
@pytest.mark.parametrize(
    "behind", [b"\x00\r\n\r\n", b"GET / HTTP/1.1\r\nx: " + b"x" * 500_000], ids=["invalid", "endless"]
)
def test_an_error_waits_for_the_answer_to_a_held_request(
    connection: socket.socket, answers: BinaryIO, mock: MockProject, behind: bytes
) -> None:
    mock.load("name: slow\nrules: [{when: GetContracts, then: {delay: 20ms}}]\n")
    connection.sendall(ask(mock, "GET /v1/contracts") + behind)
    assert read_answer(answers)[0] == "HTTP/1.1 200 OK"
    assert read_head(answers)[0][:12] in ("HTTP/1.1 400", "HTTP/1.1 431")
    answers.read()


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_an_error_within_a_body_waits_for_earlier_answers(
    connection: socket.socket, answers: BinaryIO, mock: MockProject
) -> None:
    mock.load("name: slow\nrules: [{when: GetContracts, then: {delay: 20ms}}]\n")
    headers = (SENDS_JSON[0], "Transfer-Encoding: chunked")
    chunked = ask(mock, "POST /v1/contracts", *headers, body=b"no size\r\n")
    connection.sendall(ask(mock, "GET /v1/contracts") + chunked)
    assert read_answer(answers)[0] == "HTTP/1.1 200 OK"
    assert read_head(answers)[0] == "HTTP/1.1 400 Bad Request"


def test_requests_of_many_connections_are_answered_apart(mock: MockProject) -> None:
    ids = [f"con_{number}" for number in range(20)]
    with ExitStack() as connections:
        opened = [connections.enter_context(connect(mock)) for _ in ids]
        for _ in range(3):
            for each, connected in zip(ids, opened, strict=True):
                connected.sendall(ask(mock, f"GET /v1/contracts/{each}"))
            for each, connected in zip(ids, opened, strict=True):
                with connected.makefile("rb") as reader:
                    assert each in str(read_answer(reader)[1])


def test_a_client_hanging_up_leaves_its_call_in_the_journal(mock: MockProject) -> None:
    with ExitStack() as others:
        for _ in range(8):
            others.enter_context(connect(mock))
        with connect(mock) as gone:
            gone.sendall(ask(mock, "POST /v1/contracts", *SENDS_JSON, body=BODY))
        mock.verify("CreateContract", exactly=1, within="5s")


def test_a_request_that_is_held_up_holds_up_those_behind_it(
    connection: socket.socket, answers: BinaryIO, mock: MockProject
) -> None:
    mock.load("name: slow\nrules: [{when: CreateContract, then: {delay: 20ms}}]\n")
    first = ask(mock, "POST /v1/contracts", *SENDS_JSON, body=BODY)
    connection.sendall(first + ask(mock, "GET /v1/contracts") + ask(mock, "GET /v1/contracts/con_1"))
    lines = [read_answer(answers)[0] for _ in range(3)]
    assert lines == ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found"]
    assert [call["method"] for call in mock.journal] == ["POST", "GET", "GET"]


def test_a_defect_of_the_server_is_an_answer_with_500(
    connection: socket.socket, answers: BinaryIO, mock: MockProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(app: App, request: Request) -> NoReturn:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(App, "answer", fail)
        connection.sendall(ask(mock, "GET /v1/contracts"))
        line, headers = read_head(answers)
        assert (line, headers["connection"]) == ("HTTP/1.1 500 Internal Server Error", "close")


def test_a_closing_clients_connection_has_its_end(
    connection: socket.socket, answers: BinaryIO, mock: MockProject
) -> None:
    connection.sendall(ask(mock, "GET /v1/contracts", "Connection: close"))
    line, headers = read_head(answers)
    assert (line, headers["connection"]) == ("HTTP/1.1 200 OK", "close")
    assert len(answers.read()) == int(headers["content-length"])


def test_head_has_a_length_only(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    connection.sendall(ask(mock, "HEAD /v1/contracts") + ask(mock, "GET /v1/contracts"))
    line, headers = read_head(answers)
    assert (line, int(headers["content-length"]) > 0) == ("HTTP/1.1 200 OK", True)
    assert read_answer(answers)[0] == "HTTP/1.1 200 OK"


def test_a_body_in_parts_is_awaited(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    whole = ask(mock, "POST /v1/contracts", *SENDS_JSON, body=BODY)
    for part in (whole[:20], whole[20:-30], whole[-30:-1], whole[-1:]):
        connection.sendall(part)
    assert read_answer(answers)[0] == "HTTP/1.1 200 OK"
    (call,) = mock.journal
    assert call["request"]["body"] == json.loads(BODY)


def test_a_client_expecting_100_continue_may_send_at_once(
    connection: socket.socket, answers: BinaryIO, mock: MockProject
) -> None:
    connection.sendall(ask(mock, "POST /v1/contracts", "Expect: 100-continue", *SENDS_JSON, body=BODY))
    line, _ = read_head(answers)
    if line == "HTTP/1.1 100 Continue":
        line, _ = read_head(answers)
    assert line == "HTTP/1.1 200 OK"


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_an_answer_comes_with_its_body_in_one_piece(connection: socket.socket, mock: MockProject) -> None:
    connection.sendall(ask(mock, "GET /v1/contracts"))
    head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert json.loads(body)["object"] == "list"


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_answers_leave_no_garbage(connection: socket.socket, answers: BinaryIO, mock: MockProject) -> None:
    request = ask(mock, "GET /v1/contracts")
    connection.sendall(request)
    read_answer(answers)
    # What other tests have left is not looked at, which would take a second.
    gc.freeze()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for _ in range(20):
            connection.sendall(request)
            read_answer(answers)
        gc.collect()
        # A circle of references would be found for each request, and finding it takes time.
        assert len([each for each in gc.garbage if type(each).__name__ == "RequestResponseCycle"]) < 3
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
