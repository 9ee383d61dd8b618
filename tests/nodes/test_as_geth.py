"""What clients read out of errors, receipts and traces, where geth and Anvil agree."""

from typing import Any

from mockserver.chain.addresses import create_address
from tests.nodes.node import ALICE, BOB, Node
from tests.tables import cases

HERE, TRACER = "0x" + "77" * 20, {"tracer": "callTracer"}
REVERTS = "0x5f5ffd"
# PUSH0 and RETURN of nothing, as what creates a contract without code.
CREATES = "0x5f5ff3"


@cases(
    "method, asked, message",
    ("eth_call", {"value": "0x5"}, "insufficient funds for gas * price + value: address "),
    ("debug_traceCall", {"value": "0x5"}, "insufficient funds for gas * price + value: address "),
    ("eth_call", {"maxFeePerGas": "0x1"}, "max fee per gas less than block base fee: address "),
    ("eth_call", {"maxPriorityFeePerGas": "0x1"}, "max priority fee per gas higher than max fee per gas"),
    ("eth_call", {"gas": "0x5"}, "intrinsic gas too low: have 5, want 21000"),
    (
        "eth_estimateGas",
        {"gas": hex(21_100), "data": "0x" + "11" * 100},
        "gas required exceeds allowance (21100)",
    ),
    ("eth_estimateGas", {"value": "0x5", "gasPrice": hex(10**9)}, "insufficient funds for transfer"),
)
def test_an_error_has_the_words_that_clients_look_for(
    node: Node, method: str, asked: dict[str, Any], message: str
) -> None:
    error = node.ask(method, {"from": ALICE.address, "to": BOB.address, **asked}, "latest")
    assert error["code"] == -32000
    assert message in error["message"]


@cases(
    "beside, price, found",
    (0, "gasPrice", "insufficient funds for transfer"),
    (21_000 * 10**9 - 1, "gasPrice", "gas required exceeds allowance (20999)"),
    (21_000 * 10**9, "gasPrice", hex(21_000)),
    (21_000 * 10**9, "maxFeePerGas", hex(21_000)),
)
def test_an_estimate_is_of_what_the_sender_can_pay(node: Node, beside: int, price: str, found: str) -> None:
    node.fund(ALICE.address, 5 + beside)
    asked = {"from": ALICE.address, "to": BOB.address, "value": "0x5", price: hex(10**9)}
    answer = node.ask("eth_estimateGas", asked, "latest")
    assert found == (answer["message"] if isinstance(answer, dict) else answer)


def test_a_creation_that_fails_has_an_address_and_no_target(node: Node) -> None:
    node.fund(ALICE.address)
    receipt = node.transact(data=REVERTS, gas=100_000)
    assert (receipt["status"], receipt["contractAddress"]) == (
        "0x0",
        create_address(ALICE.address, 0).lower(),
    )
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], TRACER)
    assert (traced["error"], "to" in traced) == ("execution reverted", False)


def test_code_sees_the_hash_of_the_block_before_its_own(node: Node) -> None:
    # NUMBER - 1, BLOCKHASH.
    node.ask("anvil_setCode", HERE, "0x4360019003405f5260205ff3")
    node.ask("evm_mine")
    latest = node.ask("eth_getBlockByNumber", "latest", False)
    assert node.ask("eth_call", {"to": HERE}, "latest") == latest["parentHash"]


@cases("call, done", ("5af1", 1), ("5afa", 0))
def test_a_static_call_changes_nothing_of_an_entry_point(node: Node, call: str, done: int) -> None:
    entry_point = node.bundle("eth_supportedEntryPoints")[0][2:]
    # A call of incrementNonce(0), by CALL with no value or by STATICCALL, and whether it went well.
    value = "5f" if call == "5af1" else ""
    code = f"0x630bd28e3b60e01b5f525f5f60245f{value}73{entry_point}{call}5f5260205ff3"
    node.ask("anvil_setCode", HERE, code)
    assert node.number("eth_call", {"to": HERE}, "latest") == done


def test_an_access_list_has_not_what_is_created(node: Node) -> None:
    assert node.ask("eth_createAccessList", {"from": ALICE.address, "data": CREATES})["accessList"] == []


def test_a_transaction_that_waits_shows_the_most_it_pays(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    raw = node.sign(to=BOB.address, gas=21_000, maxFeePerGas=10**10).raw_transaction.to_0x_hex()
    sent = node.ask("eth_sendRawTransaction", raw)
    assert node.ask("eth_getTransactionByHash", sent)["gasPrice"] == hex(10**10)
    node.ask("evm_mine")
    assert int(node.ask("eth_getTransactionByHash", sent)["gasPrice"], 16) < 10**10


def test_a_trace_has_all_gas_refused_calls_and_destructions(node: Node) -> None:
    # CALL of BOB with a wei too many, and SELFDESTRUCT in favour of BOB.
    bob = BOB.address[2:]
    node.ask("anvil_setCode", HERE, f"0x5f5f5f5f6001470173{bob}5af15073{bob}ff")
    node.fund(HERE, 5)
    node.fund(ALICE.address)
    receipt = node.transact(to=HERE, gas=100_000)
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], TRACER)
    assert traced["gasUsed"] == receipt["gasUsed"]
    refused, destroyed = traced["calls"]
    assert (refused["error"], refused["value"]) == ("insufficient balance for transfer", "0x6")
    assert (refused["type"], refused["gasUsed"]) == ("CALL", "0x0")
    assert (destroyed["type"], destroyed["from"], destroyed["value"]) == ("SELFDESTRUCT", HERE, "0x5")
    assert destroyed["to"] == BOB.address.lower()


def test_an_account_may_delegate_itself_in_an_estimate(node: Node) -> None:
    node.fund(ALICE.address)
    # The nonce of the transaction itself is used before.
    right = ALICE.sign_authorization({"chainId": node.chain, "address": HERE, "nonce": 1})
    shown = {
        **{name: hex(getattr(right, name)) for name in ("nonce", "r", "s")},
        "chainId": hex(node.chain),
        "yParity": hex(right.y_parity),
        "address": HERE,
    }
    node.ask("anvil_setCode", HERE, "0x60075f5260205ff3")
    asked = {"from": ALICE.address, "to": ALICE.address, "authorizationList": [shown]}
    assert node.number("eth_call", asked, "latest") == 7
    assert node.number("eth_getTransactionCount", ALICE.address) == 0
