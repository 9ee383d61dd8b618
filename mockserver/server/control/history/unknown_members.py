"""Members of a body that its operation does not know. The service ignores them: most are misspelt."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import adapter
from mockserver.kernel.spelling import did_you_mean, nearest, quote

_Schema = dict[str, Any]
_MOST_NAMED = 10


def unknown_members(endpoint: Endpoint | None, body: object) -> Iterator[str]:
    """What of a body the operation does not know, such as `calls[0].vlaue`, with the nearest that it does.

    The first of many: each entry of a list may have the same mistake.
    """
    # `unparsed` is in the place of a body that is not JSON.
    is_read = not isinstance(body, dict) or body.keys() != {"unparsed"}
    if is_read and endpoint is not None and endpoint.body is not None:
        schema = _schema_of(endpoint.body)
        yield from islice(_unknown(schema, body, "", schema.get("$defs", {})), _MOST_NAMED)


def _unknown(schema: _Schema, value: object, path: str, named: _Schema) -> Iterator[str]:
    options = [*_options(schema, named)]
    if isinstance(value, list):
        items = {"anyOf": [each["items"] for each in options if "items" in each]}
        for number, entry in enumerate(value):
            yield from _unknown(items, entry, f"{path}[{number}]", named)
    objects = [each for each in options if each.get("type") == "object"]
    # One without properties is free.
    if not isinstance(value, dict) or not objects or any("properties" not in each for each in objects):
        return
    if any(each.get("additionalProperties") for each in objects):
        return
    known = {name for each in objects for name in each["properties"]}
    for name in sorted(value):
        place = f"{path}.{name}".lstrip(".")
        if name not in known:
            yield quote(place) + did_you_mean(nearest(name, known))
            continue
        members = [each["properties"][name] for each in objects if name in each["properties"]]
        yield from _unknown({"anyOf": members}, value[name], place, named)


def _options(schema: _Schema, named: _Schema) -> Iterator[_Schema]:
    """What a value may be, by the schema or one of those that it stands for."""
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    parts = [part for kind in ("anyOf", "oneOf", "allOf") for part in schema.get(kind, ())]
    for part in parts:
        yield from _options(part, named)
    if not parts:
        yield schema


@cache
def _schema_of(body: type) -> _Schema:
    return adapter(body).json_schema()
