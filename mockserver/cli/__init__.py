"""The command line: one module a command, `main` to run it."""

import sys
from collections.abc import Mapping, Sequence

from mockserver.cli import (
    collection,
    completion,
    doctor,
    export,
    healthcheck,
    keys,
    mask,
    openapi,
    replay,
    schema,
    serve,
    shrink,
    test,
    validate,
)
from mockserver.cli import exec as exec_command
from mockserver.cli.parser import Command, Parser, add_command, hint
from mockserver.streams import discard_output, open_missing_streams
from mockserver.version import __version__

COMMANDS: Mapping[str, Command] = {
    "serve": serve,
    "exec": exec_command,
    "validate": validate,
    "test": test,
    "replay": replay,
    "shrink": shrink,
    "export": export,
    "mask": mask,
    "schema": schema,
    "openapi": openapi,
    "collection": collection,
    "keys": keys,
    "healthcheck": healthcheck,
    "doctor": doctor,
    "completion": completion,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. Wrong arguments exit with 2, as is usual."""
    open_missing_streams()
    parser = build_parser()
    # Unknown options are reported here, because argparse does not suggest the right ones.
    options, rest = parser.parse_known_args(arguments)
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


def build_parser() -> Parser:
    """The grammar of the command line."""
    parser = Parser(
        prog="mockserver",
        description="A test double of a wallet API.",
        epilog="Each command has an example and its exit codes: mockserver COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"mockserver {__version__}")
    parser.set_defaults(root=parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        add_command(commands, name, command)
    return parser
