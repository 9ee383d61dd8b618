"""Signing as the user would. What is signed is checked by libraries that did not sign it."""

import pytest
import rlp
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct, encode_typed_data
from eth_account.typed_transactions import TypedTransaction
from httpx import Client, Response
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.domain.wallets.keys.custody import generate_key
from mockserver.state.project import Project
from mockserver.state.wallets import Account, ChainType, Wallet
from tests.tables import cases

TYPED_DATA = {
    "types": {
        "EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}],
        "Order": [{"name": "amount", "type": "uint256"}, {"name": "to", "type": "address"}],
    },
    "domain": {"name": "Shop", "chainId": 80002},
    "primaryType": "Order",
    "message": {"amount": 5, "to": "0x" + "ab" * 20},
}


def _account(project: Project, chain_type: ChainType, address: str | None = None) -> Account:
    if address is None:
        _, address = generate_key(project, chain_type)
    wallet = project.wallets.wallets.insert(Wallet(project.new_id("pla"), project.clock.now_ms))
    row = project.wallets.accounts.insert(
        Account(
            id=project.new_id("acc"),
            wallet_id=wallet.id,
            account_type="Externally Owned Account",
            chain_type=chain_type,
            address=address,
            custody="User",
            created_ms=project.clock.now_ms,
            updated_ms=project.clock.now_ms,
        )
    )
    project.undo.mark()
    return row


@pytest.fixture
def evm(project: Project) -> Account:
    return _account(project, "EVM")


@pytest.fixture
def svm(project: Project) -> Account:
    return _account(project, "SVM")


def _sign(api: Client, account: Account, body: dict[str, object]) -> Response:
    return api.post(f"/_mock/projects/-/accounts/{account.id}/sign", json=body)


def test_a_hash_is_signed_as_it_is(api: Client, evm: Account) -> None:
    digest = bytes(range(32))
    answer = _sign(api, evm, {"hash": "0x" + digest.hex()}).json()
    assert answer["address"] == evm.address
    assert EthAccount._recover_hash(digest, signature=answer["signature"]) == evm.address


@cases(
    "message, meant", ("hello", b"hello"), ("0xdeadbeef", b"\xde\xad\xbe\xef"), ("0xno", b"0xno"), ("", b"")
)
def test_a_message_is_signed_as_wallets_do(api: Client, evm: Account, message: str, meant: bytes) -> None:
    signature = _sign(api, evm, {"message": message}).json()["signature"]
    assert EthAccount.recover_message(encode_defunct(meant), signature=signature) == evm.address


def test_typed_data_is_signed(api: Client, evm: Account) -> None:
    signature = _sign(api, evm, {"typedData": TYPED_DATA}).json()["signature"]
    signable = encode_typed_data(full_message=TYPED_DATA)
    assert EthAccount.recover_message(signable, signature=signature) == evm.address


def test_an_unsigned_transaction_is_signed(api: Client, evm: Account) -> None:
    fields = {
        "type": 2,
        "chainId": 80002,
        "nonce": 0,
        "maxPriorityFeePerGas": 1,
        "maxFeePerGas": 2,
        "gas": 21_000,
        "to": "0x" + "11" * 20,
        "value": 1,
        "data": "0x",
    }
    unsigned = bytes([2]) + rlp.encode([80002, 0, 1, 2, 21_000, bytes.fromhex("11" * 20), 1, b"", []])
    digest = bytes(TypedTransaction.from_dict(fields).hash())
    signature = _sign(api, evm, {"transaction": "0x" + unsigned.hex()}).json()["signature"]
    assert EthAccount._recover_hash(digest, signature=signature) == evm.address


def test_a_solana_account_signs_the_bytes_of_a_message(api: Client, svm: Account) -> None:
    signature = _sign(api, svm, {"message": "0x" + b"compiled".hex()}).json()["signature"]
    assert Signature.from_bytes(bytes.fromhex(signature[2:])).verify(
        Pubkey.from_string(svm.address), b"compiled"
    )


@cases(
    "body",
    {},
    {"hash": "0x" + "00" * 32, "message": "both"},
    {"hash": "0x" + "00" * 31},
    {"hash": "not hex"},
    {"typedData": {"types": {}}},
    {"transaction": "0x"},
    {"transaction": "0x02c0"},
)
def test_what_cannot_be_signed_is_refused(api: Client, evm: Account, body: dict[str, object]) -> None:
    response = _sign(api, evm, body)
    assert (response.status_code, response.headers["content-type"]) == (400, "application/problem+json")


@cases("body, there", ({"hash": None}, "none is"), ({"hash": "0x", "message": ""}, "hash and message are"))
def test_what_was_sent_in_place_of_one_is_named(
    api: Client, evm: Account, body: dict[str, object], there: str
) -> None:
    assert _sign(api, evm, body).json()["detail"].endswith(f"transaction: {there} there.")


def test_a_solana_account_signs_nothing_but_messages(api: Client, svm: Account) -> None:
    assert _sign(api, svm, {"hash": "0x" + "00" * 32}).status_code == 400


def test_the_key_of_an_account_is_handed_out_on_request(api: Client, evm: Account) -> None:
    answer = api.get(f"/_mock/projects/-/accounts/{evm.id}/key").json()
    assert EthAccount.from_key(answer["private_key"]).address == answer["address"] == evm.address


def test_a_key_that_is_kept_elsewhere_is_neither_used_nor_shown(api: Client, project: Project) -> None:
    elsewhere = _account(project, "EVM", "0x" + "Ab" * 20)
    assert _sign(api, elsewhere, {"message": "hello"}).status_code == 409
    assert api.get(f"/_mock/projects/-/accounts/{elsewhere.id}/key").status_code == 409


def test_an_unknown_account_is_not_found(api: Client) -> None:
    assert api.get("/_mock/projects/-/accounts/acc_none/key").status_code == 404


def test_only_an_account_in_user_custody_is_recovered(api: Client, project: Project, evm: Account) -> None:
    project.wallets.accounts.replace(evm._replace(custody="Developer"))
    project.undo.mark()
    refused = api.put(f"/_mock/projects/-/accounts/{evm.id}/recovery", json={"method": "automatic"})
    assert (refused.status_code, refused.json()["detail"]) == (400, f"{evm.id} is not in user custody.")
    assert project.wallets.accounts[evm.id].recovery_method == evm.recovery_method
