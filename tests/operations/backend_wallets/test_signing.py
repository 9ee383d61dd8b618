"""What backend wallets sign, judged by other libraries."""

from typing import Any

import rlp
from eth_account import Account as EthAccount
from eth_account._utils.legacy_transactions import serializable_unsigned_transaction_from_dict
from eth_account.messages import encode_defunct, encode_typed_data
from eth_keys import keys
from eth_utils import keccak
from httpx import Client
from solders.pubkey import Pubkey
from solders.signature import Signature

from tests.operations.backend_wallets.helpers import AMOY, create
from tests.tables import cases


def sign(backend: Client, wallet: Any, raw: bytes) -> bytes:
    """What a backend wallet signs."""
    response = backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": "0x" + raw.hex()})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert (answer["object"], answer["account"]) == ("signature", wallet["id"])
    assert answer["signature"].startswith("0x")
    return bytes.fromhex(answer["signature"][2:])


def test_a_hash_is_signed_as_it_is(backend: Client) -> None:
    wallet = create(backend)
    digest = keccak(b"an EIP-712 hash")
    raw = sign(backend, wallet, digest)
    assert len(raw) == 65
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    assert signature.recover_public_key_from_msg_hash(digest).to_checksum_address() == wallet["address"]
    assert sign(backend, wallet, digest) == raw


def test_a_hash_that_starts_like_a_message_is_still_a_hash(backend: Client) -> None:
    wallet = create(backend)
    digest = b"\x19" + bytes(31)
    raw = sign(backend, wallet, digest)
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    assert signature.recover_public_key_from_msg_hash(digest).to_checksum_address() == wallet["address"]


@cases("text", "", "four", "hello", "sixsix", "ä" * 300)
def test_a_message_comes_with_its_prefix(backend: Client, text: str) -> None:
    wallet = create(backend)
    message = text.encode()
    raw = sign(backend, wallet, b"\x19Ethereum Signed Message:\n%d" % len(message) + message)
    assert EthAccount.recover_message(encode_defunct(message), signature=raw) == wallet["address"]


def test_typed_data_may_come_as_its_preimage(backend: Client) -> None:
    wallet = create(backend)
    typed = encode_typed_data(
        {"name": "Test", "chainId": AMOY}, {"Mail": [{"name": "to", "type": "string"}]}, {"to": "b"}
    )
    raw = sign(backend, wallet, b"\x19" + typed.version + typed.header + typed.body)
    assert EthAccount.recover_message(typed, signature=raw) == wallet["address"]


TRANSACTION: dict[str, Any] = {
    "nonce": 3,
    "gas": 21_000,
    "to": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    "value": 10**15,
    "data": b"\x01\x02",
    "chainId": AMOY,
}
DYNAMIC = TRANSACTION | {"type": 2, "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 10**8}


def typed_transaction(fields: dict[str, Any]) -> bytes:
    """The bytes of an unsigned transaction of type 2, which its hash is taken of (EIP-1559)."""

    def number(value: int) -> bytes:
        return value.to_bytes((value.bit_length() + 7) // 8, "big")

    names = ["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas"]
    items: list[Any] = [number(fields[name]) for name in names]
    items += [bytes.fromhex(fields["to"][2:]), number(fields["value"]), fields["data"], []]
    return b"\x02" + bytes(rlp.encode(items))


def test_a_transaction_is_recovered_once_it_is_put_together(backend: Client) -> None:
    wallet = create(backend)
    raw = sign(backend, wallet, typed_transaction(DYNAMIC))
    unsigned = serializable_unsigned_transaction_from_dict(DYNAMIC)
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    recovered = signature.recover_public_key_from_msg_hash(bytes(unsigned.hash()))
    assert recovered.to_checksum_address() == wallet["address"]


def test_a_legacy_transaction_is_hashed_too(backend: Client) -> None:
    wallet = create(backend)
    unsigned = serializable_unsigned_transaction_from_dict(TRANSACTION | {"gasPrice": 10**9})
    raw = sign(backend, wallet, bytes(rlp.encode(unsigned)))
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    recovered = signature.recover_public_key_from_msg_hash(bytes(unsigned.hash()))
    assert recovered.to_checksum_address() == wallet["address"]


@cases("message", b"", b"hello", bytes(32), b"\x19" * 500)
def test_svm_bytes_are_signed_as_they_are(backend: Client, message: bytes) -> None:
    wallet = create(backend, "SVM")
    raw = sign(backend, wallet, message)
    assert Signature.from_bytes(raw).verify(Pubkey.from_string(wallet["address"]), message)


@cases("data", "0x", "0x00", "0x" + "ab" * 31, "0x" + "ab" * 33, "0x02c0", "12", "0x1", "0xzz", 7, None)
def test_what_no_wallet_signs_is_refused(backend: Client, data: object) -> None:
    wallet = create(backend)
    response = backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": data})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "data")
