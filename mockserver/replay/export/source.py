"""Source code of values and of calls, in a language that a table describes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

WIDTH = 96
"""How long a line is at most; in a file it is further to the right."""

_MOST_PARTS = 500
"""Of how many parts a sum is at most: parsers of Python refuse some more than 1,000."""


class Code(str):
    """An expression, where a text would be a literal."""

    __slots__ = ()


class Joined(tuple[str, ...]):
    """Texts and code, one after the other, where a text would be a literal."""

    __slots__ = ()


class Language(ABC):
    """How a language writes values: what they are, in several lines where they are long."""

    step = "    "
    """The indentation of what is within something else."""
    braces = ("{", "}")
    """Around the members of an object in one line."""

    @abstractmethod
    def literal(self, value: Any) -> str:
        """A text, bytes, a number, a truth value or nothing."""

    def member(self, name: str) -> str:
        """The name of a member before its value."""
        return self.literal(name)

    def write(self, value: Any, indent: str = "", used: int = 0) -> str:
        """The expression of a JSON value in which texts may be code; in several lines where it is long.

        `used` is how much of the first line is taken.
        """
        flat = self._flat(value)
        if len(indent) + used + len(flat) <= WIDTH or not value or isinstance(value, (Code, bytes)):
            return flat
        inner = indent + self.step
        match value:
            case dict():
                lines = [self._line(inner, f"{self.member(name)}: ", each) for name, each in value.items()]
                return _block("{", lines, indent + "}")
            case list():
                return _block("[", [self._line(inner, "", each) for each in value], indent + "]")
            case str() | Joined():
                first, *others = self._parts(value, WIDTH - len(inner) - len("+ "))
                if len(others) > _MOST_PARTS:
                    return f"({flat})"
                return _block("(", [inner + first, *(f"{inner}+ {each}" for each in others)], indent + ")")
        return flat

    def write_call(self, function: str, arguments: Sequence[tuple[str, Any]], used: int = 0) -> str:
        """A call, each argument with its name, which may be empty; in several lines where it is long."""
        given = (f"{name}={self._flat(value)}" if name else self._flat(value) for name, value in arguments)
        flat = f"{function}({', '.join(given)})"
        if used + len(flat) <= WIDTH:
            return flat
        *others, (name, last) = arguments
        if not others and not name and type(last) is str:
            # The parentheses of a long text are those of the call.
            return function + self.write(last, used=WIDTH)
        before = f"{function}({', '.join(self._flat(value) for _, value in others)}, "
        if not name and isinstance(last, dict) and used + len(before) < WIDTH:
            return before + self.write(last, used=WIDTH) + ")"
        lines = [self._line(self.step, f"{name}=" if name else "", value) for name, value in arguments]
        return _block(f"{function}(", lines, ")")

    def _line(self, indent: str, name: str, value: Any) -> str:
        return f"{indent}{name}{self.write(value, indent, len(name) + 1)},"

    def _flat(self, value: Any) -> str:
        match value:
            case dict():
                opening, closing = self.braces if value else ("{", "}")
                members = (f"{self.member(name)}: {self._flat(each)}" for name, each in value.items())
                return f"{opening}{', '.join(members)}{closing}"
            case list():
                return f"[{', '.join(map(self._flat, value))}]"
            case Joined():
                return " + ".join(map(self._flat, value)) or self.literal("")
            case Code():
                return str(value)
        return self.literal(value)

    def _parts(self, value: str | Joined, room: int) -> Iterator[str]:
        """The expressions of a text, its literals by lines and so short that each has the room it needs."""
        for part in (value,) if isinstance(value, str) else value:
            if isinstance(part, Code):
                yield part
                continue
            for line in part.splitlines(keepends=True):
                yield from self._pieces(line, room)

    def _pieces(self, text: str, room: int) -> Iterator[str]:
        done = 0
        while done < len(text):
            size = min(len(text) - done, room)
            while len(written := self.literal(text[done : done + size])) > room and size > 1:
                size = size * room // len(written)
            yield written
            done += size


def _block(opening: str, lines: Sequence[str], closing: str) -> str:
    return "\n".join([opening, *lines, closing])
