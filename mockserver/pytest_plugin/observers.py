"""What watches the projects of tests: registered by options, told by fixtures."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mockserver.testing.project import MockProject


class Observer:
    """Sees the projects of tests come and go."""

    def on_open(self, node: "pytest.Item | pytest.Collector", project: "MockProject") -> None:
        """A project is there, as the test gets it."""

    def on_close(self, project: "MockProject") -> None:
        """A project is about to be deleted."""


EXPLORES: pytest.StashKey[bool] = pytest.StashKey()
"""Set when tests are run again with failures: what they show then is not theirs."""
OBSERVERS: pytest.StashKey[list[Observer]] = pytest.StashKey()
