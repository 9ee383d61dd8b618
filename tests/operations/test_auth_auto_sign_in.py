"""Proving an address signs the user in, in a project that wants that."""

from dataclasses import replace

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.tables import cases

ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}


@pytest.fixture(autouse=True)
def automatic(project: Project) -> None:
    project.settings = replace(
        project.settings, email_verification_required=True, auto_sign_in_after_verification=True
    )


def link_of(project: Project) -> str:
    mail = project.outbox.last("kind", "verify-email")
    assert mail is not None
    assert mail.url is not None
    return mail.url


@cases("suffix, status", ("", 302), ("nowhere", 200))
def test_a_followed_link_signs_in_once(
    visitor: Client, browser: Client, project: Project, suffix: str, status: int
) -> None:
    assert visitor.post(f"{AUTH}/sign-up/email", json=ADA).json()["token"] is None
    url = link_of(project)
    url = url.partition("&callbackURL")[0] if suffix else url
    followed = browser.get(url)
    assert followed.status_code == status
    token = followed.headers["set-auth-token"]
    assert followed.headers["set-cookie"].startswith(f"better-auth.session_token={token}")
    read = visitor.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})
    assert read.json()["user"]["emailVerified"] is True
    again = browser.get(url)
    assert again.status_code == status
    assert "set-auth-token" not in again.headers
    assert len(project.identity.sessions) == 1


def test_an_invalid_link_does_not_sign_in(visitor: Client, browser: Client) -> None:
    visitor.post(f"{AUTH}/sign-up/email", json=ADA)
    refused = browser.get(f"{AUTH}/verify-email", params={"token": "nonsense", "callbackURL": "/"})
    assert refused.status_code == 302
    assert "set-cookie" not in refused.headers


def test_a_code_signs_in(visitor: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    visitor.post(f"{AUTH}/sign-up/email", json=ADA)
    body = {"email": ADA["email"], "type": "email-verification"}
    visitor.post(f"{AUTH}/email-otp/send-verification-otp", json=body)
    mail = project.outbox.last("kind", "email-verification")
    assert mail is not None
    headers = {"authorization": f"Bearer {guest['token']}"}
    verified = visitor.post(
        f"{AUTH}/email-otp/verify-email", json={"email": ADA["email"], "otp": mail.code}, headers=headers
    )
    token = verified.json()["token"]
    assert verified.headers["set-auth-token"].startswith(token)
    read = visitor.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})
    assert read.json()["user"]["email"] == ADA["email"]
    assert guest["user"]["id"] not in project.identity.users, "the guest became the user"


def test_else_proving_an_address_signs_in_no_one(visitor: Client, browser: Client, project: Project) -> None:
    project.settings = replace(project.settings, auto_sign_in_after_verification=False)
    visitor.post(f"{AUTH}/sign-up/email", json=ADA)
    assert "set-auth-token" not in browser.get(link_of(project)).headers
    assert len(project.identity.sessions) == 0
