"""Events: what is new in a project, told to the clients that listen."""

from zlib import crc32

from typing_extensions import TypedDict

from mockserver.api.call import EventStream
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.render import to_json
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.world.clock import ClockAnswer, clock_answer
from mockserver.state.project import Project

events = ControlGroup("Events")

_RETRY_MS = 1_000


class Event(TypedDict):
    """The state of a project in numbers: a client that sees one of them grow asks for what is new."""

    generation: int
    """Grows when everything was replaced: by a reset, or by restoring a snapshot."""
    version: int
    """Grows with each call that changes rows or timers."""
    first: int
    """The number of the oldest exchange that the journal holds; 0 when it holds none."""
    last: int
    """The number of the latest exchange."""
    dropped: int
    """How many exchanges the journal has dropped for later ones."""
    messages: int
    """How many messages the outbox holds."""
    snapshots: int
    """How many snapshots there are."""
    scenarios: int
    """How many scenarios are loaded."""
    state: str
    """The state that the project is in, which rules read and set."""
    clock: ClockAnswer


@events.operation("GET", "/events", "StreamEvents", writes=("text/event-stream",))
def stream_events(call: ControlCall) -> EventStream:
    """Send an event whenever something happened in a project, at most five a second, as `text/event-stream`.

    A client that sends the id of its last event as `Last-Event-ID` gets one at once only if it missed any.
    """
    return _ProjectEvents(call.project, call.request.headers.get("last-event-id")).stream()


class _ProjectEvents:
    """What a client was told of a project."""

    def __init__(self, project: Project, last_id: str | None) -> None:
        self._project = project
        self._told: object = None if last_id is None or last_id != _id_of(project) else _state_of(project)

    def stream(self) -> EventStream:
        return EventStream(self._project, self._is_new, self._is_over, self._take)

    def _is_new(self) -> bool:
        return self._told != _state_of(self._project)

    def _is_over(self) -> bool:
        return self._project.is_deleted

    def _take(self) -> bytes:
        project = self._project
        self._told = _state_of(project)
        data = to_json(_event(project))
        return b"retry: %d\nid: %b\ndata: %b\n\n" % (_RETRY_MS, _id_of(project).encode(), data)


def _state_of(project: Project) -> tuple[object, ...]:
    """What an event tells apart. Only a frozen clock's time counts: the other one always moves."""
    journal, clock = project.journal, project.clock
    return (
        project.generation,
        project.version,
        journal.last_number,
        len(journal),
        len(project.snapshots),
        tuple(loaded.id for loaded in project.scenarios),
        project.scenario_state,
        project.settings,
        clock.mode,
        clock.rate,
        clock.now_ms if clock.mode == "frozen" else None,
    )


def _id_of(project: Project) -> str:
    """A digest of what an event tells apart, by which a client that comes back is told what it missed."""
    return f"{project.journal.last_number}-{crc32(repr(_state_of(project)).encode()):08x}"


def _event(project: Project) -> Event:
    journal = project.journal
    return {
        "generation": project.generation,
        "version": project.version,
        "first": journal.last_number - len(journal) + 1 if len(journal) else 0,
        "last": journal.last_number,
        "dropped": journal.dropped_since(0),
        "messages": len(project.outbox),
        "snapshots": len(project.snapshots),
        "scenarios": len(project.scenarios),
        "state": project.scenario_state,
        "clock": clock_answer(project),
    }
