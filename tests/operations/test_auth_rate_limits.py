"""How often a client may sign in, where a project limits that."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from httpx import Client

from mockserver.domain.time.rate_limits import count_call
from mockserver.state.project import Project
from tests.operations.auth import AUTH, later
from tests.tables import cases

HERE = {"x-forwarded-for": "203.0.113.7"}


@pytest.fixture
def limited(project: Project) -> Project:
    project.settings = replace(project.settings, rate_limits=True)
    return project


def statuses(client: Client, path: str, times: int, method: str = "POST", **headers: str) -> list[int]:
    return [
        client.request(method, f"{AUTH}/{path}", headers=HERE | headers, json={}).status_code
        for _ in range(times)
    ]


@cases(
    "path, allowed, window_s",
    ("sign-in/email", 3, 10),
    ("sign-in/anonymous", 3, 10),
    ("sign-up/email", 3, 10),
    ("sign-in/email-otp", 3, 60),
    ("email-otp/send-verification-otp", 3, 60),
    ("email-otp/check-verification-otp", 3, 60),
    ("email-otp/verify-email", 3, 60),
    ("phone-number/verify", 10, 60),
    ("siwe/nonce", 100, 10),
)
def test_one_call_more_than_allowed_is_refused(
    visitor: Client, limited: Project, path: str, allowed: int, window_s: int
) -> None:
    found = statuses(visitor, path, allowed + 1)
    assert 429 not in found[:-1]
    assert found[-1] == 429
    later(limited, window_s * 1000 - 1)
    assert statuses(visitor, path, 1) == [429]
    later(limited, 1)
    assert statuses(visitor, path, 1) != [429]


def test_the_refusal_says_how_long_to_wait(visitor: Client, limited: Project) -> None:
    statuses(visitor, "sign-in/email", 3)
    later(limited, 2_500)
    refused = visitor.post(f"{AUTH}/sign-in/email", json={}, headers=HERE)
    assert refused.status_code == 429
    assert refused.json()["message"] == "Too many requests. Please try again later."
    assert refused.headers["x-retry-after"] == "8"
    assert refused.headers["x-mockserver-rule"] == "rate_limits: 3 in 10 s"


def test_the_window_counts_from_the_last_call_that_was_allowed(visitor: Client, limited: Project) -> None:
    statuses(visitor, "sign-in/email", 2)
    later(limited, 9_000)
    assert statuses(visitor, "sign-in/email", 2)[1] == 429
    later(limited, 9_000)
    assert statuses(visitor, "sign-in/email", 1) == [429]
    later(limited, 1_000)
    assert 429 not in statuses(visitor, "sign-in/email", 3)


def test_clients_and_paths_are_counted_apart(visitor: Client, limited: Project) -> None:
    assert statuses(visitor, "sign-in/email", 4)[-1] == 429
    other = {"x-forwarded-for": "unknown, 203.0.113.8, 203.0.113.7"}
    assert statuses(visitor, "sign-in/email", 1, **other) != [429]
    assert statuses(visitor, "sign-up/email", 1) != [429]
    assert statuses(visitor, "sign-in/email/", 1) == [429], "a slash at the end makes no other path"


def test_without_a_forwarded_address_the_connection_counts(visitor: Client, limited: Project) -> None:
    found = [visitor.post(f"{AUTH}/sign-in/anonymous").status_code for _ in range(4)]
    assert found == [200, 200, 200, 429]


def test_the_limit_comes_after_access_and_before_the_shape(visitor: Client, limited: Project) -> None:
    # What has no session does not count, and is told about its body first.
    assert statuses(visitor, "change-password", 5) == [400] * 5
    assert statuses(visitor, "sign-in/email", 4) == [400, 400, 400, 429]


def test_other_paths_have_no_limit(api: Client, limited: Project) -> None:
    assert {api.get("/v2/users").status_code for _ in range(120)} == {200}


def test_a_project_has_no_limits_unless_it_wants_some(visitor: Client, project: Project) -> None:
    assert statuses(visitor, "sign-in/email", 20) == [400] * 20
    assert len(project.requests.rate_windows) == 0


def test_windows_go_back_with_a_snapshot(
    visitor: Client, limited: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    before = limited.snapshot()
    assert statuses(visitor, "sign-in/email", 4)[-1] == 429
    limited.restore(before)
    assert statuses(visitor, "sign-in/email", 4) == [400, 400, 400, 429]


def test_a_client_without_an_address_is_not_limited(limited: Project) -> None:
    for _ in range(20):
        count_call(limited, f"{AUTH}/sign-in/email", {"x-forwarded-for": "unknown, _hidden"}, "")
    assert len(limited.requests.rate_windows) == 0
