"""A world, its operations and the edge, put together."""

import sys

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


def assemble(world: World, log: Log | None = None) -> App:
    """The application that serves a world. A failure of its own goes to standard error."""
    return App(Pipeline(world, Routes(ENDPOINTS), lambda trace: print(trace, file=sys.stderr)), log)
