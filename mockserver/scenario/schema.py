"""The grammar of scenario files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import InitErrorDetails

from mockserver.patterns import LONGEST_PATTERNS
from mockserver.scenario.expect import ExpectSteps
from mockserver.scenario.fates import WaitingFate
from mockserver.scenario.given import Step
from mockserver.scenario.parts import (
    Line,
    Part,
    ShortFor,
    Text,
    as_list,
    at,
    misfit,
    unknown,
    validate,
)
from mockserver.scenario.project_setup import Clock, Keys, SettingsSpec
from mockserver.scenario.then import Actions, ThenSpec
from mockserver.scenario.tree import write_scalar
from mockserver.scenario.when import When

WITH_REFERENCES = ("fates", "rules")
"""The parts in which references to captured answers may stand, in place of anything."""

START = "start"
"""The state in which every project begins."""


class Rule(Part):
    """When a call is like this, then that happens."""

    what = "a rule"

    name: Line | None = None
    """What the header `x-mockserver-rule` says; the scenario's name and the rule's number when left out."""
    when: Annotated[When, ShortFor("call")] = field(default_factory=lambda: When())
    """Which calls it is about; every call when left out."""
    then: ThenSpec
    optional: Annotated[bool, Field(strict=True)] = False
    """Whether the rule may never fire; in pytest one that never does fails the test that loads it."""


class LoadedRule(NamedTuple):
    """A rule in a project. The id is that of its `RuleState`."""

    id: str
    name: str
    when: When
    then: Actions
    optional: bool = False


def group_by_operation(rules: Sequence[LoadedRule]) -> Mapping[str | None, tuple[LoadedRule, ...]]:
    """The rules that may be about each operation that one of them names, and under None about any other.

    A rule that names calls by method and path, or no calls, may be about every operation.
    """
    named = [{pattern.operation for pattern in rule.when.call} or {None} for rule in rules]
    groups: dict[str | None, list[LoadedRule]] = {None: []}
    for names in named:
        groups |= {name: [] for name in names}
    for rule, names in zip(rules, named, strict=True):
        for name in groups if None in names else names:
            groups[name].append(rule)
    return {name: tuple(group) for name, group in groups.items()}


def _read_rules(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    rules: tuple[Rule, ...] = validate(value, handler, _find_unreachable_states(value))
    together = sum(len(test.matches or "") for rule in rules for test in rule.when.tests())
    if together > LONGEST_PATTERNS:
        raise misfit(
            f"the rules have patterns of {together:,} characters together; {LONGEST_PATTERNS:,} are allowed"
        )
    return rules


def _find_unreachable_states(rules: Any) -> Iterator[InitErrorDetails]:
    """A state that no rule leads to is a mistake: the rule that asks for it would never do anything."""
    entries = rules if isinstance(rules, list) else []
    reached = [START, *(state for rule in entries for state in _states(rule, "then"))]
    for number, rule in enumerate(entries):
        for state in _states(rule, "when"):
            if state not in reached:
                yield at(unknown("a state that any rule leads to", state, reached), number, "when", "state")


def _states(rule: Any, part: str) -> list[str]:
    parts = as_list(rule.get(part)) if isinstance(rule, dict) else []
    states = [
        state for members in parts if isinstance(members, dict) for state in as_list(members.get("state", []))
    ]
    return [write_scalar(state) for state in states if isinstance(state, (str, int, float))]


Rules = Annotated[tuple[Rule, ...], WrapValidator(_read_rules)]


class Grammar(Part):
    """A scenario: how a project begins, and what goes wrong in it. Every part is optional."""

    what = "a scenario"
    empty = "the scenario is empty"

    name: Line | None = None
    """The file's name when left out."""
    about: Text | None = None
    """What it is for."""
    seed: Text | None = None
    """The seed of all randomness; only for a project that is still empty."""
    clock: Clock | None = None
    keys: Keys = ()
    """More API keys of the project. Live ones open it in live mode."""
    settings: SettingsSpec = field(default_factory=dict)
    """Those that are to be otherwise than usual."""
    given: tuple[Step, ...] = ()
    """Calls of the API that set the project up, in order. The scenario is rejected if one fails."""
    fates: tuple[WaitingFate, ...] = ()
    """What becomes of transactions to come."""
    rules: Rules = ()
    """The first rule that is about a call decides what happens to it."""
    expect: ExpectSteps = ()
    """What has to come of calls: `mockserver test` plays it, and loading leaves it out."""


@cache
def part_adapter(name: str) -> TypeAdapter[Any]:
    """What reads a part of a scenario. Each is built by itself: most scenarios have few of them."""
    return TypeAdapter(Grammar.__annotations__[name])
