"""`mockserver schema`."""

import argparse
from collections.abc import Mapping

from mockserver.cli.parser import Parser

EXAMPLE = "mockserver schema > scenario.schema.json"
EXIT_CODES: Mapping[str, str] = {}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.scenario.checking.json_schema import schema_text
    from mockserver.server.assembly import ROUTES

    print(schema_text(ROUTES), end="")
    return 0
