"""A world, its operations and the edge, put together."""

import sys
from collections.abc import Callable

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.resources import GROUPS
from mockserver.server import control
from mockserver.server.app import App, Log
from mockserver.server.pipeline import Pipeline
from mockserver.state.world import World

ENDPOINTS: tuple[Endpoint, ...] = tuple(
    endpoint for group in (*GROUPS, *control.GROUPS) for endpoint in group
)
"""Every operation: the public API's, then the control API's."""


def assemble(
    world: World, *, log: Log | None = None, on_start: Callable[[Pipeline], None] | None = None
) -> App:
    """The application that serves a world. A failure of its own goes to standard error.

    `on_start` is called before the first request is answered, with the pipeline.
    """
    pipeline = Pipeline(world, Routes(ENDPOINTS), lambda trace: print(trace, file=sys.stderr))
    return App(pipeline, log=log, on_start=on_start)
