"""A server that is asked by its URL, in tests that replace the transports of all clients."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch

import httpx
import pytest
import respx

from mockserver.testing.client import RunningServer
from mockserver.testing.server import LiveServer
from tests.tables import cases

Replace = Callable[[], AbstractContextManager[None]]


class Forbidden(Exception):
    """A call that the test did not expect."""


@contextmanager
def replaced_in_httpx() -> Iterator[None]:
    """As pytest-httpx and vcrpy do."""
    with (
        patch.object(httpx.HTTPTransport, "handle_request", side_effect=Forbidden),
        patch.object(httpx.AsyncHTTPTransport, "handle_async_request", side_effect=Forbidden),
    ):
        yield


@contextmanager
def replaced_in_httpcore() -> Iterator[None]:
    with respx.mock(assert_all_called=False) as router:
        router.route().mock(side_effect=Forbidden)
        yield


@cases("replace", replaced_in_httpx, replaced_in_httpcore)
def test_a_server_is_asked_as_if_nothing_was_replaced(
    replace: Callable[[], AbstractContextManager[None]],
) -> None:
    with LiveServer() as live:
        server = RunningServer(live.url)
        with replace():
            project = server.control.create_project()
            headers = {"authorization": f"Bearer {project.secret_key}"}
            with server.control.connect(headers) as client:
                assert client.get("/v1/contracts").is_success
            assert asyncio.run(ask(server.control.connect_async(headers), "/v1/contracts")).is_success
            with httpx.Client(transport=server.transport, headers=headers) as client:
                assert client.get("https://api.example/v1/contracts").is_success
            with pytest.raises(Forbidden):
                httpx.get(server.url)
            with pytest.raises(Forbidden):
                asyncio.run(ask(httpx.AsyncClient(), server.url))
        server.stop()


async def ask(client: httpx.AsyncClient, url: str) -> httpx.Response:
    async with client:
        return await client.get(url)
