"""What a signature permits of USDC: allowances (ERC-2612) and transfers (ERC-3009), signed by eth-account."""

from typing import Any

import pytest
from eth_account import Account
from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.addresses import create2_address, to_checksum
from mockserver.chain.implementations import IMPLEMENTATIONS, SALT
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.domain.wallets.outcomes import make_calls
from mockserver.state.onchain import CallRecord
from mockserver.state.world import World
from tests.accounts import account_of
from tests.chain.evm.machines import assemble
from tests.nodes.node import ALICE, BOB, CHAIN, Node

MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11"
USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
FOREVER = 2**48
NONCE = b"\7" * 32
TIMES = [("validAfter", "uint256"), ("validBefore", "uint256"), ("nonce", "bytes32")]
MOVE = [("from", "address"), ("to", "address"), ("value", "uint256"), *TIMES]
PERMIT = [
    ("owner", "address"),
    ("spender", "address"),
    ("value", "uint256"),
    ("nonce", "uint256"),
    ("deadline", "uint256"),
]
INTO_PARTS, WHOLE = "uint8,bytes32,bytes32", "bytes"
TRANSFER = "TransferWithAuthorization"


def data_of(function: str, *arguments: object) -> str:
    return "0x" + encode_call(Function.parse(function), arguments).hex()


def read(node: Node, function: str, *arguments: object) -> Any:
    return node.ask("eth_call", {"to": USDC, "data": data_of(function, *arguments)})


def sign(kind: str, fields: list[tuple[str, str]], values: list[object], account: Any = ALICE) -> Any:
    domain = {"name": "USDC", "version": "2", "chainId": CHAIN, "verifyingContract": USDC}
    types = {kind: [{"name": name, "type": type_} for name, type_ in fields]}
    message = {name: value for (name, _), value in zip(fields, values, strict=True)}
    return account.sign_typed_data(domain, types, message)


def move(kind: str = TRANSFER, form: str = INTO_PARTS, signer: Any = ALICE, **given: object) -> str:
    """The data of a transfer of Alice's that she, or another signer, has signed."""
    asked = {"from": ALICE.address, "to": BOB.address, "value": 5}
    asked |= {"validAfter": 0, "validBefore": FOREVER, "nonce": NONCE}
    values = [*(asked | given).values()]
    signed = sign(kind, MOVE, values, signer)
    parts = (signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big"))
    types = ",".join(type_ for _, type_ in MOVE)
    name = kind[0].lower() + kind[1:]
    return data_of(f"{name}({types},{form})", *values, *((signed.signature,) if form == WHOLE else parts))


def permit(nonce: int, deadline: int = FOREVER) -> str:
    signed = sign("Permit", PERMIT, [ALICE.address, BOB.address, 9, nonce, deadline])
    parts = (signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big"))
    head = (ALICE.address, BOB.address, 9, deadline)
    return data_of(f"permit(address,address,uint256,uint256,{INTO_PARTS})", *head, *parts)


def send(node: Node, data: str) -> Any:
    node.fund(BOB.address)
    return node.transact(BOB, to=USDC, data=data, gas=200_000)


def why(node: Node, data: str, sender: str = BOB.address) -> str:
    message: str = node.ask("eth_call", {"from": sender, "to": USDC, "data": data})["message"]
    return message.removeprefix("execution reverted: ")


@pytest.mark.parametrize("form", [INTO_PARTS, WHOLE])
def test_a_signed_transfer_moves_tokens_once(node: Node, form: str) -> None:
    data = move(form=form)
    receipt = send(node, data)
    assert receipt["status"] == "0x1"
    assert len(receipt["logs"]) == 2
    assert int(read(node, "balanceOf(address)", BOB.address), 16) == 5
    assert int(read(node, "authorizationState(address,bytes32)", ALICE.address, NONCE), 16) == 1
    assert why(node, data) == "FiatTokenV2: authorization is used or canceled"
    assert send(node, data)["status"] == "0x0"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"signer": Account.from_key(b"\5" * 32)}, "FiatTokenV2: invalid signature"),
        ({"validAfter": FOREVER - 1}, "FiatTokenV2: authorization is not yet valid"),
        ({"validBefore": 1}, "FiatTokenV2: authorization is expired"),
    ],
)
def test_what_is_not_signed_for_is_refused(node: Node, given: Any, reason: str) -> None:
    assert why(node, move(**given)) == reason


def test_signatures_are_good_for_their_times(node: Node) -> None:
    now_s = int(node.ask("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
    taken = node.ask("eth_call", {"to": USDC, "data": move(validAfter=now_s - 1, validBefore=now_s + 1)})
    assert taken == "0x"
    assert why(node, move(validAfter=now_s)) == "FiatTokenV2: authorization is not yet valid"
    assert why(node, move(validBefore=now_s)) == "FiatTokenV2: authorization is expired"
    assert node.ask("eth_call", {"to": USDC, "data": permit(0, now_s)}) == "0x"
    assert why(node, permit(0, now_s - 1)) == "FiatTokenV2: permit is expired"


def test_only_the_payee_receives(node: Node) -> None:
    data = move("ReceiveWithAuthorization")
    assert why(node, data, ALICE.address) == "FiatTokenV2: caller must be the payee"
    assert send(node, data)["status"] == "0x1"


def test_an_authorization_is_cancelled(node: Node) -> None:
    signed = sign(
        "CancelAuthorization", [("authorizer", "address"), ("nonce", "bytes32")], [ALICE.address, NONCE]
    )
    cancel = data_of("cancelAuthorization(address,bytes32,bytes)", ALICE.address, NONCE, signed.signature)
    assert send(node, cancel)["status"] == "0x1"
    assert why(node, move()) == "FiatTokenV2: authorization is used or canceled"


def test_a_permit_allows_and_counts_its_nonce(node: Node) -> None:
    assert why(node, permit(1)) == "EIP2612: invalid signature"
    assert send(node, permit(0))["status"] == "0x1"
    assert int(read(node, "allowance(address,address)", ALICE.address, BOB.address), 16) == 9
    assert int(read(node, "nonces(address)", ALICE.address), 16) == 1
    assert send(node, permit(0))["status"] == "0x0"


ASKED = """
0x64 CALLDATALOAD 0xf8 SHR 0x07 EQ 0x1626ba7e MUL 0xe0 SHL 0x00 MSTORE 0x20 0x00 RETURN
"""
"""Code that finds a signature valid that begins with 7 (ERC-1271)."""


def unsigned(signature: bytes, owner: str = ALICE.address) -> str:
    """The data of a transfer with any signature."""
    types = ",".join(type_ for _, type_ in MOVE)
    values = (owner, BOB.address, 5, 0, FOREVER, NONCE, signature)
    return data_of(f"transferWithAuthorization({types},{WHOLE})", *values)


def test_code_says_whether_its_account_has_signed(node: Node) -> None:
    node.ask("anvil_setCode", ALICE.address, "0x" + assemble(ASKED).hex())
    for wrong in (move(form=WHOLE), unsigned(b""), unsigned(b"\6")):
        assert why(node, wrong) == "FiatTokenV2: invalid signature"
    values = (ALICE.address, BOB.address, 9, FOREVER, b"\7")
    assert send(node, data_of(f"permit(address,address,uint256,uint256,{WHOLE})", *values))["status"] == "0x1"
    sent = send(node, unsigned(b"\7"))
    assert (sent["status"], len(sent["logs"])) == ("0x1", 2)
    traced = node.ask("debug_traceTransaction", sent["transactionHash"], {"tracer": "callTracer"})
    assert [(each["type"], each["to"]) for each in traced["calls"]] == [("STATICCALL", ALICE.address.lower())]


def test_code_is_asked_by_transactions_of_the_api(node: Node) -> None:
    def reverts(data: str) -> bytes | None:
        call = CallRecord(USDC, 0, bytes.fromhex(data[2:]), {})
        return make_calls(node.project, CHAIN, BOB.address, (call,), None).reverted

    node.ask("anvil_setCode", ALICE.address, "0x" + assemble(ASKED).hex())
    assert b"invalid signature" in (reverts(move(form=WHOLE)) or b"")
    assert reverts(unsigned(b"\7")) is None


def test_code_that_fails_has_not_signed(node: Node) -> None:
    # It reverts, it stops without an answer, and it would change something.
    for code in ("0x5f5ffd", "0x00", "0x60015f55" + assemble(ASKED).hex()):
        node.ask("anvil_setCode", ALICE.address, code)
        assert why(node, unsigned(b"\7")) == "FiatTokenV2: invalid signature"


def test_delegated_accounts_sign_as_their_code_says(node: Node) -> None:
    delegate = IMPLEMENTATIONS["CaliburV9"].address
    row = ledger.chain_account(node.project, CHAIN, ALICE.address)
    ledger.write(node.project, row._replace(delegate=delegate))
    for code, right, wrong in (
        ("0x", move(form=WHOLE), unsigned(b"\7")),
        ("0x" + assemble(ASKED).hex(), unsigned(b"\7"), move(form=WHOLE)),
    ):
        node.ask("anvil_setCode", delegate, code)
        assert why(node, wrong) == "FiatTokenV2: invalid signature"
        assert node.ask("eth_call", {"to": USDC, "data": right}) == "0x"


def test_accounts_of_unknown_owners_are_believed(node: Node) -> None:
    row = ledger.chain_account(node.project, CHAIN, ALICE.address)
    ledger.write(node.project, row._replace(deployed=True))
    assert send(node, unsigned(b"\6"))["status"] == "0x1"


def test_an_account_signs_that_is_created_before(node: Node) -> None:
    code = assemble(ASKED)
    init_code = assemble(f"0x{len(code):02x} DUP1 0x09 PUSH0 CODECOPY PUSH0 RETURN") + code
    account = to_checksum(create2_address(ledger.CREATE2_FACTORY, bytes(32), keccak256(init_code)))
    paid = bytes.fromhex(unsigned(b"\7", account)[2:])
    steps = [(ledger.CREATE2_FACTORY, bytes(32) + init_code), (USDC, paid)]
    together = data_of("tryAggregate(bool,(address,bytes)[])", True, steps)
    node.fund(BOB.address)
    assert node.transact(BOB, to=MULTICALL, data=together, gas=900_000)["status"] == "0x1"
    assert int(read(node, "authorizationState(address,bytes32)", account, NONCE), 16) == 1


def test_a_smart_account_pays_with_its_owners_signature(node: Node) -> None:
    account = account_of(node.project, chain=CHAIN)
    path = f"/_mock/projects/{node.project.id}/accounts/{account.id}/key"
    owner, payer = Account.from_key(node.api.get(path).json()["private_key"]), {"from": account.address}
    signed = move(form=WHOLE, signer=owner, **payer)
    assert why(node, signed) == "FiatTokenV2: invalid signature", "the account is not there yet"
    create = encode_call(Function.parse("createAccount(address,bytes32)"), [owner.address, SALT])
    factory = IMPLEMENTATIONS["UpgradeableV6"].factory_address
    # As facilitators of x402 simulate a payment of an account that is not deployed.
    steps = [(factory, create), (USDC, bytes.fromhex(signed[2:]))]
    together = data_of("tryAggregate(bool,(address,bytes)[])", True, steps)
    assert isinstance(node.ask("eth_call", {"to": MULTICALL, "data": together}), str)
    node.fund(BOB.address)
    deploying = node.transact(BOB, to=factory, data="0x" + create.hex(), gas=200_000)
    headers = {"authorization": f"Bearer {node.project.secret_key}"}
    shown = node.api.get(f"/v2/accounts/{account.id}", headers=headers).json()
    assert shown["smartAccount"]["deployedTx"] == deploying["transactionHash"]
    assert node.ask("eth_getCode", account.address, "latest") != "0x"
    assert why(node, move(form=WHOLE, signer=BOB, **payer)) == "FiatTokenV2: invalid signature"
    assert send(node, signed)["status"] == "0x1"


def test_usdc_has_its_published_domain(node: Node) -> None:
    # As Circle's contract on Base Sepolia answers.
    assert bytes.fromhex(read(node, "version()")[2:]).rstrip(b"\0").endswith(b"2")
    separator = read(node, "DOMAIN_SEPARATOR()")
    assert separator == "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818"


def test_usdc_of_mainnets_is_usd_coin(api: Client, world: World) -> None:
    base = Node(api, world.create(name="live", livemode=True), 8453)
    usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    separator = base.ask("eth_call", {"to": usdc, "data": data_of("DOMAIN_SEPARATOR()")})
    assert separator == "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"
