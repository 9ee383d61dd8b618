"""Faults as scenarios spell them: what goes wrong with the connection or the answer of a call."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError

from mockserver.kernel.spelling import quote
from mockserver.scenario.grammar.parts import (
    KEY,
    MANY,
    Count,
    DurationMs,
    Part,
    Says,
    ShortFor,
    Text,
    at,
    misfit,
    unknown,
)

_MOST_RANDOM_BYTES = 65_536

NONE, DONE = "none", "done"
"""The effects of the call that a fault leaves: none, or what the call does anyway."""

OF_ANSWERS = frozenset(
    {"truncate_body", "slow_response", "wrong_content_length", "wrong_content_type", "malformed_json"}
)
"""The faults that leave something of the answer."""

TWICE = "duplicate_request"
"""The fault of the request itself."""

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}(; ?[\w-]{1,40}=[\w-]{1,80})?", re.ASCII)

_ELSEWHERE = {
    "bandwidth": "slow_response",
    "chunked_dribble_delay": "slow_response",
    "chunkeddribbledelay": "slow_response",
    "down": "connection_reset_by_peer",
    "limit_data": "truncate_body",
    "reset_peer": "connection_reset_by_peer",
    "slicer": "slow_response",
    "slow_close": "timeout",
}
"""The names that Toxiproxy and WireMock have for these faults."""


def _media_type(text: str) -> str:
    if not _MEDIA_TYPE.fullmatch(text):
        raise misfit("a content type is of the form text/html; charset=utf-8")
    return text


class FaultOptions(Part):
    """What every fault may say: whether the call has its effect, and when the fault is over."""

    what = "a fault"
    effect: Annotated[Literal["none", "done"], Says("is none or done")] | None = None
    """With `done` the call does what it does and only its answer suffers; with `none` it does nothing.
    Unless given, `done` for faults that leave something of the real answer."""
    times: Count | None = None
    """How often it happens."""
    attempts: Count | None = None
    """How often it happens to one request: attempts with the same `x-request-id`, or else with the same
    idempotency key, are one request; calls with neither are counted together."""
    window: DurationMs | None = None
    """How long it happens, on the project's clock, from the first time on."""


class TruncatedBody(FaultOptions):
    """The connection ends within the body."""

    what = "truncate_body"

    keep: Annotated[int, Field(ge=0, le=MANY, strict=True), Says("is a whole number from 0")] | None = None
    """How many bytes of the body are sent; half of them unless given."""


class SlowResponse(FaultOptions):
    """The body comes in pieces, with a pause of real time before each."""

    what = "slow_response"

    chunk_size: Count = 16
    """In bytes."""
    chunk_delay: DurationMs = 100


class Timeout(FaultOptions):
    """Nothing is answered while the connection stays open."""

    what = "timeout"

    after: DurationMs | None = None
    """When the server hangs up, in real time; unless given, the client has to."""


class RandomData(FaultOptions):
    """Random bytes instead of HTTP."""

    what = "random data"

    size: Annotated[
        int,
        Field(ge=1, le=_MOST_RANDOM_BYTES, strict=True),
        Says(f"is a whole number from 1 to {_MOST_RANDOM_BYTES}"),
    ] = 64
    """How many bytes."""


class WrongContentLength(FaultOptions):
    """The header says another length than the body has; then the connection ends."""

    what = "wrong_content_length"

    by: Annotated[int, Field(ge=-MANY, le=MANY, strict=True), Says("is a whole number")] = 1
    """How many bytes more it says, or fewer if negative."""


class WrongContentType(FaultOptions):
    """The header says another type than the body has."""

    what = "wrong_content_type"

    content_type: Annotated[Text, AfterValidator(_media_type)] = "text/html"


class ServerError(FaultOptions):
    """A page of a gateway instead of the answer."""

    what = "server_error"

    status: Annotated[int, Field(ge=500, le=599, strict=True), Says("is a whole number from 500 to 599")] = (
        503
    )


class DuplicateRequest(FaultOptions):
    """The request arrives twice, and the client gets the second answer."""

    what = "duplicate_request"

    effect: Annotated[Literal["done"], Says("is done")] | None = None
    """The call does what it does, and does it again."""


class FaultSpec(Part):
    """A fault: exactly one of these."""

    what = "a fault"
    empty = "a fault is one of {names}"

    connection_reset_by_peer: FaultOptions | None = None
    """The connection is reset (TCP RST), and nothing is answered."""
    empty_response: FaultOptions | None = None
    """The connection is closed, and nothing is answered."""
    malformed_response_chunk: RandomData | None = None
    """The head of a chunked answer with status 200, random bytes, and the end of the connection."""
    random_data_then_close: RandomData | None = None
    """Random bytes that are no HTTP, and the end of the connection."""
    truncate_body: TruncatedBody | None = None
    slow_response: SlowResponse | None = None
    timeout: Timeout | None = None
    wrong_content_length: WrongContentLength | None = None
    wrong_content_type: WrongContentType | None = None
    malformed_json: FaultOptions | None = None
    """The body lacks its end; its length is stated as it is."""
    server_error: ServerError | None = None
    duplicate_request: DuplicateRequest | None = None
    """The request arrives twice, as when a proxy sends it again; the first answer is lost."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Only one thing can happen to an answer."""
        first, *others = members
        for name in others:
            yield at(misfit(f"{first} and {name} exclude each other", kind=KEY), name)

    @classmethod
    def _reword(cls, error: ErrorDetails) -> InitErrorDetails:
        match error["type"], error["loc"]:
            case "unexpected_keyword_argument", (str(name),):
                return at(unknown_fault(name, KEY), name)
        return super()._reword(error)

    def has_effect(self, is_answered: bool) -> bool:
        """Whether the call does what it does; not by itself if the rule answers in its place."""
        return (self.options.effect or _default_effect(self.kind, is_answered)) == DONE

    @property
    def kind(self) -> str:
        """The name of the fault."""
        return next(name for name in self.names() if getattr(self, name) is not None)

    @property
    def options(self) -> FaultOptions:
        """What is said about the fault."""
        options: FaultOptions = getattr(self, self.kind)
        return options


def unknown_fault(name: str, kind: str = "misfit") -> PydanticCustomError:
    """The error of a name that is no fault, with the name that another tool's fault has here."""
    if name.lower() == "latency":
        return misfit(f"{quote(name)} is not a fault but an action of its own: `delay`", kind=kind)
    known = _ELSEWHERE.get(name.lower())
    if known is not None:
        return misfit(f"{quote(name)} is not a fault", known, kind)
    return unknown("a fault", name, FaultSpec.names(), kind)


def _default_effect(kind: object, is_answered: bool) -> str:
    return DONE if kind == TWICE or (kind in OF_ANSWERS and not is_answered) else NONE


def kind_as_written(fault: Any) -> str | None:
    """The name of a fault that is not yet validated; None if it is not to be made out."""
    return fault if isinstance(fault, str) else next(iter(fault), None) if isinstance(fault, dict) else None


def effect_as_written(fault: Any, is_answered: bool) -> str | None:
    """The effect that a fault which is not yet validated leaves; None if it is not to be made out."""
    written = {fault: {}} if isinstance(fault, str) else fault
    if not isinstance(written, dict) or len(written) != 1:
        return None
    ((kind, options),) = written.items()
    effect = options.get("effect") if isinstance(options, dict) else None
    return effect if effect in (NONE, DONE) else _default_effect(kind, is_answered)


class _ByName(ShortFor):
    """Makes the name of a fault stand for that fault without options."""

    def in_full(self, value: Any) -> Any:
        """The mapping that a value stands for."""
        if not isinstance(value, str):
            return value
        if value not in FaultSpec.names():
            raise unknown_fault(value)
        return {value: {}}

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        full = handler(schema)
        return {"anyOf": [{"enum": FaultSpec.names()}, full]}


Fault = Annotated[FaultSpec, _ByName("name")]
"""A fault by its name, or with its options."""
