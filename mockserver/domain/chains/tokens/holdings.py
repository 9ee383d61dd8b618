"""Who has how much of which token: balances of ERC-20, ERC-721 and ERC-1155 contracts.

No token is ever lost: the balances of a token add up to what was issued. What a holder is short of is
taken to have been there before the mock knew, unless the setting `strict_token_balances` is on.
"""

from typing import NamedTuple

from mockserver.chain.abi import Function, encode_call
from mockserver.chain.abi_grammar import parse_signature
from mockserver.chain.addresses import to_checksum
from mockserver.state.chains import TokenApproval, TokenHolding, TokenSupply
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings

MOST = 2**256 - 1
"""The largest amount that a contract knows."""

UNLIMITED = MOST
"""An allowance that does not shrink (as OpenZeppelin's ERC-20 has it)."""

_AS_USUAL = TokenSettings()


class CallReverted(Exception):
    """A call reverts; `data` is what it returns: a reason of Solidity, or an error of ERC-6093."""

    def __init__(self, signature: str, *args: object) -> None:
        self.data = encode_call(Function(*parse_signature(signature)), args)
        super().__init__(signature)


def overflow() -> CallReverted:
    """What a contract reverts with whose amounts leave their type: Solidity's panic 0x11."""
    return CallReverted("Panic(uint256)", 0x11)


class Token(NamedTuple):
    """A token contract on a chain of a project."""

    project: Project
    chain_id: int
    address: str

    @property
    def key(self) -> str:
        """The start of the ids of its rows."""
        return f"{self.chain_id}:{self.address.lower()}"

    @property
    def strict(self) -> bool:
        """Whether balances and approvals are insisted on."""
        return self.project.settings.strict_token_balances


def token_settings(token: Token) -> TokenSettings:
    """What is known of a token beside its balances."""
    return token.project.settings.tokens.get(token.address.lower(), _AS_USUAL)


# --- reading -------------------------------------------------------------------------------------------


def balance_of(token: Token, holder: str, token_id: int | None = None) -> int:
    """How much of a token, or of one of its ids, an address has."""
    row = token.project.chains.token_holdings.get(_holding_id(token, holder, token_id))
    return row.balance if row else 0


def count_of(token: Token, holder: str) -> int:
    """How many tokens of an ERC-721 contract an address has."""
    owned = f"{token.key}:{holder.lower()}"
    return sum(row.balance for row in token.project.chains.token_holdings.find("owned", owned))


def owner_of(token: Token, token_id: int) -> str | None:
    """Who has an ERC-721 token, or None."""
    row = token.project.chains.token_holdings.first("unit", _unit(token, token_id))
    return row.holder if row else None


def supply_of(token: Token, token_id: int | None = None) -> int:
    """How much there is of a token, or of one of its ids."""
    row = token.project.chains.token_supplies.get(_unit(token, token_id))
    return row.amount if row else 0


def supply_of_all(token: Token) -> int:
    """How many tokens of an ERC-721 contract there are."""
    return sum(row.balance for row in token.project.chains.token_holdings.find("token", token.key))


def allowance(token: Token, owner: str, spender: str) -> int:
    """How much of an owner's ERC-20 tokens another may spend."""
    row = token.project.chains.token_approvals.get(f"{token.key}:{owner.lower()}:{spender.lower()}")
    return row.amount if row else 0


def find_approved(token: Token, token_id: int) -> str | None:
    """Who but its owner may move an ERC-721 token, or None."""
    row = token.project.chains.token_approvals.get(f"{token.key}#{token_id}")
    return row.spender if row and row.amount else None


def is_operator(token: Token, owner: str, operator: str) -> bool:
    """Whether an operator may move everything an owner has of a contract."""
    row = token.project.chains.token_approvals.get(f"{token.key}:{owner.lower()}:{operator.lower()}:all")
    return row is not None and row.amount > 0


class TokenBalance(NamedTuple):
    """How much of a token somebody has."""

    contract: str
    token_id: int | None
    balance: int


def tokens_of(project: Project, chain_id: int, address: str) -> list[TokenBalance]:
    """Every token an address has on a chain, in the order it first had them."""
    found = []
    for row in project.chains.token_holdings.find("holder", f"{chain_id}:{address.lower()}"):
        token_id = row.id.rpartition(":")[2]
        contract = row.token.partition(":")[2]
        found.append(TokenBalance(contract, int(token_id) if token_id else None, row.balance))
    return found


# --- writing -------------------------------------------------------------------------------------------


def issue(token: Token, holder: str, amount: int, token_id: int | None = None) -> None:
    """Let an address have more of a token, from nowhere. CallReverted when no uint256 holds all there is."""
    _write(token, _issue(token, _holding(token, holder, token_id), amount, token_id))


def burn(token: Token, holder: str, amount: int, token_id: int | None = None) -> None:
    """Take away what an address has of a token, for good."""
    row = _ensure_amount(token, holder, amount, token_id)
    _write(token, _issue(token, row, -amount, token_id))


def move(token: Token, sender: str, receiver: str, amount: int, token_id: int | None = None) -> None:
    """Move some of a token from one address to another. CallReverted when the sender is short of it."""
    row = _ensure_amount(token, sender, amount, token_id)
    _write(token, row._replace(balance=row.balance - amount))
    there = _holding(token, receiver, token_id)
    _write(token, there._replace(balance=there.balance + amount))


def set_balance(token: Token, holder: str, balance: int, token_id: int | None = None) -> None:
    """Make an address have so much of a token, which comes from nowhere or goes there.

    CallReverted when no uint256 can hold all there is.
    """
    row = _holding(token, holder, token_id)
    _write(token, _issue(token, row, balance - row.balance, token_id))


def allow(token: Token, owner: str, spender: str, amount: int) -> None:
    """Let a spender spend so much of an owner's ERC-20 tokens."""
    _approve(token, f"{token.key}:{owner.lower()}:{spender.lower()}", spender, amount)


def approve(token: Token, token_id: int, spender: str | None) -> None:
    """Let somebody move an ERC-721 token, or nobody any more."""
    row_id = f"{token.key}#{token_id}"
    if spender is None and row_id not in token.project.chains.token_approvals:
        return
    _approve(token, row_id, spender or "", int(spender is not None))


def allow_all(token: Token, owner: str, operator: str, allowed: bool) -> None:
    """Let an operator move everything an owner has of a contract, or no longer."""
    _approve(token, f"{token.key}:{owner.lower()}:{operator.lower()}:all", operator, int(allowed))


def spend_allowance(token: Token, owner: str, spender: str, amount: int) -> None:
    """Use up some of an allowance. CallReverted when it is too small, if that is insisted on."""
    left = allowance(token, owner, spender)
    if left == UNLIMITED:
        return
    if left < amount and token.strict:
        raise CallReverted("ERC20InsufficientAllowance(address,uint256,uint256)", spender, left, amount)
    if left:
        allow(token, owner, spender, max(0, left - amount))


def _unit(token: Token, token_id: int | None) -> str:
    return f"{token.key}:{'' if token_id is None else token_id}"


def _holding_id(token: Token, holder: str, token_id: int | None) -> str:
    return f"{token.key}:{holder.lower()}:{'' if token_id is None else token_id}"


def _holding(token: Token, holder: str, token_id: int | None) -> TokenHolding:
    row_id = _holding_id(token, holder, token_id)
    return token.project.chains.token_holdings.get(row_id) or TokenHolding(
        id=row_id,
        unit=_unit(token, token_id),
        token=token.key,
        owned=f"{token.key}:{holder.lower()}",
        holder=to_checksum(holder),
        balance=0,
    )


def _ensure_amount(token: Token, holder: str, amount: int, token_id: int | None) -> TokenHolding:
    """A holding that suffices: what is missing was there before, or the contract reverts."""
    row = _holding(token, holder, token_id)
    missing = amount - row.balance
    if missing <= 0:
        return row
    if not token.strict:
        return _issue(token, row, missing, token_id)
    if token_id is None:
        raise CallReverted("ERC20InsufficientBalance(address,uint256,uint256)", holder, row.balance, amount)
    raise CallReverted(
        "ERC1155InsufficientBalance(address,uint256,uint256,uint256)", holder, row.balance, amount, token_id
    )


def _issue(token: Token, row: TokenHolding, amount: int, token_id: int | None) -> TokenHolding:
    """A holding with more in it that came from nowhere, or less that went there, counted in the supply."""
    supply = TokenSupply(_unit(token, token_id), supply_of(token, token_id) + amount)
    if supply.amount > MOST:
        raise overflow()
    supplies = token.project.chains.token_supplies
    if supply.id in supplies:
        supplies.replace(supply)
    else:
        supplies.insert(supply)
    return row._replace(balance=row.balance + amount, issued=row.issued + amount)


def _write(token: Token, row: TokenHolding) -> None:
    rows = token.project.chains.token_holdings
    if row.id in rows:
        rows.replace(row)
    else:
        rows.insert(row)


def _approve(token: Token, row_id: str, spender: str, amount: int) -> None:
    rows = token.project.chains.token_approvals
    row = TokenApproval(row_id, spender, amount)
    if row_id in rows:
        rows.replace(row)
    else:
        rows.insert(row)
