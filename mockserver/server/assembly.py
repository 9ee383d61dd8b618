"""Assembly of a world, its operations and the ASGI application."""

import sys
from collections.abc import Callable

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.resources import GROUPS
from mockserver.server import control as control_api
from mockserver.server.app import App, Log
from mockserver.server.control_access import ControlAccess
from mockserver.server.limits import RequestLimits
from mockserver.server.pipeline import Pipeline
from mockserver.state.world import World

ENDPOINTS: tuple[Endpoint, ...] = tuple(
    endpoint for group in (*GROUPS, *control_api.GROUPS) for endpoint in group
)
"""Every operation: the public API's, then the control API's."""

ROUTES = Routes(ENDPOINTS)
"""The paths of all operations. Like the operations themselves, they never change."""


def assemble(
    world: World,
    *,
    log: Log | None = None,
    on_start: Callable[[Pipeline], None] | None = None,
    limits: RequestLimits | None = None,
    control: ControlAccess | None = None,
) -> App:
    """Build the application that serves a world. Internal errors are written to standard error.

    `on_start` is called before the first request is answered, with the pipeline.
    """
    pipeline = Pipeline(
        world, ROUTES, lambda trace: print(trace, file=sys.stderr), limits=limits, control=control
    )
    return App(pipeline, log=log, on_start=on_start)
