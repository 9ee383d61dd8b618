"""Projects of tests, classes, modules and sessions."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockserver.pytest_plugin.observers import OBSERVERS
from mockserver.pytest_plugin.options import read_marker
from mockserver.pytest_plugin.sessions import OWN_PROJECT, SESSION, PluginSession
from mockserver.pytest_plugin.sharing import worker_id
from mockserver.testing.names import name_of_test

if TYPE_CHECKING:
    from mockserver.testing.clock import ClockStart
    from mockserver.testing.connection import Json
    from mockserver.testing.project import MockProject

__tracebackhide__ = True


class ProjectFactory:
    """Creates projects beside those of the fixtures."""

    def __init__(self, session: PluginSession) -> None:
        self._session = session
        self._created: list[MockProject] = []

    def create(
        self,
        name: str | None = None,
        *,
        scenario: str | Path | None = None,
        seed: str | None = None,
        clock: "ClockStart" = "frozen",
        settings: "Mapping[str, Json] | None" = None,
        livemode: bool | None = None,
    ) -> "MockProject":
        """Create a project; the options are those of the marker. Its calls are in reports, too.

        A scenario's path is relative to the working directory.
        """
        if name is not None:
            seed = seed or _seed_of(name, livemode=livemode)
        project = self._session.server.control.create_project(
            name=name, seed=seed, clock=clock, settings=settings, livemode=livemode
        )
        self._session.hold(project)
        self._created.append(project)
        if scenario is not None:
            project.load(scenario)
        return project

    def close(self) -> None:
        """Delete the projects."""
        self._session.release(*self._created)


def open_project(request: pytest.FixtureRequest) -> "Iterator[MockProject]":
    """A project for the scope of a fixture, deleted at its end; with the options of the markers there."""
    node, session = request.node, request.config.stash[SESSION]
    begin = read_marker(node)
    name = name_of_test(node)
    seed = begin.seed or _seed_of(name, livemode=begin.livemode)
    worker = worker_id(request.config)
    if session.is_shared and worker and not isinstance(node, pytest.Item):
        # Each worker has its class, module and session; the same seed makes their projects alike.
        name = f"{name}-{worker}"
    create = partial(
        session.server.control.create_project,
        name=name,
        seed=seed,
        clock=begin.clock,
        settings=begin.settings,
        livemode=begin.livemode,
    )
    project = _replace_left_over(session, name, create) if session.is_shared else create()
    project.places = (node.path if node.path.is_dir() else node.path.parent,)
    project.inline_name = f"{getattr(node, 'originalname', None) or node.name or 'session'} inline scenario"
    session.hold(project)
    if isinstance(node, pytest.Item):
        node.stash[OWN_PROJECT] = project
    try:
        if begin.scenario is not None:
            _load(node, project, begin.scenario)
        for observer in request.config.stash.get(OBSERVERS, ()):
            observer.on_open(node, project)
        yield project
    finally:
        for observer in request.config.stash.get(OBSERVERS, ()):
            observer.on_close(project)
        if isinstance(node, pytest.Item):
            del node.stash[OWN_PROJECT]
        session.release(project)


def _seed_of(name: str, *, livemode: bool | None) -> str:
    """The seed of a project on a server of its own, whatever the seed of the server that it is on."""
    return f"mockserver/{'live' if livemode else 'test'}/{name}"


def _replace_left_over(
    session: PluginSession, name: str, create: "Callable[[], MockProject]"
) -> "MockProject":
    """On a server that runs already, a run that was killed may have left a project of this name."""
    from http import HTTPStatus

    from mockserver.testing.connection import ControlApiError

    try:
        return create()
    except ControlApiError as error:
        if error.status != HTTPStatus.CONFLICT:
            raise
    session.server.control.project(f"sk_test_{name}").delete()
    return create()


def _load(node: pytest.Item | pytest.Collector, project: "MockProject", scenario: str | Path) -> None:
    try:
        project.load(scenario)
    except FileNotFoundError as error:
        raise pytest.UsageError(f"{node.nodeid}: {error}") from None
