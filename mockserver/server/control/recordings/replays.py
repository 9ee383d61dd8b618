"""Loading a recording into this server, and its replay here, step by step."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.server.answering.control_call import MOST_OPENING, RECORDING_PATH, ControlCall
from mockserver.server.control.bodies import ControlBody, ControlQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.recordings.recording import recordings_of
from mockserver.server.recording.lines import CONTENT_TYPE

replays = ControlGroup("Recording", below=RECORDING_PATH)

_LOADING = (
    errors.CONTROL_BAD_RECORDING,
    errors.CONTROL_OTHER_OPTION,
    errors.CONTROL_SERVER_IN_USE,
    errors.CONTROL_REPLAY,
    errors.CONTROL_RECORDING,
    errors.CONTROL_RECORDING_WAITS,
)

Exchange = Annotated[int, Field(ge=1)]


class LoadRecording(ControlQuery):
    """What may be replaced."""

    replace: bool = False
    """Whether projects are deleted that were made or changed since the server began."""


class MakeStep(ControlBody):
    """What happens next: one of the members besides `real_ms`, or nothing."""

    real_ms: Annotated[int, Field(ge=0)] | None = None
    """The real time from now on, in milliseconds since 1970."""
    resume: Exchange | None = None
    """The exchange whose call waited, and goes on."""
    tick: str | None = None
    """The id of the project whose ticking clock moves to the real time."""
    end: bool = False
    """Whether the recording ends."""


class FindRow(ControlQuery):
    """Which row."""

    project: str
    """The id of its project."""
    row: str
    """Its table and its id, such as `identity.users/usr_…`."""


class LoadedAnswer(TypedDict):
    """What was loaded."""

    digests: dict[str, str]
    """The digests of the projects as the recording has them, by id."""


class ReplayedRowAnswer(TypedDict):
    """A row as recordings have it."""

    row: Any
    """Null where there is none."""


class StoppedAnswer(TypedDict):
    """The state after a replay."""

    digests: dict[str, str]
    """The digests of the projects, by id; those that are put away are left out."""


@replays.operation("POST /load", "LoadRecording", *_LOADING, reads=CONTENT_TYPE, max_body_bytes=MOST_OPENING)
def load_recording(call: ControlCall[None, LoadRecording, None]) -> LoadedAnswer:
    """Load the state in which a recording begins, in the place of all projects. Nothing, if any is wrong."""
    found = recordings_of(call).replays.load(call.request.body, replace=call.query.replace)
    return {"digests": dict(found)}


@replays.operation(
    "POST /replay",
    "StartReplay",
    *_LOADING,
    status=201,
    reads=CONTENT_TYPE,
    max_body_bytes=MOST_OPENING,
    writes=(CONTENT_TYPE,),
)
def start_replay(call: ControlCall[None, LoadRecording, None]) -> Reply:
    """Load it for a replay: the real time, and when waiting requests go on, are up to its steps."""
    lines = recordings_of(call).replays.start(call.request.body, replace=call.query.replace)
    return Reply(lines, status=201, headers=(("content-type", CONTENT_TYPE),))


@replays.operation("POST /replay/steps", "MakeReplayStep", errors.CONTROL_NO_REPLAY, writes=(CONTENT_TYPE,))
def make_step(call: ControlCall[MakeStep, None, None]) -> Reply:
    """Let the next step of a replay happen, and retrieve the lines of what happened since the last."""
    body = call.body
    lines = recordings_of(call).replays.step(
        real_ms=body.real_ms, resume=body.resume, tick=body.tick, end=body.end
    )
    return Reply(lines, headers=(("content-type", CONTENT_TYPE),))


@replays.operation("GET /replay/row", "GetReplayedRow", errors.CONTROL_NO_REPLAY)
def get_row(call: ControlCall[None, FindRow, None]) -> ReplayedRowAnswer:
    """Retrieve a row of a server that replays a recording, as the recording would have it."""
    return {"row": recordings_of(call).replays.row(call.query.project, call.query.row)}


@replays.operation("POST /replay/stop", "StopReplay")
def stop_replay(call: ControlCall[None, None, None]) -> StoppedAnswer:
    """End the replay. The server goes on from the state it has come to, with the real time."""
    recordings_of(call).replays.stop()
    return {"digests": dict(recordings_of(call).digests())}
