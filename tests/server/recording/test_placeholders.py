"""Placeholders say nothing about their secrets, and pass the checks that the secrets passed."""

import json

from mockserver.crypto.base64url import encode as base64url
from mockserver.crypto.passwords import hash_password
from mockserver.crypto.tokens import peek
from mockserver.server.recording.placeholders import Placeholders, placeholders_in
from tests.tables import cases


def of(text: str, placeholders: Placeholders | None = None) -> str:
    """The placeholder of a text whose claims are masked whole."""
    return (placeholders or Placeholders()).of(text, lambda claims: dict.fromkeys(claims, "hidden"))


PEM_BEGIN = "-----BEGIN PRIVATE KEY-----"


@cases(
    "secret, placeholder",
    ("482913", "000001"),
    ("7", "1"),
    ("482913000000", "000000000001"),
    ("\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668", "masked-00001"),
    ("hunter2", "m1"),
    ("a.b", "masked-00001"),
    ("password", "masked-00001"),
    ("a" * 63, "masked-00001"),
    ("p" * 128, "masked-00001"),
    ("p" * 129, "masked-00001" + "x" * 117),
    ("p" * 299, "masked-00001" + "x" * 117),
    ("g" * 64, "masked-00001"),
    ("ab" * 32, "unrepeatable-0000001"),
    ("0x" + "AB" * 32, "unrepeatable-0000001"),
    ("4zvw" * 11, "unrepeatable-0000001"),
    ("4zvw" * 22, "unrepeatable-0000001"),
    ("s" * 300, "unrepeatable-0000001"),
    (PEM_BEGIN, f"{PEM_BEGIN}unrepeatable-0000001-----END PRIVATE KEY-----"),
    ("no.token.here", "unrepeatable-0000001"),
    ("one.dot", "masked-00001"),
)
def test_a_placeholder_keeps_the_form_the_server_checks(secret: str, placeholder: str) -> None:
    assert of(secret) == placeholder


def test_digits_stay_as_many_despite_many_secrets() -> None:
    placeholders = Placeholders()
    assert [of(f"{number}", placeholders) for number in range(10)][8:] == ["9", "0"]
    assert of("short!", placeholders) == "m11"


def test_a_short_secret_stays_too_short_for_a_password() -> None:
    placeholders = Placeholders()
    placeholders.count = 999_999
    assert of("hunter2", placeholders) == "m100000"


def test_equal_secrets_have_one_placeholder_and_others_the_next() -> None:
    placeholders = Placeholders()
    assert [of(text, placeholders) for text in ("pass-one", "pass-two", "pass-one", "pass-three")] == [
        "masked-00001",
        "masked-00002",
        "masked-00001",
        "masked-00003",
    ]
    assert [placeholders.known(text) for text in ("pass-two", "pass-four")] == ["masked-00002", None]
    assert placeholders.count == 3


def test_a_tokens_claims_stay_masked_its_signature_goes() -> None:
    parts = [base64url(json.dumps(each).encode()) for each in ({"alg": "ES256"}, {"sub": "ada"})]
    placeholder = of(".".join([*parts, base64url(b"s" * 64)]))
    assert peek(placeholder) == ({"alg": "hidden"}, {"sub": "hidden"})
    assert placeholder.rpartition(".")[2] == "unrepeatable-0000001"


def test_a_password_has_its_hashs_placeholder_for_every_user() -> None:
    placeholders = Placeholders()
    ada, bob, eve = (
        hash_password(password, bytes([salt]) * 16)
        for salt, password in enumerate(("correct horse", "correct horse", "battery staple"))
    )
    assert [placeholders.of_hash(each) for each in (ada, bob, eve, ada)] == [
        "masked-00001",
        "masked-00002",
        "masked-00003",
        "masked-00001",
    ]
    assert of("correct horse", placeholders) == "masked-00001"
    assert [placeholders.of_hash(each) for each in (ada, bob, eve)] == [
        "masked-00001",
        "masked-00001",
        "masked-00003",
    ]
    assert of("battery staple", placeholders) == "masked-00003"
    assert of("another password", placeholders) == "masked-00004"


def test_numbers_bodies_and_keys_have_placeholders_alike() -> None:
    placeholders = Placeholders()
    assert [placeholders.of_number(number) for number in (17, 18.5, 17)] == [
        900_000_001,
        900_000_002,
        900_000_001,
    ]
    assert [placeholders.of_body(body) for body in ("\xff", "\xfe", "\xff")] == [
        "unrepeatable-0000003",
        "unrepeatable-0000004",
        "unrepeatable-0000003",
    ]
    key = placeholders.of_key()
    assert key == b"unrepeatable-0000000000000000005"
    assert len(key) == 32
    assert (placeholders.is_key(key), placeholders.is_key(bytes(32))) == (True, False)
    assert placeholders.count == 5


@cases(
    "text, is_one",
    ("masked-00001", True),
    ("masked-100000", True),
    ("masked-00001" + "x" * 117, True),
    ("sk_live_masked-00001", True),
    ("pk_live_masked-00001", True),
    ("eyJh.eyJi.unrepeatable-0000001", True),
    ("masked-0001", False),
    ("masked-00001y", False),
    ("rk_live_masked-00001", False),
    ("mask-00001", False),
    ("a password masked-00001", False),
)
def test_what_is_a_placeholder_already_is_known_for_one(text: str, is_one: bool) -> None:
    assert Placeholders().is_one(text) is is_one


def test_the_placeholders_of_a_line_are_found_in_it() -> None:
    line = b'{"a":"masked-00001xxx","b":"unrepeatable-0000002 and masked-123456","c":"masked-1"}'
    assert placeholders_in(line) == {b"masked-00001", b"unrepeatable-0000002", b"masked-123456"}
