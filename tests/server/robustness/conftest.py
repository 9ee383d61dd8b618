"""One stage for all tests."""

import pytest

from tests.server.robustness.stage import Stage, staged


@pytest.fixture(scope="module")
def stage() -> Stage:
    """One stage for all: every test begins by restoring it."""
    return staged()
