"""`mockserver export`: a recording as something else."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from mockserver.kernel.spelling import shorten
from mockserver.launch.streams import complain, complaining, show_progress
from mockserver.replay.export.beginning import notes_of_beginning
from mockserver.replay.export.curl import to_curl
from mockserver.replay.export.har import to_har
from mockserver.replay.export.history import SIGNED, CannotExport, Exchange, History, read_history
from mockserver.replay.export.pytest_file import Pytest
from mockserver.replay.export.runners import Runner, to_test
from mockserver.replay.export.scenario_file import to_scenario
from mockserver.replay.export.vitest_file import Vitest
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.steps import RecordedRequest
from mockserver.replay.urls import text_of
from mockserver.server.recording.file import make_private, refuse_overwriting
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.server.recording.reading import BadRecording

EXPORTED, IN_PART, REFUSED = 0, 1, 3
"""Exit codes: exported; exported, but for what is said; not exported. Wrong arguments exit with 2."""

_NO_STATE = (
    "what a real service stored is not in its recording, so no scenario gives it; --to pytest and --to vitest"
    " export the calls, and `mockserver shrink` writes a recording of this server's answers"
)

Kind = Literal["scenario", "pytest", "vitest", "har", "curl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of `export`."""

    file: Path
    to: Kind
    out: Path | None
    """None for standard output."""
    at: int | None
    """The last exchange that is exported; None for the last of the recording."""
    asserts: Sequence[str]
    """JSON pointers of the members of the last answer that a test asserts."""


class Exported(NamedTuple):
    """The bytes of an export, and what is not in it."""

    content: bytes
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What is said of other projects, which are no part of it."""


def export(options: ExportOptions) -> int:
    """Write an export; the exit code."""
    with complaining(options.file, BadRecording, CannotExport):
        if options.out is not None:
            refuse_overwriting(options.file, options.out)
        with show_progress(lambda: f"reading {options.file}"), options.file.open("rb") as file:
            run = _up_to(read_run(file), options.at)
        with show_progress(lambda: f"exporting {len(run.requests())} exchanges"):
            found = EXPORTS[options.to](run, options)
        _write(found.content, options.out)
        for note in (*found.others, *found.notes):
            complain(note)
        return IN_PART if found.notes else EXPORTED
    return REFUSED


def _up_to(run: Run, at: int | None) -> Run:
    try:
        return run if at is None else run.up_to(at)
    except IndexError:
        raise CannotExport(f"--at: there is no exchange {at}; the last is {len(run.requests())}") from None


def _write(content: bytes, out: Path | None) -> None:
    """Write a file that only its owner may read, because the secrets of a run are in it."""
    if out is None:
        sys.stdout.write(content.decode("utf-8", "surrogateescape"))
        return
    with open(out, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        make_private(file.fileno())
        file.write(content)


def _scenario(run: Run, options: ExportOptions) -> Exported:
    if run.source != "mockserver":
        raise CannotExport(_NO_STATE)
    history = read_history(run)
    found = to_scenario(history, options.file.stem)
    return Exported(found.text.encode(), found.notes, _describe_others(history))


def _test(runner: Runner, run: Run, options: ExportOptions) -> Exported:
    history = read_history(run)
    source, notes = to_test(history, runner, options.asserts), notes_of_beginning(history)
    calls = [item for item in history.items if isinstance(item, Exchange)]
    if unanswered := [str(call.number) for call in calls if call.answer is None]:
        told = shorten(", ".join(unanswered))
        notes += (f"the recording has no answer of exchange {told}: nothing of it is asserted or used",)
    if any(_has_unrepeatable(call.linked.request) for call in calls):
        notes += (f"it has secrets that were masked as {UNREPEATABLE}...: put your own in, if it fails",)
    return Exported(source.encode(), notes, _describe_others(history))


def _describe_others(history: History) -> tuple[str, ...]:
    if not history.others:
        return ()
    about = f"it is about {history.project.id}, which was called last"
    return (f"{about}; calls of others are left out ({history.others}): --at N is about that of exchange N",)


def _has_unrepeatable(request: RecordedRequest) -> bool:
    """Whether a masked request has what cannot be made again: wallet tokens can."""
    headers = tuple(header for header in request.headers if header[0].lower() != SIGNED)
    return UNREPEATABLE in text_of(request._replace(headers=headers))


EXPORTS: Mapping[Kind, Callable[[Run, ExportOptions], Exported]] = {
    "scenario": _scenario,
    "pytest": partial(_test, Pytest()),
    "vitest": partial(_test, Vitest()),
    "har": lambda run, options: Exported(to_har(run).encode()),
    "curl": lambda run, options: Exported(to_curl(run)),
}
