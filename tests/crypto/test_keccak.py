"""Keccak-256 against its published digests and another implementation of it."""

import importlib.util
import sys

import pytest
from eth_hash.backends import pycryptodome
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto.keccak import keccak256
from tests.tables import cases

published = cases(
    "message, digest",
    (b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
    (b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
    (b"transfer(address,uint256)", "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b"),
)


@published
def test_published_digests_are_reproduced(message: bytes, digest: str) -> None:
    assert keccak256(message).hex() == digest


@settings(max_examples=25)
@given(st.binary(max_size=400))
def test_any_message_hashes_as_pycryptodome_does(message: bytes) -> None:
    assert keccak256(message) == pycryptodome.backend.keccak256(message)


@published
def test_digests_need_no_safe_pysha3(monkeypatch: pytest.MonkeyPatch, message: bytes, digest: str) -> None:
    monkeypatch.setitem(sys.modules, "sha3", None)
    spec = importlib.util.find_spec("mockserver.crypto.keccak")
    assert spec is not None
    assert spec.loader is not None
    without = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(without)
    assert without._keccak_256.__module__ == without.__name__, "the other implementation is there"
    assert without.keccak256(message).hex() == digest
