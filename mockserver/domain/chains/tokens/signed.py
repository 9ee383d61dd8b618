"""What a signature permits of an ERC-20: allowances (ERC-2612) and transfers (ERC-3009), as USDC has them.

Contracts are asked whether they have signed (ERC-1271). What a deployed account without code has, whose owner
is not known, is taken as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.crypto.messages import typed_data_digest
from mockserver.crypto.typed_data import hash_domain
from mockserver.domain.chains import ledger
from mockserver.domain.chains.account_signatures import VALID, find_signer
from mockserver.domain.chains.tokens import erc20, holdings
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.state.onchain import Log

# Where Circle's FiatTokenV2_2 keeps them.
_AUTHORIZATIONS_SLOT = 16
_NONCES_SLOT = 17

_MOVED = "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce"
_TRANSFER = f"TransferWithAuthorization({_MOVED})"
_RECEIVE = f"ReceiveWithAuthorization({_MOVED})"
_CANCEL = "CancelAuthorization(address authorizer,bytes32 nonce)"
_PERMIT = "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
"""The structs that are signed."""
_IS_VALID = Function.parse("isValidSignature(bytes32,bytes)")


def _move(token: Token, sender: str, *arguments: Any, struct: str) -> list[Log]:
    owner, receiver, amount, after, before, nonce, *signature = arguments
    if struct == _RECEIVE and sender != receiver:
        raise _refused("FiatTokenV2: caller must be the payee")
    now_s = _block_time_s(token)
    if now_s <= after:
        raise _refused("FiatTokenV2: authorization is not yet valid")
    if now_s >= before:
        raise _refused("FiatTokenV2: authorization is expired")
    used = _use(token, owner, nonce, struct, arguments[:6], signature)
    return [used, *erc20.transfer(token, owner, receiver, amount)]


def _cancel(token: Token, sender: str, owner: str, nonce: bytes, *signature: Any) -> list[Log]:
    return [_use(token, owner, nonce, _CANCEL, (owner, nonce), signature)]


def _use(
    token: Token, owner: str, nonce: bytes, struct: str, values: Sequence[object], signature: Sequence[Any]
) -> Log:
    """Use the nonce of an authorization up."""
    if _is_used(token, owner, nonce):
        raise _refused("FiatTokenV2: authorization is used or canceled")
    _require_signed(token, owner, struct, values, signature, "FiatTokenV2: invalid signature")
    ledger.set_slot(token.project, token.chain_id, token.address, _authorization_slot(owner, nonce), 1)
    event = f"Authorization{'Canceled' if struct == _CANCEL else 'Used'}(address,bytes32)"
    return event_log(token.address, event, [owner, nonce])


def _permit(
    token: Token, sender: str, owner: str, spender: str, amount: int, deadline: int, *signature: Any
) -> list[Log]:
    if _block_time_s(token) > deadline:
        raise _refused("FiatTokenV2: permit is expired")
    nonce = _nonce_of(token, owner)
    values = (owner, spender, amount, nonce, deadline)
    _require_signed(token, owner, _PERMIT, values, signature, "EIP2612: invalid signature")
    ledger.set_slot(token.project, token.chain_id, token.address, _nonce_slot(owner), nonce + 1)
    return erc20.approve(token, owner, spender, amount)


def _require_signed(
    token: Token, owner: str, struct: str, values: Sequence[object], signature: Sequence[Any], reason: str
) -> None:
    """CallReverted unless the owner has signed: with v, r and s, or with the 65 bytes of them."""
    typed = _typed_data(token, struct, values)
    raw = signature[0] if len(signature) == 1 else signature[1] + signature[2] + bytes([signature[0]])
    digest = typed_data_digest(typed)
    here = ledger.chain_account(token.project, token.chain_id, owner)
    is_run = ledger.is_run(token.project, token.chain_id, owner, here.delegate or owner)
    if not is_run and find_signer(digest, raw) == owner:
        return
    answer = token.ask(owner, encode_call(_IS_VALID, [digest, raw]))
    if not (answer[:32] == VALID or (here.deployed and not answer and not is_run)):
        raise _refused(reason)


def _typed_data(token: Token, struct: str, values: Sequence[object]) -> dict[str, Any]:
    declared = Function.parse(struct)
    shown = ["0x" + each.hex() if isinstance(each, bytes) else each for each in values]
    return {
        "types": {declared.name: [{"name": each.name, "type": each.type} for each in declared.inputs]},
        "primaryType": declared.name,
        "domain": {
            "name": holdings.name_of(token),
            "version": _version(token),
            "chainId": token.chain_id,
            "verifyingContract": token.address,
        },
        "message": {each.name: value for each, value in zip(declared.inputs, shown, strict=False)},
    }


def _separator(token: Token) -> bytes:
    return hash_domain(_typed_data(token, _PERMIT, ()))


def _version(token: Token) -> str:
    return "2" if holdings.is_usdc(token.chain_id, token.address.lower()) else "1"


def _block_time_s(token: Token) -> int:
    number = ledger.block_at(token.project, token.chain_id, token.project.clock.now_ms).number
    return ledger.block_time_s(token.project, token.chain_id, number)


def _nonce_slot(owner: str) -> int:
    return ledger.slot_in_mapping(int(owner, 16), _NONCES_SLOT)


def _authorization_slot(owner: str, nonce: bytes) -> int:
    outer = ledger.slot_in_mapping(int(owner, 16), _AUTHORIZATIONS_SLOT)
    return ledger.slot_in_mapping(int.from_bytes(nonce, "big"), outer)


def _nonce_of(token: Token, owner: str) -> int:
    return ledger.slot_at(token.project, token.chain_id, token.address, _nonce_slot(owner))


def _is_used(token: Token, owner: str, nonce: bytes) -> bool:
    slot = _authorization_slot(owner, nonce)
    return bool(ledger.slot_at(token.project, token.chain_id, token.address, slot))


def _refused(reason: str) -> CallReverted:
    return CallReverted("Error(string)", reason)


_AUTHORIZATION = "address,address,uint256,uint256,uint256,bytes32"
_BY_START: Mapping[str, Callable[..., list[Log]]] = {
    f"transferWithAuthorization({_AUTHORIZATION}": partial(_move, struct=_TRANSFER),
    f"receiveWithAuthorization({_AUTHORIZATION}": partial(_move, struct=_RECEIVE),
    "cancelAuthorization(address,bytes32": _cancel,
    "permit(address,address,uint256,uint256": _permit,
}

CALLS: Mapping[str, Callable[..., list[Log]]] = {
    f"{start},{signature})": run
    for start, run in _BY_START.items()
    for signature in ("uint8,bytes32,bytes32", "bytes")
}

READS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "version()": ("string", _version),
    "DOMAIN_SEPARATOR()": ("bytes32", _separator),
    "nonces(address)": ("uint256", _nonce_of),
    "authorizationState(address,bytes32)": ("bool", _is_used),
}
