"""Which of the calls that match are meant."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, ValidationInfo
from pydantic_core import InitErrorDetails

from mockserver.scenario.parts import Count, OneOrMore, Part, at, misfit


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
