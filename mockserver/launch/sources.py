"""Where options come from: the command line, then the environment, then pyproject.toml, then the default."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.kernel.spelling import describe_unknown, did_you_mean
from mockserver.launch.options import APP_OPTIONS, SERVE_OPTIONS, Option, read_variables
from mockserver.launch.streams import warn

_TABLE = "mockserver"
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
        variables = read_variables(os.environ, named, warn)
        file, text = _find_table()
        table = {} if file is None else _read_table(file, text, named)
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


def _find_table() -> tuple[Path | None, str]:
    """The nearest pyproject.toml with a table for this program, in the working directory or above it."""
    try:
        directory = Path.cwd()
    except OSError:
        # It was removed, and nothing is above what is nowhere.
        return None, ""
    for folder in (directory, *directory.parents):
        file = folder / "pyproject.toml"
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        # Parsing TOML takes longer than all of this, and most files have no such table.
        if f"tool.{_TABLE}" in text:
            return file, text
    return None, ""


def _read_table(file: Path, text: str, options: tuple[Option, ...]) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(text).get("tool", {}).get(_TABLE, {})
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from None
    known = {option.name: option for option in options}
    found = {}
    for name, value in table.items():
        if name in known:
            found[name] = _read_value(file, known[name], value)
        elif name not in _ALL_NAMES:
            sentence, near = describe_unknown("an option", name, _ALL_NAMES)
            raise ValueError(f"{file}: tool.{_TABLE}: {sentence}{did_you_mean(near)}")
    return found


def _read_value(file: Path, option: Option, value: object) -> object:
    try:
        if option.separator:
            if not isinstance(value, list):
                raise ValueError("has to be a list")
            if not all(isinstance(entry, str) for entry in value):
                raise ValueError("has to be a list of texts")
            return tuple(_relative(file, option, option.read(entry)) for entry in value)
        if isinstance(value, bool):
            value = str(value).lower()
        if not isinstance(value, str | int):
            raise ValueError("has to be a text, a whole number, true or false")
        return _relative(file, option, option.read(str(value)))
    except ValueError as error:
        raise ValueError(f"{file}: tool.{_TABLE}.{option.name}: {error}") from None


def _relative(file: Path, option: Option, value: object) -> object:
    return file.parent / value if option.is_path and isinstance(value, Path) else value
