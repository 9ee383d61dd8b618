"""Amounts that no uint256 holds."""

from typing import Any

from httpx import Client

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.wallets.accounts import create_contract_account
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.token_balances.helpers import AMOY, ERC20, THERE, TOKEN, UNLIMITED, Chain, strict
from tests.tables import cases


@cases("insisting", True, False)
def test_no_token_exceeds_a_uint256(api: Client, project: Project, insisting: bool) -> None:
    chain = Chain(api, project, ERC20)
    if insisting:
        strict(project)
    assert chain.call("mint", chain.account.address, str(UNLIMITED))["status"] == "successful"
    for call in (("mint", THERE, "1"), ("mint", chain.account.address, str(UNLIMITED))):
        refused = chain.call(*call)
        assert refused["status"] == "reverted"
        assert refused["receipt"]["error"]["reason"].startswith("Panic 0x11")
    other = account_of(project, "plain")
    project.undo.mark()
    assert chain.call("transfer", THERE, "1", by=other)["status"] == "reverted"
    assert chain.call("transfer", THERE, "1")["status"] == "successful"
    assert (chain.read("totalSupply"), chain.read("balanceOf", THERE)) == (str(UNLIMITED), "1")
    given = {"tokens": [{"contract": TOKEN, "balance": "2"}]}
    refused_gift = api.put(f"/_mock/projects/-/chains/{AMOY}/addresses/{THERE}", json=given)
    assert (refused_gift.status_code, refused_gift.json()["param"]) == (400, "tokens[0]")
    chain.call("burn", str(UNLIMITED - 1))
    assert chain.read("totalSupply") == "1"


def test_an_address_never_has_more_coins_than_a_uint256_holds(api: Client, project: Project) -> None:
    sender = account_of(project, "plain")
    project.undo.mark()
    for address in (sender.address, THERE):
        funded = {"balance_wei": str(UNLIMITED)}
        assert api.put(f"/_mock/projects/-/chains/{AMOY}/addresses/{address}", json=funded).status_code == 200
    calls = [{"to": THERE, "value": "1"}]
    made = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": sender.id, "calls": calls}).json()
    assert made["status"] == "reverted"
    assert made["receipt"]["error"]["reason"].startswith("Panic 0x11")


@cases(
    "settings, rate",
    ({"tokens": {TOKEN: {"decimals": 77, "price_usd": "0.00000001"}}}, {}),
    ({"chains": {str(AMOY): {"base_fee_wei": 10**13}}}, {"amount": str(UNLIMITED)}),
)
def test_a_price_that_no_uint256_holds_does_not_stop_the_clock(
    api: Client, project: Project, settings: dict[str, Any], rate: dict[str, str]
) -> None:
    assert api.put("/_mock/projects/-/settings", json=settings).status_code == 200
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    strategy = {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": TOKEN, **rate}]}
    made = api.post("/v2/fee-sponsorship", json={"strategy": strategy, "policyId": policy})
    owner = account_of(project, "plain")
    smart = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["Simple"])
    project.undo.mark()
    body = {"chainId": AMOY, "accountId": smart.id, "calls": [{"to": THERE}]}
    body |= {"feeSponsorshipId": made.json()["id"]}
    statuses = [api.post("/v2/transactions", json=body).json()["status"] for _ in range(2)]
    # The first has had all of the token that there can be, and pays it back; the second finds none.
    assert statuses == ["successful", "failed"]
    assert api.post("/_mock/projects/-/clock/advance", json={"seconds": 60}).status_code == 200
