"""The `then` of a rule: what happens to a call."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver import errors
from mockserver.kernel.spelling import quote
from mockserver.scenario.fates import CallFate
from mockserver.scenario.faults import DONE, NONE, Fault, effect_as_written
from mockserver.scenario.parts import (
    KEY,
    MANY,
    DurationMs,
    Line,
    Part,
    Says,
    ShortFor,
    Text,
    at,
    misfit,
    unknown,
)

_INSTEAD = ("answer", "error", "limit")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_FRAMING = ("content-length", "transfer-encoding", "connection", "x-mockserver-rule")
_WITHOUT_BODY = (204, 304)


def _header_name(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise misfit(f"{quote(name)} is not the name of a header")
    if name.lower() in _FRAMING:
        raise misfit(f"the server itself sets {name}")
    return name.lower()


def _header_value(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        raise misfit("a header's value is printable ASCII")
    return text


def error_codes() -> list[str]:
    """The codes that a scenario may answer: those of the API, not those of the mock server itself."""
    return [row.code for row in errors.catalogue() if not row.mock_only]


def _known_code(code: str) -> str:
    codes = error_codes()
    if code not in codes:
        raise unknown("the code of an error in the catalogue", code, codes)
    return code


Status = Annotated[int, Field(ge=200, le=599, strict=True), Says("is a whole number from 200 to 599")]
_HeaderName = Annotated[str, AfterValidator(_header_name)]
_HeaderValue = Annotated[Text, AfterValidator(_header_value)]


class Answer(Part):
    """An answer instead of the real one. A body that is text is sent as it is, anything else as JSON."""

    what = "an answer"

    status: Status = 200
    headers: dict[_HeaderName, _HeaderValue] = field(default_factory=dict)
    body: Any = field(default_factory=lambda: b"")

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Some statuses have no body."""
        if "body" in members and members.get("status") in _WITHOUT_BODY:
            yield at(misfit(f"an answer with the status {members['status']} has no body", kind=KEY), "body")

    def encode_answer(self) -> tuple[int, tuple[tuple[bytes, bytes], ...], bytes]:
        """Status, headers and body as they are sent."""
        headers = {name.encode(): value.encode() for name, value in self.headers.items()}
        if self.body == b"":
            return self.status, tuple(headers.items()), b""
        is_text = isinstance(self.body, str)
        headers.setdefault(b"content-type", b"text/plain; charset=utf-8" if is_text else b"application/json")
        text = self.body if is_text else json.dumps(self.body, separators=(",", ":"), ensure_ascii=False)
        return self.status, tuple(headers.items()), text.encode()


class ErrorSpec(Part):
    """An error of the catalogue by its code; a message or a field of its own if wanted."""

    what = "an error"

    code: Annotated[
        Text,
        AfterValidator(_known_code),
        WithJsonSchema({"type": "string"}),
    ]
    message: Text | None = None
    param: Text | None = None


class LimitSpec(Part):
    """Calls beyond it are rejected until its window is over."""

    what = "a limit"

    count: Annotated[int, Field(ge=0, le=MANY, strict=True), Says(f"is a whole number from 0 to {MANY}")]
    per: DurationMs


class Then(Part):
    """What happens to a call. At most one of `answer`, `error` and `limit` is there."""

    what = "then"
    empty = "then says nothing; it has at least one of {names}"

    answer: Annotated[Answer, ShortFor("status")] | None = None
    error: Annotated[ErrorSpec, ShortFor("code")] | None = None
    limit: LimitSpec | None = None
    fault: Fault | None = None
    """What goes wrong with the connection or the answer."""
    delay: DurationMs = 0
    """How long it takes."""
    patch: dict[str, Any] | None = None
    """A JSON merge patch (RFC 7396) for the real answer."""
    fate: CallFate | None = None
    """What becomes of the transaction that the call creates."""
    state: Line | None = None
    """The state that the project is in from then on."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """What is answered instead of the real answer leaves nothing to change in it."""
        instead = [name for name in _INSTEAD if name in members]
        for name in instead[1:]:
            yield at(misfit(f"{instead[0]} and {name} exclude each other", kind=KEY), name)
        effect = effect_as_written(members["fault"], bool(instead)) if "fault" in members else None
        if "limit" in members and effect is not None:
            yield at(misfit("limit and fault exclude each other", kind=KEY), "fault")
        elif instead and effect == DONE:
            message = f"a fault with the effect done is about the real answer, which {instead[0]} prevents"
            yield at(misfit(message, kind=KEY), "fault")
        preventing = instead[:1] or (["a fault without effect"] if effect == NONE else [])
        for name in ("patch", "fate"):
            if name in members and preventing:
                message = f"{name} is about the real answer, which {preventing[0]} prevents"
                yield at(misfit(message, kind=KEY), name)
