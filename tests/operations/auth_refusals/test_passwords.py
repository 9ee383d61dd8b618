"""Refusals of bodies, sessions and passwords."""

from httpx import Client

from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_refusals.helpers import (
    NEW,
    PASSWORD,
    Case,
    People,
    changed,
    check_refusal,
    later,
    link,
    named,
)
from tests.tables import cases

CASES = named(
    {
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
                "sign-up/email",
                NEW | {"email": "ADA@example.com"},
                422,
                "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
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
            Case(
                "sign-in/email",
                {"email": "ada@example.com", "password": ""},
                401,
                "INVALID_EMAIL_OR_PASSWORD",
            ),
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
    }
)


@cases("case", *CASES.values(), ids=CASES)
def test_a_refusal_is_that_of_the_reference(
    visitor: Client, project: Project, people: People, case: Case
) -> None:
    check_refusal(visitor, project, people, case)


def test_what_is_no_json_is_refused(visitor: Client) -> None:
    response = visitor.post(
        f"{AUTH}/sign-up/email", content=b"{", headers={"content-type": "application/json"}
    )
    assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST")
    response = visitor.post(f"{AUTH}/sign-up/email", content=b"{}", headers={"content-type": "text/plain"})
    assert (response.status_code, response.json()["code"]) == (400, "VALIDATION_ERROR")


def test_a_session_of_another_user_is_not_revoked(visitor: Client, project: Project, people: People) -> None:
    project.undo.mark()
    token = people["plain@example.com"]["authorization"].removeprefix("Bearer ")
    headers = people["ada@example.com"]
    refused = visitor.post(f"{AUTH}/revoke-session", json={"token": token}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")


@cases("path", "email-otp/get-verification-otp", "email-otp/create-verification-otp", "x")
def test_what_only_a_server_may_ask_is_not_there(visitor: Client, path: str) -> None:
    assert visitor.post(f"{AUTH}/{path}", json={}).status_code == 404
