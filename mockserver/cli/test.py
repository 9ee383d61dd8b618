"""`mockserver test`."""

import argparse

from mockserver.cli.parser import Parser

EXAMPLE = "mockserver test scenarios/rate-limits.yaml"
EXIT_CODES = {
    "0": "all is as expected",
    "1": "something is not",
    "2": "a file is no scenario, or the arguments are wrong",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_files("a scenario file, or a directory of them")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.launch.play import play_files

    return play_files(options.file)
