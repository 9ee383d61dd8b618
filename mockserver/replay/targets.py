"""What a recording is replayed against: a server in this process, or one that is reached by HTTP."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from mockserver.replay.comparison import Difference
from mockserver.replay.loading import load
from mockserver.replay.steps import Step
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import Sink
from mockserver.server.recording.loading import Meta
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.reading import Lines
from mockserver.server.recording.replays import find_row
from mockserver.server.recording.stepper import Replay, ReplayTime
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

    CannotReplay from any method. As it is declared here, no answer is sent anywhere.
    """

    def open(self, lines: Lines) -> Opened:
        """Read what a recording begins with, and begin like that. BadRecording."""

    def make(self, step: Step) -> list[Line] | None:
        """Make a step with the real time that it read; None if its call does not wait.

        Malformed for a request that cannot have been one.
        """

    def row(self, project_id: str, place: str) -> Any:
        """The row at a place such as `identity.users/usr_…` as a JSON value, or None."""

    def check_sent(self, number: int, request: Line, recorded: Line, made: Line) -> list[Difference]:
        """What differs between an answer as it was recorded and as it arrives, of the one that was `made`."""
        return []

    def close(self) -> None:
        """Leave the server."""
        return


class InProcess(Target):
    """A server in this process, without any network. See `Target`."""

    def __init__(self, masked_copy: Sink | None = None) -> None:
        """With `masked_copy` the replay of a recording that is not masked is written there, masked."""
        self._copy = masked_copy
        self._time = ReplayTime()
        self.app: App
        self.mask: Mask | None = None
        """Masks what the replay writes as the recording is masked, or as its copy is to be."""
        self._replay: Replay

    def open(self, lines: Lines) -> Opened:
        """See `Target`."""
        meta, self.app, digests = load(lines, self._time.real_ms)
        if meta.masked or self._copy is not None:
            self.mask = Mask(self.app.pipeline, is_replay=meta.masked)
        self._replay = Replay(self.app.pipeline, self._time, self.mask, self._copy)
        *beginning, began = self._replay.take()
        return Opened(meta, digests, beginning, began)

    def make(self, step: Step) -> list[Line] | None:
        """See `Target`."""
        request = step.request and step.request.to_request()
        outcome = self._replay.make(step.n, request, tick=step.tick, real_ms=step.real_ms)
        if step.end is not None:
            self._replay.end()
        return None if step.resume and outcome is None else self._replay.take()

    def row(self, project_id: str, place: str) -> Any:
        """See `Target`."""
        return find_row(self.app.pipeline.world.get(project_id), place)

    def go_on(self, read_real_ms: Callable[[], int]) -> None:
        """Leave the world to other requests. What waits is given up, and time is real from here on."""
        self._replay.go_on(read_real_ms)
        control = self.app.pipeline.server.access
        # The token of the recorded server is not in the recording.
        self.app.pipeline.server.access = replace(control, token=None)
