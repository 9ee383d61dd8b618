"""The recording of the server: start, stop, retrieve."""

from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.server.answering.control_call import RECORDING_PATH, ControlCall
from mockserver.server.control.bodies import ControlQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.recording.recordings import Recordings, RecordingStatus

recording = ControlGroup("Recording", below=RECORDING_PATH)

CONTENT_TYPE = "application/jsonl"


class StartRecording(ControlQuery):
    """How a recording is made."""

    mask: bool = False
    """Whether placeholders stand for the secrets that clients bring along."""


class RecordingAnswer(TypedDict):
    """How far a recording is: all calls of the server since it began."""

    active: bool
    """Whether calls are being recorded."""
    exchanges: int
    """How many requests were recorded."""
    size: int
    """In bytes."""
    failure: str | None
    """Why it has stopped by itself, such as a full disk."""


class DigestsAnswer(TypedDict):
    """The digests of the states of projects."""

    digests: dict[str, str]
    """By the id of the project; those that are put away are left out."""


@recording.operation("GET", "", "GetRecording", errors.CONTROL_NO_RECORDING, writes=(CONTENT_TYPE,))
def get_recording(call: ControlCall[None, None, None]) -> Reply:
    """Retrieve the recording, or what there is of it so far, as JSON Lines."""
    return Reply(recordings_of(call).read(), headers=(("content-type", CONTENT_TYPE),))


@recording.operation(
    "POST",
    "",
    "StartRecording",
    errors.CONTROL_RECORDING,
    errors.CONTROL_RECORDING_WAITS,
    errors.CONTROL_RECORDING_FAILED,
    errors.CONTROL_INVALID,
    status=201,
)
def start_recording(call: ControlCall[None, StartRecording, None]) -> RecordingAnswer:
    """Record every call of the server from now on. The recording begins with the state of all projects."""
    return _recording_answer(recordings_of(call).start(masked=call.query.mask))


@recording.operation("POST", "/stop", "StopRecording")
def stop_recording(call: ControlCall[None, None, None]) -> RecordingAnswer:
    """End the recording. It can be retrieved until the next one is started."""
    return _recording_answer(recordings_of(call).stop())


@recording.operation("GET", "/status", "GetRecordingStatus")
def get_recording_status(call: ControlCall[None, None, None]) -> RecordingAnswer:
    """Retrieve how far the recording is, or the last one was."""
    return _recording_answer(recordings_of(call).status())


@recording.operation("GET", "/digests", "GetDigests")
def get_digests(call: ControlCall[None, None, None]) -> DigestsAnswer:
    """Retrieve the digests of projects: two servers with the same digests answer alike."""
    return {"digests": dict(recordings_of(call).digests())}


def recordings_of(call: ControlCall[Any, Any, Any]) -> Recordings:
    """What makes and replays recordings."""
    recordings: Recordings = call.server.recordings
    return recordings


def _recording_answer(status: RecordingStatus) -> RecordingAnswer:
    return {
        "active": status.active,
        "exchanges": status.exchanges,
        "size": status.size,
        "failure": status.failure,
    }
