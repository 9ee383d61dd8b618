"""The `then` of a rule: what happens to a call."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    Discriminator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.scenario.grammar.answers import WITHOUT_BODY, Answer, ErrorSpec
from mockserver.scenario.grammar.fates import CallFate
from mockserver.scenario.grammar.faults import (
    DONE,
    NONE,
    OF_ANSWERS,
    Fault,
    FaultSpec,
    effect_as_written,
    kind_as_written,
)
from mockserver.scenario.grammar.limits import Limited, LimitSpec
from mockserver.scenario.grammar.parts import KEY, Line, Part, Says, ShortFor, at, misfit, validate
from mockserver.scenario.grammar.timed import (
    ClockDelay,
    Delayed,
    Message,
    MoveClock,
    Moved,
    RealDelay,
    TimedAction,
)
from mockserver.state.outbox import DeliveryOutcome

_INSTEAD = ("answer", "error", "limit")
_REPEATABLE = ("patch", "delay", "clock", "outbox")


class Then(Part):
    """What happens to a call. At most one of `answer`, `error` and `limit` is there.

    `delay`, `clock` and `outbox` come after what the call does, in this order.
    """

    what = "then"
    empty = "then says nothing; it has at least one of {names}"

    answer: Annotated[Answer, ShortFor("status")] | None = None
    error: Annotated[ErrorSpec, ShortFor("code")] | None = None
    limit: Limited | None = None
    fault: Fault | None = None
    """What goes wrong with the connection or the answer."""
    patch: dict[str, Any] | None = None
    """A JSON merge patch (RFC 7396) for the real answer."""
    fate: CallFate | None = None
    """What becomes of the transaction that the call creates."""
    delivery: (
        Annotated[
            Literal["lost", "twice", "reordered", "corrupted"], Says("is lost, twice, reordered or corrupted")
        ]
        | None
    ) = None
    """What becomes of the next webhook: of the first that the call leads to."""
    state: Line | None = None
    """The state that the project is in from then on."""
    delay: Delayed | None = None
    """How long the answer is held up."""
    clock: Moved | None = None
    """Where the project's clock is moved to."""
    outbox: Message | None = None
    """A mail or a text message that appears in the outbox."""
    effect: Annotated[Literal["done"], Says("is done")] | None = None
    """In a list: the call does here what it does, after what stands before. Otherwise all comes after."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """What is answered instead of the real answer leaves nothing to change in it."""
        yield from _find_conflicts([_Written((name,), name, value) for name, value in members.items()])


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """How actions are written: in a mapping by itself, in an entry of a list, or in a list."""

    check: Callable[[Any], Iterator[InitErrorDetails]]
    schema: Mapping[str, Any]
    """What JSON Schema says of it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._validate, handler(source))

    def _validate(self, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        return validate(value, handler, self.check(value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        return {**handler(schema), **self.schema}


def _check_alone(members: Any) -> Iterator[InitErrorDetails]:
    if isinstance(members, dict) and "effect" in members:
        message = "effect stands in a list of actions, where it says what comes before it"
        yield at(misfit(message, kind=KEY), "effect")


def _check_entry(members: Any) -> Iterator[InitErrorDetails]:
    """The order of several in one mapping would not be clear."""
    for name in [*members][1:] if isinstance(members, dict) else ():
        message = f"an entry of a list is one action; {name} is another, for an entry of its own"
        yield at(misfit(message, kind=KEY), name)


def _check_list(actions: Any) -> Iterator[InitErrorDetails]:
    if not actions:
        yield at(misfit("then is an empty list; it has at least one action"))
    yield from _find_conflicts(_entries_of(actions))


_Entry = Annotated[Then, _Form(_check_entry, {"maxProperties": 1})]
_Alone = Annotated[Then, _Form(_check_alone, {"not": {"required": ["effect"]}})]
_List = Annotated[tuple[_Entry, ...], _Form(_check_list, {"minItems": 1})]

ThenSpec = Annotated[
    Annotated[_Alone, Tag("[mapping]")] | Annotated[_List, Tag("[list]")],
    Discriminator(lambda value: "[list]" if isinstance(value, (list, tuple)) else "[mapping]"),
]
"""Actions in one mapping, or in a list of mappings with one action each, in order."""

# --- what excludes what ---------------------------------------------------------------------------------


class _Written(NamedTuple):
    """An action as it is written, before it is validated."""

    place: tuple[int | str, ...]
    name: str
    value: Any


def _entries_of(actions: Any) -> list[_Written]:
    return [
        _Written((number, name), name, value)
        for number, action in enumerate(actions if isinstance(actions, (list, tuple)) else ())
        for name, value in (action.items() if isinstance(action, dict) else ())
    ]


def _find_conflicts(entries: Iterable[_Written]) -> Iterator[InitErrorDetails]:
    """Actions that exclude each other, each at its place."""
    first: dict[str, _Written] = {}
    for entry in entries:
        if entry.name in first and entry.name not in _REPEATABLE:
            yield at(misfit(f"{entry.name} is there already", kind=KEY), *entry.place)
        first.setdefault(entry.name, entry)
    instead = [name for name in first if name in _INSTEAD]
    for name in instead[1:]:
        yield at(misfit(f"{instead[0]} and {name} exclude each other", kind=KEY), *first[name].place)
    fault = first.get("fault")
    effect = None if fault is None else effect_as_written(fault.value, bool(instead))
    if fault is not None and "limit" in first and effect is not None:
        yield at(misfit("limit and fault exclude each other", kind=KEY), *fault.place)
    elif fault is not None and instead and effect == DONE:
        message = f"a fault with the effect done is about the real answer, which {instead[0]} prevents"
        yield at(misfit(message, kind=KEY), *fault.place)
    answer = first.get("answer")
    status = answer and (answer.value.get("status") if isinstance(answer.value, dict) else answer.value)
    if fault is not None and status in WITHOUT_BODY and kind_as_written(fault.value) in OF_ANSWERS:
        message = f"this fault is about a body, which an answer with the status {status} does not have"
        yield at(misfit(message, kind=KEY), *fault.place)
    preventing = instead or (["a fault without effect"] if effect == NONE else [])
    for name in ("patch", "fate", "delivery", "effect"):
        if name in first and preventing:
            yield at(misfit(f"{_ABOUT[name]}, which {preventing[0]} prevents", kind=KEY), *first[name].place)


_ABOUT = {
    "patch": "patch is about the real answer",
    "fate": "fate is about the real answer",
    "delivery": "delivery is about what the call does",
    "effect": "effect is about what the call does",
}

# --- in order -------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Actions:
    """The actions of a rule as they happen, whichever way they were written."""

    answer: Answer | None = None
    error: ErrorSpec | None = None
    limit: LimitSpec | None = None
    fault: FaultSpec | None = None
    fate: FateSpec | None = None
    delivery: DeliveryOutcome | None = None
    state: str | None = None
    patches: tuple[Mapping[str, Any], ...] = ()
    before: tuple[TimedAction, ...] = ()
    """What happens before the call does what it does."""
    after: tuple[TimedAction, ...] = ()
    """What happens after it, before the answer is sent."""


def put_in_order(then: Then | tuple[Then, ...]) -> Actions:
    """The actions of a rule as they happen."""
    written = [
        (field.name, value)
        for action in (then if isinstance(then, tuple) else (then,))
        for field in fields(action)
        if (value := getattr(action, field.name)) is not None
    ]
    names = [name for name, _ in written]
    turn = names.index("effect") if "effect" in names else 0
    timed = [(number, value) for number, (_, value) in enumerate(written) if isinstance(value, _TIMED)]
    return Actions(
        **{name: value for name, value in written if name in _AT_ONCE},
        patches=tuple(value for name, value in written if name == "patch"),
        before=tuple(value for number, value in timed if number < turn),
        after=tuple(value for number, value in timed if number >= turn),
    )


_TIMED = (ClockDelay, RealDelay, MoveClock, Message)
_AT_ONCE = frozenset(field.name for field in fields(Actions)) - {"patches", "before", "after"}
