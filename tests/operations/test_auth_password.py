"""Signing up and in with a password, changing it, and resetting it by a mailed link."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.transport import InProcessTransport

AUTH = "/iam/v2/auth"
ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}


def sign_up(visitor: httpx.Client, **changes: Any) -> httpx.Response:
    return visitor.post(f"{AUTH}/sign-up/email", json=ADA | changes)


def sign_in(visitor: httpx.Client, password: str = ADA["password"], **changes: Any) -> httpx.Response:
    body = {"email": ADA["email"], "password": password} | changes
    return visitor.post(f"{AUTH}/sign-in/email", json=body)


def bearer(response: httpx.Response) -> dict[str, str]:
    return {"authorization": f"Bearer {response.json()['token']}"}


def refusal(response: httpx.Response) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"code", "message"}
    assert body["message"]
    return response.status_code, body["code"]


def require_verification(project: Project) -> None:
    project.settings = replace(project.settings, email_verification_required=True)


def test_signing_up_answers_a_token_and_the_user(visitor: httpx.Client, project: Project) -> None:
    response = sign_up(visitor, email="Ada@Example.com", image="https://img.example/ada.png")
    body = response.json()
    user = body["user"]
    assert response.status_code == 200
    assert len(body["token"]) == 32
    assert user == {
        "id": user["id"],
        "name": "Ada",
        "email": "ada@example.com",
        "emailVerified": False,
        "image": "https://img.example/ada.png",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
    }
    assert user["id"].startswith("usr_")
    assert len(project.outbox) == 0


def test_a_sign_in_sets_the_cookie_and_the_token_header(visitor: httpx.Client) -> None:
    response = sign_up(visitor)
    signed = response.headers["set-auth-token"]
    assert signed.startswith(response.json()["token"] + ".")
    assert response.headers.get_list("set-cookie") == [
        f"better-auth.session_token={signed}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax"
    ]
    assert response.headers["access-control-expose-headers"] == "set-auth-token"


def test_a_session_not_to_be_remembered_has_a_cookie_without_an_age(visitor: httpx.Client) -> None:
    cookies = sign_up(visitor, rememberMe=False).headers.get_list("set-cookie")
    assert "Max-Age" not in cookies[0]
    assert cookies[1].startswith("better-auth.dont_remember=true.")


def test_over_https_the_cookie_is_secure(visitor: httpx.Client) -> None:
    headers = {"x-forwarded-proto": "https"}
    response = visitor.post(f"{AUTH}/sign-up/email", json=ADA, headers=headers)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Secure-better-auth.session_token=")
    assert cookie.endswith("; Secure")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"email": "ada"}, (400, "INVALID_EMAIL")),
        ({"email": ""}, (400, "INVALID_EMAIL")),
        ({"email": 7}, (400, "INVALID_EMAIL")),
        ({"email": "ada@example"}, (400, "INVALID_EMAIL")),
        ({"email": "a..b@example.com"}, (400, "INVALID_EMAIL")),
        ({"email": "ada", "password": "short"}, (400, "INVALID_EMAIL")),
        ({"password": "1234567"}, (400, "PASSWORD_TOO_SHORT")),
        ({"password": ""}, (400, "PASSWORD_TOO_SHORT")),
        ({"password": "x" * 129}, (400, "PASSWORD_TOO_LONG")),
        ({"password": None}, (400, "VALIDATION_ERROR")),
        ({"name": 5}, (400, "VALIDATION_ERROR")),
        ({"image": None}, (400, "VALIDATION_ERROR")),
        ({"callbackURL": "javascript:alert(1)"}, (403, "INVALID_CALLBACKURL")),
        ({"callbackURL": "//evil.example"}, (403, "INVALID_CALLBACKURL")),
    ],
)
def test_a_refused_sign_up_says_why_and_leaves_no_trace(
    visitor: httpx.Client, project: Project, changes: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert refusal(sign_up(visitor, **changes)) == expected
    assert [len(table) for table in project.tables()] == [0] * len(project.tables())


@pytest.mark.parametrize("member", ["name", "password"])
def test_a_sign_up_needs_a_name_and_a_password(visitor: httpx.Client, member: str) -> None:
    body = {name: value for name, value in ADA.items() if name != member}
    assert refusal(visitor.post(f"{AUTH}/sign-up/email", json=body)) == (400, "VALIDATION_ERROR")


def test_a_sign_up_without_an_address_has_an_invalid_one(visitor: httpx.Client) -> None:
    body = {"name": "Ada", "password": "correct horse"}
    assert refusal(visitor.post(f"{AUTH}/sign-up/email", json=body)) == (400, "INVALID_EMAIL")


@pytest.mark.parametrize("length", [8, 128])
def test_a_password_may_be_as_short_and_as_long_as_allowed(visitor: httpx.Client, length: int) -> None:
    assert sign_up(visitor, password="x" * length).status_code == 200


def test_an_address_is_taken_in_any_case_and_nothing_of_the_second_user_stays(
    visitor: httpx.Client, project: Project
) -> None:
    sign_up(visitor)
    draws = project.entropy.draws()
    assert refusal(sign_up(visitor, email="ADA@example.com")) == (
        422,
        "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
    )
    identity = project.identity
    assert (len(identity.users), len(identity.linked_accounts), len(identity.sessions)) == (1, 1, 1)
    assert project.entropy.draws() == draws


def test_two_worlds_of_one_seed_give_the_same_tokens() -> None:
    bodies = []
    for _ in range(2):
        transport = InProcessTransport(assemble(World("seed")))
        with httpx.Client(transport=transport, base_url="http://mock") as client:
            response = client.post(
                f"{AUTH}/sign-up/email", json=ADA, headers={"x-project-key": "pk_test_twin"}
            )
            bodies.append((response.content, response.headers["set-auth-token"]))
    assert bodies[0] == bodies[1]


def test_signing_in_answers_a_session_of_its_own(visitor: httpx.Client) -> None:
    first = sign_up(visitor)
    response = sign_in(visitor, email="ADA@Example.com")
    body = response.json()
    assert set(body) == {"redirect", "token", "user"}
    assert body["redirect"] is False
    assert body["user"]["image"] is None
    assert body["token"] != first.json()["token"]
    assert response.headers["set-auth-token"].startswith(body["token"])
    sessions = visitor.get(f"{AUTH}/list-sessions", headers=bearer(first)).json()
    assert len(sessions) == 2


def test_signing_in_with_a_callback_says_where_to_go(visitor: httpx.Client) -> None:
    sign_up(visitor)
    body = sign_in(visitor, callbackURL="/home").json()
    assert (body["redirect"], body["url"]) == (True, "/home")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"password": "wrong horse"}, (401, "INVALID_EMAIL_OR_PASSWORD")),
        ({"password": ""}, (401, "INVALID_EMAIL_OR_PASSWORD")),
        ({"email": "eve@example.com"}, (401, "INVALID_EMAIL_OR_PASSWORD")),
        ({"email": "otp@example.com"}, (401, "INVALID_EMAIL_OR_PASSWORD")),
        ({"email": "ada"}, (400, "INVALID_EMAIL")),
        ({"email": None}, (400, "VALIDATION_ERROR")),
        ({"password": 8}, (400, "VALIDATION_ERROR")),
        ({"callbackURL": "data:text/html,x"}, (403, "INVALID_CALLBACKURL")),
    ],
)
def test_a_refused_sign_in_says_why(
    visitor: httpx.Client, project: Project, changes: dict[str, Any], expected: tuple[int, str]
) -> None:
    sign_up(visitor)
    create_user(project, name="", email="otp@example.com")
    project.undo.mark()
    assert refusal(sign_in(visitor, **changes)) == expected


def test_only_trusted_origins_are_led_back_to(visitor: httpx.Client, project: Project) -> None:
    project.settings = replace(project.settings, trusted_origins=("https://shop.example",))
    sign_up(visitor)
    assert sign_in(visitor, callbackURL="https://shop.example/home").status_code == 200
    assert sign_in(visitor, callbackURL="http://mock/home").status_code == 200
    assert sign_in(visitor, callbackURL="/home").status_code == 200
    for untrusted in ("https://evil.example", "https://shop.example.evil.example", "https:///home"):
        assert refusal(sign_in(visitor, callbackURL=untrusted)) == (403, "INVALID_CALLBACKURL")


def test_where_verification_is_required_a_sign_up_signs_nobody_in(
    visitor: httpx.Client, project: Project
) -> None:
    require_verification(project)
    response = sign_up(visitor, callbackURL="https://shop.example/welcome?a=1&b=2")
    assert response.json()["token"] is None
    assert "set-cookie" not in response.headers
    assert len(project.identity.sessions) == 0
    (mail,) = project.outbox
    assert (mail.channel, mail.to, mail.kind) == ("email", "ada@example.com", "verify-email")
    query = parse_qs(urlsplit(mail.url or "").query)
    assert query["callbackURL"] == ["https://shop.example/welcome?a=1&b=2"]
    assert (mail.url or "") in mail.text


def test_an_unverified_user_is_refused_once_the_password_is_right(
    visitor: httpx.Client, project: Project
) -> None:
    require_verification(project)
    sign_up(visitor)
    assert refusal(sign_in(visitor)) == (403, "EMAIL_NOT_VERIFIED")
    assert refusal(sign_in(visitor, "wrong horse")) == (401, "INVALID_EMAIL_OR_PASSWORD")


def reset_token(project: Project) -> str:
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    return urlsplit(mail.url or "").path.rpartition("/")[2]


def test_a_mailed_link_leads_to_a_new_password(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    before = sign_up(visitor)
    body = {"email": "Ada@example.com", "redirectTo": "https://shop.example/reset?from=mail"}
    assert visitor.post(f"{AUTH}/request-password-reset", json=body).json() == {
        "status": True,
        "message": "If this email exists in our system, check your email for the reset link",
    }
    token = reset_token(project)
    assert len(token) == 24
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    for _ in range(2):
        led = browser.get(mail.url or "")
        assert led.status_code == 302
        assert led.headers["location"] == f"https://shop.example/reset?from=mail&token={token}"
    reset = visitor.post(f"{AUTH}/reset-password", json={"newPassword": "battery staple", "token": token})
    assert reset.json() == {"status": True}
    assert sign_in(visitor, "battery staple").status_code == 200
    assert refusal(sign_in(visitor)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert visitor.get(f"{AUTH}/get-session", headers=bearer(before)).status_code == 200
    again = visitor.post(f"{AUTH}/reset-password", json={"newPassword": "battery staple", "token": token})
    assert refusal(again) == (400, "INVALID_TOKEN")


def test_the_reset_token_may_be_in_the_query(visitor: httpx.Client, project: Project) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    response = visitor.post(
        f"{AUTH}/reset-password?token={reset_token(project)}", json={"newPassword": "battery staple"}
    )
    assert response.status_code == 200


def test_a_user_without_a_password_gets_one_by_a_reset(visitor: httpx.Client, project: Project) -> None:
    create_user(project, name="", email=ADA["email"])
    project.undo.mark()
    visitor.post(f"{AUTH}/forget-password", json={"email": ADA["email"]})
    body = {"newPassword": ADA["password"], "token": reset_token(project)}
    assert visitor.post(f"{AUTH}/reset-password", json=body).status_code == 200
    assert sign_in(visitor).status_code == 200


def test_an_unknown_address_gets_no_mail_and_no_other_answer(visitor: httpx.Client, project: Project) -> None:
    sign_up(visitor)
    known = visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    unknown = visitor.post(f"{AUTH}/request-password-reset", json={"email": "eve@example.com"})
    assert known.json() == unknown.json()
    assert [mail.to for mail in project.outbox] == [ADA["email"]]
    assert visitor.post(f"{AUTH}/forget-password", json={"email": ADA["email"]}).json() == {"status": True}
    forgotten = visitor.post(f"{AUTH}/forget-password", json={"email": "eve@example.com"})
    assert forgotten.json() == unknown.json()


@pytest.mark.parametrize("path", ["forget-password", "request-password-reset"])
def test_a_refused_request_for_a_reset_says_why(visitor: httpx.Client, path: str) -> None:
    for body in ({}, {"email": "ada"}):
        assert refusal(visitor.post(f"{AUTH}/{path}", json=body)) == (400, "VALIDATION_ERROR")
    body = {"email": ADA["email"], "redirectTo": "javascript:alert(1)"}
    assert refusal(visitor.post(f"{AUTH}/{path}", json=body)) == (403, "INVALID_REDIRECTURL")


def test_a_reset_link_works_for_an_hour(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"], "redirectTo": "/new"})
    token = reset_token(project)
    link = f"{AUTH}/reset-password/{token}?callbackURL=/new"
    TIMER_LOOP.advance(project, project.clock.now_ms + 3_599_999)
    assert browser.get(link).headers["location"] == f"http://mock/new?token={token}"
    TIMER_LOOP.advance(project, project.clock.now_ms + 1)
    assert browser.get(link).headers["location"] == "http://mock/new?error=INVALID_TOKEN"
    body = {"newPassword": "battery staple", "token": token}
    assert refusal(visitor.post(f"{AUTH}/reset-password", json=body)) == (400, "INVALID_TOKEN")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"newPassword": "short", "token": "x"}, "PASSWORD_TOO_SHORT"),
        ({"newPassword": "x" * 129, "token": "x"}, "PASSWORD_TOO_LONG"),
        ({"newPassword": "battery staple", "token": "x"}, "INVALID_TOKEN"),
        ({"newPassword": "battery staple"}, "INVALID_TOKEN"),
        ({"token": "x"}, "VALIDATION_ERROR"),
    ],
)
def test_a_refused_reset_says_why(visitor: httpx.Client, body: dict[str, str], code: str) -> None:
    assert refusal(visitor.post(f"{AUTH}/reset-password", json=body)) == (400, code)


def test_a_bad_reset_link_leads_on_with_an_error(browser: httpx.Client) -> None:
    def target(callback: str) -> str:
        response = browser.get(f"{AUTH}/reset-password/nonsense?callbackURL={callback}")
        assert response.status_code == 302
        return str(response.headers["location"])

    assert target("/new?x=1") == "http://mock/new?x=1&error=INVALID_TOKEN"
    assert target("") == f"http://mock{AUTH}/error?error=INVALID_TOKEN"
    assert refusal(browser.get(f"{AUTH}/reset-password/nonsense")) == (400, "INVALID_TOKEN")
    evil = browser.get(f"{AUTH}/reset-password/nonsense?callbackURL=javascript:alert(1)")
    assert refusal(evil) == (403, "INVALID_CALLBACKURL")


def test_a_reset_link_that_leads_nowhere_shows_its_token(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    assert browser.get(mail.url or "").json() == {"token": reset_token(project)}


def test_a_followed_link_stands_in_the_journal_of_its_project(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    browser.get(f"{AUTH}/reset-password/{reset_token(project)}")
    assert [exchange.operation for exchange in project.journal][-1] == "resetPasswordCallback"


def test_a_changed_password_leaves_the_sessions(visitor: httpx.Client) -> None:
    session = bearer(sign_up(visitor))
    body = {"currentPassword": ADA["password"], "newPassword": "battery staple"}
    response = visitor.post(f"{AUTH}/change-password", json=body, headers=session)
    assert response.json()["token"] is None
    assert response.json()["user"]["email"] == ADA["email"]
    assert visitor.get(f"{AUTH}/get-session", headers=session).status_code == 200
    assert sign_in(visitor, "battery staple").status_code == 200
    assert sign_in(visitor).status_code == 401


def test_a_changed_password_may_end_every_session_for_a_new_one(visitor: httpx.Client) -> None:
    session, other = bearer(sign_up(visitor)), bearer(sign_in(visitor))
    body = {
        "currentPassword": ADA["password"],
        "newPassword": "battery staple",
        "revokeOtherSessions": True,
    }
    response = visitor.post(f"{AUTH}/change-password", json=body, headers=session)
    assert response.headers["set-auth-token"].startswith(response.json()["token"])
    for ended in (session, other):
        assert visitor.get(f"{AUTH}/get-session", headers=ended).status_code == 401
    assert visitor.get(f"{AUTH}/get-session", headers=bearer(response)).status_code == 200


@pytest.mark.parametrize(
    ("current", "new", "expected"),
    [
        ("wrong horse", "short", (400, "PASSWORD_TOO_SHORT")),
        ("wrong horse", "x" * 129, (400, "PASSWORD_TOO_LONG")),
        ("wrong horse", "battery staple", (400, "INVALID_PASSWORD")),
    ],
)
def test_a_refused_change_of_password_says_why(
    visitor: httpx.Client, current: str, new: str, expected: tuple[int, str]
) -> None:
    session = bearer(sign_up(visitor))
    body = {"currentPassword": current, "newPassword": new}
    assert refusal(visitor.post(f"{AUTH}/change-password", json=body, headers=session)) == expected
    assert sign_in(visitor).status_code == 200


def test_who_has_no_password_cannot_change_it(
    visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    body = {"currentPassword": "correct horse", "newPassword": "battery staple"}
    response = visitor.post(f"{AUTH}/change-password", json=body, headers=signed_in("otp@example.com"))
    assert refusal(response) == (400, "CREDENTIAL_ACCOUNT_NOT_FOUND")
    assert refusal(visitor.post(f"{AUTH}/change-password", json=body)) == (401, "UNAUTHORIZED")
