"""Rate limits as scenarios spell them, and those that have a name."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, InitErrorDetails

from mockserver.domain.time.rate_limits import CODES, CREDENTIALS, OTHERS, PHONE
from mockserver.domain.time.rate_windows import MOST_SLIDING_CALLS, Kind, Limit
from mockserver.scenario.grammar.parts import (
    MANY,
    DurationMs,
    OneOrMore,
    Part,
    Says,
    ShortFor,
    Text,
    at,
    misfit,
    unknown,
)

By = Literal["project", "key", "user", "address", "operation"]
Style = Literal["none", "draft", "draft-06", "x-ratelimit"]


class Preset(NamedTuple):
    """A limit with a name, and what it counts by."""

    limit: Limit
    by: tuple[By, ...] = ("address", "operation")


PRESETS: Mapping[str, Preset] = {
    "sign_in": Preset(CREDENTIALS),
    "sign_in_codes": Preset(CODES),
    "sign_in_phone": Preset(PHONE),
    "sign_in_others": Preset(OTHERS),
    "invented_per_key": Preset(Limit(60_000, 600, "fixed_window"), ("key",)),
    "invented_per_user": Preset(Limit(60_000, 60, "sliding_window"), ("user",)),
    "invented_bursts": Preset(Limit(10_000, 20, "token_bucket"), ("key",)),
}
"""The limits with a name: those of sign-in as the reference implementation has them, others invented."""


def _known_preset(name: str) -> str:
    if name not in PRESETS:
        raise unknown("a rate limit with a name", name, PRESETS)
    return name


class LimitSpec(Part):
    """Calls beyond it are refused with 429."""

    what = "a limit"

    preset: Annotated[Text, AfterValidator(_known_preset)] | None = None
    """A limit with a name; the other members change what they say."""
    count: (
        Annotated[int, Field(ge=0, le=MANY, strict=True), Says(f"is a whole number from 0 to {MANY}")] | None
    ) = None
    per: DurationMs | None = None
    by: OneOrMore[Annotated[By, Says(f"is one of {', '.join(get_args(By))}")]] = ()
    """What is counted apart; all calls of the project together unless given.

    Calls without it, such as those of no user, have no limit."""
    kind: Annotated[Kind, Says(f"is one of {', '.join(get_args(Kind))}")] | None = None
    """How calls are counted; `fixed_window` unless given."""
    headers: Annotated[Style, Says(f"is one of {', '.join(get_args(Style))}")] | None = None
    """Which headers tell the client; none unless given."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Without a name, a limit says itself how many calls it allows and in which time."""
        for name in ("count", "per"):
            if name not in members and "preset" not in members:
                yield at(misfit(f"a limit has a {name}"))
        number, named = members.get("count"), PRESETS.get(str(members.get("preset")))
        is_sliding = members.get("kind", named and named.limit.kind) == "sliding_window"
        if is_sliding and isinstance(number, int) and number > MOST_SLIDING_CALLS:
            message = f"a sliding window counts at most {MOST_SLIDING_CALLS:,} calls"
            yield at(misfit(message), "count")

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        described = super().__get_pydantic_json_schema__(schema, handler)
        handler.resolve_ref_schema(described)["anyOf"] = [
            {"required": ["preset"]},
            {"required": ["count", "per"]},
        ]
        return described

    @property
    def limit(self) -> Limit:
        """How many calls in which time, and how they are counted."""
        named = PRESETS[self.preset].limit if self.preset is not None else Limit(0, 0, "fixed_window")
        count = named.max_calls if self.count is None else self.count
        return Limit(self.per or named.window_ms, count, self.kind or named.kind)

    @property
    def counted_by(self) -> tuple[By, ...]:
        """What is counted apart."""
        if self.by:
            return self.by
        return ("project",) if self.preset is None else PRESETS[self.preset].by

    @property
    def style(self) -> Style:
        """Which headers tell the client."""
        return self.headers or "none"


Limited = Annotated[LimitSpec, ShortFor("preset")]
"""A limit by its name, or with its members."""
