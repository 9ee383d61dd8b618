"""`mockserver record`."""

import argparse
from pathlib import Path

from mockserver.cli.parser import Parser, command_of, shown
from mockserver.launch.options import FREE_PORT, HOST
from mockserver.launch.serve import ServeOptions

EXAMPLE = "mockserver record --upstream https://api.example.com -- npm test"
EXIT_CODES = {
    "0": "the recording is written, and the command succeeded",
    "1..": "the command's own status; the recording is written",
    "3": "nothing is written, and an older recording stays",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("--upstream", required=True, type=shown(_upstream), metavar="URL", help="the service to record")
    add(
        "--out",
        type=Path,
        default=Path("real.jsonl"),
        metavar="FILE",
        help="the recording to write, or to replace (%(default)s)",
    )
    add("--allow-live", action="store_true", help="pass requests with a key of the live mode on, too")
    parser.add_options((HOST, FREE_PORT), ServeOptions(port=0))
    parser.add_command("what to run against it, else a signal ends it")


def _upstream(text: str) -> str:
    from mockserver.upstream.proxy import read_upstream

    return read_upstream(text)


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.upstream.recording import RecordOptions, record

    return record(options.parser.read(RecordOptions, options, file=options.out, command=command_of(options)))
