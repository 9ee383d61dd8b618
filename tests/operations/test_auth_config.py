"""Key sets, and the verification of tokens by a project's backend."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jwt
from httpx import Client, Response

from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

SignedIn = Callable[[str], dict[str, str]]


def verify(api: Client, token: str) -> Response:
    return api.get("/iam/v1/verify", params={"token": token})


def test_a_key_set_needs_no_key_but_the_one_in_its_path(browser: Client, project: Project) -> None:
    response = browser.get(f"/iam/v1/{project.publishable_key}/jwks.json")
    (key,) = response.json()["keys"]
    assert {key["kty"], key["crv"], key["alg"], key["use"]} == {"EC", "P-256", "ES256", "sig"}
    assert (len(key["x"]), len(key["y"]), len(key["kid"])) == (43, 43, 43)
    assert browser.get("/iam/v1/pk_test_other/jwks.json").json()["keys"][0]["kid"] != key["kid"]


@cases("key", "nonsense", "sk_test_tests")
def test_a_key_set_is_found_by_a_publishable_key_only(browser: Client, project: Project, key: str) -> None:
    response = browser.get(f"/iam/v1/{key}/jwks.json")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "api_key_unknown")


def test_an_undeclared_live_key_has_no_key_set(browser: Client) -> None:
    assert browser.get("/iam/v1/pk_live_x/jwks.json").status_code == 401


def test_a_session_token_is_verified(api: Client, project: Project, signed_in: SignedIn) -> None:
    token = signed_in("ada@example.com")["authorization"].removeprefix("Bearer ")
    (session,) = project.identity.sessions
    response = verify(api, token)
    (wallet,) = project.wallets.wallets
    assert response.json() == {
        "livemode": False,
        "projectId": project.id,
        "playerId": wallet.id,
        "issuer": "openfort.xyz",
        "issuedAt": 1_767_225_600,
        "expiration": 1_767_225_600 + 604_800,
        "sessionId": session.id,
    }


def test_an_access_token_is_good_until_the_clock_says_otherwise(
    api: Client, visitor: Client, project: Project, signed_in: SignedIn
) -> None:
    headers = signed_in("ada@example.com")
    (session,) = project.identity.sessions
    (user,) = project.identity.users
    TIMER_LOOP.advance(project, project.clock.now_ms + 1_000)
    token = issue(project, user, session)
    body = verify(api, token).json()
    assert (body["issuedAt"], body["sessionId"]) == (1_767_225_601, session.id)
    TIMER_LOOP.advance(project, project.clock.now_ms + 2 * 86_400_000)
    visitor.get("/iam/v2/auth/get-session", headers=headers)
    TIMER_LOOP.advance(project, session.expires_ms)
    assert verify(api, token).status_code == 401
    assert verify(api, session.token).status_code == 200


def test_verifying_does_not_renew_the_session(api: Client, project: Project, signed_in: SignedIn) -> None:
    token = signed_in("ada@example.com")["authorization"].removeprefix("Bearer ")
    TIMER_LOOP.advance(project, project.clock.now_ms + 2 * 86_400_000)
    verify(api, token)
    (session,) = project.identity.sessions
    assert session.updated_ms == session.created_ms


@cases("token", "", "nonsense", "a.b.c", "eyJhbGciOiJub25lIn0.e30.")
def test_a_token_of_no_user_is_refused(api: Client, token: str) -> None:
    response = verify(api, token)
    assert (response.status_code, response.json()["error"]["code"]) == (401, "session_invalid")


def access_token(visitor: Client, headers: dict[str, str]) -> str:
    return visitor.get("/iam/v2/auth/get-session", headers=headers).headers["set-auth-jwt"]


def claims_of(browser: Client, project: Project, token: str, audience: str, issuer: str | None = None) -> Any:
    """The claims, as PyJWT reads them with the key set alone; the project's clock is not the machine's."""
    (key,) = browser.get(f"/iam/v1/{project.publishable_key}/jwks.json").json()["keys"]
    return jwt.decode(
        token,
        jwt.PyJWK(key),
        ["ES256"],
        options={"verify_exp": False, "verify_iat": False},
        audience=audience,
        issuer=issuer,
    )


def test_an_access_token_has_the_set_issuer_and_audience(
    api: Client, visitor: Client, browser: Client, project: Project, signed_in: SignedIn
) -> None:
    headers = signed_in("ada@example.com")
    former = access_token(visitor, headers)
    claims = claims_of(browser, project, former, issuer="openfort.xyz", audience=project.id)
    assert claims["exp"] - claims["iat"] == 604_800
    named = {"access_token_issuer": "https://id.shop.example", "access_token_audience": "shop"}
    api.put("/_mock/projects/-/settings", json=named)
    token = access_token(visitor, headers)
    claims_of(browser, project, token, issuer="https://id.shop.example", audience="shop")
    assert verify(api, token).json()["issuer"] == "https://id.shop.example"
    assert browser.get("/iam/v2/me", headers={"authorization": f"Bearer {token}"}).status_code == 200
    for refused in (
        verify(api, former),
        visitor.get("/iam/v2/me", headers={"authorization": f"Bearer {former}"}),
    ):
        assert refused.status_code == 401, "it has the former issuer and audience"


def test_projects_may_share_an_audience(browser: Client, project: Project, world: World) -> None:
    other = world.create(name="other")
    users = {}
    for each in (other, project):
        each.settings = replace(each.settings, access_token_audience="shop")
        users[each] = create_user(each, name="Ada", email=None)
        token = issue(each, users[each], open_session(each, users[each]))
        each.undo.mark()
        answer = browser.get("/iam/v2/me", headers={"authorization": f"Bearer {token}"})
        assert answer.json()["id"] == users[each].id


def test_an_access_token_lives_as_set_and_within_its_session(
    api: Client, visitor: Client, browser: Client, project: Project, signed_in: SignedIn
) -> None:
    headers = signed_in("ada@example.com")
    api.put("/_mock/projects/-/settings", json={"access_token_lifetime_ms": 60_000})
    token = access_token(visitor, headers)
    claims = claims_of(browser, project, token, audience=project.id)
    assert claims["exp"] - claims["iat"] == 60
    assert verify(api, token).json()["expiration"] == claims["exp"]
    TIMER_LOOP.advance(project, project.clock.now_ms + 59_999)
    assert verify(api, token).status_code == 200
    TIMER_LOOP.advance(project, project.clock.now_ms + 1)
    assert verify(api, token).status_code == 401
    assert verify(api, access_token(visitor, headers)).status_code == 200, "the session goes on"
    api.put("/_mock/projects/-/settings", json={"access_token_lifetime_ms": 10**12})
    claims = claims_of(browser, project, access_token(visitor, headers), audience=project.id)
    assert claims["exp"] == 1_767_225_600 + 604_800
