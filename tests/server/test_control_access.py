"""Who may use the control API: by token, by host, by origin."""

import asyncio
from collections.abc import Callable
from functools import partial

from httpx import ASGITransport, AsyncClient, Client, Response

from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.control_token import draw_control_token
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.tables import cases

TOKEN = "a-token-of-the-operator"
LOOPBACK = "127.0.0.1"
Ask = Callable[..., Response]


def ask_of(access: ControlAccess, *, server: str = LOOPBACK) -> Ask:
    """A client of a server whose socket has an address."""
    app = assemble(World(), control=access)

    async def by_socket(scope, receive, send):  # type: ignore[no-untyped-def]
        await app({**scope, "server": (server, 4242)}, receive, send)

    def ask(
        path: str = "/_mock/projects", method: str = "GET", json: object = None, **headers: str
    ) -> Response:
        async def send() -> Response:
            transport = ASGITransport(by_socket)
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            async with AsyncClient(transport=transport, base_url="http://localhost:4242") as client:
                return await client.request(method, path, json=json, headers=named)

        return asyncio.run(send())

    return ask


def problem(response: Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"].removeprefix("urn:mockserver:")


# --- the token ------------------------------------------------------------------------------------------


@cases("server", LOOPBACK, "10.0.0.7", "2001:db8::7")
def test_a_server_with_a_token_answers_those_who_send_it(server: str) -> None:
    ask = ask_of(ControlAccess(token=TOKEN), server=server)
    assert problem(ask()) == (401, "control-token-missing")
    assert "X-Mockserver-Token" in ask().json()["detail"]
    for wrong in ("", "a-token", f"{TOKEN}x", TOKEN.upper()):
        assert problem(ask(x_mockserver_token=wrong)) == (401, "control-token-invalid")
    assert ask(x_mockserver_token=TOKEN).status_code == 200


def test_who_has_the_token_may_come_from_anywhere() -> None:
    ask = ask_of(ControlAccess(token=TOKEN), server="10.0.0.7")
    headers = {"host": "mockserver:4242", "origin": "https://ci.example", "sec_fetch_site": "cross-site"}
    assert ask(**headers, x_mockserver_token=TOKEN).status_code == 200


@cases("server", "10.0.0.7", "2001:db8::7", "::ffff:10.0.0.7")
def test_beyond_loopback_a_tokenless_server_is_uncontrolled(server: str) -> None:
    ask = ask_of(ControlAccess(), server=server)
    assert problem(ask()) == (403, "control-token-not-set")
    assert "MOCKSERVER_CONTROL_TOKEN" in ask().json()["detail"]
    assert ask("/v1/contracts", authorization="Bearer sk_test_a").status_code == 200


@cases("server", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "mock", "/run/mock.sock")
def test_on_loopback_and_in_process_no_token_is_needed(server: str) -> None:
    ask = ask_of(ControlAccess(), server=server)
    assert ask().status_code == 200
    # A client may always send the one of its environment.
    assert ask(x_mockserver_token=TOKEN).status_code == 200


@cases("path", "/_mock/health", "/_mock/ready")
def test_health_checks_need_neither_token_nor_name(path: str) -> None:
    ask = ask_of(ControlAccess(token=TOKEN), server="10.0.0.7")
    assert ask(path, host="pod.cluster.example").status_code == 200
    assert ask_of(ControlAccess())(path, host="pod.cluster.example").status_code == 200


def test_a_loaded_scenarios_steps_need_no_token() -> None:
    ask = ask_of(ControlAccess(token=TOKEN), server="10.0.0.7")
    scenario = {"name": "later", "given": [{"call": "AdvanceClock", "body": {"seconds": 7}}]}
    load = partial(ask, "/_mock/projects/-/scenarios", "POST", scenario, authorization="Bearer sk_test_shop")
    assert problem(load()) == (401, "control-token-missing")
    assert load(x_mockserver_token=TOKEN).status_code == 201


def test_a_path_that_does_not_exist_says_so_without_a_token() -> None:
    assert problem(ask_of(ControlAccess(token=TOKEN))("/_mock/porjects")) == (404, "unknown-path")


def test_a_token_sent_along_is_masked_in_the_journal(api: Client) -> None:
    api.get("/v1/contracts", headers={"x-mockserver-token": TOKEN})
    assert TOKEN not in api.get("/_mock/projects/-/journal").text


def test_no_two_tokens_that_are_drawn_are_alike() -> None:
    drawn = {draw_control_token() for _ in range(20)}
    assert len(drawn) == 20
    assert min(map(len, drawn)) >= 43


# --- hosts and origins ----------------------------------------------------------------------------------


def test_an_operator_may_allow_hosts() -> None:
    ask = ask_of(ControlAccess(allowed_hosts=frozenset({"mock.example"})))
    assert ask(host="Mock.Example:8080").status_code == 200
    refused = ask(host="evil.mock.example")
    assert problem(refused) == (403, "host-refused")
    assert "--allowed-host evil.mock.example" in refused.json()["detail"]


def test_a_request_that_came_by_no_socket_may_name_any_host() -> None:
    assert ask_of(ControlAccess(), server="shop")(host="shop.example").status_code == 200


def test_pages_of_the_server_itself_are_no_foreign_pages() -> None:
    ask = ask_of(ControlAccess(allowed_hosts=frozenset({"mock.example"})))
    created = ask("/_mock/projects", "POST", host="mock.example:80", origin="http://mock.example:80")
    assert created.status_code == 201
    other_port = ask("/_mock/projects", "POST", host="mock.example:80", origin="http://mock.example:81")
    assert problem(other_port) == (403, "origin-refused")


def test_an_operator_may_allow_origins_which_then_have_cors() -> None:
    ask = ask_of(ControlAccess(allowed_origins=frozenset({"https://tests.example"})))
    answered = ask(origin="https://tests.example", sec_fetch_site="cross-site")
    assert answered.status_code == 200
    assert answered.headers["access-control-allow-origin"] == "https://tests.example"
    assert "access-control-allow-credentials" not in answered.headers
    preflight = {"access_control_request_method": "PUT", "access_control_request_headers": "content-type"}
    assert ask(method="OPTIONS", origin="https://tests.example", **preflight).status_code == 200
    for other in ("https://evil.example", "http://tests.example", "https://tests.example.evil.example"):
        refused = ask(origin=other)
        assert problem(refused) == (403, "origin-refused")
        assert f"--allowed-origin {other}" in refused.json()["detail"]
        assert "access-control-allow-origin" not in refused.headers
        assert ask(method="OPTIONS", origin=other, **preflight).status_code == 400


def test_an_allowed_origin_still_needs_the_token() -> None:
    ask = ask_of(ControlAccess(token=TOKEN, allowed_origins=frozenset({"https://tests.example"})))
    assert problem(ask(origin="https://tests.example")) == (401, "control-token-missing")
    assert ask(origin="https://tests.example", x_mockserver_token=TOKEN).status_code == 200
