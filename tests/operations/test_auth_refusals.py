"""Every refusal that the reference implementation is known to give: its status, its code, its shape."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import httpx
import pytest

from mockserver.domain.identity.mailed_links import issue_link
from mockserver.domain.identity.one_time_codes import issue_code
from mockserver.domain.identity.passwords import set_password
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user, link_account
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project

AUTH = "/iam/v2/auth"
PASSWORD = "correct horse"
PHONE = "+15555550100"
WALLET = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
EVIL = "https://evil.example/"
NEW = {"name": "New", "email": "new@example.com", "password": PASSWORD}
SIWE = {"message": "hello", "signature": "0x00", "walletAddress": WALLET}
OTP = {"email": "ada@example.com", "otp": "000000"}
Step = Callable[[Project], object]


class Case(NamedTuple):
    """A request, who sends it, and how it is refused."""

    path: str
    body: Any
    status: int
    code: str
    who: str | None = None
    """The e-mail address of the signed-in user who sends it."""
    before: tuple[Step, ...] = ()
    method: str = "POST"


def changed(**settings: Any) -> Step:
    def change(project: Project) -> None:
        project.settings = replace(project.settings, **settings)

    return change


def code(purpose: str, to: str = "ada@example.com", text: str = "123456") -> Step:
    def send(project: Project) -> None:
        project.settings = replace(project.settings, one_time_code=text)
        issue_code(project, purpose, to)

    return send


def spent(purpose: str, to: str = "ada@example.com") -> Step:
    def spend(project: Project) -> None:
        code(purpose, to, "000000")(project)
        (row,) = project.identity.verifications
        project.identity.verifications.replace(row._replace(attempts=3))

    return spend


def later(seconds: int) -> Step:
    return lambda project: TIMER_LOOP.advance(project, project.clock.now_ms + seconds * 1000)


def link(kind: Any, identifier: str, **more: Any) -> Step:
    def send(project: Project) -> None:
        row = issue_link(project, kind, identifier, 24, **more)
        project.identity.verifications.replace(row._replace(value="link"))

    return send


SECTIONS = {
    "bodies": (
        Case("sign-in/email", {"password": PASSWORD}, 400, "VALIDATION_ERROR"),
        Case("sign-in/email", None, 400, "VALIDATION_ERROR"),
        Case("sign-in/email", [], 400, "VALIDATION_ERROR"),
        Case("sign-in/email", {"email": 1, "password": PASSWORD}, 400, "VALIDATION_ERROR"),
        Case("revoke-session", {"token": None}, 400, "VALIDATION_ERROR", "ada@example.com"),
        Case("verify-email", None, 400, "VALIDATION_ERROR", method="GET"),
    ),
    "sessions": (
        Case("get-session", None, 401, "UNAUTHORIZED", method="GET"),
        Case("list-sessions", None, 401, "UNAUTHORIZED", method="GET"),
        Case("list-accounts", None, 401, "UNAUTHORIZED", method="GET"),
        Case("revoke-session", {"token": "x"}, 401, "UNAUTHORIZED"),
        Case("revoke-session", {"token": "x"}, 400, "SESSION_NOT_FOUND", "ada@example.com"),
        Case("revoke-sessions", {}, 401, "UNAUTHORIZED"),
        Case("revoke-other-sessions", {}, 401, "UNAUTHORIZED"),
        Case("sign-out", {}, 400, "FAILED_TO_GET_SESSION"),
    ),
    "passwords": (
        Case(
            "sign-up/email", NEW | {"email": "ADA@example.com"}, 422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"
        ),
        Case("sign-up/email", NEW | {"password": "1234567"}, 400, "PASSWORD_TOO_SHORT"),
        Case("sign-up/email", NEW | {"password": ""}, 400, "PASSWORD_TOO_SHORT"),
        Case("sign-up/email", NEW | {"password": "x" * 129}, 400, "PASSWORD_TOO_LONG"),
        Case("sign-up/email", {"name": "", "password": PASSWORD}, 400, "INVALID_EMAIL"),
        Case("sign-up/email", NEW | {"email": ""}, 400, "INVALID_EMAIL"),
        Case("sign-up/email", NEW | {"email": 7}, 400, "INVALID_EMAIL"),
        Case("sign-up/email", NEW | {"email": "ada@", "password": "x"}, 400, "INVALID_EMAIL"),
        Case("sign-up/email", {"name": "", "email": "a@b.example"}, 400, "VALIDATION_ERROR"),
        Case("sign-up/email", {"email": "a@b.example", "password": PASSWORD}, 400, "VALIDATION_ERROR"),
        Case("sign-in/email", {"email": "ada@", "password": PASSWORD}, 400, "INVALID_EMAIL"),
        Case(
            "sign-in/email",
            {"email": "ada@example.com", "password": "wrong horse"},
            401,
            "INVALID_EMAIL_OR_PASSWORD",
        ),
        Case(
            "sign-in/email",
            {"email": "nobody@example.com", "password": PASSWORD},
            401,
            "INVALID_EMAIL_OR_PASSWORD",
        ),
        Case(
            "sign-in/email",
            {"email": "plain@example.com", "password": PASSWORD},
            401,
            "INVALID_EMAIL_OR_PASSWORD",
        ),
        Case("sign-in/email", {"email": "ada@example.com", "password": ""}, 401, "INVALID_EMAIL_OR_PASSWORD"),
        Case(
            "sign-in/email",
            {"email": "ada@example.com", "password": PASSWORD},
            403,
            "EMAIL_NOT_VERIFIED",
            before=(changed(email_verification_required=True),),
        ),
        Case(
            "sign-in/email",
            {"email": "ada@example.com", "password": "wrong horse"},
            401,
            "INVALID_EMAIL_OR_PASSWORD",
            before=(changed(email_verification_required=True),),
        ),
        Case(
            "change-password",
            {"currentPassword": "wrong horse", "newPassword": "battery staple"},
            400,
            "INVALID_PASSWORD",
            "ada@example.com",
        ),
        Case(
            "change-password",
            {"currentPassword": "wrong horse", "newPassword": "short"},
            400,
            "PASSWORD_TOO_SHORT",
            "ada@example.com",
        ),
        Case(
            "change-password",
            {"currentPassword": PASSWORD, "newPassword": "x" * 129},
            400,
            "PASSWORD_TOO_LONG",
            "ada@example.com",
        ),
        Case(
            "change-password",
            {"currentPassword": PASSWORD, "newPassword": "battery staple"},
            400,
            "CREDENTIAL_ACCOUNT_NOT_FOUND",
            "plain@example.com",
        ),
    ),
    "reset links": (
        Case("request-password-reset", {"email": "ada@"}, 400, "VALIDATION_ERROR"),
        Case("forget-password", {}, 400, "VALIDATION_ERROR"),
        Case("reset-password", {"newPassword": "short", "token": "x"}, 400, "PASSWORD_TOO_SHORT"),
        Case("reset-password", {"newPassword": PASSWORD, "token": "x"}, 400, "INVALID_TOKEN"),
        Case("reset-password", {"newPassword": PASSWORD}, 400, "INVALID_TOKEN"),
        Case(
            "reset-password",
            {"newPassword": PASSWORD, "token": "link"},
            400,
            "INVALID_TOKEN",
            before=(link("reset-password", "usr_x"), later(3600)),
        ),
    ),
    "addresses": (
        Case("send-verification-email", {"email": "ada@"}, 400, "VALIDATION_ERROR"),
        Case(
            "send-verification-email",
            {"email": "plain@example.com"},
            400,
            "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL",
            "ada@example.com",
        ),
        Case(
            "send-verification-email",
            {"email": "plain@example.com"},
            400,
            "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL",
            "plain@example.com",
        ),
        Case("verify-email?token=x", None, 401, "INVALID_TOKEN", method="GET"),
        Case(
            "verify-email?token=link",
            None,
            401,
            "TOKEN_EXPIRED",
            before=(link("verify-email", "ada@example.com"), later(3600)),
            method="GET",
        ),
        Case(
            "verify-email?token=link",
            None,
            401,
            "USER_NOT_FOUND",
            before=(link("verify-email", "gone@example.com"),),
            method="GET",
        ),
        Case(
            "verify-email?token=link",
            None,
            401,
            "UNAUTHORIZED",
            before=(link("change-email", "usr_x", new_email="new@example.com"),),
            method="GET",
        ),
        Case("change-email", {"newEmail": "x@y.example"}, 401, "UNAUTHORIZED"),
        Case("change-email", {"newEmail": "ada@example.com"}, 400, "EMAIL_IS_THE_SAME", "ada@example.com"),
        Case(
            "change-email",
            {"newEmail": "plain@example.com"},
            422,
            "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
            "ada@example.com",
        ),
    ),
    "one-time codes": (
        Case(
            "email-otp/send-verification-otp", {"email": "a@b.example", "type": "x"}, 400, "VALIDATION_ERROR"
        ),
        Case("email-otp/send-verification-otp", {"email": "ada@", "type": "sign-in"}, 400, "INVALID_EMAIL"),
        Case("sign-in/email-otp", OTP, 400, "INVALID_OTP"),
        Case("sign-in/email-otp", OTP, 400, "INVALID_OTP", before=(code("sign-in"),)),
        Case(
            "sign-in/email-otp",
            OTP,
            400,
            "INVALID_OTP",
            before=(code("email-verification", text="000000"),),
        ),
        Case(
            "sign-in/email-otp",
            OTP,
            400,
            "OTP_EXPIRED",
            before=(code("sign-in", text="000000"), later(300)),
        ),
        Case("sign-in/email-otp", OTP, 403, "TOO_MANY_ATTEMPTS", before=(spent("sign-in"),)),
        Case("email-otp/verify-email", OTP, 400, "INVALID_OTP"),
        Case(
            "email-otp/verify-email",
            OTP,
            403,
            "TOO_MANY_ATTEMPTS",
            before=(spent("email-verification"),),
        ),
        Case(
            "email-otp/verify-email",
            OTP | {"email": "gone@example.com"},
            400,
            "USER_NOT_FOUND",
            before=(code("email-verification", "gone@example.com", "000000"),),
        ),
        Case(
            "email-otp/check-verification-otp",
            OTP | {"email": "gone@example.com", "type": "sign-in"},
            400,
            "USER_NOT_FOUND",
        ),
        Case(
            "email-otp/check-verification-otp",
            OTP | {"email": "ada@", "type": "sign-in"},
            400,
            "INVALID_EMAIL",
        ),
        Case("email-otp/check-verification-otp", OTP | {"type": "sign-in"}, 400, "INVALID_OTP"),
        Case("forget-password/email-otp", {"email": "gone@example.com"}, 400, "USER_NOT_FOUND"),
        Case(
            "email-otp/reset-password",
            OTP | {"email": "gone@example.com", "password": PASSWORD},
            400,
            "USER_NOT_FOUND",
        ),
        Case("email-otp/reset-password", OTP | {"password": PASSWORD}, 400, "INVALID_OTP"),
    ),
    "phones": (
        Case("phone-number/verify", {"phoneNumber": PHONE, "code": "000000"}, 400, "OTP_NOT_FOUND"),
        Case(
            "phone-number/verify",
            {"phoneNumber": PHONE, "code": "000000"},
            400,
            "INVALID_OTP",
            before=(code("phone-verification", PHONE),),
        ),
        Case(
            "phone-number/verify",
            {"phoneNumber": PHONE, "code": "123456"},
            400,
            "OTP_EXPIRED",
            before=(code("phone-verification", PHONE), later(300)),
        ),
        Case(
            "phone-number/verify",
            {"phoneNumber": PHONE, "code": "000000"},
            403,
            "TOO_MANY_ATTEMPTS",
            before=(spent("phone-verification", PHONE),),
        ),
        Case(
            "phone-number/verify",
            {"phoneNumber": PHONE, "code": "123456", "updatePhoneNumber": True},
            401,
            "USER_NOT_FOUND",
            before=(code("phone-verification", PHONE),),
        ),
        Case(
            "phone-number/verify",
            {"phoneNumber": PHONE, "code": "123456", "updatePhoneNumber": True},
            400,
            "PHONE_NUMBER_ALREADY_EXISTS",
            "ada@example.com",
            before=(
                lambda project: create_user(project, name="", email=None, phone_number=PHONE),
                code("phone-verification", PHONE),
            ),
        ),
        Case(
            "sign-in/phone-number",
            {"phoneNumber": PHONE, "password": PASSWORD},
            400,
            "INVALID_PHONE_NUMBER_OR_PASSWORD",
        ),
        Case("phone-number/forget-password", {"phoneNumber": PHONE}, 400, "PHONE_NUMBER_ISNT_REGISTERED"),
        Case(
            "phone-number/request-password-reset",
            {"phoneNumber": PHONE},
            400,
            "PHONE_NUMBER_ISNT_REGISTERED",
        ),
        Case(
            "phone-number/reset-password",
            {"phoneNumber": PHONE, "otp": "000000", "newPassword": PASSWORD},
            400,
            "OTP_NOT_FOUND",
        ),
    ),
    "guests": (
        Case(
            "sign-in/anonymous",
            None,
            400,
            "ANONYMOUS_USERS_CANNOT_SIGN_IN_AGAIN_ANONYMOUSLY",
            "guest@example.com",
        ),
        Case("unlink-account", {"providerId": "credential"}, 400, "ACCOUNT_NOT_FOUND", "guest@example.com"),
        Case(
            "change-password",
            {"currentPassword": PASSWORD, "newPassword": "battery staple"},
            400,
            "CREDENTIAL_ACCOUNT_NOT_FOUND",
            "guest@example.com",
        ),
    ),
    "wallets": (
        Case("siwe/nonce", {"walletAddress": "0x12"}, 400, "VALIDATION_ERROR"),
        Case("siwe/nonce", {"walletAddress": WALLET, "chainId": "1"}, 400, "VALIDATION_ERROR"),
        Case("siwe/nonce", {"walletAddress": WALLET, "chainId": 0}, 400, "VALIDATION_ERROR"),
        Case("siwe/nonce", {"walletAddress": WALLET, "chainId": 2**31}, 400, "VALIDATION_ERROR"),
        Case("siwe/verify", SIWE, 401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE"),
        Case("link-siwe/nonce", {"walletAddress": WALLET}, 401, "UNAUTHORIZED"),
        Case("link-siwe/verify", SIWE, 401, "UNAUTHORIZED"),
        Case("link-siwe/verify", SIWE, 401, "INVALID_OR_EXPIRED_NONCE", "ada@example.com"),
        Case("link-siwe/list-wallets", None, 401, "UNAUTHORIZED", method="GET"),
        Case("link-siwe/unlink", {"walletAddress": WALLET}, 400, "WALLET_NOT_FOUND", "ada@example.com"),
    ),
    "linked accounts": (
        Case("unlink-account", {"providerId": "x"}, 401, "UNAUTHORIZED"),
        Case(
            "unlink-account",
            {"providerId": "google"},
            400,
            "FAILED_TO_UNLINK_LAST_ACCOUNT",
            "ada@example.com",
        ),
        Case("unlink-account", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", "both@example.com"),
        Case(
            "unlink-account",
            {"providerId": "x", "accountId": None},
            400,
            "ACCOUNT_NOT_FOUND",
            "both@example.com",
        ),
        Case("sign-in/social", {}, 400, "VALIDATION_ERROR"),
        Case("sign-in/social", {"provider": "myspace"}, 404, "PROVIDER_NOT_FOUND"),
        Case("link-social", {"provider": "google"}, 401, "UNAUTHORIZED"),
        Case("get-access-token", {"providerId": "google"}, 401, "UNAUTHORIZED"),
        Case("get-access-token", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", "ada@example.com"),
        Case("refresh-token", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", "ada@example.com"),
        Case(
            "refresh-token", {"providerId": "my space"}, 400, "PROVIDER_MY_SPACE_NOT_FOUND", "ada@example.com"
        ),
        Case(
            "get-access-token",
            {"providerId": "myspace"},
            400,
            "PROVIDER_MYSPACE_IS_NOT_SUPPORTED",
            "ada@example.com",
        ),
        Case("account-info", {"accountId": "x"}, 400, "ACCOUNT_NOT_FOUND", "ada@example.com"),
    ),
    "links that lead astray": tuple(
        replaced._replace(before=(changed(trusted_origins=("https://shop.example",)),))
        for replaced in (
            Case("sign-up/email", NEW | {"callbackURL": EVIL}, 403, "INVALID_CALLBACKURL"),
            Case(
                "sign-in/email",
                {"email": "ada@example.com", "password": PASSWORD, "callbackURL": EVIL},
                403,
                "INVALID_CALLBACKURL",
            ),
            Case(
                "request-password-reset",
                {"email": "ada@example.com", "redirectTo": EVIL},
                403,
                "INVALID_REDIRECTURL",
            ),
            Case("forget-password", {"email": "a@b.example", "redirectTo": EVIL}, 403, "INVALID_REDIRECTURL"),
            Case(f"verify-email?token=x&callbackURL={EVIL}", None, 403, "INVALID_CALLBACKURL", method="GET"),
            Case(f"reset-password/x?callbackURL={EVIL}", None, 403, "INVALID_CALLBACKURL", method="GET"),
            Case(
                "sign-in/social",
                {"provider": "google", "errorCallbackURL": EVIL},
                403,
                "INVALID_ERRORCALLBACKURL",
            ),
            Case(
                "sign-in/social",
                {"provider": "google", "newUserCallbackURL": EVIL},
                403,
                "INVALID_NEWUSERCALLBACKURL",
            ),
        )
    ),
}

CASES = [
    pytest.param(case, id=f"{section}: {case.path.partition('?')[0]} {case.code} {number}")
    for section, cases in SECTIONS.items()
    for number, case in enumerate(cases)
]


@pytest.fixture
def people(project: Project) -> dict[str, dict[str, str]]:
    """Users with and without a password, verified and not, and the headers of their sessions."""
    ada = create_user(project, name="Ada", email="ada@example.com")
    plain = create_user(project, name="", email="plain@example.com", email_verified=True)
    both = create_user(project, name="Both", email="both@example.com")
    guest = create_user(project, name="", email="guest@example.com", is_anonymous=True)
    for user in (ada, both):
        set_password(project, user, PASSWORD)
    link_account(project, both, "firebase", "fb-7")
    sessions = {user.email or "": open_session(project, user) for user in (ada, plain, both, guest)}
    return {email: {"authorization": f"Bearer {row.token}"} for email, row in sessions.items()}


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_is_that_of_the_reference(
    visitor: httpx.Client, project: Project, people: dict[str, dict[str, str]], case: Case
) -> None:
    for step in case.before:
        step(project)
    project.undo.mark()
    users = list(project.identity.users)
    headers = people[case.who] if case.who else {}
    response = visitor.request(case.method, f"{AUTH}/{case.path}", json=case.body, headers=headers)
    body = response.json()
    assert (response.status_code, body.get("code")) == (case.status, case.code)
    assert set(body) == {"code", "message"}
    assert isinstance(body["message"], str)
    assert body["message"]
    assert response.headers["content-type"] == "application/json"
    assert "set-auth-token" not in response.headers
    assert list(project.identity.users) == users, "a refusal changes nobody"


def test_what_is_no_json_is_refused(visitor: httpx.Client) -> None:
    response = visitor.post(
        f"{AUTH}/sign-up/email", content=b"{", headers={"content-type": "application/json"}
    )
    assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST")
    response = visitor.post(f"{AUTH}/sign-up/email", content=b"{}", headers={"content-type": "text/plain"})
    assert (response.status_code, response.json()["code"]) == (400, "VALIDATION_ERROR")


def test_a_session_of_another_user_is_not_revoked(
    visitor: httpx.Client, project: Project, people: dict[str, dict[str, str]]
) -> None:
    project.undo.mark()
    token = people["plain@example.com"]["authorization"].removeprefix("Bearer ")
    headers = people["ada@example.com"]
    refused = visitor.post(f"{AUTH}/revoke-session", json={"token": token}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("path", ["email-otp/get-verification-otp", "email-otp/create-verification-otp", "x"])
def test_what_only_a_server_may_ask_is_not_there(visitor: httpx.Client, path: str) -> None:
    assert visitor.post(f"{AUTH}/{path}", json={}).status_code == 404
