"""Python source of values."""

from collections.abc import Iterator
from typing import Any

_WIDTH = 100
_STEP = "    "


class Code(str):
    """An expression, where a text would be a literal."""

    __slots__ = ()


def write(value: Any, indent: str = "", used: int = 0) -> str:
    """The expression of a JSON value in which texts may be code; in several lines where it is long.

    `used` is how much of the first line is taken.
    """
    flat = _flat(value)
    if len(indent) + used + len(flat) <= _WIDTH or not value or not isinstance(value, (dict, list)):
        return flat
    inner = indent + _STEP
    if isinstance(value, dict):
        lines = [_line(inner, f"{_flat(name)}: ", member) for name, member in value.items()]
        return "\n".join(["{", *lines, indent + "}"])
    return "\n".join(["[", *(_line(inner, "", member) for member in value), indent + "]"])


def write_call(function: str, arguments: list[tuple[str, Any]], indent: str) -> str:
    """A call, each argument with its name, which may be empty; in several lines where it is long."""
    given = (f"{name}={_flat(value)}" if name else _flat(value) for name, value in arguments)
    flat = f"{function}({', '.join(given)})"
    if len(indent) + len(flat) <= _WIDTH:
        return flat
    inner = indent + _STEP
    lines = [_line(inner, f"{name}=" if name else "", value) for name, value in arguments]
    return "\n".join([f"{function}(", *lines, indent + ")"])


def _line(indent: str, name: str, value: Any) -> str:
    return f"{indent}{name}{write(value, indent, len(name) + 1)},"


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flat(name)}: {_flat(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flat, value))}]"
    return quote(value) if type(value) is str else str(value) if isinstance(value, Code) else repr(value)


def quote(text: str) -> str:
    """A literal, in double quotes if that needs no escapes."""
    literal = repr(text)
    return literal if '"' in text else f'"{literal[1:-1]}"'


def join(parts: Iterator[str]) -> Code:
    """Code for the texts of expressions, one after the other."""
    found = list(parts)
    return Code(" + ".join(found) if found else '""')
