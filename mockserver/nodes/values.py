"""What the parameters of nodes are made of, as the execution API spells it, and what clients make of it."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import GetCoreSchemaHandler, PlainValidator
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from mockserver.chain.addresses import checksum_of
from mockserver.server.control.bodies import known_only

T = TypeVar("T", bound=type)

_BYTES = re.compile("0x(?:[0-9a-fA-F]{2})*")
_NUMBER = re.compile("0x[0-9a-fA-F]{1,64}")


def closed(kind: T) -> T:
    """Declare that a TypedDict has no other members: others are refused."""

    def read(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        names = list(source.__annotations__)
        return known_only(handler(source), names, f"must be an object of {', '.join(names)}")

    kind.__get_pydantic_core_schema__ = read  # type: ignore[attr-defined]
    return kind


def _read_quantity(value: object) -> int:
    # Zeros in front, as in 0x00, and plain numbers are no quantities of the API, and usual all the same.
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**256:
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value, 16)
    raise ValueError("must be a quantity: 0x and at most 64 hexadecimal digits")


def _read_nonce(value: object) -> int:
    nonce = _read_quantity(value)
    if nonce >= 2**64:
        raise ValueError("must be a nonce: at most 64 bits (EIP-2681)")
    return nonce


def _read_bytes(value: object) -> bytes:
    if not isinstance(value, str) or not _BYTES.fullmatch(value):
        raise ValueError("must be 0x and an even number of hexadecimal digits")
    return bytes.fromhex(value[2:])


def _sized(size: int, what: str) -> Callable[[object], bytes]:
    def read(value: object) -> bytes:
        raw = _read_bytes(value)
        if len(raw) != size:
            raise ValueError(f"must be {what}: 0x and {2 * size} hexadecimal digits")
        return raw

    return read


_read_hash = _sized(32, "a hash")
_read_address = _sized(20, "an address")

Quantity = Annotated[int, PlainValidator(_read_quantity)]
Nonce = Annotated[int, PlainValidator(_read_nonce)]
Data = Annotated[bytes, PlainValidator(_read_bytes)]
Hash = Annotated[bytes, PlainValidator(_read_hash)]
RawAddress = Annotated[bytes, PlainValidator(_read_address)]
Address = Annotated[str, PlainValidator(lambda value: checksum_of(_read_address(value)))]
"""An address, whatever the case of its digits; with its checksum."""

Tag = Literal["latest", "pending", "earliest", "safe", "finalized"]


def _read_block(value: object) -> int | bytes | str:
    """A block's number, its hash or a tag (EIP-1898)."""
    if value in ("latest", "pending", "earliest", "safe", "finalized"):
        return str(value)
    if isinstance(value, dict):
        if len({"blockNumber", "blockHash"} & value.keys()) != 1:
            raise ValueError("must have either blockNumber or blockHash")
        if "blockNumber" in value:
            return _read_quantity(value["blockNumber"])
        return _read_hash(value["blockHash"])
    if isinstance(value, str) and len(value) == 66:
        return _read_hash(value)
    try:
        return _read_quantity(value)
    except ValueError:
        raise ValueError("must be a block's number, its hash or latest, pending, safe, ...") from None


Block = Annotated[int | bytes | Tag, PlainValidator(_read_block)]
"""A block: its number, its hash, or a tag."""


class AccessTuple(TypedDict):
    """An address with slots of its storage (EIP-2930)."""

    address: RawAddress
    storageKeys: list[Quantity]


class SignedAuthorization(TypedDict, total=False):
    """The right to set the code of the account that has signed it (EIP-7702)."""

    chainId: Quantity
    address: Address
    nonce: Quantity
    yParity: Quantity
    r: Quantity
    s: Quantity


_Named = TypedDict("_Named", {"from": Address}, total=False)


class TransactionObject(_Named, total=False):
    """A transaction as callers describe it, in part. Members of other kinds are left alone."""

    type: Quantity
    chainId: Quantity
    nonce: Quantity
    to: Address | None
    value: Quantity
    gas: Quantity
    gasPrice: Quantity
    maxFeePerGas: Quantity
    maxPriorityFeePerGas: Quantity
    maxFeePerBlobGas: Quantity
    blobVersionedHashes: list[Hash]
    input: Data
    data: Data
    accessList: list[AccessTuple]
    authorizationList: list[SignedAuthorization]


def to_word(value: int) -> str:
    """A number in the 32 bytes of a word."""
    return f"0x{value:064x}"


def to_hex(value: int | bytes) -> str:
    """A quantity or bytes."""
    return hex(value) if isinstance(value, int) else "0x" + value.hex()
