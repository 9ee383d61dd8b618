"""Keys of access tokens, and how they give way to others."""

from collections.abc import Callable

import jwt
import pytest
from httpx import Client

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.operations.auth import AUTH

DAY_MS = 24 * 3600 * 1000
SignedIn = Callable[[str], dict[str, str]]


@pytest.fixture
def issue(visitor: Client, signed_in: SignedIn) -> Callable[[], str]:
    """Issues the access token of a new session."""

    def issue() -> str:
        response = visitor.get(f"{AUTH}/get-session", headers=signed_in("ada@example.com"))
        return response.headers["set-auth-jwt"]

    return issue


def rotate(api: Client) -> dict[str, object]:
    response = api.post("/_mock/projects/-/keys/rotate")
    assert response.status_code == 200
    key: dict[str, object] = response.json()
    return key


def key_set(browser: Client, project: Project) -> dict[str, jwt.PyJWK]:
    found = browser.get(f"/iam/v1/{project.publishable_key}/jwks.json").json()
    return {str(key.key_id): key for key in jwt.PyJWKSet.from_dict(found).keys}


def verifies(token: str, keys: dict[str, jwt.PyJWK], project: Project) -> bool:
    kid = jwt.get_unverified_header(token)["kid"]
    if kid not in keys:
        return False
    jwt.decode(token, keys[kid], algorithms=["ES256"], audience=project.id, options={"verify_exp": False})
    return True


def test_an_old_key_verifies_until_its_last_token_has_expired(
    api: Client, browser: Client, project: Project, issue: Callable[[], str]
) -> None:
    first = issue()
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_MS)
    second = issue()
    rotate(api)
    rotate(api)
    old, new = api.get("/_mock/projects/-/keys").json()["data"]
    third = issue()
    assert old["shown_until"] == "2026-01-09T00:00:00.000Z"
    keys = key_set(browser, project)
    assert all(verifies(token, keys, project) for token in (first, second, third))
    assert jwt.get_unverified_header(third)["kid"] == new["kid"] != old["kid"]
    for token in (first, second, third):
        assert api.get("/iam/v1/verify", params={"token": token}).status_code == 200
    TIMER_LOOP.advance(project, project.clock.now_ms + 7 * DAY_MS - 1)
    assert verifies(second, key_set(browser, project), project)
    TIMER_LOOP.advance(project, project.clock.now_ms + 1)
    keys = key_set(browser, project)
    assert not verifies(second, keys, project)
    assert verifies(third, keys, project)


def test_a_key_that_signed_nothing_is_gone_at_once(api: Client, browser: Client, project: Project) -> None:
    (before,) = key_set(browser, project)
    rotated = rotate(api)
    (after,) = key_set(browser, project)
    assert rotated["kid"] == after != before
    assert api.get("/_mock/projects/-/keys").json()["data"] == [rotated]


def test_keys_go_back_with_a_snapshot(
    api: Client, browser: Client, project: Project, issue: Callable[[], str]
) -> None:
    issue()
    rotate(api)
    taken, expected = project.snapshot(), list(key_set(browser, project))
    rotated = rotate(api)
    project.restore(taken)
    assert list(key_set(browser, project)) == expected
    assert rotate(api) == rotated


def test_a_token_of_no_key_is_refused(api: Client, visitor: Client, issue: Callable[[], str]) -> None:
    head, claims, signature = issue().split(".")
    other = jwt.encode({}, "k" * 32, headers={"kid": "other"}).split(".")[0]
    for token in (f"{other}.{claims}.{signature}", f"{head}.{claims}.{signature[:-4]}AAAA"):
        assert api.get("/iam/v1/verify", params={"token": token}).status_code == 401
