"""`mockserver shrink`: the shortest run that still shows something."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from mockserver.launch.streams import complain, complaining, show_progress
from mockserver.replay.player import Player
from mockserver.replay.shrinking.analysis import analyse
from mockserver.replay.shrinking.conditions import BadCondition, NotShown, find_condition
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.shrinking.shrinker import OutOfTime, Shrinker, make_again
from mockserver.replay.targets import InProcess
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.file import RecordingFile, refuse_overwriting
from mockserver.server.recording.reading import BadRecording

SHRUNK, NOT_SHOWN, BAD_ARGUMENTS, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: shrunk and verified; the run does not show it; the arguments are wrong; the file cannot be
read; interrupted, with the best so far written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkOptions:
    """The options of `shrink`."""

    file: Path
    condition: str | None
    """What stays true; None for the last answer that is an error."""
    out: Path | None
    """None for one beside the file."""
    budget_ms: int
    """How long to try, in real time."""

    @property
    def target(self) -> Path:
        """The file that is written."""
        return self.out or self.file.with_name(f"{self.file.stem}.shrunk.jsonl")


def shrink(options: ShrinkOptions) -> int:
    """Shorten a recording; the exit code."""
    with complaining(options.file, BadRecording):
        with options.file.open("rb") as file:
            folder = options.target.parent
            if not folder.is_dir():
                # Said before the work, which may take minutes.
                raise NotADirectoryError(None, f"there is no directory {folder}", str(options.target))
            refuse_overwriting(options.file, options.target)
            run = read_run(file)
        try:
            return _shrink(options, run)
        except BadCondition as error:
            complain(f"--while: {error}")
            return BAD_ARGUMENTS
        except NotShown as error:
            complain(f"{options.file}: {error}")
            return NOT_SHOWN
    return REFUSED


def _shrink(options: ShrinkOptions, run: Run) -> int:
    ticker = Ticker()
    ends_ms = ticker.real_ms() + options.budget_ms
    shrinker = make_shrinker(run, options.condition, lambda: ticker.real_ms() > ends_ms)
    code, note = SHRUNK, ""
    try:
        with show_progress(lambda: f"{len(shrinker.kept)} exchanges left, {shrinker.attempts} attempts"):
            shrinker.shrink()
    except OutOfTime:
        note = "; the budget is used up, a shorter one may be found with a larger --budget"
    except KeyboardInterrupt:
        code, note = INTERRUPTED, "; interrupted, this is the best so far"
    write(shrinker, options.target)
    counts = f"{len(run.requests())} exchanges, {len(shrinker.kept)} are left"
    print(f"{shrinker.condition}\n{counts} after {shrinker.attempts} attempts{note}\n{options.target}")
    return code


def make_shrinker(run: Run, text: str | None, is_late: Callable[[], bool]) -> Shrinker:
    """What shortens a run while the condition of a text holds; BadCondition, NotShown."""
    analysis = analyse(run)
    made = make_again(run, analysis.requests)
    now = {number: exchange.answer for number, exchange in made.items() if exchange.answer is not None}
    condition = find_condition(text, run, now, analysis.table)
    return Shrinker(run, analysis, condition, is_late)


def write(shrinker: Shrinker, path: Path | None) -> bytes:
    """Write the best run as a recording, and verify that it shows the condition and replays; its bytes.

    Without a path it is in no file afterwards.
    """
    failures: list[str] = []
    file = RecordingFile(path, failures.append)
    try:
        made = shrinker.record(file)
        recorded = file.read()
    finally:
        file.close()
    if failures:
        raise OSError(None, failures[0].strip(), path and str(path))
    differing = list(Player(BytesIO(recorded), InProcess()).play())
    if differing or not shrinker.shows_it(made):
        raise AssertionError("the shortened run does not repeat")
    return recorded
