"""Transactions of ZKsync are judged by eth_account's typed data, the rlp library and eth_abi."""

from dataclasses import replace
from typing import Any

import eth_abi
import pytest
import rlp
from eth_account import Account
from eth_account.messages import _hash_eip191_message, encode_typed_data
from eth_utils import keccak, to_checksum_address
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.chain.abi.types import AbiError
from mockserver.chain.zksync import ZkSyncTransaction, approval_based_input, general_input, inner_input
from tests.tables import cases

SENDER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
PAYMASTER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
NUMBERS = ("txType", "from", "to", "gasLimit", "gasPerPubdataByteLimit", "maxFeePerGas")
MORE_NUMBERS = ("maxPriorityFeePerGas", "paymaster", "nonce", "value")

addresses = st.binary(min_size=20, max_size=20).map(to_checksum_address)
transactions = st.builds(
    ZkSyncTransaction,
    chain_id=st.sampled_from([300, 324]),
    nonce=st.integers(0, 2**64),
    max_priority_fee_per_gas=st.integers(0, 2**64),
    max_fee_per_gas=st.integers(0, 2**64),
    gas=st.integers(0, 2**40),
    sender=addresses,
    to=addresses,
    value=st.integers(0, 2**256 - 1),
    data=st.binary(max_size=70),
    gas_per_pubdata=st.integers(1, 2**20),
)
PLAIN = ZkSyncTransaction(
    chain_id=300,
    nonce=0,
    max_priority_fee_per_gas=1,
    max_fee_per_gas=2,
    gas=3,
    sender=SENDER,
    to=PAYMASTER,
    value=0,
    data=b"",
)


def document_of(tx: ZkSyncTransaction) -> dict[str, Any]:
    """The typed data as ZKsync's documentation declares it."""
    numbers = [{"name": name, "type": "uint256"} for name in NUMBERS + MORE_NUMBERS]
    rest = [("data", "bytes"), ("factoryDeps", "bytes32[]"), ("paymasterInput", "bytes")]
    return {
        "types": {
            "EIP712Domain": [
                {"name": "name", "type": "string"},
                {"name": "version", "type": "string"},
                {"name": "chainId", "type": "uint256"},
            ],
            "Transaction": numbers + [{"name": name, "type": type_} for name, type_ in rest],
        },
        "primaryType": "Transaction",
        "domain": {"name": "zkSync", "version": "2", "chainId": tx.chain_id},
        "message": {
            "txType": 0x71,
            "from": int(tx.sender, 16),
            "to": int(tx.to, 16),
            "gasLimit": tx.gas,
            "gasPerPubdataByteLimit": tx.gas_per_pubdata,
            "maxFeePerGas": tx.max_fee_per_gas,
            "maxPriorityFeePerGas": tx.max_priority_fee_per_gas,
            "paymaster": int(tx.paymaster, 16) if tx.paymaster else 0,
            "nonce": tx.nonce,
            "value": tx.value,
            "data": tx.data,
            "factoryDeps": [],
            "paymasterInput": tx.paymaster_input,
        },
    }


@settings(max_examples=25)
@given(tx=transactions, paymaster=st.none() | addresses, inner=st.binary(max_size=90))
def test_the_owner_signs_typed_data(tx: ZkSyncTransaction, paymaster: str | None, inner: bytes) -> None:
    if paymaster is not None:
        tx = replace(tx, paymaster=paymaster, paymaster_input=general_input(inner))

    assert tx.signing_hash() == bytes(_hash_eip191_message(encode_typed_data(full_message=document_of(tx))))


def test_a_signed_transaction_is_its_type_and_its_fields() -> None:
    tx = replace(PLAIN, nonce=5, data=b"\xab", paymaster=PAYMASTER, paymaster_input=general_input(b"in"))
    account = Account.from_key(b"\x01" * 32)
    signature = bytes(account.sign_typed_data(full_message=document_of(tx)).signature)

    wire = tx.serialize(signature)

    sender, to = bytes.fromhex(SENDER[2:]), bytes.fromhex(PAYMASTER[2:])
    chain, pubdata = b"\x01\x2c", b"\xc3\x50"
    head = [b"\x05", b"\x01", b"\x02", b"\x03", to, b"", b"\xab", chain, b"", b"", chain, sender, pubdata]
    assert wire[:1] == b"\x71"
    assert rlp.decode(wire[1:]) == [*head, [], signature, [to, tx.paymaster_input]]
    assert tx.hash(signature) == keccak(tx.signing_hash() + keccak(signature))


def test_without_a_paymaster_its_place_is_an_empty_list() -> None:
    assert rlp.decode(PLAIN.serialize()[1:])[13:] == [[], b"", []]


def test_a_paymaster_reads_what_its_input_carries() -> None:
    general, approval = general_input(b"approved"), approval_based_input(SENDER, 7, b"approved")

    assert general == keccak(text="general(bytes)")[:4] + eth_abi.encode(["bytes"], [b"approved"])
    assert approval == keccak(text="approvalBased(address,uint256,bytes)")[:4] + eth_abi.encode(
        ["address", "uint256", "bytes"], [SENDER, 7, b"approved"]
    )
    assert inner_input(general) == inner_input(approval) == b"approved"


@cases("raw", b"", b"\0" * 4, general_input(b"approved")[:-32])
def test_what_is_no_input_of_a_paymaster_is_refused(raw: bytes) -> None:
    with pytest.raises(AbiError):
        inner_input(raw)
