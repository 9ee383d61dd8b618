"""Proving an e-mail address by a mailed link."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from httpx import Client, Response

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.operations.auth import AUTH, error_of
from tests.tables import cases

SignedIn = Callable[[str], dict[str, str]]


@pytest.fixture
def ada(project: Project) -> User:
    user = create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    return user


def mailed_link(visitor: Client, project: Project, callback: str | None = None) -> str:
    body = {"email": "Ada@example.com"} | ({"callbackURL": callback} if callback else {})
    assert visitor.post(f"{AUTH}/send-verification-email", json=body).json() == {"status": True}
    mail = project.outbox.last("kind", "verify-email")
    assert mail is not None
    assert mail.url is not None
    return mail.url


def token_of(link: str) -> str:
    return urlsplit(link).query.partition("token=")[2].partition("&")[0]


def test_a_link_verifies_the_address(visitor: Client, browser: Client, project: Project, ada: User) -> None:
    link = mailed_link(visitor, project, "https://shop.example/welcome?a=1")
    TIMER_LOOP.advance(project, project.clock.now_ms + 5_000)
    response = browser.get(link)
    assert response.status_code == 302
    assert response.headers["location"] == "https://shop.example/welcome?a=1"
    user = project.identity.users[ada.id]
    assert user.email_verified
    assert user.updated_ms == ada.updated_ms + 5_000


def test_a_link_answers_repeatedly(visitor: Client, browser: Client, project: Project, ada: User) -> None:
    token = token_of(mailed_link(visitor, project))
    for _ in range(2):
        response = browser.get(f"{AUTH}/verify-email", params={"token": token})
        assert response.status_code == 200
        assert response.json() == {
            "status": True,
            "user": {
                "id": ada.id,
                "email": "ada@example.com",
                "name": "Ada",
                "image": "",
                "emailVerified": True,
                "createdAt": "2026-01-01T00:00:00.000Z",
                "updatedAt": "2026-01-01T00:00:00.000Z",
            },
        }


def test_a_link_leads_to_the_root(visitor: Client, browser: Client, project: Project, ada: User) -> None:
    assert browser.get(mailed_link(visitor, project)).headers["location"] == "http://mock/"


def test_a_verified_user_may_sign_in(visitor: Client, browser: Client, project: Project) -> None:
    project.settings = replace(project.settings, email_verification_required=True)
    ada = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    visitor.post(f"{AUTH}/sign-up/email", json=ada)
    mail = project.outbox.last("to", "ada@example.com")
    assert mail is not None
    browser.get(mail.url or "")
    assert visitor.post(f"{AUTH}/sign-in/email", json=ada).status_code == 200


def test_a_link_works_for_an_hour(visitor: Client, browser: Client, project: Project, ada: User) -> None:
    token = token_of(mailed_link(visitor, project))
    TIMER_LOOP.advance(project, project.clock.now_ms + 3_600_000)
    response = browser.get(f"{AUTH}/verify-email", params={"token": token})
    assert response.json() == {"code": "TOKEN_EXPIRED", "message": "token_expired"}
    assert response.status_code == 401
    led = browser.get(f"{AUTH}/verify-email", params={"token": token, "callbackURL": "/x?a=1"})
    assert led.headers["location"] == "http://mock/x?a=1&error=token_expired"
    assert not project.identity.users[ada.id].email_verified


@cases("with_key", True, False)
def test_an_unknown_token_is_refused_anyway(visitor: Client, browser: Client, with_key: bool) -> None:
    client = visitor if with_key else browser
    response = client.get(f"{AUTH}/verify-email?token=nonsense")
    assert response.status_code == 401
    assert response.json() == {"code": "INVALID_TOKEN", "message": "invalid_token"}
    led = client.get(f"{AUTH}/verify-email?token=nonsense&callbackURL=https://shop.example/x")
    assert led.headers["location"] == "https://shop.example/x?error=invalid_token"


def test_an_unsafe_link_is_void(visitor: Client, browser: Client, project: Project, ada: User) -> None:
    project.settings = replace(project.settings, trusted_origins=())
    token = token_of(mailed_link(visitor, project))
    evil = f"{AUTH}/verify-email?token={token}&callbackURL=https://evil.example"
    assert error_of(browser.get(evil)) == (403, "INVALID_CALLBACKURL")
    assert not project.identity.users[ada.id].email_verified


def test_links_of_two_projects_verify_their_own_users(world: World, browser: Client) -> None:
    for name in ("one", "two"):
        headers = {"x-project-key": f"pk_test_{name}"}
        ada = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
        browser.post(f"{AUTH}/sign-up/email", json=ada, headers=headers)
        browser.cookies.clear()
        browser.post(f"{AUTH}/send-verification-email", json={"email": ada["email"]}, headers=headers)
    one, two = list(world)
    mail = two.outbox.last("kind", "verify-email")
    assert mail is not None
    browser.get(mail.url or "")
    assert [next(iter(project.identity.users)).email_verified for project in (one, two)] == [False, True]


def test_only_unverified_users_get_a_mail_untold(visitor: Client, project: Project) -> None:
    create_user(project, name="", email="done@example.com", email_verified=True)
    project.undo.mark()
    for address in ("done@example.com", "nobody@example.com"):
        response = visitor.post(f"{AUTH}/send-verification-email", json={"email": address})
        assert response.json() == {"status": True}
    assert len(project.outbox) == 0


def test_who_is_signed_in_verifies_their_own_address_only(
    visitor: Client, project: Project, ada: User, signed_in: SignedIn
) -> None:
    session = signed_in("ada@example.com")
    path = f"{AUTH}/send-verification-email"
    assert visitor.post(path, json={"email": "ada@example.com"}, headers=session).status_code == 200
    other = visitor.post(path, json={"email": "eve@example.com"}, headers=session)
    assert error_of(other) == (400, "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL")
    project.identity.users.replace(ada._replace(email_verified=True))
    project.undo.mark()
    for address in ("ada@example.com", "eve@example.com"):
        again = visitor.post(path, json={"email": address}, headers=session)
        assert error_of(again) == (400, "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL")
    assert len(project.outbox) == 1


def change(visitor: Client, session: dict[str, str], new_email: str) -> Response:
    return visitor.post(f"{AUTH}/change-email", json={"newEmail": new_email}, headers=session)


def test_unverified_users_change(visitor: Client, project: Project, ada: User, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    response = change(visitor, session, "New@example.com")
    assert response.json() == {"status": True, "message": "Email updated"}
    assert "set-auth-token" in response.headers
    assert project.identity.users[ada.id].email == "new@example.com"
    (mail,) = project.outbox
    assert (mail.to, mail.kind) == ("new@example.com", "verify-email")


def test_a_verified_address_changes_by_link_and_session(
    visitor: Client, browser: Client, project: Project, ada: User, signed_in: SignedIn
) -> None:
    project.identity.users.replace(ada._replace(email_verified=True))
    session, foreign = signed_in("ada@example.com"), signed_in("eve@example.com")
    response = change(visitor, session, "new@example.com")
    assert response.json() == {"status": True, "message": "Verification email sent"}
    (mail,) = project.outbox
    assert (mail.to, mail.kind) == ("ada@example.com", "change-email")
    path = f"{AUTH}/verify-email?token={token_of(mail.url or '')}"
    for headers in ({}, foreign):
        assert error_of(browser.get(path, headers=headers)) == (401, "UNAUTHORIZED")
    assert browser.get(path + "&callbackURL=/x").headers["location"] == "http://mock/x?error=unauthorized"
    assert project.identity.users[ada.id].email == "ada@example.com"
    user = browser.get(path, headers=session).json()["user"]
    assert (user["email"], user["emailVerified"]) == ("new@example.com", False)
    assert [mail.to for mail in project.outbox] == ["ada@example.com", "new@example.com"]
    assert change(visitor, session, "ada@example.com").json()["message"] == "Email updated"
    assert error_of(browser.get(path, headers=session)) == (401, "INVALID_TOKEN"), "a link is used once"


def test_a_browser_confirms_a_change_with_its_cookie(browser: Client, project: Project) -> None:
    key = {"x-project-key": project.publishable_key}
    body = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    signed_up = browser.post(f"{AUTH}/sign-up/email", json=body, headers=key)
    (user,) = project.identity.users
    project.identity.users.replace(user._replace(email_verified=True))
    project.undo.mark()
    session = {"authorization": f"Bearer {signed_up.json()['token']}"}
    change(browser, session, "new@example.com")
    mail = project.outbox.last("kind", "change-email")
    assert mail is not None
    assert "better-auth.session_token" in browser.cookies
    assert browser.get(mail.url or "").headers["location"] == "http://mock/"
    assert project.identity.users[user.id].email == "new@example.com"


def test_an_address_that_was_taken_meanwhile_is_not_changed_to(
    visitor: Client, browser: Client, project: Project, ada: User, signed_in: SignedIn
) -> None:
    project.identity.users.replace(ada._replace(email_verified=True))
    session = signed_in("ada@example.com")
    change(visitor, session, "eve@example.com")
    signed_in("eve@example.com")
    mail = project.outbox.last("kind", "change-email")
    assert mail is not None
    path = f"{AUTH}/verify-email?token={token_of(mail.url or '')}"
    assert error_of(browser.get(path, headers=session)) == (401, "INVALID_TOKEN")
    assert project.identity.users[ada.id].email == "ada@example.com"
