"""A call of the control API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol

from mockserver import errors
from mockserver.api.call import B, Call, P_co, Q
from mockserver.api.endpoint import Routes
from mockserver.errors import ApiError
from mockserver.scenario.steps import Send
from mockserver.state.world import World


class RecordingStatus(NamedTuple):
    """How far a recording is."""

    active: bool
    exchanges: int
    size: int
    """In bytes."""
    failure: str | None
    """Why it has stopped by itself."""


class RecordingControl(Protocol):
    """Makes one recording at a time. ApiError for what cannot be done now."""

    def start(self, *, masked: bool = False) -> RecordingStatus:
        """Begin a recording in a temporary file, with placeholders for secrets if it is to be masked."""
        ...

    def stop(self) -> RecordingStatus:
        """End the recording, idempotently."""
        ...

    def status(self) -> RecordingStatus:
        """How far the recording is, or the last one was."""
        ...

    def read(self) -> bytes:
        """What was recorded so far."""
        ...

    def digests(self) -> Mapping[str, str]:
        """The digests of the projects that are not put away, by id."""
        ...


class NoRecordings:
    """The recordings of a pipeline without an application: none. See `RecordingControl`."""

    def start(self, *, masked: bool = False) -> RecordingStatus:
        """ApiError with 503."""
        raise ApiError(errors.CONTROL_RECORDING_FAILED, reason="it is for an application")

    def stop(self) -> RecordingStatus:
        """Nothing to stop."""
        return self.status()

    def status(self) -> RecordingStatus:
        """That of no recording."""
        return RecordingStatus(False, 0, 0, None)

    def read(self) -> bytes:
        """ApiError with 404."""
        raise ApiError(errors.CONTROL_NO_RECORDING)

    def digests(self) -> Mapping[str, str]:
        """None."""
        return {}


@dataclass(slots=True)
class ControlCall(Call[B, Q, P_co], Generic[B, Q, P_co]):
    """What a handler of the control API is given. The project is the one that `{p}` names, or None."""

    world: World
    routes: Routes
    """The routes of all operations."""
    send: Send
    """Answers a request to the API, as if a client had sent it."""
    answers: Mapping[int, int]
    """How many answers the server gave by the first digit of their status."""
    count_dropped: Callable[[], int]
    """Counts the lines that the log has dropped."""
    recordings: RecordingControl
