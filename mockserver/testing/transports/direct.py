"""Transports of httpx that stay as they are where a test replaces those of all clients.

respx, pytest-httpx and vcrpy do so, each at another place. A server in the test's own process is asked
without a socket, and so without what they replace; one that is elsewhere is to be asked by the same tests.
"""

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

    handle_request = httpx.HTTPTransport.handle_request

    def __init__(self, *, verify: bool) -> None:
        super().__init__(verify=verify, trust_env=False)
        _keep(self._pool, *_METHODS)


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

    handle_async_request = httpx.AsyncHTTPTransport.handle_async_request

    def __init__(self, *, verify: bool) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        super().__init__(verify=verify, trust_env=False, limits=limits)
        _keep(self._pool, *_ASYNC_METHODS)


def _keep(pool: Any, handle: Any, handle_one: Any) -> None:
    """Let a pool and its connections have methods of their own, which go before those of their classes."""
    create = pool.create_connection

    def create_connection(origin: httpcore.Origin) -> object:
        connection = create(origin)
        setattr(connection, handle_one.__name__, MethodType(handle_one, connection))
        return connection

    pool.create_connection = create_connection
    setattr(pool, handle.__name__, MethodType(handle, pool))
