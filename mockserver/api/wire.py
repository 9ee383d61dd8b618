"""Bodies and queries as validated dataclasses, and the types of their fields.

A body is a class with annotated fields. It becomes a dataclass with a pydantic validator when the first
request needs it, so that a hundred declared bodies cost nothing at start-up.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, dataclass_transform, get_origin

import orjson
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import CoreSchema

from mockserver.api.family import CONTROL, Family
from mockserver.api.forms import FormError, read_form, read_query
from mockserver.api.values import MOST_VALUES, has_more_values
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten


@dataclass_transform(kw_only_default=True)
class Body:
    """The base of every request body and query. Unknown members are ignored, as the API does."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        for ancestor in reversed(cls.__mro__):
            if issubclass(ancestor, Body) and "__dataclass_fields__" not in ancestor.__dict__:
                dataclasses.dataclass(kw_only=True)(ancestor)
        return handler(source)

    def given_members(self) -> dict[str, Any]:
        """The members that were sent, in the order of the fields."""
        return {name: value for name, value in vars(self).items() if value is not None}


class Query(Body):
    """The base of every query: texts are read as the field's type; repeated names make lists."""


def _plain_number(value: object) -> object:
    # Pydantic also reads texts such as 1_000 and 1.0 as whole numbers.
    if isinstance(value, str) and value.strip("0123456789-"):
        raise ValueError("must be a whole number in decimal digits")
    return value


_PlainNumber = BeforeValidator(_plain_number)


def empty() -> list[Any]:
    """The default of a field with a list: of `list` itself pydantic reads the signature, in 5 ms."""
    return []


class PageQuery(Query):
    """The paging parameters of every list."""

    limit: Annotated[int, Field(ge=1, le=2**31 - 1), _PlainNumber] | None = None
    skip: Annotated[int, Field(ge=0, le=2**31 - 1), _PlainNumber] = 0
    order: Literal["asc", "desc"] = "desc"


# --- field types -------------------------------------------------------------------------------------

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}")
_DECIMAL = re.compile(r"[0-9]{1,78}")


def _no_control_characters(text: str) -> str:
    if _CONTROL_CHARACTERS.search(text):
        raise ValueError("must not contain control characters")
    return text


def _hex(size: int | None = None) -> Callable[[str], str]:
    """A validator of 0x and so many bytes, any number by default, in hexadecimal digits."""
    digits, repeated = ("an even number of", "*") if size is None else (2 * size, f"{{{2 * size}}}")
    pattern = re.compile(f"0x[0-9a-fA-F]{repeated}")

    def check(text: str) -> str:
        if len(text) % 2 or not pattern.fullmatch(text):
            raise ValueError(f"must be 0x followed by {digits} hexadecimal digits")
        return text

    return check


def _decimal(text: str) -> str:
    if not _DECIMAL.fullmatch(text) or int(text) >= 2**256:
        raise ValueError("must be a whole number below 2^256 as a decimal string")
    return text


def _decimal_or_quantity(text: str) -> str:
    return text if _QUANTITY.fullmatch(text) else _decimal(text)


Text = Annotated[str, Field(max_length=4096), AfterValidator(_no_control_characters)]
"""Free text of up to 4096 characters, without control characters."""

Name = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(_no_control_characters)]
"""A display name."""

Id = Annotated[str, Field(min_length=1, max_length=128)]
"""The id of a row."""

PaymasterId = Annotated[str, Field(pattern=r"^pay_[0-9A-Za-z-]{1,64}$")]
"""The id of a paymaster of the developer's own."""

ForwarderContractId = Annotated[str, Field(pattern=r"^cfo_[0-9A-Za-z-]{1,64}$")]
"""The id of a forwarder contract."""

Hex = Annotated[str, AfterValidator(_hex())]
"""Bytes as 0x and an even number of hexadecimal digits."""

Signature = Annotated[str, AfterValidator(_hex(65))]
"""A signature on secp256k1, r, s and v, as 0x and hexadecimal digits."""

Hash = Annotated[str, AfterValidator(_hex(32))]
"""A hash, as 0x and hexadecimal digits."""

Word = Annotated[str, Field(pattern=r"^0x[0-9a-fA-F]{1,64}$")]
"""A number of at most 32 bytes in hexadecimal."""

Wei = Annotated[str, AfterValidator(_decimal)]
"""An amount as a decimal string: wei, lamports or a token's smallest unit."""

WeiOrQuantity = Annotated[str, AfterValidator(_decimal_or_quantity)]
"""An amount of wei as a decimal string, or as nodes write it: 0x and hexadecimal digits."""

Address = Annotated[str, AfterValidator(_hex(20))]
"""An EVM address, whatever the case of its digits."""

ChainId = Annotated[int, Field(ge=1, le=2**53 - 1), _PlainNumber]
"""An EVM chain id (EIP-155)."""


class SignedAction(Body):
    """The owner's signature of `nextAction.payload.signableHash`; optimistic answers do not wait."""

    signature: Signature
    optimistic: bool = False


# --- validating --------------------------------------------------------------------------------------


@cache
def adapter(shape: Any) -> TypeAdapter[Any]:
    """The validator of a body, a query or an answer, built on first use."""
    return TypeAdapter(shape)


@cache
def list_fields(shape: Any) -> frozenset[str]:
    """The fields of a query or form that collect repeated values into a list; a free object has none."""
    return frozenset(field.name for field in _fields(shape) if _is_list_field(field.type))


def field_names(shape: Any) -> frozenset[str]:
    """The members that a body or a query knows; a free object has none."""
    return frozenset(field.name for field in _fields(shape))


def _fields(shape: Any) -> tuple[dataclasses.Field[Any], ...]:
    adapter(shape)
    return dataclasses.fields(shape) if dataclasses.is_dataclass(shape) else ()


def _is_list_field(annotation: Any) -> bool:
    if get_origin(annotation) is list:
        return True
    members = getattr(annotation, "__args__", ())
    return get_origin(annotation) is not dict and any(_is_list_field(member) for member in members)


def field_path(location: tuple[int | str, ...]) -> str:
    """A place in a body as clients write it: `calls[0].to`."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


MOST_FINDINGS = 100
"""The most fields that one answer finds wrong."""


def findings(error: ValidationError) -> dict[str, dict[str, object]]:
    """What is wrong with each field, by its path: `{path: {message, value}}`; of many, with the first."""
    found: dict[str, dict[str, object]] = {}
    for entry in error.errors():
        if len(found) == MOST_FINDINGS:
            break
        path = field_path(tuple(part for part in entry["loc"] if not _is_type_name(part)))
        message = entry["msg"].removeprefix("Value error, ")
        if entry["type"] in _MESSAGES:
            message = _MESSAGES[entry["type"]].format_map(entry["ctx"])
            # pydantic does not count a mapping that is too long to its end.
            message = message.removesuffix(", and has None")
        finding: dict[str, object] = {"message": message}
        value = entry.get("input")
        if entry["type"] != "missing" and isinstance(value, (str, int, float, bool)):
            finding["value"] = value if not isinstance(value, str) else shorten(value)
        found.setdefault(path, finding)
    return found


def _is_type_name(part: int | str) -> bool:
    """Whether this part of the path is not a field but pydantic's name for a tried member of a union."""
    return isinstance(part, str) and (part in _TYPE_NAMES or "[" in part)


_MESSAGES = {
    "too_short": "must have {min_length} or more items, and has {actual_length}",
    "too_long": "must have {max_length} or fewer items, and has {actual_length}",
}
"""The messages that replace pydantic's."""

_TYPE_NAMES = frozenset({"str", "int", "bool", "float", "none", "dict", "list"})


def summary(found: Mapping[str, Mapping[str, object]]) -> str:
    """One sentence about the findings."""
    path, finding = next(iter(found.items()))
    first = f"{path}: {finding['message']}" if path else str(finding["message"])
    more = len(found) - 1
    if not more:
        return first
    return f"{first} (and {'at least ' if len(found) == MOST_FINDINGS else ''}{more} more)"


# --- checking ----------------------------------------------------------------------------------------


def check_query(shape: Any, family: Family, text: str) -> Any:
    """The query as an endpoint's model, or None when it takes no query. ApiError with 400.

    The control API rejects a query that an endpoint does not take: it is a mistake in the test.
    """
    if shape is None:
        if text and not family.public:
            name = shorten(text.partition("=")[0])
            raise _invalid_parameters(family, "query", {name: {"message": "this call takes no query"}})
        return None
    try:
        if not text:
            return _empty_query(shape)
        return adapter(shape).validator.validate_python(read_query(text, list_fields(shape)))
    except FormError as error:
        raise _invalid_parameters(family, "query", {"": {"message": str(error)}}) from None
    except ValidationError as error:
        raise _invalid_parameters(family, "query", findings(error)) from None


@cache
def _empty_query(shape: Any) -> Any:
    # One for all requests: no handler changes what it is given.
    return adapter(shape).validator.validate_python({})


_NO_BODIES = frozenset({b"", b"{}", b"null"})
"""What clients send that have a body for each call."""


def check_body(shape: Any, family: Family, body: bytes, content_type: str) -> Any:
    """The body as an endpoint's model, or None when it takes no body. ApiError with 400 or 415.

    The control API rejects a body that an endpoint does not take, as it does a query.
    """
    if shape is None:
        if family is CONTROL and body.strip() not in _NO_BODIES:
            raise _invalid_parameters(family, "body", {"": {"message": "this call takes no body"}})
        return None
    try:
        if not body:
            body, content_type = b"{}", ""
        media_type = content_type.lower()
        if not media_type or "json" in media_type:
            _check_json(family, body)
            return adapter(shape).validator.validate_json(body, strict=True)
        if media_type.startswith("application/x-www-form-urlencoded"):
            return adapter(shape).validator.validate_python(read_form(body.decode(), list_fields(shape)))
    except ValidationError as error:
        raise _explain(family, error) from None
    except (FormError, UnicodeDecodeError) as error:
        raise _invalid_parameters(family, "body", {"": {"message": str(error)}}) from None
    row = family.unsupported_media_type
    if row is None:
        raise _invalid_parameters(family, "body", {"": {"message": "the body is not JSON"}})
    raise ApiError(row, content_type=shorten(content_type))


def _check_json(family: Family, body: bytes) -> None:
    """Refuse what pydantic takes: NaN and Infinity, which RFC 8259 does not allow, and very many values.

    Each value costs some microseconds until it is checked, found wrong or stored.
    """
    # Every value takes two bytes, so bodies of the usual size are not looked at.
    may_be_many = len(body) > 2 * MOST_VALUES and sum(map(body.count, (b",", b"[", b"{"))) >= MOST_VALUES
    if not may_be_many and body.find(b"NaN") < 0 and body.find(b"Infinity") < 0:
        return
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _not_json(family, str(error)) from None
    if has_more_values(value, MOST_VALUES):
        message = f"the body has more than {MOST_VALUES:,} values"
        raise _invalid_parameters(family, "body", {"": {"message": message}})


def _not_json(family: Family, reason: str) -> ApiError:
    return ApiError(family.invalid_json, reason=reason)


def _explain(family: Family, error: ValidationError) -> ApiError:
    if error.error_count() == 1:
        (only,) = error.errors()
        if only["type"] == "json_invalid":
            return _not_json(family, only["msg"].removeprefix("Invalid JSON: "))
    return _invalid_parameters(family, "body", findings(error))


def _invalid_parameters(family: Family, part: str, found: dict[str, dict[str, object]]) -> ApiError:
    text = summary(found)
    if family.names_part:
        text = f"Invalid {part} parameters: {text}"
    param = next(iter(found))
    details = {path: finding for path, finding in found.items() if path}
    return ApiError(family.invalid_parameters, summary=text, param=param or None, details=details)
