"""Whether a call is one that a rule is about, and if not, what it lacks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from mockserver.kernel.spelling import quote
from mockserver.kernel.timestamps import format_iso
from mockserver.scenario.grammar.callers import has_scope, kind_of_key
from mockserver.scenario.grammar.calls import Pattern
from mockserver.scenario.grammar.schema import LoadedRule
from mockserver.scenario.grammar.value_tests import ValueTest, write_path
from mockserver.scenario.grammar.when import Condition, When
from mockserver.scenario.reading.tree import ABSENT
from mockserver.scenario.running.active_faults import count_attempts
from mockserver.scenario.running.request_view import RequestPart, RequestView, describe_value
from mockserver.state.project import Project

Miss = Callable[[], str]
"""Says what a call lacks. Most are never said."""

_CHANCES = 2**64


def meets(rule: LoadedRule, view: RequestView) -> bool:
    """Whether a call is one that a rule is about, its number and its draw aside."""
    return holds(rule.when, view, rule.loaded_ms)


def is_chosen(project: Project, rule: LoadedRule, number: int) -> bool:
    """Whether the call with this number, of those that meet the rule, is one that it acts on."""
    if not rule.when.admits(number):
        return False
    return rule.when.probability is None or draw(project, rule, number) < rule.when.probability


def draw(project: Project, rule: LoadedRule, number: int) -> float:
    """The number from 0 to 1 that is drawn for a call.

    It follows from the project's seed, the rule and the number alone, whatever was drawn before.
    """
    return int.from_bytes(project.entropy.derive(f"{rule.draws}/{number}", 8), "big") / _CHANCES


def holds(condition: Condition, view: RequestView, loaded_ms: int = 0) -> bool:
    """Whether all that is asked for holds of a call."""
    return _is_call(condition, view) and next(_find_unmet(condition, view, loaded_ms), None) is None


def _is_call(condition: Condition, view: RequestView) -> bool:
    return not condition.call or any(_fits(pattern, view) for pattern in condition.call)


def _fits(pattern: Pattern, view: RequestView) -> bool:
    if pattern.operation is not None:
        return pattern.operation == view.endpoint.operation
    if pattern.method is not None and pattern.method != view.endpoint.method:
        return False
    return pattern.fits_path(view.segments)


def _find_unmet(condition: Condition, view: RequestView, loaded_ms: int) -> Iterator[Miss]:
    """What does not hold of a call that is one of those named, the quickest to find out first."""
    if condition.state and view.state not in condition.state:
        yield lambda: f"the state is {view.state}, not {' or '.join(condition.state)}"
    yield from _find_unmet_values(condition, view)
    now_ms = view.project.clock.now_ms
    if condition.clock is not None and not condition.clock.contains(now_ms, loaded_ms):
        yield partial(_say_time, condition, now_ms, loaded_ms)
    if condition.caller is not None:
        yield from _find_unmet_of_caller(condition, view)
    for test in condition.resource:
        yield from _find_unmet_of_resource(test, view)
    for each in condition.all_:
        if not holds(each, view, loaded_ms):
            yield partial(_say_all, each, view, loaded_ms)
    if condition.any_ and not any(holds(each, view, loaded_ms) for each in condition.any_):
        yield partial(_say_any, condition, view, loaded_ms)
    if condition.not_ is not None and holds(condition.not_, view, loaded_ms):
        yield lambda: "what the rule's not describes holds"


def _find_unmet_values(condition: Condition, view: RequestView) -> Iterator[Miss]:
    """Headers, query and body."""
    for name, test in condition.headers.items():
        value = view.request.headers.get(name, ABSENT)
        if not test.passes(value, view.effort, typed=False):
            yield partial(_say_part, RequestPart("headers", (name,)), value, test, view)
    for name, test in condition.query.items():
        values = view.query_values(name)
        # One of several is enough, unless there ought to be none.
        if not any(test.passes(value, view.effort, typed=False) for value in values or [ABSENT]):
            shown = ", ".join(values) if values else ABSENT
            yield partial(_say_part, RequestPart("query", (name,)), shown, test, view)
    for path, test in condition.body.items():
        found = view.body_at(path)
        if not test.passes(found, view.effort, view.typed):
            yield partial(_say_part, RequestPart("body", path), found, test, view)


def _find_unmet_of_caller(condition: Condition, view: RequestView) -> Iterator[Miss]:
    caller = condition.caller
    assert caller is not None
    key = kind_of_key(view.identified)
    if caller.key is not None and caller.key != key:
        yield lambda: f"the key is {key}, not {caller.key}"
    if caller.scope is not None and not has_scope(view.identified, caller.scope):
        yield lambda: f"the caller's key may not do {caller.scope}"
    if caller.user is not None and not caller.user.passes(view.user_id, view.effort):
        yield partial(_say_value, "the caller's user", view.user_id, caller.user)


def _find_unmet_of_resource(test: Any, view: RequestView) -> Iterator[Miss]:
    is_there = view.resource(test) is not ABSENT
    if is_there is not test.exists:
        state = "exists" if is_there else "does not exist"
        yield lambda: f"the {test.kind} {_name_resource(test, view)} {state}"
    elif is_there:
        for path, wanted in (test.has or {}).items():
            value = view.resource_at(test, path)
            if not wanted.passes(value, view.effort):
                where = f"{write_path(path)} of the {test.kind} {_name_resource(test, view)}"
                yield partial(_say_value, where, value, wanted)


def _name_resource(test: Any, view: RequestView) -> str:
    return quote(view.value_of(test.which)) if view.value_of(test.which) else f"in {test.which}"


def _say_part(place: RequestPart, value: Any, test: ValueTest, view: RequestView) -> str:
    said = view.describe(place, value)
    if place.part != "body" and isinstance(test.equals, int | float):
        # All of a query is text: quotes would say that this is why a number does not match.
        said = said.strip("'")
    return f"{place} is {said}; expected {view.describe_test(place, test)}"


def _say_value(what: str, value: Any, test: ValueTest) -> str:
    return f"{what} is {describe_value(value)}; expected {test}"


def _say_time(condition: Condition, now_ms: int, loaded_ms: int) -> str:
    assert condition.clock is not None
    over = ": it is over" if condition.clock.is_over(now_ms, loaded_ms) else ""
    return f"the clock is at {format_iso(now_ms)}, not {condition.clock}{over}"


def _say_all(condition: Condition, view: RequestView, loaded_ms: int) -> str:
    return f"one of all does not hold: {_say_first(condition, view, loaded_ms)}"


def _say_any(condition: Condition, view: RequestView, loaded_ms: int) -> str:
    said = (_say_first(each, view, loaded_ms) for each in condition.any_)
    return f"none of any holds: {'; nor: '.join(said)}"


def _say_first(condition: Condition, view: RequestView, loaded_ms: int) -> str:
    return next(explain_misses(condition, view, loaded_ms))


def count_misses(condition: Condition, view: RequestView) -> int:
    """How much does not hold of a call: as many things as `explain_misses` says."""
    return (not _is_call(condition, view)) + sum(1 for _ in _find_unmet(condition, view, 0))


def explain_misses(condition: Condition, view: RequestView, loaded_ms: int = 0) -> Iterator[str]:
    """Each thing that does not hold of a call, as a sentence; the call itself comes first."""
    if not _is_call(condition, view):
        wanted = " or ".join(pattern.text for pattern in condition.call)
        yield f"the call is {view.endpoint.operation}, not {wanted}"
    for miss in _find_unmet(condition, view, loaded_ms):
        yield miss()


# --- near misses ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A rule that a call meets in part, and each condition that it does not meet, as a sentence."""

    scenario: str
    rule: str
    missed: tuple[str, ...]


def near_misses(view: RequestView) -> list[NearMiss]:
    """The rules that a call would not meet now, though it does in part; the nearest first.

    A rule is near when the call is one of its calls, or when nothing but the call is different.
    """
    found: list[NearMiss] = []
    for loaded in view.project.scenarios:
        for rule in loaded.rules:
            missed = _explain_misses(rule, view)
            if missed and (_is_call(rule.when, view) or (len(missed) == 1 and _tests_more(rule.when))):
                found.append(NearMiss(loaded.name, rule.name, tuple(missed)))
    return sorted(found, key=lambda miss: len(miss.missed))


def _tests_more(when: When) -> bool:
    """Whether a rule asks for more than the call."""
    return when != When(call=when.call, nth=when.nth, probability=when.probability)


def _explain_misses(rule: LoadedRule, view: RequestView) -> list[str]:
    missed = [*explain_misses(rule.when, view, rule.loaded_ms)]
    project = view.project
    counted = project.requests.rule_states.get(rule.id)
    number = (counted.met if counted else 0) + 1
    if not rule.when.admits(number):
        over = ", and is over" if rule.when.is_over(number) else ""
        missed.append(f"it would be call number {number} of its kind, which the rule's nth leaves out{over}")
    elif not is_chosen(project, rule, number):
        drawn, wanted = draw(project, rule, number), rule.when.probability
        missed.append(f"the draw of call number {number} is {drawn:.2f}, not below the probability {wanted}")
    missed += _explain_ends(rule, view)
    return missed


def _explain_ends(rule: LoadedRule, view: RequestView) -> Iterator[str]:
    """Why a rule would do nothing to a call that it is about: its fault is over, or its limit not reached."""
    state = view.project.requests.rule_states.get(rule.id)
    now_ms = view.project.clock.now_ms
    fired = state.fired if state else 0
    if rule.then.fault is not None and state is not None:
        options = rule.then.fault.options
        if options.times is not None and fired >= options.times:
            yield f"its fault has happened {fired} times, and is over"
        elif options.attempts is not None and (
            count_attempts(view.project, rule.id, view.request) >= options.attempts
        ):
            yield f"its fault has met {options.attempts} attempts of this request, and is over"
        elif fired and options.window is not None and now_ms - state.first_fired_ms >= options.window:
            yield f"its fault began at {format_iso(state.first_fired_ms)}, and its window is over"
