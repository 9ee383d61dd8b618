"""Whether a call is one that a rule is about, and if not, what it lacks."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import from_json

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.forms import FormError, query_pairs, read_form
from mockserver.scenario.findings import shown
from mockserver.scenario.schema import JsonPath, Pattern, Rule, Test, When
from mockserver.state.project import Project

_ABSENT = object()


class Seen:
    """A request as rules look at it; its body and query are read when the first rule asks."""

    __slots__ = ("_body", "_query", "endpoint", "position", "request")

    def __init__(self, endpoint: Endpoint, request: Request, position: str) -> None:
        self.endpoint = endpoint
        self.request = request
        self.position = position
        self._body: Any = None
        self._query: dict[str, list[str]] | None = None

    @property
    def typed(self) -> bool:
        """Whether the body has numbers and booleans; a form has only text."""
        return not self.request.headers.get("content-type", "").startswith(
            "application/x-www-form-urlencoded"
        )

    def body_at(self, path: JsonPath) -> Any:
        """The value at a place in the body, or `_ABSENT`."""
        if self._body is None:
            self._body = (self._read_body(),)
        value = self._body[0]
        for part in path:
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isdecimal() and int(part[:9]) < len(value):
                value = value[int(part[:9])]
            else:
                return _ABSENT
        return value

    def _read_body(self) -> Any:
        body = self.request.body
        try:
            return from_json(body) if self.typed else read_form(body.decode(), frozenset())
        except (ValueError, FormError, RecursionError):
            return _ABSENT

    def query_values(self, name: str) -> list[str]:
        """The values of a member of the query, as often as it is there."""
        if self._query is None:
            self._query = {}
            try:
                pairs = query_pairs(self.request.query)
            except FormError:
                pairs = []
            for member, value in pairs:
                self._query.setdefault(member, []).append(value)
        return self._query.get(name, [])


def meets(when: When, seen: Seen) -> bool:
    """Whether a call is one that a rule is about, its number aside."""
    if when.calls and not any(_is_call(pattern, seen) for pattern in when.calls):
        return False
    if when.positions and seen.position not in when.positions:
        return False
    return next(_unmet(when, seen), None) is None


def _is_call(pattern: Pattern, seen: Seen) -> bool:
    if pattern.operation is not None:
        return pattern.operation == seen.endpoint.operation
    if pattern.method is not None and pattern.method != seen.request.method:
        return False
    return pattern.path is None or pattern.path.fullmatch(seen.request.path) is not None


def _unmet(when: When, seen: Seen) -> Iterator[tuple[str, Any, tuple[Test, ...]]]:
    """Headers, query and body: what is tested, what is there, and the tests it fails."""
    for name, tests in when.headers:
        value = seen.request.headers.get(name)
        if not _text_passes([] if value is None else [value], tests):
            yield f"the header {name}", _ABSENT if value is None else value, tests
    for name, tests in when.query:
        values = seen.query_values(name)
        if not _text_passes(values, tests):
            yield f"{name} in the query", ", ".join(values) if values else _ABSENT, tests
    for path, tests in when.body:
        found = seen.body_at(path)
        if not all(_passes(found, test, seen.typed) for test in tests):
            yield f"{'.'.join(path)} in the body", found, tests


def _text_passes(values: list[str], tests: tuple[Test, ...]) -> bool:
    """Whether any of the values passes, or there ought to be none."""
    if not values:
        return all(_passes(_ABSENT, test, typed=False) for test in tests)
    return any(all(_passes(value, test, typed=False) for test in tests) for value in values)


def _passes(value: Any, test: Test, typed: bool) -> bool:
    if test.operator == "present":
        return (value is not _ABSENT) is test.wanted
    if value is _ABSENT:
        return False
    if test.operator == "matches":
        return test.pattern is not None and test.pattern.search(_as_text(value)) is not None
    if test.operator == "contains":
        if isinstance(value, list):
            return any(_same(member, test, typed) for member in value)
        return isinstance(value, str) and test.text in value
    return _same(value, test, typed)


def _same(value: Any, test: Test, typed: bool) -> bool:
    """Equality of JSON, in which 1 is not true; what has only text is compared as text."""
    if not typed and isinstance(value, str):
        return value == test.text
    return _equal(value, test.wanted)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


class NearMiss(NamedTuple):
    """A rule that a call almost met: what it lacked, a sentence each."""

    scenario: str
    rule: str
    missed: tuple[str, ...]


def near_misses(project: Project, endpoint: Endpoint, request: Request) -> list[NearMiss]:
    """The rules that a call would not meet now, though it does in part; the nearest first.

    A rule is near when the call is one of its calls, or when nothing but the call is different.
    """
    seen = Seen(endpoint, request, project.position)
    found: list[NearMiss] = []
    for loaded in project.scenarios:
        for rule in loaded.rules:
            missed = _missed(project, rule, seen)
            is_call = not rule.when.calls or any(_is_call(pattern, seen) for pattern in rule.when.calls)
            if missed and (is_call or (len(missed) == 1 and _tests_more(rule.when))):
                found.append(NearMiss(loaded.name, rule.name, tuple(missed)))
    return sorted(found, key=lambda miss: len(miss.missed))


def _tests_more(when: When) -> bool:
    return bool(when.headers or when.query or when.body or when.positions)


def _missed(project: Project, rule: Rule, seen: Seen) -> list[str]:
    when = rule.when
    missed = []
    if when.calls and not any(_is_call(pattern, seen) for pattern in when.calls):
        wanted = " or ".join(pattern.text for pattern in when.calls)
        missed.append(f"the call is {seen.endpoint.operation}, not {wanted}")
    if when.positions and seen.position not in when.positions:
        missed.append(f"the position is {seen.position}, not {' or '.join(when.positions)}")
    for what, value, tests in _unmet(when, seen):
        there = "missing" if value is _ABSENT else shown(_as_text(value))
        missed.append(f"{what} is {there}; the rule wants {_wanted(tests)}")
    state = project.requests.rule_states.get(rule.id)
    number = (state.met if state else 0) + 1
    if when.nth is not None and not when.nth.admits(number):
        missed.append(f"it would be call number {number} of its kind, which the rule's nth leaves out")
    return missed


def _wanted(tests: tuple[Test, ...]) -> str:
    words = {"equals": "", "contains": "something with ", "matches": "a match for "}
    return " and ".join(
        ("it to be there" if test.wanted else "it not to be there")
        if test.operator == "present"
        else f"{words[test.operator]}{shown(_as_text(test.wanted))}"
        for test in tests
    )
