"""Where options come from: the command line, then the environment, then pyproject.toml, then the default."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.kernel.spelling import say_unknown
from mockserver.launch.options import APP_OPTIONS, SERVE_OPTIONS, Option, read_variables

_TABLE = "mockserver"
_MENTION = re.compile(rb"""mockserver["']?\s*(\]|\.|=[^=])""")
"""What is in each file with the table, however it is spelled."""
_ALL_NAMES = [option.name for option in (*APP_OPTIONS, *SERVE_OPTIONS)]
"""The options of all commands: a table is for all of them, and each takes its own."""


class Chosen(NamedTuple):
    """The value of an option, and where it is from."""

    option: Option
    value: Any
    default: Any
    source: str = ""
    """The flag, the variable or the file; empty for the default."""

    def __str__(self) -> str:
        default = f"default {self._show(self.default)}" if not self.option.is_secret else "not set"
        if not self.source:
            return default
        shown = "set" if self.option.is_secret else self._show(self.value)
        return f"{shown} from {self.source}; {default}"

    def _show(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list | tuple | frozenset):
            return ", ".join(map(self.option.show, value)) or "none"
        return "none" if value is None else self.option.show(value)


class Sources(NamedTuple):
    """What the environment and pyproject.toml say."""

    options: tuple[Option, ...]
    variables: Mapping[str, Any]
    file: Path | None
    """The pyproject.toml that has a table for this program."""
    table: Mapping[str, Any]

    @classmethod
    def here(cls, options: Iterable[Option]) -> "Sources":
        """Those of this process. A ValueError says what cannot be read, and where it is."""
        wanted = tuple(options)
        named = tuple(option for option in wanted if not option.is_flag_only)
        variables = read_variables(named)
        file, written = _find_table()
        table = {} if file is None else _read_table(file, written, named)
        return cls(wanted, variables, file, table)

    def choose(self, given: Mapping[str, Any], defaults: object) -> dict[str, Chosen]:
        """The value of each option: what was given, or the first source that has it."""
        return {option.name: self._choose(option, given, defaults) for option in self.options}

    def _choose(self, option: Option, given: Mapping[str, Any], defaults: object) -> Chosen:
        name, default = option.name, default_of(defaults, option.name)
        if name in given:
            value = tuple(given[name]) if option.separator else given[name]
            return Chosen(option, value, default, option.long)
        if name in self.variables:
            return Chosen(option, self.variables[name], default, option.variable)
        if name in self.table:
            return Chosen(option, self.table[name], default, str(self.file))
        return Chosen(option, default, default)


def default_of(defaults: Any, name: str) -> Any:
    """The default of an option, which is a member of the options, of their limits or of their access."""
    for holder in (defaults, getattr(defaults, "limits", None), getattr(defaults, "control", None)):
        if hasattr(holder, name):
            return getattr(holder, name)
    return None


def _find_table() -> tuple[Path | None, Mapping[str, object]]:
    """The nearest pyproject.toml with a table for this program, in the working directory or above it."""
    try:
        directory = Path.cwd()
    except OSError:
        # It was removed, and nothing is above what is nowhere.
        return None, {}
    for folder in (directory, *directory.parents):
        file = folder / "pyproject.toml"
        try:
            raw = file.read_bytes()
        except OSError:
            continue
        # Parsing TOML takes longer than all of this, and most files have no such table. In UTF-16 each letter
        # has a NUL.
        if _MENTION.search(raw.replace(b"\0", b"")):
            tool = _parse(file, raw).get("tool", {})
            if not isinstance(tool, dict) or not isinstance(tool.get(_TABLE, {}), dict):
                raise ValueError(f"{file}: tool.{_TABLE} has to be a table")
            if _TABLE in tool:
                return file, tool[_TABLE]
    return None, {}


def _parse(file: Path, raw: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(raw.decode())
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{file}: is not UTF-8 (at line {line})") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from None


def _read_table(file: Path, table: Mapping[str, object], options: tuple[Option, ...]) -> dict[str, Any]:
    known = {option.name: option for option in options}
    found = {}
    for name, value in table.items():
        if name in known:
            found[name] = _read_value(file, known[name], value)
        elif name not in _ALL_NAMES:
            raise ValueError(f"{file}: tool.{_TABLE}: {say_unknown('an option', name, _ALL_NAMES)}")
    return found


def _read_value(file: Path, option: Option, value: object) -> object:
    try:
        if option.separator:
            if not isinstance(value, list):
                raise ValueError("has to be a list")
            return tuple(_relative(file, option.read(_text_of(option, entry))) for entry in value)
        return _relative(file, option.read(_text_of(option, value)))
    except ValueError as error:
        raise ValueError(f"{file}: tool.{_TABLE}.{option.name}: {error}") from None


def _text_of(option: Option, value: object) -> str:
    """A value as a variable has it, or a flag."""
    if isinstance(value, bool) and option.is_switch:
        return str(value).lower()
    if isinstance(value, bool) or not isinstance(value, str if option.separator else str | int):
        entries = "a list of texts" if option.separator else "a text or a whole number"
        raise ValueError(f"has to be {'true or false' if option.is_switch else entries}")
    if "\0" in str(value):
        raise ValueError("has a NUL, which neither a variable nor a name of a file may have")
    return str(value)


def _relative(file: Path, value: object) -> object:
    """A value as it is meant in a file: a path is relative to its directory."""
    return file.parent / value if isinstance(value, Path) else value
