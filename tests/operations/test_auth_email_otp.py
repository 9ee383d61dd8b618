"""One-time codes by mail."""

from collections.abc import Callable

from httpx import Client, Response

from mockserver.domain.identity.users import create_user, user_of_email
from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of
from tests.tables import cases

ADA = "ada@example.com"
SignedIn = Callable[[str], dict[str, str]]


def send(visitor: Client, project: Project, purpose: str, email: str = ADA) -> str:
    body = {"email": email, "type": purpose}
    assert visitor.post(f"{AUTH}/email-otp/send-verification-otp", json=body).json() == {"success": True}
    mail = project.outbox.last("kind", purpose)
    assert mail is not None
    assert mail.code is not None
    assert mail.to == email.lower()
    assert mail.code in mail.text
    return mail.code


def sign_in(visitor: Client, otp: str, email: str = ADA, **headers: str) -> Response:
    return visitor.post(f"{AUTH}/sign-in/email-otp", json={"email": email, "otp": otp}, headers=headers)


def test_a_code_signs_an_unknown_address_in_as_a_new_user(visitor: Client, project: Project) -> None:
    response = sign_in(visitor, send(visitor, project, "sign-in", "Ada@example.com"))
    body = response.json()
    assert body["user"]["email"] == ADA
    assert body["user"]["emailVerified"] is True
    assert body["user"]["name"] == ""
    assert response.headers["set-auth-token"].startswith(body["token"])
    assert len(project.identity.linked_accounts) == 0
    assert sign_in(visitor, send(visitor, project, "sign-in")).json()["user"]["id"] == body["user"]["id"]


def test_a_code_verifies_the_address_of_a_known_user(visitor: Client, project: Project) -> None:
    user = create_user(project, name="Ada", email=ADA)
    project.undo.mark()
    assert sign_in(visitor, send(visitor, project, "sign-in")).json()["user"]["id"] == user.id
    assert project.identity.users[user.id].email_verified


def test_a_code_verifies_an_address_without_signing_in(visitor: Client, project: Project) -> None:
    create_user(project, name="Ada", email=ADA)
    project.undo.mark()
    code = send(visitor, project, "email-verification")
    checked = {"email": ADA, "type": "email-verification", "otp": code}
    for _ in range(2):
        response = visitor.post(f"{AUTH}/email-otp/check-verification-otp", json=checked)
        assert response.json() == {"success": True}
    body = visitor.post(f"{AUTH}/email-otp/verify-email", json={"email": ADA, "otp": code}).json()
    assert (body["status"], body["token"], body["user"]["emailVerified"]) == (True, None, True)
    again = visitor.post(f"{AUTH}/email-otp/verify-email", json={"email": ADA, "otp": code})
    assert error_of(again) == (400, "INVALID_OTP")


def test_an_unknown_users_code_verifies_nothing_and_is_spent(visitor: Client, project: Project) -> None:
    code = send(visitor, project, "email-verification")
    body = {"email": ADA, "otp": code}
    assert error_of(visitor.post(f"{AUTH}/email-otp/verify-email", json=body)) == (400, "USER_NOT_FOUND")
    assert error_of(visitor.post(f"{AUTH}/email-otp/verify-email", json=body)) == (400, "INVALID_OTP")


@cases("older", True, False)
def test_a_code_leads_to_a_new_password(visitor: Client, project: Project, older: bool) -> None:
    create_user(project, name="Ada", email=ADA)
    project.undo.mark()
    if older:
        code = send(visitor, project, "forget-password")
    else:
        sent = visitor.post(f"{AUTH}/forget-password/email-otp", json={"email": ADA})
        assert sent.json() == {"success": True}
        mail = project.outbox.last("kind", "forget-password")
        assert mail is not None
        code = mail.code or ""
    body = {"email": ADA, "otp": code, "password": "short"}
    path = f"{AUTH}/email-otp/reset-password"
    assert error_of(visitor.post(path, json=body)) == (400, "PASSWORD_TOO_SHORT")
    body["password"] = "battery staple"
    assert visitor.post(path, json=body).json() == {"status": True}
    assert error_of(visitor.post(path, json=body)) == (400, "INVALID_OTP")
    signed_in = visitor.post(f"{AUTH}/sign-in/email", json={"email": ADA, "password": "battery staple"})
    assert signed_in.json()["user"]["emailVerified"] is True


def test_an_unknown_user_gets_no_code_to_reset_a_password(visitor: Client, project: Project) -> None:
    body = {"email": "nobody@example.com", "type": "forget-password"}
    assert visitor.post(f"{AUTH}/email-otp/send-verification-otp", json=body).json() == {"success": True}
    assert len(project.outbox) == 0


def test_an_anonymous_user_becomes_the_one_who_signs_in(visitor: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    code = send(visitor, project, "sign-in")
    body = sign_in(visitor, code, authorization=f"Bearer {guest['token']}").json()
    assert body["user"]["id"] != guest["user"]["id"]
    assert [user.id for user in project.identity.users] == [body["user"]["id"]]
    assert user_of_email(project, ADA) is not None
