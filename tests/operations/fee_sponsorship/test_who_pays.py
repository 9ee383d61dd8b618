"""Which fee sponsorship pays for a transaction, and which does not."""

from collections.abc import Sequence
from typing import Any

import pytest
from httpx import Client

from mockserver import errors
from mockserver.chain.addresses import to_checksum
from mockserver.domain.sponsorship.sponsors import (
    Sponsor,
    SponsorDecision,
    find_sponsor,
    require_sponsorship,
    sponsor_decision,
)
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.onchain import CallRecord, Charge
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.operations.fee_sponsorship.helpers import (
    AMOY,
    BASE_SEPOLIA,
    FREE,
    MINT,
    OTHER,
    TOKEN,
    Create,
    charge,
    new_policy,
    row,
)
from tests.tables import cases


def asked(
    project: Project, sponsorship: dict[str, Any], values: Sequence[int] = (1,), account_id: str = "acc_1"
) -> SponsorDecision:
    calls = [CallRecord(TOKEN, value, b"", {}) for value in values]
    return sponsor_decision(project, row(project, sponsorship), account_id, AMOY, calls)


def test_the_sponsor_pays_when_the_policy_accepts_every_call(project: Project, create: Create) -> None:
    sponsorship = create()
    accepted = asked(project, sponsorship, (1, 10))
    assert (accepted.pays, accepted.failed, accepted.reason) == (True, False, "Allowed by policy rule")
    assert [each.allowed for each in accepted.calls] == [True, True]
    missed = asked(project, sponsorship, (1, 11))
    assert (missed.pays, missed.failed) == (False, False)
    assert missed.reason.startswith("calls[1]: No policy rule matched")


@cases("scope", "project", "transaction")
@cases("spoil", "value", "reject", "disable", "delete")
def test_without_a_match_the_user_pays_or_the_transaction_fails(
    api: Client, project: Project, create: Create, scope: str, spoil: str
) -> None:
    policy = new_policy(api, scope=scope, action="reject" if spoil == "reject" else "accept")
    sponsorship = create(policyId=policy)
    if spoil == "disable":
        api.post(f"/v2/policies/{policy}", json={"enabled": False})
    elif spoil == "delete":
        api.delete(f"/v2/policies/{policy}")
    decision = asked(project, sponsorship, (99,) if spoil == "value" else (1,))
    assert (decision.pays, decision.failed) == (False, scope == "transaction")
    assert decision.reason


def test_a_policy_for_transactions_that_matches_pays(api: Client, project: Project, create: Create) -> None:
    decision = asked(project, create(policyId=new_policy(api, scope="transaction")))
    assert (decision.pays, decision.failed) == (True, False)


def test_a_policy_pays_for_its_account_only(api: Client, project: Project, create: Create) -> None:
    project.wallets.accounts.insert(
        Account("acc_1", "pla_1", "Externally Owned Account", "EVM", OTHER, "Developer", 0, 0)
    )
    project.undo.mark()
    sponsorship = create(policyId=new_policy(api, scope="account", accountId="acc_1"))
    assert asked(project, sponsorship).pays
    other = asked(project, sponsorship, account_id="acc_2")
    assert (other.pays, other.failed) == (False, False)


def test_only_the_linked_policy_is_asked(api: Client, project: Project, create: Create) -> None:
    sponsorship = create()
    new_policy(api, action="reject", priority=100)
    assert asked(project, sponsorship).pays


def test_the_user_pays_in_the_token_that_was_chosen(project: Project, create: Create, contract: str) -> None:
    tokens = [{"contract": OTHER, "amount": "7"}, {"contract": contract}]
    sponsorship = create(strategy=charge(tokenContracts=tokens))
    accepted, missed = asked(project, sponsorship), asked(project, sponsorship, (99,))
    asked_for = row(project, sponsorship)
    assert find_sponsor(project, asked_for, AMOY, accepted) == Sponsor(
        asked_for.id, charge=Charge(to_checksum(OTHER), 7)
    )
    second = find_sponsor(project, asked_for, AMOY, accepted, TOKEN.lower())
    assert second == Sponsor(asked_for.id, charge=Charge(to_checksum(TOKEN), None))
    assert find_sponsor(project, asked_for, AMOY, missed) is None


def test_the_sponsor_bears_the_cost_when_it_pays_for_the_user(project: Project, create: Create) -> None:
    sponsorship = create()
    asked_for = row(project, sponsorship)
    assert find_sponsor(project, asked_for, AMOY, asked(project, sponsorship)) == Sponsor(asked_for.id)
    assert find_sponsor(project, asked_for, AMOY, asked(project, sponsorship, (99,))) is None


@cases("strategy", FREE, charge(tokenContract=OTHER))
def test_a_token_that_is_not_accepted_is_refused(
    project: Project, create: Create, strategy: dict[str, Any]
) -> None:
    sponsorship = create(strategy=strategy)
    with pytest.raises(ApiError) as refused:
        find_sponsor(project, row(project, sponsorship), AMOY, asked(project, sponsorship), TOKEN)
    assert refused.value.row is errors.FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED
    assert refused.value.param == "feeSponsorshipToken"


def test_a_sponsorship_is_found_for_its_chain(project: Project, create: Create) -> None:
    anywhere, here = create(), create(chainId=AMOY)
    for sponsorship in (anywhere, here):
        assert require_sponsorship(project, sponsorship["id"], AMOY) == row(project, sponsorship)


@cases(
    "members, ending, error",
    ({"chainId": BASE_SEPOLIA}, None, errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN),
    ({"strategy": charge(splTokens=[MINT])}, None, errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN),
    ({}, "PUT /disable", errors.FEE_SPONSORSHIP_DISABLED),
    ({}, "DELETE ", errors.FEE_SPONSORSHIP_NOT_FOUND),
)
def test_a_sponsorship_that_cannot_be_used_is_refused(
    api: Client,
    project: Project,
    create: Create,
    members: dict[str, Any],
    ending: str | None,
    error: ErrorRow,
) -> None:
    sponsorship = create(**members)
    if ending is not None:
        method, _, rest = ending.partition(" ")
        assert api.request(method, f"/v2/fee-sponsorship/{sponsorship['id']}{rest}").status_code == 200
    with pytest.raises(ApiError) as refused:
        require_sponsorship(project, sponsorship["id"], AMOY, "policy")
    assert (refused.value.row, refused.value.param) == (error, "policy")
