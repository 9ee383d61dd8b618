"""The recordings of a server: one of all that it does, or one of each of its projects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver import errors
from mockserver.api.waiting import SLICE
from mockserver.errors import ApiError
from mockserver.kernel.effort import Work
from mockserver.server.answering.pipeline import Pipeline

if TYPE_CHECKING:
    from mockserver.server.recording.divided import Divided
    from mockserver.server.recording.replays import Replays
    from mockserver.server.recording.stepper import Replay
    from mockserver.state.project import Project


@dataclass(frozen=True, slots=True)
class RecordingAnswer:
    """How far a recording is: all calls of the server, or of its projects, since it began."""

    active: bool
    """Whether calls are being recorded."""
    exchanges: int
    """How many requests were recorded."""
    size: int
    """In bytes."""
    failure: str | None
    """Why it has stopped by itself, such as a full disk."""


class Recording:
    """A recording of a server, or of some of its projects: one that is being made, or that was."""

    def __init__(
        self, pipeline: Pipeline, path: Path | None, projects: "Sequence[Project]", *, masked: bool
    ) -> None:
        """Begin it in a file, or in a temporary one. ApiError if requests wait, for a file that
        fails, and where another recording answers."""
        from mockserver.server.recording.file import RecordingFile
        from mockserver.server.recording.mask import Mask
        from mockserver.server.recording.recorder import Busy, Recorder

        if pipeline.server.answer_missing is not None:
            reason = "another recording answers here (--replay-missing), which a replay would not have"
            raise ApiError(errors.CONTROL_RECORDING_FAILED, reason=reason)
        self._on_failure = pipeline.server.on_failure
        self.recorder: Recorder | None = None
        self.projects = projects
        """Those that are recorded; none for all."""
        try:
            self._file = RecordingFile(path, self._end)
        except OSError as error:
            raise ApiError(errors.CONTROL_RECORDING_FAILED, reason=error.strerror or str(error)) from None
        self._mask = Mask(pipeline) if masked else None
        try:
            self.recorder = Recorder(pipeline, self._file, self._mask, projects or None)
        except Busy:
            self._file.close()
            raise ApiError(errors.CONTROL_RECORDING_WAITS) from None
        if self._file.failure is not None:
            self.recorder.give_up()
            self._file.close()
            raise ApiError(errors.CONTROL_RECORDING_FAILED, reason=self._file.failure)

    def _end(self, message: str) -> None:
        """End it, whose file takes no more, and say so."""
        if self.recorder is not None and self.recorder.is_active:
            self.recorder.give_up()
            self._on_failure(message)

    def stop(self, *, is_kept: bool = True) -> None:
        """End it, idempotently."""
        assert self.recorder is not None
        self.recorder.stop()
        # Once, and also where it has ended by itself.
        mask, self._mask = self._mask, None
        if is_kept and mask is not None and self._file.withhold(mask.has_secret):
            self._on_failure("lines of the recording were withheld: they have a secret\n")

    def status(self) -> RecordingAnswer:
        """How far it is, or was."""
        assert self.recorder is not None
        file = self._file
        return RecordingAnswer(self.recorder.is_active, self.recorder.exchanges, file.size, file.failure)

    def read(self) -> bytes:
        """What was recorded so far."""
        return self._file.read()

    def close(self, *, is_kept: bool = True) -> None:
        """End it, and close its file; a temporary one is gone then."""
        self.stop(is_kept=is_kept)
        self._file.close()


class Recordings:
    """Makes one recording at a time, of the whole server, or one of each of its projects.

    ApiError for what cannot be done now. What makes and loads them is imported on first use: most servers
    never do so.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._made: list[Recording] = []
        self._divided: Divided | None = None
        self._replays: Replays | None = None

    @property
    def replays(self) -> "Replays":
        """Loads recordings into this server, and replays them there."""
        if self._replays is None:
            from mockserver.server.recording.replays import Replays

            self._replays = Replays(self._pipeline)
        return self._replays

    @property
    def replay(self) -> "Replay | None":
        """Says when calls go on that wait, while a recording is replayed."""
        return None if self._replays is None else self._replays.replay

    def start(
        self, path: Path | None = None, *, masked: bool = False, projects: "Sequence[Project]" = ()
    ) -> RecordingAnswer:
        """Begin a recording in a file, or in a temporary one; the one before it is gone then.

        One that is `masked` has placeholders for the secrets that clients bring along. One of some `projects`
        is made beside those of others.

        ApiError with 409 while the server or one of the projects is recorded, or their requests wait, with
        503 when the file cannot be opened.
        """
        observer, divided = self._pipeline.observer, self._divided
        if observer is not None and (not projects or observer is not divided or divided.has(projects)):
            raise ApiError(errors.CONTROL_RECORDING)
        made = Recording(self._pipeline, path, projects, masked=masked)
        self._forget(projects)
        self._made.append(made)
        if projects:
            from mockserver.server.recording.divided import Divided

            assert made.recorder is not None
            self._divided = divided or Divided(self._pipeline)
            self._divided.add(made.recorder, projects)
        return made.status()

    def _forget(self, projects: "Sequence[Project]") -> None:
        """Close recordings of what is recorded anew, and of projects that are all deleted."""
        for each in [*self._made]:
            own = each.projects
            if bool(own) == bool(projects) and all(one.is_deleted or one in projects for one in own):
                self._made.remove(each)
                self._end(each)
                each.close()

    def stop(self, project_id: str | None = None, *, is_kept: bool = True) -> RecordingAnswer:
        """End the recording, or that of a project, idempotently; what was recorded can still be read.

        In a masked one that is kept, a line is withheld that has a secret which came up only later.
        """
        found = self._find(project_id)
        if found is not None:
            found.stop(is_kept=is_kept)
            self._end(found)
        return self.status(project_id)

    def _end(self, recording: Recording) -> None:
        if self._divided is not None and recording.recorder is not None:
            self._divided.remove(recording.recorder)

    def status(self, project_id: str | None = None) -> RecordingAnswer:
        """How far the recording is, or that of a project, or how far the last one was."""
        found = self._find(project_id)
        return RecordingAnswer(False, 0, 0, None) if found is None else found.status()

    def read(self, project_id: str | None = None) -> bytes:
        """What was recorded so far; ApiError with 404 before the first recording."""
        found = self._find(project_id)
        if found is None:
            raise ApiError(errors.CONTROL_NO_RECORDING)
        return found.read()

    def _find(self, project_id: str | None) -> Recording | None:
        """The recording of a project, or of the server."""
        for each in self._made:
            ids = {project.id for project in each.projects}
            if project_id in ids or not (project_id or ids):
                return each
        return None

    def state_of(self, project: "Project") -> Work[bytes]:
        """The lines with which a recording of a project would begin now: all that it is, made in slices."""
        from mockserver.server.recording.lines import to_line
        from mockserver.server.recording.mask import Mask
        from mockserver.server.recording.opening import opening_lines
        from mockserver.state.saved.digests import LinesDigest

        # What happened since the last event, such as timers that fired, belongs to the state.
        project.record("control")
        mask, real_ms = Mask(self._pipeline, is_masked=False), self._pipeline.world.real_ms()
        lines, size, digest = [], 0, LinesDigest()
        for line in opening_lines(self._pipeline, real_ms, mask, [project]):
            if "begin" in line:
                line["begin"]["lines"] = digest.hexdigest()
            digest.add(line)
            lines.append(to_line(line))
            size += len(lines[-1])
            if size >= SLICE:
                yield
                size = 0
        return b"".join(lines)

    def digests(self) -> Mapping[str, str]:
        """The digests of the projects that are not put away, by id."""
        from mockserver.server.recording.opening import digests

        return digests(self._pipeline.world, self._pipeline.world)

    def close(self, *, is_kept: bool = True) -> None:
        """End all recordings and close their files."""
        for each in self._made:
            each.close(is_kept=is_kept)
        self._made = []
