"""The `when` of a rule: which calls it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import InitErrorDetails

from mockserver.api.forms import query_name
from mockserver.scenario.body_tests import check_tests
from mockserver.scenario.callers import CallerTest
from mockserver.scenario.calls import CallPattern
from mockserver.scenario.nth import NthCalls
from mockserver.scenario.parts import Line, OneOrMore, Part, Says, ShortFor, as_list, routes_of
from mockserver.scenario.resources import ResourceTest
from mockserver.scenario.value_tests import BodyPath, Test
from mockserver.scenario.windows import ClockWindow

HeaderName = Annotated[str, AfterValidator(str.lower)]
QueryName = Annotated[str, AfterValidator(query_name)]
_Condition = Annotated["Condition", ShortFor("call")]
_Probability = Annotated[float, Field(gt=0, le=1, strict=True), Says("is a number above 0 and up to 1")]


class Condition(Part):
    """What must hold of a call. All of it must."""

    what = "a condition"
    empty = "a condition has at least one of {names}"

    call: OneOrMore[CallPattern] = ()
    """Any of these; every call when there are none."""
    headers: dict[HeaderName, Test] = field(default_factory=dict)
    query: dict[QueryName, Test] = field(default_factory=dict)
    body: dict[BodyPath, Test] = field(default_factory=dict)
    """Values by path: `calls[0].to`, `calls.0.to` or the JSON pointer `/calls/0/to`."""
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
        if self.nth is None:
            return False
        return number > max(self.nth) if isinstance(self.nth, tuple) else self.nth.is_over(number)


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
    for name in ("all", "any"):
        for number, each in enumerate(as_list(condition.get(name, []))):
            if isinstance(each, dict):
                yield from _check_bodies(each, calls, info, *loc, name, number)
    if isinstance(condition.get("not"), dict):
        yield from _check_bodies(condition["not"], calls, info, *loc, "not")
