"""The functions of ERC-1155."""

from collections.abc import Callable, Mapping, Sequence

from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.erc721 import approve_all
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.state.onchain import Log

_Numbers = int | list[int]
"""One, or those of a batch."""


def _move(
    token: Token, sender: str, owner: str, receiver: str, token_ids: _Numbers, amounts: _Numbers, data: bytes
) -> list[Log]:
    _require_operator(token, sender, owner)
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.move(token, owner, receiver, amount, token_id)
    return [_log(token, sender, owner, receiver, token_ids, amounts)]


def _mint(
    token: Token, sender: str, receiver: str, token_ids: _Numbers, amounts: _Numbers, data: bytes
) -> list[Log]:
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.issue(token, receiver, amount, token_id)
    return [_log(token, sender, ZERO_ADDRESS, receiver, token_ids, amounts)]


def _burn(token: Token, sender: str, owner: str, token_ids: _Numbers, amounts: _Numbers) -> list[Log]:
    _require_operator(token, sender, owner)
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.burn(token, owner, amount, token_id)
    return [_log(token, sender, owner, ZERO_ADDRESS, token_ids, amounts)]


def _require_operator(token: Token, sender: str, owner: str) -> None:
    if token.strict and sender != owner and not holdings.is_operator(token, owner, sender):
        raise CallReverted("ERC1155MissingApprovalForAll(address,address)", sender, owner)


def _pairs(token_ids: _Numbers, amounts: _Numbers) -> list[tuple[int, int]]:
    ids, counts = ([each] if isinstance(each, int) else each for each in (token_ids, amounts))
    _require_equal(ids, counts)
    return list(zip(ids, counts, strict=True))


def _require_equal(token_ids: list[int], others: Sequence[object]) -> None:
    if len(token_ids) != len(others):
        raise CallReverted("ERC1155InvalidArrayLength(uint256,uint256)", len(token_ids), len(others))


def _log(
    token: Token, operator: str, sender: str, receiver: str, token_ids: _Numbers, amounts: _Numbers
) -> Log:
    kind, numbers = ("Single", "uint256") if isinstance(token_ids, int) else ("Batch", "uint256[]")
    event = f"Transfer{kind}(address,address,address,{numbers},{numbers})"
    return event_log(token.address, event, [operator, sender, receiver], [token_ids, amounts])


def _balances(token: Token, holders: list[str], token_ids: list[int]) -> list[int]:
    _require_equal(token_ids, holders)
    return [
        holdings.balance_of(token, holder, token_id)
        for holder, token_id in zip(holders, token_ids, strict=True)
    ]


CALLS: Mapping[str, Callable[..., list[Log]]] = {
    "setApprovalForAll(address,bool)": approve_all,
    "safeTransferFrom(address,address,uint256,uint256,bytes)": _move,
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)": _move,
    "mint(address,uint256,uint256,bytes)": _mint,
    "mintBatch(address,uint256[],uint256[],bytes)": _mint,
    "burn(address,uint256,uint256)": _burn,
    "burnBatch(address,uint256[],uint256[])": _burn,
}

READS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "balanceOf(address,uint256)": ("uint256", holdings.balance_of),
    "balanceOfBatch(address[],uint256[])": ("uint256[]", _balances),
    "isApprovedForAll(address,address)": ("bool", holdings.is_operator),
    "totalSupply(uint256)": ("uint256", holdings.supply_of),
}
