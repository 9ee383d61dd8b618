import eth_abi
import eth_abi.grammar
import eth_abi.packed
from eth_utils.abi import function_signature_to_4byte_selector

from mockserver.chain.account_calls import (
    EncodedCall,
    calls_data,
    erc7821_execute,
    execute_batch,
    execute_call,
    read_calls,
)
from tests.tables import cases

CALLS = [("0x" + "11" * 20, 5, b"\xab"), ("0x" + "22" * 20, 0, b"")]


def split(calldata: bytes, signature: str) -> bytes:
    assert calldata[:4] == function_signature_to_4byte_selector(signature)
    return calldata[4:]


def test_one_call_is_an_execute() -> None:
    body = split(execute_call(*CALLS[0]), "execute(address,uint256,bytes)")
    assert body == eth_abi.encode(["address", "uint256", "bytes"], CALLS[0])


def test_a_batch_of_the_sample_account_is_three_lists() -> None:
    body = split(execute_batch(CALLS), "executeBatch(address[],uint256[],bytes[])")
    assert eth_abi.decode(["address[]", "uint256[]", "bytes[]"], body) == tuple(zip(*CALLS, strict=True))


@cases("count", 0, 1, 2)
def test_an_erc7821_batch_is_a_mode_and_a_list_of_calls(count: int) -> None:
    mode, inner = eth_abi.decode(
        ["bytes32", "bytes"], split(erc7821_execute(CALLS[:count]), "execute(bytes32,bytes)")
    )
    assert mode.hex() == "01" + "00" * 31
    assert eth_abi.decode(["(address,uint256,bytes)[]"], inner) == (tuple(CALLS[:count]),)


@cases("implementation", "Calibur", "CaliburV9")
def test_the_calibur_family_speaks_erc7821(implementation: str) -> None:
    assert calls_data(implementation, CALLS[:1]) == erc7821_execute(CALLS[:1])
    assert calls_data(implementation, CALLS) == erc7821_execute(CALLS)


@cases("implementation", "UpgradeableV6", "Simple")
def test_other_accounts_know_execute_and_execute_batch(implementation: str) -> None:
    assert calls_data(implementation, CALLS[:1]) == execute_call(*CALLS[0])
    assert calls_data(implementation, CALLS) == execute_batch(CALLS)
    assert calls_data(implementation, []) == execute_batch([])


PACKED = b"".join(
    eth_abi.packed.encode_packed(
        ["uint8", "address", "uint256", "uint256", "bytes"], [0, to, wei, len(data), data]
    )
    for to, wei, data in CALLS
)


def call(signature: str, *values: object) -> bytes:
    types = eth_abi.grammar.parse(signature[signature.index("(") :]).components
    head = function_signature_to_4byte_selector(signature)
    return head + eth_abi.encode([each.to_type_str() for each in types], values)


ONE = CALLS[0]
SEVERAL = ("0x" + "33" * 20, 0, call("multiSend(bytes)", PACKED))
USER_OPERATION = "(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)"


@cases(
    "data, calls",
    (call("execute(address,uint256,bytes)", *ONE), CALLS[:1]),
    (call("execute(address,uint256,bytes,uint8)", *ONE, 0), CALLS[:1]),
    (call("execute((address,uint256,bytes))", ONE), CALLS[:1]),
    (call("execute_ncC(address,uint256,bytes)", *ONE), CALLS[:1]),
    (call("executeBatch_y6U(address[],uint256[],bytes[])", *zip(*CALLS, strict=True)), CALLS),
    (call("executeUserOp(address,uint256,bytes,uint8)", *SEVERAL, 0), [SEVERAL]),
    (call("executeUserOp(address,uint256,bytes,uint8)", *SEVERAL, 1), CALLS),
    (call("executeUserOpWithErrorString(address,uint256,bytes,uint8)", *SEVERAL, 1), CALLS),
    (
        function_signature_to_4byte_selector(f"executeUserOp({USER_OPERATION},bytes32)")
        + execute_batch(CALLS),
        CALLS,
    ),
    (call("execute(((address,uint256,bytes)[],bool))", (CALLS, True)), CALLS),
    (
        function_signature_to_4byte_selector(f"executeUserOp({USER_OPERATION},bytes32)")
        + eth_abi.encode(["((address,uint256,bytes)[],bool)"], [(CALLS, False)]),
        CALLS,
    ),
    (bytes(64), None),
    (call("executeUserOp(address,uint256,bytes,uint8)", *SEVERAL[:2], SEVERAL[2][:-70], 1), None),
    (call("execute(bytes32,bytes)", bytes(32), b"abc"), None),
    (call("mint(uint256)", 7), None),
    ids=[
        "SimpleAccount",
        "Kernel 2",
        "MetaMask",
        "Biconomy",
        "a batch of Biconomy",
        "Safe",
        "a batch of Safe",
        "a batch of Safe with errors",
        "Kernel and Alchemy with hooks",
        "Calibur",
        "Calibur by its entry point",
        "nothing but zeros",
        "a batch that is cut off",
        "a call without an address",
        "another function",
    ],
)
def test_calls_of_published_accounts_are_read(data: bytes, calls: list[EncodedCall] | None) -> None:
    assert read_calls(data) == calls
