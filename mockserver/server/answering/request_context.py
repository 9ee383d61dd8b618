"""What is known of a request while it is being answered."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import API, Family
from mockserver.leniencies import Leniency
from mockserver.scenario.running.effects import Headers, RuleEffects
from mockserver.state.history.history import History
from mockserver.state.project import Project


@dataclass(slots=True)
class RequestContext:
    """A request, and what was found out about it so far."""

    request: Request
    endpoint: Endpoint | None = None
    family: Family = API
    """The family of its endpoint, or of its path where there is no endpoint."""
    head_size: int = 0
    """How many characters its path, its query and its headers have together."""
    path: dict[str, str] | None = None
    project: Project | None = None
    effects: RuleEffects | None = None
    """What the rules of scenarios do to it."""
    limit_headers: Headers = ()
    """What the rate limits of rules tell the client."""
    history: History | None = None
    """The history of its project when it began to wait; None before."""
    generation: int = 0
    """The generation of the project's rows when the wait began."""
    hints: tuple[Leniency, ...] = ()
    """What it relied on beyond the specification."""
    arrival: int = 0
    """The number of the event with which it arrived, when its answer comes later."""
