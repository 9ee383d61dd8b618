"""Reading, renewing, listing and ending sessions."""

from collections.abc import Callable
from dataclasses import replace

from httpx import Client, Response

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel.timestamps import LAST_MS
from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of, later
from tests.tables import cases

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
SignedIn = Callable[[str], dict[str, str]]


def token_of(headers: dict[str, str]) -> str:
    return headers["authorization"].removeprefix("Bearer ")


def sign_up(visitor: Client, **headers: str) -> Response:
    body = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    return visitor.post(f"{AUTH}/sign-up/email", json=body, headers=headers)


def test_a_session_is_read_with_its_user(visitor: Client) -> None:
    forwarded = {"x-forwarded-for": "unknown, 203.0.113.7, 10.0.0.1", "user-agent": "Test/1"}
    token = sign_up(visitor, **forwarded).json()["token"]
    response = visitor.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})
    body = response.json()
    assert body["session"] == {
        "id": body["session"]["id"],
        "token": token,
        "userId": body["user"]["id"],
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
        "expiresAt": "2026-01-08T00:00:00.000Z",
        "ipAddress": "203.0.113.7",
        "userAgent": "Test/1",
    }
    assert body["user"]["name"] == "Ada"
    assert "set-auth-token" not in response.headers


def test_a_session_beyond_all_dates_is_shown_to_end_last(visitor: Client, project: Project) -> None:
    TIMER_LOOP.advance(project, LAST_MS)
    token = sign_up(visitor).json()["token"]
    session = visitor.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"}).json()[
        "session"
    ]
    assert session["expiresAt"] == "9999-12-31T23:59:59.999Z"


def test_the_signed_token_stands_for_the_session_too(visitor: Client) -> None:
    response = sign_up(visitor)
    signed = response.headers["set-auth-token"]

    def status(token: str, with_key: bool = True) -> int:
        headers = {"authorization": f"Bearer {token}"}
        if not with_key:
            del visitor.headers["x-project-key"]
        return visitor.get(f"{AUTH}/get-session", headers=headers).status_code

    last = "B" if signed[-4] != "B" else "C"
    assert status(signed) == 200
    assert status(signed[:-4] + last + signed[-3:]) == 401
    assert status(response.json()["token"] + ".") == 401
    assert status(signed, with_key=False) == 200


@cases("headers", {}, {"authorization": "Bearer nonsense"})
def test_no_session_means_nothing_to_read(visitor: Client, project: Project, headers: dict[str, str]) -> None:
    response = visitor.get(f"{AUTH}/get-session", headers=headers)
    assert response.status_code == 401
    assert response.json() == {"code": "UNAUTHORIZED", "message": "Unauthorized"}
    project.settings = replace(project.settings, get_session_answers_null=True)
    response = visitor.get(f"{AUTH}/get-session", headers=headers)
    assert (response.status_code, response.content) == (200, b"null")


def test_a_session_slides_on_after_a_day(visitor: Client, project: Project, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    later(project, 23 * HOUR_MS)
    response = visitor.get(f"{AUTH}/get-session", headers=session)
    assert response.json()["session"]["expiresAt"] == "2026-01-08T00:00:00.000Z"
    later(project, HOUR_MS)
    response = visitor.get(f"{AUTH}/get-session", headers=session)
    body = response.json()["session"]
    assert body["expiresAt"] == "2026-01-09T00:00:00.000Z"
    assert body["updatedAt"] == "2026-01-02T00:00:00.000Z"
    assert body["token"] == token_of(session)
    assert response.headers["set-auth-token"].startswith(token_of(session))
    assert "better-auth.session_token=" in response.headers["set-cookie"]
    later(project, 7 * DAY_MS - 1)
    assert visitor.get(f"{AUTH}/list-sessions", headers=session).status_code == 200


def test_a_refusal_renews_no_session(visitor: Client, project: Project, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    later(project, 2 * DAY_MS)
    visitor.post(f"{AUTH}/revoke-session", json={}, headers=session)
    (row,) = project.identity.sessions
    assert row.updated_ms == row.created_ms


def test_signing_out_ends_the_session_and_only_that(visitor: Client, signed_in: SignedIn) -> None:
    session, other = signed_in("ada@example.com"), signed_in("ada@example.com")
    response = visitor.post(f"{AUTH}/sign-out", json={}, headers=session)
    assert response.json() == {"success": True}
    cookies = response.headers.get_list("set-cookie")
    assert len(cookies) == 3
    assert all("=; Max-Age=0; Path=/" in cookie for cookie in cookies)
    assert "set-auth-token" not in response.headers
    assert visitor.get(f"{AUTH}/get-session", headers=session).status_code == 401
    assert visitor.get(f"{AUTH}/get-session", headers=other).status_code == 200
    assert visitor.post(f"{AUTH}/sign-out", headers=session).json() == {"success": True}


def test_sessions_are_listed_oldest_first(visitor: Client, project: Project, signed_in: SignedIn) -> None:
    signed_in("ada@example.com")
    later(project, 6 * DAY_MS)
    second, third = signed_in("ada@example.com"), signed_in("ada@example.com")
    signed_in("eve@example.com")
    later(project, DAY_MS)
    listed = visitor.get(f"{AUTH}/list-sessions", headers=second).json()
    assert [row["token"] for row in listed] == [token_of(second), token_of(third)]


def test_a_session_is_revoked_by_its_token(visitor: Client, signed_in: SignedIn) -> None:
    session, other = signed_in("ada@example.com"), signed_in("ada@example.com")
    foreign = signed_in("eve@example.com")
    path = f"{AUTH}/revoke-session"
    assert visitor.post(path, json={"token": token_of(other)}, headers=session).json() == {"status": True}
    again = visitor.post(path, json={"token": token_of(other)}, headers=session)
    assert error_of(again) == (400, "SESSION_NOT_FOUND")
    stolen = visitor.post(path, json={"token": token_of(foreign)}, headers=session)
    assert error_of(stolen) == (401, "UNAUTHORIZED")
    assert visitor.get(f"{AUTH}/get-session", headers=foreign).status_code == 200
    own = visitor.post(path, json={"token": token_of(session)}, headers=session)
    assert own.json() == {"status": True}
    assert visitor.get(f"{AUTH}/get-session", headers=session).status_code == 401


@cases("path, left", ("revoke-sessions", 0), ("revoke-other-sessions", 1))
def test_many_sessions_are_revoked_at_once(
    visitor: Client, project: Project, signed_in: SignedIn, path: str, left: int
) -> None:
    session, _, foreign = (signed_in(name + "@example.com") for name in ("ada", "ada", "eve"))
    assert visitor.post(f"{AUTH}/{path}", headers=session).json() == {"status": True}
    assert len(project.identity.sessions) == left + 1
    assert (visitor.get(f"{AUTH}/get-session", headers=session).status_code == 200) is bool(left)
    assert visitor.get(f"{AUTH}/get-session", headers=foreign).status_code == 200


@cases("headers", {}, {"authorization": "Bearer nonsense"})
def test_a_body_is_looked_at_before_the_session(visitor: Client, headers: dict[str, str]) -> None:
    path = f"{AUTH}/revoke-session"
    assert error_of(visitor.post(path, json={}, headers=headers)) == (400, "VALIDATION_ERROR")
    assert error_of(visitor.post(path, json={"token": "x"}, headers=headers)) == (401, "UNAUTHORIZED")


def test_an_access_token_signs_in_until_its_session_ends(visitor: Client, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    access_token = visitor.get(f"{AUTH}/get-session", headers=session).headers["set-auth-jwt"]
    headers = {"authorization": f"Bearer {access_token}"}
    assert visitor.get(f"{AUTH}/list-sessions", headers=headers).status_code == 200
    forged = {"authorization": f"Bearer {access_token[:-4]}AAAA"}
    assert visitor.get(f"{AUTH}/list-sessions", headers=forged).status_code == 401
    visitor.post(f"{AUTH}/sign-out", headers=session)
    assert visitor.get(f"{AUTH}/list-sessions", headers=headers).status_code == 401


def test_linked_accounts_are_listed_with_every_member(visitor: Client, signed_in: SignedIn) -> None:
    response = sign_up(visitor)
    headers = {"authorization": f"Bearer {response.json()['token']}"}
    assert visitor.get(f"{AUTH}/list-accounts", headers=headers).json() == [
        {
            "provider": "credential",
            "accountId": response.json()["user"]["id"],
            "createdAt": 1_767_225_600,
            "updatedAt": 1_767_225_600,
            "chainType": "",
            "chainId": "",
            "connectorType": "",
            "walletClientType": "",
        }
    ]
    assert visitor.get(f"{AUTH}/list-accounts", headers=signed_in("otp@example.com")).json() == []
