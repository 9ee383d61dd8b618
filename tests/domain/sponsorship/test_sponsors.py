"""Who pays for a transaction, and what the account pays back."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver import errors
from mockserver.domain.chains.tokens.holdings import MOST
from mockserver.domain.sponsorship.sponsors import (
    find_sponsor,
    require_sponsorship,
    sponsor_decision,
    token_fee,
)
from mockserver.errors import ApiError
from mockserver.state.guardrails import (
    AcceptedToken,
    FeeSponsorship,
    Paymaster,
    Policy,
    PolicyRule,
    Scope,
    Strategy,
)
from mockserver.state.onchain import CallRecord, Charge
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings
from mockserver.state.world import World
from tests.tables import cases

AMOY = 80002
COIN, OTHER = "0x" + "22" * 20, "0x" + "33" * 20
CHEAP, DEAR = (CallRecord("0x" + "11" * 20, value, b"", {}) for value in (1, 11))
FREE = Strategy("pay_for_user")


def sponsorship(project: Project, strategy: Strategy = FREE, policy: Policy | None = None) -> FeeSponsorship:
    """A sponsorship, with its policy if it has one."""
    if policy is not None:
        project.guardrails.policies.insert(policy)
    row = FeeSponsorship("pol_1", 0, "gas", AMOY, True, strategy, policy and policy.id)
    return project.guardrails.fee_sponsorships.insert(row)


def policy(scope: Scope = "project", account_id: str | None = None) -> Policy:
    """A policy that sponsors calls of little value."""
    criterion = {"type": "ethValue", "operator": "<=", "ethValue": "10"}
    rule = PolicyRule("plr_1", 0, "accept", "sponsorEvmTransaction", (criterion,))
    return Policy("ply_1", 0, scope, None, account_id, True, 0, (rule,))


def test_without_a_policy_everything_is_paid_for(project: Project) -> None:
    decision = sponsor_decision(project, sponsorship(project), "acc_1", AMOY, [CHEAP, DEAR])
    assert (decision.pays, decision.failed, decision.calls) == (True, False, ())


@cases("scope, failed", ("project", False), ("account", False), ("transaction", True))
def test_each_call_has_to_be_accepted(project: Project, scope: Scope, failed: bool) -> None:
    rejects = PolicyRule("plr_2", 0, "reject", "sponsorEvmTransaction", ())
    project.guardrails.policies.insert(Policy("ply_2", 0, "project", None, None, True, 100, (rejects,)))
    row = sponsorship(project, policy=policy(scope, "acc_1"))
    assert sponsor_decision(project, row, "acc_1", AMOY, [CHEAP, CHEAP]).pays
    refused = sponsor_decision(project, row, "acc_1", AMOY, [CHEAP, DEAR])
    assert (refused.pays, refused.failed) == (False, failed)
    assert refused.reason.startswith("calls[1]: ")
    assert [each.allowed for each in refused.calls] == [True, False]


def test_a_policy_of_every_account_sponsors_every_account(project: Project) -> None:
    row = sponsorship(project, policy=policy("account", None))
    assert sponsor_decision(project, row, "acc_1", AMOY, [CHEAP]).pays
    assert sponsor_decision(project, row, "acc_2", AMOY, [CHEAP]).pays


@cases(
    "change, why",
    (lambda row: row._replace(deleted=True), "deleted"),
    (lambda row: row._replace(enabled=False), "disabled"),
    (lambda row: row._replace(enabled=False, scope="transaction"), "disabled"),
    (lambda row: row._replace(rules=(row.rules[0]._replace(action="reject"),)), "Rejected by policy rule"),
    (lambda row: row._replace(scope="account", account_id="acc_2"), "for the account acc_2 only"),
)
def test_an_idle_policy_pays_nothing(project: Project, change: Callable[[Policy], Policy], why: str) -> None:
    row = change(policy())
    decision = sponsor_decision(project, sponsorship(project, policy=row), "acc_1", AMOY, [CHEAP])
    assert (decision.pays, decision.failed) == (False, row.scope == "transaction")
    assert why in decision.reason


@cases(
    "change, row",
    (lambda row: row._replace(deleted=True), errors.FEE_SPONSORSHIP_NOT_FOUND),
    (lambda row: row._replace(chain_id=137), errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN),
    (
        lambda row: row._replace(strategy=Strategy("charge_custom_tokens", spl_tokens=("mint",))),
        errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN,
    ),
    (lambda row: row._replace(enabled=False), errors.FEE_SPONSORSHIP_DISABLED),
)
def test_a_sponsorship_that_cannot_be_used_is_refused(
    project: Project, change: Callable[[FeeSponsorship], FeeSponsorship], row: errors.ErrorRow
) -> None:
    project.guardrails.fee_sponsorships.replace(change(sponsorship(project)))
    with pytest.raises(ApiError) as refused:
        require_sponsorship(project, "pol_1", AMOY)
    assert refused.value.row == row


def test_a_sponsorship_of_no_chain_serves_every_one(project: Project) -> None:
    project.guardrails.fee_sponsorships.replace(sponsorship(project)._replace(chain_id=None))
    assert require_sponsorship(project, "pol_1", 137).id == "pol_1"


def test_the_account_pays_back_in_the_token_that_it_chooses(project: Project) -> None:
    strategy = Strategy("charge_custom_tokens", (AcceptedToken(COIN, "5"), AcceptedToken(OTHER)))
    row = sponsorship(project, strategy)
    decision = sponsor_decision(project, row, "acc_1", AMOY, [CHEAP])
    first = find_sponsor(project, row, AMOY, decision)
    second = find_sponsor(project, row, AMOY, decision, token=OTHER.upper().replace("X", "x"))
    assert first is not None
    assert second is not None
    assert (first.charge, second.charge) == (Charge(COIN, 5, False), Charge(OTHER, None, False))
    with pytest.raises(ApiError) as refused:
        find_sponsor(project, row, AMOY, decision._replace(pays=False), token="0x" + "44" * 20)
    assert refused.value.row == errors.FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED


def test_a_sponsor_pays_from_the_named_own_paymaster(project: Project) -> None:
    project.guardrails.paymasters.insert(Paymaster("pay_1", 0, OTHER))
    row = sponsorship(project)._replace(paymaster_id="pay_1")
    decision = sponsor_decision(project, row, "acc_1", AMOY, [CHEAP])
    sponsor = find_sponsor(project, row, AMOY, decision)
    assert sponsor is not None
    assert (sponsor.paymaster, sponsor.charge) == (OTHER, None)
    assert find_sponsor(project, row, AMOY, decision._replace(pays=False)) is None


@given(st.integers(0, 10**30), st.integers(1, 10**24))
def test_a_static_rate_is_for_a_whole_coin_and_rounded_up(fee_wei: int, rate: int) -> None:
    project = World().create(name="fees")
    fee = token_fee(project, AMOY, Charge(COIN, rate, False), fee_wei)
    assert (fee - 1) * 10**18 < fee_wei * rate <= fee * 10**18
    assert token_fee(project, AMOY, Charge(COIN, rate, True), fee_wei) == rate


@given(st.integers(0, MOST), st.integers(0, MOST), st.sampled_from(["0.000001", "1", "2500"]))
def test_a_dynamic_rate_never_falls_and_fits_a_uint256(one: int, another: int, price: str) -> None:
    project = World().create(name="fees")
    project.settings = replace(project.settings, tokens={COIN: TokenSettings(decimals=6, price_usd=price)})
    low, high = (token_fee(project, AMOY, Charge(COIN, None, False), fee) for fee in sorted((one, another)))
    assert 0 <= low <= high <= MOST


def test_a_token_without_a_price_costs_nothing(project: Project) -> None:
    project.settings = replace(project.settings, tokens={COIN: TokenSettings(price_usd="0")})
    assert Decimal(token_fee(project, AMOY, Charge(COIN, None, False), 10**18)) == 0
