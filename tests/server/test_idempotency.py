"""The same request with the same X-Idempotency-Key gets its first answer again."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS
from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Group, Routes
from mockserver.api.waiting import Until, later
from mockserver.errors import ApiError
from mockserver.server.answering import idempotency
from mockserver.server.answering.pipeline import Pipeline, WaitingCall
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases
from tests.transport import InProcessTransport

DAY_MS = 24 * 3600 * 1000


def restore_a_snapshot(project: Project, real_ms: Callable[[], int]) -> None:
    """Restore what the project is now."""
    project.restore(project.snapshot(), real_ms)


def contract(number: int = 1) -> dict[str, object]:
    """A contract to register."""
    return {"name": "C", "chainId": 80002, "address": f"0x{number:040x}"}


def create(api: httpx.Client, key: str, number: int = 1, **more: Any) -> httpx.Response:
    """Register a contract with a key."""
    return api.post("/v1/contracts", json=contract(number), headers={"x-idempotency-key": key}, **more)


def test_the_same_request_gets_the_first_answer_again(api: httpx.Client, project: Project) -> None:
    first, again = create(api, "k"), create(api, "k")
    assert first.status_code == 200
    assert (again.status_code, again.content) == (200, first.content)
    assert len(project.onchain.contracts) == 1


def test_members_in_another_order_are_the_same_body(api: httpx.Client) -> None:
    first = create(api, "k")
    headers = {"x-idempotency-key": "k"}
    again = api.post("/v1/contracts", json=dict(reversed(contract().items())), headers=headers)
    assert (again.status_code, again.content) == (200, first.content)


def test_another_body_or_query_is_a_conflict(api: httpx.Client) -> None:
    create(api, "k")
    for refused in (create(api, "k", 2), create(api, "k", params={"a": "b"})):
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency_key_reused")


def test_a_key_is_forgotten_when_its_time_on_the_clock_is_over(api: httpx.Client, project: Project) -> None:
    create(api, "k")
    project.clock.move_to(project.clock.now_ms + DAY_MS - 1)
    assert create(api, "k", 2).status_code == 409
    project.clock.move_to(project.clock.now_ms + 1)
    assert create(api, "k", 2).status_code == 200
    assert create(api, "k", 2).status_code == 200
    assert len(project.onchain.contracts) == 2


def test_a_refused_request_is_not_remembered(api: httpx.Client) -> None:
    create(api, "first")
    assert create(api, "k").status_code == 409
    assert create(api, "k", 2).status_code == 200


def test_a_refused_request_forgets_no_expired_key(api: httpx.Client, project: Project) -> None:
    create(api, "k")
    project.clock.move_to(project.clock.now_ms + DAY_MS)
    kept = list(project.requests.first_answers)
    assert create(api, "k").status_code == 409
    assert list(project.requests.first_answers) == kept


def test_other_operations_and_projects_keys_do_not_collide(api: httpx.Client, app: App) -> None:
    create(api, "k")
    other = {"scope": "project", "rules": []}
    assert api.post("/v2/policies", json=other, headers={"x-idempotency-key": "k"}).status_code != 409
    headers = {"authorization": "Bearer sk_test_other"}
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        assert create(client, "k", 2).status_code == 200


def test_reading_needs_no_key(api: httpx.Client) -> None:
    headers = {"x-idempotency-key": "k"}
    assert api.get("/v1/contracts", headers=headers).json()["total"] == 0
    create(api, "other")
    assert api.get("/v1/contracts", headers=headers).json()["total"] == 1


@cases("key", "", "x" * 256, "a\tb", "a\x7fb")
def test_a_key_that_is_none_is_refused(api: httpx.Client, key: str) -> None:
    refused = create(api, key)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "idempotency_key_invalid")
    assert create(api, "x" * 255).status_code == 200


def test_a_repeated_request_needs_its_credentials_all_the_same(api: httpx.Client) -> None:
    create(api, "k")
    refused = api.post(
        "/v1/contracts",
        json=contract(),
        headers={"x-idempotency-key": "k", "authorization": "Bearer pk_test_tests"},
    )
    assert refused.status_code == 401


def test_what_a_repeated_request_changed_stays_changed(api: httpx.Client, project: Project) -> None:
    signed_up = {"name": "A", "email": "a@example.com", "password": "long enough"}
    token = api.post("/iam/v2/auth/sign-up/email", json=signed_up).json()["token"]
    headers = {"authorization": f"Bearer {token}", "x-project-key": "pk_test_tests", "x-idempotency-key": "k"}
    project.settings = project.settings.__class__(idempotency_lifetime_ms=10 * DAY_MS)
    assert api.post("/iam/v2/auth/revoke-other-sessions", json={}, headers=headers).status_code == 200
    project.clock.move_to(project.clock.now_ms + 2 * DAY_MS)
    assert api.post("/iam/v2/auth/revoke-other-sessions", json={}, headers=headers).status_code == 200
    renewed = list(project.identity.sessions)
    assert renewed[0].updated_ms == project.clock.now_ms
    assert api.get("/v2/accounts/nothing").status_code == 404
    assert list(project.identity.sessions) == renewed


def test_a_key_is_held_while_its_answer_is_waited_for(project: Project, world: World) -> None:
    arrived: list[str] = []
    asked: list[str] = []
    group = Group("Tests")

    @group.endpoint("POST /v2/waits", "WaitForIt", NO_CREDENTIALS, project_of=lambda *_: project)
    def wait_for_it(call: Call) -> dict[str, str]:
        """Wait."""
        asked.append("once")
        return later(Until(lambda: bool(arrived), real_ms=10), lambda: {"came": arrived[0]})

    project.clock.tick(world.real_ms)
    pipeline = Pipeline(world, Routes(list(group)), lambda trace: pytest.fail(trace))
    request = Request("POST", "/v2/waits", "", {"x-idempotency-key": "k"}, b"{}")
    pending = pipeline.answer(request)
    assert isinstance(pending, WaitingCall)

    busy = pipeline.answer(request)
    assert isinstance(busy, Response)
    assert (busy.status, b"idempotency_key_in_use" in busy.body) == (409, True)
    other = pipeline.answer(Request("POST", "/v2/waits", "", {"x-idempotency-key": "k"}, b'{"a":1}'))
    assert isinstance(other, Response)
    assert (other.status, b"idempotency_key_reused" in other.body) == (409, True)

    arrived.append("it")
    response = pipeline.finish(pending)
    again = pipeline.answer(request)
    assert isinstance(again, Response)
    assert (again.status, again.body) == (response.status, response.body) == (200, b'{"came":"it"}')
    assert asked == ["once"]


@cases("replace", Project.reset, restore_a_snapshot)
def test_a_key_is_free_after_a_reset_or_restore_in_the_wait(
    project: Project, world: World, replace: Callable[[Project, Callable[[], int]], None]
) -> None:
    group = Group("Tests")

    @group.endpoint("POST /v2/waits", "WaitForIt", NO_CREDENTIALS, project_of=lambda *_: project)
    def wait_for_it(call: Call) -> dict[str, str]:
        """Wait."""
        return later(Until(lambda: False), dict)

    project.clock.tick(world.real_ms)
    pipeline = Pipeline(world, Routes(list(group)), lambda trace: pytest.fail(trace))
    request = Request("POST", "/v2/waits", "", {"x-idempotency-key": "k"}, b"{}")
    first = pipeline.answer(request)
    assert isinstance(first, WaitingCall)
    replace(project, world.real_ms)

    project.clock.tick(world.real_ms)
    second = pipeline.answer(request)
    assert isinstance(second, WaitingCall)
    interrupted = pipeline.finish(first)
    assert (interrupted.status, b'"interrupted"' in interrupted.body) == (409, True)
    third = pipeline.answer(request)
    assert isinstance(third, Response)
    assert b"idempotency_key_in_use" in third.body


@cases("refusal", errors.TRANSACTION_NOT_FOUND, errors.CHAIN_NOT_SWITCHABLE)
def test_a_refusal_that_was_waited_for_is_not_remembered(
    project: Project, world: World, refusal: errors.ErrorRow
) -> None:
    vanished = [True]
    group = Group("Tests")

    def answer() -> dict[str, str]:
        if vanished:
            raise ApiError(refusal, id="tin_1")
        return {"came": "it"}

    @group.endpoint(
        "POST /v2/waits", "WaitForIt", NO_CREDENTIALS, errors=(refusal,), project_of=lambda *_: project
    )
    def wait_for_it(call: Call) -> dict[str, str]:
        """Wait."""
        return later(Until(lambda: True), answer)

    pipeline = Pipeline(world, Routes(list(group)), lambda trace: pytest.fail(trace))
    request = Request("POST", "/v2/waits", "", {"x-idempotency-key": "k"}, b"{}")
    refused = pipeline.answer(request)
    assert isinstance(refused, Response)
    assert refused.status == refusal.status
    vanished.clear()
    again = pipeline.answer(request)
    assert isinstance(again, Response)
    assert (again.status, again.body) == (200, b'{"came":"it"}')


def test_an_id_names_operation_path_and_key() -> None:
    endpoint = next(iter(assemble(World()).pipeline.server.routes.by_operation.values()))
    request = Request("POST", "/x", "", {"x-idempotency-key": "k"})
    assert idempotency.row_id(endpoint, request) == f"{endpoint.operation} /x k"
    assert idempotency.row_id(endpoint, Request("GET", "/x", "", {"x-idempotency-key": "k"})) is None
    with pytest.raises(ApiError):
        idempotency.row_id(endpoint, Request("POST", "/x", "", {"x-idempotency-key": ""}))
