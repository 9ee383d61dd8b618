"""What the tools work on: a server, which is this one, one that runs elsewhere, or one that they start."""

import os
from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from mockserver.kernel.spelling import did_you_mean, list_some, nearest, quote
from mockserver.server.answering.hosts import is_loopback
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from mockserver.yaml_files import read_yaml_file

_USUAL_URL = "http://127.0.0.1:4242"
_DEFAULT_KEY = "sk_test_default"

NEXT_STEPS: Mapping[str, str] = read_yaml_file(Path(__file__).with_name("next_steps.yaml"))


class ToolError(Exception):
    """What a tool answers that could not do what was asked: why, and what to do next."""

    def __init__(self, reason: object, then: str) -> None:
        super().__init__(f"{reason}\nNext: {then}")


class Context:
    """The server that the tools work on, and its projects."""

    def __init__(
        self, server: MockServer | None = None, url: str | None = None, *, read_only: bool = False
    ) -> None:
        self._server = server
        self._url = url or os.environ.get("MOCKSERVER_URL") or _USUAL_URL
        self._started: LiveServer | None = None
        self.is_own = server is None
        """Whether it may start a server, or find another one."""
        self.read_only = read_only
        """Whether there are only the tools that change nothing."""

    @property
    def control(self) -> MockServer:
        """A client of the control API. ToolError while there is no server."""
        return self._server or self.find(self._url)

    def find(self, url: str) -> MockServer:
        """Use the server at a URL. ToolError if none is ready there.

        The control token is sent to the server that the user has named, and to this machine: an agent may
        have read another URL anywhere.
        """
        if "@" in url:
            # It is not repeated: what stands there may be a password.
            reason = "a server's URL has no user and no password"
            raise ToolError(reason, "leave out what stands before the @")
        with suppress(httpx.InvalidURL, ValueError):
            is_trusted = url == self._url or is_loopback(urlsplit(url).hostname or "")
            server = MockServer(url, control_token=None if is_trusted else "")
            if server.ready():
                self._server = server
                return server
            server.close()
        raise ToolError(
            f"no server is ready at {quote(url)}", "start starts one; with --read-only, --url names one"
        )

    def start(self) -> MockServer:
        """Start a server in this process, unless that was done before."""
        self._started = self._started or LiveServer()
        # Listen, and have the project that `mockserver serve` has from the start.
        assert self._started.url
        self._started.control.project(_DEFAULT_KEY)
        self._server = self._started.control
        return self._server

    def close(self) -> None:
        """Stop the server that was started."""
        if self._started is not None:
            self._started.stop()

    def project(self, name: str | None = None) -> MockProject:
        """A project by its name or id, or the default one. ToolError with the nearest name.

        The default one is created where it is not, unless nothing is to change.
        """
        if name is None and not self.read_only:
            return self.control.project(_DEFAULT_KEY)
        name = "default" if name is None else name
        projects = sorted(self.control.projects(), key=attrgetter("livemode"))
        for each in projects:
            if name in (each.name, each.id, each.publishable_key):
                return each
        names = [each.name for each in projects]
        hint = did_you_mean(nearest(str(name), names)) or f"; there is {list_some(names)}"
        raise ToolError(f"there is no project {quote(name)}{hint}", NEXT_STEPS["unknown-project"])
