"""`mockserver diff`."""

import argparse
from pathlib import Path

from mockserver.cli.parser import Parser
from mockserver.launch.streams import complaining, warn

EXAMPLE = "mockserver diff green.jsonl red.jsonl"
EXIT_CODES = {
    "0": "both runs are alike",
    "1": "a call differs, or is in one run only",
    "3": "a recording cannot be read",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording, such as that of a green run")
    parser.add_argument("other", type=Path, metavar="OTHER", help="the recording of another run")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.diff import find_divergences, lines_of
    from mockserver.replay.shrinking.run import read_run
    from mockserver.server.recording.reading import BadRecording

    runs = []
    for file in (options.file, options.other):
        with complaining(file, BadRecording), file.open("rb") as opened:
            runs.append(read_run(opened))
            if runs[-1].is_cut:
                warn(f"{file} has no end: more may have happened than is in it")
    if len(runs) < 2:
        return 3
    before, after = runs
    found = [*find_divergences(before, after, (str(options.file), str(options.other)))]
    print("\n".join(lines_of(found)))
    return int(bool(found))
