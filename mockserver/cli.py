"""`mockserver serve`, `replay`, `validate`, `test`, `schema` and `import-key`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

from mockserver.application import LIMITS, LogOption, read_clock, read_limit
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.serve import ServeOptions, serve
from mockserver.server.control_access import (
    ControlAccess,
    read_allowed_host,
    read_allowed_origin,
    read_control_token,
)
from mockserver.server.control_token import TOKEN_VARIABLE
from mockserver.server.limits import RequestLimits
from mockserver.streams import discard_output, open_missing_streams
from mockserver.version import __version__

if TYPE_CHECKING:
    from mockserver.replay.command import ReplayOptions

T = TypeVar("T")

_MAX_PORT = 65_535
_LIMITS = {
    "max_body_bytes": "the largest body of a request",
    "max_header_bytes": "the most that the headers of a request take together",
    "max_headers": "the most headers of a request",
    "max_url_bytes": "the longest path and query",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. Wrong arguments exit with 2, as is usual."""
    open_missing_streams()
    parser = build_parser()
    # Unknown options are reported here, because argparse does not suggest the right ones.
    options, rest = parser.parse_known_args(arguments)
    command: _Parser = options.parser
    if rest:
        command.error(f"unrecognized arguments: {' '.join(rest)}{_hint(rest[0], command.option_names())}")
    try:
        code = _run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader, such as `head`, closed the pipe.
        discard_output()
        return 1
    return code


def _run(options: argparse.Namespace) -> int:
    if options.command == "serve":
        return serve(serve_options(options))
    if options.command == "import-key":
        from mockserver.crypto.sealing import import_public_der

        print(import_public_der())
        return 0
    if options.command == "replay":
        from mockserver.replay.command import replay

        return replay(replay_options(options))
    if options.command == "schema":
        from mockserver.scenario.json_schema import schema_text
        from mockserver.server.assembly import ROUTES

        print(schema_text(ROUTES), end="")
        return 0
    if options.command == "test":
        from mockserver.play import play_files

        return play_files(options.file)
    from mockserver.validate import validate

    return validate(options.file)


def serve_options(options: argparse.Namespace) -> ServeOptions:
    """The options of `serve`, from parsed arguments."""
    return ServeOptions(
        host=options.host,
        port=options.port,
        scenarios=tuple(options.scenario),
        seed=options.seed,
        clock=options.clock,
        ready_file=options.ready_file,
        record=options.record,
        log=options.log,
        strict=options.strict,
        open_projects=options.open_projects,
        journal_bytes=options.journal_bytes,
        limits=RequestLimits(**{name: getattr(options, name) for name in LIMITS}),
        control=ControlAccess(
            token=options.control_token,
            allowed_hosts=frozenset(options.allowed_host),
            allowed_origins=frozenset(options.allowed_origin),
        ),
    )


def replay_options(options: argparse.Namespace) -> "ReplayOptions":
    """The options of `replay`, from parsed arguments."""
    from mockserver.replay.command import ReplayOptions
    from mockserver.replay.matching import Matching

    return ReplayOptions(
        file=options.file,
        keep_going=options.keep_going,
        to=options.to,
        json=options.json,
        serve=options.serve,
        matching=Matching(options.strict_order, tuple(options.ignore), options.repeat == "last"),
        host=options.host,
        port=options.port,
    )


class _Parser(argparse.ArgumentParser):
    """A parser whose errors name the nearest valid choice."""

    def option_names(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            hint = _hint(str(value), choices) or f" (one of {', '.join(choices)})"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")


def build_parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    parser = _Parser(prog="mockserver", description="A test double of a wallet API.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"mockserver {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_serve(commands.add_parser("serve", help="serve the API", allow_abbrev=False))
    _add_replay(commands.add_parser("replay", help="play a recording back", allow_abbrev=False))
    _add_files(commands.add_parser("validate", help="check scenario files", allow_abbrev=False))
    _add_files(
        commands.add_parser(
            "test",
            help="play what scenario files expect",
            epilog="exit codes: 0 all is as expected; 1 something is not; 2 a file is no scenario",
            allow_abbrev=False,
        )
    )
    schema = commands.add_parser("schema", help="print the JSON Schema of scenario files", allow_abbrev=False)
    schema.set_defaults(parser=schema)
    key = commands.add_parser("import-key", help="print the public import key", allow_abbrev=False)
    key.set_defaults(parser=key)
    return parser


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="+", type=Path, metavar="FILE", help="a scenario file, or a directory of them"
    )
    parser.set_defaults(parser=parser)


def _add_serve(parser: argparse.ArgumentParser) -> None:
    defaults = ServeOptions()
    parser.set_defaults(parser=parser)
    add = parser.add_argument
    add("--host", default=defaults.host, help="the address to listen on (%(default)s)")
    add("--port", default=defaults.port, type=_port, help="0 takes a free one (%(default)s)")
    add(
        "--scenario",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a scenario for the default project, or a directory of them, instead of the one that comes"
        " with the package; may be repeated",
    )
    add("--seed", default=defaults.seed, metavar="TEXT", help="seed of all randomness (%(default)s)")
    add(
        "--clock",
        default=defaults.clock,
        type=partial(_read, read_clock),
        metavar="CLOCK",
        help="ticking, frozen, or a time to be frozen at, such as 2026-01-31T12:00:00Z (%(default)s)",
    )
    add("--ready-file", type=Path, metavar="PATH", help="a JSON file to write when requests are answered")
    add("--record", type=Path, metavar="FILE", help="record every call in a file, which `replay` plays back")
    add(
        "--log",
        default=defaults.log,
        choices=get_args(LogOption),
        help="a line a request, on stderr (%(default)s)",
    )
    add("--strict", action="store_true", help="reject test keys that are not declared")
    _add_control_access(parser)
    _add_limits(parser, defaults)


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(parser=parser)
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a recording, as `serve --record` writes it")
    add("--keep-going", action="store_true", help="go on after a difference, and count them")
    add(
        "--to",
        type=partial(_read, read_limit),
        metavar="N",
        help="stop after exchange N, and serve the state",
    )
    add("--json", action="store_true", help="report as one JSON object")
    add("--serve", action="store_true", help="answer clients from the file alone, instead of replaying it")
    add("--strict-order", action="store_true", help="with --serve: only in the order of the recording")
    add(
        "--ignore",
        action="append",
        default=[],
        type=_pointer,
        metavar="POINTER",
        help="with --serve: a member of requests that may differ, such as /body/timestamp or /query/page",
    )
    add("--repeat", choices=["last"], help="with --serve: answer more of equal requests like the last one")
    add("--host", default="127.0.0.1", help="the address to serve at with --to or --serve (%(default)s)")
    add("--port", default=4242, type=_port, help="0 takes a free one (%(default)s)")


def _pointer(text: str) -> tuple[str, ...]:
    from mockserver.replay.matching import read_pointer

    return _read(read_pointer, text)


def _add_limits(parser: argparse.ArgumentParser, defaults: ServeOptions) -> None:
    add = partial(parser.add_argument, type=partial(_read, read_limit), metavar="N")
    add(
        "--open-projects",
        default=defaults.open_projects,
        help="how many projects of undeclared keys are held as they are; others are packed (%(default)s)",
    )
    add(
        "--journal-bytes",
        default=defaults.journal_bytes,
        help="how many bytes the journals of all projects take together (%(default)s)",
    )
    for name, meaning in _LIMITS.items():
        default = getattr(defaults.limits, name)
        add(f"--{name.replace('_', '-')}", default=default, help=f"{meaning} (%(default)s)")


def _add_control_access(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--control-token",
        default=os.environ.get(TOKEN_VARIABLE) or None,
        type=partial(_read, read_control_token),
        metavar="TEXT",
        help="what X-Mockserver-Token has to be in requests to the control API (MOCKSERVER_CONTROL_TOKEN, or"
        " else drawn if --host is not loopback)",
    )
    add(
        "--allowed-host",
        action="append",
        default=[],
        type=partial(_read, read_allowed_host),
        metavar="NAME",
        help="a host name, besides localhost, that the control API answers to; may be repeated",
    )
    add(
        "--allowed-origin",
        action="append",
        default=[],
        type=partial(_read, read_allowed_origin),
        metavar="ORIGIN",
        help="the origin of web pages that may use the control API; may be repeated",
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {_MAX_PORT}")
    return int(text)


def _read(read: Callable[[str], T], text: str) -> T:
    """What a function reads from a text; argparse shows the messages of errors of its own only."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _hint(word: str, choices: Sequence[str]) -> str:
    return did_you_mean(nearest(word.partition("=")[0], choices))
