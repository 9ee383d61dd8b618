"""`mockserver validate`."""

import argparse

from mockserver.cli.parser import Parser

EXAMPLE = "mockserver validate scenarios"
EXIT_CODES = {"0": "nothing is wrong", "1": "something is"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_files("a scenario file, or a directory of them")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.launch.validate import validate

    return validate(options.file)
