"""A call of the control API."""

from dataclasses import dataclass
from typing import Generic

from mockserver import errors
from mockserver.api.call import B, Call, P_co, Q
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.waiting import Later
from mockserver.errors import ApiError
from mockserver.server.answering.render import Response, response_of
from mockserver.server.answering.server import Server
from mockserver.state.project import Project
from mockserver.state.world import World

RECORDING_PATH = "/_mock/recording"
"""How the paths of the control API about recordings begin: what is asked of them is not recorded."""
UNRECORDED_PATHS = (RECORDING_PATH, "/_mock/mcp", "/_mock/openapi.json", "/_mock/scenario.schema.json")
"""How paths begin that are not recorded: of tools, which make calls of their own, and of long documents."""
STATE_PATH = "/state"
"""How the path of a project's state ends, which is sent as the beginning of a recording, too."""
MOST_OPENING = 64 * 1024 * 1024
"""How much of a recording a server that runs already reads: the lines before the first request."""


@dataclass(slots=True)
class ControlCall(Call[B, Q, P_co], Generic[B, Q, P_co]):
    """What a handler of the control API is given. The project is the one that `{p}` names, or None."""

    server: Server

    @property
    def world(self) -> World:
        """The projects of the server."""
        return self.server.world

    @property
    def routes(self) -> Routes:
        """The routes of all operations."""
        return self.server.routes


def wait_in_control(endpoint: Endpoint, project: Project, steps: "Later[object]") -> Later[Response]:
    """Make the response of a control operation that waits: what is there after a reset is looked at, too."""
    outcome = yield from steps
    if project.is_deleted:
        raise ApiError(errors.CONTROL_UNKNOWN_PROJECT, id=project.id)
    project.commit()
    return response_of(endpoint, outcome)
