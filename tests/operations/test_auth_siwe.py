"""Sign-In with Ethereum, with messages that another library signed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from httpx import Client, Response

from mockserver.domain.identity.users import create_user, verify_email
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.operations.auth import AUTH, error_of
from tests.tables import cases

SignedIn = Callable[[str], dict[str, str]]
WALLET: LocalAccount = Account.from_key("0x" + "11" * 32)
OTHER: LocalAccount = Account.from_key("0x" + "22" * 32)


def message_of(wallet: LocalAccount, nonce: str, chain_id: int = 1, extra: str = "") -> str:
    return (
        f"shop.example wants you to sign in with your Ethereum account:\n{wallet.address}\n\n"
        "Sign in to the shop.\n\n"
        f"URI: https://shop.example\nVersion: 1\nChain ID: {chain_id}\nNonce: {nonce}\n"
        f"Issued At: 2026-01-01T00:00:00.000Z{extra}"
    )


class Siwe:
    """Signs in, or links, the way the official client does."""

    def __init__(self, client: Client, family: str = "siwe", **headers: str) -> None:
        self.client = client
        self.path = f"{AUTH}/{family}"
        self.headers = headers

    def nonce(self, wallet: LocalAccount = WALLET, **chain: int) -> str:
        body = {"walletAddress": wallet.address} | chain
        response = self.client.post(f"{self.path}/nonce", json=body, headers=self.headers)
        return str(response.json()["nonce"])

    def verify(self, message: str, /, signer: LocalAccount = WALLET, **changes: Any) -> Response:
        signature = signer.sign_message(encode_defunct(text=message)).signature.hex()
        body = {
            "message": message,
            "signature": "0x" + signature.removeprefix("0x"),
            "walletAddress": WALLET.address,
        }
        return self.client.post(f"{self.path}/verify", json=body | changes, headers=self.headers)

    def go(self, wallet: LocalAccount = WALLET, chain_id: int = 80002, **changes: Any) -> Response:
        message = message_of(wallet, self.nonce(wallet, chainId=chain_id), chain_id)
        return self.verify(message, wallet, walletAddress=wallet.address, chainId=chain_id, **changes)


@pytest.fixture
def siwe(visitor: Client) -> Siwe:
    return Siwe(visitor)


@pytest.fixture
def link(visitor: Client, signed_in: SignedIn) -> Siwe:
    """Links wallets to a user whose address was never verified."""
    return Siwe(visitor, "link-siwe", **signed_in("ada@example.com"))


def test_a_wallet_signs_in_as_a_new_user(siwe: Siwe) -> None:
    response = siwe.go(walletClientType="metamask", connectorType="injected")
    body = response.json()
    assert body == {
        "token": body["token"],
        "success": True,
        "user": {"id": body["user"]["id"], "walletAddress": WALLET.address, "chainId": 80002},
    }
    assert response.headers["set-auth-token"].startswith(body["token"])
    session = {"authorization": f"Bearer {body['token']}"}
    me = siwe.client.get("/iam/v2/me", headers=session).json()
    assert (me["name"], me["email"]) == (WALLET.address, None), "the user gave no address"
    kept = siwe.client.get("/iam/v2/auth/get-session", headers=session).json()["user"]
    assert kept["email"] == f"{WALLET.address.lower()}@mock"
    assert me["linkedAccounts"] == [
        {
            "provider": "siwe",
            "accountId": f"{WALLET.address}:80002",
            "chainType": "EVM",
            "connectorType": "injected",
            "walletClientType": "metamask",
            "createdAt": 1_767_225_600,
            "updatedAt": 1_767_225_600,
        }
    ]


def test_a_wallet_is_one_user_on_every_chain(siwe: Siwe, project: Project) -> None:
    users = {siwe.go(chain_id=chain_id).json()["user"]["id"] for chain_id in (1, 1, 137)}
    assert len(users) == len(project.identity.users) == 1
    assert [row.chain_id for row in project.identity.linked_accounts] == [1, 137]


def test_the_chain_is_the_first_unless_another_is_named(siwe: Siwe) -> None:
    answer = siwe.verify(message_of(WALLET, siwe.nonce()))
    assert answer.json()["user"]["chainId"] == 1
    answer = siwe.verify(message_of(WALLET, siwe.nonce(), chain_id=80002))
    assert error_of(answer) == (401, "UNAUTHORIZED_INVALID_SIWE_SIGNATURE")
    assert answer.json()["message"].startswith("Unauthorized: Invalid SIWE signature: ")
    assert "the message names chain 80002, and chainId is 1" in answer.json()["message"]


def test_a_nonce_is_good_on_its_chain_alone(siwe: Siwe) -> None:
    nonces = {chain_id: siwe.nonce(chainId=chain_id) for chain_id in (1, 137)}
    refused = siwe.verify(message_of(WALLET, nonces[1], 80002), chainId=80002)
    assert error_of(refused) == (401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE")
    crossed = siwe.verify(message_of(WALLET, nonces[1], 137), chainId=137)
    assert error_of(crossed) == (401, "UNAUTHORIZED_INVALID_SIWE_SIGNATURE")
    assert siwe.verify(message_of(WALLET, nonces[1])).status_code == 200


@cases("empty", "message", "signature")
def test_an_empty_message_or_signature_is_no_attempt(siwe: Siwe, link: Siwe, empty: str) -> None:
    for way in (link, siwe):
        message = message_of(WALLET, way.nonce())
        changes: dict[str, Any] = {empty: ""}
        refused = way.verify(message, **changes)
        assert error_of(refused) == (400, "BAD_REQUEST" if way is link else "VALIDATION_ERROR")
        assert empty in refused.json()["message"]
        assert way.verify(message).status_code == 200


def test_without_anonymous_sign_in_a_wallet_user_has_an_email(siwe: Siwe, project: Project) -> None:
    project.settings = replace(project.settings, anonymous_sign_in=False)
    message = message_of(WALLET, siwe.nonce())
    missing = siwe.verify(message)
    assert error_of(missing) == (400, "VALIDATION_ERROR")
    assert "email" in missing.json()["message"]
    assert "anonymous_sign_in" in missing.json()["message"]
    assert error_of(siwe.verify(message, email="nonsense")) == (400, "VALIDATION_ERROR")
    session = {"authorization": f"Bearer {siwe.verify(message, email='Ada@example.com').json()['token']}"}
    me = siwe.client.get("/iam/v2/me", headers=session).json()
    assert (me["email"], me["emailVerified"]) == ("ada@example.com", False)
    taken = siwe.go(OTHER, email="ada@example.com")
    assert error_of(taken) == (400, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")


def test_with_anonymous_sign_in_a_given_address_does_not_count(siwe: Siwe, project: Project) -> None:
    siwe.go(email="ada@example.com")
    (user,) = project.identity.users
    assert user.has_placeholder_email


def test_addresses_are_the_same_in_any_case(siwe: Siwe) -> None:
    nonce = siwe.nonce()
    response = siwe.verify(message_of(WALLET, nonce), walletAddress="0x" + WALLET.address[2:].upper())
    assert response.json()["user"]["walletAddress"] == WALLET.address


def test_signing_in_needs_a_nonce(siwe: Siwe, project: Project) -> None:
    expected = (401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE")
    assert error_of(siwe.verify(message_of(WALLET, "abcdefgh"))) == expected
    nonce = siwe.nonce()
    assert siwe.verify(message_of(WALLET, nonce)).status_code == 200
    assert error_of(siwe.verify(message_of(WALLET, nonce))) == expected
    nonce = siwe.nonce()
    TIMER_LOOP.advance(project, project.clock.now_ms + 900_000)
    assert error_of(siwe.verify(message_of(WALLET, nonce))) == expected


def test_a_failed_attempt_spends_the_nonce(siwe: Siwe, project: Project) -> None:
    message = message_of(WALLET, siwe.nonce())
    assert error_of(siwe.verify(message, OTHER)) == (401, "UNAUTHORIZED_INVALID_SIWE_SIGNATURE")
    assert error_of(siwe.verify(message)) == (401, "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE")
    assert len(project.identity.users) == 0


def test_the_newest_nonce_counts_alone(siwe: Siwe) -> None:
    old, new = siwe.nonce(), siwe.nonce()
    assert old != new
    assert len(new) >= 8
    assert siwe.verify(message_of(WALLET, new)).status_code == 200
    assert error_of(siwe.verify(message_of(WALLET, old)))[0] == 401


@cases(
    "text, changes",
    (lambda nonce: message_of(OTHER, nonce), {}),
    (lambda nonce: message_of(WALLET, "abcdefgh"), {}),
    (lambda nonce: message_of(WALLET, nonce, 137), {}),
    (lambda nonce: message_of(WALLET, nonce), {"signature": "0x" + "00" * 65}),
    (lambda nonce: message_of(WALLET, nonce), {"signature": "0x1234"}),
    (lambda nonce: message_of(WALLET, nonce), {"signature": "nonsense"}),
    (lambda nonce: f"Sign in with {nonce}", {}),
    (lambda nonce: message_of(WALLET, nonce, extra="\nExpiration Time: 2026-01-01T00:00:00Z"), {}),
    (lambda nonce: message_of(WALLET, nonce, extra="\nNot Before: 2026-01-01T00:00:01Z"), {}),
)
def test_a_message_that_proves_nothing_is_refused(
    siwe: Siwe, project: Project, text: Callable[[str], str], changes: dict[str, Any]
) -> None:
    response = siwe.verify(text(siwe.nonce()), **changes)
    assert error_of(response) == (401, "UNAUTHORIZED_INVALID_SIWE_SIGNATURE")
    assert len(project.identity.users) == 0


def test_a_project_that_trusts_some_origins_checks_the_domain(siwe: Siwe, project: Project) -> None:
    project.settings = replace(project.settings, trusted_origins=("https://shop.example",))
    assert siwe.go().status_code == 200
    project.settings = replace(project.settings, trusted_origins=("https://other.example",))
    assert siwe.go().status_code == 401


@cases("family", "siwe", "link-siwe")
def test_a_nonce_of_another_chain_says_which(link: Siwe, siwe: Siwe, family: str) -> None:
    way = link if family == "link-siwe" else siwe
    refused = way.verify(message_of(WALLET, way.nonce(chainId=137), 80002), chainId=80002)
    assert refused.status_code == 401
    assert refused.json()["message"].endswith(
        "nvalid or expired nonce. The nonce of the message is for chain 137, and chainId is 80002."
    )
    foreign = way.verify(message_of(WALLET, way.nonce(OTHER)))
    assert foreign.json()["message"].endswith(f"The nonce of the message is for {OTHER.address}.")
    unknown = way.verify(message_of(WALLET, "abcdefgh"))
    assert unknown.json()["message"].endswith("nvalid or expired nonce")


def test_wallets_are_linked_and_listed_and_the_first_is_primary(link: Siwe, project: Project) -> None:
    first = link.go(chain_id=1, connectorType="injected").json()
    assert first == {
        "success": True,
        "walletAddress": WALLET.address,
        "chainId": 1,
        "isPrimary": True,
        "connectorType": "injected",
    }
    assert link.go(OTHER).json()["isPrimary"] is False
    assert link.go(chain_id=1).json()["isPrimary"] is True
    listed = link.client.get(f"{AUTH}/link-siwe/list-wallets", headers=link.headers).json()
    (user,) = project.identity.users
    assert [(row["address"], row["chainId"], row["isPrimary"]) for row in listed] == [
        (WALLET.address, 1, True),
        (OTHER.address, 80002, False),
    ]
    assert {row["userId"] for row in listed} == {user.id}
    assert listed[0]["createdAt"] == "2026-01-01T00:00:00.000Z"


def test_the_older_api_shows_the_client_that_linked_a_wallet(link: Siwe, api: Client) -> None:
    linked = link.go(connectorType="injected", walletClientType="metamask").json()
    assert (linked["connectorType"], linked["walletClientType"]) == ("injected", "metamask")
    (player,) = api.get("/iam/v1/players").json()["data"]
    (wallet,) = [row for row in player["linkedAccounts"] if row["provider"] == "wallet"]
    assert wallet == {
        "provider": "wallet",
        "address": WALLET.address,
        "connectorType": "injected",
        "walletClientType": "metamask",
        "disabled": False,
        "verified": True,
        "updatedAt": 1_767_225_600,
    }


def test_a_linked_wallet_signs_its_user_in(link: Siwe, siwe: Siwe, project: Project) -> None:
    link.go()
    (user,) = project.identity.users
    assert siwe.go().json()["user"]["id"] == user.id


def test_linking_is_refused_for_what_is_wrong_with_it(link: Siwe, siwe: Siwe) -> None:
    assert error_of(link.verify(message_of(WALLET, "abcdefgh"))) == (401, "INVALID_OR_EXPIRED_NONCE")
    assert error_of(link.verify(message_of(WALLET, link.nonce()), OTHER)) == (401, "INVALID_SIGNATURE")
    other_chain = link.verify(message_of(WALLET, link.nonce(chainId=137)))
    assert error_of(other_chain) == (401, "INVALID_OR_EXPIRED_NONCE")
    other_message = link.verify(message_of(WALLET, link.nonce(), 137))
    assert error_of(other_message) == (401, "INVALID_SIGNATURE")
    assert "chain 137" in other_message.json()["message"]
    siwe.go()
    assert error_of(link.go()) == (400, "WALLET_ALREADY_LINKED")


def unlink(link: Siwe, wallet: LocalAccount, **changes: Any) -> Response:
    body = {"walletAddress": wallet.address} | changes
    return link.client.post(f"{AUTH}/link-siwe/unlink", json=body, headers=link.headers)


def test_unlinking_the_primary_wallet_promotes_the_next(link: Siwe) -> None:
    link.go(chain_id=1)
    link.go(OTHER)
    assert unlink(link, WALLET).json() == {"success": True}
    (row,) = link.client.get(f"{AUTH}/link-siwe/list-wallets", headers=link.headers).json()
    assert (row["address"], row["isPrimary"]) == (OTHER.address, True)


def test_the_official_client_links_with_the_first_chains_nonce(link: Siwe, project: Project) -> None:
    linked = link.verify(message_of(WALLET, link.nonce(), 137), chainId=137)
    assert linked.json()["chainId"] == 137
    assert linked.headers["x-mockserver-hint"].startswith("link-nonce-of-first-chain")
    project.settings = replace(project.settings, strict=True)
    refused = link.verify(message_of(WALLET, link.nonce(), 137), chainId=137)
    assert refused.status_code == 400
    assert "link-siwe/nonce" in refused.json()["message"]


def test_the_official_client_misspells_the_chain_to_unlink(link: Siwe, project: Project) -> None:
    link.go(chain_id=137)
    link.go(OTHER)
    project.settings = replace(project.settings, strict=True)
    assert unlink(link, WALLET, chaindId=137).status_code == 400
    project.settings = replace(project.settings, strict=False)
    unlinked = unlink(link, WALLET, chaindId=137)
    assert unlinked.json() == {"success": True}
    assert unlinked.headers["x-mockserver-hint"].startswith("unlink-chain-misspelt")


def test_a_wallet_is_unlinked_on_the_named_or_first_chain(link: Siwe) -> None:
    for chain_id in (1, 137, 80002):
        link.go(chain_id=chain_id)
    link.go(OTHER)
    assert error_of(unlink(link, WALLET, chainId=5)) == (400, "WALLET_NOT_FOUND")
    assert unlink(link, WALLET, chainId=137).status_code == 200
    listed = link.client.get(f"{AUTH}/link-siwe/list-wallets", headers=link.headers).json()
    assert [row["chainId"] for row in listed] == [1, 80002, 80002]
    assert unlink(link, WALLET).status_code == 200
    refused = unlink(link, WALLET)
    assert error_of(refused) == (400, "WALLET_NOT_FOUND")
    assert "chain 1" in refused.json()["message"]
    assert unlink(link, WALLET, chainId=80002).status_code == 200


@cases("path", "verify", "unlink")
def test_a_malformed_link_request_has_the_published_code(link: Siwe, path: str) -> None:
    refused = link.client.post(f"{AUTH}/link-siwe/{path}", json={}, headers=link.headers)
    assert error_of(refused) == (400, "BAD_REQUEST")


def test_the_last_way_in_cannot_be_unlinked(link: Siwe, project: Project) -> None:
    link.go(chain_id=1)
    assert error_of(unlink(link, WALLET)) == (400, "CANNOT_UNLINK_LAST_ACCOUNT")
    (user,) = project.identity.users
    verify_email(project, user)
    project.undo.mark()
    assert unlink(link, WALLET).status_code == 200


def test_any_linked_account_but_the_last_is_unlinked(link: Siwe, project: Project) -> None:
    path = f"{AUTH}/unlink-account"

    def take(**body: str) -> Response:
        return link.client.post(path, json=body, headers=link.headers)

    assert error_of(take(providerId="siwe")) == (400, "ACCOUNT_NOT_FOUND")
    link.go()
    link.go(OTHER)
    assert error_of(take(providerId="google")) == (400, "ACCOUNT_NOT_FOUND")
    assert error_of(take(providerId="siwe", accountId="nonsense")) == (400, "ACCOUNT_NOT_FOUND")
    assert take(providerId="siwe", accountId=f"{OTHER.address}:80002").json() == {"status": True}
    assert [row.account_id for row in project.identity.linked_accounts] == [f"{WALLET.address}:80002"]
    assert error_of(take(providerId="google")) == (400, "FAILED_TO_UNLINK_LAST_ACCOUNT")


def test_wallets_of_two_users_are_apart(link: Siwe, siwe: Siwe, project: Project) -> None:
    create_user(project, name="Eve", email="eve@example.com")
    siwe.go(OTHER)
    link.go()
    assert error_of(unlink(link, OTHER)) == (400, "WALLET_NOT_FOUND")
