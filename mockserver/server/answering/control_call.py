"""A call of the control API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol

from mockserver import errors
from mockserver.api.call import B, Call, P_co, Q
from mockserver.api.endpoint import Routes
from mockserver.errors import ApiError
from mockserver.scenario.running.steps import Send
from mockserver.state.world import World

RECORDING_PATH = "/_mock/recording"
"""How the paths of the control API about recordings begin: what is asked of them is not recorded."""
MOST_OPENING = 64 * 1024 * 1024
"""How much of a recording a server that runs already reads: the lines before the first request."""


class RecordingStatus(NamedTuple):
    """How far a recording is."""

    active: bool
    exchanges: int
    size: int
    """In bytes."""
    failure: str | None
    """Why it has stopped by itself."""


class NextStep(Protocol):
    """What is to happen next in a replay: one of the members, or none of them."""

    @property
    def real_ms(self) -> int | None:
        """The real time from now on."""

    @property
    def advance(self) -> int | None:
        """The exchange whose request waited, and goes on."""

    @property
    def act(self) -> int | None:
        """The exchange whose answer was delayed, and whose rule acts now."""

    @property
    def tick(self) -> str | None:
        """The project whose ticking clock moves."""

    @property
    def end(self) -> bool:
        """Whether the recording ends."""


class ReplayControl(Protocol):
    """Puts the state of a recording in the place of what the server has. ApiError for what cannot be.

    A replay is a recording whose time and whose waiting requests go on by steps.
    """

    def load(self, raw: bytes, *, replace: bool) -> Mapping[str, str]:
        """Begin as a recording begins, given its first lines at least; the digests it had.

        With `replace` even if the projects are in use.
        """
        ...

    def start(self, raw: bytes, *, replace: bool) -> bytes:
        """The same for a replay; the line `begin`, with the digests that it has now."""
        ...

    def step(self, step: NextStep) -> bytes:
        """Make a step; the lines of what has happened since the last one."""
        ...

    def row(self, project_id: str, place: str) -> Any:
        """The row at a place such as `identity.users/usr_…` as recordings have it, or None."""
        ...

    def stop(self) -> None:
        """End the replay, idempotently. Time is real again, and requests that wait go on with it."""
        ...


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

    @property
    def replays(self) -> ReplayControl:
        """Loads recordings, and replays them."""
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

    @property
    def replays(self) -> ReplayControl:
        """ApiError with 503."""
        raise ApiError(errors.CONTROL_RECORDING_FAILED, reason="it is for an application")


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
