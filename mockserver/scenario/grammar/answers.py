"""What rules answer in place of the real answer: any answer, or an error of the catalogue."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver import errors
from mockserver.api.values import to_json
from mockserver.kernel.spelling import quote
from mockserver.scenario.grammar.parts import KEY, Part, Says, Text, at, misfit, unknown

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_FRAMING = ("content-length", "transfer-encoding", "connection", "x-mockserver-rule")
WITHOUT_BODY = (204, 205, 304)
"""The statuses of answers that have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5)."""


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
        if "body" in members and members.get("status") in WITHOUT_BODY:
            yield at(misfit(f"an answer with the status {members['status']} has no body", kind=KEY), "body")

    def encode_answer(self) -> tuple[int, tuple[tuple[bytes, bytes], ...], bytes]:
        """Status, headers and body as they are sent."""
        headers = {name.encode(): value.encode() for name, value in self.headers.items()}
        if isinstance(self.body, bytes):
            # JSON has no bytes: none was given.
            return self.status, tuple(headers.items()), b""
        is_text = isinstance(self.body, str)
        headers.setdefault(b"content-type", b"text/plain; charset=utf-8" if is_text else b"application/json")
        body = self.body.encode() if is_text else to_json(self.body)
        return self.status, tuple(headers.items()), body


class ErrorSpec(Part):
    """An error of the catalogue by its code; a message or a field of its own if wanted."""

    what = "an error"

    code: Annotated[Text, AfterValidator(_known_code), WithJsonSchema({"type": "string"})]
    message: Text | None = None
    param: Text | None = None
