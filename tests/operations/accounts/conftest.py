"""A user who has accounts."""

from __future__ import annotations

import pytest

from mockserver.state.project import Project
from tests.operations.accounts.helpers import new_user


@pytest.fixture
def user(project: Project) -> str:
    """A user's id."""
    return new_user(project)
