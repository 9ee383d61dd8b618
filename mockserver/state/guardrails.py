"""Policies, fee sponsorships and what belongs to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from mockserver.kernel.retention import Retention
from mockserver.state.tables import Tables, table

Scope = Literal["project", "account", "transaction"]
GasRuleKind = Literal[
    "contract_functions", "account_functions", "gas_per_transaction", "gas_per_interval", "count_per_interval"
]
IntervalType = Literal["minute", "hour", "day", "week", "month"]

PROJECT_WIDE = "project"
"""The index value of policies of scope project, in place of an account id."""
EVERY_ACCOUNT = "account"
"""The index value of policies of scope account that name no account."""


class PolicyRule(NamedTuple):
    """One rule of a policy: all of its criteria must match."""

    id: str
    created_ms: int
    action: Literal["accept", "reject"]
    operation: str
    criteria: tuple[Mapping[str, Any], ...] = ()


class Policy(NamedTuple):
    """A v2 policy (`ply_`): rules in order, the first that matches decides."""

    id: str
    created_ms: int
    scope: Scope
    description: str | None
    account_id: str | None
    enabled: bool
    priority: int
    rules: tuple[PolicyRule, ...]
    deleted: bool = False

    @property
    def in_force_for(self) -> frozenset[tuple[str, str]] | None:
        """The index values: each operation that a rule is about, with what it is in force for.

        That is the project, an account or all, or for scope transaction the policy's own id.
        """
        if self.deleted or not self.enabled:
            return None
        if self.scope == "project":
            bound = PROJECT_WIDE
        else:
            bound = self.account_id or EVERY_ACCOUNT if self.scope == "account" else self.id
        return frozenset((bound, rule.operation) for rule in self.rules)


@dataclass(frozen=True, slots=True)
class CriterionTrace:
    """A criterion: the value it observed, whether it matched, and why."""

    type: str
    operator: str
    matched: bool
    observed: object
    reason: str


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """A rule; `matched` is null if it is about another operation.

    `skipped_reason` says why it could not decide, whether or not it matched; null if it could.
    """

    id: str
    operation: str
    action: Literal["accept", "reject"]
    matched: bool | None
    criteria: tuple[CriterionTrace, ...]
    skipped_reason: str | None


@dataclass(frozen=True, slots=True)
class PolicyTrace:
    """A policy. `skipped_reason` says why it was not evaluated; null if it was."""

    id: str
    scope: Scope
    priority: int
    rules: tuple[RuleTrace, ...]
    skipped_reason: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an operation is allowed, which rule decided (null: none), and every policy in order.

    The control API answers it as it is.
    """

    allowed: bool
    reason: str
    policy_id: str | None
    rule_id: str | None
    policies: tuple[PolicyTrace, ...]


class AcceptedToken(NamedTuple):
    """An ERC-20 the user may pay gas with: at a static rate, or at a dynamic one (None).

    `contract` is an address, or the id of a registered contract.
    """

    contract: str
    amount: str | None = None


class Strategy(NamedTuple):
    """The payer of gas, and the accepted tokens."""

    sponsor_schema: Literal["pay_for_user", "charge_custom_tokens", "fixed_rate"]
    tokens: tuple[AcceptedToken, ...] = ()
    spl_tokens: tuple[str, ...] = ()
    depositor: str | None = None


class FeeSponsorship(NamedTuple):
    """A fee sponsorship (`pol_`); the older API shows the row as a gas policy."""

    id: str
    created_ms: int
    name: str | None
    chain_id: int | None
    enabled: bool
    strategy: Strategy
    policy_id: str | None
    paymaster_id: str | None = None
    forwarder_contract_id: str | None = None
    description: str | None = None
    deleted: bool = False

    @property
    def is_known_to_older_api(self) -> bool:
        """Whether the older API can express it as a gas policy: one chain, and no dynamic rate."""
        tokens, paid_back = self.strategy.tokens, self.strategy.sponsor_schema != "pay_for_user"
        return self.chain_id is not None and (
            not paid_back or (bool(tokens) and tokens[0].amount is not None)
        )


class Paymaster(NamedTuple):
    """A paymaster of the developer's own (`pay_`), which fee sponsorships may reference."""

    id: str
    created_ms: int
    address: str
    url: str | None = None
    context: Mapping[str, Any] | None = None
    """Additional data for the paymaster."""


class ForwarderContract(NamedTuple):
    """A forwarder contract on a chain (`cfo_`), which fee sponsorships may reference."""

    id: str
    created_ms: int
    address: str
    chain_id: int
    name: str | None = None


class GasRule(NamedTuple):
    """A rule of a gas policy (`afu_`): the calls that the sponsorship pays for, or a limit."""

    id: str
    created_ms: int
    sponsorship_id: str
    kind: GasRuleKind
    contract_id: str | None = None
    """The contract of the function; None for every contract."""
    function_name: str | None = None
    """The function, by name or signature; None for every one."""
    gas_limit_wei: int | None = None
    count_limit: int | None = None
    interval_type: IntervalType | None = None
    interval_count: int | None = None
    """The length of the interval in minutes, hours, days, weeks or months."""


class SponsorAccount(NamedTuple):
    """The accounting of a fee sponsorship, in wei of any chain. The id is the sponsorship's."""

    id: str
    budget_wei: int | None = None
    """The total budget; None for no limit."""
    spent_wei: int = 0
    reserved_wei: int = 0
    """The reservations of pending transactions."""
    transactions: int = 0

    @property
    def remaining_wei(self) -> int | None:
        """The unspent budget; None for no limit."""
        return None if self.budget_wei is None else self.budget_wei - self.spent_wei - self.reserved_wei


class CollectedTokens(NamedTuple):
    """The balance of an ERC-20 in which accounts reimbursed a fee sponsorship.

    The id is `pol_:chain:token`.
    """

    id: str
    sponsorship_id: str
    chain_id: int
    token: str
    amount: int


def _tokens(row: FeeSponsorship) -> frozenset[str]:
    return frozenset(token.contract for token in row.strategy.tokens)


class Guardrails(Tables):
    """The tables of this module. Deleted rows stay; lists hide them by default."""

    policies = table(
        Policy,
        "deleted",
        "scope",
        "enabled",
        "account_id",
        "in_force_for",
        retention=Retention("policies", "deleted_kept", lambda row: row.deleted or None),
    )
    fee_sponsorships = table(
        FeeSponsorship,
        "deleted",
        "chain_id",
        "enabled",
        "policy_id",
        token=_tokens,
        retention=Retention("fee sponsorships", "deleted_kept", lambda row: row.deleted or None),
    )
    gas_rules = table(GasRule, "sponsorship_id")
    sponsor_accounts = table(SponsorAccount)
    collected_tokens = table(CollectedTokens, "sponsorship_id")
    paymasters = table(Paymaster)
    forwarder_contracts = table(ForwarderContract)

    def is_in_use(self, row_id: str) -> bool:
        """Whether a fee sponsorship names this policy or the token of this contract, or is this one and pays.

        It pays for transactions that are sent, which have their part of its budget reserved.
        """
        account = self.sponsor_accounts.get(row_id)
        if account is not None and account.reserved_wei:
            return True
        return any(self.fee_sponsorships.first(index, row_id) for index in ("policy_id", "token"))

    def remove_parts(self, row_id: str) -> None:
        """Remove what is of a fee sponsorship alone: its rules, its account and what it collected."""
        for rule in self.gas_rules.find("sponsorship_id", row_id):
            self.gas_rules.remove(rule.id)
        for held in self.collected_tokens.find("sponsorship_id", row_id):
            self.collected_tokens.remove(held.id)
        if row_id in self.sponsor_accounts:
            self.sponsor_accounts.remove(row_id)
