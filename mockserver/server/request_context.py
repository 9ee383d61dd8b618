"""What is known of a request while it is being answered, and what the journal keeps of it."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family, family_of
from mockserver.scenario.effects import RuleEffects
from mockserver.server.render import Response
from mockserver.state.journal import Exchange
from mockserver.state.project import Project


@dataclass(slots=True)
class RequestContext:
    """A request, and what turned out about it so far."""

    request: Request
    endpoint: Endpoint | None = None
    path: dict[str, str] | None = None
    project: Project | None = None
    effects: RuleEffects | None = None
    """What a scenario wants of it."""

    @property
    def family(self) -> Family:
        """The family its path belongs to, which even a path has that leads nowhere."""
        return family_of(self.request.path)


def record(project: Project, context: RequestContext, sent: Response) -> None:
    """Write an exchange into the project's journal."""
    request, effects, journal = context.request, context.effects, project.journal
    journal.add(
        Exchange(
            journal.last_number + 1,
            project.clock.now_ms,
            request.method,
            request.path,
            request.query,
            context.endpoint.operation if context.endpoint else None,
            request.headers,
            request.body,
            sent.status,
            sent.headers,
            sent.body,
            effects.rule if effects is not None else None,
        )
    )
