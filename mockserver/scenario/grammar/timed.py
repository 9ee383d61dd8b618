"""Actions that take time or move it, and messages: they happen before or after what a call does."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Discriminator, PlainValidator, Tag, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver.scenario.grammar.parts import (
    DURATION_SCHEMA,
    KEY,
    DurationMs,
    Line,
    Part,
    Says,
    Text,
    at,
    misfit,
    read_duration_ms,
    read_text,
    read_time_ms,
)
from mockserver.scenario.reading.references import has_references


class ClockDelay(NamedTuple):
    """A delay on the project's clock: a frozen one is advanced, a ticking one is waited for."""

    ms: int


class RealDelay(Part):
    """A delay in real time, whatever the clock does."""

    what = "a delay"

    real: DurationMs


def _read_delay(value: Any) -> ClockDelay:
    return ClockDelay(read_duration_ms(value))


Delayed = Annotated[
    Annotated[RealDelay, Tag("[mapping]")]
    | Annotated[ClockDelay, PlainValidator(_read_delay), WithJsonSchema(DURATION_SCHEMA), Tag("[span]")],
    Discriminator(lambda value: "[mapping]" if isinstance(value, dict) else "[span]"),
]
"""How long a call is held up: `2s` on the project's clock, or `{real: 2s}`."""


class MoveClock(NamedTuple):
    """By how much the clock is moved, or to which time."""

    ms: int
    is_relative: bool


def _read_move(value: Any) -> MoveClock:
    text = read_text(value)
    if text.startswith("+"):
        return MoveClock(read_duration_ms(text[1:]), is_relative=True)
    return MoveClock(read_time_ms(text, "a span such as +5m, or a time"), is_relative=False)


Moved = Annotated[MoveClock, PlainValidator(_read_move), WithJsonSchema({"type": "string"})]
"""`+5m`, or a time (ISO 8601); a time that has passed leaves the clock as it is."""


class Message(Part):
    """A mail or a text message that appears in the outbox."""

    what = "a message"

    to: Line
    """An e-mail address or a phone number."""
    channel: Annotated[Literal["email", "sms"], Says("is email or sms")] | None = None
    """Unless given, `email` for what has an @, or else `sms`."""
    kind: Line = "notice"
    """Such as `sign-in`, as the outbox lists it."""
    subject: Text | None = None
    text: Text | None = None
    """Unless given, a sentence with the code or the link."""
    code: Text | None = None
    url: Text | None = None

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """A message says something, and a text message has only its text."""
        if not {"text", "code", "url"} & members.keys():
            yield at(misfit("a message has a text, a code or a url"))
        if "to" in members and not has_references(members["to"]) and _channel_of(members) == "sms":
            for name in ("subject", "url"):
                if name in members:
                    yield at(misfit(f"a text message has no {name}", kind=KEY), name)

    @property
    def is_mail(self) -> bool:
        """Whether it is an e-mail."""
        return _channel_of({"channel": self.channel, "to": self.to}) == "email"

    @property
    def words(self) -> str:
        """Its text, or a sentence with what it carries."""
        if self.text is not None:
            return self.text
        return f"Your one-time code is {self.code}." if self.code else f"Follow this link: {self.url}"


def _channel_of(members: Mapping[str, Any]) -> str:
    return members.get("channel") or ("email" if "@" in str(members["to"]) else "sms")


TimedAction = ClockDelay | RealDelay | MoveClock | Message
"""What happens before or after a call does what it does."""
