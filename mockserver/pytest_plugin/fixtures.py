"""The fixtures: a server for all tests, projects of every scope, clients, the environment."""

import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mockserver.pytest_plugin.projects import ProjectFactory, open_project
from mockserver.pytest_plugin.recording import RECORDED
from mockserver.pytest_plugin.sessions import SESSION, PluginSession
from mockserver.pytest_plugin.sharing import find_url
from mockserver.testing.imports import keep_imports

if TYPE_CHECKING:
    import httpx

    from mockserver.pytest_plugin.recorded_tests import RecordedTests
    from mockserver.testing.client import RunningServer
    from mockserver.testing.project import MockProject
    from mockserver.testing.server import LiveServer
    from mockserver.testing.transports.in_process import CrossLoopApp

__tracebackhide__ = True


@pytest.fixture(scope="session")
def mockserver(pytestconfig: pytest.Config) -> "Iterator[LiveServer | RunningServer]":
    """The server of all tests: `url` to reach it over HTTP, `control` for its control API.

    A `RunningServer` with `--mockserver-url`, and in workers with `--mockserver-share`.
    """
    with keep_imports():
        server = _begin(pytestconfig)
        try:
            yield server
        finally:
            del pytestconfig.stash[SESSION]
            if RECORDED in pytestconfig.stash:
                pytestconfig.stash[RECORDED].detach()
            server.stop()


def _begin(config: pytest.Config) -> "LiveServer | RunningServer":
    from mockserver.scenario.checking.collection import paused_collection

    url = find_url(config)
    # What is imported stays. Looking through it again and again takes half as long as importing it.
    with paused_collection():
        server = _start() if url is None else _connect(url)
        recorded = config.stash.get(RECORDED, None)
        session = PluginSession(server, is_shared=url is not None, recorded=recorded)
        config.stash[SESSION] = session
        if recorded is not None:
            _record(recorded, session)
        session.watch = session.look()
        count_as_old()
    return server


def count_as_old() -> None:
    """Let the garbage collector take all that is there for old, which it seldom looks through.

    What is frozen it does not look through at all, and unfreezing makes it old. Who has frozen objects before
    wants them to stay so.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def _start() -> "LiveServer":
    from mockserver.testing.server import LiveServer

    return LiveServer()


def _record(tests: "RecordedTests", session: PluginSession) -> None:
    from mockserver.pytest_plugin.recorded_tests import SharedServer
    from mockserver.testing.server import LiveServer

    server = session.server
    if isinstance(server, LiveServer):
        tests.attach(server)
    else:
        tests.attach(SharedServer(server.control, session.projects))


def _connect(url: str) -> "RunningServer":
    from mockserver.testing.client import RunningServer

    server = RunningServer(url)
    if not server.control.ready():
        hint = "" if "://" in url else "; a URL begins with http://"
        raise pytest.UsageError(f"no mock server is ready at {url}, which --mockserver-url names{hint}")
    return server


@pytest.fixture
def mock_project(request: pytest.FixtureRequest, mockserver: object) -> "Iterator[MockProject]":
    """A new project for this test, with the options of its `mockserver` marker."""
    yield from open_project(request)


@pytest.fixture(scope="class")
def mock_class_project(request: pytest.FixtureRequest, mockserver: object) -> "Iterator[MockProject]":
    """A project that the tests of a class share, with the options of its `mockserver` marker."""
    yield from open_project(request)


@pytest.fixture(scope="module")
def mock_module_project(request: pytest.FixtureRequest, mockserver: object) -> "Iterator[MockProject]":
    """A project that the tests of a module share, with the options of its `pytestmark`."""
    yield from open_project(request)


@pytest.fixture(scope="session")
def mock_session_project(request: pytest.FixtureRequest, mockserver: object) -> "Iterator[MockProject]":
    """A project that all tests share."""
    yield from open_project(request)


@pytest.fixture(scope="session")
def mock_project_factory(request: pytest.FixtureRequest, mockserver: object) -> Iterator[ProjectFactory]:
    """Creates more projects, which are deleted at the end of the run unless the test does so."""
    factory = ProjectFactory(request.config.stash[SESSION])
    yield factory
    factory.close()


@pytest.fixture
def mock_api(mock_project: "MockProject") -> "Iterator[httpx.Client]":
    """A client that calls the API, in process if the server is, with the secret key of `mock_project`."""
    with mock_project.connect() as client:
        yield client


@pytest.fixture
def mock_async_api(mock_project: "MockProject") -> "httpx.AsyncClient":
    """The same for asyncio, in any event loop, and trio."""
    return mock_project.connect_async()


@pytest.fixture
def mock_asgi(mockserver: "LiveServer | RunningServer") -> "CrossLoopApp":
    """The ASGI application, for `httpx.AsyncClient(transport=httpx.ASGITransport(mock_asgi))`."""
    from mockserver.testing.server import LiveServer

    if not isinstance(mockserver, LiveServer):
        raise pytest.UsageError(
            "mock_asgi is the application of a server in this process; use mock_project.url or mock_async_api"
        )
    return mockserver.asgi


@pytest.fixture
def mock_env(mock_project: "MockProject", monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Sets the variables that the official clients read for `mock_project`, until the test ends."""
    from mockserver.testing.environment import around_proxies

    for name, value in {**mock_project.env, **around_proxies(mock_project.url, os.environ)}.items():
        monkeypatch.setenv(name, value)
    return mock_project.env
