"""Tools about recordings: to replay one, to shorten it, and to write it as a test."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from mockserver.agents.bounds import MOST_BYTES
from mockserver.agents.context import Context, ToolError
from mockserver.replay.command import play
from mockserver.replay.export.command import EXPORTS, ExportOptions, Kind
from mockserver.replay.export.history import CannotExport
from mockserver.replay.player import Player
from mockserver.replay.shrinking.command import make_shrinker, write
from mockserver.replay.shrinking.conditions import BadCondition, NotShown
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.shrinking.shrinker import OutOfTime
from mockserver.replay.targets import InProcess
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.loading import read_heads
from mockserver.server.recording.reading import BadRecording, Lines

_BUDGET_MS = 20_000
_ENVELOPE_BYTES = 1_000


def _recording(context: Context) -> BinaryIO:
    """What was recorded. ToolError if it shows secrets. BadRecording."""
    recording = BytesIO(context.control.recording())
    meta, _ = read_heads(Lines(recording))
    if not meta.masked:
        raise ToolError("it has secrets: it was started without `mask`", "start_recording, and call again")
    recording.seek(0)
    return recording


def replay_recording(context: Context) -> object:
    """Replay what was recorded against a fresh server, and say what differs. Nothing changes on this one."""
    try:
        report = play(Player(_recording(context), InProcess()), "the recording")
    except BadRecording as error:
        raise ToolError(error, "start_recording, and make the calls again") from None
    return {"differing": report.differing, "report": [*report.lines()]}


def export_recording(context: Context, to: Kind, condition: str | None = None) -> object:
    """Write what was recorded as a test that repeats it, or as a scenario, an archive or curl commands.

    In a terminal, `mockserver export FILE --to pytest` does so with a file, such as that of a red test in CI.
    """
    options = ExportOptions(file=Path("recording.jsonl"), to=to, out=None, at=None, asserts=())
    try:
        run = read_run(_recording(context))
        found = EXPORTS[to](run if condition is None else _shorten(run, condition), options)
    except (BadRecording, BadCondition, NotShown, CannotExport) as error:
        raise ToolError(error, "stop_recording first, or name another condition") from None
    if len(found.content) > MOST_BYTES - _ENVELOPE_BYTES:
        size = f"it has {len(found.content)} bytes, too many for a tool"
        raise ToolError(size, "shorten it with `condition`, or use `mockserver export` in a terminal")
    notes = [*found.others, *found.notes]
    return {"text": found.content.decode("utf-8", "replace"), "notes": notes}


def _shorten(run: Run, condition: str) -> Run:
    """The shortest run that is found in time."""
    ticker = Ticker()
    ends_ms = ticker.real_ms() + _BUDGET_MS
    shrinker = make_shrinker(run, condition, lambda: ticker.real_ms() > ends_ms)
    with suppress(OutOfTime):
        shrinker.shrink()
    return read_run(BytesIO(write(shrinker, None)))
