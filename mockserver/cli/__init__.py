"""The command line: one module a command, `main` to run it."""

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import cast

from mockserver.cli.parser import Command, Parser, add_command, hint
from mockserver.launch.streams import discard_output, open_missing_streams
from mockserver.version import __version__

COMMANDS = (
    "serve",
    "exec",
    "validate",
    "test",
    "replay",
    "shrink",
    "export",
    "mask",
    "schema",
    "openapi",
    "collection",
    "keys",
    "healthcheck",
    "fleet",
    "doctor",
    "completion",
)
"""The commands, each a module of this package, as the help lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. Wrong arguments exit with 2, as is usual."""
    open_missing_streams()
    given = sys.argv[1:] if arguments is None else arguments
    parser = build_parser(_commands_of(given))
    # Unknown options are reported here, because argparse does not suggest the right ones.
    options, rest = parser.parse_known_args(given)
    command: Parser = options.parser
    if rest:
        command.error(f"unrecognized arguments: {' '.join(rest)}{hint(rest[0], command.option_names())}")
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, closed the pipe.
        discard_output()
        return 1
    return code


def _commands_of(arguments: Sequence[str]) -> Iterable[str]:
    """The commands whose grammar is needed: the one that is named, or all for help and for hints.

    All of them would be a sixth of what a health check costs.
    """
    first = arguments[0] if arguments else ""
    if first == "--version":
        return ()
    return (first,) if first in COMMANDS else COMMANDS


def build_parser(names: Iterable[str] = COMMANDS) -> Parser:
    """The grammar of the command line, with some commands or all."""
    parser = Parser(
        prog="mockserver",
        description="A test double of a wallet API.",
        epilog="Each command has an example and its exit codes: mockserver COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"mockserver {__version__}")
    parser.set_defaults(build_whole=build_parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names:
        add_command(commands, name, load_command(name))
    return parser


def load_command(name: str) -> Command:
    """The module of a command."""
    return cast(Command, import_module(f"mockserver.cli.{name}"))
