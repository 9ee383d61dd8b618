"""The functions of ERC-721."""

from collections.abc import Callable, Mapping

from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.state.onchain import Log


def _move_nft(
    token: Token, sender: str, owner: str, receiver: str, token_id: int, data: bytes = b""
) -> list[Log]:
    _require_mover(token, sender, owner, token_id)
    holdings.approve(token, token_id, None)
    holdings.move(token, owner, receiver, 1, token_id)
    return [_nft_log(token, owner, receiver, token_id)]


def _require_mover(token: Token, sender: str, owner: str, token_id: int) -> None:
    """Revert unless the token is the owner's, and if the project is strict, unless the sender may move it.

    A token without a known owner passes: it may predate the mock.
    """
    known = holdings.owner_of(token, token_id)
    if known is None and token.strict:
        raise CallReverted("ERC721NonexistentToken(uint256)", token_id)
    if known not in (None, owner):
        raise CallReverted("ERC721IncorrectOwner(address,uint256,address)", owner, token_id, known)
    if token.strict and not _may_move(token, sender, owner, token_id):
        raise CallReverted("ERC721InsufficientApproval(address,uint256)", sender, token_id)


def _may_move(token: Token, sender: str, owner: str, token_id: int) -> bool:
    return sender in (owner, holdings.find_approved(token, token_id)) or holdings.is_operator(
        token, owner, sender
    )


def _approve_nft(token: Token, sender: str, spender: str, token_id: int) -> list[Log]:
    owner = holdings.owner_of(token, token_id)
    if owner is None and token.strict:
        raise CallReverted("ERC721NonexistentToken(uint256)", token_id)
    holdings.approve(token, token_id, None if spender == ZERO_ADDRESS else spender)
    approved = [owner or sender, spender, token_id]
    return [event_log(token.address, "Approval(address,address,uint256)", approved)]


def approve_all(token: Token, sender: str, operator: str, allowed: bool) -> list[Log]:
    holdings.allow_all(token, sender, operator, allowed)
    return [event_log(token.address, "ApprovalForAll(address,address,bool)", [sender, operator], [allowed])]


def _mint_nft(token: Token, sender: str, receiver: str, token_id: int) -> list[Log]:
    if holdings.owner_of(token, token_id) is not None:
        raise CallReverted("ERC721InvalidSender(address)", ZERO_ADDRESS)
    holdings.issue(token, receiver, 1, token_id)
    return [_nft_log(token, ZERO_ADDRESS, receiver, token_id)]


def _mint_next(token: Token, sender: str, receiver: str, uri: str = "") -> list[Log]:
    return _mint_nft(token, sender, receiver, _free_id(token))


def _free_id(token: Token) -> int:
    """The next id of a counter from 0.

    Its ids are consecutive, so a binary search finds the first free one.
    """
    free = 1
    while holdings.owner_of(token, free - 1) is not None:
        free *= 2
    low, high = free // 2, free - 1
    while low < high:
        middle = (low + high) // 2
        if holdings.owner_of(token, middle) is None:
            high = middle
        else:
            low = middle + 1
    return high


def _burn_nft(token: Token, sender: str, token_id: int) -> list[Log]:
    owner = holdings.owner_of(token, token_id) or sender
    _require_mover(token, sender, owner, token_id)
    holdings.approve(token, token_id, None)
    holdings.burn(token, owner, 1, token_id)
    return [_nft_log(token, owner, ZERO_ADDRESS, token_id)]


def _nft_log(token: Token, sender: str, receiver: str, token_id: int) -> Log:
    return event_log(token.address, "Transfer(address,address,uint256)", [sender, receiver, token_id])


def _owner_of(token: Token, token_id: int) -> str:
    return holdings.owner_of(token, token_id) or ZERO_ADDRESS


def _get_approved(token: Token, token_id: int) -> str:
    return holdings.find_approved(token, token_id) or ZERO_ADDRESS


CALLS: Mapping[str, Callable[..., list[Log]]] = {
    "transferFrom(address,address,uint256)": _move_nft,
    "approve(address,uint256)": _approve_nft,
    "setApprovalForAll(address,bool)": approve_all,
    "mint(address,uint256)": _mint_nft,
    "mint(address)": _mint_next,
    "burn(uint256)": _burn_nft,
    "safeTransferFrom(address,address,uint256)": _move_nft,
    "safeTransferFrom(address,address,uint256,bytes)": _move_nft,
    "safeMint(address,uint256)": _mint_nft,
    "safeMint(address,string)": _mint_next,
    "safeMint(address)": _mint_next,
}

READS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "balanceOf(address)": ("uint256", holdings.count_of),
    "ownerOf(uint256)": ("address", _owner_of),
    "getApproved(uint256)": ("address", _get_approved),
    "isApprovedForAll(address,address)": ("bool", holdings.is_operator),
    "totalSupply()": ("uint256", holdings.supply_of_all),
}
