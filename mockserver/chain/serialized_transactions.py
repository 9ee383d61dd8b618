"""Serialized transactions of every type: signed, as `eth_sendRawTransaction` takes them, or to be signed."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias, cast

from mockserver.chain import rlp
from mockserver.chain.addresses import checksum_of
from mockserver.chain.authorizations import RecoveredAuthorization, recover_authorization
from mockserver.chain.transaction_fields import FIELDS, LEGACY, Fields, check_each, check_integer, read_list
from mockserver.chain.transactions import EvmTransaction
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.secp256k1 import Signature, recover

_Items: TypeAlias = Mapping[str, rlp.DecodedRlp]
_SIGNATURE: Fields = {"y parity": check_integer, "r": check_integer, "s": check_integer}
_LEGACY_SIGNATURE: Fields = {"v": check_integer, "r": check_integer, "s": check_integer}


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


def read_signed(raw: bytes) -> tuple[EvmTransaction, int | None]:
    """Read a signed transaction, legacy or of type 1 to 4, and the chain id that it is for, if any.

    ValueError, in a sentence that names the field, when it is no such transaction, and for a bad signature.
    """
    fields, listed = _split(raw)
    if fields is LEGACY:
        return _read_legacy(_name(LEGACY, _LEGACY_SIGNATURE, listed))
    items = _name(fields, _SIGNATURE, listed)
    unsigned = raw[:1] + rlp.encode([items[name] for name in fields])
    sender = _signer(keccak256(unsigned), _integer(items, "y parity"), items)
    return _transaction(sender, items), _integer(items, "chain id")


def read_unsigned(raw: bytes) -> UnsignedTransaction:
    """Read a serialized unsigned transaction, legacy or of type 1 to 4.

    ValueError, in a sentence that names the field, when it is no such transaction or is already signed.
    """
    fields, listed = _split(raw)
    kind = "A legacy transaction" if fields is LEGACY else f"A transaction of type {raw[0]}"
    if fields is LEGACY and listed[7:] == [b"", b""]:
        # EIP-155: the chain id and two empty fields are in the places of v, r and s.
        fields, listed = {**LEGACY, "chain id": check_integer}, listed[:7]
    if len(listed) == len(fields) + 3:
        raise ValueError(f"{kind} was given that is already signed.")
    if len(listed) != len(fields):
        raise ValueError(f"{kind} has {len(fields)} unsigned fields, not {len(listed)}.")
    check_each(fields, listed)
    items = dict(zip(fields, listed, strict=True))
    to = cast(bytes, items["destination"])
    return UnsignedTransaction(
        digest=keccak256(raw),
        to=checksum_of(to) if to else None,
        value=_integer(items, "value"),
        data=cast(bytes, items["data"]),
        chain_id=_integer(items, "chain id") if "chain id" in items else None,
    )


def without_blobs(raw: bytes) -> bytes:
    """A signed transaction as it is in blocks, of one that may be sent with its blobs (EIP-4844, EIP-7594).

    ValueError if it names other blobs than those of the commitments beside it; proofs are not checked.
    """
    wrapped = read_list(raw[1:]) if raw[:1] == b"\x03" else []
    if len(wrapped) not in (4, 5) or not isinstance(wrapped[0], list):
        return raw
    # Behind the transaction, and behind a version since EIP-7594; the proofs are last.
    blobs, commitments = wrapped[-3:-1]
    hashes = [b"\x01" + sha256(each).digest()[1:] for each in commitments if isinstance(each, bytes)]
    place = list(FIELDS[3]).index("blob versioned hashes")
    if wrapped[0][place : place + 1] != [hashes] or len(blobs) != len(hashes):
        raise ValueError("The transaction's blob versioned hashes are not those of its blobs.")
    return raw[:1] + rlp.encode(wrapped[0])


def _split(raw: bytes) -> tuple[Fields, list[rlp.DecodedRlp]]:
    """The fields that a transaction of this type has before it is signed, and what is listed there."""
    if not raw:
        raise ValueError("The transaction is empty.")
    if raw[0] >= 0xC0:
        return LEGACY, read_list(raw)
    if raw[0] not in FIELDS:
        raise ValueError(f"0x{raw[0]:02x} starts no known type of transaction.")
    return FIELDS[raw[0]], read_list(raw[1:])


def _read_legacy(items: _Items) -> tuple[EvmTransaction, int | None]:
    unsigned: list[rlp.RlpItem] = [items[name] for name in LEGACY]
    v = _integer(items, "v")
    if v in (27, 28):
        return _transaction(_signer(keccak256(rlp.encode(unsigned)), v - 27, items), items), None
    if v < 35:
        raise ValueError(f"The transaction's v is {v}, not 27, 28 or that of a chain.")
    # EIP-155: the chain id is signed, too.
    chain_id, parity = divmod(v - 35, 2)
    digest = keccak256(rlp.encode([*unsigned, chain_id, 0, 0]))
    return _transaction(_signer(digest, parity, items), items), chain_id


def _name(fields: Fields, signature: Fields, items: list[rlp.DecodedRlp]) -> _Items:
    names = {**fields, **signature}
    if len(items) != len(names):
        raise ValueError(f"A signed transaction of this type has {len(names)} fields, not {len(items)}.")
    check_each(names, items)
    return dict(zip(names, items, strict=True))


def _signer(digest: bytes, parity: int, items: _Items) -> bytes:
    signature = Signature(_integer(items, "r"), _integer(items, "s"), parity)
    return keccak256(recover(digest, signature))[12:]


def _transaction(sender: bytes, items: _Items) -> EvmTransaction:
    price = items.get("gas price", b"")
    items = {"max fee per gas": price, "max priority fee per gas": price, **items}
    hashes = cast("list[bytes] | None", items.get("blob versioned hashes"))
    authorizations = cast("list[list[bytes]] | None", items.get("authorization list"))
    access_list = cast("list[tuple[bytes, list[bytes]]]", items.get("access list", ()))
    return EvmTransaction(
        sender=sender,
        to=cast(bytes, items["destination"]) or None,
        value=_integer(items, "value"),
        data=cast(bytes, items["data"]),
        gas=_integer(items, "gas limit"),
        nonce=_integer(items, "nonce"),
        max_fee_per_gas=_integer(items, "max fee per gas"),
        max_priority_fee_per_gas=_integer(items, "max priority fee per gas"),
        access_list=tuple((address, tuple(map(_number, slots))) for address, slots in access_list),
        max_fee_per_blob_gas=_integer(items, "max fee per blob gas"),
        blob_hashes=None if hashes is None else tuple(hashes),
        authorizations=None if authorizations is None else tuple(map(_read_authorization, authorizations)),
    )


def _read_authorization(fields: list[bytes]) -> RecoveredAuthorization:
    """An entry of an authorization list: chain id, address, nonce, y parity, r and s as bytes (EIP-7702)."""
    chain_id, address, *others = fields
    return recover_authorization(_number(chain_id), address, *map(_number, others))


def _integer(items: _Items, name: str) -> int:
    return _number(cast(bytes, items.get(name, b"")))


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")
