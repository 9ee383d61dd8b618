"""Refusals of guests, wallets, linked accounts, and of links that lead astray."""

from httpx import Client

from mockserver.state.project import Project
from tests.operations.auth_refusals.helpers import (
    EVIL,
    NEW,
    PASSWORD,
    SIWE,
    WALLET,
    Case,
    People,
    changed,
    check_refusal,
    named,
)
from tests.tables import cases

CASES = named(
    {
        "guests": (
            Case(
                "sign-in/anonymous",
                None,
                400,
                "ANONYMOUS_USERS_CANNOT_SIGN_IN_AGAIN_ANONYMOUSLY",
                "guest@example.com",
            ),
            Case(
                "unlink-account", {"providerId": "credential"}, 400, "ACCOUNT_NOT_FOUND", "guest@example.com"
            ),
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
                "refresh-token",
                {"providerId": "my space"},
                400,
                "PROVIDER_MY_SPACE_NOT_FOUND",
                "ada@example.com",
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
                Case(
                    "forget-password",
                    {"email": "a@b.example", "redirectTo": EVIL},
                    403,
                    "INVALID_REDIRECTURL",
                ),
                Case(
                    f"verify-email?token=x&callbackURL={EVIL}", None, 403, "INVALID_CALLBACKURL", method="GET"
                ),
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
)


@cases("case", *CASES.values(), ids=CASES)
def test_a_refusal_is_that_of_the_reference(
    visitor: Client, project: Project, people: People, case: Case
) -> None:
    check_refusal(visitor, project, people, case)
