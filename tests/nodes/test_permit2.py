"""Permit2: allowances and transfers of tokens that eth-account signs."""

from typing import Any

import pytest
from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.state.project import Project
from tests.nodes.node import ALICE, BOB, CHAIN, Node
from tests.tables import cases

PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
FOREVER = 2**40
MOVED = {"TokenPermissions": [{"name": "token", "type": "address"}, {"name": "amount", "type": "uint256"}]}
PERMITTED = [("permitted", "TokenPermissions"), ("spender", "address"), ("nonce", "uint256")]
DETAILS = [("token", "address"), ("amount", "uint160"), ("expiration", "uint48"), ("nonce", "uint48")]
SINGLE = [("details", "PermitDetails"), ("spender", "address"), ("sigDeadline", "uint256")]


def call_of(to: str, function: str, *arguments: object) -> dict[str, str]:
    return {"to": to, "data": "0x" + encode_call(Function.parse(function), arguments).hex()}


def fields(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "type": type_} for name, type_ in pairs]


def sign(types: dict[str, Any], message: dict[str, Any], account: Any = ALICE) -> bytes:
    domain = {"name": "Permit2", "chainId": CHAIN, "verifyingContract": PERMIT2}
    return bytes(account.sign_typed_data(domain, types, message).signature)


def balance(node: Node, holder: str) -> int:
    return node.number("eth_call", call_of(USDC, "balanceOf(address)", holder))


@pytest.fixture
def wallet(node: Node) -> Node:
    """The node, where Alice has 100 units of USDC that Permit2 may move."""
    for account in (ALICE, BOB):
        node.fund(account.address)
    node.ask("anvil_dealERC20", ALICE.address, USDC, "0x64")
    node.transact(**call_of(USDC, "approve(address,uint256)", PERMIT2, 2**256 - 1))
    return node


def permit(node: Node, signer: Any = ALICE) -> dict[str, str]:
    details = {"token": USDC, "amount": 40, "expiration": FOREVER, "nonce": 0}
    types = {"PermitSingle": fields(SINGLE), "PermitDetails": fields(DETAILS)}
    message = {"details": details, "spender": BOB.address, "sigDeadline": FOREVER}
    signature = sign(types, message, signer)
    function = "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)"
    packed = (tuple(details.values()), BOB.address, FOREVER)
    return call_of(PERMIT2, function, ALICE.address, packed, signature)


def take(amount: int) -> dict[str, str]:
    function = "transferFrom(address,address,uint160,address)"
    return call_of(PERMIT2, function, ALICE.address, BOB.address, amount, USDC)


@cases("is_signed", True, False)
def test_an_allowance_is_spent(wallet: Node, is_signed: bool) -> None:
    approved = call_of(PERMIT2, "approve(address,address,uint160,uint48)", USDC, BOB.address, 40, FOREVER)
    allowed = wallet.transact(BOB, **permit(wallet)) if is_signed else wallet.transact(**approved)
    assert allowed["status"] == "0x1"
    assert wallet.transact(BOB, **take(15))["status"] == "0x1"
    assert (balance(wallet, ALICE.address), balance(wallet, BOB.address)) == (85, 15)
    refused = wallet.ask("eth_call", {**take(26), "from": BOB.address})
    assert refused["data"][:10] == "0x" + keccak256(b"InsufficientAllowance(uint256)")[:4].hex()


def test_an_allowance_of_another_signer_is_refused(wallet: Node) -> None:
    refused = wallet.ask("eth_call", {**permit(wallet, BOB), "from": BOB.address})
    assert refused["data"] == "0x" + keccak256(b"InvalidSigner()")[:4].hex()


def test_a_signed_transfer_is_made_once(wallet: Node) -> None:
    message = {"permitted": {"token": USDC, "amount": 60}, "spender": BOB.address, "nonce": 3}
    types = {"PermitTransferFrom": fields([*PERMITTED, ("deadline", "uint256")]), **MOVED}
    signature = sign(types, {**message, "deadline": FOREVER})
    function = "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)"
    made = call_of(PERMIT2, function, ((USDC, 60), 3, FOREVER), (BOB.address, 55), ALICE.address, signature)
    assert wallet.transact(BOB, **made)["status"] == "0x1"
    assert balance(wallet, BOB.address) == 55
    refused = wallet.ask("eth_call", {**made, "from": BOB.address})
    assert refused["data"] == "0x" + keccak256(b"InvalidNonce()")[:4].hex()


@cases("chain", 1, CHAIN, 31337)
def test_its_domain_is_that_of_its_chain(api: Client, project: Project, chain: int) -> None:
    domain = b"EIP712Domain(string name,uint256 chainId,address verifyingContract)"
    place = chain.to_bytes(32, "big") + bytes.fromhex(PERMIT2[2:]).rjust(32, b"\0")
    wanted = "0x" + keccak256(keccak256(domain) + keccak256(b"Permit2") + place).hex()
    if chain == 1:
        # The code is that of mainnet, which has its own domain in it; keys of tests do not ask there.
        assert bytes.fromhex(wanted[2:]) in ledger.code_at(project, chain, PERMIT2)
    else:
        separator = call_of(PERMIT2, "DOMAIN_SEPARATOR()")
        assert Node(api, project, chain).ask("eth_call", separator) == wanted
