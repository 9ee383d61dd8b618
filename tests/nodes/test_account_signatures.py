"""Signatures of smart accounts without code, which contracts check for clients (ERC-1271, ERC-6492)."""

from typing import Any

from eth_account.messages import encode_typed_data

from mockserver.chain.abi.functions import Function, decode_values, encode_call
from mockserver.chain.implementations import IMPLEMENTATIONS, SALT
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.chains import ledger
from mockserver.state.wallets import Account
from tests.accounts import account_of
from tests.nodes.node import ALICE, CHAIN, Node
from tests.tables import cases

MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11"
HASH = personal_message_digest(b"hello")
IS_VALID, IS_NOT = b"\x16\x26\xba\x7e".ljust(32, b"\0"), b"\xff\xff\xff\xff".ljust(32, b"\0")


def check(signature: str, digest: bytes = HASH) -> bytes:
    function = Function.parse("isValidSignature(bytes32,bytes)")
    return encode_call(function, [digest, bytes.fromhex(signature[2:])])


def sign(node: Node, account: Account, digest: bytes) -> str:
    path = f"/_mock/projects/{node.project.id}/accounts/{account.id}/sign"
    signature: str = node.api.post(path, json={"hash": "0x" + digest.hex()}).json()["signature"]
    return signature


def as_message(address: str) -> bytes:
    """The hash as the client for browsers signs it: as a message of the account's own."""
    domain = {"name": "Openfort", "version": "0.5", "chainId": CHAIN, "verifyingContract": address}
    types = {"OpenfortMessage": [{"name": "hashedMessage", "type": "bytes32"}]}
    return bytes(ALICE.sign_message(encode_typed_data(domain, types, {"hashedMessage": HASH})).message_hash)


def deploy(node: Node, account: Account) -> None:
    here = ledger.chain_account(node.project, CHAIN, account.address)
    ledger.write(node.project, here._replace(deployed=True))


def ask(node: Node, account: Account, data: bytes) -> Any:
    return node.ask("eth_call", {"to": account.address, "data": "0x" + data.hex()}, "latest")


@cases("kind", "UpgradeableV6", "Simple")
def test_the_owner_signs_for_an_account(node: Node, kind: Any) -> None:
    account, other = (account_of(node.project, kind, chain=CHAIN) for _ in "12")
    deploy(node, account)
    signed = sign(node, account, HASH)
    assert ask(node, account, check(signed)) == "0x" + IS_VALID.hex()
    assert (
        ask(node, account, check(sign(node, account, as_message(account.address)))) == "0x" + IS_VALID.hex()
    )
    wrong = sign(node, account, as_message(other.address)), sign(node, other, HASH), "0x", "0x" + "00" * 65
    assert {ask(node, account, check(each)) for each in wrong} == {"0x" + IS_NOT.hex()}
    assert ask(node, account, check(signed, bytes(32))) == "0x" + IS_NOT.hex()
    assert ask(node, account, check(signed)[:40])["message"] == "execution reverted"


@cases("create", "createAccount(address,bytes32)", "createAccountWithNonce(address,bytes32,bool)")
def test_an_account_is_deployed_to_check_its_signature(node: Node, create: str) -> None:
    account = account_of(node.project, chain=CHAIN)
    factory = IMPLEMENTATIONS["UpgradeableV6"].factory_address
    arguments = [account.signing_address, SALT, False][: create.count(",") + 1]
    calls = [
        (factory, encode_call(Function.parse(create), arguments)),
        (account.address, check(sign(node, account, HASH))),
    ]
    data = encode_call(Function.parse("tryAggregate(bool,(address,bytes)[])"), [True, calls])
    answer = node.ask("eth_call", {"to": MULTICALL, "data": "0x" + data.hex()}, "latest")
    (results,) = decode_values(["(bool,bytes)[]"], bytes.fromhex(answer[2:]))
    assert results[1] == (True, IS_VALID)  # type: ignore[index]
