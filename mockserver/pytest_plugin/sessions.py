"""What the plugin holds while tests run: the server, the projects, what was there before each test."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mockserver.pytest_plugin.recorded_tests import RecordedTests
    from mockserver.testing.client import RunningServer
    from mockserver.testing.connection import Entry
    from mockserver.testing.project import MockProject
    from mockserver.testing.server import LiveServer

    Server = LiveServer | RunningServer


_SHARED_NOTE = "Other processes use this server, too: such calls may be of their tests."


class Watch:
    """What was there before a test, or before what the test itself does after its fixtures."""

    # No dataclasses: making them takes a millisecond each, in every run.
    def __init__(
        self, numbers: Mapping[str, int] = MappingProxyType({}), undeclared: Mapping[str, int] | None = None
    ) -> None:
        self.numbers = numbers
        """The number of the last exchange, by the id of the project; 0 of projects that are created later."""
        self.undeclared = undeclared
        """How many calls went to each undeclared key; None if the test did not use the server then."""
        self.told: str | None = None
        """The title of the section of the report that the failure itself says."""


class PluginSession:
    """A server, and the projects on it that fixtures hold open."""

    def __init__(self, server: "Server", *, is_shared: bool, recorded: "RecordedTests | None") -> None:
        self.server = server
        self.is_shared = is_shared
        """Whether other processes use the server, too."""
        self.projects: list[MockProject] = []
        self.watch = Watch()
        self._recorded = recorded

    def hold(self, project: "MockProject") -> None:
        """Watch and record a project that a fixture has just opened, too."""
        self.projects.append(project)
        if self._recorded is not None:
            self._recorded.include()

    def release(self, *projects: "MockProject") -> None:
        """Delete projects that are held."""
        if self._recorded is not None:
            self._recorded.save()
        for project in projects:
            self.projects.remove(project)
            project.delete()

    def look(self) -> Watch:
        """What is there before a test begins to set up."""
        undeclared = self.server.control.undeclared_projects()
        counts = {project["secret_key"]: project["calls"] for project in undeclared}
        return Watch(self._last_numbers(), counts)

    def end_set_up(self) -> None:
        """Note that what comes now is of the test itself."""
        self.watch.numbers = self._last_numbers()

    def find_undeclared(self) -> "Entry | None":
        """The section about undeclared keys that were called while the test ran; None if none was watched."""
        if self.watch.undeclared is None:
            return None
        keys = [project.secret_key for project in self.projects]
        asked = {"before": self.watch.undeclared, "keys": keys}
        section: Entry = self.server.control.call("POST", "/_mock/undeclared-calls", json=asked)
        if section["lines"] and self.is_shared:
            section["lines"].append(_SHARED_NOTE)
        return section if section["lines"] else None

    def _last_numbers(self) -> dict[str, int]:
        return {project.id: _last_number(project) for project in self.projects}


def _last_number(project: "MockProject") -> int:
    """The number of the last exchange of a project; 0 of one that a test deleted."""
    from mockserver.testing.connection import ControlApiError

    try:
        return project.journal.last_number
    except ControlApiError:
        return 0


OWN_PROJECT: "pytest.StashKey[MockProject]" = pytest.StashKey()
"""The project of a test, which no other test uses."""

SESSION: pytest.StashKey[PluginSession] = pytest.StashKey()


def uses_server(item: pytest.Item) -> bool:
    """Whether a test is known to use the server before it runs."""
    return "mockserver" in getattr(item, "fixturenames", ())
