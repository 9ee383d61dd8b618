"""Contracts, transactions, and what the simulated chains remember."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import UserOperation
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo
from mockserver.state.guardrails import Decision

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


class CallRecord(NamedTuple):
    """One call of a transaction: as it was asked for, and as it is encoded."""

    to: str
    value: int
    data: bytes
    requested: Mapping[str, Any]
    """The members of the request, ids already turned into addresses."""


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


class Place(NamedTuple):
    """Where in a chain a transaction is."""

    block_number: int
    block_hash: str
    transaction_index: int
    first_log_index: int
    """The place of its first log among those of the block."""


class Inclusion(NamedTuple):
    """A transaction in a block of its chain."""

    place: Place
    transaction_hash: str
    logs: tuple[Log, ...]


class Payment(NamedTuple):
    """Who paid for the gas of a transaction, and in what."""

    payer: str
    """The address that paid the wei: the account's own, or a paymaster's."""
    wei: int
    """Gas and, on rollups, the fee of the chain below."""
    sponsorship_id: str | None = None
    """The fee sponsorship whose paymaster paid."""
    token: str | None = None
    """The ERC-20 in which the account paid the paymaster back."""
    token_amount: int = 0
    """How much of it, in its smallest unit."""


class Charge(NamedTuple):
    """What an account pays a paymaster for gas: an ERC-20, at a rate."""

    token: str
    amount: int | None
    """Its smallest units for a whole native coin, or for the transaction when `flat`; None by price."""
    flat: bool = False


class Estimate(NamedTuple):
    """What a transaction will cost: gas, its fee and the price of gas in wei, the fee in US dollars."""

    gas: int
    fee: int
    price: int
    fee_usd: str
    token_fee: int | None = None
    """What the account pays the sponsor back, in the token's smallest unit."""


class Sponsoring(NamedTuple):
    """What was decided about a fee sponsorship that was asked for."""

    sponsorship_id: str
    pays: bool
    reason: str
    calls: tuple[Decision, ...] = ()
    """What its policy said of each call, up to the one that it refused."""


class Reservation(NamedTuple):
    """What a transaction takes at the most, in wei."""

    sender: str
    value: int
    payer: str
    """Who pays for gas: the sender, or a paymaster."""
    gas: int
    l1_gas: int | None = None
    """The gas on the chain below that a rollup pays for, as it was when the transaction was made."""
    l1_fee: int | None = None


class Receipt(NamedTuple):
    """How a transaction ended."""

    created_ms: int
    transaction_hash: str | None = None
    place: Place | None = None
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
    """How it was in blocks that reorganizations took off the chain."""

    @property
    def included(self) -> Inclusion | None:
        """How it is in its block; None when it never got into one, or not into one that stands."""
        if self.place is None or self.transaction_hash is None:
            return None
        return Inclusion(self.place, self.transaction_hash, self.logs)


class TimelineEvent(NamedTuple):
    """A status that was reached, or something the monitor saw."""

    event: str
    at_ms: int


class UserOperationExecution(NamedTuple):
    """How a smart or delegated account executes: as a user operation (ERC-4337)."""

    entry_point_version: str
    operation: UserOperation
    hash: bytes

    @property
    def sender(self) -> str:
        """The account that executes."""
        return self.operation.sender

    @property
    def signing_hash(self) -> bytes:
        """What the owner signs."""
        return self.hash


class PlainExecution(NamedTuple):
    """How an externally owned account executes: as a transaction of its own (EIP-1559)."""

    sender: str
    transaction: FeeMarketTransaction
    hash: bytes | None = None
    """The transaction hash, once it is signed."""

    @property
    def signing_hash(self) -> bytes:
        """What the owner signs."""
        return self.transaction.signing_hash()


class ZkSyncExecution(NamedTuple):
    """How a smart account executes where accounts are native: as a transaction of its own (ZKsync)."""

    transaction: ZkSyncTransaction
    hash: bytes | None = None
    """The transaction hash, once it is signed."""

    @property
    def sender(self) -> str:
        """The account that executes."""
        return self.transaction.sender

    @property
    def signing_hash(self) -> bytes:
        """What the owner signs."""
        return self.transaction.signing_hash()


Execution = UserOperationExecution | PlainExecution | ZkSyncExecution


class Transaction(NamedTuple):
    """A transaction (`tin_`) through its whole life. The older API shows it as an intent."""

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
    """What will become of it, when that was said before it was made."""
    receipt: Receipt | None = None
    timeline: tuple[TimelineEvent, ...] = ()
    cost_usd: str | None = None
    authorization: bytes | None = None
    """The account's signed delegation, when it came along (EIP-7702)."""
    session_key_id: str | None = None
    """The session key that it registers or revokes, whoever signed it; or else that signed it."""
    purpose: Purpose | None = None
    charge: Charge | None = None
    """What its account pays the paymaster back with."""
    sending: tuple[Decision, ...] = ()
    """What policies said of sending each call, up to the one that they refused."""
    sponsoring: Sponsoring | None = None
    """What became of the sponsorship that was asked for; None when none was."""
    reservation: Reservation | None = None
    """What is kept for it while it is sent."""
    provisional_inclusion: Inclusion | None = None
    """How it was in the block that a reorganization is going to take off the chain."""

    @property
    def included(self) -> Inclusion | None:
        """How it is in a block, or was provisionally while it is still sent."""
        return self.provisional_inclusion if self.receipt is None else self.receipt.included

    @property
    def nonce_queue(self) -> str | None:
        """The queue it is in while it is sent, behind its sender's transactions with earlier nonces."""
        if self.status != "sent" or self.execution is None:
            return None
        nonces = "operation" if isinstance(self.execution, UserOperationExecution) else "account"
        return f"{self.chain_id}:{self.execution.sender.lower()}:{nonces}"


class SolanaTransaction(NamedTuple):
    """A sponsored Solana transaction (`sol_`), or a bundle of them.

    `wires` are the signed transactions as they travel, the children of a bundle in order.
    """

    id: str
    created_ms: int
    status: SolanaStatus
    external_id: str | None = None
    signature: str | None = None
    """Base58; None for one that was only signed and never broadcast."""
    error_message: str | None = None
    planned_error: str | None = None
    """What its error will be should it fail."""
    bundle_id: str | None = None
    child_signatures: tuple[str, ...] = ()
    raw_transactions: tuple[bytes, ...] = ()


FateKind = Literal["transaction", "solana_transaction"]


class Fate(NamedTuple):
    """What will become of transactions to come, or of one by id."""

    id: str
    created_ms: int
    outcome: str
    kind: FateKind
    remaining: int | None
    """How many more transactions it takes; None for every one."""
    transaction_id: str | None = None
    chain_id: int | None = None
    account_id: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    """What the outcome needs to be told: a reason, an error and its arguments, a delay."""
    for_call: bool = False
    """Whether it is meant for the transaction of the call being answered, and goes before the others."""


def _block(row: Transaction) -> tuple[int, str] | None:
    """The chain and the hash of the block a transaction is in."""
    included = row.included
    return None if included is None else (row.chain_id, included.place.block_hash)


class Onchain:
    """The tables of this module."""

    __slots__ = (
        "contracts",
        "fates",
        "solana_transactions",
        "transactions",
    )

    def __init__(self, undo: Undo) -> None:
        self.contracts: Table[Contract] = Table(
            undo,
            deleted=lambda row: row.deleted,
            chain_id=lambda row: row.chain_id,
            address=lambda row: row.address.lower(),
        )
        self.transactions: Table[Transaction] = Table(
            undo,
            chain_id=lambda row: row.chain_id,
            account_id=lambda row: row.account_id,
            wallet_id=lambda row: row.wallet_id,
            user_id=lambda row: row.user_id,
            fee_sponsorship_id=lambda row: row.fee_sponsorship_id,
            status=lambda row: row.status,
            session_key_id=lambda row: row.session_key_id,
            block=_block,
            nonce_queue=lambda row: row.nonce_queue,
        )
        self.solana_transactions: Table[SolanaTransaction] = Table(
            undo,
            external_id=lambda row: row.external_id,
            bundle_id=lambda row: row.bundle_id,
            first_child=lambda row: row.child_signatures[0] if row.child_signatures else None,
        )
        self.fates: Table[Fate] = Table(undo, transaction_id=lambda row: row.transaction_id)
