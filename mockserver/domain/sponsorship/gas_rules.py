"""The rules of a gas policy, which restrict what it pays for (specification, Older endpoints and Limits).

Rules about contract functions and account functions form an allowlist of calls; without any, every call
is allowed. Limits apply in addition. A limit counts a pending transaction with its reservation and a
mined one with its fee; a failed one does not count. An interval is a sliding window: the last hour, the
last three days.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.chain.abi.functions import AbiError, Function, find_function, parse_function
from mockserver.domain.chains.contracts import contracts_at
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.sponsorship.months import EPOCH_MONTH, month_of, month_start_s
from mockserver.domain.sponsorship.sponsors import Sponsor, SponsorDecision, find_sponsor
from mockserver.state.guardrails import FeeSponsorship, GasRule
from mockserver.state.onchain import CallRecord, Reservation, Transaction
from mockserver.state.project import Project
from mockserver.state.wallets import Account

ALL_FUNCTIONS = "All functions"
"""The wildcard: every function of a contract."""

_NAMING = ("contract_functions", "account_functions")
_UNITS_MS: dict[object, int] = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000}
_PAGE = 100


class Candidate(NamedTuple):
    """A transaction whose gas is to be sponsored."""

    account: Account
    chain_id: int
    calls: Sequence[CallRecord]
    reserve: Callable[[Sponsor | None], Reservation]
    """The reservation with this sponsor, if it were built now."""


def apply_rules(
    project: Project, sponsorship: FeeSponsorship, decision: SponsorDecision, candidate: Candidate
) -> SponsorDecision:
    """Apply the sponsorship's rules to a decision to pay for a transaction.

    If a rule is violated the account pays itself, or the transaction fails if the linked policy has the
    scope transaction: the same as when that policy does not accept.
    """
    rules = project.guardrails.gas_rules.find("sponsorship_id", sponsorship.id)
    if not decision.pays or not rules:
        return decision
    why = _reason_not_covered(project, rules, candidate)
    if why is None:
        sponsor = find_sponsor(project, sponsorship, candidate.chain_id, decision)
        why = _reason_over_limits(project, rules, candidate, sponsor)
    if why is None:
        kept = f"The rules of the gas policy {sponsorship.id} let it pay."
        return decision._replace(reason=kept) if sponsorship.policy_id is None else decision
    policy = project.guardrails.policies.get(sponsorship.policy_id)
    failed = policy is not None and policy.scope == "transaction"
    return decision._replace(pays=False, failed=failed, reason=why)


# --- what is called ------------------------------------------------------------------------------------


def find_functions(abi: Sequence[Mapping[str, Any]], name: str) -> list[Function]:
    """The functions with a name or a signature. AbiError when the ABI has none.

    Without an ABI a signature is parsed, and a name gives no functions.
    """
    if "(" in name:
        return [find_function(abi, name, None)]
    known = [entry for entry in abi if entry.get("type", "function") == "function"]
    found = [parse_function(entry) for entry in known if entry.get("name") == name]
    return found if found or not known else [find_function(abi, name, None)]


def _reason_not_covered(project: Project, rules: Sequence[GasRule], candidate: Candidate) -> str | None:
    """The reason if some call is in no rule, else None."""
    naming = [rule for rule in rules if rule.kind in _NAMING]
    if not naming:
        return None
    for number, call in enumerate(candidate.calls):
        if not any(_is_covered(project, rule, candidate, call) for rule in naming):
            what = call.requested.get("functionName") or ("0x" + call.data[:4].hex() if call.data else None)
            called = f"{what} of {call.to}" if what else f"a transfer to {call.to}"
            return f"calls[{number}]: no rule of the gas policy {naming[0].sponsorship_id} names {called}."
    return None


def _is_covered(project: Project, rule: GasRule, candidate: Candidate, call: CallRecord) -> bool:
    """Whether a rule allows a call.

    Calls of the account itself and plain transfers are account functions, which a rule about contract
    functions never allows, even one for every contract.
    """
    own = call.to.lower() == candidate.account.address.lower() or not call.data
    if own or rule.kind == "account_functions":
        return own and rule.kind == "account_functions"
    there = contracts_at(project, candidate.chain_id, call.to)
    if rule.contract_id is not None:
        there = [row for row in there if row.id == rule.contract_id]
        if not there:
            return False
    if rule.function_name in (None, ALL_FUNCTIONS):
        return True
    return any(_is_called(abi, rule.function_name, call) for abi in [row.abi for row in there] or [()])


def _is_called(abi: Sequence[Mapping[str, Any]], name: str, call: CallRecord) -> bool:
    """Whether a call calls this function: by selector, or by name if there is no ABI."""
    try:
        if any(function.selector == call.data[:4] for function in find_functions(abi, name)):
            return True
    except AbiError:
        return False
    requested = str(call.requested.get("functionName", ""))
    return not abi and name == requested.partition("(")[0]


# --- how much ------------------------------------------------------------------------------------------


def _reason_over_limits(
    project: Project, rules: Sequence[GasRule], candidate: Candidate, sponsor: Sponsor | None
) -> str | None:
    """The reason if a limit would be exceeded, else None."""
    limits = [rule for rule in rules if rule.kind not in _NAMING]
    if not limits:
        return None
    most = candidate.reserve(sponsor).gas
    for rule in limits:
        why = _reason_over_limit(project, rule, most)
        if why is not None:
            return f"The rule {rule.id} ({rule.kind}) {why}."
    return None


def _reason_over_limit(project: Project, rule: GasRule, most: int) -> str | None:
    limit = rule.gas_limit_wei or 0
    if rule.kind == "gas_per_transaction":
        if most <= limit:
            return None
        return f"pays {limit} wei for a transaction, and this one may take {most}"
    taken_on = list(_transactions_in_interval(project, rule))
    interval = f"{rule.interval_count} {rule.interval_type}"
    if rule.kind == "count_per_interval":
        if len(taken_on) < (rule.count_limit or 0):
            return None
        return f"pays for {rule.count_limit} transactions in {interval}, and there were {len(taken_on)}"
    taken = sum(_wei_of(project, row) for row in taken_on)
    if taken + most <= limit:
        return None
    return f"pays {limit} wei in {interval}; {taken} are taken, and this transaction may take {most}"


def _wei_of(project: Project, row: Transaction) -> int:
    """The fee of a mined transaction, or the gas reservation of a pending one."""
    if row.receipt is not None:
        return row.receipt.payment.wei if row.receipt.payment else 0
    if row.reservation is not None:
        return row.reservation.gas
    if row.execution is None:
        return 0
    return reservation_for(project, row.chain_id, row.execution, row.calls).gas


def _transactions_in_interval(project: Project, rule: GasRule) -> Iterator[Transaction]:
    """The transactions that the sponsorship agreed to pay for in the interval that ends now, newest first."""
    # Newest first and page by page, so that the cost depends on the interval and not on the whole history.
    start_ms = _interval_start_ms(rule, project.clock.now_ms)
    transactions = project.onchain.transactions
    skip = 0
    while True:
        page = transactions.page(skip=skip, limit=_PAGE, where={"fee_sponsorship_id": rule.sponsorship_id})
        for row in page.rows:
            if row.created_ms <= start_ms:
                return
            if row.status != "failed" and row.purpose != "withdraw_tokens":
                yield row
        skip += _PAGE
        if skip >= page.total:
            return


def _interval_start_ms(rule: GasRule, now_ms: int) -> int:
    count, unit = rule.interval_count, _UNITS_MS.get(rule.interval_type)
    assert count is not None
    return _months_before(now_ms, count) if unit is None else now_ms - count * unit


def _months_before(now_ms: int, count: int) -> int:
    """The same day and time some months before, or the last day of a shorter month."""
    month = month_of(now_ms // 1000)
    if month - count < EPOCH_MONTH:
        return 0
    since_ms = now_ms - month_start_s(month) * 1000
    # A month before March 31 is the end of February: calendar months, not 30 days.
    first_s, end_s = month_start_s(month - count), month_start_s(month - count + 1)
    return min(first_s * 1000 + since_ms, end_s * 1000)
