"""Users whom the developer makes before they first sign in."""

import re
from typing import Any

import jwt
from httpx import Client

from mockserver import leniencies
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.tables import cases

AMOY = 80002
PREGENERATE = "/v2/users/pregenerate"
EMAIL = "grace@example.com"
SMART = {"accountType": "Smart Account", "chainId": AMOY, "implementationType": "UpgradeableV6"}
DELEGATED = {"accountType": "Delegated Account", "chainId": AMOY, "implementationType": "CaliburV9"}


def pregenerate(api: Client, *accounts: object, **members: object) -> Any:
    """A user with accounts."""
    answer = api.post(PREGENERATE, json={"accounts": list(accounts)} | members)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_accounts_come_in_the_order_of_the_request(api: Client) -> None:
    made = pregenerate(api, {"chainType": "SVM"}, SMART, {}, DELEGATED, {}, email=EMAIL)
    svm, smart, eoa, delegated, other = made["accounts"]
    assert [account["accountType"] for account in made["accounts"]] == [
        "Externally Owned Account",
        "Smart Account",
        "Externally Owned Account",
        "Delegated Account",
        "Externally Owned Account",
    ]
    assert svm["chainType"] == "SVM"
    assert smart["ownerAddress"] == eoa["address"] == delegated["address"] != other["address"]
    assert smart["signer"] == eoa["signer"] == delegated["signer"] != other["signer"]
    assert len({account["wallet"] for account in made["accounts"]}) == 1
    assert {account["custody"] for account in made["accounts"]} == {"User"}
    for account in made["accounts"]:
        assert account["signer"].startswith("sig_")
        assert re.fullmatch(r"[0-9a-f]{64}02", account["recoveryShare"])
        shown = {name: value for name, value in account.items() if name not in ("recoveryShare", "signer")}
        assert api.get(f"/v2/accounts/{account['id']}").json() == shown
        found = api.get("/v2/accounts/signer", params={"address": account["address"]}).json()
        assert found == {"id": account["signer"]}
    assert len(api.get("/v2/accounts", params={"user": made["user"]}).json()["data"]) == 5


def test_who_proves_the_address_by_code_is_the_user(api: Client, visitor: Client) -> None:
    made = pregenerate(api, {}, email="Grace@Example.com")
    api.put("/_mock/projects/-/settings", json={"one_time_code": "123456"})
    visitor.post("/iam/v2/auth/email-otp/send-verification-otp", json={"email": EMAIL, "type": "sign-in"})
    entered = visitor.post("/iam/v2/auth/sign-in/email-otp", json={"email": EMAIL, "otp": "123456"}).json()
    assert entered["user"]["id"] == made["user"]
    listed = visitor.get("/v2/accounts", headers={"authorization": f"Bearer {entered['token']}"}).json()
    assert [row["id"] for row in listed["data"]] == [made["accounts"][0]["id"]]


SIGN_UP = {"email": EMAIL, "password": "correct horse", "name": "Grace"}


def test_who_signs_up_with_the_address_is_the_user(api: Client, visitor: Client) -> None:
    made = pregenerate(api, {}, email=EMAIL)
    signed_up = visitor.post("/iam/v2/auth/sign-up/email", json=SIGN_UP).json()
    assert (signed_up["user"]["id"], signed_up["user"]["name"]) == (made["user"], "Grace")
    headers = {"authorization": f"Bearer {signed_up['token']}"}
    (account,) = visitor.get("/v2/accounts", headers=headers).json()["data"]
    assert account["id"] == made["accounts"][0]["id"]
    assert visitor.post("/iam/v2/auth/sign-in/email", json=SIGN_UP).json()["user"]["id"] == made["user"]
    again = visitor.post("/iam/v2/auth/sign-up/email", json=SIGN_UP | {"name": "Mallory"})
    assert (again.status_code, again.json()["code"]) == (422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")


def test_a_user_to_be_verified_signs_in_after_that(api: Client, visitor: Client, browser: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"email_verification_required": True})
    made = pregenerate(api, {}, email=EMAIL)
    assert visitor.post("/iam/v2/auth/sign-up/email", json=SIGN_UP).json()["token"] is None
    assert visitor.post("/iam/v2/auth/sign-in/email", json=SIGN_UP).status_code == 403
    (mail,) = api.get("/_mock/projects/-/outbox", params={"to": EMAIL}).json()["data"]
    assert browser.get(mail["url"]).status_code == 302
    assert visitor.post("/iam/v2/auth/sign-in/email", json=SIGN_UP).json()["user"]["id"] == made["user"]


def test_a_user_who_has_proved_the_address_cannot_be_taken_over(api: Client, visitor: Client) -> None:
    made = pregenerate(api, {}, email=EMAIL)
    api.put("/_mock/projects/-/settings", json={"one_time_code": "123456"})
    visitor.post("/iam/v2/auth/email-otp/send-verification-otp", json={"email": EMAIL, "type": "sign-in"})
    visitor.post("/iam/v2/auth/sign-in/email-otp", json={"email": EMAIL, "otp": "123456"})
    refused = visitor.post("/iam/v2/auth/sign-up/email", json=SIGN_UP | {"name": "Mallory"})
    assert (refused.status_code, refused.json()["code"]) == (422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")
    assert api.get(f"/v2/users/{made['user']}").json()["name"] != "Mallory"


def third_party(api: Client, **claims: object) -> Any:
    """The user of a provider's token."""
    token = jwt.encode(claims, "k" * 32, "HS256")
    return api.post("/iam/v2/user/third_party", json={"provider": "firebase", "token": token}).json()


def test_a_verifying_provider_leads_to_the_user(api: Client) -> None:
    made = pregenerate(api, {}, email=EMAIL)
    assert third_party(api, sub="mallory", email=EMAIL, email_verified=False)["id"] != made["user"]
    user = third_party(api, sub="grace", email=EMAIL, email_verified=True)
    assert (user["id"], user["emailVerified"]) == (made["user"], True)


def test_who_has_the_third_party_identity_is_the_user(api: Client) -> None:
    made = pregenerate(api, {}, thirdPartyUserId="grace", thirdPartyProvider="firebase")
    assert third_party(api, sub="grace")["id"] == made["user"]
    assert third_party(api, sub="ada")["id"] != made["user"]


def test_an_identifier_is_taken_once(api: Client, project: Project) -> None:
    by_email = {"email": EMAIL, "accounts": [{}]}
    by_identity = {"thirdPartyUserId": "g", "thirdPartyProvider": "firebase", "accounts": [{}]}
    for body in (by_email, by_identity):
        assert api.post(PREGENERATE, json=body).status_code == 200
        refused = api.post(PREGENERATE, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "user_already_exists")
    refused = api.post(PREGENERATE, json=by_identity | {"email": "new@example.com"})
    assert refused.status_code == 409
    assert len(project.identity.users) == len(project.wallets.accounts) == 2


@cases(
    "body, param",
    ({"accounts": [{}]}, "email"),
    ({"email": "no address", "accounts": [{}]}, "email"),
    ({"thirdPartyUserId": "g", "accounts": [{}]}, "thirdPartyProvider"),
    ({"email": EMAIL, "thirdPartyProvider": "firebase", "accounts": [{}]}, "thirdPartyUserId"),
    ({"email": EMAIL}, "accounts"),
    ({"email": EMAIL, "accounts": [{}, {"accountType": "Smart Account"}]}, "accounts[1].chainId"),
    (
        {"email": EMAIL, "accounts": [{"accountType": "Smart Account", "chainId": AMOY}]},
        "accounts[0].implementationType",
    ),
    ({"email": EMAIL, "accounts": [SMART | {"chainType": "SVM"}]}, "accounts[0].chainType"),
    ({"email": EMAIL, "accounts": [SMART | {"chainId": 1}]}, "accounts[0].chainId"),
    (
        {"email": EMAIL, "accounts": [{}, SMART | {"implementationType": "Calibur"}]},
        "accounts[1].implementationType",
    ),
    (
        {"email": EMAIL, "accounts": [DELEGATED | {"implementationType": "Calibur", "chainId": AMOY}]},
        "accounts[0].implementationType",
    ),
)
def test_an_invalid_request_creates_no_user(
    api: Client, project: Project, body: dict[str, object], param: str
) -> None:
    refused = api.post(PREGENERATE, json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
    assert len(project.identity.users) == len(project.wallets.keys) == 0


def test_an_account_that_is_asked_for_twice_is_named(api: Client, project: Project) -> None:
    refused = api.post(PREGENERATE, json={"email": EMAIL, "accounts": [SMART, {}, SMART]})
    assert (refused.status_code, refused.json()["error"]["param"]) == (409, "accounts[2].chainId")
    assert len(project.identity.users) == len(project.wallets.keys) == 0


def test_shares_belong_to_the_signer(api: Client) -> None:
    made = pregenerate(api, {}, {"chainType": "SVM"}, email=EMAIL)
    first, second = made["accounts"]
    bare = first["id"].removeprefix("acc_")
    exported = api.post(f"/v2/accounts/{bare}/export-share").json()
    assert exported == api.post(f"/v2/accounts/{first['id']}/export-share").json()
    assert (exported["signerId"], exported["userId"]) == (first["signer"], made["user"])
    assert len({exported["share"], first["recoveryShare"], second["recoveryShare"]}) == 3


def test_a_key_elsewhere_or_the_developers_has_no_share(backend: Client) -> None:
    made = pregenerate(backend, {}, email=EMAIL)
    body = {"accountType": "Externally Owned Account", "chainType": "EVM", "user": made["user"]}
    elsewhere = backend.post("/v2/accounts", json=body | {"address": "0x" + "ab" * 20}).json()
    developer = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    for account_id in (elsewhere["id"], developer["id"], "unknown"):
        assert backend.post(f"/v2/accounts/{account_id}/export-share").status_code == 404


# --- chains and recovery -------------------------------------------------------------------------------


def test_an_eoa_moves_to_another_chain(api: Client) -> None:
    eoa = pregenerate(api, {}, email=EMAIL)["accounts"][0]
    moved = api.post("/v2/accounts/switch-chain", json={"account": eoa["id"], "chainId": AMOY}).json()
    assert (moved["id"], moved["chainId"], moved["address"]) == (eoa["id"], AMOY, eoa["address"])


def test_an_eoa_on_the_other_chain_already_is_found_there(api: Client, project: Project) -> None:
    user = pregenerate(api, {}, email=EMAIL)["user"]
    address = "0x" + "11" * 20
    body = {"accountType": "Externally Owned Account", "chainType": "EVM", "user": user, "address": address}
    here, there = (api.post("/v2/accounts", json=body | {"chainId": chain}).json() for chain in (AMOY, 84532))
    found = api.post("/v2/accounts/switch-chain", json={"account": here["id"], "chainId": 84532}).json()
    assert found == there
    assert project.wallets.accounts[here["id"]].chain_id == AMOY


@cases("wanted", SMART, DELEGATED)
def test_a_contract_account_has_a_counterpart_elsewhere(api: Client, wanted: dict[str, object]) -> None:
    account = pregenerate(api, wanted, email=EMAIL)["accounts"][0]
    body = {"account": account["id"], "chainId": 84532}
    other = api.post("/v2/accounts/switch-chain", json=body).json()
    assert other["id"] != account["id"]
    assert (other["chainId"], other["smartAccount"]["chainId"]) == (84532, 84532)
    assert (other["address"], other["wallet"]) == (account["address"], account["wallet"])
    assert api.post("/v2/accounts/switch-chain", json=body).json() == other
    back = api.post("/v2/accounts/switch-chain", json={"account": other["id"], "chainId": AMOY}).json()
    assert back["id"] == account["id"]


def test_a_chain_that_cannot_be_switched_to_changes_nothing(api: Client, project: Project) -> None:
    made = pregenerate(
        api,
        {"chainType": "SVM"},
        DELEGATED | {"implementationType": "Calibur", "chainId": 84532},
        email=EMAIL,
    )
    svm, delegated = made["accounts"]
    count = len(project.wallets.accounts)
    for account_id, chain_id, status in (
        (svm["id"], AMOY, 400),
        (delegated["id"], AMOY, 400),
        (delegated["id"], 1, 400),
        ("acc_unknown", AMOY, 404),
    ):
        body = {"account": account_id, "chainId": chain_id}
        assert api.post("/v2/accounts/switch-chain", json=body).status_code == status
    assert len(project.wallets.accounts) == count


def test_another_user_s_account_is_not_switched(api: Client, signed_in: Any, visitor: Client) -> None:
    eoa = pregenerate(api, {}, email=EMAIL)["accounts"][0]
    body = {"account": eoa["id"], "chainId": AMOY}
    headers = signed_in("mallory@example.com")
    assert visitor.post("/v2/accounts/switch-chain", json=body, headers=headers).status_code == 404
    assert "chainId" not in api.get(f"/v2/accounts/{eoa['id']}").json()


def test_the_way_to_recover_is_set_for_user_custody_only(backend: Client) -> None:
    eoa = pregenerate(backend, {}, email=EMAIL)["accounts"][0]
    path = f"/_mock/projects/-/accounts/{eoa['id']}/recovery"
    passkey = {"id": "pk_1", "name": "Chrome", "os": "Linux", "os_version": "6", "device": "Desktop"}
    shown = backend.put(path, json={"method": "passkey", "passkey": passkey}).json()
    assert shown["recoveryMethod"] == "passkey"
    assert shown["recoveryMethodDetails"] == {
        "passkeyId": "pk_1",
        "passkeyEnv": {"name": "Chrome", "os": "Linux", "osVersion": "6", "device": "Desktop"},
    }
    assert backend.get(f"/v2/accounts/{eoa['id']}").json() == shown
    shown = backend.put(path, json={"method": "password"}).json()
    assert shown["recoveryMethod"] == "password"
    assert "recoveryMethodDetails" not in shown
    assert backend.put(path, json={"method": "passkey"}).status_code == 400
    developer = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    path = f"/_mock/projects/-/accounts/{developer['id']}/recovery"
    assert backend.put(path, json={"method": "password"}).status_code == 400


def test_a_share_of_a_wallet_without_a_user_names_no_user(api: Client, project: Project) -> None:
    account = account_of(project, "plain", held_by="User")
    exported = api.post(f"/v2/accounts/{account.id}/export-share").json()
    assert exported["share"]
    assert exported["signerId"] == account.signer_id
    assert "userId" not in exported


def test_clients_before_0_10_8_describe_and_get_the_account(api: Client) -> None:
    answer = api.post(PREGENERATE, json={"email": EMAIL, "chainType": "SVM"})

    assert answer.headers["x-mockserver-hint"] == leniencies.PREGENERATION_OF_ONE_ACCOUNT.hint
    account = answer.json()
    assert (account["chainType"], account["accountType"]) == ("SVM", "Externally Owned Account")
    assert account["recoveryShare"]
    assert api.get(f"/v2/users/{account['user']}").json()["email"] == EMAIL


@cases(
    "only, param",
    ({}, "accounts"),
    ({"accountType": "Smart Account"}, "chainId"),
    ({"accountType": "Smart Account", "chainId": AMOY}, "implementationType"),
    ({"accountType": "Smart Account", "chainType": "SVM"}, "chainType"),
    ({"accountType": "Externally Owned Account", "chainId": 1}, "chainId"),
    (SMART | {"implementationType": "Calibur"}, "implementationType"),
)
def test_a_wrong_account_in_the_body_is_named(api: Client, only: dict[str, object], param: str) -> None:
    answer = api.post(PREGENERATE, json={"email": EMAIL, **only})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
    assert api.get("/v2/users").json()["total"] == 0


def test_the_setting_strict_refuses_one_account_in_the_body(api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"strict": True})
    answer = api.post(PREGENERATE, json={"email": EMAIL, "accountType": "Externally Owned Account"})
    assert (answer.status_code, answer.json()["param"]) == (400, "accounts")
