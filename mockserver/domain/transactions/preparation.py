"""From a request to an execution that is not signed yet: its calls, policies, its payer, gas and funds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver import errors
from mockserver.chain.authorizations import Authorization
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.secp256k1 import BadSignature, Signature
from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import deposit_of
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.chains.networks import (
    PLAIN_GAS,
    fees_of,
    format_fee_usd,
    gas_to_reserve,
    gas_used,
    require_chain,
    reservation_for,
)
from mockserver.domain.policies.criteria import Effort
from mockserver.domain.policies.evaluation import as_sent, evaluate, facts_of_calls, policies_in_force
from mockserver.domain.sponsorship.gas_rules import Candidate, apply_rules
from mockserver.domain.sponsorship.sponsor_accounts import sponsor_account
from mockserver.domain.sponsorship.sponsors import (
    Sponsor,
    find_sponsor,
    require_sponsorship,
    sponsor_decision,
    token_fee,
)
from mockserver.domain.transactions.bundles import is_executed
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.smart_accounts import Sender, build_smart_execution
from mockserver.domain.wallets.outcomes import measure_gas
from mockserver.domain.wallets.selectors import V1, V2, Fields
from mockserver.errors import ApiError, wrong_field
from mockserver.leniencies import Accept, refuse
from mockserver.state.chains import ChainAccount, Execution, PlainExecution, UserOperationExecution
from mockserver.state.guardrails import Decision, FeeSponsorship
from mockserver.state.onchain import CallRecord, Estimate, Reservation, Sponsoring, TransactionError
from mockserver.state.project import Project
from mockserver.state.wallets import Account

OPERATION = "sendEvmTransaction"
"""The policy operation of every transaction."""
_EVERY_CHAIN = 0
"""The chain of a delegation that is for all of them (EIP-7702)."""


class Prepared(NamedTuple):
    """A validated request."""

    account: Account
    chain_id: int
    calls: tuple[CallRecord, ...]
    sponsorship_id: str | None = None
    """The requested sponsorship if it pays or makes the transaction fail; None when the account pays."""
    sponsor: Sponsor | None = None
    sponsoring: Sponsoring | None = None
    sending: tuple[Decision, ...] = ()
    """The decisions of policies about sending each call."""
    error: TransactionError | None = None
    """The error if a policy makes the transaction fail at once."""
    authorization: bytes | None = None
    """The account's signed delegation (EIP-7702): r, s and v."""


class Draft(NamedTuple):
    """An execution that is not signed yet, with what was found out to build it."""

    execution: Execution
    sender: Sender
    reservation: Reservation
    """The most that it can cost, and its payer."""


# --- the request ---------------------------------------------------------------------------------------


def prepare(
    project: Project,
    account: Account,
    chain_id: int,
    requested: Sequence[Mapping[str, Any]],
    *,
    sponsorship_id: str | None = None,
    token: str | None = None,
    authorization: str | None = None,
    fields: Fields = V2,
    accept: Accept = refuse,
) -> Prepared:
    """Validate a request against the project; see `resolve_calls`. ApiError with 400, 404 or 409."""
    require_chain(project, chain_id)
    if account.disabled:
        raise ApiError(errors.ACCOUNT_DISABLED, param=fields.account, id=account.id)
    if account.smart_account is not None and account.chain_id != chain_id:
        raise wrong_field("chainId", f"the account is on chain {account.chain_id}; switch its chain first")
    if token is not None and sponsorship_id is None:
        raise wrong_field("feeSponsorshipToken", f"a token needs a {fields.sponsorship} that accepts it")
    calls = resolve_calls(project, chain_id, requested, fields.calls, fields.contract, accept)
    if account.smart_account is None and len(calls) > 1:
        raise wrong_field(fields.calls, "an externally owned account makes one call in a transaction")
    if ledger.is_run(project, chain_id, *(call.to for call in calls)):
        calls = measure_gas(project, chain_id, account.address, calls, project.settings.contract_gas_limit)
    prepared = Prepared(account, chain_id, calls)
    if authorization is not None:
        raw = bytes.fromhex(authorization[2:])
        _require_authorization(project, account, chain_id, raw, fields.authorization)
        prepared = prepared._replace(authorization=raw)
    if sponsorship_id is None:
        return _evaluate_policies(project, prepared, [])
    sponsorship = require_sponsorship(project, sponsorship_id, chain_id, fields.sponsorship)
    if account.smart_account is None:
        raise wrong_field(fields.sponsorship, "gas is sponsored for smart and delegated accounts only")
    prepared = _evaluate_policies(project, prepared, [sponsorship.policy_id] if sponsorship.policy_id else [])
    return _apply_sponsorship(project, prepared, sponsorship, token)


def prepare_own_call(
    project: Project, account: Account, chain_id: int, sponsor_id: str | None, function: str, *args: object
) -> Prepared:
    """Validate a call that an account makes of its own contract. ApiError as of `prepare`."""
    call = {"to": account.address, "functionName": function, "functionArgs": list(args)}
    return prepare(project, account, chain_id, [call], sponsorship_id=sponsor_id, fields=V1)


def _apply_sponsorship(
    project: Project, prepared: Prepared, sponsorship: FeeSponsorship, token: str | None
) -> Prepared:
    """Decide whether a sponsorship pays for a transaction, by its policy and its rules, and in what."""
    account, chain_id, calls = prepared.account, prepared.chain_id, prepared.calls
    asked = sponsor_decision(project, sponsorship, account.id, chain_id, calls)
    candidate = Candidate(
        account,
        chain_id,
        calls,
        lambda sponsor: draft(project, account, chain_id, calls, sponsor).reservation,
    )
    decision = apply_rules(project, sponsorship, asked, candidate)
    sponsor = find_sponsor(project, sponsorship, chain_id, decision, token)
    prepared = prepared._replace(
        sponsoring=Sponsoring(sponsorship.id, decision.pays, decision.reason, decision.calls)
    )
    if decision.failed:
        error = prepared.error or TransactionError(decision.reason)
        return prepared._replace(sponsorship_id=sponsorship.id, error=error)
    return prepared if sponsor is None else prepared._replace(sponsorship_id=sponsorship.id, sponsor=sponsor)


def _evaluate_policies(project: Project, prepared: Prepared, passed: Sequence[str]) -> Prepared:
    """Evaluate the policies for sending each call, including the passed ones of scope transaction.

    A transaction with a call that they do not allow fails at once.
    """
    # Most projects have no policy, and then nothing of this is worth a look.
    policies = project.guardrails.policies
    asked = policies_in_force(project, OPERATION, prepared.account.id, passed) if len(policies) else []
    if not asked:
        return prepared
    sending: list[Decision] = []
    effort = Effort()
    all_facts = facts_of_calls(project, prepared.chain_id, prepared.account.id, prepared.calls)
    for number, facts in enumerate(all_facts):
        decision = as_sent(evaluate(asked, OPERATION, facts, effort))
        sending.append(decision)
        if not decision.allowed:
            error = TransactionError(f"calls[{number}]: {decision.reason}")
            return prepared._replace(sending=tuple(sending), error=error)
    return prepared._replace(sending=tuple(sending))


# --- the execution -------------------------------------------------------------------------------------


def draft(
    project: Project,
    account: Account,
    chain_id: int,
    calls: Sequence[CallRecord],
    sponsor: Sponsor | None = None,
) -> Draft:
    """The execution of calls as it would be built now, without checking funds."""
    here = ledger.chain_account(project, chain_id, account.address)
    sender = Sender(account, chain_id, here, fees_of(project, chain_id))
    execution: Execution
    if account.smart_account is None:
        execution = _plain(sender, calls[0])
    else:
        execution = build_smart_execution(project, sender, calls, sponsor)
    return Draft(execution, sender, reservation_for(project, chain_id, execution, calls))


def build(project: Project, prepared: Prepared) -> Draft:
    """Build the execution of a request. Failure if the payer lacks the funds."""
    built = draft(project, prepared.account, prepared.chain_id, prepared.calls, prepared.sponsor)
    sponsorship_id = prepared.sponsor and prepared.sponsor.sponsorship_id
    require_funds(
        project, prepared.chain_id, built.execution, built.reservation, built.sender.here, sponsorship_id
    )
    return built


def _plain(sender: Sender, call: CallRecord) -> PlainExecution:
    used = PLAIN_GAS + gas_to_reserve(call)
    return PlainExecution(
        sender=sender.account.address,
        transaction=FeeMarketTransaction(
            chain_id=sender.chain_id,
            nonce=sender.here.nonce,
            max_priority_fee_per_gas=sender.fees.priority_fee,
            max_fee_per_gas=sender.fees.max_fee,
            gas=used if used == PLAIN_GAS else used * 6 // 5,
            to=call.to,
            value=call.value,
            data=call.data,
        ),
    )


def require_funds(
    project: Project,
    chain_id: int,
    execution: Execution,
    reservation: Reservation,
    here: ChainAccount,
    sponsorship_id: str | None,
) -> None:
    """Failure unless sender, paymaster and budget cover their parts, besides other reservations.

    `here` is the sender on the chain.
    """
    # A sponsored account pays only the value of its calls; gas comes from the paymaster's deposit, and counts
    # against the sponsorship's budget as well.
    own, deposited = reservation.own_part, 0
    if isinstance(execution, UserOperationExecution):
        entry_point = ENTRY_POINTS[execution.entry_point_version]
        deposited = deposit_of(project, chain_id, entry_point, reservation.payer)
        if is_executed(execution, project, chain_id):
            # What its calls cannot move reverts them, and is no reason to refuse it.
            own -= reservation.value
    prepaid = min(deposited, reservation.gas) if deposited and not reservation.is_sponsored else 0
    if own + here.reserved > here.balance + prepaid:
        if isinstance(execution, UserOperationExecution) and not reservation.is_sponsored:
            raise Failure(funding_error(execution, "AA21"))
        shortage = f"balance {here.balance}, tx cost {own}, reserved by pending transactions {here.reserved}"
        raise Failure(TransactionError(f"insufficient funds for gas * price + value: {shortage}"))
    if not reservation.is_sponsored:
        return
    deposit = ledger.paymaster_account(project, chain_id, reservation.payer)
    left = None if sponsorship_id is None else sponsor_account(project, sponsorship_id).remaining_wei
    available = deposit.balance + deposited - deposit.reserved
    if reservation.gas > available or (left is not None and reservation.gas > left):
        raise Failure(funding_error(execution, "AA31"))


def estimate(project: Project, prepared: Prepared) -> Estimate:
    """Estimate the cost of a transaction without creating it."""
    chain_id, calls, sponsor = prepared.chain_id, prepared.calls, prepared.sponsor
    built = draft(project, prepared.account, chain_id, calls, sponsor)
    used, price = gas_used(built.execution, calls), built.sender.fees.price
    fee = used * price + (built.reservation.l1_fee or 0)
    charge = sponsor.charge if sponsor else None
    return Estimate(
        gas=used,
        fee=fee,
        price=price,
        fee_usd=format_fee_usd(project, chain_id, fee),
        token_fee=None if charge is None else token_fee(project, chain_id, charge, fee),
    )


def _require_authorization(project: Project, account: Account, chain_id: int, raw: bytes, param: str) -> None:
    """ApiError unless this is the account's signed delegation to its implementation.

    The account's key must have signed the implementation's address and the account's next nonce, for
    the chain or for every chain. ApiError with 400 for an account that does not delegate, with 409 for
    any other signature.
    """
    smart = account.smart_account
    if smart is None or account.account_type != "Delegated Account":
        raise wrong_field(param, "only a Delegated Account delegates")
    nonce = ledger.chain_account(project, chain_id, account.address).nonce
    try:
        signature = Signature.from_bytes(raw)
        signers = [
            Authorization(chain, smart.implementation_address, nonce, signature).authority
            for chain in (chain_id, _EVERY_CHAIN)
        ]
    except BadSignature as error:
        raise ApiError(errors.INVALID_AUTHORIZATION, param=param, reason=f"{error}.") from None
    if account.address not in signers:
        reason = (
            f"{account.address} has to sign the delegation to {smart.implementation_address} on chain "
            f"{chain_id} with the nonce {nonce}."
        )
        raise ApiError(errors.INVALID_AUTHORIZATION, param=param, reason=reason)
