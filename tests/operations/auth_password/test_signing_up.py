"""Signing up with an e-mail address and a password."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from httpx import Client

from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.operations.auth import AUTH, error_of
from tests.operations.auth_password.helpers import ADA, require_verification, sign_up
from tests.tables import cases
from tests.transport import InProcessTransport


def test_signing_up_answers_a_token_and_the_user(visitor: Client, project: Project) -> None:
    response = sign_up(visitor, email="Ada@Example.com", image="https://img.example/ada.png")
    body = response.json()
    user = body["user"]
    assert response.status_code == 200
    assert len(body["token"]) == 32
    assert user == {
        "id": user["id"],
        "name": "Ada",
        "email": "ada@example.com",
        "emailVerified": False,
        "image": "https://img.example/ada.png",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
    }
    assert user["id"].startswith("usr_")
    assert len(project.outbox) == 0


def test_a_sign_in_sets_the_cookie_and_the_token_header(visitor: Client) -> None:
    response = sign_up(visitor)
    signed = response.headers["set-auth-token"]
    assert signed.startswith(response.json()["token"] + ".")
    assert response.headers.get_list("set-cookie") == [
        f"better-auth.session_token={signed}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax"
    ]
    assert response.headers["access-control-expose-headers"] == "set-auth-token"


def test_an_unremembered_session_has_a_cookie_without_an_age(visitor: Client) -> None:
    cookies = sign_up(visitor, rememberMe=False).headers.get_list("set-cookie")
    assert "Max-Age" not in cookies[0]
    assert cookies[1].startswith("better-auth.dont_remember=true.")


def test_over_https_the_cookie_is_secure(visitor: Client) -> None:
    headers = {"x-forwarded-proto": "https"}
    response = visitor.post(f"{AUTH}/sign-up/email", json=ADA, headers=headers)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Secure-better-auth.session_token=")
    assert cookie.endswith("; Secure")


@cases(
    "changes, expected",
    ({"email": "ada"}, (400, "INVALID_EMAIL")),
    ({"email": "ada@example"}, (400, "INVALID_EMAIL")),
    ({"email": "a..b@example.com"}, (400, "INVALID_EMAIL")),
    ({"image": None}, (400, "VALIDATION_ERROR")),
    ({"callbackURL": "javascript:alert(1)"}, (403, "INVALID_CALLBACKURL")),
    ({"callbackURL": "//evil.example"}, (403, "INVALID_CALLBACKURL")),
    ({"callbackURL": "https:/shop.example"}, (403, "INVALID_CALLBACKURL")),
)
def test_a_refused_sign_up_says_why_and_leaves_no_trace(
    visitor: Client, project: Project, changes: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert error_of(sign_up(visitor, **changes)) == expected
    assert [len(table) for table in project.tables] == [0] * len(project.tables)


@cases("callback", "shop:signed-in", "https://shop.example")
def test_a_callback_may_be_of_an_app(visitor: Client, callback: str) -> None:
    assert sign_up(visitor, callbackURL=callback).status_code == 200


@cases("length", 8, 128)
def test_a_password_may_be_as_short_and_as_long_as_allowed(visitor: Client, length: int) -> None:
    assert sign_up(visitor, password="x" * length).status_code == 200


def test_a_taken_address_in_any_case_leaves_no_second_user(visitor: Client, project: Project) -> None:
    sign_up(visitor)
    draws = project.entropy.draws()
    assert error_of(sign_up(visitor, email="ADA@example.com")) == (
        422,
        "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
    )
    identity = project.identity
    assert (len(identity.users), len(identity.linked_accounts), len(identity.sessions)) == (1, 1, 1)
    assert project.entropy.draws() == draws


def test_two_worlds_of_one_seed_give_the_same_tokens() -> None:
    bodies = []
    for _ in range(2):
        transport = InProcessTransport(assemble(World("seed")))
        with Client(transport=transport, base_url="http://mock") as client:
            response = client.post(
                f"{AUTH}/sign-up/email", json=ADA, headers={"x-project-key": "pk_test_twin"}
            )
            bodies.append((response.content, response.headers["set-auth-token"]))
    assert bodies[0] == bodies[1]


def test_a_sign_up_to_be_verified_does_not_sign_in(visitor: Client, project: Project) -> None:
    require_verification(project)
    response = sign_up(visitor, callbackURL="https://shop.example/welcome?a=1&b=2")
    assert response.json()["token"] is None
    assert "set-cookie" not in response.headers
    assert len(project.identity.sessions) == 0
    (mail,) = project.outbox
    assert (mail.channel, mail.to, mail.kind) == ("email", "ada@example.com", "verify-email")
    query = parse_qs(urlsplit(mail.url or "").query)
    assert query["callbackURL"] == ["https://shop.example/welcome?a=1&b=2"]
    assert (mail.url or "") in mail.text
