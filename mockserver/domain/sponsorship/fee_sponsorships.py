"""Creating, changing and deleting fee sponsorships, for both versions of the API."""

from collections.abc import Sequence

from mockserver import errors
from mockserver.domain.chains.networks import require_chain
from mockserver.domain.policies.evaluation import find_policy
from mockserver.domain.sponsorship.strategies import check_tokens
from mockserver.errors import wrong_field
from mockserver.state.existence import require, require_kept
from mockserver.state.guardrails import FeeSponsorship
from mockserver.state.project import Project


def find_sponsorship(project: Project, sponsorship_id: str, param: str | None = None) -> FeeSponsorship:
    """The sponsorship with this id, unless it is deleted. ApiError with 404."""
    rows = project.guardrails.fee_sponsorships
    return require_kept(rows, sponsorship_id, errors.FEE_SPONSORSHIP_NOT_FOUND, param)


def find_any_sponsorship(project: Project, sponsorship_id: str, param: str | None = None) -> FeeSponsorship:
    """The sponsorship with this id, also when it is deleted. ApiError with 404."""
    rows = project.guardrails.fee_sponsorships
    return require(rows, sponsorship_id, errors.FEE_SPONSORSHIP_NOT_FOUND, param)


def find_gas_policy(project: Project, policy_id: str) -> FeeSponsorship:
    """The sponsorship with this id, also when it is deleted, if it is a gas policy. ApiError with 404."""
    rows = project.guardrails.fee_sponsorships
    return require(
        rows, policy_id, errors.FEE_SPONSORSHIP_NOT_FOUND, accept=lambda row: row.is_known_to_older_api
    )


def add(
    project: Project, row: FeeSponsorship, token_paths: Sequence[str], forwarder_param: str
) -> FeeSponsorship:
    """Store a new sponsorship. ApiError with 400 or 404 when what it names is unknown or does not fit.

    `token_paths` are the request paths of the tokens, `forwarder_param` that of the forwarder contract.
    """
    if row.chain_id is not None:
        require_chain(project, row.chain_id)
    check_tokens(project, row.strategy, row.chain_id, token_paths)
    if row.policy_id is not None:
        find_policy(project, row.policy_id, "policyId")
    if row.paymaster_id is not None:
        _check_paymaster(project, row.paymaster_id, row)
    if row.forwarder_contract_id is not None:
        _check_forwarder_contract(project, row.forwarder_contract_id, row.chain_id, forwarder_param)
    return project.guardrails.fee_sponsorships.insert(row)


def change(
    project: Project,
    before: FeeSponsorship,
    after: FeeSponsorship,
    token_paths: Sequence[str],
    forwarder_param: str,
    policy_id: str | None = None,
) -> FeeSponsorship:
    """Replace a sponsorship by its changed row. Errors as of `add`.

    `policy_id` is the new linked policy. Without one it stays the same, even if that was deleted.
    """
    if after.chain_id is not None and after.chain_id != before.chain_id:
        require_chain(project, after.chain_id)
    if (after.strategy, after.chain_id) != (before.strategy, before.chain_id):
        check_tokens(project, after.strategy, after.chain_id, token_paths)
    if policy_id is not None:
        find_policy(project, policy_id, "policyId")
        after = after._replace(policy_id=policy_id)
    _check_changed_payers(project, before, after, forwarder_param)
    return project.guardrails.fee_sponsorships.replace(after)


def set_enabled(project: Project, sponsorship_id: str, *, enabled: bool) -> FeeSponsorship:
    """Enable or disable a sponsorship. ApiError with 404."""
    row = find_sponsorship(project, sponsorship_id)
    return project.guardrails.fee_sponsorships.replace(row._replace(enabled=enabled))


def delete(project: Project, sponsorship_id: str) -> None:
    """Flag a sponsorship as deleted: it pays no longer, and only lists with `deleted` show it.

    ApiError with 404.
    """
    row = find_sponsorship(project, sponsorship_id)
    project.guardrails.fee_sponsorships.replace(row._replace(deleted=True))


def _check_paymaster(project: Project, paymaster_id: str, row: FeeSponsorship) -> None:
    """A paymaster must exist, and goes only with the schema `pay_for_user`."""
    schema = row.strategy.sponsor_schema
    if schema != "pay_for_user":
        raise wrong_field("paymaster", f"is for pay_for_user, not for {schema}")
    require(project.guardrails.paymasters, paymaster_id, errors.PAYMASTER_NOT_FOUND, "paymaster")


def _check_forwarder_contract(project: Project, forwarder_id: str, chain_id: int | None, param: str) -> None:
    """A forwarder contract must exist on the sponsorship's chain."""
    forwarders = project.guardrails.forwarder_contracts
    forwarder = require(forwarders, forwarder_id, errors.FORWARDER_CONTRACT_NOT_FOUND, param)
    if chain_id not in (None, forwarder.chain_id):
        raise wrong_field(param, f"is on chain {forwarder.chain_id}, not on {chain_id}")


def _check_changed_payers(
    project: Project, before: FeeSponsorship, after: FeeSponsorship, forwarder_param: str
) -> None:
    """New references must fit the sponsorship. Unchanged ones may name rows that were deleted."""
    schema = after.strategy.sponsor_schema
    if after.paymaster_id is not None and after.paymaster_id != before.paymaster_id:
        _check_paymaster(project, after.paymaster_id, after)
    elif after.paymaster_id is not None and schema not in ("pay_for_user", before.strategy.sponsor_schema):
        raise wrong_field(
            "strategy.sponsorSchema", f"must be pay_for_user: the sponsorship has {before.paymaster_id}"
        )
    forwarder = after.forwarder_contract_id
    if forwarder is None:
        return
    if forwarder != before.forwarder_contract_id:
        _check_forwarder_contract(project, forwarder, after.chain_id, forwarder_param)
    elif after.chain_id != before.chain_id and forwarder in project.guardrails.forwarder_contracts:
        _check_forwarder_contract(project, forwarder, after.chain_id, "chainId")
