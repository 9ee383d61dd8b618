"""The context of a request while it is answered, and its journal entry."""

from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family, family_of
from mockserver.scenario.play import Directions
from mockserver.server.render import Response
from mockserver.state.journal import Exchange
from mockserver.state.project import Project


@dataclass(slots=True)
class RequestContext:
    """A request, and what the pipeline found out about it so far."""

    request: Request
    endpoint: Endpoint | None = None
    path: dict[str, str] | None = None
    project: Project | None = None
    directions: Directions | None = None
    """The effects of scenario rules on it."""

    @property
    def family(self) -> Family:
        """The family of its path, which even an unknown path has."""
        return family_of(self.request.path)


def record(project: Project, context: RequestContext, sent: Response) -> None:
    """Write an exchange into the project's journal."""
    request, directions, journal = context.request, context.directions, project.journal
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
            directions.rule if directions is not None else None,
        )
    )
