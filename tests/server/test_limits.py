"""How large a request may be, and what is kept of one that is larger."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Routes
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.control.groups import ControlGroup
from mockserver.server.edge.http_protocol import BoundedProtocol
from mockserver.state.world import World
from tests.tables import cases
from tests.transport import InProcessTransport

LIMITS = RequestLimits(max_body_bytes=100, max_header_bytes=300, max_headers=12, max_url_bytes=60)


def send(world: World, request: httpx.Request) -> httpx.Response:
    """What a server with these limits answers."""
    request.headers["authorization"] = "Bearer sk_test_limits"
    with httpx.Client(transport=InProcessTransport(assemble(world, limits=LIMITS))) as client:
        return client.send(request)


@cases(
    "more, status, limit",
    ({"content": b"x" * 101, "headers": {"content-type": "application/json"}}, 413, "100"),
    ({"headers": {"x-long": "x" * 300}}, 431, "300"),
    ({"headers": [("x-a", "1")] * 20}, 431, "12"),
    ({"params": {"name": "x" * 50}}, 414, "60"),
)
def test_what_is_larger_is_refused_and_journalled_without_it(
    world: World, more: dict[str, object], status: int, limit: str
) -> None:
    refused = send(world, httpx.Request("POST", "http://mock/v1/contracts", **more))  # type: ignore[arg-type]
    assert refused.status_code == status
    assert limit in refused.json()["error"]["message"]
    (exchange,) = next(iter(world)).history
    kept = f"{exchange.path}{exchange.query}{exchange.request_headers}{exchange.request_body!r}"
    assert exchange.status == status
    assert "x" * 40 not in kept


def test_what_is_as_large_as_allowed_is_answered(world: World) -> None:
    url = "http://mock/v1/contracts?name=" + "x" * (60 - len("/v1/contractsname="))
    request = httpx.Request("GET", url)
    request.headers["authorization"] = "Bearer sk_test_limits"
    size = sum(len(name) + len(value) for name, value in request.headers.items())
    request.headers["x-fill"] = "x" * (300 - size - len("x-fill"))
    assert send(world, request).status_code == 200
    request.headers["x-fill"] += "x"
    assert send(world, request).status_code == 431


def test_repeated_headers_are_counted_each(world: World) -> None:
    lines = [("x-a", "1")]
    allowed = httpx.Request("GET", "http://mock/v1/contracts", headers=lines * 10)
    # Beside them there are `host` and `authorization`.
    assert send(world, allowed).status_code == 200
    refused = httpx.Request("GET", "http://mock/v1/contracts", headers=lines * 11)
    assert send(world, refused).status_code == 431


@cases(
    "token, statuses, limit",
    ({"x-mockserver-token": "of the operator"}, [200, 200, 200, 413], 200),
    ({}, [401, 413, 413, 413], 100),
)
def test_those_who_may_send_an_operation_a_large_file(
    world: World, token: dict[str, str], statuses: list[int], limit: int
) -> None:
    files = ControlGroup("Files", below="/_mock/files")

    @files.operation("POST", "ReadFile", reads="application/jsonl", max_body_bytes=200)
    def read_file(call: Call) -> dict[str, int]:
        return {"size": len(call.request.body)}

    control = ControlAccess(token="of the operator")
    pipeline = Pipeline(world, Routes(list(files)), print, limits=LIMITS, control=control)
    headers = {"content-type": "application/jsonl", **token}
    found: list[Response] = []
    for size in (100, 101, 200, 201):
        answer = pipeline.answer(Request("POST", "/_mock/files", "", headers, b"x" * size))
        assert isinstance(answer, Response)
        found.append(answer)
    assert [answer.status for answer in found] == statuses
    assert f"larger than {limit} bytes" in found[-1].body.decode()


class Wire(asyncio.Transport):
    """Notes what is done with a connection."""

    def __init__(self, ends_one_side: bool) -> None:
        super().__init__()
        self.ends_one_side, self.done = ends_one_side, list[str]()

    def write(self, data: Any) -> None:
        """The answer."""
        self.done.append(bytes(data)[:12].decode())

    def is_closing(self) -> bool:
        """Not yet."""
        return False

    def can_write_eof(self) -> bool:
        """In TLS it cannot."""
        return self.ends_one_side

    def write_eof(self) -> None:
        """No more comes."""
        self.done.append("eof")

    def close(self) -> None:
        """No more is read."""
        self.done.append("close")


def connected(world: World, wire: Wire, loop: object) -> Any:
    """The protocol of a connection that was made."""
    app = assemble(world, limits=LIMITS)
    config = Config(app, log_config=None, timeout_keep_alive=75)
    config.load()
    given: Any = {"config": config, "server_state": ServerState(), "app_state": {}, "_loop": loop}
    protocol = BoundedProtocol(app, **given)
    protocol.connection_made(wire)
    return protocol


@cases("is_tls", False, True)
@cases("sent, status", ("GET / HTTP/1.1\r\nx-a: " + "x" * 1_000, "431"), ("GET /" + "x" * 1_000, "414"))
def test_a_client_refused_within_its_head_may_finish_sending(
    world: World, sent: str, status: str, is_tls: bool
) -> None:
    wire, timers = Wire(not is_tls), list[tuple[float, Any]]()
    loop = SimpleNamespace(call_later=lambda *timer: timers.append(timer))
    protocol = connected(world, wire, loop)
    protocol.data_received(sent.encode())
    told = [f"HTTP/1.1 {status}"] + ["eof"] * (not is_tls)
    assert wire.done == told
    ((delay_s, close),) = timers
    close()
    assert (delay_s, wire.done) == (2, [*told, "close"])


@cases("begun, ends", ("", [95, 135]), ("GET /_mo", [95]))
def test_a_connection_ends_once_it_was_idle_for_long(world: World, begun: str, ends: list[float]) -> None:
    wire, timers, now_s = Wire(ends_one_side=True), list[tuple[float, Any]](), 0.0

    def call_at(due_s: float, look: Any) -> object:
        timers.append((due_s, look))
        return timers

    loop = SimpleNamespace(time=lambda: now_s, call_at=call_at)
    loop.call_later = lambda after_s, look: call_at(now_s + after_s, look)
    protocol = connected(world, wire, loop)
    for _ in range(3):
        now_s += 20
        protocol.on_message_begin()
        protocol.on_response_complete()
    protocol.data_received(begun.encode())
    looked = []
    while timers:
        assert wire.done == []
        ((now_s, look),) = timers
        timers.clear()
        looked.append(now_s)
        look()
    assert (looked, wire.done) == (ends, [] if begun else ["close"])


def test_a_request_that_began_before_an_answer_is_not_cut_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpToolsProtocol, "_start_asgi_task", lambda *request: None)
    wire, timers = Wire(ends_one_side=True), list[Any]()
    loop = SimpleNamespace(time=lambda: 0.0, call_later=lambda after_s, look: timers.append(look))
    protocol = connected(world, wire, loop)
    protocol.data_received(b"POST /v1/contracts HT")
    protocol.on_response_complete()
    protocol.data_received(b"TP/1.1\r\nhost: mock\r\ncontent-length: 2\r\n\r\n")
    loop.time = lambda: 75.0
    (look,) = timers
    look()
    assert wire.done == []
