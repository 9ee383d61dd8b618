import eth_utils
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.addresses import address_of, checksum_of, create2_address, is_address, to_checksum
from mockserver.crypto.secp256k1 import public_key
from tests.tables import cases

# EIP-55, "Test Cases".
EIP_55 = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]

# EIP-1014, "Examples": factory, salt, init code, result.
EIP_1014 = [
    ("00" * 20, "00" * 32, "00", "0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38"),
    ("deadbeef" + "00" * 16, "00" * 32, "00", "0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3"),
    (
        "deadbeef" + "00" * 16,
        "00" * 12 + "feed" + "00" * 18,
        "00",
        "0xD04116cDd17beBE565EB2422F2497E06cC1C9833",
    ),
    ("00" * 20, "00" * 32, "deadbeef", "0x70f2b2914A2a4b783FaEFb75f459A580616Fcb5e"),
    (
        "00" * 16 + "deadbeef",
        "00" * 28 + "cafebabe",
        "deadbeef",
        "0x60f3f640a8508fC6a86d45DF051962668E1e8AC7",
    ),
    (
        "00" * 16 + "deadbeef",
        "00" * 28 + "cafebabe",
        "deadbeef" * 11,
        "0x1d8bfDC5D46DC4f61D6b6115972536eBE6A8854C",
    ),
    ("00" * 20, "00" * 32, "", "0xE33C0C7F7df4809055C3ebA6c09CFe4BaF1BD9e0"),
]


@cases("address", *EIP_55)
def test_the_published_addresses_get_their_published_case(address: str) -> None:
    assert to_checksum(address.lower()) == address
    assert to_checksum("0x" + address[2:].upper()) == address


@given(st.binary(min_size=20, max_size=20))
def test_the_case_is_the_one_eth_utils_gives(raw: bytes) -> None:
    assert checksum_of(raw) == eth_utils.to_checksum_address(raw)


@cases("factory, salt, init_code, address", *EIP_1014)
def test_create2_gives_the_published_addresses(factory: str, salt: str, init_code: str, address: str) -> None:
    init_code_hash = eth_utils.keccak(bytes.fromhex(init_code))
    assert create2_address("0x" + factory, bytes.fromhex(salt), init_code_hash) == address


def test_a_key_has_the_address_that_eth_account_gives_it() -> None:
    from eth_account import Account

    secret = bytes(range(1, 33))
    assert address_of(public_key(secret)) == Account.from_key(secret).address


@cases("text", "0x" + "aB" * 20, "0x" + "Ab" * 20, "0x" + "0" * 40)
def test_any_case_makes_an_address(text: str) -> None:
    assert is_address(text)


@cases(
    "text", "", "0x", "0X" + "0" * 40, "0" * 40, "0x" + "0" * 39, "0x" + "0" * 41, "0x" + "g" * 40,
             "0x" + "0" * 40 + "\n", "0x" + "٠" * 40
)  # fmt: skip
def test_other_texts_are_no_addresses(text: str) -> None:
    assert not is_address(text)
    with pytest.raises(ValueError, match="40 hex digits"):
        to_checksum(text)


@cases("length", 0, 33, 63, 65)
def test_a_public_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        address_of(bytes(length))


def test_salts_hashes_and_addresses_of_wrong_size_are_refused() -> None:
    factory = "0x" + "0" * 40
    with pytest.raises(ValueError, match="32 bytes"):
        create2_address(factory, bytes(31), bytes(32))
    with pytest.raises(ValueError, match="32 bytes"):
        create2_address(factory, bytes(32), bytes(33))
    with pytest.raises(ValueError, match="20 bytes"):
        checksum_of(bytes(19))
