"""The types of arguments that no ABI describes."""

from typing import Any

import pytest
from eth_abi import decode
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import encode_call
from mockserver.chain.abi.inference import infer_function
from mockserver.chain.abi.types import AbiError
from mockserver.chain.addresses import is_address
from tests.tables import cases

ADDRESS = "0x" + "aB" * 20


@cases(
    "args, signature",
    ([], "f()"),
    ([ADDRESS, "5"], "f(address,uint256)"),
    ([5, 2**255, "0", "007"], "f(uint256,uint256,uint256,uint256)"),
    ([True, "false", "True"], "f(bool,bool,string)"),
    (["0x", "0xAb01", "0x" + "00" * 32, "0xabc", "0X01"], "f(bytes,bytes,bytes,string,string)"),
    (["", "ada", "-5", "1.5", "1e3", " 5"], "f(string,string,string,string,string,string)"),
    ([[ADDRESS], [1, "2"], [["a"], ["b", "c"]]], "f(address[],uint256[],string[][])"),
)
def test_every_value_tells_its_type(args: list[Any], signature: str) -> None:
    assert infer_function("f", args, is_address).signature == signature


@cases(
    "args, path, words",
    ([1, 1.5], "functionArgs[1]", "The fraction 1.5 does not tell its type"),
    ([None], "functionArgs[0]", "null does not tell"),
    ([{"a": 1}], "functionArgs[0]", "An object does not tell"),
    ([[]], "functionArgs[0]", "empty list"),
    ([[1, "ada"]], "functionArgs[0][1]", '"ada" is of the type string, the list\'s first .* uint256'),
    ([[[1], [True]]], "functionArgs[0][1]", r"of the type bool\[\]"),
    ([[["a"], [{}]]], "functionArgs[0][1][0]", "An object"),
    ([[[1], []]], "functionArgs[0][1]", "empty list"),
)
def test_a_value_that_tells_no_type_is_named(args: list[Any], path: str, words: str) -> None:
    with pytest.raises(AbiError, match=words) as caught:
        infer_function("f", args, is_address)
    assert caught.value.path == path


@cases("name", "", "a b", "9lives", "mint)", "\u00e9")
def test_a_function_has_a_name(name: str) -> None:
    with pytest.raises(AbiError, match="not the name of a function") as caught:
        infer_function(name, [], is_address)
    assert caught.value.path == "functionName"


def test_lists_are_nested_so_deep_and_no_deeper() -> None:
    nested: Any = 1
    for _ in range(24):
        nested = [nested]
    assert infer_function("f", [nested], is_address).signature == f"f(uint256{'[]' * 24})"
    with pytest.raises(AbiError, match="nested"):
        infer_function("f", [[nested]], is_address)


VALUES = (
    st.booleans()
    | st.integers(0, 2**256 - 1)
    | st.integers(0, 2**256 - 1).map(str)
    | st.binary(max_size=40).map(lambda raw: "0x" + raw.hex())
    | st.text(st.characters(codec="utf-8"))
)


@given(st.lists(VALUES | st.lists(st.text(alphabet="xyz"), min_size=1), max_size=5))
def test_what_is_inferred_can_be_encoded_and_read_back(args: list[Any]) -> None:
    function = infer_function("f", args, is_address)
    types = [parameter.type for parameter in function.inputs]
    assert len(decode(types, encode_call(function, args)[4:])) == len(args)
