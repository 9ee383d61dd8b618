"""A call of the control API, and what it may do with the server."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from mockserver.api.call import B, Call, P_co, Q
from mockserver.api.endpoint import Routes
from mockserver.scenario.running.steps import Send
from mockserver.state.world import World

RECORDING_PATH = "/_mock/recording"
"""How the paths of the control API about recordings begin: what is asked of them is not recorded."""


@dataclass(slots=True, eq=False)
class Server:
    """The server that a call of the control API came to."""

    world: World
    routes: Routes
    """The routes of all operations."""
    send: Send
    """Answers a request to the API, as if a client had sent it."""
    count_dropped: Callable[[], int]
    """Counts the lines that the log has dropped."""
    answers: Counter[int] = field(default_factory=Counter)
    """How many answers there were by the first digit of their status."""
    recordings: Any = None
    """Makes and replays recordings: the `Recordings` of the application, which is above this layer."""


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
