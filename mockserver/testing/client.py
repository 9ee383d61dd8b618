"""The control API as Python objects, for a server in this process as for one in a container."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import httpx

from mockserver.kernel.spelling import did_you_mean
from mockserver.testing.project import MockProject

_TIMEOUT_S = 30.0


class ControlRefused(Exception):
    """The control API refused: `status`, and the `problem` as it came (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or dict(problem)}{_findings(problem)}")
        self.status = status
        self.problem = problem


class MockServer:
    """A mock server, told and asked through its own API.

    `MockServer("http://localhost:4242")` is one that runs elsewhere. A server in this process passes
    the transport it answers through, and its URL as a function, so that it need not listen before
    somebody wants to know where.
    """

    def __init__(self, url: str | Callable[[], str], *, transport: httpx.BaseTransport | None = None) -> None:
        self._url = url
        # Plain HTTP needs no TLS context, and making one takes longer than all the rest.
        tls = isinstance(url, str) and url.startswith("https:")
        base_url = url if isinstance(url, str) and transport is None else "http://mock"
        self._client = httpx.Client(
            transport=transport, base_url=base_url, timeout=_TIMEOUT_S, verify=tls, trust_env=False
        )

    @property
    def url(self) -> str:
        """Where clients reach the server."""
        return (self._url if isinstance(self._url, str) else self._url()).rstrip("/")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self) -> bool:
        """Whether the server listens, and its start-up scenarios are in."""
        try:
            return self._client.get("/_mock/ready").is_success
        except httpx.TransportError:
            return False

    def create_project(self, **given: object) -> MockProject:
        """A new project. Given may be `name`, `seed`, `livemode`, `scopes`, `settings`, `clock` and keys."""
        return MockProject(self, self.call("POST", "/_mock/projects", json=given))

    def projects(self) -> list[MockProject]:
        """Every project, oldest first."""
        found = self.call("GET", "/_mock/projects", params={"limit": 1_000_000})
        return [MockProject(self, entry) for entry in found["data"]]

    def project(self, secret_key: str) -> MockProject:
        """The project of a key; an undeclared test key opens its project."""
        headers = {"authorization": f"Bearer {secret_key}"}
        return MockProject(self, self.call("GET", "/_mock/projects/-", headers=headers))

    def call(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> Any:
        """One call to the control API: its answer, or ControlRefused."""
        asked = None if params is None else {k: v for k, v in params.items() if v is not None}
        response = self._client.request(
            method, path, json=json, content=content, params=asked, headers=headers, timeout=timeout_s
        )
        if response.is_success:
            return response.json() if response.content else None
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        raise ControlRefused(response.status_code, problem if isinstance(problem, dict) else {})


def _findings(problem: Mapping[str, Any]) -> str:
    """Everything that was found wrong, a line each, where the detail names only the first of it."""
    found = problem.get("errors")
    if not isinstance(found, dict) or len(found) == 1:
        return ""
    return "".join(
        f"\n  {place.rstrip('+')}: {entry['message']}{did_you_mean(entry.get('nearest'))}"
        for place, entry in found.items()
    )
