"""`create_app`: the mock server as an ASGI application, and its options."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.kernel.mappings import without_none
from mockserver.kernel.retention import JOURNAL_BYTES, OPEN_PROJECTS
from mockserver.kernel.secrecy import Names
from mockserver.launch.options import (
    APP_OPTIONS,
    ClockOption,
    LogOption,
    find_unknown_variables,
    nest,
    read_clock,
    read_log,
    read_variables,
)
from mockserver.launch.streams import warn
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.edge.start_up import CannotStart

if TYPE_CHECKING:
    from mockserver.api.endpoint import Routes
    from mockserver.scenario.checking.load import Scenario
    from mockserver.server.answering.pipeline import Pipeline
    from mockserver.server.edge.app import App
    from mockserver.server.edge.starlette_app import StarletteApp
    from mockserver.state.project import Project
    from mockserver.state.world import ProjectDefaults

DEFAULT_PROJECT = "default"
"""The name of the project that exists from the start: its keys are `sk_test_default` and so on."""

DEFAULT_SCENARIO = Path(__file__).parent.parent / "scenario" / "default.yaml"
"""What a server starts with when it is given no scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppOptions:
    """The initial state of an application's world, and its log."""

    scenarios: tuple[Path, ...] = ()
    """Scenario files, or directories of them (`*.yaml`, by name); the package's default scenario if empty."""
    seed: str = "mockserver"
    clock: ClockOption = "ticking"
    strict_keys: bool = False
    """Reject test keys that are not declared."""
    log: LogOption = "none"
    """The format of the log line that is written to standard error for each request."""
    limits: RequestLimits = field(default_factory=RequestLimits)
    """How large requests may be."""
    control: ControlAccess = field(default_factory=ControlAccess)
    """Who may use the control API."""
    secret_names: tuple[str, ...] = ()
    """The names of members, headers and parameters that are secrets, besides those that are known."""
    open_projects: int = OPEN_PROJECTS
    """How many projects of undeclared keys are not put away, at least 16."""
    journal_bytes: int = JOURNAL_BYTES
    """How many bytes the journals of all projects take together."""
    otel: bool = False
    """Export spans and metrics by OpenTelemetry."""


def create_app(
    *,
    scenarios: str | Path | Iterable[str | Path] = (),
    seed: str | None = None,
    clock: str | datetime | None = None,
    strict_keys: bool | None = None,
    log: LogOption | None = None,
    limits: RequestLimits | None = None,
    control: ControlAccess | None = None,
    secret_names: Iterable[str] | None = None,
    open_projects: int | None = None,
    journal_bytes: int | None = None,
    otel: bool | None = None,
) -> "StarletteApp":
    """The mock server as a Starlette application, with a world of its own in `app.state.world`.

    - `scenarios` (`MOCKSERVER_SCENARIOS`): files for the default project, and directories of them
    - `seed` (`MOCKSERVER_SEED`): the seed of all randomness; `mockserver` unless given
    - `clock` (`MOCKSERVER_CLOCK`): `ticking` (the default), `frozen`, or a time in ISO 8601, UTC by default
    - `strict_keys` (`MOCKSERVER_STRICT_KEYS`, `true` or `false`): reject test keys that are not declared
    - `log` (`MOCKSERVER_LOG`): one line per request on standard error, `text` or `json`; `none` unless given
    - `limits`: how large requests may be (`MOCKSERVER_MAX_BODY_BYTES` and so on, one variable a member)
    - `control`: who may use the control API (`MOCKSERVER_CONTROL_TOKEN` and so on)
    - `secret_names` (`MOCKSERVER_SECRET_NAMES`): more names of members, headers and parameters with secrets
    - `open_projects` (`MOCKSERVER_OPEN_PROJECTS`): how many projects of undeclared keys are not put away
    - `journal_bytes` (`MOCKSERVER_JOURNAL_BYTES`): how many bytes the journals of all projects take together
    - `otel` (`MOCKSERVER_OTEL`): export spans and metrics by OpenTelemetry; needs `mockserver[otel]`

    Options that are not given are read from the environment, for `uvicorn --factory mockserver:create_app`.
    An option that cannot be read is a ValueError. Scenarios are loaded when the lifespan begins, or where
    there is none, before the first request is answered. CannotStart says what is wrong with one.
    """
    from mockserver.server.edge.starlette_app import StarletteApp

    paths = [scenarios] if isinstance(scenarios, str | Path) else scenarios
    time = clock.isoformat() if isinstance(clock, datetime) else clock
    given: dict[str, Any] = {
        "scenarios": tuple(Path(each) for each in paths if each != "") or None,
        "seed": seed,
        "clock": None if time is None else read_clock(time),
        "strict_keys": strict_keys,
        "log": None if log is None else read_log(log),
        "limits": limits,
        "control": control,
        "secret_names": None if secret_names is None else tuple(secret_names),
        "open_projects": open_projects,
        "journal_bytes": journal_bytes,
        "otel": otel,
    }
    return StarletteApp(build_app(replace(AppOptions(**_read_environment()), **without_none(given))))


def _read_environment() -> dict[str, Any]:
    for unknown in find_unknown_variables():
        warn(f"warning: {unknown}")
    return nest(read_variables(APP_OPTIONS))


def build_app(options: AppOptions) -> "App":
    """The application of a new world with its default project, in test and in live mode."""
    from mockserver.server.assembly import ROUTES, assemble
    from mockserver.server.edge.log import ServerLog
    from mockserver.server.edge.ticker import Ticker
    from mockserver.state.world import World

    real_ms = Ticker().real_ms
    world = World(
        options.seed,
        real_ms=real_ms,
        strict_keys=options.strict_keys,
        defaults=_project_defaults(options.clock),
        open_projects=options.open_projects,
        journal_bytes=options.journal_bytes,
    )
    project = world.create(name=DEFAULT_PROJECT)
    world.create(name=DEFAULT_PROJECT, livemode=True)
    world.note_beginning()
    app = assemble(
        world,
        log=ServerLog(options.log, ROUTES, real_ms),
        on_start=partial(_load_scenarios, project, options.scenarios),
        # A mistake in the scenarios of a user is said to every client. There is none in the package's.
        started=None if options.scenarios else project,
        limits=options.limits,
        control=options.control,
        names=Names(options.secret_names),
    )
    if options.otel:
        _export_telemetry(app)
    return app


def _export_telemetry(app: "App") -> None:
    try:
        from mockserver.server.telemetry import export_telemetry
    except ModuleNotFoundError as error:
        raise CannotStart(f"--otel needs {error.name}: pip install 'mockserver[otel]'") from None
    try:
        export_telemetry(app)
    except ValueError as error:
        raise CannotStart(f"--otel: {error}") from None


def _load_scenarios(project: "Project", paths: tuple[Path, ...], pipeline: "Pipeline") -> None:
    """Load scenario files into a project: those given, or the package's default scenario.

    A reset loads them again, and registers the project's wallet secret again.
    """
    from mockserver.scenario.reading.findings import ScenarioError
    from mockserver.scenario.running.start_up import StartUp

    try:
        scenarios = read_start_up(paths, pipeline.server.routes)
        project.seed_project = StartUp(pipeline.world, scenarios, pipeline.answer)
        project.seed_project(project)
        project.note_beginning()
    except ScenarioError as error:
        raise CannotStart(f"a scenario is refused\n{error}") from None
    except OSError as error:
        raise CannotStart(describe_unreadable(error)) from None


def read_start_up(paths: Iterable[Path], routes: "Routes") -> "list[Scenario]":
    """The scenarios of the files at paths, or the package's default scenario. ScenarioError or an OSError.

    Their sources say nothing of this machine, as they are in recordings: they are relative to the directories
    that were given, or to those of the files.
    """
    from mockserver.scenario.checking.files import read_files, scenario_files

    places = tuple(paths)
    files = scenario_files(places)
    if not files:
        places, files = (DEFAULT_SCENARIO,), [DEFAULT_SCENARIO]
    folders = [place if place.is_dir() else place.parent for place in places]

    def shorten(source: str) -> str:
        # Not `os.path.relpath`, which finds no way between two drives of Windows.
        within = (folder for folder in folders if Path(source).is_relative_to(folder))
        return min((Path(source).relative_to(folder).as_posix() for folder in within), key=len)

    return [each._replace(source=shorten(each.source)) for each in read_files(files, routes)]


def empty_directories(paths: Iterable[Path]) -> list[Path]:
    """The directories among paths that have no scenario file."""
    from mockserver.scenario.checking.files import scenario_files

    try:
        return [path for path in paths if path.is_dir() and not scenario_files([path])]
    except OSError:
        # What cannot be read keeps the server from starting, and is said then.
        return []


def _project_defaults(clock: ClockOption) -> "ProjectDefaults":
    from mockserver.state.world import ProjectDefaults

    if clock == "ticking":
        return ProjectDefaults(now_ms=None, mode="ticking")
    return ProjectDefaults() if clock == "frozen" else ProjectDefaults(now_ms=clock)


def describe_unreadable(error: OSError) -> str:
    """A sentence about a file that cannot be read."""
    return f"cannot read {error.filename}: {reason_of(error)}"


def reason_of(error: Exception) -> str:
    """The message of an OSError: the system's own, if it has one."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return str(error)
