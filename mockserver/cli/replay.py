"""`mockserver replay`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser, shown
from mockserver.options import HOST, PORT, read_limit
from mockserver.serve import ServeOptions

if TYPE_CHECKING:
    from mockserver.replay.command import ReplayOptions

HELP = "play a recording back"
EXAMPLE = "mockserver replay story.jsonl --keep-going"
EXIT_CODES = {
    "0": "the same answers came",
    "1": "something differs",
    "3": "the file cannot be replayed",
    "4": "the file is masked, and cannot be replayed to its end",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording, as `serve --record` writes it")
    add("--keep-going", action="store_true", help="go on after a difference, and count them")
    add("--to", type=shown(read_limit), metavar="N", help="stop after exchange N, and serve the state")
    add("--json", action="store_true", help="report as one JSON object")
    parser.add_options((HOST, PORT), ServeOptions())


def replay_options(options: argparse.Namespace) -> "ReplayOptions":
    """The options of `replay`, from parsed arguments."""
    from mockserver.replay.command import ReplayOptions

    chosen = options.parser.choose(options)
    return ReplayOptions(
        file=options.file,
        keep_going=options.keep_going,
        to=options.to,
        json=options.json,
        host=chosen["host"].value,
        port=chosen["port"].value,
    )


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.command import replay

    return replay(replay_options(options))
