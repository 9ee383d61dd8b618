"""Keccak-256 against its published digests and another implementation of it."""

from __future__ import annotations

import eth_hash.auto
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto.keccak import keccak256


@pytest.mark.parametrize(
    ("message", "digest"),
    [
        (b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
        (b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
        (b"transfer(address,uint256)", "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b"),
    ],
)
def test_published_digests_are_reproduced(message: bytes, digest: str) -> None:
    assert keccak256(message).hex() == digest


@settings(max_examples=25)
@given(st.binary(max_size=400))
def test_any_message_hashes_as_eth_hash_does(message: bytes) -> None:
    assert keccak256(message) == eth_hash.auto.keccak(message)
