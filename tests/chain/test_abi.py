from typing import Any

import eth_abi
import pytest
from eth_utils.abi import function_signature_to_4byte_selector

from mockserver.chain.abi.functions import (
    AbiError,
    Function,
    decode_call,
    encode_call,
    encode_values,
    find_function,
    parse_function,
    validate_abi,
)
from mockserver.chain.abi.grammar import Parameter, parse_type
from tests.tables import cases

POINT = {
    "name": "points",
    "type": "tuple[2][]",
    "components": [
        {"name": "x", "type": "int"},
        {"name": "label", "type": "tuple", "components": [{"name": "text", "type": "string"}]},
    ],
}
ABI: list[dict[str, Any]] = [
    {"type": "event", "name": "Transfer", "inputs": [{"name": "to", "type": "address", "indexed": True}]},
    {
        "type": "function",
        "name": "transfer",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
        "outputs": [{"name": "", "type": "bool"}],
        "stateMutability": "nonpayable",
    },
    {"type": "function", "name": "mint", "inputs": [{"type": "address"}], "payable": True},
    {"name": "mint", "inputs": [{"type": "address"}, {"type": "uint"}]},
    {"type": "function", "name": "burn", "inputs": [{"type": "uint256"}]},
    {"type": "function", "name": "burn", "inputs": [{"type": "bytes32"}]},
    {"type": "function", "name": "draw", "inputs": [POINT], "constant": True},
]


@cases("signature", "draw((int256,(string))[2][])", "transfer(address,uint256)")
def test_signatures_and_selectors_are_canonical(signature: str) -> None:
    function = find_function(ABI, signature.split("(")[0], None)
    assert function.signature == signature
    assert function.selector == function_signature_to_4byte_selector(signature)


def test_a_function_keeps_its_names_and_its_outputs() -> None:
    def named(name: str, type_: str) -> Parameter:
        return Parameter(name, parse_type(type_))

    inputs = (named("to", "address"), named("amount", "uint256"))
    assert parse_function(ABI[1]) == Function("transfer", inputs, (named("", "bool"),))
    points = named("points", "(int256 x,(string text) label)[2][]")
    assert parse_function(ABI[6]).inputs == (points,)
    assert points.type == "(int256,(string))[2][]"


def test_overloads_differ_by_argument_count_or_signature() -> None:
    assert find_function(ABI, "mint", 1).signature == "mint(address)"
    assert find_function(ABI, "mint", 2).signature == "mint(address,uint256)"
    assert find_function(ABI, "mint(address to, uint amount)", None).signature == "mint(address,uint256)"
    assert find_function(ABI, "burn(bytes32)", 1).signature == "burn(bytes32)"


@cases(
    "name, count, path, nearest, words",
    ("transfr", 2, "functionName", "transfer", "no function"),
    ("Transfer", 2, "functionName", "transfer", "no function"),
    ("zzz", 2, "functionName", None, "no function"),
    ("transfer(address)", 1, "functionName", "transfer(address,uint256)", "no function"),
    ("burn", 1, "functionName", None, "Several"),
    ("mint", None, "functionName", None, "Several"),
    ("mint", 3, "functionArgs", None, "takes 3 arguments"),
    ("mint(adress)", 1, "functionName", "address", "not a type"),
    ("mint(address", 1, "functionName", None, "closing bracket"),
    ("mint(address)x", 1, "functionName", None, "follows"),
    ("(address)", 1, "functionName", None, "not a signature"),
    ("mint(()", 1, "functionName", None, "at least one component"),
    ("mint(uint256[0])", 1, "functionName", None, "length 0"),
    ("mint(,)", 1, "functionName", None, "expected"),
    ("mint(" + "(" * 5_000, 1, "functionName", None, "nested"),
    ("mint(uint8" + "[]" * 5_000 + ")", 1, "functionName", None, "nested"),
    ("mint(uint8[999999999])", 1, "functionName", None, "takes more than"),
    ("x" * 100_000, 1, "functionName", None, "no function"),
)
def test_what_is_not_found_is_named_with_the_nearest(
    name: str, count: int | None, path: str, nearest: str | None, words: str
) -> None:
    with pytest.raises(AbiError, match=words) as caught:
        find_function(ABI, name, count)
    assert (caught.value.path, caught.value.nearest) == (path, nearest)
    assert len(caught.value.message) < 320


def test_without_an_abi_a_signature_suffices_a_name_does_not() -> None:
    function = find_function([], "swap((address token, uint)[2][] legs, bytes)", 2)
    assert function.signature == "swap((address,uint256)[2][],bytes)"
    assert function.inputs[0].shape.members[0].members[0].names == ("token", "")
    assert find_function([], "ping()", 0).inputs == ()
    with pytest.raises(AbiError, match="signature") as caught:
        find_function([], "swap", 2)
    assert caught.value.path == "functionName"


ADDRESS = "0x" + "aB" * 20
# A type, an argument as JSON carries it, the value that eth_abi encodes.
READ = [
    ("uint256", "1000000000000000000", 10**18),
    ("uint256", "0x0de0b6b3a7640000", 10**18),
    ("uint256", 7, 7),
    ("uint256", "0" * 100 + "7", 7),
    ("uint256", str(2**256 - 1), 2**256 - 1),
    ("int8", "-128", -128),
    ("int8", "-0x1", -1),
    ("bool", "true", True),
    ("bool", False, False),
    ("address", ADDRESS, ADDRESS.lower()),
    ("bytes", "0x", b""),
    ("bytes", "0xABcd", b"\xab\xcd"),
    ("bytes2", "0xabcd", b"\xab\xcd"),
    ("string", "[not json", "[not json"),
    ("string", "12", "12"),
    ("uint8[]", ["1", 2], [1, 2]),
    ("uint8[]", '["1", 2]', [1, 2]),
    ("uint256[2]", f"[1, {2**200}]", [1, 2**200]),
    ("uint8[][]", '[[1],"[2, 3]"]', [[1], [2, 3]]),
    ("(uint8 a,string b)", {"b": "x", "a": 1}, (1, "x")),
    ("(uint8 a,string b)", [1, "x"], (1, "x")),
    ("(uint8 a,string b)", '{"a": "1", "b": "x"}', (1, "x")),
    ("(uint8 a,(bool c) b)[]", [{"a": 1, "b": {"c": "true"}}], [(1, (True,))]),
]


@cases("type_text, argument, value", *READ)
def test_arguments_are_read_as_json_carries_them(type_text: str, argument: object, value: object) -> None:
    function = find_function([], f"f({type_text})", 1)
    calldata = encode_call(function, [argument])
    assert calldata == function.selector + eth_abi.encode([function.inputs[0].type], [value])


def _deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


# A type, an argument that is not of it, where the error points, what it says.
MISTAKES = [
    ("uint8", "256", "functionArgs[0]", "out of range for uint8: 0 to 255"),
    ("uint8", -1, "functionArgs[0]", "out of range"),
    ("int8", "128", "functionArgs[0]", "out of range for int8: -128 to 127"),
    ("uint256", "9" * 10_000, "functionArgs[0]", "out of range"),
    ("int256", "-" + "9" * 10_000, "functionArgs[0]", "out of range"),
    ("uint256", 10**10_000, "functionArgs[0]", "A number of 33220 bits is out of range"),
    ("uint256", "0x" + "f" * 65, "functionArgs[0]", "out of range"),
    ("uint256", "1.5", "functionArgs[0]", "not a whole number"),
    ("uint256", 1.0, "functionArgs[0]", "fraction"),
    ("uint256", float("nan"), "functionArgs[0]", "fraction"),
    ("uint256", True, "functionArgs[0]", "not a whole number"),
    ("uint256", None, "functionArgs[0]", "null is not a whole number"),
    ("uint256", "", "functionArgs[0]", "not a whole number"),
    ("uint256", "٣", "functionArgs[0]", "not a whole number"),
    ("uint256", " 1", "functionArgs[0]", "not a whole number"),
    ("uint256", _deep(50_000), "functionArgs[0]", "A list of 1 is not"),
    ("bool", 1, "functionArgs[0]", "not a bool"),
    ("bool", "yes", "functionArgs[0]", "not a bool"),
    ("address", "0x1234", "functionArgs[0]", "not an address"),
    ("address", 5, "functionArgs[0]", "not an address"),
    ("bytes", "0xabc", "functionArgs[0]", "even number of hex digits"),
    ("bytes", "abcd", "functionArgs[0]", "even number of hex digits"),
    ("bytes", 5, "functionArgs[0]", "even number of hex digits"),
    ("bytes4", "0xab", "functionArgs[0]", "has 1 bytes; bytes4 takes 4"),
    ("bytes4", "0x" + "ab" * 50_000, "functionArgs[0]", "has 50000 bytes"),
    ("string", 5, "functionArgs[0]", "not a string"),
    ("string", "\ud800", "functionArgs[0]", "surrogate"),
    ("uint8", "\ud800", "functionArgs[0]", "ud800"),
    ("uint8[]", "1", "functionArgs[0]", "not a list"),
    ("uint8[]", {"0": 1}, "functionArgs[0]", "not a list"),
    ("uint8[]", "[1", "functionArgs[0]", "not the text of a JSON"),
    ("uint8[]", "[" * 100_000, "functionArgs[0]", ""),
    ("uint8[]", "[" + "9" * 10_000 + "]", "functionArgs[0]", ""),
    ("uint8[]", "[1e99]", "functionArgs[0][0]", "fraction"),
    ("uint8[]", "[1e999]", "functionArgs[0]", "not the text of a JSON"),
    ("uint8[2]", [1], "functionArgs[0]", "takes 2 elements, 1 given"),
    ("uint8[][]", [[1], [2, 300]], "functionArgs[0][1][1]", "out of range"),
    ("(uint8 a,bool b)", {"a": 1}, "functionArgs[0]", "component b is missing"),
    ("(uint8 a,bool b)", {"a": 1, "b": True, "c": 2}, "functionArgs[0]", 'no component "c"'),
    ("(uint8 a,bool b)", {"a": 300, "b": True}, "functionArgs[0].a", "out of range"),
    ("(uint8,bool)", {"a": 1, "b": True}, "functionArgs[0]", "give them as a list"),
    ("(uint8,bool)", [1], "functionArgs[0]", "takes 2 components, 1 given"),
    ("(uint8,bool)", 1, "functionArgs[0]", "not a list or an object"),
    ("(uint8,bool)", [1, "x"], "functionArgs[0][1]", "not a bool"),
]


@cases("type_text, argument, path, words", *MISTAKES, ids=[f"{i}-{m[3]}" for i, m in enumerate(MISTAKES)])
def test_mistakes_are_told_by_argument(type_text: str, argument: object, path: str, words: str) -> None:
    with pytest.raises(AbiError) as caught:
        encode_call(find_function([], f"f({type_text})", 1), [argument])
    assert caught.value.path == path
    assert words in caught.value.message
    assert len(caught.value.message) < 320
    caught.value.message.encode()


@cases(
    "type_text, argument",
    ("uint8[]", "[" + "1," * 20_000 + "1]"),
    ("(uint8[] a,uint8[] b)", {"a": "[" + "1," * 10_000 + "1]", "b": "[" + "1," * 9_999 + "1]"}),
    ("(uint8 a)", "{" + ",".join(f'"a{number}":1' for number in range(20_001)) + "}"),
)
def test_too_many_values_are_refused_in_json_texts_too(type_text: str, argument: object) -> None:
    with pytest.raises(AbiError, match="more than 20,000 values, those in JSON texts included") as caught:
        encode_call(find_function([], f"f({type_text})", 1), [argument])
    assert caught.value.path.startswith("functionArgs[0]")


def test_a_mistyped_component_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(AbiError) as caught:
        encode_call(find_function([], "f((uint8 amount))", 1), [{"amuont": 1}])
    assert caught.value.nearest == "amuont"
    with pytest.raises(AbiError) as caught:
        encode_call(find_function([], "f((uint8 amount))", 1), [{"amount": 1, "amuont": 1}])
    assert caught.value.nearest == "amount"


@cases("args", [], [1], [1, 2, 3], "ab", None)
def test_the_wrong_number_of_arguments_is_refused(args: Any) -> None:
    with pytest.raises(AbiError, match=r"transfer\(address,uint256\) takes 2 arguments") as caught:
        encode_call(find_function(ABI, "transfer", None), args)
    assert caught.value.path == "functionArgs"


def test_the_second_argument_is_named_by_its_index() -> None:
    with pytest.raises(AbiError) as caught:
        encode_call(find_function(ABI, "transfer", 2), [ADDRESS, "much"])
    assert caught.value.path == "functionArgs[1]"


def test_a_call_decodes_to_its_arguments_and_no_other_does() -> None:
    function = find_function(ABI, "draw", 1)
    points = [[{"x": -1, "label": {"text": "a"}}, [2, ["b"]]]]
    calldata = encode_call(function, [points])
    assert decode_call(function, calldata) == ([[(-1, ("a",)), (2, ("b",))]],)
    for other in (b"", calldata[:3], b"\0" * 4 + calldata[4:]):
        with pytest.raises(AbiError, match="selector") as caught:
            decode_call(function, other)
        assert caught.value.path == "data"
    with pytest.raises(AbiError, match="ends"):
        decode_call(function, calldata[:40])


def test_a_valid_abi_passes_whole() -> None:
    special: list[dict[str, Any]] = [
        {
            "type": "constructor",
            "inputs": [{"name": "owner", "type": "address"}],
            "stateMutability": "payable",
        },
        {"type": "fallback", "stateMutability": "payable"},
        {"type": "receive", "stateMutability": "payable"},
        {"type": "error", "name": "Denied", "inputs": [POINT]},
        {"type": "function", "name": "f", "inputs": None, "outputs": None, "stateMutability": None},
        {"type": "function", "name": "g", "inputs": [{"name": "callback", "type": "function"}]},
    ]
    validate_abi([*ABI, *special])


@cases(
    "entry, path, nearest",
    ({"name": "f", "inputs": [{"type": "uint7"}]}, "abi[1].inputs[0].type", "uint72"),
    ({"name": "f", "inputs": [{"type": "adress"}]}, "abi[1].inputs[0].type", "address"),
    ({"name": "f", "outputs": [{"type": "bool"}, {"type": 5}]}, "abi[1].outputs[1].type", None),
    ({"name": "f", "inputs": [{}]}, "abi[1].inputs[0].type", None),
    ({"name": "f", "inputs": ["uint8"]}, "abi[1].inputs[0]", None),
    ({"name": "f", "inputs": {"type": "uint8"}}, "abi[1].inputs", None),
    ({"name": "f", "inputs": [{"type": "uint8", "name": 5}]}, "abi[1].inputs[0].name", None),
    ({"name": "f", "inputs": [{"type": "uint8[x]"}]}, "abi[1].inputs[0].type", None),
    ({"name": "f", "inputs": [{"type": "tuple"}]}, "abi[1].inputs[0].components", None),
    ({"name": "f", "inputs": [{"type": "tuple", "components": 5}]}, "abi[1].inputs[0].components", None),
    (
        {"name": "f", "inputs": [{"type": "tuple", "components": [{"type": "x"}]}]},
        "abi[1].inputs[0].components[0].type",
        None,
    ),
    (
        {"name": "f", "inputs": [{"type": "tuple[0]", "components": [{"type": "bool"}]}]},
        "abi[1].inputs[0].type",
        None,
    ),
    ({"type": "functoin", "name": "f"}, "abi[1].type", "function"),
    ({"type": 5, "name": "f"}, "abi[1].type", None),
    ({"type": "function"}, "abi[1].name", None),
    ({"type": "error", "name": "a b"}, "abi[1].name", None),
    ({"name": "f", "stateMutability": "free"}, "abi[1].stateMutability", None),
    ({"type": "receive", "stateMutability": ["payable"]}, "abi[1].stateMutability", None),
    ({"type": "constructor", "inputs": [{"type": "x"}]}, "abi[1].inputs[0].type", None),
    (5, "abi[1]", None),
    ({"type": "event", "name": "E", "anonymous": "yes"}, "abi[1].anonymous", None),
    ({"name": "f", "payable": 1}, "abi[1].payable", None),
    ({"name": "f", "constant": "true"}, "abi[1].constant", None),
    ({"type": "receive", "payable": "true"}, "abi[1].payable", None),
    ({"name": "f", "gas": 2300}, "abi[1].gas", None),
    (
        {"type": "event", "name": "E", "inputs": [{"type": "bool", "indexed": 1}]},
        "abi[1].inputs[0].indexed",
        None,
    ),
)
def test_a_malformed_abi_is_refused_where_it_is_malformed(entry: Any, path: str, nearest: str | None) -> None:
    with pytest.raises(AbiError) as caught:
        validate_abi([ABI[0], entry])
    assert (caught.value.path, caught.value.nearest) == (path, nearest)


def test_a_tuple_in_a_signature_may_be_called_one() -> None:
    function = find_function([], "fill(tuple(address maker, tuple(uint)[] legs) order, bool)", None)
    assert function.signature == "fill((address,(uint256)[]),bool)"
    assert function.selector == function_signature_to_4byte_selector(function.signature)


def test_a_value_that_is_not_json_is_named_by_its_type() -> None:
    with pytest.raises(AbiError, match=r"^A bytes is not a whole number for uint8") as caught:
        encode_values(["bool", "uint8"], [True, b"\x01"])
    assert caught.value.path == "values[1]"
