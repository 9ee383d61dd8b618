"""What is known of a request while it is being answered."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family, family_of
from mockserver.scenario.effects import RuleEffects
from mockserver.state.project import Project


@dataclass(slots=True)
class RequestContext:
    """A request, and what was found out about it so far."""

    request: Request
    endpoint: Endpoint | None = None
    path: dict[str, str] | None = None
    project: Project | None = None
    effects: RuleEffects | None = None
    """What the rules of scenarios do to it."""

    @property
    def family(self) -> Family:
        """The family of its path, also of a path without an endpoint."""
        return family_of(self.request.path)
