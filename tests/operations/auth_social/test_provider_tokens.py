"""The tokens that providers gave, and what they say of an account."""

from collections.abc import Mapping

import jwt
from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_social.helpers import (
    SignedIn,
    bearer,
    consent,
    id_token,
    led_to,
    refused,
    sign_in,
    the_way,
    without,
)
from tests.tables import cases


def ask(client: Client, path: str, user: Mapping[str, str], **body: str) -> Response:
    given = {"providerId": "google"} if path != "account-info" else {}
    return client.post(f"{AUTH}/{path}", json=given | body, headers=dict(user))


def test_an_ended_access_token_is_renewed(visitor: Client, project: Project, ada: dict[str, str]) -> None:
    first = ask(visitor, "get-access-token", ada).json()
    assert first["accessTokenExpiresAt"] == "2026-01-01T01:00:00.000Z"
    assert first["scopes"] == ["email", "calendar"]
    claims = jwt.decode(first["idToken"], options={"verify_signature": False})
    assert (claims["iss"], claims["email"]) == ("https://accounts.google.com", "ada@example.com")
    # As long as the access token.
    assert (claims["iat"], claims["exp"] - claims["iat"]) == (project.clock.now_s, 3_600)

    project.clock.move_to(project.clock.now_ms + 3_595_000)
    assert ask(visitor, "get-access-token", ada).json() == first
    project.clock.move_to(project.clock.now_ms + 1)
    renewed = ask(visitor, "get-access-token", ada).json()
    assert renewed["accessToken"] != first["accessToken"]
    assert renewed["accessTokenExpiresAt"] == "2026-01-01T01:59:55.001Z"


@cases("path", "get-access-token", "refresh-token")
def test_others_tokens_are_unknown(visitor: Client, project: Project, ada: dict[str, str], path: str) -> None:
    (user,) = project.identity.users
    assert ask(visitor, path, ada, userId=user.id).status_code == 200
    assert refused(ask(visitor, path, ada, userId="usr_other")) == (400, "ACCOUNT_NOT_FOUND")


def test_a_refresh_token_ends_too(visitor: Client, project: Project, ada: dict[str, str]) -> None:
    link_end_ms = project.clock.now_ms + 30 * 24 * 3600 * 1000
    for session in project.identity.sessions:
        project.identity.sessions.replace(session._replace(expires_ms=link_end_ms + 1_000))
    project.undo.mark()
    project.clock.move_to(link_end_ms)
    assert refused(ask(visitor, "refresh-token", ada)) == (400, "FAILED_TO_REFRESH_ACCESS_TOKEN")
    assert refused(ask(visitor, "get-access-token", ada)) == (400, "FAILED_TO_GET_A_VALID_ACCESS_TOKEN")
    (row,) = project.identity.linked_accounts
    of_account = ask(visitor, "account-info", ada, accountId=row.account_id)
    assert refused(of_account) == (400, "FAILED_TO_GET_A_VALID_ACCESS_TOKEN")


def test_tokens_are_renewed_on_request(visitor: Client, ada: dict[str, str]) -> None:
    before = ask(visitor, "get-access-token", ada).json()
    renewed = ask(visitor, "refresh-token", ada).json()
    assert renewed["tokenType"] == "Bearer"
    assert renewed["accessToken"] != before["accessToken"]
    assert renewed["refreshTokenExpiresAt"] == "2026-01-31T00:00:00.000Z"
    assert ask(visitor, "get-access-token", ada).json()["accessToken"] == renewed["accessToken"]


def test_the_tokens_that_came_with_an_id_token_are_kept(visitor: Client, project: Project) -> None:
    end_s = project.clock.now_s + 100
    given = {"token": id_token(), "accessToken": "ya29.x", "expiresAt": end_s}
    user = bearer(sign_in(visitor, idToken=given).json()["token"])
    kept = ask(visitor, "get-access-token", user).json()
    assert kept == {
        "accessToken": "ya29.x",
        "scopes": [],
        "idToken": id_token(),
        "accessTokenExpiresAt": "2026-01-01T00:01:40.000Z",
    }
    assert refused(ask(visitor, "refresh-token", user)) == (400, "FAILED_TO_REFRESH_ACCESS_TOKEN")
    sign_in(visitor, idToken={"token": id_token(), "refreshToken": "1//r"})
    assert ask(visitor, "refresh-token", user).json()["refreshToken"] == "1//r"


@cases(
    "moment, end",
    (1_767_225_700, "2026-01-01T00:01:40.000Z"),
    (1_767_225_700_500, "2026-01-01T00:01:40.500Z"),
    (-1, None),
    (1e300, None),
)
def test_an_access_token_ends_in_seconds_or_ms(visitor: Client, moment: float, end: str | None) -> None:
    given = {"token": id_token(), "accessToken": "ya29.x", "expiresAt": moment}
    user = bearer(sign_in(visitor, idToken=given).json()["token"])
    assert ask(visitor, "get-access-token", user).json().get("accessTokenExpiresAt") == end


@cases("path", "get-access-token", "refresh-token")
def test_tokens_are_found_by_the_rows_and_the_providers_id(
    visitor: Client, project: Project, ada: dict[str, str], path: str
) -> None:
    (row,) = project.identity.linked_accounts
    for account_id in (row.id, row.account_id):
        assert ask(visitor, path, ada, accountId=account_id).status_code == 200
    assert refused(ask(visitor, path, ada, accountId="other")) == (400, "ACCOUNT_NOT_FOUND")
    assert refused(ask(visitor, path, ada, providerId="apple")) == (400, "ACCOUNT_NOT_FOUND")


def test_a_provider_that_is_none_is_named_in_the_code(visitor: Client, ada: dict[str, str]) -> None:
    response = ask(visitor, "get-access-token", ada, providerId="my space")
    assert refused(response) == (400, "PROVIDER_MY_SPACE_IS_NOT_SUPPORTED")
    response = ask(visitor, "refresh-token", ada, providerId="my space")
    assert refused(response) == (400, "PROVIDER_MY_SPACE_NOT_FOUND")


def test_account_info_is_what_the_provider_says(visitor: Client, signed_in: SignedIn) -> None:
    ada = bearer(
        sign_in(visitor, id_token(picture="https://img.example/a", hd="example.com")).json()["token"]
    )
    info = ask(visitor, "account-info", ada, accountId="google-ada").json()
    assert info["user"] == {
        "id": "google-ada",
        "name": "Ada",
        "email": "ada@example.com",
        "image": "https://img.example/a",
        "emailVerified": True,
    }
    assert info["data"]["hd"] == "example.com"
    assert refused(ask(visitor, "account-info", ada, accountId="x")) == (400, "ACCOUNT_NOT_FOUND")
    grace = signed_in("grace@example.com")
    assert refused(ask(visitor, "account-info", grace, accountId="google-ada")) == (400, "ACCOUNT_NOT_FOUND")


def test_a_password_has_no_account_info(visitor: Client) -> None:
    given = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    body = visitor.post(f"{AUTH}/sign-up/email", json=given).json()
    response = ask(visitor, "account-info", bearer(body["token"]), accountId=body["user"]["id"])
    assert refused(response) == (400, "PROVIDER_CREDENTIAL_IS_NOT_SUPPORTED")


def test_a_provider_without_id_tokens_gives_none(visitor: Client, browser: Client) -> None:
    back = consent(browser, the_way(visitor, provider="discord"))
    user = bearer(led_to(back)[1]["access_token"])
    for path in ("get-access-token", "refresh-token"):
        answer = ask(visitor, path, user, providerId="discord").json()
        assert answer["accessToken"]
        assert "idToken" not in answer


def test_an_access_token_without_an_end_is_not_said_to_have_one(visitor: Client) -> None:
    given = {"token": id_token(), "accessToken": "ya29.x"}
    user = bearer(sign_in(visitor, idToken=given).json()["token"])
    answer = ask(visitor, "get-access-token", user).json()
    assert answer == {"accessToken": "ya29.x", "scopes": [], "idToken": id_token()}


def test_what_a_provider_does_not_know_is_not_in_the_info(visitor: Client) -> None:
    token = without("name", "email", "email_verified")
    user = bearer(sign_in(visitor, token, provider="telegram").json()["token"])
    info = ask(visitor, "account-info", user, accountId="google-ada").json()
    assert info["user"] == {"id": "google-ada", "emailVerified": False}
