"""The `when` of a rule: which calls it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag, ValidationInfo
from pydantic_core import InitErrorDetails

from mockserver.api.forms import query_name
from mockserver.scenario.grammar.body_tests import check_tests
from mockserver.scenario.grammar.callers import CallerTest
from mockserver.scenario.grammar.calls import CallPattern
from mockserver.scenario.grammar.parts import (
    Count,
    Line,
    OneOrMore,
    Part,
    Says,
    ShortFor,
    as_list,
    at,
    misfit,
    routes_of,
)
from mockserver.scenario.grammar.resources import ResourceTest
from mockserver.scenario.grammar.value_tests import BodyPath, Test
from mockserver.scenario.grammar.windows import ClockWindow

HeaderName = Annotated[str, AfterValidator(str.lower)]
QueryName = Annotated[str, AfterValidator(query_name)]
_Condition = Annotated["Condition", ShortFor("call")]
_Probability = Annotated[float, Field(gt=0, le=1, strict=True), Says("is a number above 0 and up to 1")]


class Nth(Part):
    """Which of the calls that match are meant, counted from 1: some numbers, or a range."""

    what = "nth"
    empty = "nth is a number, a list of numbers, or has some of from, to, every"

    from_: Annotated[Count, Field(alias="from")] = 1
    to: Count | None = None
    every: Count = 1

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """No call is in an empty range."""
        first, last = members.get("from", 1), members.get("to")
        if type(first) is int and type(last) is int and 0 < last < first:
            yield at(misfit(f"no call comes from {first} on and up to {last}"), "to")

    def admits(self, number: int) -> bool:
        """Whether the call with this number is meant."""
        if number < self.from_ or (self.to is not None and number > self.to):
            return False
        return (number - self.from_) % self.every == 0

    def is_over(self, number: int) -> bool:
        """Whether no call from this number on is meant."""
        return self.to is not None and number > self.to


NthCalls = Annotated[
    Annotated[Nth, Tag("[range]")] | Annotated[OneOrMore[Count], Tag("[numbers]")],
    Discriminator(lambda value: "[range]" if isinstance(value, dict) else "[numbers]"),
]


class CallsMeant(Part):
    """Which calls are meant. All of it must hold; every call without any."""

    what = "a description of calls"

    call: OneOrMore[CallPattern] = ()
    """Any of these; every call when there are none."""
    headers: dict[HeaderName, Test] = field(default_factory=dict)
    query: dict[QueryName, Test] = field(default_factory=dict)
    body: dict[BodyPath, Test] = field(default_factory=dict)
    """Values by path: `calls[0].to`, `calls.0.to` or the JSON pointer `/calls/0/to`."""


class Condition(CallsMeant):
    """What must hold of a call. All of it must."""

    what = "a condition"
    empty = "a condition has at least one of {names}"

    caller: CallerTest | None = None
    """Who calls."""
    clock: ClockWindow | None = None
    """When the call comes, on the project's clock."""
    resource: OneOrMore[ResourceTest] = ()
    """What is the case of these when the call comes."""
    state: OneOrMore[Line] = ()
    """The state that the project is in is one of these; any when there are none."""
    all_: Annotated[OneOrMore[_Condition], Field(alias="all")] = ()
    """Each of these holds."""
    any_: Annotated[OneOrMore[_Condition], Field(alias="any")] = ()
    """At least one of these holds."""
    not_: Annotated[_Condition | None, Field(alias="not")] = None
    """This does not hold."""

    def tests(self) -> Iterator[Any]:
        """What must hold of headers, query, body, user and resources, also within `all`, `any` and `not`."""
        yield from (*self.headers.values(), *self.query.values(), *self.body.values())
        if self.caller is not None and self.caller.user is not None:
            yield self.caller.user
        for resource in self.resource:
            yield from (resource.has or {}).values()
        for inner in self.inner():
            yield from inner.tests()

    def inner(self) -> "Iterator[Condition]":
        """The conditions that it is made of."""
        yield from (*self.all_, *self.any_)
        if self.not_ is not None:
            yield self.not_


class When(Condition):
    """Which calls a rule is about. All of it must hold."""

    what = "when"
    empty = "when says nothing; leave it out for a rule about every call"

    nth: NthCalls | None = None
    """Which of the calls for which all else holds."""
    probability: _Probability | None = None
    """Which part of the calls for which all else holds, drawn by the project's entropy."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """A rule that asks for what no body of its operations can have would never do anything."""
        yield from _check_bodies(members, [], info)

    def admits(self, number: int) -> bool:
        """Whether the call with this number, of those for which all else holds, is meant."""
        if self.nth is None:
            return True
        return number in self.nth if isinstance(self.nth, tuple) else self.nth.admits(number)

    def is_over(self, number: int) -> bool:
        """Whether no call from this number on is meant."""
        nth = self.nth
        return number > max(nth) if isinstance(nth, tuple) else nth is not None and nth.is_over(number)


def _check_bodies(
    condition: Mapping[str, Any], calls: list[Any], info: ValidationInfo, *loc: int | str
) -> Iterator[InitErrorDetails]:
    """Hold the tests of bodies against the operations that are called, which conditions within inherit."""
    calls = as_list(condition.get("call", calls))
    operations = routes_of(info).by_operation
    named = [operations[call].body for call in calls if isinstance(call, str) and call in operations]
    if named and len(named) == len(calls):
        for error in check_tests(condition.get("body"), named, f"a body of {' or '.join(calls)}", "body"):
            yield InitErrorDetails(type=error["type"], loc=(*loc, *error["loc"]), input=None)
    for within, each in inner_conditions(condition):
        yield from _check_bodies(each, calls, info, *loc, *within)


def inner_conditions(condition: Mapping[str, Any]) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """The conditions in one that is not yet validated, and where they stand in it."""
    for name in ("all", "any"):
        for number, each in enumerate(as_list(condition.get(name, []))):
            if isinstance(each, dict):
                yield (name, number), each
    if isinstance(condition.get("not"), dict):
        yield ("not",), condition["not"]


def operations_of(condition: Condition) -> frozenset[str] | None:
    """The operations that a condition may hold of; None for any."""
    sets = [operations_of(each) for each in condition.all_]
    if condition.call:
        sets.append(frozenset().union(*(pattern.operations for pattern in condition.call)))
    alternatives = [operations_of(each) for each in condition.any_]
    known = [each for each in alternatives if each is not None]
    if known and len(known) == len(alternatives):
        sets.append(frozenset().union(*known))
    wanted = [each for each in sets if each is not None]
    return frozenset.intersection(*wanted) if wanted else None
