"""What the simulated chains know: addresses, tokens, and the blocks that were taken back."""

from typing import NamedTuple

from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo


class ChainAccount(NamedTuple):
    """What a chain knows of an address. The id is `chain:address`, the address in lower case."""

    id: str
    balance: int
    issued: int = 0
    """What came from nowhere: starting balances, and what a test put there (or, below zero, took away)."""
    reserved: int = 0
    """What transactions that were sent and are not settled may still take."""
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
    """Whether it has had the project's starting balance."""


class TokenHolding(NamedTuple):
    """How much of a token an address has.

    The id is `chain:token:holder:token id`, addresses in lower case, and the last part empty for ERC-20.
    Of an ERC-721 token its owner has one.
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
    """What came from nowhere: minted, put there by a test, or had before the mock knew; less the burned."""


class TokenSupply(NamedTuple):
    """How much of a token there is in all. The id is `chain:token:token id`, without the last for ERC-20."""

    id: str
    amount: int


class TokenApproval(NamedTuple):
    """What an owner lets another do with a token: an amount of an ERC-20, one ERC-721 token, or all."""

    id: str
    spender: str
    amount: int


class Reorganization(NamedTuple):
    """Blocks that were taken off a chain and made anew, with other hashes."""

    id: str
    chain_id: int
    first_block: int
    last_block: int


def _holder(row: TokenHolding) -> str | None:
    """The chain and address that have some of a token."""
    return f"{row.token.partition(':')[0]}:{row.holder.lower()}" if row.balance else None


class Chains:
    """The tables of this module."""

    __slots__ = ("accounts", "reorganizations", "token_approvals", "token_holdings", "token_supplies")

    def __init__(self, undo: Undo) -> None:
        self.accounts: Table[ChainAccount] = Table(undo)
        self.token_holdings: Table[TokenHolding] = Table(
            undo,
            unit=lambda row: row.unit if row.balance else None,
            owned=lambda row: row.owned if row.balance else None,
            token=lambda row: row.token if row.balance else None,
            holder=_holder,
        )
        self.token_supplies: Table[TokenSupply] = Table(undo)
        self.token_approvals: Table[TokenApproval] = Table(undo)
        self.reorganizations: Table[Reorganization] = Table(undo)
