"""A server that runs already, for the fixtures."""

import httpx

from mockserver.testing.client import MockServer

__tracebackhide__ = True


class RunningServer:
    """A server in another process or on another machine, as a stand-in for `LiveServer`."""

    def __init__(self, url: str, *, control_token: str | None = None) -> None:
        self.control = MockServer(url, control_token=control_token)
        """A client of the control API."""
        self.url = self.control.url
        """The base URL."""
        self.transport = _To(httpx.URL(self.url))
        """A transport for `httpx.Client` that sends every request to this server."""

    def stop(self) -> None:
        """Close the connections; the server runs on."""
        self.transport.close()
        self.control.close()


class _To(httpx.HTTPTransport):
    """Sends every request to one server, whatever its URL says."""

    def __init__(self, url: httpx.URL) -> None:
        super().__init__(verify=url.scheme == "https", trust_env=False)
        self._to = url

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        to = self._to
        request.url = request.url.copy_with(scheme=to.scheme, host=to.host, port=to.port)
        return super().handle_request(request)
