from typing import Any

import eth_abi
from eth_utils.abi import function_signature_to_4byte_selector
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.reverts import decode_revert, encode_panic, encode_reason
from mockserver.chain.entry_point_errors import EXPLANATIONS
from tests.tables import cases

ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
ABI: list[dict[str, Any]] = [
    {"type": "function", "name": "Paused", "inputs": []},
    {"type": "error", "name": "InsufficientBalance", "inputs": [{"type": "uint256"}, {"type": "uint256"}]},
    {"type": "error", "name": "Paused", "inputs": []},
    {
        "type": "error",
        "name": "Everything",
        "inputs": [
            {"type": "address"},
            {"type": "bool[]"},
            {"type": "string"},
            {"type": "tuple", "components": [{"type": "bytes2"}, {"type": "int8"}, {"type": "address"}]},
        ],
    },
]


def returned(signature: str, *values: object) -> bytes:
    types = signature[signature.index("(") + 1 : -1]
    selector = function_signature_to_4byte_selector(signature)
    if signature.startswith("Everything"):
        return selector + eth_abi.encode(["address", "bool[]", "string", "(bytes2,int8,address)"], values)
    return selector + eth_abi.encode([text for text in types.split(",") if text], values)


@given(st.text(max_size=80))
def test_a_reason_is_encoded_as_solidity_does_and_read_back(text: str) -> None:
    assert encode_reason(text) == returned("Error(string)", text)
    assert decode_revert(encode_reason(text), []) == ("Error", text)


@cases(
    "code, words",
    (0x00, "compiler"), (0x01, "assertion"), (0x11, "overflowed"), (0x12, "division"), (0x21, "enum"),
     (0x22, "storage"), (0x31, "popped"), (0x32, "bounds"), (0x41, "memory"), (0x51, "function type"),
     (0x99, "does not define"),
)  # fmt: skip
def test_a_panic_is_explained_by_its_code(code: int, words: str) -> None:
    assert encode_panic(code) == returned("Panic(uint256)", code)
    name, reason = decode_revert(encode_panic(code), [])
    assert name == "Panic"
    assert reason.startswith(f"Panic 0x{code:02x}: ")
    assert words in reason


def test_custom_errors_of_the_abi_read_like_calls() -> None:
    assert decode_revert(returned("InsufficientBalance(uint256,uint256)", 1, 2), ABI) == (
        "InsufficientBalance",
        "InsufficientBalance(1, 2)",
    )
    assert decode_revert(returned("Paused()"), ABI) == ("Paused", "Paused()")
    values = (ADDRESS, [True, False], 'é"', (b"\x01\x02", -5, ADDRESS))
    assert decode_revert(
        returned("Everything(address,bool[],string,(bytes2,int8,address))", *values), ABI
    ) == ("Everything", f'Everything({ADDRESS}, [true, false], "é\\"", (0x0102, -5, {ADDRESS}))')


@cases(
    "signature, values",
    ("FailedOp(uint256,string)", (0,)),
    ("FailedOpWithRevert(uint256,string,bytes)", (0, b"\x01")),
)
def test_entry_point_errors_are_known_without_an_abi(signature: str, values: tuple[object, ...]) -> None:
    data = returned(signature, values[0], "AA31 paymaster deposit too low", *values[1:])
    name, reason = decode_revert(data, [])
    assert (name, reason) == (signature.split("(")[0], "AA31 paymaster deposit too low")
    assert reason in EXPLANATIONS["AA31"].message.replace(":", "")


@cases(
    "data, reason",
    (b"", "execution reverted"),
    (b"\x01\x02", "execution reverted with 0x0102"),
    (encode_reason("x")[:40], f"execution reverted with 0x{encode_reason('x')[:40].hex()}"),
    (b"\xde\xad\xbe\xef", "execution reverted with 0xdeadbeef"),
)
def test_an_undeclared_error_has_no_name(data: bytes, reason: str) -> None:
    assert decode_revert(data, ABI) == (None, reason)


@given(
    st.sampled_from([encode_reason("")[:4], encode_panic(1)[:4], returned("Paused()")]),
    st.binary(max_size=99),
)
def test_any_data_can_be_read(selector: bytes, rest: bytes) -> None:
    _, reason = decode_revert(selector + rest, ABI)
    assert isinstance(reason, str)
