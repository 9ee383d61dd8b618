"""The `expect` of a scenario: calls and what has to come of them, which makes the file a test."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Discriminator, Field, Tag, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.kernel.effort import Effort
from mockserver.scenario.grammar.answers import Status
from mockserver.scenario.grammar.calls import PROJECT_OPERATION, project_operations
from mockserver.scenario.grammar.given import CaptureName, Step
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
)
from mockserver.scenario.grammar.value_tests import BodyPath, Test, ValueTest, show, value_at, write_path
from mockserver.scenario.grammar.when import CallsMeant, HeaderName
from mockserver.scenario.reading.tree import ABSENT

_Number = Annotated[int, Field(ge=0, le=MANY, strict=True), Says(f"is a whole number from 0 to {MANY}")]
_NO_ERROR = range(200, 400)
_CLIENT_ERROR = range(400, 500)


class Difference(NamedTuple):
    """A thing in which an answer is not as expected: the member that says so, the path in it, a sentence."""

    member: str
    path: tuple[str, ...]
    message: str


class ExpectedAnswer(Part):
    """What an answer has to be. All of it must hold."""

    what = "an expected answer"
    empty = "an expected answer has at least one of {names}"

    status: Status | None = None
    """Its status; any but that of an error when left out."""
    headers: dict[HeaderName, Test] = field(default_factory=dict)
    body: dict[BodyPath, Test] = field(default_factory=dict)
    """Values of the JSON by path: `data[0].id`."""
    text: Test | None = None
    """The whole body as text, JSON or not."""

    def find_differences(
        self, status: int, headers: Mapping[str, str], text: str, document: Any
    ) -> Iterator[Difference]:
        """Each thing in which an answer is otherwise; `document` is its JSON, or `ABSENT`."""
        if status != self.status and (self.status is not None or status not in _NO_ERROR):
            yield Difference("status", (), f"expected {self.status or 'no error'}, found {status}")
        for name, test in self.headers.items():
            value = headers.get(name, ABSENT)
            if not test.passes(value, Effort(), typed=False):
                yield Difference("headers", (name,), _explain(f"the header {name}", value, test))
        for path, test in self.body.items():
            value = value_at(document, path)
            if not test.passes(value, Effort(), typed=True):
                yield Difference("body", path, _explain(write_path(path), value, test))
        if self.text is not None and not self.text.passes(text, Effort(), typed=False):
            yield Difference("text", (), _explain("the body", text, self.text))


def _explain(what: str, value: Any, test: ValueTest) -> str:
    found = "nothing" if value is ABSENT else show(value)
    return f"{what}: expected {test}, found {found}"


class Exchange(Part):
    """What has to come of a request: an answer that is no error, unless the step says otherwise."""

    what = "a step of expect"

    answer: Annotated[ExpectedAnswer, ShortFor("status")] | None = None
    """The answer; a status alone is short for one with that status."""
    raises: (
        Annotated[
            Literal["ReadError", "RemoteProtocolError", "ReadTimeout"],
            Says("is ReadError, RemoteProtocolError or ReadTimeout"),
        ]
        | None
    ) = None
    """The exception of httpx that the client gets in place of an answer."""
    takes: DurationMs | None = None
    """How long it takes on the project's clock."""
    repeat: Count = 1
    """How often it is sent; each time the same has to come of it."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Nothing that is not answered has an answer."""
        if "answer" in members and "raises" in members:
            yield at(misfit("answer and raises exclude each other", kind=KEY), "raises")
        yield from super().check(members, info)


class ExpectedCall(Exchange, Step):
    """A call of an operation."""

    what = "a call of expect"

    call: Annotated[Text, WithJsonSchema({"type": "string", "format": PROJECT_OPERATION})]
    """An operation id, or a method and a path; also of the control API in the project."""

    @staticmethod
    def operations(routes: Routes) -> Mapping[str, Endpoint]:
        """The API's, and those of the control API in a project."""
        return project_operations(routes)

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """A request that has to be refused may have what its operation does not take."""
        found = super().check(members, info)
        if _wanted_status(members.get("answer")) in _CLIENT_ERROR:
            found = (error for error in found if error.get("loc", ())[:1] not in (("body",), ("query",)))
        yield from found


class FollowStep(Exchange):
    """A link is opened, as a browser opens one from an e-mail."""

    what = "a link to follow"

    follow: Text
    """Its URL, such as `${mail.url}`."""
    as_: Annotated[CaptureName | None, Field(alias="as")] = None
    """The name that captures the answer."""


def _wanted_status(answer: Any) -> Any:
    status = answer.get("status") if isinstance(answer, dict) else answer
    return status if type(status) is int else None


class AdvanceStep(Part):
    """The clock is advanced; all that is due happens."""

    what = "a move of the clock"

    advance: DurationMs


class OutboxFilter(Part):
    """Which message is meant: the latest for which all of it holds."""

    what = "outbox"

    to: Text | None = None
    """The recipient's e-mail address or phone number."""
    channel: Annotated[Literal["email", "sms"], Says("is email or sms")] | None = None
    kind: Text | None = None
    """What the message is for, such as `verify-email`."""


class OutboxStep(Part):
    """A message has been sent. Captured, its code and link are at hand: `${mail.code}`, `${mail.url}`."""

    what = "a look into the outbox"

    outbox: OutboxFilter
    as_: Annotated[CaptureName | None, Field(alias="as")] = None
    """The name that captures the message."""


class CallsCounted(CallsMeant):
    """Calls, and how many there have been; at least one unless something else is said."""

    what = "a verification"

    exactly: _Number | None = None
    """So many calls."""
    at_least: _Number | None = None
    """So many calls or more."""
    at_most: _Number | None = None
    """So many calls or fewer."""
    between: Annotated[tuple[_Number, _Number], Says("is the fewest and the most calls")] | None = None
    """The fewest and the most calls."""
    never: Annotated[bool, Field(strict=True), Says("is true or false")] = False
    """No call."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """One of them says how many, or at_least and at_most together."""
        counts = [name for name in ("exactly", "between", "never", "at_least", "at_most") if name in members]
        if counts[1:] and counts != ["at_least", "at_most"]:
            yield at(misfit(f"{counts[0]} says already how many calls there have to be", kind=KEY), counts[1])


class VerifyStep(Part):
    """So many calls have been made by the steps so far."""

    what = "a verification of calls"

    verify: Annotated[CallsCounted, ShortFor("call")]


class VerifySequenceStep(Part):
    """Calls have been made in this order, others in between included."""

    what = "a verification of the order of calls"

    verify_sequence: tuple[Annotated[CallsMeant, ShortFor("call")], ...]


STEPS = ("call", "follow", "advance", "outbox", "verify", "verify_sequence")
"""What a step of `expect` may do, by the member that says so."""


def step_kind(step: Any) -> str:
    """Which of `STEPS` a step is; a call when it says none of them."""
    return next((name for name in STEPS if isinstance(step, dict) and name in step), "call")


ExpectStep = ExpectedCall | FollowStep | AdvanceStep | OutboxStep | VerifyStep | VerifySequenceStep

ExpectSteps = tuple[
    Annotated[
        Annotated[ExpectedCall, Tag("[call]")]
        | Annotated[FollowStep, Tag("[follow]")]
        | Annotated[AdvanceStep, Tag("[advance]")]
        | Annotated[OutboxStep, Tag("[outbox]")]
        | Annotated[VerifyStep, Tag("[verify]")]
        | Annotated[VerifySequenceStep, Tag("[verify_sequence]")],
        Discriminator(lambda step: f"[{step_kind(step)}]"),
    ],
    ...,
]
"""Steps, each read as what it says it is."""
