"""How long sessions, codes, links and nonces are valid, as the settings say."""

from collections.abc import Callable

import pytest
from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of, later
from tests.tables import cases

ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
WALLET = "0x" + "11" * 20


@pytest.fixture
def lasting(api: Client) -> Callable[..., None]:
    """Sets lifetimes, in milliseconds."""

    def change(**settings: int) -> None:
        assert api.put("/_mock/projects/-/settings", json=settings).status_code == 200

    return change


def read_session(visitor: Client, token: str) -> Response:
    return visitor.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})


@cases("setting, remember", ("session_lifetime_ms", True), ("short_session_lifetime_ms", False))
def test_a_session_lasts_as_long_as_the_settings_say(
    visitor: Client, project: Project, lasting: Callable[..., None], setting: str, remember: bool
) -> None:
    lasting(**{setting: 90_000})
    response = visitor.post(f"{AUTH}/sign-up/email", json=ADA | {"rememberMe": remember})
    assert ("Max-Age=90;" in response.headers["set-cookie"]) is remember
    later(project, 89_999)
    assert read_session(visitor, response.json()["token"]).status_code == 200
    later(project, 1)
    assert read_session(visitor, response.json()["token"]).status_code == 401


def test_an_error_says_when_a_token_expired(
    visitor: Client, project: Project, lasting: Callable[..., None]
) -> None:
    lasting(session_lifetime_ms=90_000, access_token_lifetime_ms=30_000)
    token = visitor.post(f"{AUTH}/sign-up/email", json=ADA).json()["token"]
    access_token = read_session(visitor, token).headers["set-auth-jwt"]

    def message(path: str, sent: str) -> str:
        body = visitor.get(path, headers={"authorization": f"Bearer {sent}"}).json()
        return str(body.get("error", body)["message"])

    later(project, 30_000)
    assert message("/iam/v2/me", access_token) == (
        "Unauthorized. The token expired at 2026-01-01T00:00:30.000Z,"
        " and the project's clock is at 2026-01-01T00:00:30.000Z."
    )
    later(project, 61_000)
    for path in ("/iam/v2/me", f"{AUTH}/get-session", f"{AUTH}/list-sessions", "/v2/accounts"):
        assert ". The token expired at 2026-01-01T00:01:30.000Z, and" in message(path, token)
    assert message("/iam/v2/me", "of no session") == "Unauthorized"


def test_a_session_is_renewed_as_set(visitor: Client, project: Project, lasting: Callable[..., None]) -> None:
    lasting(session_lifetime_ms=90_000, session_renewed_after_ms=30_000)
    token = visitor.post(f"{AUTH}/sign-up/email", json=ADA).json()["token"]
    ends = []
    for _ in range(3):
        later(project, 15_000)
        ends.append(read_session(visitor, token).json()["session"]["expiresAt"][14:19])
    assert ends == ["01:30", "02:00", "02:00"]


def test_a_code_lasts_as_set(visitor: Client, project: Project, lasting: Callable[..., None]) -> None:
    lasting(one_time_code_lifetime_ms=20_000)
    body = {"email": "ada@example.com", "type": "sign-in"}
    visitor.post(f"{AUTH}/email-otp/send-verification-otp", json=body)
    mail = project.outbox.last("to", "ada@example.com")
    assert mail is not None
    later(project, 20_000)
    refused = visitor.post(f"{AUTH}/sign-in/email-otp", json={"email": "ada@example.com", "otp": mail.code})
    assert error_of(refused) == (400, "OTP_EXPIRED")


def test_a_link_lasts_as_long_as_the_settings_say(
    visitor: Client, browser: Client, project: Project, lasting: Callable[..., None]
) -> None:
    lasting(link_lifetime_ms=20_000)
    visitor.post(f"{AUTH}/sign-up/email", json=ADA)
    visitor.post(f"{AUTH}/send-verification-email", json={"email": ADA["email"]})
    mail = project.outbox.last("to", ADA["email"])
    assert mail is not None
    later(project, 20_000)
    assert browser.get(mail.url or "").headers["location"].endswith("error=token_expired")


def test_a_nonce_lasts_as_set(visitor: Client, project: Project, lasting: Callable[..., None]) -> None:
    lasting(siwe_nonce_lifetime_ms=20_000)
    visitor.post(f"{AUTH}/siwe/nonce", json={"walletAddress": WALLET})
    later(project, 20_000)
    proof = {"walletAddress": WALLET, "message": "hello", "signature": "0x00"}
    refused = visitor.post(f"{AUTH}/siwe/verify", json=proof)
    assert error_of(refused) == (401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE")
