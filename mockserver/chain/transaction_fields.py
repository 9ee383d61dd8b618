"""The fields of transactions of every type, in the order of their RLP list, and what each has to be."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from mockserver.chain import rlp

Check: TypeAlias = Callable[[str, rlp.DecodedRlp], None]
Fields: TypeAlias = Mapping[str, Check]


def read_list(raw: bytes) -> list[rlp.DecodedRlp]:
    """The fields in an RLP list; ValueError for anything else."""
    item = rlp.decode(raw)
    if isinstance(item, bytes):
        raise ValueError("A transaction is a list of fields.")
    return item


def check_each(names: Fields, items: list[rlp.DecodedRlp], within: str = "") -> None:
    """ValueError that names the field for the first item that is not what it has to be."""
    for (name, check), item in zip(names.items(), items, strict=True):
        check(within + name, item)


def _check_bytes(name: str, item: rlp.DecodedRlp) -> None:
    if not isinstance(item, bytes):
        raise ValueError(f"The transaction's {name} is a list instead of bytes.")


def check_integer(name: str, item: rlp.DecodedRlp) -> None:
    """ValueError unless an item is an integer of at most 256 bits, in its shortest form."""
    if not isinstance(item, bytes) or len(item) > 32 or item.startswith(b"\0"):
        raise ValueError(
            f"The transaction's {name} is not an integer of up to 32 bytes without leading zeros."
        )


def _check_length(name: str, item: rlp.DecodedRlp, length: int) -> None:
    if not isinstance(item, bytes) or len(item) != length:
        raise ValueError(f"The transaction's {name} does not have {length} bytes.")


_check_address = partial(_check_length, length=20)


def _check_destination(name: str, item: rlp.DecodedRlp) -> None:
    if item != b"":
        _check_address(name, item)


def _check_list(name: str, item: rlp.DecodedRlp) -> list[rlp.DecodedRlp]:
    if isinstance(item, bytes):
        raise ValueError(f"The transaction's {name} is not a list.")
    return item


def _check_access_list(name: str, item: rlp.DecodedRlp) -> None:
    for entry in _check_list(name, item):
        pair = _check_list(name, entry)
        if len(pair) != 2:
            raise ValueError(f"An entry of the transaction's {name} is an address and its storage keys.")
        _check_address(f"{name} address", pair[0])
        _check_hashes(f"{name} storage key", pair[1])


def _check_hashes(name: str, item: rlp.DecodedRlp) -> None:
    for entry in _check_list(name, item):
        _check_length(name, entry, 32)


def _check_authorizations(name: str, item: rlp.DecodedRlp) -> None:
    for entry in _check_list(name, item):
        fields = _check_list(name, entry)
        if len(fields) != len(_AUTHORIZATION):
            raise ValueError(f"An entry of the transaction's {name} has {len(_AUTHORIZATION)} fields.")
        check_each(_AUTHORIZATION, fields, f"{name} ")


_AUTHORIZATION: Fields = {
    "chain id": check_integer,
    "address": _check_address,
    "nonce": check_integer,
    "y parity": check_integer,
    "r": check_integer,
    "s": check_integer,
}
_PAYLOAD: Fields = {
    "gas limit": check_integer,
    "destination": _check_destination,
    "value": check_integer,
    "data": _check_bytes,
}
LEGACY: Fields = {"nonce": check_integer, "gas price": check_integer, **_PAYLOAD}
_ACCESS_LIST: Fields = {"chain id": check_integer, **LEGACY, "access list": _check_access_list}
_FEE_MARKET: Fields = {
    "chain id": check_integer,
    "nonce": check_integer,
    "max priority fee per gas": check_integer,
    "max fee per gas": check_integer,
    **_PAYLOAD,
    "access list": _check_access_list,
}
_BLOB: Fields = {
    **_FEE_MARKET,
    "destination": _check_address,
    "max fee per blob gas": check_integer,
    "blob versioned hashes": _check_hashes,
}
_SET_CODE: Fields = {
    **_FEE_MARKET,
    "destination": _check_address,
    "authorization list": _check_authorizations,
}
# By the byte that a transaction starts with: EIP-2930, EIP-1559, EIP-4844, EIP-7702.
FIELDS: Mapping[int, Fields] = {1: _ACCESS_LIST, 2: _FEE_MARKET, 3: _BLOB, 4: _SET_CODE}
