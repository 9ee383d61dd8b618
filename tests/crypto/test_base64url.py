"""Base64url without padding."""

from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.crypto import base64url
from tests.tables import cases


@cases("raw, text", (b"", ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v"), (b"\xfb\xff", "-_8"))
def test_published_texts_are_reproduced(raw: bytes, text: str) -> None:
    assert base64url.encode(raw) == text
    assert base64url.decode(text) == raw


@given(st.binary())
def test_what_was_encoded_is_read_with_padding_and_without(raw: bytes) -> None:
    assert base64url.decode(base64url.encode(raw)) == raw
    assert base64url.decode(urlsafe_b64encode(raw).decode()) == raw


def test_a_length_that_no_bytes_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        base64url.decode("A")
