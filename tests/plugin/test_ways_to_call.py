"""A test sees the same in process as over HTTP, by each client."""

import asyncio
import multiprocessing
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import httpx
import pytest
import requests

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import mock as mock

PATH = "/v1/contracts"
ORIGIN = {"origin": "http://shop.example"}
PATIENCE_S = 0.2
IN_PROCESS = ["in process", "async in process", "ASGI application"]


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server that listens, too."""
    with LiveServer() as found:
        assert found.url
        yield found


def rows(table: Mapping[str, object]) -> pytest.MarkDecorator:
    """Run a test with each row of a table."""
    return pytest.mark.parametrize("case", [*table.values()], ids=[*table])


def call(way: str, server: LiveServer, mock: MockProject, method: str, path: str, **asked: Any) -> object:
    """What a client sees of one call: the answer, or the exception."""
    headers = [("authorization", f"Bearer {mock.secret_key}"), *asked.pop("headers", {}).items()]
    body = asked.pop("body", None)
    if way == "requests":
        sent = requests.request(
            method, server.url + path, headers=dict(headers), data=body, timeout=9, allow_redirects=False
        )
        return sent.status_code, lines_of(sent.headers), sent.content
    given: dict[str, Any] = {"headers": headers, "timeout": PATIENCE_S, "trust_env": False, "verify": False}
    try:
        if way in ("HTTP", "in process"):
            transport = server.transport if way == "in process" else None
            with httpx.Client(base_url=server.url, transport=transport, **given) as client:
                answer = client.request(method, path, content=body)
        else:
            own: Mapping[str, Any] = {
                "async HTTP": None,
                "async in process": server.transport,
                "ASGI application": httpx.ASGITransport(server.asgi),
            }

            async def ask() -> httpx.Response:
                async with httpx.AsyncClient(base_url=server.url, transport=own[way], **given) as client:
                    content = one_by_one(body) if isinstance(body, Iterator) else body
                    return await client.request(method, path, content=content)

            answer = asyncio.run(ask())
    except Exception as error:
        return type(error)
    return answer.status_code, lines_of(answer.headers), answer.content


def lines_of(headers: Any) -> list[tuple[str, str]]:
    """Headers in any order, without what is about the connection."""
    lines = ((name.lower(), value) for name, value in headers.items())
    return sorted(line for line in lines if line[0] != "connection")


async def one_by_one(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def fails() -> Iterator[bytes]:
    yield b"{"
    raise ZeroDivisionError


REQUESTS: dict[str, dict[str, Any]] = {
    "list": {},
    "HEAD": {"method": "HEAD"},
    "HEAD of what is missing": {"method": "HEAD", "path": f"{PATH}/none"},
    "OPTIONS": {"method": "OPTIONS"},
    "method that is not taken": {"method": "PATCH"},
    "page": {"headers": ORIGIN},
    "page that asks first": {
        "method": "OPTIONS",
        "headers": ORIGIN | {"access-control-request-method": "GET"},
    },
    "page with HEAD": {"method": "HEAD", "headers": ORIGIN},
    "page of the control API": {"path": "/_mock/ready", "headers": ORIGIN},
    "encoded path": {"path": f"{PATH}/a%2Fb%20c?x=%zz&limit=ä"},
    "path with two slashes": {"path": "/v1//contracts"},
    "other letters": {"path": f"{PATH}/ä€"},
    "query without members": {"path": f"{PATH}?"},
    "long URL": {"path": f"{PATH}?x={'x' * 20_000}"},
    "Latin header": {"headers": {"x-request-id": b"\xe4"}},
    "large header": {"headers": {"x-a": "x" * 70_000}},
    "many headers": {"headers": {f"x-{number}": "x" for number in range(150)}},
    "large body": {"method": "POST", "body": b"x" * 2_000_000},
    "empty body": {"method": "POST"},
    "GET with a body": {"body": b"{}"},
    "form": {
        "method": "POST",
        "headers": {"content-type": "application/x-www-form-urlencoded"},
        "body": b"name=x",
    },
}

RULED = {
    "204": "{answer: {status: 204}}",
    "302": f"{{answer: {{status: 302, headers: {{location: {PATH}/x}}}}}}",
    "304": "{answer: {status: 304}}",
    "500 without a body": "{answer: {status: 500, body: ''}}",
    "status without a name": "{answer: {status: 299, body: hello}}",
    "cookie": "{answer: {status: 200, body: {}, headers: {set-cookie: a=1}}}",
}

SPOILT = {
    "body with a wrong encoding": "{answer: {status: 200, body: x, headers: {content-encoding: gzip}}}",
    "reset": "{fault: connection_reset_by_peer}",
    "no answer": "{fault: empty_response}",
    "no HTTP": "{fault: random_data_then_close}",
    "no chunk": "{fault: malformed_response_chunk}",
    "page of a gateway": "{fault: server_error}",
    "short body": "{fault: truncate_body}",
    "whole body": "{fault: {truncate_body: {keep: 100000}}}",
    "too much announced": "{fault: wrong_content_length}",
    "too little announced": "{fault: {wrong_content_length: {by: -1}}}",
    "wrong type": "{fault: wrong_content_type}",
    "broken JSON": "{fault: malformed_json}",
    "no answer before the client leaves": "{fault: {timeout: {after: 30s}}}",
    "no answer before the server hangs up": "{fault: {timeout: {after: 1ms}}}",
    "pieces": "{fault: {slow_response: {chunk_size: 40, chunk_delay: 1ms}}}",
    "pieces in the time of each": "{fault: {slow_response: {chunk_size: 11, chunk_delay: 35ms}}}",
    "pieces that are late": "{fault: {slow_response: {chunk_delay: 30s}}}",
    "answer that is late": "{delay: {real: 30s}}",
}

REFUSED: dict[str, dict[str, Any]] = {
    "key with the end of a line": {"headers": {"x-key": "sk_test_x\n"}},
    "blank before a value": {"headers": {"x-key": " x"}},
    "name with a blank": {"headers": {"x key": "x"}},
    "length without a number": {"method": "POST", "body": b"{}", "headers": {"content-length": "x"}},
    "too little data": {"method": "POST", "body": b"{}", "headers": {"content-length": "9"}},
    "too much data": {"method": "POST", "body": b"{}", "headers": {"content-length": "1"}},
    "unknown encoding": {"method": "POST", "body": b"{}", "headers": {"transfer-encoding": "gzip"}},
}


@pytest.mark.parametrize("way", [*IN_PROCESS, "async HTTP", "requests"])
@rows(REQUESTS)
def test_a_request_is_answered_the_same(
    server: LiveServer, mock: MockProject, way: str, case: dict[str, Any]
) -> None:
    asked = {"method": "GET", "path": PATH} | case
    assert call(way, server, mock, **asked) == call("HTTP", server, mock, **asked)


@pytest.mark.parametrize("way", [*IN_PROCESS, "requests"])
@rows(RULED)
def test_an_answer_of_a_rule_is_the_same(server: LiveServer, mock: MockProject, way: str, case: str) -> None:
    mock.load(f"rules: [{{name: it, when: GetContracts, then: {case}}}]")
    assert call(way, server, mock, "GET", PATH) == call("HTTP", server, mock, "GET", PATH)


@pytest.mark.parametrize("way", ["in process", "async in process"])
@rows(SPOILT)
def test_what_goes_wrong_is_the_same(server: LiveServer, mock: MockProject, way: str, case: str) -> None:
    mock.load(f"rules: [{{name: it, when: 'GET {PATH}', then: {case}}}]")
    assert call(way, server, mock, "GET", PATH) == call("HTTP", server, mock, "GET", PATH)


@pytest.mark.parametrize("way", ["in process", "async in process"])
@rows({name: then for name, then in SPOILT.items() if "late" in name or "before" in name})
def test_a_page_stops_waiting_as_well(server: LiveServer, mock: MockProject, way: str, case: str) -> None:
    mock.load(f"rules: [{{name: it, when: 'GET {PATH}', then: {case}}}]")
    seen = call(way, server, mock, "GET", PATH, headers=ORIGIN)
    assert seen == call("HTTP", server, mock, "GET", PATH, headers=ORIGIN)


@pytest.mark.parametrize("way", ["in process", "async in process"])
@rows(REFUSED)
def test_what_http_cannot_carry_is_not_sent(
    server: LiveServer, mock: MockProject, way: str, case: dict[str, Any]
) -> None:
    asked = {"method": "GET", "path": PATH} | case
    seen = call(way, server, mock, **asked)
    assert seen == call("HTTP", server, mock, **asked)
    assert issubclass(seen, Exception) if isinstance(seen, type) else False
    assert len(mock.journal) == 0


@pytest.mark.parametrize("way", IN_PROCESS)
@rows({"parts": lambda: iter([b'{"name', b'": 1}']), "parts that fail": fails})
def test_a_body_in_parts_is_sent_the_same(
    server: LiveServer, mock: MockProject, way: str, case: Callable[[], Iterator[bytes]]
) -> None:
    seen = call(way, server, mock, "POST", PATH, body=case())
    assert seen == call("HTTP", server, mock, "POST", PATH, body=case())


@rows(
    {
        "raw": lambda answer: [*answer.iter_raw()],
        "pieces": lambda answer: [*answer.iter_bytes(10)],
        "unread": lambda answer: answer.text,
        "state": lambda answer: (answer.is_closed, answer.is_stream_consumed),
    }
)
def test_an_answer_is_streamed_the_same(
    server: LiveServer, mock: MockProject, case: Callable[[httpx.Response], object]
) -> None:
    def read(client: httpx.Client) -> object:
        with client.stream("GET", PATH) as answer:
            try:
                return case(answer)
            except httpx.StreamError as error:
                return type(error)

    headers = {"authorization": f"Bearer {mock.secret_key}"}
    outside = httpx.Client(base_url=server.url, headers=headers, verify=False)
    with mock.connect() as inside, outside:
        assert read(inside) == read(outside)


def test_an_event_stream_ends_for_a_page_in_process(mock: MockProject) -> None:
    with mock.connect() as client:
        answer = client.get(f"/_mock/projects/{mock.id}/events", headers={"origin": "http://mock"})
    assert answer.text.startswith("retry:")


# --- trio -----------------------------------------------------------------------------------------------


def test_trio_calls_as_asyncio_does(server: LiveServer, mock: MockProject) -> None:
    trio = pytest.importorskip("trio")
    headers = {"authorization": f"Bearer {mock.secret_key}"}
    seen: list[int] = []

    async def ask(client: httpx.AsyncClient) -> None:
        seen.append((await client.get(PATH)).status_code)

    async def work() -> None:
        application = httpx.ASGITransport(server.asgi)
        async with (
            mock.connect_async() as client,
            httpx.AsyncClient(transport=application, base_url="http://mock", headers=headers) as other,
            trio.open_nursery() as nursery,
        ):
            for each in (client, other, client, other):
                nursery.start_soon(ask, each)

    trio.run(work)
    assert seen == [200] * 4


def test_trio_leaves_what_waits(server: LiveServer, mock: MockProject) -> None:
    trio = pytest.importorskip("trio")

    async def work() -> None:
        async with mock.connect_async() as client, trio.open_nursery() as nursery:
            nursery.start_soon(client.get, f"/_mock/projects/{mock.id}/journal?method=PUT&wait=30")
            while not server.app.waits.of_project:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()

    trio.run(work)
    # As over HTTP, the server does not notice.
    assert server.app.waits.of_project


# --- a server that ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize("listens", [True, False])
@pytest.mark.parametrize("is_async", [True, False])
def test_a_server_that_stops_answers_what_waits(listens: bool, is_async: bool) -> None:
    seen: list[int] = []

    with LiveServer() as server:
        if listens:
            assert server.url
        project = server.control.create_project()
        project.load(f"rules: [{{name: late, when: 'GET {PATH}', then: {{delay: {{real: 30s}}}}}}]")

        async def ask() -> int:
            async with project.connect_async() as client:
                return (await client.get(PATH, timeout=40)).status_code

        def work() -> None:
            if is_async:
                seen.append(asyncio.run(ask()))
            else:
                with project.connect() as client:
                    seen.append(client.get(PATH, timeout=40).status_code)

        worker = threading.Thread(target=work)
        worker.start()
        while not server.app.waits.of_project:
            pass
    worker.join()
    assert seen == [200]


def test_a_server_that_stopped_cannot_be_reached() -> None:
    with LiveServer() as server:
        project = server.control.create_project()
    with project.connect() as client, pytest.raises(httpx.ConnectError, match="was stopped"):
        client.get(PATH)

    async def ask() -> None:
        async with project.connect_async() as client:
            await client.get(PATH)

    with pytest.raises(httpx.ConnectError, match="was stopped"):
        asyncio.run(ask())


def test_threads_that_go_on_do_not_outlive_the_server() -> None:
    began = threading.Barrier(5)

    def work(client: httpx.Client) -> None:
        client.get(PATH)
        began.wait()
        with suppress(httpx.ConnectError):
            while True:
                client.get(PATH)

    with LiveServer() as server:
        project = server.control.create_project()
        workers = [threading.Thread(target=work, args=(project.connect(),), daemon=True) for _ in range(4)]
        for worker in workers:
            worker.start()
        began.wait()
    for worker in workers:
        worker.join(10)
    assert not any(worker.is_alive() for worker in workers)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_is_told_to_call_the_url(mock: MockProject, server: LiveServer) -> None:
    context = multiprocessing.get_context("fork")
    seen = context.SimpleQueue()

    def work() -> None:
        try:
            with mock.connect() as client:
                client.get(PATH)
        except httpx.ConnectError as error:
            seen.put(str(error))
        server.stop()
        seen.put(httpx.get(server.url + PATH).status_code)

    child = context.Process(target=work)
    child.start()
    child.join(10)
    child.kill()
    assert seen.get() == "The server is in the process that forked this one: call its URL"
    assert seen.get() == 401
