"""What the rules of a gas policy let it pay for, without the API."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi import AbiError
from mockserver.domain.sponsorship.gas_rules import ALL_FUNCTIONS, Candidate, apply_rules, find_functions
from mockserver.domain.sponsorship.sponsors import SponsorDecision
from mockserver.domain.transactions.building import estimate_reservation
from mockserver.state.guardrails import FeeSponsorship, GasRule, Policy, Strategy
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of

ITEMS, ELSEWHERE = "0x" + "22" * 20, "0x" + "33" * 20
MINT, PAUSE = bytes.fromhex("6a627842"), bytes.fromhex("8456cb59")
ABI = (
    {"type": "function", "name": "mint", "inputs": [{"name": "to", "type": "address"}]},
    {"type": "function", "name": "pause", "inputs": []},
)
PAYS = SponsorDecision(True, False, "The sponsorship has no policy: it pays for everything.")


def decide(project: Project, *calls: CallRecord, decision: SponsorDecision = PAYS) -> SponsorDecision:
    """What the rules make of a decision to pay for calls."""
    sponsorship = project.guardrails.fee_sponsorships["pol_1"]
    account = account_of(project, "Simple")
    candidate = Candidate(
        account, AMOY, calls, lambda sponsor: estimate_reservation(project, account, AMOY, calls, sponsor)
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


@pytest.mark.parametrize(
    ("function", "data", "pays"),
    [
        ("mint", MINT + bytes(32), True),
        ("mint(address)", MINT + bytes(32), True),
        ("mint", PAUSE, False),
        (ALL_FUNCTIONS, PAUSE, True),
    ],
)
def test_a_rule_names_functions_of_a_contract(
    project: Project, function: str, data: bytes, pays: bool
) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", function))
    assert decide(project, call(ITEMS, data)).pays is pays
    assert not decide(project, call(ELSEWHERE, data)).pays


def test_every_call_has_to_be_named(project: Project) -> None:
    add(project, GasRule("afu_1", 0, "pol_1", "contract_functions", "con_1", ALL_FUNCTIONS))
    assert not decide(project, call(ITEMS), call(ELSEWHERE)).pays
    add(project, GasRule("afu_2", 0, "pol_1", "contract_functions", None, ALL_FUNCTIONS))
    assert decide(project, call(ITEMS), call(ELSEWHERE)).pays


@given(st.integers(-3, 3))
def test_a_transaction_is_paid_for_up_to_the_limit_and_no_further(beside: int) -> None:
    def decided(limit: int) -> SponsorDecision:
        project = gas_policy(World())
        add(project, GasRule("afu_1", 0, "pol_1", "gas_per_transaction", gas_limit_wei=limit))
        return decide(project, call(ELSEWHERE))

    most = int(decided(0).reason.rpartition(" ")[2].rstrip("."))
    assert decided(most + beside).pays is (beside >= 0)


def test_a_policy_for_transactions_fails_what_its_rules_refuse(project: Project) -> None:
    policy = Policy("ply_1", 0, "transaction", None, None, True, 0, ())
    project.guardrails.policies.insert(policy)
    row = project.guardrails.fee_sponsorships["pol_1"]._replace(policy_id="ply_1")
    project.guardrails.fee_sponsorships.replace(row)
    add(project, GasRule("afu_1", 0, "pol_1", "gas_per_transaction", gas_limit_wei=0))
    decision = decide(project, call(ELSEWHERE))
    assert (decision.pays, decision.failed) == (False, True)


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
