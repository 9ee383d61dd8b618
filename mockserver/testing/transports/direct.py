"""Transports of httpx that stay as they are where a test replaces those of all clients.

respx, pytest-httpx and vcrpy do so, each at another place. A server in the test's own process is asked
without a socket, and so without what they replace; one that is elsewhere is to be asked by the same tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

import httpcore
import httpx

__tracebackhide__ = True

_METHODS = httpcore.ConnectionPool.handle_request, httpcore.HTTPConnection.handle_request
_ASYNC_METHODS = (
    httpcore.AsyncConnectionPool.handle_async_request,
    httpcore.AsyncHTTPConnection.handle_async_request,
)


class DirectTransport(httpx.HTTPTransport):
    """A transport over HTTP that looks at no proxy of the environment."""

    _handle = httpx.HTTPTransport.handle_request

    def __init__(self, *, verify: bool) -> None:
        super().__init__(verify=verify, trust_env=False)
        _keep(self._pool, *_METHODS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        with _named(request.url):
            return self._handle(request)


class OneServerTransport(DirectTransport):
    """Sends every request to one server, whatever its URL says."""

    def __init__(self, url: httpx.URL) -> None:
        super().__init__(verify=url.scheme == "https")
        self._to = url

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        to = self._to
        request.url = request.url.copy_with(scheme=to.scheme, host=to.host, port=to.port)
        return super().handle_request(request)


class AsyncDirectTransport(httpx.AsyncHTTPTransport):
    """The same for asyncio and trio, which keeps no connections."""

    _handle = httpx.AsyncHTTPTransport.handle_async_request

    def __init__(self, *, verify: bool) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        super().__init__(verify=verify, trust_env=False, limits=limits)
        _keep(self._pool, *_ASYNC_METHODS)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.AsyncBaseTransport`."""
        with _named(request.url):
            return await self._handle(request)


@contextmanager
def _named(url: httpx.URL) -> Iterator[None]:
    """Have the error of a server that is gone say where it was: that of the operating system does not."""
    try:
        yield
    except httpx.ConnectError as error:
        error.args = (f"the mock server at {url.copy_with(raw_path=b'')} does not answer: {error}",)
        raise


def _keep(pool: Any, handle: Any, handle_one: Any) -> None:
    """Let a pool and its connections have methods of their own, which go before those of their classes."""
    create = pool.create_connection

    def create_connection(origin: httpcore.Origin) -> object:
        connection = create(origin)
        setattr(connection, handle_one.__name__, MethodType(handle_one, connection))
        return connection

    pool.create_connection = create_connection
    setattr(pool, handle.__name__, MethodType(handle, pool))
