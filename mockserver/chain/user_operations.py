"""User operations (ERC-4337) of the entry points 0.6 to 0.9: their hashes, their JSON and their event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mockserver.chain.abi.functions import Function, encode_call, encode_values
from mockserver.chain.addresses import address_bytes, checksum_of
from mockserver.crypto.keccak import keccak256

ENTRY_POINTS: Mapping[str, str] = {
    "0.6": "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
    "0.7": "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
    "0.8": "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
    "0.9": "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
}
VERSIONS: Mapping[str, str] = {address.lower(): version for version, address in ENTRY_POINTS.items()}
"""The entry points by address, in lower case."""

# The marker in place of a factory: the sender's code is its EIP-7702 delegation.
_EIP7702_FACTORY = bytes.fromhex("7702").ljust(20, b"\0")
# The first 8 bytes of keccak("PaymasterSignature"): since 0.9 they end a paymasterAndData with a signature.
_PAYMASTER_SIGNATURE_MAGIC = bytes.fromhex("22e325a297439656")
_PAYMASTER_HEAD_BYTES = 52
EVENT = "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)"
"""The event of an operation that is in a block."""
REVERT_REASON = "UserOperationRevertReason(bytes32,address,uint256,bytes)"
"""The event of an operation whose calls have reverted with data."""
PACKED_OPERATION_06 = "(address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)"
PACKED_OPERATION = "(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)"
"""The structs that the functions of entry points take: of 0.6, and of later ones."""
_DOMAIN = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
_PACKED = (
    "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,"
    "uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserOperation:
    """A user operation, unpacked; fees are wei.

    `factory` may be 0x7702: since 0.8 the hash then holds the delegate, `eip7702_auth`, in its place.
    `paymaster_signature` exists since 0.9; the hash leaves it out.
    """

    sender: str
    nonce: int
    factory: str | None = None
    factory_data: bytes = b""
    call_data: bytes
    call_gas_limit: int
    verification_gas_limit: int
    pre_verification_gas: int
    max_fee_per_gas: int
    max_priority_fee_per_gas: int
    paymaster: str | None = None
    paymaster_verification_gas_limit: int = 0
    paymaster_post_op_gas_limit: int = 0
    paymaster_data: bytes = b""
    signature: bytes = b""
    eip7702_auth: str | None = None
    paymaster_signature: bytes = b""


def is_delegation(factory: str) -> bool:
    """Whether a factory is the marker of an EIP-7702 delegation, short or padded."""
    return factory == "0x7702" or factory.lower() == "0x" + _EIP7702_FACTORY.hex()


def user_operation_hash(op: UserOperation, entry_point_version: str, chain_id: int) -> bytes:
    """Return the hash that the owner signs; ValueError for an unknown version or a field out of range."""
    _entry_point(entry_point_version)
    fields = packed_fields(op, entry_point_version)
    return packed_operation_hash(fields, entry_point_version, chain_id, op.eip7702_auth)


def packed_operation_hash(fields: Sequence[Any], version: str, chain_id: int, delegate: str | None) -> bytes:
    """Return the hash of an operation by the fields of its struct, and what its sender delegates to.

    ValueError for a struct of another version, or without a delegate if the factory is 0x7702.
    """
    # 0.6 hashes its own fields, 0.7 the packed operation; both bind the hash to entry point and chain. Since
    # 0.8 the packed operation is EIP-712 typed data, so wallets can show it.
    sender, nonce, init_code, call_data, *gas, paymaster, _ = fields
    kinds = ["uint256"] * 5 if version == "0.6" else ["bytes32", "uint256", "bytes32"]
    if len(gas) != len(kinds):
        raise ValueError(f"This is no operation of entry point {version}.")
    is_typed = version not in ("0.6", "0.7")
    if is_typed:
        init_code = _replace_delegate(init_code, delegate)
    if version == "0.9":
        paymaster = _strip_paymaster_signature(paymaster)
    types = ["address", "uint256", "bytes32", "bytes32", *kinds, "bytes32"]
    hashed = [sender, nonce, keccak256(init_code), keccak256(call_data), *gas, keccak256(paymaster)]
    packed, entry_point = encode_values(types, hashed), ENTRY_POINTS[version]
    if not is_typed:
        bound = [keccak256(packed), entry_point, chain_id]
        return keccak256(encode_values(["bytes32", "address", "uint256"], bound))
    struct = keccak256(keccak256(_PACKED.encode()) + packed)
    return keccak256(b"\x19\x01" + _domain_separator(entry_point, chain_id) + struct)


def rpc_shape(op: UserOperation, version: str) -> dict[str, str]:
    """Return the operation as `eth_sendUserOperation` takes it for this entry point: every value is 0x hex.

    0.6 has `initCode` and `paymasterAndData`, `0x` when empty; later versions have their parts, when
    present.
    """
    _entry_point(version)
    shape = {"sender": op.sender, "nonce": hex(op.nonce)}
    if version == "0.6":
        shape["initCode"] = _hex(_init_code(op))
    elif op.factory is not None:
        shape |= {"factory": op.factory, "factoryData": _hex(op.factory_data)}
    shape |= {
        "callData": _hex(op.call_data),
        "callGasLimit": hex(op.call_gas_limit),
        "verificationGasLimit": hex(op.verification_gas_limit),
        "preVerificationGas": hex(op.pre_verification_gas),
        "maxFeePerGas": hex(op.max_fee_per_gas),
        "maxPriorityFeePerGas": hex(op.max_priority_fee_per_gas),
    }
    shape |= _paymaster_shape(op, version)
    shape["signature"] = _hex(op.signature)
    return shape


def packed_fields(op: UserOperation, version: str) -> list[object]:
    """Return the operation as the entry point's `handleOps` takes it: a list of the fields of its struct."""
    init_code, paymaster = _init_code(op), _paymaster_and_data(op, version)
    if op.paymaster_signature and version == "0.9":
        length = len(op.paymaster_signature).to_bytes(2, "big")
        paymaster += op.paymaster_signature + length + _PAYMASTER_SIGNATURE_MAGIC
    fees: list[object] = [op.max_fee_per_gas, op.max_priority_fee_per_gas]
    if version == "0.6":
        gas: list[object] = [op.call_gas_limit, op.verification_gas_limit, op.pre_verification_gas, *fees]
    else:
        limits = _half(op.verification_gas_limit) + _half(op.call_gas_limit)
        gas = [
            limits,
            op.pre_verification_gas,
            _half(op.max_priority_fee_per_gas) + _half(op.max_fee_per_gas),
        ]
    return [op.sender, op.nonce, init_code, op.call_data, *gas, paymaster, op.signature]


def split_address(packed: bytes) -> tuple[str | None, bytes]:
    """The address that packed data begins with, and the rest. ValueError where it is short."""
    if packed and len(packed) < 20:
        raise ValueError("What is packed begins with an address.")
    return (checksum_of(packed[:20]), packed[20:]) if packed else (None, b"")


def handle_ops(op: UserOperation, version: str, beneficiary: str) -> bytes:
    """Return the calldata with which the entry point is given this one operation."""
    packed = PACKED_OPERATION_06 if version == "0.6" else PACKED_OPERATION
    function = Function.parse(f"handleOps({packed}[],address)")
    return encode_call(function, [[packed_fields(op, version)], beneficiary])


def _entry_point(version: str) -> str:
    if version not in ENTRY_POINTS:
        raise ValueError(f"There is no entry point {version}, only {', '.join(ENTRY_POINTS)}.")
    return ENTRY_POINTS[version]


def _domain_separator(entry_point: str, chain_id: int) -> bytes:
    hashes = [keccak256(text) for text in (_DOMAIN.encode(), b"ERC4337", b"1")]
    types = ["bytes32", "bytes32", "bytes32", "uint256", "address"]
    return keccak256(encode_values(types, [*hashes, chain_id, entry_point]))


def _half(value: int) -> bytes:
    if not 0 <= value < 1 << 128:
        raise ValueError("Gas limits and fees are packed into 128 bits each.")
    return value.to_bytes(16, "big")


def _init_code(op: UserOperation) -> bytes:
    if op.factory is None:
        return b""
    marker = is_delegation(op.factory)
    return (_EIP7702_FACTORY if marker else address_bytes(op.factory)) + op.factory_data


def _replace_delegate(init_code: bytes, delegate: str | None) -> bytes:
    """Put the delegate in place of the marker, so that the hash commits to the code that runs."""
    if not init_code.startswith(_EIP7702_FACTORY):
        return init_code
    if delegate is None:
        raise ValueError("The factory is 0x7702, but no EIP-7702 delegate is given.")
    return address_bytes(delegate) + init_code[20:]


def _paymaster_and_data(op: UserOperation, version: str) -> bytes:
    if op.paymaster is None:
        return b""
    # 0.6 has no gas limits of the paymaster's own.
    if version == "0.6":
        return address_bytes(op.paymaster) + op.paymaster_data
    limits = _half(op.paymaster_verification_gas_limit) + _half(op.paymaster_post_op_gas_limit)
    return address_bytes(op.paymaster) + limits + op.paymaster_data


def _strip_paymaster_signature(packed: bytes) -> bytes:
    """The part of paymasterAndData that is hashed since 0.9: without the signature, but with its magic."""
    # The paymaster may sign after the owner, so what the owner signs must not depend on that signature, only
    # on the fact that there will be one: behind it are its length in 2 bytes, and the magic.
    rest = packed.removesuffix(_PAYMASTER_SIGNATURE_MAGIC)
    length = int.from_bytes(rest[-2:], "big")
    end = len(rest) - 2 - length
    if rest == packed or length == 0 or end < _PAYMASTER_HEAD_BYTES:
        return packed
    return rest[:end] + _PAYMASTER_SIGNATURE_MAGIC


def _paymaster_shape(op: UserOperation, version: str) -> dict[str, str]:
    if version == "0.6":
        return {"paymasterAndData": _hex(_paymaster_and_data(op, version))}
    if op.paymaster is None:
        return {}
    shape = {
        "paymaster": op.paymaster,
        "paymasterVerificationGasLimit": hex(op.paymaster_verification_gas_limit),
        "paymasterPostOpGasLimit": hex(op.paymaster_post_op_gas_limit),
        "paymasterData": _hex(op.paymaster_data),
    }
    if version == "0.9" and op.paymaster_signature:
        shape["paymasterSignature"] = _hex(op.paymaster_signature)
    return shape


def _hex(raw: bytes) -> str:
    return "0x" + raw.hex()
