"""A user who has accounts."""

import pytest

from mockserver.state.project import Project
from tests.operations.accounts.helpers import new_user


@pytest.fixture
def user(project: Project) -> str:
    """A user's id."""
    return new_user(project)
