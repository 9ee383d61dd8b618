"""What the rules of a gas policy let it pay for, without the API."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import AbiError
from mockserver.domain.sponsorship import gas_rules
from mockserver.domain.sponsorship.gas_rules import ALL_FUNCTIONS, Candidate, apply_rules, find_functions
from mockserver.domain.sponsorship.sponsors import SponsorDecision
from mockserver.domain.transactions.preparation import draft
from mockserver.state.guardrails import FeeSponsorship, GasRule, Strategy
from mockserver.state.onchain import CallRecord, Contract, Transaction
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.tables import cases

ITEMS, ELSEWHERE = "0x" + "22" * 20, "0x" + "33" * 20
MINT, PAUSE = bytes.fromhex("6a627842"), bytes.fromhex("8456cb59")
ABI = (
    {"type": "function", "name": "mint", "inputs": [{"name": "to", "type": "address"}]},
    {"type": "function", "name": "pause", "inputs": []},
)
PAYS = SponsorDecision(True, "The sponsorship has no policy: it pays for everything.")


def decide(project: Project, *calls: CallRecord, decision: SponsorDecision = PAYS) -> SponsorDecision:
    """What the rules make of a decision to pay for calls."""
    sponsorship = project.guardrails.fee_sponsorships["pol_1"]
    account = account_of(project, "Simple")
    candidate = Candidate(
        account, AMOY, calls, lambda sponsor: draft(project, account, AMOY, calls, sponsor).reservation
    )
    return apply_rules(project, sponsorship, decision, candidate)


def add(project: Project, rule: GasRule) -> None:
    """Add a rule to the gas policy."""
    project.guardrails.gas_rules.insert(rule)


def call(to: str, data: bytes = MINT + bytes(32)) -> CallRecord:
    """A call."""
    return CallRecord(to, 0, data, {})


def gas_policy(world: World) -> Project:
    """A project with a gas policy and a contract."""
    project = world.create(name="rules")
    project.onchain.contracts.insert(Contract("con_1", 0, "Items", AMOY, ITEMS, ABI))
    strategy = Strategy("pay_for_user")
    project.guardrails.fee_sponsorships.insert(FeeSponsorship("pol_1", 0, "gas", AMOY, True, strategy, None))
    return project


@pytest.fixture
def project(world: World) -> Project:
    """A project with a gas policy and a contract."""
    return gas_policy(world)


def test_without_rules_a_decision_stays_as_it_is(project: Project) -> None:
    assert decide(project, call(ELSEWHERE)) == PAYS


def test_rules_never_make_a_sponsor_pay(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", ALL_FUNCTIONS))
    against = PAYS._replace(pays=False, reason="The policy ply_1 is disabled.")
    assert decide(project, call(ITEMS), decision=against) == against


@cases(
    "function, data, pays",
    ("mint", MINT + bytes(32), True),
    ("mint(address)", MINT + bytes(32), True),
    ("mint", PAUSE, False),
    (ALL_FUNCTIONS, PAUSE, True),
)
def test_a_rule_names_a_contracts_functions(project: Project, function: str, data: bytes, pays: bool) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", function))
    assert decide(project, call(ITEMS, data)).pays is pays
    assert not decide(project, call(ELSEWHERE, data)).pays


def test_every_call_has_to_be_named(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", ALL_FUNCTIONS))
    assert not decide(project, call(ITEMS), call(ELSEWHERE)).pays
    add(project, GasRule("afu_2", 0, "pol_1", "contract_functions", None, ALL_FUNCTIONS))
    assert decide(project, call(ITEMS), call(ELSEWHERE)).pays


@given(st.integers(-3, 3))
def test_a_transaction_is_paid_for_up_to_the_limit(beside: int) -> None:
    def decided(limit: int) -> SponsorDecision:
        project = gas_policy(World())
        add(project, GasRule("afu_1", 0, "pol_1", "gas_per_transaction", gas_limit_wei=limit))
        return decide(project, call(ELSEWHERE))

    most = int(decided(0).reason.rpartition(" ")[2].rstrip("."))
    assert decided(most + beside).pays is (beside >= 0)


def test_a_name_means_each_function_that_has_it() -> None:
    overload = {"type": "function", "name": "mint", "inputs": []}
    assert [found.signature for found in find_functions((*ABI, overload), "mint")] == [
        "mint(address)",
        "mint()",
    ]
    assert find_functions([], "mint") == []
    assert [found.signature for found in find_functions([], "mint(uint256)")] == ["mint(uint256)"]
    with pytest.raises(AbiError):
        find_functions(ABI, "mnit")


def test_a_rule_about_a_function_unknown_to_the_abi_covers_none(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", "mint"))
    assert decide(project, call(ITEMS)).pays
    contract = project.onchain.contracts["con_1"]
    project.onchain.contracts.replace(contract._replace(abi=ABI[1:]))
    decision = decide(project, call(ITEMS))
    assert not decision.pays
    assert "calls[0]: no rule of the gas policy pol_1 names 0x6a627842" in decision.reason


def test_a_rule_about_a_deleted_contract_covers_no_call(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", ALL_FUNCTIONS))
    assert decide(project, call(ITEMS)).pays
    contract = project.onchain.contracts["con_1"]
    project.onchain.contracts.replace(contract._replace(deleted=True))
    assert not decide(project, call(ITEMS)).pays


def test_a_refused_transfer_and_name_are_called_what_they_are(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", "mint"))
    assert f"names a transfer to {ELSEWHERE}." in decide(project, call(ELSEWHERE, b"")).reason
    named = call(ELSEWHERE)._replace(requested={"functionName": "mint(address)"})
    assert f"names mint(address) of {ELSEWHERE}." in decide(project, named).reason


def test_an_interval_counts_beyond_a_page(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gas_rules, "_PAGE", 2)
    account = account_of(project, "Simple")
    for number in range(5):
        project.onchain.transactions.insert(
            Transaction(
                id=f"tin_{number}",
                created_ms=project.clock.now_ms,
                updated_ms=project.clock.now_ms,
                chain_id=AMOY,
                status="sent",
                account_id=account.id,
                wallet_id=account.wallet_id,
                user_id=None,
                calls=(call(ITEMS),),
                fee_sponsorship_id="pol_1",
            )
        )
    rule = GasRule(
        "afu_1", 0, "pol_1", "count_per_interval", count_limit=5, interval_type="day", interval_count=1
    )
    add(project, rule)
    assert "pays for 5 transactions in 1 day, and there were 5" in decide(project, call(ITEMS)).reason
    project.guardrails.gas_rules.replace(rule._replace(count_limit=6))
    assert decide(project, call(ITEMS)).pays


@cases(
    "now, months, start",
    ("2026-03-28T12:00Z", 1, "2026-02-28T12:00Z"),
    ("2026-03-31T12:00Z", 1, "2026-03-01T00:00Z"),
    ("2024-05-31T06:00Z", 3, "2024-03-01T00:00Z"),
    ("2026-01-15T00:00Z", 2, "2025-11-15T00:00Z"),
    ("1970-02-10T00:00Z", 1, "1970-01-10T00:00Z"),
    ("1970-02-10T00:00Z", 2, "1970-01-01T00:00Z"),
)
def test_months_are_those_of_the_calendar(now: str, months: int, start: str) -> None:
    now_ms, start_ms = (1_000 * int(datetime.fromisoformat(each).timestamp()) for each in (now, start))
    assert gas_rules._months_before(now_ms, months) == start_ms
