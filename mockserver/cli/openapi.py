"""`mockserver openapi`."""

import argparse
import json

from mockserver.cli.parser import Parser

EXAMPLE = "mockserver openapi --api control > control.json"
EXIT_CODES = {"0": "it is printed"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument(
        "--api", choices=("public", "control"), default="public", help="which API is described (%(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.server.assembly import ROUTES
    from mockserver.server.openapi import document

    described = document(ROUTES.endpoints, options.api == "control")
    print(json.dumps(described, indent=2, ensure_ascii=False))
    return 0
