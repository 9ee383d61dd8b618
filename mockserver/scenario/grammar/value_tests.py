"""What must hold of a value: a header, a member of the query, or a value in the body or in a resource."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import quote, shorten
from mockserver.patterns import compile_pattern, search
from mockserver.patterns.syntax import PatternError
from mockserver.scenario.grammar.bodies import JsonPath
from mockserver.scenario.grammar.parts import Part, Says, ShortFor, at, misfit, read_text, says
from mockserver.scenario.reading.tree import ABSENT, member_of, read_json_path, write_scalar

_LONGEST_PATH = 1_000
_NUMBER = re.compile(r"-?[0-9]{1,100}(\.[0-9]{1,40})?")


def _check_expression(value: Any) -> str:
    text = read_text(value)
    try:
        compile_pattern(text)
    except PatternError as error:
        raise misfit(f"the pattern {quote(text)} {error}") from None
    return text


def _read_body_path(value: Any) -> JsonPath:
    text = read_text(value)
    if len(text) > _LONGEST_PATH:
        raise misfit(f"a path has at most {_LONGEST_PATH} characters")
    return read_json_path(text)


def _check_number(value: Any) -> Decimal:
    number = _number_of(value)
    if number is None:
        raise says("is a number, or a text of decimal digits")
    return number


def _number_of(value: Any) -> Decimal | None:
    """A number, or what a text of decimal digits says, such as an amount in wei; None for anything else."""
    text = str(value) if isinstance(value, (int, float, str)) else ""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _check_choices(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise says("is an empty list")
    return values


_Expression = Annotated[str, PlainValidator(_check_expression), WithJsonSchema({"type": "string"})]
_Number = Annotated[
    Decimal,
    PlainValidator(_check_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{_NUMBER.pattern}$"}]}),
]
_Test = Annotated["ValueTest", ShortFor("equals")]
BodyPath = Annotated[JsonPath, PlainValidator(_read_body_path), WithJsonSchema({"type": "string"})]
"""A place in JSON: `calls[0].to`, `calls.0.to`, or the JSON pointer `/calls/0/to` (RFC 6901)."""


class ValueTest(Part):
    """What must hold of a value. All of it must."""

    what = "a test"
    empty = "a test has at least one of {names}"

    equals: Any = field(default_factory=lambda: ABSENT)
    """The same JSON."""
    one_of: Annotated[tuple[Any, ...], AfterValidator(_check_choices)] | None = None
    """The same JSON as one of these."""
    subset: Any = field(default_factory=lambda: ABSENT)
    """JSON with at least these members, at any depth. A list has at least these entries, in this order."""
    contains: Any = field(default_factory=lambda: ABSENT)
    """A part of a text, or a member of a list."""
    matches: _Expression | None = None
    """A regular expression of RE2, anywhere in the text."""
    above: _Number | None = None
    """A number that is larger, or a text of digits that says one."""
    at_least: _Number | None = None
    at_most: _Number | None = None
    below: _Number | None = None
    length: _Test | None = None
    """How many entries a list has, or how many characters a text."""
    any: _Test | None = None
    """What must hold of at least one entry of a list."""
    each: _Test | None = None
    """What must hold of every entry of a list; of an empty list it does."""
    has: dict[BodyPath, _Test] | None = None
    """What must hold of members, by path."""
    present: Annotated[bool, Field(strict=True), Says("is true or false")] | None = None
    """Whether it has to be there, or must not be."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """No number is in an empty range, and what must not be there has no value."""
        lowest = _bounds(members, ("above", "at_least"))
        highest = _bounds(members, ("below", "at_most"))
        for low_name, low in lowest:
            for high_name, high in highest:
                if low > high or (low == high and (low_name, high_name) != ("at_least", "at_most")):
                    message = f"no number is {_say(low_name)} {low} and {_say(high_name)} {high}"
                    yield at(misfit(message), high_name)
        if members.get("present") is False and len(members) > 1:
            yield at(misfit("what must not be there has no other test"), "present")

    def passes(self, value: Any, effort: Effort, typed: bool = True) -> bool:
        """Whether a value, or `ABSENT`, is as wanted. What is not typed has only text.

        A pattern that would exceed the effort does not match.
        """
        if value is ABSENT:
            return self.present is False
        return (
            self.present is not False
            and (self.equals is ABSENT or _same(value, self.equals, typed))
            and (self.one_of is None or any(_same(value, wanted, typed) for wanted in self.one_of))
            and (self.subset is ABSENT or _includes(value, self.subset, typed))
            and (self.contains is ABSENT or _contains(value, self.contains, typed))
            and (self.matches is None or search(self.matches, self._text_of(value, effort), effort)[0])
            and self._fits_range(value)
            and self._fits_parts(value, effort, typed)
        )

    def _fits_range(self, value: Any) -> bool:
        above, at_least, at_most, below = self.above, self.at_least, self.at_most, self.below
        if above is None and at_least is None and at_most is None and below is None:
            return True
        number = _number_of(value)
        return (
            number is not None
            and (above is None or number > above)
            and (at_least is None or number >= at_least)
            and (at_most is None or number <= at_most)
            and (below is None or number < below)
        )

    def _fits_parts(self, value: Any, effort: Effort, typed: bool) -> bool:
        """Whether the length, the entries and the members are as wanted."""
        length, any_, each, is_list = self.length, self.any, self.each, isinstance(value, list)
        return (
            (length is None or (isinstance(value, (list, str)) and length.passes(len(value), effort)))
            and (any_ is None or (is_list and any(any_.passes(entry, effort, typed) for entry in value)))
            and (each is None or (is_list and all(each.passes(entry, effort, typed) for entry in value)))
            and all(
                test.passes(value_at(value, path), effort, typed) for path, test in (self.has or {}).items()
            )
        )

    @staticmethod
    def _text_of(value: Any, effort: Effort) -> str:
        # The body of a call is the same for every rule, and may be large.
        return (
            value if isinstance(value, str) else effort.memoize(("text", id(value)), lambda: as_text(value))
        )

    def patterns(self) -> Iterator[str]:
        """The regular expressions in it."""
        if self.matches is not None:
            yield self.matches
        for inner in (self.length, self.any, self.each, *(self.has or {}).values()):
            if inner is not None:
                yield from inner.patterns()

    def __str__(self) -> str:
        said = (_SAYINGS[name](value) for name, value in self.given().items())
        return " and ".join(said)

    def given(self) -> dict[str, Any]:
        """What is asked for, by the names of the members."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        untyped = ("equals", "subset", "contains")
        return {
            name: value for name, value in found.items() if value is not (ABSENT if name in untyped else None)
        }


Test = Annotated[ValueTest, ShortFor("equals")]
"""A test of a value; a plain value has to be equal."""

_SAYINGS: Mapping[str, Callable[[Any], str]] = {
    "equals": lambda value: show(value),
    "one_of": lambda values: f"one of {', '.join(map(show, values))}",
    "subset": lambda value: f"at least {show(value)}",
    "contains": lambda value: f"something with {show(value)}",
    "matches": lambda value: f"a match for {quote(value)}",
    "above": lambda value: f"more than {value}",
    "at_least": lambda value: f"at least {value}",
    "at_most": lambda value: f"at most {value}",
    "below": lambda value: f"less than {value}",
    "length": lambda test: f"the length {test}",
    "any": lambda test: f"an entry that is {test}",
    "each": lambda test: f"only entries that are {test}",
    "has": lambda tests: " and ".join(f"{write_path(path)} to be {test}" for path, test in tests.items()),
    "present": lambda wanted: "it to be there" if wanted else "it not to be there",
}


def _say(name: str) -> str:
    return name.replace("_", " ")


def _bounds(members: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, Decimal]]:
    found = ((name, _number_of(members[name])) for name in names if name in members)
    return [(name, number) for name, number in found if number is not None]


def value_at(value: Any, path: JsonPath) -> Any:
    """The value at a place in JSON, or `ABSENT`."""
    for part in path:
        value = member_of(value, part)
    return value


def write_path(path: JsonPath) -> str:
    """A place in JSON as a message shows it."""
    return ".".join(path) or "all of it"


def _same(value: Any, wanted: Any, typed: bool) -> bool:
    """Equality of JSON, in which 1 is not true; what has only text is compared as text."""
    if not typed and isinstance(value, str):
        return value == ("null" if wanted is None else write_scalar(wanted))
    return _equal(value, wanted)


def _contains(value: Any, wanted: Any, typed: bool) -> bool:
    if isinstance(value, list):
        return any(_same(member, wanted, typed) for member in value)
    return isinstance(value, str) and write_scalar(wanted) in value


def _includes(value: Any, wanted: Any, typed: bool) -> bool:
    """Whether a value has all of what is wanted, and perhaps more."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(name in value and _includes(value[name], member, typed) for name, member in wanted.items())
    if isinstance(value, list) and isinstance(wanted, list):
        # The first entry that fits will do: what comes later has the more room. So it takes linear time.
        entries = iter(value)
        return all(any(_includes(entry, each, typed) for entry in entries) for each in wanted)
    return _same(value, wanted, typed)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def show(value: Any) -> str:
    """A value in a sentence, not too long: a text in quotes, and anything else as JSON."""
    return quote(value) if isinstance(value, str) else shorten(as_text(value))


def as_text(value: Any) -> str:
    """A text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
