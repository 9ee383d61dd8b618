"""Values as JSON."""

import json
from dataclasses import asdict

import orjson


def to_json(value: object) -> bytes:
    """Serialize to JSON. Integers beyond 64 bits, which orjson rejects, are written exactly.

    Dataclasses are written as objects, NaN and infinities as null.
    """
    try:
        # A copy: what orjson returns holds on to its buffer of 4 KiB, and the history keeps every answer.
        return bytes(memoryview(orjson.dumps(value)))
    except TypeError:
        # json.dumps writes NaN and Infinity as such. The search may hit a text, too, which only costs time.
        text = _write_json(value)
        if "NaN" in text or "Infinity" in text:
            text = _write_json(json.loads(text, parse_constant=lambda name: None))
        # A lone surrogate, which JSON escapes can carry but UTF-8 cannot, becomes a question mark.
        return text.encode("utf-8", "replace")


def fragment_of(value: object) -> object:
    """JSON that is part of a value to serialize later."""
    return orjson.Fragment(to_json(value))


def _write_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=asdict)
