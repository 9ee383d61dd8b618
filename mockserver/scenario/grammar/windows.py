"""A span of the project's clock in which a rule is about calls."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver.scenario.grammar.parts import Part, at, is_duration, misfit, read_duration_ms, read_time_ms
from mockserver.scenario.reading.tree import write_scalar


class ClockTime(NamedTuple):
    """A time, or a span since the scenario was loaded."""

    text: str
    ms: int
    relative: bool

    def on_clock(self, loaded_ms: int) -> int:
        """The time in Unix milliseconds, in a scenario that was loaded at another."""
        return self.ms + loaded_ms if self.relative else self.ms

    def __str__(self) -> str:
        return f"{self.text} after loading" if self.relative else self.text


def _read_clock_time(value: Any) -> ClockTime:
    text = "" if isinstance(value, (dict, list)) else write_scalar(value)
    if is_duration(text):
        return ClockTime(text, read_duration_ms(text), relative=True)
    what = "a time span since loading, such as 30s, nor a time"
    return ClockTime(text, read_time_ms(value, what), relative=False)


_ClockTime = Annotated[ClockTime, PlainValidator(_read_clock_time), WithJsonSchema({"type": "string"})]


class ClockWindow(Part):
    """When a call has to come, on the project's clock: at `after` or later, and before `before`."""

    what = "clock"
    empty = "clock has after, before or both"

    after: _ClockTime | None = None
    """A time, or a span since the scenario was loaded."""
    before: _ClockTime | None = None
    """A time, or a span since the scenario was loaded."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """No time is in a span that ends before it begins."""
        try:
            after, before = (_read_clock_time(members.get(name)) for name in ("after", "before"))
        except ValueError:
            return
        if after.relative == before.relative and after.ms >= before.ms:
            yield at(misfit(f"no time is after {after} and before {before}"), "before")

    def contains(self, now_ms: int, loaded_ms: int) -> bool:
        """Whether a time is in it."""
        return (self.after is None or now_ms >= self.after.on_clock(loaded_ms)) and (
            self.before is None or now_ms < self.before.on_clock(loaded_ms)
        )

    def is_over(self, now_ms: int, loaded_ms: int) -> bool:
        """Whether a time is past it."""
        return self.before is not None and now_ms >= self.before.on_clock(loaded_ms)

    def __str__(self) -> str:
        wanted = (("after", self.after), ("before", self.before))
        return " and ".join(f"{name} {moment}" for name, moment in wanted if moment is not None)
