"""Refusals that the reference implementation is known to give."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from httpx import Client

from mockserver.domain.identity.mailed_links import issue_link
from mockserver.domain.identity.one_time_codes import issue_code
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.operations.auth import AUTH

ADA, PLAIN, BOTH = "ada@example.com", "plain@example.com", "both@example.com"
GUEST, GONE = "guest@example.com", "gone@example.com"
PASSWORD = "correct horse"
PHONE = "+15555550100"
WALLET = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
EVIL = "https://evil.example/"
NEW = {"name": "New", "email": "new@example.com", "password": PASSWORD}
SIWE = {"message": "hello", "signature": "0x00", "walletAddress": WALLET}
OTP = {"email": ADA, "otp": "000000"}
SIGN_IN = {"email": ADA, "password": PASSWORD}
WRONG_SIGN_IN = SIGN_IN | {"password": "wrong horse"}
CHANGE = {"currentPassword": PASSWORD, "newPassword": "battery staple"}
WRONG_CHANGE = CHANGE | {"currentPassword": "wrong horse"}
WRONG_CODE = {"phoneNumber": PHONE, "code": "000000"}
RIGHT_CODE = {"phoneNumber": PHONE, "code": "123456"}
UPDATE_PHONE = RIGHT_CODE | {"updatePhoneNumber": True}
Step = Callable[[Project], object]
People = dict[str, dict[str, str]]
"""The headers of the sessions of users, by their e-mail addresses."""


class Case(NamedTuple):
    """A request, who sends it, and how it is refused."""

    path: str
    """It is sent by POST, unless another method stands before it."""
    body: Any
    status: int
    code: str
    who: str | None = None
    """The e-mail address of the signed-in user who sends it."""
    before: tuple[Step, ...] = ()


def changed(**settings: Any) -> Step:
    def change(project: Project) -> None:
        project.settings = replace(project.settings, **settings)

    return change


def code(purpose: str, to: str = ADA, text: str = "123456") -> Step:
    def send(project: Project) -> None:
        project.settings = replace(project.settings, one_time_code=text)
        issue_code(project, purpose, to)

    return send


def spent(purpose: str, to: str = ADA) -> Step:
    def spend(project: Project) -> None:
        code(purpose, to, "000000")(project)
        (row,) = project.identity.verifications
        project.identity.verifications.replace(row._replace(attempts=3))

    return spend


def later(seconds: int) -> Step:
    return lambda project: TIMER_LOOP.advance(project, project.clock.now_ms + seconds * 1000)


def link(kind: Any, identifier: str, **more: Any) -> Step:
    def send(project: Project) -> None:
        row = issue_link(project, kind, identifier, **more)
        project.identity.verifications.replace(row._replace(value="link"))

    return send


def check_refusal(visitor: Client, project: Project, people: People, case: Case) -> None:
    """A request is refused as the reference refuses it, and changes no user."""
    for step in case.before:
        step(project)
    project.undo.mark()
    users = list(project.identity.users)
    headers = people[case.who] if case.who else {}
    method, _, path = case.path.rpartition(" ")
    response = visitor.request(method or "POST", f"{AUTH}/{path}", json=case.body, headers=headers)
    body = response.json()
    assert (response.status_code, body.get("code")) == (case.status, case.code)
    assert set(body) == {"code", "message"}
    assert isinstance(body["message"], str)
    assert body["message"]
    assert response.headers["content-type"] == "application/json"
    assert "set-auth-token" not in response.headers
    assert list(project.identity.users) == users, "a refusal changes no user"
