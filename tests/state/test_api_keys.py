"""A key's text and its parts are one and the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.state.api_keys import KEY_NAME, KEY_PREFIXES, KEY_START, LIVE_KEY_PREFIXES, ApiKey, pattern_of

KEYS = st.builds(
    ApiKey, st.sampled_from(["sk", "pk"]), st.booleans(), st.from_regex(KEY_NAME, fullmatch=True)
)


@given(KEYS)
def test_a_key_is_what_its_text_says(key: ApiKey) -> None:
    assert ApiKey.parse(key.text) == key
    assert re.search(pattern_of(key.kind), key.text)
    assert not re.search(pattern_of(key.counterpart.kind), key.text)
    assert key.text.startswith(KEY_PREFIXES)
    assert key.text.startswith(LIVE_KEY_PREFIXES) == key.livemode
    assert re.sub(KEY_START, "", key.text, count=1) == key.name


def test_the_keys_of_a_pair_differ_in_nothing_but_their_kind() -> None:
    key = ApiKey("sk", True, "shop_1")
    assert (key.text, key.counterpart.text) == ("sk_live_shop_1", "pk_live_shop_1")
    assert key.counterpart.counterpart == key


def test_a_key_with_a_slip_in_it_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="a key is of the form") as caught:
        ApiKey.parse("sk_live_s3cret!")
    assert "s3cret" not in str(caught.value)
