"""One server for all attacks, as `mockserver serve` starts it, and a victim's project in it."""

from collections.abc import Iterator
from http.cookiejar import DefaultCookiePolicy

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import mock as mock


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server that listens on loopback."""
    with LiveServer() as served:
        yield served


@pytest.fixture
def victim(mock: MockProject) -> MockProject:
    """A project that no attack may read or change."""
    return mock


@pytest.fixture(scope="module")
def http(server: LiveServer) -> Iterator[Client]:
    """A client without any credentials, which keeps no cookies."""
    with Client(base_url=server.url, trust_env=False) as client:
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield client
