"""What all calls to a server share: its world, its operations, who may use it, and how much."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.api.call import Request, Send
from mockserver.api.endpoint import Routes
from mockserver.kernel.secrecy import Names
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.state.project import Project
from mockserver.state.world import World

if TYPE_CHECKING:
    from mockserver.leniencies import Leniency
    from mockserver.server.answering.render import Response

    AnswerMissing = Callable[[Request], tuple[Response, Leniency] | None]
    """The answer to a request of which the mock knows nothing, and a hint; None if there is none."""


@dataclass(slots=True, eq=False)
class Server:
    """The server that a call came to."""

    world: World
    routes: Routes
    """The routes of all operations."""
    send: Send
    """Answers a request to the API, as if a client had sent it."""
    on_failure: Callable[[str], None]
    """Is given the traceback of what went wrong."""
    count_dropped: Callable[[], int]
    """Counts the lines that the log has dropped."""
    limits: RequestLimits
    access: ControlAccess
    """Who may use the control API."""
    names: Names
    """The names of what is secret in free objects and unknown paths."""
    small_head_bytes: int = field(init=False)
    """So large may the path, the query and the headers together be without a look at each."""
    answers: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(10), 0))
    """How many answers there were by the first digit of their status."""
    streams: dict[Project, Any] = field(default_factory=dict)
    """What open event streams share, by project: each is an `Audience`, which is above this layer."""
    without_project: deque[tuple[str, str]] = field(default_factory=partial(deque, maxlen=20))
    """The latest calls that were refused before they had a project, such as one without a key: the id of the
    newest project then, and what was asked and answered."""
    is_ending: bool = False
    """Whether it is not ready any more: its projects go to other servers."""
    answer_missing: "AnswerMissing | None" = None
    """Answers paths that no operation has."""
    recordings: Any = None
    """Makes and replays recordings: the `Recordings` of the application, which is above this layer."""

    def __post_init__(self) -> None:
        self.small_head_bytes = min(self.limits.max_header_bytes, self.limits.max_url_bytes)
