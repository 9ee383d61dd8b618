"""The edges of answering: what leads nowhere, what is echoed, what is taken back."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, secret_key
from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Group, Routes
from mockserver.api.waiting import Until, later
from mockserver.errors import ApiError
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import ProjectDefaults, World
from tests.tables import cases
from tests.transport import InProcessTransport


@cases(
    "path, code",
    ("/v1/nowhere", "unknown_path"),
    ("/", "unknown_path"),
    ("/v1/contracts/a/b/c", "unknown_path"),
)
def test_a_path_that_leads_nowhere_is_not_found(api: httpx.Client, path: str, code: str) -> None:
    response = api.get(path)
    assert (response.status_code, response.json()["error"]["code"]) == (404, code)
    assert path in response.json()["error"]["message"]


@cases(
    "path, meant",
    ("/v2/transaction", "/v2/transactions"),
    ("/v1/fee-sponsorship", "/v2/fee-sponsorship"),
    ("/v1/contracts/con_{x}/raed", "/v1/contracts/con_{x}/read"),
    ("/iam/v2/auth/signup/email", "/iam/v2/auth/sign-up/email"),
    ("/_mock/projects/-/clok/advance", "/_mock/projects/-/clock/advance"),
    ("/v1/contracts/", "/v1/contracts"),
    ("/contracts", "/v1/contracts"),
    ("/accounts", "/v2/accounts"),
    ("/auth/get-session", "/iam/v2/auth/get-session"),
    ("/v2/iam/v2/me", "/iam/v2/me"),
    ("/v1/v1/contracts", "/v1/contracts"),
    ("/openapi.json", "/_mock/openapi.json"),
    ("/health", "/_mock/health"),
    ("/v1/nowhere", None),
    ("/v2/transactions/tin_1/signatures/1", None),
)
def test_a_slip_in_a_path_is_answered_with_a_better(api: httpx.Client, path: str, meant: str | None) -> None:
    answer = api.get(path.replace("{", "%7B").replace("}", "%7D"))
    assert answer.status_code == 404
    if meant is None:
        assert "Did you mean" not in answer.text
    else:
        assert f"Did you mean {meant}?" in answer.text


def test_each_family_has_its_own_envelope(api: httpx.Client) -> None:
    public, iam, control = (
        api.get(path) for path in ("/v1/nowhere", "/iam/v2/auth/nowhere", "/_mock/nowhere")
    )
    assert set(public.json()) == {"error"}
    assert set(iam.json()) == {"code", "message"}
    assert control.headers["content-type"] == "application/problem+json"
    assert control.json()["status"] == 404


def test_a_method_not_taken_is_refused_with_those_that_are(api: httpx.Client) -> None:
    response = api.put("/v1/contracts")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD, POST")
    assert response.json()["error"]["code"] == "method_not_allowed"
    control = api.patch("/_mock/projects/-/clock")
    assert (control.status_code, control.headers["allow"]) == (405, "GET, HEAD, PUT")
    write_only = api.get("/v2/policies/evaluate")
    assert (write_only.status_code, write_only.headers["allow"]) == (405, "POST")


@cases("path", "sign-up/email", "link-siwe/nonce")
def test_a_method_not_taken_at_sign_in_is_not_found(api: httpx.Client, path: str) -> None:
    response = api.get(f"/iam/v2/auth/{path}")
    assert (response.status_code, response.headers["allow"]) == (404, "POST")
    assert response.json()["code"] == "METHOD_NOT_ALLOWED"


@cases("path", "/v1/contracts", "/v1/contracts/con_none", "/iam/v2/auth/error?error=x", "/_mock/health")
def test_head_is_answered_as_get_is_without_the_body(api: httpx.Client, path: str) -> None:
    got, head = api.get(path), api.head(path)
    assert (head.status_code, head.headers, head.content) == (got.status_code, got.headers, b"")
    assert int(head.headers["content-length"]) == len(got.content) > 0


def test_head_is_the_get_operation_in_rules_and_journal(api: httpx.Client) -> None:
    rule = "rules:\n  - {when: {call: GET /v1/contracts}, then: {error: rate_limited}}"
    loaded = api.post("/_mock/projects/-/scenarios", content=rule, headers={"content-type": "text/yaml"})
    assert loaded.status_code == 201, loaded.text
    assert api.head("/v1/contracts").status_code == 429
    (entry,) = api.get("/_mock/projects/-/journal").json()["data"]
    assert (entry["method"], entry["operation"], entry["status"]) == ("HEAD", "GetContracts", 429)
    assert entry["response"]["body"] is None


@cases("request_id", "r-1", "a" * 128, "trace:7.x_y")
def test_a_request_id_is_echoed(api: httpx.Client, request_id: str) -> None:
    headers = {"x-request-id": request_id}
    found = [api.get(path, headers=headers) for path in ("/v1/contracts", "/v1/nowhere", "/_mock/health")]
    assert [response.headers["x-request-id"] for response in found] == [request_id] * 3


@cases("request_id", "a" * 129, "two words", "<script>")
def test_a_request_id_that_is_none_is_not_echoed(api: httpx.Client, request_id: str) -> None:
    assert "x-request-id" not in api.get("/v1/contracts", headers={"x-request-id": request_id}).headers


def test_a_call_that_waits_echoes_its_request_id_too(api: httpx.Client) -> None:
    response = api.get("/_mock/projects/-/outbox?wait=0.001", headers={"x-request-id": "waiting"})
    assert response.headers["x-request-id"] == "waiting"


# --- operations that fail -------------------------------------------------------------------------------

things = Group("Things")


@things.endpoint("POST /v1/broken", "Break", secret_key(None))
def break_down(call: Call) -> None:
    """Write, then fail."""
    call.project.timers.set(call.now_ms, "transaction", "tin_none", "confirm")
    raise RuntimeError("a secret of the inside")


@things.endpoint("POST /v1/gone", "Vanish", secret_key(None), errors=(errors.CONTRACT_NOT_FOUND,))
def vanish(call: Call) -> object:
    """Wait for something that is gone by then."""

    def answer() -> object:
        raise ApiError(errors.CONTRACT_NOT_FOUND, id="con_gone")

    return later(Until(lambda: True), answer)


@things.endpoint("POST /_mock/projects/{p}/half", "HalfDo", NO_CREDENTIALS)
def half_do(call: Call) -> None:
    """Write, then refuse."""
    call.project.timers.set(call.now_ms, "transaction", "tin_none", "confirm")
    raise ApiError(errors.CONTROL_INVALID, summary="Not like this.")


@pytest.fixture
def failures() -> list[str]:
    return []


@pytest.fixture
def fragile(world: World, project: Project, failures: list[str]) -> httpx.Client:
    """A client of operations that fail."""
    app = App(Pipeline(world, Routes(tuple(things)), failures.append))
    headers = {"authorization": f"Bearer {project.secret_key}"}
    return httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers)


def _code(response: httpx.Response) -> Any:
    return response.json()["error"]["code"]


def test_a_failure_of_our_own_is_reported_to_us_only(fragile: httpx.Client, failures: list[str]) -> None:
    response = fragile.post("/v1/broken")
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "a secret of the inside" in failures[0]


def test_what_a_failing_call_wrote_is_taken_back(fragile: httpx.Client, project: Project) -> None:
    fragile.post("/v1/broken")
    fragile.post("/_mock/projects/-/half")
    assert project.timers.pending() == ()


def test_a_refusal_after_a_wait_is_answered_like_any(fragile: httpx.Client, project: Project) -> None:
    response = fragile.post("/v1/gone", headers={"x-request-id": "late"})
    assert (response.status_code, _code(response)) == (404, "contract_not_found")
    assert response.headers["x-request-id"] == "late"
    assert [exchange.status for exchange in project.history.answered_since(0)] == [404]


def test_a_project_acted_for_has_caught_up_with_real_time() -> None:
    real_ms = 1_800_000_000_000
    world = World(real_ms=lambda: real_ms, defaults=ProjectDefaults(now_ms=None, mode="ticking"))
    game, ecosystem = world.create(name="game"), world.create(name="ecosystem")
    game.settings = replace(game.settings, ecosystems=(ecosystem.id,))
    group = Group("Moments")

    @group.endpoint("GET /v1/now", "Now", secret_key(None), on_behalf=True)
    def now(call: Call) -> dict[str, int]:
        return {"now_ms": call.now_ms}

    pipeline = Pipeline(world, Routes(list(group)), print)
    headers = {"authorization": f"Bearer {ecosystem.secret_key}", "x-behalf-of-project": game.id}
    real_ms += 100_000
    response = pipeline.answer(Request("GET", "/v1/now", "", headers))
    assert isinstance(response, Response)
    assert json.loads(response.body) == {"now_ms": real_ms}


def test_a_wait_that_fails_is_answered_in_the_envelope(world: World, project: Project) -> None:
    group = Group("Waits")

    def fail() -> bool:
        raise ApiError(errors.USER_NOT_FOUND, id="usr_gone")

    @group.endpoint("GET /v1/wait", "WaitForever", secret_key(None), errors=(errors.USER_NOT_FOUND,))
    def wait(call: Call) -> None:
        return later(Until(fail), lambda: None)

    pipeline = Pipeline(world, Routes(list(group)), print)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    response = pipeline.answer(Request("GET", "/v1/wait", "", headers))
    assert isinstance(response, Response)
    assert (response.status, json.loads(response.body)["error"]["code"]) == (404, "user_not_found")
