"""Values as JSON: how they are written and read, and how many there are in one."""

import dataclasses
import json
from typing import Any

import orjson

MOST_VALUES = 20_000
"""The most values of a JSON body: members, elements, and what is in them."""


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


def to_json(value: object) -> bytes:
    """Serialize to JSON. Integers beyond 64 bits, which orjson rejects, are written exactly.

    Dataclasses are written as objects, NaN and infinities as null.
    """
    try:
        # A copy: what orjson returns holds on to its buffer of 4 KiB, and the history keeps every answer.
        return b"%b" % orjson.dumps(value)
    except TypeError:
        # json.dumps writes NaN and Infinity as such. The search may hit a text, too, which only costs time.
        text = _write_json(value)
        if "NaN" in text or "Infinity" in text:
            text = _write_json(json.loads(text, parse_constant=lambda name: None))
        # A lone surrogate, which JSON escapes can carry but UTF-8 cannot, becomes a question mark.
        return text.encode("utf-8", "replace")


def read_json(body: bytes) -> Any:
    """The JSON of a body; None when it is none."""
    # Imported here: a server is ready before it needs any of pydantic.
    from pydantic_core import from_json

    try:
        return from_json(body)
    except ValueError:
        return None


def fragment_of(value: object) -> object:
    """JSON that is part of a value to serialize later."""
    return orjson.Fragment(to_json(value))


def rpc_member(body: bytes, name: str) -> str | int | float | None:
    """A text or number of a request of JSON-RPC; None without one, and of what is no request."""
    found = _rpc_members(body).get(name)
    return found if isinstance(found, (str, int, float)) and not isinstance(found, bool) else None


def is_notification(body: bytes) -> bool:
    """Whether a request of JSON-RPC wants no answer, not even an error."""
    members = _rpc_members(body)
    return "id" not in members and members.get("jsonrpc") == "2.0"


def _rpc_members(body: bytes) -> dict[str, Any]:
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return request if isinstance(request, dict) else {}


def find_rpc_error(body: bytes) -> int | None:
    """The code of the error in an answer of JSON-RPC, whose status is 200; of a batch the first."""
    # Most bodies are none, and need not be read.
    if not body.startswith((b'{"jsonrpc"', b'[{"jsonrpc"')) or b'"error":{"code":' not in body:
        return None
    try:
        answers = orjson.loads(body)
    except ValueError:
        return None
    found = map(_rpc_error_in, answers if isinstance(answers, list) else [answers])
    return next((code for code in found if code is not None), None)


def _rpc_error_in(answer: object) -> int | None:
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def _write_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=dataclasses.asdict)
