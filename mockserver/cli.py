"""`mockserver serve`, `mockserver validate` and `mockserver import-key`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from mockserver.application import ClockOption, LogOption, read_clock
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.serve import ServeOptions, serve
from mockserver.streams import discard_output, open_missing_streams
from mockserver.version import __version__

_MAX_PORT = 65_535


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
        log=options.log,
        strict=options.strict,
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
    check = commands.add_parser("validate", help="check scenario files", allow_abbrev=False)
    check.add_argument(
        "file", nargs="+", type=Path, metavar="FILE", help="a scenario file, or a directory of them"
    )
    check.set_defaults(parser=check)
    key = commands.add_parser("import-key", help="print the public import key", allow_abbrev=False)
    key.set_defaults(parser=key)
    return parser


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
        type=_clock,
        metavar="CLOCK",
        help="ticking, frozen, or a time to be frozen at, such as 2026-01-31T12:00:00Z (%(default)s)",
    )
    add("--ready-file", type=Path, metavar="PATH", help="a JSON file to write when requests are answered")
    add(
        "--log",
        default=defaults.log,
        choices=get_args(LogOption),
        help="a line a request, on stderr (%(default)s)",
    )
    add("--strict", action="store_true", help="reject test keys that are not declared")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {_MAX_PORT}")
    return int(text)


def _clock(text: str) -> ClockOption:
    try:
        return read_clock(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _hint(word: str, choices: Sequence[str]) -> str:
    return did_you_mean(nearest(word.partition("=")[0], choices))
