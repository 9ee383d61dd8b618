"""Serialized unsigned transactions of every kind that a key may be asked to sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn

from mockserver.chain import rlp
from mockserver.chain.addresses import checksum_of
from mockserver.crypto.keccak import keccak256


class UnsignedTransaction(NamedTuple):
    """The fields of an unsigned transaction that policies see."""

    digest: bytes
    """The digest to sign."""
    to: str | None
    """None creates a contract."""
    value: int
    data: bytes
    chain_id: int | None
    """None for a legacy transaction without replay protection (before EIP-155)."""


def read_unsigned(raw: bytes) -> UnsignedTransaction:
    """Read a serialized unsigned transaction, legacy or of type 1 to 4.

    ValueError, in a sentence that names the field, when it is no such transaction or is already signed.
    """
    if not raw:
        raise ValueError("The transaction is empty.")
    if raw[0] >= 0xC0:
        items = _read_list(raw)
        _check_legacy(items)
        names = [*_LEGACY, "chain id"]
    elif raw[0] in _FIELDS:
        items = _read_list(raw[1:])
        _check_fields(items, _FIELDS[raw[0]], f"A transaction of type {raw[0]}")
        names = list(_FIELDS[raw[0]])
    else:
        raise ValueError(f"0x{raw[0]:02x} starts no known type of transaction.")
    # The field checks above have ensured that these four are bytes.
    found = {name: item for name, item in zip(names, items, strict=False) if isinstance(item, bytes)}
    to = found["destination"]
    return UnsignedTransaction(
        digest=keccak256(raw),
        to=checksum_of(to) if to else None,
        value=int.from_bytes(found["value"], "big"),
        data=found["data"],
        chain_id=int.from_bytes(found["chain id"], "big") if "chain id" in found else None,
    )


def signing_digest(raw: bytes) -> bytes:
    """Return the digest to sign for a serialized unsigned transaction; ValueError as `read_unsigned`."""
    return read_unsigned(raw).digest


_Check = Callable[[str, rlp.DecodedRlp], None]
_Fields = Mapping[str, _Check]


def _read_list(raw: bytes) -> list[rlp.DecodedRlp]:
    item = rlp.decode(raw)
    if isinstance(item, bytes):
        raise ValueError("A transaction is a list of fields.")
    return item


def _check_legacy(items: list[rlp.DecodedRlp]) -> None:
    kind = "A legacy transaction"
    if len(items) != 9:
        _check_fields(items, _LEGACY, kind)
        return
    # EIP-155: the chain id and two empty fields are in the places of v, r and s.
    _check_fields(items[:6], _LEGACY, kind)
    _check_integer("chain id", items[6])
    if items[7:] != [b"", b""]:
        _reject_signed(kind)


def _check_fields(items: list[rlp.DecodedRlp], fields: _Fields, kind: str) -> None:
    if len(items) == len(fields) + 3:
        _reject_signed(kind)
    if len(items) != len(fields):
        raise ValueError(f"{kind} has {len(fields)} unsigned fields, not {len(items)}.")
    for (name, check), item in zip(fields.items(), items, strict=True):
        check(name, item)


def _reject_signed(kind: str) -> NoReturn:
    raise ValueError(f"{kind} was given that is already signed.")


def _check_bytes(name: str, item: rlp.DecodedRlp) -> None:
    if not isinstance(item, bytes):
        raise ValueError(f"The transaction's {name} is a list instead of bytes.")


def _check_integer(name: str, item: rlp.DecodedRlp) -> None:
    if not isinstance(item, bytes) or len(item) > 32 or item.startswith(b"\0"):
        raise ValueError(
            f"The transaction's {name} is not an integer of up to 32 bytes without leading zeros."
        )


def _check_length(name: str, item: rlp.DecodedRlp, length: int) -> None:
    if not isinstance(item, bytes) or len(item) != length:
        raise ValueError(f"The transaction's {name} does not have {length} bytes.")


def _check_address(name: str, item: rlp.DecodedRlp) -> None:
    _check_length(name, item, 20)


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
        for (field, check), value in zip(_AUTHORIZATION.items(), fields, strict=True):
            check(f"{name} {field}", value)


_AUTHORIZATION: _Fields = {
    "chain id": _check_integer,
    "address": _check_address,
    "nonce": _check_integer,
    "y parity": _check_integer,
    "r": _check_integer,
    "s": _check_integer,
}
_PAYLOAD: _Fields = {
    "gas limit": _check_integer,
    "destination": _check_destination,
    "value": _check_integer,
    "data": _check_bytes,
}
_LEGACY: _Fields = {"nonce": _check_integer, "gas price": _check_integer, **_PAYLOAD}
_ACCESS_LIST: _Fields = {"chain id": _check_integer, **_LEGACY, "access list": _check_access_list}
_FEE_MARKET: _Fields = {
    "chain id": _check_integer,
    "nonce": _check_integer,
    "max priority fee per gas": _check_integer,
    "max fee per gas": _check_integer,
    **_PAYLOAD,
    "access list": _check_access_list,
}
_BLOB: _Fields = {
    **_FEE_MARKET,
    "destination": _check_address,
    "max fee per blob gas": _check_integer,
    "blob versioned hashes": _check_hashes,
}
_SET_CODE: _Fields = {
    **_FEE_MARKET,
    "destination": _check_address,
    "authorization list": _check_authorizations,
}
# By the byte that a transaction starts with: EIP-2930, EIP-1559, EIP-4844, EIP-7702.
_FIELDS: Mapping[int, _Fields] = {1: _ACCESS_LIST, 2: _FEE_MARKET, 3: _BLOB, 4: _SET_CODE}
