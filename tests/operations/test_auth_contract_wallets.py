"""Contract wallets that sign in: whatever a declared one sends counts as its signature."""

from dataclasses import replace
from typing import Any

import pytest
from eth_abi import encode
from eth_account import Account
from eth_account.messages import encode_defunct
from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.tables import cases

CONTRACT = "0x52908400098527886E0F7030069857D2E4169EE7"
MAGIC = bytes.fromhex("6492" * 16)
OWNER = Account.from_key("0x" + "11" * 32)


@pytest.fixture
def declared(project: Project) -> Project:
    project.settings = replace(project.settings, contract_wallets=(CONTRACT.lower(),))
    return project


def undeployed(signature: bytes) -> bytes:
    """A signature in the form of ERC-6492."""
    wrapped: bytes = encode(["address", "bytes", "bytes"], ["0x" + "ab" * 20, b"deploy", signature])
    return wrapped + MAGIC


def verify(client: Client, signature: bytes, address: str = CONTRACT, **changes: Any) -> Response:
    nonce = client.post(f"{AUTH}/siwe/nonce", json={"walletAddress": address}).json()["nonce"]
    message = (
        f"shop.example wants you to sign in with your Ethereum account:\n{address}\n\n\n"
        f"URI: https://shop.example\nVersion: 1\nChain ID: 1\nNonce: {nonce}\n"
        f"Issued At: 2026-01-01T00:00:00.000Z"
    )
    body = {"message": message, "signature": "0x" + signature.hex(), "walletAddress": address}
    return client.post(f"{AUTH}/siwe/verify", json=body | changes)


@cases("signature", b"\x01", b"\xff" * 65, b"any length at all" * 20)
def test_a_declared_wallet_signs_in(visitor: Client, declared: Project, signature: bytes) -> None:
    for sent in (signature, undeployed(signature)):
        answer = verify(visitor, sent)
        assert (answer.status_code, answer.json()["user"]["walletAddress"]) == (200, CONTRACT)


@cases("signature", b"", undeployed(b""), MAGIC, b"\x07" * 40 + MAGIC)
def test_what_is_no_signature_at_all_is_refused(visitor: Client, declared: Project, signature: bytes) -> None:
    assert verify(visitor, signature).json()["code"] == "UNAUTHORIZED_INVALID_SIWE_SIGNATURE"


def test_an_undeclared_wallet_has_its_key_s_signature_alone(visitor: Client) -> None:
    for sent in (b"\x01", b"\xff" * 65, undeployed(b"\xff" * 65)):
        assert verify(visitor, sent).json()["code"] == "UNAUTHORIZED_INVALID_SIWE_SIGNATURE"


def test_the_message_still_has_to_be_right(visitor: Client, declared: Project) -> None:
    assert verify(visitor, b"\x01", message="hello").status_code == 401
    assert verify(visitor, b"\x01", chainId=137).status_code == 401


def test_a_key_s_signature_may_come_wrapped(visitor: Client) -> None:
    nonce = visitor.post(f"{AUTH}/siwe/nonce", json={"walletAddress": OWNER.address}).json()["nonce"]
    message = (
        f"shop.example wants you to sign in with your Ethereum account:\n{OWNER.address}\n\n\n"
        f"URI: https://shop.example\nVersion: 1\nChain ID: 1\nNonce: {nonce}\n"
        f"Issued At: 2026-01-01T00:00:00.000Z"
    )
    signature = OWNER.sign_message(encode_defunct(text=message)).signature
    body = {
        "message": message,
        "signature": "0x" + undeployed(bytes(signature)).hex(),
        "walletAddress": OWNER.address,
    }
    assert visitor.post(f"{AUTH}/siwe/verify", json=body).status_code == 200


def test_a_setting_that_is_no_address_is_refused(api: Client) -> None:
    assert api.put("/_mock/projects/-/settings", json={"contract_wallets": ["0x12"]}).status_code == 400
