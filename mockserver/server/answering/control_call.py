"""A call of the control API."""

from dataclasses import dataclass
from typing import Generic

from mockserver.api.call import B, Call, P_co, Q
from mockserver.api.endpoint import Routes
from mockserver.server.answering.server import Server
from mockserver.state.world import World

RECORDING_PATH = "/_mock/recording"
"""How the paths of the control API about recordings begin: what is asked of them is not recorded."""


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
