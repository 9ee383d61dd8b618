"""Offering an account to a new owner, who accepts."""

from typing import Any

from httpx import Client

from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.fates import add_fate
from tests.operations.legacy_accounts.helpers import (
    AMOY,
    BASE,
    OUTSIDER,
    THERE,
    create,
    owner_in_the_mock,
    shown,
)
from tests.operations.responses import error_of, ok
from tests.operations.sponsoring import free_sponsorship
from tests.signing import sign_hash


def offer(api: Client, project: Project, account: Any, owner: str) -> Any:
    body = {"newOwnerAddress": owner, "policy": free_sponsorship(project)}
    return ok(api.post(f"/v1/accounts/{account['id']}/request_transfer_ownership", json=body))


def accept(api: Client, owner: Account, account: Any) -> Any:
    call = {"to": account["address"], "functionName": "acceptOwnership()"}
    body = {"chainId": AMOY, "accountId": owner.id, "calls": [call]}
    return ok(api.post("/v2/transactions", json=body))


def test_an_offer_waits_until_the_new_owner_accepts(api: Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    intent = offer(api, project, account, owner.address)
    assert (intent["object"], intent["response"]["status"]) == ("transactionIntent", 1)
    offered = shown(api, account)
    assert offered["pendingOwnerAddress"] == owner.address
    assert offered["ownerAddress"] == account["ownerAddress"]
    assert accept(api, owner, account)["status"] == "successful"
    accepted = shown(api, account)
    assert accepted["ownerAddress"] == owner.address
    assert "pendingOwnerAddress" not in accepted
    assert accepted["address"] == account["address"]
    assert accepted["custodial"] is True


def test_an_account_that_a_user_took_over_is_signed_for_by_them(api: Client, project: Project) -> None:
    account = create(api)
    owner = create_eoa(project, create_wallet(project), "EVM", address=OUTSIDER.address)
    project.undo.mark()
    offer(api, project, account, OUTSIDER.address)
    asked = accept(api, owner, account)
    signature = sign_hash(OUTSIDER, asked["nextAction"]["hash"])
    ok(api.post(f"/v2/transactions/{asked['id']}/signature", json={"signature": signature}))
    assert shown(api, account)["custodial"] is False
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    digest = intent["nextAction"]["payload"]["signableHash"]
    signature = sign_hash(OUTSIDER, digest)
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    assert ok(api.post(path, json={"signature": signature}))["response"]["status"] == 1


def test_an_account_that_goes_leaves_its_new_owner_their_key(api: Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    offer(api, project, account, owner.address)
    accept(api, owner, account)
    ok(api.delete(f"/v2/accounts/{account['id']}"))
    body = {"chainId": AMOY, "accountId": owner.id, "calls": [{"to": THERE, "value": "1"}]}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"


def test_a_call_that_reverts_changes_no_owner(api: Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    add_fate(project, "reverted")
    assert offer(api, project, account, owner.address)["response"]["status"] == 0
    assert "pendingOwnerAddress" not in shown(api, account)
    offer(api, project, account, owner.address)
    add_fate(project, "reverted")
    project.undo.mark()
    accept(api, owner, account)
    assert shown(api, account)["pendingOwnerAddress"] == owner.address


def test_what_cannot_be_offered_is_refused(api: Client, project: Project) -> None:
    account = create(api)
    path = f"/v1/accounts/{account['id']}/request_transfer_ownership"
    assert error_of(api.post(path, json={"newOwnerAddress": THERE})) == (400, "invalid_parameters", "policy")
    unknown = api.post(path, json={"newOwnerAddress": THERE, "policy": "pol_none"})
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")
    own = api.post(path, json={"newOwnerAddress": account["ownerAddress"], "policy": "pol_none"})
    assert error_of(own) == (400, "invalid_parameters", "newOwnerAddress")
    delegated = create(api, accountType="CaliburV9")
    path = f"/v1/accounts/{delegated['id']}/request_transfer_ownership"
    refused = api.post(path, json={"newOwnerAddress": THERE, "policy": free_sponsorship(project)})
    assert error_of(refused) == (400, "invalid_parameters", "id")


def test_an_offer_is_good_on_its_chain_alone(api: Client, project: Project) -> None:
    account = create(api)
    offer(api, project, account, OUTSIDER.address)
    other = ok(api.post("/v2/accounts/switch-chain", json={"account": account["id"], "chainId": BASE}))
    assert project.wallets.accounts[account["id"]].pending_owner_address == OUTSIDER.address
    assert project.wallets.accounts[other["id"]].pending_owner_address is None
