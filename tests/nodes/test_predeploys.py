"""What real chains have at known addresses: the oracle of rollups' fees, and ENS."""

from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.state.project import Project
from tests.nodes.node import ALICE, BOB, Node

ORACLE = "0x420000000000000000000000000000000000000F"
L1_BLOCK = "0x4200000000000000000000000000000000000015"
REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
UNIVERSAL_RESOLVER = "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe"
SEPOLIA = 11155111


def call_of(to: str, function: str, *arguments: object) -> dict[str, str]:
    return {"to": to, "data": "0x" + encode_call(Function.parse(function), arguments).hex()}


def read(node: Node, to: str, function: str, *arguments: object) -> int:
    return node.number("eth_call", call_of(to, function, *arguments))


def test_the_oracle_says_what_a_transaction_will_cost_on_l1(node: Node) -> None:
    node.fund(ALICE.address)
    sent = {"to": BOB.address, "value": 5, "gas": 21_000}
    bare = node.ask("eth_fillTransaction", {"from": ALICE.address, **sent})["raw"]
    said = read(node, ORACLE, "getL1Fee(bytes)", bytes.fromhex(bare[2:]))
    receipt = node.transact(**sent)
    paid, used = (int(receipt[name], 16) for name in ("l1Fee", "l1GasUsed"))
    assert paid <= said < paid * 1.03
    assert paid == used * int(receipt["l1GasPrice"], 16) == used * read(node, ORACLE, "l1BaseFee()")
    assert read(node, L1_BLOCK, "basefee()") == read(node, ORACLE, "l1BaseFee()")


def test_the_oracle_follows_the_settings(node: Node) -> None:
    node.ask("anvil_setNextBlockBaseFeePerGas", "0x7")
    assert read(node, ORACLE, "baseFee()") == 7
    assert read(node, ORACLE, "decimals()") == 6
    assert node.ask("eth_call", call_of(ORACLE, "setL1BaseFee(uint256)", 1))["code"] == 3


def test_other_chains_have_no_oracle(api: Client, project: Project) -> None:
    node = Node(api, project, SEPOLIA)
    assert node.ask("eth_getCode", ORACLE) == "0x"
    assert node.ask("eth_getCode", UNIVERSAL_RESOLVER) != "0x"


def test_no_name_has_a_resolver(api: Client, project: Project) -> None:
    node = Node(api, project, SEPOLIA)
    assert read(node, REGISTRY, "resolver(bytes32)", bytes(32)) == 0
    assert int(node.ask("eth_call", call_of(UNIVERSAL_RESOLVER, "findResolver(bytes)", b"\0")), 16) == 0
    asked = call_of(UNIVERSAL_RESOLVER, "reverse(bytes,uint256)", bytes(20), 60)
    refused = node.ask("eth_call", asked)
    assert (refused["code"], refused["data"][:10]) == (3, "0x77209fe8")


def test_code_of_a_test_takes_the_place_of_the_oracle(node: Node) -> None:
    # It answers 9 to everything: PUSH1 9, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
    node.ask("anvil_setCode", ORACLE, "0x60095f5260205ff3")
    assert read(node, ORACLE, "l1BaseFee()") == 9
