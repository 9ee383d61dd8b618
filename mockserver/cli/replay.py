"""`mockserver replay`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser, shown
from mockserver.launch.options import HOST, PORT, Option, read_limit
from mockserver.launch.serve import ServeOptions

if TYPE_CHECKING:
    from mockserver.replay.connection import Address

EXAMPLE = "mockserver replay story.jsonl --keep-going"
EXIT_CODES = {
    "0": "the same answers came",
    "1": "something differs, or with --serve a request was refused",
    "3": "the file cannot be replayed, or not against that server",
    "4": "no difference, but the file is masked and cannot be replayed to its end, or has no end",
}


_TOKEN = Option("control_token", "with --url: the control token of that server", is_secret=True)


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording, as `serve --record` writes it")
    add("--keep-going", action="store_true", help="go on after a difference, and count them")
    add("--allow-cut", action="store_true", help="exit with 0 though the recording has no end")
    add("--to", type=shown(read_limit), metavar="N", help="stop after exchange N, and serve the state")
    add("--json", action="store_true", help="report as one JSON object")
    add("--serve", action="store_true", help="answer clients from the file alone, instead of replaying it")
    add("--strict-order", action="store_true", help="with --serve: only in the order of the recording")
    add(
        "--ignore",
        action="append",
        default=[],
        type=shown(_pointer),
        metavar="POINTER",
        help="with --serve: a member of requests that may differ, such as /body/timestamp or /query/page",
    )
    add("--repeat", choices=["last"], help="with --serve: answer more of equal requests like the last one")
    add(
        "--url",
        type=shown(_address),
        metavar="URL",
        help="replay against the server there, which runs already, and leave it in the state it comes to",
    )
    add("--replace", action="store_true", help="with --url: delete its projects though they are in use")
    parser.add_options((HOST, PORT, _TOKEN), ServeOptions())


def _address(text: str) -> "Address":
    from mockserver.replay.connection import Address

    return Address(text)


def _pointer(text: str) -> tuple[str, ...]:
    from mockserver.replay.serving.matching import read_pointer

    return read_pointer(text)


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.command import ReplayOptions, replay
    from mockserver.replay.serving.matching import Matching

    if options.serve and options.url is not None:
        options.parser.error("--serve answers from the file alone: --url is another server")
    matching = Matching(options.strict_order, tuple(options.ignore), options.repeat == "last")
    return replay(options.parser.read(ReplayOptions, options, matching=matching))
