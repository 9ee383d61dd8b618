"""The grammar of scenario files."""

from collections.abc import Iterator
from dataclasses import field
from functools import cache
from itertools import islice
from typing import Annotated, Any, NamedTuple

from pydantic import (
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import InitErrorDetails

from mockserver.api.endpoint import Routes
from mockserver.domain.transactions.fate_options import kind_of
from mockserver.patterns import LONGEST_PATTERNS
from mockserver.scenario.grammar.expect import ExpectSteps
from mockserver.scenario.grammar.fates import WaitingFate
from mockserver.scenario.grammar.given import Step
from mockserver.scenario.grammar.parts import (
    KEY,
    Line,
    OneOrMore,
    Part,
    ShortFor,
    Text,
    as_list,
    at,
    misfit,
    rewrap,
    routes_of,
    unknown,
    validate,
)
from mockserver.scenario.grammar.project_setup import Clock, Keys, SettingsSpec
from mockserver.scenario.grammar.then import Actions, ThenSpec, put_in_order
from mockserver.scenario.grammar.when import When, inner_conditions, operations_of
from mockserver.scenario.reading.findings import MAX_FINDINGS
from mockserver.scenario.reading.references import has_references
from mockserver.scenario.reading.tree import write_scalar

WITH_REFERENCES = ("fates", "rules")
"""The parts in which references to captured answers may stand, in place of anything."""

_PORTION = 100

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


def _find_lost_fates(
    rules: tuple[Rule, ...], written: Any, info: ValidationInfo
) -> Iterator[InitErrorDetails]:
    """A fate that no transaction would take is a mistake: the test would pass without it."""
    for number, rule in enumerate(rules):
        message = _explain_lost_fate(rule, routes_of(info))
        if message is not None:
            then = written[number]["then"]
            entries = enumerate(then) if isinstance(then, (list, tuple)) else ()
            entry = [place for place, actions in entries if "fate" in actions]
            yield at(misfit(message, kind=KEY), number, "then", *entry, "fate")


def _explain_lost_fate(rule: Rule, routes: Routes) -> str | None:
    fate = put_in_order(rule.then).fate
    if fate is None:
        return None
    if kind_of(fate) == "solana_transaction":
        return "no call creates a Solana transaction: this fate belongs under fates, for those of the test"
    operations = operations_of(rule.when)
    transacting = sorted(name for name, endpoint in routes.by_operation.items() if endpoint.transacts)
    if operations is None or not operations.isdisjoint(transacting):
        return None
    about = f"calls of {min(operations)}" if len(operations) == 1 else "these calls"
    return f"fate is for a transaction, and {about} create none; those of {', '.join(transacting)} do"


class LoadedRule(NamedTuple):
    """A rule in a project. The id is that of its `RuleState`."""

    id: str
    name: str
    when: When
    then: Actions
    draws: str
    """The name of the draws of its probability: the scenario's name and the rule's number."""
    loaded_ms: int
    """When the scenario was loaded, on the project's clock."""
    optional: bool


def _read_in_portions(entries: list[Any], handler: ValidatorFunctionWrapHandler) -> tuple[Rule, ...]:
    """The rules of a list, up to the portion in which there is as much wrong as is listed."""
    rules: list[Rule] = []
    wrong: list[InitErrorDetails] = []
    certain = 0
    for first in range(0, len(entries), _PORTION):
        try:
            rules += handler(entries[first : first + _PORTION])
        except ValidationError as error:
            for each in error.errors():
                number, *loc = each["loc"]
                wrong.append(rewrap(each, (first + int(number), *loc)))
                # A value with a reference may turn out right when that is put in.
                certain += not has_references(each["input"])
        if certain >= MAX_FINDINGS:
            break
    if wrong:
        raise ValidationError.from_exception_data("rules", wrong)
    return tuple(rules)


def _read_rules(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    def read(value: Any) -> Any:
        return _read_in_portions(value, handler) if isinstance(value, list) else handler(value)

    rules: tuple[Rule, ...] = validate(value, read, islice(_find_unreachable_states(value), MAX_FINDINGS))
    lost = [*islice(_find_lost_fates(rules, value, info), MAX_FINDINGS)]
    if lost:
        raise ValidationError.from_exception_data("scenario", lost)
    together = sum(
        len(pattern) for rule in rules for test in rule.when.tests() for pattern in test.patterns()
    )
    if together > LONGEST_PATTERNS:
        raise misfit(
            f"the rules have patterns of {together:,} characters together; {LONGEST_PATTERNS:,} are allowed"
        )
    return rules


def _find_unreachable_states(rules: Any) -> Iterator[InitErrorDetails]:
    """A state that no rule leads to is a mistake: the rule that asks for it would never do anything."""
    entries = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    # Each once, in the order of the file.
    reached = dict.fromkeys([START, *(state for rule in entries for state in _states(rule.get("then")))])
    known = tuple(reached)
    for number, rule in enumerate(rules if entries else ()):
        for loc, state in _asked_states(rule.get("when") if isinstance(rule, dict) else None):
            if state not in reached:
                yield at(unknown("a state that any rule leads to", state, known), number, "when", *loc)


def _asked_states(condition: Any) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """The states that a condition and those in it ask for, and where."""
    if not isinstance(condition, dict):
        return
    for state in _states(condition):
        yield ("state",), state
    for within, each in inner_conditions(condition):
        for loc, state in _asked_states(each):
            yield (*within, *loc), state


def _states(part: Any) -> list[str]:
    """The states of a condition, or of actions, which may be a list."""
    parts = [members for members in as_list(part) if isinstance(members, dict)]
    states = [state for members in parts for state in as_list(members.get("state", []))]
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
    requires: OneOrMore[Line] = ()
    """Other files that are loaded before this one, relative to it. Over HTTP, scenarios that are loaded."""
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
