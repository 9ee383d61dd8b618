"""Whether a call is one that a rule is about, and if not, what it lacks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.forms import FormError, query_pairs, read_form
from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import quote
from mockserver.scenario.bodies import JsonPath
from mockserver.scenario.calls import Pattern
from mockserver.scenario.schema import LoadedRule
from mockserver.scenario.tree import ABSENT, member_of
from mockserver.scenario.when import ValueTest, When, as_text
from mockserver.state.project import Project


class RequestView:
    """A request as rules look at it; its body and query are read when the first rule asks."""

    __slots__ = ("_body", "_query", "effort", "endpoint", "request", "state")

    def __init__(self, endpoint: Endpoint, request: Request, state: str) -> None:
        self.endpoint = endpoint
        self.request = request
        self.state = state
        self.effort = Effort()
        """The work that patterns may be for this call, all rules together."""
        self._body: Any = None
        self._query: dict[str, list[str]] | None = None

    @property
    def typed(self) -> bool:
        """Whether the body has numbers and booleans; a form has only text."""
        return not self.request.headers.get("content-type", "").startswith(
            "application/x-www-form-urlencoded"
        )

    def body_at(self, path: JsonPath) -> Any:
        """The value at a place in the body, or `ABSENT`."""
        if self._body is None:
            self._body = (self._read_body(),)
        value = self._body[0]
        for part in path:
            value = member_of(value, part)
        return value

    def _read_body(self) -> Any:
        body = self.request.body
        try:
            return from_json(body) if self.typed else read_form(body.decode(), frozenset())
        except (ValueError, FormError, RecursionError):
            return ABSENT

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


def meets(when: When, view: RequestView) -> bool:
    """Whether a call is one that a rule is about, its number aside."""
    if not _is_call(when, view) or (when.state and view.state not in when.state):
        return False
    return next(_find_unmet(when, view), None) is None


def _is_call(when: When, view: RequestView) -> bool:
    return not when.call or any(_fits(pattern, view) for pattern in when.call)


def _fits(pattern: Pattern, view: RequestView) -> bool:
    if pattern.operation is not None:
        return pattern.operation == view.endpoint.operation
    if pattern.method is not None and pattern.method != view.endpoint.method:
        return False
    return pattern.fits_path(view.request.path)


def _find_unmet(when: When, view: RequestView) -> Iterator[tuple[str, Any, ValueTest]]:
    """Headers, query and body: what is tested, what is there, and the test it fails."""
    for name, test in when.headers.items():
        value = view.request.headers.get(name, ABSENT)
        if not test.passes(value, view.effort, typed=False):
            yield f"the header {name}", value, test
    for name, test in when.query.items():
        values = view.query_values(name)
        # One of several is enough, unless there ought to be none.
        if not any(test.passes(value, view.effort, typed=False) for value in values or [ABSENT]):
            yield f"{name} in the query", ", ".join(values) if values else ABSENT, test
    for path, test in when.body.items():
        found = view.body_at(path)
        if not test.passes(found, view.effort, view.typed):
            yield f"{'.'.join(path)} in the body", found, test


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A rule that a call meets in part, and each condition that it does not meet, as a sentence."""

    scenario: str
    rule: str
    missed: tuple[str, ...]


def near_misses(project: Project, endpoint: Endpoint, request: Request) -> list[NearMiss]:
    """The rules that a call would not meet now, though it does in part; the nearest first.

    A rule is near when the call is one of its calls, or when nothing but the call is different.
    """
    view = RequestView(endpoint, request, project.scenario_state)
    found: list[NearMiss] = []
    for loaded in project.scenarios:
        for rule in loaded.rules:
            missed = _explain_misses(project, rule, view)
            if missed and (_is_call(rule.when, view) or (len(missed) == 1 and _tests_more(rule.when))):
                found.append(NearMiss(loaded.name, rule.name, tuple(missed)))
    return sorted(found, key=lambda miss: len(miss.missed))


def _tests_more(when: When) -> bool:
    return bool(when.headers or when.query or when.body or when.state)


def _explain_misses(project: Project, rule: LoadedRule, view: RequestView) -> list[str]:
    when, missed = rule.when, explain_misses(rule.when, view)
    counted = project.requests.rule_states.get(rule.id)
    number = (counted.met if counted else 0) + 1
    if not when.admits(number):
        missed.append(f"it would be call number {number} of its kind, which the rule's nth leaves out")
    return missed


def explain_misses(when: When, view: RequestView) -> list[str]:
    """Each condition that a call does not meet, as a sentence, its number aside; the call comes first."""
    missed = []
    if not _is_call(when, view):
        wanted = " or ".join(pattern.text for pattern in when.call)
        missed.append(f"the call is {view.endpoint.operation}, not {wanted}")
    if when.state and view.state not in when.state:
        missed.append(f"the state is {view.state}, not {' or '.join(when.state)}")
    for what, value, test in _find_unmet(when, view):
        there = "missing" if value is ABSENT else quote(as_text(value))
        missed.append(f"{what} is {there}; expected {test}")
    return missed
