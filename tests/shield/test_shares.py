"""The share service: what the developer stores for a user, and what the user gets back."""

from typing import Any

import jwt
import pyshamir
from httpx import Client

from mockserver.domain.identity.sessions import open_session
from mockserver.domain.wallets.keys.custody import address_of_secret
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.replay.runs import play
from tests.tables import cases

BASE = "/_mock/projects/-/shield"
DEVELOPER = {"x-api-key": "pk", "x-api-secret": "sk"}
PART = {"x-encryption-part": "part"}


def pregenerate(api: Client, *accounts: object, **user: object) -> Any:
    """A user with accounts, by e-mail address unless said otherwise."""
    body = {"accounts": list(accounts) or [{}], **(user or {"email": "grace@example.com"})}
    return api.post("/v2/users/pregenerate", json=body).json()


def preregister(shield: Client, made: Any, **changes: Any) -> None:
    """Store the share of a user's first account, as the client of the API does."""
    body = share_of(made["accounts"][0], **changes)
    headers = {**DEVELOPER, "x-auth-provider": "openfort", "x-user-id": made["user"]}
    assert shield.post("/admin/preregister", headers=headers, json=body).status_code == 204


def share_of(account: Any, **changes: Any) -> Any:
    """The share of an account as clients send it."""
    share = {"secret": account["recoveryShare"], "reference": account["signer"], "entropy": "project"}
    return {**share, "encryption_part": "part", "encryption_session": "", **changes}


def signed_in(project: Project, user_id: str) -> dict[str, str]:
    """What a user sends who is signed in."""
    session = open_session(project, project.identity.users[user_id])
    project.commit()
    return {"x-api-key": "pk", "x-auth-provider": "openfort", "authorization": f"Bearer {session.token}"}


@cases("kind", "EVM", "SVM")
def test_two_shares_of_an_account_join_to_its_key(
    api: Client, shield: Client, project: Project, kind: Any
) -> None:
    made = pregenerate(api, {"chainType": kind})
    (account,) = made["accounts"]
    preregister(shield, made)
    kept = shield.get(f"/shares/{account['signer']}", headers={**signed_in(project, made["user"]), **PART})
    exported = api.post(f"/v2/accounts/{account['id']}/export-share").json()
    shares = [bytearray.fromhex(text) for text in (kept.json()["secret"], exported["share"])]
    assert address_of_secret(bytes(pyshamir.combine(shares)), kind) == account["address"]
    assert {bytes(share[:-1]) for share in shares}.isdisjoint({bytes(pyshamir.combine(shares))})


def test_accounts_of_one_key_have_the_same_shares(api: Client) -> None:
    smart = {"accountType": "Smart Account", "chainId": 80002, "implementationType": "UpgradeableV6"}
    eoa, owned = pregenerate(api, {}, smart)["accounts"]
    assert eoa["signer"] == owned["signer"]
    assert eoa["recoveryShare"] == owned["recoveryShare"]


@cases(
    "share, method",
    ({"entropy": "project"}, "automatic"),
    ({"entropy": "user", "salt": "s", "iterations": 7, "length": 32, "digest": "SHA-256"}, "password"),
    ({"entropy": "passkey"}, "passkey"),
    ({"entropy": "none"}, None),
)
def test_the_account_says_how_its_key_is_recovered(
    api: Client, shield: Client, project: Project, share: Any, method: Any
) -> None:
    made = pregenerate(api)
    preregister(shield, made, **share)
    path = f"/v2/accounts/{made['accounts'][0]['id']}"
    assert api.get(path).json().get("recoveryMethod") == method
    user = signed_in(project, made["user"])
    kept = shield.get("/shares", headers={**user, **PART}).json()
    assert kept == {**kept, **share}


def test_a_session_stands_for_the_encryption_part(api: Client, shield: Client, project: Project) -> None:
    made = pregenerate(api)
    preregister(shield, made)
    session = shield.post("/project/encryption-session", headers=DEVELOPER, json={"encryption_part": "part"})
    user = signed_in(project, made["user"])
    headers = {**user, "x-encryption-session": session.json()["session_id"]}
    assert shield.get("/shares", headers=headers).json()["secret"] == made["accounts"][0]["recoveryShare"]


@cases(
    "headers, code",
    ({}, "EC_MISSING"),
    ({"x-encryption-part": "another"}, "EC_INVALID"),
    ({"x-encryption-session": "invented"}, "EC_INVALID"),
)
def test_a_share_is_not_given_back_without_its_part(
    api: Client, shield: Client, project: Project, headers: Any, code: str
) -> None:
    made = pregenerate(api)
    preregister(shield, made)
    refused = shield.get("/shares", headers={**signed_in(project, made["user"]), **headers})
    assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_a_share_is_stored_once_and_found_by_its_reference(
    api: Client, shield: Client, project: Project
) -> None:
    made = pregenerate(api)
    preregister(shield, made)
    headers = {**DEVELOPER, "x-auth-provider": "openfort", "x-user-id": made["user"]}
    again = shield.post("/admin/preregister", headers=headers, json=share_of(made["accounts"][0]))
    assert (again.status_code, again.json()["code"]) == (409, "SHARE_ALREADY_EXISTS")
    other = shield.get("/shares/phone", headers={**signed_in(project, made["user"]), **PART})
    assert (other.status_code, other.json()["code"]) == (404, "SHARE_NOT_FOUND")


def test_a_share_is_given_to_no_other_user(api: Client, shield: Client, project: Project) -> None:
    preregister(shield, pregenerate(api))
    other = pregenerate(api, email="mallory@example.com")["user"]
    assert shield.get("/shares", headers={**signed_in(project, other), **PART}).status_code == 404


def test_a_token_of_another_provider_gives_the_share(api: Client, shield: Client) -> None:
    made = pregenerate(api, thirdPartyUserId="grace", thirdPartyProvider="firebase")
    preregister(shield, made)
    token = jwt.encode({"sub": "grace"}, "k" * 32, "HS256")
    headers = {"x-api-key": "pk", "authorization": f"Bearer {token}", "x-auth-provider": "openfort"}
    kept = shield.get("/shares", headers={**headers, **PART, "x-openfort-provider": "firebase"})
    assert kept.json()["reference"] == made["accounts"][0]["signer"]


@cases("token", "grace", jwt.encode({"sub": "grace"}, "k" * 32, "HS256"))
def test_the_developers_own_users_have_shares(api: Client, shield: Client, token: str) -> None:
    account = pregenerate(api, thirdPartyUserId="grace", thirdPartyProvider="oidc")["accounts"][0]
    headers = {**DEVELOPER, "x-auth-provider": "custom", "x-user-id": "grace"}
    assert shield.post("/admin/preregister", headers=headers, json=share_of(account)).status_code == 204
    user = {"x-api-key": "pk", "x-auth-provider": "custom", "authorization": f"Bearer {token}", **PART}
    assert shield.get("/shares", headers=user).json()["secret"] == account["recoveryShare"]


@cases(
    "headers, status, code",
    ({"x-api-key": ""}, 401, "UNAUTHORIZED"),
    ({"x-api-secret": ""}, 401, "UNAUTHORIZED"),
    ({"x-user-id": ""}, 401, "UNAUTHORIZED"),
    ({"x-auth-provider": "openfrot"}, 401, "UNAUTHORIZED"),
    ({"x-user-id": "usr_unknown"}, 404, "USER_NOT_FOUND"),
    ({"x-user-id": "pla_unknown"}, 404, "WALLET_NOT_FOUND"),
)
def test_the_developer_s_headers_are_checked(
    api: Client, shield: Client, headers: Any, status: int, code: str
) -> None:
    made = pregenerate(api)
    sent = {**DEVELOPER, "x-auth-provider": "openfort", "x-user-id": made["user"], **headers}
    refused = shield.post("/admin/preregister", headers=sent, json=share_of(made["accounts"][0]))
    assert (refused.status_code, refused.json()["code"]) == (status, code)


@cases(
    "headers",
    {"authorization": ""},
    {"authorization": "Bearer invented"},
    {"authorization": "Bearer a.b.c", "x-auth-provider": "custom"},
    {"x-openfort-provider": "nobody"},
)
def test_only_a_user_s_token_opens_shares(
    api: Client, shield: Client, project: Project, headers: Any
) -> None:
    user = signed_in(project, pregenerate(api)["user"])
    assert shield.get("/shares", headers={**user, **headers}).status_code == 401


@cases("changes, status", ({"secret": ""}, 400), ({"entropy": "projct"}, 400), ({"encryption_part": ""}, 400))
def test_a_wrong_share_is_not_stored(api: Client, shield: Client, changes: Any, status: int) -> None:
    made = pregenerate(api)
    headers = {**DEVELOPER, "x-auth-provider": "openfort", "x-user-id": made["user"]}
    body = share_of(made["accounts"][0], **changes)
    assert shield.post("/admin/preregister", headers=headers, json=body).status_code == status


def of_own_user(shield: Client, named: str, **share: object) -> int:
    """The status of the share of a user with an id of the developer's own."""
    headers = {**DEVELOPER, "x-auth-provider": "custom", "x-user-id": named}
    body = {"secret": "s", "entropy": "none", **share}
    return shield.post("/admin/preregister", headers=headers, json=body).status_code


def test_ids_with_slashes_are_those_of_different_users(shield: Client) -> None:
    assert of_own_user(shield, "a/b", reference="c") == 204
    assert of_own_user(shield, "a", reference="b/c") == 204


@cases("member", "iterations", "length")
def test_a_number_of_a_share_has_bounds(shield: Client, member: str) -> None:
    assert [of_own_user(shield, "u", **{member: value}) for value in (-1, 2**31, 2**31 - 1)] == [
        400,
        400,
        204,
    ]


def test_a_kind_of_token_that_there_is_not_is_refused(shield: Client) -> None:
    headers = {"x-api-key": "pk", "x-auth-provider": "openfort", "authorization": "Bearer u-1"}
    headers |= {"x-openfort-provider": "firebase", "x-openfort-token-type": "idtoken"}
    refused = shield.get("/shares", headers=headers)
    assert (refused.status_code, "idToken or customToken" in refused.json()["message"]) == (401, True)


def test_a_masked_recording_with_a_session_replays(app: App, api: Client, shield: Client) -> None:
    app.recordings.start(masked=True)
    begun = shield.post(
        "/project/encryption-session", headers=DEVELOPER, json={"encryption_part": "a secret part"}
    )
    share = {"entropy": "project", "encryption_session": begun.json()["session_id"]}
    assert of_own_user(shield, "u", **share) == 204
    app.recordings.stop()
    player, found = play(app.recordings.read())
    assert (found, player.number) == ([], 2)


def test_a_passkey_that_is_known_stays_with_its_share(api: Client, shield: Client) -> None:
    made = pregenerate(api)
    account = made["accounts"][0]["id"]
    known = {"method": "passkey", "passkey": {"id": "key-1", "os": "iOS"}}
    api.put(f"/_mock/projects/-/accounts/{account}/recovery", json=known)
    preregister(shield, made, entropy="passkey")
    shown = api.get(f"/v2/accounts/{account}").json()
    assert (shown["recoveryMethod"], shown["recoveryMethodDetails"]["passkeyId"]) == ("passkey", "key-1")
