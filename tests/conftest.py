"""Fixtures that every floor's tests share."""

from collections.abc import Iterator

import httpx
import pytest

from mockserver.server.app import App
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.testing.transport import InProcessTransport


@pytest.fixture
def world() -> World:
    """A world without projects."""
    return World()


@pytest.fixture
def app(world: World) -> App:
    """The application that serves it."""
    return assemble(world)


@pytest.fixture
def project(world: World) -> Project:
    """The project that `api` talks to."""
    return world.create(name="tests")


@pytest.fixture
def api(app: App, project: Project) -> Iterator[httpx.Client]:
    """A client that sends the project's secret key."""
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        yield client
