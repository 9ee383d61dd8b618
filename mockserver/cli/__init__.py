"""The command line: one module a command, `main` to run it."""

import errno
import sys
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from typing import cast

from mockserver.cli.parser import Command, Parser, add_command, hint
from mockserver.launch.streams import complain, discard_output, open_missing_streams, write_any_character
from mockserver.version import __version__

COMMANDS = {
    "serve": "serve the API",
    "exec": "run a command against a server of its own",
    "validate": "check scenario files",
    "test": "play what scenario files expect",
    "record": "record a real service through a proxy",
    "compare": "play a recording of a real service against the mock, and show what differs",
    "drift": "compare a published OpenAPI document with what is served",
    "fidelity": "say what of the real service is imitated, simplified, absent or decided",
    "replay": "play a recording back",
    "diff": "show what differs between the recordings of two runs",
    "shrink": "shorten a recording",
    "export": "write a recording as a scenario, a test, an HTTP archive or a shell script",
    "mask": "copy a recording with placeholders for its secrets",
    "trace": "show what a transaction has executed",
    "schema": "print the JSON Schema of scenario files",
    "openapi": "print the OpenAPI document",
    "collection": "write a request for every operation, for Postman, Bruno or an editor",
    "keys": "print the keys of the default project, and the public import key",
    "healthcheck": "ask the server of this machine whether it is ready",
    "explore": "run a command again with one failure at a time, and show what it misses",
    "lint": "show what a client does that hurts in production",
    "probe": "send a webhook handler what it has to survive",
    "fleet": "check that a balancer keeps each project on one server",
    "mcp": "offer tools to agents, by the Model Context Protocol",
    "doctor": "look at what keeps a server or its clients from working",
    "docs": "print the documentation, and search in it",
    "completion": "print the completion of a shell",
}
"""The commands and what they do, as the help lists them. Each is a module of this package."""
_CANNOT_WRITE = (errno.ENOSPC, errno.EFBIG, errno.EIO)
"""What standard output answers that is a file: its disk is full, or it may not grow."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. Wrong arguments exit with 2, as is usual."""
    open_missing_streams()
    write_any_character()
    given = sys.argv[1:] if arguments is None else arguments
    named = [word for word in given if word in COMMANDS]
    # Only a name comes before the arguments of a command; all are listed for help and for hints.
    listed = () if [*given] == ["--version"] else COMMANDS
    parser = build_parser(named[:1] if named[:1] == [*given[:1]] else listed, named)
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
    except OSError as error:
        if error.errno not in _CANNOT_WRITE or error.filename is not None:
            raise
        discard_output()
        complain(f"cannot write: {error.strerror}")
        return 1
    return code


def build_parser(listed: Iterable[str] = COMMANDS, read: Collection[str] = COMMANDS) -> Parser:
    """The grammar of the command line: commands that are listed, and the arguments of those that are read.

    To import what all commands need takes longer than a health check.
    """
    parser = Parser(
        prog="mockserver",
        description="A test double of a wallet API.",
        epilog="Each command has an example and its exit codes: mockserver COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"mockserver {__version__}")
    parser.set_defaults(build_whole=build_parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in listed:
        if name in read:
            add_command(commands, name, COMMANDS[name], load_command(name))
        else:
            commands.add_parser(name, help=COMMANDS[name])
    return parser


def load_command(name: str) -> Command:
    """The module of a command."""
    return cast(Command, import_module(f"mockserver.cli.{name}"))
