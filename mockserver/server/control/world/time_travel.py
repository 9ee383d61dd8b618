"""Time travel: what happened, back to an earlier moment, a new project from there, and what differs."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.kernel import timestamps
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, ListAnswer, ListQuery, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import RowChangeAnswer
from mockserver.server.control.history.moments import (
    UNREACHABLE,
    EventAnswer,
    Moment,
    event_answer,
    events_after,
    state_at,
)
from mockserver.server.control.world.projects import (
    ProjectAnswer,
    ProjectName,
    check_keys_are_free,
    project_answer,
)
from mockserver.server.control.world.snapshots import list_differences

time_travel = ControlGroup("Time travel")


class ForkProject(ControlBody):
    """Where a project is forked."""

    at: Moment
    """The new project has the state after this event."""
    name: ProjectName | None = None
    """That of the new project, from which its keys follow; one is drawn unless given."""


class TravelBody(ControlBody):
    """Where a project goes back to."""

    to: Moment
    """The number of an event: the state after it."""


class CompareMoments(ListQuery):
    """Which moments are compared."""

    earlier: Moment
    """The number of an event: the state after it."""
    later: Moment | None = None
    """That of another one; the current state unless given."""
    unmasked: bool = False
    """Show tokens, passwords and codes too."""


class ListTimeline(ListQuery):
    """Which moments are listed, and how calls are shown."""

    after: Annotated[int, Field(ge=0)] = 0
    """Only what happened after the event with this number; everything if it is not kept any more."""
    unmasked: bool = False
    """Show keys, tokens, passwords and codes too."""


class TravelAnswer(TypedDict):
    """The moment whose state a project has again."""

    n: int
    """The number of the event."""
    now: str
    """What the clock shows."""


@time_travel.operation("GET /timeline", "ListMoments")
def list_moments(call: ControlCall[None, ListTimeline]) -> ListAnswer[EventAnswer]:
    """List the calls of the API and all else that changed a project, oldest first: the moments to go back to.

    Calls of the control API that changed nothing are left out.
    """
    query = call.query
    events = events_after(call.project, query.after)
    return list_answer(query, events, lambda event: event_answer(call, event, query.unmasked))


@time_travel.operation("POST /forks", "ForkProject", *UNREACHABLE, errors.CONTROL_KEY_TAKEN, status=201)
def fork_project(call: ControlCall[ForkProject]) -> ProjectAnswer:
    """Create a project with the state of an earlier moment of this one, and with keys of its own.

    The same requests get the same answers there, but for the project's id and keys, and how tokens begin.
    """
    project, world, body = call.project, call.world, call.body
    check_keys_are_free(world, body.name, project.livemode, ())
    state = state_at(project, body.at, "at")
    return project_answer(world, world.fork(project, state, body.at, body.name))


@time_travel.operation("POST /travel", "TravelTo", *UNREACHABLE)
def travel_to(call: ControlCall[TravelBody]) -> TravelAnswer:
    """Go back to the state of an earlier moment. The journal and the snapshots stay as they are."""
    project, number = call.project, call.body.to
    state = state_at(project, number, "to")
    project.restore(state, call.world.real_ms)
    return {"n": number, "now": timestamps.format_iso(state.circumstances.now_ms)}


@time_travel.operation("GET /differences", "CompareMoments", *UNREACHABLE)
def compare_moments(call: ControlCall[None, CompareMoments]) -> ListAnswer[RowChangeAnswer]:
    """List the rows that differ between two moments, by table."""
    project, query = call.project, call.query
    earlier = state_at(project, query.earlier, "earlier", with_rules=False)
    later = project.snapshot()
    if query.later is not None:
        later = state_at(project, query.later, "later", with_rules=False)
    return list_differences(call, earlier, later, query.unmasked)
