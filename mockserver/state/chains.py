"""The state of the simulated chains: addresses, tokens and reorganizations."""

from typing import NamedTuple

from mockserver.kernel.schema import Schema
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo


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


class Reorganization(NamedTuple):
    """A reorganization: these blocks were replaced by siblings with other hashes."""

    id: str
    chain_id: int
    first_block: int
    last_block: int


def _holder(row: TokenHolding) -> str | None:
    """Chain and address of a holding that is not empty."""
    return f"{row.token.partition(':')[0]}:{row.holder.lower()}" if row.balance else None


_ACCOUNTS = Schema(ChainAccount)
_CODES = Schema(ContractCode)
_SLOTS = Schema(StorageSlot, "contract")
_TOKEN_HOLDINGS = Schema(
    TokenHolding,
    unit=lambda row: row.unit if row.balance else None,
    owned=lambda row: row.owned if row.balance else None,
    token=lambda row: row.token if row.balance else None,
    holder=_holder,
)
_TOKEN_SUPPLIES = Schema(TokenSupply)
_TOKEN_APPROVALS = Schema(TokenApproval)
_REORGANIZATIONS = Schema(Reorganization)


class Chains:
    """The tables of this module."""

    def __init__(self, undo: Undo) -> None:
        self.accounts = Table(undo, _ACCOUNTS)
        self.codes = Table(undo, _CODES)
        self.slots = Table(undo, _SLOTS)
        self.token_holdings = Table(undo, _TOKEN_HOLDINGS)
        self.token_supplies = Table(undo, _TOKEN_SUPPLIES)
        self.token_approvals = Table(undo, _TOKEN_APPROVALS)
        self.reorganizations = Table(undo, _REORGANIZATIONS)
