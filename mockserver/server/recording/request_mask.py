"""Requests with placeholders for their secrets."""

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic_core import from_json

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes, find_method
from mockserver.api.wire import MOST_VALUES, field_names, has_more_values
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.answering.masking import (
    LONGEST_PARSED,
    Hiding,
    is_form,
    is_secret_name,
    mask_header,
    mask_json,
    mask_pairs,
    mask_path,
    mask_text,
    mask_url,
    secret_members,
)

Header = tuple[bytes, bytes]

_DIGESTS = frozenset({b"content-digest", b"repr-digest", b"digest", b"content-md5"})
"""Headers with a digest of the body, by which what is masked in it could be guessed."""
_MEMBER = re.compile(
    r"""([\w-]{1,64})["']?[ \t]*[:=][ \t]*"""
    r"""(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s,;&{}\[\]"'][^,;&}\]\n]*))"""
)
"""A member of a text of no known form, such as a scenario."""
_QUOTED = 2
"""The group of that with a text in double quotes, which has escapes as in JSON."""


class _Members(NamedTuple):
    """What a body has when it is read as JSON."""

    value: Any
    dropped: list[Any]
    """Members whose names come twice in an object, each as an object: the value has the last ones only."""


def hide_in_request(
    request: Request, routes: Routes, hiding: Hiding, hide_body: Callable[[str], str]
) -> Request:
    """The request as it is shown. Without its body's secrets it has no digest of the body either.

    Of a body in which secrets may be anywhere `hide_body` says what is shown.
    """
    methods, _ = routes.find(request.path.rstrip("/") or "/")
    endpoint = find_method(methods, request.method)
    template = next((each.path for each in methods.values()), request.path)
    body = _hide_in_body(request, endpoint, hiding, hide_body)
    headers = [(name, _hide_in_header(name, value, hiding)) for name, value in request.raw_headers]
    if body != request.body:
        headers = [(name, _hide_digest(name, value, hiding)) for name, value in headers]
    return replace(
        request,
        path=mask_path(request.path, template, hiding),
        query=mask_pairs(request.query, hiding) if request.query else "",
        raw_headers=headers,
        body=body,
    )


def _hide_digest(name: bytes, value: bytes, hiding: Hiding) -> bytes:
    return str(hiding.secret(value.decode("latin-1"))).encode("latin-1") if name in _DIGESTS else value


def _hide_in_header(name: bytes, value: bytes, hiding: Hiding) -> bytes:
    text = value.decode("latin-1")
    if name == TOKEN_HEADER.encode():
        # The one that is right is left out in any case; a wrong one may be that of another server.
        return value
    kind, _, credentials = text.partition(" ")
    if not credentials.strip() and kind.lower() in ("basic", "bearer"):
        return value
    if name in (b"authorization", b"proxy-authorization") and kind.lower() == "basic":
        hidden = f"{kind} {_hide_in_basic(credentials.strip(), hiding)}"
    elif name == b"cookie":
        hidden = "; ".join(_hide_in_cookies(text, hiding))
    elif name == b"referer":
        hidden = _try(lambda: mask_url(text, hiding), text)
    else:
        hidden = mask_header(name.decode("latin-1"), text, hiding)
    return hidden.encode("latin-1", "replace")


def _hide_in_basic(credentials: str, hiding: Hiding) -> str:
    """User name and password (RFC 7617): either may be a key."""
    try:
        user, colon, password = b64decode(credentials, validate=True).decode().partition(":")
    except (Base64Error, ValueError):
        return hiding.token(credentials)
    hidden = f"{hiding.token(user)}{colon}{hiding.token(password)}"
    return b64encode(hidden.encode()).decode()


def _hide_in_cookies(text: str, hiding: Hiding) -> Iterator[str]:
    for pair in text.split(";"):
        name, sign, value = pair.strip().partition("=")
        yield f"{name}{sign}{hiding.token(value)}" if sign else hiding.token(name)


def _hide_in_body(
    request: Request, endpoint: Endpoint | None, hiding: Hiding, hide_body: Callable[[str], str]
) -> bytes:
    body = request.body
    if not body:
        return body
    known = None if endpoint is None or endpoint.body is None else secret_members(field_names(endpoint.body))
    parsed = _parse(body)
    if parsed is not None:
        masked = mask_json(parsed.value, asked=True, known=known, hiding=hiding)
        for member in parsed.dropped:
            mask_json(member, asked=True, hiding=hiding)
        return body if masked == parsed.value and not parsed.dropped else json.dumps(masked).encode()
    if is_form(body, request.headers.get("content-type", "")):
        return mask_pairs(body.decode("latin-1"), hiding, known).encode("latin-1", "replace")
    if endpoint is not None and not endpoint.family.public:
        return hide_in_text(body.decode("latin-1"), hiding).encode("latin-1", "replace")
    # No operation reads such a body, and there may be secrets anywhere in it.
    return hide_body(body.decode("latin-1")).encode("latin-1", "replace")


def _parse(body: bytes) -> _Members | None:
    """The JSON of a body; None for any other one, or a larger one than is read."""
    dropped: list[Any] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            dropped.extend({name: value} for name, value in pairs)
        return members

    if len(body) > LONGEST_PARSED:
        return None
    try:
        # What the operations take for JSON, with the names that come twice in an object.
        from_json(body, allow_inf_nan=False)
        value = json.loads(body, object_pairs_hook=collect)
    except (ValueError, RecursionError):
        return None
    return None if has_more_values(value, MOST_VALUES) else _Members(value, dropped)


def hide_in_text(text: str, hiding: Hiding) -> str:
    """A text of another form, such as a scenario, without the members whose names are those of secrets."""

    def hide(member: re.Match[str]) -> str:
        number = next((number for number in (_QUOTED, 3, 4) if member[number]), 0)
        if not number or not is_secret_name(member[1]):
            return member[0]
        start, end = (place - member.start() for place in member.span(number))
        value = member[number].rstrip()
        plain = _try(lambda: str(json.loads(f'"{value}"')), value) if number == _QUOTED else value
        return f"{member[0][:start]}{hiding.secret(plain)}{member[0][end:]}"

    return _MEMBER.sub(hide, mask_text(text, hiding))


def _try(make: Callable[[], str], otherwise: str) -> str:
    try:
        return make()
    except ValueError:
        return otherwise
