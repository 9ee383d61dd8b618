"""Refusals of mailed links, one-time codes and phones."""

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project
from tests.operations.auth_refusals.helpers import (
    OTP,
    PASSWORD,
    PHONE,
    Case,
    People,
    check_refusal,
    code,
    later,
    link,
    named,
    spent,
)
from tests.tables import cases

CASES = named(
    {
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
            Case(
                "change-email", {"newEmail": "ada@example.com"}, 400, "EMAIL_IS_THE_SAME", "ada@example.com"
            ),
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
                "email-otp/send-verification-otp",
                {"email": "a@b.example", "type": "x"},
                400,
                "VALIDATION_ERROR",
            ),
            Case(
                "email-otp/send-verification-otp", {"email": "ada@", "type": "sign-in"}, 400, "INVALID_EMAIL"
            ),
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
                "email-otp/verify-email", OTP, 403, "TOO_MANY_ATTEMPTS", before=(spent("email-verification"),)
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
    }
)


@cases("case", *CASES.values(), ids=CASES)
def test_a_refusal_is_that_of_the_reference(
    visitor: Client, project: Project, people: People, case: Case
) -> None:
    check_refusal(visitor, project, people, case)
