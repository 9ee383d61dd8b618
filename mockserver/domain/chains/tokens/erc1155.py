"""The functions of ERC-1155."""

from collections.abc import Callable, Mapping, Sequence

from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.erc721 import approve_all
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.state.onchain import Log


def _move_one(
    token: Token, sender: str, owner: str, receiver: str, token_id: int, amount: int, data: bytes
) -> list[Log]:
    _require_operator(token, sender, owner)
    holdings.move(token, owner, receiver, amount, token_id)
    return [_single_log(token, sender, owner, receiver, token_id, amount)]


def _move_batch(
    token: Token,
    sender: str,
    owner: str,
    receiver: str,
    token_ids: list[int],
    amounts: list[int],
    data: bytes,
) -> list[Log]:
    _require_operator(token, sender, owner)
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.move(token, owner, receiver, amount, token_id)
    return [_batch_log(token, sender, owner, receiver, token_ids, amounts)]


def _mint_one(token: Token, sender: str, receiver: str, token_id: int, amount: int, data: bytes) -> list[Log]:
    holdings.issue(token, receiver, amount, token_id)
    return [_single_log(token, sender, ZERO_ADDRESS, receiver, token_id, amount)]


def _mint_batch(
    token: Token, sender: str, receiver: str, token_ids: list[int], amounts: list[int], data: bytes
) -> list[Log]:
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.issue(token, receiver, amount, token_id)
    return [_batch_log(token, sender, ZERO_ADDRESS, receiver, token_ids, amounts)]


def _burn_one(token: Token, sender: str, owner: str, token_id: int, amount: int) -> list[Log]:
    _require_operator(token, sender, owner)
    holdings.burn(token, owner, amount, token_id)
    return [_single_log(token, sender, owner, ZERO_ADDRESS, token_id, amount)]


def _burn_batch(token: Token, sender: str, owner: str, token_ids: list[int], amounts: list[int]) -> list[Log]:
    _require_operator(token, sender, owner)
    for token_id, amount in _pairs(token_ids, amounts):
        holdings.burn(token, owner, amount, token_id)
    return [_batch_log(token, sender, owner, ZERO_ADDRESS, token_ids, amounts)]


def _require_operator(token: Token, sender: str, owner: str) -> None:
    if token.strict and sender != owner and not holdings.is_operator(token, owner, sender):
        raise CallReverted("ERC1155MissingApprovalForAll(address,address)", sender, owner)


def _pairs(token_ids: list[int], amounts: list[int]) -> list[tuple[int, int]]:
    _require_equal(token_ids, amounts)
    return list(zip(token_ids, amounts, strict=True))


def _require_equal(token_ids: list[int], others: Sequence[object]) -> None:
    if len(token_ids) != len(others):
        raise CallReverted("ERC1155InvalidArrayLength(uint256,uint256)", len(token_ids), len(others))


def _single_log(token: Token, operator: str, sender: str, receiver: str, token_id: int, amount: int) -> Log:
    event = "TransferSingle(address,address,address,uint256,uint256)"
    return event_log(token.address, event, [operator, sender, receiver], [token_id, amount])


def _batch_log(
    token: Token, operator: str, sender: str, receiver: str, token_ids: list[int], amounts: list[int]
) -> Log:
    event = "TransferBatch(address,address,address,uint256[],uint256[])"
    return event_log(token.address, event, [operator, sender, receiver], [token_ids, amounts])


def _balances(token: Token, holders: list[str], token_ids: list[int]) -> list[int]:
    _require_equal(token_ids, holders)
    return [
        holdings.balance_of(token, holder, token_id)
        for holder, token_id in zip(holders, token_ids, strict=True)
    ]


CALLS: Mapping[str, Callable[..., list[Log]]] = {
    "setApprovalForAll(address,bool)": approve_all,
    "safeTransferFrom(address,address,uint256,uint256,bytes)": _move_one,
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)": _move_batch,
    "mint(address,uint256,uint256,bytes)": _mint_one,
    "mintBatch(address,uint256[],uint256[],bytes)": _mint_batch,
    "burn(address,uint256,uint256)": _burn_one,
    "burnBatch(address,uint256[],uint256[])": _burn_batch,
}

READS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "balanceOf(address,uint256)": ("uint256", holdings.balance_of),
    "balanceOfBatch(address[],uint256[])": ("uint256[]", _balances),
    "isApprovedForAll(address,address)": ("bool", holdings.is_operator),
    "totalSupply(uint256)": ("uint256", holdings.supply_of),
}
