"""The fixtures: a server for all tests, a project of its own for each test, clients of it."""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from re import sub
from typing import TYPE_CHECKING

import pytest

from mockserver.pytest_plugin.options import read_marker
from mockserver.pytest_plugin.report import PROJECT

if TYPE_CHECKING:
    import httpx

    from mockserver.testing.project import MockProject
    from mockserver.testing.server import LiveServer
    from mockserver.testing.transport import CrossLoopApp


@pytest.fixture(scope="session")
def mockserver() -> "Iterator[LiveServer]":
    """A live server, one for all tests: `url` to reach it over HTTP, `control` for its control API."""
    from mockserver.testing.server import LiveServer

    with LiveServer() as server:
        yield server


@pytest.fixture
def mock_project(request: pytest.FixtureRequest, mockserver: "LiveServer") -> "Iterator[MockProject]":
    """A new project for this test, with the options of its `mockserver` marker."""
    item = request.node
    begin = read_marker(item)
    project = mockserver.control.create_project(name=project_name(item), **begin.project_options())
    project.places = (item.path.parent,)
    item.stash[PROJECT] = project
    try:
        if begin.scenario is not None:
            _load(item, project, begin.scenario)
        yield project
    finally:
        del item.stash[PROJECT]
        project.delete()


@pytest.fixture
def mock_api(mockserver: "LiveServer", mock_project: "MockProject") -> "Iterator[httpx.Client]":
    """A client that calls the API in process, with the secret key of `mock_project`."""
    from http.cookiejar import DefaultCookiePolicy

    import httpx

    headers = {"authorization": f"Bearer {mock_project.secret_key}"}
    with httpx.Client(
        transport=mockserver.transport, base_url="http://mock", headers=headers, trust_env=False
    ) as client:
        # Without a cookie jar: a test with several users must not send one's cookie with another's call.
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield client


@pytest.fixture
def mock_asgi(mockserver: "LiveServer") -> "CrossLoopApp":
    """The ASGI application, for `httpx.AsyncClient(transport=httpx.ASGITransport(mock_asgi))`."""
    return mockserver.asgi


def _load(item: pytest.Item, project: "MockProject", scenario: str | Path) -> None:
    try:
        project.load(scenario)
    except FileNotFoundError as error:
        raise pytest.UsageError(f"{item.nodeid}: {error}") from None


def project_name(item: pytest.Item) -> str:
    """A project name derived from a test's id, the same in every run."""
    path, _, name = item.location
    digest = blake2b(f"{path}::{name}".encode(), digest_size=6).hexdigest()
    return f"{sub('[^A-Za-z0-9]+', '-', name)[:80].strip('-')}-{digest}"
