"""`mockserver import-key`."""

import argparse
from collections.abc import Mapping

from mockserver.cli.parser import Parser

HELP = "print the public import key"
EXAMPLE = "mockserver import-key"
EXIT_CODES: Mapping[str, str] = {}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.crypto.sealing import import_public_der

    print(import_public_der())
    return 0
