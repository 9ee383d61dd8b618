"""The parser of the command line: its errors name what is near, its help says where options come from."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from mockserver.kernel.spelling import did_you_mean, nearest

if TYPE_CHECKING:
    from mockserver.launch.options import Option
    from mockserver.launch.sources import Chosen

T = TypeVar("T")


class Command(Protocol):
    """A module of this package: one command."""

    EXAMPLE: str
    """A command line."""
    EXIT_CODES: Mapping[str, str]
    """What it answers with, besides 0 and 2, and when."""

    def add_arguments(self, parser: "Parser") -> None:
        """Declare its arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it; the exit code."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the nearest valid choice."""

    def __init__(self, **given: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **given)
        self.declared: dict[str, Option] = {}
        self._defaults_of_options: object = None

    def option_names(self) -> list[str]:
        """The options that it takes, for hints and completion."""
        return [name for action in self._actions for name in action.option_strings]

    def words(self) -> list[str]:
        """What completes a command: its options, and the choices of its arguments."""
        positional = (action for action in self._actions if not action.option_strings)
        choices = [str(choice) for action in positional for choice in action.choices or ()]
        return [*choices, *self.option_names()]

    def commands(self) -> dict[str, "Parser"]:
        """The parsers of the commands."""
        (commands,) = (action.choices for action in self._actions if isinstance(action.choices, dict))
        return commands

    def add_files(self, meaning: str) -> None:
        """Take files, at least one."""
        # Imported here: the command line is asked for its version and its help without it.
        from pathlib import Path

        self.add_argument("file", nargs="+", type=Path, metavar="FILE", help=meaning)

    def add_command(self, meaning: str) -> None:
        """Take a command line. All that follows its first word is its own, also what looks like an option."""
        self.add_argument("argv", nargs=argparse.REMAINDER, metavar="COMMAND", help=meaning)

    def read_command(self, given: argparse.Namespace) -> list[str]:
        """The command line that was given. Exits with 2 where there is none."""
        command = command_of(given)
        if not command:
            self.error("the following arguments are required: COMMAND")
        return command

    def add_options(self, options: "Iterable[Option]", defaults: object) -> None:
        """Take options whose defaults are members of an object; `choose` gives their values."""
        self._defaults_of_options = defaults
        for option in options:
            self.declared[option.name] = option
            form: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
            if not option.is_switch:
                action = "append" if option.separator else "store"
                form = {"action": action, "type": shown(option.read), "metavar": option.metavar}
            self.add_argument(
                option.long, dest=option.name, default=argparse.SUPPRESS, help=option.help, **form
            )

    def choose(self, given: argparse.Namespace) -> "dict[str, Chosen]":
        """The value of each declared option, and where it is from. Exits with 2 for one that is wrong."""
        from mockserver.launch.sources import Sources

        try:
            sources = Sources.here(self.declared.values())
        except ValueError as error:
            self.error(str(error))
        return sources.choose(vars(given), self._defaults_of_options)

    def read(self, kind: Any, given: argparse.Namespace, **members: object) -> Any:
        """What a command works with: a dataclass of its arguments and options, and of these members."""
        from dataclasses import fields

        chosen = {name: each.value for name, each in self.choose(given).items()} if self.declared else {}
        named = {**vars(given), **chosen, **members}
        return kind(**{each.name: named[each.name] for each in fields(kind)})

    def format_help(self) -> str:
        """See `argparse`."""
        if self.declared:
            chosen = self.choose(argparse.Namespace())
            for action in self._actions:
                option = self.declared.get(action.dest)
                if option is not None:
                    several = "; may be repeated" if option.separator else ""
                    action.help = f"{option.help}{several} ({chosen[action.dest]})".replace("%", "%%")
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """See `argparse`. Its usage would be twenty lines before what is wrong."""
        self.exit(2, f"{self.prog}: {message}\n{self.prog} --help says what it takes\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            told = hint(str(value), choices) or f" (one of {', '.join(choices)})"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{told}")


def command_of(given: argparse.Namespace) -> list[str]:
    """The command line that was given, without the `--` that may stand before it."""
    words: list[str] = given.argv
    return words[1:] if words[:1] == ["--"] else words


def shown(read: Callable[[str], T]) -> Callable[[str], T]:
    """A reader whose ValueErrors argparse shows: it does so for errors of its own only."""

    def convert(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def hint(word: str, choices: Sequence[str]) -> str:
    """The nearest choice, for the end of a message. The dashes of options do not make them alike."""
    by_name = {choice.lstrip("-"): choice for choice in choices}
    near = nearest(word.partition("=")[0].lstrip("-"), by_name)
    return did_you_mean(near and by_name[near])


def add_command(commands: Any, name: str, purpose: str, command: Command) -> None:
    """Add a command with its help, its example and its exit codes."""
    codes = {"0": "it did what it says", "2": "the arguments are wrong", **command.EXIT_CODES}
    ordered = sorted(codes.items(), key=lambda row: int(row[0].partition("+")[0].strip(".")))
    lines = [f"  {code:<7} {meaning}" for code, meaning in ordered]
    parser = commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog="\n".join(["example:", f"  {command.EXAMPLE}", "", "exit codes:", *lines]),
    )
    command.add_arguments(parser)
    parser.set_defaults(parser=parser, run=command.run)
