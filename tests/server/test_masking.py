"""What is hidden of requests and answers, and that nothing else is."""

import json
from typing import Any
from urllib.parse import quote_plus

from hypothesis import given
from hypothesis import strategies as st

from mockserver.api.wire import Body
from mockserver.crypto import p256
from mockserver.kernel.secrecy import FREE, Names, Plan, PublicKey, Secrecy, Secret, Token, plan_of
from mockserver.server.answering.masking import MASK, Walker, members_that_come_twice
from tests.tables import cases

SECRET = "correct horse battery staple"
LIVE_KEY = "sk_live_51realProduction"
JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ASKED = Walker(Names())
ANSWERED = Walker(Names(), asked=False)
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


class Profile(Body):
    """What a user says."""

    phrase: Secret
    name: str


class SignUp(Body):
    """A body with secrets of unusual names."""

    word: Secret
    badge: Token | None = None
    pem: PublicKey | None = None
    name: str
    tokenOf: str
    profile: Profile
    others: dict[str, Profile]
    free: dict[str, Any]


SIGN_UP = plan_of(SignUp)


@given(st.sampled_from(TELLING), VALUES)
def test_a_secret_of_a_request_is_hidden_whatever_its_shape(name: str, value: object) -> None:
    assert SECRET not in json.dumps(ASKED.value({"data": [{name: value}]}))


@given(PLAIN, st.booleans())
def test_what_has_harmless_names_is_shown_as_it_is(value: object, asked: bool) -> None:
    assert Walker(Names(), asked=asked).value(value) == value


@given(st.dictionaries(st.sampled_from([*TELLING, "code", *HARMLESS]), VALUES), st.booleans())
def test_what_is_masked_already_stays_as_it_is(value: dict[str, object], asked: bool) -> None:
    walker = Walker(Names(), asked=asked)
    assert walker.value(walker.value(value)) == walker.value(value)


def test_types_say_what_is_secret_where_there_are_any() -> None:
    inner = {"phrase": SECRET, "name": "Ada"}
    given = {"word": SECRET, "badge": JWT, "name": "Ada", "tokenOf": "0xabc", "profile": inner}
    given |= {"others": {"token": inner}, "free": {"password": SECRET, "name": "Ada"}}
    hidden = {"phrase": MASK, "name": "Ada"}
    assert ASKED.value(given, SIGN_UP) == {
        "word": MASK,
        "badge": MASK,
        "name": "Ada",
        "tokenOf": "0xabc",
        "profile": hidden,
        "others": {"token": hidden},
        "free": {"password": MASK, "name": "Ada"},
    }


def test_a_code_is_a_secret_only_in_a_request() -> None:
    assert ASKED.value({"code": "123456"}) == {"code": MASK}
    assert ANSWERED.value({"code": "not_found"}) == {"code": "not_found"}


def test_an_answer_may_say_what_is_wrong_with_a_secret() -> None:
    wrong = {"details": {"password": {"message": "it is too short"}}}
    assert ANSWERED.value(wrong) == wrong
    assert ASKED.value(wrong) == {"details": {"password": {"message": MASK}}}


def test_findings_hide_the_values_of_secrets() -> None:
    found = {"message": "is too short", "value": SECRET}
    details = {"word": found, "profile.phrase": found, "others.x.phrase": found, "name": found}
    shown = ANSWERED._replace(request=SIGN_UP).value({"details": details})["details"]
    hidden = {"message": "is too short", "value": MASK}
    assert shown == {"word": hidden, "profile.phrase": hidden, "others.x.phrase": hidden, "name": found}


@cases(
    "part, path, value, shown",
    ("headers", ("x-player-token",), "0123456789abcdef", MASK),
    ("headers", ("x-kind",), SECRET, SECRET),
    ("query", ("token",), "0123456789abcdef", MASK),
    ("query", ("callbackURL",), SECRET, SECRET),
    ("body", ("word",), SECRET, MASK),
    ("body", ("profile", "phrase"), SECRET, MASK),
    ("body", ("word", "of"), SECRET, MASK),
    ("body", ("name",), {"password": SECRET, "of": "Ada"}, {"password": MASK, "of": "Ada"}),
    ("body", ("wrod", "of"), SECRET, MASK),
    ("body", (), {"word": SECRET, "name": "Ada"}, {"word": MASK, "name": "Ada"}),
)
def test_a_place_is_hidden_as_in_all(part: str, path: tuple[str, ...], value: object, shown: object) -> None:
    assert ASKED.at(part, path, value, SIGN_UP if part == "body" else FREE) == shown


def test_unknown_members_are_hidden_beside_known_secrets() -> None:
    assert ASKED.body({"name": "Ada", "wrod": SECRET}, SIGN_UP) == {"name": "Ada", "wrod": MASK}
    assert ASKED.body([SECRET], SIGN_UP) == MASK
    assert ASKED.body({"nmae": SECRET}, FREE) == {"nmae": SECRET}


@cases(
    "name, value, shown",
    ("Authorization", "Bearer sk_test_0123456789abcdef", f"Bearer sk_test_01{MASK}"),
    ("Authorization", "Bearer 0123456789abcdef", f"Bearer {MASK}"),
    ("Proxy-Authorization", "Basic YWRhOmFkYQ==", f"Basic {MASK}"),
    ("Authorization", "Bearer ", "Bearer "),
    ("Authorization", "Basic", "Basic"),
    ("X-Player-Token", "short", MASK),
    ("X-Api-Key", "short", MASK),
    ("X-Client-Secret", "short", MASK),
    ("X-Note", f"mine: {JWT}", f"mine: {MASK}"),
    ("X-Note", f"mine: {LIVE_KEY}", f"mine: sk_live_{MASK}"),
    ("Cookie", "session=0123456789abcdef; b=2", f"session={MASK}; b={MASK}"),
    ("Set-Cookie", "session=0123456789abcdef; Path=/", f"session={MASK}; Path=/"),
    ("Content-Type", JSON, JSON),
    (
        "Location",
        "https://shop.example/in?token=0123456789abcdef&a=1",
        f"https://shop.example/in?token={MASK}&a=1",
    ),
)
def test_of_a_credential_at_most_the_kind_of_key_is_shown(name: str, value: str, shown: str) -> None:
    assert ASKED.header(name, value) == shown


def test_names_of_a_project_are_looked_for_as_well() -> None:
    walker = Walker(Names(("loyalty_number",)))
    assert walker.value({"a": {"loyaltyNumber": "17"}}) == {"a": {"loyaltyNumber": MASK}}
    assert walker.header("X-Loyalty-Number", "17") == MASK


def test_a_path_hides_the_parameters_that_are_credentials() -> None:
    assert ASKED.path("/reset/0123456789abcdef", "/reset/{token}") == f"/reset/{MASK}"
    assert ASKED.path("/v2/users/usr_1", "/v2/users/{id}") == "/v2/users/usr_1"
    assert ASKED.path(f"/v9/{JWT}", None) == f"/v9/{MASK}"


def test_a_query_keeps_the_spelling_of_what_is_not_hidden() -> None:
    assert ASKED.pairs("a=%41&password=x&b[]=1+2&c") == f"a=%41&password={MASK}&b[]=1+2&c"
    assert ASKED.pairs("pass%57ord=x") == f"pass%57ord={MASK}"


@cases(
    "text, shown",
    ("https://a.example/?otp=1#end", f"https://a.example/?otp={MASK}#end"),
    ("https://a.example/?what?otp=1", f"https://a.example/?what?otp={MASK}"),
    ("https://a.example/#access_token=1&b=2", f"https://a.example/#access_token={MASK}&b=2"),
    ("a.eyJhbGciOiJFUzI1.abcd.x b", f"a.{MASK} b"),
    ("to_eyJhbGciOiJFUzI1.abcd.x.y", f"to_{MASK}.y"),
    ("sk_live_abceyJhbGciOiJFUzI1.abcd.x", f"sk_live_{MASK}{MASK}"),
    ("postgres://ada:secret@db/shop", f"postgres://ada:{MASK}@db/shop"),
    ('{"a": [{"password": "x"}], "b": 1}', f'{{"a": [{{"password": "{MASK}"}}], "b": 1}}'),
    ('{"a": "{\\"otp\\": \\"x\\"}"}', f'{{"a": "{{\\"otp\\": \\"{MASK}\\"}}"}}'),
    ('{"password": "x", ', f'{{"password": "{MASK}", '),
    ('{"name": "x"}', '{"name": "x"}'),
    ("what? a=1", "what? a=1"),
)
def test_a_text_hides_what_is_a_secret_by_its_form(text: str, shown: str) -> None:
    assert ASKED.value({"name": text}) == {"name": shown}


@given(st.sampled_from(["password", "otp", "share"]), st.text(min_size=1, max_size=20))
def test_forms_are_masked_like_json(name: str, secret: str) -> None:
    body = f"name=Ada&{name}={quote_plus(secret)}".encode()
    assert ASKED.payload(body, FORM, FREE) == f"name=Ada&{name}={MASK}"


def test_a_form_is_masked_by_types_at_any_depth() -> None:
    body = b"name=Ada&word=x&profile[phrase]=y&profile[name]=z&wrod=w"
    shown = f"name=Ada&word={MASK}&profile[phrase]={MASK}&profile[name]=z&wrod={MASK}"
    assert ASKED.payload(body, FORM, SIGN_UP) == shown


@cases("content_type", JSON, FORM, "text/plain")
def test_a_body_of_no_known_form_is_counted_only(content_type: str) -> None:
    body = b'{"password": "' + SECRET.encode()
    assert ASKED.payload(body, content_type, FREE) == {"unparsed": len(body)}
    assert ASKED.payload(b"", content_type, FREE) is None


@cases("plan", FREE, SIGN_UP)
def test_a_public_key_is_shown_and_a_private_one_is_not(plan: Plan) -> None:
    name = "pem" if plan is SIGN_UP else "publicKey"
    public = p256.public_pem(p256.private_key_from_seed(bytes(range(48))))
    private = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
    assert ASKED.value({name: public}, plan) == {name: public}
    assert ASKED.value({name: private}, plan) == {name: MASK}
    assert ASKED.value({"name": f"mine: {private}"}, plan) == {"name": f"mine: {MASK}"}


@cases("layers, is_shown", (8, True), (9, False))
def test_text_in_very_many_layers_of_json_is_hidden(layers: int, is_shown: bool) -> None:
    text = "5"
    for _ in range(layers):
        text = json.dumps([text])
    assert (ASKED.value(text) == text) is is_shown


def test_what_a_name_too_long_to_read_stands_for_is_hidden() -> None:
    assert ASKED.value({"a." * 200 + "b": SECRET}) == {"a." * 200 + "b": MASK}


@cases(
    "text, shown",
    ("password: abc, b: c", f"password: {MASK}, b: c"),
    ("{'password': 'a b'}", f"{{'password': '{MASK}'}}"),
    ('{"password": "a\\tb\\""}', f'{{"password": "{MASK}"}}'),
    ("password: abc  \nnext: 1", f"password: {MASK}\nnext: 1"),
    ("password: ''", "password: ''"),
    (f"keys: [{LIVE_KEY}]", f"keys: [sk_live_{MASK}]"),
    ("headers: {x-api-key: abc}", f"headers: {{x-api-key: {MASK}}}"),
    ("authorization: Bearer sk_test_shop", f"authorization: Bearer sk_test_sh{MASK}"),
    ("name: abc", "name: abc"),
    ("a password of mine", "a password of mine"),
)
def test_of_a_loose_text_members_with_secret_names_are_hidden(text: str, shown: str) -> None:
    assert ASKED.loose_text(text) == shown


@cases("source", {"x-api-key": "abc", "accept": "*/*"}, [{"x-api-key": "abc", "accept": "*/*"}])
def test_a_source_that_is_no_text_is_known_by_names(source: Any) -> None:
    shown = ASKED.value(source, frozenset({Secrecy.SOURCE}))
    assert shown in ({"x-api-key": MASK, "accept": "*/*"}, [{"x-api-key": MASK, "accept": "*/*"}])


def test_a_name_too_long_to_be_read_may_be_a_secrets() -> None:
    assert [Names().kind("x" * length) for length in (256, 257)] == [None, Secrecy.SECRET]


def test_of_a_body_with_too_many_values_only_the_size_is_shown() -> None:
    members = json.dumps({f"a{number}": 1 for number in range(20_000)}).encode()
    pairs = b"&".join(b"a=1" for _ in range(1_001))
    long = json.dumps("a" * 1024 * 1024).encode()
    for body, content_type in ((members, JSON), (pairs, FORM), (long, JSON)):
        assert ASKED.payload(body, content_type, FREE) == {"unparsed": len(body)}


@cases(
    "body, twice",
    (b'{"a": 1, "b": {"c": 2}}', []),
    (b'{"a": 1, "a": 2}', [{"a": 1}, {"a": 2}]),
    (b'[{"a": {"b": 1, "b": 1}, "c": 3}]', [{"b": 1}, {"b": 1}]),
)
def test_members_of_one_name_are_all_looked_at(body: bytes, twice: list[dict[str, Any]]) -> None:
    assert members_that_come_twice(body) == twice
