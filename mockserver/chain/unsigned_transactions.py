"""Serialized unsigned transactions of every kind that a key may be asked to sign."""

from typing import NamedTuple, NoReturn

from mockserver.chain import rlp
from mockserver.chain.addresses import checksum_of
from mockserver.chain.transaction_fields import FIELDS, LEGACY, Fields, check_each, check_integer, read_list
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
        items = read_list(raw)
        _check_legacy(items)
        names = [*LEGACY, "chain id"]
    elif raw[0] in FIELDS:
        items = read_list(raw[1:])
        _check_fields(items, FIELDS[raw[0]], f"A transaction of type {raw[0]}")
        names = list(FIELDS[raw[0]])
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


def _check_legacy(items: list[rlp.DecodedRlp]) -> None:
    kind = "A legacy transaction"
    if len(items) != 9:
        _check_fields(items, LEGACY, kind)
        return
    # EIP-155: the chain id and two empty fields are in the places of v, r and s.
    _check_fields(items[:6], LEGACY, kind)
    check_integer("chain id", items[6])
    if items[7:] != [b"", b""]:
        _reject_signed(kind)


def _check_fields(items: list[rlp.DecodedRlp], fields: Fields, kind: str) -> None:
    if len(items) == len(fields) + 3:
        _reject_signed(kind)
    if len(items) != len(fields):
        raise ValueError(f"{kind} has {len(fields)} unsigned fields, not {len(items)}.")
    check_each(fields, items)


def _reject_signed(kind: str) -> NoReturn:
    raise ValueError(f"{kind} was given that is already signed.")
