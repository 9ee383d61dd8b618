"""Rate limits of rules: what they count by, what they tell, and what is kept of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from httpx import Client
from pydantic import TypeAdapter

from mockserver.domain.time.rate_limits import PREFIX, limit_of
from mockserver.domain.time.rate_windows import Limit
from mockserver.scenario.grammar.limits import PRESETS, LimitSpec
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import unload
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.scenario.conftest import Load
from tests.tables import cases
from tests.transport import InProcessTransport

SIGN_UP = {"name": "Ada", "password": "correct horse"}


@contextmanager
def client(app: App, **headers: str) -> Iterator[Client]:
    """A client with headers of its own."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=named) as found:
        yield found


def statuses(api: Client, *paths: str, **headers: str) -> list[int]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return [api.get(path, headers=named).status_code for path in paths]


LIST, OTHER = "/v1/contracts", "/v2/policies"


def test_all_calls_count_together_unless_said_otherwise(load: Load, api: Client) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s}}}]")
    assert statuses(api, LIST, OTHER, LIST) == [200, 429, 429]


def test_a_limit_by_operation_counts_each_for_itself(load: Load, api: Client) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: operation}}}]")
    assert statuses(api, LIST, OTHER, LIST, OTHER) == [200, 200, 429, 429]


def test_a_limit_by_address_counts_the_first_hop(load: Load, api: Client) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: address}}}]")
    assert statuses(api, LIST, LIST, x_forwarded_for="10.0.0.1, 10.0.0.9") == [200, 429]
    assert statuses(api, LIST, LIST, x_forwarded_for="10.0.0.2, 10.0.0.9") == [200, 429]


def test_a_limit_by_several_counts_each_combination(load: Load, api: Client) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: [address, operation]}}}]")
    assert statuses(api, LIST, OTHER, LIST, x_forwarded_for="10.0.0.1") == [200, 200, 429]
    assert statuses(api, LIST, x_forwarded_for="10.0.0.2") == [200]


def test_a_limit_by_key_counts_each_key_of_the_project(load: Load, api: Client, app: App) -> None:
    load("""
        keys: [sk_test_another]
        rules: [{then: {limit: {count: 1, per: 10s, by: key}}}]
    """)
    with client(app, authorization="Bearer sk_test_another") as another:
        assert statuses(api, LIST, LIST) == [200, 429]
        assert statuses(another, LIST, LIST) == [200, 429]


def test_keys_are_not_kept_in_the_rows(load: Load, api: Client, project: Project) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: key}}}]")
    api.get(LIST)
    (row,) = project.requests.rate_windows
    assert project.secret_key not in str(row)


def test_a_user_limit_needs_a_user(load: Load, api: Client, app: App, project: Project) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: user}}}]")
    for name in ("ada", "bob"):
        with client(app, x_project_key=project.publishable_key) as user:
            body = {**SIGN_UP, "email": f"{name}@example.com"}
            token = user.post(f"{PREFIX}/sign-up/email", json=body).json()["token"]
            session = f"{PREFIX}/get-session"
            assert statuses(user, session, session, authorization=f"Bearer {token}") == [200, 429]
    assert statuses(api, LIST, LIST) == [200, 200]


def test_a_user_limit_knows_other_providers(load: Load, api: Client, app: App, project: Project) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s, by: user}}}]")
    with client(
        app, authorization=f"Bearer {project.publishable_key}", x_auth_provider="custom", x_player_token="ada"
    ) as ada:
        # The first call makes the user; before it there is no user to count.
        assert statuses(ada, "/v2/accounts", "/v2/accounts", "/v2/accounts") == [200, 200, 429]


# --- what clients are told ------------------------------------------------------------------------------


def told(api: Client) -> dict[str, str]:
    """The headers about limits of a list of contracts."""
    headers = api.get(LIST).headers
    return {name: headers[name] for name in headers if "ratelimit" in name or "retry" in name}


def limit(style: str) -> str:
    return f"""
        rules: [{{name: two, when: GetContracts, then: {{limit: {{count: 2, per: 10s, headers: {style}}}}}}}]
    """


def test_without_headers_only_a_refusal_says_how_long_to_wait(load: Load, api: Client) -> None:
    load(limit("none"))
    assert [told(api) for _ in range(3)] == [{}, {}, {"retry-after": "10", "x-retry-after": "10"}]


def test_the_draft_names_the_policy_and_what_is_left(load: Load, api: Client, project: Project) -> None:
    load(limit("draft"))
    policy = {"ratelimit-policy": '"two";q=2;w=10'}
    assert told(api) == {**policy, "ratelimit": '"two";r=1;t=10'}
    project.clock.move_to(project.clock.now_ms + 2_500)
    assert told(api) == {**policy, "ratelimit": '"two";r=0;t=8'}
    retry = {"retry-after": "8", "x-retry-after": "8"}
    assert told(api) == {**policy, "ratelimit": '"two";r=0;t=8', **retry}


def test_the_sixth_draft_has_three_numbers(load: Load, api: Client) -> None:
    load(limit("draft-06"))
    assert told(api) == {"ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "10"}


def test_x_ratelimit_says_at_what_time_it_counts_anew(load: Load, api: Client, project: Project) -> None:
    load(limit("x-ratelimit"))
    reset = str(project.clock.now_s + 10)
    assert told(api) == {"x-ratelimit-limit": "2", "x-ratelimit-remaining": "1", "x-ratelimit-reset": reset}


def test_several_limits_are_told_together(load: Load, api: Client) -> None:
    load("""
        rules:
          - {name: 'a "b"', then: {limit: {count: 9, per: 1m, headers: draft}}}
          - {name: é, then: {limit: {count: 2, per: 1s, headers: draft}}}
          - {then: {limit: {count: 5, per: 1s, headers: x-ratelimit}}}
          - {then: {limit: {count: 4, per: 1s, headers: x-ratelimit}}}
          - {then: {answer: 503}}
    """)
    headers = told(api)
    assert headers["ratelimit-policy"] == '"a \\"b\\"";q=9;w=60, "?";q=2;w=1'
    assert headers["ratelimit"] == '"a \\"b\\"";r=8;t=60, "?";r=1;t=1'
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("4", "3")


# --- limits with a name ---------------------------------------------------------------------------------


@cases(
    "preset, path",
    ("sign_in", "/sign-in/email"),
    ("sign_in_codes", "/email-otp/send-verification-otp"),
    ("sign_in_phone", "/phone-number/send-otp"),
    ("sign_in_others", "/get-session"),
)
def test_the_limits_of_sign_in_are_those_of_the_setting(preset: str, path: str) -> None:
    assert PRESETS[preset].limit == limit_of(path)
    assert PRESETS[preset].by == ("address", "operation")


def test_a_limit_by_its_name_may_be_changed(load: Load, api: Client) -> None:
    load("rules: [{name: x, when: GetContracts, then: {limit: {preset: sign_in, by: key, headers: draft}}}]")
    assert told(api) == {"ratelimit-policy": '"x";q=3;w=10', "ratelimit": '"x";r=2;t=10'}


@cases(
    "changed, limit",
    ({}, Limit(10_000, 20, "token_bucket")),
    ({"per": "5s"}, Limit(5_000, 20, "token_bucket")),
    ({"count": 0}, Limit(10_000, 0, "token_bucket")),
    ({"kind": "fixed_window"}, Limit(10_000, 20, "fixed_window")),
)
def test_what_a_rule_says_goes_before_its_named_limit(changed: dict[str, Any], limit: Limit) -> None:
    assert TypeAdapter(LimitSpec).validate_python({"preset": "invented_bursts", **changed}).limit == limit


@cases(
    "preset, by, policy, kind",
    ("invented_per_key", "key", "q=600;w=60", "fixed_window"),
    ("invented_per_user", "user", "q=60;w=60", "sliding_window"),
    ("invented_bursts", "key", "q=20;w=10", "token_bucket"),
)
def test_invented_limits_are_as_the_guide_has_them(
    load: Load, api: Client, preset: str, by: str, policy: str, kind: str
) -> None:
    assert (PRESETS[preset].by, PRESETS[preset].limit.kind) == ((by,), kind)
    then = f"{{limit: {{preset: {preset}, by: project, headers: draft}}}}"
    load(f"rules: [{{name: x, when: GetContracts, then: {then}}}]")
    assert told(api)["ratelimit-policy"] == f'"x";{policy}'


@cases("preset", *PRESETS)
def test_a_limit_by_its_name_is_one_word(load: Load, api: Client, preset: str) -> None:
    load(f"rules: [{{when: GetContracts, then: {{limit: {preset}}}}}]")
    assert api.get(LIST).status_code == 200


# --- what is kept ---------------------------------------------------------------------------------------


def test_what_is_counted_is_bounded(load: Load, api: Client, project: Project) -> None:
    project.settings = replace(project.settings, pending_kept=3)
    load("rules: [{then: {limit: {count: 1, per: 10s, by: address}}}]")
    for number in range(9):
        assert statuses(api, LIST, x_forwarded_for=f"10.0.0.{number}") == [200]
    assert len(project.requests.rate_windows) == 3


def test_the_attempts_of_requests_are_bounded(load: Load, api: Client, project: Project) -> None:
    project.settings = replace(project.settings, pending_kept=3)
    load("rules: [{then: {fault: {server_error: {attempts: 1}}}}]")
    for number in range(9):
        assert statuses(api, LIST, x_request_id=f"request-{number}") == [503]
    assert len(project.requests.fault_attempts) == 3


def test_a_refused_call_stays_counted(load: Load, api: Client) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s}}}]")
    assert statuses(api, "/v1/contracts/con_none", LIST) == [404, 429]


def test_a_snapshot_restores_what_counted(load: Load, api: Client, project: Project, world: World) -> None:
    load("rules: [{then: {limit: {count: 1, per: 10s}}}]")
    state = project.snapshot()
    assert statuses(api, LIST, LIST) == [200, 429]
    project.restore(state, world.real_ms)
    assert statuses(api, LIST, LIST) == [200, 429]


def test_unloading_forgets_what_was_counted(load: Load, api: Client, project: Project) -> None:
    loaded = load("rules: [{then: {limit: {count: 1, per: 10s}}}]")
    assert statuses(api, LIST, LIST) == [200, 429]
    unload(project, loaded.id)
    assert len(project.requests.rate_windows) == 0
    assert statuses(api, LIST) == [200]


@cases("count", "true", "'5'", "5.0", "-1", "1.5")
def test_a_limit_counts_in_whole_numbers(load: Load, count: str) -> None:
    with pytest.raises(ScenarioError, match="count is a whole number from 0 to"):
        load(f"rules: [{{when: GetContracts, then: {{limit: {{count: {count}, per: 1s}}}}}}]")


def test_a_limit_may_allow_no_call_at_all(load: Load, api: Client) -> None:
    load("rules: [{when: GetContracts, then: {limit: {count: 0, per: 1s}}}]")
    assert api.get("/v1/contracts").status_code == 429
