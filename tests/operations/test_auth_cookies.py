"""Sessions in cookies, as browsers keep them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from httpx import Client, Response

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of
from tests.tables import cases
from tests.transport import InProcessTransport

DAY_MS = 24 * 3600 * 1000
ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
ORIGIN = {"origin": "http://localhost:3000"}
COOKIE = "better-auth.session_token"


@pytest.fixture
def web(app: App, project: Project) -> Iterator[Client]:
    """A browser's client: it keeps its cookies."""
    headers = {"x-project-key": project.publishable_key}
    transport = InProcessTransport(app)
    with Client(transport=transport, base_url="http://mock.example", headers=headers) as client:
        yield client


def sign_up(web: Client, **changes: object) -> Response:
    response = web.post(f"{AUTH}/sign-up/email", json=ADA | changes)
    assert response.status_code == 200
    return response


def test_the_cookie_signs_in(web: Client) -> None:
    token = sign_up(web).json()["token"]
    assert web.get(f"{AUTH}/get-session").json()["session"]["token"] == token
    assert len(web.get(f"{AUTH}/list-sessions").json()) == 1
    assert web.post(f"{AUTH}/revoke-sessions", headers=ORIGIN).json() == {"status": True}
    assert error_of(web.get(f"{AUTH}/list-sessions")) == (401, "UNAUTHORIZED")


def test_the_cookie_names_its_project_too(web: Client) -> None:
    sign_up(web)
    del web.headers["x-project-key"]
    assert web.get(f"{AUTH}/get-session").json()["user"]["name"] == "Ada"
    assert web.get("/iam/v2/me").status_code == 401, "a cookie counts for the endpoints of signing in alone"


def test_only_the_signed_value_is_a_session(web: Client) -> None:
    token = sign_up(web).json()["token"]
    signed = web.cookies[COOKIE]
    access_token = web.get(f"{AUTH}/get-session").headers["set-auth-jwt"]
    web.cookies.clear()

    def status(value: str, name: str = COOKIE) -> int:
        return web.get(f"{AUTH}/get-session", headers={"cookie": f"a=b; {name}={value}"}).status_code

    assert status(signed) == status(signed, f"__Secure-{COOKIE}") == 200
    wrong = [token, token + ".", "", "nonsense", signed + "x", access_token, signed + "." + signed]
    assert [status(value) for value in wrong] == [401] * len(wrong)


def test_a_token_in_the_header_wins_over_the_cookie(web: Client) -> None:
    sign_up(web)
    eve = web.post(f"{AUTH}/sign-up/email", json=ADA | {"email": "eve@example.com"}, headers=ORIGIN).json()
    web.post(f"{AUTH}/sign-in/email", json=ADA, headers=ORIGIN)
    headers = {"authorization": f"Bearer {eve['token']}"}
    assert web.get(f"{AUTH}/get-session", headers=headers).json()["user"]["email"] == "eve@example.com"
    assert web.get(f"{AUTH}/get-session").json()["user"]["email"] == ADA["email"]
    bearer_only = web.post(f"{AUTH}/sign-out", headers=headers)
    assert bearer_only.status_code == 200, "without the cookie as credential the origin does not matter"


def test_the_cookie_of_another_project_is_no_session(web: Client) -> None:
    sign_up(web)
    assert web.get(f"{AUTH}/get-session", headers={"x-project-key": "pk_test_other"}).status_code == 401


def test_a_secret_key_is_not_mistaken_for_the_user_of_a_cookie(web: Client, project: Project) -> None:
    sign_up(web)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    assert web.get(f"{AUTH}/get-session", headers=headers).status_code == 401
    assert web.post(f"{AUTH}/sign-in/email", json=ADA, headers=headers).status_code == 200


@cases(
    "headers, expected",
    ({}, "MISSING_OR_NULL_ORIGIN"),
    ({"origin": "null"}, "MISSING_OR_NULL_ORIGIN"),
    ({"origin": ""}, "MISSING_OR_NULL_ORIGIN"),
    ({"origin": "https://evil.example"}, "INVALID_ORIGIN"),
    ({"origin": "http://localhost.evil.example"}, "INVALID_ORIGIN"),
    ({"origin": "http://[:::"}, "INVALID_ORIGIN"),
    ({"referer": "https://evil.example/http://localhost"}, "INVALID_ORIGIN"),
)
def test_cookies_need_a_trusted_origin(web: Client, headers: dict[str, str], expected: str) -> None:
    sign_up(web)
    assert error_of(web.post(f"{AUTH}/sign-out", headers=headers)) == (403, expected)
    assert error_of(web.post(f"{AUTH}/sign-in/email", json={}, headers=headers)) == (403, expected)
    assert web.get(f"{AUTH}/get-session", headers=headers).status_code == 200


def test_the_error_says_why_the_origin_counts_and_what_to_send(web: Client) -> None:
    sign_up(web)
    missing = web.post(f"{AUTH}/sign-out").json()["message"]
    assert missing.startswith("Missing or null Origin")
    assert all(word in missing for word in ("cookie", "CSRF", "Referer", "Authorization: Bearer"))
    untrusted = web.post(f"{AUTH}/sign-out", headers={"origin": "https://evil.example"}).json()["message"]
    assert untrusted.startswith("Invalid origin: the project does not trust https://evil.example")
    assert "trusted_origins" in untrusted


@cases(
    "headers",
    {"origin": "http://localhost:3000"},
    {"origin": "https://shop.localhost"},
    {"origin": "http://127.0.0.1:5173"},
    {"origin": "http://[::1]:5173"},
    {"origin": "http://mock.example"},
    {"referer": "http://localhost:3000/a/page?of=it"},
)
def test_the_machine_and_the_servers_own_origin_are_trusted(web: Client, headers: dict[str, str]) -> None:
    sign_up(web)
    assert web.post(f"{AUTH}/sign-out", headers=headers).json() == {"success": True}
    assert COOKIE not in web.cookies


def test_a_project_lists_the_origins_it_trusts(web: Client, project: Project) -> None:
    project.settings = replace(project.settings, trusted_origins=("https://shop.example",))
    sign_up(web)

    def status(origin: str) -> int:
        return web.post(f"{AUTH}/revoke-other-sessions", headers={"origin": origin}).status_code

    assert status("https://shop.example") == status("http://mock.example") == 200
    assert status("http://shop.example") == status("http://localhost:3000") == 403


def test_without_a_cookie_the_origin_is_not_checked(visitor: Client) -> None:
    answer = visitor.post(f"{AUTH}/sign-up/email", json=ADA, headers={"origin": "https://evil.example"})
    assert answer.status_code == 200


def test_signing_in_for_a_window_sets_cookies_without_an_age(web: Client) -> None:
    first, second = sign_up(web, rememberMe=False).headers.get_list("set-cookie")
    assert first.startswith(f"{COOKIE}=")
    assert second.startswith("better-auth.dont_remember=")
    assert "Max-Age" not in first + second
    assert sign_up(web_of(web), email="eve@example.com").headers["set-cookie"].split("; ")[1:] == [
        "Max-Age=604800",
        "Path=/",
        "HttpOnly",
        "SameSite=Lax",
    ]


def web_of(web: Client) -> Client:
    web.cookies.clear()
    return web


@cases("path", "get-session", "list-sessions", "list-accounts")
def test_a_renewed_session_gets_its_cookie_again(web: Client, project: Project, path: str) -> None:
    sign_up(web)
    assert "set-cookie" not in web.get(f"{AUTH}/{path}").headers
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_MS)
    response = web.get(f"{AUTH}/{path}")
    assert response.headers["set-cookie"].startswith(f"{COOKIE}=")
    assert "Max-Age=604800" in response.headers["set-cookie"]
    assert "set-auth-token" in response.headers
    assert "set-cookie" not in web.get(f"{AUTH}/{path}").headers


def test_a_renewed_session_gets_no_cookie_elsewhere(web: Client, project: Project) -> None:
    token = {"authorization": f"Bearer {sign_up(web).json()['token']}"}
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_MS)
    answer = web.get("/iam/v2/me", headers=token)
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert "set-cookie" not in web.get(f"{AUTH}/get-session", headers=token).headers, "it is renewed"


def test_a_renewed_session_that_is_ended_gets_no_cookie(web: Client, project: Project) -> None:
    sign_up(web)
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_MS)
    ended = web.post(f"{AUTH}/revoke-sessions", headers=ORIGIN)
    assert ended.status_code == 200
    assert "set-auth-token" not in ended.headers


def test_a_reading_may_leave_the_session_as_old_as_it_is(web: Client, project: Project) -> None:
    sign_up(web)
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_MS)
    read = web.get(f"{AUTH}/get-session?disableRefresh=true")
    assert read.json()["session"]["expiresAt"] == "2026-01-08T00:00:00.000Z"
    assert "set-cookie" not in read.headers
    read = web.get(f"{AUTH}/get-session?disableRefresh=false")
    assert read.json()["session"]["expiresAt"] == "2026-01-09T00:00:00.000Z"


@cases("as_null", False, True)
def test_a_dead_token_makes_the_browser_forget_it(web: Client, project: Project, as_null: bool) -> None:
    project.settings = replace(project.settings, get_session_answers_null=as_null)
    sign_up(web)
    TIMER_LOOP.advance(project, project.clock.now_ms + 7 * DAY_MS)
    response = web.get(f"{AUTH}/get-session")
    assert response.status_code == (200 if as_null else 401)
    assert len(response.headers.get_list("set-cookie")) == 3
    assert COOKIE not in web.cookies
    assert "set-cookie" not in web.get(f"{AUTH}/get-session").headers
    garbage = web.get(f"{AUTH}/get-session", headers={"authorization": "Bearer nonsense"})
    assert len(garbage.headers.get_list("set-cookie")) == 3


def test_over_https_the_cookies_are_secure(web: Client) -> None:
    response = web.post(f"{AUTH}/sign-up/email", json=ADA, headers={"x-forwarded-proto": "https"})
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"__Secure-{COOKIE}=")
    assert cookie.endswith("; Secure")
