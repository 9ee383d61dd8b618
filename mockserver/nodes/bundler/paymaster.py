"""The paymaster of a chain (ERC-7677): sponsored user operations."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.user_operations import UserOperation
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.sponsorship.gas_rules import Candidate, apply_rules
from mockserver.domain.sponsorship.sponsors import (
    SPONSORSHIP_ERRORS,
    Sponsor,
    find_sponsor,
    first_sponsorship,
    require_sponsorship,
    sponsor_decision,
)
from mockserver.errors import RpcError
from mockserver.nodes.bundler.bundling import estimate_user_operation
from mockserver.nodes.bundler.operations import (
    UserOperationObject,
    calls_of,
    hash_of,
    read_operation,
    read_version,
)
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.evm.chain import BundlerMethods, Chain
from mockserver.nodes.values import Address, Quantity, to_hex
from mockserver.state.chains import UserOperationExecution
from mockserver.state.wallets import Account

methods = BundlerMethods()

_ERRORS = (*SPONSORSHIP_ERRORS, errors.RPC_REFUSED_BY_PAYMASTER)
_NAMES = ("policyId", "policy", "feeSponsorshipId", "sponsorshipPolicyId")


class PaymasterContext(TypedDict, total=False):
    """Which sponsorship is to pay, by the names that clients have for it, and in which token."""

    policyId: str
    policy: str
    feeSponsorshipId: str
    sponsorshipPolicyId: str
    token: str


@methods.method("pm_getPaymasterStubData", errors=_ERRORS)
def get_stub_data(
    chain: Chain,
    operation: UserOperationObject,
    entryPoint: Address,
    chainId: Quantity,
    context: PaymasterContext = {},
) -> dict[str, Any]:
    """Retrieve a paymaster's data to estimate with, as long as the final one."""
    return _sponsor(chain, operation, entryPoint, chainId, context, is_final=False)


@methods.method("pm_getPaymasterData", errors=_ERRORS)
def get_paymaster_data(
    chain: Chain,
    operation: UserOperationObject,
    entryPoint: Address,
    chainId: Quantity,
    context: PaymasterContext = {},
) -> dict[str, Any]:
    """Retrieve the approval of the paymaster, for an hour, if a fee sponsorship pays for the operation."""
    return _sponsor(chain, operation, entryPoint, chainId, context, is_final=True)


@methods.method("pm_sponsorUserOperation", errors=_ERRORS)
def sponsor_user_operation(
    chain: Chain, operation: UserOperationObject, entryPoint: Address, context: PaymasterContext = {}
) -> dict[str, Any]:
    """Estimate a user operation and retrieve the approval of the paymaster, in one."""
    stub: Any = _sponsor(chain, operation, entryPoint, chain.id, context, is_final=False)
    limits = estimate_user_operation(chain, operation, entryPoint)
    limits = {name: value for name, value in limits.items() if not name.startswith("paymaster")}
    gas: Any = {name: int(value, 16) for name, value in limits.items()}
    numbers = ("paymasterVerificationGasLimit", "paymasterPostOpGasLimit")
    gas |= {name: int(stub[name], 16) for name in numbers if name in stub}
    final = _sponsor(chain, {**operation, **gas}, entryPoint, chain.id, context, is_final=True)
    return {**stub, **limits, **final}


def _sponsor(
    chain: Chain,
    given: UserOperationObject,
    entry_point: str,
    chain_id: int,
    context: PaymasterContext,
    *,
    is_final: bool,
) -> dict[str, Any]:
    if chain_id != chain.id:
        raise invalid(f"invalid argument 2: chainId: {chain_id} is not this chain, {chain.id}")
    version = read_version(entry_point)
    operation = read_operation(chain, given, version)
    sponsor = _find_sponsor(chain, operation, version, context)
    # What its hash cannot be made of is refused here, with the field.
    hash_of(operation, version, chain.id)
    approved = paymasters.approve(chain.project, sponsor, operation, version, chain.id, is_named=True)
    data = approved.paymaster_data
    if version == "0.6":
        shown: dict[str, Any] = {"paymasterAndData": (approved.paymaster or "") + data.hex()}
    else:
        shown = {"paymaster": approved.paymaster, "paymasterData": to_hex(data)}
        if not is_final:
            shown["paymasterVerificationGasLimit"] = hex(approved.paymaster_verification_gas_limit)
            shown["paymasterPostOpGasLimit"] = hex(approved.paymaster_post_op_gas_limit)
    if not is_final:
        sponsorship = chain.project.guardrails.fee_sponsorships[sponsor.sponsorship_id]
        shown |= {"isFinal": False, "sponsor": {"name": sponsorship.name or "mockserver"}}
    return shown


def _find_sponsor(
    chain: Chain, operation: UserOperation, version: str, context: Mapping[str, Any]
) -> Sponsor:
    """The sponsorship that the context names, or the first of the chain. RpcError if it does not pay."""
    project = chain.project
    named = next((context[name] for name in _NAMES if name in context), None)
    if named is None:
        first = first_sponsorship(project, chain.id)
        if first is None:
            reason = "no fee sponsorship is enabled on this chain: create one, or name it in the context"
            raise RpcError(errors.RPC_REFUSED_BY_PAYMASTER, reason=reason)
        named = first.id
    sponsorship = require_sponsorship(project, named, chain.id, "context.policyId")
    calls = calls_of(operation)
    account = project.wallets.accounts.first("address", operation.sender.lower())
    if account is None:
        # One that is none of the project's.
        account = Account("", "", "Smart Account", "EVM", operation.sender, "User", 0, 0)
    decision = sponsor_decision(project, sponsorship, account.id, chain.id, calls)
    execution = UserOperationExecution(version, operation, b"")
    reservation = reservation_for(project, chain.id, execution, calls)
    candidate = Candidate(account, chain.id, calls, lambda _: reservation)
    decision = apply_rules(project, sponsorship, decision, candidate)
    sponsor = find_sponsor(project, sponsorship, chain.id, decision, context.get("token"))
    if sponsor is None:
        raise RpcError(errors.RPC_REFUSED_BY_PAYMASTER, reason=decision.reason)
    return sponsor
