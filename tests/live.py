"""Servers that listen and their projects: fixtures, for the modules and the conftests that import them."""

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest

from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer


@contextmanager
def listening(parser: str) -> Iterator[LiveServer]:
    """A server on a socket, whose requests `httptools` or `h11` parses."""
    with pytest.MonkeyPatch.context() as patch:
        if parser == "h11":
            patch.setitem(sys.modules, "mockserver.server.edge.http_protocol", None)
        with LiveServer() as server:
            assert server.url
            yield server


@pytest.fixture
def server() -> Iterator[LiveServer]:
    """A server on a frozen clock."""
    with LiveServer() as running:
        yield running


@pytest.fixture
def shop(server: LiveServer) -> MockProject:
    """A project of a server that is stopped after the test."""
    return server.control.create_project(name="shop")


@pytest.fixture
def mock(server: LiveServer) -> Iterator[MockProject]:
    """A project of a server that other tests use as well."""
    project = server.control.create_project()
    yield project
    project.delete()


def connect(mock: MockProject) -> socket.socket:
    """A connection to the server of a project, which sends each part as a segment of its own."""
    host, _, port = mock.url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


@contextmanager
def one_connection(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of another server, where a thread talks with the first that connects."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            talk(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def project_of(server: LiveServer, mock: MockProject) -> Project:
    """The project itself, which counts those that listen to it."""
    project = server.world.get(mock.id)
    assert project is not None
    return project
