"""Signing in with a password."""

from dataclasses import replace

from httpx import Client

from mockserver.state.project import Project
from tests.operations.auth import AUTH, bearer, error_of
from tests.operations.auth_password.helpers import sign_in, sign_up


def test_signing_in_answers_a_session_of_its_own(visitor: Client) -> None:
    first = sign_up(visitor)
    response = sign_in(visitor, email="ADA@Example.com")
    body = response.json()
    assert set(body) == {"redirect", "token", "user"}
    assert body["redirect"] is False
    assert body["user"]["image"] is None
    assert body["token"] != first.json()["token"]
    assert response.headers["set-auth-token"].startswith(body["token"])
    assert len(visitor.get(f"{AUTH}/list-sessions", headers=bearer(first)).json()) == 2


def test_signing_in_with_a_callback_says_where_to_go(visitor: Client) -> None:
    sign_up(visitor)
    body = sign_in(visitor, callbackURL="/home").json()
    assert (body["redirect"], body["url"]) == (True, "/home")


def test_only_trusted_origins_are_led_back_to(visitor: Client, project: Project) -> None:
    project.settings = replace(project.settings, trusted_origins=("https://shop.example",))
    sign_up(visitor)
    assert sign_in(visitor, callbackURL="https://shop.example/home").status_code == 200
    assert sign_in(visitor, callbackURL="http://mock/home").status_code == 200
    assert sign_in(visitor, callbackURL="/home").status_code == 200
    for untrusted in ("https://evil.example", "https://shop.example.evil.example", "https:///home"):
        assert error_of(sign_in(visitor, callbackURL=untrusted)) == (403, "INVALID_CALLBACKURL")
