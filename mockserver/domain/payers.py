"""The paymasters and forwarder contracts that fee sponsorships name (specification, Fee sponsorship)."""

from mockserver import errors
from mockserver.domain.strategies import SponsorSchema
from mockserver.errors import Refusal, wrong_field
from mockserver.state.guardrails import FeeSponsorship
from mockserver.state.project import Project


def check_paymaster(
    project: Project, paymaster_id: str, schema: SponsorSchema, param: str = "paymaster"
) -> None:
    """A paymaster that is known, of a sponsor who pays for the user. Refused with 400 or 404."""
    if schema != "pay_for_user":
        raise wrong_field(param, f"is for pay_for_user, not for {schema}")
    if paymaster_id not in project.guardrails.paymasters:
        raise Refusal(errors.PAYMASTER_NOT_FOUND, param=param, id=paymaster_id[:80])


def check_forwarder_contract(
    project: Project, forwarder_id: str, chain_id: int | None, param: str = "forwarderContractId"
) -> None:
    """A forwarder contract that is known and on the sponsorship's chain. Refused with 400 or 404."""
    forwarder = project.guardrails.forwarder_contracts.get(forwarder_id)
    if forwarder is None:
        raise Refusal(errors.FORWARDER_CONTRACT_NOT_FOUND, param=param, id=forwarder_id[:80])
    if chain_id not in (None, forwarder.chain_id):
        raise wrong_field(param, f"is on chain {forwarder.chain_id}, not on {chain_id}")


def check_changed_payers(
    project: Project, before: FeeSponsorship, after: FeeSponsorship, param: str = "forwarderContractId"
) -> None:
    """What a changed sponsorship names must still fit it. Refused with 400 or 404."""
    schema = after.strategy.sponsor_schema
    if after.paymaster_id is not None and after.paymaster_id != before.paymaster_id:
        check_paymaster(project, after.paymaster_id, schema)
    elif after.paymaster_id is not None and schema not in ("pay_for_user", before.strategy.sponsor_schema):
        raise wrong_field(
            "strategy.sponsorSchema", f"must be pay_for_user: the sponsorship has {before.paymaster_id}"
        )
    forwarder = after.forwarder_contract_id
    if forwarder is None:
        return
    if forwarder != before.forwarder_contract_id:
        check_forwarder_contract(project, forwarder, after.chain_id, param)
    elif after.chain_id != before.chain_id and forwarder in project.guardrails.forwarder_contracts:
        check_forwarder_contract(project, forwarder, after.chain_id, "chainId")
