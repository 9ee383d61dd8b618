"""The application in Starlette's form: mounted, with a lifespan, beside others in one process."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect

from mockserver import create_app
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.kernel import timestamps
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.assembly import assemble
from mockserver.server.edge.starlette_app import StarletteApp
from mockserver.server.edge.start_up import CannotStart
from mockserver.state.world import World
from mockserver.testing.server import LiveServer
from mockserver.testing.signing import WalletAuth
from tests.tables import cases

KEY = {"authorization": "Bearer sk_test_default"}
VISITOR = {"x-project-key": "pk_test_default"}
ADA = {"email": "ada.byron@example.com", "password": "correct horse", "name": "Ada"}


def world_of(app: StarletteApp) -> World:
    world: World = app.state.world
    return world


# --- by itself ------------------------------------------------------------------------------------------


def test_it_answers_a_test_client_and_an_asgi_transport() -> None:
    app = create_app()
    assert isinstance(app, Starlette)
    with TestClient(app, headers=KEY) as client:
        assert client.get("/v1/contracts").json()["total"] == 1

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://mock", headers=KEY) as client:
            return await client.get("/v1/contracts")

    assert asyncio.run(ask()).json()["total"] == 1


def test_two_applications_share_nothing() -> None:
    one, other = TestClient(create_app(), headers=KEY), TestClient(create_app(), headers=KEY)
    one.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": "0x" + "ab" * 20})
    assert one.get("/v1/contracts").json()["total"] == 2
    assert other.get("/v1/contracts").json()["total"] == 1


def test_a_test_finds_the_world_in_the_state() -> None:
    app = create_app(clock="frozen")
    with TestClient(app):
        assert len(world_of(app).key("sk_test_default").project.onchain.contracts) == 1


def test_a_websocket_is_closed() -> None:
    with (
        TestClient(create_app()) as client,
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/v1/contracts"),
    ):
        pass


def test_a_server_may_leave_out_the_scheme_of_a_websocket() -> None:
    asked = {"id": 1, "method": "eth_subscribe", "params": ["newHeads"]}
    messages: list[Message] = [
        {"type": "websocket.receive", "text": json.dumps(asked)},
        {"type": "websocket.connect"},
    ]
    sent: asyncio.Queue[Message] = asyncio.Queue()

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future()

    async def ask() -> Any:
        headers = [(b"authorization", KEY["authorization"].encode())]
        path = "/_mock/projects/-/chains/84532/rpc"
        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": headers}
        serving = asyncio.ensure_future(create_app()(scope, receive, sent.put))
        answered = [await sent.get() for _ in range(2)]
        serving.cancel()
        return json.loads(answered[1]["text"])

    assert "result" in asyncio.run(ask())


def test_middleware_that_is_added_stands_before_it() -> None:
    app = create_app()
    app.add_middleware(CORSMiddleware, allow_origins=["https://one.example"])
    headers = {"origin": "https://one.example", "access-control-request-method": "PATCH"}
    assert TestClient(app).options("/v1/contracts", headers=headers).status_code == 400


def test_routes_of_others_belong_into_another_application() -> None:
    app = create_app()
    app.router.routes.append(Route("/mine", PlainTextResponse("mine")))
    with pytest.raises(RuntimeError, match="mount it"):
        TestClient(app).get("/mine")


# --- from its start to its end --------------------------------------------------------------------------


def test_the_lifespan_loads_the_scenarios() -> None:
    app = create_app()
    project = world_of(app).key("sk_test_default").project
    assert len(project.onchain.contracts) == 0
    with TestClient(app):
        assert len(project.onchain.contracts) == 1


def test_a_scenario_that_is_refused_fails_the_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: broken\ngiven: [{call: Nothing}]\n")
    app = create_app(scenarios=broken)
    with pytest.raises(CannotStart, match=re.escape("broken.yaml:2:16")), TestClient(app):
        pass
    client = TestClient(app)
    assert client.get("/_mock/health").status_code == 200
    for path in ("/_mock/ready", "/v1/contracts"):
        refused = client.get(path, headers=KEY)
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:mockserver:not-ready")
        assert "broken.yaml:2:16" in refused.json()["detail"]


def test_a_start_that_breaks_says_why_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    def break_down(pipeline: Pipeline) -> None:
        raise RuntimeError("of the inside")

    app = assemble(World(), on_start=break_down)
    client = TestClient(app)
    for _ in range(2):
        assert client.get("/v1/contracts", headers=KEY).status_code == 503
    app.log.close()
    log = capsys.readouterr().err
    assert log.count("Traceback") == 1
    assert log.endswith("RuntimeError: of the inside\n")


def test_a_browser_may_read_why_the_server_did_not_start(tmp_path: Path) -> None:
    client = TestClient(create_app(scenarios=tmp_path / "absent.yaml"))
    refused = client.get("/v1/contracts", headers={"origin": "https://shop.example", **KEY})
    assert refused.status_code == 503
    assert refused.headers["access-control-allow-origin"] == "https://shop.example"


def test_what_still_waits_is_answered_when_the_lifespan_ends() -> None:
    app = create_app()

    async def story() -> int:
        told: asyncio.Queue[Message] = asyncio.Queue()
        said: asyncio.Queue[Message] = asyncio.Queue()
        living = asyncio.create_task(app({"type": "lifespan"}, told.get, said.put))
        await told.put({"type": "lifespan.startup"})
        assert (await said.get())["type"] == "lifespan.startup.complete"
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://mock", headers=KEY) as client:
            found = client.get("/_mock/projects/-/outbox", params={"to": "x@example.com", "wait": "20"})
            waiting = asyncio.create_task(found)
            while not app._app.waits:
                await asyncio.sleep(0)
            await told.put({"type": "lifespan.shutdown"})
            assert (await said.get())["type"] == "lifespan.shutdown.complete"
            await living
            total: int = (await waiting).json()["total"]
        return total

    assert asyncio.run(asyncio.wait_for(story(), timeout=20)) == 0


def test_it_may_be_started_again() -> None:
    app = create_app()
    for _ in range(2):
        with TestClient(app, headers=KEY) as client:
            assert client.get("/v1/contracts").json()["total"] == 1


# --- below a prefix -------------------------------------------------------------------------------------


async def _front_page(request: Request) -> PlainTextResponse:
    return PlainTextResponse("shop")


@pytest.fixture
def mock() -> StarletteApp:
    """The application that is mounted."""
    return create_app(clock="frozen")


@pytest.fixture
def shop(mock: StarletteApp) -> Iterator[TestClient]:
    """A client of an application that has the mock server below `/mock`."""
    app = Starlette(routes=[Route("/", _front_page), Mount("/mock", mock)])
    with TestClient(app, base_url="http://shop.example", follow_redirects=False) as client:
        yield client


def latest_mail(shop: TestClient) -> Any:
    found = shop.get("/mock/_mock/projects/-/outbox", params={"order": "desc", "limit": 1}, headers=KEY)
    return found.json()["data"][0]


def test_a_mounted_server_answers_below_its_prefix_only(shop: TestClient) -> None:
    assert shop.get("/").text == "shop"
    assert shop.get("/mock/v1/contracts", headers=KEY).json()["total"] == 1
    assert shop.get("/v1/contracts", headers=KEY).status_code == 404


def test_a_path_that_leads_nowhere_is_named_as_the_api_has_it(shop: TestClient) -> None:
    message = shop.get("/mock/v1/contract", headers=KEY).json()["error"]["message"]
    assert "Did you mean /v1/contracts?" in message


def test_an_encoded_segment_stays_one_below_a_prefix(shop: TestClient) -> None:
    response = shop.get("/mock/v1/contracts/con%2F1", headers=KEY)
    assert response.json()["error"]["code"] == "contract_not_found"


def test_links_in_mails_have_the_prefix_and_work(shop: TestClient) -> None:
    assert shop.post("/mock/iam/v2/auth/sign-up/email", json=ADA, headers=VISITOR).status_code == 200
    shop.cookies.clear()
    asked = {"email": ADA["email"], "callbackURL": "/welcome"}
    shop.post("/mock/iam/v2/auth/send-verification-email", json=asked, headers=VISITOR)
    url = latest_mail(shop)["url"]
    assert url.startswith("http://shop.example/mock/iam/v2/auth/verify-email?")
    followed = shop.get(url)
    # The callback is a page of the application around it.
    assert (followed.status_code, followed.headers["location"]) == (302, "http://shop.example/welcome")


def test_the_way_to_a_provider_and_back_stays_below_the_prefix(shop: TestClient) -> None:
    asked = {"provider": "google", "callbackURL": "/signed-in"}
    sent = shop.post("/mock/iam/v2/auth/sign-in/social", json=asked, headers=VISITOR)
    url = sent.json()["url"]
    assert urlsplit(url).path.startswith("/mock/_mock/projects/")
    assert "; Path=/mock; " in sent.headers["set-cookie"]
    state = httpx.URL(url).params["state"]
    back = shop.post(url, data={"state": state, "name": "Ada", "email": "ada.b@example.com"})
    assert back.headers["location"].startswith("/mock/iam/v2/auth/callback/google?")
    signed_in = shop.get(back.headers["location"])
    assert signed_in.headers["location"].startswith("http://shop.example/signed-in")


def test_cookies_belong_to_the_prefix(shop: TestClient) -> None:
    signed_up = shop.post("/mock/iam/v2/auth/sign-up/email", json=ADA, headers=VISITOR)
    assert "; Path=/mock; " in signed_up.headers["set-cookie"]
    session = shop.get("/mock/iam/v2/auth/get-session", headers=VISITOR)
    assert session.json()["user"]["email"] == ADA["email"]
    origin = {**VISITOR, "origin": "http://shop.example"}
    left = shop.post("/mock/iam/v2/auth/sign-out", headers=origin)
    assert left.status_code == 200
    assert all("; Path=/mock; " in cookie for cookie in left.headers.get_list("set-cookie"))
    assert not shop.cookies


def test_the_openapi_document_says_where_the_server_is(shop: TestClient, mock: StarletteApp) -> None:
    assert shop.get("/mock/_mock/openapi.json").json()["servers"][0]["url"] == "/mock"
    assert TestClient(mock).get("/_mock/openapi.json").json()["servers"][0]["url"] == "/"


@cases("signed", "/mock/v2/accounts/backend", "/v2/accounts/backend")
def test_a_secret_signs_with_or_without_prefix(shop: TestClient, mock: StarletteApp, signed: str) -> None:
    project = world_of(mock).key("sk_test_default").project
    auth = WalletAuth(lambda: default_secret(project), lambda: project.clock.now_s)
    request = httpx.Request("POST", f"http://shop.example{signed}", json={"chainType": "EVM"})
    (request,) = auth.auth_flow(request)
    headers = {name: request.headers[name] for name in ("x-wallet-auth", "content-type")}
    response = shop.post("/mock/v2/accounts/backend", content=request.content, headers={**KEY, **headers})
    assert response.status_code == 200


def test_the_journal_has_paths_as_the_api_has_them(shop: TestClient) -> None:
    shop.get("/mock/v1/contracts/con_none", headers=KEY)
    found = shop.get("/mock/_mock/projects/-/journal", params={"status": "404"}, headers=KEY)
    assert [entry["path"] for entry in found.json()["data"]] == ["/v1/contracts/con_none"]


@cases("path", "/mock/v1/contracts", "/v1/contracts")
@cases("root_path", "/mock", "/mock/")
def test_a_root_path_is_known_repeated_or_not(root_path: str, path: str) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": root_path,
        "query_string": b"",
        "headers": [(b"authorization", b"Bearer sk_test_default")],
    }
    asyncio.run(create_app()(scope, receive, send))
    assert json.loads(sent[1]["body"])["total"] == 1


# --- of a live server -----------------------------------------------------------------------------------


def test_a_tests_lifespan_does_not_end_a_live_servers_waits() -> None:
    with LiveServer() as server:
        with TestClient(server.asgi) as client:
            assert client.get("/_mock/ready").status_code == 200
        project = server.control.create_project(clock={"mode": "ticking"})
        began_ms = timestamps.parse_iso(project.clock.now)
        project.call("GET", "/outbox", params={"to": "x@example.com", "wait": 0.02})
        assert timestamps.parse_iso(project.clock.now) >= began_ms + 20
