"""Sorted JSON as JavaScript writes it; the expected texts are those of node and of RFC 8785."""

import json
import struct

import orjson
from hypothesis import given
from hypothesis import strategies as st

from mockserver.crypto.sorted_json import write_sorted
from tests.tables import cases


@cases(
    "bits, text",
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("7ff0000000000000", "null"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
)
def test_numbers_are_spelt_as_in_rfc_8785(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert write_sorted(number) == text


@cases(
    "sent, written",
    ('{"b":1.0,"a":1e3}', '{"a":1000,"b":1}'),
    ('{"x":10,"10":1,"9":2,"09":3,"4294967295":4}', '{"9":2,"10":1,"09":3,"4294967295":4,"x":10}'),
    ('{"\uff5e":1,"\U0001f600":2}', '{"\U0001f600":2,"\uff5e":1}'),
    ('{"a":123456789012345678901234567890}', '{"a":1.2345678901234568e+29}'),
    ('{"a":9007199254740993,"b":-0.0}', '{"a":9007199254740992,"b":0}'),
    ('{"a":"\\u00fc\\u2028\\u001f\\u007f\\/"}', '{"a":"\u00fc\u2028\\u001f\x7f/"}'),
    ('{"b":[{"d":null,"c":true}],"a":{}}', '{"a":{},"b":[{"c":true,"d":null}]}'),
)
def test_values_are_written_as_node_writes_them(sent: str, written: str) -> None:
    assert write_sorted(orjson.loads(sent)) == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_as_it_was(number: float) -> None:
    assert float(json.loads(write_sorted(number))) == number
