"""What is hidden of requests and answers, and that nothing else is."""

import json
from urllib.parse import quote_plus

from hypothesis import given
from hypothesis import strategies as st

from mockserver.crypto import p256
from mockserver.server.answering.masking import (
    MASK,
    mask_body,
    mask_header,
    mask_json,
    mask_pairs,
    mask_path,
    mask_url,
    mask_value_at,
    secret_members,
)
from tests.tables import cases

SECRET = "correct horse battery staple"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
TELLING = ["password", "new_password", "encryptedPrivateKey", "share", "otp", "WALLET-SECRET", "a[password]"]
HARMLESS = ["name", "email", "chainId", "amount", "calls"]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(SECRET),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "message"]), inner, max_size=3)
    ),
    max_leaves=6,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(HARMLESS), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(TELLING), VALUES)
def test_a_secret_of_a_request_is_hidden_whatever_its_shape(name: str, value: object) -> None:
    assert SECRET not in json.dumps(mask_json({"data": [{name: value}]}, asked=True))


@given(PLAIN, st.booleans())
def test_what_has_harmless_names_is_shown_as_it_is(value: object, asked: bool) -> None:
    assert mask_json(value, asked=asked) == value


@given(st.dictionaries(st.sampled_from([*TELLING, "code", *HARMLESS]), VALUES), st.booleans())
def test_what_is_masked_already_stays_as_it_is(value: dict[str, object], asked: bool) -> None:
    once = mask_json(value, asked=asked)
    assert mask_json(once, asked=asked) == once


def test_a_code_is_secret_in_a_request_not_in_an_answer() -> None:
    assert mask_json({"code": "123456"}, asked=True) == {"code": MASK}
    assert mask_json({"code": "not_found"}, asked=False) == {"code": "not_found"}


def test_an_answer_may_say_what_is_wrong_with_a_secret() -> None:
    wrong = {"details": {"password": {"message": "it is too short"}}}
    assert mask_json(wrong, asked=False) == wrong
    assert mask_json(wrong, asked=True) == {"details": {"password": {"message": MASK}}}


@cases(
    "part, path, value, shown",
    ("headers", ("x-player-token",), "0123456789abcdef", f"0123{MASK}"),
    ("headers", ("x-kind",), SECRET, SECRET),
    ("query", ("token",), "0123456789abcdef", f"0123{MASK}"),
    ("query", ("callbackURL",), SECRET, SECRET),
    ("body", ("password",), SECRET, MASK),
    ("body", ("profile", "password"), SECRET, MASK),
    ("body", ("password", "of"), SECRET, MASK),
    ("body", ("name",), {"password": SECRET, "of": "Ada"}, {"password": MASK, "of": "Ada"}),
    ("body", ("passwrod", "of"), SECRET, MASK),
    ("body", (), {"password": SECRET, "name": "Ada"}, {"password": MASK, "name": "Ada"}),
)
def test_a_place_is_hidden_as_in_all(part: str, path: tuple[str, ...], value: object, shown: object) -> None:
    assert mask_value_at(part, path, value, secret_members(["password", "name", "profile"])) == shown


def test_unknown_members_are_hidden_beside_secrets() -> None:
    known = secret_members(["password", "name"])
    assert known is not None
    assert mask_json({"name": "Ada", "pasword": SECRET}, asked=True, known=known) == {
        "name": "Ada",
        "pasword": MASK,
    }
    assert mask_json([SECRET], asked=True, known=known) == MASK
    assert secret_members(["name", "chainId"]) is None


@cases(
    "name, value, shown",
    ("Authorization", "Bearer sk_test_0123456789abcdef", f"Bearer sk_test_01{MASK}"),
    ("Authorization", "Bearer 0123456789abcdef", f"Bearer 0123{MASK}"),
    ("X-Player-Token", "short", MASK),
    ("Cookie", "session=0123456789abcdef", f"sess{MASK}"),
    ("Content-Type", JSON, JSON),
    (
        "Location",
        "https://shop.example/in?token=0123456789abcdef&a=1",
        f"https://shop.example/in?token=0123{MASK}&a=1",
    ),
)
def test_a_credential_is_recognised_by_its_beginning(name: str, value: str, shown: str) -> None:
    assert mask_header(name, value) == shown


def test_a_path_hides_the_parameters_that_are_credentials() -> None:
    assert mask_path("/reset/0123456789abcdef", "/reset/{token}") == f"/reset/0123{MASK}"
    assert mask_path("/v2/users/usr_1", "/v2/users/{id}") == "/v2/users/usr_1"


def test_a_query_keeps_the_spelling_of_what_is_not_hidden() -> None:
    assert mask_pairs("a=%41&password=x&b[]=1+2&c") == f"a=%41&password={MASK}&b[]=1+2&c"
    assert mask_url("https://a.example/?otp=1#end") == f"https://a.example/?otp={MASK}#end"


@given(st.sampled_from(["password", "otp", "share"]), st.text(min_size=1, max_size=20))
def test_forms_are_masked_like_json(name: str, secret: str) -> None:
    body = f"name=Ada&{name}={quote_plus(secret)}".encode()
    assert mask_body(body, FORM, asked=True) == f"name=Ada&{name}={MASK}"


@cases("content_type", JSON, FORM, "text/plain")
def test_a_body_of_no_known_form_is_counted_only(content_type: str) -> None:
    body = b'{"password": "' + SECRET.encode()
    assert mask_body(body, content_type, asked=True) == {"unparsed": len(body)}
    assert mask_body(b"", content_type, asked=True) is None


def test_a_public_key_is_shown_and_a_private_one_is_not() -> None:
    public = p256.public_pem(p256.private_key_from_seed(bytes(range(48))))
    private = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
    assert mask_json({"publicKey": public}, asked=True) == {"publicKey": public}
    assert mask_json({"publicKey": private}, asked=True) == {"publicKey": MASK}
    assert mask_json({"name": f"mine: {private}"}, asked=True) == {"name": f"mine: {MASK}"}


def test_what_a_name_too_long_to_read_stands_for_is_hidden() -> None:
    assert mask_json({"a." * 200 + "b": SECRET}, asked=True) == {"a." * 200 + "b": MASK}


def test_of_a_body_with_too_many_values_only_the_size_is_shown() -> None:
    members = json.dumps({f"a{number}": 1 for number in range(20_000)}).encode()
    pairs = b"&".join(b"a=1" for _ in range(1_001))
    long = json.dumps("a" * 1024 * 1024).encode()
    for body, content_type in ((members, JSON), (pairs, FORM), (long, JSON)):
        assert mask_body(body, content_type, asked=True) == {"unparsed": len(body)}
