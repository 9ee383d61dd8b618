"""What the grammar of scenario files is made of: mappings that find everything wrong with themselves, and
the types of their members.

All of it is pydantic's. What is added are short forms (`when: CreateContract`), messages in the words of
the grammar, and the names that are nearest to unknown ones.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from mockserver.api.endpoint import Routes
from mockserver.api.wire import Body
from mockserver.kernel import timestamps
from mockserver.kernel.spelling import nearest, quote
from mockserver.scenario.reading.findings import MAX_FINDINGS
from mockserver.scenario.reading.references import has_references
from mockserver.scenario.reading.tree import write_scalar

T = TypeVar("T")

MANY = 10**9
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|d)")
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LONGEST_MS = 366 * 86_400_000
_LONGEST_NAME = 200
SHORT_FOR = "shortFor"
"""The keyword of a JSON Schema for a short form: the member that it stands for."""

# --- what is wrong --------------------------------------------------------------------------------------

KEY = "key"
"""The kind of an error that is about the key of a member and not about its value."""


def misfit(message: str, nearest: str | None = None, kind: str = "misfit") -> PydanticCustomError:
    """An error with a whole sentence, and the valid name that is nearest to an unknown one."""
    return PydanticCustomError(kind, "{message}", {"message": message, "nearest": nearest})


class _Unknown(NamedTuple):
    """What is said of an unknown name when it is shown: the arguments of `describe_unknown`."""

    what: str
    name: str
    valid: tuple[str, ...]

    def __str__(self) -> str:
        # Pydantic writes out the whole context each time it words an error, and valid names are hundreds.
        return self.name


def unknown(what: str, name: str, valid: Iterable[str], kind: str = "misfit") -> PydanticCustomError:
    """The error of a name that means nothing.

    What it should be is looked for only when the error is shown: of very many, only the first are.
    """
    context = {
        "message": quote(name),
        "unknown": _Unknown(what, name, valid if isinstance(valid, tuple) else tuple(valid)),
    }
    return PydanticCustomError(kind, "{message}", context)


def at(error: PydanticCustomError, *loc: int | str) -> InitErrorDetails:
    """An error at a place below the value that is validated."""
    return InitErrorDetails(type=error, loc=loc, input=None)


def rewrap(error: ErrorDetails, loc: tuple[int | str, ...] | None = None) -> InitErrorDetails:
    """An error that was caught, to be raised with others; at another place if that is said."""
    context = {"message": error["msg"], **error.get("ctx", {})}
    again = PydanticCustomError(error["type"], "{message}", context)
    return InitErrorDetails(type=again, loc=error["loc"] if loc is None else loc, input=error["input"])


def validate(
    value: Any,
    handler: Callable[[Any], Any],
    wrong: Iterable[InitErrorDetails],
    worded: Callable[[ErrorDetails], InitErrorDetails] = rewrap,
) -> Any:
    """What a handler makes of a value, unless anything is wrong: then all of it is raised at once."""
    found, errors = None, [*wrong]
    try:
        found = handler(value)
    except ValidationError as error:
        errors += map(worded, _keep_first(error.errors()))
    if errors:
        raise ValidationError.from_exception_data("scenario", errors)
    return found


def _keep_first(errors: list[ErrorDetails]) -> Iterable[ErrorDetails]:
    """As many errors as are listed: of very many, each costs time again in every mapping around it.

    A value with a reference may turn out right when that is put in, so those do not crowd out others.
    """
    if len(errors) <= MAX_FINDINGS:
        return errors
    certain = (error for error in errors if not has_references(error["input"]))
    return [*islice(certain, MAX_FINDINGS)] or errors[:1]


def routes_of(info: ValidationInfo) -> Routes:
    """The operations that a scenario is read with."""
    assert isinstance(info.context, Routes)
    return info.context


@dataclass_transform(kw_only_default=True)
class Part(Body):
    """The parent of the mappings of the grammar. As every `Body` they are built on first use."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    what: ClassVar[str]
    """What a message calls it: `a rule`."""
    empty: ClassVar[str] = ""
    """What a message says without members, where there have to be some; `{names}` is what there is."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """What is wrong with members together. Each by itself may be wrong, too, or not be there."""
        yield from ()

    @classmethod
    def names(cls) -> list[str]:
        """The names of the members, as they are written."""
        return [field.name.removesuffix("_") for field in dataclasses.fields(cls)]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = super().__get_pydantic_core_schema__(source, handler)
        # What refers to the class refers to this definition, so it is the definition that has to check.
        definition: Any = handler.resolve_ref_schema(schema)
        definition["schema"] = core_schema.with_info_wrap_validator_function(
            cls._validate, definition["schema"]
        )
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        described = handler(schema)
        if cls.empty:
            handler.resolve_ref_schema(described)["minProperties"] = 1
        return described

    @classmethod
    def _validate(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        if not isinstance(value, dict):
            raise misfit(f"{cls.what} is a mapping of {', '.join(cls.names())}")
        if not value and cls.empty:
            raise misfit(cls.empty.format(names=", ".join(cls.names())))
        nulls = {name for name, member in value.items() if member is None and cls._may_be_absent(name)}
        # More are not listed, and each takes its time.
        wrong = [
            *islice(cls.check(value, info), MAX_FINDINGS),
            *(at(says("is null; leave it out"), name) for name in nulls),
        ]
        given = {name: member for name, member in value.items() if name not in nulls}
        return validate(given, handler, wrong, cls._reword)

    @classmethod
    def _may_be_absent(cls, name: str) -> bool:
        """Whether a member may be left out, but has to be something when it is given."""
        field = dict(zip(cls.names(), dataclasses.fields(cls), strict=True)).get(name)
        absent = dataclasses.MISSING
        return (
            field is not None
            and field.type is not Any
            and not (field.default is absent and field.default_factory is absent)
        )

    @classmethod
    def _reword(cls, error: ErrorDetails) -> InitErrorDetails:
        """An error of a member, where only the mapping knows what to say."""
        match error["type"], error["loc"]:
            case "unexpected_keyword_argument", (str(name),):
                return at(unknown(f"part of {cls.what}", name, cls.names(), KEY), name)
            case "missing", (str(name),):
                return at(misfit(f"{cls.what} has a {name}"))
        return rewrap(error)


# --- short forms ----------------------------------------------------------------------------------------


class ShortFor(NamedTuple):
    """Makes a value that is no mapping stand for a mapping with only this member."""

    member: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.in_full, handler(source))

    def in_full(self, value: Any) -> Any:
        """The mapping that a value stands for."""
        return value if isinstance(value, dict) else {self.member: value}

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        # What it stands for may be a definition that is not made yet, so that `json_schema` has to write it.
        return {"anyOf": [handler(schema)], SHORT_FOR: self.member}


class _OneOrMore:
    """Makes a value that is no list stand for a list of one."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_as_full_list, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        full = handler(schema)
        return {"anyOf": [full["items"], full | {"minItems": 1}]}


def as_list(value: Any) -> Any:
    """A list as it is, and anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def _as_full_list(value: Any) -> Any:
    if value == []:
        raise says("is an empty list")
    return as_list(value)


OneOrMore = Annotated[tuple[T, ...], _OneOrMore()]

# --- types of members -----------------------------------------------------------------------------------


class Says(NamedTuple):
    """Replaces pydantic's words for a value that does not fit: what it has to be, after the member's name."""

    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._validate, handler(source))

    def _validate(self, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise says(f"{self.words}, not {_describe(value)}") from None


def _describe(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else quote(write_scalar(value) or "nothing")


def says(words: str) -> PydanticCustomError:
    """An error that says what a member has to be, after its name."""
    return PydanticCustomError("says", "{message}", {"message": words})


def read_text(value: Any) -> str:
    """A scalar as it is written."""
    if value is None or isinstance(value, (dict, list)):
        raise says("is text")
    return write_scalar(value)


def _one_line(text: str) -> str:
    if not text:
        raise says("is empty")
    if len(text) > _LONGEST_NAME or not text.isprintable() or text != text.strip():
        raise says(f"is one line of 1 to {_LONGEST_NAME} characters")
    return text


def is_duration(text: str) -> bool:
    """Whether a text has the form of a time span."""
    return _DURATION.fullmatch(text) is not None


def read_duration_ms(value: Any) -> int:
    """A time span in milliseconds."""
    match = _DURATION.fullmatch(value if isinstance(value, str) else "")
    if match is None:
        raise says(f'is a time span such as "250ms", "10s" or "2m", not {_describe(value)}')
    span_ms = round(float(match[1]) * _UNIT_MS[match[2]])
    if not 1 <= span_ms <= _LONGEST_MS:
        raise says(f"is at least 1ms and at most 366d, not {_describe(value)}")
    return span_ms


def read_time_ms(value: Any, what: str = "a time", valid: Iterable[str] = ()) -> int:
    """A time (ISO 8601) in milliseconds. `valid` is what else could have been meant."""
    text = read_text(value)
    try:
        return timestamps.parse_iso(text)
    except timestamps.TimestampOutOfRange as error:
        raise misfit(f"{quote(text)} {error}") from None
    except ValueError:
        raise misfit(
            f"{quote(text)} is not {what}, such as 2026-01-31T12:00:00Z", nearest(text, valid)
        ) from None


Text = Annotated[str, PlainValidator(read_text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
"""A scalar as it is written."""

Line = Annotated[Text, AfterValidator(_one_line)]
"""A short text in one line, as it may stand in a header."""

DURATION_SCHEMA = {"type": "string", "pattern": rf"^{_DURATION.pattern}$"}

DurationMs = Annotated[int, PlainValidator(read_duration_ms), WithJsonSchema(DURATION_SCHEMA)]
"""A time span such as `250ms`, `1.5s`, `2m`, `1h` or `7d`."""

Count = Annotated[int, Field(ge=1, le=MANY, strict=True), Says(f"is a whole number from 1 to {MANY}")]
"""How many, or which one."""
