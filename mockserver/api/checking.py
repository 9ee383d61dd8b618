"""Validation of bodies and queries: from bytes to models."""

from functools import cache
from typing import Any

import orjson
from pydantic import ValidationError

from mockserver.api.endpoint import Endpoint
from mockserver.api.forms import FormError, read_form, read_query
from mockserver.api.wire import adapter, findings, list_fields, summary
from mockserver.errors import ApiError

MOST_VALUES = 20_000
"""The most values of a JSON body: members, elements, and what is in them."""


def check_query(endpoint: Endpoint, text: str) -> Any:
    """The endpoint's query model, or None when it takes no query. ApiError with 400.

    The control API rejects a query that an endpoint does not take: it is a mistake in the test.
    """
    shape = endpoint.query
    if shape is None:
        if text and not endpoint.family.public:
            name = text.partition("=")[0][:80]
            raise _invalid_parameters(endpoint, "query", {name: {"message": "this call takes no query"}})
        return None
    try:
        if not text:
            return _empty_query(shape)
        return adapter(shape).validate_python(read_query(text, list_fields(shape)))
    except FormError as error:
        raise _invalid_parameters(endpoint, "query", {"": {"message": str(error)}}) from None
    except ValidationError as error:
        raise _invalid_parameters(endpoint, "query", findings(error)) from None


@cache
def _empty_query(shape: Any) -> Any:
    # One for all requests: no handler changes what it is given.
    return adapter(shape).validate_python({})


def check_body(endpoint: Endpoint, body: bytes, content_type: str) -> Any:
    """The endpoint's body model, or None when it takes no body. ApiError with 400 or 415."""
    shape = endpoint.body
    if shape is None:
        return None
    try:
        if not body:
            return adapter(shape).validate_json(b"{}", strict=True)
        media_type = content_type.lower()
        if not media_type or "json" in media_type:
            _require_strict_json(endpoint, body)
            _require_few_values(endpoint, body)
            return adapter(shape).validate_json(body, strict=True)
        if media_type.startswith("application/x-www-form-urlencoded"):
            return adapter(shape).validate_python(read_form(body.decode(), list_fields(shape)))
    except ValidationError as error:
        raise _explain(endpoint, error) from None
    except (FormError, UnicodeDecodeError) as error:
        raise _invalid_parameters(endpoint, "body", {"": {"message": str(error)}}) from None
    row = endpoint.family.unsupported_media_type
    if row is None:
        raise _invalid_parameters(endpoint, "body", {"": {"message": "the body is not JSON"}})
    raise ApiError(row, content_type=content_type[:80])


def _require_strict_json(endpoint: Endpoint, body: bytes) -> None:
    """Pydantic accepts NaN and Infinity, which RFC 8259 does not allow; orjson rejects them."""
    if b"NaN" in body or b"Infinity" in body:
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise _not_json(endpoint, str(error)) from None


def _require_few_values(endpoint: Endpoint, body: bytes) -> None:
    """Each value costs some microseconds until it is checked, found wrong or stored."""
    # Every value takes two bytes, so bodies of the usual size are not looked at.
    if len(body) <= 2 * MOST_VALUES or sum(map(body.count, (b",", b"[", b"{"))) < MOST_VALUES:
        return
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _not_json(endpoint, str(error)) from None
    if has_more_values(value, MOST_VALUES):
        message = f"the body has more than {MOST_VALUES:,} values"
        raise _invalid_parameters(endpoint, "body", {"": {"message": message}})


def has_more_values(value: object, most: int) -> bool:
    """Whether parsed JSON has more values than this, those in values included."""
    count, inner = 1, [value]
    while inner and count <= most:
        part = inner.pop()
        members = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        count += len(members)
        if count <= most:
            inner.extend(member for member in members if isinstance(member, (dict, list)))
    return count > most


def _not_json(endpoint: Endpoint, reason: str) -> ApiError:
    row = endpoint.family.invalid_json
    return ApiError(row, reason=reason)


def _explain(endpoint: Endpoint, error: ValidationError) -> ApiError:
    if error.error_count() == 1:
        (only,) = error.errors(include_url=False, include_input=False)
        if only["type"] == "json_invalid":
            return _not_json(endpoint, only["msg"].removeprefix("Invalid JSON: "))
    return _invalid_parameters(endpoint, "body", findings(error))


def _invalid_parameters(endpoint: Endpoint, part: str, found: dict[str, dict[str, object]]) -> ApiError:
    row = endpoint.family.invalid_parameters
    text = summary(found)
    if endpoint.family.names_part:
        text = f"Invalid {part} parameters: {text}"
    param = next(iter(found))
    details = {path: finding for path, finding in found.items() if path}
    return ApiError(row, summary=text, param=param or None, details=details)
