"""`mockserver mask`."""

import argparse
from pathlib import Path

from mockserver.cli.parser import Parser

EXAMPLE = "mockserver mask story.jsonl masked.jsonl"
EXIT_CODES = {
    "0": "the copy is written",
    "1": "the recording replays differently: nothing is written",
    "3": "a file cannot be read or written",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording, as `serve --record` writes it")
    parser.add_argument("target", type=Path, metavar="TARGET", help="the file to write, or to replace")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.command import mask

    return mask(options.file, options.target)
