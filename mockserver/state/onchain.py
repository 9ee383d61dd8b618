"""Contracts, transactions and fates."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from mockserver.kernel.indexes import Ranked
from mockserver.kernel.retention import Retention
from mockserver.state.chains import Execution, TracedCall, UserOperationExecution
from mockserver.state.guardrails import Decision
from mockserver.state.tables import Tables, table

TransactionStatus = Literal["new", "awaiting_signature", "sent", "successful", "reverted", "failed"]
Purpose = Literal["register_session_key", "revoke_session_key", "withdraw_tokens"]
SolanaStatus = Literal["sent", "confirmed", "failed", "expired"]


class Contract(NamedTuple):
    """A registered contract."""

    id: str
    created_ms: int
    name: str | None
    chain_id: int
    address: str
    abi: tuple[Mapping[str, Any], ...] = ()
    public_verification: bool = False
    deleted: bool = False
    source: str | None = None
    """The path of its source file."""
    lines: tuple[tuple[int, int], ...] = ()
    """Where in its code another line of that file begins: a place, and the line, or 0 for none."""


class CallRecord(NamedTuple):
    """One call of a transaction: as requested, and encoded."""

    to: str
    value: int
    data: bytes
    requested: Mapping[str, Any]
    """The members of the request, with ids resolved to addresses."""
    gas: int | None = None
    """The gas that executing it took when the transaction was prepared; None where there is no code."""


class Log(NamedTuple):
    """An event a transaction emitted."""

    address: str
    topics: tuple[str, ...]
    data: str


class TransactionError(NamedTuple):
    """Why a transaction failed or was reverted."""

    reason: str
    name: str | None = None
    cause: str | None = None
    solution: str | None = None


class BlockPosition(NamedTuple):
    """The position of a transaction in a chain."""

    block_number: int
    block_hash: str
    transaction_index: int
    first_log_index: int
    """The log index of its first log in the block."""


class Inclusion(NamedTuple):
    """A transaction in a block of its chain."""

    place: BlockPosition
    transaction_hash: str
    logs: tuple[Log, ...]


class Payment(NamedTuple):
    """The payment for the gas of a transaction."""

    payer: str
    """The payer of the wei: the account, or a paymaster."""
    wei: int
    """The gas fee and, on rollups, the L1 fee."""
    sponsorship_id: str | None = None
    """The fee sponsorship that paid."""
    token: str | None = None
    """The ERC-20 in which the account reimbursed the paymaster."""
    token_amount: int = 0
    """The reimbursed amount, in its smallest unit."""


class Charge(NamedTuple):
    """The reimbursement that an account pays for gas: an ERC-20, at a rate."""

    token: str
    amount: int | None
    """Smallest units per native coin, or per transaction if `flat`; None for the rate by prices."""
    flat: bool = False


class Estimate(NamedTuple):
    """An estimate: gas, its fee and price in wei, the fee in US dollars."""

    gas: int
    fee: int
    price: int
    fee_usd: str
    token_fee: int | None = None
    """The reimbursement by the account, in the token's smallest unit."""


@dataclass(frozen=True, slots=True)
class Sponsoring:
    """Whether the requested sponsorship pays, and why. The control API answers it as it is."""

    fee_sponsorship_id: str
    pays: bool
    reason: str
    calls: tuple[Decision, ...]
    """The decision of its policy about each call, up to the first that is not allowed."""


class Reservation(NamedTuple):
    """The most that a transaction can cost, in wei."""

    sender: str
    value: int
    payer: str
    """The payer of gas: the sender, or a paymaster."""
    gas: int
    l1_gas: int | None = None
    """The L1 gas of a rollup's transaction, as of its creation."""
    l1_fee: int | None = None

    @property
    def is_sponsored(self) -> bool:
        """Whether a paymaster pays for the gas."""
        return self.payer != self.sender

    @property
    def own_part(self) -> int:
        """What is set aside of the sender's own coins."""
        return self.value if self.is_sponsored else self.value + self.gas


class Receipt(NamedTuple):
    """The result of a settled transaction."""

    created_ms: int
    transaction_hash: str | None = None
    place: BlockPosition | None = None
    """None when it never got into a block."""
    to: str | None = None
    gas_used: int | None = None
    gas_fee: int | None = None
    l1_gas_used: int | None = None
    l1_gas_fee: int | None = None
    logs: tuple[Log, ...] = ()
    error: TransactionError | None = None
    payment: Payment | None = None
    orphaned: tuple[Inclusion, ...] = ()
    """Its inclusions in blocks that reorganizations replaced."""
    trace: tuple[TracedCall, ...] = ()
    """What was executed, each call before those that it made; calls of contracts without code have none."""

    @property
    def included(self) -> Inclusion | None:
        """Its inclusion in a canonical block, or None."""
        if self.place is None or self.transaction_hash is None:
            return None
        return Inclusion(self.place, self.transaction_hash, self.logs)


class TimelineEvent(NamedTuple):
    """A status that was reached, or an event of the bundler's monitor."""

    event: str
    at_ms: int


def nonce_queue_of(chain_id: int, sender: str, key: int | None = None) -> str:
    """The index value of a nonce queue: a sender's own, or that of its user operations by key (ERC-4337)."""
    return f"{chain_id}:{sender.lower()}:{'account' if key is None else f'operation:{key}'}"


class Transaction(NamedTuple):
    """A transaction (`tin_`) in any state. The older API shows it as an intent."""

    id: str
    created_ms: int
    updated_ms: int
    chain_id: int
    status: TransactionStatus
    account_id: str
    wallet_id: str | None
    user_id: str | None
    calls: tuple[CallRecord, ...]
    fee_sponsorship_id: str | None = None
    execution: Execution | None = None
    """None when it could not be built."""
    signature: bytes | None = None
    fate: "Fate | None" = None
    """The fate that it took when it was created."""
    receipt: Receipt | None = None
    timeline: tuple[TimelineEvent, ...] = ()
    cost_usd: str | None = None
    authorization: bytes | None = None
    """The account's signed authorization (EIP-7702), if the request had one."""
    session_key_id: str | None = None
    """The session key that it registers or revokes; for other transactions the one that signed it."""
    purpose: Purpose | None = None
    charge: Charge | None = None
    """The reimbursement by its account."""
    sending: tuple[Decision, ...] = ()
    """The decisions of policies about sending each call, up to the first that is not allowed."""
    sponsoring: Sponsoring | None = None
    """The decision about the requested sponsorship; None without one."""
    reservation: Reservation | None = None
    """The funds that are reserved for it while it is sent."""
    is_provisional: bool = False
    """Whether a reorganization will take back the block that it is in."""
    taken_back: tuple[Inclusion, ...] = ()
    """Its inclusions in blocks that were taken back before it was settled."""
    is_raw: bool = False
    """Whether a node or a bundler was sent it: the API does not list it."""

    @property
    def included(self) -> Inclusion | None:
        """Its inclusion in a block."""
        return None if self.receipt is None else self.receipt.included

    @property
    def chain_hash(self) -> str | None:
        """Chain and transaction hash, once it has one."""
        if self.receipt is not None and self.receipt.transaction_hash is not None:
            return f"{self.chain_id}:{self.receipt.transaction_hash}"
        execution = self.execution
        if execution is None or isinstance(execution, UserOperationExecution) or execution.hash is None:
            return None
        return f"{self.chain_id}:0x{execution.hash.hex()}"

    @property
    def operation_hash(self) -> bytes | None:
        """The hash of its user operation."""
        return self.execution.hash if isinstance(self.execution, UserOperationExecution) else None

    @property
    def is_settled(self) -> bool:
        """Whether its status is final."""
        return self.status in ("successful", "reverted", "failed") and not self.is_provisional

    @property
    def nonce_queue(self) -> str | None:
        """The index value of its nonce queue until it is settled: one sender's transactions by nonce."""
        return self.queue_of_nonce if self.status == "sent" or self.is_provisional else None

    @property
    def queue_of_nonce(self) -> str | None:
        """The nonce queue of which it has a nonce, whatever its status."""
        made = self.execution
        if made is None:
            return None
        key = made.operation.nonce >> 64 if isinstance(made, UserOperationExecution) else None
        return nonce_queue_of(self.chain_id, made.sender, key)


class SolanaTransaction(NamedTuple):
    """A sponsored Solana transaction (`sol_`), or a bundle of them.

    `raw_transactions` are the serialized signed transactions, the children of a bundle in order.
    """

    id: str
    created_ms: int
    status: SolanaStatus
    external_id: str | None = None
    signature: str | None = None
    """Base58; None for one that was only signed and never broadcast."""
    error_message: str | None = None
    planned_error: str | None = None
    """Its error if it fails."""
    bundle_id: str | None = None
    child_signatures: tuple[str, ...] = ()
    raw_transactions: tuple[bytes, ...] = ()
    sending: tuple[Decision, ...] = ()
    """The decision of policies about signing or sending it."""
    sponsoring: Sponsoring | None = None


FateKind = Literal["transaction", "solana_transaction"]


class Fate(NamedTuple):
    """The outcome of future transactions, or of one by id."""

    id: str
    created_ms: int
    outcome: str
    kind: FateKind
    remaining: int | None
    """The number of transactions that may still take it; None for all."""
    transaction_id: str | None = None
    chain_id: int | None = None
    account_id: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    """The options of the outcome: a reason, an error and its arguments, a delay."""
    for_call: bool = False
    """Whether a rule set it for the transaction of the current call, which takes it before all others."""

    @property
    def aim(self) -> tuple[bool, FateKind, int | None, str | None] | None:
        """The index value of a fate for a transaction to come: whose it may be."""
        if self.transaction_id is not None:
            return None
        return self.for_call, self.kind, self.chain_id, self.account_id


BLOCK_RANKS = 1 << 32
"""How many ranks a block has among those of its chain: one for each transaction."""


def _block(row: Transaction) -> frozenset[Hashable] | None:
    """The hash of the block that a transaction is in, and the chain with its rank there."""
    if row.included is None:
        return None
    place = row.included.place
    rank = place.block_number * BLOCK_RANKS + place.transaction_index
    return frozenset(((row.chain_id, place.block_hash), Ranked(row.chain_id, rank)))


def _retained_group(row: Transaction) -> str | None:
    """Those that are settled or may never be signed; not one that is sent, or that other rows wait for."""
    if row.is_settled:
        return "settled"
    return "unsigned" if row.status == "awaiting_signature" and row.purpose is None else None


class Onchain(Tables):
    """The tables of this module."""

    contracts = table(
        Contract,
        "deleted",
        "chain_id",
        address=lambda row: row.address.lower(),
        retention=Retention("contracts", "deleted_kept", lambda row: row.deleted or None),
    )
    transactions = table(
        Transaction,
        "chain_id",
        "account_id",
        "wallet_id",
        "user_id",
        "fee_sponsorship_id",
        "status",
        "session_key_id",
        "nonce_queue",
        "operation_hash",
        "is_raw",
        hash=lambda row: row.chain_hash,
        block=_block,
        retention=Retention("transactions", "settled_kept", _retained_group),
    )
    solana_transactions = table(
        SolanaTransaction,
        "external_id",
        "bundle_id",
        first_child=lambda row: row.child_signatures[0] if row.child_signatures else None,
        retention=Retention(
            "Solana transactions", "settled_kept", lambda row: None if row.status == "sent" else True
        ),
    )
    fates = table(Fate, "transaction_id", "aim")

    def unmined(self, queue: str) -> list[Transaction]:
        """The transactions with a nonce of a nonce queue that wait for a block, or for their signature."""
        unsigned = self.transactions.find("status", "awaiting_signature")
        own = [row for row in unsigned if row.queue_of_nonce == queue]
        return self.transactions.find("nonce_queue", queue) + own

    def remove_parts(self, row_id: str) -> None:
        """Remove what is of a transaction alone: the fates that were set for it."""
        for fate in self.fates.find("transaction_id", row_id):
            self.fates.remove(fate.id)
