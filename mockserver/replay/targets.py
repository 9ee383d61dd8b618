"""What a recording is replayed against: a server in this process, or one that is reached by HTTP."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from mockserver.replay.comparison import Difference
from mockserver.replay.loading import load
from mockserver.replay.steps import RecordedRequest, Step
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import Sink
from mockserver.server.recording.loading import Meta
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.reading import Lines
from mockserver.server.recording.replays import find_row
from mockserver.server.recording.stepper import ReplayTime, Stepper
from mockserver.state.saved.encoding import Line


class CannotReplay(Exception):
    """A recording cannot be replayed against this server, or no further. The message says why."""


class Opened(NamedTuple):
    """What a server begins with that replays a recording."""

    meta: Meta
    digests: dict[str, str]
    """The digests of the projects as they were recorded."""
    beginning: Iterable[Line]
    """The lines before `begin`, as they are masked."""
    began: Line
    """The line `begin`, as the server has it."""


class Target(Protocol):
    """A server that replays a recording, and records that: steps answer with the lines they came to.

    CannotReplay from any method.
    """

    def open(self, lines: Lines) -> Opened:
        """Read what a recording begins with, and begin like that. BadRecording."""
        ...

    def feed(self, real_ms: int) -> None:
        """Give the real time that the next step reads."""
        ...

    def ask(self, number: int, request: RecordedRequest, expected: Step | None) -> list[Line]:
        """Send a request whose outcome is expected; Malformed when it cannot have been one."""
        ...

    def advance(self, number: int) -> list[Line] | None:
        """Let a request go on that waits; None if it does not wait."""
        ...

    def act(self, number: int) -> list[Line] | None:
        """Let happen what a rule put off until after the delay of an answer; None if it is not delayed."""
        ...

    def tick(self, project_id: str) -> list[Line]:
        """Let a ticking clock show the real time."""
        ...

    def end(self) -> list[Line]:
        """End the recording."""
        ...

    def row(self, project_id: str, place: str) -> Any:
        """The row at a place such as `identity.users/usr_…` as a JSON value, or None."""
        ...

    def check_sent(self, number: int, request: Line, recorded: Line, made: Line) -> list[Difference]:
        """What differs between an answer as it was recorded and as it arrives, of the one that was `made`."""
        ...

    def close(self) -> None:
        """Leave the server."""
        ...


class InProcess:
    """A server in this process, without any network. See `Target`."""

    def __init__(self, masked_copy: Sink | None = None) -> None:
        """With `masked_copy` the replay of a recording that is not masked is written there, masked."""
        self._copy = masked_copy
        self._time = ReplayTime()
        self.app: App
        self.mask: Mask | None = None
        """Masks what the replay writes as the recording is masked, or as its copy is to be."""
        self._stepper: Stepper

    def open(self, lines: Lines) -> Opened:
        """See `Target`."""
        meta, self.app, digests = load(lines, self._time.real_ms)
        if meta.masked or self._copy is not None:
            self.mask = Mask(self.app.pipeline, is_replay=meta.masked)
        self._stepper = Stepper(self.app.pipeline, self._time, self.mask, self._copy)
        *beginning, began = self._stepper.take()
        return Opened(meta, digests, beginning, began)

    def feed(self, real_ms: int) -> None:
        """See `Target`."""
        self._time.now_ms = real_ms

    def ask(self, number: int, request: RecordedRequest, expected: Step | None) -> list[Line]:
        """See `Target`."""
        self._stepper.keep(number, self.app.pipeline.answer(request.to_request()))
        return self._stepper.take()[1:]

    def advance(self, number: int) -> list[Line] | None:
        """See `Target`."""
        return self._stepper.take() if self._stepper.advance(number) else None

    def act(self, number: int) -> list[Line] | None:
        """See `Target`."""
        return self._stepper.take() if self._stepper.act(number) else None

    def tick(self, project_id: str) -> list[Line]:
        """See `Target`."""
        self._stepper.tick(project_id)
        return self._stepper.take()

    def end(self) -> list[Line]:
        """See `Target`."""
        self._stepper.end()
        return self._stepper.take()

    def row(self, project_id: str, place: str) -> Any:
        """See `Target`."""
        return find_row(self.app.pipeline.world.get(project_id), place)

    def check_sent(self, number: int, request: Line, recorded: Line, made: Line) -> list[Difference]:
        """Nothing: no answer is sent anywhere."""
        return []

    def close(self) -> None:
        """Nothing to leave."""

    def go_on(self, read_real_ms: Callable[[], int]) -> None:
        """Leave the world to other requests. What waits is given up, and time is real from here on."""
        self._stepper.go_on(read_real_ms)
        control = self.app.pipeline.control
        # The token of the recorded server is not in the recording.
        self.app.pipeline.control = replace(control, token=None)
