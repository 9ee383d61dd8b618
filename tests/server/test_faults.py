"""Faults as clients meet them on a socket: each event loop, each parser of HTTP."""

import asyncio
import errno
import io
import json
import socket
import statistics
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import httpx
import pytest

from mockserver.api.call import Request
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.server.edge.faults import connection_extension
from mockserver.server.edge.log import ServerLog
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import listening, project_of
from tests.live import mock as mock
from tests.scenario.conftest import Load
from tests.scenario.conftest import load as load
from tests.scenario.conftest import routes as routes
from tests.tables import cases

LIST = "/v1/contracts"
STACKS = ["uvloop httptools", "asyncio httptools", "uvloop h11", "asyncio h11"]


def new_uvloop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = pytest.importorskip("uvloop").new_event_loop()
    return loop


@pytest.fixture(scope="module", params=STACKS)
def server(request: pytest.FixtureRequest) -> Iterator[LiveServer]:
    """A server on a socket."""
    loop, parser = request.param.split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "mockserver.testing.server._new_loop", new_uvloop if loop == "uvloop" else asyncio.new_event_loop
        )
        with listening(parser) as found:
            yield found


@pytest.fixture
def client(server: LiveServer, mock: MockProject) -> Iterator[httpx.Client]:
    """A client on a socket."""
    with httpx.Client(base_url=server.url, headers=headers_of(mock), timeout=30) as found:
        yield found


def headers_of(mock: MockProject) -> dict[str, str]:
    """The credentials of a server."""
    return {"authorization": f"Bearer {mock.secret_key}"}


def break_lists(mock: MockProject, fault: str) -> str:
    """Let a fault happen to every list of contracts; the scenario's id."""
    loaded = mock.load(f"rules: [{{name: broken, when: GetContracts, then: {{fault: {fault}}}}}]")
    found: str = loaded["id"]
    return found


def connect(
    server: LiveServer, mock: MockProject, method: str = "GET", headers: dict[str, str] | None = None
) -> socket.socket:
    """A connection on which a list of contracts has been asked for."""
    url = httpx.URL(server.url)
    assert url.port is not None
    connected = socket.create_connection((url.host, url.port), timeout=5)
    lines = [
        f"{method} {LIST} HTTP/1.1",
        "host: x",
        *map(": ".join, (headers_of(mock) | (headers or {})).items()),
        "",
        "",
    ]
    connected.sendall("\r\n".join(lines).encode())
    return connected


@cases(
    "fault, is_read",
    ("malformed_response_chunk", True),
    ("{truncate_body: {keep: 1}}", True),
    ("{wrong_content_length: {by: 5}}", True),
    ("malformed_json", True),
    ("server_error", True),
    ("random_data_then_close", False),
    ("empty_response", False),
)
def test_a_page_reads_what_has_a_head(
    server: LiveServer, mock: MockProject, fault: str, is_read: bool
) -> None:
    break_lists(mock, fault)
    headers = {"origin": "https://shop.example", "connection": "close"}
    with connect(server, mock, headers=headers) as connection:
        head = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")[0]
    for line in (b"origin: https://shop.example", b"credentials: true"):
        assert head.count(b"\r\naccess-control-allow-" + line) == is_read
    with connect(server, mock, headers={"connection": "close"}) as connection:
        assert b"access-control" not in b"".join(iter(lambda: connection.recv(65536), b""))


def receive(server: LiveServer, mock: MockProject, method: str = "GET") -> bytes:
    """All bytes that answer a list of contracts, to the end of the connection."""
    with closing(connect(server, mock, method)) as connected:
        return receive_rest(connected)


def receive_rest(connected: socket.socket) -> bytes:
    received = b""
    while part := connected.recv(65_536):
        received += part
    return received


def test_a_reset_is_a_reset_and_no_orderly_end(server: LiveServer, mock: MockProject) -> None:
    break_lists(mock, "connection_reset_by_peer")
    with pytest.raises(ConnectionResetError) as found:
        receive(server, mock)
    assert found.value.errno == errno.ECONNRESET


def test_an_empty_response_is_the_orderly_end_of_the_connection(
    server: LiveServer, mock: MockProject, client: httpx.Client
) -> None:
    break_lists(mock, "empty_response")
    assert receive(server, mock) == b""
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(LIST)


def test_a_malformed_chunk_comes_second(server: LiveServer, mock: MockProject, client: httpx.Client) -> None:
    break_lists(mock, "{malformed_response_chunk: {size: 40}}")
    head, _, rest = receive(server, mock).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n")
    assert len(rest) == 40
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(LIST)


def test_random_data_is_no_http(server: LiveServer, mock: MockProject, client: httpx.Client) -> None:
    break_lists(mock, "{random_data_then_close: {size: 1000}}")
    received = receive(server, mock)
    assert len(received) == 1_000
    assert receive(server, mock) != received
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(LIST)


def test_a_truncated_body_is_too_short(server: LiveServer, mock: MockProject, client: httpx.Client) -> None:
    whole = client.get(LIST).content
    break_lists(mock, "{truncate_body: {keep: 7}}")
    head, _, rest = receive(server, mock).partition(b"\r\n\r\n")
    assert f"content-length: {len(whole)}".encode() in head
    assert b"x-mockserver-rule: broken" in head
    assert rest == whole[:7]
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        client.get(LIST)


@cases("by", 5, -5)
def test_a_wrong_length_is_stated_for_the_whole_body(
    server: LiveServer, mock: MockProject, client: httpx.Client, by: int
) -> None:
    whole = client.get(LIST).content
    break_lists(mock, f"{{wrong_content_length: {{by: {by}}}}}")
    head, _, rest = receive(server, mock).partition(b"\r\n\r\n")
    assert f"content-length: {len(whole) + by}".encode() in head
    assert rest == whole


def test_the_head_of_a_truncated_answer_to_head_has_no_body(server: LiveServer, mock: MockProject) -> None:
    break_lists(mock, "truncate_body")
    head, _, rest = receive(server, mock, "HEAD").partition(b"\r\n\r\n")
    assert b"content-length: " in head
    assert rest == b""


def test_a_slow_response_is_whole_and_keeps_its_connection(mock: MockProject, client: httpx.Client) -> None:
    whole = client.get(LIST).content
    break_lists(mock, "{slow_response: {chunk_size: 10, chunk_delay: 1ms, times: 1}}")
    with client.stream("GET", LIST) as response:
        received = response.read()
    assert received == whole
    assert response.headers["content-length"] == str(len(whole))
    assert client.get(LIST).content == whole


def test_a_timeout_ends_when_the_server_hangs_up(server: LiveServer, mock: MockProject) -> None:
    break_lists(mock, "{timeout: {after: 1ms}}")
    assert receive(server, mock) == b""


def test_a_timeout_without_end_is_left_to_the_client(mock: MockProject, client: httpx.Client) -> None:
    break_lists(mock, "timeout")
    with pytest.raises(httpx.ReadTimeout):
        client.get(LIST, timeout=0.05)


@cases("end", "reset", "restore", "unload")
def test_what_is_pending_ends_with_its_rule(server: LiveServer, mock: MockProject, end: str) -> None:
    snapshot = mock.snapshot()
    scenario_id = break_lists(mock, "timeout")
    with closing(connect(server, mock)) as connected:
        mock.journal.wait(status=0)
        if end == "unload":
            mock.call("DELETE", f"/scenarios/{scenario_id}")
        elif end == "restore":
            mock.restore(snapshot)
        else:
            mock.reset()
        assert receive_rest(connected) == b""


def test_a_drip_that_ends_sends_what_is_left_at_once(server: LiveServer, mock: MockProject) -> None:
    scenario_id = break_lists(mock, "{slow_response: {chunk_size: 1, chunk_delay: 1h}}")
    with closing(connect(server, mock)) as connected:
        head = connected.recv(65_536)
        mock.call("DELETE", f"/scenarios/{scenario_id}")
        body = connected.recv(65_536)
    assert head.endswith(b"\r\n\r\n")
    assert json.loads(body)["data"] == []


@cases("end", "close", "reset")
@cases(
    "fault",
    "connection_reset_by_peer",
    "empty_response",
    "random_data_then_close",
    "malformed_response_chunk",
    "truncate_body",
    "wrong_content_length",
)
def test_a_fault_after_the_client_has_left_is_silent(
    server: LiveServer, mock: MockProject, caplog: pytest.LogCaptureFixture, fault: str, end: str
) -> None:
    held_up = f"[{{delay: {{real: 20ms}}}}, {{effect: done}}, {{fault: {{{fault}: {{effect: done}}}}}}]"
    mock.load(f"rules: [{{when: GetContracts, then: {held_up}}}]")
    leave(connect(server, mock), end)
    # What is sent of an answer is sent in the step that records it.
    assert mock.journal.wait(operation="GetContracts")["fault"] == fault
    assert caplog.text == ""


@cases("end", "close", "reset")
@cases("fault", "timeout", "{slow_response: {chunk_size: 1, chunk_delay: 1h}}")
def test_a_fault_that_the_client_leaves_is_silent(
    server: LiveServer, mock: MockProject, caplog: pytest.LogCaptureFixture, fault: str, end: str
) -> None:
    break_lists(mock, fault)
    connected = connect(server, mock)
    mock.journal.wait(operation="GetContracts")
    leave(connected, end)
    while project_of(server, mock).listeners:
        assert mock.clock.now
    assert caplog.text == ""


def leave(connected: socket.socket, end: str) -> None:
    """End a connection, in order or by a reset."""
    if end == "reset":
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connected.close()


def test_slow_answers_do_not_hold_up_others(server: LiveServer, mock: MockProject) -> None:
    break_lists(mock, "{slow_response: {chunk_size: 1, chunk_delay: 5ms}}")
    slow = [connect(server, mock) for _ in range(100)]
    took_s: list[float] = []
    with httpx.Client(base_url=server.url) as health:
        for _ in range(20):
            began = time.perf_counter()
            assert health.get("/_mock/health").status_code == 200
            took_s.append(time.perf_counter() - began)
    # The median: a machine that is busy with other tests delays some of them.
    assert statistics.median(took_s) < 0.1
    mock.reset()
    for connected in slow:
        with closing(connected):
            assert connected.recv(65_536).startswith(b"HTTP/1.1 200 OK")


def test_the_end_of_a_server_ends_what_is_pending() -> None:
    with LiveServer() as live:
        mock = live.control.create_project()
        break_lists(mock, "timeout")
        connected = connect(live, mock)
        mock.journal.wait(status=0)
        stopping = threading.Thread(target=live.stop)
        stopping.start()
        with closing(connected):
            assert receive_rest(connected) == b""
        stopping.join(5)
        assert not stopping.is_alive()


def test_the_log_names_the_fault_though_no_header_was_sent(app: App, load: Load, api: httpx.Client) -> None:
    load("rules: [{name: broken, when: GetContracts, then: {fault: empty_response}}]")
    headers = dict(api.headers)
    sent = app.pipeline.answer(Request("GET", LIST, "", headers))
    assert isinstance(sent, Response)
    stream = io.StringIO()
    log = ServerLog("text", app.pipeline.server.routes, lambda: 0, lambda: stream)
    log.write_request(Request("GET", LIST, "", headers), sent, 0)
    log.close()
    assert stream.getvalue().endswith(" rule=broken fault=empty_response\n")


class Connection(asyncio.Transport):
    """A connection that notes what becomes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_closed = False

    def write(self, data: object) -> None:
        """See `asyncio.WriteTransport`."""

    def is_closing(self) -> bool:
        """See `asyncio.BaseTransport`."""
        return self.is_closed

    def close(self) -> None:
        """See `asyncio.BaseTransport`."""
        self.is_closed = True


@cases("fault", "timeout", "{slow_response: {chunk_size: 1, chunk_delay: 1h}}")
def test_a_client_that_leaves_ends_its_calls(app: App, load: Load, api: httpx.Client, fault: str) -> None:
    load(f"rules: [{{when: GetContracts, then: {{fault: {fault}}}}}]")
    scope = {
        "type": "http",
        "method": "GET",
        "path": LIST,
        "query_string": b"",
        "headers": [(b"authorization", api.headers["authorization"].encode())],
        "extensions": connection_extension(Connection()),
    }

    async def story() -> None:
        gone = asyncio.Event()
        messages: list[dict[str, object]] = [{"type": "http.request", "body": b""}]

        async def receive() -> dict[str, object]:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(_: object) -> None:
            pass

        answering = asyncio.create_task(app(scope, receive, send))
        while not len(app.waits):
            await asyncio.sleep(0)
        gone.set()
        await asyncio.wait_for(answering, 5)
        assert len(app.waits) == 0

    asyncio.run(story())


@cases(
    "fault, sent",
    ("malformed_json", None),
    ("duplicate_request", None),
    ("server_error", None),
    ("wrong_content_type", None),
    ("{slow_response: {chunk_size: 1000, chunk_delay: 1ms}}", None),
    ("connection_reset_by_peer", ""),
    ("empty_response", ""),
    ("{truncate_body: {keep: 3}}", '\r\n\r\n{"o'),
)
def test_a_recording_has_what_was_sent_of_an_answer(
    app: App, load: Load, api: httpx.Client, fault: str, sent: str | None
) -> None:
    load(f"rules: [{{when: GetContracts, then: {{fault: {fault}}}}}]")
    app.recordings.start()
    with suppress(httpx.TransportError):
        api.get(LIST)
    app.recordings.stop()
    lines = [json.loads(line) for line in app.recordings.read().splitlines()]
    (answer,) = [line["answer"] for line in lines if "answer" in line]
    assert answer["fault"] in fault
    found = answer.get("sent")
    assert found == sent if not sent else found.endswith(sent)
