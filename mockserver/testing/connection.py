"""HTTP clients of the control API: of a server, and of one project."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, Unpack

import httpx
from typing_extensions import TypedDict

from mockserver.kernel.mappings import without_none
from mockserver.kernel.spelling import did_you_mean
from mockserver.server.answering.control_token import TOKEN_HEADER, TOKEN_VARIABLE
from mockserver.server.edge.start_up import READY

if TYPE_CHECKING:
    from http.cookiejar import CookiePolicy

__tracebackhide__ = True
"""A failed test shows its own frames, and none of this module."""

Json = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A value as JSON has it."""

Entry = dict[str, Any]
"""An object that the control API answered."""

TIMEOUT_S = 30.0
"""How long a call may take that waits for nothing."""


class Asked(TypedDict, total=False):
    """What a call to the control API may have beside its method and path."""

    json: object
    content: bytes | None
    params: Mapping[str, Any] | None
    headers: Mapping[str, str] | None
    timeout_s: float


class ControlApiError(Exception):
    """The control API answered an error: its `status`, and its `problem` details (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or dict(problem)}{_findings(problem)}")
        self.status = status
        self.problem = problem


class ControlClient:
    """Calls the control API of a server, over HTTP or through an in-process transport.

    `url` may be a function, so that a server in this process only listens when its URL is used. Such a
    server has a `transport`, which may be one for asynchronous clients as well.
    `control_token` is what a server needs that can be reached from other machines; unless given, it is
    that of the environment (`MOCKSERVER_CONTROL_TOKEN`); an empty one is none.
    """

    def __init__(
        self,
        url: str | Callable[[], str],
        *,
        transport: httpx.BaseTransport | None = None,
        control_token: str | None = None,
    ) -> None:
        self._url = url
        self._transport = transport
        given = os.environ.get(TOKEN_VARIABLE) if control_token is None else control_token
        self.control_token = given or None
        headers = without_none({TOKEN_HEADER: self.control_token})
        self._client = httpx.Client(**self._reach(), headers=headers, timeout=TIMEOUT_S)

    def connect(self, headers: Mapping[str, str]) -> httpx.Client:
        """A client of the API, which keeps no cookies, with these headers; the caller closes it."""
        client = httpx.Client(**self._reach(), headers=headers)
        client.cookies.jar.set_policy(_no_cookies())
        return client

    def connect_async(self, headers: Mapping[str, str]) -> httpx.AsyncClient:
        """The same for asyncio, in any event loop, and trio. It keeps no connections, and needs no end."""
        client = httpx.AsyncClient(**self._reach(is_async=True), headers=headers)
        client.cookies.jar.set_policy(_no_cookies())
        return client

    def _reach(self, *, is_async: bool = False) -> dict[str, Any]:
        """How a client reaches the server: through its transport, or else by the URL."""
        wanted = httpx.AsyncBaseTransport if is_async else httpx.BaseTransport
        if isinstance(self._transport, wanted):
            return {"transport": self._transport, "base_url": "http://mock", "trust_env": False}
        # Imported where it is needed: in process nothing connects.
        from mockserver.testing.transports.direct import AsyncDirectTransport, DirectTransport

        url = self.url
        # Plain HTTP needs no TLS context, which is the slowest part of creating a client.
        made = (AsyncDirectTransport if is_async else DirectTransport)(verify=url.startswith("https:"))
        return {"transport": made, "base_url": url, "trust_env": False}

    @property
    def url(self) -> str:
        """The base URL of the server."""
        return (self._url if isinstance(self._url, str) else self._url()).rstrip("/")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self) -> bool:
        """Whether the server listens, and has loaded its start-up scenarios."""
        with suppress(httpx.RequestError), self._client.stream("GET", "/_mock/ready") as answer:
            # Another server may answer 200 to everything, such as one of pages, and without end.
            beginning = b""
            for part in answer.iter_bytes():
                beginning += part
                if not READY.startswith(beginning):
                    return False
            return beginning == READY
        return False

    def call(self, method: str, path: str, **asked: Unpack[Asked]) -> Any:
        """One call to the control API: its answer, or ControlApiError."""
        response = self._client.request(
            method,
            path,
            json=asked.get("json"),
            content=asked.get("content"),
            params=without_none(asked.get("params") or {}) or None,
            headers=asked.get("headers"),
            timeout=asked.get("timeout_s", TIMEOUT_S),
        )
        if response.is_success:
            return response.json() if response.content else None
        raise _error_of(response)

    def fetch(self, path: str, params: Mapping[str, Any] | None = None) -> bytes:
        """What the control API answers that is no JSON, or ControlApiError."""
        response = self._client.get(path, params=without_none(params or {}))
        if response.is_success:
            return response.content
        raise _error_of(response)


class ProjectClient:
    """Calls the part of the control API that is about one project."""

    def __init__(self, client: ControlClient, project_id: str) -> None:
        self.server = client
        """Calls the rest of the control API."""
        self.path = f"/_mock/projects/{project_id}"
        """How the paths of the project begin."""

    def call(self, method: str, path: str = "", **asked: Unpack[Asked]) -> Any:
        """One call, with a path relative to the project's; the same as `ControlClient.call`."""
        return self.server.call(method, self.path + path, **asked)

    def ask(self, method: str, path: str, **asked: Unpack[Asked]) -> Entry:
        """One call that answers an object."""
        answer: Entry = self.call(method, path, **asked)
        return answer

    def entries(
        self, path: str, filters: Mapping[str, object] | None = None, *, wait_s: float = 0
    ) -> list[Entry]:
        """The entries of a list, the first million unless limited; waits for one for so many seconds."""
        wanted = {"limit": 1_000_000, **(filters or {}), "wait": wait_s or None}
        found: list[Entry] = self.call("GET", path, params=wanted, timeout_s=wait_s + TIMEOUT_S)["data"]
        return found

    def make_rows(self, steps: Sequence[Mapping[str, object]]) -> Entry:
        """Send the steps as those of a scenario; what they captured. The scenario itself is not kept."""
        text = json.dumps({"given": steps}, ensure_ascii=False)
        headers = {"content-type": "application/yaml"}
        made = self.ask(
            "POST", "/scenarios", content=text.encode(), headers=headers, params={"source": "given"}
        )
        self.call("DELETE", f"/scenarios/{made['id']}")
        captured: Entry = made["captured"]
        return captured


def _no_cookies() -> "CookiePolicy":
    """What keeps one user's cookie from being sent with another's call."""
    from http.cookiejar import DefaultCookiePolicy

    return DefaultCookiePolicy(allowed_domains=[])


def _error_of(response: httpx.Response) -> ControlApiError:
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    problem = problem if isinstance(problem, dict) else {}
    if isinstance(error := problem.get("error"), dict):
        # The API itself was called.
        problem = {"detail": error.get("message"), **problem}
    return ControlApiError(response.status_code, problem)


def _findings(problem: Mapping[str, Any]) -> str:
    """All findings of a problem, one per line; its detail has only the first."""
    found = problem.get("errors")
    if not isinstance(found, dict) or len(found) == 1:
        return ""
    return "".join(
        f"\n  {place.rstrip('+')}: {entry['message']}{did_you_mean(entry.get('nearest'))}"
        for place, entry in found.items()
    )
