"""What gas policies were paid back in tokens, and how it gets to developer accounts."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.typed_transactions import TypedTransaction
from hexbytes import HexBytes
from httpx import Client, Response
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.tokens.holdings import Token, balance_of
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.fates import add_fate
from tests.operations.responses import error_of
from tests.operations.sponsoring import AMOY, FREE, new_account, new_gas_policy, send
from tests.signing import fee_market_fields
from tests.tables import cases
from tests.transport import InProcessTransport

TOKEN = "0x742D35CC6634C0532925A3B844bC9E7595f0Ab12"
OTHER = "0x00000000000000000000000000000000000000b0"
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
FIXED = {"sponsorSchema": "fixed_rate", "tokenContract": TOKEN, "tokenContractAmount": "100"}


def developer_account(api: Client) -> Any:
    return api.post("/v1/settings/developer_accounts", json={"name": "till"}).json()


def pay(api: Client, policy: str, account: str, times: int = 1) -> None:
    call = {"to": OTHER, "data": "0x12345678"}
    for _ in range(times):
        assert send(api, policy, account, interactions=[call]).json()["response"]["status"] == 1


def balance(api: Client, policy: str) -> dict[str, str]:
    response = api.get(f"/v1/policies/{policy}/withdraw")
    assert response.status_code == 200, response.text
    answer: dict[str, str] = response.json()
    return answer


def withdraw(api: Client, policy: str, account: str, amount: object) -> Response:
    return api.post(f"/v1/policies/{policy}/withdraw", json={"account": account, "amount": amount})


@pytest.fixture
def policy(api: Client) -> str:
    """A gas policy that was paid back 300 tokens."""
    found = new_gas_policy(api, FIXED)
    pay(api, found, new_account(api), 3)
    return found


@pytest.fixture
def till(api: Client) -> Any:
    """A developer account."""
    return developer_account(api)


def test_the_balance_is_what_the_accounts_paid_back(api: Client) -> None:
    policy, account = new_gas_policy(api, FIXED), new_account(api)
    assert balance(api, policy) == {"policy": policy, "balance": "0", "contract": TOKEN}
    pay(api, policy, account, 2)
    assert balance(api, policy)["balance"] == "200"


def test_the_contract_is_named_as_in_the_strategy(api: Client) -> None:
    token = api.post("/v1/contracts", json={"name": "USD", "chainId": AMOY, "address": TOKEN}).json()["id"]
    policy = new_gas_policy(api, {**FIXED, "tokenContract": token})
    assert balance(api, policy)["contract"] == token
    pay(api, policy, new_account(api))
    assert balance(api, policy) == {"policy": policy, "balance": "100", "contract": token}


def test_a_withdrawal_is_an_intent(api: Client, project: Project, policy: str, till: dict[str, Any]) -> None:
    response = withdraw(api, policy, till["id"], "120")
    intent = response.json()
    paymaster = paymaster_address(project)
    assert (response.status_code, intent["object"]) == (200, "transactionIntent")
    assert (intent["account"], intent["policy"]) == ({"id": till["id"]}, {"id": policy})
    assert (intent["abstractionType"], intent["response"]["status"]) == ("standard", 1)
    assert intent["interactions"] == [
        {"to": TOKEN, "functionName": "transfer(address,uint256)", "functionArgs": [till["address"], "120"]}
    ]
    (log,) = intent["response"]["logs"]
    assert (log["address"], log["topics"][0], int(log["data"], 16)) == (TOKEN, TRANSFER, 120)
    assert [topic[-40:] for topic in log["topics"][1:]] == [
        paymaster[2:].lower(),
        till["address"][2:].lower(),
    ]
    token = Token(project, AMOY, TOKEN)
    assert (balance_of(token, till["address"]), balance_of(token, paymaster)) == (120, 180)
    assert balance(api, policy)["balance"] == "180"
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json() == intent
    shown = api.get(f"/v2/transactions/{intent['id']}").json()
    assert (shown["accountId"], shown["execution"]["from"]) == (till["id"], paymaster)


def test_the_paymaster_signs_the_withdrawal(
    api: Client, project: Project, policy: str, till: dict[str, Any]
) -> None:
    row = project.onchain.transactions[withdraw(api, policy, till["id"], "1").json()["id"]]
    signature = row.signature
    assert signature is not None
    sent = api.get(f"/v2/transactions/{row.id}").json()["execution"]
    signed = {
        **fee_market_fields(sent, AMOY),
        "v": signature[64] - 27,
        "r": int.from_bytes(signature[:32], "big"),
        "s": int.from_bytes(signature[32:64], "big"),
    }
    raw = TypedTransaction.from_dict(signed).encode()
    assert Account.recover_transaction(HexBytes(raw)) == paymaster_address(project)


def test_a_form_withdraws_too(api: Client, policy: str, till: dict[str, Any]) -> None:
    form = {"account": till["id"], "amount": "300"}
    assert api.post(f"/v1/policies/{policy}/withdraw", data=form).json()["response"]["status"] == 1
    assert balance(api, policy)["balance"] == "0"


@cases(
    "body, status, code, param",
    ({"account": "till", "amount": "-1"}, 400, "invalid_parameters", "amount"),
    ({"account": "till", "amount": "0"}, 400, "invalid_parameters", "amount"),
    ({"account": "till", "amount": "301"}, 400, "invalid_parameters", "amount"),
    ({"account": "dac_none", "amount": "1"}, 404, "developer_account_not_found", "account"),
    ({"account": "acc_none", "amount": "1"}, 404, "developer_account_not_found", "account"),
)
def test_a_withdrawal_that_cannot_be_leaves_no_trace(
    api: Client,
    project: Project,
    policy: str,
    till: dict[str, Any],
    body: dict[str, Any],
    status: int,
    code: str,
    param: str,
) -> None:
    before = project.snapshot().tables
    named = {**body, "account": till["id"]} if body.get("account") == "till" else body
    response = api.post(f"/v1/policies/{policy}/withdraw", json=named)
    assert error_of(response) == (status, code, param)
    assert project.snapshot().tables == before


def test_a_policy_that_charges_nothing_has_nothing_to_withdraw(api: Client, till: dict[str, Any]) -> None:
    policy = new_gas_policy(api)
    refused = [api.get(f"/v1/policies/{policy}/withdraw"), withdraw(api, policy, till["id"], "1")]
    assert [(each.status_code, each.json()["error"]["param"]) for each in refused] == [(400, "id")] * 2
    unknown = [api.get("/v1/policies/pol_none/withdraw"), withdraw(api, "pol_none", till["id"], "1")]
    assert [each.json()["error"]["code"] for each in unknown] == ["fee_sponsorship_not_found"] * 2


def test_what_moves_is_withdrawn_once(
    api: Client, project: Project, policy: str, till: dict[str, Any]
) -> None:
    add_fate(project, "never_mined")
    project.undo.mark()
    project.settings = project.settings.__class__(wait_limit_ms=0)
    assert "response" not in withdraw(api, policy, till["id"], "200").json()
    assert balance(api, policy)["balance"] == "100"
    assert withdraw(api, policy, till["id"], "101").status_code == 400


@cases("outcome", "reverted", "failed", "dropped")
def test_what_does_not_arrive_comes_back(
    api: Client, project: Project, policy: str, till: dict[str, Any], outcome: str
) -> None:
    add_fate(project, outcome)
    project.undo.mark()
    assert withdraw(api, policy, till["id"], "200").json()["response"]["status"] == 0
    assert balance(api, policy)["balance"] == "300"
    assert balance_of(Token(project, AMOY, TOKEN), till["address"]) == 0


def test_an_ended_or_changed_policy_still_gives_what_it_holds(
    api: Client, policy: str, till: dict[str, Any]
) -> None:
    path = f"/v1/policies/{policy}"
    api.post(path, json={"strategy": FREE})
    assert balance(api, policy) == {"policy": policy, "balance": "300", "contract": TOKEN}
    api.delete(path)
    assert withdraw(api, policy, till["id"], "300").json()["response"]["status"] == 1
    assert balance(api, policy) == {"policy": policy, "balance": "0", "contract": TOKEN}


def test_of_several_tokens_an_accepted_one_is_withdrawn_first(
    api: Client, policy: str, till: dict[str, Any]
) -> None:
    api.post(f"/v1/policies/{policy}", json={"strategy": {**FIXED, "tokenContract": OTHER}})
    pay(api, policy, new_account(api))
    assert balance(api, policy) == {"policy": policy, "balance": "100", "contract": OTHER}
    assert withdraw(api, policy, till["id"], "100").json()["response"]["status"] == 1
    assert balance(api, policy) == {"policy": policy, "balance": "300", "contract": TOKEN}


def test_a_withdrawal_counts_nowhere_else(api: Client, policy: str, till: dict[str, Any]) -> None:
    path = f"/v1/policies/{policy}/reports"
    before = api.get(path).json()
    assert withdraw(api, policy, till["id"], "5").json()["response"]["status"] == 1
    assert api.get(path).json() == before
    rule = {"type": "rate_limit", "functionName": "count_per_interval", "countLimit": 4, "policy": policy}
    api.post("/v1/policy_rules", json={**rule, "timeIntervalType": "day", "timeIntervalValue": 1})
    pay(api, policy, new_account(api))
    assert balance(api, policy)["balance"] == "395"


def test_a_depositor_is_a_developer_account(api: Client, till: dict[str, Any]) -> None:
    policy = new_gas_policy(api, {**FREE, "depositor": till["id"]})
    assert api.get(f"/v1/policies/{policy}").json()["strategy"] == {**FREE, "depositor": till["id"]}
    strategy = {**FREE, "depositor": "dac_none"}
    for response in (
        api.post("/v1/policies", json={"name": "x", "chainId": AMOY, "strategy": strategy}),
        api.post(f"/v1/policies/{policy}", json={"strategy": strategy}),
    ):
        assert (response.status_code, response.json()["error"]["param"]) == (404, "strategy.depositor")


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), st.integers(0, 1)),
        st.tuples(st.just("withdraw"), st.integers(1, 350)),
        st.tuples(st.just("fate"), st.sampled_from(["reverted", "failed", "dropped", "never_mined"])),
    ),
    max_size=16,
)


@settings(max_examples=30)
@given(STEPS)
def test_tokens_are_collected_moving_or_arrived(steps: list[tuple[str, Any]]) -> None:
    world = World()
    project = world.create(name="tokens")
    project.settings = project.settings.__class__(wait_limit_ms=0)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with Client(transport=transport, base_url="http://mock", headers=headers) as api:
        policies = [new_gas_policy(api, FIXED), new_gas_policy(api, FIXED)]
        account, till = new_account(api), developer_account(api)
        for step, value in steps:
            if step == "pay":
                body = {"chainId": AMOY, "account": account, "policy": policies[value]}
                api.post("/v1/transaction_intents", json={**body, "interactions": [{"to": OTHER}]})
            elif step == "withdraw":
                held = int(balance(api, policies[0])["balance"])
                asked = withdraw(api, policies[0], till["id"], str(value))
                assert asked.status_code == (200 if value <= held else 400)
            else:
                add_fate(project, value)
                project.undo.mark()
            TIMER_LOOP.advance(project, project.clock.now_ms + 5_000)
            check_tokens(project, till["address"])


def check_tokens(project: Project, till: str) -> None:
    """Every token that was collected and not withdrawn is where it should be."""
    token = Token(project, AMOY, TOKEN)
    rows = list(project.onchain.transactions)
    paid = sum(row.receipt.payment.token_amount for row in rows if row.receipt and row.receipt.payment)
    withdrawals = [row for row in rows if row.purpose == "withdraw_tokens"]
    amounts = {row.id: int.from_bytes(row.calls[0].data[36:], "big") for row in withdrawals}
    arrived = sum(amounts[row.id] for row in withdrawals if row.status == "successful")
    moving = sum(amounts[row.id] for row in withdrawals if row.status == "sent")
    collected = sum(row.amount for row in project.guardrails.collected_tokens)
    assert balance_of(token, till) == arrived
    assert balance_of(token, paymaster_address(project)) == collected + moving == paid - arrived
