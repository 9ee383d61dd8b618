"""Refusals that the reference implementation is known to give: sessions, passwords, codes, links, wallets."""

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_refusals.helpers import (
    ADA,
    BOTH,
    CHANGE,
    EVIL,
    GONE,
    GUEST,
    NEW,
    OTP,
    PASSWORD,
    PHONE,
    PLAIN,
    RIGHT_CODE,
    SIGN_IN,
    SIWE,
    UPDATE_PHONE,
    WALLET,
    WRONG_CHANGE,
    WRONG_CODE,
    WRONG_SIGN_IN,
    Case,
    People,
    changed,
    check_refusal,
    code,
    later,
    link,
    spent,
)
from tests.tables import cases

MUST_VERIFY = (changed(email_verification_required=True),)
SENT = (code("phone-verification", PHONE),)


def give_phone(project: Project) -> None:
    """Give the number to another user."""
    create_user(project, name="", email=None, phone_number=PHONE)


BODIES = (
    Case("sign-in/email", None, 400, "VALIDATION_ERROR"),
    Case("sign-in/email", [], 400, "VALIDATION_ERROR"),
    Case("revoke-session", {"token": None}, 400, "VALIDATION_ERROR", ADA),
)

SESSIONS = (
    Case("revoke-session", {"token": "x"}, 400, "SESSION_NOT_FOUND", ADA),
    Case("sign-out", None, 400, "FAILED_TO_GET_SESSION"),
)

PASSWORDS = (
    Case("sign-up/email", NEW | {"email": "ADA@example.com"}, 422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"),
    Case("sign-up/email", NEW | {"password": "1234567"}, 400, "PASSWORD_TOO_SHORT"),
    Case("sign-up/email", NEW | {"password": ""}, 400, "PASSWORD_TOO_SHORT"),
    Case("sign-up/email", NEW | {"password": "x" * 129}, 400, "PASSWORD_TOO_LONG"),
    Case("sign-up/email", {"name": "", "password": PASSWORD}, 400, "INVALID_EMAIL"),
    Case("sign-up/email", NEW | {"email": ""}, 400, "INVALID_EMAIL"),
    Case("sign-up/email", NEW | {"email": 7}, 400, "INVALID_EMAIL"),
    Case("sign-up/email", NEW | {"email": "ada@", "password": "x"}, 400, "INVALID_EMAIL"),
    Case("sign-in/email", SIGN_IN | {"email": "ada@"}, 400, "INVALID_EMAIL"),
    Case("sign-in/email", WRONG_SIGN_IN, 401, "INVALID_EMAIL_OR_PASSWORD"),
    Case("sign-in/email", SIGN_IN | {"email": "nobody@example.com"}, 401, "INVALID_EMAIL_OR_PASSWORD"),
    Case("sign-in/email", SIGN_IN | {"email": PLAIN}, 401, "INVALID_EMAIL_OR_PASSWORD"),
    Case("sign-in/email", SIGN_IN | {"password": ""}, 401, "INVALID_EMAIL_OR_PASSWORD"),
    Case("sign-in/email", SIGN_IN, 403, "EMAIL_NOT_VERIFIED", before=MUST_VERIFY),
    Case("sign-in/email", WRONG_SIGN_IN, 401, "INVALID_EMAIL_OR_PASSWORD", before=MUST_VERIFY),
    Case("change-password", WRONG_CHANGE, 400, "INVALID_PASSWORD", ADA),
    Case("change-password", WRONG_CHANGE | {"newPassword": "short"}, 400, "PASSWORD_TOO_SHORT", ADA),
    Case("change-password", CHANGE | {"newPassword": "x" * 129}, 400, "PASSWORD_TOO_LONG", ADA),
    Case("change-password", CHANGE, 400, "CREDENTIAL_ACCOUNT_NOT_FOUND", PLAIN),
)

RESET_LINKS = (
    Case("request-password-reset", {"email": "ada@"}, 400, "VALIDATION_ERROR"),
    Case("reset-password", {"newPassword": "short", "token": "x"}, 400, "PASSWORD_TOO_SHORT"),
    Case("reset-password", {"newPassword": "x" * 129, "token": "x"}, 400, "PASSWORD_TOO_LONG"),
    Case("reset-password", {"newPassword": PASSWORD, "token": "x"}, 400, "INVALID_TOKEN"),
    Case("reset-password", {"newPassword": PASSWORD}, 400, "INVALID_TOKEN"),
    Case(
        "reset-password",
        {"newPassword": PASSWORD, "token": "link"},
        400,
        "INVALID_TOKEN",
        before=(link("reset-password", "usr_x"), later(3600)),
    ),
)

ADDRESSES = (
    Case("send-verification-email", {"email": "ada@"}, 400, "VALIDATION_ERROR"),
    Case(
        "send-verification-email",
        {"email": PLAIN},
        400,
        "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL",
        ADA,
    ),
    Case(
        "send-verification-email",
        {"email": PLAIN},
        400,
        "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL",
        PLAIN,
    ),
    Case("GET verify-email?token=x", None, 401, "INVALID_TOKEN"),
    Case(
        "GET verify-email?token=link",
        None,
        401,
        "TOKEN_EXPIRED",
        before=(link("verify-email", ADA), later(3600)),
    ),
    Case("GET verify-email?token=link", None, 401, "USER_NOT_FOUND", before=(link("verify-email", GONE),)),
    Case(
        "GET verify-email?token=link",
        None,
        401,
        "UNAUTHORIZED",
        before=(link("change-email", "usr_x", new_email="new@example.com"),),
    ),
    Case("change-email", {"newEmail": "ada@"}, 400, "VALIDATION_ERROR", ADA),
    Case("change-email", {"newEmail": ADA.upper()}, 400, "EMAIL_IS_THE_SAME", ADA),
    Case("change-email", {"newEmail": PLAIN}, 422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL", ADA),
)

ONE_TIME_CODES = (
    Case("email-otp/send-verification-otp", {"email": "ada@", "type": "sign-in"}, 400, "INVALID_EMAIL"),
    Case("sign-in/email-otp", OTP | {"email": "ada@"}, 400, "INVALID_EMAIL"),
    Case("sign-in/email-otp", OTP, 400, "INVALID_OTP"),
    Case("sign-in/email-otp", OTP, 400, "INVALID_OTP", before=(code("sign-in"),)),
    Case("sign-in/email-otp", OTP, 400, "INVALID_OTP", before=(code("email-verification", text="000000"),)),
    Case("sign-in/email-otp", OTP, 400, "OTP_EXPIRED", before=(code("sign-in", text="000000"), later(300))),
    Case("sign-in/email-otp", OTP, 403, "TOO_MANY_ATTEMPTS", before=(spent("sign-in"),)),
    Case("email-otp/verify-email", OTP | {"email": "ada@"}, 400, "INVALID_EMAIL"),
    Case("email-otp/verify-email", OTP, 400, "INVALID_OTP"),
    Case("email-otp/verify-email", OTP, 403, "TOO_MANY_ATTEMPTS", before=(spent("email-verification"),)),
    Case(
        "email-otp/verify-email",
        OTP | {"email": GONE},
        400,
        "USER_NOT_FOUND",
        before=(code("email-verification", GONE, "000000"),),
    ),
    Case("email-otp/check-verification-otp", OTP | {"email": GONE, "type": "sign-in"}, 400, "USER_NOT_FOUND"),
    Case(
        "email-otp/check-verification-otp", OTP | {"email": "ada@", "type": "sign-in"}, 400, "INVALID_EMAIL"
    ),
    Case("email-otp/check-verification-otp", OTP | {"type": "sign-in"}, 400, "INVALID_OTP"),
    Case("forget-password/email-otp", {"email": "ada@"}, 400, "INVALID_EMAIL"),
    Case("forget-password/email-otp", {"email": GONE}, 400, "USER_NOT_FOUND"),
    Case("email-otp/reset-password", OTP | {"email": GONE, "password": PASSWORD}, 400, "USER_NOT_FOUND"),
    Case("email-otp/reset-password", OTP | {"password": "x" * 129}, 400, "PASSWORD_TOO_LONG"),
    Case("email-otp/reset-password", OTP | {"password": PASSWORD}, 400, "INVALID_OTP"),
)

PHONES = (
    Case("phone-number/verify", WRONG_CODE, 400, "OTP_NOT_FOUND"),
    Case("phone-number/verify", WRONG_CODE, 400, "INVALID_OTP", before=SENT),
    Case("phone-number/verify", RIGHT_CODE, 400, "OTP_EXPIRED", before=(*SENT, later(300))),
    Case(
        "phone-number/verify",
        WRONG_CODE,
        403,
        "TOO_MANY_ATTEMPTS",
        before=(spent("phone-verification", PHONE),),
    ),
    Case("phone-number/verify", UPDATE_PHONE, 401, "USER_NOT_FOUND", before=SENT),
    Case(
        "phone-number/verify",
        UPDATE_PHONE,
        400,
        "PHONE_NUMBER_ALREADY_EXISTS",
        ADA,
        before=(give_phone, *SENT),
    ),
    Case(
        "sign-in/phone-number",
        {"phoneNumber": PHONE, "password": PASSWORD},
        400,
        "INVALID_PHONE_NUMBER_OR_PASSWORD",
    ),
    Case("phone-number/forget-password", {"phoneNumber": PHONE}, 400, "PHONE_NUMBER_ISNT_REGISTERED"),
    Case("phone-number/request-password-reset", {"phoneNumber": PHONE}, 400, "PHONE_NUMBER_ISNT_REGISTERED"),
    Case(
        "phone-number/reset-password",
        {"phoneNumber": PHONE, "otp": "000000", "newPassword": PASSWORD},
        400,
        "OTP_NOT_FOUND",
    ),
)

GUESTS = (
    Case("sign-in/anonymous", None, 400, "ANONYMOUS_USERS_CANNOT_SIGN_IN_AGAIN_ANONYMOUSLY", GUEST),
    Case("unlink-account", {"providerId": "credential"}, 400, "ACCOUNT_NOT_FOUND", GUEST),
    Case("change-password", CHANGE, 400, "CREDENTIAL_ACCOUNT_NOT_FOUND", GUEST),
)

WALLETS = (
    Case("siwe/verify", SIWE, 401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE"),
    Case("link-siwe/verify", SIWE, 401, "INVALID_OR_EXPIRED_NONCE", ADA),
    Case("link-siwe/unlink", {"walletAddress": WALLET}, 400, "WALLET_NOT_FOUND", ADA),
)

LINKED_ACCOUNTS = (
    Case("unlink-account", {"providerId": "google"}, 400, "FAILED_TO_UNLINK_LAST_ACCOUNT", ADA),
    Case("unlink-account", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", BOTH),
    Case("unlink-account", {"providerId": "x", "accountId": None}, 400, "ACCOUNT_NOT_FOUND", BOTH),
    Case("sign-in/social", {"provider": "myspace"}, 404, "PROVIDER_NOT_FOUND"),
    Case("get-access-token", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", ADA),
    Case("refresh-token", {"providerId": "google"}, 400, "ACCOUNT_NOT_FOUND", ADA),
    Case("refresh-token", {"providerId": "my space"}, 400, "PROVIDER_MY_SPACE_NOT_FOUND", ADA),
    Case("get-access-token", {"providerId": "myspace"}, 400, "PROVIDER_MYSPACE_IS_NOT_SUPPORTED", ADA),
    Case("account-info", {"accountId": "x"}, 400, "ACCOUNT_NOT_FOUND", ADA),
)

LINKS_THAT_LEAD_ASTRAY = (
    Case("sign-up/email", NEW | {"callbackURL": EVIL}, 403, "INVALID_CALLBACKURL"),
    Case("sign-in/email", SIGN_IN | {"callbackURL": EVIL}, 403, "INVALID_CALLBACKURL"),
    Case("send-verification-email", {"email": ADA, "callbackURL": EVIL}, 403, "INVALID_CALLBACKURL"),
    Case("request-password-reset", {"email": ADA, "redirectTo": EVIL}, 403, "INVALID_REDIRECTURL"),
    Case("forget-password", {"email": "a@b.example", "redirectTo": EVIL}, 403, "INVALID_REDIRECTURL"),
    Case(f"GET verify-email?token=x&callbackURL={EVIL}", None, 403, "INVALID_CALLBACKURL"),
    Case(f"GET reset-password/x?callbackURL={EVIL}", None, 403, "INVALID_CALLBACKURL"),
    Case("sign-in/social", {"provider": "google", "errorCallbackURL": EVIL}, 403, "INVALID_ERRORCALLBACKURL"),
    Case(
        "sign-in/social",
        {"provider": "google", "newUserCallbackURL": EVIL},
        403,
        "INVALID_NEWUSERCALLBACKURL",
    ),
)

SECTIONS = {
    "bodies": BODIES,
    "sessions": SESSIONS,
    "passwords": PASSWORDS,
    "reset links": RESET_LINKS,
    "addresses": ADDRESSES,
    "one-time codes": ONE_TIME_CODES,
    "phones": PHONES,
    "guests": GUESTS,
    "wallets": WALLETS,
    "linked accounts": LINKED_ACCOUNTS,
}
CASES = {
    f"{section}: {case.path.partition('?')[0]} {case.code} {number}": case
    for section, rows in SECTIONS.items()
    for number, case in enumerate(rows)
}


@cases("case", *CASES.values(), ids=CASES)
def test_a_refusal_is_that_of_the_reference(
    visitor: Client, project: Project, people: People, case: Case
) -> None:
    check_refusal(visitor, project, people, case)


@cases("case", *LINKS_THAT_LEAD_ASTRAY, ids=lambda case: case.path)
def test_a_link_that_leads_astray_is_refused(
    visitor: Client, project: Project, people: People, case: Case
) -> None:
    changed(trusted_origins=("https://shop.example",))(project)
    check_refusal(visitor, project, people, case)


def test_what_is_no_json_is_refused(visitor: Client) -> None:
    response = visitor.post(
        f"{AUTH}/sign-up/email", content=b"{", headers={"content-type": "application/json"}
    )
    assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST")
    response = visitor.post(f"{AUTH}/sign-up/email", content=b"{}", headers={"content-type": "text/plain"})
    assert (response.status_code, response.json()["code"]) == (400, "VALIDATION_ERROR")


@cases("path", "email-otp/get-verification-otp", "email-otp/create-verification-otp", "x")
def test_what_only_a_server_may_ask_is_not_there(visitor: Client, path: str) -> None:
    assert visitor.post(f"{AUTH}/{path}", json={}).status_code == 404
