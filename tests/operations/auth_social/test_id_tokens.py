"""Signing in with the id token of a provider."""

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from httpx import Client
from jwt.algorithms import HMACAlgorithm

from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_social.helpers import ADA, SECRET, bearer, id_token, refused, sign_in, without
from tests.tables import cases


def test_an_id_token_makes_a_user_with_a_session(visitor: Client) -> None:
    response = sign_in(visitor)
    body = response.json()
    assert response.status_code == 200
    assert (body["redirect"], body["url"]) == (False, None)
    assert body["user"]["email"] == "ada@example.com"
    assert body["user"]["emailVerified"] is True
    assert body["user"]["name"] == "Ada"
    assert response.headers["set-auth-token"].startswith(body["token"])
    session = visitor.get(f"{AUTH}/get-session", headers=bearer(body["token"])).json()
    assert session["user"]["id"] == body["user"]["id"]
    (account,) = visitor.get(f"{AUTH}/list-accounts", headers=bearer(body["token"])).json()
    assert (account["provider"], account["accountId"]) == ("google", "google-ada")


def test_a_user_without_a_whole_name_has_the_parts_of_it(visitor: Client) -> None:
    token = id_token(name="", given_name="Ada", family_name="Lovelace")
    assert sign_in(visitor, token).json()["user"]["name"] == "Ada Lovelace"


def test_an_identity_is_its_user_even_with_another_address(visitor: Client, project: Project) -> None:
    first = sign_in(visitor).json()
    again = sign_in(visitor, id_token(email="lovelace@example.com")).json()
    assert again["user"]["id"] == first["user"]["id"]
    assert again["token"] != first["token"]
    assert len(project.identity.users) == 1


@cases("provider", "google", "apple", "facebook", "line")
def test_providers_take_id_tokens(visitor: Client, provider: str) -> None:
    assert sign_in(visitor, provider=provider).status_code == 200


@cases("provider", "twitter", "discord")
def test_a_provider_without_id_tokens_takes_none(visitor: Client, provider: str) -> None:
    assert refused(sign_in(visitor, provider=provider)) == (404, "ID_TOKEN_NOT_SUPPORTED")


@cases("provider", "epic_games", "telegram")
def test_who_comes_without_an_address_has_none(visitor: Client, project: Project, provider: str) -> None:
    response = sign_in(visitor, without("email", "email_verified"), provider=provider)
    assert response.status_code == 200
    assert project.identity.users[response.json()["user"]["id"]].email is None


def test_a_disabled_or_removed_provider_refuses(visitor: Client, api: Client) -> None:
    google = {"provider": "google", "clientId": "c-1", "enabled": False}
    for path in ("/iam/v1/oauth", "/iam/v1/config"):
        api.post(path, json=google)
        disabled = sign_in(visitor)
        assert refused(disabled) == (403, "PROVIDER_DISABLED")
        assert "google" in disabled.json()["message"]
        assert refused(visitor.post(f"{AUTH}/sign-in/social", json={"provider": "google"}))[0] == 403
        assert sign_in(visitor, provider="apple").status_code == 200
        assert api.delete("/iam/v1/oauth/google").status_code == 204
        assert refused(sign_in(visitor)) == (404, "PROVIDER_NOT_FOUND")
        api.post(path, json=google | {"enabled": True})
        assert sign_in(visitor).status_code == 200


def test_a_signed_token_is_for_the_configured_client(visitor: Client, api: Client) -> None:
    api.post("/iam/v1/oauth", json={"provider": "google", "clientId": "c-1", "enabled": True})
    assert sign_in(visitor, id_token(aud="c-2")).status_code == 200, (
        "without keys the audience does not count"
    )
    key = HMACAlgorithm.to_jwk(SECRET, as_dict=True)
    api.put("/_mock/projects/-/settings", json={"provider_keys": {"google": [key]}})
    for audience in ("c-2", ["c-2", "c-3"], None):
        unfit = sign_in(visitor, id_token(**({} if audience is None else {"aud": audience})))
        assert refused(unfit) == (401, "INVALID_TOKEN")
        assert "c-1" in unfit.json()["message"]
    assert sign_in(visitor, id_token(aud="c-1")).status_code == 200
    assert sign_in(visitor, id_token(aud=["c-2", "c-1"])).status_code == 200


def test_an_unknown_or_disabled_provider_is_not_found(visitor: Client, api: Client) -> None:
    assert refused(sign_in(visitor, provider="myspace")) == (404, "PROVIDER_NOT_FOUND")
    api.put("/_mock/projects/-/settings", json={"social_providers": ["apple"]})
    assert refused(sign_in(visitor)) == (404, "PROVIDER_NOT_FOUND")
    assert sign_in(visitor, provider="apple").status_code == 200


@cases("token", "nonsense", "a.b.c", without("sub"), id_token(sub=""))
def test_what_is_no_id_token_is_refused(visitor: Client, project: Project, token: str) -> None:
    assert refused(sign_in(visitor, token)) == (401, "INVALID_TOKEN")
    assert len(project.identity.users) == 0


def test_an_id_token_ends_on_the_projects_clock(visitor: Client, project: Project) -> None:
    token = id_token(exp=project.clock.now_s + 60)
    assert sign_in(visitor, token).status_code == 200
    project.clock.move_to(project.clock.now_ms + 60_000)
    assert refused(sign_in(visitor, token)) == (401, "INVALID_TOKEN")


def test_a_nonce_must_be_the_tokens(visitor: Client) -> None:
    token = id_token(nonce="n-1")
    assert sign_in(visitor, idToken={"token": token, "nonce": "n-1"}).status_code == 200
    assert refused(sign_in(visitor, idToken={"token": token, "nonce": "n-2"})) == (401, "INVALID_TOKEN")
    assert refused(sign_in(visitor, idToken={"token": id_token(), "nonce": "n-1"})) == (401, "INVALID_TOKEN")


def test_an_id_token_without_an_address_is_refused(visitor: Client) -> None:
    assert refused(sign_in(visitor, without("email"))) == (401, "USER_EMAIL_NOT_FOUND")


def test_a_signature_counts_when_the_providers_keys_are_known(visitor: Client, api: Client) -> None:
    key, other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    jwk = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    changed = api.put("/_mock/projects/-/settings", json={"provider_keys": {"google": [jwk]}})
    assert changed.status_code == 200
    assert sign_in(visitor, jwt.encode(ADA, key, "RS256")).status_code == 200
    assert refused(sign_in(visitor, jwt.encode(ADA, other, "RS256"))) == (401, "INVALID_TOKEN")
    assert refused(sign_in(visitor)) == (401, "INVALID_TOKEN")
    assert sign_in(visitor, id_token(sub="apple-ada"), provider="apple").status_code == 200


def test_a_provider_may_make_users_only_on_request(visitor: Client, api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"sign_up_on_request": ["google"]})
    assert refused(sign_in(visitor)) == (401, "SIGNUP_DISABLED")
    assert sign_in(visitor, requestSignUp=True).status_code == 200
    assert sign_in(visitor).status_code == 200


def test_the_older_sign_in_asks_for_a_user(visitor: Client, api: Client, project: Project) -> None:
    api.put("/_mock/projects/-/settings", json={"sign_up_on_request": ["google"]})
    body = {"provider": "google", "token": id_token()}
    key = bearer(project.publishable_key)
    assert visitor.post("/iam/v1/oauth/login_id_token", json=body, headers=key).status_code == 200
