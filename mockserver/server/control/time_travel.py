"""Time travel: back to the state after an exchange, a new project from there, and what has changed since."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.bodies import ControlBody, ListAnswer, ListQuery, list_answer
from mockserver.server.control.effects import RowChangeAnswer, row_change_answer, shown_tables
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.journal import require_exchange
from mockserver.server.control.projects import (
    ProjectAnswer,
    ProjectName,
    check_keys_are_free,
    project_answer,
)
from mockserver.server.control_call import ControlCall
from mockserver.state.history import Unreachable, compare_states, rewind
from mockserver.state.project import Project, ProjectState

time_travel = ControlGroup("Time travel")

ExchangeNumber = Annotated[int, Field(ge=1, le=2**53 - 1)]
_ERRORS = (errors.CONTROL_UNKNOWN_EXCHANGE, errors.CONTROL_UNREACHABLE)


class ForkProject(ControlBody):
    """Where a project is forked."""

    at: ExchangeNumber
    """The number of an exchange in the journal: the new project has the state that it left."""
    name: ProjectName | None = None
    """That of the new project, from which its keys follow; one is drawn unless given."""


class TravelBody(ControlBody):
    """Where a project goes back to."""

    to: ExchangeNumber
    """The number of an exchange in the journal."""


class CompareMoments(ListQuery):
    """Which moments are compared."""

    earlier: ExchangeNumber
    """The number of an exchange in the journal."""
    later: ExchangeNumber | None = None
    """That of another one; the current state unless given."""
    unmasked: bool = False
    """Show tokens, passwords and codes too."""


class TravelAnswer(TypedDict):
    """The exchange whose state a project has again, and what its clock shows."""

    n: int
    now: str


@time_travel.operation("POST", "/forks", "ForkProject", *_ERRORS, errors.CONTROL_KEY_TAKEN, status=201)
def fork_project(call: ControlCall[ForkProject]) -> ProjectAnswer:
    """Create a project with the state that an exchange of this one left, and with keys of its own.

    The same requests get the same answers there, but for the project's id and keys, and how tokens begin.
    """
    project, world, number = call.project, call.world, call.body.at
    check_keys_are_free(world, call.body.name, project.livemode, ())
    state = _state_after(project, number, "at")
    return project_answer(world, world.fork(project, state, number, call.body.name))


@time_travel.operation("POST", "/travel", "TravelTo", *_ERRORS)
def travel_to(call: ControlCall[TravelBody]) -> TravelAnswer:
    """Go back to the state that an exchange left. The journal and the snapshots stay as they are."""
    state = _state_after(call.project, call.body.to, "to")
    call.project.restore(state, call.world.real_ms())
    return {"n": call.body.to, "now": timestamps.format_iso(state.clock.now_ms)}


@time_travel.operation("GET", "/differences", "CompareMoments", *_ERRORS)
def compare_moments(call: ControlCall[None, CompareMoments]) -> ListAnswer[RowChangeAnswer]:
    """List the rows that differ between the states that two exchanges left, by table."""
    project, query = call.project, call.query
    earlier = _state_after(project, query.earlier, "earlier")
    later = project.snapshot() if query.later is None else _state_after(project, query.later, "later")
    tables = shown_tables(project)
    found = [change for change in compare_states(project, earlier, later) if change.table in tables]
    return list_answer(
        query, found, lambda change: row_change_answer(tables[change.table], change, query.unmasked)
    )


def _state_after(project: Project, number: int, param: str) -> ProjectState:
    """The state that an exchange left; 404 and 409 where nothing leads back to it."""
    exchange = require_exchange(project, number, str(number), param)
    try:
        return rewind(project, exchange.moment)
    except Unreachable as error:
        raise ApiError(errors.CONTROL_UNREACHABLE, param=param, number=number, reason=str(error)) from None
