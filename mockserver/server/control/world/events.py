"""Events: what is new in a project, told to the clients that listen."""

from dataclasses import dataclass
from zlib import crc32

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Parts, Reply
from mockserver.api.values import to_json
from mockserver.api.waiting import Until
from mockserver.errors import ApiError
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.world.clock import ClockAnswer, clock_answer
from mockserver.state.project import Project

events = ControlGroup("Events")

MOST_OF_PROJECT = 32
"""How many streams of one project there are at once: each is looked at after every request to it."""
MOST_OF_SERVER = 256
"""How many there are at once: they take time from the requests to all projects."""
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
    exchanges: int
    """How many of them the journal holds."""
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


@dataclass(slots=True, eq=False)
class Audience:
    """What the event streams of a project share: each event is made once."""

    project: Project
    streams: int = 0
    id: str = ""
    """The id of the latest event."""
    _state: object = None
    _event: bytes = b""
    _made_ms: int = 0

    def look(self) -> object:
        """The state of the project: the same object for as long as there is nothing new."""
        state = _state_of(self.project)
        if state != self._state:
            self._state, self._event = state, b""
            self.id = f"{self.project.history.last_number}-{crc32(repr(state).encode()):08x}"
        return self._state

    def event(self) -> bytes:
        """The event about that state; on a ticking clock that of this millisecond."""
        now_ms = self.project.clock.now_ms
        if not self._event or now_ms != self._made_ms:
            data = to_json(_event(self.project))
            self._event = b"retry: %d\nid: %b\ndata: %b\n\n" % (_RETRY_MS, self.id.encode(), data)
            self._made_ms = now_ms
        return self._event


@events.operation(
    "GET /events", "StreamEvents", errors.CONTROL_TOO_MANY_STREAMS, writes=("text/event-stream",)
)
def stream_events(call: ControlCall) -> Reply:
    """Send an event whenever something happened in a project, at most five a second, as `text/event-stream`.

    A client that sends the id of its last event as `Last-Event-ID` gets one at once only if it missed any.
    """
    open_streams = {project: audience.streams for project, audience in call.server.streams.items()}
    if open_streams.get(call.project, 0) >= MOST_OF_PROJECT:
        raise ApiError(errors.CONTROL_TOO_MANY_STREAMS, most=MOST_OF_PROJECT, what="project")
    if sum(open_streams.values()) >= MOST_OF_SERVER:
        raise ApiError(errors.CONTROL_TOO_MANY_STREAMS, most=MOST_OF_SERVER, what="server")
    last_id = call.request.headers.get("last-event-id")
    return Reply(headers=_HEADERS, parts=_listen(call.server.streams, call.project, last_id))


def _listen(streams: dict[Project, Audience], project: Project, last_id: str | None) -> Parts:
    """The events of a project, for which it has an audience as long as any client listens."""
    audience = streams.setdefault(project, Audience(project))
    audience.streams += 1
    try:
        yield from _tell(audience, last_id)
    finally:
        audience.streams -= 1
        if not audience.streams:
            del streams[project]


def _tell(audience: Audience, last_id: str | None) -> Parts:
    """Events for as long as the project is there; `last_id` is that of the last one the client has."""
    project = audience.project
    state = audience.look()
    told = state if last_id == audience.id else None

    def is_new() -> bool:
        return project.is_deleted or told is not audience.look()

    while not project.is_deleted:
        if not is_new():
            yield Until(is_new, real_ms=_SILENCE_MS)
        if project.is_deleted:
            return
        if is_new():
            told = audience.look()
            yield audience.event()
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


def _event(project: Project) -> StreamEvent:
    history = project.history
    return {
        "generation": project.generation,
        "version": history.last_change,
        "first": history.first_number if len(history) else 0,
        "last": history.last_number,
        "calls": history.calls,
        "exchanges": sum(event.status is not None for event in history),
        "dropped": history.dropped_since(0),
        "messages": len(project.outbox),
        "snapshots": len(project.snapshots),
        "scenarios": len(project.scenarios),
        "state": project.scenario_state,
        "clock": clock_answer(project),
    }
