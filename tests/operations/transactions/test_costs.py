"""What a transaction costs, and who pays."""

from typing import Any

from eth_account import Account as EthAccount
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.state.project import Project
from tests.accounts import AccountKind, account_of
from tests.operations.transactions.helpers import (
    AMOY,
    BASE,
    KINDS,
    THERE,
    create,
    events,
    listed,
    operation_hash,
    raw,
    signature_of,
    submit,
    whole,
)
from tests.tables import cases


@cases("kind, chain", ("plain", AMOY), ("plain", BASE), *KINDS)
def test_an_estimate_is_what_it_then_costs_and_leaves_no_trace(
    api: Client, project: Project, kind: AccountKind, chain: int
) -> None:
    account = account_of(project, kind, chain=chain)
    calls = [{"to": THERE, "functionName": "mint(uint8)", "functionArgs": ["7"], "value": "3"}]
    body = {"chainId": chain, "accountId": account.id, "calls": calls}
    before = [tuple(table) for table in project.tables], project.entropy.draws(), project.timers.pending()
    estimate = api.post("/v2/transactions/estimate", json=body).json()
    assert (
        [tuple(each) for each in project.tables],
        project.entropy.draws(),
        project.timers.pending(),
    ) == before
    row = create(api, account, chain, calls=calls)
    receipt = row["receipt"]
    fee = int(receipt["gasFee"]) + int(receipt.get("l1GasFee", "0"))
    assert ("l1GasFee" in receipt) == (chain == BASE)
    assert estimate == {
        "estimatedTXGas": receipt["gasUsed"],
        "estimatedTXGasFee": str(fee),
        "estimatedTXGasFeeUSD": row["costUsd"],
        "gasPrice": str(int(receipt["gasFee"]) // int(receipt["gasUsed"])),
    }


def sponsorship(api: Client, scope: str = "project", **members: Any) -> str:
    """A sponsorship of calls to `THERE` only."""
    criteria = [{"type": "evmAddress", "operator": "in", "addresses": [THERE]}]
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": criteria}
    policy = api.post("/v2/policies", json={"scope": scope, "rules": [rule]})
    assert policy.status_code == 201, policy.text
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy.json()["id"], **members}
    made = api.post("/v2/fee-sponsorship", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


@cases("kind, chain", *KINDS)
def test_the_projects_paymaster_pays_for_a_sponsored_operation(
    api: Client, project: Project, kind: AccountKind, chain: int
) -> None:
    sponsor = sponsorship(api)
    account = account_of(project, kind, chain=chain, held_by="User")
    assert account.smart_account is not None
    row = create(api, account, chain, feeSponsorshipId=sponsor)
    shown = whole(api, row)
    assert shown["feeSponsorshipId"] == shown["feeSponsorship"]["id"] == sponsor
    operation = shown["execution"]["userOperation"]
    paymaster = paymaster_address(project)
    packed = (
        operation.get("paymasterAndData") or operation["paymaster"].lower() + operation["paymasterData"][2:]
    )
    assert packed.startswith(paymaster.lower())
    entry_point = shown["execution"]["entryPoint"]
    delegate = account.smart_account.implementation_address
    assert row["nextAction"]["hash"] == "0x" + operation_hash(operation, entry_point, chain, delegate).hex()
    # What the paymaster signed is the operation with all of its data but this signature.
    cut = {k: v[:-130] if k in ("paymasterData", "paymasterAndData") else v for k, v in operation.items()}
    approved = operation_hash(cut, entry_point, chain, delegate)
    assert EthAccount._recover_hash(approved, signature=raw("0x" + packed[-130:])) == paymaster
    done = whole(api, submit(api, row, signature_of(project, account, row)).json())
    assert done["status"] == "successful"
    assert done["receipt"]["logs"][-1]["topics"][3] == "0x" + "00" * 12 + paymaster[2:].lower()
    assert ledger.chain_account(project, chain, account.address).balance == 10**18 - 1000
    assert listed(api, feeSponsorshipId=[sponsor]) == [row["id"]]


@cases("scope, status", ("project", "successful"), ("transaction", "failed"))
def test_what_is_rejected_is_paid_or_fails(api: Client, project: Project, scope: str, status: str) -> None:
    sponsor = sponsorship(api, scope)
    account = account_of(project, "Simple")
    calls = [{"to": THERE}, {"to": "0x" + "22" * 20}]
    row = whole(api, create(api, account, feeSponsorshipId=sponsor, calls=calls))
    assert row["status"] == status
    if status == "failed":
        assert "execution" not in row
        assert row["receipt"]["error"]["reason"].startswith("calls[1]: ")
        assert events(row) == ["failed"]
    else:
        assert "paymaster" not in row["execution"]["userOperation"]
        assert ledger.chain_account(project, AMOY, account.address).balance < 10**18
    assert create(api, account, feeSponsorshipId=sponsor)["status"] == "successful"


def test_a_token_is_named_by_address_despite_a_contract(api: Client, project: Project) -> None:
    address = "0x" + "Ab" * 20
    contract = api.post("/v1/contracts", json={"chainId": AMOY, "address": address, "name": "USD"}).json()
    tokens = [{"contract": "0x" + "cd" * 20}, {"contract": contract["id"], "amount": "5"}]
    strategy = {"sponsorSchema": "charge_custom_tokens", "tokenContracts": tokens}
    sponsor = sponsorship(api, strategy=strategy, chainId=AMOY)
    account = account_of(project, "Simple")
    for token in (address, address.lower(), "0x" + "CD" * 20, None):
        row = create(api, account, feeSponsorshipId=sponsor, feeSponsorshipToken=token)
        assert row["status"] == "successful"
