"""The state of the simulated chains: addresses, tokens, reorganizations; and how accounts execute there."""

from typing import NamedTuple

from mockserver.chain.addresses import checksum_of
from mockserver.chain.transactions import EvmTransaction, FeeMarketTransaction
from mockserver.chain.user_operations import UserOperation
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.state.tables import Tables, table


class ChainAccount(NamedTuple):
    """The state of an address on a chain. The id is `chain:address`, the address in lower case."""

    id: str
    balance: int
    issued: int = 0
    """The total issued here: starting balances, and amounts set by tests (negative if burned)."""
    reserved: int = 0
    """The reservations of pending transactions."""
    nonce: int = 0
    operation_nonce: int = 0
    """Its nonce at the entry point, which counts user operations apart (ERC-4337)."""
    delegate: str | None = None
    """The implementation an account has delegated to (EIP-7702)."""
    deployed: bool = False
    deployed_tx: str | None = None
    """The hash of the transaction that deployed the account, or delegated it to `delegate`."""
    deployed_ms: int | None = None
    endowed: bool = False
    """Whether it got the project's starting balance."""


class ContractCode(NamedTuple):
    """The code at an address, which is executed when it is called. The id is that of its `ChainAccount`."""

    id: str
    code: bytes


class StorageSlot(NamedTuple):
    """A slot of storage that is not 0. The id is `chain:address:slot`, the slot in hexadecimal."""

    id: str
    contract: str
    """The id of its code: `chain:address`."""
    value: int


class TracedCall(NamedTuple):
    """A call that was executed. Those that it made follow it, one level deeper."""

    depth: int
    kind: str
    """CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE or CREATE2."""
    sender: str
    to: str
    value: int
    input: bytes
    output: bytes
    gas_used: int
    error: str | None = None
    """Why it was undone."""
    gas: int = 0
    """The gas that it was given."""
    stopped_at: int | None = None
    """The instruction that undid it, by its place in the code."""


class UserOperationExecution(NamedTuple):
    """Execution by a smart or delegated account: a user operation (ERC-4337)."""

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
    """Execution by an externally owned account: a transaction (EIP-1559)."""

    sender: str
    transaction: FeeMarketTransaction
    hash: bytes | None = None
    """The transaction hash, once it is signed."""

    @property
    def signing_hash(self) -> bytes:
        """What the owner signs."""
        return self.transaction.signing_hash()


class ZkSyncExecution(NamedTuple):
    """Execution by a smart account with native account abstraction: a transaction (ZKsync)."""

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


class RawExecution(NamedTuple):
    """Execution by any account of a transaction that was sent to a node, of any type."""

    transaction: EvmTransaction
    hash: bytes
    raw: bytes
    """As it was sent: its type, and RLP with the signature."""

    @property
    def sender(self) -> str:
        """The account that executes."""
        return checksum_of(self.transaction.sender)

    @property
    def signing_hash(self) -> bytes:
        """What identifies it."""
        return self.hash


Execution = UserOperationExecution | PlainExecution | ZkSyncExecution | RawExecution


class TokenHolding(NamedTuple):
    """The token balance of an address.

    The id is `chain:token:holder:token id`, addresses in lower case, and the last part empty for
    ERC-20. Of an ERC-721 token its owner has one.
    """

    id: str
    unit: str
    """The id without the holder: `chain:token:token id`."""
    owned: str
    """The id without the token id: `chain:token:holder`."""
    token: str
    """`chain:token`."""
    holder: str
    balance: int
    issued: int = 0
    """The total issued here less the burned: minted, set by a test, or assumed as owned before."""


class TokenSupply(NamedTuple):
    """The total supply of a token. The id is `chain:token:token id`, without the last for ERC-20."""

    id: str
    amount: int


class TokenApproval(NamedTuple):
    """An approval: an allowance of an ERC-20, one ERC-721 token, or an operator for all."""

    id: str
    spender: str
    amount: int


class NodeState(NamedTuple):
    """What clients have told the node of a chain. The id is that of the chain."""

    id: str
    automine: bool = True
    """Whether a transaction that is sent is mined at once where the clock is frozen."""
    impersonated: tuple[str, ...] = ()
    """The addresses, in lower case, whose transactions are taken without a signature."""
    impersonates_all: bool = False
    timestamp: int | None = None
    """The time in seconds that the next block is to have."""
    queued: tuple[RawExecution, ...] = ()
    """Transactions that wait for others of their senders with the nonces before."""


class LogFilter(NamedTuple):
    """A filter that a client polls (`eth_newFilter` and others)."""

    id: str
    chain_id: int
    kind: str
    """`logs`, `blocks` or `transactions`."""
    addresses: tuple[str, ...] = ()
    topics: tuple[tuple[str, ...], ...] = ()
    """By place: the topics that will do, none for any."""
    last_block: int | None = None
    """The last block that it is about."""
    seen: tuple[int, int] = (0, 0)
    """Up to where it was polled: a block, and a place in it."""
    first_block: int = 0
    """The first block that it is about."""
    replaced: int = 0
    """How many reorganizations of the project's chains there were when it was polled."""
    told: tuple[str, ...] = ()
    """The hashes of transactions that it told, of those that it will find again."""


class Subscription(NamedTuple):
    """A subscription of a client that asks by WebSocket (`eth_subscribe` and others)."""

    id: str
    place: str
    """The id of a chain, or the name of a Solana cluster."""
    kind: str
    """What it is for: `newHeads`, `slotNotification`, ..."""
    about: str = ""
    """What of that it is for: an address, a signature, ...; with its options as JSON."""
    logs: LogFilter | None = None
    """The logs it is for."""


SolanaAccountState = tuple[int, str, bytes]
"""An account's lamports, the program that owns it, and its data."""


class SolanaAccount(NamedTuple):
    """An account of a Solana cluster. The id is `cluster:address`."""

    id: str
    cluster: str
    state: SolanaAccountState


class SolanaRecord(NamedTuple):
    """A transaction that a Solana node has taken into a slot. The id is `cluster:signature`."""

    id: str
    cluster: str
    slot: int
    raw: bytes
    fee: int
    error: str | None
    """As JSON."""
    logs: tuple[str, ...]
    before: tuple[SolanaAccountState, ...]
    """The accounts that it names, in their order."""
    after: tuple[SolanaAccountState, ...]
    loaded: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Those of them that come from lookup tables: what may be changed, and what is read."""
    inner: tuple[tuple[int, int, bytes, bytes, int], ...] = ()
    """What programs have called: the instruction, the program, the accounts, by places; data, height."""


class Reorganization(NamedTuple):
    """A reorganization: these blocks were replaced by siblings with other hashes."""

    id: str
    chain_id: int
    first_block: int
    last_block: int


class OddBlock(NamedTuple):
    """A block whose time is an odd second, as a client has set it. The id is `chain:number`."""

    id: str


def _holder(row: TokenHolding) -> str | None:
    """Chain and address of a holding that is not empty."""
    return f"{row.token.partition(':')[0]}:{row.holder.lower()}" if row.balance else None


class Chains(Tables):
    """The tables of this module."""

    accounts = table(ChainAccount)
    codes = table(ContractCode)
    slots = table(StorageSlot, "contract")
    token_holdings = table(
        TokenHolding,
        unit=lambda row: row.unit if row.balance else None,
        owned=lambda row: row.owned if row.balance else None,
        token=lambda row: row.token if row.balance else None,
        holder=_holder,
    )
    token_supplies = table(TokenSupply)
    token_approvals = table(TokenApproval)
    reorganizations = table(Reorganization)
    odd_blocks = table(OddBlock)
    nodes = table(NodeState)
    filters = table(LogFilter)
    subscriptions = table(Subscription)
    solana_accounts = table(SolanaAccount, "cluster")
    solana_records = table(SolanaRecord, "cluster")
