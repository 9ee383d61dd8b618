"""`mockserver export`."""

import argparse
from pathlib import Path

from mockserver.cli.parser import Parser, shown
from mockserver.launch.options import read_limit

EXAMPLE = "mockserver export story.jsonl --to pytest --out test_story.py"
EXIT_CODES = {
    "0": "exported",
    "1": "exported, but for what is said",
    "3": "the file cannot be read or written, or not be exported like this",
}
_KINDS = ("scenario", "pytest", "vitest", "har", "curl")


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording")
    add("--to", required=True, choices=_KINDS, help="what to write")
    add("--out", type=Path, metavar="PATH", help="the file to write (standard output)")
    add("--at", type=shown(read_limit), metavar="N", help="the last exchange to export (the last one)")
    add(
        "--assert",
        dest="asserts",
        nargs="+",
        action="extend",
        default=[],
        metavar="POINTER",
        help="members of the last answer that a test asserts, such as /status (all statuses, and the codes of"
        " errors)",
    )


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.export.command import ExportOptions, export

    return export(options.parser.read(ExportOptions, options))
