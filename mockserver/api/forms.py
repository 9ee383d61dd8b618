"""Queries and form-encoded bodies, parsed into values."""

import re
from typing import Any
from urllib.parse import parse_qsl

from mockserver.kernel.spelling import quote

MOST_FIELDS = 1_000
"""The most fields of a query or a form."""

MOST_ESCAPES = 50_000
"""The most percent signs of a form: to decode each takes longer than a whole field without them."""

_KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_INDEX = re.compile(r"\[[0-9]*\]\Z")
_PART = re.compile(r"\[([^\[\]]*)\]")


class FormError(ValueError):
    """The text is not a valid form; the message says why."""


def read_query(text: str, lists: frozenset[str]) -> dict[str, Any]:
    """A query string as `{name: value}`; the names in `lists` collect their repetitions."""
    found: dict[str, Any] = {}
    for name, value in query_pairs(text):
        if name in lists:
            found.setdefault(name, []).append(value)
        else:
            found[name] = value
    return found


def query_pairs(text: str) -> list[tuple[str, str]]:
    """The names and values of a query string, in order."""
    pairs = _pairs(text)
    if "]" not in text and "%" not in text:
        # The fast path: every request with a query runs this, and few have a bracket.
        return pairs
    return [(query_name(name), value) for name, value in pairs]


def query_name(name: str) -> str:
    """The parameter that a name means: `name[]` and `name[0]` are `name`, as some clients write lists."""
    return _INDEX.sub("", name)


def read_form(text: str, lists: frozenset[str]) -> dict[str, Any]:
    """A form with nested keys: `strategy[sponsorSchema]=x`, `calls[0][to]=y`, `expand[]=z`."""
    if text.count("%") > MOST_ESCAPES:
        raise FormError(f"there are more than {MOST_ESCAPES} percent signs")
    root: dict[str, Any] = {}
    for name, value in _pairs(text):
        match = _KEY.fullmatch(name)
        if match is None:
            raise FormError(f"{quote(name)} is not a form key")
        path = [match[1], *_PART.findall(match[2])]
        if len(path) > 20:
            raise FormError(f"{quote(name)} nests too deeply")
        if len(path) == 1 and path[0] in lists:
            path.append("")
        _insert(root, path, value, name)
    return {key: _convert_lists(value) for key, value in root.items()}


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise FormError(f"there are more than {MOST_FIELDS} fields") from None


def _insert(root: dict[str, Any], path: list[str], value: str, name: str) -> None:
    place = root
    for part in path[:-1]:
        place = place.setdefault(_part(place, part), {})
        if not isinstance(place, dict):
            raise FormError(f"{quote(name)} is both a value and an object")
    last = _part(place, path[-1])
    if isinstance(place.get(last), dict):
        raise FormError(f"{quote(name)} is both a value and an object")
    place[last] = value


def _part(place: dict[str, Any], part: str) -> str:
    if part:
        return part
    number = len(place)
    while str(number) in place:
        number += 1
    return str(number)


def _convert_lists(value: Any) -> Any:
    """Turn objects whose keys are 0, 1, 2..., in any order, into lists."""
    if not isinstance(value, dict):
        return value
    numbers = [str(number) for number in range(len(value))]
    if all(number in value for number in numbers):
        return [_convert_lists(value[number]) for number in numbers]
    return {key: _convert_lists(member) for key, member in value.items()}
