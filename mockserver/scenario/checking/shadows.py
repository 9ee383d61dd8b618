"""Rules that never do anything, because an earlier one of the same file always decides before them."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import quote
from mockserver.scenario.checking.load import Scenario
from mockserver.scenario.grammar.calls import Pattern
from mockserver.scenario.grammar.schema import Rule
from mockserver.scenario.grammar.then import put_in_order
from mockserver.scenario.grammar.value_tests import ValueTest
from mockserver.scenario.grammar.when import Condition, operations_of
from mockserver.scenario.reading.findings import MAX_FINDINGS, Place
from mockserver.scenario.reading.tree import ABSENT

_VALUES = ("headers", "query", "body")
_OTHERS = ("caller", "clock", "resource", "all_", "any_", "not_")

Sign = tuple[str, str, str | None]
"""A test by which a rule is found again: of what, of which name, and the value that it must be equal to."""


def find_shadows(scenario: Scenario, effort: int | None = None) -> Iterator[tuple[Place, str]]:
    """Each rule that another one shadows, the first hundred of them: where it stands, and a sentence.

    Rules are told to shadow others where that is certain; of two patterns of paths, only if they are equal
    or if one means all calls of an operation. With an effort, a number of values that may be compared, the
    rules that are left when it is spent are not looked at.
    """
    budget = Effort(sys.maxsize if effort is None else effort)
    sizes = [entry.size for entry in scenario.root.value["rules"].value] if scenario.rules else []
    earlier: dict[str | None, dict[Sign | None, list[int]]] = {}
    found = 0
    for number, rule in enumerate(scenario.rules):
        shadow = None
        for other in _candidates(rule, earlier):
            wide = scenario.rules[other].when
            if not budget.take(sizes[other] + len(wide.call) * len(rule.when.call)):
                return
            if _covers(wide, rule.when):
                shadow = other
                break
        if shadow is not None:
            said = scenario.rules[shadow].name
            name = quote(said) if said else f"number {shadow + 1}"
            yield (
                scenario.place("rules", number),
                f"this rule never decides: the rule {name} before it decides about all of its calls",
            )
            found += 1
            if found == MAX_FINDINGS:
                return
        elif _always_decides(rule):
            for operation in operations_of(rule.when) or (None,):
                signs = earlier.setdefault(operation, {})
                signs.setdefault(next(_signs(rule.when), None), []).append(number)


def _candidates(rule: Rule, earlier: Mapping[str | None, Mapping[Sign | None, list[int]]]) -> Iterator[int]:
    """The earlier rules that may shadow a rule: those that have a test in common with it or none."""
    # A rule that shadows this one does so for each of its operations, so the first will do.
    operation = min(operations_of(rule.when) or (None,), key=str)
    for name in dict.fromkeys((operation, None)):
        signs = earlier.get(name, {})
        for sign in (None, *_signs(rule.when)):
            yield from signs.get(sign, ())


def _signs(condition: Condition) -> Iterator[Sign]:
    for kind in _VALUES:
        for name, test in getattr(condition, kind).items():
            if test.equals is not ABSENT:
                yield kind, str(name), repr(test.equals)
            yield kind, str(name), None


def _always_decides(rule: Rule) -> bool:
    """Whether a rule acts on every call that it is about."""
    then = put_in_order(rule.then)
    fault = then.fault
    options = fault.options if fault is not None else None
    ends = options is not None and not (options.times is options.attempts is options.window is None)
    return not ends and rule.when.nth is None and rule.when.probability is None and then.limit is None


def _covers(wide: Condition, narrow: Condition) -> bool:
    """Whether all that one condition holds of the other does, too."""
    return (
        _covers_calls(wide.call, narrow.call)
        and (not wide.state or (bool(narrow.state) and {*narrow.state} <= {*wide.state}))
        and all(_covers_values(getattr(wide, kind), getattr(narrow, kind)) for kind in _VALUES)
        and all(not getattr(wide, name) or getattr(wide, name) == getattr(narrow, name) for name in _OTHERS)
    )


def _covers_calls(wide: tuple[Pattern, ...], narrow: tuple[Pattern, ...]) -> bool:
    if not wide:
        return True
    return bool(narrow) and all(any(_covers_call(one, other) for one in wide) for other in narrow)


def _covers_call(wide: Pattern, narrow: Pattern) -> bool:
    if wide == narrow:
        return True
    return wide.operation is not None and narrow.operations == frozenset([wide.operation])


def _covers_values(wide: Mapping[Any, ValueTest], narrow: Mapping[Any, ValueTest]) -> bool:
    return all(name in narrow and _covers_value(test, narrow[name]) for name, test in wide.items())


def _covers_value(wide: ValueTest, narrow: ValueTest) -> bool:
    if wide == narrow:
        return True
    if narrow.equals is not ABSENT:
        # Headers and queries are text; what is equal as JSON is equal as text, too.
        return wide.passes(narrow.equals, Effort())
    return wide.given() == {"present": True} and narrow.present is not False
