"""Digests of personal messages and typed data, against eth_account and published examples."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from eth_account.messages import _hash_eip191_message, encode_defunct, encode_typed_data
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto.keccak import keccak256
from mockserver.crypto.messages import personal_message_digest, typed_data_digest
from tests.tables import cases

Document = dict[str, Any]


def fields(declaration: str) -> list[dict[str, str]]:
    """Read "string name, address wallet" as the fields of a struct."""
    pairs = (field.split() for field in declaration.split(", "))
    return [{"name": name, "type": type_} for type_, name in pairs]


DOMAIN_FIELDS = fields("string name, string version, uint256 chainId, address verifyingContract")
DOMAIN = {
    "name": "Ether Mail",
    "version": "1",
    "chainId": 1,
    "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
}
COW, BOB = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"
MAIL: Document = {
    "types": {
        "EIP712Domain": DOMAIN_FIELDS,
        "Person": fields("string name, address wallet"),
        "Mail": fields("Person from, Person to, string contents"),
    },
    "domain": DOMAIN,
    "primaryType": "Mail",
    "message": {
        "from": {"name": "Cow", "wallet": COW},
        "to": {"name": "Bob", "wallet": BOB},
        "contents": "Hello, Bob!",
    },
}
MAIL_DIGEST = "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"


def digest_with_eth_account(document: Document) -> bytes:
    return bytes(_hash_eip191_message(encode_typed_data(full_message=document)))


def one_value(type_: str, value: object) -> Document:
    """Return a document whose message is this one value."""
    types = {"Holder": fields(f"{type_} held"), "Point": fields("int32 x, int32 y")}
    return {"types": types, "domain": {}, "primaryType": "Holder", "message": {"held": value}}


@cases(
    "message, digest",
    (b"hello world", "d9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68"),
    (b"Hello World", "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"),
)
def test_published_digests_of_personal_messages_are_reproduced(message: bytes, digest: str) -> None:
    assert personal_message_digest(message).hex() == digest


@settings(max_examples=25)
@given(st.binary(max_size=200))
def test_any_personal_message_has_the_digest_of_eth_account(message: bytes) -> None:
    assert personal_message_digest(message) == bytes(_hash_eip191_message(encode_defunct(message)))


def test_the_mail_of_eip_712_has_its_published_digest() -> None:
    assert typed_data_digest(MAIL).hex() == MAIL_DIGEST


def test_arrays_and_an_unused_type_give_the_published_digest() -> None:
    wallets = ["0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF", "0xB0BdaBea57B0BDABeA57b0bdABEA57b0BDabEa57"]
    document = {
        "types": {
            "EIP712Domain": DOMAIN_FIELDS,
            "Person": fields("string name, address[] wallets"),
            "Mail": fields("Person from, Person[] to, string contents"),
            "Group": fields("string name, Person[] members"),
        },
        "domain": DOMAIN,
        "primaryType": "Mail",
        "message": {
            "from": {"name": "Cow", "wallets": [COW, wallets[0]]},
            "to": [
                {"name": "Bob", "wallets": [BOB, wallets[1], "0xB0B0b0b0b0b0B000000000000000000000000000"]}
            ],
            "contents": "Hello, Bob!",
        },
    }
    expected = "a85c2e2b118698e88db68a8105b794a8cc7cec074e89ef991cb4f5f533819cc2"
    assert typed_data_digest(document).hex() == expected


def test_a_recursive_type_ends_where_a_struct_is_absent_or_null() -> None:
    document: Document = {
        "types": {
            "EIP712Domain": DOMAIN_FIELDS,
            "Person": fields("string name, Person mother, Person father"),
        },
        "domain": DOMAIN | {"name": "Family Tree"},
        "primaryType": "Person",
        "message": {
            "name": "Jon",
            "mother": {"name": "Lyanna", "father": {"name": "Rickard"}},
            "father": {"name": "Rhaegar", "father": {"name": "Aeris II"}},
        },
    }
    expected = "807773b9faa9879d4971b43856c4d60c2da15c6f8c062bd9d33afefb756de19c"
    assert typed_data_digest(document).hex() == expected
    document["message"]["father"]["mother"] = None
    assert typed_data_digest(document).hex() == expected


@cases("kept", (), ("name",), ("chainId",), ("version", "verifyingContract"), ("salt", "name"), tuple(DOMAIN))
def test_any_part_of_the_domain_may_be_missing(kept: tuple[str, ...]) -> None:
    document = copy.deepcopy(MAIL)
    del document["types"]["EIP712Domain"]
    document["domain"] = {name: (DOMAIN | {"salt": "0x" + "5a" * 32})[name] for name in kept}
    assert typed_data_digest(document) == digest_with_eth_account(document)


def test_a_document_without_a_domain_is_that_with_an_empty_one() -> None:
    document = one_value("uint8", 1)
    expected = digest_with_eth_account(document | {"types": {"Holder": document["types"]["Holder"]}})
    del document["domain"]
    assert typed_data_digest(document) == expected


def test_the_domain_alone_can_be_signed() -> None:
    separator = "f2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f"
    expected = keccak256(b"\x19\x01" + bytes.fromhex(separator))
    assert typed_data_digest(MAIL | {"primaryType": "EIP712Domain", "message": {}}) == expected


def test_types_reached_through_others_are_declared_in_order() -> None:
    document = {
        "types": {
            "Basket": fields("Pear[] pears, Melon[1][] melons, Zucchini last"),
            "Zucchini": fields("uint8 weight, Apple beside"),
            "Pear": fields("uint8 weight, Stone[] stones"),
            "Melon": fields("uint8 weight"),
            "Apple": fields("uint8 weight"),
            "Stone": fields("uint8 weight"),
        },
        "domain": {},
        "primaryType": "Basket",
        "message": {
            "pears": [{"weight": 1, "stones": [{"weight": 2}, {"weight": 3}]}],
            "melons": [[{"weight": 4}], [{"weight": 5}]],
            "last": {"weight": 6, "beside": {"weight": 7}},
        },
    }
    assert typed_data_digest(document) == digest_with_eth_account(document)


@cases(
    "type_, value",
    ("uint256", 2**256 - 1),
    ("uint256", 0),
    ("uint8", 255),
    ("int256", -(2**255)),
    ("int256", 2**255 - 1),
    ("int8", -128),
    ("int8", 127),
    ("int8", -1),
)
def test_the_extremes_of_integer_types_fit(type_: str, value: int) -> None:
    document = one_value(type_, value)
    del document["types"]["Point"]
    assert typed_data_digest(document) == digest_with_eth_account(document)


def test_numbers_may_be_written_as_decimal_or_hex_strings() -> None:
    digests = {
        typed_data_digest(one_value("uint256", value)) for value in (255, "255", "0xff", "0xFF", "0x00ff")
    }
    assert len(digests) == 1
    assert typed_data_digest(one_value("int8", "-5")) == typed_data_digest(one_value("int8", -5))


def hex_strings(shortest: int, longest: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=shortest, max_size=longest).map(lambda raw: "0x" + raw.hex())


atoms: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=40),
    "bytes": hex_strings(0, 70),
    "bool": st.booleans(),
    "address": hex_strings(20, 20),
    "bytes1": hex_strings(1, 1),
    "bytes32": hex_strings(32, 32),
    "uint8": st.integers(0, 255),
    "uint256": st.integers(0, 2**256 - 1) | st.integers(0, 2**256 - 1).map(str),
    "int16": st.integers(-(2**15), 2**15 - 1),
    "int256": st.integers(-(2**255), 2**255 - 1),
}


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Draw a document with a struct inside, alone and in arrays of every shape, and atoms of drawn types."""
    names = draw(st.lists(st.sampled_from(sorted(atoms)), min_size=1, max_size=4))
    struct = st.fixed_dictionaries({f"f{at}": atoms[name] for at, name in enumerate(names)})
    repeated = names[0]
    item = atoms[repeated]
    return {
        "types": {
            "Inner": [{"name": f"f{at}", "type": name} for at, name in enumerate(names)],
            "Outer": fields(
                f"Inner one, Inner[] many, Inner[2] two, "
                f"{repeated}[] items, {repeated}[][2] grid, {repeated} last"
            ),
        },
        "domain": draw(
            st.fixed_dictionaries({}, optional={"name": atoms["string"], "chainId": atoms["uint256"]})
        ),
        "primaryType": "Outer",
        "message": {
            "one": draw(struct),
            "many": draw(st.lists(struct, max_size=3)),
            "two": [draw(struct), draw(struct)],
            "items": draw(st.lists(item, max_size=3)),
            "grid": draw(st.lists(st.lists(item, max_size=2), min_size=2, max_size=2)),
            "last": draw(item),
        },
    }


@settings(max_examples=30)
@given(documents())
def test_any_document_has_the_digest_of_eth_account(document: Document) -> None:
    assert typed_data_digest(document) == digest_with_eth_account(document)


@cases(
    "change, reason",
    ({"types": None}, "types: expected an object"),
    ({"types": {"Mail": {}}}, "types.Mail: expected a list of fields"),
    ({"types": {"Mail": ["name"]}}, r"types.Mail\[0\]: expected an object"),
    ({"types": {"Mail": [{"name": "a"}]}}, r"types.Mail\[0\]: a field has a name and a type"),
    ({"types": {"Mail": [{"name": 5, "type": "string"}]}}, r"types.Mail\[0\]: a field has a name and a type"),
    ({"primaryType": None}, "primaryType: missing"),
    ({"primaryType": "Letter"}, "primaryType: types does not define Letter"),
    ({"domain": []}, "domain: expected an object"),
    ({"domain": {"name": "Ether Mail"}}, "domain.version: missing, EIP712Domain declares it as string"),
    ({"message": None}, "message: expected an object"),
    ({"message": {"from": {"name": "Cow"}}}, "message.from.wallet: missing, Person declares it as address"),
    ({"message": {"from": "Cow"}}, "message.from: expected an object"),
)
def test_a_malformed_document_is_refused_with_the_place(change: Document, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        typed_data_digest(MAIL | change)


def test_a_domain_field_that_no_wallet_knows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"domain.colour: no field of EIP712Domain"):
        typed_data_digest(one_value("uint8", 1) | {"domain": {"colour": "red"}})


@cases(
    "type_, value, reason",
    ("uint8", 256, "256 does not fit in uint8"),
    ("uint256", -1, "-1 does not fit in uint256"),
    ("int8", 128, "128 does not fit in int8"),
    ("int8", "-129", "-129 does not fit in int8"),
    ("uint256", 1.0, "expected an integer"),
    ("uint256", True, "expected an integer"),
    ("uint256", "1_000", "expected an integer"),
    ("uint256", "٣", "expected an integer"),
    ("uint256", "", "expected an integer"),
    ("uint256", None, "expected an integer"),
    ("bool", "false", "expected true or false"),
    ("bool", 0, "expected true or false"),
    ("string", 5, "expected a string"),
    ("string", None, "expected a string"),
    ("address", "0x1234", "expected 0x and 40 hex digits"),
    ("address", COW[2:], "expected 0x and 40 hex digits"),
    ("bytes", "text", "expected 0x and an even number of hex digits"),
    ("bytes", "0x123", "expected 0x and an even number of hex digits"),
    ("bytes4", "0x123456", "expected 0x and 8 hex digits"),
    ("bytes33", "0x", "types does not define bytes33"),
    ("uint7", 1, "types does not define uint7"),
    ("Unknown", {}, "types does not define Unknown"),
    ("uint8[]", 1, r"expected a list for uint8\[\]"),
    ("uint8[2]", [1], r"expected a list of 2 for uint8\[2\]"),
)
def test_a_value_that_is_not_of_its_type_is_refused(type_: str, value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=rf"message\.held: {reason}"):
        typed_data_digest(one_value(type_, value))


def test_the_place_of_a_refusal_counts_into_lists_and_structs() -> None:
    with pytest.raises(ValueError, match=r"message\.held\[1\]\.y: 4294967296 does not fit in int32"):
        typed_data_digest(one_value("Point[]", [{"x": 1, "y": 2}, {"x": 1, "y": 2**32}]))


def chain_of_structs(depth: int) -> Document:
    message: Document = {}
    for _ in range(depth):
        message = {"next": message}
    return {"types": {"Chain": fields("Chain next")}, "primaryType": "Chain", "message": message}


def list_of_lists(depth: int) -> Document:
    held: object = 1
    for _ in range(depth):
        held = [held]
    return one_value("uint8" + "[]" * depth, held)


@cases("document", chain_of_structs, list_of_lists)
def test_a_document_nested_beyond_reason_is_refused(document: Callable[[int], Document]) -> None:
    assert len(typed_data_digest(document(99))) == 32
    for depth in (100, 2000):
        with pytest.raises(ValueError, match="nested more than 100 levels deep"):
            typed_data_digest(document(depth))


def test_the_types_of_a_document_have_a_bound_in_characters() -> None:
    def document(characters: int) -> Document:
        # The name and the type of the field count, and so does the name of the struct.
        name = "x" * (characters - len("Mail") - len("uint8"))
        types = {"Mail": [{"name": name, "type": "uint8"}]}
        return {"types": types, "primaryType": "Mail", "domain": {}, "message": {name: 1}}

    assert len(typed_data_digest(document(64 * 1024))) == 32
    with pytest.raises(ValueError, match=r"types: more than 65,536 characters"):
        typed_data_digest(document(64 * 1024 + 1))


def test_a_document_has_so_many_types_and_values() -> None:
    def types(count: int) -> Document:
        others = {f"T{number}": fields("uint8 x") for number in range(count - 1)}
        return {"types": {"Mail": fields("uint8 x"), **others}, "primaryType": "Mail", "message": {"x": 1}}

    # A list is a value, too.
    assert len(typed_data_digest(types(100))) == len(typed_data_digest(one_value("uint8[]", [0] * 19_999)))
    with pytest.raises(ValueError, match="more than 100 types"):
        typed_data_digest(types(101))
    with pytest.raises(ValueError, match=r"message\.held\[19999\]: comes after 20,000 other values"):
        typed_data_digest(one_value("uint8[]", [0] * 20_000))
