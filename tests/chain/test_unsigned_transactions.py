"""Digests are judged by eth_account, from bytes that the rlp library made."""

from typing import Any

import pytest
import rlp
from eth_account._utils.legacy_transactions import serializable_unsigned_transaction_from_dict
from eth_account.typed_transactions import TypedTransaction
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.serialized_transactions import read_unsigned
from mockserver.crypto.secp256k1 import sign
from tests.tables import cases

TO = bytes(range(20))
KEY = bytes(range(32))
ACCESS: list[Any] = [[TO, [KEY, KEY[::-1]]]]
HEAD = [b"\x01", b"\x05", b"\x02", b"\x03"]
PAYLOAD = [b"\x52\x08", TO, b"", b"\xab\xcd"]
AUTHORIZATION = [b"", TO, b"\x07", b"\x01", b"\x02", b"\x03"]

SHARED: dict[str, Any] = {"nonce": 5, "gas": 0x5208, "to": TO, "value": 0, "data": b"\xab\xcd"}
LISTED = {"accessList": [{"address": "0x" + TO.hex(), "storageKeys": ["0x" + k.hex() for k in ACCESS[0][1]]}]}
FEES = {"chainId": 1, "maxPriorityFeePerGas": 2, "maxFeePerGas": 3}

LEGACY = [b"\x05", b"\x02", *PAYLOAD]
ACCESS_LIST = [b"\x01", b"\x05", b"\x02", *PAYLOAD, ACCESS]
FEE_MARKET = [*HEAD, *PAYLOAD, ACCESS]
BLOB = [*FEE_MARKET, b"\x09", [b"\x01" + KEY[1:]]]
SET_CODE = [*FEE_MARKET, [AUTHORIZATION]]

TYPED: list[tuple[int, list[Any], dict[str, Any]]] = [
    (1, ACCESS_LIST, {**SHARED, **LISTED, "type": 1, "chainId": 1, "gasPrice": 2}),
    (2, FEE_MARKET, {**SHARED, **LISTED, **FEES, "type": 2}),
    (
        3,
        BLOB,
        {
            **SHARED,
            **LISTED,
            **FEES,
            "type": 3,
            "maxFeePerBlobGas": 9,
            "blobVersionedHashes": [b"\x01" + KEY[1:]],
        },
    ),
    (
        4,
        SET_CODE,
        {
            **SHARED,
            **LISTED,
            **FEES,
            "type": 4,
            "authorizationList": [{"chainId": 0, "address": TO, "nonce": 7, "yParity": 1, "r": 2, "s": 3}],
        },
    ),
]


@cases("kind, fields, described", *TYPED)
def test_typed_transactions_are_those_of_eth_account(
    kind: int, fields: list[Any], described: dict[str, Any]
) -> None:
    assert (
        read_unsigned(bytes([kind]) + rlp.encode(fields)).digest
        == TypedTransaction.from_dict(described).hash()
    )


@cases(
    "fields, described",
    (LEGACY, {**SHARED, "gasPrice": 2}),
    ([*LEGACY, b"\x01", b"", b""], {**SHARED, "gasPrice": 2, "chainId": 1}),
    ([*LEGACY[:3], b"", *LEGACY[4:]], {**SHARED, "gasPrice": 2, "to": b""}),
)
def test_legacy_transactions_have_the_digest_of_eth_account(
    fields: list[Any], described: dict[str, Any]
) -> None:
    assert (
        read_unsigned(rlp.encode(fields)).digest
        == serializable_unsigned_transaction_from_dict(described).hash()
    )


def replaced(fields: list[Any], at: int, value: Any) -> list[Any]:
    return [*fields[:at], value, *fields[at + 1 :]]


@cases(
    "raw, words",
    (b"", "empty"),
    (b"\x05" + rlp.encode(FEE_MARKET), "0x05 starts no known type"),
    (b"\x7f", "0x7f starts no known type"),
    (b"\xbf", "0xbf starts no known type"),
    (rlp.encode([]), "legacy transaction has 6 unsigned fields, not 0"),
    (b"\x02" + rlp.encode(b"abc"), "list of fields"),
    (b"\x02" + rlp.encode(FEE_MARKET[:-1]), "type 2 has 9 unsigned fields, not 8"),
    (rlp.encode(LEGACY[:-1]), "legacy transaction has 6 unsigned fields, not 5"),
    (b"\x02" + rlp.encode(FEE_MARKET) + b"\0", "1 bytes follow"),
    (b"\x02" + rlp.encode(FEE_MARKET)[:-1], "RLP"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 1, b"\0\x05")), "nonce is not an integer"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 4, [])), "gas limit is not an integer"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 6, b"\x01" * 33)), "value is not an integer"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 5, TO[:-1])), "destination does not have 20 bytes"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 7, [])), "data is a list"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 8, b"")), "access list is not a list"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 8, [[TO]])), "address and its storage keys"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 8, [[KEY, []]])), "access list address"),
    (b"\x02" + rlp.encode(replaced(FEE_MARKET, 8, [[TO, [TO]]])), "access list storage key"),
    (b"\x03" + rlp.encode(replaced(BLOB, 5, b"")), "destination does not have 20 bytes"),
    (b"\x03" + rlp.encode(replaced(BLOB, 10, [TO])), "blob versioned hashes does not have 32 bytes"),
    (b"\x04" + rlp.encode(replaced(SET_CODE, 5, b"")), "destination does not have 20 bytes"),
    (b"\x04" + rlp.encode(replaced(SET_CODE, 9, [AUTHORIZATION[:-1]])), "has 6 fields"),
    (
        b"\x04" + rlp.encode(replaced(SET_CODE, 9, [replaced(AUTHORIZATION, 1, KEY)])),
        "authorization list address",
    ),
    (rlp.encode([*LEGACY, b"\0", b"", b""]), "chain id is not an integer"),
    (rlp.encode([*LEGACY, b"\x1b", b"\x02", b"\x03"]), "already signed"),
    *(
        (bytes([kind]) + rlp.encode([*fields, b"\x01", b"\x02", b"\x03"]), "already signed")
        for kind, fields, _ in TYPED
    ),
)
def test_what_is_no_transaction_is_refused_with_its_field(raw: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_unsigned(raw)


@given(
    st.builds(
        lambda first, rest: bytes([first]) + rest, st.sampled_from([1, 2, 3, 4, 0xC0, 0xF8]), st.binary()
    )
)
def test_any_other_bytes_are_refused_in_a_sentence(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        read_unsigned(raw)


def test_the_example_of_eip_155_has_its_published_values() -> None:
    unsigned = "ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080"
    digest = read_unsigned(bytes.fromhex(unsigned)).digest
    assert digest.hex() == "daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53"
    assert sign(bytes.fromhex("46" * 32), digest).to_bytes()[:64].hex() == (
        "28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276"
        "67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
    )
