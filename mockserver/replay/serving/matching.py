"""Which recorded exchange a request belongs to: the same method, path, query and body."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson

from mockserver.api.call import Request
from mockserver.replay.comparison import ABSENT, Difference, compare_values
from mockserver.scenario.reading.tree import member_of, read_json_path
from mockserver.server.recording.placeholders import PLACEHOLDER, WHOLE_PLACEHOLDER

_MOST_COMPARED = 1_000
"""How many exchanges are looked at for the nearest one."""


class Form(NamedTuple):
    """What of a request is compared. Two requests are equal if their forms are."""

    method: str
    path: str
    query: list[tuple[str, str]]
    """In the order of the names."""
    body: Any
    """Parsed JSON, or the bytes as characters; the boundary of a multipart body is left out."""

    @property
    def key(self) -> bytes:
        """The same bytes for equal requests, in whatever order the members of JSON are."""
        return orjson.dumps(self, option=orjson.OPT_SORT_KEYS, default=list)

    @property
    def is_masked(self) -> bool:
        """Whether a text in it has a placeholder."""
        return PLACEHOLDER.search(self.key.decode()) is not None


class Matching(NamedTuple):
    """How requests are matched with those of a recording."""

    strict_order: bool = False
    """Only the next exchange of the recording is answered."""
    ignored: tuple[tuple[str, ...], ...] = ()
    """The members that are not compared, by JSON pointer."""
    repeat_last: bool = False
    """The last of equal requests is answered again, instead of refused."""


def read_pointer(text: str) -> tuple[str, ...]:
    """A JSON pointer (RFC 6901) below `/body` or `/query`, such as `/body/timestamp`; ValueError."""
    if not text.startswith(("/body/", "/query/")):
        raise ValueError(f"{text!r} is no JSON pointer to a member of /body or /query")
    return read_json_path(text)


def form_of(request: Request, ignored: Iterable[tuple[str, ...]] = ()) -> Form:
    """The form of a request, without the members that are ignored."""
    query = sorted(parse_qsl(request.query, keep_blank_values=True))
    body = _read_body(request)
    for root, *path in ignored:
        if root == "query":
            query = [pair for pair in query if pair[0] != path[0]]
        else:
            _remove(body, path)
    return Form(request.method, request.path, query, body)


def _read_body(request: Request) -> Any:
    content_type, body = request.headers.get("content-type", ""), request.body
    if content_type.startswith("multipart/") and "boundary=" in content_type:
        boundary = content_type.partition("boundary=")[2].partition(";")[0].strip().strip('"')
        return body.replace(boundary.encode("latin-1"), b"boundary").decode("latin-1")
    try:
        return orjson.loads(body)
    except ValueError:
        return body.decode("latin-1")


def _remove(body: Any, path: list[str]) -> None:
    *parents, last = path
    for name in parents:
        body = member_of(body, name)
    if isinstance(body, dict):
        body.pop(last, None)
    elif isinstance(body, list) and last.isdecimal() and int(last) < len(body):
        body[int(last)] = None


def differences(expected: Form, got: Form) -> Iterator[Difference]:
    """What differs between two requests."""
    for name in ("method", "path", "query"):
        if getattr(expected, name) != getattr(got, name):
            yield Difference(name, getattr(expected, name), getattr(got, name))
    for difference in compare_values("", expected.body, got.body):
        yield difference._replace(part=difference.part.rstrip())


def differ_in_placeholders(recorded: Form, asked: Form) -> bool:
    """Whether a request is a recorded one but for what is masked there, which may be any text."""
    return all(
        isinstance(each.expected, str) and each.got != ABSENT and _fits(each.expected, each.got)
        for each in compare_values("", recorded, asked)
    )


def _fits(recorded: str, text: object) -> bool:
    """Whether something is a recorded text with any texts in the place of placeholders."""
    if not isinstance(text, str):
        return False
    if WHOLE_PLACEHOLDER.fullmatch(recorded):
        return True
    first, *others = PLACEHOLDER.split(recorded)
    if not others or not text.startswith(first):
        return False
    *between, last = others
    place = len(first)
    for part in between:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return place + len(last) <= len(text) and text.endswith(last)


def find_nearest(wanted: Form, forms: Iterable[tuple[int, Form]]) -> tuple[int, list[Difference]] | None:
    """The number of the recorded request that is nearest to another one, and what differs."""
    ranked = sorted(
        ((_distance(wanted, form), number, form) for number, form in forms), key=lambda row: row[:2]
    )
    best: tuple[int, list[Difference]] | None = None
    for _, number, form in ranked[:_MOST_COMPARED]:
        found = list(differences(form, wanted))
        if best is None or len(found) < len(best[1]):
            best = number, found
    return best


def _distance(wanted: Form, form: Form) -> int:
    """A measure that is cheap: the path counts most, then the method, then the query."""
    here, there = wanted.path.split("/"), form.path.split("/")
    segments = abs(len(here) - len(there)) + sum(a != b for a, b in zip(here, there, strict=False))
    return 100 * segments + 10 * (wanted.method != form.method) + (wanted.query != form.query)
