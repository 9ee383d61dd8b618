"""The sign-in under `/iam/v1`, which clients of the browser before 1.0 call."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from eth_account.messages import encode_defunct
from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.auth import later
from tests.operations.auth_social.helpers import answer, consent, led_to, the_way
from tests.operations.test_auth_siwe import WALLET as SIGNER
from tests.operations.test_auth_siwe import message_of
from tests.tables import cases

IAM = "/iam/v1"
ADA = {"email": "ada@example.com", "password": "correct horse"}
SHOP = "https://shop.example/in"
WALLET = {"walletClientType": "m", "connectorType": "i"}


@pytest.fixture
def visitor(api: Client, project: Project) -> Client:
    """A client of the browser, which has the publishable key."""
    api.headers["authorization"] = f"Bearer {project.publishable_key}"
    return api


def post(client: Client, path: str, body: object = None, **headers: str) -> Response:
    return client.post(f"{IAM}/{path}", json=body, headers=headers)


def sign_up(client: Client, **changes: object) -> dict[str, Any]:
    answer = post(client, "password/signup", ADA | changes)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def heard(answer: Response) -> tuple[int, str]:
    """The status and code of an error, in the envelope of the older API."""
    return answer.status_code, answer.json()["error"]["code"]


def mailed(project: Project) -> dict[str, str]:
    """The members of the newest link's query."""
    url = list(project.outbox)[-1].url
    assert url is not None
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def test_a_session_is_one_of_the_newer_api_too(visitor: Client, project: Project) -> None:
    signed = sign_up(visitor, name="Ada")
    session = {"authorization": f"Bearer {signed['refreshToken']}", "x-project-key": project.publishable_key}
    assert visitor.get("/iam/v2/auth/get-session", headers=session).json()["user"]["name"] == "Ada"
    mine = visitor.get(f"{IAM}/me", headers={"x-player-token": signed["token"]})
    assert mine.json() == signed["player"]


def test_a_wallet_signs_its_user_in_again(visitor: Client) -> None:
    players = set()
    for _ in range(2):
        nonce = post(visitor, "siwe/init", {"address": SIGNER.address}).json()["nonce"]
        message = message_of(SIGNER, nonce)
        signature = SIGNER.sign_message(encode_defunct(text=message)).signature.to_0x_hex()
        answer = post(visitor, "siwe/authenticate", {"message": message, "signature": signature} | WALLET)
        players.add(answer.json()["player"]["id"])
    assert len(players) == 1


def test_a_wallet_is_linked_to_one_user_and_unlinked(visitor: Client) -> None:
    def link(player: dict[str, str]) -> Response:
        nonce = post(visitor, "siwe/init", {"address": SIGNER.address}).json()["nonce"]
        message = message_of(SIGNER, nonce)
        signature = SIGNER.sign_message(encode_defunct(text=message)).signature.to_0x_hex()
        return post(visitor, "siwe/link", {"message": message, "signature": signature} | WALLET, **player)

    signed = sign_up(visitor), sign_up(visitor, email="eve@example.com")
    ada, eve = ({"x-player-token": each["token"]} for each in signed)
    named = {"address": SIGNER.address}
    assert heard(post(visitor, "siwe/unlink", named, **ada)) == (400, "account_not_found")
    for _ in range(2):
        linked = [each["provider"] for each in link(ada).json()["linkedAccounts"]]
        assert linked == ["email", "wallet"]
    assert heard(link(eve)) == (400, "wallet_already_linked")
    unlinked = post(visitor, "siwe/unlink", {"address": SIGNER.address.lower()}, **ada)
    assert [each["provider"] for each in unlinked.json()["linkedAccounts"]] == ["email"]
    assert link(eve).status_code == 200


def test_the_description_is_that_of_the_player(visitor: Client, project: Project) -> None:
    player = sign_up(visitor, name="Ada", description="a tester")["player"]
    secret = {"authorization": f"Bearer {project.secret_key}"}
    shown = visitor.get(f"/v1/players/{player['id']}", headers=secret).json()
    assert (shown["name"], shown["description"]) == ("Ada", "a tester")


@cases(
    "path, body, expected",
    ("password/signup", ADA, (409, "email_taken")),
    ("password/signup", ADA | {"email": "x"}, (400, "invalid_email")),
    ("password/signup", ADA | {"password": "short"}, (400, "password_too_short")),
    ("password/login", ADA | {"password": "wrong horse"}, (401, "invalid_email_or_password")),
    ("password/request_reset", {"email": "x", "redirectUrl": SHOP}, (400, "invalid_parameters")),
    (
        "password/request_reset",
        {"email": ADA["email"], "redirectUrl": "javascript:1"},
        (403, "invalid_redirecturl"),
    ),
    ("password/reset", ADA | {"state": "unknown"}, (400, "invalid_token")),
    ("password/reset", ADA | {"state": "unknown", "password": "short"}, (400, "password_too_short")),
    ("password/verify_email", {"email": ADA["email"], "token": "unknown"}, (400, "invalid_token")),
    ("sessions", {"refreshToken": "unknown"}, (401, "session_invalid")),
    ("oauth/init", {"provider": "myspace"}, (404, "provider_not_found")),
    (
        "oauth/init",
        {"provider": "google", "options": {"redirectTo": "javascript:1"}},
        (403, "invalid_redirecturl"),
    ),
    ("oauth/pool?key=unknown", None, (404, "oauth_not_finished")),
    ("oauth/login_id_token", {"provider": "discord", "token": "x"}, (404, "id_token_not_supported")),
    ("oauth/login_id_token", {"provider": "google", "token": "x"}, (401, "invalid_token")),
    (
        "oauth/third_party",
        {"provider": "google", "token": "x", "tokenType": "idToken"},
        (401, "auth_provider_unknown"),
    ),
    ("siwe/init", {"address": "0x1"}, (400, "invalid_parameters")),
    (
        "siwe/authenticate",
        {"message": "hello", "signature": "0x", "walletClientType": "m", "connectorType": "i"},
        (401, "unauthorized_invalid_siwe_signature"),
    ),
)
def test_what_is_refused_says_why_and_changes_nothing(
    visitor: Client, project: Project, path: str, body: object, expected: tuple[int, str]
) -> None:
    sign_up(visitor)
    before = [list(table) for table in project.tables]
    assert heard(post(visitor, path, body)) == expected
    assert [list(table) for table in project.tables] == before


@cases("options, asked", ({}, "email, profile, openid"), ({"scopes": "openid calendar"}, "openid, calendar"))
def test_the_consent_page_asks_for_scopes(visitor: Client, options: dict[str, str], asked: str) -> None:
    begun = post(visitor, "oauth/init", {"provider": "google", "options": {**options, "redirectTo": SHOP}})
    assert begun.status_code == 201, begun.text
    assert f"It asks for: {asked}." in visitor.get(begun.json()["url"]).text


@cases("polls, late_ms, status", (True, 599_999, 200), (True, 600_000, 404), (False, 0, 404))
def test_a_program_polls_for_the_session_of_a_consent_page(
    visitor: Client, project: Project, polls: bool, late_ms: int, status: int
) -> None:
    begun = post(visitor, "oauth/init", {"provider": "google", "usePooling": polls}).json()
    pool = f"oauth/pool?key={begun['key']}"
    assert heard(post(visitor, pool)) == (404, "oauth_not_finished")
    consent(visitor, begun["url"])
    later(project, late_ms)
    assert post(visitor, pool).status_code == status
    assert heard(post(visitor, pool)) == (404, "oauth_not_finished"), "it is given once"


def test_an_application_exchanges_the_code_of_a_provider_itself(visitor: Client) -> None:
    options = {"callbackTo": "shop://code?from=shop"}
    begun = post(visitor, "oauth/init", {"provider": "google", "options": options}).json()
    place, handed_over = led_to(answer(visitor, begun["url"]))
    assert (place, {*handed_over}) == ("shop://code", {"from", "state", "code"})
    asked = {each: handed_over[each] for each in ("state", "code")}
    invalid = (401, "invalid_code")
    assert heard(post(visitor, "oauth/grant/google", asked | {"code": "other"})) == invalid
    assert heard(post(visitor, "oauth/grant/discord", asked)) == invalid
    granted = post(visitor, "oauth/grant/google", asked).json()
    assert granted.keys() == {"accessToken", "refreshToken", "playerId"}
    me = visitor.get("/iam/v1/me", headers={"x-player-token": granted["accessToken"]})
    assert me.json()["id"] == granted["playerId"], me.text
    assert heard(post(visitor, "oauth/grant/google", asked)) == invalid, "it is good for one session"


def test_an_application_links_a_provider_by_its_code(visitor: Client) -> None:
    player = sign_up(visitor)
    asked = {"provider": "discord", "options": {"callbackTo": SHOP}}
    begun = post(visitor, "oauth/init_link", asked, **{"x-player-token": player["token"]}).json()
    _, handed_over = led_to(answer(visitor, begun["url"]))
    assert post(visitor, "oauth/grant/discord", handed_over).json()["playerId"] == player["player"]["id"]


def test_a_code_of_the_newer_sign_in_is_not_granted(visitor: Client, project: Project) -> None:
    visitor.put(f"/_mock/projects/{project.id}/settings", json={"sign_up_on_request": ["google"]})
    newer = {"authorization": "", "x-project-key": project.publishable_key}
    url = the_way(visitor, headers=newer)
    _, handed_over = led_to(answer(visitor, url))
    assert heard(post(visitor, "oauth/grant/google", handed_over)) == (401, "invalid_code")


def test_a_callback_without_a_provider_is_that_of_the_state(visitor: Client) -> None:
    asked = {"provider": "google", "options": {"redirectTo": SHOP}}
    begun = post(visitor, "oauth/init", asked).json()
    back = urlsplit(answer(visitor, begun["url"]).headers["location"])
    assert back.path == "/iam/v1/oauth/callback/google"
    place, query = led_to(visitor.get(f"/iam/v1/oauth/callback?{back.query}"))
    assert (place, {*query}) == (SHOP, {"access_token", "refresh_token", "player_id"})


def test_an_address_is_verified_before_its_user_signs_in(visitor: Client, project: Project) -> None:
    visitor.put(f"/_mock/projects/{project.id}/settings", json={"email_verification_required": True})
    assert post(visitor, "password/signup", ADA).json() == {"action": "verify_email"}
    assert post(visitor, "password/login", ADA).json() == {"action": "verify_email"}
    assert list(project.outbox) == []
    asked = {"email": ADA["email"], "redirectUrl": SHOP}
    assert post(visitor, "password/request_email_verification", asked).status_code == 204
    token = mailed(project)["token"]
    body = {"email": ADA["email"], "token": token}
    assert post(visitor, "password/verify_email", body).status_code == 204
    assert post(visitor, "password/login", ADA).json()["player"]["linkedAccounts"][0]["verified"] is True


def test_a_link_needs_the_verifier_of_its_challenge(visitor: Client, project: Project) -> None:
    sign_up(visitor)
    # RFC 7636, appendix B.
    challenge = {"codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "method": "S256"}
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    asked = {"email": ADA["email"], "redirectUrl": f"{SHOP}?from=shop", "challenge": challenge}
    assert post(visitor, "password/request_reset", asked).status_code == 204
    link = mailed(project)
    assert (link["from"], link["email"], link["token"]) == ("shop", ADA["email"], link["state"])
    reset: dict[str, object] = {"email": ADA["email"], "password": "battery horse", "state": link["state"]}
    for proof in ({}, {"challenge": {"codeVerifier": "another"}}):
        assert heard(post(visitor, "password/reset", reset | proof)) == (400, "invalid_token")
    proven = reset | {"challenge": {"codeVerifier": verifier}}
    assert post(visitor, "password/reset", proven).status_code == 204
    assert heard(post(visitor, "password/reset", proven)) == (400, "invalid_token")
    assert "token" in post(visitor, "password/login", ADA | {"password": "battery horse"}).json()


def test_a_link_expires(visitor: Client, project: Project) -> None:
    sign_up(visitor)
    post(visitor, "password/request_reset", {"email": ADA["email"], "redirectUrl": SHOP})
    reset = ADA | {"state": mailed(project)["state"]}
    later(project, project.settings.link_lifetime_ms)
    assert heard(post(visitor, "password/reset", reset)) == (400, "invalid_token")


def test_nothing_tells_whether_an_address_is_known(visitor: Client, project: Project) -> None:
    asked = {"email": "nobody@example.com", "redirectUrl": SHOP}
    for path in ("password/request_reset", "password/request_email_verification"):
        assert post(visitor, path, asked).status_code == 204
    assert list(project.outbox) == []


def test_a_guest_with_a_password_is_no_guest_any_more(visitor: Client, project: Project) -> None:
    guest = post(visitor, "guest").json()
    player = {"x-player-token": guest["token"]}
    weak = post(visitor, "password/link", ADA | {"password": "short"}, **player)
    assert heard(weak) == (400, "password_too_short")
    assert post(visitor, "password/link", ADA, **player).json()["id"] == guest["player"]["id"]
    (user,) = project.identity.users
    assert (user.email, user.is_anonymous) == (ADA["email"], None)
    assert post(visitor, "password/login", ADA).json()["player"]["id"] == guest["player"]["id"]
    refused = [
        post(visitor, "password/unlink", {"email": each}, **player) for each in (ADA["email"], "x@y.z")
    ]
    assert [heard(each) for each in refused] == [
        (400, "failed_to_unlink_last_account"),
        (400, "account_not_found"),
    ]
    sign_up(visitor, email="eve@example.com")
    taken = post(visitor, "password/link", ADA | {"email": "eve@example.com"}, **player)
    assert heard(taken) == (409, "email_taken")


@cases(
    "provider, path, body",
    ("email", "password/signup", ADA),
    ("email", "password/login", ADA),
    ("email", "password/link", ADA),
    ("web3", "siwe/authenticate", {"message": "m", "signature": "0x"} | WALLET),
    ("web3", "siwe/link", {"message": "m", "signature": "0x"} | WALLET),
)
def test_a_way_to_sign_in_that_is_off_is_refused(
    visitor: Client, project: Project, provider: str, path: str, body: dict[str, str]
) -> None:
    guest = post(visitor, "guest").json()
    player = {"x-player-token": guest["token"]} if path.endswith("/link") else {}
    off = {"provider": provider, "enabled": False}
    assert post(visitor, "config", off, authorization=f"Bearer {project.secret_key}").is_success
    assert heard(post(visitor, path, body, **player)) == (403, "provider_disabled")


def test_another_users_session_is_not_ended(visitor: Client) -> None:
    ada, eve = sign_up(visitor), sign_up(visitor, email="eve@example.com")
    player = {"x-player-token": ada["token"]}
    refused = post(visitor, "sessions/logout", {"refreshToken": eve["refreshToken"]}, **player)
    assert heard(refused) == (401, "session_invalid")
    ended = post(visitor, "sessions/logout", {"refreshToken": ada["refreshToken"]}, **player)
    assert ended.status_code == 204
    assert visitor.get(f"{IAM}/me", headers=player).status_code == 401


def test_an_identity_of_another_user_is_not_linked(visitor: Client) -> None:
    token = jwt.encode({"sub": "fb-7"}, "k" * 32)
    named = {"provider": "firebase", "token": token, "tokenType": "idToken"}
    ada, eve = sign_up(visitor), sign_up(visitor, email="eve@example.com")
    linked = post(visitor, "oauth/link", named, **{"x-player-token": ada["token"]})
    assert linked.json()["linkedAccounts"][1]["externalUserId"] == "fb-7"
    untyped = {"provider": "firebase", "token": token}
    for body in (named, untyped):
        assert post(visitor, "oauth/third_party", body).json()["id"] == ada["player"]["id"]
    refused = post(visitor, "oauth/link", named, **{"x-player-token": eve["token"]})
    assert heard(refused) == (401, "account_not_linked__already_linked_to_different_user")
    unlinked = post(visitor, "oauth/unlink", {"provider": "firebase"}, **{"x-player-token": ada["token"]})
    assert [each["provider"] for each in unlinked.json()["linkedAccounts"]] == ["email"]


def test_a_guest_with_a_linked_identity_is_no_guest_any_more(visitor: Client, project: Project) -> None:
    guest = post(visitor, "guest").json()
    named = {"provider": "firebase", "token": jwt.encode({"sub": "fb-7"}, "k" * 32), "tokenType": "idToken"}
    player = {"x-player-token": guest["token"]}
    unknown = post(visitor, "oauth/link", named | {"provider": "google"}, **player)
    assert heard(unknown) == (401, "auth_provider_unknown")
    linked = post(visitor, "oauth/link", named, **player).json()
    assert linked["id"] == guest["player"]["id"]
    assert "email" not in linked["linkedAccounts"][0]
    (user,) = project.identity.users
    assert user.is_anonymous is None


def test_the_newer_path_is_in_the_hint_and_strict_refuses(visitor: Client, project: Project) -> None:
    hint = post(visitor, "guest").headers["x-mockserver-hint"]
    assert hint.startswith("older-sign-in: ")
    assert "POST /iam/v2/auth/sign-in/anonymous" in hint
    visitor.put(f"/_mock/projects/{project.id}/settings", json={"strict": True})
    assert post(visitor, "guest").status_code == 400
