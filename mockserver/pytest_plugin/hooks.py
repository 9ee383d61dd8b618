"""Hooks that a consumer may implement in its conftest."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mockserver.testing.project import MockProject


@pytest.hookspec
def pytest_mockserver_check_world(project: "MockProject") -> Iterable[str] | None:
    """What is wrong in the world of a project after a test, a sentence each.

    Called with `--mockserver-explore` after each run of a test, before its project is deleted. What is wrong
    without a failure, too, is left out.
    """
