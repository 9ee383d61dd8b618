"""The precompiled contracts: since when they are there, what each costs, what those of signatures answer."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from mockserver.chain.evm.frames import Unsupported
from mockserver.chain.evm.interpreter import CallTrace
from mockserver.chain.evm.precompiles import precompiles_of
from mockserver.chain.evm.state import Fork
from mockserver.crypto import p256, secp256k1
from mockserver.crypto.keccak import keccak256
from tests.chain.evm.machines import ENVIRONMENT, Memory, send
from tests.tables import cases

GAS = 10**6
SECRET, DIGEST = b"\1" * 32, keccak256(b"a message")


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def asked(number: int, data: bytes, fork: Fork = Fork.OSAKA) -> CallTrace:
    target, environment = number.to_bytes(20, "big"), ENVIRONMENT._replace(fork=fork)
    return send(Memory(), target, data, gas=GAS, environment=environment)


@cases(
    "fork, numbers",
    (Fork.CANCUN, [*range(0x01, 0x0B)]),
    (Fork.PRAGUE, [*range(0x01, 0x12)]),
    (Fork.OSAKA, [*range(0x01, 0x12), 0x100]),
)
def test_a_fork_has_the_contracts_of_the_earlier_ones(fork: Fork, numbers: list[int]) -> None:
    assert [int.from_bytes(each, "big") for each in precompiles_of(fork).values()] == numbers


@cases("number", *range(0x0A, 0x12))
def test_what_is_not_supported_says_so(number: int) -> None:
    with pytest.raises(Unsupported, match="is not supported"):
        asked(number, b"")


@cases(
    "number, data, gas",
    (1, b"", 3_000),
    (2, bytes(33), 60 + 2 * 12),
    (3, bytes(33), 600 + 2 * 120),
    (4, bytes(33), 15 + 2 * 3),
    (6, b"", 150),
    (7, b"", 6_000),
    (8, b"", 45_000),
    (9, bytes([0, 0, 0, 12]) + bytes(209), 12),
    (0x100, b"", 6_900),
)
def test_a_precompiled_contract_costs_what_its_eip_says(number: int, data: bytes, gas: int) -> None:
    assert GAS - asked(number, data).gas_left == gas


@cases(
    "sizes, exponent, gas",
    ((1, 1, 1), b"\3", 200),
    ((32, 32, 32), b"\x80" + bytes(31), 4**2 * 255 // 3),
    ((8, 40, 64), b"\1" + bytes(39), 8**2 * (248 + 8 * 8) // 3),
)
def test_before_osaka_modexp_costs_what_eip_2565_says(
    sizes: tuple[int, int, int], exponent: bytes, gas: int
) -> None:
    data = b"".join(map(word, sizes)) + bytes(sizes[0]) + exponent
    assert GAS - asked(5, data, Fork.PRAGUE).gas_left == gas


@cases("place", 0, 1, 2)
def test_since_osaka_modexp_takes_1024_bytes_a_number(place: int) -> None:
    sizes = [word(0), word(0), word(0)]
    sizes[place] = word(1024)
    assert asked(5, b"".join(sizes)).error is None
    sizes[place] = word(1025)
    assert asked(5, b"".join(sizes)).error == "modexp: a length is more than 1024"
    assert asked(5, b"".join(sizes), Fork.PRAGUE).error is None


@cases("data", bytes(212), bytes(214), bytes(212) + b"\2")
def test_blake2_takes_nothing_but_its_input(data: bytes) -> None:
    assert asked(9, data).error == "blake2f: invalid input"


def test_a_signer_is_recovered_of_either_form_of_a_signature() -> None:
    made = secp256k1.sign(SECRET, DIGEST)
    signer = bytes(12) + keccak256(secp256k1.public_key(SECRET))[12:]
    for parity, s in ((made.y_parity, made.s), (1 - made.y_parity, secp256k1.N - made.s)):
        whole = DIGEST + word(27 + parity) + word(made.r) + word(s)
        assert asked(1, whole).output == asked(1, whole + b"\1").output == signer
        other = DIGEST + word(28 - parity) + word(made.r) + word(s)
        assert asked(1, other).output not in (signer, b"")
    for v, r in ((26, made.r), (29, made.r), (27 + (1 << 8), made.r), (27, 0)):
        assert asked(1, DIGEST + word(v) + word(r) + word(made.s)).output == b""


def test_a_signature_of_p_256_is_verified() -> None:
    key = p256.private_key_from_seed(b"\1" * 48)
    r, s = decode_dss_signature(key.sign(DIGEST, ec.ECDSA(Prehashed(SHA256()))))
    point = key.public_key().public_numbers()
    whole = DIGEST + b"".join(map(word, (r, s, point.x, point.y)))
    assert asked(0x100, whole).output == word(1)
    for data in (whole[:-1], whole + b"\0", keccak256(DIGEST) + whole[32:]):
        assert asked(0x100, data).output == b""
