"""The whole state of a project, to move it to another server, or to keep it in a file."""

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.waiting import in_slices
from mockserver.server.answering.control_call import MOST_OPENING, STATE_PATH, ControlCall
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.recordings.recording import recordings_of
from mockserver.server.control.recordings.replays import LoadRecording
from mockserver.server.control.world.projects import ProjectAnswer, project_answer
from mockserver.server.recording.lines import CONTENT_TYPE

states = ControlGroup("State")


@states.operation(f"GET {STATE_PATH}", "GetState", writes=(CONTENT_TYPE,))
def get_state(call: ControlCall) -> Reply:
    """Retrieve all that a project is as JSON Lines, as a recording begins: with keys and other secrets."""
    work = recordings_of(call).state_of(call.project)
    return in_slices(work, lambda lines: Reply(lines, headers=(("content-type", CONTENT_TYPE),)))


@states.operation(
    f"PUT {STATE_PATH}",
    "PutState",
    errors.CONTROL_BAD_RECORDING,
    errors.CONTROL_SERVER_IN_USE,
    errors.CONTROL_KEY_TAKEN,
    errors.CONTROL_REPLAY,
    errors.CONTROL_RECORDING,
    reads=CONTENT_TYPE,
    max_body_bytes=MOST_OPENING,
    project_of=lambda world, request, path: world.get(path["p"]),
)
def put_state(call: ControlCall[None, LoadRecording, None]) -> ProjectAnswer:
    """Hold a project of another server as it was there. Nothing changes if anything is wrong.

    The path names it by its id. Without `replace` the answer is 409 if it is here, and was changed.
    """
    from io import BytesIO

    file, named = BytesIO(call.request.body), call.path["p"]
    recordings_of(call).replays.take_in(file, named, replace=call.query.replace)
    project = call.world.get(named)
    assert project is not None
    return project_answer(call.world, project)
