"""The recording of the server: start, stop, retrieve."""

from dataclasses import field
from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.wire import empty
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.control_call import RECORDING_PATH, ControlCall
from mockserver.server.control.bodies import ControlQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.recording.lines import CONTENT_TYPE
from mockserver.server.recording.recordings import RecordingAnswer, Recordings
from mockserver.state.project import Project
from mockserver.state.world import World

recording = ControlGroup("Recording", below=RECORDING_PATH)


class StartRecording(ControlQuery):
    """How a recording is made."""

    mask: bool = False
    """Whether placeholders stand for the secrets that clients bring along."""
    projects: list[str] = field(default_factory=empty)
    """The ids of the projects that are recorded; all that there are, and will be, unless given."""


class RecordingOf(ControlQuery):
    """Which recording is meant."""

    project: str | None = None
    """The id of a project that is recorded beside others; the recording of the server unless given."""


class DigestsAnswer(TypedDict):
    """The digests of the states of projects."""

    digests: dict[str, str]
    """By the id of the project; those that are put away are left out."""


@recording.operation("GET", "GetRecording", errors.CONTROL_NO_RECORDING, writes=(CONTENT_TYPE,))
def get_recording(call: ControlCall[None, RecordingOf, None]) -> Reply:
    """Retrieve the recording, or what there is of it so far, as JSON Lines."""
    return Reply(recordings_of(call).read(call.query.project), headers=(("content-type", CONTENT_TYPE),))


@recording.operation(
    "POST",
    "StartRecording",
    errors.CONTROL_RECORDING,
    errors.CONTROL_RECORDING_WAITS,
    errors.CONTROL_RECORDING_FAILED,
    errors.CONTROL_UNKNOWN_PROJECT,
    errors.CONTROL_INVALID,
    status=201,
)
def start_recording(call: ControlCall[None, StartRecording, None]) -> RecordingAnswer:
    """Record every call of the server, or of some projects, from now on.

    The recording begins with the state of all projects, or of these. Projects can be recorded one beside the
    other, but not beside the server.
    """
    recordings, query = recordings_of(call), call.query
    projects = [_project_of(call.world, each) for each in dict.fromkeys(query.projects)]
    return recordings.start(masked=query.mask, projects=projects)


@recording.operation("POST /stop", "StopRecording")
def stop_recording(call: ControlCall[None, RecordingOf, None]) -> RecordingAnswer:
    """End the recording. It can be retrieved until the next one is started."""
    return recordings_of(call).stop(call.query.project)


@recording.operation("GET /status", "GetRecordingStatus")
def get_recording_status(call: ControlCall[None, RecordingOf, None]) -> RecordingAnswer:
    """Retrieve how far the recording is, or the last one was."""
    return recordings_of(call).status(call.query.project)


@recording.operation("GET /digests", "GetDigests")
def get_digests(call: ControlCall[None, None, None]) -> DigestsAnswer:
    """Retrieve the digests of projects: two servers with the same digests answer alike."""
    return {"digests": dict(recordings_of(call).digests())}


def _project_of(world: World, project_id: str) -> Project:
    found = world.get(project_id)
    if found is None:
        raise ApiError(errors.CONTROL_UNKNOWN_PROJECT, param="projects", id=shorten(project_id))
    return found


def recordings_of(call: ControlCall[Any, Any, Any]) -> Recordings:
    """What makes and replays recordings."""
    recordings: Recordings = call.server.recordings
    return recordings
