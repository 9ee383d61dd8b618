"""`mockserver shrink`."""

import argparse
from pathlib import Path

from mockserver.cli.parser import Parser, shown

EXAMPLE = "mockserver shrink story.jsonl --while 'status 409 at CreateContract'"
EXIT_CODES = {
    "0": "shrunk, and verified by a replay",
    "1": "the run does not show the condition",
    "3": "the file cannot be read or written",
    "130": "interrupted; the best so far is written",
}


def read_span(text: str) -> int:
    """A time span in milliseconds, such as 90s or 5m. ValueError for anything else."""
    # Imported on first use: it takes pydantic, and few commands read a time span.
    from mockserver.scenario.grammar.parts import read_duration_ms

    return read_duration_ms(text)


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording")
    add(
        "--while",
        dest="condition",
        metavar="CONDITION",
        help="what is to stay true, such as 'status 409 at CreateTransaction', 'code invalid_json at exchange"
        " 7', '/status reverted at CreateTransaction' or 'exchange 17 differs' (the last answer that is an"
        " error)",
    )
    add("--out", type=Path, metavar="FILE", help="the shorter recording (FILE.shrunk.jsonl)")
    add(
        "--budget",
        default=60_000,
        type=shown(read_span),
        metavar="TIME",
        help="how long to try, such as 90s or 5m (60s)",
    )


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.shrinking.command import ShrinkOptions, shrink

    return shrink(options.parser.read(ShrinkOptions, options, budget_ms=options.budget))
