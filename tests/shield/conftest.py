"""Clients of the share service and of the embedded wallet."""

from collections.abc import Iterator

import pytest
from httpx import Client

from mockserver.state.project import Project


@pytest.fixture
def shield(api: Client, project: Project) -> Iterator[Client]:
    """A client of the service, without credentials."""
    with Client(transport=api._transport, base_url=f"http://test/_mock/projects/{project.id}/shield") as made:
        yield made


@pytest.fixture
def frame(api: Client, project: Project) -> Iterator[Client]:
    """What the frame of the embedded wallet calls, without a user."""
    url = f"http://test/_mock/embedded/iframe/{project.publishable_key}"
    with Client(transport=api._transport, base_url=url) as made:
        yield made
