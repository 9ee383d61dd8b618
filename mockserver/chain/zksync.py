"""Transactions of smart accounts on ZKsync chains (type 113, signed as EIP-712 typed data)."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.chain import rlp
from mockserver.chain.abi.functions import Function, decode_call, encode_call
from mockserver.chain.addresses import address_bytes
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.messages import typed_data_digest

_TYPE = 113
_GAS_PER_PUBDATA = 50_000
_AMOUNTS = ("gasLimit", "gasPerPubdataByteLimit", "maxFeePerGas", "maxPriorityFeePerGas")
_FIELDS = {
    **dict.fromkeys(("txType", "from", "to", *_AMOUNTS, "paymaster", "nonce", "value"), "uint256"),
    "data": "bytes",
    "factoryDeps": "bytes32[]",
    "paymasterInput": "bytes",
}
"""The struct that is signed, with its types."""
_GENERAL = Function.parse("general(bytes)")
_APPROVAL_BASED = Function.parse("approvalBased(address,uint256,bytes)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ZkSyncTransaction:
    """A transaction of type 113 that deploys nothing. Amounts are wei, `gas` is the limit in units.

    `paymaster_input` is the calldata of a paymaster flow, for the `paymaster` if there is one.
    """

    chain_id: int
    nonce: int
    max_priority_fee_per_gas: int
    max_fee_per_gas: int
    gas: int
    sender: str
    to: str
    value: int
    data: bytes
    gas_per_pubdata: int = _GAS_PER_PUBDATA
    """The most gas that a byte of pubdata, published on L1, may cost (`gasPerPubdataByteLimit`)."""
    paymaster: str | None = None
    paymaster_input: bytes = b""

    def signing_hash(self) -> bytes:
        """Return the digest that the account's owner signs (EIP-712)."""
        # Addresses are uint256 in the typed data of zkSync, and the amounts are in another order than in the
        # raw transaction below.
        values: Sequence[object] = (
            _TYPE,
            int(self.sender, 16),
            int(self.to, 16),
            self.gas,
            self.gas_per_pubdata,
            self.max_fee_per_gas,
            self.max_priority_fee_per_gas,
            int(self.paymaster or "0x0", 16),
            self.nonce,
            self.value,
            "0x" + self.data.hex(),
            [],
            "0x" + self.paymaster_input.hex(),
        )
        return typed_data_digest(
            {
                "types": {"Transaction": [{"name": name, "type": type_} for name, type_ in _FIELDS.items()]},
                "domain": {"name": "zkSync", "version": "2", "chainId": self.chain_id},
                "primaryType": "Transaction",
                "message": dict(zip(_FIELDS, values, strict=True)),
            }
        )

    def serialize(self, signature: bytes = b"") -> bytes:
        """Return the raw transaction; without a signature, for estimating its size."""
        fields: list[rlp.RlpItem] = [
            self.nonce,
            self.max_priority_fee_per_gas,
            self.max_fee_per_gas,
            self.gas,
            address_bytes(self.to),
            self.value,
            self.data,
            # Type 113 keeps the places of v, r and s for EOAs that sign with them. The signature of a smart
            # account is in `customSignature` below, and v is then the chain id.
            self.chain_id,
            b"",
            b"",
            self.chain_id,
            address_bytes(self.sender),
            self.gas_per_pubdata,
            [],
            signature,
            [] if self.paymaster is None else [address_bytes(self.paymaster), self.paymaster_input],
        ]
        return bytes([_TYPE]) + rlp.encode(fields)

    def hash(self, signature: bytes) -> bytes:
        """Return the transaction hash: keccak of the signing hash and the hash of the signature."""
        return keccak256(self.signing_hash() + keccak256(signature))


def general_input(inner: bytes) -> bytes:
    """Return the input of the general flow, without tokens; `inner` is the paymaster's own data."""
    return encode_call(_GENERAL, [inner])


def approval_based_input(token: str, allowance: int, inner: bytes) -> bytes:
    """Return the input of the approval-based flow: the account approves a token to the paymaster."""
    return encode_call(_APPROVAL_BASED, [token, allowance, inner])


def inner_input(paymaster_input: bytes) -> bytes:
    """Return the paymaster's own data from the input of either flow; AbiError for another selector."""
    # The selector of the flow tells the two apart; the paymaster's data is the last argument of both.
    flow = _APPROVAL_BASED if paymaster_input[:4] == _APPROVAL_BASED.selector else _GENERAL
    inner = decode_call(flow, paymaster_input)[-1]
    assert isinstance(inner, bytes)
    return inner
