"""YAML that is read: no line is longer than a screen is wide, whatever is in it."""

import re
import textwrap
from typing import Any

import yaml

_WIDTH = 100
_WORDS = re.compile(r"\S+\s*|\s+")
_SHORT = 60
"""A text of so many characters has room behind the name of its member."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def to_yaml(value: Any) -> str:
    """A JSON value as YAML."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH))


def comment(text: str) -> str:
    """A text as a comment."""
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, _WIDTH))


class _Dumper(yaml.SafeDumper):
    """Writes long texts in double quotes, in which YAML lets a line end anywhere."""

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        """See `yaml.emitter.Emitter`, which ends lines at spaces only."""
        self.write_indicator('"', True)
        for word in _WORDS.findall(text):
            written = [*map(_escape, word)]
            length = len("".join(written))
            if split and _SHORT > length > _WIDTH - self.column:
                self._end_line()
            for character in written:
                if split and self.column >= _WIDTH:
                    self._end_line()
                self._write(f"\\{character}" if character == " " and self.whitespace else character)
        self.write_indicator('"', False)

    def _end_line(self) -> None:
        self._write("\\")
        self.write_indent()
        # A space that begins a line is escaped, or it would be none.
        self.whitespace = True

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.column += len(text)
        self.whitespace = self.indention = False


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def _represent(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    lines = text.split("\n")
    style = "|" if len(lines) > 1 else None
    if max(map(len, lines)) > _SHORT or not all(map(str.isprintable, lines)):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent)
