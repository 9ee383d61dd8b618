"""Requests for transactions, checked against the project before anything is made."""

from collections.abc import Callable
from typing import Literal

import pytest

from mockserver import errors
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.preparation import estimate, prepare
from mockserver.domain.wallets.selectors import V1, require_account
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError
from mockserver.state.guardrails import FeeSponsorship, Policy, PolicyRule, Scope, Strategy
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import AMOY, account_of
from tests.tables import cases

BASE_SEPOLIA = 84532
THERE = "0x" + "11" * 20
CALL = {"to": THERE, "value": "1000"}

Action = Literal["accept", "reject"]


def sponsorship(project: Project, policy_id: str | None = None) -> str:
    """A fee sponsorship that pays for the user."""
    row = FeeSponsorship("pol_1", 0, "free", AMOY, True, Strategy("pay_for_user"), policy_id)
    return project.guardrails.fee_sponsorships.insert(row).id


def policy(project: Project, action: Action, operation: str, scope: Scope = "project") -> None:
    """A policy of one rule about everything."""
    rule = PolicyRule("plr_1", 0, action, operation)
    project.guardrails.policies.insert(Policy("ply_1", 0, scope, None, None, True, 0, (rule,)))


def refused(ask: Callable[[], object]) -> tuple[errors.ErrorRow, str | None]:
    """With what a request is refused, and for which member."""
    with pytest.raises(ApiError) as caught:
        ask()
    return caught.value.row, caught.value.param


def test_a_request_says_who_does_what(project: Project) -> None:
    account = account_of(project)
    prepared = prepare(project, account, AMOY, [CALL, CALL])
    assert (prepared.account, prepared.chain_id, len(prepared.calls)) == (account, AMOY, 2)
    assert (prepared.calls[0].to, prepared.calls[0].value) == (THERE, 1000)
    assert (prepared.sponsor, prepared.sponsorship_id, prepared.error) == (None, None, None)


def test_a_disabled_account_sends_nothing(project: Project) -> None:
    account = account_of(project)._replace(disabled=True)
    assert refused(lambda: prepare(project, account, AMOY, [CALL])) == (errors.ACCOUNT_DISABLED, "accountId")


def test_a_contract_account_has_one_chain_a_plain_one_all(project: Project) -> None:
    assert refused(lambda: prepare(project, account_of(project), BASE_SEPOLIA, [CALL]))[1] == "chainId"
    assert prepare(project, account_of(project, "plain"), BASE_SEPOLIA, [CALL]).chain_id == BASE_SEPOLIA


def test_a_plain_account_makes_one_call_and_pays_for_itself(project: Project) -> None:
    account = account_of(project, "plain")
    assert refused(lambda: prepare(project, account, AMOY, [CALL, CALL]))[1] == "calls"
    found = sponsorship(project)
    assert refused(lambda: prepare(project, account, AMOY, [CALL], sponsorship_id=found))[1] == (
        "feeSponsorshipId"
    )
    assert refused(lambda: prepare(project, account, AMOY, [CALL, CALL], fields=V1))[1] == "interactions"


def test_a_token_needs_a_sponsorship(project: Project) -> None:
    account = account_of(project)
    assert refused(lambda: prepare(project, account, AMOY, [CALL], token=THERE))[1] == "feeSponsorshipToken"


def test_a_sponsorship_takes_a_transaction_on(project: Project) -> None:
    prepared = prepare(project, account_of(project), AMOY, [CALL], sponsorship_id=sponsorship(project))
    assert prepared.sponsorship_id == "pol_1"
    assert prepared.sponsor is not None
    assert prepared.sponsoring is not None
    assert prepared.sponsoring.pays


@cases("scope, failed", ("project", False), ("transaction", True))
def test_the_account_pays_what_is_rejected(project: Project, scope: Scope, failed: bool) -> None:
    policy(project, "reject", "sponsorEvmTransaction", scope)
    found = sponsorship(project, "ply_1")
    prepared = prepare(project, account_of(project), AMOY, [CALL], sponsorship_id=found)
    assert prepared.sponsor is None
    assert (prepared.sponsorship_id is not None) == (prepared.error is not None) == failed


def test_what_a_policy_denies_fails_with_its_reason(project: Project) -> None:
    policy(project, "reject", "sendEvmTransaction")
    prepared = prepare(project, account_of(project), AMOY, [CALL])
    assert prepared.error is not None
    assert prepared.error.reason.startswith("calls[0]: ")
    assert [decision.allowed for decision in prepared.sending] == [False]


@cases("sponsored", False, True)
def test_an_estimate_changes_nothing(project: Project, sponsored: bool) -> None:
    found = sponsorship(project) if sponsored else None
    prepared = prepare(project, account_of(project), AMOY, [CALL], sponsorship_id=found)
    project.undo.mark()
    before = [tuple(table) for table in project.tables], project.entropy.draws()
    found_cost = estimate(project, prepared)
    assert found_cost.fee == found_cost.gas * found_cost.price > 0
    assert found_cost.token_fee is None
    assert ([tuple(table) for table in project.tables], project.entropy.draws()) == before


def test_a_user_may_use_their_own_accounts_only(project: Project) -> None:
    ada, bob = (create_user(project, name=name, email=None) for name in ("Ada", "Bob"))
    account: Account = account_of(project, wallet=wallet_of_user(project, ada))
    assert require_account(project, account.id, ada) == account
    assert require_account(project, account.id, None) == account
    strange = refused(lambda: require_account(project, account.id, bob))
    assert strange == (errors.ACCOUNT_NOT_FOUND, "accountId")
