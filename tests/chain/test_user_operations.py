"""The hashes are computed a second time with eth_abi, eth_utils and eth_account's typed data."""

from dataclasses import replace
from typing import Any

import eth_abi
import eth_utils
import pytest
from eth_account.messages import encode_typed_data
from eth_utils import keccak
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import encode_event
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    EVENT,
    UserOperation,
    packed_fields,
    rpc_shape,
    user_operation_hash,
)
from tests.tables import cases

SENDER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
FACTORY = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
PAYMASTER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
DELEGATE = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
MAGIC = keccak(text="PaymasterSignature")[:8]

addresses = st.binary(min_size=20, max_size=20).map(eth_utils.to_checksum_address)
amounts = st.integers(0, 2**128 - 1)
operations = st.builds(
    UserOperation,
    sender=addresses,
    nonce=st.integers(0, 2**256 - 1),
    factory=st.none() | addresses,
    factory_data=st.binary(max_size=40),
    call_data=st.binary(max_size=40),
    call_gas_limit=amounts,
    verification_gas_limit=amounts,
    pre_verification_gas=st.integers(0, 2**256 - 1),
    max_fee_per_gas=amounts,
    max_priority_fee_per_gas=amounts,
    paymaster=st.none() | addresses,
    paymaster_verification_gas_limit=amounts,
    paymaster_post_op_gas_limit=amounts,
    paymaster_data=st.binary(max_size=40),
    signature=st.binary(max_size=65),
)

PLAIN = UserOperation(
    sender=SENDER,
    nonce=2,
    call_data=b"\xab\xcd",
    call_gas_limit=3,
    verification_gas_limit=4,
    pre_verification_gas=5,
    max_fee_per_gas=7,
    max_priority_fee_per_gas=6,
    signature=b"\x0f",
)
SPONSORED = replace(
    PLAIN,
    factory=FACTORY,
    factory_data=b"\x01\x02",
    paymaster=PAYMASTER,
    paymaster_verification_gas_limit=8,
    paymaster_post_op_gas_limit=9,
    paymaster_data=b"\x03",
    paymaster_signature=b"\x04",
)


def raw(address: str | None) -> bytes:
    return bytes.fromhex(address[2:]) if address else b""


def halves(high: int, low: int) -> bytes:
    return eth_abi.encode(["uint256"], [(high << 128) + low])


def init_code(op: UserOperation) -> bytes:
    return raw(op.factory) + op.factory_data if op.factory else b""


def paymaster_and_data(op: UserOperation) -> bytes:
    if op.paymaster is None:
        return b""
    limits = halves(op.paymaster_verification_gas_limit, op.paymaster_post_op_gas_limit)
    return raw(op.paymaster) + limits + op.paymaster_data


def hash_06(op: UserOperation, chain_id: int) -> bytes:
    sponsor = raw(op.paymaster) + op.paymaster_data if op.paymaster else b""
    types = ["address", "uint256", "bytes32", "bytes32", *["uint256"] * 5, "bytes32"]
    packed = eth_abi.encode(
        types,
        [
            op.sender,
            op.nonce,
            keccak(init_code(op)),
            keccak(op.call_data),
            op.call_gas_limit,
            op.verification_gas_limit,
            op.pre_verification_gas,
            op.max_fee_per_gas,
            op.max_priority_fee_per_gas,
            keccak(sponsor),
        ],
    )
    return bound(packed, "0.6", chain_id)


def bound(packed: bytes, version: str, chain_id: int) -> bytes:
    fields = [keccak(packed), ENTRY_POINTS[version], chain_id]
    return keccak(eth_abi.encode(["bytes32", "address", "uint256"], fields))


def hash_07(op: UserOperation, chain_id: int) -> bytes:
    types = ["address", "uint256", "bytes32", "bytes32", "bytes32", "uint256", "bytes32", "bytes32"]
    packed = eth_abi.encode(
        types,
        [
            op.sender,
            op.nonce,
            keccak(init_code(op)),
            keccak(op.call_data),
            halves(op.verification_gas_limit, op.call_gas_limit),
            op.pre_verification_gas,
            halves(op.max_priority_fee_per_gas, op.max_fee_per_gas),
            keccak(paymaster_and_data(op)),
        ],
    )
    return bound(packed, "0.7", chain_id)


def typed_hash(op: UserOperation, version: str, chain_id: int, **overrides: bytes) -> bytes:
    message = encode_typed_data(
        domain_data={
            "name": "ERC4337",
            "version": "1",
            "chainId": chain_id,
            "verifyingContract": ENTRY_POINTS[version],
        },
        message_types={
            "PackedUserOperation": [
                {"name": "sender", "type": "address"},
                {"name": "nonce", "type": "uint256"},
                {"name": "initCode", "type": "bytes"},
                {"name": "callData", "type": "bytes"},
                {"name": "accountGasLimits", "type": "bytes32"},
                {"name": "preVerificationGas", "type": "uint256"},
                {"name": "gasFees", "type": "bytes32"},
                {"name": "paymasterAndData", "type": "bytes"},
            ]
        },
        message_data={
            "sender": op.sender,
            "nonce": op.nonce,
            "initCode": init_code(op),
            "callData": op.call_data,
            "accountGasLimits": halves(op.verification_gas_limit, op.call_gas_limit),
            "preVerificationGas": op.pre_verification_gas,
            "gasFees": halves(op.max_priority_fee_per_gas, op.max_fee_per_gas),
            "paymasterAndData": paymaster_and_data(op),
            **overrides,
        },
    )
    return keccak(b"\x19" + message.version + message.header + message.body)


@given(operations, st.integers(1, 2**64))
def test_every_entry_points_hash_is_computed_independently(op: UserOperation, chain_id: int) -> None:
    assert user_operation_hash(op, "0.6", chain_id) == hash_06(op, chain_id)
    assert user_operation_hash(op, "0.7", chain_id) == hash_07(op, chain_id)
    for version in ("0.8", "0.9"):
        assert user_operation_hash(op, version, chain_id) == typed_hash(op, version, chain_id)


@cases("factory", "0x7702", "0x7702" + "0" * 36)
@cases("version", "0.8", "0.9")
def test_a_delegated_account_signs_its_delegate(version: str, factory: str) -> None:
    op = replace(PLAIN, factory=factory, factory_data=b"\x01", eip7702_auth=DELEGATE)
    expected = typed_hash(op, version, 1, initCode=raw(DELEGATE) + b"\x01")
    assert user_operation_hash(op, version, 1) == expected


@cases("version", "0.8", "0.9")
def test_a_marker_without_a_delegate_has_no_hash(version: str) -> None:
    with pytest.raises(ValueError, match="no EIP-7702 delegate"):
        user_operation_hash(replace(PLAIN, factory="0x7702"), version, 1)


def test_entry_point_07_knows_no_delegates() -> None:
    op = replace(PLAIN, factory="0x7702", eip7702_auth=DELEGATE)
    assert user_operation_hash(op, "0.7", 1) == hash_07(replace(op, factory="0x7702" + "0" * 36), 1)


def test_paymaster_data_may_be_nothing_but_a_signature() -> None:
    packed = b"\x04\x05" + (2).to_bytes(2, "big") + MAGIC
    op = replace(SPONSORED, paymaster_data=packed, paymaster_signature=b"")
    bare = replace(op, paymaster_data=b"")
    expected = typed_hash(op, "0.9", 1, paymasterAndData=paymaster_and_data(bare) + MAGIC)
    assert user_operation_hash(op, "0.9", 1) == expected
    # One byte more than there is: it is no signature, and all of it is hashed.
    wrong = replace(op, paymaster_data=b"\x04\x05" + (3).to_bytes(2, "big") + MAGIC)
    expected = typed_hash(wrong, "0.9", 1, paymasterAndData=paymaster_and_data(wrong))
    assert user_operation_hash(wrong, "0.9", 1) == expected


def test_a_paymaster_without_limits_has_none() -> None:
    op = replace(PLAIN, paymaster=PAYMASTER)
    assert packed_fields(op, "0.7")[-2] == raw(PAYMASTER) + bytes(32)
    assert rpc_shape(op, "0.7")["paymasterVerificationGasLimit"] == "0x0"
    assert rpc_shape(op, "0.7")["paymasterPostOpGasLimit"] == "0x0"


def test_since_09_the_paymaster_signs_later_than_the_owner() -> None:
    expected = typed_hash(SPONSORED, "0.9", 1, paymasterAndData=paymaster_and_data(SPONSORED) + MAGIC)
    assert user_operation_hash(SPONSORED, "0.9", 1) == expected
    assert user_operation_hash(replace(SPONSORED, paymaster_signature=b"\x05"), "0.9", 1) == expected
    assert user_operation_hash(SPONSORED, "0.8", 1) == typed_hash(SPONSORED, "0.8", 1)


def test_a_paymaster_signature_in_packed_data_is_left_out() -> None:
    packed = SPONSORED.paymaster_data + b"\x04\x05" + b"\x00\x02" + MAGIC
    inside = replace(SPONSORED, paymaster_data=packed, paymaster_signature=b"")
    assert user_operation_hash(inside, "0.9", 1) == user_operation_hash(SPONSORED, "0.9", 1)
    too_long = replace(inside, paymaster_data=b"\x00\x02" + MAGIC)
    assert user_operation_hash(too_long, "0.9", 1) == typed_hash(too_long, "0.9", 1)


def test_a_bundle_has_the_signature_of_the_paymaster() -> None:
    packed = SPONSORED.paymaster_data + b"\x04\x00\x01" + MAGIC
    inside = replace(SPONSORED, paymaster_data=packed, paymaster_signature=b"")
    assert packed_fields(SPONSORED, "0.9") == packed_fields(inside, "0.9")


def test_unknown_versions_and_values_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=r"no entry point 0\.5"):
        user_operation_hash(PLAIN, "0.5", 1)
    with pytest.raises(ValueError, match=r"no entry point 0\.5"):
        rpc_shape(PLAIN, "0.5")
    for broken in (replace(PLAIN, call_gas_limit=2**128), replace(PLAIN, max_fee_per_gas=-1)):
        with pytest.raises(ValueError, match="128 bits"):
            user_operation_hash(broken, "0.7", 1)
    with pytest.raises(ValueError, match="out of range"):
        user_operation_hash(replace(PLAIN, nonce=2**256), "0.6", 1)


SHARED: dict[str, Any] = {
    "sender": SENDER,
    "nonce": "0x2",
    "callData": "0xabcd",
    "callGasLimit": "0x3",
    "verificationGasLimit": "0x4",
    "preVerificationGas": "0x5",
    "maxFeePerGas": "0x7",
    "maxPriorityFeePerGas": "0x6",
    "signature": "0x0f",
}


def test_the_json_of_06_has_packed_parts_even_if_empty() -> None:
    assert rpc_shape(PLAIN, "0.6") == SHARED | {"initCode": "0x", "paymasterAndData": "0x"}
    assert rpc_shape(SPONSORED, "0.6") == SHARED | {
        "initCode": FACTORY.lower() + "0102",
        "paymasterAndData": PAYMASTER.lower() + "03",
    }


@cases("version", "0.7", "0.8", "0.9")
def test_the_json_of_later_versions_has_only_present_parts(version: str) -> None:
    assert rpc_shape(PLAIN, version) == SHARED
    parts = {
        "factory": FACTORY,
        "factoryData": "0x0102",
        "paymaster": PAYMASTER,
        "paymasterVerificationGasLimit": "0x8",
        "paymasterPostOpGasLimit": "0x9",
        "paymasterData": "0x03",
    }
    signed_later = {"paymasterSignature": "0x04"} if version == "0.9" else {}
    assert rpc_shape(SPONSORED, version) == SHARED | parts | signed_later


def test_the_event_carries_what_the_entry_point_emits() -> None:
    topics, data = encode_event(EVENT, [b"\x11" * 32, SENDER, PAYMASTER], [5, True, 10**15, 10**5])
    # The topic is the one that explorers show for every handled operation.
    assert topics[0].hex() == "49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f"
    assert topics[1] == b"\x11" * 32
    assert eth_abi.decode(["address", "address"], topics[2] + topics[3]) == (
        SENDER.lower(),
        PAYMASTER.lower(),
    )
    assert eth_abi.decode(["uint256", "bool", "uint256", "uint256"], data) == (5, True, 10**15, 10**5)
