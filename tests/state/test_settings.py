"""A project's settings: their defaults, and what they may not be."""

import dataclasses

import pytest
from pydantic import TypeAdapter, ValidationError

from mockserver.state.settings import Settings
from tests.tables import cases

ADAPTER = TypeAdapter(Settings)


def test_the_defaults_are_settings_that_may_be_set() -> None:
    assert ADAPTER.validate_python(dataclasses.asdict(Settings())) == Settings()


def test_a_day_a_coin_and_two_seconds() -> None:
    usual = Settings()
    assert (usual.idempotency_lifetime_ms, usual.starting_balance_wei) == (24 * 3600 * 1000, 10**18)
    assert (usual.transaction_confirms_after_ms, usual.solana_confirms_after_ms) == (2_000, 1_000)
    assert (usual.solana_expires_after_ms, usual.wait_limit_ms) == (90_000, 30_000)


@cases(
    "name, value",
    ("one_time_code", "12"),
    ("one_time_code", "12345x"),
    ("one_time_code", "123456\n"),
    ("password_min_length", 0),
    ("unknown_chains", "maybe"),
    ("starting_balance_wei", -1),
    ("starting_balance_wei", 2**256),
    ("wait_limit_ms", -1),
    ("idempotency_lifetime_ms", 10**13),
    ("native_price_usd", "1e5"),
    ("native_price_usd", "-3"),
)
def test_a_setting_out_of_its_bounds_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        ADAPTER.validate_python({name: value})
    assert caught.value.errors()[0]["loc"][0] == name


def test_settings_are_changed_by_replacing_them() -> None:
    usual = Settings()
    with pytest.raises(dataclasses.FrozenInstanceError):
        usual.require_https = True  # type: ignore[misc]  # That it is refused is what is tried.
