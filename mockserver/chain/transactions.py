"""EVM transactions: with a fee market (EIP-1559), those that set code (EIP-7702), and of any type."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mockserver.chain import rlp
from mockserver.chain.addresses import address_bytes
from mockserver.chain.authorizations import Authorization, RecoveredAuthorization
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.secp256k1 import Signature

GAS_PER_BLOB = 1 << 17


@dataclass(frozen=True, slots=True)
class FeeMarketTransaction:
    """An EIP-1559 transaction (type 2), or an EIP-7702 one (type 4) when it has authorizations.

    Amounts are wei, `gas` is the limit in units; `to` is None for a deployment; each entry of
    `access_list` is an address and its 32-byte storage keys.
    """

    chain_id: int
    nonce: int
    max_priority_fee_per_gas: int
    max_fee_per_gas: int
    gas: int
    to: str | None
    value: int
    data: bytes
    access_list: tuple[tuple[str, tuple[bytes, ...]], ...] = ()
    authorizations: tuple[Authorization, ...] | None = None

    def __post_init__(self) -> None:
        if self.authorizations is not None and self.to is None:
            raise ValueError("A transaction with authorizations cannot be a deployment (EIP-7702).")

    def serialize_unsigned(self) -> bytes:
        """Return the transaction as it is signed: its type and the RLP of its fields."""
        return self._serialize()

    def signing_hash(self) -> bytes:
        """Return the digest that the sender signs."""
        return keccak256(self.serialize_unsigned())

    def serialize(self, signature: Signature) -> bytes:
        """Return the signed transaction as the network takes it."""
        # Typed transactions have the parity itself (0 or 1), not the v of legacy ones (27, 28 or EIP-155).
        # r and s are integers: leading zero bytes are dropped.
        return self._serialize(signature.y_parity, signature.r, signature.s)

    def serialize_simulated(self) -> bytes:
        """Return the transaction with zeros for its signature, as geth hashes one that is only simulated."""
        return self._serialize(0, 0, 0)

    def hash(self, signature: Signature) -> bytes:
        """Return the transaction hash."""
        return keccak256(self.serialize(signature))

    def _serialize(self, *signed: int) -> bytes:
        # The type byte is outside the RLP (EIP-2718).
        kind = b"\x02" if self.authorizations is None else b"\x04"
        return kind + rlp.encode_list(_encode_fields(self) + rlp.encode_items(signed))


class LegacyTransaction(FeeMarketTransaction):
    """A transaction of a chain without a type (EIP-155). Both fees are its gas price, and it has no lists."""

    def _serialize(self, *signed: int) -> bytes:
        parity, r, s = signed or (-35 - self.chain_id, 0, 0)
        fields = [self.nonce, self.max_fee_per_gas, *_call_of(self)]
        return rlp.encode([*fields, parity + 35 + 2 * self.chain_id, r, s])


class AccessListTransaction(FeeMarketTransaction):
    """An EIP-2930 transaction (type 1). Both fees are its gas price."""

    def _serialize(self, *signed: int) -> bytes:
        fields = [self.chain_id, self.nonce, self.max_fee_per_gas, *_call_of(self), _access_list_of(self)]
        return b"\x01" + rlp.encode([*fields, *signed])


@dataclass(frozen=True, slots=True)
class BlobTransaction(FeeMarketTransaction):
    """An EIP-4844 transaction (type 3) as it is in blocks, without its blobs."""

    max_fee_per_blob_gas: int = 0
    blob_hashes: tuple[bytes, ...] = ()

    def _serialize(self, *signed: int) -> bytes:
        items: list[rlp.RlpItem] = [self.max_fee_per_blob_gas, list(self.blob_hashes), *signed]
        return b"\x03" + rlp.encode_list(_encode_fields(self) + rlp.encode_items(items))


@lru_cache(maxsize=16)
def _encode_fields(transaction: FeeMarketTransaction) -> bytes:
    """Encode what is signed: a transaction is serialized several times, to be priced, signed and hashed."""
    # The order of fields is that of EIP-1559; the priority fee comes before the maximum fee. EIP-7702 has
    # the authorizations after the access list.
    fields: list[rlp.RlpItem] = [
        transaction.chain_id,
        transaction.nonce,
        transaction.max_priority_fee_per_gas,
        transaction.max_fee_per_gas,
        *_call_of(transaction),
        _access_list_of(transaction),
    ]
    if transaction.authorizations is not None:
        fields.append([each.fields for each in transaction.authorizations])
    return rlp.encode_items(fields)


def _call_of(transaction: FeeMarketTransaction) -> list[rlp.RlpItem]:
    # A deployment has the empty string here. The zero address would be a call.
    to = b"" if transaction.to is None else address_bytes(transaction.to)
    return [transaction.gas, to, transaction.value, transaction.data]


def _access_list_of(transaction: FeeMarketTransaction) -> list[rlp.RlpItem]:
    return [[address_bytes(address), list(keys)] for address, keys in transaction.access_list]


class EvmTransaction(NamedTuple):
    """A transaction of any type, by its sender. Amounts are wei."""

    sender: bytes
    to: bytes | None
    """None creates a contract."""
    value: int
    data: bytes
    gas: int
    nonce: int
    max_fee_per_gas: int
    """Of types 0 and 1 the gas price, which is their priority fee, too."""
    max_priority_fee_per_gas: int
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = ()
    max_fee_per_blob_gas: int = 0
    blob_hashes: tuple[bytes, ...] | None = None
    authorizations: tuple[RecoveredAuthorization, ...] | None = None

    @property
    def blob_gas(self) -> int:
        """The gas of its blobs, which has a price of its own (EIP-4844)."""
        return len(self.blob_hashes or ()) * GAS_PER_BLOB

    def price_at(self, base_fee: int) -> int:
        """What the sender pays for a unit of gas (EIP-1559)."""
        return min(self.max_fee_per_gas, base_fee + self.max_priority_fee_per_gas)

    @property
    def most_wei(self) -> int:
        """The most that its sender can lose: for gas, for blobs and what is sent."""
        fees = self.gas * self.max_fee_per_gas + self.blob_gas * self.max_fee_per_blob_gas
        return fees + self.value
