"""The `when` of a rule: which calls it is about."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import InitErrorDetails

from mockserver.api.forms import query_name
from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import quote
from mockserver.patterns import PatternError, compile_pattern, search
from mockserver.scenario.bodies import JsonPath, knows
from mockserver.scenario.calls import CallPattern
from mockserver.scenario.parts import (
    KEY,
    Count,
    Line,
    OneOrMore,
    Part,
    Says,
    ShortFor,
    as_list,
    at,
    misfit,
    read_text,
    routes_of,
)
from mockserver.scenario.tree import ABSENT, split_path, write_scalar


def _check_expression(value: Any) -> str:
    text = read_text(value)
    try:
        compile_pattern(text)
    except PatternError as error:
        raise misfit(f"the pattern {quote(text)} {error}") from None
    return text


_Expression = Annotated[str, PlainValidator(_check_expression), WithJsonSchema({"type": "string"})]


class ValueTest(Part):
    """What must hold of a header, a member of the query, or a value in the body. All of it must."""

    what = "a test"
    empty = "a test has at least one of equals, contains, matches and present"

    equals: Any = field(default_factory=lambda: ABSENT)
    """The same JSON."""
    contains: Any = field(default_factory=lambda: ABSENT)
    """A part of a text, or a member of a list."""
    matches: _Expression | None = None
    """A regular expression of RE2, anywhere in the text."""
    present: Annotated[bool, Field(strict=True), Says("is true or false")] | None = None
    """Whether it has to be there, or must not be."""

    def passes(self, value: Any, effort: Effort, typed: bool) -> bool:
        """Whether a value, or `ABSENT`, is as wanted. What is not typed has only text.

        A pattern that would exceed the effort does not match.
        """
        if value is ABSENT:
            return not self.present and (self.equals, self.contains, self.matches) == (ABSENT, ABSENT, None)
        return (
            self.present is not False
            and (self.equals is ABSENT or _same(value, self.equals, typed))
            and (self.contains is ABSENT or _contains(value, self.contains, typed))
            and (self.matches is None or search(self.matches, self._text_of(value, effort), effort)[0])
        )

    @staticmethod
    def _text_of(value: Any, effort: Effort) -> str:
        # The body of a call is the same for every rule, and may be large.
        return (
            value if isinstance(value, str) else effort.memoize(("text", id(value)), lambda: as_text(value))
        )

    def __str__(self) -> str:
        said = []
        if self.equals is not ABSENT:
            said.append(quote(as_text(self.equals)))
        if self.contains is not ABSENT:
            said.append(f"something with {quote(as_text(self.contains))}")
        if self.matches is not None:
            said.append(f"a match for {quote(self.matches)}")
        if self.present is not None:
            said.append("it to be there" if self.present else "it not to be there")
        return " and ".join(said)


def _same(value: Any, wanted: Any, typed: bool) -> bool:
    """Equality of JSON, in which 1 is not true; what has only text is compared as text."""
    if not typed and isinstance(value, str):
        return value == ("null" if wanted is None else write_scalar(wanted))
    return _equal(value, wanted)


def _contains(value: Any, wanted: Any, typed: bool) -> bool:
    if isinstance(value, list):
        return any(_same(member, wanted, typed) for member in value)
    return isinstance(value, str) and write_scalar(wanted) in value


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def as_text(value: Any) -> str:
    """A text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


NamedTest = Annotated[ValueTest, ShortFor("equals")]
HeaderName = Annotated[str, AfterValidator(str.lower)]
_QueryName = Annotated[str, AfterValidator(query_name)]
BodyPath = Annotated[JsonPath, PlainValidator(split_path), WithJsonSchema({"type": "string"})]

# --- which of the calls ---------------------------------------------------------------------------------


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


_Nth = Annotated[
    Annotated[Nth, Tag("[range]")] | Annotated[OneOrMore[Count], Tag("[numbers]")],
    Discriminator(lambda value: "[range]" if isinstance(value, dict) else "[numbers]"),
]


class When(Part):
    """Which calls a rule is about. All of it must hold."""

    what = "when"
    empty = "when says nothing; leave it out for a rule about every call"

    call: OneOrMore[CallPattern] = ()
    """Any of these; every call when there are none."""
    headers: dict[HeaderName, NamedTest] = field(default_factory=dict)
    query: dict[_QueryName, NamedTest] = field(default_factory=dict)
    body: dict[BodyPath, NamedTest] = field(default_factory=dict)
    """Values by path: `calls[0].to`, or `calls.0.to`."""
    nth: _Nth | None = None
    """Which of the calls for which all else holds."""
    state: OneOrMore[Line] = ()
    """The state that the project is in is one of these; any when there are none."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """A rule that asks for what no body of its operations can have would never do anything."""
        calls, body = as_list(members.get("call", [])), members.get("body")
        operations = routes_of(info).by_operation
        named = [operations[call].body for call in calls if isinstance(call, str) and call in operations]
        if not named or len(named) < len(calls) or not isinstance(body, dict):
            return
        for path, test in body.items():
            absent = isinstance(test, dict) and "present" in test
            if not absent and not any(
                shape is not None and knows(shape, split_path(path)) for shape in named
            ):
                message = f"{quote(path)} is nothing that a body of {' or '.join(calls)} has"
                yield at(misfit(message, kind=KEY), "body", path)

    def tests(self) -> Iterator[ValueTest]:
        """What must hold of headers, query and body."""
        yield from (*self.headers.values(), *self.query.values(), *self.body.values())

    def admits(self, number: int) -> bool:
        """Whether the call with this number, of those for which all else holds, is meant."""
        if self.nth is None:
            return True
        return number in self.nth if isinstance(self.nth, tuple) else self.nth.admits(number)
