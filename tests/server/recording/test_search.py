"""How texts are found in bytes that have them encoded."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.server.recording.search import Search, TooMuch
from mockserver.server.recording.search import _same_length as same_length
from tests.tables import cases

MOST_BYTES = 128 * 1024
MOST_ESCAPES = 10_000
MOST_WORK = 1024 * 1024

SECRET = 'pass "wörd"/?>~ of+12'
Encode = Callable[[bytes], bytes]


def search_for(*texts: str) -> Search:
    """A search for texts, in whose place is `<masked>`."""
    search = Search()
    for text in texts:
        search.add(text.encode(), b"<masked>")
    return search


def as_json(raw: bytes) -> bytes:
    return json.dumps(raw.decode()).encode()


def as_base64(raw: bytes) -> bytes:
    return b64encode(raw)


def as_url_safe(raw: bytes) -> bytes:
    return urlsafe_b64encode(raw).rstrip(b"=")


def as_percent(raw: bytes) -> bytes:
    return quote(raw, safe="").encode()


def as_form(raw: bytes) -> bytes:
    return quote_plus(raw).encode()


@cases("secret", "wallet \U0001f510 seed", "\U0001f511\U0010ffff\U00010000 key", "caf\xe9 con leche")
def test_a_text_is_found_as_json_escapes_it(secret: str) -> None:
    search = search_for(secret)
    raw = json.dumps({"note": f"it is {secret}."}).encode()
    assert secret.encode() not in raw
    assert search.finds(raw)
    assert search.replace(raw) == b'{"note": "it is <masked>."}'


@cases("escape", "\\b", "\\f", "\\n", "\\r", "\\t", "\\/", '\\"', "\\\\", "\\u000a", "\\u00e9")
def test_every_escape_of_json_is_read(escape: str) -> None:
    text = json.loads(f'"left {escape} right"')
    assert search_for(text).replace(f'["left {escape} right", "left right"]'.encode()) == (
        b'["<masked>", "left right"]'
    )


@cases("number", 1, 48, 49, 200)
def test_of_many_texts_each_is_found(number: int) -> None:
    texts = [f"{place:03d} is one of them" for place in range(number)]
    search = search_for(*texts)
    for text in (texts[0], texts[-1]):
        for encode in (bytes, as_json, as_percent, as_base64):
            assert search.finds(b"the text " + encode(text.encode()))
            assert search.finds(encode(text.encode()))
    assert not search.finds(b"the text 000 is none of them")


@cases(
    "layers, shown",
    ((), b"a=<masked>&b"),
    ((as_percent,), b"a=<masked>&b"),
    ((as_form,), b"a=<masked>&b"),
    ((as_percent, as_percent), b"a=<masked>&b"),
    ((as_json, as_percent), b"a=%22<masked>%22&b"),
    ((as_base64,), b"a=" + b64encode(b"<masked>") + b"&b"),
    ((as_url_safe,), b"a=" + b64encode(b"<masked>").rstrip(b"=") + b"&b"),
    ((as_base64, as_percent), b"a=" + as_percent(b64encode(b"<masked>")) + b"&b"),
    ((as_base64, as_base64), b"a=" + b64encode(b64encode(b"<masked>")) + b"&b"),
    ((as_base64, as_base64, as_base64), b"a=" + b64encode(b64encode(b64encode(b"<masked>"))) + b"&b"),
    ((as_json, as_base64), b"a=" + b64encode(b'"<masked>"') + b"&b"),
)
def test_only_the_text_is_replaced_and_encoded_as_it_was(layers: tuple[Encode, ...], shown: bytes) -> None:
    written = SECRET.encode()
    for encode in layers:
        written = encode(written)
    assert search_for(SECRET).replace(b"a=" + written + b"&b") == shown


def test_what_is_base64_twice_is_found_beside_other_base64() -> None:
    # What it decodes to is not padded, and so goes on with what the next one does.
    other, twice = as_base64(as_url_safe(b"this is not a secret")), as_base64(as_base64(SECRET.encode()))
    shown = search_for(SECRET).replace(other + b" " + twice)
    assert shown == other + b" " + as_base64(as_base64(b"<masked>"))


def test_base64_keeps_its_alphabet_and_its_padding() -> None:
    around = b"\xfb\xff\xfe" * 4
    for encode in (as_base64, as_url_safe, urlsafe_b64encode):
        for rest in (b"", b"1"):
            shown = search_for(SECRET).replace(encode(around + SECRET.encode() + rest))
            assert shown == encode(around + b"<masked>" + rest), (encode, rest)


@cases("before", "", "a", "ab", "abc")
def test_a_base64_text_is_found_anywhere_in_a_run(before: str) -> None:
    run = before.encode() + b64encode(b"xyz" + SECRET.encode()).rstrip(b"=")
    search = search_for(SECRET)
    assert search.finds(run)
    shown = search.replace(b"[" + run + b"]")
    assert shown == (b"[" + as_base64(b"xyz<masked>").rstrip(b"=") + b"]" if not before else b"[<masked>]")


PIECES = st.lists(st.text() | st.sampled_from([SECRET, SECRET[:20], "%", "+", "\\", "AAAA" * 4]))
LAYERS = st.lists(st.sampled_from([as_json, as_base64, as_url_safe, as_percent, as_form]), max_size=4)


@given(PIECES, st.lists(st.tuples(PIECES, LAYERS), max_size=4))
def test_texts_that_are_looked_into_together_hide_nothing(
    plain: list[str], written: list[tuple[list[str], list[Encode]]]
) -> None:
    texts = ["".join(plain), *plain]
    for parts, layers in written:
        raw = "".join(parts).encode()
        for encode in layers:
            raw = encode(raw)
        texts.append(raw.decode())
    search = search_for(SECRET)
    if search.finds_nothing_in(texts):
        assert [text for text in texts if search.finds(text.encode())] == []


def test_empty_base64_is_searched_again_for_a_later_text() -> None:
    search = search_for("another secret")
    run = b64encode(SECRET.encode())
    assert search.replace(run) == run
    search.add(SECRET.encode(), b"<later>")
    assert search.replace(run) == b64encode(b"<later>")


def test_a_key_in_base64_that_was_shown_is_hidden_later() -> None:
    shown = {"sk_live_shop"}
    search = Search(lambda key: key if key in shown else "sk_live_masked")
    search.add(SECRET.encode(), b"<masked>")
    run = b64encode(b"a key: sk_live_shop")
    assert search.replace(run) == run
    shown.clear()
    assert search.replace(run) == b64encode(b"a key: sk_live_masked")


def test_remembered_base64_is_not_decoded_again() -> None:
    search, run = search_for(SECRET), b64encode(b"no secret is in this text")
    search.replace(run)
    first = search.work
    assert search.replace(run) == run
    assert search.work == len(run) < first


def test_deep_base64_is_searched_again_with_fewer_layers() -> None:
    search = search_for(SECRET)
    run = SECRET.encode()
    for _ in range(3):
        run = b64encode(run)
    assert not search.finds(b64encode(run))
    assert search.finds(run)


def test_a_text_of_less_than_seven_bytes_is_not_looked_for() -> None:
    assert search_for("hunter").replace(b"hunter") == b"hunter"
    assert search_for("hunter22").replace(b"hunter22") == b"<masked>"
    assert not Search().finds(b"hunter22")


def test_a_text_that_is_cut_is_found_if_enough_of_it_is_left() -> None:
    secret = "".join(f"{number:02d}" for number in range(40))
    search = search_for(secret)
    assert search.replace(f"<{secret}>".encode()) == b"<<masked>>"
    assert search.replace(f"<{secret[:40]}...>".encode()) == b"<<masked>...>"
    assert search.replace(f"<{secret[:32]}>".encode()) == b"<<masked>>"
    assert search.replace(f"<{secret[:31]}>".encode()) == f"<{secret[:31]}>".encode()


def test_a_cut_whole_text_is_not_found() -> None:
    token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
    search = Search()
    search.add(token.encode(), b"<masked>", is_whole=True)
    assert search.replace(f"<{token}>".encode()) == b"<<masked>>"
    assert not search.finds(token[:-1].encode())


def test_every_occurrence_is_replaced_the_longest_first() -> None:
    search = Search()
    search.add(b"correct horse", b"<one>")
    search.add(b"correct horse battery", b"<two>")
    search.add(b"horse battery staple", b"<three>")
    search.add(b"correct horse", b"<never>")
    raw = b"correct horse, correct horse battery staple, correct horse"
    assert search.replace(raw) == b"<one>, <two> staple, <one>"


WORKLOADS = {
    "escapes": lambda: json.dumps(json.dumps({"a": ['"'] * 7_000})).encode(),
    "percent signs": lambda: b"a=" + b"%41" * 9_000,
    "base64": lambda: b64encode(bytes(range(256)) * 300),
    "short runs of base64": lambda: b"transferOwnership, " * 5_000,
    "texts": lambda: b"".join(f"{SECRET}-{number:04}, ".encode() for number in range(2_000)),
    "other texts": lambda: b"lorem ipsum dolor sit amet " * 4_000,
}


@pytest.mark.parametrize("kind", WORKLOADS)
def test_the_work_for_a_piece_is_bounded(kind: str) -> None:
    search, piece = search_for(SECRET), WORKLOADS[kind]()
    for number in range(500):
        search.add(f"{SECRET}-{number:04}".encode(), b"<masked>")
    assert len(piece) <= MOST_BYTES
    with suppress(TooMuch):
        search.replace(piece)
    assert 0 < search.work < MOST_WORK + len(piece)


@cases("piece", b"x" * (MOST_BYTES + 1), b'"' + b"\\u0041" * (MOST_ESCAPES + 1))
def test_a_piece_that_takes_too_long_is_not_looked_into(piece: bytes) -> None:
    search = search_for(SECRET)
    with pytest.raises(TooMuch):
        search.replace(piece)
    assert search.finds(piece)
    assert search.work <= len(piece)
    assert Search(is_bounded=False).replace(piece) == piece


@cases("piece", b"x" * MOST_BYTES, b"\\u0041" * MOST_ESCAPES, b"%41" * MOST_ESCAPES)
def test_a_piece_at_the_bounds_is_looked_into(piece: bytes) -> None:
    search, secret = search_for(SECRET), SECRET.encode()
    assert search.replace(piece) == piece
    assert search.replace(piece[: -len(secret)] + secret) == piece[: -len(secret)] + b"<masked>"


def test_a_search_without_bounds_looks_into_large_pieces() -> None:
    search, piece = Search(is_bounded=False), b"x" * MOST_BYTES
    search.add(SECRET.encode(), b"<masked>")
    assert search.replace(piece + SECRET.encode()) == piece + b"<masked>"


def test_a_text_that_begins_another_has_its_own_stand_in() -> None:
    token = "HQqlELFdrOW5DeFVJQEDtFaR7OksXZ1e"
    search = Search()
    search.add(f"{token}.Di2xLrClrsoQCAzG3fYyzl4".encode(), b"<signed>")
    search.add(token.encode(), b"<token>")
    assert search.replace(f"Bearer {token}, {token}.Di2xLrClrsoQCAzG3fYyzl4".encode()) == (
        b"Bearer <token>, <signed>"
    )
    assert search.replace(f"Bearer {token}.Di2x".encode()) == b"Bearer <signed>"


def test_a_text_that_repeats_itself_is_compared_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def watched(text: bytes, other: bytes) -> int:
        compared.append(other)
        return same_length(text, other)

    monkeypatch.setattr("mockserver.server.recording.search._same_length", watched)
    for secret in ("a" * 5_000, "ab cd" * 1_000):
        search = search_for(secret)
        raw = json.dumps({"password": secret, "name": f"<{secret}{secret}>"}).encode()
        assert search.replace(raw) == b'{"password": "<masked>", "name": "<<masked><masked>>"}'
    assert len(compared) < 40


@given(st.binary(min_size=1, max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_what_two_texts_begin_with_is_as_long_as_it_is(same: bytes, one: bytes, other: bytes) -> None:
    text, found = same + one, (same + other)[: len(same + one)]
    length = same_length(text, found)
    assert text[:length] == found[:length]
    assert text[length : length + 1] != found[length : length + 1] or length == min(len(text), len(found))
