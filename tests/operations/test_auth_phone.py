"""Phone numbers: codes by text message, and passwords reset with them."""

from collections.abc import Callable

import pytest
from httpx import Client, Response

from mockserver.domain.identity.passwords import set_password
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.identity import User
from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of
from tests.tables import cases

NUMBER = "+15550100"
SignedIn = Callable[[str], dict[str, str]]


def send(visitor: Client, project: Project, number: str = NUMBER) -> str:
    response = visitor.post(f"{AUTH}/phone-number/send-otp", json={"phoneNumber": number})
    assert response.json() == {"message": "code sent"}
    text = project.outbox.last("channel", "sms")
    assert text is not None
    assert text.to == number
    return text.code or ""


def verify(visitor: Client, code: str, headers: dict[str, str] | None = None, **body: object) -> Response:
    sent = {"phoneNumber": NUMBER, "code": code} | body
    return visitor.post(f"{AUTH}/phone-number/verify", json=sent, headers=headers or {})


@pytest.fixture
def bob(project: Project) -> User:
    user = create_user(project, name="Bob", email="bob@example.com", phone_number=NUMBER)
    set_password(project, user, "correct horse")
    project.undo.mark()
    return user


def test_a_code_signs_an_unknown_number_in_as_a_new_user(visitor: Client, project: Project) -> None:
    response = verify(visitor, send(visitor, project))
    body = response.json()
    assert body == {
        "status": True,
        "token": body["token"],
        "user": {
            "id": body["user"]["id"],
            "email": None,
            "emailVerified": False,
            "name": NUMBER,
            "image": None,
            "phoneNumber": NUMBER,
            "phoneNumberVerified": True,
            "createdAt": "2026-01-01T00:00:00.000Z",
            "updatedAt": "2026-01-01T00:00:00.000Z",
        },
    }
    assert response.headers["set-auth-token"].startswith(body["token"])
    again = verify(visitor, send(visitor, project)).json()
    assert again["user"] == body["user"]
    me = visitor.get("/iam/v2/me", headers={"authorization": f"Bearer {again['token']}"}).json()
    assert (me["phoneNumber"], me["email"]) == (NUMBER, None)


def test_a_verification_need_not_sign_in(visitor: Client, project: Project, bob: User) -> None:
    body = verify(visitor, send(visitor, project), disableSession=True).json()
    assert (body["token"], body["user"]["id"]) == (None, bob.id)
    assert len(project.identity.sessions) == 0


def test_a_signed_in_user_takes_on_a_number(visitor: Client, project: Project, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    response = verify(visitor, send(visitor, project), session, updatePhoneNumber=True)
    body = response.json()
    assert session["authorization"] == f"Bearer {body['token']}"
    assert body["user"]["email"] == "ada@example.com"
    (user,) = project.identity.users
    assert (user.phone_number, user.phone_number_verified) == (NUMBER, True)
    assert len(project.identity.sessions) == 1


def test_a_user_changes_to_another_number(visitor: Client, project: Project, signed_in: SignedIn) -> None:
    session = signed_in("ada@example.com")
    shown = []
    for number in (NUMBER, NUMBER, "+15550199"):
        TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
        code = send(visitor, project, number)
        answer = verify(visitor, code, session, updatePhoneNumber=True, phoneNumber=number).json()["user"]
        shown.append((answer["phoneNumber"], answer["updatedAt"]))
    assert shown == [
        (NUMBER, "2026-01-01T00:01:00.000Z"),
        (NUMBER, "2026-01-01T00:01:00.000Z"),
        ("+15550199", "2026-01-01T00:03:00.000Z"),
    ]


def test_a_number_is_taken_on_with_a_session_and_once_only(
    visitor: Client, project: Project, bob: User, signed_in: SignedIn
) -> None:
    code = send(visitor, project)
    assert error_of(verify(visitor, code, updatePhoneNumber=True)) == (401, "USER_NOT_FOUND")
    assert error_of(verify(visitor, code, updatePhoneNumber=True)) == (400, "OTP_NOT_FOUND")
    taken = verify(visitor, send(visitor, project), signed_in("ada@example.com"), updatePhoneNumber=True)
    assert error_of(taken) == (400, "PHONE_NUMBER_ALREADY_EXISTS")
    own = verify(visitor, send(visitor, project), signed_in("bob@example.com"), updatePhoneNumber=True)
    assert own.json()["user"]["id"] == bob.id


def test_a_number_and_a_password_sign_in(visitor: Client, bob: User) -> None:
    path = f"{AUTH}/sign-in/phone-number"
    response = visitor.post(path, json={"phoneNumber": NUMBER, "password": "correct horse"})
    assert response.json()["user"]["phoneNumber"] == NUMBER
    assert response.headers["set-auth-token"].startswith(response.json()["token"])
    for number, password in ((NUMBER, "wrong horse"), ("+15550199", "correct horse")):
        refused = visitor.post(path, json={"phoneNumber": number, "password": password})
        assert error_of(refused) == (400, "INVALID_PHONE_NUMBER_OR_PASSWORD")


@cases("path", "forget-password", "request-password-reset")
def test_a_code_leads_to_a_new_password(visitor: Client, project: Project, bob: User, path: str) -> None:
    response = visitor.post(f"{AUTH}/phone-number/{path}", json={"phoneNumber": NUMBER})
    assert response.json() == {"status": True}
    text = project.outbox.last("to", NUMBER)
    assert text is not None
    reset = f"{AUTH}/phone-number/reset-password"
    body = {"phoneNumber": NUMBER, "otp": text.code, "newPassword": "short"}
    assert error_of(visitor.post(reset, json=body)) == (400, "PASSWORD_TOO_SHORT")
    body["newPassword"] = "battery staple"
    assert visitor.post(reset, json=body).json() == {"status": True}
    assert error_of(visitor.post(reset, json=body)) == (400, "OTP_NOT_FOUND")
    credentials = {"phoneNumber": NUMBER, "password": "battery staple"}
    assert visitor.post(f"{AUTH}/sign-in/phone-number", json=credentials).status_code == 200


@cases(
    "path",
    "sign-in/phone-number",
    *(
        f"phone-number/{name}"
        for name in ("send-otp", "verify", "forget-password", "request-password-reset", "reset-password")
    ),
)
@cases("number", "", "15555550100", "+0155555501", "+1", "+1 555 555 0100", "+1555555010012345", "+1555x")
def test_a_phone_number_is_in_the_form_of_e164(visitor: Client, path: str, number: str) -> None:
    body = {"phoneNumber": number, "password": "correct horse", "newPassword": "correct horse"}
    refused = visitor.post(f"{AUTH}/{path}", json=body | {"otp": "123456", "code": "123456"})
    assert error_of(refused) == (400, "INVALID_PHONE_NUMBER")
    assert "phoneNumber" in refused.json()["message"]


def test_a_deleted_users_code_is_void(visitor: Client, api: Client, project: Project, bob: User) -> None:
    visitor.post(f"{AUTH}/phone-number/forget-password", json={"phoneNumber": NUMBER})
    text = project.outbox.last("to", NUMBER)
    assert text is not None
    assert api.delete(f"/v2/users/{bob.id}").status_code == 200
    body = {"phoneNumber": NUMBER, "otp": text.code, "newPassword": "battery staple"}
    refused = visitor.post(f"{AUTH}/phone-number/reset-password", json=body)
    assert error_of(refused) == (400, "PHONE_NUMBER_ISNT_REGISTERED")
    assert len(project.identity.users) == 0
