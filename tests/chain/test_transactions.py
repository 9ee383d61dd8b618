"""Transactions and authorizations are judged by eth_account."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.typed_transactions import TypedTransaction
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.chain.authorizations import Authorization, authorization_digest
from mockserver.chain.serialized_transactions import read_unsigned
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.crypto.secp256k1 import Signature, sign
from tests.tables import cases

SECRET = bytes(range(32))
DELEGATE = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
TO = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
transactions = st.builds(
    FeeMarketTransaction,
    chain_id=st.integers(1, 2**40),
    nonce=st.integers(0, 2**64 - 2),
    max_priority_fee_per_gas=st.integers(0, 2**64),
    max_fee_per_gas=st.integers(2**64, 2**96),
    gas=st.integers(0, 2**40),
    to=st.none() | addresses,
    value=st.integers(0, 2**256 - 1),
    data=st.binary(max_size=70),
    access_list=st.lists(
        st.tuples(
            addresses, st.lists(st.binary(min_size=32, max_size=32), max_size=2, unique=True).map(tuple)
        ),
        max_size=2,
        unique_by=lambda entry: entry[0],
    ).map(tuple),
)


def described(transaction: FeeMarketTransaction) -> dict[str, Any]:
    """The transaction in the words of eth_account."""
    fields = {
        "type": 2,
        "chainId": transaction.chain_id,
        "nonce": transaction.nonce,
        "maxPriorityFeePerGas": transaction.max_priority_fee_per_gas,
        "maxFeePerGas": transaction.max_fee_per_gas,
        "gas": transaction.gas,
        "value": transaction.value,
        "data": transaction.data,
        "accessList": [
            {"address": address, "storageKeys": ["0x" + key.hex() for key in keys]}
            for address, keys in transaction.access_list
        ],
    }
    return fields if transaction.to is None else fields | {"to": bytes.fromhex(transaction.to[2:])}


def signed_by_judge(transaction: FeeMarketTransaction, fields: dict[str, Any]) -> None:
    judged = Account.sign_transaction(fields, SECRET)
    signature = Signature(judged.r, judged.s, judged.v)
    assert transaction.serialize(signature) == judged.raw_transaction
    assert transaction.hash(signature) == judged.hash
    own = transaction.serialize(sign(SECRET, transaction.signing_hash()))
    assert Account.recover_transaction(own) == Account.from_key(SECRET).address


@settings(max_examples=30)
@given(transactions)
def test_fee_market_transactions_are_those_of_eth_account(transaction: FeeMarketTransaction) -> None:
    signed_by_judge(transaction, described(transaction))
    assert read_unsigned(transaction.serialize_unsigned()).digest == transaction.signing_hash()


@settings(max_examples=30)
@given(transactions)
def test_one_that_is_simulated_has_zeros_for_its_signature(transaction: FeeMarketTransaction) -> None:
    judged = TypedTransaction.from_dict(described(transaction) | dict.fromkeys("vrs", "0x0"))
    assert transaction.serialize_simulated() == judged.encode()


@cases("chain_id", 0, 1, 80002)
def test_transactions_that_set_code_are_those_of_eth_account(chain_id: int) -> None:
    judged = Account.sign_authorization({"chainId": chain_id, "address": DELEGATE, "nonce": 7}, SECRET)
    signature = Signature(judged.r, judged.s, judged.y_parity)
    authorization = Authorization(chain_id, DELEGATE, 7, signature)
    transaction = FeeMarketTransaction(
        chain_id=1,
        nonce=3,
        max_priority_fee_per_gas=1,
        max_fee_per_gas=2,
        gas=100_000,
        to=TO,
        value=0,
        data=b"\x01",
        authorizations=(authorization, authorization),
    )
    fields = described(transaction) | {"type": 4, "authorizationList": [judged, judged]}
    signed_by_judge(transaction, fields)
    assert read_unsigned(transaction.serialize_unsigned()).digest == transaction.signing_hash()


@cases("chain_id, nonce", (0, 0), (1, 1), (80002, 2**64 - 2))
def test_an_authorization_is_that_of_eth_account(chain_id: int, nonce: int) -> None:
    judged = Account.sign_authorization({"chainId": chain_id, "address": DELEGATE, "nonce": nonce}, SECRET)
    digest = authorization_digest(chain_id, DELEGATE, nonce)
    assert digest == judged.authorization_hash
    signature = sign(SECRET, digest)
    assert (signature.r, signature.s, signature.y_parity) == (judged.r, judged.s, judged.y_parity)
    authorization = Authorization(chain_id, DELEGATE, nonce, signature)
    assert authorization.authority == Account.from_key(SECRET).address


def test_a_transaction_that_sets_code_cannot_deploy() -> None:
    with pytest.raises(ValueError, match="deployment"):
        FeeMarketTransaction(1, 0, 0, 0, 0, None, 0, b"", authorizations=())
