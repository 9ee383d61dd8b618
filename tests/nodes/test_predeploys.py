"""What real chains have at known addresses: the oracle of rollups' fees, ENS, and WETH."""

from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.state.project import Project
from tests.nodes.node import ALICE, BOB, Node
from tests.tables import cases

ORACLE = "0x420000000000000000000000000000000000000F"
L1_BLOCK = "0x4200000000000000000000000000000000000015"
REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
UNIVERSAL_RESOLVER = "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe"
WETH = "0x4200000000000000000000000000000000000006"
MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
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


def held(node: Node, holder: str, weth: str = WETH) -> int:
    return read(node, weth, "balanceOf(address)", holder)


@cases("chain, weth", (84532, WETH), (SEPOLIA, "0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14"))
def test_coins_are_wrapped_and_unwrapped(api: Client, project: Project, chain: int, weth: str) -> None:
    node = Node(api, project, chain)
    node.fund(ALICE.address)
    for data in ("0x", call_of(weth, "deposit()")["data"]):
        wrapped = node.transact(to=weth, data=data, value=50, chainId=chain)
        assert [int(log["data"], 16) for log in wrapped["logs"]] == [50]
    assert (held(node, ALICE.address, weth), node.number("eth_getBalance", weth)) == (100, 100)
    before = node.number("eth_getBalance", ALICE.address)
    sent = node.transact(**call_of(weth, "withdraw(uint256)", 70), chainId=chain)
    paid = int(sent["gasUsed"], 16) * int(sent["effectiveGasPrice"], 16) + int(sent.get("l1Fee", "0x0"), 16)
    assert node.number("eth_getBalance", ALICE.address) == before + 70 - paid
    assert read(node, weth, "totalSupply()") == 30
    refused = node.ask("eth_call", {**call_of(weth, "withdraw(uint256)", 31), "from": ALICE.address})
    assert (refused["code"], "ERC20InsufficientBalance" in refused["message"]) == (3, True)


def test_weth_is_a_token_like_others(node: Node) -> None:
    node.fund(ALICE.address)
    node.transact(to=WETH, value=50)
    node.transact(**call_of(WETH, "transfer(address,uint256)", BOB.address, 20))
    assert (held(node, ALICE.address), held(node, BOB.address)) == (30, 20)
    named = node.ask("eth_call", call_of(WETH, "symbol()"))
    assert bytes.fromhex(named[2:]).rstrip(b"\0").endswith(b"WETH")
    assert read(node, WETH, "decimals()") == 18


def test_a_contract_wraps_coins_and_what_reverts_is_undone(node: Node) -> None:
    node.fund(ALICE.address)
    wrapping, *unwrapping = (
        bytes.fromhex(call_of(WETH, *asked)["data"][2:])
        for asked in (("deposit()",), ("withdraw(uint256)", 30), ("withdraw(uint256)", 51))
    )
    # Multicall3 takes no coins, so that what it unwraps is undone.
    allowed, refused = ([(WETH, True, 0, unwrapping[0])], [(WETH, False, 0, unwrapping[1])])
    for more, status in ((allowed, "0x1"), (refused, "0x0")):
        calls = [(WETH, False, 50, wrapping), *more]
        batch = call_of(MULTICALL3, "aggregate3Value((address,bool,uint256,bytes)[])", calls)
        assert node.transact(**batch, value=50, gas=500_000)["status"] == status
        assert (held(node, MULTICALL3), node.number("eth_getBalance", WETH)) == (50, 50)


@cases("call_code", "f4", "f2")
def test_coins_that_weth_does_not_get_are_not_wrapped(node: Node, call_code: str) -> None:
    # It passes on what it is called with, as code of its own, and returns whether that went well.
    value = "34" if call_code == "f2" else ""
    code = f"0x365f5f375f5f365f{value}73{WETH[2:]}5a{call_code}5f5260205ff3"
    node.ask("anvil_setCode", BOB.address, code)
    node.fund(ALICE.address)
    wrapping = {**call_of(BOB.address, "deposit()"), "from": ALICE.address, "value": "0x5"}
    assert node.number("eth_call", wrapping) == 0
    assert read(node, WETH, "totalSupply()") == 0


def test_tokens_that_a_test_gave_are_unwrapped(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("anvil_dealERC20", ALICE.address, WETH, hex(10**18))
    before = node.number("eth_getBalance", ALICE.address)
    node.transact(**call_of(WETH, "withdraw(uint256)", 10**18))
    assert node.number("eth_getBalance", ALICE.address) > before
    assert sum(row.balance - row.issued for row in node.project.chains.accounts) == 0
