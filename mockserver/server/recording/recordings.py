"""The recording of a server: none, one that is being made, or the last one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.server.answering.pipeline import Pipeline

if TYPE_CHECKING:
    from mockserver.server.recording.file import RecordingFile
    from mockserver.server.recording.mask import Mask
    from mockserver.server.recording.recorder import Recorder
    from mockserver.server.recording.replays import Replays
    from mockserver.server.recording.stepper import Replay


class RecordingStatus(NamedTuple):
    """How far a recording is."""

    active: bool
    exchanges: int
    size: int
    """In bytes."""
    failure: str | None
    """Why it has stopped by itself."""


class Recordings:
    """Makes one recording at a time, of the whole server. ApiError for what cannot be done now.

    What makes and loads them is imported on first use: most servers never do so.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._recorder: Recorder | None = None
        self._file: RecordingFile | None = None
        self._mask: Mask | None = None
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

    def start(self, path: Path | None = None, *, masked: bool = False) -> RecordingStatus:
        """Begin a recording in a file, or in a temporary one; the one before it is gone then.

        One that is `masked` has placeholders for the secrets that clients bring along.

        ApiError with 409 while one is being made or requests wait, with 503 when the file cannot be opened.
        """
        from mockserver.server.recording.file import RecordingFile
        from mockserver.server.recording.mask import Mask
        from mockserver.server.recording.recorder import Busy, Recorder

        if self._pipeline.observer is not None:
            raise ApiError(errors.CONTROL_RECORDING)
        try:
            file = RecordingFile(path, self._end)
        except OSError as error:
            raise ApiError(errors.CONTROL_RECORDING_FAILED, reason=error.strerror or str(error)) from None
        try:
            mask = Mask(self._pipeline) if masked else None
            recorder = Recorder(self._pipeline, file, mask)
        except Busy:
            file.close()
            raise ApiError(errors.CONTROL_RECORDING_WAITS) from None
        if file.failure is not None:
            recorder.give_up()
            file.close()
            raise ApiError(errors.CONTROL_RECORDING_FAILED, reason=file.failure)
        if self._file is not None:
            self._file.close()
        self._recorder, self._file, self._mask = recorder, file, mask
        return self.status()

    def _end(self, message: str) -> None:
        """End the recording that is being made, whose file takes no more, and say so."""
        if self._recorder is not None and self._is_active:
            self._recorder.give_up()
            self._pipeline.server.on_failure(message)

    def stop(self, *, is_kept: bool = True) -> RecordingStatus:
        """End the recording, idempotently; what was recorded can still be read.

        In a masked one that is kept, a line is withheld that has a secret which came up only later.
        """
        if self._recorder is not None and self._file is not None and self._is_active:
            self._recorder.stop()
            if is_kept and self._mask is not None and self._file.withhold(self._mask.has_secret):
                self._pipeline.server.on_failure("lines of the recording were withheld: they have a secret\n")
        return self.status()

    def status(self) -> RecordingStatus:
        """How far the recording is, or the last one was."""
        if self._recorder is None or self._file is None:
            return RecordingStatus(False, 0, 0, None)
        file = self._file
        return RecordingStatus(self._is_active, self._recorder.exchanges, file.size, file.failure)

    def read(self) -> bytes:
        """What was recorded so far; ApiError with 404 before the first recording."""
        if self._file is None:
            raise ApiError(errors.CONTROL_NO_RECORDING)
        return self._file.read()

    def digests(self) -> Mapping[str, str]:
        """The digests of the projects that are not put away, by id."""
        from mockserver.server.recording.opening import digests

        return digests(self._pipeline.world, self._pipeline.world)

    @property
    def _is_active(self) -> bool:
        return self._recorder is not None and self._pipeline.observer is self._recorder

    def close(self, *, is_kept: bool = True) -> None:
        """End the recording and close its file."""
        self.stop(is_kept=is_kept)
        if self._file is not None:
            self._file.close()
        self._recorder = self._file = None
