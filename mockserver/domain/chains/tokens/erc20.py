"""The functions of ERC-20."""

from collections.abc import Callable, Mapping

from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.state.onchain import Log


def transfer(token: Token, sender: str, receiver: str, amount: int) -> list[Log]:
    """Transfer an amount from the sender."""
    holdings.move(token, sender, receiver, amount)
    return _transfer_logs(token, sender, receiver, amount)


def _transfer_logs(token: Token, sender: str, receiver: str, amount: int) -> list[Log]:
    return [event_log(token.address, "Transfer(address,address,uint256)", [sender, receiver], [amount])]


def _transfer_from(token: Token, sender: str, owner: str, receiver: str, amount: int) -> list[Log]:
    if sender != owner:
        holdings.spend_allowance(token, owner, sender, amount)
    return transfer(token, owner, receiver, amount)


def approve(token: Token, sender: str, spender: str, amount: int) -> list[Log]:
    """Let a spender spend an amount of the sender's."""
    holdings.allow(token, sender, spender, amount)
    return [event_log(token.address, "Approval(address,address,uint256)", [sender, spender], [amount])]


def _increase(token: Token, sender: str, spender: str, more: int) -> list[Log]:
    amount = min(holdings.UNLIMITED, holdings.allowance(token, sender, spender) + more)
    return approve(token, sender, spender, amount)


def _decrease(token: Token, sender: str, spender: str, less: int) -> list[Log]:
    return approve(token, sender, spender, max(0, holdings.allowance(token, sender, spender) - less))


def _mint(token: Token, sender: str, receiver: str, amount: int) -> list[Log]:
    holdings.issue(token, receiver, amount)
    return _transfer_logs(token, ZERO_ADDRESS, receiver, amount)


def _mint_own(token: Token, sender: str, amount: int) -> list[Log]:
    return _mint(token, sender, sender, amount)


def _burn(token: Token, sender: str, amount: int) -> list[Log]:
    holdings.burn(token, sender, amount)
    return _transfer_logs(token, sender, ZERO_ADDRESS, amount)


def _burn_from(token: Token, sender: str, owner: str, amount: int) -> list[Log]:
    if sender != owner:
        holdings.spend_allowance(token, owner, sender, amount)
    return _burn(token, owner, amount)


def _decimals(token: Token) -> int:
    return holdings.token_settings(token).decimals


CALLS: Mapping[str, Callable[..., list[Log]]] = {
    "transfer(address,uint256)": transfer,
    "transferFrom(address,address,uint256)": _transfer_from,
    "approve(address,uint256)": approve,
    "increaseAllowance(address,uint256)": _increase,
    "decreaseAllowance(address,uint256)": _decrease,
    "mint(address,uint256)": _mint,
    "mint(uint256)": _mint_own,
    "burn(uint256)": _burn,
    "burnFrom(address,uint256)": _burn_from,
}

READS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "balanceOf(address)": ("uint256", holdings.balance_of),
    "totalSupply()": ("uint256", holdings.supply_of),
    "allowance(address,address)": ("uint256", holdings.allowance),
    "decimals()": ("uint8", _decimals),
}
"""What reads return, and how they are answered."""
