"""How funding sessions are made, paid, bounce and expire."""

from typing import Any

from httpx import Client

from mockserver.funding.chains import read_asset
from mockserver.state.project import Project
from tests.funding.sessions import (
    BASE,
    CONTROL,
    FROM_AMOY,
    HERE,
    SESSIONS,
    SOLANA,
    TARGET,
    USDC,
    ZERO,
    advance,
    balance,
    begin,
    client_of,
    look,
    pay,
    post,
    settle,
)
from tests.tables import cases

DAY_S = 24 * 3600
SOL, MINT = "1" * 32, "So11111111111111111111111111111111111111112"
FROM_SOLANA = {"type": "solana", "source": {"chain": SOLANA, "currency": SOL, "amount": "4000000"}}


def test_a_payment_in_full_arrives(api: Client, project: Project) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY)
    assert row["status"] == "waiting_payment"
    assert pay(api, row)["status"] == "processing"
    assert balance(api) == 0
    advance(api, 2)
    # A hundredth of a coin of 2,500 dollars, in a token of six decimals.
    assert (look(api, project, row)["status"], balance(api)) == ("succeeded", 25_000_000)


def test_native_coins_arrive_beside_those_there(api: Client, project: Project) -> None:
    api.put(f"{CONTROL}/chains/84532/addresses/{HERE}", json={"balance_wei": "5"})
    row = begin(api, project, target={**TARGET, "currency": ZERO}, paymentMethod=FROM_AMOY)
    settle(api, project, row)
    assert balance(api, token=None) == 5 + 10**16


def test_a_locked_amount_arrives_exactly(api: Client, project: Project) -> None:
    row = begin(api, project, amountUnits="7000000", paymentMethod=FROM_AMOY)
    settle(api, project, row, amount=str(2 * 10**16))
    assert balance(api) == 7_000_000


@cases(
    "members, payment",
    ({}, {"bounces": True}),
    ({}, {"amount": "1"}),
    ({"amountUnits": "7000000"}, {"amount": str(10**16 - 1)}),
)
def test_a_payment_bounces(
    api: Client, project: Project, members: dict[str, Any], payment: dict[str, Any]
) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY, **members)
    assert (settle(api, project, row, **payment), balance(api)) == ("bounced", 0)


def test_a_strict_session_takes_what_is_paid_in_time(api: Client, project: Project) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY, strict=True)
    assert settle(api, project, row) == "succeeded"


@cases("strict, status, arrived", (False, "succeeded", 25_000_000), (True, "bounced", 0))
def test_a_late_payment_bounces_only_if_strict(
    api: Client, project: Project, strict: bool, status: str, arrived: int
) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY, strict=strict)
    advance(api, DAY_S - 1)
    assert look(api, project, row)["status"] == "waiting_payment"
    advance(api, 1)
    assert look(api, project, row)["status"] == "expired"
    assert (settle(api, project, row), balance(api)) == (status, arrived)


def test_a_paid_session_neither_expires_nor_is_paid(api: Client, project: Project) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY)
    settle(api, project, row)
    assert pay(api, row)["type"] == "urn:mockserver:not-payable"
    advance(api, DAY_S)
    assert look(api, project, row)["status"] == "succeeded"


def test_without_a_delay_a_payment_arrives_at_once(api: Client, project: Project) -> None:
    api.put(f"{CONTROL}/settings", json={"transaction_confirms_after_ms": 0})
    row = begin(api, project, paymentMethod=FROM_AMOY)
    assert (pay(api, row)["status"], balance(api)) == ("succeeded", 25_000_000)


def test_a_payment_needs_an_amount_from_somewhere(api: Client, project: Project) -> None:
    row = begin(api, project)
    assert pay(api, row)["param"] == "amount"
    assert pay(api, row, amount="3000000")["status"] == "processing"


def test_more_than_can_arrive_is_refused(api: Client, project: Project) -> None:
    row = begin(api, project, target={**TARGET, "currency": ZERO}, paymentMethod=FROM_AMOY)
    assert pay(api, row, amount=str(2**128))["param"] == "amount"
    assert look(api, project, row)["status"] == "waiting_payment"
    assert pay(api, row, amount=str(2**128 - 1))["status"] == "processing"
    advance(api, 2)
    assert look(api, project, row)["status"] == "succeeded"


@cases("amount, status", (4 * 10**14 - 1, "bounced"), (4 * 10**14, "succeeded"))
def test_less_than_a_dollar_bounces(api: Client, project: Project, amount: int, status: str) -> None:
    row = begin(api, project, paymentMethod=FROM_AMOY)
    assert settle(api, project, row, amount=str(amount)) == status


def test_what_a_token_does_not_take_bounces(api: Client, project: Project) -> None:
    held = {"contract": USDC, "balance": str(2**256 - 1)}
    api.put(f"{CONTROL}/chains/84532/addresses/{'0x' + '22' * 20}", json={"tokens": [held]})
    row = begin(api, project, paymentMethod=FROM_AMOY)
    assert settle(api, project, row) == "bounced"


def test_a_method_can_be_chosen_and_changed(api: Client, project: Project) -> None:
    row = begin(api, project)
    assert (row["status"], row["paymentMethod"]) == ("requires_payment_method", None)
    path = f"{SESSIONS}/{row['id']}/payment_methods"
    body = {"clientSecret": row["clientSecret"], "paymentMethod": FROM_AMOY}
    first = post(api, project, path, body)
    second = post(api, project, path, {**body, "paymentMethod": FROM_SOLANA})
    assert [one["status"] for one in (first, second)] == ["waiting_payment"] * 2
    assert first["paymentMethod"]["minAmount"] == str(4 * 10**14)
    receiver = first["paymentMethod"]["receiverAddress"]
    assert first["paymentMethod"]["addressUri"] == f"ethereum:{receiver}@80002?value={10**16}"
    receiver = second["paymentMethod"]["receiverAddress"]
    assert second["paymentMethod"]["addressUri"] == f"solana:{receiver}?amount=0.004000000"
    pay(api, row)
    assert post(api, project, path, body)["error"]["code"] == "funding_session_closed"


def test_wallets_are_asked_for_tokens(api: Client, project: Project) -> None:
    usdc = {"type": "evm", "source": {"chain": BASE, "currency": USDC.lower(), "amount": "5"}}
    method = begin(api, project, paymentMethod=usdc)["paymentMethod"]
    assert method["addressUri"] == (
        f"ethereum:{USDC}@84532/transfer?address={method['receiverAddress']}&uint256=5"
    )


def test_a_target_on_solana_has_no_balance_here(api: Client, project: Project) -> None:
    row = begin(
        api,
        project,
        target={"chain": SOLANA, "currency": SOL, "address": SOL},
        paymentMethod=FROM_AMOY,
    )
    assert settle(api, project, row) == "succeeded"


def test_the_same_external_id_shows_the_same_session(api: Client, project: Project) -> None:
    row = begin(api, project, externalId="order-1", metadata={"order": "1"})
    again = begin(api, project, externalId="order-1", strict=True)
    assert again == row
    assert begin(api, project, externalId="order-2")["id"] != row["id"]


def test_another_secret_shows_nothing(api: Client, project: Project) -> None:
    row = begin(api, project)
    found = api.get(f"{SESSIONS}/{row['id']}?clientSecret=x", headers=client_of(project))
    assert (found.status_code, found.json()["error"]["code"]) == (401, "invalid_client_secret")
    found = api.get(f"{SESSIONS}/fnd_x?clientSecret=x", headers=client_of(project))
    assert (found.status_code, found.json()["error"]["code"]) == (404, "funding_session_not_found")


@cases(
    "members, param",
    ({"target": {**TARGET, "chain": "eip155:8453"}}, "target.chain"),
    ({"target": {**TARGET, "currency": "x"}}, "target.currency"),
    ({"target": {**TARGET, "address": SOL}}, "target.address"),
    ({"paymentMethod": {**FROM_AMOY, "type": "solana"}}, "paymentMethod.type"),
    ({"paymentMethod": {**FROM_AMOY, "refundTo": SOL}}, "paymentMethod.refundTo"),
    (
        {"paymentMethod": {"type": "evm", "source": {"chain": "x", "currency": ZERO, "amount": "1"}}},
        "paymentMethod.source.chain",
    ),
)
def test_a_wrong_member_is_named(api: Client, project: Project, members: dict[str, Any], param: str) -> None:
    answer = post(api, project, SESSIONS, {"target": TARGET, **members})
    assert answer["error"]["param"] == param
    assert len(project.funding.sessions) == 0


def test_a_solana_token_that_is_not_listed_has_six_decimals(project: Project) -> None:
    assert read_asset(project, SOLANA, MINT, "target").currency.decimals == 6


def test_chains_need_no_key(api: Client) -> None:
    del api.headers["authorization"]

    def ids(query: str) -> list[str]:
        found = api.get(f"/v2/funding/chains{query}").json()["chains"]
        return [chain["id"] for chain in found]

    main, tests = (1, 8453, 137, 42161, 10), (11155111, 84532, 80002, 421614, 11155420)
    assert ids("")[:-1] == [f"eip155:{number}" for number in main]
    assert ids("?livemode=false") == [*(f"eip155:{number}" for number in tests), SOLANA]


def test_a_webhook_tells_each_change_of_a_session(api: Client, project: Project) -> None:
    trigger = {"target": f"http://mock{CONTROL}/inbox/funds", "type": "webhook"}
    api.post("/v1/subscriptions", json={"topic": "funding.session.updated", "triggers": [trigger]})
    row = begin(api, project, paymentMethod=FROM_AMOY)
    settle(api, project, row)
    came = api.get(f"{CONTROL}/inbox/funds").json()["data"]
    assert [each["payload"]["data"]["status"] for each in came] == ["processing", "succeeded"]
    assert came[-1]["payload"]["data"] == look(api, project, row)
