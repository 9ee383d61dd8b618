"""The values that the mock's OpenAPI document knows of members of answers."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

Schema = Mapping[str, Any]
_DEEPEST = 8


@cache
def enums_of(operation: str) -> Mapping[str, Collection[str]]:
    """The values of the members of an operation's answer that has some only, by pointer; `*` is any entry.

    Nothing for what is not of the public API.
    """
    document = _document()
    items = (item for methods in document["paths"].values() for item in methods.values())
    item: Schema = next((each for each in items if each.get("operationId") == operation), {})
    answers = (answer for status, answer in item.get("responses", {}).items() if status.startswith("2"))
    content = next((each for answer in answers for each in _variants(document, answer)), {})
    schema = content.get("content", {}).get("application/json", {}).get("schema", {})
    return {pointer: values for pointer, values in _values_in(document, schema, "", 0) if values}


@cache
def _document() -> Schema:
    """The document of the public API."""
    from mockserver.server.assembly import ROUTES
    from mockserver.server.openapi import document

    return document(ROUTES.endpoints, False)


def _values_in(
    document: Schema, schema: Schema, pointer: str, depth: int
) -> Iterator[tuple[str, Collection[str]]]:
    """The values that each member may have, nested ones included."""
    for each in _variants(document, schema) if depth < _DEEPEST else ():
        inner = {f"/{name}": member for name, member in each.get("properties", {}).items()}
        inner |= {"/*": each["items"]} if "items" in each else {}
        for name, member in inner.items():
            yield f"{pointer}{name}", _values_of(document, member)
            yield from _values_in(document, member, f"{pointer}{name}", depth + 1)


def _values_of(document: Schema, schema: Schema) -> Collection[str]:
    found: set[str] = set()
    for each in _variants(document, schema):
        found.update(each.get("enum", ()), [each["const"]] if "const" in each else ())
    return found


def _variants(document: Schema, schema: Schema) -> Iterator[Schema]:
    """What a schema may be: its own, and all of `allOf`, `anyOf` and `oneOf`, references followed."""
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        schema = found
    yield schema
    for word in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(word, ()):
            yield from _variants(document, each)
