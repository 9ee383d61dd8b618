"""Signing in by way of the provider's consent page."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs, urlsplit

import jwt
from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_social.helpers import (
    CALLBACK,
    bearer,
    consent,
    id_token,
    led_to,
    refused,
    sign_in,
    the_way,
)
from tests.tables import cases


@cases("redirects", True, False)
def test_without_an_id_token_the_answer_leads_to_the_provider(visitor: Client, redirects: bool) -> None:
    given = {"provider": "google", "callbackURL": CALLBACK, "disableRedirect": not redirects}
    response = visitor.post(f"{AUTH}/sign-in/social", json=given)
    body = response.json()
    assert body == {"url": body["url"], "redirect": redirects}
    assert body["url"].startswith("http://mock/_mock/projects/")
    assert response.headers["set-cookie"].startswith("better-auth.state=")


@cases("provider", "google", "apple", "twitter", "discord", "facebook", "epic_games", "line", "telegram")
def test_who_accepts_comes_back_signed_in(visitor: Client, browser: Client, provider: str) -> None:
    place, query = led_to(consent(browser, the_way(visitor, provider=provider)))
    assert place == "https://shop.example/signed-in"
    assert query.keys() == {"from", "access_token", "user_id"}
    session = visitor.get(f"{AUTH}/get-session", headers=bearer(query["access_token"])).json()
    assert (session["user"]["id"], session["user"]["email"]) == (query["user_id"], "ada@example.com")


@cases(
    "config, client",
    ({"provider": "google", "clientId": "c-<1>", "clientSecret": "s-1"}, "c-<1>"),
    ({"provider": "discord", "clientId": "c-2", "clientSecret": "s-2"}, "c-2"),
    ({"provider": "line", "channelId": "c-3", "channelSecret": "s-3"}, "c-3"),
)
def test_the_page_shows_the_configured_client_and_base_url(
    api: Client, visitor: Client, browser: Client, config: dict[str, str], client: str
) -> None:
    unnamed = the_way(visitor, provider=config["provider"])
    assert "client_id" not in parse_qs(urlsplit(unnamed).query)
    assert "An application wants to sign in" in browser.get(unnamed).text
    api.post("/iam/v1/oauth", json=config | {"enabled": True, "baseUrl": "https://id.shop.example"})
    url = the_way(visitor, provider=config["provider"])
    assert parse_qs(urlsplit(url).query)["client_id"] == [client]
    page = browser.get(url).text
    assert f"<code>{escape(client)}</code>" in page
    assert "<code>https://id.shop.example</code>" in page
    assert config.get("clientSecret", "s-3") not in page


def test_id_tokens_are_for_the_configured_client(api: Client, visitor: Client, browser: Client) -> None:
    config = {"provider": "google", "clientId": "c-1", "baseUrl": "https://id.shop.example", "enabled": True}
    api.post("/iam/v1/oauth", json=config)
    user = bearer(led_to(consent(browser, the_way(visitor)))[1]["access_token"])
    given = visitor.post(f"{AUTH}/get-access-token", json={"providerId": "google"}, headers=user).json()
    claims = jwt.decode(given["idToken"], options={"verify_signature": False})
    assert (claims["iss"], claims["aud"]) == ("https://id.shop.example", "c-1")


def test_coming_twice_is_the_same_user(visitor: Client, browser: Client) -> None:
    users = {led_to(consent(browser, the_way(visitor)))[1]["user_id"] for _ in range(2)}
    assert len(users) == 1


def test_the_fragment_of_a_callback_stays_behind_the_query(visitor: Client, browser: Client) -> None:
    response = consent(browser, the_way(visitor, callbackURL="https://shop.example/#/in"))
    location = response.headers["location"]
    assert re.fullmatch(r"https://shop\.example/\?access_token=\w+&user_id=[\w-]+#/in", location)


def test_a_callback_may_be_an_app_of_its_own(visitor: Client, browser: Client) -> None:
    response = consent(browser, the_way(visitor, callbackURL="shop://signed-in"))
    assert response.headers["location"].startswith("shop://signed-in?access_token=")


def test_who_is_new_may_be_sent_elsewhere(visitor: Client, browser: Client) -> None:
    new = "https://shop.example/welcome"
    places = [led_to(consent(browser, the_way(visitor, newUserCallbackURL=new)))[0] for _ in range(2)]
    assert places == [new, "https://shop.example/signed-in"]


@cases("decision, error", ("refuse", "access_denied"), ("fail", "server_error"))
def test_who_does_not_accept_comes_back_with_an_error(
    visitor: Client, browser: Client, project: Project, decision: str, error: str
) -> None:
    url = the_way(visitor, errorCallbackURL="https://shop.example/failed?a=b")
    assert led_to(consent(browser, url, decision=decision)) == (
        "https://shop.example/failed",
        {"a": "b", "error": error},
    )
    assert len(project.identity.users) == 0


def test_without_a_place_for_errors_they_go_to_the_services_own(visitor: Client, browser: Client) -> None:
    response = consent(browser, the_way(visitor), decision="refuse")
    assert led_to(response) == ("http://mock/iam/v2/auth/error", {"error": "access_denied"})
    page = browser.get(response.headers["location"])
    assert (page.status_code, page.text) == (200, "Authentication failed.\naccess_denied\n")


def test_the_page_of_errors_shows_what_it_is_given_as_text_only(browser: Client) -> None:
    given = {"error": "<script>alert(1)</script>", "error_description": "x" * 5_000}
    page = browser.get(f"{AUTH}/error", params=given)
    assert "<script>alert(1)</script>\n" in page.text
    assert page.headers["content-type"] == "text/plain; charset=utf-8"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.text.endswith("\n" + "x" * 500 + "\n")


def test_an_unverified_address_is_an_error(visitor: Client, browser: Client, project: Project) -> None:
    create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    response = consent(browser, the_way(visitor), verified="false")
    assert led_to(response)[1] == {"error": "account_not_linked"}


def test_no_address_comes_back_as_an_error(visitor: Client, browser: Client) -> None:
    assert led_to(consent(browser, the_way(visitor), email=""))[1] == {"error": "email_not_found"}


def test_who_signs_up_on_request_gets_an_error(visitor: Client, browser: Client, api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"sign_up_on_request": ["google"]})
    assert led_to(consent(browser, the_way(visitor)))[1] == {"error": "signup_disabled"}
    assert "access_token" in led_to(consent(browser, the_way(visitor, requestSignUp=True)))[1]


def test_a_state_is_good_once(visitor: Client, browser: Client) -> None:
    url = the_way(visitor)
    state = parse_qs(urlsplit(url).query)["state"][0]
    back = browser.post(url, data={"state": state, "email": "ada@example.com"}).headers["location"]
    assert "access_token" in led_to(browser.get(back))[1]
    assert led_to(browser.get(back))[1] == {"error": "please_restart_the_process"}
    assert browser.get(url).status_code == 404


def test_a_state_is_good_for_ten_minutes(visitor: Client, browser: Client, project: Project) -> None:
    url = the_way(visitor)
    project.clock.move_to(project.clock.now_ms + 600_000)
    assert led_to(consent(browser, url))[1] == {"error": "please_restart_the_process"}


@cases(
    "change, error",
    (lambda url: url.replace("/google", "/apple"), "please_restart_the_process"),
    (lambda url: re.sub("state=[^&]+", "state=other", url), "please_restart_the_process"),
    (lambda url: re.sub("state=[^&]+", "", url), "state_not_found"),
    (lambda url: re.sub("code=[^&]+", "code=other", url), "invalid_code"),
    (lambda url: re.sub("code=[^&]+", "", url), "no_code"),
)
def test_what_comes_back_must_be_what_was_sent(
    visitor: Client, browser: Client, project: Project, change: Callable[[str], str], error: str
) -> None:
    url = the_way(visitor)
    state = parse_qs(urlsplit(url).query)["state"][0]
    back = browser.post(url, data={"state": state, "email": "ada@example.com"}).headers["location"]
    assert led_to(browser.get(change(back)))[1] == {"error": error}
    assert len(project.identity.users) == 0


def test_a_disabled_provider_rejects_sign_ins(visitor: Client, browser: Client, api: Client) -> None:
    url = the_way(visitor)
    api.put("/_mock/projects/-/settings", json={"social_providers": []})
    assert led_to(consent(browser, url))[1] == {"error": "oauth_provider_not_found"}


def test_a_guest_who_comes_back_is_gone(visitor: Client, browser: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    url = the_way(visitor, headers=bearer(guest["token"]))
    _, query = led_to(consent(browser, url))
    assert [user.id for user in project.identity.users] == [query["user_id"]]


@cases(
    "member, code",
    ("callbackURL", "INVALID_CALLBACKURL"),
    ("errorCallbackURL", "INVALID_ERRORCALLBACKURL"),
    ("newUserCallbackURL", "INVALID_NEWUSERCALLBACKURL"),
)
def test_an_untrusted_place_is_refused(visitor: Client, api: Client, member: str, code: str) -> None:
    api.put("/_mock/projects/-/settings", json={"trusted_origins": ["https://shop.example"]})
    given = {"provider": "google", member: "https://evil.example/"}
    assert refused(visitor.post(f"{AUTH}/sign-in/social", json=given)) == (403, code)


def test_the_journal_hides_the_tokens_of_the_way_back(visitor: Client, browser: Client, api: Client) -> None:
    token = led_to(consent(browser, the_way(visitor)))[1]["access_token"]
    visitor.post(f"{AUTH}/get-access-token", json={"providerId": "google"}, headers=bearer(token))
    sign_in(visitor, idToken={"token": id_token(), "accessToken": "A" * 40, "refreshToken": "R" * 40})
    shown = api.get("/_mock/projects/-/journal").text
    assert '"operation":"socialCallback"' in shown
    for secret in (token, id_token(), "A" * 40, "R" * 40):
        assert secret not in shown
    assert not re.search(r"code=\w{5}", shown)
