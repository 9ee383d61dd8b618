"""`mockserver mcp`."""

import argparse
from importlib.util import find_spec

from mockserver.cli.parser import Parser
from mockserver.launch.streams import complain

EXAMPLE = "mockserver mcp --url http://127.0.0.1:4242 --read-only"
EXIT_CODES = {"0": "the client ended the input", "3": "the package mcp is not installed"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add(
        "--url",
        metavar="URL",
        help="a server that runs already (MOCKSERVER_URL, else port 4242); its control token is read from"
        " MOCKSERVER_CONTROL_TOKEN",
    )
    add("--read-only", action="store_true", help="offer the tools that change nothing, and no others")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    if find_spec("mcp") is None:
        complain("mcp needs the package mcp: pip install 'mockserver[mcp]'")
        return 3
    from mockserver.agents.serving import serve_stdio

    serve_stdio(options.url, read_only=options.read_only)
    return 0
