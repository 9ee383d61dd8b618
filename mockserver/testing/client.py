"""The control API as Python objects, for a server in this process as for one in a container."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from mockserver.kernel.mappings import without_none
from mockserver.testing.clock import ClockStart, read_clock
from mockserver.testing.connection import ControlClient, Entry, Json
from mockserver.testing.project import MockProject

__tracebackhide__ = True


class MockServer(ControlClient):
    """A client of the control API. `MockServer("http://localhost:4242")` connects to a running server."""

    def create_project(
        self,
        *,
        name: str | None = None,
        seed: str | None = None,
        livemode: bool | None = None,
        secret_key: str | None = None,
        publishable_key: str | None = None,
        scopes: Sequence[str] | None = None,
        settings: Mapping[str, Json] | None = None,
        clock: ClockStart | None = None,
    ) -> MockProject:
        """Create a project. Without a name one is drawn; the keys and the seed follow from the name.

        `clock` is `"frozen"`, `"ticking"`, `"now"` (ticking from the real time), a time to freeze at, or the
        members `mode`, `rate` and `now`. `scopes` are those of the secret key. `settings` are those that are
        to be otherwise than usual.
        """
        given = {
            "name": name,
            "seed": seed,
            "livemode": livemode,
            "secret_key": secret_key,
            "publishable_key": publishable_key,
            "scopes": None if scopes is None else [*scopes],
            "settings": settings,
            "clock": None if clock is None else read_clock(clock),
        }
        return MockProject(self, self.call("POST", "/_mock/projects", json=without_none(given)))

    def undeclared_projects(self) -> list[Entry]:
        """The projects that undeclared keys opened, with their `secret_key` and number of `calls`."""
        params = {"declared": "false", "limit": 1_000_000}
        found: list[Entry] = self.call("GET", "/_mock/projects", params=params)["data"]
        return found

    def projects(self) -> list[MockProject]:
        """Every project, oldest first."""
        found = self.call("GET", "/_mock/projects", params={"limit": 1_000_000})
        return [MockProject(self, entry) for entry in found["data"]]

    def start_recording(self, *, mask: bool = False, projects: Sequence[MockProject] = ()) -> None:
        """Record every call of the server from now on, or those of some projects, beside other recordings.

        With `mask` placeholders stand for the secrets that clients bring along.
        """
        params = {"mask": mask, "projects": [project.id for project in projects] or None}
        self.call("POST", "/_mock/recording", params=params)

    def stop_recording(self, project: MockProject | None = None) -> bytes:
        """End the recording, or that of a project, and return it: a file for `mockserver replay`."""
        self.call("POST", "/_mock/recording/stop", params={"project": project and project.id})
        return self.recording(project)

    def recording(self, project: MockProject | None = None) -> bytes:
        """What was recorded so far, or the last recording; of the server, or of a project."""
        return self.fetch("/_mock/recording", params={"project": project and project.id})

    def load_recording(self, recording: bytes, *, replace: bool = False) -> dict[str, str]:
        """Begin as a recording begins: its projects are in the place of all that the server has.

        The answer is the digests of the projects, by id. ControlApiError with 400 for a file that is no
        whole recording, with 409 while projects are in use, unless it is to `replace` them.
        """
        path = "/_mock/recording/load"
        digests: dict[str, str] = self._load("POST", path, recording, replace=replace)["digests"]
        return digests

    def load_state(self, state: bytes, *, replace: bool = False) -> MockProject:
        """Hold a project as it was when its `state` was taken, on this server or on another one.

        ControlApiError with 409 while a project with its id is in use, unless it is to `replace` that.
        """
        found = (
            entry["project"]["id"] for entry in map(json.loads, state.splitlines()) if "project" in entry
        )
        path = f"/_mock/projects/{next(found, '-')}/state"
        return MockProject(self, self._load("PUT", path, state, replace=replace))

    def _load(self, method: str, path: str, lines: bytes, *, replace: bool) -> Any:
        params, headers = {"replace": replace}, {"content-type": "application/jsonl"}
        return self.call(method, path, content=lines, params=params, headers=headers)

    def project(self, secret_key: str) -> MockProject:
        """The project of a key; an undeclared test key creates its project."""
        headers = {"authorization": f"Bearer {secret_key}"}
        return MockProject(self, self.call("GET", "/_mock/projects/-", headers=headers))


class RunningServer:
    """A server in another process or on another machine, as a stand-in for `LiveServer`."""

    def __init__(self, url: str, *, control_token: str | None = None) -> None:
        # Imported where it is needed: in process nothing connects.
        from mockserver.testing.transports.direct import OneServerTransport

        self.control = MockServer(url, control_token=control_token)
        """A client of the control API."""
        self.url = self.control.url
        """The base URL."""
        self.transport = OneServerTransport(httpx.URL(self.url))
        """A transport for `httpx.Client` that sends every request to this server."""

    def stop(self) -> None:
        """Close the connections; the server runs on."""
        self.transport.close()
        self.control.close()
