"""The asynchronous edge: large bodies, browsers, and waiting in real time."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TypeVar

import httpx
import pytest

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Group, Routes
from mockserver.api.waiting import Later, Until, later
from mockserver.domain.transactions.solana.transactions import submit
from mockserver.errors import ApiError
from mockserver.server.answering.in_progress import CallInProgress
from mockserver.server.answering.pipeline import Pipeline, WaitingCall
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.edge.reading import read_request
from mockserver.state.outbox import Message
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from tests.tables import cases

T = TypeVar("T")

KEY = {"authorization": "Bearer sk_test_edge"}


def _run(app: App, story: Callable[[httpx.AsyncClient], Awaitable[T]]) -> T:
    """What comes of a story told with a client of the application."""

    async def tell() -> T:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://mock", headers=KEY) as client:
            return await asyncio.wait_for(story(client), timeout=20)

    return asyncio.run(tell())


# --- bodies ---------------------------------------------------------------------------------------------


@cases(
    "path, envelope",
    ("/v1/contracts", "application/json"),
    ("/iam/v2/auth/sign-up/email", "application/json"),
    ("/_mock/projects", "application/problem+json"),
)
def test_a_large_body_is_refused_in_its_familys_envelope(world: World, path: str, envelope: str) -> None:
    app = assemble(world)

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(path, content=b"x" * (1024 * 1024 + 1))

    response = _run(app, story)
    assert (response.status_code, response.headers["content-type"]) == (413, envelope)
    assert "1048576" in response.text


def test_the_journal_notes_a_large_body_without_keeping_it(world: World) -> None:
    project = world.create(name="tests")
    app = assemble(world)
    headers = {"authorization": f"Bearer {project.secret_key}"}

    async def story(client: httpx.AsyncClient) -> list[int]:
        sizes = (1024 * 1024, 1024 * 1024 + 1)
        answers = [await client.post("/v1/contracts", content=b"x" * size, headers=headers) for size in sizes]
        return [answer.status_code for answer in answers]

    assert _run(app, story) == [400, 413]
    kept = [
        (each.operation, each.status, len(each.request_body)) for each in project.history.answered_since(0)
    ]
    assert kept == [("CreateContract", 400, 1024 * 1024), ("CreateContract", 413, 0)]


@cases("pieces, status", (64, 400), (65, 413))
def test_a_body_in_pieces_counts_as_a_whole(world: World, pieces: int, status: int) -> None:
    messages = [
        {"type": "http.request", "body": b" " * 16_384, "more_body": number < pieces - 1}
        for number in range(pieces)
    ]
    sent: list[dict[str, object]] = []

    async def story() -> None:
        async def receive() -> dict[str, object]:
            return messages.pop(0)

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/contracts",
            "query_string": b"",
            "headers": [(b"authorization", b"Bearer sk_test_edge")],
        }
        await assemble(world)(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(story())
    assert sent[0]["status"] == status
    assert messages == []


def test_a_request_cut_before_its_body_is_not_run(world: World) -> None:
    sent: list[object] = []

    async def story() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "http.disconnect"}

        async def send(message: object) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/_mock/projects",
            "query_string": b"",
            "headers": [(b"content-length", b"20"), (b"content-type", b"application/json")],
        }
        await assemble(world)(scope, receive, send)

    asyncio.run(story())
    assert sent == []
    assert list(world) == []


def test_a_repeated_header_counts_as_one_with_both_values(world: World) -> None:
    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get("/v1/contracts", headers=[("x-shop", "one"), ("x-shop", "two")])

    _run(assemble(world), story)
    (project,) = world
    (exchange,) = project.history.answered_since(0)
    assert exchange.request_headers["x-shop"] == "one, two"


@cases("method, path, status", ("POST", "/nowhere", 404), ("PUT", "/load", 405))
def test_an_unknown_recordings_use_is_refused(world: World, method: str, path: str, status: int) -> None:
    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(method, f"/_mock/recording{path}", content=b"{}")

    assert _run(assemble(world), story).status_code == status


# --- browsers -------------------------------------------------------------------------------------------


@pytest.fixture
def preflight(world: World) -> httpx.Response:
    """What a browser is told before it sends a request with an Authorization header."""
    headers = {
        "origin": "https://shop.example",
        "access-control-request-method": "DELETE",
        "access-control-request-headers": "authorization,x-project-key",
    }

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(assemble(world))
        async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
            return await client.options("/v1/contracts/con_1", headers=headers)

    return asyncio.run(ask())


def test_any_origin_may_call_with_any_header(preflight: httpx.Response) -> None:
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://shop.example"
    assert preflight.headers["access-control-allow-credentials"] == "true"
    assert "DELETE" in preflight.headers["access-control-allow-methods"]
    allowed = preflight.headers["access-control-allow-headers"].lower()
    assert {"authorization", "x-project-key"} <= {name.strip() for name in allowed.split(",")}


def test_browsers_may_read_the_headers_that_matter(world: World) -> None:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(assemble(world))
        async with httpx.AsyncClient(transport=transport, base_url="http://mock", headers=KEY) as client:
            return await client.get("/v1/contracts", headers={"origin": "https://shop.example"})

    response = asyncio.run(ask())
    assert response.headers["access-control-allow-origin"] == "https://shop.example"
    assert "x-mockserver-rule" in response.headers["access-control-expose-headers"]


# --- waiting --------------------------------------------------------------------------------------------

lives = Group("Lives")


@lives.endpoint("POST /v1/wait", "WaitForIt", secret_key(None))
def wait_for_it(call: Call) -> dict[str, str]:
    """Wait for a Solana transaction to end."""
    project = call.project
    row = submit(project)

    def status() -> str:
        return project.onchain.solana_transactions[row.id].status

    limit_ms = project.settings.wait_limit_ms
    until = Until(lambda: status() != "sent", call.now_ms + limit_ms, limit_ms, row.id)
    return later(until, lambda: {"status": status()})


class RealTime:
    """A real time that passes by a second with each look at it."""

    def __init__(self) -> None:
        self.now_ms = 1_800_000_000_000

    def __call__(self) -> int:
        self.now_ms += 1_000
        return self.now_ms


def _app_and_project(real_ms: Callable[[], int], defaults: ProjectDefaults) -> tuple[App, Project]:
    world = World(real_ms=real_ms, defaults=defaults)
    project = world.create(name="edge")
    return App(Pipeline(world, Routes(tuple(lives)), pytest.fail)), project


def _post(app: App) -> httpx.Response:
    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/v1/wait")

    return _run(app, story)


def test_a_ticking_clock_is_waited_for_until_the_moment() -> None:
    app, project = _app_and_project(RealTime(), ProjectDefaults(mode="ticking", rate=1000))
    started_ms = project.clock.now_ms
    assert _post(app).json() == {"status": "confirmed"}
    assert project.clock.now_ms >= started_ms + project.settings.solana_confirms_after_ms


def test_a_frozen_clock_jumps_to_the_moment_and_no_further() -> None:
    app, project = _app_and_project(RealTime(), ProjectDefaults())
    started_ms = project.clock.now_ms
    assert _post(app).json() == {"status": "confirmed"}
    assert project.clock.now_ms == started_ms + project.settings.solana_confirms_after_ms


def test_a_wait_has_an_end_even_when_real_time_stands_still() -> None:
    app, project = _app_and_project(lambda: 0, ProjectDefaults(mode="ticking"))
    project.settings = Settings(wait_limit_ms=20)
    assert _post(app).json() == {"status": "sent"}


def test_a_closing_application_ends_every_wait() -> None:
    app, _ = _app_and_project(lambda: 0, ProjectDefaults(mode="ticking"))

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        waiting = asyncio.create_task(client.post("/v1/wait"))
        while not app.waits:
            await asyncio.sleep(0)
        app.close()
        return await waiting

    assert _run(app, story).json() == {"status": "sent"}


def test_a_wait_for_an_exchange_ends_with_another_request(world: World) -> None:
    app = assemble(world)

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        found = client.get("/_mock/projects/-/journal", params={"status": "404", "wait": "20"})
        waiting = asyncio.create_task(found)
        while not app.waits:
            await asyncio.sleep(0)
        await client.get("/v1/contracts")
        assert not waiting.done()
        await client.get("/v1/contracts/con_none")
        return await waiting

    shown = _run(app, story).json()
    assert [exchange["path"] for exchange in shown["data"]] == ["/v1/contracts/con_none"]


def test_a_wait_for_an_exchange_ignores_its_delayed_answer(world: World) -> None:
    app = assemble(world)
    world.key("sk_test_edge").project.clock.tick(world.real_ms)
    slow = "name: slow\nrules: [{when: GetContracts, then: {delay: 1h}}]"

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        yaml = {"content-type": "application/yaml"}
        await client.post("/_mock/projects/-/scenarios", content=slow, headers=yaml)
        found = client.get("/_mock/projects/-/journal", params={"operation": "GetContracts", "wait": "20"})
        waiting = asyncio.create_task(found)
        while not app.waits:
            await asyncio.sleep(0)
        delayed = asyncio.create_task(client.get("/v1/contracts"))
        shown = await waiting
        assert not delayed.done()
        app.close()
        await delayed
        return shown

    assert _run(app, story).json()["total"] == 1


def test_a_wait_for_a_mail_ends_when_it_is_sent(world: World) -> None:
    app = assemble(world)
    project = world.key("sk_test_edge").project

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        found = client.get("/_mock/projects/-/outbox", params={"to": "ada@example.com", "wait": "20"})
        waiting = asyncio.create_task(found)
        while not app.waits:
            await asyncio.sleep(0)
        project.outbox.insert(Message("msg_1", project.clock.now_ms, "email", "ada@example.com", "otp", "1"))
        await client.get("/v1/contracts")
        return await waiting

    assert _run(app, story).json()["total"] == 1


# --- connections that end, and those that are none ------------------------------------------------------


def test_a_client_gone_inside_its_body_has_asked_nothing(world: World) -> None:
    messages: list[dict[str, object]] = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, object]:
        return messages.pop(0)

    async def send(message: dict[str, object]) -> None:
        pytest.fail(f"answered with {message}")

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/contracts",
        "query_string": b"",
        "headers": [(b"authorization", b"Bearer sk_test_edge")],
    }
    asyncio.run(assemble(world)(scope, receive, send))  # type: ignore[arg-type]
    assert list(world) == []


def test_a_protocol_that_is_not_http_is_an_error_of_the_server(world: World) -> None:
    async def receive() -> dict[str, object]:
        pytest.fail("asked for a message")

    async def send(message: MutableMapping[str, object]) -> None:
        pytest.fail(f"answered with {message}")

    with pytest.raises(RuntimeError, match="serves HTTP and WebSocket, not gopher"):
        asyncio.run(assemble(world)({"type": "gopher"}, receive, send))


@cases(
    "path, root_path, below",
    ("/mock", "/mock", "/"),
    ("/mock/", "/mock", "/"),
    ("/mocking", "/mock", "/mocking"),
    ("/a", "", "/a"),
)
def test_a_path_is_read_without_the_prefix_of_its_application(path: str, root_path: str, below: str) -> None:
    scope = {"method": "GET", "path": path, "root_path": root_path, "query_string": b"", "headers": []}
    assert read_request(scope, b"").path == below


def test_headers_may_come_as_lists() -> None:
    scope = {"method": "GET", "path": "/", "query_string": b"", "headers": [[b"a", b"1"], [b"a", b"2"]]}
    assert read_request(scope, b"").headers == {"a": "1, 2"}


def test_a_delay_takes_real_time_while_the_clock_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def wait(woken: list[asyncio.Future[None]], timeout: float) -> None:
        waited.append(timeout)

    monkeypatch.setattr("mockserver.server.edge.waits.asyncio.wait", wait)
    world = World()
    app = assemble(world)
    project = world.create()
    answer = Response(200, (), b"")

    def hold_up() -> Later[Response]:
        yield Until(lambda: False, real_ms=250)
        return answer

    project.waiting += 1
    call = CallInProgress(app.pipeline.server, Request("GET", "/", "", {}), project=project)
    held_up = WaitingCall(call, project, hold_up())
    held_up.until = next(held_up.steps)
    assert asyncio.run(app.finish(held_up)) is answer
    assert waited == [0.25]


def test_a_wait_that_cannot_begin_is_answered_with_its_error() -> None:
    group = Group("Broken")

    @group.endpoint("POST /v1/wait", "WaitInVain", secret_key(None), errors=(errors.CONTRACT_NOT_FOUND,))
    def wait_in_vain(call: Call) -> dict[str, str]:
        """Wait for something that is not there."""

        def ready() -> bool:
            raise ApiError(errors.CONTRACT_NOT_FOUND, id="con_none")

        return later(Until(ready), dict)

    world = World(defaults=ProjectDefaults(mode="ticking"))
    response = _post(App(Pipeline(world, Routes(tuple(group)), pytest.fail)))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "contract_not_found")
