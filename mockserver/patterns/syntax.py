"""Expressions of RE2, written as those of Rust's crate `regex`, which is in pydantic and as safe.

In RE2 `\\b`, `\\d`, `\\s` and `\\w` are about ASCII, and `&&` and `[` mean nothing in a class; the crate has
more assertions and repetitions. Not supported is `\\C`, a byte that need be no character, and `\\B` matches
between characters only. Source: RE2, "Syntax"; `regex`, "Syntax".
"""

import re

from mockserver.kernel.spelling import shorten

_CHARACTER = r"""
    \\x[0-9A-Fa-f]{2} | \\x\{[0-9A-Fa-f]{1,6}\} | \\0[0-7]{0,2} | \\[1-7][0-7]{1,2} | \\[afnrtv]
  | \\[^0-9A-Za-z\x80-\U0010FFFF]
"""
_CLASS_ESCAPE = r"""
    (?P<perl>\\[dDsSwW]) | \\(?P<sign>[pP])(?:(?P<letter>[A-Z])|\{(?P<not>\^?)(?P<name>\w+)\})
"""
_POSIX = "alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit"
_FLAGS = r"(?:[imsU]+(?:-[imsU]+)?|-[imsU]+)"
_TOKEN = re.compile(
    rf"""
    \\Q(?P<quoted>.*?)(?:\\E|\Z)
  | (?P<open>\((?:\?P?<\w+>|(?P<flags>\?{_FLAGS}?:)|(?!\?)))
  | (?P<set>\(\?{_FLAGS}\))
  | (?P<close>\))
  | (?P<bar>\|)
  | (?P<repeat>(?:[*+?]|\{{(?P<least>\d+)(?P<range>,(?P<most>\d*))?\}})\??)
  | (?P<class>\[\^?)
  | (?P<assertion>\\[AbBz]|[\^$])
  | (?P<any>\.)
  | {_CLASS_ESCAPE}
  | (?P<character>{_CHARACTER}|[^\\(])
    """,
    re.VERBOSE | re.DOTALL,
)
_MEMBER = re.compile(
    rf"""
    (?P<posix>\[:\^?(?:{_POSIX}):\])
  | (?P<unknown>\[:\^?[a-z]+:\])
  | {_CLASS_ESCAPE}
  | (?P<low>{_CHARACTER}|[^\\])(?:-(?!\])(?P<high>{_CHARACTER}|[^\\])|(?!-[^\]]))
    """,
    re.VERBOSE | re.DOTALL,
)
_PERL = {
    "d": "[:digit:]",
    "D": "[:^digit:]",
    "s": r"\t\n\x0C\r\x20",
    "S": r"[^\t\n\x0C\r\x20]",
    "w": "[:word:]",
    "W": "[:^word:]",
}
_ASSERTIONS = {r"\b": r"(?-u:\b)", r"\B": r"(?-u:\B)"}
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MOST_REPEATED = 1_000
_MOST_OF_CLASS = 1_500
"""Instructions: what a class has grows by less than its members, which begin with the same bytes."""
_ANY = 10
"""Instructions: the bytes of any character."""
_SIZES = {"C": 100, "L": 1_200, "M": 600, "N": 250, "P": 350, "S": 450}
"""Instructions of the larger categories, by their first letter."""


class PatternError(ValueError):
    """The pattern is not one that RE2 reads, or it is too large."""


def translate(pattern: str) -> tuple[str, int]:
    """The expression of Rust's crate, and about how many instructions RE2 has for it. PatternError."""
    reader = _Reader(pattern)
    while reader.place < len(pattern):
        reader.read()
    if reader.outer:
        raise _wrong("missing )", pattern)
    return "".join(reader.written), reader.size


class _Reader:
    """Reads a pattern token by token, and writes each."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0
        self.written: list[str] = []
        self.size = 4
        self.outer: list[int] = []
        """For each group that is open, the instructions before it."""
        self._last: int | None = None
        """The instructions of what can be repeated."""
        self._repeated = ""
        """The repetition before this place."""

    def read(self) -> None:
        """Read the next token. PatternError."""
        token = _TOKEN.match(self.pattern, self.place)
        if token is None:
            raise _explain(self.pattern[self.place :])
        self.place, repeated, self._repeated = token.end(), self._repeated, ""
        if token["repeat"]:
            self._repeat(token, repeated)
        elif token["open"]:
            self.outer.append(self.size)
            self.size, self._last = 0, None
            self.written.append(f"({token['flags'] or '?:'}")
        elif token["close"]:
            if not self.outer:
                raise _wrong("unexpected )", self.pattern)
            self._add(")", self.size, self.outer.pop() + self.size)
        elif token["bar"] or token["set"]:
            self.size, self._last = self.size + 1, None
            self.written.append(token[0])
        elif token["class"]:
            self._read_class(token)
        elif token["any"]:
            self._add(".", _ANY)
        elif token["assertion"]:
            self._add(_ASSERTIONS.get(token[0], token[0]), 1)
        elif token["character"]:
            self._add_character(_read_character(token[0]))
        elif token["quoted"] is not None:
            for character in token["quoted"]:
                self._add_character(character)
        else:
            written, size = _write_class_escape(token)
            self._add(f"[{written}]", size)

    def _add(self, written: str, size: int, total: int | None = None) -> None:
        self.written.append(written)
        self.size = self.size + size if total is None else total
        self._last = size

    def _add_character(self, character: str) -> None:
        self._add(_write(character), len(character.encode("utf-8", "replace")))

    def _repeat(self, token: re.Match[str], repeated: str) -> None:
        operator, last = token["repeat"], self._last
        if repeated:
            raise _wrong("bad repetition operator", repeated + operator)
        if last is None:
            raise _wrong("no argument for repetition operator", operator)
        least = int(token["least"] or 0)
        most = int(token["most"] or least) if token["most"] or not token["range"] else least
        if most < least or most > _MOST_REPEATED:
            raise _wrong("invalid repetition size", operator)
        self.size += max(last, 1) * max(most, 1) + max(most - least, 1) - last
        self._last, self._repeated = None, operator
        self.written.append(operator)

    def _read_class(self, opened: re.Match[str]) -> None:
        """Read up to the end of a class; a `]` that comes first is a member of it."""
        written, size, first = [opened[0]], _ANY if opened[0] == "[^" else 0, self.place
        while self.pattern[self.place : self.place + 1] != "]" or self.place == first:
            member = _MEMBER.match(self.pattern, self.place)
            if member is None:
                rest = self.pattern[self.place :]
                unended = _wrong("missing ]", self.pattern[opened.start() :])
                raise _explain(rest) if rest[:1] == "\\" else unended
            self.place = member.end()
            text, more = _write_member(member)
            written.append(text)
            size += more
        self.place += 1
        self._add("".join([*written, "]"]), min(size, _MOST_OF_CLASS))


def _write_member(member: re.Match[str]) -> tuple[str, int]:
    """A member of a class, and its instructions."""
    if member["unknown"]:
        raise _wrong("invalid character class range", member[0])
    if member["posix"]:
        return member[0], _ANY
    if not member["low"]:
        return _write_class_escape(member)
    low = _read_character(member["low"])
    high = _read_character(member["high"] or member["low"])
    if high < low:
        raise _wrong("invalid character class range", member[0])
    return f"{_write(low)}-{_write(high)}", 1 if high.isascii() else 4


def _write_class_escape(token: re.Match[str]) -> tuple[str, int]:
    """A class by one escape, within brackets, and its instructions."""
    if token["perl"]:
        return _PERL[token["perl"][1]], _ANY
    name = token["letter"] or token["name"]
    sign = token["sign"].swapcase() if token["not"] else token["sign"]
    if name == "Any":
        return rf"\{sign}{{any}}", _ANY
    if name == "C":
        # In RE2 these are no characters without a meaning, as the newest ones are.
        return rf"[{'^' * (sign == 'P')}\p{{Cc}}\p{{Cf}}\p{{Co}}]", _SIZES["C"]
    is_category = len(name) < 3
    written = rf"\{sign}{{{'gc' if is_category else 'sc'}={name}}}"
    return written, _SIZES.get(name[0], 100) if is_category else 100


def _read_character(text: str) -> str:
    """The character that a text or an escape stands for."""
    if text[0] != "\\":
        return text
    escape = text[1:]
    if escape[0] == "x":
        number = int(escape[1:].strip("{}"), 16)
    elif escape[0].isdigit():
        number = int(escape, 8)
    else:
        return _ESCAPES.get(escape, escape)
    if number > 0x10FFFF:
        raise _wrong("invalid escape sequence", text)
    return chr(number)


def _write(character: str) -> str:
    return character if character.isalnum() else rf"\x{{{ord(character):x}}}"


def _explain(rest: str) -> PatternError:
    """Why no token begins here."""
    if rest == "\\":
        return _wrong("trailing \\")
    if rest[0] == "\\":
        is_property = rest[1] in "pP"
        return _wrong("invalid character class range" if is_property else "invalid escape sequence", rest[:2])
    return _wrong("invalid perl operator", rest[:3])


def _wrong(reason: str, text: str = "") -> PatternError:
    said = f"{reason}: {text}" if text else reason
    return PatternError(f"is not a pattern that RE2 reads: {shorten(said)}")
