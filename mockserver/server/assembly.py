"""Assembly of a world, its operations and the ASGI application."""

from collections.abc import Callable, Iterator
from pathlib import Path

from mockserver import agents, shield
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes, declared_in
from mockserver.funding import room as funding
from mockserver.kernel.secrecy import KNOWN_NAMES, Names
from mockserver.nodes import room as nodes
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.edge.app import App
from mockserver.server.edge.log import ServerLog
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.webhooks import room as webhooks

ROOMS = (funding, nodes, shield, webhooks, agents)
"""What is plugged in above the server. Each can be taken out with its line here."""

OPERATIONS = (Path(__file__).with_name("operations.txt"), *(room.OPERATIONS for room in ROOMS))
"""Where each operation is declared, which `python docs/generate.py` writes."""

ROUTES = Routes(
    [
        declared_in(*line.split())
        for file in OPERATIONS
        for line in file.read_text(encoding="ascii").splitlines()
    ]
)
"""The paths of all operations. Like the operations themselves, they never change."""

ENDPOINTS: tuple[Endpoint, ...] = ROUTES.endpoints
"""Every operation: the API's, the control API's, the rooms'. Its module is imported when it is used."""


def assemble(
    world: World,
    *,
    log: ServerLog | None = None,
    on_start: Callable[[Pipeline], None] | None = None,
    started: Project | None = None,
    limits: RequestLimits | None = None,
    control: ControlAccess | None = None,
    names: Names = KNOWN_NAMES,
) -> App:
    """Build the application that serves a world.

    Without a log, only what goes wrong is written to standard error.

    `on_start` is called before the first request is answered, with the pipeline. If it is about the project
    `started` alone, and cannot fail, calls of other projects come before it.
    """
    log = log or ServerLog("none", ROUTES, world.read_real_ms)
    pipeline = Pipeline(
        world, ROUTES, log.write_failure, lambda: log.dropped, limits=limits, control=control, names=names
    )
    app = App(pipeline, log=log, on_start=on_start, started=started)
    app.preparations["/_mock/openapi.json"] = _prepare_document
    for room in ROOMS:
        room.plug_in(app)
    return app


def _prepare_document(request: Request) -> Iterator[None]:
    # Imported on first use: most runs never ask for a document.
    from mockserver.server.openapi import prepare

    return prepare(ENDPOINTS, "control" in request.query)
