"""What sponsors pay, out of which purse, and what they are paid back."""

from dataclasses import replace
from typing import Any

from eth_abi import decode
from eth_utils import keccak, to_checksum_address
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.keys.custody import sign_digest
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings
from mockserver.state.wallets import Account
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.contracts_with_code.chain import Chain
from tests.tables import cases

AMOY = 80002
THERE = to_checksum_address("0x" + "11" * 20)
USD = to_checksum_address("0x" + "22" * 20)
EUR = to_checksum_address("0x" + "33" * 20)
COIN = 10**18


def sponsor(api: Client, **strategy: Any) -> str:
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    body = {"strategy": {"sponsorSchema": "pay_for_user", **strategy}, "policyId": policy, "chainId": AMOY}
    made = api.post("/v2/fee-sponsorship", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def create(api: Client, account: Account, sponsorship: str, **members: Any) -> Any:
    body = {
        "chainId": AMOY,
        "accountId": account.id,
        "calls": [{"to": THERE}],
        "feeSponsorshipId": sponsorship,
        **members,
    }
    made = api.post("/v2/transactions", json=body)
    assert made.status_code == 200, made.text
    return made.json()


def budget(api: Client, sponsorship: str) -> Any:
    return api.get(f"/_mock/projects/-/fee-sponsorships/{sponsorship}/budget").json()


def set_budget(api: Client, sponsorship: str, wei: int | None) -> None:
    body = {"budget_wei": None if wei is None else str(wei)}
    answer = api.put(f"/_mock/projects/-/fee-sponsorships/{sponsorship}/budget", json=body)
    assert answer.status_code == 200, answer.text


def deposit(api: Client) -> int:
    return int(api.get(f"/_mock/projects/-/chains/{AMOY}").json()["paymaster_deposit_wei"])


def fee_of(row: Any) -> int:
    return int(row["receipt"]["gasFee"]) + int(row["receipt"].get("l1GasFee", "0"))


def test_a_sponsor_pays_and_the_account_keeps_what_it_has(api: Client, project: Project) -> None:
    account, sponsorship, before = account_of(project), sponsor(api), deposit(api)
    fees = [fee_of(create(api, account, sponsorship)) for _ in range(2)]
    assert deposit(api) == before - sum(fees)
    assert budget(api, sponsorship) == {
        "id": sponsorship,
        "budget_wei": None,
        "spent_wei": str(sum(fees)),
        "reserved_wei": "0",
        "left_wei": None,
        "transactions": 2,
        "collected": [],
    }
    assert ledger.chain_account(project, AMOY, account.address).balance == COIN
    assert ledger.chain_account(project, AMOY, ledger.FEE_RECIPIENT).balance == sum(fees)


def test_a_sponsor_runs_dry_on_the_third_call(api: Client, project: Project) -> None:
    account, sponsorship = account_of(project), sponsor(api)
    first = fee_of(create(api, account, sponsorship))
    second = fee_of(create(api, account, sponsorship))
    set_budget(api, sponsorship, first + second + 1)
    third = create(api, account, sponsorship)
    assert third["status"] == "failed"
    assert third["receipt"]["error"]["reason"] == "AA31: paymaster deposit too low"
    assert set(third["receipt"]["error"]["explanation"]) == {"cause", "solution"}
    assert budget(api, sponsorship)["left_wei"] == "1"
    set_budget(api, sponsorship, None)
    assert create(api, account, sponsorship)["status"] == "successful"


def test_an_empty_deposit_stops_every_sponsorship_of_the_chain(api: Client, project: Project) -> None:
    account, sponsorship = account_of(project), sponsor(api)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{paymaster_address(project)}"
    assert api.put(path, json={"balance_wei": "7"}).json()["balance_wei"] == "7"
    assert create(api, account, sponsorship)["receipt"]["error"]["reason"].startswith("AA31")
    assert deposit(api) == 7


def test_what_is_underway_is_kept_from_budget_and_deposit(api: Client, project: Project) -> None:
    account, sponsorship = account_of(project), sponsor(api)
    add_fate(project, "dropped", options={"after_ms": 5000})
    project.undo.mark()
    sent = create(api, account, sponsorship, waitForReceipt=False)
    reserved = int(budget(api, sponsorship)["reserved_wei"])
    assert reserved > 0
    set_budget(api, sponsorship, reserved)
    assert create(api, account, sponsorship)["status"] == "failed"
    set_budget(api, sponsorship, None)
    purse = f"/_mock/projects/-/chains/{AMOY}/addresses/{paymaster_address(project)}"
    api.put(purse, json={"balance_wei": str(2 * reserved - 1)})
    assert create(api, account, sponsorship)["receipt"]["error"]["reason"].startswith("AA31")
    TIMER_LOOP.advance(project, project.clock.now_ms + 5000)
    assert api.get(f"/v2/transactions/{sent['id']}").json()["status"] == "failed"
    assert budget(api, sponsorship)["reserved_wei"] == "0"
    assert budget(api, sponsorship)["spent_wei"] == "0"
    assert create(api, account, sponsorship)["status"] == "successful"


def test_a_reverted_transaction_costs_the_sponsor_too(api: Client, project: Project) -> None:
    account, sponsorship = account_of(project), sponsor(api)
    add_fate(project, "reverted")
    project.undo.mark()
    row = create(api, account, sponsorship)
    assert row["status"] == "reverted"
    assert budget(api, sponsorship)["spent_wei"] == str(fee_of(row))


RATES: list[tuple[dict[str, Any], Any]] = [
    (
        {
            "sponsorSchema": "charge_custom_tokens",
            "tokenContracts": [{"contract": USD, "amount": str(2 * COIN)}],
        },
        lambda fee: 2 * fee,
    ),
    (
        {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": USD, "amount": "3"}]},
        lambda fee: -(-3 * fee // COIN),
    ),
    ({"sponsorSchema": "fixed_rate", "tokenContract": USD, "tokenContractAmount": "250"}, lambda fee: 250),
    # A coin costs 2500 dollars and a token half a dollar, with six decimals.
    (
        {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": USD}]},
        lambda fee: -(-fee * 5000 * 10**6 // COIN),
    ),
]


@cases("strategy, expected", *RATES)
def test_the_sponsor_is_paid_in_tokens(
    api: Client, project: Project, strategy: dict[str, Any], expected: Any
) -> None:
    project.settings = replace(
        project.settings, tokens={USD.lower(): TokenSettings(decimals=6, price_usd="0.5")}
    )
    account, sponsorship = account_of(project), sponsor(api, **strategy)
    body = {"chainId": AMOY, "account": account.id, "interactions": [{"to": THERE}], "policy": sponsorship}
    estimated = api.post("/v1/transaction_intents/estimate_gas_cost", json=body).json()
    row = create(api, account, sponsorship)
    amount = expected(fee_of(row))
    assert int(estimated["estimatedTXGasFeeToken"]) == expected(int(estimated["estimatedTXGasFee"]))
    shown = api.get(f"/v2/transactions/{row['id']}", params={"expand": "logs"}).json()
    paid = next(log for log in shown["receipt"]["logs"] if log["address"] == USD)
    assert paid["topics"][0] == "0x" + keccak(text="Transfer(address,address,uint256)").hex()
    assert decode(["uint256"], bytes.fromhex(paid["data"][2:])) == (amount,)
    paymaster = paymaster_address(project)
    assert holdings.balance_of(Token(project, AMOY, USD), paymaster) == amount
    assert budget(api, sponsorship)["collected"] == [{"chain_id": AMOY, "token": USD, "amount": str(amount)}]
    assert api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()["paid"] == {
        "payer": paymaster,
        "wei": str(fee_of(row)),
        "token": USD,
        "token_amount": str(amount),
    }


def test_an_account_that_pays_is_its_payer_once_mined(api: Client, project: Project) -> None:
    account = account_of(project)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}], "waitForReceipt": False}
    row = api.post("/v2/transactions", json=body).json()
    path = f"/_mock/projects/-/transactions/{row['id']}/decisions"
    assert api.get(path).json()["paid"] is None
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 2})
    assert api.get(path).json()["paid"] == {
        "payer": account.address,
        "wei": api.get(f"/v2/transactions/{row['id']}").json()["receipt"]["gasFee"],
        "token": None,
        "token_amount": "0",
    }


def test_the_token_that_was_chosen_is_the_one_that_is_paid_in(api: Client, project: Project) -> None:
    accepted = [{"contract": USD, "amount": "1"}, {"contract": EUR, "amount": str(COIN)}]
    sponsorship = sponsor(api, sponsorSchema="charge_custom_tokens", tokenContracts=accepted)
    row = create(api, account_of(project), sponsorship, feeSponsorshipToken=EUR)
    assert [held["token"] for held in budget(api, sponsorship)["collected"]] == [EUR]
    assert holdings.balance_of(Token(project, AMOY, EUR), paymaster_address(project)) == fee_of(row)


def test_strictly_who_lacks_the_tokens_is_not_sponsored(api: Client, project: Project) -> None:
    project.settings = replace(project.settings, strict_token_balances=True)
    sponsorship = sponsor(api, sponsorSchema="fixed_rate", tokenContract=USD, tokenContractAmount="250")
    account = account_of(project)
    row = create(api, account, sponsorship)
    assert row["status"] == "failed"
    assert row["receipt"]["error"]["reason"].startswith("AA33")
    assert budget(api, sponsorship)["spent_wei"] == "0"
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{account.address}"
    api.put(path, json={"tokens": [{"contract": USD, "balance": "250"}]})
    assert create(api, account, sponsorship)["status"] == "successful"
    assert api.get(path).json()["tokens"] == []


@cases("executes", True, False)
def test_calls_do_not_spend_the_tokens_of_the_fee(api: Client, project: Project, executes: bool) -> None:
    project.settings = replace(project.settings, strict_token_balances=True)
    chain = Chain.of(api, project, "UpgradeableV6")
    counter = chain.deploy("Counter", "5")["contract_id"]
    counted = [{"contractId": counter, "functionName": "increment"}] if executes else []
    dollar = api.post("/v1/contracts", json={"name": "Dollar", "chainId": AMOY, "address": USD}).json()["id"]
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{chain.account.address}"
    api.put(path, json={"tokens": [{"contract": USD, "balance": "600"}]})
    sponsorship = sponsor(api, sponsorSchema="fixed_rate", tokenContract=USD, tokenContractAmount="250")

    def pay(amount: str) -> str:
        call = {"contractId": dollar, "functionName": "transfer", "functionArgs": [THERE, amount]}
        return str(create(api, chain.account, sponsorship, calls=[*counted, call])["status"])

    # The fee is charged for what is reverted, too.
    assert [pay("351"), pay("100"), pay("1")] == ["reverted", "successful", "failed"]
    assert holdings.balance_of(Token(project, AMOY, USD), THERE) == 100


def test_a_sponsorship_that_does_not_pay_is_not_shown(api: Client, project: Project) -> None:
    far = {"type": "evmNetwork", "operator": "in", "chainIds": [84532]}
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": [far]}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    row = create(api, account_of(project), sponsorship)
    assert row["status"] == "successful"
    assert "feeSponsorshipId" not in row
    assert api.get("/v2/transactions", params={"feeSponsorshipId": sponsorship}).json()["total"] == 0


def test_an_approval_that_is_over_is_refused_by_the_entry_point(api: Client, project: Project) -> None:
    account, sponsorship = account_of(project, held_by="User"), sponsor(api)
    row = create(api, account, sponsorship)
    TIMER_LOOP.advance(project, project.clock.now_ms + 3_601_000)
    signature = "0x" + sign_digest(project, account, bytes.fromhex(row["nextAction"]["hash"][2:])).hex()
    done = api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": signature}).json()
    assert done["status"] == "failed"
    assert done["receipt"]["error"]["reason"].startswith("AA32")


def test_a_budget_is_of_a_sponsorship_that_exists(api: Client) -> None:
    path = "/_mock/projects/-/fee-sponsorships/{}/budget"
    assert api.get(path.format("pol_unknown")).status_code == 404
    for wrong in ({"budget_wei": "-1"}, {"budget_wei": 5}, {}):
        assert api.put(path.format(sponsor(api)), json=wrong).status_code == 400


def test_the_developers_own_paymaster_pays_from_its_deposit(api: Client, project: Project) -> None:
    own = to_checksum_address("0x" + "77" * 20)
    paymaster = api.post("/v1/paymasters", json={"address": own}).json()["id"]
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy, "paymaster": paymaster}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    path, before = f"/_mock/projects/-/chains/{AMOY}/addresses/{own}", deposit(api)
    has = int(api.get(path).json()["balance_wei"])
    row = create(api, account_of(project), sponsorship)
    shown = api.get(f"/v2/transactions/{row['id']}", params={"expand": "userOperation"}).json()
    assert shown["execution"]["userOperation"]["paymasterAndData"].startswith(own.lower())
    assert int(api.get(path).json()["balance_wei"]) == has - fee_of(row)
    assert deposit(api) == before


def forward(api: Client, **members: Any) -> tuple[str, dict[str, Any]]:
    """The address of a new forwarder contract, and a sponsorship that names it."""
    body = {"address": to_checksum_address("0x" + "88" * 20), "chainId": AMOY}
    forwarder = api.post("/v1/forwarder_contracts", json=body).json()
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy, **members}
    made = api.post("/v2/fee-sponsorship", json={**body, "forwarderContractId": forwarder["id"]})
    return forwarder["address"], made.json()


def payer_of(api: Client, row: Any) -> Any:
    return api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()["paid"]["payer"]


def test_a_forwarder_contract_pays_from_its_own_deposit(api: Client, project: Project) -> None:
    address, sponsorship = forward(api)
    account = account_of(project)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{address}"
    has, before = int(api.get(path).json()["balance_wei"]), deposit(api)
    row = create(api, account, sponsorship["id"])
    assert payer_of(api, row) == address
    assert int(api.get(path).json()["balance_wei"]) == has - fee_of(row)
    assert deposit(api) == before
    api.put(path, json={"balance_wei": "0"})
    assert create(api, account, sponsorship["id"])["receipt"]["error"]["reason"].startswith("AA31")


def test_without_a_forwarder_the_projects_paymaster_pays(api: Client, project: Project) -> None:
    _, sponsorship = forward(api)
    elsewhere = create(api, account_of(project, chain=84532), sponsorship["id"], chainId=84532)
    assert payer_of(api, elsewhere) == paymaster_address(project)
    api.delete(f"/v1/forwarder_contracts/{sponsorship['forwarderContractId']}")
    assert payer_of(api, create(api, account_of(project), sponsorship["id"])) == paymaster_address(project)


def test_a_paymaster_pays_before_a_forwarder_contract(api: Client, project: Project) -> None:
    own = to_checksum_address("0x" + "77" * 20)
    paymaster = api.post("/v1/paymasters", json={"address": own}).json()["id"]
    _, sponsorship = forward(api, paymaster=paymaster)
    assert payer_of(api, create(api, account_of(project), sponsorship["id"])) == own


def test_a_token_of_another_chain_pays_for_nothing(api: Client, project: Project) -> None:
    account = account_of(project)
    contracts = {
        chain: api.post("/v1/contracts", json={"name": "Dollar", "chainId": chain, "address": USD}).json()[
            "id"
        ]
        for chain in (AMOY, 84532)
    }

    def accepting(*tokens: str) -> str:
        strategy = {
            "sponsorSchema": "charge_custom_tokens",
            "tokenContracts": [{"contract": token, "amount": "7"} for token in tokens],
        }
        rule = {"action": "accept", "operation": "sponsorEvmTransaction"}
        policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
        made = api.post("/v2/fee-sponsorship", json={"strategy": strategy, "policyId": policy})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    refused = api.post("/v2/transactions", json={**body, "feeSponsorshipId": accepting(contracts[84532])})
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "fee_sponsorship_of_other_chain"
    assert refused.json()["error"]["param"] == "feeSponsorshipId"
    # Of several tokens the first that is on the chain is charged.
    assert create(api, account, accepting(contracts[84532], EUR))["status"] == "successful"
    assert holdings.balance_of(Token(project, AMOY, EUR), paymaster_address(project)) > 0


@cases("strategy, fee", ({"sponsorSchema": "pay_for_user"}, None), ({"sponsorSchema": "fixed_rate"}, "7"))
def test_estimates_have_token_costs(
    api: Client, project: Project, strategy: dict[str, Any], fee: str | None
) -> None:
    if fee is not None:
        strategy = {**strategy, "tokenContracts": [{"contract": USD, "amount": fee}]}
    body = {
        "chainId": AMOY,
        "accountId": account_of(project).id,
        "calls": [{"to": THERE}],
        "feeSponsorshipId": sponsor(api, **strategy),
    }
    estimate = api.post("/v2/transactions/estimate", json=body)
    assert estimate.status_code == 200, estimate.text
    assert estimate.json().get("estimatedTXGasFeeToken") == fee
