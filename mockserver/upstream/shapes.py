"""What differs between an answer of a real service and the mock's answer to the same request."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from mockserver.replay.shrinking.places import body_of
from mockserver.replay.steps import RecordedAnswer
from mockserver.scenario.grammar.value_tests import show
from mockserver.upstream.forms import are_alike, form_of, is_determined, is_linkable, is_time, without_drawn

_COMPARED_HEADERS = frozenset(
    {"content-type", "location", "retry-after", "www-authenticate", "allow", "x-retry-after"}
)
"""The headers that clients act on, besides cookies."""
_FOR_PEOPLE = frozenset({"message", "detail", "title", "details", "error_description"})
"""Members of errors whose words are for people."""
_CODES = ("code", "type", "param")
_COOKIE_ATTRIBUTES = ("httponly", "path", "samesite", "max-age")
_TYPES = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
_TYPES |= dict.fromkeys((int, float), "a number")


class Drift(NamedTuple):
    """One difference."""

    kind: str
    """`status`, `error`, `header`, `missing`, `added`, `type`, `form`, `value`, `enum`, `order`, `length`."""
    member: str
    """Where in the answer: a JSON pointer with `*` for any entry of a list, `status`, or a header's name."""
    told: str
    """A sentence with both sides: the real service's and the mock's."""


class Known(NamedTuple):
    """What is known about values."""

    expect: Callable[[str], Collection[str]]
    """What the mock has in the place of a value that earlier answers of the service had."""
    sent: Collection[str]
    """The texts that the client sent, which answers repeat."""
    enums: Callable[[], Mapping[str, Collection[str]]]
    """The values that the mock knows of members, by pointer."""


def compare_answers(real: RecordedAnswer, mock: RecordedAnswer, known: Known) -> Iterator[Drift]:
    """What differs, in the order of an answer: status, headers, body."""
    if real.status != mock.status:
        told = f"the service answers {real.status}{code_of(real)}, the mock {mock.status}{code_of(mock)}"
        yield Drift("status", "status", told)
        return
    yield from _compare_headers(real, mock)
    there, here = body_of(real), body_of(mock)
    if there is None or here is None:
        if (there is None) != (here is None):
            told = "a body of JSON" if here is None else "no body of JSON"
            yield Drift("type", "", f"the service answers {told}, the mock does not")
    elif real.status >= 400:
        yield from _compare_errors(there, here)
    else:
        yield from _compare("", there, here, known)


def code_of(answer: RecordedAnswer) -> str:
    """What programs read of an error, in parentheses for the end of a sentence."""
    codes = _codes(body_of(answer))
    return f" ({', '.join(codes.values())})" if codes else ""


def _codes(body: Any) -> dict[str, str]:
    """What programs read of an error; members with the errors of `error` in them are looked into."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        return {"error": inner} if isinstance(inner, str) else {}
    return {name: inner[name] for name in _CODES if isinstance(inner.get(name), str)}


def _compare_errors(real: Any, mock: Any) -> Iterator[Drift]:
    there, here = _codes(real), _codes(mock)
    for name in [*there, *(here.keys() - there.keys())]:
        if there.get(name) != here.get(name):
            told = f"the service says {there.get(name)!r}, the mock {here.get(name)!r}"
            yield Drift("error", f"/error/{name}", told)


def _compare_headers(real: RecordedAnswer, mock: RecordedAnswer) -> Iterator[Drift]:
    there, here = dict(real.headers), dict(mock.headers)
    for name in sorted(_COMPARED_HEADERS & (there.keys() | here.keys())):
        if name not in here or name not in there:
            told = _who_has(name in there, f"the header {name}")
            yield Drift("header", name, told)
    if "content-type" in there.keys() & here.keys():
        ours, theirs = (each["content-type"].partition(";")[0].strip() for each in (here, there))
        if ours != theirs:
            yield Drift("header", "content-type", f"the service sends {theirs}, the mock {ours}")
    if "location" in there.keys() & here.keys():
        theirs, ours = _target_of(there["location"]), _target_of(here["location"])
        if theirs != ours:
            yield Drift("header", "location", f"the service leads to {theirs}, the mock to {ours}")
    yield from _compare_cookies(_cookies(real), _cookies(mock))


def _target_of(location: str) -> str:
    """The path of a link and the names of its parameters: hosts and values differ from run to run."""
    url = urlsplit(location)
    return "?".join([without_drawn(url.path), "&".join(sorted(name for name, _ in parse_qsl(url.query)))])


def _compare_cookies(real: dict[str, set[str]], mock: dict[str, set[str]]) -> Iterator[Drift]:
    for name in sorted(real.keys() | mock.keys()):
        if name not in real or name not in mock:
            yield Drift("header", f"set-cookie {name}", _who_has(name in real, f"the cookie {name}"))
        elif real[name] != mock[name]:
            told = f"the service sets {_listed(real[name])}, the mock {_listed(mock[name])}"
            yield Drift("header", f"set-cookie {name}", told)


def _cookies(answer: RecordedAnswer) -> dict[str, set[str]]:
    """The cookies of an answer, each with its attributes that do not depend on when and where."""
    found: dict[str, set[str]] = {}
    for name, value in answer.headers:
        if name == "set-cookie":
            pair, *attributes = value.split(";")
            cookie = pair.partition("=")[0].strip().removeprefix("__Secure-").removeprefix("__Host-")
            kept = {each.strip().lower() for each in attributes}
            found[cookie] = {each for each in kept if each.partition("=")[0] in _COOKIE_ATTRIBUTES}
    return found


def _compare(pointer: str, real: Any, mock: Any, known: Known) -> Iterator[Drift]:
    if _type_of(real) != _type_of(mock):
        yield Drift("type", pointer, f"the service has {_shown(real)}, the mock {_shown(mock)}")
    elif isinstance(real, dict):
        yield from _compare_objects(pointer, real, mock, known)
    elif isinstance(real, list):
        yield from _compare_lists(pointer, real, mock, known)
    elif isinstance(real, str):
        yield from _compare_texts(pointer, real, mock, known)
    elif real != mock and not _is_free(real, mock, known):
        yield Drift("value", pointer, f"the service has {_shown(real)}, the mock {_shown(mock)}")


def _is_free(real: float, mock: float, known: Known) -> bool:
    """Whether a number depends on when and where, on both sides in the same way."""
    if is_time(real) and is_time(mock):
        return True
    return not (str(real) in known.sent or is_determined(real) or is_determined(mock))


def _compare_objects(
    pointer: str, real: dict[str, Any], mock: dict[str, Any], known: Known
) -> Iterator[Drift]:
    for name in [*real, *(mock.keys() - real.keys())]:
        at = f"{pointer}/{name}"
        if name not in real or name not in mock:
            kind = "missing" if name in real else "added"
            yield Drift(kind, at, _who_has(name in real, f"the member, {_shown((real | mock)[name])}"))
        elif name not in _FOR_PEOPLE:
            yield from _compare(at, real[name], mock[name], known)


def _compare_lists(pointer: str, real: list[Any], mock: list[Any], known: Known) -> Iterator[Drift]:
    order = [_find(each, mock, known) for each in real]
    places = [place for place in order if place is not None]
    if places != sorted(places):
        yield Drift("order", pointer, f"the mock has the service's entries in the order {_numbers(places)}")
    if len(real) != len(mock):
        yield Drift("length", pointer, f"the service has {len(real)} entries, the mock {len(mock)}")
    seen: set[Drift] = set()
    for number, (entry, place) in enumerate(zip(real, order, strict=True)):
        partner = number if place is None else place
        if partner < len(mock):
            for drift in _compare(f"{pointer}/*", entry, mock[partner], known):
                if (key := drift._replace(told="")) not in seen:
                    seen.add(key)
                    yield drift


def _find(entry: Any, mock: list[Any], known: Known) -> int | None:
    """Where the mock has the row that an entry of the service shows, by its id."""
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        return None
    expected = known.expect(entry["id"])
    ids = [each.get("id") if isinstance(each, dict) else None for each in mock]
    return next((place for place, each in enumerate(ids) if each in expected), None)


def _compare_texts(pointer: str, real: str, mock: str, known: Known) -> Iterator[Drift]:
    if real == mock:
        return
    form, other = form_of(real), form_of(mock)
    if form is None and without_drawn(real) == without_drawn(mock):
        return
    if form is None and real not in known.enums().get(pointer, (real,)):
        told = f"the service has {real!r}, which the mock does not know; it has {mock!r}"
        yield Drift("enum", pointer, told)
    elif not are_alike(form, other):
        sides = f"{_shown(real)} ({form or 'words'}), the mock {_shown(mock)} ({other or 'words'})"
        told = f"the service has {sides}"
        yield Drift("form" if form or other else "value", pointer, told)
    elif is_linkable(real) and (expected := known.expect(real)):
        if mock not in expected:
            told = (
                f"the service repeats a value of an earlier answer, {_shown(real)}; the mock has another one"
            )
            yield Drift("value", pointer, told)
    elif form is None or real in known.sent:
        yield Drift("value", pointer, f"the service has {_shown(real)}, the mock {_shown(mock)}")


def _type_of(value: Any) -> str:
    return _TYPES.get(type(value), "null")


def _shown(value: Any) -> str:
    return _type_of(value) if isinstance(value, (dict, list)) else show(value)


def _who_has(is_real: bool, what: str) -> str:
    has, lacks = ("the service", "the mock") if is_real else ("the mock", "the service")
    return f"{has} has {what}; {lacks} has not"


def _listed(names: set[str]) -> str:
    return "; ".join(sorted(names)) or "no attributes"


def _numbers(places: list[int]) -> str:
    return ", ".join(str(place + 1) for place in places[:10])
