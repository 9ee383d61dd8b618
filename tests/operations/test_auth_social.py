"""Social providers: id tokens, the way by the consent page, linking, and what providers gave."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from mockserver.domain.identity.users import create_user, link_account, user_of_email
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.identity import AuthConfig
from mockserver.state.project import Project

AUTH = "/iam/v2/auth"
CALLBACK = "https://shop.example/signed-in?from=shop"
SECRET = "x" * 32
ADA = {"sub": "google-ada", "email": "Ada@example.com", "email_verified": True, "name": "Ada"}

SignedIn = Callable[[str], dict[str, str]]


def id_token(**claims: object) -> str:
    return jwt.encode({**ADA, **claims}, SECRET)


def without(*names: str) -> str:
    return jwt.encode({name: value for name, value in ADA.items() if name not in names}, SECRET)


def sign_in(client: httpx.Client, token: str | None = None, **more: Any) -> httpx.Response:
    given = {"provider": "google", "idToken": {"token": token or id_token()}, **more}
    return client.post(f"{AUTH}/sign-in/social", json=given)


def link(
    client: httpx.Client, user: Mapping[str, str], token: str | None = None, **more: Any
) -> httpx.Response:
    given = {"provider": "google", "idToken": {"token": token or id_token()}, **more}
    return client.post(f"{AUTH}/link-social", json=given, headers=dict(user))


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def the_way(client: httpx.Client, path: str = "sign-in/social", **more: Any) -> str:
    given = {"provider": "google", "callbackURL": CALLBACK, **more}
    headers = given.pop("headers", {})
    response = client.post(f"{AUTH}/{path}", json=given, headers=headers)
    assert response.status_code == 200
    url: str = response.json()["url"]
    return url


def consent(client: httpx.Client, url: str, **form: str) -> httpx.Response:
    """Fill in the form behind a URL and follow it to the redirect that leaves the mock."""
    state = parse_qs(urlsplit(url).query)["state"][0]
    filled = {"state": state, "name": "Ada", "email": "ada@example.com", "verified": "true"} | form
    back = client.post(url, data=filled)
    assert back.status_code == 302
    return client.get(back.headers["location"])


def led_to(response: httpx.Response) -> tuple[str, dict[str, str]]:
    """Where a redirect leads: the URL without its query, and the query."""
    assert response.status_code == 302
    parts = urlsplit(response.headers["location"])
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return f"{parts.scheme}://{parts.netloc}{parts.path}", query


# --- id tokens ----------------------------------------------------------------------------------------


def test_an_id_token_makes_a_user_with_a_session(visitor: httpx.Client) -> None:
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


def test_the_same_identity_is_the_same_user_even_with_another_address(
    visitor: httpx.Client, project: Project
) -> None:
    first = sign_in(visitor).json()
    again = sign_in(visitor, id_token(email="lovelace@example.com")).json()
    assert again["user"]["id"] == first["user"]["id"]
    assert again["token"] != first["token"]
    assert len(project.identity.users) == 1


@pytest.mark.parametrize("provider", ["google", "apple", "facebook", "line"])
def test_providers_take_id_tokens(visitor: httpx.Client, provider: str) -> None:
    assert sign_in(visitor, provider=provider).status_code == 200


@pytest.mark.parametrize("provider", ["twitter", "discord"])
def test_a_provider_without_id_tokens_takes_none(visitor: httpx.Client, provider: str) -> None:
    assert refused(sign_in(visitor, provider=provider)) == (404, "ID_TOKEN_NOT_SUPPORTED")


@pytest.mark.parametrize("provider", ["epic_games", "telegram"])
def test_who_comes_from_a_provider_that_tells_no_address_has_none(
    visitor: httpx.Client, project: Project, provider: str
) -> None:
    response = sign_in(visitor, without("email", "email_verified"), provider=provider)
    assert response.status_code == 200
    assert project.identity.users[response.json()["user"]["id"]].email is None


def test_a_provider_whose_configuration_is_disabled_is_not_found(
    visitor: httpx.Client, project: Project
) -> None:
    project.identity.auth_configs.insert(AuthConfig("google", project.clock.now_ms, False, {}))
    project.undo.mark()
    assert refused(sign_in(visitor)) == (404, "PROVIDER_NOT_FOUND")
    assert sign_in(visitor, provider="apple").status_code == 200


def test_an_unknown_or_disabled_provider_is_not_found(visitor: httpx.Client, api: httpx.Client) -> None:
    assert refused(sign_in(visitor, provider="myspace")) == (404, "PROVIDER_NOT_FOUND")
    api.put("/_mock/projects/-/settings", json={"social_providers": ["apple"]})
    assert refused(sign_in(visitor)) == (404, "PROVIDER_NOT_FOUND")
    assert sign_in(visitor, provider="apple").status_code == 200


@pytest.mark.parametrize(
    "body",
    [{}, {"provider": 1}, {"provider": "google", "idToken": {}}, {"provider": "google", "scopes": "x"}],
)
def test_a_sign_in_of_the_wrong_shape_is_refused(visitor: httpx.Client, body: dict[str, Any]) -> None:
    assert refused(visitor.post(f"{AUTH}/sign-in/social", json=body)) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "token",
    ["nonsense", "a.b.c", without("sub"), id_token(sub="")],
)
def test_what_is_no_id_token_is_refused(visitor: httpx.Client, project: Project, token: str) -> None:
    assert refused(sign_in(visitor, token)) == (401, "INVALID_TOKEN")
    assert len(project.identity.users) == 0


def test_an_id_token_ends_on_the_projects_clock(visitor: httpx.Client, project: Project) -> None:
    token = id_token(exp=project.clock.now_s + 60)
    assert sign_in(visitor, token).status_code == 200
    project.clock.move_to(project.clock.now_ms + 60_000)
    assert refused(sign_in(visitor, token)) == (401, "INVALID_TOKEN")


def test_a_nonce_must_be_the_tokens(visitor: httpx.Client) -> None:
    token = id_token(nonce="n-1")
    assert sign_in(visitor, idToken={"token": token, "nonce": "n-1"}).status_code == 200
    assert refused(sign_in(visitor, idToken={"token": token, "nonce": "n-2"})) == (401, "INVALID_TOKEN")
    assert refused(sign_in(visitor, idToken={"token": id_token(), "nonce": "n-1"})) == (401, "INVALID_TOKEN")


def test_an_id_token_without_an_address_is_refused(visitor: httpx.Client) -> None:
    assert refused(sign_in(visitor, without("email"))) == (401, "USER_EMAIL_NOT_FOUND")


def test_a_signature_counts_when_the_project_has_the_providers_keys(
    visitor: httpx.Client, api: httpx.Client
) -> None:
    key, other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    jwk = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    changed = api.put("/_mock/projects/-/settings", json={"provider_keys": {"google": [jwk]}})
    assert changed.status_code == 200
    assert sign_in(visitor, jwt.encode(ADA, key, "RS256")).status_code == 200
    assert refused(sign_in(visitor, jwt.encode(ADA, other, "RS256"))) == (401, "INVALID_TOKEN")
    assert refused(sign_in(visitor)) == (401, "INVALID_TOKEN")
    assert sign_in(visitor, id_token(sub="apple-ada"), provider="apple").status_code == 200


def test_a_provider_may_make_users_only_on_request(visitor: httpx.Client, api: httpx.Client) -> None:
    api.put("/_mock/projects/-/settings", json={"sign_up_on_request": ["google"]})
    assert refused(sign_in(visitor)) == (401, "SIGNUP_DISABLED")
    assert sign_in(visitor, requestSignUp=True).status_code == 200
    assert sign_in(visitor).status_code == 200


# --- addresses that a user has already ----------------------------------------------------------------


def test_an_address_that_the_provider_has_verified_leads_to_its_user(
    visitor: httpx.Client, project: Project
) -> None:
    ada = create_user(project, name="Ada L.", email="ada@example.com")
    project.undo.mark()
    user = sign_in(visitor).json()["user"]
    assert (user["id"], user["name"], user["emailVerified"]) == (ada.id, "Ada L.", True)


@pytest.mark.parametrize("token", [id_token(email_verified=False), without("email_verified")])
def test_an_address_that_it_has_not_verified_does_not(
    visitor: httpx.Client, project: Project, token: str
) -> None:
    create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    assert refused(sign_in(visitor, token)) == (401, "ACCOUNT_NOT_LINKED")
    assert len(project.identity.linked_accounts) == 0


def test_an_unverified_address_of_nobody_makes_a_user_who_is_not_verified(visitor: httpx.Client) -> None:
    assert sign_in(visitor, id_token(email_verified=False)).json()["user"]["emailVerified"] is False


def test_a_guest_who_signs_in_socially_is_gone_and_leaves_the_wallet(
    visitor: httpx.Client, project: Project
) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    wallet = wallet_of_user(project, project.identity.users[guest["user"]["id"]])
    project.undo.mark()
    visitor.headers.update(bearer(guest["token"]))
    user = sign_in(visitor).json()["user"]
    assert user["id"] != guest["user"]["id"]
    assert guest["user"]["id"] not in project.identity.users
    assert project.wallets.wallets[wallet.id].user_id == user["id"]


def test_a_guest_whose_sign_in_fails_stays(visitor: httpx.Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    visitor.headers.update(bearer(guest["token"]))
    assert sign_in(visitor, without("email")).status_code == 401
    assert guest["user"]["id"] in project.identity.users


# --- by way of the consent page -----------------------------------------------------------------------


@pytest.mark.parametrize("redirects", [True, False])
def test_without_an_id_token_the_answer_leads_to_the_provider(visitor: httpx.Client, redirects: bool) -> None:
    given = {"provider": "google", "callbackURL": CALLBACK, "disableRedirect": not redirects}
    response = visitor.post(f"{AUTH}/sign-in/social", json=given)
    body = response.json()
    assert body == {"url": body["url"], "redirect": redirects}
    assert body["url"].startswith("http://mock/_mock/projects/")
    assert response.headers["set-cookie"].startswith("better-auth.state=")


@pytest.mark.parametrize(
    "provider", ["google", "apple", "twitter", "discord", "facebook", "epic_games", "line", "telegram"]
)
def test_who_accepts_comes_back_signed_in(
    visitor: httpx.Client, browser: httpx.Client, provider: str
) -> None:
    place, query = led_to(consent(browser, the_way(visitor, provider=provider)))
    assert place == "https://shop.example/signed-in"
    assert query.keys() == {"from", "access_token", "user_id"}
    session = visitor.get(f"{AUTH}/get-session", headers=bearer(query["access_token"])).json()
    assert session["user"]["id"] == query["user_id"]
    assert session["user"]["email"] == "ada@example.com"


def test_coming_twice_is_the_same_user(visitor: httpx.Client, browser: httpx.Client) -> None:
    users = {led_to(consent(browser, the_way(visitor)))[1]["user_id"] for _ in range(2)}
    assert len(users) == 1


def test_the_fragment_of_a_callback_stays_behind_the_query(
    visitor: httpx.Client, browser: httpx.Client
) -> None:
    response = consent(browser, the_way(visitor, callbackURL="https://shop.example/#/in"))
    location = response.headers["location"]
    assert re.fullmatch(r"https://shop\.example/\?access_token=\w+&user_id=[\w-]+#/in", location)


def test_a_callback_may_be_an_app_of_its_own(visitor: httpx.Client, browser: httpx.Client) -> None:
    response = consent(browser, the_way(visitor, callbackURL="shop://signed-in"))
    assert response.headers["location"].startswith("shop://signed-in?access_token=")


def test_who_is_new_may_be_sent_elsewhere(visitor: httpx.Client, browser: httpx.Client) -> None:
    new = "https://shop.example/welcome"
    places = [led_to(consent(browser, the_way(visitor, newUserCallbackURL=new)))[0] for _ in range(2)]
    assert places == [new, "https://shop.example/signed-in"]


@pytest.mark.parametrize(("decision", "error"), [("refuse", "access_denied"), ("fail", "server_error")])
def test_who_does_not_accept_comes_back_with_an_error(
    visitor: httpx.Client, browser: httpx.Client, project: Project, decision: str, error: str
) -> None:
    url = the_way(visitor, errorCallbackURL="https://shop.example/failed?a=b")
    assert led_to(consent(browser, url, decision=decision)) == (
        "https://shop.example/failed",
        {"a": "b", "error": error},
    )
    assert len(project.identity.users) == 0


def test_without_a_place_for_errors_they_go_to_the_services_own(
    visitor: httpx.Client, browser: httpx.Client
) -> None:
    response = consent(browser, the_way(visitor), decision="refuse")
    assert led_to(response) == ("http://mock/iam/v2/auth/error", {"error": "access_denied"})


def test_an_unverified_address_of_a_user_comes_back_as_an_error(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    response = consent(browser, the_way(visitor), verified="false")
    assert led_to(response)[1] == {"error": "account_not_linked"}


def test_no_address_comes_back_as_an_error(visitor: httpx.Client, browser: httpx.Client) -> None:
    assert led_to(consent(browser, the_way(visitor), email=""))[1] == {"error": "email_not_found"}


def test_who_may_sign_up_only_on_request_comes_back_with_an_error(
    visitor: httpx.Client, browser: httpx.Client, api: httpx.Client
) -> None:
    api.put("/_mock/projects/-/settings", json={"sign_up_on_request": ["google"]})
    assert led_to(consent(browser, the_way(visitor)))[1] == {"error": "signup_disabled"}
    assert "access_token" in led_to(consent(browser, the_way(visitor, requestSignUp=True)))[1]


def test_a_state_is_good_once(visitor: httpx.Client, browser: httpx.Client) -> None:
    url = the_way(visitor)
    state = parse_qs(urlsplit(url).query)["state"][0]
    back = browser.post(url, data={"state": state, "email": "ada@example.com"}).headers["location"]
    assert "access_token" in led_to(browser.get(back))[1]
    assert led_to(browser.get(back))[1] == {"error": "please_restart_the_process"}
    assert browser.get(url).status_code == 404


def test_a_state_is_good_for_ten_minutes(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    url = the_way(visitor)
    project.clock.move_to(project.clock.now_ms + 600_000)
    assert led_to(consent(browser, url))[1] == {"error": "please_restart_the_process"}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda url: url.replace("/google", "/apple"), "please_restart_the_process"),
        (lambda url: re.sub("state=[^&]+", "state=other", url), "please_restart_the_process"),
        (lambda url: re.sub("state=[^&]+", "", url), "state_not_found"),
        (lambda url: re.sub("code=[^&]+", "code=other", url), "invalid_code"),
        (lambda url: re.sub("code=[^&]+", "", url), "no_code"),
    ],
)
def test_what_comes_back_must_be_what_was_sent(
    visitor: httpx.Client,
    browser: httpx.Client,
    project: Project,
    change: Callable[[str], str],
    error: str,
) -> None:
    url = the_way(visitor)
    state = parse_qs(urlsplit(url).query)["state"][0]
    back = browser.post(url, data={"state": state, "email": "ada@example.com"}).headers["location"]
    assert led_to(browser.get(change(back)))[1] == {"error": error}
    assert len(project.identity.users) == 0


def test_a_provider_that_was_disabled_meanwhile_lets_nobody_in(
    visitor: httpx.Client, browser: httpx.Client, api: httpx.Client
) -> None:
    url = the_way(visitor)
    api.put("/_mock/projects/-/settings", json={"social_providers": []})
    assert led_to(consent(browser, url))[1] == {"error": "oauth_provider_not_found"}


def test_a_guest_who_comes_back_is_gone(
    visitor: httpx.Client, browser: httpx.Client, project: Project
) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    url = the_way(visitor, headers=bearer(guest["token"]))
    _, query = led_to(consent(browser, url))
    assert [user.id for user in project.identity.users] == [query["user_id"]]


@pytest.mark.parametrize(
    ("member", "code"),
    [
        ("callbackURL", "INVALID_CALLBACKURL"),
        ("errorCallbackURL", "INVALID_ERRORCALLBACKURL"),
        ("newUserCallbackURL", "INVALID_NEWUSERCALLBACKURL"),
    ],
)
def test_an_untrusted_place_is_refused(
    visitor: httpx.Client, api: httpx.Client, member: str, code: str
) -> None:
    api.put("/_mock/projects/-/settings", json={"trusted_origins": ["https://shop.example"]})
    given = {"provider": "google", member: "https://evil.example/"}
    assert refused(visitor.post(f"{AUTH}/sign-in/social", json=given)) == (403, code)


def test_the_journal_hides_the_tokens_of_the_way_back(
    visitor: httpx.Client, browser: httpx.Client, api: httpx.Client
) -> None:
    token = led_to(consent(browser, the_way(visitor)))[1]["access_token"]
    visitor.post(f"{AUTH}/get-access-token", json={"providerId": "google"}, headers=bearer(token))
    sign_in(visitor, idToken={"token": id_token(), "accessToken": "A" * 40, "refreshToken": "R" * 40})
    shown = api.get("/_mock/projects/-/journal").text
    assert '"operation":"socialCallback"' in shown
    for secret in (token, id_token(), "A" * 40, "R" * 40):
        assert secret not in shown
    assert not re.search(r"code=\w{5}", shown)


# --- linking ------------------------------------------------------------------------------------------


def test_an_identity_with_the_users_address_is_linked_and_signs_in(
    visitor: httpx.Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    for _ in range(2):
        assert link(visitor, ada).json() == {"url": "", "status": True, "redirect": False}
    assert len(project.identity.linked_accounts) == 1
    user = user_of_email(project, "ada@example.com")
    assert user is not None
    assert sign_in(visitor).json()["user"]["id"] == user.id


def test_linking_needs_a_session(visitor: httpx.Client) -> None:
    assert refused(link(visitor, {})) == (401, "UNAUTHORIZED")


def test_another_address_is_not_linked_unless_the_project_lets_it_be(
    visitor: httpx.Client, signed_in: SignedIn, api: httpx.Client
) -> None:
    grace = signed_in("grace@example.com")
    differ = (401, "ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED")
    assert refused(link(visitor, grace)) == differ
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    assert link(visitor, grace).status_code == 200


def test_an_unverified_address_is_not_linked(visitor: httpx.Client, signed_in: SignedIn) -> None:
    response = link(visitor, signed_in("ada@example.com"), id_token(email_verified=False))
    assert refused(response) == (401, "ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED")


def test_an_identity_of_somebody_else_is_not_linked(
    visitor: httpx.Client, signed_in: SignedIn, api: httpx.Client
) -> None:
    sign_in(visitor)
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    response = link(visitor, signed_in("grace@example.com"))
    assert refused(response) == (401, "ACCOUNT_NOT_LINKED__ALREADY_LINKED_TO_DIFFERENT_USER")


def test_linking_refuses_what_signing_in_refuses(visitor: httpx.Client, signed_in: SignedIn) -> None:
    ada = signed_in("ada@example.com")
    assert refused(link(visitor, ada, provider="myspace")) == (404, "PROVIDER_NOT_FOUND")
    assert refused(link(visitor, ada, provider="discord")) == (404, "ID_TOKEN_NOT_SUPPORTED")
    assert refused(link(visitor, ada, "nonsense")) == (401, "INVALID_TOKEN")
    assert refused(link(visitor, ada, without("email"))) == (401, "USER_EMAIL_NOT_FOUND")


def test_a_guest_who_links_is_none_any_more(
    visitor: httpx.Client, project: Project, api: httpx.Client
) -> None:
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    assert link(visitor, bearer(guest["token"])).status_code == 200
    user = project.identity.users[guest["user"]["id"]]
    assert (user.is_anonymous, user.name, user.email) == (None, "Ada", "ada@example.com")


def test_linking_by_way_of_the_consent_page_keeps_the_session(
    visitor: httpx.Client, browser: httpx.Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    url = the_way(visitor, "link-social", headers=ada)
    _, query = led_to(consent(browser, url))
    assert bearer(query["access_token"]) == ada
    assert [row.provider for row in project.identity.linked_accounts] == ["google"]
    assert len(project.identity.sessions) == 1


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"email": "grace@example.com"}, "email_doesn't_match"),
        ({"verified": "false"}, "unable_to_link_account"),
        ({"decision": "refuse"}, "access_denied"),
    ],
)
def test_a_link_that_is_refused_comes_back_as_an_error(
    visitor: httpx.Client, browser: httpx.Client, signed_in: SignedIn, form: dict[str, str], error: str
) -> None:
    url = the_way(visitor, "link-social", headers=signed_in("ada@example.com"))
    assert led_to(consent(browser, url, **form))[1] == {"error": error}


def test_who_signed_out_meanwhile_links_nothing(
    visitor: httpx.Client, browser: httpx.Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    url = the_way(visitor, "link-social", headers=ada)
    visitor.post(f"{AUTH}/sign-out", headers=ada)
    assert led_to(consent(browser, url))[1] == {"error": "unable_to_link_account"}
    assert len(project.identity.linked_accounts) == 0


def test_whose_session_ended_meanwhile_links_nothing(
    visitor: httpx.Client, browser: httpx.Client, signed_in: SignedIn, project: Project
) -> None:
    url = the_way(visitor, "link-social", headers=signed_in("ada@example.com"))
    (session,) = project.identity.sessions
    project.identity.sessions.replace(session._replace(expires_ms=project.clock.now_ms + 1_000))
    project.undo.mark()
    project.clock.move_to(project.clock.now_ms + 1_000)
    assert led_to(consent(browser, url))[1] == {"error": "unable_to_link_account"}


def test_the_last_way_in_stays_and_another_may_go(
    visitor: httpx.Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    link(visitor, ada)
    unlink = {"providerId": "google"}
    response = visitor.post(f"{AUTH}/unlink-account", json=unlink, headers=ada)
    assert refused(response) == (400, "FAILED_TO_UNLINK_LAST_ACCOUNT")
    user = user_of_email(project, "ada@example.com")
    assert user is not None
    link_account(project, user, "credential", user.id)
    project.undo.mark()
    assert visitor.post(f"{AUTH}/unlink-account", json=unlink, headers=ada).json() == {"status": True}
    assert [row.provider for row in project.identity.linked_accounts] == ["credential"]


# --- the tokens of providers --------------------------------------------------------------------------


@pytest.fixture
def ada(visitor: httpx.Client, browser: httpx.Client) -> dict[str, str]:
    """Signed in at Google by way of the consent page."""
    return bearer(led_to(consent(browser, the_way(visitor, scopes=["email", "calendar"])))[1]["access_token"])


def ask(client: httpx.Client, path: str, user: Mapping[str, str], **body: str) -> httpx.Response:
    given = {"providerId": "google"} if path != "account-info" else {}
    return client.post(f"{AUTH}/{path}", json=given | body, headers=dict(user))


def test_an_access_token_is_renewed_when_it_is_over(
    visitor: httpx.Client, project: Project, ada: dict[str, str]
) -> None:
    first = ask(visitor, "get-access-token", ada).json()
    assert first["accessTokenExpiresAt"] == "2026-01-01T01:00:00.000Z"
    assert first["scopes"] == ["email", "calendar"]
    claims = jwt.decode(first["idToken"], options={"verify_signature": False})
    assert (claims["iss"], claims["email"]) == ("https://accounts.google.com", "ada@example.com")

    project.clock.move_to(project.clock.now_ms + 3_595_000)
    assert ask(visitor, "get-access-token", ada).json() == first
    project.clock.move_to(project.clock.now_ms + 1)
    renewed = ask(visitor, "get-access-token", ada).json()
    assert renewed["accessToken"] != first["accessToken"]
    assert renewed["accessTokenExpiresAt"] == "2026-01-01T01:59:55.001Z"


def test_a_refresh_token_ends_too(visitor: httpx.Client, project: Project, ada: dict[str, str]) -> None:
    link_end_ms = project.clock.now_ms + 30 * 24 * 3600 * 1000
    for session in project.identity.sessions:
        project.identity.sessions.replace(session._replace(expires_ms=link_end_ms + 1_000))
    project.undo.mark()
    project.clock.move_to(link_end_ms)
    assert refused(ask(visitor, "refresh-token", ada)) == (400, "FAILED_TO_REFRESH_ACCESS_TOKEN")
    assert refused(ask(visitor, "get-access-token", ada)) == (400, "FAILED_TO_GET_A_VALID_ACCESS_TOKEN")


def test_tokens_are_renewed_on_request(visitor: httpx.Client, ada: dict[str, str]) -> None:
    before = ask(visitor, "get-access-token", ada).json()
    renewed = ask(visitor, "refresh-token", ada).json()
    assert renewed["tokenType"] == "Bearer"
    assert renewed["accessToken"] != before["accessToken"]
    assert renewed["refreshTokenExpiresAt"] == "2026-01-31T00:00:00.000Z"
    assert ask(visitor, "get-access-token", ada).json()["accessToken"] == renewed["accessToken"]


def test_the_tokens_that_came_with_an_id_token_are_kept(visitor: httpx.Client, project: Project) -> None:
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


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        (1_767_225_700, "2026-01-01T00:01:40.000Z"),
        (1_767_225_700_500, "2026-01-01T00:01:40.500Z"),
        (-1, None),
        (1e300, None),
    ],
)
def test_the_end_of_an_access_token_is_in_seconds_or_milliseconds(
    visitor: httpx.Client, moment: float, end: str | None
) -> None:
    given = {"token": id_token(), "accessToken": "ya29.x", "expiresAt": moment}
    user = bearer(sign_in(visitor, idToken=given).json()["token"])
    assert ask(visitor, "get-access-token", user).json().get("accessTokenExpiresAt") == end


@pytest.mark.parametrize("path", ["get-access-token", "refresh-token"])
def test_tokens_are_found_by_the_id_of_the_row_and_by_the_providers(
    visitor: httpx.Client, project: Project, ada: dict[str, str], path: str
) -> None:
    (row,) = project.identity.linked_accounts
    for account_id in (row.id, row.account_id):
        assert ask(visitor, path, ada, accountId=account_id).status_code == 200
    assert refused(ask(visitor, path, ada, accountId="other")) == (400, "ACCOUNT_NOT_FOUND")
    assert refused(ask(visitor, path, ada, providerId="apple")) == (400, "ACCOUNT_NOT_FOUND")


@pytest.mark.parametrize("path", ["get-access-token", "refresh-token", "account-info"])
def test_what_providers_gave_is_for_the_signed_in_user(visitor: httpx.Client, path: str) -> None:
    assert refused(ask(visitor, path, {}, accountId="x")) == (401, "UNAUTHORIZED")


def test_a_provider_that_is_none_is_named_in_the_code(visitor: httpx.Client, ada: dict[str, str]) -> None:
    response = ask(visitor, "get-access-token", ada, providerId="my space")
    assert refused(response) == (400, "PROVIDER_MY_SPACE_IS_NOT_SUPPORTED")
    response = ask(visitor, "refresh-token", ada, providerId="my space")
    assert refused(response) == (400, "PROVIDER_MY_SPACE_NOT_FOUND")


def test_account_info_is_what_the_provider_says(visitor: httpx.Client, signed_in: SignedIn) -> None:
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


def test_a_password_has_no_account_info(visitor: httpx.Client) -> None:
    given = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    body = visitor.post(f"{AUTH}/sign-up/email", json=given).json()
    response = ask(visitor, "account-info", bearer(body["token"]), accountId=body["user"]["id"])
    assert refused(response) == (400, "PROVIDER_CREDENTIAL_IS_NOT_SUPPORTED")
