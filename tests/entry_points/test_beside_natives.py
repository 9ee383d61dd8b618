"""The official entry points and SimpleAccount do with random operations what the native doubles do."""

import pytest

from mockserver.chain.user_operations import ENTRY_POINTS
from tests.entry_points.operations import find_difference
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS

pytestmark = pytest.mark.clients


@cases("version", *ENTRY_POINTS)
def test_code_and_native_doubles_come_out_alike(version: str) -> None:
    assert find_difference(version, 1, 12 * THOROUGHNESS) is None
