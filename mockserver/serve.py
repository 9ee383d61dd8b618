"""`mockserver serve`: a world, its default project, and a server in front of them."""

import gc
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mockserver.server.app import App
    from mockserver.state.project import Project
    from mockserver.state.world import ProjectDefaults

DEFAULT_PROJECT = "default"
"""The name of the project that `serve` opens: its keys are `sk_test_default` and so on."""

DEFAULT_SCENARIO = Path(__file__).parent / "scenario" / "default.yaml"
"""What a server starts with when it is given no scenario."""
_GC_THRESHOLD = (50_000, 20, 50)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What `serve` was asked for."""

    host: str = "127.0.0.1"
    port: int = 4242
    scenarios: tuple[Path, ...] = ()
    """Files, and directories whose `*.yaml` files are all loaded, by name; without any, the package's own."""
    seed: str = "mockserver"
    clock: Literal["ticking", "frozen"] | int = "ticking"
    """Ticking from the real time, frozen at the default moment, or frozen at so many Unix milliseconds."""
    ready_file: Path | None = None
    log: Literal["text", "json", "none"] = "text"
    strict: bool = False
    """Refuse test keys that nobody declared."""


class CannotStart(Exception):
    """Serving is impossible, for a reason that fits a line; what is wrong with a scenario follows it."""


def serve(options: ServeOptions) -> int:
    """Serve until a signal ends it. The exit code: 1 and one line when it cannot start, otherwise 0."""
    # Nothing that is made while starting is garbage, and looking for some takes a tenth of the start.
    gc.disable()
    try:
        _serve(options)
    except CannotStart as error:
        print(f"mockserver: {error}", file=sys.stderr)
        return 1
    return 0


def _serve(options: ServeOptions) -> None:
    from mockserver.announcement import announce, withdraw_ready_file
    from mockserver.server.listening import Listener, bind, url_host, url_of

    try:
        withdraw_ready_file(options.ready_file)
    except OSError as error:
        raise CannotStart(f"cannot write {options.ready_file}: {_reason(error)}") from None
    try:
        listener = bind(options.host, options.port)
    except (OSError, UnicodeError) as error:
        where = f"{url_host(options.host)}:{options.port}"
        raise CannotStart(f"cannot listen on {where}: {_reason(error)}") from None
    with listener:
        app, project, live = build(options)

        def get_ready() -> None:
            load_scenarios(app, project, options.scenarios)
            announce(url_of(listener), project, live, options.ready_file)
            gc.freeze()
            gc.set_threshold(*_GC_THRESHOLD)
            gc.enable()

        Listener(app, get_ready).run(sockets=[listener])


def build(options: ServeOptions) -> "tuple[App, Project, Project]":
    """The application of a new world, and its default project in test and in live mode, still empty."""
    from mockserver.api.endpoint import Routes
    from mockserver.server.assembly import ENDPOINTS, assemble
    from mockserver.server.request_log import request_log
    from mockserver.server.ticker import Ticker
    from mockserver.state.world import World

    real_ms = Ticker().real_ms
    world = World(options.seed, real_ms=real_ms, strict=options.strict, beginning=_beginning(options.clock))
    world.not_ready.append("The scenarios are being loaded.")
    log = None
    if options.log != "none":
        log = request_log(options.log, Routes(ENDPOINTS), real_ms, sys.stderr)
    app = assemble(world, log)
    project = world.create(name=DEFAULT_PROJECT)
    live = world.create(name=DEFAULT_PROJECT, livemode=True)
    return app, project, live


def load_scenarios(app: "App", project: "Project", paths: tuple[Path, ...]) -> None:
    """Load scenario files into a project: those that were named, or the one that comes with the package.

    They, and the project's wallet secret, are there again after a reset.
    """
    from mockserver.domain.wallets.wallet_secrets import default_secret
    from mockserver.scenario.apply import apply
    from mockserver.scenario.findings import ScenarioError
    from mockserver.scenario.load import read
    from mockserver.validate import read_text, scenario_files

    pipeline = app.pipeline
    world = pipeline.world
    try:
        files = scenario_files(paths) or [DEFAULT_SCENARIO]
        scenarios = [read(read_text(path), str(path), pipeline.routes) for path in files]

        def furnish(project: "Project") -> None:
            for scenario in scenarios:
                apply(world, project, scenario, pipeline.answer)
            default_secret(project)

        project.furnish = furnish
        furnish(project)
    except ScenarioError as error:
        raise CannotStart(f"a scenario is refused\n{error}") from None
    except OSError as error:
        raise CannotStart(f"cannot read {error.filename}: {_reason(error)}") from None
    world.not_ready.clear()


def _beginning(clock: Literal["ticking", "frozen"] | int) -> "ProjectDefaults":
    from mockserver.state.world import ProjectDefaults

    if clock == "ticking":
        return ProjectDefaults(now_ms=None, mode="ticking")
    return ProjectDefaults() if clock == "frozen" else ProjectDefaults(now_ms=clock)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return str(error)
