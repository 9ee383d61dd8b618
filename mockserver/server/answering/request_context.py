"""What is known of a request while it is being answered."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import API, Family
from mockserver.leniencies import Leniency
from mockserver.scenario.running.effects import Headers, RuleEffects
from mockserver.state.journal import Journal
from mockserver.state.project import Project
from mockserver.state.row_changes import ChangeNotes, Changes


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
    journal: Journal | None = None
    """The journal of a request that waits, as it was when the wait began; None for the project's."""
    generation: int = 0
    """The generation of the project's rows when the wait began."""
    hints: tuple[Leniency, ...] = ()
    """What it relied on beyond the specification."""
    arrival: int = 0
    """Its number in the journal by arrival, when its answer comes later."""
    changes: ChangeNotes | Changes | None = None
    """What it changed so far."""
    began_ms: int | None = None
    """What the clock of its project showed when it arrived; None for a request that names no endpoint."""
