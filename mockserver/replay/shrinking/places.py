"""Where the values in an answer are: in members of its JSON, in headers, in cookies, in links."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import orjson

from mockserver.replay.steps import RecordedAnswer, RecordedRequest

_COOKIE = "set-cookie"
_LINK = ("http://", "https://", "/")


class ValuePlace(NamedTuple):
    """A place in an answer."""

    kind: Literal["body", "header", "cookie"]
    name: str
    """Of a member of the body its JSON pointer (RFC 6901); the name of a header or of a cookie."""
    parameter: str = ""
    """If the value is a link, the parameter of its query that is meant."""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" + (f" ?{self.parameter}" if self.parameter else "")


def values_of(answer: RecordedAnswer) -> dict[ValuePlace, str]:
    """The texts in an answer, by place: first those of the body, and whole members before parts of links."""
    texts = list(texts_of("", body_of(answer)))
    found = {ValuePlace("body", pointer): text for pointer, text in texts}
    for pointer, text in texts:
        for name, value in _parameters(text):
            found.setdefault(ValuePlace("body", pointer, name), value)
    for name, value in answer.headers:
        if name == _COOKIE:
            cookie, _, rest = value.partition("=")
            found.setdefault(ValuePlace("cookie", cookie), rest.partition(";")[0])
        else:
            found.setdefault(ValuePlace("header", name), value)
            for parameter, inner in _parameters(value):
                found.setdefault(ValuePlace("header", name, parameter), inner)
    return found


def body_of(message: RecordedAnswer | RecordedRequest) -> Any:
    """The JSON of an answer or a request; None if it has none."""
    try:
        return orjson.loads(message.body)
    except (TypeError, ValueError):
        return None


def texts_of(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """The texts in a JSON value, each with its pointer."""
    return ((place, part) for place, part in parts_of(pointer, value) if isinstance(part, str))


def parts_of(pointer: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A JSON value and all that is in it, each with its pointer, outer ones first."""
    yield pointer, value
    if isinstance(value, dict):
        for name, member in value.items():
            yield from parts_of(f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", member)
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from parts_of(f"{pointer}/{number}", member)


def _parameters(text: str) -> list[tuple[str, str]]:
    if not text.startswith(_LINK):
        return []
    try:
        return parse_qsl(urlsplit(text).query)
    except ValueError:
        return []
