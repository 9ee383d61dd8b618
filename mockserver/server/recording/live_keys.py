"""Live keys that no project has: they may be those of a production, and are never written down."""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import replace
from functools import partial

from mockserver.api.call import Request
from mockserver.state.api_keys import KEY_NAME, LIVE_KEY_PREFIXES
from mockserver.state.world import World

STAND_IN = "undeclared"
"""The name of the key that is written in their place, which no project has either."""

_KEY = re.compile(f"({'|'.join(LIVE_KEY_PREFIXES)})({KEY_NAME})")
_MARK = "_live_"
_RAW_MARK = _MARK.encode()
_BASIC = re.compile(rb"(basic +)(\S+)", re.IGNORECASE)


def without_undeclared_keys(world: World, request: Request) -> Request:
    """The request with a stand-in for each live key that is not declared."""
    if not _may_have_one(request):
        return request
    hide = partial(_hide, world)
    headers = [(name, _hide_in_header(hide, name, value)) for name, value in request.raw_headers]
    body = request.body
    if _RAW_MARK in body:
        body = hide(body.decode("latin-1")).encode("latin-1")
    path, query = hide(request.path), hide(request.query)
    return replace(request, path=path, query=query, raw_headers=headers, body=body)


def _may_have_one(request: Request) -> bool:
    return may_have_one_beside_headers(request) or any(
        _RAW_MARK in value or value[:6].lower() == b"basic " for _, value in request.raw_headers
    )


def may_have_one_beside_headers(request: Request) -> bool:
    """Whether a live key may be in the request's target or body."""
    return _RAW_MARK in request.body or _MARK in request.path or _MARK in request.query


def _hide(world: World, text: str) -> str:
    if _MARK not in text:
        return text
    return _KEY.sub(lambda key: key[0] if world.is_taken(key[0]) else key[1] + STAND_IN, text)


def _hide_in_header(hide: "partial[str]", name: bytes, value: bytes) -> bytes:
    if _RAW_MARK in value:
        return hide(value.decode("latin-1")).encode("latin-1")
    basic = _BASIC.fullmatch(value) if name == b"authorization" else None
    if basic is None:
        return value
    try:
        decoded = b64decode(basic[2]).decode("latin-1")
    except (Base64Error, ValueError):
        return value
    hidden = hide(decoded)
    return value if hidden == decoded else basic[1] + b64encode(hidden.encode("latin-1"))
