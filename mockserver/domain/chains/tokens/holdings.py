"""Token balances and approvals of ERC-20, ERC-721 and ERC-1155 contracts.

Invariant: the balances of a token add up to what was issued. A holder without enough is assumed to have
had the difference before the mock started, unless the setting `strict_token_balances` is on.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.addresses import to_checksum
from mockserver.chain.networks import NETWORKS, WETH
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.state.chains import TokenApproval, TokenHolding, TokenSupply
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings

MOST = 2**256 - 1
"""The largest uint256."""

UNLIMITED = MOST
"""The infinite allowance, which spending does not reduce (as in OpenZeppelin's ERC-20)."""

_AS_USUAL = TokenSettings()
USDC_DECIMALS = 6


class CallReverted(Exception):
    """A call reverts; `data` is its revert data: a Solidity reason, or an error of ERC-6093."""

    def __init__(self, signature: str, *args: object) -> None:
        self.data = encode_call(Function.parse(signature), args)
        super().__init__(signature)


def overflow() -> CallReverted:
    """The revert of an arithmetic overflow: Solidity's panic 0x11."""
    return CallReverted("Panic(uint256)", 0x11)


class TokenMetadata(NamedTuple):
    """What is known of an ERC-20."""

    decimals: int
    symbol: str | None
    """None where it is the name of the registered contract."""
    price_usd: str


Ask: TypeAlias = Callable[[str, bytes], bytes]
"""What another contract answers to data; empty if it fails."""


def ask_none(_address: str, _data: bytes) -> bytes:
    """No answer, where no contract can be called."""
    return b""


class Token(NamedTuple):
    """A token contract on a chain of a project."""

    project: Project
    chain_id: int
    address: str
    ask: Ask = ask_none

    @property
    def key(self) -> str:
        """The prefix of the ids of its rows."""
        return f"{self.chain_id}:{self.address.lower()}"

    @property
    def strict(self) -> bool:
        """Whether insufficient balances and allowances revert."""
        return self.project.settings.strict_token_balances


def is_usdc(chain_id: int, address: str) -> bool:
    """Whether a chain has USDC at an address, in lower case."""
    return NETWORKS[chain_id].usdc == address


def is_weth(chain_id: int, address: str) -> bool:
    """Whether a chain has WETH, its wrapped coins, at an address, in lower case."""
    return (chain_id, address) in WETH


def token_settings(token: Token) -> TokenMetadata:
    """Decimals, symbol and price of a token: what the settings say, else those that are known, or usual."""
    address = token.address.lower()
    chosen = token.project.settings.tokens.get(address, _AS_USUAL)
    decimals, symbol = (USDC_DECIMALS, "USDC") if is_usdc(token.chain_id, address) else (18, None)
    symbol = "WETH" if is_weth(token.chain_id, address) else symbol
    return TokenMetadata(
        decimals if chosen.decimals is None else chosen.decimals,
        symbol if chosen.symbol is None else chosen.symbol,
        chosen.price_usd,
    )


def name_of(token: Token) -> str:
    """The name of a token: as USDC and WETH publish it, of a registered contract, or its symbol."""
    symbol = token_settings(token).symbol
    if is_usdc(token.chain_id, token.address.lower()) and symbol == "USDC":
        return "USDC" if NETWORKS[token.chain_id].testnet else "USD Coin"
    if is_weth(token.chain_id, token.address.lower()) and symbol == "WETH":
        return "Wrapped Ether"
    contract = contract_on_chain(token.project, token.chain_id, token.address)
    return (contract and contract.name) or symbol or ""


# --- reading -------------------------------------------------------------------------------------------


def balance_of(token: Token, holder: str, token_id: int | None = None) -> int:
    """The balance of an address, of a token or of one of its ids."""
    row = token.project.chains.token_holdings.get(_holding_id(token, holder, token_id))
    return row.balance if row else 0


def count_of(token: Token, holder: str) -> int:
    """The number of tokens of an ERC-721 contract that an address owns."""
    owned = f"{token.key}:{holder.lower()}"
    return sum(row.balance for row in token.project.chains.token_holdings.find("owned", owned))


def owner_of(token: Token, token_id: int) -> str | None:
    """The owner of an ERC-721 token, or None."""
    row = token.project.chains.token_holdings.first("unit", _unit(token, token_id))
    return row.holder if row else None


def supply_of(token: Token, token_id: int | None = None) -> int:
    """The total supply of a token, or of one of its ids."""
    row = token.project.chains.token_supplies.get(_unit(token, token_id))
    return row.amount if row else 0


def supply_of_all(token: Token) -> int:
    """The total supply of an ERC-721 contract."""
    return sum(row.balance for row in token.project.chains.token_holdings.find("token", token.key))


def has_ids(token: Token) -> bool:
    """Whether a contract has token ids, as its first holder shows."""
    row = token.project.chains.token_holdings.first("token", token.key)
    return row is not None and not row.id.endswith(":")


def most_of_one_id(token: Token) -> int | None:
    """The largest total supply of a token id of a contract, or None without ids."""
    held = token.project.chains.token_holdings.find("token", token.key)
    ids = {row.id.rpartition(":")[2] for row in held} - {""}
    return max((supply_of(token, int(each)) for each in ids), default=None)


def allowance(token: Token, owner: str, spender: str) -> int:
    """The amount of an owner's ERC-20 tokens that a spender may spend."""
    row = token.project.chains.token_approvals.get(f"{token.key}:{owner.lower()}:{spender.lower()}")
    return row.amount if row else 0


def find_approved(token: Token, token_id: int) -> str | None:
    """The approved address of an ERC-721 token, or None."""
    row = token.project.chains.token_approvals.get(f"{token.key}#{token_id}")
    return row.spender if row and row.amount else None


def is_operator(token: Token, owner: str, operator: str) -> bool:
    """Whether an operator may transfer all tokens that an owner has of a contract."""
    row = token.project.chains.token_approvals.get(f"{token.key}:{owner.lower()}:{operator.lower()}:all")
    return row is not None and row.amount > 0


class TokenBalance(NamedTuple):
    """The balance of a token."""

    contract: str
    token_id: int | None
    balance: int


def tokens_of(project: Project, chain_id: int, address: str) -> list[TokenBalance]:
    """Every token balance of an address on a chain, oldest first."""
    found = []
    for row in project.chains.token_holdings.find("holder", f"{chain_id}:{address.lower()}"):
        token_id = row.id.rpartition(":")[2]
        contract = row.token.partition(":")[2]
        found.append(TokenBalance(contract, int(token_id) if token_id else None, row.balance))
    return found


# --- writing -------------------------------------------------------------------------------------------


def issue(token: Token, holder: str, amount: int, token_id: int | None = None) -> None:
    """Mint tokens to an address. CallReverted when the total supply would exceed uint256."""
    _write(token, _issue(token, _holding(token, holder, token_id), amount, token_id))


def burn(token: Token, holder: str, amount: int, token_id: int | None = None) -> None:
    """Burn tokens of an address."""
    row = _ensure_amount(token, holder, amount, token_id)
    _write(token, _issue(token, row, -amount, token_id))


def move(token: Token, sender: str, receiver: str, amount: int, token_id: int | None = None) -> None:
    """Transfer tokens between addresses. CallReverted when the sender's balance is too low."""
    row = _ensure_amount(token, sender, amount, token_id)
    # Write before the receiver's row is read: a transfer to oneself must not change the balance.
    _write(token, row._replace(balance=row.balance - amount))
    there = _holding(token, receiver, token_id)
    _write(token, there._replace(balance=there.balance + amount))


def set_balance(token: Token, holder: str, balance: int, token_id: int | None = None) -> None:
    """Set a balance, minting or burning the difference. CallReverted when the supply exceeds uint256."""
    row = _holding(token, holder, token_id)
    _write(token, _issue(token, row, balance - row.balance, token_id))


def allow(token: Token, owner: str, spender: str, amount: int) -> None:
    """Set the allowance of a spender for an owner's ERC-20 tokens."""
    _approve(token, f"{token.key}:{owner.lower()}:{spender.lower()}", spender, amount)


def approve(token: Token, token_id: int, spender: str | None) -> None:
    """Set the approved address of an ERC-721 token; None clears it."""
    row_id = f"{token.key}#{token_id}"
    if spender is None and row_id not in token.project.chains.token_approvals:
        return
    _approve(token, row_id, spender or "", int(spender is not None))


def allow_all(token: Token, owner: str, operator: str, allowed: bool) -> None:
    """Set or clear an operator's approval for all tokens of an owner."""
    _approve(token, f"{token.key}:{owner.lower()}:{operator.lower()}:all", operator, int(allowed))


def spend_allowance(token: Token, owner: str, spender: str, amount: int) -> None:
    """Reduce an allowance by an amount. If the project is strict, CallReverted when it is too small."""
    left = allowance(token, owner, spender)
    # OpenZeppelin: the maximum allowance is infinite, and spending it saves the write.
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
    """A holding of at least this amount: the difference is issued, or if strict, CallReverted."""
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
    """Mint to a holding, or burn with a negative amount, and adjust the supply."""
    supply = TokenSupply(_unit(token, token_id), supply_of(token, token_id) + amount)
    if supply.amount > MOST:
        raise overflow()
    token.project.chains.token_supplies.put(supply)
    return row._replace(balance=row.balance + amount, issued=row.issued + amount)


def _write(token: Token, row: TokenHolding) -> None:
    token.project.chains.token_holdings.put(row)


def _approve(token: Token, row_id: str, spender: str, amount: int) -> None:
    token.project.chains.token_approvals.put(TokenApproval(row_id, spender, amount))
