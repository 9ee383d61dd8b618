"""A call while it is being answered: what is known of it so far, and what it waits for."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import API, Family
from mockserver.api.waiting import AT_ONCE, Later, Until
from mockserver.leniencies import Leniency
from mockserver.scenario.running.active_faults import RawHeaders
from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering.render import Response
from mockserver.state.history.history import History
from mockserver.state.project import Project


@dataclass(slots=True, eq=False)
class CallInProgress:
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
    limit_headers: RawHeaders = ()
    """What the rate limits of rules tell the client."""
    hints: tuple[Leniency, ...] = ()
    """What it relied on beyond the specification."""
    history: History | None = None
    """The history of its project when it began to wait; None before."""
    generation: int = 0
    """The generation of the project's rows when it began to wait."""
    arrival: int = 0
    """The number of the event with which it arrived."""
    is_answered: bool = False
    """Whether only a delay holds its answer up."""

    @property
    def operation(self) -> str | None:
        """The id of its operation; None for a path that does not exist."""
        return None if self.endpoint is None else self.endpoint.operation

    @property
    def is_interrupted(self) -> bool:
        """Whether the rows that a call of the API waited for were replaced as a whole."""
        project = self.project
        if project is None or self.history is None or self.is_answered or not self.family.public:
            return False
        return project.generation != self.generation


@dataclass(slots=True, eq=False)
class WaitingCall:
    """A call that waits for something, or is answered in slices."""

    call: CallInProgress
    project: Project
    """The project that ends the wait."""
    steps: Later[Response]
    """What makes the answer."""
    until: Until = AT_ONCE
    """What it waits for."""
    number: int = 0
    """Its number in the recording that is being made; 0 if it is not in it."""
