"""Instructions of Anchor programs, encoded by hand from the Borsh specification."""

import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from mockserver.chain.solana.anchor import decode_instruction, find_instruction
from mockserver.chain.solana.anchor_types import IdlError, read_argument
from tests.tables import cases


def idl(*types: Any, discriminator: Iterable[Any] = (7, 7)) -> dict[str, Any]:
    args = [{"name": f"a{at}", "type": type_} for at, type_ in enumerate(types)]
    return {"instructions": [{"name": "run", "discriminator": list(discriminator), "args": args}]}


def decode(raw: bytes, *types: Any) -> tuple[object, ...]:
    return decode_instruction(find_instruction(idl(*types), "run"), b"\x07\x07" + raw)


def test_the_discriminator_is_anchors_unless_the_idl_has_one() -> None:
    # The eight bytes that every Anchor program's `initialize` begins with.
    found = find_instruction({"instructions": [{"name": "initialize", "args": []}]}, "initialize")
    assert found.discriminator.hex() == "afaf6d1f0d989bed"
    assert find_instruction(idl(), "run").discriminator == b"\x07\x07"


@cases(
    "type_, raw, value",
    ("bool", b"\x01", True),
    ("i8", b"\xff", -1),
    ("u128", b"\x00" * 15 + b"\x01", 1 << 120),
    ("f32", struct.pack("<f", 1.5), 1.5),
    ("f64", struct.pack("<d", -2.25), -2.25),
    ("string", b"\x03\0\0\0abc", "abc"),
    ("bytes", b"\x02\0\0\0\xde\xad", b"\xde\xad"),
    ("pubkey", bytes(range(32)), str(Pubkey(bytes(range(32))))),
    ("publicKey", bytes(32), "1" * 32),
    ({"option": "u8"}, b"\0", None),
    ({"option": "u8"}, b"\x01\x09", 9),
    ({"vec": "u16"}, b"\x02\0\0\0\x01\0\x02\0", [1, 2]),
    ({"array": ["u8", 1]}, b"\x07", [7]),
    ({"array": ["u8", 3]}, b"\x01\x02\x03", [1, 2, 3]),
    ({"vec": {"option": "bool"}}, b"\x02\0\0\0\0\x01\x01", [None, True]),
)
def test_a_type_is_read_as_borsh_writes_it(type_: Any, raw: bytes, value: object) -> None:
    assert decode(raw, type_) == (value,)
    assert decode(raw + b"\x2a", type_, "u8") == (value, 42)


@given(st.integers(0, 2**64 - 1), st.integers(-(2**31), 2**31 - 1), st.text(max_size=20), st.booleans())
def test_arguments_follow_one_another(a: int, b: int, c: str, d: bool) -> None:
    text = c.encode()
    raw = struct.pack("<QiI", a, b, len(text)) + text + bytes([d])
    assert decode(raw, "u64", "i32", "string", "bool") == (a, b, c, d)


@given(st.binary(max_size=60))
def test_no_data_upsets_the_reader(raw: bytes) -> None:
    for type_ in ("u64", "string", {"vec": {"vec": "u8"}}, {"array": [{"array": ["bool", 1000]}, 1 << 20]}):
        with suppress(IdlError):
            assert len(decode(raw, type_, {"option": "pubkey"})) == 2


@cases(
    "type_, raw",
    ("u64", b"\0" * 7),
    ("u8", b"\0\0"),
    ("bool", b"\x02"),
    ("string", b"\x01\0\0\0\xff"),
    ("string", b"\xff\xff\xff\xff"),
    ({"vec": "u8"}, b"\xff\xff\xff\xff"),
)
def test_data_of_another_shape_is_refused(type_: Any, raw: bytes) -> None:
    with pytest.raises(IdlError):
        decode(raw, type_)


def test_arguments_behind_a_programs_own_type_stay_unread() -> None:
    found = find_instruction(idl("u8", {"defined": {"name": "Shape"}}, "u8"), "run")
    assert found.readable == (("a0", "u8"),)
    assert decode_instruction(found, b"\x07\x07\x05whatever") == (5,)


@cases("type_", {"array": ["u8", 0]}, {"array": ["u8", (1 << 20) + 1]}, {"array": "u8"}, 5, None, {})
def test_types_that_no_program_has_cannot_be_read(type_: Any) -> None:
    assert find_instruction(idl(type_), "run").readable == ()


@cases("kind", "option", "vec", "array")
@cases("levels, readable", (15, 1), (16, 0), (100, 0))
def test_types_that_are_nested_too_deeply_cannot_be_read(kind: str, levels: int, readable: int) -> None:
    type_: Any = "u8"
    for _ in range(levels):
        type_ = {kind: [type_, 1] if kind == "array" else type_}
    assert len(find_instruction(idl(type_), "run").readable) == readable


DEFINITIONS: dict[str, Callable[[Any], Any]] = {
    "struct": lambda inner: {"kind": "struct", "fields": ["u8", inner]},
    "type": lambda inner: {"kind": "type", "alias": inner},
    "enum": lambda inner: {"kind": "enum", "variants": [{"name": "None"}, {"name": "A", "fields": [inner]}]},
}


# What a definition adds: an alias no level to what is decoded, an enum one for itself and one for a variant.
@cases("kind, most", ("struct", 15), ("type", 16), ("enum", 7))
def test_definitions_hold_one_another_so_deep_and_no_deeper(kind: str, most: int) -> None:
    def readable(levels: int) -> int:
        inner: Any = "u8"
        types = []
        for level in range(levels):
            types.append({"name": f"T{level}", "type": DEFINITIONS[kind](inner)})
            inner = {"defined": {"name": f"T{level}"}}
        return len(find_instruction({**idl(inner), "types": types}, "run").readable)

    assert (readable(most), readable(most + 1)) == (1, 0)


@cases(
    "wrong",
    None,
    [],
    {},
    {"instructions": {}},
    {"instructions": [5]},
    {"instructions": [{"name": "run", "args": {}}]},
    {"instructions": [{"name": "run", "args": [{"type": "u8"}]}]},
    idl(discriminator=[]),
    idl(discriminator=[256]),
    idl(discriminator=[True]),
)
def test_a_malformed_idl_is_refused(wrong: object) -> None:
    with pytest.raises(IdlError):
        find_instruction(wrong, "run")


def test_an_unknown_instruction_is_refused_with_the_nearest() -> None:
    with pytest.raises(IdlError, match="did you mean run"):
        find_instruction(idl(), "runn")


@cases(
    "type_, value, read",
    ("u8", "255", 255),
    ("i8", -128, -128),
    ("f64", "1.5", 1.5),
    ("bool", "true", True),
    ("bool", "false", False),
    ("bool", True, True),
    ("bool", False, False),
    ("bytes", "0xdead", b"\xde\xad"),
    ("string", "x", "x"),
    (("option", "u8", 0), None, None),
    (("vec", "u8", 0), ["1", 2], [1, 2]),
)
def test_json_is_read_in_the_form_of_decoded_values(type_: Any, value: object, read: object) -> None:
    assert read_argument(type_, value) == read


@cases(
    "type_, value",
    ("u8", "256"),
    ("u8", True),
    ("i8", "-129"),
    ("u64", 1.5),
    ("f64", "much"),
    ("bool", 1),
    ("bool", "True"),
    ("bool", ""),
    ("bytes", "dead"),
    ("pubkey", 5),
    ("pubkey", "1" * 31),
    (("vec", "u8", 0), "12"),
    (("array", "u8", 2), [1]),
)
def test_json_of_another_type_is_refused(type_: Any, value: object) -> None:
    with pytest.raises(ValueError, match="is not a"):
        read_argument(type_, value)


SHAPES = [
    {
        "name": "Point",
        "type": {"kind": "struct", "fields": [{"name": "x", "type": "u8"}, {"name": "y", "type": "i16"}]},
    },
    {"name": "Pair", "type": {"kind": "struct", "fields": ["bool", {"defined": "Point"}]}},
    {"name": "Coin", "type": {"kind": "alias", "value": "u64"}},
    {
        "name": "Order",
        "type": {
            "kind": "enum",
            "variants": [
                {"name": "Market"},
                {"name": "Limit", "fields": [{"name": "price", "type": {"defined": {"name": "Coin"}}}]},
                {"name": "Stop", "fields": ["u8", "u8"]},
            ],
        },
    },
    {
        "name": "Loop",
        "type": {"kind": "struct", "fields": [{"name": "next", "type": {"vec": {"defined": "Loop"}}}]},
    },
    {"name": "Nothing", "type": {"kind": "struct"}},
    {
        "name": "Generic",
        "generics": [{"kind": "type", "name": "T"}],
        "type": {"kind": "struct", "fields": ["u8"]},
    },
]


def shaped(*types: Any) -> Any:
    return find_instruction({**idl(*types), "types": SHAPES}, "run")


@cases(
    "type_, raw, value, written",
    ({"defined": {"name": "Point"}}, b"\x05\xff\xff", (5, -1), {"x": 5, "y": "-1"}),
    ({"defined": "Pair"}, b"\x01\x05\x02\0", (True, (5, 2)), [True, {"x": 5, "y": 2}]),
    ({"vec": {"defined": "Point"}}, b"\x01\0\0\0\x05\0\0", [(5, 0)], [[5, 0]]),
    ({"defined": "Coin"}, b"\x07" + bytes(7), 7, "7"),
    ({"defined": "Order"}, b"\0", "Market", "Market"),
    ({"defined": "Order"}, b"\x01\x09" + bytes(7), ("Limit", (9,)), {"Limit": {"price": "9"}}),
    ({"defined": "Order"}, b"\x02\x01\x02", ("Stop", (1, 2)), {"Stop": [1, 2]}),
)
def test_a_programs_types_are_read(type_: Any, raw: bytes, value: object, written: Any) -> None:
    found = shaped(type_, "u8")
    assert decode_instruction(found, b"\x07\x07" + raw + b"\x2a") == (value, 42)
    assert read_argument(found.readable[0][1], written) == value


@cases("name", "Loop", "Nothing", "Generic", "Absent")
def test_types_without_an_end_or_a_definition_stay_unread(name: str) -> None:
    assert shaped({"defined": {"name": name}}).readable == ()


def test_definitions_that_hold_one_another_deeply_stay_unread() -> None:
    chain = [
        {
            "name": f"T{at}",
            "type": {"kind": "struct", "fields": [{"defined": f"T{at - 1}"}] * 2 if at else ["u8"]},
        }
        for at in range(3000)
    ]
    args = [{"name": f"a{at}", "type": {"defined": f"T{at}"}} for at in range(3000)]
    found = find_instruction({"instructions": [{"name": "run", "args": args}], "types": chain}, "run")
    assert 0 < len(found.readable) < 20
    with pytest.raises(IdlError):
        decode_instruction(found, found.discriminator + bytes(100))


@cases(
    "name, written",
    ("Point", {"x": 5}),
    ("Point", {"x": 5, "y": 1, "z": 1}),
    ("Point", [5]),
    ("Point", "x"),
    ("Order", "Other"),
    ("Order", ["Market"]),
    ("Order", {"Limit": {}}),
    ("Order", "Limit"),
    ("Order", 0),
)
def test_json_that_is_no_value_of_a_definition_is_refused(name: str, written: Any) -> None:
    with pytest.raises(ValueError, match="is not a"):
        read_argument(shaped({"defined": name}).readable[0][1], written)


def test_a_variant_that_an_enum_lacks_is_refused() -> None:
    with pytest.raises(IdlError, match="no variant 3"):
        decode_instruction(shaped({"defined": "Order"}), b"\x07\x07\x03")


def test_data_of_another_instruction_is_refused() -> None:
    with pytest.raises(IdlError, match="does not begin with the discriminator of run"):
        decode_instruction(find_instruction(idl("u8"), "run"), b"\x07\x08\x05")


@cases(
    "malformed",
    {"kind": "struct", "fields": {"x": "u8"}},
    {"kind": "struct", "fields": ["u8", "nothing that there is"]},
    {"kind": "struct", "fields": [{"name": "x", "type": {"defined": "Absent"}}]},
    {"kind": "enum", "variants": {"Market": {}}},
    {"kind": "enum", "variants": []},
    {"kind": "enum", "variants": [{"name": f"V{at}"} for at in range(257)]},
    {"kind": "enum", "variants": ["Market"]},
    {"kind": "enum", "variants": [{"name": 5}]},
    {"kind": "enum", "variants": [{"name": "Market"}, {"name": "Limit", "fields": ["price"]}]},
    {"kind": "union", "fields": ["u8"]},
    "struct",
)
def test_from_a_malformed_definition_on_nothing_is_decoded(malformed: object) -> None:
    types = [{"name": "Shape", "type": malformed}]
    found = find_instruction({**idl("u8", {"defined": {"name": "Shape"}}, "u8"), "types": types}, "run")
    assert found.readable == (("a0", "u8"),)
    assert decode_instruction(found, b"\x07\x07\x05whatever") == (5,)


@cases("named", 5, None, {}, {"name": 5}, {"name": "Point", "generics": [{"kind": "type", "type": "u8"}]})
def test_a_nameless_or_generic_reference_is_not_decoded(named: object) -> None:
    assert shaped({"defined": named}).readable == ()


@cases(
    "shape, written, message",
    ({"kind": "struct", "fields": ["u8"]}, 5, f"is not a {'S' * 117}..., which has 0"),
    (
        {"kind": "struct", "fields": [{"name": "f" * 300, "type": "u8"}]},
        5,
        f"is not a {'S' * 117}..., which has {'f' * 117}...",
    ),
    (
        {"kind": "enum", "variants": [{"name": "v" * 300}]},
        "x",
        f"is not a {'S' * 117}..., which is one of {'v' * 117}...",
    ),
)
def test_of_long_names_an_error_has_the_beginning(shape: object, written: object, message: str) -> None:
    name = "S" * 121
    types = [{"name": name, "type": shape}]
    found = find_instruction({**idl({"defined": name}), "types": types}, "run")
    with pytest.raises(ValueError, match="is not a") as refused:
        read_argument(found.readable[0][1], written)
    assert str(refused.value) == message


def test_what_is_no_list_is_refused_with_the_elements_type() -> None:
    found = find_instruction({**idl({"vec": {"option": {"defined": "Point"}}}), "types": SHAPES}, "run")
    with pytest.raises(ValueError, match=r"^is not a list for vec of option of Point$"):
        read_argument(found.readable[0][1], 5)
