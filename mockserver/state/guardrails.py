"""Policies and fee sponsorships: what may happen and who pays for it."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo

Scope = Literal["project", "account", "transaction"]
GasRuleKind = Literal[
    "contract_functions", "account_functions", "gas_per_transaction", "gas_per_interval", "count_per_interval"
]
IntervalType = Literal["minute", "hour", "day", "week", "month"]

PROJECT_WIDE = "project"
"""What a policy of scope project is in force for, in place of an id."""


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
    def in_force_for(self) -> str | None:
        """Whom the policy is asked for: the project, an account, or who passes its id; None for nobody."""
        if self.deleted or not self.enabled:
            return None
        if self.scope == "project":
            return PROJECT_WIDE
        return self.account_id if self.scope == "account" else self.id


class CriterionTrace(NamedTuple):
    """What a criterion saw, and how it decided."""

    type: str
    operator: str
    matched: bool
    observed: object
    reason: str


class RuleTrace(NamedTuple):
    """How a rule was looked at; `matched` is None for one that is about another operation.

    `skipped_reason` is why it decided nothing whatever it matched; None when it had a say.
    """

    rule_id: str
    operation: str
    action: Literal["accept", "reject"]
    matched: bool | None
    criteria: tuple[CriterionTrace, ...] = ()
    skipped_reason: str | None = None


class PolicyTrace(NamedTuple):
    """How a policy was looked at. `skipped_reason` is why it was not asked; None when it was."""

    policy_id: str
    scope: Scope
    priority: int
    rules: tuple[RuleTrace, ...]
    skipped_reason: str | None = None


class Decision(NamedTuple):
    """Whether an operation is allowed, by which rule (None: by none), and how that came about."""

    allowed: bool
    reason: str
    policy_id: str | None = None
    rule_id: str | None = None
    trace: tuple[PolicyTrace, ...] = ()


class AcceptedToken(NamedTuple):
    """An ERC-20 the user may pay gas with: at a static rate, or at a dynamic one (None).

    `contract` is an address, or the id of a registered contract.
    """

    contract: str
    amount: str | None = None


class Strategy(NamedTuple):
    """Who pays for gas, and in what."""

    sponsor_schema: Literal["pay_for_user", "charge_custom_tokens", "fixed_rate"]
    tokens: tuple[AcceptedToken, ...] = ()
    spl_tokens: tuple[str, ...] = ()
    depositor: str | None = None


class FeeSponsorship(NamedTuple):
    """A fee sponsorship (`pol_`); the older API shows the same row as a gas policy."""

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
        """Whether it is a gas policy too: on one chain, and of a static rate where it is paid back."""
        tokens, paid_back = self.strategy.tokens, self.strategy.sponsor_schema != "pay_for_user"
        return self.chain_id is not None and (
            not paid_back or (bool(tokens) and tokens[0].amount is not None)
        )


class Paymaster(NamedTuple):
    """A paymaster of the developer's own (`pay_`), which a fee sponsorship names."""

    id: str
    created_ms: int
    address: str
    url: str | None = None
    context: Mapping[str, Any] | None = None
    """What the paymaster wants to be told besides."""


class ForwarderContract(NamedTuple):
    """A forwarder contract on a chain (`cfo_`), which a fee sponsorship names."""

    id: str
    created_ms: int
    address: str
    chain_id: int
    name: str | None = None


class GasRule(NamedTuple):
    """A rule of a gas policy (`afu_`): what the sponsorship pays for, or how much of it."""

    id: str
    created_ms: int
    sponsorship_id: str
    kind: GasRuleKind
    contract_id: str | None = None
    """Whose functions; None for those of every contract."""
    function_name: str | None = None
    """Which function, by name or signature; None for every one."""
    gas_limit_wei: int | None = None
    count_limit: int | None = None
    interval_type: IntervalType | None = None
    interval_count: int | None = None
    """How many minutes, hours, days, weeks or months the interval has."""


class SponsorAccount(NamedTuple):
    """What a fee sponsorship has spent and may spend, in wei of any chain. The id is the sponsorship's."""

    id: str
    budget_wei: int | None = None
    """What it may spend in all; None for anything."""
    spent_wei: int = 0
    reserved_wei: int = 0
    """What transactions that were sent and are not settled may still take."""
    transactions: int = 0

    @property
    def left_wei(self) -> int | None:
        """What it may still spend; None for anything."""
        return None if self.budget_wei is None else self.budget_wei - self.spent_wei - self.reserved_wei


class CollectedTokens(NamedTuple):
    """How much of an ERC-20 a fee sponsorship was paid back in and holds. The id is `pol_:chain:token`."""

    id: str
    sponsorship_id: str
    chain_id: int
    token: str
    amount: int


class Guardrails:
    """The tables of this module. Deleted rows stay, out of the lists unless asked for."""

    __slots__ = (
        "collected_tokens",
        "fee_sponsorships",
        "forwarder_contracts",
        "gas_rules",
        "paymasters",
        "policies",
        "sponsor_accounts",
    )

    def __init__(self, undo: Undo) -> None:
        self.policies: Table[Policy] = Table(
            undo,
            deleted=lambda row: row.deleted,
            scope=lambda row: row.scope,
            enabled=lambda row: row.enabled,
            account_id=lambda row: row.account_id,
            in_force_for=lambda row: row.in_force_for,
        )
        self.fee_sponsorships: Table[FeeSponsorship] = Table(
            undo,
            deleted=lambda row: row.deleted,
            chain_id=lambda row: row.chain_id,
            enabled=lambda row: row.enabled,
            policy_id=lambda row: row.policy_id,
        )
        self.gas_rules: Table[GasRule] = Table(undo, sponsorship_id=lambda row: row.sponsorship_id)
        self.sponsor_accounts: Table[SponsorAccount] = Table(undo)
        self.collected_tokens: Table[CollectedTokens] = Table(
            undo, sponsorship_id=lambda row: row.sponsorship_id
        )
        self.paymasters: Table[Paymaster] = Table(undo)
        self.forwarder_contracts: Table[ForwarderContract] = Table(undo)
