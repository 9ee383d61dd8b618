"""Errors of transactions that fail before they are in a block."""

from mockserver.domain.chains.failures import Failure, aa_error


def test_a_failure_is_read_by_its_reason() -> None:
    error = aa_error("AA21")
    assert str(Failure(error)) == error.reason
    assert "AA21" in error.reason
