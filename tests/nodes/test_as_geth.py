"""What clients read out of errors, receipts and traces, where geth and Anvil agree."""

from typing import Any

from mockserver.chain.addresses import create_address
from tests.chain.evm.machines import assemble
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


@cases("options", {}, TRACER)
def test_what_cannot_be_executed_has_no_trace(node: Node, options: dict[str, str]) -> None:
    error = node.ask("debug_traceCall", {"to": f"0x{0x11:040x}"}, "latest", options)
    assert error["message"] == "the precompiled contract BLS12_MAP_FP2_TO_G2 is not supported"


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


# Writes where it was not called in this block before.
ONCE_A_BLOCK = assemble("TIMESTAMP PUSH0 SLOAD SUB 0x08 JUMPI STOP JUMPDEST TIMESTAMP PUSH0 SSTORE").hex()


@cases("block", None, "latest", "pending")
@cases("passes_s", 0, 60)
def test_an_estimate_is_of_the_block_that_is_to_come(node: Node, block: str | None, passes_s: int) -> None:
    node.fund(ALICE.address)
    node.ask("anvil_setCode", HERE, "0x" + ONCE_A_BLOCK)
    for _ in range(2):
        if passes_s:
            node.ask("evm_setNextBlockTimestamp", node.project.clock.now_s + passes_s)
        asked = {"from": ALICE.address, "to": HERE}
        gas = node.number("eth_estimateGas", asked, *([block] if block else []))
        assert node.transact(to=HERE, gas=gas)["status"] == "0x1"
        assert node.number("eth_getStorageAt", HERE, "0x0", "latest") == node.project.clock.now_s


def test_an_estimate_at_an_earlier_block_is_of_the_one_behind(node: Node) -> None:
    first = node.number("eth_blockNumber")
    writes = f"0x{first + 2:08x} NUMBER EQ 0x0b JUMPI STOP JUMPDEST 0x01 PUSH0 SSTORE"
    node.ask("anvil_setCode", HERE, "0x" + assemble(writes).hex())
    node.ask("anvil_mine", "0x5")
    asked = {"from": ALICE.address, "to": HERE}
    estimates = [node.number("eth_estimateGas", asked, hex(first + after)) for after in (0, 1, 2)]
    assert [each > 40_000 for each in estimates] == [False, True, False]


def test_a_delegated_call_is_from_the_one_that_delegates(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("anvil_setCode", BOB.address, "0x00")
    delegates = f"PUSH0 PUSH0 PUSH0 PUSH0 0x{BOB.address[2:]} GAS DELEGATECALL"
    node.ask("anvil_setCode", HERE, "0x" + assemble(delegates).hex())
    receipt = node.transact(to=HERE, value=5, gas=100_000)
    (traced,) = node.ask("debug_traceTransaction", receipt["transactionHash"], TRACER)["calls"]
    assert (traced["type"], traced["from"], traced["to"]) == ("DELEGATECALL", HERE, BOB.address.lower())
    assert traced["value"] == "0x5"


def test_an_access_list_has_no_contract_that_is_only_created(node: Node) -> None:
    node.ask("anvil_setCode", HERE, "0x" + assemble("PUSH0 PUSH0 PUSH0 CREATE").hex())
    assert node.ask("eth_createAccessList", {"from": ALICE.address, "to": HERE})["accessList"] == []
    calls = "PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 CREATE GAS CALL"
    node.ask("anvil_setCode", HERE, "0x" + assemble(calls).hex())
    (listed,) = node.ask("eth_createAccessList", {"from": ALICE.address, "to": HERE})["accessList"]
    assert listed["address"] == create_address(HERE, 0).lower()


@cases(
    "code, error, uses_all",
    ("PUSH0 PUSH0 0x07 CREATE", "insufficient balance for transfer", False),
    ("PUSH0 PUSH0 PUSH0 CREATE PUSH0 PUSH0 PUSH0 CREATE", "contract address collision", True),
    ("PUSH0 PUSH0 PUSH0 CREATE", "nonce uint64 overflow", False),
)
def test_a_creation_that_cannot_begin_is_traced(node: Node, code: str, error: str, uses_all: bool) -> None:
    node.fund(ALICE.address)
    node.ask("anvil_setCode", create_address(HERE, 1), "0x00")
    node.ask("anvil_setNonce", HERE, hex(2**64 - 1 if "nonce" in error else 0))
    node.ask("anvil_setCode", HERE, "0x" + assemble(code).hex())
    receipt = node.transact(to=HERE, gas=200_000)
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], TRACER)["calls"][-1]
    assert (traced["error"], "to" in traced) == (error, False)
    assert traced["gasUsed"] == (traced["gas"] if uses_all else "0x0")


def test_an_estimate_lets_inner_calls_end_as_with_all_gas(node: Node) -> None:
    node.fund(ALICE.address)
    writes = " ".join(f"0x01 0x{slot:02x} SSTORE" for slot in range(1, 6))
    node.ask("anvil_setCode", BOB.address, "0x" + assemble(writes).hex())
    calls = f"PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 0x{BOB.address[2:]} GAS CALL"
    node.ask("anvil_setCode", HERE, "0x" + assemble(calls).hex())
    receipt = node.transact(to=HERE)
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], TRACER)
    assert [each.get("error") for each in traced["calls"]] == [None]
    assert node.number("eth_getStorageAt", BOB.address, "0x5", "latest") == 1


@cases("held, priced", (10**18, True), (5, False))
def test_code_finds_the_usual_price_while_gas_is_estimated(node: Node, held: int, priced: bool) -> None:
    node.fund(ALICE.address, held)
    node.ask("anvil_setCode", HERE, "0x" + assemble("GASPRICE PUSH0 SSTORE").hex())
    asked = {"from": ALICE.address, "to": HERE}
    assert (node.number("eth_estimateGas", asked) > 40_000) == priced
    assert node.number("eth_estimateGas", asked | {"gasPrice": "0x0"}) < 40_000
    assert node.number("eth_estimateGas", asked, "latest", {ALICE.address: {"balance": "0x0"}}) < 40_000
    assert node.number("eth_estimateGas", asked, "latest", {}, {"baseFee": hex(10**15)}) < 40_000


def test_coins_sent_back_to_the_sender_make_no_new_account(node: Node) -> None:
    node.fund(HERE, 10)
    node.ask("anvil_setCode", HERE, "0x" + assemble("PUSH0 PUSH0 PUSH0 PUSH0 0x05 CALLER GAS CALL").hex())
    for sender in (ALICE.address, None):
        asked = {"to": HERE, **({"from": sender} if sender else {})}
        assert node.number("eth_estimateGas", asked) < 21_000 + 20_000
