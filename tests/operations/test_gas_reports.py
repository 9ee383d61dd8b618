"""What gas policies report, and that it is what was paid."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.ledger import FEE_RECIPIENT, chain_account, paymaster_account
from mockserver.domain.chains.tokens.holdings import Token, balance_of
from mockserver.domain.sponsorship.sponsor_accounts import sponsor_account
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel import timestamps
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings, TokenSettings
from mockserver.state.world import World
from tests.fates import add_fate
from tests.operations import sponsoring
from tests.operations.sponsoring import AMOY, FREE, TOKEN, fee_of, new_account, new_gas_policy
from tests.tables import cases
from tests.transport import InProcessTransport

OTHER = "0x00000000000000000000000000000000000000b0"
DAY_MS = 86_400_000
JANUARY = {"start": 1_767_225_600, "end": 1_769_903_999}
FEBRUARY = {"start": 1_769_904_000, "end": 1_772_323_199}


def send(api: Client, policy: str, account: str, **members: Any) -> Any:
    response = sponsoring.send(api, policy, account, **members)
    assert response.status_code == 200, response.text
    return response.json()


def reports(api: Client, policy: str, query: str = "") -> Any:
    return api.get(f"/v1/policies/{policy}/reports{query}").json()


def paid_between(api: Client, policy: str, start: float, end: float) -> Any:
    query = {"from": start, "to": end}
    return api.get(f"/v1/policies/{policy}/reports/transaction_intents", params=query).json()["data"]


@cases("left_ms", 86_400_000, 1)
def test_the_last_month_of_the_year_9999_is_reported(api: Client, project: Project, left_ms: int) -> None:
    TIMER_LOOP.advance(project, timestamps.LAST_MS - left_ms)
    policy = new_gas_policy(api)
    monthly = {"type": "rate_limit", "timeIntervalType": "month", "timeIntervalValue": 1, "countLimit": 2}
    api.post("/v1/policy_rules", json={"policy": policy, **monthly}).raise_for_status()
    # It is mined two seconds later, in the year 10000 if need be.
    assert fee_of(send(api, policy, new_account(api)))
    (found,) = reports(api, policy)["data"]
    assert found["period"] == {"start": 253_399_622_400, "end": 253_402_300_799}


def test_a_month_says_what_was_paid_in_it(api: Client) -> None:
    policy, account = new_gas_policy(api), new_account(api)
    intents = [send(api, policy, account) for _ in range(2)]
    fees = [fee_of(intent) for intent in intents]
    page = reports(api, policy)
    usd = sum(Decimal(intent["finalCost"]) for intent in intents)
    assert page == {
        "object": "list",
        "url": f"/v1/policies/{policy}/reports",
        "start": 0,
        "end": 1,
        "total": 1,
        "data": [
            {
                "period": JANUARY,
                "averageTransactionFee": f"{Decimal(sum(fees)) / 2 / 10**18:f}".rstrip("0"),
                "totalTransactionFeeInCustomTokens": "0",
                "totalTransactionFeeInUSD": f"{usd:f}".rstrip("0"),
                "transactionIntents": [
                    {
                        "totalTransactionFee": str(sum(fees)),
                        "totalTransactionFeeInUSD": f"{usd:f}".rstrip("0"),
                        "transactionCount": 2,
                    }
                ],
            }
        ],
    }


def test_months_without_payments_are_left_out_newest_first(api: Client, project: Project) -> None:
    policy, account = new_gas_policy(api), new_account(api)
    assert reports(api, policy)["data"] == []
    start_ms = project.clock.now_ms
    # Sent a second before the month ends, and mined a second after it began.
    for days in (31, 90, 121):
        TIMER_LOOP.advance(project, start_ms + days * DAY_MS - 1000)
        send(api, policy, account)
    page = reports(api, policy)
    assert page["total"] == 3
    starts = [each["period"]["start"] for each in page["data"]]
    april, may = JANUARY["start"] + 90 * 86_400, JANUARY["start"] + 120 * 86_400
    assert starts == [may, april, FEBRUARY["start"]]
    assert page["data"][2]["period"] == FEBRUARY
    assert [each["period"]["start"] for each in reports(api, policy, "?order=asc&limit=2")["data"]] == [
        FEBRUARY["start"],
        april,
    ]
    second = reports(api, policy, "?skip=1&limit=1")
    assert ([each["period"]["start"] for each in second["data"]], second["total"]) == ([april], 3)


def test_what_was_paid_back_is_shown_in_whole_tokens(api: Client, project: Project) -> None:
    known = {TOKEN.lower(): TokenSettings(decimals=6)}
    project.settings = replace(project.settings, tokens=known)
    fixed = {"sponsorSchema": "fixed_rate", "tokenContract": TOKEN, "tokenContractAmount": "1250001"}
    policy, account = new_gas_policy(api, fixed), new_account(api)
    for _ in range(3):
        send(api, policy, account)
    (report,) = reports(api, policy)["data"]
    assert report["totalTransactionFeeInCustomTokens"] == "3.750003"


def test_only_what_the_policy_paid_is_reported(api: Client, project: Project) -> None:
    policy, other, account = new_gas_policy(api), new_gas_policy(api), new_account(api)
    add_fate(project, "reverted")
    add_fate(project, "failed")
    add_fate(project, "dropped")
    project.undo.mark()
    reverted = send(api, policy, account)
    for _ in range(2):
        assert "transactionHash" not in send(api, policy, account)["response"]
    send(api, other, account)
    send(api, policy, account, optimistic=True)
    rule = {"type": "rate_limit", "functionName": "gas_per_transaction", "gasLimit": "1", "policy": policy}
    api.post("/v1/policy_rules", json=rule)
    assert "policy" not in send(api, policy, account, optimistic=True)
    (report,) = reports(api, policy)["data"]
    assert report["transactionIntents"][0]["totalTransactionFee"] == str(fee_of(reverted))
    assert report["transactionIntents"][0]["transactionCount"] == 1


def test_a_period_includes_its_first_and_last_second(api: Client) -> None:
    policy, account = new_gas_policy(api), new_account(api)
    intent = send(api, policy, account)
    at = intent["response"]["createdAt"]
    row = {
        "totalTransactionFee": str(fee_of(intent)),
        "totalTransactionFeeInUSD": intent["finalCost"],
        "transactionCount": 1,
    }
    for start, end, rows in (
        (at, at, [row]),
        (0, 4e9, [row]),
        (at - 10, at - 1, []),
        (at + 0.5, at + 10, []),
    ):
        assert paid_between(api, policy, start, end) == rows
    for start, end in ("inf", at), (at, "inf"), ("nan", at), (at, "-1"):
        path = f"/v1/policies/{policy}/reports/transaction_intents?from={start}&to={end}"
        assert api.get(path).status_code == 400
    answer = api.get(f"/v1/policies/{policy}/reports/transaction_intents?from={at}&to={at}").json()
    assert {name: answer[name] for name in ("object", "url", "start", "end", "total")} == {
        "object": "list",
        "url": f"/v1/policies/{policy}/reports/transaction_intents",
        "start": 0,
        "end": 1,
        "total": 1,
    }


@cases(
    "query, param",
    ("from=2&to=1", "from"),
    ("from=nan&to=1", "from"),
    ("from=1&to=inf", "to"),
    ("from=x&to=1", "from"),
)
def test_a_period_goes_from_a_moment_to_a_later_one(api: Client, query: str, param: str) -> None:
    response = api.get(f"/v1/policies/{new_gas_policy(api)}/reports/transaction_intents?{query}")
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


STRATEGIES = (
    FREE,
    {"sponsorSchema": "fixed_rate", "tokenContract": TOKEN, "tokenContractAmount": "7"},
    {"sponsorSchema": "charge_custom_tokens", "tokenContract": OTHER, "tokenContractAmount": str(3 * 10**17)},
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 2)),
        st.tuples(st.just("fate"), st.sampled_from(["reverted", "failed", "dropped", "replaced"])),
        st.tuples(st.just("days"), st.integers(1, 40)),
        st.tuples(st.just("base fee"), st.integers(1, 10**11)),
    ),
    max_size=20,
)


@settings(max_examples=30)
@given(STEPS)
def test_reports_add_up_and_no_coin_is_lost(steps: list[tuple[str, Any]]) -> None:
    world = World()
    project = world.create(name="reports")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with Client(transport=transport, base_url="http://mock", headers=headers) as api:
        policies, account = [new_gas_policy(api, each) for each in STRATEGIES], new_account(api)
        for step, value in steps:
            if step == "send":
                send(api, policies[value], account)
            elif step == "days":
                TIMER_LOOP.advance(project, project.clock.now_ms + value * DAY_MS)
            elif step == "fate":
                add_fate(project, value)
                project.undo.mark()
            else:
                chosen = {str(AMOY): ChainSettings(base_fee_wei=value)}
                project.settings = replace(project.settings, chains=chosen)
        spent = sum(check_reports(project, api, policy) for policy in policies)
    deposit = paymaster_account(project, AMOY, paymaster_address(project))
    assert deposit.balance == deposit.issued - spent
    assert chain_account(project, AMOY, FEE_RECIPIENT).balance == spent
    for token in (TOKEN, OTHER):
        rows = [row for row in project.guardrails.collected_tokens if row.token.lower() == token.lower()]
        held = balance_of(Token(project, AMOY, token), paymaster_address(project))
        assert held == sum(row.amount for row in rows)


def check_reports(project: Project, api: Client, policy: str) -> int:
    """The reports of a policy say what its accounts say; what it spent."""
    months = reports(api, policy, "?limit=100")["data"]
    kept = sponsor_account(project, policy)
    totals = [month["transactionIntents"][0] for month in months]
    assert sum(int(total["totalTransactionFee"]) for total in totals) == kept.spent_wei
    assert sum(total["transactionCount"] for total in totals) == kept.transactions
    for month, total in zip(months, totals, strict=True):
        assert paid_between(api, policy, month["period"]["start"], month["period"]["end"]) == [total]
    whole = sum((Decimal(month["totalTransactionFeeInCustomTokens"]) for month in months), Decimal(0))
    collected = [row.amount for row in project.guardrails.collected_tokens if row.sponsorship_id == policy]
    assert whole * 10**18 == sum(collected)
    return kept.spent_wei
