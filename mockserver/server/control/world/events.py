"""Events: what is new in a project, told to the clients that listen."""

from zlib import crc32

from typing_extensions import TypedDict

from mockserver.api.call import Parts, Reply
from mockserver.api.waiting import Until
from mockserver.api.wire import to_json
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.world.clock import ClockAnswer, clock_answer
from mockserver.state.project import Project

events = ControlGroup("Events")

_RETRY_MS = 1_000
_PAUSE_MS = 200
"""How long what happens is gathered before the next event: at most five a second."""
_SILENCE_MS = 15_000
"""After how long without an event a comment is sent, so that proxies keep the connection."""
_COMMENT = b":\n\n"
_HEADERS = (("content-type", "text/event-stream"), ("cache-control", "no-store"))


class StreamEvent(TypedDict):
    """The state of a project in numbers: a client that sees one of them grow asks for what is new."""

    generation: int
    """Grows when everything was replaced: by a reset, or by restoring a snapshot."""
    version: int
    """The number of the last event that changed rows or timers."""
    first: int
    """The number of the oldest event that the history holds; 0 when it holds none."""
    last: int
    """The number of the latest event; a call in the journal has the number of its event."""
    calls: int
    """How many calls of the API were answered."""
    dropped: int
    """How many calls the journal has dropped for later ones."""
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
def stream_events(call: ControlCall) -> Reply:
    """Send an event whenever something happened in a project, at most five a second, as `text/event-stream`.

    A client that sends the id of its last event as `Last-Event-ID` gets one at once only if it missed any.
    """
    return Reply(headers=_HEADERS, parts=_tell(call.project, call.request.headers.get("last-event-id")))


def _tell(project: Project, last_id: str | None) -> Parts:
    """Events for as long as the project is there; `last_id` is that of the last one the client has."""
    told: object = None if last_id is None or last_id != _id_of(project) else _state_of(project)

    def is_new() -> bool:
        return project.is_deleted or told != _state_of(project)

    while not project.is_deleted:
        if not is_new():
            yield Until(is_new, real_ms=_SILENCE_MS)
        if project.is_deleted:
            return
        if is_new():
            told = _state_of(project)
            data = to_json(_event(project))
            yield b"retry: %d\nid: %b\ndata: %b\n\n" % (_RETRY_MS, _id_of(project).encode(), data)
        else:
            yield _COMMENT
        # What happens meanwhile costs nothing: nothing is looked at.
        yield Until(lambda: project.is_deleted, real_ms=_PAUSE_MS)


def _state_of(project: Project) -> tuple[object, ...]:
    """What an event tells apart. Only a frozen clock's time counts: the other one always moves."""
    history, clock = project.history, project.clock
    return (
        project.generation,
        history.last_number,
        len(history),
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
    return f"{project.history.last_number}-{crc32(repr(_state_of(project)).encode()):08x}"


def _event(project: Project) -> StreamEvent:
    history = project.history
    return {
        "generation": project.generation,
        "version": history.last_change,
        "first": history.first_number if len(history) else 0,
        "last": history.last_number,
        "calls": history.calls,
        "dropped": history.dropped_since(0),
        "messages": len(project.outbox),
        "snapshots": len(project.snapshots),
        "scenarios": len(project.scenarios),
        "state": project.scenario_state,
        "clock": clock_answer(project),
    }
