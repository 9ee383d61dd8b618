"""`mockserver compare`."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser
from mockserver.kernel.spelling import printable
from mockserver.launch.streams import complaining, paint, show_progress

if TYPE_CHECKING:
    from mockserver.upstream.drifting import DocumentReport
    from mockserver.upstream.known import KnownDrift
    from mockserver.upstream.report import Report

EXAMPLE = "mockserver compare real.jsonl --known known.yaml"
EXIT_CODES = {
    "0": "the mock answers as the service did, but for what is known",
    "1": "there are drifts, or known ones that did not occur",
    "3": "the recording cannot be read",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording, as `record` writes it")
    add("--known", type=Path, metavar="FILE", help="known deviations, with reasons")
    add("--json", action="store_true", help="report as one JSON object")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.shrinking.run import Run, read_run
    from mockserver.server.recording.reading import BadRecording
    from mockserver.upstream.comparing import Comparison
    from mockserver.upstream.known import KnownDrifts
    from mockserver.upstream.report import Report

    report = Report(KnownDrifts(known_of(options)))
    recorded: Run | None = None
    with complaining(options.file, BadRecording), options.file.open("rb") as file:
        recorded = read_run(file)
    if recorded is None:
        return 3
    comparison = Comparison(recorded)
    with show_progress(lambda: f"exchange {comparison.number}"):
        for compared in comparison.play():
            report.add(compared)
    return show_report(report, options)


def known_of(options: argparse.Namespace) -> "tuple[KnownDrift, ...]":
    """The deviations of the file that `--known` names; a file that is wrong ends the program."""
    from mockserver.upstream.known import read_known

    parser: Parser = options.parser
    try:
        return () if options.known is None else read_known(options.known)
    except ValueError as error:
        parser.error(str(error))


def show_report(report: "Report | DocumentReport", options: argparse.Namespace) -> int:
    """Print what was compared; the exit code."""
    has_drifts = bool(report.drifts or report.known.outdated)
    if options.json:
        print(json.dumps(report.to_json()))
    else:
        *lines, last = report.lines()
        print("\n".join([*map(printable, lines), paint(last, "red" if has_drifts else "green")]))
    return int(has_drifts)
